//! The solver: a case on a mesh on a device, advanced in time.
//!
//! [`Solver`] owns what a run needs and nothing of how it is shown: it knows the right-hand side, the Runge-Kutta scheme and
//! the time step; the run loop, output and progress live around it.

mod boundary_values;
mod conditions;
mod divergence;
mod error;
mod machine;
mod memory;
mod rk4;
mod run;
mod snapshot;
mod time;
mod value;

use std::path::Path;

use rayon::prelude::*;

use crate::case::{Boundary, Case, Field, Forcing, Gas, Initial, MeshSource};
use crate::device::{self, Buffer, Device, DeviceError, Rates, StageUpdate};
use crate::element::{ElementKind, Elements, StabilityLimits, element_limits};
use crate::geometry::Geometry;
use crate::mesh::{Mesh, build_box, read_mesh};

use boundary_values::Values;
use memory::Census;

pub use conditions::{conserved, initial_state};
pub use error::{RunError, SetupError, StepError};
pub use run::{Outcome, Run};
pub use time::Clock;
pub use value::BadValue;

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
            boundaries_vary: boundaries.iter().any(boundary_values::varies),
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
        solver.set_boundary_data(0.0)?;
        solver.boundary_values().warn_of_leaning_walls();
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
    pub fn rhs(&mut self, time: f64) -> Result<Vec<f64>, StepError> {
        self.evaluate_rhs(time)?;
        Ok(self.device.rhs()?)
    }

    /// Leaves dU/dt of the present state on the device, as the integrals need it.
    pub fn evaluate_rhs(&mut self, time: f64) -> Result<(), StepError> {
        self.set_data_at(time)?;
        let device = self.device.as_mut();
        let update = StageUpdate::RhsOnly;
        Ok(self.terms.right_hand_side(device, Buffer::Start, Buffer::A, update)?)
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
    fn set_data_at(&mut self, time: f64) -> Result<(), StepError> {
        if self.boundaries_vary {
            self.set_boundary_data(time)?;
        }
        if self.source_varies() {
            self.set_source_at(time)?;
        }
        Ok(())
    }

    fn set_boundary_data(&mut self, time: f64) -> Result<(), StepError> {
        let data = self.boundary_values().data(time)?;
        Ok(self.device.set_boundary_data(&data)?)
    }

    fn boundary_values(&self) -> Values<'_> {
        Values {
            faces: &self.device.plan().boundary_faces,
            names: &self.mesh.boundary_names,
            boundaries: &self.boundaries,
            initial: &self.initial,
            gas: &self.gas,
            geometry: &self.geometry,
            order: self.elements.order,
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
