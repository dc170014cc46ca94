//! A scalar field of position and time, given as an expression.

/// An expression of x, y, z, t with all constants already resolved.
#[derive(Debug, Clone)]
pub struct Field {
    value: f64,
}

impl Field {
    /// Value at position `x` and time `t`.
    pub fn eval(&self, _x: [f64; 3], _t: f64) -> f64 {
        self.value
    }
}
