//! The construction of the median dual.
//!
//! The facet of an edge in a sub-cell is two triangles that the middle of the edge, the centre of the sub-cell and the
//! centres of its two faces at the edge span. The facets of all sub-cells of a cell are added first, then those of the
//! cells at a vertex, in the order of the cells' global numbers, whichever ranks hold them. The volume around a vertex
//! is the sum of area . displacement / 6 over its edges.

use rayon::prelude::*;

use super::construction::{CHUNK, Construction, EdgeShare};
use super::dual::{BoundaryVertices, DualMesh};
use super::error::DualError;
use super::numbering::Numbering;
use super::periods::{Periods, TURNS};
use super::shares::{BoundaryShare, Edges};
use super::vertices::Vertices;
use crate::geometry::{Geometry, WallDistance, by_cells};
use crate::mesh::Mesh;
use crate::ranks::Ranks;
use crate::vector::{Vector, dot};

/// Distance from a wall at which a vertex touches it, relative to its shortest edge.
const TOUCHES: f64 = 1e-6;

impl DualMesh {
    /// Builds the median dual of the points of degree `order`, on which `geometry` is. Distances are those from the
    /// boundaries for which `is_wall` holds. Collective: all ranks succeed, or none.
    ///
    /// # Errors
    /// The periods of the mesh do not go together, or the dual of a vertex has no positive volume.
    pub fn new(
        mesh: &Mesh,
        geometry: &Geometry,
        order: usize,
        is_wall: impl Fn(usize) -> bool,
        ranks: &Ranks,
    ) -> Result<Self, DualError> {
        let periods = Periods::new(mesh, geometry, order, ranks)?;
        let vertices = Vertices::new(mesh, geometry, order, &periods, ranks)?;
        let mut construction = Construction::new(mesh, geometry, order, vertices, ranks.rank());
        let edges = construction.exchange_edges(ranks);
        let (mut dual, numbering) = construction.numbered(&edges, ranks);
        let images = &construction.vertices.image;
        dual.rotation = construction.vertices.rotation.clone();
        if dual.rotation.is_some() {
            dual.point_turns = images.iter().map(|image| image[TURNS]).collect();
        }
        construction.collect_edges(&edges, &numbering, &mut dual);
        ranks.agree(construction.refuse_volumes(&dual, &numbering), DualError::OnOtherRank)?;
        dual.boundary = construction.boundaries(&numbering, ranks);
        let mut volume = std::mem::take(&mut dual.volume);
        dual.update_halo(ranks, &mut volume);
        dual.volume = volume;
        dual.measure_wall_distance(mesh, geometry, order, is_wall, ranks);
        Ok(dual)
    }

    /// Finds the distances of all vertices from the walls. Those of vertices on walls are zero, and others are not: a
    /// vertex that touches a wall of another block, at a plane between two blocks, is as far as its shortest edge.
    fn measure_wall_distance(
        &mut self,
        mesh: &Mesh,
        geometry: &Geometry,
        order: usize,
        is_wall: impl Fn(usize) -> bool,
        ranks: &Ranks,
    ) {
        let mut distance = vec![f64::INFINITY; self.len()];
        // The images of walls by rotation are seen from vertices that are turned the other way, by the angle of their
        // block.
        let angles = self.angles(ranks);
        let owned = &self.position[..self.owned];
        let (places, ways) = match &self.rotation {
            None => (owned.to_vec(), 1),
            Some(rotation) => {
                let seen = |(&x, &angle): (&Vector, &Option<usize>)| {
                    rotation.of_points_by(angle).map(|turns| rotation.carried(turns, x))
                };
                let places: Vec<[Vector; 3]> = owned.iter().zip(&angles).map(seen).collect();
                (places.into_flattened(), 3)
            }
        };
        if let Some(walls) = WallDistance::of_positions(&places, mesh, geometry, order, &is_wall, ranks) {
            let of_owned = distance[..self.owned].par_iter_mut().zip(places.par_chunks(ways));
            of_owned.for_each(|(distance, places)| {
                let from = places.iter().map(|x| walls.from_surfaces(*x));
                *distance = from.fold(f64::INFINITY, f64::min);
            });
        }
        for vertex in 0..self.owned {
            let shortest = self.shortest_edge(vertex);
            if distance[vertex] < TOUCHES * shortest {
                distance[vertex] = shortest;
            }
        }
        for (_, boundary) in self.boundary.iter().enumerate().filter(|(number, _)| is_wall(*number)) {
            boundary.vertex.iter().for_each(|&v| distance[v as usize] = 0.0);
        }
        self.update_halo(ranks, &mut distance);
        self.wall_distance = distance;
    }
}

/// Returns the lists of all pieces as one.
fn joined<T: Copy + Default + Send + Sync>(pieces: &[Piece], list: impl Fn(&Piece) -> &Vec<T> + Sync) -> Vec<T> {
    let ends = pieces.iter().scan(0, |end, piece| {
        *end += list(piece).len();
        Some(*end)
    });
    let first: Vec<usize> = [0].into_iter().chain(ends).collect();
    let mut all = vec![T::default(); first[pieces.len()]];
    let parts = by_cells(&mut all, &first, 1).into_par_iter().zip(pieces);
    parts.for_each(|(part, piece)| part.copy_from_slice(list(piece)));
    all
}

