//! Reading of solution files, for runs that begin with the solution of another mesh.
//!
//! A solution holds its mesh: the nodes of a cell and the values at them are those of polynomials of the solution's own
//! order. Each rank reads the cells that it needs, independently of the others. What is read is checked: types and
//! shapes against the form that fr-les writes, sizes against the file, coordinates and values that they are finite, and
//! all cells against the checksum of the file, if it has one.

use std::collections::HashMap;
use std::ops::Range;
use std::path::{Path, PathBuf};

use hdf5::{Dataset, Group, H5Type, Hyperslab};

use super::guarded::{open_array, read_array, readable};
use super::lagrange::{cell_type, node_order};
use super::solution_checksum::{CHECKSUM, CellValues, of_cell, of_clock};
use super::sub_cells;
use super::vtkhdf::POINTS;
use super::{Error, MAX_ORDER, kind_of_file, node_count};
use crate::element::{ElementKind, PerKind};

/// The fields that every solution has, and the number of their components.
const STATE: [(&str, usize); 3] = [("density", 1), ("velocity", 3), ("pressure", 1)];

/// Name of the array of the nodes in VTK's order.
const CONNECTIVITY: &str = "Connectivity";

/// A solution file that is open for reading by one rank.
#[derive(Debug)]
pub struct StoredSolution {
    /// Polynomial order of cells and fields.
    pub order: usize,
    /// Whether coordinates and fields are stored in 32 bits.
    pub single: bool,
    path: PathBuf,
    group: Group,
    /// Whether the cells have the nodes of a hexahedron, a prism or a tetrahedron.
    lattices: Vec<ElementKind>,
    /// Global number of each cell.
    ids: Vec<u64>,
    /// First node of each cell, and the number of nodes.
    first: Vec<usize>,
    /// First cell of each piece, and the number of cells.
    pieces: Vec<usize>,
    /// VTK's order of the nodes of a cell.
    orders: PerKind<Vec<usize>>,
    /// The checksum; files of other programs, and those of early versions of this one, have none.
    checksum: Option<Checksum>,
}

/// The checksum of a solution, and what is compared with it.
#[derive(Debug)]
struct Checksum {
    stored: u64,
    /// The part that is not of cells.
    clock: u64,
    /// Names of all fields and the numbers of their components, in the order of the names.
    fields: Vec<(String, usize)>,
}

/// A range of the cells of a solution.
#[derive(Debug)]
pub struct StoredCells {
    /// Kind of each cell.
    pub kinds: Vec<ElementKind>,
    /// Global number of each cell.
    pub ids: Vec<u64>,
    /// Positions of the nodes, cell by cell as [`super::nodes`] has them, unit of length of the case.
    pub nodes: Vec<[f64; 3]>,
    /// First node of each cell, and the number of nodes.
    pub first: Vec<usize>,
}

impl StoredSolution {
    /// Opens a solution file.
    ///
    /// # Errors
    /// The file cannot be read or is no solution of the form that fr-les writes.
    pub fn open(path: &Path) -> Result<Self, Error> {
        let wrong = |detail: &str| Error::Input {
            path: path.to_path_buf(),
            detail: detail.to_owned(),
        };
        readable(path)?;
        let file = hdf5::File::open(path).map_err(|_| wrong("this is not an HDF5 file, or it is cut short"))?;
        let group = file
            .group("VTKHDF")
            .map_err(|_| wrong(&format!("this is no solution: {}", kind_of_file(&file, "VTKHDF"))))?;
        for (name, _) in STATE {
            if !group.group("PointData").is_ok_and(|data| data.link_exists(name)) {
                return Err(wrong(&format!("it has no field {name}: it is no solution")));
            }
        }
        if group.link_exists(POINTS) && group.dataset(POINTS).is_err() {
            return Err(wrong(
                "its mesh is in the file solution-mesh_HASH.h5 that was written beside it, which is not there or \
                 cannot be read: copy both files",
            ));
        }
        let mut stored = StoredSolution {
            order: 0,
            single: false,
            path: path.to_path_buf(),
            group,
            lattices: Vec::new(),
            ids: Vec::new(),
            first: vec![0],
            pieces: vec![0],
            orders: PerKind::new(|_| Vec::new()),
            checksum: None,
        };
        stored.read_cells()?;
        stored.read_checksum()?;
        Ok(stored)
    }

