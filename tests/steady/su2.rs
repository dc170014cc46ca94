//! Solutions to SU2 and back: restart files that the test itself writes and reads, byte by byte.

use std::path::Path;

use crate::common::program::{case_command, folder, hash, output, refuses, run_case, succeeds, write};
use tempfile::TempDir;

/// A warped duct of all kinds of cells, periodic in x and z, between walls that move and keep their temperature.
const CASE: &str = "\
mesh: {file: box.h5}
order: 2
gas: {viscosity: {constant: 0.01}}
boundaries:
  y-: {type: no-slip-adiabatic}
  y+: {type: no-slip-isothermal, temperature: 1.5, velocity: [0.5, 0, 0]}
initial: {u: 0.3, v: 0, w: 0, p: 1, temperature: 1}
device: cpu
steady: {iterations: 20}
time: {steps: 2}
";
const GAMMA: f64 = 1.4;
const FLOW: [&str; 8] = [
    "x",
    "y",
    "z",
    "Density",
    "Momentum_x",
    "Momentum_y",
    "Momentum_z",
    "Energy",
];

/// A file of SU2: names, and rows of values by points.
#[derive(Debug, Clone, PartialEq)]
struct Table {
    names: Vec<String>,
    rows: Vec<Vec<f64>>,
}

impl Table {
    /// Reads the binary form: five integers, names of 33 bytes, rows.
    fn read(path: &Path) -> Self {
        let bytes = std::fs::read(path).expect("a file");
        let integer = |n: usize| i32::from_le_bytes(bytes[4 * n..][..4].try_into().expect("four bytes"));
        assert_eq!([integer(0), integer(3), integer(4)], [535_532, 0, 0]);
        let (variables, points) = (integer(1) as usize, integer(2) as usize);
        let name = |n: usize| {
            let text = &bytes[20 + 33 * n..][..33];
            let end = text.iter().position(|byte| *byte == 0).expect("a zero at the end");
            String::from_utf8(text[..end].to_vec()).expect("a name")
        };
        let values = &bytes[20 + 33 * variables..];
        assert_eq!(values.len(), 8 * variables * points);
        let values: Vec<f64> = values
            .chunks(8)
            .map(|x| f64::from_le_bytes(x.try_into().expect("eight")))
            .collect();
        Table {
            names: (0..variables).map(name).collect(),
            rows: values.chunks(variables).map(<[f64]>::to_vec).collect(),
        }
    }

    /// The binary form.
    fn bytes(&self) -> Vec<u8> {
        let head = [535_532, self.names.len() as i32, self.rows.len() as i32, 0, 0];
        let mut bytes: Vec<u8> = head.iter().flat_map(|n| n.to_le_bytes()).collect();
        for name in &self.names {
            bytes.extend(name.bytes().chain(std::iter::repeat(0)).take(33));
        }
        bytes.extend(self.rows.iter().flatten().flat_map(|x| x.to_le_bytes()));
        bytes
    }

    /// The text form, with the digits of SU2 and the rows from the last to the first.
    fn text(&self) -> String {
        let mut text = format!("\"PointID\",\"{}\"\n", self.names.join("\",\""));
        for (point, row) in self.rows.iter().enumerate().rev() {
            let values: Vec<String> = row.iter().map(|x| format!("{x:.15e}")).collect();
            text += &format!("{point}, {}\n", values.join(", "));
        }
        text
    }

    fn column(&self, name: &str) -> Vec<f64> {
        let column = self.names.iter().position(|other| other == name).expect("a column");
        self.rows.iter().map(|row| row[column]).collect()
    }
}

/// The positions of the points of a mesh file of SU2.
fn points(path: &Path) -> Vec<Vec<f64>> {
    let text = std::fs::read_to_string(path).expect("a mesh");
    let mut lines = text.lines().skip_while(|line| !line.starts_with("NPOIN="));
    let count = lines.next().expect("a number").replace("NPOIN=", "");
    let numbers = |line: &str| line.split_whitespace().map(|x| x.parse().expect("a number")).collect();
    lines
        .take(count.trim().parse().expect("a number"))
        .map(numbers)
        .collect()
}

