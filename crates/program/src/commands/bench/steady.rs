//! `fr-les bench --steady`: the times of explicit steps and the parts of implicit steps of the steady solver, on a
//! channel with stretched cells: for each preconditioner the times of its factors and of an iteration with their ratio,
//! the share of residual and assembly in a step, and the ratio R* of the times of implicit and explicit steps.
//!
//! An implicit solution is faster if it needs fewer steps than the explicit one divided by R* (M. H. Aissa, thesis, von
//! Karman Institute 2017, section 6.3).

use serde::Serialize;

use super::super::{Failure, print_line, word};
use crate::device::cpu::Host;
use crate::device::cuda::GpuStore;
use crate::device::{DeviceError, DeviceKind};
use crate::element::{Correction, Elements};
use crate::geometry::Geometry;
use crate::io::Provenance;
use crate::mesh::{BoxElements, BoxMesh, WarpKind, build_box};
use crate::physics::{BoundaryKind, Gas, GivenIn, Viscosity};
use crate::ranks::Ranks;
use crate::solver::{SetupError, choose_device_kind};
use crate::steady::{
    BoundaryList, DualMesh, Implicit, ImplicitSolver, Levels, Machine, Meshes, Preconditioner, Scheme, Solver,
    SteadyError, Timings, Values, seconds_of_explicit_step,
};

/// CFL number of the implicit steps.
const CFL: f64 = 100.0;
/// A gas at Mach number 0.2.
const GAS: Gas = Gas {
    gamma: 1.4,
    prandtl: 0.72,
    gas_constant: 17.857142857142858,
    viscosity: Some(Viscosity::Constant(1e-5)),
};

/// What is measured.
pub struct Setup {
    /// Cells per direction.
    pub cells: u64,
    /// Degree of the points.
    pub order: u64,
    /// What the cubes are divided into.
    pub elements: BoxElements,
    /// The device.
    pub device: DeviceKind,
    /// Threads of the CPU.
    pub threads: Option<usize>,
    /// Whether a GPU replays recorded steps.
    pub graph: bool,
}

/// Times of steps on one mesh and device.
#[derive(Debug, Serialize)]
pub struct StepTimes {
    /// Version of the program.
    pub version: String,
    /// Date and time.
    pub created: String,
    /// What computes.
    pub device: String,
    /// Vertices.
    pub vertices: usize,
    /// Cubes per direction.
    pub cells: u64,
    /// Degree of the points.
    pub order: u64,
    /// What the cubes are divided into.
    pub elements: String,
    /// Seconds of an explicit step.
    pub explicit_seconds: f64,
    /// Implicit steps with each preconditioner.
    pub preconditioners: Vec<ImplicitTimes>,
}

/// Times of an implicit step and of its parts.
#[derive(Debug, Serialize)]
pub struct ImplicitTimes {
    /// The preconditioner, in the spelling of the case file.
    pub preconditioner: String,
    /// Seconds of the residual.
    pub residual_seconds: f64,
    /// Seconds of the assembly of both systems.
    pub assembly_seconds: f64,
    /// Seconds of the factors.
    pub factors_seconds: f64,
    /// Seconds of an iteration.
    pub iteration_seconds: f64,
    /// Seconds of a step.
    pub step_seconds: f64,
    /// Iterations of the mean flow in the step.
    pub iterations: usize,
}

impl ImplicitTimes {
    /// Returns the time of the factors over that of an iteration.
    fn factors_over_iteration(&self) -> f64 {
        self.factors_seconds / self.iteration_seconds
    }

    /// Returns the fraction of the step that residual and assembly take.
    fn share_of_assembly(&self) -> f64 {
        (self.residual_seconds + self.assembly_seconds) / self.step_seconds
    }
}

/// The mesh, and what is solved on it.
struct Channel {
    dual: DualMesh,
    boundaries: Vec<BoundaryList>,
    state: Vec<Values>,
}

/// What was measured.
struct Times {
    /// Seconds of an explicit step.
    explicit: f64,
    /// Those of implicit steps.
    implicit: Vec<(Preconditioner, Timings)>,
}

impl Channel {
    fn new(setup: &Setup) -> Result<Self, Failure> {
        let cells = setup.cells as usize;
        let channel = BoxMesh {
            cells: [cells; 3],
            lower: [0.0; 3],
            upper: [1.0; 3],
            periodic: [true, false, true],
            elements: setup.elements,
            stretch: [None, Some(2.5), None],
            warp: 0.0,
            warp_kind: WarpKind::Curved,
        };
        let order = setup.order as usize;
        let mesh = build_box(&channel, 1).map_err(SetupError::from)?;
        let ranks = Ranks::alone();
        let elements = Elements::new(order, Correction::Radau, &mesh.kinds_present());
        let geometry = Geometry::on_ranks(&mesh, &elements, &ranks).map_err(SetupError::from)?;
        let dual = DualMesh::new(&mesh, &geometry, order, |_| true, &ranks).map_err(SteadyError::from)?;
        let wall = |vertices: &crate::steady::BoundaryVertices| BoundaryList {
            kind: BoundaryKind::NoSlipAdiabatic,
            vertex: vertices.vertex.clone(),
            area: vertices.area.clone(),
            data: vec![[0.0; 6]; vertices.vertex.len()],
            ratio: 0.0,
            given: GivenIn::Relative,
        };
        let flow = |x: &[f64; 3]| {
            let u = 4.0 * x[1] * (1.0 - x[1]);
            let wave = 0.01 * (std::f64::consts::TAU * (x[0] + x[2])).sin();
            let eddy = 1e-3 * x[1] * (1.0 - x[1]);
            [1.0 + wave * u, u * (1.0 + wave), wave * u, wave * u, 1.0, eddy, 0.0]
        };
        Ok(Channel {
            boundaries: dual.boundary.iter().map(wall).collect(),
            state: dual.position.iter().map(flow).collect(),
            dual,
        })
    }

