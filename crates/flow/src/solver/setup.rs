//! The set-up of a solver: mesh, geometry, boundaries, participants, device, exchange, initial state, each a step.
//!
//! A solver exists once all of them are done. Whatever can be refused is refused before anything large is built, and
//! all ranks succeed or all fail.

use std::sync::Arc;

use mpi::topology::SimpleCommunicator;

use super::boundary_fluxes::BoundaryFluxes;
use super::boundary_values::Reference;
use super::domain::Domain;
use super::exchange::{self, Traffic};
use super::gpus::Gpus;
use super::hanging_nodes::HangingNodes;
use super::initial_file::GasOfFile;
use super::initial_points::InitialPoints;
use super::participant::{Case, Participants};
use super::rhs::RightHandSide;
use super::whole::Solver;
use super::{InterfaceUse, Settings, SetupError};
use super::{boundary_lengths, conditions, device_choice, interfaces, levels, matching, memory, participants, walls};
use crate::device::cuda::Gpu;
use crate::device::{Conditions, Device, DeviceError, MatchingPoints};
use crate::element::{ElementKind, Elements, StabilityLimits, element_limits};
use crate::geometry::{Geometry, WallDistance};
use crate::log::Watch;
use crate::mesh::partition::distribute;
use crate::mesh::{
    CellCounts, Mesh, MeshSource, ReadError, box_on_ranks, build_box, is_built_by_parts, read_mesh, read_part,
};
use crate::physics::{Boundary, Forcing, Initial, Shock};
use crate::ranks::Ranks;
use crate::runge_kutta::TimeScheme;

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
            Ok(distribute(mesh, world, settings.order, &[]).map_err(ReadError::from)?)
        }
        MeshSource::File { path, periodic } => Ok(read_part(
            path,
            periodic,
            world,
            settings.order,
            &settings.sides_of_interfaces(),
        )?),
    }
}

impl Solver {
    /// Builds the mesh, the geometry and the device on a single rank, and sets the initial state.
    ///
    /// # Errors
    /// The mesh, a value of the case or the device cannot be used, or the case does not fit into memory.
    pub fn new(settings: &Settings) -> Result<Self, SetupError> {
        let setup = Setup::begin(settings, Ranks::alone())?;
        let mesh = match &settings.mesh {
            MeshSource::Box(b) => build_box(b, settings.order)?,
            MeshSource::File { path, periodic } => read_mesh(path, periodic)?,
        };
        setup.solver(mesh)
    }

    /// Builds the solver on all ranks of `world`, each with a part of the mesh. All ranks succeed or all fail.
    /// Collective.
    ///
    /// # Errors
    /// Those of [`Solver::new`]; there are fewer cells than ranks; the exchange between ranks fails its self-test.
    pub fn on_ranks(settings: &Settings, world: &SimpleCommunicator) -> Result<Self, SetupError> {
        let setup = Setup::begin(settings, Ranks::of(world))?;
        let mesh = mesh_on_ranks(settings, &setup.ranks, world)?;
        setup.solver(mesh)
    }

    /// Builds the solver on a given mesh.
    ///
    /// # Errors
    /// Those of [`Solver::new`].
    pub fn on_mesh(settings: &Settings, mesh: Mesh) -> Result<Self, SetupError> {
        Setup::begin(settings, Ranks::alone())?.solver(mesh)
    }
}

/// A set-up in progress.
struct Setup<'a> {
    settings: &'a Settings,
    ranks: Ranks,
    /// Number of ranks that share this machine.
    sharing: usize,
    gpu: Option<Gpu>,
    watch: Watch,
}

/// The mesh and what follows from it before there is a device.
struct Ground {
    mesh: Mesh,
    elements: Elements,
    geometry: Geometry,
    boundaries: Vec<Boundary>,
    initial: Initial,
    forcing: Forcing,
    interfaces: interfaces::Found,
    walls: Option<Arc<WallDistance>>,
    limits: [StabilityLimits; 4],
}

/// A device and the initial state in conserved variables, `None` if a file has it.
type DeviceAndState = (Box<dyn Device>, Option<Vec<f64>>);

impl<'a> Setup<'a> {
    /// Chooses the device. Collective.
    fn begin(settings: &'a Settings, ranks: Ranks) -> Result<Self, SetupError> {
        let mut watch = Watch::start("set-up");
        let (rank, sharing) = ranks.node_rank_and_size();
        let gpu = choose_device(settings, rank, sharing, ranks.size());
        let gpu = ranks.agree(gpu, SetupError::OnOtherRank)?;
        watch.ended("device opened in");
        Ok(Setup {
            settings,
            ranks,
            sharing,
            gpu,
            watch,
        })
    }

