//! Sectors that are periodic by rotation: they give what the whole annulus gives, wherever their sides lie, and exact
//! flows around an axis.

mod exact;
mod frames;
mod handover;
mod linear;
mod ranks;
mod reports;

use std::f64::consts::TAU;

use crate::solver::{MODELS, conditions, conserved, on_cpu, with_model};
use fr_les::element::{Correction, Elements};
use fr_les::geometry::Geometry;
use fr_les::mesh::{Annulus, Mesh};
use fr_les::physics::{BoundaryKind, FrameForces, RotatingFrame};
use fr_les::ranks::Ranks;
use fr_les::steady::{BoundaryList, DualMesh, Scheme, Turbulence, Values};
use fr_les::vector::{Vector, cross, length, minus};
use nalgebra::{Rotation3, Vector3};

/// Sectors of the whole annulus.
const SECTORS: usize = 5;

/// A sector about the z axis with cells that are thin at the inner wall, of hexahedra and prisms, with so many cells
/// around.
fn annulus(around: usize) -> Annulus {
    Annulus {
        inner: 1.0,
        outer: 2.0,
        length: 0.8,
        angle: TAU / SECTORS as f64,
        cells: [3, around, 2],
        growth: 4.0,
        hex_layers: 1,
        geometry_order: 3,
        periodic_angle: true,
        periodic_z: false,
    }
}

/// The whole of which that is a sector.
fn whole(around: usize) -> Annulus {
    Annulus {
        angle: TAU,
        cells: [3, SECTORS * around, 2],
        ..annulus(around)
    }
}

/// A rotation about z.
fn about_z(angle: f64) -> Rotation3<f64> {
    Rotation3::from_axis_angle(&Vector3::z_axis(), angle)
}

fn turned(by: &Rotation3<f64>, v: Vector) -> Vector {
    (by * Vector3::from(v)).into()
}

/// Where an annulus lies: the motion that carries it there from its place about the z axis.
#[derive(Clone, Copy)]
struct There {
    turn: Rotation3<f64>,
    shift: Vector,
}

impl There {
    fn about_z(angle: f64) -> Self {
        There {
            turn: about_z(angle),
            shift: [0.0; 3],
        }
    }

    fn point(&self, x: Vector) -> Vector {
        let x = turned(&self.turn, x);
        std::array::from_fn(|d| x[d] + self.shift[d])
    }

    fn back(&self, x: Vector) -> Vector {
        turned(&self.turn.inverse(), minus(x, self.shift))
    }

    /// The mesh of an annulus there.
    fn mesh(&self, annulus: &Annulus) -> Mesh {
        let mut mesh = annulus.build().expect("an annulus");
        mesh.nodes.iter_mut().for_each(|x| *x = self.point(*x));
        let turn = self.turn.matrix();
        for rotation in &mut mesh.rotations {
            let moved = turn * nalgebra::Matrix3::from(*rotation).transpose() * turn.transpose();
            *rotation = std::array::from_fn(|row| std::array::from_fn(|column| moved[(row, column)]));
        }
        mesh
    }

    /// Values about the z axis as they are at the same place there.
    fn values(&self, values: Values) -> Values {
        with_velocity(values, |v| turned(&self.turn, v))
    }
}

/// Values with another velocity, or residuals with other momentum.
fn with_velocity(values: Values, of: impl Fn(Vector) -> Vector) -> Values {
    let [rho, u, v, w, t, first, second] = values;
    let [u, v, w] = of([u, v, w]);
    [rho, u, v, w, t, first, second]
}

/// The dual of the points of degree `q`, with the inner wall as the only one.
fn dual_of(mesh: &Mesh, q: usize, ranks: &Ranks) -> DualMesh {
    let elements = Elements::new(q, Correction::Radau, &mesh.kinds_present());
    let geometry = Geometry::on_ranks(mesh, &elements, ranks).expect("good cells");
    let is_wall = |b: usize| mesh.boundary_names[b] == "inner";
    DualMesh::new(mesh, &geometry, q, is_wall, ranks).unwrap_or_else(|error| panic!("{error}"))
}

