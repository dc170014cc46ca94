//! Profiles of channels: the figure and the table show the mean of both halves in wall units, and the deviation from
//! the reference. The statistics are made from the reference itself.

use crate::common::figures::{drawn, extent, plot};
use fr_les::plot::profiles::{Profiles, figure, table};
use std::fs;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

const RE_TAU: f64 = 178.12;
/// A channel in its own units: half height, position of its middle, density and viscosity.
const HALF: f64 = 0.03;
const MIDDLE: f64 = 1.7;
const DENSITY: f64 = 1.18;
const MU: f64 = 1.8e-5;

fn u_tau() -> f64 {
    RE_TAU * MU / DENSITY / HALF
}

/// Mean velocity (Reichardt's law) and stresses uu, vv, ww, uv that resemble those of a channel, over y/h.
fn channel(y: f64) -> [f64; 5] {
    let plus = y * RE_TAU;
    let u = (1.0 + 0.41 * plus).ln() / 0.41 + 7.8 * (1.0 - (-plus / 11.0).exp() - plus / 11.0 * (-plus / 3.0).exp());
    let hump = |height: f64, place: f64| height * (plus / place).powi(2) * (2.0 - 2.0 * plus / place).exp();
    let uv = -(1.0 - y) * (1.0 - (-plus / 14.0).exp());
    [
        u,
        6.0 * hump(1.0, 14.0) + 0.7,
        hump(0.5, 55.0) + 0.3,
        hump(0.9, 35.0) + 0.4,
        uv,
    ]
}

/// Points of the reference, with the usual cosine spacing from the wall to the middle.
fn reference_points() -> Vec<f64> {
    let angle = |i: i32| 0.5 * std::f64::consts::PI * f64::from(i) / 64.0;
    (0..=64).map(|i| 1.0 - angle(i).cos()).collect()
}

fn write_reference(dir: &Path) -> PathBuf {
    let path = dir.join("dns.csv");
    let mut text = "# a direct simulation\ny_over_h,y_plus,U_plus,uu_plus,vv_plus,ww_plus,uv_plus\n".to_owned();
    for y in reference_points() {
        let [u, uu, vv, ww, uv] = channel(y);
        text += &format!("{y},{},{u},{uu},{vv},{ww},{uv}\n", y * RE_TAU);
    }
    fs::write(&path, text).unwrap();
    path
}

const COLUMNS: &str = "y,rho,u,v,w,uu,vv,ww,uv,uw\nm,kg/m^3,m/s,m/s,m/s,m^2/s^2,m^2/s^2,m^2/s^2,m^2/s^2,m^2/s^2\n";

/// Comments of statistics whose wall stresses differ by a tenth and have the stress of [`u_tau`] as mean.
fn head() -> String {
    let tau = DENSITY * u_tau() * u_tau();
    let nu = MU / DENSITY;
    let wall = |name: &str, tau: f64| {
        format!(
            "# wall {name}: tau = {tau}, rho = {DENSITY}, mu = {MU}, u_tau = {}, nu = {nu}, heat_flux = 0\n\
             # wall-detail {name}: tau_x = {}, tau_y = 0, tau_z = {}\n",
            (tau.abs() / DENSITY).sqrt(),
            tau.abs(),
            0.05 * tau
        )
    };
    format!(
        "# made for a test\n# samples: 1000\n# sample-time: {}\n{}{}# re_tau: {RE_TAU}\n",
        20.0 * HALF / u_tau(),
        wall("lower", 1.1 * tau),
        wall("upper", -0.9 * tau)
    )
}

/// Statistics at the distances `points` from both walls. Velocities are `lower` times those of the reference in the
/// lower half, and `upper` times those in the upper half.
fn statistics(points: &[f64], lower: f64, upper: f64) -> String {
    let mut rows = Vec::new();
    for &y in points {
        let [u, uu, vv, ww, uv] = channel(y).map(|value| value * u_tau());
        for (side, factor) in [(-1.0, lower), (1.0, upper)] {
            if y > 1.0 - 1e-9 && side > 0.0 {
                continue;
            }
            let stress = |value: f64| value * u_tau() * factor * factor;
            rows.push((
                MIDDLE + side * HALF * (1.0 - y),
                [u * factor, stress(uu), stress(vv), stress(ww), -side * stress(uv)],
            ));
        }
    }
    rows.sort_by(|a, b| a.0.total_cmp(&b.0));
    let line = |(y, [u, uu, vv, ww, uv]): (f64, [f64; 5])| format!("{y},{DENSITY},{u},0,0,{uu},{vv},{ww},{uv},0\n");
    let lines: String = rows.into_iter().map(line).collect();
    format!("{}{COLUMNS}{lines}", head())
}

