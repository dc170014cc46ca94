//! A steady solution begins a run by copying: every point gets the bits of its vertex, on any number of ranks, as a
//! restart and as an initial state.
//!
//! MPI can be initialised once in a process, so the test runs itself again under `mpirun`, and [`DIRECTORY`] tells the
//! copy to be a rank that writes its file there.

use std::collections::BTreeMap;
use std::path::Path;

use crate::common::program::{again, ended, hash, output, program, run_case, with_case};
use crate::meshes::with_dual;
use fr_les::case::Case;
use fr_les::io::Provenance;
use fr_les::mesh::partition::distribute;
use fr_les::mesh::{MeshSource, build_box};
use fr_les::ranks::{Ranks, abort_all_on_panic};
use fr_les::solver::Solver;
use fr_les::steady::{Solution, Stored, Turbulence, Values};

/// Environment variable with the directory of the case.
const DIRECTORY: &str = "FR_LES_TEST_HANDOVER";

const CASE: &str = "\
mesh: {box: {cells: [4, 2, 2], lower: [0, 0, 0], upper: [4, 2, 2], periodic: [x, z], elements: mixed, warp: 0.1,
  warp-kind: trilinear}}
order: 2
gas: {viscosity: {constant: 0.01}}
boundaries: {y-: {type: no-slip-adiabatic}, y+: {type: no-slip-adiabatic}}
initial: {u: 0.3, v: 0, w: 0, p: 1, temperature: 1}
device: cpu
time: {steps: 2}
";

/// The values of the steady solution at a vertex.
fn values([x, y, z]: [f64; 3]) -> Values {
    let wave = 0.1 * (1.3 * x).sin() * (2.1 * z).cos();
    [
        1.0 + wave,
        0.5 * y * (2.0 - y),
        0.03 * wave,
        0.02 * y,
        1.1 - wave,
        0.2 * y * (2.0 - y),
        0.0,
    ]
}

#[test]
fn runs_begin_with_the_bits_of_the_steady_solution() {
    if let Some(directory) = std::env::var_os(DIRECTORY) {
        return be_a_rank(Path::new(&directory));
    }
    let directory = with_case(CASE);
    let path = directory.path();
    let test = "runs_begin_with_the_bits_of_the_steady_solution";
    let mut hashes = Vec::new();
    for ranks in [1, 2, 4] {
        ended(
            &again(module_path!(), test, ranks, DIRECTORY, path)
                .output()
                .expect("mpirun starts"),
            0,
        );
        let file = format!("steady_{ranks}.h5");
        for set in [format!("restart={file}"), format!("initial={{file: {file}}}")] {
            let log = run_case(path, ranks, &[&set], 0);
            assert!(
                !set.starts_with("initial") || log.contains("initial state from the checkpoint"),
                "{log}"
            );
            assert!(!set.starts_with("restart") || log.contains("step 0, t = 0"), "{log}");
            hashes.push(hash(&log));
        }
    }
    assert!(hashes.iter().all(|other| *other == hashes[0]), "{hashes:?}");
    assert_ne!(hash(&run_case(path, 1, &[], 0)), hashes[0]);
    // Fluctuations have the same bits on any number of ranks, and other seeds give others.
    let with = |seed: usize, ranks: usize| {
        let set = format!("initial={{file: steady_1.h5, fluctuations: {{seed: {seed}}}}}");
        hash(&run_case(path, ranks, &[&set], 0))
    };
    let fluctuating = with(1, 1);
    assert_eq!(fluctuating, with(1, 3));
    assert!(fluctuating != hashes[0] && fluctuating != with(2, 1));
    let plain = ["output.checkpoint.every-steps=2", "output.directory=plain"];
    run_case(path, 1, &plain, 0);
    for (file, part) in [
        (
            "plain/checkpoint_00000002.h5",
            "`fluctuations` need the Reynolds stresses",
        ),
        ("absent.h5", "absent.h5"),
    ] {
        let set = format!("initial={{file: {file}, fluctuations: {{seed: 1}}}}");
        let log = output(program(path).args(["check", "run.yaml", "--set", &set]), 2);
        assert!(log.contains(part), "{log}");
    }
    // Another order interpolates, and another mesh is refused.
    let log = run_case(path, 1, &["initial={file: steady_2.h5}", "order=3"], 0);
    assert!(log.contains("interpolated from order 2"), "{log}");
    let set = [
        "--set",
        "initial={file: steady_2.h5}",
        "--set",
        "mesh.box.cells=[4, 4, 2]",
    ];
    let log = output(program(path).args(["check", "run.yaml"]).args(set), 2);
    assert!(log.contains("it is of another mesh than this case"), "{log}");
}

