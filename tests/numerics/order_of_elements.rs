//! Observed orders of accuracy on prisms, tetrahedra, pyramids and mixed meshes against exact solutions.
//!
//! Some meshes on which the order is reached take too long on a CPU: those of tetrahedra at p = 3 and 4, and those of
//! all kinds of cells for the vortex. `make test-gpu` runs them, and `make test-long` the others.

use crate::common::errors::observed_order;
use crate::common::flows::{short_of_order, vortex_error, wave_error};

const KINDS: [&str; 4] = ["prism", "tet", "pyramid", "mixed"];

/// Asserts that the viscous wave converges with p + `beyond` on meshes of a kind of cell.
fn check(kind: &str, warp: f64, meshes: &[(usize, [usize; 3])], beyond: f64) {
    let name = format!("wave, {kind}, warp {warp}");
    let short = short_of_order(&name, meshes, beyond, |p, n| wave_error(kind, p, n, warp));
    assert!(short.is_empty(), "order below p + {beyond}: {}", short.join(", "));
}

#[test]
fn viscous_wave_converges_with_order_p_plus_1_on_every_kind_of_cell() {
    for kind in KINDS {
        check(kind, 0.0, &[(2, [4, 6, 8])], 0.7);
    }
}

/// A mixed mesh has cells of every kind; `long` has a mesh of each.
#[test]
fn viscous_wave_converges_on_curved_cells_of_every_kind() {
    check_curved("mixed");
}

fn check_curved(kind: &str) {
    // Meshes that take seconds are too coarse for the full order, which the tests on GPUs check.
    check(kind, 0.15, &[(2, [4, 6, 8])], 0.7);
}

/// Finer meshes.
mod long {
    use super::*;

    const FINE: [(usize, [usize; 3]); 3] = [(2, [12, 16, 24]), (3, [8, 12, 16]), (4, [8, 12, 16])];

    #[test]
    #[ignore = "takes a quarter of an hour"]
    fn viscous_wave_converges_with_order_p_plus_1_on_every_kind_of_cell() {
        for (kind, meshes) in [
            ("prism", &[(2, [6, 8, 12]), (3, [4, 6, 8])][..]),
            ("tet", &[(2, [6, 8, 12])]),
            ("pyramid", &[(2, [6, 8, 12]), (3, [4, 6, 8])]),
            ("mixed", &[(2, [6, 8, 12])]),
        ] {
            check(kind, 0.0, meshes, 0.8);
        }
    }

    #[test]
    #[ignore = "takes half a minute"]
    fn viscous_wave_converges_on_curved_cells_of_each_kind() {
        for kind in ["prism", "tet", "pyramid"] {
            check_curved(kind);
        }
    }

    /// Tests that take hours on a CPU and minutes on a GPU.
    mod gpu {
        use super::*;

        #[test]
        #[ignore = "takes hours on a CPU; make test-gpu runs it on a GPU"]
        fn viscous_wave_converges_with_order_p_plus_1_on_finer_meshes_straight_and_curved() {
            for kind in KINDS {
                check(kind, 0.0, &FINE, 0.8);
                // Measured: p + 0.76 in rho v of curved tetrahedra at p = 4; all else is above p + 0.8.
                check(kind, 0.15, &FINE, if kind == "tet" { 0.75 } else { 0.8 });
            }
        }

        #[test]
        #[ignore = "takes hours on a CPU; make test-gpu runs it on a GPU"]
        fn isentropic_vortex_converges_with_order_above_p_plus_two_thirds_on_every_kind_of_cell() {
            // Upwind schemes of degree p converge with an order between p + 1/2 and p + 1 on meshes of simplices.
            // docs/explanation/verification.md has the table.
            for kind in KINDS {
                for (p, meshes) in [(2, [48, 64, 96]), (3, [32, 48, 64]), (4, [24, 32, 48])] {
                    let errors: Vec<_> = meshes.iter().map(|&n| vortex_error(kind, p, n, 0.0)).collect();
                    let observed = observed_order(&format!("vortex, {kind} p {p}"), &errors, &[0, 1, 2, 3, 4]);
                    assert!(observed > p as f64 + 0.66, "{kind} p {p}: {observed:.2}");
                }
            }
        }
    }
}
