//! Restart: the state of a checkpoint or a solution on the device, and the data with which the run loop continues.
//!
//! With the order and precision of the case, the state and Kahan's compensation are restored to the bit, on any number
//! of ranks and any device. Otherwise the state is converted: rounded to another precision, or interpolated to the
//! points of another order. The compensation, which holds the last bits, is then zero.
//!
//! A solution holds the state alone. A run that continues from one begins all else anew, in the way of a run from the
//! initial state, but at the time and the step of the solution.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use mpi::topology::SimpleCommunicator;
use mpi::traits::*;

use super::beginning::Beginning;
use super::checkpoint::{CLOCK, COMPENSATION, RUN, RunMetadata, fingerprints, step_rule};
use super::error::RunError;
use super::settings::{AllSettings, Restart};
use super::stop::{anywhere, together};
use crate::format::physical_time;
use crate::io::{self, CheckpointData, Layout, Mark, SolutionMoment, StoredCheckpoint, agree};
use crate::mesh::Mesh;
use crate::solver::{self, Clock, STATE, SetupError, Solver, VARIABLES};

/// The data with which a run continues.
pub(super) struct Restored {
    /// Path of the checkpoint.
    pub path: PathBuf,
    /// Time at which the checkpoint was written.
    pub file_written: u64,
    pub clock: Clock,
    /// The time step, if it is still valid for the case.
    pub dt: Option<f64>,
    /// Length of each series when the checkpoint was written.
    pub series: BTreeMap<String, Mark>,
    /// The data of the outputs and the mass-flow forcing. Fields are left out if they are at the points of another
    /// order.
    pub data: CheckpointData,
    /// Names of the outputs whose sums the checkpoint holds.
    pub accumulating: Vec<String>,
    /// Checkpoints of this run that lie in its output directory, oldest first.
    pub kept: Vec<String>,
}

/// What a run begins with.
pub(super) enum Origin {
    /// The initial state of the case.
    InitialState,
    /// The state of a solution, at its time and step.
    Solution(Clock),
    /// A checkpoint.
    Checkpoint(Box<Restored>),
}

impl Origin {
    /// Returns the clock with which the run begins.
    pub fn clock(&self) -> Clock {
        match self {
            Origin::InitialState => Clock::default(),
            Origin::Solution(clock) => *clock,
            Origin::Checkpoint(restored) => restored.clock,
        }
    }
}

/// Verifies that `restart: latest` does not begin anew over the results of an earlier run: an output directory that has
/// some has a checkpoint, too. Files without the record of a run are those of one that was killed before it began. To
/// be called by one rank.
///
/// # Errors
/// There are results without a checkpoint, or the directory cannot be read.
pub fn require_checkpoint(directory: &Path) -> Result<(), io::Error> {
    let files = io::files_of_previous_run(directory, io::Writer::Run)?;
    if !files.iter().any(|name| name == io::RUN_RECORD) || !io::list_checkpoints(directory)?.is_empty() {
        return Ok(());
    }
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    let solution = files.iter().rev().find(|name| {
        let number = name
            .strip_prefix("solution_")
            .and_then(|name| name.strip_suffix(".vtkhdf"));
        number.is_some_and(is_number)
    });
    let from_there = solution.map_or_else(String::new, |name| {
        format!(
            "`restart: {}` continues from that solution; ",
            directory.join(name).display()
        )
    });
    let more = match files.len() {
        1 => String::new(),
        count => format!(" and {} more", count - 1),
    };
    Err(io::Error::Input {
        path: directory.to_path_buf(),
        detail: format!(
            "an earlier run has left results here ({}{more}), but no checkpoint to continue from: {from_there}without \
             `restart` the run begins anew, and moves them to a folder `previous-N`",
            files[0]
        ),
    })
}

