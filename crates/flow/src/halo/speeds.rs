//! How long the ways take by which values travel between ranks, and between a GPU and its host: messages through MPI,
//! copies, writes into the memory of another GPU, and NCCL, over the size of what is sent. The solver uses the same
//! calls, so that these numbers are the limits of its exchange on a cluster.
//!
//! Ranks with consecutive numbers are measured pair by pair, while the others wait. Both ranks of a pair send and
//! receive at once, as in a step, and what has arrived is compared with what was sent.

use std::fmt;
use std::time::Instant;

use serde::Serialize;

use super::messages::{Messages, Slice};
use super::network::{self, NoNetwork, agree};
use super::transport::is_cuda_aware;
use super::watchdog::Watchdog;
use crate::device::cuda::{Direction, HostMemory, Probe};
use crate::device::{DeviceError, Network};
use crate::ranks::Ranks;

/// Sizes in bytes, powers of two: 1 KiB to 64 MiB.
const SIZES: std::ops::RangeInclusive<u32> = 10..=26;
/// The largest size in bytes.
pub const LARGEST: usize = 1 << *SIZES.end();
/// Transfers of a size that are not counted, because caches are cold and connections new.
const WARM_UP: usize = 3;
/// Least and largest number of transfers of a size, of which the median counts, and the seconds that they may take.
const TIMES: std::ops::RangeInclusive<usize> = 5..=100;
const SECONDS: f64 = 0.1;

/// A way of values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Way {
    /// Messages of MPI between memory of the hosts.
    Messages,
    /// From memory of the host that stays in place to the GPU.
    PinnedToGpu,
    /// From the GPU to memory of the host that stays in place.
    PinnedFromGpu,
    /// From usual memory of the host to the GPU.
    PageableToGpu,
    /// From the GPU to usual memory of the host.
    PageableFromGpu,
    /// From the memory of a GPU into that of another one of the machine.
    Peer,
    /// Sends and receives of NCCL.
    Nccl,
    /// Messages of MPI between memory of the GPUs.
    CudaAware,
}

impl Way {
    /// The ways between a GPU and its host.
    const COPIES: [Way; 4] = [
        Way::PinnedToGpu,
        Way::PinnedFromGpu,
        Way::PageableToGpu,
        Way::PageableFromGpu,
    ];
    /// The ways between GPUs.
    const BETWEEN_GPUS: [Way; 3] = [Way::Peer, Way::Nccl, Way::CudaAware];
}

impl fmt::Display for Way {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(match self {
            Way::Messages => "messages",
            Way::PinnedToGpu => "pinned to GPU",
            Way::PinnedFromGpu => "pinned from GPU",
            Way::PageableToGpu => "pageable to GPU",
            Way::PageableFromGpu => "pageable from GPU",
            Way::Peer => "peer",
            Way::Nccl => "nccl",
            Way::CudaAware => "cuda-aware",
        })
    }
}

/// Where a rank is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Place {
    /// Name of its machine.
    pub machine: String,
    /// Name of its GPU.
    pub gpu: Option<String>,
}

/// The time of a size.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Speed {
    /// Bytes that travel in one direction.
    pub bytes: usize,
    /// Seconds until they have arrived: the median, of the slower rank of a pair.
    pub seconds: f64,
    /// Thousand million bytes a second, in one direction.
    pub gb_per_s: f64,
}

/// The times of a way, by the size.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Series {
    /// The way.
    pub way: Way,
    /// The rank whose GPU is copied to or from, or the two that exchange.
    pub ranks: Vec<usize>,
    /// Whether all of it is inside one machine.
    pub one_machine: bool,
    /// Times of the sizes, which rise.
    pub sizes: Vec<Speed>,
}

/// A way that was not measured.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Missing {
    /// The way.
    pub way: Way,
    /// Why.
    pub reason: String,
}

/// What was measured.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Speeds {
    /// The place of each rank.
    pub ranks: Vec<Place>,
    /// The times.
    pub series: Vec<Series>,
    /// What could not be measured.
    pub missing: Vec<Missing>,
}

