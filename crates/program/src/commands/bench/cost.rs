//! The bytes and operations of the kernels per solution point, counted in their source (ptx/).

use crate::element::{ElementKind, FaceShape};
use crate::geometry::Geometry;

/// Bytes and floating-point operations per point.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Work {
    /// Bytes through memory if every array is read or written once and neighbours come from the cache.
    pub bytes: f64,
    /// Operations. An fma counts as two, a division or a root as one.
    pub flops: f64,
}

impl Work {
    /// Adds `share` of other work.
    fn add(&mut self, share: f64, other: Work) {
        self.bytes += share * other.bytes;
        self.flops += share * other.flops;
    }
}

/// The work of the kernels.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Cost {
    /// Sweep 1; zero without viscosity.
    pub sweep1: Work,
    /// Sweep 2 without its update.
    divergence: Work,
    /// Time-step bounds.
    pub time_step_bounds: Work,
    /// Bytes of a number of the state.
    real: f64,
}

/// The kind of cells whose work is counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Counted {
    /// Their kind.
    pub kind: ElementKind,
    /// Polynomial degree.
    pub order: usize,
    /// Bytes of a number of the state.
    pub real: usize,
    /// Whether metric terms are stored at every point.
    pub curved: bool,
    /// Whether there are viscous terms.
    pub viscous: bool,
}

// Operations of the parts, in their order in the source.
const PRIMITIVE: f64 = 13.0; // 1/rho, 3 products, |v|^2/2, fma, scale
const PHYSICAL_GRADIENT: f64 = 12.0 * 5.0;
const STRESS: f64 = 1.0 + 3.0 + 1.0 + 3.0 * 4.0 + 3.0 * 2.0;
const VISCOUS_FLUX: f64 = 3.0 * 5.0 + 5.0 + 5.0 + 1.0;
const PENALTY: f64 = 5.0 + 3.0 + 3.0 * 3.0 + 10.0; // |a|^2, strength, momentum, energy
const PRESSURE: f64 = 2.0;
const ENTHALPY: f64 = 8.0;
const CONVECTIVE_FLUX: f64 = 2.0 + 6.0 + 9.0 + 8.0;
const ROE: f64 = 118.0 + 2.0 * CONVECTIVE_FLUX + 15.0;
const END_CORRECTION: f64 = ROE + 18.0 + 5.0;
const UPDATE: f64 = 5.0 * (4.0 + 4.0);
const WAVE: f64 = 18.0; // of one direction in the time-step bounds
/// Bytes of a slot: the position of the neighbour's state and traces.
const SLOT: f64 = 32.0;

impl Cost {
    /// Returns the cost of cells of one kind.
    pub fn new(cells: Counted) -> Self {
        let cost = match cells.kind {
            ElementKind::Hex => lines(cells),
            _ => dense(cells),
        };
        if cells.viscous {
            cost
        } else {
            Cost {
                sweep1: Work::default(),
                ..cost
            }
        }
    }

    /// Returns the mean cost of all cells of a mesh, per point.
    pub fn of_mesh(geometry: &Geometry, order: usize, real: usize, viscous: bool) -> Self {
        let mut mean = Cost {
            real: real as f64,
            ..Cost::default()
        };
        for kind in ElementKind::ALL {
            for curved in [false, true] {
                let all = 0..geometry.kinds.len();
                let alike = |&c: &usize| geometry.kinds[c] == kind && geometry.is_affine(c) != curved;
                let cells = all.filter(alike).count();
                if cells == 0 {
                    continue;
                }
                let share = (cells * kind.points(order)) as f64 / geometry.points.len() as f64;
                let one = Cost::new(Counted {
                    kind,
                    order,
                    real,
                    curved,
                    viscous,
                });
                mean.sweep1.add(share, one.sweep1);
                mean.divergence.add(share, one.divergence);
                mean.time_step_bounds.add(share, one.time_step_bounds);
            }
        }
        mean
    }

    /// Returns the mean of the four Runge-Kutta stages.
    pub fn stage(&self) -> Work {
        // Values moved by the update, own state included: first stage, two middle stages, last stage with compensation.
        let mut work = self.sweep2((15.0 + 25.0 + 25.0 + 30.0) / 4.0);
        work.add(1.0, self.sweep1);
        work
    }

    /// Returns sweep 2 with an update that moves `update` values per point, the cell's own state included.
    pub fn sweep2(&self, update: f64) -> Work {
        Work {
            bytes: self.divergence.bytes + self.real * update,
            ..self.divergence
        }
    }
}

