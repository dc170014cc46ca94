//! Cells that a file numbers in the mirrored sense are turned; cells that are inside out are not.

use std::path::Path;

use crate::common::meshes::{data, nodes, read, sizes};
use fr_les::mesh::quality::Quality;
use fr_les::mesh::{Mesh, Side, read_gmsh_bytes};

fn parsed(text: &str) -> Mesh {
    read_gmsh_bytes(Path::new("a.msh"), text.as_bytes(), &[]).unwrap_or_else(|error| panic!("{error}"))
}

/// The text of a file of version 2.2 with x replaced by -x.
fn reflected(text: &str) -> String {
    let (before, rest) = text.split_once("$Nodes\n").expect("nodes");
    let (list, after) = rest.split_once("$EndNodes").expect("their end");
    let (count, list) = list.split_once('\n').expect("their number");
    let line = |line: &str| {
        let words: Vec<&str> = line.split_whitespace().collect();
        let x: f64 = words[1].parse().expect("a coordinate");
        format!("{} {:?} {} {}\n", words[0], -x, words[2], words[3])
    };
    let list: String = list.lines().map(line).collect();
    format!("{before}$Nodes\n{count}\n{list}$EndNodes{after}")
}

#[test]
fn reflected_meshes_of_all_orders_are_the_mirror_images_of_the_meshes() {
    for name in [
        "cylinder_tet2",
        "cylinder_hex3",
        "cylinder_prism2",
        "mixed1",
        "mixed4",
        "serendipity",
        "periodic_hex",
    ] {
        let path = data(&format!("{name}_v22_text.msh"));
        let text = std::fs::read_to_string(&path).expect("is checked in");
        // A periodic map would have to be reflected too.
        let plain = text.split("$Periodic").next().expect("a part");
        let (mesh, image) = (parsed(plain), parsed(&reflected(plain)));
        assert_eq!(mesh.boundary_names, image.boundary_names);
        let ((volume, areas), (turned_volume, turned_areas)) = (sizes(&mesh), sizes(&image));
        assert!((volume - turned_volume).abs() < 1e-13 * volume, "{name}");
        for (name, area) in areas {
            // Areas of curved faces are approximate, and the rule for triangles has no mirror symmetry.
            assert!((area - turned_areas[&name]).abs() < 1e-5 * area, "{name}");
        }
        for cell in 0..mesh.len() {
            // Every node has its mirror image in the same cell, in another place.
            for [x, y, z] in nodes(&mesh, cell) {
                let near = |at: &&[f64; 3]| [at[0] + x, at[1] - y, at[2] - z].iter().all(|d| d.abs() < 1e-13);
                assert_eq!(nodes(&image, cell).iter().filter(near).count(), 1, "{name}");
            }
            // The neighbours are the same ones.
            let around = |mesh: &Mesh| {
                let mut list: Vec<Result<usize, usize>> = mesh.cell_sides(cell).iter().map(beyond).collect();
                list.sort_unstable();
                list
            };
            assert_eq!(around(&mesh), around(&image), "{name}");
        }
    }
}

/// The neighbour or the boundary beyond a side.
fn beyond(side: &Side) -> Result<usize, usize> {
    match side {
        Side::Boundary(number) => Err(*number),
        _ => Ok(side.neighbour().expect("a cell").cell),
    }
}

#[test]
fn any_of_the_cells_of_a_mixed_mesh_may_be_mirrored() {
    let text = std::fs::read_to_string(data("mixed1_v22_text.msh")).expect("is checked in");
    let mesh = read(&data("mixed1_v22_text.msh"));
    // The cells as the file lists them, and with two directions exchanged.
    let exchanges = [
        ("\n15 4 2 1 1 6 7 9 10\n", "\n15 4 2 1 1 7 6 9 10\n"),
        ("\n16 5 2 1 1 1 2 3 4 5 6 7 8\n", "\n16 5 2 1 1 5 6 7 8 1 2 3 4\n"),
        ("\n17 6 2 1 1 2 11 3 6 12 7\n", "\n17 6 2 1 1 6 12 7 2 11 3\n"),
        ("\n18 7 2 1 1 5 6 7 8 9\n", "\n18 7 2 1 1 8 7 6 5 9\n"),
    ];
    for chosen in 1..16 {
        let mut changed = text.clone();
        for (i, (plain, mirrored)) in exchanges.iter().enumerate() {
            assert!(text.contains(plain), "{plain}");
            if chosen >> i & 1 == 1 {
                changed = changed.replace(plain, mirrored);
            }
        }
        let turned = parsed(&changed);
        assert_eq!(turned.kinds, mesh.kinds);
        let ((volume, areas), (turned_volume, turned_areas)) = (sizes(&mesh), sizes(&turned));
        assert!((volume - turned_volume).abs() < 1e-14, "{chosen}");
        assert!(
            areas
                .iter()
                .all(|(name, area)| (area - turned_areas[name]).abs() < 1e-14)
        );
    }
}

/// Two unit cubes on top of each other, of which the upper face of the second lies at `top`.
fn two_cubes(top: [f64; 4]) -> String {
    let level = |z: [f64; 4], first: usize| -> String {
        let corners = [[0, 0], [1, 0], [1, 1], [0, 1]];
        let line = |i: usize| format!("{} {} {} {}\n", first + i, corners[i][0], corners[i][1], z[i]);
        (0..4).map(line).collect()
    };
    format!(
        "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n12\n{}{}{}$EndNodes\n$Elements\n2\n\
         1 5 2 0 1 1 2 3 4 5 6 7 8\n2 5 2 0 1 5 6 7 8 9 10 11 12\n$EndElements\n",
        level([0.0; 4], 1),
        level([1.0; 4], 5),
        level(top, 9)
    )
}

#[test]
fn cells_folded_over_a_neighbour_or_in_themselves_are_inverted() {
    for (top, inverted) in [
        ([2.0; 4], 0),
        // The second cube lies inside the first, although the Jacobian has one sign.
        ([0.5; 4], 1),
        // Two of its vertices lie below its lower face.
        ([2.0, 2.0, 0.5, 0.5], 1),
    ] {
        let quality = Quality::of(&parsed(&two_cubes(top)), 2).expect("cells");
        assert_eq!(quality.inverted, inverted, "{top:?}");
        assert!(inverted == 0 || quality.worst.place.tag == Some(2), "{top:?}");
    }
}
