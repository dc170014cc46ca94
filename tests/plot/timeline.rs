//! Figures of timelines: their contents, and messages for files that are not timelines.

use crate::common::figures::{assert_apart, drawn, extent};
use crate::common::program::{folder, names, outcome, write};
use fr_les::plot::figure::Figure;
use fr_les::plot::timeline::{RankTimeline, Span, Timeline, TimelineFile, figure};

const TRANSFERS: [&str; 3] = ["device to host", "network", "host to device"];

fn span(queue: &str, what: &str, begin: f64, end: f64) -> Span {
    Span {
        queue: queue.into(),
        what: what.into(),
        begin,
        end,
    }
}

/// Four stages of two sweeps, on a clock that starts at `start`, with transfers in pieces during the interior part of
/// each sweep. The transfers of the first sweep take longer.
fn rank(rank: usize, start: f64) -> RankTimeline {
    let (mut time, mut spans) = (start, Vec::new());
    for _ in 0..4 {
        for (sweep, data, interior, frontier, pieces) in [
            ("sweep 1", "states", 330e-6, 60e-6, 8),
            ("sweep 2", "viscous traces", 900e-6, 150e-6, 12),
        ] {
            let packed = time + 18e-6;
            spans.push(span("kernels", "pack", time, packed));
            spans.push(span(
                "kernels",
                &format!("{sweep}, interior"),
                packed,
                packed + interior,
            ));
            let mut arrived = packed;
            for piece in 0..pieces {
                let mut begin = packed + 24e-6 * f64::from(piece);
                for (queue, length) in TRANSFERS.into_iter().zip([20e-6, 42e-6, 21e-6]) {
                    if queue == "network" {
                        begin = packed + 22e-6 + 44e-6 * f64::from(piece);
                    }
                    spans.push(span(queue, data, begin, begin + length));
                    begin += length + 2e-6;
                }
                arrived = begin;
            }
            let done = packed + interior;
            if arrived > done {
                spans.push(span("kernels", "wait", done, arrived));
            }
            let ready = done.max(arrived);
            spans.push(span("kernels", "ghosts", ready, ready + 9e-6));
            time = ready + 9e-6 + frontier;
            spans.push(span("kernels", &format!("{sweep}, frontier"), ready + 9e-6, time));
        }
    }
    RankTimeline { rank, spans }
}

fn timeline(ranks: usize) -> Timeline {
    Timeline {
        title: "2 ranks, NVIDIA H200, hex p 4, 64^3 cells, single precision, transport staged".into(),
        ranks: (0..ranks)
            .map(|number| rank(number, 5.0 + 2e-5 * number as f64))
            .collect(),
    }
}

fn json(timeline: Timeline) -> Vec<u8> {
    serde_json::to_vec(&TimelineFile { timeline }).unwrap()
}

fn all_texts(figure: &Figure) -> Vec<String> {
    let (texts, _) = drawn(figure);
    assert_apart(&texts);
    texts.into_iter().map(|(text, _)| text).collect()
}

#[test]
fn the_command_draws_a_timeline_with_all_that_is_named_in_it() {
    let folder = folder();
    write(&folder, "timeline.json", &json(timeline(2)));
    for arguments in [
        &["plot", "timeline.json"][..],
        &["plot", "timeline.json", "--output", "f.svg"],
    ] {
        let (code, _, errors) = outcome(&folder, arguments);
        assert_eq!(code, Some(0), "{errors}");
    }
    assert_eq!(names(folder.path()), ["f.svg", "timeline.json", "timeline.png"]);
    let svg = std::fs::read_to_string(folder.path().join("f.svg")).unwrap();
    for text in ["kernels", "device to host", "network", "host to device"] {
        assert_eq!(svg.matches(&format!(">{text}<")).count(), 2, "a row a panel: {text}");
    }
    for text in [
        "pack",
        "ghosts",
        "wait",
        "sweep 1, interior",
        "sweep 2, frontier",
        "states",
        "viscous traces",
        "(a) Rank 0",
        "(b) Rank 1",
        "time [ms]",
    ] {
        assert_eq!(svg.matches(&format!(">{text}<")).count(), 1, "once: {text}");
    }
    assert!(svg.contains("64³ cells"));
}

#[test]
fn the_hidden_fraction_is_below_the_title() {
    let mut two = timeline(2);
    for (index, share) in [(0, 0.75), (1, 0.5)] {
        two.ranks[index].spans = vec![
            span("kernels", "sweep 1, interior", 0.0, share),
            span("network", "states", 0.0, 1.0),
        ];
    }
    let shares = "Time of transfers hidden behind kernels: ";
    assert!(all_texts(&figure(&two)).contains(&format!("{shares}75.0 % on rank 0, 50.0 % on rank 1")));
    // A rank without transfers has no share.
    two.ranks[1].spans.pop();
    assert!(all_texts(&figure(&two)).contains(&format!("{shares}75.0 % on rank 0, nothing to hide on rank 1")));
    two.ranks[0].spans.pop();
    assert!(all_texts(&figure(&two)).contains(&"Nothing is transferred".to_owned()));
}

#[test]
fn four_of_many_ranks_are_shown_and_all_are_counted() {
    let mut many = timeline(9);
    many.ranks[7].spans = vec![span("network", "states", 5.0, 5.1)];
    let figure = figure(&many);
    assert_eq!(figure.panels.len(), 4);
    let texts = all_texts(&figure);
    assert!(texts.contains(&"Ranks 0, 1, 2, 3 of 9 are shown".to_owned()));
    assert!(
        texts.iter().any(|text| text.contains("from 0.0 % on rank 7 to ")),
        "{texts:?}"
    );
}

