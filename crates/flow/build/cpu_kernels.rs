//! The kernels of ptx/ for the CPU: one library for each kind of cell and vector width, with a translation unit for
//! each order and precision.
//!
//! The program chooses the width at run time from the features of the processor. One binary therefore runs on all
//! x86-64 machines since 2013 and uses AVX-512 where it is available. Floating-point contraction is off, so that every
//! width gives the same bits.

use std::fmt::Write as _;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::time::Instant;

use crate::contract::{CellSizes, KERNELS, SteadyKernel, Use, files_of, steady_files};
use crate::element::ElementKind;
use crate::selection::Selection;
use crate::sources::with_includes;

/// A vector width.
struct VectorSet {
    /// Name in symbols.
    name: &'static str,
    /// Bytes of a register.
    bytes: usize,
    /// Flags of the compiler.
    flags: &'static [&'static str],
}

/// The vector widths on x86-64.
const X86: &[VectorSet] = &[
    VectorSet {
        name: "avx2",
        bytes: 32,
        flags: &["-march=x86-64-v3"],
    },
    VectorSet {
        name: "avx512",
        bytes: 64,
        flags: &["-march=x86-64-v4", "-mprefer-vector-width=512"],
    },
];
/// The vector width on other processors: registers of 16 bytes, with the default flags of the compiler.
const OTHER: &[VectorSet] = &[VectorSet {
    name: "generic",
    bytes: 16,
    flags: &[],
}];

/// Flags of the compiler for all units.
const FLAGS: &[&str] = &[
    "-ffp-contract=off",
    "-fno-math-errno",
    "-fno-trapping-math",
    "-Wall",
    "-Wextra",
    // A switch over an enumeration names all of its values, for instance every kind of boundary.
    "-Werror=switch",
    // The AVX-512 header of GCC 12 causes the first two warnings. The others concern vector types in templates, and
    // ABIs that no call crosses.
    "-Wno-uninitialized",
    "-Wno-maybe-uninitialized",
    "-Wno-ignored-attributes",
    "-Wno-psabi",
];

/// The precisions: type in C++, name in symbols, size in bytes.
const PRECISIONS: [(&str, &str, usize); 2] = [("double", "f64", 8), ("float", "f32", 4)];

/// Compiles all libraries that are missing, and returns the table of their functions, which crates/flow/src/device/cpu
/// includes.
pub fn compile(out: &Path) -> String {
    let wanted = Selection::of_environment();
    let x86 = std::env::var("CARGO_CFG_TARGET_ARCH").is_ok_and(|arch| arch == "x86_64");
    let (mut declarations, mut rows) = (String::new(), String::new());
    let mut steady_rows = String::new();
    let mut libraries = Vec::new();
    let sets = if x86 { X86 } else { OTHER };
    let sets: Vec<&VectorSet> = sets.iter().filter(|set| wanted.has_set(set.name)).collect();
    for &set in &sets {
        for kind in ElementKind::ALL {
            let mut units = Vec::new();
            for order in 1..=kind.max_order() {
                for precision in PRECISIONS
                    .into_iter()
                    .filter(|(_, _, bytes)| wanted.has(kind, order, *bytes))
                {
                    let unit = Unit {
                        kind,
                        order,
                        precision,
                        set,
                    };
                    declarations += &unit.declarations();
                    rows += &unit.row();
                    units.push(unit);
                }
            }
            let units: Vec<Source> = units.iter().map(Unit::source).collect();
            libraries.push(Library::new(kind.name(), set, &units, out));
        }
        let steady = Family::steady(set);
        libraries.push(Library::new("steady", set, &[steady.source()], out));
        declarations += &steady.declarations();
        steady_rows += &format!("        {:?} => SteadyKernels {{ {} }},\n", set.name, steady.fields());
    }
    Library::compile_missing(&libraries, out);
    format!(
        "/// The sets of vector instructions for which kernels are built.\n\
         pub const VECTOR_SETS: &[&str] = &{:?};\n\n\
         unsafe extern \"C\" {{\n{declarations}}}\n\n\
         /// The kernels of one kind of cell, order, precision and vector width.\n\
         pub fn kernels(kind: ElementKind, order: usize, double: bool, set: &str) -> Option<Kernels> {{\n    \
         Some(match (kind, order, double, set) {{\n{rows}        _ => return None,\n    }})\n}}\n\n\
         /// The kernels of the steady solver for one vector width.\n\
         pub fn steady_kernels(set: &str) -> Option<SteadyKernels> {{\n    \
         Some(match set {{\n{steady_rows}        _ => return None,\n    }})\n}}\n",
        sets.iter().map(|set| set.name).collect::<Vec<_>>()
    )
}