/// Restores the checkpoint or the solution from which the case continues, if there is one. Collective.
pub(super) fn restore(
    settings: AllSettings,
    solver: &mut Solver,
    world: &SimpleCommunicator,
) -> Result<Origin, RunError> {
    let root = world.rank() == 0;
    let directory = &settings.output.directory;
    let checkpoint = |restored: Restored| Origin::Checkpoint(Box::new(restored));
    match &settings.run.restart {
        None => Ok(Origin::InitialState),
        Some(Restart::File(path)) => {
            if anywhere(world, io::is_solution(path)) {
                let clock = begin_with_solution(path, solver, world)?;
                if settings.run.ended(&clock) {
                    return Err(RunError::Restart(at_the_end(path, &clock)));
                }
                Ok(Origin::Solution(clock))
            } else {
                load(path, settings, solver, world).map(checkpoint)
            }
        }
        Some(Restart::Latest) => {
            let there = if root {
                io::list_checkpoints(directory)
            } else {
                Ok(Vec::new())
            };
            let there = agree(world, there).map_err(RunError::Restart)?;
            let paths = io::of_rank_0(world, there.into_iter().map(|(path, _)| path).collect());
            let count = paths.len();
            for path in paths {
                match load(&path, settings, solver, world) {
                    Err(RunError::Restart(error)) if root => tracing::warn!("skipped: {error}"),
                    Err(RunError::Restart(_)) => {}
                    loaded => return loaded.map(checkpoint),
                }
            }
            if count > 0 {
                return Err(RunError::Restart(io::Error::Checkpoint {
                    path: directory.clone(),
                    detail: format!(
                        "none of the {count} here can be used: `restart: FILE` continues from a solution, and without \
                         `restart` the run begins anew"
                    ),
                }));
            }
            let first = if root { require_checkpoint(directory) } else { Ok(()) };
            agree(world, first).map_err(RunError::Restart)?;
            if root {
                let directory = directory.display();
                tracing::info!("restart: no checkpoint in {directory} yet: the run begins with the initial state");
            }
            Ok(Origin::InitialState)
        }
    }
}

/// Restores the checkpoint or the solution from which the case continues, as a run does, returns where it
/// begins, and gives the solver its initial state back. Collective.
///
/// # Errors
/// Those of a run: there is nothing to continue from, the file is damaged, of another mesh or no file of a run, or it
/// is a solution at the end of the run.
pub fn try_restart(
    settings: AllSettings,
    solver: &mut Solver,
    world: &SimpleCommunicator,
) -> Result<Beginning, RunError> {
    if settings.run.restart.is_none() {
        return Ok(Beginning::default());
    }
    let state = together(world, solver.device.state().map_err(RunError::from))?;
    let compensation = together(world, solver.device.compensation().map_err(RunError::from))?;
    let origin = restore(settings, solver, world)?;
    if let Origin::Checkpoint(restored) = &origin
        && settings.run.ended(&restored.clock)
        && world.rank() == 0
    {
        warn_of_end(&restored.path);
    }
    together(world, set_state(solver, &state, compensation.as_deref()))?;
    if solver.filters() {
        solver.device.begin_filter()?;
    }
    Ok(Beginning {
        clock: origin.clock(),
        series: match origin {
            Origin::Checkpoint(restored) => restored.series,
            _ => BTreeMap::new(),
        },
    })
}

/// Warns that a run that continues from a checkpoint has nothing to do.
pub(super) fn warn_of_end(path: &Path) {
    let path = path.display();
    tracing::warn!("{path} is at the end of the run or past it: `time` leaves nothing to do");
}

/// The error of a solution from which there is nothing to compute. A run would move the results of the earlier one away
/// and leave nothing in their place.
fn at_the_end(path: &Path, clock: &Clock) -> io::Error {
    io::Error::Input {
        path: path.to_path_buf(),
        detail: format!(
            "this solution is of step {}, t = {}, at the end of the run or past it: `time` leaves nothing to do",
            clock.step,
            physical_time(clock.time)
        ),
    }
}

/// Takes the state of a solution of the same mesh, and returns the clock at its time. Collective.
fn begin_with_solution(path: &Path, solver: &mut Solver, world: &SimpleCommunicator) -> Result<Clock, RunError> {
    let moment = agree(world, SolutionMoment::read(path)).map_err(RunError::Restart)?;
    let hash = solver.mesh.hash();
    if moment.mesh_hash != hash {
        return Err(RunError::Restart(io::Error::Input {
            path: path.to_path_buf(),
            detail: format!(
                "this solution is of another mesh (hash {:016x}) than that of this case (hash {hash:016x}): \
                 `initial.file` begins with it at t = 0",
                moment.mesh_hash
            ),
        }));
    }
    solver.set_state_of_solution(path).map_err(|error| match error {
        SetupError::Initial(error) => RunError::Restart(error),
        SetupError::Device(error) => RunError::Device(error),
        SetupError::OnOtherRank(_) => RunError::OnOtherRank,
        SetupError::Value(value) => RunError::Value {
            value: Box::new(value),
            last_output: "none".to_owned(),
        },
        other => RunError::Restart(io::Error::Input {
            path: path.to_path_buf(),
            detail: other.to_string(),
        }),
    })?;
    if world.rank() == 0 {
        let path = path.display();
        let time = physical_time(moment.time);
        tracing::warn!(
            "restart from the solution {path}: step {}, t = {time}. It has the state alone: statistics and other \
             means, series, running means of sponges, relaxed values of boundaries, bars and the forces that hold a \
             flow begin now, and the digits differ from those of a run that was not stopped",
            moment.step
        );
    }
    Ok(Clock::resumed(moment.time, 0.0, moment.step))
}