fn write_run(parent: &Path, name: &str, text: &str) -> PathBuf {
    let dir = parent.join(name);
    fs::create_dir_all(&dir).unwrap();
    fs::write(dir.join("statistics.csv"), text).unwrap();
    dir
}

fn read(dir: &Path, name: &str, text: &str) -> Profiles {
    Profiles::read_run(name.into(), &write_run(dir, name, text).join("statistics.csv")).unwrap()
}

fn reference(dir: &Path) -> Profiles {
    Profiles::read_reference("dns".into(), &write_reference(dir)).unwrap()
}

/// Returns the words of the row of the table that begins with `name`, and of the row `below` it.
fn row(table: &str, name: &str, below: usize) -> Vec<String> {
    let mut lines = table.lines().skip_while(|line| !line.starts_with(name));
    let line = lines.nth(below).unwrap_or_else(|| panic!("{name} in\n{table}"));
    line.split_whitespace().map(str::to_owned).collect()
}

/// Returns the deviations in percent of the mean velocity and of the four peaks.
fn differences(table: &str) -> [f64; 5] {
    let number = |words: Vec<String>| words[words.len() - 2].parse::<f64>().unwrap();
    [
        number(row(table, "U+", 0)),
        number(row(table, "u_rms+", 2)),
        number(row(table, "v_rms+", 2)),
        number(row(table, "w_rms+", 2)),
        number(row(table, "-uv+", 2)),
    ]
}

#[test]
fn statistics_made_from_the_reference_agree_with_it() {
    let dir = TempDir::new().unwrap();
    let run = read(dir.path(), "same", &statistics(&reference_points(), 1.0, 1.0));
    let table = table(&[run], Some(&reference(dir.path())));
    assert_eq!(differences(&table), [0.0; 5], "{table}");
    assert_eq!(row(&table, "Re_tau", 0)[1..], ["178.12", "178.12"]);
    assert_eq!(row(&table, "time of the samples [h/u_tau]", 0).last().unwrap(), "20.00");
    // The mean of the law over the height is 15.4859.
    let bulk: f64 = row(&table, "time of the samples [h/U_b]", 0)
        .last()
        .unwrap()
        .parse()
        .unwrap();
    assert!((bulk / 20.0 - 15.4859).abs() < 0.02, "{bulk}");
}

/// The same flow with other names of the directions along the channel, from wall to wall, and across. With `sense` -1
/// it flows in the opposite direction.
fn turned(text: &str, [along, normal, across]: [usize; 3], sense: f64) -> String {
    const STRESSES: [[&str; 3]; 3] = [["uu", "uv", "uw"], ["uv", "vv", "vw"], ["uw", "vw", "ww"]];
    let axis = |d: usize| ["x", "y", "z"][d];
    let velocity = |d: usize| ["u", "v", "w"][d];
    let names = [
        &[axis(normal), "rho"][..],
        &[along, normal, across].map(velocity),
        &[along, normal, across].map(|d| STRESSES[d][d]),
        &[STRESSES[along][normal], STRESSES[along][across]],
    ];
    let lines = text.lines().map(|line| {
        let of = |d: usize| format!("tau_{} = ", axis(d));
        let numbers: Vec<f64> = line.split(',').filter_map(|x| x.parse().ok()).collect();
        match numbers.len() {
            10 => {
                let flipped = |i: usize| if [2, 8, 9].contains(&i) { sense } else { 1.0 };
                let values = numbers.iter().enumerate().map(|(i, x)| (x * flipped(i)).to_string());
                values.collect::<Vec<_>>().join(",")
            }
            _ if line.starts_with("y,rho") => names.concat().join(","),
            _ => {
                let sign = if sense < 0.0 { "-" } else { "" };
                // The intermediate names are none of the three.
                let passed = line
                    .replace("tau_x = ", &format!("@a{sign}"))
                    .replace("tau_y = ", "@n")
                    .replace("tau_z = ", "@c");
                let to = [("@a", along), ("@n", normal), ("@c", across)];
                to.iter().fold(passed, |line, (from, d)| line.replace(from, &of(*d)))
            }
        }
    });
    lines.fold(String::new(), |text, line| text + &line + "\n")
}

