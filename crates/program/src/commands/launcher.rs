//! The launcher that started this process, if there is one: the information in its environment variables before MPI
//! starts, and the variables that make this start fast.

use std::ffi::OsString;

use super::version;

/// Variables that a launcher sets for its processes: those of Open MPI's `mpirun`, of Hydra and other PMI launchers, of
/// PMIx and of Slurm's `srun`. SLURM_PROCID is not among them: a program that the script of a batch job starts has it,
/// too.
const VARIABLES: [&str; 8] = [
    "OMPI_COMM_WORLD_SIZE",
    "OMPI_COMM_WORLD_RANK",
    "PMI_RANK",
    "PMI_SIZE",
    "PMI_FD",
    "PMIX_RANK",
    "PMIX_NAMESPACE",
    "SLURM_STEP_ID",
];
/// The variable that lets Open MPI start without a daemon.
const ISOLATED: (&str, &str) = ("OMPI_MCA_ess_singleton_isolated", "1");
/// The variables without which processes that have no daemon would disturb each other.
const UNDISTURBED: [(&str, &str); 2] = [
    ("OMPI_MCA_orte_create_session_dirs", "0"),
    ("OMPI_MCA_sharedfp", "^sm,lockedfile"),
];
/// The variable that is set with a launcher, too.
const NO_DISPLAYS: (&str, &str) = ("HWLOC_COMPONENTS", "-gl");

/// Returns the rank of this process and the number of ranks, if the launcher provides them before MPI is started.
pub fn rank_and_size() -> Option<(usize, usize)> {
    let number = |name| std::env::var(name).ok()?.parse().ok();
    let pair = |rank, size| Some((number(rank)?, number(size)?));
    // A step of one task may be a shell (`srun --pty bash`).
    let slurm = || pair("SLURM_PROCID", "SLURM_STEP_NUM_TASKS").filter(|(_, size)| *size > 1);
    pair("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE")
        .or_else(|| pair("PMI_RANK", "PMI_SIZE"))
        .or_else(slurm)
}

/// A part of the message of [`foreign`].
pub const ALONE: &str = "processes were started, but each is alone";

/// Returns the error of a launcher that does not know the MPI library of this program: it starts several processes, and
/// `ranks`, their number in MPI, is 1 in each.
pub fn foreign(ranks: i32) -> Option<String> {
    let (_, started) = rank_and_size().filter(|(_, started)| ranks == 1 && *started > 1)?;
    let library = version::mpi_library();
    let right = if library.starts_with("Open MPI") {
        "the mpirun of Open MPI (mpirun.openmpi on Debian), or srun --mpi=pmix"
    } else {
        "the mpirun of that library (mpirun.mpich on Debian), or srun --mpi=pmi2"
    };
    Some(format!(
        "{started} {ALONE}: the launcher does not know the MPI library of this program, \
         {library}; start it with {right}"
    ))
}

/// Returns the variables, with their values, that let MPI start without waiting. Those that the user has set are left
/// out.
///
/// - A process without a launcher makes Open MPI 4 start a daemon (`orted`), which would only be needed to spawn
///   further processes. If the name of the host cannot be resolved, that takes 5 to 10 s. Open MPI 5 starts a daemon
///   only when processes are spawned, and other libraries ignore the variable.
/// - Processes without a daemon share a directory for temporary files, which they do not need. Each process that ends
///   removes it, and a process that starts at that moment would fail, so it is not created.
/// - Open MPI keeps a shared file pointer for every file that it opens, which is not used here. Processes without a
///   daemon share the directory in which its component `sm` keeps them, and the first to end removes it. The component
///   `lockedfile` keeps them beside the file under a new name in every process, and leaves them there when the process
///   is killed. The component `individual` remains; its files are removed when the file is written again.
/// - hwloc, with which MPI inspects the machine, asks ten X displays for graphics cards. If `localhost` cannot be
///   resolved, as in a container without /etc/hosts, each display takes as long as the resolver waits.
pub fn quick_start(variable: impl Fn(&str) -> Option<OsString>) -> Vec<(&'static str, &'static str)> {
    let launched = VARIABLES.iter().any(|name| variable(name).is_some());
    // A user may have asked for the same by this variable alone; with another value there is a daemon.
    let isolated = !launched && variable(ISOLATED.0).is_none_or(|value| value == ISOLATED.1);
    let alone = [ISOLATED].into_iter().chain(UNDISTURBED).filter(|_| isolated);
    let all = alone.chain([NO_DISPLAYS]);
    all.filter(|(name, _)| variable(name).is_none()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the names of the variables that [`quick_start`] sets if only `name` is set, to `value`.
    fn with(name: &str, value: &str) -> Vec<&'static str> {
        let set = quick_start(|asked| (asked == name).then(|| value.into()));
        set.into_iter().map(|(name, _)| name).collect()
    }

    /// Returns the names of all variables except one.
    fn all_but(name: &str) -> Vec<&'static str> {
        let all = [ISOLATED].into_iter().chain(UNDISTURBED).chain([NO_DISPLAYS]);
        all.map(|(name, _)| name).filter(|other| *other != name).collect()
    }

    #[test]
    fn only_a_process_without_a_launcher_is_isolated() {
        assert_eq!(with("HOME", "/"), all_but("HOME"));
        for name in VARIABLES {
            assert_eq!(with(name, "0"), [NO_DISPLAYS.0], "{name}");
        }
        assert_eq!(
            with("SLURM_PROCID", "0"),
            all_but("HOME"),
            "in the script of a batch job"
        );
    }

    #[test]
    fn the_choices_of_the_user_stay() {
        assert_eq!(with(ISOLATED.0, "0"), [NO_DISPLAYS.0]);
        for (name, _) in UNDISTURBED.into_iter().chain([NO_DISPLAYS]) {
            assert_eq!(with(name, "1"), all_but(name), "{name}");
        }
    }

    #[test]
    fn a_process_that_its_user_isolates_does_not_disturb_others() {
        assert_eq!(with(ISOLATED.0, "1"), all_but(ISOLATED.0));
    }
}
