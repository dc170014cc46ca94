//! Tests that need an NVIDIA GPU: the same bits as on the CPU, recorded steps that change nothing, and errors of the
//! device. `make test-gpu` runs these tests. It also runs the numerical tests of the other files on the GPU, with
//! FR_LES_TEST_DEVICE=cuda.

use crate::common::cases::{advance, taylor_green};
use fr_les::case::Case;
use fr_les::device::contract::Kernel;
use fr_les::device::{Field, TimeStepBounds};
use fr_les::element::ElementKind;
use fr_les::output::Integrals;
use fr_les::output::statistics::{Contents, Products, slots_of};
use fr_les::ranks::ExactSum;
use fr_les::solver::Solver;

fn solver(text: &str, more: &[&str]) -> Solver {
    let overrides: Vec<String> = more.iter().map(|s| (*s).to_owned()).collect();
    let case = Case::parse(text, std::path::Path::new("gpu.yaml"), &overrides).unwrap_or_else(|e| panic!("{e}"));
    Solver::new(&case.solver).unwrap_or_else(|e| panic!("{e}"))
}

const STRICT: &str = "arithmetic=strict";
const MU: &str = "{constant: 1/1600}";

fn variants() -> impl Iterator<Item = (usize, &'static str, &'static str)> {
    (2..=5).flat_map(|order| {
        ["double", "single"]
            .into_iter()
            .flat_map(move |precision| ["", "#warp"].map(|warp| (order, precision, warp)))
    })
}

/// A Taylor-Green flow of order 3 in such cells, with `more` lines in its case, after 20 steps on a device, and the
/// bounds on its first step.
fn after_20_steps(elements: &str, more: &str, device: &str) -> (Solver, TimeStepBounds) {
    let text = taylor_green(4, 3, MU, more).replace("    warp:", &format!("    elements: {elements}\n    warp:"));
    let mut s = solver(&text, &[&format!("device={device}"), STRICT]);
    let bounds = s.device.time_step_bounds().unwrap();
    let dt = 0.5 * s.stable_step(&bounds);
    advance(&mut s, 20, dt);
    (s, bounds)
}

/// Bits of the integrals of each cell and of their totals. The right-hand side must be there.
fn integrals_of(solver: &mut Solver) -> Vec<u64> {
    let totals = solver.device.integrals().unwrap();
    let mut values = solver.device.read(Field::PerCell(Kernel::Integrals)).unwrap();
    values.extend(totals.sums.into_iter().map(ExactSum::value));
    values.extend(totals.least.into_iter().chain(totals.greatest));
    values.into_iter().map(f64::to_bits).collect()
}

#[test]
#[ignore = "needs an NVIDIA GPU"]
fn cpu_and_gpu_give_the_same_bits_after_100_steps_of_viscous_taylor_green() {
    for (order, precision, warp) in variants() {
        let text = taylor_green(4, order, MU, &format!("precision: {precision}\n{warp}\n"));
        let hash = |device: &str| {
            let mut s = solver(&text, &[&format!("device={device}"), STRICT]);
            let rates = s.device.time_step_bounds().unwrap();
            let dt = 0.5 * s.stable_step(&rates);
            advance(&mut s, 100, dt);
            s.hash().unwrap()
        };
        let (cpu, gpu) = (hash("cpu"), hash("cuda"));
        println!("p {order} {precision} {warp}: {cpu:016x} {gpu:016x}");
        assert_eq!(cpu, gpu, "p {order} {precision} {warp}");
    }
}

#[test]
#[ignore = "needs an NVIDIA GPU"]
fn cpu_and_gpu_give_the_same_bits_with_sub_grid_models() {
    for (model, elements) in [
        ("smagorinsky", "hex"),
        ("wale", "hex"),
        ("sigma", "hex"),
        ("sigma", "mixed"),
        ("vreman", "hex"),
        ("vreman", "mixed"),
    ] {
        for precision in ["double", "single"] {
            let more = format!("precision: {precision}\nsgs: {{model: {model}}}\n#warp\n");
            let hash = |device: &str| {
                let (mut s, rates) = after_20_steps(elements, &more, device);
                let dt = 0.5 * s.stable_step(&rates);
                s.evaluate_rhs(20.0 * dt).unwrap();
                let eddy: Vec<u64> = s.device.eddy_viscosity().unwrap().iter().map(|x| x.to_bits()).collect();
                (s.hash().unwrap(), rates, eddy)
            };
            assert_eq!(hash("cpu"), hash("cuda"), "{model} on {elements}, {precision}");
        }
    }
}

