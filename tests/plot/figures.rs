//! Figures of runs: their contents, the files that the command writes, and its messages.

use crate::common::figures::{assert_apart, drawn, extent, plot};
use fr_les::plot::figure::{Band, Curve, Figure, Panel, Style, WIDTH};
use fr_les::plot::integrals::{Series, figure, peaks};
use resvg::tiny_skia::Pixmap;
use std::fs;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// Columns of a run whose dissipation is a parabola with its vertex of 0.0125 at time 9.
fn rows(height: f64) -> String {
    let mut rows = String::new();
    for step in 0..=200 {
        let time = 0.1 * f64::from(step) + 0.03;
        let decay = height - 1e-4 * (time - 9.0) * (time - 9.0);
        rows += &format!(
            "{step},{time},{},{decay},{},{}\n",
            0.125 - 0.006 * time,
            800.0 * decay,
            0.8 * decay
        );
    }
    rows
}

const HEADER: &str = "# made for a test\nstep,time,kinetic_energy,kinetic_energy_decay,enstrophy,dissipation_viscous\n";
const UNITS: &str = "-,s,J/m^3,W/m^3,s^-2,W/m^3\n";

fn write_run(parent: &Path, name: &str, text: &str) -> PathBuf {
    let dir = parent.join(name);
    fs::create_dir_all(&dir).unwrap();
    fs::write(dir.join("integrals.csv"), text).unwrap();
    dir
}

fn write_reference(parent: &Path) -> PathBuf {
    let path = parent.join("exact.csv");
    let numbers: String = (0..=40)
        .map(|index| 0.5 * f64::from(index))
        .map(|time| format!("{time},{}\n", 0.01 - 1e-4 * (time - 8.0) * (time - 8.0)))
        .collect();
    fs::write(
        &path,
        format!("# a reference has no row of units\ntime,dissipation\n{numbers}"),
    )
    .unwrap();
    path
}

#[test]
fn all_curves_lie_inside_their_axes_and_texts_apart() {
    let curve = |y: &dyn Fn(f64) -> f64| {
        let x: Vec<f64> = (0..500).map(|index| 0.02 * f64::from(index) - 3.0).collect();
        let y = x.iter().map(|&x| y(x)).collect();
        Curve {
            label: "a < b & c".into(),
            x,
            y,
            style: Style::run(0),
        }
    };
    let panel = |curves| Panel {
        title: "t".into(),
        x_label: "x".into(),
        y_label: "y".into(),
        curves,
        ..Panel::default()
    };
    let panels = vec![
        panel(vec![curve(&|x| 1e-7 * x.sin()), curve(&|x| 3e-7 * x.cos())]),
        panel(vec![
            curve(&|x| 1e9 + x),
            curve(&|x| if x > 1.0 { f64::NAN } else { 1e9 - x }),
        ]),
        panel(vec![curve(&|_| 4.2)]),
        panel(vec![curve(&|x| x.exp())]),
    ];
    let figure = Figure {
        title: "Curves of all sizes".into(),
        own_legends: true,
        panels,
        ..Figure::default()
    };
    let (texts, elements) = drawn(&figure);
    assert_apart(&texts);
    let curves: Vec<_> = elements.iter().filter(|(id, _)| id.contains("curve")).collect();
    assert_eq!(curves.len(), 6);
    for (id, extent) in curves {
        let panel = id.split('-').next().unwrap();
        let (_, axes) = elements.iter().find(|(id, _)| *id == format!("{panel}-axes")).unwrap();
        let inside = extent.left() >= axes.left() - 0.01
            && extent.right() <= axes.right() + 0.01
            && extent.top() >= axes.top() - 0.01
            && extent.bottom() <= axes.bottom() + 0.01;
        assert!(inside, "{id}: {extent:?} outside {axes:?}");
    }
}

