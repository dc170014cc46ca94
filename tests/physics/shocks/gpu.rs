//! Tests that need a GPU: filtered flows have the bits of the CPU.

use super::{SOD, tube};
use fr_les::case::Case;
use fr_les::solver::Solver;
use std::path::Path;

/// A jump of the pressure beside walls that are colder than the gas, one modelled and one resolved.
#[test]
#[ignore = "needs an NVIDIA GPU"]
fn a_gpu_gives_the_same_bits_beside_walls_that_cool_the_gas() {
    for elements in ["hex", "prism", "tet", "pyramid", "mixed"] {
        let run = |device: &str| {
            let text = format!(
                "mesh: {{box: {{cells: [8, 4, 4], lower: [0, 0, 0], upper: [2, 1, 1], periodic: [x, z], \
                 elements: {elements}}}}}\norder: 3\n\
                 scheme: {{shock: entropy-filter, entropy-correction: none}}\n\
                 gas: {{prandtl: 0.72, viscosity: {{constant: 0.01}}}}\n\
                 initial: {{u: 0.5, v: 0, w: 0, p: 1 - 0.8*step(x - 1.1), temperature: 1}}\n\
                 boundaries: {{y-: {{type: wall-model, temperature: 0.3}}, \
                 y+: {{type: no-slip-isothermal, temperature: 0.4}}}}\ntime: {{steps: 1, scheme: rk4}}\n"
            );
            let set = [format!("device={device}"), "arithmetic=strict".to_owned()];
            let case = Case::parse(&text, Path::new("gpu.yaml"), &set).unwrap();
            let mut s = Solver::new(&case.solver).unwrap();
            let mut strengths = Vec::new();
            for step in 0..40 {
                s.step(f64::from(step) * 4e-5, 4e-5).unwrap();
                strengths.extend(s.device.filter_strength().unwrap().into_iter().map(f64::to_bits));
            }
            assert!(strengths.iter().any(|&bits| bits > 0), "{elements}");
            assert!(s.device.time_step_bounds().unwrap().unphysical.is_none(), "{elements}");
            (s.hash().unwrap(), strengths)
        };
        assert!(run("cpu") == run("cuda"), "{elements}");
    }
}

#[test]
#[ignore = "needs an NVIDIA GPU"]
fn a_gpu_gives_the_same_bits_with_recorded_steps_and_without() {
    for elements in ["hex", "prism", "tet", "pyramid", "mixed"] {
        for precision in ["double", "single"] {
            for shock in ["entropy-filter", "positivity"] {
                let run = |device: &str, graph: bool| {
                    // A jump at which both filters act. Mixed cells need an even number of cubes.
                    let right = [0.01, 0.0, 0.002];
                    let mut text = tube(elements, 16, 3, SOD[0], right, &format!("precision: {precision}\n"))
                        .replace("shock: entropy-filter", &format!("shock: {shock}"))
                        .replace("periodic: [y, z]", "periodic: [y, z], warp: 0.02");
                    if elements == "mixed" {
                        text = text.replace("[16, 1, 1]", "[16, 2, 2]");
                    }
                    let set = [format!("device={device}"), "arithmetic=strict".to_owned()];
                    let mut case = Case::parse(&text, Path::new("gpu.yaml"), &set).unwrap();
                    case.solver.graph = graph;
                    let mut s = Solver::new(&case.solver).unwrap();
                    let (mut time, mut strengths) = (0.0, Vec::new());
                    for _ in 0..40 {
                        s.step(time, 1e-4).unwrap();
                        time += 1e-4;
                        strengths.extend(s.device.filter_strength().unwrap().into_iter().map(f64::to_bits));
                    }
                    assert!(strengths.iter().any(|&bits| bits > 0), "{elements} {precision} {shock}");
                    assert!(s.device.time_step_bounds().unwrap().unphysical.is_none());
                    (s.hash().unwrap(), strengths)
                };
                let cpu = run("cpu", true);
                assert!(cpu == run("cuda", true), "{elements} {precision} {shock}");
                assert!(
                    cpu == run("cuda", false),
                    "{elements} {precision} {shock}, no recording"
                );
            }
        }
    }
}
