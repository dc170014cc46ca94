//! The solver: a case on a mesh on a device, advanced in time.
//!
//! [`Solver`] holds the mesh, the geometry, the device with the state, the right-hand side, the stages of a step and
//! the bounds on the time step. It writes no files: the run loop and the outputs are in the rooms `run` and `output`.

mod available_memory;
mod bar_circles;
mod bar_track;
mod bars;
mod boundary_fluxes;
mod boundary_values;
mod bulk;
mod clock;
mod conditions;
mod controls;
mod data;
mod device_choice;
mod error;
mod exchange;
mod filter;
mod gpus;
mod initial_checkpoint;
mod initial_file;
mod initial_fluctuations;
mod inlet_periods;
mod inlet_surface;
mod inlets;
mod levels;
mod mass_flow;
mod matching;
mod memory;
mod outlet_hold;
mod relaxed;
mod rhs;
mod rotation;
mod settings;
mod sponge_size;
mod sponges;
mod stages;
mod step;
mod time_step;
mod walls;

use std::sync::Arc;

use mpi::topology::SimpleCommunicator;
use rayon::prelude::*;

use crate::device::cuda::Gpu;
use crate::device::{Conditions, Device, DeviceError, Later};
use crate::element::{ElementKind, Elements, StabilityLimits, element_limits};
use crate::geometry::{Geometry, WallDistance};
use crate::log::Watch;
use crate::mesh::partition::distribute;
use crate::mesh::{
    CellCounts, Mesh, MeshSource, ReadError, box_on_ranks, build_box, is_built_by_parts, read_mesh, read_part,
};
use crate::physics::{Boundary, Gas, Initial, RotatingFrame};
use crate::ranks::Ranks;
use crate::runge_kutta::TimeScheme;

use bars::AllBars;
use initial_file::GasOfFile;
use mass_flow::MassFlow;
use outlet_hold::HeldOutlets;
use relaxed::Lengths;
use rhs::RightHandSide;
use sponges::AllSponges;

pub use crate::input::BadValue;
pub use available_memory::available_memory;
pub use bars::{BarLoads, Bars};
pub use boundary_fluxes::{Area, BoundaryFlux, BoundaryFluxes};
pub use boundary_values::OtherUnits;
pub use bulk::Bulk;
pub use clock::Clock;
pub use conditions::{initial_state, of_mesh as conditions_of_mesh};
pub use data::Source;
pub use device_choice::choose as choose_device_kind;
pub use error::{SetupError, StepError};
pub use filter::Filtered;
pub use gpus::{Gpus, used_since};
pub use initial_checkpoint::{REYNOLDS_STRESSES, STATE, STRESSES, VARIABLES, at_order};
pub use initial_file::{OtherSolution, Outside, conserved as conserved_of_states};
pub use inlets::{Inlet, Inlets};
pub use levels::LevelShares;
pub use settings::Settings;
pub use sponge_size::{SpongeLayer, SpongeSize};

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
    /// The device that holds the state.
    pub device: Box<dyn Device>,
    /// The GPUs of all ranks.
    pub gpus: Gpus,
    /// The gas.
    pub gas: Gas,
    /// The initial state.
    initial: Initial,
    /// Density and pressure of an initial state from a file.
    gas_of_file: GasOfFile,
    /// Condition of every boundary of the mesh.
    pub boundaries: Vec<Boundary>,
    boundaries_vary: bool,
    /// The no-slip walls, if something needs the distance from them.
    walls: Option<Arc<WallDistance>>,
    /// Turbulent inlets.
    pub inlets: Inlets,
    /// Lengths to which the rates of every boundary refer.
    lengths: Vec<Lengths>,
    /// Outlets that hold something over their area.
    held: Option<HeldOutlets>,
    source: Option<Source>,
    mass_flow: Option<MassFlow>,
    bars: AllBars,
    sponges: AllSponges,
    frame: Option<RotatingFrame>,
    /// Time integrator.
    pub time_scheme: TimeScheme,
    right_hand_side: RightHandSide,
    /// The ranks of this run.
    pub ranks: Ranks,
}

