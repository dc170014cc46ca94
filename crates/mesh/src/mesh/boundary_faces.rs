//! The faces on the surface of a mesh, with a cell on one side only, and the boundaries to which they belong.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use super::cells::{Cells, centre};
use super::connect::{Faces, OPEN};
use super::connect_error::FaceLocation;
use super::error::TopologyProblem;
use super::motion::distance;
use super::periodic::{PointGrid, corresponding, tolerance, vertices};
use super::types::{CellFace, LONGEST_NAME, Side};
use super::unconnected::{Link, UnconnectedMesh};
use crate::format::location;

/// Name of the boundary of faces that belong to none in the file.
pub const UNNAMED: &str = "unnamed";

/// The faces on the surface of a mesh.
#[derive(Debug)]
pub struct BoundaryFaces {
    /// The faces, ascending.
    faces: Vec<CellFace>,
    /// Tags of the surfaces on which each face lies, `[face]`.
    surfaces: Vec<Vec<i64>>,
    /// Index in `names` of each face's boundary, `[face]`.
    boundary: Vec<Option<usize>>,
    /// Names of the boundaries.
    names: Vec<String>,
}

/// The location of a face for messages.
fn located(cells: Cells, raw: &UnconnectedMesh, at: CellFace) -> FaceLocation {
    let mut place = FaceLocation::new(at);
    place.locate(cells, &raw.tags, &raw.positions);
    place
}

impl BoundaryFaces {
    /// Finds the surfaces and boundaries of all open faces.
    ///
    /// # Errors
    /// A face belongs to several boundaries.
    pub fn new(raw: &UnconnectedMesh, cells: Cells, faces: &Faces) -> Result<Self, TopologyProblem> {
        let keys = faces.open.iter().map(|&at| cells.face(at).key());
        let index: HashMap<[u32; 4], usize> = keys.zip(0..).collect();
        let mut lies_on: Vec<BTreeSet<u32>> = vec![BTreeSet::new(); faces.open.len()];
        let mut elsewhere = Vec::new();
        for (key, surface) in &raw.patches {
            match index.get(key) {
                Some(&i) => drop(lies_on[i].insert(*surface)),
                None => elsewhere.push((*key, *surface)),
            }
        }
        warn_of_faces_elsewhere(raw, cells, &elsewhere);

        // Boundaries in the order of their groups' numbers; groups of the same name make one boundary.
        let surface = |i: &u32| &raw.surfaces[*i as usize];
        let used: BTreeSet<u32> = lies_on.iter().flatten().copied().collect();
        let groups: BTreeSet<i64> = used.iter().flat_map(|i| &surface(i).groups).copied().collect();
        let mut names: Vec<String> = Vec::new();
        let mut boundary_of: HashMap<i64, usize> = HashMap::new();
        for group in groups {
            let name = raw.group_name(group);
            let known = names.iter().position(|n| *n == name).unwrap_or(names.len());
            if known == names.len() {
                names.push(name);
            }
            boundary_of.insert(group, known);
        }

        let mut boundary = Vec::with_capacity(faces.open.len());
        for (&at, on) in faces.open.iter().zip(&lies_on) {
            let all: BTreeSet<usize> = on
                .iter()
                .flat_map(|i| &surface(i).groups)
                .map(|g| boundary_of[g])
                .collect();
            if all.len() > 1 {
                return Err(TopologyProblem::SeveralNames {
                    place: located(cells, raw, at),
                    names: all.into_iter().map(|i| names[i].clone()).collect(),
                });
            }
            boundary.push(all.first().copied());
        }
        Ok(Self {
            faces: faces.open.clone(),
            surfaces: lies_on
                .iter()
                .map(|on| on.iter().map(|i| surface(i).entity).collect())
                .collect(),
            boundary,
            names,
        })
    }

    /// Names of the boundaries.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// Faces of the boundary with this name, if it exists.
    pub fn named(&self, name: &str) -> Option<Vec<CellFace>> {
        let wanted = self.names.iter().position(|n| n == name)?;
        let belongs = self
            .faces
            .iter()
            .zip(&self.boundary)
            .filter(|(_, b)| **b == Some(wanted));
        Some(belongs.map(|(at, _)| *at).collect())
    }

