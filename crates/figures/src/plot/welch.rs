//! Power spectral densities of equidistant samples by the mean over overlapping segments (P. D. Welch, IEEE Trans.
//! Audio Electroacoust. 15, 1967, 70-73, 10.1109/TAU.1967.1161901).
//!
//! The mean of all samples is subtracted. N segments of L samples begin L/2 apart, and each is multiplied with the
//! window of Hann, w_j = (1 - cos(2 pi j/L))/2. With X_k the sum over j of w_j x_j exp(-2 pi i j k/L) the one-sided
//! density at the frequency k/(L dt) is the mean over the segments of
//!
//! ```text
//! P_k = c_k dt |X_k|^2/sum_j w_j^2,    c_k = 1 for k = 0 and k = L/2, and 2 for others
//! ```
//!
//! Its sum over k times 1/(L dt) is the mean over the segments of sum_j w_j^2 x_j^2/sum_j w_j^2, the variance.
//!
//! The values of a segment between both ends of the frequencies have two degrees of freedom, and those of neighbours
//! correlate by r = (sum_j w_j w_(j+L/2)/sum_j w_j^2)^2 = 1/36. The mean over N segments is that of
//! N/(1 + 2 (1 - 1/N) r) independent ones.

use std::f64::consts::TAU;

use num_complex::Complex;
use rustfft::FftPlanner;

use super::chi_square;

/// Least number of samples of a segment.
const SHORTEST: usize = 8;

/// A one-sided power spectral density.
#[derive(Debug, Clone, PartialEq)]
pub struct Density {
    /// Distance of the frequencies, of which the first is 0.
    pub step: f64,
    /// Density at each frequency.
    pub values: Vec<f64>,
}

/// Returns the least number of samples that a number of segments needs.
pub fn fewest_samples(segments: usize) -> usize {
    SHORTEST * (segments + 1) / 2
}

/// Returns the largest number of segments of a series.
pub fn most_segments(samples: usize) -> usize {
    (2 * samples / SHORTEST).saturating_sub(1)
}

/// Returns the even number of samples of a segment, if a number of segments overlap by halves.
pub fn segment_length(samples: usize, segments: usize) -> usize {
    2 * (samples / (segments + 1))
}

/// Correlation of the values of two segments that overlap by halves.
const OF_NEIGHBOURS: f64 = 1.0 / 36.0;

/// Returns the number of independent segments that have the scatter of so many that overlap by halves.
pub fn independent_segments(segments: usize) -> f64 {
    let count = segments as f64;
    count / (1.0 + 2.0 * (1.0 - 1.0 / count) * OF_NEIGHBOURS)
}

/// Returns the factors of a density at both ends of the interval that has the true one with this probability, if the
/// samples are those of a Gaussian process: that of a chi-square variable with two degrees of freedom for each
/// independent segment. They do not hold at the lowest and the highest frequency, whose values have half as many.
pub fn confidence(segments: usize, probability: f64) -> [f64; 2] {
    let freedom = 2.0 * independent_segments(segments);
    let beyond = 0.5 * (1.0 - probability);
    [1.0 - beyond, beyond].map(|probability| freedom / chi_square::quantile(probability, freedom))
}

