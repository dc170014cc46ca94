//! The longest stable step, from the operator itself: how much the time scheme multiplies small disturbances of the
//! present state.
//!
//! The bounds of `time_step` come from speeds and sizes in single cells. They assume the worst cell, aligned with the
//! worst wave, everywhere. Here the state U0 is frozen by a volume source that is minus its right-hand side, so that a
//! step from U0 ends near U0, however long it is; only boundaries that relax move it. A step from U0 + e x then ends
//! e G x away from there, where G is the matrix by which the scheme multiplies disturbances: with its stages, the
//! levels of the paired scheme, walls, sources, and the neighbours of all cells. The power method with G finds whether
//! a step amplifies (its factor g is above 1), and the step is changed until it does not. A step that is too long
//! amplifies its worst modes many times, so that few steps find them.
//!
//! Filters, the entropy correction and what varies during a step are left out, and so is that boundaries relax over
//! more than two steps.
//!
//! The size e of a disturbance is the square root of the unit roundoff u, where the error of linearisation, about e,
//! equals that of rounding, about u/e. The norm is that of the eighth powers: disturbances of one bad cell soon
//! dominate it, and unlike a maximum it changes little while a mode oscillates.
//!
//! All sums over cells are exact, and the first disturbance depends on the numbers of the cells in the whole mesh, so
//! that the step has the same bits on any number of ranks.

use rayon::prelude::*;

use super::StepError;
use super::domain::Domain;
use super::participants::source::Source;
use super::stages;
use super::step::{end_step, whole_step};
use super::whole::Solver;
use crate::device::DeviceError;
use crate::io::Precision;
use crate::physics::Shock;
use crate::ranks::ExactSum;
use crate::runge_kutta::TimeScheme;

/// The step with which the search begins, over that of the waves.
const FIRST: f64 = 4.0;
/// Tries, each with one step where disturbances grow fast and two elsewhere.
const TRIES: usize = 32;
/// Tries after which the step may become longer again. Before these the worst modes are not yet all that is left, and
/// cut it too short; after the others it only becomes shorter, so that the result is seldom too long.
const FREE: usize = 20;
/// Growth in a step above which a try has one step.
const FAST: f64 = 4.0;
/// Share by which a step is shortened at most after a try.
const SHORTENED: f64 = 0.15;
/// Factor of a step after a try with which disturbances fell to less than `FELL`.
const LENGTHENED: f64 = 1.02;
const FELL: f64 = 0.99;
/// Factor of a step that left a disturbance too large or not finite: larger than a share of the state.
const TOO_LONG: f64 = 0.7;
const TOO_LARGE: f64 = 0.3;
/// Factor of a step with which no disturbance has ever grown.
const TOO_SHORT: f64 = 1.5;

/// A disturbance of the frozen state.
struct Disturbed<'a> {
    domain: &'a Domain,
    /// The frozen state, `[cell][5][point]`.
    frozen: Vec<f64>,
    /// Density, density times speed of sound c (three times), and density times c^2 at each point, arranged so.
    scale: Vec<f64>,
    /// The disturbance x over this scale, at most 1.
    x: Vec<f64>,
    /// Its norm.
    norm: f64,
    /// Its size e.
    size: f64,
}

impl<'a> Disturbed<'a> {
    /// Returns a random disturbance of a state. Collective.
    fn new(domain: &'a Domain, frozen: Vec<f64>, precision: Precision) -> Self {
        let (mesh, geometry) = (&domain.mesh, &domain.geometry);
        let gamma = domain.gas.gamma;
        let (mut scale, mut x) = (vec![0.0; frozen.len()], vec![0.0; frozen.len()]);
        let first = |cell: usize| 5 * geometry.first_point[cell];
        let cells = geometry.cells_of(&mut scale, 5).into_par_iter();
        let cells = cells.zip(geometry.cells_of(&mut x, 5)).enumerate();
        cells.for_each(|(cell, (scale, x))| {
            let points = scale.len() / 5;
            let of_cell = &frozen[first(cell)..first(cell) + 5 * points];
            for p in 0..points {
                let [rho, a, b, c, energy] = std::array::from_fn(|v| of_cell[v * points + p]);
                let pressure = (gamma - 1.0) * (energy - 0.5 * (a * a + b * b + c * c) / rho);
                let sound = (gamma * pressure / rho).sqrt();
                for (v, scale_of) in [rho, rho * sound, rho * sound, rho * sound, rho * sound * sound]
                    .into_iter()
                    .enumerate()
                {
                    scale[v * points + p] = scale_of;
                }
            }
            let number = (mesh.global(cell) as u64) << 16;
            x.iter_mut()
                .enumerate()
                .for_each(|(i, x)| *x = random(number + i as u64));
        });
        let mut new = Disturbed {
            domain,
            frozen,
            scale,
            x,
            norm: 1.0,
            size: match precision {
                Precision::Single => 2f64.powi(-12),
                Precision::Double => 2f64.powi(-26),
            },
        };
        new.norm = new.sum_of_powers();
        new
    }

