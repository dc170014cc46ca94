//! The solution at the nodes of the sub-mesh, as restart files of SU2.
//!
//! SU2 stores the conserved variables, in the units of its computation, and after them nu~, or k and omega
//! (`SetVolumeOutputFieldsScalarSolution` in CFlowOutput.cpp of SU2 8). With k its energy contains rho k (`tkeNeeded`
//! in its CNSSolver.cpp), which that of this program does not.

use std::path::Path;

use mpi::topology::SimpleCommunicator;

use super::nodes::Points;
use crate::format::{location, number};
use crate::io::{self, Su2Restart};
use crate::mesh::Mesh;
use crate::physics::Gas;
use crate::physics::Turbulence;
use crate::solver::{STATE, VARIABLES};
use crate::steady::dual::DualMesh;
use crate::steady::handover::{StoredSolution, VALUES, Values};
use crate::vector::{Vector, length, minus};

/// Names of the coordinates and of the conserved variables.
const FLOW: [&str; 8] = [
    "x",
    "y",
    "z",
    "Density",
    "Momentum_x",
    "Momentum_y",
    "Momentum_z",
    "Energy",
];
const NU_TILDE: &str = "Nu_Tilde";
const K: &str = "Turb_Kin_Energy";
const OMEGA: &str = "Omega";
/// Largest distance between a point of the file and that of the mesh, over the largest coordinate of the file.
const SAME_PLACE: f64 = 1e-9;

/// A variable of a model of turbulence, what its values must be, and whether one is.
type Limit = (&'static str, &'static str, fn(f64) -> bool);

/// Returns a place with all digits of its coordinates.
fn in_full([x, y, z]: Vector) -> String {
    format!("({x}, {y}, {z})")
}

/// Returns the solution of a checkpoint at the nodes of a whole mesh.
pub fn at_nodes(
    stored: &StoredSolution,
    world: &SimpleCommunicator,
    mesh: &Mesh,
    points: &Points,
) -> Result<Su2Restart, io::Error> {
    let of_model: &[&str] = match stored.model() {
        Some("k-omega" | "sst") => &[K, OMEGA],
        Some("none") => &[],
        _ => &[NU_TILDE],
    };
    let two_equations = of_model.len() == 2;
    let kept = VARIABLES + if two_equations { 2 } else { 1 };
    let state = stored.field(STATE, VARIABLES, world, mesh)?;
    let values = stored.field(VALUES, kept, world, mesh)?;
    let (Some(state), Some(values)) = (state, values) else {
        return Err(stored.wrong("it has no values of a steady solution".to_owned()));
    };
    let mut restart = Su2Restart {
        names: FLOW.iter().chain(of_model).map(|name| (*name).to_owned()).collect(),
        values: Vec::with_capacity(points.count() * (FLOW.len() + of_model.len())),
    };
    let mut next = 0;
    for cell in 0..mesh.len() {
        let first = points.geometry.first_point[cell];
        let count = points.geometry.cell_points(cell);
        for point in 0..count {
            if points.nodes[first + point] != next {
                continue;
            }
            next += 1;
            let mut flow: [f64; VARIABLES] = std::array::from_fn(|i| state[VARIABLES * first + i * count + point]);
            let model = |i: usize| values[kept * first + (VARIABLES + i) * count + point];
            if two_equations {
                flow[4] += flow[0] * model(0);
            }
            restart.values.extend(points.vertices.point[first + point]);
            restart.values.extend(flow);
            restart.values.extend((0..of_model.len()).map(model));
        }
    }
    Ok(restart)
}

