//! The output of one wall: samples, the files, and what a checkpoint holds.

use std::path::PathBuf;

use super::distribution::Distribution;
use super::expansion::Expansion;
use super::loads::{self, AT_STATION, FORCES};
use super::request::{BladeRequest, NAME, Part};
use super::section::Section;
use super::stations::Extent;
use super::table::{self, Named};
use crate::format::{number, physical_time};
use crate::io::{self, CheckpointData, Provenance, agree};
use crate::output::batch_means::BatchMeans;
use crate::output::error::OutputError;
use crate::output::estimate::Estimate;
use crate::output::interface::{Output, SampleContext};
use crate::output::phase_means::PhaseMeans;
use crate::output::request::{Sampled, Setup};
use crate::output::results::NamedResult;
use crate::output::schedule::Schedule;
use crate::output::surface_points::Surfaces;
use crate::solver::Solver;

/// Distance of the leading edge from the front of a blade, over its extent in x, above which it is doubtful. A
/// stagnation point moves this far at a large angle of attack.
const FRONT: f64 = 0.1;

/// The means along one wall.
pub struct Blade {
    request: BladeRequest,
    sampled: Sampled,
    schedule: Schedule,
    surfaces: Surfaces,
    parts: Vec<PartMeans>,
    /// Times of the samples that have arrived, and their values at the points of all boundaries.
    arrived: Vec<(f64, Vec<f64>)>,
}

/// The means along a part of it.
struct PartMeans {
    part: Part,
    /// The files, in the order of [`BladeRequest::files`].
    paths: Vec<PathBuf>,
    means: BatchMeans,
    /// Means of the loads at phases, if they are asked for.
    phases: Option<PhaseMeans>,
}

impl Blade {
    /// Begins without samples. Collective.
    ///
    /// # Errors
    /// The wall is not extruded along z although it has no sections, is not one curve, or does not reach a section.
    pub fn new(setup: &Setup, request: &BladeRequest) -> Result<Self, OutputError> {
        let (surfaces, parts) = request.parts(setup.solver)?;
        let from = request.from.max(setup.clock.time);
        let request = BladeRequest {
            phase: setup.sampled.phases(request.phase),
            ..request.clone()
        };
        let of_part = |part: Part| {
            let loads = AT_STATION * part.stations.curve.len();
            let files = request.files(&part.name).into_iter();
            PartMeans {
                paths: files.map(|file| setup.directory.join(file)).collect(),
                means: BatchMeans::new(loads + FORCES, from),
                phases: request.phase.map(|phases| PhaseMeans::new(phases, loads)),
                part,
            }
        };
        Ok(Blade {
            schedule: Schedule::after(Some(request.every), request.from, &setup.clock),
            parts: parts.into_iter().map(of_part).collect(),
            surfaces,
            arrived: Vec::new(),
            sampled: setup.sampled,
            request,
        })
    }

    /// Returns the name of the output.
    fn entry(&self) -> String {
        format!("{NAME}.{}", self.request.name)
    }

    /// Writes the results of a part. Collective.
    fn write_part(&self, of: &PartMeans, context: &mut SampleContext) -> Result<(), OutputError> {
        let distribution = of.distribution(&self.request, context.solver);
        of.warn_of_leading_edge(&self.request, &distribution);
        let written = match context.solver.ranks.rank() {
            0 => {
                let results = table::results(&distribution, self.request.cascade.as_ref());
                let written = of.write_files(&distribution, &results, context.provenance);
                let entry = of.entry();
                let named = |(name, unit, estimate): Named| NamedResult::new(format!("{entry}.{name}"), unit, estimate);
                context.found(results.into_iter().map(named));
                written
            }
            _ => Ok(()),
        };
        agree(context.world, written)?;
        let short = |place: Estimate| place.with_error(number);
        let at = match self.sampled {
            Sampled::Run => format!("t {}: ", physical_time(context.clock.time)),
            Sampled::SteadySolution => String::new(),
        };
        for (name, zero) in table::separation(&distribution) {
            let [s, x] = [zero.s, zero.x].map(short);
            let wall = &of.part.name;
            (context.log)(format_args!("{at}blade {wall}: {name} at s/S = {s}, x/C_ax = {x}"));
        }
        context.wrote(of.paths.clone());
        Ok(())
    }
}

impl PartMeans {
    /// Returns the name of the entries of a checkpoint.
    fn entry(&self) -> String {
        format!("{NAME}.{}", self.part.name)
    }

    /// Returns the settings under which stored sums can be continued, besides the places of the stations.
    fn kind(&self, request: &BladeRequest) -> serde_json::Value {
        let mut kind = serde_json::json!({"boundary": request.boundary, "from": format!("{}", request.from)});
        if let Some(phases) = &request.phase {
            kind["phase"] = format!("{phases:?}").into();
        }
        if let Extent::Section(section, _) = self.part.stations.extent {
            kind["section"] = format!("{section:?}").into();
        }
        kind
    }

    /// Adds the loads of a sample.
    fn add(&mut self, time: f64, loads: &[f64]) {
        if let Some(phases) = &mut self.phases {
            let [_, before] = self.means.span();
            phases.add(time, time - before, &loads[..loads.len() - FORCES]);
        }
        self.means.add(time, loads);
    }

