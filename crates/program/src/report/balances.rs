//! What flows through the boundaries in the mean and what is missing in the sum, and the balances of a cascade.

use super::cascade;
use super::html::{Section, paragraph, table, two_digits};
use super::losses;
use super::run::Run;
use crate::format::number;
use crate::io::Table;
use crate::output::{BatchMeans, Estimate};
use crate::physics::Boundary;
use crate::plot::figure::SHOWN_ERRORS;

/// Ends of the names of columns of a boundary, and heads of the table.
const QUANTITIES: [(&str, &str); 4] = [
    ("_mass_flux", "mass flux out"),
    ("_energy_flux", "energy flux out"),
    ("_pressure", "mean pressure"),
    ("_reversed", "reversed share"),
];

/// The flux of energy among them.
const ENERGY: usize = 1;

/// Smallest ratio of what flows in and what flows out, either way, at which the two are compared.
const ONE_WAY: f64 = 1e-3;

/// Returns the balances, if the run has written `boundaries.csv` or has those of a cascade.
pub(super) fn section(run: &Run) -> Option<Section> {
    let body = of_boundaries(run).unwrap_or_default() + &cascade::closures(run) + &losses::parts(run);
    (!body.is_empty()).then(|| Section {
        id: "balances",
        title: "Balances".to_owned(),
        body,
        pictures: Vec::new(),
    })
}

/// Returns what flows through the boundaries.
fn of_boundaries(run: &Run) -> Option<String> {
    let table = run.table("boundaries")?;
    let time = table.column("time")?;
    let names: Vec<&str> = table
        .names
        .iter()
        .filter_map(|name| name.strip_suffix("_mass_flux"))
        .collect();
    let (first, last) = (time.first()?, time.last()?);
    let inside = Inside::of(run);
    // A steady solution is one sample, which is all that there is.
    let is_steady = run.record.as_ref().is_some_and(|record| record.steady);
    let from = if is_steady { last - 1.0 } else { 0.5 * (first + last) };
    let (what, lost) = if is_steady {
        (
            "Values of the steady solution.".to_owned(),
            "by what is left of the residual and",
        )
    } else {
        let span = format!("from t = {} to {}", number(from), number(*last));
        let what = format!("Means over the second half of the time, {span}, with twice their standard error.");
        (what, "in the flow of unequal times and")
    };
    let head = paragraph(&format!(
        "{what} Fluxes leave the domain where they are positive. The last row, where something flows both in and out, \
         is the sum of all boundaries over half the sum of their magnitudes: what the domain has lost, {lost} by \
         sources.{}",
        inside.words()
    ));
    Some(head + &rows(table, time, from, &names, &inside))
}

/// Boundaries of the mesh that are no ends of the domain: the sides of interfaces between its blocks.
#[derive(Default)]
struct Inside {
    names: Vec<String>,
    /// Whether blocks move past each other. The fluxes of energy of such blocks belong to two frames and are not added.
    moves: bool,
}

impl Inside {
    fn of(run: &Run) -> Self {
        let Some(case) = &run.case else {
            return Inside::default();
        };
        let mut sides = case.solver.boundaries.values().filter_map(Boundary::interface);
        Inside {
            moves: sides.any(|side| side.speed != 0.0),
            names: case.solver.sides_of_interfaces(),
        }
    }

    fn words(&self) -> &'static str {
        match (self.names.is_empty(), self.moves) {
            (true, _) => "",
            (false, false) => " The sides of interfaces are not in it.",
            (false, true) => {
                " The sides of interfaces are not in it, and it has no energy, which blocks that move see differently."
            }
        }
    }
}

