//! Columns of the tables of runs that more than one kind of figure shows: their names, and the access to a column that
//! names the file if it has none.

use std::path::Path;

use super::error::Error;
use crate::io::Table;
use crate::output::{AT_LEAST, Certainty, ERROR};

/// The unit of a column of numbers.
pub(super) const UNIT_OF_NONE: &str = "-";
/// The time of a series.
pub(super) const TIME: &str = "time";
/// The number of a point of probes, and its place.
pub(super) const POINT: &str = "point";
pub(super) const PLACE: [&str; 3] = ["x", "y", "z"];
/// The phase of means at equal phases.
pub(super) const PHASE: &str = "phase";
/// The place on a blade over its axial chord.
pub(super) const CHORD: &str = "x_over_C";
/// The number of a side of a blade: 1 and, if there are two, 2.
pub(super) const SIDE: &str = "side";
/// The pressure coefficient on a blade.
pub(super) const PRESSURE: &str = "C_p";
/// The skin friction coefficient on a blade.
pub(super) const FRICTION: &str = "C_f";
/// The place along the line of a traverse.
pub(super) const LINE: &str = "y";
/// The total pressure on the line of a traverse.
pub(super) const TOTAL: &str = "p0";
/// The variances of the velocity.
pub(super) const VARIANCES: [&str; 3] = ["uu", "vv", "ww"];

/// Returns the values of a column of the file at `path`.
///
/// # Errors
/// The table has no such column.
pub(super) fn column<'a>(table: &'a Table, path: &Path, column: &str) -> Result<&'a [f64], Error> {
    table.column(column).ok_or_else(|| Error::MissingColumn {
        path: path.into(),
        column: column.to_owned(),
        names: table.names.clone(),
    })
}

/// Returns the certainty of all errors of a column that are known.
pub(super) fn certainty(table: &Table, name: &str) -> Certainty {
    let of = |end: &str| table.column(&format!("{name}{end}")).unwrap_or_default();
    let known = of(ERROR)
        .iter()
        .zip(of(AT_LEAST))
        .filter(|(error, _)| error.is_finite());
    Certainty::of_all(known.map(|(_, &entry)| Certainty::of_entry(Some(entry))))
}

/// Returns half the sum of the variances of the velocity, the energy of the fluctuations over the mass.
pub(super) fn energy([uu, vv, ww]: [&[f64]; 3]) -> Vec<f64> {
    let triples = uu.iter().zip(vv).zip(ww);
    triples.map(|((uu, vv), ww)| 0.5 * (uu + vv + ww)).collect()
}
