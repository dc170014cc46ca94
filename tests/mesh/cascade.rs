//! Meshes of cascades from the command line. Those that are filled by Gmsh need it in PATH or in `.venv/bin` of the
//! checkout; without it they are skipped, except under `$CI`.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::common::program::{folder, output, program, succeeds, write};
use fr_les::mesh::read_mesh;
use tempfile::TempDir;

/// A coarse mesh of the T106C cascade, one cell deep.
pub const SETTINGS: &str = "\
profile: {file: t106.csv}
pitch: 0.95
span: {length: 0.1, cells: 1}
inlet: {x: -0.8, angle: 32.7, size: 0.15}
outlet: {x: 1.6, angle: -63.2, size: 0.15}
layers: {first: 2e-3, growth: 1.4, number: 5}
blade: {size: 0.04}
passage: {size: 0.1, wake: 0.07}
";

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// A folder with these settings and the profile.
pub fn with(settings: &str) -> TempDir {
    let folder = folder();
    let profile = std::fs::read(root().join("meshes/profiles/t106.csv")).expect("the profile");
    write(&folder, "t106.csv", &profile);
    write(&folder, "blade.yaml", settings.as_bytes());
    folder
}

/// The Gmsh that the tests use, if there is one.
pub fn gmsh() -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders = std::env::split_paths(&path).chain([root().join(".venv/bin")]);
    let found = folders.map(|folder| folder.join("gmsh")).find(|path| path.is_file());
    assert!(found.is_some() || std::env::var_os("CI").is_none(), "there is no Gmsh");
    if found.is_none() {
        println!("skipped: no Gmsh");
    }
    found
}

/// Runs `fr-les mesh cascade` and returns its exit code and what it printed.
pub fn cascade(folder: &TempDir, gmsh: Option<&Path>) -> (Option<i32>, String) {
    let mut command = program(folder.path());
    command.args(["mesh", "cascade", "blade.yaml", "blade.h5", "--order", "2"]);
    match gmsh {
        Some(path) => command.arg("--gmsh").arg(path),
        None => command.env("PATH", ""),
    };
    let output = command.output().expect("the program starts");
    let text = [&output.stdout[..], &output.stderr[..]].concat();
    (output.status.code(), String::from_utf8_lossy(&text).into_owned())
}

/// Makes the mesh and returns what is printed.
pub fn made(settings: &str, gmsh: &Path) -> (TempDir, String) {
    let folder = with(settings);
    let (code, text) = cascade(&folder, Some(gmsh));
    assert_eq!(code, Some(0), "{text}");
    (folder, text)
}

/// Area of the polygon of the published points.
pub fn area_of_profile(folder: &TempDir) -> f64 {
    let profile = std::fs::read_to_string(folder.path().join("t106.csv")).expect("the profile");
    let points: Vec<[f64; 2]> = profile
        .lines()
        .filter_map(|line| line.split_once(','))
        .filter_map(|(x, y)| Some([x.parse().ok()?, y.parse().ok()?]))
        .collect();
    let sides = points.windows(2).map(|w| 0.5 * (w[0][0] * w[1][1] - w[0][1] * w[1][0]));
    sides.sum()
}

#[test]
fn keys_of_the_settings_are_set_on_the_command_line() {
    let folder = with(SETTINGS);
    let refused = |set: &str| {
        let mut command = program(folder.path());
        command.args(["mesh", "cascade", "blade.yaml", "blade.h5", "--set", set]);
        output(&mut command, 2)
    };
    for (set, what) in [
        ("pitch=-1", "`pitch` is -1"),
        ("span.cells=0", "`cells` is 0"),
        ("pich=1", "unknown key `pich`"),
        ("pitch", "needs KEY=VALUE"),
    ] {
        let shown = refused(set);
        let origin = if set == "pitch" {
            String::new()
        } else {
            format!("--> --set {set} (")
        };
        assert!(shown.contains(what) && shown.contains(&origin), "{shown}");
    }
}

#[test]
fn a_blade_is_meshed_and_its_sides_are_joined() {
    let Some(gmsh) = gmsh() else { return };
    let (folder, text) = made(SETTINGS, &gmsh);
    for part in [
        "cells of geometry order 4",
        "wrote blade.h5, mesh hash ",
        "points from the wall",
    ] {
        assert!(text.contains(part), "no '{part}' in\n{text}");
    }
    let mesh = read_mesh(&folder.path().join("blade.h5"), &[]).expect("a mesh");
    assert_eq!(mesh.boundary_names, ["blade", "inlet", "outlet"]);
    assert_eq!(
        mesh.joined,
        [["periodic-low", "periodic-high"], ["z-", "z+"]].map(|pair| pair.map(str::to_owned))
    );
    // The volume is that of the passage less the blade; the profile's polygon is a little smaller than the blade.
    let volume: f64 = fr_les::mesh::quality::Quality::of(&mesh, 2).expect("cells").volume;
    let polygon = area_of_profile(&folder);
    let gas = 0.1 * (2.4 * 0.95 - polygon);
    assert!(polygon > 0.087 && (volume - gas).abs() < 2e-5, "{volume} {gas}");
}

