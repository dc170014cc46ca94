//! Figures of series over time: chosen columns, windows of time, several runs, references, spectra, and sizes.

use std::f64::consts::TAU;
use std::fs;
use std::path::{Path, PathBuf};

use crate::common::figures::{assert_apart, drawn, plot};
use fr_les::io::read_series;
use fr_les::plot::figure::{Figure, Scale, Size, Style};
use fr_les::plot::series::{Drawing, Run, Window, over_time};
use fr_les::plot::{draw_sized, spectra};
use tempfile::TempDir;

/// Frequency and amplitude of the lift, and the time after which it is periodic.
const FREQUENCY: f64 = 0.25;
const AMPLITUDE: f64 = 0.3;
const SETTLED: f64 = 20.0;

/// Writes the coefficients of a run: a start that is much larger than what follows, and then a lift that is a sine
/// about 0.1 and a drag of twice its frequency. Two thousand samples are 0.04 apart.
fn coefficients(parent: &Path, run: &str) -> PathBuf {
    let mut text =
        "# fr-les: test\nstep,time,a_drag,a_lift,a_side,a_friction_drag,a_heat,a_y_plus_max\n-,s,-,-,-,-,W,-\n"
            .to_owned();
    for step in 0..2000 {
        let time = 0.04 * f64::from(step);
        let start = if time < SETTLED { 50.0 } else { 0.0 };
        let lift = 0.1 + AMPLITUDE * (TAU * FREQUENCY * time).sin();
        let drag = 1.4 + 0.02 * (2.0 * TAU * FREQUENCY * time).cos();
        text += &format!(
            "{step},{time},{},{},0,{},{},{}\n",
            drag + start,
            lift + start,
            0.3 + 0.001 * time,
            time,
            time
        );
    }
    write(parent, run, "coefficients.csv", &text)
}

fn write(parent: &Path, run: &str, name: &str, text: &str) -> PathBuf {
    let folder = parent.join(run);
    fs::create_dir_all(&folder).unwrap();
    let path = folder.join(name);
    fs::write(&path, text).unwrap();
    path
}

fn settled() -> Window {
    Window {
        from: SETTLED,
        to: f64::INFINITY,
    }
}

fn drawing(path: &Path, window: Window, columns: &[&str]) -> Drawing {
    let run = Run::read("run".into(), &[path.to_path_buf()], window).unwrap();
    let columns: Vec<String> = columns.iter().map(|&name| name.into()).collect();
    over_time(&[run], None, &columns, Scale::Fitted).unwrap()
}

fn labels(figure: &Figure, panel: usize) -> Vec<&str> {
    figure.panels[panel]
        .curves
        .iter()
        .map(|curve| curve.label.as_str())
        .collect()
}

/// Returns the numbers of the line of a column.
fn line_of(table: &str, column: &str) -> Vec<f64> {
    let line = table
        .lines()
        .find(|line| line.split_whitespace().nth(1) == Some(column))
        .unwrap();
    line.split_whitespace()
        .skip(2)
        .map(|word| word.parse().unwrap())
        .collect()
}

#[test]
fn forces_are_drawn_as_coefficients_without_the_transient() {
    let dir = TempDir::new().unwrap();
    let path = coefficients(dir.path(), "run");
    let name = path.to_str().unwrap();
    plot(&[name]).unwrap();
    assert!(path.with_extension("png").exists());
    let found = drawing(&path, settled(), &[]);
    // The side force is constant, and heat and y+ are no coefficients of forces.
    assert_eq!(found.figure.panels.len(), 1);
    assert_eq!(labels(&found.figure, 0), ["a_drag", "a_lift", "a_friction_drag"]);
    let curves = &found.figure.panels[0].curves;
    let points = curves.iter().flat_map(|curve| curve.x.iter().zip(&curve.y));
    assert!(points.clone().all(|(time, value)| *time >= SETTLED && *value < 2.0));
    let (texts, _) = drawn(&found.figure);
    assert_apart(&texts);
    for text in ["time, s", "coefficient", "a_lift"] {
        assert!(texts.iter().any(|(found, _)| found == text), "{text}: {texts:?}");
    }
    // The table has mean, rms and frequency; 1499 intervals are 14.99 periods, of which the ends are not seen.
    let [mean, rms, frequency] = line_of(&found.table, "a_lift")[..] else {
        panic!("{}", found.table)
    };
    assert!((mean - 0.1).abs() < 2e-3, "{mean}");
    assert!((rms - AMPLITUDE / 2f64.sqrt()).abs() < 1e-3, "{rms}");
    assert!((frequency - FREQUENCY).abs() < 1e-5, "{frequency}");
    let of_drag = line_of(&found.table, "a_drag");
    assert!((of_drag[2] - 2.0 * FREQUENCY).abs() < 1e-5, "{of_drag:?}");
}

