//! The cases of examples/ are accepted as they stand, with the meshes that their comments say how to make.

use std::path::Path;

use crate::common::program::{run, succeeds};

#[test]
fn check_accepts_the_examples_and_reports_flow_boundaries_and_costs() {
    let folder = tempfile::tempdir().expect("temporary directory");
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples");
    std::fs::create_dir(folder.path().join("examples")).expect("folder");
    for name in ["cavity", "cylinder", "channel"] {
        let path = format!("examples/{name}.yaml");
        let text = std::fs::read_to_string(examples.join(format!("{name}.yaml"))).expect("example");
        std::fs::write(folder.path().join(&path), &text).expect("copied");
        // A command may go on in the next line of the comment.
        let joined = text.replace("\\\n#", "");
        for command in joined.lines().filter_map(|line| line.strip_prefix("#   fr-les mesh ")) {
            let words: Vec<&str> = std::iter::once("mesh").chain(command.split_whitespace()).collect();
            succeeds(&folder, &words);
        }
        let log = succeeds(&folder, &["check", "--long", &path]);
        for part in [
            "Mach number ",
            "Reynolds number per length ",
            "no-slip-",
            "cost ",
            "files ",
            " INFO ok",
        ] {
            assert!(log.contains(part), "{name}: no '{part}' in\n{log}");
        }
        assert!(!log.contains("WARN"), "{log}");
    }
    assert!(!folder.path().join("results").exists(), "check writes nothing");
}

/// Returns the first block of a language after a heading of a page.
fn block<'a>(page: &'a str, heading: &str, language: &str) -> &'a str {
    let (_, section) = page.split_once(heading).expect("the heading");
    let (_, from) = section.split_once(&format!("```{language}\n")).expect("the block");
    from.split_once("```").expect("its end").0
}

#[test]
fn the_profiles_of_the_page_on_boundaries_run() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/reference/boundaries.md");
    let page = std::fs::read_to_string(path).expect("the page");
    let folder = tempfile::tempdir().expect("temporary directory");
    for (name, language) in [("jet.yaml", "yaml"), ("inlet.csv", "csv")] {
        let text = block(&page, "\n## Profiles from files\n", language);
        std::fs::write(folder.path().join(name), text).expect("written");
    }
    let log = succeeds(&folder, &["check", "--long", "jet.yaml"]);
    for part in [
        "u from inlet.csv along y 0 to 1 (5 values), monotone cubic",
        "T from inlet.csv along y 0 to 1 (5 values), linear",
    ] {
        assert!(log.contains(part), "no '{part}' in\n{log}");
    }
    succeeds(&folder, &["run", "jet.yaml"]);
}

#[test]
fn check_estimates_the_files_of_a_run() {
    let case = "mesh: {box: {cells: [6, 6, 6], lower: [0, 0, 0], upper: [6.3, 6.3, 6.3], periodic: [x, y, z]}}\n\
                order: 3\ngas: {}\ninitial: {u: 1, v: 0, w: 0, p: 7, rho: 1}\ntime: {steps: 4, cfl: 0.5}\n\
                output:\n  solution: {every-steps: 2}\n  checkpoint: {every-steps: 2}\n  \
                statistics: {every-steps: 1}\n  \
                slices: {mid: {point: [3, 3, 3], normal: [0, 0.2, 1], every-steps: 2}}\n";
    for change in ["precision=double", "precision=single", "output.statistics.average=[x]"] {
        let folder = tempfile::tempdir().expect("temporary directory");
        std::fs::write(folder.path().join("case.yaml"), case).expect("case");
        let log = succeeds(&folder, &["check", "--long", "case.yaml", "--set", change]);
        let line = log.lines().find_map(|line| line.split_once("files   ")).expect(&log).1;
        let (number, unit) = line.split_once(' ').expect(line);
        assert!(unit.starts_with("MB (3 solutions of"), "{line}");
        let estimate = 1e6 * number.parse::<f64>().expect(line);
        succeeds(&folder, &["run", "case.yaml", "--set", change]);
        let files = std::fs::read_dir(folder.path().join("results")).expect("results");
        let sizes = files.map(|file| file.expect("a file").metadata().expect("its size").len());
        let written = sizes.sum::<u64>() as f64;
        assert!(
            (estimate / written - 1.0).abs() < 0.1,
            "{change}: {estimate} for {written}\n{line}"
        );
    }
}

