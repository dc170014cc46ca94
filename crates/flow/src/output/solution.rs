//! Solution files: density, velocity, pressure and temperature of the mesh or of a box in it, on the cells themselves
//! and, where the case asks for it, on straight sub-cells beside them. The cells may be in one file for all times.

use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use rayon::prelude::*;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::completion::Contents;
use super::derived::{self, Derived, Flow, OfDevice};
use super::error::OutputError;
use super::fields::{Primitives, primitive_fields};
use super::file_sequence::FileSequence;
use super::interface::{ExtraSamples, Output, SampleContext};
use super::keys::{Context, Keys};
use super::nodes::{Nodes, cells_bytes, divided_bytes, divisions, fields_bytes};
use super::request::{Request, Setup};
use super::schedule::Schedule;
use crate::element::{ElementKind, PerKind};
use crate::input::{Count, Every, Number, Problem, check, keys};
use crate::io::point_fields;
use crate::io::{
    self, CheckpointData, Compression, DividedPiece, Division, Form, NamedField, Piece, Precision, Unfinished,
};
use crate::solver::{Clock, Solver};
use crate::vector::Vector;

/// The key, and the name of the files.
const NAME: &str = "solution";

/// The name of the files of sub-cells.
const DIVIDED: &str = "solution-subdivided";

/// Largest number of parts along an edge: 4096 sub-cells of a hexahedron.
const MOST_PARTS: u64 = 16;

/// Which files of solutions have nodes and cells.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum MeshIn {
    /// Each of them.
    #[default]
    Each,
    /// One file for all times, solution-mesh_HASH.h5, to which the others have links. It belongs beside them.
    One,
}

/// Solution files that a case asks for.
#[derive(Debug, Clone, PartialEq)]
pub struct SolutionRequest {
    /// The period of the files.
    pub every: Every,
    /// Precision in the file.
    pub precision: Precision,
    /// Fields besides density, velocity, pressure and temperature.
    pub fields: Vec<Derived>,
    /// Number of parts into which straight sub-cells divide the edges of cells in files of their own, if any.
    pub parts: Option<usize>,
    /// Which files have nodes and cells.
    pub mesh: MeshIn,
    /// Compression.
    pub compression: Compression,
    /// Opposite corners of a box, if only cells with a solution point in it are written.
    pub within: Option<[Vector; 2]>,
}

keys! {
/// A box with sides along x, y and z.
WithinKeys as "a mapping with the keys `lower` and `upper`" {
    /// Corner of smallest x, y, z.
    pub lower: [Number; 3],
    /// Corner of largest x, y, z, above `lower` in each.
    pub upper: [Number; 3],
}}

impl WithinKeys {
    /// Returns the corners.
    fn corners(&self, context: &Context) -> Result<[Vector; 2], Problem> {
        let lower = context.scope.numbers(&context.at("within.lower"), &self.lower)?;
        let upper = context.scope.numbers(&context.at("within.upper"), &self.upper)?;
        if let Some(d) = (0..3).find(|&d| lower[d] >= upper[d]) {
            let what = format!(
                "`upper` is {} where `lower` is {}: it must be above",
                upper[d], lower[d]
            );
            return Err(Problem::new(what).key(context.at(&format!("within.upper[{d}]"))));
        }
        Ok([lower, upper])
    }
}

