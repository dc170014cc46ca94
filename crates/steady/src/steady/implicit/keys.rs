//! The keys of implicit steps in a case.

use super::settings::{Implicit, Preconditioner, Refresh};
use crate::input::{Count, Expression, Number, Problem, Scope, keys, not_negative};

keys! {
/// Implicit steps of the steady solution, of `driver: implicit`; `{}` takes all defaults.
ImplicitKeys as "a mapping with keys such as `cfl` and `preconditioner`" {
    /// CFL number of the first step, and the one up to which it grows as the residual falls, above 0.
    #[serde(default = "cfl")]
    pub cfl: [Number; 2],
    /// Preconditioner of the linear systems.
    #[serde(default)]
    pub preconditioner: Preconditioner,
    /// Number of sweeps of `gauss-seidel`, from 1 to 100; of `multigrid` on the points, one half of them before the
    /// correction by coarser levels.
    #[serde(default = "four")]
    pub sweeps: Count,
    /// Number of iterations of FGMRES for one linear system, from 1 to 200. A solution that then leaves more than a
    /// quarter of its right side takes up to as many more, until it leaves a quarter. Each needs four vectors in single
    /// precision in memory.
    #[serde(default = "twenty")]
    pub krylov: Count,
    /// Residual of a linear system, over its right side, at which its solution ends; above 0 and below 1.
    #[serde(default = "three_hundredths")]
    pub linear_stop: Number,
    /// When the factors of the preconditioner of the mean flow are computed anew; in every step if it is absent.
    pub refresh: Option<RefreshKeys>,
}}

keys! {
/// Factors that are kept: they are computed anew every 10 steps, and after a linear solution of more than a + b CFL
/// iterations or every `period` steps.
RefreshKeys as "a mapping with the keys `a` and `b`, or `period`" {
    /// The number a, at least 0; default: 0.5.
    pub a: Option<Number>,
    /// The number b, at least 0; default: 0.15.
    pub b: Option<Number>,
    /// Number of steps from 1 to 10 for which the factors are kept, in place of `a` and `b`. They are computed anew
    /// after every check too, which comes every 10 steps.
    pub period: Option<Count>,
}}

impl Default for ImplicitKeys {
    fn default() -> Self {
        ImplicitKeys {
            cfl: cfl(),
            preconditioner: Preconditioner::default(),
            sweeps: four(),
            krylov: twenty(),
            linear_stop: three_hundredths(),
            refresh: None,
        }
    }
}

fn cfl() -> [Number; 2] {
    [5.0.into(), 50.0.into()]
}

fn four() -> Count {
    Count(Expression::Value(4.0))
}

fn twenty() -> Count {
    Count(Expression::Value(20.0))
}

fn three_hundredths() -> Number {
    0.03.into()
}

/// Returns the path of a key.
fn key(name: &str) -> String {
    format!("steady.implicit.{name}")
}

impl ImplicitKeys {
    /// Evaluates and checks all keys but the CFL numbers.
    ///
    /// # Errors
    /// Returns a problem with the path of the key if a value is not possible.
    pub fn resolve(&self, scope: &Scope) -> Result<Implicit, Problem> {
        let up_to = |name: &str, count: &Count, most: u64| {
            let value = scope.count(&key(name), count)?;
            if value <= most {
                Ok(value as usize)
            } else {
                Err(Problem::new(format!("{value} is too large; it must be at most {most}")).key(key(name)))
            }
        };
        let stop = |v: f64| v > 0.0 && v < 1.0;
        let refresh = |keys: &RefreshKeys| {
            let number = |name: &str, number: &Option<Number>, default: f64| {
                let number = number.clone().unwrap_or_else(|| default.into());
                scope.number_if(&key(name), &number, not_negative, "at least 0")
            };
            match &keys.period {
                None => Ok(Refresh::OnDemand {
                    a: number("refresh.a", &keys.a, 0.5)?,
                    b: number("refresh.b", &keys.b, 0.15)?,
                }),
                Some(_) if keys.a.is_some() || keys.b.is_some() => {
                    Err(Problem::new("`period` and `a`, `b` exclude each other").key(key("refresh")))
                }
                Some(period) => Ok(Refresh::Every(up_to("refresh.period", period, 10)? as u64)),
            }
        };
        Ok(Implicit {
            preconditioner: self.preconditioner,
            sweeps: up_to("sweeps", &self.sweeps, 100)?,
            krylov: up_to("krylov", &self.krylov, 200)?,
            linear_stop: scope.number_if(&key("linear-stop"), &self.linear_stop, stop, "above 0 and below 1")?,
            refresh: self.refresh.as_ref().map(refresh).transpose()?,
        })
    }

    /// Evaluates and checks the CFL number of the first step and the one up to which it grows.
    ///
    /// # Errors
    /// Returns a problem with the path of the key if a value is not possible.
    pub fn cfl_numbers(&self, scope: &Scope) -> Result<[f64; 2], Problem> {
        let cfl = |d: usize| {
            let test = |v: f64| v > 0.0 && v <= 1e12;
            scope.number_if(
                &key(&format!("cfl[{d}]")),
                &self.cfl[d],
                test,
                "above 0 and at most 1e12",
            )
        };
        let first = cfl(0)?;
        let last = cfl(1)?;
        if first > last {
            let what = format!("the CFL number of the first step, {first}, is above that up to which it grows, {last}");
            return Err(Problem::new(what).key(key("cfl")));
        }
        Ok([first, last])
    }
}
