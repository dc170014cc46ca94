//! Completion of cells whose files hold only a part of their nodes: those on edges ("serendipity"), or those on faces.
//!
//! A node inside a face is placed by the nodes on the edges of this face alone, so that cells share it. On a
//! quadrilateral it is on the patch of S. A. Coons (1967), which for nodes on edges is the serendipity interpolation of
//! O. C. Zienkiewicz and R. L. Taylor (The Finite Element Method, volume 1, chapter 8). On a triangle it is on the
//! extension of the edges of B. Szabo and I. Babuska (Finite Element Analysis, 1991, chapter 6): the linear map, and
//! for each edge between a and b the product of the coordinates λa, λb and a polynomial in λb - λa. It has the symmetry
//! of the triangle, and reproduces quadratic maps.
//!
//! A node inside a volume is placed by those on the surface: in hexahedra by the blending of W. J. Gordon and C. A.
//! Hall (Numer. Math. 21, 1973, p. 109), in prisms by the same in layers of triangles. Layers of pyramids are Coons
//! patches, and what the base deviates from its own fades towards the apex. The single node inside a tetrahedron of
//! order 4 follows edges and faces so that cubic maps are reproduced.

use std::collections::HashMap;

use crate::element::{ElementKind, FaceShape, triangle_index};

/// Number of a node that a file does not have.
pub const MISSING: u32 = u32::MAX;

/// Tag of nodes that a file does not have.
const NO_TAG: u64 = 0;

/// Weights of known nodes in the position of a node, by their numbers in the element.
type Weights = Vec<(usize, f64)>;

/// Missing nodes of an element, by their numbers in it, in an order in which they can be placed one after the other.
type Rule = Vec<(usize, Weights)>;

/// The completed faces and the rules that were needed.
#[derive(Debug, Default)]
pub struct Completion {
    /// Nodes inside a face by its vertices, in the orientation in which the vertices are in the smallest order.
    inside: HashMap<Vec<u32>, Vec<u32>>,
    face_rules: HashMap<(FaceShape, usize), Rule>,
    volume_rules: HashMap<(ElementKind, usize), Rule>,
}

/// The nodes of a mesh, to which the missing ones are added.
pub struct Nodes<'a> {
    /// Positions, `[node]`.
    pub positions: &'a mut Vec<[f64; 3]>,
    /// Tags, `[node]`.
    pub tags: &'a mut Vec<u64>,
}

impl Nodes<'_> {
    /// Adds a node with these weights of nodes, which are numbers in `element`.
    fn push(&mut self, weights: &Weights, element: &[u32]) -> u32 {
        let mut at = [0.0; 3];
        for &(node, weight) in weights {
            let from = self.positions[element[node] as usize];
            at.iter_mut().zip(from).for_each(|(at, from)| *at += weight * from);
        }
        self.positions.push(at);
        self.tags.push(NO_TAG);
        self.positions.len() as u32 - 1
    }
}

impl Completion {
    /// Adds the nodes that a cell lacks, which are [`MISSING`] in `nodes`.
    pub fn complete_cell(&mut self, kind: ElementKind, order: usize, nodes: &mut [u32], mesh: &mut Nodes) {
        for (face, description) in kind.faces().iter().enumerate() {
            let places = kind.face_indices(face, order);
            let mut of_face: Vec<u32> = places.iter().map(|&place| nodes[place]).collect();
            self.complete_face(description.shape, order, &mut of_face, mesh);
            places
                .iter()
                .zip(of_face)
                .for_each(|(&place, node)| nodes[place] = node);
        }
        let rules = &mut self.volume_rules;
        for (node, weights) in rules.entry((kind, order)).or_insert_with(|| volume_rule(kind, order)) {
            nodes[*node] = mesh.push(weights, nodes);
        }
    }