#[test]
#[ignore = "needs an NVIDIA GPU"]
fn cpu_and_gpu_give_the_same_bits_with_an_artificial_bulk_viscosity() {
    for elements in ["hex", "prism", "mixed"] {
        for precision in ["double", "single"] {
            let more = format!("precision: {precision}\nscheme: {{artificial-bulk-viscosity: 1.5}}\n#warp\n");
            let hash = |device: &str| {
                let (s, rates) = after_20_steps(elements, &more, device);
                (s.hash().unwrap(), rates)
            };
            assert_eq!(hash("cpu"), hash("cuda"), "{elements}, {precision}");
        }
    }
}

#[test]
#[ignore = "needs an NVIDIA GPU"]
fn integrals_give_the_same_bits() {
    for elements in ["hex", "prism", "tet", "pyramid"] {
        // Odd and even numbers of points a line, and of planes of points: the arrays of single precision have different
        // alignments.
        for (order, warp) in [(2, ""), (3, "#warp\n"), (4, ""), (5, "")] {
            for precision in ["double", "single"] {
                let more = format!("{warp}precision: {precision}\n");
                let text = taylor_green(2, order, MU, &more)
                    .replace("    warp:", &format!("    elements: {elements}\n    warp:"));
                let integrals = |device: &str| {
                    let mut s = solver(&text, &[&format!("device={device}"), STRICT]);
                    advance(&mut s, 3, 1e-3);
                    s.evaluate_rhs(3e-3).unwrap();
                    Integrals::of(&mut s).unwrap()
                };
                assert_eq!(
                    integrals("cpu"),
                    integrals("cuda"),
                    "{elements}, p {order}, {precision}"
                );
            }
        }
    }
}

#[test]
#[ignore = "needs an NVIDIA GPU"]
fn walls_sutherlands_law_and_every_riemann_solver_give_the_same_bits() {
    for riemann in [
        "roe",
        "hllc",
        "rusanov",
        "central",
        "roe-entropy-stable, entropy-correction: cells",
    ] {
        for warp in [0.0, 0.2] {
            let text = format!(
                "mesh: {{box: {{cells: [3, 4, 3], lower: [0, 0, 0], upper: [1, 1, 1], periodic: [z], \
                 warp: {warp}}}}}\norder: 3\n\
                 scheme: {{riemann: {riemann}}}\ngas: {{viscosity: {{sutherland: {{mu-ref: 0.01, t-ref: 1, \
                 s: 0.4}}}}}}\n\
                 initial: {{u: 0.3*sin(pi*x)*sin(pi*y), v: 0, w: 0.1*sin(2*pi*z), p: 1, \
                 temperature: 1 + 0.1*sin(2*pi*z)}}\n\
                 boundaries:\n  x-: {{type: no-slip-isothermal, temperature: 1.1 + 0.1*sin(t), velocity: [0, 0.1, \
                 0]}}\n  \
                 x+: {{type: no-slip-adiabatic}}\n  y-: {{type: slip}}\n  \
                 y+: {{type: far-field, u: 0, v: 0, w: 0, p: 1, temperature: 1}}\ntime: {{steps: 1, cfl: 0.5}}\n"
            );
            let hash = |device: &str| {
                let mut s = solver(&text, &[&format!("device={device}"), STRICT]);
                advance(&mut s, 50, 1e-3);
                assert!(s.device.time_step_bounds().unwrap().unphysical.is_none());
                s.hash().unwrap()
            };
            assert_eq!(hash("cpu"), hash("cuda"), "{riemann}, warp {warp}");
        }
    }
}

