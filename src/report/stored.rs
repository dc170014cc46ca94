//! Reading of the surface files of a run: cuts by planes, and boundaries.

use std::path::{Path, PathBuf};

use hdf5::{Group, H5Type};

use crate::io;

/// A surface file that is open.
pub(super) struct Stored {
    path: PathBuf,
    group: Group,
}

impl Stored {
    /// Opens a file.
    ///
    /// # Errors
    /// It cannot be read, or is no file of fr-les.
    pub fn open(path: &Path) -> Result<Self, io::Error> {
        let wrong = |detail: &str| io::Error::Input {
            path: path.to_path_buf(),
            detail: detail.to_owned(),
        };
        let file = hdf5::File::open(path).map_err(|_| wrong("this is not an HDF5 file, or it is cut short"))?;
        let group = file.group("VTKHDF").map_err(|_| wrong("it has no group /VTKHDF"))?;
        Ok(Stored {
            path: path.to_path_buf(),
            group,
        })
    }

    /// Returns the time of the state.
    pub fn time(&self) -> Option<f64> {
        self.column::<f64>("Steps/Values").ok()?.first().copied()
    }

    /// Returns the positions of all points.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn points(&self) -> Result<Vec<[f64; 3]>, io::Error> {
        Ok(self.column::<f64>("Points")?.as_chunks::<3>().0.to_vec())
    }

    /// Returns a field at the points, all components of a point together; `None` if the file has no such field.
    pub fn field(&self, name: &str) -> Option<Vec<f64>> {
        self.column(&format!("PointData/{name}")).ok()
    }

    /// Returns the number of the mesh cell to which each triangle belongs.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn cells(&self) -> Result<Vec<u64>, io::Error> {
        self.column("CellData/global_cell_id")
    }

    /// Returns the points of all triangles. Points are numbered from zero in each piece of a file.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn triangles(&self) -> Result<Vec<[usize; 3]>, io::Error> {
        let (points, entries) = (self.sizes("NumberOfPoints")?, self.sizes("NumberOfConnectivityIds")?);
        let nodes: Vec<i64> = self.column("Connectivity")?;
        let mut triangles = Vec::with_capacity(nodes.len() / 3);
        let (mut first, mut rest) = (0, nodes.as_slice());
        for (points, entries) in points.into_iter().zip(entries) {
            let (of_piece, others) = rest.split_at(entries.min(rest.len()));
            let of_piece = of_piece.as_chunks::<3>().0.iter();
            triangles.extend(of_piece.map(|nodes| nodes.map(|node| first + node as usize)));
            first += points;
            rest = others;
        }
        Ok(triangles)
    }

    fn sizes(&self, name: &str) -> Result<Vec<usize>, io::Error> {
        Ok(self
            .column::<i64>(name)?
            .into_iter()
            .map(|size| size as usize)
            .collect())
    }

    fn column<T: H5Type>(&self, name: &str) -> Result<Vec<T>, io::Error> {
        let read = self.group.dataset(name).and_then(|dataset| dataset.read_raw());
        read.map_err(|error| io::Error::Input {
            path: self.path.clone(),
            detail: format!("{name}: {error}"),
        })
    }
}
