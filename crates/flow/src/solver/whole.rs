//! The solver as a whole: its domain, the device with the state, and what takes part in a run. Its methods hand their
//! work to the floors below; `setup.rs` builds it.

use std::ops::Deref;
use std::path::Path;

use super::boundary_fluxes::BoundaryFluxes;
use super::bulk::Bulk;
use super::domain::Domain;
use super::filter::{self, Filtered};
use super::gpus::Gpus;
use super::initial_points::InitialPoints;
use super::levels::{self, LevelShares};
use super::notes::Notes;
use super::participant::{Participant, Participants, Restart, RestartState};
use super::participants::bars::{AllBars, BarLoads, Bars};
use super::participants::inlets::{Inlet, Inlets};
use super::participants::mass_flow::MassFlow;
use super::participants::relaxed;
use super::participants::source::Source;
use super::participants::sponge_size::SpongeSize;
use super::participants::sponges::AllSponges;
use super::rhs::RightHandSide;
use super::stages::{self, Stage};
use super::{SetupError, StepError};
use super::{exchange, step, time_step};
use crate::device::{Device, DeviceError, Span, TimeStepBounds};
use crate::element::StabilityLimits;
use crate::halo::times::Times;
use crate::halo::{Exchange, Routes};
use crate::io::CheckpointData;
use crate::physics::{Shock, Sponge};
use crate::runge_kutta::TimeScheme;

/// A case on its mesh and device. It reads as its [`Domain`], which does not change.
pub struct Solver {
    /// What does not change during a run.
    pub domain: Domain,
    /// Linear stability limits of the scheme, by kind of cell.
    pub limits: [StabilityLimits; 4],
    /// The device that holds the state.
    pub device: Box<dyn Device>,
    /// The GPUs of all ranks.
    pub gpus: Gpus,
    /// Time integrator.
    pub time_scheme: TimeScheme,
    /// The right-hand side, with the exchange and the stages of a step.
    pub(super) right_hand_side: RightHandSide,
    /// What moves, what is held, and what the host writes.
    pub(super) participants: Participants,
    /// Steps since the last look at the notes of the device ([`Solver::look`]).
    pub(super) steps_since_look: u64,
}

impl Deref for Solver {
    type Target = Domain;

    fn deref(&self) -> &Domain {
        &self.domain
    }
}

/// The run: steps, their length, and the verbs of the participants.
impl Solver {
    /// Advances the state by `dt` from `time`. Collective.
    ///
    /// # Errors
    /// A boundary value is not valid at the time of a stage, or the device fails.
    pub fn step(&mut self, time: f64, dt: f64) -> Result<(), StepError> {
        let moments = self.moments(time, dt);
        let device = self.device.as_mut();
        self.steps_since_look += 1;
        device.set_step_number(self.steps_since_look)?;
        let (rhs, participants) = (&mut self.right_hand_side, &mut self.participants);
        step::step(&self.domain, rhs, participants, device, dt, &moments)
    }

    /// Returns the moments of a step that starts at `time`.
    pub(super) fn moments(&self, time: f64, dt: f64) -> Vec<f64> {
        stages::moments(self.time_scheme, time, dt)
    }

    /// Returns dU/dt of the present state, `[cell][5][point]`. Collective.
    ///
    /// # Errors
    /// A boundary value is not valid at this time, or the device fails.
    pub fn rhs(&mut self, time: f64) -> Result<Vec<f64>, StepError> {
        self.evaluate_rhs(time)?;
        Ok(self.device.rhs()?)
    }

    /// Computes dU/dt of the present state and leaves it on the device, where integrals and fluxes read it. Collective.
    ///
    /// # Errors
    /// A boundary value is not valid at this time, or the device fails.
    pub fn evaluate_rhs(&mut self, time: f64) -> Result<(), StepError> {
        let device = self.device.as_mut();
        self.participants.set_data(&self.domain, device, time)?;
        self.begin_step(&self.moments(time, 0.0))?;
        Ok(self.right_hand_side.evaluate_alone(self.device.as_mut())?)
    }

    /// Lets all participants prepare a step with these times of its stages. Collective.
    ///
    /// # Errors
    /// The device fails.
    pub fn begin_step(&mut self, moments: &[f64]) -> Result<(), DeviceError> {
        self.participants.begin_step(self.device.as_mut(), moments)
    }

    /// Lets what begins with the first time step, as bars do, begin at this time with this step, unless it has begun.
    /// Returns whether something begins now; the time step must then be taken anew.
    pub fn begin(&mut self, time: f64, dt: f64) -> bool {
        self.participants.begin(time, dt)
    }

