//! Meshes of rows with a gap between the tip of the blade and an end wall, from the command line. As in
//! [`super::cascade`], those that are filled by Gmsh need it.

use fr_les::mesh::quality::Quality;
use fr_les::mesh::read_mesh;
use tempfile::TempDir;

use super::cascade::{area_of_profile, cascade, gmsh, made, with};
use super::rows::{Walls, around_an_axis, between_walls, stays_at_rest};

/// Height of the gap of these tests.
const HEIGHT: f64 = 0.03;

/// Adds a gap at an end wall to settings with end walls.
fn with_gap(settings: &str, at: &str) -> String {
    let gap = format!("tip-gap: {{at: {at}, height: {HEIGHT}, layers: {{first: 0.004, growth: 1.5, number: 1}}}}");
    let walls = "end-walls: {first: 0.01, growth: 1.5, number: 3}";
    assert!(settings.contains(walls));
    settings.replace(walls, &format!("{walls}, {gap}"))
}

fn annular() -> String {
    around_an_axis().replace(
        "{cells: 3}",
        "{cells: 3, end-walls: {first: 0.01, growth: 1.5, number: 3}}",
    )
}

/// The names of the boundaries of the mesh in a folder, and its quality.
fn measured(folder: &TempDir) -> (Vec<String>, Quality) {
    let mesh = read_mesh(&folder.path().join("blade.h5"), &[]).expect("a mesh");
    let quality = Quality::of(&mesh, 2).expect("cells");
    assert_eq!(quality.inverted, 0);
    (mesh.boundary_names, quality)
}

fn area(quality: &Quality, name: &str) -> f64 {
    let report = quality.boundaries.iter().find(|boundary| boundary.name == name);
    report.unwrap_or_else(|| panic!("no boundary {name}")).area
}

#[test]
fn the_gap_over_a_linear_row_has_the_area_of_the_profile_times_its_height() {
    let Some(gmsh) = gmsh() else { return };
    for (order, at, other) in [(1, "casing", "hub"), (2, "hub", "casing"), (3, "casing", "hub")] {
        let settings = format!("{}geometry-order: {order}\n", between_walls());
        let (folder, text) = made(&with_gap(&settings, at), &gmsh);
        assert!(
            text.contains("tip gap                      0.03000 high, 8 cells"),
            "{text}"
        );
        let (names, with) = measured(&folder);
        assert_eq!(names, ["blade", "inlet", "outlet", "hub", "casing", "tip"]);
        let (_, without) = measured(&made(&settings, &gmsh).0);
        let tip = area(&with, "tip");
        // The tip is the outline of the blade, which the polygon of the published points is nearly.
        let polygon = area_of_profile(&folder);
        assert!(
            (tip / polygon - 1.0).abs() < if order == 1 { 8e-3 } else { 1e-3 },
            "{order}: {tip} {polygon}"
        );
        let same = |a: f64, b: f64, what: &str| assert!((a / b - 1.0).abs() < 1e-10, "{order}, {what}: {a} {b}");
        same(with.volume, without.volume + HEIGHT * tip, "volume");
        same(
            area(&with, "blade"),
            area(&without, "blade") * (0.6 - HEIGHT) / 0.6,
            "blade",
        );
        same(area(&with, at), area(&with, other) + tip, at);
        same(area(&with, other), area(&without, other), other);
        assert!(with.worst.value > 0.35, "{text}");
    }
}

#[test]
fn the_gap_of_an_annular_row_is_its_share_of_the_height() {
    let Some(gmsh) = gmsh() else { return };
    let (_, without) = measured(&made(&annular(), &gmsh).0);
    for (at, other) in [("casing", "hub"), ("hub", "casing")] {
        let (folder, text) = made(&with_gap(&annular(), at), &gmsh);
        let (names, with) = measured(&folder);
        assert_eq!(names, ["blade", "inlet", "outlet", "casing", "hub", "tip"]);
        let tip = area(&with, "tip");
        let same = |a: f64, b: f64, what: &str| assert!((a / b - 1.0).abs() < 1e-5, "{at}, {what}: {a} {b}");
        // The section is the same in x and r theta, so that the blade has its area at each radius.
        same(with.volume, without.volume + HEIGHT * tip, "volume");
        same(area(&with, at), area(&without, at) + tip, at);
        same(area(&with, other), area(&without, other), other);
        assert!((tip / area_of_profile(&folder) - 1.0).abs() < 1e-3, "{tip}");
        assert!(with.worst.value > 0.2, "{text}");
    }
}

