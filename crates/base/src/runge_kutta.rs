//! Runge-Kutta schemes: their coefficients, the times of their stages, and their stability. The solver advances the
//! state with them, and the limits of the time step follow from their amplification of linear equations.
//!
//! Classical RK4 keeps the state at the start of a step and a sum over the stages. The other schemes have the 2N form
//! of J. H. Williamson (J. Comput. Phys. 35 (1980) 48). It keeps one register S, of the size of the state:
//!
//! ```text
//! S <- A_m S + dt R(U, t + c_m dt),  U <- U + B_m S,  A_1 = 0
//! ```
//!
//! The paired scheme ([`paired`]) has members for cells of different sizes.

pub mod paired;

use std::ops::{Add, Mul};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Time integrator.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum TimeScheme {
    /// Classical Runge-Kutta scheme of order 4 with 4 stages.
    Rk4,
    /// Low-storage scheme of order 4 with 5 stages (M. H. Carpenter & C. A. Kennedy, NASA TM 109112, 1994).
    Lsrk5,
    /// Low-storage scheme of order 4 with 10 stages, made for the spectra of flux reconstruction on all kinds of cells
    /// (`scripts/time-schemes`). It amplifies rounding little.
    #[default]
    Lsrk10,
    /// Low-storage scheme of order 4 with 14 stages, made for the spectra of upwind fluxes (J. Niegemann, R. Diehl & K.
    /// Busch, J. Comput. Phys. 231 (2012) 364).
    Lsrk14,
    /// Paired scheme of order 3 with 16 stages, of which a cell evaluates 3, 5, 8 or 16 according to its size (after B.
    /// C. Vermeire, J. Comput. Phys. 393 (2019) 465). It takes neither `scheme.shock: entropy-filter` nor modelled
    /// walls.
    Paired,
}

/// Coefficients of a scheme in 2N form, one for each stage.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LowStorage {
    /// Factors A_m of the register S; the first is 0.
    pub a: &'static [f64],
    /// Factors B_m by which it changes the state.
    pub b: &'static [f64],
}

/// Carpenter & Kennedy (1994), solution 3.
const LSRK5: LowStorage = LowStorage {
    a: &[
        0.0,
        -567301805773.0 / 1357537059087.0,
        -2404267990393.0 / 2016746695238.0,
        -3550918686646.0 / 2091501179385.0,
        -1275806237668.0 / 842570457699.0,
    ],
    b: &[
        1432997174477.0 / 9575080441755.0,
        5161836677717.0 / 13612068292357.0,
        1720146321549.0 / 2090206949498.0,
        3134564353537.0 / 4481467310338.0,
        2277821191437.0 / 14882151754819.0,
    ],
};

/// The scheme that scripts/time-schemes found: 1.41 times the reach of RK4 for each right-hand side on the spectra of
/// lines with the correction `radau`, 1.2 times with `lobatto`, 1.69 times on the real axis.
const LSRK10: LowStorage = LowStorage {
    a: &[
        0.0,
        -0.3810316591268121,
        -2.232792789189596,
        0.5467699654909665,
        -1.1114027085790956,
        0.4482218113338426,
        -0.2557526713529883,
        -0.2992697721140639,
        -0.1728114390658423,
        -0.7659988500457904,
    ],
    b: &[
        0.1338595663867689,
        0.3584288172830828,
        0.1101977638550523,
        0.15909099743847,
        0.1747038833295451,
        0.1393805638255708,
        0.0749881951404722,
        0.1860690400999749,
        0.1140309389845283,
        0.2776880688708692,
    ],
};

/// Niegemann, Diehl & Busch (2012), the scheme with 14 stages.
#[expect(clippy::excessive_precision, reason = "the decimals of the paper")]
const LSRK14: LowStorage = LowStorage {
    a: &[
        0.0,
        -0.7188012108672410,
        -0.7785331173421570,
        -0.0053282796654044,
        -0.8552979934029281,
        -3.9564138245774565,
        -1.5780575380587385,
        -2.0837094552574054,
        -0.7483334182761610,
        -0.7032861106563359,
        0.0013917096117681,
        -0.0932075369637460,
        -0.9514200470875948,
        -7.1151571693922548,
    ],
    b: &[
        0.0367762454319673,
        0.3136296607553959,
        0.1531848691869027,
        0.0030097086818182,
        0.3326293790646110,
        0.2440251405350864,
        0.3718879239592277,
        0.6204126221582444,
        0.1524043173028741,
        0.0760894927419266,
        0.0077604214040978,
        0.0024647284755382,
        0.0780348340049386,
        5.5059777270269628,
    ],
};

