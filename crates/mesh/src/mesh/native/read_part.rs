//! Reading a rank's part of a mesh without the rest.
//!
//! Every rank opens the file by itself, reads the rows of its cells and checks them. The checksums and the consistency
//! of sides between ranks are checked together, as sums over all ranks. A rank that finds an error reports it before
//! the next collective operation, so that all ranks stop.

use std::ops::Range;
use std::path::Path;

use mpi::collective::SystemOperation;
use mpi::topology::SimpleCommunicator;
use mpi::traits::*;

use super::NativeError;
use super::error::{damaged, faulty};
use super::file_group::{FileGroup, check_stored, joined, open};
use super::mesh_arrays::{MeshArrays, decoded};
use super::partitioning::{check_together, parts_of, read_own};
use super::read::{common, open_mesh, open_partitioning, read};
use crate::element::ElementKind;
use crate::format::duration;
use crate::io::agree;
use crate::mesh::Fault;
use crate::mesh::partition::{
    Behind, OtherRank, Weights, divide_cells, divide_on_rank_0, localise, localise_mortars, pairing, seconds_to_divide,
};
use crate::mesh::types::{Mesh, Part};

/// Seconds from which on it is worth a warning that one rank divides a mesh while the others wait.
const LONG_WAIT: f64 = 30.0;

/// The data of the whole mesh that every rank reads.
struct Whole<'a> {
    /// Group of the mesh.
    at: FileGroup<'a>,
    /// Group of the stored partition for the number of ranks, if there is one.
    stored: Option<FileGroup<'a>>,
    kinds: Vec<ElementKind>,
    checksum: u64,
    hash: u64,
}

/// The source of the part of each cell.
enum PartSource<'a> {
    /// A partition stored in the file, and its number of parts.
    Stored(&'a FileGroup<'a>, usize),
    /// A partition that was just computed, `[cell]`.
    Computed(Vec<u32>),
}

/// Reads this rank's part of a mesh, and checks the whole mesh together with the other ranks. A single rank reads the
/// whole mesh. Collective: all ranks succeed, or none.
///
/// If the file has no partition for the number of ranks, or all cells at the boundaries of the names `together` shall
/// be on one rank, rank 0 reads the connectivity of the cells and computes one
/// for the given order of the solution.
///
/// # Errors
/// The file cannot be read, is not a native mesh file, is damaged or differs between ranks, the mesh cannot be divided,
/// or another rank fails.
pub fn read_part(
    path: &Path,
    comm: &SimpleCommunicator,
    order: usize,
    together: &[String],
) -> Result<Mesh, NativeError> {
    if comm.size() == 1 {
        return read(path);
    }
    let (rank, ranks) = (comm.rank() as usize, comm.size() as usize);
    let mut whole = agree(comm, Whole::open(path, ranks))?;
    whole.stored = whole.stored.filter(|_| together.is_empty());
    let marks = [
        whole.checksum,
        whole.hash,
        whole.kinds.len() as u64,
        u64::from(whole.stored.is_some()),
    ];
    let mut of_rank_0 = marks;
    comm.process_at_rank(0).broadcast_into(&mut of_rank_0[..]);
    let same = if marks == of_rank_0 {
        Ok(())
    } else {
        Err(NativeError::Different {
            path: path.to_path_buf(),
            rank: comm.rank(),
        })
    };
    agree(comm, same)?;
    let cells = whole.kinds.len();
    let (source, own, part_sum) = match &whole.stored {
        Some(at) => {
            let own = agree(comm, read_own(at, ranks, rank, cells))?;
            (PartSource::Stored(at, ranks), own.cells, own.sum)
        }
        None => {
            let part_of = divide_on_rank_0(comm, || whole.divide(ranks, order, together))?;
            let own = (0..cells).filter(|&cell| part_of[cell] as usize == rank).collect();
            (PartSource::Computed(part_of), own, 0)
        }
    };
    let (mesh, arrays) = agree(comm, whole.read(&source, own))?;
    let mine = [
        arrays.checksum_of_cells(|cell| mesh.global(cell)),
        part_sum,
        pairing(&mesh),
    ];
    let mut sums = mine;
    comm.all_reduce_into(&mine[..], &mut sums[..], SystemOperation::sum());
    agree(comm, whole.check_together(sums, &arrays))?;
    Ok(mesh)
}

impl<'a> Whole<'a> {
    fn open(path: &'a Path, ranks: usize) -> Result<Self, NativeError> {
        let root = open(path)?;
        let at = open_mesh(&root)?;
        let kinds = decoded(&at.read("kinds", &[])?).map_err(|detail| damaged(path, detail))?;
        Ok(Whole {
            stored: open_partitioning(&root, ranks)?,
            kinds,
            checksum: at.read_attribute("checksum", 1)?[0],
            hash: at.read_attribute("hash", 1)?[0],
            at,
        })
    }

