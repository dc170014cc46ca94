//! Mean fields and moments as a solution file on the whole mesh, for statistics that are not a profile.

use std::path::Path;

use rayon::prelude::*;

use super::bins::Bins;
use super::budget::{Budget, Local, TERMS, terms};
use super::moments::Column;
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

/// Density-weighted fields: name, and the moments that are their components.
const FAVRE: [(&str, &[&str]); 9] = [
    ("favre_velocity", &["u_favre", "v_favre", "w_favre"]),
    ("favre_temperature", &["T_favre"]),
    ("uu_favre", &["uu_favre"]),
    ("vv_favre", &["vv_favre"]),
    ("ww_favre", &["ww_favre"]),
    ("uv_favre", &["uv_favre"]),
    ("uw_favre", &["uw_favre"]),
    ("vw_favre", &["vw_favre"]),
    ("favre_heat_flux_uT_vT_wT", &["uT_favre", "vT_favre", "wT_favre"]),
];

/// Number of components of the gradients of mean velocity and temperature.
pub const GRADIENTS: usize = 12;

/// What the file has of each place.
pub struct Content<'a> {
    /// The moments.
    pub columns: &'a [Column],
    /// Names of the passive scalars.
    pub scalars: &'a [String],
    /// Whether there are the gradients of mean velocity and temperature.
    pub gradients: bool,
    /// The budget, if there is one.
    pub budget: Option<&'a Budget>,
}

impl Content<'_> {
    /// Returns the values at the points of a cell, `[value][point]`, from the means of the products there: moments,
    /// then gradients, then terms of the budget.
    fn values(&self, elements: &Elements, geometry: &Geometry, cell: usize, means: &[&[f64]]) -> Vec<Vec<f64>> {
        let column = |column: &Column| means.iter().map(|means| column.value(means)).collect();
        let mut values: Vec<Vec<f64>> = self.columns.iter().map(column).collect();
        let slopes = |f: &[f64]| gradient(elements, geometry, cell, f);
        if self.gradients {
            for name in ["u", "v", "w", "T"] {
                let slopes = slopes(&values[self.number(name)]);
                values.extend((0..3).map(|d| slopes.iter().map(|slope| slope[d]).collect()));
            }
        }
        if let Some(budget) = self.budget {
            let points: Vec<Local> = means.iter().map(|means| budget.at(means)).collect();
            let rows = terms(&points, slopes);
            values.extend((0..TERMS.len()).map(|term| rows.iter().map(|row| row[term]).collect()));
        }
        values
    }

    /// Returns the number of a moment.
    fn number(&self, name: &str) -> usize {
        let found = self.columns.iter().position(|column| column.name == name);
        found.expect("every moment that a field needs is there")
    }

    /// Returns the fields: name, and the values that are their components.
    fn fields(&self) -> Vec<(String, Vec<usize>)> {
        let named = |name: &str, of: &[&str]| {
            let numbers = of.iter().map(|name| self.number(name));
            (name.to_owned(), numbers.collect::<Vec<usize>>())
        };
        let has_favre = self.columns.iter().any(|column| column.name == FAVRE[0].1[0]);
        let mut fields: Vec<_> = FIELDS.iter().map(|(name, of)| named(name, of)).collect();
        fields.extend(THIRD.iter().map(|(name, of)| named(name, of)));
        if has_favre {
            fields.extend(FAVRE.iter().map(|(name, of)| named(name, of)));
        }
        for scalar in self.scalars {
            let rms = format!("{scalar}_rms");
            let flux = |favre: &str| ["u", "v", "w"].map(|u| format!("{u}_{scalar}{favre}"));
            let vector = |name: String, of: [String; 3]| named(&name, &of.each_ref().map(String::as_str));
            fields.extend([named(scalar, &[scalar]), named(&rms, &[&rms])]);
            fields.push(vector(format!("{scalar}_flux"), flux("")));
            if has_favre {
                let mean = format!("{scalar}_favre");
                fields.push(named(&mean, &[&mean]));
                fields.push(vector(format!("{scalar}_flux_favre"), flux("_favre")));
            }
        }
        let mut end = self.columns.len();
        if self.gradients {
            fields.push(("velocity_gradient".to_owned(), (end..end + 9).collect()));
            fields.push(("temperature_gradient".to_owned(), (end + 9..end + GRADIENTS).collect()));
            end += GRADIENTS;
        }
        if self.budget.is_some() {
            let terms = TERMS.iter().enumerate();
            fields.extend(terms.map(|(term, (name, _))| ((*name).to_owned(), vec![end + term])));
        }
        fields
    }
}

/// Writes the file. `shared` are the bins of slots that cells share with their means, if means are taken over a
/// direction. `note` describes the samples. Collective.
#[allow(clippy::too_many_arguments)]
pub fn write(
    path: &Path,
    solver: &Solver,
    slots: &Slots,
    shared: Option<(&Bins, &[Vec<f64>])>,
    sums: &[f64],
    content: &Content,
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
    let cells = 0..solver.mesh.len();
    // Values at the nodes of a cell, `[value][node]`.
    let of_cell = |cell: usize| {
        let kind = geometry.kinds[cell];
        let (count, members) = (slots.slots[kind as usize], slots.members[kind as usize]);
        let of_slot = |slot: usize| match &shared {
            Some((bins, means)) => means[bins.bin_of_slot[first_slot[cell] + slot]].clone(),
            None => {
                let of = |quantity: usize| sums[first_sum[cell] + quantity * count + slot];
                (0..slots.factors.len()).map(|quantity| of(quantity) / of(0)).collect()
            }
        };
        let of_slots: Vec<Vec<f64>> = (0..count).map(of_slot).collect();
        let mut at_points: Vec<&[f64]> = vec![&[]; geometry.cell_points(cell)];
        for (means, points) in of_slots.iter().zip(slots.list(cell, kind).chunks(members)) {
            points.iter().for_each(|&p| at_points[p as usize] = means);
        }
        let at_nodes = |values: Vec<f64>| {
            let column: Vec<[f64; 1]> = values.into_iter().map(|value| [value]).collect();
            nodes.values(kind, &column)
        };
        let values = content.values(elements, geometry, cell, &at_points);
        values.into_iter().map(at_nodes).collect::<Vec<Vec<[f64; 1]>>>()
    };
    let values: Vec<Vec<Vec<[f64; 1]>>> = cells.clone().into_par_iter().map(of_cell).collect();
    let points: Vec<[f64; 3]> = cells
        .clone()
        .into_par_iter()
        .flat_map_iter(|cell| nodes.values(geometry.kinds[cell], geometry.cell_positions(cell)))
        .collect();
    let field = |(name, of): (String, Vec<usize>)| {
        let of_cell = |cell: &Vec<Vec<[f64; 1]>>| {
            let at = |node: usize| of.iter().map(move |&value| cell[value][node][0]);
            (0..cell[0].len()).flat_map(at).collect::<Vec<f64>>()
        };
        NamedField {
            name: name.into(),
            components: of.len(),
            values: values.iter().flat_map(of_cell).collect(),
        }
    };
    let fields: Vec<NamedField> = content.fields().into_iter().map(field).collect();
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