#[test]
fn the_small_mesh_of_the_validation_runs() {
    let Some(gmsh) = gmsh() else { return };
    let folder = folder();
    for (from, to) in [
        ("meshes/profiles/t106.csv", "t106.csv"),
        ("validation/t106c/run-tiny.yaml", "run.yaml"),
    ] {
        let bytes = std::fs::read(root().join(from)).expect(from);
        write(&folder, to, &bytes);
    }
    let settings = std::fs::read_to_string(root().join("validation/t106c/tiny.yaml")).expect("settings");
    write(
        &folder,
        "blade.yaml",
        settings.replace("../../meshes/profiles/", "").as_bytes(),
    );
    let (code, text) = cascade(&folder, Some(&gmsh));
    assert_eq!(code, Some(0), "{text}");
    let arguments = [
        "run.yaml",
        "--set",
        "mesh.file=blade.h5",
        "--set",
        "time={steps: 10, cfl: 0.9}",
    ];
    let log = succeeds(&folder, &arguments);
    assert!(log.contains("finished at step 10"), "{log}");
}

#[test]
fn the_same_settings_give_the_same_mesh() {
    let Some(gmsh) = gmsh() else { return };
    let hash = || {
        let (_, text) = made(SETTINGS, &gmsh);
        text.rsplit_once("mesh hash ").map(|(_, hash)| hash.to_owned())
    };
    assert_eq!(hash(), hash());
}

#[test]
fn quadrilaterals_strips_and_all_orders_are_meshed() {
    let Some(gmsh) = gmsh() else { return };
    for (order, strip, quads) in [(1, "-0.8", false), (2, "-0.7", true), (3, "-0.7", false)] {
        let settings = format!(
            "{}geometry-order: {order}\nstrip: {{from: {strip}, to: -0.4, size: 0.05}}\n",
            SETTINGS.replace(
                "wake: 0.07",
                if quads {
                    "wake: 0.07, cells: quads"
                } else {
                    "wake: 0.07"
                }
            )
        );
        let (folder, text) = made(&settings, &gmsh);
        let mesh = read_mesh(&folder.path().join("blade.h5"), &[]).expect("a mesh");
        assert_eq!(mesh.geometry_order, order);
        // The cells of the strip are equal boxes of 0.05 by 0.05.
        let in_strip = (0..mesh.len()).filter(|&cell| {
            let nodes = mesh.cell_nodes(cell);
            let [low, high] = [f64::min, f64::max]
                .map(|pick| [0, 1].map(|d| nodes.iter().map(|x| x[d]).reduce(pick).expect("nodes")));
            (0..2).all(|d| (high[d] - low[d] - 0.05).abs() < 1e-12)
        });
        let columns = if strip == "-0.8" { 8 } else { 6 };
        assert_eq!(in_strip.count(), columns * 19, "{text}");
        let of = |kind: &str| -> usize {
            let line = text.lines().find(|line| line.starts_with(kind));
            line.and_then(|line| line.split_whitespace().nth(1)?.parse().ok())
                .unwrap_or(0)
        };
        assert_eq!(of("hex") > of("prism"), quads, "{text}");
        let quality = fr_les::mesh::quality::Quality::of(&mesh, 2).expect("cells");
        assert!(quality.worst.value > 0.25, "{text}");
    }
}

#[test]
fn gmsh_that_is_missing_or_fails_is_reported() {
    let folder = with(SETTINGS);
    // A copy of the program has no Python environment beside it, and `.venv` here is not looked at.
    let copy = folder.path().join("fr-les");
    std::fs::copy(env!("CARGO_BIN_EXE_fr-les"), &copy).expect("a copy");
    let mut command = Command::new(copy);
    command
        .args(["mesh", "cascade", "blade.yaml", "blade.h5"])
        .current_dir(folder.path());
    for name in ["PATH", "HOME", "VIRTUAL_ENV", "CONDA_PREFIX"] {
        command.env_remove(name);
    }
    let output = command.output().expect("the copy starts");
    let (code, text) = (
        output.status.code(),
        String::from_utf8_lossy(&output.stderr).into_owned(),
    );
    assert_eq!(code, Some(2));
    assert!(
        text.contains("error: Gmsh was not found in PATH") && text.contains("pip install gmsh"),
        "{text}"
    );
    let (code, text) = cascade(&folder, Some("./nothing".as_ref()));
    assert_eq!(code, Some(2));
    assert!(text.contains("nothing cannot be started"), "{text}");
    write(&folder, "gmsh", b"#!/bin/sh\necho no licence today\nexit 3\n");
    let script = folder.path().join("gmsh");
    std::fs::set_permissions(&script, std::fs::Permissions::from_mode(0o755)).expect("executable");
    let (code, text) = cascade(&folder, Some(&script));
    assert_eq!(code, Some(2));
    assert!(text.contains("failed (exit status: 3):\nno licence today"), "{text}");
    assert!(!folder.path().join("blade.h5").exists());
}

