//! The calls that a solver makes to a device: fields to read or write, and kernels to launch. Each is in terms of the
//! few methods of [`Device`], so that a device does not implement them.

use super::contract::LEVELS;
use super::contract::{FilterUpdate, Kernel, RelaxedUpdate};
use super::launch::Arguments;
use super::statistics::Slots;
use super::{
    Buffer, CellTotals, Cells, Classes, Device, DeviceError, Fault, Field, FilterActs, Launch, Moment, SamplePoint,
    Sampled, Span, StageUpdate, TimeStepBounds, TurbulentInlet,
};

/// The verbs of a solver, each in terms of the methods of [`Device`].
impl dyn Device + '_ {
    /// One line for the log.
    pub fn describe(&self) -> String {
        self.info().description
    }

    /// Number of threads of a CPU.
    pub fn threads(&self) -> Option<usize> {
        self.info().threads
    }

    /// Unique number of a GPU.
    pub fn gpu(&self) -> Option<[u64; 2]> {
        self.info().gpu
    }

    /// Returns whether the halos are in the memory of a GPU.
    pub fn is_gpu(&self) -> bool {
        self.gpu().is_some()
    }

    /// Sets [`Field::State`].
    ///
    /// # Errors
    /// Like all functions of this file, it returns an error if the device fails; a later call may be the one that
    /// detects it.
    pub fn set_state(&mut self, u: &[f64]) -> Result<(), DeviceError> {
        self.write(Field::State, u)
    }

    /// Reads [`Field::State`].
    pub fn state(&self) -> Result<Vec<f64>, DeviceError> {
        self.read(Field::State)
    }

    /// Sets [`Field::Compensation`].
    pub fn set_compensation(&mut self, compensation: &[f64]) -> Result<(), DeviceError> {
        self.write(Field::Compensation, compensation)
    }

    /// Reads [`Field::Compensation`]; `None` if updates are not compensated.
    pub fn compensation(&self) -> Result<Option<Vec<f64>>, DeviceError> {
        let values = self.read(Field::Compensation)?;
        Ok((!values.is_empty()).then_some(values))
    }

    /// Reads [`Field::RightHandSide`].
    pub fn rhs(&self) -> Result<Vec<f64>, DeviceError> {
        self.read(Field::RightHandSide)
    }

    /// Sets [`Field::BoundaryData`].
    pub fn set_boundary_data(&mut self, data: &[f64]) -> Result<(), DeviceError> {
        self.write(Field::BoundaryData, data)
    }

    /// Sets [`Field::HeldPressure`].
    pub fn set_held_pressure(&mut self, values: &[f64]) -> Result<(), DeviceError> {
        self.write(Field::HeldPressure, values)
    }

    /// Sets [`Field::Relaxed`].
    pub fn set_relaxed(&mut self, values: &[f64]) -> Result<(), DeviceError> {
        self.write(Field::Relaxed, values)
    }

    /// Reads [`Field::Relaxed`].
    pub fn relaxed(&self) -> Result<Vec<f64>, DeviceError> {
        self.read(Field::Relaxed)
    }

    /// Sets [`Field::Source`].
    pub fn set_source(&mut self, source: &[f64]) -> Result<(), DeviceError> {
        self.write(Field::Source, source)
    }

    /// Sets [`Field::Force`].
    pub fn set_force(&mut self, force: [f64; 3]) -> Result<(), DeviceError> {
        self.write(Field::Force, &force)
    }

    /// Sets [`Field::FrameVelocity`].
    pub fn set_frame_velocity(&mut self, velocity: &[f64]) -> Result<(), DeviceError> {
        self.write(Field::FrameVelocity, velocity)
    }

    /// Sets [`Field::FrameSpeed`].
    pub fn set_frame_speed(&mut self, speed: &[f64]) -> Result<(), DeviceError> {
        self.write(Field::FrameSpeed, speed)
    }

    /// Sets [`Field::BoundaryFrame`].
    pub fn set_boundary_frame(&mut self, velocity: &[f64]) -> Result<(), DeviceError> {
        self.write(Field::BoundaryFrame, velocity)
    }

    /// Sets [`Field::TimeStep`].
    pub fn set_step(&mut self, dt: f64) -> Result<(), DeviceError> {
        self.write(Field::TimeStep, &[dt])
    }

    /// Sets [`Field::Bars`].
    pub fn set_bars(&mut self, numbers: &[f64]) -> Result<(), DeviceError> {
        self.write(Field::Bars, numbers)
    }

    /// Sets [`Field::InterfaceShifts`].
    pub fn set_interface_shifts(&mut self, shifts: &[f64]) -> Result<(), DeviceError> {
        self.write(Field::InterfaceShifts, shifts)
    }

    /// Sets [`Field::BarPoints`].
    pub fn place_bars(&mut self, cells: &[f64]) -> Result<(), DeviceError> {
        self.write(Field::BarPoints, cells)
    }

    /// Sets [`Field::SpongePoints`].
    pub fn place_sponges(&mut self, cells: &[f64]) -> Result<(), DeviceError> {
        self.write(Field::SpongePoints, cells)
    }

    /// Sets [`Field::SpongeTargets`].
    pub fn set_sponge_targets(&mut self, targets: &[f64]) -> Result<(), DeviceError> {
        self.write(Field::SpongeTargets, targets)
    }

    /// Reads [`Field::SpongeTargets`].
    pub fn sponge_targets(&self) -> Result<Vec<f64>, DeviceError> {
        self.read(Field::SpongeTargets)
    }

    /// Advances the targets that are running means by this time, with the state at the start of the step.
    pub fn advance_sponge_means(&mut self, interval: f64) -> Result<(), DeviceError> {
        self.launch(&[Launch::new(Kernel::SpongeMeans).with(Arguments::Interval(interval))])
    }

    /// Writes the states at the matching points of modelled walls behind `input`.
    pub fn matching_states(&mut self, input: Buffer) -> Result<(), DeviceError> {
        self.launch(&[Launch::new(Kernel::MatchingStates).of(input)])
    }

    /// Writes the ghost states of the boundary faces behind `input`, the state at a moment of the step.
    pub fn ghost_states(&mut self, input: Buffer, moment: Moment) -> Result<(), DeviceError> {
        self.launch(&[Launch::new(Kernel::GhostStates).of(input).at(moment)])
    }

    /// Writes the ghost states of the boundary faces behind `input`, the state at a moment of the step, and advances
    /// the relaxed values to those of `output`. In the paired scheme those at a cell have the share of the last rate of
    /// its level.
    pub fn ghost_states_and_relaxed(
        &mut self,
        input: Buffer,
        moment: Moment,
        output: Buffer,
        update: StageUpdate,
        shares: Option<[f64; LEVELS]>,
    ) -> Result<(), DeviceError> {
        let relaxed = Arguments::Relaxed(RelaxedUpdate::of_stage(update.stage()), shares.unwrap_or_default());
        self.launch(&[Launch::new(Kernel::GhostStates)
            .of(input)
            .at(moment)
            .into(output, update)
            .with(relaxed)])
    }

    /// Sets the relaxed values of the boundary points to those that they seek at the state at the start of the step.
    pub fn begin_relaxed(&mut self) -> Result<(), DeviceError> {
        let relaxed = Arguments::Relaxed(RelaxedUpdate::Begin, [0.0; LEVELS]);
        self.launch(&[Launch::new(Kernel::GhostStates).with(relaxed)])
    }

    /// Writes the ghost states of the state at the start of the step, and notes the mean pressure of each face of a
    /// relaxed outlet and the terms along the face.
    pub fn note_pressures(&mut self) -> Result<(), DeviceError> {
        let relaxed = Arguments::Relaxed(RelaxedUpdate::Note, [0.0; LEVELS]);
        self.launch(&[Launch::new(Kernel::GhostStates).with(relaxed)])
    }

    /// Sweep 1: viscous traces of these cells.
    pub fn sweep1(&mut self, input: Buffer, (cells, classes): (Cells, Classes)) -> Result<(), DeviceError> {
        self.launch(&[Launch::new(Kernel::Sweep1).of(input).over(cells).within(classes)])
    }

    /// Writes the ghost viscous traces of the boundary faces, for the state at a moment of the step.
    pub fn ghost_traces(&mut self, input: Buffer, moment: Moment) -> Result<(), DeviceError> {
        self.launch(&[Launch::new(Kernel::GhostTraces).of(input).at(moment)])
    }

    /// Limits density and pressure of the state at the start of the step to positive values.
    pub fn begin_filter(&mut self) -> Result<(), DeviceError> {
        self.launch(&[Launch::new(Kernel::Filter).with(Arguments::Filter(FilterUpdate::Begin))])
    }

    /// Reads [`Field::FilterStrength`].
    pub fn filter_strength(&self) -> Result<Vec<f64>, DeviceError> {
        self.read(Field::FilterStrength)
    }

    /// Reads [`Field::KeptState`].
    pub fn kept_state(&self) -> Result<Vec<f64>, DeviceError> {
        self.read(Field::KeptState)
    }

    /// Reads [`Field::Fault`].
    pub fn fault(&self) -> Result<Option<Fault>, DeviceError> {
        let values = self.read(Field::Fault)?;
        let [step, stage, cell] = values[..] else {
            return Ok(None);
        };
        Ok(Some(Fault {
            step: step as u64,
            stage: stage as u64,
            cell: cell as u64,
        }))
    }

    /// Forgets [`Field::Fault`].
    pub fn forget_fault(&mut self) -> Result<(), DeviceError> {
        self.write(Field::Fault, &[])
    }

    /// Reads [`Field::FilterActs`]; none without a filter.
    pub fn filter_acts(&self) -> Result<FilterActs, DeviceError> {
        let values = self.read(Field::FilterActs)?;
        let [changes, strength, cell] = values[..] else {
            return Ok(FilterActs::default());
        };
        Ok(FilterActs {
            changes: changes as u64,
            strength,
            cell: (cell >= 0.0).then_some(cell as u64),
        })
    }

    /// Forgets [`Field::FilterActs`].
    pub fn forget_filter_acts(&mut self) -> Result<(), DeviceError> {
        self.write(Field::FilterActs, &[])
    }

    /// Sets [`Field::StepNumber`].
    pub fn set_step_number(&mut self, number: u64) -> Result<(), DeviceError> {
        self.write(Field::StepNumber, &[number as f64])
    }

    /// Sets [`Field::CellNumbers`].
    pub fn set_cell_numbers(&mut self, numbers: &[f64]) -> Result<(), DeviceError> {
        self.write(Field::CellNumbers, numbers)
    }

    /// Bounds on the time step.
    pub fn time_step_bounds(&mut self) -> Result<TimeStepBounds, DeviceError> {
        self.time_step_bounds_of(None)
    }

    /// Bounds on the time step with these classes of the cells in the paired scheme; `None` are those of the plan.
    pub fn time_step_bounds_of(&mut self, classes: Option<&[u8]>) -> Result<TimeStepBounds, DeviceError> {
        self.launch(&[Launch::new(Kernel::TimeStepBounds)])?;
        if classes.is_none()
            && let Some(bounds) = TimeStepBounds::of_largest(&self.read(Field::LargestBounds)?)
        {
            return Ok(bounds);
        }
        let (plan, cells) = (self.plan(), self.read(Field::PerCell(Kernel::TimeStepBounds))?);
        let classes = classes.unwrap_or(&plan.classes);
        Ok(TimeStepBounds::of_cells(plan, classes, &cells))
    }

    /// Mass and momentum, [`BULKS`](super::BULKS) sums over the cells of this rank, of the state at the start of the
    /// step.
    pub fn bulk(&mut self) -> Result<CellTotals, DeviceError> {
        self.launch(&[Launch::new(Kernel::Bulk)])?;
        self.diagnostics().totals(Kernel::Bulk)
    }

    /// Integrals of a row of bars per cell, `[cell][even, odd][BAR_SUMS]` in mesh order, of the state at the start of
    /// the step: force on the gas in x and y, heat that it gets, momentum inside in x and y.
    pub fn bars(&mut self, row: usize) -> Result<Vec<f64>, DeviceError> {
        self.launch(&[Launch::new(Kernel::Bars).with(Arguments::BarRow(row))])?;
        self.read(Field::PerCell(Kernel::Bars))
    }

    /// Integrals over the cells of this rank, [`SUMS`](super::SUMS) sums and then extremes, of the state at the start
    /// of the step; needs the right-hand side of [`StageUpdate::RhsOnly`].
    pub fn integrals(&mut self) -> Result<CellTotals, DeviceError> {
        self.launch(&[Launch::new(Kernel::Integrals)])?;
        self.diagnostics().totals(Kernel::Integrals)
    }

    /// [`Field::EddyViscosity`] (density times length squared over time) of the state at the start of the step, which
    /// is that of the viscous flux; needs the ghosts that the right-hand side of [`StageUpdate::RhsOnly`] leaves. The
    /// first call allocates the array. Without a model the values are 0.
    pub fn eddy_viscosity(&mut self) -> Result<Vec<f64>, DeviceError> {
        self.launch(&[Launch::new(Kernel::EddyViscosities)])?;
        self.read(Field::EddyViscosity)
    }

    /// [`Field::BoundaryFluxes`] of the state at the start of the step; needs the ghosts and traces that the right-hand
    /// side of [`StageUpdate::RhsOnly`] leaves.
    pub fn boundary_fluxes(&mut self) -> Result<Vec<f64>, DeviceError> {
        self.launch(&[Launch::new(Kernel::BoundaryFluxes)])?;
        self.read(Field::BoundaryFluxes)
    }

    /// [`Field::SurfaceValues`] of the same state, under the same conditions. Fluxes are through the area vector of the
    /// face at the point. The first call allocates the array.
    pub fn surface_values(&mut self) -> Result<Vec<f64>, DeviceError> {
        self.launch(&[Launch::new(Kernel::SurfaceValues)])?;
        self.read(Field::SurfaceValues)
    }

    /// See [`Diagnostics::begin_statistics`](super::Diagnostics::begin_statistics).
    pub fn begin_statistics(&mut self, slots: &Slots) -> Result<(), DeviceError> {
        self.diagnostics().begin_statistics(slots)
    }

    /// See [`Diagnostics::add_to_statistics`](super::Diagnostics::add_to_statistics).
    pub fn add_to_statistics(&mut self, weight: f64) -> Result<(), DeviceError> {
        self.diagnostics().add_to_statistics(weight)
    }

    /// Reads [`Field::Statistics`].
    pub fn statistics(&self) -> Result<Vec<f64>, DeviceError> {
        self.read(Field::Statistics)
    }

    /// Sets [`Field::Statistics`].
    pub fn set_statistics(&mut self, sums: &[f64]) -> Result<(), DeviceError> {
        self.write(Field::Statistics, sums)
    }

    /// See [`Diagnostics::plan_samples`](super::Diagnostics::plan_samples).
    pub fn plan_samples(&mut self, of: Sampled, points: &[SamplePoint], room: usize) -> Result<usize, DeviceError> {
        self.diagnostics().plan_samples(of, points, room)
    }

    /// See [`Diagnostics::sample`](super::Diagnostics::sample).
    pub fn sample(&mut self, set: usize) -> Result<(), DeviceError> {
        self.diagnostics().sample(set)
    }

    /// See [`Diagnostics::samples`](super::Diagnostics::samples).
    pub fn samples(&mut self, set: usize) -> Result<Vec<f64>, DeviceError> {
        self.diagnostics().samples(set)
    }

    /// See [`Diagnostics::plan_turbulence`](super::Diagnostics::plan_turbulence).
    pub fn plan_turbulence(&mut self, inlet: &TurbulentInlet) -> Result<usize, DeviceError> {
        self.diagnostics().plan_turbulence(inlet)
    }

    /// See [`Diagnostics::set_moments`](super::Diagnostics::set_moments).
    pub fn set_moments(&mut self, inlet: usize, moments: &[[f64; 2]]) -> Result<(), DeviceError> {
        self.diagnostics().set_moments(inlet, moments)
    }

    /// See [`Diagnostics::fluctuate`](super::Diagnostics::fluctuate).
    pub fn fluctuate(&mut self, moment: Moment) -> Result<(), DeviceError> {
        self.diagnostics().fluctuate(moment)
    }

    /// Reads [`Field::BoundaryFluctuation`].
    pub fn boundary_fluctuation(&self) -> Result<Vec<f64>, DeviceError> {
        self.read(Field::BoundaryFluctuation)
    }

    /// Starts a trace of the queues of the device, if it has any.
    pub fn start_trace(&mut self) -> Result<(), DeviceError> {
        self.transport().map_or(Ok(()), |t| t.start_trace())
    }

    /// Ends the trace; returns the work of the queues, none for a CPU, which has no queues.
    pub fn finish_trace(&mut self) -> Result<Vec<Span>, DeviceError> {
        self.transport().map_or(Ok(Vec::new()), |t| t.finish_trace())
    }
}
