//! The distance from the nearest no-slip wall, for the tables along it and for turbulence at walls.

use std::sync::Arc;

use super::SetupError;
use crate::geometry::{Geometry, WallDistance};
use crate::input::{Field, Walls};
use crate::mesh::Mesh;
use crate::physics::{Boundary, Forcing, Initial};
use crate::ranks::Ranks;

/// What may need the distance.
pub struct Users<'a> {
    /// Condition of every boundary of the mesh.
    pub boundaries: &'a [Boundary],
    /// The initial state.
    pub initial: &'a Initial,
    /// Body forces.
    pub forcing: &'a Forcing,
    /// Whether the length of the turbulence of an inlet varies.
    pub turbulence_varies: bool,
}

impl Users<'_> {
    /// Returns all fields with the keys of their groups.
    fn fields(&self, mesh: &Mesh) -> Vec<(String, &Field)> {
        let mut all = Vec::new();
        for (name, boundary) in mesh.boundary_names.iter().zip(self.boundaries) {
            all.extend(
                boundary
                    .fields()
                    .into_iter()
                    .map(|field| (format!("boundaries.{name}"), field)),
            );
        }
        let initial = self.initial.state().into_iter().flat_map(|state| state.fields());
        all.extend(initial.map(|field| ("initial".to_owned(), field)));
        let force = self.forcing.force.iter().flatten();
        all.extend(force.map(|field| ("forcing.force".to_owned(), field)));
        all
    }

    /// Gathers the walls if something needs them, and sets them in the fields that are tables along the distance.
    /// Collective.
    ///
    /// # Errors
    /// A table is along the distance from walls, and the mesh has none.
    pub fn find_walls(
        &self,
        mesh: &Mesh,
        geometry: &Geometry,
        order: usize,
        ranks: &Ranks,
    ) -> Result<Option<Arc<WallDistance>>, SetupError> {
        let fields = self.fields(mesh);
        let tables: Vec<_> = fields.iter().filter(|(_, field)| field.needs_walls()).collect();
        if tables.is_empty() && !self.turbulence_varies {
            return Ok(None);
        }
        let is_wall = |boundary: usize| self.boundaries[boundary].is_no_slip();
        let Some(walls) = WallDistance::new(mesh, geometry, order, is_wall, ranks) else {
            return match tables.first() {
                Some((key, _)) => Err(SetupError::NoWall { key: key.clone() }),
                None => Ok(None),
            };
        };
        let walls = Arc::new(walls);
        let of = walls.clone();
        let distance: Arc<Walls> = Arc::new(move |x| of.at(x));
        tables.iter().for_each(|(_, field)| field.set_walls(&distance));
        Ok(Some(walls))
    }
}
