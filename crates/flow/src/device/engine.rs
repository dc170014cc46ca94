//! What a device does in the same way on every machine: fields that are read and written, launches over cells and
//! boundary faces, statistics, samples.
//!
//! An [`Engine`] owns a [`Store`] with the arrays and kernels of a run. A device adds what only its machine has: the
//! way of traces to other ranks, and its description.

mod bars;
mod bounds;
mod cells;
mod diagnostics;
mod frames;
mod interfaces;
mod matching;
mod sampling;
mod scalars;
mod sponges;
mod statistics;
mod totals;
mod turbulence;

use std::ops::Range;
use std::rc::Rc;

pub use cells::CellLaunch;

use super::arrays::Arrays;
use super::bounds::LARGEST_BOUNDS;
use super::contract::{FilterUpdate, FilterWord, Kernel, NO_FAULT, Over, Params, RelaxedUpdate, Stage};
use super::launch::Arguments;
use super::layout::{gather, gather_cells, scatter, typical_density};
use super::memory::Real;
use super::note::{Fault, FilterActs, LAST_STEP};
use super::plan::Plan;
use super::rounding::round_into;
use super::store::{Memory, Store};
use super::{Buffer, Cells, DeviceError, FLUXES, Field, Launch, MemoryUse, Traces, Work};

/// The kernels of a group of cells, in the order of [`Kernel`]; several of those that are compiled by [`Stage`], none
/// of those that this kind of cell or a run does not have.
pub struct KernelSet<K>(pub Vec<Vec<K>>);

impl<K> KernelSet<K> {
    /// A kernel; of those that are compiled for each stage, that of `stage`.
    pub fn get(&self, kernel: Kernel, stage: Stage) -> &K {
        match &self.0[kernel as usize][..] {
            [] => unreachable!("runs launch the kernels of runs"),
            [one] => one,
            by_stage => &by_stage[stage as usize],
        }
    }
}

/// Arrays and kernels of a run in a store, in precision R.
pub struct Engine<S: Store, R: Real> {
    /// The machine.
    pub store: Rc<S>,
    /// Layout and connectivity; the device has the arrays of it.
    pub plan: Plan,
    /// Kernels of each group of cells.
    pub kernels: Vec<KernelSet<S::Kernel>>,
    /// Parameters, pointed at the arrays.
    pub params: Params<R>,
    /// Arrays.
    pub arrays: Arrays<S>,
    /// The recorded time step, and the one with [`Buffer::Start`] and [`Buffer::A`] exchanged.
    pub recordings: [Option<S::Recording>; 2],
    /// The time step on the device, which is written only when it changes.
    dt: Option<R>,
    statistics: Option<statistics::Statistics<S>>,
    totals: Vec<totals::Totals<S>>,
    samplings: Vec<sampling::Sampling<S>>,
    inlets: Vec<turbulence::Inlet<S>>,
    sponges: sponges::Places,
}

impl<S: Store, R: Real> Engine<S, R> {
    /// An engine of these arrays and kernels; points the parameters at the arrays.
    pub fn new(
        store: Rc<S>,
        plan: Plan,
        kernels: Vec<KernelSet<S::Kernel>>,
        mut params: Params<R>,
        arrays: Arrays<S>,
    ) -> Self {
        arrays.connect(&mut params);
        params.of_plan(&plan);
        Engine {
            store,
            plan,
            kernels,
            params,
            arrays,
            recordings: [None, None],
            dt: None,
            statistics: None,
            totals: Vec::new(),
            samplings: Vec::new(),
            inlets: Vec::new(),
            sponges: sponges::Places::default(),
        }
    }

    /// Memory in use.
    pub fn memory(&self) -> MemoryUse {
        let mut memory = self.arrays.memory();
        memory.other += self.statistics.as_ref().map_or(0, statistics::Statistics::bytes);
        memory.other += self.totals.iter().map(totals::Totals::bytes).sum::<usize>();
        memory.other += self.samplings.iter().map(sampling::Sampling::bytes).sum::<usize>();
        memory.other += self.inlets.iter().map(turbulence::Inlet::bytes).sum::<usize>();
        memory
    }

    /// Address of a state.
    pub fn buffer(&self, buffer: Buffer) -> *mut R {
        self.arrays.buffer(buffer).pointer()
    }

