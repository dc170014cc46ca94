//! Reading a rank's part of a mesh without the rest.
//!
//! Every rank opens the file by itself and reads the rows of its cells. What a rank sees it checks itself; the checksums
//! and whether sides between ranks lead back are sums over all ranks. A rank that finds something wrong says so before
//! the ranks next wait for each other, so that all of them stop.

use std::ops::Range;
use std::path::Path;

use mpi::collective::SystemOperation;
use mpi::topology::SimpleCommunicator;
use mpi::traits::*;

use super::NativeError;
use super::arrays::{MeshArrays, decoded};
use super::error::{damaged, faulty};
use super::file_group::{FileGroup, joined, open};
use super::partitioning::{check_together, parts_of, read_own};
use super::read::{check_stored, common, open_mesh, open_partitioning, read};
use crate::element::ElementKind;
use crate::io::agree;
use crate::mesh::partition::{OtherRank, Weights, divide_cells, divide_on_rank_0, localise, pairing};
use crate::mesh::{Fault, Mesh, Part};

/// What every rank knows of the whole mesh.
struct Whole<'a> {
    /// The group of the mesh.
    at: FileGroup<'a>,
    /// The division for as many ranks as there are, if it is kept.
    kept: Option<FileGroup<'a>>,
    kinds: Vec<ElementKind>,
    checksum: u64,
    hash: u64,
}

/// Who holds which cell.
enum PartSource<'a> {
    /// As the file says, for this number of parts.
    Stored(&'a FileGroup<'a>, usize),
    /// As was computed just now.
    Computed(Vec<u32>),
}

/// Reads this rank's part of a mesh, and checks with the other ranks all of the mesh; one rank reads the whole mesh.
/// Collective: all ranks succeed, or none.
///
/// If no division for the number of ranks is kept in the file, rank 0 reads how the cells are connected and makes one for
/// the given order of the solution.
pub fn read_part(path: &Path, comm: &SimpleCommunicator, order: usize) -> Result<Mesh, NativeError> {
    if comm.size() == 1 {
        return read(path);
    }
    let (rank, ranks) = (comm.rank() as usize, comm.size() as usize);
    let whole = agree(comm, Whole::open(path, ranks))?;
    let marks = [
        whole.checksum,
        whole.hash,
        whole.kinds.len() as u64,
        u64::from(whole.kept.is_some()),
    ];
    let mut of_rank_0 = marks;
    comm.process_at_rank(0).broadcast_into(&mut of_rank_0[..]);
    let same = match marks == of_rank_0 {
        true => Ok(()),
        false => Err(NativeError::Different {
            path: path.to_path_buf(),
            rank: comm.rank(),
        }),
    };
    agree(comm, same)?;
    let cells = whole.kinds.len();
    let (division, own, part_sum) = match &whole.kept {
        Some(at) => {
            let own = agree(comm, read_own(at, ranks, rank, cells))?;
            (PartSource::Stored(at, ranks), own.cells, own.sum)
        }
        None => {
            let part_of = divide_on_rank_0(comm, || whole.divide(ranks, order))?;
            let own = (0..cells).filter(|&cell| part_of[cell] as usize == rank).collect();
            (PartSource::Computed(part_of), own, 0)
        }
    };
    let (mesh, content) = agree(comm, whole.read(&division, own))?;
    let mine = [
        content.checksum_of_cells(|cell| mesh.global(cell)),
        part_sum,
        pairing(&mesh),
    ];
    let mut sums = mine;
    comm.all_reduce_into(&mine[..], &mut sums[..], SystemOperation::sum());
    agree(comm, whole.check_together(sums, &content))?;
    Ok(mesh)
}

impl<'a> Whole<'a> {
    fn open(path: &'a Path, ranks: usize) -> Result<Self, NativeError> {
        let root = open(path)?;
        let at = open_mesh(&root)?;
        let kinds = decoded(&at.read("kinds", &[])?).map_err(|detail| damaged(path, detail))?;
        Ok(Whole {
            kept: open_partitioning(&root, ranks)?,
            kinds,
            checksum: at.read_attribute("checksum", 1)?[0],
            hash: at.read_attribute("hash", 1)?[0],
            at,
        })
    }

    /// The part of each cell, from what lies behind the sides.
    fn divide(&self, ranks: usize, order: usize) -> Result<Vec<u32>, NativeError> {
        tracing::info!(
            "{} has no cells divided for {ranks} ranks: dividing them now (fr-les mesh partition does it once and for all)",
            self.at.path.display()
        );
        let sides = self.kinds.iter().map(|kind| kind.faces().len()).sum();
        let side_cells: Vec<i64> = self.at.read_of("side_cells", sides)?;
        let behind = |side: usize| usize::try_from(side_cells[side]).ok();
        divide_cells(&self.kinds, behind, ranks, &Weights::of(order)).map_err(|source| NativeError::Divide {
            path: self.at.path.to_path_buf(),
            source,
        })
    }

