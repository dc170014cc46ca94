//! Mixing planes around an axis: flows that do not vary over the circumference pass, mass, momentum, angular momentum
//! and energy agree for any state, exact swirls keep their order, and ranks change no bit.

mod exact;
mod ranks;

use fr_les::mesh::{Annulus, Mesh};
use fr_les::physics::BoundaryKind;
use fr_les::ranks::Ranks;
use fr_les::solver::Motions;
use fr_les::steady::{BandPoints, BoundaryList, MixingPlane, Scheme, Solver, Turbulence, Values};
use fr_les::vector::{Vector, length, minus};

use super::Joined;
use crate::common::blocks::rename;
use crate::implicit::host;
use crate::solver::{GAS, conditions, conserved, with_model};

/// Length of a row.
const LENGTH: f64 = 0.6;

/// A row of cells around the z axis: the number of its sectors in a circle, the angle at which it begins, its cells
/// around, and the speed of its cells, seen from the row before it.
#[derive(Clone, Copy)]
struct Row {
    sectors: f64,
    begin: f64,
    around: usize,
    speed: f64,
}

/// A row at rest and one behind it that turns, with other pitches and beginnings.
fn two_rows(speed: f64) -> Vec<Row> {
    vec![
        Row {
            sectors: 8.0,
            begin: 0.2,
            around: 3,
            speed: 0.0,
        },
        Row {
            sectors: 12.0,
            begin: -1.7,
            around: 3,
            speed,
        },
    ]
}

/// Rows one behind the other, with the names a, b and so on, and so many cells along the radius and the axis. The inner
/// layers are hexahedra, so many, and the others prisms.
fn mesh_of(rows: &[Row], [radial, axial, hexahedra]: [usize; 3]) -> Mesh {
    let mut all: Option<Mesh> = None;
    for (n, row) in rows.iter().enumerate() {
        let sector = Annulus {
            inner: 1.0,
            outer: 2.0,
            length: LENGTH,
            angle: std::f64::consts::TAU / row.sectors,
            cells: [radial, row.around, axial],
            growth: 1.0,
            hex_layers: hexahedra,
            geometry_order: 3,
            periodic_angle: true,
            periodic_z: false,
        };
        let mut mesh = sector.build().expect("an annulus");
        let (sine, cosine) = row.begin.sin_cos();
        for x in &mut mesh.nodes {
            *x = [
                cosine * x[0] - sine * x[1],
                sine * x[0] + cosine * x[1],
                x[2] + n as f64 * LENGTH,
            ];
        }
        rename(&mut mesh, &name_of(n));
        all = Some(match all {
            None => mesh,
            Some(before) => before.beside(mesh).expect("rows"),
        });
    }
    all.expect("a row")
}

fn name_of(row: usize) -> String {
    format!("{}-", (b'a' + row as u8) as char)
}

/// Rows, their dual, and what joins them.
struct Stage {
    rows: Vec<Row>,
    joined: Joined,
}

impl Stage {
    fn new(rows: Vec<Row>, mesh: Mesh, points: usize, ranks: &Ranks) -> Self {
        let side = |name: &str| {
            let row = usize::from(name.as_bytes()[0] - b'a');
            match &name[2..] {
                "z+" if row + 1 < rows.len() => format!("interface, with: {}z-, axis: z", name_of(row + 1)),
                "z-" if row > 0 => {
                    let before = name_of(row - 1);
                    format!(
                        "interface, with: {before}z+, axis: z, angular-speed: {}",
                        rows[row].speed
                    )
                }
                _ => "slip".to_owned(),
            }
        };
        let joined = Joined::with(mesh, points, |name| name.ends_with("inner"), side, ranks);
        Stage { rows, joined }
    }

    /// Lets the rows turn. Collective.
    fn turn(&mut self, planes: &[MixingPlane], ranks: &Ranks) {
        let motions = Motions(planes.iter().map(|plane| plane.motion.clone()).collect());
        self.joined.dual.turn_blocks(&motions, ranks);
    }

    /// The row of a place off the planes.
    fn row_at(&self, x: Vector) -> usize {
        ((x[2] / LENGTH).max(0.0) as usize).min(self.rows.len() - 1)
    }