    /// Reads which cells there are, and how they are numbered.
    fn read_cells(&mut self) -> Result<(), Error> {
        let types = self.column::<u8>("Types")?;
        let offsets = self.column::<i64>("Offsets")?;
        let lattice = |&number: &u8| {
            let all = [ElementKind::Hex, ElementKind::Prism, ElementKind::Tet];
            all.into_iter().find(|&kind| cell_type(kind) == number)
        };
        let lattices: Option<Vec<ElementKind>> = types.iter().map(lattice).collect();
        let lattices = lattices.filter(|all| !all.is_empty() && offsets.len() > all.len());
        let foreign = || {
            let divided = types.iter().all(|number| sub_cells::TYPES.contains(number));
            self.wrong(if divided && !types.is_empty() {
                "it has straight sub-cells (`output.solution.subdivide`): the solution itself is solution_NNNN.vtkhdf"
                    .to_owned()
            } else {
                "it has no cells, or others than solutions have".to_owned()
            })
        };
        self.lattices = lattices.ok_or_else(foreign)?;
        // The offsets of a piece begin at 0, also those of a rank without cells.
        let mut sizes = offsets.windows(2).map(|pair| pair[1].saturating_sub(pair[0]));
        let size = sizes.find(|&size| size > 0).unwrap_or(0);
        let order = (1..=MAX_ORDER).find(|&order| node_count(self.lattices[0], order) as i64 == size);
        self.order = order.ok_or_else(|| self.wrong(format!("it has cells of {size} nodes, which no order has")))?;
        if let Some(kind) = self.lattices.iter().find(|kind| kind.max_order() < self.order) {
            return Err(self.wrong(format!("it has {kind} cells of order {}", self.order)));
        }
        self.orders = PerKind::new(|kind| node_order(kind, self.order));
        for &kind in &self.lattices {
            self.first
                .push(self.first[self.first.len() - 1] + node_count(kind, self.order));
        }
        let nodes = self.first[self.first.len() - 1];
        self.single = self
            .array::<f64>(POINTS, nodes, 3)?
            .dtype()
            .is_ok_and(|t| t.size() == 4);
        self.array::<i64>(CONNECTIVITY, nodes, 1)?;
        for (name, components) in STATE {
            self.array::<f64>(&format!("PointData/{name}"), nodes, components)?;
        }
        self.ids = if self.group.link_exists("CellData/global_cell_id") {
            self.column::<u64>("CellData/global_cell_id")?
        } else {
            Vec::new()
        };
        self.read_pieces(&offsets)?;
        let mut sorted = self.ids.clone();
        sorted.sort_unstable();
        if self.ids.len() != self.lattices.len() || sorted.windows(2).any(|pair| pair[0] == pair[1]) {
            return Err(self.wrong("CellData/global_cell_id does not have one number for each cell".into()));
        }
        Ok(())
    }

    /// Reads how many cells the pieces have, and compares their nodes with the offsets.
    fn read_pieces(&mut self, offsets: &[i64]) -> Result<(), Error> {
        let [cells, nodes] = [
            self.column::<i64>("NumberOfCells")?,
            self.column::<i64>("NumberOfPoints")?,
        ];
        let foreign = || self.wrong("its cells do not have the form of those that fr-les writes".to_owned());
        let mut expected: Vec<i64> = Vec::with_capacity(offsets.len());
        let mut pieces = vec![0];
        for (&cells, &nodes) in cells.iter().zip(&nodes) {
            let begin: usize = pieces[pieces.len() - 1];
            let end = usize::try_from(cells).ok().and_then(|cells| begin.checked_add(cells));
            let end = end.filter(|&end| end <= self.lattices.len()).ok_or_else(foreign)?;
            let of_piece = self.first[begin..=end]
                .iter()
                .map(|node| (node - self.first[begin]) as i64);
            expected.extend(of_piece);
            if expected.last() != Some(&nodes) {
                return Err(foreign());
            }
            pieces.push(end);
        }
        if expected != offsets || cells.len() != nodes.len() || pieces.last() != Some(&self.lattices.len()) {
            return Err(foreign());
        }
        self.pieces = pieces;
        Ok(())
    }

    /// Reads the checksum and what is needed to compare it, if the file has one.
    fn read_checksum(&mut self) -> Result<(), Error> {
        let Ok(attribute) = self.group.attr(CHECKSUM) else {
            return Ok(());
        };
        let read = |what: &str| Error::hdf5(format!("read {what}"), &self.path);
        let stored = attribute.read_scalar::<u64>().map_err(read(CHECKSUM))?;
        let time = self.column::<f64>("FieldData/time")?;
        let step = self.column::<u64>("FieldData/step")?;
        let (&[time], &[step]) = (time.as_slice(), step.as_slice()) else {
            return Err(self.wrong("FieldData does not have one time and one step".to_owned()));
        };
        let names = self.group.group("PointData").and_then(|data| data.member_names());
        let mut names = names.map_err(read("PointData"))?;
        names.sort();
        let mut fields = Vec::with_capacity(names.len());
        for name in names {
            let shape = self.opened::<f64>(&format!("PointData/{name}"))?.shape();
            let components = if let [_, width] = shape[..] { width } else { 1 };
            fields.push((name, components));
        }
        self.checksum = Some(Checksum {
            stored,
            clock: of_clock(time, step),
            fields,
        });
        Ok(())
    }

