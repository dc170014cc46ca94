//! Meshes written by Gmsh itself (tests/data/generate.py) are read as Gmsh means them.

use std::collections::BTreeMap;
use std::f64::consts::FRAC_PI_3;
use std::path::{Path, PathBuf};

use fr_les::case::Correction;
use fr_les::element::{ElementKind, ReferenceElement};
use fr_les::mesh::{Mesh, MeshError, Motion, PeriodicPair, Side, read_gmsh, read_gmsh_bytes};

fn data(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(name)
}

/// All files that hold the mesh `name`.
fn files(name: &str) -> Vec<PathBuf> {
    let formats = ["v22_text", "v22_binary", "v41_text", "v41_binary"];
    let all = formats.map(|format| data(&format!("{name}_{format}.msh")));
    all.into_iter().filter(|path| path.exists()).collect()
}

fn read(path: &Path) -> Mesh {
    read_gmsh(path, &[]).unwrap_or_else(|error| panic!("{error}"))
}

/// The same places as in generate.py.
fn place(kind: ElementKind) -> [f64; 3] {
    match kind {
        ElementKind::Tet => [-0.4, -0.7, -0.2],
        ElementKind::Hex => [0.3, -0.6, 0.7],
        ElementKind::Prism => [-0.5, -0.3, 0.4],
        ElementKind::Pyramid => [0.3, -0.2, 0.25],
    }
}

fn nodes(mesh: &Mesh, cell: usize) -> &[[f64; 3]] {
    &mesh.nodes[mesh.first_node[cell]..mesh.first_node[cell + 1]]
}

fn combine(matrix: &[f64], nodes: &[[f64; 3]]) -> Vec<[f64; 3]> {
    let row = |row: &[f64]| std::array::from_fn(|d| row.iter().zip(nodes).map(|(w, x)| w * x[d]).sum());
    matrix.chunks(nodes.len()).map(row).collect()
}

