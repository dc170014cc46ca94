//! The spectrum as a set of shells of wave numbers.
//!
//! ```text
//! E(k) = (k/k_e)^4/(1 + 2.4 (k/k_e)^2)^(17/6) f_eta f_cut
//! f_eta = exp(-(12 k/k_eta)^2),   f_cut = exp(-(4 max(k - 0.9 k_cut, 0)/k_cut)^3)
//! ```
//!
//! This is the spectrum of M. L. Shur et al., Flow Turbul. Combust. 93 (2014) 63. Its peak is at k_e. The mesh
//! represents nothing beyond k_cut. A shell of wave number k_n and width dk_n has the share q_n = E(k_n) dk_n/(sum E
//! dk) of the energy, and the set has the longitudinal integral length
//!
//! ```text
//! L11 = pi/(2 u'^2) integral of E/k dk = 0.75 pi sum(q_n/k_n)
//! ```
//!
//! The largest scale l_e = 2 pi/k_e follows from the wanted L11 by this sum, so that the cut-off and the coarse shells
//! at small wave numbers do not change the length.

use std::f64::consts::PI;

/// Smallest wave number over k_e of an inlet of one length. The first shell holds all energy below it, 1.4 % here.
const SMALLEST: f64 = 0.2;
/// Largest wave number over k_cut, where f_cut is 1e-6.
const LARGEST: f64 = 1.5;

/// A shell of wave numbers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Shell {
    /// Wave number (radians per length).
    pub k: f64,
    /// Share of the energy.
    pub share: f64,
}

/// The shells of a spectrum and its scales.
#[derive(Debug, Clone, PartialEq)]
pub struct Spectrum {
    /// Shells in ascending order of their wave numbers.
    pub shells: Vec<Shell>,
    /// Wave number of the peak, 2 pi/l_e.
    pub peak: f64,
    /// Share of the energy of the whole spectrum that is below the cut-off.
    pub kept: f64,
}

/// Scales at which a spectrum ends.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ends {
    /// Wave number of the cut-off by the mesh.
    pub cut: f64,
    /// Wave number 2 pi/eta of the Kolmogorov length; infinite in an inviscid gas.
    pub dissipation: f64,
}

impl Ends {
    /// The energy density of a spectrum with its peak at `peak`, of any scale.
    fn density(self, k: f64, peak: f64) -> f64 {
        let beyond = 4.0 * (k - 0.9 * self.cut).max(0.0) / self.cut;
        let ends = (12.0 * k / self.dissipation).powi(2) + beyond.powi(3);
        uncut(k / peak) * (-ends).exp()
    }
}

/// The spectrum without ends, over k/k_e.
fn uncut(x: f64) -> f64 {
    let square = x * x;
    square * square / (1.0 + 2.4 * square).powf(17.0 / 6.0)
}

/// Returns `count` wave numbers in geometric progression from `first` on, each with the distance from the one before.
fn wave_numbers(first: f64, cut: f64, count: usize) -> Vec<(f64, f64)> {
    let last = LARGEST * cut;
    let ratio = (last / first).ln() / (count - 1).max(1) as f64;
    let k = |n: usize| first * (ratio * n as f64).exp();
    (0..count)
        .map(|n| (k(n), if n == 0 { first } else { k(n) - k(n - 1) }))
        .collect()
}

impl Spectrum {
    /// Returns the spectrum with its peak at the wave number `peak`.
    pub fn with_peak(peak: f64, ends: Ends, count: usize) -> Self {
        Self::of(&wave_numbers(SMALLEST * peak, ends.cut, count), peak, ends)
    }

    /// Returns the spectrum with another peak on the same wave numbers.
    pub fn with_other_peak(&self, peak: f64, ends: Ends) -> Self {
        let k = |n: usize| self.shells[n].k;
        let numbers = (0..self.shells.len()).map(|n| (k(n), if n == 0 { k(n) } else { k(n) - k(n - 1) }));
        Self::of(&numbers.collect::<Vec<_>>(), peak, ends)
    }

    /// Returns the spectrum on wave numbers with their widths.
    fn of(numbers: &[(f64, f64)], peak: f64, ends: Ends) -> Self {
        let energies: Vec<f64> = numbers.iter().map(|&(k, dk)| ends.density(k, peak) * dk).collect();
        let sum: f64 = energies.iter().sum();
        // Integral of the spectrum without ends, by the same rule on a set that goes on.
        let whole = wave_numbers(SMALLEST * peak, 1e4 * peak, 2000);
        let whole: f64 = whole.iter().map(|&(k, dk)| uncut(k / peak) * dk).sum();
        Spectrum {
            shells: numbers
                .iter()
                .zip(&energies)
                .map(|(&(k, _), energy)| Shell { k, share: energy / sum })
                .collect(),
            peak,
            kept: (sum / whole).min(1.0),
        }
    }

