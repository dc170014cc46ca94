//! `fr-les bench --loops`: times of mesh loops over the cells, faces, edges and nodes of boxes ([`crate::loops`]).

use mpi::topology::SimpleCommunicator;
use mpi::traits::Communicator;

use super::{BenchArgs, Failure};
use crate::commands::{print_line, version, word};
use crate::device::cpu::{Host, processor_name, vector_set};
use crate::device::cuda::GpuStore;
use crate::device::{DeviceError, DeviceKind};
use crate::element::ElementKind;
use crate::io::Provenance;
use crate::loops::{Fields, LoopMachine, Mode, Row, Tables, copy_bandwidth, measure};
use crate::mesh::{BoxElements, BoxMesh, Mesh, WarpKind, build_box};
use crate::plot::loops::{Case, LoopTime, LoopTimes, LoopsFile, Split};
use crate::solver::choose_device_kind;

/// Measures the loops that the arguments ask for, prints their times and writes them. Returns the exit code.
///
/// # Errors
/// There are several ranks, a box cannot be divided so, the device fails, or a file cannot be written.
pub fn run(args: &BenchArgs, world: &SimpleCommunicator) -> Result<u8, Failure> {
    if world.size() > 1 {
        return Err(Failure::Argument(
            "--loops measures one processor or GPU: start it without mpirun".into(),
        ));
    }
    args.check_files()?;
    let kind = match args.device.as_str() {
        "cpu" => DeviceKind::Cpu,
        "cuda" => DeviceKind::Cuda,
        _ => DeviceKind::Auto,
    };
    match choose_device_kind(kind, 0)? {
        Some(gpu) => {
            let machine = gpu.name.clone();
            let store = GpuStore::new(gpu, false).map_err(DeviceError::from)?;
            on_machine(args, &store, machine, None)
        }
        None => {
            let store = Host::new(args.threads)?;
            let machine = format!("{}, {}", processor_name(), vector_set()?);
            on_machine(args, &store, machine, Some(store.threads()))
        }
    }
}

fn on_machine<M: LoopMachine>(
    args: &BenchArgs,
    store: &M,
    machine: String,
    threads: Option<usize>,
) -> Result<u8, Failure> {
    let mut times = LoopTimes {
        version: version::program(),
        created: Provenance::of_this_program().created,
        machine,
        threads,
        copy_bandwidth: copy_bandwidth(store)?,
        cases: Vec::new(),
    };
    let of_threads = threads.map_or(String::new(), |threads| format!(", threads: {threads}"));
    print_line(format_args!(
        "{}{of_threads}; copy {:.1} GB/s",
        times.machine,
        1e-9 * times.copy_bandwidth
    ));
    for &elements in &args.elements {
        for &cubes in &args.cells.0 {
            let mesh = a_box(elements, cubes).map_err(|e| Failure::Argument(e.to_string()))?;
            let natural = Tables::new(&mesh).map_err(|e| Failure::Argument(e.to_string()))?;
            for &numbering in &args.numbering {
                let tables = numbering.apply(&natural);
                for precision in &args.precision {
                    let rows = match precision.as_str() {
                        "single" => measure::<M, f32>(store, &tables, Fields::default())?,
                        _ => measure::<M, f64>(store, &tables, Fields::default())?,
                    };
                    let sizes = tables.sizes();
                    let case = Case {
                        elements: word(elements),
                        cubes,
                        cells: sizes.cells,
                        faces: sizes.faces,
                        edges: sizes.edges,
                        nodes: sizes.nodes,
                        hexahedra: share_of_hexahedra(&mesh),
                        numbering: word(numbering),
                        precision: precision.clone(),
                        splits: splits(&rows),
                        rows: rows.iter().map(|row| time_of(row, times.copy_bandwidth)).collect(),
                    };
                    print(&case);
                    times.cases.push(case);
                    // What is measured is on file before the next case begins.
                    write(args, &times)?;
                }
            }
        }
    }
    Ok(0)
}

