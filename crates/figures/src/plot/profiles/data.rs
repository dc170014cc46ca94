//! The data of the figure: profiles from the wall to the middle in wall units, of a run or of a reference, and how they
//! differ.
//!
//! The scales are those of the run itself: the friction velocity and the viscosity follow from the mean state of its
//! walls, the half height from its friction Reynolds number. Solution points do not lie on the walls and so do not give
//! the position of the walls.

use super::head::Head;
use crate::input::{Interpolation, interpolate};
use crate::io::{Table, read_series};
use crate::output::{Certainty, StandardError};
use crate::plot::columns::certainty;
use crate::plot::error::Error;
use crate::plot::peak::{Peak, peak};
use std::cmp::Ordering;
use std::path::Path;

/// Columns of statistics, by directions: coordinates, of which a profile has one, mean velocity and its stresses.
const COORDINATES: [&str; 3] = ["x", "y", "z"];
const VELOCITY: [&str; 3] = ["u", "v", "w"];
const STRESSES: [[&str; 3]; 3] = [["uu", "uv", "uw"], ["uv", "vv", "vw"], ["uw", "vw", "ww"]];
/// The same of a reference, for the half of the channel next to the lower wall.
const REFERENCE: [&str; 7] = [
    "y_over_h", "y_plus", "U_plus", "uu_plus", "vv_plus", "ww_plus", "uv_plus",
];
/// Smallest number of points of a profile of half a channel.
const FEWEST: usize = 4;
/// Distance in wall units from which on profiles are compared: below it a mean velocity is small and its relative
/// difference says nothing.
pub(super) const COMPARED: f64 = 5.0;

/// Profiles from the wall to the middle, in wall units.
#[derive(Debug, Clone, PartialEq)]
pub struct Profiles {
    /// The name in the legend.
    pub label: String,
    /// Friction Reynolds number.
    pub re_tau: f64,
    /// Its standard error, if it is known.
    pub re_tau_error: Option<StandardError>,
    /// Distance from the wall over the half height.
    pub y_over_h: Vec<f64>,
    /// Distance from the wall in wall units.
    pub y_plus: Vec<f64>,
    /// Values of each [`Quantity`] in wall units.
    pub values: [Vec<f64>; 5],
    /// Their standard errors; empty where they are not known. They are the means of those of both halves, which is what
    /// they are at most, and take the scales of the walls as known.
    pub errors: [Vec<f64>; 5],
    /// Whether one of them is a lower bound.
    pub certainty: Certainty,
    /// Time over which a run was averaged, in times of the friction velocity and of the mean velocity through half the
    /// height.
    pub sampled: Option<(f64, f64)>,
}

/// What a profile has at each distance from the wall, in the order of [`Profiles::values`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Quantity {
    /// Mean velocity along the channel.
    Mean,
    /// Variance along the channel.
    Along,
    /// Variance normal to the wall.
    Normal,
    /// Variance across the channel.
    Across,
    /// Shear stress -uv.
    Shear,
}

