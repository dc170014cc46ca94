//! Curved annuli, whole or a sector: layers of hexahedra at the inner wall, prisms further out.
//!
//! Directions of the lattice are the radius, the angle (anticlockwise from the x axis) and z. All nodes lie on circles, those
//! of curved cells (geometry order above 1) inside cells and faces too. Prisms stand along z, two in the place of a hexahedron,
//! so that their triangles lie on the ends in z. A sector is closed by boundaries or by rotational periodicity.

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
        if !whole && self.periodic_angle {
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
mod tests {
    use super::*;
    use crate::element::ElementKind;
    use crate::mesh::Side;

    fn sector() -> Annulus {
        Annulus {
            inner: 0.5,
            outer: 2.0,
            length: 0.7,
            angle: 1.1,
            cells: [5, 3, 2],
            growth: 1.3,
            hex_layers: 2,
            geometry_order: 3,
            periodic_angle: true,
            periodic_z: false,
        }
    }

    /// Nodes on both sides of every face, turned or shifted where the annulus is periodic.
    fn check_sides(mesh: &Mesh, a: &Annulus) {
        let g = a.geometry_order;
        for cell in 0..mesh.len() {
            let kind = mesh.kinds[cell];
            for (face, side) in mesh.cell_sides(cell).iter().enumerate() {
                let (c2, f2, orientation, rotation) = match *side {
                    Side::Cell {
                        cell,
                        face,
                        orientation,
                    } => (cell, face, orientation, None),
                    Side::Rotated {
                        cell,
                        face,
                        orientation,
                        rotation,
                    } => (cell, face, orientation, Some(rotation)),
                    Side::Boundary(name) => {
                        let radius = match mesh.boundary_names[name].as_str() {
                            "inner" => a.inner,
                            "outer" => a.outer,
                            _ => continue,
                        };
                        for i in kind.face_indices(face, g) {
                            let [x, y, _] = mesh.cell_nodes(cell)[i];
                            assert!((x.hypot(y) - radius).abs() < 4e-16 * radius, "off the circle");
                        }
                        continue;
                    }
                };
                let shape = kind.faces()[face].shape;
                let theirs = mesh.kinds[c2].face_indices(f2, g);
                for (point, i) in kind.face_indices(face, g).into_iter().enumerate() {
                    let here = mesh.cell_nodes(cell)[i];
                    let there = mesh.cell_nodes(c2)[theirs[shape.oriented_point(orientation, point, g)]];
                    if let Some(rotation) = rotation {
                        let turned = mesh.rotations[rotation].map(|row| (0..3).map(|d| row[d] * here[d]).sum::<f64>());
                        assert!(
                            (0..3).all(|d| (turned[d] - there[d]).abs() < 1e-15 * a.outer),
                            "{turned:?} {there:?}"
                        );
                    } else if a.periodic_z && (here[2] - there[2]).abs() == a.length {
                        assert_eq!(here[..2], there[..2]);
                    } else {
                        assert_eq!(here, there);
                    }
                }
            }
        }
    }

    #[test]
    fn neighbours_share_their_nodes() {
        for geometry_order in 1..=4 {
            for (angle, around, periodic_angle, periodic_z) in [
                (1.1, 3, true, false),
                (1.1, 1, true, true),
                (TAU, 3, false, true),
                (TAU, 8, true, false),
                (3.0, 2, false, false),
            ] {
                for hex_layers in [0, 2, 5] {
                    let a = Annulus {
                        angle,
                        cells: [5, around, 2],
                        periodic_angle,
                        periodic_z,
                        hex_layers,
                        geometry_order,
                        ..sector()
                    };
                    check_sides(&a.build().unwrap(), &a);
                }
            }
        }
    }

    #[test]
    fn layers_grow_and_boundaries_have_names() {
        let a = Annulus {
            periodic_angle: false,
            ..sector()
        };
        let mut mesh = a.build().unwrap();
        mesh.boundary_names.sort();
        assert_eq!(
            mesh.boundary_names,
            ["inner", "outer", "theta+", "theta-", "z+", "z-"].map(str::to_owned)
        );
        let count = |kind| mesh.kinds.iter().filter(|k| **k == kind).count();
        assert_eq!(
            (count(ElementKind::Hex), count(ElementKind::Prism)),
            (2 * 3 * 2, 2 * 3 * 3 * 2)
        );
        let heights: Vec<f64> = (0..5).map(|i| a.radius(i + 1) - a.radius(i)).collect();
        assert!(
            heights.windows(2).all(|h| (h[1] / h[0] - 1.3).abs() < 1e-12),
            "{heights:?}"
        );
    }

    #[test]
    fn impossible_annuli_are_refused() {
        let refused = |a: Annulus| a.build().unwrap_err().to_string();
        assert!(refused(Annulus { inner: 0.0, ..sector() }).contains("inner radius is 0, but must be above 0"));
        assert!(refused(Annulus { outer: 0.4, ..sector() }).contains("above the inner one, 0.5"));
        assert!(
            refused(Annulus {
                length: f64::NAN,
                ..sector()
            })
            .contains("length is NaN")
        );
        assert!(refused(Annulus { angle: 6.3, ..sector() }).contains("angle is 6.3"));
        assert!(
            refused(Annulus {
                cells: [5, 0, 2],
                ..sector()
            })
            .contains("cells around is 0")
        );
        assert!(
            refused(Annulus {
                cells: [0, 1, 2],
                ..sector()
            })
            .contains("cells along the radius is 0")
        );
        assert!(
            refused(Annulus {
                growth: -1.0,
                ..sector()
            })
            .contains("growth is -1")
        );
        assert!(
            refused(Annulus {
                growth: 999.0,
                cells: [40, 3, 1],
                ..sector()
            })
            .contains("thinner")
        );
        assert!(
            refused(Annulus {
                hex_layers: 6,
                ..sector()
            })
            .contains("hex layers is 6")
        );
        assert!(
            refused(Annulus {
                geometry_order: 0,
                ..sector()
            })
            .contains("geometry order is 0")
        );
        assert!(
            refused(Annulus {
                angle: TAU,
                cells: [5, 2, 1],
                ..sector()
            })
            .contains("2 cells around 360.000000 degrees")
        );
    }
}