#[test]
fn columns_of_one_unit_share_a_panel() {
    let dir = TempDir::new().unwrap();
    let text = "step,time,w_mass_flux,w_force_x,w_force_y,w_pressure,w_reversed\n-,s,kg/s,N,N,Pa,-\n\
                0,0,1,2,3,4,0\n1,1,2,3,4,5,0.5\n2,2,1,2,3,4,1\n";
    let path = write(dir.path(), "run", "boundaries.csv", text);
    let all = Window {
        from: f64::NEG_INFINITY,
        to: f64::INFINITY,
    };
    let found = drawing(&path, all, &[]);
    let names: Vec<&str> = found.figure.panels.iter().map(|panel| panel.y_label.as_str()).collect();
    assert_eq!(names, ["w_mass_flux, kg/s", "N"]);
    assert_eq!(labels(&found.figure, 1), ["w_force_x", "w_force_y"]);
    let chosen = drawing(&path, all, &["w_reversed", "w_force_y"]);
    let names: Vec<&str> = chosen
        .figure
        .panels
        .iter()
        .map(|panel| panel.y_label.as_str())
        .collect();
    assert_eq!(
        names,
        ["w_reversed", "w_force_y, N"],
        "in the order in which they are chosen"
    );
}

#[test]
fn an_unknown_column_is_refused_with_those_that_there_are() {
    let dir = TempDir::new().unwrap();
    let path = coefficients(dir.path(), "run");
    let name = path.to_str().unwrap();
    let error = plot(&[name, "--columns", "a_drag,a_lifd"]).unwrap_err();
    for part in [
        name,
        "no column `a_lifd`",
        "did you mean `a_lift`?",
        "a_drag, a_lift, a_side",
    ] {
        assert!(error.contains(part), "{part}: {error}");
    }
    assert!(!path.with_extension("png").exists());
    // The time is no column to draw.
    assert!(
        plot(&[name, "--columns", "time"])
            .unwrap_err()
            .contains("no column `time`")
    );
    // A blade is no series.
    let blade = write(dir.path(), "run", "blade_a.csv", "side,x_over_C\n-,-\n1,0\n1,1\n");
    let error = plot(&[blade.to_str().unwrap(), "--from", "1"]).unwrap_err();
    assert!(error.contains("is no series over time, which --from needs"), "{error}");
    for (window, part) in [
        (["--from", "90", "--to", "95"], "times are from 0 to 79.96"),
        (["--from", "9", "--to", "5"], "--from 9 is not before --to 5"),
    ] {
        let error = plot(&[&[name], &window[..]].concat()).unwrap_err();
        assert!(error.contains(part), "{error}");
    }
}