    /// Returns the disturbed state.
    fn state(&self) -> Vec<f64> {
        let size = self.size;
        let terms = self.frozen.par_iter().zip(&self.scale).zip(&self.x);
        terms.map(|((u, scale), x)| u + size * x * scale).collect()
    }

    /// Takes the difference of two states as the disturbance, which becomes the present one over its largest value.
    /// Returns its norm over that of the one before; `None` if it is not finite or too large, and then the one before
    /// stays. Collective.
    fn take(&mut self, state: &[f64], undisturbed: &[f64]) -> Option<f64> {
        let size = self.size;
        let terms = state.par_iter().zip(undisturbed).zip(&self.scale);
        let mut x: Vec<f64> = terms.map(|((u, other), scale)| (u - other) / (size * scale)).collect();
        // The greatest of numbers leaves out those that are none.
        let not_finite = x.par_iter().any(|x| !x.is_finite());
        let largest = x.par_iter().map(|x| x.abs()).reduce(|| 0.0, f64::max);
        let mut largest = [if not_finite { f64::INFINITY } else { largest }];
        self.domain.ranks.allreduce_max(&mut largest);
        let [largest] = largest;
        if largest * size > TOO_LARGE {
            return None;
        }
        x.par_iter_mut().for_each(|x| *x /= largest);
        let before = self.norm;
        self.x = x;
        self.norm = self.sum_of_powers();
        Some(largest * self.norm / before)
    }

    /// Returns the eighth root of the sum of eighth powers. Collective.
    fn sum_of_powers(&self) -> f64 {
        let eighth = |x: &f64| {
            let square = x * x;
            (square * square) * (square * square)
        };
        let (geometry, x) = (&self.domain.geometry, &self.x);
        let of_cell = |cell: usize| {
            let values = &x[5 * geometry.first_point[cell]..5 * geometry.first_point[cell + 1]];
            values.iter().map(eighth).sum::<f64>()
        };
        let cells: Vec<f64> = (0..self.domain.mesh.len()).into_par_iter().map(of_cell).collect();
        let [sum] = ExactSum::allreduce(&self.domain.ranks, [cells.into_iter().collect()]);
        sum.value().sqrt().sqrt().sqrt()
    }
}

/// Returns a number from -1 to 1 (the mixing function of G. L. Steele, D. Lea & C. H. Flood, OOPSLA 2014).
fn random(number: u64) -> f64 {
    let mut z = number.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 52) as f64 - 1.0
}

/// The search for the longest step with which disturbances do not grow.
struct Search {
    /// The step to try.
    dt: f64,
    /// Stages of the scheme, of which the slope of the growth over the step is taken.
    stages: f64,
    /// Growth in the last step; infinite before the first try.
    growth: f64,
    /// Whether a disturbance has grown.
    has_grown: bool,
    /// Number of tries.
    tries: usize,
}

impl Search {
    fn new(waves: f64, scheme: TimeScheme) -> Self {
        Search {
            dt: FIRST * waves,
            stages: scheme.stages() as f64,
            growth: f64::INFINITY,
            has_grown: false,
            tries: 0,
        }
    }

    /// Returns the number of steps of the next try.
    fn steps(&self) -> usize {
        if self.growth > FAST { 1 } else { 2 }
    }

