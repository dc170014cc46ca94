//! Meshes of turbine and compressor cascades, from the published points of a profile.
//!
//! The points are [smoothed](smooth), since the pressure on a blade shows every wiggle of its curvature. Around the
//! blade lie layers of hexahedra whose nodes are on the smoothed [wall] and on parallel curves of it, to rounding.
//! [Gmsh](program) fills the rest of the section with triangles or quadrilaterals between boundaries that are divided
//! here; it is called as a program. The section is [extended](extrude) in z, and the periodic sides are joined.

mod blade;
mod blade_fit;
mod bspline;
mod extrude;
mod keys;
mod layers;
mod outline;
mod plane;
mod profile;
mod program;
mod report;
mod script;
mod section;
mod settings;
mod sides;
mod sizes;
mod smooth;
mod spline;
mod wall;

use std::path::Path;

use thiserror::Error;

pub use blade::Blade;
pub use blade_fit::BladeFit;
pub use keys::{CascadeKeys, read_profile};
pub use program::{ProgramError, call as call_gmsh, find as find_gmsh};
pub use report::{CascadeReport, RemovedCurvature};
pub use settings::Cascade;

use super::error::MeshError;
use super::gmsh::parse;
use super::types::Mesh;
use crate::input::Problem;
use layers::BladeLayers;
use outline::{Outline, Side, refuse_overlap};
use section::Section;
use sides::SideLine;
use sizes::{Grid, Sizes};
use wall::Wall;

/// An error of filling a section with cells and extending it.
#[derive(Debug, Error)]
pub enum CascadeError {
    /// Gmsh is not there or failed.
    #[error(transparent)]
    Program(#[from] ProgramError),
    /// What Gmsh made cannot be read, or its cells do not fit.
    #[error(transparent)]
    Mesh(#[from] MeshError),
}

/// The section of a cascade before Gmsh fills its regions.
pub struct Plan {
    section: Section,
    outline: Outline,
    script: String,
    sizes: String,
    span: f64,
    pitch: f64,
    cells_z: usize,
    /// Smoothing, wall and layers.
    pub report: CascadeReport,
}

impl Cascade {
    /// Smooths the profile, makes the layers and divides the boundaries.
    ///
    /// # Errors
    /// Returns a problem with the path of a key if the parts do not fit together or the mesh would be too large.
    pub fn plan(&self) -> Result<Plan, Problem> {
        let smoothed = smooth::smooth(&self.points, 1.0, self.tolerance)?;
        let wall = Wall::new(&smoothed, self.ends.map(|end| end.angle));
        let layers = BladeLayers::new(self, &wall)?;
        let line = SideLine::new(self, &wall);
        refuse_overlap(self, &line, &layers)?;
        let sizes = Sizes::new(self, &layers, [wall.at(wall.leading).point, wall.at(0.0).point]);
        let [inlet, outlet] = self.ends.map(|end| end.x);
        let low = line.divide(inlet, outlet, |_| 0.01 * (outlet - inlet));
        let high = low.iter().map(|[x, y]| [*x, y + self.pitch]);
        let grid = Grid::new(&sizes, &low.iter().copied().chain(high).collect::<Vec<_>>());
        grid.refuse_too_many()?;
        let mut section = Section::new(self.geometry_order);
        let [foot, rim] = layers.add_to(&mut section, &wall);
        let mut outline = Outline::new(self, &line, &sizes, &mut section, &rim);
        outline
            .edges
            .extend(foot.windows(2).map(|w| ([w[0], w[1]], Side::Blade)));
        Ok(Plan {
            script: script::script(&section.positions, &outline.regions, self.passage.quads),
            sizes: script::sizes(&grid),
            report: CascadeReport::new(self, &smoothed, &wall, &layers),
            section,
            outline,
            span: self.span,
            pitch: self.pitch,
            cells_z: self.cells_z,
        })
    }
}

impl Plan {
    /// Fills the regions by Gmsh, the program that is named or the first one found, and extends the section.
    /// `settings` is used in messages only.
    ///
    /// # Errors
    /// Gmsh is not there or fails, or its cells do not fit.
    pub fn mesh(mut self, gmsh: Option<&Path>, settings: &Path) -> Result<Mesh, CascadeError> {
        let program = program::find(gmsh)?;
        let bytes = program::run(&program, &self.script, &self.sizes)?;
        let made = parse(Path::new(program::MESH), &bytes)?;
        extrude::add_cells(&mut self.section, &made);
        let extents = [self.span, self.pitch];
        Ok(extrude::extrude(
            &self.section,
            &self.outline.edges,
            extents,
            self.cells_z,
            settings,
        )?)
    }
}

#[cfg(test)]
mod tests;
