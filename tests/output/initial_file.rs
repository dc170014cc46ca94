//! Initial states from the solution of another mesh or order.

use std::path::{Path, PathBuf};

use crate::common::cases::{case, each_point, solver};
use crate::common::program::{hash, outcome, output, program, run_case, with_case};
use fr_les::solver::Solver;
use tempfile::TempDir;

/// Density and pressure are linear, and the velocity is uniform: the conserved variables are linear.
const LINEAR: &str = "{u: 0.3, v: -0.1, w: 0.2, p: 1 + 0.2*x - 0.1*y + 0.3*z, rho: 1 + 0.1*x + 0.2*y - 0.3*z}";

/// Returns the conserved variables of [`LINEAR`].
fn linear([x, y, z]: [f64; 3]) -> [f64; 5] {
    let (rho, p) = (1.0 + 0.1 * x + 0.2 * y - 0.3 * z, 1.0 + 0.2 * x - 0.1 * y + 0.3 * z);
    let v = [0.3, -0.1, 0.2];
    let kinetic = 0.5 * rho * v.iter().map(|v| v * v).sum::<f64>();
    [rho, rho * v[0], rho * v[1], rho * v[2], p / 0.4 + kinetic]
}

/// Returns a box from 0 to 1 (to `length` in x) with so many cells a direction of a kind.
fn cube(cells: usize, elements: &str, length: f64, warp: f64) -> String {
    // A box of mixed elements repeats a block that is longer.
    let first = if elements == "mixed" { 2 * cells } else { cells };
    format!(
        "mesh: {{box: {{cells: [{first}, {cells}, {cells}], lower: [0, 0, 0], upper: [{length}, 1, 1], \
         elements: {elements}, warp: {warp}}}}}\nboundaries: {{x-: {{type: slip}}, x+: {{type: pressure-outlet, \
         p: 1}}, y-: {{type: slip}}, y+: {{type: slip}}, z-: {{type: slip}}, z+: {{type: slip}}}}\n"
    )
}

/// Writes the start of a case as a solution and returns its folder and path.
fn solution(mesh: &str, order: usize, initial: &str, precision: &str) -> (TempDir, PathBuf) {
    let folder = with_case(&format!(
        "{mesh}order: {order}\ninitial: {initial}\ndevice: cpu\nthreads: 1\ntime: {{steps: 1, dt: 1e-9}}\n\
         output: {{solution: {{every-steps: 1, precision: {precision}}}}}\n"
    ));
    output(program(folder.path()).args(["run", "run.yaml"]), 0);
    let path = folder.path().join("results/solution_0000.vtkhdf");
    assert!(path.exists());
    (folder, path)
}

/// Returns the solver of a case that begins with a solution.
fn begun(mesh: &str, order: usize, file: &Path) -> Solver {
    let file = file.display();
    solver(&format!(
        "{mesh}order: {order}\ninitial: {{file: {file}}}\ntime: {{steps: 1}}\n"
    ))
}

/// Returns the largest difference of the state of a solver from a function of position.
fn error(solver: &Solver, exact: impl Fn([f64; 3]) -> [f64; 5]) -> f64 {
    let state = solver.device.state().expect("a state");
    let mut largest: f64 = 0.0;
    each_point(solver, &state, |x, u| {
        let exact = exact(x);
        (0..5).for_each(|v| largest = largest.max((u[v] - exact[v]).abs()));
    });
    largest
}

#[test]
fn a_linear_field_comes_over_to_rounding_between_all_kinds_of_cells() {
    for (from, order, to, new_order, warp) in [
        ("hex", 2, "tet", 2, 0.15),
        ("tet", 2, "hex", 3, 0.0),
        ("prism", 3, "hex", 2, 0.0),
        ("pyramid", 2, "prism", 3, 0.0),
        ("mixed", 2, "hex", 3, 0.15),
    ] {
        for (precision, bound) in [("double", 2e-13), ("single", 1e-6)] {
            let (_folder, path) = solution(&cube(2, from, 1.0, warp), order, LINEAR, precision);
            let error = error(&begun(&cube(2, to, 1.0, 0.0), new_order, &path), linear);
            println!("{from} {order} to {to} {new_order}, {precision}: {error:.1e}");
            assert!(error < bound, "{from} to {to}, {precision}: {error:e}");
        }
    }
}

