//! Tests of means with statistical errors: series whose errors are known.

use std::f64::consts::TAU;

use super::*;

/// Numbers of mean 0 and variance 1, normally distributed (Box and Muller's transformation).
struct Noise(u64);

impl Noise {
    fn uniform(&mut self) -> f64 {
        self.0 = self
            .0
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        ((self.0 >> 11) as f64 + 0.5) / (1u64 << 53) as f64
    }

    fn next(&mut self) -> f64 {
        (-2.0 * self.uniform().ln()).sqrt() * (TAU * self.uniform()).cos()
    }
}

/// Samples at times 1, 2, 3, ...
fn of<const N: usize>(samples: impl Iterator<Item = [f64; N]>) -> BatchMeans {
    let mut means = BatchMeans::new(N, 0.0);
    samples
        .zip(1u32..)
        .for_each(|(values, n)| means.add(f64::from(n), &values));
    means
}

/// A first-order autoregressive series of mean 0 and variance 1 whose neighbours have the correlation `a`.
fn correlated(a: f64, seed: u64) -> impl Iterator<Item = [f64; 1]> {
    let mut noise = Noise(seed);
    let mut x = noise.next();
    std::iter::repeat_with(move || {
        x = a * x + (1.0 - a * a).sqrt() * noise.next();
        [x]
    })
}

fn root_mean_square(values: &[f64]) -> f64 {
    (values.iter().map(|x| x * x).sum::<f64>() / values.len() as f64).sqrt()
}

/// Returns the root mean squares, over many series of n samples, of the estimated and of the actual error of the
/// mean. Both are divided by the theoretical error.
fn compared(a: f64, n: usize) -> [f64; 2] {
    let theory = ((1.0 + a) / (1.0 - a) / n as f64).sqrt();
    let one = |seed: u64| {
        let [mean] = of(correlated(a, seed).take(n)).estimate(0..1, |x| [x[0]]);
        [mean.error, mean.value]
    };
    let all: Vec<[f64; 2]> = (0..200).map(|k| one(1000 + 7 * k)).collect();
    [0, 1].map(|i| root_mean_square(&all.iter().map(|x| x[i] / theory).collect::<Vec<_>>()))
}

#[test]
fn the_error_of_white_noise_is_its_deviation_over_the_root_of_the_count() {
    for n in [40, 500, 6000] {
        let [estimated, actual] = compared(0.0, n);
        assert!((0.95..1.15).contains(&estimated), "n = {n}: {estimated}");
        assert!((actual - 1.0).abs() < 0.12, "n = {n}: {actual}");
    }
}

#[test]
fn the_error_of_a_correlated_series_is_that_of_its_integral_time() {
    // The integral time is (1 + a)/(1 - a)/2: 2.5 and 9.5 samples. Long series are 400 of them or more.
    for (a, n) in [(2.0 / 3.0, 1000), (2.0 / 3.0, 20_000), (0.9, 4000), (0.9, 50_000)] {
        let [estimated, actual] = compared(a, n);
        assert!((estimated - 1.0).abs() < 0.15, "a = {a}, n = {n}: {estimated}");
        assert!((actual - 1.0).abs() < 0.12, "a = {a}, n = {n}: {actual}");
    }
    // Each sample is a batch: the correction alone makes the error about 3 times that of independent samples.
    let [estimated, _] = compared(0.8, 64);
    assert!((0.7..1.15).contains(&estimated), "{estimated}");
}

#[test]
fn two_errors_hold_the_exact_mean_in_nineteen_of_twenty_series() {
    // The integral time is 9.5 samples: series of 20 to 400 of them.
    for n in [190, 950, 3800] {
        let held = (0..400).filter(|seed| {
            let [mean] = of(correlated(0.9, 3000 + 11 * seed).take(n)).estimate(0..1, |x| [x[0]]);
            mean.value.abs() <= 2.0 * mean.error
        });
        let share = held.count() as f64 / 400.0;
        // The standard deviation of a share of 0.95 is 0.011.
        assert!((share - 0.95).abs() < 0.035, "n = {n}: {share}");
    }
}

