//! Hanging nodes of a mesh: how many there are, and what does not go with them.

use std::fmt;

use serde::Serialize;

use super::SetupError;
use crate::mesh::Mesh;
use crate::ranks::Ranks;
use crate::runge_kutta::TimeScheme;

/// The numbers of faces at hanging nodes, of all ranks.
#[derive(Debug, Clone, Copy, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct HangingNodes {
    /// Faces that meet two or four smaller ones.
    pub faces_that_meet_smaller: u64,
    /// The smaller ones.
    pub smaller_faces: u64,
}

impl HangingNodes {
    /// Counts the faces of a mesh; `None` if it has no hanging nodes. Collective.
    pub fn of(mesh: &Mesh, ranks: &Ranks) -> Option<Self> {
        let mut counts = [mesh.divided_faces().count() as u64, mesh.mortars.len() as u64];
        ranks.allreduce_sum(&mut counts);
        let [faces_that_meet_smaller, smaller_faces] = counts;
        (faces_that_meet_smaller > 0).then_some(HangingNodes {
            faces_that_meet_smaller,
            smaller_faces,
        })
    }

    /// Refuses a scheme whose cells do not all advance in each stage.
    ///
    /// # Errors
    /// It is the paired one.
    pub fn refuse_scheme(&self, scheme: TimeScheme) -> Result<(), SetupError> {
        if scheme != TimeScheme::Paired {
            return Ok(());
        }
        Err(SetupError::Interface {
            key: "time.scheme".to_owned(),
            what: format!(
                "`paired` does not go with hanging nodes, and {} faces of this mesh meet {} smaller ones, which need \
                 each other in all stages: take `lsrk10`",
                self.faces_that_meet_smaller, self.smaller_faces
            ),
        })
    }
}

impl fmt::Display for HangingNodes {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(
            f,
            "hanging nodes: {} faces meet {} smaller ones",
            self.faces_that_meet_smaller, self.smaller_faces
        )
    }
}
