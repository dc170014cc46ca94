//! Mixing planes between two blocks of cells: uniform flow passes, fluxes agree for any state, a wake leaves as its
//! mixed-out state, and ranks change no bit.

mod around;

use std::path::Path;

use fr_les::case::{BoxElements, Case};
use fr_les::device::cpu::Host;
use fr_les::element::{Correction, Elements};
use fr_les::geometry::Geometry;
use fr_les::mesh::Mesh;
use fr_les::mesh::partition::distribute;
use fr_les::physics::{Boundary, BoundaryKind};
use fr_les::ranks::Ranks;
use fr_les::solver::{InterfaceParts, InterfaceUse, SetupError};
use fr_les::steady::{BoundaryList, DualMesh, MixingPlane, Scheme, Solver, Turbulence, Values, find_mixing_planes};
use fr_les::vector::Vector;
use mpi::topology::SimpleCommunicator;

use crate::common::blocks::block;
use crate::common::program::as_ranks;
use crate::implicit::{SETTINGS, host, implicit};
use crate::solver::{GAS, MODELS, assert_part_of, conditions, conserved, with_model};

/// Speed of the second block along y.
const SPEED: f64 = 0.5;

/// Two blocks of the pitches 1 and 1.3 on either side of x = 0.
fn blocks(elements: BoxElements, ny: [usize; 2], nz: usize, periodic: bool) -> Mesh {
    let first = [[-1.0, 0.0, 0.0], [0.0, 1.0, 0.8]];
    let second = [[0.0, 0.2, 0.0], [1.0, 1.5, 0.8]];
    let first = block("a-", elements, [3, ny[0], nz], first, [true, periodic]);
    let second = block("b-", elements, [2, ny[1], nz], second, [true, periodic]);
    first.beside(second).expect("two blocks")
}

/// A mesh, its dual, and what joins its blocks.
struct Joined {
    mesh: Mesh,
    dual: DualMesh,
    conditions: Vec<Boundary>,
    geometry: Geometry,
    elements: Elements,
}

impl Joined {
    fn new(mesh: Mesh, points: usize, ranks: &Ranks) -> Self {
        let side = |name: &str| match name {
            "a-x+" => "interface, with: b-x-".to_owned(),
            "b-x-" => format!("interface, with: a-x+, speed: {SPEED}"),
            _ => "slip".to_owned(),
        };
        Self::with(mesh, points, |name| name.contains('z'), side, ranks)
    }

    /// A mesh with points of this degree, the boundaries that are walls, and the type of each boundary. Collective.
    fn with(
        mesh: Mesh,
        points: usize,
        is_wall: impl Fn(&str) -> bool,
        side: impl Fn(&str) -> String,
        ranks: &Ranks,
    ) -> Self {
        let elements = Elements::new(points, Correction::Radau, &mesh.kinds_present());
        let geometry = Geometry::on_ranks(&mesh, &elements, ranks).expect("good cells");
        let is_wall = |b: usize| is_wall(&mesh.boundary_names[b]);
        let dual = DualMesh::new(&mesh, &geometry, points, is_wall, ranks).unwrap_or_else(|error| panic!("{error}"));
        let names = mesh.boundary_names.iter();
        let lines: String = names
            .map(|name| format!("  {name}: {{type: {}}}\n", side(name)))
            .collect();
        let text = format!(
            "mesh: {{file: none.h5}}\norder: 2\ninitial: {{u: 0, v: 0, w: 0, p: 1, rho: 1}}\ntime: {{steps: 1}}\n\
             boundaries:\n{lines}"
        );
        let case = Case::parse(&text, Path::new("test.yaml"), &[]).unwrap_or_else(|e| panic!("{e}\n{text}"));
        let boundary = |name: &String| case.solver.boundaries[name].clone();
        Joined {
            conditions: mesh.boundary_names.iter().map(boundary).collect(),
            mesh,
            dual,
            geometry,
            elements,
        }
    }

    /// One condition with constant data on each boundary that is no side of the plane.
    fn lists(&self, of: impl Fn(&str) -> (BoundaryKind, [f64; 6])) -> Vec<BoundaryList> {
        conditions(&self.dual, |b| match self.mesh.boundary_names[b].as_str() {
            "a-x+" | "b-x-" => (BoundaryKind::FarField, [0.0; 6]),
            name => of(name),
        })
    }

