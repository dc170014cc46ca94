//! The statistics of the modes: stresses, length, slope of the spectrum, divergence, periodicity.

use super::super::spectra::Spectra;
use super::super::spectrum::Ends;
use super::super::stresses::apply;
use super::*;

const STREAM: Stream = Stream {
    normal: [-1.0, 0.0, 0.0],
    velocity: [2.0, 0.0, 0.0],
    convection: Convection::Frozen,
    periods: &[],
};

fn spectrum(length: f64, shells: usize) -> Spectrum {
    let ends = Ends {
        cut: 50.0 / length,
        dissipation: f64::INFINITY,
    };
    Spectrum::with_length(length, ends, shells).expect("resolved")
}

fn shares(spectrum: &Spectrum) -> Vec<f64> {
    spectrum.shells.iter().map(|shell| shell.share).collect()
}

#[test]
fn a_single_draw_has_the_wanted_covariance() {
    // 64 points 20 lengths apart, and 2000 times spread over 400 lengths.
    let set = spectrum(1.0, 100);
    let modes = modes(&set, &Draw::new(1, "inlet"), &STREAM);
    let shares = shares(&set);
    let fraction = |n: usize| n as f64 * 0.618_033_988_749_895 % 1.0;
    let mut r = [[0.0; 3]; 3];
    for n in 0..64 * 2000 {
        let point = n % 64;
        let time = 0.1 * (n / 64) as f64 + 0.1 * fraction(n);
        let x = [0.0, 20.0 * (point % 8) as f64, 20.0 * (point / 8) as f64];
        let v = velocity(&modes, &shares, x, time);
        for (i, row) in r.iter_mut().enumerate() {
            for (j, mean) in row.iter_mut().enumerate() {
                *mean += v[i] * v[j] / (64.0 * 2000.0);
            }
        }
    }
    println!("covariance of one draw {r:.4?}");
    for (i, row) in r.iter().enumerate() {
        for (j, mean) in row.iter().enumerate() {
            assert!((mean - if i == j { 1.0 } else { 0.0 }).abs() < 0.02, "{r:?}");
        }
    }
    // Over infinite time it is exact.
    for (value, exact) in correction(&modes, &shares)
        .expect("a full covariance")
        .into_iter()
        .zip([1.0, 0.0, 1.0, 0.0, 0.0, 1.0])
    {
        assert!((value - exact).abs() < 1e-13);
    }
}

#[test]
fn the_mean_length_of_many_draws_is_that_of_the_set() {
    let set = spectrum(1.0, 100);
    let shares = shares(&set);
    // The integral of the longitudinal correlation up to a distance where it has vanished.
    let of_draw = |seed: u64| {
        let modes = modes(&set, &Draw::new(seed, "inlet"), &STREAM);
        let terms = modes.iter().enumerate().map(|(n, mode)| {
            let k = TAU * mode.wave[0];
            shares[n / MODES_OF_A_SHELL] * mode.direction[0].powi(2) * (k * 8.0).sin() / k
        });
        terms.sum::<f64>()
    };
    let lengths: Vec<f64> = (1..=64).map(of_draw).collect();
    let mean = lengths.iter().sum::<f64>() / 64.0;
    let spread = (lengths.iter().map(|l| (l - mean).powi(2)).sum::<f64>() / 64.0).sqrt();
    println!(
        "length of the set {:.4}, mean of 64 draws {mean:.4}, of one draw +- {spread:.3}",
        set.length()
    );
    assert!((mean / set.length() - 1.0).abs() < 0.05, "{mean}");
}

#[test]
fn lengths_and_covariance_along_an_inlet_are_those_of_each_place() {
    let ends = Ends {
        cut: 120.0,
        dissipation: f64::INFINITY,
    };
    let set = Spectra::new(1.0, ends, 100, 64).expect("resolved");
    for length in [0.3, 0.85] {
        let place = set.place(length, f64::INFINITY);
        let energies = set.energies(place);
        // The integral of the longitudinal correlation up to a distance where it has vanished.
        let of_draw = |seed: u64| {
            let modes = modes(&set.at(63.0), &Draw::new(seed, "inlet"), &STREAM);
            let factor = correction(&modes, &energies).expect("a full covariance");
            let terms = modes.iter().enumerate().map(|(n, mode)| {
                let k = TAU * mode.wave[0];
                let u = apply(factor, mode.direction)[0];
                [u * u, u * u * (k * 8.0 * length).sin() / k].map(|term| term * energies[n / MODES_OF_A_SHELL])
            });
            terms.fold([0.0; 2], |sum, term| [sum[0] + term[0], sum[1] + term[1]])
        };
        let draws: Vec<[f64; 2]> = (1..=64).map(of_draw).collect();
        assert!(draws.iter().all(|[uu, _]| (uu - 1.0).abs() < 1e-12));
        let mean = draws.iter().map(|[_, l]| l).sum::<f64>() / 64.0;
        println!("place {place:.2}: length {length}, mean of 64 draws {mean:.4}");
        assert!((mean / length - 1.0).abs() < 0.06, "{mean} {length}");
    }
}

