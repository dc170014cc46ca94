//! The mesh loops of `fr-les bench --loops`: every loop, mode and numbering gives the sums that the definitions give.

use fr_les::device::Real;
use fr_les::device::cpu::Host;
use fr_les::loops::{Fields, LoopMachine, Mode, Numbering, Row, Tables, measure};
use fr_les::mesh::{BoxElements, BoxMesh, WarpKind, build_box};
use fr_les::vector::{Vector, dot};

/// Without waves both states at a facet are equal, so that Roe's flux is that of the state.
const LINEAR: Fields = Fields { waves: 0.0 };
const WAVY: Fields = Fields { waves: 0.05 };

/// A distorted box.
fn tables(elements: BoxElements, cells: [usize; 3]) -> Tables {
    let of = BoxMesh {
        cells,
        lower: [0.0; 3],
        upper: [1.0, 0.8, 0.7],
        periodic: [false; 3],
        elements,
        stretch: [None, Some(1.3), None],
        warp: 0.1,
        warp_kind: WarpKind::Trilinear,
    };
    Tables::new(&build_box(&of, 1).expect("a box")).expect("good cells")
}

/// Sums, `[variable][item]`, and those of the magnitudes of their terms, by which rounding errors are bounded.
struct Sums {
    items: usize,
    values: Vec<f64>,
    magnitudes: Vec<f64>,
}

impl Sums {
    fn new(variables: usize, items: usize) -> Self {
        Sums {
            items,
            values: vec![0.0; variables * items],
            magnitudes: vec![0.0; variables * items],
        }
    }

    /// Adds to a value, unless it is that of a ghost.
    fn add(&mut self, v: usize, item: i32, x: f64) {
        if (item as usize) < self.items {
            self.values[v * self.items + item as usize] += x;
            self.magnitudes[v * self.items + item as usize] += x.abs();
        }
    }
}

/// The flux of a state through an area: mass, momentum, energy, of air with a gas constant of 1.
fn flux(q: [f64; 5], a: Vector) -> [f64; 5] {
    let [rho, u, v, w, t] = q;
    let (through, p) = (u * a[0] + v * a[1] + w * a[2], rho * t);
    let enthalpy = 3.5 * t + 0.5 * (u * u + v * v + w * w);
    let m = rho * through;
    [m, m * u + p * a[0], m * v + p * a[1], m * w + p * a[2], m * enthalpy]
}

