//! Turbulent inlets: the modes of each, placed on the faces of the mesh, and the moments at which a step needs them.
//!
//! Everything that is said of an inlet as a whole (centre, normal, mean velocity, size of the cells, periods, mass flow
//! of each mode) is the same on any number of ranks to the last bit: sums are exact, and the rest are extremes.

use super::boundary_values::Values;
use super::error::SetupError;
use super::inlet_periods;
use crate::device::{Device, DeviceError, MOMENTS, TurbulentInlet, TurbulentPoint};
use crate::element::Elements;
use crate::geometry::longest_side;
use crate::input::BadValue;
use crate::mesh::Mesh;
use crate::physics::Inflow;
use crate::physics::turbulence::{
    Draw, Ends, MODES_OF_A_SHELL, Mode, Spectrum, Stream, amplitude, apply, correction, cosine_of_turns, fraction,
    modes, product,
};
use crate::ranks::{ExactSum, Ranks};
use crate::vector::{dot, length, minus};

/// The moment of [`MOMENTS`] that is the middle of a step.
pub const MIDDLE: usize = 0;
/// The end of a step.
pub const END: usize = 1;
/// Any time before a step.
const BEFORE: usize = 2;

/// A turbulent inlet, for reports and for the mass flow of its fluctuations.
#[derive(Debug, Clone)]
pub struct Inlet {
    /// Name of the boundary.
    pub name: String,
    /// The spectrum.
    pub spectrum: Spectrum,
    /// The modes, three for each shell.
    pub modes: Vec<Mode>,
    /// Where the spectrum ends.
    pub ends: Ends,
    /// Size of the largest cell at the inlet over the order.
    pub cell_size: f64,
    /// Centre of the inlet.
    pub centre: [f64; 3],
    /// Velocity that carries the modes.
    pub velocity: [f64; 3],
    /// Displacements under which the flow at the inlet is periodic.
    pub periods: Vec<[f64; 3]>,
    /// Mean of uu, vv, ww, uv, uw, vw over the area.
    pub stresses: [f64; 6],
    /// Mass flow of each mode that is in phase with a cosine of its time, and with a sine, per unit of the correction.
    flow: Vec<[f64; 2]>,
}

/// All turbulent inlets of a case.
#[derive(Debug, Clone, Default)]
pub struct Inlets {
    /// In the order of the boundaries of the mesh.
    pub list: Vec<Inlet>,
    /// Bits of the time of the fluctuations that the device holds.
    now: Option<u64>,
}

/// What the inlets are made of.
pub struct Parts<'a> {
    /// Faces, conditions, gas and initial state.
    pub values: Values<'a>,
    /// The mesh.
    pub mesh: &'a Mesh,
    /// Weights of the face points.
    pub elements: &'a Elements,
    /// The ranks.
    pub ranks: &'a Ranks,
}

impl Inlets {
    /// Returns the inlets and what the device is told of each. Collective.
    ///
    /// # Errors
    /// The turbulence of an inlet does not go with its mesh, or stresses are not positive definite at a point.
    pub fn new(parts: &Parts) -> Result<(Self, Vec<TurbulentInlet>), SetupError> {
        let (mut list, mut planned) = (Vec::new(), Vec::new());
        for (boundary, condition) in parts.values.boundaries.iter().enumerate() {
            if let Some(inflow) = condition.turbulence()
                && let Some((inlet, plan)) = parts.inlet(boundary, &inflow)?
            {
                list.push(inlet);
                planned.push(plan);
            }
        }
        Ok((Inlets { list, now: None }, planned))
    }

    /// Sets the moments of a step from `time` by `dt`, and leaves the fluctuations at `time` on the device.
    ///
    /// # Errors
    /// The device fails.
    pub fn begin_step(&mut self, device: &mut dyn Device, time: f64, dt: f64) -> Result<(), DeviceError> {
        if self.list.is_empty() {
            return Ok(());
        }
        let mut moments = [time; MOMENTS];
        (moments[MIDDLE], moments[END]) = (time + 0.5 * dt, time + dt);
        self.prepare(device, moments)?;
        // The step leaves those of its end, with which the next one mostly begins.
        self.now = Some(moments[END].to_bits());
        Ok(())
    }

    /// Leaves the fluctuations at `time` on the device.
    ///
    /// # Errors
    /// The device fails.
    pub fn hold(&mut self, device: &mut dyn Device, time: f64) -> Result<(), DeviceError> {
        if self.list.is_empty() {
            return Ok(());
        }
        self.prepare(device, [time; MOMENTS])?;
        self.now = Some(time.to_bits());
        Ok(())
    }

    /// Sets the moments, and computes the fluctuations of the last unless the device holds them.
    fn prepare(&mut self, device: &mut dyn Device, moments: [f64; MOMENTS]) -> Result<(), DeviceError> {
        let now = self.now.take();
        for (number, inlet) in self.list.iter().enumerate() {
            device.set_moments(number, &moments.map(|time| [time, inlet.correction(time)]))?;
        }
        match now == Some(moments[BEFORE].to_bits()) {
            true => Ok(()),
            false => device.fluctuate(BEFORE),
        }
    }
}

