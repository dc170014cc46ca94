//! The tables of a traverse of an annulus: the radial distributions, with the results of the whole surface in the
//! comments at their head, and the map over angle and radius.

use std::path::{Path, PathBuf};

use super::analysis::{Analysis, OF_MAP};
use crate::io::{self, Provenance, shortest, write_table};
use crate::output::batch_means::BatchMeans;
use crate::output::estimate::{Estimate, columns_with_errors, values_with_errors};

/// Names and units of columns.
type Names = [(&'static str, &'static str)];

/// A traverse whose tables are written.
pub struct Tables<'a> {
    pub directory: &'a Path,
    /// Name of the tables without `.csv`.
    pub name: &'a str,
    pub analysis: &'a Analysis,
    pub means: &'a BatchMeans,
}

impl Tables<'_> {
    /// Returns the paths of the tables: distributions and map.
    pub fn paths(&self) -> [PathBuf; 2] {
        ["", ".map"].map(|part| self.directory.join(format!("{}{part}.csv", self.name)))
    }

    /// Writes both tables. `results` are the estimates of the whole surface.
    pub fn write(&self, results: &[Estimate], provenance: &Provenance) -> Result<(), io::Error> {
        let [distributions, map] = self.paths();
        let mut comments = self.head();
        let lines = self.analysis.of_all().into_iter().zip(results);
        comments.extend(lines.map(|((name, unit), estimate)| estimate.line(name, unit)));
        let surface = &self.analysis.surface;
        let radii = surface.middle_radii();
        let rows: Vec<[f64; 2]> = radii.iter().map(|r| [*r, surface.height(*r)]).collect();
        self.table(
            (&distributions, &comments),
            (&[("r", "m"), ("height", "-")], &self.analysis.of_band()),
            &rows,
            &self.means.estimates(|means| self.analysis.bands(means)),
            provenance,
        )?;
        let rows: Vec<[f64; 2]> = radii
            .iter()
            .flat_map(|r| surface.angles.iter().map(move |angle| [*r, angle.to_degrees()]))
            .collect();
        self.table(
            (&map, &self.head()),
            (&[("r", "m"), ("theta", "deg")], &OF_MAP),
            &rows,
            &self.means.estimates(|means| self.analysis.map(means)),
            provenance,
        )
    }

    /// Writes a table whose rows begin with two numbers, followed by estimates.
    fn table(
        &self,
        (path, comments): (&Path, &[String]),
        (first, names): (&Names, &Names),
        rows: &[[f64; 2]],
        estimates: &[Estimate],
        provenance: &Provenance,
    ) -> Result<(), io::Error> {
        let columns = columns_with_errors(first.iter().copied(), names.iter().copied());
        let columns: Vec<(&str, &str)> = columns.iter().map(|(name, unit)| (name.as_str(), *unit)).collect();
        let mut values = Vec::with_capacity(columns.len() * rows.len());
        for (row, estimates) in rows.iter().zip(estimates.chunks(names.len())) {
            values.extend(row);
            values.extend(values_with_errors(estimates));
        }
        write_table(path, &columns, &values, comments, provenance)
    }

    /// Returns the description of the samples.
    fn head(&self) -> Vec<String> {
        let surface = &self.analysis.surface;
        let mut lines = self.means.description();
        lines.extend([
            format!("x: {}", both(surface.x)),
            format!("radii: {}", both(surface.radii)),
            format!("area: {}", shortest(surface.area())),
            format!("period: {} degrees", shortest(surface.period.to_degrees())),
        ]);
        lines
    }
}

/// Returns both numbers, of the hub and of the casing.
fn both([hub, casing]: [f64; 2]) -> String {
    format!("{}, {}", shortest(hub), shortest(casing))
}