/// What the loop of this name computes, by its definition.
fn expected(name: &str, t: &Tables, fields: Fields) -> Sums {
    let sizes = t.sizes();
    let at_cell = |v: usize, cell: i32| fields.value(v, t.cells.centre[cell as usize]);
    let at_node = |v: usize, node: i32| fields.value(v, t.nodes[node as usize]);
    let six = |v: usize, cell: i32| if v < 6 { at_cell(v, cell) } else { 1.0 };
    match name {
        "NV-N" | "NV-C" => {
            let mut sums = Sums::new(7, sizes.nodes);
            for cell in 0..sizes.cells {
                for &node in t.cells.nodes.of(cell) {
                    (0..7).for_each(|v| sums.add(v, node, six(v, cell as i32)));
                }
            }
            sums
        }
        "NV-F" => {
            let mut sums = Sums::new(7, sizes.nodes);
            for (face, cells) in t.faces.cells.iter().enumerate() {
                for &node in t.faces.nodes.of(face) {
                    (0..7).for_each(|v| sums.add(v, node, six(v, cells[0]) + six(v, cells[1])));
                }
            }
            sums
        }
        "GQ-C" | "GQ-F" | "GQ-N" => {
            let mut sums = Sums::new(3, sizes.cells);
            for (face, cells) in t.faces.cells.iter().enumerate() {
                let nodes = t.faces.nodes.of(face);
                let mean = nodes.iter().map(|&node| at_node(4, node)).sum::<f64>() / nodes.len() as f64;
                for d in 0..3 {
                    sums.add(d, cells[0], mean * t.faces.area[face][d]);
                    sums.add(d, cells[1], -mean * t.faces.area[face][d]);
                }
            }
            sums
        }
        "SF-C" | "SF-F" => {
            let mut sums = Sums::new(5, sizes.cells);
            for (face, cells) in t.faces.cells.iter().enumerate() {
                for v in 0..5 {
                    let flux = fields.value(v, t.faces.centre[face]);
                    sums.add(v, cells[0], flux);
                    sums.add(v, cells[1], -flux);
                }
            }
            sums
        }
        "LM-C" | "LM-F" => {
            let own: Vec<f64> = (0..sizes.cells).map(|cell| at_cell(4, cell as i32)).collect();
            let (mut least, mut largest) = (own.clone(), own);
            for &[a, b] in &t.faces.cells {
                for (cell, other) in [(a, b), (b, a)].map(|(cell, other)| (cell as usize, at_cell(4, other))) {
                    if cell < sizes.cells {
                        least[cell] = least[cell].min(other);
                        largest[cell] = largest[cell].max(other);
                    }
                }
            }
            let values = [least, largest].concat();
            Sums {
                items: sizes.cells,
                magnitudes: values.clone(),
                values,
            }
        }
        "gradient by nodes" | "gradient by edges" => {
            let mut sums = Sums::new(15, sizes.nodes);
            for (edge, &[i, j]) in t.edges.ends.iter().enumerate() {
                for n in 0..15 {
                    let part = 0.5 * (at_node(n / 3, i) + at_node(n / 3, j)) * t.edges.area[edge][n % 3];
                    sums.add(n, i, part);
                    sums.add(n, j, -part);
                }
            }
            sums
        }
        _ => {
            let mut sums = Sums::new(5, sizes.nodes);
            for (edge, &[i, j]) in t.edges.ends.iter().enumerate() {
                let (x, r) = (t.nodes[i as usize], t.edges.displacement[edge]);
                let q = std::array::from_fn(|v| at_node(v, i) + 0.5 * dot(fields.gradient(v, x), r));
                for (v, flux) in flux(q, t.edges.area[edge]).into_iter().enumerate() {
                    sums.add(v, i, flux);
                    sums.add(v, j, -flux);
                }
            }
            sums
        }
    }
}

/// Returns the largest difference over the largest magnitude, if it is above a tolerance.
fn far_apart(found: &[f64], expected: &[f64], magnitudes: &[f64], tolerance: f64) -> Option<f64> {
    assert_eq!(found.len(), expected.len());
    let most = magnitudes.iter().fold(0.0f64, |most, x| most.max(x.abs()));
    let apart = found.iter().zip(expected).map(|(a, b)| (a - b).abs() / most);
    let worst = apart.fold(0.0, f64::max);
    // Written so that what is not a number is far apart.
    let near = found.iter().all(|x| x.is_finite()) && worst <= tolerance;
    (!near).then_some(worst)
}

/// The rounding error of a sum of up to about a hundred terms, each from a few rounded numbers, over the sum of their
/// magnitudes.
fn rounding<R: Real>() -> f64 {
    100.0 * if R::DOUBLE { 0.5f64.powi(53) } else { 0.5f64.powi(24) }
}

fn loops<M: LoopMachine, R: Real>(machine: &M, tables: &Tables, fields: Fields) -> Vec<Row> {
    measure::<M, R>(machine, tables, fields).expect("loops run")
}

/// All ways to divide a box.
const ALL: [(BoxElements, [usize; 3]); 5] = [
    (BoxElements::Mixed, [4, 4, 2]),
    (BoxElements::Hex, [5, 4, 3]),
    (BoxElements::Prism, [3, 4, 3]),
    (BoxElements::Tet, [3, 3, 4]),
    (BoxElements::Pyramid, [3, 2, 3]),
];

fn are_right<M: LoopMachine, R: Real>(machine: &M, boxes: &[(BoxElements, [usize; 3])], modes: usize) {
    for &(elements, cells) in boxes {
        let natural = tables(elements, cells);
        for numbering in [Numbering::Natural, Numbering::Rcm, Numbering::Curve, Numbering::Random] {
            let tables = numbering.apply(&natural);
            assert_eq!(tables.sizes(), natural.sizes());
            let rows = loops::<M, R>(machine, &tables, LINEAR);
            assert_eq!(rows.len(), modes);
            for row in rows {
                let case = format!("{elements:?} {numbering:?} {} {:?}", row.spec.name, row.mode);
                let exact = expected(row.spec.name, &tables, LINEAR);
                let apart = far_apart(&row.results, &exact.values, &exact.magnitudes, rounding::<R>());
                assert!(apart.is_none(), "{case}: {apart:?}");
                assert!(row.same_bits || row.mode == Mode::Atomics, "{case}");
                assert!(row.seconds > 0.0 && row.bytes > 0, "{case}");
                assert!(!R::DOUBLE || row.difference <= 1e-12, "{case}");
            }
        }
    }
}

