//! Figures of all tables of a run: series over time, profiles and spectra. Columns of the same unit share a panel.

use super::columns::{PANELS, extremes, is_of_error, label, title};
use super::html::{self, Section, escaped, paragraph, table};
use super::picture::Picture;
use super::places;
use super::references::References;
use super::run::Run;
use crate::format::number;
use crate::io::{Table, TableFile};
use crate::output::{AT_LEAST, Certainty, ERROR, Estimate, HALF_DIFFERENCE};
use crate::plot::convergence::is_convergence;
use crate::plot::figure::{Band, Curve, Figure, Panel, SHOWN_ERRORS, Size, Style};
use crate::plot::{self, blades, phases, spectra, thinned, traverses};

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
    let mut put = |figure: Figure, caption: &str| {
        let picture = Picture::new(file.name(), figure, Size::Screen);
        let markup = html::figure(&picture.svg(), caption);
        pictures.push(picture);
        markup
    };
    let shown = match drawn((run, references), file) {
        Some(Ok(drawn)) => put(drawn, &format!("{}.csv", file.name())),
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
        // As results in the comments of tables are named.
        let with_unit = table.unit(name).map(|unit| format!("{name} [{unit}]"));
        Some((with_unit.unwrap_or_else(|| name.clone()), result))
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
fn of_columns(file: &TableFile, put: impl FnOnce(Figure, &str) -> String) -> String {
    if let Some(drawn) = places::drawn(&file.table) {
        let figure = if drawn.figure.panels.is_empty() {
            String::new()
        } else {
            put(drawn.figure, &format!("{}.csv; {}.", file.name(), drawn.about))
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
    let mut panels: Vec<Panel> = panels.into_iter().take(PANELS).collect();
    let mut caption = format!("{}.csv", file.name());
    if file.table.names[abscissa] == "time"
        && let Some(begin) = without_start(&mut panels, &file.table.columns[abscissa])
    {
        caption += &format!(
            "; of the start, before t = {}, what lies far beyond the later values is left out",
            number(begin)
        );
    }
    if panels.iter().any(|panel| !panel.bands.is_empty()) {
        caption += "; bands are twice the standard error of means";
    }
    if left > 0 {
        caption += &match left {
            1 => "; one further group of columns is in the file".to_owned(),
            _ => format!("; {left} further groups of columns are in the file"),
        };
    }
    let drawn = Figure {
        own_legends: true,
        panels,
        ..Figure::default()
    };
    body + &put(drawn, &(caption + "."))
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
        let range = extremes(table.columns[column].iter().copied());
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
    let names: Vec<&str> = columns.iter().map(|&column| table.names[column].as_str()).collect();
    let mut panel = Panel {
        title: title(&names),
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

/// Share of the time of a series that is its start, and how many times as high the axis has to be because of it before
/// it is left out.
const START: f64 = 0.2;
const RULES: f64 = 3.0;

/// Cuts the start of a series out of the panels in which it would rule the axis, so that the rest would be a flat line:
/// points of the start further than half the height of the rest beyond it. Returns the time at which the rest begins if
/// anything was cut.
fn without_start(panels: &mut [Panel], time: &[f64]) -> Option<f64> {
    let [first, last] = extremes(time.iter().copied());
    let begin = first + START * (last - first);
    let mut cut = false;
    for panel in panels {
        let of_rest = |curve: &Curve| -> Vec<f64> {
            let points = curve.x.iter().zip(&curve.y);
            points.filter(|(x, _)| **x >= begin).map(|(_, y)| *y).collect()
        };
        let rest = extremes(panel.curves.iter().flat_map(of_rest));
        let whole = extremes(panel.curves.iter().flat_map(|curve| curve.y.iter().copied()));
        let height = rest[1] - rest[0];
        if height > 0.0 && whole[1] - whole[0] > RULES * height {
            let room = [rest[0] - 0.5 * height, rest[1] + 0.5 * height];
            for curve in &mut panel.curves {
                let beyond = curve.y.iter_mut().filter(|y| **y < room[0] || **y > room[1]);
                beyond.for_each(|y| *y = f64::NAN);
            }
            cut = true;
        }
    }
    cut.then_some(begin)
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
    fn a_start_that_would_rule_the_axis_is_left_out_of_it() {
        let time: Vec<f64> = (0..100).map(f64::from).collect();
        let drag = |t: &f64| 1.3 + 0.1 * (0.5 * t).sin() + if *t < 5.0 { 12.0 } else { 0.0 };
        let of = |y: Vec<f64>| {
            let curve = Curve {
                label: String::new(),
                x: time.clone(),
                y,
                style: Style::run(0),
            };
            let mut panels = [Panel {
                curves: vec![curve],
                ..Panel::default()
            }];
            let begin = without_start(&mut panels, &time);
            let [panel] = panels;
            (begin, panel.curves[0].y.iter().filter(|y| y.is_nan()).count())
        };
        let (begin, cut) = of(time.iter().map(drag).collect());
        assert_eq!((begin.map(f64::round), cut), (Some(20.0), 5));
        // A decay is not a start.
        assert_eq!(of(time.iter().map(|t| (-0.02 * t).exp()).collect()), (None, 0));
        assert_eq!(of(vec![1.0; 100]), (None, 0));
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
            found.contains("<td>a [N]</td><td>3</td><td>at least 0.5</td><td>-0.5</td>"),
            "{found}"
        );
        assert!(!found.contains("<td>b") && !found.contains("a_at_least"), "{found}");
    }
}
