//! Probes: the state at points, on lines and planes over time.
//!
//! The samples of a few points are written to a series, one line for each point and sample, which any program that
//! reads tables can group. The samples of many points are written to a file each, which ParaView opens as a sequence. A
//! single large HDF5 file that grows would be left broken when a run is killed; complete files are not.

use std::sync::Arc;

use mpi::topology::SimpleCommunicator;
use mpi::traits::Communicator;

use super::error::OutputError;
use super::fields::primitive_fields;
use super::file_sequence::FileSequence;
use super::interface::{Columns, ExtraSamples, Output, SampleContext};
use super::keys::{Context, Keys};
use super::request::{Request, Setup};
use super::sampler::{Sampler, Samples};
use super::schedule::Schedule;
use crate::input::{Count, Every, Number, Problem, Scope, check, keys};
use crate::io::{NamedField, Surface, SurfaceCells, agree, point_fields, write_surface};
use crate::vector::{dot, length};

/// Largest number of points of a set. More would fill the memory of rank 0.
const MOST_POINTS: f64 = 1e7;
/// Sine of the angle between the edges of a plane below which the edges count as parallel.
const FLATTEST: f64 = 1e-6;
/// Largest number of points whose samples are written to a series.
const MOST_OF_SERIES: usize = 1000;

/// Columns of a series of probes.
const COLUMNS: [(&str, &str); 12] = [
    ("step", "-"),
    ("time", "s"),
    ("point", "-"),
    ("x", "m"),
    ("y", "m"),
    ("z", "m"),
    ("rho", "kg/m^3"),
    ("u", "m/s"),
    ("v", "m/s"),
    ("w", "m/s"),
    ("p", "Pa"),
    ("T", "K"),
];

/// A set of probes that a case asks for.
#[derive(Debug, Clone, PartialEq)]
pub struct ProbesRequest {
    /// Name of the set.
    pub name: String,
    /// The points.
    pub points: ProbePoints,
    /// The period of the samples.
    pub every: Every,
}

keys! {
/// A set of points: exactly one of `points`, `line` and `plane`, and exactly one of `every` and `every-steps`.
ProbesKeys as "a mapping with the keys `points`, `line` or `plane` and `every` or `every-steps`" {
    /// Points (length).
    pub points: Option<Vec<[Number; 3]>>,
    /// Points on a straight line, at equal distances.
    pub line: Option<LineKeys>,
    /// Points on a plane, at equal distances.
    pub plane: Option<PlaneKeys>,
    /// Period in time, above 0; steps are shortened to meet it.
    pub every: Option<Number>,
    /// Period in steps, at least 1.
    pub every_steps: Option<Count>,
}}

keys! {
/// A line.
LineKeys as "a mapping with the keys `from`, `to` and `count`" {
    /// First point (length).
    pub from: [Number; 3],
    /// Last point (length).
    pub to: [Number; 3],
    /// Number of points, both ends included: at least 2.
    pub count: Count,
}}

keys! {
/// A plane, or a parallelogram.
PlaneKeys as "a mapping with the keys `origin`, `edges` and `counts`" {
    /// A corner (length).
    pub origin: [Number; 3],
    /// The two edges that begin there (length).
    pub edges: [[Number; 3]; 2],
    /// Number of points along each edge, both ends included: at least 2.
    pub counts: [Count; 2],
}}

impl Keys for ProbesKeys {
    const NOUN: &'static str = "a set of probes";

    fn request(&self, context: &Context) -> Result<Arc<dyn Request>, Problem> {
        let scope = context.scope;
        let points = match (&self.points, &self.line, &self.plane) {
            (Some(points), None, None) => ProbePoints::Points(single(scope, &context.at("points"), points)?),
            (None, Some(keys), None) => line(scope, &context.at("line"), keys)?,
            (None, None, Some(keys)) => plane(scope, &context.at("plane"), keys)?,
            _ => {
                return Err(
                    Problem::new("exactly one of the keys `points`, `line` and `plane` is needed").key(&context.key),
                );
            }
        };
        Ok(Arc::new(ProbesRequest {
            name: context.name.to_owned(),
            points,
            every: scope.every(&context.key, &self.every, &self.every_steps)?,
        }))
    }
}

fn single(scope: &Scope, key: &str, points: &[[Number; 3]]) -> Result<Vec<[f64; 3]>, Problem> {
    if points.is_empty() {
        return Err(Problem::new("`points` is an empty list").key(key));
    }
    let all = points.iter().enumerate();
    all.map(|(i, x)| scope.numbers(&format!("{key}[{i}]"), x)).collect()
}

