//! Observed orders of accuracy against exact solutions on prisms, tetrahedra, pyramids and all kinds mixed.

mod common;

use common::flows::{short_of_order, vortex_error, wave_error};

/// Checks every kind of cell, and reports all that fall short at once.
fn check(name: &str, meshes: [(usize, [usize; 3]); 3], error: impl Fn(&str, usize, usize) -> (f64, [f64; 5])) {
    // A GPU has time for finer meshes.
    let finer = if std::env::var("FR_LES_TEST_DEVICE").is_ok() { 2 } else { 1 };
    let meshes = meshes.map(|(order, cells)| (order, cells.map(|n| finer * n)));
    let of = |kind: &str| short_of_order(&format!("{name}, {kind}"), &meshes, |p, n| error(kind, p, n));
    let short: Vec<String> = ["prism", "tet", "pyramid", "mixed"].into_iter().flat_map(of).collect();
    assert!(short.is_empty(), "order below p + 0.8: {}", short.join(", "));
}

#[test]
fn isentropic_vortex_converges_with_order_p_plus_1_on_every_kind_of_cell() {
    check("vortex", [(2, [24, 32, 48]), (3, [16, 24, 32]), (4, [12, 16, 24])], |kind, p, n| {
        vortex_error(kind, p, n, 0.0)
    });
}

#[test]
fn viscous_wave_converges_with_order_p_plus_1_on_every_kind_of_cell() {
    check("wave", [(2, [6, 8, 12]), (3, [4, 6, 8]), (4, [4, 6, 8])], |kind, p, n| {
        wave_error(kind, p, n, 0.0)
    });
}

#[test]
fn viscous_wave_converges_with_order_p_plus_1_on_every_kind_of_curved_cell() {
    check("wave, curved", [(2, [6, 8, 12]), (3, [4, 6, 8]), (4, [4, 6, 8])], |kind, p, n| {
        wave_error(kind, p, n, 0.15)
    });
}
