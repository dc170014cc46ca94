//! Spectra of many lengths on one set of wave numbers, for an inlet along which the length varies.
//!
//! A mode has one wave vector and one phase at all points, and its amplitude follows the local spectrum. The rows are
//! spectra whose largest scales l_e are in geometric progression, from that of the cut-off to that of the longest
//! length. Between rows the amplitudes are interpolated. The wave numbers begin at half the smallest k_e, as published
//! (M. L. Shur et al., Flow Turbul. Combust. 93 (2014) 63).

use super::modes::amplitude;
use super::spectrum::{Ends, Shell, Spectrum};

/// Smallest wave number over the smallest k_e.
const SMALLEST: f64 = 0.5;

/// Spectra in the order of their lengths.
#[derive(Debug, Clone, PartialEq)]
pub struct Spectra {
    rows: Vec<Spectrum>,
    /// Integral length of each row.
    lengths: Vec<f64>,
    /// Amplitudes of the modes of each shell, `[row][shell]`.
    amplitudes: Vec<Vec<f64>>,
}

impl Spectra {
    /// Returns `rows` spectra of which the last has the longitudinal integral length `longest`, with `count` shells
    /// each.
    ///
    /// # Errors
    /// The shortest length that the ends admit, if `longest` is below that.
    pub fn new(longest: f64, ends: Ends, count: usize, rows: usize) -> Result<Self, f64> {
        let last = Spectrum::from_smallest(SMALLEST, longest, ends, count)?;
        let ratio = ends.cut / last.peak;
        let row = |r: usize| match rows - 1 - r {
            0 => last.clone(),
            above => last.with_other_peak(last.peak * ratio.powf(above as f64 / (rows - 1) as f64), ends),
        };
        let rows: Vec<Spectrum> = (0..rows).map(row).collect();
        let of_row = |row: &Spectrum| row.shells.iter().map(|shell| amplitude(shell.share)).collect();
        Ok(Spectra {
            lengths: rows.iter().map(Spectrum::length).collect(),
            amplitudes: rows.iter().map(of_row).collect(),
            rows,
        })
    }

    /// Returns the place among the rows, from 0 to their number less 1, of an integral length whose largest scale is
    /// also at most `scale`. What is shorter than the first row is there.
    pub fn place(&self, length: f64, scale: f64) -> f64 {
        let last = (self.rows.len() - 1) as f64;
        let above = self
            .lengths
            .partition_point(|&other| other <= length)
            .clamp(1, self.rows.len() - 1);
        let [low, high] = [above - 1, above].map(|row| self.lengths[row]);
        let of_length = (above - 1) as f64 + (length - low) / (high - low);
        let [first, whole] = [0, self.rows.len() - 1].map(|row| self.rows[row].largest_scale());
        let of_scale = last * (scale / first).ln() / (whole / first).ln();
        of_length.min(of_scale).clamp(0.0, last)
    }

    /// Returns the row below a place, and the weight of the next one.
    fn between(&self, place: f64) -> (usize, f64) {
        let row = (place as usize).min(self.rows.len() - 2);
        (row, place - row as f64)
    }

    /// Returns the amplitude of the modes of a shell at a place.
    pub fn amplitude(&self, place: f64, shell: usize) -> f64 {
        let (row, weight) = self.between(place);
        let [a, b] = [row, row + 1].map(|row| self.amplitudes[row][shell]);
        a + weight * (b - a)
    }

    /// Returns the energies of the shells at a place; their sum is 1 on rows and less between them.
    pub fn energies(&self, place: f64) -> Vec<f64> {
        let energy = |shell: usize| 0.5 * self.amplitude(place, shell).powi(2);
        (0..self.rows[0].shells.len()).map(energy).collect()
    }

    /// Returns the spectrum at a place.
    pub fn at(&self, place: f64) -> Spectrum {
        let energies = self.energies(place);
        let sum: f64 = energies.iter().sum();
        let (row, weight) = self.between(place);
        let [a, b] = [row, row + 1].map(|row| &self.rows[row]);
        let shells = a.shells.iter().zip(energies).map(|(shell, energy)| Shell {
            k: shell.k,
            share: energy / sum,
        });
        Spectrum {
            shells: shells.collect(),
            peak: a.peak * (b.peak / a.peak).powf(weight),
            kept: (1.0 - weight) * a.kept + weight * b.kept,
        }
    }

    /// Returns the amplitudes of the modes of each shell, `[row][shell]`.
    pub fn amplitudes(&self) -> &[Vec<f64>] {
        &self.amplitudes
    }

    /// Returns the shortest length, of the first row.
    pub fn shortest(&self) -> f64 {
        self.lengths[0]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ENDS: Ends = Ends {
        cut: 60.0,
        dissipation: 900.0,
    };

    fn spectra() -> Spectra {
        Spectra::new(0.6, ENDS, 200, 64).expect("resolved")
    }

    #[test]
    fn lengths_at_places_are_those_that_were_asked_for() {
        let set = spectra();
        println!("lengths {:.4} to {:.4}", set.shortest(), set.lengths[63]);
        assert!((set.lengths[63] - 0.6).abs() < 1e-12 && set.lengths.is_sorted());
        assert!((set.rows[0].peak - ENDS.cut).abs() < 1e-12 * ENDS.cut);
        let mut worst = [0.0f64; 2];
        for n in 0..=500 {
            let length = set.shortest() * (0.6 / set.shortest()).powf(f64::from(n) / 500.0);
            let place = set.place(length, f64::INFINITY);
            let found = set.at(place);
            worst[0] = worst[0].max((found.length() / length - 1.0).abs());
            // A spectrum of that length without rows: its shares by the formula at its own peak.
            let direct = set.rows[63].with_other_peak(found.peak, ENDS);
            let pairs = found.shells.iter().zip(&direct.shells);
            let difference: f64 = pairs.map(|(a, b)| (a.share.sqrt() - b.share.sqrt()).powi(2)).sum();
            worst[1] = worst[1].max(difference.sqrt());
        }
        println!(
            "largest errors of the length {:.1e} and of the amplitudes {:.1e}",
            worst[0], worst[1]
        );
        assert!(worst[0] < 2e-3 && worst[1] < 5e-3, "{worst:?}");
    }

    #[test]
    fn scales_are_bounded_and_lengths_below_the_first_row_take_it() {
        let set = spectra();
        for scale in [0.3, 1.0, 2.0] {
            let found = set.at(set.place(0.6, scale)).largest_scale();
            assert!((found / scale - 1.0).abs() < 1e-12, "{found} {scale}");
        }
        assert_eq!(set.place(0.6, f64::INFINITY), 63.0);
        assert_eq!(set.place(0.0, f64::INFINITY), 0.0);
        assert_eq!(set.place(0.5, 0.0), 0.0);
        assert!(Spectra::new(0.01, ENDS, 100, 64).is_err());
    }
}
