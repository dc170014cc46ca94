//! A zone of a CGNS file: its nodes and cells, and the facets that lists of points or elements mean.

use std::cell::OnceCell;
use std::collections::{HashMap, HashSet};
use std::ops::Range;

use super::node_order::{cell_lattice, face_lattice};
use super::points::Points;
use super::tree::Node;
use super::types::{ElementType, MIXED, Shape, of_version_3_0};
use crate::element::{ElementKind, FaceShape, triangle_index};
use crate::mesh::cells::FaceVertices;
use crate::mesh::error::MeshError;
use crate::mesh::plane_mesh::{PlaneCell, PlaneMesh};
use crate::mesh::serendipity::{Completion, MISSING, Nodes};

/// A zone whose nodes and cells have been read.
pub struct Zone<'a> {
    /// The node of the zone.
    pub node: Node<'a>,
    /// Index of its first node in the mesh.
    first_node: usize,
    /// Numbers of nodes in each direction; one number without structure.
    sizes: Vec<usize>,
    /// Cells of the zone in the mesh.
    cells: Range<usize>,
    /// Elements on the boundary by their numbers; in zones without structure.
    facets: HashMap<i64, FaceVertices>,
    /// Facets of one cell of the zone only.
    outer: OnceCell<Vec<FaceVertices>>,
}

/// The mesh that is being read. Cells of two dimensions stand in `plane.cells`, those of three in `plane.base`.
pub struct Collected {
    /// Dimension of the cells.
    pub dimension: usize,
    /// True if version 3.0 of the CGNS library wrote the file.
    pub version_3_0: bool,
    /// The mesh.
    pub plane: PlaneMesh,
    /// Nodes added to serendipity cells.
    completion: Completion,
    /// Largest tag of a cell so far.
    tag: u64,
}

impl Collected {
    /// An empty mesh with cells of this dimension.
    pub fn new(dimension: usize) -> Self {
        Self {
            dimension,
            version_3_0: false,
            plane: PlaneMesh::default(),
            completion: Completion::default(),
            tag: 0,
        }
    }

    /// Adds a facet to a surface.
    pub fn add_facet(&mut self, facet: &FaceVertices, surface: u32) {
        match *facet.as_slice() {
            [a, b] => self.plane.edges.push(([a, b], surface)),
            _ => self.plane.base.patches.push((facet.key(), surface)),
        }
    }

    fn cells(&self) -> usize {
        self.plane.base.kinds.len() + self.plane.cells.len()
    }

    /// Adds an element, whose nodes are in the order of the standard.
    fn push_cell(&mut self, of: ElementType, tag: u64, nodes: Vec<u32>) {
        let order = of.order;
        let mut sorted = vec![MISSING; of.complete()];
        let base = &mut self.plane.base;
        let mut mesh = Nodes {
            positions: &mut base.positions,
            tags: &mut base.node_tags,
        };
        match of.shape {
            Shape::Cell(kind) => {
                for (at, node) in cell_lattice(kind, order).into_iter().zip(nodes) {
                    sorted[kind.index(at, order)] = node;
                }
                if of.nodes < sorted.len() {
                    self.completion.complete_cell(kind, order, &mut sorted, &mut mesh);
                }
                base.push_cell(kind, order as u8, tag, &sorted);
            }
            Shape::Face(shape) => {
                for ([i, j], node) in face_lattice(shape, order).into_iter().zip(nodes) {
                    let at = match shape {
                        FaceShape::Triangle => triangle_index(i, j, order),
                        FaceShape::Quad => i + (order + 1) * j,
                    };
                    sorted[at] = node;
                }
                self.completion.complete_face(shape, order, &mut sorted, &mut mesh);
                self.plane.cells.push(PlaneCell {
                    shape,
                    order: order as u8,
                    tag,
                    nodes: sorted,
                });
            }
            Shape::Point | Shape::Line => {}
        }
    }
}

