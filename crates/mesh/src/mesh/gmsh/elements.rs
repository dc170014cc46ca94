//! The nodes and elements collected while a file of either version is read.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::Path;

use super::super::cells::FaceVertices;
use super::super::error::{FilePosition, GmshProblem, MeshError};
use super::super::plane_mesh::{PlaneCell, PlaneMesh};
use super::super::serendipity::{Completion, MISSING, Nodes};
use super::super::unconnected::{Link, Surface, UnconnectedMesh};
use super::node_order::{cell_lattice, face_lattice};
use super::reader::Reader;
use super::types::{ElementType, Family};
use crate::element::{ElementKind, FaceShape, triangle_index};

/// A lookup table from the tag of a node to its index.
#[derive(Debug)]
enum NodeIndex {
    /// Index by tag, `u32::MAX` for unused tags; for tags with few gaps.
    Dense(Vec<u32>),
    /// Tags and indices in ascending order; for other tags.
    Sorted(Vec<(u64, u32)>),
}

impl NodeIndex {
    /// Indexes the nodes. The error is a tag that occurs twice.
    fn new(tags: &[u64]) -> Result<Self, u64> {
        let largest = tags.iter().copied().max().unwrap_or(0);
        if largest < 4 * tags.len() as u64 + 64 {
            let mut table = vec![u32::MAX; largest as usize + 1];
            for (i, tag) in tags.iter().enumerate() {
                let entry = &mut table[*tag as usize];
                if *entry != u32::MAX {
                    return Err(*tag);
                }
                *entry = i as u32;
            }
            return Ok(Self::Dense(table));
        }
        let mut sorted: Vec<(u64, u32)> = tags.iter().copied().zip(0..).collect();
        sorted.sort_unstable();
        match sorted.windows(2).find(|w| w[0].0 == w[1].0) {
            Some(twice) => Err(twice[0].0),
            None => Ok(Self::Sorted(sorted)),
        }
    }

    fn get(&self, tag: u64) -> Option<u32> {
        match self {
            Self::Dense(table) => {
                let index = *table.get(usize::try_from(tag).ok()?)?;
                (index != u32::MAX).then_some(index)
            }
            Self::Sorted(sorted) => {
                let i = sorted.binary_search_by_key(&tag, |entry| entry.0).ok()?;
                Some(sorted[i].1)
            }
        }
    }
}

/// The contents of a file that have been read so far.
#[derive(Debug)]
pub struct Elements {
    /// Dimension of the cells: 3, or 2 for a mesh that will be extruded. Boundaries have one dimension less.
    pub dimension: usize,
    /// The mesh; without cells if these have two dimensions.
    pub mesh: UnconnectedMesh,
    /// Physical groups of each entity on the boundary, by its tag; only version 4 lists them apart from the elements.
    pub groups_of: HashMap<i64, Vec<i64>>,
    /// Entity of the model to which an entity of a partition belongs, by its tag; for entities on the boundary.
    pub parent_of: HashMap<i64, i64>,
    /// Cells and edges of a two-dimensional mesh.
    plane: PlaneMesh,
    index: NodeIndex,
    /// Index in [`ElementKind::index`]'s numbering of each node in Gmsh's numbering, by kind and order.
    numbers: HashMap<(ElementKind, usize), Vec<usize>>,
    surface_index: HashMap<Surface, u32>,
    /// Nodes that were added to serendipity cells.
    completion: Completion,
    /// First physical group of each volume.
    volume_group: HashMap<i64, i64>,
    /// Cells whose group is not the first one of their volume; they may be repetitions.
    suspects: Vec<usize>,
    /// Nodes of the element being read, in the order of the file.
    scratch: Vec<u32>,
    /// Nodes of the cell being read, in the order of [`ElementKind::index`].
    sorted: Vec<u32>,
}

impl Elements {
    /// Creates the empty contents of a file with cells of this dimension.
    pub fn new(file: &Path, dimension: usize) -> Self {
        Self {
            dimension,
            mesh: UnconnectedMesh {
                file: file.to_path_buf(),
                gmsh: true,
                ..UnconnectedMesh::default()
            },
            groups_of: HashMap::new(),
            parent_of: HashMap::new(),
            plane: PlaneMesh::default(),
            index: NodeIndex::Dense(Vec::new()),
            numbers: HashMap::new(),
            surface_index: HashMap::new(),
            completion: Completion::default(),
            volume_group: HashMap::new(),
            suspects: Vec::new(),
            scratch: Vec::new(),
            sorted: Vec::new(),
        }
    }

    /// Reads the coordinates of a node.
    ///
    /// # Errors
    /// A coordinate cannot be read or is not finite.
    pub fn read_position(&mut self, reader: &mut Reader, tag: u64) -> Result<(), MeshError> {
        let mut position = [0.0; 3];
        for (direction, x) in position.iter_mut().enumerate() {
            *x = reader.real("a coordinate of a node")?;
            if !x.is_finite() {
                return Err(reader.error(GmshProblem::NotFinite {
                    tag,
                    direction,
                    value: *x,
                }));
            }
        }
        self.mesh.positions.push(position);
        Ok(())
    }

