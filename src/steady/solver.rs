//! The explicit steps of the steady solver on a machine: a list of kernels over the vertices, and the exchange of
//! halos.
//!
//! A step has five stages. Each computes gradients and fluxes of the present state and moves the state by the residual
//! times the inverse of a block of 5 x 5, which stands for the time step of each wave. The equation of the turbulence
//! model is solved after them with a scalar step of its own.

use std::ops::Range;
use std::rc::Rc;

use super::conditions::BoundaryList;
use super::dual::DualMesh;
use super::exchange::Exchange;
use super::handover::Values;
use super::machine::{Machine, upload};
use super::scheme::{ALPHA, BLEND, STAGES, Scheme};
use super::slices::{Arrangement, Slices};
use crate::device::contract::{SteadyKernel, SteadyParams};
use crate::device::store::Memory;
use crate::device::{Cells, DeviceError};
use crate::physics::{Gas, ViscosityLaw};
use crate::ranks::Ranks;

/// Number of variables of the state: density, velocity, temperature, nu~.
pub(super) const VARIABLES: usize = 6;
/// Numbers of the gradient of a state.
const GRADIENT: usize = 3 * VARIABLES;
/// Most numbers of a vertex that are exchanged at once: a block of 5 x 5.
const MOST_EXCHANGED: usize = 25;

/// The steady solver on one rank.
pub struct Solver<M: Machine> {
    pub(super) store: Rc<M>,
    kernels: Rc<Vec<M::Kernel>>,
    pub(super) params: SteadyParams,
    pub(super) state: M::Array,
    /// The state at the beginning of the step.
    start: M::Array,
    convection: M::Array,
    dissipation: M::Array,
    eddy_sums: M::Array,
    gradient: M::Array,
    source: Option<M::Array>,
    /// Arrays that only kernels use.
    _kept: Vec<M::Array>,
    boundaries: Vec<BoundaryOnDevice<M::Array>>,
    exchange: Exchange<M>,
    pub(super) slices: Slices,
    pub(super) slice: usize,
    owned: usize,
    vertices: usize,
    recording: Option<M::Recording>,
    /// Whether it is that of a coarse level of a multigrid cycle.
    is_coarse: bool,
}

/// A boundary in the memory of the machine.
struct BoundaryOnDevice<A> {
    vertex: A,
    area: A,
    data: A,
    kind: i64,
    count: usize,
}

/// Rows of no-slip walls as the kernels read them: the row of each slot, and `[4][row]` velocity and temperature. Row 0
/// is that of all other vertices.
fn walls(boundaries: &[BoundaryList], slices: &Slices) -> (Vec<i32>, Vec<f64>, usize) {
    let (mut row_of, mut rows) = (vec![0i32; slices.slots], vec![[0.0; 4]]);
    for boundary in boundaries.iter().filter(|boundary| boundary.is_no_slip()) {
        for (&vertex, data) in boundary.vertex.iter().zip(&boundary.data) {
            let row = &mut row_of[slices.slot(vertex as usize)];
            if *row == 0 {
                *row = rows.len() as i32;
                rows.push([data[0], data[1], data[2], data[3]]);
            }
        }
    }
    let values = (0..4).flat_map(|v| rows.iter().map(move |row| row[v])).collect();
    (row_of, values, rows.len())
}

impl<M: Machine> Solver<M> {
    /// Sets up the arrays of a rank. The state is zero until it is given.
    ///
    /// # Errors
    ///
    /// Returns an error if the kernels cannot be built, or there is not enough memory.
    pub fn new(
        store: M,
        dual: &DualMesh,
        boundaries: &[BoundaryList],
        gas: &Gas,
        scheme: &Scheme,
        ranks: Ranks,
    ) -> Result<Self, DeviceError> {
        let arrangement = Arrangement::natural(dual, store.slice()?);
        Solver::arranged(store, (dual, &arrangement), boundaries, gas, scheme, ranks)
    }

