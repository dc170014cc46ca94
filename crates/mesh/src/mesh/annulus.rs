//! Curved annuli, whole or a sector: layers of hexahedra at the inner wall, prisms further out.
//!
//! The directions of the grid are the radius, the angle (anticlockwise from the x axis) and z. All nodes lie on circles
//! about the axis; those of curved cells (geometry order above 1) do so inside cells and faces too. Two prisms replace
//! a hexahedron; they extend along z, so that their triangles lie on the ends in z. A sector ends at boundaries or is
//! periodic by rotation.

use std::f64::consts::TAU;

use thiserror::Error;

use super::cube_division::CubeDivision;
use super::cube_grid::{CubeGrid, Ends};
use super::types::Mesh;

/// An annulus about the z axis that begins at z = 0. Lengths are in the unit of length of the mesh.
#[derive(Debug, Clone, PartialEq)]
pub struct Annulus {
    /// Inner radius.
    pub inner: f64,
    /// Outer radius.
    pub outer: f64,
    /// Length in z.
    pub length: f64,
    /// Angle of the sector in radians; 2 pi for the whole circle.
    pub angle: f64,
    /// Number of cells along the radius, the angle and z; a pair of prisms counts as one.
    pub cells: [usize; 3],
    /// Ratio of the height of each layer to that of the next one inwards.
    pub growth: f64,
    /// Number of layers of hexahedra at the inner wall; the others are prisms.
    pub hex_layers: usize,
    /// Degree of the geometry.
    pub geometry_order: usize,
    /// True if the sector is periodic by rotation; without effect on a whole circle.
    pub periodic_angle: bool,
    /// True if the annulus is periodic in z.
    pub periodic_z: bool,
}

/// An error in the parameters of an annulus.
#[derive(Debug, Error, PartialEq)]
pub enum AnnulusError {
    /// A number is out of its range.
    #[error("annulus: {what} is {value}, but must be {must}")]
    Number {
        /// Name of the number.
        what: &'static str,
        /// Its value.
        value: f64,
        /// The allowed range.
        must: String,
    },
    /// Too few cells for so large an angle.
    #[error(
        "annulus: {around} cells around {:.6} degrees are too few: none may span more than 120 degrees",
        angle.to_degrees()
    )]
    Around {
        /// Number of cells around.
        around: usize,
        /// Angle of the sector in radians.
        angle: f64,
    },
}

impl Annulus {
    /// Checks that the annulus can be built.
    fn check(&self) -> Result<(), AnnulusError> {
        self.check_dimensions()?;
        self.check_cells()?;
        if self.angle > self.cells[1] as f64 * TAU / 3.0 * (1.0 + 1e-12) {
            return Err(AnnulusError::Around {
                around: self.cells[1],
                angle: self.angle,
            });
        }
        Ok(())
    }

    /// Checks radii, length and angle.
    fn check_dimensions(&self) -> Result<(), AnnulusError> {
        let positive = |x: f64| x > 0.0 && x.is_finite();
        check("inner radius", self.inner, positive(self.inner), "above 0")?;
        let outside = self.outer > self.inner && self.outer.is_finite();
        check(
            "outer radius",
            self.outer,
            outside,
            &format!("above the inner one, {}", self.inner),
        )?;
        check("length", self.length, positive(self.length), "above 0")?;
        check(
            "angle",
            self.angle,
            self.angle > 0.0 && self.angle <= TAU,
            "above 0 and at most 2 pi (360 degrees)",
        )
    }

    /// Checks numbers of cells, growth, layers and degree.
    fn check_cells(&self) -> Result<(), AnnulusError> {
        let thinnest = self.radius(1) - self.radius(0);
        let grows = (1e-3..=1e3).contains(&self.growth) && thinnest > 1e-12 * self.outer && {
            let last = self.cells[0].max(1);
            self.radius(last) - self.radius(last - 1) > 1e-12 * self.outer
        };
        for (what, count) in ["cells along the radius", "cells around", "cells along z"]
            .into_iter()
            .zip(self.cells)
        {
            check(what, count as f64, count > 0, "at least 1")?;
        }
        check(
            "growth",
            self.growth,
            grows,
            "from 0.001 to 1000, and leave no layer thinner than rounding allows",
        )?;
        let layers = self.hex_layers as f64;
        check(
            "number of hex layers",
            layers,
            self.hex_layers <= self.cells[0],
            &format!("at most that of all layers, {}", self.cells[0]),
        )?;
        let order = self.geometry_order as f64;
        check(
            "geometry order",
            order,
            (1..=6).contains(&self.geometry_order),
            "from 1 to 6",
        )
    }

