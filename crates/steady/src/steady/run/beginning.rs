//! The state with which a steady solution begins: that of a checkpoint, of SU2, of another mesh, or of fields.

use std::path::Path;

use super::{CONTROL, CONVERGENCE, HELD, Progress, Steady, SteadyError};
use crate::io::{self, STEADY_CHECKPOINT};
use crate::physics::{Gas, Initial};
use crate::run::Restart;
use crate::steady::controller::Controller;
use crate::steady::force::Held;
use crate::steady::handover::{Stored, Values};
use crate::steady::mixing::motions;
use crate::steady::monitor::rows_of;
use crate::steady::other_mesh::OtherMesh;
use crate::steady::scheme::Scheme;
use crate::steady::start;
use crate::steady::su2::{first_points, values_at_vertices};
use crate::vector::Vector;

impl Steady<'_> {
    /// Returns the state at the beginning, or that of a checkpoint. Collective.
    pub(super) fn begin(&self) -> Result<Progress, SteadyError> {
        let latest = self.directory.join(STEADY_CHECKPOINT);
        let there = || {
            self.ranks
                .first_rank_where(self.ranks.rank() == 0 && latest.is_file())
                .is_some()
        };
        let restart = match &self.run.run.restart {
            Some(Restart::File(path)) => Some(path.as_path()),
            Some(Restart::Latest) if there() => Some(latest.as_path()),
            Some(Restart::Latest) => {
                if self.ranks.rank() == 0 {
                    tracing::info!(
                        "restart: latest finds no {}: the solution begins anew",
                        latest.display()
                    );
                }
                None
            }
            None => None,
        };
        let gas = &self.run.solver.gas;
        let scheme = &self.settings.scheme;
        let mut values = match restart {
            Some(path) if io::is_su2_restart(path) => self.values_of_su2(path, gas, scheme)?,
            Some(path) => return self.restore(path),
            None => self.initial_values(gas, scheme)?,
        };
        start::hold_walls(&self.dual, &self.boundaries, gas, scheme, &mut values);
        start::share(&self.dual, &mut values, self.ranks);
        Ok(Progress {
            iteration: 0,
            since: 0,
            controller: Controller::new(self.settings.first_control()),
            rows: Vec::new(),
            held: Held::initial(&self.dual, &values, self.ranks),
            values,
        })
    }

    /// Returns the values of a solution of SU2. Collective.
    fn values_of_su2(&self, path: &Path, gas: &Gas, scheme: &Scheme) -> Result<Vec<Values>, SteadyError> {
        let first = first_points(&self.mesh, &self.geometry, self.points, self.ranks)?;
        let values = values_at_vertices(path, &first, &self.dual, gas, scheme.turbulence);
        let values = self
            .ranks
            .agree(values.map_err(SteadyError::Restart), SteadyError::OnOtherRank)?;
        if self.ranks.rank() == 0 {
            let path = path.display();
            let nodes = first.len();
            tracing::info!("the solution begins with that of SU2 in {path}, {nodes} points");
        }
        Ok(values)
    }

    /// Returns the values of the initial state at the vertices. Collective.
    fn initial_values(&self, gas: &Gas, scheme: &Scheme) -> Result<Vec<Values>, SteadyError> {
        match &self.run.solver.initial {
            Initial::State(state) => {
                let values = start::values(&self.dual, state, gas, scheme, self.frames());
                let values = values.map_err(|wrong| SteadyError::Setup(wrong.into()));
                self.ranks.agree(values, SteadyError::OnOtherRank)
            }
            Initial::File { path, .. } => {
                let periods = self.geometry.periods(&self.mesh, self.points, self.ranks);
                Ok(OtherMesh { path, gas, periods }.values(&self.dual, scheme, self.ranks)?)
            }
        }
    }

    /// Returns the velocity of the cells at a vertex, which mixing planes give them.
    fn frames(&self) -> impl Fn(usize) -> Vector + Sync {
        let motions = motions(&self.planes);
        let dual = &self.dual;
        move |vertex: usize| {
            if motions.0.is_empty() || vertex >= dual.owned {
                // The halo gets the values of its owners.
                return [0.0; 3];
            }
            motions.velocity(dual.within(vertex), dual.position[vertex])
        }
    }

    /// Returns the state of a checkpoint. Collective.
    fn restore(&self, path: &Path) -> Result<Progress, SteadyError> {
        let model = self.settings.scheme.turbulence;
        let stored = Stored::read(path, self.world, &self.mesh, &self.dual, self.points, model, self.ranks);
        let Stored { values, part, arrays } = stored.map_err(SteadyError::Restart)?;
        let whole = |name: &str| part.get(name).and_then(serde_json::Value::as_u64).unwrap_or(0);
        let rows = arrays.get(CONVERGENCE).map(Vec::as_slice).unwrap_or_default();
        let iteration = whole("iteration");
        if self.ranks.rank() == 0 {
            tracing::info!("restart from {}: iteration {iteration}", path.display());
        }
        let (controller, since) = match arrays.get(CONTROL).map(Vec::as_slice) {
            Some(&[cfl, largest, last, before]) if !self.warn_of_changes(&part) => {
                let refusals = whole("refusals");
                let controller = Controller {
                    cfl,
                    largest,
                    last,
                    before,
                    refusals,
                };
                (controller, whole("since"))
            }
            // Residuals of other settings are no measure for these.
            _ => (Controller::new(self.settings.first_control()), iteration),
        };
        let held = match arrays.get(HELD).map(Vec::as_slice) {
            Some(&[force, mass]) => Held { force, mass },
            _ => Held::initial(&self.dual, &values, self.ranks),
        };
        Ok(Progress {
            iteration,
            since,
            controller,
            rows: rows_of(rows, model),
            values,
            held,
        })
    }
}