impl Inlet {
    /// Returns the correction that takes the mass flow of the fluctuations away at a time.
    pub fn correction(&self, time: f64) -> f64 {
        let terms = self.modes.iter().zip(&self.flow).map(|(mode, [cosine, sine])| {
            let turns = fraction(mode.phase - mode.frequency * time);
            cosine * cosine_of_turns(turns) - sine * cosine_of_turns(turns - 0.25)
        });
        -terms.sum::<f64>()
    }
}

/// The points of an inlet on this rank.
#[derive(Default)]
struct Surface {
    /// Number of each point among the points of all boundary faces.
    numbers: Vec<usize>,
    /// Positions.
    x: Vec<[f64; 3]>,
    /// Outward area vectors times weights.
    areas: Vec<[f64; 3]>,
    /// Mean velocities.
    velocities: Vec<[f64; 3]>,
    /// Largest cell size over the order.
    cell_size: f64,
    /// The cells.
    cells: Vec<usize>,
}

/// What an inlet has as a whole.
struct Whole {
    /// Area.
    area: f64,
    /// Unit normal.
    normal: [f64; 3],
    /// Centre of the area.
    centre: [f64; 3],
    /// Velocity that carries the modes.
    velocity: [f64; 3],
    /// Mean of uu, vv, ww, uv, uw, vw.
    stresses: [f64; 6],
}