    fn planes(&self, lists: &[BoundaryList], ranks: &Ranks) -> Result<Vec<MixingPlane>, SetupError> {
        let parts = InterfaceParts {
            mesh: &self.mesh,
            geometry: &self.geometry,
            elements: &self.elements,
            boundaries: &self.conditions,
            usage: InterfaceUse::Mix,
            ranks,
        };
        find_mixing_planes(&parts, &self.dual, lists)
    }

    fn solver(&self, lists: &[BoundaryList], scheme: &Scheme) -> Solver<Host> {
        let store = host(1);
        let ranks = Ranks::alone();
        let planes = self.planes(lists, &ranks).expect("a plane");
        let mut solver = Solver::new(store, &self.dual, lists, &GAS, scheme, ranks).expect("a solver");
        solver.set_planes(&planes, &self.dual, lists, &GAS).expect("memory");
        solver
    }

    /// Whether each vertex is in the second block: the middle of its neighbours is.
    fn in_second(&self) -> Vec<bool> {
        let behind = |vertex: usize| {
            let ends = self.dual.edges(vertex).map(|edge| self.dual.displacement[edge][0]);
            self.dual.position[vertex][0] + 0.1 * ends.sum::<f64>() > 0.0
        };
        (0..self.dual.owned).map(behind).collect()
    }

    /// A value of each owned vertex, seen from its block.
    fn state(&self, of: impl Fn(Vector) -> Values) -> Vec<Values> {
        let seen = |(&x, second): (&Vector, bool)| {
            let mut value = of(x);
            value[2] -= if second { SPEED } else { 0.0 };
            value
        };
        self.dual.position.iter().zip(self.in_second()).map(seen).collect()
    }
}

/// The last two are nu~, or k and omega.
const UNIFORM: Values = [1.1, 0.4, 0.3, 0.2, 0.9, 0.05, 4.0];

#[test]
fn uniform_oblique_flow_passes_to_a_block_that_moves() {
    for (elements, ny, nz) in [(BoxElements::Hex, [4, 3], 1), (BoxElements::Prism, [3, 5], 2)] {
        for points in [1, 2, 3] {
            let mut joined = Joined::new(blocks(elements, ny, nz, true), points, &Ranks::alone());
            // Far from walls, nu~ does not decay.
            joined.dual.wall_distance.iter_mut().for_each(|d| *d = f64::INFINITY);
            let mut behind = UNIFORM;
            behind[2] -= SPEED;
            let mut lists = joined.lists(|name| {
                let of = if name.starts_with("a-") { UNIFORM } else { behind };
                (BoundaryKind::FarField, conserved(of))
            });
            for list in &mut lists {
                list.ratio = UNIFORM[5] * UNIFORM[0] / 1e-2;
            }
            let mut solver = joined.solver(&lists, &Scheme::default());
            solver.set_state(&joined.state(|_| UNIFORM)).expect("a state");
            for r in solver.residuals().expect("residuals") {
                assert!(r.iter().all(|r| r.abs() < 2e-13), "{elements:?} {points}: {r:?}");
            }
            let agreement = solver.agreements()[0];
            assert!((agreement.mass_flux - 0.44).abs() < 1e-14, "{agreement:?}");
        }
    }
}

/// A state that changes from vertex to vertex.
fn rough(x: Vector) -> Values {
    let wave = |v: usize| (7.0 * x[0] + 5.0 * x[1] - 3.0 * x[2] + v as f64).sin();
    std::array::from_fn(|v| UNIFORM[v] * (1.0 + 0.2 * wave(v)))
}

/// Fluxes seen from a frame of this speed along y.
fn seen_from(speed: f64, [mass, x, y, z, energy]: [f64; 5]) -> [f64; 5] {
    [
        mass,
        x,
        y - mass * speed,
        z,
        energy - speed * y + 0.5 * mass * speed * speed,
    ]
}