    /// Radius of the circle between layers `i` - 1 and `i`.
    fn radius(&self, i: usize) -> f64 {
        let layers = self.cells[0];
        let part = |i: usize| match self.growth {
            1.0 => i as f64,
            q => q.powi(i as i32) - 1.0,
        };
        match i {
            0 => self.inner,
            _ if i == layers => self.outer,
            _ => self.inner + (self.outer - self.inner) * part(i) / part(layers),
        }
    }

    /// The conditions at the ends of the three directions.
    fn ends(&self, whole: bool) -> [Ends; 3] {
        let names = |low: &str, high: &str| Ends::Boundaries([low.to_owned(), high.to_owned()]);
        [
            names("inner", "outer"),
            match (whole, self.periodic_angle) {
                (true, _) => Ends::Periodic,
                (false, true) => Ends::Rotated([0, 1]),
                (false, false) => names("theta-", "theta+"),
            },
            if self.periodic_z {
                Ends::Periodic
            } else {
                names("z-", "z+")
            },
        ]
    }

    /// Builds the mesh, with boundaries inner, outer, z-, z+, theta-, theta+ where it is not periodic.
    ///
    /// # Errors
    /// A parameter is out of range, or cells would span more than 120 degrees.
    pub fn build(&self) -> Result<Mesh, AnnulusError> {
        self.check()?;
        let whole = self.angle == TAU;
        let grid = CubeGrid::new(self.cells, self.ends(whole), self.geometry_order, |at| {
            if at[0] < self.hex_layers {
                CubeDivision::Hex
            } else {
                CubeDivision::Prisms
            }
        });
        // Contributions of the three directions to the nodes, radius, (sin, cos) and z, each `[cell][level]`.
        let levels = grid.levels();
        let count = levels.len();
        let between = |low: f64, high: f64, level: f64| match level {
            // The exact upper end, so that neighbours share their nodes to the last bit.
            1.0 => high,
            _ => low + level * (high - low),
        };
        let each = |d: usize| (0..self.cells[d]).flat_map(|i| levels.iter().map(move |&level| (i, level)));
        let radii: Vec<f64> = each(0)
            .map(|(i, level)| between(self.radius(i), self.radius(i + 1), level))
            .collect();
        let fraction = |i: usize, d: usize| i as f64 / self.cells[d] as f64;
        let angles: Vec<(f64, f64)> = each(1)
            .map(|(i, level)| match between(fraction(i, 1), fraction(i + 1, 1), level) {
                1.0 if whole => (0.0, 1.0),
                s => (s * self.angle).sin_cos(),
            })
            .collect();
        let heights: Vec<f64> = each(2)
            .map(|(i, level)| self.length * between(fraction(i, 2), fraction(i + 1, 2), level))
            .collect();
        let mut mesh = grid.mesh(|at, level| {
            let [r, a, z] = std::array::from_fn(|d| at[d] * count + level[d]);
            let (sin, cos) = angles[a];
            [radii[r] * cos, radii[r] * sin, heights[z]]
        });
        let pair = |low: &str, high: &str| [low.to_owned(), high.to_owned()];
        if self.periodic_z {
            mesh.joined.push(pair("z-", "z+"));
        }
        if !whole && self.periodic_angle {
            mesh.joined.push(pair("theta-", "theta+"));
            let (s, c) = self.angle.sin_cos();
            mesh.rotations = vec![
                [[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]],
                [[c, s, 0.0], [-s, c, 0.0], [0.0, 0.0, 1.0]],
            ];
        }
        Ok(mesh)
    }
}

/// Checks one number; `must` is the allowed range in words.
fn check(what: &'static str, value: f64, good: bool, must: &str) -> Result<(), AnnulusError> {
    if good {
        Ok(())
    } else {
        Err(AnnulusError::Number {
            what,
            value,
            must: must.to_owned(),
        })
    }
}

#[cfg(test)]
#[path = "annulus_tests.rs"]
mod tests;
