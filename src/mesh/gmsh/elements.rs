//! Collects nodes and elements while a file is read, whatever its version.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::Path;

use super::super::cells::FaceVertices;
use super::super::error::{GmshProblem, MeshError, Place};
use super::super::raw::{Link, RawMesh, Surface};
use super::lattice::cell_lattice;
use super::source::Source;
use super::types::{ElementType, Family, MAX_ORDER};
use crate::element::ElementKind;

/// Finds a node by its tag.
#[derive(Debug)]
enum NodeIndex {
    /// Tags are nearly without gaps: index by tag; `u32::MAX` where there is none.
    Dense(Vec<u32>),
    /// Tags and indices in ascending order.
    Sorted(Vec<(u64, u32)>),
}

impl NodeIndex {
    /// Indexes the nodes, or gives a tag that is there twice.
    fn new(tags: &[u64]) -> Result<Self, u64> {
        let largest = tags.iter().copied().max().unwrap_or(0);
        if largest < 4 * tags.len() as u64 + 64 {
            let mut table = vec![u32::MAX; largest as usize + 1];
            for (i, tag) in tags.iter().enumerate() {
                let place = &mut table[*tag as usize];
                if *place != u32::MAX {
                    return Err(*tag);
                }
                *place = i as u32;
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

/// What has been read so far.
#[derive(Debug)]
pub struct Elements {
    /// The mesh.
    pub mesh: RawMesh,
    /// Physical groups of the surfaces by their tags, where the file has them apart from the elements (version 4).
    pub groups_of: HashMap<i64, Vec<i64>>,
    index: NodeIndex,
    /// Number among the cell's nodes of each of Gmsh's, for each kind and order seen.
    numbers: HashMap<(ElementKind, usize), Vec<usize>>,
    surface_index: HashMap<Surface, u32>,
    /// First physical group of each volume, and the cells of a volume that have another: the same cells once more, perhaps.
    volume_group: HashMap<i64, i64>,
    suspects: Vec<usize>,
    /// Nodes of the element being read.
    scratch: Vec<u32>,
}

impl Elements {
    /// Begins to read a file.
    pub fn new(file: &Path) -> Self {
        Self {
            mesh: RawMesh {
                file: file.to_path_buf(),
                ..RawMesh::default()
            },
            groups_of: HashMap::new(),
            index: NodeIndex::Dense(Vec::new()),
            numbers: HashMap::new(),
            surface_index: HashMap::new(),
            volume_group: HashMap::new(),
            suspects: Vec::new(),
            scratch: Vec::new(),
        }
    }

    /// Adds a node, whose coordinates come next in the file.
    pub fn read_position(&mut self, source: &mut Source, tag: u64) -> Result<(), MeshError> {
        let mut position = [0.0; 3];
        for (direction, x) in position.iter_mut().enumerate() {
            *x = source.real("a coordinate of a node")?;
            if !x.is_finite() {
                return Err(source.error(GmshProblem::NotFinite {
                    tag,
                    direction,
                    value: *x,
                }));
            }
        }
        self.mesh.positions.push(position);
        Ok(())
    }

    /// To be called once all nodes are known.
    pub fn index_nodes(&mut self, source: &Source) -> Result<(), MeshError> {
        let count = self.mesh.node_tags.len();
        if u32::try_from(count).is_err() {
            return Err(source.error(GmshProblem::TooManyNodes(count)));
        }
        self.index = NodeIndex::new(&self.mesh.node_tags).map_err(|tag| source.error(GmshProblem::NodeTwice(tag)))?;
        Ok(())
    }

    /// Index of a node.
    pub fn node(&self, tag: u64) -> Option<u32> {
        self.index.get(tag)
    }

    /// Checks the type of an element that comes next.
    pub fn check_type(source: &Source, number: i64, element: u64) -> Result<ElementType, MeshError> {
        let Some(found) = ElementType::new(number) else {
            return Err(source.error(GmshProblem::ElementType { element, number }));
        };
        if let Family::Cell(kind) = found.family {
            if !found.complete {
                return Err(source.error(GmshProblem::Incomplete {
                    element,
                    kind: kind.name(),
                    order: found.order,
                }));
            }
            if found.order > MAX_ORDER {
                return Err(source.error(GmshProblem::Order {
                    element,
                    order: found.order,
                    most: MAX_ORDER,
                }));
            }
        }
        Ok(found)
    }

    /// Reads the nodes of an element. `group` is its physical group, if elements have one of their own (version 2; 0 for
    /// none). The tags of nodes have eight bytes if `wide`.
    pub fn read_element(
        &mut self,
        source: &mut Source,
        element: ElementType,
        tag: u64,
        entity: i64,
        group: Option<i64>,
        wide: bool,
    ) -> Result<(), MeshError> {
        let used = match element.family {
            Family::Lower => 0,
            Family::Triangle => 3,
            Family::Quad => 4,
            Family::Cell(_) => element.nodes,
        };
        self.scratch.clear();
        for _ in 0..used {
            let node = if wide {
                source.size("a node of an element")?
            } else {
                source.int_tag("a node of an element")?
            };
            let Some(index) = self.index.get(node) else {
                return Err(source.error(GmshProblem::UnknownNode { element: tag, node }));
            };
            self.scratch.push(index);
        }
        source.skip(element.nodes - used, if wide { 8 } else { 4 }, "a node of an element")?;
        match element.family {
            Family::Lower => {}
            Family::Triangle | Family::Quad => {
                let key = FaceVertices::new(&self.scratch).key();
                let surface = self.surface(entity, group);
                self.mesh.patches.push((key, surface));
            }
            Family::Cell(kind) => self.push_cell(kind, element.order, tag, entity, group),
        }
        Ok(())
    }

    /// Number of a surface with its physical groups.
    fn surface(&mut self, entity: i64, group: Option<i64>) -> u32 {
        let mut groups = match group {
            Some(0) => Vec::new(),
            Some(group) => vec![group.saturating_abs()],
            None => self.groups_of.get(&entity).cloned().unwrap_or_default(),
        };
        groups.sort_unstable();
        groups.dedup();
        let surface = Surface { entity, groups };
        let surfaces = &mut self.mesh.surfaces;
        *self.surface_index.entry(surface).or_insert_with_key(|surface| {
            surfaces.push(surface.clone());
            surfaces.len() as u32 - 1
        })
    }

    fn push_cell(&mut self, kind: ElementKind, order: usize, tag: u64, entity: i64, group: Option<i64>) {
        let numbers = self.numbers.entry((kind, order)).or_insert_with(|| {
            let lattice = cell_lattice(kind, order);
            lattice.into_iter().map(|at| kind.index(at, order)).collect()
        });
        let start = self.mesh.nodes.len();
        // Filled and then overwritten, since every number occurs once.
        let order = order as u8;
        self.mesh.push_cell(kind, order, tag, &self.scratch);
        let nodes = &mut self.mesh.nodes[start..];
        numbers
            .iter()
            .zip(&self.scratch)
            .for_each(|(at, node)| nodes[*at] = *node);
        if let Some(group) = group
            && *self.volume_group.entry(entity).or_insert(group) != group
        {
            self.suspects.push(self.mesh.kinds.len() - 1);
        }
    }

    /// Adds a periodic surface.
    pub fn push_link(&mut self, slave: i64, master: i64, affine: Option<[f64; 16]>, nodes: BTreeMap<u32, u32>) {
        self.mesh.links.push(Link {
            slave,
            master,
            affine,
            nodes,
        });
    }

    /// The mesh, once the whole file has been read.
    pub fn finish(mut self) -> Result<RawMesh, MeshError> {
        self.drop_repeated();
        let mut tags = self.mesh.tags.clone();
        tags.sort_unstable();
        if let Some(twice) = tags.windows(2).find(|w| w[0] == w[1]) {
            return Err(MeshError::Gmsh {
                file: self.mesh.file,
                place: Place::Whole,
                problem: Box::new(GmshProblem::ElementTwice(twice[0])),
            });
        }
        Ok(self.mesh)
    }

    /// Version 2 writes a volume once for each physical group it belongs to: drops all but the first of equal cells.
    fn drop_repeated(&mut self) {
        if self.suspects.is_empty() {
            return;
        }
        let old = std::mem::take(&mut self.mesh);
        let suspects: HashSet<usize> = self.suspects.iter().copied().collect();
        let count = old.kinds.len();
        let certain = (0..count).filter(|cell| !suspects.contains(cell));
        let mut known: HashSet<&[u32]> = certain.map(|cell| old.cell_nodes(cell)).collect();
        let mut kept = RawMesh::default();
        for cell in 0..count {
            if !suspects.contains(&cell) || known.insert(old.cell_nodes(cell)) {
                kept.push_cell(old.kinds[cell], old.orders[cell], old.tags[cell], old.cell_nodes(cell));
            }
        }
        self.mesh = RawMesh {
            kinds: kept.kinds,
            orders: kept.orders,
            tags: kept.tags,
            nodes: kept.nodes,
            first_node: kept.first_node,
            ..old
        };
    }
}