fn rows(boundaries: &Table, time: &[f64], from: f64, names: &[&str], inside: &Inside) -> String {
    let columns: Vec<&[f64]> = names
        .iter()
        .flat_map(|name| QUANTITIES.map(|(end, _)| boundaries.column(&format!("{name}{end}")).unwrap_or_default()))
        .collect();
    let mut means = BatchMeans::new(columns.len(), from);
    for (row, &time) in time.iter().enumerate().filter(|(_, time)| **time > from) {
        let values: Vec<f64> = columns
            .iter()
            .map(|column| column.get(row).copied().unwrap_or(f64::NAN))
            .collect();
        means.add(time, &values);
    }
    let kinds = QUANTITIES.len();
    let is_end: Vec<bool> = names
        .iter()
        .map(|name| !inside.names.iter().any(|side| side == name))
        .collect();
    let of_boundaries = means.estimates(<[f64]>::to_vec);
    let shares = means.estimates(|means| {
        let share = |quantity: usize| {
            let ends = means.chunks(kinds).zip(&is_end).filter(|(_, is_end)| **is_end);
            let values = ends.map(|(of_one, _)| of_one[quantity]);
            let (sum, size) = values.fold((0.0, 0.0), |(sum, size), value| (sum + value, size + value.abs()));
            if size > 0.0 { sum / (0.5 * size) } else { 0.0 }
        };
        vec![share(0), share(1)]
    });
    let mut rows: Vec<Vec<String>> = names
        .iter()
        .zip(of_boundaries.chunks(kinds))
        .map(|(name, values)| {
            [(*name).to_owned()]
                .into_iter()
                .chain(values.iter().map(text))
                .collect()
        })
        .collect();
    // Where nothing flows in, or nothing out, the sum is what flows, and says nothing about a loss.
    let passes = |quantity: usize| {
        let ends = of_boundaries.chunks(kinds).zip(&is_end).filter(|(_, is_end)| **is_end);
        let flows = ends.map(|(of_one, _)| of_one[quantity].value);
        let [inward, outward] = flows.fold([0.0, 0.0], |[a, b]: [f64; 2], flow| {
            [a + (-flow).max(0.0), b + flow.max(0.0)]
        });
        inward.min(outward) > ONE_WAY * inward.max(outward)
    };
    let missing = [0, 1].map(|quantity| {
        if passes(quantity) && !(inside.moves && quantity == ENERGY) {
            text(&shares[quantity])
        } else {
            String::new()
        }
    });
    if missing.iter().any(|text| !text.is_empty()) {
        let name = "missing, over what flows".to_owned();
        rows.push(
            [name]
                .into_iter()
                .chain(missing)
                .chain([String::new(), String::new()])
                .collect(),
        );
    }
    let with_unit = |(end, head): (&str, &str)| {
        let unit = names.first().and_then(|name| boundaries.unit(&format!("{name}{end}")));
        unit.map_or_else(|| head.to_owned(), |unit| format!("{head}, {unit}"))
    };
    let heads: Vec<String> = ["boundary".to_owned()]
        .into_iter()
        .chain(QUANTITIES.map(with_unit))
        .collect();
    let heads: Vec<&str> = heads.iter().map(String::as_str).collect();
    table(&heads, &rows)
}

/// Returns a mean with twice its standard error, unless that is not known or 0.
fn text(estimate: &Estimate) -> String {
    if estimate.error > 0.0 {
        format!(
            "{} ± {}{}",
            number(estimate.value),
            estimate.certainty.words(),
            two_digits(SHOWN_ERRORS * estimate.error)
        )
    } else {
        number(estimate.value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the rows of a series with these mass and energy fluxes through boundaries a, b, ...
    fn table_of(fluxes: &[[f64; 2]]) -> String {
        table_with(fluxes, &Inside::default())
    }

    /// Returns the same where some boundaries are sides of interfaces.
    fn table_with(fluxes: &[[f64; 2]], inside: &Inside) -> String {
        let names: Vec<String> = ('a'..='z').take(fluxes.len()).map(String::from).collect();
        let columns = |name: &String| QUANTITIES.map(|(end, _)| format!("{name}{end}")).join(",");
        let heads = names.iter().map(columns).collect::<Vec<_>>().join(",");
        let values = |[mass, energy]: &[f64; 2]| format!("{mass},{energy},1,0");
        let values = fluxes.iter().map(values).collect::<Vec<_>>().join(",");
        let units = vec!["-"; 4 * fluxes.len() + 1].join(",");
        let rows: String = (0..40).map(|time| format!("{time},{values}\n")).collect();
        let table = Table::parse(format!("time,{heads}\n{units}\n{rows}").as_bytes()).expect("a table");
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        super::rows(&table, table.column("time").expect("times"), 20.0, &names, inside)
    }

    #[test]
    fn sides_of_interfaces_are_not_in_the_sum() {
        let fluxes = [[-2.0, -6.0], [1.9, 6.0], [2.0, 6.0], [-2.0, -5.0]];
        let missing = number((1.9 - 2.0) / 1.95);
        let names = vec!["c".to_owned(), "d".to_owned()];
        let [at_rest, moving] = [false, true].map(|moves| {
            let names = names.clone();
            table_with(&fluxes, &Inside { names, moves })
        });
        let found = format!("<td>missing, over what flows</td><td>{missing}</td><td>");
        assert!(at_rest.contains(&format!("{found}0</td>")), "{at_rest}");
        assert!(moving.contains(&format!("{found}</td>")), "{moving}");
    }

    #[test]
    fn what_is_missing_is_said_where_something_flows_in_and_out() {
        let name = "missing, over what flows";
        let through = table_of(&[[-2.0, -6.0], [1.9, 6.0], [0.0, 0.1]]);
        let mass = (1.9 - 2.0) / 1.95;
        let found = format!("<td>{name}</td><td>{}</td>", number(mass));
        assert!(through.contains(&found), "{found} in {through}");
        // A far field around a wall that is warmer, and two walls without a flow of mass.
        let far_field = table_of(&[[1e-3, 5.0], [1e-22, -4.9]]);
        let energy = number((5.0 - 4.9) / 4.95);
        assert!(
            far_field.contains(&format!("<td>{name}</td><td></td><td>{energy}</td>")),
            "{far_field}"
        );
        for alone in [
            table_of(&[[1e-3, 5.0], [0.0, 0.0]]),
            table_of(&[[-1e-3, -5.0], [3e-19, 1e-17]]),
            table_of(&[[0.0, 0.2], [0.0, 0.2]]),
        ] {
            assert!(!alone.contains(name), "{alone}");
        }
    }
}