fn volume(mesh: &Mesh) -> f64 {
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
            let (a, b, c) = (a[i], b[i], c[i]);
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
fn volumes_and_places_inside_cells_are_those_of_gmsh_in_every_format() {
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
            // The two versions sort kinds differently.
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
    // A file of version 2.2 with tetrahedra only: the sizes of its numbers are easy to know.
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

#[test]
fn surfaces_that_the_file_links_are_joined_and_neighbours_agree() {
    for (name, rotated) in [("periodic_tet", false), ("periodic_hex", false), ("wedge", true)] {
        for path in files(name) {
            let mesh = read(&path);
            let (turned, straight) = periodic_sides(&mesh);
            assert!(
                if rotated {
                    turned > 0 && straight == 0
                } else {
                    turned == 0 && straight > 0
                },
                "{name}"
            );
            assert_eq!(mesh.rotations.len(), if rotated { 2 } else { 0 });
        }
    }
}

/// Checks that all sides lead back and that faces coincide after the periodic motion; counts rotated and shifted sides.
fn periodic_sides(mesh: &Mesh) -> (usize, usize) {
    let (mut turned, mut shifted) = (0, 0);
    let g = mesh.geometry_order;
    for cell in 0..mesh.kinds.len() {
        for face in 0..mesh.kinds[cell].faces().len() {
            let Some((other, back, orientation, rotation)) = mesh.cell_sides(cell)[face].neighbour() else {
                continue;
            };
            match mesh.sides[mesh.first_side[other] + back] {
                Side::Cell { cell: c, face: f, .. } => assert_eq!((c, f, None), (cell, face, rotation)),
                Side::Rotated {
                    cell: c,
                    face: f,
                    rotation: r,
                    ..
                } => {
                    assert_eq!((c, f), (cell, face));
                    assert_ne!(Some(r), rotation);
                }
                Side::Boundary(_) => panic!("no way back"),
            }
            let shape = mesh.kinds[cell].faces()[face].shape;
            let ours = mesh.kinds[cell].face_indices(face, g);
            let theirs = mesh.kinds[other].face_indices(back, g);
            let between: Vec<[f64; 3]> = (0..ours.len())
                .map(|i| {
                    let x = nodes(mesh, cell)[ours[i]];
                    let x = match rotation {
                        None => x,
                        Some(r) => mesh.rotations[r].map(|row| (0..3).map(|d| row[d] * x[d]).sum()),
                    };
                    let y = nodes(mesh, other)[theirs[shape.oriented_point(orientation, i, g)]];
                    std::array::from_fn(|d| y[d] - x[d])
                })
                .collect();
            for d in between.iter() {
                assert!((0..3).all(|k| (d[k] - between[0][k]).abs() < 1e-9), "{between:?}");
            }
            if rotation.is_some() {
                turned += 1;
                assert!(between[0].iter().all(|d| d.abs() < 1e-9));
            } else if between[0].iter().any(|d| d.abs() > 1e-6) {
                shifted += 1;
            }
        }
    }
    (turned, shifted)
}

/// The file without its section on periodic surfaces.
fn without_links(path: &Path) -> Vec<u8> {
    let bytes = std::fs::read(path).expect("is checked in");
    let end = bytes.windows(9).position(|w| w == b"$Periodic").expect("has links");
    bytes[..end].to_vec()
}

#[test]
fn boundaries_named_as_periodic_are_joined_as_the_file_would_and_their_names_disappear() {
    let shift = Motion::Translation([1.0, 0.0, 0.0]);
    let turn = Motion::Rotation {
        point: [0.0; 3],
        axis: [0.0, 0.0, 2.0],
        angle: FRAC_PI_3,
    };
    let cases = [
        ("periodic_tet", "left", "right", shift),
        ("periodic_hex", "left", "right", shift),
        ("wedge", "start", "end", turn),
    ];
    for (name, first, second, motion) in cases {
        for path in files(name) {
            let bytes = without_links(&path);
            let plain = read_gmsh_bytes(&path, &bytes, &[]).unwrap_or_else(|error| panic!("{error}"));
            assert!(plain.boundary_names.iter().any(|n| n == first));
            let pair = PeriodicPair {
                first: first.into(),
                second: second.into(),
                motion,
            };
            let linked = read(&path);
            for bytes in [bytes, std::fs::read(&path).expect("is checked in")] {
                let joined = read_gmsh_bytes(&path, &bytes, std::slice::from_ref(&pair))
                    .unwrap_or_else(|error| panic!("{error}"));
                assert_eq!(joined.boundary_names, linked.boundary_names);
                for mesh in [&joined, &linked] {
                    assert!(
                        mesh.joined
                            .iter()
                            .any(|pair| pair.iter().any(|n| n == first) && pair.iter().any(|n| n == second))
                    );
                }
                assert_eq!(joined.sides.len(), linked.sides.len());
                for (a, b) in joined.sides.iter().zip(&linked.sides) {
                    // Rotations may be listed the other way round.
                    let place = |side: &Side| match *side {
                        Side::Cell {
                            cell,
                            face,
                            orientation,
                        }
                        | Side::Rotated {
                            cell,
                            face,
                            orientation,
                            ..
                        } => [cell, face, orientation],
                        Side::Boundary(i) => [usize::MAX, i, 0],
                    };
                    assert_eq!(place(a), place(b));
                }
                periodic_sides(&joined);
            }
        }
    }
}

#[test]
fn a_wrong_periodic_motion_says_how_far_the_nearest_face_is() {
    let path = data("periodic_tet_v41_text.msh");
    let pair = PeriodicPair {
        first: "left".into(),
        second: "right".into(),
        motion: Motion::Translation([1.1, 0.0, 0.0]),
    };
    let error = read_gmsh_bytes(&path, &without_links(&path), &[pair])
        .expect_err("does not match")
        .to_string();
    assert!(
        error.contains("left and right do not match") && error.contains("1.000e-1 away"),
        "{error}"
    );
}

#[test]
fn truncated_files_are_refused_wherever_they_end() {
    for name in [
        "mixed1_v22_text",
        "mixed1_v22_binary",
        "mixed1_v41_text",
        "mixed1_v41_binary",
        "wedge_v22_binary",
    ] {
        let path = data(&format!("{name}.msh"));
        let bytes = std::fs::read(&path).expect("is checked in");
        let last = bytes.windows(12).position(|w| w == b"$EndElements").expect("is there") + 11;
        for end in 0..last {
            let result = read_gmsh_bytes(&path, &bytes[..end], &[]);
            assert!(result.is_err(), "{name} cut at {end}");
        }
    }
}

/// A mesh of one tetrahedron with named sides; `change` replaces one text in it by another.
fn tet(change: (&str, &str)) -> Result<Mesh, MeshError> {
    let text = "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n\
        $PhysicalNames\n1\n2 1 \"wall\"\n$EndPhysicalNames\n\
        $Nodes\n5\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n9 0 0 0\n$EndNodes\n\
        $Elements\n5\n1 2 2 1 1 1 2 3\n2 2 2 1 1 1 2 4\n3 2 2 1 2 2 3 4\n4 2 2 1 2 1 3 4\n7 4 2 5 1 1 2 3 4\n$EndElements\n";
    assert!(change.0.is_empty() || text.contains(change.0), "{change:?}");
    let changed = if change.0.is_empty() {
        text.to_string()
    } else {
        text.replacen(change.0, change.1, 1)
    };
    read_gmsh_bytes(Path::new("a.msh"), changed.as_bytes(), &[])
}

#[test]
fn errors_name_what_is_wrong_and_where() {
    let mesh = tet(("", "")).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!((mesh.tags.as_slice(), mesh.boundary_names.len()), ([7].as_slice(), 1));
    let cases = [
        (("2.2 0 8", "4 0 8"), "line 2: format version 4 is not read"),
        (("2.2 0 8", "2.2 0 4"), "line 2: numbers of 4 bytes"),
        (("$MeshFormat", "solid"), "line 1: this is not a Gmsh mesh file"),
        (("2 1 0 0", "2 1 nan 0"), "line 11: coordinate y of node 2 is NaN"),
        (
            ("2 1 0 0", "2 1 x 0"),
            "line 11: expected a coordinate of a node, found `x`",
        ),
        (("3 0 1 0", "2 0 1 0"), "node 2 is there twice"),
        (
            ("1 1 2 3 4\n", "1 1 2 3 44\n"),
            "line 22: element 7 has node 44, which does not exist",
        ),
        (
            ("7 4 2", "7 34 2"),
            "line 22: element 7 is of type 34, which is not read",
        ),
        (
            ("7 4 2 5 1 1 2 3 4", "7 17 2 5 1 1 2 3 4"),
            "Mesh.SecondOrderIncomplete=0",
        ),
        (
            ("7 4 2 5 1 1 2 3 4", "7 31 2 5 1 1 2 3 4"),
            "element 7 is of geometric order 5",
        ),
        (
            ("$Nodes\n5", "$Nodes\n999999999999"),
            "line 9: 999999999999 are announced as nodes",
        ),
        (("$Nodes\n5", "$Nodes\n-5"), "line 9: nodes is negative: -5"),
        (
            ("$Elements\n5", "$Elements\n6"),
            "line 23: expected the number of an element, found `$EndElements`",
        ),
        (
            ("$EndNodes", "$EndNode"),
            "line 15: expected $EndNodes, found `$EndNode`",
        ),
        (("\"wall\"", "wall"), "in double quotes"),
        (
            ("7 4 2 5 1 1 2 3 4", "7 4 2 5 1 1 2 3 3"),
            "has the same vertex at two corners",
        ),
        (
            ("4 2 2 1 2 1 3 4", "4 2 2 0 6 1 3 4"),
            "it lies on surface 6, which is in no physical group",
        ),
        (
            ("4 2 2 1 2 1 3 4", "4 2 2 1 2 1 3 9"),
            "no surface element of the file lies on it",
        ),
        (
            ("4 2 2 1 2 1 3 4", "4 2 2 2 2 2 3 4"),
            "belongs to 2 physical groups, `wall`, `2`",
        ),
        (("7 4 2 5 1 1 2 3 4", "7 2 2 5 1 1 2 3"), "has no cells, only surfaces"),
        (
            ("$Elements\n5", "$Elements\n6\n8 4 2 5 1 9 3 2 4"),
            "nodes 9 and 1 lie at the same place",
        ),
        (
            ("$Elements\n5", "$Elements\n6\n7 4 2 5 1 9 3 2 4"),
            "element 7 is there twice",
        ),
        (
            ("$Elements\n5", "$Elements\n7\n8 4 2 5 1 1 3 2 9\n9 4 2 5 1 2 3 1 9"),
            "three cells share one face",
        ),
    ];
    for (change, wanted) in cases {
        let error = tet(change).map(|_| ()).expect_err(wanted).to_string();
        assert!(
            error.starts_with("a.msh: ") && error.contains(wanted),
            "{change:?}: {error}"
        );
    }
}

/// A cube of two hexahedra, at x in 0..1 and 1..2, of which the first has `order` 1 or 2; the middle of their common face is
/// moved by `bend` in the second, which has order 2.
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
            // The common face is named, too, and twice: that does not make it a boundary.
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
        "$MeshFormat\r\n2.2 0 8\r\n$EndMeshFormat\r\n$Comments\n$ anything $End\n$EndComments\n$Nodes\n{}\n{}\n$EndNodes\n$Elements\n{}\n{}\n$EndElements",
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

/// One hexahedron, whose six sides are the boundaries 1 to 6: low and high in x, y and z.
fn one_hex(extra: &str) -> String {
    format!(
        "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n8\n1 0 0 0\n2 1 0 0\n3 1 1 0\n4 0 1 0\n5 0 0 1\n6 1 0 1\n7 1 1 1\n8 0 1 1\n\
         $EndNodes\n$Elements\n7\n1 3 2 1 1 1 4 8 5\n2 3 2 2 2 2 3 7 6\n3 3 2 3 3 1 2 6 5\n4 3 2 4 4 4 3 7 8\n\
         5 3 2 5 5 1 2 3 4\n6 3 2 6 6 5 6 7 8\n7 5 2 7 1 1 2 3 4 5 6 7 8\n$EndElements\n{extra}"
    )
}

#[test]
fn a_single_cell_can_be_periodic_in_all_directions_by_the_case_or_by_the_file() {
    let shift = |d: usize| std::array::from_fn(|e| if e == d { 1.0 } else { 0.0 });
    let pairs: Vec<PeriodicPair> = (0..3)
        .map(|d| PeriodicPair {
            first: (2 * d + 1).to_string(),
            second: (2 * d + 2).to_string(),
            motion: Motion::Translation(shift(d)),
        })
        .collect();
    let links = "$Periodic\n3\n2 2 1\n4\n2 1\n3 4\n7 8\n6 5\n2 4 3\nAffine 1 0 0 0 0 1 0 1 0 0 1 0 0 0 0 1\n0\n\
                 2 6 5\nAffine 1 0 0 0 0 1 0 0 0 0 1 1 0 0 0 1\n1\n5 1\n$EndPeriodic\n";
    let by_file = one_hex(links);
    let by_case = one_hex("");
    for (text, pairs) in [(&by_case, pairs.as_slice()), (&by_file, &[]), (&by_file, &pairs)] {
        let mesh =
            read_gmsh_bytes(Path::new("a.msh"), text.as_bytes(), pairs).unwrap_or_else(|error| panic!("{error}"));
        assert!(mesh.boundary_names.is_empty() && mesh.rotations.is_empty());
        for (face, side) in mesh.sides.iter().enumerate() {
            let expected = Side::Cell {
                cell: 0,
                face: face ^ 1,
                orientation: 0,
            };
            assert_eq!(*side, expected);
        }
    }
}

#[test]
fn impossible_periodic_boundaries_are_refused() {
    let pair = |first: &str, second: &str, motion| PeriodicPair {
        first: first.into(),
        second: second.into(),
        motion,
    };
    let shift = Motion::Translation([1.0, 0.0, 0.0]);
    let still = Motion::Rotation {
        point: [0.0; 3],
        axis: [0.0; 3],
        angle: 1.0,
    };
    let cases = [
        (
            vec![pair("1", "x+", shift)],
            "",
            "`x+` does not exist; the mesh has `1`, `2`",
        ),
        (vec![pair("1", "1", shift)], "", "`1` cannot be periodic with itself"),
        (
            vec![pair("1", "2", shift), pair("2", "3", shift)],
            "",
            "`2` is periodic more than once",
        ),
        (vec![pair("1", "2", still)], "", "axis of length zero"),
        (
            vec![pair("1", "2", Motion::Translation([f64::NAN; 3]))],
            "",
            "not finite",
        ),
        (
            vec![pair("1", "3", shift)],
            "",
            "boundaries 1 and 3 do not match: 1 faces",
        ),
        (
            vec![],
            "$Periodic\n1\n2 2 1\n0\n$EndPeriodic",
            "surface 1 to surface 2 is not given in the file",
        ),
        (
            vec![],
            "$Periodic\n1\n2 3 1\n4\n1 1\n2 4\n6 8\n5 5\n$EndPeriodic",
            "if it is a rotation, name the pair",
        ),
        (
            vec![],
            "$Periodic\n1\n2 2 1\nAffine 2 0 0 1 0 1 0 0 0 0 1 0 0 0 0 1\n0\n$EndPeriodic",
            "is not rigid",
        ),
        (
            vec![],
            "$Periodic\n1\n2 2 1\n1\n2 11\n$EndPeriodic",
            "surface 2 has node 11, which does not exist",
        ),
    ];
    for (pairs, links, wanted) in cases {
        let result = read_gmsh_bytes(Path::new("a.msh"), one_hex(links).as_bytes(), &pairs);
        let error = result.map(|_| ()).expect_err(wanted).to_string();
        assert!(error.contains(wanted), "{error}");
    }
}

#[test]
fn a_volume_in_two_physical_groups_is_read_once() {
    let text = one_hex("")
        .replace("$Elements\n7", "$Elements\n8")
        .replace("$EndElements", "8 5 2 8 1 1 2 3 4 5 6 7 8\n$EndElements");
    let mesh = read_gmsh_bytes(Path::new("a.msh"), text.as_bytes(), &[]).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(mesh.tags, [7]);
}
