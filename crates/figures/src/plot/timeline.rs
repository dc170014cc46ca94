//! Timelines: the spans of each queue of each rank during a time step, or a part of one, as `fr-les bench --timeline`
//! writes them and `fr-les plot` draws them. They answer one question: how much of the transfers between ranks do
//! kernels hide? [`hidden_share`] gives the number.

use super::error::Error;
use crate::halo::times;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::path::Path;

mod figure;

pub use figure::figure;

/// Name of a span in which a queue only waits. It neither hides a transfer nor is one.
pub const WAIT: &str = "wait";

/// The file: one key, which distinguishes it from results of the benchmark.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TimelineFile {
    /// What the file holds.
    pub timeline: Timeline,
}

/// The spans of all ranks.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Timeline {
    /// Description of the measurement; it is shown above the figure.
    pub title: String,
    /// The ranks in the order in which they are drawn.
    pub ranks: Vec<RankTimeline>,
}

/// The spans of one rank.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RankTimeline {
    /// Number of the rank.
    pub rank: usize,
    /// Spans of its queues, in any order. Queues are drawn from the top in the order of their first span.
    pub spans: Vec<Span>,
}

/// An interval during which a queue did one kind of work.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Span {
    /// The queue: one of kernels, by its name ([`times::is_kernels`]), or one of transfers.
    pub queue: String,
    /// Kind of work: [`WAIT`], or anything else.
    pub what: String,
    /// Begin, in seconds on a clock that all ranks share. The figure counts from the first span.
    pub begin: f64,
    /// End, in seconds.
    pub end: f64,
}

impl Timeline {
    /// Returns the problem of the timeline, if it has one.
    fn check(&self) -> Result<(), String> {
        if self.ranks.is_empty() {
            return Err("timeline: `ranks` is empty; it needs one or more".into());
        }
        for RankTimeline { rank, spans } in &self.ranks {
            if spans.is_empty() {
                return Err(format!("timeline: rank {rank} has no spans; it needs one or more"));
            }
            for (index, span) in spans.iter().enumerate() {
                let Span {
                    queue,
                    what,
                    begin,
                    end,
                } = span;
                if end < begin {
                    return Err(format!(
                        "timeline: rank {rank}, span {} ({queue}: {what}) ends at {end} s, before it begins \
                         at {begin} s",
                        index + 1
                    ));
                }
            }
        }
        Ok(())
    }
}

/// Reads the timeline in the JSON file at `path`; `None` if the file holds something else.
///
/// # Errors
/// The file cannot be read, is no JSON, or holds a wrong timeline.
pub fn read(path: &Path) -> Result<Option<Timeline>, Error> {
    let text = super::error::read_text(path)?;
    let wrong = |detail: String| Error::Json {
        path: path.into(),
        detail,
    };
    let json: Value = serde_json::from_str(&text).map_err(|e| wrong(format!("not JSON: {e}")))?;
    if json.get("timeline").is_none() {
        return Ok(None);
    }
    // From the text again, so that an error names its line.
    let file: TimelineFile = serde_json::from_str(&text).map_err(|e| wrong(format!("timeline: {e}")))?;
    file.timeline.check().map_err(wrong)?;
    Ok(Some(file.timeline))
}

/// Returns the fraction of the time covered by transfers, in any queue, during which kernels run too; `None` if nothing
/// is transferred. Time that several transfers share counts once.
pub fn hidden_share(spans: &[Span]) -> Option<f64> {
    let covered = |kernels: bool| {
        let chosen = spans
            .iter()
            .filter(|span| span.what != WAIT && times::is_kernels(&span.queue) == kernels);
        times::union(chosen.map(|span| (span.begin, span.end)).collect())
    };
    let (kernels, transfers) = (covered(true), covered(false));
    let whole = times::length(&transfers);
    (whole > 0.0).then(|| times::intersection(&transfers, &kernels) / whole)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn share(spans: &[(&str, &str, f64, f64)]) -> Option<f64> {
        let span = |&(queue, what, begin, end): &(&str, &str, f64, f64)| Span {
            queue: queue.into(),
            what: what.into(),
            begin,
            end,
        };
        hidden_share(&spans.iter().map(span).collect::<Vec<_>>())
    }

    #[test]
    fn the_hidden_share_counts_time_once_however_many_spans_cover_it() {
        let spans = [
            ("network", "states", 6.0, 10.0),
            ("kernels", "pack", 0.0, 1.0),
            ("kernels", "sweep 1, interior", 1.0, 4.0),
            // Within another one, and beyond it.
            ("kernels", "sweep 1, frontier", 2.0, 3.0),
            ("kernels", "sweep 2, interior", 7.0, 8.0),
            ("device to host", "states", 2.0, 5.0),
            ("network", "states", 3.0, 5.5),
        ];
        // Transfers from 2 to 5.5 and from 6 to 10, kernels meanwhile from 2 to 4 and from 7 to 8.
        assert_eq!(share(&spans), Some(3.0 / 7.5));
    }

    #[test]
    fn transfers_are_hidden_wholly_or_not_at_all_or_not_there() {
        let kernel = ("kernels", "sweep 1, interior", 1.0, 4.0);
        assert_eq!(share(&[kernel, ("network", "states", 1.0, 4.0)]), Some(1.0));
        assert_eq!(share(&[kernel, ("network", "states", 4.0, 5.0)]), Some(0.0));
        let none = share(&[("network", "states", 4.0, 5.0)]).unwrap();
        assert!(none == 0.0 && none.is_sign_positive());
        assert_eq!(share(&[kernel]), None);
        assert_eq!(share(&[kernel, ("network", "states", 2.0, 2.0)]), None);
    }

    #[test]
    fn a_wait_neither_hides_a_transfer_nor_is_one() {
        let spans = [
            ("kernels", "sweep 1, interior", 0.0, 1.0),
            ("kernels", WAIT, 1.0, 9.0),
            ("network", WAIT, 0.0, 0.5),
            ("network", "states", 0.5, 2.5),
        ];
        assert_eq!(share(&spans), Some(0.25));
    }
}