/// Restores one checkpoint. The device changes only if all of the checkpoint is valid. Collective.
fn load(
    path: &Path,
    settings: AllSettings,
    solver: &mut Solver,
    world: &SimpleCommunicator,
) -> Result<Restored, RunError> {
    let stored = StoredCheckpoint::open(path, world).map_err(RunError::Restart)?;
    let checkpoint = Opened { path, stored: &stored };
    checkpoint.require_mesh(&solver.mesh)?;
    checkpoint.require_variables()?;
    let metadata = checkpoint.metadata()?;
    let [time, time_error, dt] = checkpoint.clock()?;
    let mut fields = checkpoint.fields(&solver.mesh, world)?;
    let (state, conversion) = checkpoint.state(&mut fields, settings.solver, &solver.mesh)?;
    let compensation = fields.remove(COMPENSATION).filter(|_| conversion.is_empty());
    together(world, set_state(solver, &state, compensation.as_deref()))?;
    if world.rank() == 0 {
        let path = path.display();
        let step = stored.header.step;
        tracing::info!(
            "restart from {path}: step {step}, t = {}{conversion}",
            physical_time(time)
        );
        warn_of_changes(settings, &metadata);
    }
    Ok(Restored {
        path: path.to_path_buf(),
        file_written: stored.header.written,
        clock: Clock::resumed(time, time_error, stored.header.step),
        dt: solver::same_settings(&metadata.step_rule, &step_rule(settings)).then_some(dt),
        data: checkpoint.data(fields, stored.header.order == settings.solver.order),
        kept: if checkpoint.is_newest_of(&metadata, &settings.output.directory) {
            metadata.checkpoints
        } else {
            // In another directory the same names belong to other files.
            Vec::new()
        },
        series: metadata.series,
        accumulating: metadata.accumulating,
    })
}

/// A checkpoint that is being read.
struct Opened<'a> {
    path: &'a Path,
    stored: &'a StoredCheckpoint,
}

