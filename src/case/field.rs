//! A scalar field of position and time, given as an expression.

/// An expression of x, y, z, t with all constants already resolved.
#[derive(Clone)]
pub struct Field {
    value: std::sync::Arc<dyn Fn([f64; 3], f64) -> f64 + Send + Sync>,
}
impl std::fmt::Debug for Field { fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result { write!(f, "field") } }

impl Field {
    /// tmp
    pub fn new(f: impl Fn([f64; 3], f64) -> f64 + Send + Sync + 'static) -> Self { Field { value: std::sync::Arc::new(f) } }
    /// Value at position `x` and time `t`.
    pub fn eval(&self, x: [f64; 3], t: f64) -> f64 {
        (self.value)(x, t)
    }
    /// time
    pub fn depends_on_time(&self) -> bool { false }
}