fn line(scope: &Scope, key: &str, keys: &LineKeys) -> Result<ProbePoints, Problem> {
    let from = scope.numbers(&format!("{key}.from"), &keys.from)?;
    let to = scope.numbers(&format!("{key}.to"), &keys.to)?;
    if from == to {
        return Err(Problem::new("the line ends where it begins").key(format!("{key}.to")));
    }
    Ok(ProbePoints::Line {
        from,
        to,
        count: count(scope, &format!("{key}.count"), &keys.count)?,
    })
}

fn plane(scope: &Scope, key: &str, keys: &PlaneKeys) -> Result<ProbePoints, Problem> {
    let edge = |i: usize| scope.numbers(&format!("{key}.edges[{i}]"), &keys.edges[i]);
    let along = |i: usize| count(scope, &format!("{key}.counts[{i}]"), &keys.counts[i]);
    let counts = [along(0)?, along(1)?];
    let points = counts[0] as f64 * counts[1] as f64;
    check(
        &format!("{key}.counts"),
        points,
        points <= MOST_POINTS,
        "at most 10,000,000 points in all",
    )?;
    let edges = [edge(0)?, edge(1)?];
    let [a, b] = edges.map(|edge| edge.map(|x| x / length(edge)));
    let sine = (1.0 - dot(a, b).powi(2)).sqrt();
    // NaN where an edge has no length.
    if sine.is_nan() || sine < FLATTEST {
        let help = "two edges of the parallelogram that begin at its origin: `[[1, 0, 0], [0, 0, 2]]`";
        return Err(Problem::new("the edges do not span a plane")
            .key(format!("{key}.edges"))
            .help(help));
    }
    Ok(ProbePoints::Plane {
        origin: scope.numbers(&format!("{key}.origin"), &keys.origin)?,
        edges,
        counts,
    })
}

fn count(scope: &Scope, key: &str, keys: &Count) -> Result<usize, Problem> {
    let value = scope.count(key, keys)? as f64;
    check(key, value, (2.0..=MOST_POINTS).contains(&value), "from 2 to 10,000,000").map(|n| n as usize)
}

impl Request for ProbesRequest {
    fn label(&self) -> String {
        format!("probes {}", self.name)
    }

    fn every(&self) -> Every {
        self.every
    }

    fn create(&self, setup: &mut Setup) -> Result<Vec<Box<dyn Output>>, OutputError> {
        Ok(vec![Box::new(ProbeSet::new(setup, self)?)])
    }

    fn fingerprints(&self) -> Vec<(String, String)> {
        vec![(format!("output.probes.{}", self.name), format!("{:?}", self.points))]
    }
}

/// The points of a set.
#[derive(Debug, Clone, PartialEq)]
pub enum ProbePoints {
    /// Single points.
    Points(Vec<[f64; 3]>),
    /// Points on a line.
    Line {
        /// First point.
        from: [f64; 3],
        /// Last point.
        to: [f64; 3],
        /// Number of points, both ends included.
        count: usize,
    },
    /// Points on a parallelogram.
    Plane {
        /// A corner.
        origin: [f64; 3],
        /// The two edges that begin at the origin.
        edges: [[f64; 3]; 2],
        /// Number of points along each edge, both ends included.
        counts: [usize; 2],
    },
}

impl ProbePoints {
    /// Returns the points, those of a plane along its first edge first.
    pub fn points(&self) -> Vec<[f64; 3]> {
        // The last point lies exactly at the end.
        let share = |i: usize, count: usize| i as f64 / (count - 1) as f64;
        let between = |a: f64, b: f64, s: f64| if s == 1.0 { b } else { a + s * (b - a) };
        match self {
            ProbePoints::Points(points) => points.clone(),
            ProbePoints::Line { from, to, count } => (0..*count)
                .map(|i| std::array::from_fn(|d| between(from[d], to[d], share(i, *count))))
                .collect(),
            ProbePoints::Plane { origin, edges, counts } => (0..counts[0] * counts[1])
                .map(|at| {
                    let a = share(at % counts[0], counts[0]);
                    let b = share(at / counts[0], counts[1]);
                    std::array::from_fn(|d| origin[d] + a * edges[0][d] + b * edges[1][d])
                })
                .collect(),
        }
    }

    /// Returns the part of the key of a set that gives point `number`.
    pub fn key(&self, number: usize) -> String {
        match self {
            ProbePoints::Points(_) => format!("points[{number}]"),
            ProbePoints::Line { .. } => "line".to_owned(),
            ProbePoints::Plane { .. } => "plane".to_owned(),
        }
    }
}

/// Samples a set of probes.
struct ProbeSet {
    /// Name of its series or files.
    name: String,
    /// The points.
    points: Vec<[f64; 3]>,
    /// Names of the passive scalars.
    scalars: Vec<String>,
    /// The cells that connect the points in files.
    cells: SurfaceCells<'static>,
    sampler: Sampler,
    schedule: Schedule,
    /// The files, if each sample is written to one.
    files: Option<FileSequence>,
}