/// Returns this rank's part of the mesh of a case. Collective.
///
/// # Errors
/// The mesh cannot be built or read, or there are fewer cells than ranks.
pub fn mesh_on_ranks(settings: &Settings, ranks: &Ranks, world: &SimpleCommunicator) -> Result<Mesh, SetupError> {
    match &settings.mesh {
        MeshSource::Box(b) if ranks.size() > 1 && is_built_by_parts(b) => Ok(box_on_ranks(b, settings.order, world)),
        MeshSource::Box(b) => {
            let built = build_box(b, settings.order).map_err(SetupError::from);
            let mesh = ranks.agree(built, SetupError::OnOtherRank)?;
            let (cells, ranks) = (mesh.len(), ranks.size());
            if cells < ranks {
                return Err(SetupError::TooManyRanks { ranks, cells });
            }
            Ok(distribute(mesh, world, settings.order).map_err(ReadError::from)?)
        }
        MeshSource::File { path, periodic } => Ok(read_part(path, periodic, world, settings.order)?),
    }
}

impl Solver {
    /// Builds the mesh, the geometry and the device on a single rank, and sets the initial state.
    ///
    /// # Errors
    /// The mesh, a value of the case or the device cannot be used, or the case does not fit into memory.
    pub fn new(settings: &Settings) -> Result<Self, SetupError> {
        Self::build(settings, Ranks::alone(), |settings, _| match &settings.mesh {
            MeshSource::Box(b) => Ok(build_box(b, settings.order)?),
            MeshSource::File { path, periodic } => Ok(read_mesh(path, periodic)?),
        })
    }

    /// Builds the solver on all ranks of `world`, each with a part of the mesh. All ranks succeed or all fail.
    /// Collective.
    ///
    /// # Errors
    /// Those of [`Solver::new`]; there are fewer cells than ranks; the exchange between ranks fails its self-test.
    pub fn on_ranks(settings: &Settings, world: &SimpleCommunicator) -> Result<Self, SetupError> {
        Self::build(settings, Ranks::of(world), |settings, ranks| {
            mesh_on_ranks(settings, ranks, world)
        })
    }

    /// Builds the solver on a given mesh.
    ///
    /// # Errors
    /// Those of [`Solver::new`].
    pub fn on_mesh(settings: &Settings, mesh: Mesh) -> Result<Self, SetupError> {
        Self::build(settings, Ranks::alone(), |_, _| Ok(mesh))
    }

