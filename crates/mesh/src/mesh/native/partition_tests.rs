//! Tests of divisions in the native file: what is kept is found again, and damage is refused with a reason. How ranks
//! share a file is tested with ranks, in `tests/parallel/shared_mesh.rs`.

use std::path::Path;

use hdf5::Group;

use super::tests::{mixed, same, sector};
use super::*;
use crate::mesh::partition::{Weights, divide};
use crate::mesh::types::Mesh;

fn divided(mesh: &Mesh, parts: &[usize]) -> Vec<Partitioning> {
    let weights = Weights::of(3);
    let one = |&n: &usize| Partitioning::new(divide(mesh, n, &weights, &[]).unwrap(), n, &weights);
    parts.iter().map(one).collect()
}

#[test]
fn divisions_are_read_as_they_were_written() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a.h5");
    for mesh in [mixed(), sector()] {
        write(&mesh, &path).unwrap();
        assert_eq!(partitionings(&path).unwrap(), []);
        let kept = divided(&mesh, &[2, 3, 10]);
        write_partitioned(&mesh, &kept, &path).unwrap();
        assert_eq!(partitionings(&path).unwrap(), kept);
        same(&mesh, &read(&path).unwrap());
    }
    // A file of before there were divisions.
    hdf5::File::open_rw(&path).unwrap().unlink("partitions").unwrap();
    assert_eq!(partitionings(&path).unwrap(), []);
}

/// Writes a mesh with divisions, lets `change` spoil that into three parts, and reads it.
fn spoiled(change: impl Fn(&Group)) -> String {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a.h5");
    let mesh = sector();
    write_partitioned(&mesh, &divided(&mesh, &[2, 3]), &path).unwrap();
    let file = hdf5::File::open_rw(&path).unwrap();
    change(&file.group("partitions/3").unwrap());
    file.close().unwrap();
    partitionings(&path).unwrap_err().to_string()
}

#[test]
fn damaged_divisions_are_refused_with_a_reason() {
    let cells = sector().len() as u64;
    let set = |name: &'static str, index: usize, value: u64| {
        move |group: &Group| {
            let dataset = group.dataset(name).unwrap();
            let mut values: Vec<u64> = dataset.read_raw().unwrap();
            values[index] = value;
            dataset.write_raw(&values).unwrap();
        }
    };
    let swap = |group: &Group| {
        let parts = group.dataset("parts").unwrap();
        let mut values: Vec<u32> = parts.read_raw().unwrap();
        let other = values.iter().position(|part| *part != values[0]).unwrap();
        values.swap(0, other);
        parts.write_raw(&values).unwrap();
    };
    // Lists and parts that fit together, but are not those that were written.
    let turned = |group: &Group| {
        let parts = group.dataset("parts").unwrap();
        let part_of: Vec<u32> = parts
            .read_raw::<u32>()
            .unwrap()
            .iter()
            .map(|part| (part + 1) % 3)
            .collect();
        let other = Partitioning {
            parts: 3,
            order: 3,
            weights: [1; 4],
            part_of,
        };
        for name in ["parts", "cells", "first_cell"] {
            group.unlink(name).unwrap();
        }
        let checksum: u64 = group.attr("checksum").unwrap().read_scalar().unwrap();
        group.delete_attr("order").unwrap();
        group.delete_attr("weights").unwrap();
        group.delete_attr("checksum").unwrap();
        let at = file_group::FileGroup {
            path: Path::new("a.h5"),
            group: group.clone(),
        };
        other.write(&at, 0).unwrap();
        group.attr("checksum").unwrap().write_scalar(&checksum).unwrap();
    };
    type Change<'a> = Box<dyn Fn(&Group) + 'a>;
    let changes: Vec<(Change, &str)> = vec![
        (
            Box::new(set("first_cell", 1, 0)),
            "/partitions/3/first_cell does not divide",
        ),
        (
            Box::new(set("first_cell", 1, u64::MAX)),
            "/partitions/3/first_cell does not divide",
        ),
        (
            Box::new(set("first_cell", 3, cells - 1)),
            "/partitions/3/first_cell does not divide",
        ),
        (
            Box::new(set("cells", cells as usize - 1, cells)),
            "/partitions/3/cells does not list",
        ),
        (Box::new(set("cells", 0, u64::MAX)), "/partitions/3/cells does not list"),
        (Box::new(swap), "/partitions/3 lists cell "),
        (Box::new(turned), "the checksum of /partitions/3 is"),
        (
            Box::new(|group| group.attr("order").unwrap().write_scalar(&4u32).unwrap()),
            "the checksum of /partitions/3 is",
        ),
        (
            Box::new(|group| group.unlink("parts").unwrap()),
            "/partitions/3/parts cannot be read",
        ),
        (
            Box::new(|group| {
                group.unlink("parts").unwrap();
                group
                    .new_dataset::<u32>()
                    .shape([2])
                    .create("parts")
                    .unwrap()
                    .write_raw(&[0u32, 1])
                    .unwrap();
            }),
            "/partitions/3/parts has 2 rows",
        ),
        (
            Box::new(|group| {
                group
                    .file()
                    .unwrap()
                    .group("partitions")
                    .unwrap()
                    .relink("3", "4")
                    .unwrap();
            }),
            "first_cell does not divide",
        ),
        (
            Box::new(|group| {
                group
                    .file()
                    .unwrap()
                    .group("partitions")
                    .unwrap()
                    .relink("3", "03")
                    .unwrap()
            }),
            "/partitions/03 is not a number of parts",
        ),
    ];
    for (change, words) in changes {
        let message = spoiled(change);
        assert!(
            message.contains(words) && message.contains("a.h5"),
            "{message}\ndoes not say {words}"
        );
    }
}

#[test]
fn rows_are_read_in_whatever_runs() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a.h5");
    let values: Vec<f64> = (0..300_000).map(f64::from).collect();
    let created = hdf5::File::create(&path).unwrap();
    let dataset = created.new_dataset::<f64>().shape([100_000, 3]).create("rows").unwrap();
    dataset.write_raw(&values).unwrap();
    drop(dataset);
    created.close().unwrap();
    let root = file_group::open(&path).unwrap();
    // Gaps of one row, short ones, and one that is not read.
    let ranges = [0..1, 2..3, 3..5, 100..200, 90_000..90_001, 99_999..100_000];
    let runs = file_group::joined(ranges.iter().cloned());
    assert_eq!(runs.len(), 5);
    let expected: Vec<f64> = ranges
        .iter()
        .flat_map(|r| values[3 * r.start..3 * r.end].to_vec())
        .collect();
    assert_eq!(root.read_rows::<f64>("rows", &[3], &runs).unwrap(), expected);
    assert!(root.read_rows::<f64>("rows", &[3], &[]).unwrap().is_empty());
    assert!(root.read_rows::<f64>("rows", &[], &runs).is_err());
}
