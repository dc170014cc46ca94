//! How each kernel is launched: cells and threads of a block, blocks that share a multiprocessor, dynamic shared memory.
//!
//! The kernels get CELLS and BLOCKS as macros. Their threads and the shared memory that the contract states are compared with the
//! kernels' own text when it is compiled. BLOCKS bounds the registers: too many make
//! the compiler spill, too few leave multiprocessors waiting; the table holds what measured fastest on an H200.

use thiserror::Error;

use super::variant::Variant;
use crate::device::contract::{Kernel, Use, files_of};
use crate::element::ElementKind;

/// How a kernel is launched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shape {
    /// Cells of a thread block.
    pub cells: usize,
    /// Thread blocks that share a multiprocessor at least, as far as registers go.
    pub blocks: usize,
    /// Points of a thread, of cells that are no hexahedra.
    pub wide: usize,
    /// Threads of a block.
    pub threads: usize,
    /// Dynamic shared memory of a block, in bytes.
    pub shared: usize,
}

/// Blocks that the plan pads every group of cells to: a multiple of the cells of any thread block.
pub fn width(kind: ElementKind) -> usize {
    match kind {
        ElementKind::Hex => 8,
        _ => 64,
    }
}

/// The shape of a kernel of a file, or of its program: without shared memory.
pub fn launch_shape(file: &str, kernel: Option<Kernel>, variant: &Variant) -> Shape {
    let (cells, blocks, wide) = tuned(file, variant);
    Shape {
        cells,
        blocks,
        wide,
        threads: cells * threads_of_a_cell(variant, wide),
        shared: kernel.map_or(0, |kernel| cells * variant.shared(kernel)),
    }
}

/// A thread for each line of a hexahedron; for every `wide` points of each set of points of other cells (ptx/method/dense_operators.h).
fn threads_of_a_cell(variant: &Variant, wide: usize) -> usize {
    let n = variant.order + 1;
    let points = variant.kind.points(variant.order);
    match variant.kind {
        ElementKind::Hex => 3 * n * n,
        ElementKind::Prism => n * (points / n).div_ceil(wide),
        ElementKind::Tet | ElementKind::Pyramid => points.div_ceil(wide),
    }
}

/// The environment variable that overrides the table, to tune for other GPUs.
const VARIABLE: &str = "FR_LES_LAUNCH";

/// An entry of FR_LES_LAUNCH that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error(
    "{VARIABLE}: '{entry}': {problem}; entries are FILE=CELLS:BLOCKS, or FILE=CELLS:BLOCKS:WIDE of the dense sweeps, \
     with commas between, as in sweep2.cu=2:6,sweep2_dense.cu=8:4:2"
)]
pub struct LaunchError {
    /// The entry.
    pub entry: String,
    /// What is wrong with it.
    pub problem: String,
}

/// Files of which the shape can be chosen, and the cells that the plan pads groups to where they are used.
fn files() -> Vec<(&'static str, usize)> {
    let files = |kind| files_of(kind, &[Use::Run, Use::RunByStage, Use::Bench]);
    let hex = files(ElementKind::Hex);
    let dense = files(ElementKind::Tet).into_iter().filter(|file| !hex.contains(file));
    let dense: Vec<_> = dense.map(|file| (file, width(ElementKind::Tet))).collect();
    hex.iter()
        .map(|file| (*file, width(ElementKind::Hex)))
        .chain(dense)
        .collect()
}

/// A file with cells of a block, blocks of a multiprocessor and points of a thread.
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
    let (cells, blocks, wide) = match numbers[..] {
        [cells, blocks] => (cells, blocks, 1),
        [cells, blocks, wide] if padded == width(ElementKind::Tet) => (cells, blocks, wide),
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
    Ok((file, (cells, blocks, wide)))
}

/// Most thread blocks that share a multiprocessor, of any GPU, and so most cells too.
const MOST_BLOCKS: usize = 64;

/// What the text of FR_LES_LAUNCH asks for.
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

/// That FR_LES_LAUNCH, if it is set, can be read; [`launch_shape`] follows it only then.
pub fn check_environment() -> Result<(), LaunchError> {
    let text = std::env::var_os(VARIABLE).unwrap_or_default();
    entries(&text.to_string_lossy()).map(|_| ())
}

/// Cells of a block, blocks of a multiprocessor and points of a thread: those of FR_LES_LAUNCH, else of the table.
fn tuned(file: &str, variant: &Variant) -> (usize, usize, usize) {
    if let Ok(text) = std::env::var(VARIABLE)
        && let Ok(entries) = entries(&text)
        && let Some((_, shape)) = entries.into_iter().find(|(name, _)| *name == file)
    {
        return shape;
    }
    match variant.kind {
        ElementKind::Hex => {
            let (cells, blocks) = tuned_hexahedra(file, variant);
            (cells, blocks, 1)
        }
        _ => tuned_dense(file, variant),
    }
}

/// What measured fastest on an H200 at orders 3 and 4; elsewhere blocks of about 128 threads that hold two points each.
fn tuned_dense(file: &str, variant: &Variant) -> (usize, usize, usize) {
    let np = variant.kind.points(variant.order);
    let cells = |threads: usize| 1usize << (threads / np).clamp(1, 64).ilog2();
    if !file.ends_with("_dense.cu") {
        return (cells(160), 1, 1);
    }
    match (variant.kind, variant.order, variant.double) {
        (ElementKind::Prism, 3, false) => (4, 8, 1),
        (ElementKind::Prism, 3, true) => (2, 8, 1),
        (ElementKind::Prism, 4, false) => (4, 6, 2),
        (ElementKind::Prism, 4, true) => (4, 4, 2),
        (ElementKind::Tet, 3, false) => (8, 7, 1),
        (ElementKind::Tet, 3, true) => (8, 4, 1),
        (ElementKind::Tet, 4, false) => (8, 6, 2),
        (ElementKind::Tet, 4, true) => (8, 4, 3),
        (ElementKind::Pyramid, 3, false) => (4, 12, 2),
        (ElementKind::Pyramid, 3, true) => (8, 4, 2),
        (ElementKind::Pyramid, 4, false) => (4, 8, 2),
        (ElementKind::Pyramid, 4, true) => (4, 4, 2),
        _ => {
            let cells = cells(320);
            let registers = if variant.double { 128 } else { 80 };
            let threads = (cells * np / 2).next_multiple_of(32);
            (cells, (65536 / registers / threads).max(1), 2)
        }
    }
}

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
        ("bench_interface.cu", 1, ..) => (8, 1),
        ("bench_interface.cu", 2, ..) => (4, 1),
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
                    };
                    let (cells, _, wide) = tuned(file, &variant);
                    assert!(width(kind).is_multiple_of(cells) && wide > 0, "{variant:?}");
                }
            }
        }
    }
}