/// Returns the cost of hexahedra, whose kernels work along lines (sweep1.cu, sweep2.cu).
fn lines(cells: Counted) -> Cost {
    let (n, real) = ((cells.order + 1) as f64, cells.real as f64);
    let lines = 3.0 / n; // per point
    let geometry = if cells.curved { 10.0 } else { 36.0 / n.powi(3) };
    let traces = if cells.viscous { 24.0 / n } else { 0.0 };
    let slots = 6.0 * SLOT / n.powi(3);
    let line_gradient = 16.0 + 4.0 * n * (3.0 + 2.0 * n);
    let neighbours = 2.0 * PRIMITIVE;
    let at_face = PHYSICAL_GRADIENT + STRESS + VISCOUS_FLUX + PENALTY;
    let pairs = n * (n - 1.0) / 2.0;
    let convective_line = 5.0 * n                       // contravariant velocity
        + 4.0 * (pairs + n)                             // mass flux of every pair
        + 5.0 * (6.0 * pairs + 8.0)                     // two-point flux of five variables
        + n * (8.0 + 3.0 * 3.0)                         // enthalpy, pressure
        + 4.0 * 2.0 * n * n                             // pressure and viscous derivative
        + 5.0 * 3.0 * n                                 // correction
        + 2.0 * END_CORRECTION;
    let viscous_part =
        lines * line_gradient + PHYSICAL_GRADIENT + STRESS + 3.0 * VISCOUS_FLUX + lines * 2.0 * 4.0 * 5.0;
    Cost {
        sweep1: Work {
            bytes: real * (5.0 + geometry + traces) + slots,
            flops: PRIMITIVE + lines * (neighbours + line_gradient) + 6.0 / n * at_face,
        },
        divergence: Work {
            bytes: real * (geometry + traces) + slots,
            flops: PRIMITIVE
                + lines * (neighbours + convective_line)
                + if cells.viscous { viscous_part } else { 0.0 }
                + UPDATE,
        },
        time_step_bounds: Work {
            bytes: real * (5.0 + geometry),
            flops: PRIMITIVE + 3.0 * WAVE + 12.0,
        },
        real,
    }
}

/// Returns the cost of other cells, whose points couple with all points of a set (sweep1_dense.cu, sweep2_dense.cu).
fn dense(cells: Counted) -> Cost {
    let Counted { kind, order, .. } = cells;
    let (n, real) = ((order + 1) as f64, cells.real as f64);
    let points = kind.points(order) as f64;
    let face_points = kind.total_face_points(order) as f64;
    let faces = kind.faces().len() as f64;
    let triangle = FaceShape::Triangle.points(order) as f64;
    // Points that a point meets in the dense operators, their directions, faces and face points; points of the line.
    let (met, directions, lifting, lifts, line) = match kind {
        ElementKind::Prism => (triangle, 2.0, 3.0, 3.0 * n, n),
        _ => (points, 3.0, faces, face_points, 0.0),
    };
    let ends = if line > 0.0 { 2.0 } else { 0.0 };
    // Sums and halves of `normal_component`, over the face points of the cell.
    let normal: f64 = (0..kind.faces().len())
        .map(|face| kind.face_points(face, order) as f64 * additions_of_normal(kind, face))
        .sum();

    // Read: metric terms and outward areas. Written by one sweep and read by the other: traces, and the divergence of
    // the viscous flux.
    let metrics = if cells.curved { 10.0 * points } else { 12.0 };
    let areas = 4.0 * if cells.curved { face_points } else { faces };
    let kept = if cells.viscous {
        4.0 * face_points + 4.0 * points
    } else {
        0.0
    };
    let moved = real * (metrics + areas + kept) + SLOT * faces;

    let jump = PRIMITIVE + 4.0 * 2.0;
    let gradient = 8.0 * (met * directions + lifts + lifting * directions + line + ends);
    let weak = 8.0 * (met * directions + line);
    let offered = 4.0 * 2.0 + PENALTY;
    let sweep1 = points * (PRIMITIVE + gradient + PHYSICAL_GRADIENT + STRESS + 3.0 * VISCOUS_FLUX + weak)
        + face_points * (jump + offered)
        + 4.0 * normal;

    // Mass flux through the directions and what it carries, and the derivative of the pressure; of curved cells, that
    // of the pressure times metric terms.
    let pressure = if cells.curved { 9.0 } else { 2.0 };
    let pair = 3.0 * directions + 10.0 + pressure * directions;
    // On a line of a prism two points share a mass flux, and only the ends have a diagonal entry in the derivative.
    let along_line = if line > 0.0 {
        ((n * (n - 1.0) / 2.0) * 23.0 + 2.0 * 13.0 + (n * (n - 1.0) + 2.0) * pressure) / n + 6.0
    } else {
        0.0
    };
    let row = PRIMITIVE + PRESSURE + 1.0 + ENTHALPY + 3.0 * 5.0;
    let complete = 9.0 + if cells.curved { 3.0 } else { 3.0 * 6.0 };
    let excess = 7.0 + 2.0 + 3.0 * 10.0 + 3.0;
    let (viscous_point, viscous_face) = if cells.viscous { (4.0, 4.0 * 3.0) } else { (0.0, 0.0) };
    let face = PRIMITIVE + 1.0 + ROE + CONVECTIVE_FLUX + viscous_face + 5.0;
    let inside = row + met * pair + along_line + complete + excess;
    let sweep2 = points * (inside + 10.0 * (lifts + ends) + 5.0 + viscous_point + UPDATE)
        + face_points * face
        + 5.0 * (points + 1.0);
    Cost {
        sweep1: Work {
            bytes: real * 5.0 + moved / points,
            flops: sweep1 / points,
        },
        divergence: Work {
            bytes: moved / points,
            flops: sweep2 / points,
        },
        time_step_bounds: Work {
            bytes: real * (5.0 + metrics / points),
            flops: PRIMITIVE + faces * WAVE + 12.0,
        },
        real,
    }
}

