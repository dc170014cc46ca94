//! Compiles the kernels of ptx/ for the CPU, once for every order, precision and vector width, and records the commit.
//!
//! The widths are chosen at run time by what the processor has, so one binary runs on all x86-64 machines since 2013 and
//! uses AVX-512 where it is. Floating-point contraction is off: every width gives the same bits.

use std::fmt::Write as _;
use std::path::PathBuf;
use std::process::Command;

/// Name, bytes of a vector register and compiler flags.
type VectorSet = (&'static str, usize, &'static [&'static str]);

const X86: &[VectorSet] = &[
    ("avx2", 32, &["-march=x86-64-v3"]),
    ("avx512", 64, &["-march=x86-64-v4", "-mprefer-vector-width=512"]),
];
/// Anything else runs with registers of 16 bytes and whatever the compiler's default gives it.
const OTHER: &[VectorSet] = &[("generic", 16, &[])];

const KERNELS: &[&str] = &[
    "ghost_states",
    "ghost_traces",
    "sweep1",
    "sweep2",
    "rates",
    "integrals",
    "interface_flux",
    "split_derivative",
    "interface_by_cells",
    "interface_by_faces",
];

fn main() {
    println!("cargo:rerun-if-changed=ptx");
    println!("cargo:rerun-if-changed=build.rs");
    record_commit();
    let out = PathBuf::from(std::env::var("OUT_DIR").expect("cargo sets OUT_DIR"));
    let x86 = std::env::var("CARGO_CFG_TARGET_ARCH").is_ok_and(|arch| arch == "x86_64");
    let mut declarations = String::from("unsafe extern \"C\" {\n");
    let mut rows = String::new();
    for (set, bytes, flags) in if x86 { X86 } else { OTHER } {
        let mut build = cc::Build::new();
        build.cpp(true).std("c++17").opt_level(3).include("ptx").debug(false);
        for flag in [
            "-ffp-contract=off",
            "-fno-math-errno",
            "-fno-trapping-math",
            "-Wall",
            "-Wextra",
        ]
        .iter()
        .chain(*flags)
        {
            build.flag(flag);
        }
        // GCC 12's own AVX-512 header trips the first two; the others are about vector types in templates and ABIs that no
        // call crosses.
        for flag in [
            "-Wno-uninitialized",
            "-Wno-maybe-uninitialized",
            "-Wno-ignored-attributes",
            "-Wno-psabi",
        ] {
            build.flag(flag);
        }
        for order in 1..=8 {
            for (real, name) in [("double", "f64"), ("float", "f32")] {
                let suffix = format!("_p{order}_{name}_{set}");
                let text = format!(
                    "#define ORDER {order}\n#define REAL {real}\n#define VECTOR_BYTES {bytes}\n#define SUFFIX {suffix}\n\
                     #include \"boundary.cu\"\n#include \"sweep1.cu\"\n#include \"sweep2.cu\"\n#include \"monitor.cu\"\n\
                     #include \"probe.cu\"\n#include \"interface.cu\"\n"
                );
                let file = out.join(format!("kernels{suffix}.cpp"));
                std::fs::write(&file, text).expect("OUT_DIR is writable");
                build.file(file);
                for kernel in KERNELS {
                    let _ = writeln!(
                        declarations,
                        "    fn {kernel}{suffix}(p: *const c_void, begin: i64, end: i64);"
                    );
                }
                let _ = writeln!(
                    declarations,
                    "    fn params_size{suffix}() -> i64;\n    fn lanes{suffix}() -> i64;"
                );
                let fields: String = KERNELS.iter().map(|k| format!("{k}: {k}{suffix}, ")).collect();
                let _ = writeln!(
                    rows,
                    "        ({order}, {}, \"{set}\") => Kernels {{ {fields}params_size: params_size{suffix}, lanes: lanes{suffix} }},",
                    real == "double"
                );
            }
        }
        build.compile(&format!("frles_{set}"));
    }
    declarations.push_str("}\n");
    let table = format!(
        "{declarations}\n/// The kernels of one order, precision and vector width.\n\
         pub fn kernels(order: usize, double: bool, set: &str) -> Option<Kernels> {{\n    Some(match (order, double, set) {{\n\
         {rows}        _ => return None,\n    }})\n}}\n"
    );
    std::fs::write(out.join("kernels.rs"), table).expect("OUT_DIR is writable");
}

/// Sets FR_LES_GIT to the commit, with a plus sign where the tree was changed since.
fn record_commit() {
    println!("cargo:rerun-if-changed=.git/HEAD");
    println!("cargo:rerun-if-changed=.git/index");
    let git = |args: &[&str]| {
        let output = Command::new("git")
            .args(args)
            .output()
            .ok()
            .filter(|o| o.status.success())?;
        String::from_utf8(output.stdout).ok().map(|s| s.trim().to_owned())
    };
    let commit = git(&["rev-parse", "--short=12", "HEAD"]).unwrap_or_else(|| "unknown".to_owned());
    let changed = git(&["status", "--porcelain", "--untracked-files=no"]).is_some_and(|s| !s.is_empty());
    println!("cargo:rustc-env=FR_LES_GIT={commit}{}", if changed { "+" } else { "" });
}