#[test]
fn several_runs_have_colours_and_a_reference_is_dashed() {
    let dir = TempDir::new().unwrap();
    let runs = ["coarse", "fine"].map(|run| coefficients(dir.path(), run));
    let names = runs.each_ref().map(|path| path.to_str().unwrap());
    let reference = dir.path().join("experiment.csv");
    fs::write(&reference, "time,a_lift\n20,0.4\n30,0.5\n").unwrap();
    let svg = dir.path().join("figure.svg");
    let output = svg.to_str().unwrap();
    let options = ["--from", "20", "--output", output];
    plot(
        &[
            &names[..],
            &options,
            &["--columns", "a_lift", "--reference", reference.to_str().unwrap()],
        ]
        .concat(),
    )
    .unwrap();
    let text = fs::read_to_string(&svg).unwrap();
    for part in [
        ">coarse<",
        ">fine<",
        ">reference (experiment)<",
        ">a_lift<",
        Style::reference().dashes,
    ] {
        assert!(text.contains(part), "{part}");
    }
    // Two columns of two runs: the colours are those of the runs, and the dashes those of the columns.
    let both = runs
        .each_ref()
        .map(|path| Run::read(path.display().to_string(), std::slice::from_ref(path), settled()).unwrap());
    let columns = ["a_drag".to_owned(), "a_lift".to_owned()];
    let figure = over_time(&both, None, &columns, Scale::Fitted).unwrap().figure;
    let styles: Vec<Style> = figure.panels[0].curves[..4].iter().map(|curve| curve.style).collect();
    assert_eq!([styles[0].color, styles[1].color], [styles[2].color, styles[3].color]);
    assert_ne!(styles[0].color, styles[1].color);
    assert!(styles[0].dashes == styles[1].dashes && styles[0].dashes != styles[2].dashes);
    assert_eq!(labels(&figure, 0)[4..], [names[0], names[1], "a_drag", "a_lift"]);
    // A reference of other columns is none.
    fs::write(&reference, "time,c_l\n20,0.4\n30,0.5\n").unwrap();
    let error = plot(&[&names[..], &options, &["--reference", reference.to_str().unwrap()]].concat()).unwrap_err();
    assert!(
        error.contains("none of the columns that are drawn, a_drag, a_lift"),
        "{error}"
    );
}

#[test]
fn a_folder_stands_for_the_series_that_have_the_columns() {
    let dir = TempDir::new().unwrap();
    coefficients(dir.path(), "run");
    let text = "step,time,kinetic_energy,kinetic_energy_decay,mach_max\n-,s,J/m^3,W/m^3,-\n\
                0,0,1,2,3\n1,30,2,3,4\n2,60,1,2,3\n";
    write(dir.path(), "run", "integrals.csv", text);
    let run = dir.path().join("run");
    let svg = run.join("figure.svg");
    let options = ["--output", svg.to_str().unwrap()];
    plot(&[&[run.to_str().unwrap(), "--columns", "mach_max,a_lift"], &options[..]].concat()).unwrap();
    let text = fs::read_to_string(&svg).unwrap();
    assert!(text.contains(">mach_max<") && text.contains(">a_lift<"));
    // Without columns the coefficients are the first thing to look at.
    plot(&[&[run.to_str().unwrap(), "--from", "20"], &options[..]].concat()).unwrap();
    assert!(fs::read_to_string(&svg).unwrap().contains(">a_drag<"));
    let error = plot(&[run.to_str().unwrap(), "--columns", "a_mach"]).unwrap_err();
    assert!(
        error.contains("no column `a_mach`") && error.contains("mach_max"),
        "{error}"
    );
}

#[test]
fn columns_are_quoted_as_in_their_table() {
    let dir = TempDir::new().unwrap();
    let text = "time,\"fin ü,1_lift\",\"fin\"\"q_lift\",\"#fin_lift\"\ns,-,-,-\n0,1,2,3\n1,2,3,4\n2,1,2,3\n";
    let path = write(dir.path(), "run", "coefficients.csv", text);
    for (columns, name) in [
        ("\"fin ü,1_lift\"", "fin ü,1_lift"),
        ("\"fin\"\"q_lift\"", "fin&quot;q_lift"),
        ("fin\"q_lift", "fin&quot;q_lift"),
        ("#fin_lift,\"fin ü,1_lift\"", "#fin_lift"),
    ] {
        let svg = dir.path().join("figure.svg");
        let output = svg.to_str().unwrap();
        plot(&[path.to_str().unwrap(), "--columns", columns, "--output", output]).unwrap();
        let text = fs::read_to_string(&svg).unwrap();
        let said = text.contains(name) || text.contains(&name.replace("&quot;", "\""));
        assert!(said, "{columns}: no {name}");
    }
}