#[test]
fn a_profile_of_too_many_points_or_of_no_size_is_refused_at_once() {
    let circle = |count: usize, radius: f64| {
        let angle = |i: usize| std::f64::consts::TAU * i as f64 / count as f64;
        let rows = (0..count).map(|i| format!("{:e},{:e}\n", radius * angle(i).cos(), radius * angle(i).sin()));
        "x,y\n".to_owned() + &rows.collect::<String>()
    };
    for (points, words) in [
        (
            circle(400_000, 0.4),
            "the profile has 400000 points: at most 10000 are possible",
        ),
        (
            circle(100, 1e300),
            "the profile extends over 2.000e300 chords: from 0.2 to 5 are possible",
        ),
        (circle(100, 1e-9), "the profile extends over 2.000e-9 chords"),
    ] {
        let folder = with(SETTINGS);
        write(&folder, "t106.csv", points.as_bytes());
        let begin = std::time::Instant::now();
        let (code, text) = cascade(&folder, None);
        assert_eq!(code, Some(2), "{text}");
        assert!(text.contains(words), "no '{words}' in\n{text}");
        assert!(begin.elapsed().as_secs() < 30, "it took {:?}", begin.elapsed());
    }
}

#[test]
fn wrong_settings_are_refused_with_their_line() {
    for (from, to, words) in [
        (
            "pitch: 0.95",
            "pitch: -1",
            "`pitch` is -1: it must be from 1e-8 to 100 chords\n --> blade.yaml:2:8 (pitch)",
        ),
        ("pitch: 0.95", "pitch: 1e99", "it must be from 1e-8 to 100 chords"),
        ("x: -0.8", "x: -1e99", "it must be within 100 chords"),
        ("first: 2e-3", "first: 1e-9", "(layers.first)"),
        (
            "{file: t106.csv}",
            "{file: t106.csv, tolerance: 1}",
            "`tolerance` is 1: it must be above 0 and at most 0.01",
        ),
        (
            "{file: t106.csv}",
            "{file: t106.csv, trailing-radius: 1e-9}",
            "it must be from 1e-5 to 0.1 chords",
        ),
        (
            "{file: t106.csv}",
            "{file: t106.csv, chord: 1e-99}",
            "from 0.2 to 5 are possible",
        ),
        ("pitch: 0.95", "pich: 0.95", "did you mean `pitch`?"),
        (
            "{size: 0.04}",
            "{size: 0.04, turn: 90}",
            "`turn` is 90: it must be from 1 to 60",
        ),
        ("growth: 1.4", "growth: 0.9", "(layers.growth)"),
        ("number: 5", "number: 1000", "`number` is 1000: it must be at most 200"),
        ("angle: 32.7", "angle: 95", "between -90 and 90"),
        ("x: 1.6", "x: -2", "`x` is -2: it must be above that of the inlet, -0.8"),
        ("file: t106.csv", "file: t107.csv", "there is no file t107.csv"),
        ("file: t106.csv", "file: blade.yaml", "(profile.file)"),
        ("first: 2e-3", "first: 3e-2", "the wall is concave"),
        ("wake: 0.07", "wake: 0.07, cells: hexagons", "`hexagons` is not a value"),
        (
            "passage:",
            "strip: {from: -1, to: -0.5, size: 0.1}\npassage:",
            "at or downstream of the inlet",
        ),
        ("passage:", "geometry-order: 5\npassage:", "it must be at most 4"),
        (
            "cells: 1}",
            "cells: 1, end-walls: {first: 0.05, growth: 1, number: 1}}",
            "each, and the span is 0.10000 long\n --> blade.yaml:3",
        ),
        (
            "cells: 1}",
            "cells: 1, end-walls: {first: 0.05, growth: 3, number: 1}}",
            "(span.end-walls.growth)",
        ),
    ] {
        assert!(SETTINGS.contains(from));
        let folder = with(&SETTINGS.replacen(from, to, 1));
        let (code, text) = cascade(&folder, None);
        assert_eq!(code, Some(2), "{text}");
        assert!(text.contains(words), "no '{words}' in\n{text}");
        assert!(text.matches("error:").count() == 1, "{text}");
    }
}
