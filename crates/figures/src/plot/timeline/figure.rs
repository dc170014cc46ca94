//! The figure of a timeline: one panel for each rank, one row for each queue, over one axis of time. It shows which
//! work runs while ranks exchange, and which rank waits.

use super::{RankTimeline, Timeline, WAIT, hidden_share};
use crate::plot::axis::superscript;
use crate::plot::figure::{Figure, Lanes, Panel, Span};

/// Colours of the known kinds of work, in the order of the legend. The sweeps have the colours of the benchmark
/// figures, darker at the frontier of a rank than inside. The two kinds of data have colours of their own in all
/// queues. With the common colour deficiencies each colour still differs from every other by at least 19 (CIELAB), and
/// the two kinds of data from each other by 38.
const KNOWN: [(&str, &str); 9] = [
    ("pack", "#4D4D4D"),
    ("ghosts", "#E8D430"),
    ("sweep 1, interior", "#86C5EE"),
    ("sweep 1, frontier", "#00476F"),
    ("sweep 2, interior", "#F4A95C"),
    ("sweep 2, frontier", "#B04A00"),
    ("states", "#009E73"),
    ("viscous traces", "#B5179E"),
    (WAIT, "#D4D4D4"),
];
/// Colours of anything else, in the order of occurrence; they are repeated.
const OTHERS: [&str; 4] = ["#4B2E83", "#7A4B1E", "#9ACD32", "#000000"];
/// Largest number of panels: more leave no room for legible rows.
const MOST_PANELS: usize = 4;
/// Largest number of ranks whose hidden fractions are given individually.
const MOST_SHARES: usize = 4;
/// Time from which on milliseconds are the better unit.
const LONG: f64 = 1e-3;

/// Returns the figure of a timeline that has a rank and a span.
pub fn figure(timeline: &Timeline) -> Figure {
    let shown = &timeline.ranks[..timeline.ranks.len().min(MOST_PANELS)];
    let spans = || shown.iter().flat_map(|rank| &rank.spans);
    let begin = spans().fold(f64::INFINITY, |first, span| first.min(span.begin));
    let end = spans().fold(f64::NEG_INFINITY, |last, span| last.max(span.end));
    let (unit, scale) = if end - begin < LONG { ("µs", 1e6) } else { ("ms", 1e3) };

    // The same rows in all panels, so that these can be compared.
    let names = distinct(spans().map(|span| span.queue.as_str()));
    let kinds = kinds(&distinct(spans().map(|span| span.what.as_str())));
    let span = |span: &super::Span| Span {
        lane: place(names.iter().copied(), &span.queue),
        kind: place(kinds.iter().map(|(name, _)| name.as_str()), &span.what),
        begin: scale * (span.begin - begin),
        end: scale * (span.end - begin),
    };
    let panel = |(index, rank): (usize, &RankTimeline)| Panel {
        title: format!("Rank {}", rank.rank),
        x_label: if index + 1 == shown.len() {
            format!("time [{unit}]")
        } else {
            String::new()
        },
        lanes: Some(Lanes {
            names: names.iter().map(|&name| name.to_owned()).collect(),
            kinds: kinds.clone(),
            spans: rank.spans.iter().map(span).collect(),
            end: scale * (end - begin),
        }),
        wide: true,
        ..Panel::default()
    };
    let mut notes = vec![hidden(&timeline.ranks)];
    if shown.len() < timeline.ranks.len() {
        let numbers: Vec<String> = shown.iter().map(|rank| rank.rank.to_string()).collect();
        notes.push(format!(
            "Ranks {} of {} are shown",
            numbers.join(", "),
            timeline.ranks.len()
        ));
    }
    Figure {
        // Sizes of boxes, as the benchmark prints them.
        title: timeline.title.replace("^3", &superscript("3")),
        notes,
        panels: shown.iter().enumerate().map(panel).collect(),
        ..Figure::default()
    }
}

/// Returns the fraction of the transfers that kernels hide, rank by rank, or from the least to the most if ranks are
/// many.
fn hidden(ranks: &[RankTimeline]) -> String {
    let percent = |share: f64| format!("{:.1} %", 100.0 * share);
    let shares: Vec<(usize, Option<f64>)> = ranks.iter().map(|r| (r.rank, hidden_share(&r.spans))).collect();
    let mut known: Vec<(usize, f64)> = shares
        .iter()
        .filter_map(|&(rank, share)| Some((rank, share?)))
        .collect();
    known.sort_by(|a, b| a.1.total_cmp(&b.1));
    let (Some(least), Some(most)) = (known.first(), known.last()) else {
        return "Nothing is transferred".into();
    };
    let list = if shares.len() <= MOST_SHARES {
        let share = |&(rank, share): &(usize, Option<f64>)| match share {
            Some(share) => format!("{} on rank {rank}", percent(share)),
            None => format!("nothing to hide on rank {rank}"),
        };
        shares.iter().map(share).collect::<Vec<_>>().join(", ")
    } else {
        format!(
            "from {} on rank {} to {} on rank {}",
            percent(least.1),
            least.0,
            percent(most.1),
            most.0
        )
    };
    format!("Time of transfers hidden behind kernels: {list}")
}

/// Returns names in the order of their first occurrence.
fn distinct<'a>(names: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let mut found: Vec<&str> = Vec::new();
    for name in names {
        if !found.contains(&name) {
            found.push(name);
        }
    }
    found
}

/// Returns the index of `name` among names that contain it.
fn place<'a>(mut names: impl Iterator<Item = &'a str>, name: &str) -> usize {
    names.position(|other| other == name).unwrap_or(0)
}

/// Returns the kinds of work with their colours, in the order of the legend.
fn kinds(names: &[&str]) -> Vec<(String, &'static str)> {
    let known = KNOWN.iter().filter(|(name, _)| names.contains(name));
    let others = names
        .iter()
        .filter(|name| KNOWN.iter().all(|(other, _)| other != *name));
    let others = others.zip(OTHERS.iter().cycle());
    known
        .map(|&(name, color)| (name.to_owned(), color))
        .chain(others.map(|(&name, &color)| (name.to_owned(), color)))
        .collect()
}