#[test]
fn a_table_with_a_wrong_number_is_named_with_its_line() {
    let dir = TempDir::new().unwrap();
    for name in ["coefficients.csv", "probes_a.csv", "integrals.csv", "blade_a.csv"] {
        let path = write(dir.path(), "run", name, "# a\ntime,a_lift\ns,-\n0,1\nabc,2\n");
        let error = plot(&[path.to_str().unwrap()]).unwrap_err();
        let said = format!("{name}:5: column 1 (time): 'abc' is not a number");
        assert!(error.contains(&said), "{error}");
    }
}

#[test]
fn a_logarithmic_axis_needs_numbers_above_zero() {
    let dir = TempDir::new().unwrap();
    let text = "time,residual,loss\ns,-,-\n0,1,-1\n1,1e-3,-2\n2,1e-6,-3\n";
    let path = write(dir.path(), "run", "history.csv", text);
    let svg = dir.path().join("figure.svg");
    let options = ["--log", "--output", svg.to_str().unwrap(), "--columns"];
    plot(&[&[path.to_str().unwrap()], &options[..], &["residual"]].concat()).unwrap();
    assert!(fs::read_to_string(&svg).unwrap().contains(">10⁻³<"));
    let error = plot(&[&[path.to_str().unwrap()], &options[..], &["loss"]].concat()).unwrap_err();
    assert!(error.contains("no value of `loss` is above 0"), "{error}");
}

#[test]
fn the_spectrum_of_a_force_has_its_variance_at_its_frequency() {
    let dir = TempDir::new().unwrap();
    let path = coefficients(dir.path(), "run");
    let name = path.to_str().unwrap();
    plot(&[
        name,
        "--spectrum",
        "--segments",
        "2",
        "--from",
        "20",
        "--columns",
        "a_lift,a_heat",
    ])
    .unwrap();
    let written = path.with_extension("spectrum.csv");
    assert!(path.with_extension("spectrum.png").exists());
    let head = fs::read_to_string(&written).unwrap();
    assert!(head.contains("frequency,a_lift,a_heat\n1/s,s,W^2 s\n"), "{head}");
    let table = read_series(&written).unwrap();
    let (frequency, density) = (table.column("frequency").unwrap(), table.column("a_lift").unwrap());
    // 1500 samples in 2 segments of 1000, which are 40 units of time: ten periods.
    let step = frequency[1];
    assert!((step - 1.0 / 40.0).abs() < 1e-12, "{step}");
    let near: f64 = density[9..=11].iter().map(|value| value * step).sum();
    assert!((near - 0.5 * AMPLITUDE * AMPLITUDE).abs() < 1e-3, "{near}");
    let most = (1..density.len()).max_by(|&a, &b| density[a].total_cmp(&density[b]));
    assert_eq!(most, Some(10));
    // The transient would hide it.
    plot(&[name, "--spectrum", "--segments", "2", "--columns", "a_lift"]).unwrap();
    let table = read_series(&written).unwrap();
    let density = table.column("a_lift").unwrap();
    assert!(density[1] > density[10], "the start rules");
}