impl<'a> Zone<'a> {
    /// Reads the nodes and cells of a zone.
    ///
    /// # Errors
    /// A node of the file is missing, not valid or not supported.
    pub fn read(node: Node<'a>, into: &mut Collected) -> Result<Self, MeshError> {
        let kind = node.child("ZoneType_t")?;
        let kind = kind
            .ok_or_else(|| node.refused("the node ZoneType is missing"))?
            .text()?;
        let numbers = node.integers()?;
        let count = match kind.as_str() {
            "Unstructured" => 1,
            "Structured" => into.dimension,
            other => return Err(node.refused(format!("zones of type `{other}` are not supported"))),
        };
        let size = |n: &i64| usize::try_from(*n).ok().filter(|n| *n > 0);
        let sizes: Option<Vec<usize>> = numbers.iter().take(count).map(size).collect();
        let sizes = sizes.filter(|sizes| sizes.len() == count && numbers.len() == 3 * count);
        let sizes = sizes.ok_or_else(|| node.refused(format!("its sizes are {numbers:?}")))?;
        let first_node = into.plane.base.positions.len();
        read_coordinates(&node, &sizes, into)?;
        let first_cell = into.cells();
        let mut zone = Zone {
            node,
            first_node,
            sizes,
            cells: first_cell..first_cell,
            facets: HashMap::new(),
            outer: OnceCell::new(),
        };
        match kind.as_str() {
            "Structured" => zone.push_lattice(into),
            _ => zone.read_sections(into)?,
        }
        zone.cells.end = into.cells();
        Ok(zone)
    }

    fn structured(&self) -> bool {
        self.sizes.len() > 1
    }

    /// Index in the mesh of a node of a structured zone, by its place counted from 0.
    fn lattice_node(&self, at: &[usize]) -> u32 {
        let place = at.iter().zip(&self.sizes).rev().fold(0, |sum, (i, n)| sum * n + i);
        (self.first_node + place) as u32
    }

    /// Adds the cells of a structured zone.
    fn push_lattice(&self, into: &mut Collected) {
        let cells: Vec<usize> = self.sizes.iter().map(|n| n - 1).chain([1]).collect();
        let shape = match into.dimension {
            3 => Shape::Cell(ElementKind::Hex),
            _ => Shape::Face(FaceShape::Quad),
        };
        let of = ElementType {
            shape,
            order: 1,
            nodes: 1 << into.dimension,
        };
        // The first four are those of a quadrilateral.
        let corners = ElementKind::Hex.lattice_vertices(1);
        for k in 0..cells[2] {
            for j in 0..cells[1] {
                for i in 0..cells[0] {
                    let corner = |[a, b, c]: &[usize; 3]| self.lattice_node(&[i + a, j + b, k + c][..into.dimension]);
                    let nodes = corners[..of.nodes].iter().map(corner).collect();
                    into.tag += 1;
                    into.push_cell(of, into.tag, nodes);
                }
            }
        }
    }

