//! Runs on several machines, as a machine can pretend them: ranks in network namespaces of their own, each with a host
//! name of its own, which reach each other by TCP only.

use std::os::unix::fs::PermissionsExt;
use std::process::Command;

use tempfile::TempDir;

use crate::common::program::{MPI, hash, output, run_case, with_case};

/// The Taylor-Green vortex.
const VORTEX: &str = "\
mesh: {box: {cells: [6, 6, 6], lower: [-pi, -pi, -pi], upper: [pi, pi, pi], periodic: [x, y, z]}}
order: 3
constants: {p0: 1/(1.4*0.1^2)}
gas: {viscosity: {constant: 1/1600}}
initial: {u: sin(x)*cos(y)*cos(z), v: -cos(x)*sin(y)*cos(z), w: 0, p: p0 + (cos(2*x) + cos(2*y))*(cos(2*z) + 2)/16, \
    temperature: p0}
device: cpu
time: {steps: 15, cfl: 0.9}
";

/// Two network namespaces joined by a bridge.
struct Machines {
    /// Bridge and namespaces have names with this number, and addresses in this network.
    number: u32,
    /// Holds the command by which mpirun reaches them.
    directory: TempDir,
}

/// Runs a command of the shell; returns whether it succeeded.
fn shell(commands: &str) -> bool {
    let run = Command::new("sh").args(["-ec", commands]).output();
    run.is_ok_and(|output| output.status.success())
}

impl Machines {
    /// Prepares them; `None` where the system refuses.
    fn new() -> Option<Self> {
        let number = std::process::id() % 250;
        let directory = tempfile::tempdir().expect("temporary directory");
        // mpirun calls it with an address and the words of a command.
        let agent = format!(
            "#!/bin/bash\nname=fr{number}n${{1##*.}}; shift\n\
             exec ip netns exec $name unshare --uts bash -c \"hostname $name; $*\"\n"
        );
        let path = directory.path().join("agent");
        std::fs::write(&path, agent).expect("agent");
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).expect("agent");
        let machines = Machines { number, directory };
        let up = format!(
            "n=fr{number}; net=10.77.{number}; ip link add ${{n}}b type bridge; ip addr add $net.254/24 dev ${{n}}b
             ip link set ${{n}}b up
             for k in 1 2; do
               ip netns add ${{n}}n$k; ip link add ${{n}}v$k type veth peer name eth0 netns ${{n}}n$k
               ip link set ${{n}}v$k master ${{n}}b up; ip -n ${{n}}n$k addr add $net.$k/24 dev eth0
               ip -n ${{n}}n$k link set eth0 up; ip -n ${{n}}n$k link set lo up
             done
             ip netns exec ${{n}}n1 unshare --uts true"
        );
        shell(&up).then_some(machines)
    }

    /// Starts a program with so many ranks on each machine.
    fn mpirun(&self, ranks: usize) -> Command {
        let network = format!("10.77.{}", self.number);
        let mut command = Command::new("mpirun");
        command.envs(MPI).args(["-n", &(2 * ranks).to_string()]);
        command.args(["--host", &format!("{network}.1:{ranks},{network}.2:{ranks}")]);
        command.args(["--mca", "btl_tcp_if_include", &format!("{network}.0/24")]);
        command.args(["--mca", "oob_tcp_if_include", &format!("{network}.0/24")]);
        command
            .args(["--mca", "plm_rsh_agent"])
            .arg(self.directory.path().join("agent"));
        command.stdin(std::process::Stdio::null());
        command.stdout(std::process::Stdio::piped());
        command.stderr(std::process::Stdio::piped());
        command
    }
}

impl Drop for Machines {
    fn drop(&mut self) {
        let n = format!("fr{}", self.number);
        shell(&format!(
            "for k in 1 2; do ip netns del {n}n$k || true; done; ip link del {n}b"
        ));
    }
}

#[test]
fn ranks_on_two_machines_give_the_same_bits() {
    let version = Command::new("mpirun").arg("--version").output();
    if !version.is_ok_and(|output| String::from_utf8_lossy(&output.stdout).contains("Open MPI")) {
        println!("skipped: the options of mpirun are those of Open MPI");
        return;
    }
    let Some(machines) = Machines::new() else {
        println!("skipped: this system lets the test make no network namespaces");
        return;
    };
    let name = output(machines.mpirun(1).arg("hostname"), 0);
    let mut names: Vec<&str> = name.lines().filter(|line| line.starts_with("fr")).collect();
    names.sort_unstable();
    let expected = [1, 2].map(|k| format!("fr{}n{k}", machines.number));
    assert_eq!(names, expected, "{name}");

    let directory = with_case(VORTEX);
    let alone = hash(&run_case(directory.path(), 1, &[], 0));
    let case = directory.path().join("run.yaml");
    let mut command = machines.mpirun(2);
    command.arg(env!("CARGO_BIN_EXE_fr-les")).arg(case);
    command.args(["--hash", "--threads", "1"]).current_dir(directory.path());
    assert_eq!(hash(&output(&mut command, 0)), alone);

    let mut command = machines.mpirun(1);
    command.arg(env!("CARGO_BIN_EXE_fr-les")).current_dir(directory.path());
    command.args(["bench", "--exchange", "--device", "cpu", "--json", "e.json"]);
    let log = output(&mut command, 0);
    assert!(log.contains("messages, between machines"), "{log}");
    let text = std::fs::read_to_string(directory.path().join("e.json")).expect("result");
    let result: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    let places = result["ranks"].as_array().expect("ranks").iter();
    let machines: Vec<_> = places.map(|place| place["machine"].as_str().expect("a name")).collect();
    assert_eq!(machines, expected, "{log}");
    assert_eq!(result["series"][0]["one_machine"], false);
}
