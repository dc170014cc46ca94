//! Files of the wrong kind, the documentation of keys, and the schemas of files.

use std::path::Path;

use crate::common::program::{CASE, refuses, succeeds, with_case};

const STUDY: &str = "case: run.yaml\nvariables: {n: {range: [1, 2], set: order}}\nobjectives: {a: {from: a.b}}\n";
const CASCADE: &str = "profile: {file: blade.csv}\npitch: 1\nspan: {length: 1, cells: 1}\n";

#[test]
fn a_file_of_another_kind_is_named_with_its_command() {
    let directory = with_case(CASE);
    for (name, text) in [
        ("study.yaml", STUDY),
        ("cascade.yaml", CASCADE),
        ("mesh.h5", "\u{89}HDF\r\n"),
        ("mesh.msh", "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n"),
        ("mesh.su2", "NDIME= 2\nNELEM= 0\n"),
        ("table.csv", "# version: fr-les\ntime,a_lift\ns,-\n0,1\n"),
        ("mesh.cgns", "\u{c0}\u{a8}\u{a3}\u{a9}ADF Database Version A02011>"),
    ] {
        let bytes: Vec<u8> = text.chars().map(|c| c as u32 as u8).collect();
        std::fs::write(directory.path().join(name), bytes).expect("written");
    }
    succeeds(&directory, &["mesh", "generate", "box", "box.h5", "--cells", "2,2,2"]);
    for (words, part) in [
        (
            &["run", "study.yaml"][..],
            "this is a study: `fr-les study FILE` reads it",
        ),
        (
            &["check", "cascade.yaml"],
            "`fr-les mesh cascade FILE MESH.h5` makes a mesh",
        ),
        (&["study", "run.yaml"], "this is a case: `fr-les run FILE` runs it"),
        (&["study", "cascade.yaml"], "these are the settings of a cascade"),
        (&["mesh", "cascade", "run.yaml", "out.h5"], "this is a case"),
        (&["mesh", "cascade", "study.yaml", "out.h5"], "this is a study"),
        (&["run", "mesh.h5"], "this is an HDF5 file"),
        (
            &["mesh", "info", "run.yaml"],
            "this is a file of settings, and no mesh: `fr-les check FILE`",
        ),
        (&["check", "mesh.msh"], "this is a mesh of Gmsh, and no case file"),
        (&["study", "mesh.su2"], "this is a mesh of SU2, and no settings file"),
        (&["run", "mesh.cgns"], "this is a mesh in the older container of CGNS"),
        (
            &[
                "check",
                "--threads",
                "1",
                "run.yaml",
                "--set",
                "initial={file: table.csv}",
            ],
            "this is a table or another text, and no state of a flow",
        ),
        (
            &["--threads", "2", "check", "run.yaml"],
            "the options of a command stand behind it, as in `fr-les check FILE [OPTIONS]`",
        ),
        (
            &["run.yaml", "--set", "restart=box.h5"],
            "it is a mesh: `mesh.file` takes it",
        ),
        (
            &["check", "run.yaml", "--set", "initial={file: box.h5}"],
            "this is no solution: it is a mesh",
        ),
    ] {
        refuses(&directory, words, &[part]);
    }
    // A mistake in a case stays one.
    refuses(
        &directory,
        &["check", "run.yaml", "--set", "time.clf=1"],
        &["did you mean `cfl`?"],
    );
}

#[test]
fn keys_are_explained_and_misspelt_ones_have_near_names() {
    let directory = with_case(CASE);
    let shown = succeeds(&directory, &["explain", "time.cfl"]);
    assert!(shown.starts_with("time.cfl (number"), "{shown}");
    let shown = succeeds(&directory, &["explain", "scheme.riemann"]);
    assert!(shown.contains("hllc"), "{shown}");
    let shown = succeeds(&directory, &["explain", "boundaries.wall.total-pressure"]);
    assert!(shown.contains("of type: ") && shown.contains("total-inlet"), "{shown}");
    let shown = succeeds(&directory, &["explain", "layers"]);
    assert!(shown.contains("of a cascade"), "{shown}");
    refuses(&directory, &["explain", "time.clf"], &["did you mean `time.cfl`?"]);
}

#[test]
fn shipped_files_name_the_schema_of_their_kind() {
    let directory = with_case(CASE);
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut seen = 0;
    for folder in ["examples", "validation/t106-study"] {
        for entry in std::fs::read_dir(root.join(folder)).expect("a folder") {
            let path = entry.expect("an entry").path();
            let Ok(text) = std::fs::read_to_string(&path) else {
                continue;
            };
            let head = text
                .lines()
                .find_map(|line| line.strip_prefix("# yaml-language-server: $schema="));
            let Some(address) = head else {
                let is_example = folder == "examples" && path.extension().is_some_and(|ending| ending == "yaml");
                assert!(!is_example, "{} names no schema", path.display());
                continue;
            };
            let kind = address
                .rsplit('/')
                .next()
                .and_then(|name| name.strip_suffix(".json"))
                .expect("a kind");
            let schema: serde_json::Value =
                serde_json::from_str(&succeeds(&directory, &["schema", kind])).expect("a schema");
            assert_eq!(schema["$id"], address, "{}", path.display());
            seen += 1;
        }
    }
    assert!(seen >= 5, "{seen}");
}