#[test]
fn a_channel_may_have_any_orientation_and_flow_direction() {
    let dir = TempDir::new().unwrap();
    let text = statistics(&reference_points(), 1.02, 0.99);
    let expected = read(dir.path(), "run", &text);
    let mut names = Vec::new();
    for axes in [[0, 1, 2], [2, 1, 0], [0, 2, 1], [1, 2, 0], [1, 0, 2], [2, 0, 1]] {
        for sense in [1.0, -1.0] {
            let text = turned(&text, axes, sense);
            names.push(text.lines().find(|line| line.contains("rho,")).unwrap().to_owned());
            assert_eq!(read(dir.path(), "run", &text), expected, "{axes:?} {sense}\n{text}");
        }
    }
    names.dedup();
    assert_eq!(names.len(), 6);
}

#[test]
fn points_other_than_those_of_the_reference_do_not_change_a_comparison() {
    let dir = TempDir::new().unwrap();
    // The points lie between those of the reference, and none on a wall or in the middle.
    let points: Vec<f64> = (0..48)
        .map(|i| (1.0 - (1.6 * (f64::from(i) + 0.37) / 48.0 * 0.98).cos()).min(1.0))
        .collect();
    let run = read(dir.path(), "between", &statistics(&points, 1.0, 1.0));
    let table = table(&[run], Some(&reference(dir.path())));
    let found = differences(&table);
    assert!(found[0].abs() <= 0.02, "{table}");
    assert!(found.iter().all(|difference| difference.abs() <= 0.15), "{table}");
}

#[test]
fn two_percent_more_velocity_is_a_difference_of_two_percent() {
    let dir = TempDir::new().unwrap();
    let run = read(dir.path(), "more", &statistics(&reference_points(), 1.02, 1.02));
    let table = table(&[run], Some(&reference(dir.path())));
    // The shear stress is a product of two velocities.
    assert_eq!(differences(&table), [2.0, 2.0, 2.0, 2.0, 4.04], "{table}");
}

#[test]
fn halves_that_differ_are_drawn_as_their_mean() {
    let dir = TempDir::new().unwrap();
    let run = read(dir.path(), "uneven", &statistics(&reference_points(), 1.03, 0.97));
    let reference = reference(dir.path());
    for (u, of) in run.values[0].iter().zip(&reference.values[0]).take(64) {
        assert!((u - of).abs() < 1e-9 * of.max(1.0), "{u} {of}");
    }
    let mean = 0.5 * (1.03 * 1.03 + 0.97 * 0.97);
    for (run, reference) in run.values.iter().zip(&reference.values).skip(1) {
        for (value, of) in run.iter().zip(reference).take(64) {
            assert!((value - mean * of).abs() < 1e-9, "{value} {of}");
        }
    }
}

#[test]
fn points_in_one_half_only_are_matched_by_interpolation() {
    let dir = TempDir::new().unwrap();
    let text = statistics(&reference_points(), 1.0, 1.0);
    let lines: Vec<&str> = text.lines().collect();
    // Every third row of the upper half is removed; the last one is the wall.
    let kept = |number: usize| number < 80 || !number.is_multiple_of(3) || number + 1 == lines.len();
    let thinned: Vec<&str> = (0..lines.len()).filter(|&n| kept(n)).map(|n| lines[n]).collect();
    assert!(thinned.len() < lines.len() - 10);
    let run = read(dir.path(), "thinned", &(thinned.join("\n") + "\n"));
    let table = table(&[run], Some(&reference(dir.path())));
    assert!(
        differences(&table).iter().all(|difference| difference.abs() < 0.2),
        "{table}"
    );
}