    /// Reads the elements of a zone without structure.
    fn read_sections(&mut self, into: &mut Collected) -> Result<(), MeshError> {
        let before = into.tag;
        let sections = self.node.children("Elements_t")?;
        if sections.is_empty() {
            return Err(self.node.refused("the zone has no elements (Elements_t)"));
        }
        for section in sections {
            let number = *section
                .integers()?
                .first()
                .ok_or_else(|| section.refused("its type is missing"))?;
            let range = section.named("IndexRange_t", "ElementRange")?;
            let range = range
                .ok_or_else(|| section.refused("the node ElementRange is missing"))?
                .integers()?;
            let &[first, last] = range.as_slice() else {
                return Err(section.refused(format!("its ElementRange is {range:?}")));
            };
            let list = section.array("ElementConnectivity")?;
            let list = list
                .ok_or_else(|| section.refused("the node ElementConnectivity is missing"))?
                .integers()?;
            let other = into.version_3_0 && is_of_version_3_0(number, [first, last], list.len());
            let standard = |number: i64| if other { of_version_3_0(number) } else { number };
            let number = standard(number);
            let mut rest = list.as_slice();
            for element in first..=last {
                let mut kind = number;
                if number == MIXED {
                    (kind, rest) = match rest {
                        [kind, rest @ ..] => (standard(*kind), rest),
                        [] => return Err(section.refused(format!("its list ends before element {element}"))),
                    };
                }
                let of = self.check_type(&section, kind, element, into.dimension)?;
                let Some((nodes, after)) = rest.split_at_checked(of.nodes) else {
                    return Err(section.refused(format!("its list ends before element {element}")));
                };
                rest = after;
                let nodes = self.nodes(&section, element, nodes)?;
                let dimension = of.shape.dimension();
                if dimension == into.dimension {
                    let tag = before + element.unsigned_abs();
                    into.tag = into.tag.max(tag);
                    into.push_cell(of, tag, nodes);
                } else if dimension + 1 == into.dimension {
                    let vertices = match of.shape {
                        Shape::Face(shape) => shape.vertices(),
                        _ => 2,
                    };
                    self.facets.insert(element, FaceVertices::new(&nodes[..vertices]));
                }
            }
            if !rest.is_empty() {
                return Err(section.refused(format!("its list has {} numbers too many", rest.len())));
            }
        }
        Ok(())
    }

    fn check_type(
        &self,
        section: &Node,
        number: i64,
        element: i64,
        dimension: usize,
    ) -> Result<ElementType, MeshError> {
        let Some(found) = ElementType::new(number) else {
            let what = match number {
                22 | 23 => "polygons or polyhedra (NGON_n, NFACE_n)".to_owned(),
                _ => format!("of type {number}"),
            };
            return Err(section.refused(format!(
                "element {element} is {what}: lines, triangles, quadrilaterals, tetrahedra, pyramids, prisms and \
                 hexahedra of order 1 to 4 are read"
            )));
        };
        if found.shape.dimension() > dimension {
            return Err(section.refused(format!(
                "element {element} has {} dimensions, but the cells of the base {dimension}",
                found.shape.dimension()
            )));
        }
        Ok(found)
    }

    /// Indices in the mesh of nodes that are counted from 1 in the zone.
    fn nodes(&self, section: &Node, element: i64, numbers: &[i64]) -> Result<Vec<u32>, MeshError> {
        let count = self.sizes[0];
        let node = |number: &i64| match usize::try_from(*number) {
            Ok(n) if (1..=count).contains(&n) => Ok((self.first_node + n - 1) as u32),
            _ => Err(section.refused(format!(
                "element {element} has node {number}, but the zone has nodes 1 to {count}"
            ))),
        };
        numbers.iter().map(node).collect()
    }

    /// Returns the facets of the zone that a boundary condition or an interface `of` the file names.
    ///
    /// # Errors
    /// The points do not lie in the zone.
    pub fn facets(&self, of: &Node, points: &Points, from: &Collected) -> Result<Vec<FaceVertices>, MeshError> {
        match points {
            Points::Range(numbers) if self.structured() => self.facets_of_range(of, numbers, false),
            Points::FaceRange(numbers) if self.structured() => self.facets_of_range(of, numbers, true),
            Points::Faces(_) if self.structured() => {
                Err(of.refused("lists of faces of structured zones are not read, only ranges"))
            }
            Points::Faces(numbers) => Ok(numbers.iter().filter_map(|n| self.facets.get(n).copied()).collect()),
            Points::FaceRange(range) => {
                let &[first, last] = range.as_slice() else {
                    return Err(of.refused(format!("its range is {range:?}")));
                };
                let mut numbers: Vec<&i64> = self.facets.keys().filter(|n| (first..=last).contains(n)).collect();
                numbers.sort_unstable();
                Ok(numbers.into_iter().map(|n| self.facets[n]).collect())
            }
            Points::Range(range) => {
                let &[first, last] = range.as_slice() else {
                    return Err(of.refused(format!("its range is {range:?}")));
                };
                let within = |node: u32| (first..=last).contains(&(i64::from(node) - self.first_node as i64 + 1));
                Ok(self.outer_among(from, within))
            }
            Points::Vertices(numbers) => {
                let set: HashSet<u32> = self.nodes_of(of, numbers)?.into_iter().collect();
                Ok(self.outer_among(from, |node| set.contains(&node)))
            }
        }
    }

