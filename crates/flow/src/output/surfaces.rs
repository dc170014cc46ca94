//! Files of the loads on boundaries: curved faces of the solution's order with pressure, traction, heat flux and y+.
//!
//! The values belong to the faces' own points ([`Surfaces`]). Their polynomial is evaluated at the equispaced nodes
//! that viewers expect. This is exact, so that the integral of the traction in the file is the force of the series.

use std::sync::Arc;

use rayon::prelude::*;

use super::coefficients::Reference;
use super::derived::{self, Derived, Flow, OfDevice};
use super::error::OutputError;
use super::file_sequence::FileSequence;
use super::interface::{ExtraSamples, Output, SampleContext};
use super::keys::{Context, Keys};
use super::request::{Request, Setup};
use super::schedule::Schedule;
use super::surface_points::{SurfaceFace, SurfacePoint, Surfaces, tangential};
use crate::element::{Elements, FaceShape};
use crate::geometry::{Geometry, multiply};
use crate::input::{Count, Every, Number, Problem, keys};
use crate::io::{NamedField, Surface, SurfaceCells, face_nodes, point_fields};
use crate::solver::Solver;

/// The key, and the name of the files.
const NAME: &str = "surfaces";

/// The files that a case asks for.
#[derive(Debug, Clone, PartialEq)]
pub struct SurfacesRequest {
    /// The period of the files.
    pub every: Every,
    /// Names of the boundaries.
    pub boundaries: Vec<String>,
    /// Reference state of coefficients.
    pub reference: Option<Reference>,
    /// Further fields.
    pub fields: Vec<Derived>,
}

keys! {
/// Files of boundary surfaces: exactly one of `every` and `every-steps`.
SurfacesKeys as "a mapping with the key `every` or `every-steps`" {
    /// Period in time, above 0; steps are shortened to meet it.
    pub every: Option<Number>,
    /// Period in steps, at least 1.
    pub every_steps: Option<Count>,
    /// Names of the boundaries; default all no-slip walls.
    pub boundaries: Option<Vec<String>>,
    /// Further fields: a list. The names are those of `output.solution.fields`.
    #[serde(default)]
    pub fields: Vec<Derived>,
}}

impl Keys for SurfacesKeys {
    fn request(&self, context: &Context) -> Result<Arc<dyn Request>, Problem> {
        Ok(Arc::new(SurfacesRequest {
            boundaries: self.names(context)?,
            every: context.scope.every(&context.key, &self.every, &self.every_steps)?,
            reference: context.facts.reference.clone(),
            fields: derived::checked(&self.fields, context)?,
        }))
    }
}

impl SurfacesKeys {
    /// Returns the names of the boundaries, each of which must exist.
    fn names(&self, context: &Context) -> Result<Vec<String>, Problem> {
        let boundaries = context.facts.boundaries;
        let known: Vec<&str> = boundaries.keys().map(String::as_str).collect();
        let walls = boundaries.iter().filter(|(_, b)| b.is_no_slip());
        let names = match &self.boundaries {
            Some(names) => names.clone(),
            None => walls.map(|(name, _)| name.clone()).collect(),
        };
        for (i, name) in names.iter().enumerate() {
            let at = context.at(&format!("boundaries[{i}]"));
            if !known.contains(&name.as_str()) {
                return Err(Problem::new(format!("there is no boundary `{name}`"))
                    .suggest(name, &known, "boundaries")
                    .key(at));
            }
            if names[..i].contains(name) {
                return Err(Problem::new(format!("`{name}` is named twice")).key(at));
            }
        }
        if names.is_empty() {
            let what = match self.boundaries {
                Some(_) => "the list of boundaries is empty",
                None => "there is no no-slip wall, and no boundary is named",
            };
            return Err(Problem::new(what)
                .key(&context.key)
                .help("name some, as in boundaries: [inlet, outlet]"));
        }
        Ok(names)
    }
}

impl Request for SurfacesRequest {
    fn label(&self) -> String {
        NAME.to_owned()
    }

    fn every(&self) -> Every {
        self.every
    }

    fn create(&self, setup: &mut Setup) -> Result<Vec<Box<dyn Output>>, OutputError> {
        Ok(vec![Box::new(SurfaceFiles::new(setup, self))])
    }

    fn fingerprints(&self) -> Vec<(String, String)> {
        self.reference.iter().map(Reference::fingerprint).collect()
    }
}

