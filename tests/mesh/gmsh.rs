//! Meshes that Gmsh wrote (tests/data/generate.py) are read as Gmsh means them.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::common::meshes::{data, files, nodes, one_hex, read};
use fr_les::case::Correction;
use fr_les::element::{ElementKind, ReferenceElement};
use fr_les::mesh::{Mesh, Side, read_gmsh_bytes};

/// Positions of sample points, as in generate.py.
fn place(kind: ElementKind) -> [f64; 3] {
    match kind {
        ElementKind::Tet => [-0.4, -0.7, -0.2],
        ElementKind::Hex => [0.3, -0.6, 0.7],
        ElementKind::Prism => [-0.5, -0.3, 0.4],
        ElementKind::Pyramid => [0.3, -0.2, 0.25],
    }
}

fn combine(matrix: &[f64], nodes: &[[f64; 3]]) -> Vec<[f64; 3]> {
    let row = |row: &[f64]| std::array::from_fn(|d| row.iter().zip(nodes).map(|(w, x)| w * x[d]).sum());
    matrix.chunks(nodes.len()).map(row).collect()
}

/// Volume of a mesh, by the determinant of its mapping.
pub fn volume(mesh: &Mesh) -> f64 {
    let mut operators = BTreeMap::new();
    let mut total = 0.0;
    for cell in 0..mesh.kinds.len() {
        let (fine, up) = operators.entry(mesh.kinds[cell]).or_insert_with(|| {
            let element = |order| ReferenceElement::new(mesh.kinds[cell], order, Correction::default());
            let fine = element(6);
            let up = element(mesh.geometry_order).interpolation(&fine.points);
            (fine, up)
        });
        let x = combine(up, nodes(mesh, cell));
        let [a, b, c] = [0, 1, 2].map(|d| combine(&fine.diff[d], &x));
        for (i, weight) in fine.weights.iter().enumerate() {
            let a = a[i];
            let b = b[i];
            let c = c[i];
            let det = a[0] * (b[1] * c[2] - b[2] * c[1])
                + a[1] * (b[2] * c[0] - b[0] * c[2])
                + a[2] * (b[0] * c[1] - b[1] * c[0]);
            total += weight * det;
        }
    }
    total
}

struct Expected {
    name: String,
    cells: usize,
    volume: f64,
    boundaries: Vec<String>,
    places: Vec<(String, [f64; 3])>,
}

fn expected() -> Vec<Expected> {
    let text = std::fs::read_to_string(data("expected.txt")).expect("is checked in");
    let mut all: Vec<Expected> = Vec::new();
    for line in text.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        let number = |i: usize| words[i].parse().expect("a number");
        match words[0] {
            "mesh" => all.push(Expected {
                name: words[1].into(),
                cells: words[3].parse().expect("a count"),
                volume: number(5),
                boundaries: words[9..].iter().map(|w| w.to_string()).collect(),
                places: Vec::new(),
            }),
            _ => {
                let place = (words[2].to_string(), [number(3), number(4), number(5)]);
                all.last_mut().expect("after a mesh").places.push(place);
            }
        }
    }
    all
}

#[test]
fn volumes_and_positions_inside_cells_are_those_of_gmsh_in_every_format() {
    for expected in expected() {
        let files = files(&expected.name);
        assert!(!files.is_empty(), "{}", expected.name);
        for path in files {
            let mesh = read(&path);
            let name = path.display();
            assert_eq!(mesh.kinds.len(), expected.cells, "{name}");
            let volume = volume(&mesh);
            assert!(
                (volume - expected.volume).abs() < 2e-7 * expected.volume,
                "{name} {volume} {}",
                expected.volume
            );
            let mut names = mesh.boundary_names.clone();
            names.sort();
            let periodic = ["left", "right", "start", "end"];
            let kept: Vec<String> = expected
                .boundaries
                .iter()
                .filter(|n| !periodic.contains(&n.as_str()))
                .cloned()
                .collect();
            assert_eq!(names, kept, "{name}");
            let evaluated: Vec<(ElementKind, [f64; 3])> = (0..mesh.kinds.len())
                .map(|cell| {
                    let kind = mesh.kinds[cell];
                    let element = ReferenceElement::new(kind, mesh.geometry_order, Correction::default());
                    (
                        kind,
                        combine(&element.interpolation(&[place(kind)]), nodes(&mesh, cell))[0],
                    )
                })
                .collect();
            for (kind, wanted) in &expected.places {
                let found = evaluated
                    .iter()
                    .any(|(k, x)| k.name() == kind && (0..3).all(|d| (x[d] - wanted[d]).abs() < 2e-9));
                assert!(
                    found,
                    "{name}: no {kind} has {wanted:?} at its place, but {evaluated:?}"
                );
            }
        }
    }
}

