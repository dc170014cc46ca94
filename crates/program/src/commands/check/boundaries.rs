//! The table of boundaries: type, faces, area, the Mach number of the flow through each at the start, and the tables
//! from which its values come.

use std::collections::BTreeMap;

use serde::{Serialize, Serializer};

use crate::commands::Failure;
use crate::device::Exterior;
use crate::format::short;
use crate::io::Quantity;
use crate::physics::{self, Hold};
use crate::ranks::Ranks;
use crate::solver::Solver;
use crate::vector::{Vector, length};

/// Mach number of an outflow above round-off.
const LEAVES: f64 = 1e-6;
/// Ratio of a mass flux that is held to that of the initial state above which a warning is due.
const FAR: f64 = 2.0;

/// Mach number above which a speed makes no sense.
pub(super) const SENSELESS: f64 = 20.0;

/// The boundaries of the case, which say their types: a solver may have other conditions in their place.
pub(super) type Given = BTreeMap<String, physics::Boundary>;

/// A line of the table.
#[derive(Debug)]
pub(super) struct Row {
    pub name: String,
    pub kind: String,
    faces: f64,
    pub area: f64,
    /// Normal Mach number of the flow, positive out of the domain.
    pub mach: f64,
    /// Rate at which it relaxes (1/time), or 0.
    pub rate: f64,
    /// Mean speed of sound.
    pub sound: f64,
    /// Mean magnitude of the velocity.
    pub speed: f64,
    /// Centre of the area.
    pub centre: Vector,
    /// Mass per time that leaves at the start, and the one that is to be held.
    mass: f64,
    held: Option<f64>,
    /// Descriptions of the tables among its values.
    tables: Vec<String>,
}

/// A boundary as JSON.
#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
struct Boundary<'a> {
    name: &'a str,
    r#type: &'a str,
    faces: u64,
    area: Quantity,
    centre: [f64; 3],
    /// Positive out of the domain, as the mass flow.
    mach_number: f64,
    mass_flow: Quantity,
    held_mass_flow: Option<Quantity>,
    speed: Quantity,
    speed_of_sound: Quantity,
    relaxation_rate: Option<Quantity>,
    tables: &'a [String],
}

impl Serialize for Row {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let relaxes = Some(self.rate).filter(|rate| *rate > 0.0);
        let boundary = Boundary {
            name: &self.name,
            r#type: &self.kind,
            faces: self.faces as u64,
            area: Quantity::new(self.area, "m^2"),
            centre: self.centre,
            mach_number: self.mach,
            mass_flow: Quantity::new(self.mass, "kg/s"),
            held_mass_flow: self.held.map(|held| Quantity::new(held, "kg/s")),
            speed: Quantity::new(self.speed, "m/s"),
            speed_of_sound: Quantity::new(self.sound, "m/s"),
            relaxation_rate: relaxes.map(|rate| Quantity::new(rate, "1/s")),
            tables: &self.tables,
        };
        boundary.serialize(serializer)
    }
}

/// Logs a line for each boundary, and warns of inlets through which gas leaves. Returns the table. Collective.
///
/// # Errors
/// A boundary value is not possible, or the device fails.
pub(super) fn log(solver: &mut Solver, given: &Given) -> Result<Vec<Row>, Failure> {
    if solver.mesh.boundary_names.is_empty() {
        return Ok(Vec::new());
    }
    let rows = rows(solver, given)?;
    let width = |text: fn(&Row) -> &String| rows.iter().map(|row| text(row).chars().count()).max().unwrap_or(0);
    let (names, kinds) = (
        width(|row| &row.name).max("boundary".len()),
        width(|row| &row.kind).max("type".len()),
    );
    tracing::info!(
        "{:names$}  {:kinds$}  {:>9}  {:>10}  Mach number through it at the start",
        "boundary",
        "type",
        "faces",
        "area"
    );
    for row in &rows {
        let flow = match row.mach {
            mach if mach.abs() < LEAVES => "0".to_owned(),
            mach if mach > 0.0 => format!("{} out", short(mach)),
            mach => format!("{} in", short(-mach)),
        };
        let (faces, area) = (row.faces, short(row.area));
        tracing::info!(
            "{:names$}  {:kinds$}  {faces:>9}  {area:>10}  {flow}",
            row.name,
            row.kind
        );
        for table in &row.tables {
            tracing::info!("{:names$}  {table}", "");
        }
    }
    for row in &rows {
        if row.rate > 0.0 {
            tracing::info!(
                "{} relaxes at the rate {} (1/time): sound above the frequency {} leaves, and the mean is held",
                row.name,
                short(row.rate),
                short(row.rate / std::f64::consts::TAU)
            );
        }
    }
    rows.iter().for_each(warn);
    Ok(rows)
}

