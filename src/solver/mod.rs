//! The solver: a case on a mesh on a device, advanced in time.
//!
//! [`Solver`] owns what a run needs and nothing of how it is shown: it knows the right-hand side, the Runge-Kutta scheme and
//! the time step; the run loop, output and progress live around it.

mod boundary_values;
mod bulk;
mod clock;
mod conditions;
mod device_choice;
mod error;
mod exchange;
mod mass_flow;
mod memory;
mod rk4;

use std::path::{Path, PathBuf};

use mpi::topology::SimpleCommunicator;
use rayon::prelude::*;

use crate::case::Case;
use crate::device::Precision;
use crate::device::{self, Behind, Buffer, Cells, Device, DeviceError, Rates, StageUpdate, Traces};
use crate::element::{ElementKind, Elements, StabilityLimits, element_limits};
use crate::geometry::Geometry;
use crate::halo::Exchange;
use crate::input::Field;
use crate::mesh::MeshSource;
use crate::mesh::partition::share;
use crate::mesh::{Mesh, ReadError, build_box, read_mesh, read_share};
use crate::physics::{Boundary, Forcing, Gas, GasState};
use crate::ranks::Ranks;

use crate::input::finite;
use boundary_values::Values;
use mass_flow::MassFlow;
use memory::Census;

pub use crate::input::BadValue;
pub use bulk::Bulk;
pub use clock::Clock;
pub use conditions::initial_state;
pub use error::{SetupError, StepError};

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
    /// The gas.
    pub gas: Gas,
    initial: GasState,
    /// Condition of every boundary of the mesh.
    pub boundaries: Vec<Boundary>,
    source: Option<Source>,
    mass_flow: Option<MassFlow>,
    boundaries_vary: bool,
    terms: Terms,
    /// The ranks that compute together.
    pub ranks: Ranks,
    exchange: Option<Exchange>,
}

/// Which terms the right-hand side of a case has.
#[derive(Debug, Clone, Copy)]
struct Terms {
    boundaries: bool,
    viscous: bool,
    /// Whether ghosts of boundary faces show what other ranks hold.
    rotated_halos: bool,
}

impl Terms {
    /// Right-hand side of `input`, used as `update` says: two sweeps, each after the ghosts and the halos that it reads. Cells
    /// that need no halo are computed while the halos travel.
    fn right_hand_side(
        self,
        device: &mut dyn Device,
        exchange: &mut Option<Exchange>,
        input: Buffer,
        output: Buffer,
        update: StageUpdate,
    ) -> Result<(), DeviceError> {
        let states = Traces::States(input);
        let ghost_states = |device: &mut dyn Device| device.ghost_states(input);
        if self.viscous {
            self.after_exchange(device, exchange, states, &ghost_states, &mut |device, cells| {
                device.sweep1(input, cells)
            })?;
            let ghost_traces = |device: &mut dyn Device| device.ghost_traces(input);
            self.after_exchange(
                device,
                exchange,
                Traces::Viscous,
                &ghost_traces,
                &mut |device, cells| device.sweep2(input, output, update, cells),
            )
        } else {
            self.after_exchange(device, exchange, states, &ghost_states, &mut |device, cells| {
                device.sweep2(input, output, update, cells)
            })
        }
    }

    /// A sweep that reads `traces` of other ranks, and ghosts.
    fn after_exchange(
        self,
        device: &mut dyn Device,
        exchange: &mut Option<Exchange>,
        traces: Traces,
        ghosts: &dyn Fn(&mut dyn Device) -> Result<(), DeviceError>,
        sweep: &mut dyn FnMut(&mut dyn Device, Cells) -> Result<(), DeviceError>,
    ) -> Result<(), DeviceError> {
        let Some(exchange) = exchange else {
            if self.boundaries {
                ghosts(device)?;
            }
            return sweep(device, Cells::All);
        };
        exchange.start(device, traces)?;
        if self.boundaries {
            ghosts(device)?;
        }
        sweep(device, Cells::Interior)?;
        exchange.finish(device)?;
        if self.rotated_halos {
            ghosts(device)?;
        }
        sweep(device, Cells::Frontier)
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
        Self::build(case, Ranks::alone(), |case, _| match &case.mesh {
            MeshSource::Box(b) => Ok(build_box(b, case.order)?),
            MeshSource::File { path, periodic } => Ok(read_mesh(&beside(case, path), periodic)?),
        })
    }