    /// Indexes the nodes; to be called once all have been read.
    ///
    /// # Errors
    /// A tag occurs twice, or there are more nodes than 32 bits can number.
    pub fn index_nodes(&mut self, reader: &Reader) -> Result<(), MeshError> {
        let count = self.mesh.node_tags.len();
        if u32::try_from(count).is_err() {
            return Err(reader.error(GmshProblem::TooManyNodes(count)));
        }
        self.index = NodeIndex::new(&self.mesh.node_tags).map_err(|tag| reader.error(GmshProblem::NodeTwice(tag)))?;
        Ok(())
    }

    /// Looks up the type of an element.
    ///
    /// # Errors
    /// The type or its order is not supported.
    pub fn check_type(&self, reader: &Reader, number: i64, element: u64) -> Result<ElementType, MeshError> {
        let Some(found) = ElementType::new(number) else {
            return Err(reader.error(GmshProblem::ElementType { element, number }));
        };
        let kind = match found.family {
            Family::Cell(kind) => Some(kind.name()),
            Family::Triangle if self.dimension == 2 => Some("triangle"),
            Family::Quad if self.dimension == 2 => Some("quadrilateral"),
            _ => None,
        };
        if let Some(kind) = kind {
            if found.family.dimension() > self.dimension as i64 {
                return Err(reader.error(GmshProblem::Spatial { element, kind }));
            }
            if found.order > found.most() {
                return Err(reader.error(GmshProblem::Order {
                    element,
                    order: found.order,
                    nodes: if found.complete {
                        ""
                    } else {
                        " with nodes on its edges only"
                    },
                    most: found.most(),
                }));
            }
        }
        Ok(found)
    }

    /// Reads the nodes of an element. `group` is its physical group in version 2, where elements have one of their own,
    /// 0 for none. Tags of nodes have eight bytes if `wide`, else four.
    ///
    /// # Errors
    /// A node cannot be read or does not exist.
    pub fn read_element(
        &mut self,
        reader: &mut Reader,
        element: ElementType,
        tag: u64,
        entity: i64,
        group: Option<i64>,
        wide: bool,
    ) -> Result<(), MeshError> {
        let used = match element.family {
            family if family.dimension() == self.dimension as i64 => element.nodes,
            Family::Lower if self.dimension == 2 && element.order > 0 => 2,
            Family::Lower => 0,
            Family::Triangle => 3,
            Family::Quad => 4,
            Family::Cell(_) => element.nodes,
        };
        self.scratch.clear();
        for _ in 0..used {
            let node = reader.tag(wide, "a node of an element")?;
            let Some(index) = self.index.get(node) else {
                return Err(reader.error(GmshProblem::UnknownNode { element: tag, node }));
            };
            self.scratch.push(index);
        }
        reader.skip(element.nodes - used, if wide { 8 } else { 4 }, "a node of an element")?;
        match element.family {
            Family::Lower => {
                if let &[a, b] = self.scratch.as_slice() {
                    let curve = self.surface(entity, group);
                    self.plane.edges.push(([a, b], curve));
                }
            }
            Family::Triangle | Family::Quad if self.dimension == 2 => {
                self.push_plane_cell(element, tag);
            }
            Family::Triangle | Family::Quad => {
                let key = FaceVertices::new(&self.scratch).key();
                let surface = self.surface(entity, group);
                self.mesh.patches.push((key, surface));
            }
            Family::Cell(kind) => {
                self.push_cell(kind, element, tag, entity, group);
            }
        }
        Ok(())
    }

    /// Index of a surface with its physical groups; it is added if it is new.
    fn surface(&mut self, entity: i64, group: Option<i64>) -> u32 {
        let mut groups = match group {
            Some(0) => Vec::new(),
            Some(group) => vec![group.saturating_abs()],
            None => self.groups_of.get(&entity).cloned().unwrap_or_default(),
        };
        groups.sort_unstable();
        groups.dedup();
        let entity = *self.parent_of.get(&entity).unwrap_or(&entity);
        let surface = Surface { entity, groups };
        let surfaces = &mut self.mesh.surfaces;
        *self.surface_index.entry(surface).or_insert_with_key(|surface| {
            surfaces.push(surface.clone());
            surfaces.len() as u32 - 1
        })
    }

    /// Adds the triangle or quadrilateral that is being read as a cell.
    fn push_plane_cell(&mut self, element: ElementType, tag: u64) {
        let order = element.order;
        let shape = match element.family {
            Family::Triangle => FaceShape::Triangle,
            _ => FaceShape::Quad,
        };
        let mut nodes = vec![MISSING; shape.points(order)];
        for ([i, j], node) in face_lattice(shape, order).into_iter().zip(&self.scratch) {
            let at = match shape {
                FaceShape::Triangle => triangle_index(i, j, order),
                FaceShape::Quad => i + (order + 1) * j,
            };
            nodes[at] = *node;
        }
        if !element.complete {
            let mut mesh = Nodes {
                positions: &mut self.mesh.positions,
                tags: &mut self.mesh.node_tags,
            };
            self.completion.complete_face(shape, order, &mut nodes, &mut mesh);
        }
        self.plane.cells.push(PlaneCell {
            shape,
            order: order as u8,
            tag,
            nodes,
        });
    }