#[test]
fn a_band_without_an_end_reaches_the_frame_and_does_not_count_for_the_axes() {
    let with = |bands: Vec<Band>| Figure {
        panels: vec![Panel {
            curves: vec![Curve {
                label: String::new(),
                x: vec![1.0, 2.0],
                y: vec![3.0, 4.0],
                style: Style::run(0),
            }],
            bands,
            ..Panel::default()
        }],
        ..Figure::default()
    };
    let beyond = Band {
        x: vec![1.5, f64::INFINITY],
        low: vec![f64::NEG_INFINITY; 2],
        high: vec![f64::INFINITY; 2],
        color: "#009E73",
    };
    let (without, with) = (drawn(&with(Vec::new())).1, drawn(&with(vec![beyond])).1);
    assert_eq!(extent(&without, "panel0-curve0"), extent(&with, "panel0-curve0"));
    let (axes, band) = (extent(&with, "panel0-axes"), extent(&with, "panel0-band0"));
    // The extent of the frame has half the width of its line around it.
    for (one, other) in [
        (axes.top(), band.top()),
        (axes.bottom(), band.bottom()),
        (axes.right(), band.right()),
    ] {
        assert!((one - other).abs() < 1.0, "{band:?} in {axes:?}");
    }
    assert!((band.left() - 0.5 * (axes.left() + axes.right())).abs() < 1.0);
}

#[test]
fn a_png_has_the_width_of_figures_and_shows_lines_and_text() {
    let dir = TempDir::new().unwrap();
    let run = write_run(dir.path(), "coarse", &format!("{HEADER}{UNITS}{}", rows(0.0125)));
    let reference = write_reference(dir.path());
    plot(&[run.to_str().unwrap(), "--reference", reference.to_str().unwrap()]).unwrap();
    let pixels = Pixmap::load_png(run.join("integrals.png")).unwrap();
    assert_eq!(pixels.width(), WIDTH);
    let count = |red, green, blue| {
        let same = |pixel: &&resvg::tiny_skia::PremultipliedColorU8| {
            (pixel.red(), pixel.green(), pixel.blue()) == (red, green, blue)
        };
        pixels.pixels().iter().filter(same).count()
    };
    assert!(count(0x00, 0x72, 0xB2) > 500, "the run");
    assert!(count(255, 255, 255) > pixels.pixels().len() / 2, "the paper");
    // The legend is above all axes, so black pixels there are text: the embedded font was found.
    let above = &pixels.pixels()[..(60 * WIDTH) as usize];
    assert!(
        above
            .iter()
            .filter(|pixel| pixel.red() < 60 && pixel.blue() < 60)
            .count()
            > 500,
        "text"
    );
    assert_eq!(
        fs::read_dir(&run).unwrap().count(),
        2,
        "nothing but the figure is left beside the data"
    );
}

#[test]
fn axes_have_no_units_and_labels_are_escaped() {
    let dir = TempDir::new().unwrap();
    let run = write_run(dir.path(), "run", &format!("{HEADER}{UNITS}{}", rows(0.0125)));
    let output = dir.path().join("figure.svg");
    plot(&[
        run.to_str().unwrap(),
        "--label",
        "p = 3 & <fine>",
        "--output",
        output.to_str().unwrap(),
    ])
    .unwrap();
    let svg = fs::read_to_string(output).unwrap();
    // The file has the units of a case in SI units, but nothing says that the case is one.
    for text in ["[s]", "[J/m", "[W/m"] {
        assert!(!svg.contains(text), "{text}");
    }
    for text in [
        ">time<",
        ">enstrophy<",
        "p = 3 &amp; &lt;fine&gt;",
        "resolved viscous part",
    ] {
        assert!(svg.contains(text), "{text}");
    }
}

