//! Conversion between a mesh and the arrays of the file, and their checksums.

use rayon::prelude::*;
use xxhash_rust::xxh3::{Xxh3, xxh3_64_with_seed};

use crate::element::ElementKind;
use crate::mesh::types::{Mesh, MortarPart, Side, Structured};

/// The arrays of the file for all cells or some of them; [`super`] lists their shapes and meanings.
#[derive(Default)]
pub(super) struct MeshArrays {
    pub geometry_order: u32,
    pub structured: Option<[u64; 4]>,
    pub kinds: Vec<u8>,
    pub first_node: Vec<u64>,
    pub nodes: Vec<f64>,
    pub first_side: Vec<u64>,
    pub side_cells: Vec<i64>,
    pub side_codes: Vec<u16>,
    pub boundary_names: Vec<u8>,
    pub joined: Vec<u8>,
    pub rotations: Vec<f64>,
    pub mortars: Vec<u64>,
    pub tags: Vec<u64>,
}

/// Encodes names, each followed by a line feed.
fn lines(names: &[String]) -> Vec<u8> {
    names
        .iter()
        .flat_map(|name| [name.as_bytes(), b"\n"].concat())
        .collect()
}

/// Decodes names, each followed by a line feed.
fn names(lines: &[u8]) -> Result<Vec<String>, String> {
    let names = std::str::from_utf8(lines).map_err(|_| "a boundary's name is not UTF-8".to_owned())?;
    if !names.is_empty() && !names.ends_with('\n') {
        return Err("the last boundary's name has no end".to_owned());
    }
    Ok(names.split_terminator('\n').map(str::to_owned).collect())
}

/// Largest number of rotations that a side code can hold beside face and orientation.
const MAX_ROTATIONS: usize = (1 << 10) - 1;

/// What stands for the side of part 0 of divided faces in place of a neighbour; those of others follow downwards. There
/// are fewer boundaries.
const FIRST_MORTAR: i64 = -(1 << 40);

impl MeshArrays {
    /// Returns the arrays of a whole mesh.
    ///
    /// # Errors
    /// Returns the reason if the format cannot hold the mesh.
    pub fn of(mesh: &Mesh) -> Result<Self, String> {
        let mut names = mesh.boundary_names.iter().chain(mesh.joined.as_flattened());
        if let Some(name) = names.find(|name| name.contains('\n')) {
            return Err(format!("the name of the boundary {name:?} has more than one line"));
        }
        if mesh.rotations.len() > MAX_ROTATIONS {
            return Err(format!(
                "it has {} rotations, more than {MAX_ROTATIONS}",
                mesh.rotations.len()
            ));
        }
        let encode = |side: &Side| match *side {
            Side::Cell {
                cell,
                face,
                orientation,
            } => (cell as i64, (face + 8 * orientation) as u16),
            Side::Rotated {
                cell,
                face,
                orientation,
                rotation,
            } => (cell as i64, (face + 8 * orientation + 64 * (1 + rotation)) as u16),
            Side::Mortar(number) => (FIRST_MORTAR - number as i64, 0),
            Side::Boundary(name) => (-1 - name as i64, 0),
            Side::Remote { .. } => unreachable!("only whole meshes are written"),
        };
        let (side_cells, side_codes) = mesh.sides.iter().map(encode).unzip();
        let wide = |list: &[usize]| list.iter().map(|&x| x as u64).collect();
        Ok(MeshArrays {
            geometry_order: mesh.geometry_order as u32,
            structured: mesh
                .structured
                .map(|s| [s.dims[0], s.dims[1], s.dims[2], s.per_cube].map(|n| n as u64)),
            kinds: mesh.kinds.iter().map(|&kind| kind as u8).collect(),
            first_node: wide(&mesh.first_node),
            nodes: mesh.nodes.as_flattened().to_vec(),
            first_side: wide(&mesh.first_side),
            side_cells,
            side_codes,
            boundary_names: lines(&mesh.boundary_names),
            joined: lines(mesh.joined.as_flattened()),
            rotations: mesh.rotations.as_flattened().as_flattened().to_vec(),
            mortars: mesh.mortars.iter().flat_map(MortarPart::words).collect(),
            tags: mesh.tags.clone(),
        })
    }

