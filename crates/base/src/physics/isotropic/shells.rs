//! The energies of the shells of an initial spectrum, and how much of them is in waves that a mesh cannot hold.

/// The energies of the shells of a spectrum, whose modes have about one, two, three and so on waves in a period.
#[derive(Debug, Clone, PartialEq)]
pub struct Shells {
    /// Energy of each (velocity squared).
    energies: Vec<f64>,
    /// Wave number of the first (radians per length).
    step: f64,
}

/// The shells of a spectrum whose waves a mesh cannot hold.
#[derive(Debug, Clone, PartialEq)]
pub struct ShortWaves {
    /// Their number.
    pub count: usize,
    /// Number of all shells that have energy.
    pub of: usize,
    /// Their share of the energy.
    pub share: f64,
    /// Most waves in a period that the mesh holds.
    pub held: usize,
    /// A cut-off that leaves them out (radians per length).
    pub cut_off: f64,
}

impl Shells {
    /// The shells of one, two, three and so on waves in a period with these energies; `step` is the first wave number.
    pub(super) fn new(energies: Vec<f64>, step: f64) -> Self {
        Shells { energies, step }
    }

    /// Returns those with waves shorter than two distances between points, of which the mesh has so many in a period;
    /// `None` if there are none.
    pub fn beyond(&self, points: usize) -> Option<ShortWaves> {
        let held = points / 2;
        let count = |energies: &[f64]| energies.iter().filter(|energy| **energy > 0.0).count();
        let short = self.energies.get(held..).unwrap_or_default();
        (count(short) > 0).then(|| ShortWaves {
            count: count(short),
            of: count(&self.energies),
            share: short.iter().sum::<f64>() / self.energies.iter().sum::<f64>(),
            held,
            cut_off: held as f64 * self.step,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shells_whose_waves_are_shorter_than_two_spacings_are_found() {
        let shells = Shells::new(vec![0.0, 3.0, 2.0, 1.0, 0.0, 2.0], 0.5);
        // Nine points hold four waves in a period, and thirteen hold six.
        let beyond = shells.beyond(9).expect("short waves");
        assert_eq!((beyond.count, beyond.of, beyond.held), (1, 4, 4));
        assert_eq!((beyond.share, beyond.cut_off), (0.25, 2.0));
        assert_eq!(shells.beyond(7).expect("short waves").count, 2);
        assert_eq!(shells.beyond(13), None);
    }
}