/// Measures all ways that there are. `gpu` is that of this rank, with buffers of [`LARGEST`] bytes, or the reason why it
/// has none. Each step of the work is told to the watchdog. Collective.
pub fn measure(ranks: &Ranks, gpu: Result<Probe, String>, watchdog: &Watchdog) -> Speeds {
    watchdog.now("telling the other ranks where this one is".to_owned());
    let machine = mpi::environment::processor_name().unwrap_or_default();
    let machines = of_all(ranks, &machine);
    let names = of_all(ranks, gpu.as_ref().map_or("", Probe::name));
    let place = |(machine, gpu): (String, String)| Place {
        machine,
        gpu: Some(gpu).filter(|name| !name.is_empty()),
    };
    let mut bench = Bench {
        ranks,
        watchdog,
        messages: Messages::new(ranks),
        outgoing: vec![mark(ranks.rank()); LARGEST],
        incoming: vec![0; LARGEST],
        gpu: None,
        handles: Vec::new(),
        found: Speeds {
            ranks: machines.into_iter().zip(names).map(place).collect(),
            series: Vec::new(),
            missing: Vec::new(),
        },
    };
    bench.pairs(Way::Messages);
    match agree(ranks, gpu) {
        Ok(gpu) => {
            bench.gpu = Some(gpu);
            for way in Way::COPIES {
                (0..ranks.size()).for_each(|rank| bench.series(way, vec![rank]));
            }
            bench.between_gpus();
        }
        Err(reason) => bench.miss(&[&Way::COPIES[..], &Way::BETWEEN_GPUS].concat(), &reason.to_string()),
    }
    bench.found
}

/// Returns the texts of all ranks. Collective.
fn of_all(ranks: &Ranks, text: &str) -> Vec<String> {
    let all = ranks.allgather(&[text.as_bytes(), b"\n"].concat());
    String::from_utf8_lossy(&all).lines().map(str::to_owned).collect()
}

/// Returns the byte with which a rank fills what it sends: not zero, and another one than those of its neighbours.
fn mark(rank: usize) -> u8 {
    (rank % 255) as u8 + 1
}

/// The work under way.
struct Bench<'a> {
    ranks: &'a Ranks,
    watchdog: &'a Watchdog,
    messages: Messages,
    outgoing: Vec<u8>,
    incoming: Vec<u8>,
    /// The GPU of this rank; `None` unless all ranks have one.
    gpu: Option<Probe>,
    /// Handles of the memory of all GPUs, one behind the other.
    handles: Vec<u64>,
    found: Speeds,
}

