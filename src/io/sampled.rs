//! The state at many places at one moment as a VTKHDF file: points, lines or a surface that ParaView opens as it is.

use std::ops::Range;
use std::path::Path;

use hdf5::Group;
use mpi::topology::SimpleCommunicator;

use super::parallel::{Share, Shared, write_together};
use super::{Error, Provenance};

/// Version of the format, as of solutions.
const VERSION: [i64; 2] = [2, 0];
/// VTK's numbers of a vertex, a line and a quadrilateral.
const VERTEX: u8 = 1;
const LINE: u8 = 3;
const QUAD: u8 = 9;

/// Density, velocity, pressure and temperature.
pub type Primitives = [f64; 6];

/// How places hang together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mesh {
    /// Not at all.
    Points,
    /// One after the other.
    Line,
    /// In rows of so many.
    Surface {
        /// Places of a row.
        row: usize,
    },
}

impl Mesh {
    /// Type of the cells, and the places of each.
    fn cells(self, places: usize) -> (u8, Vec<Vec<i64>>) {
        let all = 0..places as i64;
        match self {
            Mesh::Points => (VERTEX, all.map(|i| vec![i]).collect()),
            Mesh::Line => (LINE, (0..places as i64 - 1).map(|i| vec![i, i + 1]).collect()),
            Mesh::Surface { row } => {
                let row = row as i64;
                let corners = all.filter(|i| i % row < row - 1 && i + row < places as i64);
                (QUAD, corners.map(|i| vec![i, i + 1, i + 1 + row, i + row]).collect())
            }
        }
    }
}

/// Writes what was seen at `places` at one moment, in the order of the places; by one rank.
pub fn write_sampled(
    path: &Path,
    (step, time): (u64, f64),
    places: &[[f64; 3]],
    mesh: Mesh,
    values: &[Primitives],
    provenance: &Provenance,
) -> Result<(), Error> {
    let alone = SimpleCommunicator::self_comm();
    let bytes = (places.len() * (9 * 8 + 60) + provenance.case_text.len() + (1 << 20)) as u64;
    write_together(path, &alone, bytes, Shared::create, |file| {
        let group = file.group(file.root(), "VTKHDF")?;
        file.attribute(&group, "Version", &VERSION)?;
        file.text_attribute(&group, "Type", "UnstructuredGrid")?;
        let array = Arrays { file, comm: &alone };
        array.grid(&group, places, mesh)?;
        let data = file.group(&group, "PointData")?;
        let column = |q: usize| values.iter().map(|value| value[q]).collect::<Vec<f64>>();
        array.write(&data, "density", None, &column(0))?;
        let velocity: Vec<f64> = values.iter().flat_map(|q| [q[1], q[2], q[3]]).collect();
        array.write(&data, "velocity", Some(3), &velocity)?;
        array.write(&data, "pressure", None, &column(4))?;
        array.write(&data, "temperature", None, &column(5))?;
        let data = file.group(&group, "FieldData")?;
        array.write(&data, "time", None, &[time])?;
        array.write(&data, "step", None, &[step])?;
        provenance.write(file, file.root())
    })
}

/// Whole arrays.
struct Arrays<'a, 'c> {
    file: &'a Shared<'c>,
    comm: &'c SimpleCommunicator,
}

impl Arrays<'_, '_> {
    fn write<T: hdf5::H5Type + Copy>(
        &self,
        group: &Group,
        name: &str,
        width: Option<usize>,
        values: &[T],
    ) -> Result<(), Error> {
        let columns = width.unwrap_or(1);
        let share = Share::new(self.comm, values.len() / columns);
        self.file.array(group, name, &share, width, |rows: Range<usize>, out| {
            out.extend_from_slice(&values[rows.start * columns..rows.end * columns])
        })
    }

    /// Points and cells.
    fn grid(&self, group: &Group, places: &[[f64; 3]], mesh: Mesh) -> Result<(), Error> {
        let (kind, cells) = mesh.cells(places.len());
        let connectivity = cells.concat();
        let offsets: Vec<i64> = (0..=cells.len())
            .map(|c| (c * cells.first().map_or(0, Vec::len)) as i64)
            .collect();
        self.write(group, "NumberOfPoints", None, &[places.len() as i64])?;
        self.write(group, "NumberOfConnectivityIds", None, &[connectivity.len() as i64])?;
        self.write(group, "NumberOfCells", None, &[cells.len() as i64])?;
        self.write(group, "Points", Some(3), places.as_flattened())?;
        self.write(group, "Connectivity", None, &connectivity)?;
        self.write(group, "Offsets", None, &offsets)?;
        self.write(group, "Types", None, &vec![kind; cells.len()])
    }
}
