//! Turbulence statistics: sums of the device against those of the host, moments of known flows, and the same files on
//! any number of ranks and after any restarts.

use crate::common::cases::{case, solver};
use crate::common::program::{refuses, run_case, succeeds, with_case};
use crate::common::random::Random;
use crate::common::turned::turned;
use fr_les::case::MeshSource;
use fr_les::device::statistics::factor;
use fr_les::element::{ElementKind, OutputRule, gauss_lobatto, lagrange_matrix};
use fr_les::io::read_series;
use fr_les::mesh::build_box;
use fr_les::output::statistics::{QUANTITIES, slots_of};
use fr_les::solver::Solver;
use tempfile::TempDir;

/// A vortex between walls, on hexahedra of different heights.
const CHANNEL: &str = "\
title: small channel
mesh: {box: {cells: [3, 4, 3], lower: [-pi, -1, -pi], upper: [pi, 1, pi], periodic: [x, z], stretch: {y: {tanh: 1.5}}}}
order: 2
constants: {p0: 1/(1.4*0.2^2)}
gas: {viscosity: {constant: 1/20}}
initial: {u: 1 - y^2 + 0.1*sin(x)*cos(z), v: 0.1*cos(x)*(1 - y^2), w: 0.1*sin(x + z), p: p0, temperature: p0}
boundaries: {y-: {type: no-slip-isothermal, temperature: p0}, y+: {type: no-slip-isothermal, temperature: p0}}
forcing: {force: [0.1, 0, 0]}
device: cpu
time: {steps: 40, cfl: 0.9}
output: {statistics: {from: 0.05, every-steps: 3, average: [x, z]}, checkpoint: {every-steps: 10}}
restart: latest
";

/// Adds a sample of the present state to sums on the host, [cell][quantity][slot].
fn add_on_host(s: &Solver, slots: &fr_les::device::statistics::Slots, weight: f64, sums: &mut [f64]) {
    let state = s.device.state().unwrap();
    let mut begin = 0;
    for (cell, &kind) in s.geometry.kinds.iter().enumerate() {
        let (first, np) = (s.geometry.first_point[cell], s.geometry.cell_points(cell));
        let (count, members) = (slots.slots[kind as usize], slots.members[kind as usize]);
        let rule = OutputRule::new(kind, s.elements.order);
        let interpolation = match members {
            1 => None,
            _ if members == s.elements.line.len() => Some(&rule.across),
            _ => Some(&rule.level),
        };
        for (slot, points) in slots.list(cell, kind).chunks(members).enumerate() {
            let at_points: Vec<[f64; 8]> = points
                .iter()
                .map(|&p| {
                    let u = |v: usize| state[5 * first + v * np + p as usize];
                    let v = [1, 2, 3].map(|i| u(i) / u(0));
                    let pressure = 0.4 * (u(4) - 0.5 * (u(1) * v[0] + u(2) * v[1] + u(3) * v[2]));
                    let jacobian = s.geometry.metrics[cell].jacobian(p as usize);
                    [1.0, u(0), v[0], v[1], v[2], pressure, pressure / u(0), jacobian]
                })
                .collect();
            let values: Vec<([f64; 8], f64)> = match interpolation {
                None => vec![(at_points[0], 1.0)],
                Some(rule) => (0..rule.weights.len())
                    .map(|q| {
                        let at = |i: usize| (0..members).map(|m| rule.values[(q, m)] * at_points[m][i]).sum();
                        (std::array::from_fn(at), rule.weights[q])
                    })
                    .collect(),
            };
            for (factors, rule_weight) in values {
                let volume = weight * rule_weight * factors[7];
                for (quantity, rows) in QUANTITIES.iter().enumerate() {
                    let product: f64 = rows.iter().map(|&row| factors[row as usize]).product();
                    sums[begin + quantity * count + slot] += volume * product;
                }
            }
        }
        begin += slots.sums_of(kind);
    }
    assert_eq!(begin, sums.len());
}

