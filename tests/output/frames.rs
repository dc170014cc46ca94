//! Outputs of blocks of cells that move past each other at an interface: traverses see all their planes in one frame,
//! means over two frames are refused, and a check names the interface.

use std::path::Path;

use crate::common::blocks;
use crate::common::program::{refuses, run_case, succeeds, with_case};
use crate::common::sectors;
use fr_les::mesh::{BoxElements, Mesh, native};
use tempfile::TempDir;

/// A box between two values of x, periodic in y and z, with boundaries `NAMEx-` and `NAMEx+`.
fn block(name: &str, cells: usize, x: [f64; 2]) -> Mesh {
    let corners = [[x[0], 0.0, 0.0], [x[1], 1.0, 1.0]];
    blocks::block(name, BoxElements::Hex, [2, cells, 1], corners, [true; 2])
}

/// A uniform oblique flow, u = 0.3 and v = 0.4, through two blocks, the second of which moves at 0.8.
fn two_blocks(outputs: &str) -> TempDir {
    let directory = with_case(&format!(
        "mesh: {{file: mesh.h5}}\norder: 2\ngas: {{gas-constant: 1}}\ndevice: cpu\ntime: {{steps: 1, dt: 1e-15}}\n\
         initial: {{u: 0.3, v: 0.4, w: 0, p: 1, rho: 1}}\nboundaries:\n  \
         a-x-: {{type: far-field, u: 0.3, v: 0.4, w: 0, p: 1, rho: 1}}\n  \
         a-x+: {{type: interface, with: b-x-}}\n  b-x-: {{type: interface, with: a-x+, speed: 0.8}}\n  \
         b-x+: {{type: far-field, u: 0.3, v: 0.4 - 0.8, w: 0, p: 1, rho: 1}}\noutput:\n{outputs}"
    ));
    write_blocks(directory.path());
    directory
}

fn write_blocks(folder: &Path) {
    let mesh = block("a-", 2, [-1.0, 0.0]).beside(block("b-", 3, [0.0, 1.0]));
    native::write(&mesh.expect("two blocks"), &folder.join("mesh.h5")).expect("written");
}

/// Returns the value of a result in the comments of the table of a traverse.
fn result(directory: &TempDir, traverse: &str, name: &str) -> f64 {
    result_in(directory, &format!("traverse_{traverse}.csv"), name)
}

/// The same of the traverse of an annulus.
fn annulus_result(directory: &TempDir, traverse: &str, name: &str) -> f64 {
    result_in(directory, &format!("annulus_{traverse}.csv"), name)
}

fn result_in(directory: &TempDir, file: &str, name: &str) -> f64 {
    let path = directory.path().join("results").join(file);
    let text = std::fs::read_to_string(path).expect("a table");
    let line = text
        .lines()
        .find(|line| line.starts_with(&format!("# result {name} [")));
    let (_, value) = line.expect(name).split_once("value = ").expect("a value");
    value.split(',').next().expect("a number").parse().expect("a number")
}

#[test]
fn traverses_see_the_planes_of_both_blocks_in_one_frame() {
    let directory = two_blocks(
        "  traverses:\n    \
         first: {x: -0.2, inlet-x: -0.7, counts: [5, 2], every-steps: 1}\n    \
         second: {x: 0.5, inlet-x: -0.5, counts: [5, 2], every-steps: 1}\n    \
         both: {x: 0.5, inlet-x: -0.5, counts: [5, 2], every-steps: 1, frame: first}\n",
    );
    run_case(directory.path(), 1, &[], 0);
    // tan(v/u), and the total pressure and temperature of that velocity at T = 1, in the two frames.
    let [absolute, relative] = [0.4, -0.4f64].map(|v| v.atan2(0.3).to_degrees());
    for (traverse, angle) in [("first", absolute), ("second", relative), ("both", absolute)] {
        for (name, expected) in [
            ("angle_mixed", angle),
            ("inlet_angle_mixed", angle),
            ("omega", 0.0),
            ("T0_mass", 1.0 + 0.25 / 7.0),
        ] {
            let found = result(&directory, traverse, name);
            assert!(
                (found - expected).abs() < 1e-11,
                "{traverse} {name}: {found}, {expected}"
            );
        }
    }
}

