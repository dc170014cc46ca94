//! The recorded spans of the queues of all ranks, collected for one file.

use mpi::datatype::PartitionMut;
use mpi::topology::SimpleCommunicator;
use mpi::traits::*;

use crate::device;
use crate::plot::timeline::{RankTimeline, Span};

/// Collects the timelines of all ranks on the first; empty on other ranks and if nothing was recorded. Collective.
pub fn of_all_ranks(world: &SimpleCommunicator, seen: &[device::Span]) -> Vec<RankTimeline> {
    let mine = RankTimeline {
        rank: world.rank() as usize,
        spans: seen.iter().map(span).collect(),
    };
    let text = serde_json::to_vec(&mine).unwrap_or_default();
    let root = world.process_at_rank(0);
    let mut lengths = vec![0i32; world.size() as usize];
    world.all_gather_into(&(text.len() as i32), &mut lengths[..]);
    let begins: Vec<i32> = lengths
        .iter()
        .scan(0, |sum, &length| Some(std::mem::replace(sum, *sum + length)))
        .collect();
    let mut all = vec![0u8; lengths.iter().sum::<i32>() as usize];
    if world.rank() > 0 {
        root.gather_varcount_into(&text[..]);
        return Vec::new();
    }
    root.gather_varcount_into_root(
        &text[..],
        &mut PartitionMut::new(&mut all[..], &lengths[..], &begins[..]),
    );
    let texts = lengths.iter().zip(&begins).map(|(&length, &begin)| {
        let begin = begin as usize;
        &all[begin..begin + length as usize]
    });
    let ranks = texts.filter_map(|text| serde_json::from_slice::<RankTimeline>(text).ok());
    ranks.filter(|rank| !rank.spans.is_empty()).collect()
}

fn span(seen: &device::Span) -> Span {
    Span {
        queue: seen.queue.to_owned(),
        what: seen.what.to_owned(),
        begin: seen.begin,
        end: seen.end,
    }
}