    /// Times an explicit step, and the parts of implicit ones with every preconditioner.
    fn measure<M: Machine>(
        &self,
        store: impl Fn() -> Result<M, DeviceError>,
        scheme: &Scheme,
    ) -> Result<Times, DeviceError> {
        let (dual, boundaries) = (&self.dual, &self.boundaries);
        let mut solver = Solver::new(store()?, dual, boundaries, &GAS, scheme, Ranks::alone())?;
        let explicit = seconds_of_explicit_step(&mut solver, &self.state)?;
        drop(solver);
        let mut implicit = Vec::new();
        for preconditioner in Preconditioner::ALL {
            let settings = Implicit {
                preconditioner,
                sweeps: 4,
                krylov: 20,
                linear_stop: 0.03,
                refresh: None,
            };
            let mut dual = dual.clone();
            let coarsening = settings.coarsening();
            let levels = coarsening.map(|by| Levels::new(&mut dual, boundaries, by, &Ranks::alone()));
            let meshes = Meshes {
                dual: &dual,
                levels: levels.as_ref(),
            };
            let ranks = Ranks::alone();
            let mut solver = ImplicitSolver::new(store()?, meshes, boundaries, &GAS, scheme, &settings, ranks)?;
            implicit.push((preconditioner, solver.timings(&self.state, CFL)?));
        }
        Ok(Times { explicit, implicit })
    }
}

/// Measures one size, prints it, and returns it for the file.
///
/// # Errors
/// The mesh cannot be built or the device fails.
pub fn run(setup: &Setup) -> Result<StepTimes, Failure> {
    let channel = Channel::new(setup)?;
    let scheme = Scheme::default();
    let (device, times) = match choose_device_kind(setup.device, 0)? {
        Some(gpu) => {
            let name = gpu.name.clone();
            drop(gpu);
            let store = || {
                let gpu = crate::device::cuda::Gpu::open(0)?;
                Ok(GpuStore::new(gpu, setup.graph)?)
            };
            (name, channel.measure(store, &scheme)?)
        }
        None => {
            let host = || Host::new(setup.threads);
            (
                format!("CPU, {} threads", host()?.threads()),
                channel.measure(host, &scheme)?,
            )
        }
    };
    let vertices = channel.dual.owned;
    let ms = |seconds: f64| format!("{:.3}", 1e3 * seconds);
    print_line(format_args!(
        "{vertices} vertices of {} cells of {}, order {}, on {device}; times in ms\nexplicit step {}",
        setup.cells.pow(3),
        word(setup.elements),
        setup.order,
        ms(times.explicit),
    ));
    print_line(format_args!(
        "{:14} {:>9} {:>9} {:>9} {:>9} {:>7} {:>9} {:>6} {:>9} {:>6}",
        "preconditioner", "residual", "assembly", "factors", "iteration", "ratio", "step", "count", "assembly%", "R*"
    ));
    let mut preconditioners = Vec::new();
    for (preconditioner, t) in times.implicit {
        let t = ImplicitTimes {
            preconditioner: word(preconditioner),
            residual_seconds: t.residual,
            assembly_seconds: t.assembly,
            factors_seconds: t.factors,
            iteration_seconds: t.iteration,
            step_seconds: t.step,
            iterations: t.iterations,
        };
        print_line(format_args!(
            "{:14} {:>9} {:>9} {:>9} {:>9} {:>7.2} {:>9} {:>6} {:>9.1} {:>6.1}",
            t.preconditioner,
            ms(t.residual_seconds),
            ms(t.assembly_seconds),
            ms(t.factors_seconds),
            ms(t.iteration_seconds),
            t.factors_over_iteration(),
            ms(t.step_seconds),
            t.iterations,
            100.0 * t.share_of_assembly(),
            t.step_seconds / times.explicit,
        ));
        preconditioners.push(t);
    }
    Ok(StepTimes {
        version: crate::commands::version::program(),
        created: Provenance::of_this_program().created,
        device,
        vertices,
        cells: setup.cells,
        order: setup.order,
        elements: word(setup.elements),
        explicit_seconds: times.explicit,
        preconditioners,
    })
}
