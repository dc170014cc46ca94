//! Differential evolution, rand/1/bin, a generation at a time (R. Storn & K. Price, Journal of Global Optimization 11
//! (1997) 341), with the rules of Deb for constraints.
//!
//! It is asked for points of the unit cube and told what they are worth. Its random numbers are a function of seed,
//! generation and member, so that the same answers lead to the same points: its whole state is what was told.

use std::cmp::Ordering;

use crate::physics::turbulence::Draw;

use super::deb::by_debs_rules;
use super::experiment::latin_hypercube;

/// Fewest members: a trial needs three others.
pub const FEWEST_MEMBERS: usize = 4;

/// The settings of an evolution.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Settings {
    /// Number of members, at least [`FEWEST_MEMBERS`].
    pub population: usize,
    /// Factor F of the difference of two members, above 0 and at most 2.
    pub weight: f64,
    /// Probability CR that a coordinate comes from the mutant, from 0 to 1.
    pub crossover: f64,
    /// What chooses the random numbers.
    pub seed: u64,
}

/// An evolution.
#[derive(Debug, Clone)]
pub struct Evolution {
    settings: Settings,
    draw: Draw,
    generation: usize,
    /// Members, and the violation and the objective of each; none before the first generation is told.
    members: Vec<(Vec<f64>, [f64; 2])>,
    trials: Vec<Vec<f64>>,
}

impl Evolution {
    /// Returns an evolution in so many dimensions. Its first points are a Latin hypercube.
    pub fn new(settings: Settings, dimensions: usize) -> Self {
        Evolution {
            draw: Draw::new(settings.seed, "differential evolution"),
            trials: latin_hypercube(dimensions, settings.population, settings.seed),
            members: Vec::new(),
            generation: 0,
            settings,
        }
    }

    /// Returns the points of the present generation, `[member][dimension]`, each coordinate from 0 to 1.
    pub fn ask(&self) -> &[Vec<f64>] {
        &self.trials
    }

    /// Takes violation and objective of the points of the present generation, in their order, of which less is better
    /// (both are infinite for a point that has none). Each point takes the place of its member unless it is worse, and
    /// the next generation is made.
    pub fn tell(&mut self, merits: &[[f64; 2]]) {
        let trials = std::mem::take(&mut self.trials).into_iter().zip(merits.iter().copied());
        if self.members.is_empty() {
            self.members = trials.collect();
        } else {
            for (member, trial) in self.members.iter_mut().zip(trials) {
                if by_debs_rules(trial.1, member.1) != Ordering::Greater {
                    *member = trial;
                }
            }
        }
        self.generation += 1;
        self.trials = (0..self.members.len()).map(|i| self.trial(i)).collect();
    }

    /// Returns the best member, and its violation and objective.
    pub fn best(&self) -> Option<(&[f64], [f64; 2])> {
        let best = self.members.iter().min_by(|a, b| by_debs_rules(a.1, b.1));
        best.map(|(point, merit)| (point.as_slice(), *merit))
    }

    /// Returns the trial that competes with a member.
    fn trial(&self, i: usize) -> Vec<f64> {
        let count = self.members.len();
        let stream = self.generation * count + i;
        let ([first, second], [third, fixed]) = (self.draw.pair(stream, 0), self.draw.pair(stream, 1));
        let mut others: Vec<usize> = (0..count).filter(|other| *other != i).collect();
        let mut pick = |share: f64| {
            let at = (share * others.len() as f64) as usize;
            &self.members[others.swap_remove(at)].0
        };
        let a = pick(first);
        let b = pick(second);
        let c = pick(third);
        let own = &self.members[i].0;
        let fixed = (fixed * own.len() as f64) as usize;
        let coordinate = |d: usize| {
            let share = self.draw.pair(stream, 2 + d / 2)[d % 2];
            if d == fixed || share < self.settings.crossover {
                reflected(a[d] + self.settings.weight * (b[d] - c[d]))
            } else {
                own[d]
            }
        };
        (0..own.len()).map(coordinate).collect()
    }
}