/// Samples a flow several times and returns the largest deviation between the sums of device and host, relative to the
/// scale of each quantity.
fn deviation(mut s: Solver, average: [bool; 3]) -> f64 {
    let slots = slots_of(&s.mesh, &s.geometry, s.elements.order, average).unwrap();
    s.device.begin_statistics(&slots).unwrap();
    let mut sums = vec![0.0; s.device.statistics().unwrap().len()];
    let mut time = 0.0;
    for weight in [0.3, 0.1, 0.7] {
        s.device.add_to_statistics(weight).unwrap();
        add_on_host(&s, &slots, weight, &mut sums);
        s.step(time, 2e-3).unwrap();
        time += 2e-3;
    }
    let found = s.device.statistics().unwrap();
    let mut scales = [0.0f64; QUANTITIES.len()];
    let quantity_of: Vec<usize> = s
        .geometry
        .kinds
        .iter()
        .flat_map(|&kind| (0..slots.sums_of(kind)).map(move |i| (kind, i)))
        .map(|(kind, i)| i / slots.slots[kind as usize])
        .collect();
    for (&quantity, sum) in quantity_of.iter().zip(&sums) {
        scales[quantity] = scales[quantity].max(sum.abs());
    }
    let errors = found.iter().zip(&sums).zip(&quantity_of);
    let largest = errors.map(|((a, b), &quantity)| (a - b).abs() / scales[quantity].max(1e-3));
    // Sums that were read and written back are unchanged.
    s.device.begin_statistics(&slots).unwrap();
    assert!(s.device.statistics().unwrap().iter().all(|&x| x == 0.0));
    s.device.set_statistics(&found).unwrap();
    assert_eq!(s.device.statistics().unwrap(), found);
    largest.fold(0.0, f64::max)
}

/// A disturbed flow in a box of these cells.
fn flow(elements: &str, warp: &str, precision: &str) -> String {
    format!(
        "mesh: {{box: {{cells: [4, 4, 4], lower: [0, 0, 0], upper: [2*pi, 3, 2*pi], periodic: [x, y, z], \
         elements: {elements}, \
         warp: {warp}, stretch: {{y: {{tanh: 1}}}}}}}}\norder: 3\nprecision: {precision}\n\
         gas: {{viscosity: {{constant: 1/100}}}}\n\
         initial: {{u: 1 + 0.3*sin(x+y), v: 0.2*cos(y+z), w: 0.1*sin(z), p: 10 + 0.1*sin(x), \
         temperature: 10 + cos(y)}}\n\
         time: {{steps: 1}}\n"
    )
}

#[test]
fn sums_of_the_device_are_those_of_the_host() {
    let none = [false; 3];
    for (elements, warp, average) in [
        ("mixed", "0.1", none),
        ("hex", "0.1", none),
        ("hex", "0", [true, false, true]),
        ("hex", "0", [false, true, false]),
        ("prism", "0", [false, false, true]),
        ("prism", "0", [true, true, false]),
    ] {
        let error = deviation(solver(&flow(elements, warp, "double")), average);
        println!("{elements} {warp} {average:?} double {error:.1e}");
        assert!(error < 1e-13, "{elements} {warp} {average:?}: {error:e}");
        // The state, the weights and the gas constants are rounded; the sums are not.
        let error = deviation(solver(&flow(elements, warp, "single")), average);
        println!("{elements} {warp} {average:?} single {error:.1e}");
        assert!(error < 1e-6, "{elements} {warp} {average:?}: {error:e}");
    }
}

