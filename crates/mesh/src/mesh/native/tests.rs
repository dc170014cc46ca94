//! Tests of the native file: what is written is read, and anything else is refused with a reason.

use std::fs;
use std::path::Path;

use hdf5::Group;

use super::*;
use crate::mesh::partition::Weights;
use crate::mesh::test_meshes::{a_box, a_sector, tagged};
use crate::mesh::types::{Mesh, Side};
use crate::mesh::{BoxElements, BoxMesh};
use crate::mesh::{Fault, build_box};

pub(super) fn mixed() -> Mesh {
    build_box(&a_box(BoxElements::Mixed, [4, 2, 2], [true, false, false]), 2).unwrap()
}

pub(super) fn sector() -> Mesh {
    let mesh = tagged(a_sector([3, 2, 2]).build().unwrap());
    Mesh {
        boundary_names: ["inner wall", "Ärmel", "z-", "z+"].map(str::to_owned).to_vec(),
        ..mesh
    }
}

pub(super) fn same(a: &Mesh, b: &Mesh) {
    assert_eq!(
        (a.geometry_order, &a.kinds, a.structured),
        (b.geometry_order, &b.kinds, b.structured)
    );
    assert_eq!((&a.nodes, &a.first_node, &a.tags), (&b.nodes, &b.first_node, &b.tags));
    assert_eq!(
        (&a.sides, &a.first_side, &a.boundary_names, &a.joined),
        (&b.sides, &b.first_side, &b.boundary_names, &b.joined)
    );
    assert_eq!(a.rotations, b.rotations);
}

#[test]
fn a_mesh_is_read_as_it_was_written() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a.h5");
    let straight = BoxMesh {
        warp: 0.0,
        ..a_box(BoxElements::Tet, [3, 2, 1], [true; 3])
    };
    for mesh in [mixed(), sector(), build_box(&straight, 1).unwrap()] {
        write(&mesh, &path).unwrap();
        same(&mesh, &read(&path).unwrap());
    }
    assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 1);
}

#[test]
fn other_files_are_refused_with_a_reason() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a.h5");
    let refused = || read(&path).unwrap_err().to_string();
    assert!(refused().contains("cannot open"), "{}", refused());
    for text in ["$MeshFormat\n4.1 0 8\n", ""] {
        fs::write(&path, text).unwrap();
        assert!(
            refused().contains("the beginning of the file cannot be read"),
            "{}",
            refused()
        );
    }
    hdf5::File::create(&path).unwrap().create_group("VTKHDF").unwrap();
    assert!(
        refused().contains("not a mesh of fr-les: it is a solution or a part of one for ParaView"),
        "{}",
        refused()
    );
    hdf5::File::create(&path).unwrap().create_group("mesh").unwrap();
    assert!(refused().contains("does not name the format"), "{}", refused());
    assert!(read(directory.path()).is_err());
}

/// Writes the mesh and lets `change` spoil the file.
fn spoiled(mesh: &Mesh, change: impl Fn(&Group)) -> String {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a.h5");
    write(mesh, &path).unwrap();
    let file = hdf5::File::open_rw(&path).unwrap();
    change(&file.group("mesh").unwrap());
    file.close().unwrap();
    read(&path).unwrap_err().to_string()
}

