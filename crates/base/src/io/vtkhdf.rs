//! Solutions as VTKHDF files, which ParaView and the `vtk` Python package open directly.
//!
//! A file holds the solution at one time. Its cells are Lagrange cells of the solution's own order, so that curved
//! cells and the polynomials inside them are drawn exactly and not as a bundle of small bricks. Cells share no points,
//! because the solution is discontinuous between them. Points and values are in the order of the lattice (x fastest),
//! cell by cell, which a script can reshape to (cells, n, n, n) for hexahedra without knowledge of VTK. The order of
//! VTK's nodes is in the connectivity, which readers apply. With one piece per rank, a parallel ParaView distributes
//! the reading. A checksum (`solution_checksum.rs`) lets reading find damage. Surfaces ([`super::write_surface`]) are
//! files of the same kind with other cells.
//!
//! The nodes and cells of a solution may be in a file of their own, to which the files of many times have external
//! links of HDF5, which readers follow without notice. Its name has a hash of what it holds, so that runs that divide
//! the mesh in the same way share it, and others have another one.

use std::ops::Range;
use std::path::Path;

use hdf5::Group;
use mpi::collective::SystemOperation;
use mpi::topology::SimpleCommunicator;
use mpi::traits::*;
use rayon::prelude::*;
use xxhash_rust::xxh3::xxh3_64;

use super::connectivity::Connectivity;
use super::form::{Compression, Form};
use super::lagrange;
use super::parallel::{Arrays, Share, Shared, Unfinished, agree, write_together};
use super::solution_checksum::{CHECKSUM, CellValues, of_cell, of_clock};
use super::{Error, Piece, PointField, Provenance};

/// Names of the arrays of nodes and cells.
const CELLS: [&str; 7] = [
    "NumberOfPoints",
    "NumberOfConnectivityIds",
    "NumberOfCells",
    POINTS,
    "Connectivity",
    "Offsets",
    "Types",
];

/// Version of the format: 2.0 brought the time steps, and nothing newer is used. Reads in VTK from 9.3.
const VERSION: [i64; 2] = [2, 0];

/// Name of the array of the positions of the nodes.
pub(super) const POINTS: &str = "Points";

/// Generous estimate of the size of the file without its arrays, in bytes.
const METADATA_BYTES: u64 = 1 << 20;

/// Writes a solution at one time to `path`. Collective.
///
/// The file replaces an older one when it is complete and on the medium. `time`, in the unit of the case, and `step`,
/// the number of completed time steps, are the same on all ranks. The `provenance` of rank 0 is written.
///
/// # Errors
/// Returns an error on all ranks if the data of a rank are inconsistent or if the file cannot be written. No part of
/// the file then remains.
pub fn write_solution(
    path: &Path,
    comm: &SimpleCommunicator,
    time: f64,
    step: u64,
    piece: &Piece,
    provenance: &Provenance,
) -> Result<(), Error> {
    place_solution(path, comm, time, step, piece, provenance, (Arrays::Now, None))?.complete(comm)
}

/// Does the same in some form, but leaves the arrays to [`super::Beside`] unless they are compressed. Collective.
///
/// # Errors
/// As for [`write_solution`].
pub fn begin_solution(
    path: &Path,
    comm: &SimpleCommunicator,
    time: f64,
    step: u64,
    piece: &Piece,
    provenance: &Provenance,
    form: Form,
) -> Result<Unfinished, Error> {
    let Form { cells_in, compression } = form;
    place_solution(
        path,
        comm,
        time,
        step,
        piece,
        provenance,
        (compression.arrays(), cells_in),
    )
}

