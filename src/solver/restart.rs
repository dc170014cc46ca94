//! Restart: the state of a checkpoint on the device, and what the run loop remembers.
//!
//! With the order and precision of the case, state and compensation come back to the bit, on any number of ranks and any
//! device. Otherwise the state is converted: rounded to another precision, interpolated to the points of another order; the
//! compensation, which belongs to the last bits, is then zero.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use mpi::topology::SimpleCommunicator;
use mpi::traits::*;
use rayon::prelude::*;

use super::checkpoint::{CLOCK, COMPENSATION, RUN, STATE, VARIABLES, Words, settings, step_rule};
use super::observer::Notes;
use super::stop::together;
use super::{Clock, RunError, Solver};
use crate::case::{Case, Restart};
use crate::element::Correction;
use crate::element::{ElementKind, ReferenceElement};
use crate::geometry::multiply;
use crate::io::{self, Layout, Mark, StoredCheckpoint, agree};
use crate::words::shown;

/// What a run goes on with.
pub(super) struct Restored {
    /// The checkpoint.
    pub path: PathBuf,
    /// When it was written.
    pub file_written: u64,
    pub clock: Clock,
    /// The time step in use, if it is still right for the case.
    pub dt: Option<f64>,
    /// How far the series had come.
    pub series: BTreeMap<String, Mark>,
    /// What observers remember; fields only where they are at the points of the case's order.
    pub notes: Notes,
    /// Checkpoints of this run that lie in its output directory, oldest first.
    pub kept: Vec<String>,
}

/// Restores what the case says it continues from, if that is anything. Collective.
pub(super) fn restore(
    case: &Case,
    solver: &mut Solver,
    world: &SimpleCommunicator,
) -> Result<Option<Restored>, RunError> {
    let root = world.rank() == 0;
    let directory = &case.output.directory;
    match &case.restart {
        None => {
            // What cannot be listed is no reason not to begin.
            let there = io::list_checkpoints(directory).unwrap_or_default();
            if let Some((path, _)) = there.first().filter(|_| root) {
                tracing::warn!(
                    "{} is of an earlier run, which this one replaces: `restart: latest` would continue it",
                    path.display()
                );
            }
            Ok(None)
        }
        Some(Restart::File(path)) => load(path, case, solver, world).map(Some),
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
                match load(&path, case, solver, world) {
                    Err(RunError::Restart(error)) if root => tracing::warn!("passed over: {error}"),
                    Err(RunError::Restart(_)) => {}
                    loaded => return loaded.map(Some),
                }
            }
            if count > 0 {
                return Err(RunError::Restart(io::Error::Checkpoint {
                    path: directory.clone(),
                    detail: format!(
                        "none of the {count} here can be used; move them away to begin with the initial state"
                    ),
                }));
            }
            if root {
                let directory = directory.display();
                tracing::info!("restart: no checkpoint in {directory} yet: the run begins with the initial state");
            }
            Ok(None)
        }
    }
}

