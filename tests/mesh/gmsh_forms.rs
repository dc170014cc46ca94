//! Forms of Gmsh files besides the plain ones: divided meshes, binary files of version 4.0, and boundaries that only
//! their names make periodic.

use std::path::Path;

use crate::common::meshes::{data, files, read, sizes};
use fr_les::mesh::{Mesh, read_gmsh_bytes};

#[test]
fn divided_meshes_are_joined_like_whole_ones() {
    let whole = read(&data("periodic_tet_v41_text.msh"));
    assert_eq!(files("divided").len(), 6);
    for path in files("divided") {
        let mesh = read(&path);
        assert_eq!(mesh.len(), whole.len());
        assert_eq!(mesh.boundary_names, whole.boundary_names, "{path:?}");
        assert_eq!(mesh.joined, whole.joined, "{path:?}");
        let (volume, areas) = sizes(&mesh);
        assert!(
            (volume - 1.0).abs() < 1e-13 && (areas["rest"] - 4.0).abs() < 1e-13,
            "{path:?}"
        );
    }
}

/// A file whose sides in x are periodic by their names alone.
fn named(first: &str, second: &str) -> Result<Mesh, String> {
    let text = std::fs::read_to_string(data("periodic_tet_v22_text.msh")).expect("is checked in");
    let text = text.split("$Periodic").next().expect("a part");
    let text = text.replace("\"left\"", &format!("{first:?}"));
    let text = text.replace("\"right\"", &format!("{second:?}"));
    read_gmsh_bytes(Path::new("a.msh"), text.as_bytes(), &[]).map_err(|error| error.to_string())
}

#[test]
fn boundaries_named_left_and_right_of_a_period_are_joined() {
    let linked = read(&data("periodic_tet_v22_text.msh"));
    for pair in [
        ["periodic_0_l", "periodic_0_r"],
        ["periodic-x-l", "periodic-x-r"],
        ["periodic y r", "periodic y l"],
    ] {
        let mesh = named(pair[0], pair[1]).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(mesh.sides, linked.sides, "{pair:?}");
        assert_eq!(mesh.boundary_names, ["rest"]);
    }
    // Other names, and a name without its counterpart, are those of boundaries.
    for pair in [
        ["periodic_0_l", "periodic_1_r"],
        ["periodic_l", "periodic_r"],
        ["periodically_l", "x_r"],
    ] {
        let mesh = named(pair[0], pair[1]).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(mesh.boundary_names.len(), 3, "{pair:?}");
    }
    // A part of a side has no counterpart.
    let error = named("periodic_0_l", "right").map(|mesh| mesh.boundary_names);
    assert_eq!(error.map(|names| names.len()), Ok(3));
    let error = named("periodic_0_l", "rest").map(|_| ());
    assert_eq!(error, Ok(()));
}

#[test]
fn sides_that_do_not_match_are_refused() {
    let text = std::fs::read_to_string(data("periodic_tet_v22_text.msh")).expect("is checked in");
    let text = text.split("$Periodic").next().expect("a part");
    let text = text
        .replace("\"left\"", "\"periodic_0_l\"")
        .replace("\"rest\"", "\"periodic_0_r\"");
    let error = read_gmsh_bytes(Path::new("a.msh"), text.as_bytes(), &[]).map(|_| ());
    let error = error.expect_err("does not match").to_string();
    assert!(
        error.contains("periodic boundaries periodic_0_l and periodic_0_r do not match"),
        "{error}"
    );
}

#[test]
fn swapping_all_bytes_of_a_binary_file_of_version_4_0_changes_nothing() {
    // Without `$Periodic`; the sizes of numbers as in generate.py.
    let path = data("mixed1_v40_binary.msh");
    let bytes = std::fs::read(&path).expect("is checked in");
    let mut swapped = Swapped {
        bytes: bytes.clone(),
        at: 0,
    };
    swapped.after("$MeshFormat\n4 1 8\n");
    swapped.int();
    swapped.after("$Entities\n");
    let counts = [0; 4].map(|_| swapped.long());
    for (dimension, count) in counts.into_iter().enumerate() {
        for _ in 0..count {
            swapped.int();
            (0..6).for_each(|_| {
                swapped.long();
            });
            for _ in 0..if dimension > 0 { 2 } else { 1 } {
                (0..swapped.long()).for_each(|_| {
                    swapped.int();
                });
            }
        }
    }
    for (section, reals) in [("$Nodes\n", 3), ("$Elements\n", 0)] {
        swapped.after(section);
        let blocks = swapped.long();
        swapped.long();
        for _ in 0..blocks {
            let [_, _, kind] = [0; 3].map(|_| swapped.int());
            let nodes = if reals > 0 {
                0
            } else {
                [3, 4, 4, 8, 6, 5][kind as usize - 2]
            };
            for _ in 0..swapped.long() {
                (0..=nodes).for_each(|_| {
                    swapped.int();
                });
                (0..reals).for_each(|_| {
                    swapped.long();
                });
            }
        }
    }
    assert_ne!(swapped.bytes, bytes);
    let swapped = read_gmsh_bytes(&path, &swapped.bytes, &[]).unwrap_or_else(|error| panic!("{error}"));
    let plain = read(&path);
    assert_eq!((swapped.nodes, swapped.sides), (plain.nodes, plain.sides));
}

/// A binary file whose numbers are being reversed one after the other.
struct Swapped {
    bytes: Vec<u8>,
    at: usize,
}

impl Swapped {
    /// Moves to the number after this text.
    fn after(&mut self, text: &str) {
        let found = self.bytes.windows(text.len()).position(|part| part == text.as_bytes());
        self.at = found.expect("is there") + text.len();
    }

    fn int(&mut self) -> u32 {
        let number = self.bytes[self.at..].first_chunk_mut::<4>().expect("a number");
        let value = u32::from_le_bytes(*number);
        number.reverse();
        self.at += 4;
        value
    }

    fn long(&mut self) -> u64 {
        let number = self.bytes[self.at..].first_chunk_mut::<8>().expect("a number");
        let value = u64::from_le_bytes(*number);
        number.reverse();
        self.at += 8;
        value
    }
}
