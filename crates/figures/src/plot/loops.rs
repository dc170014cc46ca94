//! Times of mesh loops as `fr-les bench --loops` writes them, and their figure: for each quantity the times of all its
//! loops over that of the loop over faces or edges, as in the figures of Y. Weng et al., Adv. Aerodyn. 3 (2021) 21.

use std::path::Path;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::error::Error;
use super::figure::{Bar, Bars, Figure, Panel};

/// The file: one key, which distinguishes it from results of the other benchmarks.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LoopsFile {
    /// What the file holds.
    pub loops: LoopTimes,
}

/// Times of mesh loops on one machine.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LoopTimes {
    /// Version of the program.
    pub version: String,
    /// Date and time.
    pub created: String,
    /// What computes.
    pub machine: String,
    /// CPU threads; none on a GPU.
    pub threads: Option<usize>,
    /// Bytes that a copy reads and writes per second.
    pub copy_bandwidth: f64,
    /// Meshes in one numbering and precision.
    pub cases: Vec<Case>,
}

/// The loops over one mesh, in one numbering and precision.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Case {
    /// What the cubes of the box are divided into.
    pub elements: String,
    /// Cubes per direction.
    pub cubes: u64,
    /// Numbers of cells, faces, edges and nodes.
    pub cells: usize,
    /// See `cells`.
    pub faces: usize,
    /// See `cells`.
    pub edges: usize,
    /// See `cells`.
    pub nodes: usize,
    /// Fraction of the cells that are hexahedra.
    pub hexahedra: f64,
    /// Order in which cells and nodes are numbered.
    pub numbering: String,
    /// double or single.
    pub precision: String,
    /// Loops in their modes.
    pub rows: Vec<LoopTime>,
    /// Division of the times of edge loops into memory and arithmetic.
    pub splits: Vec<Split>,
}

/// One loop in one mode.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LoopTime {
    /// Name of the loop.
    pub name: String,
    /// What it computes, the same for loops that are compared.
    pub quantity: String,
    /// Its mode.
    pub mode: String,
    /// Number of its items.
    pub items: usize,
    /// Number of colours, if it has them.
    pub colours: Option<usize>,
    /// Seconds of 100 passes.
    pub seconds_of_100: f64,
    /// Nanoseconds of a pass and item.
    pub ns_per_item: f64,
    /// Bytes that a pass must move at least.
    pub bytes: usize,
    /// These bytes per second.
    pub bytes_per_s: f64,
    /// These over the bandwidth of a copy.
    pub fraction_of_copy: f64,
    /// Whether two passes gave the same bits.
    pub same_bits: bool,
    /// Largest difference from the loop that gathers, over its largest result.
    pub difference: f64,
}

/// The times of a quantity by edges in colours and by nodes, divided into memory and arithmetic by the model of F.
/// Gisbert, R. Corral & G. Pastor (2011): t_edges = t_memory + t_arithmetic, t_nodes = t_memory/3 + 2 t_arithmetic.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Split {
    /// The quantity.
    pub quantity: String,
    /// Seconds of a pass by edges in colours.
    pub by_edges: f64,
    /// Seconds of a pass by nodes that gather.
    pub by_nodes: f64,
    /// Seconds of a pass by edges for memory; negative where the model does not hold.
    pub memory: f64,
    /// Seconds of a pass by edges for arithmetic; negative where the model does not hold.
    pub arithmetic: f64,
}

impl Split {
    /// Divides the seconds of a pass by edges and of one by nodes.
    pub fn new(quantity: &str, by_edges: f64, by_nodes: f64) -> Self {
        Split {
            quantity: quantity.to_owned(),
            by_edges,
            by_nodes,
            memory: (6.0 * by_edges - 3.0 * by_nodes) / 5.0,
            arithmetic: (3.0 * by_nodes - by_edges) / 5.0,
        }
    }
}

/// Modes and their colours.
const MODES: [(&str, &str); 6] = [
    ("one thread", "#B8B8B8"),
    ("atomics", "#D55E00"),
    ("colours", "#E69F00"),
    ("gather", "#0072B2"),
    ("sliced gather", "#56B4E9"),
    ("store and gather", "#009E73"),
];
/// Loops to whose times others are compared, in the first of these modes that there is.
const COMPARED: [&str; 6] = ["NV-F", "GQ-F", "SF-F", "LM-F", "gradient by edges", "flux by edges"];
/// Largest number of cases whose bars stand side by side.
const MOST_CASES: usize = 4;
/// Largest number of bars in a third of the width of a figure.
const NARROW: usize = 12;

/// Reads the times of mesh loops in the JSON file at `path`; `None` if the file holds something else.
///
/// # Errors
/// The file cannot be read, is no JSON, or holds wrong times or none.
pub fn read(path: &Path) -> Result<Option<LoopTimes>, Error> {
    let text = super::error::read_text(path)?;
    let wrong = |detail: String| Error::Json {
        path: path.into(),
        detail,
    };
    let json: Value = serde_json::from_str(&text).map_err(|e| wrong(format!("not JSON: {e}")))?;
    if json.get("loops").is_none() {
        return Ok(None);
    }
    // From the text again, so that an error names its line.
    let file: LoopsFile = serde_json::from_str(&text).map_err(|e| wrong(format!("loops: {e}")))?;
    if file.loops.cases.iter().all(|case| case.rows.is_empty()) {
        return Err(wrong("loops: no loop was measured".into()));
    }
    Ok(Some(file.loops))
}