keys! {
/// Solution files: exactly one of `every` and `every-steps`.
SolutionKeys as "a mapping with the key `every` or `every-steps`" {
    /// Period in time, above 0; steps are shortened to meet it.
    pub every: Option<Number>,
    /// Period in steps, at least 1.
    pub every_steps: Option<Count>,
    /// Precision in the file.
    #[serde(default)]
    pub precision: Precision,
    /// Fields besides density, velocity, pressure and temperature: a list. Gradients are those of the polynomials of
    /// each cell.
    #[serde(default)]
    pub fields: Vec<Derived>,
    /// A second file beside each, solution-subdivided_NNNN.vtkhdf, has the same fields on straight sub-cells: so many
    /// along each edge of a cell, 1 to 16. Filters of ParaView that search points, as Probe and Plot Over Line, lose
    /// points of curved cells; in these files they find all. Without it there are none.
    pub subdivide: Option<Count>,
    /// Which files of whole cells have the mesh. With `one` the others are smaller, and ParaView opens them as before.
    #[serde(default)]
    pub mesh: MeshIn,
    /// Lossless compression. The run waits until a compressed file is written.
    #[serde(default)]
    pub compression: Compression,
    /// A box: only cells with a solution point in it are written. Such files show a part of the flow; a run cannot
    /// continue from them. Without it all cells are.
    pub within: Option<WithinKeys>,
}}

impl Keys for SolutionKeys {
    fn request(&self, context: &Context) -> Result<Arc<dyn Request>, Problem> {
        Ok(Arc::new(SolutionRequest {
            every: context.scope.every(&context.key, &self.every, &self.every_steps)?,
            precision: self.precision,
            fields: derived::checked(&self.fields, context)?,
            parts: self.subdivide.as_ref().map(|count| parts(count, context)).transpose()?,
            mesh: self.mesh,
            compression: self.compression,
            within: self.within.as_ref().map(|keys| keys.corners(context)).transpose()?,
        }))
    }
}

/// Evaluates and checks the number of parts along an edge.
fn parts(count: &Count, context: &Context) -> Result<usize, Problem> {
    let key = context.at("subdivide");
    let parts = context.scope.count(&key, count)?;
    check(&key, parts as f64, parts <= MOST_PARTS, "at most 16")?;
    Ok(parts as usize)
}

impl Request for SolutionRequest {
    fn label(&self) -> String {
        "solutions".to_owned()
    }

    fn every(&self) -> Every {
        self.every
    }

    fn is_written_beside(&self) -> bool {
        self.compression == Compression::None
    }

    fn bytes_per_file(&self, solver: &Solver) -> Option<f64> {
        if self.compression != Compression::None {
            // It depends on the flow.
            return None;
        }
        let values = 6 + derived::components(&self.fields) + solver.scalar_names().count();
        let real = self.precision.bytes();
        let kinds: Vec<ElementKind> = self.cells(solver).iter().map(|&cell| solver.mesh.kinds[cell]).collect();
        let cells = match self.mesh {
            MeshIn::Each => cells_bytes(solver, &kinds, real),
            MeshIn::One => 0.0,
        };
        let divided = |parts| divided_bytes(solver, &kinds, &divisions(solver, parts), values, real);
        Some(cells + fields_bytes(solver, &kinds, values, real) + self.parts.map_or(0.0, divided))
    }

    fn create(&self, setup: &mut Setup) -> Result<Vec<Box<dyn Output>>, OutputError> {
        let cells = self.cells(setup.solver);
        if setup.solver.ranks.first_rank_where(!cells.is_empty()).is_none() {
            return Err(OutputError::Refused {
                key: "output.solution.within".to_owned(),
                what: "no cell of the mesh has a solution point in this box".to_owned(),
            });
        }
        Ok(vec![Box::new(Solutions {
            cells,
            request: self.clone(),
            cells_in: None,
            schedule: Schedule::new(Some(self.every), &setup.clock),
            files: FileSequence::new(setup.directory.to_owned(), NAME),
            divided: self.parts.map(|parts| Divided {
                files: FileSequence::new(setup.directory.to_owned(), DIVIDED),
                parts,
                divisions: divisions(setup.solver, parts),
            }),
        })])
    }
}