    /// Does the same with the vertices in another order in memory, which changes no result.
    ///
    /// # Errors
    ///
    /// Returns an error if the kernels cannot be built, or there is not enough memory.
    pub fn arranged(
        store: M,
        (dual, arrangement): (&DualMesh, &Arrangement),
        boundaries: &[BoundaryList],
        gas: &Gas,
        scheme: &Scheme,
        ranks: Ranks,
    ) -> Result<Self, DeviceError> {
        let kernels = store.kernels(&scheme.constants(gas), scheme.fast)?;
        let shared = (Rc::new(store), Rc::new(kernels), Rc::new(ranks));
        Solver::on(shared, (dual, arrangement), boundaries, gas, scheme)
    }

    /// Sets up the arrays of a coarser level on the same machine.
    ///
    /// # Errors
    ///
    /// Returns an error if there is not enough memory.
    pub(super) fn coarser(
        &self,
        dual: &DualMesh,
        boundaries: &[BoundaryList],
        gas: &Gas,
        scheme: &Scheme,
    ) -> Result<Self, DeviceError> {
        let shared = (self.store.clone(), self.kernels.clone(), self.exchange.shared_ranks());
        let arrangement = Arrangement::natural(dual, self.slice);
        let mut solver = Solver::on(shared, (dual, &arrangement), boundaries, gas, scheme)?;
        solver.is_coarse = true;
        solver.set_second_order(false);
        solver.set_source(&vec![[0.0; VARIABLES]; dual.len()])?;
        Ok(solver)
    }

    /// Sets up the arrays on a machine with its kernels.
    fn on(
        (store, kernels, ranks): (Rc<M>, Rc<Vec<M::Kernel>>, Rc<Ranks>),
        (dual, arrangement): (&DualMesh, &Arrangement),
        boundaries: &[BoundaryList],
        gas: &Gas,
        scheme: &Scheme,
    ) -> Result<Self, DeviceError> {
        let mut p = scheme.constants(gas);
        let slice = store.slice()?;
        let slices = Slices::new(dual, slice, arrangement);
        let slots = slices.slots;
        let zeros = |values: usize| store.zeros(values * slots * size_of::<f64>());
        let by_slot = |values: &[f64], padding: f64| {
            let mut all = vec![padding; slots];
            values
                .iter()
                .enumerate()
                .for_each(|(vertex, &value)| all[slices.slot(vertex)] = value);
            all
        };
        let (rows, wall_values, wall_count) = walls(boundaries, &slices);
        let (state, start, gradient) = (zeros(VARIABLES)?, zeros(VARIABLES)?, zeros(GRADIENT)?);
        let (convection, dissipation, eddy_sums) = (zeros(5)?, zeros(5)?, zeros(2)?);
        let mut kept = Vec::new();
        let mut keep = |array: M::Array| {
            kept.push(array);
            kept.last().expect("one was pushed").pointer::<u8>()
        };
        p.state = state.pointer();
        p.out = state.pointer();
        p.start = start.pointer();
        p.gradient = gradient.pointer();
        p.convection = convection.pointer();
        p.dissipation = dissipation.pointer();
        p.eddy_sums = eddy_sums.pointer();
        p.sources = keep(zeros(3)?).cast();
        p.blocks = keep(zeros(25)?).cast();
        p.volume = keep(upload(&*store, &by_slot(&dual.volume, 1.0))?).cast();
        p.wall_distance = keep(upload(&*store, &by_slot(&dual.wall_distance, 1.0))?).cast();
        p.degree = keep(upload(&*store, &slices.degree)?).cast();
        p.first_edge = keep(upload(&*store, &slices.first_edge)?).cast();
        p.neighbour = keep(upload(&*store, &slices.neighbour)?).cast();
        p.area = keep(upload(&*store, &slices.area)?).cast();
        p.displacement = keep(upload(&*store, &slices.displacement)?).cast();
        p.wall_row = keep(upload(&*store, &rows)?).cast();
        p.wall_values = keep(upload(&*store, &wall_values)?).cast();
        p.wall_count = wall_count as i64;
        p.slots = slots as i64;
        p.owned_slots = slices.owned_slots as i64;
        p.chunks = store.chunks() as i64;
        p.boundary_eddy = scheme.ratio;
        let on_device = |boundary: &BoundaryList| {
            let vertex: Vec<i32> = boundary
                .vertex
                .iter()
                .map(|&vertex| slices.slot(vertex as usize) as i32)
                .collect();
            Ok::<_, DeviceError>(BoundaryOnDevice {
                vertex: upload(&*store, &vertex)?,
                area: upload(&*store, boundary.area.as_flattened())?,
                data: upload(&*store, boundary.data.as_flattened())?,
                kind: boundary.kind as i64,
                count: vertex.len(),
            })
        };
        let boundaries = boundaries.iter().map(on_device).collect::<Result<Vec<_>, _>>()?;
        let exchange = Exchange::new(&*store, dual, &slices, MOST_EXCHANGED, ranks)?;
        Ok(Solver {
            kernels,
            params: p,
            state,
            start,
            convection,
            dissipation,
            eddy_sums,
            gradient,
            source: None,
            _kept: kept,
            boundaries,
            exchange,
            slice,
            owned: dual.owned,
            vertices: dual.len(),
            slices,
            recording: None,
            is_coarse: false,
            store,
        })
    }

