//! `fr-les watch`: the state of a run in the terminal, from the files in its output directory alone.
//!
//! It reads the record of the run and the series, so it works for a run of another machine that shares the directory,
//! and neither disturbs the run nor takes its lock.

use std::fmt::Write as _;
use std::io::{IsTerminal, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use super::print_line;
use crate::format::{duration, number, plain};
use crate::io::{Error, RUN_RECORD, RunRecord, STEADY_FOLDER, Table, list_checkpoints, read_series, seconds_of_utc};
use crate::output::filter_record;
use crate::solver::FilterRecord;

/// Interval between two looks at the files.
const INTERVAL: Duration = Duration::from_secs(2);

/// Series that are shown, in this order, with the ends of the names of the columns that are.
const SERIES: [(&str, &[&str]); 5] = [
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

/// Most columns that are shown of a series.
const MOST_COLUMNS: usize = 10;

/// Width of the row of a column before its trend, and the most values of a trend.
const BEFORE_TREND: usize = 58;
const LONGEST_TREND: usize = 32;

/// What is said of a directory that does not exist.
const NO_DIRECTORY: &str = "this directory does not exist: either the run is queued and will make it, or the name is \
    wrong: name the output directory of the run (`output.directory` of its case), seen from here";

/// Show progress, time left, speed, integrals and forces of a run or a steady solution that is queued, goes on or has
/// ended, from the files in its output directory. In a terminal the view is renewed until the run ends or Ctrl-C is
/// pressed.
#[derive(Debug, clap::Args)]
pub struct WatchArgs {
    /// Output directory of the run
    #[arg(value_name = "DIR")]
    pub run: PathBuf,
    /// Print one view and end
    #[arg(long)]
    pub once: bool,
}

/// Shows the run.
///
/// # Errors
/// The directory is no directory, or the record in it cannot be read. One view of a directory that does not exist is an
/// error too; in a terminal the view waits for it.
pub fn run(args: &WatchArgs) -> Result<(), Error> {
    if args.once || !std::io::stdout().is_terminal() {
        if !args.run.exists() {
            return Err(Error::Input {
                path: args.run.clone(),
                detail: NO_DIRECTORY.to_owned(),
            });
        }
        let view = View::of(&args.run, SystemTime::now(), usize::MAX)?;
        print_line(format_args!("{}", view.text(usize::MAX, usize::MAX).trim_end()));
        return Ok(());
    }
    let stop = Arc::<AtomicBool>::default();
    for signal in [signal_hook::consts::SIGINT, signal_hook::consts::SIGTERM] {
        let _ = signal_hook::flag::register(signal, stop.clone());
    }
    // The alternate screen without a cursor; both come back at the end (ECMA-48 and xterm control sequences).
    show("\x1b[?1049h\x1b[?25l");
    let watched = watch(&args.run, &stop);
    show("\x1b[?25h\x1b[?1049l");
    let last = watched?;
    print_line(format_args!("{}", last.text(usize::MAX, usize::MAX).trim_end()));
    Ok(())
}

/// Renews the view until the run has ended or the user stops it. Returns the last view.
fn watch(directory: &Path, stop: &AtomicBool) -> Result<View, Error> {
    loop {
        // A line that is wrapped would push others out of the window.
        let window = rustix::termios::tcgetwinsize(std::io::stdout());
        let (rows, columns) = window.map_or((24, 80), |size| (usize::from(size.ws_row), usize::from(size.ws_col)));
        let view = View::of(directory, SystemTime::now(), columns)?;
        show(&format!("\x1b[H\x1b[J{}", view.text(rows.saturating_sub(1), columns)));
        if view.ended || stop.load(Ordering::Relaxed) {
            return Ok(view);
        }
        let pieces = INTERVAL.as_millis() / 100;
        for _ in 0..pieces {
            if !stop.load(Ordering::Relaxed) {
                std::thread::sleep(Duration::from_millis(100));
            }
        }
    }
}

fn show(text: &str) {
    let mut out = std::io::stdout();
    let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
}

/// What is shown of a run.
struct View {
    lines: Vec<String>,
    ended: bool,
}

impl View {
    /// Reads the files of a run; `now` is the present time, and the trends fit into so many `columns` of the terminal.
    fn of(directory: &Path, now: SystemTime, columns: usize) -> Result<Self, Error> {
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
        if !has_record(directory) {
            let what = if directory.exists() {
                format!(
                    "nothing was written yet (no {RUN_RECORD}): either the run is being set up, or this is not its \
                     output directory"
                )
            } else {
                NO_DIRECTORY.to_owned()
            };
            let line = format!("{}: {what}", directory.display());
            return Ok(Self {
                lines: vec![line],
                ended: false,
            });
        }
        let record = RunRecord::read(directory)?;
        let series: Vec<(&str, PathBuf, Table)> = SERIES
            .iter()
            .filter_map(|(name, _)| {
                let path = directory.join(format!("{name}.csv"));
                let table = read_series(&path).ok()?;
                (!table.columns.first()?.is_empty()).then_some((*name, path, table))
            })
            .collect();
        let mut lines = vec![heading(&record)];
        let ended = state(&record, &series, now, &mut lines);
        if let Ok(checkpoints) = list_checkpoints(directory)
            && let Some((last, _)) = checkpoints.first()
        {
            let name = last.file_name().unwrap_or_default().to_string_lossy();
            lines.push(format!("checkpoint  {name} (of {})", checkpoints.len()));
        }
        let integrals = series.iter().find(|(name, ..)| *name == "integrals");
        if let Some(done) = integrals.and_then(|(.., table)| filter_record(table))
            && done != FilterRecord::default()
        {
            lines.push(format!("filter      {}", done.of_series()));
        }
        if let Some(part) = record.parts.last()
            && let Some(last) = part.warnings.last()
        {
            lines.push(format!("warnings    {}, the last: {last}", part.warnings.len()));
        }
        for (name, ends) in SERIES {
            let Some((.., table)) = series.iter().find(|(read, ..)| *read == name) else {
                continue;
            };
            let longest = columns.saturating_sub(BEFORE_TREND).clamp(1, LONGEST_TREND);
            let (shown, all) = rows(table, ends, longest);
            let name = format!("{name}: {} of {all}", shown.len());
            lines.push(String::new());
            lines.push(format!("{name:<28} {:>14}  {:<12} trend", "last", "unit"));
            lines.extend(shown);
        }
        Ok(Self { lines, ended })
    }

    /// The text in at most so many lines, cut after so many characters.
    fn text(&self, most: usize, columns: usize) -> String {
        let lines = self.lines.iter().take(most).map(|line| plain(line).replace('\n', " "));
        lines
            .map(|line| line.chars().take(columns).chain(['\n']).collect::<String>())
            .collect()
    }
}

fn heading(record: &RunRecord) -> String {
    let cells: u64 = record.mesh.cells.iter().map(|(_, count)| count).sum();
    let mesh = format!(
        "{cells} cells, p = {}, {} points",
        record.mesh.order, record.mesh.points
    );
    if record.title.is_empty() {
        mesh
    } else {
        format!("{}: {mesh}", record.title)
    }
}

/// Adds the lines of state, progress, speed and time. Returns whether the run has ended.
fn state(record: &RunRecord, series: &[(&str, PathBuf, Table)], now: SystemTime, lines: &mut Vec<String>) -> bool {
    let Some(part) = record.parts.last() else {
        lines.push("the record has no part of a run".to_owned());
        return true;
    };
    let running = part.outcome == "running";
    // Series are written more often than the record.
    let newest = |(_, path, table): &(&str, PathBuf, Table)| {
        let last = |name| table.column(name).and_then(|column| column.last().copied());
        let written = path.metadata().and_then(|file| file.modified()).ok()?;
        // The table of a steady solution has iterations and no times.
        let step = last("step").or_else(|| last("iteration"))?;
        Some((step as u64, last("time").unwrap_or(0.0), written))
    };
    let newest = series.iter().filter_map(newest).max_by_key(|(step, ..)| *step);
    let started = seconds_of_utc(&part.started);
    let mut step = part.last.0;
    let mut time = part.last.1;
    let mut seconds = part.seconds;
    if let (Some((last, at, written)), Some(started), true) = (newest, started, running)
        && last >= step
    {
        (step, time) = (last, at);
        let since = written
            .duration_since(UNIX_EPOCH)
            .map_or(0.0, |since| since.as_secs_f64());
        seconds = (since - started as f64).max(0.0);
    }
    let age = newest.and_then(|(.., written)| now.duration_since(written).ok());
    let age = age.filter(|_| running).map_or_else(String::new, |age| {
        format!(", last row {} ago", duration(age.as_secs_f64()))
    });
    let at = if record.steady {
        format!("iteration {step}")
    } else {
        format!("step {step}, t = {}", number(time))
    };
    // Of an error that has several lines the first names what happened.
    let outcome = part.outcome.lines().next().unwrap_or_default();
    lines.push(format!("state       {outcome} at {at}{age}"));
    lines.push(format!("device      {}, ranks: {}", part.device, part.ranks));

    let share = |step: u64, time: f64| {
        // A run of no steps, or to the time 0, is done.
        let over = |done: f64, all: f64| if all > 0.0 { done / all } else { 1.0 };
        let of_steps = part.last_step.map(|last| over(step as f64, last as f64));
        let of_time = part.end.map(|end| over(time, end));
        of_steps
            .into_iter()
            .chain(of_time)
            .reduce(f64::max)
            .map(|share| share.clamp(0.0, 1.0))
    };
    let earlier: f64 = record.parts[..record.parts.len() - 1]
        .iter()
        .map(|part| part.seconds)
        .sum();
    let mut cost = format!("time        {}", duration(seconds));
    if earlier > 0.0 {
        let _ = write!(cost, ", with the earlier parts {}", duration(earlier + seconds));
    }
    if let (Some(done), Some(first)) = (share(step, time), share(part.first.0, part.first.1)) {
        lines.push(format!("progress    {} {:.1} %", bar(done), 100.0 * done));
        if running && done > first && seconds > 0.0 {
            let left = seconds * (1.0 - done) / (done - first);
            let bound = if record.steady { "at most" } else { "about" };
            let _ = write!(cost, ", {bound} {} left", duration(left));
        }
    }
    lines.push(cost);
    let steps = step.saturating_sub(part.first.0) as f64;
    if seconds > 0.0 && steps > 0.0 {
        let evaluations = steps * part.stages * record.mesh.points as f64;
        lines.push(format!(
            "speed       {} steps/s, {} GDOF/s since the start of the program",
            number(steps / seconds),
            number(evaluations / seconds * 1e-9)
        ));
    }
    !running
}

/// A bar of the completed share.
fn bar(done: f64) -> String {
    const WIDTH: usize = 40;
    let full = (done * WIDTH as f64).round() as usize;
    format!("[{}{}]", "#".repeat(full), ".".repeat(WIDTH - full))
}

/// Lines with the last values of the columns with such names and the course of their last rows, and the number of all
/// columns.
fn rows(table: &Table, ends: &[&str], longest: usize) -> (Vec<String>, usize) {
    let columns = table.names.iter().zip(&table.units).zip(&table.columns);
    let values = columns.filter(|((name, _), _)| !["step", "time", "iteration"].contains(&name.as_str()));
    let all = values.clone().count();
    // A filter that the run does not have, or that did nothing, has no course.
    let idle = |name: &str, values: &[f64]| name == "filtered_cells" && values.iter().all(|share| *share == 0.0);
    let shown = values.filter(|((name, _), values)| ends.iter().any(|end| name.ends_with(end)) && !idle(name, values));
    let rows = shown.take(MOST_COLUMNS).map(|((name, unit), values)| {
        let last = values.last().copied().unwrap_or(f64::NAN);
        format!(
            "{name:<28} {:>14}  {unit:<12} {}",
            format!("{last:.6e}"),
            trend(values, longest)
        )
    });
    (rows.collect(), all)
}

/// The course of the last values, at most `longest`, between their least and their greatest one.
fn trend(values: &[f64], longest: usize) -> String {
    const LEVELS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
    let values = &values[values.len().saturating_sub(longest)..];
    let low = values.iter().copied().fold(f64::INFINITY, f64::min);
    let high = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let level = |value: &f64| match (value.is_finite(), high > low) {
        (false, _) => '?',
        (_, false) => LEVELS[0],
        _ => LEVELS[(((value - low) / (high - low)) * 7.0).round() as usize],
    };
    values.iter().map(level).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trends_span_their_range() {
        assert_eq!(trend(&[0.0, 1.0, 2.0, 7.0], 32), "▁▂▃█");
        assert_eq!(trend(&[3.0, 3.0], 32), "▁▁");
        assert_eq!(trend(&[0.0, f64::NAN, 1.0], 32), "▁?█");
        assert_eq!(trend(&[9.0, 0.0, 7.0], 2), "▁█", "the last values");
        assert_eq!(trend(&[1.0; 100], 32).chars().count(), 32);
        assert_eq!(trend(&[], 32), "");
    }

    #[test]
    fn a_view_is_cut_to_the_window() {
        let lines = ["états", "second", "third"].map(str::to_owned).to_vec();
        let view = View { lines, ended: false };
        assert_eq!(view.text(2, 4), "état\nseco\n");
        assert_eq!(view.text(usize::MAX, usize::MAX), "états\nsecond\nthird\n");
        let lines = vec!["a title\u{1b}]0;x\u{7}\nstate       done".to_owned()];
        let view = View { lines, ended: false };
        assert_eq!(
            view.text(1, usize::MAX),
            "a title<U+001B>]0;x<U+0007> state       done\n"
        );
    }
}
