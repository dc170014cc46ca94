//! The interfaces between zones, and those that are periodic.
//!
//! An interface names points or faces of two zones. The faces are matched by their places, after the motion of a
//! periodic interface. Files often hold this motion with few digits: the length of a shift is therefore taken from the
//! points, and an angle that is close to a whole fraction of a turn is that fraction. The sense of a rotation, and
//! whether its angle is in radians or degrees, follow from the points too.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::f64::consts::TAU;

use super::points::Points;
use super::tree::Node;
use super::zone::{Collected, Zone};
use crate::format::location;
use crate::mesh::cells::FaceVertices;
use crate::mesh::error::MeshError;
use crate::mesh::motion::{Motion, RigidMotion, distance};
use crate::mesh::unconnected::{Link, Surface};

/// Adds the interfaces of all zones.
///
/// # Errors
/// An interface is not valid or not one to one.
pub fn add_interfaces(zones: &[Zone], into: &mut Collected) -> Result<(), MeshError> {
    for zone in zones {
        for list in zone.node.children("ZoneGridConnectivity_t")? {
            for interface in list.children("GridConnectivity1to1_t")? {
                add(zone, &interface, zones, into)?;
            }
            for interface in list.children("GridConnectivity_t")? {
                let kind = interface
                    .child("GridConnectivityType_t")?
                    .map(|kind| kind.text())
                    .transpose()?;
                match kind.as_deref() {
                    Some("Abutting1to1") => add(zone, &interface, zones, into)?,
                    other => {
                        return Err(interface.refused(format!(
                            "the interface is of type {}; only those of type Abutting1to1 are read, whose faces \
                             coincide",
                            other.unwrap_or("Overset")
                        )));
                    }
                }
            }
        }
    }
    Ok(())
}

/// Adds an interface.
fn add(zone: &Zone, interface: &Node, zones: &[Zone], into: &mut Collected) -> Result<(), MeshError> {
    let donor = interface.text()?;
    let name = donor.rsplit('/').next().unwrap_or_default();
    let other = zones.iter().find(|zone| zone.node.name == name);
    let other = other.ok_or_else(|| interface.refused(format!("there is no zone `{donor}`")))?;
    let (Some(here), Some(there)) = (Points::read(interface, false)?, Points::read(interface, true)?) else {
        return Err(interface.refused("it names no points of both sides (PointRange, PointList, and those with Donor)"));
    };
    let mut sides = [
        zone.facets(interface, &here, into)?,
        other.facets(interface, &there, into)?,
    ];
    if let (Points::Vertices(here), Points::Vertices(there)) = (&here, &there) {
        // All points of a facet beside the interface may be on it too.
        let map = zone
            .nodes_of(interface, here)?
            .into_iter()
            .zip(other.nodes_of(interface, there)?);
        keep_images(&mut sides, &map.collect());
    }
    if sides.iter().all(|side| side.is_empty()) {
        // Lists of the points of a curve or a vertex.
        return Ok(());
    }
    let motion = motion(interface, &sides, into)?;
    let entities = sides.each_ref().map(|side| {
        let base = &mut into.plane.base;
        let entity = 1 + base.surfaces.iter().map(|surface| surface.entity).max().unwrap_or(0);
        base.surfaces.push(Surface {
            entity,
            groups: Vec::new(),
        });
        let surface = base.surfaces.len() as u32 - 1;
        side.iter().for_each(|facet| into.add_facet(facet, surface));
        entity
    });
    let base = &mut into.plane.base;
    for (entity, side) in entities.into_iter().zip([&zone.node.name, &other.node.name]) {
        base.entity_names
            .insert(entity, format!("{} in zone {side}", interface.name));
    }
    base.links.push(Link {
        master: entities[0],
        slave: entities[1],
        affine: Some(motion.affine()),
        nodes: Default::default(),
    });
    Ok(())
}

/// Keeps the facets of the first side whose image is one of the second, and these images.
fn keep_images(sides: &mut [Vec<FaceVertices>; 2], map: &HashMap<u32, u32>) {
    let sorted = |facet: &FaceVertices| {
        let mut key = facet.as_slice().to_vec();
        key.sort_unstable();
        key
    };
    let image = |facet: &FaceVertices| {
        facet
            .replaced(|node| map.get(&node).copied())
            .map(|there| sorted(&there))
    };
    let there: HashSet<Vec<u32>> = sides[1].iter().map(sorted).collect();
    sides[0].retain(|facet| image(facet).is_some_and(|image| there.contains(&image)));
    let images: HashSet<Vec<u32>> = sides[0].iter().filter_map(image).collect();
    sides[1].retain(|facet| images.contains(&sorted(facet)));
}

