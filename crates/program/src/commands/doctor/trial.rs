//! Trials of a small case: a few steps of a Taylor-Green vortex with a solution file, by this program itself.

use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use super::finding::Finding;
use super::machine::install;
use crate::commands::launcher::ALONE;
use crate::commands::version;
use crate::io::{self, TemporaryFolder, find_program};

/// The case; viscous, so that all kernels of a step run.
const CASE: &str = "mesh: {box: {cells: [4, 4, 4], lower: [-pi, -pi, -pi], upper: [pi, pi, pi], periodic: [x, y, z]}}
order: 3
arithmetic: strict
gas: {viscosity: {constant: 1/100}}
initial: {u: sin(x)*cos(y)*cos(z), v: -cos(x)*sin(y)*cos(z), w: 0, p: 100, temperature: 100}
time: {steps: 4, cfl: 0.5}
output: {directory: results, solution: {every-steps: 4}}
";
const NAME: &str = "trial.yaml";

/// Longest duration of a trial. A launcher that waits for what never comes is ended then.
const PATIENCE: Duration = Duration::from_secs(120);

/// The case in a folder.
pub struct Trial<'a> {
    folder: &'a TemporaryFolder,
    ready: Result<(), String>,
}

/// The outcome of a run of the case: its hash and duration in seconds, or what went wrong.
pub struct Ran(Result<(String, f64), String>);

impl Ran {
    /// The hash of the last state, if the run succeeded.
    pub fn hash(&self) -> Option<&str> {
        self.0.as_ref().ok().map(|(hash, _)| hash.as_str())
    }

    /// What is reported of a run in this process's own way.
    pub fn finding(&self, what: &'static str) -> Finding {
        match &self.0 {
            Ok((hash, seconds)) => Finding::works(
                what,
                format!("a small case ran in {seconds:.1} s; hash of its state {hash}"),
            ),
            Err(reason) => Finding::lacks(what, "a small case failed:", reason.clone()),
        }
    }
}

impl<'a> Trial<'a> {
    /// Writes the case into a folder.
    pub fn in_folder(folder: &'a TemporaryFolder) -> Self {
        let write = || -> Result<(), String> {
            let mut file = folder.create_file(NAME).map_err(|error| error.to_string())?;
            file.write_all(CASE.as_bytes()).map_err(|error| error.to_string())
        };
        let ready = write();
        Self { folder, ready }
    }

    /// Runs the case on the CPU.
    pub fn on_cpu(&self) -> Ran {
        Ran(self
            .run(this_program(), &["device=cpu"])
            .map_err(|error| error.join("\n")))
    }

    /// Runs the case on a GPU, whose hash has to be that of the CPU.
    pub fn on_gpu(&self, expected: Option<&str>) -> Finding {
        let ran = Ran(self
            .run(this_program(), &["device=cuda"])
            .map_err(|error| error.join("\n")));
        match (ran.hash(), expected) {
            (Some(hash), Some(expected)) if hash != expected => Finding::lacks(
                "GPU run",
                format!("the same case gave another hash, {hash}"),
                "this is an error of fr-les, of the driver or of the GPU: report it with the output of this command",
            ),
            _ => ran.finding("GPU run"),
        }
    }

    /// Runs the case on two ranks, whose hash has to be that of one.
    pub fn on_ranks(&self, expected: Option<&str>) -> Finding {
        let library = version::mpi_library();
        let package = || {
            if library.starts_with("Open MPI") {
                install("openmpi-bin", "openmpi")
            } else {
                install("mpich", "mpich")
            }
        };
        let Some(launcher) = launcher(&library) else {
            let found = match find_program(&["srun"]) {
                Some(path) => format!("no mpirun; {} starts ranks inside a job of Slurm", path.display()),
                None => "no mpirun: a run uses one rank, which may have many threads, or one GPU".to_owned(),
            };
            return Finding::lacks("mpirun", found, format!("{}, or load the module of MPI", package()));
        };
        let mut command = Command::new(&launcher);
        command.args(["-n", "2"]).arg(own_path());
        // It may have one core, and root is to see whether ranks work before it hears of these variables.
        for (name, value) in ALLOWANCES {
            command.env(name, value);
        }
        let name = launcher.display();
        match self.run(command, &["device=cpu", "threads=1"]) {
            Ok((hash, _)) if Some(hash.as_str()) == expected => {
                let note = if rustix::process::geteuid().is_root() && library.starts_with("Open MPI") {
                    format!("\nroot has to set {}=1 and {}=1", ALLOWANCES[0].0, ALLOWANCES[1].0)
                } else {
                    String::new()
                };
                Finding::works("mpirun", format!("{name}: 2 ranks gave the same bits{note}"))
            }
            Ok((hash, _)) => Finding::lacks(
                "mpirun",
                format!("{name}: 2 ranks gave another hash, {hash}"),
                "this is an error of fr-les: report it with the output of this command",
            ),
            Err(lines) if lines.iter().any(|line| line == SEVERAL || line.contains(ALONE)) => Finding::lacks(
                "mpirun",
                format!("{name} belongs to another MPI library than {library}: each process ran alone"),
                format!("put the mpirun of {library} first in PATH: {}", package()),
            ),
            Err(lines) => Finding::lacks("mpirun", format!("{name}: two ranks failed:"), lines.join("\n")),
        }
    }