    /// Where the halos of these traces begin.
    pub fn halo(&self, traces: Traces) -> *mut R {
        match traces {
            Traces::States(buffer) => self.buffer(buffer).wrapping_add(self.plan.state_len()),
            Traces::Viscous => self.params.traces.wrapping_add(self.plan.trace_len()),
            Traces::Scalars(buffer) => self.scalars(buffer).wrapping_add(self.plan.state_len()),
            Traces::ScalarFluxes => self.scalar_fluxes().wrapping_add(self.plan.trace_len()),
        }
    }

    /// Parameters of a launch of [`Kernel::Pack`], without the list of face points and the destination.
    pub fn packing(&self, traces: Traces) -> Params<R> {
        let mut params = self.params;
        (params.u, params.sent_values) = match traces {
            Traces::States(buffer) => (self.buffer(buffer), 5),
            Traces::Viscous => (params.traces, 4),
            Traces::Scalars(buffer) => (self.scalars(buffer), 5),
            Traces::ScalarFluxes => (self.scalar_fluxes(), 4),
        };
        params
    }

    /// Exchanges [`Buffer::Start`] with [`Buffer::A`].
    pub fn swap_states(&mut self) {
        self.arrays.swap_states();
        self.arrays.connect(&mut self.params);
        self.recordings.swap(0, 1);
    }

    /// Keeps the state at the start of the step ([`super::Device::keep`]).
    ///
    /// # Errors
    /// The device fails.
    pub fn keep(&mut self) -> Result<(), DeviceError> {
        self.arrays.keep(&*self.store)
    }

    /// Begins again from the state that was kept ([`super::Device::take_back`]).
    ///
    /// # Errors
    /// The device fails.
    pub fn take_back(&mut self) -> Result<(), DeviceError> {
        self.arrays.take_back(&*self.store)
    }

    /// Address of the least entropies of the cells in a state.
    fn entropies(&self, buffer: Buffer) -> *mut R {
        self.buffer(buffer).wrapping_add(self.plan.entropy_start())
    }

    /// Does a launch of the filter.
    fn filter(&self, launch: Launch) -> Result<(), DeviceError> {
        let output = launch.update.map_or(Buffer::Start, |(output, _)| output);
        let set = |_: usize, p: &mut Params<R>| {
            p.out = self.buffer(output);
            p.stage_number = launch.stage as i64;
            launch.arguments.set(p);
            if self.plan.entropy {
                (p.entropy, p.entropy_out) = (self.entropies(launch.input), self.entropies(output));
            }
        };
        let over = CellLaunch {
            kernel: launch.kernel,
            stage: Stage::RhsOnly,
            input: launch.input,
            classes: launch.classes,
            set: &set,
        };
        self.over_cells("filter", launch.cells, &[over])?;
        // Packing in the queue of the frontier comes after a filter of all cells.
        match launch.update {
            None => self.store.submit(Cells::Frontier, "filter", |_| Ok(())),
            Some(_) => Ok(()),
        }
    }

    /// Launches a kernel over the boundary faces of every set. `count` of the parameters is the number of items. The
    /// relaxed values of the points advance by the update of the launch, if it has one.
    fn over_boundary(&self, launch: Launch, count: impl Fn(&Params<R>) -> i64) -> Result<(), DeviceError> {
        let mut params = self.params;
        params.u = self.buffer(launch.input);
        self.see_scalars(launch, &mut params);
        launch.moment.set(&mut params);
        if self.arrays.relaxed_start.bytes() > 0 {
            params.relaxed = self.arrays.relaxed(launch.input).pointer();
            params.relaxed_update = RelaxedUpdate::Keep as i64;
            launch.arguments.set(&mut params);
            if let Some((output, update)) = launch.update {
                let numbers = update.numbers();
                params.relaxed_out = self.arrays.relaxed(output).pointer();
                params.fraction = R::from_f64(numbers.fraction);
                params.weight = R::from_f64(numbers.weight);
            }
        }
        self.store.submit(Cells::All, "boundary faces", |queue| {
            let sets = &self.plan.boundary_sets;
            self.store.concurrently(queue, sets.len(), |queue, number| {
                let kernel = self.kernels[sets[number].group].get(launch.kernel, Stage::RhsOnly);
                let params = params.of_boundary_set(&self.plan, &sets[number]);
                // SAFETY: the parameters lead to the arrays of this run, which the plan has laid out for these faces; a
                // kernel writes only the values of its own faces.
                unsafe { self.store.launch(queue, kernel, 0..count(&params) as usize, &params) }
            })
        })
    }

