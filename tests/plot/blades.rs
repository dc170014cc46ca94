//! Distributions along blades: curves of both sides with the bands of their errors, beside points of a measurement.

use std::fs;
use std::path::{Path, PathBuf};

use crate::common::figures::{drawn, extent, plot};
use fr_les::plot::blades::{Distribution, figure};
use tempfile::TempDir;

const POINTS: i32 = 40;

/// A blade whose suction side has twice the Mach number of its pressure side, with errors of a tenth of it.
fn blade(sides: i32, error: &str) -> String {
    let mut text = "# made for a test\nside,s_over_S,x_over_C,M_is,C_p,C_f,M_is_error,C_p_error,C_f_error\n\
                    -,-,-,-,-,-,-,-,-\n"
        .to_owned();
    for side in 1..=sides {
        for i in 0..POINTS {
            let x = f64::from(i) / f64::from(POINTS - 1);
            let mach = 1.2 * x * (2.0 - x) / f64::from(side);
            let error = if error.is_empty() {
                (0.1 * mach).to_string()
            } else {
                error.to_owned()
            };
            let friction = 0.01 * (0.7 - x);
            text += &format!(
                "{side},{x},{x},{mach},{},{friction},{error},{error},{error}\n",
                1.0 - mach
            );
        }
    }
    text
}

fn written(folder: &Path, name: &str, text: &str) -> PathBuf {
    fs::create_dir_all(folder).unwrap();
    let path = folder.join(name);
    fs::write(&path, text).unwrap();
    path
}

#[test]
fn curves_of_both_sides_have_bands_of_two_standard_errors() {
    let dir = TempDir::new().unwrap();
    let path = written(dir.path(), "blade_a.csv", &blade(2, ""));
    let run = Distribution::read_run("a".into(), &path).unwrap();
    let points = written(dir.path(), "points.csv", "x_over_C,M_is\n0.1,0.2\n0.5,0.9\n0.9,1.15\n");
    let reference = Distribution::read_reference("measured".into(), &points).unwrap();
    let figure = figure(&[run], Some(&reference));
    assert_eq!(figure.panels.len(), 3);
    let mach = &figure.panels[0];
    assert_eq!(mach.bands.len(), 2);
    for (band, factor) in mach.bands.iter().zip([1.0, 0.5]) {
        let last = band.x.len() - 1;
        assert!((band.low[last] - 0.8 * 1.2 * factor).abs() < 1e-12);
        // The curves reach from 0 to 1.2, and bands are cut a tenth of that above them.
        assert!((band.high[last] - (1.2 * 1.2 * factor).min(1.1 * 1.2)).abs() < 1e-12);
    }
    let (texts, named) = drawn(&figure);
    for text in ["measured", "suction side", "pressure side"] {
        assert!(texts.iter().any(|(found, _)| found == text), "{text}");
    }
    // One run needs no name, and its sides have two colours.
    assert!(!texts.iter().any(|(found, _)| found == "a"));
    assert_ne!(mach.curves[0].style.color, mach.curves[1].style.color);
    // The bands lie in their axes and around their curves.
    let (axes, band) = (extent(&named, "panel0-axes"), extent(&named, "panel0-band0"));
    let curve = extent(&named, "panel0-curve0");
    assert!(band.top() >= axes.top() && band.bottom() <= axes.bottom() && band.right() <= axes.right() + 0.01);
    assert!(band.top() < curve.top() - 5.0);
    // The measurement has Mach numbers only.
    let counts: Vec<usize> = figure.panels.iter().map(|panel| panel.curves.len()).collect();
    assert_eq!(counts, [2 + 1 + 2, 2, 2 + 1]);
}