#[test]
#[ignore = "needs an NVIDIA GPU"]
fn modelled_walls_give_the_same_bits() {
    for (elements, exchange, law) in [
        ("hex", "cell-top", "reichardt"),
        ("hex", "0.3", "equilibrium"),
        ("prism", "cell-top", "equilibrium"),
        ("mixed", "0.21", "reichardt"),
    ] {
        for precision in ["double", "single"] {
            let wall = format!("type: wall-model, exchange: {exchange}, law: {law}");
            let text = format!(
                "mesh: {{box: {{cells: [4, 4, 4], lower: [0, 0, 0], upper: [1, 1, 1], periodic: [x, z], \
                 elements: {elements}, warp: 0.1}}}}\norder: 3\nprecision: {precision}\n\
                 gas: {{viscosity: {{sutherland: {{mu-ref: 0.0001, t-ref: 1, s: 0.4}}}}}}\n\
                 initial: {{u: 0.3 + 0.1*sin(2*pi*x)*sin(pi*y), v: 0, w: 0.1*sin(2*pi*z), p: 1, temperature: 1}}\n\
                 boundaries:\n  y-: {{{wall}, temperature: 1.1 + 0.1*sin(t)}}\n  \
                 y+: {{{wall}, velocity: [0.1, 0, 0]}}\ntime: {{steps: 1, cfl: 0.5}}\n"
            );
            let hash = |device: &str| {
                let mut s = solver(&text, &[&format!("device={device}"), STRICT]);
                advance(&mut s, 50, 1e-3);
                assert!(s.device.time_step_bounds().unwrap().unphysical.is_none());
                s.hash().unwrap()
            };
            assert_eq!(hash("cpu"), hash("cuda"), "{elements}, {exchange}, {law}, {precision}");
        }
    }
}

#[test]
#[ignore = "needs an NVIDIA GPU"]
fn inlets_and_outlets_give_the_same_bits() {
    let state = "u: 0.3, v: 0.05*sin(2*pi*y + t), w: 0, p: 1/1.4, rho: 1";
    let total = "type: total-inlet, total-pressure: 1.02^3.5/1.4, total-temperature: 0.73 + 0.01*sin(t), \
                 direction: [1, 0.2, 0]";
    let by_velocity = "type: velocity-inlet, u: 0.3, v: 0.02, w: 0, temperature: 0.72";
    let turbulent = &format!("{by_velocity}, turbulence: {{intensity: 0.05, length: 0.5, shells: 50}}");
    for (left, right) in [
        (total, "type: pressure-outlet, p: 0.7 + 0.05*cos(pi*y)"),
        (by_velocity, &format!("type: far-field, {state}")),
        (turbulent, &format!("type: far-field, {state}")),
        (turbulent, "type: pressure-outlet, p: 1/1.4"),
        (
            &turbulent.replace("length: 0.5", "length: 0.4 + 0.2*y"),
            "type: pressure-outlet, p: 1/1.4",
        ),
        (&format!("type: supersonic-inlet, {state}"), "type: supersonic-outlet"),
        (
            &format!(
                "{total}, relaxation: 0.1, turbulence: {{intensity: 0.05, length: 0.5, shells: 50, speed: [0.3, 0, 0]}}"
            )
            .replace("total-inlet", "relaxed-total-inlet"),
            "type: relaxed-outlet, p: 0.7 + 0.05*cos(pi*y), hold: mean",
        ),
        (
            &by_velocity.replace("velocity-inlet", "relaxed-velocity-inlet"),
            "type: relaxed-outlet, p: 1/1.4, transverse: lodato, hold: mass-flow, mass-flow: 0.3",
        ),
    ] {
        for precision in ["double", "single"] {
            let text = format!(
                "mesh: {{box: {{cells: [4, 3, 2], lower: [0, 0, 0], upper: [1, 1, 1], periodic: [z], warp: 0.1}}}}\n\
                 order: 3\n\
                 precision: {precision}\ngas: {{viscosity: {{constant: 1e-3}}}}\n\
                 initial: {{u: 0.3*cos(pi*y), v: 0.1*sin(pi*y), w: 0.1*sin(2*pi*z), p: 1/1.4, \
                 rho: 1 + 0.1*sin(2*pi*x)}}\n\
                 boundaries: {{x-: {{{left}}}, x+: {{{right}}}, y-: {{type: slip}}, y+: {{type: slip}}}}\n\
                 time: {{steps: 1}}\n"
            );
            let hash = |device: &str| {
                let mut s = solver(&text, &[&format!("device={device}"), STRICT]);
                for round in 0..5 {
                    s.adjust_controls(0.02 * f64::from(round)).unwrap();
                    advance(&mut s, 10, 2e-3);
                }
                assert!(s.device.time_step_bounds().unwrap().unphysical.is_none());
                // The order of the boundary faces depends on the device.
                let mut relaxed: Vec<u64> = s.device.relaxed().unwrap().iter().map(|x| x.to_bits()).collect();
                relaxed.sort_unstable();
                (s.hash().unwrap(), relaxed)
            };
            assert!(hash("cpu") == hash("cuda"), "{left}, {right}, {precision}");
        }
    }
}