#[test]
fn the_table_compares_peaks_with_the_reference() {
    let dir = TempDir::new().unwrap();
    let run = write_run(dir.path(), "run", &format!("{HEADER}{UNITS}{}", rows(0.0125)));
    let run = Series::read("fine".into(), &run.join("integrals.csv")).unwrap();
    let reference = Series::read("exact".into(), &write_reference(dir.path())).unwrap();
    let table = peaks(&[run], Some(&reference));
    let numbers: Vec<&str> = table.lines().nth(1).unwrap().split_whitespace().collect();
    assert_eq!(
        numbers,
        [
            "fine",
            "1.250000e-2",
            "9.0000",
            "1.000000e-2",
            "8.0000",
            "+25.00",
            "%",
            "+12.50",
            "%"
        ]
    );
}

#[test]
fn a_run_that_ends_early_is_compared_up_to_its_end() {
    let dir = TempDir::new().unwrap();
    let lines: String = rows(0.0125).lines().take(51).map(|line| format!("{line}\n")).collect();
    let run = write_run(dir.path(), "run", &format!("{HEADER}{UNITS}{lines}"));
    let run = Series::read("short".into(), &run.join("integrals.csv")).unwrap();
    let reference = Series::read("exact".into(), &write_reference(dir.path())).unwrap();
    let table = peaks(std::slice::from_ref(&run), Some(&reference));
    // The run ends at 5.03, between two rows of the reference and before both peaks.
    let row = table.lines().nth(1).unwrap();
    assert!(row.contains("9.1177e-3") || row.contains("5.0300"), "{table}");
    assert!(row.ends_with("+0.00 %  (at an end of the series)"), "{table}");
    let note =
        "short ends at time 5.0300, before the reference, whose peak is at 8.0000: the time up to there is compared";
    assert_eq!(table.lines().nth(2), Some(note));
    let drawn = figure(&[run], Some(&reference)).unwrap();
    let last = |curve: &Curve| curve.x.last().copied();
    assert!(
        drawn.panels[0]
            .curves
            .iter()
            .filter_map(last)
            .all(|x| (x - 5.03).abs() < 1e-12)
    );
}

#[test]
fn a_flow_at_rest_has_no_negative_zero() {
    let dir = TempDir::new().unwrap();
    let path = dir.path().join("integrals.csv");
    fs::write(&path, "time,kinetic_energy_decay\n0,-0.0\n1,-0.0\n2,-0.0\n").unwrap();
    let table = peaks(&[Series::read("rest".into(), &path).unwrap()], None);
    assert!(table.contains("0.000000e0") && !table.contains("-0.0"), "{table}");
}

#[test]
fn a_line_still_being_written_changes_nothing() {
    let dir = TempDir::new().unwrap();
    let whole = format!("{HEADER}{UNITS}{}", rows(0.0125));
    let draw = |name: &str, text: &str| {
        let run = write_run(dir.path(), name, text);
        let output = dir.path().join(format!("{name}.svg"));
        plot(&[
            run.to_str().unwrap(),
            "--label",
            "run",
            "--output",
            output.to_str().unwrap(),
        ])
        .unwrap();
        fs::read_to_string(output).unwrap()
    };
    let expected = draw("whole", &whole);
    assert_eq!(draw("few_cells", &format!("{whole}201,20.1,0.0")), expected);
    assert_eq!(draw("all_cells", &format!("{whole}201,30,9,9,9,9")), expected);
}

#[test]
fn a_missing_column_removes_only_its_panel() {
    let dir = TempDir::new().unwrap();
    let path = dir.path().join("integrals.csv");
    fs::write(&path, "time,enstrophy\n0,1\n1,2\n2,1\n").unwrap();
    let series = Series::read("run".into(), &path).unwrap();
    let titles: Vec<String> = figure(&[series], None)
        .unwrap()
        .panels
        .into_iter()
        .map(|panel| panel.title)
        .collect();
    assert_eq!(titles, ["Enstrophy"]);
    fs::write(&path, "time,mass\n0,1\n1,2\n2,1\n").unwrap();
    let error = figure(&[Series::read("run".into(), &path).unwrap()], None)
        .unwrap_err()
        .to_string();
    assert!(error.contains("kinetic_energy_decay"), "{error}");
}

