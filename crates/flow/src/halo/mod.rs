//! The exchange of traces between ranks, hidden behind the computation of interior cells.
//!
//! [`Exchange::start`] packs the values on the device, posts the receives and begins to copy the packed values to the
//! host in pieces. [`Exchange::finish`] sends each piece as soon as it is on the host, and copies each piece that
//! arrives to the device. Copies in both directions and the network thus work at the same time. The device computes
//! interior cells between the two calls.
//!
//! On a CPU the packed values are sent from, and received into, the arrays that the kernels use, without a copy. GPUs
//! of one machine need none of this: they pass the values on, from GPU to GPU or through memory of the host that two
//! ranks share, and the host continues at once. GPUs of several machines do the same where NCCL connects them.

mod check;
mod exchange;
mod messages;
pub mod network;
mod settings;
pub mod speeds;
pub mod times;
mod transport;
pub mod watchdog;

pub use check::{SelfTestError, test_exchange};
pub use exchange::{Exchange, Traffic};
pub use settings::ExchangeKeys;
pub use settings::{DEFAULT_PIECE, ExchangeSettings, PIECES, Transport};
pub use transport::{Route, Routes, TransportError};
