//! What is known of a run from the files in its output directory: state, progress, cost and last values. The view in
//! the terminal and `--json` both show these facts.

use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use serde::Serialize;

use crate::io::{
    Error, KILLED, Quantity, RUN_RECORD, RUNNING, RunRecord, STEADY_FOLDER, Table, list_checkpoints, read_series,
    seconds_of_utc,
};
use crate::report::filter_in_words;

/// Series that are shown, in this order, with the ends of the names of the columns that are.
pub const SERIES: [(&str, &[&str]); 5] = [
    (
        "convergence",
        &[
            "cfl", "density", "momentum", "energy", "nu-tilde", "k", "omega", "_x", "_y",
        ],
    ),
    (
        "integrals",
        &[
            "dt",
            "kinetic_energy",
            "enstrophy",
            "dissipation_viscous",
            "mass",
            "density_min",
            "pressure_min",
            "mach_max",
            "filtered_cells",
        ],
    ),
    ("coefficients", &["_drag", "_lift", "_y_plus_max"]),
    ("boundaries", &["_mass_flux", "_pressure"]),
    ("forcing", &[""]),
];

/// What is said of a directory that does not exist.
pub const NO_DIRECTORY: &str = "this directory does not exist: either the run is queued and will make it, or the name \
    is wrong: name the output directory of the run (`output.directory` of its case), seen from here";

/// What is known of a run.
#[derive(Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Facts {
    /// The folder with the record: the output directory, or that of a steady solution in it.
    pub directory: PathBuf,
    /// Why nothing is known, if the run has written nothing yet.
    pub nothing: Option<String>,
    /// The run, as soon as it has a record with a part.
    pub run: Option<RunFacts>,
    /// Name of the newest checkpoint, and the number of all.
    pub checkpoints: Option<Checkpoints>,
    /// What the filter of the states did, in words, if it did anything.
    pub filter: Option<String>,
    /// Warnings of the log of the last part.
    pub warnings: Vec<String>,
    /// The tables that are shown.
    pub series: Vec<SeriesFacts>,
}

/// What the record and the last rows tell.
#[derive(Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct RunFacts {
    pub title: String,
    pub steady: bool,
    pub cells: u64,
    pub order: usize,
    pub points: u64,
    /// `running`, `finished`, `interrupted`, `killed` if it ended without a word, or how it failed; `None` if the
    /// record has no part.
    pub state: Option<String>,
    pub step: u64,
    pub time: Quantity,
    /// Age of the last row of a run that goes on or was killed.
    pub last_row: Option<Quantity>,
    pub device: String,
    pub ranks: usize,
    /// Wall-clock time of this part, and of the earlier ones.
    pub wall_clock: Quantity,
    pub wall_clock_of_earlier_parts: Quantity,
    /// Share of the run that is done, if it has an end.
    pub done: Option<f64>,
    /// Wall-clock time until the end, if it can be told; at most that of a steady solution.
    pub left: Option<Quantity>,
    pub speed: Option<Speed>,
}

/// The speed since the start of the program.
#[derive(Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Speed {
    pub steps: Quantity,
    /// Points times right-hand sides.
    pub evaluations: Quantity,
}

/// The checkpoints of a run.
#[derive(Debug, Serialize)]
pub struct Checkpoints {
    pub newest: String,
    pub count: usize,
}

/// The last row of a table, and the table itself for its trends.
#[derive(Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct SeriesFacts {
    pub name: &'static str,
    pub last: Vec<Column>,
    #[serde(skip)]
    pub table: Table,
}

/// A column and its last value.
#[derive(Debug, Serialize)]
pub struct Column {
    pub name: String,
    #[serde(flatten)]
    pub quantity: Quantity,
}

/// A table and when it was written last.
struct Written {
    step: u64,
    time: f64,
    at: SystemTime,
}

impl Facts {
    /// Reads the files of a run; `now` is the present time.
    ///
    /// # Errors
    /// The directory is no directory, or the record in it cannot be read.
    pub fn of(directory: &Path, now: SystemTime) -> Result<Self, Error> {
        if directory.exists() && !directory.is_dir() {
            return Err(Error::Input {
                path: directory.to_path_buf(),
                detail: "this is no directory: name the output directory of a run".to_owned(),
            });
        }
        let steady = directory.join(STEADY_FOLDER);
        let has_record = |of: &Path| of.join(RUN_RECORD).exists();
        let directory = if !has_record(directory) && has_record(&steady) {
            &steady
        } else {
            directory
        };
        let mut facts = Facts {
            directory: directory.to_path_buf(),
            nothing: None,
            run: None,
            checkpoints: None,
            filter: None,
            warnings: Vec::new(),
            series: Vec::new(),
        };
        if !has_record(directory) {
            let unwritten = format!(
                "nothing was written yet (no {RUN_RECORD}): either the run is being set up, or this is not its output \
                 directory"
            );
            facts.nothing = Some(if directory.exists() {
                unwritten
            } else {
                NO_DIRECTORY.to_owned()
            });
            return Ok(facts);
        }
        let record = RunRecord::read_beside_lock(directory)?;
        let mut newest: Option<Written> = None;
        for (name, _) in SERIES {
            let path = directory.join(format!("{name}.csv"));
            let Ok(table) = read_series(&path) else { continue };
            if table.columns.first().is_none_or(Vec::is_empty) {
                continue;
            }
            if let Some(written) = Written::of(&path, &table)
                && newest.as_ref().is_none_or(|newest| written.step >= newest.step)
            {
                newest = Some(written);
            }
            facts.series.push(SeriesFacts::of(name, table));
        }
        if let Ok(checkpoints) = list_checkpoints(directory)
            && let Some((last, _)) = checkpoints.first()
        {
            facts.checkpoints = Some(Checkpoints {
                newest: last.file_name().unwrap_or_default().to_string_lossy().into_owned(),
                count: checkpoints.len(),
            });
        }
        let integrals = facts.series.iter().find(|series| series.name == "integrals");
        facts.filter = filter_in_words(&record, integrals.map(|series| &series.table));
        facts.warnings = record.parts.last().map_or_else(Vec::new, |part| part.warnings.clone());
        facts.run = Some(RunFacts::of(&record, newest, now));
        Ok(facts)
    }

