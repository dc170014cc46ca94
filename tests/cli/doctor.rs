//! `fr-les doctor`: its exit code, what it reports, and that it leaves nothing behind.

use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;

use crate::common::program::{folder, names, program, run, succeeds, with_case};

/// The text of the line of one finding, if it has this mark.
fn line<'a>(report: &'a str, mark: &str, what: &str) -> Option<&'a str> {
    let mut lines = report
        .lines()
        .filter_map(|line| line.strip_prefix(mark)?.trim_start().strip_prefix(what));
    lines.next().map(str::trim)
}

/// The program in `folder` with only this folder in PATH, and without Python environments but that of its checkout.
fn with_path(folder: &Path, path: &Path) -> (Option<i32>, String) {
    let output = program(folder)
        .arg("doctor")
        .env("PATH", path)
        .env("HOME", path)
        .env_remove("VIRTUAL_ENV")
        .env_remove("CONDA_PREFIX")
        .output()
        .expect("starts");
    assert!(output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
    (
        output.status.code(),
        String::from_utf8_lossy(&output.stdout).into_owned(),
    )
}

#[test]
fn what_works_is_tried() {
    let folder = folder();
    let report = succeeds(&folder, &["doctor"]);
    for what in ["processor", "memory", "MPI", "HDF5", "folder", "file locks", "CPU run"] {
        assert!(line(&report, "ok", what).is_some(), "no '{what}' in\n{report}");
    }
    let mpirun = line(&report, "ok", "mpirun").unwrap_or_else(|| panic!("{report}"));
    assert!(mpirun.contains("2 ranks gave the same bits"), "{report}");
    assert!(report.contains("\nRuns on the CPU work. Runs on a GPU "), "{report}");
    assert!(
        names(folder.path()).is_empty(),
        "nothing is left: {:?}",
        names(folder.path())
    );
    // The versions are those that the libraries themselves report.
    let version = succeeds(&folder, &["--version"]);
    for what in ["MPI", "HDF5"] {
        let reported = line(&report, "ok", what)
            .expect("a line")
            .split(", with")
            .next()
            .expect("text");
        assert!(version.contains(reported), "{reported} is not in\n{version}");
    }
}

#[test]
fn the_hash_is_that_of_a_run_of_the_same_case() {
    let case = "mesh: {box: {cells: [4, 4, 4], lower: [-pi, -pi, -pi], upper: [pi, pi, pi], periodic: [x, y, z]}}\n\
        order: 3\ngas: {viscosity: {constant: 1/100}}\n\
        initial: {u: sin(x)*cos(y)*cos(z), v: -cos(x)*sin(y)*cos(z), w: 0, p: 100, temperature: 100}\n\
        time: {steps: 4, cfl: 0.5}\n";
    let folder = with_case(case);
    let log = succeeds(&folder, &["-q", "run.yaml", "--hash", "--set", "device=cpu"]);
    let hash = log
        .lines()
        .last()
        .expect("a hash behind the warning that nothing is written");
    let report = succeeds(&folder, &["doctor"]);
    assert!(report.contains(hash), "no {hash} in\n{report}");
}

#[test]
fn a_missing_launcher_is_named_with_the_command_that_brings_it() {
    let (folder, empty) = (folder(), folder());
    let (code, report) = with_path(folder.path(), empty.path());
    assert_eq!(code, Some(0), "a run on one rank works\n{report}");
    assert!(
        line(&report, "no", "mpirun").is_some_and(|text| text.contains("one rank")),
        "{report}"
    );
    assert!(report.contains("openmpi-bin") || report.contains("mpich"), "{report}");
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join(".venv/bin/gmsh");
    if own.exists() {
        let found = line(&report, "ok", "Gmsh").unwrap_or_else(|| panic!("{report}"));
        assert!(found.starts_with(&own.display().to_string()), "{report}");
    } else {
        assert!(report.contains("pip install gmsh"), "{report}");
    }
}

#[test]
fn launchers_that_do_not_fit_are_told() {
    let (folder, path) = (folder(), folder());
    // One that belongs to another library starts processes that know nothing of each other.
    let launcher = path.path().join("mpirun");
    let script = |text: &str| {
        std::fs::write(&launcher, format!("#!/bin/sh\n{text}\n")).expect("written");
        std::fs::set_permissions(&launcher, PermissionsExt::from_mode(0o755)).expect("made executable");
    };
    symlink("/bin/sh", path.path().join("sh")).expect("a link");
    for text in [
        "shift 2\n\"$@\" && \"$@\"",
        // Those of other libraries tell the number of processes by variables of their own. Open MPI's daemon, which a
        // process alone would start then, is not in this PATH.
        "shift 2\nexport PMI_SIZE=2 OMPI_MCA_ess_singleton_isolated=1\nPMI_RANK=0 \"$@\" && PMI_RANK=1 \"$@\"",
    ] {
        script(text);
        let (code, report) = with_path(folder.path(), path.path());
        assert_eq!(code, Some(0), "{report}");
        assert!(
            line(&report, "no", "mpirun").is_some_and(|text| text.contains("belongs to another MPI library")),
            "{report}"
        );
    }
    script("echo no slots left >&2\nexit 3");
    let (code, report) = with_path(folder.path(), path.path());
    assert_eq!(code, Some(0), "{report}");
    assert!(
        line(&report, "no", "mpirun").is_some_and(|text| text.contains("failed")),
        "{report}"
    );
    assert!(report.contains("no slots left"), "{report}");
}

#[test]
fn a_cpu_run_that_fails_gives_code_1() {
    let folder = folder();
    // The trials inherit the environment; this variable names no set of vector instructions.
    let output = program(folder.path())
        .arg("doctor")
        .env("FR_LES_SIMD", "mmx")
        .output()
        .expect("starts");
    let report = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(output.status.code(), Some(1), "{report}");
    for what in ["processor", "CPU run"] {
        assert!(line(&report, "no", what).is_some(), "no '{what}' in\n{report}");
    }
    assert!(report.contains("Runs on the CPU do not work."), "{report}");
    // A folder that cannot be written to does not hide whether runs work. Root may write everywhere but here.
    let (report, code) = if Path::new("/sys/kernel").is_dir() {
        let output = run(Path::new("/sys/kernel"), &["doctor"]);
        (
            String::from_utf8_lossy(&output.stdout).into_owned(),
            output.status.code(),
        )
    } else {
        return;
    };
    assert_eq!(code, Some(0), "{report}");
    assert!(
        line(&report, "no", "folder").is_some_and(|text| text.contains("/sys/kernel")),
        "{report}"
    );
}