/// Restores one checkpoint; the device is touched only when all of it is right.
fn load(path: &Path, case: &Case, solver: &mut Solver, world: &SimpleCommunicator) -> Result<Restored, RunError> {
    let stored = StoredCheckpoint::open(path, world).map_err(RunError::Restart)?;
    let wrong = |detail: String| {
        let path = path.to_path_buf();
        RunError::Restart(io::Error::Checkpoint { path, detail })
    };
    let header = &stored.header;
    let (mesh, hash) = (&solver.mesh, solver.mesh.hash());
    if header.mesh_hash != hash {
        return Err(wrong(format!(
            "it is of another mesh ({} cells, hash {:016x}) than that of this case ({} cells, hash {hash:016x})",
            header.cells,
            header.mesh_hash,
            mesh.cells_of_all_ranks()
        )));
    }
    for name in [STATE, COMPENSATION] {
        let layout = stored.layout_of(name).unwrap_or(Layout::Points(VARIABLES));
        if layout != Layout::Points(VARIABLES) {
            return Err(wrong(format!(
                "its {name} has {} at every point, but this program computes {VARIABLES}",
                match layout {
                    Layout::Points(variables) => format!("{variables} variables"),
                    Layout::Cells(_) => "no variables".to_owned(),
                }
            )));
        }
    }
    let memory = &stored.memory;
    let words = memory.parts.get(RUN).cloned().unwrap_or_default();
    let words: Words =
        serde_json::from_value(words).map_err(|e| wrong(format!("its run cannot be understood: {e}")))?;
    let numbers = |name: &str| memory.arrays.get(name).map_or(&[][..], Vec::as_slice);
    let &[time, lost, dt] = numbers(CLOCK) else {
        return Err(wrong("it has no clock".to_owned()));
    };

    let cells: Vec<u64> = (0..mesh.len()).map(|cell| mesh.global(cell) as u64).collect();
    let fields = stored.cells(world, &cells, &mesh.kinds).map_err(RunError::Restart)?;
    let mut fields: BTreeMap<&str, Vec<f64>> = stored.fields().zip(fields).collect();
    let state = fields
        .remove(STATE)
        .ok_or_else(|| wrong("it has no state".to_owned()))?;
    let mut how = String::new();
    let same_order = header.order == case.order;
    let state = if same_order {
        state
    } else {
        how += &format!(", interpolated from order {}", header.order);
        interpolated(&state, &mesh.kinds, header.order, case.order)
    };
    let same_precision = header.precision == case.precision;
    if !same_precision {
        how += ", converted to the precision of the case";
    }
    let compensation = fields.remove(COMPENSATION).filter(|_| same_order && same_precision);
    let mut set = || {
        solver.device.set_state(&state)?;
        match &compensation {
            Some(values) => Ok(solver.device.set_compensation(values)?),
            None => Ok(()),
        }
    };
    together(world, set())?;
    if world.rank() == 0 {
        tracing::info!(
            "restart from {}: step {}, t = {}{how}",
            path.display(),
            header.step,
            shown(time)
        );
        let changed = |(key, now): &(String, String)| words.settings.get(key).is_some_and(|then| then != now);
        for (key, _) in settings(case).into_iter().filter(changed) {
            tracing::warn!("`{key}` is not that of the checkpoint: series, files and means go on over both");
        }
    }
    let here = |directory: &Path| std::fs::canonicalize(directory).ok();
    let beside = path
        .parent()
        .filter(|p| !p.as_os_str().is_empty())
        .unwrap_or(Path::new("."));
    let layout = |name: &str| stored.layout_of(name).unwrap_or(Layout::Points(0));
    let fields = fields.into_iter().filter(|_| same_order);
    let notes = Notes {
        fields: fields
            .map(|(name, values)| (name.to_owned(), (layout(name), values)))
            .collect(),
        memory: memory.clone(),
    };
    let own = here(beside).is_some() && here(beside) == here(&case.output.directory);
    let name = path.file_name().and_then(|name| name.to_str());
    let own = own && words.checkpoints.last().map(String::as_str) == name;
    Ok(Restored {
        path: path.to_path_buf(),
        file_written: header.written,
        clock: Clock::resumed(time, lost, header.step),
        dt: (words.step_rule == step_rule(case)).then_some(dt),
        series: words.series,
        notes,
        // Elsewhere the same names belong to others.
        kept: if own { words.checkpoints } else { Vec::new() },
    })
}

/// A state at the points of another order, [cell][5][point].
fn interpolated(state: &[f64], kinds: &[ElementKind], from: usize, to: usize) -> Vec<f64> {
    let matrices = ElementKind::ALL.map(|kind| {
        if !kinds.contains(&kind) {
            return Vec::new();
        }
        // The correction has no part in the points.
        let [old, new] = [from, to].map(|order| ReferenceElement::new(kind, order, Correction::Radau));
        old.interpolation(&new.points)
    });
    let mut first = vec![0];
    for kind in kinds {
        first.push(first[first.len() - 1] + VARIABLES * kind.points(from));
    }
    let cell = |(cell, kind): (usize, &ElementKind)| {
        let (u, np) = (&state[first[cell]..first[cell + 1]], kind.points(from));
        let at_points: Vec<[f64; VARIABLES]> = (0..np).map(|p| std::array::from_fn(|v| u[v * np + p])).collect();
        let values = multiply(&matrices[*kind as usize], &at_points);
        let count = values.len();
        (0..VARIABLES * count).map(move |i| values[i % count][i / count])
    };
    kinds.par_iter().enumerate().flat_map_iter(cell).collect()
}
