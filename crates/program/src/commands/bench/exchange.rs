//! `fr-les bench --exchange`: time and bandwidth of the ways between ranks by the size of what travels, as a table, as
//! JSON and as a figure. An administrator sees from it whether GPUs reach each other and the network.

use std::time::Duration;

use serde_json::json;

use super::options::BenchArgs;
use crate::commands::{Failure, print_error, print_line, version};
use crate::device::DeviceError;
use crate::device::cuda::Probe;
use crate::format::four_digits;
use crate::halo::speeds::{LARGEST, Series, Speed, Speeds, measure};
use crate::halo::watchdog::Watchdog;
use crate::io::Provenance;
use crate::plot::draw;
use crate::plot::figure::{Curve, Figure, Panel, Scale, Style};
use crate::ranks::Ranks;

/// Longest time of a step of the work, such as the transfers of one size: more than NCCL may take to connect the ranks.
const LIMIT: Duration = Duration::from_secs(90);

/// Measures the ways between the ranks; the first rank prints and writes what was found. Collective.
///
/// # Errors
/// A GPU is asked for and cannot be used, a file cannot be written, or there is nothing to draw.
pub fn run(args: &BenchArgs, ranks: &Ranks) -> Result<(), Failure> {
    let first = ranks.rank() == 0;
    let writable = if first { args.check_files() } else { Ok(()) };
    ranks.agree(writable, Failure::OnOtherRank)?;
    let rank = ranks.rank();
    let watchdog = Watchdog::start(LIMIT, move |what| {
        print_error(&format!(
            "error: rank {rank} has waited for {} s in this step: {what}. Another rank, a GPU or the network does not \
             answer",
            LIMIT.as_secs()
        ));
        // The thread that waits may be inside of a library, whose exit would wait, too.
        signal_hook::low_level::exit(1);
    });
    let gpu = match args.device.as_str() {
        "cpu" => Err("--device cpu leaves GPUs out".to_owned()),
        kind => match Probe::open(ranks.node_rank_and_size().0, LARGEST) {
            Err(error) if kind == "cuda" => return Err(DeviceError::into(error)),
            opened => opened.map_err(|error| error.to_string()),
        },
    };
    let speeds = measure(ranks, gpu, &watchdog);
    drop(watchdog);
    if !first {
        return Ok(());
    }
    print_line(format_args!("{}", table(&speeds).trim_end()));
    let mut result = serde_json::to_value(&speeds).unwrap_or_default();
    result["version"] = json!(version::program());
    result["created"] = json!(Provenance::of_this_program().created);
    args.write(&[result], false)?;
    match &args.figure {
        None => Ok(()),
        Some(path) if speeds.series.is_empty() => Err(Failure::Argument(format!(
            "--figure {}: there is nothing to draw, because nothing could be measured: one rank without a GPU sends \
             nothing; start with `mpirun -n 2`",
            path.display()
        ))),
        Some(path) => draw(&figure(&speeds), path).map_err(|error| Failure::Argument(error.to_string())),
    }
}

/// Returns a number of bytes that is a power of two.
fn bytes(number: usize) -> String {
    match number {
        1048576.. => format!("{} MiB", number >> 20),
        _ => format!("{} KiB", number >> 10),
    }
}

/// Returns the way of a series in words.
fn name(series: &Series) -> String {
    let inside = match (series.ranks.len(), series.one_machine) {
        (1, _) => "",
        (_, true) => ", inside a machine",
        (_, false) => ", between machines",
    };
    format!("{}{inside}", series.way)
}

/// Returns the ranks of a series in words.
fn between(series: &Series) -> String {
    let ranks: Vec<String> = series.ranks.iter().map(ToString::to_string).collect();
    ranks.join(" and ")
}

/// Returns bandwidth at the largest size.
fn bandwidth(series: &Series) -> f64 {
    series.sizes.last().map_or(0.0, |speed| speed.gb_per_s)
}

/// Returns the slowest series of each way inside and between machines, in the order in which they were measured.
fn slowest(speeds: &Speeds) -> Vec<&Series> {
    let mut slowest: Vec<&Series> = Vec::new();
    for series in &speeds.series {
        match slowest.iter_mut().find(|known| name(known) == name(series)) {
            None => slowest.push(series),
            Some(known) if bandwidth(series) < bandwidth(known) => *known = series,
            Some(_) => {}
        }
    }
    slowest
}