/// Moments of random values at the points: products of the polynomials of the velocity are integrated by Gauss-Lobatto
/// points of three times their degree.
#[test]
fn moments_of_lines_and_planes_are_integrals_of_products_of_polynomials() {
    let mut s = solver(&flow("hex", "0", "double"));
    let (n, mut random) = (s.elements.line.len(), Random(3));
    let np = n * n * n;
    let mut state = s.device.state().unwrap();
    for cell in 0..s.mesh.len() {
        for p in 0..np {
            let u: [f64; 5] = std::array::from_fn(|v| if v == 0 { 1.0 } else { random.between(-0.5, 0.5) });
            let energy = 25.0 + 0.5 * (1..4).map(|v| u[v] * u[v]).sum::<f64>();
            for v in 0..5 {
                state[5 * cell * np + v * np + p] = if v == 4 { energy } else { u[v] };
            }
        }
    }
    s.device.set_state(&state).unwrap();
    let (points, weights) = gauss_lobatto(3 * (n - 1));
    let to_points = lagrange_matrix(&s.elements.line.points, &points);
    let of = |rows: &[i32]| {
        QUANTITIES
            .iter()
            .position(|quantity| *quantity == rows)
            .expect("a quantity")
    };
    let all = of(&[]);
    let uu = of(&[factor::U, factor::U]);
    let vw = of(&[factor::V, factor::W]);
    for average in [[false, true, false], [true, false, true]] {
        let slots = slots_of(&s.mesh, &s.geometry, n - 1, average).unwrap();
        s.device.begin_statistics(&slots).unwrap();
        s.device.add_to_statistics(1.0).unwrap();
        let sums = s.device.statistics().unwrap();
        let (count, members) = (slots.slots[0], slots.members[0]);
        let size = slots.sums_of(ElementKind::Hex);
        for cell in 0..s.mesh.len() {
            for (slot, list) in slots.list(cell, ElementKind::Hex).chunks(members).enumerate() {
                let value = |v: usize, m: usize| state[5 * cell * np + v * np + list[m] as usize];
                // A line has one Gauss-Lobatto rule, a plane the product of two.
                let line = members == n;
                let along = |q: usize, m: usize| to_points[q * n + m];
                let second = if line { 1 } else { points.len() };
                let mut exact = [0.0; 2];
                for (a, b) in (0..second).flat_map(|b| (0..points.len()).map(move |a| (a, b))) {
                    let weight = weights[a] * if line { 1.0 } else { weights[b] };
                    let at = |v: usize| -> f64 {
                        let lagrange = |m: usize| {
                            if line {
                                along(a, m)
                            } else {
                                along(a, m % n) * along(b, m / n)
                            }
                        };
                        (0..members).map(|m| lagrange(m) * value(v, m)).sum()
                    };
                    exact[0] += weight * at(1) * at(1);
                    exact[1] += weight * at(2) * at(3);
                }
                let area = if line { 2.0 } else { 4.0 };
                for (quantity, exact) in [(uu, exact[0]), (vw, exact[1])] {
                    let sum = |quantity: usize| sums[cell * size + quantity * count + slot];
                    let mean = sum(quantity) / sum(all);
                    assert!(
                        (mean - exact / area).abs() < 1e-13,
                        "{average:?}: {mean} for {}",
                        exact / area
                    );
                }
            }
        }
    }
}

#[test]
fn neighbouring_cells_of_different_orientation_have_their_own_slots() {
    let case = case(&flow("hex", "0", "double"));
    let MeshSource::Box(b) = &case.solver.mesh else {
        panic!("not a box")
    };
    let mesh = turned(&build_box(b, 1).unwrap());
    for average in [[true, false, true], [false, false, true], [false; 3]] {
        let error = deviation(Solver::on_mesh(&case.solver, mesh.clone()).unwrap(), average);
        println!("{average:?} {error:.1e}");
        assert!(error < 1e-13, "{average:?}: {error:e}");
    }
}

fn read(directory: &TempDir, name: &str) -> String {
    std::fs::read_to_string(directory.path().join("results").join(name)).unwrap()
}

/// Returns the checksum of all cells of a checkpoint, including the sums of statistics. It does not depend on the order
/// of the cells.
fn checksum(directory: &TempDir, step: usize) -> String {
    let file = hdf5::File::open(directory.path().join(format!("results/checkpoint_{step:08}.h5"))).unwrap();
    let header = file.dataset("checkpoint/header").unwrap();
    let text = String::from_utf8(
        header.read_raw::<hdf5::types::FixedAscii<8192>>().unwrap()[0]
            .as_bytes()
            .to_vec(),
    );
    let header: serde_json::Value = serde_json::from_str(&text.unwrap()).unwrap();
    assert!(header["fields"].to_string().contains("statistics"), "{header}");
    header["cells_checksum"].to_string()
}

