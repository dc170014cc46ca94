//! Figures of all tables of a run: series over time, profiles and spectra. Columns of the same unit share a panel.

use super::columns::{PANELS, is_of_error, label};
use super::html::{self, Section, escaped, paragraph, table};
use super::picture::Picture;
use super::places;
use super::references::References;
use super::run::Run;
use crate::format::number;
use crate::io::{Table, TableFile};
use crate::output::{AT_LEAST, Certainty, ERROR, Estimate, HALF_DIFFERENCE};
use crate::plot::convergence::is_convergence;
use crate::plot::figure::{Band, Curve, Figure, Panel, SHOWN_ERRORS, Style};
use crate::plot::{self, blades, phases, spectra, svg, thinned, traverses};

/// Most curves of a panel.
const CURVES: usize = 6;
/// Columns that count rather than measure.
const COUNTS: [&str; 6] = ["step", "time", "dt", "side", "point", "filter_cell"];

/// What follows the difference of a mean that is not settled.
const DRIFTS: &str = " (drifts: not settled)";

/// Returns a section for means along lines, and one for series.
pub(super) fn sections(run: &Run, references: &References) -> Vec<Section> {
    let others = run.tables.iter().filter(|file| !is_convergence(&file.table));
    let (series, profiles): (Vec<_>, Vec<_>) = others.partition(|file| file.table.column("time").is_some());
    let section = |id, title: &str, files: Vec<&TableFile>| {
        let mut pictures = Vec::new();
        let of_files = files
            .into_iter()
            .map(|file| of_file((run, references), file, &mut pictures));
        let body: String = of_files.collect();
        (!body.is_empty()).then(|| Section {
            id,
            title: title.to_owned(),
            body,
            pictures,
        })
    };
    let all = [
        section("profiles", "Means, profiles and spectra", profiles),
        section("series", "Time series", series),
    ];
    all.into_iter().flatten().collect()
}

/// Returns the heading, the results and the figure of a table, and adds the figure to the pictures.
fn of_file((run, references): (&Run, &References), file: &TableFile, pictures: &mut Vec<Picture>) -> String {
    let head = format!("<h3>{}</h3>\n", escaped(&file.name()));
    let means = means(&file.table);
    if !means.is_empty() {
        return head + &of_results(means);
    }
    let mut put = |figure: &Figure, caption: &str| {
        let drawn = svg(figure);
        let markup = html::figure(&drawn, caption);
        pictures.push(Picture::drawn(file.name(), drawn));
        markup
    };
    let shown = match drawn((run, references), file) {
        Some(Ok(drawn)) => put(&drawn, &format!("{}.csv", file.name())),
        Some(Err(error)) => paragraph(&error.to_string()),
        None => of_columns(file, put),
    };
    head + &of_results(results(&file.comments)) + &shown
}

/// Returns the results in the comments at the head of a file.
fn results(comments: &[String]) -> Vec<(String, Estimate)> {
    let results = comments.iter().filter_map(|line| Estimate::of_line(line));
    results.map(|(name, result)| (name.to_owned(), result)).collect()
}

/// Returns the means of a table that has the columns NAME, NAME_error and NAME_half_difference in its only row.
fn means(table: &Table) -> Vec<(String, Estimate)> {
    let mean = |name: &String| {
        let last = |end: &str| table.column(&format!("{name}{end}"))?.last().copied();
        let result = Estimate {
            value: last("")?,
            error: last(ERROR)?,
            certainty: Certainty::of_entry(last(AT_LEAST)),
            half_difference: last(HALF_DIFFERENCE)?,
        };
        Some((name.clone(), result))
    };
    table.names.iter().filter_map(mean).collect()
}

/// Returns the figure that `fr-les plot` draws of the file, or why it cannot; `None` if it has none for such a table.
fn drawn((run, references): (&Run, &References), file: &TableFile) -> Option<Result<Figure, plot::Error>> {
    let (name, table) = (file.name(), &file.table);
    Some(if phases::are_phases(table) {
        phases::Phases::of_file(file).map(|means| phases::figure(&means))
    } else if blades::is_distribution(table) {
        blades::Distribution::of_file(name.clone(), file)
            .map(|blade| blades::figure(&[blade], references.blade.as_ref()))
    } else if traverses::is_traverse(table) {
        let history = run.table(&format!("{name}.history")).cloned();
        let traverse = traverses::Traverse::of_file(name.clone(), file.clone(), history);
        traverse.map(|traverse| traverses::figure(&[traverse]))
    } else if spectra::are_spectra(table) {
        spectra::Spectra::of_file(file).map(|found| spectra::figure(&found))
    } else {
        return None;
    })
}