    fn build(
        settings: &Settings,
        ranks: Ranks,
        mesh: impl FnOnce(&Settings, &Ranks) -> Result<Mesh, SetupError>,
    ) -> Result<Self, SetupError> {
        let mut watch = Watch::start("set-up");
        // Whatever can be refused is refused before anything large is built.
        let machine = ranks.node_rank_and_size();
        let gpu = choose_device(settings, machine, ranks.size());
        let gpu = ranks.agree(gpu, SetupError::OnOtherRank)?;
        watch.ended("device opened in");
        let mesh = mesh(settings, &ranks)?;
        watch.ended("mesh built in");
        let checked = check_mesh(settings, &mesh, gpu.as_ref(), machine.1);
        ranks.agree(checked, SetupError::OnOtherRank)?;
        let elements = Elements::new(settings.order, settings.scheme.correction, &mesh.kinds_present());
        let geometry = Geometry::on_ranks(&mesh, &elements, &ranks)?;
        watch.ended("geometry computed in");
        if let Some(frame) = &settings.frame {
            rotation::check_periods(frame, &mesh, &geometry, settings.order, &ranks)?;
        }
        let boundaries = conditions::of_mesh(&settings.boundaries, &mesh, &ranks)?;
        let (initial, forcing) = (settings.initial.clone(), settings.forcing.clone());
        let users = walls::Users {
            boundaries: &boundaries,
            initial: &initial,
            forcing: &forcing,
            turbulence_varies: settings.turbulence_varies(),
        };
        let walls = users.find_walls(&mesh, &geometry, settings.order, &ranks)?;
        let source = data::body_force(&forcing, &geometry).map_err(SetupError::from);
        let source = ranks.agree(source, SetupError::OnOtherRank)?;
        let bars = AllBars::new(&settings.bars, &mesh, &geometry, settings.order, &ranks)?;
        let sponges = AllSponges::new(&settings.sponges, &geometry, &settings.gas, &ranks)?;
        let later = Later {
            bar_points: bars.points(&geometry),
            sponge_points: sponges.points(),
            ..Later::default()
        };
        let kinds: Vec<_> = boundaries.iter().map(|b| b.kind()).collect();
        let parts = matching::Parts {
            mesh: &mesh,
            geometry: &geometry,
            elements: &elements,
            boundaries: &boundaries,
            ranks: &ranks,
        };
        let matching = parts.find()?;
        let fits = memory::check_device(settings, &mesh, later, &matching, gpu.as_ref(), machine.1);
        ranks.agree(fits, SetupError::OnOtherRank)?;
        let limits = stability_limits(settings, settings.time_scheme);
        let classes = match settings.time_scheme {
            TimeScheme::Paired => levels::classes(&mesh, &geometry, &limits, &ranks),
            _ => Vec::new(),
        };
        let conditions = Conditions {
            kinds: &kinds,
            matching: &matching,
            classes: &classes,
        };
        watch.ended("boundaries, bars and sponges found in");
        let (device, state) = std::thread::scope(|scope| {
            // The initial state is evaluated while the device is built.
            let state = scope.spawn(|| match &initial {
                Initial::State(state) => initial_state(state, &geometry, &settings.gas).map(Some),
                Initial::File { .. } => Ok(None),
            });
            let device = device_choice::build(settings, gpu, machine.1, &mesh, &geometry, &elements, conditions);
            (device, state.join().expect("what fails is returned"))
        });
        watch.ended("device built in");
        let device = ranks.agree(device.map_err(SetupError::from), SetupError::OnOtherRank)?;
        let mass_flow = settings.forcing.mass_flow;
        let fluxes = BoundaryFluxes::new(device.plan(), &mesh, &geometry, &elements, &ranks);
        let lengths = relaxed::lengths(&boundaries, &fluxes, &mesh, &geometry, &ranks)?;
        let mut solver = Solver {
            limits,
            right_hand_side: RightHandSide::new(settings, device.plan()),
            gpus: Gpus::of(device.as_ref(), &ranks),
            gas: settings.gas,
            initial,
            gas_of_file: GasOfFile::default(),
            boundaries_vary: boundaries.iter().any(Boundary::varies),
            boundaries,
            walls,
            inlets: Inlets::default(),
            source,
            bars,
            sponges,
            frame: settings.frame,
            time_scheme: settings.time_scheme,
            lengths,
            held: None,
            mass_flow: mass_flow.map(|held| MassFlow::new(held, geometry.volume)),
            mesh,
            elements,
            geometry,
            device,
            ranks,
        };
        solver.connect(&settings.exchange, settings.real_bytes())?;
        watch.ended("exchange tried in");
        let set = solver.set_initial_data(state);
        watch.ended("initial data written in");
        solver.ranks.agree(set, SetupError::OnOtherRank)?;
        solver.set_inlets()?;
        solver.prepare_outlets()?;
        solver.prepare_sponges()?;
        let chosen = solver.choose_way_to_peers();
        watch.ended("way to other GPUs chosen in");
        solver
            .ranks
            .agree(chosen.map_err(SetupError::from), SetupError::OnOtherRank)?;
        Ok(solver)
    }

    /// Returns the number of solution points of this rank.
    pub fn points(&self) -> usize {
        self.geometry.points.len()
    }

    /// Returns the number of solution points of all ranks. Collective.
    pub fn points_of_all_ranks(&self) -> usize {
        let mut points = [self.points() as u64];
        self.ranks.allreduce_sum(&mut points);
        points[0] as usize
    }

