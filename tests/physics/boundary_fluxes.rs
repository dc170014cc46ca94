//! Fluxes through the boundaries: they agree with exact solutions, and balance the change of the domain.

use std::process::Command;

use crate::common::cases::solver;
use crate::common::couette::couette;
use fr_les::io::read_series;
use fr_les::mesh::Annulus;
use fr_les::output::BoundaryFlux;
use fr_les::solver::Solver;

const ELEMENTS: [&str; 5] = ["hex", "prism", "tet", "pyramid", "mixed"];

/// Returns the fluxes of all boundaries by name, at the present state and t = 0.
fn fluxes(s: &mut Solver) -> Vec<(String, BoundaryFlux)> {
    s.evaluate_rhs(0.0).unwrap();
    let boundaries = s.boundary_fluxes();
    let fluxes = boundaries.take(s.device.as_mut(), &s.domain.ranks).unwrap();
    boundaries.names().iter().cloned().zip(fluxes).collect()
}

/// Returns the flux of one boundary.
fn of(fluxes: &[(String, BoundaryFlux)], name: &str) -> BoundaryFlux {
    fluxes
        .iter()
        .find(|(n, _)| n == name)
        .unwrap_or_else(|| panic!("no {name}"))
        .1
}

/// Returns the largest difference of the components.
fn difference(a: [f64; 3], b: [f64; 3]) -> f64 {
    (0..3).map(|m| (a[m] - b[m]).abs()).fold(0.0, f64::max)
}

#[test]
fn couette_flow_shears_its_walls_by_mu_u_over_h_and_heats_them_by_its_work() {
    // u = U y/h and T = 1 + Pr U^2/(2 cp) y/h (1 - y/h) with p = 1 are polynomials that the elements represent exactly.
    let mu = 0.05;
    let h = 0.5;
    let speed = 1.5;
    let depth = 2.0;
    let area = depth * 1.0;
    let shear = mu * speed / h * area;
    for elements in ELEMENTS {
        for order in [2, 3] {
            let mut s = solver(&couette(elements, order, mu, h, speed));
            let all = fluxes(&mut s);
            let (lower, upper) = (of(&all, "y-"), of(&all, "y+"));
            // Half of the work of the upper wall leaves as heat through either wall.
            let error = [
                difference(lower.force, [shear, -area, 0.0]),
                difference(upper.force, [-shear, area, 0.0]),
                difference(lower.viscous, [shear, 0.0, 0.0]),
                difference(upper.viscous, [-shear, 0.0, 0.0]),
                (lower.energy - 0.5 * shear * speed).abs(),
                (upper.energy + 0.5 * shear * speed).abs(),
                lower.mass.abs().max(upper.mass.abs()),
                (lower.area.size - area).abs().max((upper.area.size - area).abs()),
            ];
            let worst = error.iter().copied().fold(0.0, f64::max);
            println!(
                "Couette {elements} p {order}: shear {:.15} of {shear}, worst error {worst:.1e}",
                lower.force[0]
            );
            assert!(worst < 1e-13, "{elements} p {order}: {error:?}");
        }
    }
}

#[test]
fn gas_at_rest_presses_on_every_side_by_p_times_area() {
    let sides = [1.0, 2.0, 1.5];
    for elements in ELEMENTS {
        for (order, warp, viscosity) in [(2, 0.0, ""), (2, 0.2, "viscosity: {constant: 0.01}"), (3, 0.2, "")] {
            let y = if viscosity.is_empty() {
                "{type: slip}"
            } else {
                "{type: no-slip-adiabatic}"
            };
            let mut s = solver(&format!(
                "mesh: {{box: {{cells: [4, 2, 2], lower: [0, 0, 0], upper: [1, 2, 1.5], warp: {warp}, \
                 elements: {elements}}}}}\n\
                 order: {order}\ngas: {{{viscosity}}}\ninitial: {{u: 0, v: 0, w: 0, p: 2.5, rho: 1.2}}\nboundaries:\n  \
                 x-: {{type: slip}}\n  x+: {{type: pressure-outlet, p: 2.5}}\n  y-: {y}\n  y+: {y}\n  \
                 z-: {{type: symmetry}}\n  z+: {{type: far-field, u: 0, v: 0, w: 0, p: 2.5, rho: 1.2}}\n\
                 time: {{steps: 1}}\n"
            ));
            let all = fluxes(&mut s);
            assert_eq!(all.len(), 6);
            let mut worst = 0.0f64;
            for (d, axis) in ["x", "y", "z"].iter().enumerate() {
                let area = sides[(d + 1) % 3] * sides[(d + 2) % 3];
                for (side, sign) in [("-", -1.0), ("+", 1.0)] {
                    let b = of(&all, &format!("{axis}{side}"));
                    let mut force = [0.0; 3];
                    force[d] = sign * 2.5 * area;
                    for error in [
                        (b.area.size - area).abs(),
                        difference(b.area.vector, force.map(|f| f / 2.5)),
                        difference(b.force, force),
                        difference(b.viscous, [0.0; 3]),
                        b.mass.abs(),
                        b.energy.abs(),
                    ] {
                        worst = worst.max(error);
                    }
                }
            }
            println!("rest {elements} p {order} warp {warp}: worst error {worst:.1e}");
            assert!(worst < 1e-13, "{elements} p {order} warp {warp}: {worst:e}");
        }
    }
}