#[test]
fn the_error_of_a_ratio_is_that_of_its_linear_part() {
    let n = 5000_u32;
    let mean = [3.0_f64, 2.0];
    let deviation = [0.6_f64, 0.5];
    // var(x/y) = (sx^2/my^2 + mx^2 sy^2/my^4)/n for independent x, y.
    let variance = (deviation[0] / mean[1]).powi(2) + (mean[0] * deviation[1] / mean[1].powi(2)).powi(2);
    let theory = (variance / f64::from(n)).sqrt();
    let errors: Vec<f64> = (0..100)
        .map(|k| {
            let mut noise = Noise(50 + k);
            let next = || std::array::from_fn(|i| mean[i] + deviation[i] * noise.next());
            let means = of::<2>(std::iter::repeat_with(next).take(n as usize));
            let [ratio] = means.estimate(0..2, |x| [x[0] / x[1]]);
            assert!((ratio.value - 1.5).abs() < 5.0 * theory);
            assert!(ratio.half_difference.abs() < 10.0 * theory);
            ratio.error
        })
        .collect();
    let estimated = root_mean_square(&errors) / theory;
    assert!((0.95..1.15).contains(&estimated), "{estimated}");
}

#[test]
fn weights_are_the_times_between_samples() {
    let mut means = BatchMeans::new(1, 2.0);
    means.add(2.0, &[100.0]);
    assert_eq!((means.samples(), means.full_batches()), (0, 0));
    means.add(3.0, &[1.0]);
    means.add(6.0, &[5.0]);
    assert_eq!(means.means(), [4.0]);
    assert_eq!((means.samples(), means.span()), (2, [2.0, 6.0]));
    let [mean] = means.estimate(0..1, |x| [x[0]]);
    assert_eq!((mean.value, mean.half_difference), (4.0, 4.0));
    assert!(mean.error.is_nan());
}

#[test]
fn the_error_of_batches_of_unequal_weight_is_that_of_their_weighted_mean() {
    // For a linear function the pseudo-values are the means of the batches.
    let times: Vec<f64> = (0..20).map(|k| f64::from(k) + 0.3 * f64::from(k % 3)).collect();
    let value = |k: usize| ((7 * k + 3) % 11) as f64;
    let mut means = BatchMeans::new(1, -1.0);
    times
        .iter()
        .enumerate()
        .for_each(|(k, time)| means.add(*time, &[value(k)]));
    let weight = |k: usize| times[k] - if k == 0 { -1.0 } else { times[k - 1] };
    let whole = times[19] + 1.0;
    let mean = (0..20).map(|k| weight(k) * value(k)).sum::<f64>() / whole;
    let deviation = |k: usize| value(k) - mean;
    let variance = (0..20)
        .map(|k| deviation(k).powi(2) * weight(k) / (whole - weight(k)))
        .sum::<f64>()
        / 20.0;
    let squares: f64 = (0..20).map(|k| deviation(k).powi(2)).sum();
    let r = (0..19).map(|k| deviation(k) * deviation(k + 1)).sum::<f64>() / squares + 0.05;
    assert!(
        r < 0.0,
        "the neighbours of this series are anticorrelated, so that F is 1"
    );
    let [estimate] = means.estimate(0..1, |x| [x[0]]);
    assert!((estimate.value - mean).abs() < 1e-13);
    assert!((estimate.error / variance.sqrt() - 1.0).abs() < 1e-12);
}

#[test]
fn merging_batches_changes_no_mean() {
    let mut means = BatchMeans::new(1, 0.0);
    let mut sum = 0.0;
    let mut noise = Noise(3);
    for n in 1..=1000_u32 {
        let x = noise.next();
        sum += x;
        means.add(f64::from(n), &[x]);
        assert_eq!(means.means(), [sum / f64::from(n)]);
        let batches = means.full_batches();
        assert!(n <= 64 && batches == n as usize || n > 64 && (32..=64).contains(&batches));
    }
    assert_eq!(
        (means.per_batch, means.weights.len(), means.full_batches()),
        (16, 63, 62)
    );
    assert!(!means.completed_a_batch());
    let over_batches = means.sums.iter().sum::<f64>() / 1000.0;
    assert!((over_batches - sum / 1000.0).abs() < 1e-15);
}

