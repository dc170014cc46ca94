//! Solutions on straight sub-cells as VTKHDF files, for programs that search points in Lagrange cells badly.
//!
//! A cell is divided at a lattice of points at equal distances into tetrahedra, hexahedra, prisms and pyramids of
//! degree 1. The sub-cells of a cell share their points; cells share none, because the solution is discontinuous
//! between them. Readers open these files as they open those of solutions ([`super::write_solution`]). A cell is the
//! same however the mesh is divided among ranks.

use std::ops::Range;
use std::path::Path;

use mpi::topology::SimpleCommunicator;

use super::form::Compression;
use super::parallel::{Unfinished, agree};
use super::piece::check_fields;
use super::vtkhdf::{Grid, write_grid_together};
use super::{Error, PointField, Provenance};
use crate::element::{ElementKind, PerKind, SubCellShape, SubCells};

/// VTK's numbers of straight cells.
const TETRAHEDRON: u8 = 10;
const HEXAHEDRON: u8 = 12;
const WEDGE: u8 = 13;
const PYRAMID: u8 = 14;
/// All of them.
pub(super) const TYPES: [u8; 4] = [TETRAHEDRON, HEXAHEDRON, WEDGE, PYRAMID];

/// The division of one kind of cell into straight sub-cells.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Division {
    /// Reference coordinates of the points, in the order of [`ElementKind::lattice`].
    pub points: Vec<[f64; 3]>,
    /// VTK's type of each sub-cell.
    types: Vec<u8>,
    /// Offsets of the sub-cells in `nodes`, `[sub-cell + 1]`.
    first: Vec<usize>,
    /// Points of the sub-cells in VTK's order.
    nodes: Vec<usize>,
}

impl Division {
    /// Divides a cell into `parts` >= 1 along each edge.
    pub fn new(kind: ElementKind, parts: usize) -> Self {
        let at = |index: usize| 2.0 * index as f64 / parts as f64 - 1.0;
        let place = |[i, j, k]: [usize; 3]| match kind {
            // A layer has k points fewer along each edge, and is centred.
            ElementKind::Pyramid => {
                let centred = |i: usize| (2 * i + k) as f64 / parts as f64 - 1.0;
                [centred(i), centred(j), k as f64 / parts as f64]
            }
            _ => [i, j, k].map(at),
        };
        let mut division = Division {
            points: kind.lattice(parts).into_iter().map(place).collect(),
            first: vec![0],
            ..Division::default()
        };
        for cell in SubCells::new(kind, parts).cells {
            let p = &cell.points;
            match cell.shape {
                SubCellShape::Element(ElementKind::Tet) => division.push(TETRAHEDRON, p),
                SubCellShape::Element(ElementKind::Hex) => division.push(HEXAHEDRON, p),
                // The Jacobian of VTK's shape functions is then positive, against the picture in its documentation.
                SubCellShape::Element(ElementKind::Prism) => division.push(WEDGE, p),
                SubCellShape::Element(ElementKind::Pyramid) => division.push(PYRAMID, p),
                // VTK has no octahedron: four tetrahedra around the line between its poles.
                SubCellShape::Octahedron => {
                    for i in 0..4 {
                        division.push(TETRAHEDRON, &[p[1 + (i + 1) % 4], p[1 + i], p[0], p[5]]);
                    }
                }
            }
        }
        division
    }

    fn push(&mut self, number: u8, points: &[usize]) {
        self.types.push(number);
        self.nodes.extend_from_slice(points);
        self.first.push(self.nodes.len());
    }

    /// Number of sub-cells.
    pub fn len(&self) -> usize {
        self.types.len()
    }

    /// Whether there are no sub-cells, as of a kind that the mesh lacks.
    pub fn is_empty(&self) -> bool {
        self.types.is_empty()
    }

    /// Number of points of all sub-cells.
    pub fn entries(&self) -> usize {
        self.nodes.len()
    }
}

/// One rank's part of a solution on sub-cells, which may be empty.
#[derive(Debug, Clone, Copy)]
pub struct DividedPiece<'a> {
    /// True to store coordinates and fields in 32 bits, false for 64 bits; the same on all ranks.
    pub single: bool,
    /// Number of parts along each edge; the same on all ranks.
    pub parts: usize,
    /// The divisions of the kinds that occur.
    pub divisions: &'a PerKind<Division>,
    /// Global number of each cell.
    pub cell_ids: &'a [u64],
    /// Kind of each cell.
    pub kinds: &'a [ElementKind],
    /// Positions of the points, cell by cell as its division has them, unit of length of the case.
    pub points: &'a [[f64; 3]],
    /// The fields; names and components are the same on all ranks, in the same order.
    pub fields: &'a [PointField<'a>],
}

impl DividedPiece<'_> {
    /// Checks lengths and names.
    fn check(&self, path: &Path) -> Result<(), Error> {
        let refuse = |detail: String| {
            Err(Error::Input {
                path: path.to_path_buf(),
                detail,
            })
        };
        let (kinds, cells) = (self.kinds.len(), self.cell_ids.len());
        if kinds != cells {
            return refuse(format!("{kinds} kinds for {cells} cells"));
        }
        if let Some(kind) = self.kinds.iter().find(|kind| self.divisions[**kind].is_empty()) {
            return refuse(format!("{kind} cells are not divided"));
        }
        let needed: usize = self.kinds.iter().map(|kind| self.divisions[*kind].points.len()).sum();
        let points = self.points.len();
        if points != needed {
            return refuse(format!("{points} points for {cells} divided cells: {needed} needed"));
        }
        check_fields(path, self.fields, points)
    }

    /// Divisions of all cells.
    fn divisions(&self) -> impl Iterator<Item = &Division> {
        self.kinds.iter().map(|kind| &self.divisions[*kind])
    }

    /// Appends the entries `rows` of the connectivity, which may begin and end inside a cell. `first` has the first
    /// entry and the first point of each cell.
    fn append_nodes(&self, first: &[[usize; 2]], rows: Range<usize>, out: &mut Vec<i64>) {
        let mut cell = first.partition_point(|[entry, _]| *entry <= rows.start) - 1;
        while cell < self.kinds.len() && first[cell][0] < rows.end {
            let [entry, point] = first[cell];
            let nodes = &self.divisions[self.kinds[cell]].nodes;
            let within = rows.start.max(entry) - entry..(rows.end - entry).min(nodes.len());
            out.extend(nodes[within].iter().map(|node| (point + node) as i64));
            cell += 1;
        }
    }
}