    /// Returns the energy that all GPUs have used since some moment before the run, in millijoules, if they count it.
    /// Collective.
    pub fn millijoules(&self) -> Option<u64> {
        self.gpus.millijoules(self.device.as_ref(), &self.ranks)
    }

    /// Computes mass and momentum of the domain at the present state. Collective.
    ///
    /// # Errors
    /// The device fails.
    pub fn bulk(&mut self) -> Result<Bulk, DeviceError> {
        Bulk::take(self.device.as_mut(), self.geometry.volume, &self.ranks)
    }

    /// Returns dU/dt of the present state, `[cell][5][point]`. Collective.
    ///
    /// # Errors
    /// A boundary value is not valid at this time, or the device fails.
    pub fn rhs(&mut self, time: f64) -> Result<Vec<f64>, StepError> {
        self.evaluate_rhs(time)?;
        Ok(self.device.rhs()?)
    }

    /// Computes dU/dt of the present state and leaves it on the device, where integrals and fluxes read it. Collective.
    ///
    /// # Errors
    /// A boundary value is not valid at this time, or the device fails.
    pub fn evaluate_rhs(&mut self, time: f64) -> Result<(), StepError> {
        self.set_data_at(time)?;
        let moments = self.moments(time, 0.0);
        self.inlets.begin_step(self.device.as_mut(), &moments)?;
        self.move_bars(&moments)?;
        Ok(self.right_hand_side.evaluate_alone(self.device.as_mut())?)
    }

    /// Waits until the devices of all ranks are idle. Collective.
    ///
    /// # Errors
    /// The device fails.
    pub fn synchronize(&mut self) -> Result<(), DeviceError> {
        self.device.synchronize()?;
        self.ranks.barrier();
        Ok(())
    }

    /// Returns a hash of the state. It does not depend on the order of cells in memory, the vector width, or the number
    /// of threads and ranks. Collective.
    ///
    /// # Errors
    /// The device fails.
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
        self.ranks.allreduce_sum(&mut hash);
        Ok(hash[0])
    }
}

/// Chooses the GPU to compute on, if any, and refuses a box that does not fit into memory. This is number `rank` of the
/// `sharing` ranks of this machine; `ranks` is the number of all ranks.
fn choose_device(
    settings: &Settings,
    (rank, sharing): (usize, usize),
    ranks: usize,
) -> Result<Option<Gpu>, SetupError> {
    let gpu = device_choice::choose(settings.device, rank)?;
    if let MeshSource::Box(b) = &settings.mesh
        && let Some(counts) = CellCounts::of_box(b)
    {
        memory::check(settings, &counts.shared_by(ranks), gpu.as_ref(), sharing)?;
    }
    Ok(gpu)
}

/// Refuses a mesh that does not fit into the memory that `sharing` ranks share, or a kind of cell that has no elements
/// of the order.
fn check_mesh(settings: &Settings, mesh: &Mesh, gpu: Option<&Gpu>, sharing: usize) -> Result<(), SetupError> {
    let checked = matches!(&settings.mesh, MeshSource::Box(b) if CellCounts::of_box(b).is_some());
    if !checked {
        memory::check(settings, &CellCounts::of_mesh(mesh), gpu, sharing)?;
    }
    let order = settings.order;
    match mesh.kinds_present().into_iter().find(|kind| kind.max_order() < order) {
        Some(kind) => Err(SetupError::Order {
            order,
            most: kind.max_order(),
            kind,
        }),
        None => Ok(()),
    }
}

/// Returns the linear stability limits of a case with a time scheme, by kind of cell.
pub fn stability_limits(settings: &Settings, time: TimeScheme) -> [StabilityLimits; 4] {
    let (order, correction) = (settings.order, settings.scheme.correction);
    ElementKind::ALL.map(|kind| {
        if order <= kind.max_order() {
            element_limits(kind, order, correction, time)
        } else {
            StabilityLimits::default()
        }
    })
}
