//! Files of plane cuts through the solution. The cut through each cell consists of triangles, with the solution's
//! polynomials, their vorticity, Q and further fields evaluated at the vertices ([`CellSlicer`]).

use std::path::Path;
use std::sync::Arc;

use rayon::prelude::*;

use super::derived::{self, Derived, Flow, OfDevice};
use super::error::OutputError;
use super::fields::{Primitives, primitive_fields};
use super::file_sequence::FileSequence;
use super::interface::{ExtraSamples, Output, SampleContext};
use super::keys::{Context, Keys};
use super::request::{Request, Setup};
use super::schedule::Schedule;
use super::slice_pictures::{DrawSlice, PictureKeys, SlicePictures};
use crate::element::{ElementKind, Elements};
use crate::geometry::{CellSlicer, Cut, Geometry, IN_PLANE, Plane, longest_side, multiply};
use crate::input::{Count, Every, Number, Problem, keys};
use crate::io::{Surface, SurfaceCells, point_fields};
use crate::solver::Solver;

/// The key.
const NAME: &str = "slices";

/// Fields besides density, velocity, pressure and temperature that all files have.
pub const ALWAYS: [Derived; 2] = [Derived::Vorticity, Derived::QCriterion];

/// The files of one plane that a case asks for.
#[derive(Debug, Clone, PartialEq)]
pub struct SliceRequest {
    /// Name.
    pub name: String,
    /// The period of the files.
    pub every: Every,
    /// A point of the plane.
    pub point: [f64; 3],
    /// Unit normal of the plane.
    pub normal: [f64; 3],
    /// Fields besides density, velocity, pressure and temperature.
    pub fields: Vec<Derived>,
    /// The pictures of each file.
    pub pictures: Option<SlicePictures>,
}

keys! {
/// A plane: exactly one of `every` and `every-steps`.
SliceKeys as "a mapping with the keys `point`, `normal` and `every` or `every-steps`" {
    /// A point of the plane (length).
    pub point: [Number; 3],
    /// Normal of the plane, of any length but 0.
    pub normal: [Number; 3],
    /// Period in time, above 0; steps are shortened to meet it.
    pub every: Option<Number>,
    /// Period in steps, at least 1.
    pub every_steps: Option<Count>,
    /// Further fields: a list. The names are those of `output.solution.fields`; vorticity and Q are there in any case.
    #[serde(default)]
    pub fields: Vec<Derived>,
    /// PNG files of each slice beside it, in the axes of the plane; without it none are drawn. `fr-les report` shows
    /// the newest slice in the same window.
    pub picture: Option<PictureKeys>,
}}

impl Keys for SliceKeys {
    const NOUN: &'static str = "a slice";

    fn request(&self, context: &Context) -> Result<Arc<dyn Request>, Problem> {
        let scope = context.scope;
        let given = derived::checked(&self.fields, context)?;
        let more = given.into_iter().filter(|field| !ALWAYS.contains(field));
        let normal = scope.direction(&context.at("normal"), &self.normal)?;
        let pictures = self
            .picture
            .as_ref()
            .map(|keys| keys.resolve(scope, &context.at("picture"), normal));
        Ok(Arc::new(SliceRequest {
            fields: ALWAYS.into_iter().chain(more).collect(),
            name: context.name.to_owned(),
            every: scope.every(&context.key, &self.every, &self.every_steps)?,
            point: scope.numbers(&context.at("point"), &self.point)?,
            normal,
            pictures: pictures.transpose()?,
        }))
    }
}

impl SliceRequest {
    fn plane(&self) -> Plane {
        Plane {
            point: self.point,
            normal: self.normal,
        }
    }
}

impl Request for SliceRequest {
    fn label(&self) -> String {
        format!("{NAME} {}", self.name)
    }

    fn every(&self) -> Every {
        self.every
    }

    fn create(&self, setup: &mut Setup) -> Result<Vec<Box<dyn Output>>, OutputError> {
        Ok(vec![Box::new(SliceFiles::new(setup, self))])
    }

    fn bytes_per_file(&self, solver: &Solver) -> Option<f64> {
        let plane = facing_in(self.plane(), solver, |_, _| {});
        // Coordinates and values of a vertex; three indices, type, offset and cell number of a triangle.
        let of_cut = |(_, cut): &(usize, Cut)| {
            let values = 3 + 6 + derived::components(&self.fields) + solver.scalar_names().count();
            8.0 * values as f64 * cut.points.len() as f64 + 41.0 * cut.triangles.len() as f64
        };
        let mut bytes = [cut_all(&solver.elements, &solver.geometry, &plane)
            .iter()
            .map(of_cut)
            .sum::<f64>()];
        solver.ranks.allreduce_sum(&mut bytes);
        Some(bytes[0])
    }

    fn pictures(&self) -> Option<&SlicePictures> {
        self.pictures.as_ref()
    }

    fn fingerprints(&self) -> Vec<(String, String)> {
        let plane = format!("{:?} {:?}", self.point, self.normal);
        vec![(format!("output.slices.{}", self.name), plane)]
    }
}

/// The files of one plane.
struct SliceFiles {
    schedule: Schedule,
    files: FileSequence,
    plane: Plane,
    fields: Vec<Derived>,
    /// The key, and the pictures with what draws them.
    pictures: Option<(String, SlicePictures, DrawSlice)>,
}