/// Returns the table for people.
fn table(speeds: &Speeds) -> String {
    let mut lines = vec!["rank  machine, GPU".to_owned()];
    for (rank, place) in speeds.ranks.iter().enumerate() {
        let gpu = place.gpu.as_deref().unwrap_or("no GPU in use");
        lines.push(format!("{rank:>4}  {}, {gpu}", place.machine));
    }
    let columns = slowest(speeds);
    if !columns.is_empty() {
        lines.push("\ncolumn  way                           ranks            us at 1 KiB  GB/s at 64 MiB".to_owned());
    }
    for series in &speeds.series {
        let column = columns.iter().position(|column| *column == series);
        let least = series.sizes.first().map_or(0.0, |speed| 1e6 * speed.seconds);
        lines.push(format!(
            "{:>6}  {:<28}  {:<14} {:>13} {:>15}",
            column.map_or(String::new(), |column| (column + 1).to_string()),
            name(series),
            between(series),
            four_digits(least),
            four_digits(bandwidth(series))
        ));
    }
    if speeds.series.len() > columns.len() {
        lines.push("(columns have the slowest of each way)".to_owned());
    }
    if !columns.is_empty() {
        lines.push(by_size("GB/s in each direction", &columns, |speed| speed.gb_per_s));
        lines.push(by_size("us", &columns, |speed| 1e6 * speed.seconds));
    }
    if !speeds.missing.is_empty() {
        lines.push("\nnot measured".to_owned());
    }
    let mut reasons: Vec<(&str, Vec<String>)> = Vec::new();
    for missing in &speeds.missing {
        let way = missing.way.to_string();
        match reasons.iter_mut().find(|(reason, _)| *reason == missing.reason) {
            Some((_, ways)) => ways.push(way),
            None => reasons.push((&missing.reason, vec![way])),
        }
    }
    lines.extend(
        reasons
            .iter()
            .map(|(reason, ways)| format!("  {}: {reason}", ways.join(", "))),
    );
    lines.join("\n")
}

/// Returns the lines of a number by the size, with a column for each series, of which there is one at least.
fn by_size(what: &str, columns: &[&Series], number: impl Fn(&Speed) -> f64) -> String {
    let numbers: String = (1..=columns.len()).map(|column| format!("{column:>10}")).collect();
    let mut lines = vec![format!("\n{what}, by column"), format!("{:>8}{numbers}", "size")];
    for (row, first) in columns[0].sizes.iter().enumerate() {
        let speeds = columns.iter().filter_map(|series| series.sizes.get(row));
        let values: String = speeds
            .map(|speed| format!("{:>10}", four_digits(number(speed))))
            .collect();
        lines.push(format!("{:>8}{values}", bytes(first.bytes)));
    }
    lines.join("\n")
}

/// Returns the figure: the slowest of each way.
fn figure(speeds: &Speeds) -> Figure {
    let columns = slowest(speeds);
    let panel = |title: &str, unit: &str, value: fn(f64, f64) -> f64| Panel {
        title: title.to_owned(),
        x_label: "size in bytes".to_owned(),
        y_label: unit.to_owned(),
        x_scale: Scale::Logarithmic,
        y_scale: Scale::Logarithmic,
        curves: columns
            .iter()
            .enumerate()
            .map(|(number, series)| Curve {
                label: format!("{} ({})", name(series), between(series)),
                x: series.sizes.iter().map(|speed| speed.bytes as f64).collect(),
                y: series
                    .sizes
                    .iter()
                    .map(|speed| value(speed.seconds, speed.gb_per_s))
                    .collect(),
                style: Style::measured(number, number / 4),
            })
            .collect(),
        ..Panel::default()
    };
    let mut machines: Vec<&str> = speeds.ranks.iter().map(|place| place.machine.as_str()).collect();
    machines.dedup();
    Figure {
        title: "What travels between ranks".to_owned(),
        notes: vec![format!("{} ranks on {}", speeds.ranks.len(), machines.join(", "))],
        panels: vec![
            panel("Time", "time in \u{b5}s", |seconds, _| 1e6 * seconds),
            panel("Bandwidth in each direction", "GB/s", |_, gb_per_s| gb_per_s),
        ],
        ..Figure::default()
    }
}