impl Profiles {
    /// Reads the statistics of a run.
    ///
    /// # Errors
    /// The file cannot be read, or is not a profile between two walls with their scales.
    pub fn read_run(label: String, path: &Path) -> Result<Profiles, Error> {
        let head = Head::read(path)?;
        let table = read_series(path)?;
        // The directions along the channel, from wall to wall, and across.
        let along = head.along;
        let normal = (0..3).find(|&d| d != along && table.column(COORDINATES[d]).is_some());
        let normal = normal.unwrap_or(if along == 1 { 2 } else { 1 });
        let across = 3 - along - normal;
        let coordinate = COORDINATES[normal];
        let velocity = VELOCITY[along];
        let shear = STRESSES[along][normal];
        let [uu, vv, ww] = [along, normal, across].map(|d| STRESSES[d][d]);
        complete(&table, path, &[coordinate, velocity, uu, vv, ww, shear], 2 * FEWEST)?;
        let wrong = |detail: String| Error::Profile {
            path: path.into(),
            detail,
        };
        let column = |name: &str| table.column(name).unwrap_or_default();
        let y = column(coordinate);
        rising(path, coordinate, y)?;
        let (low, high) = (y[0], y[y.len() - 1]);
        let (middle, half) = (0.5 * (low + high), head.re_tau * head.nu / head.u_tau);
        let reach = 0.5 * (high - low) / half;
        // The points next to a wall are a small part of a cell away from it.
        if !(0.75..=1.01).contains(&reach) {
            return Err(wrong(format!(
                "{coordinate} from {low} to {high} does not span a channel of the half height {half:.6} that \
                 `# re_tau` and `# wall` give"
            )));
        }
        let lower = y.partition_point(|&y| y <= middle + 1e-9 * half);
        // The upper half, from its wall on.
        let reversed = |values: &[f64]| -> Vec<f64> { values.iter().rev().copied().collect() };
        let above: Vec<f64> = reversed(y).iter().map(|y| high - y).collect();
        let folded = |name: &str, sign: f64, scale: f64| -> Vec<f64> {
            let (here, mirrored) = (column(name), reversed(column(name)));
            let mean = |i: usize| {
                let other = between(&above, &mirrored, y[i] - low).unwrap_or(sign * here[i]);
                0.5 * (here[i] + sign * other) / scale
            };
            (0..lower).map(mean).collect()
        };
        let errors = |name: &str, scale: f64| {
            let name = format!("{name}_error");
            table.column(&name).map_or(Vec::new(), |_| folded(&name, 1.0, scale))
        };
        let stress = head.u_tau * head.u_tau;
        let y_over_h: Vec<f64> = y[..lower]
            .iter()
            .map(|y| (1.0 - (middle - y) / half).max(0.0))
            .collect();
        let u = folded(velocity, 1.0, head.sense * head.u_tau);
        let bulk = bulk(&y_over_h, &u) * head.u_tau;
        Ok(Profiles {
            label,
            re_tau: head.re_tau,
            re_tau_error: Some(head.re_tau_error).filter(|error| error.size.is_finite()),
            y_plus: y_over_h.iter().map(|y| y * head.re_tau).collect(),
            values: [
                u,
                folded(uu, 1.0, stress),
                folded(vv, 1.0, stress),
                folded(ww, 1.0, stress),
                folded(shear, -1.0, -head.sense * stress),
            ],
            errors: [
                errors(velocity, head.u_tau),
                errors(uu, stress),
                errors(vv, stress),
                errors(ww, stress),
                errors(shear, stress),
            ],
            certainty: Certainty::of_all([velocity, uu, vv, ww, shear].map(|name| certainty(&table, name))),
            sampled: Some((head.time * head.u_tau / half, head.time * bulk / half)),
            y_over_h,
        })
    }

    /// Reads a table of a direct simulation.
    ///
    /// # Errors
    /// The file cannot be read, or lacks a column or rows.
    pub fn read_reference(label: String, path: &Path) -> Result<Profiles, Error> {
        let table = read_series(path)?;
        complete(&table, path, &REFERENCE, FEWEST)?;
        let column = |name: &str| table.column(name).unwrap_or_default().to_vec();
        let (y_over_h, y_plus) = (column("y_over_h"), column("y_plus"));
        rising(path, "y_over_h", &y_over_h)?;
        rising(path, "y_plus", &y_plus)?;
        let last = y_plus.len() - 1;
        Ok(Profiles {
            label,
            re_tau: y_plus[last] / y_over_h[last],
            re_tau_error: None,
            y_over_h,
            y_plus,
            values: [
                column("U_plus"),
                column("uu_plus"),
                column("vv_plus"),
                column("ww_plus"),
                column("uv_plus").iter().map(|uv| -uv).collect(),
            ],
            errors: Default::default(),
            certainty: Certainty::Estimated,
            sampled: None,
        })
    }

    /// Returns the relative difference of the mean velocity from that of a reference at the same distance in wall
    /// units, as distances and differences.
    pub(super) fn difference(&self, reference: &Profiles) -> (Vec<f64>, Vec<f64>) {
        let points = self
            .y_plus
            .iter()
            .zip(self.of(Quantity::Mean))
            .filter(|(y, _)| **y >= COMPARED);
        points
            .filter_map(|(&y, u)| reference.mean_at(y).map(|of| (y, u / of - 1.0)))
            .unzip()
    }

