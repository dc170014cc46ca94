//! CGNS files: those that Gmsh wrote, beside the same meshes in its own format, and small ones that are written here
//! through HDF5 as the SIDS File Mapping Manual describes.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::common::meshes::{data, measured, read, sizes};
use crate::common::program::succeeds;
use fr_les::case::Correction;
use fr_les::element::{ElementKind, ReferenceElement};
use fr_les::mesh::{Extrusion, Mesh, read_extruded, read_mesh};
use hdf5::types::FixedAscii;
use hdf5::{Group, H5Type};
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

/// What a zone has besides its nodes.
type Contents = Box<dyn Fn(&Node)>;

/// A node of a file that is being written.
struct Node(Group);

impl Node {
    fn file(path: &Path) -> Self {
        let file = hdf5::File::create(path).expect("a file");
        let root = Node(file.group("/").expect("the root"));
        root.child("CGNSLibraryVersion", "CGNSLibraryVersion_t")
            .real(&[1], &[4.2f32]);
        root
    }

    fn child(&self, name: &str, label: &str) -> Node {
        let node = Node(self.0.create_group(name).expect("a group"));
        node.attribute("label", label);
        node.attribute("type", "MT");
        node
    }

    fn attribute(&self, name: &str, text: &str) {
        let value = FixedAscii::<32>::from_ascii(text).expect("ASCII");
        let attribute = match self.0.attr(name) {
            Ok(attribute) => attribute,
            Err(_) => self.0.new_attr::<FixedAscii<32>>().create(name).expect("an attribute"),
        };
        attribute.write_scalar(&value).expect("written");
    }

    fn array<T: H5Type>(self, kind: &str, shape: &[usize], values: &[T]) -> Self {
        self.attribute("type", kind);
        let dataset = self
            .0
            .new_dataset::<T>()
            .shape(shape)
            .create(" data")
            .expect("a dataset");
        dataset.write_raw(values).expect("written");
        self
    }

    fn real(self, shape: &[usize], values: &[f32]) -> Self {
        self.array("R4", shape, values)
    }

    fn text(self, text: &str) -> Self {
        let bytes: Vec<i8> = text.bytes().map(|b| b as i8).collect();
        self.array("C1", &[bytes.len()], &bytes)
    }

    fn integers(self, values: &[i64]) -> Self {
        self.array("I8", &[values.len()], values)
    }

    /// A zone with these sizes and nodes.
    fn zone(&self, name: &str, kind: &str, sizes: &[i64], nodes: &[[f64; 3]]) -> Node {
        let count = sizes.len() / 3;
        let zone = self.child(name, "Zone_t").array("I8", &[3, count], sizes);
        zone.child("ZoneType", "ZoneType_t").text(kind);
        let grid = zone.child("GridCoordinates", "GridCoordinates_t");
        for (d, name) in ["CoordinateX", "CoordinateY", "CoordinateZ"].into_iter().enumerate() {
            let values: Vec<f64> = nodes.iter().map(|x| x[d]).collect();
            grid.child(name, "DataArray_t").array("R8", &[values.len()], &values);
        }
        zone
    }

    fn section(&self, name: &str, kind: i64, range: [i64; 2], list: &[i64]) {
        let section = self.child(name, "Elements_t").integers(&[kind, 0]);
        section.child("ElementRange", "IndexRange_t").integers(&range);
        section.child("ElementConnectivity", "DataArray_t").integers(list);
    }

    /// A boundary condition on a range or a list of points.
    fn condition(&self, name: &str, location: &str, points: (&str, &[i64])) -> Node {
        let condition = self.child(name, "BC_t").text("BCWall");
        let label = if points.0 == "PointRange" {
            "IndexRange_t"
        } else {
            "IndexArray_t"
        };
        condition.child(points.0, label).integers(points.1);
        condition.child("GridLocation", "GridLocation_t").text(location);
        condition
    }
}

/// A folder, and the path of a file in it.
fn place() -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("a.cgns");
    (folder, path)
}

/// A base of a new file.
fn base(path: &Path) -> Node {
    Node::file(path).child("Base", "CGNSBase_t").integers(&[3, 3])
}

/// Nodes of a lattice of a box, x fastest.
fn lattice(n: [usize; 3], low: [f64; 3], high: [f64; 3]) -> Vec<[f64; 3]> {
    let at = |d: usize, i: usize| low[d] + (high[d] - low[d]) * i as f64 / (n[d] - 1) as f64;
    let mut nodes = Vec::new();
    for k in 0..n[2] {
        for j in 0..n[1] {
            nodes.extend((0..n[0]).map(|i| [at(0, i), at(1, j), at(2, k)]));
        }
    }
    nodes
}