#[test]
#[ignore = "needs an NVIDIA GPU"]
fn every_kind_of_cell_and_mixed_meshes_give_the_same_bits() {
    for elements in ["prism", "tet", "pyramid", "mixed"] {
        for (order, precision, warp) in variants().filter(|v| v.0 <= 4) {
            let text = format!(
                "mesh: {{box: {{cells: [4, 4, 4], lower: [0, 0, 0], upper: [1, 1, 1], periodic: [z], warp: {}, \
                 elements: {elements}}}}}\n\
                 order: {order}\nprecision: {precision}\ngas: {{viscosity: {{sutherland: {{mu-ref: 0.01, t-ref: 1, \
                 s: 0.4}}}}}}\n\
                 initial: {{u: 0.3*sin(pi*x)*sin(pi*y), v: 0, w: 0.1*sin(2*pi*z), p: 1, \
                 temperature: 1 + 0.1*sin(2*pi*z)}}\n\
                 boundaries:\n  x-: {{type: no-slip-isothermal, temperature: 1.1}}\n  \
                 x+: {{type: no-slip-adiabatic}}\n  \
                 y-: {{type: slip}}\n  y+: {{type: far-field, u: 0, v: 0, w: 0, p: 1, temperature: 1}}\n\
                 forcing: {{force: [0.1, 0, 0]}}\ntime: {{steps: 1, cfl: 0.5}}\n",
                if warp.is_empty() { 0.0 } else { 0.2 }
            );
            let measure = |device: &str| {
                let mut s = solver(&text, &[&format!("device={device}"), STRICT]);
                let rates = s.device.time_step_bounds().unwrap();
                let dt = 0.5 * s.stable_step(&rates);
                advance(&mut s, 50, dt);
                s.evaluate_rhs(0.0).unwrap();
                let integrals = integrals_of(&mut s);
                assert!(s.device.time_step_bounds().unwrap().unphysical.is_none());
                let boundaries = s.boundary_fluxes();
                let fluxes = boundaries.take(s.device.as_mut(), &s.domain.ranks).unwrap();
                let fluxes: Vec<u64> = fluxes.iter().flat_map(|f| f.values()).map(f64::to_bits).collect();
                (s.hash().unwrap(), integrals, fluxes)
            };
            let (cpu, gpu) = (measure("cpu"), measure("cuda"));
            println!("{elements} p {order} {precision} {warp}: {:016x} {:016x}", cpu.0, gpu.0);
            assert!(cpu == gpu, "{elements} p {order} {precision} {warp}");
        }
    }
}

#[test]
#[ignore = "needs an NVIDIA GPU"]
fn integrals_and_time_step_bounds_are_those_of_the_cpu_to_the_bit() {
    for (order, precision, warp) in variants() {
        let text = taylor_green(3, order, MU, &format!("precision: {precision}\n{warp}\n"));
        let measure = |device: &str| {
            let mut s = solver(&text, &[&format!("device={device}"), STRICT]);
            s.evaluate_rhs(0.0).unwrap();
            let rates = s.device.time_step_bounds().unwrap();
            (
                rates.convective.map(f64::to_bits),
                rates.viscous.map(f64::to_bits),
                integrals_of(&mut s),
            )
        };
        assert_eq!(measure("cpu"), measure("cuda"), "p {order} {precision} {warp}");
    }
}

#[test]
#[ignore = "needs an NVIDIA GPU"]
fn sums_of_statistics_have_the_bits_of_the_cpu_and_are_independent_of_replayed_steps() {
    for (order, precision, warp) in variants() {
        for average in [[false; 3], [true, false, true]] {
            if !warp.is_empty() && average[0] {
                continue;
            }
            let scalar = "scalars: {dye: {schmidt: 1, initial: sin(x)*cos(z)}}";
            let text = taylor_green(3, order, MU, &format!("{warp}\n{scalar}\n"));
            let sums = ["cpu", "cuda"].map(|device| {
                let set = [format!("device={device}"), format!("precision={precision}")];
                let mut s = solver(&text, &[STRICT, &set[0], &set[1]]);
                let products = Products::of(Contents::Budget, 1);
                let slots = slots_of(&s.mesh, &s.geometry, order, average, &products).expect("aligned");
                s.device.begin_statistics(&slots).expect("sums");
                for weight in [0.25, 0.125, 0.3] {
                    advance(&mut s, 2, 1e-3);
                    s.evaluate_rhs(0.0).expect("the right-hand side");
                    s.device.add_to_statistics(weight).expect("a sample");
                }
                let sums = s.device.statistics().expect("sums");
                // The sums can be read and written back.
                s.device.set_statistics(&sums).expect("sums");
                s.device.add_to_statistics(0.0).expect("a sample");
                assert_eq!(s.device.statistics().expect("sums"), sums);
                sums
            });
            assert!(sums[0].iter().any(|&x| x != 0.0));
            assert!(sums[0] == sums[1], "p {order} {precision} {warp} {average:?}");
        }
    }
}

