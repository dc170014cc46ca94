//! `params.h`: the C++ twin of the arguments and records of the contract, and checks that both sides place every field alike.

use std::fmt::Write as _;

use crate::contract::{ARGUMENTS, CONSTANTS, FieldSpec, KERNELS, NUMBERS, Params, RECORDS};

/// The header.
pub fn header() -> String {
    let mut text = String::from(
        "// Written by the build script from src/device/contract.rs, where every field is described.\n#pragma once\n\
         #include \"dialect/dialect.h\"\n#include \"kinds.h\"\n\n",
    );
    for (name, value) in NUMBERS {
        let _ = writeln!(text, "#define {name} {value}");
    }
    for record in RECORDS {
        let [size, align] = record.size_and_align;
        let _ = writeln!(text, "\nstruct alignas({align}) {} {{", record.name);
        record.fields.iter().for_each(|field| text += &declaration(field));
        let _ = writeln!(
            text,
            "}};\nstatic_assert(sizeof({}) == {size}, \"its size\");",
            record.name
        );
        record
            .fields
            .iter()
            .for_each(|field| text += &assertion(record.name, field));
    }
    text +=
        "\n// Constants of the run come last, so that their absence does not move anything else.\nstruct Params {\n";
    ARGUMENTS.iter().for_each(|field| text += &declaration(field));
    text += "#ifdef FROZEN\n    // Static members of the same names, given by the host: the compiler folds them.\n    FROZEN\n#else\n";
    CONSTANTS.iter().for_each(|field| text += &declaration(field));
    text += "#endif\n};\n";
    ARGUMENTS.iter().for_each(|field| text += &assertion("Params", field));
    text += "#ifndef FROZEN\n";
    CONSTANTS.iter().for_each(|field| text += &assertion("Params", field));
    text += "#endif\n\n";
    text += &shared_memory();
    text
}

/// What a kernel says of its shared memory is compared with what the host asks for.
fn shared_memory() -> String {
    let mut text = String::from(
        "// The host gives every program the bytes of shared memory of a cell that it asks for (contract.rs), and the threads of a\n\
         // block. A kernel states the sum of its SHARED arrays: SHARED_TOTAL(sweep1, sizeof(*q) + sizeof(*dq));\n",
    );
    for kernel in KERNELS {
        let name = kernel.name;
        let _ = writeln!(
            text,
            "#ifndef SHARED_BYTES_{name}\n#define SHARED_BYTES_{name} -1\n#endif"
        );
    }
    text += "#define SHARED_TOTAL(kernel, bytes) \\\n    \
             static_assert(SHARED_BYTES_##kernel == -1 || SHARED_BYTES_##kernel == (int)(bytes), \\\n                  \
             \"src/device/contract.rs states other bytes of shared memory\")\n\
             #if defined(LAUNCH_THREADS)\n\
             static_assert(THREADS == LAUNCH_THREADS, \"src/device/cuda/shape.rs states another number of threads\");\n\
             #endif\n";
    text
}

/// Rust's side of the same: the program is compiled only if its fields lie where those of the build script do.
pub fn check() -> String {
    let mut text = String::new();
    for field in ARGUMENTS.iter().chain(CONSTANTS) {
        let [double, single] = field.offsets;
        let name = field.name;
        let _ = writeln!(
            text,
            "const _: () = assert!(offset_of!(Params<f64>, {name}) == {double} && offset_of!(Params<f32>, {name}) == {single});"
        );
    }
    for record in RECORDS {
        for field in record.fields {
            let (record, name, offset) = (record.name, field.name, field.offsets[0]);
            let _ = writeln!(text, "const _: () = assert!(offset_of!({record}, {name}) == {offset});");
        }
    }
    let sizes = [size_of::<Params<f64>>(), size_of::<Params<f32>>()];
    let _ = writeln!(
        text,
        "const _: () = assert!(size_of::<Params<f64>>() == {} && size_of::<Params<f32>>() == {});",
        sizes[0], sizes[1]
    );
    text
}

/// A member of a structure.
fn declaration(field: &FieldSpec) -> String {
    let (name, rust) = (field.name, field.rust_type);
    if let Some(pointed) = rust.strip_prefix("*const ") {
        return format!("    const {} *{name};\n", c_type(pointed));
    }
    if let Some(pointed) = rust.strip_prefix("*mut ") {
        return format!("    {} *{name};\n", c_type(pointed));
    }
    if let Some((element, len)) = rust
        .strip_prefix('[')
        .and_then(|r| r.strip_suffix(']')?.split_once("; "))
    {
        return format!("    {} {name}[{len}];\n", c_type(element));
    }
    format!("    {} {name};\n", c_type(rust))
}

fn c_type(rust: &str) -> &str {
    match rust {
        "R" => "real",
        "f64" => "double",
        "i32" => "int",
        "i64" => "long long",
        "u8" => "unsigned char",
        record if RECORDS.iter().any(|known| known.name == record) => record,
        other => panic!("src/device/contract.rs: kernels know no type '{other}'"),
    }
}

fn assertion(record: &str, field: &FieldSpec) -> String {
    let (name, [double, single]) = (field.name, field.offsets);
    let offset = if double == single {
        double.to_string()
    } else {
        format!("(sizeof(real) == 8 ? {double} : {single})")
    };
    format!("static_assert(__builtin_offsetof({record}, {name}) == {offset}, \"where {name} lies\");\n")
}
