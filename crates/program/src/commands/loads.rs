//! The division of a mesh among ranks as JSON: what each rank holds and exchanges.

use serde::Serialize;

use crate::mesh::partition::Report;

/// The loads of all ranks.
#[derive(Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Loads {
    count: usize,
    /// The largest load over the mean.
    imbalance: f64,
    loads: Vec<Load>,
}

/// The load of a rank: what it holds, and what it exchanges with others.
#[derive(Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
struct Load {
    cells: usize,
    exchanged_faces: usize,
    exchanged_points: usize,
    neighbours: usize,
}

impl Loads {
    /// Returns the loads of a report.
    pub fn of(report: &Report) -> Self {
        let load = |load: &crate::mesh::partition::Load| Load {
            cells: load.cells,
            exchanged_faces: load.faces,
            exchanged_points: load.points,
            neighbours: load.neighbours,
        };
        Loads {
            count: report.loads.len(),
            imbalance: report.imbalance(),
            loads: report.loads.iter().map(load).collect(),
        }
    }
}
