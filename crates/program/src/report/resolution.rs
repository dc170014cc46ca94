//! How fine the mesh is: y+ of the walls, and the distance of the solution points over the Kolmogorov length.

use super::html::{Section, figure, paragraph};
use super::picture::Picture;
use super::run::Run;
use crate::format::number;
use crate::plot::Stored;
use crate::plot::colours::quantile;
use crate::plot::figure::{Curve, Figure, Panel, Size, Style};
use crate::vector::{Vector, cross, length, minus};

/// Bars of a histogram.
const BARS: usize = 60;

/// Returns the histograms for which there are files.
pub(super) fn section(run: &Run) -> Option<Section> {
    let mut panels = Vec::new();
    let mut notes = Vec::new();
    if let Some(values) = y_plus(run) {
        notes.push(line(
            "y+ of the first solution point, at the points of all walls",
            &values,
        ));
        panels.push(histogram("y+ of the first point", "y+", values));
    }
    for (name, path) in &run.slices {
        let Some(values) = Stored::open(path).ok().and_then(|stored| spacing(run, &stored)) else {
            continue;
        };
        notes.push(line(
            &format!("Point distance over the Kolmogorov length in the slice {name}"),
            &values,
        ));
        panels.push(histogram(&format!("Slice {name}"), "point distance/\u{3b7}", values));
    }
    if panels.is_empty() {
        return None;
    }
    let drawn = Figure {
        panels,
        ..Figure::default()
    };
    let picture = Picture::new("resolution".to_owned(), drawn, Size::Screen);
    let mut body: String = notes.iter().map(|note| paragraph(note)).collect();
    body += &paragraph(
        "The point distance is the root of the area that a cell has in the slice, over the order. The Kolmogorov \
         length follows from the vorticity of the newest slice at the same place: \u{3b7} = \
         (\u{3bd}/|\u{3c9}|)^(1/2), since the dissipation rate of homogeneous turbulence is \
         \u{3bd} \u{3c9}\u{b2}. It is an estimate from one instant.",
    );
    body += &figure(&picture.svg(), "Share of the points of the newest files.");
    Some(Section {
        id: "resolution",
        title: "Resolution".to_owned(),
        body,
        pictures: vec![picture],
    })
}

/// Returns y+ at the points of all walls; elsewhere it is 0 or not a number.
fn y_plus(run: &Run) -> Option<Vec<f64>> {
    let stored = Stored::open(run.surfaces.as_deref()?).ok()?;
    let values: Vec<f64> = stored.field("y_plus")?.into_iter().filter(|y| *y > 0.0).collect();
    (!values.is_empty()).then_some(values)
}

/// Returns the point distance over the Kolmogorov length at the corners of a slice.
fn spacing(run: &Run, stored: &Stored) -> Option<Vec<f64>> {
    let (gas, record) = (run.gas()?, run.record.as_ref()?);
    gas.viscosity?;
    let points = &stored.points;
    let nodes = stored.triangles().ok()?;
    let cells = stored.cells().ok()?;
    if cells.len() != nodes.len() {
        return None;
    }
    let [rho, t] = [stored.field("density")?, stored.field("temperature")?];
    let vorticity = stored.vectors("vorticity")?;
    // The triangles of a cell follow one another.
    let mut values = Vec::with_capacity(points.len());
    let mut first = 0;
    for of_cell in cells.chunk_by(|a, b| a == b) {
        let triangles = &nodes[first..first + of_cell.len()];
        first += of_cell.len();
        let area: f64 = triangles.iter().map(|nodes| area(points, nodes)).sum();
        let distance = area.sqrt() / record.mesh.order as f64;
        let mut corners: Vec<usize> = triangles.iter().flatten().copied().collect();
        corners.sort_unstable();
        corners.dedup();
        values.extend(corners.into_iter().map(|node| {
            let nu = gas.mu(t[node]) / rho[node];
            distance / (nu / length(vorticity[node])).sqrt()
        }));
    }
    values.retain(|value| value.is_finite());
    (!values.is_empty()).then_some(values)
}

fn area(points: &[Vector], nodes: &[usize; 3]) -> f64 {
    let [a, b, c] = nodes.map(|node| points[node]);
    0.5 * length(cross(minus(b, a), minus(c, a)))
}

/// Returns a sentence about the middle and the upper end of a set of values.
fn line(what: &str, values: &[f64]) -> String {
    let [middle, most, largest] = [0.5, 0.95, 1.0].map(|share| number(quantile(values.to_vec(), share)));
    format!("{what}: median {middle}, 95 % of the points below {most}, largest {largest}.")
}

/// Returns a panel with the share of the values in each of equal intervals.
fn histogram(title: &str, x_label: &str, values: Vec<f64>) -> Panel {
    let most = 1.05 * quantile(values.clone(), 0.999);
    let mut counts = [0usize; BARS];
    for value in &values {
        let bar = (value / most * BARS as f64) as usize;
        counts[bar.min(BARS - 1)] += 1;
    }
    let share = |count: usize| 100.0 * count as f64 / values.len() as f64;
    let edges = (0..BARS).flat_map(|bar| [bar, bar + 1]);
    Panel {
        title: title.to_owned(),
        x_label: x_label.to_owned(),
        y_label: "share of the points, %".to_owned(),
        curves: vec![Curve {
            label: String::new(),
            x: edges.map(|edge| most * edge as f64 / BARS as f64).collect(),
            y: counts.iter().flat_map(|&count| [share(count); 2]).collect(),
            style: Style::run(0),
        }],
        ..Panel::default()
    }
}
