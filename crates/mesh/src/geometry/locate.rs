//! Location of points in cells, with their reference coordinates.
//!
//! Newton's method, restricted to the cell, inverts the mapping that the solution uses. This is the mapping of the
//! mesh's nodes if their degree does not exceed that of the solution, else its interpolant on the solution points.
//! Bounding boxes select candidates: points are sorted along the direction of their largest extent, and each cell tests
//! those that its box contains. The planes along its faces select further, since Newton's method takes long to tell
//! that a point lies outside: thin cells that lie askew hardly fill their boxes, and a tetrahedron fills a sixth of
//! it.

use rayon::prelude::*;

use super::extent::extent;
use super::types::Geometry;
use crate::element::{ElementKind, Mapping, MappingBasis, PerKind};
use crate::mesh::Mesh;
use crate::vector::{cross, dot, length, minus};

/// Largest distance in reference coordinates at which a point outside an element still counts as inside.
const TOLERANCE: f64 = 1e-9;
/// Fraction of the way to the centre at which slopes are evaluated: outside elements with triangles, functions have
/// kinks.
const INWARD: f64 = 1e-3;
/// Distance in reference coordinates by which a step of Newton's method clearly leads out of the element, and number of
/// such steps in a row after which the point is taken to lie outside.
const BEYOND: f64 = 0.05;
const MAX_HELD: usize = 4;
/// Largest number of steps of Newton's method.
const MAX_STEPS: usize = 40;

/// A point located in a cell.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Found {
    /// The cell.
    pub cell: usize,
    /// Reference coordinates of the point.
    pub at: [f64; 3],
}

/// A search structure for points in cells.
pub struct Locator<'a> {
    cells: MappedCells<'a>,
    /// Largest distance in reference coordinates at which a point outside an element still counts as inside.
    tolerance: f64,
    bases: PerKind<Option<MappingBasis>>,
    /// Directions across the slabs of a cell, in reference coordinates.
    across: PerKind<Vec<[f64; 3]>>,
}

/// Cells with the nodes of their mapping.
#[derive(Clone, Copy)]
pub struct MappedCells<'a> {
    /// Kind of each cell.
    pub kinds: &'a [ElementKind],
    /// First node of each cell, and the number of nodes.
    pub first: &'a [usize],
    /// Positions of the nodes, which are at the points of the reference element of degree `degree`.
    pub nodes: &'a [[f64; 3]],
    /// Polynomial degree of the mapping.
    pub degree: usize,
}

impl<'a> Locator<'a> {
    /// Creates a locator for a mesh with the solution points of degree `order`.
    pub fn new(mesh: &'a Mesh, geometry: &'a Geometry, order: usize) -> Self {
        let cells = if mesh.geometry_order <= order {
            MappedCells {
                kinds: &mesh.kinds,
                first: &mesh.first_node,
                nodes: &mesh.nodes,
                degree: mesh.geometry_order,
            }
        } else {
            MappedCells {
                kinds: &mesh.kinds,
                first: &geometry.first_point,
                nodes: &geometry.points,
                degree: order,
            }
        };
        Self::of_cells(cells, TOLERANCE)
    }

    /// Creates a locator for cells. Points outside of an element by up to `tolerance` in reference coordinates count as
    /// inside.
    pub fn of_cells(cells: MappedCells<'a>, tolerance: f64) -> Self {
        let basis = |kind| {
            let present = cells.kinds.contains(&kind);
            present.then(|| MappingBasis::new(kind, cells.degree))
        };
        Locator {
            cells,
            tolerance,
            bases: PerKind::new(basis),
            across: PerKind::new(directions_across),
        }
    }

