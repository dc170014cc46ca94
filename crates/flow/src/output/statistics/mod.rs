//! Statistics of turbulence: means over time, and over directions in which the flow is homogeneous, of products of
//! density, velocity, pressure and temperature, from which stresses, fluxes and third moments follow.
//!
//! A device sums the products over time, for each slot of each cell (ptx/kernels/statistics.cu). `products` lists them,
//! `slots` finds the slots, `bins` adds those of all cells at the same place, `moments` computes moments about the mean
//! from the sums, `budget` the terms of turbulent kinetic energy, in profiles with the derivatives of `layers`,
//! `values` has both, `walls` averages the stress and heat flux at walls, and `profile` and `field` write the files.
//! Means are not weighted with the density where the name does not say so. Profiles, the means over two directions,
//! have statistical errors, for which `batches` keeps the sums at the ends of batches.
//!
//! The weight of a sample is the time since the sample before it; that of the first is the time since `from`, or since
//! the start of the run if that is later. Samples are taken at the ends of steps that the schedule selects, whether or
//! not the run stops there. Neither stopping nor restarting changes a bit: the sums are kept in double precision on the
//! device and in checkpoints.

mod batches;
mod bins;
mod budget;
mod continued;
mod field;
mod keys;
mod layers;
mod moments;
mod products;
mod profile;
mod slots;
mod values;
mod walls;

use std::path::PathBuf;

use rayon::prelude::*;

use super::error::OutputError;
use super::interface::{Output, SampleContext};
use super::nodes::{cells_bytes, fields_bytes};
use super::request::{Request, Setup};
use super::schedule::Schedule;
use crate::device::statistics::Slots;
use crate::element::ElementKind;
use crate::input::{AXES, Every};
use crate::io::{CheckpointData, Layout, agree};
use crate::solver::{BoundaryFluxes, Solver};

use batches::Batches;
use bins::Bins;
use budget::{Budget, TERMS};
pub(crate) use keys::StatisticsKeys;
pub use keys::StatisticsRequest;
use keys::{FIELDS, HDF5, TABLE};
use layers::Layers;
use profile::{Errors, Profile, Span, in_lines, results};
use slots::{in_words, slots_per_cell};
use values::Values;
use walls::{Wall, WallSurface, reynolds_number};

pub use products::{Contents, Products};
pub use slots::slots_of;

/// Names of the section, the times and the sums of walls in a checkpoint.
const NAME: &str = "statistics";
const TIMES: &str = "statistics.times";
const WALLS: &str = "statistics.walls";

/// The sums of a run, and the times of their samples.
struct Statistics {
    request: StatisticsRequest,
    /// Directory of the files.
    directory: PathBuf,
    schedule: Schedule,
    slots: Slots,
    /// The fluxes through boundaries, if there are walls.
    boundaries: Option<BoundaryFluxes>,
    walls: Vec<WallSurface>,
    span: Span,
    /// Created for the first file, or the first sample of a profile.
    bins: Option<Bins>,
    /// What the files have of each place.
    values: Values,
    /// The batches of a profile, from the first sample on.
    batches: Option<Batches>,
    /// Whether files have been written.
    written: bool,
}

/// Finds the slots of a case. Cells that do not lie along the directions are an error. Collective.
fn slots(request: &StatisticsRequest, solver: &Solver) -> Result<Slots, OutputError> {
    let order = solver.elements.order;
    let products = request.products();
    let slots = slots_of(&solver.mesh, &solver.geometry, order, request.average, &products);
    let slots = slots.map_err(|error| OutputError::Refused {
        key: "output.statistics.average".to_owned(),
        what: error.to_string(),
    });
    solver.ranks.agree(slots, |_| OutputError::OnOtherRank)
}

/// Refuses means over a direction in which the cells of one place move past those of another.
fn refuse_two_frames(request: &StatisticsRequest, solver: &Solver) -> Result<(), OutputError> {
    let mut averaged = (0..3).filter(|&direction| request.average[direction]);
    let across = averaged.find_map(|direction| Some((direction, solver.motions.across(direction)?)));
    across.map_or(Ok(()), |(direction, motion)| {
        Err(OutputError::Refused {
            key: "output.statistics.average".to_owned(),
            what: format!(
                "means over {} would be of blocks that move past each other at the interface {} to {}, whose \
                 velocities are of two frames",
                AXES[direction], motion.names[0], motion.names[1]
            ),
        })
    })
}

impl Request for StatisticsRequest {
    fn label(&self) -> String {
        NAME.to_owned()
    }

    fn every(&self) -> Every {
        self.every
    }

    fn create(&self, setup: &mut Setup) -> Result<Vec<Box<dyn Output>>, OutputError> {
        Ok(vec![Box::new(Statistics::new(setup, self)?)])
    }