    /// Indices in the mesh of a list of points of the zone.
    ///
    /// # Errors
    /// The zone does not have one of the points.
    pub fn nodes_of(&self, of: &Node, points: &[i64]) -> Result<Vec<u32>, MeshError> {
        let node = |at: &[i64]| {
            let place = |(i, n): (&i64, &usize)| usize::try_from(i - 1).ok().filter(|i| i < n);
            let place: Option<Vec<usize>> = at.iter().zip(&self.sizes).map(place).collect();
            let place = place.ok_or_else(|| of.refused(format!("the zone has no point {at:?}")))?;
            Ok(self.lattice_node(&place))
        };
        points.chunks(self.sizes.len()).map(node).collect()
    }

    /// Outer facets of the zone all of whose vertices are wanted.
    fn outer_among(&self, from: &Collected, wanted: impl Fn(u32) -> bool) -> Vec<FaceVertices> {
        let outer = self.outer.get_or_init(|| self.outer_facets(from));
        let all = |facet: &&FaceVertices| facet.as_slice().iter().all(|node| wanted(*node));
        outer.iter().filter(all).copied().collect()
    }

    /// Facets that belong to one cell of the zone.
    fn outer_facets(&self, from: &Collected) -> Vec<FaceVertices> {
        let mut cells: HashMap<[u32; 4], (FaceVertices, usize)> = HashMap::new();
        let mut add = |vertices: &[u32]| {
            let facet = FaceVertices::new(vertices);
            let mut key = vertices.to_vec();
            key.sort_unstable();
            key.resize(4, key[key.len() - 1]);
            cells.entry([key[0], key[1], key[2], key[3]]).or_insert((facet, 0)).1 += 1;
        };
        for cell in self.cells.clone() {
            if from.dimension == 3 {
                let base = &from.plane.base;
                let kind = base.kinds[cell];
                let order = usize::from(base.orders[cell]);
                let nodes = base.cell_nodes(cell);
                let corners: Vec<u32> = kind
                    .lattice_vertices(order)
                    .into_iter()
                    .map(|at| nodes[kind.index(at, order)])
                    .collect();
                for face in kind.faces() {
                    let vertices: Vec<u32> = face.vertices.iter().map(|v| corners[*v]).collect();
                    add(&vertices);
                }
            } else {
                let ring = from.plane.cells[cell].ring();
                (0..ring.len()).for_each(|i| add(&[ring[i], ring[(i + 1) % ring.len()]]));
            }
        }
        let mut outer: Vec<FaceVertices> = cells
            .into_values()
            .filter(|(_, n)| *n == 1)
            .map(|(facet, _)| facet)
            .collect();
        outer.sort_unstable_by(|a, b| a.as_slice().cmp(b.as_slice()));
        outer
    }