    /// Whether the file has a checksum, so that damage is found.
    pub fn has_checksum(&self) -> bool {
        self.checksum.is_some()
    }

    /// Checks a range of cells: that nodes are in the order that fr-les writes, and that coordinates and state are
    /// finite. Returns the share of these cells in the checksum; 0 if the file has none.
    ///
    /// # Errors
    /// The file cannot be read, or has other cells or values.
    pub fn check(&self, cells: Range<usize>) -> Result<u64, Error> {
        self.check_connectivity(cells.clone())?;
        self.states(cells.clone())?;
        let rows = self.rows(&cells);
        let points = self.rows_of(POINTS, 3, rows.clone())?;
        let Some(Checksum { fields, .. }) = &self.checksum else {
            return Ok(0);
        };
        let mut arrays = vec![(POINTS, 3, points)];
        for (name, components) in fields {
            let values = self.any_rows_of(&format!("PointData/{name}"), *components, rows.clone())?;
            arrays.push((name, *components, values));
        }
        let mut bytes = Vec::new();
        let share = |cell: usize| {
            let nodes = self.first[cell] - rows.start..self.first[cell + 1] - rows.start;
            let parts = arrays.iter().map(|(name, components, values)| CellValues {
                name,
                values: &values[components * nodes.start..components * nodes.end],
            });
            let parts: Vec<CellValues> = parts.collect();
            of_cell(
                self.ids[cell],
                cell_type(self.lattices[cell]),
                &parts,
                self.single,
                &mut bytes,
            )
        };
        Ok(cells.map(share).fold(0, u64::wrapping_add))
    }

    /// Compares the shares of all cells in the checksum with the file, if it has one.
    ///
    /// # Errors
    /// They differ.
    pub fn compare(&self, shares: u64) -> Result<(), Error> {
        let Some(Checksum { stored, clock, .. }) = self.checksum else {
            return Ok(());
        };
        let found = shares.wrapping_add(clock);
        if found == stored {
            return Ok(());
        }
        Err(self.wrong(format!(
            "the solution is damaged: its checksum is {found:016x}, but should be {stored:016x}; copy the file again"
        )))
    }

    /// Checks that the nodes of a range of cells are numbered as fr-les numbers them: other programs may have another
    /// order.
    fn check_connectivity(&self, cells: Range<usize>) -> Result<(), Error> {
        let rows = self.rows(&cells);
        let read = self.opened::<i64>(CONNECTIVITY)?.read_slice_1d::<i64, _>(rows.clone());
        let read = read.map_err(Error::hdf5(format!("read {CONNECTIVITY}"), &self.path))?;
        for cell in cells {
            let piece = self.pieces.partition_point(|&begin| begin <= cell) - 1;
            let base = self.first[cell] - self.first[self.pieces[piece]];
            let found = read.iter().skip(self.first[cell] - rows.start);
            let mut pairs = self.orders[self.lattices[cell]].iter().zip(found);
            if !pairs.all(|(node, &found)| (base + node) as i64 == found) {
                return Err(self.wrong(format!(
                    "the nodes of cell {} are not in the order in which fr-les writes them",
                    self.ids[cell]
                )));
            }
        }
        Ok(())
    }

    /// Returns the number of cells.
    pub fn cells(&self) -> usize {
        self.lattices.len()
    }

    /// Returns the places in the file of the cells with these global numbers.
    ///
    /// # Errors
    /// The file has no cell of one of these numbers.
    pub fn places(&self, ids: &[u64]) -> Result<Vec<usize>, Error> {
        let places: HashMap<u64, usize> = self.ids.iter().copied().zip(0..).collect();
        let place = |id| {
            let place = places.get(id).copied();
            place.ok_or_else(|| self.wrong(format!("it has no cell {id}, which the mesh has")))
        };
        ids.iter().map(place).collect()
    }

    /// Reads kinds and positions of a range of cells.
    ///
    /// # Errors
    /// The file cannot be read, or a value is not finite.
    pub fn positions(&self, cells: Range<usize>) -> Result<StoredCells, Error> {
        let rows = self.rows(&cells);
        let values = self.rows_of(POINTS, 3, rows.clone())?;
        let nodes: Vec<[f64; 3]> = values.as_chunks::<3>().0.to_vec();
        let first: Vec<usize> = self.first[cells.start..=cells.end]
            .iter()
            .map(|node| node - rows.start)
            .collect();
        let layer = (self.order + 1) * (self.order + 1);
        let pyramids = self.order <= ElementKind::Pyramid.max_order();
        let kind = |(cell, &lattice): (usize, &ElementKind)| match lattice {
            // A pyramid is a hexahedron whose last layer of nodes is one point.
            ElementKind::Hex if pyramids && is_point(&nodes[first[cell + 1] - layer..first[cell + 1]]) => {
                ElementKind::Pyramid
            }
            other => other,
        };
        let kinds = self.lattices[cells.clone()].iter().enumerate().map(kind).collect();
        Ok(StoredCells {
            kinds,
            ids: self.ids[cells].to_vec(),
            nodes,
            first,
        })
    }

