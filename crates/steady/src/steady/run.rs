//! The run of a steady solution, from the mesh to the files.
//!
//! The residuals are measured every 20 steps, or every 10 implicit ones, and the control judges them. States are kept,
//! to which a refusal returns. `files` writes into the folder `steady` of the output directory: `convergence.csv`, the
//! checkpoint `steady.h5`, from which the solution continues to the bit and a large-eddy simulation begins, and at the
//! end `adequacy.md` and profiles. `iteration` has the solution between two checks, `record` keeps the record of the
//! run, `outputs` lets the outputs of the case sample the solution, `examination` measures what a run would take,
//! `beginning` finds the state with which it begins, `ends` and `growth` find what diverges or stands still, and
//! `error` has the errors.

mod beginning;
mod ends;
mod error;
mod examination;
mod files;
mod growth;
mod iteration;
mod messages;
mod outputs;
mod record;

use std::path::PathBuf;
use std::time::Instant;

use mpi::topology::SimpleCommunicator;

use super::conditions::{BoundaryList, evaluate};
use super::controller::{Controller, Verdict};
use super::dual::DualMesh;
use super::force::{Held, VolumeForce};
use super::handover::Values;
use super::implicit::keep_lines_whole;
use super::keys::Settings;
use super::machine::Machine;
use super::mixing::{MixingPlane, find, motions};
use super::monitor::Row;
use super::multigrid::{Levels, Meshes};
use super::other_mesh::OtherMesh;
use super::solver::Solver;
use super::stepper::Stepper;
use crate::device::cpu::Host;
use crate::device::cuda::{Gpu, GpuStore};
use crate::device::{Arithmetic, DeviceError};
use crate::element::{Correction, Elements};
use crate::geometry::Geometry;
use crate::halo::{Transport, TransportError, network};
use crate::io::{Provenance, STEADY_FOLDER};
use crate::mesh::Mesh;
use crate::physics::Turbulence;
use crate::physics::{Initial, InitialGas};
use crate::ranks::Ranks;
use crate::run::{AllSettings, Outcome, Stop};
use crate::solver::{
    InterfaceParts, InterfaceUse, SetupError, check_blocks, check_frame, choose_device_kind, conditions_of_mesh,
    mesh_on_ranks,
};

pub use error::SteadyError;
pub use examination::{Examination, examine};
use iteration::Iteration;
pub use outputs::solver_at_start;
use record::Recorder;

/// Arrays of the checkpoint.
const CONTROL: &str = "steady.control";
const CONVERGENCE: &str = "steady.convergence";
const HELD: &str = "steady.held";

/// Whether a solution that has ended is steady.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Convergence {
    /// The residual or the forces are as the case asks for, or the case asks for no steps.
    Reached,
    /// The steps have run out, or were interrupted, before that.
    NotReached,
}

/// The end of a steady solution.
#[derive(Debug, Clone)]
pub struct Finish {
    /// Whether it was interrupted.
    pub outcome: Outcome,
    /// Whether it is steady.
    pub convergence: Convergence,
    /// Hash of the values at all vertices.
    pub hash: u64,
    /// Force per volume that holds the mass flow; 0 if none is held.
    pub force: f64,
    /// Files that were written.
    pub files: Vec<PathBuf>,
}

/// What a steady solution is computed on.
struct Steady<'a> {
    settings: Settings,
    run: AllSettings<'a>,
    world: &'a SimpleCommunicator,
    ranks: &'a Ranks,
    mesh: Mesh,
    /// Degree of the points.
    points: usize,
    elements: Elements,
    geometry: Geometry,
    dual: DualMesh,
    /// The coarse levels of the preconditioner.
    levels: Option<Levels>,
    boundaries: Vec<BoundaryList>,
    planes: Vec<MixingPlane>,
    force: Option<VolumeForce>,
    provenance: Provenance,
    directory: PathBuf,
    /// The GPU on which it is computed; `None` on a CPU.
    gpu: Option<Gpu>,
    /// Number of ranks of this machine.
    of_node: usize,
}

