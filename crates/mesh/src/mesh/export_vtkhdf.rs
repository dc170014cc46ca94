//! Writing a mesh as VTKHDF files, which ParaView opens: one of the cells, and one of the faces of its boundaries.

use std::path::{Path, PathBuf};

use mpi::topology::SimpleCommunicator;

use super::geometry_nodes::{FaceNodes, combined, equispaced_nodes};
use super::types::{CellFace, Mesh, Side};
use crate::element::{Correction, ElementKind, ReferenceElement};
use crate::io::{Error, Piece, Provenance, Surface, SurfaceCells, nodes, write_solution, write_surface};

/// Writes the cells of a whole mesh to `path` and the faces of its boundaries, if it has any, to a file beside it, with
/// the number of each face's boundary in `boundary` and the names in an attribute. Returns the paths that were written.
/// To be called on one rank.
///
/// # Errors
/// The geometry order is too high for such files, or a file cannot be written.
pub fn write_mesh_vtkhdf(mesh: &Mesh, path: &Path, comm: &SimpleCommunicator) -> Result<Vec<PathBuf>, Error> {
    let order = mesh.geometry_order;
    let provenance = Provenance {
        mesh_hash: mesh.hash(),
        precision: "double".to_owned(),
        ..Provenance::of_this_program()
    };
    let equispaced = equispaced_nodes(mesh);
    let piece = Piece {
        order,
        single: false,
        cell_ids: &(0..mesh.len() as u64).collect::<Vec<_>>(),
        shapes: &mesh.kinds,
        points: &points(mesh, &equispaced),
        fields: &[],
        note: None,
    };
    write_solution(path, comm, 0.0, 0, &piece, &provenance)?;
    let mut written = vec![path.to_path_buf()];
    let mut faces = Vec::new();
    for cell in 0..mesh.len() {
        let sides = mesh.cell_sides(cell).iter().enumerate();
        faces.extend(sides.filter_map(|(face, side)| match side {
            Side::Boundary(name) => Some((cell, face, *name as u64)),
            _ => None,
        }));
    }
    if !faces.is_empty() {
        let beside = boundaries_file(path);
        let tables = FaceNodes::new(mesh);
        let points = faces
            .iter()
            .flat_map(|&(cell, face, _)| tables.nodes(CellFace { cell, face }));
        let points: Vec<[f64; 3]> = points.map(|node| equispaced[node]).collect();
        let shapes: Vec<_> = faces
            .iter()
            .map(|&(cell, face, _)| mesh.kinds[cell].faces()[face].shape)
            .collect();
        let cells: Vec<u64> = faces.iter().map(|face| face.0 as u64).collect();
        let boundaries: Vec<u64> = faces.iter().map(|face| face.2).collect();
        let surface = Surface {
            single: false,
            points: &points,
            cells: SurfaceCells::Faces { order, shapes: &shapes },
            fields: &[],
            numbers: &[("global_cell_id", &cells), ("boundary", &boundaries)],
            note: Some(("boundaries", &mesh.boundary_names.join("\n"))),
        };
        write_surface(&beside, comm, 0.0, 0, &surface, &provenance)?;
        written.push(beside);
    }
    Ok(written)
}

/// Path of the file with the boundaries of a mesh.
fn boundaries_file(path: &Path) -> PathBuf {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    path.with_file_name(format!("{stem}_boundaries.vtkhdf"))
}

/// Nodes of all cells as files have them: on equispaced lattices, and pyramids as collapsed hexahedra.
fn points(mesh: &Mesh, equispaced: &[[f64; 3]]) -> Vec<[f64; 3]> {
    if !mesh.kinds.contains(&ElementKind::Pyramid) {
        return equispaced.to_vec();
    }
    let pyramid = ReferenceElement::new(ElementKind::Pyramid, mesh.geometry_order, Correction::default());
    let collapsed = pyramid.interpolation(&nodes(ElementKind::Pyramid, mesh.geometry_order));
    let of_cell = |cell: usize| match mesh.kinds[cell] {
        ElementKind::Pyramid => combined(&collapsed, mesh.cell_nodes(cell)),
        _ => equispaced[mesh.first_node[cell]..mesh.first_node[cell + 1]].to_vec(),
    };
    (0..mesh.len()).flat_map(of_cell).collect()
}