/// Returns the name of the file of the nodes and cells of a solution, whose part is `piece` on this rank. Collective.
pub fn cells_name(comm: &SimpleCommunicator, piece: &Piece) -> String {
    let words = format!("{} {} {}", comm.rank(), piece.order, piece.single);
    let points = piece.points.as_flattened().iter().flat_map(|x| x.to_le_bytes());
    let ids = piece.cell_ids.iter().flat_map(|id| id.to_le_bytes());
    let bytes: Vec<u8> = words.into_bytes().into_iter().chain(ids).chain(points).collect();
    let mut hash = 0_u64;
    comm.all_reduce_into(&xxh3_64(&bytes), &mut hash, SystemOperation::sum());
    format!("solution-mesh_{hash:016x}.h5")
}

/// Begins the file of the nodes and cells of a solution, as [`begin_solution`] does that of a solution. Collective.
///
/// # Errors
/// As for [`write_solution`].
pub fn begin_cells(
    path: &Path,
    comm: &SimpleCommunicator,
    piece: &Piece,
    provenance: &Provenance,
    compression: Compression,
) -> Result<Unfinished, Error> {
    agree(comm, piece.check(path))?;
    let connectivity = Connectivity::new(piece);
    let nodes = |rows: Range<usize>, out: &mut Vec<i64>| connectivity.entries(rows, out);
    let types = |rows: Range<usize>, out: &mut Vec<u8>| types_of(piece, rows, out);
    let grid = Grid {
        single: piece.single,
        points: piece.points,
        first: &connectivity.first,
        nodes: &nodes,
        types: &types,
        fields: &[],
        numbers: &[("global_cell_id", piece.cell_ids)],
        cells_in: None,
        meant: String::new(),
        note: None,
        checksum: None,
    };
    let provenance = agree(comm, provenance.of_root(comm, path))?;
    let mut bytes = 0;
    comm.all_reduce_into(&grid.bytes(), &mut bytes, SystemOperation::sum());
    bytes += METADATA_BYTES + provenance.case_text.len() as u64;
    write_together(path, comm, bytes, compression.arrays(), Shared::create, |file| {
        let group = file.group(file.root(), "VTKHDF")?;
        write_cells(file, comm, &group, &grid)?;
        let data = file.group(&group, "CellData")?;
        write_numbers(file, comm, &data, &grid)?;
        provenance.write(file, file.root())
    })
}

fn place_solution(
    path: &Path,
    comm: &SimpleCommunicator,
    time: f64,
    step: u64,
    piece: &Piece,
    provenance: &Provenance,
    (arrays, cells_in): (Arrays, Option<&str>),
) -> Result<Unfinished, Error> {
    agree(comm, piece.check(path))?;
    let connectivity = Connectivity::new(piece);
    let mine = cells_checksum(piece, &connectivity.first);
    let mut checksum = 0;
    comm.all_reduce_into(&mine, &mut checksum, SystemOperation::sum());
    let nodes = |rows: Range<usize>, out: &mut Vec<i64>| connectivity.entries(rows, out);
    let types = |rows: Range<usize>, out: &mut Vec<u8>| types_of(piece, rows, out);
    let grid = Grid {
        single: piece.single,
        points: piece.points,
        first: &connectivity.first,
        nodes: &nodes,
        types: &types,
        fields: piece.fields,
        numbers: &[("global_cell_id", piece.cell_ids)],
        cells_in,
        meant: format!("order {}", piece.order),
        note: piece.note,
        checksum: Some(u64::wrapping_add(checksum, of_clock(time, step))),
    };
    write_grid_together(path, comm, time, step, &grid, provenance, arrays)
}

/// Appends VTK's types of a range of cells.
fn types_of(piece: &Piece, cells: Range<usize>, out: &mut Vec<u8>) {
    out.extend(piece.shapes[cells].iter().map(|&shape| lagrange::cell_type(shape)));
}