#[test]
fn damaged_contents_are_refused_with_a_reason() {
    let set = |name: &'static str, index: usize, value: f64| {
        move |group: &Group| {
            let dataset = group.dataset(name).unwrap();
            let mut values: Vec<f64> = dataset.read_raw().unwrap();
            values[index] = value;
            dataset.write_raw(&values).unwrap();
        }
    };
    let set_first = |name: &'static str, value: u64| {
        move |group: &Group| {
            let dataset = group.dataset(name).unwrap();
            let mut values: Vec<u64> = dataset.read_raw().unwrap();
            values[1] = value;
            dataset.write_raw(&values).unwrap();
        }
    };
    let side = |cell: Option<i64>, code: Option<u16>| {
        move |group: &Group| {
            let cells = group.dataset("side_cells").unwrap();
            let codes = group.dataset("side_codes").unwrap();
            let mut values: Vec<i64> = cells.read_raw().unwrap();
            let inner = values.iter().position(|c| *c > 0).unwrap();
            values[inner] = cell.unwrap_or(values[inner]);
            cells.write_raw(&values).unwrap();
            let mut values: Vec<u16> = codes.read_raw().unwrap();
            values[inner] = code.unwrap_or(values[inner]);
            codes.write_raw(&values).unwrap();
        }
    };
    let attribute =
        |name: &'static str, value: u32| move |group: &Group| group.attr(name).unwrap().write_scalar(&value).unwrap();
    let gone = |name: &'static str| move |group: &Group| group.unlink(name).unwrap();
    let short = |group: &Group| {
        group.unlink("tags").unwrap();
        group
            .new_dataset::<u64>()
            .shape([3])
            .create("tags")
            .unwrap()
            .write_raw(&[1u64, 2, 3])
            .unwrap();
    };
    let huge = |group: &Group| {
        group.unlink("nodes").unwrap();
        group
            .new_dataset::<f64>()
            .shape([1usize << 50, 3])
            .chunk([1024, 3])
            .create("nodes")
            .unwrap();
    };
    let flat = |group: &Group| {
        group.unlink("nodes").unwrap();
        group
            .new_dataset::<f64>()
            .shape([3])
            .create("nodes")
            .unwrap()
            .write_raw(&[0.0; 3])
            .unwrap();
    };
    let of_another_type = |group: &Group| {
        group.unlink("tags").unwrap();
        group.new_dataset::<f32>().shape([0]).create("tags").unwrap();
    };
    let kind = |group: &Group| {
        let dataset = group.dataset("kinds").unwrap();
        let mut kinds: Vec<u8> = dataset.read_raw().unwrap();
        kinds[2] = 9;
        dataset.write_raw(&kinds).unwrap();
    };
    type Change<'a> = Box<dyn Fn(&Group) + 'a>;
    let cases: Vec<(Change, &str)> = vec![
        (Box::new(set("nodes", 40, f64::NAN)), "which is not finite"),
        (Box::new(set("nodes", 40, 0.123)), "the checksum of /mesh is"),
        (Box::new(set("rotations", 0, 0.9)), "rotation 0 is not a rotation"),
        (Box::new(set_first("first_node", 5)), "cell 1: its nodes begin at 5"),
        (
            Box::new(set_first("first_side", u64::MAX)),
            "cell 1: its sides begin at",
        ),
        (Box::new(side(Some(1 << 40), None)), "it leads to cell 1099511627776"),
        (
            Box::new(side(Some(i64::MIN), None)),
            "it leads to part 9223370937343148032 of the divided faces",
        ),
        (Box::new(side(None, Some(7))), "it leads to face 7"),
        (Box::new(side(None, Some(u16::MAX))), "it leads to"),
        (Box::new(side(Some(-1), None)), "does not lead back"),
        (
            Box::new(attribute("version", 3)),
            "version 3 of the format, but this program reads up to 2",
        ),
        (
            Box::new(attribute("geometry_order", 0)),
            "geometry order 0 is not possible for hex",
        ),
        (
            Box::new(attribute("geometry_order", u32::MAX)),
            "geometry order 4294967295",
        ),
        (Box::new(attribute("geometry_order", 2)), "its nodes begin at"),
        (
            Box::new(gone("side_codes")),
            "the mesh is damaged: /mesh/side_codes cannot be read; copy the file again",
        ),
        (Box::new(short), "tags: there are 3"),
        (
            Box::new(huge),
            "/mesh/nodes has the shape [1125899906842624, 3], but 0 bytes",
        ),
        (Box::new(flat), "/mesh/nodes has the shape [3]"),
        (Box::new(of_another_type), "/mesh/tags holds numbers of another type"),
        (Box::new(kind), "cell 2 is of kind 9"),
    ];
    for (change, words) in cases {
        let message = spoiled(&sector(), change);
        assert!(
            message.contains(words) && message.contains("a.h5"),
            "{message}\ndoes not say {words}"
        );
    }
}

