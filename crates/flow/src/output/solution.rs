//! Solution files: density, velocity, pressure and temperature of the whole mesh.

use std::path::Path;
use std::sync::Arc;

use rayon::prelude::*;

use super::derived::{self, Derived, Flow, OfDevice};
use super::error::OutputError;
use super::fields::{Primitives, primitive_fields};
use super::file_sequence::FileSequence;
use super::interface::{ExtraSamples, Output, SampleContext};
use super::keys::{Context, Keys};
use super::nodes::{Nodes, solution_bytes};
use super::request::{Request, Setup};
use super::schedule::Schedule;
use crate::format::physical_time;
use crate::input::{Count, Every, Number, Problem, keys};
use crate::io::{self, Piece, Precision, point_fields};
use crate::solver::Solver;

/// The key, and the name of the files.
const NAME: &str = "solution";

/// Solution files that a case asks for.
#[derive(Debug, Clone, PartialEq)]
pub struct SolutionRequest {
    /// The period of the files.
    pub every: Every,
    /// Precision in the file.
    pub precision: Precision,
    /// Fields besides density, velocity, pressure and temperature.
    pub fields: Vec<Derived>,
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
}}

impl Keys for SolutionKeys {
    fn request(&self, context: &Context) -> Result<Arc<dyn Request>, Problem> {
        Ok(Arc::new(SolutionRequest {
            every: context.scope.every(&context.key, &self.every, &self.every_steps)?,
            precision: self.precision,
            fields: derived::checked(&self.fields, context)?,
        }))
    }
}

impl Request for SolutionRequest {
    fn label(&self) -> String {
        "solutions".to_owned()
    }

    fn every(&self) -> Every {
        self.every
    }

    fn bytes_per_file(&self, solver: &Solver) -> Option<f64> {
        Some(solution_bytes(
            solver,
            6 + derived::components(&self.fields),
            self.precision.bytes(),
        ))
    }

    fn create(&self, setup: &mut Setup) -> Result<Vec<Box<dyn Output>>, OutputError> {
        Ok(vec![Box::new(Solutions {
            schedule: Schedule::new(Some(self.every), &setup.clock),
            files: FileSequence::new(setup.directory.to_owned(), NAME),
            single: self.precision == Precision::Single,
            fields: self.fields.clone(),
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
        write(&path, context, self.single, &self.fields)?;
        self.files.wrote(context.clock.time, context.world)?;
        let time = physical_time(context.clock.time);
        (context.log)(format_args!("t {time}: wrote {}", path.display()));
        context.files.push(path.clone());
        *context.last_state = Some(path);
        Ok(())
    }

    fn files(&mut self) -> Option<&mut FileSequence> {
        Some(&mut self.files)
    }
}

/// Writes the present state. Collective.
fn write(path: &Path, context: &mut SampleContext, single: bool, more: &[Derived]) -> Result<(), OutputError> {
    let of_device = OfDevice::compute(context.solver, more)?;
    let solver = &*context.solver;
    let geometry = &solver.geometry;
    let flow = &Flow::read(solver, of_device)?;
    let nodes = Nodes::new(&solver.elements, &solver.mesh.kinds_present());
    let cells = 0..solver.mesh.len();
    let points: Vec<[f64; 3]> = cells
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
        cells.clone().into_par_iter().map(of_cell).collect()
    };
    let cell_ids: Vec<u64> = cells.map(|cell| solver.mesh.global(cell) as u64).collect();
    let mut fields = primitive_fields(&at_nodes);
    fields.extend(derived::named(more, &derived));
    let piece = Piece {
        order: solver.elements.order,
        single,
        cell_ids: &cell_ids,
        shapes: &solver.mesh.kinds,
        points: &points,
        fields: &point_fields(&fields),
        note: None,
    };
    let clock = &context.clock;
    Ok(io::write_solution(
        path,
        context.world,
        clock.time,
        clock.step,
        &piece,
        context.provenance,
    )?)
}
