//! Assembles a mesh from the contents of a file: neighbours, periodic boundaries, names and geometry nodes.

use std::collections::BTreeSet;

use super::cells::Cells;
use super::connect::{Faces, connect};
use super::connect_error::ConnectError;
use super::error::{MeshError, TopologyProblem};
use super::geometry_nodes::{geometry_nodes, refuse_gaps};
use super::handedness::turn_mirrored;
use super::types::{CellFace, Mesh};

use super::boundary_faces::{BoundaryFaces, UNNAMED};
use super::mortar_parts::join_mortars;
use super::motion::{RigidMotion, distance};
use super::periodic::{join_by_motion, join_coincident, tolerance};
use super::source::{Joins, PeriodicPair};
use super::unconnected::{Link, UnconnectedMesh};

/// Assembles the mesh. Cells that are numbered in the mirrored sense are turned.
///
/// # Errors
/// There are no cells, cells do not fit together, a face on the surface has no boundary or several, or boundaries that
/// are to be joined or left apart are not as they should be.
pub fn assemble(mut raw: UnconnectedMesh, joins: Joins) -> Result<Mesh, MeshError> {
    turn_mirrored(&mut raw);
    build(&raw, joins).map_err(|problem| MeshError::Topology {
        file: raw.file.clone(),
        problem: Box::new(problem),
    })
}

fn build(raw: &UnconnectedMesh, joins: Joins) -> Result<Mesh, TopologyProblem> {
    if raw.kinds.is_empty() {
        return Err(TopologyProblem::NoCells {
            surfaces: !raw.patches.is_empty(),
            gmsh: raw.gmsh,
        });
    }
    let (corners, first_corner) = raw.corners();
    let cells = Cells {
        kinds: &raw.kinds,
        corners: &corners,
        first_corner: &first_corner,
    };
    let located = |error: ConnectError| error.locate(cells, &raw.tags, &raw.positions);
    let mut faces = connect(&raw.kinds, &corners, &first_corner).map_err(|e| TopologyProblem::Connect(located(e)))?;
    let mortars = join_mortars(raw, cells, &mut faces)?;
    let mut joiner = Joiner {
        raw,
        cells,
        outside: BoundaryFaces::new(raw, cells, &faces)?,
        faces,
        rotations: Vec::new(),
        joined: Vec::new(),
        apart: joins.apart,
        of_file: BTreeSet::new(),
    };
    joiner.join_pairs(joins.pairs)?;
    for link in &raw.links {
        joiner.join_link(link)?;
    }
    joiner.join_by_names()?;
    joiner.refuse_unused()?;
    if raw.coincident {
        let nameless = joiner.outside.nameless();
        let nameless = joiner.still_open(nameless);
        join_coincident(&mut joiner.faces, cells, &raw.positions, &nameless);
    }
    let Joiner {
        mut faces,
        outside,
        rotations,
        mut joined,
        ..
    } = joiner;
    let boundary_names = outside.name(raw, cells, &mut faces)?;
    // A boundary of which only a part is periodic remains a boundary.
    joined.retain(|pair: &[String; 2]| !pair.iter().any(|name| boundary_names.contains(name)));

    let geometry_order = usize::from(raw.orders.iter().copied().max().unwrap_or(1));
    let (nodes, first_node) = geometry_nodes(raw, geometry_order);
    let mesh = Mesh {
        geometry_order,
        kinds: raw.kinds.clone(),
        nodes,
        first_node,
        sides: faces.sides,
        first_side: faces.first_side,
        boundary_names,
        joined,
        rotations,
        mortars,
        tags: raw.tags.clone(),
        structured: None,
        part: None,
    };
    refuse_gaps(&mesh, cells, &raw.positions)?;
    Ok(mesh)
}

/// A mesh whose periodic boundaries are being joined.
struct Joiner<'a> {
    raw: &'a UnconnectedMesh,
    cells: Cells<'a>,
    outside: BoundaryFaces,
    faces: Faces,
    rotations: Vec<[[f64; 3]; 3]>,
    /// Names of the boundaries that were joined, in pairs.
    joined: Vec<[String; 2]>,
    /// Pairs of boundaries that stay apart although the file joins them.
    apart: &'a [[String; 2]],
    /// Names of the pairs that the file joins, or would join.
    of_file: BTreeSet<[String; 2]>,
}

