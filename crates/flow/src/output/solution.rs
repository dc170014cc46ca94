//! Solution files: density, velocity, pressure and temperature of the whole mesh, on the cells themselves and, where
//! the case asks for it, on straight sub-cells beside them.

use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use rayon::prelude::*;

use super::completion::Contents;
use super::derived::{self, Derived, Flow, OfDevice};
use super::error::OutputError;
use super::fields::{Primitives, primitive_fields};
use super::file_sequence::FileSequence;
use super::interface::{ExtraSamples, Output, SampleContext};
use super::keys::{Context, Keys};
use super::nodes::{Nodes, divided_bytes, divisions, solution_bytes};
use super::request::{Request, Setup};
use super::schedule::Schedule;
use crate::element::PerKind;
use crate::input::{Count, Every, Number, Problem, check, keys};
use crate::io::{self, CheckpointData, DividedPiece, Division, NamedField, Piece, Precision, Unfinished, point_fields};
use crate::solver::{Clock, Solver};

/// The key, and the name of the files.
const NAME: &str = "solution";

/// The name of the files of sub-cells.
const DIVIDED: &str = "solution-subdivided";

/// Largest number of parts along an edge: 4096 sub-cells of a hexahedron.
const MOST_PARTS: u64 = 16;

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
}}

impl Keys for SolutionKeys {
    fn request(&self, context: &Context) -> Result<Arc<dyn Request>, Problem> {
        Ok(Arc::new(SolutionRequest {
            every: context.scope.every(&context.key, &self.every, &self.every_steps)?,
            precision: self.precision,
            fields: derived::checked(&self.fields, context)?,
            parts: self.subdivide.as_ref().map(|count| parts(count, context)).transpose()?,
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
        true
    }

    fn bytes_per_file(&self, solver: &Solver) -> Option<f64> {
        let values = 6 + derived::components(&self.fields);
        let real = self.precision.bytes();
        let divided = |parts| divided_bytes(solver, &divisions(solver, parts), values, real);
        Some(solution_bytes(solver, values, real) + self.parts.map_or(0.0, divided))
    }

    fn create(&self, setup: &mut Setup) -> Result<Vec<Box<dyn Output>>, OutputError> {
        Ok(vec![Box::new(Solutions {
            schedule: Schedule::new(Some(self.every), &setup.clock),
            files: FileSequence::new(setup.directory.to_owned(), NAME),
            single: self.precision == Precision::Single,
            fields: self.fields.clone(),
            divided: self.parts.map(|parts| Divided {
                files: FileSequence::new(setup.directory.to_owned(), DIVIDED),
                parts,
                divisions: divisions(setup.solver, parts),
            }),
        })])
    }
}

/// The solution files of a run.
struct Solutions {
    schedule: Schedule,
    files: FileSequence,
    /// Whether the values are written in single precision.
    single: bool,
    fields: Vec<Derived>,
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
        derived::need_rhs(&self.fields)
    }

    fn sample(&mut self, context: &mut SampleContext) -> Result<(), OutputError> {
        let path = self.files.path();
        context.make_room(&path)?;
        let begun = Instant::now();
        let of_device = OfDevice::compute(context.solver, &self.fields)?;
        let solver = &*context.solver;
        let flow = Flow::read(solver, of_device)?;
        let state = State {
            solver,
            flow: &flow,
            more: &self.fields,
            cell_ids: (0..solver.mesh.len())
                .map(|cell| solver.mesh.global(cell) as u64)
                .collect(),
            single: self.single,
        };
        let solution = state.begin(&path, context)?;
        let mut sub_cells = None;
        if let Some(divided) = &mut self.divided {
            let path = divided.files.path();
            let file = state.begin_divided(&path, context, divided)?;
            let list = divided.files.begun(context.clock.time);
            sub_cells = Some((path, file, Contents::SubCells(list)));
        }
        if let Some((path, file, contents)) = sub_cells {
            context.complete(path, file, begun, contents)?;
        }
        let list = self.files.begun(context.clock.time);
        context.complete(path, solution, begun, Contents::Solution(list))
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
    more: &'a [Derived],
    /// Global number of each cell.
    cell_ids: Vec<u64>,
    /// Whether the values are written in single precision.
    single: bool,
}

impl State<'_> {
    /// Returns the positions of the nodes of all cells, and the fields there.
    fn at(&self, nodes: &Nodes) -> (Vec<[f64; 3]>, Vec<NamedField>) {
        let State { solver, flow, more, .. } = self;
        let geometry = &solver.geometry;
        let cells = 0..solver.mesh.len();
        let points = cells
            .clone()
            .into_par_iter()
            .flat_map_iter(|c| nodes.values(geometry.kinds[c], geometry.cell_positions(c)))
            .collect();
        let at_nodes: Vec<Primitives> = cells
            .clone()
            .into_par_iter()
            .flat_map_iter(|c| nodes.values(geometry.kinds[c], &flow.primitives(c)))
            .collect();
        let of_cell = |c: usize| {
            let at_points = flow.of_cell(more, c, &flow.primitives(c));
            let columns = at_points.iter().map(|column| nodes.values(geometry.kinds[c], column));
            columns.collect::<Vec<_>>()
        };
        let derived: Vec<Vec<Vec<[f64; 1]>>> = if more.is_empty() {
            Vec::new()
        } else {
            cells.into_par_iter().map(of_cell).collect()
        };
        let mut fields = primitive_fields(&at_nodes);
        fields.extend(derived::named(more, &derived));
        (points, fields)
    }

    /// Begins the file of the cells themselves. Collective.
    fn begin(&self, path: &Path, context: &SampleContext) -> Result<Unfinished, OutputError> {
        let solver = self.solver;
        let nodes = Nodes::new(&solver.elements, &solver.mesh.kinds_present());
        let (points, fields) = self.at(&nodes);
        let piece = Piece {
            order: solver.elements.order,
            single: self.single,
            cell_ids: &self.cell_ids,
            shapes: &solver.mesh.kinds,
            points: &points,
            fields: &point_fields(&fields),
            note: None,
        };
        let Clock { time, step, .. } = context.clock;
        Ok(io::begin_solution(
            path,
            context.world,
            time,
            step,
            &piece,
            context.provenance,
        )?)
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
            single: self.single,
            parts: *parts,
            divisions,
            cell_ids: &self.cell_ids,
            kinds: &solver.mesh.kinds,
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
        )?)
    }
}
