//! The statistical errors beside the means: those of the batches of a profile, evaluated from all of its samples.

use super::{CHANNEL, read};
use crate::common::cases::solver;
use crate::common::program::{run_case, with_case};
use fr_les::element::ElementKind;
use fr_les::io::read_series;
use fr_les::solver::Solver;
use tempfile::TempDir;

/// Returns the mean velocity u over each plane of points, by y.
fn plane_means(s: &Solver) -> Vec<f64> {
    let (state, weights) = (s.device.state().unwrap(), s.elements.weights(ElementKind::Hex));
    let mut planes: Vec<(f64, f64, f64)> = Vec::new();
    for cell in 0..s.mesh.len() {
        let first = s.geometry.first_point[cell];
        for (p, x) in s.geometry.cell_positions(cell).iter().enumerate() {
            let u = |v: usize| state[5 * first + v * weights.len() + p];
            let volume = weights[p] * s.geometry.metrics[cell].jacobian(p);
            let place = planes.iter_mut().find(|(y, ..)| (y - x[1]).abs() < 1e-9);
            match place {
                Some((_, sum, all)) => (*sum, *all) = (*sum + volume * u(1) / u(0), *all + volume),
                None => planes.push((x[1], volume * u(1) / u(0), volume)),
            }
        }
    }
    planes.sort_by(|a, b| a.0.total_cmp(&b.0));
    planes.iter().map(|(_, sum, all)| sum / all).collect()
}

/// The standard error of a mean of batches of equal length, with the correlation of neighbours.
fn error_of(batches: &[f64]) -> f64 {
    let count = batches.len() as f64;
    let mean = batches.iter().sum::<f64>() / count;
    let d: Vec<f64> = batches.iter().map(|x| x - mean).collect();
    let squares: f64 = d.iter().map(|x| x * x).sum();
    let r = d.windows(2).map(|pair| pair[0] * pair[1]).sum::<f64>() / squares + 1.0 / count;
    let factor = ((1.0 + r.max(0.0)) / (1.0 - r)).clamp(1.0, count - 1.0);
    let factor = if r < 1.0 { factor } else { count - 1.0 };
    (factor * squares / count / (count - 1.0)).sqrt()
}

#[test]
fn errors_of_a_profile_are_those_of_its_batches() {
    // 150 samples: 64 batches of one, then of two from the 65th sample on, then of four from the 129th on.
    let text = CHANNEL
        .replace("from: 0.05, every-steps: 3", "every-steps: 1")
        .replace("steps: 40, cfl: 0.9", "steps: 150, dt: 0.005")
        .replace("checkpoint: {every-steps: 10}", "checkpoint: {every-steps: 50}");
    let directory = with_case(&text);
    run_case(directory.path(), 2, &[], 0);
    let mut s = solver(&text);
    let mut samples = Vec::new();
    for step in 0..150 {
        s.step(0.005 * f64::from(step), 0.005).unwrap();
        samples.push(plane_means(&s));
    }
    let table = read_series(&directory.path().join("results/statistics.csv")).unwrap();
    let (u, errors) = (table.column("u").unwrap(), table.column("u_error").unwrap());
    for (place, (mean, error)) in u.iter().zip(errors).enumerate() {
        let of: Vec<f64> = samples.iter().map(|sample| sample[place]).collect();
        assert!((mean - of.iter().sum::<f64>() / 150.0).abs() < 1e-10, "{place}");
        let batches: Vec<f64> = of.chunks_exact(4).map(|four| four.iter().sum::<f64>() / 4.0).collect();
        let expected = error_of(&batches);
        assert!((error / expected - 1.0).abs() < 1e-6, "{place}: {error} {expected}");
    }
    let text = read(&directory, "statistics.csv");
    assert_eq!(
        text.lines().filter(|line| line.contains("tau_error = ")).count(),
        2,
        "{text}"
    );
    assert!(text.contains("# re_tau_error: "), "{text}");
    // The same bytes on another number of ranks and in pieces that end within a batch.
    let whole = std::fs::read(directory.path().join("results/statistics.csv")).unwrap();
    let pieces = with_case(&text_of(&directory));
    for (ranks, steps) in [(1, 49), (3, 131), (2, 150)] {
        run_case(pieces.path(), ranks, &[&format!("time.steps={steps}")], 0);
    }
    assert!(std::fs::read(pieces.path().join("results/statistics.csv")).unwrap() == whole);
}

/// The case of a directory.
fn text_of(directory: &TempDir) -> String {
    std::fs::read_to_string(directory.path().join("run.yaml")).unwrap()
}