/// The state between two checks.
struct Progress {
    iteration: u64,
    /// The iteration after which the residuals are those of these settings.
    since: u64,
    controller: Controller,
    rows: Vec<Row>,
    values: Vec<Values>,
    held: Held,
}

impl Progress {
    /// Returns the rows of the convergence whose residuals are those of these settings.
    fn rows_of_settings(&self) -> &[Row] {
        let first = self.rows.partition_point(|row| row[0] <= self.since as f64);
        &self.rows[first..]
    }
}

/// Computes the steady solution of a case. `begin` is the start of the program. Collective.
///
/// # Errors
/// The case cannot be set up, the solution diverges, or a device or file fails.
pub fn run(
    run: AllSettings,
    settings: &Settings,
    world: &SimpleCommunicator,
    stop: &Stop,
    provenance: Provenance,
    begin: Instant,
) -> Result<Finish, SteadyError> {
    let ranks = Ranks::of(world);
    // What the mesh does not have for an output is found before the solution is computed.
    outputs::check(run, world)?;
    let mut steady = Steady::set_up(run, settings, world, &ranks, provenance)?;
    if ranks.rank() == 0 {
        tracing::info!("steady  {}", steady.describe());
        for plane in &steady.planes {
            tracing::info!("mixing plane {}", plane.words());
        }
    }
    // The lock keeps other runs out of the output directory until the end of this one.
    let _lock = steady.open_directory()?;
    let progress = steady.begin()?;
    steady.keep_before(&progress)?;
    let continued = progress.iteration > 0;
    let mut recorder = Recorder::new(&steady, progress.iteration, continued, begin);
    let ended = match steady.gpu.take() {
        Some(gpu) => {
            let store = GpuStore::new(gpu, run.solver.graph).map_err(DeviceError::from)?;
            steady.iterate(store, progress, stop, &mut recorder)
        }
        None => steady.iterate(steady.host()?, progress, stop, &mut recorder),
    };
    let ended = ended.and_then(|mut finish| {
        let directory = steady.directory.clone();
        let provenance = steady.provenance.clone();
        // The outputs need a solver in its place.
        drop(steady);
        finish
            .files
            .extend(outputs::write(run, world, &directory, &provenance, &finish)?);
        Ok(finish)
    });
    recorder.end(&ended);
    ended
}

