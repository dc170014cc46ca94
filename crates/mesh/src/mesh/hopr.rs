//! Reading meshes of curved hexahedra in the HDF5 format of HOPR, which FLEXI uses.
//!
//! `ElemInfo` has the ranges of an element in the other arrays, `SideInfo` its sides in the order of CGNS, `NodeCoords`
//! its nodes at equal distances with the first direction fastest, and `GlobalNodeIDs` their numbers in the mesh, which
//! neighbours share. `BCNames` and `BCType` list the boundaries; those of type 1 are periodic. Source: HOPR user guide,
//! HOPR HDF5 Curved Mesh Format. Sides with hanging nodes are in [`sides`].

mod sides;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::Path;

use hdf5::types::FixedAscii;
use hdf5::{Group, H5Type};

use super::cells::FaceVertices;
use super::cgns;
use super::error::{FilePosition, MeshError};
use super::motion::RigidMotion;
use super::plane_mesh::add_boundary;
use super::unconnected::{Link, UnconnectedMesh};
use crate::element::ElementKind;
use crate::io;

/// Name of an array that every file of this format has at its root.
pub const ELEMENTS: &str = "ElemInfo";

/// Most values of an attribute of one number that are read to be shown in a message.
const MOST_SHOWN: usize = 8;

/// Type of periodic boundaries in `BCType`.
const PERIODIC: i64 = 1;

/// The arrays of a file.
struct Arrays<'a> {
    file: &'a Path,
    group: Group,
    /// Rows of `ElemInfo`, of at least 6 numbers.
    elements: Vec<Vec<i64>>,
    /// Rows of `SideInfo`, of at least 5 numbers: type, number, neighbour, 10 times its side and orientation, boundary.
    sides: Vec<Vec<i64>>,
    /// Names of the boundaries.
    names: Vec<String>,
    /// Types of the boundaries.
    types: Vec<i64>,
}

fn refused(file: &Path, array: &str, detail: impl Into<String>) -> MeshError {
    MeshError::Content {
        file: file.to_path_buf(),
        place: FilePosition::Object(format!("/{array}")),
        detail: detail.into(),
    }
}

/// Reads an array with its shape.
fn array<T: H5Type>(file: &Path, group: &Group, name: &str) -> Result<(Vec<usize>, Vec<T>), MeshError> {
    io::read_array(group, name).map_err(|detail| refused(file, name, format!("the array {detail}")))
}

/// Text of a name, whose bytes need not be ASCII whatever the file says.
fn name_of(name: &FixedAscii<255>) -> String {
    String::from_utf8_lossy(name.as_bytes()).trim().to_owned()
}

/// Reads the rows of an array of whole numbers.
fn rows(file: &Path, group: &Group, name: &str, least: usize) -> Result<Vec<Vec<i64>>, MeshError> {
    let (shape, values) = array::<i64>(file, group, name)?;
    match *shape.as_slice() {
        [_, width] if width >= least => Ok(values.chunks(width).map(<[i64]>::to_vec).collect()),
        _ => Err(refused(file, name, format!("the array has the shape {shape:?}"))),
    }
}

/// Reads a mesh.
///
/// # Errors
/// Returns an error with the name of the array if the file is not valid or has content that is not supported.
pub fn parse(file: &Path) -> Result<UnconnectedMesh, MeshError> {
    let open = || hdf5::File::open(file)?.group("/");
    let group = open().map_err(|error| refused(file, "", format!("the file cannot be opened (HDF5: {error})")))?;
    let (_, names) = array::<FixedAscii<255>>(file, &group, "BCNames")?;
    let types = rows(file, &group, "BCType", 1)?;
    let arrays = Arrays {
        file,
        elements: rows(file, &group, ELEMENTS, 6)?,
        sides: rows(file, &group, "SideInfo", 5)?,
        names: names.iter().map(name_of).collect(),
        types: types.iter().map(|row| row[0]).collect(),
        group,
    };
    if arrays.names.len() != arrays.types.len() {
        return Err(refused(
            file,
            "BCType",
            "the numbers of names and types of boundaries differ",
        ));
    }
    let mut raw = UnconnectedMesh {
        file: file.to_path_buf(),
        ..UnconnectedMesh::default()
    };
    arrays.push_cells(&mut raw)?;
    arrays.push_boundaries(&mut raw)?;
    arrays.push_mortars(&mut raw)?;
    Ok(raw)
}

