//! Probes: the state at points, on lines and planes over time.
//!
//! A few points make a series, a line of text for each place and sample, which any program that reads tables can group; many make a
//! file for each sample, which ParaView strings together. Appending to one large HDF5 file would leave a broken one where a
//! run is killed; files that appear whole do not.

use mpi::topology::SimpleCommunicator;
use mpi::traits::Communicator;

use super::error::OutputError;
use super::fields::primitive_fields;
use super::file_sequence::FileSequence;
use super::interface::{Columns, ExtraSamples, Output, SampleContext};
use super::request::{Request, Setup};
use super::sampler::{Sampler, Samples};
use super::schedule::Schedule;
use crate::input::Every;
use crate::io::{Surface, SurfaceCells, agree, point_fields, write_surface};

/// Points of which the samples still make a series.
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
    /// Where.
    pub points: ProbePoints,
    /// How often.
    pub every: Every,
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
        /// The edges that begin there.
        edges: [[f64; 3]; 2],
        /// Number of points along each edge, both ends included.
        counts: [usize; 2],
    },
}

impl ProbePoints {
    /// The points, those of a plane along its first edge first.
    pub fn points(&self) -> Vec<[f64; 3]> {
        // The last point exactly at the end.
        let share = |i: usize, count: usize| i as f64 / (count - 1) as f64;
        let between = |a: f64, b: f64, s: f64| if s == 1.0 { b } else { a + s * (b - a) };
        match self {
            ProbePoints::Points(points) => points.clone(),
            ProbePoints::Line { from, to, count } => (0..*count)
                .map(|i| std::array::from_fn(|d| between(from[d], to[d], share(i, *count))))
                .collect(),
            ProbePoints::Plane { origin, edges, counts } => (0..counts[0] * counts[1])
                .map(|at| {
                    let (a, b) = (share(at % counts[0], counts[0]), share(at / counts[0], counts[1]));
                    std::array::from_fn(|d| origin[d] + a * edges[0][d] + b * edges[1][d])
                })
                .collect(),
        }
    }

    /// The part of the key of a set that says where point `number` is.
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
    /// Where.
    points: Vec<[f64; 3]>,
    /// How the points hang together in files.
    cells: SurfaceCells<'static>,
    sampler: Sampler,
    schedule: Schedule,
    /// The files, if each sample makes one.
    files: Option<FileSequence>,
}

impl ProbeSet {
    /// Finds the cells of the points. Collective.
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
            sampler: Sampler::new(setup.solver, &points, key)?,
            schedule: Schedule::new(Some(probes.every), &setup.clock),
            files: in_files.then(|| FileSequence::new(setup.directory.to_owned(), &name)),
            name,
            points,
            cells,
        })
    }

    /// Writes samples that have come to rank 0. Collective.
    fn write_samples(&mut self, context: &mut SampleContext, samples: &Samples) -> Result<(), OutputError> {
        let root = context.world.rank() == 0;
        let of = |sample: usize| &samples.values[sample * self.points.len()..(sample + 1) * self.points.len()];
        let Some(files) = &mut self.files else {
            let mut rows = Vec::new();
            for (sample, &(step, time)) in samples.times.iter().enumerate().filter(|_| root) {
                for (point, (x, q)) in self.points.iter().zip(of(sample)).enumerate() {
                    rows.extend([step as f64, time, point as f64]);
                    rows.extend(x.iter().chain(q));
                }
            }
            return context.append(&self.name, &rows);
        };
        for (sample, &(step, time)) in samples.times.iter().enumerate() {
            let path = files.path();
            let written = match root {
                true => {
                    let fields = primitive_fields(of(sample));
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
                }
                false => Ok(()),
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
        let columns = COLUMNS.map(|(name, unit)| (name.to_owned(), unit)).to_vec();
        match self.files {
            Some(_) => Vec::new(),
            None => vec![(self.name.clone(), columns)],
        }
    }

    fn sample(&mut self, context: &mut SampleContext) -> Result<(), OutputError> {
        match self.sampler.take(context.solver, &context.clock)? {
            true => self.flush(context),
            false => Ok(()),
        }
    }

    fn flush(&mut self, context: &mut SampleContext) -> Result<(), OutputError> {
        let samples = self.sampler.fetch(context)?;
        match samples.times.is_empty() {
            true => Ok(()),
            false => self.write_samples(context, &samples),
        }
    }

    fn files(&mut self) -> Option<&mut FileSequence> {
        self.files.as_mut()
    }
}
