//! Fields that follow from the state, in files of solutions and slices: exact for a flow of constant gradient.

use std::path::Path;

use crate::common::program::{run_case, with_case};

const CASE: &str = "\
mesh: {box: {cells: [4, 2, 2], lower: [0, 0, 0], upper: [1, 1, 1], elements: mixed}}
order: 3
device: cpu
threads: 1
initial: {u: 3 + 0.1*x + 2*y, v: -x + 0.3*z, w: 0.2*y, p: (2 + x)*(1 + 3*z), rho: 1 + 3*z}
boundaries: {x-: {type: slip}, x+: {type: slip}, y-: {type: slip}, y+: {type: slip}, z-: {type: slip}, z+: {type: slip}}
time: {steps: 1, dt: 1e-18}
output:
  solution: {every-steps: 1, fields: [velocity-gradient, q-criterion, density-gradient, mach, pressure-gradient]}
  statistics: {every-steps: 1, gradients: true}
  surfaces: {every-steps: 1, boundaries: [x-, z+], fields: [velocity-gradient, vorticity, mach, density-gradient]}
  slices:
    all: {point: [0.4, 0, 0], normal: [1, 1, 0], every-steps: 1, fields: [velocity-gradient, vorticity, mach]}
    few: {point: [0.4, 0, 0], normal: [1, 1, 0], every-steps: 1}
";

fn field(file: &Path, name: &str) -> Vec<f64> {
    let file = hdf5::File::open(file).unwrap();
    let data = file.dataset(&format!("VTKHDF/PointData/{name}")).unwrap();
    assert!(data.ndim() == 1 || data.shape()[1] > 1);
    data.read_raw().unwrap()
}

fn names(file: &Path) -> Vec<String> {
    let file = hdf5::File::open(file).unwrap();
    file.group("VTKHDF/PointData").unwrap().member_names().unwrap()
}

fn near(found: &[f64], exact: &[f64], what: &str) {
    for row in found.chunks(exact.len()) {
        let worst = row.iter().zip(exact).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        assert!(worst < 1e-11, "{what}: {row:?}, not {exact:?}");
    }
}

