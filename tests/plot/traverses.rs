//! Traverses behind cascades: curves over the pitch and over time with the bands of their errors, and the results.

use std::fs;
use std::path::{Path, PathBuf};

use crate::common::figures::{drawn, extent, plot};
use fr_les::plot::traverses::{Traverse, figure, table};
use tempfile::TempDir;

const POINTS: i32 = 50;
const PITCH: f64 = 0.8;

/// A wake of the given depth, and its loss over time, whose error falls.
fn written(folder: &Path, depth: f64, with_loss: bool) -> PathBuf {
    fs::create_dir_all(folder).unwrap();
    let wake = |y: f64| depth * (-(12.0 * (y / PITCH - 0.5)).powi(2)).exp();
    let mut text = format!(
        "# samples: 200\n# pitch: {PITCH}\n# result omega [-]: value = {depth}, error = 0.001\n\
         # result angle_mixed [deg]: value = 63\n# result rho_mixed [kg/m^3]: value = 1\n\
         y,p0,p0_error,rho_u_p0,uu,vv,ww{}\nm,Pa,Pa,-,-,-,-{}\n",
        if with_loss { ",omega,omega_error" } else { "" },
        if with_loss { ",-,-" } else { "" }
    );
    for i in 0..POINTS {
        let y = PITCH * f64::from(i) / f64::from(POINTS);
        let (loss, energy) = (wake(y), 0.1 * wake(y));
        text += &format!("{y},{},0.01,1,{energy},{energy},{energy}", 2.0 - loss);
        text += &if with_loss {
            format!(",{loss},{}\n", 0.1 * loss)
        } else {
            "\n".to_owned()
        };
    }
    fs::write(folder.join("traverse_wake.csv"), text).unwrap();
    let mut history = "time,samples,omega,omega_error,p0_mixed,p0_mixed_error\ns,-,-,-,Pa,Pa\n".to_owned();
    for i in 1..40 {
        let error = if i < 16 {
            "NaN".to_owned()
        } else {
            (0.4 * depth / f64::from(i)).to_string()
        };
        history += &format!(
            "{},{i},{},{error},1.9,{error}\n",
            0.5 * f64::from(i),
            depth * (1.0 + 1.0 / f64::from(i))
        );
    }
    fs::write(folder.join("traverse_wake.history.csv"), history).unwrap();
    folder.join("traverse_wake.csv")
}

#[test]
fn wakes_and_their_losses_over_time_have_bands_of_two_standard_errors() {
    let dir = TempDir::new().unwrap();
    let read = |name: &str, depth| Traverse::read(name.into(), &written(&dir.path().join(name), depth, true)).unwrap();
    let runs = [read("coarse", 0.3), read("fine", 0.2)];
    let figure = figure(&runs);
    let counts: Vec<[usize; 2]> = figure.panels.iter().map(|p| [p.curves.len(), p.bands.len()]).collect();
    assert_eq!(counts, [[2, 2], [2, 0], [2, 2]]);
    let (wake, history) = (&figure.panels[0], &figure.panels[2]);
    // The middle of the wake is half a pitch from the begin of the line.
    assert!((wake.curves[0].x[25] - 0.5).abs() < 1e-12 && (wake.curves[0].y[25] - 0.3).abs() < 1e-12);
    assert!((wake.bands[0].low[25] - 0.8 * 0.3).abs() < 1e-12 && (wake.bands[0].high[25] - 1.2 * 0.3).abs() < 1e-12);
    assert!((figure.panels[1].curves[1].y[25] - 0.15 * 0.2).abs() < 1e-12);
    let last = history.curves[1].y.len() - 1;
    assert!((history.bands[1].high[last] - history.curves[1].y[last] - 0.8 * 0.2 / 39.0).abs() < 1e-12);
    assert!(history.bands[1].low[3].is_nan());
    let (texts, named) = drawn(&figure);
    for text in ["coarse", "fine", "Local loss", "y/pitch", "time"] {
        assert!(texts.iter().any(|(found, _)| found.contains(text)), "{text}");
    }
    let (axes, band) = (extent(&named, "panel0-axes"), extent(&named, "panel0-band0"));
    assert!(band.top() >= axes.top() && band.bottom() <= axes.bottom() + 0.01);
    // The flow repeats: the last place is one pitch above the first and has its values.
    let (x, y) = (&wake.curves[0].x, &wake.curves[0].y);
    assert!(x.len() == 51 && (x[50] - x[0] - 1.0).abs() < 1e-12 && y[50] == y[0]);
    let fluctuations = &figure.panels[1].curves[0];
    assert_eq!((fluctuations.x.len(), fluctuations.y.len()), (51, 51));
    let table = table(&runs);
    assert!(table.contains("omega [-]: value = 0.3, error = 0.001") && table.contains("angle_mixed [deg]: value = 63"));
    assert!(!table.contains("rho_mixed"), "{table}");
}

