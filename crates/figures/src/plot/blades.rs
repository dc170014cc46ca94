//! Distributions along blades (`blade_NAME.csv`) over the axial chord: isentropic Mach number, pressure coefficient and
//! skin friction of both sides, with the errors of their means, beside measured points.

use std::path::{Path, PathBuf};

use super::columns::{CHORD, FRICTION, PRESSURE, SIDE, certainty, column};
use super::error::Error;
use super::figure::{Band, Curve, Figure, Panel, Style};
use super::phases::are_phases;
use crate::io::{self, Table, TableFile, read_series};
use crate::output::Certainty;

/// The column of the isentropic Mach number.
const MACH: &str = "M_is";

/// A quantity: its column, the title of its panel, and its symbol. All files have the first [`ALWAYS`]. The others have
/// a panel where one of the runs has such a number other than zero: heat flows through isothermal walls.
const QUANTITIES: [(&str, &str, &str); 5] = [
    (MACH, "Isentropic Mach number", "M\u{1d62}\u{209b}"),
    (
        PRESSURE,
        "Pressure coefficient",
        "(p \u{2212} p\u{2082})/(p\u{2080}\u{2081} \u{2212} p\u{2082})",
    ),
    (
        FRICTION,
        "Skin friction",
        "\u{3c4}/(p\u{2080}\u{2081} \u{2212} p\u{2082})",
    ),
    ("heat_flux", "Heat flux into the wall", "q, W/m^2"),
    (
        "h",
        "Heat-transfer coefficient",
        "q/(T\u{2080}\u{2081} \u{2212} T), W/(m^2 K)",
    ),
];
/// Number of quantities that are always drawn.
const ALWAYS: usize = 3;

/// Values along the sides of a blade.
#[derive(Debug, Clone, PartialEq)]
pub struct Distribution {
    /// The name in the legend.
    pub label: String,
    /// The sides, the suction side first. Reference data are one list of points.
    sides: Vec<Values>,
    /// Whether one of the errors is a lower bound.
    certainty: Certainty,
}

/// Values at points of a side.
#[derive(Debug, Clone, PartialEq)]
struct Values {
    /// Place over the axial chord.
    x: Vec<f64>,
    /// The quantities, each with its standard errors; empty where there are none.
    of: [(Vec<f64>, Vec<f64>); QUANTITIES.len()],
}

impl Distribution {
    /// Reads the distribution of a run.
    ///
    /// # Errors
    /// The file cannot be read, or lacks a column or rows.
    pub fn read_run(label: String, path: &Path) -> Result<Self, Error> {
        Distribution::of_file(label, &TableFile::read(path)?)
    }

    /// Takes the distribution of a run from a file that has been read.
    ///
    /// # Errors
    /// It lacks a column or rows.
    pub fn of_file(label: String, file: &TableFile) -> Result<Self, Error> {
        let (table, path) = (&file.table, &file.path);
        let of_row = column(table, path, SIDE)?;
        for name in [CHORD]
            .into_iter()
            .chain(QUANTITIES[..ALWAYS].iter().map(|(name, ..)| *name))
        {
            column(table, path, name)?;
        }
        let sides = [1.0, 2.0].map(|side| values(table, |row| of_row[row] == side));
        let sides: Vec<Values> = sides.into_iter().filter(|side| !side.x.is_empty()).collect();
        let certainty = Certainty::of_all(QUANTITIES.map(|(name, ..)| certainty(table, name)));
        match sides.iter().map(|side| side.x.len()).min() {
            Some(rows) if rows > 1 => Ok(Distribution {
                label,
                sides,
                certainty,
            }),
            rows => Err(Error::TooShort {
                path: path.into(),
                rows: rows.unwrap_or_default(),
                needed: 2,
            }),
        }
    }

    /// Reads points from elsewhere: the place over the axial chord, and any of the quantities.
    ///
    /// # Errors
    /// The file cannot be read, or has none of the quantities.
    pub fn read_reference(label: String, path: &Path) -> Result<Self, Error> {
        let table = read_series(path)?;
        column(&table, path, CHORD)?;
        let all = values(&table, |_| true);
        if all.of.iter().all(|(values, _)| values.is_empty()) {
            return Err(Error::NothingToDraw {
                columns: QUANTITIES.map(|(name, ..)| name).to_vec(),
            });
        }
        Ok(Distribution {
            label,
            sides: vec![all],
            certainty: Certainty::Estimated,
        })
    }
}

/// Returns whether a table holds places along a blade, and not at phases.
pub fn is_distribution(table: &Table) -> bool {
    table.column(CHORD).is_some() && !are_phases(table)
}

