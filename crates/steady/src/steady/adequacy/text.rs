//! The report as a page of Markdown.

use std::fmt::Write;

use super::measured::Adequacy;
use super::stations::Station;
use super::volume::TurbulentCell;
use super::walls::{INNER, WallFace};
use crate::format::{four_digits, location};
use crate::physics::Turbulence;

/// A quantity of wall faces with its limit.
struct Limit {
    name: &'static str,
    /// Index in [`WallFace::spacing`].
    index: usize,
    good: f64,
    tolerable: f64,
}

const LIMITS: [Limit; 3] = [
    Limit {
        name: "y1+",
        index: 0,
        good: 1.0,
        tolerable: 2.0,
    },
    Limit {
        name: "dx+",
        index: 1,
        good: 50.0,
        tolerable: 100.0,
    },
    Limit {
        name: "dz+",
        index: 2,
        good: 20.0,
        tolerable: 30.0,
    },
];
/// A length of the turbulence with the largest spacing over it that is usual.
struct Scale {
    name: &'static str,
    limit: f64,
    /// The spacing of a cell over this length.
    value: fn(&TurbulentCell) -> f64,
}

const SCALES: [Scale; 2] = [
    Scale {
        name: "length of Kolmogorov",
        limit: 15.0,
        value: |cell| cell.over_kolmogorov,
    },
    Scale {
        name: "length of the large eddies",
        limit: 0.125,
        value: |cell| cell.over_large,
    },
];

/// Layers of points within [`INNER`] wall units that are usual.
const LAYERS: usize = 3;
/// Upper bounds of the classes of y1+.
const CLASSES: [f64; 5] = [0.5, 1.0, 2.0, 5.0, 10.0];
/// Faces that are listed with their places.
const WORST: usize = 20;

/// Returns a warning for each wall on which y1+ is above what is tolerable somewhere.
pub fn warnings(adequacy: &Adequacy) -> Vec<String> {
    let [limit, ..] = &LIMITS;
    let of_wall = |(boundary, name): (usize, &String)| {
        let faces: Vec<&WallFace> = adequacy.walls.iter().filter(|face| face.boundary == boundary).collect();
        let largest = faces.iter().map(|face| face.spacing[limit.index]).fold(0.0, f64::max);
        (largest > limit.tolerable).then(|| {
            format!(
                "the mesh is too coarse at the wall `{name}` for a wall-resolved simulation: y1+ is up to {}, and \
                 first cells of the height {} would have at most 1{}",
                four_digits(largest),
                four_digits(first_height(&faces)),
                if largest > SUBLAYER {
                    ", by a shear stress that this mesh does not resolve: the height is an upper bound"
                } else {
                    ""
                }
            )
        })
    };
    adequacy.boundaries.iter().enumerate().filter_map(of_wall).collect()
}

/// Returns the height of first cells with which y1+ is at most 1 on all of these faces.
fn first_height(faces: &[&WallFace]) -> f64 {
    let needed = faces.iter().map(|face| face.cell_height / face.spacing[0]);
    needed.fold(f64::INFINITY, f64::min)
}

/// Returns a share as a percentage; no share that is not 0 or 1 is written as if it were.
fn percent(share: f64) -> String {
    // A sum of nothing is -0, to which 0 is added.
    match 100.0 * share + 0.0 {
        x if x > 0.0 && x < 0.1 => "below 0.1 %".to_owned(),
        x if x > 99.9 && x < 100.0 => "above 99.9 %".to_owned(),
        x => format!("{x:.1} %"),
    }
}

/// Returns the verdict on a quantity that exceeds its limit on such a share of the `whole`.
fn verdict(beyond: f64, whole: &str) -> String {
    match beyond {
        0.0 => "good".to_owned(),
        1.0 => "too coarse everywhere".to_owned(),
        share => format!("too coarse on {} of the {whole}", percent(share)),
    }
}

/// Returns the report.
pub fn text(adequacy: &Adequacy, model: Turbulence) -> String {
    let mut page = String::from(INTRODUCTION);
    page += match model {
        Turbulence::None => LAMINAR,
        _ => TURBULENT,
    };
    for (boundary, name) in adequacy.boundaries.iter().enumerate() {
        let faces: Vec<&WallFace> = adequacy.walls.iter().filter(|face| face.boundary == boundary).collect();
        if !faces.is_empty() {
            add_wall(&mut page, name, &faces, adequacy.order);
            let stations = adequacy.stations.iter().filter(|station| station.boundary == boundary);
            add_layers(&mut page, stations);
        }
    }
    add_volume(&mut page, adequacy);
    page
}