#[test]
fn a_bad_file_is_refused_with_the_line_and_nothing_is_written() {
    let dir = TempDir::new().unwrap();
    let cases = [
        (
            "word",
            format!("{HEADER}{UNITS}0,1,2,3,4,5\n1,2,x,3,4,5\n"),
            ":5:",
            "(kinetic_energy): 'x' is not a number",
        ),
        (
            "short",
            format!("{HEADER}{UNITS}0,1,2,3,4,5\n# note\n1,2\n"),
            ":6:",
            "2 columns, expected 6",
        ),
        (
            "few",
            format!("{HEADER}{UNITS}0,1,2,3,4,5\n"),
            "integrals.csv has",
            "1 complete row(s)",
        ),
        ("units", format!("{HEADER}{UNITS}{UNITS}"), ":4:", "is not a number"),
        ("empty", String::new(), "integrals.csv:", "no row of names"),
    ];
    for (name, text, line, message) in cases {
        let run = write_run(dir.path(), name, &text);
        let error = plot(&[run.to_str().unwrap()]).unwrap_err();
        let file = run.join("integrals.csv").display().to_string();
        for part in [file.as_str(), line, message] {
            assert!(error.contains(part), "{name}: {error}");
        }
        assert_eq!(fs::read_dir(&run).unwrap().count(), 1, "{name}");
    }
    let error = plot(&[dir.path().join("absent").to_str().unwrap()]).unwrap_err();
    assert!(
        error.contains("there is no file or folder") && error.contains("absent"),
        "{error}"
    );
}

#[test]
fn the_energy_of_a_driven_flow_is_not_drawn_as_that_of_a_decaying_one() {
    let dir = TempDir::new().unwrap();
    let run = write_run(dir.path(), "run", &format!("{HEADER}{UNITS}{}", rows(0.0125)));
    let name = run.to_str().unwrap();
    assert!(plot(&[name]).is_ok());
    let blade = "# isentropic exit: p01 = 0.8, p2 = 0.7, M_2is = 0.4\nside,x_over_C,M_is,C_p,C_f\n-,-,-,-,-\n\
        1,0,0,1,0\n1,1,1,0,0.1\n2,0,0,1,0\n2,1,1,0,0.2\n";
    for (file, text, told) in [
        ("boundaries.csv", "step,time\n-,s\n0,0\n", "fr-les report"),
        ("blade_a.csv", blade, "fr-les plot` draws"),
    ] {
        fs::write(run.join(file), text).unwrap();
        let error = plot(&[name]).unwrap_err();
        assert!(
            error.contains("does not decay freely") && error.contains(told),
            "{error}"
        );
    }
    assert!(plot(&[name]).unwrap_err().contains("run/blade_a.csv"));
    // Beside a reference of a decaying flow it is.
    let reference = write_reference(dir.path());
    assert!(plot(&[name, "--reference", reference.to_str().unwrap()]).is_ok());
    // The folder above has the runs in it.
    fs::write(run.join("run.json"), "{}").unwrap();
    let error = plot(&[dir.path().to_str().unwrap()]).unwrap_err();
    assert!(
        error.contains("no table of a run that is drawn; name one of") && error.ends_with("/run"),
        "{error}"
    );
}

#[test]
fn arguments_that_do_not_fit_are_refused() {
    let dir = TempDir::new().unwrap();
    let run = write_run(dir.path(), "run", &format!("{HEADER}{UNITS}{}", rows(0.0125)));
    let run = run.to_str().unwrap();
    assert!(
        plot(&[run, "--output", "figure.pdf"])
            .unwrap_err()
            .contains(".png or .svg")
    );
    assert!(
        plot(&[run, run, "--label", "one"])
            .unwrap_err()
            .contains("1 label(s) for 2 run(s)")
    );
    assert!(plot(&[]).is_err());
}
