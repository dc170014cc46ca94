//! The GPUs of a run: how many there are, and the energy that they use together.

use crate::device::Device;
use crate::ranks::Ranks;

/// The GPUs on which the ranks of a run compute.
#[derive(Debug, Clone, Copy)]
pub struct Gpus {
    /// Number of GPUs; ranks may share one.
    pub count: usize,
    /// Whether this rank is the lowest on its GPU.
    reads: bool,
}

impl Gpus {
    /// Counts the GPUs. Collective.
    pub fn of(device: &dyn Device, ranks: &Ranks) -> Self {
        let mine = device.gpu().unwrap_or_default();
        let all = ranks.allgather(&mine);
        let all: Vec<&[u64]> = all.chunks(2).collect();
        let lowest = |rank: usize| *all[rank] != [0; 2] && !all[..rank].contains(&all[rank]);
        Gpus {
            count: (0..all.len()).filter(|&rank| lowest(rank)).count(),
            reads: lowest(ranks.rank()),
        }
    }

    /// Returns the millijoules that all GPUs have used until now, counted from any moment before the run; `None` if
    /// there is none, or one that does not count its energy. Collective.
    pub fn millijoules(&self, device: &dyn Device, ranks: &Ranks) -> Option<u64> {
        if self.count == 0 {
            return None;
        }
        let mine = if self.reads { device.millijoules() } else { Some(0) };
        let mut sums = [mine.unwrap_or(0), u64::from(mine.is_none())];
        ranks.allreduce_sum(&mut sums);
        (sums[1] == 0).then_some(sums[0])
    }
}

/// Returns the joules between two readings in millijoules; `None` if one is missing, or the counter began anew.
pub fn used_since(before: Option<u64>, after: Option<u64>) -> Option<f64> {
    let used = after?.checked_sub(before?)?;
    Some(used as f64 * 1e-3)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn energy_is_the_difference_of_two_readings() {
        assert_eq!(used_since(Some(2_000), Some(5_500)), Some(3.5));
        assert_eq!(used_since(Some(2), Some(1)), None, "the driver was loaded anew");
        assert_eq!(used_since(None, Some(1)), None);
        assert_eq!(used_since(Some(1), None), None);
    }
}
