//! Meshes of HOPR: a box of 3 x 2 x 2 hexahedra of order 3, periodic in x, that PyHOPE 1.1 wrote (hopr_box3.h5), and
//! changes of it.

use std::path::Path;

use crate::common::meshes::{data, sizes};
use fr_les::mesh::{Mesh, Side, read_mesh};
use hdf5::types::FixedAscii;

/// The box after a change of its arrays.
fn changed(change: impl Fn(&hdf5::File)) -> Result<Mesh, String> {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("a.h5");
    std::fs::copy(data("hopr_box3.h5"), &path).expect("copied");
    let file = hdf5::File::open_rw(&path).expect("opened");
    change(&file);
    file.close().expect("closed");
    read_mesh(Path::new(&path), &[]).map_err(|error| error.to_string())
}

/// Writes one number of an array of whole numbers.
fn set(file: &hdf5::File, name: &str, at: [usize; 2], value: i32) {
    let dataset = file.dataset(name).expect(name);
    let mut values = dataset.read_2d::<i32>().expect("numbers");
    values[at] = value;
    dataset.write(&values).expect("written");
}

#[test]
fn a_periodic_box_is_read() {
    let mesh = read_mesh(&data("hopr_box3.h5"), &[]).unwrap_or_else(|error| panic!("{error}"));
    mesh.check().expect("is consistent");
    assert_eq!((mesh.len(), mesh.geometry_order), (12, 3));
    assert_eq!(mesh.joined, [["bc_periodicx+".to_owned(), "bc_periodicx-".to_owned()]]);
    let (volume, areas) = sizes(&mesh);
    assert!((volume - 1.0).abs() < 1e-13, "{volume}");
    assert_eq!(areas.len(), 4, "{areas:?}");
    assert!(areas.values().all(|area| (area - 1.0).abs() < 1e-13), "{areas:?}");
    let boundary = mesh
        .sides
        .iter()
        .filter(|side| matches!(side, Side::Boundary(_)))
        .count();
    assert_eq!(boundary, 2 * 6 + 2 * 6);
}

#[test]
fn attributes_are_scalars_or_arrays_of_one_number() {
    let with = |order: &[i32]| {
        changed(|file| {
            file.delete_attr("Ngeo").expect("removed");
            let attribute = file.new_attr::<i32>().shape([order.len()]).create("Ngeo").expect("new");
            attribute.write(order).expect("written");
        })
    };
    let mesh = with(&[3]).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!((mesh.len(), mesh.geometry_order), (12, 3));
    for (order, wanted) in [(&[5][..], "Ngeo is [5]; orders 1 to 4"), (&[3, 3], "Ngeo is [3, 3]")] {
        let error = with(order).map(|_| ()).expect_err(wanted);
        assert!(error.contains(wanted), "{error}");
    }
}

/// An array of more rows than the file can hold, or of other values, is refused by its name before memory is taken.
#[test]
fn arrays_that_the_file_cannot_hold_and_those_of_another_type_are_refused() {
    let (huge, width) = (1_usize << 36, |name: &str| if name == "NodeCoords" { 3 } else { 6 });
    for name in ["ElemInfo", "SideInfo", "NodeCoords", "GlobalNodeIDs", "BCType"] {
        let of_shape = |shape: Vec<usize>| {
            changed(|file| {
                file.unlink(name).expect("removed");
                let of = file
                    .new_dataset::<i64>()
                    .shape(shape.clone())
                    .create(name)
                    .expect("a dataset");
                drop(of);
            })
        };
        let error = of_shape(vec![huge, width(name)]).map(|_| ()).expect_err("is too large");
        let wanted = if name == "NodeCoords" {
            "holds whole numbers, but real numbers"
        } else {
            "but 0 bytes"
        };
        assert!(
            error.contains(&format!("/{name}: the array ")) && error.contains(wanted),
            "{error}"
        );
    }
    let error = changed(|file| {
        file.unlink("BCNames").expect("removed");
        let of = file
            .new_dataset::<f64>()
            .shape([6])
            .create("BCNames")
            .expect("a dataset");
        of.write(&[0.0; 6]).expect("written");
    });
    let error = error.map(|_| ()).expect_err("is no text");
    assert!(
        error.contains("/BCNames: the array holds real numbers, but texts"),
        "{error}"
    );
}

#[test]
fn names_that_are_no_text_are_shown_as_far_as_they_are() {
    let mesh = changed(|file| {
        let dataset = file.dataset("BCNames").expect("names");
        let mut names = dataset.read_raw::<FixedAscii<255>>().expect("texts");
        // SAFETY: the bytes are not ASCII, as those of a damaged file may be; they are only written to the file.
        names
            .iter_mut()
            .for_each(|name| *name = unsafe { FixedAscii::from_ascii_unchecked(b"wall\xff") });
        dataset.write_raw(&names).expect("written");
    });
    let mesh = mesh.unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(mesh.boundary_names, ["wall\u{fffd}"]);
}

#[test]
fn curved_cells_keep_their_shape() {
    // The volume of the image of the box under this map is that of the box, since its determinant is 1.
    let bend = |[x, y, z]: [f64; 3]| [x, y + 0.1 * z * z * z, z];
    let mesh = changed(|file| {
        let dataset = file.dataset("NodeCoords").expect("nodes");
        let mut nodes = dataset.read_2d::<f64>().expect("numbers");
        for mut row in nodes.rows_mut() {
            let at = bend([row[0], row[1], row[2]]);
            (0..3).for_each(|d| row[d] = at[d]);
        }
        dataset.write(&nodes).expect("written");
    });
    let mesh = mesh.unwrap_or_else(|error| panic!("{error}"));
    let (volume, areas) = sizes(&mesh);
    assert!((volume - 1.0).abs() < 1e-13, "{volume}");
    // Length of the curve y = z^3 / 10 from 0 to 1, by Simpson's rule with 1000 intervals.
    let speed = |z: f64| (1.0 + (0.3 * z * z).powi(2)).sqrt();
    let weight = |i: usize| {
        if i == 0 || i == 1000 {
            1.0
        } else {
            2.0 + 2.0 * (i % 2) as f64
        }
    };
    let length: f64 = (0..=1000).map(|i| weight(i) * speed(i as f64 / 1000.0) / 3000.0).sum();
    assert!((areas["bc_wally-"] - length).abs() < 1e-6, "{areas:?} {length}");
}

#[test]
fn other_contents_are_refused_with_the_array() {
    type Change = fn(&hdf5::File);
    let cases: [(Change, &str); 5] = [
        (
            |file| set(file, "SideInfo", [0, 2], -1),
            "/SideInfo: element 1, side 3: the element has 6 rows, too few for its 6 sides and the smaller sides",
        ),
        (
            |file| set(file, "SideInfo", [1, 4], 7),
            "/SideInfo: a side is of boundary 7, but there are 6",
        ),
        (
            |file| set(file, "ElemInfo", [2, 0], 104),
            "/ElemInfo: element 3 is of type 104; hexahedra",
        ),
        (
            |file| set(file, "ElemInfo", [11, 5], 769),
            "/ElemInfo: element 12 has the rows 704 to 769 of 768",
        ),
        (
            |file| file.unlink("GlobalNodeIDs").expect("removed"),
            "/GlobalNodeIDs: the array cannot be read",
        ),
    ];
    for (change, wanted) in cases {
        let error = changed(change).map(|_| ()).expect_err(wanted);
        assert!(error.contains("a.h5: ") && error.contains(wanted), "{error}");
    }
}