/// Two structured zones of 2 x 3 x 4 and 3 x 3 x 4 cells beside each other in x. `interface` adds what joins them.
fn two_zones(path: &Path, interface: impl Fn(&Node, &Node)) {
    let base = base(path);
    let zone = |name: &str, n: [i64; 3], low: f64, high: f64| {
        let sizes = [n[0], n[1], n[2], n[0] - 1, n[1] - 1, n[2] - 1, 0, 0, 0];
        let nodes = lattice(n.map(|n| n as usize), [low, 0.0, 0.0], [high, 1.5, 2.0]);
        let zone = base.zone(name, "Structured", &sizes, &nodes);
        let list = zone.child("ZoneBC", "ZoneBC_t");
        // Two sides by points, one by faces.
        let [ni, nj, nk] = n;
        list.condition("low", "Vertex", ("PointRange", &[1, 1, 1, ni, 1, nk]));
        list.condition("high", "JFaceCenter", ("PointRange", &[1, nj, 1, ni - 1, nj, nk - 1]));
        list.condition("bottom", "Vertex", ("PointRange", &[1, 1, 1, ni, nj, 1]));
        let top = list.condition("above", "Vertex", ("PointRange", &[1, 1, nk, ni, nj, nk]));
        top.child("FamilyName", "FamilyName_t").text("Top");
        (zone, list)
    };
    let ((first, first_list), (second, second_list)) = (zone("A", [3, 4, 5], 0.0, 1.0), zone("B", [4, 4, 5], 1.0, 2.5));
    first_list.condition("left", "Vertex", ("PointRange", &[1, 1, 1, 1, 4, 5]));
    second_list.condition("right", "Vertex", ("PointRange", &[4, 1, 1, 4, 4, 5]));
    interface(&first, &second);
}

/// A 1-to-1 interface from a side of a zone to a side of a donor.
fn one_to_one(zone: &Node, name: &str, donor: &str, [here, there]: [[i64; 6]; 2]) -> Node {
    let list = match zone.0.group("ZoneGridConnectivity") {
        Ok(group) => Node(group),
        Err(_) => zone.child("ZoneGridConnectivity", "ZoneGridConnectivity_t"),
    };
    let interface = list.child(name, "GridConnectivity1to1_t").text(donor);
    interface.child("PointRange", "IndexRange_t").integers(&here);
    interface.child("PointRangeDonor", "IndexRange_t").integers(&there);
    interface
}

/// Joins the first of two zones to the second.
fn joined(first: &Node) {
    one_to_one(first, "AB", "B", [[3, 1, 1, 3, 4, 5], [1, 1, 1, 1, 4, 5]]);
}

/// Writes two structured zones with an interface.
pub fn write_two_zones(path: &Path) {
    two_zones(path, |first, _| joined(first));
}

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

/// A hexahedron, and a prism on its side x = 1, as one section of mixed elements.
fn hex_and_prism(path: &Path, with: impl Fn(&Node)) {
    let mut nodes = lattice([2, 2, 2], [0.0; 3], [1.0; 3]);
    nodes.extend([[2.0, 0.0, 0.0], [2.0, 0.0, 1.0]]);
    let zone = base(path).zone("Zone", "Unstructured", &[10, 2, 0], &nodes);
    with(&zone);
}

/// Their nodes: the hexahedron, and the prism from z = 0 to 1.
const MIXED: [i64; 16] = [17, 1, 2, 4, 3, 5, 6, 8, 7, 14, 2, 9, 4, 6, 10, 8];

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

/// A trilinear map.
fn trilinear([x, y, z]: [f64; 3]) -> [f64; 3] {
    [x + 0.2 * y * z, y - 0.1 * x * z, z + 0.1 * x * y]
}

