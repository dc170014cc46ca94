//! The templates of jobs for PBS and LSF, with stand-ins for the commands of these systems.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

/// Runs a template in which fr-les ends with a code. Returns the lines that the stand-ins have written, and the code of
/// the job.
fn job(script: &str, code: i32) -> (String, Option<i32>) {
    let folder = tempfile::tempdir().unwrap();
    let bin = folder.path().join("bin");
    std::fs::create_dir(&bin).unwrap();
    let stand_in = |name: &str, text: &str| {
        let path = bin.join(name);
        std::fs::write(&path, format!("#!/bin/sh\necho {name} \"$@\" >>\"$CALLS\"\n{text}\n")).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    };
    stand_in("mpirun", "shift 2; \"$@\"");
    stand_in("fr-les", &format!("exit {code}"));
    stand_in("qsub", "");
    std::fs::write(folder.path().join("nodes"), "a\na\nb\n").unwrap();
    let calls = folder.path().join("calls");
    let path = format!("{}:{}", bin.display(), std::env::var("PATH").unwrap());
    let status = Command::new(Path::new(env!("CARGO_MANIFEST_DIR")).join("scripts/jobs").join(script))
        .env("PATH", path)
        .env("CALLS", &calls)
        .env("CASE", "run.yaml")
        .env("PBS_O_WORKDIR", folder.path())
        .env("PBS_NODEFILE", folder.path().join("nodes"))
        .env("LSB_DJOB_NUMPROC", "3")
        .env_remove("FR_LES")
        .env_remove("LIMIT")
        .output()
        .unwrap();
    (std::fs::read_to_string(calls).unwrap(), status.status.code())
}

#[test]
fn jobs_of_pbs_and_lsf_go_on_after_code_4_alone() {
    for script in ["pbs.sh", "lsf.sh"] {
        for code in [0, 4, 3] {
            let (calls, ended) = job(script, code);
            assert_eq!(ended, Some(code), "{script}");
            let started = "fr-les run.yaml --set restart=latest --set time.wall-clock=23:50:00";
            assert!(calls.lines().any(|line| line == started), "{script}: {calls}");
            assert!(calls.starts_with("mpirun -n 3 fr-les run.yaml"), "{script}: {calls}");
            let again = calls.contains("qsub -v CASE=run.yaml,LIMIT=23:50:00");
            assert_eq!(again, script == "pbs.sh" && code == 4, "{script}: {calls}");
        }
    }
    // LSF itself queues a job again that ends with this code.
    let lsf = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/scripts/jobs/lsf.sh")).unwrap();
    assert!(lsf.lines().any(|line| line == "#BSUB -Q \"4\""));
}
