//! How a driver chooses the designs that it runs: all at once, a generation after the other, or a batch after the
//! other.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::AtomicUsize;

use crate::format::number;

use super::ego::{Known, Suggestion, suggest};
use super::error::StudyError;
use super::evolution::{self, Evolution};
use super::experiment::at_points;
use super::limits::Limits;
use super::method::{Ego, Method};
use super::record::{State, merit, modelled, point};
use super::runner::{Driver, Ended, Work};
use super::store::Stored;
use super::variable::Choice;

impl Driver<'_> {
    /// Plans the next designs whose results the method needs, and runs none.
    ///
    /// # Errors
    /// A design is not valid, or files of the study cannot be written.
    pub fn propose(&mut self) -> Result<Ended, StudyError> {
        self.go_on(&Work::Propose)
    }

    /// Runs all designs. `signal` is the number of a signal that asks for an end, 0 before any.
    ///
    /// # Errors
    /// The first design cannot be set up, a design is not valid, or files of the study cannot be written.
    pub fn run(&mut self, program: &Path, signal: &AtomicUsize) -> Result<Ended, StudyError> {
        self.go_on(&Work::Run { program, signal })
    }

    /// Chooses designs, batch by batch, and lets each batch be worked on.
    fn go_on(&mut self, work: &Work) -> Result<Ended, StudyError> {
        if let Some(baseline) = &self.study.baseline {
            self.plan("baseline", std::slice::from_ref(baseline))?;
        }
        let ended = match &self.study.method {
            Method::Experiment(designs) => self.run_batch("doe", designs, work),
            Method::Evolution(settings, generations) => self.evolve(*settings, *generations, work),
            Method::Ego(first, ego) => self.explore(first, *ego, work),
            Method::Guest => {
                if self.waiting().is_empty() {
                    tracing::info!("no design waits: `fr-les study FILE --ask DESIGNS.json` brings some");
                }
                self.run_batch("brought", &[], work)
            }
        };
        if ended.is_err() {
            self.stop();
        }
        ended
    }

    /// Runs an evolution from its first generation on. Designs that have run are not run again, so that it passes
    /// through the generations of an earlier driver at once.
    fn evolve(&mut self, settings: evolution::Settings, generations: usize, work: &Work) -> Result<Ended, StudyError> {
        let mut evolution = Evolution::new(settings, self.study.variables.len());
        for generation in 0..=generations {
            let designs = at_points(&self.study.variables, evolution.ask());
            let origin = format!("de {generation}");
            match self.run_batch(&origin, &designs, work)? {
                Ended::Finished => (),
                other => return Ok(other),
            }
            let mut known: BTreeMap<&str, [f64; 2]> = BTreeMap::new();
            for Stored { record, .. } in &self.designs {
                known.insert(&record.case, merit(self.study, record).unwrap_or([f64::INFINITY; 2]));
            }
            let merit = |x: &Vec<Choice>| -> Result<_, StudyError> {
                Ok(known.get(self.study.plan(x)?.hash.as_str()).copied())
            };
            let merits: Vec<_> = designs.iter().map(merit).collect::<Result<_, _>>()?;
            let merits: Vec<[f64; 2]> = merits.into_iter().map(|m| m.unwrap_or([f64::INFINITY; 2])).collect();
            evolution.tell(&merits);
            if let Some((_, [violation, objective])) = evolution.best() {
                let name = self.study.objectives.first().map_or("", |objective| &objective.name);
                let objective = self.study.sign() * objective;
                match violation {
                    0.0 => tracing::info!("generation {generation}: best {name} = {}", number(objective)),
                    _ => tracing::info!("generation {generation}: no design keeps all constraints"),
                }
            }
        }
        Ok(Ended::Finished)
    }

    /// Runs an efficient global optimisation: some designs, and then batches of those that promise most, up to a
    /// budget. A suggestion is planned as soon as it is made, so that a driver that goes on makes only those that its
    /// batch lacks. What it knows for that are the designs of all earlier batches, which have ended.
    fn explore(&mut self, first: &[Vec<Choice>], ego: Ego, work: &Work) -> Result<Ended, StudyError> {
        match self.run_batch("doe", first, work)? {
            Ended::Finished => (),
            other => return Ok(other),
        }
        let variables = &self.study.variables;
        let mut left = ego.budget - first.len();
        let mut batch = 0;
        while left > 0 {
            batch += 1;
            let origin = format!("ego {batch}");
            let size = ego.batch.min(left);
            left -= size;
            loop {
                let own = self
                    .designs
                    .iter()
                    .filter(|design| design.record.origin == origin)
                    .count();
                if own >= size {
                    break;
                }
                let planned = match self.suggest(&origin, ego.seed) {
                    None => false,
                    Some(Suggestion { point, mut expected }) => {
                        let x: Vec<Choice> = variables.iter().zip(&point).map(|(v, place)| v.at(*place)).collect();
                        expected
                            .iter_mut()
                            .take(1)
                            .for_each(|objective| *objective *= self.study.sign());
                        let expected = self.study.modelled().cloned().zip(expected).collect();
                        self.plan_suggestion(&origin, &x, expected)?
                    }
                };
                if !planned {
                    tracing::info!("there is no other design");
                    return Ok(Ended::Finished);
                }
            }
            match self.run_batch(&origin, &[], work)? {
                Ended::Finished => (),
                other => return Ok(other),
            }
        }
        Ok(Ended::Finished)
    }

    /// Returns the next point of a batch, whose designs so far are pending.
    fn suggest(&self, origin: &str, seed: u64) -> Option<Suggestion> {
        let variables = &self.study.variables;
        let (mut known, mut pending) = (Vec::new(), Vec::new());
        for Stored { record, .. } in &self.designs {
            let Some(point) = point(self.study, record) else {
                continue;
            };
            if record.origin == origin || record.state == State::Planned {
                pending.push(point)
            } else {
                known.push(Known {
                    point,
                    values: modelled(self.study, record),
                })
            }
        }
        let limits: Vec<Limits> = self.study.constraints.iter().map(|c| c.limits).collect();
        let snap = |place: &[f64]| {
            let pairs = variables.iter().zip(place);
            pairs
                .map(|(v, place)| v.place(&v.at(*place)).unwrap_or(*place))
                .collect()
        };
        suggest(&limits, &known, &pending, snap, seed)
    }
}