#[test]
fn means_across_blocks_that_move_are_refused() {
    let directory = two_blocks("  statistics: {average: [x], every-steps: 1}\n");
    let parts = [
        "output.statistics.average",
        "means over x would be of blocks that move past each other at the interface a-x+ to b-x-",
    ];
    refuses(&directory, &["run.yaml"], &parts);
    let directory = two_blocks("  statistics: {average: [y], every-steps: 1}\n");
    run_case(directory.path(), 1, &[], 0);
}

#[test]
fn planes_on_an_interface_that_moves_and_rotating_frames_are_refused() {
    let directory = two_blocks("  traverses: {a: {x: 0, counts: [4, 1], every-steps: 1}}\n");
    let parts = [
        "output.traverses.a.x",
        "the plane is that of the interface a-x+ to b-x-",
    ];
    refuses(&directory, &["run.yaml"], &parts);
    let directory = two_blocks("  integrals: {every-steps: 1}\n");
    let set = "rotating-frame={angular-velocity: [0, 0, 0.1], forces: coriolis}";
    let parts = [
        "rotating-frame",
        "the blocks at the interface a-x+ to b-x- move past each other",
    ];
    refuses(&directory, &["run.yaml", "--set", set], &parts);
}

#[test]
fn a_check_names_interfaces_and_sums_of_two_frames() {
    let directory = two_blocks("  integrals: {every-steps: 1}\n");
    let shown = succeeds(&directory, &["check", "run.yaml"]);
    for part in [
        "slides  a-x+ to b-x-: rows of length 1, b-x- moves at 0.8 along y, a length in a time of 1.25",
        "WARN output.integrals: momentum, kinetic and total energy",
    ] {
        assert!(shown.contains(part), "no '{part}' in\n{shown}");
    }
    assert!(!shown.contains("b-x-.speed"), "{shown}");
    // A speed in other units: that of sound is the root of 1.4.
    let shown = succeeds(&directory, &["check", "run.yaml", "--set", "boundaries.b-x-.speed=1e9"]);
    for part in [
        "WARN boundaries.b-x-.speed: cells behind the interface move at 1.000e9 at (",
        "8.452e8 times the speed of sound, and rotors stay below 3 times",
    ] {
        assert!(shown.contains(part), "no '{part}' in\n{shown}");
    }
    let directory = two_blocks("  boundaries: {every-steps: 1}\n");
    let shown = succeeds(&directory, &["check", "run.yaml"]);
    assert!(!shown.contains("each as it sees the flow"), "{shown}");
}

/// A uniform axial flow through two sectors, the second of which turns about z at 0.5.
fn two_sectors(outputs: &str) -> TempDir {
    let state = "w: 0.3, p: 1, rho: 1";
    let directory = with_case(&format!(
        "mesh: {{file: mesh.h5}}\norder: 2\ngas: {{gas-constant: 1}}\ndevice: cpu\ntime: {{steps: 1, dt: 1e-15}}\n\
         initial: {{u: 0, v: 0, {state}}}\nboundaries:\n  \
         a-z-: {{type: far-field, u: 0, v: 0, {state}}}\n  a-inner: {{type: slip}}\n  a-outer: {{type: slip}}\n  \
         a-z+: {{type: interface, with: b-z-, axis: z}}\n  \
         b-z-: {{type: interface, with: a-z+, axis: z, angular-speed: 0.5}}\n  \
         b-inner: {{type: slip}}\n  b-outer: {{type: slip}}\n  \
         b-z+: {{type: far-field, u: 0.5*y, v: -0.5*x, {state}}}\noutput:\n{outputs}"
    ));
    let mesh = sectors::two_sectors([2, 1], [3, 4], 0.0);
    native::write(&mesh, &directory.path().join("mesh.h5")).expect("written");
    directory
}