/// Warns of what a boundary will hardly have been meant to do.
fn warn(row: &Row) {
    let name = &row.name;
    if row.mach.abs() > SENSELESS {
        tracing::warn!(
            "gas passes the boundary {name} at the Mach number {} at the start: is its speed in the unit of the case?",
            short(row.mach.abs())
        );
    }
    if row.kind.ends_with("inlet") && row.mach > LEAVES {
        tracing::warn!(
            "gas leaves through the inlet {name} at the start: is the pressure inside above what drives the inflow?"
        );
    }
    if row.kind == "velocity-inlet" && row.mach < -1.0 {
        tracing::warn!(
            "gas enters through {name} faster than sound, where a velocity-inlet leaves the pressure open: \
             supersonic-inlet prescribes the whole state"
        );
    }
    if let Some(held) = row.held.filter(|held| !(1.0 / FAR..=FAR).contains(&(row.mass / held))) {
        tracing::warn!(
            "boundaries.{name} holds the mass flux {}, and that of the initial state is {}: the pressure there will \
             change by much",
            short(held),
            short(row.mass)
        );
    }
}

/// Computes the table. Collective.
fn rows(solver: &mut Solver, given: &Given) -> Result<Vec<Row>, Failure> {
    solver.evaluate_rhs(0.0)?;
    let fluxes = solver.boundary_fluxes();
    let fluxes = fluxes.take(solver.device.as_mut(), &solver.domain.ranks)?;
    let (sums, rates) = (sums(solver)?, solver.relaxation_rates()?);
    let prescribed = solver.prescribed_outflows();
    let row = |(index, name): (usize, &String)| {
        let [faces, area, density, sound, speed, x, y, z] = sums[index];
        Row {
            name: name.clone(),
            kind: kind(given.get(name).unwrap_or(&solver.boundaries[index])),
            faces,
            area,
            // Gas at rest before an inlet that prescribes the velocity is compressed at the first moment: its mass flux
            // is that of a denser gas than the inside.
            mach: prescribed[index].unwrap_or(fluxes[index].mass / (density / area)) / sound,
            rate: rates[index],
            sound: sound / area,
            speed: speed / area,
            centre: [x, y, z].map(|moment| moment / area),
            mass: fluxes[index].mass,
            held: match solver.boundaries[index].hold() {
                Some(Hold::MassFlow { target }) => Some(target),
                _ => None,
            },
            tables: solver.boundaries[index].tables(),
        }
    };
    Ok(solver.mesh.boundary_names.iter().enumerate().map(row).collect())
}

/// Returns for each boundary the number of faces, the area, and the integrals of density, speed of sound, magnitude of
/// the velocity and position over it. Collective.
fn sums(solver: &Solver) -> Result<Vec<[f64; 8]>, Failure> {
    let state = solver.device.state()?;
    let (geometry, elements) = (&solver.geometry, &solver.elements);
    let mut sums = vec![[0.0; 8]; solver.mesh.boundary_names.len()];
    for b in &solver.device.plan().boundary_faces {
        let Exterior::Condition(boundary) = b.exterior else {
            continue;
        };
        let kind = geometry.kinds[b.cell];
        let (first, points) = (geometry.first_point[b.cell], geometry.cell_points(b.cell));
        let u = &state[5 * first..5 * (first + points)];
        let areas = geometry.face_areas(b.cell, b.face);
        let weights = elements.face_weights(kind.faces()[b.face].shape);
        let sum = &mut sums[boundary];
        sum[0] += 1.0;
        for (number, point) in kind.face_indices(b.face, elements.order).into_iter().enumerate() {
            let conserved = std::array::from_fn(|variable| u[variable * points + point]);
            let [rho, vx, vy, vz, p, _] = solver.gas.primitive(conserved);
            let area = weights[number] * length(areas[number]);
            sum[1] += area;
            sum[2] += area * rho;
            sum[3] += area * solver.gas.sound_speed(rho, p);
            sum[4] += area * length([vx, vy, vz]);
            (0..3).for_each(|d| sum[5 + d] += area * geometry.points[first + point][d]);
        }
    }
    let mut all = sums.concat();
    of_all_ranks(&solver.ranks, &mut all);
    Ok(all
        .chunks_exact(8)
        .map(|sum| std::array::from_fn(|index| sum[index]))
        .collect())
}

fn of_all_ranks(ranks: &Ranks, sums: &mut [f64]) {
    if ranks.size() > 1 {
        ranks.allreduce_sum(sums);
    }
}

/// Returns the type of a boundary condition in the spelling of the case file.
fn kind(boundary: &physics::Boundary) -> String {
    let mut kind = String::new();
    for character in format!("{:?}", boundary.kind()).chars() {
        if character.is_uppercase() && !kind.is_empty() {
            kind.push('-');
        }
        kind.extend(character.to_lowercase());
    }
    kind
}
