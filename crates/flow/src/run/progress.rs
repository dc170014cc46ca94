//! The progress of a run: a bar in a terminal, and a line from time to time in a file.

use std::io::IsTerminal;
use std::time::{Duration, Instant};

use crate::format::physical_time;
use indicatif::{HumanDuration, ProgressBar, ProgressStyle};

/// Interval between two lines if the output is not a terminal.
const LINE_INTERVAL: Duration = Duration::from_secs(10);

/// The display of step, time, dt, speed and remaining time.
pub struct Progress {
    bar: Option<ProgressBar>,
    begin: Instant,
    last_line: Instant,
    evaluations_per_step: f64,
    /// Step at the start of the program.
    first_step: u64,
    /// Completed fraction of the run then.
    first_done: f64,
}

impl Progress {
    /// Returns the display of a run on `points` solution points, whose steps take so many right-hand sides. The run
    /// begins at the given step and completed fraction.
    pub fn new(points: usize, evaluations: f64, step: u64, done: f64) -> Self {
        let bar = (std::io::stderr().is_terminal() && tracing::enabled!(tracing::Level::INFO)).then(|| {
            let style = ProgressStyle::with_template("{bar:28.cyan/blue} {percent:>3}% {msg}")
                .unwrap_or_else(|_| ProgressStyle::default_bar());
            ProgressBar::new(1_000_000).with_style(style)
        });
        let now = Instant::now();
        Progress {
            bar,
            begin: now,
            last_line: now,
            evaluations_per_step: evaluations * points as f64,
            first_step: step,
            first_done: done,
        }
    }

    /// Updates the display after a step. `done` is the completed fraction of the run.
    pub fn update(&mut self, step: u64, time: f64, dt: f64, done: f64) {
        if self.bar.is_none() && self.last_line.elapsed() < LINE_INTERVAL {
            return;
        }
        let elapsed = self.begin.elapsed().as_secs_f64();
        let since = done - self.first_done;
        let left = if since > 0.0 {
            elapsed * (1.0 - done) / since
        } else {
            0.0
        };
        let text = format!(
            "step {step}  t {}  dt {dt:.3e}  {:.4} GDOF/s  {:#} left",
            physical_time(time),
            self.speed(step),
            HumanDuration(Duration::from_secs_f64(left.clamp(0.0, 1e9)))
        );
        match &self.bar {
            Some(bar) => {
                bar.set_position((done.clamp(0.0, 1.0) * 1e6) as u64);
                bar.set_message(text);
            }
            None => {
                self.last_line = Instant::now();
                tracing::info!("{:5.1} %  {text}", 100.0 * done);
            }
        }
    }

    /// Returns solution points times right-hand sides per second, in 1e9, since the run began.
    pub fn speed(&self, step: u64) -> f64 {
        self.evaluations(step) / self.begin.elapsed().as_secs_f64() / 1e9
    }

    /// Returns solution points times right-hand sides since the run began.
    pub fn evaluations(&self, step: u64) -> f64 {
        self.evaluations_per_step * (step - self.first_step) as f64
    }

    /// Returns the seconds since the run began.
    pub fn elapsed(&self) -> f64 {
        self.begin.elapsed().as_secs_f64()
    }

    /// Prints a line without disturbing the bar.
    pub fn say(&self, line: impl FnOnce()) {
        match &self.bar {
            Some(bar) => bar.suspend(line),
            None => line(),
        }
    }

    /// Removes the bar.
    pub fn finish(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}
