//! CGNS files: those that Gmsh wrote, beside the same meshes in its own format, and the small ones of `cgns_files`.

use std::collections::BTreeMap;
use std::path::Path;

use crate::cgns_files::{
    Contents, MIXED, Node, SERENDIPITY, base, hex_and_prism, joined, lattice, one_to_one, place, quadratic, trilinear,
    two_zones, write_cell_of_edges, write_hexahedron_of_20_nodes, write_linked,
};
use crate::common::meshes::{data, measured, read, sizes};
use crate::common::program::succeeds;
use fr_les::case::Correction;
use fr_les::element::ReferenceElement;
use fr_les::mesh::{Extrusion, Mesh, read_extruded, read_mesh};
use tempfile::TempDir;

fn cgns(path: &Path) -> Mesh {
    let mesh = read_mesh(path, &[]).unwrap_or_else(|error| panic!("{error}"));
    mesh.check().expect("is consistent");
    mesh
}

fn near(a: f64, b: f64, tolerance: f64) -> bool {
    (a - b).abs() <= tolerance * b.abs()
}

#[test]
fn files_of_gmsh_are_the_meshes_of_its_own_format() {
    for (name, other) in [
        ("mixed1", "mixed1_v41_text"),
        ("mixed2", "mixed2_v41_text"),
        ("cylinder_hex3", "cylinder_hex3_v41_text"),
        ("wedge", "wedge_v41_text"),
        ("divided", "divided_v41_text"),
    ] {
        let ours = cgns(&data(&format!("{name}.cgns")));
        let theirs = read(&data(&format!("{other}.msh")));
        assert_eq!((ours.len(), ours.geometry_order), (theirs.len(), theirs.geometry_order));
        let ((volume, areas), (their_volume, their_areas)) = (sizes(&ours), sizes(&theirs));
        assert!(near(volume, their_volume, 1e-13), "{name}: {volume} {their_volume}");
        assert_eq!(areas.len(), their_areas.len(), "{name}: {areas:?}");
        // The rule for areas of curved triangles depends on the first vertex.
        let all = areas.iter().all(|(name, area)| near(*area, their_areas[name], 1e-5));
        assert!(all, "{name}: {areas:?} {their_areas:?}");
        assert_eq!(ours.rotations.len(), theirs.rotations.len());
        let inner = |mesh: &Mesh| mesh.sides.iter().filter(|side| side.neighbour().is_some()).count();
        assert_eq!(inner(&ours), inner(&theirs), "{name}");
    }
}

#[test]
fn quartic_cells_and_flat_meshes_of_gmsh_have_the_sizes_of_their_shapes() {
    let (volume, areas) = sizes(&cgns(&data("cylinder_tet4.cgns")));
    let pi = std::f64::consts::PI;
    assert!(near(volume, 0.75 * pi, 4e-6), "{volume}");
    assert!(
        near(areas["outer"], pi, 4e-6) && near(areas["inner"], 0.5 * pi, 8e-6),
        "{areas:?}"
    );
    let by = Extrusion {
        thickness: 0.3,
        layers: 2,
    };
    let mesh = read_extruded(&data("plane4.cgns"), &by, &[]).unwrap_or_else(|error| panic!("{error}"));
    let expected = measured()
        .into_iter()
        .find(|mesh| mesh.name == "plane4")
        .expect("is measured");
    assert_eq!((mesh.len(), mesh.geometry_order), (2 * expected.cells, 4));
    let (volume, areas) = sizes(&mesh);
    assert!(near(volume, 0.3 * expected.sizes["fluid"], 1e-11), "{volume}");
    for name in ["inner", "outer", "start", "end"] {
        assert!(near(areas[name], 0.3 * expected.sizes[name], 2e-7), "{name} {areas:?}");
    }
}

/// What joins two zones.
type Interface<'a> = &'a dyn Fn(&Node, &Node);

#[test]
fn structured_zones_are_joined_by_interfaces_or_by_their_places() {
    let (_folder, path) = place();
    let join = |first: &Node, _: &Node| joined(first);
    let nothing = |_: &Node, _: &Node| {};
    let forms: [Interface; 2] = [&join, &nothing];
    for form in forms {
        two_zones(&path, form);
        let mesh = cgns(&path);
        assert_eq!(mesh.len(), 60);
        let (volume, areas) = sizes(&mesh);
        assert!(near(volume, 7.5, 1e-14), "{volume}");
        let expected = [
            ("low", 5.0),
            ("high", 5.0),
            ("bottom", 3.75),
            ("Top", 3.75),
            ("left", 3.0),
            ("right", 3.0),
        ];
        let expected: BTreeMap<&str, f64> = expected.into();
        assert_eq!(areas.len(), 6, "{areas:?}");
        assert!(
            areas
                .iter()
                .all(|(name, area)| near(*area, expected[name.as_str()], 1e-14)),
            "{areas:?}"
        );
        std::fs::remove_file(&path).expect("removed");
    }
}