impl Opened<'_> {
    /// Returns the error that the checkpoint cannot be used.
    fn wrong(&self, detail: String) -> RunError {
        let path = self.path.to_path_buf();
        RunError::Restart(io::Error::Checkpoint { path, detail })
    }

    /// Verifies that the checkpoint is of the mesh of this case.
    fn require_mesh(&self, mesh: &Mesh) -> Result<(), RunError> {
        let header = &self.stored.header;
        let hash = mesh.hash();
        if header.mesh_hash == hash {
            return Ok(());
        }
        Err(self.wrong(format!(
            "it is of another mesh ({} cells, hash {:016x}) than that of this case ({} cells, hash {hash:016x})",
            header.cells,
            header.mesh_hash,
            mesh.cells_of_all_ranks()
        )))
    }

    /// Verifies that the checkpoint has the variables of this program.
    fn require_variables(&self) -> Result<(), RunError> {
        for name in [STATE, COMPENSATION] {
            let has = match self.stored.layout_of(name).unwrap_or(Layout::Points(VARIABLES)) {
                Layout::Points(VARIABLES) => continue,
                Layout::Points(variables) => format!("{variables} variables"),
                Layout::Cells(_) => "no variables".to_owned(),
            };
            return Err(self.wrong(format!(
                "its {name} has {has} at every point, but this program computes {VARIABLES}"
            )));
        }
        Ok(())
    }

    fn metadata(&self) -> Result<RunMetadata, RunError> {
        let metadata = self.stored.section.parts.get(RUN).cloned().unwrap_or_default();
        serde_json::from_value(metadata).map_err(|e| self.wrong(format!("its run cannot be understood: {e}")))
    }

    /// Returns time, the rounding error of its sum, and the time step.
    fn clock(&self) -> Result<[f64; 3], RunError> {
        match self.stored.section.arrays.get(CLOCK).map(Vec::as_slice) {
            Some(&[time, time_error, dt]) => Ok([time, time_error, dt]),
            _ => Err(self.wrong("it has no clock".to_owned())),
        }
    }

    /// Returns the fields on this rank's cells, by name. Collective.
    fn fields(&self, mesh: &Mesh, world: &SimpleCommunicator) -> Result<BTreeMap<String, Vec<f64>>, RunError> {
        let cells: Vec<u64> = (0..mesh.len()).map(|cell| mesh.global(cell) as u64).collect();
        let fields = self
            .stored
            .cells(world, &cells, &mesh.kinds)
            .map_err(RunError::Restart)?;
        Ok(self.stored.fields().map(str::to_owned).zip(fields).collect())
    }

    /// Takes the state out of the fields and returns it at the points of the case's order, with a description of its
    /// conversion for the log.
    fn state(
        &self,
        fields: &mut BTreeMap<String, Vec<f64>>,
        settings: &solver::Settings,
        mesh: &Mesh,
    ) -> Result<(Vec<f64>, String), RunError> {
        let header = &self.stored.header;
        let mut state = fields
            .remove(STATE)
            .ok_or_else(|| self.wrong("it has no state".to_owned()))?;
        let mut conversion = String::new();
        if header.order != settings.order {
            conversion += &format!(", interpolated from order {}", header.order);
            state = solver::at_order::<VARIABLES>(&state, &mesh.kinds, header.order, settings.order);
        }
        if header.precision != settings.precision {
            conversion += ", converted to the precision of the case";
        }
        Ok((state, conversion))
    }

    /// Returns the data of the outputs and the mass-flow forcing. Fields of another order are left out.
    fn data(&self, fields: BTreeMap<String, Vec<f64>>, same_order: bool) -> CheckpointData {
        let layout = |name: &str| self.stored.layout_of(name).unwrap_or(Layout::Points(0));
        let fields = fields.into_iter().filter(|_| same_order);
        CheckpointData {
            fields: fields
                .map(|(name, values)| {
                    let layout = layout(&name);
                    (name, (layout, values))
                })
                .collect(),
            section: self.stored.section.clone(),
        }
    }

    /// Returns whether the checkpoint lies in the output directory under the name under which it was written there.
    fn is_newest_of(&self, metadata: &RunMetadata, directory: &Path) -> bool {
        let real = |directory: &Path| std::fs::canonicalize(directory).ok();
        let parent = self.path.parent().filter(|p| !p.as_os_str().is_empty());
        let parent = real(parent.unwrap_or(Path::new(".")));
        let name = self.path.file_name().and_then(|name| name.to_str());
        parent.is_some() && parent == real(directory) && metadata.checkpoints.last().map(String::as_str) == name
    }
}

/// Writes the state to the device.
fn set_state(solver: &mut Solver, state: &[f64], compensation: Option<&[f64]>) -> Result<(), RunError> {
    solver.device.set_state(state)?;
    match compensation {
        Some(values) => Ok(solver.device.set_compensation(values)?),
        None => Ok(()),
    }
}

/// Warns of settings that differ from those under which the checkpoint was written, and of the tables among them.
fn warn_of_changes(settings: AllSettings, metadata: &RunMetadata) {
    for (key, now) in fingerprints(settings) {
        if metadata
            .settings
            .get(&key)
            .is_some_and(|then| !solver::same_settings(then, &now))
        {
            tracing::warn!(
                "`{key}` differs from that of the checkpoint: series, files and averages that continue mix both"
            );
            let within = |name: &str| {
                name.strip_prefix(key.as_str())
                    .is_some_and(|rest| rest.starts_with('.'))
            };
            let now = settings.solver.tables.iter();
            for (name, table) in now.filter(|(name, _)| within(name)) {
                if metadata
                    .tables
                    .get(name)
                    .is_some_and(|then| then.contents != table.contents)
                {
                    tracing::warn!("`{name}` differs: {} has other values", table.file);
                }
            }
        }
    }
}