#[test]
fn mass_momentum_and_energy_of_a_rough_state_pass_from_block_to_block() {
    for (sense, periodic, model) in [
        (1.0, true, Turbulence::SaNeg),
        (-1.0, true, Turbulence::Sst),
        (1.0, false, Turbulence::SaNeg),
    ] {
        let joined = Joined::new(blocks(BoxElements::Hex, [4, 3], 2, periodic), 2, &Ranks::alone());
        let lists = joined.lists(|_| (BoundaryKind::Slip, [0.0; 6]));
        let mut solver = joined.solver(&lists, &with_model(model));
        let state = joined.state(|x| {
            let mut value = rough(x);
            value[1] *= sense;
            value
        });
        solver.set_state(&state).expect("a state");
        let residuals = solver.residuals().expect("residuals");
        // What leaves each block: through the plane, and as pressure through the slip walls.
        let mut leaving = [[0.0; 5]; 2];
        for (r, second) in residuals.iter().zip(joined.in_second()) {
            (0..5).for_each(|v| leaving[usize::from(second)][v] += r[v]);
        }
        let second = joined.in_second();
        for (name, list) in joined.mesh.boundary_names.iter().zip(&lists) {
            if list.kind == BoundaryKind::Slip {
                for (&vertex, area) in list.vertex.iter().zip(&list.area) {
                    let value = state[vertex as usize];
                    assert_eq!(second[vertex as usize], name.starts_with("b-"));
                    (0..3).for_each(|d| {
                        leaving[usize::from(second[vertex as usize])][1 + d] -= value[0] * value[4] * area[d]
                    });
                }
            }
        }
        let areas = [0.8, 1.3 * 0.8];
        let [one, other] = [0, 1].map(|block| leaving[block].map(|x| x / areas[block]));
        let seen = seen_from(-SPEED, other);
        println!("{one:?} {seen:?} {:?}", solver.agreements());
        for v in 0..5 {
            assert!((one[v] + seen[v]).abs() < 1e-12, "{model:?} {v}: {one:?} {seen:?}");
        }
        assert!(one[0] * sense > 0.2, "gas passes: {one:?}");
    }
}

/// The subsonic state of constant area with the fluxes per area of mass, momentum along x and energy of a flow along x:
/// gamma/(gamma - 1) p u + m u^2/2 = e with p = f - m u.
pub fn mixed_out([mass, momentum, energy]: [f64; 3]) -> [f64; 3] {
    let k = 1.4 / 0.4;
    let square = mass * (0.5 - k);
    let linear = k * momentum;
    let root = (linear * linear + 4.0 * square * energy).sqrt();
    let u = (root - linear) / (2.0 * square);
    [mass / u, u, momentum - mass * u]
}