    /// Returns the bytes of all arrays, without those of the exchange.
    pub fn bytes(&self) -> usize {
        let own = [
            &self.state,
            &self.start,
            &self.convection,
            &self.dissipation,
            &self.eddy_sums,
            &self.gradient,
        ];
        let boundaries = self.boundaries.iter().flat_map(|b| [&b.vertex, &b.area, &b.data]);
        let all = own.into_iter().chain(&self._kept).chain(&self.source).chain(boundaries);
        all.map(Memory::bytes).sum()
    }

    /// Sets density, velocity, temperature and nu~ of all local vertices, with the halo.
    ///
    /// # Errors
    ///
    /// Returns an error if the machine fails.
    pub fn set_state(&mut self, values: &[Values]) -> Result<(), DeviceError> {
        assert_eq!(values.len(), self.vertices, "a state of all local vertices");
        let all = self.by_variable(values);
        self.store.write(&mut self.state, &all)
    }

    /// Returns the state of all local vertices.
    ///
    /// # Errors
    ///
    /// Returns an error if the machine fails.
    pub fn state(&self) -> Result<Vec<Values>, DeviceError> {
        let all = self.store.read::<f64>(&self.state, 0..VARIABLES * self.slices.slots)?;
        let slots = (0..self.vertices).map(|vertex| self.slices.slot(vertex));
        Ok(slots
            .map(|slot| std::array::from_fn(|v| all[v * self.slices.slots + slot]))
            .collect())
    }

