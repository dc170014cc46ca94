//! The coarser level of a dual, whose vertices are agglomerates.
//!
//! The rank that owns the first member of an agglomerate owns it. Other ranks send it what they know of further
//! members: their volumes and places, and then the facets between them and other agglomerates. Sums follow the global
//! numbers of members, and both ends of an edge add the same facets in the same order, so that no partition changes a
//! bit and areas and displacements are antisymmetric to the last bit. Both ends of an edge through a side that is
//! periodic by rotation see it turned, and so but for rounding.

use std::cmp::Ordering;

use rayon::prelude::*;

use super::pairs::Agglomerates;
use super::surface::Surface;
use crate::ranks::Ranks;
use crate::steady::dual::DualMesh;
use crate::steady::halo::{AnyVertex, LocalNumbers};
use crate::vector::{Vector, length, minus};

/// Difference of displacements, over their length, of edges that pass through the same period.
const SAME_IMAGE: f64 = 1e-6;

/// Area between two agglomerates, over the sum of the areas of their facets, that is rounding.
const CANCELLED: f64 = 1e-9;

/// Numbers of a member in a message: agglomerate, member, and the values.
const MEMBER_WORDS: usize = 10;

/// Numbers of a facet in a message: its agglomerate, the owner and the number of the other one, its ends, turns,
/// displacement, area, and tolerance.
const FACET_WORDS: usize = 13;

/// A coarser level of a dual.
pub struct Coarser {
    /// Its dual, with the agglomerates of all local vertices of the finer one in its halo. Edges of a vertex to itself
    /// are left out.
    pub dual: DualMesh,
    /// Where its vertices are on the boundaries.
    pub surface: Surface,
    /// The agglomerate of each local vertex of the finer dual.
    pub parent: Vec<AnyVertex>,
}

impl Coarser {
    /// Returns the level after this one, with its agglomerates of the vertices of the same finer dual. Collective.
    pub fn coarser(self, ranks: &Ranks) -> Coarser {
        let next = coarsen(&self.dual, &self.surface, ranks);
        let local = LocalNumbers::new(&self.dual.global);
        let parent = |vertex: &AnyVertex| next.parent[local.local(vertex.number) as usize];
        Coarser {
            parent: self.parent.iter().map(parent).collect(),
            ..next
        }
    }
}

/// A member of an agglomerate that this rank owns.
struct Member {
    agglomerate: u32,
    number: u64,
    volume: f64,
    wall_distance: f64,
    place: Vector,
    outward: Vector,
}

/// A facet between an agglomerate that this rank owns and another one, with the signs of the one with the lower number.
struct Facet {
    here: u32,
    other: AnyVertex,
    /// The vertices of the finer dual, that in the agglomerate with the lower number first.
    ends: [u64; 2],
    /// Turns that carry the other agglomerate to the end of the edge.
    turns: i8,
    to: Vector,
    area: Vector,
    /// Difference of displacements that is rounding.
    near: f64,
}

/// Returns the next coarser level. Collective.
pub fn coarsen(dual: &DualMesh, surface: &Surface, ranks: &Ranks) -> Coarser {
    let Agglomerates { of, place } = Agglomerates::new(dual, surface, ranks);
    let first: Vec<usize> = (0..dual.owned)
        .filter(|&vertex| of[vertex].number == dual.global[vertex])
        .collect();
    let coarse = DualMesh {
        owned: first.len(),
        global: first.iter().map(|&vertex| dual.global[vertex]).collect(),
        position: first.iter().map(|&vertex| dual.position[vertex]).collect(),
        rotation: dual.rotation.clone(),
        ..DualMesh::default()
    };
    let mut building = Building {
        finer: dual,
        of: &of,
        local: LocalNumbers::new(&coarse.global),
        coarse,
        offset: place,
    };
    let mut outward = building.add_members(surface, ranks);
    let ends = building.add_facets(building.facets(ranks));
    let mut sum = [building.coarse.owned as u64];
    ranks.allreduce_sum(&mut sum);
    let mut coarse = building.coarse.with_halo(&ends, &of, ranks);
    coarse.vertices_of_all_ranks = sum[0];
    outward.resize(coarse.len(), [0.0; 3]);
    coarse.update_halo_of(ranks, &mut outward);
    let mut set: Vec<u32> = first.iter().map(|&vertex| surface.set[vertex]).collect();
    set.resize(coarse.len(), 0);
    coarse.update_halo(ranks, &mut set);
    let surface = Surface {
        set,
        outward,
        wall_of_set: surface.wall_of_set.clone(),
    };
    Coarser {
        dual: coarse,
        surface,
        parent: of,
    }
}