    /// Faces that belong to no boundary.
    pub fn nameless(&self) -> Vec<CellFace> {
        let faces = self.faces.iter().zip(&self.boundary);
        faces.filter(|(_, b)| b.is_none()).map(|(at, _)| *at).collect()
    }

    /// Name of the boundary to which a face belongs, if any.
    pub fn boundary_of(&self, face: CellFace) -> Option<&str> {
        let at = self.faces.binary_search(&face).ok()?;
        Some(self.names[self.boundary[at]?].as_str())
    }

    /// Open faces on the master and on the slave surface of a link. A face on which no surface element lies belongs to
    /// one of them if the link has all its vertices.
    pub fn linked(&self, link: &Link, cells: Cells, faces: &Faces) -> [Vec<CellFace>; 2] {
        let there: BTreeSet<u32> = link.nodes.values().copied().collect();
        let mut sides = [Vec::new(), Vec::new()];
        for (&at, surfaces) in self.faces.iter().zip(&self.surfaces) {
            if faces.sides[faces.first_side[at.cell] + at.face] != OPEN {
                continue;
            }
            let face = cells.face(at);
            let all = |has: &dyn Fn(&u32) -> bool| surfaces.is_empty() && face.as_slice().iter().all(has);
            if surfaces.contains(&link.master) || all(&|v| link.nodes.contains_key(v)) {
                sides[0].push(at);
            } else if surfaces.contains(&link.slave) || all(&|v| there.contains(v)) {
                sides[1].push(at);
            }
        }
        sides
    }

    /// Sets the boundary of all open faces; those that belong to none become the boundary [`UNNAMED`], with a warning.
    /// Returns the names of the boundaries that have faces.
    ///
    /// # Errors
    /// A face without a boundary lies on another one and the cells are not connected there, or a
    /// name is too long.
    pub fn name(&self, raw: &UnconnectedMesh, cells: Cells, faces: &mut Faces) -> Result<Vec<String>, TopologyProblem> {
        let open: Vec<usize> = (0..self.faces.len())
            .filter(|i| *faces.side(self.faces[*i]) == OPEN)
            .collect();
        let nameless: Vec<usize> = open.iter().copied().filter(|i| self.boundary[*i].is_none()).collect();
        if let Some(&first) = nameless.first() {
            let open: Vec<CellFace> = open.iter().map(|i| self.faces[*i]).collect();
            let nameless_faces: Vec<CellFace> = nameless.iter().map(|i| self.faces[*i]).collect();
            refuse_duplicates(raw, cells, &open, &nameless_faces)?;
            let on_surface = self.surfaces[first].first().map(|tag| format!(" on surface {tag}"));
            tracing::warn!(
                "{}: {} faces on the surface of the mesh belong to no boundary of the file, first {}{}: they are the \
                 boundary `{UNNAMED}`",
                raw.file.display(),
                nameless.len(),
                located(cells, raw, self.faces[first]),
                on_surface.unwrap_or_default()
            );
        }
        let unnamed = self.names.iter().position(|name| name == UNNAMED);
        let unnamed = unnamed.unwrap_or(self.names.len());
        let boundary = |i: usize| self.boundary[i].unwrap_or(unnamed);
        let used: BTreeSet<usize> = open.iter().map(|&i| boundary(i)).collect();
        let number: HashMap<usize, usize> = used.iter().copied().zip(0..).collect();
        for i in open {
            *faces.side(self.faces[i]) = Side::Boundary(number[&boundary(i)]);
        }
        faces.open.clear();
        let name = |i: usize| self.names.get(i).map_or(UNNAMED, String::as_str).to_owned();
        let names: Vec<String> = used.into_iter().map(name).collect();
        if let Some(name) = names.iter().find(|name| name.len() > LONGEST_NAME) {
            return Err(TopologyProblem::LongName(name.clone()));
        }
        Ok(names)
    }
}

