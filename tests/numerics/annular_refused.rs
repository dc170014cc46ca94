//! Interfaces whose sides turn about an axis, and do not go together: each is refused with the reason.

use std::f64::consts::FRAC_PI_4;

use fr_les::mesh::{Annulus, Mesh};
use fr_les::solver::Solver;

use crate::common::cases::case;
use crate::common::sectors::{eighth, joined, placed, sector, slip};

fn solver_on(mesh: Mesh, text: &str) -> Result<Solver, String> {
    Solver::on_mesh(&case(text).solver, mesh).map_err(|error| error.to_string())
}

#[test]
fn sides_that_do_not_go_together_are_refused_with_a_reason() {
    let state = "u: 0, v: 0, w: 0.3, p: 1/1.4, rho: 1";
    let pair = joined(0.5);
    let refused = |second: Annulus, z: f64, boundaries: &str, more: &str| {
        let mesh = sector("a-", [2, 2, 1], [-1.0, 0.0], 0.0).beside(placed("b-", &second, z, 0.0));
        let mesh = mesh.expect("two sectors");
        let sides = if second.periodic_angle {
            ""
        } else {
            "  b-theta-: {type: slip}\n  b-theta+: {type: slip}\n"
        };
        let text = format!(
            "mesh: {{file: none.h5}}\norder: 2\ninitial: {{{state}}}\nboundaries:\n{boundaries}{sides}{}  \
             a-z-: {{type: slip}}\n  b-z+: {{type: slip}}\n{more}",
            slip(&["a-", "b-"])
        );
        match solver_on(mesh, &text) {
            Ok(_) => panic!("accepted: {text}"),
            Err(error) => error,
        }
    };
    let fits = || eighth([2, 3, 1]);
    let steps = "time: {steps: 1}\n";
    let first_turns = pair.replacen("axis: z", "axis: z, angular-speed: 0.5", 1);
    let about_x = pair.replace("axis: z", "axis: x");
    let one_sided = pair.replace("with: b-z-, axis: z", "with: b-z-");
    let aside = pair.replace("axis: z", "axis: z, origin: [0.1, 0, 0]");
    for (second, z, boundaries, more, expected) in [
        (
            Annulus { inner: 1.1, ..fits() },
            0.0,
            &pair,
            steps,
            "reaches from the radius 1 to 1.5, and that of `b-z-` from 1.1 to 1.55",
        ),
        (
            eighth([3, 3, 1]),
            0.0,
            &pair,
            steps,
            "this side has 2 rows of faces, and `b-z-` 3",
        ),
        (
            Annulus {
                angle: FRAC_PI_4 * 0.5,
                ..fits()
            },
            0.0,
            &pair,
            steps,
            "all rows must have the same angle: that of `b-z-` at",
        ),
        (
            Annulus {
                hex_layers: 0,
                ..fits()
            },
            0.0,
            &pair,
            steps,
            "a triangle",
        ),
        (fits(), 0.1, &pair, steps, "the two sides must lie in one plane"),
        (
            fits(),
            0.0,
            &first_turns,
            steps,
            "`a-z+` comes first in the mesh, and its block turns at 0, not at 0.5",
        ),
        (fits(), 0.0, &about_x, steps, "not in a plane normal to the x axis"),
        (
            fits(),
            0.0,
            &one_sided,
            steps,
            "this side lies along y, and `b-z-` about the z axis",
        ),
        (
            fits(),
            0.0,
            &aside,
            steps,
            "no sector between two radii and two angles about the z axis",
        ),
        (
            Annulus {
                periodic_angle: false,
                ..fits()
            },
            0.0,
            &pair,
            steps,
            "a row ends at the boundary `b-theta-`",
        ),
        (
            fits(),
            0.0,
            &pair,
            "time: {steps: 1, scheme: paired}\n",
            "`paired` does not go with interfaces",
        ),
        (
            fits(),
            0.0,
            &pair,
            "time: {steps: 1}\nrotating-frame: {angular-velocity: [0, 0, 1]}\n",
            "the blocks at the interface a-z+ to b-z- move past each other",
        ),
    ] {
        let error = refused(second, z, boundaries, more);
        assert!(error.contains(expected), "{error}\n  in place of\n{expected}");
    }
    // Straight edges are no circles.
    let straight = |name: &str, z: f64| {
        let annulus = Annulus {
            geometry_order: 1,
            ..eighth([2, 2, 1])
        };
        placed(name, &annulus, z, 0.0)
    };
    let mesh = straight("a-", -1.0).beside(straight("b-", 0.0)).expect("two sectors");
    let text = format!(
        "mesh: {{file: none.h5}}\norder: 2\ninitial: {{{state}}}\nboundaries:\n{pair}{}  a-z-: {{type: slip}}\n  \
         b-z+: {{type: slip}}\n{steps}",
        slip(&["a-", "b-"])
    );
    let error = solver_on(mesh, &text).err().expect("straight edges");
    assert!(error.contains("which needs curved cells"), "{error}");
}
