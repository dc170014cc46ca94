use super::heights::Layers;
use super::plane::{Point, distance, orientation};
use super::settings::{BladeSizes, End, PassageSizes, Strip};
use super::*;
use crate::input::Table;

/// A coarse mesh of the T106C cascade.
fn t106(order: usize) -> Cascade {
    let text = include_bytes!("../../../../../meshes/profiles/t106.csv");
    let table = Table::parse(text).expect("a table");
    let end = |x: f64, degrees: f64| End {
        x,
        angle: degrees.to_radians(),
        size: 0.15,
    };
    Cascade {
        points: profile::points(&table, 1.0, 0.004).expect("points"),
        tolerance: 6e-5,
        pitch: 0.95,
        span: Span {
            length: 0.1,
            cells: 2,
            walls: None,
            gap: None,
        },
        annular: None,
        ends: [end(-0.8, 32.7), end(1.6, -63.2)],
        layers: Layers {
            first: 2e-3,
            growth: 1.4,
            number: 5,
        },
        blade: BladeSizes {
            size: 0.04,
            leading: None,
            trailing: None,
            turn: 25f64.to_radians(),
            growth: 0.25,
        },
        passage: PassageSizes {
            size: 0.1,
            wake: 0.07,
            growth: 0.25,
            quads: false,
        },
        strip: None,
        geometry_order: order,
        reynolds: None,
    }
}

fn wall_of(settings: &Cascade) -> Wall {
    let smoothed = smooth::smooth(&settings.points, 1.0, settings.tolerance).expect("a curve");
    Wall::new(&smoothed, settings.ends.map(|end| end.angle))
}

/// Distance of a point from the wall, by a search that starts everywhere.
fn from_wall(wall: &Wall, point: Point) -> f64 {
    let at = |s: f64| distance(wall.at(s).point, point);
    let step = wall.length() / 500.0;
    let nearest = (0..500)
        .map(|i| i as f64 * step)
        .min_by(|a, b| at(*a).total_cmp(&at(*b)));
    // Golden sections.
    let middle = nearest.expect("a step");
    let (mut low, mut high) = (middle - step, middle + step);
    for _ in 0..80 {
        let (a, b) = (high - 0.618_034 * (high - low), low + 0.618_034 * (high - low));
        if at(a) < at(b) { high = b } else { low = a }
    }
    at(0.5 * (low + high))
}

#[test]
fn nodes_of_the_layers_are_at_their_distance_from_the_wall() {
    for order in 1..=4 {
        let settings = t106(order);
        let wall = wall_of(&settings);
        let plan = settings.plan().expect("a plan");
        let offsets = settings.layers.offsets();
        let cells = &plan.section.cells;
        // Nodes of the first and the last cell of every twentieth column.
        for column in (0..plan.report.around).step_by(20) {
            for (layer, edge) in [(0, 0), (settings.layers.number - 1, order)] {
                let cell = &cells[column * settings.layers.number + layer];
                for node in &cell[edge * (order + 1)..(edge + 1) * (order + 1)] {
                    let apart = from_wall(&wall, plan.section.positions[*node as usize]);
                    let wanted = if edge == 0 { 0.0 } else { offsets[layer + 1] };
                    assert!((apart - wanted).abs() < 1e-9, "{order}: {apart} for {wanted}");
                }
            }
        }
    }
}

#[test]
fn the_arc_length_of_the_wall_is_that_of_a_fine_polygon() {
    let wall = wall_of(&t106(1));
    let n = 100_000;
    let at = |i: usize| wall.at(wall.length() * i as f64 / n as f64);
    let polygon: f64 = (0..n).map(|i| distance(at(i).point, at(i + 1).point)).sum();
    assert!((polygon / wall.length() - 1.0).abs() < 1e-8);
    // The published lengths of the two sides are 1.337 and 1.162 chords, of which 0.013 go round the trailing edge.
    assert!((wall.leading - 1.337).abs() < 0.01, "{}", wall.leading);
    assert!((wall.length() - 1.337 - 1.162).abs() < 0.015, "{}", wall.length());
    for i in (0..n).step_by(997) {
        let [a, b, c] = [i + n - 1, i, i + 1].map(|j| at(j).point);
        let circle = 2.0 * orientation(a, b, c) / (distance(a, b) * distance(b, c) * distance(a, c));
        assert!((circle - at(i).curvature).abs() < 1e-3 * (1.0 + circle.abs()), "{i}");
    }
}

