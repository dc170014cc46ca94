//! The exchange of one rank with its neighbours: what is cut into messages, and what is under way.

use std::ops::Range;
use std::time::Instant;

use super::messages::{Messages, Slice};
use super::settings::{ExchangeSettings, PIECES};
use super::transport::{self, Route, Routes, TransportError};
use crate::device::{Device, DeviceError, HaloBuffers, HaloNeighbour, Span, Traces};
use crate::ranks::Ranks;

/// A piece of the traffic with one rank, as a range of the packed values.
#[derive(Debug, Clone)]
struct Piece {
    rank: usize,
    values: Range<usize>,
}

/// Counts and times of the exchanges that the host began. A GPU that replays a step begins its own, which are not
/// counted.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Traffic {
    /// Number of exchanges.
    pub exchanges: u64,
    /// Number of messages sent.
    pub messages: u64,
    /// Bytes sent.
    pub bytes: u64,
    /// Seconds from the start of packing until all values had arrived.
    pub communication: f64,
    /// Seconds of these in which the host returned to its other work: interior cells.
    pub overlap: f64,
    /// Seconds of these in which the host waited.
    pub waiting: f64,
}

/// An exchange in progress.
#[derive(Clone, Copy)]
struct UnderWay {
    traces: Traces,
    host: HaloBuffers,
    /// Number of pieces sent.
    sent: usize,
    /// The moment at which the exchange had been started.
    started: Instant,
}

impl UnderWay {
    fn new(traces: Traces, host: HaloBuffers) -> Self {
        UnderWay {
            traces,
            host,
            sent: 0,
            started: Instant::now(),
        }
    }
}

/// The exchange of one rank with its neighbours.
pub struct Exchange {
    messages: Messages,
    /// Outgoing and incoming pieces, `[states, viscous traces][out, in]`.
    plans: [[Vec<Piece>; 2]; 2],
    /// Pieces on their way to the host: the ticket of the device, and the index of the piece.
    leaving: Vec<(usize, usize)>,
    begun: Instant,
    /// The moment at which the first piece of the present exchange was on the host.
    first_sent: Option<Instant>,
    under_way: Option<UnderWay>,
    traffic: Traffic,
    routes: Routes,
    /// Neighbours that need no messages, and bytes sent to them, of states and of viscous traces.
    linked: [(u64, u64); 2],
    /// The moment at which recording began, and the spans of the network since.
    watch: Option<(Instant, Vec<Span>)>,
}

impl Exchange {
    /// Returns the exchange for the halos of a device with values of `real` bytes, by the transport that the case asks
    /// for, but by no route that is faster than `fastest`. Collective.
    ///
    /// # Errors
    /// The transport is not available, or the device fails.
    pub fn new(
        ranks: &Ranks,
        device: &mut dyn Device,
        real: usize,
        wanted: &ExchangeSettings,
        fastest: Route,
    ) -> Result<Self, TransportError> {
        let routes = transport::choose(device, ranks, wanted, real, fastest)?;
        let neighbours = &device.plan().halo.neighbours;
        // A CUDA-aware library cuts messages as it likes, so that they are as long as MPI can count.
        let piece = if routes.cuda_aware {
            *PIECES.end() as usize
        } else {
            wanted.piece
        };
        let most = (piece / real).max(1);
        let to = |by_messages: bool| {
            let all = neighbours.iter().zip(&routes.to);
            all.filter(move |(_, route)| (**route == Route::Messages) == by_messages)
                .map(|(neighbour, _)| neighbour)
        };
        let cut = |range: fn(&HaloNeighbour) -> Range<usize>| {
            let pieces = to(true).flat_map(|n| {
                let whole = range(n);
                let end = whole.end;
                whole.step_by(most).map(move |begin| Piece {
                    rank: n.rank,
                    values: begin..begin.saturating_add(most).min(end),
                })
            });
            pieces.collect::<Vec<_>>()
        };
        let linked = |range: fn(&HaloNeighbour) -> Range<usize>| {
            to(false).fold((0, 0), |(messages, bytes), n| {
                (messages + 1, bytes + (range(n).len() * real) as u64)
            })
        };
        Ok(Exchange {
            messages: Messages::new(ranks),
            plans: [
                [cut(|n| n.states_out.clone()), cut(|n| n.states_in.clone())],
                [cut(|n| n.traces.clone()), cut(|n| n.traces.clone())],
            ],
            linked: [linked(|n| n.states_out.clone()), linked(|n| n.traces.clone())],
            leaving: Vec::new(),
            begun: Instant::now(),
            first_sent: None,
            under_way: None,
            traffic: Traffic::default(),
            watch: None,
            routes,
        })
    }

    /// Returns the routes of the traces.
    pub fn routes(&self) -> &Routes {
        &self.routes
    }

    /// Chooses whether the copy engines bring packed values to peers, in place of the packing kernel.
    pub fn copy_to_peers(&mut self, device: &mut dyn Device, copy: bool) -> Result<(), DeviceError> {
        self.routes.copied = copy;
        device.transport().map_or(Ok(()), |t| t.copy_to_peers(copy))
    }

