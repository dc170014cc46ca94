//! The solver: a case on a mesh on a device, advanced in time.
//!
//! [`Solver`] owns what a run needs and nothing of how it is shown: it knows the right-hand side, the Runge-Kutta scheme and
//! the time step; the run loop, output and progress live around it.

mod checkpoint;
mod conditions;
mod machine;
mod memory;
mod restart;
mod rk4;
mod run;
mod run_error;
mod schedule;
mod snapshot;
mod stop;
mod time;

use std::path::Path;

use rayon::prelude::*;
use thiserror::Error;

use crate::case::{Boundary, Case, Field, Forcing, Gas, Initial, MeshSource};
use crate::device::{self, Buffer, Device, DeviceError, Rates, StageUpdate};
use crate::element::{ElementKind, Elements, StabilityLimits, element_limits};
use crate::geometry::{Geometry, GeometryError};
use crate::mesh::{BoxError, Mesh, ReadError, build_box, read_mesh};

use memory::Census;

pub use conditions::{conserved, initial_state};
pub use run::{Outcome, Run};
pub use run_error::RunError;
pub use stop::Stop;
pub use time::Clock;

/// Why a case cannot be set up.
#[derive(Debug, Error)]
pub enum SetupError {
    /// The box cannot be built.
    #[error("mesh: {0}")]
    Box(#[from] BoxError),
    /// The mesh file cannot be used.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// A boundary of the mesh has no condition.
    #[error("boundaries: `{name}` of the mesh ({faces} faces) has no boundary condition; the mesh has {there}")]
    Unnamed {
        /// The boundary.
        name: String,
        /// Its faces.
        faces: usize,
        /// All boundaries of the mesh.
        there: String,
    },
    /// The case names a boundary that the mesh does not have.
    #[error("boundaries: the mesh has no boundary `{name}`; it has {there}")]
    Unknown {
        /// What the case names.
        name: String,
        /// All boundaries of the mesh.
        there: String,
    },
    /// The elements do not go up to the order.
    #[error("order: {order} is above {most}, the highest order of {kind} cells")]
    Order {
        /// What the case asks for.
        order: usize,
        /// What there is.
        most: usize,
        /// The kind of cell.
        kind: ElementKind,
    },
    /// The mesh has unusable cells.
    #[error("mesh: {0}")]
    Geometry(#[from] GeometryError),
    /// The case does not fit.
    #[error(
        "mesh: {points:.3e} solution points need about {needed:.1} GB to set up, and {available:.1} GB are available: \
         fewer cells, a lower order, or precision: single"
    )]
    Memory {
        /// Solution points.
        points: f64,
        /// Gigabytes needed.
        needed: f64,
        /// Gigabytes available.
        available: f64,
    },
    /// The device cannot be used.
    #[error("device: {0}")]
    Device(#[from] DeviceError),
    /// The initial state is not physical.
    #[error("initial: {what} is {value:.6e} at ({:.6}, {:.6}, {:.6}); it must be positive and finite", at[0], at[1], at[2])]
    Initial {
        /// Which quantity.
        what: &'static str,
        /// Its value.
        value: f64,
        /// Where.
        at: [f64; 3],
    },
    /// The values of a boundary are not physical.
    #[error(
        "boundaries.{name}: {what} is {value:.6e} at ({:.6}, {:.6}, {:.6}) and t = 0; it must be {}finite",
        at[0], at[1], at[2], if what.contains("velocity") { "" } else { "positive and " }
    )]
    Boundary {
        /// Name of the boundary.
        name: String,
        /// Which quantity.
        what: &'static str,
        /// Its value.
        value: f64,
        /// Where.
        at: [f64; 3],
    },
}

/// A case on its mesh and device.
pub struct Solver {
    /// The mesh.
    pub mesh: Mesh,
    /// The reference elements.
    pub elements: Elements,
    /// Metric terms and solution points.
    pub geometry: Geometry,
    /// Linear stability limits of the scheme, by kind of cell.
    pub limits: [StabilityLimits; 4],
    /// Where the state lives.
    pub device: Box<dyn Device>,
    gas: Gas,
    initial: Initial,
    boundaries: Vec<Boundary>,
    source: Option<Source>,
    boundaries_vary: bool,
    terms: Terms,
}

