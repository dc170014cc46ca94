//! The numbers for which a cascade is computed, before all others: losses, angles, the load of the blade and the places
//! of separation, each with its error, whether it has settled, and the value of a reference.

use super::html::{Section, paragraph, table, two_digits};
use super::references::References;
use super::run::Run;
use crate::format::number;
use crate::io::TableFile;
use crate::output::{Certainty, Estimate};
use crate::plot::blades;
use crate::plot::figure::SHOWN_ERRORS;

/// Results of a traverse, and what they are called.
const OF_TRAVERSE: [(&str, &str); 9] = [
    ("mach_is", "isentropic exit Mach number"),
    ("inlet_angle_mixed", "inlet angle"),
    ("angle_mixed", "exit angle, mixed out"),
    ("zeta", "loss of kinetic energy \u{3b6}"),
    ("omega", "loss of total pressure \u{3c9}"),
    ("Y", "loss of total pressure, Y"),
    ("mass_flux", "mass flux"),
    ("inlet_Tu", "turbulence intensity upstream, Tu"),
    ("Tu", "turbulence intensity behind, Tu"),
];

/// End of the names of turbulence intensities.
const INTENSITY: &str = "Tu";

/// Results of a blade, and what they are called.
const OF_BLADE: [(&str, &str); 3] = [
    ("zweifel", "Zweifel's number"),
    (
        "suction_separation_1_x_over_C",
        "separation on the suction side, x/C_ax",
    ),
    (
        "suction_reattachment_1_x_over_C",
        "reattachment on the suction side, x/C_ax",
    ),
];

/// A kind of files with results.
struct Kind {
    /// Start of the names of the files.
    files: &'static str,
    /// Start of the names of the results.
    group: &'static str,
    /// The results, and what they are called.
    results: &'static [(&'static str, &'static str)],
}

const KINDS: [Kind; 2] = [
    Kind {
        files: "traverse_",
        group: "traverses",
        results: &OF_TRAVERSE,
    },
    Kind {
        files: "blade_",
        group: "blades",
        results: &OF_BLADE,
    },
];

/// A row of the table.
struct Row {
    /// The words, with the name of the output where there are several.
    words: String,
    unit: String,
    result: Estimate,
    reference: Option<f64>,
}

/// Returns the section of a run with blades; nothing for other runs.
pub(super) fn section(run: &Run, references: &References) -> Option<Section> {
    if !run.tables.iter().any(|file| blades::is_distribution(&file.table)) {
        return None;
    }
    let mut rows = Vec::new();
    for kind in KINDS {
        let of_kind = run.tables.iter().filter_map(|file| named(file, kind.files));
        let files: Vec<(String, &TableFile)> = of_kind.collect();
        for (output, file) in &files {
            for (name, words) in kind.results {
                let Some((unit, result)) = result(file, name) else {
                    continue;
                };
                // Samples too few for an error, as the one of a steady solution, do not know fluctuations in time.
                if name.ends_with(INTENSITY) && !result.error.is_finite() {
                    continue;
                }
                let words = match files.len() {
                    1 => (*words).to_owned(),
                    _ => format!("{words} ({output})"),
                };
                let reference = references.of(&format!("{}.{output}.{name}", kind.group));
                rows.push(Row {
                    words,
                    unit,
                    result,
                    reference,
                });
            }
        }
    }
    (!rows.is_empty()).then(|| Section {
        id: "headline",
        title: "The cascade in numbers".to_owned(),
        body: body(&rows, references.has_results()),
        pictures: Vec::new(),
    })
}

/// Returns the name of the output of a file of results whose name begins with `start`.
fn named<'a>(file: &'a TableFile, start: &str) -> Option<(String, &'a TableFile)> {
    let name = file.name();
    let output = name.strip_prefix(start)?;
    // Histories and means at phases are other tables of the same output.
    (!output.contains('.')).then(|| (output.to_owned(), file))
}

/// Returns a result of a file with its unit.
fn result(file: &TableFile, name: &str) -> Option<(String, Estimate)> {
    let mut results = file.comments.iter().filter_map(|line| Estimate::of_line(line));
    let (known, result) = results.find(|(known, _)| known.split(' ').next() == Some(name))?;
    let unit = known
        .split_once('[')
        .map_or("-", |(_, unit)| unit.trim_end_matches(']'));
    result.value.is_finite().then(|| (unit.to_owned(), result))
}

fn body(rows: &[Row], with_references: bool) -> String {
    let mut heads = vec!["quantity", "value", "2 x standard error", "state"];
    if with_references {
        heads.extend(["reference", "value less reference"]);
    }
    let cells = |row: &Row| {
        let unit = if row.unit == "-" {
            String::new()
        } else {
            format!(" {}", row.unit)
        };
        let mut cells = vec![
            row.words.clone(),
            number(row.result.value) + &unit,
            error(&row.result),
            state(&row.result),
        ];
        if with_references {
            let difference = row.reference.map(|reference| row.result.value - reference);
            cells.extend([row.reference, difference].map(|value| value.map_or(String::new(), number)));
        }
        cells
    };
    let rows: Vec<Vec<String>> = rows.iter().map(cells).collect();
    paragraph(
        "Means over the samples of the outputs. Settled: the halves of the time differ by no more than chance \
         explains. All results stand with their files below.",
    ) + &table(&heads, &rows)
}

/// Returns twice the standard error in words, with two digits.
fn error(result: &Estimate) -> String {
    if result.error.is_finite() {
        format!(
            "{}{}",
            result.certainty.words(),
            two_digits(SHOWN_ERRORS * result.error)
        )
    } else {
        "not known".to_owned()
    }
}

/// Returns whether a mean can be relied on, in a word.
fn state(result: &Estimate) -> String {
    let word = match result.certainty {
        _ if !result.error.is_finite() => "too few samples",
        _ if result.drifts() => "drifts",
        Certainty::AtLeast => "too short to know",
        Certainty::Estimated => "settled",
    };
    word.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn estimate(error: f64, certainty: Certainty, half_difference: f64) -> Estimate {
        Estimate {
            value: 0.05,
            error,
            certainty,
            half_difference,
        }
    }

    #[test]
    fn a_row_says_what_is_known_of_a_mean() {
        for (result, expected) in [
            (estimate(0.001, Certainty::Estimated, 0.001), ["0.0020", "settled"]),
            (estimate(0.001, Certainty::Estimated, 0.02), ["0.0020", "drifts"]),
            (
                estimate(0.001, Certainty::AtLeast, 0.001),
                ["at least 0.0020", "too short to know"],
            ),
            (
                estimate(f64::NAN, Certainty::AtLeast, f64::NAN),
                ["not known", "too few samples"],
            ),
        ] {
            assert_eq!([error(&result), state(&result)], expected);
        }
    }

    #[test]
    fn a_reference_stands_beside_its_result_with_the_difference() {
        let row = |reference| Row {
            words: "loss".to_owned(),
            unit: "deg".to_owned(),
            result: estimate(0.001, Certainty::Estimated, 0.0),
            reference,
        };
        let found = body(&[row(Some(0.04)), row(None)], true);
        let cells = "<td>loss</td><td>0.05 deg</td><td>0.0020</td><td>settled</td>";
        assert!(found.contains(&format!("{cells}<td>0.04</td><td>0.01</td>")), "{found}");
        assert!(found.contains(&format!("{cells}<td></td><td></td>")), "{found}");
        assert!(!body(&[row(None)], false).contains("reference"));
    }
}
