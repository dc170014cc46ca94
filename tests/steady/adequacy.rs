//! The report on the resolution, of a shear whose wall units and scales are known.

use crate::common::program::with_case;
use crate::meshes::{WIDTH, a_box, box_with_dual};
use fr_les::case::{BoxElements, BoxMesh, Case};
use fr_les::element::{Correction, Elements};
use fr_les::geometry::Geometry;
use fr_les::io::Provenance;
use fr_les::mesh::build_box;
use fr_les::physics::{Gas, Viscosity};
use fr_les::ranks::Ranks;
use fr_les::steady::{
    Adequacy, DualMesh, Profile, Solution, Station, Turbulence, TurbulentCell, Values, WallFace, adequacy_text,
    adequacy_warnings, eddy_viscosity,
};

const MU: f64 = 0.06;
const RHO: f64 = 1.2;
const SHEAR: f64 = 3.0;
const CELLS: [usize; 3] = [2, 4, 2];

const GAS: Gas = Gas {
    gamma: 1.4,
    prandtl: 0.71,
    gas_constant: 1.0,
    viscosity: Some(Viscosity::Constant(MU)),
};

/// The report on a straight box with a shear u = SHEAR (y - y0) and a constant nu~, and the profile along y at x = 0.4.
fn report(elements: BoxElements, q: usize, nu_tilde: f64) -> (Adequacy, Profile) {
    let b = BoxMesh {
        warp: 0.0,
        stretch: [None; 3],
        ..a_box(elements, CELLS, [true, false, true])
    };
    let (mesh, geometry, dual) = box_with_dual(&b, q);
    let values: Vec<Values> = dual
        .position
        .iter()
        .map(|x| [RHO, SHEAR * (x[1] - b.lower[1]), 0.0, 0.0, 1.0, nu_tilde, 0.0])
        .collect();
    let ranks = Ranks::alone();
    let gradient = dual.gradient(|v| [values[v][1], values[v][2], values[v][3]], &ranks);
    let solution = Solution {
        mesh: &mesh,
        order: q,
        dual: &dual,
        gas: &GAS,
        model: Turbulence::SaNeg,
        values: &values,
        gradient: &gradient,
    };
    let elements = Elements::new(q, Correction::Radau, &mesh.kinds_present());
    (
        Adequacy::new(&solution, &geometry, &elements, |_| true, &ranks),
        Profile::new(&solution, [0, 1], 0.4, &ranks),
    )
}

fn near(a: f64, b: f64) -> bool {
    (a / b - 1.0).abs() < 1e-12
}

#[test]
fn wall_units_are_those_of_the_shear() {
    for elements in [BoxElements::Hex, BoxElements::Prism, BoxElements::Tet] {
        let (report, _) = report(elements, 2, 0.0);
        let per_square = if elements == BoxElements::Tet { 2 } else { 1 };
        assert_eq!(report.walls.len(), 2 * per_square * CELLS[0] * CELLS[2], "{elements:?}");
        let velocity = (MU * SHEAR / RHO).sqrt();
        let units = velocity * RHO / MU;
        let edge = |d: usize| WIDTH[d] / CELLS[d] as f64;
        let mut area = 0.0;
        for face in &report.walls {
            assert!(near(face.friction_velocity, velocity), "{elements:?} {face:?}");
            let sizes = [edge(1), edge(0), edge(2)].map(|size| 0.5 * size * units);
            for (found, exact) in face.spacing.iter().zip(sizes) {
                assert!(near(*found, exact), "{elements:?} {face:?} {sizes:?}");
            }
            assert!(near(face.cell_height, edge(1)));
            assert_eq!(face.inner_layers, 2);
            area += face.area;
        }
        assert!(near(area, 2.0 * WIDTH[0] * WIDTH[2]));
        assert!(report.cells.is_empty());
        let text = adequacy_text(&report, Turbulence::None);
        assert!(
            text.contains("`turbulence: none`") && !text.contains("fully turbulent"),
            "{text}"
        );
        let said = [
            "## Wall `y-`",
            "## Wall `y+`",
            "| y1+ |",
            "tolerable",
            "No cell that touches no wall",
        ];
        assert!(said.iter().all(|part| text.contains(part)), "{text}");
    }
}

