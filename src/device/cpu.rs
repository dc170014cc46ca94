//! The CPU: kernels compiled ahead of time for every order, precision and vector width; blocks of cells shared among threads.
//!
//! A kernel writes only to its own block and reads its neighbours' from arrays that no kernel writes at the same time, so the
//! result does not depend on how blocks are shared out.

use std::ffi::c_void;
use std::ops::Range;

use rayon::prelude::*;

use super::contract::{KERNELS, Kernel, Params};
use super::memory::{Aligned, Real};
use super::operators::Operators;
use super::plan::{BoundaryArrays, Group};
use super::{Buffer, Cells, DeviceError, FLUXES, INTEGRALS, Physics, Plan, RATES};
use crate::element::{ElementKind, Elements};
use crate::geometry::Geometry;
use crate::mesh::Mesh;
use crate::physics::BoundaryKind;

// SAFETY: to call a kernel, its first argument must lead to Params (as `connect` fills them) of live arrays, and the range must
// lie within the plan's blocks, or boundary face points; ranges that run at the same time must be disjoint.
type KernelFunction = unsafe extern "C" fn(*const c_void, i64, i64);

/// The kernels of one kind of cell, order, precision and vector width.
#[derive(Clone, Copy)]
pub struct Kernels {
    /// In the order of [`KERNELS`]; `None` where cells of this kind have no such kernel.
    functions: [Option<KernelFunction>; KERNELS.len()],
    // SAFETY: these two take nothing and return constants.
    params_size: unsafe extern "C" fn() -> i64,
    lanes: unsafe extern "C" fn() -> i64,
}

impl Kernels {
    fn get(&self, kernel: Kernel) -> KernelFunction {
        self.functions[kernel as usize].expect("only kernels that the kind of cell has are launched")
    }
}

mod interface;
mod operations;
pub mod probe;
mod sampling;
mod statistics;

mod table {
    use super::{ElementKind, Kernels, c_void};
    include!(concat!(env!("OUT_DIR"), "/kernels.rs"));
}

/// Stack of a thread: the kernels keep a whole block there, 1.1 MiB at p = 8.
const STACK: usize = 8 << 20;

/// The names of the vectors that the processor has, the widest first.
pub fn vector_sets() -> Vec<&'static str> {
    #[cfg(target_arch = "x86_64")]
    {
        let has_wide = is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512dq")
            && is_x86_feature_detected!("avx512bw")
            && is_x86_feature_detected!("avx512vl")
            && is_x86_feature_detected!("avx512cd");
        let has_narrow = is_x86_feature_detected!("avx2")
            && is_x86_feature_detected!("fma")
            && is_x86_feature_detected!("bmi2")
            && is_x86_feature_detected!("lzcnt")
            && is_x86_feature_detected!("movbe");
        let sets = [("avx512", has_wide && has_narrow), ("avx2", has_narrow)];
        sets.iter().filter(|set| set.1).map(|set| set.0).collect()
    }
    #[cfg(not(target_arch = "x86_64"))]
    vec!["generic"]
}

/// The name of the widest vectors that the processor has, or of those that FR_LES_SIMD asks for.
fn vector_set() -> Result<&'static str, DeviceError> {
    let available = vector_sets();
    match std::env::var("FR_LES_SIMD") {
        Ok(name) => available
            .iter()
            .copied()
            .find(|s| *s == name)
            .ok_or(DeviceError::Simd(name)),
        Err(_) => available.first().copied().ok_or(DeviceError::Processor),
    }
}

/// Parameters on their way to the threads of one launch.
struct Launch<R>(Params<R>);
// SAFETY: the pointers lead to arrays that the device owns for the whole launch; threads write disjoint blocks of them.
unsafe impl<R> Sync for Launch<R> {}

impl<R> Launch<R> {
    fn address(&self) -> *const c_void {
        (&raw const self.0).cast()
    }
}

