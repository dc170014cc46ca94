//! Traverses behind cascades (`traverse_NAME.csv`): local loss and turbulence over the pitch, and the loss coefficient
//! over time (`traverse_NAME.history.csv`), with the errors of their means; and a table of the results.

use std::fmt::Write;
use std::path::Path;

use super::columns::{LINE, PHASE, TOTAL, VARIANCES, certainty, energy};
use super::error::Error;
use super::figure::{Band, Curve, Figure, Panel, Style};
use crate::format::number;
use crate::io::{Table, TableFile, read_series};
use crate::output::{Certainty, Estimate};

/// A column that only traverses have.
const OWN: &str = "rho_u_p0";
/// The local loss; without a total pressure of the inlet there is none, and the total pressure is drawn.
const LOSS: &str = "omega";
/// Results of the table.
const RESULTS: [&str; 10] = [
    "mass_flux",
    "p0_mass",
    "p0_mixed",
    "angle_mixed",
    "mach_mixed",
    "mach_is",
    "omega",
    "Y",
    "zeta",
    "Tu",
];

/// A traverse of a run.
#[derive(Debug, Clone, PartialEq)]
pub struct Traverse {
    /// The name in the legend.
    pub label: String,
    table: Table,
    /// Results over time, if their file is there.
    history: Option<Table>,
    pitch: f64,
    /// The results at the head of the file, with their names and units.
    results: Vec<(String, Estimate)>,
}

/// Returns whether a table holds the means of a traverse, and not at phases.
pub fn is_traverse(table: &Table) -> bool {
    [LINE, OWN].iter().all(|name| table.column(name).is_some()) && table.column(PHASE).is_none()
}

impl Traverse {
    /// Reads a traverse with its history, which is beside it.
    ///
    /// # Errors
    /// A file cannot be read, or lacks rows or its description.
    pub fn read(label: String, path: &Path) -> Result<Self, Error> {
        let history = path.with_extension("history.csv");
        let history = history.exists().then(|| read_series(&history)).transpose()?;
        Traverse::of_file(label, TableFile::read(path)?, history)
    }

    /// Takes a traverse from a file that has been read, and from its history, if there is one.
    ///
    /// # Errors
    /// The file lacks rows or its description.
    pub fn of_file(label: String, file: TableFile, history: Option<Table>) -> Result<Self, Error> {
        let rows = file.table.column(LINE).map_or(0, <[f64]>::len);
        if rows < 2 {
            return Err(Error::TooShort {
                path: file.path,
                rows,
                needed: 2,
            });
        }
        let results = file.comments.iter().filter_map(|line| Estimate::of_line(line));
        Ok(Traverse {
            label,
            pitch: pitch(&file)?,
            results: results.map(|(name, result)| (name.to_owned(), result)).collect(),
            history,
            table: file.table,
        })
    }

    /// Returns the ordinates over the pitch, and one pitch above the first one, where the flow repeats.
    fn places(&self) -> Vec<f64> {
        let y = self.table.column(LINE).unwrap_or_default();
        let above = y.first().map(|y| y + self.pitch);
        y.iter().copied().chain(above).map(|y| y / self.pitch).collect()
    }

    fn has_loss(&self) -> bool {
        self.table.column(LOSS).is_some()
    }
}

/// Returns the pitch in the comments of a file of a traverse.
///
/// # Errors
/// There is none.
pub(super) fn pitch(file: &TableFile) -> Result<f64, Error> {
    let mut comments = file.comments.iter();
    let pitch = comments.find_map(|line| line.strip_prefix("pitch: ")?.parse::<f64>().ok());
    pitch.filter(|pitch| *pitch > 0.0).ok_or_else(|| Error::Profile {
        path: file.path.clone(),
        detail: "a line `# pitch: NUMBER` with a number above 0 is needed among the comments".into(),
    })
}