impl SolutionRequest {
    /// Returns the cells of this rank that are written.
    fn cells(&self, solver: &Solver) -> Vec<usize> {
        let within = |cell: &usize| {
            let Some([lower, upper]) = self.within else {
                return true;
            };
            let inside = |x: &Vector| (0..3).all(|d| lower[d] <= x[d] && x[d] <= upper[d]);
            solver.geometry.cell_positions(*cell).iter().any(inside)
        };
        (0..solver.mesh.len()).filter(within).collect()
    }
}

/// The solution files of a run.
struct Solutions {
    request: SolutionRequest,
    schedule: Schedule,
    files: FileSequence,
    /// The cells of this rank that are written.
    cells: Vec<usize>,
    /// Name of the file that has nodes and cells, once it is begun.
    cells_in: Option<String>,
    divided: Option<Divided>,
}

/// The files of sub-cells beside the solutions.
struct Divided {
    files: FileSequence,
    /// Number of parts along each edge of a cell.
    parts: usize,
    divisions: PerKind<Division>,
}

impl Output for Solutions {
    fn name(&self) -> &'static str {
        NAME
    }

    fn schedule(&mut self) -> &mut Schedule {
        &mut self.schedule
    }

    fn extra_samples(&self) -> ExtraSamples {
        ExtraSamples::StartAndEnd
    }

    fn needs_physical_state(&self) -> bool {
        true
    }

    fn needs_rhs(&self) -> bool {
        derived::need_rhs(&self.request.fields)
    }

    fn sample(&mut self, context: &mut SampleContext) -> Result<(), OutputError> {
        let path = self.files.path();
        context.make_room(&path)?;
        let begun = Instant::now();
        let of_device = OfDevice::compute(context.solver, &self.request.fields)?;
        let solver = &*context.solver;
        let flow = Flow::read(solver, of_device)?;
        let state = State {
            solver,
            flow: &flow,
            request: &self.request,
            cells: &self.cells,
            cell_ids: self.cells.iter().map(|&cell| solver.mesh.global(cell) as u64).collect(),
            kinds: self.cells.iter().map(|&cell| solver.mesh.kinds[cell]).collect(),
        };
        let (solution, cells) = state.begin(&path, context, &mut self.cells_in)?;
        let mut sub_cells = None;
        if let Some(divided) = &mut self.divided {
            let path = divided.files.path();
            let file = state.begin_divided(&path, context, divided)?;
            let list = divided.files.begun(context.clock.time);
            sub_cells = Some((path, file, Contents::SubCells(list)));
        }
        if let Some(file) = cells {
            let path = self
                .files
                .directory()
                .join(self.cells_in.as_deref().unwrap_or_default());
            context.complete(path, file, begun, Contents::Cells)?;
        }
        if let Some((path, file, contents)) = sub_cells {
            context.complete(path, file, begun, contents)?;
        }
        let list = self.files.begun(context.clock.time);
        let contents = match self.request.within {
            None => Contents::Solution(list),
            Some(_) => Contents::PartOfSolution(list),
        };
        context.complete(path, solution, begun, contents)
    }

    fn files(&mut self) -> Option<&mut FileSequence> {
        Some(&mut self.files)
    }

    fn save(&mut self, _solver: &Solver, data: &mut CheckpointData) -> Result<(), OutputError> {
        self.files.save(data);
        self.divided.iter().for_each(|divided| divided.files.save(data));
        Ok(())
    }

    fn restore(&mut self, context: &mut SampleContext, data: &CheckpointData) -> Result<bool, OutputError> {
        let restored = self.files.restore(data, context.world)?;
        if let Some(divided) = &mut self.divided
            && !divided.files.restore(data, context.world)?
        {
            // The run before wrote none: both files of a state have the same number nevertheless.
            divided.files.continue_beside(&self.files);
        }
        Ok(restored)
    }
}

/// A state that is written.
struct State<'a> {
    solver: &'a Solver,
    flow: &'a Flow<'a>,
    request: &'a SolutionRequest,
    /// The cells that are written.
    cells: &'a [usize],
    /// Their global numbers.
    cell_ids: Vec<u64>,
    /// Their kinds.
    kinds: Vec<ElementKind>,
}

