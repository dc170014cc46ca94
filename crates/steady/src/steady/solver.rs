//! The explicit steps of the steady solver on a machine: a list of kernels over the vertices, and the exchange of
//! halos.
//!
//! A step has five stages. Each computes gradients and fluxes of the present state and moves the state by the residual
//! times the inverse of a block of 5 x 5, which stands for the time step of each wave. The equations of the turbulence
//! model are solved after them with a scalar step of their own.

mod values;

use std::ops::Range;
use std::rc::Rc;

use super::conditions::BoundaryList;
use super::dual::DualMesh;
use super::exchange::Exchange;
use super::layers;
use super::machine::{Machine, upload};
use super::rows::{boundary_parts, walls};
use super::scheme::{ALPHA, BLEND, STAGES, Scheme};
use super::slices::{Arrangement, Slices};
use crate::device::contract::{SteadyKernel, SteadyParams};
use crate::device::store::Memory;
use crate::device::{Cells, DeviceError};
use crate::physics::Turbulence;
use crate::physics::{Gas, ViscosityLaw};
use crate::ranks::Ranks;

/// Most variables of the state: density, velocity, temperature, and nu~ or k and omega.
pub(super) const VARIABLES: usize = 7;
/// Number of the variables of the mean flow, which come first.
pub(super) const FLOW: usize = 5;
/// Numbers of the closure of a model of k and omega: the eddy viscosity and two diffusivities.
const CLOSURE: usize = 3;
/// Bytes of the arrays for a vertex: state, start, gradient, sums of fluxes, what the model needs, and blocks; volume,
/// distance, layer, number of edges, and rows among those of walls and boundaries.
pub(super) fn bytes_of_a_vertex(turbulence: Turbulence) -> usize {
    let equations = turbulence.equations();
    let variables = FLOW + equations;
    let of_model = if turbulence.has_two_equations() { 4 + CLOSURE } else { 3 };
    (5 * variables + 2 * FLOW + 2 * equations + of_model + 25 + 7) * size_of::<f64>() + 2 * size_of::<i32>()
}
/// Bytes of the arrays for an edge at one of its ends: area, displacement and neighbour.
pub(super) const BYTES_OF_AN_EDGE: usize = 6 * size_of::<f64>() + size_of::<i32>();
/// Most numbers of a vertex that are exchanged at once: a block of 5 x 5.
const MOST_EXCHANGED: usize = 25;

/// The steady solver on one rank.
pub struct Solver<M: Machine> {
    pub(super) store: Rc<M>,
    kernels: Rc<Vec<M::Kernel>>,
    pub(super) params: SteadyParams,
    pub(super) turbulence: Turbulence,
    /// Number of variables of the state.
    pub(super) variables: usize,
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
}

/// A boundary in the memory of the machine.
struct BoundaryOnDevice<A> {
    vertex: A,
    area: A,
    data: A,
    kind: i64,
    ratio: f64,
    count: usize,
}

impl<M: Machine> Solver<M> {
    /// Sets up the arrays of a rank. The state is zero until it is given.
    ///
    /// # Errors
    /// The kernels cannot be built, or there is not enough memory.
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
    /// The kernels cannot be built, or there is not enough memory.
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

