//! The exchange of traces between ranks, hidden behind the cells that do not need it.
//!
//! [`Exchange::start`] packs on the device, posts the receives and begins to bring the packed values to the host in pieces;
//! [`Exchange::finish`] sends each piece as soon as it has arrived there and delivers each that comes, so that the way down, the
//! network and the way up work at the same time. Between the two the device computes interior cells. On a CPU the packed values
//! are sent, and received where they are read, without a copy.

mod check;
mod messages;

use std::ops::Range;
use std::time::Instant;

pub use check::{TrialError, try_exchange};

use crate::device::{Device, DeviceError, HaloNeighbour, HaloPlan, HostTraces, Traces};
use crate::ranks::Ranks;
use messages::{Messages, Slice};

/// Bytes of a piece unless something else is asked for: small enough to overlap, large enough to reach full bandwidth.
pub const PIECE: usize = 1 << 20;

/// A piece of the traffic with one rank, as values of the whole.
#[derive(Debug, Clone)]
struct Piece {
    rank: usize,
    values: Range<usize>,
}

/// What the exchanges so far took.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Traffic {
    /// Exchanges.
    pub exchanges: u64,
    /// Messages sent.
    pub messages: u64,
    /// Bytes sent.
    pub bytes: u64,
    /// Seconds from the begin of packing until everything was there.
    pub communication: f64,
    /// Seconds of these in which the host had nothing to do but wait.
    pub waiting: f64,
}

/// An exchange that has begun.
#[derive(Clone, Copy)]
struct UnderWay {
    traces: Traces,
    host: HostTraces,
    /// Pieces that have been sent.
    sent: usize,
}

/// The exchange of one rank with its neighbours.
pub struct Exchange {
    messages: Messages,
    /// Of states and of viscous traces: what goes, what comes.
    plans: [[Vec<Piece>; 2]; 2],
    /// Pieces on their way to the host: number on the device and which it is.
    leaving: Vec<(usize, usize)>,
    begun: Instant,
    under_way: Option<UnderWay>,
    traffic: Traffic,
}

impl Exchange {
    /// For the halos of a device whose values have `real` bytes.
    pub fn new(ranks: &Ranks, halo: &HaloPlan, real: usize, piece: usize) -> Self {
        let most = (piece / real).max(1);
        let cut = |range: fn(&HaloNeighbour) -> Range<usize>| {
            let pieces = halo.neighbours.iter().flat_map(|n| {
                let whole = range(n);
                let end = whole.end;
                whole.step_by(most).map(move |begin| Piece {
                    rank: n.rank,
                    values: begin..(begin + most).min(end),
                })
            });
            pieces.collect::<Vec<_>>()
        };
        Exchange {
            messages: Messages::new(ranks),
            plans: [
                [cut(|n| n.states_out.clone()), cut(|n| n.states_in.clone())],
                [cut(|n| n.traces.clone()), cut(|n| n.traces.clone())],
            ],
            leaving: Vec::new(),
            begun: Instant::now(),
            under_way: None,
            traffic: Traffic::default(),
        }
    }

    /// What the exchanges so far took.
    pub fn traffic(&self) -> Traffic {
        self.traffic
    }

    /// Begins to exchange `traces`.
    pub fn start(&mut self, device: &mut dyn Device, traces: Traces) -> Result<(), DeviceError> {
        self.begun = Instant::now();
        device.pack(traces)?;
        let host = device.host_traces(traces)?;
        let [outgoing, incoming] = &self.plans[which(traces)];
        for piece in incoming {
            let (begin, bytes) = (piece.values.start * host.real, piece.values.len() * host.real);
            // SAFETY: the device says that its halos can be received there; it is told nothing else about these traces before
            // `finish` has seen the last of them.
            unsafe {
                self.messages
                    .receive(piece.rank, Slice::new(host.incoming.add(begin), bytes))
            };
        }
        self.leaving.clear();
        for (number, piece) in outgoing.iter().enumerate() {
            self.leaving.push((device.fetch(traces, piece.values.clone())?, number));
        }
        self.under_way = Some(UnderWay { traces, host, sent: 0 });
        self.send_what_is_there(device)
    }

    /// Sends the pieces that have come to the host, in their order.
    fn send_what_is_there(&mut self, device: &mut dyn Device) -> Result<(), DeviceError> {
        let Some(UnderWay { traces, host, sent }) = &mut self.under_way else {
            return Ok(());
        };
        while let Some(&(ticket, number)) = self.leaving.get(*sent) {
            if !device.fetched(ticket)? {
                break;
            }
            let piece = &self.plans[which(*traces)][0][number];
            let (begin, bytes) = (piece.values.start * host.real, piece.values.len() * host.real);
            // SAFETY: the piece is on the host, and stays as it is until the next packing, which `finish` comes before.
            unsafe {
                let from = host.outgoing.add(begin).cast_mut();
                self.messages.send(piece.rank, Slice::new(from, bytes));
            }
            self.traffic.messages += 1;
            self.traffic.bytes += bytes as u64;
            *sent += 1;
        }
        Ok(())
    }

    /// Ends what [`Exchange::start`] began: what the device is told from now on finds the other ranks' traces.
    pub fn finish(&mut self, device: &mut dyn Device) -> Result<(), DeviceError> {
        let Some(UnderWay { traces, .. }) = self.under_way else {
            return Ok(());
        };
        let waiting = Instant::now();
        let pieces = self.plans[which(traces)][0].len();
        loop {
            self.send_what_is_there(device)?;
            let all_sent = self.under_way.is_none_or(|now| now.sent == pieces);
            if all_sent && !self.messages.incoming() {
                break;
            }
            // With everything sent there is nothing left to do but to wait for the others.
            for number in self.messages.received(all_sent) {
                let values = self.plans[which(traces)][1][number].values.clone();
                device.deliver(traces, values)?;
            }
        }
        self.messages.wait_until_sent();
        device.delivered()?;
        self.under_way = None;
        self.traffic.exchanges += 1;
        self.traffic.waiting += waiting.elapsed().as_secs_f64();
        self.traffic.communication += self.begun.elapsed().as_secs_f64();
        Ok(())
    }
}

/// States are first, viscous traces second wherever there are two.
fn which(traces: Traces) -> usize {
    usize::from(traces == Traces::Viscous)
}