impl SliceFiles {
    /// Warns if the plane meets no cell. Collective.
    fn new(setup: &Setup, output: &SliceRequest) -> Self {
        let warn = |least, most| {
            tracing::warn!(
                "output.slices.{}: the plane meets no cell: all lie between {least:.3e} and {most:.3e} from it along \
                 its normal",
                output.name
            );
        };
        let plane = output.plane();
        SliceFiles {
            schedule: Schedule::new(Some(output.every), &setup.clock),
            files: FileSequence::new(setup.directory.to_owned(), &format!("{NAME}_{}", output.name)),
            plane: facing_in(plane, setup.solver, warn),
            fields: output.fields.clone(),
            pictures: output.pictures.clone().zip(setup.draw).map(|(pictures, draw)| {
                let key = format!("output.{NAME}.{}.picture", output.name);
                (key, pictures, draw)
            }),
        }
    }
}

impl SliceFiles {
    /// Draws the pictures of a file on rank 0. A run does not end because a picture cannot be drawn: it warns.
    fn draw(&self, file: &Path, context: &mut SampleContext) {
        let Some((key, pictures, draw)) = &self.pictures else {
            return;
        };
        if context.solver.ranks.rank() > 0 {
            return;
        }
        match draw(file, pictures, &context.solver.gas) {
            Ok(paths) => context.files.extend(paths),
            Err(error) => tracing::warn!("{key}: {error}"),
        }
    }
}

/// Returns the plane, reversed if the whole mesh lies above it: a cut belongs to the cells below, and a side of the
/// mesh can be cut, too. If the plane misses the mesh, calls `missed` on rank 0 with the least and the largest distance
/// of the mesh from it. Collective.
pub fn facing_in(plane: Plane, solver: &Solver, missed: impl FnOnce(f64, f64)) -> Plane {
    let geometry = &solver.geometry;
    let mut reach = [f64::INFINITY; 2];
    let mut size = [0.0];
    for cell in 0..geometry.kinds.len() {
        let positions = geometry.cell_positions(cell);
        for &x in positions {
            let distance = plane.distance(x);
            reach = [reach[0].min(distance), reach[1].min(-distance)];
        }
        size[0] = longest_side(positions).max(size[0]);
    }
    solver.ranks.allreduce_min(&mut reach);
    solver.ranks.allreduce_max(&mut size);
    let [least, most] = [reach[0], -reach[1]];
    let near = IN_PLANE * size[0];
    if (least > near || most < -near) && solver.ranks.rank() == 0 {
        missed(least, most);
    }
    if least >= -near { plane.turned() } else { plane }
}

/// Cuts all cells, and returns those that the plane meets with their cuts.
pub fn cut_all(elements: &Elements, geometry: &Geometry, plane: &Plane) -> Vec<(usize, Cut)> {
    let of_kind = |kind| {
        geometry
            .kinds
            .contains(&kind)
            .then(|| CellSlicer::new(kind, elements.order))
    };
    let sliced = ElementKind::ALL.map(of_kind);
    let cut = |cell: usize| {
        let sliced = sliced[geometry.kinds[cell] as usize].as_ref()?;
        let cut = sliced.cut(elements, geometry.cell_positions(cell), geometry.is_affine(cell), plane)?;
        Some((cell, cut))
    };
    (0..geometry.kinds.len()).into_par_iter().filter_map(cut).collect()
}

/// Values at the vertices of a cut: the state, and the columns of further fields.
type Values = (Vec<Primitives>, Vec<Vec<[f64; 1]>>);

/// Returns the values at the vertices of the cut of a cell.
pub fn values(flow: &Flow, fields: &[Derived], cell: usize, cut: &Cut) -> Values {
    let q = flow.primitives(cell);
    let derived = flow.of_cell(fields, cell, &q);
    let columns = derived.iter().map(|column| multiply(&cut.matrix, column));
    (multiply(&cut.matrix, &q), columns.collect())
}

impl Output for SliceFiles {
    fn name(&self) -> &'static str {
        NAME
    }

    fn schedule(&mut self) -> &mut Schedule {
        &mut self.schedule
    }

    fn extra_samples(&self) -> ExtraSamples {
        ExtraSamples::StartAndEnd
    }

    fn needs_rhs(&self) -> bool {
        derived::need_rhs(&self.fields)
    }

    fn sample(&mut self, context: &mut SampleContext) -> Result<(), OutputError> {
        let of_device = OfDevice::compute(context.solver, &self.fields)?;
        let solver = &*context.solver;
        let flow = Flow::read(solver, of_device)?;
        let cuts = cut_all(&solver.elements, &solver.geometry, &self.plane);
        let (found, derived): (Vec<Vec<Primitives>>, Vec<_>) = cuts
            .par_iter()
            .map(|(cell, cut)| values(&flow, &self.fields, *cell, cut))
            .unzip();
        let points: Vec<[f64; 3]> = cuts.iter().flat_map(|(_, cut)| cut.points.iter().copied()).collect();
        let mut triangles = Vec::new();
        let mut cells = Vec::new();
        let mut first = 0;
        for (cell, cut) in &cuts {
            triangles.extend(cut.triangles.iter().map(|t| t.map(|node| first + node)));
            cells.extend(cut.triangles.iter().map(|_| solver.mesh.global(*cell) as u64));
            first += cut.points.len();
        }
        let mut fields = primitive_fields(&found.concat());
        fields.extend(flow.named(&self.fields, &derived));
        let surface = Surface {
            single: false,
            points: &points,
            cells: SurfaceCells::Triangles(&triangles),
            fields: &point_fields(&fields),
            numbers: &[("global_cell_id", &cells)],
            note: None,
        };
        let path = self.files.path();
        context.write_surface(&mut self.files, &surface)?;
        self.draw(&path, context);
        Ok(())
    }

    fn files(&mut self) -> Option<&mut FileSequence> {
        Some(&mut self.files)
    }
}
