//! The size of a sponge in a mesh, and an estimate of the sound that passes it.
//!
//! All conserved variables decay at the same rate. In one dimension and for small disturbances, each characteristic
//! variable w then obeys (d/dt + lambda d/dx) w = -rate w by itself: nothing is reflected by the layer, and a wave of
//! speed lambda is damped by exp(-int rate/|lambda| dx). Sound that passes the layer at c + u, is reflected completely
//! by the boundary behind it and returns at c - u keeps
//!
//! ```text
//! echo = exp(-int rate dx (1/(c + u) + 1/(c - u)))
//! ```
//!
//! of its amplitude, where u is the velocity into the layer. This is the estimate. Sound at an angle has a longer way,
//! but the layer itself reflects some of it (A. Mani, J. Comput. Phys. 231 (2012) 704).

use crate::format::number;
use crate::geometry::Geometry;
use crate::physics::{Gas, Sponge, SpongeRegion, SpongeSide};
use crate::ranks::{ExactSum, Ranks};
use crate::solver::SetupError;
use crate::vector::{Vector, dot};

/// Fewest cells over which a rate should rise.
const FEWEST_CELLS: f64 = 3.0;
/// Largest echo without a warning.
const LARGEST_ECHO: f64 = 0.05;
/// Most decay of sound within a cell without a warning, as the exponent of e.
const FASTEST_DECAY: f64 = 10.0;
/// Least depth of a layer over its thickness: rounding of coordinates.
const LEAST_DEPTH: f64 = 1e-6;

/// The size of a sponge in a mesh.
#[derive(Debug, Clone, PartialEq)]
pub struct SpongeSize {
    /// Number of its cells on all ranks.
    pub cells: u64,
    /// Number of its solution points on all ranks.
    pub points: u64,
    /// Largest rate at a point (1/time).
    pub rate: f64,
    /// Mean speed of sound at its points, in the initial state.
    pub sound_speed: f64,
    /// The parts of the mesh beyond its plane, or beyond the sides of its box; none if its weight is given.
    pub layers: Vec<SpongeLayer>,
}

/// The part of a mesh beyond one plane of a sponge.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SpongeLayer {
    /// The plane.
    pub side: SpongeSide,
    /// Largest distance of the mesh beyond the plane.
    pub depth: f64,
    /// Number of cells over which the rate rises, by the largest of them.
    pub cells: f64,
    /// Amplitude of sound that has passed the layer to and fro, over that before.
    pub echo: f64,
}

impl SpongeSize {
    /// Measures a sponge in the initial state, `[cell][5][point]`. Collective.
    ///
    /// # Errors
    /// No point of the mesh is in the sponge.
    pub(super) fn new(
        sponge: &Sponge,
        geometry: &Geometry,
        state: &[f64],
        gas: &Gas,
        ranks: &Ranks,
    ) -> Result<Self, SetupError> {
        let (mut counts, mut rate) = ([0u64; 2], [0.0f64]);
        let mut sums = [(); 5].map(|()| ExactSum::default());
        for cell in 0..geometry.kinds.len() {
            let (points, before) = (geometry.cell_positions(cell), counts[1]);
            let first = 5 * geometry.first_point[cell];
            for (p, &x) in points.iter().enumerate() {
                // A value that is not valid has been refused before.
                let weight = sponge.region.weight(x).unwrap_or(0.0);
                if weight == 0.0 {
                    continue;
                }
                counts[1] += 1;
                rate[0] = rate[0].max(sponge.strength * weight);
                let [_, u, v, w, _, t] = gas.primitive(std::array::from_fn(|i| state[first + i * points.len() + p]));
                let values = [1.0, gas.sound_speed_at(t), u, v, w];
                sums.iter_mut().zip(values).for_each(|(sum, value)| sum.add(value));
            }
            counts[0] += u64::from(counts[1] > before);
        }
        ranks.allreduce_sum(&mut counts);
        ranks.allreduce_max(&mut rate);
        let [count, c, u, v, w] = ExactSum::allreduce(ranks, sums).map(ExactSum::value);
        if counts[1] == 0 {
            let what = "no solution point of the mesh lies in this sponge".to_owned();
            let key = format!("sponges.{}.{}", sponge.name, sponge.region.key());
            return Err(SetupError::Sponges { key, what });
        }
        let (sound_speed, velocity) = (c / count, [u / count, v / count, w / count]);
        let layer = |side| layer(side, sponge.strength, geometry, sound_speed, velocity, ranks);
        Ok(SpongeSize {
            cells: counts[0],
            points: counts[1],
            rate: rate[0],
            sound_speed,
            layers: sponge.region.sides().into_iter().filter_map(layer).collect(),
        })
    }

