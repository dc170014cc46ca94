//! The budget of turbulent kinetic energy: terms of polynomial fields, whose means and derivatives are exact, and the
//! same files on any number of ranks and after any restarts.

use super::CHANNEL;
use crate::common::program::{refuses, run_case, succeeds, with_case};
use fr_les::element::gauss_lobatto;
use fr_les::io::read_series;

/// Density, velocity and pressure at a point.
type Flow = fn([f64; 3]) -> [f64; 5];

/// Dynamic viscosity.
const MU: f64 = 0.3;

/// A parabola and a cubic of mean zero over [0, 1], with the same values at both ends.
fn even(x: f64) -> f64 {
    6.0 * x * (1.0 - x) - 1.0
}
fn odd(x: f64) -> f64 {
    8.0 * x * (1.0 - x) * (1.0 - 2.0 * x)
}

/// A flow whose means over x and z are polynomials of y.
fn layered([x, y, z]: [f64; 3]) -> [f64; 5] {
    let (f, h) = (even(x), odd(z));
    [
        1.0 + 0.3 * f,
        0.3 + 0.5 * y + f * (0.2 + 0.1 * y) + 0.1 * h,
        0.05 + 0.1 * y + 0.15 * f * y + 0.2 * h * (1.0 - 0.5 * y),
        0.1 * f * h + 0.2 * h + 0.1 * y * f,
        10.0 + 0.5 * f * y + 0.2 * h * (1.0 + y) + 0.3 * y,
    ]
}
const LAYERED: &str = "\
mesh: {box: {cells: [2, 6, 2], lower: [0, 0, 0], upper: [1, 1, 1], periodic: [x, z]}}
initial:
  rho: 1 + 0.3*(6*x*(1-x)-1)
  u: 0.3 + 0.5*y + (6*x*(1-x)-1)*(0.2 + 0.1*y) + 0.8*z*(1-z)*(1-2*z)
  v: 0.05 + 0.1*y + 0.15*(6*x*(1-x)-1)*y + 1.6*z*(1-z)*(1-2*z)*(1 - 0.5*y)
  w: 0.8*(6*x*(1-x)-1)*z*(1-z)*(1-2*z) + 1.6*z*(1-z)*(1-2*z) + 0.1*y*(6*x*(1-x)-1)
  p: 10 + 0.5*(6*x*(1-x)-1)*y + 1.6*z*(1-z)*(1-2*z)*(1 + y) + 0.3*y
boundaries: {y-: {type: slip}, y+: {type: slip}}
";

/// A flow whose means over z are polynomials of x and y.
fn spanwise([x, y, z]: [f64; 3]) -> [f64; 5] {
    let (f, h) = (even(z), odd(z));
    [
        1.0 + 0.3 * f,
        0.3 + 0.5 * y - 0.2 * x + f * (0.2 + 0.1 * y) + 0.1 * h * x,
        0.05 + 0.1 * y * x + 0.15 * f * y + 0.2 * h * (1.0 - 0.5 * x),
        0.2 * h * y + 0.1 * x * f,
        10.0 + 0.5 * f * y + 0.2 * h * (x + y) + 0.3 * y * x,
    ]
}
const SPANWISE: &str = "\
mesh: {box: {cells: [5, 5, 2], lower: [0, 0, 0], upper: [1, 1, 1], periodic: [z]}}
initial:
  rho: 1 + 0.3*(6*z*(1-z)-1)
  u: 0.3 + 0.5*y - 0.2*x + (6*z*(1-z)-1)*(0.2 + 0.1*y) + 0.8*z*(1-z)*(1-2*z)*x
  v: 0.05 + 0.1*y*x + 0.15*(6*z*(1-z)-1)*y + 1.6*z*(1-z)*(1-2*z)*(1 - 0.5*x)
  w: 1.6*z*(1-z)*(1-2*z)*y + 0.1*x*(6*z*(1-z)-1)
  p: 10 + 0.5*(6*z*(1-z)-1)*y + 1.6*z*(1-z)*(1-2*z)*(x + y) + 0.3*y*x
boundaries: {x-: {type: slip}, x+: {type: slip}, y-: {type: slip}, y+: {type: slip}}
";

/// One sample of the initial state.
const SAMPLE: &str = "\
title: budget
order: 4
precision: double
gas: {viscosity: {constant: 0.3}}
device: cpu
time: {steps: 1, dt: 1e-13}
";

/// Derivative of a polynomial of degree 4 at most in direction `d`.
fn slope(f: &dyn Fn([f64; 3]) -> f64, x: [f64; 3], d: usize) -> f64 {
    let h = 0.1;
    let at = |steps: f64| f(std::array::from_fn(|i| if i == d { x[i] + steps * h } else { x[i] }));
    (at(-2.0) - 8.0 * at(-1.0) + 8.0 * at(1.0) - at(2.0)) / (12.0 * h)
}