/// The CPU as a device of precision R.
pub struct CpuDevice<R: Real> {
    plan: Plan,
    set: &'static str,
    pool: rayon::ThreadPool,
    params: Params<R>,
    dt: Box<R>,
    force: Box<[R; 3]>,
    start: Aligned<R>,
    a: Aligned<R>,
    b: Aligned<R>,
    acc: Aligned<R>,
    comp: Option<Aligned<R>>,
    traces: Option<Aligned<R>>,
    viscous: Option<Aligned<R>>,
    groups: Vec<GroupArrays<R>>,
    source: Option<Aligned<R>>,
    boundary: BoundaryArrays,
    boundary_data: Aligned<R>,
    boundary_normals: Aligned<R>,
    boundary_areas: Aligned<R>,
    boundary_fluxes: Aligned<f64>,
    surface_values: Option<Aligned<f64>>,
    rotations: Aligned<R>,
    per_cell: Aligned<f64>,
    outgoing: Aligned<R>,
    interface: Option<interface::Interface<R>>,
    statistics: Option<statistics::Statistics>,
    samplings: Vec<sampling::Sampling>,
}

/// What the cells of a group have in common.
struct GroupArrays<R: Real> {
    kernels: Kernels,
    metrics: Aligned<R>,
    normals: Aligned<R>,
    operators: Aligned<R>,
    face_points: Vec<i32>,
}

impl<R: Real> GroupArrays<R> {
    fn new(group: &Group, kernels: Kernels, elements: &Elements) -> Self {
        let operators = Operators::new(elements, group.kind, false);
        GroupArrays {
            kernels,
            metrics: Aligned::from_f64(&group.metrics),
            normals: Aligned::from_f64(&group.normals),
            operators: Aligned::from_f64(&operators.values),
            face_points: operators.face_points,
        }
    }

    fn bytes(&self) -> usize {
        self.metrics.bytes() + self.normals.bytes() + self.operators.bytes() + self.face_points.len() * 4
    }
}

