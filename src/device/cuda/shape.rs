//! How each kernel is launched: cells and threads of a block, blocks that share a multiprocessor, dynamic shared memory.
//!
//! The kernels get CELLS and BLOCKS as macros; threads and shared memory follow from their text (`THREADS`, `POINTS`, `CELL_GAP`
//! and the `SHARED` arrays of ptx/machine.h), and the host has to ask for the same. BLOCKS bounds the registers: too many make
//! the compiler spill, too few leave multiprocessors waiting; the table holds what measured fastest on an H200.

use super::programs::Variant;

/// How a kernel is launched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shape {
    /// Cells of a thread block.
    pub cells: usize,
    /// Thread blocks that share a multiprocessor at least, as far as registers go.
    pub blocks: usize,
    /// Threads of a block.
    pub threads: usize,
    /// Dynamic shared memory of a block, in bytes.
    pub shared: usize,
}

/// Blocks that the plan pads every group of cells to: a multiple of the cells of any thread block.
pub const WIDTH: usize = 8;

/// The shape of one kernel of one file.
pub fn launch_shape(file: &str, kernel: &str, variant: &Variant) -> Shape {
    let n = variant.order + 1;
    let real = if variant.double { 8 } else { 4 };
    let points = if n == 6 || n == 8 { n * n * (n + 1) } else { n * n * n };
    let gap = if n == 4 { 64 / real } else { 0 };
    let array = |values: usize, size: usize| (values + gap) * size;
    let values = |count: usize| array(count * points, real);
    let (cells, blocks) = tuned(file, variant);
    let of_a_cell = match kernel {
        "sweep1" => values(5) + values(12),
        "sweep2" => values(5) + values(15),
        "rates" => array(3 * n * n, 8),
        "integrals" => array(17 * n * n, 8) + values(5) + values(12),
        _ => 0,
    };
    Shape {
        cells,
        blocks,
        threads: cells * 3 * n * n,
        shared: cells * of_a_cell,
    }
}

/// Cells of a block and blocks of a multiprocessor; FR_LES_LAUNCH=sweep2.cu=2:6,... overrides them, to tune for other GPUs.
fn tuned(file: &str, variant: &Variant) -> (usize, usize) {
    if let Ok(text) = std::env::var("FR_LES_LAUNCH")
        && let Some(entry) = text.split(',').find_map(|e| e.strip_prefix(file)?.strip_prefix('='))
        && let Some((cells, blocks)) = entry.split_once(':')
        && let (Ok(cells), Ok(blocks)) = (cells.parse(), blocks.parse())
    {
        return (cells, blocks);
    }
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
        ("interface.cu", 1, ..) => (8, 1),
        ("interface.cu", 2, ..) => (4, 1),
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
                order,
                double,
                fast: false,
                curved: false,
            };
            let s = launch_shape(file, kernel, &variant);
            (s.cells, s.threads, s.shared)
        };
        assert_eq!(of("sweep2.cu", "sweep2", 4, true), (2, 150, 40_000));
        assert_eq!(of("sweep1.cu", "sweep1", 7, false), (1, 192, 17 * 576 * 4));
        assert_eq!(of("sweep2.cu", "sweep2", 3, false), (2, 96, 2 * (20 * 64 + 32) * 4));
        assert_eq!(of("boundary.cu", "ghost_states", 1, true), (1, 12, 0));
    }

    #[test]
    fn padding_suits_every_block() {
        for file in ["sweep1.cu", "sweep2.cu", "monitor.cu"] {
            for order in 1..=8 {
                for (double, curved) in [(false, false), (false, true), (true, false), (true, true)] {
                    let variant = Variant {
                        order,
                        double,
                        fast: false,
                        curved,
                    };
                    assert!(WIDTH.is_multiple_of(tuned(file, &variant).0));
                }
            }
        }
    }
}
