//! GPU architectures: their names, the limits of a multiprocessor, and the occupancy of a kernel.
//!
//! The limits are those of the CUDA C++ Programming Guide, "Compute Capabilities". The rules of allocation of registers
//! and shared memory are those of NVIDIA's occupancy calculator.

use std::fmt;
use std::str::FromStr;

/// The target of a compilation: machine code of one architecture, or PTX that drivers translate for it and later ones.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Architecture {
    /// Compute capability times ten, e.g. 90.
    pub number: u32,
    /// Whether the target is PTX (compute_XX) instead of machine code (sm_XX).
    pub ptx: bool,
    /// "a" for features of this architecture only, "f" for those of its family only, or empty.
    pub suffix: String,
}

/// The error of a name that is not an architecture.
#[derive(Debug, thiserror::Error)]
#[error("'{0}' is not an architecture: use a name like sm_90 (machine code) or compute_90 (PTX)")]
pub struct NotAnArchitecture(String);

impl FromStr for Architecture {
    type Err = NotAnArchitecture;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        let parsed = (|| {
            let (ptx, rest) = match (name.strip_prefix("sm_"), name.strip_prefix("compute_")) {
                (Some(rest), _) => (false, rest),
                (_, rest) => (true, rest?),
            };
            let digits = rest.trim_end_matches(|c: char| c.is_ascii_lowercase());
            let suffix = rest[digits.len()..].to_owned();
            let plain = digits.bytes().all(|b| b.is_ascii_digit()) && (2..=3).contains(&digits.len());
            (plain && ["", "a", "f"].contains(&suffix.as_str())).then(|| Architecture {
                number: digits.parse().unwrap_or_default(),
                ptx,
                suffix,
            })
        })();
        parsed.ok_or_else(|| NotAnArchitecture(name.to_owned()))
    }
}

impl fmt::Display for Architecture {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let kind = if self.ptx { "compute" } else { "sm" };
        write!(f, "{kind}_{}{}", self.number, self.suffix)
    }
}

/// Limits of a multiprocessor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Multiprocessor {
    /// Largest number of resident threads.
    pub threads: usize,
    /// Largest number of resident thread blocks.
    pub blocks: usize,
    /// Total shared memory, in bytes.
    pub shared: usize,
    /// Largest shared memory of a block, in bytes.
    pub shared_per_block: usize,
    /// Shared memory that the system reserves for each block, in bytes.
    shared_reserved: usize,
    /// Unit of allocation of shared memory, in bytes.
    shared_unit: usize,
}

/// 32-bit registers of a multiprocessor, the same in all architectures of the table.
const REGISTERS: usize = 64 << 10;
/// Threads of a warp.
const WARP: usize = 32;
/// Registers are allocated to warps in multiples of this number.
const REGISTER_UNIT: usize = 256;
/// Schedulers of a multiprocessor. Registers and warps are divided evenly among them.
const SCHEDULERS: usize = 4;

impl Architecture {
    /// Returns the limits of a multiprocessor of this architecture, or `None` if the table does not have it.
    pub fn multiprocessor(&self) -> Option<Multiprocessor> {
        let (threads, blocks, shared, shared_per_block) = match self.number {
            50 | 53 | 60 | 62 => (2048, 32, 64, 48),
            52 | 61 => (2048, 32, 96, 48),
            70 | 72 => (2048, 32, 96, 96),
            75 => (1024, 16, 64, 64),
            80 => (2048, 32, 164, 163),
            86 => (1536, 16, 100, 99),
            87 => (1536, 16, 164, 163),
            89 => (1536, 24, 100, 99),
            90 | 100 | 103 => (2048, 32, 228, 227),
            110 => (1536, 24, 228, 227),
            120 | 121 => (1536, 24, 100, 99),
            _ => return None,
        };
        let recent = self.number >= 80;
        Some(Multiprocessor {
            threads,
            blocks,
            shared: shared << 10,
            shared_per_block: shared_per_block << 10,
            shared_reserved: if recent { 1 << 10 } else { 0 },
            shared_unit: if recent { 128 } else { 256 },
        })
    }
}