#[test]
fn files_and_sums_are_the_same_on_any_number_of_ranks_and_after_any_stops() {
    for (precision, every) in [("double", "every-steps: 3"), ("single", "every: 0.031")] {
        let text = CHANNEL
            .replace("order: 2", &format!("order: 2\nprecision: {precision}"))
            .replace("every-steps: 3", every);
        let whole = with_case(&text);
        run_case(whole.path(), 1, &[], 0);
        let bytes = |of: &TempDir| {
            ["csv", "h5"].map(|kind| std::fs::read(of.path().join("results/statistics").with_extension(kind)).unwrap())
        };
        let (expected, sums) = (bytes(&whole), checksum(&whole, 40));
        for ranks in [2, 3] {
            let other = with_case(&text);
            run_case(other.path(), ranks, &[], 0);
            assert!(bytes(&other) == expected, "{ranks} ranks, {precision}");
            assert_eq!(checksum(&other, 40), sums, "{ranks} ranks, {precision}");
        }
        let stopped = with_case(&text);
        for (ranks, steps) in [(2, 10), (1, 20), (3, 30), (2, 40)] {
            run_case(stopped.path(), ranks, &[&format!("time.steps={steps}")], 0);
        }
        assert!(bytes(&stopped) == expected, "stopped, {precision}");
        assert_eq!(checksum(&stopped, 40), sums, "stopped, {precision}");
    }
}

#[test]
fn mean_fields_are_the_same_on_any_number_of_ranks() {
    let text = CHANNEL.replace("[x, z]}, checkpoint", "[z]}, checkpoint");
    let directories = [1, 3].map(|ranks| {
        let directory = with_case(&text);
        run_case(directory.path(), ranks, &["time.steps=20"], 0);
        directory
    });
    for name in ["velocity", "stress_uv_uw_vw", "third_uuv_vvv_vww"] {
        let fields = directories.each_ref().map(|directory| {
            let file = hdf5::File::open(directory.path().join("results/statistics.vtkhdf")).unwrap();
            let ids = file.dataset("VTKHDF/CellData/global_cell_id").unwrap();
            let ids: Vec<u64> = ids.read_raw().unwrap();
            let values: Vec<f64> = file
                .dataset(&format!("VTKHDF/PointData/{name}"))
                .unwrap()
                .read_raw()
                .unwrap();
            let size = values.len() / ids.len();
            let mut cells: Vec<(u64, Vec<f64>)> =
                ids.into_iter().zip(values.chunks(size).map(<[f64]>::to_vec)).collect();
            cells.sort_by_key(|(id, _)| *id);
            cells
        });
        assert_eq!(fields[0].len(), 36);
        assert!(fields[0] == fields[1], "{name}");
    }
    // The same means, each place once: 3 cells along x and 4 along y with 3 points each, of which neighbours share one.
    let planes = directories.each_ref().map(|directory| {
        let path = directory.path().join("results/statistics.h5");
        let file = hdf5::File::open(&path).unwrap();
        let column = |name: &str| file.dataset(name).unwrap().read_raw::<f64>().unwrap();
        let x = column("x");
        let y = column("y");
        let u = column("u");
        assert_eq!([x.len(), y.len(), u.len()], [7 * 9; 3]);
        assert!((0..7).all(|i| y[9 * i..9 * i + 9].is_sorted() && x[9 * i..9 * i + 9].iter().all(|a| *a == x[9 * i])));
        // Both ends of a column are next to the walls, where the gas nearly stands.
        assert!((0..7).all(|i| u[9 * i].abs() < 0.1 && u[9 * i + 4] > 0.8), "{u:?}");
        std::fs::read(path).unwrap()
    });
    assert!(planes[0] == planes[1], "statistics.h5");
    // The attribute has the same text as the comments of a profile.
    let notes = directories.each_ref().map(|directory| {
        let file = hdf5::File::open(directory.path().join("results/statistics.vtkhdf")).unwrap();
        let note: hdf5::types::FixedAscii<4096> = file.attr("statistics").unwrap().read_scalar().unwrap();
        note.to_string()
    });
    assert_eq!(notes[0], notes[1]);
    for part in ["samples: 5", "sample-time: ", "wall y-: tau = ", "re_tau: "] {
        assert!(notes[0].contains(part), "{}", notes[0]);
    }
}

