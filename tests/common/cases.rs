//! Short case files, their solvers, and steps in time.

use std::path::Path;

use fr_les::case::Case;
use fr_les::solver::Solver;

/// Parses a valid case.
pub fn case(text: &str) -> Case {
    // Environment variables select another device, and other values of keys (key=value,...), for all tests.
    let mut set = Vec::new();
    match std::env::var("FR_LES_TEST_DEVICE") {
        Ok(device) => set.push(format!("device={device}")),
        // Tests run side by side, and their meshes are too small for several threads.
        Err(_) if !text.contains("threads:") => set.push("threads=1".to_owned()),
        Err(_) => {}
    }
    set.extend(plain(text).map(str::to_owned));
    let more = std::env::var("FR_LES_TEST_SET").unwrap_or_default();
    set.extend(more.split(',').filter(|s| !s.is_empty()).map(str::to_owned));
    Case::parse(text, Path::new("test.yaml"), &set).unwrap_or_else(|e| panic!("{e}\n{text}"))
}

/// What tests of the method take where their case does not say it: nothing that keeps runs from diverging, and RK4,
/// whose steps cost less than half of those of the default scheme.
fn plain(text: &str) -> impl Iterator<Item = &'static str> {
    let schemes = ["rk4", "lsrk5", "lsrk10", "lsrk14", "paired"];
    let says = move |words: &[&str]| words.iter().any(|word| text.contains(word));
    [
        ("scheme.shock=none", says(&["shock:"])),
        ("scheme.entropy-correction=none", says(&["entropy-correction:"])),
        ("time.scheme=rk4", says(&schemes)),
    ]
    .into_iter()
    .filter_map(|(key, said)| (!said).then_some(key))
}

/// Makes a solver of a valid case.
pub fn solver(text: &str) -> Solver {
    Solver::new(&case(text).solver).unwrap_or_else(|e| panic!("{e}\n{text}"))
}

/// Taylor-Green vortex at Mach 0.1 in a periodic box. `viscosity` is the value of the key `viscosity`, empty for the
/// Euler equations, and `more` are further lines of the case. `#warp` among them distorts the cells.
pub fn taylor_green(cells: usize, order: usize, viscosity: &str, more: &str) -> String {
    let viscosity = if viscosity.is_empty() {
        String::new()
    } else {
        format!(", viscosity: {viscosity}")
    };
    let warp = if more.contains("#warp") { "warp: 0.2" } else { "warp: 0" };
    format!(
        "mesh:\n  box:\n    cells: [{cells}, {cells}, {cells}]\n    lower: [-pi, -pi, -pi]\n    \
         upper: [pi, pi, pi]\n    \
         periodic: [x, y, z]\n    {warp}\norder: {order}\nconstants: {{p0: 1/(1.4*0.1^2)}}\n\
         gas: {{gamma: 1.4, prandtl: 0.71, gas-constant: 1.0{viscosity}}}\n\
         initial:\n  u: sin(x)*cos(y)*cos(z)\n  v: -cos(x)*sin(y)*cos(z)\n  w: 0\n  \
         p: p0 + (cos(2*x) + cos(2*y))*(cos(2*z) + 2)/16\n  temperature: p0\ntime: {{steps: 1, cfl: 0.9}}\n{more}"
    )
}

/// Takes `steps` steps of `dt`; returns the time reached.
pub fn advance(solver: &mut Solver, steps: usize, dt: f64) -> f64 {
    let mut time = 0.0;
    for _ in 0..steps {
        solver.step(time, dt).unwrap();
        time += dt;
    }
    time
}

/// Advances to `end` in equal steps of at most `cfl` of the stability limit at the start.
pub fn advance_to(solver: &mut Solver, end: f64, cfl: f64) {
    let rates = solver.device.time_step_bounds().unwrap();
    let steps = (end / (cfl * solver.stable_step(&rates))).ceil() as usize;
    advance(solver, steps, end / steps as f64);
    assert!(
        solver.device.time_step_bounds().unwrap().unphysical.is_none(),
        "the run diverged"
    );
}

/// Returns what the right-hand side of one solver has in addition to that of another at a time.
pub fn added(with: &mut Solver, without: &mut Solver, time: f64) -> Vec<f64> {
    let (a, b) = (with.rhs(time).unwrap(), without.rhs(time).unwrap());
    a.iter().zip(&b).map(|(a, b)| a - b).collect()
}

/// Returns the largest deviation of a field from the values expected at the solution points, and the largest of these.
pub fn deviation(solver: &Solver, field: &[f64], expected: &[[f64; 5]]) -> (f64, f64) {
    let mut worst = 0.0f64;
    let mut most = 0.0f64;
    let mut expected = expected.iter();
    each_point(solver, field, |_, found| {
        let wanted = expected.next().expect("a value for every point");
        for (found, wanted) in found.iter().zip(wanted) {
            worst = worst.max((found - wanted).abs());
            most = most.max(wanted.abs());
        }
    });
    (worst, most)
}

/// Calls `look(position, state)` for every solution point.
pub fn each_point(solver: &Solver, field: &[f64], mut look: impl FnMut([f64; 3], [f64; 5])) {
    for cell in 0..solver.mesh.len() {
        let (first, np) = (solver.geometry.first_point[cell], solver.geometry.cell_points(cell));
        for p in 0..np {
            let values = std::array::from_fn(|v| field[5 * first + v * np + p]);
            look(solver.geometry.points[first + p], values);
        }
    }
}