    /// The row of each local vertex; on a plane, that of its neighbours.
    fn row_of(&self, vertex: usize) -> usize {
        self.row_at(self.joined.dual.within(vertex))
    }

    /// Angular speed of a row, seen from the first one.
    fn speed(&self, row: usize) -> f64 {
        self.rows[..=row].iter().map(|row| row.speed).sum()
    }

    /// A value of each owned vertex, seen from its row.
    fn state(&self, of: impl Fn(Vector) -> Values) -> Vec<Values> {
        let owned = 0..self.joined.dual.owned;
        owned
            .map(|vertex| {
                let x = self.joined.dual.position[vertex];
                seen_from(self.speed(self.row_of(vertex)), x, of(x))
            })
            .collect()
    }

    /// Slip walls, and far fields of a flow at both ends and in place of the planes.
    fn lists(&self, of: impl Fn(Vector) -> Values) -> Vec<BoundaryList> {
        let names = &self.joined.mesh.boundary_names;
        let mut lists = conditions(&self.joined.dual, |b| match &names[b][2..] {
            "inner" | "outer" => (BoundaryKind::Slip, [0.0; 6]),
            _ => (BoundaryKind::FarField, [0.0; 6]),
        });
        for (list, name) in lists.iter_mut().zip(names) {
            let speed = self.speed(usize::from(name.as_bytes()[0] - b'a'));
            if list.kind == BoundaryKind::FarField {
                for (vertex, data) in list.vertex.iter().zip(&mut list.data) {
                    let x = self.joined.dual.position[*vertex as usize];
                    *data = conserved(seen_from(speed, x, of(x)));
                }
            }
        }
        lists
    }
}

/// Values as they are seen from a frame that turns about z at `speed`.
fn seen_from(speed: f64, [x, y, _]: Vector, [rho, u, v, w, t, first, second]: Values) -> Values {
    [rho, u + speed * y, v - speed * x, w, t, first, second]
}

fn solver(stage: &Stage, lists: &[BoundaryList], scheme: &Scheme) -> Solver<fr_les::device::cpu::Host> {
    Solver::new(host(1), &stage.joined.dual, lists, &GAS, scheme, Ranks::alone()).expect("a solver")
}

/// Axial flow.
fn uniform(_: Vector) -> Values {
    [1.1, 0.0, 0.0, 0.4, 0.9, 0.05, 4.0]
}

/// Swirls in radial equilibrium with the density 1 (J. H. Horlock, Axial Flow Turbines, 1966, chapter 5): of a free
/// vortex, and of a solid body.
fn free_vortex([x, y, _]: Vector) -> Values {
    let square = x * x + y * y;
    let turning = 0.4 / square;
    let t = 1.0 / 1.4 - 0.08 / square;
    [1.0, -y * turning, x * turning, 0.3, t, 0.05, 4.0]
}

fn solid_body([x, y, _]: Vector) -> Values {
    let square = x * x + y * y;
    [1.0, -0.2 * y, 0.2 * x, 0.3, 0.6 + 0.02 * square, 0.05, 4.0]
}

#[test]
fn flows_that_do_not_vary_over_the_circumference_pass_as_through_far_fields() {
    for (name, flow) in [
        ("uniform", uniform as fn(Vector) -> Values),
        ("free vortex", free_vortex),
        ("solid body", solid_body),
    ] {
        for speed in [0.0, 0.7, -0.5] {
            for points in [1, 2, 3] {
                let rows = two_rows(speed);
                let mesh = mesh_of(&rows, [3, 2, 2]);
                let mut stage = Stage::new(rows, mesh, points, &Ranks::alone());
                let lists = stage.lists(flow);
                let planes = stage.joined.planes(&lists, &Ranks::alone()).expect("a plane");
                // A prism of degree 3 has a point within its triangle, and hexahedra have none at its radius.
                assert_eq!(planes[0].bands.len(), [4, 7, 12][points - 1]);
                stage.turn(&planes, &Ranks::alone());
                let scheme = with_model(Turbulence::None);
                let state = stage.state(flow);
                let residuals = [false, true].map(|mixes| {
                    let mut solver = solver(&stage, &lists, &scheme);
                    if mixes {
                        solver
                            .set_planes(&planes, &stage.joined.dual, &lists, &GAS)
                            .expect("memory");
                    }
                    solver.set_state(&state).expect("a state");
                    (solver.residuals().expect("residuals"), solver.agreements().to_vec())
                });
                let [(expected, _), (found, agreements)] = residuals;
                let apart = found.as_flattened().iter().zip(expected.as_flattened());
                let apart = apart.fold(0.0f64, |most, (a, b)| most.max((a - b).abs()));
                let largest = expected.as_flattened().iter().fold(0.0f64, |most, r| most.max(r.abs()));
                println!("{name} {speed} {points}: {apart:e} of {largest:e}, {agreements:?}");
                assert!(apart < 1e-7, "{name} {speed} {points}: {apart:e}");
                if name == "uniform" && speed == 0.0 {
                    let largest = found.as_flattened().iter().fold(0.0f64, |most, r| most.max(r.abs()));
                    assert!(largest < 2e-13, "{points}: {largest:e}");
                }
                assert!(agreements[0].difference < 1e-13, "{agreements:?}");
            }
        }
    }
}