    /// Does launches that are independent of each other ([`super::Device::launch`]).
    ///
    /// # Errors
    /// The device fails, or a kernel takes arguments of its own.
    pub fn launch(&mut self, launches: &[Launch]) -> Result<(), DeviceError> {
        for launch in launches {
            match launch.kernel {
                Kernel::SurfaceValues => self.arrays.add_surface_values(&*self.store, &self.plan)?,
                Kernel::EddyViscosities => self.arrays.add_eddy(&*self.store)?,
                _ => continue,
            }
            self.arrays.connect(&mut self.params);
        }
        let over_cells = |kernel: Kernel| {
            let of_its_own = matches!(
                kernel,
                Kernel::Filter
                    | Kernel::TimeStepBounds
                    | Kernel::Statistics
                    | Kernel::StrainStatistics
                    | Kernel::ScalarStatistics
            );
            kernel.spec().over == Over::Cells && !of_its_own
        };
        if launches.iter().all(|launch| over_cells(launch.kernel)) {
            return self.launch_over_cells(launches);
        }
        launches.iter().try_for_each(|&launch| match launch.kernel.spec().over {
            Over::Cells if launch.kernel == Kernel::Filter => self.filter(launch),
            Over::Cells if launch.kernel == Kernel::TimeStepBounds => self.bound_steps(launch),
            Over::Cells if over_cells(launch.kernel) => self.launch_over_cells(&[launch]),
            Over::MatchingPoints => self.over_matching_points(launch.kernel, launch.input),
            Over::BoundaryPoints => {
                self.at_interfaces(launch)?;
                self.over_boundary(launch, |p| p.boundary_count)
            }
            Over::BoundaryFaces => self.over_boundary(launch, |p| p.boundary_count / p.face_size),
            Over::Cells | Over::Items | Over::Groups => Err(DeviceError::Lacking(
                "a kernel with arguments of its own, launched without them,",
            )),
        })
    }

