//! The further kernels of a device ([`Diagnostics`]), which the engine has in the same way for every machine.

use super::Engine;
use crate::device::contract::Kernel;
use crate::device::memory::Real;
use crate::device::statistics::Slots;
use crate::device::store::Store;
use crate::device::{CellTotals, DeviceError, Diagnostics, Moment, SamplePoint, Sampled, TurbulentInlet};

impl<S: Store, R: Real> Diagnostics for Engine<S, R> {
    fn begin_statistics(&mut self, slots: &Slots) -> Result<(), DeviceError> {
        Engine::begin_statistics(self, slots)
    }

    fn add_to_statistics(&mut self, weight: f64) -> Result<(), DeviceError> {
        Engine::add_to_statistics(self, weight)
    }

    fn totals(&mut self, kernel: Kernel) -> Result<CellTotals, DeviceError> {
        Engine::totals(self, kernel)
    }

    fn plan_samples(&mut self, of: Sampled, points: &[SamplePoint], room: usize) -> Result<usize, DeviceError> {
        Engine::plan_samples(self, of, points, room)
    }

    fn sample(&mut self, set: usize) -> Result<(), DeviceError> {
        Engine::sample(self, set)
    }

    fn samples(&mut self, set: usize) -> Result<Vec<f64>, DeviceError> {
        Engine::samples(self, set)
    }

    fn plan_turbulence(&mut self, inlet: &TurbulentInlet) -> Result<usize, DeviceError> {
        Engine::plan_turbulence(self, inlet)
    }

    fn set_moments(&mut self, inlet: usize, moments: &[[f64; 2]]) -> Result<(), DeviceError> {
        Engine::set_moments(self, inlet, moments)
    }

    fn fluctuate(&mut self, moment: Moment) -> Result<(), DeviceError> {
        Engine::fluctuate(self, moment)
    }
}