impl Multiprocessor {
    /// Returns the occupancy of a kernel: its resident warps as a fraction of the largest number, 0 to 1. It is 0 if a
    /// block does not fit. The arguments are the threads of a block, the registers of a thread and the shared memory of
    /// a block in bytes.
    pub fn occupancy(&self, threads: usize, registers: usize, shared: usize) -> f64 {
        if threads == 0 || shared > self.shared_per_block {
            return 0.0;
        }
        let warps = threads.div_ceil(WARP);
        let most = self.threads / WARP;
        let registers_of_a_warp = (registers.max(1) * WARP).next_multiple_of(REGISTER_UNIT);
        let warps_by_registers = REGISTERS / registers_of_a_warp / SCHEDULERS * SCHEDULERS;
        let shared_of_a_block = (shared + self.shared_reserved).next_multiple_of(self.shared_unit);
        let by_shared = self.shared.checked_div(shared_of_a_block).unwrap_or(self.blocks);
        let blocks = [most / warps, warps_by_registers / warps, by_shared, self.blocks];
        let blocks = blocks.into_iter().min().unwrap_or(0);
        (blocks * warps) as f64 / most as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn occupancy(name: &str, threads: usize, registers: usize, shared_kb: f64) -> f64 {
        let architecture: Architecture = name.parse().unwrap();
        let shared = (shared_kb * 1024.0) as usize;
        100.0
            * architecture
                .multiprocessor()
                .unwrap()
                .occupancy(threads, registers, shared)
    }

    #[test]
    fn names_are_read_and_written() {
        for name in ["sm_90", "compute_75", "sm_100", "sm_90a", "compute_120f"] {
            assert_eq!(name.parse::<Architecture>().unwrap().to_string(), name);
        }
        for name in ["sm_9", "90", "sm90", "sm_90b", "sm_9000", "sm_", "compute_x5", "sm_a"] {
            assert!(name.parse::<Architecture>().is_err(), "{name}");
        }
    }

    /// Sweeps of the prototype from whose measurements on an H200 the design of the kernels follows.
    #[test]
    fn occupancies_are_those_of_the_prototype() {
        for (threads, registers, shared_kb, percent) in [
            (150, 46, 15.6, 62.5),
            (150, 64, 19.5, 46.875),
            (150, 72, 19.5, 39.0625),
            (150, 128, 39.1, 23.4375),
            (192, 56, 36.0, 56.25),
            (192, 80, 45.0, 37.5),
            (192, 168, 90.0, 18.75),
            (108, 163, 39.4, 18.75),
        ] {
            assert_eq!(
                occupancy("sm_90", threads, registers, shared_kb),
                percent,
                "{threads} {registers}"
            );
        }
    }

    #[test]
    fn every_limit_counts() {
        assert_eq!(occupancy("sm_80", 1024, 32, 0.0), 100.0);
        assert_eq!(occupancy("sm_80", 32, 16, 0.0), 50.0, "32 blocks of one warp");
        assert_eq!(occupancy("sm_80", 256, 32, 81.0), 25.0, "shared memory: two blocks");
        assert_eq!(
            occupancy("sm_80", 256, 32, 82.0),
            12.5,
            "1 KB of each block is the system's"
        );
        assert_eq!(
            occupancy("sm_86", 768, 32, 0.0),
            100.0,
            "two blocks of 768 are all 1536 threads"
        );
        assert_eq!(occupancy("sm_75", 256, 64, 0.0), 100.0);
        assert_eq!(occupancy("sm_90", 256, 32, 228.0), 0.0, "more than a block may have");
        assert_eq!(occupancy("sm_90", 1024, 128, 0.0), 0.0, "more registers than there are");
        assert_eq!("sm_130".parse::<Architecture>().unwrap().multiprocessor(), None);
    }
}