impl Arrays<'_> {
    /// A range of rows in an array of `length` rows.
    fn range(&self, element: usize, column: usize, length: usize) -> Result<std::ops::Range<usize>, MeshError> {
        let row = &self.elements[element];
        let ends = [row[column], row[column + 1]].map(usize::try_from);
        match ends {
            [Ok(first), Ok(last)] if first <= last && last <= length => Ok(first..last),
            _ => Err(refused(
                self.file,
                ELEMENTS,
                format!(
                    "element {} has the rows {} to {} of {length}",
                    element + 1,
                    row[column],
                    row[column + 1]
                ),
            )),
        }
    }

    /// Adds the nodes and cells.
    fn push_cells(&self, raw: &mut UnconnectedMesh) -> Result<(), MeshError> {
        // HOPR writes its attributes as arrays of one number, and other programs as scalars.
        let order = || {
            let attribute = self.group.attr("Ngeo")?;
            // A damaged size could ask for more memory than there is.
            match attribute.size() {
                ..=MOST_SHOWN => attribute.read_raw::<i64>(),
                count => Err(format!("it has {count} values").into()),
            }
        };
        let order = order().map_err(|error| refused(self.file, "", format!("Ngeo cannot be read (HDF5: {error})")))?;
        let order = match order[..] {
            [order @ 1..=4] => order as usize,
            _ => {
                return Err(refused(
                    self.file,
                    "",
                    format!("Ngeo is {order:?}; orders 1 to 4 are read"),
                ));
            }
        };
        let (shape, places) = array::<f64>(self.file, &self.group, "NodeCoords")?;
        let (_, numbers) = array::<i64>(self.file, &self.group, "GlobalNodeIDs")?;
        let (places, _) = places.as_chunks::<3>();
        if shape != [numbers.len(), 3] {
            return Err(refused(
                self.file,
                "NodeCoords",
                format!("the array has the shape {shape:?}"),
            ));
        }
        if let Some(i) = places.iter().position(|x| x.iter().any(|x| !x.is_finite())) {
            return Err(refused(self.file, "NodeCoords", format!("row {} is not finite", i + 1)));
        }
        let mut known: HashMap<i64, u32> = HashMap::new();
        for (element, row) in self.elements.iter().enumerate() {
            let kind = ElementKind::Hex;
            if row[0] % 10 != 8 {
                return Err(refused(
                    self.file,
                    ELEMENTS,
                    format!(
                        "element {} is of type {}; hexahedra (108, 118, 208) are read",
                        element + 1,
                        row[0]
                    ),
                ));
            }
            let range = self.range(element, 4, numbers.len())?;
            if range.len() != kind.points(order) {
                let detail = format!(
                    "element {} has {} nodes instead of {}",
                    element + 1,
                    range.len(),
                    kind.points(order)
                );
                return Err(refused(self.file, ELEMENTS, detail));
            }
            let nodes: Vec<u32> = range
                .map(|i| {
                    *known.entry(numbers[i]).or_insert_with(|| {
                        raw.positions.push(places[i]);
                        raw.node_tags.push(numbers[i].unsigned_abs());
                        raw.positions.len() as u32 - 1
                    })
                })
                .collect();
            raw.push_cell(kind, order as u8, element as u64 + 1, &nodes);
        }
        Ok(())
    }

    /// Adds the boundaries, and links those that are periodic.
    fn push_boundaries(&self, raw: &mut UnconnectedMesh) -> Result<(), MeshError> {
        let surfaces: Vec<u32> = self.names.iter().map(|name| add_boundary(raw, name)).collect();
        let (corners, _) = raw.corners();
        let faces = cgns::faces(ElementKind::Hex);
        let mut pairs: BTreeSet<[usize; 2]> = BTreeSet::new();
        let mut vertices_of: BTreeMap<usize, BTreeSet<u32>> = BTreeMap::new();
        for element in 0..self.elements.len() {
            for (side, face) in self.sides_of(element)?.into_iter().zip(faces) {
                let row = side.row;
                let Some(boundary) = self.boundary(row)? else { continue };
                let vertices: Vec<u32> = face.iter().map(|corner| corners[8 * element + corner]).collect();
                if row[2] == 0 || self.types[boundary] == PERIODIC {
                    raw.patches
                        .push((FaceVertices::new(&vertices).key(), surfaces[boundary]));
                }
                if row[2] > 0 && self.types[boundary] == PERIODIC {
                    vertices_of.entry(boundary).or_default().extend(vertices);
                    let other = self.boundary_beyond(row)?;
                    pairs.insert([boundary.min(other), boundary.max(other)]);
                }
            }
        }
        for pair in pairs {
            let mean = |boundary: usize| -> [f64; 3] {
                let all = vertices_of.get(&boundary).into_iter().flatten();
                let count = all.clone().count().max(1) as f64;
                std::array::from_fn(|d| all.clone().map(|v| raw.positions[*v as usize][d]).sum::<f64>() / count)
            };
            let shift = RigidMotion::shift(mean(pair[0]), mean(pair[1]));
            let [master, slave] = pair.map(|boundary| raw.surfaces[surfaces[boundary] as usize].entity);
            for (entity, boundary) in [(master, pair[0]), (slave, pair[1])] {
                raw.entity_names.insert(entity, format!("`{}`", self.names[boundary]));
            }
            raw.links.push(Link {
                master,
                slave,
                affine: Some(shift.affine()),
                nodes: Default::default(),
            });
        }
        Ok(())
    }

    /// The boundary of a side, if it has one.
    fn boundary(&self, row: &[i64]) -> Result<Option<usize>, MeshError> {
        match usize::try_from(row[4]) {
            Ok(0) => Ok(None),
            Ok(n) if n <= self.names.len() => Ok(Some(n - 1)),
            _ => {
                let detail = format!("a side is of boundary {}, but there are {}", row[4], self.names.len());
                Err(refused(self.file, "SideInfo", detail))
            }
        }
    }

    /// The boundary of the neighbour's side.
    fn boundary_beyond(&self, row: &[i64]) -> Result<usize, MeshError> {
        let missing = || {
            let detail = format!(
                "a periodic side leads to side {} of element {}, which has no boundary",
                row[3] / 10,
                row[2]
            );
            refused(self.file, "SideInfo", detail)
        };
        let element = usize::try_from(row[2] - 1)
            .ok()
            .filter(|element| *element < self.elements.len());
        let sides = self.sides_of(element.ok_or_else(missing)?)?;
        let side = usize::try_from(row[3] / 10 - 1).map_err(|_| missing())?;
        let theirs = sides.get(side).ok_or_else(missing)?;
        self.boundary(theirs.row)?.ok_or_else(missing)
    }
}