#[test]
fn heat_is_drawn_where_it_flows() {
    let dir = TempDir::new().unwrap();
    let with_heat = |heat: &str| {
        let text = blade(2, "0.01").replace("C_f_error\n", "C_f_error,heat_flux,h\n");
        let lines = text.lines().map(|line| match line {
            line if line.starts_with('#') || line.ends_with(",h") => line.to_owned(),
            line if line.starts_with('-') => format!("{line},W/m^2,W/(m^2 K)"),
            line => format!("{line},{heat},NaN"),
        });
        lines.map(|line| line + "\n").collect::<String>()
    };
    for (heat, expected) in [("0", vec![]), ("25", vec!["q, W/m²"])] {
        let path = written(dir.path(), "blade_a.csv", &with_heat(heat));
        let figure = figure(&[Distribution::read_run("a".into(), &path).unwrap()], None);
        assert_eq!(figure.panels.len(), 3 + expected.len());
        let (texts, _) = drawn(&figure);
        let found: Vec<&str> = texts.iter().map(|(text, _)| text.as_str()).collect();
        let found: Vec<&str> = found.into_iter().filter(|text| text.contains('W')).collect();
        assert_eq!(found, expected);
    }
}

#[test]
fn errors_that_are_not_known_make_no_band() {
    let dir = TempDir::new().unwrap();
    let path = written(dir.path(), "blade_a.csv", &blade(1, "NaN"));
    let figure = figure(&[Distribution::read_run("a".into(), &path).unwrap()], None);
    assert!(figure.notes.is_empty() && figure.panels.iter().all(|panel| panel.bands.is_empty()));
    // A plate has one side, which needs no name.
    assert_eq!(figure.panels[0].curves.len(), 1);
}

#[test]
fn folders_and_files_of_blades_are_drawn() {
    let dir = TempDir::new().unwrap();
    let [one, two] = ["one", "two"].map(|name| dir.path().join(name));
    for folder in [&one, &two] {
        written(folder, "blade_a.csv", &blade(2, ""));
    }
    written(&one, "blade_b.csv", &blade(1, ""));
    plot(&[one.to_str().unwrap()]).unwrap();
    assert!(one.join("blades.png").exists());
    let [a, b] = [&one, &two].map(|folder| folder.join("blade_a.csv").to_str().unwrap().to_owned());
    let svg = dir.path().join("both.svg");
    plot(&[&a, &b, "--output", svg.to_str().unwrap()]).unwrap();
    let text = fs::read_to_string(svg).unwrap();
    assert!(text.contains(">one<") && text.contains(">two<"));
    let missing = written(&two, "blade_c.csv", "side,x_over_C,M_is,C_p\n1,0,1,1\n");
    let error = plot(&[missing.to_str().unwrap()]).unwrap_err();
    assert!(error.contains("has no column `C_f`"), "{error}");
    let short = written(&two, "blade_d.csv", "side,x_over_C,M_is,C_p,C_f\n1,0,1,1,0\n");
    let error = plot(&[short.to_str().unwrap()]).unwrap_err();
    assert!(error.contains("1 complete row(s)"), "{error}");
    let empty = written(&two, "points.csv", "x_over_C,speed\n0,1\n1,1\n");
    let error = plot(&[&a, "--reference", empty.to_str().unwrap()]).unwrap_err();
    assert!(error.contains("looked for M_is, C_p, C_f"), "{error}");
}

#[test]
fn an_error_without_a_bound_does_not_rule_the_axis() {
    let dir = TempDir::new().unwrap();
    let of_mach = |error: &str| {
        let path = written(dir.path(), "blade_a.csv", &blade(2, error));
        let figure = figure(&[Distribution::read_run("a".into(), &path).unwrap()], None);
        let (_, named) = drawn(&figure);
        extent(&named, "panel0-curve0").height()
    };
    // The curve takes as much of its panel with an error of 1000 as with none.
    let (small, large) = (of_mach("1e-9"), of_mach("1000"));
    assert!(large > 0.8 * small, "{large} of {small}");
}

#[test]
fn the_sides_of_several_runs_have_the_colour_of_their_run() {
    let dir = TempDir::new().unwrap();
    let runs = ["a", "b"].map(|name| {
        let path = written(dir.path(), &format!("blade_{name}.csv"), &blade(2, ""));
        Distribution::read_run(name.into(), &path).unwrap()
    });
    let figure = figure(&runs, None);
    let curves = &figure.panels[0].curves;
    assert_eq!(curves[0].style.color, curves[1].style.color);
    assert_ne!(curves[0].style.color, curves[2].style.color);
    let (texts, _) = drawn(&figure);
    for text in ["a", "b", "suction side", "pressure side"] {
        assert!(texts.iter().any(|(found, _)| found == text), "{text}");
    }
}