#[test]
fn periodic_interfaces_are_joined_and_wrong_ones_are_refused() {
    let (folder, path) = place();
    let periodic = |first: &Node, translation: Option<[f32; 3]>| {
        let interface = one_to_one(first, "period", "B", [[1, 1, 1, 1, 4, 5], [4, 1, 1, 4, 4, 5]]);
        let property = interface.child("GridConnectivityProperty", "GridConnectivityProperty_t");
        if let Some(by) = translation {
            property
                .child("Periodic", "Periodic_t")
                .child("Translation", "DataArray_t")
                .real(&[3], &by);
        }
    };
    two_zones(&path, |first, _| periodic(first, Some([2.5, 0.0, 0.0])));
    let mesh = cgns(&path);
    assert_eq!(mesh.boundary_names.len(), 4, "{:?}", mesh.boundary_names);
    assert_eq!(mesh.joined, [["left".to_owned(), "right".to_owned()]]);
    let report = |folder: &TempDir| succeeds(folder, &["mesh", "info", "a.cgns"]);
    assert!(!report(&folder).contains("declares the period"));
    std::fs::remove_file(&path).expect("removed");
    // In another sense, as some programs have it, and with another length.
    for (by, told) in [([-2.5, 0.0, 0.0], false), ([2.4, 0.0, 0.0], true), ([0.0; 3], false)] {
        two_zones(&path, |first, _| periodic(first, Some(by)));
        let report = report(&folder);
        assert_eq!(report.contains("declares the period"), told, "{by:?}\n{report}");
        assert!(
            !told || report.contains("/period") && report.contains("(2.5, 0, 0)"),
            "{report}"
        );
        std::fs::remove_file(&path).expect("removed");
    }
    // The sides do not coincide, and the interface is not periodic.
    two_zones(&path, |first, _| periodic(first, None));
    let error = read_mesh(&path, &[])
        .map(|_| ())
        .expect_err("does not match")
        .to_string();
    assert!(
        error.contains("period in zone A and period in zone B do not match"),
        "{error}"
    );
}

/// Fractions of a turn lie 2.7e-7 apart at this angle, so that the nearest one differs from it by less than the digits
/// that files often hold.
#[test]
fn small_angles_between_periodic_sides_are_kept() {
    let (_folder, path) = place();
    let angle = 1.3e-3_f64;
    let turned = |[r, part, z]: [f64; 3]| [r * (part * angle).cos(), r * (part * angle).sin(), z];
    let nodes = lattice([2, 2, 2], [1.0, 0.0, 0.0], [1.01, 1.0, 0.01])
        .into_iter()
        .map(turned);
    let zone = base(&path).zone(
        "A",
        "Structured",
        &[2, 2, 2, 1, 1, 1, 0, 0, 0],
        &nodes.collect::<Vec<_>>(),
    );
    let list = zone.child("ZoneGridConnectivity", "ZoneGridConnectivity_t");
    let interface = list.child("turn", "GridConnectivity1to1_t").text("A");
    interface
        .child("PointRange", "IndexRange_t")
        .integers(&[1, 1, 1, 2, 1, 2]);
    interface
        .child("PointRangeDonor", "IndexRange_t")
        .integers(&[1, 2, 1, 2, 2, 2]);
    let property = interface.child("GridConnectivityProperty", "GridConnectivityProperty_t");
    let periodic = property.child("Periodic", "Periodic_t");
    periodic
        .child("RotationAngle", "DataArray_t")
        .array("R8", &[3], &[0.0, 0.0, angle]);
    drop((zone, list, interface, property, periodic));
    let mesh = cgns(&path);
    let sine = mesh.rotations[0][1][0].abs();
    assert!(near(sine, angle.sin(), 1e-10), "{sine} {}", angle.sin());
}

