//! Ranges and ticks of an axis: round numbers, few enough to read, all with the same number of digits, and a common
//! power of ten factored out if the numbers are small or large.

use super::exponents::superscript;
use super::figure::Scale;
use super::strokes::escaped;

/// Largest number of ticks on an axis.
const MOST_TICKS: f64 = 7.0;

/// The choice of the ends of an axis from the data.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fit {
    /// The data extend over the whole axis.
    Tight,
    /// Some room is left beyond the data. An axis of positive data that come near zero starts at zero, so that heights
    /// can be compared by eye.
    Roomy,
}

/// A range of numbers with its ticks.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Axis {
    /// The ends, as logarithms if `logarithmic`.
    low: f64,
    high: f64,
    logarithmic: bool,
    /// Values of the ticks.
    pub(super) ticks: Vec<f64>,
    /// Labels of the ticks, with [`Axis::power`] factored out; empty at the small ticks between decades.
    pub(super) labels: Vec<String>,
    /// Power of ten by which the labels are multiplied; zero if they are the values themselves.
    pub(super) power: i32,
}

impl Axis {
    /// Returns the axis that contains all finite `values`.
    pub(super) fn over(values: impl Iterator<Item = f64>, fit: Fit) -> Axis {
        let (mut low, mut high) = ends(values).unwrap_or((0.0, 1.0));
        if let Some([below, above]) = range_of_constant([low, high]) {
            (low, high) = (below, above);
        } else if fit == Fit::Roomy {
            let room = 0.05 * (high - low);
            let starts_at_zero = low >= 0.0 && low < 0.5 * high;
            (low, high) = (if starts_at_zero { 0.0 } else { low - room }, high + room);
        }

        let step = round_step((high - low) / MOST_TICKS);
        // The last sample is often just short of a round end time, which should still have a label.
        let (below, above) = ((low / step).floor() * step, (high / step).ceil() * step);
        let near = 0.05 * step;
        (low, high) = (
            if low - below < near { below } else { low },
            if above - high < near { above } else { high },
        );
        Axis::between(low, high)
    }

    /// Returns the axis between two different ends.
    pub(super) fn between(low: f64, high: f64) -> Axis {
        let step = round_step((high - low) / MOST_TICKS);
        // The small tolerance keeps a tick that rounding puts just outside the end of a tight axis.
        let (first, last) = ((low / step - 1e-6).ceil() as i64, (high / step + 1e-6).floor() as i64);
        let ticks: Vec<f64> = (first..=last).map(|index| index as f64 * step).collect();
        let largest = ticks.iter().fold(0.0_f64, |largest, tick| largest.max(tick.abs()));
        let exponent = if largest > 0.0 {
            largest.log10().floor() as i32
        } else {
            0
        };
        let power = if (-1..5).contains(&exponent) {
            0
        } else {
            3 * exponent.div_euclid(3)
        };
        let scale = 10_f64.powi(-power);
        let digits = (0..12)
            .find(|&digits| {
                let scaled = step * scale * 10_f64.powi(digits);
                (scaled - scaled.round()).abs() < 1e-6 * scaled
            })
            .unwrap_or(12) as usize;
        // A hyphen is shorter than a minus sign and too low beside digits.
        let label = |tick: &f64| format!("{:.digits$}", tick * scale + 0.0).replace('-', "\u{2212}");
        let labels = ticks.iter().map(label).collect();
        Axis {
            low,
            high,
            logarithmic: false,
            ticks,
            labels,
            power,
        }
    }

    /// Returns the axis that contains all finite `values`, on the given scale. `fit` applies to scales without fixed
    /// ends.
    pub(super) fn scaled(values: impl Iterator<Item = f64>, scale: Scale, fit: Fit) -> Axis {
        match scale {
            Scale::Fitted => Axis::over(values, fit),
            Scale::Roomy => Axis::over(values, Fit::Roomy),
            Scale::Whole => Axis::whole(values),
            Scale::Logarithmic => Axis::logarithmic(values),
        }
    }

    /// Returns an axis of the whole numbers from 0 on, which have these names, extended by half a step at both ends.
    pub(super) fn named_by(names: &[String]) -> Axis {
        Axis {
            low: -0.5,
            high: names.len() as f64 - 0.5,
            logarithmic: false,
            ticks: (0..names.len()).map(|index| index as f64).collect(),
            labels: names.iter().map(|name| escaped(name)).collect(),
            power: 0,
        }
    }

    /// Returns an axis of whole numbers, extended by half a step at both ends.
    fn whole(values: impl Iterator<Item = f64>) -> Axis {
        let (low, high) = ends(values).unwrap_or((0.0, 1.0));
        let step = round_step((high - low) / 10.0).max(1.0).ceil();
        let (first, last) = ((low / step).ceil() as i64, (high / step).floor() as i64);
        let ticks: Vec<f64> = (first..=last).map(|index| index as f64 * step).collect();
        Axis {
            low: low - 0.5 * step,
            high: high + 0.5 * step,
            logarithmic: false,
            labels: ticks.iter().map(|tick| format!("{tick:.0}")).collect(),
            ticks,
            power: 0,
        }
    }

