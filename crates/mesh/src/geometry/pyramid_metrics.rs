//! Metric terms of pyramids that preserve a uniform flow.
//!
//! The curl form of the metric terms satisfies the discrete metric identities because derivatives commute. The
//! projected derivatives of the pyramid do not commute. On pyramids that are not affine (curved, or with a base that is
//! not a parallelogram) the terms therefore get the smallest change that restores the identities. Within that freedom,
//! their normal components at the faces are brought as close as possible to the area vectors shared with the neighbours
//! (after J. Crean et al., J. Comput. Phys. 356 (2018) 410). The change is linear in the defects: one matrix per
//! degree.
//!
//! Not all normal components can be matched. At the apex four normals meet in three components, and three more
//! combinations of the face values are tied to the identities. With [`Identity::WithFaces`] the remaining difference is
//! harmless: a uniform flow is preserved and the cell conserves for any difference.

use nalgebra::{DMatrix, DVector};

use super::pseudo_inverse::pseudo_inverse;
use crate::element::{Correction, ElementKind, ReferenceElement};

/// The discrete metric identity: an expression that must vanish for a uniform flow to stay uniform.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Identity {
    /// sum_d D_d Ja^d, for a correction by the difference of two fluxes through the face's area vector.
    Volume,
    /// sum_d D_d Ja^d + lift (A - sum_d normal_d Ja^d), for a correction by the flux through the face's area vector A
    /// minus that of the cell's own metric terms, which conservation requires.
    WithFaces,
}

/// The corrector of the metric terms of pyramids.
#[derive(Debug, Clone)]
pub struct PyramidMetrics {
    points: usize,
    /// Matrix from a component of (Ja^1, Ja^2, Ja^3) to the identity without the area vectors.
    constraint: DMatrix<f64>,
    /// Matrix from a component of the area vectors to the identity.
    area_part: DMatrix<f64>,
    /// Matrix from a component of (Ja^1, Ja^2, Ja^3) to its normal components at face points.
    trace: DMatrix<f64>,
    /// Matrices from the defects of the identity and of the normal components to the change.
    change: [DMatrix<f64>; 2],
}

/// Fraction of the largest singular value below which one counts as zero; the smallest others exceed 0.01.
const RANK_TOLERANCE: f64 = 1e-8;

impl PyramidMetrics {
    /// Creates the corrector of degree `order`.
    pub fn new(order: usize, identity: Identity) -> Self {
        let element = ReferenceElement::new(ElementKind::Pyramid, order, Correction::default());
        let (np, nfp) = (element.len(), element.face_len());
        let mut trace = DMatrix::zeros(nfp, 3 * np);
        for face in &element.faces {
            for (f, &point) in face.points.iter().enumerate() {
                for d in 0..3 {
                    trace[(face.first + f, d * np + point)] = face.normal[d];
                }
            }
        }
        let mut constraint = DMatrix::from_fn(np, 3 * np, |i, k| element.diff[k / np][i * np + k % np]);
        let mut area_part = DMatrix::zeros(np, nfp);
        if identity == Identity::WithFaces {
            area_part = DMatrix::from_row_slice(np, nfp, &element.lift);
            constraint -= &area_part * &trace;
        }
        // `solve` satisfies the constraint; `normal` changes the normal components without violating it.
        let solve = pseudo_inverse(&constraint, RANK_TOLERANCE);
        let free = DMatrix::identity(3 * np, 3 * np) - &solve.row_space * solve.row_space.transpose();
        let normal = &free * pseudo_inverse(&(&trace * &free), RANK_TOLERANCE).matrix;
        PyramidMetrics {
            points: np,
            change: [&solve.matrix - &normal * (&trace * &solve.matrix), normal],
            constraint,
            area_part,
            trace,
        }
    }

    /// Defects of component `m`: the identity at points, and area vectors minus normal components at face points.
    fn defects(&self, metrics: &[f64], areas: &[[f64; 3]], m: usize) -> [DVector<f64>; 2] {
        let np = self.points;
        let terms = DVector::from_fn(3 * np, |k, _| metrics[(3 * (k / np) + m) * np + k % np]);
        let areas = DVector::from_fn(areas.len(), |f, _| areas[f][m]);
        [
            &self.constraint * &terms + &self.area_part * &areas,
            areas - &self.trace * terms,
        ]
    }

