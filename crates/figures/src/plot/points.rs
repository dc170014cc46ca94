//! The points of probes: their rows in a table, and those of many that a figure shows.

use std::collections::BTreeMap;

use super::columns::POINT;
use crate::io::Table;

/// Most points that are drawn, and most of each of several runs.
pub(super) const MOST: usize = 6;
pub(super) const MOST_OF_RUNS: usize = 4;

/// Returns the rows of each point, in the order of the numbers of the points; all rows of a table without points.
pub(super) fn rows(table: &Table) -> Vec<Vec<usize>> {
    let all = 0..table.columns.first().map_or(0, Vec::len);
    let Some(number) = table.column(POINT) else {
        return vec![all.collect()];
    };
    let mut rows: BTreeMap<u64, Vec<usize>> = BTreeMap::new();
    for row in all {
        rows.entry(number[row] as u64).or_default().push(row);
    }
    rows.into_values().collect()
}

/// Returns the places of at most so many points among all of them, from the first to the last.
pub(super) fn shown(count: usize, most: usize) -> Vec<usize> {
    if count <= most {
        (0..count).collect()
    } else {
        (0..most).map(|i| i * (count - 1) / (most - 1)).collect()
    }
}

/// Returns the note on points that are not shown.
pub(super) fn note(count: usize, most: usize) -> Vec<String> {
    let left = count.saturating_sub(most);
    let note = (left > 0).then(|| format!("{left} further points are in the table"));
    note.into_iter().collect()
}
