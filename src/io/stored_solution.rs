//! Reading of solution files, for runs that begin with the solution of another mesh.
//!
//! A solution holds its mesh: the nodes of a cell and the values at them are those of polynomials of the solution's own
//! order. Each rank reads the cells that it needs, independently of the others.

use std::ops::Range;
use std::path::{Path, PathBuf};

use hdf5::{Dataset, Group, H5Type, Hyperslab};

use super::lagrange::cell_type;
use super::{Error, MAX_ORDER, node_count};
use crate::element::ElementKind;

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
    /// The file cannot be read or is no solution of fr-les.
    pub fn open(path: &Path) -> Result<Self, Error> {
        let wrong = |detail: &str| Error::Input {
            path: path.to_path_buf(),
            detail: detail.to_owned(),
        };
        // The operating system describes better than HDF5 why a file cannot be opened.
        std::fs::File::open(path).map_err(Error::os("open", path))?;
        let file = hdf5::File::open(path).map_err(|_| wrong("this is not an HDF5 file, or it is cut short"))?;
        let group = file
            .group("VTKHDF")
            .map_err(|_| wrong("it has no group /VTKHDF: it is no solution"))?;
        for name in ["density", "velocity", "pressure"] {
            if !group.group("PointData").is_ok_and(|data| data.link_exists(name)) {
                return Err(wrong(&format!("it has no field {name}: it is no solution")));
            }
        }
        let mut stored = StoredSolution {
            order: 0,
            single: false,
            path: path.to_path_buf(),
            group,
            lattices: Vec::new(),
            ids: Vec::new(),
            first: vec![0],
        };
        stored.read_cells()?;
        Ok(stored)
    }

    /// Reads which cells there are.
    fn read_cells(&mut self) -> Result<(), Error> {
        let types = self.column::<u8>("Types")?;
        let nodes = self.dataset("Points")?.shape()[0];
        self.single = self.dataset("Points")?.dtype().is_ok_and(|t| t.size() == 4);
        let offsets = self.column::<i64>("Offsets")?;
        let lattice = |&number: &u8| {
            let all = [ElementKind::Hex, ElementKind::Prism, ElementKind::Tet];
            all.into_iter().find(|&kind| cell_type(kind) == number)
        };
        let lattices: Option<Vec<ElementKind>> = types.iter().map(lattice).collect();
        let lattices = lattices.filter(|all| !all.is_empty() && offsets.len() > all.len());
        self.lattices = lattices.ok_or_else(|| self.wrong("it has no cells, or others than solutions have".into()))?;
        let size = (offsets[1] - offsets[0]) as usize;
        let order = (1..=MAX_ORDER).find(|&order| node_count(self.lattices[0], order) == size);
        self.order = order.ok_or_else(|| self.wrong(format!("it has cells of {size} nodes, which no order has")))?;
        if let Some(kind) = self.lattices.iter().find(|kind| kind.max_order() < self.order) {
            return Err(self.wrong(format!("it has {kind} cells of order {}", self.order)));
        }
        for &kind in &self.lattices {
            self.first
                .push(self.first[self.first.len() - 1] + node_count(kind, self.order));
        }
        self.ids = match self.group.link_exists("CellData/global_cell_id") {
            true => self.column::<u64>("CellData/global_cell_id")?,
            false => Vec::new(),
        };
        if self.first[self.first.len() - 1] != nodes || self.ids.len() != self.lattices.len() {
            return Err(self.wrong("its cells do not have the form of those that fr-les writes".into()));
        }
        Ok(())
    }

    /// Returns the number of cells.
    pub fn cells(&self) -> usize {
        self.lattices.len()
    }

    /// Reads kinds and positions of a range of cells.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn positions(&self, cells: Range<usize>) -> Result<StoredCells, Error> {
        let rows = self.rows(&cells);
        let values = self.rows_of("Points", rows.clone())?;
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
    /// The file cannot be read.
    pub fn states(&self, cells: Range<usize>) -> Result<Vec<[f64; 5]>, Error> {
        let rows = self.rows(&cells);
        let [rho, v, p] =
            ["density", "velocity", "pressure"].map(|name| self.rows_of(&format!("PointData/{name}"), rows.clone()));
        let (rho, v, p) = (rho?, v?, p?);
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
    /// The file cannot be read.
    pub fn field(&self, name: &str, cells: Range<usize>) -> Result<Vec<f64>, Error> {
        self.rows_of(&format!("PointData/{name}"), self.rows(&cells))
    }

    /// Returns the rows of the nodes of a range of cells.
    fn rows(&self, cells: &Range<usize>) -> Range<usize> {
        self.first[cells.start]..self.first[cells.end]
    }

    /// Reads rows of a dataset, row by row, in double precision.
    fn rows_of(&self, name: &str, rows: Range<usize>) -> Result<Vec<f64>, Error> {
        let dataset = self.dataset(name)?;
        let read = match dataset.ndim() {
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

    /// Reads all of a dataset of one dimension.
    fn column<T: H5Type>(&self, name: &str) -> Result<Vec<T>, Error> {
        let read = self.dataset(name)?.read_raw::<T>();
        read.map_err(Error::hdf5(format!("read {name}"), &self.path))
    }

    fn dataset(&self, name: &str) -> Result<Dataset, Error> {
        self.group
            .dataset(name)
            .map_err(Error::hdf5(format!("open {name}"), &self.path))
    }

    fn wrong(&self, detail: String) -> Error {
        let path = self.path.clone();
        Error::Input { path, detail }
    }
}

/// Returns whether the nodes are one point. The writer evaluates the same polynomial at the same place for all of them.
fn is_point(nodes: &[[f64; 3]]) -> bool {
    nodes.iter().all(|node| *node == nodes[0])
}
