//! The columns of a series that are drawn if none are chosen: those that an engineer looks at first. What does not
//! change is left out, unless nothing does.

use super::columns::{PLACE, POINT, TIME, UNIT_OF_NONE};
use super::spectra::OF_PROBES;
use crate::io::Table;
use crate::output::{AT_LEAST, ERROR};

/// Columns that say when and where a row is.
const WHERE: [&str; 4] = ["step", TIME, "dt", POINT];
/// A column that integrals alone have, and those of them that are usual.
const OF_INTEGRALS: &str = "kinetic_energy_decay";
const INTEGRALS: [&str; 4] = ["kinetic_energy", OF_INTEGRALS, "enstrophy", "mach_max"];
/// Ends of the names of coefficients of a wall, and of those that are usual.
const COEFFICIENTS: [&str; 7] = [
    "_drag",
    "_lift",
    "_side",
    "_moment_x",
    "_moment_y",
    "_moment_z",
    "_friction_drag",
];
/// An end of a name that boundaries alone have, and those of them that are usual.
const OF_BOUNDARIES: &str = "_mass_flux";
const BOUNDARIES: [&str; 4] = [OF_BOUNDARIES, "_force_x", "_force_y", "_force_z"];
/// The ends of those names of columns that mean the same quantity on every wall and boundary.
const OF_ONE_KIND: [&str; 3] = ["_y_plus_mean", "_y_plus_max", "_reversed"];
/// What coefficients have in common on an axis.
const COEFFICIENT: &str = "coefficient";

/// Returns whether a column is a quantity, not the time or the place of a row.
fn is_quantity(table: &Table, name: &str) -> bool {
    let of_place = table.column(POINT).is_some() && PLACE.contains(&name);
    !(name.is_empty() || of_place || WHERE.contains(&name))
}

/// Returns the columns of a table that can be drawn.
pub(super) fn drawable(table: &Table) -> Vec<&str> {
    let names = table.names.iter().map(String::as_str);
    names.filter(|name| is_quantity(table, name)).collect()
}

/// Returns the columns of a table that are drawn if none are chosen.
pub(super) fn of(table: &Table) -> Vec<&str> {
    let all = drawable(table);
    let ends = |ends: &[&str]| -> Vec<&str> {
        let known = |name: &&&str| ends.iter().any(|end| name.ends_with(end));
        all.iter().filter(known).copied().collect()
    };
    let among = |known: &[&str]| -> Vec<&str> { all.iter().filter(|name| known.contains(name)).copied().collect() };
    let is_of_error = |name: &str| [ERROR, AT_LEAST].iter().any(|end| name.ends_with(end));
    let usual = if table.column(POINT).is_some() {
        among(&OF_PROBES)
    } else if table.column(OF_INTEGRALS).is_some() {
        among(&INTEGRALS)
    } else if !ends(&COEFFICIENTS[..2]).is_empty() {
        ends(&COEFFICIENTS)
    } else if !ends(&[OF_BOUNDARIES]).is_empty() {
        ends(&BOUNDARIES)
    } else {
        all.iter().filter(|name| !is_of_error(name)).copied().collect()
    };
    let changing: Vec<&str> = usual.iter().filter(|name| changes(table, name)).copied().collect();
    if changing.is_empty() { usual } else { changing }
}

/// Returns whether a column has two numbers that differ.
fn changes(table: &Table, name: &str) -> bool {
    let values = table.column(name).unwrap_or_default();
    let mut numbers = values.iter().filter(|value| value.is_finite());
    let first = numbers.next();
    numbers.any(|value| Some(value) != first)
}

/// Returns what a column has in common with others that can share a panel: its unit, or the kind of number that it is.
pub(super) fn family(table: &Table, name: &str) -> String {
    if let Some(unit) = table.unit(name) {
        return unit.to_owned();
    }
    if COEFFICIENTS.iter().any(|end| name.ends_with(end)) {
        return COEFFICIENT.to_owned();
    }
    let end = OF_ONE_KIND.iter().find(|end| name.ends_with(*end));
    end.map_or(name, |end| &end[1..]).to_owned()
}

/// Returns the unit of a column.
pub(super) fn unit(table: &Table, name: &str) -> String {
    table.unit(name).unwrap_or(UNIT_OF_NONE).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(text: &str) -> Table {
        Table::parse(text.as_bytes()).expect("a table")
    }

    #[test]
    fn forces_are_drawn_as_their_coefficients_without_what_is_constant() {
        let text = "step,time,a_drag,a_lift,a_side,a_friction_drag,a_heat,a_y_plus_max\n-,s,-,-,-,-,W,-\n\
                    0,0,1,0,0,0.1,5,1\n1,1,2,1,0,0.2,6,2\n";
        let table = table(text);
        assert_eq!(of(&table), ["a_drag", "a_lift", "a_friction_drag"]);
        assert_eq!(drawable(&table).len(), 6);
        let families = ["a_drag", "a_lift", "a_heat", "a_y_plus_max"].map(|name| family(&table, name));
        assert_eq!(families, ["coefficient", "coefficient", "W", "y_plus_max"]);
    }

    #[test]
    fn other_series_have_all_that_changes() {
        let of_force = table("step,time,bulk,force,bulk_error\n-,s,m/s,N,m/s\n0,0,1,2,1\n1,1,1,3,2\n");
        assert_eq!(of(&of_force), ["force"]);
        let probes = table("time,point,x,y,z,u,p,T\ns,-,m,m,m,m/s,Pa,K\n0,0,1,2,3,1,1,1\n1,0,1,2,3,2,2,2\n");
        assert_eq!(of(&probes), ["u", "p"]);
        let at_rest = table("time,force\ns,N\n0,1\n1,1\n");
        assert_eq!(of(&at_rest), ["force"], "nothing changes");
    }
}