#[test]
fn traverses_of_annuli_see_blocks_that_turn_in_the_frame_that_is_asked_for() {
    let place =
        |z: f64, more: &str| format!("{{axis: z, x: {z}, radii: [1, 2], counts: [6, 4], every-steps: 1{more}}}");
    let [before, block, first] = [place(-0.5, ""), place(0.5, ""), place(0.5, ", frame: first")];
    let directory = two_sectors(&format!(
        "  annuli:\n    before: {before}\n    block: {block}\n    first: {first}\n"
    ));
    run_case(directory.path(), 1, &[], 0);
    let of = |name: &str, result: &str| annulus_result(&directory, name, result);
    // T0 = T + v^2/7: the mean of r^2 over the area is 5/2.
    for (name, total) in [
        ("before", 1.0 + 0.09 / 7.0),
        ("first", 1.0 + 0.09 / 7.0),
        ("block", 1.0 + (0.09 + 0.25 * 2.5) / 7.0),
    ] {
        let found = of(name, "T0_mass");
        assert!((found - total).abs() < 1e-5, "{name}: {found}, {total}");
    }
    let [before, first, block] = ["before", "first", "block"].map(|name| of(name, "swirl"));
    assert!(
        before.abs() < 1e-9 && first.abs() < 1e-2 && block < -50.0,
        "{before} {first} {block}"
    );
}

#[test]
fn planes_on_an_interface_that_turns_and_linear_traverses_are_refused() {
    let plane = "{axis: z, x: 0, radii: [1, 2], counts: [6, 4], every-steps: 1}";
    let directory = two_sectors(&format!("  annuli: {{a: {plane}}}\n"));
    let parts = [
        "output.annuli.a.x",
        "the surface meets an interface whose blocks turn past each other, as a-z+ to b-z-",
    ];
    refuses(&directory, &["run.yaml"], &parts);
    let cone = "{axis: z, x: [-0.2, 0.2], radii: [1, 2], counts: [6, 4], every-steps: 1}";
    let directory = two_sectors(&format!("  annuli: {{a: {cone}}}\n"));
    refuses(&directory, &["run.yaml"], &parts);
    let directory = two_sectors("  traverses: {a: {x: 1.5, counts: [4, 1], every-steps: 1}}\n");
    refuses(
        &directory,
        &["run.yaml"],
        &["output.traverses.a", "`output.annuli` has those of annular rows"],
    );
    let directory = two_sectors("  statistics: {average: [z], every-steps: 1}\n");
    refuses(
        &directory,
        &["run.yaml"],
        &["output.statistics.average", "a-z+ to b-z-"],
    );
}

#[test]
fn a_check_names_interfaces_that_turn_and_warns_of_a_fast_one() {
    let directory = two_sectors("  integrals: {every-steps: 1}\n");
    let shown = succeeds(&directory, &["check", "run.yaml"]);
    for part in [
        "slides  a-z+ to b-z-: rows of 45 degrees, b-z- turns at 0.5 about the z axis, a row in a time of 1.5708",
        "WARN output.integrals: momentum, kinetic and total energy",
    ] {
        assert!(shown.contains(part), "no '{part}' in\n{shown}");
    }
    assert!(!shown.contains("angular-speed"), "{shown}");
    let fast = ["check", "run.yaml", "--set", "boundaries.b-z-.angular-speed=30"];
    let shown = succeeds(&directory, &fast);
    let part = "boundaries.b-z-.angular-speed: the frame moves at 60";
    assert!(shown.contains(part), "no '{part}' in\n{shown}");
    let shown = succeeds(
        &directory,
        &["check", "run.yaml", "--steady", "--set", "steady={turbulence: none}"],
    );
    let part = "mixing plane a-z+ to b-z-: means over";
    assert!(shown.contains(part), "no '{part}' in\n{shown}");
}