/// A state that is the same in all sectors about the z axis: not uniform, and with velocity in all directions.
fn state_at([x, y, z]: Vector) -> Values {
    let radius = x.hypot(y);
    let around = SECTORS as f64 * y.atan2(x);
    let wave = |n: f64| 0.05 * (3.0 * radius + 2.0 * z + around + n).sin();
    let [radial, swirl, axial] = [wave(1.0), 0.3 + wave(2.0), 0.4 + wave(3.0)];
    let [c, s] = [x / radius, y / radius];
    [
        1.1 + wave(4.0),
        c * radial - s * swirl,
        s * radial + c * swirl,
        axial,
        0.9 + wave(5.0),
        0.05 + 0.2 * wave(6.0),
        4.0 + wave(7.0),
    ]
}

/// The state of an annulus at this place.
fn state_of(dual: &DualMesh, there: &There) -> Vec<Values> {
    let at = |x: &Vector| there.values(state_at(there.back(*x)));
    dual.position.iter().map(at).collect()
}

/// A duct along the axis whose inner wall turns.
fn duct(dual: &DualMesh, mesh: &Mesh, there: &There) -> Vec<BoundaryList> {
    let axis = turned(&there.turn, [0.0, 0.0, 1.0]);
    let [a, b, c] = axis;
    let mut lists = conditions(dual, |n| match mesh.boundary_names[n].as_str() {
        "inner" => (BoundaryKind::NoSlipIsothermal, [0.0, 0.0, 0.0, 0.95, 0.0, 0.0]),
        "outer" => (BoundaryKind::Slip, [0.0; 6]),
        "z-" => (BoundaryKind::TotalInlet, [1.15, 1.0, a, b, c, 0.0]),
        _ => (BoundaryKind::PressureOutlet, [0.95, 1.0, 0.0, 0.0, 0.0, 0.0]),
    });
    for list in lists.iter_mut().filter(|list| list.is_no_slip()) {
        for (vertex, data) in list.vertex.iter().zip(&mut list.data) {
            let arm = minus(dual.position[*vertex as usize], there.shift);
            data[..3].copy_from_slice(&cross(axis.map(|a| 0.2 * a), arm));
        }
    }
    lists
}

/// The frame that turns about z at `speed`, if it does.
fn frame_of(speed: f64) -> Option<RotatingFrame> {
    (speed != 0.0).then_some(RotatingFrame {
        angular_velocity: [0.0, 0.0, speed],
        origin: [0.0; 3],
        forces: FrameForces::All,
    })
}

/// Vertices of another annulus at the positions of those of a sector, carried by `to`.
fn matches(dual: &DualMesh, other: &DualMesh, to: impl Fn(Vector) -> Vector) -> Vec<Option<usize>> {
    let of = |x: &Vector| {
        let x = to(*x);
        other.position.iter().position(|y| length(minus(x, *y)) < 1e-9)
    };
    dual.position.iter().map(of).collect()
}

#[test]
fn the_dual_of_a_sector_is_closed_and_its_volume_is_that_of_the_open_one() {
    for angle in [0.3, TAU / 3.0, TAU / 2.0] {
        for [around, q] in [[2, 1], [2, 2], [3, 3], [4, 1]] {
            let sector = Annulus {
                angle,
                ..annulus(around)
            };
            let open = Annulus {
                periodic_angle: false,
                ..sector.clone()
            };
            let there = There {
                turn: Rotation3::from_euler_angles(0.4, -1.1, 2.0),
                shift: [0.3, -2.0, 0.7],
            };
            let dual = dual_of(&there.mesh(&sector), q, &Ranks::alone());
            let apart = dual_of(&there.mesh(&open), q, &Ranks::alone());
            let [volume, expected] = [&dual, &apart].map(|dual| dual.volume.iter().sum::<f64>());
            assert!((volume / expected - 1.0).abs() < 1e-13, "{volume} {expected}");
            assert!(dual.owned < apart.owned);
            let mut open = vec![[0.0; 3]; dual.owned];
            let mut add = |vertex: usize, area: Vector| (0..3).for_each(|d| open[vertex][d] += area[d]);
            for vertex in 0..dual.owned {
                dual.edges(vertex).for_each(|edge| add(vertex, dual.area[edge]));
            }
            for boundary in &dual.boundary {
                let areas = boundary.vertex.iter().zip(&boundary.area);
                areas.for_each(|(&vertex, &area)| add(vertex as usize, area));
            }
            assert!(open.iter().all(|sum| length(*sum) < 1e-14), "{angle} {around} {q}");
            // Both ends of an edge see it from either side, turned.
            let mut through = 0;
            for vertex in 0..dual.owned {
                for edge in dual.edges(vertex) {
                    let turns = dual.turns_of_edge(edge);
                    through += usize::from(turns != 0);
                    let near = |a: Vector, b: Vector| (0..3).all(|d| (a[d] + b[d]).abs() < 1e-14);
                    let is_back = |&back: &usize| {
                        dual.neighbour[back] as usize == vertex
                            && near(dual.turned(turns, dual.area[back]), dual.area[edge])
                            && near(dual.turned(turns, dual.displacement[back]), dual.displacement[edge])
                    };
                    let other = dual.neighbour[edge] as usize;
                    assert_eq!(dual.edges(other).filter(is_back).count(), 1, "{angle} {around} {q}");
                    let rotation = dual.rotation.as_ref().expect("a rotation");
                    let end = rotation.carried(turns, dual.position[other]);
                    let step = minus(end, dual.position[vertex]);
                    assert!(length(minus(step, dual.displacement[edge])) < 1e-13);
                }
            }
            assert!(through > 0);
        }
    }
}

