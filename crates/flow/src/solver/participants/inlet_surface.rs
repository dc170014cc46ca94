//! The faces of a turbulent inlet on this rank, what they make together with those of other ranks, and what the device
//! is told of their points.

use crate::device::{TurbulentInlet, TurbulentPoint};
use crate::element::Elements;
use crate::geometry::longest_side;
use crate::input::InvalidValue;
use crate::physics::Inflow;
use crate::physics::turbulence::{
    Factor, MODES_OF_A_SHELL, Mode, Spectra, Spectrum, amplitude, apply, correction, cosine_of_turns, fraction, product,
};
use crate::ranks::{ExactSum, Ranks};
use crate::solver::boundary_values::Values;
use crate::vector::{dot, length, minus};

/// The points of an inlet on this rank.
#[derive(Default)]
pub struct Surface {
    /// Number of each point among the points of all boundary faces.
    pub numbers: Vec<usize>,
    /// Positions.
    pub x: Vec<[f64; 3]>,
    /// Outward area vectors times weights.
    pub areas: Vec<[f64; 3]>,
    /// Mean velocities.
    pub velocities: Vec<[f64; 3]>,
    /// Largest cell size over the order.
    pub cell_size: f64,
    /// The cells.
    pub cells: Vec<usize>,
}

/// What an inlet has as a whole.
pub struct Whole {
    /// Area.
    pub area: f64,
    /// Unit normal.
    pub normal: [f64; 3],
    /// Centre of the area.
    pub centre: [f64; 3],
    /// Velocity that carries the modes.
    pub velocity: [f64; 3],
    /// Mean of uu, vv, ww, uv, uw, vw.
    pub stresses: [f64; 6],
}

/// The spectra along an inlet.
pub enum Along {
    /// One, so that the amplitudes are factors of the directions of the modes.
    One,
    /// As many as there are lengths, with the place of each point among them.
    Many(Spectra, Vec<f64>),
}

impl Along {
    /// Returns the amplitude of a mode at a point, over the size of its direction.
    pub fn amplitude(&self, point: usize, mode: usize) -> f64 {
        match self {
            Along::One => 1.0,
            Along::Many(spectra, places) => spectra.amplitude(places[point], mode / MODES_OF_A_SHELL),
        }
    }

    /// Returns the factor that gives the modes the unit matrix as covariance at each point; `None` if they are too few.
    pub fn corrections(&self, modes: &[Mode], spectrum: &Spectrum, points: usize) -> Option<Vec<Factor>> {
        match self {
            Along::One => {
                let shares: Vec<f64> = spectrum.shells.iter().map(|shell| shell.share).collect();
                Some(vec![correction(modes, &shares)?; points])
            }
            Along::Many(spectra, places) => {
                let of = |place: &f64| correction(modes, &spectra.energies(*place));
                places.iter().map(of).collect()
            }
        }
    }

    /// Returns the directions of the modes, times the amplitude if there is one.
    pub fn directions(&self, modes: &[Mode], spectrum: &Spectrum) -> Vec<[f64; 3]> {
        let size = |n: usize| match self {
            Along::One => amplitude(spectrum.shells[n / MODES_OF_A_SHELL].share),
            Along::Many(..) => 1.0,
        };
        let direction = |(n, mode): (usize, &Mode)| mode.direction.map(|c| c * size(n));
        modes.iter().enumerate().map(direction).collect()
    }

    /// Returns the amplitudes of so many modes, `[row][mode]`; none if they are in the directions.
    pub fn amplitudes(&self, modes: usize) -> Vec<Vec<f64>> {
        let of_modes = |row: &Vec<f64>| (0..modes).map(|n| row[n / MODES_OF_A_SHELL]).collect();
        match self {
            Along::One => Vec::new(),
            Along::Many(spectra, _) => spectra.amplitudes().iter().map(of_modes).collect(),
        }
    }
}

/// The factor of the stresses and the integral length of each point, or what is wrong at one.
type OfPoints = Result<Vec<(Factor, f64)>, (InvalidValue, [f64; 3])>;

impl Surface {
    /// Collects the points of an inlet on this rank.
    pub fn new(values: &Values, elements: &Elements, boundary: usize, inflow: &Inflow) -> Self {
        let mut surface = Surface::default();
        let (geometry, order) = (values.geometry, values.order);
        values.each_point(0.0, |b, of, l, at| {
            if of != boundary {
                return;
            }
            let kind = geometry.kinds[b.cell];
            if l == 0 {
                let cell = geometry.cell_positions(b.cell);
                let face = kind.face_indices(b.face, order).into_iter().map(|p| cell[p]);
                let across = longest_side(&face.collect::<Vec<_>>());
                let size = across.max(0.3 * longest_side(cell)) / order as f64;
                surface.cell_size = surface.cell_size.max(size);
                surface.cells.push(b.cell);
            }
            let weight = elements.face_weights(kind.faces()[b.face].shape)[l];
            let area = geometry.face_areas(b.cell, b.face)[l];
            surface.numbers.push(b.first_point + l);
            surface.x.push(at.x);
            surface.areas.push(area.map(|c| c * weight));
            surface
                .velocities
                .push(match (inflow.velocity, inflow.turbulence.speed) {
                    (Some(fields), _) => fields.each_ref().map(|field| field.eval(at.x, 0.0)),
                    (None, speed) => speed.unwrap_or_default(),
                });
        });
        surface
    }