    /// Returns whether the run has ended.
    pub fn ended(&self) -> bool {
        self.run
            .as_ref()
            .is_some_and(|run| run.state.as_deref() != Some(RUNNING))
    }
}

impl Written {
    /// The last row of a table.
    fn of(path: &Path, table: &Table) -> Option<Self> {
        let last = |name| table.column(name).and_then(|column| column.last().copied());
        let at = path.metadata().and_then(|file| file.modified()).ok()?;
        // The table of a steady solution has iterations and no times.
        let step = last("step").or_else(|| last("iteration"))? as u64;
        let time = last("time").unwrap_or(0.0);
        Some(Written { step, time, at })
    }
}

impl SeriesFacts {
    fn of(name: &'static str, table: Table) -> Self {
        let columns = table.names.iter().zip(&table.units).zip(&table.columns);
        let last = columns.map(|((name, unit), values)| Column {
            name: name.clone(),
            quantity: Quantity::new(values.last().copied().unwrap_or(f64::NAN), unit.clone()),
        });
        SeriesFacts {
            name,
            last: last.collect(),
            table,
        }
    }
}

impl RunFacts {
    fn of(record: &RunRecord, newest: Option<Written>, now: SystemTime) -> Self {
        let seconds = |time: f64| Quantity::new(time, "s");
        let mut facts = RunFacts {
            title: record.title.clone(),
            steady: record.steady,
            cells: record.mesh.cells.iter().map(|(_, count)| count).sum(),
            order: record.mesh.order,
            points: record.mesh.points,
            state: None,
            step: 0,
            time: seconds(0.0),
            last_row: None,
            device: String::new(),
            ranks: 0,
            wall_clock: seconds(0.0),
            wall_clock_of_earlier_parts: seconds(0.0),
            done: None,
            left: None,
            speed: None,
        };
        let Some((part, earlier)) = record.parts.split_last() else {
            return facts;
        };
        let running = part.outcome == RUNNING;
        facts.state = Some(part.outcome.clone());
        facts.device.clone_from(&part.device);
        facts.ranks = part.ranks;
        (facts.step, facts.time.value) = part.last;
        facts.wall_clock.value = part.seconds;
        facts.wall_clock_of_earlier_parts.value = earlier.iter().map(|part| part.seconds).sum();
        // Series are written more often than the record.
        if let (Some(newest), true) = (&newest, running || part.outcome == KILLED) {
            // A row may have been written since the look began.
            let age = now.duration_since(newest.at).unwrap_or_default();
            facts.last_row = Some(seconds(age.as_secs_f64()));
            let since = newest.at.duration_since(UNIX_EPOCH);
            let since = since.map_or(0.0, |since| since.as_secs_f64());
            if let Some(started) = seconds_of_utc(&part.started).filter(|_| newest.step >= facts.step) {
                (facts.step, facts.time.value) = (newest.step, newest.time);
                facts.wall_clock.value = (since - started as f64).max(0.0);
            }
        }
        let share = |step: u64, time: f64| {
            // A run of no steps, or to the time 0, is done.
            let over = |done: f64, all: f64| if all > 0.0 { done / all } else { 1.0 };
            let of_steps = part.last_step.map(|last| over(step as f64, last as f64));
            let of_time = part.end.map(|end| over(time, end));
            let share = of_steps.into_iter().chain(of_time).reduce(f64::max);
            share.map(|share| share.clamp(0.0, 1.0))
        };
        let wall_clock = facts.wall_clock.value;
        facts.done = share(facts.step, facts.time.value);
        if let (Some(done), Some(first)) = (facts.done, share(part.first.0, part.first.1))
            && running
            && done > first
            && wall_clock > 0.0
        {
            facts.left = Some(seconds(wall_clock * (1.0 - done) / (done - first)));
        }
        let steps = facts.step.saturating_sub(part.first.0) as f64;
        if wall_clock > 0.0 && steps > 0.0 {
            let evaluations = steps * part.stages * record.mesh.points as f64;
            facts.speed = Some(Speed {
                steps: Quantity::new(steps / wall_clock, "1/s"),
                evaluations: Quantity::new(evaluations / wall_clock, "1/s"),
            });
        }
        facts
    }
}