#[test]
fn a_trend_counts_as_one_observation() {
    let means = of((0..64).map(|k| [f64::from(k)]));
    let [mean] = means.estimate(0..1, |x| [x[0]]);
    let deviation = ((64.0 * 64.0 - 1.0) / 12.0_f64).sqrt();
    assert!(
        mean.error > 0.6 * deviation && mean.error <= deviation * 1.0001,
        "{mean:?}"
    );
    assert_eq!(mean.half_difference, 32.0);
}

#[test]
fn halves_that_differ_by_more_than_chance_explains_are_a_drift() {
    // The halves of white noise differ by twice its standard error in the root mean square, and by six hardly ever.
    let of_seed = |seed: u64| of(correlated(0.0, seed).take(1024)).estimate(0..1, |x| [x[0]])[0];
    let estimates: Vec<_> = (0..100).map(of_seed).collect();
    let scaled: Vec<f64> = estimates.iter().map(|e| e.half_difference / e.error).collect();
    let scale = root_mean_square(&scaled);
    let count = estimates.iter().filter(|e| e.drifts()).count();
    println!("half difference over error: {scale} in the root mean square, {count} drifts");
    assert!((1.7..2.4).contains(&scale) && count <= 1);
    let unknown = Estimate {
        value: 1.0,
        error: f64::NAN,
        certainty: Certainty::AtLeast,
        half_difference: 0.5,
    };
    assert!(!unknown.drifts());
    let drift = Estimate { error: 0.01, ..unknown };
    let chance = Estimate { error: 0.1, ..unknown };
    assert!(drift.drifts() && !chance.drifts());
}

#[test]
fn sums_continue_from_a_checkpoint_to_the_bit() {
    let samples: Vec<[f64; 2]> = {
        let mut noise = Noise(9);
        (0..300).map(|_| [noise.next(), noise.next()]).collect()
    };
    let through = of(samples.iter().copied());
    for at in [0, 1, 63, 64, 65, 130, 299] {
        let mut section = CheckpointSection::default();
        of(samples[..at].iter().copied()).save("wake", &mut section);
        let mut again = BatchMeans::new(2, 0.0);
        assert!(again.restore("wake", &section));
        for (k, values) in samples.iter().enumerate().skip(at) {
            again.add((k + 1) as f64, values);
        }
        assert_eq!(again, through);
        assert!(!BatchMeans::new(3, 0.0).restore("wake", &section));
        assert!(!BatchMeans::new(2, 0.0).restore("other", &section));
    }
}

#[test]
fn the_line_of_an_estimate_is_read_as_it_was_written() {
    let estimate = Estimate {
        value: 0.1 + 0.2,
        error: f64::NAN,
        certainty: Certainty::AtLeast,
        half_difference: -1e-300,
    };
    let line = estimate.line("force_x", "N");
    let (name, read) = Estimate::of_line(&line).unwrap();
    assert_eq!(
        (name, read.value, read.half_difference),
        ("force_x [N]", 0.1 + 0.2, -1e-300)
    );
    assert!(read.error.is_nan() && read.certainty == Certainty::AtLeast);
    for (certainty, text) in [
        (Certainty::Estimated, "error = 0.25, half_difference"),
        (Certainty::AtLeast, "error = 0.25 (at least), half_difference"),
    ] {
        let known = Estimate {
            error: 0.25,
            certainty,
            ..estimate
        };
        let line = known.line("omega", "-");
        assert!(line.contains(text), "{line}");
        assert_eq!(Estimate::of_line(&line), Some(("omega [-]", known)));
    }
    assert_eq!(Estimate::of_line("samples: 3"), None);
}

/// Shedding of vortices: a sine of 20 samples, which are no whole number of parts of it, with a random phase, and a
/// slow part with a share of the variance of 1 and a memory of so many periods.
fn shedding(slow: f64, memory: f64, seed: u64) -> impl Iterator<Item = [f64; 1]> {
    let mut noise = Noise(seed);
    let phase = TAU * noise.uniform();
    let slow_part = correlated((-1.0 / (PERIOD * memory)).exp(), seed.wrapping_mul(31));
    slow_part.zip(0u32..).map(move |([x], k)| {
        let turn = TAU * f64::from(k) / PERIOD * 1.013;
        [(2.0 * (1.0 - slow)).sqrt() * (turn + phase).sin() + slow.sqrt() * x]
    })
}

/// Samples in a period of the shedding.
const PERIOD: f64 = 20.0;