#[test]
fn a_smooth_field_comes_over_with_the_order_of_the_old_solution() {
    let initial = "{u: 0, v: 0, w: 0, p: 1, rho: 1 + 0.2*sin(3*x + y)*cos(2*z - y)}";
    let exact = |[x, y, z]: [f64; 3]| {
        let rho = 1.0 + 0.2 * (3.0 * x + y).sin() * (2.0 * z - y).cos();
        [rho, 0.0, 0.0, 0.0, 2.5]
    };
    for (from, order, to) in [
        ("hex", 2, "tet"),
        ("hex", 3, "hex"),
        ("tet", 2, "hex"),
        ("tet", 3, "tet"),
    ] {
        let [coarse, fine] = [2, 4].map(|cells| {
            let (_folder, path) = solution(&cube(cells, from, 1.0, 0.0), order, initial, "double");
            error(&begun(&cube(3, to, 1.0, 0.0), 2, &path), exact)
        });
        let rate = (coarse / fine).log2();
        println!("{from} of order {order} to {to}: {coarse:.2e} {fine:.2e}, order {rate:.2}");
        assert!(rate > order as f64 + 0.5, "{from} {order} to {to}: {coarse:e} {fine:e}");
    }
}

#[test]
fn points_outside_take_the_nearest_value_and_are_counted() {
    let (folder, path) = solution(&cube(3, "hex", 1.0, 0.0), 2, LINEAR, "double");
    let longer = cube(3, "hex", 1.5, 0.0);
    let error = error(&begun(&longer, 2, &path), |[x, y, z]| linear([x.min(1.0), y, z]));
    // The search ends at steps of 1e-6 of a cell.
    assert!(error < 1e-6, "{error:e}");
    let text = "order: 2\ninitial: {file: results/solution_0000.vtkhdf}\ntime: {steps: 1}\noutput: {directory: next}\n";
    std::fs::write(folder.path().join("longer.yaml"), format!("{longer}{text}")).expect("written");
    let log = output(program(folder.path()).args(["check", "--long", "longer.yaml"]), 0);
    // Of the nine layers of points in x, those at 1.25 and 1.5 lie outside.
    let expected = "162 of 729 points lie outside of its mesh, the farthest by 5.000e-1,";
    assert!(log.contains(expected), "{log}");
    // An outlet's default temperature is that of the initial state: gas flows back at it.
    assert!(!log.contains("NaN"), "{log}");
}

/// Two periodic boxes cover the same flow from other places on, in y and z, so that a part of the points of one lies a
/// period away from the other in both directions.
#[test]
fn points_outside_take_the_value_a_period_away() {
    let periodic = |low: f64| {
        let high = low + 1.0;
        format!(
            "mesh: {{box: {{cells: [2, 6, 6], lower: [0, {low}, {low}], upper: [1, {high}, {high}], \
             periodic: [y, z]}}}}\nboundaries: {{x-: {{type: slip}}, x+: {{type: slip}}}}\n"
        )
    };
    let initial = "{u: 0, v: 0, w: 0, p: 1, rho: 1 + 0.2*sin(2*pi*y)*cos(2*pi*z)}";
    let exact = |[_, y, z]: [f64; 3]| {
        let turn = std::f64::consts::TAU;
        [1.0 + 0.2 * (turn * y).sin() * (turn * z).cos(), 0.0, 0.0, 0.0, 2.5]
    };
    let (folder, path) = solution(&periodic(0.0), 4, initial, "double");
    let [same, shifted] = [0.0, 0.3].map(|low| error(&begun(&periodic(low), 3, &path), exact));
    println!("same box {same:.1e}, other box {shifted:.1e}");
    // The error of order 4 on six cells over a wave.
    assert!(same < 2e-4 && shifted < 2e-4, "{same:e} {shifted:e}");
    let text = "order: 2\ninitial: {file: results/solution_0000.vtkhdf}\ntime: {steps: 1}\noutput: {directory: next}\n";
    std::fs::write(folder.path().join("other.yaml"), format!("{}{text}", periodic(0.3))).expect("written");
    let log = output(program(folder.path()).args(["check", "--long", "other.yaml"]), 0);
    assert!(log.contains("points lie in it"), "{log}");
}

#[test]
fn the_state_has_the_same_bits_on_any_number_of_ranks_and_for_files_of_any() {
    let old = cube(2, "mixed", 1.0, 0.0);
    let case = |mesh: &str, more: &str| format!("{mesh}order: 2\ndevice: cpu\ntime: {{steps: 1, dt: 1e-4}}\n{more}");
    let initial = "initial: {u: 0.1*sin(3*y), v: 0.1*x*z, w: 0, p: 1 + 0.1*cos(4*x), rho: 1 + 0.2*sin(3*z)}\n";
    let folder = with_case(&case(
        &old,
        &format!("{initial}output: {{solution: {{every-steps: 1}}}}\n"),
    ));
    let new = case(&cube(2, "tet", 1.2, 0.0), "initial: {file: old/solution_0001.vtkhdf}\n");
    let mut hashes = Vec::new();
    for (writers, readers) in [(1, 1), (1, 2), (3, 1), (3, 3)] {
        let old = folder.path().join("old");
        if readers == 1 {
            run_case(folder.path(), writers, &["output.directory=old"], 0);
            assert!(old.is_dir());
        }
        let begun = with_case(&new);
        std::os::unix::fs::symlink(&old, begun.path().join("old")).expect("a link");
        hashes.push(hash(&run_case(begun.path(), readers, &[], 0)));
    }
    assert!(hashes.iter().all(|h| *h == hashes[0]), "{hashes:?}");
}