/// A translation unit: all kernels of one kind of cell, order, precision and vector width.
struct Unit {
    kind: ElementKind,
    order: usize,
    precision: (&'static str, &'static str, usize),
    set: &'static VectorSet,
}

impl Unit {
    /// Returns the suffix of the names of its functions.
    fn suffix(&self) -> String {
        let kind = self.kind.name();
        let order = self.order;
        let name = self.precision.1;
        let set = self.set.name;
        format!("_{kind}_p{order}_{name}_{set}")
    }

    /// Returns its files of ptx/kernels.
    fn files(&self) -> Vec<&'static str> {
        let uses = [Use::Run, Use::RunByStage, Use::Scalars, Use::ScalarsByStage, Use::Probe];
        let mut files = files_of(self.kind, &uses);
        files.push("layout.cu");
        files
    }

    /// Returns the text of the translation unit.
    fn text(&self) -> String {
        let (real, _, bytes) = self.precision;
        let mut text = format!(
            "#define ELEMENT {}\n#define ORDER {}\n#define REAL {real}\n#define VECTOR_BYTES {}\n#define SUFFIX {}\n",
            self.kind.name().to_uppercase(),
            self.order,
            self.set.bytes,
            self.suffix()
        );
        let sizes = CellSizes::on_cpu(self.kind, self.order, bytes, self.set.bytes / bytes);
        for kernel in KERNELS.iter().filter(|kernel| kernel.files.of(self.kind).is_some()) {
            let _ = writeln!(text, "#define SHARED_BYTES_{} {}", kernel.name, (kernel.shared)(&sizes));
        }
        for file in self.files() {
            let _ = writeln!(text, "#include \"kernels/{file}\"");
        }
        text
    }

    /// Returns what the compiler gets.
    fn source(&self) -> Source {
        Source {
            suffix: self.suffix(),
            text: self.text(),
            files: self.files().iter().map(|file| format!("kernels/{file}")).collect(),
        }
    }

    /// Returns the declarations of its functions in Rust.
    fn declarations(&self) -> String {
        let suffix = self.suffix();
        let mut text = String::new();
        for kernel in KERNELS.iter().filter(|kernel| kernel.files.of(self.kind).is_some()) {
            let name = kernel.name;
            let _ = writeln!(text, "    fn {name}{suffix}(p: *const c_void, begin: i64, end: i64);");
        }
        let _ = writeln!(
            text,
            "    fn params_size{suffix}() -> i64;\n    fn lanes{suffix}() -> i64;"
        );
        text
    }

    /// Returns its row of the table of functions.
    fn row(&self) -> String {
        let suffix = self.suffix();
        let functions = KERNELS.iter().map(|kernel| match kernel.files.of(self.kind) {
            Some(_) => format!("Some({}{suffix})", kernel.name),
            None => "None".to_owned(),
        });
        format!(
            "        (ElementKind::{:?}, {}, {}, {:?}) => Kernels {{ functions: [{}], \
             params_size: params_size{suffix}, lanes: lanes{suffix} }},\n",
            self.kind,
            self.order,
            self.precision.2 == 8,
            self.set.name,
            functions.collect::<Vec<_>>().join(", ")
        )
    }
}