    /// Sets what enters the dual cells per time: mass, momentum, energy and rho nu~ of all local vertices.
    ///
    /// # Errors
    ///
    /// Returns an error if the machine fails.
    pub fn set_source(&mut self, values: &[Values]) -> Result<(), DeviceError> {
        let array = upload(&*self.store, &self.by_variable(values))?;
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

    /// Returns values of all local vertices as `[variable][slot]`; slots of no vertex hold those of the first.
    fn by_variable(&self, values: &[Values]) -> Vec<f64> {
        let slots = self.slices.slots;
        let mut all = Vec::with_capacity(VARIABLES * slots);
        for v in 0..VARIABLES {
            let begin = all.len();
            all.resize(begin + slots, values.first().map_or(0.0, |first| first[v]));
            for (vertex, value) in values.iter().enumerate() {
                all[begin + self.slices.slot(vertex)] = value[v];
            }
        }
        all
    }

    /// Returns the residuals of the present state, the sums of what leaves each owned dual cell per time: mass,
    /// momentum, energy and rho nu~. Those of no-slip walls are the forces of the gas on them with the opposite sign.
    ///
    /// # Errors
    ///
    /// Returns an error if the machine fails.
    pub fn residuals(&mut self) -> Result<Vec<Values>, DeviceError> {
        self.all_residuals()?;
        let slots = self.slices.slots;
        let convection = self.store.read::<f64>(&self.convection, 0..5 * slots)?;
        let dissipation = self.store.read::<f64>(&self.dissipation, 0..5 * slots)?;
        let eddy = self.store.read::<f64>(&self.eddy_sums, 0..slots)?;
        let source = match &self.source {
            Some(source) => Some(self.store.read::<f64>(source, 0..VARIABLES * slots)?),
            None => None,
        };
        let value = |vertex: usize, v: usize| {
            let slot = self.slices.slot(vertex);
            let entering = source.as_ref().map_or(0.0, |source| source[v * slots + slot]);
            match v {
                5 => eddy[slot] - entering,
                _ => convection[v * slots + slot] - dissipation[v * slots + slot] - entering,
            }
        };
        Ok((0..self.owned)
            .map(|vertex| std::array::from_fn(|v| value(vertex, v)))
            .collect())
    }

    /// Returns the gradients of the present state at the owned vertices, `[vertex][variable][direction]`.
    ///
    /// # Errors
    ///
    /// Returns an error if the machine fails.
    pub fn state_gradients(&mut self) -> Result<Vec<[[f64; 3]; VARIABLES]>, DeviceError> {
        self.gradients()?;
        let slots = self.slices.slots;
        let all = self.store.read::<f64>(&self.gradient, 0..GRADIENT * slots)?;
        let component = |vertex: usize, v: usize, d: usize| all[(3 * v + d) * slots + self.slices.slot(vertex)];
        Ok((0..self.owned)
            .map(|vertex| std::array::from_fn(|v| std::array::from_fn(|d| component(vertex, v, d))))
            .collect())
    }

    /// Computes the residuals of the present state.
    pub(super) fn all_residuals(&self) -> Result<(), DeviceError> {
        self.gradients()?;
        self.fluxes(1.0)?;
        if self.has_eddies() {
            self.turbulence()?;
        }
        Ok(())
    }

    /// Stores the residuals less a vector, if it is not null.
    pub(super) fn residual_less(&self, vector: *const f64, result: *mut f64) -> Result<(), DeviceError> {
        let mut params = self.params;
        (params.vector, params.result) = (vector, result);
        self.over_vertices(SteadyKernel::ResidualLess, params)
    }

    /// Keeps the state of the owned vertices as that at the beginning of a step, by a launch that can be recorded.
    pub(super) fn begin_step(&self) -> Result<(), DeviceError> {
        let mut params = self.params;
        (params.vector, params.result) = (params.state, params.start.cast_mut());
        (params.unknowns, params.basis_count, params.scale) = (VARIABLES as i64, 0, 1.0);
        self.over_vertices(SteadyKernel::Combine, params)
    }

    /// Advances nu~ alone by a step.
    pub(super) fn sweep_turbulence(&self) -> Result<(), DeviceError> {
        self.gradients()?;
        self.turbulence()?;
        self.over_vertices(SteadyKernel::TurbulenceUpdate, self.params)?;
        self.update_halo(&self.state, VARIABLES)
    }

    /// Whether the equation of the turbulence model is solved: on the finest level.
    pub(super) fn has_eddies(&self) -> bool {
        self.params.turbulence != 0 && !self.is_coarse
    }

    /// Sets the CFL number, and returns whether it changes.
    pub(super) fn set_cfl(&mut self, cfl: f64) -> bool {
        std::mem::replace(&mut self.params.cfl, cfl) != cfl
    }

    /// Advances the state by one step with this CFL number.
    ///
    /// # Errors
    ///
    /// Returns an error if the machine fails.
    pub fn step(&mut self, cfl: f64) -> Result<(), DeviceError> {
        if self.set_cfl(cfl) {
            self.recording = None;
        }
        self.store.copy(&self.state, &mut self.start)?;
        let mut recording = self.recording.take();
        let done = match self.exchange.is_alone() {
            // The launches have the same parameters every time, so that a GPU can replay them.
            true => self.store.repeat(&mut recording, &mut || self.stages()),
            false => self.stages(),
        };
        self.recording = recording;
        done
    }

    /// Advances the state from that of the beginning of the step.
    pub(super) fn stages(&self) -> Result<(), DeviceError> {
        let turbulent = self.has_eddies();
        for stage in 0..STAGES {
            self.gradients()?;
            if stage == 0 {
                self.over_vertices(SteadyKernel::Blocks, self.params)?;
                if turbulent {
                    self.turbulence()?;
                }
            }
            self.fluxes(BLEND[stage])?;
            let mut params = self.params;
            params.alpha = ALPHA[stage];
            self.over_vertices(SteadyKernel::Stage, params)?;
            if stage + 1 == STAGES && turbulent {
                self.over_vertices(SteadyKernel::TurbulenceUpdate, self.params)?;
            }
            self.update_halo(&self.state, VARIABLES)?;
        }
        Ok(())
    }

    /// The ranks of the solver.
    pub(super) fn ranks(&self) -> &Ranks {
        self.exchange.ranks()
    }

    /// Computes the gradients of the present state, with those of the halo.
    pub(super) fn gradients(&self) -> Result<(), DeviceError> {
        if self.is_coarse {
            // They stay zero: those along the edges are enough.
            return Ok(());
        }
        self.over_vertices(SteadyKernel::Gradients, self.params)?;
        self.update_halo(&self.gradient, GRADIENT)
    }

    /// Gives the halo of an array the values of the owners.
    fn update_halo(&self, array: &M::Array, values: usize) -> Result<(), DeviceError> {
        self.update_halo_at(array.pointer(), values)
    }

    /// Does the same with an array that begins at an address.
    pub(super) fn update_halo_at(&self, array: *mut f64, values: usize) -> Result<(), DeviceError> {
        let launch = |kernel, params, count| self.launch(kernel, params, 0..count);
        self.exchange.values(&self.store, self.params, (array, values), launch)
    }

    /// Computes the sums of the fluxes, with so much of the present dissipation.
    pub(super) fn fluxes(&self, blend: f64) -> Result<(), DeviceError> {
        let mut params = self.params;
        params.blend = blend;
        self.over_vertices(SteadyKernel::Convection, params)?;
        if blend > 0.0 && params.viscosity != ViscosityLaw::None as i32 {
            self.over_vertices(SteadyKernel::Diffusion, params)?;
        }
        self.over_boundaries(SteadyKernel::BoundaryConvection, params)
    }

    /// Computes the sums of the equation of the turbulence model.
    pub(super) fn turbulence(&self) -> Result<(), DeviceError> {
        self.over_vertices(SteadyKernel::SourceGradients, self.params)?;
        self.over_vertices(SteadyKernel::Turbulence, self.params)?;
        self.over_boundaries(SteadyKernel::BoundaryTurbulence, self.params)
    }

    /// Launches a kernel over the vertices of each boundary; a vertex may be on several.
    pub(super) fn over_boundaries(&self, kernel: SteadyKernel, params: SteadyParams) -> Result<(), DeviceError> {
        for boundary in &self.boundaries {
            let mut params = params;
            params.boundary_vertex = boundary.vertex.pointer();
            params.boundary_area = boundary.area.pointer();
            params.boundary_data = boundary.data.pointer();
            params.boundary_kind = boundary.kind;
            self.launch(kernel, params, 0..boundary.count)?;
        }
        Ok(())
    }

    /// Launches a kernel over the owned vertices.
    pub(super) fn over_vertices(&self, kernel: SteadyKernel, params: SteadyParams) -> Result<(), DeviceError> {
        self.launch(kernel, params, 0..self.slices.owned_slots)
    }

    /// Launches a kernel over a range of slots, lines or points.
    pub(super) fn launch(
        &self,
        kernel: SteadyKernel,
        mut params: SteadyParams,
        range: Range<usize>,
    ) -> Result<(), DeviceError> {
        params.range_begin = range.start as i64;
        params.range_end = range.end as i64;
        let range = self.store.range(kernel.over(), range, self.slice);
        let function = &self.kernels[kernel as usize];
        self.store.submit(Cells::All, kernel.name(), |queue| {
            // SAFETY: the parameters lead to arrays of this solver, which live as long as it does and have a value for
            // each slot, edge and boundary vertex. A vertex writes its own values only; kernels that read those of its
            // neighbours write other arrays. A vertex is once in a boundary and once in a list of the exchange.
            unsafe { self.store.launch(queue, function, range, &params) }
        })
    }
}

impl<M: Machine> Drop for Solver<M> {
    fn drop(&mut self) {
        // Memory must not be freed while a kernel runs.
        let _ = self.store.synchronize();
    }
}