#[test]
fn cells_are_compared_with_the_scales_of_the_turbulence() {
    let (nu, nu_tilde) = (MU / RHO, 10.0 * MU / RHO);
    let (report, profile) = report(BoxElements::Hex, 2, nu_tilde);
    // The two layers of cells between those at the walls.
    assert_eq!(report.cells.len(), CELLS[0] * 2 * CELLS[2]);
    let eddy = eddy_viscosity(nu_tilde, nu);
    assert!(near(eddy / nu, 10.0 * 1000.0 / (1000.0 + 7.1f64.powi(3))));
    let energy = eddy * SHEAR / 0.31;
    let dissipation = 0.09 * energy * energy / eddy;
    // In equilibrium production nu_t S^2 is the dissipation up to 0.09/0.31^2.
    assert!(near(dissipation / (eddy * SHEAR * SHEAR), 0.09 / (0.31 * 0.31)));
    let volume: f64 = (0..3).map(|d| WIDTH[d] / CELLS[d] as f64).product();
    let size = volume.cbrt() / 2.0;
    for cell in &report.cells {
        assert!(near(cell.volume, volume));
        assert!(
            near(cell.over_kolmogorov, size / (nu.powi(3) / dissipation).powf(0.25)),
            "{cell:?}"
        );
        assert!(
            near(cell.over_large, size / (energy.powf(1.5) / dissipation)),
            "{cell:?}"
        );
    }
    let text = adequacy_text(&report, Turbulence::SaNeg);
    assert!(text.contains("fully turbulent"), "{text}");
    // The size of cells over both lengths exceeds the limits in all of them or in none.
    let beyond = |value: fn(&TurbulentCell) -> f64, limit: f64| value(&report.cells[0]) > limit;
    for (name, coarse) in [
        ("length of Kolmogorov", beyond(|cell| cell.over_kolmogorov, 15.0)),
        ("length of the large eddies", beyond(|cell| cell.over_large, 0.125)),
    ] {
        let words = if coarse {
            "| 0.0 % | too coarse everywhere |"
        } else {
            "| 100.0 % | good |"
        };
        let line = text
            .lines()
            .find(|line| line.contains(name) && line.ends_with('|'))
            .expect("a line");
        assert!(line.ends_with(words), "{line}");
    }
    assert!(text.contains("8 cells with 50.0 % of the volume"), "{text}");

    // The profile has a row for each height, with the values of the shear and the stresses of Boussinesq.
    assert_eq!(profile.rows.len(), 2 * CELLS[1] + 1);
    for (i, row) in profile.rows.iter().enumerate() {
        let [
            y,
            rho,
            u,
            v,
            w,
            p,
            temperature,
            k,
            epsilon,
            length,
            uu,
            vv,
            ww,
            uv,
            uw,
            vw,
            distance,
        ] = *row;
        let height = y - 0.25;
        let exact_height = WIDTH[1] * i as f64 / (2 * CELLS[1]) as f64;
        assert!((height - exact_height).abs() < 1e-14 && near(rho, RHO) && near(p, RHO) && near(temperature, 1.0));
        assert!((u - SHEAR * height).abs() < 1e-13 && v == 0.0 && w == 0.0);
        assert!((distance - height).abs() < 1e-14);
        // At the walls the gradients of reports are one-sided.
        if i > 0 && i < 2 * CELLS[1] {
            assert!(near(k, energy) && near(epsilon, dissipation), "{row:?}");
            assert!(near(length, 0.43 * energy.powf(1.5) / dissipation));
            for normal in [uu, vv, ww] {
                assert!(near(normal, 2.0 / 3.0 * energy));
            }
            assert!(near(uv, -eddy * SHEAR) && uw.abs() + vw.abs() < 1e-12);
        }
    }
    // The table is one that boundaries read.
    let case = "mesh: {box: {cells: [2, 4, 1], lower: [-1, 0.25, 0], upper: [2, 1.5, 1], periodic: [z]}}\norder: 2\n\
                initial: {u: 1, v: 0, w: 0, p: 1, rho: 1}\nboundaries:\n  y-: {type: slip}\n  y+: {type: slip}\n  \
                x+: {type: pressure-outlet, p: 1}\n  x-:\n    type: velocity-inlet\n    u: {file: inlet.csv, \
                along: y}\n    v: 0\n    w: 0\n    temperature: {file: inlet.csv, along: y, column: T}\n    \
                turbulence:\n      \
                length: {file: inlet.csv, along: y}\n      stresses: [{file: inlet.csv, along: y, column: uu}, \
                {file: inlet.csv, along: y, column: vv}, {file: inlet.csv, along: y, column: ww}, \
                {file: inlet.csv, along: y, column: uv}, 0, 0]\ntime: {steps: 1}\n";
    let directory = with_case(case);
    let provenance = Provenance::of_this_program();
    let comments = ["plane x = 0.4".to_owned()];
    profile
        .write(&directory.path().join("inlet.csv"), &comments, &provenance)
        .expect("a table");
    let case = Case::parse(case, &directory.path().join("run.yaml"), &[]).expect("a case");
    assert!(case.solver.boundaries.len() == 4);
}