#[test]
fn probes_have_chosen_columns_and_windows_too() {
    let dir = TempDir::new().unwrap();
    let mut text = "step,time,point,x,y,z,rho,u,v,w,p,T\n-,s,-,m,m,m,kg/m^3,m/s,m/s,m/s,Pa,K\n".to_owned();
    for step in 0..400 {
        for point in 0..2 {
            let time = 0.1 * f64::from(step);
            let temperature = 1.0 + f64::from(point) * (TAU * 0.5 * time).sin() + if time < 8.0 { 9.0 } else { 0.0 };
            text += &format!("{step},{time},{point},1,{point},0,1,2,0,0,3,{temperature}\n");
        }
    }
    let path = write(dir.path(), "run", "probes_wake.csv", &text);
    let window = Window { from: 8.0, to: 38.0 };
    let found = drawing(&path, window, &["T"]);
    assert_eq!(labels(&found.figure, 0), ["point 0", "point 1"]);
    assert_eq!(found.figure.panels[0].y_label, "T, K");
    assert!(found.figure.panels[0].curves[1].y.iter().all(|y| *y < 2.1));
    let options = ["--columns", "T", "--from", "8", "--spectrum", "--segments", "1"];
    plot(&[&[path.to_str().unwrap()], &options[..]].concat()).unwrap();
    let written = path.with_extension("spectrum.csv");
    let table = read_series(&written).unwrap();
    assert_eq!(table.names, ["point", "x", "y", "z", "frequency", "TT"]);
    assert_eq!(table.units[5], "K^2 s");
    let point = &table.columns[0];
    let frequency = &table.columns[4];
    let density = &table.columns[5];
    let rows = (0..point.len()).filter(|&row| point[row] == 1.0);
    let most = rows.max_by(|&a, &b| density[a].total_cmp(&density[b])).unwrap();
    assert!((frequency[most] - 0.5).abs() < 1e-12, "{}", frequency[most]);
    let drawn_again =
        spectra::figure(&spectra::Spectra::of_file(&fr_les::io::TableFile::read(&written).unwrap()).unwrap());
    assert_eq!(drawn_again.panels[0].title, "Spectrum of T");
}

#[test]
fn a_size_on_paper_keeps_letters_legible() {
    let dir = TempDir::new().unwrap();
    let path = coefficients(dir.path(), "run");
    let found = drawing(&path, settled(), &["a_lift", "a_heat", "a_y_plus_max"]);
    let size: Size = "84mm".parse().unwrap();
    let svg = dir.path().join("figure.svg");
    draw_sized(&found.figure, size, &svg).unwrap();
    let text = fs::read_to_string(&svg).unwrap();
    assert!(text.contains("width=\"84.000mm\""), "{}", &text[..300]);
    // The letters at the ticks are the smallest: 17 units of length of the drawing, in points of 25.4/72 mm.
    let view = text.split("viewBox=\"0 0 ").nth(1).unwrap();
    let width: f64 = view.split(' ').next().unwrap().parse().unwrap();
    let points = 17.0 * 84.0 / width / (25.4 / 72.0);
    assert!((7.0..8.0).contains(&points), "{points}");
    // One panel below the other, inside of the page.
    let left: Vec<&str> = text
        .split("-axes\" x=\"")
        .skip(1)
        .filter_map(|rest| rest.split('"').next())
        .collect();
    assert!(left.len() == 3 && left.iter().all(|x| *x == left[0]), "{left:?}");
    let png = dir.path().join("figure.png");
    plot(&[
        path.to_str().unwrap(),
        "--size",
        "84mm",
        "--output",
        png.to_str().unwrap(),
    ])
    .unwrap();
    let bytes = fs::read(&png).unwrap();
    let number = |at: usize| u32::from_be_bytes(bytes[at..at + 4].try_into().unwrap());
    // 84 mm at 600 pixels an inch, which are 23622 a metre.
    assert!((1983..=1985).contains(&number(16)), "{}", number(16));
    let physical = bytes.windows(4).position(|name| name == b"pHYs").unwrap() + 4;
    assert_eq!([number(physical), number(physical + 4)], [23622, 23622]);
    assert_eq!(bytes[physical + 8], 1, "a metre");
    for wrong in ["84", "3mm", "8in", "mm"] {
        let error = plot(&[path.to_str().unwrap(), "--size", wrong]).unwrap_err();
        assert!(error.contains("such as 84mm"), "{error}");
    }
}