    /// Begins to record the spans of the network.
    pub fn watch(&mut self) {
        self.watch = Some((Instant::now(), Vec::new()));
    }

    /// Returns the spans of the network since [`Exchange::watch`].
    pub fn watched(&mut self) -> Vec<Span> {
        self.watch.take().map_or(Vec::new(), |(_, spans)| spans)
    }

    /// Returns the counts and times of the exchanges so far.
    pub fn traffic(&self) -> Traffic {
        self.traffic
    }

    /// Waits until the devices of all ranks are idle. Between two exchanges of the same traces without others in
    /// between this keeps a rank from writing into a buffer that another one still reads. Collective.
    pub fn meet(&self, device: &mut dyn Device) -> Result<(), DeviceError> {
        device.synchronize()?;
        self.messages.barrier();
        Ok(())
    }

    /// Begins to exchange `traces`.
    pub fn start(&mut self, device: &mut dyn Device, traces: Traces) -> Result<(), DeviceError> {
        self.begun = Instant::now();
        device.pack(traces)?;
        let (messages, bytes) = self.linked[traces.index()];
        self.traffic.messages += messages;
        self.traffic.bytes += bytes;
        let [outgoing, incoming] = &self.plans[traces.index()];
        if outgoing.is_empty() && incoming.is_empty() {
            self.under_way = Some(UnderWay::new(traces, HaloBuffers::NONE));
            return Ok(());
        }
        let host = device.halo_buffers(traces)?;
        for piece in incoming {
            let begin = piece.values.start * host.real;
            let bytes = piece.values.len() * host.real;
            // SAFETY: the device receives its halos in this buffer, and gets no other command on these traces before
            // `finish` has seen the last of them.
            unsafe {
                self.messages
                    .receive(piece.rank, Slice::new(host.incoming.add(begin), bytes))
            };
        }
        self.leaving.clear();
        self.first_sent = None;
        for (number, piece) in outgoing.iter().enumerate() {
            // If the kernels write into the buffers of MPI, every piece is there already.
            let ticket = match device.transport() {
                Some(transport) => transport.start_d2h(traces, piece.values.clone())?,
                None => number,
            };
            self.leaving.push((ticket, number));
        }
        self.under_way = Some(UnderWay::new(traces, host));
        self.send_what_is_there(device)
    }

    /// Sends the pieces that are on the host, in their order.
    fn send_what_is_there(&mut self, device: &mut dyn Device) -> Result<(), DeviceError> {
        let Some(UnderWay { traces, host, sent, .. }) = &mut self.under_way else {
            return Ok(());
        };
        while let Some(&(ticket, number)) = self.leaving.get(*sent) {
            if !device.transport().map_or(Ok(true), |t| t.d2h_done(ticket))? {
                break;
            }
            let piece = &self.plans[traces.index()][0][number];
            let begin = piece.values.start * host.real;
            let bytes = piece.values.len() * host.real;
            // SAFETY: the piece is on the host, and does not change before the next packing, which comes after
            // `finish`.
            unsafe {
                let from = host.outgoing.add(begin).cast_mut();
                self.messages.send(piece.rank, Slice::new(from, bytes));
            }
            self.first_sent.get_or_insert_with(Instant::now);
            self.traffic.messages += 1;
            self.traffic.bytes += bytes as u64;
            *sent += 1;
        }
        Ok(())
    }

    /// Completes the exchange that [`Exchange::start`] began. Commands to the device after this call read the traces of
    /// other ranks.
    pub fn finish(&mut self, device: &mut dyn Device) -> Result<(), DeviceError> {
        let Some(UnderWay { traces, started, .. }) = self.under_way else {
            return Ok(());
        };
        let waiting = Instant::now();
        let pieces = self.plans[traces.index()][0].len();
        loop {
            self.send_what_is_there(device)?;
            let all_sent = self.under_way.is_none_or(|now| now.sent == pieces);
            if all_sent && !self.messages.incoming() {
                break;
            }
            // Once all pieces are sent, the host can only wait for the other ranks.
            for number in self.messages.received(all_sent) {
                let values = self.plans[traces.index()][1][number].values.clone();
                if let Some(transport) = device.transport() {
                    transport.start_h2d(traces, values)?;
                }
            }
        }
        self.messages.wait_until_sent();
        if let Some(transport) = device.transport() {
            transport.await_halo(traces)?;
        }
        self.under_way = None;
        if let Some((watched, spans)) = self.watch.as_mut().filter(|_| pieces > 0) {
            let since = |instant: Instant| instant.duration_since(*watched).as_secs_f64();
            spans.push(Span {
                queue: "network",
                what: traces.name(),
                begin: self.first_sent.map_or_else(|| since(waiting), since),
                end: since(Instant::now()),
            });
        }
        self.traffic.exchanges += 1;
        self.traffic.overlap += waiting.duration_since(started).as_secs_f64();
        self.traffic.waiting += waiting.elapsed().as_secs_f64();
        self.traffic.communication += self.begun.elapsed().as_secs_f64();
        Ok(())
    }
}
