//! The report of a measurement: a table for people and JSON for programs.

use serde_json::{Map, Value, json};

use super::cost::Work;
use super::measure::{MeasuredKernel, Measurement, REPEATS, Sharing, WARM_UP};
use super::setup::Setup;
use crate::commands::print_line;
use crate::format::size;
use crate::io::Provenance;
use crate::mesh::BoxElements;

/// Returns the line that names a setup.
pub fn heading(setup: &Setup) -> String {
    format!(
        "p = {}, {}^3 {}, {} precision{}",
        setup.order,
        setup.cells,
        cells(setup),
        setup.precision,
        if setup.viscous { "" } else { ", inviscid" }
    )
}

/// Returns the description of the box.
fn cells(setup: &Setup) -> String {
    let shape = if setup.curved { "curved" } else { "affine" };
    match setup.elements {
        BoxElements::Hex => format!("{shape} hexahedra"),
        BoxElements::Prism => format!("cubes of {shape} prisms"),
        BoxElements::Tet => format!("cubes of {shape} tetrahedra"),
        BoxElements::Pyramid => format!("cubes of {shape} pyramids"),
        BoxElements::Mixed => format!("cubes of {shape} cells of all kinds"),
    }
}

/// Prints the table of one measurement.
pub fn print(setup: &Setup, m: &Measurement) {
    let points = m.points as f64;
    let per_point = |seconds: f64| seconds * 1e9 / points;
    print_line(format_args!("{}", m.device));
    print_line(format_args!(
        "{}, {} points, {:.1} bytes ({:.1} reals) a point, {} in all",
        heading(setup),
        m.points,
        m.memory as f64 / points,
        m.memory as f64 / points / setup.real_bytes() as f64,
        size(m.memory as f64)
    ));
    print_line(format_args!(
        "\n{:<16} {:>11} {:>10} {:>10} {:>8} {:>9} {:>9}",
        "", "ns/DOF", "bytes/DOF", "GB/s", "of copy", "flop/DOF", "GFLOP/s"
    ));
    let row = |name: &str, seconds: f64, work: Work| {
        print_line(format_args!(
            "{name:<16} {:>11.4} {:>10.1} {:>10.1} {:>6.0} % {:>9.0} {:>9.1}",
            per_point(seconds),
            work.bytes,
            work.bytes * points / seconds * 1e-9,
            100.0 * work.bytes * points / seconds / m.copy,
            work.flops,
            work.flops * points / seconds * 1e-9
        ));
    };
    row("stage", m.speed.sustained, m.stage);
    for kernel in &m.kernels {
        row(kernel.name, kernel.seconds, kernel.work);
    }
    print_line(format_args!(
        "\n{:.4} GDOF/s sustained ({:.0} s after {WARM_UP} s of stepping), {:.4} in a burst; copy {:.1} GB/s{}",
        points / m.speed.sustained * 1e-9,
        setup.seconds,
        points / m.speed.burst * 1e-9,
        m.copy * 1e-9,
        m.threads.map_or(String::new(), |t| format!(
            "; {:.1} ns per DOF, stage and core",
            per_point(m.speed.sustained) * t as f64
        ))
    ));
    if let (Some(nanojoules), Some(joules)) = (nanojoules(m), m.speed.joules) {
        print_line(format_args!(
            "{nanojoules:.3} nJ per DOF and stage, {:.0} W",
            joules / m.speed.sustained
        ));
    }
    if let Some(sharing) = &m.ranks {
        print_sharing(sharing, m.speed.sustained);
    }
    print_line(format_args!(
        "stage: mean of the four, sustained; kernels: median of {REPEATS} in bursts; bytes: each array once per \
         kernel, neighbours from cache; flops: counted in the source, fma = 2, division and root = 1"
    ));
}

/// Returns the solution points of all ranks.
fn points_of_all_ranks(m: &Measurement) -> f64 {
    m.ranks.as_ref().map_or(m.points, |sharing| sharing.points) as f64
}

/// Returns the energy of a point and stage in nanojoules, if GPUs count it.
fn nanojoules(m: &Measurement) -> Option<f64> {
    Some(m.speed.joules? * 1e9 / points_of_all_ranks(m))
}

