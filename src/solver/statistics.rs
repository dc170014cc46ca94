//! Statistics of turbulence as an observer: samples in time, what a checkpoint keeps of them, and the files.
//!
//! A sample stands for the time since the one before it, the first for that since `from`, or since the run began if that is later;
//! its weight is that time. Samples are taken at the ends of steps that the schedule names, whether or not the run stops there, so
//! neither stopping nor going on changes a bit: the sums stay in double precision on the device, and checkpoints keep them so.

use std::path::PathBuf;

use super::observer::{Moment, Notes, Observer};
use super::schedule::Schedule;
use super::{Clock, RunError, Solver, mean_solution};
use crate::case::{Case, StatisticsOutput};
use crate::device::statistics::Slots;
use crate::element::ElementKind;
use crate::input::AXES;
use crate::io::{Layout, agree};
use crate::monitor::Boundaries;
use crate::monitor::statistics::{Places, Profile, QUANTITIES, Span, Wall, WallSurface, in_lines, in_words, slots_of};
use crate::physics::Boundary;

/// Name of the notes, the times, and what walls have felt.
const NAME: &str = "statistics";
const TIMES: &str = "statistics.times";
const WALLS: &str = "statistics.walls";
/// The files, of means over two directions and of others.
const PROFILES: [&str; 2] = ["statistics.csv", "statistics.h5"];
const FIELDS: &str = "statistics.vtkhdf";

/// The sums of a run, and since when they are gathered.
pub(super) struct Statistics {
    output: StatisticsOutput,
    schedule: Schedule,
    slots: Slots,
    /// What tells flows through boundaries, where there are walls.
    boundaries: Option<Boundaries>,
    walls: Vec<WallSurface>,
    span: Span,
    /// Made for the first report.
    places: Option<Places>,
    /// Whether files have been written.
    written: bool,
}

/// The slots of a case; refused where cells do not lie along the directions. Collective.
fn slots(output: &StatisticsOutput, solver: &Solver) -> Result<Slots, RunError> {
    let slots = slots_of(&solver.mesh, &solver.geometry, solver.elements.order, output.average);
    let slots = slots.map_err(|error| RunError::Average(error.to_string()));
    solver.ranks.agree(slots, |_| RunError::Elsewhere)
}

impl Solver {
    /// What statistics of a case are and how large; refused where they cannot be taken. Collective.
    pub fn describe_statistics(&self, case: &Case) -> Result<Option<String>, RunError> {
        let Some(output) = &case.output.statistics else {
            return Ok(None);
        };
        let slots = slots(output, self)?;
        let mut counts = [0u64, 0];
        for &kind in &self.mesh.kinds {
            counts[0] += slots.slots[kind as usize] as u64;
            counts[1] += slots.sums_of(kind) as u64;
        }
        self.ranks.sums(&mut counts);
        let files = match output.directions() {
            2 => PROFILES.join(" and "),
            _ => FIELDS.to_owned(),
        };
        let over = match output.directions() {
            0 => "points".to_owned(),
            1 => format!("lines along {}", in_words(output.average)),
            _ => format!("planes along {}", in_words(output.average)),
        };
        Ok(Some(format!(
            "{} from t = {} on: sums of {} products over {over}, {} in all, {:.1} MB; to {files}",
            output.every,
            output.from,
            QUANTITIES.len(),
            counts[0],
            counts[1] as f64 * 8e-6
        )))
    }
}