impl TimeScheme {
    /// The schemes in which all cells evaluate all stages.
    pub const SINGLE: [TimeScheme; 4] = [
        TimeScheme::Rk4,
        TimeScheme::Lsrk5,
        TimeScheme::Lsrk10,
        TimeScheme::Lsrk14,
    ];

    /// Returns the coefficients of a scheme in 2N form; `None` of RK4 and the paired scheme.
    pub fn low_storage(self) -> Option<LowStorage> {
        match self {
            TimeScheme::Rk4 | TimeScheme::Paired => None,
            TimeScheme::Lsrk5 => Some(LSRK5),
            TimeScheme::Lsrk10 => Some(LSRK10),
            TimeScheme::Lsrk14 => Some(LSRK14),
        }
    }

    /// Returns the number of stages, each with one right-hand side, of some cells only in the paired scheme.
    pub fn stages(self) -> usize {
        match self {
            TimeScheme::Paired => paired::STAGES,
            _ => self.low_storage().map_or(4, |scheme| scheme.b.len()),
        }
    }

    /// Returns the times c_m of the stages as shares of the step: what the scheme makes of dt/dt = 1.
    pub fn stage_times(self) -> Vec<f64> {
        if self == TimeScheme::Paired {
            return (0..paired::STAGES).map(paired::stage_time).collect();
        }
        let Some(LowStorage { a, b }) = self.low_storage() else {
            return vec![0.0, 0.5, 0.5, 1.0];
        };
        let (mut register, mut time) = (0.0, 0.0);
        let advance = |(a, b): (&f64, &f64)| {
            let stage = time;
            register = a * register + 1.0;
            time += b * register;
            stage
        };
        a.iter().zip(b).map(advance).collect()
    }

    /// Returns the largest dt/eta at which the scheme is stable for u' = -u/eta in every cell. Of the paired scheme
    /// this is the limit of the member with the fewest evaluations.
    pub fn damping_limit(self) -> f64 {
        match self {
            TimeScheme::Rk4 => 2.785_293_563_405_282,
            TimeScheme::Lsrk5 => 4.656_757_066,
            TimeScheme::Lsrk10 => 11.810_423_00,
            TimeScheme::Lsrk14 => 18.521_468_06,
            TimeScheme::Paired => paired::MEMBERS[paired::LEVELS - 1].reach * TimeScheme::Rk4.damping_limit(),
        }
    }

    /// Returns the name in messages.
    pub fn name(self) -> &'static str {
        match self {
            TimeScheme::Rk4 => "RK4",
            TimeScheme::Lsrk5 => "LSRK5",
            TimeScheme::Lsrk10 => "LSRK10",
            TimeScheme::Lsrk14 => "LSRK14",
            TimeScheme::Paired => "paired RK",
        }
    }

    /// Returns the solution of du/dt = `rate` u, a linear equation with constant coefficients, after a step `dt` from
    /// `u`. Of the paired scheme it is that of the member with all evaluations.
    pub fn amplify<T>(self, u: &[T], dt: f64, rate: impl Fn(&[T]) -> Vec<T>) -> Vec<T>
    where
        T: Copy + Add<Output = T> + Mul<f64, Output = T>,
    {
        if self == TimeScheme::Paired {
            return paired::MEMBERS[0].amplify(u, dt, rate);
        }
        let mut state = u.to_vec();
        let Some(LowStorage { a, b }) = self.low_storage() else {
            // 1 + z (1 + z/2 (1 + z/3 (1 + z/4)))
            for divisor in [4.0, 3.0, 2.0, 1.0] {
                let slope = rate(&state);
                for ((state, slope), &u) in state.iter_mut().zip(slope).zip(u) {
                    *state = u + slope * (dt / divisor);
                }
            }
            return state;
        };
        let mut register: Vec<T> = u.iter().map(|&u| u * 0.0).collect();
        for (&a, &b) in a.iter().zip(b) {
            let slope = rate(&state);
            for ((state, register), slope) in state.iter_mut().zip(&mut register).zip(slope) {
                *register = *register * a + slope * dt;
                *state = *state + *register * b;
            }
        }
        state
    }
}

#[cfg(test)]
#[path = "runge_kutta_tests.rs"]
mod tests;