/// Returns this rank's share of the checksum of the cells, which begin at these nodes.
fn cells_checksum(piece: &Piece, first: &[usize]) -> u64 {
    let mut fields: Vec<&PointField> = piece.fields.iter().collect();
    fields.sort_by_key(|field| field.name);
    let share = |bytes: &mut Vec<u8>, cell: usize| {
        let nodes = first[cell]..first[cell + 1];
        let points = CellValues {
            name: POINTS,
            values: piece.points[nodes.clone()].as_flattened(),
        };
        let fields = fields.iter().map(|field| CellValues {
            name: field.name,
            values: &field.values[nodes.start * field.components..nodes.end * field.components],
        });
        let parts: Vec<CellValues> = [points].into_iter().chain(fields).collect();
        let kind = lagrange::cell_type(piece.shapes[cell]);
        of_cell(piece.cell_ids[cell], kind, &parts, piece.single, bytes)
    };
    let shares = (0..piece.cell_ids.len()).into_par_iter().map_init(Vec::new, share);
    shares.reduce(|| 0, u64::wrapping_add)
}

/// One rank's part of a file in VTK's terms.
pub(super) struct Grid<'a> {
    pub single: bool,
    pub points: &'a [[f64; 3]],
    /// Offsets of the cells in the connectivity, `[cell + 1]`.
    pub first: &'a [usize],
    /// Appends a range of the connectivity.
    pub nodes: &'a dyn Fn(Range<usize>, &mut Vec<i64>),
    /// Appends VTK's cell types of a range of cells.
    pub types: &'a dyn Fn(Range<usize>, &mut Vec<u8>),
    pub fields: &'a [PointField<'a>],
    /// Integer fields of the cells with their names.
    pub numbers: &'a [(&'a str, &'a [u64])],
    /// Name of the file of the same folder that has nodes, cells and their numbers, if another one has.
    pub cells_in: Option<&'a str>,
    /// Description of everything else that must be the same on all ranks.
    pub meant: String,
    /// Name and text of an attribute of the file.
    pub note: Option<(&'a str, &'a str)>,
    /// Checksum of a solution, of all ranks.
    pub checksum: Option<u64>,
}

impl Grid<'_> {
    fn cells(&self) -> usize {
        self.first.len() - 1
    }

    /// Returns the size of the arrays in the file.
    fn bytes(&self) -> u64 {
        let values = self.fields.iter().map(|field| field.components as u64).sum::<u64>();
        let float = if self.single { 4 } else { 8 };
        let of_fields = self.points.len() as u64 * values * float;
        if self.cells_in.is_some() {
            return of_fields;
        }
        // An entry of the connectivity per node; type, offset and numbers per cell; one more offset and three counts.
        let of_cells = self.cells() as u64 * (1 + 8 + 8 * self.numbers.len() as u64);
        of_fields + self.points.len() as u64 * 3 * float + self.first[self.cells()] as u64 * 8 + of_cells + 4 * 8
    }
}

/// Writes a checked grid up to what [`write_together`] leaves. Collective.
pub(super) fn write_grid_together(
    path: &Path,
    comm: &SimpleCommunicator,
    time: f64,
    step: u64,
    grid: &Grid,
    provenance: &Provenance,
    arrays: Arrays,
) -> Result<Unfinished, Error> {
    same_everywhere(path, comm, time, step, grid)?;
    let provenance = agree(comm, provenance.of_root(comm, path))?;

    let mut bytes = 0;
    comm.all_reduce_into(&grid.bytes(), &mut bytes, SystemOperation::sum());
    bytes += METADATA_BYTES + provenance.case_text.len() as u64;
    write_together(path, comm, bytes, arrays, Shared::create, |file| {
        write_all(file, comm, time, step, grid, &provenance)
    })
}