/// A flow at the points of a mesh, with values that a text of 16 digits keeps, and its variables of turbulence.
fn flow(points: &[Vec<f64>], of_model: &[&str]) -> Table {
    let round = |x: f64| (1024.0 * x).round() / 1024.0;
    let row = |point: &Vec<f64>| {
        let wave = (2.0 * std::f64::consts::PI * (point[0] + 2.0 * point[2])).sin();
        let y = point[1];
        let values = [
            1.0 + 0.2 * wave,
            0.3 * y,
            0.1 * wave * y,
            -0.05 * y,
            2.0 + 0.5 * y + 0.25 * wave,
        ];
        let turbulence = [0.02 * y, 3.0 + y];
        let values = values.into_iter().chain(turbulence.into_iter().take(of_model.len()));
        point.iter().copied().chain(values.map(round)).collect()
    };
    Table {
        names: FLOW.iter().chain(of_model).map(|name| (*name).to_owned()).collect(),
        rows: points.iter().map(row).collect(),
    }
}

/// A folder with the case, its mesh and, in `box.su2`, the sub-mesh.
fn case() -> (TempDir, Vec<Vec<f64>>) {
    let folder = folder();
    write(&folder, "run.yaml", CASE.as_bytes());
    let generate = "mesh generate box box.h5 --cells 4,2,2 --elements mixed --periodic x,z --warp 0.1";
    succeeds(&folder, &generate.split_whitespace().collect::<Vec<_>>());
    succeeds(&folder, &["mesh", "export", "box.h5", "box.su2", "--points", "2"]);
    let points = points(&folder.path().join("box.su2"));
    (folder, points)
}

/// Begins with a file, takes no step, and returns the hash of the values; the files are in `NAME/steady`.
fn begun(folder: &TempDir, ranks: usize, file: &str, name: &str, more: &[&str]) -> String {
    let set = [
        format!("restart={file}"),
        format!("output.directory={name}"),
        "steady.iterations=0".to_owned(),
    ];
    let set: Vec<&str> = set.iter().map(String::as_str).chain(more.iter().copied()).collect();
    hash(&output(case_command(folder.path(), ranks, &set).arg("--steady"), 0))
}

/// Exports the solution of a folder of results.
fn exported(folder: &TempDir, name: &str) -> Table {
    let (solution, mesh) = (format!("{name}/steady/steady.h5"), format!("{name}.su2"));
    succeeds(folder, &["mesh", "export", "box.h5", &mesh, "--solution", &solution]);
    let path = folder.path();
    let text = |name: &str| std::fs::read(path.join(name)).expect("a mesh");
    assert!(
        text(&mesh) == text("box.su2"),
        "{name}: the mesh of the points of the solution"
    );
    Table::read(&path.join(format!("{name}.dat")))
}

fn near(a: &[f64], b: &[f64]) -> bool {
    a.len() == b.len()
        && a.iter()
            .zip(b)
            .all(|(a, b)| (a - b).abs() <= 2e-15 * a.abs().max(b.abs()).max(1.0))
}

#[test]
fn a_solution_of_su2_begins_a_steady_one_and_comes_back() {
    let (folder, points) = case();
    let given = flow(&points, &["Nu_Tilde"]);
    write(&folder, "flow.dat", &given.bytes());
    write(&folder, "flow.csv", given.text().as_bytes());
    let of_six = [&given.bytes()[..], &[0; 68]].concat();
    write(&folder, "older.dat", &of_six);
    let here = begun(&folder, 1, "flow.dat", "one", &[]);
    assert_eq!(begun(&folder, 3, "flow.dat", "three", &[]), here);
    assert_eq!(begun(&folder, 1, "flow.csv", "text", &[]), here);
    assert_eq!(begun(&folder, 2, "older.dat", "two", &[]), here);
    let back = exported(&folder, "one");
    assert_eq!(back.names, given.names);
    for (point, (before, after)) in given.rows.iter().zip(&back.rows).enumerate() {
        assert_eq!(before[..3], after[..3], "{point}");
        // Walls hold their values. A vertex has the values of its first point of all that are periods apart.
        let at = |d: usize, place: f64| (before[d] - place).abs() < 1e-12;
        if at(1, 0.0) || at(1, 1.0) || at(0, 1.0) || at(2, 1.0) {
            continue;
        }
        assert_eq!((before[3], before[8]), (after[3], after[8]), "{point}");
        assert!(near(before, after), "{point}: {before:?} {after:?}");
    }
    for row in back.rows.iter().filter(|row| row[1] > 1.0 - 1e-12) {
        let [rho, momentum, energy] = [row[3], row[4], row[7]];
        let temperature = (GAMMA - 1.0) * (energy / rho - 0.125);
        assert!(
            (momentum / rho - 0.5).abs() < 1e-15 && (temperature - 1.5).abs() < 1e-14 && row[8] == 0.0,
            "{row:?}"
        );
    }
    // It begins a run in time, from the checkpoint that the steady solution has left.
    let log = run_case(
        folder.path(),
        1,
        &["initial={file: one/steady/steady.h5}", "output.directory=les"],
        0,
    );
    assert!(log.contains("initial state from the checkpoint"), "{log}");
    // What is exported and read back is the same to rounding, and its nu~ to the bit.
    let steps = ["restart=flow.dat", "output.directory=steps", "steady.iterations=20"];
    output(case_command(folder.path(), 1, &steps).arg("--steady"), 0);
    let solved = exported(&folder, "steps");
    assert!(!near(&solved.column("Density"), &back.column("Density")));
    begun(&folder, 1, "steps.dat", "again", &[]);
    let again = exported(&folder, "again");
    // The isothermal wall holds its temperature by changing the density.
    let off_wall = |table: &Table| -> Vec<f64> {
        let rows = table.rows.iter().filter(|row| row[1] < 1.0 - 1e-12);
        rows.map(|row| row[3]).collect()
    };
    assert_eq!(off_wall(&again), off_wall(&solved));
    assert_eq!(again.column("Nu_Tilde"), solved.column("Nu_Tilde"));
    assert!(near(&again.rows.concat(), &solved.rows.concat()));
}