#[test]
fn a_profile_contains_its_walls_and_means() {
    let directory = with_case(CHANNEL);
    let log = succeeds(&directory, &["run.yaml"]);
    assert!(log.contains("planes along x and z"), "{log}");
    let text = read(&directory, "statistics.csv");
    println!("{text}");
    let table = read_series(&directory.path().join("results/statistics.csv")).unwrap();
    let y = table.column("y").unwrap();
    // Four cells have three points each and share the points between them.
    assert_eq!(y.len(), 9);
    assert!(y.is_sorted() && (y[0] + 1.0).abs() < 1e-12 && (y[8] - 1.0).abs() < 1e-12);
    let u = table.column("u").unwrap();
    assert!(u[4] > 0.9 && u[0].abs() < 0.1 && (u[0] - u[8]).abs() < 0.1, "{u:?}");
    let uu = table.column("uu").unwrap();
    assert!(uu.iter().all(|x| (-1e-12..0.1).contains(x)), "{uu:?}");
    let line = |name: &str| {
        let start = format!("# {name}: ");
        let found = text.lines().find_map(|line| line.strip_prefix(&start));
        found.unwrap_or_else(|| panic!("no {name}")).to_owned()
    };
    let value = |line: &str, name: &str| -> f64 {
        let of = line
            .split(", ")
            .find_map(|part| part.strip_prefix(&format!("{name} = ")));
        of.unwrap_or_else(|| panic!("no {name} in {line}")).parse().unwrap()
    };
    assert_eq!(line("samples"), "12");
    let mut reynolds = [0.0; 2];
    for (wall, number) in ["wall y-", "wall y+"].iter().zip(&mut reynolds) {
        let wall = line(wall);
        let [tau, rho, mu, u_tau, nu] = ["tau", "rho", "mu", "u_tau", "nu"].map(|name| value(&wall, name));
        assert_eq!(mu, 0.05);
        assert!((nu - mu / rho).abs() < 1e-15 && (u_tau - (tau / rho).sqrt()).abs() < 1e-15);
        // mu du/dy of the profile at a wall is close to 2 mu.
        assert!((tau - 0.1).abs() < 0.03, "{wall}");
        assert!(value(&wall, "heat_flux").abs() < 1.0, "{wall}");
        *number = u_tau / nu;
    }
    let re_tau: f64 = line("re_tau").parse().unwrap();
    assert!(re_tau >= 0.99 * reynolds[0].min(reynolds[1]) && re_tau <= 1.01 * reynolds[0].max(reynolds[1]));
    let file = hdf5::File::open(directory.path().join("results/statistics.h5")).unwrap();
    assert_eq!(file.dataset("u").unwrap().read_raw::<f64>().unwrap(), u);
    let number: f64 = file.attr("re_tau").unwrap().read_scalar().unwrap();
    assert_eq!(number, re_tau);
}

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

