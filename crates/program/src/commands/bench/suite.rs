//! The fixed set of cases of `fr-les bench --suite`: all kinds of cells, orders, precisions, curved cells, large and
//! small boxes.
//!
//! Records of different versions are comparable only while a case stays what it is: change a case here by adding
//! another one. The whole set takes less than five minutes.

use super::options::BenchArgs;
use super::setup::{Setup, cells_for};
use crate::commands::Failure;
use crate::device::DeviceKind;
use crate::mesh::BoxElements;
use crate::ranks::Ranks;
use crate::solver::choose_device_kind;

/// Solution points of the large and the small boxes on a GPU: the large ones are limited by its throughput, and the
/// small ones by the latency of a stage.
const POINTS_ON_GPU: [f64; 2] = [4e6, 64e3];
/// Solution points of the large and the small boxes on a CPU: beyond its caches and within them.
const POINTS_ON_CPU: [f64; 2] = [2e5, 8e3];

/// A group of cases: a kind of cells, orders, whether the cells are curved and the box is large. Each is measured in
/// both precisions.
const GROUPS: [(BoxElements, &[u64], bool, bool); 9] = [
    (BoxElements::Hex, &[2, 3, 4, 7], false, true),
    (BoxElements::Prism, &[3, 4], false, true),
    (BoxElements::Tet, &[3, 4], false, true),
    (BoxElements::Pyramid, &[3, 4], false, true),
    (BoxElements::Mixed, &[3, 4], false, true),
    (BoxElements::Hex, &[4], true, true),
    (BoxElements::Prism, &[3], true, true),
    (BoxElements::Tet, &[3], true, true),
    (BoxElements::Hex, &[4], false, false),
];

/// Returns the cases of the suite. All else is as in `base`.
pub fn setups(base: &Setup, on_gpu: bool) -> Vec<Setup> {
    let points = if on_gpu { POINTS_ON_GPU } else { POINTS_ON_CPU };
    let mut setups = Vec::new();
    for (elements, orders, curved, large) in GROUPS {
        for &order in orders {
            let cells = cells_for(points[usize::from(!large)], elements, order as usize);
            setups.extend(["double", "single"].map(|precision| Setup {
                order,
                cells,
                precision: precision.to_owned(),
                elements,
                curved,
                ..base.clone()
            }));
        }
    }
    setups
}

/// Returns whether GPUs compute, which decides the sizes of the suite. Collective.
///
/// # Errors
/// The arguments ask for a GPU and none can be used.
pub fn on_gpu(args: &BenchArgs, ranks: &Ranks) -> Result<bool, Failure> {
    let kind = match args.device.as_str() {
        "cpu" => DeviceKind::Cpu,
        "cuda" => DeviceKind::Cuda,
        _ => DeviceKind::Auto,
    };
    let chosen = choose_device_kind(kind, ranks.node_rank_and_size().0).map_err(Failure::from);
    let is_gpu = ranks.agree(chosen, Failure::OnOtherRank)?.is_some();
    Ok(ranks.first_rank_where(!is_gpu).is_none())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::case::Case;
    use clap::Parser;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        bench: BenchArgs,
    }

    #[test]
    fn the_cases_of_the_suite_are_valid_and_differ() {
        let line = Line::parse_from(["bench", "--suite"]);
        for on_gpu in [false, true] {
            let all = setups(&line.bench.first(), on_gpu);
            let texts: std::collections::BTreeSet<String> = all.iter().map(Setup::case_text).collect();
            assert_eq!(texts.len(), all.len());
            for setup in &all {
                Case::parse(&setup.case_text(), std::path::Path::new("(suite)"), &[]).expect("a valid case");
                assert!(setup.order <= 6 || setup.elements == BoxElements::Hex);
                assert_eq!(setup.seconds, 1.0);
            }
            let has = |curved, precision: &str| all.iter().any(|s| s.curved == curved && s.precision == precision);
            assert!(has(true, "single") && has(true, "double") && has(false, "single") && has(false, "double"));
        }
    }
}
