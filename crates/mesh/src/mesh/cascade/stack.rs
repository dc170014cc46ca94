//! Where the nodes of the section go in space, level by level over the span, and how the sides are joined.

use std::ops::Range;

use rayon::prelude::*;
use thiserror::Error;

use super::super::motion::Motion;
use super::loft::Loft;
use super::plane::{Point, orientation};
use super::section::{Section, Shape};
use super::span::{EndWall, Span};

/// The levels of a section over the span.
pub(super) struct Stack {
    /// Positions of the nodes, `[level][node of the section]`.
    pub positions: Vec<[f64; 3]>,
    /// Number of cells over the span.
    pub cells: usize,
    /// Those of them that are in the gap over the tip of the blade; empty without a gap.
    pub gap: Range<usize>,
    /// Carries the lower periodic side to the upper one.
    pub pitch: Motion,
    /// The first and the last level.
    pub ends: Ends,
}

/// The ends of the span.
pub(super) enum Ends {
    /// The motion carries the first end to the last one.
    Periodic(Motion),
    /// Walls with these names.
    Walls([&'static str; 2]),
}

/// A mesh whose cells would be folded.
#[derive(Debug, Error)]
pub enum StackError {
    /// A cell of a level is folded.
    #[error(
        "the section at the radius {radius:.5} is tangled at x = {x:.5}, {angle:.5} degrees about the axis: the blade \
         or the pitch changes too much from the section at the radius {meshed:.5}, which is meshed, {between}. Thinner \
         `layers`, more room before and behind the blade, more blades or sections that differ less help"
    )]
    Tangled {
        /// Radius of the place.
        radius: f64,
        /// Position along the axis.
        x: f64,
        /// Angle about the axis in degrees.
        angle: f64,
        /// Radius of the section that is meshed.
        meshed: f64,
        /// The given sections beside the place.
        between: String,
    },
    /// A cell over the tip of the blade is folded.
    #[error(
        "the cells over the tip of the blade are tangled at ({:.5}, {:.5}): those along the blade are too long for its \
         thickness there. A smaller `blade.size`, `blade.trailing-edge` or `blade.growth` helps",
        at[0], at[1]
    )]
    TangledTip {
        /// The place in the section.
        at: Point,
    },
    /// The radius of a node cannot be found.
    #[error(
        "at x = {x:.5}, at {percent:.1} % of the height, hub or casing and the sections of the blade are too steep for \
         each other: the section that belongs to a place there cannot be found. Flatter walls help, or a blade that \
         leans less along x"
    )]
    Lost {
        /// Position along the axis.
        x: f64,
        /// Height from the hub.
        percent: f64,
    },
}

/// Extends a section of a linear cascade in z.
pub(super) fn linear(section: &Section, span: Span, pitch: f64) -> Stack {
    let levels = span.nodes(section.order, EndWall::Hub);
    let level = |z: &f64| section.positions.iter().map(|[x, y]| [*x, *y, *z]).collect::<Vec<_>>();
    Stack {
        positions: levels.iter().flat_map(level).collect(),
        cells: span.all_cells(),
        gap: span.gap_cells(EndWall::Hub),
        pitch: Motion::Translation([0.0, pitch, 0.0]),
        ends: match span.walls {
            None => Ends::Periodic(Motion::Translation([0.0, 0.0, span.length])),
            Some(_) => Ends::Walls(["hub", "casing"]),
        },
    }
}

/// Stacks the sections of an annular row. The span gives the heights relative to the whole. The angle turns from y to
/// z, to the right about x. Seen along x and this angle the radius goes down where z of a linear cascade goes up, so
/// that the levels go from the casing to the hub.
///
/// # Errors
/// A level is tangled.
pub(super) fn annular(section: &Section, span: Span, loft: &Loft) -> Result<Stack, StackError> {
    let carried = loft.carry(section);
    let gap = span.gap_cells(EndWall::Casing);
    let mut positions = Vec::new();
    for (level, z) in span.nodes(section.order, EndWall::Casing).into_iter().enumerate() {
        let fraction = 1.0 - z / span.length;
        let each = section.positions.par_iter().enumerate();
        let placed: Vec<[f64; 3]> = each
            .map(|(node, at)| {
                let lost = |_| StackError::Lost {
                    x: at[0],
                    percent: 100.0 * fraction,
                };
                loft.place(&carried, node, *at, fraction).map_err(lost)
            })
            .collect::<Result<_, _>>()?;
        // A level between two cells belongs to both.
        let over_tip = (gap.start * section.order..=gap.end * section.order).contains(&level) && !gap.is_empty();
        let cells = if over_tip {
            section.cells.len()
        } else {
            section.outside_cells()
        };
        refuse_tangled(section, cells, &placed, loft)?;
        positions.extend(
            placed
                .iter()
                .map(|[x, angle, r]| [*x, r * angle.cos(), r * angle.sin()]),
        );
    }
    Ok(Stack {
        positions,
        cells: span.all_cells(),
        gap,
        pitch: Motion::Rotation {
            point: [0.0; 3],
            axis: [1.0, 0.0, 0.0],
            angle: loft.pitch_angle(),
        },
        ends: Ends::Walls(["casing", "hub"]),
    })
}