    /// Returns the layer with the strongest echo, if there are layers.
    pub fn weakest(&self) -> Option<&SpongeLayer> {
        self.layers.iter().max_by(|a, b| a.echo.total_cmp(&b.echo))
    }

    /// Returns the layer of fewest cells, if there are layers.
    pub fn thinnest(&self) -> Option<&SpongeLayer> {
        self.layers.iter().min_by(|a, b| a.cells.total_cmp(&b.cells))
    }

    /// Returns the decay of sound within the widest cell, as the exponent of e, if there are layers.
    fn decay_in_a_cell(&self) -> Option<f64> {
        let layer = self.thinnest()?;
        Some(self.rate * layer.side.thickness / layer.cells / self.sound_speed)
    }

    /// Warns of a layer that is too thin, too weak or too strong.
    pub(super) fn warn(&self, sponge: &Sponge) {
        let name = &sponge.name;
        let key = match sponge.region {
            SpongeRegion::Plane { .. } => "plane.thickness",
            SpongeRegion::Box { .. } => "box.ramp",
            SpongeRegion::Weight(_) => return,
        };
        if let Some(layer) = self.thinnest().filter(|layer| layer.cells < FEWEST_CELLS) {
            tracing::warn!(
                "sponges.{name}.{key}: the rate rises over {:.1} cells: over fewer than {FEWEST_CELLS} the layer \
                 itself reflects; a thicker layer or smaller cells help",
                layer.cells
            );
        }
        if let Some(decay) = self.decay_in_a_cell().filter(|decay| *decay > FASTEST_DECAY) {
            tracing::warn!(
                "sponges.{name}.strength: sound decays by exp(-{}) within a cell, so that the layer reflects as a wall \
                 does, and the rate alone shortens the time step: at most {} is of use here",
                number(decay),
                number(sponge.strength * FASTEST_DECAY / decay)
            );
        }
        if let Some(layer) = self.weakest().filter(|layer| layer.echo > LARGEST_ECHO) {
            let strength = sponge.strength * LARGEST_ECHO.ln() / layer.echo.ln();
            tracing::warn!(
                "sponges.{name}.strength: sound that passes the layer to and fro keeps {:.0} % of its amplitude: \
                 {strength:.3} would leave {:.0} %, as would a thicker layer",
                100.0 * layer.echo,
                100.0 * LARGEST_ECHO
            );
        }
    }
}

/// Returns the layer beyond a plane; `None` if the mesh does not reach beyond it. Collective.
fn layer(
    side: SpongeSide,
    strength: f64,
    geometry: &Geometry,
    sound_speed: f64,
    velocity: Vector,
    ranks: &Ranks,
) -> Option<SpongeLayer> {
    // Depth, and the largest extent of a cell in which the rate rises.
    let mut largest = [0.0f64; 2];
    for cell in 0..geometry.kinds.len() {
        let beyond = geometry
            .cell_positions(cell)
            .iter()
            .map(|&x| dot(x, side.normal) - side.begin);
        let (low, high) = beyond.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), x| {
            (low.min(x), high.max(x))
        });
        largest[0] = largest[0].max(high);
        if high > LEAST_DEPTH * side.thickness && low < side.thickness {
            largest[1] = largest[1].max(high - low);
        }
    }
    ranks.allreduce_max(&mut largest);
    let [depth, size] = largest;
    if depth < LEAST_DEPTH * side.thickness {
        return None;
    }
    let inwards = dot(velocity, side.normal);
    let echo = if inwards.abs() < sound_speed {
        let times = 1.0 / (sound_speed + inwards) + 1.0 / (sound_speed - inwards);
        (-strength * side.integral(depth) * times).exp()
    } else {
        // Sound does not come back, or does not get there.
        0.0
    };
    Some(SpongeLayer {
        side,
        depth,
        cells: depth.min(side.thickness) / size,
        echo,
    })
}