/// The files of boundary surfaces.
struct SurfaceFiles {
    schedule: Schedule,
    files: FileSequence,
    surfaces: Surfaces,
    reference: Option<Reference>,
    /// Further fields.
    more: Vec<Derived>,
    /// Index of each boundary in the files, by its index in the mesh.
    number: Vec<u64>,
    /// The list of indices and names of the boundaries.
    names: String,
    nodes: [Nodes; 2],
}

/// Interpolation from the points of a face to the nodes of the file.
struct Nodes {
    matrix: Vec<f64>,
    /// The nodes with the two directions of the face exchanged, for faces whose order of points is not that of the
    /// outward normal.
    turned: Vec<usize>,
}

impl Nodes {
    fn new(elements: &Elements, shape: FaceShape) -> Self {
        let order = elements.order;
        let exchange = match shape {
            FaceShape::Triangle => 3,
            FaceShape::Quad => 1,
        };
        Nodes {
            matrix: elements.face_interpolation(shape, &face_nodes(shape, order)),
            turned: (0..shape.points(order))
                .map(|node| shape.oriented_point(exchange, node, order))
                .collect(),
        }
    }

    /// Returns the values at the nodes. The cells of the file have outward normals.
    fn values<const M: usize>(&self, at_points: &[[f64; M]], turned: bool) -> Vec<[f64; M]> {
        let values = multiply(&self.matrix, at_points);
        if turned {
            self.turned.iter().map(|&node| values[node]).collect()
        } else {
            values
        }
    }
}

/// Number of interpolated values: position, area vector, pressure, density, velocity, temperature, traction, heat.
const COLUMNS: usize = 16;

fn packed(x: [f64; 3], p: &SurfacePoint) -> [f64; COLUMNS] {
    let [a, b, c] = p.area;
    let [u, v, w] = p.velocity;
    let [r, s, t] = p.traction;
    let state = [a, b, c, p.pressure, p.density, u, v, w, p.temperature, r, s, t, p.heat];
    std::array::from_fn(|i| if i < 3 { x[i] } else { state[i - 3] })
}

fn unpacked(q: &[f64; COLUMNS]) -> SurfacePoint {
    let vector = |i: usize| [q[i], q[i + 1], q[i + 2]];
    SurfacePoint {
        area: vector(3),
        pressure: q[6],
        density: q[7],
        velocity: vector(8),
        temperature: q[11],
        traction: vector(12),
        heat: q[15],
    }
}

impl SurfaceFiles {
    fn new(setup: &Setup, output: &SurfacesRequest) -> Self {
        let solver = &*setup.solver;
        let names = &solver.mesh.boundary_names;
        let place = |name: &String| output.boundaries.iter().position(|b| b == name);
        let listed = output
            .boundaries
            .iter()
            .enumerate()
            .map(|(i, name)| format!("{i} {name}"));
        SurfaceFiles {
            schedule: Schedule::new(Some(output.every), &setup.clock),
            files: FileSequence::new(setup.directory.to_owned(), NAME),
            surfaces: Surfaces::of_solver(solver, |b| place(&names[b]).is_some()),
            reference: output.reference.clone(),
            more: output.fields.clone(),
            number: names
                .iter()
                .map(|name| place(name).unwrap_or_default() as u64)
                .collect(),
            names: listed.collect::<Vec<_>>().join(", "),
            nodes: [FaceShape::Triangle, FaceShape::Quad].map(|shape| Nodes::new(&solver.elements, shape)),
        }
    }

    /// Returns positions and values at the nodes of a face.
    fn at_nodes(
        &self,
        elements: &Elements,
        geometry: &Geometry,
        face: &SurfaceFace,
        points: &[SurfacePoint],
    ) -> Vec<[f64; COLUMNS]> {
        let kind = geometry.kinds[face.cell];
        let positions = geometry.cell_positions(face.cell);
        let at_points: Vec<[f64; COLUMNS]> = kind
            .face_indices(face.face, elements.order)
            .into_iter()
            .zip(points)
            .map(|(i, point)| packed(positions[i], point))
            .collect();
        let turned = kind.faces()[face.face].sign < 0.0;
        self.nodes[face.shape as usize].values(&at_points, turned)
    }

