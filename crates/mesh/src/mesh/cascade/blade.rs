//! Blades of few numbers: a camber line, whose angle is a B-spline, and a thickness on both sides of it.
//!
//! The angle of the camber line from the axis is a B-spline over the axial position s, from 0 at the leading edge to 1
//! at the centre of the trailing edge; the line is the integral of its tangent. Half of the thickness, normal to the
//! line, is sqrt(s), which makes a round nose, times another B-spline. A circle
//! that touches both sides is the trailing edge. Angles as control values are how blades are described in
//! turbomachinery (M. H. Aissa, GPU-accelerated CFD Simulations for Turbomachinery Design Optimization, PhD thesis, TU
//! Delft, 2017, section 7.1, has this form).

use super::bspline;
use super::plane::Point;
use super::profile::refuse_crossing;
use crate::input::Problem;

/// Steps along each side.
const STEPS: usize = 200;
/// Steps around the trailing edge.
const ROUND: usize = 16;

/// A blade.
#[derive(Debug, Clone, PartialEq)]
pub struct Blade {
    /// Position of the leading edge, in chords.
    pub leading_edge: Point,
    /// Axial distance of the leading edge and the centre of the trailing edge, in chords.
    pub axial_chord: f64,
    /// Control values of the angle of the camber line from the axis, in degrees.
    pub camber: Vec<f64>,
    /// Control values of half of the thickness over sqrt(s), in chords.
    pub thickness: Vec<f64>,
}

impl Blade {
    /// Returns the outline, once round to the left. The points are nearer to each other at both edges.
    ///
    /// # Errors
    /// The thickness is not above zero everywhere, the camber line is not along the axis, or the outline crosses
    /// itself.
    pub fn points(&self) -> Result<Vec<Point>, Problem> {
        if let Some(angle) = self.camber.iter().find(|angle| angle.abs() >= 89.0) {
            let what = format!("the camber line has an angle of {angle} degrees, but it goes along the axis");
            return Err(Problem::new(what).key("camber").help("angles are between -89 and 89"));
        }
        if let Some(s) = (1..=STEPS).map(place).find(|s| self.half_thickness(*s) <= 0.0) {
            let what = format!("the blade has no thickness at {s:.3} of its axial chord");
            return Err(Problem::new(what).key("thickness"));
        }
        let points = self.outline();
        refuse_crossing(&points)?;
        Ok(points)
    }

    /// Returns the outline, whatever it looks like.
    pub(super) fn outline(&self) -> Vec<Point> {
        let centres = self.camber_line();
        let side = |sign: f64| {
            let along = centres.iter().enumerate();
            let point = move |(i, centre): (usize, &Point)| {
                let s = place(i);
                let (sin, cos) = self.angle(s).sin_cos();
                let t = sign * self.half_thickness(s);
                [centre[0] - t * sin, centre[1] + t * cos]
            };
            along.map(point).collect::<Vec<_>>()
        };
        let (high, low) = (side(1.0), side(-1.0));
        // The arc touches both sides, which run towards each other at the slope of the thickness.
        let half = self.half_thickness(1.0);
        let arc_length = self.axial_chord / self.angle(1.0).cos();
        let slope = (bspline::slope_at_end(&self.thickness) + 0.5 * half) / arc_length;
        let radius = half * slope.hypot(1.0);
        let wedge = -slope.atan();
        let (sin, cos) = self.angle(1.0).sin_cos();
        let end = centres[STEPS];
        let centre = [end[0] + half * slope * cos, end[1] + half * slope * sin];
        let most = std::f64::consts::FRAC_PI_2 - wedge;
        let arc = (1..ROUND).map(|i| {
            let (b, a) = (most * (2.0 * i as f64 / ROUND as f64 - 1.0)).sin_cos();
            [
                centre[0] + radius * (a * cos - b * sin),
                centre[1] + radius * (a * sin + b * cos),
            ]
        });
        low.iter()
            .copied()
            .chain(arc)
            .chain(high.iter().skip(1).rev().copied())
            .collect()
    }