    /// Adds the nodes that a face lacks, which are [`MISSING`] in `nodes`.
    pub fn complete_face(&mut self, shape: FaceShape, order: usize, nodes: &mut [u32], mesh: &mut Nodes) {
        if !nodes.contains(&MISSING) {
            return;
        }
        // All cells compute a face in the same orientation, and its nodes are the same to the bit.
        let corners = corners(shape, order).map(|corner| nodes[corner]).collect::<Vec<u32>>();
        let turned = |orientation: usize| {
            let mut list = vec![0; corners.len()];
            for (v, corner) in corners.iter().enumerate() {
                list[shape.oriented_point(orientation, v, 1)] = *corner;
            }
            (list, orientation)
        };
        let (key, orientation) = (0..shape.orientations())
            .map(turned)
            .min()
            .expect("faces have orientations");
        let place = |point: usize| shape.oriented_point(orientation, point, order);
        let mut oriented = vec![MISSING; nodes.len()];
        nodes
            .iter()
            .enumerate()
            .for_each(|(point, node)| oriented[place(point)] = *node);
        let rule = self
            .face_rules
            .entry((shape, order))
            .or_insert_with(|| face_rule(shape, order));
        let inside = self
            .inside
            .entry(key)
            .or_insert_with(|| rule.iter().map(|(_, weights)| mesh.push(weights, &oriented)).collect());
        rule.iter()
            .zip(inside)
            .for_each(|((at, _), node)| oriented[*at] = *node);
        nodes
            .iter_mut()
            .enumerate()
            .for_each(|(point, node)| *node = oriented[place(point)]);
    }
}

/// Numbers of the corners of a face.
fn corners(shape: FaceShape, order: usize) -> impl Iterator<Item = usize> {
    let of_order_1 = shape.lattice(1).into_iter();
    of_order_1.map(move |[i, j]| face_index(shape, [i * order, j * order], order))
}

fn face_index(shape: FaceShape, [i, j]: [usize; 2], order: usize) -> usize {
    match shape {
        FaceShape::Triangle => triangle_index(i, j, order),
        FaceShape::Quad => i + (order + 1) * j,
    }
}

/// The nodes inside a face from those on its edges.
fn face_rule(shape: FaceShape, order: usize) -> Rule {
    let inner = |at: &[usize; 2]| match shape {
        FaceShape::Triangle => at[0] > 0 && at[1] > 0 && at[0] + at[1] < order,
        FaceShape::Quad => at.iter().all(|i| (1..order).contains(i)),
    };
    let weights = |[i, j]: [usize; 2]| {
        let list = match shape {
            FaceShape::Triangle => extended([i, j], order),
            FaceShape::Quad => coons([i, j].map(|i| i as f64 / order as f64), [i, j], order),
        };
        summed(
            list.into_iter()
                .map(|(at, weight)| (face_index(shape, at, order), weight)),
        )
    };
    let places = shape.lattice(order).into_iter().filter(inner);
    places.map(|at| (face_index(shape, at, order), weights(at))).collect()
}

/// The point (u, v) of a Coons patch, whose sides have the nodes of numbers i and j there.
fn coons([u, v]: [f64; 2], [i, j]: [usize; 2], order: usize) -> Vec<([usize; 2], f64)> {
    let n = order;
    let sides = [([i, 0], 1.0 - v), ([i, n], v), ([0, j], 1.0 - u), ([n, j], u)];
    let corners = [
        ([0, 0], -(1.0 - u) * (1.0 - v)),
        ([n, 0], -u * (1.0 - v)),
        ([0, n], -(1.0 - u) * v),
        ([n, n], -u * v),
    ];
    sides.into_iter().chain(corners).collect()
}

/// A point of the extension of the edges of a triangle.
fn extended([i, j]: [usize; 2], order: usize) -> Vec<([usize; 2], f64)> {
    let n = order as f64;
    let vertices = [[0, 0], [order, 0], [0, order]];
    let lambda = [order - i - j, i, j].map(|i| i as f64 / n);
    let mut list: Vec<([usize; 2], f64)> = vertices.into_iter().zip(lambda).collect();
    for [a, b] in [[0, 1], [1, 2], [2, 0]] {
        let s = lambda[b] - lambda[a];
        let at = |m: usize| 2.0 * m as f64 / n - 1.0;
        for m in 1..order {
            let others = (1..order).filter(|other| *other != m);
            let basis: f64 = others.map(|other| (s - at(other)) / (at(m) - at(other))).product();
            let weight = 4.0 * lambda[a] * lambda[b] / (1.0 - at(m) * at(m)) * basis;
            let node = std::array::from_fn(|d| (vertices[a][d] * (order - m) + vertices[b][d] * m) / order);
            let part = m as f64 / n;
            list.extend([
                (node, weight),
                (vertices[a], -weight * (1.0 - part)),
                (vertices[b], -weight * part),
            ]);
        }
    }
    list
}