impl<'a> Steady<'a> {
    /// Builds what the solution is computed on. Collective.
    fn set_up(
        run: AllSettings<'a>,
        settings: &Settings,
        world: &'a SimpleCommunicator,
        ranks: &'a Ranks,
        provenance: Provenance,
    ) -> Result<Self, SteadyError> {
        let solver = run.solver;
        let (on_node, of_node) = ranks.node_rank_and_size();
        let gpu = ranks.agree(choose_device_kind(solver.device, on_node), SetupError::OnOtherRank)?;
        let mesh = mesh_on_ranks(solver, ranks, world)?;
        let order = settings.points.unwrap_or(solver.order);
        if let Some(kind) = mesh.kinds_present().into_iter().find(|kind| kind.max_order() < order) {
            let most = kind.max_order();
            return Err(match settings.points {
                None => SetupError::Order { order, most, kind }.into(),
                Some(_) => SteadyError::Refused {
                    key: "steady.points".to_owned(),
                    what: format!("the points of {kind} cells have a degree of at most {most}"),
                },
            });
        }
        let elements = Elements::new(order, Correction::Radau, &mesh.kinds_present());
        let geometry = Geometry::on_ranks(&mesh, &elements, ranks).map_err(SetupError::from)?;
        let conditions = conditions_of_mesh(&solver.boundaries, &mesh, ranks)?;
        let mut dual = DualMesh::new(&mesh, &geometry, order, |b| conditions[b].is_no_slip(), ranks)?;
        if let Some(frame) = solver.frame {
            check_frame(frame, &mesh, &geometry, order, ranks)?;
            dual.frame = Some(frame);
        }
        let at_boundaries = match &solver.initial {
            Initial::State(_) => Vec::new(),
            Initial::File { path, .. } => {
                let periods = geometry.periods(&mesh, order, ranks);
                let path = path.as_path();
                let gas = &solver.gas;
                OtherMesh { path, gas, periods }.at_boundaries(&dual, ranks)?
            }
        };
        let initial = |boundary: usize, vertex: usize| match &solver.initial {
            Initial::State(state) => InitialGas::State(state),
            Initial::File { .. } => {
                let (rho, velocity, p) = at_boundaries[boundary][vertex];
                InitialGas::Known(rho, velocity, p)
            }
        };
        let evaluated = evaluate(&dual, &mesh.boundary_names, &conditions, initial, &solver.gas, |name| {
            settings.ratio(name)
        });
        let mut boundaries = ranks.agree(evaluated.map_err(SteadyError::from), SteadyError::OnOtherRank)?;
        if settings.takes_lines() {
            keep_lines_whole(&mut dual, &mut boundaries, ranks);
        }
        let levels = settings
            .coarsening()
            .map(|by| Levels::new(&mut dual, &boundaries, by, ranks));
        let parts = InterfaceParts {
            mesh: &mesh,
            geometry: &geometry,
            elements: &elements,
            boundaries: &conditions,
            usage: InterfaceUse::Mix,
            ranks,
        };
        let planes = find(&parts, &dual, &boundaries)?;
        let motions = motions(&planes);
        check_blocks(&motions, &mesh, &geometry, order, ranks)?;
        if let (Some(plane), Some(_)) = (planes.first(), solver.frame) {
            let [first, second] = &plane.motion.names;
            return Err(SteadyError::Refused {
                key: "rotating-frame".to_owned(),
                what: format!("the steady solution does not have it beside a mixing plane, as {first} to {second}"),
            });
        }
        dual.turn_blocks(&motions, ranks);
        let mut settings = settings.clone();
        settings.scheme.fast = solver.arithmetic != Arithmetic::Strict;
        let force = VolumeForce::new(&solver.forcing, &dual, &boundaries, ranks);
        let steady = Steady {
            settings,
            force,
            run,
            world,
            ranks,
            provenance: Provenance {
                mesh_hash: mesh.hash(),
                device: if gpu.is_some() { "cuda" } else { "cpu" }.to_owned(),
                precision: "double".to_owned(),
                ranks: ranks.size(),
                ..provenance
            },
            mesh,
            points: order,
            elements,
            geometry,
            dual,
            levels,
            boundaries,
            planes,
            directory: run.output.directory.join(STEADY_FOLDER),
            gpu,
            of_node,
        };
        steady.check_profiles()?;
        Ok(steady)
    }

    /// Returns vertices, points and model in words. Collective.
    fn describe(&self) -> String {
        let frame = self
            .run
            .solver
            .frame
            .as_ref()
            .map(|frame| format!(", in a frame that {}", frame.describe()));
        format!(
            "{} vertices of {} cells, points of degree {}, {}{}",
            self.dual.vertices_of_all_ranks,
            self.mesh.cells_of_all_ranks(),
            self.points,
            match self.settings.scheme.turbulence {
                Turbulence::None => "no model of turbulence".to_owned(),
                model => format!("model {}", model.name()),
            },
            frame.unwrap_or_default()
        )
    }

    /// Returns the memory and the threads of this rank.
    fn host(&self) -> Result<Host, DeviceError> {
        let cores = || std::thread::available_parallelism().map_or(1, |cores| (cores.get() / self.of_node).max(1));
        let threads = self.run.solver.threads.or_else(|| (self.of_node > 1).then(cores));
        Host::new(threads)
    }

    /// Makes what takes the steps on a machine. Collective.
    fn stepper<M: Machine>(&self, mut store: M) -> Result<Stepper<M>, SteadyError> {
        let gas = &self.run.solver.gas;
        let ranks = Ranks::of(self.world);
        self.join(&mut store)?;
        let mut stepper = Stepper::new(store, self.meshes(), &self.boundaries, gas, &self.settings, ranks)?;
        stepper
            .solver()
            .set_planes(&self.planes, &self.dual, &self.boundaries, gas)?;
        Ok(stepper)
    }