    /// Returns the points of the camber line.
    fn camber_line(&self) -> Vec<Point> {
        // Gauss quadrature with three points in each step.
        let offset = 0.6f64.sqrt() / 2.0;
        let rule = [(0.5 - offset, 5.0 / 18.0), (0.5, 4.0 / 9.0), (0.5 + offset, 5.0 / 18.0)];
        let mut line = vec![self.leading_edge];
        for i in 0..STEPS {
            let from = place(i);
            let to = place(i + 1);
            let rise: f64 = rule
                .iter()
                .map(|(f, w)| w * self.angle(from + f * (to - from)).tan())
                .sum();
            let width = self.axial_chord * (to - from);
            line.push([line[i][0] + width, line[i][1] + width * rise]);
        }
        line
    }

    /// Angle of the camber line, in radians.
    fn angle(&self, s: f64) -> f64 {
        bspline::value(&self.camber, s).to_radians()
    }

    fn half_thickness(&self, s: f64) -> f64 {
        s.sqrt() * bspline::value(&self.thickness, s)
    }
}

/// Position of a step along the axis: the cosine makes short steps at both ends.
fn place(step: usize) -> f64 {
    0.5 - 0.5 * (std::f64::consts::PI * step as f64 / STEPS as f64).cos()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn straight() -> Blade {
        Blade {
            leading_edge: [0.0, 0.0],
            axial_chord: 0.9,
            camber: vec![0.0; 5],
            thickness: vec![0.1, 0.1, 0.08, 0.04, 0.01],
        }
    }

    #[test]
    fn a_straight_blade_is_the_same_on_both_sides_and_has_a_round_end() {
        let points = straight().points().expect("a blade");
        assert_eq!(points.len(), 2 * STEPS + ROUND);
        let n = points.len();
        for i in 1..=STEPS {
            let [a, b] = [points[i], points[n - i]];
            assert!(
                (a[0] - b[0]).abs() < 1e-12 && (a[1] + b[1]).abs() < 1e-12,
                "{a:?} {b:?}"
            );
        }
        let end = points.iter().map(|p| p[0]).fold(0.0, f64::max);
        assert!((0.9..0.912).contains(&end), "{end}");
        // Nowhere but at the nose the outline turns by more than the steps of the arc.
        let turn = |i: usize| {
            let [a, b, c] = [0, 1, 2].map(|k| points[(i + k) % n]);
            let ([u, v], [x, y]) = ([b[0] - a[0], b[1] - a[1]], [c[0] - b[0], c[1] - b[1]]);
            (u * y - v * x).atan2(u * x + v * y).to_degrees()
        };
        let most = (2..n - 4).map(turn).fold(0.0, f64::max);
        assert!(most < 12.0, "{most}");
    }

    #[test]
    fn the_camber_line_is_the_integral_of_the_tangent() {
        let blade = Blade {
            camber: vec![30.0; 4],
            ..straight()
        };
        let end = blade.camber_line()[STEPS];
        assert!((end[1] - 0.9 * 30f64.to_radians().tan()).abs() < 1e-12, "{end:?}");
        let blade = Blade {
            camber: vec![40.0, 20.0, 0.0, -30.0, -60.0],
            ..straight()
        };
        // The trapezoidal rule with many steps.
        let n = 100_000;
        let tangents = (0..n).map(|i| blade.angle((i as f64 + 0.5) / f64::from(n)).tan());
        let rise = 0.9 * tangents.sum::<f64>() / f64::from(n);
        assert!((blade.camber_line()[STEPS][1] - rise).abs() < 1e-9, "{rise}");
    }

    #[test]
    fn blades_that_cannot_be_are_refused() {
        let thin = Blade {
            thickness: vec![0.1, 0.1, -0.2, 0.04, 0.01],
            ..straight()
        };
        let steep = Blade {
            camber: vec![0.0, 0.0, 95.0],
            ..straight()
        };
        // The sides cross where the line turns sharply inside of a thick blade.
        let folded = Blade {
            camber: vec![80.0, 80.0, -80.0, -80.0],
            thickness: vec![0.8, 0.8, 0.8, 0.8, 0.01],
            ..straight()
        };
        for (blade, part) in [
            (thin, "no thickness"),
            (steep, "95 degrees"),
            (folded, "crosses itself"),
        ] {
            let problem = blade.points().expect_err(part);
            assert!(problem.to_string().contains(part), "{problem}");
        }
    }
}