#[test]
fn the_picture_has_all_curves_inside_their_axes() {
    let dir = TempDir::new().unwrap();
    let runs = [
        read(dir.path(), "one", &statistics(&reference_points(), 1.0, 1.0)),
        read(dir.path(), "two", &statistics(&reference_points(), 0.98, 0.98)),
    ];
    let reference = reference(dir.path());
    for (reference, panels) in [(Some(&reference), 6), (None, 5)] {
        let figure = figure(&runs, reference);
        assert_eq!(figure.panels.len(), panels);
        let (_, named) = drawn(&figure);
        let own = if reference.is_some() { 3 } else { 2 };
        for (index, panel) in figure.panels.iter().enumerate() {
            let guides = match panel.title.as_str() {
                "Mean velocity" => 2,
                "Shear stress" => 1,
                _ => 0,
            };
            assert_eq!(panel.curves.len(), own + guides, "{}", panel.title);
            let axes = extent(&named, &format!("panel{index}-axes"));
            for number in 0..panel.curves.len() {
                let curve = extent(&named, &format!("panel{index}-curve{number}"));
                let inside = curve.left() >= axes.left() - 0.01
                    && curve.right() <= axes.right() + 0.01
                    && curve.top() >= axes.top() - 0.01
                    && curve.bottom() <= axes.bottom() + 0.01;
                assert!(inside, "{}: {curve:?} outside {axes:?}", panel.title);
                assert!(curve.width() > 0.2 * axes.width(), "{}: {curve:?}", panel.title);
            }
        }
    }
    // The reference is drawn on top, so that a run that matches it is visible between its dashes.
    let mean = &figure(&runs, Some(&reference)).panels[0];
    assert_eq!(mean.curves.last().unwrap().label, "dns");
    assert!(mean.curves.iter().all(|curve| curve.x.iter().all(|&y| y >= 0.1)));
}

#[test]
fn folders_and_files_are_recognised_by_their_contents() {
    let dir = TempDir::new().unwrap();
    let text = statistics(&reference_points(), 1.0, 1.0);
    let (run, dns) = (write_run(dir.path(), "run", &text), write_reference(dir.path()));
    let (path, dns) = (run.to_str().unwrap(), dns.to_str().unwrap());
    plot(&[path]).unwrap();
    assert!(run.join("profiles.png").exists());
    let file = run.join("statistics.csv");
    plot(&[file.to_str().unwrap()]).unwrap();
    assert!(run.join("statistics.png").exists());
    // Next to integrals the reference decides what is drawn.
    fs::write(run.join("integrals.csv"), "time,enstrophy\n0,1\n1,2\n2,1\n").unwrap();
    let svg = |name: &str, more: &[&str]| {
        let output = dir.path().join(name);
        let all = [&[path, "--output", output.to_str().unwrap()], more].concat();
        plot(&all).unwrap();
        fs::read_to_string(output).unwrap()
    };
    assert!(svg("integrals.svg", &[]).contains("Enstrophy"));
    let profiles = svg("profiles.svg", &["--reference", dns]);
    assert!(profiles.contains("Mean velocity") && profiles.contains("reference (dns)") && profiles.contains(">run<"));
}

