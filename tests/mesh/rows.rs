//! Meshes of rows between end walls, linear and annular, from the command line. As in [`super::cascade`], those that
//! are filled by Gmsh need it.

use crate::common::program::{succeeds, write};
use fr_les::mesh::quality::Quality;
use fr_les::mesh::read_mesh;
use tempfile::TempDir;

use super::cascade::{SETTINGS, area_of_profile, cascade, gmsh, made, with};

/// Settings with end walls.
pub fn between_walls() -> String {
    let walls = "{length: 0.6, cells: 3, end-walls: {first: 0.01, growth: 1.5, number: 3}}";
    SETTINGS.replace("{length: 0.1, cells: 1}", walls)
}

#[test]
fn end_walls_close_the_span_and_have_layers() {
    let Some(gmsh) = gmsh() else { return };
    let (folder, text) = made(&between_walls(), &gmsh);
    let line = "layers at end walls          first 1.000e-2, last 2.250e-2, together 0.04750 thick; 1.683e-1 between";
    assert!(text.contains(line), "{text}");
    let mesh = read_mesh(&folder.path().join("blade.h5"), &[]).expect("a mesh");
    assert_eq!(mesh.boundary_names, ["blade", "inlet", "outlet", "hub", "casing"]);
    assert_eq!(mesh.joined, [["periodic-low", "periodic-high"].map(str::to_owned)]);
    // Every ninth of the cells lies at each height; those at a wall are as high as its first layer.
    let heights = (0..mesh.len()).map(|cell| {
        let z = mesh.cell_nodes(cell).iter().map(|x| x[2]);
        [z.clone().fold(f64::INFINITY, f64::min), z.fold(0.0, f64::max)]
    });
    let at_a_wall = |[low, high]: [f64; 2]| (low == 0.0 && (high - 0.01).abs() < 1e-12) || (0.59 - low).abs() < 1e-12;
    assert_eq!(
        9 * heights.filter(|heights| at_a_wall(*heights)).count(),
        2 * mesh.len()
    );
}

#[test]
fn gas_at_rest_between_end_walls_stays_at_rest() {
    let Some(gmsh) = gmsh() else { return };
    let (folder, _) = made(&between_walls(), &gmsh);
    stays_at_rest(&folder, Walls::Slip, 1e-11);
}

/// What the walls of gas at rest do to it.
#[derive(Clone, Copy)]
pub enum Walls {
    /// They let it slip.
    Slip,
    /// They hold it, and it is viscous.
    NoSlip,
}

/// Runs gas at rest with a pressure and a sound speed of about 1 between walls on the mesh of a folder, and compares
/// the largest Mach number with a limit.
pub fn stays_at_rest(folder: &TempDir, walls: Walls, limit: f64) {
    let mesh = read_mesh(&folder.path().join("blade.h5"), &[]).expect("a mesh");
    let [kind, gas] = match walls {
        Walls::Slip => ["slip", "{gas-constant: 1}"],
        Walls::NoSlip => ["no-slip-adiabatic", "{gas-constant: 1, viscosity: {constant: 1e-3}}"],
    };
    let names = mesh.boundary_names.iter();
    let walls: String = names.map(|name| format!("  {name}: {{type: {kind}}}\n")).collect();
    let case = format!(
        "\
mesh: {{file: blade.h5}}
order: 2
gas: {gas}
initial: {{u: 0, v: 0, w: 0, p: 1, temperature: 1}}
boundaries:
{walls}time: {{steps: 10, cfl: 0.9}}
output: {{integrals: {{every-steps: 10}}}}
"
    );
    write(folder, "run.yaml", case.as_bytes());
    let log = succeeds(folder, &["run.yaml"]);
    assert!(log.contains("finished at step 10"), "{log}");
    let bytes = std::fs::read(folder.path().join("results/integrals.csv")).expect("the integrals");
    let table = fr_les::input::Table::parse(&bytes).expect("a table");
    let mach = table
        .column("mach_max")
        .and_then(|column| column.last())
        .expect("a Mach number");
    assert!(*mach < limit, "{mach}");
}