/// What is found of many series of a kind.
#[derive(Debug)]
struct Found {
    /// Estimated error over the actual one, both as root mean squares.
    ratio: f64,
    /// Share of the series in which two errors hold the exact mean.
    held: f64,
    /// Share of the series whose error is said to be a lower bound.
    bounds: f64,
    /// Share of the others in which two errors hold the exact mean; not a number if there are few.
    held_of_others: f64,
}

/// Returns what is found of 400 series, whose exact mean is 0, and prints it.
fn found<S: Iterator<Item = [f64; 1]>>(name: &str, samples: f64, series: impl Fn(u64) -> S) -> Found {
    let one = |k: u64| of(series(7_000 + 13 * k).take(samples as usize)).estimate(0..1, |x| [x[0]])[0];
    let all: Vec<Estimate> = (0..400).map(one).collect();
    let share = |of: &[&Estimate]| {
        let held = of.iter().filter(|e| e.value.abs() <= 2.0 * e.error).count();
        held as f64 / of.len() as f64
    };
    let others: Vec<&Estimate> = all.iter().filter(|e| e.certainty == Certainty::Estimated).collect();
    let of_all = |part: fn(&Estimate) -> f64| root_mean_square(&all.iter().map(part).collect::<Vec<f64>>());
    let found = Found {
        ratio: of_all(|e| e.error) / of_all(|e| e.value),
        held: share(&all.iter().collect::<Vec<_>>()),
        bounds: 1.0 - others.len() as f64 / all.len() as f64,
        held_of_others: if others.len() < 40 { f64::NAN } else { share(&others) },
    };
    let [held, bounds, others] = [found.held, found.bounds, found.held_of_others].map(|share| 100.0 * share);
    println!(
        "| {name} | {:.2} | {held:.0} % | {bounds:.0} % | {others:.0} % |",
        found.ratio
    );
    found
}

#[test]
fn errors_of_short_series_are_lower_bounds_and_those_of_long_ones_hold_the_mean() {
    let memory = 10.0;
    // The integral time is 10 samples.
    let correlated_over = |times: f64| {
        let name = format!("first order, {times} integral times");
        found(&name, times * memory, |seed| correlated((-1.0 / memory).exp(), seed))
    };
    let [short, brief, middle, long, longer] = [5.0, 10.0, 20.0, 50.0, 400.0].map(correlated_over);
    assert!(
        short.held < 0.85 && short.bounds > 0.85 && brief.bounds > 0.85,
        "{short:?} {brief:?}"
    );
    assert!(middle.bounds > 0.4, "{middle:?}");
    for found in [&long, &longer] {
        assert!(found.held_of_others > 0.92 && found.bounds < 0.1, "{found:?}");
    }
    assert!(longer.bounds < 0.04, "{longer:?}");
    // A fifth of the variance is slow, with a memory of ten periods.
    let slow_over = |periods: f64| {
        let name = format!("shedding and a slow fifth, {periods} periods");
        found(&name, periods * PERIOD, |seed| shedding(0.2, 10.0, seed))
    };
    let [few, some, _, more, _, many, most] = [14.0, 25.0, 50.0, 100.0, 200.0, 500.0, 1000.0].map(slow_over);
    // The error is a third of the truth, and two of them hold the mean in half of the series.
    assert!(
        (few.ratio - 0.34).abs() < 0.06 && (few.held - 0.5).abs() < 0.08,
        "{few:?}"
    );
    assert!(few.bounds > 0.75 && some.bounds > 0.9, "{few:?} {some:?}");
    assert!(more.bounds > 0.5, "{more:?}");
    assert!(many.bounds < 0.25 && many.held_of_others > 0.9, "{many:?}");
    assert!(most.bounds < 0.04 && most.held_of_others > 0.92, "{most:?}");
    // A memory of three periods.
    let quick_over = |periods: f64| {
        let name = format!("the same, memory of 3 periods, {periods} periods");
        found(&name, periods * PERIOD, |seed| shedding(0.2, 3.0, seed))
    };
    let [few, _, many] = [14.0, 50.0, 200.0].map(quick_over);
    assert!(few.held < 0.8 && few.bounds > 0.75, "{few:?}");
    assert!(many.bounds < 0.05 && many.held_of_others > 0.92, "{many:?}");
    // A period in noise has no slow part: its error is known from the first periods on, and rather too large.
    let periodic_over = |periods: f64| {
        let name = format!("shedding in white noise, {periods} periods");
        found(&name, periods * PERIOD, |seed| shedding(0.2, 1e-3, seed))
    };
    for found in [14.0, 50.0, 200.0].map(periodic_over) {
        assert!(
            found.ratio > 1.0 && found.held > 0.98 && found.bounds < 0.04,
            "{found:?}"
        );
    }
}