    /// Returns a logarithmic axis: decades have labels, their multiples small ticks. Over less than two decades, 2 and
    /// 5 times a power have labels too.
    fn logarithmic(values: impl Iterator<Item = f64>) -> Axis {
        let (low, high) = ends(values.filter(|value| *value > 0.0)).unwrap_or((1.0, 10.0));
        let room = (0.05 * (high / low).log10()).max(0.1);
        let (low, high) = (low.log10() - room, high.log10() + room);
        let decades = (high.floor() - low.ceil()) as i32;
        let (mut ticks, mut labels) = (Vec::new(), Vec::new());
        for power in low.floor() as i32..=high.floor() as i32 {
            let raised = superscript(&power.to_string());
            for multiple in 1..10 {
                let tick = f64::from(multiple) * 10_f64.powi(power);
                if !(low..=high).contains(&tick.log10()) {
                    continue;
                }
                ticks.push(tick);
                labels.push(match multiple {
                    1 => format!("10{raised}"),
                    2 | 5 if decades < 2 => format!("{multiple}×10{raised}"),
                    _ => String::new(),
                });
            }
        }
        Axis {
            low,
            high,
            logarithmic: true,
            ticks,
            labels,
            power: 0,
        }
    }

    /// Returns the ticks with a label.
    pub(super) fn named(&self) -> impl Iterator<Item = (f64, &String)> {
        let all = self.ticks.iter().copied().zip(&self.labels);
        all.filter(|(_, label)| !label.is_empty())
    }

    /// Returns the text of the power of ten that is factored out of the labels.
    pub(super) fn power_of_ten(&self) -> String {
        format!("×10{}", superscript(&self.power.to_string()))
    }

    /// Returns the position of `value` between the ends: 0 at the lower, 1 at the upper end.
    pub(super) fn fraction(&self, value: f64) -> f64 {
        let value = if self.logarithmic { value.log10() } else { value };
        (value - self.low) / (self.high - self.low)
    }
}

/// Returns the range in whose middle a constant is shown: a range of its own size, since a constant has no extent.
/// `None` if `low` and `high` differ.
pub(super) fn range_of_constant([low, high]: [f64; 2]) -> Option<[f64; 2]> {
    let size = low.abs().max(high.abs());
    let half = if size == 0.0 { 0.5 } else { 0.5 * size };
    (high - low <= 1e-12 * size).then_some([low - half, high + half])
}

/// Returns the minimum and the maximum of the finite numbers, if there are any.
fn ends(values: impl Iterator<Item = f64>) -> Option<(f64, f64)> {
    let (low, high) = values
        .filter(|value| value.is_finite())
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| {
            (low.min(value), high.max(value))
        });
    (low <= high).then_some((low, high))
}

/// Returns the smallest of 1, 2, 2.5 and 5 times a power of ten that is not below `least`.
fn round_step(least: f64) -> f64 {
    let decade = 10_f64.powf(least.log10().floor());
    [1.0, 2.0, 2.5, 5.0]
        .map(|factor| factor * decade)
        .into_iter()
        .find(|&step| step >= least)
        .unwrap_or(10.0 * decade)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_numbers_share_a_power_of_ten() {
        let axis = Axis::over([4.7e-4, 0.0129].into_iter(), Fit::Roomy);
        assert_eq!(axis.labels, ["0", "2", "4", "6", "8", "10", "12"]);
        assert_eq!(axis.power, -3);
    }

    #[test]
    fn a_tight_axis_has_ticks_at_its_ends() {
        let axis = Axis::over([0.0, 20.0].into_iter(), Fit::Tight);
        assert_eq!(axis.labels, ["0", "5", "10", "15", "20"]);
        assert_eq!((axis.fraction(0.0), axis.fraction(20.0)), (0.0, 1.0));
    }

    #[test]
    fn an_axis_that_ends_just_short_of_a_tick_is_drawn_out_to_it() {
        let axis = Axis::over([0.01, 19.98].into_iter(), Fit::Tight);
        assert_eq!(axis.ticks, [0.0, 5.0, 10.0, 15.0, 20.0]);
    }

    #[test]
    fn ticks_of_any_data_lie_on_the_axis_and_read_as_their_values() {
        for (low, high) in [
            (-3.0, 4.0),
            (1e5, 1.0001e5),
            (0.3, 0.3),
            (0.0, 0.0),
            (-2e-9, 7e-8),
            (101_325.0, 101_326.0),
        ] {
            let axis = Axis::over([low, high, f64::NAN].into_iter(), Fit::Roomy);
            assert!((2..=8).contains(&axis.ticks.len()), "{axis:?}");
            for (tick, label) in axis.ticks.iter().zip(&axis.labels) {
                let read = label.replace('\u{2212}', "-").parse::<f64>().unwrap() * 10_f64.powi(axis.power);
                assert!((read - tick).abs() <= 1e-9 * tick.abs(), "{label} for {tick}");
                assert!(
                    (-1e-6..=1.0 + 1e-6).contains(&axis.fraction(*tick)),
                    "{tick} on {axis:?}"
                );
            }
        }
    }

    #[test]
    fn a_logarithmic_axis_names_decades_and_marks_their_multiples() {
        let axis = Axis::scaled([8e3, 1.1e8].into_iter(), Scale::Logarithmic, Fit::Tight);
        let named: Vec<&String> = axis.labels.iter().filter(|label| !label.is_empty()).collect();
        assert_eq!(named, ["10⁴", "10⁵", "10⁶", "10⁷", "10⁸"]);
        assert!(axis.ticks.contains(&2e6));
        assert!((axis.fraction(1e6) - axis.fraction(1e5) - (axis.fraction(1e5) - axis.fraction(1e4))).abs() < 1e-12);
        let axis = Axis::scaled([2e6, 5e6].into_iter(), Scale::Logarithmic, Fit::Tight);
        assert!(axis.labels.contains(&"2×10⁶".to_owned()), "{axis:?}");
    }

    #[test]
    fn whole_numbers_are_kept() {
        let axis = Axis::scaled([1.0, 8.0].into_iter(), Scale::Whole, Fit::Tight);
        assert_eq!(axis.labels, ["1", "2", "3", "4", "5", "6", "7", "8"]);
        assert!(axis.fraction(1.0) > 0.05);
    }
}