/// Returns a box of the unit cube whose sides are boundaries.
fn a_box(elements: BoxElements, cubes: u64) -> Result<Mesh, crate::mesh::BoxError> {
    let of = BoxMesh {
        cells: [cubes as usize; 3],
        lower: [0.0; 3],
        upper: [1.0; 3],
        periodic: [false; 3],
        elements,
        stretch: [None; 3],
        warp: 0.0,
        warp_kind: WarpKind::Curved,
    };
    build_box(&of, 1)
}

fn share_of_hexahedra(mesh: &Mesh) -> f64 {
    let hexahedra = mesh.kinds.iter().filter(|&&kind| kind == ElementKind::Hex).count();
    hexahedra as f64 / mesh.len() as f64
}

fn time_of(row: &Row, copy: f64) -> LoopTime {
    let speed = row.bytes as f64 / row.seconds;
    LoopTime {
        name: row.spec.name.to_owned(),
        quantity: row.spec.quantity.to_owned(),
        mode: row.mode.name().to_owned(),
        items: row.items,
        colours: row.colours,
        seconds_of_100: 100.0 * row.seconds,
        ns_per_item: 1e9 * row.seconds / row.items as f64,
        bytes: row.bytes,
        bytes_per_s: speed,
        fraction_of_copy: speed / copy,
        same_bits: row.same_bits,
        difference: row.difference,
    }
}

/// Divides the times of the loops over the edges of a median dual.
fn splits(rows: &[Row]) -> Vec<Split> {
    let seconds = |name: &str, mode: Mode| {
        let row = rows.iter().find(|row| row.spec.name == name && row.mode == mode);
        row.map(|row| row.seconds)
    };
    let of = |quantity: &&str| {
        let by_edges = seconds(&format!("{quantity} by edges"), Mode::Colours)?;
        Some(Split::new(
            quantity,
            by_edges,
            seconds(&format!("{quantity} by nodes"), Mode::Gather)?,
        ))
    };
    ["gradient", "flux"].iter().filter_map(of).collect()
}

/// Prints the table of a case.
fn print(case: &Case) {
    print_line(format_args!(
        "\n{}, {}^3 cubes: {} cells ({:.0} % hexahedra), {} faces, {} edges, {} nodes; {} order, {} precision",
        case.elements,
        case.cubes,
        case.cells,
        100.0 * case.hexahedra,
        case.faces,
        case.edges,
        case.nodes,
        case.numbering,
        case.precision
    ));
    print_line(format_args!(
        "{:<18} {:<17} {:>7} {:>13} {:>9} {:>9} {:>8} {:>9} {:>10}",
        "loop", "mode", "colours", "s/100 passes", "ns/item", "GB/s", "of copy", "same bits", "difference"
    ));
    for row in &case.rows {
        print_line(format_args!(
            "{:<18} {:<17} {:>7} {:>13.5} {:>9.3} {:>9.1} {:>6.0} % {:>9} {:>10.1e}",
            row.name,
            row.mode,
            row.colours
                .map_or_else(|| "-".to_owned(), |colours| colours.to_string()),
            row.seconds_of_100,
            row.ns_per_item,
            1e-9 * row.bytes_per_s,
            100.0 * row.fraction_of_copy,
            if row.same_bits { "yes" } else { "no" },
            row.difference
        ));
    }
    for split in &case.splits {
        print_line(format_args!(
            "{}: t_edges = {:.3} ms, t_nodes = {:.3} ms, so that t_memory = {:.3} ms and t_arithmetic = {:.3} ms",
            split.quantity,
            1e3 * split.by_edges,
            1e3 * split.by_nodes,
            1e3 * split.memory,
            1e3 * split.arithmetic
        ));
    }
}

fn write(args: &BenchArgs, times: &LoopTimes) -> Result<(), Failure> {
    let Some(path) = &args.json else { return Ok(()) };
    let file = LoopsFile { loops: times.clone() };
    let text = serde_json::to_string_pretty(&file).unwrap_or_default();
    Ok(crate::io::atomic_write(path, text.as_bytes())?)
}