impl Parts<'_> {
    /// Returns one inlet; `None` if no face of any rank belongs to it. Collective.
    fn inlet(&self, boundary: usize, inflow: &Inflow) -> Result<Option<(Inlet, TurbulentInlet)>, SetupError> {
        let name = self.values.names[boundary].clone();
        let turbulence = inflow.turbulence;
        let refuse = |key: &str, what: String| {
            let key = format!("boundaries.{name}.turbulence.{key}");
            Err(SetupError::Turbulence { key, what })
        };
        let surface = self.surface(boundary, inflow);
        let factors = surface.factors(inflow).map_err(|(wrong, at)| {
            let group = format!("boundaries.{name}");
            SetupError::from(BadValue::new(&group, wrong, at, 0.0))
        });
        let factors = self.ranks.agree(factors, SetupError::OnOtherRank)?;
        let Some(whole) = surface.whole(inflow, &factors, self.ranks) else {
            return Ok(None);
        };
        if dot(whole.velocity, whole.normal) >= 0.0 {
            let velocity = vector(whole.velocity);
            return refuse(
                "speed",
                format!("{velocity} does not lead into the domain, and carries no turbulence in"),
            );
        }
        let found = inlet_periods::find(self.mesh, &surface.cells, self.ranks);
        if found.rotated {
            tracing::warn!(
                "boundaries.{name}.turbulence is not periodic by rotation: the fluctuations differ between the two \
                 sides that the mesh joins"
            );
        }
        let periods = found.periods;
        let mut size = [surface.cell_size];
        self.ranks.allreduce_max(&mut size);
        let [cell_size] = size;
        let ends = Ends {
            cut: std::f64::consts::PI / cell_size,
            dissipation: self.dissipation(&whole, turbulence.length),
        };
        let wanted = turbulence.length;
        if wanted > whole.area.sqrt() {
            let across = short(whole.area.sqrt());
            return refuse("length", format!("{wanted} is above the size of the inlet, {across}"));
        }
        let spectrum = match Spectrum::with_length(wanted, ends, turbulence.shells) {
            Ok(spectrum) => spectrum,
            Err(shortest) => {
                let (size, shortest) = (short(cell_size), short(shortest));
                let kolmogorov = short(std::f64::consts::TAU / ends.dissipation);
                return refuse(
                    "length",
                    format!(
                        "{wanted} is too short for the cells at the inlet, of size {size} over the order, or for the \
                         viscosity, with a Kolmogorov length of {kolmogorov}: the shortest length that they leave is \
                         {shortest}"
                    ),
                );
            }
        };
        let period = periods.iter().map(|&p| length(p)).fold(f64::INFINITY, f64::min);
        let scale = spectrum.largest_scale();
        if scale > period {
            let (fits, scale, period) = (short(wanted * period / scale), short(scale), short(period));
            return refuse(
                "length",
                format!(
                    "{wanted} belongs to eddies of up to {scale}, and the inlet is periodic by {period}: a length of \
                     about {fits} fits"
                ),
            );
        }
        let stream = Stream {
            normal: whole.normal,
            velocity: whole.velocity,
            convection: turbulence.convection,
            periods: &periods,
        };
        let modes = modes(&spectrum, &Draw::new(turbulence.seed, &name), &stream);
        let shares: Vec<f64> = spectrum.shells.iter().map(|shell| shell.share).collect();
        let Some(restored) = correction(&modes, &shares) else {
            return refuse(
                "shells",
                "too few for the periods of the inlet: more give all components".to_owned(),
            );
        };
        let amplitudes = (0..modes.len()).map(|n| amplitude(shares[n / MODES_OF_A_SHELL]));
        let directions = modes
            .iter()
            .zip(amplitudes)
            .map(|(mode, a)| mode.direction.map(|c| c * a));
        let directions: Vec<_> = directions.collect();
        let points = surface.points(&whole, &factors, restored, self.ranks);
        let flow = surface.flow(&modes, &directions, &points, self.ranks);
        let plan = TurbulentInlet {
            waves: modes.iter().map(|mode| mode.wave).collect(),
            directions,
            phases: modes.iter().map(|mode| mode.phase).collect(),
            frequencies: modes.iter().map(|mode| mode.frequency).collect(),
            points,
        };
        let inlet = Inlet {
            name,
            spectrum,
            modes,
            ends,
            cell_size,
            centre: whole.centre,
            velocity: whole.velocity,
            periods,
            stresses: whole.stresses,
            flow,
        };
        Ok(Some((inlet, plan)))
    }

    /// Collects the points of an inlet on this rank.
    fn surface(&self, boundary: usize, inflow: &Inflow) -> Surface {
        let mut surface = Surface::default();
        let (geometry, order) = (self.values.geometry, self.values.order);
        self.values.each_point(0.0, |b, of, l, at| {
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
            let weight = self.elements.face_weights(kind.faces()[b.face].shape)[l];
            let area = geometry.areas[geometry.face_start(b.cell, b.face, order) + l];
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

    /// Returns the wave number 2 pi/eta of the dissipation, for the viscosity of the initial state at the centre and
    /// the dissipation rate 0.43 k^(3/2)/L11 of high Reynolds numbers (S. B. Pope, Turbulent Flows, 2000, 6.5).
    fn dissipation(&self, whole: &Whole, length: f64) -> f64 {
        let gas = self.values.gas;
        let (Some(viscosity), Some([rho, p])) = (gas.viscosity, self.values.initial_gas(whole.centre)) else {
            return f64::INFINITY;
        };
        let nu = viscosity.mu(p / (rho * gas.gas_constant)) / rho;
        let [uu, vv, ww, ..] = whole.stresses;
        let rate = 0.43 * (0.5 * (uu + vv + ww)).powf(1.5) / length;
        std::f64::consts::TAU * (rate / nu.powi(3)).sqrt().sqrt()
    }
}

/// The factor of the stresses of each point, or what is wrong at one.
type Factors = Result<Vec<[f64; 6]>, (crate::input::InvalidValue, [f64; 3])>;

impl Surface {
    /// Returns the factors of the stresses at all points.
    fn factors(&self, inflow: &Inflow) -> Factors {
        let points = self.x.iter().zip(&self.velocities);
        let factor = |(&x, &v): (&[f64; 3], &[f64; 3])| inflow.turbulence.factor(x, length(v)).map_err(|e| (e, x));
        points.map(factor).collect()
    }

    /// Returns what the inlet has as a whole; `None` if it has no area. Collective.
    fn whole(&self, inflow: &Inflow, factors: &[[f64; 6]], ranks: &Ranks) -> Option<Whole> {
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
    fn points(&self, whole: &Whole, factors: &[[f64; 6]], restored: [f64; 6], ranks: &Ranks) -> Vec<TurbulentPoint> {
        // The correction is proportional to the fluctuations, so that it vanishes where they do.
        let size = |factor: &[f64; 6]| (factor.iter().map(|a| a * a).sum::<f64>() / 3.0).sqrt();
        let terms = factors.iter().zip(&self.areas);
        let flow: ExactSum = terms
            .map(|(factor, &area)| size(factor) * dot(area, whole.normal))
            .collect();
        let [flow] = ExactSum::allreduce(ranks, [flow]);
        let flow = flow.value();
        let per_flow = if flow > 0.0 { 1.0 / flow } else { 0.0 };
        let point = |(number, factor): (usize, &[f64; 6])| TurbulentPoint {
            number: self.numbers[number],
            x: minus(self.x[number], whole.centre),
            factor: product(*factor, restored),
            shift: whole.normal.map(|c| c * size(factor) * per_flow),
        };
        factors.iter().enumerate().map(point).collect()
    }

    /// Returns the volume flow of each mode: the amplitudes of its cosine and of its sine in time. Collective.
    fn flow(&self, modes: &[Mode], directions: &[[f64; 3]], points: &[TurbulentPoint], ranks: &Ranks) -> Vec<[f64; 2]> {
        let mut sums = vec![ExactSum::default(); 2 * modes.len()];
        for (n, mode) in modes.iter().enumerate() {
            for (point, &area) in points.iter().zip(&self.areas) {
                let flow = dot(apply(point.factor, directions[n]), area);
                let turns = fraction(dot(mode.wave, point.x));
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

/// Returns the leading digits of a number.
fn short(value: f64) -> String {
    match value {
        0.01.. => format!("{value:.3}"),
        _ => format!("{value:.2e}"),
    }
}

/// Returns a vector in brackets.
fn vector([x, y, z]: [f64; 3]) -> String {
    format!("[{x:.3}, {y:.3}, {z:.3}]")
}
