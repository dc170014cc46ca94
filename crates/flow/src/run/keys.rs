//! The keys of the time integration and of the restart in a case.
//!
//! The doc comments of the keys are addressed to the user: the JSON schema and docs/reference/case-keys.md are made
//! from them.

use super::settings::{Restart, Settings, StepLimit, TimeStep};
use super::until::UntilKeys;
use crate::input::{Count, Number, Problem, Scope, check, keys, one_of, positive};
use crate::runge_kutta::TimeScheme;

/// Step size where the case says nothing.
const DEFAULT_CFL: f64 = 0.9;

/// Most steps of a fixed length: the sum of more of them is not resolved by the numbers of the time.
const MOST_STEPS: f64 = 1e14;

keys! {
/// Time integration. At least one of `end` and `steps` is given, and not both of `cfl` and `dt`.
TimeKeys as "a mapping with keys such as `end` and `cfl`" {
    /// Time integrator.
    #[serde(default)]
    pub scheme: TimeScheme,
    /// Time at which the run ends, above 0.
    pub end: Option<Number>,
    /// Largest number of steps, at least 1.
    pub steps: Option<Count>,
    /// Accuracy of a result of the outputs at which the run ends earlier.
    pub until: Option<UntilKeys>,
    /// Step as a fraction of the limit of linear stability (`limit`), above 0, at most 2 (above 1 is beyond linear
    /// theory), or 1 with `limit: operator`; default 0.9 unless `dt` is given.
    pub cfl: Option<Number>,
    /// What `cfl` is a fraction of.
    #[serde(default)]
    pub limit: StepLimit,
    /// Fixed step (time), above 0.
    pub dt: Option<Number>,
    /// Kahan-compensated update of the state.
    #[serde(default = "kahan")]
    pub kahan: bool,
    /// Wall-clock time from the start of the program after which the run writes a checkpoint and ends with exit code 4:
    /// seconds above 0, or hours:minutes:seconds as in 23:50:00. Leave time for one step and the checkpoint.
    pub wall_clock: Option<Number>,
}}

fn kahan() -> bool {
    true
}

impl TimeKeys {
    /// Evaluates and checks the keys, with the key `restart` of the case.
    ///
    /// # Errors
    /// Returns a problem with the path of the key if a value is not possible.
    pub fn resolve(&self, scope: &Scope, restart_key: Option<&str>) -> Result<Settings, Problem> {
        let end = |v| scope.number_if("time.end", v, positive, "above 0");
        let end = self.end.as_ref().map(end).transpose()?;
        let steps = self.steps.as_ref().map(|n| scope.count("time.steps", n)).transpose()?;
        if end.is_none() && steps.is_none() {
            return Err(
                Problem::new("the run has no end: at least one of the keys `end` and `steps` is needed").key("time"),
            );
        }
        let step = match (&self.cfl, &self.dt) {
            (None, None) => TimeStep::Cfl(DEFAULT_CFL),
            (Some(cfl), None) => {
                let (test, must): (fn(f64) -> bool, _) = match self.limit {
                    StepLimit::Waves => (|v| v > 0.0 && v <= 2.0, "above 0 and at most 2"),
                    StepLimit::Operator => (
                        |v| v > 0.0 && v <= 1.0,
                        "above 0 and, with `limit: operator`, at most 1, beyond which disturbances grow",
                    ),
                };
                TimeStep::Cfl(scope.number_if("time.cfl", cfl, test, must)?)
            }
            (None, Some(_)) if self.limit == StepLimit::Operator => {
                let problem = Problem::new("`limit` belongs to `cfl`, and `dt` is a fixed step").key("time.limit");
                return Err(problem.help("remove `dt` or this key"));
            }
            (None, Some(dt)) => {
                let dt = scope.number_if("time.dt", dt, positive, "above 0")?;
                let least = end.map_or(0.0, |end| end / MOST_STEPS);
                TimeStep::Fixed(check(
                    "time.dt",
                    dt,
                    dt >= least,
                    &format!("at least {least:.1e}, 1e-14 of `end`"),
                )?)
            }
            (Some(_), Some(_)) => return Err(one_of("time", "cfl", "dt", true)),
        };
        let wall_clock = |v| scope.clock_time("time.wall-clock", v);
        Ok(Settings {
            end,
            steps,
            until: self.until.as_ref().map(|u| u.resolve(scope)).transpose()?,
            step,
            limit: self.limit,
            restart: restart_key.map(|text| restart(scope, text)).transpose()?,
            wall_clock: self.wall_clock.as_ref().map(wall_clock).transpose()?,
        })
    }
}

fn restart(scope: &Scope, text: &str) -> Result<Restart, Problem> {
    match text {
        "" => Err(Problem::new("the name of the checkpoint is empty")
            .key("restart")
            .help("`latest`, or a file such as results/checkpoint_00001000.h5")),
        "none" => Err(Problem::new("`none` is not the name of a checkpoint")
            .key("restart")
            .help("leave the key out; the run then starts from `initial`")),
        "latest" => Ok(Restart::Latest),
        file => Ok(Restart::File(scope.path_of(file))),
    }
}