    fn doubles_per_cell(&self, kind: ElementKind, order: usize) -> usize {
        self.products().len() * slots_per_cell(kind, order, self.directions())
    }

    fn bytes_per_file(&self, solver: &Solver) -> Option<f64> {
        let gradients = if self.gradients { field::GRADIENTS } else { 0 };
        let budget = if self.has_budget() { TERMS.len() } else { 0 };
        let kinds = &solver.mesh.kinds;
        let fields = self.columns().len() + gradients + budget;
        (self.directions() < 2).then(|| cells_bytes(solver, kinds, 8) + fields_bytes(solver, kinds, fields, 8))
    }

    fn replaces_its_file(&self) -> bool {
        true
    }

    fn samples_from(&self) -> Option<f64> {
        Some(self.from)
    }

    fn describe(&self, solver: &Solver) -> Result<Option<String>, OutputError> {
        let slots = slots(self, solver)?;
        let mut counts = [0u64, 0];
        for &kind in &solver.mesh.kinds {
            counts[0] += slots.slots[kind as usize] as u64;
            counts[1] += slots.sums_of(kind) as u64;
        }
        solver.ranks.allreduce_sum(&mut counts);
        let files = self.files().join(" and ");
        let over = match self.directions() {
            0 => "points".to_owned(),
            1 => format!("lines along {}", in_words(self.average)),
            _ => format!("planes along {}", in_words(self.average)),
        };
        Ok(Some(format!(
            "{} from t = {} on: sums of {} products over {over}, {} in all, {:.1} MB; to {files}",
            self.every,
            self.from,
            self.products().len(),
            counts[0],
            counts[1] as f64 * 8e-6
        )))
    }
}

impl Statistics {
    /// Begins with sums of zero. Collective.
    fn new(setup: &mut Setup, request: &StatisticsRequest) -> Result<Self, OutputError> {
        let solver = &mut *setup.solver;
        let clock = &setup.clock;
        refuse_two_frames(request, solver)?;
        let slots = slots(request, solver)?;
        let begun = solver.device.begin_statistics(&slots).map_err(OutputError::from);
        solver.ranks.agree(begun, |_| OutputError::OnOtherRank)?;
        let names = solver.mesh.boundary_names.iter().enumerate();
        let walls: Vec<WallSurface> = names
            .filter_map(|(number, name)| {
                let velocity = solver.boundaries[number].no_slip_velocity()?;
                let constant = velocity.iter().all(|v| v.is_constant());
                Some(WallSurface {
                    name: name.clone(),
                    number,
                    velocity: constant.then(|| velocity.each_ref().map(|v| v.eval([0.0; 3], 0.0))),
                    sums: [0.0; 4],
                })
            })
            .collect();
        let boundaries = (!walls.is_empty()).then(|| solver.boundary_fluxes());
        let from = request.from.max(clock.time);
        Ok(Statistics {
            request: request.clone(),
            directory: setup.directory.to_owned(),
            schedule: Schedule::after(Some(request.every), request.from, clock),
            slots,
            boundaries,
            walls,
            span: Span {
                samples: 0,
                from,
                to: from,
            },
            bins: None,
            values: Values {
                columns: request.columns(),
                layers: None,
            },
            batches: None,
            written: false,
        })
    }

    /// Returns the settings under which stored sums can be continued.
    fn kind(&self) -> serde_json::Value {
        let walls: Vec<&str> = self.walls.iter().map(|wall| wall.name.as_str()).collect();
        serde_json::json!({
            "average": in_words(self.request.average),
            "from": format!("{}", self.request.from),
            "factors": self.slots.factors,
            "scalars": self.request.scalars,
            "walls": walls,
        })
    }

    fn layout(&self) -> Layout {
        Layout::Cells(ElementKind::ALL.map(|kind| self.slots.sums_of(kind)))
    }

    /// Returns the sums on the device. Collective.
    fn sums(&self, solver: &Solver) -> Result<Vec<f64>, OutputError> {
        let sums = solver.device.statistics().map_err(OutputError::from);
        solver.ranks.agree(sums, |_| OutputError::OnOtherRank)
    }

    /// Returns the sums of walls. Collective.
    fn wall_means(&self, sums: &[f64], context: &SampleContext) -> Vec<Wall> {
        let solver = &*context.solver;
        let plan = solver.device.plan();
        let gas = &solver.gas;
        let geometry = &solver.geometry;
        let elements = &solver.elements;
        let ranks = &solver.ranks;
        let time = self.span.time();
        let of = |wall: &WallSurface| wall.mean(time, &self.slots, sums, plan, geometry, elements, gas, ranks);
        self.walls.iter().map(of).collect()
    }