impl State<'_> {
    /// Whether the values are written in single precision.
    fn single(&self) -> bool {
        self.request.precision == Precision::Single
    }

    /// Returns the positions of the nodes of the cells, and the fields there.
    fn at(&self, nodes: &Nodes) -> (Vec<[f64; 3]>, Vec<NamedField>) {
        let State {
            solver,
            flow,
            request,
            cells,
            ..
        } = self;
        let geometry = &solver.geometry;
        let more = &request.fields;
        let points = cells
            .par_iter()
            .flat_map_iter(|&c| nodes.values(geometry.kinds[c], geometry.cell_positions(c)))
            .collect();
        let at_nodes: Vec<Primitives> = cells
            .par_iter()
            .flat_map_iter(|&c| nodes.values(geometry.kinds[c], &flow.primitives(c)))
            .collect();
        let of_cell = |&c: &usize| {
            let at_points = flow.of_cell(more, c, &flow.primitives(c));
            let columns = at_points.iter().map(|column| nodes.values(geometry.kinds[c], column));
            columns.collect::<Vec<_>>()
        };
        let derived: Vec<Vec<Vec<[f64; 1]>>> = if flow.has_more(more) {
            cells.par_iter().map(of_cell).collect()
        } else {
            Vec::new()
        };
        let mut fields = primitive_fields(&at_nodes);
        fields.extend(flow.named(more, &derived));
        (points, fields)
    }

    /// Begins the file of the cells themselves, and the file that has nodes and cells for all times, if there is one
    /// and it is not there yet; its name is then `cells_in`. Collective.
    fn begin(
        &self,
        path: &Path,
        context: &SampleContext,
        cells_in: &mut Option<String>,
    ) -> Result<(Unfinished, Option<Unfinished>), OutputError> {
        let solver = self.solver;
        let nodes = Nodes::new(&solver.elements, &solver.mesh.kinds_present());
        let (points, fields) = self.at(&nodes);
        let piece = Piece {
            order: solver.elements.order,
            single: self.single(),
            cell_ids: &self.cell_ids,
            shapes: &self.kinds,
            points: &points,
            fields: &point_fields(&fields),
            note: None,
        };
        let Clock { time, step, .. } = context.clock;
        let (world, provenance) = (context.world, context.provenance);
        let compression = self.request.compression;
        let mut cells = None;
        if self.request.mesh == MeshIn::One && cells_in.is_none() {
            let name = io::cells_name(world, &piece);
            let file = path.with_file_name(&name);
            if solver.ranks.first_rank_where(!file.exists()).is_some() {
                cells = Some(io::begin_cells(&file, world, &piece, provenance, compression)?);
            }
            *cells_in = Some(name);
        }
        let form = Form {
            cells_in: cells_in.as_deref(),
            compression,
        };
        let solution = io::begin_solution(path, world, time, step, &piece, provenance, form)?;
        Ok((solution, cells))
    }

    /// Begins the file of the sub-cells. Collective.
    fn begin_divided(
        &self,
        path: &Path,
        context: &SampleContext,
        divided: &Divided,
    ) -> Result<Unfinished, OutputError> {
        let solver = self.solver;
        let Divided { parts, divisions, .. } = divided;
        let nodes = Nodes::divided(&solver.elements, &solver.mesh.kinds_present(), *parts, divisions);
        let (points, fields) = self.at(&nodes);
        let piece = DividedPiece {
            single: self.single(),
            parts: *parts,
            divisions,
            cell_ids: &self.cell_ids,
            kinds: &self.kinds,
            points: &points,
            fields: &point_fields(&fields),
        };
        let Clock { time, step, .. } = context.clock;
        Ok(io::begin_divided_solution(
            path,
            context.world,
            time,
            step,
            &piece,
            context.provenance,
            self.request.compression,
        )?)
    }
}