/// The edges of some vertices.
#[derive(Default)]
struct Piece {
    /// Number of edges, `[vertex]`.
    counts: Vec<u32>,
    neighbour: Vec<u32>,
    area: Vec<Vector>,
    displacement: Vec<Vector>,
    turns: Vec<i8>,
    volume: Vec<f64>,
}

impl Construction<'_> {
    /// Collects the edges and volumes of the owned vertices.
    fn collect_edges(&self, incoming: &Edges, numbering: &Numbering, dual: &mut DualMesh) {
        let pieces: Vec<Piece> = numbering.provisional[..dual.owned]
            .par_chunks(CHUNK)
            .map(|vertices| {
                let mut piece = Piece::default();
                let mut shares = Vec::new();
                for &vertex in vertices {
                    shares.clear();
                    self.for_edges(vertex, |share| shares.push(share));
                    shares.extend_from_slice(incoming.of(vertex));
                    self.add_edges(&mut shares, &numbering.local, &mut piece);
                }
                piece
            })
            .collect();
        dual.first_edge.push(0);
        for &count in pieces.iter().flat_map(|piece| &piece.counts) {
            dual.first_edge.push(dual.first_edge[dual.first_edge.len() - 1] + count);
        }
        dual.neighbour = joined(&pieces, |piece| &piece.neighbour);
        dual.area = joined(&pieces, |piece| &piece.area);
        dual.displacement = joined(&pieces, |piece| &piece.displacement);
        if dual.rotation.is_some() {
            dual.turns = joined(&pieces, |piece| &piece.turns);
        }
        dual.volume = joined(&pieces, |piece| &piece.volume);
        dual.volume.resize(dual.len(), 0.0);
    }

    /// Adds the shares of cells in the edges of a vertex.
    fn add_edges(&self, shares: &mut [EdgeShare], local: &[u32], piece: &mut Piece) {
        let end = |share: &EdgeShare| (self.vertices.number[share.neighbour as usize], share.image);
        shares.sort_unstable_by_key(|share| (end(share), share.cell, share.edge));
        let mut count = 0;
        let mut volume = 0.0;
        for edge in shares.chunk_by(|a, b| end(a) == end(b)) {
            let add = |sum: Vector, share: &EdgeShare| std::array::from_fn(|d| sum[d] + share.area[d]);
            let area = edge[1..].iter().fold(edge[0].area, add);
            volume += dot(area, edge[0].displacement) / 6.0;
            piece.neighbour.push(local[edge[0].neighbour as usize]);
            piece.area.push(area);
            piece.displacement.push(edge[0].displacement);
            piece.turns.push(edge[0].image[TURNS]);
            count += 1;
        }
        piece.counts.push(count);
        piece.volume.push(volume);
    }

    /// Refuses volumes that are not positive, and reports the smallest one.
    fn refuse_volumes(&self, dual: &DualMesh, numbering: &Numbering) -> Result<(), DualError> {
        let bad: Vec<usize> = (0..dual.owned)
            .filter(|&v| dual.volume[v].is_nan() || dual.volume[v] <= 0.0)
            .collect();
        let Some(worst) = bad
            .iter()
            .copied()
            .min_by(|&a, &b| dual.volume[a].total_cmp(&dual.volume[b]))
        else {
            return Ok(());
        };
        let first = self.first_point[numbering.provisional[worst] as usize] as usize;
        let cell = self.geometry.cell_of_point(self.points[first] as usize);
        Err(DualError::NotPositive {
            cell: self.mesh.name_of(cell),
            order: self.order,
            volume: dual.volume[worst],
            at: dual.position[worst],
            others: bad.len() - 1,
        })
    }

    /// Collects the owned vertices on the boundaries with their areas. Collective.
    fn boundaries(&self, numbering: &Numbering, ranks: &Ranks) -> Vec<BoundaryVertices> {
        let mut shares = self.exchange_boundary_shares(ranks);
        let number = |share: &BoundaryShare| self.vertices.number[share.vertex as usize];
        shares.sort_unstable_by_key(|share| (share.boundary, number(share), share.cell, share.face, share.point));
        let mut boundaries = vec![BoundaryVertices::default(); self.mesh.boundary_names.len()];
        for of_vertex in shares.chunk_by(|a, b| (a.boundary, a.vertex) == (b.boundary, b.vertex)) {
            let add = |sum: Vector, share: &BoundaryShare| std::array::from_fn(|d| sum[d] + share.area[d]);
            let boundary = &mut boundaries[of_vertex[0].boundary as usize];
            boundary.vertex.push(numbering.local[of_vertex[0].vertex as usize]);
            boundary.area.push(of_vertex[1..].iter().fold(of_vertex[0].area, add));
        }
        boundaries
    }
}