/// Refuses a level in which a triangle between nodes of one of the first cells is turned over.
fn refuse_tangled(section: &Section, cells: usize, placed: &[[f64; 3]], loft: &Loft) -> Result<(), StackError> {
    let g = section.order;
    let plane = |node: u32| -> Point {
        let [x, angle, r] = placed[node as usize];
        [x, angle * r]
    };
    for (cell, shape) in section.cells[..cells].iter().zip(&section.shapes) {
        for [a, b, c] in triangles(*shape, g) {
            let corners = [cell[a], cell[b], cell[c]];
            let [p, q, r] = corners.map(plane);
            if orientation(p, q, r) > 0.0 {
                continue;
            }
            let [x, angle, radius] = placed[corners[0] as usize];
            let radii: Vec<f64> = loft.radii().collect();
            let above = radii.partition_point(|r| *r <= radius);
            let between = match &radii[above.saturating_sub(1)..radii.len().min(above + 1)] {
                [low, high] => format!("between the sections at the radii {low} and {high}"),
                _ if radii.len() == 1 => "and has the same shape at all radii".to_owned(),
                beside => format!("beyond the section at the radius {}", beside[0]),
            };
            return Err(StackError::Tangled {
                radius,
                x,
                angle: angle.to_degrees(),
                meshed: loft.meshed_radius(),
                between,
            });
        }
    }
    Ok(())
}

/// Refuses cells inside the outline of the blade in which a triangle between nodes is turned over.
///
/// # Errors
/// There is such a cell.
pub(super) fn refuse_tangled_tip(section: &Section) -> Result<(), StackError> {
    let position = |node: u32| section.positions[node as usize];
    let cells = section.cells.iter().zip(&section.shapes);
    for (cell, shape) in cells.skip(section.outside_cells()) {
        for triangle in triangles(*shape, section.order) {
            let [a, b, c] = triangle.map(|node| position(cell[node]));
            if orientation(a, b, c) <= 0.0 {
                return Err(StackError::TangledTip { at: a });
            }
        }
    }
    Ok(())
}

/// The triangles between neighbouring nodes of a cell, as places in its list of nodes, round to the left.
fn triangles(shape: Shape, order: usize) -> Vec<[usize; 3]> {
    let mut all = Vec::new();
    let mut row = 0;
    for j in 0..order {
        // Nodes in this row.
        let width = match shape {
            Shape::Quad => order + 1,
            Shape::Triangle => order + 1 - j,
        };
        let next = row + width;
        for i in 0..width - 1 {
            let last_of_triangle = shape == Shape::Triangle && i + 2 == width;
            all.push([row + i, row + i + 1, next + i]);
            if !last_of_triangle {
                all.push([row + i + 1, next + i + 1, next + i]);
            }
        }
        row = next;
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_triangles_of_a_cell_cover_it_once() {
        for order in 1..=4 {
            for shape in [Shape::Quad, Shape::Triangle] {
                let width = |j: usize| if shape == Shape::Quad { order } else { order - j };
                let nodes: Vec<Point> = (0..=order)
                    .flat_map(|j| (0..=width(j)).map(move |i| [i as f64, j as f64]))
                    .collect();
                let areas = triangles(shape, order).into_iter().map(|t| {
                    let [a, b, c] = t.map(|node| nodes[node]);
                    0.5 * orientation(a, b, c)
                });
                let areas: Vec<f64> = areas.collect();
                assert!(areas.iter().all(|area| *area == 0.5), "{shape:?} {order}");
                let whole = (order * order) as f64 * if shape == Shape::Quad { 1.0 } else { 0.5 };
                assert_eq!(areas.iter().sum::<f64>(), whole);
            }
        }
    }
}
