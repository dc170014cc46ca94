//! Surfaces, coefficients and slices: exact for polynomial flows, consistent with the series of forces, and the same on
//! any number of ranks and after a restart.

use std::path::Path;

use crate::common::cases::solver;
use crate::common::couette::couette;
use crate::common::program::{names, refuses, run_case, succeeds, with_case};
use fr_les::io::read_series;
use fr_les::output::Surfaces;

const ELEMENTS: [&str; 5] = ["hex", "prism", "tet", "pyramid", "mixed"];

#[test]
fn couette_flow_has_its_skin_friction_heat_and_y_plus_at_every_point() {
    let mu = 0.05;
    let h = 0.5;
    let speed = 1.5;
    let shear = mu * speed / h;
    for elements in ELEMENTS {
        for order in [2, 3] {
            let mut s = solver(&couette(elements, order, mu, h, speed));
            s.evaluate_rhs(0.0).unwrap();
            let surfaces = Surfaces::of_solver(&s, |_| true);
            let values = surfaces.take(s.device.as_mut(), &s.domain.geometry).unwrap();
            let mut worst = 0.0f64;
            for (face, points) in surfaces.faces.iter().zip(&values) {
                let lower = s.mesh.boundary_names[face.boundary] == "y-";
                let (wall, drag) = if lower { (0.0, shear) } else { (speed, -shear) };
                for p in points {
                    let errors = [
                        p.pressure - 1.0,
                        p.temperature - 1.0,
                        p.density - 1.0,
                        p.velocity[0] - wall,
                        p.traction[0] - drag,
                        p.traction[1],
                        p.traction[2],
                        // Half of the work leaves as heat through either wall.
                        p.heat - 0.5 * shear * speed,
                        surfaces.y_plus(face, p) - shear.sqrt() * face.spacing / mu,
                    ];
                    worst = errors.iter().fold(worst, |worst, e| worst.max(e.abs()));
                }
                if elements == "hex" {
                    let first: f64 = if order == 2 { 0.0 } else { -1.0 / 5f64.sqrt() };
                    worst = worst.max((face.spacing - 0.5 * h * 0.5 * (1.0 + first)).abs());
                }
            }
            println!("{elements} p {order}: {worst:.1e}");
            assert!(worst < 1e-13, "{elements} p {order}: {worst:e}");
        }
    }
}

/// Couette flow with waves of w. They make the traction vary, but leave its first component and the heat flux exact at
/// the start.
const CASE: &str = "title: plates\n\
mesh: {box: {cells: [4, 2, 2], lower: [0, 0, 0], upper: [1, 0.5, 2], periodic: [x, z], elements: mixed}}\n\
order: 3\ndevice: cpu\nthreads: 1\ngas: {prandtl: 0.72, viscosity: {constant: 0.05}}\n\
constants: {h: 0.5, s: 1.5, k: 0.72/7*1.5^2}\n\
initial: {u: s*y/h, v: 0, w: 0.2*y/h*(1 - y/h)*(1 + sin(2*pi*x)), p: 1, temperature: 1 + k*y/h*(1 - y/h)}\n\
boundaries:\n  y-: {type: no-slip-isothermal, temperature: 1}\n  \
y+: {type: no-slip-isothermal, temperature: 1, velocity: [s, 0, 0]}\n\
time: {steps: 7, dt: 1e-3}\noutput:\n  boundaries: {every-steps: 2}\n  checkpoint: {every-steps: 2}\n  \
reference: {pressure: 0.5, density: 1, velocity: [2, 0, 0], area: 4}\n  surfaces: {every-steps: 3}\n  \
slices:\n    level: {point: [0, 0, 1], normal: [0, 0, 3], every-steps: 5}\n    \
tilted: {point: [0.5, 0.25, 1], normal: [0, 1, 0.25], every-steps: 3}\n";

/// Cells of a surface: the number, and the bits of all values at the nodes.
type Content = Vec<(u64, Vec<u64>)>;