#[test]
fn a_drift_or_too_few_batches_make_the_error_a_lower_bound() {
    let noise = |seed: u64, drift: f64| {
        of(correlated(0.0, seed)
            .zip(0u32..)
            .take(1024)
            .map(move |([x], k)| [x + drift * f64::from(k) / 1024.0]))
    };
    let certainty = |seed: u64, drift: f64| noise(seed, drift).estimate(0..1, |x| [x[0]])[0].certainty;
    let bounds = |drift: f64| {
        (0..100)
            .filter(|&seed| certainty(seed, drift) == Certainty::AtLeast)
            .count()
    };
    let [none, drifting] = [0.0, 2.0].map(bounds);
    println!("white noise: {none} lower bounds of 100, and {drifting} with a drift of two deviations");
    assert!(none <= 4 && drifting >= 98);
    let few = of(correlated(0.0, 1).take(15));
    assert_eq!(few.estimate(0..1, |x| [x[0]])[0].certainty, Certainty::AtLeast);
    // A constant is known.
    let constant = of((0..64).map(|_| [3.0])).estimate(0..1, |x| [x[0]])[0];
    assert_eq!((constant.error, constant.certainty), (0.0, Certainty::Estimated));
}

#[test]
fn errors_of_passages_are_lower_bounds_where_these_are_few_or_correlate() {
    let bounds = |a: f64, passages: usize| {
        let certain = |seed: u64| {
            let values: Vec<f64> = correlated(a, 1 + 17 * seed).take(passages).map(|[x]| x).collect();
            let means = BatchMeans::of_batches(1, vec![1.0; passages], values);
            means.estimates_if_independent(<[f64]>::to_vec)[0].certainty == Certainty::Estimated
        };
        (0..400).filter(|&seed| !certain(seed)).count()
    };
    let [few, independent, correlating] = [(0.0, 7), (0.0, 16), (0.8, 16)].map(|(a, passages)| bounds(a, passages));
    println!("lower bounds of 400: {few} of 7 passages, {independent} of 16, {correlating} of 16 that correlate");
    assert!(few == 400 && independent < 24 && correlating > 200);
}

/// A run that is asked at every batch whether two errors are within a share of the mean, 1, ends far too early if it
/// relies on every error: a fifth of the variance is slow, with a memory of ten periods.
#[test]
fn runs_that_end_at_an_accuracy_do_not_rely_on_lower_bounds() {
    let estimates = |means: &BatchMeans| means.estimates(<[f64]>::to_vec);
    let is_met = |e: &Estimate| 2.0 * e.error <= 0.18 * e.value;
    let ends = |relied: &dyn Fn(&BatchMeans) -> Option<Estimate>| {
        let mut held = 0;
        let mut periods = Vec::new();
        for seed in 0..100 {
            let mut means = BatchMeans::new(1, 0.0);
            let mut samples = shedding(0.2, 10.0, 99 + 7 * seed).zip(1u32..);
            let end = samples.find_map(|([x], k)| {
                means.add(f64::from(k), &[1.0 + x]);
                relied(&means).filter(is_met)
            });
            let end = end.expect("an end");
            held += usize::from((end.value - 1.0).abs() <= 2.0 * end.error);
            periods.push(means.samples() as f64 / PERIOD);
        }
        periods.sort_by(f64::total_cmp);
        (periods[50], held)
    };
    let every = ends(&|means| Some(means.reliable(estimates)?[0]));
    let sure = ends(&|means| Some(means.reliable(estimates)?[0]).filter(|e| e.certainty == Certainty::Estimated));
    println!("ends after (median) and holds the mean (of 100): every error {every:?}, known errors {sure:?}");
    assert!(every.0 < 50.0 && every.1 < 70);
    assert!(sure.0 > 300.0 && sure.0 < 1000.0 && sure.1 > 78);
}