    /// Returns, for each point, the cell of lowest number that contains it. If ranks take the minimum over their cells,
    /// a point on a common face is in the same cell for any number of ranks.
    pub fn find(&self, points: &[[f64; 3]]) -> Vec<Option<Found>> {
        let spread = |d: usize| {
            let values = points.iter().map(|x| x[d]);
            values.clone().fold(f64::NEG_INFINITY, f64::max) - values.fold(f64::INFINITY, f64::min)
        };
        let along = (0..3).max_by(|&a, &b| spread(a).total_cmp(&spread(b))).unwrap_or(0);
        let mut sorted: Vec<usize> = (0..points.len()).collect();
        sorted.sort_by(|&a, &b| points[a][along].total_cmp(&points[b][along]));
        let hits: Vec<(usize, Found)> = (0..self.cells.kinds.len())
            .into_par_iter()
            .flat_map_iter(|cell| {
                let [low, high] = self.reach(cell);
                let begin = sorted.partition_point(|&i| points[i][along] < low[along]);
                let end = begin + sorted[begin..].partition_point(|&i| points[i][along] <= high[along]);
                let in_box = |&i: &usize| (0..3).all(|d| low[d] <= points[i][d] && points[i][d] <= high[d]);
                let near: Vec<usize> = sorted[begin..end].iter().copied().filter(in_box).collect();
                let mapping = if near.is_empty() { None } else { self.mapping(cell) };
                let slabs = mapping.as_ref().map(|mapping| self.slabs(cell, mapping));
                let near = near.into_iter().filter(move |&i| {
                    let mut slabs = slabs.iter().flatten();
                    slabs.all(|slab| slab.may_contain(points[i]))
                });
                near.filter_map(move |i| {
                    let at = self.invert(cell, mapping.as_ref()?, points[i])?;
                    Some((i, Found { cell, at }))
                })
            })
            .collect();
        let mut found: Vec<Option<Found>> = vec![None; points.len()];
        for (i, hit) in hits {
            if found[i].is_none_or(|f| hit.cell < f.cell) {
                found[i] = Some(hit);
            }
        }
        found
    }

    /// Points that the mapping of a cell interpolates.
    fn nodes(&self, cell: usize) -> &[[f64; 3]] {
        &self.cells.nodes[self.cells.first[cell]..self.cells.first[cell + 1]]
    }

    /// Corners of a box that contains the cell; curved cells may extend beyond their nodes. A coordinate exceeds those
    /// of the nodes by a share of their range, which may be far smaller than the cell.
    fn reach(&self, cell: usize) -> [[f64; 3]; 2] {
        let [low, high] = extent(self.nodes(cell));
        let longest = (0..3).map(|d| high[d] - low[d]).fold(0.0, f64::max);
        let bulge = self.bulge();
        let rounding = 1e-6_f64.max(self.tolerance) * longest;
        let margin = |d: usize| bulge * (high[d] - low[d]) + rounding;
        [
            std::array::from_fn(|d| low[d] - margin(d)),
            std::array::from_fn(|d| high[d] + margin(d)),
        ]
    }

    /// Share of the range of the nodes in any direction by which a cell may extend beyond it.
    fn bulge(&self) -> f64 {
        if self.cells.degree > 1 { 0.2 } else { 0.0 }
    }

    /// The mapping of a cell.
    fn mapping(&self, cell: usize) -> Option<Mapping> {
        let basis = self.bases[self.cells.kinds[cell]].as_ref()?;
        Some(basis.mapping(self.nodes(cell)))
    }

    /// Slabs along the faces of a cell, each of which contains it.
    fn slabs(&self, cell: usize, mapping: &Mapping) -> Vec<Slab> {
        let (kind, nodes) = (self.cells.kinds[cell], self.nodes(cell));
        let [r, s, t] = mapping.slopes(centre(kind));
        let [low, high] = extent(nodes);
        let far = (0..3).map(|d| low[d].abs().max(high[d].abs())).fold(0.0, f64::max);
        let cofactors = [cross(s, t), cross(t, r), cross(r, s)];
        let slab = |across: &[f64; 3]| {
            let normal = std::array::from_fn(|m| (0..3).map(|d| across[d] * cofactors[d][m]).sum());
            let heights = || nodes.iter().map(|&node| dot(normal, node));
            let least = heights().fold(f64::INFINITY, f64::min);
            let most = heights().fold(f64::NEG_INFINITY, f64::max);
            let share = self.bulge() + 1e-6_f64.max(self.tolerance);
            let margin = share * (most - least) + 64.0 * f64::EPSILON * far * length(normal);
            Slab {
                normal,
                range: [least - margin, most + margin],
            }
        };
        self.across[kind].iter().map(slab).collect()
    }