    /// Returns the spectrum of the longitudinal integral length `length`; the shortest length that the cut-off admits
    /// if `length` is below that.
    ///
    /// # Errors
    /// The shortest length.
    pub fn with_length(length: f64, ends: Ends, count: usize) -> Result<Self, f64> {
        Self::from_smallest(SMALLEST, length, ends, count)
    }

    /// Returns the spectrum of a length whose wave numbers begin at `smallest` times that of its peak.
    ///
    /// # Errors
    /// The shortest length that the cut-off admits, if `length` is below that.
    pub(super) fn from_smallest(smallest: f64, length: f64, ends: Ends, count: usize) -> Result<Self, f64> {
        let with_peak = |peak: f64| Self::of(&wave_numbers(smallest * peak, ends.cut, count), peak, ends);
        let at = |peak: f64| with_peak(peak).length();
        let shortest = at(ends.cut);
        if shortest >= length {
            return Err(shortest);
        }
        // The length falls with the wave number of the peak. Without ends it is 0.18 of 2 pi/peak, so that it is above
        // `length` at the lower one.
        let mut low = (2.0 * PI / (20.0 * length)).min(ends.cut);
        let mut high = ends.cut;
        for _ in 0..60 {
            let middle = (low * high).sqrt();
            if at(middle) > length {
                low = middle;
            } else {
                high = middle;
            }
        }
        Ok(with_peak(high))
    }

    /// Returns the longitudinal integral length of the set.
    pub fn length(&self) -> f64 {
        0.75 * PI * self.shells.iter().map(|shell| shell.share / shell.k).sum::<f64>()
    }

    /// Returns the largest scale l_e.
    pub fn largest_scale(&self) -> f64 {
        2.0 * PI / self.peak
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ENDLESS: f64 = f64::INFINITY;

    fn ends(cut: f64) -> Ends {
        Ends {
            cut,
            dissipation: ENDLESS,
        }
    }

    #[test]
    fn lengths_and_energies_are_those_of_the_integrals() {
        // Ratios L11/l_e of the continuous spectrum by quadrature: 0.1842 without a cut-off.
        for (cut, length, kept) in [
            (3.0, 0.309, 0.53),
            (4.0, 0.282, 0.61),
            (6.0, 0.255, 0.70),
            (8.0, 0.240, 0.75),
            (12.0, 0.225, 0.81),
            (1e4, 0.1842, 1.0),
        ] {
            let set = Spectrum::with_peak(1.0, ends(cut), 3000);
            let ratio = set.length() / set.largest_scale();
            println!(
                "k_cut/k_e {cut}: L11/l_e {ratio:.4} ({length}), energy {:.3} ({kept})",
                set.kept
            );
            // The first shell, which stands for all below it, makes the length 1.4 % too long.
            assert!((ratio / length - 1.0).abs() < 0.02, "{cut}: {ratio}");
            assert!((set.kept - kept).abs() < 0.011, "{cut}: {}", set.kept);
        }
    }

    #[test]
    fn the_set_has_the_wanted_length_whatever_its_ends_are() {
        for (cut, dissipation, count) in [
            (40.0, ENDLESS, 100),
            (300.0, ENDLESS, 30),
            (300.0, 400.0, 100),
            (1e4, 1e5, 1),
        ] {
            let set = Spectrum::with_length(0.3, Ends { cut, dissipation }, count).expect("resolved");
            assert!((set.length() - 0.3).abs() < 1e-12, "{} {}", set.length(), set.peak);
            assert!((set.shells.iter().map(|s| s.share).sum::<f64>() - 1.0).abs() < 1e-14);
        }
    }

    #[test]
    fn lengths_that_the_mesh_cannot_represent_are_refused_with_the_shortest() {
        let shortest = Spectrum::with_length(0.01, ends(20.0), 100).expect_err("too short");
        assert!((0.05..0.2).contains(&shortest), "{shortest}");
        assert!(Spectrum::with_length(1.01 * shortest, ends(20.0), 100).is_ok());
    }

    #[test]
    fn the_slope_is_that_of_the_inertial_range() {
        let set = Spectrum::with_peak(1.0, ends(1e3), 400);
        let density = |k: f64| ends(1e3).density(k, 1.0);
        let slope = (density(200.0) / density(20.0)).log10();
        assert!((slope + 5.0 / 3.0).abs() < 0.01 && set.peak == 1.0, "{slope}");
        // The peak is at k_e.
        assert!(density(1.0) > density(0.99) && density(1.0) > density(1.01));
    }
}
