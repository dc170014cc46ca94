//! Meshes of turbine and compressor cascades, from the published points of a profile.
//!
//! The points are [smoothed](smooth), since the pressure on a blade shows every wiggle of its curvature. Around the
//! blade lie layers of hexahedra whose nodes are on the smoothed [wall] and on parallel curves of it, to rounding.
//! [Gmsh](program) fills the rest of the section with triangles or quadrilaterals between boundaries that are divided
//! here; it is called as a program. The section is [extended](stack) in z, where the mesh is periodic or ends at walls
//! with layers of their own, or follows the sections of an [annular] row over the radius by a [loft]. Before a wall the
//! blade may end at a flat tip; in the gap there are cells [inside] its outline too. The cells are [made](extrude), and
//! the periodic sides are joined.

mod annular;
mod blade;
mod blade_fit;
mod bspline;
mod curve;
mod extrude;
mod heights;
mod inside;
mod keys;
mod layers;
mod loft;
mod outline;
mod plane;
mod profile;
mod profile_keys;
mod program;
mod report;
mod script;
mod section;
mod settings;
mod sides;
mod sizes;
mod smooth;
mod span;
mod spline;
mod stack;
mod wall;

use std::path::Path;

use thiserror::Error;

pub use annular::{Annular, BladeSection};
pub use blade::Blade;
pub use blade_fit::BladeFit;
pub use keys::CascadeKeys;
pub use profile_keys::read_profile;
pub use program::{ProgramError, call as call_gmsh, find as find_gmsh};
pub use report::{AnnulusReport, CascadeReport, RemovedCurvature};
pub use settings::Cascade;
pub use stack::StackError;

use super::error::MeshError;
use super::gmsh::parse;
use super::types::Mesh;
use crate::input::Problem;
use inside::{InsideLayers, InsideSizes};
use layers::BladeLayers;
use loft::Loft;
use outline::{Outline, Region, Side, refuse_overlap};
use section::Section;
use sides::SideLine;
use sizes::{Grid, Sizes};
use span::Span;
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
    /// The sections of an annular row do not fit each other, or the cells over a tip are folded.
    #[error(transparent)]
    Stack(#[from] StackError),
}

/// The section of a cascade before Gmsh fills its regions.
pub struct Plan {
    section: Section,
    outline: Outline,
    script: String,
    sizes: String,
    span: Span,
    pitch: f64,
    loft: Option<Loft>,
    inside: Option<Filling>,
    quads: bool,
    /// Smoothing, wall and layers.
    pub report: CascadeReport,
}

/// What is needed to fill the outline of the blade, for a gap over its tip.
struct Filling {
    layers: InsideLayers,
    wall: Wall,
    /// Vertices on the wall, first and last the same.
    foot: Vec<u32>,
    sizes: String,
}

impl Cascade {
    /// Smooths the profile, makes the layers and divides the boundaries.
    ///
    /// # Errors
    /// Returns a problem with the path of a key if the parts do not fit together or the mesh would be too large.
    pub fn plan(&self) -> Result<Plan, Problem> {
        self.span.check()?;
        let smoothed = smooth::smooth(&self.points, 1.0, self.tolerance)?;
        let wall = Wall::new(&smoothed, self.ends.map(|end| end.angle));
        let layers = BladeLayers::new(self, &wall)?;
        let inside = self.span.gap.map(|_| InsideLayers::new(&self.layers, &layers, &wall));
        let inside = inside.transpose()?;
        let loft = self
            .annular
            .as_ref()
            .map(|row| Loft::new(self, row, &wall, &layers, inside.as_ref()));
        let loft = loft.transpose()?;
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
        let report = CascadeReport::new(self, &smoothed, &wall, &layers, loft.as_ref(), inside.as_ref());
        let filling = |layers: InsideLayers| {
            let grid = Grid::new(&InsideSizes::new(&layers, self.passage.growth), &layers.rim);
            grid.refuse_too_many()?;
            let sizes = script::sizes(&grid);
            Ok(Filling {
                layers,
                wall,
                foot,
                sizes,
            })
        };
        Ok(Plan {
            inside: inside.map(filling).transpose()?,
            quads: self.passage.quads,
            script: script::script(&section.positions, &outline.regions, self.passage.quads),
            sizes: script::sizes(&grid),
            report,
            loft,
            section,
            outline,
            span: self.span,
            pitch: self.pitch,
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
        if let Some(inside) = &self.inside {
            let section = &mut self.section;
            section.go_inside();
            let region = Region {
                outside: inside.layers.add_to(section, &inside.wall, &inside.foot),
                hole: Vec::new(),
            };
            let script = script::script(&section.positions, &[region], self.quads);
            let bytes = program::run(&program, &script, &inside.sizes)?;
            extrude::add_cells(section, &parse(Path::new(program::MESH), &bytes)?);
            stack::refuse_tangled_tip(section)?;
        }
        let stack = match &self.loft {
            None => stack::linear(&self.section, self.span, self.pitch),
            Some(loft) => stack::annular(&self.section, self.span, loft)?,
        };
        Ok(extrude::extrude(&self.section, &self.outline.edges, stack, settings)?)
    }
}

#[cfg(test)]
mod tests;