/// Adds the values of a table with their errors to a panel. If the table has one row less than `x` has places, the
/// first row is repeated at the last place.
fn add(panel: &mut Panel, index: usize, label: &str, x: &[f64], table: &Table, name: &str) {
    let Some(y) = table.column(name) else { return };
    let errors = table.column(&format!("{name}_error")).unwrap_or_default();
    let (y, errors) = (repeated(y, x.len()), repeated(errors, x.len()));
    let style = Style::run(index);
    panel.bands.extend(Band::of_errors(x, &y, &errors, style.color));
    panel.curves.push(Curve {
        label: label.into(),
        x: x.to_vec(),
        y,
        style,
    });
}

/// Returns the values, with the first one again behind the last one if there is one less than `count`.
fn repeated(values: &[f64], count: usize) -> Vec<f64> {
    let again = values.first().filter(|_| values.len() + 1 == count);
    values.iter().chain(again).copied().collect()
}

/// Returns the figure of all traverses.
pub fn figure(runs: &[Traverse]) -> Figure {
    let lossy = runs.iter().any(Traverse::has_loss);
    let (name, symbol, title) = if lossy {
        (
            LOSS,
            "\u{3c9} = (p\u{2080}\u{2081} \u{2212} p\u{2080}\u{2082})/(p\u{2080}\u{2081} \u{2212} p\u{2082})",
            "Local loss",
        )
    } else {
        (TOTAL, "p\u{2080}", "Total pressure")
    };
    let over_pitch = |title: &str, symbol: &str, x_label: &str| Panel {
        title: title.into(),
        x_label: x_label.into(),
        y_label: symbol.into(),
        ..Panel::default()
    };
    let mut panels = vec![
        over_pitch(title, symbol, "y/pitch"),
        over_pitch("Velocity fluctuations", "(uu + vv + ww)/2", "y/pitch"),
    ];
    let (result, symbol, title) = if lossy {
        (LOSS, "\u{3c9}, mixed out", "Loss of a run up to a time")
    } else {
        (
            "p0_mixed",
            "p\u{2080}, mixed out",
            "Total pressure of a run up to a time",
        )
    };
    let mut history = over_pitch(title, symbol, "time");
    for (index, run) in runs.iter().enumerate() {
        let places = run.places();
        add(&mut panels[0], index, &run.label, &places, &run.table, name);
        panels[1].curves.push(Curve {
            label: run.label.clone(),
            y: repeated(
                &energy(VARIANCES.map(|name| run.table.column(name).unwrap_or_default())),
                places.len(),
            ),
            x: places,
            style: Style::run(index),
        });
        if let Some(table) = &run.history {
            let time = table.column("time").unwrap_or_default();
            add(&mut history, index, &run.label, time, table, result);
        }
    }
    panels.extend((!history.curves.is_empty()).then_some(history));
    // The errors of early times in a history are bounds in any run; those of its end are the results.
    let of_results = runs.iter().flat_map(|run| &run.results);
    let of_results =
        of_results.filter(|(name, known)| name.split(' ').next() == Some(result) && known.error.is_finite());
    let certainties = of_results.map(|(_, known)| known.certainty);
    let certainties = certainties.chain(runs.iter().map(|run| certainty(&run.table, name)));
    Figure {
        notes: Band::notes(&panels, Certainty::of_all(certainties)),
        panels,
        ..Figure::default()
    }
}

/// Returns a table of the results of all traverses.
pub fn table(runs: &[Traverse]) -> String {
    let mut lines = String::new();
    for run in runs {
        let _ = writeln!(lines, "{}", run.label);
        for (name, result) in &run.results {
            let bare = name.split(' ').next().unwrap_or_default();
            if RESULTS.contains(&bare) {
                let drifts = if result.drifts() { " (drifts: not settled)" } else { "" };
                // Writing into a string cannot fail, hence the ignored results.
                let _ = writeln!(lines, "  {name}: {}{drifts}", result.in_words(number));
            }
        }
    }
    lines
}