#[test]
fn text_and_binary_files_of_both_versions_give_the_same_mesh() {
    for expected in expected() {
        let meshes: Vec<(PathBuf, Mesh)> = files(&expected.name)
            .into_iter()
            .map(|path| (path.clone(), read(&path)))
            .collect();
        for (path, other) in &meshes[1..] {
            let first = &meshes[0].1;
            let near = |a: &[[f64; 3]], b: &[[f64; 3]]| {
                let mut pairs = a.iter().flatten().zip(b.iter().flatten());
                a.len() == b.len() && pairs.all(|(x, y)| (x - y).abs() < 1e-14)
            };
            assert_eq!(first.boundary_names, other.boundary_names, "{path:?}");
            // The two versions of the format sort the kinds of cells differently.
            if first.kinds == other.kinds {
                assert_eq!(first.sides, other.sides, "{path:?}");
                assert!(near(&first.nodes, &other.nodes), "{path:?}");
            }
            for kind in ElementKind::ALL {
                let of = |mesh: &Mesh| {
                    (0..mesh.kinds.len())
                        .filter(|c| mesh.kinds[*c] == kind)
                        .collect::<Vec<_>>()
                };
                let (ours, theirs) = (of(first), of(other));
                assert_eq!(ours.len(), theirs.len(), "{path:?}");
                for (a, b) in ours.into_iter().zip(theirs) {
                    assert!(near(nodes(first, a), nodes(other, b)), "{path:?}");
                }
            }
        }
    }
}

#[test]
fn swapping_all_bytes_of_a_binary_file_changes_nothing() {
    // The file has version 2.2 and tetrahedra only, so that its sizes are easy to compute.
    let path = data("cylinder_tet2_v22_binary.msh");
    let mut bytes = std::fs::read(&path).expect("is checked in");
    let find = |bytes: &[u8], word: &str| {
        bytes
            .windows(word.len())
            .position(|w| w == word.as_bytes())
            .expect("is there")
    };
    let line = |bytes: &[u8], from: usize| from + bytes[from..].iter().position(|b| *b == b'\n').expect("ends") + 1;
    let number = |bytes: &[u8], from: usize| {
        std::str::from_utf8(&bytes[from..line(bytes, from) - 1])
            .expect("is text")
            .parse::<usize>()
            .expect("a count")
    };
    let mut at = line(&bytes, find(&bytes, "2.2 1 8"));
    bytes[at..at + 4].reverse();
    at = line(&bytes, find(&bytes, "$Nodes"));
    let count = number(&bytes, at);
    at = line(&bytes, at);
    for _ in 0..count {
        for size in [4, 8, 8, 8] {
            bytes[at..at + size].reverse();
            at += size;
        }
    }
    let start = line(&bytes, line(&bytes, find(&bytes, "$Elements")));
    let end = find(&bytes, "$EndElements") - 1;
    bytes[start..end].chunks_mut(4).for_each(|word| word.reverse());
    let swapped = read_gmsh_bytes(&path, &bytes, &[]).unwrap_or_else(|error| panic!("{error}"));
    let plain = read(&path);
    assert_eq!((swapped.nodes, swapped.sides), (plain.nodes, plain.sides));
}

