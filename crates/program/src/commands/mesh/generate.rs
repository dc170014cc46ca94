//! Simple meshes: boxes and annuli.

use std::path::{Path, PathBuf};

use super::failure::MeshFailure;
use super::report::ReportArgs;
use super::typed::{Cells, Triple};
use crate::mesh::{Annulus, Mesh, build_box};
use crate::mesh::{BoxElements, BoxMesh, WarpKind};

/// Shapes that can be generated.
#[derive(Debug, clap::Subcommand)]
pub enum Shape {
    /// A box with boundaries x-, x+, y-, y+, z-, z+ where it is not periodic
    Box(BoxArgs),
    /// An annulus about the z axis with boundaries inner, outer, z-, z+, theta-, theta+ where it is not periodic
    Annulus(AnnulusArgs),
}

/// Arguments of `fr-les mesh generate box`.
#[derive(Debug, clap::Args)]
pub struct BoxArgs {
    /// Native file to write
    output: PathBuf,
    /// Numbers of cubes in x, y, z
    #[arg(long, value_name = "NX,NY,NZ", allow_hyphen_values = true)]
    cells: Cells,
    /// Lower corner
    #[arg(long, value_name = "X,Y,Z", default_value = "0,0,0", allow_hyphen_values = true)]
    lower: Triple<f64>,
    /// Upper corner
    #[arg(long, value_name = "X,Y,Z", default_value = "1,1,1", allow_hyphen_values = true)]
    upper: Triple<f64>,
    /// Periodic directions, e.g. x,z
    #[arg(long, value_delimiter = ',', value_parser = ["x", "y", "z"])]
    periodic: Vec<String>,
    /// What the cubes are divided into
    #[arg(long, default_value = "hex")]
    elements: BoxElements,
    /// Strength of the clustering of cells to both ends of each direction, from 0 (none) to 20
    #[arg(long, value_name = "SX,SY,SZ", default_value = "0,0,0", allow_hyphen_values = true)]
    stretch: Triple<f64>,
    /// Amplitude of a smooth distortion relative to the box, from 0 to below 0.5
    #[arg(long, default_value_t = 0.0, allow_negative_numbers = true)]
    warp: f64,
    /// Degree of the geometry of distorted cells, 1 to 6
    #[arg(long, default_value_t = 4, value_parser = clap::value_parser!(u64).range(1..=6))]
    geometry_order: u64,
    #[command(flatten)]
    report: ReportArgs,
}

/// Arguments of `fr-les mesh generate annulus`.
#[derive(Debug, clap::Args)]
pub struct AnnulusArgs {
    /// Native file to write
    output: PathBuf,
    /// Radius of the inner wall
    #[arg(long, allow_negative_numbers = true)]
    inner: f64,
    /// Radius of the outer wall
    #[arg(long, allow_negative_numbers = true)]
    outer: f64,
    /// Length in z
    #[arg(long, allow_negative_numbers = true)]
    length: f64,
    /// Numbers of cells along the radius, around, and along z
    #[arg(long, value_name = "NR,NT,NZ", allow_hyphen_values = true)]
    cells: Cells,
    /// Angle of the sector in degrees
    #[arg(long, default_value_t = 360.0, allow_negative_numbers = true)]
    angle: f64,
    /// Height of each layer of cells over that of the one further in
    #[arg(long, default_value_t = 1.0, allow_negative_numbers = true)]
    growth: f64,
    /// Layers of hexahedra at the inner wall, prisms being further out [default: all]
    #[arg(long, allow_negative_numbers = true)]
    hex_layers: Option<usize>,
    /// Degree of the geometry, 1 to 6
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u64).range(1..=6))]
    geometry_order: u64,
    /// Periodic directions: theta, z
    #[arg(long, value_delimiter = ',', value_parser = ["theta", "z"])]
    periodic: Vec<String>,
    #[command(flatten)]
    report: ReportArgs,
}