impl<R: Real> CpuDevice<R> {
    /// Allocates everything for a case. `kinds` holds the condition of every named boundary ([`crate::physics::BoundaryKind`]).
    pub fn new(
        mesh: &Mesh,
        geometry: &Geometry,
        elements: &Elements,
        physics: &Physics,
        kinds: &[BoundaryKind],
        threads: Option<usize>,
    ) -> Result<Self, DeviceError> {
        let set = vector_set()?;
        let order = elements.order;
        let kernels = |kind: ElementKind| {
            table::kernels(kind, order, R::DOUBLE, set).expect("kernels are built for every order that a case can have")
        };
        let some = kernels(mesh.kinds[0]);
        // SAFETY: these functions take nothing and return a constant, the same for all kinds.
        let (lanes, size) = unsafe { ((some.lanes)() as usize, (some.params_size)() as usize) };
        assert_eq!(size, size_of::<Params<R>>(), "kernels and host must agree on Params");
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads.unwrap_or(0))
            .stack_size(STACK)
            .build()
            .map_err(|e| DeviceError::Threads {
                threads: threads.unwrap_or(0),
                reason: e.to_string(),
            })?;
        let plan = Plan::new(mesh, geometry, order, lanes, |_| 1);
        let state = plan.ghost_start() + plan.ghost_len;
        let viscous = physics.gas.viscosity.is_some();
        let trace_len = plan.ghost_trace_start() + plan.ghost_trace_len();
        let boundary = BoundaryArrays::new(&plan, geometry, elements, kinds);
        let groups = plan.groups.iter();
        let mut device = CpuDevice {
            params: Params::constants(&elements.line, physics),
            dt: Box::default(),
            force: Box::default(),
            start: Aligned::zeros(state),
            a: Aligned::zeros(state),
            b: Aligned::zeros(state),
            acc: Aligned::zeros(plan.state_len()),
            comp: physics.kahan.then(|| Aligned::zeros(plan.state_len())),
            traces: viscous.then(|| Aligned::zeros(trace_len)),
            viscous: viscous.then(|| Aligned::zeros(plan.viscous_len())),
            groups: groups.map(|g| GroupArrays::new(g, kernels(g.kind), elements)).collect(),
            source: None,
            boundary_normals: Aligned::from_f64(&boundary.normals),
            boundary_areas: Aligned::from_f64(&boundary.areas),
            boundary_fluxes: Aligned::zeros(FLUXES * plan.boundary_faces.len()),
            surface_values: None,
            rotations: Aligned::from_f64(&plan.rotations),
            boundary,
            boundary_data: Aligned::zeros(5 * plan.boundary_points()),
            per_cell: Aligned::zeros(plan.cell_of_slot.len() * INTEGRALS.max(RATES)),
            outgoing: Aligned::zeros(plan.halo.states_out().max(plan.halo.trace_len)),
            interface: None,
            statistics: None,
            samplings: Vec::new(),
            plan,
            set,
            pool,
        };
        // The device keeps its own copies, in its own precision.
        for group in &mut device.plan.groups {
            (group.metrics, group.normals) = (Vec::new(), Vec::new());
        }
        (device.boundary.normals, device.boundary.areas) = (Vec::new(), Vec::new());
        device.connect();
        Ok(device)
    }

    /// Points the parameters at the arrays, whose places do not change any more.
    fn connect(&mut self) {
        fn pointer<R: Real>(array: &mut Option<Aligned<R>>) -> *mut R {
            array.as_mut().map_or(std::ptr::null_mut(), Aligned::as_mut_ptr)
        }
        let p = &mut self.params;
        p.u_n = self.start.as_mut_ptr();
        p.acc = self.acc.as_mut_ptr();
        p.kahan_term = pointer(&mut self.comp);
        p.traces = pointer(&mut self.traces);
        p.viscous = pointer(&mut self.viscous);
        p.slots = self.plan.slots.as_ptr();
        p.slot_kind = self.plan.slot_kind.as_ptr();
        p.tables = self.plan.tables.as_ptr();
        p.per_cell = self.per_cell.as_mut_ptr();
        p.dt = &raw const *self.dt;
        p.boundaries = i32::from(!self.plan.boundary_faces.is_empty());
        p.uniform = i32::from(self.plan.uniform());
        p.ghost_base = self.plan.ghost_start() as i64;
        p.boundary_cell = self.boundary.cell.as_ptr();
        p.boundary_trace = self.boundary.trace.as_ptr();
        p.boundary_ghost = self.boundary.ghost.as_ptr();
        p.boundary_ghost_trace = self.boundary.ghost_trace.as_ptr();
        p.boundary_points = self.boundary.points.as_ptr();
        p.boundary_kind = self.boundary.kind.as_ptr();
        p.boundary_exterior = self.boundary.partner.as_ptr();
        p.boundary_rotation = self.boundary.rotation.as_ptr();
        p.rotations = self.rotations.as_ptr();
        p.boundary_data = self.boundary_data.as_ptr();
        p.boundary_normal = self.boundary_normals.as_ptr();
        p.boundary_area = self.boundary_areas.as_ptr();
        p.boundary_fluxes = self.boundary_fluxes.as_mut_ptr();
    }

    fn buffer(&mut self, buffer: Buffer) -> *mut R {
        match buffer {
            Buffer::Start => self.start.as_mut_ptr(),
            Buffer::A => self.a.as_mut_ptr(),
            Buffer::B => self.b.as_mut_ptr(),
        }
    }

    /// Runs a kernel over blocks of every group.
    fn over_blocks(&mut self, kernel: Kernel, input: Buffer, cells: Cells, set: impl Fn(&mut Params<R>)) {
        let mut params = self.params;
        params.u = self.buffer(input);
        set(&mut params);
        for (g, arrays) in self.groups.iter().enumerate() {
            let blocks = self.plan.groups[g].blocks(cells);
            params.metrics = arrays.metrics.as_ptr();
            params.normals = arrays.normals.as_ptr();
            params.operators = arrays.operators.as_ptr();
            params.face_points = arrays.face_points.as_ptr();
            let params = params.of_blocks(&self.plan, g, blocks.start);
            self.run(arrays.kernels.get(kernel), params, 0..blocks.len());
        }
    }

    /// Runs a kernel over the boundary faces of every set: `count` of the parameters says over how many items.
    fn over_boundary(&mut self, kernel: Kernel, input: Buffer, count: impl Fn(&Params<R>) -> i64) {
        let mut params = self.params;
        params.u = self.buffer(input);
        for set in &self.plan.boundary_sets {
            let params = params.of_boundary_set(&self.plan, set);
            let kernel = self.groups[set.group].kernels.get(kernel);
            self.run(kernel, params, 0..count(&params) as usize);
        }
    }

    fn run(&self, kernel: KernelFunction, params: Params<R>, range: Range<usize>) {
        let launch = Launch(params);
        let threads = self.pool.current_num_threads();
        let chunk = range.len().div_ceil(threads * 8).max(1);
        self.pool.install(|| {
            range.clone().into_par_iter().step_by(chunk).for_each(|begin| {
                let end = (begin + chunk).min(range.end);
                // SAFETY: the parameters describe live arrays of the sizes that the plan gives; chunks are disjoint.
                unsafe { kernel(launch.address(), begin as i64, end as i64) }
            });
        });
    }
}
