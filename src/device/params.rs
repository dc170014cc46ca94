//! The kernels' parameter block; same fields in the same order as `struct Params` of ptx/params.h.

/// Most points of a line.
pub const MAX_N: usize = 9;

/// What one kernel launch sees. Pointers are device addresses; units are those of the case.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
#[allow(missing_docs)] // each field is described in ptx/params.h
pub struct Params<R> {
    pub u: *const R,
    pub out: *mut R,
    pub un: *mut R,
    pub acc: *mut R,
    pub comp: *mut R,
    pub traces: *mut R,
    pub metrics: *const R,
    pub normals: *const R,
    pub source: *const R,
    pub slot_base: *const i64,
    pub slot_trace_base: *const i64,
    pub slot_stride: *const i32,
    pub slot_trace_stride: *const i32,
    pub slot_table: *const i32,
    pub slot_kind: *const u8,
    pub tables: *const i32,
    pub boundary_cell: *const i64,
    pub boundary_trace: *const i64,
    pub boundary_metric: *const i64,
    pub boundary_face: *const i32,
    pub boundary_kind: *const i32,
    pub boundary_data: *const R,
    pub boundary_count: i64,
    pub ghost_base: i64,
    pub ghost_trace_base: i64,
    pub per_cell: *mut f64,
    pub dt: *const R,
    pub diff: [R; MAX_N * MAX_N],
    pub correction: [R; MAX_N],
    pub weights: [R; MAX_N],
    pub gamma: R,
    pub gas_constant: R,
    pub cv: R,
    pub cp: R,
    pub conductivity_factor: R,
    pub mu: R,
    pub sutherland_factor: R,
    pub sutherland_s: R,
    pub fraction: R,
    pub weight: R,
    pub split: i32,
    pub riemann: i32,
    pub viscosity: i32,
    pub stage: i32,
    pub kahan: i32,
    pub metric_points: i32,
}