/// Changes a file that has been written.
fn reopened(path: &Path, change: impl Fn(&Node)) {
    let file = hdf5::File::open_rw(path).expect("a file");
    change(&Node(file.group("/").expect("the root")));
}

#[test]
fn units_of_length_other_than_metres_are_told() {
    let (folder, path) = place();
    for (unit, told) in [
        ("Millimeter", Some("0.001")),
        ("Inch", Some("0.0254")),
        ("Meter", None),
        ("Null", None),
    ] {
        two_zones(&path, |first, _| joined(first));
        reopened(&path, |root| {
            let names = ["Kilogram", unit, "Second", "Kelvin", "Degree"].map(|name| format!("{name:32}"));
            let base = Node(root.0.group("Base").expect("a base"));
            base.child("DimensionalUnits", "DimensionalUnits_t")
                .text(&names.concat());
        });
        let report = succeeds(&folder, &["mesh", "info", "a.cgns"]);
        let wanted =
            told.map(|scale| format!("the unit of length of the file is {unit} (DimensionalUnits)... {scale}"));
        assert_eq!(report.contains("DimensionalUnits"), told.is_some(), "{report}");
        for part in wanted.iter().flat_map(|wanted| wanted.split("...")) {
            assert!(report.contains(part.trim()), "no '{part}' in\n{report}");
        }
        std::fs::remove_file(&path).expect("removed");
    }
    // Zones of different units do not fit together.
    two_zones(&path, |first, second| {
        for (zone, unit) in [(first, "Meter"), (second, "Foot")] {
            let names = ["Kilogram", unit, "Second", "Kelvin", "Degree"].map(|name| format!("{name:32}"));
            zone.child("DimensionalUnits", "DimensionalUnits_t")
                .text(&names.concat());
        }
    });
    let error = read_mesh(&path, &[]).map(|_| ()).expect_err("two units").to_string();
    assert!(
        error.contains("/Base/B: its unit of length is Foot") && error.contains("Meter"),
        "{error}"
    );
}

/// Version 3.0 of the library had another number for each type from the pyramid of 13 nodes on.
#[test]
fn element_types_of_version_3_0_are_read_by_its_numbers() {
    let (_folder, path) = place();
    let version = |value: f32| {
        reopened(&path, |root| {
            let data = root.0.dataset("CGNSLibraryVersion/ data").expect("the version");
            data.write_raw(&[value]).expect("written");
        });
    };
    hex_and_prism(&path, |zone| zone.section("cells", 20, [1, 2], &MIXED));
    version(3.0);
    let standard = cgns(&path);
    std::fs::remove_file(&path).expect("removed");
    let mut older = MIXED;
    (older[0], older[9]) = (18, 15);
    assert_eq!([MIXED[0], MIXED[9]], [17, 14]);
    for sections in [1, 2] {
        hex_and_prism(&path, |zone| match sections {
            1 => zone.section("cells", 21, [1, 2], &older),
            _ => {
                zone.section("cells 1", 18, [1, 1], &older[1..9]);
                zone.section("cells 2", 15, [2, 2], &older[10..]);
            }
        });
        version(3.0);
        let mesh = cgns(&path);
        assert_eq!((&mesh.kinds, &mesh.nodes), (&standard.kinds, &standard.nodes));
        version(3.1);
        read_mesh(&path, &[]).map(|_| ()).expect_err("other numbers");
        std::fs::remove_file(&path).expect("removed");
    }
}

#[test]
fn mixed_sections_and_lists_of_points_and_of_faces_are_read() {
    let (_folder, path) = place();
    hex_and_prism(&path, |zone| {
        zone.section("cells", 20, [1, 2], &MIXED);
        zone.section(
            "faces",
            20,
            [3, 6],
            &[7, 1, 3, 4, 2, 5, 2, 4, 9, 7, 5, 6, 8, 7, 5, 6, 10, 8],
        );
        let list = zone.child("ZoneBC", "ZoneBC_t");
        list.condition("bottom", "FaceCenter", ("PointList", &[3, 4]));
        list.condition("top", "FaceCenter", ("PointRange", &[5, 6]));
        list.condition("left", "Vertex", ("PointList", &[1, 3, 5, 7]));
        list.condition("rest", "Vertex", ("PointList", &[3, 4, 7, 8, 9, 10]));
        list.condition("front", "Vertex", ("PointList", &[1, 2, 5, 6, 9, 10]));
    });
    let (volume, areas) = sizes(&cgns(&path));
    assert!(near(volume, 1.5, 1e-14), "{volume}");
    let expected = [
        ("bottom", 1.5),
        ("top", 1.5),
        ("left", 1.0),
        ("rest", 1.0 + 2f64.sqrt()),
        ("front", 2.0),
    ];
    assert_eq!(areas.len(), 5, "{areas:?}");
    assert!(
        expected.iter().all(|(name, area)| near(areas[*name], *area, 1e-14)),
        "{areas:?}"
    );
}

