//! A scalar field of position and time, given as an expression.
//!
//! The solver evaluates fields at every point of the mesh from many threads; a field therefore shares one compiled
//! program and is cheap to clone.

use std::fmt;
use std::sync::Arc;

use super::program::Program;

/// Index of the time among the variables of an expression.
const TIME: usize = 3;

/// An expression of x, y, z, t with all constants already resolved.
#[derive(Clone)]
pub struct Field {
    program: Arc<Program>,
    text: Arc<str>,
}

impl Field {
    /// Returns the field that has the same value everywhere and always.
    pub fn constant(value: f64) -> Self {
        Self::new(Program::constant(value), &value.to_string())
    }

    /// Returns the field of a compiled expression, with its text.
    pub(crate) fn new(program: Program, text: &str) -> Self {
        Self {
            program: Arc::new(program),
            text: text.into(),
        }
    }

    /// Returns the value at position `x` and time `t`.
    pub fn eval(&self, x: [f64; 3], t: f64) -> f64 {
        self.program.run([x[0], x[1], x[2], t])
    }

    /// Returns whether the value is the same everywhere and always.
    pub fn is_constant(&self) -> bool {
        self.as_constant().is_some()
    }

    /// Returns whether the value changes with time.
    pub fn depends_on_time(&self) -> bool {
        self.program.uses(TIME)
    }

    /// Returns the value, if it is the same everywhere and always.
    pub(crate) fn as_constant(&self) -> Option<f64> {
        self.program.as_constant()
    }
}

impl fmt::Debug for Field {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.as_constant() {
            Some(value) => write!(f, "Field({value:?})"),
            None => write!(f, "Field({})", self.text),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_can_be_shared_between_threads() {
        fn shareable<T: Send + Sync + Clone + fmt::Debug>() {}
        shareable::<Field>();
    }

    #[test]
    fn constants_are_known_to_be_constant() {
        let field = Field::constant(2.5);
        assert!(field.is_constant() && !field.depends_on_time());
        assert_eq!(field.eval([1.0, 2.0, 3.0], 4.0), 2.5);
    }
}