#[test]
fn turns_and_lengths_of_the_cells_are_those_that_are_set() {
    let report = t106(3).plan().expect("a plan").report;
    assert!(report.turns[0] < 26.0 && report.turns[0] > 20.0, "{:?}", report.turns);
    assert!(report.lengths[1] < 0.0401, "{:?}", report.lengths);
    // The kinks shrink with the degree of the geometry, and so does the distance from the wall.
    let finer = t106(4).plan().expect("a plan").report;
    assert!(finer.turns[1] < 0.3 * report.turns[1] && finer.shape < 0.3 * report.shape);
    assert!(report.mean_distance <= 6e-5);
}

#[test]
fn the_input_of_gmsh_is_the_same_every_time() {
    let [one, other] = [(); 2].map(|()| t106(3).plan().expect("a plan"));
    assert!(one.script == other.script && one.sizes == other.sizes);
    assert!(one.script.contains("Plane Surface(1) = {1, 2};"));
}

#[test]
fn boundaries_close_and_the_periodic_sides_are_images() {
    let mut settings = t106(2);
    for strip in [None, Some((-0.8, -0.5)), Some((-0.7, -0.5))] {
        settings.strip = strip.map(|(from, to)| Strip { from, to, size: 0.05 });
        let plan = settings.plan().expect("a plan");
        let at = |v: u32| plan.section.positions[v as usize];
        let count = |side: Side| plan.outline.edges.iter().filter(|(_, s)| *s == side).count();
        assert_eq!(count(Side::Low), count(Side::High));
        let of = |side: Side| plan.outline.edges.iter().filter(move |(_, s)| *s == side);
        for ((low, _), (high, _)) in of(Side::Low).zip(of(Side::High)) {
            for (a, b) in low.iter().zip(high) {
                let ([x, y], [z, w]) = (at(*a), at(*b));
                assert!(x == z && (w - y - 0.95).abs() < 1e-12);
            }
        }
        // The regions and the strip, less the blade and its layers, are the whole section.
        let area = |loop_: &[u32]| -> f64 {
            let n = loop_.len();
            let terms = (0..n).map(|i| (at(loop_[i]), at(loop_[(i + 1) % n])));
            0.5 * terms.map(|(a, b)| a[0] * b[1] - a[1] * b[0]).sum::<f64>()
        };
        let regions: f64 = plan.outline.regions.iter().map(|region| area(&region.outside)).sum();
        let strip = settings.strip.map_or(0.0, |strip| (strip.to - strip.from) * 0.95);
        assert!((regions + strip - 2.4 * 0.95).abs() < 1e-9, "{regions} {strip}");
        assert!(
            plan.outline
                .regions
                .iter()
                .all(|r| r.hole.is_empty() || area(&r.hole) < 0.0)
        );
        // Squares of the side 0.05.
        let in_strip = (strip / 0.05 / 0.05).round() as usize;
        assert_eq!(plan.section.cells.len(), plan.report.around * 5 + in_strip);
    }
}

/// The problem of settings that cannot be used.
fn refused(change: impl Fn(&mut Cascade)) -> Problem {
    let mut settings = t106(2);
    change(&mut settings);
    settings.plan().err().expect("refused")
}

#[test]
fn layers_that_do_not_fit_are_refused() {
    for (problem, key, words) in [
        (
            refused(|s| s.layers.first = 0.03),
            "layers",
            "the wall is concave with a radius of 0.",
        ),
        (
            refused(|s| s.pitch = 0.2),
            "layers",
            "reach the middle between two blades at (",
        ),
        (refused(|s| s.ends[0].x = -0.023), "inlet.x", "reach x = -0.0"),
        (
            refused(|s| s.ends[1].x = 0.87),
            "outlet.x",
            "but this boundary is at 0.87",
        ),
        (refused(|s| s.passage.wake = 1e-5), "passage", "triangles: at most 5e6"),
        (
            refused(|s| {
                s.strip = Some(Strip {
                    from: -0.5,
                    to: 0.1,
                    size: 0.05,
                })
            }),
            "strip.to",
            "meets the layers",
        ),
    ] {
        assert_eq!(problem.key, key, "{}", problem.what);
        assert!(problem.what.contains(words), "{}", problem.what);
    }
}