    /// Computes the part of each cell from the connectivity.
    fn divide(&self, ranks: usize, order: usize, together: &[String]) -> Result<Vec<u32>, NativeError> {
        let path = self.at.path.display();
        let seconds = seconds_to_divide(self.kinds.len(), ranks);
        let why = if together.is_empty() {
            format!("{path} has no partition for {ranks} ranks")
        } else {
            format!(
                "all cells of {path} at {} go to one of {ranks} ranks",
                together.join(", ")
            )
        };
        if seconds > LONG_WAIT {
            tracing::warn!(
                "{why}: one rank computes a partition now, for about {}, and the others wait; `fr-les mesh partition` \
                 stores one in the file, which runs without interfaces use",
                duration(seconds)
            );
        } else {
            tracing::info!(
                "{why}: computing a partition now (`fr-les mesh partition` stores one in the file, which runs without \
                 interfaces use)"
            );
        }
        let sides = self.kinds.iter().map(|kind| kind.faces().len()).sum();
        let side_cells: Vec<i64> = self.at.read_of("side_cells", sides)?;
        let whole = common(&self.at)?;
        let names = whole.names().map_err(|detail| damaged(self.at.path, detail))?;
        let behind = |side: usize| match usize::try_from(side_cells[side]) {
            Ok(cell) => Behind::Cell(cell),
            Err(_) => match names.get((-1 - side_cells[side]) as usize) {
                Some(name) if together.contains(name) => Behind::Together,
                _ => Behind::Nothing,
            },
        };
        let parts = whole.parts().map_err(|detail| damaged(self.at.path, detail))?;
        divide_cells(&self.kinds, behind, &parts, ranks, &Weights::of(order)).map_err(|source| NativeError::Divide {
            path: self.at.path.to_path_buf(),
            source,
        })
    }

    /// Reads this rank's cells. Returns them as a mesh, checked as far as one rank can, and as arrays of the file.
    fn read(&self, source: &PartSource, own: Vec<usize>) -> Result<(Mesh, MeshArrays), NativeError> {
        let at = &self.at;
        let cells = self.kinds.len();
        let rest = common(at)?;
        let order = rest.geometry_order as usize;
        if let Some(&kind) = self.kinds.iter().find(|kind| order == 0 || order > kind.max_order()) {
            return Err(faulty(at.path, Fault::Order { kind, order }));
        }
        let nodes = self.entry_ranges(&own, |kind| kind.points(order));
        let sides = self.entry_ranges(&own, |kind| kind.faces().len());
        self.check_first("first_node", "nodes", &own, &nodes)?;
        self.check_first("first_side", "sides", &own, &sides)?;
        at.check_length::<f64>("nodes", &[3], nodes.total)?;
        at.check_length::<i64>("side_cells", &[], sides.total)?;
        at.check_length::<u16>("side_codes", &[], sides.total)?;
        let (_, tags) = at.dataset::<u64>("tags", &[])?;
        if tags > 0 {
            at.check_length::<u64>("tags", &[], cells)?;
        }
        let own_rows = joined(own.iter().map(|&cell| cell..cell + 1));
        let (node_rows, side_rows) = (joined(nodes.own.iter().cloned()), joined(sides.own.iter().cloned()));
        let content = MeshArrays {
            kinds: own.iter().map(|&cell| self.kinds[cell] as u8).collect(),
            first_node: firsts(&nodes.own),
            nodes: at.read_rows("nodes", &[3], &node_rows)?,
            first_side: firsts(&sides.own),
            side_cells: at.read_rows("side_cells", &[], &side_rows)?,
            side_codes: at.read_rows("side_codes", &[], &side_rows)?,
            tags: if tags > 0 {
                at.read_rows("tags", &[], &own_rows)?
            } else {
                vec![]
            },
            ..rest
        };
        let mut mesh = content.mesh().map_err(|detail| damaged(at.path, detail))?;
        self.localise(&mut mesh, source, &own)?;
        let parts = std::mem::take(&mut mesh.mortars);
        localise_mortars(&mut mesh, &parts, |cell| own.binary_search(&cell).ok()).map_err(|[a, b]| {
            let detail = format!("cells {a} and {b}, which meet at a divided face, are in two parts of the partition");
            damaged(at.path, detail)
        })?;
        mesh.part = Some(Part {
            global: own,
            cells,
            hash: self.hash,
        });
        mesh.check().map_err(|fault| faulty(at.path, fault))?;
        // The check has compared the size of the structured box with the mesh. A part is not a box.
        mesh.structured = None;
        Ok((mesh, content))
    }