    /// Finds the bins, and the layers of a profile with a budget, unless that was done. Collective.
    fn create_bins(&mut self, solver: &Solver) {
        if self.bins.is_some() {
            return;
        }
        let slots = &self.slots;
        let average = self.request.average;
        let geometry = &solver.geometry;
        let ranks = &solver.ranks;
        let bins = Bins::new(slots, geometry, average, ranks);
        if self.request.directions() == 2 && self.request.has_budget() {
            let axis = (0..3).find(|&d| !average[d]).unwrap_or(0);
            let budget = Budget::new(&self.request.products());
            let diff = &solver.elements.line.diff;
            self.values.layers = Some(Layers::new(budget, axis, diff, slots, &bins, geometry, ranks));
        }
        self.bins = Some(bins);
    }

    /// Returns the sums of the profile and of the walls, `[place][quantity]`, then `[wall][4]`. Collective.
    fn running_sums(&mut self, solver: &Solver) -> Result<Vec<f64>, OutputError> {
        self.create_bins(solver);
        let sums = self.sums(solver)?;
        let mut all = self
            .bins
            .as_ref()
            .map_or(Vec::new(), |bins| bins.sums(&sums, &solver.ranks));
        all.extend(self.walls.iter().flat_map(|wall| wall.sums));
        Ok(all)
    }

    /// Advances the batches of a profile by the last sample. Collective.
    fn advance_batches(&mut self, solver: &Solver) -> Result<(), OutputError> {
        if self.batches.is_none() {
            self.create_bins(solver);
            self.batches = Some(Batches::new(self.span.from, vec![0.0; self.batch_width()]));
        }
        if self.batches.as_mut().is_some_and(Batches::count) {
            let sums = self.running_sums(solver)?;
            let ended = self.batches.as_mut();
            ended.into_iter().for_each(|batches| batches.end(self.span.to, &sums));
        }
        Ok(())
    }

    /// Number of sums that a batch has.
    fn batch_width(&self) -> usize {
        let places = self.bins.as_ref().map_or(0, |bins| bins.at.len());
        places * self.slots.factors.len() + 4 * self.walls.len()
    }

    /// Returns the standard errors of a profile, and sets those of the walls.
    fn errors(&self, walls: &mut [Wall]) -> Option<Errors> {
        let (bins, batches) = (self.bins.as_ref()?, self.batches.as_ref()?);
        let places = bins.at.len();
        let count = self.slots.factors.len();
        for (number, wall) in walls.iter_mut().enumerate() {
            let errors = batches.errors(places * count + 4 * number, 4, |means| wall.loads(means));
            wall.errors = [errors[0], errors[1]];
        }
        let re_tau = |means: &[f64]| {
            let stressed = |(wall, means): (&Wall, &[f64])| wall.with_stress(wall.loads(means)[0]);
            let walls: Vec<Wall> = walls.iter().zip(means.chunks(4)).map(stressed).collect();
            vec![reynolds_number(&walls).unwrap_or(f64::NAN)]
        };
        let re_tau = batches.errors(places * count, 4 * walls.len(), re_tau)[0];
        let of_place = |place: usize| self.values.errors(batches, place, count);
        let values = (0..places).into_par_iter().map(of_place).collect();
        Some(Errors { values, re_tau })
    }

    /// Writes the files. Collective.
    fn write_files(&mut self, context: &mut SampleContext) -> Result<Vec<PathBuf>, OutputError> {
        let solver = &*context.solver;
        let sums = self.sums(solver)?;
        let mut walls = self.wall_means(&sums, context);
        let average = self.request.average;
        let files = self.request.files();
        if self.request.directions() > 0 {
            self.create_bins(solver);
        }
        let errors = self.errors(&mut walls);
        let means = self.bins.as_ref().map(|bins| (bins, bins.means(&sums, &solver.ranks)));
        if files.contains(&FIELDS) {
            let note = in_lines(self.span, &walls, None).join("\n");
            let path = self.directory.join(FIELDS);
            let shared = means.as_ref().map(|(bins, means)| (*bins, &means[..]));
            let products = self.request.products();
            let budget = self.request.has_budget().then(|| Budget::new(&products));
            let content = field::Content {
                columns: &self.values.columns,
                scalars: &self.request.scalars,
                gradients: self.request.gradients,
                budget: budget.as_ref(),
            };
            field::write(&path, solver, &self.slots, shared, &sums, &content, &note, context)?;
        }
        if let Some((bins, means)) = &means {
            let axes: Vec<&str> = (0..3).filter(|&d| !average[d]).map(|d| AXES[d]).collect();
            let (names, values) = (self.values.names(), self.values.of_places(means));
            let profile = Profile {
                axes: &axes,
                at: &bins.at,
                names: &names,
                values: &values,
                errors: errors.as_ref(),
                span: self.span,
                walls: &walls,
            };
            let table = || {
                if files.contains(&TABLE) {
                    profile.write_table(&self.directory, context.provenance)
                } else {
                    Ok(())
                }
            };
            let written = match solver.ranks.rank() {
                0 => table().and_then(|()| profile.write_hdf5(&self.directory, context.provenance)),
                _ => Ok(()),
            };
            agree(context.world, written)?;
        }
        if solver.ranks.rank() == 0 {
            context.found(results(&walls, errors.as_ref()));
        }
        Ok(files.iter().map(|name| self.directory.join(name)).collect())
    }
}