    /// Facets of a structured zone between two corners, which are points, or faces counted like cells.
    fn facets_of_range(&self, of: &Node, range: &[i64], faces: bool) -> Result<Vec<FaceVertices>, MeshError> {
        let n = self.sizes.len();
        let refused = || {
            of.refused(format!(
                "its range {range:?} is not one side of the zone of {:?} points",
                self.sizes
            ))
        };
        if range.len() != 2 * n {
            return Err(refused());
        }
        let corner = |d: usize| {
            let ends = [range[d], range[n + d]].map(|i| usize::try_from(i - 1).unwrap_or(usize::MAX));
            [ends[0].min(ends[1]), ends[0].max(ends[1])]
        };
        let ends: Vec<[usize; 2]> = (0..n).map(corner).collect();
        let flat = |d: &usize| ends[*d][0] == ends[*d][1] && (!faces || [0, self.sizes[*d] - 1].contains(&ends[*d][0]));
        let mut normals = (0..n).filter(flat);
        let normal = normals.next().ok_or_else(refused)?;
        if normals.next().is_some() || (0..n).any(|d| ends[d][1] >= self.sizes[d]) {
            return Err(refused());
        }
        // In the other directions, the numbers of cells.
        let across: Vec<usize> = (0..n).filter(|d| *d != normal).collect();
        let last = |d: usize| ends[d][1] + usize::from(faces);
        if across.iter().any(|&d| last(d) >= self.sizes[d]) {
            return Err(refused());
        }
        let mut facets = Vec::new();
        let node = |first: usize, second: usize| {
            let mut at = vec![0; n];
            at[normal] = ends[normal][0];
            at[across[0]] = first;
            across.get(1).into_iter().for_each(|&d| at[d] = second);
            self.lattice_node(&at)
        };
        let [a, b] = [across.first(), across.get(1)].map(|d| d.map(|&d| ends[d][0]..last(d)));
        for i in a.unwrap_or(0..0) {
            match &b {
                None => facets.push(FaceVertices::new(&[node(i, 0), node(i + 1, 0)])),
                Some(b) => facets.extend(
                    b.clone()
                        .map(|j| FaceVertices::new(&[node(i, j), node(i + 1, j), node(i, j + 1), node(i + 1, j + 1)])),
                ),
            }
        }
        Ok(facets)
    }
}

/// Returns true if the type of a section with these elements and so many nodes has a number of version 3.0 of the CGNS
/// library. Other libraries wrote files of this version with the numbers of the standard.
fn is_of_version_3_0(number: i64, [first, last]: [i64; 2], nodes: usize) -> bool {
    let count = last.saturating_sub(first).saturating_add(1);
    let fits =
        |number: i64| ElementType::new(number).is_some_and(|of| count.saturating_mul(of.nodes as i64) == nodes as i64);
    let other = of_version_3_0(number);
    other != number && !fits(number) && (fits(other) || other == MIXED)
}

/// Reads the coordinates of the nodes of a zone.
fn read_coordinates(zone: &Node, sizes: &[usize], into: &mut Collected) -> Result<(), MeshError> {
    let grid = zone.named("GridCoordinates_t", "GridCoordinates")?;
    let grid = grid.ok_or_else(|| zone.refused("the node GridCoordinates is missing"))?;
    let count = sizes
        .iter()
        .try_fold(1usize, |product, n| product.checked_mul(*n))
        .unwrap_or(usize::MAX);
    let base = &mut into.plane.base;
    if u32::try_from(base.positions.len().saturating_add(count)).is_err() {
        return Err(zone.refused(format!("the mesh has more than {} nodes", u32::MAX)));
    }
    let first = base.positions.len();
    for (d, name) in ["CoordinateX", "CoordinateY", "CoordinateZ"].into_iter().enumerate() {
        let values = match grid.array(name)? {
            Some(node) => node.reals()?,
            None if d == 2 && into.dimension == 2 => vec![0.0; count],
            None => return Err(grid.refused(format!("the node {name} is missing; Cartesian coordinates are read"))),
        };
        if values.len() != count {
            return Err(grid.refused(format!(
                "{name} has {} values, but the zone {count} nodes",
                values.len()
            )));
        }
        if let Some(i) = values.iter().position(|x| !x.is_finite()) {
            return Err(grid.refused(format!("{name} of node {} is {}", i + 1, values[i])));
        }
        if d == 0 {
            base.positions.resize(first + count, [0.0; 3]);
            base.node_tags.extend(1..=count as u64);
        }
        base.positions[first..]
            .iter_mut()
            .zip(values)
            .for_each(|(at, x)| at[d] = x);
    }
    Ok(())
}