    /// Builds the solver on a mesh, of which this rank has its part. Collective.
    fn solver(mut self, mesh: Mesh) -> Result<Solver, SetupError> {
        self.watch.ended("mesh built in");
        let ground = self.ground(mesh)?;
        let mut participants = self.participants(&ground)?;
        let matching = self.matching_points(&ground, &participants)?;
        let (mut device, state) = self.device(&ground, &matching)?;
        let gpus = Gpus::of(device.as_ref(), &self.ranks);
        let exchange = exchange::connect(
            &self.settings.exchange,
            self.traffic(&ground),
            device.as_mut(),
            &self.ranks,
        )?;
        self.watch.ended("exchange tried in");
        let numbers: Vec<f64> = (0..ground.mesh.len())
            .map(|cell| ground.mesh.global(cell) as f64)
            .collect();
        device.set_cell_numbers(&numbers).map_err(SetupError::from)?;
        let limits = ground.limits;
        let (settings, mut watch) = (self.settings, self.watch);
        let domain = domain(settings, self.ranks, ground, state, device.as_mut())?;
        participants.place(&domain, device.as_mut())?;
        watch.ended("initial data written in");
        let mut right_hand_side = RightHandSide::new(settings, device.plan(), exchange);
        let chosen = exchange::choose_way_to_peers(&mut right_hand_side, device.as_mut(), &domain.ranks);
        let chosen = chosen.map_err(SetupError::from);
        domain.ranks.agree(chosen, SetupError::OnOtherRank)?;
        watch.ended("way to other GPUs chosen in");
        Ok(Solver {
            domain,
            limits,
            device,
            gpus,
            time_scheme: settings.time_scheme,
            right_hand_side,
            participants,
            steps_since_look: 0,
        })
    }

    /// Computes the geometry of a mesh and gives its boundaries their conditions. Collective.
    fn ground(&mut self, mesh: Mesh) -> Result<Ground, SetupError> {
        let (settings, ranks) = (self.settings, &self.ranks);
        let checked = check_mesh(settings, &mesh, self.gpu.as_ref(), self.sharing);
        ranks.agree(checked, SetupError::OnOtherRank)?;
        if let Some(found) = HangingNodes::of(&mesh, ranks) {
            tracing::info!("{found}");
            found.refuse_scheme(settings.time_scheme)?;
        }
        let elements = Elements::new(settings.order, settings.scheme.correction, &mesh.kinds_present());
        let geometry = Geometry::on_ranks(&mesh, &elements, ranks)?;
        self.watch.ended("geometry computed in");
        let mut boundaries = conditions::of_mesh(&settings.boundaries, &mesh, ranks)?;
        let (initial, forcing) = (settings.initial.clone(), settings.forcing.clone());
        let users = walls::Users {
            boundaries: &boundaries,
            initial: &initial,
            forcing: &forcing,
            turbulence_varies: settings.turbulence_varies(),
        };
        let walls = users.find_walls(&mesh, &geometry, settings.order, ranks)?;
        let parts = interfaces::Parts {
            mesh: &mesh,
            geometry: &geometry,
            elements: &elements,
            boundaries: &boundaries,
            usage: settings.interfaces,
            ranks,
        };
        let interfaces = ranks.agree(parts.find(settings.time_scheme), SetupError::OnOtherRank)?;
        if settings.frame.is_some()
            && let Some(motion) = interfaces.motions.moving().next()
        {
            let [first, second] = &motion.names;
            return Err(SetupError::Interface {
                key: "rotating-frame".to_owned(),
                what: format!(
                    "its forces are those of cells at rest in it, and the blocks at the interface {first} to {second} \
                     move past each other: leave out the section or the speed of the interface"
                ),
            });
        }
        if settings.interfaces == InterfaceUse::Mix {
            let sides = boundaries.iter_mut().filter(|boundary| boundary.interface().is_some());
            sides.for_each(|side| *side = Boundary::of_nothing());
        }
        Ok(Ground {
            interfaces,
            limits: stability_limits(settings, settings.time_scheme),
            mesh,
            elements,
            geometry,
            boundaries,
            initial,
            forcing,
            walls,
        })
    }

    /// Returns what takes part in the run. Collective.
    fn participants(&self, ground: &Ground) -> Result<Participants, SetupError> {
        participants::of_case(&Case {
            settings: self.settings,
            mesh: &ground.mesh,
            geometry: &ground.geometry,
            boundaries: &ground.boundaries,
            interfaces: &ground.interfaces,
            forcing: &ground.forcing,
            walls: ground.walls.as_ref(),
            ranks: &self.ranks,
        })
    }

