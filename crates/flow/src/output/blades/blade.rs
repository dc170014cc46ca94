//! The output of one wall: samples, the files, and what a checkpoint holds.

use std::path::PathBuf;

use super::distribution::Distribution;
use super::expansion::Expansion;
use super::loads::{self, AT_STATION, FORCES};
use super::request::{BladeRequest, NAME};
use super::stations::Stations;
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
    /// The files, in the order of [`BladeRequest::files`].
    paths: Vec<PathBuf>,
    schedule: Schedule,
    surfaces: Surfaces,
    stations: Stations,
    means: BatchMeans,
    /// Means of the loads at phases, if they are asked for.
    phases: Option<PhaseMeans>,
}

impl Blade {
    /// Begins without samples. Collective.
    ///
    /// # Errors
    /// The wall is not extruded along z, or is not one curve.
    pub fn new(setup: &Setup, request: &BladeRequest) -> Result<Self, OutputError> {
        let (surfaces, stations) = request.stations(setup.solver)?;
        let from = request.from.max(setup.clock.time);
        let loads = AT_STATION * stations.curve.len();
        let request = BladeRequest {
            phase: setup.sampled.phases(request.phase),
            ..request.clone()
        };
        let files = request.files().into_iter();
        Ok(Blade {
            paths: files.map(|file| setup.directory.join(file)).collect(),
            schedule: Schedule::after(Some(request.every), request.from, &setup.clock),
            means: BatchMeans::new(loads + FORCES, from),
            phases: request.phase.map(|phases| PhaseMeans::new(phases, loads)),
            surfaces,
            stations,
            sampled: setup.sampled,
            request,
        })
    }

    /// Returns the name of the entries of a checkpoint.
    fn entry(&self) -> String {
        format!("{NAME}.{}", self.request.name)
    }

    /// Returns the settings under which stored sums can be continued, besides the places of the stations.
    fn kind(&self) -> serde_json::Value {
        let mut kind = serde_json::json!({"boundary": self.request.boundary, "from": format!("{}", self.request.from)});
        if let Some(phases) = &self.request.phase {
            kind["phase"] = format!("{phases:?}").into();
        }
        kind
    }

    fn distribution(&self, solver: &Solver) -> Distribution<'_> {
        let expansion = Expansion {
            total_pressure: self.request.total_pressure,
            pressure: self.request.pressure,
            gamma: solver.gas.gamma,
        };
        Distribution::new(
            &self.stations,
            &self.means,
            solver.gas,
            expansion,
            self.request.total_temperature,
            self.request.leading_edge,
        )
    }

    /// Warns of sides that begin far behind the front of a closed wall, which are mislabelled most likely.
    fn warn_of_leading_edge(&self, distribution: &Distribution) {
        let begin = distribution.x_over_chord(distribution.sides[0].stations[0]);
        if self.stations.curve.closed && self.request.leading_edge.is_none() && begin > FRONT {
            tracing::warn!(
                "output.{}: its sides begin where the mean pressure is largest in the front half, which is {:.0} % of \
                 the extent in x behind the front: the means are not those of a settled flow, or `leading-edge` has to \
                 name the place",
                self.entry(),
                100.0 * begin
            );
        }
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
        let solver = &mut *context.solver;
        let values = self.surfaces.take(solver.device.as_mut(), &solver.domain.geometry)?;
        let loads = loads::of_sample(&self.stations, &values, &solver.elements, &solver.ranks);
        let time = context.clock.time;
        if let Some(phases) = &mut self.phases {
            let [_, before] = self.means.span();
            phases.add(time, time - before, &loads[..loads.len() - FORCES]);
        }
        self.means.add(time, &loads);
        Ok(())
    }

    fn results(&self) -> Vec<String> {
        let of = |name| format!("{}.{name}", self.entry());
        table::COEFFICIENTS.map(of).to_vec()
    }

    fn result(&mut self, name: &str, context: &mut SampleContext) -> Result<Option<Estimate>, OutputError> {
        let number = self.results().iter().position(|known| known == name);
        Ok(number.and_then(|number| {
            let distribution = self.distribution(context.solver);
            let reliable = self
                .means
                .reliable(|means| distribution.force_coefficients_of(means).to_vec());
            reliable.map(|coefficients| coefficients[number])
        }))
    }

    fn write(&mut self, context: &mut SampleContext) -> Result<(), OutputError> {
        if self.means.samples() == 0 {
            context.warn_if_empty(&self.entry(), self.request.from);
            return Ok(());
        }
        let distribution = self.distribution(context.solver);
        self.warn_of_leading_edge(&distribution);
        let written = match context.solver.ranks.rank() {
            0 => {
                let results = table::results(&distribution, self.request.cascade.as_ref());
                let written = self.write_files(&distribution, &results, context.provenance);
                let entry = self.entry();
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
            let wall = &self.request.name;
            (context.log)(format_args!("{at}blade {wall}: {name} at s/S = {s}, x/C_ax = {x}"));
        }
        context.wrote(self.paths.clone());
        Ok(())
    }

    fn save(&mut self, _: &Solver, data: &mut CheckpointData) -> Result<(), OutputError> {
        let entry = self.entry();
        let section = &mut data.section;
        let at = self.stations.curve.at.as_flattened().to_vec();
        section.arrays.insert(format!("{entry}.at"), at);
        section.parts.insert(entry.clone(), self.kind());
        self.means.save(&entry, section);
        self.phases.iter().for_each(|phases| phases.save(&entry, section));
        Ok(())
    }

    fn restore(&mut self, context: &mut SampleContext, data: &CheckpointData) -> Result<bool, OutputError> {
        let entry = self.entry();
        let section = &data.section;
        let Some(kind) = section.parts.get(&entry) else {
            return Ok(false);
        };
        let same_places = section.arrays.get(&format!("{entry}.at")).map(Vec::as_slice)
            == Some(self.stations.curve.at.as_flattened());
        let mut phases = self.phases.clone();
        let restored = *kind == self.kind()
            && same_places
            && phases.as_mut().is_none_or(|phases| phases.restore(&entry, section))
            && self.means.restore(&entry, section);
        if restored {
            self.phases = phases;
        }
        if !restored && context.solver.ranks.rank() == 0 {
            tracing::warn!(
                "output.{entry} begins anew: the samples of the checkpoint are of another boundary, other stations or \
                 phases, or another `from`"
            );
        }
        Ok(true)
    }
}