    /// Adjusts what the case holds and advances the running means of sponges, unless that was done at this very time.
    /// Collective.
    ///
    /// # Errors
    /// A boundary value is not valid at this time, or the device fails.
    pub fn adjust_controls(&mut self, time: f64) -> Result<(), StepError> {
        self.participants.adjust(&self.domain, self.device.as_mut(), time)
    }

    /// Adds what continues beside the state to a checkpoint. Collective.
    ///
    /// # Errors
    /// The device fails.
    pub fn save_controls(&self, data: &mut CheckpointData) -> Result<(), StepError> {
        self.participants.save(&self.domain, self.device.as_ref(), data)
    }

    /// Continues with what a checkpoint has beside the state, which the device holds. Collective.
    ///
    /// # Errors
    /// A boundary value is not valid at this time, or the device fails.
    pub fn restore_controls(&mut self, data: &CheckpointData, state: RestartState, time: f64) -> Result<(), StepError> {
        let from = Restart { data, state, time };
        self.participants.restore(&self.domain, self.device.as_mut(), &from)
    }

    /// Computes the time-step bounds of the present state and checks that it is physical, over all ranks. Cells are
    /// given by their numbers in the whole mesh. Collective.
    ///
    /// # Errors
    /// The device fails.
    pub fn time_step_bounds(&mut self) -> Result<TimeStepBounds, DeviceError> {
        time_step::bounds(&self.domain, self.device.as_mut(), None)
    }

    /// Computes the same with the classes that the cells would have in the paired scheme, and returns these.
    /// Collective.
    ///
    /// # Errors
    /// The device fails.
    pub fn bounds_if_paired(
        &mut self,
        limits: &[StabilityLimits; 4],
    ) -> Result<(TimeStepBounds, Vec<u8>), DeviceError> {
        let classes = levels::classes(&self.mesh, &self.geometry, limits, &self.ranks);
        let bounds = time_step::bounds(&self.domain, self.device.as_mut(), Some(&classes))?;
        Ok((bounds, classes))
    }

    /// Returns what the device noted since the last look, over all ranks. Collective.
    ///
    /// # Errors
    /// The device fails.
    pub fn look(&mut self) -> Result<Notes, DeviceError> {
        let (device, cells) = (self.device.as_ref(), self.domain.mesh.len());
        Notes::take(device, &self.domain.ranks, cells, self.steps_since_look)
    }

    /// Lets the device begin its notes anew.
    ///
    /// # Errors
    /// The device fails.
    pub fn begin_notes(&mut self) -> Result<(), DeviceError> {
        self.steps_since_look = 0;
        self.device.forget_fault()?;
        self.device.forget_filter_acts()
    }

    /// Keeps the present state on the device, to begin again from there.
    ///
    /// # Errors
    /// The device fails.
    pub fn keep(&mut self) -> Result<(), DeviceError> {
        self.device.keep()
    }

    /// Begins again from the state that was kept. What takes part beside the state must be as it was then.
    ///
    /// # Errors
    /// The device fails.
    pub fn take_back(&mut self) -> Result<(), DeviceError> {
        self.begin_notes()?;
        self.device.take_back()
    }

    /// Returns the largest step that convection and sound allow, in units of time.
    pub fn acoustic_step(&self, bounds: &TimeStepBounds) -> f64 {
        time_step::acoustic_step(self.time_scheme, &self.limits, bounds)
    }

    /// Returns the largest step that viscosity and heat conduction allow, in units of time.
    pub fn viscous_step(&self, bounds: &TimeStepBounds) -> f64 {
        time_step::viscous_step(self.time_scheme, &self.limits, bounds)
    }

    /// Returns the largest stable step, in units of time.
    pub fn stable_step(&self, bounds: &TimeStepBounds) -> f64 {
        self.stable_step_of(self.time_scheme, &self.limits, bounds)
    }

    /// Returns the largest stable step of a time scheme with these limits, in units of time.
    pub fn stable_step_of(&self, scheme: TimeScheme, limits: &[StabilityLimits; 4], bounds: &TimeStepBounds) -> f64 {
        let damping = self.participants.damping(scheme.damping_limit());
        time_step::stable_step(scheme, limits, bounds, damping)
    }