    /// Returns further fields at the nodes of the faces.
    fn more_at_nodes(&self, flow: &Flow, solver: &Solver) -> Vec<NamedField> {
        let geometry = &solver.geometry;
        let order = solver.elements.order;
        let of_face = |face: &SurfaceFace| {
            let kind = geometry.kinds[face.cell];
            let indices = kind.face_indices(face.face, order);
            let turned = kind.faces()[face.face].sign < 0.0;
            let of_cell = flow.of_cell(&self.more, face.cell, &flow.primitives(face.cell));
            let on_face = |column: &Vec<[f64; 1]>| {
                let at_points: Vec<[f64; 1]> = indices.iter().map(|&i| column[i]).collect();
                self.nodes[face.shape as usize].values(&at_points, turned)
            };
            of_cell.iter().map(on_face).collect()
        };
        let faces: Vec<Vec<Vec<[f64; 1]>>> = self.surfaces.faces.par_iter().map(of_face).collect();
        flow.named(&self.more, &faces)
    }
}

impl Output for SurfaceFiles {
    fn name(&self) -> &'static str {
        NAME
    }

    fn schedule(&mut self) -> &mut Schedule {
        &mut self.schedule
    }

    fn extra_samples(&self) -> ExtraSamples {
        ExtraSamples::StartAndEnd
    }

    fn needs_rhs(&self) -> bool {
        true
    }

    fn sample(&mut self, context: &mut SampleContext) -> Result<(), OutputError> {
        let solver = &mut *context.solver;
        let values = self.surfaces.take(solver.device.as_mut(), &solver.domain.geometry)?;
        let faces = &self.surfaces.faces;
        let elements = &solver.elements;
        let geometry = &solver.geometry;
        let nodes: Vec<Vec<[f64; COLUMNS]>> = faces
            .par_iter()
            .zip(&values)
            .map(|(face, points)| self.at_nodes(elements, geometry, face, points))
            .collect();
        let points: Vec<[f64; 3]> = nodes.iter().flatten().map(|q| [q[0], q[1], q[2]]).collect();
        let states: Vec<SurfacePoint> = nodes.iter().flatten().map(unpacked).collect();
        let scalar = |of: &dyn Fn(&SurfacePoint) -> f64| states.iter().map(of).collect::<Vec<f64>>();
        let vector = |of: &dyn Fn(&SurfacePoint) -> [f64; 3]| states.iter().flat_map(of).collect::<Vec<f64>>();
        let mut fields = vec![
            NamedField::scalar("pressure", scalar(&|p| p.pressure)),
            NamedField::scalar("temperature", scalar(&|p| p.temperature)),
            NamedField::scalar("density", scalar(&|p| p.density)),
            NamedField::vector("velocity", vector(&|p| p.velocity)),
        ];
        let viscous = solver.gas.viscosity.is_some();
        if viscous {
            let of_nodes = faces
                .iter()
                .zip(&nodes)
                .flat_map(|(face, q)| q.iter().map(move |q| (face, q)));
            let y_plus = of_nodes.map(|(face, q)| self.surfaces.y_plus(face, &unpacked(q)));
            fields.push(NamedField::vector("viscous_traction", vector(&|p| p.traction)));
            fields.push(NamedField::scalar("heat_flux", scalar(&|p| p.heat)));
            fields.push(NamedField::scalar("y_plus", y_plus.collect()));
        }
        if let Some(reference) = &self.reference {
            let q = reference.dynamic_pressure();
            let pressure = scalar(&|p| (p.pressure - reference.pressure) / q);
            fields.push(NamedField::scalar("pressure_coefficient", pressure));
            if viscous {
                let friction = vector(&|p| tangential(p.traction, p.area).map(|t| t / q));
                fields.push(NamedField::vector("skin_friction_coefficient", friction));
            }
        }
        if !self.more.is_empty() || solver.scalar_names().count() > 0 {
            let of_device = OfDevice::compute(solver, &self.more)?;
            fields.extend(self.more_at_nodes(&Flow::read(solver, of_device)?, solver));
        }
        let faces = &self.surfaces.faces;
        let solver = &*solver;
        let shapes: Vec<FaceShape> = faces.iter().map(|face| face.shape).collect();
        let cells: Vec<u64> = faces.iter().map(|f| solver.mesh.global(f.cell) as u64).collect();
        let boundaries: Vec<u64> = faces.iter().map(|f| self.number[f.boundary]).collect();
        let surface = Surface {
            single: false,
            points: &points,
            cells: SurfaceCells::Faces {
                order: solver.elements.order,
                shapes: &shapes,
            },
            fields: &point_fields(&fields),
            numbers: &[("global_cell_id", &cells), ("boundary", &boundaries)],
            note: Some(("boundaries", &self.names)),
        };
        context.write_surface(&mut self.files, &surface)
    }

    fn files(&mut self) -> Option<&mut FileSequence> {
        Some(&mut self.files)
    }
}