const INTRODUCTION: &str = "\
# Resolution of the mesh

The figures follow from the steady solution on this mesh. The limits are those that are usual for wall-resolved
large-eddy simulations with high-order schemes: y1+ at most 1 (2 is tolerable), at least 3 layers of points within 10
wall units, dx+ at most 50 (100 is tolerable), dz+ at most 20 (30 is tolerable), and away from walls a spacing of at
most 15 lengths of Kolmogorov and an eighth of the length of the large eddies. A mesh is too coarse where it exceeds
what is tolerable. The spacing along walls and inside is the size of a cell over the degree.
";

/// What follows in a solution with a model of turbulence.
const TURBULENT: &str = "
The steady solution is fully turbulent from the first wall on, unless the model itself stays laminar. Where the
flow is laminar or separates and reattaches as a bubble, wall units and losses of the simulation will differ.
";

/// What follows in a solution without one.
const LAMINAR: &str = "
The steady solution is laminar (`turbulence: none`). Where the flow of the simulation is turbulent, its wall units are
larger, and nothing is known of its scales away from walls.
";

/// y+ up to which the shear stress between the wall and a point is that at the wall.
const SUBLAYER: f64 = 5.0;

/// What is said of a height that follows from a shear stress that is too small.
const UNRESOLVED: &str = ", by the shear stress of this solution. Where y1+ is above 5, the shear stress is too \
    small, since this mesh does not resolve it. The height is therefore an upper bound. A mesh with such cells gives a \
    better one";

/// Adds the section of a wall.
fn add_wall(page: &mut String, name: &str, faces: &[&WallFace], order: usize) {
    let area: f64 = faces.iter().map(|face| face.area).sum();
    let mean = |value: &dyn Fn(&WallFace) -> f64| faces.iter().map(|f| f.area * value(f)).sum::<f64>() / area;
    // Exactly 1 if it holds for all, since both sums then have the same terms.
    let share =
        |holds: &dyn Fn(&WallFace) -> bool| faces.iter().filter(|f| holds(f)).map(|f| f.area).sum::<f64>() / area;
    let _ = write!(
        page,
        "\n## Wall `{name}`\n\n{} faces, mean friction velocity {}.\n\n| quantity | mean | largest | usual limit | \
         area within it | verdict |\n|---|---|---|---|---|---|\n",
        faces.len(),
        four_digits(mean(&|face| face.friction_velocity))
    );
    for limit in &LIMITS {
        let largest = faces.iter().map(|face| face.spacing[limit.index]).fold(0.0, f64::max);
        let verdict = match largest {
            x if x > limit.good && x <= limit.tolerable => "tolerable".to_owned(),
            _ => verdict(share(&|face| face.spacing[limit.index] > limit.tolerable), "area"),
        };
        let _ = writeln!(
            page,
            "| {} | {} | {} | {}, tolerable {} | {} | {verdict} |",
            limit.name,
            four_digits(mean(&|face| face.spacing[limit.index])),
            four_digits(largest),
            limit.good,
            limit.tolerable,
            percent(share(&|face| face.spacing[limit.index] <= limit.good))
        );
    }
    let fewest = faces.iter().map(|face| face.inner_layers).min().unwrap_or(0);
    // A cell that ends within the range has further layers behind it.
    let needed = LAYERS.min(order);
    let enough = |face: &WallFace| face.inner_layers >= needed;
    let _ = writeln!(
        page,
        "| layers within {INNER} wall units, in the first cell | {} | fewest {fewest} | {needed}{} | {} | {} |",
        four_digits(mean(&|face| face.inner_layers as f64)),
        if needed < LAYERS { ", all that it has" } else { "" },
        percent(share(&enough)),
        if faces.iter().all(|face| enough(face)) {
            "good"
        } else {
            "too few"
        }
    );
    let outside = share(&|face| face.spacing[0] > SUBLAYER);
    if outside > 0.0 {
        let _ = write!(
            page,
            "\nOn {} of the area y1+ is above {SUBLAYER}, outside the viscous sublayer: the shear stress between the \
             wall and the first points is too small there, and so are all figures in wall units.\n",
            percent(outside)
        );
    }
    let _ = write!(page, "\n| y1+ | share of the area |\n|---|---|\n");
    let mut below = f64::NEG_INFINITY;
    for upper in CLASSES.into_iter().chain([f64::INFINITY]) {
        let of_class = share(&|face| face.spacing[0] > below && face.spacing[0] <= upper);
        let class = if upper.is_finite() {
            format!("up to {upper}")
        } else {
            format!("above {below}")
        };
        let _ = writeln!(page, "| {class} | {} |", percent(of_class));
        below = upper;
    }
    let _ = write!(
        page,
        "\nWith first cells of the height {} (degree {order}) y1+ is at most 1 everywhere on this wall{}.\n\nThe faces \
         of largest y1+:\n\n| cell | place | y1+ | dx+ | dz+ | friction velocity |\n|---|---|---|---|---|---|\n",
        four_digits(first_height(faces)),
        if outside > 0.0 { UNRESOLVED } else { "" }
    );
    let mut worst = faces.to_vec();
    worst.sort_by(|a, b| {
        b.spacing[0]
            .total_cmp(&a.spacing[0])
            .then((a.cell, a.face).cmp(&(b.cell, b.face)))
    });
    for face in worst.into_iter().take(WORST) {
        let [first, along, across] = face.spacing.map(four_digits);
        let _ = writeln!(
            page,
            "| {} | {} | {first} | {along} | {across} | {} |",
            face.cell,
            location(face.centre),
            four_digits(face.friction_velocity)
        );
    }
}