#[test]
fn serendipity_cells_get_their_middles() {
    // The complete hexahedron of order 2 of a trilinear map has its missing nodes where the others put them.
    let (_folder, path) = place();
    write_hexahedron_of_20_nodes(&path);
    let at = |i: usize| lattice([3, 3, 3], [0.0; 3], [1.0; 3])[i];
    let mesh = cgns(&path);
    assert_eq!(
        (mesh.geometry_order, mesh.boundary_names.as_slice()),
        (2, ["unnamed".to_owned()].as_slice())
    );
    for (i, node) in mesh.cell_nodes(0).iter().enumerate() {
        let wanted = trilinear(at(i));
        assert!(
            (0..3).all(|d| (node[d] - wanted[d]).abs() < 1e-15),
            "{i}: {node:?} {wanted:?}"
        );
    }
}

#[test]
fn serendipity_cells_of_orders_3_and_4_have_the_shape_that_their_edges_give() {
    for (kind, numbers, edges) in SERENDIPITY {
        for (order, number) in [3, 4].into_iter().zip(numbers) {
            let (_folder, path) = place();
            write_cell_of_edges(&path, kind, order, number, edges);
            let mesh = cgns(&path);
            let element = ReferenceElement::new(kind, order, Correction::default());
            assert_eq!((mesh.geometry_order, mesh.nodes.len()), (order, element.points.len()));
            for (node, at) in mesh.cell_nodes(0).iter().zip(&element.points) {
                let wanted = quadratic(*at);
                let near = (0..3).all(|d| (node[d] - wanted[d]).abs() < 1e-13);
                assert!(near, "{kind} of order {order}: {node:?} {wanted:?}");
            }
        }
    }
}

#[test]
fn links_to_other_nodes_and_other_files_are_followed() {
    let (folder, path) = place();
    write_linked(folder.path());
    let whole = sizes(&cgns(&path));
    let other = folder.path().join("linked.cgns");
    assert_eq!(sizes(&cgns(&other)), whole);
    std::fs::remove_file(&path).expect("removed");
    let error = read_mesh(&other, &[])
        .map(|_| ())
        .expect_err("leads nowhere")
        .to_string();
    let wanted = "/Base/Zone/GridCoordinates: the node is a link to `/Base/Zone/GridCoordinates` in the file `a.cgns`, \
                  which cannot be opened";
    assert!(error.contains("linked.cgns: ") && error.contains(wanted), "{error}");
}

#[test]
fn structured_zones_of_two_dimensions_are_extruded() {
    let (_folder, path) = place();
    let base = Node::file(&path).child("Base", "CGNSBase_t").integers(&[2, 2]);
    let zone = |name: &str, n: [i64; 2], low: f64, high: f64| {
        let sizes = [n[0], n[1], n[0] - 1, n[1] - 1, 0, 0];
        let nodes = lattice([n[0] as usize, n[1] as usize, 2], [low, 0.0, 0.0], [high, 1.5, 1.0]);
        let zone = base.zone(name, "Structured", &sizes, &nodes[..(n[0] * n[1]) as usize]);
        let list = zone.child("ZoneBC", "ZoneBC_t");
        list.condition("floor", "Vertex", ("PointRange", &[1, 1, n[0], 1]));
        list.condition("roof", "JFaceCenter", ("PointRange", &[1, n[1], n[0] - 1, n[1]]));
        (zone, list)
    };
    let ((first, first_list), (_, second_list)) = (zone("A", [3, 4], 0.0, 1.0), zone("B", [4, 4], 1.0, 2.5));
    first_list.condition("in", "Vertex", ("PointRange", &[1, 1, 1, 4]));
    second_list.condition("out", "Vertex", ("PointRange", &[4, 1, 4, 4]));
    let list = first.child("ZoneGridConnectivity", "ZoneGridConnectivity_t");
    let join = list.child("AB", "GridConnectivity1to1_t").text("B");
    join.child("PointRange", "IndexRange_t").integers(&[3, 1, 3, 4]);
    join.child("PointRangeDonor", "IndexRange_t").integers(&[1, 1, 1, 4]);
    let by = Extrusion {
        thickness: 0.5,
        layers: 2,
    };
    let mesh = read_extruded(&path, &by, &[]).unwrap_or_else(|error| panic!("{error}"));
    mesh.check().expect("is consistent");
    assert_eq!(mesh.len(), 2 * (6 + 9));
    let (volume, areas) = sizes(&mesh);
    assert!(near(volume, 0.5 * 2.5 * 1.5, 1e-14), "{volume}");
    let expected = [
        ("floor", 1.25),
        ("roof", 1.25),
        ("in", 0.75),
        ("out", 0.75),
        ("z-", 3.75),
        ("z+", 3.75),
    ];
    assert_eq!(areas.len(), 6, "{areas:?}");
    assert!(
        expected.iter().all(|(name, area)| near(areas[*name], *area, 1e-14)),
        "{areas:?}"
    );
}