    /// Reference coordinates of a point, if it lies in the cell.
    fn invert(&self, cell: usize, mapping: &Mapping, x: [f64; 3]) -> Option<[f64; 3]> {
        let kind = self.cells.kinds[cell];
        let nodes = self.nodes(cell);
        let points = &self.bases[kind].as_ref()?.points;
        let distance = |node: &[f64; 3]| (0..3).map(|d| (node[d] - x[d]).powi(2)).sum::<f64>();
        let nearest = (0..nodes.len()).min_by(|&a, &b| distance(&nodes[a]).total_cmp(&distance(&nodes[b])))?;
        let [low, high] = extent(nodes);
        let size = (0..3).map(|d| high[d] - low[d]).fold(0.0, f64::max);
        // The slope at a pyramid's apex depends on the direction.
        if distance(&nodes[nearest]).sqrt() <= 1e-13 * size {
            return Some(points[nearest]);
        }
        let centre = centre(kind);
        // Start from the centre and, if this does not converge, from near the nearest node.
        let near = std::array::from_fn(|d| 0.8 * points[nearest][d] + 0.2 * centre[d]);
        self.newton(kind, mapping, [low, high], x, centre)
            .or_else(|| self.newton(kind, mapping, [low, high], x, near))
    }

    /// Inverts the mapping by Newton's method; `None` if it does not converge inside the cell, whose nodes lie in this
    /// box.
    fn newton(
        &self,
        kind: ElementKind,
        mapping: &Mapping,
        [low, high]: [[f64; 3]; 2],
        x: [f64; 3],
        start: [f64; 3],
    ) -> Option<[f64; 3]> {
        let far = (0..3).map(|d| low[d].abs().max(high[d].abs())).fold(0.0, f64::max);
        let centre = centre(kind);
        let (mut at, mut held) = (start, 0);
        for _ in 0..MAX_STEPS {
            let miss = minus(x, mapping.position(at));
            let slope = mapping.slopes(std::array::from_fn(|d| at[d] + INWARD * (centre[d] - at[d])));
            let wanted = solve(slope, miss)?;
            // Rounding of the reference coordinates if the cell is far from the origin, or thin in one direction.
            let rounding = 4.0 * f64::EPSILON * far * largest_of_inverse(slope);
            let free = std::array::from_fn(|d| at[d] + wanted[d]);
            let next = inside(kind, free);
            // A point beyond the cell holds the iterate at its surface, along which it only creeps.
            held = if length(minus(next, free)) > BEYOND {
                held + 1
            } else {
                0
            };
            if held > MAX_HELD {
                return None;
            }
            let moved = (0..3).map(|d| f64::abs(next[d] - at[d])).fold(0.0, f64::max);
            let left = wanted.iter().fold(0.0, |most: f64, w| most.max(w.abs()));
            at = next;
            if moved <= 1e-13 + rounding {
                return (left <= self.tolerance + rounding).then_some(at);
            }
        }
        None
    }
}

/// The space between two parallel planes.
struct Slab {
    normal: [f64; 3],
    /// Products of the normal and a point on either plane.
    range: [f64; 2],
}

impl Slab {
    /// Returns false if a point lies outside.
    fn may_contain(&self, x: [f64; 3]) -> bool {
        let height = dot(self.normal, x);
        !(height < self.range[0] || height > self.range[1])
    }
}

