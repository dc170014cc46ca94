//! The promises of SECURITY.md: what a directory from elsewhere may hold, and what does not come of it. Promises about
//! reading are tested with the readers, and that of the cache of kernels with the cache.

use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::common::program::{
    CASE, case_command, folder, hash, names, outcome, output, program, refuses, run_case, succeeds, with_case, write,
};
use crate::study::{STUDY, study};
use fr_les::mesh::Mesh;
use tempfile::TempDir;

/// Adds outputs of all ways of writing: by one rank, by all of them, by HDF5 alone, and lists of files.
fn case() -> String {
    CASE.replace(
        "output: {",
        "output: {statistics: {average: [x, z], every-steps: 1}, slices: {middle: {point: [0, 0, 0.1], \
         normal: [0, 0, 1], \
         every-steps: 10}}, checkpoint: {every-steps: 10}, ",
    )
}

/// Puts links to files outside of a directory in the place of these files, of their temporary names, and of the lock.
/// Returns the directory of the files outside, which hold their names.
fn links_in(directory: &Path, files: &[String]) -> PathBuf {
    let outside = directory.with_file_name("outside");
    for folder in [directory, &outside] {
        std::fs::create_dir_all(folder).expect("made");
    }
    let temporary = files.iter().map(|name| format!(".{name}.part"));
    let all = files
        .iter()
        .cloned()
        .chain(temporary)
        .chain([".fr-les.lock".to_owned()]);
    for name in all {
        std::fs::write(outside.join(&name), &name).expect("written");
        symlink(outside.join(&name), directory.join(&name)).expect("linked");
    }
    outside
}

/// Verifies that the files outside are as they were.
fn unchanged(outside: &Path) {
    for name in names(outside) {
        let text = std::fs::read_to_string(outside.join(&name)).expect("read");
        assert_eq!(text, name, "{name} was written through a link");
    }
}

#[test]
fn a_run_writes_through_no_link() {
    let clean = with_case(&case());
    let expected = hash(&run_case(clean.path(), 1, &[], 0));
    let files = names(&clean.path().join("results"));
    for name in [
        "integrals.csv",
        "run.json",
        "statistics.h5",
        "solution_0000.vtkhdf",
        "checkpoint_00000020.h5",
    ] {
        assert!(files.iter().any(|file| file == name), "{name} of {files:?}");
    }
    for ranks in [1, 2] {
        let directory = with_case(&case());
        let results = directory.path().join("results");
        let outside = links_in(&results, &files);
        assert_eq!(hash(&run_case(directory.path(), ranks, &[], 0)), expected);
        unchanged(&outside);
        // Every file is there, and none of them is a link.
        for name in &files {
            let there = std::fs::symlink_metadata(results.join(name)).expect(name);
            assert!(there.is_file(), "{name}");
        }
        // A report and a continued run find links, too.
        for name in [
            "report.html",
            ".report.html.part",
            ".integrals.csv.part",
            ".run.json.part",
        ] {
            let _ = std::fs::remove_file(results.join(name));
            std::fs::write(outside.join(name), name).expect("written");
            symlink(outside.join(name), results.join(name)).expect("linked");
        }
        succeeds(&directory, &["report", "results"]);
        run_case(directory.path(), ranks, &["time.steps=24", "restart=latest"], 0);
        unchanged(&outside);
    }
}

#[test]
fn a_series_that_is_a_link_is_not_continued() {
    let directory = with_case(CASE);
    run_case(directory.path(), 1, &["output.checkpoint.every-steps=10"], 0);
    let series = directory.path().join("results/integrals.csv");
    std::fs::rename(&series, directory.path().join("elsewhere.csv")).expect("moved");
    symlink("../elsewhere.csv", &series).expect("linked");
    let before = std::fs::read(directory.path().join("elsewhere.csv")).expect("read");
    let mut again = case_command(directory.path(), 1, &["time.steps=24", "restart=latest"]);
    let text = output(&mut again, 2);
    assert!(
        text.contains("integrals.csv: this series cannot be continued: it is a symbolic link, which is not followed"),
        "{text}"
    );
    let after = std::fs::read(directory.path().join("elsewhere.csv")).expect("read");
    assert_eq!(after, before);
}

