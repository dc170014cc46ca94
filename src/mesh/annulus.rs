//! Curved annuli, whole or a sector: layers of hexahedra at the inner wall, prisms further out.
//!
//! Directions of the lattice are the radius, the angle (anticlockwise from the x axis) and z. All nodes lie on circles,
//! those of curved cells (geometry order above 1) inside cells and faces too. Prisms stand along z, two in the place of
//! a hexahedron, so that their triangles lie on the ends in z. A sector is closed by boundaries or by rotational
//! periodicity.

use std::f64::consts::TAU;

use thiserror::Error;

use super::Mesh;
use super::division::Division;
use super::lattice::{Ends, Lattice};

/// An annulus about the z axis, from z = 0.
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
    /// Numbers of cells (pairs of prisms count one) along the radius, the angle and z.
    pub cells: [usize; 3],
    /// Height of each layer over that of the one further in.
    pub growth: f64,
    /// Number of layers of hexahedra; the others are prisms.
    pub hex_layers: usize,
    /// Degree of the geometry.
    pub geometry_order: usize,
    /// Whether the ends of the sector are one another's images; of no effect on a whole circle.
    pub periodic_angle: bool,
    /// Whether the ends in z are one another's images.
    pub periodic_z: bool,
}

/// An annulus that cannot be built.
#[derive(Debug, Error, PartialEq)]
pub enum AnnulusError {
    /// A number is out of its range.
    #[error("annulus: {what} is {value}, but must be {must}")]
    Number {
        /// Which.
        what: &'static str,
        /// What it is.
        value: f64,
        /// What it should be.
        must: String,
    },
    /// Too few cells for so large an angle.
    #[error(
        "annulus: {around} cells around {:.6} degrees are too few: none may span more than 120 degrees",
        angle.to_degrees()
    )]
    Around {
        /// Cells around.
        around: usize,
        /// The angle.
        angle: f64,
    },
}

impl Annulus {
    /// Whether this can be built.
    fn check(&self) -> Result<(), AnnulusError> {
        let check = |what, value: f64, good: bool, must: &str| match good {
            true => Ok(()),
            false => Err(AnnulusError::Number {
                what,
                value,
                must: must.to_owned(),
            }),
        };
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
        )?;
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
        )?;
        if self.angle > self.cells[1] as f64 * TAU / 3.0 * (1.0 + 1e-12) {
            return Err(AnnulusError::Around {
                around: self.cells[1],
                angle: self.angle,
            });
        }
        Ok(())
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

    /// Builds the mesh, with boundaries inner, outer, z-, z+, theta-, theta+ where it is not periodic.
    pub fn build(&self) -> Result<Mesh, AnnulusError> {
        self.check()?;
        let whole = self.angle == TAU;
        let names = |low: &str, high: &str| Ends::Boundaries([low.to_owned(), high.to_owned()]);
        let ends = [
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
        ];
        let lattice = Lattice::new(self.cells, ends, self.geometry_order, |at| {
            if at[0] < self.hex_layers {
                Division::Hex
            } else {
                Division::Prisms
            }
        });
        // What each direction contributes to the nodes: radius, (cos, sin), z, by cell and level.
        let levels = lattice.levels();
        let count = levels.len();
        let between = |low: f64, high: f64, level: f64| match level {
            // Exactly the upper end, so that neighbours share their nodes to the last bit.
            1.0 => high,
            _ => low + level * (high - low),
        };
        let each = |d: usize| (0..self.cells[d]).flat_map(|i| levels.iter().map(move |&level| (i, level)));
        let radii: Vec<f64> = each(0)
            .map(|(i, level)| between(self.radius(i), self.radius(i + 1), level))
            .collect();
        let share = |i: usize, d: usize| i as f64 / self.cells[d] as f64;
        let angles: Vec<(f64, f64)> = each(1)
            .map(|(i, level)| match between(share(i, 1), share(i + 1, 1), level) {
                1.0 if whole => (0.0, 1.0),
                s => (s * self.angle).sin_cos(),
            })
            .collect();
        let heights: Vec<f64> = each(2)
            .map(|(i, level)| self.length * between(share(i, 2), share(i + 1, 2), level))
            .collect();
        let mut mesh = lattice.mesh(|at, level| {
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

#[cfg(test)]
#[path = "annulus_tests.rs"]
mod tests;
