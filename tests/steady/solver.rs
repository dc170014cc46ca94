//! The steady solver: exactness for linear fields and uniform flow, Couette flow, and the same bits on any machine.

use std::collections::HashMap;

use crate::meshes::{ALL, a_box, box_with_dual};
use fr_les::case::{BoxElements, BoxMesh, WarpKind};
use fr_les::device::contract::{SteadyItems, SteadyKernel};
use fr_les::device::cpu::Host;
use fr_les::device::store::{Memory, Store};
use fr_les::mesh::build_box;
use fr_les::physics::{BoundaryKind, Gas, GivenIn, Viscosity};
use fr_les::ranks::Ranks;
use fr_les::steady::{BoundaryList, DualMesh, Machine, Scheme, Solver, Turbulence, Values};
use fr_les::vector::{Vector, dot};

pub const GAS: Gas = Gas {
    gamma: 1.4,
    prandtl: 0.72,
    gas_constant: 1.0,
    viscosity: Some(Viscosity::Constant(1e-2)),
};

pub fn conserved([rho, u, v, w, t, ..]: Values) -> [f64; 6] {
    let energy = rho * (2.5 * t + (u * u + v * v + w * w) / 2.0);
    [rho, rho * u, rho * v, rho * w, energy, 0.0]
}

/// One condition with constant data on each boundary.
pub fn conditions(dual: &DualMesh, of: impl Fn(usize) -> (BoundaryKind, [f64; 6])) -> Vec<BoundaryList> {
    let list = |(b, vertices): (usize, &fr_les::steady::BoundaryVertices)| BoundaryList {
        kind: of(b).0,
        vertex: vertices.vertex.clone(),
        area: vertices.area.clone(),
        data: vec![of(b).1; vertices.vertex.len()],
        ratio: Scheme::default().ratio,
        given: GivenIn::Relative,
    };
    dual.boundary.iter().enumerate().map(list).collect()
}

pub fn on_cpu(dual: &DualMesh, boundaries: &[BoundaryList], scheme: &Scheme, threads: usize) -> Solver<Host> {
    let store = Host::new(Some(threads)).expect("threads");
    Solver::new(store, dual, boundaries, &GAS, scheme, Ranks::alone()).expect("a solver")
}

/// The last two are nu~, or k and omega.
const UNIFORM: Values = [1.1, 0.4, 0.3, 0.2, 0.9, 0.05, 4.0];

/// All models of turbulence.
pub const MODELS: [Turbulence; 3] = [Turbulence::SaNeg, Turbulence::KOmega, Turbulence::Sst];

/// The default scheme with a model.
pub fn with_model(turbulence: Turbulence) -> Scheme {
    Scheme {
        turbulence,
        ..Scheme::default()
    }
}

#[test]
fn gradients_of_linear_fields_are_exact() {
    let slope = |v: usize, d: usize| 0.03 * ((3 * v + d) as f64 + 1.0).sin();
    for elements in ALL {
        for (q, model) in [
            (1, Turbulence::SaNeg),
            (2, Turbulence::SaNeg),
            (3, Turbulence::SaNeg),
            (2, Turbulence::Sst),
        ] {
            let variables = if model == Turbulence::Sst { 7 } else { 6 };
            let (_, _, dual) = box_with_dual(&a_box(elements, [4, 2, 2], [false; 3]), q);
            let mut solver = on_cpu(&dual, &[], &with_model(model), 1);
            let linear =
                |x: &Vector| std::array::from_fn(|v| UNIFORM[v] + (0..3).map(|d| slope(v, d) * x[d]).sum::<f64>());
            let state: Vec<Values> = dual.position.iter().map(linear).collect();
            solver.set_state(&state).expect("a state");
            let gradients = solver.state_gradients().expect("gradients");
            for (vertex, g) in gradients.iter().enumerate() {
                for (v, g) in g.iter().enumerate().take(variables) {
                    for (d, g) in g.iter().enumerate() {
                        let error = (g - slope(v, d)).abs();
                        assert!(
                            error < 1e-11,
                            "{elements:?} {q}: vertex {vertex}, variable {v}: {error:e}"
                        );
                    }
                }
            }
        }
    }
}

