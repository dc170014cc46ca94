//! Power spectra along lines, averaged over lines and time, and the two-point correlations that follow from them.
//!
//! With a_m the mean over the n points of a line of q exp(-2 pi i j m/n):
//!
//! ```text
//! E_0 = <|a_0|^2> - <a_0>^2
//! E_m = 2 <|a_m|^2>, and <|a_m|^2> for m = n/2
//! ```
//!
//! The sum over all m is the variance of q about its mean over lines and time. The correlation at a distance of j
//! points is the inverse transform, the sum of E_m cos(2 pi j m/n). Sums run through lines and samples in their order,
//! and the transform does not use wide registers, so that every machine gives the same bits.

use std::f64::consts::TAU;
use std::sync::Arc;

use num_complex::Complex;
use rustfft::{Fft, FftPlanner};

use crate::output::fields::Primitives;

/// Quantities: name, unit of the square, and index among the primitive variables.
pub const QUANTITIES: [(&str, &str, usize); 4] = [
    ("uu", "m^2/s^2", 1),
    ("vv", "m^2/s^2", 2),
    ("ww", "m^2/s^2", 3),
    ("pp", "Pa^2", 4),
];
const COUNT: usize = QUANTITIES.len();

/// Sums of a number of samples.
pub struct Spectrum {
    /// Points of a line, an even number.
    points: usize,
    /// Number of lines of a height.
    lines: usize,
    transform: Arc<dyn Fft<f64>>,
    /// Number of samples so far.
    pub samples: u64,
    /// Sum over the samples of the mean over lines of |a_m|^2, `[height][quantity][mode]`.
    pub power: Vec<f64>,
    /// Sum over the samples of the mean over lines of a_0, `[height][quantity]`.
    pub mean: Vec<f64>,
}

impl Spectrum {
    /// Returns sums of no samples, for lines of an even number of points.
    pub fn new(points: usize, lines: usize, heights: usize) -> Self {
        Spectrum {
            points,
            lines,
            transform: FftPlanner::new().plan_fft_forward(points),
            samples: 0,
            power: vec![0.0; heights * COUNT * (points / 2 + 1)],
            mean: vec![0.0; heights * COUNT],
        }
    }

    /// Returns the number of modes, 0 to n/2.
    pub fn modes(&self) -> usize {
        self.points / 2 + 1
    }

    /// Adds one sample, `[height][line][point]`.
    pub fn add(&mut self, values: &[Primitives]) {
        let modes = self.modes();
        let power = self.power.chunks_mut(modes);
        let mean = self.mean.iter_mut();
        let heights = values.chunks(self.points * self.lines);
        let rows = heights.flat_map(|height| QUANTITIES.iter().map(move |&(_, _, q)| (height, q)));
        for (((height, q), power), mean) in rows.zip(power).zip(mean) {
            let mut squares = vec![0.0; modes];
            let mut sum = 0.0;
            for line in height.chunks(self.points) {
                let mut a: Vec<Complex<f64>> = line.iter().map(|x| Complex::from(x[q])).collect();
                self.transform.process(&mut a);
                let a = a.iter().map(|a| a / self.points as f64);
                squares.iter_mut().zip(a.clone()).for_each(|(s, a)| *s += a.norm_sqr());
                sum += a.map(|a| a.re).next().unwrap_or_default();
            }
            let share = 1.0 / self.lines as f64;
            power.iter_mut().zip(squares).for_each(|(p, s)| *p += share * s);
            *mean += share * sum;
        }
        self.samples += 1;
    }

    /// Returns E_m of a quantity at a height.
    pub fn spectrum(&self, height: usize, quantity: usize) -> Vec<f64> {
        let at = height * COUNT + quantity;
        let modes = self.modes();
        let each = 1.0 / self.samples as f64;
        let power = &self.power[at * modes..(at + 1) * modes];
        let mean = self.mean[at] * each;
        let of_mode = |(m, p): (usize, &f64)| match m {
            // Rounding may leave a value below zero.
            0 => (p * each - mean * mean).max(0.0),
            _ if 2 * m == self.points => p * each,
            _ => 2.0 * p * each,
        };
        power.iter().enumerate().map(of_mode).collect()
    }

