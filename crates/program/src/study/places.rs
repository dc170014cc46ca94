//! Where the designs of a study run: places on this machine, or jobs of a batch system.

use std::path::Path;
use std::time::Duration;

use crate::input::{Problem, Scope, check};
use crate::io;

use super::keys::{RunKeys, Where};

/// Characters that have a meaning in the names of Slurm's logs, and no quotation takes it from them.
const PATTERNS: [char; 2] = ['%', '\\'];

/// Most runs at the same time, and most threads of one.
const MOST_WORKERS: f64 = 1024.0;

/// The runs that go on at the same time.
#[derive(Debug, Clone, PartialEq)]
pub struct Workers {
    /// Threads of each run.
    pub threads: usize,
    /// The GPU of each run, if it has one.
    pub gpus: Vec<Option<usize>>,
    /// Longest time of a design.
    pub limit: Option<Duration>,
}

/// The jobs of a batch system.
#[derive(Debug, Clone, PartialEq)]
pub struct Batch {
    /// Options and commands at the head of each job.
    pub template: String,
    /// Most jobs at the same time.
    pub concurrent: Option<usize>,
}

impl Batch {
    /// Evaluates and checks the keys of runs. Returns `None` if the designs run on this machine.
    ///
    /// # Errors
    /// A value is wrong, or the template cannot be read.
    pub(super) fn resolve(keys: &RunKeys, scope: &Scope, directory: &Path) -> Result<Option<Self>, Problem> {
        let given = [
            ("template", keys.template.is_some()),
            ("concurrent", keys.concurrent.is_some()),
        ];
        let local = [
            ("workers", keys.workers.is_some()),
            ("threads", keys.threads.is_some()),
            ("gpus", keys.gpus.is_some()),
            ("time-limit", keys.time_limit.is_some()),
        ];
        let (foreign, other) = match keys.r#where {
            Where::Local => (&given[..], "slurm"),
            Where::Slurm => (&local[..], "local"),
        };
        if let Some((key, _)) = foreign.iter().find(|(_, given)| *given) {
            let problem = Problem::new(format!("`{key}` does not belong to runs at this place"));
            return Err(problem
                .key(format!("run.{key}"))
                .help(format!("it belongs to `where: {other}`")));
        }
        if keys.r#where == Where::Local {
            return Ok(None);
        }
        let template = keys.template.as_ref().map(|file| {
            let path = directory.join(file);
            io::read_input_text(&path).map_err(|e| Problem::new(e.to_string()).key("run.template"))
        });
        let concurrent = keys
            .concurrent
            .as_ref()
            .map(|count| scope.count("run.concurrent", count));
        Ok(Some(Batch {
            template: template.transpose()?.unwrap_or_default(),
            concurrent: concurrent.transpose()?.map(|count| count as usize),
        }))
    }
}

impl Batch {
    /// Refuses a directory of the study that cannot be named in a script of Slurm.
    ///
    /// # Errors
    /// It has a character that Slurm replaces.
    pub(super) fn refuse(directory: &str) -> Result<(), Problem> {
        match directory.chars().find(|c| PATTERNS.contains(c)) {
            None => Ok(()),
            Some(c) => Err(Problem::new(format!(
                "`output` has the character `{c}`, which Slurm replaces in names"
            ))
            .key("output")
            .help("name another directory")),
        }
    }
}

impl Workers {
    /// Evaluates and checks the keys of runs.
    ///
    /// # Errors
    /// A value is wrong.
    pub(super) fn resolve(keys: &RunKeys, scope: &Scope) -> Result<Self, Problem> {
        let count = |key: &str, count: &Option<_>| {
            let key = format!("run.{key}");
            let number = |count| {
                let number = scope.count(&key, count)?;
                check(&key, number as f64, number as f64 <= MOST_WORKERS, "from 1 to 1024")?;
                Ok(number as usize)
            };
            count.as_ref().map(number).transpose()
        };
        let (workers, per_gpu) = (count("workers", &keys.workers)?, count("per-gpu", &keys.per_gpu)?);
        let gpus = match (&keys.gpus, workers) {
            (Some(_), Some(_)) => {
                let problem = Problem::new("`workers` and `gpus` exclude each other").key("run.workers");
                return Err(problem.help("with GPUs there are `per-gpu` runs on each"));
            }
            (Some(gpus), None) => {
                let number = |(i, gpu): (usize, &_)| {
                    let key = format!("run.gpus[{i}]");
                    let number = scope.number(&key, gpu)?;
                    let good = (0.0..MOST_WORKERS).contains(&number) && number.fract() == 0.0;
                    check(&key, number, good, "the number of a GPU, from 0 on").map(|number| Some(number as usize))
                };
                let gpus: Vec<_> = gpus.iter().enumerate().map(number).collect::<Result<_, _>>()?;
                if gpus.is_empty() {
                    return Err(Problem::new("there are no GPUs").key("run.gpus"));
                }
                gpus.iter().flat_map(|gpu| vec![*gpu; per_gpu.unwrap_or(1)]).collect()
            }
            (None, _) if per_gpu.is_some() => {
                return Err(Problem::new("`per-gpu` needs `gpus`").key("run.per-gpu"));
            }
            (None, workers) => vec![None; workers.unwrap_or(1)],
        };
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let limit = |limit| scope.clock_time("run.time-limit", limit);
        Ok(Workers {
            limit: keys.time_limit.as_ref().map(limit).transpose()?,
            threads: count("threads", &keys.threads)?.unwrap_or((cores / gpus.len()).max(1)),
            gpus,
        })
    }
}