#[test]
fn messages_about_meshes_of_other_programs_have_no_words_of_gmsh() {
    let (_folder, path) = place();
    hex_and_prism(&path, |zone| zone.section("faces", 7, [1, 1], &[1, 3, 4, 2]));
    let error = read_mesh(&path, &[]).map(|_| ()).expect_err("has no cells").to_string();
    assert!(
        error.contains("the mesh has no cells") && !error.contains("Gmsh"),
        "{error}"
    );
}

#[test]
fn errors_name_the_node_of_the_file() {
    let (_folder, path) = place();
    let mixed = |list: &[i64]| {
        let list = list.to_vec();
        move |zone: &Node| zone.section("cells", 20, [1, 2], &list)
    };
    let changed = |i: usize, value: i64| {
        let mut list = MIXED;
        list[i] = value;
        mixed(&list)
    };
    let cases: Vec<(Contents, &str)> = vec![
        (Box::new(|_: &Node| {}), "/Base/Zone: the zone has no elements"),
        (
            Box::new(changed(1, 11)),
            "/Base/Zone/cells: element 1 has node 11, but the zone has nodes 1 to 10",
        ),
        (
            Box::new(changed(0, 22)),
            "/Base/Zone/cells: element 1 is polygons or polyhedra",
        ),
        (
            Box::new(mixed(&MIXED[..12])),
            "/Base/Zone/cells: its list ends before element 2",
        ),
        (
            Box::new(mixed(&[&MIXED[..], &[1]].concat())),
            "/Base/Zone/cells: its list has 1 numbers too many",
        ),
        (
            Box::new(|zone: &Node| {
                zone.section("cells", 20, [1, 2], &MIXED);
                let list = zone.child("ZoneGridConnectivity", "ZoneGridConnectivity_t");
                list.child("over", "GridConnectivity_t").text("Zone");
            }),
            "/Base/Zone/ZoneGridConnectivity/over: the interface is of type Overset",
        ),
        (
            Box::new(|zone: &Node| {
                zone.section("cells", 20, [1, 2], &MIXED);
                zone.child("ZoneBC", "ZoneBC_t")
                    .condition("wall", "Vertex", ("PointList", &[1, 12]));
            }),
            "/Base/Zone/ZoneBC/wall: the zone has no point [12]",
        ),
    ];
    for (with, wanted) in cases {
        hex_and_prism(&path, with);
        let error = read_mesh(&path, &[]).map(|_| ()).expect_err(wanted).to_string();
        assert!(error.contains("a.cgns: ") && error.contains(wanted), "{error}");
        std::fs::remove_file(&path).expect("removed");
    }
    let adf: [&[u8]; 2] = [
        b"@(#)ADF Database Version B02012>...",
        b"\xc0\xa8\xa3\xa9ADF Database Version A02011>...",
    ];
    for begin in adf {
        std::fs::write(&path, begin).expect("written");
        let error = read_mesh(&path, &[]).map(|_| ()).expect_err("is ADF").to_string();
        assert!(error.contains("stored in ADF") && error.contains("adf2hdf"), "{error}");
    }
    let whole = std::fs::read(data("mixed1.cgns")).expect("is checked in");
    std::fs::write(&path, &whole[..whole.len() / 2]).expect("written");
    let error = read_mesh(&path, &[]).map(|_| ()).expect_err("is cut").to_string();
    assert!(error.contains("a.cgns") && error.contains("cut short"), "{error}");
}
