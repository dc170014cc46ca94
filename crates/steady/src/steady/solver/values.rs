//! The values that go from the host to a solver and back: states, sources, residuals and gradients.

use rayon::prelude::*;

use super::{FLOW, Solver, VARIABLES};
use crate::device::DeviceError;
use crate::device::store::Memory;
use crate::steady::handover::Values;
use crate::steady::machine::{Machine, upload};

impl<M: Machine> Solver<M> {
    /// Sets the state of all local vertices, with the halo.
    ///
    /// # Errors
    /// The machine fails.
    pub fn set_state(&mut self, values: &[Values]) -> Result<(), DeviceError> {
        assert_eq!(values.len(), self.vertices, "a state of all local vertices");
        let all = self.by_variable(values, values.first().copied().unwrap_or_default());
        self.store.write(&mut self.state, &all)
    }

    /// Returns the state of all local vertices.
    ///
    /// # Errors
    /// The machine fails.
    pub fn state(&self) -> Result<Vec<Values>, DeviceError> {
        let (slices, slots, variables) = (&self.slices, self.slices.slots, self.variables);
        let all = self.store.read::<f64>(&self.state, 0..variables * slots)?;
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
    ///
    /// # Errors
    /// The machine fails.
    pub fn set_source(&mut self, values: &[Values]) -> Result<(), DeviceError> {
        let values = self.by_variable(values, Values::default());
        if let Some(source) = &mut self.source {
            return self.store.write(source, &values);
        }
        let array = upload(&*self.store, &values)?;
        self.params.source = array.pointer();
        self.source = Some(array);
        self.recording = None;
        Ok(())
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
        let (slices, slots) = (&self.slices, self.slices.slots);
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
    ///
    /// # Errors
    /// The machine fails.
    pub fn residuals(&mut self) -> Result<Vec<Values>, DeviceError> {
        self.all_residuals()?;
        let (slices, slots, variables) = (&self.slices, self.slices.slots, self.variables);
        let convection = self.store.read::<f64>(&self.convection, 0..FLOW * slots)?;
        let dissipation = self.store.read::<f64>(&self.dissipation, 0..FLOW * slots)?;
        let eddy = self.store.read::<f64>(&self.eddy_sums, 0..(variables - FLOW) * slots)?;
        let source = match &self.source {
            Some(source) => Some(self.store.read::<f64>(source, 0..variables * slots)?),
            None => None,
        };
        let value = |vertex: usize, v: usize| {
            let slot = slices.slot(vertex);
            let at = v * slots + slot;
            let entering = || source.as_ref().map_or(0.0, |source| source[at]);
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
    ///
    /// # Errors
    /// The machine fails.
    pub fn state_gradients(&mut self) -> Result<Vec<[[f64; 3]; VARIABLES]>, DeviceError> {
        self.gradients()?;
        let slots = self.slices.slots;
        let all = self.store.read::<f64>(&self.gradient, 0..3 * self.variables * slots)?;
        let component = |vertex: usize, v: usize, d: usize| {
            if v < self.variables {
                all[(3 * v + d) * slots + self.slices.slot(vertex)]
            } else {
                0.0
            }
        };
        Ok((0..self.owned)
            .map(|vertex| std::array::from_fn(|v| std::array::from_fn(|d| component(vertex, v, d))))
            .collect())
    }
}