#[test]
fn input_that_gives_no_profiles_is_refused() {
    let dir = TempDir::new().unwrap();
    let good = statistics(&reference_points(), 1.0, 1.0);
    let dns = write_reference(dir.path());
    let without = |start: &str| -> String {
        let lines = good.lines().filter(|line| !line.starts_with(start));
        lines.map(|line| format!("{line}\n")).collect()
    };
    let cases = [
        ("column", good.replace(",ww,", ",www,"), "no column `ww`"),
        ("re_tau", without("# re_tau"), "`# re_tau: NUMBER`"),
        ("time", without("# sample-time"), "`# sample-time: NUMBER`"),
        ("walls", without("# wall"), "`# wall NAME: tau = X"),
        (
            "tau",
            good.replace("upper: tau =", "upper: stress ="),
            "it needs `tau = NUMBER`",
        ),
        (
            "couette",
            good.replacen("tau_x = ", "tau_x = -", 1),
            "the stress on all walls must point along one axis and the same way",
        ),
        ("direction", without("# wall-detail upper"), "the stress on all walls"),
        (
            "height",
            good.replace("# re_tau: 178.12", "# re_tau: 400"),
            "does not span a channel",
        ),
        (
            "few",
            good.lines().take(13).collect::<Vec<_>>().join("\n"),
            "at least 8 are needed",
        ),
        (
            "twice",
            format!("{good}{}\n", good.lines().last().unwrap()),
            "must rise",
        ),
    ];
    for (name, text, message) in cases {
        let run = write_run(dir.path(), name, &text);
        let error = plot(&[run.to_str().unwrap()]).unwrap_err();
        assert!(
            error.contains(message) && error.contains("statistics.csv"),
            "{name}: {error}"
        );
        assert_eq!(fs::read_dir(&run).unwrap().count(), 1, "{name}");
    }
    let run = write_run(dir.path(), "good", &good);
    let bad = dir.path().join("bad.csv");
    fs::write(&bad, "y_plus,U_plus\n0,0\n1,1\n").unwrap();
    let error = plot(&[run.to_str().unwrap(), "--reference", bad.to_str().unwrap()]).unwrap_err();
    assert!(error.contains("bad.csv has no column `y_over_h`"), "{error}");
    let json = dir.path().join("bench.json");
    fs::write(&json, "[]").unwrap();
    let file = run.join("statistics.csv");
    let error = plot(&[file.to_str().unwrap(), json.to_str().unwrap()]).unwrap_err();
    assert!(error.contains("bench.json is no table of a run"), "{error}");
    for (name, part) in [
        ("a.msh", "a.msh is a mesh, and no table of a run: `fr-les mesh info`"),
        ("a.yaml", "a.yaml is a file of settings, and no table"),
    ] {
        let path = dir.path().join(name);
        fs::write(&path, "title: a\n").unwrap();
        let error = plot(&[path.to_str().unwrap()]).unwrap_err();
        assert!(error.contains(part), "{error}");
    }
    let absent = dir.path().join("absent").join("statistics.csv");
    let error = plot(&[absent.to_str().unwrap(), "--reference", dns.to_str().unwrap()]).unwrap_err();
    assert!(error.contains("cannot read"), "{error}");
}

#[test]
fn the_errors_of_means_are_bands_of_two_standard_errors() {
    let dir = TempDir::new().unwrap();
    let text = statistics(&reference_points(), 1.0, 1.0);
    let stress = u_tau() * u_tau();
    // Errors of the lower half are 0.1, of the upper half 0.3 in wall units; the mean of both counts.
    let lines = text.lines().map(|line| {
        let y = line.split(',').next().and_then(|y| y.parse::<f64>().ok());
        let size = |y: f64| if y < MIDDLE { 0.1 } else { 0.3 };
        match y {
            Some(y) => format!("{line},{},{}\n", size(y) * u_tau(), size(y) * stress),
            None if line.starts_with("y,rho") => format!("{line},u_error,uv_error\n"),
            None if line.starts_with("m,kg") => format!("{line},m/s,m^2/s^2\n"),
            None if line.starts_with("# re_tau: ") => format!("{line}\n# re_tau_error: 1.7812\n"),
            None => format!("{line}\n"),
        }
    });
    let run = read(dir.path(), "run", &lines.collect::<String>());
    let reference = reference(dir.path());
    let shown = figure(std::slice::from_ref(&run), Some(&reference));
    let table = table(&[run], Some(&reference));
    assert_eq!(row(&table, "Re_tau", 2).join(" "), "standard error 1.00 %", "{table}");
    assert_eq!(row(&table, "U+", 2)[..2], ["standard", "error"], "{table}");
    assert_eq!(shown.notes.len(), 1);
    let bands: Vec<usize> = shown.panels.iter().map(|panel| panel.bands.len()).collect();
    assert_eq!(bands, [1, 1, 1, 0, 0, 0]);
    for (panel, curve) in [(0, 2), (2, 1)] {
        let (band, curve) = (&shown.panels[panel].bands[0], &shown.panels[panel].curves[curve]);
        assert_eq!(band.x, curve.x);
        for (i, y) in curve.y.iter().enumerate().take(curve.y.len() - 1) {
            assert!(
                (band.high[i] - y - 0.4).abs() < 1e-9,
                "{panel} {i}: {} {y}",
                band.high[i]
            );
            assert!((y - band.low[i] - 0.4).abs() < 1e-9, "{panel} {i}");
        }
    }
    // In the difference from the reference the error is relative to it, in percent.
    let (band, curve) = (&shown.panels[1].bands[0], &shown.panels[1].curves[0]);
    let u = |y: f64| channel(y / RE_TAU)[0];
    let expected = 100.0 * 0.4 / u(curve.x[0]);
    assert!((band.high[0] - curve.y[0] - expected).abs() < 1e-6 * expected);
}