    fn push_cell(&mut self, kind: ElementKind, of: ElementType, tag: u64, entity: i64, group: Option<i64>) {
        let order = of.order;
        let numbers = self.numbers.entry((kind, order)).or_insert_with(|| {
            let lattice = cell_lattice(kind, order);
            lattice.into_iter().map(|at| kind.index(at, order)).collect()
        });
        self.sorted.clear();
        self.sorted.resize(numbers.len(), MISSING);
        let places = numbers.iter().zip(&self.scratch);
        places.for_each(|(at, node)| self.sorted[*at] = *node);
        if !of.complete {
            let mut mesh = Nodes {
                positions: &mut self.mesh.positions,
                tags: &mut self.mesh.node_tags,
            };
            self.completion.complete_cell(kind, order, &mut self.sorted, &mut mesh);
        }
        self.mesh.push_cell(kind, order as u8, tag, &self.sorted);
        if let Some(group) = group
            && *self.volume_group.entry(entity).or_insert(group) != group
        {
            self.suspects.push(self.mesh.kinds.len() - 1);
        }
    }

    /// Reads the pairs of corresponding nodes of a periodic entity, and adds it if it is a surface. Tags of nodes have
    /// eight bytes if `wide`, else four.
    ///
    /// # Errors
    /// A node cannot be read or does not exist.
    pub fn read_link(
        &mut self,
        reader: &mut Reader,
        dimension: i64,
        [slave, master]: [i64; 2],
        affine: Option<[f64; 16]>,
        pairs: usize,
        wide: bool,
    ) -> Result<(), MeshError> {
        let mut nodes = BTreeMap::new();
        for _ in 0..pairs {
            let there = self.read_periodic_node(reader, slave, wide)?;
            let here = self.read_periodic_node(reader, slave, wide)?;
            nodes.insert(here, there);
        }
        if dimension + 1 == self.dimension as i64 {
            self.mesh.links.push(Link {
                slave,
                master,
                affine,
                nodes,
            });
        }
        Ok(())
    }

    fn read_periodic_node(&self, reader: &mut Reader, surface: i64, wide: bool) -> Result<u32, MeshError> {
        let node = reader.tag(wide, "a periodic node")?;
        let index = self.index.get(node);
        index.ok_or_else(|| reader.error(GmshProblem::UnknownPeriodicNode { surface, node }))
    }

    /// Returns the two-dimensional mesh after the whole file has been read.
    ///
    /// # Errors
    /// Two cells have the same tag.
    pub fn finish_plane(mut self) -> Result<PlaneMesh, MeshError> {
        self.mesh.tags = self.plane.cells.iter().map(|cell| cell.tag).collect();
        let plane = std::mem::take(&mut self.plane);
        let base = UnconnectedMesh {
            tags: Vec::new(),
            ..self.finish()?
        };
        Ok(PlaneMesh { base, ..plane })
    }

    /// Returns the mesh after the whole file has been read.
    ///
    /// # Errors
    /// Two cells have the same tag.
    pub fn finish(mut self) -> Result<UnconnectedMesh, MeshError> {
        self.drop_repeated();
        let mut tags = self.mesh.tags.clone();
        tags.sort_unstable();
        if let Some(twice) = tags.windows(2).find(|w| w[0] == w[1]) {
            return Err(MeshError::Gmsh {
                file: self.mesh.file,
                place: FilePosition::Whole,
                problem: Box::new(GmshProblem::ElementTwice(twice[0])),
            });
        }
        Ok(self.mesh)
    }

    /// Drops all but the first of equal cells: version 2 lists a volume once for each physical group it belongs to.
    fn drop_repeated(&mut self) {
        if self.suspects.is_empty() {
            return;
        }
        let old = std::mem::take(&mut self.mesh);
        let suspects: HashSet<usize> = self.suspects.iter().copied().collect();
        let count = old.kinds.len();
        let certain = (0..count).filter(|cell| !suspects.contains(cell));
        let mut known: HashSet<&[u32]> = certain.map(|cell| old.cell_nodes(cell)).collect();
        let mut kept = UnconnectedMesh::default();
        for cell in 0..count {
            if !suspects.contains(&cell) || known.insert(old.cell_nodes(cell)) {
                kept.push_cell(old.kinds[cell], old.orders[cell], old.tags[cell], old.cell_nodes(cell));
            }
        }
        self.mesh = UnconnectedMesh {
            kinds: kept.kinds,
            orders: kept.orders,
            tags: kept.tags,
            nodes: kept.nodes,
            first_node: kept.first_node,
            ..old
        };
    }
}
