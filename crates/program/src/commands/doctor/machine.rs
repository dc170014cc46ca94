//! The processor, the memory, the folder, and programs beside fr-les.

use std::path::Path;

use super::finding::Finding;
use crate::device::cpu::{processor_name, vector_set, vector_sets};
use crate::io::find_program;
use crate::mesh::find_gmsh;

/// The processor, and the vector instructions for which there are kernels.
pub fn processor() -> Finding {
    let model = processor_name();
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    match vector_set() {
        Ok(set) => Finding::works(
            "processor",
            format!("{model}, {cores} threads for this process, kernels for {set}"),
        ),
        Err(error) => Finding::lacks(
            "processor",
            format!("{model}: {error}"),
            match vector_sets().as_slice() {
                [] => "use a processor with AVX2, which x86-64 processors have since 2013 to 2015".to_owned(),
                sets => format!("unset FR_LES_SIMD, or set it to one of {}", sets.join(", ")),
            },
        ),
    }
}

/// The memory of the machine.
pub fn memory() -> Finding {
    let information = std::fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let gigabytes = |name| {
        let text = entry(&information, name)?.strip_suffix(" kB")?;
        text.parse::<f64>().ok().map(|kibibytes| kibibytes * 1024e-9)
    };
    match (gigabytes("MemAvailable"), gigabytes("MemTotal")) {
        (Some(free), Some(total)) => Finding::works("memory", format!("{free:.1} of {total:.1} GB are free")),
        _ => Finding::absent("memory", "the system does not tell its size"),
    }
}

/// The value of `name : value` in a file of the system.
fn entry<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    let line = text
        .lines()
        .find(|line| line.split(':').next().map(str::trim) == Some(name))?;
    line.split_once(':').map(|(_, value)| value.trim())
}

/// A folder that can be written to.
pub fn folder(here: &Path) -> Finding {
    let free = rustix::fs::statvfs(here).ok().filter(|there| there.f_blocks > 0);
    let free = free.map(|there| there.f_bavail.saturating_mul(there.f_frsize) as f64 * 1e-9);
    let free = free.map_or_else(String::new, |free| format!(", {free:.1} GB are free"));
    Finding::works("folder", format!("{} can be written to{free}", here.display()))
}

/// Gmsh, which `fr-les mesh cascade` calls.
pub fn gmsh() -> Finding {
    match find_gmsh(None) {
        Ok(path) => Finding::works("Gmsh", format!("{}, for `fr-les mesh cascade`", path.display())),
        Err(_) => Finding::lacks(
            "Gmsh",
            "was not found; only `fr-les mesh cascade` needs it",
            install("gmsh", "gmsh"),
        ),
    }
}

/// The command that installs a package of the system.
pub fn install(debian: &str, fedora: &str) -> String {
    if find_program(&["apt-get"]).is_some() {
        format!("apt-get install {debian}")
    } else if find_program(&["dnf"]).is_some() {
        format!("dnf install {fedora}")
    } else {
        format!("install it by the means of your system (in Debian the package is {debian})")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_of_system_files_are_found_by_their_whole_name() {
        let text = "MemTotal:       24 kB\nMemFree: 3 kB\nmodel name\t: A: B\nmodel\t: 1\n";
        assert_eq!(entry(text, "MemTotal"), Some("24 kB"));
        assert_eq!(entry(text, "model name"), Some("A: B"));
        assert_eq!(entry(text, "model"), Some("1"));
        assert_eq!(entry(text, "Mem"), None);
    }
}