/// Relative rounding of the mean of the points of a side, with room to spare.
const ROUNDING: f64 = 1e-10;

/// The motion from the first side to the second.
fn motion(interface: &Node, sides: &[Vec<FaceVertices>; 2], from: &Collected) -> Result<RigidMotion, MeshError> {
    let property = interface.child("GridConnectivityProperty_t")?;
    let periodic = property
        .map(|property| property.child("Periodic_t"))
        .transpose()?
        .flatten();
    let Some(periodic) = periodic else {
        return Ok(RigidMotion::shift([0.0; 3], [0.0; 3]));
    };
    let vector = |name: &str| -> Result<[f64; 3], MeshError> {
        let Some(node) = periodic.array(name)? else {
            return Ok([0.0; 3]);
        };
        let mut values = node.reals()?;
        values.resize(3, 0.0);
        Ok([values[0], values[1], values[2]])
    };
    let angles = vector("RotationAngle")?;
    let [here, there] = sides.each_ref().map(|side| mean(side, from));
    let mut turning = (0..3).filter(|d| angles[*d] != 0.0);
    let Some(d) = turning.next() else {
        compare_shift(interface, vector("Translation")?, [here, there]);
        return Ok(RigidMotion::shift(here, there));
    };
    if turning.next().is_some() {
        return Err(periodic.refused(format!(
            "its RotationAngle is {angles:?}; a rotation about one of the axes x, y, z is read, others are named with \
             --periodic"
        )));
    }
    let point = vector("RotationCenter")?;
    let axis = std::array::from_fn(|e| if e == d { 1.0 } else { 0.0 });
    let fraction = |angle: f64| {
        let part = (TAU / angle).round();
        if (TAU / part - angle).abs() < 1e-6 {
            TAU / part
        } else {
            angle
        }
    };
    let miss = |motion: &RigidMotion| distance(motion.apply(here), there);
    let nearest = |angles: [f64; 2]| {
        let motions = angles
            .into_iter()
            .flat_map(|angle| [angle, -angle])
            .map(|angle| RigidMotion::new(Motion::Rotation { point, axis, angle }));
        let motions: Result<Vec<RigidMotion>, &str> = motions.collect();
        let motions = motions.map_err(|problem| periodic.refused(format!("the motion {problem}")))?;
        let best = motions.into_iter().min_by(|a, b| miss(a).total_cmp(&miss(b)));
        Ok(best.expect("there are four motions"))
    };
    let declared = [angles[d].abs(), angles[d].abs().to_radians()];
    let as_fraction = nearest(declared.map(fraction))?;
    let as_declared = nearest(declared)?;
    // Fractions of a turn lie close to each other among small angles, so that the nearest one may be another angle.
    let declared_is_nearer = miss(&as_declared) + ROUNDING * distance(here, point) < miss(&as_fraction);
    Ok(if declared_is_nearer { as_declared } else { as_fraction })
}

/// Warns if the shift that a periodic interface declares is not that between its sides. The sense in which programs
/// declare it differs, and some leave it at zero.
fn compare_shift(interface: &Node, declared: [f64; 3], [here, there]: [[f64; 3]; 2]) {
    /// Files hold the shift with few digits.
    const SLACK: f64 = 1e-3;
    let found: [f64; 3] = std::array::from_fn(|d| there[d] - here[d]);
    let apart = distance(declared, found).min(distance(declared.map(|x| -x), found));
    if declared != [0.0; 3] && apart > SLACK * distance(here, there) {
        let detail = format!(
            "the interface declares the period {}, but its sides are {} apart, which is used",
            location(declared),
            location(found)
        );
        tracing::warn!("{}", interface.refused(detail));
    }
}

/// Mean of the vertices of facets, each counted once.
fn mean(facets: &[FaceVertices], from: &Collected) -> [f64; 3] {
    let vertices: BTreeSet<u32> = facets.iter().flat_map(|facet| facet.as_slice().to_vec()).collect();
    let sum = |d: usize| {
        vertices
            .iter()
            .map(|v| from.plane.base.positions[*v as usize][d])
            .sum::<f64>()
    };
    std::array::from_fn(|d| sum(d) / vertices.len().max(1) as f64)
}