#[test]
#[ignore = "needs an NVIDIA GPU"]
fn a_replayed_step_follows_changes_of_the_step_size_and_a_new_source() {
    for scheme in ["rk4", "lsrk5", "lsrk10", "lsrk14"] {
        replay(&["device=cuda".to_owned(), format!("time.scheme={scheme}")]);
    }
}

fn replay(set: &[String]) {
    let text = taylor_green(4, 3, MU, "precision: single\n");
    let hash = |graph: bool| {
        let mut case = Case::parse(&text, std::path::Path::new("gpu.yaml"), set).unwrap();
        case.solver.graph = graph;
        let mut s = Solver::new(&case.solver).unwrap();
        advance(&mut s, 5, 1e-3);
        advance(&mut s, 5, 2e-3);
        s.set_source(fr_les::solver::Source {
            value: Box::new(|x, _| [0.0, x[1].sin(), 0.0, 0.0, 0.0]),
            varies: false,
        })
        .unwrap();
        advance(&mut s, 5, 1e-3);
        s.hash().unwrap()
    };
    assert_eq!(hash(true), hash(false));
}

/// An odd number of steps leaves the two buffers of a scheme with five stages exchanged.
/// Cells of four levels between relaxed ends, and cells of one level.
#[test]
#[ignore = "needs an NVIDIA GPU"]
fn the_paired_scheme_gives_the_same_bits() {
    let graded = "mesh: {box: {cells: [4, 16, 4], lower: [0, 0, 0], upper: [12, 24, 8], periodic: [z], \
                  elements: mixed, stretch: {y: {tanh: 5.2}}}}\norder: 2\ngas: {viscosity: {constant: 1e-2}}\n\
                  initial: {u: 0.3*cos(pi*y/24), v: 0.1*sin(pi*y/24), w: 0.1*sin(pi*z/4), p: 1/1.4, rho: 1}\n\
                  boundaries: {x-: {type: relaxed-velocity-inlet, u: 0.3, v: 0.02, w: 0, temperature: 0.72}, \
                  x+: {type: relaxed-outlet, p: 1/1.4, hold: mean}, y-: {type: no-slip-adiabatic}, \
                  y+: {type: slip}}\ntime: {steps: 1}\n";
    for precision in ["double", "single"] {
        for text in [graded, &taylor_green(4, 3, MU, "")] {
            let hash = |device: &str| {
                let set = [format!("device={device}"), format!("precision={precision}")];
                let mut s = solver(text, &[STRICT, &set[0], &set[1], "time.scheme=paired"]);
                for round in 0..3 {
                    s.adjust_controls(0.056 * f64::from(round)).unwrap();
                    advance(&mut s, 7, 8e-3);
                }
                let bounds = s.device.time_step_bounds().unwrap();
                assert!(bounds.unphysical.is_none(), "{precision}:\n{text}");
                s.hash().unwrap()
            };
            assert_eq!(hash("cpu"), hash("cuda"), "{precision}:\n{text}");
        }
    }
}

