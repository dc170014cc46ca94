//! Solution files in other forms: with one mesh for all, compressed, and of a part of the domain. They have the values
//! of plain ones, and a run continues from those that have the whole state.

use std::collections::BTreeMap;
use std::path::Path;

use crate::common::program::{case_command, hash, names, output, with_case};

const CASE: &str = "\
mesh: {box: {cells: [8, 8, 8], lower: [-pi, -pi, -pi], upper: [pi, pi, pi], periodic: [x, y, z]}}
order: 3
constants: {p0: 1/(1.4*0.1^2)}
gas: {viscosity: {constant: 1/100}}
initial: {u: sin(x)*cos(y)*cos(z), v: -cos(x)*sin(y)*cos(z), w: 0, p: p0 + (cos(2*x) + cos(2*y))*(cos(2*z) + 2)/16, \
    temperature: p0}
device: cpu
time: {steps: 2, cfl: 0.9, scheme: rk4}
output: {solution: {every-steps: 1, fields: [vorticity]}, checkpoint: {keep: 0}}
";

/// Runs the case with results in `to`, on so many ranks, and returns what it prints.
fn runs(directory: &Path, ranks: usize, to: &str, set: &[&str], code: i32) -> String {
    let to = format!("output.directory={to}");
    let set = [&["threads=1", &to], set].concat();
    output(&mut case_command(directory, ranks, &set), code)
}

/// The nodes of each cell of a solution, by the cell's number: position, density and vorticity.
fn cells(path: &Path) -> BTreeMap<u64, Vec<f64>> {
    let file = hdf5::File::open(path).expect("a solution");
    let read = |name: &str| {
        file.dataset(&format!("VTKHDF/{name}"))
            .and_then(|array| array.read_raw::<f64>())
    };
    let [points, density, vorticity] =
        ["Points", "PointData/density", "PointData/vorticity"].map(|name| read(name).expect(name));
    let ids = file.dataset("VTKHDF/CellData/global_cell_id").expect("numbers");
    let ids = ids.read_raw::<u64>().expect("numbers");
    let of_cell = |(cell, id): (usize, u64)| {
        let (one, three) = (64 * cell..64 * (cell + 1), 192 * cell..192 * (cell + 1));
        (id, [&points[three.clone()], &density[one], &vorticity[three]].concat())
    };
    ids.into_iter().enumerate().map(of_cell).collect()
}

fn size(path: &Path) -> u64 {
    std::fs::metadata(path).expect("a file").len()
}

#[test]
fn other_forms_have_the_values_of_plain_files() {
    for ranks in [1, 3] {
        let folder = with_case(CASE);
        let at = |name: &str| folder.path().join(name);
        let solution = |form: &str, number: usize| at(&format!("{form}/solution_{number:04}.vtkhdf"));
        let plain = hash(&runs(folder.path(), ranks, "plain", &[], 0));
        let forms: [(&str, &[&str]); 3] = [
            ("one-mesh", &["output.solution.mesh=one"]),
            ("packed", &["output.solution.compression=deflate"]),
            (
                "both",
                &["output.solution.mesh=one", "output.solution.compression=deflate"],
            ),
        ];
        for (form, set) in forms {
            let log = runs(folder.path(), ranks, form, set, 0);
            assert_eq!(hash(&log), plain, "{form} on {ranks} ranks");
            for number in 0..3 {
                let expected = cells(&solution("plain", number));
                assert!(
                    cells(&solution(form, number)) == expected,
                    "{form}, {number}, {ranks} ranks"
                );
            }
            let is_mesh = |name: &&String| name.starts_with("solution-mesh_");
            let meshes = names(&at(form)).iter().filter(is_mesh).count();
            assert_eq!(meshes, usize::from(form != "packed"));
            assert!(
                size(&solution(form, 2)) < size(&solution("plain", 2)),
                "{form} is not smaller"
            );
        }
        // Points and connectivity have 32 bytes a node.
        let saved = size(&solution("plain", 2)) - size(&solution("one-mesh", 2));
        assert!(saved > 512 * 64 * 32, "{saved}");

        // A run continues from each form with the same bits, and from no part of the domain.
        let continued = |form: &str| {
            let from = format!("restart={form}/solution_0001.vtkhdf");
            let set = [from.as_str(), "time.steps=3"];
            hash(&runs(folder.path(), ranks, &format!("after-{form}"), &set, 0))
        };
        let expected = continued("plain");
        for form in ["one-mesh", "packed", "both"] {
            assert_eq!(continued(form), expected, "after {form} on {ranks} ranks");
        }
        let within = "output.solution.within={lower: [0.1, 0.1, -1], upper: [1, 1, 1]}";
        runs(folder.path(), ranks, "part", &[within], 0);
        let (part, whole) = (cells(&solution("part", 2)), cells(&solution("plain", 2)));
        // Two cells from 0.1 to 1 along x and y, and four from -1 to 1 along z, of a width of pi/4.
        assert_eq!(part.len(), 2 * 2 * 4);
        assert!(part.iter().all(|(id, values)| whole[id] == *values));
        let from = ["restart=part/solution_0001.vtkhdf", "time.steps=3"];
        let log = runs(folder.path(), ranks, "after-part", &from, 2);
        assert!(log.contains("part/solution_0001.vtkhdf: it has no cell "), "{log}");

        let nowhere = "output.solution.within={lower: [4, 4, 4], upper: [5, 5, 5]}";
        let log = runs(folder.path(), ranks, "nowhere", &[nowhere], 2);
        assert!(
            log.contains("no cell of the mesh has a solution point in this box"),
            "{log}"
        );
    }
}

#[test]
fn a_solution_whose_mesh_is_missing_is_refused() {
    let folder = with_case(CASE);
    runs(folder.path(), 1, "one", &["output.solution.mesh=one"], 0);
    let mesh = names(&folder.path().join("one"));
    let mesh = mesh
        .iter()
        .find(|name| name.starts_with("solution-mesh_"))
        .expect("a mesh");
    std::fs::remove_file(folder.path().join("one").join(mesh)).expect("removed");
    let from = ["restart=one/solution_0001.vtkhdf", "time.steps=3"];
    let log = runs(folder.path(), 1, "after", &from, 2);
    let message = "one/solution_0001.vtkhdf: its mesh is in the file solution-mesh_HASH.h5 that was written beside it";
    assert!(log.contains(message), "{log}");
}