/// A state that changes from vertex to vertex.
fn rough(x: Vector) -> Values {
    let wave = |v: usize| (7.0 * x[0] + 5.0 * x[1] - 3.0 * x[2] + v as f64).sin();
    let mean = [1.1, 0.2, 0.3, 0.4, 0.9, 0.05, 4.0];
    std::array::from_fn(|v| mean[v] * (1.0 + 0.2 * wave(v)))
}

/// Fluxes of mass, momentum along the axis and the radius, angular momentum and energy in the frame at rest, of those
/// that a frame at this angular speed sees through a point.
fn at_rest(speed: f64, [x, y, _]: Vector, [mass, a, b, c, energy]: [f64; 5]) -> [f64; 5] {
    let radius = x.hypot(y);
    let radial = (x * a + y * b) / radius;
    let moment = x * b - y * a;
    let absolute = moment + mass * speed * radius * radius;
    let energy = energy + speed * moment + 0.5 * mass * (speed * radius) * (speed * radius);
    [mass, c, radial, absolute, energy]
}

/// What passes each side in each band, per area, in the frame at rest.
fn passing(stage: &Stage, plane: &MixingPlane, through: &[[f64; 5]]) -> Vec<[[f64; 5]; 2]> {
    let of_band = |band: &BandPoints| {
        [0, 1].map(|side| {
            let mut sum = [0.0; 5];
            for &point in &band.points[side] {
                let number = plane.points[side][point].number;
                let on_side = |vertex: &u32| stage.joined.dual.global[*vertex as usize] == number;
                let list = &stage.joined.dual.boundary[plane.boundaries[side]];
                let vertex = *list.vertex.iter().find(|vertex| on_side(vertex)).expect("a vertex") as usize;
                let speed = stage.speed(stage.row_of(vertex));
                let fluxes = at_rest(speed, stage.joined.dual.position[vertex], through[vertex]);
                (0..5).for_each(|v| sum[v] += fluxes[v] / band.areas[side]);
            }
            sum
        })
    };
    plane.bands.iter().map(of_band).collect()
}