    /// Runs the case and returns the hash of its state and the duration; the error is the end of what was printed.
    fn run(&self, mut command: Command, set: &[&str]) -> Result<(String, f64), Vec<String>> {
        self.ready.as_ref().map_err(|error| vec![error.clone()])?;
        command
            .args(["run", NAME, "--quiet", "--hash"])
            .args(set.iter().flat_map(|set| ["--set", *set]))
            .env_remove("RUST_LOG")
            .current_dir(self.folder.path())
            .stdin(Stdio::null());
        let begin = Instant::now();
        let output = ended_in_time(command, self.folder).map_err(|reason| vec![reason])?;
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let printed = text(&output.stdout);
        let is_hash = |line: &&str| line.len() == 16 && line.bytes().all(|b| b.is_ascii_hexdigit());
        let hashes: Vec<&str> = printed.lines().filter(is_hash).collect();
        match (output.status.success(), hashes.as_slice()) {
            (true, [hash]) => Ok((hash.to_string(), begin.elapsed().as_secs_f64())),
            (true, [_, ..]) => Err(vec![SEVERAL.to_owned()]),
            _ => {
                const LINES: usize = 8;
                let all = printed + &text(&output.stderr);
                let lines: Vec<&str> = all.lines().filter(|line| !line.trim().is_empty()).collect();
                let end = &lines[lines.len().saturating_sub(LINES)..];
                let status = format!("it ended with {}", output.status);
                Err(end.iter().map(|line| line.to_string()).chain([status]).collect())
            }
        }
    }
}

/// The error of processes that each ran the whole case.
const SEVERAL: &str = "several processes ran the case, each for itself";

/// Variables by which Open MPI lets root start ranks, and more ranks than there are cores.
const ALLOWANCES: [(&str, &str); 4] = [
    ("OMPI_ALLOW_RUN_AS_ROOT", "1"),
    ("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1"),
    ("OMPI_MCA_rmaps_base_oversubscribe", "1"),
    ("PRTE_MCA_rmaps_default_mapping_policy", ":oversubscribe"),
];

/// The launcher of an MPI library. Debian keeps those of several libraries side by side, under names of their own.
fn launcher(library: &str) -> Option<PathBuf> {
    let own: &[&str] = if library.starts_with("Open MPI") {
        &["mpirun.openmpi", "mpirun", "mpiexec"]
    } else {
        &["mpirun.mpich", "mpirun", "mpiexec"]
    };
    find_program(own)
}

fn own_path() -> PathBuf {
    std::env::current_exe().unwrap_or_else(|_| "fr-les".into())
}

fn this_program() -> Command {
    Command::new(own_path())
}

/// The output of a program that ends within [`PATIENCE`]. It goes through files, which unlike pipes are never full.
fn ended_in_time(mut command: Command, folder: &TemporaryFolder) -> Result<Output, String> {
    const NAMES: [&str; 2] = ["stdout", "stderr"];
    let [out, err] = NAMES.map(|name| folder.create_file(name));
    let wrong = |error: std::io::Error| error.to_string();
    let not_made = |error: io::Error| error.to_string();
    let begin = Instant::now();
    let spawned = command
        .stdout(out.map_err(not_made)?)
        .stderr(err.map_err(not_made)?)
        .spawn();
    let mut child = spawned.map_err(|error| format!("it cannot be started: {error}"))?;
    let status = loop {
        if let Some(status) = child.try_wait().map_err(wrong)? {
            break status;
        }
        if begin.elapsed() > PATIENCE {
            let _ = child.kill();
            let _ = child.wait();
            return Err(format!("it did not end within {} s", PATIENCE.as_secs()));
        }
        std::thread::sleep(Duration::from_millis(20));
    };
    let [stdout, stderr] = NAMES.map(|name| std::fs::read(folder.path().join(name)).unwrap_or_default());
    Ok(Output { status, stdout, stderr })
}