impl Statistics {
    /// Begins with sums of zero. Collective.
    pub fn new(output: &StatisticsOutput, solver: &mut Solver, clock: &Clock) -> Result<Self, RunError> {
        let slots = slots(output, solver)?;
        let begun = solver.device.begin_statistics(&slots).map_err(RunError::from);
        solver.ranks.agree(begun, |_| RunError::Elsewhere)?;
        let names = solver.mesh.boundary_names.iter().enumerate();
        let walls: Vec<WallSurface> = names
            .filter_map(|(number, name)| {
                let velocity = match &solver.boundaries[number] {
                    Boundary::NoSlipAdiabatic { velocity } | Boundary::NoSlipIsothermal { velocity, .. } => velocity,
                    _ => return None,
                };
                let constant = velocity.iter().all(|v| v.is_constant());
                Some(WallSurface {
                    name: name.clone(),
                    number,
                    velocity: constant.then(|| velocity.each_ref().map(|v| v.eval([0.0; 3], 0.0))),
                    sums: [0.0; 4],
                })
            })
            .collect();
        let boundaries = (!walls.is_empty()).then(|| {
            let plan = solver.device.plan();
            Boundaries::new(plan, &solver.mesh, &solver.geometry, &solver.elements, &solver.ranks)
        });
        let from = output.from.max(clock.time);
        Ok(Statistics {
            output: *output,
            schedule: Schedule::after(Some(output.every), output.from, clock),
            slots,
            boundaries,
            walls,
            span: Span {
                samples: 0,
                from,
                to: from,
            },
            places: None,
            written: false,
        })
    }

    /// What has to be the same for sums to be gone on with.
    fn kind(&self) -> serde_json::Value {
        let walls: Vec<&str> = self.walls.iter().map(|wall| wall.name.as_str()).collect();
        serde_json::json!({
            "average": in_words(self.output.average),
            "from": format!("{}", self.output.from),
            "factors": self.slots.factors,
            "walls": walls,
        })
    }

    fn layout(&self) -> Layout {
        Layout::Cells(ElementKind::ALL.map(|kind| self.slots.sums_of(kind)))
    }

    /// The sums on the device. Collective.
    fn sums(&self, solver: &Solver) -> Result<Vec<f64>, RunError> {
        let sums = solver.device.statistics().map_err(RunError::from);
        solver.ranks.agree(sums, |_| RunError::Elsewhere)
    }

    /// What walls have felt. Collective.
    fn wall_means(&self, sums: &[f64], moment: &Moment) -> Vec<Wall> {
        let solver = &*moment.solver;
        let (plan, gas) = (solver.device.plan(), &moment.case.gas);
        let (geometry, elements, ranks) = (&solver.geometry, &solver.elements, &solver.ranks);
        let time = self.span.time();
        let of = |wall: &WallSurface| wall.mean(time, &self.slots, sums, plan, geometry, elements, gas, ranks);
        self.walls.iter().map(of).collect()
    }

    /// Writes profiles. Collective.
    fn write_profile(&mut self, sums: &[f64], moment: &Moment) -> Result<Vec<PathBuf>, RunError> {
        let walls = self.wall_means(sums, moment);
        let solver = &*moment.solver;
        let average = self.output.average;
        let places = self
            .places
            .get_or_insert_with(|| Places::new(&self.slots, &solver.geometry, average, &solver.ranks));
        let means = places.means(sums, &solver.ranks);
        let axis = (0..3).find(|&d| !average[d]).map_or("", |d| AXES[d]);
        let at: Vec<f64> = places.at.iter().map(|x| x[0]).collect();
        let profile = Profile {
            axis,
            at: &at,
            means: &means,
            span: self.span,
            walls: &walls,
        };
        let directory = &moment.case.output.directory;
        let written = match solver.ranks.rank() {
            0 => profile.write(directory, moment.provenance),
            _ => Ok(()),
        };
        agree(moment.world, written)?;
        Ok(PROFILES.map(|name| directory.join(name)).into())
    }

    /// Writes fields. Collective.
    fn write_fields(&mut self, sums: &[f64], moment: &Moment) -> Result<Vec<PathBuf>, RunError> {
        let solver = &*moment.solver;
        if self.output.directions() > 0 && self.places.is_none() {
            let average = self.output.average;
            self.places = Some(Places::new(&self.slots, &solver.geometry, average, &solver.ranks));
        }
        let note = in_lines(self.span, &self.wall_means(sums, moment)).join("\n");
        let path = moment.case.output.directory.join(FIELDS);
        mean_solution::write(&path, solver, &self.slots, self.places.as_ref(), sums, &note, moment)?;
        Ok(vec![path])
    }
}