/// Means of a flow over the directions that are homogeneous.
struct Means {
    flow: Flow,
    homogeneous: [bool; 3],
}

impl Means {
    /// Mean of a function at the place x by quadrature over [0, 1].
    fn of(&self, f: &dyn Fn([f64; 3]) -> f64, x: [f64; 3]) -> f64 {
        let (points, weights) = gauss_lobatto(8);
        let mut values = vec![(x, 1.0)];
        for d in (0..3).filter(|&d| self.homogeneous[d]) {
            let along = |(x, weight): &([f64; 3], f64)| {
                let (x, weight) = (*x, *weight);
                let points = points.iter().zip(&weights);
                let point = move |(t, w): (&f64, &f64)| {
                    let mut x = x;
                    x[d] = 0.5 + 0.5 * t;
                    (x, 0.5 * w * weight)
                };
                points.map(point).collect::<Vec<_>>()
            };
            values = values.iter().flat_map(along).collect();
        }
        values.iter().map(|(x, weight)| weight * f(*x)).sum()
    }

    /// Derivative of a mean; there is none in a homogeneous direction.
    fn slope(&self, f: &dyn Fn([f64; 3]) -> f64, x: [f64; 3], d: usize) -> f64 {
        if self.homogeneous[d] { 0.0 } else { slope(f, x, d) }
    }

    fn rho(&self, x: [f64; 3]) -> f64 {
        (self.flow)(x)[0]
    }

    fn u(&self, x: [f64; 3], i: usize) -> f64 {
        (self.flow)(x)[1 + i]
    }

    fn p(&self, x: [f64; 3]) -> f64 {
        (self.flow)(x)[4]
    }

    /// Derivative of velocity i in direction j.
    fn gradient(&self, x: [f64; 3], i: usize, j: usize) -> f64 {
        slope(&|x| self.u(x, i), x, j)
    }

    /// Viscous stress.
    fn tau(&self, x: [f64; 3], i: usize, j: usize) -> f64 {
        let dilatation: f64 = (0..3).map(|k| self.gradient(x, k, k)).sum();
        let isotropic = if i == j { 2.0 / 3.0 * dilatation } else { 0.0 };
        MU * (self.gradient(x, i, j) + self.gradient(x, j, i) - isotropic)
    }

    /// Density-weighted mean velocity.
    fn favre(&self, x: [f64; 3], i: usize) -> f64 {
        self.of(&|x| self.rho(x) * self.u(x, i), x) / self.of(&|x| self.rho(x), x)
    }

    /// <rho u_i" u_j">.
    fn stress(&self, x: [f64; 3], i: usize, j: usize) -> f64 {
        let mean = [self.favre(x, i), self.favre(x, j)];
        self.of(
            &|x| self.rho(x) * (self.u(x, i) - mean[0]) * (self.u(x, j) - mean[1]),
            x,
        )
    }