impl Output for Statistics {
    fn name(&self) -> &'static str {
        NAME
    }

    fn schedule(&mut self) -> &mut Schedule {
        &mut self.schedule
    }

    fn accumulates(&self) -> bool {
        true
    }

    fn needs_rhs(&self) -> bool {
        self.boundaries.is_some() || self.request.has_budget()
    }

    fn sample(&mut self, context: &mut SampleContext) -> Result<(), OutputError> {
        let weight = context.clock.time - self.span.to;
        if weight <= 0.0 {
            return Ok(());
        }
        let solver = &mut *context.solver;
        solver.device.add_to_statistics(weight)?;
        if let Some(boundaries) = &self.boundaries {
            let fluxes = boundaries.take(solver.device.as_mut(), &solver.domain.ranks)?;
            for wall in &mut self.walls {
                wall.add(weight, &fluxes[wall.number]);
            }
        }
        self.span.samples += 1;
        self.span.to = context.clock.time;
        match self.request.directions() {
            2 => self.advance_batches(context.solver),
            _ => Ok(()),
        }
    }

    fn write(&mut self, context: &mut SampleContext) -> Result<(), OutputError> {
        if self.span.samples == 0 {
            context.warn_if_empty(NAME, self.request.from);
            return Ok(());
        }
        let paths = self.write_files(context)?;
        let others = [TABLE, HDF5, FIELDS].map(|name| self.directory.join(name));
        let stale = others.iter().filter(|path| !paths.contains(path));
        if !std::mem::replace(&mut self.written, true) && context.solver.ranks.rank() == 0 {
            for path in stale.filter(|path| path.exists()) {
                let path = path.display();
                tracing::warn!("{path} is of means over other directions, and no longer written");
            }
        }
        context.wrote(paths);
        Ok(())
    }

    fn save(&mut self, solver: &Solver, data: &mut CheckpointData) -> Result<(), OutputError> {
        let section = &mut data.section;
        section.parts.insert(
            NAME.to_owned(),
            serde_json::json!({"of": self.kind(), "samples": self.span.samples}),
        );
        section
            .arrays
            .insert(TIMES.to_owned(), vec![self.span.from, self.span.to]);
        let walls = self.walls.iter().flat_map(|wall| wall.sums).collect();
        section.arrays.insert(WALLS.to_owned(), walls);
        if let Some(batches) = &self.batches {
            batches.save(section);
        }
        let field = (self.layout(), self.sums(solver)?);
        data.fields.insert(NAME.to_owned(), field);
        Ok(())
    }

    fn restore(&mut self, context: &mut SampleContext, data: &CheckpointData) -> Result<bool, OutputError> {
        let solver = &mut *context.solver;
        let section = &data.section;
        let (Some(words), Some(times)) = (section.parts.get(NAME), section.arrays.get(TIMES)) else {
            return Ok(false);
        };
        let samples = words["samples"].as_u64().unwrap_or_default();
        let first = solver.ranks.rank() == 0;
        if words["of"] != self.kind() {
            if first && samples > 0 {
                tracing::warn!(
                    "output.statistics begins anew: the {samples} samples of the checkpoint {}",
                    continued::difference(&words["of"], &self.kind())
                );
            }
            return Ok(true);
        }
        let field = data.fields.get(NAME).filter(|(layout, _)| *layout == self.layout());
        let (Some((_, sums)), &[from, to], Some(walls)) = (field, times.as_slice(), section.arrays.get(WALLS)) else {
            if first {
                tracing::warn!(
                    "output.statistics begins anew: the {samples} samples of the checkpoint are of another order"
                );
            }
            return Ok(true);
        };
        let set = solver.device.set_statistics(sums).map_err(OutputError::from);
        solver.ranks.agree(set, |_| OutputError::OnOtherRank)?;
        self.span = Span { samples, from, to };
        for (wall, sums) in self.walls.iter_mut().zip(walls.chunks(4)) {
            wall.sums.copy_from_slice(sums);
        }
        if self.request.directions() == 2 && samples > 0 {
            self.create_bins(solver);
            self.batches = match Batches::restored(section, self.batch_width()) {
                None => Some(Batches::new(to, self.running_sums(solver)?)),
                batches => batches,
            };
        }
        Ok(true)
    }
}