/// A reader would wait for a writer of the pipe, and read the device without an end.
#[test]
fn a_pipe_or_a_device_in_the_place_of_a_file_is_not_read() {
    let what = "it is not a regular file";
    let directory = study(STUDY);
    run_case(directory.path(), 1, &[], 0);
    let put = |name: &str, device: bool| {
        let path = directory.path().join(name);
        let _ = std::fs::remove_file(&path);
        if device {
            symlink("/dev/zero", path).expect("linked")
        } else {
            assert!(Command::new("mkfifo").arg(path).status().expect("mkfifo").success())
        }
    };
    for device in [false, true] {
        for name in ["results/run.json", "results/other.csv", "there"] {
            put(name, device);
        }
        refuses(&directory, &["watch", "results", "--once"], &["results/run.json", what]);
        refuses(&directory, &["plot", "results/other.csv"], &["results/other.csv", what]);
        succeeds(&directory, &["report", "results"]);
        let report = std::fs::read_to_string(directory.path().join("results/report.html")).expect("a report");
        for name in ["run.json", "other.csv"] {
            let said = format!("cannot read results/{name}: {what}");
            assert!(report.contains(&said), "no '{said}' in\n{report}");
        }
        for (from, to) in [
            ("doe: {kind: full-factorial}", "doe: {kind: file, file: there}"),
            ("run: {workers: 2, threads: 1}", "run: {where: slurm, template: there}"),
            ("case: run.yaml", "case: there"),
            ("output: results", "output: results\ngeometry: {script: there}"),
            ("output: results", "output: results\ngeometry: {cascade: there}"),
        ] {
            write(&directory, "other.yaml", STUDY.replace(from, to).as_bytes());
            refuses(&directory, &["study", "other.yaml", "--check"], &["there", what]);
        }
        for command in [
            &["study", "study.yaml", "--add", "there"][..],
            &["study", "there", "--check"],
            &["check", "there"],
            &["mesh", "cascade", "there", "mesh.h5"],
        ] {
            refuses(&directory, command, &["there", what]);
        }
    }
}

#[test]
fn folders_of_the_program_are_no_links() {
    let steady = "mesh: {box: {cells: [4, 3, 2], lower: [0, 0, 0], upper: [4, 3, 2], periodic: [y, z]}}\norder: 2\n\
                  initial: {u: 0.3, v: 0, w: 0, p: 1, rho: 1}\n\
                  boundaries: {x-: {type: far-field, u: 0.3, v: 0, w: 0, p: 1, rho: 1}, \
                  x+: {type: pressure-outlet, p: 1}}\n\
                  time: {steps: 1}\nsteady: {turbulence: none, iterations: 2}\n";
    let directory = with_case(steady);
    for name in ["results", "elsewhere"] {
        std::fs::create_dir(directory.path().join(name)).expect("made");
    }
    symlink("../elsewhere", directory.path().join("results/steady")).expect("linked");
    let (code, _, error) = outcome(&directory, &["run", "run.yaml", "--steady"]);
    assert!(
        code == Some(2) && error.contains("results/steady: this is a symbolic link"),
        "{error}"
    );
    assert!(names(&directory.path().join("elsewhere")).is_empty());

    let folder = study(STUDY);
    succeeds(&folder, &["study", "study.yaml"]);
    let design = folder.path().join("results/d_0000");
    std::fs::rename(&design, folder.path().join("moved")).expect("moved");
    symlink("../moved", &design).expect("linked");
    let (_, _, error) = outcome(&folder, &["study", "study.yaml"]);
    assert!(error.contains("results/d_0000: this is a symbolic link"), "{error}");
}

/// Writes a program of the shell that leaves the file `executed` in this folder.
fn trap(folder: &TempDir, name: &str) {
    let path = folder.path().join(name);
    std::fs::create_dir_all(path.parent().expect("a folder")).expect("made");
    let mark = folder.path().join("executed");
    std::fs::write(&path, format!("#!/bin/sh\ntouch '{}'\nexit 1\n", mark.display())).expect("written");
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).expect("executable");
}