/// A coarser dual while it is built.
struct Building<'a> {
    finer: &'a DualMesh,
    of: &'a [AnyVertex],
    coarse: DualMesh,
    /// The owned agglomerates by their numbers.
    local: LocalNumbers,
    /// Places of the vertices of the finer dual relative to the first members, and then to the agglomerates.
    offset: Vec<Vector>,
}

fn vector(words: &[u64]) -> Vector {
    std::array::from_fn(|d| f64::from_bits(words[d]))
}

impl Building<'_> {
    /// Sums up the members: volumes are sums, positions and distances are means with the volumes as weights. Returns
    /// the sums of their areas on boundaries. Collective.
    fn add_members(&mut self, surface: &Surface, ranks: &Ranks) -> Vec<Vector> {
        let finer = self.finer;
        let mut lists = vec![Vec::new(); ranks.size()];
        let mut sent = vec![Vec::new(); ranks.size()];
        for vertex in 0..finer.owned {
            let owner = self.of[vertex].owner as usize;
            let list: &mut Vec<u64> = &mut lists[owner];
            list.extend([self.of[vertex].number, finer.global[vertex]]);
            list.extend([finer.volume[vertex], finer.wall_distance[vertex]].map(f64::to_bits));
            let vectors = [self.offset[vertex], surface.outward[vertex]];
            list.extend(vectors.as_flattened().iter().map(|x| x.to_bits()));
            sent[owner].push(vertex);
        }
        let received = ranks.alltoall(lists);
        let words = || received.iter().flat_map(|list| list.as_chunks::<MEMBER_WORDS>().0);
        let member = |words: &[u64; MEMBER_WORDS]| Member {
            agglomerate: self.local.local(words[0]),
            number: words[1],
            volume: f64::from_bits(words[2]),
            wall_distance: f64::from_bits(words[3]),
            place: vector(&words[4..]),
            outward: vector(&words[7..]),
        };
        let mut members: Vec<Member> = words().map(member).collect();
        members.par_sort_unstable_by_key(|member| (member.agglomerate, member.number));
        let mut centres = Vec::with_capacity(self.coarse.owned);
        let mut outward = Vec::with_capacity(self.coarse.owned);
        for members in members.chunk_by(|a, b| a.agglomerate == b.agglomerate) {
            let volume: f64 = members.iter().map(|member| member.volume).sum();
            let mean = |value: &dyn Fn(&Member) -> f64| {
                let weighted = members.iter().map(|member| member.volume * value(member));
                weighted.sum::<f64>() / volume
            };
            let centre: Vector = std::array::from_fn(|d| mean(&|member| member.place[d]));
            let position = &mut self.coarse.position[centres.len()];
            (0..3).for_each(|d| position[d] += centre[d]);
            self.coarse.volume.push(volume);
            self.coarse.wall_distance.push(mean(&|member| member.wall_distance));
            let area = |d| members.iter().map(|member| member.outward[d]).sum();
            outward.push(std::array::from_fn(area));
            centres.push(centre);
        }
        // Back to the owners of the members, in the order in which these came.
        let centre = |words: &[u64; MEMBER_WORDS]| centres[self.local.local(words[0]) as usize];
        let answers = received.iter().map(|list| {
            let of_members = list.as_chunks().0.iter().flat_map(centre);
            of_members.collect::<Vec<f64>>()
        });
        let answers = ranks.alltoall(answers.collect()).concat();
        for (vertex, centre) in sent.concat().into_iter().zip(answers.as_chunks().0) {
            self.offset[vertex] = minus(self.offset[vertex], *centre);
        }
        finer.update_halo_of(ranks, &mut self.offset);
        outward
    }

    /// The facet of an edge of an owned vertex, unless it is inside an agglomerate. `here` is zero if another rank owns
    /// that of the vertex.
    fn facet(&self, vertex: usize, edge: usize) -> Option<Facet> {
        let finer = self.finer;
        let end = finer.neighbour[edge] as usize;
        let [here, other] = [vertex, end].map(|vertex| self.of[vertex]);
        if here == other {
            return None;
        }
        let is_lower = here.number < other.number;
        let sign = if is_lower { 1.0 } else { -1.0 };
        let ordered = |ends: [u64; 2]| if is_lower { ends } else { [ends[1], ends[0]] };
        let turns = finer.turns_of_edge(edge);
        let far = finer.turned(turns, self.offset[end]);
        let near = self.offset[vertex];
        let [from, to] = if is_lower { [near, far] } else { [far, near] };
        let step = finer.displacement[edge].map(|x| sign * x);
        let between: Vector = std::array::from_fn(|d| from[d] + step[d] - to[d]);
        Some(Facet {
            here: 0,
            other,
            ends: ordered([vertex, end].map(|vertex| finer.global[vertex])),
            turns,
            to: between,
            area: finer.area[edge].map(|x| sign * x),
            near: SAME_IMAGE * (length(between) + length(step)),
        })
    }

    /// Returns the facets of the owned agglomerates in the order of these and of the ones beside them. Collective.
    fn facets(&self, ranks: &Ranks) -> Vec<Facet> {
        let finer = self.finer;
        let me = ranks.rank() as u32;
        let of_vertex = |vertex: usize| finer.edges(vertex).filter_map(move |edge| self.facet(vertex, edge));
        let is_own = |&vertex: &usize| self.of[vertex].owner == me;
        let own = (0..finer.owned).into_par_iter().filter(is_own).flat_map_iter(|vertex| {
            let here = self.local.local(self.of[vertex].number);
            of_vertex(vertex).map(move |facet| Facet { here, ..facet })
        });
        let mut facets: Vec<Facet> = own.collect();
        let mut lists = vec![Vec::new(); ranks.size()];
        for vertex in (0..finer.owned).filter(|vertex| !is_own(vertex)) {
            let list: &mut Vec<u64> = &mut lists[self.of[vertex].owner as usize];
            for facet in of_vertex(vertex) {
                list.extend([self.of[vertex].number, u64::from(facet.other.owner), facet.other.number]);
                list.extend(facet.ends);
                list.push(u64::from(facet.turns as u8));
                list.extend([facet.to, facet.area].as_flattened().iter().map(|x| x.to_bits()));
                list.push(facet.near.to_bits());
            }
        }
        let received = ranks.alltoall(lists);
        let words = received.iter().flat_map(|list| list.as_chunks::<FACET_WORDS>().0);
        facets.extend(words.map(|words| Facet {
            here: self.local.local(words[0]),
            other: AnyVertex {
                owner: words[1] as u32,
                number: words[2],
            },
            ends: [words[3], words[4]],
            turns: words[5] as u8 as i8,
            to: vector(&words[6..]),
            area: vector(&words[9..]),
            near: f64::from_bits(words[12]),
        }));
        let place = |facet: &Facet| (facet.here, facet.other.number, facet.ends);
        // Facets between the same two vertices are those through different periods.
        facets.par_sort_unstable_by(|a, b| {
            let by_period = || a.to.partial_cmp(&b.to).unwrap_or(Ordering::Equal);
            place(a).cmp(&place(b)).then_with(by_period)
        });
        facets
    }

    /// Adds the edges, and returns their ends. Facets to the same agglomerate are one edge, if they pass through the
    /// same period.
    fn add_facets(&mut self, facets: Vec<Facet>) -> Vec<AnyVertex> {
        let coarse = &mut self.coarse;
        let mut ends = Vec::new();
        coarse.first_edge.push(0);
        for facets in facets.chunk_by(|a, b| a.here == b.here && a.other == b.other) {
            let Facet { here, other, .. } = facets[0];
            coarse.first_edge.resize(here as usize + 1, ends.len() as u32);
            let mut edges: Vec<Sum> = Vec::new();
            for facet in facets {
                let is_same = |edge: &&mut Sum| {
                    edge.turns == facet.turns && (0..3).all(|d| (edge.to[d] - facet.to[d]).abs() <= facet.near)
                };
                match edges.iter_mut().find(is_same) {
                    Some(edge) => edge.add(facet),
                    None => edges.push(Sum::of(facet)),
                }
            }
            // Nothing passes between agglomerates whose facets cancel each other.
            edges.retain(|edge| length(edge.area) > CANCELLED * edge.size);
            let sign = if coarse.global[here as usize] < other.number {
                1.0
            } else {
                -1.0
            };
            for edge in edges {
                coarse.area.push(edge.area.map(|x| sign * x));
                coarse.displacement.push(edge.to.map(|x| sign * x));
                if coarse.rotation.is_some() {
                    coarse.turns.push(edge.turns);
                }
                ends.push(other);
            }
        }
        coarse.first_edge.resize(coarse.owned + 1, ends.len() as u32);
        ends
    }
}

/// Facets that are one edge.
struct Sum {
    turns: i8,
    to: Vector,
    area: Vector,
    /// Sum of the sizes of the facets.
    size: f64,
}

impl Sum {
    fn of(facet: &Facet) -> Self {
        Sum {
            turns: facet.turns,
            to: facet.to,
            area: facet.area,
            size: length(facet.area),
        }
    }

    fn add(&mut self, facet: &Facet) {
        (0..3).for_each(|d| self.area[d] += facet.area[d]);
        self.size += length(facet.area);
    }
}
