//! The report of modelled walls: the heights of their matching points, and y+ there at the start.

use serde::Serialize;

use crate::commands::Failure;
use crate::format::short;
use crate::io::Interval;
use crate::output::matching_ranges;
use crate::physics::Matching;
use crate::solver::Solver;

/// y+ of a matching point below which the mesh resolves most of the layer that the law stands for.
const RESOLVED: f64 = 10.0;
/// y+ from which a matching point is in the logarithmic layer, where wall models belong.
const LOGARITHMIC: f64 = 30.0;
/// Height of the matching points over the volume of the domain per area of the modelled walls, which is half the height
/// of a channel, above which they leave the layer in which the stress is that of the wall.
const OUTER: f64 = 0.2;

/// A modelled wall.
#[derive(Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(super) struct ModelledWall {
    name: String,
    law: String,
    matching_points: usize,
    height: Interval,
    /// At the start.
    y_plus: Interval,
    mean_y_plus: f64,
}

/// Logs a line for each modelled wall, returns what it says, and warns of matching points that are too close to it or
/// too far away. The device holds the right-hand side of the initial state. Collective.
pub(super) fn log(solver: &mut Solver, area: impl Fn(usize) -> f64) -> Result<Vec<ModelledWall>, Failure> {
    let ranges = matching_ranges(solver)?;
    let area: f64 = ranges.iter().map(|range| area(range.boundary)).sum();
    let depth = solver.geometry.volume / area;
    let mut walls = Vec::new();
    for range in ranges {
        let (name, [low, high]) = (&solver.mesh.boundary_names[range.boundary], range.height);
        let [least, mean, most] = range.y_plus.map(short);
        let Some((matching, law)) = solver.boundaries[range.boundary].matching() else {
            continue;
        };
        let law = format!("{law:?}").to_lowercase();
        let heights = if short(low) == short(high) {
            short(low)
        } else {
            format!("{} to {}", short(low), short(high))
        };
        tracing::info!(
            "{name} is modelled ({law}): {} matching points {heights} off the wall, y+ {least} to {most}, {mean} in \
             the mean at the start",
            range.points
        );
        walls.push(ModelledWall {
            name: name.clone(),
            law,
            matching_points: range.points,
            height: Interval::new(range.height, "m"),
            y_plus: Interval::new([range.y_plus[0], range.y_plus[2]], "-"),
            mean_y_plus: range.y_plus[1],
        });
        let key = format!("boundaries.{name}");
        let farther = match matching {
            Matching::CellTop => "use larger cells at the wall, or a resolved wall",
            Matching::Distance(_) => "take a larger distance, or a resolved wall",
        };
        let y_plus = range.y_plus[1];
        if y_plus < RESOLVED {
            tracing::warn!(
                "{key}: y+ of the matching points is {} at the start, where the law is that of the viscous sublayer \
                 and of no use: {farther}",
                short(y_plus)
            );
        } else if y_plus < LOGARITHMIC {
            tracing::warn!(
                "{key}: y+ of the matching points is {} at the start; wall models are meant for {LOGARITHMIC} and \
                 more: {farther}",
                short(y_plus)
            );
        }
        if high > OUTER * depth {
            tracing::warn!(
                "{key}: matching points lie up to {} off the wall, {:.2} of the volume per area of the modelled walls \
                 (half the height of a channel); the law holds up to about {OUTER}",
                short(high),
                high / depth
            );
        }
    }
    Ok(walls)
}