/// The sector at a place, and the whole annulus about z. Each vertex of the sector has one there, turned by each number
/// of sectors.
struct Pair {
    sector: DualMesh,
    whole: DualMesh,
    lists: [Vec<BoundaryList>; 2],
    states: [Vec<Values>; 2],
    /// The vertex of the whole annulus, `[sector][vertex]`.
    there: Vec<Vec<usize>>,
}

impl Pair {
    fn new(around: usize, q: usize) -> Self {
        let place = There::about_z(0.0);
        let [mesh, of_whole] = [annulus(around), whole(around)].map(|annulus| place.mesh(&annulus));
        let [sector, whole] = [&mesh, &of_whole].map(|mesh| dual_of(mesh, q, &Ranks::alone()));
        let there = (0..SECTORS).map(|n| {
            let turn = turn_of(n);
            let found = matches(&sector, &whole, |x| turned(&turn, x));
            found.into_iter().map(|vertex| vertex.expect("a vertex")).collect()
        });
        Pair {
            lists: [duct(&sector, &mesh, &place), duct(&whole, &of_whole, &place)],
            states: [&sector, &whole].map(|dual| state_of(dual, &place)),
            there: there.collect(),
            sector,
            whole,
        }
    }

    /// Compares values at the vertices of the sector with those of the whole annulus.
    fn compare(&self, values: &[Values], of_whole: &[Values], near: f64, what: &str) {
        for (n, there) in self.there.iter().enumerate() {
            let turn = turn_of(n);
            for (vertex, values) in values.iter().enumerate() {
                let expected = of_whole[there[vertex]];
                let found = with_velocity(*values, |v| turned(&turn, v));
                let apart = found.iter().zip(expected).map(|(a, b)| (a - b).abs());
                let apart = apart.fold(0.0, f64::max);
                assert!(apart < near, "{what}: {apart:e} at {:?}", self.sector.position[vertex]);
            }
        }
    }
}

/// The rotation by so many sectors.
fn turn_of(n: usize) -> Rotation3<f64> {
    about_z(TAU / SECTORS as f64 * n as f64)
}