/// Which terms the right-hand side of a case has.
#[derive(Debug, Clone, Copy)]
struct Terms {
    boundaries: bool,
    viscous: bool,
}

impl Terms {
    /// Right-hand side of `input`, used as `update` says: two sweeps, each after the ghosts that it reads.
    fn right_hand_side(
        self,
        device: &mut dyn Device,
        input: Buffer,
        output: Buffer,
        update: StageUpdate,
    ) -> Result<(), DeviceError> {
        if self.boundaries {
            device.ghost_states(input)?;
        }
        if self.viscous {
            device.sweep1(input)?;
            if self.boundaries {
                device.ghost_traces(input)?;
            }
        }
        device.sweep2(input, output, update)
    }
}

/// A volume source (mass, force, heat per unit volume) as a function of position and time. The work of the force is added by
/// the kernels.
pub struct Source {
    /// The five values.
    pub value: Box<dyn Fn([f64; 3], f64) -> [f64; 5] + Send + Sync>,
    /// Whether it changes in time, and so has to be evaluated anew at every stage.
    pub varies: bool,
}

impl Solver {
    /// Builds mesh, geometry and device and sets the initial state.
    pub fn new(case: &Case) -> Result<Self, SetupError> {
        Self::build(case, |case| match &case.mesh {
            MeshSource::Box(b) => Ok(build_box(b, case.order)?),
            MeshSource::File { path, periodic } => {
                let beside = case.path.parent().unwrap_or(Path::new(""));
                Ok(read_mesh(&beside.join(path), periodic)?)
            }
        })
    }

    /// As [`Solver::new`] on a given mesh.
    pub fn on_mesh(case: &Case, mesh: Mesh) -> Result<Self, SetupError> {
        Self::build(case, |_| Ok(mesh))
    }

    fn build(case: &Case, mesh: impl FnOnce(&Case) -> Result<Mesh, SetupError>) -> Result<Self, SetupError> {
        // What can be refused is refused before anything large is built.
        let gpu = machine::choose(case)?;
        let foreseen = match &case.mesh {
            MeshSource::Box(b) => Census::of_box(b),
            MeshSource::File { .. } => None,
        };
        if let Some(census) = &foreseen {
            memory::check(case, census, gpu.as_ref())?;
        }
        let mesh = mesh(case)?;
        if foreseen.is_none() {
            memory::check(case, &Census::of_mesh(&mesh), gpu.as_ref())?;
        }
        let present = mesh.kinds_present();
        if let Some(&kind) = present.iter().find(|kind| kind.max_order() < case.order) {
            let (order, most) = (case.order, kind.max_order());
            return Err(SetupError::Order { order, most, kind });
        }
        let elements = Elements::new(case.order, case.scheme.correction, &present);
        let geometry = Geometry::new(&mesh, &elements)?;
        let boundaries = conditions::of_mesh(case, &mesh)?;
        let kinds: Vec<i32> = boundaries.iter().map(device::boundary_kind).collect();
        let device = machine::build(case, gpu, &mesh, &geometry, &elements, &kinds)?;
        let mut solver = Solver {
            limits: ElementKind::ALL.map(|kind| match present.contains(&kind) {
                true => element_limits(kind, case.order, case.scheme.correction),
                false => StabilityLimits::default(),
            }),
            boundaries_vary: boundaries.iter().any(conditions::varies),
            terms: Terms {
                boundaries: !device.plan().boundary_faces.is_empty(),
                viscous: case.gas.viscosity.is_some(),
            },
            gas: case.gas,
            initial: case.initial.clone(),
            source: body_force(&case.forcing),
            mesh,
            elements,
            geometry,
            device,
            boundaries,
        };
        let state = initial_state(&case.initial, &solver.geometry, &case.gas)?;
        solver.device.set_state(&state)?;
        conditions::check_boundaries(
            &solver.device.plan().boundary_faces,
            &solver.mesh.boundary_names,
            &solver.geometry,
            solver.elements.order,
            &solver.boundary_values(),
        )?;
        solver.set_boundary_data(0.0)?;
        solver.set_source_at(0.0)?;
        Ok(solver)
    }

    /// Number of solution points.
    pub fn points(&self) -> usize {
        self.geometry.points.len()
    }

    /// Adds a volume source, in place of the case's own.
    pub fn set_source(&mut self, source: Source) -> Result<(), DeviceError> {
        self.source = Some(source);
        self.set_source_at(0.0)
    }