    /// Returns the factors of the stresses and the integral lengths at all points.
    pub fn factors_and_lengths(&self, inflow: &Inflow) -> OfPoints {
        let turbulence = inflow.turbulence;
        let of_point = |(&x, &v): (&[f64; 3], &[f64; 3])| {
            let factor = turbulence.factor(x, length(v)).map_err(|e| (e, x))?;
            Ok((factor, turbulence.length(x).map_err(|e| (e, x))?))
        };
        self.x.iter().zip(&self.velocities).map(of_point).collect()
    }

    /// Returns what the inlet has as a whole; `None` if it has no area. Collective.
    pub fn whole(&self, inflow: &Inflow, factors: &[Factor], ranks: &Ranks) -> Option<Whole> {
        let mut sums: [ExactSum; 16] = Default::default();
        for (point, a) in self.areas.iter().enumerate() {
            let size = length(*a);
            let [a11, a21, a22, a31, a32, a33] = factors[point];
            let stresses = [
                a11 * a11,
                a21 * a21 + a22 * a22,
                a31 * a31 + a32 * a32 + a33 * a33,
                a11 * a21,
                a11 * a31,
                a21 * a31 + a22 * a32,
            ];
            let means = [self.x[point], self.velocities[point]].concat();
            let means = means.into_iter().chain(stresses).map(|value| value * size);
            let terms = a.iter().copied().chain([size]).chain(means);
            sums.iter_mut().zip(terms).for_each(|(sum, term)| sum.add(term));
        }
        let sums = ExactSum::allreduce(ranks, sums).map(ExactSum::value);
        let area = sums[3];
        if area == 0.0 {
            return None;
        }
        let vector = |first: usize| [sums[first], sums[first + 1], sums[first + 2]];
        let normal = vector(0);
        let mean = |first: usize| vector(first).map(|sum| sum / area);
        Some(Whole {
            area,
            normal: normal.map(|c| c / length(normal)),
            centre: mean(4),
            velocity: inflow.turbulence.speed.unwrap_or(mean(7)),
            stresses: std::array::from_fn(|i| sums[10 + i] / area),
        })
    }

    /// Returns what the device is told of the points. Collective.
    pub fn points(
        &self,
        whole: &Whole,
        factors: &[Factor],
        corrections: &[Factor],
        along: &Along,
        ranks: &Ranks,
    ) -> Vec<TurbulentPoint> {
        // The correction is proportional to the fluctuations, so that it vanishes where they do.
        let size = |factor: &Factor| (factor.iter().map(|a| a * a).sum::<f64>() / 3.0).sqrt();
        let terms = factors.iter().zip(&self.areas);
        let flow: ExactSum = terms
            .map(|(factor, &area)| size(factor) * dot(area, whole.normal))
            .collect();
        let [flow] = ExactSum::allreduce(ranks, [flow]);
        let flow = flow.value();
        let per_flow = if flow > 0.0 { 1.0 / flow } else { 0.0 };
        let point = |(number, factor): (usize, &Factor)| TurbulentPoint {
            number: self.numbers[number],
            x: minus(self.x[number], whole.centre),
            factor: product(*factor, corrections[number]),
            place: match along {
                Along::One => 0.0,
                Along::Many(_, places) => places[number],
            },
            shift: whole.normal.map(|c| c * size(factor) * per_flow),
        };
        factors.iter().enumerate().map(point).collect()
    }

    /// Returns the volume flow of each mode: the amplitudes of its cosine and of its sine in time. Collective.
    pub fn flow(&self, plan: &TurbulentInlet, along: &Along, ranks: &Ranks) -> Vec<[f64; 2]> {
        let mut sums = vec![ExactSum::default(); 2 * plan.waves.len()];
        for (n, (wave, direction)) in plan.waves.iter().zip(&plan.directions).enumerate() {
            for (number, (point, &area)) in plan.points.iter().zip(&self.areas).enumerate() {
                let flow = along.amplitude(number, n) * dot(apply(point.factor, *direction), area);
                let turns = fraction(dot(*wave, point.x));
                sums[2 * n].add(flow * cosine_of_turns(turns));
                sums[2 * n + 1].add(flow * cosine_of_turns(turns - 0.25));
            }
        }
        let sums: Vec<f64> = ExactSum::allreduce_vec(ranks, sums)
            .into_iter()
            .map(ExactSum::value)
            .collect();
        sums.chunks_exact(2).map(|sum| [sum[0], sum[1]]).collect()
    }
}