#[test]
#[ignore = "needs an NVIDIA GPU"]
fn low_storage_schemes_give_the_same_bits() {
    let relaxed = "mesh: {box: {cells: [4, 4, 2], lower: [0, 0, 0], upper: [1, 1, 1], periodic: [z], \
                   elements: mixed}}\norder: 2\ngas: {viscosity: {constant: 1e-3}}\n\
                   initial: {u: 0.3*cos(pi*y), v: 0.1*sin(pi*y), w: 0.1*sin(2*pi*z), p: 1/1.4, rho: 1}\n\
                   boundaries: {x-: {type: relaxed-velocity-inlet, u: 0.3, v: 0.02, w: 0, temperature: 0.72, \
                   turbulence: {intensity: 0.05, length: 0.6, shells: 50}}, \
                   x+: {type: relaxed-outlet, p: 1/1.4, hold: mean}, y-: {type: slip}, y+: {type: slip}}\n\
                   time: {steps: 1}\n";
    let filtered = taylor_green(4, 3, MU, "scheme: {shock: entropy-filter, entropy-tolerance: 1e-9}\n");
    for scheme in ["lsrk5", "lsrk10", "lsrk14"] {
        for precision in ["double", "single"] {
            for text in [
                &taylor_green(4, 3, MU, ""),
                &taylor_green(4, 4, "", "#warp\n"),
                relaxed,
                &filtered,
            ] {
                let hash = |device: &str| {
                    let set = [format!("device={device}"), format!("time.scheme={scheme}")];
                    let mut s = solver(text, &[STRICT, &set[0], &set[1], &format!("precision={precision}")]);
                    for round in 0..3 {
                        s.adjust_controls(0.014 * f64::from(round)).unwrap();
                        advance(&mut s, 7, 1e-3);
                        s.evaluate_rhs(0.0).unwrap();
                    }
                    let bounds = s.device.time_step_bounds().unwrap();
                    assert!(bounds.unphysical.is_none(), "{scheme}, {precision}:\n{text}");
                    s.hash().unwrap()
                };
                assert_eq!(hash("cpu"), hash("cuda"), "{scheme}, {precision}:\n{text}");
            }
        }
    }
}

#[test]
#[ignore = "needs an NVIDIA GPU"]
fn fast_arithmetic_differs_from_strict_by_rounding_only() {
    // The other cells sum over all points of the cell, and their lifting matrices have larger coefficients.
    let hexahedra = [(3, ""), (4, ""), (7, "")].map(|(order, warp)| ("hex", order, warp, [1e-13, 2e-5]));
    let others = ["prism", "tet", "pyramid"].into_iter().flat_map(|elements| {
        [(1, ""), (2, ""), (3, ""), (3, "#warp"), (4, ""), (5, "")]
            .map(|(order, warp)| (elements, order, warp, [3e-13, 6e-5]))
    });
    for (elements, order, warp, bounds) in hexahedra.into_iter().chain(others) {
        for (precision, bound) in ["double", "single"].into_iter().zip(bounds) {
            let text = taylor_green(4, order, MU, &format!("precision: {precision}\n{warp}\n"))
                .replace("    warp:", &format!("    elements: {elements}\n    warp:"));
            let states = ["strict", "fast"].map(|arithmetic| {
                let mut s = solver(&text, &["device=cuda", &format!("arithmetic={arithmetic}")]);
                let rates = s.device.time_step_bounds().unwrap();
                let dt = 0.5 * s.stable_step(&rates);
                advance(&mut s, 20, dt);
                s.device.state().unwrap()
            });
            let kind = ElementKind::ALL
                .into_iter()
                .find(|kind| kind.name() == elements)
                .unwrap();
            let np = kind.points(order);
            // Errors are relative to the size of each variable; momentum has size 1.
            let scale = [1.0, 1.0, 1.0, 1.0, 178.6];
            let mut largest = 0.0f64;
            for (i, (a, b)) in states[0].iter().zip(&states[1]).enumerate() {
                largest = largest.max((a - b).abs() / scale[i / np % 5]);
            }
            let case = format!("{elements} p {order} {precision} {warp}");
            println!("{case}: strict and fast differ by {largest:.2e} after 20 steps");
            assert!(largest < bound && largest > 0.0, "{case}: {largest:e}");
        }
    }
}

#[test]
#[ignore = "needs an NVIDIA GPU"]
fn a_case_that_does_not_fit_is_refused_with_the_numbers() {
    // The case has 1.2e9 points, which is more than any GPU of today holds. It is refused before the mesh is built.
    let text = taylor_green(288, 4, MU, "device: cuda\n");
    let case = Case::parse(&text, std::path::Path::new("gpu.yaml"), &[]).unwrap();
    let Err(e) = Solver::new(&case.solver) else {
        panic!("it fits")
    };
    let message = e.to_string();
    println!("{message}");
    assert!(message.contains("GB") && message.contains("fewer cells"), "{message}");
}