/// Returns the density of samples that are `interval` apart, from a number of segments. There must be at least
/// [`fewest_samples`].
pub fn density(samples: &[f64], interval: f64, segments: usize) -> Density {
    let length = segment_length(samples.len(), segments);
    let window: Vec<f64> = (0..length)
        .map(|j| 0.5 * (1.0 - (TAU * j as f64 / length as f64).cos()))
        .collect();
    let squares: f64 = window.iter().map(|w| w * w).sum();
    let mean = samples.iter().sum::<f64>() / samples.len() as f64;
    let transform = FftPlanner::new().plan_fft_forward(length);
    let mut values = vec![0.0; length / 2 + 1];
    for segment in 0..segments {
        let part = &samples[segment * length / 2..][..length];
        let mut x: Vec<Complex<f64>> = part
            .iter()
            .zip(&window)
            .map(|(x, w)| Complex::from(w * (x - mean)))
            .collect();
        transform.process(&mut x);
        values.iter_mut().zip(&x).for_each(|(sum, x)| *sum += x.norm_sqr());
    }
    let scale = interval / (squares * segments as f64);
    let last = values.len() - 1;
    for (k, value) in values.iter_mut().enumerate() {
        *value *= if k == 0 || k == last { scale } else { 2.0 * scale };
    }
    Density {
        step: 1.0 / (length as f64 * interval),
        values,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers between -1/2 and 1/2 that are as good as independent.
    fn noise(count: usize) -> Vec<f64> {
        let mut state = 1u64;
        let mut next = || {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (state >> 11) as f64 / (1u64 << 53) as f64 - 0.5
        };
        (0..count).map(|_| next()).collect()
    }

    #[test]
    fn each_value_is_that_of_the_sum_that_defines_it() {
        let x = noise(90);
        let interval = 0.3;
        let segments = 4;
        let found = density(&x, interval, segments);
        // 90/5 = 18, so that segments have 36 samples and begin at 0, 18, 36 and 54.
        assert_eq!(found.values.len(), 19);
        assert!((found.step * 36.0 * 0.3 - 1.0).abs() < 1e-15);
        let mean = x.iter().sum::<f64>() / 90.0;
        let hann = |j: usize| (TAU * 0.5 * j as f64 / 36.0).sin().powi(2);
        let norm: f64 = (0..36).map(|j| hann(j).powi(2)).sum();
        for (k, value) in found.values.iter().enumerate() {
            let power = |begin: usize| {
                let sum = |of: fn(f64) -> f64| -> f64 {
                    let term = |j: usize| hann(j) * (x[begin + j] - mean) * of(TAU * (j * k) as f64 / 36.0);
                    (0..36).map(term).sum()
                };
                sum(f64::cos).powi(2) + sum(f64::sin).powi(2)
            };
            let sides = if k == 0 || k == 18 { 1.0 } else { 2.0 };
            let exact = sides * 0.3 * [0, 18, 36, 54].map(power).iter().sum::<f64>() / (4.0 * norm);
            assert!((value - exact).abs() < 1e-14, "{k}: {value} {exact}");
        }
        // Parseval's theorem in each segment.
        let sum: f64 = found.values.iter().map(|value| value * found.step).sum();
        let within = |begin: usize| (0..36).map(|j| (hann(j) * (x[begin + j] - mean)).powi(2)).sum::<f64>() / norm;
        let variance = [0, 18, 36, 54].map(within).iter().sum::<f64>() / 4.0;
        assert!((sum / variance - 1.0).abs() < 1e-14, "{sum} {variance}");
    }

    #[test]
    fn a_sine_has_its_frequency_and_its_variance() {
        // 4000 samples in 7 segments of 1000: the frequency is the 40th.
        let (amplitude, interval) = (0.7, 0.01);
        let x: Vec<f64> = (0..4000)
            .map(|i| 5.0 + amplitude * (TAU * 0.04 * f64::from(i) + 0.3).sin())
            .collect();
        let found = density(&x, interval, 7);
        let peak = (0..found.values.len()).max_by(|&a, &b| found.values[a].total_cmp(&found.values[b]));
        assert_eq!(peak, Some(40));
        assert!((40.0 * found.step - 4.0).abs() < 1e-12);
        // The window divides the variance A^2/2 among three frequencies, as 1 to 4 to 1.
        for (k, share) in [(39, 1.0 / 6.0), (40, 4.0 / 6.0), (41, 1.0 / 6.0)] {
            let variance = found.values[k] * found.step;
            assert!(
                (variance - share * 0.5 * amplitude * amplitude).abs() < 1e-12,
                "{k}: {variance}"
            );
        }
        let rest = found.values.iter().enumerate().filter(|(k, _)| !(39..=41).contains(k));
        assert!(rest.map(|(_, value)| *value).fold(0.0, f64::max) < 1e-12);
    }

    #[test]
    fn white_noise_has_the_same_density_at_all_frequencies() {
        let (interval, segments) = (0.5, 255);
        let found = density(&noise(1 << 16), interval, segments);
        // The variance 1/12 over all frequencies up to 1/(2 dt).
        let exact = 2.0 * interval / 12.0;
        let inner = &found.values[2..found.values.len() - 2];
        let mean = inner.iter().sum::<f64>() / inner.len() as f64;
        assert!((mean / exact - 1.0).abs() < 0.02, "{mean} {exact}");
        let error = (1.0 / independent_segments(segments)).sqrt();
        assert!(inner.iter().all(|value| (value / exact - 1.0).abs() < 5.0 * error));
    }

    #[test]
    fn white_noise_lies_in_the_band_as_often_as_it_says() {
        let [interval, exact] = [0.5, 1.0 / 12.0];
        for segments in [1, 4, 16] {
            let count = 4096 * (segments + 1);
            // The sum of twelve numbers is nearly Gaussian.
            let uniform = noise(12 * count);
            let samples: Vec<f64> = uniform.chunks(12).map(|part| part.iter().sum()).collect();
            let found = density(&samples, interval, segments);
            let [low, high] = confidence(segments, 0.95);
            let inner = &found.values[2..found.values.len() - 2];
            assert!(inner.len() > 4000);
            let share = |inside: &dyn Fn(f64) -> bool| {
                inner.iter().filter(|value| inside(**value / (12.0 * exact))).count() as f64 / inner.len() as f64
            };
            let (above, below) = (share(&|x| low * x > 1.0), share(&|x| high * x < 1.0));
            assert!(
                (above - 0.025).abs() < 0.01 && (below - 0.025).abs() < 0.01,
                "{segments}: {above} {below}"
            );
            // The scatter is that of as many independent segments.
            let mean = inner.iter().sum::<f64>() / inner.len() as f64;
            let variance = inner.iter().map(|value| (value / mean - 1.0).powi(2)).sum::<f64>() / inner.len() as f64;
            assert!(
                (variance * independent_segments(segments) - 1.0).abs() < 0.12,
                "{segments}: {variance}"
            );
        }
    }
}