/// Settings of an annular row of 20 blades with the same section at all radii.
pub fn around_an_axis() -> String {
    let row = "annulus: {blades: 20, hub: [[-0.8, 2.6], [1.6, 2.6]], casing: [[-0.8, 3.4], [1.6, 3.4]]}";
    SETTINGS
        .replace("pitch: 0.95", row)
        .replace("{length: 0.1, cells: 1}", "{cells: 3}")
}

#[test]
fn blades_around_an_axis_have_the_volume_of_the_annulus_less_their_own() {
    let Some(gmsh) = gmsh() else { return };
    let (folder, text) = made(&around_an_axis(), &gmsh);
    assert!(
        text.contains("annulus                      20 blades, 0.80000 high; at the radius 3.00000"),
        "{text}"
    );
    let mesh = read_mesh(&folder.path().join("blade.h5"), &[]).expect("a mesh");
    assert_eq!(mesh.boundary_names, ["blade", "inlet", "outlet", "casing", "hub"]);
    assert_eq!(mesh.joined, [["periodic-low", "periodic-high"].map(str::to_owned)]);
    assert_eq!(mesh.rotations.len(), 2);
    // The section is the same in x and r theta, so that the blade has its area at each radius.
    let quality = Quality::of(&mesh, 2).expect("cells");
    let sector = std::f64::consts::PI * (3.4f64.powi(2) - 2.6f64.powi(2)) * 2.4 / 20.0;
    let gas = sector - 0.8 * area_of_profile(&folder);
    assert!((quality.volume / gas - 1.0).abs() < 1e-4, "{} {gas}", quality.volume);
    assert!(quality.worst.value > 0.25, "{text}");
    // Hub and casing are their cylinders, but for the degree of the cells' shapes, and all nodes are between them.
    let radii = || mesh.nodes.iter().map(|[_, y, z]| y.hypot(*z));
    let on = |radius: f64| radii().filter(|r| (r - radius).abs() < 1e-6).count();
    assert!(radii().all(|r| (2.6 - 1e-6..=3.4 + 1e-6).contains(&r)), "{text}");
    assert!(on(2.6) > 1000 && on(2.6) == on(3.4), "{} {}", on(2.6), on(3.4));
    stays_at_rest(&folder, Walls::Slip, 1e-4);
}

#[test]
fn sections_of_several_radii_between_curved_walls_are_stacked() {
    let Some(gmsh) = gmsh() else { return };
    let settings = around_an_axis()
        .replace("[[-0.8, 3.4], [1.6, 3.4]]", "[[-0.8, 3.4], [0.4, 3.45], [1.6, 3.6]]")
        .replace(
            "{cells: 3}",
            "{cells: 2, end-walls: {first: 0.02, growth: 1.5, number: 2}}",
        )
        .replace(
            "{file: t106.csv}",
            "{sections: [{radius: 2.5, file: hub.csv}, {radius: 3, file: t106.csv}, {radius: 3.7, file: tip.csv}]}",
        );
    let folder = with(&settings);
    write_other_sections(&folder);
    let (code, text) = cascade(&folder, Some(&gmsh));
    assert_eq!(code, Some(0), "{text}");
    assert_eq!(text.matches("section at the radius").count(), 2, "{text}");
    let mesh = read_mesh(&folder.path().join("blade.h5"), &[]).expect("a mesh");
    let quality = Quality::of(&mesh, 2).expect("cells");
    assert!(quality.inverted == 0 && quality.worst.value > 0.15, "{text}");
    stays_at_rest(&folder, Walls::Slip, 1e-4);
}

