//! The explicit steps of the steady solver on a machine: a list of kernels over the vertices, and the exchange of
//! halos.
//!
//! A step has five stages. Each computes gradients and fluxes of the present state and moves the state by the residual
//! times the inverse of a block of 5 x 5, which stands for the time step of each wave. The equations of the turbulence
//! model are solved after them with a scalar step of their own.

mod planes;
mod values;

use std::rc::Rc;

use super::arrays::{BoundaryArrays, CLOSURE, FLOW, FlowArrays, FlowSizes};
use super::conditions::BoundaryList;
use super::dual::DualMesh;
use super::grid::Grid;
use super::layers;
use super::machine::Machine;
use super::mixing::OnMachine;
use super::rotation::Rotation;
use super::rows::{Parts, Walls};
use super::scheme::{ALPHA, BLEND, STAGES, Scheme};
use super::slices::{Arrangement, Slices};
use crate::device::contract::{SteadyKernel, SteadyParams};
use crate::device::{DeviceError, Frames};
use crate::physics::{Gas, GivenIn, Turbulence, ViscosityLaw};
use crate::ranks::Ranks;
use crate::vector::Vector;

/// Most variables of the state: density, velocity, temperature, and nu~ or k and omega.
pub(super) const VARIABLES: usize = 7;

/// The steady solver on one rank.
pub struct Solver<M: Machine> {
    // Before the machine, whose network ends only after the recordings that hold work of it.
    recording: Option<M::Recording>,
    /// The points.
    pub(super) grid: Rc<Grid<M>>,
    /// What leads to the edges and to the flow, and what is set for a step.
    pub(super) params: SteadyParams,
    pub(super) turbulence: Turbulence,
    /// Number of variables of the state.
    pub(super) variables: usize,
    flow: FlowArrays<M>,
    boundaries: Vec<BoundaryOnDevice<M>>,
    /// The mixing planes, if there are any.
    mixing: Option<OnMachine<M>>,
    owned: usize,
    vertices: usize,
}

/// A boundary in the memory of the machine.
struct BoundaryOnDevice<M: Machine> {
    arrays: BoundaryArrays<M>,
    kind: i64,
    ratio: f64,
    count: usize,
}

