//! Classical four-stage Runge-Kutta.

use super::Solver;
use crate::device::{Buffer, StageUpdate};

impl Solver {
    /// Advances the state by `dt` from `time`: k_m = R(U_n + a_m dt k_{m-1}), U_{n+1} = U_n + dt (k_1 + 2 k_2 + 2 k_3 + k_4)/6.
    pub fn step(&mut self, time: f64, dt: f64) {
        use Buffer::{A, B, Start};
        let half = 0.5 * dt;
        self.right_hand_side(
            Start,
            A,
            StageUpdate::First {
                dt: half,
                weight: 1.0 / 6.0,
            },
            time,
        );
        self.right_hand_side(
            A,
            B,
            StageUpdate::Middle {
                dt: half,
                weight: 1.0 / 3.0,
            },
            time + half,
        );
        self.right_hand_side(B, A, StageUpdate::Middle { dt, weight: 1.0 / 3.0 }, time + half);
        self.right_hand_side(A, B, StageUpdate::Last { dt, weight: 1.0 / 6.0 }, time + dt);
    }
}