#[test]
fn files_have_the_derived_fields_of_a_constant_gradient() {
    let directory = with_case(CASE);
    run_case(directory.path(), 2, &[], 0);
    let results = directory.path().join("results");
    let [solution, all, few] =
        ["solution", "slices_all", "slices_few"].map(|n| results.join(format!("{n}_0000.vtkhdf")));
    let gradient = [0.1, 2.0, 0.0, -1.0, 0.0, 0.3, 0.0, 0.2, 0.0];
    for file in [&solution, &all] {
        near(&field(file, "velocity_gradient"), &gradient, "velocity gradient");
        let (velocity, pressure) = (field(file, "velocity"), field(file, "pressure"));
        let (density, mach) = (field(file, "density"), field(file, "mach"));
        assert_eq!(mach.len(), pressure.len());
        // The Mach number is no polynomial: it is exact at the points of the solution, which vertices are.
        let exact = |i: usize| {
            let v = &velocity[3 * i..3 * i + 3];
            (v.iter().map(|x| x * x).sum::<f64>() * density[i] / (1.4 * pressure[i])).sqrt()
        };
        assert!((0..mach.len()).all(|i| (mach[i] - exact(i)).abs() < 2e-2));
        assert!(file == &all || (mach[0] - exact(0)).abs() < 1e-12);
    }
    let means = results.join("statistics.vtkhdf");
    near(
        &field(&means, "velocity_gradient"),
        &gradient,
        "gradient of the mean velocity",
    );
    near(
        &field(&means, "temperature_gradient"),
        &[1.0, 0.0, 0.0],
        "gradient of the mean temperature",
    );
    // Q = (div^2 - g_ij g_ji)/2.
    let q = 0.5 * (0.01 - (0.01 - 2.0 * 2.0 + 2.0 * 0.3 * 0.2));
    near(&field(&solution, "q_criterion"), &[q], "Q");
    near(
        &field(&solution, "density_gradient"),
        &[0.0, 0.0, 3.0],
        "density gradient",
    );
    // p = rho T with rho = 1 + 3 z and T = 2 + x.
    let (density, temperature) = (field(&solution, "density"), field(&solution, "temperature"));
    for (i, row) in field(&solution, "pressure_gradient").chunks(3).enumerate() {
        near(row, &[density[i], 0.0, 3.0 * temperature[i]], "pressure gradient");
    }
    for file in [&all, &few] {
        near(&field(file, "vorticity"), &[0.2 - 0.3, 0.0, -1.0 - 2.0], "vorticity");
        near(&field(file, "q_criterion"), &[q], "Q");
    }
    let surfaces = results.join("surfaces_0000.vtkhdf");
    near(
        &field(&surfaces, "velocity_gradient"),
        &gradient,
        "velocity gradient on a surface",
    );
    near(
        &field(&surfaces, "vorticity"),
        &[0.2 - 0.3, 0.0, -1.0 - 2.0],
        "vorticity on a surface",
    );
    near(
        &field(&surfaces, "density_gradient"),
        &[0.0, 0.0, 3.0],
        "density gradient on a surface",
    );
    // At a corner of the mesh, x = 0, the temperature is 2 and the Mach number exact.
    let (velocity, temperature) = (field(&surfaces, "velocity"), field(&surfaces, "temperature"));
    let speed = velocity[..3].iter().map(|x| x * x).sum::<f64>().sqrt();
    assert!((field(&surfaces, "mach")[0] - speed / (1.4 * temperature[0]).sqrt()).abs() < 1e-12);
    let usual = [
        "density",
        "pressure",
        "q_criterion",
        "temperature",
        "velocity",
        "vorticity",
    ];
    assert_eq!(names(&few), usual);
    assert_eq!(names(&all).len(), usual.len() + 2);
    assert_eq!(names(&solution).len(), 4 + 5);
}

#[test]
fn files_have_the_eddy_viscosity_of_a_constant_gradient() {
    let state = "u: 0.3*y, v: 0.1*x, w: 0, p: 1.3, temperature: 1";
    let side = |name: &str| format!("{name}: {{type: supersonic-inlet, {state}}}");
    let sides = ["x-", "x+", "y-", "y+", "z-", "z+"].map(side).join(", ");
    let directory = with_case(&format!(
        "mesh: {{box: {{cells: [2, 2, 2], lower: [0, 0, 0], upper: [0.5, 0.5, 0.5]}}}}\norder: 3\ndevice: cpu\n\
         gas: {{viscosity: {{constant: 0.01}}}}\nsgs: {{model: smagorinsky, constant: 0.2}}\n\
         initial: {{{state}}}\nboundaries: {{{sides}}}\ntime: {{steps: 1, dt: 1e-18}}\noutput:\n  \
         solution: {{every-steps: 1, fields: [mu-t]}}\n  \
         surfaces: {{every-steps: 1, boundaries: [x-], fields: [mu-t, mach]}}\n  \
         slices: {{all: {{point: [0.2, 0, 0], normal: [1, 1, 0], every-steps: 1, fields: [mu-t]}}}}\n"
    ));
    run_case(directory.path(), 2, &[], 0);
    // Delta^2 for cubes of side 1/4 with 64 points, and |S| = du/dy + dv/dx.
    let exact = 1.3 * 0.04 * (0.25f64.powi(3) / 64.0).powf(2.0 / 3.0) * 0.4;
    for name in ["solution", "surfaces", "slices_all"] {
        let found = field(&directory.path().join(format!("results/{name}_0000.vtkhdf")), "mu_t");
        assert!(!found.is_empty());
        let worst = found.iter().map(|mu| (mu / exact - 1.0).abs()).fold(0.0, f64::max);
        assert!(worst < 1e-12, "{name}: {worst:e}");
    }
}
