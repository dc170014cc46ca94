//! A scalar field of position and time, given as an expression or as a table, or by a function of the program.
//!
//! The solver evaluates fields at every point of the mesh from many threads; a field therefore shares one compiled
//! program or one table and is cheap to clone.

use std::fmt;
use std::sync::{Arc, OnceLock};

use super::profile::{Beyond, Profile, Walls};
use super::program::Program;
use crate::vector::dot;

/// Index of the time among the variables of an expression.
const TIME: usize = 3;

/// A scalar field of position and time.
#[derive(Clone)]
pub struct Field(Values);

#[derive(Clone)]
enum Values {
    /// An expression of x, y, z, t with all constants already resolved, and its text.
    Expression(Arc<Program>, Arc<str>),
    /// The columns of a table, and the walls of the mesh if it is along the distance from them. The mesh is not there
    /// when the case is read: the solver sets the walls of its own copy.
    Profile(Arc<Profile>, OnceLock<Arc<Walls>>),
    /// A field less a linear function of the position.
    MinusLinear(Box<Difference>),
    /// A function of the position that no expression is written for, and what it is.
    Function(Function, Arc<str>),
}

/// A function of the position.
pub type Function = Arc<dyn Fn([f64; 3]) -> f64 + Send + Sync>;

/// A field less a linear function of the position, slope.x + value.
#[derive(Debug, Clone)]
struct Difference {
    field: Field,
    slope: [f64; 3],
    value: f64,
}

impl Field {
    /// Returns the field that has the same value everywhere and always.
    pub fn constant(value: f64) -> Self {
        Self::new(Program::constant(value), &value.to_string())
    }

    /// Returns the field of a compiled expression, with its text.
    pub fn new(program: Program, text: &str) -> Self {
        Field(Values::Expression(Arc::new(program), text.into()))
    }

    /// Returns the field of a table.
    pub fn of_profile(profile: Profile) -> Self {
        Field(Values::Profile(Arc::new(profile), OnceLock::new()))
    }

    /// Returns the field that a function of the position gives. `text` names the field in messages.
    pub fn of_function(function: Function, text: &str) -> Self {
        Field(Values::Function(function, text.into()))
    }

    /// Whether it is a table along the distance from walls.
    pub fn needs_walls(&self) -> bool {
        match &self.0 {
            Values::Expression(..) | Values::Function(..) => false,
            Values::Profile(profile, _) => profile.needs_walls(),
            Values::MinusLinear(less) => less.field.needs_walls(),
        }
    }

    /// Sets the walls of the mesh, once.
    pub fn set_walls(&self, walls: &Arc<Walls>) {
        match &self.0 {
            Values::Expression(..) | Values::Function(..) => {}
            Values::Profile(_, of_mesh) => {
                of_mesh.get_or_init(|| walls.clone());
            }
            Values::MinusLinear(less) => less.field.set_walls(walls),
        }
    }

    /// Returns the field less slope.x + value.
    pub(crate) fn minus_linear(self, slope: [f64; 3], value: f64) -> Self {
        if slope == [0.0; 3] && value == 0.0 {
            self
        } else {
            Field(Values::MinusLinear(Box::new(Difference {
                field: self,
                slope,
                value,
            })))
        }
    }

    /// Returns the value at position `x` and time `t`; not a number beyond the ends of a table.
    pub fn eval(&self, x: [f64; 3], t: f64) -> f64 {
        match &self.0 {
            Values::Expression(program, _) => program.run([x[0], x[1], x[2], t]),
            Values::Profile(profile, walls) => profile.eval(x, walls.get().map(Arc::as_ref)),
            Values::MinusLinear(less) => less.field.eval(x, t) - (dot(less.slope, x) + less.value),
            Values::Function(function, _) => function(x),
        }
    }

    /// Returns whether the value is the same everywhere and always.
    pub fn is_constant(&self) -> bool {
        self.as_constant().is_some()
    }

    /// Returns whether the value changes with time.
    pub fn depends_on_time(&self) -> bool {
        match &self.0 {
            Values::Expression(program, _) => program.uses(TIME),
            Values::Profile(..) | Values::Function(..) => false,
            Values::MinusLinear(less) => less.field.depends_on_time(),
        }
    }

    /// Returns the value, if it is the same everywhere and always.
    pub(crate) fn as_constant(&self) -> Option<f64> {
        match &self.0 {
            Values::Expression(program, _) => program.as_constant(),
            Values::Profile(..) | Values::MinusLinear(_) | Values::Function(..) => None,
        }
    }

    /// Returns how a position lies beyond the ends of the table, if it does.
    pub fn beyond(&self, x: [f64; 3]) -> Option<Beyond> {
        match &self.0 {
            Values::Expression(..) | Values::Function(..) => None,
            Values::Profile(profile, walls) => profile.beyond(x, walls.get().map(Arc::as_ref)),
            Values::MinusLinear(less) => less.field.beyond(x),
        }
    }

    /// Returns a description of the table, if it is one.
    pub fn describe_table(&self) -> Option<String> {
        match &self.0 {
            Values::Expression(..) | Values::Function(..) => None,
            Values::Profile(profile, _) => Some(profile.describe()),
            Values::MinusLinear(less) => less.field.describe_table(),
        }
    }
}

impl fmt::Debug for Field {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.0, self.as_constant()) {
            (_, Some(value)) => write!(f, "Field({value:?})"),
            (Values::Expression(_, text), None) => write!(f, "Field({text})"),
            (Values::Profile(profile, _), None) => write!(f, "Field({profile})"),
            (Values::Function(_, text), None) => write!(f, "Field({text})"),
            (Values::MinusLinear(less), None) => {
                write!(f, "Field({:?} - ({:?}.x + {:?}))", less.field, less.slope, less.value)
            }
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
