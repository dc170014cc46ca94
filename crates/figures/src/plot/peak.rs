//! The maximum of a sampled curve between its samples. Runs are compared by the height and the time of their
//! dissipation peak. The samples of two runs seldom fall on the same times, so that the largest sample alone would have
//! an error of the size of the sampling interval.

/// A maximum of a curve.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Peak {
    /// Time of the maximum.
    pub time: f64,
    /// Height of the maximum.
    pub value: f64,
    /// Whether the curve decreases on both sides. Otherwise the largest sample is the first or the last one, and the
    /// true maximum may lie outside the samples.
    pub interior: bool,
}

/// Returns the vertex of the parabola through the largest sample and its two neighbours. Samples that are not finite
/// are skipped; `None` if no sample is left.
pub fn peak(time: &[f64], value: &[f64]) -> Option<Peak> {
    let samples: Vec<(f64, f64)> = time
        .iter()
        .copied()
        .zip(value.iter().copied())
        .filter(|(t, v)| t.is_finite() && v.is_finite())
        .collect();
    let at = (0..samples.len()).max_by(|&a, &b| samples[a].1.total_cmp(&samples[b].1))?;
    let (t1, v1) = samples[at];
    if at == 0 || at + 1 == samples.len() {
        return Some(Peak {
            time: t1,
            value: v1,
            interior: false,
        });
    }
    let ((t0, v0), (t2, v2)) = (samples[at - 1], samples[at + 1]);
    let before = (v1 - v0) / (t1 - t0);
    let after = (v2 - v1) / (t2 - t1);
    let curvature = (after - before) / (t2 - t0);
    let slope = before + curvature * (t1 - t0);
    // Three equal values give no parabola, and two equal times no quotient: then the sample is the best answer.
    if !(curvature < 0.0 && curvature.is_finite() && slope.is_finite()) {
        return Some(Peak {
            time: t1,
            value: v1,
            interior: true,
        });
    }
    let time = t1 - slope / (2.0 * curvature);
    Some(Peak {
        time,
        value: v1 - slope * slope / (4.0 * curvature),
        interior: true,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_peak_of_a_sampled_parabola_is_its_vertex() {
        let time = [0.0, 0.4, 1.1, 1.5, 2.6, 3.0];
        let value = time.map(|t: f64| 7.0 - 3.0 * (t - 1.37) * (t - 1.37));
        let peak = peak(&time, &value).unwrap();
        assert!(
            (peak.time - 1.37).abs() < 1e-13 && (peak.value - 7.0).abs() < 1e-13,
            "{peak:?}"
        );
        assert!(peak.interior);
    }

    #[test]
    fn a_curve_that_still_rises_has_its_peak_at_the_last_sample() {
        let peak = peak(&[0.0, 1.0, 2.0], &[f64::NAN, 1.0, 4.0]).unwrap();
        assert_eq!(
            peak,
            Peak {
                time: 2.0,
                value: 4.0,
                interior: false
            }
        );
    }

    #[test]
    fn a_plateau_or_a_repeated_time_gives_a_sample() {
        assert_eq!(peak(&[0.0, 1.0, 2.0, 3.0], &[0.0, 1.0, 1.0, 1.0]).unwrap().value, 1.0);
        let repeated = peak(&[0.0, 1.0, 1.0, 2.0], &[0.0, 1.0, 2.0, 0.0]).unwrap();
        assert_eq!((repeated.time, repeated.value), (1.0, 2.0));
        assert_eq!(peak(&[], &[]), None);
    }
}