    /// Columns of the budget at a place, by their definitions.
    fn terms(&self, x: [f64; 3]) -> [f64; 10] {
        let rho = self.of(&|x| self.rho(x), x);
        let rho_k = |x: [f64; 3]| 0.5 * (0..3).map(|i| self.stress(x, i, i)).sum::<f64>();
        let transport = |x: [f64; 3], j: usize| {
            let mean: [f64; 3] = std::array::from_fn(|i| self.favre(x, i));
            let of = |x: [f64; 3]| {
                let square: f64 = (0..3).map(|i| (self.u(x, i) - mean[i]).powi(2)).sum();
                0.5 * self.rho(x) * square * (self.u(x, j) - mean[j])
            };
            self.of(&of, x)
        };
        let pressure_flux = |x: [f64; 3], j: usize| {
            let (p, u) = (self.of(&|x| self.p(x), x), self.of(&|x| self.u(x, j), x));
            self.of(&|x| (self.p(x) - p) * (self.u(x, j) - u), x)
        };
        let mean_tau = |x: [f64; 3], i: usize, j: usize| self.of(&|x| self.tau(x, i, j), x);
        let viscous_flux = |x: [f64; 3], j: usize| {
            let of = |i: usize| {
                let (tau, u) = (mean_tau(x, i, j), self.of(&|x| self.u(x, i), x));
                self.of(&|x| (self.tau(x, i, j) - tau) * (self.u(x, i) - u), x)
            };
            (0..3).map(of).sum::<f64>()
        };
        let pairs = || (0..3).flat_map(|i| (0..3).map(move |j| (i, j)));
        let dissipation = |(i, j): (usize, usize)| {
            let (tau, g) = (mean_tau(x, i, j), self.of(&|x| self.gradient(x, i, j), x));
            self.of(&|x| (self.tau(x, i, j) - tau) * (self.gradient(x, i, j) - g), x)
        };
        let dilatation = |x: [f64; 3]| (0..3).map(|k| self.gradient(x, k, k)).sum::<f64>();
        let mean_p = self.of(&|x| self.p(x), x);
        let divergence =
            |f: &dyn Fn([f64; 3], usize) -> f64| -> f64 { (0..3).map(|j| self.slope(&|x| f(x, j), x, j)).sum() };
        let mass_flux = |i: usize| {
            let force: f64 = (0..3).map(|j| self.slope(&|x| mean_tau(x, i, j), x, j)).sum();
            let force = force - self.slope(&|x| self.of(&|x| self.p(x), x), x, i);
            (self.of(&|x| self.u(x, i), x) - self.favre(x, i)) * force
        };
        let production = |(i, j): (usize, usize)| self.stress(x, i, j) * self.slope(&|x| self.favre(x, i), x, j);
        let terms = [
            -divergence(&|x, j| rho_k(x) * self.favre(x, j)),
            -pairs().map(production).sum::<f64>(),
            -divergence(&transport),
            -divergence(&pressure_flux),
            self.of(&|x| (self.p(x) - mean_p) * dilatation(x), x),
            divergence(&viscous_flux),
            -pairs().map(dissipation).sum::<f64>(),
            (0..3).map(mass_flux).sum(),
        ];
        let mut all = [0.0; 10];
        all[0] = rho_k(x) / rho;
        all[1..9].copy_from_slice(&terms);
        all[9] = terms.iter().sum();
        all
    }
}

/// Names of the columns.
const NAMES: [&str; 10] = [
    "k",
    "k_convection",
    "k_production",
    "k_transport",
    "k_pressure_diffusion",
    "k_pressure_dilatation",
    "k_viscous_diffusion",
    "k_dissipation",
    "k_mass_flux",
    "k_residual",
];

/// Asserts that the columns at some places are those of a flow, and that each term is far from zero somewhere.
fn assert_terms(means: &Means, places: &[[f64; 3]], columns: &[Vec<f64>]) {
    let mut largest = [0.0f64; 10];
    for (i, &x) in places.iter().enumerate() {
        let exact = means.terms(x);
        for (n, name) in NAMES.iter().enumerate() {
            let found = columns[n][i];
            let error = (found - exact[n]).abs();
            assert!(error < 1e-9, "{name} at {x:?}: {found} for {}", exact[n]);
            largest[n] = largest[n].max(exact[n].abs());
        }
    }
    println!("{} places: {largest:?}", places.len());
    assert!(largest.iter().all(|&x| x > 1e-4), "{largest:?}");
}

#[test]
fn the_terms_of_a_profile_are_those_of_their_definitions() {
    let text = format!("{SAMPLE}{LAYERED}output: {{statistics: {{every-steps: 1, average: [x, z], budget: true}}}}\n");
    let directory = with_case(&text);
    succeeds(&directory, &["run.yaml"]);
    let table = read_series(&directory.path().join("results/statistics.csv")).unwrap();
    let column = |name: &str| table.column(name).unwrap_or_else(|| panic!("no {name}"));
    // Cells at a boundary see its ghosts, and share places with their neighbours.
    let inside: Vec<usize> = (0..column("y").len())
        .filter(|&i| (column("y")[i] - 0.5).abs() < 1.0 / 6.0 - 1e-9)
        .collect();
    assert_eq!(inside.len(), 7);
    let means = Means {
        flow: layered,
        homogeneous: [true, false, true],
    };
    let places: Vec<[f64; 3]> = inside.iter().map(|&i| [0.0, column("y")[i], 0.0]).collect();
    let of = |name: &str| inside.iter().map(|&i| column(name)[i]).collect::<Vec<f64>>();
    assert_terms(&means, &places, &NAMES.map(of));
    for (i, &x) in places.iter().enumerate() {
        let rho = means.of(&|x| means.rho(x), x);
        for (name, exact) in [
            ("u_favre", means.favre(x, 0)),
            ("v_favre", means.favre(x, 1)),
            ("uv_favre", means.stress(x, 0, 1) / rho),
            ("ww_favre", means.stress(x, 2, 2) / rho),
        ] {
            assert!((of(name)[i] - exact).abs() < 1e-10, "{name}: {} {exact}", of(name)[i]);
        }
        // The weight matters.
        assert!((of("u_favre")[i] - of("u")[i]).abs() > 1e-3);
    }
}