#[test]
fn uniform_flow_has_no_residual() {
    for elements in ALL {
        for periodic in [[false; 3], [false, true, true]] {
            let (_, _, mut dual) = box_with_dual(&a_box(elements, [4, 2, 2], periodic), 3);
            // Far from walls, nu~ does not decay.
            dual.wall_distance.iter_mut().for_each(|d| *d = f64::INFINITY);
            let mut boundaries = conditions(&dual, |_| (BoundaryKind::FarField, conserved(UNIFORM)));
            for boundary in &mut boundaries {
                boundary.ratio = UNIFORM[5] * UNIFORM[0] / 1e-2;
            }
            let mut solver = on_cpu(&dual, &boundaries, &Scheme::default(), 1);
            solver.set_state(&vec![UNIFORM; dual.len()]).expect("a state");
            let largest = dual.area.iter().fold(0.0f64, |most, &a| most.max(dot(a, a).sqrt()));
            for (vertex, r) in solver.residuals().expect("residuals").iter().enumerate() {
                for (v, r) in r.iter().enumerate() {
                    assert!(
                        r.abs() < 1e-13 * largest.max(1.0),
                        "{elements:?}: vertex {vertex}, equation {v}: {r:e}"
                    );
                }
            }
        }
    }
}

#[test]
fn a_peak_of_the_eddy_viscosity_decays_where_spacings_jump() {
    for elements in ALL {
        // Vertices whose edges are 27 times longer on one side than on the other.
        let mesh = BoxMesh {
            stretch: [Some(4.0), Some(4.0), None],
            ..a_box(elements, [4, 4, 2], [false; 3])
        };
        let (_, _, mut dual) = box_with_dual(&mesh, 1);
        dual.wall_distance.iter_mut().for_each(|d| *d = f64::INFINITY);
        let mut solver = on_cpu(&dual, &[], &Scheme::default(), 1);
        for vertex in 0..dual.len() {
            let mut state = vec![[1.1, 0.0, 0.0, 0.0, 0.9, 0.0, 0.0]; dual.len()];
            // A hundred times the viscosity.
            state[vertex][5] = 1.0;
            solver.set_state(&state).expect("a state");
            let leaves = solver.residuals().expect("residuals")[vertex][5];
            let x = dual.position[vertex];
            assert!(leaves > 0.0, "{elements:?}: at {x:?} leaves {leaves:e}");
        }
    }
}

/// A state that changes from vertex to vertex, the same on any partition.
pub fn rough(dual: &DualMesh) -> Vec<Values> {
    let wave = |x: &Vector, v: usize| (7.0 * x[0] + 5.0 * x[1] - 3.0 * x[2] + v as f64).sin();
    let at = |x: &Vector| std::array::from_fn(|v| UNIFORM[v] * (1.0 + 0.05 * wave(x, v)));
    dual.position.iter().map(at).collect()
}

/// A duct with the walls of the meshes, one of which is held at a temperature and moves.
pub fn duct(dual: &DualMesh, names: &[String]) -> Vec<BoundaryList> {
    conditions(dual, |b| match names[b].as_str() {
        "y-" => (BoundaryKind::NoSlipAdiabatic, [0.0; 6]),
        "z+" => (BoundaryKind::NoSlipIsothermal, [0.1, 0.0, 0.0, 1.0, 0.0, 0.0]),
        "y+" | "z-" => (BoundaryKind::Slip, [0.0; 6]),
        "x-" => (BoundaryKind::TotalInlet, [1.15, 1.0, 1.0, 0.0, 0.0, 0.0]),
        _ => (BoundaryKind::PressureOutlet, [1.0, 1.0, 0.0, 0.0, 0.0, 0.0]),
    })
}

pub fn bits(values: &[Values]) -> Vec<[u64; 7]> {
    values.iter().map(|v| v.map(f64::to_bits)).collect()
}