    /// Finds the matching points of modelled walls, and refuses a case that does not fit into memory. Collective.
    fn matching_points(&mut self, ground: &Ground, participants: &Participants) -> Result<MatchingPoints, SetupError> {
        let parts = matching::Parts {
            mesh: &ground.mesh,
            geometry: &ground.geometry,
            elements: &ground.elements,
            boundaries: &ground.boundaries,
            ranks: &self.ranks,
        };
        let matching = parts.find()?;
        let later = participants.reserve(&ground.geometry);
        let gpu = self.gpu.as_ref();
        let fits = memory::check_device(self.settings, &ground.mesh, later, &matching, gpu, self.sharing);
        self.ranks.agree(fits, SetupError::OnOtherRank)?;
        Ok(matching)
    }

    /// Builds the device, and evaluates the initial state meanwhile. Collective.
    fn device(&mut self, ground: &Ground, matching: &MatchingPoints) -> Result<DeviceAndState, SetupError> {
        let (mesh, geometry) = (&ground.mesh, &ground.geometry);
        let kinds: Vec<_> = ground.boundaries.iter().map(Boundary::kind).collect();
        let classes = match self.settings.time_scheme {
            TimeScheme::Paired => levels::classes(mesh, geometry, &ground.limits, &self.ranks),
            _ => Vec::new(),
        };
        let conditions = Conditions {
            kinds: &kinds,
            matching,
            interfaces: &ground.interfaces.faces,
            classes: &classes,
        };
        self.watch.ended("boundaries, bars and sponges found in");
        let settings = self.settings;
        let sharing = self.sharing;
        let gpu = self.gpu.take();
        let (device, state) = std::thread::scope(|scope| {
            let state = scope.spawn(|| match &ground.initial {
                Initial::State(state) => {
                    conditions::initial_state(state, geometry, &settings.gas, &ground.interfaces.motions).map(Some)
                }
                Initial::File { .. } => Ok(None),
            });
            let device = device_choice::build(settings, gpu, sharing, mesh, geometry, &ground.elements, conditions);
            (device, state.join().expect("what fails is returned"))
        });
        self.watch.ended("device built in");
        let device = self
            .ranks
            .agree(device.map_err(SetupError::from), SetupError::OnOtherRank)?;
        Ok((device, self.ranks.agree(state, SetupError::OnOtherRank)?))
    }

    /// Returns what the traces of the exchange with other ranks are.
    fn traffic<'b>(&self, ground: &'b Ground) -> Traffic<'b> {
        Traffic {
            mesh: &ground.mesh,
            order: self.settings.order,
            real: self.settings.real_bytes(),
            viscous: self.settings.gas.viscosity.is_some(),
            scalars: !self.settings.scalars.is_empty(),
        }
    }
}

/// Writes the initial state to the device, reads it from a file if one has it, and returns the domain, whose boundary
/// values refer to this state. Collective.
fn domain(
    settings: &Settings,
    ranks: Ranks,
    ground: Ground,
    state: Option<Vec<f64>>,
    device: &mut dyn Device,
) -> Result<Domain, SetupError> {
    let Ground {
        mesh,
        elements,
        geometry,
        boundaries,
        initial,
        interfaces,
        ..
    } = ground;
    let fluxes = BoundaryFluxes::new(device.plan(), &mesh, &geometry, &elements, &ranks);
    let lengths = boundary_lengths::lengths(&boundaries, &fluxes, &mesh, &geometry, &ranks)?;
    let points = InitialPoints {
        mesh: &mesh,
        geometry: &geometry,
        order: settings.order,
        gas: &settings.gas,
        ranks: &ranks,
    };
    let (state, gas_of_file) = match &initial {
        Initial::State(_) => (state.unwrap_or_default(), GasOfFile::default()),
        Initial::File { path, fluctuations } => {
            let read = points.state_of_file(path, *fluctuations, &device.plan().boundary_faces);
            ranks.agree(read, SetupError::OnOtherRank)?
        }
    };
    let set = set_state(device, &state, settings.scheme.shock).map_err(SetupError::from);
    ranks.agree(set, SetupError::OnOtherRank)?;
    Ok(Domain {
        reference: Reference {
            initial,
            gas_of_file,
            lengths,
        },
        mesh,
        elements,
        geometry,
        gas: settings.gas,
        boundaries,
        motions: interfaces.motions,
        ranks,
    })
}

/// Writes a state to the device, limited to positive values if the case filters states.
fn set_state(device: &mut dyn Device, state: &[f64], shock: Shock) -> Result<(), DeviceError> {
    device.set_state(state)?;
    match shock {
        Shock::None => Ok(()),
        _ => device.begin_filter(),
    }
}

/// Chooses the GPU to compute on, if any, and refuses a box that does not fit into memory. This is number `rank` of the
/// `sharing` ranks of this machine; `ranks` is the number of all ranks.
fn choose_device(settings: &Settings, rank: usize, sharing: usize, ranks: usize) -> Result<Option<Gpu>, SetupError> {
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