    /// Corrects metric terms Ja^d_m, `[3 d + m][point]`, such that the identity holds and their normal components
    /// approximate `areas`, the outward area vectors at the points of all faces.
    pub fn corrected(&self, metrics: &mut [f64], areas: &[[f64; 3]]) {
        let np = self.points;
        for m in 0..3 {
            // The second pass removes the rounding errors of the first.
            for _ in 0..2 {
                let [identity, normal] = self.defects(metrics, areas, m);
                let change = &self.change[1] * normal - &self.change[0] * identity;
                for (k, change) in change.iter().enumerate() {
                    metrics[(3 * (k / np) + m) * np + k % np] += change;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::element::{FaceDerivatives, bend, curl_metrics};

    /// A straight pyramid whose base is no parallelogram and not even plane.
    fn skew(x: [f64; 3]) -> [f64; 3] {
        let corners = [
            [-1.0, -1.0, 0.0],
            [1.2, -0.9, 0.1],
            [-1.1, 0.7, 0.15],
            [0.8, 1.3, -0.1],
            [0.2, -0.1, 1.1],
        ];
        let shape = ReferenceElement::new(ElementKind::Pyramid, 1, Correction::Radau).interpolation(&[x]);
        std::array::from_fn(|m| (0..5).map(|v| shape[v] * corners[v][m]).sum())
    }

    /// Metric terms of a mapped pyramid and the area vectors of its faces.
    fn mapped(e: &ReferenceElement, map: fn([f64; 3]) -> [f64; 3]) -> (Vec<f64>, Vec<[f64; 3]>) {
        let positions: Vec<[f64; 3]> = e.points.iter().map(|&x| map(x)).collect();
        let mut areas = Vec::new();
        for (number, face) in e.faces.iter().enumerate() {
            let on_face: Vec<[f64; 3]> = face.points.iter().map(|&p| positions[p]).collect();
            let sign = e.kind.faces()[number].sign;
            let outward = FaceDerivatives::new(face.shape, e.order).areas(&on_face);
            areas.extend(outward.into_iter().map(|a| a.map(|a| sign * a)));
        }
        (curl_metrics(&e.diff, &positions), areas)
    }

    /// Largest defects of the identity, of normal components without the apex, and of all normal components.
    fn largest(fix: &PyramidMetrics, e: &ReferenceElement, metrics: &[f64], areas: &[[f64; 3]]) -> [f64; 3] {
        let mut worst = [0.0f64; 3];
        for m in 0..3 {
            let [identity, normal] = fix.defects(metrics, areas, m);
            worst[0] = worst[0].max(identity.amax());
            worst[2] = worst[2].max(normal.amax());
            for (f, point) in e.faces.iter().flat_map(|face| &face.points).enumerate() {
                if *point != e.len() - 1 {
                    worst[1] = worst[1].max(normal[f].abs());
                }
            }
        }
        worst
    }

    fn pyramid(order: usize) -> ReferenceElement {
        ReferenceElement::new(ElementKind::Pyramid, order, Correction::Radau)
    }

    #[test]
    fn the_identities_hold_after_the_correction() {
        for order in 1..=6 {
            let e = pyramid(order);
            for identity in [Identity::Volume, Identity::WithFaces] {
                let fix = PyramidMetrics::new(order, identity);
                for (name, map) in [("skew", skew as fn([f64; 3]) -> [f64; 3]), ("bent", bend)] {
                    let (mut metrics, areas) = mapped(&e, map);
                    let before = largest(&fix, &e, &metrics, &areas);
                    fix.corrected(&mut metrics, &areas);
                    let after = largest(&fix, &e, &metrics, &areas);
                    assert!(after[0] < 3e-13, "{order} {identity:?} {name}: {before:?} -> {after:?}");
                }
            }
        }
    }

    #[test]
    fn normals_of_straight_pyramids_are_met_but_at_the_apex() {
        for order in 1..=6 {
            let e = pyramid(order);
            let fix = PyramidMetrics::new(order, Identity::Volume);
            let (mut metrics, areas) = mapped(&e, skew);
            fix.corrected(&mut metrics, &areas);
            let [_, normal, _] = largest(&fix, &e, &metrics, &areas);
            assert!(normal < 1e-12, "{order}: {normal:e}");
        }
    }

    #[test]
    fn normals_come_closer_to_those_of_curved_faces_with_the_degree() {
        let bounds = [2e-2, 6e-3, 4e-3, 6e-4, 3e-4, 5e-5];
        for order in 1..=6 {
            let e = pyramid(order);
            for identity in [Identity::Volume, Identity::WithFaces] {
                let fix = PyramidMetrics::new(order, identity);
                let (mut metrics, areas) = mapped(&e, bend);
                fix.corrected(&mut metrics, &areas);
                let [_, _, normal] = largest(&fix, &e, &metrics, &areas);
                assert!(normal < bounds[order - 1], "{order} {identity:?}: {normal:e}");
            }
        }
    }

    #[test]
    fn affine_pyramids_stay_as_they_are() {
        for order in 1..=6 {
            let e = pyramid(order);
            let fix = PyramidMetrics::new(order, Identity::WithFaces);
            let (before, areas) = mapped(&e, |[x, y, z]| [x + 0.3 * z, 2.0 * y - 0.2 * x, 0.5 * z + 0.1 * y]);
            let mut after = before.clone();
            fix.corrected(&mut after, &areas);
            let change = before
                .iter()
                .zip(&after)
                .map(|(a, b)| (a - b).abs())
                .fold(0.0, f64::max);
            assert!(change < 5e-13, "{order}: {change:e}");
        }
    }
}
