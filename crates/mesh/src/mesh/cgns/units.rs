//! The unit of length that a CGNS file states (`DimensionalUnits_t`). Coordinates are taken as they are, so a unit
//! other than the metre is worth a warning: meshes of machines often come in millimetres.

use super::tree::Node;
use super::zone::Zone;
use crate::mesh::error::MeshError;

/// Units of length of the standard, with their lengths in metres.
const LENGTHS: [(&str, f64); 5] = [
    ("Meter", 1.0),
    ("Centimeter", 0.01),
    ("Millimeter", 0.001),
    ("Foot", 0.3048),
    ("Inch", 0.0254),
];

/// Characters of the name of the unit of length: names of 32 characters for mass, length, time, temperature and angle
/// follow each other.
const LENGTH: std::ops::Range<usize> = 32..64;

/// Warns if the coordinates of the zones are in another unit than metres.
///
/// # Errors
/// A node cannot be read, or zones have different units.
pub fn warn_of_units(base: &Node, zones: &[Zone]) -> Result<(), MeshError> {
    let mut first: Option<(&str, f64)> = None;
    for Zone { node: zone, .. } in zones {
        let Some(unit) = of_zone(base, zone)? else { continue };
        // Names that the standard does not have, Null and UserDefined say nothing about the length.
        let Some(&(name, length)) = LENGTHS.iter().find(|(name, _)| *name == unit) else {
            continue;
        };
        match first {
            Some((other, _)) if other != name => {
                return Err(zone.refused(format!(
                    "its unit of length is {name} (DimensionalUnits), but that of a zone before it is {other}; all \
                     need the same"
                )));
            }
            _ => first = Some((name, length)),
        }
    }
    if let Some((name, length)) = first.filter(|(_, length)| *length != 1.0) {
        let detail = format!(
            "the unit of length of the file is {name} (DimensionalUnits), and coordinates are taken as they are; \
             `fr-les mesh import --scale {length}` makes metres of them"
        );
        tracing::warn!("{}", base.refused(detail));
    }
    Ok(())
}

/// The unit of length of the coordinates of a zone: the nearest statement above them counts.
fn of_zone(base: &Node, zone: &Node) -> Result<Option<String>, MeshError> {
    let grid = zone.named("GridCoordinates_t", "GridCoordinates")?;
    let array = grid
        .as_ref()
        .map(|grid| grid.array("CoordinateX"))
        .transpose()?
        .flatten();
    for node in [array.as_ref(), grid.as_ref(), Some(zone), Some(base)]
        .into_iter()
        .flatten()
    {
        let Some(units) = node.child("DimensionalUnits_t")? else {
            continue;
        };
        let text = units.text()?;
        return Ok(text
            .get(LENGTH.start..LENGTH.end.min(text.len()))
            .map(|name| name.trim().to_owned()));
    }
    Ok(None)
}