/// Returns the operations of `normal_component` (ptx/method/dense_operators.h) on a face.
fn additions_of_normal(kind: ElementKind, face: usize) -> f64 {
    match (kind, face) {
        (ElementKind::Prism, 3) => 1.0,
        (ElementKind::Tet, 2) => 2.0,
        (ElementKind::Pyramid, _) if kind.faces()[face].shape == FaceShape::Triangle => 2.0,
        _ => 0.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::element::Correction;
    use crate::element::Elements;
    use crate::mesh::build_box;
    use crate::mesh::{BoxElements, BoxMesh, WarpKind};

    fn counted(kind: ElementKind, order: usize) -> Counted {
        Counted {
            kind,
            order,
            real: 8,
            curved: false,
            viscous: true,
        }
    }

    #[test]
    fn bytes_are_those_of_the_arrays() {
        // Tetrahedra of order 2: 10 points, 4 faces of 6 points.
        let cost = Cost::new(counted(ElementKind::Tet, 2));
        let shared = 8.0 * (12.0 + 16.0 + 4.0 * 24.0 + 40.0) + 4.0 * 32.0;
        assert!((cost.sweep1.bytes - (shared / 10.0 + 40.0)).abs() < 1e-12);
        assert!((cost.sweep2(25.0).bytes - (shared / 10.0 + 200.0)).abs() < 1e-12);
        assert!((cost.time_step_bounds.bytes - 8.0 * (5.0 + 1.2)).abs() < 1e-12);
        let curved = Cost::new(Counted {
            curved: true,
            ..counted(ElementKind::Tet, 2)
        });
        let more = 8.0 * ((100.0 - 12.0) + 4.0 * 24.0 - 16.0) / 10.0;
        assert!((curved.sweep1.bytes - cost.sweep1.bytes - more).abs() < 1e-12);
    }

    #[test]
    fn without_viscosity_there_is_no_first_sweep_and_no_flux_to_read() {
        for kind in ElementKind::ALL {
            let with = Cost::new(counted(kind, 3));
            let without = Cost::new(Counted {
                viscous: false,
                ..counted(kind, 3)
            });
            assert_eq!(without.sweep1, Work::default());
            assert_eq!(without.stage(), without.sweep2(95.0 / 4.0));
            assert!(without.stage().bytes < with.sweep2(95.0 / 4.0).bytes, "{kind}");
            assert!(without.stage().flops < with.sweep2(95.0 / 4.0).flops, "{kind}");
        }
    }

    #[test]
    fn dense_operators_cost_more_with_every_order_and_most_in_pyramids() {
        let flops = |kind, order| Cost::new(counted(kind, order)).stage().flops;
        for order in 3..=6 {
            let [hex, prism, tet, pyramid] = ElementKind::ALL.map(|kind| flops(kind, order));
            assert!(
                hex < prism && prism < tet && tet < pyramid,
                "{order}: {hex} {prism} {tet} {pyramid}"
            );
        }
        assert!((4..=6).all(|order| flops(ElementKind::Tet, order) > flops(ElementKind::Tet, order - 1)));
    }

    #[test]
    fn a_mixed_box_costs_the_mean_over_its_points() {
        let order = 2;
        let mesh = build_box(
            &BoxMesh {
                cells: [4, 2, 2],
                lower: [0.0; 3],
                upper: [2.0, 1.0, 1.0],
                periodic: [true; 3],
                elements: BoxElements::Mixed,
                stretch: [None; 3],
                warp: 0.0,
                warp_kind: WarpKind::Curved,
            },
            order,
        )
        .expect("the block");
        let elements = Elements::new(order, Correction::Radau, &mesh.kinds_present());
        let geometry = Geometry::new(&mesh, &elements).expect("straight cells");
        let mean = Cost::of_mesh(&geometry, order, 8, true).stage();
        let mut expected = Work::default();
        for (c, kind) in geometry.kinds.iter().enumerate() {
            let share = kind.points(order) as f64 / geometry.points.len() as f64;
            let one = Cost::new(Counted {
                curved: !geometry.is_affine(c),
                ..counted(*kind, order)
            });
            expected.add(share, one.stage());
        }
        assert!((mean.bytes / expected.bytes - 1.0).abs() < 1e-12);
        assert!((mean.flops / expected.flops - 1.0).abs() < 1e-12);
    }
}
