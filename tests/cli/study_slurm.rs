//! A study whose designs are array jobs of Slurm, with programs that stand for those of Slurm.

use std::path::Path;
use std::process::{Command, Stdio};

use crate::common::program::{names, output, program, write};
use crate::study::{STUDY, study, table};
use tempfile::TempDir;

/// Writes a program of the shell into the folder `bin`.
fn tool(folder: &TempDir, name: &str, body: &str) {
    use std::os::unix::fs::PermissionsExt;
    let path = folder.path().join("bin").join(name);
    std::fs::create_dir_all(path.parent().expect("bin")).expect("made");
    std::fs::write(&path, format!("#!/bin/bash\n{body}\n")).expect("written");
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).expect("executable");
}

#[test]
fn designs_are_an_array_job_that_the_driver_follows() {
    let text = STUDY.replace(
        "{workers: 2, threads: 1}",
        "{where: slurm, template: head.sh, concurrent: 2}",
    );
    let folder = study(&text);
    write(
        &folder,
        "head.sh",
        b"#!/bin/sh\n#SBATCH --account=cfd\nexport FROM_HEAD=1\n",
    );
    // Stands for Slurm: notes what is submitted, and gives numbers to jobs.
    tool(
        &folder,
        "sbatch",
        "echo \"$@\" >> submitted; echo \"$((100 + $(wc -l < submitted)));cluster\"",
    );
    tool(&folder, "squeue", "cat queue 2>/dev/null");
    tool(&folder, "scontrol", "echo \"$@\" >> controlled");
    let path = format!(
        "{}/bin:{}",
        folder.path().display(),
        std::env::var("PATH").unwrap_or_default()
    );
    let drive = |code| {
        output(
            program(folder.path()).args(["study", "study.yaml"]).env("PATH", &path),
            code,
        )
    };
    let log = drive(0);
    assert!(
        log.contains("4 designs are job 101; a job that follows it continues the study"),
        "{log}"
    );
    let read = |name: &str| std::fs::read_to_string(folder.path().join(name)).expect(name);
    assert_eq!(
        read("submitted"),
        "--parsable results/tasks.sh\n--parsable --dependency=afterany:101 results/driver.sh\n"
    );
    let tasks = read("results/tasks.sh");
    for part in [
        "#SBATCH --array=0-3%2\n",
        "#SBATCH --signal=B:USR1@300\n",
        "#SBATCH --account=cfd\nexport FROM_HEAD=1\n",
    ] {
        assert!(tasks.contains(part), "no '{part}' in\n{tasks}");
    }
    assert!(
        tasks.find("--account").expect("there") < tasks.find("designs=(").expect("there"),
        "options come first"
    );

    // While the job is queued, another driver submits nothing; and nothing has begun when it is over.
    write(&folder, "queue", b"101_[0-3] PENDING\n");
    assert!(drive(1).contains("job 101 of this study is still in the queue"));
    std::fs::remove_file(folder.path().join("queue")).expect("removed");
    assert!(drive(1).contains("job 101 ended without having begun a design"));
    drive(0);

    let script = |file: &str| {
        let mut shell = Command::new("bash");
        shell
            .arg(file)
            .current_dir(folder.path())
            .env("PATH", &path)
            .env_remove("RUST_LOG");
        shell.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        shell
    };
    let task = |number: usize| {
        let mut shell = script("results/tasks.sh");
        shell
            .env("SLURM_ARRAY_TASK_ID", number.to_string())
            .env("SLURM_ARRAY_JOB_ID", "103");
        shell
    };
    for number in 0..3 {
        output(&mut task(number), 0);
    }
    assert_eq!(table_of_results(folder.path()), ["d_0000", "d_0001", "d_0002"]);
    // The node of the last task was lost: the driver submits it again.
    assert!(drive(0).contains("1 designs are job 105"));
    assert!(read("results/tasks.sh").contains("designs=(d_0003)\n"));
    output(&mut task(0), 0);
    let log = output(&mut script("results/driver.sh"), 0);
    assert!(log.contains("best: d_000"), "{log}");
    assert_eq!(table(folder.path()).len(), 4);
    assert!(!folder.path().join("controlled").exists(), "no task was queued again");
}

/// The designs that have a result.
fn table_of_results(folder: &Path) -> Vec<String> {
    let designs = names(&folder.join("results"))
        .into_iter()
        .filter(|name| name.starts_with("d_"));
    designs
        .filter(|id| folder.join("results").join(id).join("result.json").exists())
        .collect()
}
