//! The figure of profiles: the mean velocity beside the two laws of the wall, its difference from the reference, and
//! the stresses, each in a panel of its own, so that the colour alone identifies the run of a curve.

use super::data::{COMPARED, Profiles, Quantity};
use crate::output::Certainty;
use crate::plot::figure::{Band, Curve, Figure, Panel, Scale, Style};

/// Logarithmic law of the wall, U+ = ln(y+) / KARMAN + OFFSET.
const KARMAN: f64 = 0.41;
const OFFSET: f64 = 5.2;
/// Ends of the curves of the two laws.
const SUBLAYER_END: f64 = 12.0;
const LOG_BEGIN: f64 = 6.0;
/// Smallest distance from the wall that is shown, in wall units. On a logarithmic axis, smaller ones would take most of
/// the room.
const NEAREST: f64 = 0.1;
/// Number of points of a law, enough for a smooth curve.
const LAW_POINTS: usize = 60;

const WALL_DISTANCE: &str = "y\u{207a}";

/// Returns the figure of all runs, with a reference if there is one.
pub fn figure(runs: &[Profiles], reference: Option<&Profiles>) -> Figure {
    let nearest = runs
        .iter()
        .flat_map(|run| run.y_plus.iter().copied())
        .filter(|&y| y >= NEAREST)
        .fold(1.0, f64::min);
    let furthest = runs.iter().chain(reference).map(|profiles| profiles.re_tau);
    let furthest = furthest.fold(LOG_BEGIN, f64::max);
    let shown = Shown {
        runs,
        reference,
        nearest,
    };
    let over_y_plus = |title: &str, symbol: &str, quantity: Quantity| Panel {
        title: title.into(),
        x_label: WALL_DISTANCE.into(),
        y_label: symbol.into(),
        curves: shown.curves(|profiles| &profiles.y_plus, quantity),
        bands: shown.bands(|profiles| &profiles.y_plus, quantity),
        x_scale: Scale::Logarithmic,
        ..Panel::default()
    };
    let mut mean = over_y_plus("Mean velocity", "U\u{207a}", Quantity::Mean);
    mean.curves.splice(
        0..0,
        [
            law("U\u{207a} = y\u{207a}", "2.5 3", (nearest, SUBLAYER_END), |y| y),
            law("log law (0.41, 5.2)", "12 3 3 3", (LOG_BEGIN, furthest), |y| {
                y.ln() / KARMAN + OFFSET
            }),
        ],
    );
    let mut panels = vec![mean];
    panels.extend(reference.and_then(|reference| difference(runs, reference)));
    let mut shear = Panel {
        title: "Shear stress".into(),
        x_label: "y/h".into(),
        y_label: "\u{2212}uv\u{207a}".into(),
        curves: shown.curves(|profiles| &profiles.y_over_h, Quantity::Shear),
        bands: shown.bands(|profiles| &profiles.y_over_h, Quantity::Shear),
        ..Panel::default()
    };
    shear.curves.insert(
        0,
        guide("total stress 1 \u{2212} y/h", "7 3 2 3", vec![0.0, 1.0], vec![1.0, 0.0]),
    );
    panels.push(shear);
    panels.push(over_y_plus("Variance along the flow", "uu\u{207a}", Quantity::Along));
    panels.push(over_y_plus(
        "Variance normal to the wall",
        "vv\u{207a}",
        Quantity::Normal,
    ));
    panels.push(over_y_plus("Variance across the flow", "ww\u{207a}", Quantity::Across));
    Figure {
        notes: Band::notes(&panels, Certainty::of_all(runs.iter().map(|run| run.certainty))),
        panels,
        ..Figure::default()
    }
}

/// The contents of all panels, and the smallest distance in wall units.
struct Shown<'a> {
    runs: &'a [Profiles],
    reference: Option<&'a Profiles>,
    nearest: f64,
}

impl Shown<'_> {
    /// Returns the curves of one quantity of all runs, with the reference on top.
    fn curves(&self, x: fn(&Profiles) -> &[f64], quantity: Quantity) -> Vec<Curve> {
        let curve = |profiles: &Profiles, style: Style| {
            let first = self.first(profiles);
            Curve {
                label: profiles.label.clone(),
                x: x(profiles)[first..].to_vec(),
                y: profiles.of(quantity)[first..].to_vec(),
                style,
            }
        };
        let runs = self.runs.iter().enumerate();
        let reference = self
            .reference
            .iter()
            .map(|profiles| curve(profiles, Style::reference()));
        runs.map(|(index, run)| curve(run, Style::run(index)))
            .chain(reference)
            .collect()
    }

    /// Returns the bands of the errors of one quantity of all runs.
    fn bands(&self, x: fn(&Profiles) -> &[f64], quantity: Quantity) -> Vec<Band> {
        let band = |(index, run): (usize, &Profiles)| {
            let first = self.first(run);
            let (y, errors) = (&run.of(quantity)[first..], run.errors_of(quantity).get(first..)?);
            Band::of_errors(&x(run)[first..], y, errors, Style::run(index).color)
        };
        self.runs.iter().enumerate().filter_map(band).collect()
    }

    /// Returns the first point that is shown.
    fn first(&self, profiles: &Profiles) -> usize {
        profiles.y_plus.partition_point(|&y| y < self.nearest)
    }
}

/// Returns the panel of differences from the reference; `None` if no run has a point to compare.
fn difference(runs: &[Profiles], reference: &Profiles) -> Option<Panel> {
    let percent = |(index, run): (usize, &Profiles)| {
        let (x, differences) = run.difference(reference);
        Curve {
            label: run.label.clone(),
            x,
            y: differences.iter().map(|difference| 100.0 * difference).collect(),
            style: Style::run(index),
        }
    };
    let mut curves: Vec<Curve> = runs.iter().enumerate().map(percent).collect();
    let band = |(curve, run): (&Curve, &Profiles)| {
        let errors = run.difference_errors(reference);
        let errors: Vec<f64> = errors.iter().map(|error| 100.0 * error).collect();
        Band::of_errors(&curve.x, &curve.y, &errors, curve.style.color)
    };
    let bands = curves.iter().zip(runs).filter_map(band).collect();
    let ends = |curve: &Curve| curve.x.last().copied();
    let last = curves.iter().filter_map(ends).reduce(f64::max)?;
    curves.push(Curve {
        label: reference.label.clone(),
        x: vec![COMPARED, last],
        y: vec![0.0, 0.0],
        style: Style::reference(),
    });
    Some(Panel {
        title: "Mean velocity, difference".into(),
        x_label: WALL_DISTANCE.into(),
        y_label: "U\u{207a} against reference [%]".into(),
        curves,
        bands,
        x_scale: Scale::Logarithmic,
        ..Panel::default()
    })
}

/// Returns a thin line for a theoretical result.
fn guide(label: &str, dashes: &'static str, x: Vec<f64>, y: Vec<f64>) -> Curve {
    Curve {
        label: label.into(),
        x,
        y,
        style: Style {
            dashes,
            ..Style::reference().part().grey()
        },
    }
}

/// Returns the line of a formula, at points equidistant on a logarithmic axis.
fn law(label: &str, dashes: &'static str, (from, to): (f64, f64), formula: fn(f64) -> f64) -> Curve {
    let at = |i: usize| from * (to / from).powf(i as f64 / (LAW_POINTS - 1) as f64);
    let x: Vec<f64> = (0..LAW_POINTS).map(at).collect();
    let y = x.iter().map(|&y| formula(y)).collect();
    guide(label, dashes, x, y)
}