    /// Returns the standard errors of these differences; empty where they are not known.
    pub(super) fn difference_errors(&self, reference: &Profiles) -> Vec<f64> {
        let errors = self.errors_of(Quantity::Mean);
        let points = self.y_plus.iter().zip(errors).filter(|(y, _)| **y >= COMPARED);
        points
            .filter_map(|(&y, error)| reference.mean_at(y).map(|of| error / of))
            .collect()
    }

    /// Returns the mean velocity at a distance in wall units; `None` beyond the points.
    fn mean_at(&self, y_plus: f64) -> Option<f64> {
        between(&self.y_plus, self.of(Quantity::Mean), y_plus)
    }

    /// Returns the peak of a quantity, and of a variance that of its root.
    pub(super) fn peak(&self, quantity: Quantity) -> Option<Peak> {
        let is_variance = matches!(quantity, Quantity::Along | Quantity::Normal | Quantity::Across);
        let root = |value: &f64| if is_variance { value.sqrt() } else { *value };
        let values: Vec<f64> = self.of(quantity).iter().map(root).collect();
        peak(&self.y_plus, &values)
    }

    /// Returns the values of a quantity.
    pub(super) fn of(&self, quantity: Quantity) -> &[f64] {
        &self.values[quantity as usize]
    }

    /// Returns the standard errors of a quantity; empty where they are not known.
    pub(super) fn errors_of(&self, quantity: Quantity) -> &[f64] {
        &self.errors[quantity as usize]
    }
}

/// Verifies that the table of the file at `path` has these columns and so many rows.
fn complete(table: &Table, path: &Path, columns: &[&'static str], needed: usize) -> Result<(), Error> {
    if let Some(column) = columns.iter().find(|name| table.column(name).is_none()) {
        return Err(Error::MissingColumn {
            path: path.into(),
            column: (*column).to_owned(),
            names: table.names.clone(),
        });
    }
    let rows = table.columns[0].len();
    if rows < needed {
        return Err(Error::TooShort {
            path: path.into(),
            rows,
            needed,
        });
    }
    Ok(())
}

/// Returns the value at a place on the monotone cubic through points; `None` beyond them. Profiles are compared to a
/// percent and better, which straight lines would spoil where a profile is curved.
fn between(x: &[f64], y: &[f64], at: f64) -> Option<f64> {
    let inside = (x[0]..=x[x.len() - 1]).contains(&at);
    inside.then(|| interpolate(Interpolation::Cubic, x, at, |i| y[i]))
}

/// Verifies that a coordinate increases from row to row, as interpolation needs it.
fn rising(path: &Path, column: &str, values: &[f64]) -> Result<(), Error> {
    match values
        .windows(2)
        .find(|pair| pair[0].partial_cmp(&pair[1]) != Some(Ordering::Less))
    {
        None => Ok(()),
        Some(pair) => Err(Error::Profile {
            path: path.into(),
            detail: format!(
                "column {column} must rise from row to row: {} follows {}",
                pair[1], pair[0]
            ),
        }),
    }
}

/// Returns the mean over half a channel of a velocity that is zero at the wall.
fn bulk(y: &[f64], u: &[f64]) -> f64 {
    let (mut sum, mut before) = (0.0, (0.0, 0.0));
    let middle = u.last().map(|&last| (1.0, last));
    for at in y.iter().copied().zip(u.iter().copied()).chain(middle) {
        sum += 0.5 * (at.0 - before.0) * (at.1 + before.1);
        before = at;
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::between;

    #[test]
    fn a_value_that_is_not_known_spoils_only_those_beside_it() {
        let x = [0.0, 1.0, 2.0, 3.0, 4.0, 5.0];
        let y = [f64::NAN, 1.0, 2.0, 3.0, 4.0, 5.0];
        assert_eq!([4.5, 5.0].map(|at| between(&x, &y, at)), [Some(4.5), Some(5.0)]);
        assert!(between(&x, &y, 0.5).is_some_and(f64::is_nan));
        assert_eq!([-0.1, 5.1].map(|at| between(&x, &y, at)), [None, None]);
    }
}