impl Bench<'_> {
    /// Notes why ways were not measured.
    fn miss(&mut self, ways: &[Way], reason: &str) {
        let missing = |&way: &Way| Missing {
            way,
            reason: reason.to_owned(),
        };
        self.found.missing.extend(ways.iter().map(missing));
    }

    /// Measures a way between all ranks with consecutive numbers. Collective.
    fn pairs(&mut self, way: Way) {
        if self.ranks.size() == 1 {
            self.miss(&[way], "it takes two ranks, as in mpirun -n 2 fr-les bench --exchange");
        }
        (1..self.ranks.size()).for_each(|second| self.series(way, vec![second - 1, second]));
    }

    /// Measures the ways between GPUs. Collective.
    fn between_gpus(&mut self) {
        let ids = self.ranks.allgather(&self.gpu.as_ref().map_or([0; 2], Probe::id));
        let ids: Vec<&[u64]> = ids.chunks(2).collect();
        if (1..ids.len()).any(|rank| ids[..rank].contains(&ids[rank])) {
            let reason = "ranks share a GPU: start no more of them on a machine than it has GPUs";
            return self.miss(&Way::BETWEEN_GPUS, reason);
        }
        match self.share_memory() {
            Ok(()) => self.pairs(Way::Peer),
            Err(reason) => self.miss(&[Way::Peer], &reason.to_string()),
        }
        self.gpu.iter_mut().for_each(Probe::close_peer);
        // No rank frees its memory while another one has it open.
        self.ranks.barrier();
        match self.join_network() {
            Ok(()) => self.pairs(Way::Nccl),
            Err(reason) => self.miss(&[Way::Nccl], &reason.to_string()),
        }
        self.watchdog.now("leaving NCCL".to_owned());
        self.gpu.iter_mut().for_each(Network::leave);
        if self.ranks.first_rank_where(!is_cuda_aware()).is_none() {
            self.pairs(Way::CudaAware);
        } else {
            let reason = "this MPI library does not report that it takes memory of GPUs";
            self.miss(&[Way::CudaAware], reason);
        }
    }

    /// Gives all ranks the handles of what each GPU receives. Collective.
    fn share_memory(&mut self) -> Result<(), NoNetwork> {
        self.watchdog.now("sharing the memory of GPUs".to_owned());
        let own = self.gpu.as_ref().map(Probe::handle).transpose();
        let own = agree(self.ranks, own.map_err(|error| error.to_string()))?;
        self.handles = self.ranks.allgather(&own.unwrap_or_default());
        Ok(())
    }

    /// Lets all ranks meet in NCCL, if there are several. Collective.
    fn join_network(&mut self) -> Result<(), NoNetwork> {
        let (rank, size) = (self.ranks.rank(), self.ranks.size());
        if size == 1 {
            return Ok(());
        }
        self.watchdog.now("meeting the other ranks in NCCL".to_owned());
        let neighbours = [rank.checked_sub(1), Some(rank + 1).filter(|&next| next < size)];
        let neighbours: Vec<usize> = neighbours.into_iter().flatten().collect();
        let network = self.gpu.as_mut().map(|gpu| gpu as &mut dyn Network);
        network::join(network, self.ranks, &neighbours)
    }

    /// Measures a way of one rank or a pair, and notes the times or the reason why there are none. Collective.
    fn series(&mut self, way: Way, of: Vec<usize>) {
        let names = match of[..] {
            [one, other] => format!("ranks {one} and {other}"),
            _ => format!("rank {}", of[0]),
        };
        let places = &self.found.ranks;
        let one_machine = of.iter().all(|&rank| places[rank].machine == places[of[0]].machine);
        if way == Way::Peer && !one_machine {
            return self.miss(&[way], &format!("{names} are on different machines"));
        }
        match self.times(way, &of, &names) {
            Ok(sizes) => self.found.series.push(Series {
                way,
                ranks: of,
                one_machine,
                sizes,
            }),
            Err(error) => self.miss(&[way], &format!("{names}: {error}")),
        }
    }

    /// Returns the times of a way by the size. Collective.
    fn times(&mut self, way: Way, of: &[usize], names: &str) -> Result<Vec<Speed>, NoNetwork> {
        let (ranks, watchdog) = (self.ranks, self.watchdog);
        let active = of.contains(&ranks.rank());
        let other = of.iter().copied().find(|&rank| rank != ranks.rank());
        // A copy has no other rank.
        let other = other.unwrap_or(of[0]);
        watchdog.now(format!("preparing {way}, {names}"));
        let begun = if active { self.begin(way, other) } else { Ok(()) };
        agree(ranks, begun.map_err(|error| error.to_string()))?;
        let (mut speeds, mut times) = (Vec::new(), *TIMES.end());
        for bytes in SIZES.map(|power| 1 << power) {
            watchdog.now(format!("{way} of {bytes} bytes, {names}"));
            ranks.barrier();
            let seconds = if active {
                self.transfer(way, other, bytes, WARM_UP + times)
            } else {
                Ok(Vec::new())
            };
            let mut seconds = agree(ranks, seconds.map_err(|error| error.to_string()))?;
            seconds.drain(..WARM_UP.min(seconds.len()));
            seconds.sort_by(f64::total_cmp);
            let mut median = [seconds.get(seconds.len() / 2).copied().unwrap_or_default()];
            ranks.allreduce_max(&mut median);
            let [seconds] = median;
            speeds.push(Speed {
                bytes,
                seconds,
                gb_per_s: bytes as f64 / seconds * 1e-9,
            });
            // The next size takes about twice as long at most.
            times = ((SECONDS / (2.0 * seconds)) as usize).clamp(*TIMES.start(), *TIMES.end());
        }
        watchdog.now(format!("comparing what came by {way}, {names}"));
        let arrived = if active && of.len() > 1 {
            self.check(way, other)
        } else {
            Ok(())
        };
        agree(ranks, arrived)?;
        Ok(speeds)
    }

    /// Prepares this rank for a way to another one.
    fn begin(&mut self, way: Way, other: usize) -> Result<(), DeviceError> {
        self.incoming.fill(0);
        let Some(gpu) = &mut self.gpu else { return Ok(()) };
        gpu.fill(mark(self.ranks.rank()))?;
        if way == Way::Peer {
            let words = self.handles.len() / self.ranks.size();
            gpu.open_peer(&self.handles[words * other..words * (other + 1)])?;
        }
        Ok(())
    }

    /// Lets so many bytes travel so many times; returns the seconds of each.
    fn transfer(&mut self, way: Way, other: usize, bytes: usize, times: usize) -> Result<Vec<f64>, DeviceError> {
        let on_host = [self.outgoing.as_mut_ptr(), self.incoming.as_mut_ptr()];
        let Some(gpu) = &mut self.gpu else {
            return Ok(self.exchange(on_host, other, bytes, times));
        };
        match way {
            Way::Messages => Ok(self.exchange(on_host, other, bytes, times)),
            Way::PinnedToGpu => gpu.copies(HostMemory::Pinned, Direction::ToGpu, bytes, times),
            Way::PinnedFromGpu => gpu.copies(HostMemory::Pinned, Direction::FromGpu, bytes, times),
            Way::PageableToGpu => gpu.copies(HostMemory::Pageable, Direction::ToGpu, bytes, times),
            Way::PageableFromGpu => gpu.copies(HostMemory::Pageable, Direction::FromGpu, bytes, times),
            Way::Peer => gpu.writes(bytes, times),
            Way::Nccl => gpu.exchanges(other, bytes, times),
            Way::CudaAware => {
                let on_gpu = gpu.addresses();
                Ok(self.exchange(on_gpu, other, bytes, times))
            }
        }
    }

    /// Exchanges messages between buffers, those that are sent from and received into; returns the seconds of each.
    fn exchange(&mut self, [from, to]: [*mut u8; 2], other: usize, bytes: usize, times: usize) -> Vec<f64> {
        let mut once = || {
            let begin = Instant::now();
            // SAFETY: both buffers have the largest size, and nothing touches them until both messages are complete.
            unsafe {
                self.messages.receive(other, Slice::new(to, bytes));
                self.messages.send(other, Slice::new(from, bytes));
            }
            while self.messages.incoming() {
                self.messages.received(true).for_each(drop);
            }
            self.messages.wait_until_sent();
            begin.elapsed().as_secs_f64()
        };
        (0..times).map(|_| once()).collect()
    }

    /// Compares what has arrived with what the other rank sends.
    fn check(&self, way: Way, other: usize) -> Result<(), String> {
        let on_gpu = self.gpu.as_ref().filter(|_| way != Way::Messages);
        let received = on_gpu
            .map(Probe::received)
            .transpose()
            .map_err(|error| error.to_string())?;
        let received = received.as_ref().unwrap_or(&self.incoming);
        let wrong = received.iter().filter(|&&byte| byte != mark(other)).count();
        if wrong == 0 {
            Ok(())
        } else {
            Err(format!(
                "{wrong} of {} bytes from rank {other} are wrong",
                received.len()
            ))
        }
    }
}
