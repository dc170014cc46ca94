//! Values of boundary conditions at the points of boundary faces.

use super::boundary_lengths::Lengths;
use super::initial_file::GasOfFile;
use crate::device::{BOUNDARY_VALUES, BoundaryFace, Exterior};
use crate::element::Elements;
use crate::format::location;
use crate::geometry::Geometry;
use crate::input::BadValue;
use crate::physics::{Boundary, FacePoint, Gas, Initial, InitialGas};
use crate::ranks::Ranks;
use crate::vector::{dot, length};

/// What boundary values refer to: the initial state, and lengths of the domain.
pub struct Reference {
    /// The initial state.
    pub initial: Initial,
    /// Density and pressure of an initial state from a file.
    pub gas_of_file: GasOfFile,
    /// Lengths to which the rates of every boundary refer.
    pub lengths: Vec<Lengths>,
}

/// The input of the evaluation of boundary conditions.
#[derive(Clone, Copy)]
pub struct Values<'a> {
    /// The boundary faces.
    pub faces: &'a [BoundaryFace],
    /// Names of the boundaries.
    pub names: &'a [String],
    /// The condition of every boundary, in the order of `names`.
    pub boundaries: &'a [Boundary],
    /// What the values refer to.
    pub reference: &'a Reference,
    /// The gas.
    pub gas: &'a Gas,
    /// Positions and normals of the faces.
    pub geometry: &'a Geometry,
    /// Order of the solution.
    pub order: usize,
}

/// Ratio of pressure or temperature at a boundary to that of the initial state, either way, from which the user is
/// warned.
const FAR: f64 = 5.0;

/// The first pressure and the first temperature of a boundary that are far from those of the initial state, as values
/// in other units are. Each has the value of the initial state and the place beside it.
#[derive(Debug, Clone, Copy, Default)]
pub struct OtherUnits([Option<(f64, f64, [f64; 3])>; 2]);

impl OtherUnits {
    /// Looks at a point of the boundary.
    pub fn look(&mut self, boundary: &Boundary, at: &FacePoint) {
        let there = [at.initial_pressure(), at.initial_temperature().ok()];
        for ((value, there), first) in boundary.prescribed(at).into_iter().zip(there).zip(&mut self.0) {
            if let (Some(value), Some(there)) = (value, there)
                && !(1.0 / FAR..=FAR).contains(&(value / there))
            {
                first.get_or_insert((value, there, at.x));
            }
        }
    }

    /// Warns of the boundary of this name.
    pub fn warn(&self, name: &str) {
        for (quantity, found) in ["pressure", "temperature"].into_iter().zip(self.0) {
            if let Some((value, there, at)) = found {
                tracing::warn!(
                    "boundaries.{name} prescribes the {quantity} {value:.4e} at {}, where that of the initial state is \
                     {there:.4e}: are both in the same unit?",
                    location(at)
                );
            }
        }
    }
}

/// Returns the vector scaled to length 1.
fn unit(v: [f64; 3]) -> [f64; 3] {
    let length = length(v);
    v.map(|c| c / length)
}

