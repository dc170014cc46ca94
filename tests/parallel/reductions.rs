//! Collective operations on three ranks, with values for which MPI libraries differ, and with more of them than a
//! round takes.

use crate::common::program::as_ranks;
use fr_les::ranks::Ranks;

#[test]
fn extremes_over_ranks_are_in_the_order_of_the_numbers() {
    let test = "extremes_over_ranks_are_in_the_order_of_the_numbers";
    as_ranks(module_path!(), test, &[3], |_, ranks| are_in_order(ranks));
}

fn are_in_order(ranks: &Ranks) {
    assert_eq!(ranks.size(), 3);
    let rank = ranks.rank();

    // Cells are numbered from 0, and u64::MAX stands for none.
    let columns = [
        [u64::MAX, 3, u64::MAX],
        [u64::MAX; 3],
        [1 << 63, (1 << 63) - 1, u64::MAX],
        [0, 1 << 63, 1],
        [7, 5, 6],
    ];
    let mut values = columns.map(|column| column[rank]);
    ranks.allreduce_min(&mut values);
    assert_eq!(values, columns.map(|column| *column.iter().min().expect("three")));

    let columns = [[-0.5, f64::INFINITY, 2.0], [f64::NEG_INFINITY, -1.0, 1e308]];
    let mut values = columns.map(|column| column[rank]);
    ranks.allreduce_min(&mut values);
    assert_eq!(values, [-0.5, f64::NEG_INFINITY]);
    let mut values = columns.map(|column| column[rank]);
    ranks.allreduce_max(&mut values);
    assert_eq!(values, [f64::INFINITY, 1e308]);

    for first in 0..3 {
        assert_eq!(ranks.first_rank_where(rank >= first), Some(first));
    }
    assert_eq!(ranks.first_rank_where(false), None);
}

#[test]
fn lists_are_gathered_in_any_number_of_rounds() {
    let test = "lists_are_gathered_in_any_number_of_rounds";
    as_ranks(module_path!(), test, &[3], |_, ranks| are_gathered(ranks));
}

fn are_gathered(ranks: &Ranks) {
    for lengths in [[5, 0, 7], [0, 0, 0], [1, 1, 1], [0, 11, 2]] {
        let list = |rank: usize| (0..lengths[rank] as u64).map(move |i| 100 * rank as u64 + i);
        let all: Vec<u64> = (0..3).flat_map(list).collect();
        let mine: Vec<u64> = list(ranks.rank()).collect();
        assert_eq!(ranks.allgather(&mine), all);
        let on_first = if ranks.rank() == 0 { all.clone() } else { Vec::new() };
        assert_eq!(ranks.gather_on_first(mine.clone()), on_first);
        for most in 1..14 {
            assert_eq!(
                ranks.allgather_in_rounds(&mine, most),
                all,
                "{lengths:?} in rounds of {most}"
            );
        }
    }
}
