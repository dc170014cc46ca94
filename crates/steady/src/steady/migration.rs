//! Vertices that move to other ranks, with their edges and their boundaries.

use super::conditions::BoundaryList;
use super::dual::{BoundaryVertices, DualMesh};
use super::halo::{AnyVertex, LocalNumbers};
use crate::physics::PointData;
use crate::ranks::Ranks;
use crate::vector::Vector;

/// Numbers before the edges of a vertex in a message: its number, position, volume, distance, and number of edges.
const HEAD: usize = 7;

/// Numbers of an edge in a message: the owner and number of its end, its turns, area and displacement.
const EDGE_WORDS: usize = 9;

/// Numbers of a vertex on a boundary in a message: its area, and the data of the condition.
const BOUNDARY_VALUES: usize = 3 + size_of::<PointData>() / size_of::<f64>();

/// A vertex with its edges.
struct Row {
    number: u64,
    position: Vector,
    volume: f64,
    wall_distance: f64,
    edges: Vec<Edge>,
}

/// An edge of a vertex.
struct Edge {
    end: AnyVertex,
    turns: i8,
    area: Vector,
    displacement: Vector,
}

fn vector(words: &[u64]) -> Vector {
    std::array::from_fn(|d| f64::from_bits(words[d]))
}

fn words<const N: usize>(numbers: [f64; N]) -> [u64; N] {
    numbers.map(f64::to_bits)
}

impl Row {
    /// The row of an owned vertex. `vertices` are the local vertices with their new owners.
    fn of(dual: &DualMesh, vertex: usize, vertices: &[AnyVertex]) -> Self {
        let edge = |edge: usize| Edge {
            end: vertices[dual.neighbour[edge] as usize],
            turns: dual.turns_of_edge(edge),
            area: dual.area[edge],
            displacement: dual.displacement[edge],
        };
        Row {
            number: dual.global[vertex],
            position: dual.position[vertex],
            volume: dual.volume[vertex],
            wall_distance: dual.wall_distance[vertex],
            edges: dual.edges(vertex).map(edge).collect(),
        }
    }

    /// Adds the row to a message.
    fn write(&self, message: &mut Vec<u64>) {
        message.push(self.number);
        message.extend(words(self.position));
        message.extend(words([self.volume, self.wall_distance]));
        message.push(self.edges.len() as u64);
        for edge in &self.edges {
            message.extend([u64::from(edge.end.owner), edge.end.number, u64::from(edge.turns as u8)]);
            message.extend(words(edge.area));
            message.extend(words(edge.displacement));
        }
    }

    /// Returns the rows of a message.
    fn read(message: &[u64]) -> Vec<Row> {
        let mut rows = Vec::new();
        let mut rest = message;
        while let Some((head, after)) = rest.split_at_checked(HEAD) {
            let (edges, after) = after.split_at(EDGE_WORDS * head[HEAD - 1] as usize);
            let edge = |words: &[u64; EDGE_WORDS]| Edge {
                end: AnyVertex {
                    owner: words[0] as u32,
                    number: words[1],
                },
                turns: words[2] as u8 as i8,
                area: vector(&words[3..]),
                displacement: vector(&words[6..]),
            };
            rows.push(Row {
                number: head[0],
                position: vector(&head[1..]),
                volume: f64::from_bits(head[4]),
                wall_distance: f64::from_bits(head[5]),
                edges: edges.as_chunks().0.iter().map(edge).collect(),
            });
            rest = after;
        }
        rows
    }
}

/// Gives the vertices of a dual the owners `owner`, `[vertex]`, with the halo. Each rank still reads all vertices at
/// points of its cells. Collective.
pub fn migrate(dual: &mut DualMesh, boundaries: &mut [BoundaryList], owner: &[u32], ranks: &Ranks) {
    let me = ranks.rank() as u32;
    let before: Vec<AnyVertex> = owner
        .iter()
        .zip(&dual.global)
        .map(|(&owner, &number)| AnyVertex { owner, number })
        .collect();
    let mut mine = Vec::new();
    let mut messages = vec![Vec::new(); ranks.size()];
    for vertex in 0..dual.owned {
        let row = Row::of(dual, vertex, &before);
        match before[vertex].owner {
            owner if owner == me => mine.push(row),
            owner => row.write(&mut messages[owner as usize]),
        }
    }
    let mut came: Vec<Row> = ranks
        .alltoall(messages)
        .iter()
        .flat_map(|message| Row::read(message))
        .collect();
    came.sort_unstable_by_key(|row| row.number);
    mine.append(&mut came);
    let is_interior = |row: &Row| row.edges.iter().all(|edge| edge.end.owner == me);
    let (interior, frontier): (Vec<Row>, Vec<Row>) = mine.into_iter().partition(is_interior);
    let mut moved = DualMesh {
        interior: interior.len(),
        owned: interior.len() + frontier.len(),
        vertices_of_all_ranks: dual.vertices_of_all_ranks,
        first_edge: vec![0],
        rotation: dual.rotation.clone(),
        frame: dual.frame,
        // Blocks get their frames after the vertices have moved.
        frame_speed: Vec::new(),
        ..DualMesh::default()
    };
    let mut ends = Vec::new();
    for row in interior.into_iter().chain(frontier) {
        moved.global.push(row.number);
        moved.position.push(row.position);
        moved.volume.push(row.volume);
        moved.wall_distance.push(row.wall_distance);
        for edge in row.edges {
            moved.area.push(edge.area);
            moved.displacement.push(edge.displacement);
            if moved.rotation.is_some() {
                moved.turns.push(edge.turns);
            }
            ends.push(edge.end);
        }
        moved.first_edge.push(ends.len() as u32);
    }
    let moved = moved.with_halo(&ends, &before, ranks);
    let local = LocalNumbers::new(&moved.global);
    boundaries
        .iter_mut()
        .for_each(|list| migrate_boundary(list, &before, &local, ranks));
    let boundary = |list: &BoundaryList| BoundaryVertices {
        vertex: list.vertex.clone(),
        area: list.area.clone(),
    };
    let point = |&vertex: &u32| local.local(before[vertex as usize].number);
    *dual = DualMesh {
        boundary: boundaries.iter().map(boundary).collect(),
        point_vertex: dual.point_vertex.iter().map(point).collect(),
        point_turns: std::mem::take(&mut dual.point_turns),
        ..moved
    };
}

/// Sends the vertices of a boundary to their new owners. `before` are the local vertices of before, and `local` finds
/// those of now. Collective.
fn migrate_boundary(list: &mut BoundaryList, before: &[AnyVertex], local: &LocalNumbers, ranks: &Ranks) {
    let mut numbers = vec![Vec::new(); ranks.size()];
    let mut values = vec![Vec::new(); ranks.size()];
    for ((&vertex, area), data) in list.vertex.iter().zip(&list.area).zip(&list.data) {
        let AnyVertex { owner, number } = before[vertex as usize];
        numbers[owner as usize].push(number);
        values[owner as usize].extend(area.iter().chain(data));
    }
    let numbers = ranks.alltoall(numbers).concat();
    let values = ranks.alltoall(values).concat();
    let values = values.as_chunks::<BOUNDARY_VALUES>().0;
    let mut order: Vec<usize> = (0..numbers.len()).collect();
    order.sort_unstable_by_key(|&n| numbers[n]);
    list.vertex = order.iter().map(|&n| local.local(numbers[n])).collect();
    list.area = order.iter().map(|&n| std::array::from_fn(|d| values[n][d])).collect();
    list.data = order
        .iter()
        .map(|&n| std::array::from_fn(|d| values[n][3 + d]))
        .collect();
}