    fn distribution(&self, request: &BladeRequest, solver: &Solver) -> Distribution<'_> {
        let expansion = Expansion {
            total_pressure: request.total_pressure,
            pressure: request.pressure,
            gamma: solver.gas.gamma,
        };
        Distribution::new(
            &self.part.stations,
            &self.means,
            solver.gas,
            expansion,
            request.total_temperature,
            request.leading_edge,
        )
    }

    /// Warns of sides that begin far behind the front of a closed wall, which are mislabelled most likely.
    fn warn_of_leading_edge(&self, request: &BladeRequest, distribution: &Distribution) {
        let begin = distribution.x_over_chord(distribution.sides[0].stations[0]);
        if self.part.stations.curve.closed && request.leading_edge.is_none() && begin > FRONT {
            let or = match self.part.stations.extent {
                Extent::Section(Section::Cylinder(..), _) => "",
                _ => ", or `leading-edge` has to name the place",
            };
            tracing::warn!(
                "output.{}: its sides begin where the mean pressure is largest in the front half, which is {:.0} % of \
                 the extent in x behind the front: the means are not those of a settled flow{or}",
                self.entry(),
                100.0 * begin
            );
        }
    }

    /// Stores the sums in a checkpoint.
    fn save(&self, request: &BladeRequest, data: &mut CheckpointData) {
        let entry = self.entry();
        let section = &mut data.section;
        let at = self.part.stations.curve.at.as_flattened().to_vec();
        section.arrays.insert(format!("{entry}.at"), at);
        section.parts.insert(entry.clone(), self.kind(request));
        self.means.save(&entry, section);
        self.phases.iter().for_each(|phases| phases.save(&entry, section));
    }

    /// Continues from the sums of a checkpoint. Returns whether it has those of the same places and settings; `None` if
    /// it has none.
    fn restore(&mut self, request: &BladeRequest, data: &CheckpointData) -> Option<bool> {
        let entry = self.entry();
        let section = &data.section;
        let kind = section.parts.get(&entry)?;
        let same_places = section.arrays.get(&format!("{entry}.at")).map(Vec::as_slice)
            == Some(self.part.stations.curve.at.as_flattened());
        let mut phases = self.phases.clone();
        let restored = *kind == self.kind(request)
            && same_places
            && phases.as_mut().is_none_or(|phases| phases.restore(&entry, section))
            && self.means.restore(&entry, section);
        if restored {
            self.phases = phases;
        }
        Some(restored)
    }

    /// Writes the files.
    fn write_files(
        &self,
        distribution: &Distribution,
        results: &[Named],
        provenance: &Provenance,
    ) -> Result<(), io::Error> {
        table::write(&self.paths[0], distribution, results, provenance)?;
        self.phases.as_ref().map_or(Ok(()), |phases| {
            table::write_phases(&self.paths[1], distribution, phases, provenance)
        })
    }
}

impl Output for Blade {
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
        true
    }

    fn sample(&mut self, context: &mut SampleContext) -> Result<(), OutputError> {
        let values = context.solver.device.surface_values()?;
        self.arrived.push((context.clock.time, values));
        Ok(())
    }

    fn digest(&mut self, context: &mut SampleContext) -> Result<(), OutputError> {
        let solver = &*context.solver;
        for (time, values) in std::mem::take(&mut self.arrived) {
            let values = self
                .surfaces
                .of_values(&values, solver.elements.order, &solver.geometry);
            for of in &mut self.parts {
                let loads = loads::of_sample(&of.part.stations, &values, &solver.elements, &solver.ranks);
                of.add(time, &loads);
            }
        }
        Ok(())
    }

    fn results(&self) -> Vec<String> {
        let of_part = |of: &PartMeans| {
            let entry = of.entry();
            table::COEFFICIENTS.map(|name| format!("{entry}.{name}"))
        };
        self.parts.iter().flat_map(of_part).collect()
    }

    fn result(&mut self, name: &str, context: &mut SampleContext) -> Result<Option<Estimate>, OutputError> {
        let Some(number) = self.results().iter().position(|known| known == name) else {
            return Ok(None);
        };
        self.flush(context)?;
        let count = table::COEFFICIENTS.len();
        let of = &self.parts[number / count];
        let distribution = of.distribution(&self.request, context.solver);
        let reliable = of
            .means
            .reliable(|means| distribution.force_coefficients_of(means).to_vec());
        Ok(reliable.map(|coefficients| coefficients[number % count]))
    }

    fn write(&mut self, context: &mut SampleContext) -> Result<(), OutputError> {
        self.flush(context)?;
        if self.parts.iter().any(|of| of.means.samples() == 0) {
            context.warn_if_empty(&self.entry(), self.request.from);
            return Ok(());
        }
        self.parts.iter().try_for_each(|of| self.write_part(of, context))
    }

    fn save(&mut self, _: &Solver, data: &mut CheckpointData) -> Result<(), OutputError> {
        self.parts.iter().for_each(|of| of.save(&self.request, data));
        Ok(())
    }

    fn restore(&mut self, context: &mut SampleContext, data: &CheckpointData) -> Result<bool, OutputError> {
        let restored = self.parts.iter_mut().map(|of| of.restore(&self.request, data));
        let restored: Vec<Option<bool>> = restored.collect();
        let found = restored.iter().any(Option::is_some);
        let anew = self
            .parts
            .iter()
            .zip(restored)
            .filter(|(_, restored)| *restored != Some(true));
        for (of, _) in anew.filter(|_| found && context.solver.ranks.rank() == 0) {
            tracing::warn!(
                "output.{} begins anew: the samples of the checkpoint are of another boundary, other stations or \
                 phases, or another `from`",
                of.entry()
            );
        }
        Ok(found)
    }
}