    /// Takes the state from a solution file of this mesh in place of the initial state of the case. Collective.
    ///
    /// # Errors
    /// The file cannot be read or is no solution, a state in it is not physical, or the device fails.
    pub fn set_state_of_solution(&mut self, path: &Path) -> Result<(), SetupError> {
        let points = InitialPoints {
            mesh: &self.mesh,
            geometry: &self.geometry,
            order: self.elements.order,
            gas: &self.gas,
            ranks: &self.ranks,
        };
        let state = points.state_of_solution(path)?;
        self.device.set_state(&state)?;
        if self.filters() {
            self.device.begin_filter()?;
        }
        Ok(())
    }

    /// Waits until the devices of all ranks are idle. Collective.
    ///
    /// # Errors
    /// The device fails.
    pub fn synchronize(&mut self) -> Result<(), DeviceError> {
        self.device.synchronize()?;
        self.ranks.barrier();
        Ok(())
    }

    /// Closes the access to other ranks' memory. No rank may free its memory before all have done so. Collective.
    ///
    /// # Errors
    /// The device fails.
    pub fn disconnect(&mut self) -> Result<(), DeviceError> {
        // No rank may leave while its last values are on their way to another one.
        self.synchronize()?;
        if let Some(transport) = self.device.transport() {
            transport.connect(Vec::new())?;
        }
        self.ranks.barrier();
        Ok(())
    }
}

/// Participants, by their kind.
impl Solver {
    /// Returns the participant of a kind, if the case has it.
    pub fn participant<T: Participant>(&self) -> Option<&T> {
        self.participants.find()
    }

    /// Sets a volume source, which replaces the one of the case.
    ///
    /// # Errors
    /// The device fails.
    pub fn set_source(&mut self, source: Source) -> Result<(), DeviceError> {
        source.write(&self.domain, self.device.as_mut(), 0.0)?;
        self.participants.replace(source);
        Ok(())
    }

    /// Returns the rows of bars.
    pub fn bars(&self) -> &[Bars] {
        self.participant().map_or(&[], AllBars::rows)
    }

    /// Returns eta of a row of bars; `None` before the bars begin.
    pub fn eta(&self, row: usize) -> Option<f64> {
        self.participant::<AllBars>()?.eta(row)
    }

    /// Computes what the bars of a row do to the gas at the present state, by the number of the bar; none without such
    /// a row. Collective.
    ///
    /// # Errors
    /// The device fails.
    pub fn bar_loads(&mut self, row: usize, time: f64) -> Result<Vec<BarLoads>, DeviceError> {
        let moments = self.moments(time, 0.0);
        match self.participants.find::<AllBars>() {
            Some(bars) => bars.loads(&self.domain, self.device.as_mut(), row, &moments),
            None => Ok(Vec::new()),
        }
    }

    /// Returns the largest stable step once the bars have begun with the step `dt`, if `stable` is the largest without
    /// them.
    pub fn stable_step_with_bars(&self, stable: f64, dt: f64) -> f64 {
        let strongest = self.participant().map_or(0.0, AllBars::strongest);
        1.0 / (1.0 / stable + strongest / dt / self.time_scheme.damping_limit())
    }

    /// Returns the sponges with their sizes in this mesh.
    pub fn sponges(&self) -> impl Iterator<Item = (&Sponge, &SpongeSize)> {
        self.participant().into_iter().flat_map(AllSponges::sizes)
    }

    /// Returns the turbulent inlets, in the order of the boundaries of the mesh.
    pub fn inlets(&self) -> &[Inlet] {
        self.participant().map_or(&[], Inlets::list)
    }

    /// Returns the force per volume that holds the mass flow at present, and its direction (0, 1, 2); `None` if the
    /// case holds no mass flow.
    pub fn mass_flow_force(&self) -> Option<(f64, usize)> {
        self.participant().map(MassFlow::force)
    }

    /// Sets the force that holds the mass flow, if the case has one.
    ///
    /// # Errors
    /// The device fails.
    pub fn set_mass_flow_force(&mut self, force: f64) -> Result<(), DeviceError> {
        match self.participants.find_mut::<MassFlow>() {
            Some(flow) => flow.set_force(self.device.as_mut(), force),
            None => Ok(()),
        }
    }

    /// Returns the largest rate (1/time) of each boundary, 0 if it does not relax. Of an outlet that holds a mean it is
    /// the rate of that mean. Collective.
    ///
    /// # Errors
    /// A boundary value is not valid at the start.
    pub fn relaxation_rates(&self) -> Result<Vec<f64>, StepError> {
        relaxed::rates(&self.domain, self.device.plan())
    }
}

