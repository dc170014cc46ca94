//! The memory that this process can still get: of the machine, of the control groups to which batch systems and
//! containers confine it, and of its own limits (`ulimit -v`). The smallest one counts.

use std::fs;
use std::path::Path;

use rustix::process::{Resource, getrlimit};

/// Memory that is available, and what sets its limit.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AvailableMemory {
    /// Bytes.
    pub bytes: f64,
    /// What has them, as the end of a sentence.
    pub(crate) of: &'static str,
}

/// Returns the memory that one of `sharing` ranks of this machine can still get, if the system reports it.
pub fn available_memory(sharing: usize) -> Option<AvailableMemory> {
    let groups = fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
    let shared = [
        (of_machine(), "on this machine"),
        (
            of_groups(&groups, Path::new("/sys/fs/cgroup")),
            "in the control group of this job or container",
        ),
    ];
    let own = [
        (
            of_limit(Resource::As, "VmSize"),
            "within the limit of this process (`ulimit -v`)",
        ),
        (
            of_limit(Resource::Data, "VmData"),
            "within the limit of this process (`ulimit -d`)",
        ),
    ];
    let shared = shared
        .into_iter()
        .filter_map(|(bytes, of)| Some((bytes? / sharing as f64, of)));
    let own = own.into_iter().filter_map(|(bytes, of)| Some((bytes?, of)));
    let all = shared.chain(own).map(|(bytes, of)| AvailableMemory { bytes, of });
    all.min_by(|one, other| one.bytes.total_cmp(&other.bytes))
}

/// Returns what the system can still provide without swapping.
fn of_machine() -> Option<f64> {
    kilobytes(&fs::read_to_string("/proc/meminfo").ok()?, "MemAvailable").map(|kilobytes| 1024.0 * kilobytes)
}

/// Returns what a limit leaves of the memory that the system counts under this name.
fn of_limit(resource: Resource, counted: &str) -> Option<f64> {
    let limit = getrlimit(resource).current?;
    let used = 1024.0 * kilobytes(&fs::read_to_string("/proc/self/status").ok()?, counted)?;
    Some((limit as f64 - used).max(0.0))
}

/// Returns the value of a line `NAME: VALUE kB`.
fn kilobytes(text: &str, name: &str) -> Option<f64> {
    let value = |line: &str| Some(line.strip_prefix(name)?.strip_prefix(':')?.trim().to_owned());
    let value = text.lines().find_map(value)?;
    value.split_whitespace().next()?.parse().ok()
}

/// Returns the least that a control group of this process, or one above it, leaves. `groups` is the text of
/// /proc/self/cgroup, and the groups are directories of `root`. Pages of files that are not in use count as free, since
/// the system gives them up.
fn of_groups(groups: &str, root: &Path) -> Option<f64> {
    let number = |path: &Path| fs::read_to_string(path).ok()?.trim().parse::<f64>().ok();
    let free = |directory: &Path, [limit, used, files]: [&str; 3]| {
        // Without a limit the file has the word "max".
        let limit = number(&directory.join(limit))?;
        let counts = fs::read_to_string(directory.join("memory.stat")).unwrap_or_default();
        let of_files = |line: &str| line.strip_prefix(files)?.trim().parse::<f64>().ok();
        let files = counts.lines().find_map(of_files).unwrap_or(0.0);
        Some((limit - number(&directory.join(used))? + files).max(0.0))
    };
    let of_line = |line: &str| {
        let mut parts = line.splitn(3, ':').skip(1);
        let (controllers, path) = (parts.next()?, parts.next()?);
        // Version 2 has one hierarchy without controllers; in version 1 that of memory is a directory of its own.
        let (top, names) = match controllers {
            "" => (root.to_path_buf(), ["memory.max", "memory.current", "inactive_file "]),
            _ if controllers.split(',').any(|name| name == "memory") => (
                root.join("memory"),
                ["memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file "],
            ),
            _ => return None,
        };
        let group = top.join(path.trim_start_matches('/'));
        let above = group.ancestors().take_while(|directory| directory.starts_with(&top));
        above.filter_map(|directory| free(directory, names)).reduce(f64::min)
    };
    groups.lines().filter_map(of_line).reduce(f64::min)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tightest_group_counts() {
        let root = tempfile::tempdir().expect("a folder");
        let write = |name: &str, text: &str| {
            let path = root.path().join(name);
            fs::create_dir_all(path.parent().expect("a folder")).expect("created");
            fs::write(path, text).expect("written");
        };
        write("memory.stat", "");
        write("job/memory.max", "1000\n");
        write("job/memory.current", "700\n");
        write("job/memory.stat", "anon 600\ninactive_file 50\nactive_file 9\n");
        write("job/step/memory.max", "max\n");
        write("job/step/memory.current", "700\n");
        assert_eq!(of_groups("0::/job/step\n", root.path()), Some(350.0));
        assert_eq!(of_groups("0::/\n", root.path()), None, "no limit");
        assert_eq!(of_groups("0::/elsewhere\n", root.path()), None);
        write("memory/memory.limit_in_bytes", "500\n");
        write("memory/memory.usage_in_bytes", "200\n");
        write("memory/memory.stat", "inactive_file 1\ntotal_inactive_file 20\n");
        // In a container the path is one of the machine around it.
        let groups = "5:cpu,cpuacct:/a\n4:memory:/docker/0a1b\n0::/job\n";
        assert_eq!(of_groups(groups, root.path()), Some(320.0));
    }

    #[test]
    fn lines_of_the_system_are_read() {
        let text = "VmPeak:\t  20 kB\nVmSize:\t   12 kB\n";
        assert_eq!((kilobytes(text, "VmSize"), kilobytes(text, "Vm")), (Some(12.0), None));
        let available = available_memory(1).expect("Linux reports it");
        let half = available_memory(2).expect("Linux reports it");
        assert!(available.bytes > 0.0 && half.bytes <= available.bytes);
    }
}