/// Returns, for mass, momentum and energy, the sum of the fluxes through all boundaries and the rate of change of the
/// domain, and the sum of the absolute values of the fluxes.
fn balance(s: &mut Solver) -> ([f64; 5], [f64; 5]) {
    let all = fluxes(s);
    let rhs = s.device.rhs().unwrap();
    let (mut sum, mut size) = ([0.0; 5], [0.0; 5]);
    for (cell, &kind) in s.geometry.kinds.iter().enumerate() {
        let first = s.geometry.first_point[cell];
        let np = s.geometry.cell_points(cell);
        let weights = s.elements.weights(kind);
        for (v, sum) in sum.iter_mut().enumerate() {
            *sum += (0..np)
                .map(|p| weights[p] * s.geometry.metrics[cell].jacobian(p) * rhs[5 * first + v * np + p])
                .sum::<f64>();
        }
    }
    for (_, b) in &all {
        for (v, x) in [b.mass, b.force[0], b.force[1], b.force[2], b.energy]
            .into_iter()
            .enumerate()
        {
            sum[v] += x;
            size[v] += x.abs();
        }
    }
    (sum, size)
}

#[test]
fn the_boundaries_balance_the_domain_on_every_kind_of_cell() {
    let euler = "x-: {type: supersonic-inlet, u: 0.4 + 0.1*y, v: 0.1, w: 0, p: 0.75, rho: 1}, \
                 x+: {type: supersonic-outlet}, \
                 y-: {type: slip}, y+: {type: slip}, \
                 z-: {type: far-field, u: 0.3, v: 0, w: 0.1, p: 0.7, rho: 1}, z+: {type: symmetry}";
    let viscous = "x-: {type: total-inlet, total-pressure: 0.9, total-temperature: 0.8, direction: [1, 0.2, 0]}, \
                   x+: {type: pressure-outlet, p: 0.7 + 0.05*cos(pi*y)}, \
                   y-: {type: no-slip-isothermal, temperature: 0.9}, \
                   y+: {type: no-slip-adiabatic, velocity: [0.5, 0, 0]}, \
                   z-: {type: velocity-inlet, u: 0.1, v: 0, w: 0.2, temperature: 0.7}, \
                   z+: {type: far-field, u: 0.3, v: 0, w: 0.1, p: 0.7, rho: 1}";
    for elements in ELEMENTS {
        for (precision, bound) in [("double", 1e-14), ("single", 2e-6)] {
            let mut worst = 0.0f64;
            for (order, warp, gas, riemann, boundaries) in [
                (2, 0.0, "viscosity: {constant: 0.02}", "roe", viscous),
                (2, 0.2, "viscosity: {constant: 0.02}", "hllc", viscous),
                (
                    3,
                    0.2,
                    "viscosity: {sutherland: {mu-ref: 0.02, t-ref: 1, s: 0.4}}",
                    "roe",
                    viscous,
                ),
                (3, 0.2, "", "rusanov", euler),
                (2, 0.2, "", "central", euler),
            ] {
                let mut s = solver(&format!(
                    "mesh: {{box: {{cells: [4, 2, 2], lower: [0, 0, 0], upper: [1, 1, 1], warp: {warp}, \
                     elements: {elements}}}}}\n\
                     order: {order}\nprecision: {precision}\nscheme: {{riemann: {riemann}}}\ngas: {{{gas}}}\n\
                     initial: {{u: 0.4*cos(pi*y), v: 0.1*sin(pi*x) + 0.05, w: 0.2*sin(2*pi*z) + 0.1, p: 0.72 + 0.05*x, \
                     rho: 1 + 0.1*sin(3*x + y)}}\n\
                     boundaries: {{{boundaries}}}\ntime: {{steps: 1}}\n"
                ));
                let (sum, size) = balance(&mut s);
                let error = (0..5).map(|v| sum[v].abs() / size[v]).fold(0.0, f64::max);
                assert!(
                    error < bound,
                    "{elements} p {order} {precision} {riemann} warp {warp}: {error:e}"
                );
                worst = worst.max(error);
            }
            println!("balance {elements} {precision}: {worst:.1e}");
        }
    }
}

