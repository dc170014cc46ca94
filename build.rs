//! Compiles the kernels of ptx/ for the CPU, once for every kind of cell, order, precision and vector width, and records the
//! commit.
//!
//! That takes minutes; FR_LES_KERNEL_ORDERS=2,3 leaves out all other orders, for work on the kernels.
//!
//! The widths are chosen at run time by what the processor has, so one binary runs on all x86-64 machines since 2013 and
//! uses AVX-512 where it is. Floating-point contraction is off: every width gives the same bits.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Name, bytes of a vector register and compiler flags.
type VectorSet = (&'static str, usize, &'static [&'static str]);

const X86: &[VectorSet] = &[
    ("avx2", 32, &["-march=x86-64-v3"]),
    ("avx512", 64, &["-march=x86-64-v4", "-mprefer-vector-width=512"]),
];
/// Anything else runs with registers of 16 bytes and whatever the compiler's default gives it.
const OTHER: &[VectorSet] = &[("generic", 16, &[])];

/// Kernels of all kinds of cells.
const KERNELS: &[&str] = &[
    "ghost_states",
    "ghost_traces",
    "boundary_fluxes",
    "surface_values",
    "sweep1",
    "sweep2",
    "pack",
    "sample",
    "rates",
    "bulk",
    "integrals",
    "statistics",
];
/// Kernels of hexahedra alone.
const HEX_KERNELS: &[&str] = &[
    "interface_flux",
    "boundary_condition",
    "split_derivative",
    "interface_by_cells",
    "interface_by_faces",
];

/// Files of ptx/kernels that hexahedra are compiled from, and those of all other cells.
const HEX_FILES: &[&str] = &[
    "ghosts",
    "surface",
    "halo",
    "sample",
    "sweep1",
    "sweep2",
    "bounds",
    "integrals",
    "statistics",
    "probe",
    "bench_interface",
    "layout",
];
const DENSE_FILES: &[&str] = &[
    "ghosts",
    "surface",
    "halo",
    "sample",
    "sweep1_dense",
    "sweep2_dense",
    "bounds",
    "integrals",
    "statistics",
    "layout",
];

/// Kinds of cells with their highest order.
const ELEMENTS: &[(&str, usize)] = &[("Hex", 8), ("Prism", 6), ("Tet", 6), ("Pyramid", 6)];

fn main() {
    // All that a build is made of, so that the commit's plus sign is there as soon as any of it was changed.
    for path in ["ptx", "src", "build.rs", "Cargo.toml", "Cargo.lock"] {
        println!("cargo:rerun-if-changed={path}");
    }
    record_commit();
    let out = PathBuf::from(std::env::var("OUT_DIR").expect("cargo sets OUT_DIR"));
    write_sources(&out);
    let x86 = std::env::var("CARGO_CFG_TARGET_ARCH").is_ok_and(|arch| arch == "x86_64");
    let mut declarations = String::from("unsafe extern \"C\" {\n");
    let (mut rows, mut hex_rows) = (String::new(), String::new());
    println!("cargo:rerun-if-env-changed=FR_LES_KERNEL_ORDERS");
    let wanted: Option<Vec<usize>> = std::env::var("FR_LES_KERNEL_ORDERS").ok().map(|orders| {
        orders
            .split(',')
            .map(|p| p.parse().expect("FR_LES_KERNEL_ORDERS is a list of orders"))
            .collect()
    });
    let sets = if x86 { X86 } else { OTHER };
    for ((set, bytes, flags), &(element, most)) in sets.iter().flat_map(|set| ELEMENTS.iter().map(move |e| (set, e))) {
        let hex = element == "Hex";
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
        for order in (1..=most).filter(|order| wanted.as_ref().is_none_or(|wanted| wanted.contains(order))) {
            for (real, name) in [("double", "f64"), ("float", "f32")] {
                let suffix = format!("_{}_p{order}_{name}_{set}", element.to_lowercase());
                let files = if hex { HEX_FILES } else { DENSE_FILES };
                let mut text = format!(
                    "#define ELEMENT {}\n#define ORDER {order}\n#define REAL {real}\n#define VECTOR_BYTES {bytes}\n\
                     #define SUFFIX {suffix}\n",
                    element.to_uppercase()
                );
                files
                    .iter()
                    .for_each(|file| text += &format!("#include \"kernels/{file}.cu\"\n"));
                let file = out.join(format!("kernels{suffix}.cpp"));
                std::fs::write(&file, text).expect("OUT_DIR is writable");
                build.file(file);
                let mut declare = |kernels: &[&str]| -> String {
                    for kernel in kernels {
                        let _ = writeln!(
                            declarations,
                            "    fn {kernel}{suffix}(p: *const c_void, begin: i64, end: i64);"
                        );
                    }
                    kernels.iter().map(|k| format!("{k}: {k}{suffix}, ")).collect()
                };
                let case = format!("{order}, {}, \"{set}\"", real == "double");
                let fields = declare(KERNELS);
                if hex {
                    let fields = declare(HEX_KERNELS);
                    let _ = writeln!(hex_rows, "        ({case}) => HexKernels {{ {fields}}},");
                }
                let _ = writeln!(
                    declarations,
                    "    fn params_size{suffix}() -> i64;\n    fn lanes{suffix}() -> i64;"
                );
                let _ = writeln!(
                    rows,
                    "        (ElementKind::{element}, {case}) => Kernels {{ {fields}params_size: params_size{suffix}, \
                     lanes: lanes{suffix} }},"
                );
            }
        }
        compile_if_changed(
            &mut build,
            &out,
            &format!("frles_{}_{set}", element.to_lowercase()),
            if hex { HEX_FILES } else { DENSE_FILES },
            &wanted,
        );
    }
    declarations.push_str("}\n");
    let table = format!(
        "{declarations}\n/// The kernels of one kind of cell, order, precision and vector width.\n\
         pub fn kernels(kind: ElementKind, order: usize, double: bool, set: &str) -> Option<Kernels> {{\n    \
         Some(match (kind, order, double, set) {{\n{rows}        _ => return None,\n    }})\n}}\n\
         /// Those of hexahedra alone.\n\
         pub fn hex_kernels(order: usize, double: bool, set: &str) -> Option<HexKernels> {{\n    \
         Some(match (order, double, set) {{\n{hex_rows}        _ => return None,\n    }})\n}}\n"
    );
    std::fs::write(out.join("kernels.rs"), table).expect("OUT_DIR is writable");
}

/// Compiles a library unless it was made of the same text by the same script and compiler: the script runs after every commit, too,
/// and the kernels take minutes. Libraries lie in the profile's own directory, since a build and a check by Clippy have an OUT_DIR each.
fn compile_if_changed(build: &mut cc::Build, out: &Path, name: &str, roots: &[&str], wanted: &Option<Vec<usize>>) {
    // OUT_DIR is <profile>/build/<package>/out.
    let kernels = out.ancestors().nth(3).unwrap_or(out).join("kernels");
    std::fs::create_dir_all(&kernels).expect("the target directory is writable");
    let mut files = Vec::new();
    for root in roots {
        with_includes(&format!("kernels/{root}.cu"), &mut files);
    }
    files.push(PathBuf::from("build.rs"));
    let compiler = build.get_compiler();
    let mut made_of = format!("{:?} {:?} {wanted:?}\n", compiler.path(), compiler.args());
    for file in &files {
        made_of += &std::fs::read_to_string(file).expect("sources are readable text");
    }
    let stamp = kernels.join(format!("{name}.stamp"));
    let library = kernels.join(format!("lib{name}.a"));
    if library.is_file() && std::fs::read_to_string(&stamp).is_ok_and(|old| old == made_of) {
        println!("cargo:rustc-link-lib=static={name}");
        println!("cargo:rustc-link-search=native={}", kernels.display());
        println!("cargo:rustc-link-lib=stdc++");
        return;
    }
    build.out_dir(&kernels).compile(name);
    std::fs::write(stamp, made_of).expect("the target directory is writable");
}

/// Appends a file of ptx/ and all that it includes, each once.
fn with_includes(name: &str, files: &mut Vec<PathBuf>) {
    let path = Path::new("ptx").join(name);
    if files.contains(&path) {
        return;
    }
    let text = std::fs::read_to_string(&path).expect("sources are readable text");
    files.push(path);
    for line in text.lines() {
        let quoted = line.trim_start().strip_prefix("#include \"");
        if let Some(header) = quoted.and_then(|rest| rest.split('"').next()) {
            with_includes(header, files);
        }
    }
}

/// Writes the table of all files of ptx/ with their texts, which the binary carries for NVRTC.
fn write_sources(out: &Path) {
    let root = PathBuf::from(std::env::var("CARGO_MANIFEST_DIR").expect("cargo sets it")).join("ptx");
    let (mut folders, mut files) = (vec![root.clone()], Vec::new());
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).expect("ptx/ is readable") {
            let path = entry.expect("ptx/ is readable").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|e| e == "cu" || e == "h") {
                files.push(path);
            }
        }
    }
    files.sort();
    let mut text = String::from("&[\n");
    for path in &files {
        let name = path.strip_prefix(&root).expect("below ptx/").display();
        let _ = writeln!(
            text,
            "    (\"{name}\", include_str!({:?})),",
            path.display().to_string()
        );
    }
    text.push_str("]\n");
    std::fs::write(out.join("ptx_sources.rs"), text).expect("OUT_DIR is writable");
}

/// Sets FR_LES_GIT to the commit, with a plus sign where the tree was changed since.
fn record_commit() {
    let git = |args: &[&str]| {
        let output = Command::new("git")
            .args(args)
            .output()
            .ok()
            .filter(|o| o.status.success())?;
        String::from_utf8(output.stdout).ok().map(|s| s.trim().to_owned())
    };
    // Asked for rather than taken to be in .git: in a worktree that is a file, and Cargo runs the script every time where a
    // path is not there.
    for path in ["HEAD", "index"]
        .into_iter()
        .filter_map(|name| git(&["rev-parse", "--git-path", name]))
    {
        println!("cargo:rerun-if-changed={path}");
    }
    let commit = git(&["rev-parse", "--short=12", "HEAD"]).unwrap_or_else(|| "unknown".to_owned());
    let changed = git(&["status", "--porcelain", "--untracked-files=no"]).is_some_and(|s| !s.is_empty());
    println!("cargo:rustc-env=FR_LES_GIT={commit}{}", if changed { "+" } else { "" });
}
