//! The settings of the exchange of traces between ranks.

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

/// The range of message sizes in bytes. Below it the cost of a message exceeds that of its data; above it MPI cannot
/// count the bytes.
pub const PIECES: std::ops::RangeInclusive<u64> = 4096..=1 << 30;
/// The default message size in bytes: small enough to overlap, large enough to reach full bandwidth.
pub const DEFAULT_PIECE: u64 = 1 << 20;

/// The settings of the exchange of traces.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ExchangeSettings {
    /// The transport between GPUs.
    pub transport: Transport,
    /// Bytes of a message through the host.
    pub piece: usize,
}
