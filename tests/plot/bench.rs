//! Figures of benchmark results: their contents, and the files that the command writes or refuses.

use std::fs;
use std::path::{Path, PathBuf};

use crate::common::figures::{assert_apart, drawn, extent, plot};
use fr_les::plot::bench::{figure, read};
use fr_les::plot::figure::Figure;
use serde_json::{Value, json};
use tempfile::TempDir;

/// A result whose kernels take 0.02, 0.04, 0.05 and 0.06 ns per point, and more for small sizes.
fn result(order: u64, cells: u64, precision: &str) -> Value {
    let points = (cells * (order + 1)).pow(3) as f64;
    let ns = 0.08 + 0.01 * order as f64 + 2e4 / points;
    let kernel = |ns: f64| json!({"ns": ns * points, "ns_per_dof": ns, "bytes_per_dof": 80.0});
    json!({
        "device": "NVIDIA H200, sm_90, double precision", "threads": null, "order": order, "cells": cells,
        "precision": precision, "arithmetic": "strict", "curved": false, "viscous": true, "points": points,
        "gdof_per_s": 1.0 / ns, "ns_per_dof_stage": ns, "bytes_per_point": 250.0, "copy_bandwidth": 4e12,
        "kernels": {"sweep1": kernel(0.02), "sweep2 first": kernel(0.04), "sweep2 middle": kernel(0.05),
                    "sweep2 last": kernel(0.06), "time_step_bounds": kernel(0.01)},
    })
}

fn series(orders: &[u64], sizes: &[u64], precisions: &[&str]) -> Value {
    let mut list = Vec::new();
    for &order in orders {
        for precision in precisions {
            list.extend(sizes.iter().map(|&cells| result(order, cells, precision)));
        }
    }
    Value::Array(list)
}

fn write(dir: &Path, name: &str, json: &Value) -> PathBuf {
    let path = dir.join(name);
    fs::write(&path, json.to_string()).unwrap();
    path
}

fn figure_of(json: &Value) -> Figure {
    let dir = TempDir::new().unwrap();
    figure(&read("file", &write(dir.path(), "b.json", json)).unwrap(), &[], false)
}

fn titles(figure: &Figure) -> Vec<&str> {
    figure.panels.iter().map(|panel| panel.title.as_str()).collect()
}

#[test]
fn the_contents_of_the_results_determine_the_panels() {
    let size = "Speed against size";
    let order = "Speed against order";
    let stage = "Time of a stage";
    let largest = "Time of a stage, largest size of each series";
    let tall = "Time of a stage, without sizes over 5 times the best";
    assert_eq!(titles(&figure_of(&result(4, 16, "double"))), [stage]);
    assert_eq!(
        titles(&figure_of(&series(&[4], &[32, 48, 64], &["double"]))),
        [size, stage]
    );
    assert_eq!(
        titles(&figure_of(&series(&[1, 2, 3], &[64], &["double"]))),
        [order, stage]
    );
    assert_eq!(
        titles(&figure_of(&series(&[4], &[4, 32, 64], &["double"]))),
        [size, tall]
    );
    assert_eq!(
        titles(&figure_of(&series(
            &[1, 2, 3, 4, 5, 6, 7, 8],
            &[32, 48, 64],
            &["double"]
        ))),
        [size, order, largest]
    );
    let all = figure_of(&series(&[3, 4], &[8, 32, 64], &["double", "single"]));
    let labels = |panel: usize| -> Vec<&str> { all.panels[panel].curves.iter().map(|c| c.label.as_str()).collect() };
    assert_eq!(
        labels(0),
        ["p = 3, double", "p = 3, single", "p = 4, double", "p = 4, single"]
    );
    assert_eq!(labels(1), ["double", "single"]);
    assert_eq!(
        all.title,
        "NVIDIA H200, hexahedra, strict arithmetic, affine cells, Navier\u{2013}Stokes"
    );
    // The speed against the order is that of the largest size.
    assert_eq!(
        all.panels[1].curves[0].y,
        [all.panels[0].curves[0].y[2], all.panels[0].curves[2].y[2]]
    );
}

