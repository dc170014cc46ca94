//! Two-dimensional meshes of Gmsh that are extruded.

use crate::common::meshes::{data, files, measured, sizes};
use crate::common::program::{folder, refuses, write};
use fr_les::element::ElementKind;
use fr_les::mesh::{Extrusion, Mesh, PeriodicPair, read_extruded, read_mesh};

fn extruded(path: &std::path::Path, layers: usize, periodic: bool) -> Mesh {
    let by = Extrusion { thickness: 0.3, layers };
    let pairs: Vec<PeriodicPair> = periodic.then(|| by.ends()).into_iter().collect();
    read_extruded(path, &by, &pairs).unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn layers_too_thin_for_their_coordinates_and_empty_files_are_refused() {
    let folder = folder();
    let path = data("plane1.su2").display().to_string();
    for thickness in ["1e-300", "1e-5"] {
        let by = format!("thickness={thickness},layers=100");
        refuses(
            &folder,
            &["mesh", "import", &path, "m.h5", "--extrude", &by],
            &["plane1.su2", "too thin"],
        );
    }
    for name in ["empty.cgns", "empty.su2", "empty.msh", "empty.h5"] {
        write(&folder, name, b"");
        refuses(&folder, &["mesh", "info", name], &[name, "the file is empty"]);
    }
}

#[test]
fn extruded_meshes_have_the_areas_and_lengths_that_gmsh_measured() {
    let mut seen = 0;
    for expected in measured().into_iter().filter(|mesh| mesh.name.starts_with("plane")) {
        for path in files(&expected.name) {
            for (layers, periodic) in [(1, false), (3, true)] {
                let mesh = extruded(&path, layers, periodic);
                let of = |kind| mesh.kinds.iter().filter(|k| **k == kind).count();
                assert_eq!(of(ElementKind::Hex), 4 * layers);
                assert_eq!(of(ElementKind::Prism), (expected.cells - 4) * layers);
                let (volume, areas) = sizes(&mesh);
                // Gmsh's rules of integration have eleven digits. Areas of curved faces are approximate in the report.
                let near = |value: f64, wanted: f64| (value - wanted).abs() < 1e-11 * wanted;
                let curved_near = |value: f64, wanted: f64| (value - wanted).abs() < 2e-7 * wanted;
                assert!(near(volume, 0.3 * expected.sizes["fluid"]), "{path:?} {volume}");
                let linked = expected.name == "plane_linked";
                let mut names = vec!["inner", "outer"];
                names.extend(["start", "end"].iter().filter(|_| !linked));
                names
                    .iter()
                    .for_each(|name| assert!(curved_near(areas[*name], 0.3 * expected.sizes[*name]), "{name}"));
                if !periodic {
                    let ends = ["z-", "z+"];
                    ends.iter()
                        .for_each(|name| assert!(near(areas[*name], expected.sizes["fluid"]), "{name}"));
                    names.extend(ends);
                }
                assert_eq!(areas.len(), names.len(), "{areas:?}");
                assert_eq!(mesh.rotations.len(), if linked { 2 } else { 0 });
                mesh.check().expect("is consistent");
                seen += 1;
            }
        }
    }
    assert_eq!(seen, 14);
}

#[test]
fn curved_edges_are_kept() {
    // With order 4 the arcs have the length of circles to 1e-8; straight edges are 0.6 percent shorter.
    let (_, areas) = sizes(&extruded(&data("plane4_v41_text.msh"), 1, false));
    assert!(
        (areas["outer"] / (0.3 * std::f64::consts::PI) - 1.0).abs() < 3e-8,
        "{areas:?}"
    );
    let (_, areas) = sizes(&extruded(&data("plane1_v41_text.msh"), 1, false));
    assert!(areas["outer"] / (0.3 * std::f64::consts::PI) < 0.994, "{areas:?}");
}

#[test]
fn meshes_that_cannot_be_extruded_are_refused() {
    let by = Extrusion {
        thickness: 1.0,
        layers: 1,
    };
    let folder = tempfile::tempdir().expect("a folder");
    let write = |name: &str, from: &str, change: (&str, &str)| {
        let text = std::fs::read_to_string(data(from)).expect("is checked in");
        assert!(text.contains(change.0));
        let path = folder.path().join(name);
        std::fs::write(&path, text.replacen(change.0, change.1, 1)).expect("written");
        path
    };
    let bent = write("bent.msh", "plane1_v41_text.msh", ("\n2 0 0\n", "\n2 0 0.25\n"));
    for (path, wanted) in [
        (
            data("mixed1_v41_text.msh"),
            "element 15 is a tet: only a two-dimensional mesh",
        ),
        (data("mixed1.su2"), "the mesh has three dimensions (NDIME= 3)"),
        (bent, "the mesh is not flat: its lowest node lies at z = 0, but element"),
    ] {
        let error = read_extruded(&path, &by, &[])
            .map(|_| ())
            .expect_err(wanted)
            .to_string();
        assert!(error.contains(wanted), "{error}");
    }
    for (path, wanted) in [
        (
            data("plane1_v41_text.msh"),
            "extruded by `fr-les mesh import --extrude`",
        ),
        (data("plane1.su2"), "the mesh has two dimensions (NDIME= 2)"),
    ] {
        let error = read_mesh(&path, &[]).map(|_| ()).expect_err(wanted).to_string();
        assert!(error.contains(wanted), "{error}");
    }
}

/// A square of 2 x 2 quadrilaterals, of which the curves 4 to 2 and 1 to 3 are periodic in x and y. Only the surface
/// belongs to a physical group, so that the file has no elements on the curves.
fn doubly_periodic(version: &str) -> String {
    let node = |i: usize, j: usize| 1 + i + 3 * j;
    let lines = |lines: Vec<String>| lines.join("\n");
    let nodes: Vec<[usize; 2]> = (0..3).flat_map(|j| (0..3).map(move |i| [i, j])).collect();
    let corner = |[i, j]: [usize; 2]| [node(i, j), node(i + 1, j), node(i + 1, j + 1), node(i, j + 1)];
    let quads = [[0, 0], [1, 0], [0, 1], [1, 1]].map(corner);
    let words = |list: &[usize]| list.iter().map(usize::to_string).collect::<Vec<_>>().join(" ");
    let shift = |x: f64, y: f64| format!("1 0 0 {x} 0 1 0 {y} 0 0 1 0 0 0 0 1");
    // Pairs of a node of the slave and of the master.
    let across: [Vec<[usize; 2]>; 2] = [
        (0..3).map(|k| [node(2, k), node(0, k)]).collect(),
        (0..3).map(|k| [node(k, 2), node(k, 0)]).collect(),
    ];
    let pairs = |d: usize| lines(across[d].iter().map(|pair| words(pair)).collect());
    let place = |[i, j]: &[usize; 2]| format!("{} {} 0", *i as f64 / 2.0, *j as f64 / 2.0);
    let head = format!("$MeshFormat\n{version} 0 8\n$EndMeshFormat\n");
    if version == "4.1" {
        let tags = lines((1..=9).map(|tag: usize| tag.to_string()).collect());
        let places = lines(nodes.iter().map(place).collect());
        let quads = lines(
            (1..)
                .zip(&quads)
                .map(|(tag, quad)| format!("{tag} {}", words(quad)))
                .collect(),
        );
        return format!(
            "{head}$Entities\n0 0 1 0\n1 0 0 0 1 1 0 1 1 0\n$EndEntities\n\
             $Nodes\n1 9 1 9\n2 1 0 9\n{tags}\n{places}\n$EndNodes\n\
             $Elements\n1 4 1 4\n2 1 3 4\n{quads}\n$EndElements\n\
             $Periodic\n2\n1 2 4\n16 {}\n3\n{}\n1 3 1\n16 {}\n3\n{}\n$EndPeriodic\n",
            shift(1.0, 0.0),
            pairs(0),
            shift(0.0, 1.0),
            pairs(1)
        );
    }
    let places = lines(
        (1..)
            .zip(&nodes)
            .map(|(tag, at)| format!("{tag} {}", place(at)))
            .collect(),
    );
    let quads = lines(
        (1..)
            .zip(&quads)
            .map(|(tag, quad)| format!("{tag} 3 2 1 1 {}", words(quad)))
            .collect(),
    );
    format!(
        "{head}$Nodes\n9\n{places}\n$EndNodes\n$Elements\n4\n{quads}\n$EndElements\n\
         $Periodic\n2\n1 2 4\nAffine {}\n3\n{}\n1 3 1\n3\n{}\n$EndPeriodic\n",
        shift(1.0, 0.0),
        pairs(0),
        pairs(1)
    )
}

#[test]
fn curves_without_elements_are_joined_by_their_nodes() {
    let folder = folder();
    for version in ["2.2", "4.1"] {
        write(&folder, "a.msh", doubly_periodic(version).as_bytes());
        let path = folder.path().join("a.msh");
        for layers in [1, 3] {
            let mesh = extruded(&path, layers, false);
            mesh.check().expect("is consistent");
            let (volume, areas) = sizes(&mesh);
            assert!((volume - 0.3).abs() < 1e-14, "{volume}");
            let names: Vec<&str> = areas.keys().map(String::as_str).collect();
            assert_eq!(names, ["z+", "z-"], "{version}");
            // Each cell has four neighbours in x and y, two of them across a period.
            let inside = mesh.sides.iter().filter(|side| side.neighbour().is_some()).count();
            assert_eq!(inside, 4 * 4 * layers + 2 * 4 * (layers - 1), "{version}");
        }
    }
}
