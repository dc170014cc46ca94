//! The log of a process: its lines on standard output, or on standard error where that has the result of a command as
//! JSON, and a copy of its warnings, which the record of a run keeps for those who did not see the log. A command whose
//! result is shorter than the log of its work holds the lines back, and shows the warnings behind its result.

use std::fmt::{Debug, Write};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use tracing::field::{Field, Visit};
use tracing::{Event, Level, Subscriber};
use tracing_subscriber::filter::{FilterExt, LevelFilter, dynamic_filter_fn};
use tracing_subscriber::fmt::writer::BoxMakeWriter;
use tracing_subscriber::layer::{Context, Layer, SubscriberExt};
use tracing_subscriber::util::SubscriberInitExt;
use tracing_subscriber::{EnvFilter, fmt};

use crate::format::plain;

/// Most warnings that are kept. A run that has more repeats itself.
const MOST_WARNINGS: usize = 100;

static WARNINGS: Mutex<Vec<String>> = Mutex::new(Vec::new());

/// Whether lines are held back.
static HELD: AtomicBool = AtomicBool::new(false);

/// Where the lines of the log go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stream {
    /// Standard output.
    Output,
    /// Standard error.
    Error,
}

/// Starts the log with a filter in the syntax of `RUST_LOG`, with colours or without.
pub fn start(filter: String, stream: Stream, colours: bool) {
    let writer = match stream {
        Stream::Output => BoxMakeWriter::new(std::io::stdout),
        Stream::Error => BoxMakeWriter::new(std::io::stderr),
    };
    let lines = fmt::layer()
        .with_writer(writer)
        .log_internal_errors(false)
        .with_target(false)
        .without_time()
        .with_ansi(colours)
        .fmt_fields(fmt::format::debug_fn(|writer, field, value| {
            write_field(writer, field, value)
        }))
        .with_filter(EnvFilter::new(filter).and(dynamic_filter_fn(|_, _| !HELD.load(Ordering::Relaxed))));
    tracing_subscriber::registry()
        .with(lines)
        .with(Warnings.with_filter(LevelFilter::WARN))
        .init();
}

/// The clock of a piece of work: it logs at debug level how long its parts take, and the most memory that the process
/// has held so far.
pub struct Watch {
    work: &'static str,
    last: Instant,
}

impl Watch {
    /// Starts the clock.
    pub fn start(work: &'static str) -> Self {
        Watch {
            work,
            last: Instant::now(),
        }
    }

    /// Logs the time since the last part ended.
    pub fn ended(&mut self, part: &str) {
        let now = Instant::now();
        let seconds = now.duration_since(self.last).as_secs_f64();
        let held = most_memory().map_or(String::new(), |bytes| {
            format!(", at most {:.3} GB held so far", bytes / 1e9)
        });
        tracing::debug!("{}: {part} {seconds:.3} s{held}", self.work);
        self.last = now;
    }
}

/// Returns the most bytes of memory that this process has held, if the system reports them.
fn most_memory() -> Option<f64> {
    let text = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = text.lines().find(|line| line.starts_with("VmHWM:"))?;
    let kilobytes: f64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kilobytes * 1024.0)
}

/// Holds all lines back, until [`release`]. Warnings are kept.
pub fn hold() {
    HELD.store(true, Ordering::Relaxed);
}

/// Shows the lines of the log again. Those that were held are lost; [`warnings`] has the warnings among them.
pub fn release() {
    HELD.store(false, Ordering::Relaxed);
}

/// Returns the warnings of this process so far, each once.
pub fn warnings() -> Vec<String> {
    WARNINGS.lock().map(|kept| kept.clone()).unwrap_or_default()
}

/// Keeps the messages of warnings.
struct Warnings;

impl<S: Subscriber> Layer<S> for Warnings {
    fn on_event(&self, event: &Event, _: Context<S>) {
        if *event.metadata().level() != Level::WARN {
            return;
        }
        let mut message = Message(String::new());
        event.record(&mut message);
        if let Ok(mut kept) = WARNINGS.lock()
            && kept.len() < MOST_WARNINGS
            && !kept.contains(&message.0)
        {
            kept.push(message.0);
        }
    }
}

/// The text of an event with its fields.
struct Message(String);

impl Visit for Message {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        let _ = write_field(&mut self.0, field, value);
    }
}

/// Writes a field of an event, without characters that steer a terminal.
fn write_field(out: &mut impl Write, field: &Field, value: &dyn Debug) -> std::fmt::Result {
    let text = format!("{value:?}");
    match field.name() {
        "message" => write!(out, "{}", plain(&text)),
        name => write!(out, " {name}={}", plain(&text)),
    }
}