/// Asserts that the state of a rank's part has the bits of the state of the whole mesh at the same vertices.
pub fn assert_part_of((part, state): (&DualMesh, &[Values]), (whole, expected): (&DualMesh, &[Values]), what: &str) {
    let at: HashMap<u64, usize> = whole.global.iter().copied().zip(0..).collect();
    let there: Vec<Values> = part.global.iter().map(|number| expected[at[number]]).collect();
    assert_eq!(bits(state), bits(&there), "{what}");
}

/// Ten steps of the duct on a machine.
fn ten_steps_of<M: Machine>(store: M, elements: BoxElements, scheme: &Scheme) -> Vec<Values> {
    let (mesh, _, dual) = box_with_dual(&a_box(elements, [4, 2, 2], [false; 3]), 3);
    let boundaries = duct(&dual, &mesh.boundary_names);
    let mut solver = Solver::new(store, &dual, &boundaries, &GAS, scheme, Ranks::alone()).expect("a solver");
    solver.set_state(&rough(&dual)).expect("a state");
    (0..10).for_each(|_| solver.step(1.5).expect("a step"));
    let state = solver.state().expect("a state");
    assert!(
        state.iter().flatten().all(|value| value.is_finite()),
        "{elements:?}: a state that is not finite"
    );
    assert!(state.iter().all(|q| q[0] > 0.0 && q[4] > 0.0), "{elements:?}");
    state
}

#[test]
fn threads_do_not_change_a_bit() {
    for model in MODELS {
        let [one, three] = [1, 3].map(|n| {
            let store = Host::new(Some(n)).expect("threads");
            ten_steps_of(store, BoxElements::Mixed, &with_model(model))
        });
        assert_eq!(bits(&one), bits(&three), "{model:?}");
    }
}

#[test]
fn couette_flow_has_a_linear_velocity_and_the_temperature_of_its_dissipation() {
    let cells = 8;
    let channel = BoxMesh {
        cells: [1, cells, 1],
        lower: [0.0; 3],
        upper: [0.5, 1.0, 0.5],
        periodic: [true, false, true],
        elements: BoxElements::Hex,
        stretch: [None; 3],
        warp: 0.0,
        warp_kind: WarpKind::Curved,
    };
    let mesh = build_box(&channel, 1).expect("a box");
    let (mesh, _, dual) = crate::meshes::with_dual(mesh, 1, &Ranks::alone()).expect("a dual");
    let (speed, wall) = (0.5, 1.0);
    let boundaries = conditions(&dual, |b| match mesh.boundary_names[b].as_str() {
        "y+" => (BoundaryKind::NoSlipIsothermal, [speed, 0.0, 0.0, wall, 0.0, 0.0]),
        _ => (BoundaryKind::NoSlipIsothermal, [0.0, 0.0, 0.0, wall, 0.0, 0.0]),
    });
    let scheme = Scheme {
        turbulence: Turbulence::None,
        ..Scheme::default()
    };
    let mut solver = on_cpu(&dual, &boundaries, &scheme, 1);
    solver
        .set_state(&vec![[1.0, 0.0, 0.0, 0.0, wall, 0.0, 0.0]; dual.len()])
        .expect("a state");
    (0..3000).for_each(|_| solver.step(2.0).expect("a step"));
    // cp (T - T_wall) = Pr U^2/2 (y - y^2); the work of the mean velocity at the facets is exact for a linear velocity.
    for (x, q) in dual.position.iter().zip(solver.state().expect("a state")) {
        assert!((q[1] - speed * x[1]).abs() < 1e-9, "u at {x:?}: {}", q[1]);
        let exact = wall + 0.72 * speed * speed / (2.0 * 3.5) * (x[1] - x[1] * x[1]);
        assert!((q[4] - exact).abs() < 1e-8, "T at {x:?}: {} for {exact}", q[4]);
    }
    // The residual of momentum at the moving wall is mu U, what the gas takes from it.
    let residuals = solver.residuals().expect("residuals");
    let top = &dual.boundary[mesh.boundary_names.iter().position(|n| n == "y+").expect("a wall")];
    let friction: f64 = top.vertex.iter().map(|&v| residuals[v as usize][1]).sum();
    assert!((friction / (1e-2 * speed * 0.25) - 1.0).abs() < 1e-8, "{friction:e}");
}

