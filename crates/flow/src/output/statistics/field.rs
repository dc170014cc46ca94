//! Mean fields and moments as a solution file on the whole mesh, for statistics that are not a profile.

use std::path::Path;

use rayon::prelude::*;

use super::bins::Bins;
use super::moments::{MOMENTS, QUANTITIES, columns};
use crate::device::statistics::Slots;
use crate::element::Elements;
use crate::geometry::{Geometry, gradient};
use crate::io::{self, NamedField, Piece, point_fields};
use crate::output::error::OutputError;
use crate::output::interface::SampleContext;
use crate::output::nodes::Nodes;
use crate::solver::Solver;

/// Fields: name, and the moments that are their components.
const FIELDS: [(&str, &[&str]); 12] = [
    ("density", &["rho"]),
    ("velocity", &["u", "v", "w"]),
    ("pressure", &["p"]),
    ("temperature", &["T"]),
    ("density_rms", &["rho_rms"]),
    ("pressure_rms", &["p_rms"]),
    ("temperature_rms", &["T_rms"]),
    ("stress_uu_vv_ww", &["uu", "vv", "ww"]),
    ("stress_uv_uw_vw", &["uv", "uw", "vw"]),
    ("heat_flux_uT_vT_wT", &["uT", "vT", "wT"]),
    ("pressure_flux_up_vp_wp", &["up", "vp", "wp"]),
    ("third_uvw", &["uvw"]),
];

/// Third moments, three to a field.
const THIRD: [(&str, [&str; 3]); 3] = [
    ("third_uuu_uvv_uww", ["uuu", "uvv", "uww"]),
    ("third_uuv_vvv_vww", ["uuv", "vvv", "vww"]),
    ("third_uuw_vvw_www", ["uuw", "vvw", "www"]),
];

/// Number of components of the gradients of mean velocity and temperature.
pub const GRADIENTS: usize = 12;

/// Writes the file. `shared` are the bins of slots that cells share with their means, if means are taken over a
/// direction. With `gradients` the file has those of mean velocity and temperature. `note` describes the samples.
/// Collective.
#[allow(clippy::too_many_arguments)]
pub fn write(
    path: &Path,
    solver: &Solver,
    slots: &Slots,
    shared: Option<(&Bins, &[[f64; QUANTITIES.len()]])>,
    sums: &[f64],
    gradients: bool,
    note: &str,
    context: &SampleContext,
) -> Result<(), OutputError> {
    let geometry = &solver.geometry;
    let elements = &solver.elements;
    let (mut first_sum, mut first_slot) = (vec![0], vec![0]);
    for &kind in &geometry.kinds {
        first_sum.push(first_sum[first_sum.len() - 1] + slots.sums_of(kind));
        first_slot.push(first_slot[first_slot.len() - 1] + slots.slots[kind as usize]);
    }
    let nodes = Nodes::new(elements, &solver.mesh.kinds_present());
    let moments = columns();
    let cells = 0..solver.mesh.len();
    let at_points = |cell: usize| {
        let kind = geometry.kinds[cell];
        let (count, members) = (slots.slots[kind as usize], slots.members[kind as usize]);
        let mut at_points = vec![[0.0; MOMENTS.len()]; geometry.cell_points(cell)];
        for (slot, points) in slots.list(cell, kind).chunks(members).enumerate() {
            let means: [f64; QUANTITIES.len()] = match &shared {
                Some((bins, means)) => means[bins.bin_of_slot[first_slot[cell] + slot]],
                None => {
                    let of = |quantity: usize| sums[first_sum[cell] + quantity * count + slot];
                    std::array::from_fn(|quantity| of(quantity) / of(0))
                }
            };
            let row = moments.map(|column| column.value(&means));
            points.iter().for_each(|&p| at_points[p as usize] = row);
        }
        at_points
    };
    let of_cell = |cell: usize| nodes.values(geometry.kinds[cell], &at_points(cell));
    let values: Vec<[f64; MOMENTS.len()]> = cells.clone().into_par_iter().flat_map_iter(of_cell).collect();
    let gradients_of = |cell: usize| {
        let rows = gradients_at_points(elements, geometry, cell, &at_points(cell));
        nodes.values(geometry.kinds[cell], &rows)
    };
    let slopes: Vec<[f64; GRADIENTS]> = if gradients {
        cells.clone().into_par_iter().flat_map_iter(gradients_of).collect()
    } else {
        Vec::new()
    };
    let points: Vec<[f64; 3]> = cells
        .clone()
        .into_par_iter()
        .flat_map_iter(|cell| nodes.values(geometry.kinds[cell], geometry.cell_positions(cell)))
        .collect();
    let all = FIELDS
        .iter()
        .copied()
        .chain(THIRD.iter().map(|(name, of)| (*name, &of[..])));
    let mut fields: Vec<NamedField> = all
        .map(|(name, of)| {
            let numbers: Vec<usize> = of.iter().map(|name| number(name)).collect();
            let values = values.iter().flat_map(|row| numbers.iter().map(|&n| row[n]));
            NamedField {
                name,
                components: of.len(),
                values: values.collect(),
            }
        })
        .collect();
    if gradients {
        let part = |from: usize, to: usize| slopes.iter().flat_map(|row| row[from..to].to_vec()).collect();
        fields.push(NamedField {
            name: "velocity_gradient",
            components: 9,
            values: part(0, 9),
        });
        fields.push(NamedField::vector("temperature_gradient", part(9, 12)));
    }
    let cell_ids: Vec<u64> = cells.map(|cell| solver.mesh.global(cell) as u64).collect();
    let piece = Piece {
        order: elements.order,
        single: false,
        cell_ids: &cell_ids,
        shapes: &solver.mesh.kinds,
        points: &points,
        fields: &point_fields(&fields),
        note: Some(("statistics", note)),
    };
    let clock = &context.clock;
    Ok(io::write_solution(
        path,
        context.world,
        clock.time,
        clock.step,
        &piece,
        context.provenance,
    )?)
}

/// Returns the index of a moment.
fn number(name: &str) -> usize {
    MOMENTS.iter().position(|(n, ..)| *n == name).unwrap_or(0)
}

/// Returns the gradients of mean velocity and temperature at the points of a cell, from its moments there.
fn gradients_at_points(
    elements: &Elements,
    geometry: &Geometry,
    cell: usize,
    moments: &[[f64; MOMENTS.len()]],
) -> Vec<[f64; GRADIENTS]> {
    let of = |name: &str| {
        let column: Vec<f64> = moments.iter().map(|row| row[number(name)]).collect();
        gradient(elements, geometry, cell, &column)
    };
    let all = ["u", "v", "w", "T"].map(of);
    let row = |p: usize| std::array::from_fn(|k| all[k / 3][p][k % 3]);
    (0..moments.len()).map(row).collect()
}