impl Joiner<'_> {
    /// Joins the boundaries that the case names.
    fn join_pairs(&mut self, pairs: &[PeriodicPair]) -> Result<(), TopologyProblem> {
        let mut used: Vec<&str> = Vec::new();
        for pair in pairs {
            if pair.first == pair.second {
                return Err(TopologyProblem::PeriodicWithItself(pair.first.clone()));
            }
            let mut sides = Vec::new();
            for name in [&pair.first, &pair.second] {
                if used.contains(&name.as_str()) {
                    return Err(TopologyProblem::PeriodicTwice(name.clone()));
                }
                used.push(name);
                sides.push(
                    self.outside
                        .named(name)
                        .ok_or_else(|| TopologyProblem::UnknownBoundary {
                            name: name.clone(),
                            known: self.outside.names().to_vec(),
                        })?,
                );
            }
            let names = [pair.first.clone(), pair.second.clone()];
            let motion = RigidMotion::new(pair.motion).map_err(|problem| refused(&names, problem))?;
            self.join_by_motion(&names, [&sides[0], &sides[1]], &motion)?;
            self.joined.push(names);
        }
        Ok(())
    }

    /// Joins two surfaces that the file declares as periodic.
    fn join_link(&mut self, link: &Link) -> Result<(), TopologyProblem> {
        let [master, slave] = self.outside.linked(link, self.cells, &self.faces);
        if master.is_empty() && slave.is_empty() {
            return Ok(());
        }
        let named = [&master, &slave].map(|faces| Some(self.outside.boundary_of(*faces.first()?)?.to_owned()));
        if self.stay_apart(named.each_ref().map(Option::as_deref)) {
            return Ok(());
        }
        if let [Some(first), Some(second)] = named {
            let pair = [first, second];
            if !self.joined.contains(&pair) {
                self.joined.push(pair);
            }
        }
        let names = [link.master, link.slave].map(|tag| {
            let known = self.raw.entity_names.get(&tag);
            known.cloned().unwrap_or_else(|| format!("surface {tag}"))
        });
        if link.master == link.slave {
            return Err(TopologyProblem::PeriodicWithItself(names[0].clone()));
        }
        let rigid = link.affine.as_ref().map(RigidMotion::from_affine).transpose();
        let rigid = rigid.map_err(|problem| refused(&names, problem))?;
        let covered = |&at: &CellFace| {
            let vertices = self.cells.face(at);
            vertices.as_slice().iter().all(|v| link.nodes.contains_key(v))
        };
        match rigid {
            // Gmsh leaves out nodes of transfinite surfaces.
            Some(motion) if !master.iter().all(covered) => self.join_by_motion(&names, [&master, &slave], &motion),
            _ => {
                let motion = self
                    .check_nodes(link, rigid, &master)
                    .map_err(|problem| refused(&names, problem))?;
                let map = link.nodes.iter().map(|(here, there)| (*here, *there)).collect();
                let rotations = motion.rotations(&mut self.rotations);
                let joined = self.faces.join(self.cells, &master, &slave, &map, rotations);
                joined.map_err(|error| self.unmatched(&names, error))
            }
        }
    }

    /// Joins boundaries that only their names declare as periodic, `periodic_X_l` to `periodic_X_r`, as in meshes for
    /// PyFR (F. D. Witherden, A. M. Farrington, P. E. Vincent, Computer Physics Communications 185, 2014). The shift
    /// is that of the mean of their vertices.
    fn join_by_names(&mut self) -> Result<(), TopologyProblem> {
        for first in self.outside.names().to_vec() {
            let Some(second) = named_partner(&first) else { continue };
            let names = [first, second];
            if self.outside.named(&names[1]).is_some() && self.stay_apart(names.each_ref().map(|name| Some(&**name))) {
                continue;
            }
            let [Some(here), Some(there)] = names.each_ref().map(|name| self.outside.named(name)) else {
                continue;
            };
            let sides = [here, there].map(|side| self.still_open(side));
            let [Some(from), Some(to)] = sides.each_ref().map(|side| self.mean_vertex(side)) else {
                continue;
            };
            self.join_by_motion(&names, [&sides[0], &sides[1]], &RigidMotion::shift(from, to))?;
            self.joined.push(names);
        }
        Ok(())
    }

    /// Returns whether two boundaries that the file joins are to stay apart, and keeps in mind that they are. Faces
    /// without a name are the boundary [`UNNAMED`].
    fn stay_apart(&mut self, names: [Option<&str>; 2]) -> bool {
        let pair = names.map(|name| name.unwrap_or(UNNAMED).to_owned());
        let apart = self.apart.iter().any(|wanted| same(wanted, &pair));
        self.of_file.insert(pair);
        apart
    }

    /// Refuses pairs that are to stay apart, but are not joined by the file.
    fn refuse_unused(&self) -> Result<(), TopologyProblem> {
        let of_file = |wanted: &[String; 2]| self.of_file.iter().any(|pair| same(wanted, pair));
        match self.apart.iter().find(|wanted| !of_file(wanted)) {
            None => Ok(()),
            Some(pair) => Err(TopologyProblem::NotJoined {
                pair: pair.clone(),
                joined: self.of_file.iter().map(|pair| pair.join(":")).collect(),
            }),
        }
    }

    /// Those of the faces that have no partner yet.
    fn still_open(&self, mut side: Vec<CellFace>) -> Vec<CellFace> {
        side.retain(|at| self.faces.open.binary_search(at).is_ok());
        side
    }

    /// Mean of the vertices of faces, each counted once; `None` without faces.
    fn mean_vertex(&self, side: &[CellFace]) -> Option<[f64; 3]> {
        let all = side.iter().flat_map(|&at| self.cells.face(at).as_slice().to_vec());
        let vertices: BTreeSet<u32> = all.collect();
        let sum = |d: usize| vertices.iter().map(|v| self.raw.positions[*v as usize][d]).sum::<f64>();
        (!vertices.is_empty()).then(|| std::array::from_fn(|d| sum(d) / vertices.len() as f64))
    }

    /// Returns the motion that carries the link's nodes from master to slave; a translation if the file has no map.
    fn check_nodes(
        &self,
        link: &Link,
        motion: Option<RigidMotion>,
        master: &[CellFace],
    ) -> Result<RigidMotion, &'static str> {
        let position = |node: u32| self.raw.positions[node as usize];
        let motion = match (motion, link.nodes.first_key_value()) {
            (Some(motion), _) => motion,
            (None, None) => {
                return Err("is not given in the file, and neither are corresponding nodes; name the pair in the case");
            }
            (None, Some((&here, &there))) => RigidMotion::shift(position(here), position(there)),
        };
        for &at in master {
            let face = self.cells.face(at);
            let positions: Vec<[f64; 3]> = face.as_slice().iter().map(|v| position(*v)).collect();
            let tolerance = tolerance(&positions);
            for (v, x) in face.as_slice().iter().zip(positions) {
                let apart = link
                    .nodes
                    .get(v)
                    .map(|there| distance(motion.apply(x), position(*there)));
                if apart.is_some_and(|apart| apart > tolerance) {
                    return Err(
                        "does not carry the nodes to the corresponding ones listed in the file; \
                                if it is a rotation, name the pair in the case",
                    );
                }
            }
        }
        Ok(motion)
    }

    fn join_by_motion(
        &mut self,
        names: &[String; 2],
        sides: [&[CellFace]; 2],
        motion: &RigidMotion,
    ) -> Result<(), TopologyProblem> {
        let rotations = motion.rotations(&mut self.rotations);
        join_by_motion(
            &mut self.faces,
            self.cells,
            &self.raw.positions,
            sides,
            motion,
            rotations,
        )
        .map_err(|error| self.unmatched(names, error))
    }

    fn unmatched(&self, [first, second]: &[String; 2], error: ConnectError) -> TopologyProblem {
        TopologyProblem::Periodic {
            first: first.clone(),
            second: second.clone(),
            source: error.locate(self.cells, &self.raw.tags, &self.raw.positions),
        }
    }
}

/// Whether two pairs have the same names, in either order.
fn same([a, b]: &[String; 2], [first, second]: &[String; 2]) -> bool {
    (a == first && b == second) || (a == second && b == first)
}

/// Name of the boundary to which one of this name is joined: `periodic_X_l` to `periodic_X_r`, also with spaces or
/// hyphens.
fn named_partner(name: &str) -> Option<String> {
    let stem = name.strip_suffix('l')?;
    let inner = stem.strip_prefix("periodic")?;
    let separator = |c: char| "_- ".contains(c);
    let middle = inner.strip_prefix(separator)?.strip_suffix(separator)?;
    (!middle.is_empty()).then(|| format!("{stem}r"))
}

fn refused([first, second]: &[String; 2], problem: &'static str) -> TopologyProblem {
    TopologyProblem::Motion {
        first: first.clone(),
        second: second.clone(),
        problem,
    }
}
