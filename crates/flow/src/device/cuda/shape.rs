//! How each kernel is launched: cells, points and threads of a thread block, thread blocks of a multiprocessor, and
//! dynamic shared memory.
//!
//! The kernels get the shape as the macros CELLS_PER_BLOCK, POINTS_PER_THREAD and MIN_BLOCKS_PER_SM. When a kernel is
//! compiled, its own text asserts the threads and the shared memory that the host expects.
//!
//! MIN_BLOCKS_PER_SM limits the registers of a thread. If it is too large, the compiler spills registers; if it is too
//! small, multiprocessors wait for memory. The tables hold the shapes that were fastest on an H200.

use thiserror::Error;

use super::variant::Variant;
use crate::device::contract::{Kernel, Use, files_of};
use crate::element::ElementKind;

/// How a kernel is launched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shape {
    /// Cells of a thread block.
    pub cells: usize,
    /// Smallest number of thread blocks for whose threads the registers of a multiprocessor must suffice.
    pub min_blocks: usize,
    /// Points of a thread. Hexahedra do not use it: there a thread has a line.
    pub points_per_thread: usize,
    /// Threads of a thread block.
    pub threads: usize,
    /// Dynamic shared memory of a thread block, in bytes.
    pub shared: usize,
}

/// Returns the number to a multiple of which the plan pads every group of cells. It is a multiple of the cells of any
/// thread block.
pub fn width(kind: ElementKind) -> usize {
    match kind {
        ElementKind::Hex => 8,
        _ => 64,
    }
}

/// Returns the shape of a kernel in a file or, without a kernel, that of the whole file, which has no shared memory.
pub fn launch_shape(file: &str, kernel: Option<Kernel>, variant: &Variant) -> Shape {
    let (cells, min_blocks, points_per_thread) = tuned(file, variant);
    Shape {
        cells,
        min_blocks,
        points_per_thread,
        threads: cells * threads_of_a_cell(variant, points_per_thread),
        shared: kernel.map_or(0, |kernel| cells * variant.shared(kernel)),
    }
}

/// Returns the threads of a cell. A thread has a line of a hexahedron, or `points_per_thread` points of a set of points
/// of another cell (ptx/method/dense_operators.h).
fn threads_of_a_cell(variant: &Variant, points_per_thread: usize) -> usize {
    let n = variant.order + 1;
    let points = variant.kind.points(variant.order);
    match variant.kind {
        ElementKind::Hex => 3 * n * n,
        ElementKind::Prism => n * (points / n).div_ceil(points_per_thread),
        ElementKind::Tet | ElementKind::Pyramid => points.div_ceil(points_per_thread),
    }
}

/// The environment variable that overrides the table, to tune for other GPUs.
const VARIABLE: &str = "FR_LES_LAUNCH";

/// An invalid entry of FR_LES_LAUNCH.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error(
    "{VARIABLE}: '{entry}': {problem}; entries are FILE=CELLS:BLOCKS, or FILE=CELLS:BLOCKS:POINTS for the dense \
     sweeps, separated by commas, as in sweep2.cu=2:6,sweep2_dense.cu=8:4:2"
)]
pub struct LaunchError {
    /// The entry.
    pub entry: String,
    /// What is wrong with it.
    pub problem: String,
}

/// Returns the files whose shape can be chosen, each with the number of cells to which the plan pads its groups.
fn files() -> Vec<(&'static str, usize)> {
    let uses = [Use::Run, Use::RunByStage, Use::Scalars, Use::ScalarsByStage];
    let files = |kind| files_of(kind, &uses);
    let hex = files(ElementKind::Hex);
    let dense = files(ElementKind::Tet).into_iter().filter(|file| !hex.contains(file));
    let dense: Vec<_> = dense.map(|file| (file, width(ElementKind::Tet))).collect();
    hex.iter()
        .map(|file| (*file, width(ElementKind::Hex)))
        .chain(dense)
        .collect()
}