#[test]
fn elements_distinguish_results_and_are_hexahedra_by_default() {
    let mut json = series(&[2, 3], &[16, 32], &["double"]);
    let list = json.as_array_mut().unwrap();
    for element in ["prism", "mixed"] {
        let named = series(&[2, 3], &[16, 32], &["double"]);
        list.extend(named.as_array().unwrap().iter().map(|one| {
            let mut one = one.clone();
            one["elements"] = json!(element);
            one
        }));
    }
    let figure = figure_of(&json);
    let labels: Vec<&str> = figure.panels[1].curves.iter().map(|c| c.label.as_str()).collect();
    assert_eq!(labels, ["hex", "prism", "mixed"]);
    assert_eq!(figure.panels[0].curves[2].label, "prism, p = 2");
    let mut one = result(4, 16, "double");
    one["elements"] = json!("tet");
    assert!(figure_of(&one).title.contains("tetrahedra, p = 4, 16\u{b3} cubes"));
}

#[test]
fn bars_weigh_the_kernels_by_their_share_of_a_step() {
    let figure = figure_of(&series(&[1, 2], &[64], &["double"]));
    let bars = figure.panels[1].bars.as_ref().unwrap();
    for bar in &bars.bars {
        let expected = [0.02, 0.01, 0.025, 0.015, bar.total - 0.07];
        for (part, value) in bar.parts.iter().zip(expected) {
            assert!((part - value).abs() < 1e-12, "{bar:?}");
        }
    }
    assert_eq!(bars.bars[0].label, ["p = 1"]);
    let (_, named) = drawn(&figure);
    let extent = |name: &str| extent(&named, name);
    let axes = extent("panel1-axes");
    let (first, second) = (extent("panel1-bar0-part0"), extent("panel1-bar0-part1"));
    assert!((first.bottom() - axes.bottom()).abs() < 1.0, "bars begin at zero");
    assert!(
        (first.height() / second.height() - 2.0).abs() < 0.01,
        "heights are in proportion"
    );
    assert!((first.top() - second.bottom()).abs() < 0.1, "parts stand on each other");
    assert!(extent("panel1-bar1-part4").top() > axes.top());
}

#[test]
fn texts_overlap_neither_each_other_nor_the_edge_of_the_page() {
    let orders: Vec<u64> = (1..=8).collect();
    for json in [
        series(&orders, &[4, 8, 16, 32, 48, 64, 96], &["double", "single"]),
        series(&[4], &[4, 8, 16, 32, 48, 64, 96], &["double"]),
        series(&orders, &[40], &["double", "single"]),
        result(4, 16, "double"),
    ] {
        let (texts, _) = drawn(&figure_of(&json));
        assert!(texts.len() > 10);
        assert_apart(&texts);
    }
}

#[test]
fn the_command_draws_files_references_and_labels() {
    let dir = TempDir::new().unwrap();
    let path = |name: &str| dir.path().join(name).display().to_string();
    write(dir.path(), "old.json", &series(&[2, 3], &[16, 32], &["double"]));
    write(dir.path(), "new.json", &series(&[2, 3], &[16, 32], &["double"]));
    fs::write(
        path("ref.csv"),
        "# from elsewhere\norder, gdof_per_s, label\n2,5.5,\"A, b\"\n3,6,\"A, b\"\n",
    )
    .unwrap();
    plot(&[&path("old.json")]).unwrap();
    assert!(dir.path().join("old.png").is_file());
    let svg = |arguments: &[&str]| {
        plot(&[arguments, &["--output", &path("f.svg")]].concat()).unwrap();
        fs::read_to_string(path("f.svg")).unwrap()
    };
    let alone = svg(&[&path("old.json"), "--reference", &path("ref.csv")]);
    for text in [
        "A, b",
        "[GDOF/s]",
        "[ns per DOF and stage]",
        "solution points",
        "polynomial degree p",
    ] {
        assert!(alone.contains(text), "{text}");
    }
    assert!(!alone.contains(">old"), "one file needs no name");
    let both = svg(&[&path("old.json"), &path("new.json")]);
    assert!(
        both.contains("old, p = 2") && both.contains("new, p = 3"),
        "the same case twice is told apart"
    );
    assert!(svg(&[&path("old.json"), &path("new.json"), "--label", "x", "y"]).contains("y, p = 3"));
}

