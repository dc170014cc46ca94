//! The decision of all ranks on a network of their devices: all join it or none, for the same reason.

use crate::common::program::as_ranks;
use fr_les::device::{DeviceError, Meeting, Network};
use fr_les::halo::network::{NoNetwork, join};
use fr_les::ranks::Ranks;

/// What fails on a rank.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Fault {
    Load,
    Version,
    SharedGpu,
    Id,
    Join,
}

/// Words for a fault.
fn what_fails(fault: Fault) -> &'static str {
    match fault {
        Fault::Load => "loading",
        Fault::Version => "the version",
        Fault::SharedGpu => "the GPU",
        Fault::Id => "the identification",
        Fault::Join => "joining",
    }
}

/// A network in which one thing may fail, and what was asked of it.
#[derive(Default)]
struct Trial {
    rank: usize,
    fault: Option<Fault>,
    asked: Vec<String>,
}

impl Trial {
    /// Fails if that is the fault.
    fn ask(&mut self, fault: Fault, what: String) -> Result<(), DeviceError> {
        self.asked.push(what);
        if self.fault == Some(fault) {
            Err(DeviceError::Lacking(what_fails(fault)))
        } else {
            Ok(())
        }
    }
}

impl Network for Trial {
    fn gpu(&self) -> [u64; 2] {
        // That of rank 0, or its own.
        let own = self.fault != Some(Fault::SharedGpu);
        [7, if own { self.rank as u64 } else { 0 }]
    }

    fn load(&mut self) -> Result<String, DeviceError> {
        self.ask(Fault::Load, "load".to_owned())?;
        Ok(if self.fault == Some(Fault::Version) {
            "2.19.3"
        } else {
            "2.28.9"
        }
        .to_owned())
    }

    fn id(&mut self) -> Result<Vec<u8>, DeviceError> {
        self.ask(Fault::Id, "id".to_owned())?;
        Ok(vec![3, 1, 4])
    }

    fn join(&mut self, meeting: &Meeting, neighbours: &[usize]) -> Result<(), DeviceError> {
        let Meeting { id, rank, ranks } = meeting;
        self.ask(Fault::Join, format!("join {id:?} {rank} of {ranks}: {neighbours:?}"))
    }

    fn leave(&mut self) {
        self.asked.push("leave".to_owned());
    }
}

#[test]
fn all_ranks_join_a_network_or_none_with_the_reason_of_the_one_that_cannot() {
    let test = "all_ranks_join_a_network_or_none_with_the_reason_of_the_one_that_cannot";
    as_ranks(module_path!(), test, &[3], |_, ranks| decide(ranks));
}

/// Joins with a fault on one rank. Returns the outcome, and what was asked of the network of this rank.
fn with_fault(ranks: &Ranks, fault: Option<(usize, Fault)>) -> (Result<(), NoNetwork>, Vec<String>) {
    let mut trial = Trial {
        rank: ranks.rank(),
        fault: fault.filter(|(rank, _)| *rank == ranks.rank()).map(|(_, fault)| fault),
        asked: Vec::new(),
    };
    let joined = join(Some(&mut trial), ranks, &[ranks.rank() + 10]);
    (joined, trial.asked)
}

fn decide(ranks: &Ranks) {
    assert_eq!(ranks.size(), 3);
    let rank = ranks.rank();
    let failed = |rank, reason: &str| {
        let reason = reason.to_owned();
        Err(NoNetwork { rank, reason })
    };
    let [load, id] = ["load", "id"].map(str::to_owned);
    // The first rank alone makes the identification, and all get it.
    let meeting = format!("join [3, 1, 4] {rank} of 3: [{}]", rank + 10);
    let first = [load.clone(), id];
    let before: &[String] = if rank == 0 { &first } else { &first[..1] };
    let met = [before, &[meeting]].concat();
    assert_eq!(with_fault(ranks, None), (Ok(()), met.clone()));

    let reason = "loading cannot be computed on this device";
    let loaded = vec![load];
    assert_eq!(
        with_fault(ranks, Some((2, Fault::Load))),
        (failed(2, reason), loaded.clone())
    );
    let reason = "its NCCL is 2.19.3, and that of rank 0 is 2.28.9";
    assert_eq!(
        with_fault(ranks, Some((1, Fault::Version))),
        (failed(1, reason), loaded.clone())
    );
    // Nobody begins to meet, since the rank that has a GPU of its own would wait for the others.
    let reason = "it shares its GPU with rank 2, which NCCL does not allow";
    assert_eq!(
        with_fault(ranks, Some((2, Fault::SharedGpu))),
        (failed(0, reason), loaded)
    );
    let reason = "the identification cannot be computed on this device";
    let asked = before.to_vec();
    assert_eq!(with_fault(ranks, Some((0, Fault::Id))), (failed(0, reason), asked));
    // Those who have met leave again.
    let reason = "joining cannot be computed on this device";
    let left = [&met[..], &["leave".to_owned()]].concat();
    assert_eq!(with_fault(ranks, Some((1, Fault::Join))), (failed(1, reason), left));

    let mut trial = Trial::default();
    let network: Option<&mut dyn Network> = if rank == 1 { None } else { Some(&mut trial) };
    assert_eq!(join(network, ranks, &[]), failed(1, "its device is no GPU"));
    assert!(trial.asked.is_empty());
}
