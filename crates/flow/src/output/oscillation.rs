//! What a series does about its mean: the mean over time, the root mean square of the fluctuation, and its frequency.
//! The means of series, `fr-les plot` and `fr-les study` take them from here, so that a number of the same rows is the
//! same everywhere.
//!
//! Between rows a series is linear. The mean is that of the trapezoidal rule, and so is the mean of the squares about
//! it. The frequency is the number of periods between the first and the last time at which the series rises through its
//! mean, over that time. It resolves the frequency of one oscillation, such as a lift, far better than a spectrum of
//! the same rows; of a series with many frequencies it is the rate of its rises.

use super::estimate::ROUNDING;

/// End of the names of columns with the root mean square of the fluctuation of others.
pub const RMS: &str = "_rms";

/// End of the names of columns with the frequency of others.
pub const FREQUENCY: &str = "_frequency";

/// A value over time: rows of time and value, in the order of time.
pub type Rows<'a> = &'a [[f64; 2]];

/// Returns the mean over time; of rows without duration the last value, and not a number without rows.
pub fn mean_of(rows: Rows) -> f64 {
    mean(rows, |value| value)
}

/// Returns the root mean square of the fluctuation about the mean; not a number without a duration.
pub fn rms_of(rows: Rows) -> f64 {
    match rows {
        [first, .., last] if last[0] > first[0] => {
            let level = mean_of(rows);
            mean(rows, |value| (value - level) * (value - level)).sqrt()
        }
        _ => f64::NAN,
    }
}

/// Returns the frequency; `None` of a series that does not rise through its mean twice, and of a constant with
/// rounding. It is not a number if the mean is none.
pub fn frequency_of(rows: Rows) -> Option<f64> {
    let level = mean_of(rows);
    if !level.is_finite() {
        return Some(level);
    }
    let rises = rows.windows(2).filter(|pair| pair[0][1] < level && pair[1][1] >= level);
    let time = |pair: &[[f64; 2]]| {
        let share = (level - pair[0][1]) / (pair[1][1] - pair[0][1]);
        pair[0][0] + share * (pair[1][0] - pair[0][0])
    };
    let times: Vec<f64> = rises.map(time).collect();
    let (first, last) = (times.first()?, times.last()?);
    let varies = rms_of(rows) > ROUNDING * level.abs();
    (varies && last > first).then(|| (times.len() - 1) as f64 / (last - first))
}

/// Returns the mean over time of a function of the value, by the trapezoidal rule.
fn mean(rows: Rows, of: impl Fn(f64) -> f64) -> f64 {
    let (Some(first), Some(last)) = (rows.first(), rows.last()) else {
        return f64::NAN;
    };
    let area = |pair: &[[f64; 2]]| (pair[1][0] - pair[0][0]) * 0.5 * (of(pair[0][1]) + of(pair[1][1]));
    if last[0] > first[0] {
        rows.windows(2).map(area).sum::<f64>() / (last[0] - first[0])
    } else {
        of(last[1])
    }
}

#[cfg(test)]
mod tests {
    use std::f64::consts::TAU;

    use super::*;

    fn sampled(count: u32, interval: f64, of: impl Fn(f64) -> f64) -> Vec<[f64; 2]> {
        let times = (0..=count).map(|i| interval * f64::from(i));
        times.map(|t| [t, of(t)]).collect()
    }

    #[test]
    fn a_sine_has_its_mean_its_rms_and_its_frequency() {
        // 12 whole periods in 2400 intervals.
        let rows = sampled(2400, 0.01, |t| 3.0 + 0.7 * (TAU * 0.5 * t - 1.0).sin());
        assert!((mean_of(&rows) - 3.0).abs() < 1e-12);
        assert!((rms_of(&rows) - 0.7 / 2f64.sqrt()).abs() < 1e-12, "{}", rms_of(&rows));
        let frequency = frequency_of(&rows).expect("a frequency");
        assert!((frequency - 0.5).abs() < 1e-9, "{frequency}");
    }

    #[test]
    fn intervals_of_any_length_count_by_their_length() {
        // A value of 1 for the time 3, and of 5 for the time 1.
        let rows = [[0.0, 1.0], [3.0, 1.0], [3.0, 5.0], [3.5, 5.0], [4.0, 5.0]];
        assert_eq!((mean_of(&rows), rms_of(&rows)), (2.0, 3f64.sqrt()));
    }

    #[test]
    fn a_series_without_a_period_has_no_frequency() {
        assert_eq!(frequency_of(&sampled(100, 0.1, |t| t)), None, "one rise");
        assert_eq!(frequency_of(&sampled(100, 0.1, |_| 1.0)), None, "a constant");
        let rounded = |t: f64| 1.0 + if (10.0 * t).round() % 2.0 == 0.0 { 1e-15 } else { -1e-15 };
        assert_eq!(
            frequency_of(&sampled(100, 0.1, rounded)),
            None,
            "a constant with rounding"
        );
        assert!(frequency_of(&sampled(9, 0.1, |_| f64::NAN)).is_some_and(f64::is_nan));
        assert!(mean_of(&[]).is_nan() && rms_of(&[[1.0, 2.0]]).is_nan());
        assert_eq!(mean_of(&[[1.0, 2.0]]), 2.0);
    }
}
