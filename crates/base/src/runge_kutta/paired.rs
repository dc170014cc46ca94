//! The paired explicit Runge-Kutta scheme: members that differ in how many of the 16 stages they evaluate. A cell takes
//! the member that its size needs, so that large cells cost less than small ones in a step of one length for all.
//!
//! The form is that of B. C. Vermeire, J. Comput. Phys. 393 (2019) 465. All members have the same times c_m and the
//! same weights, and each stage depends on the first and on the one before it only:
//!
//! ```text
//! U_m = U_n + dt ((c_m - a_m) k_1 + a_m k_(m-1)),  k_m = R(U_m),  U_(n+1) = U_n + dt (b_1 k_1 + b_s k_s)
//! ```
//!
//! A member with e evaluations has a_m = 0 but for the last e - 2 stages, so that it needs k_1 and the last e - 1
//! rates. Cells with different members see each other's states at the same times, and the weights are those of all:
//! what one cell gives through a face in a step is what its neighbour gets.
//!
//! The weights b_1 = 1/4, b_s = 3/4 with c_s = 2/3 and a_s c_(s-1) = 2/9 are those of Heun's method of order 3, whose
//! four order conditions then hold for every member and between any two of them. The other a_m follow from polynomials
//! of stability that scripts/time-schemes finds. The times c_m do not change these polynomials, and how far the state
//! of a stage is from that at the start goes with c_m. With times that rise evenly, stages of small cells amplify modes
//! up to 2.5 times, and impulsive starts diverge in the first step. With the cubes of even times they do so 1.3 times
//! at most.

use std::ops::{Add, Mul};

/// Number of stages.
pub const STAGES: usize = 16;

/// Number of members, each for the cells of one level.
pub const LEVELS: usize = 4;

/// Weights of the first and the last rate.
pub const WEIGHTS: [f64; 2] = [0.25, 0.75];

/// A member of the scheme.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Member {
    /// Stages that it evaluates.
    pub evaluations: usize,
    /// Largest step over that of RK4 for the same cell.
    pub reach: f64,
    /// The a_m that are not 0, those of the last stages in their order; the last one is 1125/2744.
    chain: &'static [f64],
}

/// The member of each level; the first is for the smallest cells.
pub const MEMBERS: [Member; LEVELS] = [
    Member {
        evaluations: 16,
        reach: 5.93,
        chain: &[
            0.0651009776394256,
            0.0555903692026749,
            0.0598131424432496,
            0.0676680884049204,
            0.0776702572848526,
            0.0896143839593866,
            0.103729364378235,
            0.120541397933918,
            0.1409258962286162,
            0.1662906545786952,
            0.1989802505425013,
            0.2431813077953189,
            0.3071440079927796,
            1125.0 / 2744.0,
        ],
    },
    Member {
        evaluations: 8,
        reach: 2.826,
        chain: &[
            0.0459758774196602,
            0.0917578463667599,
            0.1429887422288849,
            0.2055120225371614,
            0.2874269394380747,
            1125.0 / 2744.0,
        ],
    },
    Member {
        evaluations: 5,
        reach: 1.605,
        chain: &[0.1171960174280548, 0.2374560032985535, 1125.0 / 2744.0],
    },
    Member {
        evaluations: 3,
        reach: 0.848,
        chain: &[1125.0 / 2744.0],
    },
];

impl Member {
    /// Returns a_m of the stage of this number; the first stage has the number 0.
    pub fn share_of_last(&self, stage: usize) -> f64 {
        let first = STAGES - self.chain.len();
        if stage < first { 0.0 } else { self.chain[stage - first] }
    }

    /// Returns whether the member evaluates the stage of this number.
    pub fn evaluates(&self, stage: usize) -> bool {
        stage == 0 || stage + self.evaluations > STAGES
    }

    /// Returns the solution of du/dt = `rate` u, a linear equation with constant coefficients, after a step `dt` from
    /// `u`.
    pub fn amplify<T>(&self, u: &[T], dt: f64, rate: impl Fn(&[T]) -> Vec<T>) -> Vec<T>
    where
        T: Copy + Add<Output = T> + Mul<f64, Output = T>,
    {
        let sum = |first: &[T], a: f64, last: &[T], b: f64| -> Vec<T> {
            let terms = u.iter().zip(first).zip(last);
            terms
                .map(|((&u, &first), &last)| u + first * (a * dt) + last * (b * dt))
                .collect()
        };
        let first = rate(u);
        let mut last = first.clone();
        for stage in 1..STAGES {
            let a = self.share_of_last(stage);
            last = rate(&sum(&first, stage_time(stage) - a, &last, a));
        }
        sum(&first, WEIGHTS[0], &last, WEIGHTS[1])
    }
}

/// Returns the time c_m of the stage of this number as a share of the step.
pub fn stage_time(stage: usize) -> f64 {
    2.0 / 3.0 * (stage as f64 / (STAGES - 1) as f64).powi(3)
}

#[cfg(test)]
#[path = "paired_tests.rs"]
mod tests;