impl Values<'_> {
    /// Calls `f` for every point of every face that has a boundary condition, with the face, the index of its boundary,
    /// the index of the point in the face, and the point.
    pub fn each_point(&self, time: f64, mut f: impl FnMut(&BoundaryFace, usize, usize, &FacePoint)) {
        for b in self.faces {
            let Exterior::Condition(boundary) = b.exterior else {
                continue;
            };
            let positions = self.geometry.cell_positions(b.cell);
            let areas = self.geometry.face_areas(b.cell, b.face);
            let points = self.geometry.kinds[b.cell].face_indices(b.face, self.order);
            for (l, p) in points.into_iter().enumerate() {
                let point = FacePoint {
                    x: positions[p],
                    normal: unit(areas[l]),
                    extent: self.reference.lengths[boundary].extent,
                    face_size: self.reference.lengths[boundary].face_size,
                    time,
                    gas: self.gas,
                    initial: match &self.reference.initial {
                        Initial::State(state) => InitialGas::State(state),
                        Initial::File { .. } => {
                            let [rho, u, v, w, p] = self.reference.gas_of_file.at_faces[b.first_point + l];
                            InitialGas::Known(rho, [u, v, w], p)
                        }
                    },
                };
                f(b, boundary, l, &point);
            }
        }
    }

    /// Returns the data of all boundary face points at a time, `[boundary face][BOUNDARY_VALUES][face point]`.
    ///
    /// # Errors
    /// A condition has no valid value at a point. The error names the first such value.
    pub fn data(&self, time: f64) -> Result<Vec<f64>, BadValue> {
        let points = self.faces.last().map_or(0, |b| b.first_point + b.points);
        let mut data = vec![0.0; BOUNDARY_VALUES * points];
        let mut first = Ok(());
        self.each_point(time, |b, boundary, l, at| match self.boundaries[boundary].data(at) {
            Ok(point) => {
                for (v, value) in point.into_iter().enumerate() {
                    data[BOUNDARY_VALUES * b.first_point + v * b.points + l] = value;
                }
            }
            Err(wrong) if first.is_ok() => {
                let group = format!("boundaries.{}", self.names[boundary]);
                first = Err(BadValue::new(&group, wrong, at.x, time));
            }
            Err(_) => {}
        });
        first.map(|()| data)
    }

    /// Returns for each boundary that prescribes the velocity of the gas the volume per time that leaves through it at
    /// the start, and `None` for the others. Collective.
    pub fn prescribed_outflows(&self, elements: &Elements, ranks: &Ranks) -> Vec<Option<f64>> {
        let mut outflows = vec![0.0; self.names.len()];
        let mut prescribed = vec![0.0; self.names.len()];
        self.each_point(0.0, |face, boundary, l, at| {
            if let Some(velocity) = self.boundaries[boundary].prescribed_velocity(at) {
                let shape = self.geometry.kinds[face.cell].faces()[face.face].shape;
                let area = self.geometry.face_areas(face.cell, face.face)[l];
                outflows[boundary] += elements.face_weights(shape)[l] * dot(velocity, area);
                prescribed[boundary] = 1.0;
            }
        });
        ranks.allreduce_sum(&mut outflows);
        ranks.allreduce_max(&mut prescribed);
        outflows
            .into_iter()
            .zip(prescribed)
            .map(|(outflow, prescribed)| (prescribed > 0.0).then_some(outflow))
            .collect()
    }

    /// Returns density and pressure of the initial state at a position; of one from a file their means.
    pub fn initial_gas(&self, x: [f64; 3]) -> Option<[f64; 2]> {
        match &self.reference.initial {
            Initial::State(state) => state.at(x, 0.0, self.gas).ok().map(|(rho, _, p)| [rho, p]),
            Initial::File { .. } => Some(self.reference.gas_of_file.mean),
        }
    }

    /// Warns of boundaries whose pressure or temperature is far from that of the initial state.
    pub fn warn_of_other_units(&self) {
        let mut units = vec![OtherUnits::default(); self.boundaries.len()];
        self.each_point(0.0, |_, boundary, _, at| {
            units[boundary].look(&self.boundaries[boundary], at)
        });
        self.names.iter().zip(units).for_each(|(name, units)| units.warn(name));
    }

    /// Warns of inlets whose total pressure is below the pressure of all outlets, so that gas cannot enter. Collective.
    pub fn warn_of_inlets_below_outlets(&self, ranks: &Ranks) {
        let (mut highest, mut lowest) = (vec![f64::NEG_INFINITY; self.names.len()], [f64::INFINITY]);
        self.each_point(0.0, |_, boundary, _, at| {
            let condition = &self.boundaries[boundary];
            if let Some(p) = condition.data(at).ok().and_then(|data| condition.pressure(&data)) {
                if condition.kind().is_outlet() {
                    lowest[0] = p.min(lowest[0])
                } else {
                    highest[boundary] = p.max(highest[boundary])
                }
            }
        });
        ranks.allreduce_max(&mut highest);
        ranks.allreduce_min(&mut lowest);
        let inlets = self.boundaries.iter().zip(self.names).zip(highest);
        let below = |((condition, _), p): &((&Boundary, _), f64)| {
            condition.kind().is_inlet() && p.is_finite() && lowest[0].is_finite() && *p < lowest[0]
        };
        for ((_, name), p) in inlets.filter(|inlet| below(inlet) && ranks.rank() == 0) {
            tracing::warn!(
                "boundaries.{name}: the total pressure, at most {p:.4e}, is below the least pressure of the outlets, \
                 {:.4e}: gas leaves through this inlet unless a force drives it",
                lowest[0]
            );
        }
    }

    /// Warns of walls that the prescribed velocity crosses at the start by an angle that a coarse mesh of a rotating
    /// wall explains.
    pub fn warn_of_leaning_walls(&self) {
        let mut worst = vec![(0.0, [0.0; 3]); self.boundaries.len()];
        self.each_point(0.0, |_, boundary, _, at| {
            let sine = self.boundaries[boundary].wall().and_then(|wall| wall.leaning(at));
            if let Some(sine) = sine.filter(|&sine| sine > worst[boundary].0) {
                worst[boundary] = (sine, at.x);
            }
        });
        for (name, (sine, at)) in self.names.iter().zip(worst) {
            if sine > 0.0 {
                tracing::warn!(
                    "boundaries.{name}.velocity crosses the wall at up to {:.1} degrees, at {}, so that gas \
                     passes through the wall there: more cells, or curved ones, follow the wall better",
                    sine.asin().to_degrees(),
                    location(at)
                );
            }
        }
    }
}
