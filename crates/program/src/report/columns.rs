//! What the figures of tables share: names of their columns, and the columns of errors.

use crate::io::Table;
use crate::output::{AT_LEAST, ERROR};

/// Most panels of a table.
pub(super) const PANELS: usize = 9;

/// Returns whether a column is about the errors of another one.
pub(super) fn is_of_error(table: &Table, name: &str) -> bool {
    let of = [ERROR, AT_LEAST].into_iter().find_map(|end| name.strip_suffix(end));
    of.is_some_and(|of| table.names.iter().any(|name| name == of))
}

/// Returns the least and the largest of the finite values.
pub(super) fn extremes(values: impl Iterator<Item = f64>) -> [f64; 2] {
    let finite = values.filter(|value| value.is_finite());
    finite.fold([f64::INFINITY, f64::NEG_INFINITY], |[a, b], x| [a.min(x), b.max(x)])
}

/// Most letters of the names in the title of a panel, beside which others stand.
const LETTERS: usize = 30;

/// Returns the title of a panel: the names of its columns in words.
pub(super) fn title(names: &[&str]) -> String {
    let mut listed = String::new();
    for (number, name) in names.iter().enumerate() {
        let comma = if number == 0 { "" } else { ", " };
        if number > 0 && listed.len() + name.len() > LETTERS {
            return format!("{listed} and {} more", names.len() - number);
        }
        listed += comma;
        listed += &name.replace('_', " ");
    }
    listed
}

/// Returns the name and the unit of a column, as an axis has them.
pub(super) fn label(table: &Table, column: usize) -> String {
    match table.units[column].as_str() {
        "-" => table.names[column].clone(),
        unit => format!("{}, {unit}", table.names[column]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn titles_are_names_in_words() {
        assert_eq!(title(&["wall_force_x"]), "wall force x");
        assert_eq!(title(&["lift", "drag", "side_force"]), "lift, drag, side force");
        let of_energy = ["kinetic_energy_decay", "dissipation_viscous", "dissipation_pressure"];
        assert_eq!(title(&of_energy), "kinetic energy decay and 2 more");
    }
}