/// A translation unit as the compiler gets it.
struct Source {
    /// Suffix of the names of its functions.
    suffix: String,
    /// Its text.
    text: String,
    /// The files that it includes, below ptx/.
    files: Vec<String>,
}

/// A translation unit of kernels that belong to no element: those of the steady solver.
struct Family {
    /// Folder of ptx/ and part of the names of the functions.
    name: &'static str,
    /// Macros besides those of the dialect.
    macros: String,
    /// Files in the folder.
    files: Vec<&'static str>,
    /// Names of the kernels.
    kernels: Vec<&'static str>,
    precision: (&'static str, &'static str, usize),
    set: &'static VectorSet,
}

impl Family {
    fn steady(set: &'static VectorSet) -> Self {
        Family {
            name: "steady",
            macros: "#define STEADY\n".to_owned(),
            files: steady_files(),
            kernels: SteadyKernel::ALL.iter().map(|kernel| kernel.name()).collect(),
            precision: PRECISIONS[0],
            set,
        }
    }

    /// Returns the suffix of the names of its functions.
    fn suffix(&self) -> String {
        format!("_{}_{}_{}", self.name, self.precision.1, self.set.name)
    }

    /// Returns what the compiler gets. The kernels have no element; the dialect wants one.
    fn source(&self) -> Source {
        let suffix = self.suffix();
        let mut text = format!(
            "{}#define ELEMENT HEX\n#define ORDER 1\n#define REAL {}\n#define VECTOR_BYTES {}\n#define SUFFIX \
             {suffix}\n",
            self.macros, self.precision.0, self.set.bytes
        );
        let mut files: Vec<String> = self.files.iter().map(|file| format!("{}/{file}", self.name)).collect();
        files.push("kernels/layout.cu".to_owned());
        for file in &files {
            let _ = writeln!(text, "#include \"{file}\"");
        }
        Source { suffix, text, files }
    }

    /// Returns the declarations of its functions in Rust.
    fn declarations(&self) -> String {
        let suffix = self.suffix();
        let mut text = String::new();
        for name in &self.kernels {
            let _ = writeln!(text, "    fn {name}{suffix}(p: *const c_void, begin: i64, end: i64);");
        }
        let _ = writeln!(
            text,
            "    fn params_size{suffix}() -> i64;\n    fn lanes{suffix}() -> i64;"
        );
        text
    }

    /// Returns the fields of its row in a table of functions.
    fn fields(&self) -> String {
        let suffix = self.suffix();
        let functions = self.kernels.iter().map(|name| format!("{name}{suffix}"));
        format!(
            "functions: [{}], params_size: params_size{suffix}, lanes: lanes{suffix}",
            functions.collect::<Vec<_>>().join(", ")
        )
    }
}

/// A library of all units of one kind of cell, or of a family without elements, and one vector width.
///
/// Its name ends with a hash of its sources and flags, so that it is compiled only if it is missing: the kernels take
/// minutes to compile.
struct Library {
    name: String,
    build: cc::Build,
    /// Number of units.
    units: usize,
}

impl Library {
    /// Writes the units and determines the name of the library.
    fn new(name: &str, set: &VectorSet, units: &[Source], out: &Path) -> Self {
        let mut build = cc::Build::new();
        build.cpp(true).std("c++17").opt_level(3).include("ptx").debug(false);
        FLAGS.iter().chain(set.flags).for_each(|flag| {
            build.flag(flag);
        });
        let compiler = build.get_compiler();
        let mut made_of = format!("{:?} {:?}\n", compiler.path(), compiler.args());
        let mut seen = Vec::new();
        for unit in units {
            let file = out.join(format!("kernels{}.cpp", unit.suffix));
            crate::write(&file, &unit.text);
            build.file(file);
            made_of += &unit.text;
            for file in &unit.files {
                with_includes(file, out, &mut seen, &mut made_of);
            }
        }
        // This path differs from clone to clone, so it is not part of the hash.
        build.include(out);
        let mut hash = DefaultHasher::new();
        made_of.hash(&mut hash);
        Library {
            name: format!("frles_{name}_{}_{:016x}", set.name, hash.finish()),
            build,
            units: units.len(),
        }
    }