/// Two faces of a wall with the areas 3 and 1.
fn two_faces(y_plus: [f64; 2]) -> Adequacy {
    let face = |(cell, area): (usize, f64)| WallFace {
        boundary: 0,
        cell,
        face: 0,
        centre: [0.0; 3],
        point: [0.0; 3],
        normal: [0.0, 1.0, 0.0],
        velocity: [0.0; 3],
        area,
        friction_velocity: 1.0,
        cell_height: 0.5,
        spacing: [y_plus[cell], 10.0, 10.0],
        inner_layers: 3,
    };
    Adequacy {
        boundaries: vec!["blade".to_owned()],
        order: 3,
        walls: [(0, 3.0), (1, 1.0)].map(face).to_vec(),
        stations: Vec::new(),
        cells: Vec::new(),
        volume: 1.0,
    }
}

#[test]
fn verdicts_tell_the_share_that_is_too_coarse_and_the_log_warns() {
    for (y_plus, line, warned) in [
        ([0.5, 0.9], "| 1, tolerable 2 | 100.0 % | good |", false),
        ([0.5, 1.5], "| 1, tolerable 2 | 75.0 % | tolerable |", false),
        (
            [0.5, 13.0],
            "| 1, tolerable 2 | 75.0 % | too coarse on 25.0 % of the area |",
            true,
        ),
        ([3.0, 13.0], "| 1, tolerable 2 | 0.0 % | too coarse everywhere |", true),
    ] {
        let report = two_faces(y_plus);
        let text = adequacy_text(&report, Turbulence::SaNeg);
        let found = text
            .lines()
            .find(|line| line.starts_with("| y1+ | ") && line.contains(" % |"));
        assert!(found.is_some_and(|found| found.ends_with(line)), "{found:?} {line}");
        let warnings = adequacy_warnings(&report);
        assert_eq!(!warnings.is_empty(), warned, "{warnings:?}");
        assert_eq!(text.contains("outside the viscous sublayer"), warned, "{text}");
        if warned {
            // 0.5 over 13.
            let said = [
                "`blade`",
                "y1+ is up to 13.00",
                "of the height 0.03846 would have at most 1, by a shear stress that this mesh does not resolve",
            ];
            assert!(said.iter().all(|part| warnings[0].contains(part)), "{warnings:?}");
        }
        let bound = "y1+ is at most 1 everywhere on this wall, by the shear stress of this solution. Where y1+ is \
                     above 5, the shear stress is too small, since this mesh does not resolve it";
        assert_eq!(text.contains(bound), warned, "{text}");
    }
}