    /// Sets up the solver of other vertices on the same machine.
    ///
    /// # Errors
    /// There is not enough memory.
    pub fn beside(
        &self,
        vertices: (&DualMesh, &Arrangement),
        boundaries: &[BoundaryList],
        gas: &Gas,
        scheme: &Scheme,
    ) -> Result<Self, DeviceError> {
        let shared = (self.store.clone(), self.kernels.clone(), self.exchange.shared_ranks());
        Solver::on(shared, vertices, boundaries, gas, scheme)
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
        let (rows, wall_values, wall_count) = walls(dual, boundaries, &slices, scheme.turbulence);
        let (boundary_row, part_area, boundary_rows, parts) = boundary_parts(boundaries, &slices);
        let equations = scheme.turbulence.equations();
        let variables = FLOW + equations;
        let (state, start, gradient) = (zeros(variables)?, zeros(variables)?, zeros(3 * variables)?);
        let (convection, dissipation, eddy_sums) = (zeros(FLOW)?, zeros(FLOW)?, zeros(2 * equations)?);
        let exchange = Exchange::new(&*store, dual, &slices, MOST_EXCHANGED, ranks)?;
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
        if scheme.turbulence.has_two_equations() {
            p.sources = keep(zeros(4)?).cast();
            p.closure = keep(zeros(CLOSURE)?).cast();
        } else {
            p.sources = keep(zeros(3)?).cast();
        }
        p.blocks = keep(zeros(25)?).cast();
        p.volume = keep(upload(&*store, &by_slot(&dual.volume, 1.0))?).cast();
        // Distances of a mesh without walls are infinite, and no layer is there.
        let heights: Vec<f64> = (dual.wall_distance.iter())
            .map(|d| if d.is_finite() { *d } else { 0.0 })
            .collect();
        let [x, y, z] = layers::normals(dual, exchange.ranks());
        p.layer = if [&x, &y, &z].iter().all(|normals| normals.iter().all(|&n| n == 0.0)) {
            std::ptr::null()
        } else {
            keep(upload(
                &*store,
                &[x, y, z, heights].map(|values| by_slot(&values, 0.0)).concat(),
            )?)
            .cast()
        };
        p.wall_distance = keep(upload(&*store, &by_slot(&dual.wall_distance, 1.0))?).cast();
        p.degree = keep(upload(&*store, &slices.degree)?).cast();
        p.first_edge = keep(upload(&*store, &slices.first_edge)?).cast();
        p.neighbour = keep(upload(&*store, &slices.neighbour)?).cast();
        p.area = keep(upload(&*store, &slices.area)?).cast();
        p.displacement = keep(upload(&*store, &slices.displacement)?).cast();
        p.wall_row = keep(upload(&*store, &rows)?).cast();
        p.wall_values = keep(upload(&*store, &wall_values)?).cast();
        p.wall_count = wall_count as i64;
        p.boundary_row = keep(upload(&*store, &boundary_row)?).cast();
        p.part_area = keep(upload(&*store, &part_area)?).cast();
        p.boundary_rows = boundary_rows as i64;
        p.parts = parts as i64;
        p.slots = slots as i64;
        p.owned_slots = slices.owned_slots as i64;
        p.chunks = store.chunks() as i64;
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
                ratio: boundary.ratio,
                count: vertex.len(),
            })
        };
        let boundaries = boundaries.iter().map(on_device).collect::<Result<Vec<_>, _>>()?;
        Ok(Solver {
            kernels,
            params: p,
            turbulence: scheme.turbulence,
            variables,
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

    /// Advances the state by one step with this CFL number.
    ///
    /// # Errors
    /// The machine fails.
    pub fn step(&mut self, cfl: f64) -> Result<(), DeviceError> {
        if self.params.cfl != cfl {
            self.params.cfl = cfl;
            self.recording = None;
        }
        self.store.copy(&self.state, &mut self.start)?;
        let mut recording = self.recording.take();
        let done = if self.exchange.is_alone() {
            // The launches have the same parameters every time, so that a GPU can replay them.
            self.store.repeat(&mut recording, &mut || self.stages())
        } else {
            self.stages()
        };
        self.recording = recording;
        done
    }

    /// Advances the state from that of the beginning of the step.
    fn stages(&self) -> Result<(), DeviceError> {
        for stage in 0..STAGES {
            self.gradients()?;
            if stage == 0 {
                self.closure()?;
                self.over_vertices(SteadyKernel::Blocks, self.params)?;
                self.turbulence()?;
            }
            self.fluxes(BLEND[stage])?;
            let mut params = self.params;
            params.alpha = ALPHA[stage];
            self.over_vertices(SteadyKernel::Stage, params)?;
            if stage + 1 == STAGES {
                self.update_turbulence()?;
            }
            self.update_halo(&self.state, self.variables)?;
        }
        Ok(())
    }

    /// The ranks of the solver.
    pub(super) fn ranks(&self) -> &Ranks {
        self.exchange.ranks()
    }

    /// Computes the gradients of the present state, with those of the halo.
    pub(super) fn gradients(&self) -> Result<(), DeviceError> {
        self.over_vertices(SteadyKernel::Gradients, self.params)?;
        self.update_halo(&self.gradient, 3 * self.variables)
    }

    /// Computes the eddy viscosity of a model of k and omega from the present gradients, with that of the halo. It
    /// stays for a step.
    pub(super) fn closure(&self) -> Result<(), DeviceError> {
        if !self.turbulence.has_two_equations() {
            return Ok(());
        }
        self.over_vertices(SteadyKernel::ShearGradients, self.params)?;
        self.over_vertices(SteadyKernel::Closure, self.params)?;
        self.update_halo_at(self.params.closure, CLOSURE)
    }

    /// Gives the halo of an array the values of the owners.
    fn update_halo(&self, array: &M::Array, values: usize) -> Result<(), DeviceError> {
        self.update_halo_at(array.pointer(), values)
    }

    /// Does the same with an array that begins at an address.
    pub(super) fn update_halo_at(&self, array: *mut f64, values: usize) -> Result<(), DeviceError> {
        let exchanged = array;
        self.exchange(
            SteadyParams {
                exchanged,
                ..self.params
            },
            values,
        )
    }

    /// Does the same with an array in single precision.
    pub(super) fn update_halo_of_single(&self, array: *mut f32, values: usize) -> Result<(), DeviceError> {
        let exchanged_single = array;
        self.exchange(
            SteadyParams {
                exchanged_single,
                ..self.params
            },
            values,
        )
    }

    /// Gives the halo of the array of these parameters the values of the owners.
    fn exchange(&self, params: SteadyParams, values: usize) -> Result<(), DeviceError> {
        let launch = |kernel, params, count| self.launch(kernel, params, 0..count);
        self.exchange.values(&self.store, params, values, launch)
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

    /// Computes the sums of the equations of the turbulence model, whose closure is known.
    pub(super) fn turbulence(&self) -> Result<(), DeviceError> {
        let params = self.params;
        match self.turbulence {
            Turbulence::None => Ok(()),
            Turbulence::SaNeg => {
                self.over_vertices(SteadyKernel::SourceGradients, params)?;
                self.over_vertices(SteadyKernel::Turbulence, params)?;
                self.over_boundaries(SteadyKernel::BoundaryTurbulence, params)
            }
            Turbulence::KOmega | Turbulence::Sst => {
                self.over_vertices(SteadyKernel::TwoEquations, params)?;
                self.over_boundaries(SteadyKernel::BoundaryTwoEquations, params)
            }
        }
    }

    /// Advances the variables of the turbulence model.
    fn update_turbulence(&self) -> Result<(), DeviceError> {
        match self.turbulence {
            Turbulence::None => Ok(()),
            Turbulence::SaNeg => self.over_vertices(SteadyKernel::TurbulenceUpdate, self.params),
            Turbulence::KOmega | Turbulence::Sst => self.over_vertices(SteadyKernel::TwoEquationsUpdate, self.params),
        }
    }

    /// Launches a kernel over the vertices of each boundary; a vertex may be on several.
    pub(super) fn over_boundaries(&self, kernel: SteadyKernel, params: SteadyParams) -> Result<(), DeviceError> {
        for boundary in &self.boundaries {
            let mut params = params;
            params.boundary_vertex = boundary.vertex.pointer();
            params.boundary_area = boundary.area.pointer();
            params.boundary_data = boundary.data.pointer();
            params.boundary_kind = boundary.kind;
            params.boundary_eddy = boundary.ratio;
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