/// A file with the cells of a thread block, the least number of thread blocks of a multiprocessor, and the points of a
/// thread.
type Entry = (&'static str, (usize, usize, usize));

/// Reads one entry.
fn entry(text: &str) -> Result<Entry, String> {
    let (name, shape) = text.trim().split_once('=').ok_or("there is no '='")?;
    let all = files();
    let known = all.iter().find(|(file, _)| *file == name);
    let &(file, padded) = known.ok_or_else(|| {
        let names: Vec<_> = all.iter().map(|(file, _)| *file).collect();
        format!("there is no '{name}', but {}", names.join(", "))
    })?;
    let number = |word: &str| match word.parse::<usize>() {
        Ok(number @ 1..=MOST_BLOCKS) => Ok(number),
        _ => Err(format!("'{word}' is not a whole number from 1 to {MOST_BLOCKS}")),
    };
    let numbers = shape.split(':').map(number).collect::<Result<Vec<_>, _>>()?;
    let (cells, min_blocks, points_per_thread) = match numbers[..] {
        [cells, min_blocks] => (cells, min_blocks, 1),
        [cells, min_blocks, points] if padded == width(ElementKind::Tet) => (cells, min_blocks, points),
        _ => {
            let most = if padded == width(ElementKind::Tet) {
                "2 or 3"
            } else {
                "2"
            };
            return Err(format!("it takes {most} numbers"));
        }
    };
    if !padded.is_multiple_of(cells) {
        return Err(format!("{cells} cells do not divide {padded}"));
    }
    Ok((file, (cells, min_blocks, points_per_thread)))
}

/// Largest number in an entry. No GPU holds more thread blocks on a multiprocessor, and no thread block has more cells.
const MOST_BLOCKS: usize = 64;

/// Reads the text of FR_LES_LAUNCH.
fn entries(text: &str) -> Result<Vec<Entry>, LaunchError> {
    let entries = text.split(',').filter(|e| !e.trim().is_empty());
    let read = |e: &str| {
        entry(e).map_err(|problem| LaunchError {
            entry: e.trim().to_owned(),
            problem,
        })
    };
    entries.map(read).collect()
}

/// Checks that FR_LES_LAUNCH can be read, if it is set. [`launch_shape`] ignores it otherwise.
///
/// # Errors
/// An entry of FR_LES_LAUNCH is not valid.
pub fn check_environment() -> Result<(), LaunchError> {
    let text = std::env::var_os(VARIABLE).unwrap_or_default();
    entries(&text.to_string_lossy()).map(|_| ())
}

/// Returns the cells of a thread block, the least number of thread blocks of a multiprocessor and the points of a
/// thread, from FR_LES_LAUNCH or else from the tables.
fn tuned(file: &str, variant: &Variant) -> (usize, usize, usize) {
    if let Ok(text) = std::env::var(VARIABLE)
        && let Ok(entries) = entries(&text)
        && let Some((_, shape)) = entries.into_iter().find(|(name, _)| *name == file)
    {
        return shape;
    }
    match variant.kind {
        ElementKind::Hex => {
            let (cells, min_blocks) = tuned_hexahedra(file, variant);
            (cells, min_blocks, 1)
        }
        _ => tuned_dense(file, variant),
    }
}

/// Returns the shape for cells with dense operators. For orders 3 and 4 it is the fastest one that was timed on an
/// H200. For other orders it has about 160 threads of two points each.
fn tuned_dense(file: &str, variant: &Variant) -> (usize, usize, usize) {
    let np = variant.kind.points(variant.order);
    let cells = |threads: usize| 1usize << (threads / np).clamp(1, 64).ilog2();
    if file == "filter.cu" {
        let (cells, blocks) = filter_shape(np, 64);
        return (cells, blocks, 1);
    }
    if !file.ends_with("_dense.cu") {
        return (cells(160), 1, 1);
    }
    let first = file == "sweep1_dense.cu";
    match (variant.kind, variant.order, variant.double) {
        (ElementKind::Prism, 3, false) if first => (4, 8, 1),
        (ElementKind::Prism, 3, false) => (4, 7, 1),
        (ElementKind::Prism, 3, true) => (4, 4, 1),
        (ElementKind::Prism, 4, false) => (4, 6, 2),
        (ElementKind::Prism, 4, true) if first => (4, 4, 2),
        (ElementKind::Prism, 4, true) => (4, 3, 2),
        (ElementKind::Tet, 3, false) => (8, 7, 1),
        (ElementKind::Tet, 3, true) if variant.tensor_cores(file) && first => (8, 5, 1),
        (ElementKind::Tet, 3, true) => (8, 4, 1),
        (ElementKind::Tet, 4, false) => (8, 6, 2),
        (ElementKind::Tet, 4, true) if variant.tensor_cores(file) && first => (4, 5, 1),
        (ElementKind::Tet, 4, true) => (4, 4, 1),
        (ElementKind::Pyramid, 3, false) => (8, 6, 2),
        (ElementKind::Pyramid, 3, true) if first => (8, 4, 2),
        (ElementKind::Pyramid, 3, true) => (4, 6, 1),
        (ElementKind::Pyramid, 4, false) => (8, 4, 2),
        (ElementKind::Pyramid, 4, true) if variant.tensor_cores(file) && first => (4, 5, 2),
        (ElementKind::Pyramid, 4, true) => (4, 4, 2),
        _ => {
            let cells = cells(320);
            let registers = if variant.double { 128 } else { 80 };
            let threads = (cells * np / 2).next_multiple_of(32);
            (cells, (65536 / registers / threads).max(1), 2)
        }
    }
}

/// Returns the cells of a thread block, a power of two up to `most`, and the least number of thread blocks of a
/// multiprocessor for the filter, where a cell has this many threads. Most cells are only compared with their bounds,
/// which waits for memory: registers are limited for the sake of more of them, and the few that are filtered spill. Of
/// the shapes that were timed on an H200 at order 3 this was the fastest, or within 1 % of it.
fn filter_shape(threads: usize, most: usize) -> (usize, usize) {
    let cells = 1usize << (192 / threads).clamp(1, most).ilog2();
    let registers = 64;
    (
        cells,
        (65536 / registers / (cells * threads).next_multiple_of(32)).max(1),
    )
}

/// Returns the cells of a thread block and the least number of thread blocks of a multiprocessor for hexahedra.
fn tuned_hexahedra(file: &str, variant: &Variant) -> (usize, usize) {
    match (file, variant.order, variant.double, variant.curved) {
        ("sweep1.cu", 1, false, _) => (4, 20),
        ("sweep1.cu", 1, true, _) => (8, 9),
        ("sweep1.cu", 2, false, _) => (2, 16),
        ("sweep1.cu", 2, true, _) => (4, 5),
        ("sweep1.cu", 3, false, _) => (2, 13),
        ("sweep1.cu", 3, true, _) => (2, 8),
        ("sweep1.cu", 4, false, _) => (2, 7),
        ("sweep1.cu", 4, true, _) => (1, 10),
        ("sweep1.cu", 5, false, _) => (2, 5),
        ("sweep1.cu", 5, true, _) => (1, 7),
        ("sweep1.cu", 6, false, _) => (1, 7),
        ("sweep1.cu", 6, true, _) => (1, 4),
        ("sweep1.cu", 7, false, _) => (1, 5),
        ("sweep1.cu", 7, true, _) => (1, 3),
        ("sweep1.cu", 8, false, _) => (1, 4),
        ("sweep1.cu", 8, true, _) => (1, 2),
        ("sweep2.cu", 1, false, _) => (8, 8),
        ("sweep2.cu", 1, true, _) => (8, 5),
        ("sweep2.cu", 2, false, _) => (4, 6),
        ("sweep2.cu", 2, true, _) => (4, 4),
        ("sweep2.cu", 3, false, false) => (2, 8),
        ("sweep2.cu", 3, false, true) => (2, 9),
        ("sweep2.cu", 3, true, _) => (2, 5),
        ("sweep2.cu", 4, false, false) => (2, 6),
        ("sweep2.cu", 4, false, true) => (2, 5),
        ("sweep2.cu", 4, true, false) => (2, 3),
        ("sweep2.cu", 4, true, true) => (1, 5),
        ("sweep2.cu", 5, false, _) => (2, 4),
        ("sweep2.cu", 5, true, false) => (1, 4),
        ("sweep2.cu", 5, true, true) => (1, 3),
        ("sweep2.cu", 6, false, _) => (1, 5),
        ("sweep2.cu", 6, true, _) => (1, 3),
        ("sweep2.cu", 7, false, false) => (1, 3),
        ("sweep2.cu", 7, false, true) => (1, 2),
        ("sweep2.cu", 7, true, _) => (1, 2),
        ("sweep2.cu", 8, false, _) => (1, 2),
        ("filter.cu", ..) => filter_shape(3 * (variant.order + 1).pow(2), 8),
        _ => (1, 1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes_follow_the_kernels() {
        let of = |file, kernel, order, double| {
            let variant = Variant {
                kind: ElementKind::Hex,
                order,
                double,
                fast: false,
                curved: false,
                corrects_entropy: false,
            };
            let s = launch_shape(file, Some(kernel), &variant);
            (s.cells, s.threads, s.shared)
        };
        assert_eq!(of("sweep2.cu", Kernel::Sweep2, 4, true), (2, 150, 40_000));
        assert_eq!(of("sweep1.cu", Kernel::Sweep1, 7, false), (1, 192, 17 * 576 * 4));
        assert_eq!(
            of("sweep2.cu", Kernel::Sweep2, 3, false),
            (2, 96, 2 * (20 * 64 + 32) * 4)
        );
        assert_eq!(of("ghosts.cu", Kernel::GhostStates, 1, true), (1, 12, 0));
    }

    #[test]
    fn launch_shapes_are_read_from_words_or_refused_by_entry() {
        let good = entries("sweep2.cu=2:6, sweep2_dense.cu=8:4:2,").expect("as in the manual");
        assert_eq!(good, [("sweep2.cu", (2, 6, 1)), ("sweep2_dense.cu", (8, 4, 2))]);
        for (text, part) in [
            ("sweep2.cu", "no '='"),
            (
                "sweep1.cu=2:6,sweep3.cu=2:6",
                "'sweep3.cu=2:6': there is no 'sweep3.cu'",
            ),
            ("sweep2.cu=2", "it takes 2 numbers"),
            ("sweep2.cu=2:6:1", "it takes 2 numbers"),
            ("sweep2_dense.cu=2", "it takes 2 or 3 numbers"),
            ("sweep2.cu=2:six", "'six' is not a whole number"),
            ("sweep2.cu=0:6", "'0' is not"),
            ("sweep2.cu=3:6", "3 cells do not divide 8"),
        ] {
            let error = entries(text).expect_err(text).to_string();
            assert!(
                error.contains(part) && error.contains("FR_LES_LAUNCH"),
                "{text}: {error}"
            );
        }
    }

    #[test]
    fn padding_suits_every_block() {
        for file in [
            "sweep1.cu",
            "sweep2.cu",
            "sweep1_dense.cu",
            "sweep2_dense.cu",
            "integrals.cu",
            "statistics.cu",
        ] {
            for (kind, order) in ElementKind::ALL
                .iter()
                .flat_map(|&k| (1..=k.max_order()).map(move |p| (k, p)))
            {
                for (double, curved) in [(false, false), (false, true), (true, false), (true, true)] {
                    let variant = Variant {
                        kind,
                        order,
                        double,
                        fast: false,
                        curved,
                        corrects_entropy: false,
                    };
                    let (cells, _, points_per_thread) = tuned(file, &variant);
                    assert!(
                        width(kind).is_multiple_of(cells) && points_per_thread > 0,
                        "{variant:?}"
                    );
                }
            }
        }
    }
}
