//! `fr-les watch`: the state of a run in the terminal, from the files in its output directory alone.
//!
//! It reads the record of the run and the series, so it works for a run of another machine that shares the directory,
//! and neither disturbs the run nor takes its lock.

use std::fmt::Write as _;
use std::io::{IsTerminal, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, SystemTime};

use super::json::{Form, print_json};
use super::print_line;
use crate::format::{duration, number, plain};
use crate::io::{Error, KILLED, Table};

mod facts;

use facts::{Checkpoints, Facts, NO_DIRECTORY, RunFacts, SERIES, Speed};

/// Interval between two looks at the files.
const INTERVAL: Duration = Duration::from_secs(2);

/// Most columns that are shown of a series.
const MOST_COLUMNS: usize = 10;

/// Width of the row of a column before its trend, and the most values of a trend.
const BEFORE_TREND: usize = 58;
const LONGEST_TREND: usize = 32;

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
    /// With --once, print one JSON object (docs/reference/json.md)
    #[arg(long, requires = "once")]
    pub json: bool,
}

impl WatchArgs {
    /// Returns the form of the result.
    pub fn form(&self) -> Form {
        if self.json { Form::Json } else { Form::Text }
    }
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
        let facts = Facts::of(&args.run, SystemTime::now())?;
        match args.form() {
            Form::Text => {
                let view = View::of(&facts, usize::MAX);
                print_line(format_args!("{}", view.text(usize::MAX, usize::MAX).trim_end()));
            }
            Form::Json => print_json("watch", &facts),
        }
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
        let view = View::of(&Facts::of(directory, SystemTime::now())?, columns);
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
    /// Returns the view of what is known of a run; the trends fit into so many `columns` of the terminal.
    fn of(facts: &Facts, columns: usize) -> Self {
        let ended = facts.ended();
        let Some(run) = &facts.run else {
            let why = facts.nothing.as_deref().unwrap_or_default();
            let lines = vec![format!("{}: {why}", facts.directory.display())];
            return Self { lines, ended };
        };
        let mut lines = vec![heading(run)];
        state(run, &mut lines);
        if let Some(Checkpoints { newest, count }) = &facts.checkpoints {
            lines.push(format!("checkpoint  {newest} (of {count})"));
        }
        if let Some(done) = &facts.filter {
            lines.push(format!("filter      {done}"));
        }
        if let Some(last) = facts.warnings.last() {
            lines.push(format!("warnings    {}, the last: {last}", facts.warnings.len()));
        }
        for (name, ends) in SERIES {
            let Some(series) = facts.series.iter().find(|series| series.name == name) else {
                continue;
            };
            let longest = columns.saturating_sub(BEFORE_TREND).clamp(1, LONGEST_TREND);
            let (shown, all) = rows(&series.table, ends, longest);
            let name = format!("{name}: {} of {all}", shown.len());
            lines.push(String::new());
            lines.push(format!("{name:<28} {:>14}  {:<12} trend", "last", "unit"));
            lines.extend(shown);
        }
        Self { lines, ended }
    }

    /// The text in at most so many lines, cut after so many characters.
    fn text(&self, most: usize, columns: usize) -> String {
        let lines = self.lines.iter().take(most).map(|line| plain(line).replace('\n', " "));
        lines
            .map(|line| line.chars().take(columns).chain(['\n']).collect::<String>())
            .collect()
    }
}

fn heading(run: &RunFacts) -> String {
    let mesh = format!("{} cells, p = {}, {} points", run.cells, run.order, run.points);
    if run.title.is_empty() {
        mesh
    } else {
        format!("{}: {mesh}", run.title)
    }
}

/// Adds the lines of state, progress, speed and time.
fn state(run: &RunFacts, lines: &mut Vec<String>) {
    let Some(state) = &run.state else {
        lines.push("the record has no part of a run".to_owned());
        return;
    };
    let age = run.last_row.as_ref();
    let age = age.map_or_else(String::new, |age| format!(", last row {} ago", duration(age.value)));
    let at = if run.steady {
        format!("iteration {}", run.step)
    } else {
        format!("step {}, t = {}", run.step, number(run.time.value))
    };
    // Of an error that has several lines the first names what happened.
    let state = state.lines().next().unwrap_or_default();
    // The error names its step, which is not that of the record.
    lines.push(if state.starts_with("failed") {
        format!("state       {state}")
    } else {
        format!("state       {state} at {at}{age}")
    });
    if state == KILLED {
        lines.push(
            "            it ended without a word: no process holds the lock of the directory (a run whose machine \
             shares no locks with this one may go on)"
                .to_owned(),
        );
    }
    lines.push(format!("device      {}, ranks: {}", run.device, run.ranks));
    let seconds = run.wall_clock.value;
    let earlier = run.wall_clock_of_earlier_parts.value;
    let mut cost = format!("time        {}", duration(seconds));
    if earlier > 0.0 {
        let _ = write!(cost, ", with the earlier parts {}", duration(earlier + seconds));
    }
    if let Some(done) = run.done {
        lines.push(format!("progress    {} {:.1} %", bar(done), 100.0 * done));
    }
    if let Some(left) = &run.left {
        let bound = if run.steady { "at most" } else { "about" };
        let _ = write!(cost, ", {bound} {} left", duration(left.value));
    }
    lines.push(cost);
    if let Some(Speed { steps, evaluations }) = &run.speed {
        lines.push(format!(
            "speed       {} steps/s, {} GDOF/s since the start of the program",
            number(steps.value),
            number(evaluations.value * 1e-9)
        ));
    }
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

/// The course of the last values, at most `longest`, between their least and their greatest one. What changes by less
/// than a millionth, as a mass by round-off in single precision, has no course.
fn trend(values: &[f64], longest: usize) -> String {
    const LEVELS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
    let values = &values[values.len().saturating_sub(longest)..];
    let low = values.iter().copied().fold(f64::INFINITY, f64::min);
    let high = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let changes = high - low > 1e-6 * high.abs().max(low.abs());
    let level = |value: &f64| match (value.is_finite(), changes) {
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
        assert_eq!(trend(&[-3.0, -3.0000001, -2.9999999], 32), "▁▁▁", "round-off");
        assert_eq!(trend(&[1.0, 1.00001], 32), "▁█");
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