#[test]
fn files_that_hold_no_solution_of_the_domain_are_refused() {
    let folder = with_case(&format!(
        "{}order: 2\ninitial: {LINEAR}\ndevice: cpu\ntime: {{steps: 1}}\n\
         output: {{solution: {{every-steps: 1}}, checkpoint: {{every-steps: 1}}, \
         slices: {{mid: {{point: [0.4, 0, 0], normal: [1, 0, 0], every-steps: 1}}}}}}\n",
        cube(2, "hex", 1.0, 0.0)
    ));
    output(program(folder.path()).args(["run", "run.yaml"]), 0);
    std::fs::write(folder.path().join("text.vtkhdf"), "nothing").expect("written");
    let names = crate::common::program::names(&folder.path().join("results"));
    let of = |part: &str| {
        let name = names
            .iter()
            .find(|name| name.contains(part) && !name.ends_with(".series"));
        format!("results/{}", name.unwrap_or_else(|| panic!("no {part} in {names:?}")))
    };
    let far = cube(2, "hex", 1.0, 0.0).replace("lower: [0, 0, 0], upper: [1, ", "lower: [5, 0, 0], upper: [6, ");
    let here = cube(2, "hex", 1.0, 0.0);
    for (mesh, file, part) in [
        (&here, "absent.vtkhdf".to_owned(), "absent.vtkhdf: No such file"),
        (&here, "text.vtkhdf".to_owned(), "not an HDF5 file"),
        (
            &far,
            of("checkpoint"),
            "it is of another mesh than this case, and a checkpoint does not hold its mesh",
        ),
        (&here, of("slices"), "it has no cells, or others than solutions have"),
        (
            &far,
            of("solution_0000"),
            "no solution point of this case lies in the mesh of this solution; the farthest is",
        ),
    ] {
        let text = format!(
            "{mesh}order: 2\ninitial: {{file: {file}}}\ndevice: cpu\ntime: {{steps: 1}}\noutput: {{directory: next}}\n"
        );
        std::fs::write(folder.path().join("new.yaml"), text).expect("written");
        let (code, _, error) = outcome(&folder, &["check", "new.yaml"]);
        assert_eq!(code, Some(2), "{file}: {error}");
        for part in [part, "new.yaml:4:", "(initial.file)"] {
            assert!(error.contains(part), "no '{part}' in\n{error}");
        }
    }
    let settings = case(&format!(
        "{here}order: 2\ninitial: {{file: a.vtkhdf}}\ntime: {{steps: 1}}\n"
    ));
    assert!(settings.solver.initial.state().is_none());
}

/// Replaces an array of a solution by values of this shape.
fn replaced<T: hdf5::H5Type>(group: &hdf5::Group, name: &str, shape: &[usize], values: &[T]) {
    group.unlink(name).expect("removed");
    let dataset = group.new_dataset::<T>().shape(shape).create(name).expect("a dataset");
    if !values.is_empty() {
        dataset.write_raw(values).expect("written");
    }
}

/// A change of the group /VTKHDF of a solution.
type Change<'a> = &'a dyn Fn(&hdf5::Group);