/// Distance of two positive numbers in units in the last place.
fn ulps(a: f64, b: f64) -> u64 {
    a.to_bits().abs_diff(b.to_bits())
}

#[test]
fn elementary_functions_are_within_two_units_in_the_last_place() {
    let host = Host::new(Some(1)).expect("threads");
    let scheme = Scheme::default();
    let kernels = host.kernels(&scheme.constants(&GAS), false).expect("kernels");
    let count = 1 << 16;
    let mut values: Vec<f64> = (0..count)
        .map(|i| 10f64.powf(60.0 * i as f64 / count as f64 - 30.0))
        .collect();
    values.extend((0..count).map(|i| -700.0 + 1400.0 * (i as f64 + 0.37) / count as f64));
    let (degree, first) = (vec![0.0f64; count], vec![0i64; count + 1]);
    let mut results = vec![0.0f64; 2 * count];
    // Kernels read whole vector registers, which begin on a cache line.
    let arrays = [&values, &degree].map(|of| {
        let mut array = host.zeros(size_of_val(&of[..])).expect("memory");
        host.write(&mut array, of).expect("memory");
        array
    });
    let mut out = host.zeros(size_of_val(&results[..])).expect("memory");
    host.write(&mut out, &results).expect("memory");
    let mut params = scheme.constants(&GAS);
    params.state = arrays[0].pointer();
    params.degree = arrays[1].pointer();
    params.first_edge = first.as_ptr();
    params.out = out.pointer();
    params.slots = count as i64;
    let range = host.range(SteadyItems::Vertices, 0..count, host.slice().expect("a processor"));
    let kernel = &kernels[SteadyKernel::ElementaryFunctions as usize];
    // SAFETY: the arrays have a value for each of the vertices, which have no edges.
    unsafe { host.launch(&(), kernel, range, &params) }.expect("a launch");
    results.copy_from_slice(&host.read::<f64>(&out, 0..2 * count).expect("results"));
    for i in 0..count {
        let [x, y] = [values[i], values[count + i]];
        // The functions of the host are themselves within one unit.
        assert!(ulps(results[i], x.sqrt().cbrt()) <= 2, "{x:e}^(1/6) = {:e}", results[i]);
        assert!(
            ulps(results[count + i], y.exp()) <= 2,
            "exp({y}) = {:e}",
            results[count + i]
        );
    }
}

mod gpu {
    use super::{MODELS, Scheme, bits, ten_steps_of, with_model};
    use crate::meshes::ALL;
    use fr_les::device::cpu::Host;
    use fr_les::device::cuda::{Gpu, GpuStore};

    #[test]
    #[ignore = "needs an NVIDIA GPU"]
    fn a_gpu_gives_the_bits_of_the_cpu() {
        for (elements, model) in ALL
            .into_iter()
            .flat_map(|elements| MODELS.map(|model| (elements, model)))
        {
            let scheme = with_model(model);
            let cpu = ten_steps_of(Host::new(None).expect("threads"), elements, &scheme);
            for record in [false, true] {
                let store = GpuStore::new(Gpu::open(0).expect("a GPU"), record).expect("queues");
                let gpu = ten_steps_of(store, elements, &scheme);
                assert_eq!(bits(&cpu), bits(&gpu), "{elements:?} {model:?}");
            }
        }
    }

    #[test]
    #[ignore = "needs an NVIDIA GPU"]
    fn fast_arithmetic_differs_by_rounding() {
        let fast = Scheme {
            fast: true,
            ..Scheme::default()
        };
        for elements in ALL {
            let [strict, fast] = [Scheme::default(), fast].map(|scheme| {
                let store = GpuStore::new(Gpu::open(0).expect("a GPU"), true).expect("queues");
                ten_steps_of(store, elements, &scheme)
            });
            for (a, b) in strict.as_flattened().iter().zip(fast.as_flattened()) {
                assert!((a - b).abs() < 1e-9 * a.abs().max(1.0), "{elements:?}: {a:e} {b:e}");
            }
        }
    }
}
