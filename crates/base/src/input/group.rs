//! The fields of one group of keys.

use super::field::Field;
use super::field_text::FieldText;
use super::problem::Problem;
use super::scope::{Of, Scope};

/// A group of keys whose values are fields: evaluates each under its own name.
#[derive(Clone, Copy)]
pub struct Group<'a> {
    /// The constants.
    pub scope: &'a Scope,
    /// Key path of the group.
    pub key: &'a str,
    /// The variables that the fields may use.
    pub of: Of,
}

impl Group<'_> {
    /// Returns the key path of one of the keys.
    pub fn path(&self, name: &str) -> String {
        format!("{}.{name}", self.key)
    }

    /// Evaluates a field of any value.
    ///
    /// # Errors
    /// The field cannot be evaluated.
    pub fn field(&self, name: &str, field: &FieldText) -> Result<Field, Problem> {
        self.scope.field(&self.path(name), field, self.of)
    }

    /// Evaluates a field that must be above 0.
    ///
    /// # Errors
    /// The field cannot be evaluated, or is constant and not above 0.
    pub fn positive(&self, name: &str, field: &FieldText) -> Result<Field, Problem> {
        self.scope.positive_field(&self.path(name), field, self.of)
    }

    /// Evaluates three fields.
    ///
    /// # Errors
    /// A field cannot be evaluated.
    pub fn vector(&self, name: &str, fields: &[FieldText; 3]) -> Result<[Field; 3], Problem> {
        self.scope.vector(&self.path(name), fields, self.of)
    }
}