#[test]
fn a_uniform_flow_is_its_own_mean_without_fluctuations_in_all_cells() {
    // Vertices of triangles of order 2 and of tetrahedra of order 3 have zero weights.
    for (elements, average, precision, order) in [
        ("mixed", "[]", "double", 2),
        ("tet", "[]", "single", 3),
        ("prism", "[]", "double", 2),
        ("prism", "[z]", "double", 2),
        ("hex", "[y]", "single", 2),
    ] {
        let text = format!(
            "mesh: {{box: {{cells: [4, 2, 2], lower: [0, 0, 0], upper: [1, 1, 1], periodic: [x, y, z], \
             elements: {elements}}}}}\n\
             order: {order}\nprecision: {precision}\ngas: {{viscosity: {{constant: 1/100}}}}\n\
             initial: {{u: 0.5, v: 0.25, w: 0.125, p: 1, rho: 1}}\ndevice: cpu\ntime: {{steps: 6, cfl: 0.5}}\n\
             output: {{statistics: {{every-steps: 2, average: {average}}}}}\n"
        );
        let directory = with_case(&text);
        succeeds(&directory, &["run.yaml"]);
        let file = hdf5::File::open(directory.path().join("results/statistics.vtkhdf")).unwrap();
        let field = |name: &str| {
            let dataset = file.dataset(&format!("VTKHDF/PointData/{name}")).unwrap();
            dataset.read_raw::<f64>().unwrap()
        };
        let tolerance = if precision == "double" { 1e-12 } else { 1e-5 };
        let near = |name: &str, values: &[f64]| {
            let (found, width) = (field(name), values.len());
            let near = |(i, x): (usize, &f64)| (x - values[i % width]).abs() < tolerance;
            assert!(
                found.iter().enumerate().all(near),
                "{elements} p {order} {name}: {found:?}"
            );
        };
        near("velocity", &[0.5, 0.25, 0.125]);
        near("pressure", &[1.0]);
        near("stress_uu_vv_ww", &[0.0; 3]);
        near("third_uuu_uvv_uww", &[0.0; 3]);
        assert!(!directory.path().join("results/statistics.csv").exists());
    }
}

#[test]
fn impossible_averages_are_refused_before_anything_is_written() {
    let with = |more: &str| {
        with_case(
            &CHANNEL
                .replace("stretch: {y: {tanh: 1.5}}", more)
                .replace("[3, 4, 3]", "[4, 4, 4]"),
        )
    };
    for (more, part) in [
        ("elements: tet", "tet 0"),
        ("elements: prism", "prism 0"),
        ("elements: mixed", "does not have"),
        ("warp: 0.1", "hex"),
    ] {
        let directory = with(more);
        for arguments in [vec!["run.yaml"], vec!["check", "run.yaml"]] {
            refuses(
                &directory,
                &arguments,
                &[
                    "output.statistics.average",
                    part,
                    "planes of points along x and z",
                    "average: []",
                ],
            );
        }
        succeeds(
            &directory,
            &["check", "run.yaml", "--set", "output.statistics.average=[]"],
        );
    }
    let directory = with_case(CHANNEL);
    for (set, part) in [
        ("output.statistics.average=[x, x]", "named twice"),
        ("output.statistics.average=[x, y, z]", "not periodic in y"),
        ("output.statistics.from=-1", "at least 0"),
        ("output.statistics.every=1", "exclude each other"),
    ] {
        refuses(&directory, &["run.yaml", "--set", set], &["output.statistics", part]);
    }
}

#[test]
fn sums_of_other_settings_are_not_continued() {
    let directory = with_case(CHANNEL);
    succeeds(&directory, &["run.yaml", "--set", "time.steps=20"]);
    let samples = |directory: &TempDir| {
        let text = read(directory, "statistics.csv");
        text.lines()
            .find(|line| line.starts_with("# samples"))
            .unwrap()
            .to_owned()
    };
    let other = |set: &[&str]| run_case(directory.path(), 1, set, 0);
    assert_eq!(samples(&directory), "# samples: 5");
    let log = other(&["time.steps=30", "output.statistics.from=1e-9"]);
    assert!(
        log.contains("begins anew") && log.contains("averaged over [x and z]"),
        "{log}"
    );
    assert_eq!(samples(&directory), "# samples: 4");
    assert!(read(&directory, "statistics.csv").contains("\ny,rho,rho_error,rho_at_least,u,"));
    let log = other(&["time.steps=40", "output.statistics.from=1e-9", "order=3"]);
    assert!(log.contains("another order"), "{log}");
    let log = other(&["time.steps=42", "output.statistics=null", "order=3"]);
    assert!(log.contains("the checkpoint has sums of output.statistics"), "{log}");
    let log = other(&["time.steps=45", "output.statistics.from=1e9", "order=3"]);
    assert!(log.contains("output.statistics: nothing has been sampled"), "{log}");
    let log = other(&["time.steps=50", "output.statistics.average=[z]", "order=3"]);
    assert!(
        log.contains("statistics.csv is of means over other directions"),
        "{log}"
    );
}
