//! What is watched of a steady solution: the residuals of all equations and the forces on the no-slip walls.

use std::ops::Range;

use rayon::prelude::*;

use super::conditions::BoundaryList;
use super::controller::Control;
use super::dual::DualMesh;
use super::handover::Values;
use crate::physics::Gas;
use crate::physics::Turbulence;
use crate::ranks::{ExactSum, Ranks};
use crate::vector::{Vector, length, minus};

/// Names and units of the values of a row. `nu-tilde` is the residual of the first equation of the model, and the last
/// value that of the second one.
const COLUMNS: [(&str, &str); 15] = [
    ("iteration", ""),
    ("cfl", ""),
    ("density", "density/time"),
    ("momentum", "momentum/time"),
    ("energy", "pressure/time"),
    ("nu-tilde", "viscosity/time"),
    ("pressure_x", "force"),
    ("pressure_y", "force"),
    ("pressure_z", "force"),
    ("friction_x", "force"),
    ("friction_y", "force"),
    ("friction_z", "force"),
    ("linear", ""),
    ("refreshes", ""),
    ("omega", "density/time^2"),
];
/// The first equation of a model of k and omega.
const ENERGY: (&str, &str) = ("k", "pressure/time");
/// Place of the residual of the first equation of the model.
const FIRST: usize = 5;
/// Place of that of the second one.
const SECOND: usize = 14;

/// What is known of a step: the columns of `convergence.csv`, with the residual of omega at the end.
pub type Row = [f64; COLUMNS.len()];

/// Places of the values of a row in the table of a solution with this model.
fn places(model: Turbulence) -> Vec<usize> {
    let second = model.has_two_equations().then_some(SECOND);
    (0..=FIRST).chain(second).chain(FIRST + 1..SECOND).collect()
}

/// Returns the row of an iteration: the CFL number, the residuals, the forces, and the linear iterations and refreshes.
pub fn row(iteration: u64, cfl: f64, norms: &[f64; 5], forces: &[f64; 6], linear: [u64; 2]) -> Row {
    let mut row = [0.0; COLUMNS.len()];
    (row[0], row[1]) = (iteration as f64, cfl);
    row[2..=FIRST].copy_from_slice(&norms[..4]);
    row[6..12].copy_from_slice(forces);
    (row[12], row[13]) = (linear[0] as f64, linear[1] as f64);
    row[SECOND] = norms[4];
    row
}

/// Rows of the residuals of a vertex that belong to each equation, of which a row of the convergence has the norms.
const EQUATIONS: [Range<usize>; 5] = [0..1, 1..4, 4..5, 5..6, 6..7];

/// Returns the quantity that an equation with a norm balances.
pub fn equation_in_words(equation: usize, model: Turbulence) -> &'static str {
    let first = if model.has_two_equations() { "k" } else { "nu~" };
    ["density", "momentum", "energy", first, "omega"][equation]
}

/// Returns the residual of an equation in a row.
pub fn residual_of(row: &Row, equation: usize) -> f64 {
    row[[2, 3, 4, FIRST, SECOND][equation]]
}

/// Returns names and units of the columns of `convergence.csv` of a solution with this model.
pub fn columns(model: Turbulence) -> Vec<(&'static str, &'static str)> {
    let name = |place| match place {
        FIRST if model.has_two_equations() => ENERGY,
        place => COLUMNS[place],
    };
    places(model).into_iter().map(name).collect()
}

/// Returns the values of rows in the order of [`columns`], row by row.
pub fn table(rows: &[Row], model: Turbulence) -> Vec<f64> {
    let places = places(model);
    rows.iter()
        .flat_map(|row| places.iter().map(|&place| row[place]))
        .collect()
}

/// Returns the rows of such a table.
pub fn rows_of(table: &[f64], model: Turbulence) -> Vec<Row> {
    let places = places(model);
    let row = |values: &[f64]| {
        let mut row = [0.0; COLUMNS.len()];
        places
            .iter()
            .zip(values)
            .for_each(|(&place, &value)| row[place] = value);
        row
    };
    table.chunks_exact(places.len()).map(row).collect()
}

/// Steps over which forces are compared.
const STEPS: f64 = 200.0;
/// Residual of the density over its largest value above which forces do not end a solution: very short steps leave the
/// forces unchanged too.
const FALLEN: f64 = 1e-3;