fn be_a_rank(directory: &Path) {
    let universe = mpi::initialize().expect("MPI");
    let world = universe.world();
    abort_all_on_panic(&world);
    let ranks = Ranks::of(&world);
    let file = format!("steady_{}.h5", ranks.size());
    let case = Case::parse(
        CASE,
        &directory.join("run.yaml"),
        &[format!("initial={{file: {file}}}")],
    )
    .expect("a case");
    let order = case.solver.order;
    let MeshSource::Box(b) = &case.solver.mesh else {
        panic!("the case has a box");
    };
    let mesh = distribute(build_box(b, order).expect("a box"), &world, order, &[]).expect("parts");
    let (mesh, geometry, dual) = with_dual(mesh, order, &ranks).expect("a dual");
    let at_vertices: Vec<Values> = dual.position.iter().map(|x| values(*x)).collect();
    let gradient = dual.gradient(|v| [at_vertices[v][1], at_vertices[v][2], at_vertices[v][3]], &ranks);
    let solution = Solution {
        mesh: &mesh,
        order,
        dual: &dual,
        gas: &case.solver.gas,
        model: Turbulence::SaNeg,
        values: &at_vertices,
        gradient: &gradient,
    };
    let provenance = Provenance {
        mesh_hash: mesh.hash(),
        ..Provenance::of_this_program()
    };
    let part = serde_json::json!({"iteration": 12});
    let arrays = BTreeMap::from([("steady.cfl".to_owned(), vec![2.5])]);
    let written = solution.write_checkpoint(&directory.join(&file), &world, part, arrays, &provenance);
    written.expect("a checkpoint");

    // The steady solver continues from the bits of any number of ranks.
    let of_others = ["steady_1.h5", &file].map(|file| directory.join(file));
    for path in of_others {
        let stored = Stored::read(&path, &world, &mesh, &dual, order, Turbulence::SaNeg, &ranks);
        let stored = stored.expect("a checkpoint");
        assert!(stored.values == at_vertices && stored.part["iteration"] == 12);
        assert_eq!(stored.arrays["steady.cfl"], [2.5]);
    }
    let path = directory.join(&file);
    for (order, model, part) in [
        (order + 1, Turbulence::SaNeg, "its points are of degree 2"),
        (order, Turbulence::Sst, "no values of a steady solution with this model"),
    ] {
        let other = Stored::read(&path, &world, &mesh, &dual, order, model, &ranks);
        assert!(other.is_err_and(|error| error.to_string().contains(part)), "{part}");
    }

    // The first conserved variables of a run at all points, each with the vertex there.
    let first_state = |case: &Case| -> Vec<(usize, [f64; 5])> {
        let solver = Solver::on_ranks(&case.solver, &world).expect("a solver");
        let state = solver.device.state().expect("a state");
        let (mut first, mut at_points) = (0, Vec::new());
        for (cell, kind) in mesh.kinds.iter().enumerate() {
            let points = kind.points(order);
            for p in 0..points {
                let vertex = dual.point_vertex[geometry.first_point[cell] + p] as usize;
                at_points.push((vertex, std::array::from_fn(|v| state[first + v * points + p])));
            }
            first += 5 * points;
        }
        assert_eq!(first, state.len());
        at_points
    };
    for (vertex, state) in first_state(&case) {
        let expected = solution.conserved(vertex, 0);
        assert_eq!(state.map(f64::to_bits), expected.map(f64::to_bits), "vertex {vertex}");
    }

    // Fluctuations leave density and pressure, and have the stresses of Boussinesq.
    if ranks.size() > 1 {
        return;
    }
    let stresses: Vec<[f64; 6]> = (0..dual.len()).map(|v| boussinesq(&solution, v)).collect();
    let seeds = 300;
    let mut sums = [0.0; 6];
    let mut squares = [0.0; 6];
    for seed in 1..=seeds {
        let set = format!("initial={{file: {file}, fluctuations: {{seed: {seed}}}}}");
        let case = Case::parse(CASE, &directory.join("run.yaml"), &[set]).expect("a case");
        for (vertex, state) in first_state(&case) {
            let [mean, now] = [solution.conserved(vertex, 0), state].map(|u| case.solver.gas.primitive(u));
            assert!(mean[0] == now[0] && (mean[4] / now[4] - 1.0).abs() < 1e-12);
            let [u, v, w] = [1, 2, 3].map(|d| now[d] - mean[d]);
            let products = [u * u, v * v, w * w, u * v, u * w, v * w];
            for (i, (r, product)) in stresses[vertex].iter().zip(products).enumerate() {
                sums[i] += r * product;
                squares[i] += r * r;
            }
        }
    }
    // The box is shorter than most waves, so that a seed gives few independent products. uw and vw are a hundred times
    // smaller than uv, and are lost in them.
    let shares: Vec<f64> = sums.iter().zip(squares).map(|(sum, square)| sum / square).collect();
    println!("products over stresses {shares:?}");
    assert!(
        shares[..4].iter().all(|share| (0.85..1.15).contains(share)),
        "{shares:?}"
    );
}

/// Returns the Reynolds stresses 2/3 k delta_ij - 2 nu_t S_ij + ... of the model of Spalart and Allmaras at a vertex.
fn boussinesq(solution: &Solution, vertex: usize) -> [f64; 6] {
    let [rho, _, _, _, _, nu_tilde, _] = solution.values[vertex];
    let chi = (nu_tilde / (0.01 / rho)).max(0.0);
    let eddy = nu_tilde * chi.powi(3) / (chi.powi(3) + 7.1_f64.powi(3));
    let g = &solution.gradient[vertex];
    let s = |i: usize, j: usize| 0.5 * (g[i][j] + g[j][i]);
    let square: f64 = (0..3)
        .flat_map(|i| (0..3).map(move |j| (i, j)))
        .map(|(i, j)| s(i, j).powi(2))
        .sum();
    let k = eddy * (2.0 * square).sqrt() / 0.31;
    let trace = s(0, 0) + s(1, 1) + s(2, 2);
    [(0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2)].map(|(i, j)| {
        let isotropic = if i == j {
            2.0 / 3.0 * k + 2.0 / 3.0 * eddy * trace
        } else {
            0.0
        };
        isotropic - 2.0 * eddy * s(i, j)
    })
}
