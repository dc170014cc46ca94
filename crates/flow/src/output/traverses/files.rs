//! The tables of a traverse: the means on the pitch line of each plane, with the results in the comments at their head.

use std::path::{Path, PathBuf};

use super::analysis::Analysis;
use super::means::{self, COLUMNS, QUANTITIES};
use super::scalars::ScalarMeans;
use crate::io::{self, Provenance, shortest, write_table};
use crate::output::batch_means::BatchMeans;
use crate::output::estimate::{Estimate, columns_with_errors, values_with_errors};
use crate::output::phase_means::{PhaseBin, PhaseMeans};

/// Ends of the names of the tables: the plane behind, and the inlet.
const PLANES: [&str; 2] = ["", ".inlet"];
/// End of the name of the table of phases.
const PHASE: &str = ".phase";

/// A traverse whose tables are written.
pub struct Tables<'a> {
    pub directory: &'a Path,
    /// Name of the tables without `.csv`.
    pub name: &'a str,
    pub analysis: &'a Analysis,
    /// Position of each plane.
    pub x: &'a [f64],
    /// Ordinates of the points.
    pub y: &'a [f64],
    pub pitch: f64,
    pub span: f64,
    pub means: &'a BatchMeans,
    pub phases: Option<&'a PhaseMeans>,
    pub scalars: Option<&'a ScalarMeans>,
    /// Names and units of the results.
    pub names: Vec<(String, &'static str)>,
}

impl Tables<'_> {
    /// Returns the paths of all tables.
    pub fn paths(&self) -> Vec<PathBuf> {
        let planes = PLANES.iter().take(self.x.len());
        planes
            .chain(self.phases.map(|_| &PHASE))
            .map(|part| self.path(part))
            .collect()
    }

    fn path(&self, part: &str) -> PathBuf {
        self.directory.join(format!("{}{part}.csv", self.name))
    }

    /// Writes the tables of all planes. `results` are the estimates of the results.
    pub fn write(&self, results: &[Estimate], provenance: &Provenance) -> Result<(), io::Error> {
        (0..self.x.len()).try_for_each(|plane| self.write_plane(plane, results, provenance))?;
        self.phases
            .map_or(Ok(()), |phases| self.write_phases(phases, provenance))
    }

    fn write_phases(&self, phases: &PhaseMeans, provenance: &Provenance) -> Result<(), io::Error> {
        let first = [("phase", "-"), ("sample_time", "s"), ("y", "m")];
        let columns = columns_with_errors(first, COLUMNS);
        let columns: Vec<(&str, &str)> = columns.iter().map(|(name, unit)| (name.as_str(), *unit)).collect();
        let table = |means: &[f64]| {
            means
                .as_chunks::<QUANTITIES>()
                .0
                .iter()
                .flat_map(means::columns)
                .collect()
        };
        let mut rows = Vec::new();
        for PhaseBin { phase, time, estimates } in phases.bins(table) {
            for (of_point, &y) in estimates.chunks(COLUMNS.len()).zip(self.y) {
                rows.extend([phase, time, y]);
                rows.extend(values_with_errors(of_point));
            }
        }
        let mut comments = self.head(0);
        comments.extend(phases.description());
        write_table(&self.path(PHASE), &columns, &rows, &comments, provenance)
    }

    fn write_plane(&self, plane: usize, results: &[Estimate], provenance: &Provenance) -> Result<(), io::Error> {
        let names = self.analysis.columns(plane);
        let scalars = self.scalars.map_or_else(Vec::new, |scalars| scalars.names().to_vec());
        let estimates = self.means.estimates(|means| self.analysis.table(plane, means));
        let of_scalars = self.scalars.map_or_else(Vec::new, |scalars| scalars.columns(plane));
        let all = names
            .iter()
            .copied()
            .chain(scalars.iter().map(|name| (name.as_str(), "-")));
        let columns = columns_with_errors([("y", "m")], all);
        let columns: Vec<(&str, &str)> = columns.iter().map(|(name, unit)| (name.as_str(), *unit)).collect();
        let mut values = Vec::with_capacity(columns.len() * self.y.len());
        let mut of_scalars = of_scalars.chunks(scalars.len().max(1));
        for (y, estimates) in self.y.iter().zip(estimates.chunks(names.len())) {
            values.push(*y);
            values.extend(values_with_errors(estimates));
            values.extend(values_with_errors(of_scalars.next().unwrap_or_default()));
        }
        let mut comments = self.head(plane);
        if plane == 0 {
            comments.extend(self.lines(results));
        }
        write_table(&self.path(PLANES[plane]), &columns, &values, &comments, provenance)
    }

    /// Returns the description of the samples.
    fn head(&self, plane: usize) -> Vec<String> {
        let mut lines = self.means.description();
        lines.extend([
            format!("x: {}", shortest(self.x[plane])),
            format!("pitch: {}", shortest(self.pitch)),
            format!("span: {}", shortest(self.span)),
        ]);
        lines
    }

    /// Returns a line for each result, without what is not known.
    fn lines(&self, results: &[Estimate]) -> Vec<String> {
        let lines = self.names.iter().zip(results);
        lines
            .map(|((name, unit), estimate)| estimate.line(name, unit))
            .collect()
    }
}