/// Returns speed and energy of all ranks together.
pub fn speed(m: &Measurement) -> String {
    let energy = nanojoules(m).map_or_else(String::new, |nj| format!(", {nj:.3} nJ per DOF and stage"));
    format!(
        "{:.4} GDOF/s{energy}",
        points_of_all_ranks(m) / m.speed.sustained * 1e-9
    )
}

/// Prints the line on the exchange between ranks. `stage` is the time of a stage in seconds.
fn print_sharing(s: &Sharing, stage: f64) {
    let micro = |seconds: f64| seconds * 1e6;
    print_line(format_args!(
        "{} ranks: {:.4} GDOF/s together ({} points); all else is of the first. {:.1} % of its cells on frontiers; \
         a stage packs for {:.1} us, sweeps in two parts for {:.1} us more, and exchanges {:.1} kB twice {}: \
         t_comm = {:.1} us each beside t_overlap = {:.1} us of interior cells, {:.1} us not hidden",
        s.ranks,
        s.points as f64 / stage * 1e-9,
        s.points,
        100.0 * s.frontier,
        micro(s.packing),
        micro(s.splitting),
        s.times.bytes * 1e-3,
        s.routes,
        micro(s.times.communication),
        micro(s.times.overlap),
        micro(s.times.unhidden)
    ));
}

/// Returns the description of the case of a result, measured or not.
fn about(setup: &Setup) -> Map<String, Value> {
    let fields = json!({
        "order": setup.order, "elements": setup.elements, "cells": setup.cells, "precision": setup.precision,
        "arithmetic": setup.arithmetic,
        "curved": setup.curved, "viscous": setup.viscous, "scheme": setup.scheme,
    });
    fields.as_object().cloned().unwrap_or_default()
}

/// Returns the measurement as a JSON object.
pub fn json(setup: &Setup, m: &Measurement) -> Value {
    let points = m.points as f64;
    let per_point = |seconds: f64| seconds * 1e9 / points;
    let kernel = |MeasuredKernel { name, seconds, work }: &MeasuredKernel| {
        let value = json!({
            "ns": seconds * 1e9, "ns_per_dof": per_point(*seconds),
            "bytes_per_dof": work.bytes, "flops_per_dof": work.flops,
            "fraction_of_copy": work.bytes * points / seconds / m.copy,
        });
        ((*name).to_owned(), value)
    };
    let measured = json!({
        "points": m.points,
        "gdof_per_s": points / m.speed.sustained * 1e-9, "gdof_per_s_burst": points / m.speed.burst * 1e-9,
        "ns_per_dof_stage": per_point(m.speed.sustained), "bytes_per_dof_stage": m.stage.bytes,
        "ns_per_dof_stage_core": m.threads.map(|t| per_point(m.speed.sustained) * t as f64),
        "nj_per_dof_stage": nanojoules(m),
        "watts": m.speed.joules.map(|joules| joules / m.speed.sustained),
        "bytes_per_point": m.memory as f64 / points, "copy_bandwidth": m.copy,
        "kernels": m.kernels.iter().map(kernel).collect::<Map<_, _>>(),
    });
    let mut result = Map::new();
    result.insert("version".into(), json!(crate::commands::version::program()));
    result.insert("created".into(), json!(Provenance::of_this_program().created));
    result.insert("machine".into(), json!(m.machine));
    result.insert("device".into(), json!(m.device));
    result.insert("threads".into(), json!(m.threads));
    result.extend(about(setup));
    result.extend(measured.as_object().cloned().unwrap_or_default());
    if let Some(s) = &m.ranks {
        let ranks = json!({
            "ranks": s.ranks, "points_of_all_ranks": s.points,
            "gdof_per_s_of_all_ranks": s.points as f64 / m.speed.sustained * 1e-9,
            "frontier_share": s.frontier, "packing_s": s.packing, "splitting_s": s.splitting,
            "transport": s.routes, "communication_s": s.times.communication, "overlap_s": s.times.overlap,
            "unhidden_s": s.times.unhidden, "bytes_sent": s.times.bytes, "messages_sent": s.times.messages,
        });
        result.extend(ranks.as_object().cloned().unwrap_or_default());
    }
    Value::Object(result)
}

/// Returns the entry of a case of a series that could not be set up, with the reason.
pub fn json_error(setup: &Setup, error: &str) -> Value {
    let mut result = about(setup);
    result.insert("error".into(), json!(error));
    Value::Object(result)
}