impl Shape {
    /// Returns the native file to write.
    pub fn output(&self) -> &Path {
        match self {
            Shape::Box(args) => &args.output,
            Shape::Annulus(args) => &args.output,
        }
    }

    /// Returns what is reported.
    pub(super) fn report(&self) -> &ReportArgs {
        match self {
            Shape::Box(args) => &args.report,
            Shape::Annulus(args) => &args.report,
        }
    }

    /// Builds the mesh.
    ///
    /// # Errors
    /// An argument is out of its range.
    pub fn build(&self) -> Result<Mesh, MeshFailure> {
        match self {
            Shape::Box(args) => args.build(),
            Shape::Annulus(args) => args.build(),
        }
    }
}

fn within(what: &str, value: f64, good: bool, must: &str) -> Result<f64, MeshFailure> {
    if good {
        Ok(value)
    } else {
        Err(MeshFailure::Argument {
            what: what.to_owned(),
            value,
            must: must.to_owned(),
        })
    }
}

/// Largest number of cubes of a generated mesh. More would not fit into memory.
const MOST_CUBES: f64 = 1e9;

/// Verifies that a generated mesh is not too large.
fn check_size(cells: [u32; 3]) -> Result<(), MeshFailure> {
    let cubes = cells.iter().map(|n| f64::from(*n)).product();
    within(
        "number of cubes",
        cubes,
        cubes <= MOST_CUBES,
        &format!("at most {MOST_CUBES:e}"),
    )
    .map(|_| ())
}

impl BoxArgs {
    fn build(&self) -> Result<Mesh, MeshFailure> {
        check_size(self.cells.0)?;
        let names = ["x", "y", "z"];
        let mut stretch = [None; 3];
        for d in 0..3 {
            let (low, high) = (self.lower.0[d], self.upper.0[d]);
            let wide = high > low && (high - low).is_finite();
            within(
                &format!("upper {}", names[d]),
                high,
                wide,
                &format!("above the lower one, {low}"),
            )?;
            let s = self.stretch.0[d];
            within(
                &format!("stretch in {}", names[d]),
                s,
                (0.0..=20.0).contains(&s),
                "from 0 to 20",
            )?;
            stretch[d] = (s > 0.0).then_some(s);
        }
        let geometry_order = self.geometry_order as usize;
        let b = BoxMesh {
            cells: self.cells.0.map(|n| n as usize),
            lower: self.lower.0,
            upper: self.upper.0,
            periodic: names.map(|name| self.periodic.iter().any(|p| p == name)),
            elements: self.elements,
            stretch,
            warp: within(
                "warp",
                self.warp,
                (0.0..0.5).contains(&self.warp),
                "from 0 to below 0.5",
            )?,
            warp_kind: if geometry_order == 1 {
                WarpKind::Trilinear
            } else {
                WarpKind::Curved
            },
        };
        Ok(build_box(&b, geometry_order)?)
    }
}

impl AnnulusArgs {
    fn build(&self) -> Result<Mesh, MeshFailure> {
        check_size(self.cells.0)?;
        let cells = self.cells.0.map(|n| n as usize);
        let periodic = |name: &str| self.periodic.iter().any(|p| p == name);
        let angle = within(
            "angle",
            self.angle,
            self.angle > 0.0 && self.angle <= 360.0,
            "above 0 and at most 360 degrees",
        )?;
        let annulus = Annulus {
            inner: self.inner,
            outer: self.outer,
            length: self.length,
            // Exactly the whole circle, despite the rounding of the conversion.
            angle: if angle == 360.0 {
                std::f64::consts::TAU
            } else {
                angle.to_radians()
            },
            cells,
            growth: self.growth,
            hex_layers: self.hex_layers.unwrap_or(cells[0]),
            geometry_order: self.geometry_order as usize,
            periodic_angle: periodic("theta"),
            periodic_z: periodic("z"),
        };
        Ok(annulus.build()?)
    }
}
