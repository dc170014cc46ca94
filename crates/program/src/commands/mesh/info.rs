//! `fr-les mesh info` as JSON: the measures of a mesh, of which [`Quality`] prints the text, and its divisions.

use serde::Serialize;

use crate::commands::loads::Loads;
use crate::io::Quantity;
use crate::mesh::partition::Report;
use crate::mesh::quality::{BoundaryReport, Distribution, Extreme, KindCount, MemoryEstimate, Quality};

/// What is reported of a mesh.
#[derive(Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct MeshFacts {
    file: String,
    hash: String,
    geometry_order: usize,
    /// That of the solution for which points, distances from walls and memory are.
    order: usize,
    points: usize,
    cells: Vec<Kind>,
    inner_faces: usize,
    faces_periodic_by_rotation: usize,
    /// Faces that meet two or four smaller ones.
    faces_that_meet_smaller: usize,
    /// The smaller ones.
    smaller_faces: usize,
    boundaries: Vec<Boundary>,
    lower: [f64; 3],
    upper: [f64; 3],
    volume: Quantity,
    smallest_cell: Place,
    largest_cell: Place,
    shortest_edge: Place,
    scaled_jacobian: Measured,
    aspect_ratio: Measured,
    growth: Option<Measured>,
    inverted_cells: usize,
    memory: Memory,
    divisions: Vec<Division>,
}

#[derive(Debug, Serialize)]
struct Kind {
    kind: &'static str,
    count: usize,
    affine: usize,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
struct Boundary {
    name: String,
    faces: usize,
    area: Quantity,
    /// Least distance of solution points.
    first_point: Option<Place>,
}

/// A value and the cell that has it.
#[derive(Debug, Serialize)]
struct Place {
    #[serde(flatten)]
    quantity: Quantity,
    cell: usize,
    /// Tag of the cell in its file, if that has tags.
    tag: Option<u64>,
    centre: [f64; 3],
}

/// The worst value of a measure, and how many cells or faces have values below each limit and not below the one before.
#[derive(Debug, Serialize)]
struct Measured {
    worst: Place,
    limits: &'static [f64],
    counts: Vec<usize>,
}

#[derive(Debug, Serialize)]
struct Memory {
    double: Quantity,
    single: Quantity,
}

/// A division that the file holds.
#[derive(Debug, Serialize)]
struct Division {
    order: usize,
    #[serde(flatten)]
    loads: Loads,
}

impl MeshFacts {
    /// Returns the measures of the mesh in a file, with the divisions in it.
    pub fn new(file: String, hash: u64, quality: Quality, divisions: &[Report]) -> Self {
        let Quality {
            bounds: [lower, upper],
            inner_faces: [inner_faces, faces_periodic_by_rotation],
            divided_faces: [faces_that_meet_smaller, smaller_faces],
            ..
        } = quality;
        let kind = |of: KindCount| Kind {
            kind: of.kind.name(),
            count: of.cells,
            affine: of.affine,
        };
        let boundary = |of: BoundaryReport| Boundary {
            name: of.name,
            faces: of.faces,
            area: Quantity::new(of.area, "m^2"),
            first_point: of.first_point.map(|first| place(first, "m")),
        };
        let MemoryEstimate { double, single } = quality.memory;
        let bytes = |bytes: usize| Quantity::new(bytes as f64, "bytes");
        let division = |report: &Report| Division {
            order: report.order,
            loads: Loads::of(report),
        };
        MeshFacts {
            file,
            hash: format!("{hash:016x}"),
            geometry_order: quality.geometry_order,
            order: quality.order,
            points: quality.points,
            cells: quality.kinds.into_iter().map(kind).collect(),
            inner_faces,
            faces_periodic_by_rotation,
            faces_that_meet_smaller,
            smaller_faces,
            boundaries: quality.boundaries.into_iter().map(boundary).collect(),
            lower,
            upper,
            volume: Quantity::new(quality.volume, "m^3"),
            smallest_cell: place(quality.smallest, "m^3"),
            largest_cell: place(quality.largest, "m^3"),
            shortest_edge: place(quality.shortest_edge, "m"),
            scaled_jacobian: measured(quality.worst, quality.jacobians),
            aspect_ratio: measured(quality.aspect, quality.aspects),
            growth: quality.growth.map(|growth| measured(growth, quality.growths)),
            inverted_cells: quality.inverted,
            memory: Memory {
                double: bytes(double),
                single: bytes(single),
            },
            divisions: divisions.iter().map(division).collect(),
        }
    }
}

fn place(extreme: Extreme, unit: &'static str) -> Place {
    Place {
        quantity: Quantity::new(extreme.value, unit),
        cell: extreme.place.cell,
        tag: extreme.place.tag,
        centre: extreme.place.centre,
    }
}

fn measured(worst: Extreme, Distribution { limits, counts }: Distribution) -> Measured {
    Measured {
        worst: place(worst, "-"),
        limits,
        counts,
    }
}
