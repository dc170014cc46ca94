//! Turbulent inlets: the modes of each, placed on the faces of the mesh, and the moments at which a step needs them.
//!
//! Everything that is said of an inlet as a whole (centre, normal, mean velocity, size of the cells, periods, mass flow
//! of each mode) is the same on any number of ranks to the last bit: sums are exact, and the rest are extremes.

use std::sync::Arc;

use super::inlet_periods;
use super::inlet_surface::{Along, Surface, Whole};
use crate::device::{Device, DeviceError, LENGTH_ROWS, Moment, TurbulentInlet};
use crate::element::Elements;
use crate::geometry::WallDistance;
use crate::input::BadValue;
use crate::mesh::Mesh;
use crate::physics::Inflow;
use crate::physics::turbulence::{
    Draw, Ends, Factor, Mode, Spectra, Spectrum, Stream, Turbulence, cosine_of_turns, fraction, modes,
};
use crate::ranks::Ranks;
use crate::solver::boundary_values::Values;
use crate::solver::domain::Domain;
use crate::solver::error::SetupError;
use crate::solver::participant::{Case, Participant};
use crate::vector::{dot, length};

/// A turbulent inlet, for reports and for the mass flow of its fluctuations.
#[derive(Debug, Clone)]
pub struct Inlet {
    /// Name of the boundary.
    pub name: String,
    /// The spectrum; where the length varies, the one of the largest scale.
    pub spectrum: Spectrum,
    /// Smallest l_e of all points.
    pub smallest_scale: f64,
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
#[derive(Default)]
pub struct Inlets {
    /// The no-slip walls, if the length of an inlet varies and the mesh has any.
    walls: Option<Arc<WallDistance>>,
    /// In the order of the boundaries of the mesh; empty until the inlets are on the device.
    list: Vec<Inlet>,
    /// Bits of the time of the fluctuations that the device holds.
    now: Option<u64>,
}

/// What the inlets are made of.
struct Parts<'a> {
    /// Faces, conditions, gas and initial state.
    pub values: Values<'a>,
    /// The mesh.
    pub mesh: &'a Mesh,
    /// Weights of the face points.
    pub elements: &'a Elements,
    /// The no-slip walls, if the length of an inlet varies and the mesh has any.
    pub walls: Option<&'a WallDistance>,
    /// The ranks.
    pub ranks: &'a Ranks,
}

impl Inlets {
    /// Returns the turbulent inlets of a case, if it has any.
    pub fn of_case(case: &Case) -> Option<Self> {
        case.settings.turbulent().then(|| Inlets {
            walls: case.walls.cloned(),
            ..Inlets::default()
        })
    }

    /// Returns the inlets, in the order of the boundaries of the mesh.
    pub fn list(&self) -> &[Inlet] {
        &self.list
    }

    /// Sets the moments, and computes the fluctuations of the first unless the device holds them.
    fn prepare(&mut self, device: &mut dyn Device, moments: &[f64]) -> Result<(), DeviceError> {
        let now = self.now.take();
        for (number, inlet) in self.list.iter().enumerate() {
            let with_corrections = moments.iter().map(|&time| [time, inlet.correction(time)]);
            device.set_moments(number, &with_corrections.collect::<Vec<_>>())?;
        }
        if now == moments.first().map(|time| time.to_bits()) {
            Ok(())
        } else {
            device.fluctuate(Moment::BEGIN)
        }
    }
}

impl Participant for Inlets {
    /// Places the modes on the mesh and the device.
    fn place(&mut self, domain: &Domain, device: &mut dyn Device) -> Result<(), SetupError> {
        let parts = Parts {
            values: domain.boundary_values(device.plan()),
            mesh: &domain.mesh,
            elements: &domain.elements,
            walls: self.walls.as_deref(),
            ranks: &domain.ranks,
        };
        for (inlet, planned) in parts.inlets()? {
            device.plan_turbulence(&planned)?;
            self.list.push(inlet);
        }
        Ok(())
    }

    /// Sets the moments of a step, and leaves the fluctuations at the first on the device.
    fn begin_step(&mut self, device: &mut dyn Device, moments: &[f64]) -> Result<(), DeviceError> {
        if self.list.is_empty() {
            return Ok(());
        }
        self.prepare(device, moments)?;
        // The step leaves those of its last moment. Of RK4 that is its end, with which the next one mostly begins.
        self.now = moments.last().map(|time| time.to_bits());
        Ok(())
    }