/// Returns the solution of a restart file of SU2 at a rank's vertices, owned ones and the halo. `first` has the numbers
/// of the first points of all nodes.
///
/// # Errors
/// The file cannot be read, is of another mesh, or lacks a variable that this model needs, or its state is not
/// physical.
pub fn values_at_vertices(
    path: &Path,
    first: &[u64],
    dual: &DualMesh,
    gas: &Gas,
    model: Turbulence,
) -> Result<Vec<Values>, io::Error> {
    let restart = Su2Restart::read(path)?;
    let wrong = |detail: String| io::Error::Input {
        path: path.to_path_buf(),
        detail,
    };
    let points = restart.points();
    let nodes = first.len();
    if points != nodes {
        return Err(wrong(format!(
            "it has {points} points, and the sub-mesh of this case {nodes}: write the mesh anew by `fr-les mesh \
             export`, with the degree of the points as `--points`"
        )));
    }
    let place = |name: &str| restart.names.iter().position(|other| other == name);
    let needed = |name: &str| {
        let names = || restart.names.join(", ");
        place(name).ok_or_else(|| wrong(format!("it has no `{name}`, which this case needs, but {}", names())))
    };
    let flow = FLOW
        .iter()
        .map(|name| needed(name))
        .collect::<Result<Vec<usize>, _>>()?;
    let of_model = match model {
        Turbulence::SaNeg => vec![needed(NU_TILDE)?],
        Turbulence::KOmega | Turbulence::Sst => vec![needed(K)?, needed(OMEGA)?],
        Turbulence::None => Vec::new(),
    };
    // The model with negative values keeps these, which mean no eddy viscosity.
    let finite: Limit = (NU_TILDE, "finite", |x| x.is_finite());
    let limits: &[Limit] = match model {
        Turbulence::SaNeg => &[finite],
        Turbulence::KOmega | Turbulence::Sst => &[
            (K, "at least 0 and finite", |k| k >= 0.0 && k.is_finite()),
            (OMEGA, "positive and finite", |omega| omega > 0.0 && omega.is_finite()),
        ],
        Turbulence::None => &[],
    };
    let k = place(K);
    let largest = restart
        .values
        .chunks(restart.names.len())
        .flat_map(|row| flow[..3].iter().map(|&i| row[i].abs()));
    let apart = SAME_PLACE * largest.fold(0.0, f64::max);
    let at = |vertex: usize| {
        let node = first
            .binary_search(&dual.global[vertex])
            .expect("a vertex is the node of its first point");
        let row = &restart.values[node * restart.names.len()..][..restart.names.len()];
        let [x, y, z, rho, mx, my, mz, energy] = std::array::from_fn(|i| row[flow[i]]);
        let here = dual.position[vertex];
        let there = [x, y, z];
        let distance = length(minus(here, there));
        let same_place = distance <= apart;
        if !same_place {
            return Err(wrong(format!(
                "it is of another mesh: its point {node} is at {}, and that of the sub-mesh of this case at {}; the \
                 distance is {}, where rounding would give at most {}, {SAME_PLACE:e} of the largest coordinate",
                in_full(there),
                in_full(here),
                number(distance),
                number(apart)
            )));
        }
        let of_turbulence = k.map_or(0.0, |k| rho * row[k]);
        let [_, u, v, w, p, temperature] = gas.primitive([rho, mx, my, mz, energy - of_turbulence]);
        if !(rho > 0.0 && p > 0.0 && [u, v, w, p].iter().all(|x| x.is_finite())) {
            return Err(wrong(format!(
                "its point {node} at {} has the density {rho} and the pressure {p}, which must be positive: its units \
                 must be those of the case, and its energy that of a perfect gas with this gamma",
                location(there)
            )));
        }
        let model = |i: usize| of_model.get(i).map_or(0.0, |&column| row[column]);
        for ((name, must, is_valid), value) in limits.iter().zip([model(0), model(1)]) {
            if !is_valid(value) {
                return Err(wrong(format!(
                    "its point {node} at {} has the value {value} of {name}, which must be {must}: its units must be \
                     those of the case",
                    location(there)
                )));
            }
        }
        Ok([rho, u, v, w, temperature, model(0), model(1)])
    };
    (0..dual.len()).map(at).collect()
}