/// Returns whether the forces have been steady over the last 200 steps, with a residual that has fallen to a thousandth
/// and a CFL number that is not below the first: the change of friction over its own size, and that of pressure over
/// the larger of both, are at most `control.force`.
pub fn forces_are_steady(rows: &[Row], control: &Control) -> bool {
    let (Some(limit), Some(last)) = (control.force, rows.last()) else {
        return false;
    };
    let first = rows.partition_point(|row| row[0] < last[0] - STEPS);
    if rows[first][0] > last[0] - STEPS {
        return false;
    }
    let largest = rows.iter().map(|row| row[2]).fold(0.0, f64::max);
    if last[2] > FALLEN * largest {
        return false;
    }
    let part =
        |row: &Row, friction: bool| -> Vector { std::array::from_fn(|d| row[6 + d + 3 * usize::from(friction)]) };
    let [pressure, friction] = [false, true].map(|of| length(part(last, of)));
    rows[first..].iter().all(|row| {
        let change = |of: bool| length(minus(part(row, of), part(last, of)));
        row[1] >= control.cfl_start.min(control.cfl)
            && change(true) <= limit * friction
            && change(false) <= limit * pressure.max(friction)
    })
}

/// Returns whether gas can have these values: all are finite, and density and temperature positive.
pub fn is_physical(value: &Values) -> bool {
    value[0] > 0.0 && value[4] > 0.0 && value.iter().all(|x| x.is_finite())
}

/// The rows of vertices that no-slip walls hold, and the vertices at which friction is summed.
pub struct Monitor {
    /// Whether an equation of an owned vertex is held by a wall, `[vertex][equation]`.
    held: Vec<[bool; 7]>,
    /// Vertices of no-slip walls, each once.
    friction: Vec<u32>,
}

impl Monitor {
    /// Finds what walls hold.
    pub fn new(dual: &DualMesh, boundaries: &[BoundaryList]) -> Self {
        let mut held = vec![[false; 7]; dual.owned];
        let mut friction = Vec::new();
        for boundary in boundaries.iter().filter(|boundary| boundary.is_no_slip()) {
            for &vertex in &boundary.vertex {
                let held = &mut held[vertex as usize];
                if !held[1] {
                    friction.push(vertex);
                }
                let energy = held[4] || boundary.kind.is_isothermal();
                *held = [false, true, true, true, energy, true, true];
            }
        }
        Monitor { held, friction }
    }

    /// Returns the residual of an equation at an owned vertex per volume, leaving out what a wall holds.
    pub fn residual_at(&self, dual: &DualMesh, residuals: &[Values], vertex: usize, equation: usize) -> f64 {
        let free = EQUATIONS[equation].clone().filter(|&row| !self.held[vertex][row]);
        let square: f64 = free.map(|row| residuals[vertex][row].powi(2)).sum();
        square.sqrt() / dual.volume[vertex]
    }

    /// Returns the sums of the squares of the residuals per volume of density, momentum, energy and the model's two
    /// equations over a part of the owned vertices, leaving out what walls hold. They are on the heap: exact sums are
    /// large, and tasks that merge them within each other would fill the stacks of the threads.
    fn squares(&self, dual: &DualMesh, residuals: &[Values], vertices: Range<usize>) -> Vec<ExactSum> {
        let mut sums = vec![ExactSum::default(); 5];
        for vertex in vertices {
            for (equation, sum) in [0, 1, 1, 1, 2, 3, 4].into_iter().enumerate() {
                if !self.held[vertex][equation] {
                    sums[sum].add((residuals[vertex][equation] / dual.volume[vertex]).powi(2));
                }
            }
        }
        sums
    }

