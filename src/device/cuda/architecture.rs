//! GPU architectures: their names, what one of their multiprocessors offers, and how much of it a kernel can fill.
//!
//! Numbers are those of the CUDA C++ Programming Guide, "Compute Capabilities"; the rules by which registers and shared
//! memory are handed out are those of NVIDIA's occupancy calculator.

use std::fmt;
use std::str::FromStr;

/// What code is made for: machine code of one architecture, or PTX that drivers translate for it and all later ones.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Architecture {
    /// Compute capability times ten, e.g. 90.
    pub number: u32,
    /// PTX (compute_XX) instead of machine code (sm_XX).
    pub ptx: bool,
    /// "a" or "f": the features of this architecture or family only.
    pub suffix: String,
}

/// A name that is no architecture.
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

/// What one multiprocessor offers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Multiprocessor {
    /// Resident threads.
    pub threads: usize,
    /// Resident thread blocks.
    pub blocks: usize,
    /// Shared memory in all, in bytes.
    pub shared: usize,
    /// Shared memory that one block can ask for, in bytes.
    pub shared_per_block: usize,
    /// Shared memory that the system keeps of every block, in bytes.
    shared_reserved: usize,
    /// Shared memory is handed out in multiples of this, in bytes.
    shared_unit: usize,
}

/// 32-bit registers of a multiprocessor, of all architectures so far.
const REGISTERS: usize = 64 << 10;
/// Threads of a warp.
const WARP: usize = 32;
/// Registers go to warps in multiples of this.
const REGISTER_UNIT: usize = 256;
/// Schedulers of a multiprocessor, each with its share of the registers: warps fill them evenly.
const SCHEDULERS: usize = 4;

impl Architecture {
    /// What a multiprocessor of this architecture offers; none for architectures newer than this table.
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
    /// Share of the resident warps that a kernel can fill, 0 to 1, from the threads of a block, the registers of a thread
    /// and the shared memory of a block in bytes. 0: a block does not fit at all.
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

    /// The sweeps of the prototype that this solver's design was measured with, on an H200.
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