#[test]
fn sides_that_do_not_lead_back_are_found() {
    let mesh = sector();
    assert_eq!(mesh.check(), Ok(()));
    let mut wrong = mesh.clone();
    let rotated = wrong.sides.iter_mut().find_map(|side| match side {
        Side::Rotated { rotation, .. } => Some(rotation),
        _ => None,
    });
    *rotated.unwrap() ^= 1;
    assert!(matches!(wrong.check(), Err(Fault::Face { .. })));
    let mut wrong = mixed();
    let turned = wrong.sides.iter_mut().find_map(|side| match side {
        Side::Cell { orientation, .. } => Some(orientation),
        _ => None,
    });
    *turned.unwrap() ^= 1;
    assert!(wrong.check().unwrap_err().to_string().contains("does not lead back"));
    let mut wrong = mixed();
    wrong.boundary_names[1] = wrong.boundary_names[0].clone();
    assert!(matches!(wrong.check(), Err(Fault::Name { index: 1, .. })));
    wrong.boundary_names[1] = "two\nlines".to_owned();
    let error = write(&wrong, Path::new("never-written.h5")).unwrap_err().to_string();
    assert!(error.contains("more than one line"), "{error}");
}

#[test]
fn damage_to_the_file_itself_is_said_in_plain_words() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a.h5");
    write(&sector(), &path).unwrap();
    let whole = fs::read(&path).unwrap();
    let remedy = "; copy the file again, or create it again with `fr-les mesh`";
    // The first 48 bytes say how long the file is.
    for length in [48, 1000, whole.len() - 1] {
        fs::write(&path, &whole[..length]).unwrap();
        let expected = format!(
            "{}: the mesh is cut short: the file has {length} bytes of {}{remedy}",
            path.display(),
            whole.len()
        );
        assert_eq!(read(&path).unwrap_err().to_string(), expected);
    }
    // The root group follows.
    for (at, what) in [(20, "the beginning of the file"), (60, "/")] {
        let mut bytes = whole.clone();
        bytes[at] ^= 1;
        fs::write(&path, &bytes).unwrap();
        let message = read(&path).unwrap_err().to_string();
        let expected = format!(
            "{}: the mesh is damaged: {what} cannot be read{remedy} (HDF5: ",
            path.display()
        );
        assert!(message.starts_with(&expected), "{message}");
    }
}

#[test]
fn no_damage_to_the_bytes_goes_unnoticed() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a.h5");
    let mesh = sector();
    let part_of = (0..mesh.len()).map(|cell| (cell % 3) as u32).collect();
    let kept = [Partitioning::new(part_of, 3, &Weights::of(2))];
    write_partitioned(&mesh, &kept, &path).unwrap();
    let whole = fs::read(&path).unwrap();
    for length in (0..whole.len()).step_by(whole.len() / 50) {
        fs::write(&path, &whole[..length]).unwrap();
        assert!(read(&path).is_err(), "truncated to {length} of {}", whole.len());
    }
    let mut state = 12345u64;
    let (mut refused, mut harmless) = (0, 0);
    for _ in 0..1500 {
        state = state
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        let at = (state >> 33) as usize % whole.len();
        let bit = (state >> 20) % 8;
        let mut bytes = whole.clone();
        bytes[at] ^= 1 << bit;
        fs::write(&path, &bytes).unwrap();
        match read(&path).and_then(|mesh| Ok((mesh, partitionings(&path)?))) {
            Err(_) => refused += 1,
            // The byte belongs to nothing: the file still gives the same.
            Ok((other, divisions)) => {
                harmless += 1;
                same(&mesh, &other);
                assert_eq!(divisions, kept);
            }
        }
    }
    assert!(refused > harmless, "{refused} refused, {harmless} harmless");
}
