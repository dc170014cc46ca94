//! Probes: the state at points, on lines and planes over time.
//!
//! A few places make a series, a line of text for each place and sample, which any program that reads tables can group; many make a
//! file for each sample, which ParaView strings together. Appending to one large HDF5 file would leave a broken one where a
//! run is killed; files that appear whole do not.

use mpi::topology::SimpleCommunicator;
use mpi::traits::Communicator;

use super::numbered::Numbered;
use super::observer::{Besides, Columns, Moment, Observer};
use super::sampler::{Sampler, Samples};
use super::schedule::Schedule;
use super::snapshot::primitive_fields;
use super::{Clock, RunError, Solver};
use crate::case::{Case, Places, Probes};
use crate::io::{Surface, SurfaceCells, agree, point_fields, write_surface};

/// Places of which the samples still make a series.
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

/// A set of probes.
pub(super) struct ProbeSet {
    /// Name of its series or files.
    name: String,
    places: Vec<[f64; 3]>,
    cells: SurfaceCells<'static>,
    sampler: Sampler,
    schedule: Schedule,
    /// Where samples make files.
    files: Option<Numbered>,
}

impl ProbeSet {
    /// Finds the places. Collective.
    pub fn new(case: &Case, name: &str, probes: &Probes, solver: &Solver, clock: &Clock) -> Result<Self, RunError> {
        let key = |number: usize| format!("output.probes.{name}.{}", probes.places.key(number));
        let places = probes.places.points();
        let points = places.len();
        let cells = match probes.places {
            Places::Points(_) => SurfaceCells::Points(points),
            Places::Line { .. } => SurfaceCells::Line(points),
            Places::Plane { counts, .. } => SurfaceCells::Rows { points, row: counts[0] },
        };
        let name = format!("probes_{name}");
        let in_files = points > MOST_OF_SERIES || matches!(cells, SurfaceCells::Rows { .. });
        Ok(ProbeSet {
            sampler: Sampler::new(solver, &places, key)?,
            schedule: Schedule::new(Some(probes.every), clock),
            files: in_files.then(|| Numbered::new(case.output.directory.clone(), &name)),
            name,
            places,
            cells,
        })
    }

    fn write(&mut self, moment: &mut Moment, samples: &Samples) -> Result<(), RunError> {
        let root = moment.world.rank() == 0;
        let of = |sample: usize| &samples.values[sample * self.places.len()..(sample + 1) * self.places.len()];
        let Some(files) = &mut self.files else {
            let mut rows = Vec::new();
            for (sample, &(step, time)) in samples.moments.iter().enumerate().filter(|_| root) {
                for (point, (x, q)) in self.places.iter().zip(of(sample)).enumerate() {
                    rows.extend([step as f64, time, point as f64]);
                    rows.extend(x.iter().chain(q));
                }
            }
            return moment.append(&self.name, &rows);
        };
        for (sample, &(step, time)) in samples.moments.iter().enumerate() {
            let path = files.path();
            let written = match root {
                true => {
                    let fields = primitive_fields(of(sample));
                    let surface = Surface {
                        single: false,
                        points: &self.places,
                        cells: self.cells,
                        fields: &point_fields(&fields),
                        numbers: &[],
                        note: None,
                    };
                    let alone = SimpleCommunicator::self_comm();
                    write_surface(&path, &alone, time, step, &surface, moment.provenance)
                }
                false => Ok(()),
            };
            agree(moment.world, written)?;
            files.wrote(time, moment.world)?;
            moment.files.push(path);
        }
        Ok(())
    }
}

impl Observer for ProbeSet {
    fn name(&self) -> &'static str {
        "probes"
    }

    fn schedule(&mut self) -> &mut Schedule {
        &mut self.schedule
    }

    fn besides(&self) -> Besides {
        Besides::Start
    }

    fn series(&self) -> Vec<(String, Columns)> {
        let columns = COLUMNS.map(|(name, unit)| (name.to_owned(), unit)).to_vec();
        match self.files {
            Some(_) => Vec::new(),
            None => vec![(self.name.clone(), columns)],
        }
    }

    fn observe(&mut self, moment: &mut Moment) -> Result<(), RunError> {
        match self.sampler.take(moment.solver, &moment.clock)? {
            true => self.settle(moment),
            false => Ok(()),
        }
    }

    fn settle(&mut self, moment: &mut Moment) -> Result<(), RunError> {
        let samples = self.sampler.fetch(moment)?;
        match samples.moments.is_empty() {
            true => Ok(()),
            false => self.write(moment, &samples),
        }
    }

    fn files(&mut self) -> Option<&mut Numbered> {
        self.files.as_mut()
    }
}