    fn reach(&self, device: &mut dyn Device, moment: Moment) -> Result<(), DeviceError> {
        if self.list.is_empty() {
            return Ok(());
        }
        device.fluctuate(moment)
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

/// Returns the error of a key of the turbulence of an inlet.
fn refuse<T>(name: &str, key: &str, what: String) -> Result<T, SetupError> {
    let key = format!("boundaries.{name}.turbulence.{key}");
    Err(SetupError::Turbulence { key, what })
}

impl Parts<'_> {
    /// Returns the inlets, each with what the device is told of it. Collective.
    ///
    /// # Errors
    /// The turbulence of an inlet does not go with its mesh, or stresses are not positive definite at a point.
    fn inlets(&self) -> Result<Vec<(Inlet, TurbulentInlet)>, SetupError> {
        let turbulent = self.values.boundaries.iter().enumerate();
        let turbulent = turbulent.filter_map(|(boundary, condition)| Some((boundary, condition.turbulence()?)));
        let inlets = turbulent.map(|(boundary, inflow)| self.inlet(boundary, &inflow));
        inlets.filter_map(Result::transpose).collect()
    }

    /// Returns one inlet; `None` if no face of any rank belongs to it. Collective.
    fn inlet(&self, boundary: usize, inflow: &Inflow) -> Result<Option<(Inlet, TurbulentInlet)>, SetupError> {
        let name = self.values.names[boundary].clone();
        let turbulence = inflow.turbulence;
        let surface = Surface::new(&self.values, self.elements, boundary, inflow);
        let (factors, lengths) = self.of_points(&name, &surface, inflow)?;
        let Some(whole) = surface.whole(inflow, &factors, self.ranks) else {
            return Ok(None);
        };
        if dot(whole.velocity, whole.normal) >= 0.0 {
            let velocity = vector(whole.velocity);
            let what = format!("{velocity} does not lead into the domain, and carries no turbulence in");
            return refuse(&name, "speed", what);
        }
        let periods = self.periods(&name, &surface);
        let mut largest = [surface.cell_size, lengths.iter().copied().fold(0.0, f64::max)];
        self.ranks.allreduce_max(&mut largest);
        let [cell_size, longest] = largest;
        let ends = Ends {
            cut: std::f64::consts::PI / cell_size,
            dissipation: self.dissipation(&whole, longest),
        };
        let wanted = Wanted {
            name: &name,
            longest,
            cell_size,
            ends,
            area: whole.area,
            periods: &periods,
        };
        let (spectrum, along, smallest_scale) = self.spectra(turbulence, &surface, &lengths, &wanted)?;
        let stream = Stream {
            normal: whole.normal,
            velocity: whole.velocity,
            convection: turbulence.convection,
            periods: &periods,
        };
        let modes = modes(&spectrum, &Draw::new(turbulence.seed, &name), &stream);
        let corrections = along.corrections(&modes, &spectrum, surface.x.len());
        if self.ranks.first_rank_where(corrections.is_none()).is_some() {
            let what = "too few for the periods of the inlet: more give all components".to_owned();
            return refuse(&name, "shells", what);
        }
        let corrections = corrections.unwrap_or_default();
        let plan = TurbulentInlet {
            waves: modes.iter().map(|mode| mode.wave).collect(),
            directions: along.directions(&modes, &spectrum),
            amplitudes: along.amplitudes(modes.len()),
            phases: modes.iter().map(|mode| mode.phase).collect(),
            frequencies: modes.iter().map(|mode| mode.frequency).collect(),
            points: surface.points(&whole, &factors, &corrections, &along, self.ranks),
        };
        let flow = surface.flow(&plan, &along, self.ranks);
        let inlet = Inlet {
            name,
            spectrum,
            smallest_scale,
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

    /// Returns the factors of the stresses and the integral lengths at the points. Collective.
    fn of_points(&self, name: &str, surface: &Surface, inflow: &Inflow) -> Result<(Vec<Factor>, Vec<f64>), SetupError> {
        let values = surface.factors_and_lengths(inflow).map_err(|(wrong, at)| {
            let group = format!("boundaries.{name}");
            SetupError::from(BadValue::new(&group, wrong, at, 0.0))
        });
        let values = self.ranks.agree(values, SetupError::OnOtherRank)?;
        Ok(values.into_iter().unzip())
    }

    /// Returns the displacements under which the flow at an inlet is periodic. Collective.
    fn periods(&self, name: &str, surface: &Surface) -> Vec<[f64; 3]> {
        let found = inlet_periods::find(self.mesh, &surface.cells, self.ranks);
        if found.rotated {
            tracing::warn!(
                "boundaries.{name}.turbulence is not periodic by rotation: the fluctuations differ between the two \
                 sides that the mesh joins"
            );
        }
        found.periods
    }

    /// Returns the spectrum of the largest scale at an inlet, those along it, and the smallest scale l_e. Collective.
    fn spectra(
        &self,
        turbulence: &Turbulence,
        surface: &Surface,
        lengths: &[f64],
        wanted: &Wanted,
    ) -> Result<(Spectrum, Along, f64), SetupError> {
        let Wanted { longest, ends, .. } = *wanted;
        wanted.check_size()?;
        let (spectrum, along, smallest) = if turbulence.varies() {
            let spectra = Spectra::new(longest, ends, turbulence.shells, LENGTH_ROWS);
            let spectra = spectra.or_else(|shortest| wanted.too_short(shortest))?;
            let bound = |x: [f64; 3]| self.walls.map_or(f64::INFINITY, |walls| 2.0 * walls.at(x));
            let points = surface.x.iter().zip(lengths);
            let places: Vec<f64> = points.map(|(&x, &length)| spectra.place(length, bound(x))).collect();
            let mut extremes = [f64::NEG_INFINITY; 2];
            for place in &places {
                extremes = [extremes[0].max(*place), extremes[1].max(-place)];
            }
            self.ranks.allreduce_max(&mut extremes);
            let [spectrum, smallest] = [extremes[0], -extremes[1]].map(|place| spectra.at(place));
            (spectrum, Along::Many(spectra, places), smallest.largest_scale())
        } else {
            let spectrum = Spectrum::with_length(longest, ends, turbulence.shells);
            let spectrum = spectrum.or_else(|shortest| wanted.too_short(shortest))?;
            let scale = spectrum.largest_scale();
            (spectrum, Along::One, scale)
        };
        wanted.check_period(spectrum.largest_scale())?;
        Ok((spectrum, along, smallest))
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

/// The longest length that an inlet is to have, and what limits it.
struct Wanted<'a> {
    name: &'a str,
    longest: f64,
    cell_size: f64,
    ends: Ends,
    area: f64,
    periods: &'a [[f64; 3]],
}

impl Wanted<'_> {
    /// Refuses lengths above the size of the inlet, and an inlet without any.
    fn check_size(&self) -> Result<(), SetupError> {
        let (longest, across) = (self.longest, self.area.sqrt());
        if longest > across {
            let what = format!("{longest} is above the size of the inlet, {}", short(across));
            return refuse(self.name, "length", what);
        }
        if longest > 0.0 {
            Ok(())
        } else {
            refuse(self.name, "length", "it is 0 at all points of the inlet".to_owned())
        }
    }

    /// Returns the error of a length that is below the shortest one.
    fn too_short<T>(&self, shortest: f64) -> Result<T, SetupError> {
        let (size, shortest) = (short(self.cell_size), short(shortest));
        let kolmogorov = short(std::f64::consts::TAU / self.ends.dissipation);
        let what = format!(
            "{} is too short for the cells at the inlet, of size {size} over the order, or for the viscosity, with a \
             Kolmogorov length of {kolmogorov}: the shortest length that they leave is {shortest}",
            self.longest
        );
        refuse(self.name, "length", what)
    }

    /// Refuses a largest scale above the shortest period.
    fn check_period(&self, scale: f64) -> Result<(), SetupError> {
        let period = self.periods.iter().map(|&p| length(p)).fold(f64::INFINITY, f64::min);
        if scale <= period {
            return Ok(());
        }
        let fits = short(self.longest * period / scale);
        let scale = short(scale);
        let period = short(period);
        let what = format!(
            "{} belongs to eddies of up to {scale}, and the inlet is periodic by {period}: a length of about {fits} \
             fits",
            self.longest
        );
        refuse(self.name, "length", what)
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
