//! The vertices of one level on a machine, without a flow: their slots and edges, the exchange of their halo, and
//! launches of kernels over them. The points have one, on which the flow is computed, and so has each coarser level of
//! a preconditioner.

use std::ops::Range;
use std::rc::Rc;

use super::arrays::{EdgeSizes, Edges};
use super::dual::DualMesh;
use super::exchange::{Exchange, Halo, exchange_arrays};
use super::machine::Machine;
use super::scheme::Scheme;
use super::slices::{Arrangement, Slices};
use crate::device::contract::{SteadyKernel, SteadyParams};
use crate::device::{Cells, DeviceError, ListPart};
use crate::physics::Gas;
use crate::ranks::Ranks;

/// Most numbers of a vertex that are exchanged at once: a block of 5 x 5.
const MOST_EXCHANGED: usize = 25;

/// The vertices of a level on a machine.
pub struct Grid<M: Machine> {
    pub store: Rc<M>,
    kernels: Rc<Vec<M::Kernel>>,
    /// The constants of the run, and what leads to the edges; launches add what they need.
    pub params: SteadyParams,
    pub slices: Slices,
    /// Number of vertices whose edges lie side by side.
    pub slice: usize,
    edges: Edges<M>,
    exchange: Exchange<M>,
}

impl<M: Machine> Grid<M> {
    /// Sets up the vertices of a dual on a machine, in this order in memory, which changes no result.
    ///
    /// # Errors
    /// The kernels cannot be built, or there is not enough memory.
    pub fn new(
        store: M,
        dual: &DualMesh,
        arrangement: &Arrangement,
        gas: &Gas,
        scheme: &Scheme,
        ranks: Ranks,
    ) -> Result<Self, DeviceError> {
        let mut params = scheme.constants(gas);
        params.rotated = i32::from(dual.rotation.is_some());
        params.rotates = dual.frames() as i32;
        if let Some(frame) = &dual.frame {
            params.angular_velocity = frame.angular_velocity;
        }
        let kernels = Rc::new(store.kernels(&params, scheme.fast)?);
        Grid::on(Rc::new(store), kernels, params, dual, arrangement, Rc::new(ranks))
    }

    /// Sets up the vertices of another dual beside these.
    ///
    /// # Errors
    /// There is not enough memory.
    pub fn beside(&self, dual: &DualMesh, arrangement: &Arrangement) -> Result<Self, DeviceError> {
        let ranks = self.exchange.shared_ranks();
        Grid::on(
            self.store.clone(),
            self.kernels.clone(),
            self.params,
            dual,
            arrangement,
            ranks,
        )
    }

    fn on(
        store: Rc<M>,
        kernels: Rc<Vec<M::Kernel>>,
        mut params: SteadyParams,
        dual: &DualMesh,
        arrangement: &Arrangement,
        ranks: Rc<Ranks>,
    ) -> Result<Self, DeviceError> {
        let slice = store.slice()?;
        let slices = Slices::new(dual, slice, arrangement);
        let sizes = EdgeSizes {
            slots: slices.slots,
            slices: slices.first_edge.len() - 1,
            edges: slices.neighbour.len(),
        };
        let mut edges = Edges::zeros(&*store, &sizes)?;
        store.write(&mut edges.degree, &slices.degree)?;
        store.write(&mut edges.first, &slices.first_edge)?;
        store.write(&mut edges.neighbour, &slices.neighbour)?;
        edges.connect(&mut params);
        params.slots = slices.slots as i64;
        params.owned_slots = slices.owned_slots as i64;
        params.chunks = store.chunks() as i64;
        Ok(Grid {
            exchange: Exchange::new(&*store, dual, &slices, arrangement, MOST_EXCHANGED, ranks)?,
            kernels,
            params,
            slices,
            slice,
            edges,
            store,
        })
    }

    /// Returns the bytes of the edges.
    pub fn bytes(&self) -> usize {
        self.edges.in_use().total()
    }

    /// The ranks that have the vertices.
    pub fn ranks(&self) -> &Ranks {
        self.exchange.ranks()
    }

    /// Whether there is no other rank.
    pub fn is_alone(&self) -> bool {
        self.exchange.is_alone()
    }

    /// Whether the host takes no part in exchanges, so that work with exchanges can be recorded.
    pub fn is_without_messages(&self) -> bool {
        self.is_alone() || self.store.is_in_network()
    }

    /// Gives the halo of an array that begins at an address the values of the owners. Collective.
    pub fn update_halo(&self, array: *mut f64, values: usize) -> Result<(), DeviceError> {
        let exchanged = array;
        self.exchange(
            Halo::All,
            SteadyParams {
                exchanged,
                ..self.params
            },
            values,
        )
    }

    /// Does the same with these vertices of an array in single precision.
    pub fn update_halo_of_single(&self, halo: Halo, array: *mut f32, values: usize) -> Result<(), DeviceError> {
        let exchanged_single = array;
        self.exchange(
            halo,
            SteadyParams {
                exchanged_single,
                ..self.params
            },
            values,
        )
    }

    /// Gives these vertices of the halo of the array of these parameters the values of the owners.
    fn exchange(&self, halo: Halo, params: SteadyParams, values: usize) -> Result<(), DeviceError> {
        let launch = |kernel, params, count| self.launch(kernel, params, 0..count);
        self.exchange.values(&self.store, halo, params, values, launch)
    }

    /// Exchanges so many values of each item of lists, `[item][value]`. Collective among the ranks of the parts.
    pub fn exchange_lists(
        &self,
        parts: &[ListPart],
        values: usize,
        sent: &M::Array,
        received: &mut M::Array,
    ) -> Result<(), DeviceError> {
        exchange_arrays(&*self.store, self.ranks(), parts, values, sent, received)
    }

    /// Launches a kernel over the owned vertices.
    pub fn over_vertices(&self, kernel: SteadyKernel, params: SteadyParams) -> Result<(), DeviceError> {
        self.launch(kernel, params, 0..self.slices.owned_slots)
    }

    /// Launches a kernel over a range of slots, lines or points.
    pub fn launch(
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
            // SAFETY: the parameters lead to arrays of the solver that launches, which live as long as it does and have
            // a value for each slot, edge and boundary vertex. A vertex writes its own values only; kernels that read
            // those of its neighbours write other arrays. A vertex is once in a boundary and once in a list of the
            // exchange.
            unsafe { self.store.launch(queue, function, range, &params) }
        })
    }
}

impl<M: Machine> Drop for Grid<M> {
    fn drop(&mut self) {
        // Memory must not be freed while a kernel runs.
        let _ = self.store.synchronize();
    }
}