/// What no solution has is refused with the array, with exit code 2 and without taking memory or time, whether or not
/// the file has a checksum. Damage that leaves a valid solution is found by the checksum alone.
#[test]
fn damaged_solutions_are_refused_with_the_array() {
    let mesh = cube(2, "hex", 1.0, 0.0);
    let (folder, path) = solution(&mesh, 2, LINEAR, "double");
    let whole = std::fs::read(&path).expect("bytes");
    let text = format!("{mesh}order: 2\ninitial: {{file: a.vtkhdf}}\ndevice: cpu\ntime: {{steps: 1}}\n");
    std::fs::write(folder.path().join("new.yaml"), text).expect("written");
    let file = folder.path().join("a.vtkhdf");
    let begun_with = |checksum: bool, change: Change| {
        std::fs::write(&file, &whole).expect("written");
        let opened = hdf5::File::open_rw(&file).expect("opened");
        let group = opened.group("VTKHDF").expect("a group");
        if !checksum {
            group.delete_attr("checksum").expect("removed");
        }
        change(&group);
        drop(group);
        opened.close().expect("closed");
        outcome(&folder, &["check", "--long", "new.yaml"])
    };
    let (nodes, cells) = (8 * 27, 8);
    let points = |group: &hdf5::Group| {
        group
            .dataset("Points")
            .and_then(|d| d.read_raw::<f64>())
            .expect("points")
    };
    let changed_points = |change: &'static dyn Fn(&mut Vec<f64>)| {
        move |group: &hdf5::Group| {
            let mut values = points(group);
            change(&mut values);
            group
                .dataset("Points")
                .and_then(|d| d.write_raw(&values))
                .expect("written");
        }
    };
    let of_no_solution: [(Change, &str); 16] = [
        (
            &|group| replaced(group, "Points", &[], &[0.0]),
            "Points has the shape []",
        ),
        (
            &|group| replaced(group, "Points", &[nodes, 2], &vec![0.0; 2 * nodes]),
            "Points has the shape [216, 2]",
        ),
        (
            &|group| replaced(group, "Points", &[nodes, 3], &vec![0_i64; 3 * nodes]),
            "Points holds whole numbers",
        ),
        (
            &|group| replaced(group, "PointData/velocity", &[nodes, 2], &vec![0.0; 2 * nodes]),
            "PointData/velocity has the shape [216, 2], but the cells need [216, 3]",
        ),
        (
            &|group| replaced(group, "PointData/velocity", &[nodes], &vec![0.0; nodes]),
            "PointData/velocity has the shape [216]",
        ),
        (
            &|group| replaced::<u8>(group, "Types", &[1 << 38], &[]),
            "Types has the shape [274877906944], but 0 bytes",
        ),
        (
            &|group| replaced::<i64>(group, "Offsets", &[1 << 38], &[]),
            "Offsets has the shape",
        ),
        (
            &|group| replaced(group, "Offsets", &[cells + 1], &[0_i64; 9]),
            "it has cells of 0 nodes",
        ),
        (
            &|group| replaced(group, "NumberOfCells", &[1], &[-1_i64]),
            "its cells do not have the form",
        ),
        (
            &|group| replaced(group, "CellData/global_cell_id", &[cells], &vec![3_u64; cells]),
            "global_cell_id does not have one number for each cell",
        ),
        (
            &|group| replaced(group, "Connectivity", &[nodes], &(0..nodes as i64).collect::<Vec<_>>()),
            "the nodes of cell 0 are not in the order",
        ),
        (
            &changed_points(&|values| values.fill(f64::NAN)),
            "Points is NaN in row 0, a node of cell 0",
        ),
        (
            &changed_points(&|values| values[3 * 100 + 1] = f64::NAN),
            "Points is NaN in row 100, a node of cell 3",
        ),
        (
            &changed_points(&|values| values.fill(0.5)),
            "cell 0 at (0.5, 0.5, 0.5) is degenerate",
        ),
        (
            &changed_points(&|values| values.iter_mut().for_each(|x| *x *= 1e200)),
            "is degenerate: its volume is",
        ),
        (
            &changed_points(&|values| {
                let first = values[..3 * 27].to_vec();
                values.chunks_mut(3 * 27).for_each(|cell| cell.copy_from_slice(&first));
            }),
            "its cells overlap: their volumes sum to 1.000e0, but that of the box around them is 1.250e-1",
        ),
    ];
    for checksum in [true, false] {
        for (change, part) in of_no_solution {
            let (code, _, error) = begun_with(checksum, change);
            // The checksum is compared before the cells are.
            let part = if checksum && part.contains("overlap") {
                "the solution is damaged"
            } else {
                part
            };
            assert_eq!(code, Some(2), "{part}: {error}");
            assert!(
                error.contains(part) && error.contains("a.vtkhdf"),
                "no '{part}' in\n{error}"
            );
        }
    }
    let state = |group: &hdf5::Group| {
        let dataset = group.dataset("PointData/density").expect("density");
        let mut values = dataset.read_raw::<f64>().expect("numbers");
        values[77] = f64::from_bits(values[77].to_bits() ^ 1);
        dataset.write_raw(&values).expect("written");
    };
    let place = changed_points(&|values| values[0] += 1e-3);
    let clock = |group: &hdf5::Group| replaced(group, "FieldData/time", &[1], &[7.0]);
    for change in [&state as Change, &place, &clock] {
        let (code, _, error) = begun_with(true, change);
        assert!(
            code == Some(2) && error.contains("a.vtkhdf: the solution is damaged: its checksum is "),
            "{error}"
        );
        let (code, out, error) = begun_with(false, change);
        assert_eq!(code, Some(0), "{error}");
        assert!(
            format!("{out}{error}").contains("a.vtkhdf has no checksum"),
            "{out}{error}"
        );
    }
    let (code, out, error) = begun_with(true, &|_| {});
    assert!(
        code == Some(0) && !format!("{out}{error}").contains("no checksum"),
        "{out}{error}"
    );
}