/// Warns of the surface elements of boundaries that do not lie on the surface of the mesh: those with cells on both
/// sides, and those of no cell.
fn warn_of_faces_elsewhere(raw: &UnconnectedMesh, cells: Cells, elsewhere: &[([u32; 4], u32)]) {
    let named = |(_, surface): &&([u32; 4], u32)| !raw.surfaces[*surface as usize].groups.is_empty();
    let elsewhere: BTreeSet<([u32; 4], u32)> = elsewhere.iter().filter(named).copied().collect();
    if elsewhere.is_empty() {
        return;
    }
    let wanted: HashSet<[u32; 4]> = elsewhere.iter().map(|(key, _)| *key).collect();
    let all = cells.kinds.iter().enumerate();
    let all =
        all.flat_map(|(cell, kind)| (0..kind.faces().len()).map(move |face| cells.face(CellFace { cell, face }).key()));
    let of_cells: HashSet<[u32; 4]> = all.filter(|key| wanted.contains(key)).collect();
    // By name and by whether they are faces of cells: their number, and the vertices of the first.
    let mut found: BTreeMap<(String, bool), (usize, [u32; 4])> = BTreeMap::new();
    for (key, surface) in &elsewhere {
        for group in &raw.surfaces[*surface as usize].groups {
            let kind = (raw.group_name(*group), of_cells.contains(key));
            found.entry(kind).or_insert((0, *key)).0 += 1;
        }
    }
    for ((name, inside), (count, key)) in found {
        let vertices: BTreeSet<u32> = key.into_iter().collect();
        let mean = |d: usize| vertices.iter().map(|v| raw.positions[*v as usize][d]).sum::<f64>();
        let at = location(std::array::from_fn(|d| mean(d) / vertices.len() as f64));
        let faces = if count == 1 {
            "1 face".to_owned()
        } else {
            format!("{count} faces")
        };
        let file = raw.file.display();
        if inside {
            let advice = if raw.gmsh {
                "; Gmsh's plugin Crack opens the mesh there"
            } else {
                ""
            };
            tracing::warn!(
                "{file}: `{name}` has cells on both sides of {faces}, first at {at}: there it is no boundary{advice}"
            );
        } else {
            tracing::warn!(
                "{file}: `{name}` has {faces} of no cell, first at {at}, which are left out: no face of a cell has \
                 these vertices"
            );
        }
    }
}

/// Refuses a face without a name that lies on another open face, but has other nodes.
fn refuse_duplicates(
    raw: &UnconnectedMesh,
    cells: Cells,
    open: &[CellFace],
    nameless: &[CellFace],
) -> Result<(), TopologyProblem> {
    let corners = |at| vertices(cells, at, &raw.positions);
    let middle = |&at: &CellFace| centre(cells.face(at), &raw.positions);
    let reach = open.iter().map(|at| tolerance(&corners(*at))).fold(0.0, f64::max);
    let grid = PointGrid::new(&open.iter().map(middle).collect::<Vec<_>>(), reach);
    for &at in nameless {
        let here = corners(at);
        let tolerance = tolerance(&here);
        for other in grid
            .near(middle(&at), tolerance)
            .map(|i| open[i])
            .filter(|other| *other != at)
        {
            let Some(counterparts) = corresponding(&here, &corners(other), tolerance) else {
                continue;
            };
            let (ours, theirs) = (cells.face(at), cells.face(other));
            let pairs = ours
                .as_slice()
                .iter()
                .zip(counterparts)
                .map(|(v, i)| [*v, theirs.as_slice()[i]]);
            // Two open faces with all nodes in common would have been joined.
            if let Some(nodes) = pairs.into_iter().find(|[a, b]| a != b) {
                let positions = nodes.map(|node| raw.positions[node as usize]);
                debug_assert!(distance(positions[0], positions[1]) <= tolerance);
                return Err(TopologyProblem::DuplicateNodes {
                    tags: nodes.map(|node| raw.node_tags[node as usize]),
                    at: positions[0],
                    place: located(cells, raw, at),
                    gmsh: raw.gmsh,
                });
            }
        }
    }
    Ok(())
}
