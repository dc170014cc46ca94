//! The sums of the device: those of the host, moments of known fields, and cells of different orientation beside each
//! other.

use crate::common::cases::{case, solver};
use crate::common::random::Random;
use crate::common::turned::turned;
use fr_les::case::MeshSource;
use fr_les::device::statistics::{Slots, factor};
use fr_les::element::{ElementKind, OutputRule, gauss_lobatto, lagrange_matrix};
use fr_les::geometry::gradient;
use fr_les::mesh::build_box;
use fr_les::output::statistics::{Contents, Products, slots_of};
use fr_les::solver::Solver;

/// Values at a point of which products are taken: the rows of the state, those of strain, those of passive scalars.
const ROWS: usize = 7 + 12 + 9;

/// Dynamic viscosity of the flow.
const MU: f64 = 0.01;

/// Returns the rows at all points of a cell, whose gradient is that of its own polynomials. `scalars` are the values of
/// each passive scalar at all points of the mesh.
fn rows_of(s: &Solver, state: &[f64], scalars: &[(String, Vec<f64>)], cell: usize) -> Vec<[f64; ROWS]> {
    let (first, np) = (s.geometry.first_point[cell], s.geometry.cell_points(cell));
    let u = |v: usize, p: usize| state[5 * first + v * np + p];
    let velocity = |i: usize| (0..np).map(|p| u(1 + i, p) / u(0, p)).collect::<Vec<f64>>();
    let v = [0, 1, 2].map(velocity);
    let g = v.each_ref().map(|v| gradient(&s.elements, &s.geometry, cell, v));
    let row = |p: usize| {
        let v = v.each_ref().map(|v| v[p]);
        let pressure = 0.4 * (u(4, p) - 0.5 * (u(1, p) * v[0] + u(2, p) * v[1] + u(3, p) * v[2]));
        let strain = |i: usize, j: usize| 0.5 * (g[i][p][j] + g[j][p][i]);
        let of_state = [1.0, u(0, p), v[0], v[1], v[2], pressure, pressure / u(0, p)];
        let of_strain = [1.0, MU, v[0], v[1], v[2], pressure];
        let rates = [(0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2)].map(|(i, j)| strain(i, j));
        let of_scalars = (0..4).map(|n| scalars.get(n).map_or(0.0, |(_, values)| values[first + p]));
        let with_scalars = [1.0, u(0, p), v[0], v[1], v[2]].into_iter().chain(of_scalars);
        let all = of_state.into_iter().chain(of_strain).chain(rates).chain(with_scalars);
        let all: Vec<f64> = all.collect();
        std::array::from_fn(|i| all[i])
    };
    (0..np).map(row).collect()
}

/// Adds a sample of the present state to sums on the host, [cell][quantity][slot].
fn add_on_host(s: &Solver, slots: &Slots, products: &Products, weight: f64, sums: &mut [f64]) {
    let state = s.device.state().unwrap();
    let scalars = s.scalar_values().unwrap();
    let mut begin = 0;
    for (cell, &kind) in s.geometry.kinds.iter().enumerate() {
        let (count, members) = (slots.slots[kind as usize], slots.members[kind as usize]);
        let rule = OutputRule::new(kind, s.elements.order);
        let interpolation = match members {
            1 => None,
            _ if members == s.elements.line.len() => Some(&rule.across),
            _ => Some(&rule.level),
        };
        let rows = rows_of(s, &state, &scalars, cell);
        let jacobian = |p: i32| s.geometry.metrics[cell].jacobian(p as usize);
        for (slot, points) in slots.list(cell, kind).chunks(members).enumerate() {
            // Rows and volume at the points of the rule.
            let values: Vec<([f64; ROWS], f64)> = match interpolation {
                None => vec![(rows[points[0] as usize], jacobian(points[0]))],
                Some(rule) => (0..rule.weights.len())
                    .map(|q| {
                        let sum = |f: &dyn Fn(i32) -> f64| -> f64 {
                            (0..members).map(|m| rule.values[(q, m)] * f(points[m])).sum()
                        };
                        let row = std::array::from_fn(|i| sum(&|p| rows[p as usize][i]));
                        (row, rule.weights[q] * sum(&jacobian))
                    })
                    .collect(),
            };
            for (row, volume) in values {
                let product = |rows: &[f64], of: &[i32]| of.iter().map(|&i| rows[i as usize]).product::<f64>();
                let of_state = products.of_state().iter().map(|of| product(&row[..7], of));
                let of_strain = products.of_strain().iter().map(|of| product(&row[7..], of));
                let of_scalars = products.of_scalars().iter().map(|of| product(&row[19..], of));
                for (quantity, product) in of_state.chain(of_strain).chain(of_scalars).enumerate() {
                    sums[begin + quantity * count + slot] += weight * volume * product;
                }
            }
        }
        begin += slots.sums_of(kind);
    }
    assert_eq!(begin, sums.len());
}

