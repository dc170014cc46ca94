//! The points or faces that a boundary condition or an interface of a CGNS file names, by a range or by a list.
//!
//! Without a location they are points. `ElementRange` and `ElementList`, of older versions of the standard, name
//! elements.

use super::tree::Node;
use crate::mesh::error::MeshError;

/// Labels of nodes with a range and with a list.
const RANGE: &str = "IndexRange_t";
const LIST: &str = "IndexArray_t";

/// The points or elements of a boundary condition or an interface.
#[derive(Debug)]
pub enum Points {
    /// First and last point.
    Range(Vec<i64>),
    /// Points.
    Vertices(Vec<i64>),
    /// First and last face.
    FaceRange(Vec<i64>),
    /// Faces.
    Faces(Vec<i64>),
}

impl Points {
    /// Reads the points of a node: its range or list of this name, or `None` if it has neither.
    pub fn read(node: &Node, donor: bool) -> Result<Option<Self>, MeshError> {
        let location = match node.child("GridLocation_t")? {
            Some(location) => location.text()?,
            None => "Vertex".to_owned(),
        };
        let vertices = location == "Vertex";
        let suffix = if donor { "Donor" } else { "" };
        for (name, label) in [
            ("PointRange", RANGE),
            ("ElementRange", RANGE),
            ("PointList", LIST),
            ("ElementList", LIST),
        ] {
            let Some(named) = node.named(label, &format!("{name}{suffix}"))? else {
                continue;
            };
            let numbers = named.integers()?;
            let points = vertices && name.starts_with("Point");
            return Ok(Some(match (label, points) {
                (RANGE, true) => Points::Range(numbers),
                (RANGE, false) => Points::FaceRange(numbers),
                (_, true) => Points::Vertices(numbers),
                (_, false) => Points::Faces(numbers),
            }));
        }
        Ok(None)
    }
}