/// Two hexahedra at x in 0..1 and 1..2, of which the first has geometric order 1 or 2 and the second order 2. In the
/// second the middle of the common face is moved by `bend`.
fn two_orders(bend: f64) -> String {
    let mut nodes = Vec::new();
    let mut number = |i: usize, j: usize, k: usize| {
        let place = [i, j, k];
        let known = nodes.iter().position(|n| *n == place);
        known.unwrap_or_else(|| {
            nodes.push(place);
            nodes.len() - 1
        }) + 1
    };
    let corners = [
        [0, 0, 0],
        [2, 0, 0],
        [2, 2, 0],
        [0, 2, 0],
        [0, 0, 2],
        [2, 0, 2],
        [2, 2, 2],
        [0, 2, 2],
    ];
    let edges = [
        [0, 1],
        [0, 3],
        [0, 4],
        [1, 2],
        [1, 5],
        [2, 3],
        [2, 6],
        [3, 7],
        [4, 5],
        [4, 7],
        [5, 6],
        [6, 7],
    ];
    let faces = [[0, 2], [0, 5], [0, 7], [1, 6], [2, 7], [4, 6], [0, 6]];
    let middles = edges
        .iter()
        .chain(&faces)
        .map(|[a, b]| [0, 1, 2].map(|d| (corners[*a][d] + corners[*b][d]) / 2));
    let places = corners.into_iter().chain(middles).collect::<Vec<[usize; 3]>>();
    let first: Vec<usize> = corners.iter().map(|c| number(c[0], c[1], c[2])).collect();
    let second: Vec<usize> = places.iter().map(|c| number(c[0] + 2, c[1], c[2])).collect();
    let words = |list: &[usize]| list.iter().map(|n| n.to_string()).collect::<Vec<_>>().join(" ");
    let mut elements = vec![
        format!("90 5 2 1 1 {}", words(&first)),
        format!("91 12 2 1 1 {}", words(&second)),
    ];
    for cell in [&first[..8], &second[..8]] {
        for quad in [
            [0, 3, 2, 1],
            [0, 1, 5, 4],
            [0, 4, 7, 3],
            [1, 2, 6, 5],
            [2, 3, 7, 6],
            [4, 5, 6, 7],
        ] {
            // The file also names the common face, twice. That does not make it a boundary.
            elements.push(format!("{} 3 2 1 1 {}", elements.len(), words(&quad.map(|i| cell[i]))));
        }
    }
    let lines: Vec<String> = nodes
        .iter()
        .enumerate()
        .map(|(i, n)| {
            let z = if *n == [2, 1, 1] { bend } else { 0.0 };
            format!(
                "{} {} {} {}",
                i + 1,
                n[0] as f64 / 2.0 + z,
                n[1] as f64 / 2.0,
                n[2] as f64 / 2.0
            )
        })
        .collect();
    format!(
        "$MeshFormat\r\n2.2 0 8\r\n$EndMeshFormat\r\n$Comments\n$ anything $End\n$EndComments\n$Nodes\n{}\n{}\n\
         $EndNodes\n$Elements\n{}\n{}\n$EndElements",
        lines.len(),
        lines.join("\r\n"),
        elements.len(),
        elements.join("\r\n")
    )
}

#[test]
fn cells_of_lower_order_are_raised_exactly_and_gaps_between_orders_are_refused() {
    let mesh =
        read_gmsh_bytes(Path::new("a.msh"), two_orders(0.0).as_bytes(), &[]).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(
        (mesh.geometry_order, mesh.boundary_names.as_slice()),
        (2, ["1".to_string()].as_slice())
    );
    assert_eq!(
        mesh.sides
            .iter()
            .filter(|side| matches!(side, Side::Cell { .. }))
            .count(),
        2
    );
    for (at, x) in ElementKind::Hex.lattice(2).iter().zip(nodes(&mesh, 0)) {
        assert!(
            (0..3).all(|d| (x[d] - at[d] as f64 / 2.0).abs() < 1e-15),
            "{at:?} {x:?}"
        );
    }
    let error = read_gmsh_bytes(Path::new("a.msh"), two_orders(0.1).as_bytes(), &[])
        .map(|_| ())
        .expect_err("has a gap");
    assert!(error.to_string().contains("differ by 1.000e-1"), "{error}");
}

#[test]
fn a_volume_in_two_physical_groups_is_read_once() {
    let text = one_hex("")
        .replace("$Elements\n7", "$Elements\n8")
        .replace("$EndElements", "8 5 2 8 1 1 2 3 4 5 6 7 8\n$EndElements");
    let mesh = read_gmsh_bytes(Path::new("a.msh"), text.as_bytes(), &[]).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(mesh.tags, [7]);
}