/// Checks that the ranks write the same file: otherwise they would wait for each other in different operations.
fn same_everywhere(path: &Path, comm: &SimpleCommunicator, time: f64, step: u64, grid: &Grid) -> Result<(), Error> {
    let fields: Vec<_> = grid.fields.iter().map(|field| (field.name, field.components)).collect();
    let meant = format!(
        "{path:?} {time:?} {step} {} {} {:?} {:?} {fields:?}",
        grid.meant, grid.single, grid.note, grid.cells_in
    );
    // MPI libraries get the order of unsigned integers wrong (`ranks::Ordered`); here any order serves.
    let hash = xxh3_64(meant.as_bytes()) as i64;
    // MPI writes what `hash` is, whatever type these have.
    let (mut least, mut greatest) = (0_i64, 0_i64);
    comm.all_reduce_into(&hash, &mut least, SystemOperation::min());
    comm.all_reduce_into(&hash, &mut greatest, SystemOperation::max());
    if least == greatest {
        return Ok(());
    }
    let detail = "the ranks differ in path, time, step, order, precision or fields".to_string();
    Err(Error::Input {
        path: path.to_path_buf(),
        detail,
    })
}

/// Writes all groups. They are dropped on return, as closing the file requires.
fn write_all(
    file: &Shared,
    comm: &SimpleCommunicator,
    time: f64,
    step: u64,
    grid: &Grid,
    provenance: &Provenance,
) -> Result<(), Error> {
    let group = file.group(file.root(), "VTKHDF")?;
    file.attribute(&group, "Version", &VERSION)?;
    file.text_attribute(&group, "Type", "UnstructuredGrid")?;
    if let Some(checksum) = grid.checksum {
        file.scalar_attribute(&group, CHECKSUM, checksum)?;
    }
    if let Some((name, words)) = grid.note {
        file.text_attribute(file.root(), name, words)?;
    }
    match grid.cells_in {
        Some(other) => CELLS.iter().try_for_each(|name| file.link(&group, name, other))?,
        None => write_cells(file, comm, &group, grid)?,
    }
    write_data(file, comm, &group, time, step, grid)?;
    write_step(file, comm, &group, time, grid)?;
    provenance.write(file, file.root())
}

/// Writes points, connectivity, and the sizes of the pieces.
fn write_cells(file: &Shared, comm: &SimpleCommunicator, group: &Group, grid: &Grid) -> Result<(), Error> {
    let cells = grid.cells();
    let entries = grid.first[cells];
    let sizes = [
        ("NumberOfPoints", grid.points.len()),
        ("NumberOfConnectivityIds", entries),
        ("NumberOfCells", cells),
    ];
    let one_per_rank = Share::new(comm, 1);
    for (name, size) in sizes {
        file.array(group, name, &one_per_rank, None, |_, out: &mut Vec<i64>| {
            out.push(size as i64)
        })?;
    }

    floats(
        file,
        group,
        POINTS,
        &Share::new(comm, grid.points.len()),
        Some(3),
        grid.single,
        grid.points.as_flattened(),
    )?;

    // Point numbers and offsets begin at zero in every piece.
    file.array(group, "Connectivity", &Share::new(comm, entries), None, grid.nodes)?;
    file.array(
        group,
        "Offsets",
        &Share::new(comm, cells + 1),
        None,
        |rows, out: &mut Vec<i64>| {
            out.extend(grid.first[rows].iter().map(|&node| node as i64));
        },
    )?;
    file.array(group, "Types", &Share::new(comm, cells), None, grid.types)
}

/// Writes point, cell and field data.
fn write_data(
    file: &Shared,
    comm: &SimpleCommunicator,
    group: &Group,
    time: f64,
    step: u64,
    grid: &Grid,
) -> Result<(), Error> {
    let node_share = Share::new(comm, grid.points.len());
    let data = file.group(group, "PointData")?;
    for field in grid.fields {
        let width = (field.components > 1).then_some(field.components);
        floats(file, &data, field.name, &node_share, width, grid.single, field.values)?;
    }
    let data = file.group(group, "CellData")?;
    match grid.cells_in {
        Some(other) => grid
            .numbers
            .iter()
            .try_for_each(|(name, _)| file.link(&data, name, other))?,
        None => write_numbers(file, comm, &data, grid)?,
    }
    let data = file.group(group, "FieldData")?;
    let on_root = on_root(comm);
    file.array(&data, "time", &on_root, None, |rows, out: &mut Vec<f64>| {
        out.extend(rows.map(|_| time))
    })?;
    file.array(&data, "step", &on_root, None, |rows, out: &mut Vec<u64>| {
        out.extend(rows.map(|_| step))
    })
}