/// Normals of the faces of the reference element, of two opposite faces one.
fn directions_across(kind: ElementKind) -> Vec<[f64; 3]> {
    let mut directions: Vec<[f64; 3]> = Vec::new();
    for face in 0..kind.faces().len() {
        let normal = kind.face_normal(face);
        let parallel = |other: &[f64; 3]| length(cross(*other, normal)) <= 1e-12 * length(normal);
        if !directions.iter().any(parallel) {
            directions.push(normal);
        }
    }
    directions
}

/// A point well within the reference element.
fn centre(kind: ElementKind) -> [f64; 3] {
    match kind {
        ElementKind::Hex => [0.0; 3],
        ElementKind::Prism => [-1.0 / 3.0, -1.0 / 3.0, 0.0],
        ElementKind::Tet => [-0.5; 3],
        ElementKind::Pyramid => [0.0, 0.0, 0.25],
    }
}

/// Moves a point outside the reference element to its surface; points inside stay.
fn inside(kind: ElementKind, [x, y, z]: [f64; 3]) -> [f64; 3] {
    let in_line = |x: f64| x.clamp(-1.0, 1.0);
    // Barycentric coordinates, of which the first is the remainder.
    let of_shares = |x: &[f64]| -> Vec<f64> {
        let shares: Vec<f64> = x.iter().map(|x| (0.5 * (1.0 + x)).max(0.0)).collect();
        let sum = shares.iter().sum::<f64>().max(1.0);
        shares.iter().map(|share| 2.0 * share / sum - 1.0).collect()
    };
    match kind {
        ElementKind::Hex => [x, y, z].map(in_line),
        ElementKind::Prism => {
            let at = of_shares(&[x, y]);
            [at[0], at[1], in_line(z)]
        }
        ElementKind::Tet => {
            let at = of_shares(&[x, y, z]);
            [at[0], at[1], at[2]]
        }
        ElementKind::Pyramid => {
            let z = z.clamp(0.0, 1.0);
            [x.clamp(z - 1.0, 1.0 - z), y.clamp(z - 1.0, 1.0 - z), z]
        }
    }
}

/// Solution xi of sum_d xi_d rows[d] = b, if there is one.
fn solve(rows: [[f64; 3]; 3], b: [f64; 3]) -> Option<[f64; 3]> {
    let [r, s, t] = rows;
    let determinant = dot(r, cross(s, t));
    let xi = [cross(s, t), cross(t, r), cross(r, s)].map(|c| dot(b, c) / determinant);
    xi.iter().all(|x| x.is_finite()).then_some(xi)
}