/// The nodes inside a volume from those on its surface.
fn volume_rule(kind: ElementKind, order: usize) -> Rule {
    let on_surface: Vec<usize> = (0..kind.faces().len())
        .flat_map(|face| kind.face_indices(face, order))
        .collect();
    let places = kind.lattice(order).into_iter();
    let inner = places.filter(|at| !on_surface.contains(&kind.index(*at, order)));
    let weights = |at: [usize; 3]| {
        let list = match kind {
            ElementKind::Hex => in_hex(at, order),
            ElementKind::Prism => in_prism(at, order),
            ElementKind::Tet => in_tet(order),
            ElementKind::Pyramid => in_pyramid(at, order),
        };
        summed(list.into_iter().map(|(at, weight)| (kind.index(at, order), weight)))
    };
    inner.map(|at| (kind.index(at, order), weights(at))).collect()
}

/// Weights with every node once, in the order of their numbers.
fn summed(list: impl Iterator<Item = (usize, f64)>) -> Weights {
    let mut sums = std::collections::BTreeMap::new();
    list.for_each(|(node, weight)| *sums.entry(node).or_insert(0.0) += weight);
    sums.into_iter().filter(|(_, weight)| *weight != 0.0).collect()
}

/// A point of a hexahedron: the linear interpolations between opposite faces, less those between edges, and that
/// between the vertices.
fn in_hex(at: [usize; 3], order: usize) -> Vec<([usize; 3], f64)> {
    let mut list = Vec::new();
    for directions in 1..8usize {
        let sign = if directions.count_ones() == 2 { -1.0 } else { 1.0 };
        let mut nodes = vec![(at, sign)];
        for d in (0..3).filter(|d| directions & (1 << d) != 0) {
            let part = at[d] as f64 / order as f64;
            let ends = |(mut node, weight): ([usize; 3], f64)| {
                [(0, 1.0 - part), (order, part)].map(|(end, of_end)| {
                    node[d] = end;
                    (node, weight * of_end)
                })
            };
            nodes = nodes.into_iter().flat_map(ends).collect();
        }
        list.extend(nodes);
    }
    list
}

/// A point of a prism: the extension of the edges of its layer, and the linear interpolation of what the two triangles
/// deviate from theirs.
fn in_prism([i, j, k]: [usize; 3], order: usize) -> Vec<([usize; 3], f64)> {
    let part = k as f64 / order as f64;
    let mut list = vec![([i, j, 0], 1.0 - part), ([i, j, order], part)];
    for ([a, b], weight) in extended([i, j], order) {
        list.extend([
            ([a, b, k], weight),
            ([a, b, 0], -weight * (1.0 - part)),
            ([a, b, order], -weight * part),
        ]);
    }
    list
}

/// The middle of a tetrahedron of order 4.
fn in_tet(order: usize) -> Vec<([usize; 3], f64)> {
    assert_eq!(order, 4, "the only supported order with a node inside");
    let vertices = ElementKind::Tet.lattice_vertices(order);
    let mut list: Vec<([usize; 3], f64)> = vertices.iter().map(|v| (*v, -0.125)).collect();
    for a in 0..4 {
        let middle = |b: usize| std::array::from_fn(|d| (vertices[a][d] + vertices[b][d]) / 2);
        list.extend((a + 1..4).map(|b| (middle(b), 0.25)));
    }
    // A node inside a face counts with a sixth of its distance from the extension of the edges.
    for corners in [[0, 1, 2], [0, 1, 3], [1, 2, 3], [0, 2, 3]].map(|face| face.map(|v| vertices[v])) {
        let on_face = |[i, j]: [usize; 2]| {
            let lambda = [order - i - j, i, j];
            std::array::from_fn(|d| lambda.iter().zip(corners).map(|(l, x)| l * x[d]).sum::<usize>() / order)
        };
        for at in [[1, 1], [2, 1], [1, 2]] {
            list.push((on_face(at), 1.0 / 6.0));
            let edges = extended(at, order).into_iter();
            list.extend(edges.map(|(node, weight)| (on_face(node), -weight / 6.0)));
        }
    }
    list
}

