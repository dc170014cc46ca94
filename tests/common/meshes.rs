//! Mesh files of tests/data, and cases on meshes.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use fr_les::mesh::quality::Quality;
use fr_les::mesh::{Mesh, read_gmsh};

/// Path of a file of tests/data.
pub fn data(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(name)
}

/// Paths of all files that hold the mesh `name`.
pub fn files(name: &str) -> Vec<PathBuf> {
    let formats = [
        "v22_text",
        "v22_binary",
        "v40_text",
        "v40_binary",
        "v41_text",
        "v41_binary",
    ];
    let all = formats.map(|format| data(&format!("{name}_{format}.msh")));
    all.into_iter().filter(|path| path.exists()).collect()
}

/// Reads a valid Gmsh file.
pub fn read(path: &Path) -> Mesh {
    read_gmsh(path, &[]).unwrap_or_else(|error| panic!("{error}"))
}

/// Geometry nodes of a cell.
pub fn nodes(mesh: &Mesh, cell: usize) -> &[[f64; 3]] {
    &mesh.nodes[mesh.first_node[cell]..mesh.first_node[cell + 1]]
}

/// A Gmsh file with one hexahedron whose six sides are the boundaries 1 to 6: low and high in x, y and z.
pub fn one_hex(extra: &str) -> String {
    format!(
        "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n8\n1 0 0 0\n2 1 0 0\n3 1 1 0\n4 0 1 0\n5 0 0 1\n6 1 0 1\n\
         7 1 1 1\n8 0 1 1\n\
         $EndNodes\n$Elements\n7\n1 3 2 1 1 1 4 8 5\n2 3 2 2 2 2 3 7 6\n3 3 2 3 3 1 2 6 5\n4 3 2 4 4 4 3 7 8\n\
         5 3 2 5 5 1 2 3 4\n6 3 2 6 6 5 6 7 8\n7 5 2 7 1 1 2 3 4 5 6 7 8\n$EndElements\n{extra}"
    )
}

/// A case on `mesh` with no-slip walls at the boundaries `walls` and far fields at `open`.
pub fn case_on(mesh: &str, walls: &[&str], open: &[&str]) -> String {
    let state = "u: 0.3, v: 0.1*x, w: 0, p: 1/1.4, temperature: 1/1.4";
    let walls = walls.iter().map(|name| format!("{name}: {{type: no-slip-adiabatic}}"));
    let open = open.iter().map(|name| format!("{name}: {{type: far-field, {state}}}"));
    let boundaries = walls.chain(open).collect::<Vec<_>>().join(", ");
    format!(
        "mesh: {mesh}\norder: 2\ngas: {{viscosity: {{constant: 1/100}}}}\ninitial: {{{state}}}\n\
         boundaries: {{{boundaries}}}\ntime: {{steps: 3, cfl: 0.5}}\n\
         output: {{solution: {{every-steps: 3}}, integrals: {{every-steps: 1}}}}\n"
    )
}

/// Volume and areas of the boundaries, by name.
pub fn sizes(mesh: &Mesh) -> (f64, BTreeMap<String, f64>) {
    let quality = Quality::of(mesh, 2).expect("cells");
    assert_eq!(quality.inverted, 0);
    let areas = quality.boundaries.iter().map(|b| (b.name.clone(), b.area));
    (quality.volume, areas.collect())
}

/// A mesh that Gmsh measured: the number of cells, and the sizes of its physical groups by name.
pub struct Measured {
    pub name: String,
    pub cells: usize,
    pub sizes: BTreeMap<String, f64>,
}

/// The meshes of measured.txt.
pub fn measured() -> Vec<Measured> {
    let text = std::fs::read_to_string(data("measured.txt")).expect("is checked in");
    let of_line = |line: &str| {
        let words: Vec<&str> = line.split_whitespace().collect();
        let sizes = words[2..].chunks(2);
        Measured {
            name: words[0].to_owned(),
            cells: words[1].parse().expect("a count"),
            sizes: sizes
                .map(|pair| (pair[0].to_owned(), pair[1].parse().expect("a number")))
                .collect(),
        }
    };
    text.lines().map(of_line).collect()
}