    /// dU/dt of the present state, [cell][5][point].
    pub fn rhs(&mut self, time: f64) -> Result<Vec<f64>, DeviceError> {
        self.evaluate_rhs(time)?;
        self.device.rhs()
    }

    /// Leaves dU/dt of the present state on the device, as the integrals need it.
    pub fn evaluate_rhs(&mut self, time: f64) -> Result<(), DeviceError> {
        self.set_data_at(time)?;
        let device = self.device.as_mut();
        self.terms
            .right_hand_side(device, Buffer::Start, Buffer::A, StageUpdate::RhsOnly)
    }

    /// The largest step that sound and flow allow.
    pub fn acoustic_step(&self, rates: &Rates) -> f64 {
        let of = |kind: usize| self.limits[kind].advection / rates.acoustic[kind];
        (0..4).map(of).fold(f64::INFINITY, f64::min)
    }

    /// The largest step that viscosity and conduction allow.
    pub fn viscous_step(&self, rates: &Rates) -> f64 {
        let of = |kind: usize| self.limits[kind].diffusion / rates.viscous[kind];
        (0..4).map(of).fold(f64::INFINITY, f64::min)
    }

    /// Largest stable step. The reciprocals of both limits add, as upwinding and diffusion damp the same modes: the
    /// analysis of both at once gives 1 to 9 % more than this, where the less of both would be twice too much.
    pub fn stable_step(&self, rates: &Rates) -> f64 {
        1.0 / (1.0 / self.acoustic_step(rates) + 1.0 / self.viscous_step(rates))
    }

    /// Hash of the state: the same for any order of cells in memory, any vector width and any number of threads.
    pub fn hash(&self) -> Result<u64, DeviceError> {
        let state = self.device.state()?;
        let first = &self.geometry.first_point;
        Ok((0..self.mesh.len())
            .into_par_iter()
            .fold(
                || 0u64,
                |sum, cell| {
                    let values = &state[5 * first[cell]..5 * first[cell + 1]];
                    let bytes: Vec<u8> = values.iter().flat_map(|v| v.to_le_bytes()).collect();
                    sum.wrapping_add(xxhash_rust::xxh3::xxh3_64_with_seed(&bytes, cell as u64))
                },
            )
            .reduce(|| 0, u64::wrapping_add))
    }

    /// Whether the source changes in time.
    fn source_varies(&self) -> bool {
        self.source.as_ref().is_some_and(|s| s.varies)
    }

    /// Brings what changes in time to the device.
    fn set_data_at(&mut self, time: f64) -> Result<(), DeviceError> {
        if self.boundaries_vary {
            self.set_boundary_data(time)?;
        }
        if self.source_varies() {
            self.set_source_at(time)?;
        }
        Ok(())
    }

    fn set_boundary_data(&mut self, time: f64) -> Result<(), DeviceError> {
        let faces = &self.device.plan().boundary_faces;
        let data = conditions::boundary_data(
            faces,
            &self.geometry,
            self.elements.order,
            &self.boundary_values(),
            time,
        );
        self.device.set_boundary_data(&data)
    }

    fn boundary_values(&self) -> conditions::Values<'_> {
        conditions::Values {
            boundaries: &self.boundaries,
            initial: &self.initial,
            gas: &self.gas,
        }
    }

    fn set_source_at(&mut self, time: f64) -> Result<(), DeviceError> {
        let Some(source) = &self.source else { return Ok(()) };
        let mut values = vec![0.0; self.points() * 5];
        let cells = self.geometry.cells_of(&mut values, 5);
        cells.into_par_iter().enumerate().for_each(|(c, cell)| {
            let points = self.geometry.cell_positions(c);
            for (p, &x) in points.iter().enumerate() {
                for (v, s) in (source.value)(x, time).into_iter().enumerate() {
                    cell[v * points.len() + p] = s;
                }
            }
        });
        self.device.set_source(&values)
    }
}

/// The case's body force as a source.
fn body_force(forcing: &Forcing) -> Option<Source> {
    let force = forcing.force.clone()?;
    let varies = force.iter().any(Field::depends_on_time);
    Some(Source {
        value: Box::new(move |x, t| [0.0, force[0].eval(x, t), force[1].eval(x, t), force[2].eval(x, t), 0.0]),
        varies,
    })
}