#[test]
fn layers_of_end_walls_that_fill_the_span_are_refused() {
    let problem = refused(|s| {
        s.span.walls = Some(Layers {
            first: 0.05,
            growth: 1.0,
            number: 1,
        })
    });
    assert_eq!(problem.key, "span.end-walls");
    assert!(
        problem
            .what
            .contains("0.05000 thick each, and the span is 0.10000 long"),
        "{}",
        problem.what
    );
}

/// An annular row with a section at the hub that is smaller, one like that of T106, and one at the casing that is
/// turned and moved.
fn annular_row(order: usize) -> Cascade {
    let mut settings = t106(order);
    let points = std::mem::take(&mut settings.points);
    let moved = |size: f64, turn: f64, by: Point| -> Vec<Point> {
        let (sin, cos) = turn.sin_cos();
        let of = |[x, y]: &Point| [size * (cos * x - sin * y) + by[0], size * (sin * x + cos * y) + by[1]];
        points.iter().map(of).collect()
    };
    let sections = vec![
        (Some(2.5), moved(0.85, 0.0, [0.05, 0.0])),
        (Some(3.0), points.clone()),
        (Some(3.6), moved(1.1, 0.1, [-0.05, 0.1])),
    ];
    let [hub, casing] = [2.6, 3.4].map(|r| [[-0.8, r], [1.6, r + 0.1]]);
    let (row, points) = annular::annular(20, [&hub, &casing], [-0.8, 1.6], sections).expect("a row");
    assert_eq!((row.middle, row.sections[1].points.is_none()), (1, true));
    settings.points = points;
    settings.pitch = row.pitch();
    settings.span.length = row.height;
    settings.annular = Some(row);
    settings
}

#[test]
fn nodes_on_the_blade_lie_on_each_section_and_the_sides_are_images_of_each_other() {
    let settings = annular_row(3);
    let row = settings.annular.clone().expect("a row");
    let plan = settings.plan().expect("a plan");
    let loft = plan.loft.as_ref().expect("a loft");
    let positions = &plan.section.positions;
    let carried = loft.carry(&plan.section);
    let place = |node: u32, fraction: f64| {
        let at = positions[node as usize];
        loft.place(&carried, node as usize, at, fraction).expect("a place")
    };
    let on_blade = || {
        plan.outline
            .edges
            .iter()
            .filter(|(_, side)| *side == Side::Blade)
            .map(|([a, _], _)| *a)
    };
    for section in &row.sections {
        let points = section.points.clone().unwrap_or_else(|| settings.points.clone());
        let smoothed = smooth::smooth(&points, 1.0, settings.tolerance).expect("a curve");
        let wall = Wall::new(&smoothed, settings.ends.map(|end| end.angle));
        for node in on_blade().step_by(9) {
            // The height at which a node has the radius of the section, by bisection; the walls are 0.8 apart.
            let [mut low, mut high] = [-0.5, 1.5];
            for _ in 0..60 {
                let middle = 0.5 * (low + high);
                if place(node, middle)[2] < section.radius {
                    low = middle
                } else {
                    high = middle
                }
            }
            let [x, angle, radius] = place(node, low);
            let apart = from_wall(&wall, [x, radius * angle]);
            assert!(apart < 1e-8, "{node} at {}: {apart:e}", section.radius);
        }
    }
    let of = |side: Side| plan.outline.edges.iter().filter(move |(_, s)| *s == side);
    for ((low, _), (high, _)) in of(Side::Low).zip(of(Side::High)) {
        for fraction in [0.0, 0.3, 1.0] {
            let ([x, a, r], [y, b, s]) = (place(low[0], fraction), place(high[0], fraction));
            assert!((x - y).abs() < 1e-12 && (r - s).abs() < 1e-12, "{x} {y} {r} {s}");
            assert!((b - a - std::f64::consts::TAU / 20.0).abs() < 1e-12, "{a} {b}");
        }
    }
    for (side, x) in [(Side::Inlet, -0.8), (Side::Outlet, 1.6)] {
        assert!(of(side).all(|([node, _], _)| place(*node, 0.7)[0] == x), "{side:?}");
    }
    // Hub and casing are curves of x.
    for node in on_blade().step_by(7) {
        let [x, _, r] = place(node, 0.0);
        assert!((r - 2.6 - 0.1 * (x + 0.8) / 2.4).abs() < 1e-13);
    }
}