    /// Returns the correlations at distances of 0 to n/2 points.
    pub fn correlation(&self, spectrum: &[f64]) -> Vec<f64> {
        let n = self.points;
        let cosines: Vec<f64> = (0..n).map(|k| (TAU * k as f64 / n as f64).cos()).collect();
        let at = |j: usize| spectrum.iter().enumerate().map(|(m, e)| e * cosines[j * m % n]).sum();
        (0..self.modes()).map(at).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// u = 3 + 2 cos(4 x + phase), v alternates, p = 7, on lines that differ in phase.
    fn waves(points: usize, lines: usize) -> Vec<Primitives> {
        let line = |l: usize| (0..points).map(move |j| (l, j));
        (0..lines)
            .flat_map(line)
            .map(|(l, j)| {
                let x = TAU * j as f64 / points as f64;
                let v = if j % 2 == 0 { 0.5 } else { -0.5 };
                [1.0, 3.0 + 2.0 * (4.0 * x + l as f64).cos(), v, 0.0, 7.0, 1.0]
            })
            .collect()
    }

    #[test]
    fn a_wave_has_its_power_at_its_number_and_its_cosine_as_correlation() {
        let (n, lines) = (24, 3);
        let mut sums = Spectrum::new(n, lines, 1);
        (0..2).for_each(|_| sums.add(&waves(n, lines)));
        let e = sums.spectrum(0, 0);
        for (m, e) in e.iter().enumerate() {
            let exact = if m == 4 { 2.0 } else { 0.0 };
            assert!((e - exact).abs() < 1e-13, "mode {m}: {e}");
        }
        for (j, r) in sums.correlation(&e).iter().enumerate() {
            let exact = 2.0 * (TAU * 4.0 * j as f64 / n as f64).cos();
            assert!((r - exact).abs() < 1e-12, "distance {j}: {r}");
        }
        // The shortest wave counts once.
        assert!((sums.spectrum(0, 1)[n / 2] - 0.25).abs() < 1e-15);
        assert!(sums.spectrum(0, 3).iter().all(|e| e.abs() < 1e-13));
    }

    #[test]
    fn the_sum_over_modes_is_the_variance_over_lines_and_time() {
        let (n, lines) = (10, 4);
        let number = |i: usize| ((i * i * 7919 + i * 104_729) % 1009) as f64 / 1009.0;
        let samples: Vec<Vec<Primitives>> = (0..5)
            .map(|s| {
                (0..n * lines)
                    .map(|i| [1.0, number(i + 40 * s), 0.0, 0.0, 0.0, 0.0])
                    .collect()
            })
            .collect();
        let mut sums = Spectrum::new(n, lines, 1);
        samples.iter().for_each(|sample| sums.add(sample));
        let all: Vec<f64> = samples.iter().flatten().map(|q| q[1]).collect();
        let mean = all.iter().sum::<f64>() / all.len() as f64;
        let variance = all.iter().map(|q| (q - mean).powi(2)).sum::<f64>() / all.len() as f64;
        let spectrum = sums.spectrum(0, 0);
        assert!((spectrum.iter().sum::<f64>() - variance).abs() < 1e-14);
        // The same by products of pairs, periodic along the line.
        for (j, r) in sums.correlation(&spectrum).into_iter().enumerate() {
            let pair = |line: &[Primitives], i: usize| (line[i][1] - mean) * (line[(i + j) % n][1] - mean);
            let lines = samples.iter().flat_map(|sample| sample.chunks(n));
            let products: f64 = lines.map(|line| (0..n).map(|i| pair(line, i)).sum::<f64>()).sum();
            assert!((r - products / all.len() as f64).abs() < 1e-14, "distance {j}");
        }
    }
}