/// A surface file, with its pieces put together.
struct Surface {
    /// Number of the cell, VTK type of the face, and its nodes.
    cells: Vec<(u64, u8, Vec<usize>)>,
    points: Vec<[f64; 3]>,
    group: hdf5::Group,
}

impl Surface {
    fn open(path: &Path) -> Self {
        let file = hdf5::File::open(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        let group = file.group("VTKHDF").unwrap();
        let counts = |name: &str| -> Vec<usize> {
            let counts: Vec<i64> = group.dataset(name).unwrap().read_raw().unwrap();
            counts.into_iter().map(|n| n as usize).collect()
        };
        let (nodes, offsets) = (counts("Connectivity"), counts("Offsets"));
        let types: Vec<u8> = group.dataset("Types").unwrap().read_raw().unwrap();
        let ids: Vec<u64> = group.dataset("CellData/global_cell_id").unwrap().read_raw().unwrap();
        let mut cells = Vec::new();
        let mut first_node = 0;
        let mut first_offset = 0;
        let mut first_point = 0;
        let sizes = counts("NumberOfCells").into_iter().zip(counts("NumberOfPoints"));
        for (size, points) in sizes {
            for c in 0..size {
                let range = first_node + offsets[first_offset + c]..first_node + offsets[first_offset + c + 1];
                let nodes = nodes[range].iter().map(|node| first_point + node).collect();
                cells.push((ids[cells.len()], types[cells.len()], nodes));
            }
            first_node += offsets[first_offset + size];
            first_offset += size + 1;
            first_point += points;
        }
        let points: Vec<f64> = group.dataset("Points").unwrap().read_raw().unwrap();
        Surface {
            cells,
            points: points.as_chunks::<3>().0.to_vec(),
            group,
        }
    }

    fn field(&self, name: &str) -> Vec<f64> {
        let data = self.group.dataset(&format!("PointData/{name}"));
        data.unwrap_or_else(|e| panic!("{name}: {e}")).read_raw().unwrap()
    }

    fn names(&self) -> Vec<String> {
        self.group.group("PointData").unwrap().member_names().unwrap()
    }

    /// Returns all cells with the bits of all values at their nodes, sorted.
    fn content(&self) -> Content {
        let fields: Vec<Vec<f64>> = self.names().iter().map(|name| self.field(name)).collect();
        let at_node = |node: usize| -> Vec<u64> {
            let of_field = |f: &Vec<f64>| {
                let width = f.len() / self.points.len();
                f[width * node..width * (node + 1)].to_vec()
            };
            let values = self.points[node].into_iter().chain(fields.iter().flat_map(of_field));
            values.map(f64::to_bits).collect()
        };
        let cells = self.cells.iter();
        let mut content: Vec<_> = cells
            .map(|(id, _, nodes)| (*id, nodes.iter().flat_map(|&node| at_node(node)).collect()))
            .collect();
        content.sort();
        content
    }

    /// Integrates `f` of a node and the unit normal over flat faces of order 3 whose nodes are in VTK's order.
    fn integral(&self, f: impl Fn(usize, [f64; 3]) -> f64) -> f64 {
        let triangle = [[1.0 / 30.0; 3].to_vec(), [3.0 / 40.0; 6].to_vec(), vec![9.0 / 20.0]].concat();
        let quad = [
            [1.0 / 64.0; 4].to_vec(),
            [3.0 / 64.0; 8].to_vec(),
            [9.0 / 64.0; 4].to_vec(),
        ]
        .concat();
        let of_cell = |(_, kind, nodes): &(u64, u8, Vec<usize>)| {
            let (weights, share) = if *kind == 69 { (&triangle, 0.5) } else { (&quad, 1.0) };
            assert_eq!(weights.len(), nodes.len());
            let last = if *kind == 69 { 2 } else { 3 };
            let [a, b, c] = [0, 1, last].map(|i| self.points[nodes[i]]);
            let [u, v]: [[f64; 3]; 2] = [b, c].map(|x| std::array::from_fn(|d| x[d] - a[d]));
            let area: [f64; 3] =
                std::array::from_fn(|d| share * (u[(d + 1) % 3] * v[(d + 2) % 3] - u[(d + 2) % 3] * v[(d + 1) % 3]));
            let size = area.iter().map(|x| x * x).sum::<f64>().sqrt();
            let normal = area.map(|x| x / size);
            let sum: f64 = nodes.iter().zip(weights).map(|(&node, w)| w * f(node, normal)).sum();
            size * sum
        };
        self.cells.iter().map(of_cell).sum()
    }
}

fn near(what: &str, found: f64, exact: f64) {
    assert!((found - exact).abs() < 1e-12, "{what}: {found}, not {exact}");
}

#[test]
fn files_agree_with_the_series_on_any_number_of_ranks() {
    let mut first: Option<(Vec<Content>, Vec<Vec<u64>>)> = None;
    for ranks in [1, 2, 3] {
        let directory = with_case(CASE);
        run_case(directory.path(), ranks, &[], 0);
        let results = directory.path().join("results");
        let written: Vec<String> = names(&results).into_iter().filter(|n| n.ends_with(".vtkhdf")).collect();
        let expected = [("slices_level", 3), ("slices_tilted", 4), ("surfaces", 4)];
        let expected = expected
            .iter()
            .flat_map(|(name, n)| (0..*n).map(move |i| format!("{name}_{i:04}.vtkhdf")));
        assert_eq!(written, expected.collect::<Vec<_>>());
        let content = written
            .iter()
            .map(|name| Surface::open(&results.join(name)).content())
            .collect();
        let series = ["boundaries", "coefficients"].map(|name| {
            let table = read_series(&results.join(format!("{name}.csv"))).unwrap();
            table.columns.iter().flatten().map(|x| x.to_bits()).collect()
        });
        let all = (content, series.to_vec());
        match &first {
            None => {
                at_the_start(&results);
                at_the_end(&results);
                first = Some(all);
            }
            Some(first) => assert!(*first == all, "{ranks} ranks"),
        }
    }
}

/// Compares the first file with the exact values of the initial state.
fn at_the_start(results: &Path) {
    let (shear, speed) = (0.15, 1.5);
    let file = Surface::open(&results.join("surfaces_0000.vtkhdf"));
    let (pressure, friction) = (
        file.field("pressure_coefficient"),
        file.field("skin_friction_coefficient"),
    );
    let heat = file.field("heat_flux");
    let y_plus = file.field("y_plus");
    assert_eq!(
        file.cells
            .iter()
            .map(|c| c.1)
            .collect::<std::collections::BTreeSet<_>>()
            .len(),
        2,
        "both shapes"
    );
    for (i, x) in file.points.iter().enumerate() {
        near("Cp", pressure[i], 0.25);
        near(
            "Cf",
            friction[3 * i],
            if x[1] < 0.25 { shear / 2.0 } else { -shear / 2.0 },
        );
        near("heat", heat[i], 0.5 * shear * speed);
        assert!(y_plus[i] > 0.0);
    }
    let table = read_series(&results.join("coefficients.csv")).unwrap();
    let value = |name: &str| table.column(name).unwrap()[0];
    near("drag", value("y-_drag"), shear * 2.0 / (2.0 * 4.0));
    near("lift", value("y-_lift"), -(1.0 - 0.5) * 2.0 / (2.0 * 4.0));
    near("lift", value("y+_lift"), (1.0 - 0.5) * 2.0 / (2.0 * 4.0));
    near("friction drag", value("y+_friction_drag"), -shear * 2.0 / (2.0 * 4.0));
    near("heat", value("y+_heat"), 0.5 * shear * speed * 2.0);
    let (mean, most) = (value("y-_y_plus_mean"), value("y-_y_plus_max"));
    assert!(mean > 0.0 && mean <= most, "{mean} {most}");

    for (name, area) in [("level", 0.5), ("tilted", 4.25f64.sqrt())] {
        let slice = Surface::open(&results.join(format!("slices_{name}_0000.vtkhdf")));
        let fields = ["velocity", "pressure", "temperature", "vorticity"].map(|name| slice.field(name));
        let mut sum = 0.0;
        for (_, kind, nodes) in &slice.cells {
            assert_eq!(*kind, 5);
            let [a, b, c] = [0, 1, 2].map(|i| slice.points[nodes[i]]);
            let [u, v]: [[f64; 3]; 2] = [b, c].map(|x| std::array::from_fn(|d| x[d] - a[d]));
            let turn = |d: usize| u[(d + 1) % 3] * v[(d + 2) % 3] - u[(d + 2) % 3] * v[(d + 1) % 3];
            sum += 0.5 * (0..3).map(|d| turn(d).powi(2)).sum::<f64>().sqrt();
        }
        near("area of the slice", sum, area);
        for (i, x) in slice.points.iter().enumerate() {
            let y = x[1] / 0.5;
            near("u", fields[0][3 * i], 1.5 * y);
            near("p", fields[1][i], 1.0);
            near("T", fields[2][i], 1.0 + 0.72 / 7.0 * 2.25 * y * (1.0 - y));
            near("vorticity", 1e-2 * fields[3][3 * i + 2], 1e-2 * -3.0);
        }
    }
}

/// Compares integrals over the last file with the last row of the series.
fn at_the_end(results: &Path) {
    let file = Surface::open(&results.join("surfaces_0003.vtkhdf"));
    let table = read_series(&results.join("boundaries.csv")).unwrap();
    let coefficients = read_series(&results.join("coefficients.csv")).unwrap();
    let total = |what: &str| ["y-", "y+"].map(|name| *table.column(&format!("{name}_{what}")).unwrap().last().unwrap());
    let traction = file.field("viscous_traction");
    let pressure = file.field("pressure");
    let heat = file.field("heat_flux");
    near("area", file.integral(|_, _| 1.0), total("area").iter().sum());
    // Each wall is integrated alone; the upper one is where y is large.
    for (wall, name) in ["y-", "y+"].iter().enumerate() {
        let on = |node: usize| f64::from(u8::from((file.points[node][1] > 0.25) == (wall == 1)));
        for (d, axis) in ["x", "y", "z"].iter().enumerate() {
            let viscous = total(&format!("viscous_{axis}"))[wall];
            near(
                "viscous force",
                file.integral(|n, _| on(n) * traction[3 * n + d]),
                viscous,
            );
            let force = total(&format!("force_{axis}"))[wall];
            let found = file.integral(|n, normal| on(n) * (traction[3 * n + d] + pressure[n] * normal[d]));
            // Along the wall the Riemann solver adds a flux that depends on the slip of the gas. It is not part of the
            // traction.
            let bound = if d == 1 { 1e-12 } else { 1e-8 };
            assert!(
                (found - force).abs() < bound,
                "force along {axis}: {found}, not {force}"
            );
        }
        let value = |what: &str| *coefficients.column(&format!("{name}_{what}")).unwrap().last().unwrap();
        near("heat", file.integral(|n, _| on(n) * heat[n]), value("heat"));
        near("drag", value("drag"), total("force_x")[wall] / 8.0);
        // The lift excludes the reference pressure.
        let pushed = 0.5 * total("area")[wall] * [-1.0, 1.0][wall];
        near("lift", value("lift"), (total("force_y")[wall] - pushed) / 8.0);
        near("side", value("side"), total("force_z")[wall] / 8.0);
    }
    assert!(total("viscous_z")[0] > 1e-3, "the flow is not trivial");
}

#[test]
fn a_continued_run_numbers_its_files_on_and_writes_the_same() {
    let through = with_case(CASE);
    run_case(through.path(), 1, &[], 0);
    let stopped = with_case(CASE);
    run_case(stopped.path(), 2, &["time.steps=4"], 0);
    // The checkpoint of the early end is removed, since the whole run does not end there.
    let results = stopped.path().join("results");
    std::fs::remove_file(results.join("checkpoint_00000004.h5")).unwrap();
    run_case(stopped.path(), 1, &["restart=latest"], 0);
    let files = |directory: &Path| {
        names(&directory.join("results"))
            .into_iter()
            .filter(|n| n.contains(".vtkhdf"))
    };
    let all: Vec<String> = files(through.path()).collect();
    assert_eq!(all, files(stopped.path()).collect::<Vec<_>>());
    for name in all {
        let [one, two] = [&through, &stopped].map(|d| d.path().join("results").join(&name));
        if name.ends_with(".series") {
            assert_eq!(
                std::fs::read_to_string(one).unwrap(),
                std::fs::read_to_string(two).unwrap()
            )
        } else {
            assert!(Surface::open(&one).content() == Surface::open(&two).content(), "{name}")
        }
    }
    let [one, two] = [&through, &stopped].map(|d| read_series(&d.path().join("results/coefficients.csv")).unwrap());
    assert_eq!(one.columns, two.columns);
}

#[test]
fn changed_reference_values_and_planes_outside_the_mesh_are_reported() {
    let directory = with_case(CASE);
    let log = |set: &[&str]| run_case(directory.path(), 1, set, 0);
    let text = log(&["time.steps=2"]);
    assert!(
        !text.contains("WARN output") && !text.contains("that of the checkpoint"),
        "{text}"
    );
    let text = log(&["time.steps=4", "restart=latest"]);
    assert!(
        !text.contains("WARN output") && !text.contains("that of the checkpoint"),
        "{text}"
    );
    let text = log(&[
        "time.steps=6",
        "restart=latest",
        "output.reference.area=5",
        "output.slices.level.point=[0, 0, -7]",
    ]);
    assert!(
        text.contains("`output.reference` differs from that of the checkpoint"),
        "{text}"
    );
    assert!(
        text.contains("`output.slices.level` differs from that of the checkpoint"),
        "{text}"
    );
    assert!(text.contains("output.slices.level: the plane meets no cell"), "{text}");
    let text = succeeds(
        &directory,
        &[
            "check",
            "--long",
            "run.yaml",
            "--set",
            "output.slices.level.point=[0, 0, -7]",
        ],
    );
    assert!(text.contains("slices level of 0.0 kB"), "{text}");
}

#[test]
fn meaningless_surfaces_and_slices_are_refused() {
    let directory = with_case(CASE);
    for (set, parts) in [
        (
            "output.surfaces.boundaries=[lid]",
            ["there is no boundary `lid`", "boundaries known here: y+, y-"],
        ),
        (
            "output.surfaces.boundaries=[y+, y+]",
            ["`y+` is named twice", "output.surfaces.boundaries[1]"],
        ),
        ("output.surfaces.every=1", ["exclude each other", "output.surfaces"]),
        (
            "output.reference.velocity=[0, 0, 0]",
            ["has no direction", "output.reference.velocity"],
        ),
        (
            "output.reference.lift=[1, 0, 0]",
            ["that of `velocity`", "output.reference.lift"],
        ),
        ("output.reference.area=0", ["above 0", "output.reference.area"]),
        (
            "output.slices.a/b={point: [0, 0, 0], normal: [0, 0, 1], every: 1}",
            ["cannot be the name", "letters, digits"],
        ),
        (
            "output.slices.level.normal=[0, 0, 0]",
            ["has no direction", "output.slices.level.normal"],
        ),
    ] {
        refuses(&directory, &["run.yaml", "--set", set], &parts);
    }
}