#[test]
fn all_loops_give_the_sums_of_their_definitions() {
    // A loop that scatters over all items at once is right in one thread alone.
    are_right::<Host, f64>(&Host::new(Some(1)).expect("a thread"), &ALL, 24);
    are_right::<Host, f64>(&Host::new(Some(3)).expect("threads"), &ALL[..1], 16);
    are_right::<Host, f32>(&Host::new(Some(2)).expect("threads"), &ALL, 16);
}

#[test]
fn gradients_of_linear_values_in_tetrahedra_are_their_slopes_times_the_volumes() {
    let t = tables(BoxElements::Tet, [4, 4, 4]);
    let rows = loops::<Host, f64>(&Host::new(Some(1)).expect("a thread"), &t, LINEAR);
    let gradients = rows.iter().find(|row| row.spec.name == "gradient by nodes");
    let gradients = &gradients.expect("a row").results;
    let width = [1.0, 0.8, 0.7];
    let is_inside = |x: &Vector| (0..3).all(|d| x[d] > 0.01 && x[d] < width[d] - 0.01);
    let mut seen = 0;
    for node in (0..t.nodes.len()).filter(|&node| is_inside(&t.nodes[node])) {
        let edges = t.edges.ends.iter().enumerate();
        let of_node = edges.filter(|(_, ends)| ends.contains(&(node as i32)));
        // Both vectors change their signs from end to end.
        let part = |(edge, _): (usize, _)| dot(t.edges.area[edge], t.edges.displacement[edge]) / 6.0;
        let volume: f64 = of_node.map(part).sum();
        for v in 0..5 {
            let slope = LINEAR.gradient(v, t.nodes[node]);
            for d in 0..3 {
                let found = gradients[(3 * v + d) * t.nodes.len() + node] / volume;
                assert!((found - slope[d]).abs() < 1e-12, "{found} {}", slope[d]);
            }
        }
        seen += 1;
    }
    assert_eq!(seen, 27);
}

mod gpu {
    use super::{ALL, BoxElements, Host, Mode, Numbering, WAVY, are_right, far_apart, loops, tables};
    use fr_les::device::cuda::{Gpu, GpuStore};

    #[test]
    #[ignore = "needs an NVIDIA GPU"]
    fn loops_give_the_same_on_a_gpu_and_those_without_atomics_the_same_bits() {
        let gpu = GpuStore::new(Gpu::open(0).expect("a GPU"), false).expect("queues");
        are_right::<GpuStore, f64>(&gpu, &ALL, 30);
        are_right::<GpuStore, f32>(&gpu, &ALL, 30);
        let tables = Numbering::Curve.apply(&tables(BoxElements::Mixed, [8, 8, 8]));
        let here = loops::<Host, f64>(&Host::new(Some(1)).expect("a thread"), &tables, WAVY);
        let mut compared = 0;
        for row in loops::<GpuStore, f64>(&gpu, &tables, WAVY) {
            let same = here
                .iter()
                .find(|other| other.spec.name == row.spec.name && other.mode == row.mode);
            if row.mode == Mode::Atomics {
                let any = here
                    .iter()
                    .find(|other| other.spec.name == row.spec.name)
                    .expect("a row");
                let apart = far_apart(&row.results, &any.results, &any.results, 1e-12);
                assert!(apart.is_none(), "{}: {apart:?}", row.spec.name);
            } else if let Some(same) = same {
                let equal = row
                    .results
                    .iter()
                    .zip(&same.results)
                    .all(|(a, b)| a.to_bits() == b.to_bits());
                assert!(equal, "{} {:?}", row.spec.name, row.mode);
                compared += 1;
            }
        }
        assert_eq!(compared, 16);
    }
}