    /// Converts sides that name cells of the whole mesh into sides of this rank and of others.
    fn localise(&self, mesh: &mut Mesh, source: &PartSource, own: &[usize]) -> Result<(), NativeError> {
        let behind = mesh.sides.iter().filter_map(|side| side.neighbour());
        let mut others: Vec<usize> = behind
            .map(|neighbour| neighbour.cell)
            .filter(|cell| own.binary_search(cell).is_err())
            .collect();
        others.sort_unstable();
        others.dedup();
        if let Some(cell) = others.last().filter(|&&cell| cell >= self.kinds.len()) {
            let detail = format!("a side leads to cell {cell}, but there are {}", self.kinds.len());
            return Err(damaged(self.at.path, detail));
        }
        let ranks = match source {
            PartSource::Stored(at, parts) => parts_of(at, &others, *parts)?,
            PartSource::Computed(part_of) => others.iter().map(|&cell| part_of[cell]).collect(),
        };
        let other = |cell: usize| OtherRank {
            // `others` lists every neighbour that is not one of this rank's own cells.
            rank: others.binary_search(&cell).map_or(0, |at| ranks[at] as usize),
            kind: self.kinds[cell],
        };
        for side in &mut mesh.sides {
            *side = localise(*side, |cell| own.binary_search(&cell).ok(), other);
        }
        Ok(())
    }

    /// Ranges of the entries of the cells `own` in an array in which cells follow each other without gaps.
    fn entry_ranges(&self, own: &[usize], of_kind: impl Fn(ElementKind) -> usize) -> EntryRanges {
        let mut ranges = EntryRanges {
            own: Vec::with_capacity(own.len()),
            total: 0,
        };
        let mut next = own.iter().copied().peekable();
        for (cell, &kind) in self.kinds.iter().enumerate() {
            let end = ranges.total + of_kind(kind);
            if next.next_if_eq(&cell).is_some() {
                ranges.own.push(ranges.total..end);
            }
            ranges.total = end;
        }
        ranges
    }

    /// Checks that the offsets in the file agree with the ranges of the cells `own`.
    fn check_first(
        &self,
        name: &str,
        what: &'static str,
        own: &[usize],
        ranges: &EntryRanges,
    ) -> Result<(), NativeError> {
        self.at.check_length::<u64>(name, &[], self.kinds.len() + 1)?;
        let runs = joined(own.iter().map(|&cell| cell..cell + 1));
        // The row after a run is the end of its last cell.
        let with_ends: Vec<Range<usize>> = runs.iter().map(|run| run.start..run.end + 1).collect();
        let mut found = self.at.read_rows::<u64>(name, &[], &with_ends)?.into_iter();
        let mut ranges = ranges.own.iter();
        for run in &runs {
            let starts: Vec<_> = ranges.by_ref().take(run.len()).collect();
            let expected = starts
                .iter()
                .map(|range| range.start)
                .chain(starts.last().map(|range| range.end));
            for (cell, (expected, found)) in (run.start..).zip(expected.zip(&mut found)) {
                if found != expected as u64 {
                    let found = usize::try_from(found).unwrap_or(usize::MAX);
                    return Err(faulty(
                        self.at.path,
                        Fault::First {
                            cell,
                            what,
                            found,
                            expected,
                        },
                    ));
                }
            }
        }
        Ok(())
    }

    /// Checks the sums over all ranks: the contributions of cells and of their parts to the checksums, and the pairing
    /// of sides.
    fn check_together(&self, [cells, parts, pairs]: [u64; 3], arrays: &MeshArrays) -> Result<(), NativeError> {
        if pairs != 0 {
            let detail = "sides between the cells of different ranks do not lead back consistently";
            return Err(damaged(self.at.path, detail.to_owned()));
        }
        check_stored(&self.at, "checksum", cells.wrapping_add(arrays.checksum_of_rest()))?;
        let stored = self.stored.as_ref();
        stored.map_or(Ok(()), |at| check_together(at, parts, self.checksum))
    }
}

/// The ranges of the entries of some cells in an array of all cells.
struct EntryRanges {
    /// Range of each of the cells.
    own: Vec<Range<usize>>,
    /// Number of entries of all cells.
    total: usize,
}

/// Offsets of the cells if only the cells with these ranges are kept.
fn firsts(own: &[Range<usize>]) -> Vec<u64> {
    let mut end = 0;
    let ends = own.iter().map(|range| {
        end += range.len() as u64;
        end
    });
    [0].into_iter().chain(ends).collect()
}