#[test]
fn a_wake_enters_the_second_block_as_its_mixed_out_state() {
    let joined = Joined::new(blocks(BoxElements::Hex, [6, 3], 1, true), 2, &Ranks::alone());
    // A parallel flow with a wake, which is steady without viscosity. Its density is uniform: the scheme reconstructs
    // density and temperature, whose product would not be the pressure.
    let wake = |y: f64| {
        let deficit = (0.5 + 0.5 * (2.0 * std::f64::consts::PI * y).cos()).powi(3);
        [1.0, 0.6 - 0.35 * deficit, 0.0, 0.0, 1.0, 0.0, 0.0]
    };
    let names = &joined.mesh.boundary_names;
    let of_name = |name: &str| names.iter().position(|other| other == name).expect("a boundary");
    let side = &joined.dual.boundary[of_name("a-x+")];
    let mut means = [0.0; 3];
    for (&vertex, area) in side.vertex.iter().zip(&side.area) {
        let [rho, u, _, _, t, ..] = wake(joined.dual.position[vertex as usize][1]);
        let mass = rho * u;
        let values = [mass, mass * u + rho * t, mass * (3.5 * t + 0.5 * u * u)];
        (0..3).for_each(|v| means[v] += values[v] * area[0] / 0.8);
    }
    let [rho, u, p] = mixed_out(means);
    assert!(p > 1.01, "mixing raises the pressure from 1: {p}");
    let mut lists = joined.lists(|name| match name {
        "a-x-" => (BoundaryKind::VelocityInlet, [0.0; 6]),
        _ => (BoundaryKind::PressureOutlet, [p, 1.0, 0.0, 0.0, 0.0, 0.0]),
    });
    let inlet = &mut lists[of_name("a-x-")];
    for (data, &vertex) in inlet.data.iter_mut().zip(&inlet.vertex) {
        let [_, u, _, _, t, ..] = wake(joined.dual.position[vertex as usize][1]);
        *data = [u, 0.0, 0.0, t, 0.0, 0.0];
    }
    let gas = fr_les::physics::Gas { viscosity: None, ..GAS };
    let scheme = with_model(Turbulence::None);
    let planes = joined.planes(&lists, &Ranks::alone()).expect("a plane");
    let mut implicit = implicit(host(1), &joined.dual, &lists, &gas, &scheme, &SETTINGS);
    implicit
        .solver
        .set_planes(&planes, &joined.dual, &lists, &gas)
        .expect("memory");
    let start = joined.state(|x| {
        if x[0] < 0.0 {
            wake(x[1])
        } else {
            [1.0, 0.5, 0.0, 0.0, 1.0, 0.0, 0.0]
        }
    });
    implicit.solver.set_state(&start).expect("a state");
    for step in 0..240 {
        implicit.step(20.0).expect("a step");
        if step % 60 == 59 {
            let residuals = implicit.solver.residuals().expect("residuals");
            let largest = residuals.iter().fold(0.0f64, |most, r| most.max(r[0].abs()));
            println!("step {step}: {largest:e}");
        }
    }
    let state = implicit.solver.state().expect("a state");
    let mut largest = [0.0f64; 2];
    for ((value, second), x) in state.iter().zip(joined.in_second()).zip(&joined.dual.position) {
        let exact = if second {
            [rho, u, -SPEED, 0.0, p / rho, 0.0, 0.0]
        } else {
            wake(x[1])
        };
        let error = value
            .iter()
            .zip(exact)
            .fold(0.0f64, |most, (a, b)| most.max((a - b).abs()));
        largest[usize::from(second)] = largest[usize::from(second)].max(error);
    }
    println!("errors before and behind the plane {largest:?}");
    assert!(largest.iter().all(|error| *error < 1e-9), "{largest:?}");
}

#[test]
fn ranks_do_not_change_a_bit() {
    as_ranks(module_path!(), "ranks_do_not_change_a_bit", &[1, 2, 3], compare);
}

/// The dual of a mesh, and its state after ten steps.
fn ten_steps(mesh: Mesh, model: Turbulence, ranks: &Ranks, of_solver: Ranks) -> (DualMesh, Vec<Values>) {
    let joined = Joined::new(mesh, 2, ranks);
    let lists = joined.lists(|name| match name {
        "a-x-" => (BoundaryKind::TotalInlet, [1.15, 1.0, 1.0, 0.0, 0.0, 0.0]),
        _ if name.contains('z') => (BoundaryKind::NoSlipAdiabatic, [0.0; 6]),
        _ => (BoundaryKind::PressureOutlet, [1.0, 1.0, 0.0, 0.0, 0.0, 0.0]),
    });
    let planes = joined.planes(&lists, ranks).expect("a plane");
    assert_eq!(planes[0].bands.len(), 3, "the places on walls join those beside them");
    let store = host(1);
    let mut solver = Solver::new(store, &joined.dual, &lists, &GAS, &with_model(model), of_solver).expect("a solver");
    solver.set_planes(&planes, &joined.dual, &lists, &GAS).expect("memory");
    let state = joined.dual.position.iter().map(|&x| rough(x)).collect::<Vec<Values>>();
    solver.set_state(&state).expect("a state");
    (0..10).for_each(|_| solver.step(1.5).expect("a step"));
    assert!(solver.agreements()[0].holds(), "{:?}", solver.agreements());
    let state = solver.state().expect("a state");
    (joined.dual, state)
}

/// Compares the state of each rank's part with that of the whole mesh.
fn compare(world: &SimpleCommunicator, ranks: &Ranks) {
    for model in MODELS {
        let mesh = blocks(BoxElements::Hex, [4, 3], 2, false);
        let (whole, expected) = ten_steps(mesh.clone(), model, &Ranks::alone(), Ranks::alone());
        let mesh = distribute(mesh, world, 2, &[]).expect("parts");
        let (part, state) = ten_steps(mesh, model, ranks, Ranks::of(world));
        assert_part_of((&part, &state), (&whole, &expected), &format!("{model:?}"));
    }
}