/// A point of a pyramid: the Coons patch of its layer, and a part of what the base deviates from its own.
fn in_pyramid([i, j, k]: [usize; 3], order: usize) -> Vec<([usize; 3], f64)> {
    let size = order - k;
    let at = [i, j].map(|i| i as f64 / size as f64);
    let layer = coons(at, [i, j], size).into_iter();
    let mut list: Vec<([usize; 3], f64)> = layer.map(|([a, b], weight)| ([a, b, k], weight)).collect();
    let fading = (size as f64 / order as f64).powi(4);
    let basis = |x: f64, a: usize| -> f64 {
        let x = x * order as f64;
        let others = (0..=order).filter(|other| *other != a);
        others
            .map(|other| (x - other as f64) / (a as f64 - other as f64))
            .product()
    };
    for a in 1..order {
        for b in 1..order {
            let part = fading * basis(at[0], a) * basis(at[1], b);
            list.push(([a, b, 0], part));
            let patch = coons([a, b].map(|a| a as f64 / order as f64), [a, b], order).into_iter();
            list.extend(patch.map(|([c, d], weight)| ([c, d, 0], -part * weight)));
        }
    }
    list
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Place of a lattice point in the unit cell; layers of a pyramid shrink towards (1/2, 1/2, 1).
    fn place(kind: ElementKind, at: [usize; 3], order: usize) -> [f64; 3] {
        let [x, y, z] = at.map(|i| i as f64 / order as f64);
        match kind {
            ElementKind::Pyramid => [x + 0.5 * z, y + 0.5 * z, z],
            _ => [x, y, z],
        }
    }

    /// Completes a cell whose first nodes are those of `map`, and returns the largest distance of the others from it.
    /// `known` tells which nodes the file has.
    fn miss(kind: ElementKind, order: usize, known: impl Fn(usize) -> bool, map: impl Fn([f64; 3]) -> f64) -> f64 {
        let exact: Vec<f64> = kind
            .lattice(order)
            .into_iter()
            .map(|at| map(place(kind, at, order)))
            .collect();
        let mut nodes: Vec<u32> = (0..exact.len())
            .map(|i| if known(i) { i as u32 } else { MISSING })
            .collect();
        let mut positions: Vec<[f64; 3]> = exact.iter().map(|x| [*x, 0.0, 0.0]).collect();
        (0..exact.len())
            .filter(|i| !known(*i))
            .for_each(|i| positions[i] = [f64::NAN; 3]);
        let mut tags = vec![1; exact.len()];
        let mut mesh = Nodes {
            positions: &mut positions,
            tags: &mut tags,
        };
        Completion::default().complete_cell(kind, order, &mut nodes, &mut mesh);
        let apart = |(node, exact): (&u32, &f64)| (positions[*node as usize][0] - exact).abs();
        nodes
            .iter()
            .zip(&exact)
            .map(apart)
            .fold(0.0, |most: f64, x| if x.is_nan() { x } else { most.max(x) })
    }

    /// Nodes on edges are on two faces, those on the surface on one.
    fn faces_of(kind: ElementKind, order: usize, node: usize) -> usize {
        let on = |face: &usize| kind.face_indices(*face, order).contains(&node);
        (0..kind.faces().len()).filter(on).count()
    }

    fn monomial([a, b, c]: [i32; 3]) -> impl Fn([f64; 3]) -> f64 {
        move |[x, y, z]| x.powi(a) * y.powi(b) * z.powi(c)
    }

    #[test]
    fn maps_of_the_serendipity_space_are_reproduced_by_the_nodes_on_edges() {
        for kind in ElementKind::ALL {
            for order in 2..=4 {
                let known = |i| faces_of(kind, order, i) >= 2;
                let n = order as i32;
                for power in (0..125).map(|i| [i % 5, i / 5 % 5, i / 25]) {
                    let degree: i32 = power.iter().sum();
                    // A hexahedron has all products of one power up to the order and linear factors.
                    let above_linear = power.iter().filter(|p| **p > 1).count();
                    let in_hex = above_linear <= 1 && power.iter().all(|p| *p <= n);
                    let exact = degree <= 2 || kind == ElementKind::Hex && in_hex;
                    let distance = miss(kind, order, known, monomial(power));
                    if exact {
                        assert!(distance < 1e-13, "{kind} of order {order}, {power:?}: {distance}");
                    }
                }
                let beyond = [[2, 2, 0], [2, 0, 2]].map(|power| miss(kind, order, known, monomial(power)));
                let complete = kind == ElementKind::Tet && order == 2;
                assert!(complete || beyond[0].max(beyond[1]) > 1e-3, "{kind} of order {order}");
            }
        }
    }

    #[test]
    fn cubic_maps_are_reproduced_by_the_nodes_on_faces() {
        for kind in ElementKind::ALL {
            for order in 3..=4 {
                let known = |i| faces_of(kind, order, i) >= 1;
                for power in (0..64)
                    .map(|i| [i % 4, i / 4 % 4, i / 16])
                    .filter(|p| p.iter().sum::<i32>() <= 3)
                {
                    let distance = miss(kind, order, known, monomial(power));
                    assert!(distance < 1e-13, "{kind} of order {order}, {power:?}: {distance}");
                }
            }
        }
    }

    #[test]
    fn triangles_are_the_sum_of_vertex_and_edge_functions() {
        // The functions at all nodes; their coefficients follow from the nodes on the edges by a linear system.
        for order in 3..=4 {
            let shape = FaceShape::Triangle;
            let functions = |[i, j]: [usize; 2]| -> Vec<f64> {
                let lambda = [order - i - j, i, j].map(|i| i as f64 / order as f64);
                let edge = |[a, b]: [usize; 2]| {
                    (0..order as i32 - 1).map(move |m| lambda[a] * lambda[b] * (lambda[b] - lambda[a]).powi(m))
                };
                lambda
                    .into_iter()
                    .chain([[0, 1], [1, 2], [2, 0]].into_iter().flat_map(edge))
                    .collect()
            };
            let lattice = shape.lattice(order);
            let rule = face_rule(shape, order);
            let inner: Vec<usize> = rule.iter().map(|(at, _)| *at).collect();
            let outer: Vec<usize> = (0..lattice.len()).filter(|at| !inner.contains(at)).collect();
            let table = |places: &[usize]| {
                let rows: Vec<Vec<f64>> = places.iter().map(|at| functions(lattice[*at])).collect();
                nalgebra::DMatrix::from_fn(rows.len(), 3 * order, |r, c| rows[r][c])
            };
            let weights = table(&inner) * table(&outer).try_inverse().expect("the functions are independent");
            for (r, (_, ours)) in rule.iter().enumerate() {
                for (c, node) in outer.iter().enumerate() {
                    let found = ours
                        .iter()
                        .find(|(at, _)| at == node)
                        .map_or(0.0, |(_, weight)| *weight);
                    assert!(
                        (found - weights[(r, c)]).abs() < 1e-13,
                        "order {order}: {found} {}",
                        weights[(r, c)]
                    );
                }
            }
        }
    }

    #[test]
    fn two_cells_share_the_nodes_inside_their_common_face() {
        // Every orientation of a face of order 4 gives the same nodes at the same places.
        for shape in [FaceShape::Triangle, FaceShape::Quad] {
            let order = 4;
            let rule = face_rule(shape, order);
            let count = shape.points(order);
            let inner: Vec<usize> = rule.iter().map(|(at, _)| *at).collect();
            let mut positions: Vec<[f64; 3]> = (0..count)
                .map(|i| [(i as f64).sin(), (2.0 * i as f64).cos(), 1.0])
                .collect();
            let mut tags = vec![1; count];
            let mut mesh = Nodes {
                positions: &mut positions,
                tags: &mut tags,
            };
            let mut completion = Completion::default();
            let file: Vec<u32> = (0..count)
                .map(|i| if inner.contains(&i) { MISSING } else { i as u32 })
                .collect();
            let mut first = file.clone();
            completion.complete_face(shape, order, &mut first, &mut mesh);
            for orientation in 0..shape.orientations() {
                let mut other = vec![0; count];
                (0..count).for_each(|p| other[shape.oriented_point(orientation, p, order)] = file[p]);
                completion.complete_face(shape, order, &mut other, &mut mesh);
                assert!((0..count).all(|p| other[shape.oriented_point(orientation, p, order)] == first[p]));
            }
            assert_eq!(positions.len(), count + inner.len());
        }
    }
}