    /// Reads a field ([`super::Device::read`]).
    ///
    /// # Errors
    /// The device fails, or the field cannot be read.
    pub fn read(&self, field: Field) -> Result<Vec<f64>, DeviceError> {
        let (arrays, plan) = (&self.arrays, &self.plan);
        let state = |array: &S::Array| -> Result<Vec<f64>, DeviceError> {
            Ok(gather::<R>(plan, &self.store.read(array, 0..plan.state_len())?, 5))
        };
        Ok(match field {
            Field::State => state(&arrays.start)?,
            Field::RightHandSide => state(&arrays.acc)?,
            Field::EddyViscosity => {
                let all = 0..arrays.eddy.bytes() / size_of::<R>();
                gather::<R>(plan, &self.store.read(&arrays.eddy, all)?, 1)
            }
            Field::FilterStrength => {
                let all = 0..arrays.filter_strength.bytes() / size_of::<R>();
                let values = self.store.read::<R>(&arrays.filter_strength, all)?;
                if values.is_empty() {
                    Vec::new()
                } else {
                    gather_cells::<R>(plan, &values, 1)
                }
            }
            Field::Scalars => self.read_scalars(&arrays.scalars_start)?,
            Field::ScalarCompensation => self.read_scalars(&arrays.scalars_kahan)?,
            Field::KeptState if arrays.kept_state.bytes() == 0 => Vec::new(),
            Field::KeptState => state(&arrays.kept_state)?,
            Field::Fault => {
                let fault = Fault::of_word(self.store.read(&arrays.fault, 0..1)?[0]);
                fault.map_or(Vec::new(), |f| vec![f.step as f64, f.stage as f64, f.cell as f64])
            }
            Field::FilterActs if arrays.filter_acts.bytes() == 0 => Vec::new(),
            Field::FilterActs => {
                let acts = FilterActs::of_words(&self.store.read(&arrays.filter_acts, 0..FilterWord::COUNT)?);
                vec![
                    acts.changes as f64,
                    acts.strength,
                    acts.cell.map_or(-1.0, |cell| cell as f64),
                ]
            }
            Field::Compensation if arrays.kahan_term.bytes() == 0 => Vec::new(),
            Field::Compensation => state(&arrays.kahan_term)?,
            Field::HaloStates => self.halo_values(&arrays.start, plan.state_len()..plan.ghost_start())?,
            Field::HaloTraces if arrays.traces.bytes() == 0 => Vec::new(),
            Field::HaloTraces => self.halo_values(&arrays.traces, plan.trace_len()..plan.ghost_trace_start())?,
            Field::LargestBounds => {
                let words = self.store.read::<i64>(&arrays.largest_bounds, 0..LARGEST_BOUNDS)?;
                words.iter().map(|&bits| f64::from_bits(bits as u64)).collect()
            }
            Field::PerCell(kernel) => {
                let values = kernel.spec().values;
                let all = 0..plan.padded_cells() * values;
                gather_cells::<f64>(plan, &self.store.read(&arrays.per_cell, all)?, values)
            }
            Field::BoundaryFluctuation => {
                let all = 0..arrays.boundary_fluctuation.bytes() / size_of::<R>();
                let values = self.store.read::<R>(&arrays.boundary_fluctuation, all)?;
                values.iter().map(|x| x.to_f64()).collect()
            }
            Field::BoundaryFluxes => {
                let all = 0..FLUXES * plan.boundary_len();
                self.store.read(&arrays.boundary_fluxes, all)?.into_owned()
            }
            Field::SurfaceValues => {
                let all = 0..arrays.surface_values.bytes() / size_of::<f64>();
                self.store.read(&arrays.surface_values, all)?.into_owned()
            }
            Field::NotedPressure => {
                let all = 0..arrays.noted_pressure.bytes() / size_of::<f64>();
                self.store.read(&arrays.noted_pressure, all)?.into_owned()
            }
            Field::NotedAlong => {
                let all = 0..arrays.relaxed_sum.bytes() / size_of::<f64>();
                self.store.read(&arrays.relaxed_sum, all)?.into_owned()
            }
            Field::Relaxed => {
                let all = 0..arrays.relaxed_start.bytes() / size_of::<f64>();
                self.store.read(&arrays.relaxed_start, all)?.into_owned()
            }
            Field::Statistics => self.gathered_statistics()?,
            Field::SpongeTargets => self.sponge_targets()?,
            Field::Source
            | Field::Force
            | Field::TimeStep
            | Field::Bars
            | Field::InterfaceShifts
            | Field::BarPoints
            | Field::SpongePoints
            | Field::BoundaryData
            | Field::ScalarData
            | Field::FrameVelocity
            | Field::BoundaryFrame
            | Field::HeldPressure
            | Field::StepNumber
            | Field::CellNumbers
            | Field::FrameSpeed
            | Field::Traces => return Err(DeviceError::Access(field, "read")),
        })
    }

    /// Values of an array behind those of the cells.
    fn halo_values(&self, array: &S::Array, range: Range<usize>) -> Result<Vec<f64>, DeviceError> {
        let values = self.store.read::<R>(array, range)?;
        Ok(values.iter().map(|x| x.to_f64()).collect())
    }

