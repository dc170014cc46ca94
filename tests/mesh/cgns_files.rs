//! Small CGNS files, which are written through HDF5 as the SIDS File Mapping Manual describes, for the tests of the
//! reader and the table of tried files.

use std::path::{Path, PathBuf};

use fr_les::element::ElementKind;
use hdf5::types::FixedAscii;
use hdf5::{Group, H5Type};
use tempfile::TempDir;

/// What a zone has besides its nodes.
pub type Contents = Box<dyn Fn(&Node)>;

/// A node of a file that is being written.
pub struct Node(pub Group);

impl Node {
    pub fn file(path: &Path) -> Self {
        let file = hdf5::File::create(path).expect("a file");
        let root = Node(file.group("/").expect("the root"));
        root.child("CGNSLibraryVersion", "CGNSLibraryVersion_t")
            .real(&[1], &[4.2f32]);
        root
    }

    pub fn child(&self, name: &str, label: &str) -> Node {
        let node = Node(self.0.create_group(name).expect("a group"));
        node.attribute("label", label);
        node.attribute("type", "MT");
        node
    }

    pub fn attribute(&self, name: &str, text: &str) {
        let value = FixedAscii::<32>::from_ascii(text).expect("ASCII");
        let attribute = match self.0.attr(name) {
            Ok(attribute) => attribute,
            Err(_) => self.0.new_attr::<FixedAscii<32>>().create(name).expect("an attribute"),
        };
        attribute.write_scalar(&value).expect("written");
    }

    pub fn array<T: H5Type>(self, kind: &str, shape: &[usize], values: &[T]) -> Self {
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

    pub fn real(self, shape: &[usize], values: &[f32]) -> Self {
        self.array("R4", shape, values)
    }

    pub fn text(self, text: &str) -> Self {
        let bytes: Vec<i8> = text.bytes().map(|b| b as i8).collect();
        self.array("C1", &[bytes.len()], &bytes)
    }

    pub fn integers(self, values: &[i64]) -> Self {
        self.array("I8", &[values.len()], values)
    }

    /// A zone with these sizes and nodes.
    pub fn zone(&self, name: &str, kind: &str, sizes: &[i64], nodes: &[[f64; 3]]) -> Node {
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

    pub fn section(&self, name: &str, kind: i64, range: [i64; 2], list: &[i64]) {
        let section = self.child(name, "Elements_t").integers(&[kind, 0]);
        section.child("ElementRange", "IndexRange_t").integers(&range);
        section.child("ElementConnectivity", "DataArray_t").integers(list);
    }

    /// A boundary condition on a range or a list of points.
    pub fn condition(&self, name: &str, location: &str, points: (&str, &[i64])) -> Node {
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
pub fn place() -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("a.cgns");
    (folder, path)
}

/// A base of a new file.
pub fn base(path: &Path) -> Node {
    Node::file(path).child("Base", "CGNSBase_t").integers(&[3, 3])
}

/// Nodes of a lattice of a box, x fastest.
pub fn lattice(n: [usize; 3], low: [f64; 3], high: [f64; 3]) -> Vec<[f64; 3]> {
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
pub fn two_zones(path: &Path, interface: impl Fn(&Node, &Node)) {
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
pub fn one_to_one(zone: &Node, name: &str, donor: &str, [here, there]: [[i64; 6]; 2]) -> Node {
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
pub fn joined(first: &Node) {
    one_to_one(first, "AB", "B", [[3, 1, 1, 3, 4, 5], [1, 1, 1, 1, 4, 5]]);
}

/// Writes two structured zones with an interface.
pub fn write_two_zones(path: &Path) {
    two_zones(path, |first, _| joined(first));
}

/// A hexahedron, and a prism on its side x = 1, as one section of mixed elements.
pub fn hex_and_prism(path: &Path, with: impl Fn(&Node)) {
    let mut nodes = lattice([2, 2, 2], [0.0; 3], [1.0; 3]);
    nodes.extend([[2.0, 0.0, 0.0], [2.0, 0.0, 1.0]]);
    let zone = base(path).zone("Zone", "Unstructured", &[10, 2, 0], &nodes);
    with(&zone);
}

/// Their nodes: the hexahedron, and the prism from z = 0 to 1.
pub const MIXED: [i64; 16] = [17, 1, 2, 4, 3, 5, 6, 8, 7, 14, 2, 9, 4, 6, 10, 8];

/// A trilinear map.
pub fn trilinear([x, y, z]: [f64; 3]) -> [f64; 3] {
    [x + 0.2 * y * z, y - 0.1 * x * z, z + 0.1 * x * y]
}

/// Writes the trilinear image of the unit cube as a serendipity cell of order 2.
pub fn write_hexahedron_of_20_nodes(path: &Path) {
    let at = |i: usize| lattice([3, 3, 3], [0.0; 3], [1.0; 3])[i];
    let corners = [0, 2, 8, 6, 18, 20, 26, 24];
    let edges = [1, 5, 7, 3, 9, 11, 17, 15, 19, 23, 25, 21];
    let nodes: Vec<[f64; 3]> = corners.iter().chain(&edges).map(|i| trilinear(at(*i))).collect();
    let zone = base(path).zone("Zone", "Unstructured", &[20, 1, 0], &nodes);
    zone.section("cells", 18, [1, 1], &(1..=20).collect::<Vec<i64>>());
}

/// A kind of cells, the numbers of its elements of orders 3 and 4 with nodes on edges only, and its edges in the order
/// of the standard.
pub type Serendipity = (ElementKind, [i64; 2], &'static [[usize; 2]]);

pub const SERENDIPITY: [Serendipity; 4] = [
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
pub fn quadratic([x, y, z]: [f64; 3]) -> [f64; 3] {
    [
        x + 0.1 * y * z + 0.05 * y * y,
        y - 0.1 * x * z + 0.03 * z * z,
        z + 0.1 * x * y,
    ]
}

/// Writes the quadratic image of a reference cell with nodes on its edges only; `number` is the type of the standard.
pub fn write_cell_of_edges(path: &Path, kind: ElementKind, order: usize, number: i64, edges: &[[usize; 2]]) {
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

/// Replaces a node of a file by a link, as the CGNS library writes them; without a file to a path of the same file.
pub fn link(parent: &Node, name: &str, file: Option<&str>, path: &str) {
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