#[test]
fn the_one_dimensional_spectrum_has_the_slope_of_the_inertial_range() {
    let ends = Ends {
        cut: 1000.0,
        dissipation: f64::INFINITY,
    };
    let set = Spectrum::with_peak(1.0, ends, 200);
    let shares = shares(&set);
    // Energy of u between wave numbers along x, over the width.
    let (mut low, mut high) = (0.0, 0.0);
    for seed in 0..400 {
        for (n, mode) in modes(&set, &Draw::new(seed, "inlet"), &STREAM).iter().enumerate() {
            let k = TAU * mode.wave[0].abs();
            let energy = shares[n / MODES_OF_A_SHELL] * mode.direction[0].powi(2);
            match k {
                10.0..20.0 => low += energy / 10.0,
                100.0..200.0 => high += energy / 100.0,
                _ => {}
            }
        }
    }
    let slope = (high / low).log10();
    println!("slope of the one-dimensional spectrum {slope:.4}");
    assert!((slope / (-5.0 / 3.0) - 1.0).abs() < 0.05, "{slope}");
}

#[test]
fn modes_are_free_of_divergence_and_carried_by_the_mean_velocity() {
    let set = spectrum(0.1, 50);
    let stream = Stream {
        velocity: [1.5, -2.0, 0.3],
        ..STREAM
    };
    let modes = modes(&set, &Draw::new(3, "inlet"), &stream);
    assert!(
        modes
            .iter()
            .all(|m| dot(m.wave, m.direction).abs() < 1e-14 * length(m.wave))
    );
    let shares = shares(&set);
    let x = [0.02, 0.1, -0.3];
    let t = 0.7;
    let later = velocity(
        &modes,
        &shares,
        std::array::from_fn(|d| x[d] + t * stream.velocity[d]),
        t,
    );
    assert!(length(minus(velocity(&modes, &shares, x, 0.0), later)) < 1e-11);
}

#[test]
fn all_modes_have_one_time_scale_at_most_with_the_convection_of_shur() {
    let set = spectrum(0.1, 50);
    let stream = Stream {
        convection: Convection::Shur,
        ..STREAM
    };
    let modes = modes(&set, &Draw::new(3, "inlet"), &stream);
    let fastest = modes.iter().map(|m| m.frequency.abs()).fold(0.0, f64::max);
    let limit = 2.0 / set.largest_scale();
    assert!(
        fastest <= limit * (1.0 + 1e-12) && fastest > 0.95 * limit,
        "{fastest} {limit}"
    );
}

#[test]
fn modes_of_periodic_inlets_are_periodic_and_keep_spectrum_and_stresses() {
    let set = spectrum(0.1, 100);
    let shares = shares(&set);
    let sheared = [[0.0, 1.0, 0.0], [0.0, 0.2, 0.7]];
    let square = [[0.0, 0.0, 1.0], [0.0, 1.0, 0.0]];
    for (periods, convection) in [
        (&sheared[..], Convection::Frozen),
        (&square[..], Convection::Frozen),
        (&square[..], Convection::Shur),
        (&square[1..], Convection::Frozen),
    ] {
        let stream = Stream {
            periods,
            convection,
            velocity: [1.0, 0.4, 0.0],
            ..STREAM
        };
        let modes = modes(&set, &Draw::new(1, "inlet"), &stream);
        let x = [0.0, 0.31, -0.12];
        for period in periods {
            let there = velocity(&modes, &shares, std::array::from_fn(|d| x[d] + period[d]), 0.4);
            assert!(length(minus(velocity(&modes, &shares, x, 0.4), there)) < 1e-11);
        }
        for (n, mode) in modes.iter().enumerate() {
            if convection == Convection::Frozen {
                let k = TAU * length(mode.wave);
                assert!((k / set.shells[n / MODES_OF_A_SHELL].k - 1.0).abs() < 1e-12);
                assert!(dot(mode.wave, mode.direction).abs() < 1e-12 * length(mode.wave));
                // No mode stands still, and none is a plane wave of the mass flow.
                assert!(mode.wave[0] != 0.0);
            }
            let along = (mode.wave[1].powi(2) + mode.wave[2].powi(2)).sqrt();
            if periods.len() == 2 && along < 1e-9 {
                assert!(mode.direction[0].abs() < 1e-9, "{mode:?}");
            }
        }
        let factor = correction(&modes, &shares).expect("a full covariance");
        println!("{periods:?} {convection:?}: factor of the correction {factor:.3?}");
        assert!(
            factor
                .iter()
                .zip([1.0, 0.0, 1.0, 0.0, 0.0, 1.0])
                .all(|(a, b)| (a - b).abs() < 0.2)
        );
    }
}
