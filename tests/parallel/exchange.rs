//! `fr-les bench --exchange` on ranks of one machine: what it measures and writes, and what it refuses. How fast
//! anything is does not matter here.

use crate::common::program::{folder, on_ranks, output, program, refuses};
use serde_json::Value;

/// Measures on so many ranks. Returns what is printed, and the result.
fn measured(ranks: usize, device: &str) -> (String, Value) {
    let folder = folder();
    let mut command = match ranks {
        1 => program(folder.path()),
        _ => on_ranks(folder.path(), ranks),
    };
    command.args(["bench", "--exchange", "--device", device]);
    command.args(["--json", "e.json", "--figure", "e.png"]);
    let drawn = ranks > 1 || device == "cuda";
    let log = output(&mut command, if drawn { 0 } else { 2 });
    let figure = std::fs::read(folder.path().join("e.png")).ok();
    let picture = figure.map(|figure| figure.starts_with(b"\x89PNG"));
    assert_eq!(picture, drawn.then_some(true), "{log}");
    assert_eq!(
        log.contains("--figure e.png: there is nothing to draw") && log.contains("start with `mpirun -n 2`"),
        !drawn,
        "{log}"
    );
    let text = std::fs::read_to_string(folder.path().join("e.json")).expect("result");
    (log, serde_json::from_str(&text).expect("JSON"))
}

/// Returns way and ranks of each series, whose sizes must rise and whose numbers must agree with each other.
fn series(result: &Value) -> Vec<(String, Vec<u64>)> {
    let of = |series: &Value| {
        let sizes: Vec<(u64, f64, f64)> = series["sizes"]
            .as_array()
            .expect("sizes")
            .iter()
            .map(|size| {
                let number = |key: &str| size[key].as_f64().expect("a number");
                (
                    size["bytes"].as_u64().expect("bytes"),
                    number("seconds"),
                    number("gb_per_s"),
                )
            })
            .collect();
        assert_eq!(sizes[0].0, 1024);
        assert_eq!(sizes[sizes.len() - 1].0, 64 << 20);
        assert!(sizes.windows(2).all(|pair| pair[0].0 < pair[1].0), "{sizes:?}");
        for &(bytes, seconds, gb_per_s) in &sizes {
            assert!(seconds > 0.0 && gb_per_s > 0.0, "{sizes:?}");
            assert!(
                (gb_per_s * seconds / (1e-9 * bytes as f64) - 1.0).abs() < 1e-9,
                "{sizes:?}"
            );
        }
        assert_eq!(series["one_machine"], true);
        let ranks = series["ranks"].as_array().expect("ranks");
        let ranks = ranks.iter().map(|rank| rank.as_u64().expect("a rank"));
        (series["way"].as_str().expect("a way").to_owned(), ranks.collect())
    };
    result["series"].as_array().expect("series").iter().map(of).collect()
}

/// Returns the ways that were not measured, with the reasons.
fn missing(result: &Value) -> Vec<(String, String)> {
    let text = |value: &Value| value.as_str().expect("text").to_owned();
    let all = result["missing"].as_array().expect("a list").iter();
    all.map(|missing| (text(&missing["way"]), text(&missing["reason"])))
        .collect()
}

#[test]
fn messages_are_timed_by_their_size_and_what_is_missing_has_a_reason() {
    for ranks in [1, 3] {
        let (log, result) = measured(ranks, "cpu");
        let places = result["ranks"].as_array().expect("ranks");
        assert_eq!(places.len(), ranks);
        for place in places {
            assert!(place["machine"].as_str().is_some_and(|name| !name.is_empty()) && place["gpu"].is_null());
        }
        let pairs = (1..ranks as u64).map(|rank| ("messages".to_owned(), vec![rank - 1, rank]));
        assert_eq!(series(&result), pairs.collect::<Vec<_>>());
        let (alone, no_gpu): (Vec<_>, Vec<_>) = missing(&result).into_iter().partition(|(way, _)| way == "messages");
        assert_eq!(alone.len(), usize::from(ranks == 1));
        assert!(
            alone.iter().all(|(_, reason)| reason.contains("mpirun -n 2")),
            "{alone:?}"
        );
        assert_eq!(no_gpu.len(), 7);
        for (way, reason) in no_gpu {
            assert_eq!(reason, "rank 0 reports: --device cpu leaves GPUs out", "{way}");
        }
        assert_eq!(
            log.contains("messages, inside a machine    0 and 1"),
            ranks > 1,
            "{log}"
        );
        assert_eq!(log.contains("\n  64 MiB "), ranks > 1, "{log}");
        assert!(
            log.contains("peer, nccl, cuda-aware: rank 0 reports: --device cpu"),
            "{log}"
        );
    }
}

#[test]
fn what_cannot_be_combined_or_written_is_refused() {
    let folder = folder();
    let bench = |more: &[&str], parts: &[&str]| refuses(&folder, &[&["bench"], more].concat(), parts);
    bench(&["--exchange", "--figure", "e.pdf"], &["--figure", "e.pdf", ".png"]);
    bench(&["--exchange", "--json", "nowhere/e.json"], &["--json", "nowhere"]);
    bench(
        &["--exchange", "--order", "3"],
        &["'--exchange' cannot be used with", "--order"],
    );
    bench(&["--figure", "e.png"], &["required", "--exchange"]);
    bench(
        &["--exchange", "--json", "e.png", "--figure", "./e.png"],
        &["--json and --figure are both e.png"],
    );
}

mod gpu {
    //! On GPUs; run by `make test-gpu`.

    use super::{measured, missing, series};

    #[test]
    #[ignore = "needs an NVIDIA GPU"]
    fn copies_of_a_gpu_are_timed_and_all_other_ways_have_times_or_a_reason() {
        for ranks in [1, 2] {
            let (log, result) = measured(ranks, "cuda");
            let (found, missing) = (series(&result), missing(&result));
            for way in [
                "pinned-to-gpu",
                "pinned-from-gpu",
                "pageable-to-gpu",
                "pageable-from-gpu",
            ] {
                let times: Vec<_> = found.iter().filter(|(name, _)| name == way).collect();
                assert_eq!(times.len(), ranks, "{way}\n{log}");
            }
            for way in ["peer", "nccl", "cuda-aware"] {
                let measured = found.iter().any(|(name, _)| name == way);
                let reason = missing.iter().find(|(name, _)| name == way);
                assert!(measured != reason.is_some(), "{way}\n{log}");
                assert!(!measured || ranks > 1, "{way}\n{log}");
                assert!(
                    !reason.is_some_and(|(_, reason)| reason.contains("are wrong")),
                    "{way}\n{log}"
                );
            }
        }
    }
}