#[test]
fn no_program_and_no_library_comes_from_the_working_directory() {
    let folder = folder();
    for name in [
        ".venv/bin/gmsh",
        "gmsh",
        "bin/gmsh",
        "mpirun",
        "sbatch",
        "squeue",
        "python",
    ] {
        trap(&folder, name);
    }
    for library in ["cuda_nvrtc/lib/libnvrtc.so.99", "nccl/lib/libnccl.so.99"] {
        let packages = folder.path().join(".venv/lib/python3.11/site-packages/nvidia");
        let path = packages.join(library);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("made");
        std::fs::write(path, "not a library").expect("written");
    }
    let profile = Path::new(env!("CARGO_MANIFEST_DIR")).join("meshes/profiles/t106.csv");
    std::fs::copy(profile, folder.path().join("t106.csv")).expect("the profile");
    let blade = "profile: {file: t106.csv}\npitch: 0.95\nspan: {length: 0.1, cells: 1}\n\
                 inlet: {x: -0.8, angle: 32.7, size: 0.15}\noutlet: {x: 1.6, angle: -63.2, size: 0.15}\n\
                 layers: {first: 2e-3, growth: 1.4, number: 5}\nblade: {size: 0.04}\n\
                 passage: {size: 0.1, wake: 0.07}\n";
    write(&folder, "blade.yaml", blade.as_bytes());
    // Empty and relative entries of PATH are the working directory, or lie in it.
    let path = format!(":.:bin:{}:", std::env::var("PATH").unwrap_or_default());
    let ended = |arguments: &[&str]| {
        let mut command = program(folder.path());
        command.args(arguments).env("PATH", &path);
        for name in ["VIRTUAL_ENV", "CONDA_PREFIX", "FR_LES_NVRTC", "FR_LES_NCCL"] {
            command.env_remove(name);
        }
        let output = command.output().expect("starts");
        String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned()
    };
    // With another Gmsh the mesh is made, and without one it is not.
    ended(&["mesh", "cascade", "blade.yaml", "blade.h5"]);
    let kernels = ended(&[
        "kernels",
        "--arch",
        "sm_90",
        "--order",
        "1",
        "--elements",
        "hex",
        "--precision",
        "single",
        "--arithmetic",
        "fast",
    ]);
    let doctor = ended(&["doctor"]);
    for text in [kernels, doctor] {
        assert!(
            !text.contains("libnvrtc.so.99") && !text.contains("libnccl.so.99"),
            "{text}"
        );
        assert!(
            !text.contains(&*folder.path().join(".venv").to_string_lossy()),
            "{text}"
        );
    }
    let slurm = study(&STUDY.replace("{workers: 2, threads: 1}", "{where: slurm}"));
    for name in ["sbatch", "squeue"] {
        trap(&slurm, name);
    }
    let mut command = program(slurm.path());
    let refused = command
        .args(["study", "study.yaml"])
        .env("PATH", ":.")
        .output()
        .expect("starts");
    let error = String::from_utf8_lossy(&refused.stderr);
    assert!(error.contains("sbatch"), "{error}");
    for folder in [&folder, &slurm] {
        assert!(
            !folder.path().join("executed").exists(),
            "a program of the working directory was run"
        );
    }
}

#[test]
fn no_value_of_a_study_is_a_line_or_an_option_of_a_script() {
    let with_output = |output: &str| {
        let text = STUDY.replace("{workers: 2, threads: 1}", "{where: slurm}");
        study(&text.replace("output: results", &format!("output: {output}")))
    };
    for (output, part) in [
        ("\"o\\ntouch PWNED\\n#\"", "the path has the control character U+000A"),
        ("\"o\\e[0m\"", "the path has the control character U+001B"),
        ("'o%j'", "`output` has the character `%`"),
        ("'o\\o'", "`output` has the character `\\`"),
    ] {
        let folder = with_output(output);
        refuses(&folder, &["study", "study.yaml"], &[part, "(output)"]);
    }
    // Spaces and quotation marks are a part of the name, for Slurm and for the shell.
    let folder = with_output("'a b \"c\" #'");
    for (name, body) in [("sbatch", "echo 7"), ("squeue", "true")] {
        trap(&folder, &format!("tools/{name}"));
        std::fs::write(folder.path().join("tools").join(name), format!("#!/bin/sh\n{body}\n")).expect("written");
    }
    let tools = folder.path().join("tools");
    let path = format!("{}:{}", tools.display(), std::env::var("PATH").unwrap_or_default());
    let mut command = program(folder.path());
    output(command.args(["study", "study.yaml"]).env("PATH", path), 0);
    let results = folder.path().join("a b \"c\" #");
    let script = std::fs::read_to_string(results.join("tasks.sh")).expect("the script");
    assert!(
        script.contains("#SBATCH --output=\"a b \\\"c\\\" #/slurm-design-%j.log\"\n"),
        "{script}"
    );
    // The name of a design in its record becomes a word of the script.
    let design = results.join("d_0001/design.json");
    let record = std::fs::read_to_string(&design).expect("the record");
    std::fs::write(&design, record.replace("\"d_0001\"", "\"$(touch PWNED)\"")).expect("written");
    let (code, _, error) = outcome(&folder, &["study", "study.yaml"]);
    assert!(code != Some(0) && error.contains("not of d_0001"), "{error}");
    // So does the number of the job.
    std::fs::write(&design, record).expect("written");
    let note = "{\"job\": \"--version\", \"designs\": []}";
    std::fs::write(results.join("submitted.json"), note).expect("written");
    let (code, _, error) = outcome(&folder, &["study", "study.yaml"]);
    assert!(
        code == Some(1) && error.contains("submitted.json is no note of jobs"),
        "{error}"
    );
}