    /// Writes a field ([`super::Device::write`]).
    ///
    /// # Errors
    /// The device fails, or the field cannot be written.
    pub fn write(&mut self, field: Field, values: &[f64]) -> Result<(), DeviceError> {
        match field {
            Field::State => {
                self.write_state(|arrays| &mut arrays.start, values)?;
                self.store.clear(&mut self.arrays.kahan_term)?;
                // Steps recorded so far have another density.
                self.recordings = [None, None];
                self.params.typical_rho = R::from_f64(typical_density(&self.plan, values));
                if self.params.shock != 0 {
                    let resume = Arguments::Filter(FilterUpdate::Resume);
                    self.filter(Launch::new(Kernel::Filter).with(resume))?;
                }
            }
            Field::Compensation => {
                if self.arrays.kahan_term.bytes() > 0 {
                    self.write_state(|arrays| &mut arrays.kahan_term, values)?;
                }
            }
            Field::Scalars | Field::ScalarCompensation | Field::ScalarData => self.write_scalars(field, values)?,
            Field::Source if values.is_empty() => {
                if self.arrays.remove_source(&*self.store)? {
                    // Steps recorded so far read it.
                    self.recordings = [None, None];
                    self.arrays.connect(&mut self.params);
                }
            }
            Field::Source => {
                if self.arrays.add_source(&*self.store)? {
                    // Steps recorded so far know of no source.
                    self.recordings = [None, None];
                    self.arrays.connect(&mut self.params);
                }
                self.write_state(|arrays| &mut arrays.source, values)?;
            }
            Field::Force => {
                if self.params.force.is_null() {
                    // Steps recorded so far know of no force.
                    self.recordings = [None, None];
                    self.params.force = self.arrays.force.pointer();
                }
                let force: Vec<R> = values.iter().map(|&x| R::from_f64(x)).collect();
                self.store.set(&mut self.arrays.force, &force)?;
            }
            Field::Fault => self.store.set(&mut self.arrays.fault, &[NO_FAULT])?,
            Field::FilterActs => {
                if self.arrays.filter_acts.bytes() > 0 {
                    self.store
                        .set(&mut self.arrays.filter_acts, &[0i64; FilterWord::COUNT])?;
                }
            }
            Field::StepNumber => {
                let number = (values[0] as u64).min(LAST_STEP) as i64;
                self.store.set(&mut self.arrays.step_number, &[number])?;
            }
            Field::CellNumbers => {
                let plan = &self.plan;
                let number = |(slot, &cell): (usize, &usize)| {
                    if plan.slot_of_cell[cell] == slot {
                        values[cell] as i64
                    } else {
                        -1
                    }
                };
                let numbers: Vec<i64> = plan.cell_of_slot.iter().enumerate().map(number).collect();
                self.store.write(&mut self.arrays.cell_numbers, &numbers)?;
            }
            Field::TimeStep => self.set_step(R::from_f64(values[0]))?,
            Field::Bars => self.set_bars(values)?,
            Field::InterfaceShifts => self.set_interface_shifts(values)?,
            Field::BarPoints => self.place_bars(values)?,
            Field::SpongePoints => self.place_sponges(values)?,
            Field::SpongeTargets => self.set_sponge_targets(values)?,
            Field::BoundaryData => round_into::<S, R>(&*self.store, &mut self.arrays.boundary_data, values)?,
            Field::FrameVelocity => self.set_frame_velocity(values)?,
            Field::FrameSpeed => self.set_frame_speed(values)?,
            Field::BoundaryFrame => round_into::<S, R>(&*self.store, &mut self.arrays.boundary_frame, values)?,
            Field::Relaxed => self.store.write(&mut self.arrays.relaxed_start, values)?,
            Field::NotedPressure => self.store.write(&mut self.arrays.noted_pressure, values)?,
            Field::HeldPressure => self.store.set(&mut self.arrays.held_pressure, values)?,
            Field::Traces => {
                if self.arrays.traces.bytes() > 0 {
                    round_into::<S, R>(&*self.store, &mut self.arrays.traces, values)?;
                }
            }
            Field::Statistics => self.scatter_statistics(values)?,
            _ => return Err(DeviceError::Access(field, "written")),
        }
        Ok(())
    }

    fn write_state(&mut self, array: fn(&mut Arrays<S>) -> &mut S::Array, values: &[f64]) -> Result<(), DeviceError> {
        let (plan, array) = (&self.plan, array(&mut self.arrays));
        self.store
            .fill::<R>(array, plan.state_len(), |to| scatter(plan, values, 5, to))
    }

    /// Sets the time step, unless it is the one that the device has.
    fn set_step(&mut self, dt: R) -> Result<(), DeviceError> {
        let bits = |dt: R| dt.to_f64().to_bits();
        if self.dt.map(bits) != Some(bits(dt)) {
            self.store.set(&mut self.arrays.dt, &[dt])?;
            self.dt = Some(dt);
        }
        Ok(())
    }
}

/// Runs or replays `work`, which `device` does with the recording of its engine ([`super::Device::repeat`]).
///
/// # Errors
/// The work or the device fails.
pub fn repeat<S: Store, R: Real, D: super::Device>(
    device: &mut D,
    engine: fn(&mut D) -> &mut Engine<S, R>,
    work: &mut Work,
) -> Result<(), DeviceError> {
    let store = Rc::clone(&engine(device).store);
    let mut recording = engine(device).recordings[0].take();
    let done = store.repeat(&mut recording, &mut || work(device));
    engine(device).recordings[0] = recording;
    done
}
