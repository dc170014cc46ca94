//! What the filter of the states did in the last step.

use super::domain::Domain;
use crate::device::{Device, DeviceError, FilterActs};
use crate::ranks::{ExactSum, Ranks};

/// What the filter did over some steps, and how often steps were taken back.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct FilterRecord {
    /// The changes of cells.
    pub acts: FilterActs,
    /// How often steps were taken back.
    pub taken_back: u64,
}

impl FilterRecord {
    /// Numbers of a record in a checkpoint.
    pub const NUMBERS: usize = 4;

    /// Returns what was done in words, where the cell that was changed most is named by `cell`.
    pub fn words(&self, cell: &str) -> String {
        let back = match self.taken_back {
            0 => "no step was taken back".to_owned(),
            1 => "steps were taken back once".to_owned(),
            often => format!("steps were taken back {often} times"),
        };
        let acts = &self.acts;
        match acts.cell {
            None => format!("no cell was changed; {back}"),
            Some(_) => format!(
                "{} changes of a cell in a stage, the strongest {:.3} of the way to the mean, in {cell}; {back}",
                acts.changes, acts.strength
            ),
        }
    }

    /// Returns in words what the rows of a series tell of it.
    pub fn of_series(&self) -> String {
        let cell = self.acts.cell.unwrap_or(0);
        self.words(&format!("cell {cell}"))
    }

    /// Returns the record as numbers, for a checkpoint and a row of integrals.
    pub fn numbers(&self) -> [f64; Self::NUMBERS] {
        let cell = self.acts.cell.map_or(-1.0, |cell| cell as f64);
        let acts = &self.acts;
        [acts.changes as f64, acts.strength, cell, self.taken_back as f64]
    }

    /// Returns the record of these numbers.
    pub fn of_numbers(numbers: [f64; Self::NUMBERS]) -> Self {
        let [changes, strength, cell, taken_back] = numbers;
        FilterRecord {
            acts: FilterActs {
                changes: changes as u64,
                strength,
                cell: (cell >= 0.0).then_some(cell as u64),
            },
            taken_back: taken_back as u64,
        }
    }
}

/// The cells that the filter changed in the last step, and how far.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Filtered {
    /// Their share of all cells.
    pub share: f64,
    /// Mean over these cells of the way to the mean of the cell, from 0 to 1; 0 without such cells.
    pub strength: f64,
}

impl Filtered {
    /// Returns what the filter did in the last step, or at the start with the initial state. Collective.
    ///
    /// # Errors
    /// The device fails.
    pub(super) fn take(device: &dyn Device, ranks: &Ranks) -> Result<Self, DeviceError> {
        let strengths = device.filter_strength()?;
        let changed = || strengths.iter().filter(|&&strength| strength > 0.0);
        let sums = [
            changed().copied().collect(),
            changed().map(|_| 1.0).collect(),
            strengths.iter().map(|_| 1.0).collect::<ExactSum>(),
        ];
        let [strength, changed, all] = ExactSum::allreduce(ranks, sums).map(ExactSum::value);
        Ok(Filtered {
            share: changed / all,
            strength: if changed > 0.0 { strength / changed } else { 0.0 },
        })
    }
}

/// Returns the largest Mach number at the points of the present state. Collective.
///
/// # Errors
/// The device fails.
pub fn largest_mach(domain: &Domain, device: &dyn Device) -> Result<f64, DeviceError> {
    let state = device.state()?;
    let (first, gas) = (&domain.geometry.first_point, &domain.gas);
    let of_cell = |cell: usize| {
        let u = &state[5 * first[cell]..5 * first[cell + 1]];
        let points = first[cell + 1] - first[cell];
        let mach = move |p: usize| {
            let [_, u, v, w, _, t] = gas.primitive(std::array::from_fn(|i| u[i * points + p]));
            ((u * u + v * v + w * w) / (gas.gamma * gas.gas_constant * t)).sqrt()
        };
        (0..points).map(mach).fold(0.0, f64::max)
    };
    let mut most = [(0..domain.mesh.len()).map(of_cell).fold(0.0, f64::max)];
    domain.ranks.allreduce_max(&mut most);
    Ok(most[0])
}