    /// Compiles the libraries that are missing, and makes Cargo link all of them.
    fn compile_missing(libraries: &[Library], out: &Path) {
        // OUT_DIR is target/<profile>/build/<package>/out, and differs between a build and a check by Clippy. The
        // libraries
        // are in target/kernels, so that all profiles use the same, or in a directory that several clones share.
        println!("cargo:rerun-if-env-changed={KEPT_IN}");
        let folder = match std::env::var_os(KEPT_IN) {
            Some(folder) => PathBuf::from(folder),
            None => out.ancestors().nth(4).unwrap_or(out).join("kernels"),
        };
        std::fs::create_dir_all(&folder).expect("the target directory is writable");
        let done = |library: &Library| folder.join(format!("{}.done", library.name));
        let missing: Vec<&Library> = libraries
            .iter()
            .filter(|library| library.units > 0 && !done(library).is_file())
            .collect();
        let (begin, units) = (
            Instant::now(),
            missing.iter().map(|library| library.units).sum::<usize>(),
        );
        if units > 0 {
            tell(&format!(
                "compiling the kernels for the CPU: {units} files, which takes minutes, once"
            ));
        }
        for library in &missing {
            let objects = folder.join(&library.name);
            std::fs::create_dir_all(&objects).expect("the target directory is writable");
            library
                .build
                .clone()
                .cargo_metadata(false)
                .out_dir(&objects)
                .compile(&library.name);
            let file = format!("lib{}.a", library.name);
            std::fs::rename(objects.join(&file), folder.join(&file)).expect("the target directory is writable");
            let _ = std::fs::remove_dir_all(&objects);
            std::fs::write(done(library), "").expect("the target directory is writable");
            remove_older(&folder, &library.name);
        }
        if units > 0 {
            let seconds = begin.elapsed().as_secs();
            tell(&format!(
                "the kernels were compiled in {seconds} s and are kept in {}",
                folder.display()
            ));
        }
        println!("cargo:rustc-link-search=native={}", folder.display());
        for library in libraries.iter().filter(|library| library.units > 0) {
            println!("cargo:rustc-link-lib=static={}", library.name);
        }
        println!("cargo:rustc-link-lib=stdc++");
    }
}

/// Writes a line to the terminal, if there is one. A warning of the build script would be shown only after the script
/// has ended, and Cargo would repeat it in every later build.
fn tell(line: &str) {
    if let Ok(mut terminal) = std::fs::OpenOptions::new().write(true).open("/dev/tty") {
        let _ = std::io::Write::write_all(&mut terminal, format!("\r\x1b[Kfr-les: {line}\n").as_bytes());
    }
}

/// The variable with the directory in which compiled kernels are kept; target/kernels without it.
const KEPT_IN: &str = "FR_LES_KERNELS_KEPT_IN";

/// Number of libraries of the same cells and vectors that are kept, so that switching between branches compiles none.
const KEPT: usize = 4;

/// Removes all but the latest [`KEPT`] libraries of the same kind of cell and vector width.
fn remove_older(folder: &Path, name: &str) {
    let group = &name[..name.rfind('_').map_or(name.len(), |end| end + 1)];
    let mut found: Vec<(std::time::SystemTime, PathBuf)> = Vec::new();
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        let same =
            entry.file_name().to_string_lossy().starts_with(group) && path.extension().is_some_and(|e| e == "done");
        if let Some(time) = entry.metadata().and_then(|m| m.modified()).ok().filter(|_| same) {
            found.push((time, path));
        }
    }
    found.sort();
    for (_, done) in found.iter().rev().skip(KEPT) {
        let stem = done.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let _ = std::fs::remove_file(done);
        let _ = std::fs::remove_file(folder.join(format!("lib{stem}.a")));
    }
}