#[test]
fn mass_momentum_angular_momentum_and_energy_of_a_rough_state_pass_from_row_to_row() {
    for (sense, model) in [
        (1.0, Turbulence::None),
        (-1.0, Turbulence::SaNeg),
        (1.0, Turbulence::Sst),
    ] {
        let mut rows = two_rows(0.6);
        rows.push(Row {
            sectors: 9.0,
            begin: 3.0,
            around: 2,
            speed: -0.9,
        });
        let mesh = mesh_of(&rows, [2, 2, 1]);
        let mut stage = Stage::new(rows, mesh, 2, &Ranks::alone());
        let lists = stage.lists(rough);
        let planes = stage.joined.planes(&lists, &Ranks::alone()).expect("planes");
        stage.turn(&planes, &Ranks::alone());
        // Speeds add.
        for vertex in 0..stage.joined.dual.owned {
            let expected = [0.0, 0.6, 0.6 - 0.9][stage.row_of(vertex)];
            assert!((stage.joined.dual.frame_speed[vertex] - expected).abs() < 1e-15);
        }
        let state = stage.state(|x| {
            let mut value = rough(x);
            value[3] *= sense;
            value
        });
        // The planes against walls of slip in their place, whose pressure is known.
        let mut closed = lists.clone();
        for plane in &planes {
            plane
                .boundaries
                .iter()
                .for_each(|&b| closed[b].kind = BoundaryKind::Slip);
        }
        let [open, shut] = [&lists, &closed].map(|of| {
            let mut solver = solver(&stage, of, &with_model(model));
            if std::ptr::eq(of, &lists) {
                solver
                    .set_planes(&planes, &stage.joined.dual, of, &GAS)
                    .expect("memory");
            }
            solver.set_state(&state).expect("a state");
            (solver.residuals().expect("residuals"), solver.agreements().to_vec())
        });
        for (plane, agreement) in planes.iter().zip(&open.1) {
            let mut through = vec![[0.0; 5]; stage.joined.dual.owned];
            for &b in &plane.boundaries {
                for (&vertex, area) in lists[b].vertex.iter().zip(&lists[b].area) {
                    let vertex = vertex as usize;
                    let [rho, _, _, _, t, ..] = state[vertex];
                    for v in 0..5 {
                        let push = if (1..4).contains(&v) {
                            rho * t * area[v - 1]
                        } else {
                            0.0
                        };
                        through[vertex][v] = open.0[vertex][v] - shut.0[vertex][v] + push;
                    }
                }
            }
            let bands = passing(&stage, plane, &through);
            assert_eq!(bands.len(), 5);
            let mut mass = [0.0; 2];
            for (sides, band) in bands.iter().zip(&plane.bands) {
                let [one, other] = sides;
                for v in 0..5 {
                    assert!((one[v] + other[v]).abs() < 2e-12, "{model:?} {v}: {one:?} {other:?}");
                }
                (0..2).for_each(|side| mass[side] += sides[side][0] * band.areas[side]);
            }
            assert!(mass[0] * sense > 0.1, "gas passes: {mass:?}");
            let [first, second] = agreement.annulus.expect("a plane around the axis");
            let sectors = plane.pitches.map(|pitch| std::f64::consts::TAU / pitch);
            assert!((first.mass - sectors[0] * mass[0]).abs() < 1e-11, "{first:?} {mass:?}");
            assert!(
                (second.mass + sectors[1] * mass[1]).abs() < 1e-11,
                "{second:?} {mass:?}"
            );
            // The areas are those of polygons.
            let expected = std::f64::consts::PI * 3.0;
            assert!(
                (first.area / expected - 1.0).abs() < 6e-3 && first.area < expected,
                "{first:?}"
            );
        }
    }
}

#[test]
fn walls_are_seen_in_the_images_of_their_own_row() {
    // The distance from walls at the sides of the sector of one row is that from their images, and not from those by
    // the angle of the other row.
    let rows = two_rows(0.5);
    let stage = Stage::new(rows.clone(), mesh_of(&rows, [3, 2, 2]), 2, &Ranks::alone());
    let alone = [0, 1].map(|row| {
        let mut of_row = vec![rows[row]];
        of_row[0].speed = 0.0;
        Stage::new(of_row.clone(), mesh_of(&of_row, [3, 2, 2]), 2, &Ranks::alone())
    });
    for vertex in 0..stage.joined.dual.owned {
        let row = stage.row_of(vertex);
        let mut x = stage.joined.dual.position[vertex];
        x[2] -= row as f64 * LENGTH;
        let other = &alone[row].joined.dual;
        let there = other.position.iter().position(|y| length(minus(*y, x)) < 1e-9);
        let distance = other.wall_distance[there.expect("the same vertex")];
        // The inner walls of both rows are one cylinder.
        assert!(
            (stage.joined.dual.wall_distance[vertex] - distance).abs() < 2e-3,
            "{x:?}"
        );
    }
    let angles = stage.joined.dual.angles(&Ranks::alone());
    let sectors = |vertex: usize| {
        let rotation = stage.joined.dual.rotation.as_ref().expect("rotations");
        std::f64::consts::TAU / rotation.angle(angles[vertex].expect("an angle"))
    };
    for vertex in 0..stage.joined.dual.owned {
        let expected = stage.rows[stage.row_of(vertex)].sectors;
        assert!((sectors(vertex) - expected).abs() < 1e-9);
    }
}