/// Whether a text has characters that steer a terminal or turn its direction.
fn steers(text: &str) -> bool {
    text.chars()
        .any(|c| (c.is_control() && c != '\n' && c != '\t') || ('\u{202a}'..='\u{202e}').contains(&c))
}

#[test]
fn texts_of_files_steer_no_terminal_and_no_page() {
    const HOSTILE: &str = "\u{1b}]0;owned\u{7}\u{9b}31m\u{202e}txt";
    // A title in a case, a record and a page.
    let directory = with_case(&CASE.replace("small Taylor-Green", "\"\\e]0;owned\\a\\x9b31m\\u202etxt\""));
    let log = succeeds(&directory, &["run", "run.yaml"]);
    let view = succeeds(&directory, &["watch", "results", "--once"]);
    succeeds(&directory, &["report", "results"]);
    let page = std::fs::read_to_string(directory.path().join("results/report.html")).expect("the page");
    for text in [&log, &view, &page] {
        assert!(!steers(text), "{text}");
    }
    assert!(
        view.starts_with("<U+001B>]0;owned<U+0007><U+009B>31m<U+202E>txt: 64 cells"),
        "{view}"
    );
    assert!(page.contains("<h1>&lt;U+001B&gt;]0;owned"));

    // Names of boundaries in a mesh, in a report on it and in errors.
    let su2 = format!(
        "NDIME= 3\nNELEM= 1\n10 0 1 2 3 0\nNPOIN= 4\n0 0 0 0\n1 0 0 1\n0 1 0 2\n0 0 1 3\nNMARK= 1\n\
         MARKER_TAG= {HOSTILE}\nMARKER_ELEMS= 4\n5 0 1 2\n5 0 1 3\n5 0 2 3\n5 1 2 3\n"
    );
    let folder = folder();
    write(&folder, "mesh.su2", su2.as_bytes());
    let report = succeeds(&folder, &["mesh", "info", "mesh.su2"]);
    assert!(report.contains("<U+202E>txt") && !steers(&report), "{report}");
    let (code, _, error) = outcome(&folder, &["mesh", "info", "mesh.su2", "--periodic", "a:b:1,0,0"]);
    assert!(
        code == Some(2) && error.contains("<U+001B>]0;owned") && !steers(&error),
        "{error}"
    );
}

#[test]
fn a_full_disk_is_no_bad_input() {
    let directory = with_case(CASE);
    run_case(directory.path(), 1, &[], 0);
    let limited = |arguments: &str| {
        let mut shell = Command::new("bash");
        let line = format!("ulimit -f 2; exec {} {arguments}", env!("CARGO_BIN_EXE_fr-les"));
        let output = shell
            .args(["-c", &line])
            .current_dir(directory.path())
            .output()
            .expect("starts");
        (
            output.status.code(),
            String::from_utf8_lossy(&output.stderr).into_owned(),
        )
    };
    for arguments in [
        "report results",
        "plot results --output energy.svg",
        "man pages",
        "mesh generate box box.h5 --cells 8,8,8",
    ] {
        let (code, error) = limited(arguments);
        assert_eq!(code, Some(1), "{arguments}: {error}");
        assert_eq!(error.lines().count(), 1, "{arguments}: {error}");
    }
    assert_eq!(limited("report nothing").0, Some(2));
    assert!(!directory.path().join("results/report.html").exists());
}

#[test]
fn a_mesh_is_written_through_no_link() {
    let folder = folder();
    write(&folder, "victim", b"as before");
    symlink("victim", folder.path().join(".box.h5.part")).expect("linked");
    succeeds(&folder, &["mesh", "generate", "box", "box.h5", "--cells", "2,2,2"]);
    assert_eq!(std::fs::read(folder.path().join("victim")).expect("read"), b"as before");
    let mesh: Mesh = fr_les::mesh::read_mesh(&folder.path().join("box.h5"), &[]).expect("a mesh");
    assert_eq!(mesh.len(), 8);
}
