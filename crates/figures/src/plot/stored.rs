//! Reading of the surface files of a run: cuts by planes, and boundaries.

use std::path::{Path, PathBuf};

use hdf5::{Group, H5Type};

use crate::io;

/// A surface file that is open.
pub struct Stored {
    path: PathBuf,
    group: Group,
    /// Positions of all points.
    pub points: Vec<[f64; 3]>,
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
        io::readable(path)?;
        let file = hdf5::File::open(path).map_err(|_| wrong("this is not an HDF5 file, or it is cut short"))?;
        let mut stored = Stored {
            path: path.to_path_buf(),
            group: file.group("VTKHDF").map_err(|_| wrong("it has no group /VTKHDF"))?,
            points: Vec::new(),
        };
        let (shape, positions) = stored.array::<f64>("Points")?;
        stored.points = match shape[..] {
            [_, 3] => positions.as_chunks::<3>().0.to_vec(),
            _ => return Err(stored.wrong(format!("Points has the shape {shape:?}, but three columns are needed"))),
        };
        Ok(stored)
    }

    /// Returns the time of the state.
    pub fn time(&self) -> Option<f64> {
        self.array::<f64>("Steps/Values").ok()?.1.first().copied()
    }

    /// Returns a field of one value at each point; `None` if the file has no such field.
    pub fn field(&self, name: &str) -> Option<Vec<f64>> {
        let (shape, values) = self.array(&format!("PointData/{name}")).ok()?;
        (shape == [self.points.len()]).then_some(values)
    }

    /// Returns a field of a vector at each point; `None` if the file has no such field.
    pub fn vectors(&self, name: &str) -> Option<Vec<[f64; 3]>> {
        let (shape, values) = self.array::<f64>(&format!("PointData/{name}")).ok()?;
        (shape == [self.points.len(), 3]).then(|| values.as_chunks::<3>().0.to_vec())
    }

    /// Returns the number of the mesh cell to which each triangle belongs.
    pub fn cells(&self) -> Result<Vec<u64>, io::Error> {
        Ok(self.array("CellData/global_cell_id")?.1)
    }

    /// Returns the points of all triangles. Points are numbered from zero in each piece of a file.
    ///
    /// # Errors
    /// The file cannot be read, or a triangle has a point that is not there.
    pub fn triangles(&self) -> Result<Vec<[usize; 3]>, io::Error> {
        let (points, entries) = (self.sizes("NumberOfPoints")?, self.sizes("NumberOfConnectivityIds")?);
        let nodes: Vec<i64> = self.array("Connectivity")?.1;
        let mut triangles = Vec::with_capacity(nodes.len() / 3);
        let (mut first, mut rest) = (0_usize, nodes.as_slice());
        for (points, entries) in points.into_iter().zip(entries) {
            let (of_piece, others) = rest.split_at(entries.min(rest.len()));
            for nodes in of_piece.as_chunks::<3>().0 {
                let known = |&node: &usize| node < points && first.saturating_add(node) < self.points.len();
                let triangle = nodes.map(|node| usize::try_from(node).ok().filter(known));
                let [Some(a), Some(b), Some(c)] = triangle else {
                    let detail =
                        format!("Connectivity has a triangle of the points {nodes:?}, which are not all there");
                    return Err(self.wrong(detail));
                };
                triangles.push([a, b, c].map(|node| first + node));
            }
            first = first.saturating_add(points);
            rest = others;
        }
        Ok(triangles)
    }

    fn sizes(&self, name: &str) -> Result<Vec<usize>, io::Error> {
        let sizes = self.array::<i64>(name)?.1.into_iter().map(usize::try_from);
        let sizes: Result<Vec<usize>, _> = sizes.collect();
        sizes.map_err(|_| self.wrong(format!("{name} has a number below zero")))
    }

    /// Reads an array with its shape.
    fn array<T: H5Type>(&self, name: &str) -> Result<(Vec<usize>, Vec<T>), io::Error> {
        io::read_array(&self.group, name).map_err(|detail| self.wrong(format!("{name} {detail}")))
    }

    fn wrong(&self, detail: String) -> io::Error {
        let path = self.path.clone();
        io::Error::Input { path, detail }
    }
}
