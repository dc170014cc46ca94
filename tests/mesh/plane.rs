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
