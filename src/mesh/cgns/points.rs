//! The points or faces that a boundary condition or an interface of a CGNS file names, by a range or by a list.
//!
//! Without a location they are points. `ElementRange` and `ElementList`, of older versions of the standard, name
//! elements.

use super::tree::Node;
use crate::mesh::error::MeshError;

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
    ///
    /// # Errors
    ///
    /// Returns an error if they cannot be read.
    pub fn read(node: &Node, donor: bool) -> Result<Option<Self>, MeshError> {
        let location = match node.child("GridLocation_t")? {
            Some(location) => location.text()?,
            None => "Vertex".to_owned(),
        };
        let vertices = location == "Vertex";
        let suffix = if donor { "Donor" } else { "" };
        for (name, of_elements) in [("PointRange", false), ("ElementRange", true)] {
            if let Some(range) = node.named("IndexRange_t", &format!("{name}{suffix}"))? {
                let numbers = range.integers()?;
                return Ok(Some(match vertices && !of_elements {
                    true => Points::Range(numbers),
                    false => Points::FaceRange(numbers),
                }));
            }
        }
        for (name, of_elements) in [("PointList", false), ("ElementList", true)] {
            if let Some(list) = node.named("IndexArray_t", &format!("{name}{suffix}"))? {
                let numbers = list.integers()?;
                return Ok(Some(match vertices && !of_elements {
                    true => Points::Vertices(numbers),
                    false => Points::Faces(numbers),
                }));
            }
        }
        Ok(None)
    }
}