#[test]
fn bars_lie_at_their_times_and_short_ones_are_visible() {
    let short = Timeline {
        title: String::new(),
        ranks: vec![RankTimeline {
            rank: 3,
            spans: vec![
                span("kernels", "sweep 1, interior", 5.0, 5.0 + 100e-6),
                span("network", "states", 5.0 + 50e-6, 5.0 + 200e-6),
                span("network", "viscous traces", 5.0 + 60e-6, 5.0 + 60.001e-6),
            ],
        }],
    };
    let (texts, named) = drawn(&figure(&short));
    assert!(texts.iter().any(|(text, _)| text == "time [µs]"));
    let (axes, at) = (extent(&named, "panel0-axes"), |name| {
        extent(&named, &format!("panel0-span{name}"))
    });
    let second = axes.width() / 200.0;
    assert!(
        (at(0).left() - axes.left()).abs() < 1.0,
        "time starts at the first span"
    );
    assert!((at(0).width() - 100.0 * second).abs() < 2.0);
    assert!((at(1).left() - axes.left() - 50.0 * second).abs() < 2.0 && (at(1).right() - axes.right()).abs() < 2.0);
    assert!(at(0).bottom() < at(1).top(), "each queue has its row");
    assert!(at(2).width() > 0.45 && at(2).top() == at(1).top());
    let order = |name: &str| named.iter().position(|(id, _)| id == name);
    assert!(
        order("panel0-span2") > order("panel0-span1"),
        "what is short lies on what is long"
    );
}

#[test]
fn the_same_work_has_one_colour_in_all_queues_and_panels() {
    let mut two = timeline(2);
    // A name that occurs nowhere else is first in one rank and last in the other.
    two.ranks[0].spans.insert(0, span("kernels", "sums", 5.0, 5.001));
    two.ranks[1].spans.push(span("network", "sums", 5.0, 5.001));
    let figure = figure(&two);
    let lanes: Vec<_> = figure.panels.iter().filter_map(|panel| panel.lanes.as_ref()).collect();
    assert_eq!(lanes[0].kinds, lanes[1].kinds);
    for (lanes, rank) in lanes.iter().zip(&two.ranks) {
        for (drawn, span) in lanes.spans.iter().zip(&rank.spans) {
            assert_eq!(lanes.kinds[drawn.kind].0, span.what);
            assert_eq!(lanes.names[drawn.lane], span.queue);
        }
    }
    let mut colors: Vec<&str> = lanes[0].kinds.iter().map(|(_, color)| *color).collect();
    colors.sort_unstable();
    colors.dedup();
    assert_eq!(colors.len(), 10, "nothing shares its colour");
}

#[test]
fn long_texts_fit() {
    let mut long = timeline(1);
    long.title = long.title.repeat(3);
    all_texts(&figure(&long));
}

#[test]
fn an_invalid_file_is_refused_with_the_reason_and_nothing_is_written() {
    let folder = folder();
    let good = json(timeline(1));
    let of = |spans: &str| format!(r#"{{"timeline": {{"title": "t", "ranks": [{{"rank": 1, "spans": [{spans}]}}]}}}}"#);
    let right = r#"{"queue": "kernels", "what": "pack", "begin": 0, "end": 1e-5}"#;
    for (text, message) in [
        (
            of(&format!(
                "{right}, {{\"queue\": \"network\", \"what\": \"states\", \"begin\": 2e-4, \"end\": 1e-4}}"
            )),
            "rank 1, span 2 (network: states) ends at 0.0001 s, before it begins at 0.0002 s",
        ),
        (
            of(&right.replace(r#""begin": 0, "#, "")),
            "missing field `begin` at line 1",
        ),
        (of(&right.replace("1e-5", "\"late\"")), "invalid type: string \"late\""),
        (of(""), "rank 1 has no spans"),
        (
            r#"{"timeline": {"title": "t", "ranks": []}}"#.into(),
            "`ranks` is empty",
        ),
        (r#"{"timeline": 3}"#.into(), "timeline: invalid type: integer `3`"),
        (
            r#"{"order": 4}"#.into(),
            "neither an object `kernels` nor an object `timeline`",
        ),
        ("timeline".into(), "not JSON"),
    ] {
        write(&folder, "bad.json", text.as_bytes());
        let (code, _, errors) = outcome(&folder, &["plot", "bad.json"]);
        assert_eq!(code, Some(2), "{text}: {errors}");
        assert!(
            errors.contains("bad.json") && errors.contains(message),
            "{text}: {errors}"
        );
        assert_eq!(names(folder.path()), ["bad.json"], "{text}");
    }
    std::fs::remove_file(folder.path().join("bad.json")).unwrap();
    write(&folder, "good.json", &good);
    write(&folder, "other.json", &good);
    for (more, message) in [
        (&["other.json"][..], "leave out the other files"),
        (&["--label", "a"], "leave out --label"),
        (&["--reference", "r.csv"], "leave out --reference"),
    ] {
        let (code, _, errors) = outcome(&folder, &[&["plot", "good.json"], more].concat());
        assert_eq!(code, Some(2), "{errors}");
        assert!(
            errors.contains("good.json is a timeline") && errors.contains(message),
            "{errors}"
        );
    }
    assert_eq!(names(folder.path()), ["good.json", "other.json"]);
}