#[test]
fn check_warns_of_an_inlet_that_gas_leaves_through_and_of_a_large_cfl() {
    let case = "mesh: {box: {cells: [2, 1, 1], lower: [0, 0, 0], upper: [2, 1, 1], periodic: [y, z]}}\norder: 2\n\
                gas: {}\ninitial: {u: 0, v: 0, w: 0, p: 1.2, temperature: 1}\nboundaries:\n  \
                x-: {type: total-inlet, total-pressure: 1.1, total-temperature: 1}\n  \
                x+: {type: pressure-outlet, p: 1.2}\ntime: {steps: 10, cfl: 1.5}\n";
    let folder = tempfile::tempdir().expect("temporary directory");
    std::fs::write(folder.path().join("case.yaml"), case).expect("case");
    let output = run(folder.path(), &["check", "--long", "case.yaml"]);
    let log = String::from_utf8_lossy(&output.stdout);
    for part in [
        "total-inlet",
        "pressure-outlet",
        "gas leaves through the inlet x-",
        "cfl 1.5 is above 1",
        "inviscid gas",
    ] {
        assert!(log.contains(part), "no '{part}' in\n{log}");
    }
    assert!(!log.contains("in the same unit"), "{log}");
    let steady = ["check", "case.yaml", "--steady", "--set", "steady={turbulence: none}"];
    let output = run(folder.path(), &steady);
    let log = String::from_utf8_lossy(&output.stdout);
    for part in [
        "domain  2 x 1 x 1 from (0, 0, 0) to (2, 1, 1)",
        "sides   x-: total-inlet; x+: pressure-outlet",
        "flow    Mach number 0 at the start, inviscid gas",
        "gas leaves through the inlet x-",
        "after ",
    ] {
        assert!(log.contains(part), "no '{part}' in\n{log}");
    }
}

#[test]
fn check_says_how_large_the_mesh_is_and_doubts_units() {
    let case = "mesh: {box: {cells: [2, 1, 1], lower: [0, 0, 0], upper: [2, 1, 0.5], periodic: [x, y, z]}}\norder: 2\n\
                constants: {scale: 1}\ngas: {gas-constant: 287.05, viscosity: {sutherland: {mu-ref: 1.716e-5, \
                t-ref: 273.15, s: 110.4}}}\n\
                initial: {u: 34, v: 0, w: 0, p: 101325*scale, temperature: 300}\ntime: {steps: 10, cfl: 0.5}\n\
                output: {integrals: {every-steps: 5}}\n";
    let folder = tempfile::tempdir().expect("temporary directory");
    std::fs::write(folder.path().join("case.yaml"), case).expect("case");
    let log = succeeds(&folder, &["check", "--long", "case.yaml"]);
    // rho u/mu = 1.1766 * 34/1.846e-5 = 2.1672e6 per length.
    for part in [
        "extent  2 x 1 x 0.5 from (0, 0, 0) to (2, 1, 0.5)",
        "Reynolds number at most 4.334e6 with the longest extent of the mesh (2), 1.084e6 with the shortest (0.5)",
    ] {
        assert!(log.contains(part), "no '{part}' in\n{log}");
    }
    assert!(!log.contains("WARN"), "{log}");
    for (change, part) in [
        ("initial.temperature=27", "are these degrees Celsius?"),
        ("constants.scale=1e-5", "is the pressure in bar?"),
        ("mesh.box.upper=[2000, 1000, 500]", "is the mesh in millimetres?"),
        ("gas.gas-constant=1", "gas.gas-constant is 1"),
    ] {
        let steady = ["--steady", "--set", "steady={turbulence: none}"];
        for form in [&["--long"][..], &steady] {
            let log = succeeds(&folder, &[&["check", "case.yaml", "--set", change], form].concat());
            let warnings: Vec<&str> = log.lines().filter(|line| line.contains("WARN")).collect();
            assert!(
                warnings.len() == 1 && warnings[0].contains(part),
                "{change} {form:?}: no '{part}' in\n{log}"
            );
        }
    }
}

#[test]
fn check_warns_of_values_in_other_units_and_of_means_that_begin_too_late() {
    let case = "mesh: {box: {cells: [2, 1, 1], lower: [0, 0, 0], upper: [2, 1, 1]}}\norder: 2\n\
                gas: {viscosity: {constant: 0.01}}\n\
                initial: {u: 0.1, v: 0, w: 0, p: 1, temperature: 1}\nboundaries:\n  \
                y-: {type: no-slip-isothermal, temperature: 300}\n  y+: {type: no-slip-isothermal, temperature: 2}\n  \
                z-: {type: velocity-inlet, u: 0.1, v: 0, w: 0, temperature: 0.1}\n  \
                z+: {type: no-slip-adiabatic}\n  \
                x-: {type: total-inlet, total-pressure: 1.01, total-temperature: 288}\n  \
                x+: {type: far-field, u: 0.1, v: 0, w: 0, p: 101325, rho: 101325}\ntime: {end: 1, cfl: 0.9}\n\
                output: {boundaries: {every: 0.1, means-from: 2}}\n";
    let folder = tempfile::tempdir().expect("temporary directory");
    std::fs::write(folder.path().join("case.yaml"), case).expect("case");
    let output = run(folder.path(), &["check", "case.yaml"]);
    let log = String::from_utf8_lossy(&output.stdout);
    let warnings: Vec<&str> = log.lines().filter(|line| line.contains("WARN")).collect();
    for part in [
        "boundaries.x- prescribes the temperature 2.88",
        "boundaries.x+ prescribes the pressure 1.01",
        "boundaries.y- prescribes the temperature 3.0000e2",
        "boundaries.z- prescribes the temperature 1.0000e-1",
        "output.boundaries.means-from: no means are taken, as the run ends at t = 1",
    ] {
        assert!(warnings.iter().any(|line| line.contains(part)), "no '{part}' in\n{log}");
    }
    let of_units = warnings.iter().filter(|line| line.contains("in the same unit")).count();
    assert_eq!(of_units, 4, "{log}");
}