    /// Returns the mesh, which is not checked for consistency.
    ///
    /// # Errors
    /// Returns the problem if an array cannot belong to a mesh.
    pub fn mesh(&self) -> Result<Mesh, String> {
        if self.side_cells.len() != self.side_codes.len() {
            return Err(format!(
                "it has {} side_cells, but {} side_codes",
                self.side_cells.len(),
                self.side_codes.len()
            ));
        }
        let decode = |(&cell, &code): (&i64, &u16)| match usize::try_from(cell) {
            Err(_) if cell <= FIRST_MORTAR => Side::Mortar((FIRST_MORTAR - cell) as usize),
            Err(_) => Side::Boundary((-1 - cell) as usize),
            Ok(cell) => {
                let face = usize::from(code % 8);
                let orientation = usize::from(code / 8 % 8);
                match usize::from(code / 64).checked_sub(1) {
                    None => Side::Cell {
                        cell,
                        face,
                        orientation,
                    },
                    Some(rotation) => Side::Rotated {
                        cell,
                        face,
                        orientation,
                        rotation,
                    },
                }
            }
        };
        let joined = names(&self.joined)?;
        let (joined, []) = joined.as_chunks::<2>() else {
            return Err("a joined boundary has no counterpart".to_owned());
        };
        let narrow = |list: &[u64]| list.iter().map(|&x| usize::try_from(x).unwrap_or(usize::MAX)).collect();
        let (rows, _) = self.rotations.as_chunks::<3>();
        Ok(Mesh {
            geometry_order: self.geometry_order as usize,
            kinds: decoded(&self.kinds)?,
            nodes: self.nodes.as_chunks::<3>().0.to_vec(),
            first_node: narrow(&self.first_node),
            sides: self.side_cells.iter().zip(&self.side_codes).map(decode).collect(),
            first_side: narrow(&self.first_side),
            boundary_names: self.names()?,
            joined: joined.to_vec(),
            rotations: rows.as_chunks::<3>().0.to_vec(),
            mortars: self.parts()?,
            tags: self.tags.clone(),
            structured: self.structured.map(|s| {
                let [x, y, z, per_cube] = s.map(|n| usize::try_from(n).unwrap_or(usize::MAX));
                Structured {
                    dims: [x, y, z],
                    per_cube,
                }
            }),
            part: None,
        })
    }

    /// Names of the boundaries.
    ///
    /// # Errors
    /// Returns the problem if they are no text.
    pub fn names(&self) -> Result<Vec<String>, String> {
        names(&self.boundary_names)
    }

    /// Parts of divided faces.
    ///
    /// # Errors
    /// Returns the problem if a number is out of range.
    pub fn parts(&self) -> Result<Vec<MortarPart>, String> {
        let (rows, _) = self.mortars.as_chunks::<6>();
        let part = |(number, words): (usize, &[u64; 6])| {
            MortarPart::from_words(*words).ok_or_else(|| format!("row {number} of mortars has the share {}", words[5]))
        };
        rows.iter().enumerate().map(part).collect()
    }

    /// Checksum of all arrays. They must belong to a mesh that passed its check, so that all offsets are in range.
    pub fn checksum(&self) -> u64 {
        self.checksum_of_cells(|cell| cell)
            .wrapping_add(self.checksum_of_rest())
    }

    /// Contribution to the checksum of everything but the cells.
    pub fn checksum_of_rest(&self) -> u64 {
        let mut rest = Xxh3::new();
        rest.update(&u64::from(self.geometry_order).to_le_bytes());
        self.structured
            .iter()
            .flatten()
            .for_each(|n| rest.update(&n.to_le_bytes()));
        rest.update(&self.boundary_names);
        rest.update(&self.joined);
        self.rotations.iter().for_each(|x| rest.update(&x.to_le_bytes()));
        self.mortars.iter().for_each(|word| rest.update(&word.to_le_bytes()));
        rest.digest()
    }

    /// Contribution to the checksum of these cells; `number` returns the number of a cell in the whole mesh.
    pub fn checksum_of_cells(&self, number: impl Fn(usize) -> usize + Sync) -> u64 {
        let cell = |bytes: &mut Vec<u8>, cell: usize| {
            bytes.clear();
            bytes.push(self.kinds[cell]);
            let range = |first: &[u64]| first[cell] as usize..first[cell + 1] as usize;
            let nodes = range(&self.first_node);
            bytes.extend(
                self.nodes[3 * nodes.start..3 * nodes.end]
                    .iter()
                    .flat_map(|x| x.to_le_bytes()),
            );
            let sides = range(&self.first_side);
            bytes.extend(self.side_cells[sides.clone()].iter().flat_map(|x| x.to_le_bytes()));
            bytes.extend(self.side_codes[sides].iter().flat_map(|x| x.to_le_bytes()));
            bytes.extend(self.tags.get(cell).iter().flat_map(|x| x.to_le_bytes()));
            xxh3_64_with_seed(bytes, number(cell) as u64)
        };
        let cells = (0..self.kinds.len()).into_par_iter().map_init(Vec::new, cell);
        cells.reduce(|| 0, u64::wrapping_add)
    }
}

/// Decodes the kinds of cells.
pub(super) fn decoded(kinds: &[u8]) -> Result<Vec<ElementKind>, String> {
    let kind = |(cell, &code): (usize, &u8)| {
        let kind = ElementKind::ALL.into_iter().find(|kind| *kind as u8 == code);
        kind.ok_or_else(|| format!("cell {cell} is of kind {code}, which does not exist"))
    };
    kinds.iter().enumerate().map(kind).collect()
}
