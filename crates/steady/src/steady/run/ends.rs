//! The ends of steady solutions that fail: what diverges slowly, which no check refuses, and what stands still.
//!
//! Each check may find a residual that is a little larger than the last one, and a CFL number that has fallen leaves a
//! state as it is. Neither is a solution, and both would go on to the last iteration without a word.

use super::Steady;
use super::error::{Found, SteadyError};
use super::growth::{FIRST_CHECKS, growth};
use super::iteration::{Check, Iteration};
use crate::format::{location, number};
use crate::io::STEADY_CHECKPOINT;
use crate::steady::machine::Machine;
use crate::steady::monitor::{equation_in_words, residual_of};

impl<M: Machine> Iteration<'_, '_, M> {
    /// Returns the error of a solution that diverges or stands still after a check, whose row is recorded. Collective.
    pub fn failure(&self, check: &Check) -> Option<SteadyError> {
        let rows = self.kept.rows_of_settings();
        if let Some((equation, growth)) = growth(rows) {
            let reason = format!(
                "the residual of the {} is {} times the largest of its first {FIRST_CHECKS} checks",
                equation_in_words(equation, self.steady.settings.scheme.turbulence),
                number(growth)
            );
            return Some(self.diverged(check, reason));
        }
        self.idle.stands(rows).then(|| {
            let reason = format!(
                "no step of a usual size is accepted, and the residual of the density stays at {} of its largest \
                 value, with the CFL number {}",
                number(check.norms[0] / self.controller.largest),
                number(check.cfl)
            );
            let place = self.place_of_largest(check);
            SteadyError::StandsStill(self.found(reason, place))
        })
    }

    /// Returns the error of a solution that diverges for a reason that a check has found. Collective.
    pub fn diverged(&self, check: &Check, reason: String) -> SteadyError {
        let place = if self.unphysical.is_empty() {
            self.place_of_largest(check)
        } else {
            self.unphysical.clone()
        };
        SteadyError::Diverged(self.found(reason, place))
    }

    /// Returns what is known of a solution that is given up. Collective.
    fn found(&self, reason: String, place: String) -> Box<Found> {
        Box::new(Found {
            iteration: self.iteration,
            reason,
            place,
            last_checkpoint: self.steady.last_checkpoint(),
            help: self.help(),
        })
    }

    /// Returns where the residual is largest of the equation whose residual has grown most since the first checks, as
    /// the end of a sentence. Collective.
    fn place_of_largest(&self, check: &Check) -> String {
        let (dual, ranks) = (&self.steady.dual, self.steady.ranks);
        let (norms, rows) = (&check.norms, self.kept.rows_of_settings());
        let first = &rows[..rows.len().min(FIRST_CHECKS)];
        let growth = |equation: usize| {
            let largest = first.iter().map(|row| residual_of(row, equation)).fold(0.0, f64::max);
            match norms[equation] {
                norm if !norm.is_finite() => f64::INFINITY,
                norm if norm > 0.0 => norm / largest.max(f64::MIN_POSITIVE),
                _ => 0.0,
            }
        };
        let grown = (0..norms.len()).rev().max_by(|&a, &b| growth(a).total_cmp(&growth(b)));
        let equation = grown.unwrap_or_default();
        let size = |vertex: usize| {
            let size = self.monitor.residual_at(dual, &check.residuals, vertex, equation);
            // What is not finite is larger than anything.
            if size.is_nan() { f64::INFINITY } else { size }
        };
        let key = |vertex: &usize| (size(*vertex), std::cmp::Reverse(dual.global[*vertex]));
        let order = |a: &usize, b: &usize| {
            let ((a, first), (b, second)) = (key(a), key(b));
            a.total_cmp(&b).then(first.cmp(&second))
        };
        let mine = (0..dual.owned).max_by(order);
        let mut largest = [mine.map_or(0.0, size)];
        ranks.allreduce_max(&mut largest);
        let of_largest = mine.filter(|&vertex| size(vertex) == largest[0]);
        let mut least = [of_largest.map_or(u64::MAX, |vertex| dual.global[vertex])];
        ranks.allreduce_min(&mut least);
        let here = of_largest.filter(|&vertex| dual.global[vertex] == least[0]);
        let there = here.map_or_else(Vec::new, |vertex| dual.position[vertex].to_vec());
        let name = equation_in_words(equation, self.steady.settings.scheme.turbulence);
        match ranks.allgather(&there)[..] {
            [x, y, z] => format!("; the residual of the {name} is largest at {}", location([x, y, z])),
            _ => String::new(),
        }
    }

    /// Returns what may help: keys of the steps that the solution takes.
    fn help(&self) -> String {
        let control = self.stepper.control();
        let [start, most] = [control.cfl_start, control.cfl].map(number);
        if control.implicit {
            format!(
                "begin with a smaller CFL number, or let it grow less: `steady.implicit.cfl` is [{start}, {most}]; \
                 more steps of first order (`steady.first-order`) help a flow that forms slowly"
            )
        } else {
            format!(
                "take smaller CFL numbers: `steady.cfl-start` is {start} and `steady.cfl` {most}; more steps of first \
                 order (`steady.first-order`) help a flow that forms slowly"
            )
        }
    }
}

impl Steady<'_> {
    /// Returns the path of the last checkpoint, or 'none'. Collective.
    fn last_checkpoint(&self) -> String {
        let path = self.directory.join(STEADY_CHECKPOINT);
        let there = self.ranks.rank() == 0 && path.is_file();
        match self.ranks.first_rank_where(there) {
            Some(_) => path.display().to_string(),
            None => "none".to_owned(),
        }
    }
}