#[test]
fn the_energy_of_su2_contains_k() {
    let (folder, points) = case();
    let given = flow(&points, &["Turb_Kin_Energy", "Omega"]);
    write(&folder, "flow.dat", &given.bytes());
    for model in ["sst", "k-omega"] {
        begun(
            &folder,
            1,
            "flow.dat",
            model,
            &[&format!("steady={{turbulence: {model}, iterations: 0}}")],
        );
    }
    begun(
        &folder,
        1,
        "flow.dat",
        "none",
        &["steady={turbulence: none, iterations: 0}"],
    );
    let [sst, wilcox, none] = ["sst", "k-omega", "none"].map(|name| exported(&folder, name));
    assert_eq!(none.names, FLOW);
    assert_eq!([&sst.names, &wilcox.names], [&given.names; 2]);
    let inside = (0..points.len()).filter(|&n| points[n].iter().all(|x| *x > 1e-12 && *x < 1.0 - 1e-12));
    for n in inside {
        let [rho, energy, k] = [given.rows[n][3], given.rows[n][7], given.rows[n][8]];
        assert!(
            near(&sst.rows[n], &given.rows[n]) && near(&wilcox.rows[n], &given.rows[n]),
            "{n}: {:?} {:?} {:?}",
            given.rows[n],
            sst.rows[n],
            wilcox.rows[n]
        );
        assert!(k > 0.0 && near(&[none.rows[n][7]], &[energy - rho * k]), "{n}");
    }
}

