//! Spectra of probes: the table, the figure, and series that have none.

use std::f64::consts::TAU;
use std::fmt::Write;
use std::fs;

use crate::common::figures::{drawn, plot};
use fr_les::io::{TableFile, read_series};
use fr_les::plot::spectra::{Spectra, figure};
use tempfile::TempDir;

const SAMPLES: usize = 2000;
const INTERVAL: f64 = 0.02;

/// Two points: a sine in v with the frequency 5 and the amplitude 0.4 at the first, with 1.5 times that amplitude at
/// the second.
fn series(time: impl Fn(usize) -> f64) -> String {
    let mut text =
        "# fr-les: test\nstep,time,point,x,y,z,rho,u,v,w,p,T\n-,s,-,m,m,m,kg/m^3,m/s,m/s,m/s,Pa,K\n".to_owned();
    for i in 0..SAMPLES {
        for point in [0, 1] {
            let t = time(i);
            let v = 0.4 * (1.0 + 0.5 * f64::from(point)) * (TAU * 5.0 * t).sin();
            let _ = writeln!(
                text,
                "{i},{t},{point},1.5,0.{point},0,1,{},{v},0,{},1",
                2.0 + 0.1 * v,
                3.0 * v
            );
        }
    }
    text
}

#[test]
fn the_variance_of_each_point_is_at_its_frequency() {
    let dir = TempDir::new().unwrap();
    let path = dir.path().join("probes_wake.csv");
    // A run that was continued has a sample at its start, between the others.
    let text = series(|i| INTERVAL * i as f64);
    let between = "1000,20.0003,0,1.5,0,0,1,9,9,9,9,1\n1000,20.0003,1,1.5,0,0,1,9,9,9,9,1\n";
    let at = text.find("\n1001,").unwrap() + 1;
    fs::write(&path, format!("{}{between}{}", &text[..at], &text[at..])).unwrap();
    plot(&[path.to_str().unwrap(), "--spectrum", "--segments", "3"]).unwrap();
    assert!(dir.path().join("probes_wake.spectrum.png").exists());
    let written = dir.path().join("probes_wake.spectrum.csv");
    let head = fs::read_to_string(&written).unwrap();
    assert!(head.starts_with("# fr-les: test\n# spectrum: 2000 samples, 0.02 apart, in 3 segments of 1000 "));
    let table = read_series(&written).unwrap();
    let column = |name: &str| table.column(name).unwrap();
    let (point, frequency) = (column("point"), column("frequency"));
    assert_eq!(point.len(), 2 * 501);
    let step = 1.0 / (1000.0 * INTERVAL);
    for (number, amplitude) in [(0.0, 0.4), (1.0, 0.6)] {
        let rows: Vec<usize> = (0..point.len()).filter(|&row| point[row] == number).collect();
        assert!((frequency[rows[100]] - 5.0).abs() < 1e-12);
        for (name, factor) in [("vv", 1.0), ("uu", 0.01), ("ww", 0.0), ("pp", 9.0)] {
            let near = rows[99..=101].iter().map(|&row| step * column(name)[row]).sum::<f64>();
            let variance = factor * 0.5 * amplitude * amplitude;
            assert!((near - variance).abs() < 1e-10, "{name}: {near} {variance}");
        }
        assert!(
            rows.iter()
                .all(|&row| column("x")[row] == 1.5 && column("y")[row] == 0.1 * number)
        );
    }
    let series = Spectra::read(&path, 3).unwrap();
    // The figure of the written table is that of the series.
    let drawn_again = figure(&Spectra::of_file(&TableFile::read(&written).unwrap()).unwrap());
    let figure = figure(&series);
    for (panel, again) in figure.panels.iter().zip(&drawn_again.panels) {
        assert_eq!([&panel.title, &panel.y_label], [&again.title, &again.y_label]);
        for (curve, again) in panel.curves.iter().zip(&again.curves) {
            assert_eq!((&curve.label, &curve.y), (&again.label, &again.y));
            assert!(
                curve
                    .x
                    .iter()
                    .zip(&again.x)
                    .all(|(x, again)| (x - again).abs() < 1e-12 * x)
            );
        }
    }
    assert_eq!(figure.panels.len(), 4);
    for figure in [&figure, &drawn_again] {
        // Velocities have a line beside both points, unless they are zero, and the pressure has none.
        let counts: Vec<usize> = figure.panels.iter().map(|panel| panel.curves.len()).collect();
        assert_eq!(counts, [3, 3, 2, 2]);
        assert_eq!(figure.panels[1].curves[2].label, "slope -5/3");
        assert!(
            figure.notes[0].starts_with("3 segments, like 2.9 independent ones; bands: 95 %"),
            "{:?}",
            figure.notes
        );
        for (curve, band) in figure.panels[1].curves.iter().zip(&figure.panels[1].bands) {
            // 5.786 degrees of freedom: 5.786/14.108 and 5.786/1.1460 for the quantiles of 97.5 % and 2.5 %.
            let of = |ends: &[f64]| ends[99] / curve.y[99];
            assert!((of(&band.low) - 0.410_10).abs() < 1e-4, "{}", of(&band.low));
            assert!((of(&band.high) - 5.048_4).abs() < 1e-3, "{}", of(&band.high));
            assert!(
                band.high[499].is_nan(),
                "the highest frequency has half the degrees of freedom"
            );
        }
        assert_eq!(figure.panels[1].bands.len(), 2);
    }
    assert_eq!(figure.panels[1].curves[0].x.len(), 500);
    let (texts, _) = drawn(&figure);
    for text in ["frequency, 1/s", "vv, m²/s", "point 1", "slope -5/3", "3 segments"] {
        assert!(texts.iter().any(|(found, _)| found.contains(text)), "{text}: {texts:?}");
    }
}

#[test]
fn series_without_a_spectrum_are_refused() {
    let dir = TempDir::new().unwrap();
    let path = dir.path().join("probes_wake.csv");
    let name = path.to_str().unwrap();
    let refused = |text: &str, arguments: &[&str], part: &str| {
        fs::write(&path, text).unwrap();
        let error = plot(&[&[name, "--spectrum"][..], arguments].concat()).unwrap_err();
        assert!(error.contains(part), "{error}");
        assert!(!dir.path().join("probes_wake.spectrum.csv").exists());
    };
    let good = series(|i| INTERVAL * i as f64);
    // Steps whose lengths vary by 10 %.
    let steps = series(|i| INTERVAL * (i as f64 + (0.1 * i as f64).sin()));
    refused(&steps, &[], "samples that are equidistant in time");
    // A time without samples.
    let gap = series(|i| INTERVAL * (i + i / 1000) as f64);
    refused(&gap, &[], "some are missing or lie between the others: use `every`, or");
    refused(
        &good,
        &["--segments", "600"],
        "2000 samples of a point; 600 segments need 2404, and at most 499 fit: set a smaller --segments",
    );
    refused(&good, &["--segments", "0"], "--segments");
    refused(&good, &["--label", "a", "b"], "2 label(s) for 1 run(s)");
    refused(
        &good.replace("time", "hour"),
        &[],
        "is no series over time, which --spectrum needs",
    );
    fs::write(&path, &good).unwrap();
    assert!(plot(&[name, "--segments", "4"]).unwrap_err().contains("--spectrum"));
}
