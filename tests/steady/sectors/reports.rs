//! What is reported of a solution on a sector: the resolution of its walls, profiles, and gradients.

use super::{Pair, There, annulus, dual_of, turn_of};
use crate::solver::GAS;
use fr_les::element::{Correction, Elements};
use fr_les::geometry::Geometry;
use fr_les::mesh::{Annulus, Mesh};
use fr_les::ranks::Ranks;
use fr_les::steady::{Adequacy, DualMesh, Profile, Solution, Turbulence, Values};
use fr_les::vector::Vector;
use nalgebra::Matrix3;

/// Flow around and along the axis that is the same at all angles, at rest at the inner wall.
fn swirl([x, y, _]: Vector) -> Values {
    let radius = x.hypot(y);
    let [around, along] = [0.4, 0.3].map(|speed| speed * (radius - 1.0));
    [1.1, -y / radius * around, x / radius * around, along, 0.9, 0.02, 0.0]
}

/// Calls a function with the solution on a sector with so many cells around.
fn with_solution(around: usize, look: impl FnOnce(&Solution, &Geometry, &Elements)) {
    let sector = Annulus {
        growth: 1.0,
        ..annulus(around)
    };
    let mesh: Mesh = There::about_z(0.0).mesh(&sector);
    let dual = dual_of(&mesh, 2, &Ranks::alone());
    let elements = Elements::new(2, Correction::Radau, &mesh.kinds_present());
    let geometry = Geometry::on_ranks(&mesh, &elements, &Ranks::alone()).expect("good cells");
    let values: Vec<Values> = dual.position.iter().map(|x| swirl(*x)).collect();
    let gradient = dual.gradient(|v| [values[v][1], values[v][2], values[v][3]], &Ranks::alone());
    let solution = Solution {
        mesh: &mesh,
        order: 2,
        dual: &dual,
        gas: &GAS,
        model: Turbulence::SaNeg,
        values: &values,
        gradient: &gradient,
    };
    look(&solution, &geometry, &elements);
}

#[test]
fn all_faces_around_a_wall_have_the_friction_of_one() {
    with_solution(3, |solution, geometry, elements| {
        let is_wall = |boundary: usize| solution.mesh.boundary_names[boundary] == "inner";
        let walls = Adequacy::new(solution, geometry, elements, is_wall, &Ranks::alone()).walls;
        assert_eq!(walls.len(), 3 * 2);
        let friction = walls[0].friction_velocity;
        assert!(friction > 0.01);
        for face in &walls {
            assert!((face.friction_velocity / friction - 1.0).abs() < 1e-12, "{face:?}");
        }
    });
}

#[test]
fn a_profile_up_to_the_side_of_a_sector_has_the_flow_of_the_other_side() {
    with_solution(16, |solution, _, _| {
        let at: f64 = 1.26;
        let rows = Profile::new(solution, [1, 0], at, &Ranks::alone()).rows;
        // The first place is on an edge to the side at 72 degrees, whose vertices are at the other one.
        let angle = at.atan2(rows[0][0]).to_degrees();
        assert!(angle > 70.0, "{angle}");
        for [x, rho, u, v, w, ..] in rows {
            let [exact_rho, exact_u, exact_v, exact_w, ..] = swirl([x, at, 0.0]);
            for (found, exact) in [(rho, exact_rho), (u, exact_u), (v, exact_v), (w, exact_w)] {
                assert!((found - exact).abs() < 2e-3, "{found} for {exact} at {x}");
            }
        }
    });
}

#[test]
fn gradients_of_a_sector_are_those_of_the_whole_annulus() {
    let pair = Pair::new(2, 2);
    let of =
        |dual: &DualMesh, state: &[Values]| dual.gradient(|v| [state[v][1], state[v][2], state[v][3]], &Ranks::alone());
    let found = of(&pair.sector, &pair.states[0]);
    let expected = of(&pair.whole, &pair.states[1]);
    for (n, there) in pair.there.iter().enumerate() {
        let turn = turn_of(n);
        for (vertex, gradient) in found.iter().enumerate() {
            let turned = turn.matrix() * Matrix3::from(*gradient).transpose() * turn.matrix().transpose();
            let of_whole = Matrix3::from(expected[there[vertex]]).transpose();
            assert!((turned - of_whole).abs().max() < 1e-10, "{turned} {of_whole}");
        }
    }
}