    /// The same on many ranks, each of which takes a part of the mesh. Collective: all ranks succeed, or none.
    pub fn on_ranks(case: &Case, world: &SimpleCommunicator) -> Result<Self, SetupError> {
        Self::build(case, Ranks::of(world), |case, ranks| match &case.mesh {
            MeshSource::Box(b) => {
                let built = build_box(b, case.order).map_err(SetupError::from);
                let mesh = ranks.agree(built, SetupError::Elsewhere)?;
                let (cells, ranks) = (mesh.len(), ranks.size());
                if cells < ranks {
                    return Err(SetupError::Ranks { ranks, cells });
                }
                Ok(share(mesh, world, case.order).map_err(ReadError::from)?)
            }
            MeshSource::File { path, periodic } => Ok(read_share(&beside(case, path), periodic, world, case.order)?),
        })
    }

    /// As [`Solver::new`] on a given mesh.
    pub fn on_mesh(case: &Case, mesh: Mesh) -> Result<Self, SetupError> {
        Self::build(case, Ranks::alone(), |_, _| Ok(mesh))
    }

    fn build(
        case: &Case,
        ranks: Ranks,
        mesh: impl FnOnce(&Case, &Ranks) -> Result<Mesh, SetupError>,
    ) -> Result<Self, SetupError> {
        // What can be refused is refused before anything large is built.
        let foreseen = match &case.mesh {
            MeshSource::Box(b) => Census::of_box(b).map(|census| census.shared_by(ranks.size())),
            MeshSource::File { .. } => None,
        };
        let place = ranks.on_this_machine();
        let ready = || {
            let gpu = device_choice::choose(case, place.0)?;
            if let Some(census) = &foreseen {
                memory::check(case, census, gpu.as_ref(), place.1)?;
            }
            Ok(gpu)
        };
        let gpu = ranks.agree(ready(), SetupError::Elsewhere)?;
        let mesh = mesh(case, &ranks)?;
        let present = mesh.kinds_present();
        let fits = || {
            if foreseen.is_none() {
                memory::check(case, &Census::of_mesh(&mesh), gpu.as_ref(), place.1)?;
            }
            match present.iter().find(|kind| kind.max_order() < case.order) {
                Some(&kind) => Err(SetupError::Order {
                    order: case.order,
                    most: kind.max_order(),
                    kind,
                }),
                None => Ok(()),
            }
        };
        ranks.agree(fits(), SetupError::Elsewhere)?;
        let elements = Elements::new(case.order, case.scheme.correction, &present);
        let geometry = Geometry::on_ranks(&mesh, &elements, &ranks)?;
        let boundaries = conditions::of_mesh(case, &mesh, &ranks)?;
        let source = body_force(&case.forcing, &geometry).map_err(SetupError::from);
        let source = ranks.agree(source, SetupError::Elsewhere)?;
        let kinds: Vec<i32> = boundaries.iter().map(device::boundary_kind).collect();
        let device =
            device_choice::build(case, gpu, place.1, &mesh, &geometry, &elements, &kinds).map_err(SetupError::from);
        let device = ranks.agree(device, SetupError::Elsewhere)?;
        let plan = device.plan();
        let real = if case.precision == Precision::Double { 8 } else { 4 };
        let mut solver = Solver {
            limits: ElementKind::ALL.map(|kind| match case.order <= kind.max_order() {
                true => element_limits(kind, case.order, case.scheme.correction),
                false => StabilityLimits::default(),
            }),
            boundaries_vary: boundaries.iter().any(boundary_values::varies),
            terms: Terms {
                boundaries: !plan.boundary_faces.is_empty(),
                viscous: case.gas.viscosity.is_some(),
                rotated_halos: plan
                    .boundary_faces
                    .iter()
                    .any(|b| matches!(b.behind, Behind::Remote { .. })),
            },
            exchange: None,
            ranks,
            gas: case.gas,
            initial: case.initial.clone(),
            source,
            mass_flow: case.forcing.mass_flow.map(|held| MassFlow::new(held, geometry.volume)),
            mesh,
            elements,
            geometry,
            device,
            boundaries,
        };
        solver.connect(&case.exchange, real)?;
        let filled = solver.fill();
        solver.ranks.agree(filled, SetupError::Elsewhere)?;
        Ok(solver)
    }

