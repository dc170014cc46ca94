//! The ends of steady solutions that fail: what diverges slowly, which no check refuses, and what stands still.
//!
//! Each check may find a residual that is a little larger than the last one, and a CFL number that has fallen leaves a
//! state as it is. Neither is a solution, and both would go on to the last iteration without a word.

use super::iteration::{Check, Iteration};
use super::{Steady, SteadyError};
use crate::format::{location, number};
use crate::io::STEADY_CHECKPOINT;
use crate::steady::controller::Control;
use crate::steady::machine::Machine;
use crate::steady::monitor::{Row, equation_in_words, residual_of};

/// Number of the first checks, in which the flow forms: the largest residual of these measures the later ones.
const FIRST_CHECKS: usize = 5;
/// Residuals of density, momentum and energy over the largest of the first checks above which a solution diverges.
/// Those of momentum and energy may be small at first, as that of the energy where only friction heats the gas.
const DIVERGED: [f64; 3] = [1e3, 1e6, 1e6];
/// Number of checks over which a solution must stand still to be given up.
const STANDING_CHECKS: usize = 10;
/// Change of the residual over these checks, relative to it, that is none.
const UNCHANGED: f64 = 1e-3;
/// Residual over its largest value below which nothing but round-off is left.
const ROUND_OFF: f64 = 1e-10;

/// Returns an equation whose residual shows that the solution diverges, with its residual over the largest of the first
/// checks.
fn growth(rows: &[Row]) -> Option<(usize, f64)> {
    let (first, later) = rows.split_at_checked(FIRST_CHECKS)?;
    let last = later.last()?;
    let grown = |(equation, most): (usize, &f64)| {
        let largest = first.iter().map(|row| residual_of(row, equation)).fold(0.0, f64::max);
        let growth = residual_of(last, equation) / largest;
        (largest > 0.0 && growth > *most).then_some((equation, growth))
    };
    DIVERGED.iter().enumerate().find_map(grown)
}

/// Returns whether the residual has not changed over the last checks, before only round-off is left.
fn is_unchanged(rows: &[Row]) -> bool {
    let Some(first) = rows.len().checked_sub(STANDING_CHECKS) else {
        return false;
    };
    let largest = rows.iter().map(|row| row[2]).fold(0.0, f64::max);
    let [least, most] = rows[first..].iter().fold([f64::INFINITY, 0.0], |[least, most], row| {
        [row[2].min(least), row[2].max(most)]
    });
    least > ROUND_OFF * largest && most - least <= UNCHANGED * most
}

/// The checks in a row after which no step was accepted, or only steps with a CFL number that has fallen.
#[derive(Debug, Default)]
pub(super) struct Idle {
    checks: usize,
}

impl Idle {
    /// Counts a check; `accepted` is the number of steps that were accepted since the last one.
    pub fn count(&mut self, control: &Control, cfl: f64, accepted: u64) {
        let moves = accepted > 0 && cfl >= control.cfl_start.min(control.cfl);
        self.checks = if moves { 0 } else { self.checks + 1 };
    }

    /// Returns whether the solution stands still.
    pub fn stands(&self, rows: &[Row]) -> bool {
        self.checks >= STANDING_CHECKS && is_unchanged(rows)
    }
}

impl<M: Machine> Iteration<'_, '_, M> {
    /// Returns the error of a solution that diverges or stands still after a check, whose row is recorded. Collective.
    pub fn failure(&self, check: &Check) -> Option<SteadyError> {
        let rows = &self.kept.rows;
        if let Some((equation, growth)) = growth(rows) {
            let reason = format!(
                "the residual of the {} is {} times the largest of its first {FIRST_CHECKS} checks",
                equation_in_words(equation, self.steady.settings.scheme.turbulence),
                number(growth)
            );
            return Some(self.diverged(check, &reason));
        }
        self.idle.stands(rows).then(|| SteadyError::StandsStill {
            iteration: self.iteration,
            fallen: number(check.norms[0] / self.controller.largest),
            cfl: number(check.cfl),
            place: self.place_of_largest(check),
            last_output: self.steady.last_output(),
            help: self.help(),
        })
    }

    /// Returns the error of a solution that diverges for a reason that a check has found. Collective.
    pub fn diverged(&self, check: &Check, reason: &str) -> SteadyError {
        let place = if self.unphysical.is_empty() {
            self.place_of_largest(check)
        } else {
            self.unphysical.clone()
        };
        SteadyError::Diverged {
            iteration: self.iteration,
            reason: reason.to_owned(),
            place,
            last_output: self.steady.last_output(),
            help: self.help(),
        }
    }

    /// Returns where the residual is largest of the equation whose residual has grown most since the first checks, as
    /// the end of a sentence. Collective.
    fn place_of_largest(&self, check: &Check) -> String {
        let (dual, ranks) = (&self.steady.dual, self.steady.ranks);
        let (norms, rows) = (&check.norms, &self.kept.rows);
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
    fn last_output(&self) -> String {
        let path = self.directory.join(STEADY_CHECKPOINT);
        let there = self.ranks.rank() == 0 && path.is_file();
        match self.ranks.first_rank_where(there) {
            Some(_) => path.display().to_string(),
            None => "none".to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(residuals: &[f64]) -> Vec<Row> {
        let row = |&residual: &f64| std::array::from_fn(|n| if n == 2 { residual } else { 0.0 });
        residuals.iter().map(row).collect()
    }

    #[test]
    fn a_solution_diverges_when_its_residual_is_a_thousand_times_those_of_the_first_checks() {
        assert_eq!(growth(&rows(&[1.0, 2.0, 1e4, 1.0, 1.0])), None, "the flow forms");
        assert_eq!(growth(&rows(&[1.0, 2.0, 1.0, 1.0, 1.0, 1999.0])), None);
        assert_eq!(
            growth(&rows(&[1.0, 2.0, 1.0, 1.0, 1.0, 3.0, 2002.0])),
            Some((0, 1001.0))
        );
        let mut hot = rows(&[1.0; 6]);
        hot.iter_mut().for_each(|row| row[4] = 2.0);
        hot[5][4] = 2e6;
        assert_eq!(growth(&hot), None);
        hot[5][4] = 4e6;
        assert_eq!(growth(&hot), Some((2, 2e6)));
        assert_eq!(
            growth(&rows(&[0.0, 0.0, 0.0, 0.0, 0.0, 1e-15])),
            None,
            "no residual at all"
        );
    }

    #[test]
    fn a_solution_stands_still_when_small_or_no_steps_leave_its_residual() {
        let control = Control {
            cfl_start: 5.0,
            cfl: 50.0,
            residual: 1e-6,
            implicit: true,
            force: None,
        };
        let constant = rows(&[1.0; 12]);
        let after = |cfl: f64, accepted: u64, rows: &[Row]| {
            let mut idle = Idle::default();
            (0..STANDING_CHECKS).for_each(|_| idle.count(&control, cfl, accepted));
            idle.stands(rows)
        };
        assert!(after(5.0, 0, &constant) && after(0.01, 10, &constant));
        assert!(!after(5.0, 10, &constant), "steps of the usual size are taken");
        let mut falling = constant.clone();
        falling[11][2] = 0.99;
        assert!(!after(0.01, 10, &falling));
        let mut converged = constant.clone();
        converged[0][2] = 1e11;
        assert!(!after(0.01, 10, &converged), "only round-off is left");
        let mut idle = Idle::default();
        (0..30).for_each(|n| idle.count(&control, 5.0, u64::from(n % 5 == 0)));
        assert!(!idle.stands(&constant), "a step is accepted now and then");
    }
}