    /// This rank's cells as a mesh that is checked as far as can be, and as they are in the file.
    fn read(&self, division: &PartSource, own: Vec<usize>) -> Result<(Mesh, MeshArrays), NativeError> {
        let (at, cells) = (&self.at, self.kinds.len());
        let rest = common(at)?;
        let order = rest.geometry_order as usize;
        if let Some(&kind) = self.kinds.iter().find(|kind| order == 0 || order > kind.max_order()) {
            return Err(faulty(at.path, Fault::Order { kind, order }));
        }
        let nodes = self.places(&own, |kind| kind.points(order));
        let sides = self.places(&own, |kind| kind.faces().len());
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
        self.localise(&mut mesh, division, &own)?;
        mesh.part = Some(Part {
            global: own,
            cells,
            hash: self.hash,
        });
        mesh.check().map_err(|fault| faulty(at.path, fault))?;
        // Whether the lattice has as many cells as the mesh has been checked; a part is none.
        mesh.structured = None;
        Ok((mesh, content))
    }

    /// Turns sides that name cells of the whole mesh into those of this rank and of others.
    fn localise(&self, mesh: &mut Mesh, division: &PartSource, own: &[usize]) -> Result<(), NativeError> {
        let behind = mesh.sides.iter().filter_map(|side| side.neighbour());
        let mut others: Vec<usize> = behind
            .map(|(cell, ..)| cell)
            .filter(|cell| own.binary_search(cell).is_err())
            .collect();
        others.sort_unstable();
        others.dedup();
        if let Some(cell) = others.last().filter(|&&cell| cell >= self.kinds.len()) {
            let detail = format!("a side leads to cell {cell}, but there are {}", self.kinds.len());
            return Err(damaged(self.at.path, detail));
        }
        let ranks = match division {
            PartSource::Stored(at, parts) => parts_of(at, &others, *parts)?,
            PartSource::Computed(part_of) => others.iter().map(|&cell| part_of[cell]).collect(),
        };
        let other = |cell: usize| OtherRank {
            // Every cell that is not this rank's own is listed.
            rank: others.binary_search(&cell).map_or(0, |at| ranks[at] as usize),
            kind: self.kinds[cell],
        };
        for side in &mut mesh.sides {
            *side = localise(*side, own, other);
        }
        Ok(())
    }

    /// Where the entries of the cells `own` are, if cells follow each other without gaps.
    fn places(&self, own: &[usize], of_kind: impl Fn(ElementKind) -> usize) -> EntryRanges {
        let mut places = EntryRanges {
            own: Vec::with_capacity(own.len()),
            total: 0,
        };
        let mut next = own.iter().copied().peekable();
        for (cell, &kind) in self.kinds.iter().enumerate() {
            let end = places.total + of_kind(kind);
            if next.next_if_eq(&cell).is_some() {
                places.own.push(places.total..end);
            }
            places.total = end;
        }
        places
    }

    /// That the file has the entries of the cells `own` at their places.
    fn check_first(
        &self,
        name: &str,
        what: &'static str,
        own: &[usize],
        places: &EntryRanges,
    ) -> Result<(), NativeError> {
        self.at.check_length::<u64>(name, &[], self.kinds.len() + 1)?;
        let runs = joined(own.iter().map(|&cell| cell..cell + 1));
        // The row after a run says where its last cell ends.
        let with_ends: Vec<Range<usize>> = runs.iter().map(|run| run.start..run.end + 1).collect();
        let mut found = self.at.read_rows::<u64>(name, &[], &with_ends)?.into_iter();
        let mut places = places.own.iter();
        for run in &runs {
            let starts: Vec<_> = places.by_ref().take(run.len()).collect();
            let expected = starts
                .iter()
                .map(|place| place.start)
                .chain(starts.last().map(|place| place.end));
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

    /// What only all ranks together can check: `sums`, over all ranks, of the checksums of cells and of their parts, and
    /// of the pairing of sides.
    fn check_together(&self, [cells, parts, pairs]: [u64; 3], content: &MeshArrays) -> Result<(), NativeError> {
        if pairs != 0 {
            let detail = "sides between the cells of different ranks do not lead back in the same way";
            return Err(damaged(self.at.path, detail.to_owned()));
        }
        check_stored(&self.at, "checksum", cells.wrapping_add(content.checksum_of_rest()))?;
        let kept = self.kept.as_ref();
        kept.map_or(Ok(()), |at| check_together(at, parts, self.checksum))
    }
}

/// Where some cells have their entries in an array of all cells.
struct EntryRanges {
    /// The entries of each.
    own: Vec<Range<usize>>,
    /// Entries of all cells.
    total: usize,
}

/// Where each cell's entries begin, and the end of the last, if only these cells are kept.
fn firsts(own: &[Range<usize>]) -> Vec<u64> {
    let mut end = 0;
    let ends = own.iter().map(|place| {
        end += place.len() as u64;
        end
    });
    [0].into_iter().chain(ends).collect()
}