    /// Brings the initial state and the data of boundaries and sources to the device.
    fn fill(&mut self) -> Result<(), SetupError> {
        let state = initial_state(&self.initial, &self.geometry, &self.gas)?;
        self.device.set_state(&state)?;
        self.set_boundary_data(0.0)?;
        self.boundary_values().warn_of_leaning_walls();
        Ok(self.set_source_at(0.0)?)
    }

    /// Number of solution points of this rank.
    pub fn points(&self) -> usize {
        self.geometry.points.len()
    }

    /// Number of solution points of all ranks. Collective.
    pub fn points_of_all_ranks(&self) -> usize {
        let mut points = [self.points() as u64];
        self.ranks.sums(&mut points);
        points[0] as usize
    }

    /// Bounds on the time step and health of the state, over all ranks; cells by their numbers in the whole mesh. Collective.
    pub fn rates(&mut self) -> Result<Rates, DeviceError> {
        let mut rates = self.device.rates()?;
        let mut greatest = [rates.acoustic, rates.viscous].concat();
        self.ranks.greatest(&mut greatest);
        rates.acoustic.copy_from_slice(&greatest[..4]);
        rates.viscous.copy_from_slice(&greatest[4..]);
        let none = u64::MAX;
        let mut first = [rates.unphysical.map_or(none, |cell| self.mesh.global(cell) as u64)];
        self.ranks.least(&mut first);
        rates.unphysical = (first[0] != none).then_some(first[0] as usize);
        Ok(rates)
    }

    /// What moves through the domain at the present state. Collective.
    pub fn bulk(&mut self) -> Result<Bulk, DeviceError> {
        Bulk::take(self.device.as_mut(), self.geometry.volume, &self.ranks)
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
        let (device, update) = (self.device.as_mut(), StageUpdate::RhsOnly);
        self.terms
            .right_hand_side(device, &mut self.exchange, Buffer::Start, Buffer::A, update)?;
        if !self.terms.viscous && self.ranks.size() > 1 {
            // The next exchange is of the same buffer again, with none of viscous traces in between: nobody may begin it while
            // another rank still reads.
            self.device.rates()?;
            self.ranks.wait_for_all();
        }
        Ok(())
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

    /// Hash of the state: the same for any order of cells in memory, any vector width, any number of threads and ranks. Collective.
    pub fn hash(&self) -> Result<u64, DeviceError> {
        let state = self.device.state()?;
        let (first, mesh) = (&self.geometry.first_point, &self.mesh);
        let mut hash = [(0..mesh.len())
            .into_par_iter()
            .fold(
                || 0u64,
                |sum, cell| {
                    let values = &state[5 * first[cell]..5 * first[cell + 1]];
                    let bytes: Vec<u8> = values.iter().flat_map(|v| v.to_le_bytes()).collect();
                    let seed = mesh.global(cell) as u64;
                    sum.wrapping_add(xxhash_rust::xxh3::xxh3_64_with_seed(&bytes, seed))
                },
            )
            .reduce(|| 0, u64::wrapping_add)];
        self.ranks.sums(&mut hash);
        Ok(hash[0])
    }

    /// Whether the source changes in time.
    fn source_varies(&self) -> bool {
        self.source.as_ref().is_some_and(|s| s.varies)
    }

    /// Brings what changes in time to the device.
    fn set_data_at(&mut self, time: f64) -> Result<(), StepError> {
        if self.boundaries_vary {
            let set = self.set_boundary_data(time);
            self.ranks.agree(set, StepError::Elsewhere)?;
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

/// The path of a mesh file, which a case gives as seen from its own folder.
fn beside(case: &Case, path: &Path) -> PathBuf {
    case.path.parent().unwrap_or(Path::new("")).join(path)
}

/// The case's body force as a source, if it means something at all points.
fn body_force(forcing: &Forcing, geometry: &Geometry) -> Result<Option<Source>, BadValue> {
    let Some(force) = forcing.force.clone() else {
        return Ok(None);
    };
    for (field, key) in force.iter().zip(["force[0]", "force[1]", "force[2]"]) {
        for &x in &geometry.points {
            finite(key, field, x, 0.0).map_err(|wrong| BadValue::new("forcing", wrong, x, 0.0))?;
        }
    }
    let varies = force.iter().any(Field::depends_on_time);
    Ok(Some(Source {
        value: Box::new(move |x, t| [0.0, force[0].eval(x, t), force[1].eval(x, t), force[2].eval(x, t), 0.0]),
        varies,
    }))
}