#[test]
fn figures_have_four_digits_and_the_limit_of_layers_is_that_of_the_cell() {
    let mut report = two_faces([0.5, 1.99996]);
    report.walls[1].spacing[1] = 12_345.6;
    report.walls[1].friction_velocity = 1.23456e-5;
    report.walls.iter_mut().for_each(|face| face.inner_layers = 1);
    let text = adequacy_text(&report, Turbulence::SaNeg);
    for part in [
        "| 0.8750 | 2.000 | 1, tolerable 2 |",
        "| 1.235e4 |",
        "| 1.235e-5 |",
        "mean friction velocity 0.7500",
        "| 1.000 | fewest 1 | 3 | 0.0 % | too few |",
    ] {
        assert!(text.contains(part), "no {part} in {text}");
    }
    report.order = 1;
    let text = adequacy_text(&report, Turbulence::SaNeg);
    assert!(
        text.contains("| 1.000 | fewest 1 | 1, all that it has | 100.0 % | good |"),
        "{text}"
    );
}

/// The stations of a box of a length and a height of 1 and 0.4 from x = 0.5 on, periodic in z, in which the gas has
/// these velocities in x and y. `walls` are among `y-` and `y+`.
fn stations(elements: BoxElements, nu: f64, walls: &[&str], velocity: impl Fn(f64, f64) -> [f64; 2]) -> Vec<Station> {
    let b = BoxMesh {
        lower: [0.5, 0.0, 0.0],
        upper: [1.5, 0.4, 0.2],
        warp: 0.0,
        stretch: [None, Some(4.0), None],
        ..a_box(elements, [4, 28, 2], [false, false, true])
    };
    let (q, ranks) = (2, Ranks::alone());
    let mesh = build_box(&b, 1).expect("a box");
    let elements = Elements::new(q, Correction::Radau, &mesh.kinds_present());
    let geometry = Geometry::new(&mesh, &elements).expect("good cells");
    let is_wall = |boundary: usize| walls.contains(&mesh.boundary_names[boundary].as_str());
    let dual = DualMesh::new(&mesh, &geometry, q, is_wall, &ranks).expect("a dual");
    let at = |x: &[f64; 3]| {
        let [u, v] = velocity(x[0], x[1]);
        [1.0, u, v, 0.0, 1.0, 0.0, 0.0]
    };
    let values: Vec<Values> = dual.position.iter().map(at).collect();
    let gradient = dual.gradient(|v| [values[v][1], values[v][2], values[v][3]], &ranks);
    let gas = Gas {
        viscosity: Some(Viscosity::Constant(nu)),
        ..GAS
    };
    let solution = Solution {
        mesh: &mesh,
        order: q,
        dual: &dual,
        gas: &gas,
        model: Turbulence::None,
        values: &values,
        gradient: &gradient,
    };
    let report = Adequacy::new(&solution, &geometry, &elements, is_wall, &ranks);
    let text = adequacy_text(&report, Turbulence::None);
    let layers = report.stations.iter().filter(|station| station.layer.is_some()).count();
    assert_eq!(
        text.matches("| no edge |").count(),
        report.stations.len() - layers,
        "{text}"
    );
    assert!(
        text.contains("| largest y1+ | (") && text.contains("| mean y1+ | ("),
        "{text}"
    );
    report.stations
}

