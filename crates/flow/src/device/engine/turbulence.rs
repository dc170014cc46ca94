//! Turbulent inlets: their modes and points in a store, and the kernels that compute the velocity fluctuations.
//!
//! A recorded step is replayed at another time, so that the times are in memory. Two kernels are launched for each
//! moment of a step: one computes the phases of the modes in double precision, and the other sums the modes.

use super::Engine;
use crate::device::contract::{Kernel, MODE_SLICES, Stage, TURBULENT_POINTS, TURBULENT_VALUES};
use crate::device::memory::Real;
use crate::device::rounding::rounded;
use crate::device::store::{Memory, Store};
use crate::device::{Cells, DeviceError, Moment, TurbulentInlet};

/// A turbulent inlet on the device.
pub struct Inlet<S: Store> {
    /// Values of the points, `[group][TURBULENT_VALUES][point][lane]`.
    points: S::Array,
    /// Where the fluctuation of each point goes, `[group][point][lane]`.
    targets: S::Array,
    /// Wave vectors and directions, `[6][mode]`.
    modes: S::Array,
    /// Amplitudes, `[LENGTH_ROWS][mode]`, and the places of the points among the rows, `[group][point][lane]`, if the
    /// amplitudes differ along the inlet.
    along: Option<[S::Array; 2]>,
    /// Phases and frequencies, `[2][mode]`.
    phases: S::Array,
    /// Phases at the time of the launch.
    turns: S::Array,
    /// Time and correction of the mass flow of each moment.
    moments: S::Array,
    /// Number of modes with those that fill the last slice.
    count: usize,
    /// Number of groups of points.
    groups: usize,
}

impl<S: Store> Inlet<S> {
    /// Memory of the arrays.
    pub fn bytes(&self) -> usize {
        let arrays = [
            &self.points,
            &self.targets,
            &self.modes,
            &self.phases,
            &self.turns,
            &self.moments,
        ];
        let along = self.along.iter().flatten().map(Memory::bytes).sum::<usize>();
        along + arrays.map(Memory::bytes).iter().sum::<usize>()
    }
}

impl<S: Store, R: Real> Engine<S, R> {
    /// Prepares a turbulent inlet; returns its number.
    ///
    /// # Errors
    /// The device fails.
    pub fn plan_turbulence(&mut self, inlet: &TurbulentInlet) -> Result<usize, DeviceError> {
        let (store, lanes) = (&*self.store, self.plan.lanes);
        // Modes without amplitude fill the last row of slices.
        let count = inlet.waves.len().next_multiple_of(MODE_SLICES);
        let column = |values: &dyn Fn(usize) -> f64| {
            let mut column: Vec<f64> = (0..inlet.waves.len()).map(values).collect();
            column.resize(count, 0.0);
            column
        };
        let modes: Vec<f64> = [&inlet.waves, &inlet.directions]
            .into_iter()
            .flat_map(|vectors| (0..3).flat_map(move |d| column(&|n| vectors[n][d])))
            .collect();
        let phases = [column(&|n| inlet.phases[n]), column(&|n| inlet.frequencies[n])].concat();

        let size = TURBULENT_POINTS * lanes;
        let groups = inlet.points.len().div_ceil(size);
        let mut points = vec![0.0; groups * TURBULENT_VALUES * size];
        let (mut targets, mut places) = (vec![-1i64; groups * size], vec![0.0; groups * size]);
        for (number, point) in inlet.points.iter().enumerate() {
            let (group, place) = (number / size, number % size);
            let values = point.x.into_iter().chain(point.factor).chain(point.shift);
            for (i, value) in values.enumerate() {
                points[(group * TURBULENT_VALUES + i) * size + place] = value;
            }
            targets[number] = 3 * point.number as i64;
            places[number] = point.place;
        }
        let amplitudes: Vec<f64> = inlet.amplitudes.iter().flat_map(|row| column(&|n| row[n])).collect();
        let along = if amplitudes.is_empty() {
            None
        } else {
            Some([rounded::<S, R>(store, &amplitudes)?, rounded::<S, R>(store, &places)?])
        };
        let mut inlet = Inlet {
            points: rounded::<S, R>(store, &points)?,
            targets: store.zeros(size_of_val(targets.as_slice()))?,
            modes: rounded::<S, R>(store, &modes)?,
            along,
            phases: store.zeros(size_of_val(phases.as_slice()))?,
            turns: store.zeros(count * size_of::<R>())?,
            moments: store.zeros(0)?,
            count,
            groups,
        };
        store.write(&mut inlet.targets, &targets)?;
        store.write(&mut inlet.phases, &phases)?;
        self.inlets.push(inlet);
        Ok(self.inlets.len() - 1)
    }

    /// Sets time and correction of the mass flow of the moments of an inlet.
    ///
    /// # Errors
    /// The device fails.
    pub fn set_moments(&mut self, inlet: usize, moments: &[[f64; 2]]) -> Result<(), DeviceError> {
        let to = &mut self.inlets[inlet].moments;
        if to.bytes() != size_of_val(moments) {
            *to = self.store.zeros(size_of_val(moments))?;
            self.recordings = [None, None];
        }
        self.store.set(to, moments.as_flattened())
    }

    /// Computes the velocity fluctuations of all inlets at one of the moments.
    ///
    /// # Errors
    /// The device fails.
    pub fn fluctuate(&self, moment: Moment) -> Result<(), DeviceError> {
        let kernels = &self.kernels[0];
        self.store.submit(Cells::All, "inlet turbulence", |queue| {
            for inlet in &self.inlets {
                let mut params = self.params;
                params.turbulence_points = inlet.points.pointer();
                params.turbulence_targets = inlet.targets.pointer();
                params.turbulence_modes = inlet.modes.pointer();
                if let Some([amplitudes, places]) = &inlet.along {
                    params.turbulence_amplitudes = amplitudes.pointer();
                    params.turbulence_places = places.pointer();
                }
                params.turbulence_phases = inlet.phases.pointer();
                params.turbulence_turns = inlet.turns.pointer();
                params.turbulence_now = inlet.moments.pointer::<f64>().wrapping_add(2 * moment.number());
                params.mode_count = inlet.count as i64;
                params.boundary_count = inlet.groups as i64;
                if inlet.groups == 0 {
                    continue;
                }
                let phases = kernels.get(Kernel::TurbulencePhases, Stage::RhsOnly);
                let sum = kernels.get(Kernel::Turbulence, Stage::RhsOnly);
                // SAFETY: the parameters lead to the arrays of this inlet; each mode and each point is written once.
                unsafe {
                    self.store.launch(queue, phases, 0..inlet.count, &params)?;
                    self.store.launch(queue, sum, 0..inlet.groups, &params)?;
                }
            }
            Ok(())
        })
    }
}