/// Returns what is shown of the columns: those that are constant, and a figure with a panel for each unit, which `put`
/// turns into markup.
fn of_columns(file: &TableFile, put: impl FnOnce(&Figure, &str) -> String) -> String {
    if let Some(drawn) = places::drawn(&file.table) {
        let figure = if drawn.figure.panels.is_empty() {
            String::new()
        } else {
            put(&drawn.figure, &format!("{}.csv; {}.", file.name(), drawn.about))
        };
        return of_constants(&drawn.constant) + &figure;
    }
    let abscissa = file.table.names.iter().position(|name| name == "time").unwrap_or(0);
    let (panels, constant) = panels(&file.table, abscissa);
    let body = of_constants(&constant);
    if panels.is_empty() {
        return body;
    }
    let left = panels.len().saturating_sub(PANELS);
    let drawn = Figure {
        own_legends: true,
        panels: panels.into_iter().take(PANELS).collect(),
        ..Figure::default()
    };
    let caption = match left {
        0 => format!("{}.csv; bands are twice the standard error of means.", file.name()),
        _ => format!("{}.csv; {left} further groups of columns are in the file.", file.name()),
    };
    body + &put(&drawn, &caption)
}

/// Returns a paragraph of columns that are constant; nothing without such columns.
fn of_constants(constant: &[String]) -> String {
    if constant.is_empty() {
        String::new()
    } else {
        paragraph(&format!("Constant: {}.", constant.join(", ")))
    }
}

/// Returns a table of results; nothing without results.
fn of_results(results: Vec<(String, Estimate)>) -> String {
    let cell = |value: f64| {
        if value.is_finite() {
            number(value)
        } else {
            "-".to_owned()
        }
    };
    let bounded = |result: &Estimate| {
        if result.error.is_finite() {
            result.certainty.words().to_owned() + &cell(SHOWN_ERRORS * result.error)
        } else {
            cell(result.error)
        }
    };
    let rows: Vec<Vec<String>> = results
        .into_iter()
        .map(|(name, result)| {
            vec![
                name,
                cell(result.value),
                bounded(&result),
                cell(result.half_difference) + if result.drifts() { DRIFTS } else { "" },
            ]
        })
        .collect();
    if rows.is_empty() {
        return String::new();
    }
    let heads = ["result", "value", "2 x standard error", "second half less first"];
    let note = if rows.iter().any(|row| row[2].starts_with(Certainty::AtLeast.words())) {
        paragraph(
            "At least: the error is larger than the samples can show, which are too short for the slowest fluctuations \
             in them.",
        )
    } else {
        String::new()
    };
    table(&heads, &rows) + &note
}

/// Returns a panel for each unit, and the columns that are constant with their values.
fn panels(table: &Table, abscissa: usize) -> (Vec<Panel>, Vec<String>) {
    let mut units: Vec<(&str, Vec<usize>)> = Vec::new();
    let mut constant = Vec::new();
    for (column, name) in table.names.iter().enumerate() {
        if column == abscissa || name.is_empty() || COUNTS.contains(&name.as_str()) || is_of_error(table, name) {
            continue;
        }
        let values = table.columns[column].iter().filter(|value| value.is_finite());
        let range = values.fold([f64::INFINITY, f64::NEG_INFINITY], |[a, b], &x| [a.min(x), b.max(x)]);
        if range[0] >= range[1] {
            constant.push(format!("{name} = {}", number(range[0])));
        } else if range[0] < range[1] {
            let unit = table.units[column].as_str();
            // Numbers without a unit have nothing in common.
            match units
                .iter_mut()
                .find(|(known, of)| *known == unit && unit != "-" && of.len() < CURVES)
            {
                Some((_, columns)) => columns.push(column),
                None => units.push((unit, vec![column])),
            }
        }
    }
    let all = units
        .iter()
        .map(|(unit, columns)| panel(table, abscissa, unit, columns));
    (all.collect(), constant)
}