/// Returns the paths of the distributions in a folder, without those of means at phases, sorted by their names.
pub fn files_of(folder: &Path) -> Result<Vec<PathBuf>, Error> {
    let failed = |source| {
        Error::File(io::Error::Os {
            action: "read",
            path: folder.into(),
            source,
        })
    };
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if name.starts_with("blade_") && name.ends_with(".csv") && !name.ends_with(".phase.csv") {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

/// Returns the values of the rows that are `wanted`.
fn values(table: &Table, wanted: impl Fn(usize) -> bool) -> Values {
    let column = |name: &str| -> Vec<f64> {
        let all = table.column(name).unwrap_or_default().iter().enumerate();
        all.filter(|(row, _)| wanted(*row)).map(|(_, value)| *value).collect()
    };
    Values {
        x: column(CHORD),
        of: QUANTITIES.map(|(name, ..)| (column(name), column(&format!("{name}_error")))),
    }
}

/// Returns the figure of all runs, with points from elsewhere if there are any.
pub fn figure(runs: &[Distribution], reference: Option<&Distribution>) -> Figure {
    let differs = |q: usize| {
        let mut sides = runs.iter().flat_map(|run| &run.sides);
        sides.any(|side| side.of[q].0.iter().any(|value| value.is_finite() && *value != 0.0))
    };
    let drawn = (0..QUANTITIES.len()).filter(|&q| q < ALWAYS || differs(q));
    let mut panels: Vec<Panel> = drawn.map(|q| panel(q, runs, reference)).collect();
    if runs.iter().any(|run| run.sides.len() > 1) {
        let entry = |label: &str, style: Style| Curve {
            label: label.into(),
            x: Vec::new(),
            y: Vec::new(),
            style,
        };
        // The sides of one run have colours of their own; those of several runs have the colour of the run.
        let [suction, pressure] = match runs {
            [_] => [0, 1].map(|side| of_side(runs, 0, side)),
            _ => [0, 1].map(|side| of_side(runs, 0, side).grey()),
        };
        let entries = [entry("suction side", suction), entry("pressure side", pressure)];
        panels[0].curves.extend(entries);
    }
    Figure {
        notes: Band::notes(&panels, Certainty::of_all(runs.iter().map(|run| run.certainty))),
        panels,
        ..Figure::default()
    }
}

/// Returns the style of a side of a run: the pressure side is dashed, and has its own colour in a figure of one run.
fn of_side(runs: &[Distribution], run: usize, side: usize) -> Style {
    let style = Style::run(if runs.len() == 1 { side } else { run });
    let dashes = if side == 0 { style.dashes } else { "9 4" };
    Style { dashes, ..style }
}

/// Room above and below the curves of a panel to which bands are cut, over the range of the curves.
const ROOM: f64 = 0.1;

/// Cuts bands to the range of the curves with some room, so that they do not rule the axis: the error of a Mach number
/// has no bound where the gas is nearly at rest.
fn cut(bands: &mut [Band], curves: &[Curve]) {
    let values = curves.iter().flat_map(|curve| &curve.y).filter(|y| y.is_finite());
    let [low, high] = values.fold([f64::INFINITY, f64::NEG_INFINITY], |[a, b], &y| [a.min(y), b.max(y)]);
    let room = ROOM * (high - low);
    // Entries that are not finite interrupt a band, and stay.
    let inside = |y: &mut f64| {
        if y.is_finite() {
            *y = y.clamp(low - room, high + room);
        }
    };
    if low <= high {
        bands
            .iter_mut()
            .flat_map(|band| band.low.iter_mut().chain(&mut band.high))
            .for_each(inside);
    }
}

/// Returns the panel of one quantity.
fn panel(quantity: usize, runs: &[Distribution], reference: Option<&Distribution>) -> Panel {
    let (name, title, symbol) = QUANTITIES[quantity];
    let (mut curves, mut bands) = (Vec::new(), Vec::new());
    for (index, run) in runs.iter().enumerate() {
        for (side, values) in run.sides.iter().enumerate() {
            let (y, errors) = &values.of[quantity];
            let style = of_side(runs, index, side);
            bands.extend(Band::of_errors(&values.x, y, errors, style.color));
            // The legend has the run once, with its unbroken line; one run needs no name.
            let label = if side == 0 && (runs.len() > 1 || run.sides.len() == 1) {
                run.label.clone()
            } else {
                String::new()
            };
            curves.push(Curve {
                label,
                x: values.x.clone(),
                y: y.clone(),
                style,
            });
        }
    }
    for points in reference.iter().flat_map(|reference| &reference.sides) {
        let y = &points.of[quantity].0;
        if !y.is_empty() {
            curves.push(Curve {
                label: reference.map_or_else(String::new, |reference| reference.label.clone()),
                x: points.x.clone(),
                y: y.clone(),
                style: Style::elsewhere(0),
            });
        }
    }
    if name == FRICTION {
        // Where friction crosses zero the flow separates or reattaches.
        let zero = Curve {
            label: String::new(),
            x: vec![0.0, 1.0],
            y: vec![0.0, 0.0],
            style: Style::reference().part().grey(),
        };
        curves.insert(0, zero);
    }
    cut(&mut bands, &curves);
    if name == MACH {
        // Entries that are not numbers interrupt the band.
        let below = bands
            .iter_mut()
            .flat_map(|band| &mut band.low)
            .filter(|low| **low < 0.0);
        below.for_each(|low| *low = 0.0);
    }
    Panel {
        title: title.into(),
        x_label: "x/C\u{2090}\u{2093}".into(),
        y_label: symbol.into(),
        curves,
        bands,
        ..Panel::default()
    }
}