#[test]
fn files_of_other_meshes_models_and_forms_are_refused() {
    let (folder, points) = case();
    let given = flow(&points, &["Nu_Tilde"]);
    let mut moved = given.clone();
    moved.rows[7][1] += 1e-6;
    let mut fewer = given.clone();
    fewer.rows.pop();
    let mut cold = given.clone();
    cold.rows[7][7] = 0.0;
    let mut no_number = given.clone();
    no_number.rows[7][8] = f64::NAN;
    let bytes = given.bytes();
    let text = given.text();
    // Two numbers of two thousand million.
    let huge = [&bytes[..4], &[0, 0x94, 0x35, 0x77, 0, 0x94, 0x35, 0x77], &bytes[12..]].concat();
    let fewer_points = format!(
        "it has {} points, and the sub-mesh of this case {}",
        points.len() - 1,
        points.len()
    );
    let away = format!("({}, {}, {})", moved.rows[7][0], moved.rows[7][1], moved.rows[7][2]);
    // For all of these values 80 GB would be needed.
    let names = format!("\"PointID\"{}\n{}", ",a".repeat(100_000), "0\n".repeat(100_000));
    let files: [(&str, Vec<u8>, &str); 14] = [
        (
            "moved.dat",
            moved.bytes(),
            &format!("it is of another mesh: its point 7 is at {away}"),
        ),
        (
            "near.dat",
            moved.bytes(),
            "e-6, where rounding would give at most 1.00000e-9, 1e-9 of the largest coordinate",
        ),
        (
            "nan.dat",
            no_number.bytes(),
            "has the value NaN of Nu_Tilde, which must be finite",
        ),
        (
            "huge.dat",
            huge,
            "2000000000 variables at 2000000000 points need 32000000066000000020 bytes",
        ),
        (
            "table.dat",
            text.clone().into_bytes(),
            "it is a table, whose name must end in .csv",
        ),
        ("fewer.dat", fewer.bytes(), &fewer_points),
        ("cold.dat", cold.bytes(), "its point 7 at"),
        (
            "model.dat",
            flow(&points, &[]).bytes(),
            "it has no `Nu_Tilde`, which this case needs, but x, y, z",
        ),
        (
            "short.dat",
            bytes[..bytes.len() - 1].to_vec(),
            "it is cut off: 9 variables at",
        ),
        (
            "other.dat",
            b"\x00\x01\x02\x03and so on, and so on".to_vec(),
            "it begins with 50462976",
        ),
        ("head.csv", b"x,y,z\n1,2,3\n".to_vec(), "is not \"PointID\""),
        (
            "twice.csv",
            text.replacen("\n7, ", "\n8, ", 1).into_bytes(),
            "`8` is no new number of a point",
        ),
        (
            "names.csv",
            names.into_bytes(),
            "names.csv:2: the row has 1 columns, and the first line 100001",
        ),
        ("word.csv", text.replacen("e0", "e0x", 1).into_bytes(), "is no number"),
    ];
    for (name, content, part) in files {
        write(&folder, name, &content);
        let set = format!("restart={name}");
        let log = output(
            case_command(folder.path(), 1, &[&set, "steady.iterations=0"]).arg("--steady"),
            2,
        );
        assert!(log.contains(part) && log.contains(name), "{name}: {log}");
    }
    let two = flow(&points, &["Turb_Kin_Energy", "Omega"]);
    for (column, value, part) in [
        (
            8,
            -1e-9,
            "has the value -0.000000001 of Turb_Kin_Energy, which must be at least 0",
        ),
        (8, f64::INFINITY, "has the value inf of Turb_Kin_Energy"),
        (9, 0.0, "has the value 0 of Omega, which must be positive"),
        (9, f64::NAN, "has the value NaN of Omega"),
    ] {
        let mut wrong = two.clone();
        // The energy of SU2 contains rho k.
        wrong.rows[7][column] = value;
        write(&folder, "k.dat", &wrong.bytes());
        let set = ["restart=k.dat", "steady={turbulence: sst, iterations: 0}"];
        let log = output(case_command(folder.path(), 1, &set).arg("--steady"), 2);
        assert!(
            log.contains("its point 7 at") && (value.is_infinite() || log.contains(part)),
            "{part}: {log}"
        );
    }
    // nu~ of this model may be below 0.
    let mut negative = given.clone();
    negative.rows[7][8] = -1e-3;
    write(&folder, "negative.dat", &negative.bytes());
    begun(&folder, 1, "negative.dat", "negative", &[]);
    write(&folder, "flow.bin", &bytes);
    let set = ["restart=flow.bin", "steady.iterations=0"];
    let log = output(case_command(folder.path(), 1, &set).arg("--steady"), 2);
    assert!(
        log.contains("it is a restart file of SU2") && log.contains("ends in .dat"),
        "{log}"
    );
    write(&folder, "flow.dat", &bytes);
    let log = run_case(folder.path(), 1, &["restart=flow.dat"], 2);
    assert!(
        log.contains("it is a restart file of SU2") && log.contains("--steady"),
        "{log}"
    );
    let log = run_case(folder.path(), 1, &["initial={file: flow.dat}"], 2);
    assert!(
        log.contains("--set restart=flow.dat --set steady.iterations=0"),
        "{log}"
    );
    begun(&folder, 1, "flow.dat", "one", &[]);
    let solution = ["--solution", "one/steady/steady.h5"];
    refuses(
        &folder,
        &[&["mesh", "export", "box.h5", "one.msh"], &solution[..]].concat(),
        &["--points and --solution"],
    );
    refuses(
        &folder,
        &["mesh", "export", "box.h5", "one.su2", "--solution", "flow.dat"],
        &["flow.dat"],
    );
    write(&folder, "one.dat", b"");
    refuses(
        &folder,
        &[&["mesh", "export", "box.h5", "one.su2"], &solution[..]].concat(),
        &["one.dat is there"],
    );
    let generate = "mesh generate box other.h5 --cells 4,2,2 --elements mixed --periodic x,z";
    succeeds(&folder, &generate.split_whitespace().collect::<Vec<_>>());
    let other = ["mesh", "export", "other.h5", "two.su2"];
    refuses(
        &folder,
        &[&other[..], &solution[..]].concat(),
        &["it is of another mesh than this one"],
    );
}