#[test]
fn faces_that_lead_to_a_turned_cell_belong_to_no_boundary() {
    // A sector of an annulus: what leaves through one of its radial sides enters through the other, rotated about z.
    let sector = Annulus {
        inner: 0.5,
        outer: 2.0,
        length: 0.7,
        angle: 1.1,
        cells: [4, 3, 2],
        growth: 1.2,
        hex_layers: 1,
        geometry_order: 2,
        periodic_angle: true,
        periodic_z: false,
    };
    let case = crate::common::cases::case(
        "mesh: {file: none.h5}\norder: 3\ngas: {viscosity: {constant: 0.02}}\n\
         initial: {u: 0.3*x, v: 0.3*y, w: 0.1 + 0.1*z, p: 0.7 + 0.05*z, rho: 1}\nboundaries:\n  \
         inner: {type: no-slip-isothermal, temperature: 0.8}\n  outer: {type: pressure-outlet, p: 0.7}\n  \
         z-: {type: velocity-inlet, u: 0, v: 0, w: 0.2, temperature: 0.7}\n  z+: {type: slip}\ntime: {steps: 1}\n",
    );
    let mut s = Solver::on_mesh(&case.solver, sector.build().unwrap()).unwrap_or_else(|e| panic!("{e}"));
    let (sum, size) = balance(&mut s);
    let area = of(&fluxes(&mut s), "inner").area.size;
    assert!((area / (0.5 * 1.1 * 0.7) - 1.0).abs() < 1e-4, "{area}");
    let error = [0, 3, 4]
        .map(|v| sum[v].abs() / size[v])
        .into_iter()
        .fold(0.0, f64::max);
    println!("sector: mass, axial momentum and energy balance to {error:.1e}");
    assert!(error < 1e-14, "{error:e}");
}

const CASE: &str = "title: walls\n\
mesh: {box: {cells: [4, 2, 2], lower: [0, 0, 0], upper: [1, 1, 1], periodic: [z], elements: mixed}}\n\
order: 2\nthreads: 1\ngas: {viscosity: {constant: 0.02}}\n\
initial: {u: 0.3*sin(pi*y), v: 0, w: 0.1*sin(2*pi*z), p: 1, rho: 1 + 0.1*x}\n\
boundaries:\n  x-: {type: total-inlet, total-pressure: 1.05, total-temperature: 1}\n  \
x+: {type: pressure-outlet, p: 1}\n  \
y-: {type: no-slip-adiabatic}\n  y+: {type: slip}\n\
time: {steps: 7, dt: 1e-3}\noutput: {integrals: {every-steps: 4}, boundaries: {every-steps: 3}}\n";

#[test]
fn a_run_writes_the_series_and_its_bits_depend_on_no_threads_or_vectors() {
    let mut tables = Vec::new();
    for (threads, simd) in [("1", None), ("2", None), ("2", Some("avx2"))] {
        let directory = tempfile::tempdir().unwrap();
        std::fs::write(directory.path().join("run.yaml"), CASE).unwrap();
        let mut command = Command::new(env!("CARGO_BIN_EXE_fr-les"));
        command.current_dir(directory.path());
        command.args([
            "run.yaml",
            "--set",
            "device=cpu",
            "--set",
            &format!("threads={threads}"),
        ]);
        if let Some(simd) = simd {
            command.env("FR_LES_SIMD", simd);
        }
        let output = command.output().unwrap();
        let error = String::from_utf8_lossy(&output.stderr);
        if simd.is_some() && error.contains("FR_LES_SIMD") {
            continue; // not an x86 processor
        }
        assert!(output.status.success(), "{error}");
        tables.push(read_series(&directory.path().join("results/boundaries.csv")).unwrap());
        let steps = read_series(&directory.path().join("results/integrals.csv")).unwrap();
        assert_eq!(steps.column("step").unwrap(), [0.0, 4.0, 7.0], "its own period");
    }
    let table = &tables[0];
    assert_eq!(table.names[..2], ["step", "time"]);
    let mut boundaries = Vec::new();
    for (names, units) in table.names[2..].chunks(11).zip(table.units[2..].chunks(11)) {
        let name = names[0].split('_').next().unwrap();
        let columns = "mass_flux force_x force_y force_z viscous_x viscous_y viscous_z energy_flux area pressure \
                       reversed";
        assert_eq!(
            names,
            columns
                .split(' ')
                .map(|what| format!("{name}_{what}"))
                .collect::<Vec<_>>()
        );
        assert_eq!(units, ["kg/s", "N", "N", "N", "N", "N", "N", "W", "m^2", "Pa", "-"]);
        boundaries.push(name);
    }
    boundaries.sort_unstable();
    assert_eq!(boundaries, ["x+", "x-", "y+", "y-"]);
    assert_eq!(table.column("step").unwrap(), [0.0, 3.0, 6.0, 7.0]);
    assert!((table.column("y-_area").unwrap()[3] - 1.0).abs() < 1e-14);
    assert!(
        table.column("y-_viscous_x").unwrap().iter().all(|&f| f > 1e-3),
        "the flow drags the wall along"
    );
    assert!(
        table.column("y+_viscous_x").unwrap().iter().all(|&f| f.abs() < 1e-15),
        "a slip wall has no shear"
    );
    let bits = |columns: &[Vec<f64>]| columns.iter().flatten().map(|x| x.to_bits()).collect::<Vec<_>>();
    for other in &tables[1..] {
        assert_eq!(bits(&table.columns), bits(&other.columns));
    }
}
