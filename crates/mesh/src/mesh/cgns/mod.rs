//! Reading CGNS files that are stored in HDF5, with cells of geometric order 1 to 4.
//!
//! Zones with and without structure are read. Their interfaces are joined as the file names them
//! (`GridConnectivity1to1_t`, `GridConnectivity_t` of type `Abutting1to1`), which may be periodic; other faces without
//! a boundary that lie at the same place are joined too. A boundary condition becomes a boundary with the name of its
//! family, or its own name without a family. A family inside another one stands for it. Source: CGNS Standard Interface
//! Data Structures and SIDS File Mapping Manual.

mod interfaces;
mod node_order;
mod points;
mod tree;
mod types;
mod units;
mod zone;

use std::collections::HashMap;
use std::path::Path;

use super::error::MeshError;
use super::plane_mesh::{PlaneMesh, add_boundary};
use super::unconnected::UnconnectedMesh;

pub use node_order::faces;

use interfaces::add_interfaces;
use points::Points;
use tree::Node;
use units::warn_of_units;
use zone::{Collected, Zone};

/// The first bytes of CGNS files in the older container ADF. Since ADF A02011 the first four have their highest bits
/// set.
const ADF_SIGNATURE: &[u8] = b"@(#)ADF Database Version";

/// Name of the node that every CGNS file has at its root.
pub const VERSION_NODE: &str = "CGNSLibraryVersion";

/// The error that a CGNS file is not stored in HDF5.
pub const ADF_ADVICE: &str = "this CGNS file is stored in ADF, the older container of CGNS; convert it to HDF5 with \
                              `adf2hdf FILE NEW` of the CGNS library";

/// Returns true if a file that begins with these bytes is stored in ADF.
pub fn is_adf(begin: &[u8]) -> bool {
    let plain = begin
        .iter()
        .enumerate()
        .map(|(i, byte)| if i < 4 { byte & 0x7f } else { *byte });
    plain.take(ADF_SIGNATURE.len()).eq(ADF_SIGNATURE.iter().copied())
}

/// Reads a mesh of cells.
///
/// # Errors
/// Returns an error with the path of the node if the file is not valid or has content that is not supported.
pub fn parse(file: &Path) -> Result<UnconnectedMesh, MeshError> {
    let (base, collected) = read(file)?;
    match collected.dimension {
        3 => Ok(collected.plane.base),
        _ => Err(base.refused(
            "the cells of the base have two dimensions: the mesh is extruded by `fr-les mesh import --extrude`",
        )),
    }
}

/// Reads a mesh of triangles and quadrilaterals.
///
/// # Errors
/// Returns an error with the path of the node if the file is not valid or has content that is not supported.
pub fn parse_plane(file: &Path) -> Result<PlaneMesh, MeshError> {
    let (base, collected) = read(file)?;
    match collected.dimension {
        2 => Ok(collected.plane),
        _ => Err(base.refused("the cells of the base have three dimensions: only a two-dimensional mesh is extruded")),
    }
}

fn read(file: &Path) -> Result<(Node<'_>, Collected), MeshError> {
    let root = Node::root(file)?;
    let bases = root.children("CGNSBase_t")?;
    let [base] = bases.as_slice() else {
        return Err(root.refused(format!(
            "the file has {} bases (CGNSBase_t), but a file with one is needed; write each base to a file of its own",
            bases.len()
        )));
    };
    let dimension = match base.integers()?.as_slice() {
        [3, 3] => 3,
        [2, 2 | 3] => 2,
        other => return Err(base.refused(format!("its dimensions of cells and of space are {other:?}"))),
    };
    let mut collected = Collected::new(dimension);
    collected.plane.base.file = file.to_path_buf();
    collected.plane.base.coincident = true;
    let version = root.named("CGNSLibraryVersion_t", VERSION_NODE)?;
    let version = version.map(|node| node.reals()).transpose()?;
    collected.version_3_0 = version.is_some_and(|version| version.first().is_some_and(|v| (2.95..3.05).contains(v)));
    let mut zones = Vec::new();
    for zone in base.children("Zone_t")? {
        zones.push(Zone::read(zone, &mut collected)?);
    }
    warn_of_units(base, &zones)?;
    let families = families(base)?;
    for zone in &zones {
        add_boundaries(zone, &families, &mut collected)?;
    }
    add_interfaces(&zones, &mut collected)?;
    Ok((base.clone(), collected))
}

/// The family to which each family belongs; itself without another one.
fn families(base: &Node) -> Result<HashMap<String, String>, MeshError> {
    let mut of = HashMap::new();
    for family in base.children("Family_t")? {
        let above = family.children("FamilyName_t")?;
        let name = above.first().map(|name| name.text()).transpose()?;
        of.insert(family.name.clone(), name.unwrap_or(family.name));
    }
    Ok(of)
}

/// Adds the boundary conditions of a zone.
fn add_boundaries(zone: &Zone, families: &HashMap<String, String>, into: &mut Collected) -> Result<(), MeshError> {
    for list in zone.node.children("ZoneBC_t")? {
        for condition in list.children("BC_t")? {
            let Some(points) = Points::read(&condition, false)? else {
                return Err(condition.refused("it names no points (PointRange, PointList)"));
            };
            let facets = zone.facets(&condition, &points, into)?;
            if facets.is_empty() {
                // Programs also mark volumes in this way.
                continue;
            }
            let name = match condition.child("FamilyName_t")? {
                Some(family) => {
                    let name = family.text()?;
                    families.get(&name).cloned().unwrap_or(name)
                }
                None => condition.name.clone(),
            };
            let surface = add_boundary(&mut into.plane.base, &name);
            facets.iter().for_each(|facet| into.add_facet(facet, surface));
        }
    }
    Ok(())
}