impl<M: Machine> BoundaryOnDevice<M> {
    fn new(store: &M, boundary: &BoundaryList, dual: &DualMesh, slices: &Slices) -> Result<Self, DeviceError> {
        let slot = |&vertex: &u32| slices.slot(vertex as usize) as i32;
        let count = boundary.vertex.len();
        let mut arrays = BoundaryArrays::zeros(store, &count)?;
        store.write(
            &mut arrays.vertex,
            &boundary.vertex.iter().map(slot).collect::<Vec<i32>>(),
        )?;
        store.write(&mut arrays.area, boundary.area.as_flattened())?;
        store.write(&mut arrays.data, boundary.data.as_flattened())?;
        if dual.frame.is_some() {
            let velocity = |&vertex: &u32| match boundary.given {
                GivenIn::Absolute => dual.frame_velocity(vertex as usize),
                GivenIn::Relative => [0.0; 3],
            };
            let frame: Vec<Vector> = boundary.vertex.iter().map(velocity).collect();
            arrays.frame = store.zeros(size_of_val(frame.as_slice()))?;
            store.write(&mut arrays.frame, frame.as_flattened())?;
        }
        Ok(BoundaryOnDevice {
            arrays,
            kind: boundary.kind as i64,
            ratio: boundary.ratio,
            count,
        })
    }
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
        let grid = Grid::new(store, dual, &arrangement, gas, scheme, ranks)?;
        Solver::on(Rc::new(grid), dual, boundaries, scheme.turbulence)
    }

    /// Sets up the flow on the points of a machine.
    ///
    /// # Errors
    /// There is not enough memory.
    pub fn on(
        grid: Rc<Grid<M>>,
        dual: &DualMesh,
        boundaries: &[BoundaryList],
        turbulence: Turbulence,
    ) -> Result<Self, DeviceError> {
        let store = &*grid.store;
        let slices = &grid.slices;
        let walls = Walls::new(dual, boundaries, slices, turbulence);
        let parts = Parts::new(boundaries, slices);
        let layer = layers::normals(dual, grid.ranks());
        let turns = dual.rotation.as_ref().map(Rotation::matrices).unwrap_or_default();
        let sizes = FlowSizes {
            turbulence,
            slots: slices.slots,
            edges: slices.neighbour.len(),
            turns: turns.len(),
            frames: dual.frames(),
            layers: layer.iter().flatten().any(|&n| n != 0.0),
            wall_rows: walls.rows,
            boundary_rows: parts.rows,
            parts: parts.most,
        };
        let mut flow = FlowArrays::zeros(store, &sizes)?;
        store.write(&mut flow.volume, &by_slot(slices, &dual.volume, 1.0))?;
        store.write(&mut flow.wall_distance, &by_slot(slices, &dual.wall_distance, 1.0))?;
        store.write(&mut flow.area, &slices.area)?;
        store.write(&mut flow.displacement, &slices.displacement)?;
        store.write(&mut flow.turn, &slices.turn)?;
        store.write(&mut flow.turns, &turns)?;
        if sizes.frames != Frames::None {
            let velocity: Vec<Vector> = (0..dual.len()).map(|vertex| dual.frame_velocity(vertex)).collect();
            let component = |d: usize| velocity.iter().map(|v| v[d]).collect::<Vec<f64>>();
            let values = [0, 1, 2].map(|d| by_slot(slices, &component(d), 0.0));
            store.write(&mut flow.frame_velocity, &values.concat())?;
        }
        if sizes.frames == Frames::Several {
            store.write(&mut flow.frame_speed, &by_slot(slices, &dual.frame_speed, 0.0))?;
        }
        store.write(&mut flow.wall_row, &walls.row_of)?;
        store.write(&mut flow.wall_values, &walls.values)?;
        store.write(&mut flow.boundary_row, &parts.row_of)?;
        store.write(&mut flow.part_area, &parts.areas)?;
        if sizes.layers {
            // Distances of a mesh without walls are infinite, and no layer is there.
            let finite = |d: &f64| if d.is_finite() { *d } else { 0.0 };
            let heights: Vec<f64> = dual.wall_distance.iter().map(finite).collect();
            let [x, y, z] = &layer;
            let values = [x, y, z, &heights].map(|values| by_slot(slices, values, 0.0));
            store.write(&mut flow.layer, &values.concat())?;
        }
        let mut params = grid.params;
        flow.connect(&mut params);
        params.wall_count = walls.rows as i64;
        params.boundary_rows = parts.rows as i64;
        params.parts = parts.most as i64;
        let on_device = |boundary| BoundaryOnDevice::new(store, boundary, dual, slices);
        Ok(Solver {
            boundaries: boundaries.iter().map(on_device).collect::<Result<_, _>>()?,
            params,
            turbulence,
            variables: FLOW + turbulence.equations(),
            flow,
            mixing: None,
            owned: dual.owned,
            vertices: dual.len(),
            recording: None,
            grid,
        })
    }

    /// Returns the bytes of all arrays, without those of the exchange.
    pub fn bytes(&self) -> usize {
        let boundaries = self.boundaries.iter().map(|b| b.arrays.in_use().total());
        self.grid.bytes() + self.flow.in_use().total() + boundaries.sum::<usize>()
    }

    /// Advances the state by one step with this CFL number.
    pub fn step(&mut self, cfl: f64) -> Result<(), DeviceError> {
        self.balance_planes()?;
        if self.params.cfl != cfl {
            self.params.cfl = cfl;
            self.recording = None;
        }
        let store = self.grid.store.clone();
        store.copy(&self.flow.state, &mut self.flow.start)?;
        let mut recording = self.recording.take();
        let done = if self.grid.is_without_messages() {
            // The launches have the same parameters every time, so that a GPU can replay them.
            store.repeat(&mut recording, &mut || self.stages())
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
            self.share_state()?;
        }
        Ok(())
    }

    /// The ranks of the solver.
    pub(super) fn ranks(&self) -> &Ranks {
        self.grid.ranks()
    }

    /// Gives the halo the state of the owners.
    pub(super) fn share_state(&self) -> Result<(), DeviceError> {
        self.grid.update_halo(self.params.out, self.variables)
    }

    /// Computes the gradients of the present state, with those of the halo.
    pub(super) fn gradients(&self) -> Result<(), DeviceError> {
        self.over_vertices(SteadyKernel::Gradients, self.params)?;
        self.grid.update_halo(self.params.gradient, 3 * self.variables)
    }

    /// Computes the eddy viscosity of a model of k and omega from the present gradients, with that of the halo. It
    /// stays for a step.
    pub(super) fn closure(&self) -> Result<(), DeviceError> {
        if !self.turbulence.has_two_equations() {
            return Ok(());
        }
        self.over_vertices(SteadyKernel::ShearGradients, self.params)?;
        self.over_vertices(SteadyKernel::Closure, self.params)?;
        self.grid.update_halo(self.params.closure, CLOSURE)
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
            boundary.arrays.connect(&mut params);
            params.boundary_kind = boundary.kind;
            params.boundary_eddy = boundary.ratio;
            params.boundary_count = boundary.count as i64;
            self.grid.launch(kernel, params, 0..boundary.count)?;
        }
        Ok(())
    }

    /// Launches a kernel over the owned vertices.
    pub(super) fn over_vertices(&self, kernel: SteadyKernel, params: SteadyParams) -> Result<(), DeviceError> {
        self.grid.over_vertices(kernel, params)
    }
}

/// Returns values of vertices by slot, with `padding` in the slots of no vertex.
fn by_slot(slices: &Slices, values: &[f64], padding: f64) -> Vec<f64> {
    let mut all = vec![padding; slices.slots];
    let vertices = values.iter().enumerate();
    vertices.for_each(|(vertex, &value)| all[slices.slot(vertex)] = value);
    all
}

impl<M: Machine> Drop for Solver<M> {
    fn drop(&mut self) {
        // Memory must not be freed while a kernel runs.
        let _ = self.grid.store.synchronize();
    }
}