    /// Reads density, velocity and pressure at the nodes of a range of cells.
    ///
    /// # Errors
    /// The file cannot be read, or a value is not finite.
    pub fn states(&self, cells: Range<usize>) -> Result<Vec<[f64; 5]>, Error> {
        let rows = self.rows(&cells);
        let [rho, v, p] =
            STATE.map(|(name, components)| self.rows_of(&format!("PointData/{name}"), components, rows.clone()));
        let rho = rho?;
        let v = v?;
        let p = p?;
        let state = |i: usize| [rho[i], v[3 * i], v[3 * i + 1], v[3 * i + 2], p[i]];
        Ok((0..rows.len()).map(state).collect())
    }

    /// Whether it has a field of this name.
    pub fn has(&self, field: &str) -> bool {
        self.group.link_exists(&format!("PointData/{field}"))
    }

    /// Reads a field of one value at the nodes of a range of cells.
    ///
    /// # Errors
    /// The file cannot be read, or a value is not finite.
    pub fn field(&self, name: &str, cells: Range<usize>) -> Result<Vec<f64>, Error> {
        self.rows_of(&format!("PointData/{name}"), 1, self.rows(&cells))
    }

    /// Returns the rows of the nodes of a range of cells.
    fn rows(&self, cells: &Range<usize>) -> Range<usize> {
        self.first[cells.start]..self.first[cells.end]
    }

    /// Reads rows of an array of so many components, row by row, in double precision.
    fn rows_of(&self, name: &str, components: usize, rows: Range<usize>) -> Result<Vec<f64>, Error> {
        let values = self.any_rows_of(name, components, rows.clone())?;
        let Some(at) = values.iter().position(|value| !value.is_finite()) else {
            return Ok(values);
        };
        let row = rows.start + at / components;
        let cell = self.first.partition_point(|&first| first <= row) - 1;
        Err(self.wrong(format!(
            "{name} is {} in row {row}, a node of cell {}, but must be finite",
            values[at], self.ids[cell]
        )))
    }

    /// Reads rows of an array, whose values need not be finite.
    fn any_rows_of(&self, name: &str, components: usize, rows: Range<usize>) -> Result<Vec<f64>, Error> {
        let dataset = self.array::<f64>(name, self.first[self.first.len() - 1], components)?;
        let read = match components {
            1 => dataset
                .read_slice_1d::<f64, _>(rows)
                .map(|read| read.into_raw_vec_and_offset().0),
            _ => {
                let slab = Hyperslab::from(vec![rows.into(), (..).into()]);
                dataset
                    .read_slice_2d::<f64, _>(slab)
                    .map(|read| read.into_raw_vec_and_offset().0)
            }
        };
        read.map_err(Error::hdf5(format!("read {name}"), &self.path))
    }

    /// Opens an array that must have a row of so many components for each of the nodes.
    fn array<T: H5Type>(&self, name: &str, nodes: usize, components: usize) -> Result<Dataset, Error> {
        let dataset = self.opened::<T>(name)?;
        let shape = dataset.shape();
        let needed = if components == 1 {
            vec![nodes]
        } else {
            vec![nodes, components]
        };
        if shape == needed {
            return Ok(dataset);
        }
        Err(self.wrong(format!("{name} has the shape {shape:?}, but the cells need {needed:?}")))
    }

    /// Reads all of an array of one dimension.
    fn column<T: H5Type>(&self, name: &str) -> Result<Vec<T>, Error> {
        let read = read_array(&self.group, name).map_err(|detail| self.wrong(format!("{name} {detail}")));
        match read? {
            (shape, values) if shape.len() == 1 => Ok(values),
            (shape, _) => Err(self.wrong(format!("{name} has the shape {shape:?}, but one dimension is needed"))),
        }
    }

    fn opened<T: H5Type>(&self, name: &str) -> Result<Dataset, Error> {
        open_array::<T>(&self.group, name).map_err(|detail| self.wrong(format!("{name} {detail}")))
    }

    /// Returns the error that the file cannot be used.
    pub fn wrong(&self, detail: String) -> Error {
        let path = self.path.clone();
        Error::Input { path, detail }
    }
}

/// Returns whether the nodes are one point. The writer evaluates the same polynomial at the same place for all of them.
fn is_point(nodes: &[[f64; 3]]) -> bool {
    nodes.iter().all(|node| *node == nodes[0])
}
