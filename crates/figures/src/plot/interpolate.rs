//! Values of a sampled curve between its samples. Profiles are compared at points of one that the other does not have,
//! to a percent and better. Straight lines between samples would spoil this where a profile is curved; a cubic that
//! overshoots would spoil it where a profile is steep. The curve is therefore a cubic whose slopes are those of
//! parabolas through neighbours, limited so that the curve between samples is monotone (Hyman 1983).

/// A curve through samples.
#[derive(Debug, Clone, PartialEq)]
pub struct Interpolation<'a> {
    x: &'a [f64],
    y: &'a [f64],
    slopes: Vec<f64>,
}

impl<'a> Interpolation<'a> {
    /// Returns the curve through at least two samples, whose `x` increase.
    pub fn new(x: &'a [f64], y: &'a [f64]) -> Self {
        let secants: Vec<f64> = (1..x.len()).map(|i| (y[i] - y[i - 1]) / (x[i] - x[i - 1])).collect();
        let last = x.len() - 1;
        let slopes = (0..=last).map(|i| slope(x, &secants, i)).collect();
        Interpolation { x, y, slopes }
    }

    /// Returns the value at `x`; `None` outside the samples.
    pub fn at(&self, x: f64) -> Option<f64> {
        let last = self.x.len() - 1;
        if !(self.x[0]..=self.x[last]).contains(&x) {
            return None;
        }
        let i = self.x.partition_point(|&sample| sample <= x).clamp(1, last) - 1;
        let length = self.x[i + 1] - self.x[i];
        let t = (x - self.x[i]) / length;
        let (from, to) = (1.0 - t, t);
        // Written so that samples are reproduced to the last bit.
        Some(
            self.y[i] * from * from * (1.0 + 2.0 * t)
                + self.y[i + 1] * to * to * (3.0 - 2.0 * t)
                + length * (self.slopes[i] * t * from * from - self.slopes[i + 1] * to * to * from),
        )
    }
}

/// Returns the slope at sample `i`.
fn slope(x: &[f64], secants: &[f64], i: usize) -> f64 {
    let last = x.len() - 1;
    if last == 1 {
        return secants[0];
    }
    // At an end the parabola through the three samples nearest to it.
    let middle = i.clamp(1, last - 1);
    let (before, after) = (secants[middle - 1], secants[middle]);
    let (left, right) = (x[middle] - x[middle - 1], x[middle + 1] - x[middle]);
    let curvature = (after - before) / (left + right);
    let parabola = before + curvature * ((x[i] - x[middle - 1]) + (x[i] - x[middle]));
    let neighbours = if i == 0 {
        (before, before)
    } else if i == last {
        (after, after)
    } else {
        (before, after)
    };
    if neighbours.0 * neighbours.1 <= 0.0 || parabola * neighbours.0 <= 0.0 {
        return 0.0;
    }
    let most = 3.0 * neighbours.0.abs().min(neighbours.1.abs());
    parabola.clamp(-most, most)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_and_monotone_parabolas_are_met() {
        let x = [0.0, 0.3, 1.0, 1.2, 2.5];
        let y = x.map(|x: f64| 1.0 + x + 0.5 * x * x);
        let curve = Interpolation::new(&x, &y);
        for (x, y) in x.iter().zip(y) {
            assert_eq!(curve.at(*x), Some(y));
        }
        for x in [0.1, 0.77, 1.9, 2.4] {
            let error = curve.at(x).unwrap() - (1.0 + x + 0.5 * x * x);
            assert!(error.abs() < 1e-14, "{error} at {x}");
        }
        assert_eq!(
            (curve.at(-0.01), curve.at(2.51), curve.at(f64::NAN)),
            (None, None, None)
        );
    }

    #[test]
    fn a_step_is_not_overshot() {
        let x = [0.0, 1.0, 2.0, 3.0, 4.0, 5.0];
        let y = [0.0, 0.0, 0.01, 0.99, 1.0, 1.0];
        let curve = Interpolation::new(&x, &y);
        let mut last = 0.0;
        for i in 0..=500 {
            let value = curve.at(0.01 * f64::from(i)).unwrap();
            assert!(value >= last - 1e-15 && value <= 1.0 + 1e-15, "{value} after {last}");
            last = value;
        }
    }
}