/// What outputs, checks and benchmarks ask.
impl Solver {
    /// Returns for each boundary that prescribes the velocity of the gas the volume per time that leaves through it at
    /// the start, and `None` for the others. Collective.
    pub fn prescribed_outflows(&self) -> Vec<Option<f64>> {
        let domain = &self.domain;
        let values = domain.boundary_values(self.device.plan());
        values.prescribed_outflows(&domain.elements, &domain.ranks)
    }

    /// Computes mass and momentum of the domain at the present state. Collective.
    ///
    /// # Errors
    /// The device fails.
    pub fn bulk(&mut self) -> Result<Bulk, DeviceError> {
        let domain = &self.domain;
        Bulk::take(self.device.as_mut(), domain.geometry.volume, &domain.ranks)
    }

    /// Finds the faces of the boundaries, through which fluxes are then taken. Collective.
    pub fn boundary_fluxes(&self) -> BoundaryFluxes {
        self.domain.boundary_fluxes(self.device.plan())
    }

    /// Returns whether the case filters the states after each stage.
    pub fn filters(&self) -> bool {
        self.shock() != Shock::None
    }

    /// Returns the filter of the states after each stage.
    pub fn shock(&self) -> Shock {
        self.right_hand_side.shock
    }

    /// Returns whether steps that lead to an unphysical state are taken back: where states are filtered.
    pub fn steps_are_taken_back(&self) -> bool {
        self.filters()
    }

    /// Returns the number of stages of a step.
    pub fn stages(&self) -> usize {
        self.right_hand_side.stages.len()
    }

    /// Returns what the filter did in the last step, or at the start with the initial state. Collective.
    ///
    /// # Errors
    /// The device fails.
    pub fn filtered(&self) -> Result<Filtered, DeviceError> {
        Filtered::take(self.device.as_ref(), &self.ranks)
    }

    /// Returns the largest Mach number at the points of the present state. Collective.
    ///
    /// # Errors
    /// The device fails.
    pub fn largest_mach(&self) -> Result<f64, DeviceError> {
        filter::largest_mach(&self.domain, self.device.as_ref())
    }

    /// Counts the points of each level, for these classes of the cells. Collective.
    pub fn level_shares(&self, classes: &[u8]) -> LevelShares {
        LevelShares::new(&self.domain, classes)
    }

    /// Returns the number of right-hand sides of a point in a step, in the paired scheme the mean of all points.
    /// Collective.
    pub fn evaluations_per_step(&self) -> f64 {
        match self.time_scheme {
            TimeScheme::Paired => self.level_shares(&self.device.plan().classes).evaluations(),
            scheme => scheme.stages() as f64,
        }
    }

    /// Warns of boundaries whose pressure or temperature is far from that of the initial state, as it is in other
    /// units.
    pub fn warn_of_other_units(&self) {
        self.boundary_values(self.device.plan()).warn_of_other_units();
    }

    /// Returns the energy that all GPUs have used since some moment before the run, in millijoules, if they count it.
    /// Collective.
    pub fn millijoules(&self) -> Option<u64> {
        self.gpus.millijoules(self.device.as_ref(), &self.ranks)
    }

    /// Returns the mean times of an exchange with other ranks, from recorded spans of a GPU's queues, or from all
    /// exchanges so far; `None` for a single rank.
    pub fn exchange_times(&self, seen: &[Span]) -> Option<Times> {
        let traffic = self.right_hand_side.exchange.as_ref().map(Exchange::traffic);
        traffic.map(|traffic| Times::new(seen, &traffic))
    }

    /// Returns the routes of traces to other ranks; `None` for a single rank.
    pub fn routes(&self) -> Option<&Routes> {
        self.right_hand_side.exchange.as_ref().map(Exchange::routes)
    }

    /// Records what the queues of a GPU and the network do in one step, from a moment at which all ranks meet. The
    /// state is not valid afterwards. Collective.
    ///
    /// # Errors
    /// The device fails.
    pub fn watch_step(&mut self) -> Result<Vec<Span>, DeviceError> {
        let participants = &self.participants;
        let work = |rhs: &mut RightHandSide, device: &mut dyn Device| step::whole_step(rhs, participants, device);
        let device = self.device.as_mut();
        exchange::watch(&mut self.right_hand_side, device, &self.domain.ranks, work)
    }

    /// Records the same for one right-hand side of the present state, which stays valid. Collective.
    ///
    /// # Errors
    /// The device fails.
    pub fn watch_rhs(&mut self) -> Result<Vec<Span>, DeviceError> {
        let device = self.device.as_mut();
        exchange::watch(&mut self.right_hand_side, device, &self.domain.ranks, |rhs, device| {
            rhs.evaluate(device, Stage::RHS_ONLY)
        })
    }
}