#[test]
fn the_terms_of_mean_fields_are_those_of_their_definitions() {
    let text = format!("{SAMPLE}{SPANWISE}output: {{statistics: {{every-steps: 1, average: [z], budget: true}}}}\n");
    let directory = with_case(&text);
    succeeds(&directory, &["run.yaml"]);
    let file = hdf5::File::open(directory.path().join("results/statistics.vtkhdf")).unwrap();
    let read = |name: &str| {
        file.dataset(&format!("VTKHDF/{name}"))
            .unwrap()
            .read_raw::<f64>()
            .unwrap()
    };
    let points: Vec<[f64; 3]> = read("Points").chunks(3).map(|x| [x[0], x[1], x[2]]).collect();
    let inside = |x: &[f64; 3]| x[..2].iter().all(|x| (x - 0.5).abs() < 0.1 - 1e-9);
    let inside: Vec<usize> = (0..points.len())
        .filter(|&i| inside(&points[i]) && points[i][2] == 0.0)
        .collect();
    assert_eq!(inside.len(), 9);
    let means = Means {
        flow: spanwise,
        homogeneous: [false, false, true],
    };
    let places: Vec<[f64; 3]> = inside.iter().map(|&i| points[i]).collect();
    let of = |name: &str| {
        let values = read(&format!("PointData/{name}"));
        inside.iter().map(|&i| values[i]).collect::<Vec<f64>>()
    };
    assert_terms(&means, &places, &NAMES.map(of));
    for (name, (a, b)) in [
        ("uu_favre", (0, 0)),
        ("vv_favre", (1, 1)),
        ("ww_favre", (2, 2)),
        ("uv_favre", (0, 1)),
        ("uw_favre", (0, 2)),
        ("vw_favre", (1, 2)),
    ] {
        for (found, &x) in of(name).iter().zip(&places) {
            let exact = means.stress(x, a, b) / means.of(&|x| means.rho(x), x);
            assert!((found - exact).abs() < 1e-10, "{name}: {found} {exact}");
        }
    }
}

#[test]
fn budgets_are_the_same_on_any_number_of_ranks_and_after_any_stops() {
    let text = CHANNEL.replace(
        "every-steps: 3, average: [x, z]",
        "every-steps: 1, average: [x, z], budget: true",
    );
    let whole = with_case(&text);
    run_case(whole.path(), 1, &[], 0);
    let bytes = |of: &tempfile::TempDir| {
        ["csv", "h5"].map(|kind| std::fs::read(of.path().join("results/statistics").with_extension(kind)).unwrap())
    };
    let expected = bytes(&whole);
    let table = read_series(&whole.path().join("results/statistics.csv")).unwrap();
    // Errors are there, and the terms of a flow that changes do not vanish.
    for name in [
        "k_production_error",
        "k_dissipation_error",
        "uv_favre_error",
        "k_dissipation",
    ] {
        let column = table.column(name).unwrap_or_else(|| panic!("no {name}"));
        assert!(column.iter().all(|x| x.is_finite() && *x != 0.0), "{name}: {column:?}");
    }
    for ranks in [2, 3] {
        let other = with_case(&text);
        run_case(other.path(), ranks, &[], 0);
        assert!(bytes(&other) == expected, "{ranks} ranks");
    }
    let stopped = with_case(&text);
    for (ranks, steps) in [(2, 10), (1, 20), (3, 40)] {
        run_case(stopped.path(), ranks, &[&format!("time.steps={steps}")], 0);
    }
    assert!(bytes(&stopped) == expected, "stopped");
    // Statistics without a budget are those that they were.
    let plain = with_case(&text.replace(", budget: true", ""));
    run_case(plain.path(), 1, &[], 0);
    let plain = read_series(&plain.path().join("results/statistics.csv")).unwrap();
    assert!(plain.column("k").is_none() && plain.column("u_favre").is_none());
    for name in ["u", "uv", "vvw", "u_error"] {
        assert_eq!(plain.column(name), table.column(name), "{name}");
    }
}

#[test]
fn sums_without_a_budget_are_not_continued_with_one() {
    let directory = with_case(CHANNEL);
    run_case(directory.path(), 1, &["time.steps=20"], 0);
    let log = run_case(
        directory.path(),
        1,
        &["time.steps=30", "output.statistics.budget=true"],
        0,
    );
    assert!(log.contains("output.statistics begins anew"), "{log}");
    let set = "output.statistics.budget=1";
    refuses(
        &directory,
        &["check", "run.yaml", "--set", set],
        &["output.statistics.budget"],
    );
}