    /// Chooses the next step after one that multiplied disturbances by `growth`; `None` if they became too large.
    fn choose(&mut self, growth: Option<f64>) {
        self.tries += 1;
        let Some(g) = growth else {
            self.dt *= TOO_LONG;
            self.has_grown = true;
            return;
        };
        self.growth = g;
        if g > 1.0 {
            self.has_grown = true;
            // ln g, which a scheme of s stages increases by about s times the relative change of the step.
            let logarithm = 2.0 * (g - 1.0) / (g + 1.0);
            self.dt /= 1.0 + (logarithm / self.stages).min(SHORTENED);
        } else if !self.has_grown {
            self.dt *= TOO_SHORT;
        } else if g < FELL && self.tries <= FREE {
            self.dt *= LENGTHENED;
        }
    }
}

impl Solver {
    /// Returns the longest step with which small disturbances of the present state do not grow, in units of time, from
    /// the operator at this time. `waves` is the step that the waves allow ([`Solver::stable_step`]), and `precision`
    /// that of the device. The state and all that belongs to it stay as they are, but for the notes of the device,
    /// which begin anew, and the right-hand side. Without a volume source of the case it takes five values of a point
    /// on the device, and some forty on the host, for as long as it lasts. Collective.
    ///
    /// # Errors
    /// A boundary value is not valid at this time, or the device fails.
    pub fn operator_step(&mut self, time: f64, waves: f64, precision: Precision) -> Result<f64, StepError> {
        let shock = std::mem::replace(&mut self.right_hand_side.shock, Shock::None);
        let stages = std::mem::replace(&mut self.right_hand_side.stages, stages::linear(self.time_scheme));
        let found = self.search(time, waves, precision);
        self.right_hand_side.shock = shock;
        self.right_hand_side.stages = stages;
        found
    }

    /// The same where the right-hand side has no filter and the stages of a linear equation.
    fn search(&mut self, time: f64, waves: f64, precision: Precision) -> Result<f64, StepError> {
        let moments = self.moments(time, 0.0);
        let (rhs, participants) = (&mut self.right_hand_side, &mut self.participants);
        let (domain, device) = (&self.domain, self.device.as_mut());
        let state = device.state()?;
        let compensation = device.compensation()?;
        let relaxed = device.relaxed()?;
        participants.set_data(domain, device, time)?;
        participants.begin_step(device, &moments)?;
        device.set_source(&[])?;
        device.set_step(1.0)?;
        rhs.evaluate(device, rhs.stages[0])?;
        device.set_source(&freezing_source(domain, &state, &device.rhs()?))?;

        let mut disturbed = Disturbed::new(domain, state, precision);
        let mut search = Search::new(waves, self.time_scheme);
        let mut swapped = false;
        for _ in 0..TRIES {
            device.set_step(search.dt)?;
            let steps = search.steps();
            let mut after_steps = |from: &[f64]| -> Result<Vec<f64>, DeviceError> {
                device.set_state(from)?;
                device.set_relaxed(&relaxed)?;
                for _ in 0..steps {
                    whole_step(rhs, participants, device)?;
                    swapped ^= end_step(rhs, device);
                }
                device.state()
            };
            let undisturbed = after_steps(&disturbed.frozen)?;
            let growth = disturbed.take(&after_steps(&disturbed.state())?, &undisturbed);
            search.choose(growth.map(|growth| if steps == 2 { growth.sqrt() } else { growth }));
        }

        if swapped {
            device.swap_states();
        }
        let source = participants.find::<Source>();
        device.set_source(&[])?;
        source.map_or(Ok(()), |source| source.write(domain, device, time))?;
        device.set_state(&disturbed.frozen)?;
        compensation.map_or(Ok(()), |values| device.set_compensation(&values))?;
        device.set_relaxed(&relaxed)?;
        self.begin_notes()?;
        Ok(search.dt)
    }
}

/// Returns the volume source with which the right-hand side of a state, `rhs` without a source, vanishes: the kernels
/// add the work of its force.
fn freezing_source(domain: &Domain, state: &[f64], rhs: &[f64]) -> Vec<f64> {
    let geometry = &domain.geometry;
    let mut source: Vec<f64> = rhs.par_iter().map(|rate| -rate).collect();
    let cells = geometry.cells_of(&mut source, 5).into_par_iter().enumerate();
    cells.for_each(|(cell, source)| {
        let points = source.len() / 5;
        let of_cell = &state[5 * geometry.first_point[cell]..];
        for p in 0..points {
            let velocity = |v: usize| of_cell[v * points + p] / of_cell[p];
            let work: f64 = (1..4).map(|v| source[v * points + p] * velocity(v)).sum();
            source[4 * points + p] -= work;
        }
    });
    source
}