impl Observer for Statistics {
    fn name(&self) -> &'static str {
        NAME
    }

    fn schedule(&mut self) -> &mut Schedule {
        &mut self.schedule
    }

    fn needs_rhs(&self) -> bool {
        self.boundaries.is_some()
    }

    fn observe(&mut self, moment: &mut Moment) -> Result<(), RunError> {
        let weight = moment.clock.time - self.span.to;
        if weight <= 0.0 {
            return Ok(());
        }
        let solver = &mut *moment.solver;
        solver.device.add_to_statistics(weight)?;
        if let Some(boundaries) = &self.boundaries {
            let fluxes = boundaries.take(solver.device.as_mut(), &solver.ranks)?;
            for wall in &mut self.walls {
                wall.add(weight, &fluxes[wall.number]);
            }
        }
        self.span.samples += 1;
        self.span.to = moment.clock.time;
        Ok(())
    }

    fn report(&mut self, moment: &mut Moment) -> Result<(), RunError> {
        if self.span.samples == 0 {
            moment.say_if_empty(NAME, self.output.from);
            return Ok(());
        }
        let sums = self.sums(moment.solver)?;
        let (paths, others) = match self.output.directions() {
            2 => (self.write_profile(&sums, moment)?, &[FIELDS][..]),
            _ => (self.write_fields(&sums, moment)?, &PROFILES[..]),
        };
        let stale = others.iter().map(|name| moment.case.output.directory.join(name));
        if !std::mem::replace(&mut self.written, true) && moment.solver.ranks.rank() == 0 {
            for path in stale.filter(|path| path.exists()) {
                let path = path.display();
                tracing::warn!("{path} is of means over other directions, and no longer written");
            }
        }
        let new: Vec<PathBuf> = paths.into_iter().filter(|path| !moment.files.contains(path)).collect();
        moment.files.extend(new);
        Ok(())
    }

    fn remember(&mut self, solver: &Solver, notes: &mut Notes) -> Result<(), RunError> {
        let memory = &mut notes.memory;
        memory.parts.insert(
            NAME.to_owned(),
            serde_json::json!({"of": self.kind(), "samples": self.span.samples}),
        );
        memory
            .arrays
            .insert(TIMES.to_owned(), vec![self.span.from, self.span.to]);
        let walls = self.walls.iter().flat_map(|wall| wall.sums).collect();
        memory.arrays.insert(WALLS.to_owned(), walls);
        let field = (self.layout(), self.sums(solver)?);
        notes.fields.insert(NAME.to_owned(), field);
        Ok(())
    }

    fn recall(&mut self, moment: &mut Moment, notes: &Notes) -> Result<bool, RunError> {
        let solver = &mut *moment.solver;
        let memory = &notes.memory;
        let (Some(words), Some(times)) = (memory.parts.get(NAME), memory.arrays.get(TIMES)) else {
            return Ok(false);
        };
        let samples = words["samples"].as_u64().unwrap_or_default();
        let first = solver.ranks.rank() == 0;
        if words["of"] != self.kind() {
            if first && samples > 0 {
                tracing::warn!(
                    "output.statistics begins anew: the {samples} samples of the checkpoint were averaged over [{}] from t = {}, \
                     or at other walls",
                    words["of"]["average"].as_str().unwrap_or_default(),
                    words["of"]["from"].as_str().unwrap_or_default()
                );
            }
            return Ok(true);
        }
        let field = notes.fields.get(NAME).filter(|(layout, _)| *layout == self.layout());
        let (Some((_, sums)), &[from, to], Some(walls)) = (field, times.as_slice(), memory.arrays.get(WALLS)) else {
            if first {
                tracing::warn!(
                    "output.statistics begins anew: the {samples} samples of the checkpoint are of another order"
                );
            }
            return Ok(true);
        };
        let set = solver.device.set_statistics(sums).map_err(RunError::from);
        solver.ranks.agree(set, |_| RunError::Elsewhere)?;
        self.span = Span { samples, from, to };
        for (wall, sums) in self.walls.iter_mut().zip(walls.chunks(4)) {
            wall.sums.copy_from_slice(sums);
        }
        Ok(true)
    }
}