fn panel(table: &Table, abscissa: usize, unit: &str, columns: &[usize]) -> Panel {
    let x = &table.columns[abscissa];
    let mut panel = Panel {
        title: String::new(),
        x_label: label(table, abscissa),
        y_label: match columns {
            [one] => label(table, *one),
            _ => unit.to_owned(),
        },
        ..Panel::default()
    };
    for (number, &column) in columns.iter().enumerate() {
        let (style, y) = (Style::run(number), &table.columns[column]);
        if let Some(errors) = table.column(&format!("{}{ERROR}", table.names[column])) {
            panel.bands.extend(Band::of_errors(x, y, errors, style.color));
        }
        let (x, y) = thinned(x, y);
        panel.curves.push(Curve {
            label: if columns.len() > 1 {
                table.names[column].clone()
            } else {
                String::new()
            },
            x,
            y,
            style,
        });
    }
    panel
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_of_a_unit_share_a_panel_and_errors_are_bands() {
        let text = b"y,u,u_error,u_at_least,v,T,area\nm,m/s,m/s,-,m/s,K,m^2\n0,1,0.1,0,2,3,5\n1,2,0.2,1,4,6,5\n";
        let table = Table::parse(text).unwrap();
        let (panels, constant) = panels(&table, 0);
        assert_eq!(constant, ["area = 5"]);
        let labels: Vec<&str> = panels.iter().map(|panel| panel.y_label.as_str()).collect();
        assert_eq!(labels, ["m/s", "T, K"]);
        assert_eq!(panels[0].curves.len(), 2);
        assert_eq!(panels[0].bands.len(), 1);
        assert_eq!(panels[0].bands[0].high, [1.2, 2.4]);
    }

    #[test]
    fn probes_of_two_points_are_two_curves_a_quantity() {
        let text =
            b"step,time,point,x,y,z,u,p\n-,s,-,m,m,m,m/s,Pa\n0,0,0,0,1,2,3,4\n0,0,1,9,1,2,5,4\n1,1,0,0,1,2,4,4\n\
            1,1,1,9,1,2,6,4\n";
        let file = TableFile {
            path: "results/probes_pair.csv".into(),
            comments: Vec::new(),
            table: Table::parse(text).unwrap(),
        };
        let shown = of_columns(&file, |figure, caption| {
            let panels: Vec<(&str, usize)> = figure
                .panels
                .iter()
                .map(|panel| (panel.y_label.as_str(), panel.curves.len()))
                .collect();
            assert_eq!(panels, [("u, m/s", 2)]);
            caption.to_owned()
        });
        assert_eq!(
            shown,
            paragraph("Constant: p = 4.") + "probes_pair.csv; each point has a curve."
        );
    }

    #[test]
    fn results_of_comments_become_rows() {
        let comments = [
            "version: 1",
            "result omega [-]: value = 0.05, error = 0.001, half_difference = -0.002",
            "result zeta [-]: value = 0.07, error = 0.003 (at least), half_difference = 0",
        ];
        let found = of_results(results(&comments.map(str::to_owned)));
        assert!(
            found.contains("<td>omega [-]</td><td>0.05</td><td>0.002</td><td>-0.002</td>"),
            "{found}"
        );
        let bound = "<td>zeta [-]</td><td>0.07</td><td>at least 0.006</td><td>0</td>";
        assert!(found.contains(bound) && found.contains("At least: "), "{found}");
        let known = of_results(results(
            &comments[..2].iter().map(|line| (*line).to_owned()).collect::<Vec<_>>(),
        ));
        assert!(!known.contains("At least"), "{known}");
        assert_eq!(of_results(Vec::new()), "");
    }

    #[test]
    fn means_of_series_become_rows() {
        let table = Table {
            names: ["a", "a_error", "a_at_least", "a_half_difference", "b"]
                .map(str::to_owned)
                .to_vec(),
            units: ["N", "N", "-", "N", "-"].map(str::to_owned).to_vec(),
            columns: vec![vec![3.0], vec![0.25], vec![1.0], vec![-0.5], vec![7.0]],
            lines: vec![3],
        };
        let found = of_results(means(&table));
        assert!(
            found.contains("<td>a</td><td>3</td><td>at least 0.5</td><td>-0.5</td>"),
            "{found}"
        );
        assert!(
            !found.contains("<td>b</td>") && !found.contains("a_at_least"),
            "{found}"
        );
    }
}
