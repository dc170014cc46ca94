//! Marks of designs in the figures of a study: those that keep all constraints and the others, with bars of their
//! statistical errors, without which designs that differ by chance look different.

use crate::plot::figure::{Curve, Marker, SHOWN_ERRORS, Style};

use super::record::Record;

/// Returns a curve of marks without a line.
pub(super) fn marks(label: &str, points: Vec<[f64; 2]>, colour: usize, marker: Marker) -> Curve {
    Curve {
        label: label.to_owned(),
        x: points.iter().map(|p| p[0]).collect(),
        y: points.iter().map(|p| p[1]).collect(),
        style: Style {
            width: 0.0,
            dashes: "",
            marker,
            ..Style::measured(colour, 0)
        },
    }
}

/// A number of a design, with its standard error; NaN if there is none.
#[derive(Clone, Copy)]
pub(super) struct Known {
    value: f64,
    error: f64,
}

impl Known {
    /// Returns a number without an error.
    pub(super) fn exact(value: f64) -> Self {
        let error = f64::NAN;
        Known { value, error }
    }

    /// Returns a value of a design; `None` if it does not have it.
    pub(super) fn of(record: &Record, name: &str) -> Option<Self> {
        Some(Known {
            value: *record.values.get(name)?,
            error: record.errors.get(name).copied().unwrap_or(f64::NAN),
        })
    }

    /// Returns both ends of its bar.
    fn ends(self) -> [f64; 2] {
        [-SHOWN_ERRORS, SHOWN_ERRORS].map(|errors_away| self.value + errors_away * self.error)
    }
}

/// Returns the marks of feasible designs and of the others, above bars of their errors.
pub(super) fn clouds(best: &[&Record], point: impl Fn(&Record) -> Option<[Known; 2]>) -> Vec<Curve> {
    let of = |feasible: bool| {
        let records = best.iter().filter(|r| (r.violation == 0.0) == feasible);
        records.filter_map(|r| point(r)).collect::<Vec<_>>()
    };
    let places = |points: &[[Known; 2]]| points.iter().map(|point| point.map(|of| of.value)).collect();
    let (kept, broken) = (of(true), of(false));
    let curves = [
        bars(&kept, 0),
        bars(&broken, 1),
        marks("feasible", places(&kept), 0, Marker::Circle),
        marks("not feasible", places(&broken), 1, Marker::Triangle),
    ];
    curves.into_iter().filter(|curve| !curve.x.is_empty()).collect()
}

/// Returns bars along both axes of the errors that are known, one after the other in a line that is broken between
/// them.
fn bars(points: &[[Known; 2]], colour: usize) -> Curve {
    let (mut x, mut y) = (Vec::new(), Vec::new());
    for [over, value] in points {
        for (across, up) in [(over.ends(), [value.value; 2]), ([over.value; 2], value.ends())] {
            if across.iter().chain(&up).all(|end| end.is_finite()) {
                x.extend(across.into_iter().chain([f64::NAN]));
                y.extend(up.into_iter().chain([f64::NAN]));
            }
        }
    }
    Curve {
        label: String::new(),
        x,
        y,
        style: Style {
            width: 1.4,
            marker: Marker::None,
            ..Style::measured(colour, 0)
        },
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    #[test]
    fn designs_with_a_statistical_error_have_bars_of_two_of_them() {
        let design = |value: f64, error: Option<f64>, violation: f64| {
            let mut record = Record::planned("doe", BTreeMap::new(), String::new());
            record.values.insert("omega".to_owned(), value);
            record.errors.extend(error.map(|error| ("omega".to_owned(), error)));
            record.violation = violation;
            record
        };
        let records = [
            design(4.0, Some(0.25), 0.0),
            design(5.0, None, 0.0),
            design(6.0, Some(1.0), 0.5),
        ];
        let records: Vec<&Record> = records.iter().collect();
        let curves = clouds(&records, |r| Some([Known::exact(3.0), Known::of(r, "omega")?]));
        let labels: Vec<&str> = curves.iter().map(|curve| curve.label.as_str()).collect();
        assert_eq!(labels, ["", "", "feasible", "not feasible"]);
        assert_eq!(
            (curves[0].x.len(), &curves[0].x[..2], &curves[0].y[..2]),
            (3, &[3.0; 2][..], &[3.5, 4.5][..])
        );
        assert!(curves[0].y[2].is_nan(), "lines are broken between bars");
        assert_eq!(curves[1].y[..2], [4.0, 8.0]);
        assert_eq!((&curves[2].y, &curves[3].y), (&vec![4.0, 5.0], &vec![6.0]));
    }
}