#[test]
fn a_result_that_was_not_measured_is_left_out() {
    let mut json = series(&[4], &[16, 32], &["double"]);
    let list = json.as_array_mut().unwrap();
    list.push(json!({"order": 4, "cells": 512, "precision": "double", "error": "needs 5000 GB"}));
    assert_eq!(figure_of(&json).panels[0].curves[0].x.len(), 2);
}

#[test]
fn an_invalid_file_is_refused_with_the_reason_and_nothing_is_written() {
    let dir = TempDir::new().unwrap();
    let without = |key: &str| {
        let mut one = result(4, 16, "double");
        one.as_object_mut().unwrap().remove(key);
        one
    };
    let with = |key: &str, value: Value| {
        let mut one = result(4, 16, "double");
        one[key] = value;
        one
    };
    let second = json!([result(4, 8, "double"), without("points")]);
    for (text, message) in [
        (String::new(), "not JSON"),
        ("[{\"order\": 4,\n \"cells\" 3}]".into(), "line 2"),
        ("[]".into(), "an empty list"),
        ("[3]".into(), "not an object"),
        ("{}".into(), "neither an object `kernels` nor an object `timeline`"),
        (without("gdof_per_s").to_string(), "no key `gdof_per_s`"),
        (without("precision").to_string(), "no key `precision`"),
        (second.to_string(), "result 2: no key `points`"),
        (
            with("points", json!("many")).to_string(),
            "`points` is \"many\", not a number",
        ),
        (
            with("gdof_per_s", json!(-1)).to_string(),
            "`gdof_per_s` is -1, not a positive",
        ),
        (
            with("order", json!(2.5)).to_string(),
            "`order` is 2.5, not a positive whole number",
        ),
        (
            with("curved", json!("no")).to_string(),
            "`curved` is \"no\", not true or false",
        ),
        (with("kernels", json!({})).to_string(), "no kernel `sweep1`"),
        (
            json!([{"order": 4, "cells": 9, "error": "no room"}]).to_string(),
            "only errors",
        ),
    ] {
        let path = dir.path().join("bad.json");
        fs::write(&path, &text).unwrap();
        let error = plot(&[path.to_str().unwrap()]).unwrap_err();
        assert!(error.contains("bad.json") && error.contains(message), "{text}: {error}");
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1, "{text}");
    }
    let error = plot(&[dir.path().join("absent.json").to_str().unwrap()]).unwrap_err();
    assert!(
        error.contains("absent.json") && error.contains("cannot read"),
        "{error}"
    );
    let good = write(dir.path(), "good.json", &result(4, 16, "double"));
    let (good, folder) = (good.to_str().unwrap(), dir.path().to_str().unwrap());
    assert!(plot(&[good, folder]).unwrap_err().contains("apart"));
    for (text, message) in [
        ("order,label\n4,a\n", "no column `gdof_per_s`"),
        (
            "order,gdof_per_s,label\n4,x,a\n",
            "ref.csv:2: (gdof_per_s): 'x' is not a positive number",
        ),
        ("order,gdof_per_s,label\n", "0 complete row(s)"),
        ("order,gdof_per_s,label\n4,5\n", "ref.csv:2"),
    ] {
        let reference = dir.path().join("ref.csv");
        fs::write(&reference, text).unwrap();
        let error = plot(&[good, "--reference", reference.to_str().unwrap()]).unwrap_err();
        assert!(error.contains("ref.csv") && error.contains(message), "{text}: {error}");
    }
}