#[test]
fn gas_at_rest_in_a_gap_stays_at_rest() {
    let Some(gmsh) = gmsh() else { return };
    for (walls, limit) in [(Walls::Slip, 1e-11), (Walls::NoSlip, 1e-11)] {
        let (folder, _) = made(&with_gap(&between_walls(), "casing"), &gmsh);
        stays_at_rest(&folder, walls, limit);
    }
}

#[test]
fn gas_at_rest_in_a_gap_of_an_annular_row_stays_at_rest() {
    let Some(gmsh) = gmsh() else { return };
    let (folder, _) = made(&with_gap(&annular(), "hub"), &gmsh);
    stays_at_rest(&folder, Walls::Slip, 1e-4);
}

#[test]
fn sections_of_several_radii_have_a_gap() {
    let Some(gmsh) = gmsh() else { return };
    let sections = "{sections: [{radius: 2.5, file: hub.csv}, {radius: 3, file: t106.csv}, {radius: 3.5, file: \
                    tip.csv}]}";
    let folder = with(&with_gap(&annular(), "casing").replace("{file: t106.csv}", sections));
    super::rows::write_other_sections(&folder);
    let (code, text) = cascade(&folder, Some(&gmsh));
    assert_eq!(code, Some(0), "{text}");
    let (_, quality) = measured(&folder);
    // The section at the tip is larger than that at the middle.
    assert!(area(&quality, "tip") > 1.1 * area_of_profile(&folder), "{text}");
    assert!(quality.worst.value > 0.15, "{text}");
}

#[test]
fn gaps_that_do_not_fit_are_refused_with_their_line() {
    for (from, to, words) in [
        (
            "height: 0.03",
            "height: -0.03",
            "`height` is -0.03: it must be from 1e-8",
        ),
        (
            "height: 0.03",
            "height: 0.58",
            "the gap is 0.58000 high; the span is 0.60000 long",
        ),
        ("height: 0.03", "height: 0.007", "each, and the gap is 0.00700 high"),
        ("number: 1}", "number: 1}, cells: 0", "`cells` is 0"),
        (
            "number: 1}",
            "number: 1}, cells: 1",
            "`cells: 6` makes them about as high",
        ),
        ("at: casing", "at: shroud", "`shroud` is not a value"),
        (
            "end-walls: {first: 0.01, growth: 1.5, number: 3}, ",
            "",
            "this row has no layers at end walls\n --> blade.yaml:3",
        ),
    ] {
        let settings = with_gap(&between_walls(), "casing");
        assert!(settings.contains(from), "{from}");
        let (code, text) = cascade(&with(&settings.replacen(from, to, 1)), None);
        assert_eq!(code, Some(2), "{text}");
        assert!(text.contains(words), "no '{words}' in\n{text}");
    }
}

#[test]
fn a_blade_of_long_cells_has_no_room_for_those_over_its_tip() {
    let Some(gmsh) = gmsh() else { return };
    let settings = with_gap(&between_walls(), "casing")
        .replace("{size: 0.04}", "{size: 0.3, turn: 60, growth: 3}")
        .replace(
            "{first: 2e-3, growth: 1.4, number: 5}",
            "{first: 2e-4, growth: 1, number: 2}",
        );
    let (code, text) = cascade(&with(&settings), Some(&gmsh));
    assert_eq!(code, Some(2), "{text}");
    assert!(
        text.contains("the cells over the tip of the blade are tangled at ("),
        "{text}"
    );
}