    /// Lets the machines exchange through their network, if all have one and the case does not ask for messages.
    /// Collective.
    fn join<M: Machine>(&self, store: &mut M) -> Result<(), SteadyError> {
        let transport = self.run.solver.exchange.transport;
        let wanted = matches!(transport, Transport::Auto | Transport::Peer | Transport::Nccl);
        let without = |store: &mut M| store.network().is_none();
        if self.ranks.size() == 1 || !wanted || self.ranks.first_rank_where(without(store)).is_some() {
            return Ok(());
        }
        let neighbours: Vec<usize> = self.dual.exchange.iter().map(|neighbour| neighbour.rank).collect();
        let joined = network::join(store.network(), self.ranks, &neighbours);
        let is_first = self.ranks.rank() == 0;
        match joined {
            Ok(()) if is_first => tracing::info!("GPUs exchange by NCCL"),
            Ok(()) => (),
            Err(reason) if transport == Transport::Nccl => {
                return Err(SetupError::from(TransportError::from(reason)).into());
            }
            Err(reason) if is_first => tracing::warn!(
                "GPUs exchange by messages through their hosts, with which a steady solution takes longer than on one \
                 GPU, because they cannot do so by NCCL: {reason}"
            ),
            Err(_) => (),
        }
        Ok(())
    }

    /// The points and the coarse levels.
    fn meshes(&self) -> Meshes<'_> {
        Meshes {
            dual: &self.dual,
            levels: self.levels.as_ref(),
        }
    }

    /// Takes steps until the solution is steady, or until it is to end. Collective.
    fn iterate<M: Machine>(
        &self,
        store: M,
        kept: Progress,
        stop: &Stop,
        recorder: &mut Recorder,
    ) -> Result<Finish, SteadyError> {
        self.check_memory(&store)?;
        let mut iteration = Iteration::begin(self, self.stepper(store)?, kept)?;
        // All that can be refused was read and checked: the files of an earlier solution can go.
        self.clear_directory()?;
        recorder.begin();
        if iteration.is_last() {
            let convergence = iteration.say_why_no_step();
            return self.finish(&iteration.kept, None, convergence);
        }
        loop {
            let mut check = iteration.advance()?;
            let verdict = match iteration.judge(&check) {
                Verdict::GivenUp => return Err(self.with_convergence(&iteration.kept, iteration.given_up(&check))),
                Verdict::Refused => {
                    iteration.take_back(&check)?;
                    continue;
                }
                verdict => verdict,
            };
            iteration.adjust_force(&mut check)?;
            let verdict = iteration.record(&check, verdict);
            if let Some(failure) = iteration.failure(&check) {
                return Err(self.with_convergence(&iteration.kept, failure));
            }
            let asked = stop.asked(self.world);
            let finished = verdict == Verdict::Steady || iteration.is_last();
            let ends = finished || asked.is_some();
            let checkpoint = iteration.is_checkpoint(&check);
            if iteration.is_kept(&check) || ends {
                iteration.keep(check);
                self.say(&iteration.kept, verdict);
                recorder.advance(self, &iteration.kept);
            }
            if ends {
                let asked = asked.filter(|_| !finished);
                self.say_end(&iteration.kept, verdict, asked.as_deref());
                iteration.say_planes();
                let convergence = match verdict {
                    Verdict::Steady => Convergence::Reached,
                    _ => Convergence::NotReached,
                };
                return self.finish(&iteration.kept, asked, convergence);
            }
            if checkpoint {
                self.write(&iteration.kept)?;
            }
        }
    }

    /// Gives a solver a state of all local vertices, and the volume force there.
    fn give<M: Machine>(&self, solver: &mut Solver<M>, state: &[Values], held: Held) -> Result<(), DeviceError> {
        solver.set_state(state)?;
        match &self.force {
            Some(force) => solver.set_source(&force.sources(&self.dual, state, held)),
            None => Ok(()),
        }
    }
}