/// f and f' of similar layers f''' + a f f'' + b (1 - f'^2) = 0 with f''(0) at the variable `eta`, by Runge and Kutta.
fn similar([a, b, curvature]: [f64; 3]) -> impl Fn(f64) -> [f64; 2] {
    let slope = move |[f, u, s]: [f64; 3]| [u, s, -a * f * s - b * (1.0 - u * u)];
    let step = 1e-3;
    let mut table = vec![[0.0, 0.0, curvature]];
    for _ in 0..9000 {
        let at = table[table.len() - 1];
        let ahead = |k: [f64; 3], h: f64| -> [f64; 3] { std::array::from_fn(|i| at[i] + h * k[i]) };
        let first = slope(at);
        let second = slope(ahead(first, 0.5 * step));
        let third = slope(ahead(second, 0.5 * step));
        let fourth = slope(ahead(third, step));
        let mean = std::array::from_fn(|i| (first[i] + 2.0 * second[i] + 2.0 * third[i] + fourth[i]) / 6.0);
        table.push(ahead(mean, step));
    }
    move |eta: f64| {
        // Outside f' is 1; shooting with finite digits would leave it at last.
        let inner = eta.min(step * (table.len() - 2) as f64);
        let (n, share) = ((inner / step) as usize, (inner / step).fract());
        let [f, u] = [0, 1].map(|i| table[n][i] + share * (table[n + 1][i] - table[n][i]));
        [f + eta - inner, u]
    }
}

#[test]
fn boundary_layers_are_those_of_blasius_and_hiemenz() {
    let near = |a: f64, b: f64, part: f64| (a / b - 1.0).abs() < part;
    let nu = 1e-4;
    let blasius = similar([0.5, 0.0, 0.332_057_336_2]);
    let plate = |x: f64, y: f64| {
        let scale = (nu * x).sqrt();
        let [f, u] = blasius(y / scale);
        [u, 0.5 * (nu / x).sqrt() * (y / scale * u - f)]
    };
    for elements in [BoxElements::Hex, BoxElements::Prism, BoxElements::Tet] {
        let found = stations(elements, nu, &["y-"], plate);
        assert_eq!(found.len(), 2);
        for station in found {
            let layer = station.layer.expect("an edge");
            let length = (nu * station.wall[0]).sqrt();
            assert!(
                near(layer.thickness, 4.91 * length, 0.02),
                "{elements:?} {station:?} {length}"
            );
            assert!(
                near(layer.displacement, 1.7208 * length, 0.015),
                "{elements:?} {station:?} {length}"
            );
            assert!(
                near(layer.momentum, 0.6641 * length, 0.01),
                "{elements:?} {station:?} {length}"
            );
            assert!(near(layer.shape_factor(), 2.591, 0.01), "{elements:?} {station:?}");
            assert!(
                near(layer.reynolds, 0.6641 * length / nu, 0.01),
                "{elements:?} {station:?}"
            );
        }
    }
    // Towards a stagnation point the speed grows with the distance far outside of the layer.
    let (rate, hiemenz) = (1.0, similar([1.0, 1.0, 1.232_587_65]));
    let scale = (nu / rate).sqrt();
    let wedge = |x: f64, y: f64| {
        let [f, u] = hiemenz(y / scale);
        [rate * x * u, -rate * scale * f]
    };
    for station in stations(BoxElements::Hex, nu, &["y-"], wedge) {
        let layer = station.layer.expect("an edge");
        assert!(near(layer.thickness, 2.379 * scale, 0.03), "{station:?}");
        assert!(near(layer.displacement, 0.6479 * scale, 0.03), "{station:?}");
        assert!(near(layer.momentum, 0.2923 * scale, 0.03), "{station:?}");
    }
    // A seventh power on the other wall, which moves.
    let power = |_: f64, y: f64| [2.0 - ((0.4 - y) / 0.15).min(1.0).powf(1.0 / 7.0), 0.0];
    for station in stations(BoxElements::Hex, nu, &["y+"], power) {
        let layer = station.layer.expect("an edge");
        assert!(near(layer.momentum, 7.0 / 72.0 * 0.15, 0.02), "{station:?}");
        assert!(near(layer.shape_factor(), 9.0 / 7.0, 0.02), "{station:?}");
        assert!(near(layer.thickness, 0.15 * 0.99f64.powi(7), 0.02), "{station:?}");
    }
    // The flow between two walls has vorticity everywhere.
    let channel = stations(BoxElements::Hex, nu, &["y-", "y+"], |_, y| [y * (0.4 - y), 0.0]);
    assert_eq!(channel.len(), 4);
    assert!(channel.iter().all(|station| station.layer.is_none()), "{channel:?}");
}
