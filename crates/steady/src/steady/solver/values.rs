//! The values that go from the host to a solver and back: states, sources, residuals and gradients.

use rayon::prelude::*;

use super::{FLOW, Solver, VARIABLES};
use crate::device::DeviceError;
use crate::device::store::Memory;
use crate::steady::handover::Values;
use crate::steady::machine::Machine;

impl<M: Machine> Solver<M> {
    /// Sets the state of all local vertices, with the halo.
    pub fn set_state(&mut self, values: &[Values]) -> Result<(), DeviceError> {
        assert_eq!(values.len(), self.vertices, "a state of all local vertices");
        let all = self.by_variable(values, values.first().copied().unwrap_or_default());
        let store = self.grid.store.clone();
        store.write(&mut self.flow.state, &all)
    }

    /// Returns the state of all local vertices.
    pub fn state(&self) -> Result<Vec<Values>, DeviceError> {
        let slices = &self.grid.slices;
        let slots = slices.slots;
        let variables = self.variables;
        let all = self.grid.store.read::<f64>(&self.flow.state, 0..variables * slots)?;
        let value = |vertex: usize, v: usize| {
            if v < variables {
                all[v * slots + slices.slot(vertex)]
            } else {
                0.0
            }
        };
        Ok((0..self.vertices)
            .into_par_iter()
            .map(|vertex| std::array::from_fn(|v| value(vertex, v)))
            .collect())
    }

    /// Sets what enters the dual cells of the owned vertices per time: mass, momentum, energy, and rho nu~ or rho k and
    /// rho omega.
    pub fn set_source(&mut self, values: &[Values]) -> Result<(), DeviceError> {
        let values = self.by_variable(values, Values::default());
        let store = self.grid.store.clone();
        if self.flow.source.bytes() == 0 {
            self.flow.source = store.zeros(size_of_val(values.as_slice()))?;
            self.flow.connect(&mut self.params);
            self.recording = None;
        }
        store.write(&mut self.flow.source, &values)
    }

    /// Chooses between states that are reconstructed to second order and those of the vertices.
    pub fn set_second_order(&mut self, second: bool) {
        if self.params.second_order != i64::from(second) {
            self.params.second_order = i64::from(second);
            self.recording = None;
        }
    }

    /// Returns values of vertices as `[variable][slot]`, with `padding` in the slots of no vertex.
    fn by_variable(&self, values: &[Values], padding: Values) -> Vec<f64> {
        let slices = &self.grid.slices;
        let slots = slices.slots;
        let mut all = vec![0.0; self.variables * slots];
        all.par_chunks_mut(slots).enumerate().for_each(|(v, of_variable)| {
            of_variable.fill(padding[v]);
            for (vertex, value) in values.iter().enumerate() {
                of_variable[slices.slot(vertex)] = value[v];
            }
        });
        all
    }

    /// Computes the residuals of the present state.
    fn all_residuals(&self) -> Result<(), DeviceError> {
        self.gradients()?;
        self.closure()?;
        self.fluxes(1.0)?;
        self.turbulence()
    }

    /// Returns the residuals of the present state, the sums of what leaves each owned dual cell per time: mass,
    /// momentum, energy, and rho nu~ or rho k and rho omega. Those of no-slip walls are the forces of the gas on them
    /// with the opposite sign.
    pub fn residuals(&mut self) -> Result<Vec<Values>, DeviceError> {
        self.balance_planes()?;
        self.all_residuals()?;
        let store = &self.grid.store;
        let slices = &self.grid.slices;
        let slots = slices.slots;
        let variables = self.variables;
        let convection = store.read::<f64>(&self.flow.convection, 0..FLOW * slots)?;
        let dissipation = store.read::<f64>(&self.flow.dissipation, 0..FLOW * slots)?;
        let eddy = store.read::<f64>(&self.flow.eddy_sums, 0..(variables - FLOW) * slots)?;
        let has_source = self.flow.source.bytes() > 0;
        let sources = if has_source { variables * slots } else { 0 };
        let source = store.read::<f64>(&self.flow.source, 0..sources)?;
        let value = |vertex: usize, v: usize| {
            let slot = slices.slot(vertex);
            let at = v * slots + slot;
            let entering = || source.get(at).copied().unwrap_or(0.0);
            match v {
                _ if v >= variables => 0.0,
                0..FLOW => convection[at] - dissipation[at] - entering(),
                _ => eddy[at - FLOW * slots] - entering(),
            }
        };
        Ok((0..self.owned)
            .into_par_iter()
            .map(|vertex| std::array::from_fn(|v| value(vertex, v)))
            .collect())
    }

    /// Returns the gradients of the present state at the owned vertices, `[vertex][variable][direction]`; zero of what
    /// the model of turbulence does not have.
    pub fn state_gradients(&mut self) -> Result<Vec<[[f64; 3]; VARIABLES]>, DeviceError> {
        self.gradients()?;
        let slices = &self.grid.slices;
        let slots = slices.slots;
        let all = self
            .grid
            .store
            .read::<f64>(&self.flow.gradient, 0..3 * self.variables * slots)?;
        let component = |vertex: usize, v: usize, d: usize| {
            if v < self.variables {
                all[(3 * v + d) * slots + slices.slot(vertex)]
            } else {
                0.0
            }
        };
        Ok((0..self.owned)
            .map(|vertex| std::array::from_fn(|v| std::array::from_fn(|d| component(vertex, v, d))))
            .collect())
    }
}
