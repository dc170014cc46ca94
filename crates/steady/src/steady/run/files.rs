//! The files of a steady solution.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use rayon::prelude::*;
use xxhash_rust::xxh3::xxh3_64_with_seed;

use super::{CONTROL, CONVERGENCE, Convergence, Finish, HELD, Progress, Steady, SteadyError};
use crate::format::number;
use crate::io::{
    self, DirectoryLock, STEADY_ADEQUACY, STEADY_BEFORE, STEADY_CHECKPOINT, STEADY_CONVERGENCE, STEADY_FIELDS,
    STEADY_WALLS,
};
use crate::run::{Outcome, Restart};
use crate::solver::{VARIABLES, same_settings};
use crate::steady::adequacy::{Adequacy, text, warnings};
use crate::steady::boundary_layer::BoundaryLayer;
use crate::steady::conditions::BoundaryList;
use crate::steady::controller::Controller;
use crate::steady::fields::{write_fields, write_walls};
use crate::steady::handover::{MODEL, Solution, Values};
use crate::steady::monitor::{Row, columns, table};
use crate::steady::profile::Profile;

impl Steady<'_> {
    /// Creates the folder of the files and locks the output directory. Collective; rank 0 has the lock.
    pub(super) fn open_directory(&self) -> Result<Option<DirectoryLock>, SteadyError> {
        let locked = match self.ranks.rank() {
            0 => self.prepare().map(Some),
            _ => Ok(None),
        };
        self.ranks
            .agree(locked.map_err(SteadyError::Directory), SteadyError::OnOtherRank)
    }

    fn prepare(&self) -> Result<DirectoryLock, io::Error> {
        io::create_own_folder(&self.directory)?;
        DirectoryLock::take(&self.run.output.directory)
    }

    /// Moves the files of an earlier solution away, unless this one continues from a checkpoint. Collective.
    pub(super) fn clear_directory(&self) -> Result<(), SteadyError> {
        let moved = match self.ranks.rank() {
            0 => self.move_earlier_files(),
            _ => Ok(()),
        };
        self.ranks
            .agree(moved.map_err(SteadyError::Directory), SteadyError::OnOtherRank)
    }

    fn move_earlier_files(&self) -> Result<(), io::Error> {
        let continues = match &self.run.run.restart {
            Some(Restart::File(path)) => !io::is_su2_restart(path),
            Some(Restart::Latest) => true,
            None => false,
        };
        if !continues && let Some(to) = io::move_previous_run(&self.directory, io::Writer::Steady)? {
            let from = self.directory.display();
            let to = to.display();
            tracing::warn!("{from} has files of an earlier solution: they were moved to {to}");
        }
        Ok(())
    }

    /// Writes the files of the end. Collective.
    pub(super) fn finish(
        &self,
        kept: &Progress,
        asked: Option<String>,
        convergence: Convergence,
    ) -> Result<Finish, SteadyError> {
        let mut files = self.write(kept)?;
        let solution_ended = asked.is_none();
        if solution_ended {
            self.warn_of_fast_outlets(&kept.values);
            let gradient = self.gradient(&kept.values);
            let solution = self.solution(&kept.values, &gradient);
            let path = self.directory.join(STEADY_FIELDS);
            write_fields(
                &solution,
                &self.geometry,
                &self.elements,
                &path,
                self.world,
                kept.iteration,
                &self.provenance,
            )?;
            files.push(path);
            if self.run.solver.gas.viscosity.is_some() {
                files.extend(self.write_adequacy(&solution, kept.iteration)?);
            }
            files.extend(self.write_profiles(&solution)?);
        }
        Ok(Finish {
            outcome: if solution_ended {
                Outcome::Finished
            } else {
                Outcome::Interrupted
            },
            convergence,
            hash: self.hash(&kept.values),
            force: kept.held.force,
            files,
        })
    }

    /// Writes the checkpoint and the table of the convergence. Collective.
    pub(super) fn write(&self, kept: &Progress) -> Result<Vec<PathBuf>, SteadyError> {
        let Controller {
            cfl,
            largest,
            last,
            before,
            refusals,
        } = kept.controller;
        let part = serde_json::json!({
            "iteration": kept.iteration, "since": kept.since, "refusals": refusals, "settings": self.fingerprints(),
            MODEL: self.settings.scheme.turbulence.name()
        });
        let mut arrays = BTreeMap::from([
            (CONTROL.to_owned(), vec![cfl, largest, last, before]),
            (
                CONVERGENCE.to_owned(),
                table(&kept.rows, self.settings.scheme.turbulence),
            ),
        ]);
        if self.force.is_some() {
            arrays.insert(HELD.to_owned(), vec![kept.held.force, kept.held.mass]);
        }
        let gradient = self.gradient(&kept.values);
        let solution = self.solution(&kept.values, &gradient);
        let checkpoint = self.directory.join(STEADY_CHECKPOINT);
        solution.write_checkpoint(&checkpoint, self.world, part, arrays, &self.provenance)?;
        let table = self.directory.join(STEADY_CONVERGENCE);
        let written = match self.ranks.rank() {
            0 => self.write_convergence(&kept.rows),
            _ => Ok(()),
        };
        self.agreed(written)?;
        Ok(vec![checkpoint, table])
    }

    /// Gradients of the velocity. Collective.
    fn gradient(&self, values: &[Values]) -> Vec<[[f64; 3]; 3]> {
        self.dual
            .gradient(|v| [values[v][1], values[v][2], values[v][3]], self.ranks)
    }

    fn solution<'a>(&'a self, values: &'a [Values], gradient: &'a [[[f64; 3]; 3]]) -> Solution<'a> {
        Solution {
            mesh: &self.mesh,
            order: self.points,
            dual: &self.dual,
            gas: &self.run.solver.gas,
            model: self.settings.scheme.turbulence,
            values,
            gradient,
        }
    }

    /// Writes the report on the mesh, and the resolution of its walls as a picture. Collective.
    fn write_adequacy(&self, solution: &Solution, iteration: u64) -> Result<Vec<PathBuf>, SteadyError> {
        let no_slip: Vec<bool> = self.boundaries.iter().map(BoundaryList::is_no_slip).collect();
        let adequacy = Adequacy::new(solution, &self.geometry, &self.elements, |b| no_slip[b], self.ranks);
        let path = self.directory.join(STEADY_ADEQUACY);
        let model = self.settings.scheme.turbulence;
        let written = match self.ranks.rank() {
            0 => {
                warnings(&adequacy)
                    .iter()
                    .for_each(|warning| tracing::warn!("{warning}"));
                io::atomic_write(&path, text(&adequacy, model).as_bytes())
            }
            _ => Ok(()),
        };
        self.agreed(written)?;
        if adequacy.walls.is_empty() {
            return Ok(vec![path]);
        }
        let picture = self.directory.join(STEADY_WALLS);
        write_walls(
            solution,
            &self.geometry,
            &adequacy.walls,
            &picture,
            self.world,
            iteration,
            &self.provenance,
        )?;
        Ok(vec![path, picture])
    }

    /// Writes the profiles of the case. Collective.
    fn write_profiles(&self, solution: &Solution) -> Result<Vec<PathBuf>, SteadyError> {
        let mut files = Vec::new();
        for request in &self.settings.profiles {
            let profile = Profile::new(solution, [request.normal, request.along], request.at, self.ranks);
            let path = self.directory.join(format!("profile_{}.csv", request.name));
            let written = match self.ranks.rank() {
                0 => {
                    let layers = profile.boundary_layers(&self.run.solver.gas);
                    let layers = layers.iter().map(BoundaryLayer::describe);
                    let comments: Vec<String> = [request.describe()].into_iter().chain(layers).collect();
                    profile.write(&path, &comments, &self.provenance)
                }
                _ => Ok(()),
            };
            self.agreed(written)?;
            files.push(path);
        }
        Ok(files)
    }

    /// Refuses profiles whose plane meets no edge of the sub-mesh. Collective.
    pub(super) fn check_profiles(&self) -> Result<(), SteadyError> {
        for request in &self.settings.profiles {
            let mut ends = [f64::NEG_INFINITY; 2];
            for vertex in 0..self.dual.owned {
                let x = self.dual.position[vertex][request.normal];
                ends[0] = ends[0].max(-x);
                // Edges reach through periods.
                for edge in self.dual.edges(vertex) {
                    ends[1] = ends[1].max(x + self.dual.displacement[edge][request.normal]);
                }
            }
            self.ranks.allreduce_max(&mut ends);
            if !(-ends[0] <= request.at && request.at <= ends[1]) {
                return Err(SteadyError::Refused {
                    key: request.key(),
                    what: format!(
                        "the plane {} does not meet the mesh, which reaches from {} to {} there",
                        request.describe(),
                        number(-ends[0]),
                        number(ends[1])
                    ),
                });
            }
        }
        Ok(())
    }

    /// Writes the table of the convergence. To be called by one rank.
    pub(super) fn write_convergence(&self, rows: &[Row]) -> Result<(), io::Error> {
        let path = self.directory.join(STEADY_CONVERGENCE);
        let model = self.settings.scheme.turbulence;
        io::write_table(&path, &columns(model), &table(rows, model), &[], &self.provenance)
    }

    /// Returns the settings that determine the solution: the key of the case, and a text that changes with them.
    fn fingerprints(&self) -> BTreeMap<String, String> {
        let solver = self.run.solver.fingerprints().into_iter();
        let scheme = ("steady".to_owned(), format!("{:?}", self.settings.scheme));
        let ratios = ("steady.ratios".to_owned(), format!("{:?}", self.settings.ratios));
        solver.chain([scheme, ratios]).collect()
    }

    /// Copies the checkpoint in the folder of a solution that goes on with other settings, and would write over it.
    /// Collective.
    pub(super) fn keep_before(&self, begin: &Progress) -> Result<(), SteadyError> {
        let checkpoint = self.directory.join(STEADY_CHECKPOINT);
        let other_settings = begin.iteration > 0 && begin.since == begin.iteration;
        let copied = match self.ranks.rank() {
            0 if other_settings && checkpoint.is_file() => self.copy_before(&checkpoint),
            _ => Ok(()),
        };
        self.agreed(copied)
    }

    fn copy_before(&self, checkpoint: &Path) -> Result<(), io::Error> {
        let to = self.directory.join(STEADY_BEFORE);
        let bytes = std::fs::read(checkpoint).map_err(io::Error::os("read", checkpoint))?;
        io::atomic_write(&to, &bytes)?;
        tracing::info!("the solution of the settings before is kept in {}", to.display());
        Ok(())
    }

    /// Writes the convergence that led to a failure, and returns the failure.
    pub(super) fn with_convergence(&self, kept: &Progress, failure: SteadyError) -> SteadyError {
        if self.ranks.rank() == 0
            && let Err(error) = self.write_convergence(&kept.rows)
        {
            tracing::warn!("the table of the convergence is not written: {error}");
        }
        failure
    }

    /// Returns whether settings differ from those with which a checkpoint was written, whose `part` this is, and warns
    /// of these.
    pub(super) fn warn_of_changes(&self, part: &serde_json::Value) -> bool {
        let mut changed = false;
        for (key, now) in self.fingerprints() {
            let then = part.get("settings").and_then(|settings| settings.get(&key)?.as_str());
            if then.is_some_and(|then| !same_settings(then, &now)) {
                changed = true;
                if self.ranks.rank() == 0 {
                    tracing::warn!(
                        "`{key}` differs from that of the checkpoint: its state begins a new solution, and the \
                         residuals and forces before it are those of other settings"
                    );
                }
            }
        }
        changed
    }

    /// Returns whether all ranks wrote. Collective.
    fn agreed(&self, written: Result<(), io::Error>) -> Result<(), SteadyError> {
        self.ranks
            .agree(written.map_err(SteadyError::from), SteadyError::OnOtherRank)
    }

    /// Hash of the values at the vertices of all ranks. Collective.
    pub(super) fn hash(&self, values: &[Values]) -> u64 {
        let count = VARIABLES + self.settings.scheme.turbulence.equations();
        let global = &self.dual.global;
        let of_vertex = |vertex: usize| {
            let bytes: Vec<u8> = values[vertex][..count].iter().flat_map(|x| x.to_le_bytes()).collect();
            xxh3_64_with_seed(&bytes, global[vertex])
        };
        let hashes = (0..self.dual.owned).into_par_iter().map(of_vertex);
        let mut sum = [hashes.reduce(|| 0, u64::wrapping_add)];
        self.ranks.allreduce_sum(&mut sum);
        sum[0]
    }
}
