//! The settings of the exchange of traces between ranks, and their keys in a case. The doc comments of the keys are
//! addressed to the user: the JSON schema and docs/reference/case-keys.md are made from them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::input::{Count, Problem, Scope, check, keys};

/// What brings traces from the GPU of one rank to that of another.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, clap::ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub enum Transport {
    /// The fastest that works.
    #[default]
    Auto,
    /// Memory of the host, which the ranks of a machine share, and MPI between machines; works everywhere.
    Staged,
    /// From the memory of a GPU into that of another one of the machine; by way of the host to other machines.
    Peer,
    /// NVIDIA's library NCCL, inside a machine and between machines.
    Nccl,
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

keys! {
#[derive(Default)]
/// The exchange between ranks.
ExchangeKeys as "a mapping with keys such as `transport`" {
    /// Transport of traces between GPUs. Inside a machine `auto` takes `peer` where the GPUs reach each other, each has
    /// one rank and a trial succeeds, and else `staged`. Between machines it takes `nccl` where all ranks have that
    /// library and a trial succeeds, and else `staged`. On CPUs all messages go through MPI.
    #[serde(default)]
    pub transport: Transport,
    /// Bytes of a piece of what goes through the host, from 4096 to 1073741824; default 1048576.
    pub piece: Option<Count>,
}}

impl ExchangeKeys {
    /// Evaluates and checks the keys.
    ///
    /// # Errors
    /// Returns a problem with the path of the key if a value is not possible.
    pub fn resolve(&self, scope: &Scope) -> Result<ExchangeSettings, Problem> {
        let piece = self
            .piece
            .as_ref()
            .map(|n| scope.count("exchange.piece", n))
            .transpose()?;
        let piece = piece.unwrap_or(DEFAULT_PIECE);
        let right = PIECES.contains(&piece);
        check("exchange.piece", piece as f64, right, "from 4096 to 1073741824 bytes")?;
        Ok(ExchangeSettings {
            transport: self.transport,
            piece: piece as usize,
        })
    }
}
