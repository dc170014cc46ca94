//! The check that a case fits into the memory of this machine, before anything large is allocated: first by the numbers
//! of cells and faces alone, and again with bars, sponges, turbulent inlets and matching points of modelled walls when
//! the geometry says where they are.

use super::available_memory::available_memory;
use super::{Settings, SetupError};
use crate::device::cuda::{self, Gpu, shape};
use crate::device::{DeviceError, Later, MatchingPoints, MemoryUse, Plan, Sizes, Slot, inlet_bytes, memory_of};
use crate::element::ElementKind;
use crate::geometry::CellMetrics;
use crate::mesh::{CellCounts, Mesh, Side};

/// Verifies that the GPU, if the case runs on one, and the host have the memory that a case needs, before the geometry
/// is built. On the host the arrays of the device (on the CPU) or their copies on the way to the GPU exist beside the
/// geometry in double precision. The estimate leaves out a few per cent. `ranks` ranks share the memory of the host.
///
/// # Errors
/// The case needs more memory than is available.
pub fn check(settings: &Settings, counts: &CellCounts, gpu: Option<&Gpu>, ranks: usize) -> Result<(), SetupError> {
    let later = Later {
        source: settings.forcing.force.is_some(),
        ..Later::default()
    };
    let needs = Needs::new(settings, counts, later, gpu);
    needs.check_gpu(gpu)?;
    needs.check_host(
        counts.sum(|kind, affine| host_bytes(kind, settings.order, affine)),
        ranks,
    )
}

/// Returns the bytes that the mesh, the geometry, the initial state and the plan of the device take for a cell. The
/// geometry of a curved cell is taken to have the degree of the solution.
fn host_bytes(kind: ElementKind, order: usize, affine: bool) -> f64 {
    let (np, faces) = (kind.points(order), kind.faces().len());
    let vector = size_of::<[f64; 3]>();
    let nodes = if affine { kind.points(1) } else { np };
    let terms = if affine { 0 } else { 10 * size_of::<f64>() * np };
    let areas = match (affine, kind) {
        (true, _) => faces,
        (false, ElementKind::Hex) => 0,
        (false, _) => kind.total_face_points(order),
    };
    let sides = faces * (size_of::<Side>() + size_of::<Slot>());
    let state = 5 * size_of::<f64>() * np;
    // Numbers of the cell: its first node, side, point and area vector, its slot and its number in the whole mesh.
    let of_cell = size_of::<CellMetrics>() + size_of::<[usize; 8]>();
    (vector * (np + nodes + areas) + terms + sides + state + of_cell) as f64
}

/// Verifies the same when the geometry is there and only the device is left to build, with what bars, sponges, sources,
/// turbulent inlets and matching points take. Of a block of a CPU with a cell in a sponge, or one that bars may meet,
/// the other cells are left out. Logs the memory of a GPU.
///
/// # Errors
/// The case needs more memory than is available.
pub fn check_device(
    settings: &Settings,
    mesh: &Mesh,
    later: Later,
    matching: &MatchingPoints,
    gpu: Option<&Gpu>,
    ranks: usize,
) -> Result<(), SetupError> {
    let mut needs = Needs::new(settings, &CellCounts::of_mesh(mesh), later, gpu);
    let inlets = inlet_bytes(
        inlet_points(settings, mesh),
        settings.turbulence_varies(),
        1,
        settings.real_bytes(),
    );
    needs.device.other += inlets;
    let matching = matching.bytes(settings.real_bytes());
    needs.device.connectivity += matching;
    if gpu.is_none() {
        needs.host += (inlets + matching) as f64;
    }
    needs.check_gpu(gpu)?;
    if let Some(gpu) = gpu {
        cuda::log_memory(gpu, &needs.device).map_err(DeviceError::from)?;
    }
    // Rates and averaging times of sponges stay on the host, and the targets until they are on the device.
    needs.check_host((8 * (1 + 1 + 5) * later.sponge_points) as f64, ranks)
}

/// The memory that a case needs, in bytes.
struct Needs {
    /// On the device.
    device: MemoryUse,
    /// On the host, for the device: its arrays on a CPU, or their copies on the way to a GPU.
    host: f64,
    /// Number of solution points.
    points: f64,
}

impl Needs {
    fn new(settings: &Settings, counts: &CellCounts, later: Later, gpu: Option<&Gpu>) -> Self {
        let plan = Plan::of_counts(counts, settings.order, |kind| gpu.map_or(1, |_| shape::width(kind)));
        let real = settings.real_bytes();
        let mut device = memory_of(&Sizes {
            plan: &plan,
            real,
            viscous: settings.gas.viscosity.is_some(),
            kahan: settings.kahan,
            low_storage: settings.time_scheme.low_storage().is_some(),
            turbulence: settings.turbulent(),
            scalars: !settings.scalars.is_empty(),
            sgs: settings.sgs.is_some(),
            frames: settings.frames().0,
            wall_models: settings.wall_models().any(|_| true),
            shock: settings.scheme.shock,
            relaxed: settings.boundaries.values().any(|b| b.kind().is_relaxed()),
            names: settings.boundaries.len(),
            later,
        });
        // The sums of statistics stay on the device, and come to the host for checkpoints.
        let sums = 8.0 * counts.sum(|kind, _| settings.output_doubles_per_cell[kind] as f64);
        device.other += sums as usize;
        Needs {
            device,
            host: match gpu {
                None => device.total() as f64,
                // A state and the metric terms on their way to the GPU.
                Some(_) => (real * plan.state_len() + device.geometry) as f64 + sums,
            },
            points: counts.sum(|kind, _| kind.points(settings.order) as f64),
        }
    }

    fn check_gpu(&self, gpu: Option<&Gpu>) -> Result<(), SetupError> {
        let checked = gpu.map_or(Ok(()), |gpu| cuda::check_memory(gpu, &self.device));
        Ok(checked.map_err(DeviceError::from)?)
    }

    /// Verifies that the host has `beside` bytes more than those for the device. `ranks` ranks share its memory.
    fn check_host(&self, beside: f64, ranks: usize) -> Result<(), SetupError> {
        let needed = self.host + beside;
        match available_memory(ranks) {
            Some(available) if needed > available.bytes => Err(SetupError::Memory {
                points: self.points,
                needed: needed / 1e9,
                available: available.bytes / 1e9,
                of: available.of,
            }),
            _ => Ok(()),
        }
    }
}

/// Returns the number of points of the faces of turbulent inlets.
fn inlet_points(settings: &Settings, mesh: &Mesh) -> usize {
    let turbulent = |name: &String| settings.boundaries.get(name).is_some_and(|b| b.turbulence().is_some());
    let turbulent: Vec<bool> = mesh.boundary_names.iter().map(turbulent).collect();
    let of_cell = |cell: usize| {
        let faces = mesh.cell_sides(cell).iter().zip(mesh.kinds[cell].faces());
        let inlet = faces.filter(|(side, _)| matches!(side, Side::Boundary(name) if turbulent[*name]));
        inlet.map(|(_, face)| face.shape.points(settings.order)).sum::<usize>()
    };
    if turbulent.contains(&true) {
        (0..mesh.len()).map(of_cell).sum()
    } else {
        0
    }
}