/// Adds the boundary layers of a wall.
fn add_layers<'a>(page: &mut String, stations: impl Iterator<Item = &'a Station>) {
    page.push_str(
        "\nBoundary layers, along the normal of the wall to where the vorticity ends:\n\n| station | place | Re_theta \
         | H | delta99 | displacement thickness | momentum thickness | edge velocity \
         |\n|---|---|---|---|---|---|---|---|\n",
    );
    for Station { name, wall, layer, .. } in stations {
        let figures = layer.map(|layer| {
            [
                layer.reynolds,
                layer.shape_factor(),
                layer.thickness,
                layer.displacement,
                layer.momentum,
                layer.edge_velocity,
            ]
            .map(four_digits)
            .join(" | ")
        });
        let figures = figures.unwrap_or_else(|| "no edge | | | | | ".to_owned());
        let _ = writeln!(page, "| {name} | {} | {figures} |", location(*wall));
    }
}

/// Adds the section of the turbulence away from walls.
fn add_volume(page: &mut String, adequacy: &Adequacy) {
    let _ = write!(page, "\n## Away from walls\n\n");
    let volume: f64 = adequacy.cells.iter().map(|cell| cell.volume).sum();
    if adequacy.cells.is_empty() {
        page.push_str("No cell that touches no wall has an eddy viscosity above the viscosity.\n");
        return;
    }
    let _ = write!(
        page,
        "{} cells with {} of the volume have an eddy viscosity above the viscosity and touch no wall.\n\n\
         | spacing over | volume-weighted mean | largest | usual limit | volume within it | verdict |\n\
         |---|---|---|---|---|---|\n",
        adequacy.cells.len(),
        percent(volume / adequacy.volume)
    );
    for Scale { name, limit, value } in SCALES {
        let mean = adequacy.cells.iter().map(|cell| cell.volume * value(cell)).sum::<f64>() / volume;
        let largest = adequacy.cells.iter().map(value).fold(0.0, f64::max);
        let share = |holds: &dyn Fn(f64) -> bool| {
            let cells = adequacy.cells.iter().filter(|cell| holds(value(cell)));
            cells.map(|cell| cell.volume).sum::<f64>() / volume
        };
        let within = share(&|x| x <= limit);
        let beyond = share(&|x| x > limit);
        let _ = writeln!(
            page,
            "| {name} | {} | {} | {limit} | {} | {} |",
            four_digits(mean),
            four_digits(largest),
            percent(within),
            verdict(beyond, "turbulent volume")
        );
    }
}
