//! The tables of boundary layers: the results of the stations, and their profiles.

use std::path::{Path, PathBuf};

use super::analysis::{Analysis, COLUMNS, QUANTITIES, RESULTS};
use super::keys::BoundaryLayerRequest;
use super::lines::Normal;
use crate::io::{self, Provenance, shortest, write_table};
use crate::output::batch_means::BatchMeans;
use crate::output::estimate::{columns_with_errors, values_with_errors};
use crate::physics::Gas;

/// Boundary layers whose tables are written.
pub struct Tables<'a> {
    pub directory: &'a Path,
    pub request: &'a BoundaryLayerRequest,
    pub gas: &'a Gas,
    pub normals: &'a [Normal],
    pub means: &'a BatchMeans,
}

impl Tables<'_> {
    /// Returns the paths of the tables: that of the stations, and that of the profiles.
    pub fn paths(&self) -> [PathBuf; 2] {
        ["", ".profile"].map(|part| {
            let file = format!("boundary_layer_{}{part}.csv", self.request.name);
            self.directory.join(file)
        })
    }

    /// Writes the tables.
    pub fn write(&self, provenance: &Provenance) -> Result<(), io::Error> {
        let of_station = self.request.counts[0] * QUANTITIES;
        let (mut stations, mut profiles) = (Vec::new(), Vec::new());
        for (number, normal) in self.normals.iter().enumerate() {
            let analysis = Analysis {
                normal,
                edge: self.request.edge,
                gas: self.gas,
            };
            let of = number * of_station..(number + 1) * of_station;
            let results = self.means.estimates_in(&of, |means| analysis.results(means));
            stations.extend([number as f64, normal.at[0], normal.at[1]]);
            stations.extend(values_with_errors(&results));
            let profile = self.means.estimates_in(&of, |means| analysis.profile(means));
            for (row, distance) in profile.chunks(COLUMNS.len()).zip(&normal.distances) {
                profiles.extend([number as f64, *distance]);
                profiles.extend(values_with_errors(row));
            }
        }
        let mut comments = self.means.description();
        comments.extend([
            format!("boundary: {}", self.request.boundary),
            format!("height: {}", shortest(self.request.height)),
        ]);
        let [of_stations, of_profiles] = self.paths();
        let table = |path: &Path, first: &[(&str, &'static str)], columns: &[(&str, &'static str)], rows: &[f64]| {
            let columns = columns_with_errors(first.iter().copied(), columns.iter().copied());
            let columns: Vec<(&str, &str)> = columns.iter().map(|(name, unit)| (name.as_str(), *unit)).collect();
            write_table(path, &columns, rows, &comments, provenance)
        };
        let first = [("station", "-"), ("x", "m"), ("y", "m")];
        table(&of_stations, &first, &RESULTS, &stations)?;
        let first = [("station", "-"), ("distance", "m")];
        table(&of_profiles, &first, &COLUMNS, &profiles)
    }
}