/// Writes the sections `hub.csv`, smaller than that of T106, and `tip.csv`, larger, turned by 5 degrees and moved.
pub fn write_other_sections(folder: &TempDir) {
    let profile = std::fs::read_to_string(folder.path().join("t106.csv")).expect("the profile");
    for (name, size, turn, by) in [
        ("hub.csv", 0.85, 0.0f64, [0.05, 0.0]),
        ("tip.csv", 1.1, 5.0, [-0.05, 0.1]),
    ] {
        let (sin, cos) = turn.to_radians().sin_cos();
        let row = |line: &str| {
            let point = line
                .split_once(',')
                .and_then(|(x, y)| Some([x.parse::<f64>().ok()?, y.parse().ok()?]));
            match point {
                Some([x, y]) => {
                    let [x, y] = [cos * x - sin * y, sin * x + cos * y];
                    format!("{},{}\n", size * x + by[0], size * y + by[1])
                }
                None => format!("{line}\n"),
            }
        };
        let text: String = profile.lines().map(row).collect();
        write(folder, name, text.as_bytes());
    }
}

#[test]
fn annular_rows_that_do_not_fit_are_refused_with_their_line() {
    let sections = |radii: [f64; 2]| {
        let [low, high] = radii;
        format!("{{sections: [{{radius: {low}, file: t106.csv}}, {{radius: {high}, file: t106.csv}}]}}")
    };
    for (from, to, words) in [
        ("blades: 20", "blades: 2", "`blades` is 2: it must be from 3 to 1000"),
        (
            "[1.6, 3.4]",
            "[1.6, 2.5]",
            "the hub, with the radius 2.60000, is not below the casing, 2.59900, at x = 1.33600\n --> blade.yaml:2",
        ),
        (
            "[1.6, 2.6]",
            "[1.5, 2.6]",
            "the curve reaches from x = -0.8 to 1.5, but the mesh",
        ),
        ("[1.6, 2.6]", "[-0.9, 2.6]", "x is -0.9 after -0.8: it must ascend"),
        ("[1.6, 2.6]", "[1.6, -2.6]", "radii are above 0"),
        (
            "{file: t106.csv}",
            &sections([3.0, 2.0]),
            "the sections are out of order: this one has the radius 2, and the one before it 3",
        ),
        (
            "{file: t106.csv}",
            &sections([2.7, 3.5]),
            "the sections lie between the radii 2.7 and 3.5, but hub and casing are at 2.60000 and 3.40000",
        ),
        (
            "{cells: 3}",
            "{length: 1, cells: 3}",
            "this belongs to a linear cascade",
        ),
        ("annulus:", "pitch: 0.95\nannulus:", "this belongs to a linear cascade"),
        (
            "blades: 20",
            "blades: 90",
            "the layers reach the middle between two blades at (",
        ),
    ] {
        let settings = around_an_axis();
        assert!(settings.contains(from), "{from}");
        let folder = with(&settings.replacen(from, to, 1));
        let (code, text) = cascade(&folder, None);
        assert_eq!(code, Some(2), "{text}");
        assert!(text.contains(words), "no '{words}' in\n{text}");
    }
    let folder = with(&SETTINGS.replace("{file: t106.csv}", &sections([2.0, 3.0])));
    let (code, text) = cascade(&folder, None);
    assert!(
        code == Some(2) && text.contains("belong to a row with the key `annulus`"),
        "{text}"
    );
}

#[test]
fn sections_that_change_too_much_are_refused_with_their_place() {
    let Some(gmsh) = gmsh() else { return };
    // From the middle to the tip the blade is turned over.
    let folder = with(&around_an_axis().replace(
        "{file: t106.csv}",
        "{sections: [{radius: 2.5, file: t106.csv}, {radius: 3, file: t106.csv}, {radius: 3.5, file: tip.csv}]}",
    ));
    let profile = std::fs::read_to_string(folder.path().join("t106.csv")).expect("the profile");
    let row = |line: &str| match line
        .split_once(',')
        .and_then(|(x, y)| Some((x, y.parse::<f64>().ok()?)))
    {
        Some((x, y)) => format!("{x},{}\n", -y),
        None => format!("{line}\n"),
    };
    let text: String = profile.lines().map(row).collect();
    write(&folder, "tip.csv", text.as_bytes());
    let (code, text) = cascade(&folder, Some(&gmsh));
    assert_eq!(code, Some(2), "{text}");
    assert!(
        text.contains("is tangled at x = ") && text.contains("between the sections at the radii 3 and 3.5"),
        "{text}"
    );
}