    /// Returns the root mean squares of the residuals per volume of density, momentum, energy and the model's two
    /// equations over all vertices, leaving out what walls hold; and the forces of pressure and friction on the no-slip
    /// walls. `state` and `residuals` are those of the owned vertices. Collective.
    pub fn measure(
        &self,
        dual: &DualMesh,
        boundaries: &[BoundaryList],
        gas: &Gas,
        state: &[Values],
        residuals: &[Values],
        ranks: &Ranks,
    ) -> ([f64; 5], [f64; 6]) {
        let mut sums = [(); 11].map(|()| ExactSum::default());
        let part = dual.owned.div_ceil(rayon::current_num_threads()).max(1);
        let parts: Vec<Vec<ExactSum>> = (0..dual.owned.div_ceil(part))
            .into_par_iter()
            .map(|n| self.squares(dual, residuals, n * part..((n + 1) * part).min(dual.owned)))
            .collect();
        for of_part in parts {
            for (sum, other) in sums.iter_mut().zip(of_part) {
                *sum = std::mem::take(sum).merge(other);
            }
        }
        for boundary in boundaries.iter().filter(|boundary| boundary.is_no_slip()) {
            for (&vertex, area) in boundary.vertex.iter().zip(&boundary.area) {
                let [rho, _, _, _, temperature, ..] = state[vertex as usize];
                let pressure = rho * gas.gas_constant * temperature;
                (0..3).for_each(|d| sums[5 + d].add(pressure * area[d]));
            }
        }
        for &vertex in &self.friction {
            (0..3).for_each(|d| sums[8 + d].add(-residuals[vertex as usize][1 + d]));
        }
        let sums = ExactSum::allreduce(ranks, sums).map(ExactSum::value);
        let vertices = dual.vertices_of_all_ranks as f64;
        let norm = |i: usize| (sums[i] / vertices).sqrt();
        (std::array::from_fn(norm), std::array::from_fn(|i| sums[5 + i]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_of_many_vertices_keep_to_small_stacks() {
        let count = 400_000;
        let dual = DualMesh {
            owned: count,
            volume: vec![0.5; count],
            vertices_of_all_ranks: count as u64,
            ..DualMesh::default()
        };
        let monitor = Monitor {
            held: vec![[false; 7]; count],
            friction: Vec::new(),
        };
        let residuals = vec![[1.0, 2.0, 3.0, 6.0, 4.0, 5.0, 0.0]; count];
        let gas = Gas {
            gamma: 1.4,
            prandtl: 0.7,
            gas_constant: 1.0,
            viscosity: None,
        };
        let pool = rayon::ThreadPoolBuilder::new().num_threads(16).stack_size(128 << 10);
        let pool = pool.build().expect("threads");
        let (norms, _) = pool.install(|| monitor.measure(&dual, &[], &gas, &[], &residuals, &Ranks::alone()));
        assert_eq!(norms, [2.0, 14.0, 8.0, 10.0, 0.0]);
    }

    #[test]
    fn tables_have_the_columns_of_the_model() {
        let row: Row = std::array::from_fn(|n| n as f64);
        for (model, names) in [
            (Turbulence::SaNeg, &["energy", "nu-tilde", "pressure_x"][..]),
            (Turbulence::Sst, &["energy", "k", "omega", "pressure_x"]),
        ] {
            let columns = columns(model);
            assert_eq!(
                columns[4..4 + names.len()].iter().map(|c| c.0).collect::<Vec<_>>(),
                names
            );
            assert_eq!(columns.last().expect("columns").0, "refreshes");
            let table = table(&[row, row], model);
            assert_eq!(table.len(), 2 * columns.len());
            let mut back = row;
            if model == Turbulence::SaNeg {
                back[14] = 0.0;
            }
            assert_eq!(rows_of(&table, model), [back, back]);
        }
    }

    const CONTROL: Control = Control {
        cfl_start: 1.0,
        cfl: 2.5,
        residual: 1e-6,
        implicit: false,
        force: Some(1e-3),
    };

    /// Rows of so many checks; friction along x of the size 2 and a pressure along y of the size 10 approach their
    /// values by `change` in each.
    fn rows(checks: usize, changes: [f64; 2]) -> Vec<Row> {
        let row = |n: usize| {
            let mut row = [0.0; COLUMNS.len()];
            (row[0], row[1]) = (20.0 * (n + 1) as f64, 2.5);
            let left = (checks - 1 - n) as f64;
            (row[7], row[9]) = (10.0 - left * changes[0], 2.0 - left * changes[1]);
            row
        };
        (0..checks).map(row).collect()
    }

    #[test]
    fn forces_are_steady_when_neither_changes_over_ten_checks() {
        // Over ten checks the changes are ten times as large; the limits are 0.01 and 0.002.
        assert!(forces_are_steady(&rows(30, [0.9e-3, 0.0]), &CONTROL));
        assert!(!forces_are_steady(&rows(30, [1.1e-3, 0.0]), &CONTROL));
        assert!(forces_are_steady(&rows(30, [0.0, 1.9e-4]), &CONTROL));
        assert!(!forces_are_steady(&rows(30, [0.0, 2.1e-4]), &CONTROL));
        assert!(
            !forces_are_steady(&rows(10, [0.0; 2]), &CONTROL),
            "180 steps are too few"
        );
        assert!(forces_are_steady(&rows(11, [0.0; 2]), &CONTROL));
        let mut refused = rows(30, [0.0; 2]);
        refused[25][1] = 0.6;
        assert!(!forces_are_steady(&refused, &CONTROL), "small steps change little");
        let mut stalled = rows(30, [0.0; 2]);
        for (row, residual) in stalled.iter_mut().zip([1.0].into_iter().chain([1.1e-3; 29])) {
            row[2] = residual;
        }
        assert!(!forces_are_steady(&stalled, &CONTROL), "the residual has not fallen");
        stalled[29][2] = 1e-3;
        assert!(forces_are_steady(&stalled, &CONTROL));
        let without = Control { force: None, ..CONTROL };
        assert!(!forces_are_steady(&rows(30, [0.0; 2]), &without));
        // A force that comes and goes within the 200 steps is not steady.
        let mut swinging = rows(30, [0.0; 2]);
        swinging[24][9] = 2.1;
        assert!(!forces_are_steady(&swinging, &CONTROL));
    }
}
