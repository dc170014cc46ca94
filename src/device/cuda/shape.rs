//! What a launch of each kernel asks for: threads of a block and dynamic shared memory.
//!
//! The kernels fix both by their text (`THREADS` and the `SHARED` arrays of ptx/machine.h), and the host has to ask for
//! the same, since dynamic shared memory is given at the launch. Keep in step with ptx/.

/// What a launch asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shape {
    /// Cells of a thread block.
    pub cells: usize,
    /// Threads of a block.
    pub threads: usize,
    /// Dynamic shared memory of a block, in bytes.
    pub shared: usize,
}

/// The shape of one kernel of one file; kernels that are not named here use no shared memory.
pub fn launch_shape(file: &str, kernel: &str, order: usize, double: bool) -> Shape {
    let n = order + 1;
    let (lines, points) = (n * n, n * n * n);
    let real = if double { 8 } else { 4 };
    let cells = if order <= 4 { 2 } else { 1 };
    let of_a_cell = match (file, kernel) {
        ("sweep1.cu", "sweep1") => (5 + 12) * points * real,
        ("sweep2.cu", "sweep2") => (5 + 15) * points * real,
        ("monitor.cu", "rates") => 3 * lines * 8,
        ("monitor.cu", "integrals") => 17 * lines * 8 + (5 + 12) * points * real,
        _ => 0,
    };
    Shape {
        cells,
        threads: cells * 3 * lines,
        shared: cells * of_a_cell,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes_follow_the_kernels() {
        let shape = |cells, threads, shared| Shape { cells, threads, shared };
        assert_eq!(launch_shape("sweep2.cu", "sweep2", 4, true), shape(2, 150, 40_000));
        assert_eq!(launch_shape("sweep1.cu", "sweep1", 7, false), shape(1, 192, 34_816));
        assert_eq!(launch_shape("boundary.cu", "ghost_states", 1, true), shape(2, 24, 0));
    }
}