/// Writes the trilinear image of the unit cube as a serendipity cell of order 2.
fn write_hexahedron_of_20_nodes(path: &Path) {
    let at = |i: usize| lattice([3, 3, 3], [0.0; 3], [1.0; 3])[i];
    let corners = [0, 2, 8, 6, 18, 20, 26, 24];
    let edges = [1, 5, 7, 3, 9, 11, 17, 15, 19, 23, 25, 21];
    let nodes: Vec<[f64; 3]> = corners.iter().chain(&edges).map(|i| trilinear(at(*i))).collect();
    let zone = base(path).zone("Zone", "Unstructured", &[20, 1, 0], &nodes);
    zone.section("cells", 18, [1, 1], &(1..=20).collect::<Vec<i64>>());
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

/// A kind of cells, the numbers of its elements of orders 3 and 4 with nodes on edges only, and its edges in the order
/// of the standard.
type Serendipity = (ElementKind, [i64; 2], &'static [[usize; 2]]);

const SERENDIPITY: [Serendipity; 4] = [
    (
        ElementKind::Tet,
        [29, 45],
        &[[0, 1], [1, 2], [2, 0], [0, 3], [1, 3], [2, 3]],
    ),
    (
        ElementKind::Pyramid,
        [31, 48],
        &[[0, 1], [1, 2], [2, 3], [3, 0], [0, 4], [1, 4], [2, 4], [3, 4]],
    ),
    (
        ElementKind::Prism,
        [34, 51],
        &[[0, 1], [1, 2], [2, 0], [0, 3], [1, 4], [2, 5], [3, 4], [4, 5], [5, 3]],
    ),
    (
        ElementKind::Hex,
        [37, 54],
        &[
            [0, 1],
            [1, 2],
            [2, 3],
            [3, 0],
            [0, 4],
            [1, 5],
            [2, 6],
            [3, 7],
            [4, 5],
            [5, 6],
            [6, 7],
            [7, 4],
        ],
    ),
];

/// A quadratic map, which is that of its edges for every kind of cells.
fn quadratic([x, y, z]: [f64; 3]) -> [f64; 3] {
    [
        x + 0.1 * y * z + 0.05 * y * y,
        y - 0.1 * x * z + 0.03 * z * z,
        z + 0.1 * x * y,
    ]
}

/// Writes the quadratic image of a reference cell with nodes on its edges only; `number` is the type of the standard.
fn write_cell_of_edges(path: &Path, kind: ElementKind, order: usize, number: i64, edges: &[[usize; 2]]) {
    let vertices: Vec<[f64; 3]> = (0..kind.vertices()).map(|v| kind.vertex(v)).collect();
    let along = |[a, b]: [usize; 2]| {
        let part = move |m: usize| m as f64 / order as f64;
        let (a, b) = (vertices[a], vertices[b]);
        (1..order).map(move |m| [0, 1, 2].map(|d| a[d] + part(m) * (b[d] - a[d])))
    };
    let inside = edges.iter().flat_map(|edge| along(*edge));
    let nodes: Vec<[f64; 3]> = vertices.iter().copied().chain(inside).map(quadratic).collect();
    let count = nodes.len() as i64;
    let zone = base(path).zone("Zone", "Unstructured", &[count, 1, 0], &nodes);
    zone.section("cells", number, [1, 1], &(1..=count).collect::<Vec<i64>>());
}

/// Writes serendipity cells: a hexahedron of order 2, and all kinds of orders 3 and 4.
pub fn write_serendipity(folder: &Path) {
    write_hexahedron_of_20_nodes(&folder.join("edges2_hex.cgns"));
    for (kind, numbers, edges) in SERENDIPITY {
        for (order, number) in [3, 4].into_iter().zip(numbers) {
            let path = folder.join(format!("edges{order}_{kind}.cgns"));
            write_cell_of_edges(&path, kind, order, number, edges);
        }
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

/// Replaces a node of a file by a link, as the CGNS library writes them; without a file to a path of the same file.
fn link(parent: &Node, name: &str, file: Option<&str>, path: &str) {
    let node = parent.child(name, "");
    node.attribute("type", "LK");
    let text = |name: &str, text: &str| {
        let bytes: Vec<i8> = text.bytes().map(|b| b as i8).collect();
        let dataset = node
            .0
            .new_dataset::<i8>()
            .shape([bytes.len()])
            .create(name)
            .expect("a dataset");
        dataset.write_raw(&bytes).expect("written");
    };
    text(" path", path);
    match file {
        Some(file) => {
            text(" file", file);
            node.0.link_external(file, path, " link").expect("a link");
        }
        None => node.0.link_soft(path, " link").expect("a link"),
    }
}

/// Writes a hexahedron and a prism as a.cgns, and as linked.cgns a zone with the grid of that file and cells from
/// another place of its own.
pub fn write_linked(folder: &Path) {
    hex_and_prism(&folder.join("a.cgns"), |zone| {
        zone.section("cells", 20, [1, 2], &MIXED);
        let list = zone.child("ZoneBC", "ZoneBC_t");
        list.condition("all", "Vertex", ("PointList", &(1..=10).collect::<Vec<i64>>()));
    });
    let zone = base(&folder.join("linked.cgns"))
        .child("Zone", "Zone_t")
        .array("I8", &[3, 1], &[10i64, 2, 0]);
    zone.child("ZoneType", "ZoneType_t").text("Unstructured");
    link(&zone, "GridCoordinates", Some("a.cgns"), "/Base/Zone/GridCoordinates");
    link(&zone, "ZoneBC", Some("a.cgns"), "/Base/Zone/ZoneBC");
    zone.child("Kept", "UserDefinedData_t")
        .section("cells", 20, [1, 2], &MIXED);
    link(&zone, "cells", None, "/Base/Zone/Kept/cells");
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
    std::fs::write(&path, b"@(#)ADF Database Version B02012>...").expect("written");
    let error = read_mesh(&path, &[]).map(|_| ()).expect_err("is ADF").to_string();
    assert!(error.contains("stored in ADF") && error.contains("adf2hdf"), "{error}");
    let whole = std::fs::read(data("mixed1.cgns")).expect("is checked in");
    std::fs::write(&path, &whole[..whole.len() / 2]).expect("written");
    let error = read_mesh(&path, &[]).map(|_| ()).expect_err("is cut").to_string();
    assert!(error.contains("a.cgns") && error.contains("cut short"), "{error}");
}