impl ProbeSet {
    /// Finds the cells that contain the points. Collective.
    fn new(setup: &Setup, probes: &ProbesRequest) -> Result<Self, OutputError> {
        let name = &probes.name;
        let key = |number: usize| format!("output.probes.{name}.{}", probes.points.key(number));
        let points = probes.points.points();
        let count = points.len();
        let cells = match probes.points {
            ProbePoints::Points(_) => SurfaceCells::Points(count),
            ProbePoints::Line { .. } => SurfaceCells::Line(count),
            ProbePoints::Plane { counts, .. } => SurfaceCells::Rows {
                points: count,
                row: counts[0],
            },
        };
        let name = format!("probes_{name}");
        let in_files = count > MOST_OF_SERIES || matches!(cells, SurfaceCells::Rows { .. });
        Ok(ProbeSet {
            sampler: Sampler::new(setup.solver, &points, key)?.with_scalars(setup.solver),
            scalars: setup.solver.scalar_names().map(str::to_owned).collect(),
            schedule: Schedule::new(Some(probes.every), &setup.clock),
            files: in_files.then(|| FileSequence::new(setup.directory.to_owned(), &name)),
            name,
            points,
            cells,
        })
    }

    /// Writes samples that have arrived at rank 0. Collective.
    fn write_samples(&mut self, context: &mut SampleContext, samples: &Samples) -> Result<(), OutputError> {
        let root = context.world.rank() == 0;
        let range = |sample: usize| sample * self.points.len()..(sample + 1) * self.points.len();
        let of = |sample: usize| &samples.values[range(sample)];
        let scalar = |number: usize, sample: usize| {
            let values = samples.scalars[range(sample)].iter();
            values.map(|values| values[number]).collect::<Vec<f64>>()
        };
        let Some(files) = &mut self.files else {
            let mut rows = Vec::new();
            for (sample, &(step, time)) in samples.times.iter().enumerate().filter(|_| root) {
                let of_scalars: Vec<Vec<f64>> = (0..self.scalars.len()).map(|number| scalar(number, sample)).collect();
                for (point, (x, q)) in self.points.iter().zip(of(sample)).enumerate() {
                    rows.extend([step as f64, time, point as f64]);
                    rows.extend(x.iter().chain(q));
                    rows.extend(of_scalars.iter().map(|values| values[point]));
                }
            }
            return context.append(&self.name, &rows);
        };
        for (sample, &(step, time)) in samples.times.iter().enumerate() {
            let path = files.path();
            let written = if root {
                let mut fields = primitive_fields(of(sample));
                let scalars = self.scalars.iter().enumerate();
                fields.extend(scalars.map(|(number, name)| NamedField::scalar(name.clone(), scalar(number, sample))));
                let surface = Surface {
                    single: false,
                    points: &self.points,
                    cells: self.cells,
                    fields: &point_fields(&fields),
                    numbers: &[],
                    note: None,
                };
                let alone = SimpleCommunicator::self_comm();
                write_surface(&path, &alone, time, step, &surface, context.provenance)
            } else {
                Ok(())
            };
            agree(context.world, written)?;
            files.wrote(time, context.world)?;
            context.files.push(path);
        }
        Ok(())
    }
}

impl Output for ProbeSet {
    fn name(&self) -> &'static str {
        "probes"
    }

    fn schedule(&mut self) -> &mut Schedule {
        &mut self.schedule
    }

    fn extra_samples(&self) -> ExtraSamples {
        ExtraSamples::Start
    }

    fn series(&self) -> Vec<(String, Columns)> {
        let scalars = self.scalars.iter().map(|name| (name.clone(), "-"));
        let columns = COLUMNS.map(|(name, unit)| (name.to_owned(), unit)).into_iter();
        let columns = columns.chain(scalars).collect();
        match self.files {
            Some(_) => Vec::new(),
            None => vec![(self.name.clone(), columns)],
        }
    }

    fn sample(&mut self, context: &mut SampleContext) -> Result<(), OutputError> {
        self.sampler.take(context.solver, &context.clock)
    }

    fn flush(&mut self, context: &mut SampleContext) -> Result<(), OutputError> {
        self.sampler.fetch(context.solver)?;
        self.digest(context)
    }

    fn digest(&mut self, context: &mut SampleContext) -> Result<(), OutputError> {
        let Some(samples) = self.sampler.arrived(context) else {
            return Ok(());
        };
        self.write_samples(context, &samples)
    }

    fn files(&mut self) -> Option<&mut FileSequence> {
        self.files.as_mut()
    }
}
