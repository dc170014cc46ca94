//! How ranks are to exchange what they need of each other.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What brings traces from the GPU of one rank to that of another.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, clap::ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub enum Transport {
    /// The fastest that works.
    #[default]
    Auto,
    /// Pinned memory of the host, and MPI; works everywhere.
    Staged,
    /// GPUs of one machine write into each other's memory; ranks on other machines are reached by way of the host.
    Peer,
    /// MPI is given addresses on the GPU; for an MPI library that is built for that.
    CudaAware,
}

/// Bytes of a message that may be asked for: below, messages cost more than what they carry; above, MPI cannot count them.
pub const PIECES: std::ops::RangeInclusive<u64> = 4096..=1 << 30;
/// Bytes of a message where nothing is asked for: small enough to overlap, large enough to reach full bandwidth.
pub const DEFAULT_PIECE: u64 = 1 << 20;

/// How ranks exchange traces.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ExchangeSettings {
    /// What brings them.
    pub transport: Transport,
    /// Bytes of a message by way of the host.
    pub piece: usize,
}
