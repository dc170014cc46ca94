//! The report on the resolution, of a shear whose wall units and scales are known.

use crate::common::program::with_case;
use crate::meshes::{WIDTH, a_box, box_with_dual};
use fr_les::case::{BoxElements, BoxMesh, Case};
use fr_les::element::{Correction, Elements};
use fr_les::io::Provenance;
use fr_les::physics::{Gas, Viscosity};
use fr_les::ranks::Ranks;
use fr_les::steady::{
    Adequacy, Profile, Solution, Turbulence, TurbulentCell, Values, WallFace, adequacy_text, adequacy_warnings,
    eddy_viscosity,
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
        cells: Vec::new(),
        volume: 1.0,
    }
}

#[test]
fn verdicts_tell_the_share_that_is_too_coarse_and_the_log_warns() {
    for (y_plus, line, warned) in [
        ([0.5, 0.9], "| 1 | 100.0 % | good |", false),
        ([0.5, 1.5], "| 1 | 75.0 % | tolerable |", false),
        ([0.5, 13.0], "| 1 | 75.0 % | too coarse on 25.0 % of the area |", true),
        ([3.0, 13.0], "| 1 | 0.0 % | too coarse everywhere |", true),
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
            let said = ["`blade`", "y1+ is up to 13", "of the height 0.03846"];
            assert!(said.iter().all(|part| warnings[0].contains(part)), "{warnings:?}");
        }
    }
}