/// Samples a flow so many times and returns the largest deviation between the sums of device and host, relative to the
/// scale of each quantity. Only at the beginning has the flow no jumps between cells, by which the device corrects the
/// gradient.
fn deviation(mut s: Solver, average: [bool; 3], contents: Contents, samples: usize) -> f64 {
    let products = Products::of(contents, s.scalar_names().count());
    let slots = slots_of(&s.mesh, &s.geometry, s.elements.order, average, &products).unwrap();
    s.device.begin_statistics(&slots).unwrap();
    let mut sums = vec![0.0; s.device.statistics().unwrap().len()];
    let mut time = 0.0;
    for weight in &[0.3, 0.1, 0.7][..samples] {
        s.evaluate_rhs(time).unwrap();
        s.device.add_to_statistics(*weight).unwrap();
        add_on_host(&s, &slots, &products, *weight, &mut sums);
        s.step(time, 2e-3).unwrap();
        time += 2e-3;
    }
    let found = s.device.statistics().unwrap();
    let mut scales = vec![0.0f64; products.len()];
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
        "mesh: {{box: {{cells: [4, 4, 4], lower: [0, 0, 0], upper: [2*pi, 2*pi, 2*pi], periodic: [x, y, z], \
         elements: {elements}, \
         warp: {warp}, stretch: {{y: {{tanh: 1}}}}}}}}\norder: 3\nprecision: {precision}\n\
         gas: {{viscosity: {{constant: 1/100}}}}\n\
         initial: {{u: 1 + 0.3*sin(x+y), v: 0.2*cos(y+z), w: 0.1*sin(z), p: 10 + 0.1*sin(x), \
         temperature: 10 + cos(y)}}\n\
         scalars: {{dye: {{schmidt: 1, initial: 1 + sin(x)}}, smoke: {{schmidt: 2, initial: cos(y)*sin(z)}}}}\n\
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
        for (contents, samples) in [(Contents::Favre, 3), (Contents::Budget, 1)] {
            let of = |precision: &str| {
                let error = deviation(solver(&flow(elements, warp, precision)), average, contents, samples);
                println!("{elements} {warp} {average:?} {precision} {contents:?} {error:.1e}");
                error
            };
            let error = of("double");
            assert!(error < 1e-12, "{elements} {warp} {average:?} {contents:?}: {error:e}");
            // The state, the weights and the gas constants are rounded; the sums are not. Derivatives of rounded values
            // have larger errors.
            let error = of("single");
            let tolerance = if contents == Contents::Budget { 2e-4 } else { 1e-6 };
            assert!(
                error < tolerance,
                "{elements} {warp} {average:?} {contents:?}: {error:e}"
            );
        }
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
    let products = Products::of(Contents::Reynolds, 0);
    let of = |rows: &[i32]| products.state(rows);
    let all = of(&[]);
    let uu = of(&[factor::U, factor::U]);
    let vw = of(&[factor::V, factor::W]);
    for average in [[false, true, false], [true, false, true]] {
        let slots = slots_of(&s.mesh, &s.geometry, n - 1, average, &products).unwrap();
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
        for (contents, samples) in [(Contents::Favre, 3), (Contents::Budget, 1)] {
            let s = Solver::on_mesh(&case.solver, mesh.clone()).unwrap();
            let error = deviation(s, average, contents, samples);
            println!("{average:?} {contents:?} {error:.1e}");
            assert!(error < 1e-12, "{average:?} {contents:?}: {error:e}");
        }
    }
}