#[test]
fn residuals_of_a_sector_are_those_of_the_whole_annulus() {
    for [around, q] in [[1, 1], [2, 2]] {
        let pair = Pair::new(around, q);
        for n in 0..SECTORS {
            for (vertex, there) in pair.there[n].iter().enumerate() {
                let [a, b] = [pair.sector.wall_distance[vertex], pair.whole.wall_distance[*there]];
                assert!((a - b).abs() < 1e-12, "{a} {b}");
            }
        }
        for model in MODELS.into_iter().chain([Turbulence::None]) {
            for second_order_turbulence in [false, true] {
                let scheme = Scheme {
                    second_order_turbulence,
                    ..with_model(model)
                };
                let of = |dual: &DualMesh, lists: &[BoundaryList], state: &[Values]| {
                    let mut solver = on_cpu(dual, lists, &scheme, 1);
                    solver.set_state(state).expect("a state");
                    solver.residuals().expect("residuals")
                };
                let found = of(&pair.sector, &pair.lists[0], &pair.states[0]);
                let expected = of(&pair.whole, &pair.lists[1], &pair.states[1]);
                pair.compare(&found, &expected, 1e-12, &format!("{around} {q} {model:?}"));
            }
        }
        // Ten explicit steps.
        let of = |dual: &DualMesh, lists: &[BoundaryList], state: &[Values]| {
            let mut solver = on_cpu(dual, lists, &Scheme::default(), 1);
            solver.set_state(state).expect("a state");
            (0..10).for_each(|_| solver.step(1.5).expect("a step"));
            solver.state().expect("a state")
        };
        let found = of(&pair.sector, &pair.lists[0], &pair.states[0]);
        let expected = of(&pair.whole, &pair.lists[1], &pair.states[1]);
        pair.compare(&found, &expected, 1e-10, "ten steps");
    }
}

#[test]
fn a_sector_that_is_moved_gives_the_moved_solution_wherever_its_sides_lie() {
    let sector = annulus(3);
    let home = There::about_z(0.0);
    let moved = There {
        turn: Rotation3::from_euler_angles(0.4, -1.1, 2.0),
        shift: [0.3, -2.0, 0.7],
    };
    // A cell further around: its first cells are the last ones of the other.
    let pitch = sector.angle;
    let further = pitch / 3.0;
    let states = [home, moved, There::about_z(further)].map(|mesh_at| {
        // The flow of the last one stays where it is; only the sides of the mesh move.
        let flow_at = if mesh_at.shift == [0.0; 3] { home } else { mesh_at };
        let mesh = mesh_at.mesh(&sector);
        let dual = dual_of(&mesh, 2, &Ranks::alone());
        let lists = duct(&dual, &mesh, &flow_at);
        let mut solver = on_cpu(&dual, &lists, &with_model(Turbulence::Sst), 1);
        solver.set_state(&state_of(&dual, &flow_at)).expect("a state");
        (0..15).for_each(|_| solver.step(1.5).expect("a step"));
        (dual, solver.state().expect("a state"))
    });
    let [(dual, state), others @ ..] = &states;
    let mut seen = 0;
    for ((other, of_other), place) in others.iter().zip([moved, home]) {
        for turns in [-1.0, 0.0, 1.0] {
            let turn = about_z(turns * pitch);
            for (vertex, there) in matches(dual, other, |x| place.point(turned(&turn, x)))
                .iter()
                .enumerate()
            {
                let Some(there) = there else { continue };
                seen += 1;
                let expected = place.values(with_velocity(state[vertex], |v| turned(&turn, v)));
                for (a, b) in of_other[*there].iter().zip(expected) {
                    assert!((a - b).abs() < 1e-11 * b.abs().max(1.0), "{a} {b}");
                }
            }
        }
    }
    assert_eq!(seen, 2 * dual.len());
}

#[test]
fn uniform_flow_along_the_axis_has_no_residual() {
    let place = There::about_z(0.0);
    for [around, q] in [[1, 1], [2, 3]] {
        let mesh = place.mesh(&annulus(around));
        let mut dual = dual_of(&mesh, q, &Ranks::alone());
        // Far from walls, nu~ does not decay.
        dual.wall_distance.iter_mut().for_each(|d| *d = f64::INFINITY);
        let uniform: Values = [1.1, 0.0, 0.0, 0.4, 0.9, 0.05, 0.0];
        let mut lists = conditions(&dual, |_| (BoundaryKind::FarField, conserved(uniform)));
        lists
            .iter_mut()
            .for_each(|list| list.ratio = uniform[5] * uniform[0] / 1e-2);
        let mut solver = on_cpu(&dual, &lists, &Scheme::default(), 1);
        solver.set_state(&vec![uniform; dual.len()]).expect("a state");
        let residuals = solver.residuals().expect("residuals");
        let largest = residuals
            .as_flattened()
            .iter()
            .fold(0.0f64, |most, r| most.max(r.abs()));
        assert!(largest < 1e-13, "{largest:e}");
    }
}