/// Begins to write a solution on sub-cells at one time to `path`. Collective; see [`super::begin_solution`].
///
/// # Errors
/// The data of a rank are inconsistent, or the file cannot be written.
pub fn begin_divided_solution(
    path: &Path,
    comm: &SimpleCommunicator,
    time: f64,
    step: u64,
    piece: &DividedPiece,
    provenance: &Provenance,
    compression: Compression,
) -> Result<Unfinished, Error> {
    agree(comm, piece.check(path))?;
    let mut first_of_cell = vec![[0; 2]];
    let mut first = vec![0];
    let mut types = Vec::new();
    let mut ids = Vec::new();
    for (division, id) in piece.divisions().zip(piece.cell_ids) {
        let [entry, point] = first_of_cell[first_of_cell.len() - 1];
        first.extend(division.first[1..].iter().map(|at| entry + at));
        first_of_cell.push([entry + division.entries(), point + division.points.len()]);
        types.extend_from_slice(&division.types);
        ids.extend(std::iter::repeat_n(*id, division.len()));
    }
    let grid = Grid {
        single: piece.single,
        points: piece.points,
        first: &first,
        nodes: &|rows, out| piece.append_nodes(&first_of_cell, rows, out),
        types: &|rows, out| out.extend_from_slice(&types[rows]),
        fields: piece.fields,
        numbers: &[("global_cell_id", &ids)],
        cells_in: None,
        meant: format!("{} parts", piece.parts),
        note: None,
        checksum: None,
    };
    write_grid_together(path, comm, time, step, &grid, provenance, compression.arrays())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vector::{Vector, cross, dot};

    /// Volume of a straight sub-cell whose faces are flat: that of the tetrahedra between the origin and the triangles
    /// of its faces, which are listed anticlockwise as seen from outside.
    fn volume(number: u8, x: &[Vector]) -> f64 {
        let faces: &[&[usize]] = match number {
            TETRAHEDRON => &[&[0, 1, 3], &[1, 2, 3], &[2, 0, 3], &[0, 2, 1]],
            HEXAHEDRON => &[
                &[0, 4, 7, 3],
                &[1, 2, 6, 5],
                &[0, 1, 5, 4],
                &[3, 7, 6, 2],
                &[0, 3, 2, 1],
                &[4, 5, 6, 7],
            ],
            WEDGE => &[&[0, 2, 1], &[3, 4, 5], &[0, 1, 4, 3], &[1, 2, 5, 4], &[2, 0, 3, 5]],
            _ => &[&[0, 3, 2, 1], &[0, 1, 4], &[1, 2, 4], &[2, 3, 4], &[3, 0, 4]],
        };
        let triangles = faces.iter().flat_map(|face| {
            let fan = 1..face.len() - 1;
            fan.map(|i| dot(x[face[0]], cross(x[face[i]], x[face[i + 1]])) / 6.0)
        });
        triangles.sum()
    }

    #[test]
    fn sub_cells_of_vtk_fill_the_element_and_none_is_turned_inside_out() {
        for kind in ElementKind::ALL {
            for parts in 1..=8 {
                let division = Division::new(kind, parts);
                assert_eq!(division.points.len(), kind.points(parts));
                let of_cell = |cell: usize| {
                    let nodes = &division.nodes[division.first[cell]..division.first[cell + 1]];
                    let x: Vec<Vector> = nodes.iter().map(|&node| division.points[node]).collect();
                    volume(division.types[cell], &x)
                };
                let volumes: Vec<f64> = (0..division.len()).map(of_cell).collect();
                assert!(volumes.iter().all(|volume| *volume > 1e-6), "{kind} {parts}");
                let sum: f64 = volumes.iter().sum();
                assert!((sum - kind.volume()).abs() < 1e-12, "{kind} {parts}: {sum}");
            }
        }
    }

    #[test]
    fn entries_do_not_depend_on_where_rows_are_split() {
        let divisions = PerKind::new(|kind| Division::new(kind, 2));
        let kinds = [ElementKind::Tet, ElementKind::Hex, ElementKind::Pyramid];
        let piece = DividedPiece {
            single: false,
            parts: 2,
            divisions: &divisions,
            cell_ids: &[0, 1, 2],
            kinds: &kinds,
            points: &[],
            fields: &[],
        };
        let mut first = vec![[0; 2]];
        let mut whole = Vec::new();
        for division in piece.divisions() {
            let [entry, point] = first[first.len() - 1];
            whole.extend(division.nodes.iter().map(|node| (point + node) as i64));
            first.push([entry + division.entries(), point + division.points.len()]);
        }
        for split in 0..=whole.len() {
            let mut out = Vec::new();
            for rows in [0..split, split..whole.len()] {
                piece.append_nodes(&first, rows, &mut out);
            }
            assert!(out == whole, "{split}");
        }
        let refused = piece.check(Path::new("a")).expect_err("has no points").to_string();
        assert!(refused.contains("0 points for 3 divided cells: 51 needed"), "{refused}");
    }
}