/// Largest entry of the inverse of a matrix of these rows.
fn largest_of_inverse(rows: [[f64; 3]; 3]) -> f64 {
    let [r, s, t] = rows;
    let cofactors = [cross(s, t), cross(t, r), cross(r, s)];
    let largest = cofactors.iter().flatten().fold(0.0, |most: f64, c| most.max(c.abs()));
    largest / dot(r, cofactors[0]).abs()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::element::{Correction, Elements, ReferenceElement};
    use crate::mesh::build_box;
    use crate::mesh::{BoxElements, BoxMesh, WarpKind};

    /// Points inside each cell and on a face of it are found in warped boxes of all kinds of cells.
    #[test]
    fn points_are_found_where_their_cells_map_them_to() {
        for (elements, warp_kind) in [
            (BoxElements::Hex, WarpKind::Curved),
            (BoxElements::Prism, WarpKind::Curved),
            (BoxElements::Tet, WarpKind::Curved),
            (BoxElements::Pyramid, WarpKind::Curved),
            (BoxElements::Mixed, WarpKind::Curved),
            (BoxElements::Hex, WarpKind::Trilinear),
        ] {
            let order = 3;
            let mesh = build_box(
                &BoxMesh {
                    cells: [4, 2, 2],
                    lower: [10.0, -1.0, 0.0],
                    upper: [12.0, 1.0, 1.0],
                    periodic: [false; 3],
                    elements,
                    stretch: [None, Some(1.0), None],
                    warp: 0.15,
                    warp_kind,
                },
                order,
            )
            .unwrap();
            let all = Elements::new(order, Correction::Radau, &mesh.kinds_present());
            let geometry = Geometry::new(&mesh, &all).unwrap();
            let locator = Locator::new(&mesh, &geometry, order);
            let reference =
                |cell: usize| ReferenceElement::new(mesh.kinds[cell], locator.cells.degree, Correction::Radau);
            let mut points = Vec::new();
            let mut expected = Vec::new();
            for cell in 0..mesh.len() {
                let kind = mesh.kinds[cell];
                let element = reference(cell);
                for blend in [0.0, 0.3, 0.9, 1.0] {
                    let c = centre(kind);
                    let v = element.points[element.len() - 1];
                    let at: [f64; 3] = std::array::from_fn(|d| (1.0 - blend) * c[d] + blend * v[d]);
                    points.push(crate::geometry::multiply(&element.interpolation(&[at]), locator.nodes(cell))[0]);
                    expected.push((cell, at, blend < 1.0));
                }
            }
            for ((cell, at, inside), (found, x)) in
                expected.into_iter().zip(locator.find(&points).into_iter().zip(&points))
            {
                let found = found.unwrap_or_else(|| panic!("{elements:?}: cell {cell} at {at:?} = {x:?}"));
                // A vertex belongs to the first of its cells.
                assert!(
                    if inside { found.cell == cell } else { found.cell <= cell },
                    "{elements:?} {cell} {found:?}"
                );
                if inside {
                    (0..3).for_each(|d| assert!((found.at[d] - at[d]).abs() < 1e-11, "{elements:?} {at:?} {found:?}"));
                }
                let element = reference(found.cell);
                let back = crate::geometry::multiply(&element.interpolation(&[found.at]), locator.nodes(found.cell))[0];
                (0..3).for_each(|d| assert!((back[d] - x[d]).abs() < 1e-12));
            }
            assert_eq!(locator.find(&[[9.999, 0.0, 0.5], [11.0, 0.0, 1.001]]), [None, None]);
        }
    }

    /// Points in thin cells far from the origin, where a coordinate is rounded to a larger share of the thickness.
    #[test]
    fn points_in_thin_cells_far_from_the_origin_are_found() {
        for elements in [
            BoxElements::Hex,
            BoxElements::Prism,
            BoxElements::Tet,
            BoxElements::Pyramid,
        ] {
            let order = 2;
            let mesh = build_box(
                &BoxMesh {
                    cells: [2, 8, 2],
                    lower: [300.0, 200.0, 100.0],
                    upper: [302.0, 200.008, 102.0],
                    periodic: [false; 3],
                    elements,
                    stretch: [None; 3],
                    warp: 0.0,
                    warp_kind: WarpKind::Curved,
                },
                order,
            )
            .unwrap();
            let all = Elements::new(order, Correction::Radau, &mesh.kinds_present());
            let geometry = Geometry::new(&mesh, &all).unwrap();
            let locator = Locator::new(&mesh, &geometry, order);
            let points: Vec<[f64; 3]> = (0..4000)
                .map(|i| {
                    // Parts of a sequence that fills the box evenly.
                    let part = |root: f64| (f64::from(i) * root).fract();
                    [
                        300.0 + 2.0 * part(2_f64.sqrt()),
                        200.0 + 0.008 * part(3_f64.sqrt()),
                        100.0 + 2.0 * part(5_f64.sqrt()),
                    ]
                })
                .collect();
            let lost = locator.find(&points).iter().filter(|found| found.is_none()).count();
            assert_eq!(lost, 0, "{elements:?}");
        }
    }
}