#[test]
fn without_an_inlet_the_total_pressure_is_drawn_and_files_are_drawn_by_name() {
    let dir = TempDir::new().unwrap();
    let file = written(dir.path(), 0.3, false);
    let figure = figure(&[Traverse::read("a".into(), &file).unwrap()]);
    assert_eq!(figure.panels[0].title, "Total pressure");
    assert!((figure.panels[0].curves[0].y[25] - 1.7).abs() < 1e-12);
    plot(&[file.to_str().unwrap()]).unwrap();
    assert!(file.with_extension("png").exists());
    fs::remove_file(dir.path().join("traverse_wake.history.csv")).unwrap();
    assert_eq!(
        fr_les::plot::traverses::figure(&[Traverse::read("a".into(), &file).unwrap()])
            .panels
            .len(),
        2
    );
    let text = fs::read_to_string(&file).unwrap().replace("# pitch: 0.8\n", "");
    fs::write(&file, text).unwrap();
    let error = plot(&[file.to_str().unwrap()]).unwrap_err();
    assert!(error.contains("`# pitch: NUMBER`"), "{error}");
}

#[test]
fn files_of_which_there_are_no_figures_are_named() {
    let dir = TempDir::new().unwrap();
    let named = |name: &str, text: &str| {
        let path = dir.path().join(name);
        fs::write(&path, text).unwrap();
        plot(&[path.to_str().unwrap()]).unwrap_err()
    };
    let error = named("forces.csv", "x,fx\nm,N\n0,1\n1,2\n");
    assert!(error.contains("forces.csv"), "{error}");
    let error = named("solution_0001.vtkhdf", "");
    assert!(
        error.contains("solution_0001.vtkhdf is no table: ParaView opens"),
        "{error}"
    );
}

#[test]
fn boundary_layers_and_annuli_are_drawn_alone() {
    let dir = TempDir::new().unwrap();
    for (name, text) in [
        (
            "boundary_layer_a.profile.csv",
            "station,distance,u_s\n-,m,m/s\n0,0,0\n0,0.1,1\n",
        ),
        (
            "boundary_layer_a.csv",
            "station,x,y,delta99\n-,m,m,m\n0,0.3,0.2,0.01\n1,0.6,0.1,0.02\n",
        ),
        ("annulus_a.csv", "r,height,omega\nm,-,-\n2,0.1,0.05\n3,0.9,0.07\n"),
        ("annulus_a.map.csv", "r,theta,p\nm,deg,Pa\n2,0,1\n2,5,2\n3,0,3\n3,5,4\n"),
    ] {
        let path = dir.path().join(name);
        fs::write(&path, text).unwrap();
        let path = path.to_str().unwrap();
        plot(&[path]).unwrap();
        assert!(dir.path().join(name.replace(".csv", ".png")).exists(), "{name}");
        let refused = plot(&[path, path]).unwrap_err();
        assert!(refused.contains("drawn alone") && refused.contains(name), "{refused}");
    }
    let path = dir.path().join("same.csv");
    fs::write(&path, "station,distance,u_s\n-,m,m/s\n0,0,1\n0,0.1,1\n").unwrap();
    let refused = plot(&[path.to_str().unwrap()]).unwrap_err();
    assert!(refused.contains("nothing changes"), "{refused}");
}