/// Writes the integer fields of the cells.
fn write_numbers(file: &Shared, comm: &SimpleCommunicator, data: &Group, grid: &Grid) -> Result<(), Error> {
    let share = Share::new(comm, grid.cells());
    for (name, numbers) in grid.numbers {
        file.array(data, name, &share, None, |rows, out: &mut Vec<u64>| {
            out.extend_from_slice(&numbers[rows]);
        })?;
    }
    Ok(())
}

/// Writes the list of time steps, with the one that is in the file: here readers find the physical time.
fn write_step(file: &Shared, comm: &SimpleCommunicator, group: &Group, time: f64, grid: &Grid) -> Result<(), Error> {
    let steps = file.group(group, "Steps")?;
    file.scalar_attribute(&steps, "NSteps", 1_i64)?;
    let on_root = on_root(comm);
    let ones = |rows: Range<usize>, value: i64, out: &mut Vec<i64>| out.extend(rows.map(|_| value));
    file.array(&steps, "Values", &on_root, None, |rows, out: &mut Vec<f64>| {
        out.extend(rows.map(|_| time))
    })?;
    let ranks = i64::from(comm.size());
    file.array(&steps, "NumberOfParts", &on_root, None, |rows, out| {
        ones(rows, ranks, out)
    })?;
    for name in ["PartOffsets", "PointOffsets"] {
        file.array(&steps, name, &on_root, None, |rows, out| ones(rows, 0, out))?;
    }
    for name in ["CellOffsets", "ConnectivityIdOffsets"] {
        // The second dimension counts the kinds of cells, which only surfaces have several of.
        file.array(&steps, name, &on_root, Some(1), |rows, out| ones(rows, 0, out))?;
    }
    let offsets = file.group(&steps, "PointDataOffsets")?;
    for field in grid.fields {
        file.array(&offsets, field.name, &on_root, None, |rows, out| ones(rows, 0, out))?;
    }
    let offsets = file.group(&steps, "CellDataOffsets")?;
    for (name, _) in grid.numbers {
        file.array(&offsets, name, &on_root, None, |rows, out| ones(rows, 0, out))?;
    }
    let offsets = file.group(&steps, "FieldDataOffsets")?;
    let sizes = file.group(&steps, "FieldDataSizes")?;
    for name in ["time", "step"] {
        file.array(&offsets, name, &on_root, None, |rows, out| ones(rows, 0, out))?;
        // Components and tuples.
        file.array(&sizes, name, &on_root, Some(2), |rows, out| {
            ones(0..2 * rows.len(), 1, out)
        })?;
    }
    Ok(())
}

/// Returns the share of an array of one row: rank 0 writes it.
fn on_root(comm: &SimpleCommunicator) -> Share {
    Share::new(comm, usize::from(comm.rank() == 0))
}

/// Writes an array of floats in the precision of the file; `values` row by row.
fn floats(
    file: &Shared,
    group: &Group,
    name: &str,
    share: &Share,
    width: Option<usize>,
    single: bool,
    values: &[f64],
) -> Result<(), Error> {
    let columns = width.unwrap_or(1);
    let of = |rows: Range<usize>| &values[rows.start * columns..rows.end * columns];
    if single {
        let rows = |rows, out: &mut Vec<f32>| out.extend(of(rows).iter().map(|&value| value as f32));
        file.array(group, name, share, width, rows)
    } else {
        file.array(group, name, share, width, |rows, out: &mut Vec<f64>| {
            out.extend_from_slice(of(rows))
        })
    }
}