/// Reflects a coordinate at 0 and 1 into the interval between them.
fn reflected(x: f64) -> f64 {
    let folded = x.rem_euclid(2.0);
    if folded > 1.0 { 2.0 - folded } else { folded }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn coordinates_are_reflected_at_the_bounds() {
        for (x, inside) in [
            (0.25, 0.25),
            (-0.25, 0.25),
            (1.25, 0.75),
            (2.25, 0.25),
            (-1.25, 0.75),
            (1.0, 1.0),
        ] {
            assert_eq!(reflected(x), inside, "{x}");
        }
    }

    /// Runs an evolution of a function of the unit cube; returns the best point, its merit and the evaluations.
    fn minimised(
        settings: Settings,
        dimensions: usize,
        generations: usize,
        merit: impl Fn(&[f64]) -> [f64; 2],
    ) -> (Vec<f64>, [f64; 2], usize) {
        let mut evolution = Evolution::new(settings, dimensions);
        let mut evaluations = 0;
        for _ in 0..generations {
            let merits: Vec<[f64; 2]> = evolution.ask().iter().map(|point| merit(point)).collect();
            evaluations += merits.len();
            evolution.tell(&merits);
        }
        let (point, merit) = evolution.best().expect("members");
        (point.to_vec(), merit, evaluations)
    }

    /// The function of H. H. Rosenbrock in 5 dimensions from -2 to 2; its minimum is 0 at 1, 1, 1, 1, 1.
    fn rosenbrock(point: &[f64]) -> [f64; 2] {
        let x: Vec<f64> = point.iter().map(|x| 4.0 * x - 2.0).collect();
        let term = |pair: &[f64]| 100.0 * (pair[1] - pair[0] * pair[0]).powi(2) + (1.0 - pair[0]).powi(2);
        [0.0, x.windows(2).map(term).sum()]
    }

    #[test]
    fn the_valley_of_rosenbrock_is_followed_to_its_end() {
        for seed in 1..=3 {
            let settings = Settings {
                population: 20,
                weight: 0.8,
                crossover: 0.95,
                seed,
            };
            let (point, merit, evaluations) = minimised(settings, 5, 1000, rosenbrock);
            assert!(evaluations <= 20_000);
            assert!(merit[1] < 1e-6, "seed {seed}: {merit:?} at {point:?}");
        }
    }

    /// Problem G24 of J. J. Liang et al., CEC 2006: two disjoint feasible parts, the minimum -5.5080 at (2.3295,
    /// 3.1785) on both constraints.
    fn g24(point: &[f64]) -> [f64; 2] {
        let (x, y) = (3.0 * point[0], 4.0 * point[1]);
        let first = -2.0 * x.powi(4) + 8.0 * x.powi(3) - 8.0 * x * x + y - 2.0;
        let second = -4.0 * x.powi(4) + 32.0 * x.powi(3) - 88.0 * x * x + 96.0 * x + y - 36.0;
        [first.max(0.0) + second.max(0.0), -x - y]
    }

    #[test]
    fn a_minimum_on_two_constraints_is_found() {
        for seed in 1..=3 {
            let settings = Settings {
                population: 20,
                weight: 0.7,
                crossover: 0.9,
                seed,
            };
            let (point, merit, _) = minimised(settings, 2, 100, g24);
            assert_eq!(merit[0], 0.0, "feasible");
            assert!((merit[1] + 5.5080).abs() < 1e-3, "{merit:?}");
            let (x, y) = (3.0 * point[0], 4.0 * point[1]);
            assert!((x - 2.3295).abs() < 2e-3 && (y - 3.1785).abs() < 5e-3, "{x} {y}");
        }
    }

    #[test]
    fn the_same_answers_lead_to_the_same_points_and_failures_to_others() {
        let settings = Settings {
            population: 6,
            weight: 0.5,
            crossover: 0.5,
            seed: 9,
        };
        let mut first = Evolution::new(settings, 3);
        let mut second = first.clone();
        for _ in 0..5 {
            let merits: Vec<[f64; 2]> = first.ask().iter().map(|p| [0.0, p[0] - p[1]]).collect();
            first.tell(&merits);
            second.tell(&merits);
            assert_eq!(first.ask(), second.ask());
            assert!(first.ask().iter().flatten().all(|x| (0.0..=1.0).contains(x)));
        }
        let failed = vec![[f64::INFINITY; 2]; 6];
        let best = first.best().map(|(point, merit)| (point.to_vec(), merit));
        first.tell(&failed);
        assert_eq!(first.best().map(|(point, merit)| (point.to_vec(), merit)), best);
    }
}