impl Case {
    /// The time with which those of a quantity are compared: that of the loop over faces or edges in its first mode.
    fn compared(&self, quantity: &str) -> Option<&LoopTime> {
        let same = |row: &&LoopTime| row.quantity == quantity && COMPARED.contains(&row.name.as_str());
        self.rows.iter().find(same)
    }

    /// Largest number of rows of a quantity.
    fn most_rows(&self) -> usize {
        let alike = |row: &LoopTime| self.rows.iter().filter(|other| other.quantity == row.quantity).count();
        self.rows.iter().map(alike).max().unwrap_or(0)
    }
}

/// Returns what tells a loop from others of its quantity: `gradient by edges` is one by edges.
fn short(name: &str) -> &str {
    name.rsplit(' ').next().unwrap_or(name)
}

/// Returns a text with a capital first letter.
fn capitalised(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters.next().map(char::to_uppercase);
    first.into_iter().flatten().chain(letters).collect()
}

/// Returns the figure: a panel for each quantity, with a bar for each loop and mode. The bars of cases that differ from
/// the first one in size or in numbering alone stand beside those of the first.
pub fn figure(times: &LoopTimes) -> Figure {
    let first = &times.cases[0];
    let is_shown = |case: &&Case| case.elements == first.elements && case.precision == first.precision;
    let mut shown: Vec<&Case> = times.cases.iter().filter(is_shown).collect();
    if shown.len() > MOST_CASES {
        tracing::warn!("{} cases are too many: the first {MOST_CASES} are drawn", shown.len());
        shown.truncate(MOST_CASES);
    }
    let mut quantities: Vec<&str> = Vec::new();
    for row in &first.rows {
        if !quantities.contains(&row.quantity.as_str()) {
            quantities.push(&row.quantity);
        }
    }
    let sizes = shown.iter().any(|case| case.cubes != first.cubes);
    let label = |case: &Case| {
        if sizes {
            format!("{} {}^3", case.numbering, case.cubes)
        } else {
            case.numbering.clone()
        }
    };
    // A mode that no row has gets no entry in the legend.
    let is_used = |mode: &(&str, &str)| shown.iter().any(|case| case.rows.iter().any(|row| row.mode == mode.0));
    let modes: Vec<(&str, &str)> = MODES.into_iter().filter(is_used).collect();
    let wide = shown.len() * first.most_rows() > NARROW;
    let panel = |quantity: &&str| {
        let bar = |case: &Case, row: &LoopTime| {
            let compared = case.compared(quantity).map_or(f64::NAN, |row| row.seconds_of_100);
            let ratio = row.seconds_of_100 / compared;
            let height = |mode: &(&str, &str)| if mode.0 == row.mode { ratio } else { 0.0 };
            Bar {
                label: vec![short(&row.name).to_owned(), label(case)],
                parts: modes.iter().map(height).collect(),
                total: ratio,
            }
        };
        let of_case = |case: &&Case| -> Vec<Bar> {
            let rows = case.rows.iter().filter(|row| row.quantity == *quantity);
            rows.map(|row| bar(case, row)).collect()
        };
        let bars: Vec<Bar> = shown.iter().flat_map(of_case).collect();
        Panel {
            title: capitalised(quantity),
            y_label: "relative time".into(),
            bars: Some(Bars {
                parts: modes
                    .iter()
                    .map(|(name, colour)| ((*name).to_owned(), *colour))
                    .collect(),
                total: "time over that by faces or edges".into(),
                bars,
            }),
            wide,
            ..Panel::default()
        }
    };
    Figure {
        title: format!(
            "{}: {} cells, {} faces, {} nodes; {}, {} precision",
            times.machine, first.cells, first.faces, first.nodes, first.elements, first.precision
        ),
        panels: quantities.iter().map(panel).collect(),
        ..Figure::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_division_of_times_satisfies_its_model() {
        let split = Split::new("flux", 2.0, 3.0);
        assert!((split.memory + split.arithmetic - 2.0).abs() < 1e-15);
        assert!((split.memory / 3.0 + 2.0 * split.arithmetic - 3.0).abs() < 1e-15);
        // Speeds of 4.5 and 14 for the gradient, 19 and 15 for the flux: their memory and arithmetic on a Tesla C1060.
        let gradient = Split::new("gradient", 1.0 / 4.5, 1.0 / 14.0);
        assert!(gradient.arithmetic.abs() < 0.01 * gradient.memory);
        let flux = Split::new("flux", 1.0 / 19.0, 1.0 / 15.0);
        assert!((flux.memory / flux.arithmetic - 0.79).abs() < 0.01);
    }
}
