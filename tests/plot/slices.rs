//! Pictures of slices: those that a run draws beside its files, and those of `fr-les plot`.

use std::path::Path;

use resvg::tiny_skia::Pixmap;

use crate::common::program::{on_ranks, run};
use crate::report::{finished, report};

const PICTURE: &str = "output.slices.mid.picture={of: [mach, pressure], window: [0.5, 2.5, 0, 1], repeat: [0, 1, 0]}";

/// Returns the names of the pictures in a folder.
fn pictures(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<String> = names.filter(|name| name.ends_with(".png")).collect();
    names.sort_unstable();
    names
}

#[test]
fn a_run_draws_each_slice_the_same_on_any_number_of_ranks() {
    let without = finished(&[]);
    assert!(pictures(&without.path().join("results")).is_empty());
    let directory = finished(&[PICTURE]);
    let results = directory.path().join("results");
    let names = pictures(&results);
    let expected: Vec<String> = [0, 1, 2]
        .iter()
        .flat_map(|n| ["mach", "pressure"].map(|name| format!("slices_mid_{n:04}_{name}.png")))
        .collect();
    assert_eq!(names, expected);
    let output = on_ranks(directory.path(), 3)
        .args(["run", "case.yaml", "--set", PICTURE, "--set", "output.directory=ranks"])
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    for name in names {
        let [one, three] = ["results", "ranks"].map(|folder| std::fs::read(directory.path().join(folder).join(&name)));
        assert!(one.unwrap() == three.unwrap(), "{name}");
    }
    // What is drawn has no influence on the states.
    let [drawn, plain] =
        [&directory, &without].map(|of| std::fs::read_to_string(of.path().join("results/integrals.csv")).unwrap());
    let rows = |text: &str| {
        text.lines()
            .filter(|line| !line.starts_with('#'))
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    assert_eq!(rows(&drawn), rows(&plain));
    // A new run moves the pictures away with the files beside which they stand.
    let output = run(directory.path(), &["run", "case.yaml"]);
    assert!(output.status.success());
    assert!(pictures(&results).is_empty());
    assert_eq!(pictures(&results.join("previous-1")).len(), 6);
}

#[test]
fn a_slice_is_drawn_in_a_window_and_with_copies() {
    let directory = finished(&[]);
    let plot = |arguments: &[&str]| {
        let all = ["plot", "results/slices_mid_0002.vtkhdf"];
        run(
            directory.path(),
            &all.into_iter().chain(arguments.iter().copied()).collect::<Vec<_>>(),
        )
    };
    let drawn = |arguments: &[&str]| {
        let output = plot(arguments);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let path = directory.path().join("results/slices_mid_0002.png");
        Pixmap::load_png(path).unwrap()
    };
    let whole = drawn(&[]);
    assert_eq!(whole.width(), 1600);
    // A window as high as it is wide, of a domain three times as long as it is high.
    let square = drawn(&["--window", "1,2,0,1"]);
    assert!(
        square.height() > whole.height(),
        "{} {}",
        square.height(),
        whole.height()
    );
    // Three copies above each other.
    let high = drawn(&["--repeat", "0,1,0"]);
    assert_eq!(high.height(), square.height(), "as high as it is wide, too");
    assert!(drawn(&["--columns", "mach,pressure"]).height() > whole.height() + 400);
    let refused = |arguments: &[&str], part: &str| {
        let output = plot(arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        let message = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(message.contains(part), "{message}");
    };
    refused(&["--window", "5,6,0,1"], "which reaches from 0 to 3 and from 0 to 1");
    refused(&["--window", "2,1,0,1"], "a left end below the right one");
    refused(&["--window", "2,1,0"], "these are 4 numbers");
    refused(&["--repeat", "0,0,1"], "leaves it");
    refused(&["--columns", "march"], "not `march`");
    refused(&["--spectrum"], "leave out --spectrum");
    let output = run(
        directory.path(),
        &["plot", "results/integrals.csv", "--window", "0,1,0,1"],
    );
    assert!(String::from_utf8_lossy(&output.stderr).contains("is no slice of a run, which --window needs"));
    let output = run(
        directory.path(),
        &[
            "check",
            "case.yaml",
            "--set",
            "output.slices.mid.picture={repeat: [0, 0, 1]}",
        ],
    );
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("output.slices.mid.picture.repeat"));
}

/// Arrays of a slice that do not fit together leave a message on the page, or a figure less, and no panic.
#[test]
fn damaged_slices_are_told_on_the_page() {
    let directory = finished(&[]);
    let results = directory.path().join("results");
    let names = std::fs::read_dir(&results).unwrap().map(|entry| entry.unwrap().path());
    let last = names
        .filter(|path| {
            path.display().to_string().contains("slices_mid_") && path.extension().is_some_and(|e| e == "vtkhdf")
        })
        .max();
    let path = last.expect("a slice");
    let whole = std::fs::read(&path).unwrap();
    type Change<'a> = &'a dyn Fn(&hdf5::Group);
    let changes: [(&str, Change, Option<&str>); 6] = [
        (
            "points that are all but one point",
            &|group| {
                let dataset = group.dataset("Points").unwrap();
                let points = dataset.read_raw::<f64>().unwrap();
                let tiny: Vec<f64> = points.iter().map(|x| 1e-320 * x).collect();
                dataset.write_raw(&tiny).unwrap();
            },
            Some("the slice has no extent"),
        ),
        (
            "pressures that are no numbers",
            &|group| {
                let dataset = group.dataset("PointData/pressure").unwrap();
                dataset.write_raw(&vec![f64::NAN; dataset.size()]).unwrap();
            },
            Some("no value of `mach` is finite"),
        ),
        (
            "a point that is not there",
            &|group| {
                let dataset = group.dataset("Connectivity").unwrap();
                let mut nodes = dataset.read_raw::<i64>().unwrap();
                nodes[4] = 1 << 40;
                dataset.write_raw(&nodes).unwrap();
            },
            Some("which are not all there"),
        ),
        (
            "points of two columns",
            &|group| {
                group.unlink("Points").unwrap();
                group
                    .new_dataset::<f64>()
                    .shape([7, 2])
                    .create("Points")
                    .unwrap()
                    .write_raw(&[0.0; 14])
                    .unwrap();
            },
            Some("Points has the shape [7, 2]"),
        ),
        (
            "more values than the file holds",
            &|group| {
                group.unlink("Connectivity").unwrap();
                group
                    .new_dataset::<i64>()
                    .shape([1_usize << 40])
                    .create("Connectivity")
                    .unwrap();
            },
            Some("Connectivity has the shape [1099511627776], but 0 bytes"),
        ),
        (
            "fields of another length",
            &|group| {
                for name in ["density", "velocity", "temperature", "vorticity"] {
                    let name = format!("PointData/{name}");
                    group.unlink(&name).unwrap();
                    group
                        .new_dataset::<f64>()
                        .shape([2])
                        .create(name.as_str())
                        .unwrap()
                        .write_raw(&[1.0; 2])
                        .unwrap();
                }
            },
            None,
        ),
    ];
    for (what, change, part) in changes {
        std::fs::write(&path, &whole).unwrap();
        let file = hdf5::File::open_rw(&path).unwrap();
        change(&file.group("VTKHDF").unwrap());
        file.close().unwrap();
        let (_, text) = report(directory.path());
        assert!(part.is_none_or(|part| text.contains(part)), "{what}: {text}");
    }
}
