//! Meshes that three ranks read together: their parts are those of the whole mesh, and a damaged file stops all ranks.
//!
//! MPI can be initialised once in a process, so the test runs itself again under `mpirun`, and [`DIRECTORY`] tells the
//! copy to be a rank.

use std::path::Path;

use crate::common::program::{again, ended};
use fr_les::case::{BoxElements, BoxMesh, WarpKind};
use fr_les::mesh::native::{Partitioning, write, write_partitioned};
use fr_les::mesh::partition::{Report, Weights, distribute, divide, extract};
use fr_les::mesh::{Annulus, Mesh, Motion, PeriodicPair, build_box, read_mesh, read_part};
use hdf5::{Group, H5Type};
use mpi::topology::SimpleCommunicator;
use mpi::traits::*;

/// Environment variable with the directory into which the ranks write. It is set in the copies that are ranks, and
/// unset in the test itself.
const DIRECTORY: &str = "FR_LES_TEST_DIRECTORY";

/// Order of the solution for which meshes are partitioned.
const ORDER: usize = 2;

#[test]
fn ranks_share_a_mesh() {
    if let Some(directory) = std::env::var_os(DIRECTORY) {
        return be_a_rank(Path::new(&directory));
    }
    let directory = tempfile::tempdir().unwrap();
    for ranks in [1, 3] {
        let output = again(module_path!(), "ranks_share_a_mesh", ranks, DIRECTORY, directory.path())
            .output()
            .expect("mpirun starts");
        ended(&output, 0);
    }
}

fn be_a_rank(directory: &Path) {
    let universe = mpi::initialize().unwrap();
    let world = universe.world();
    let path = directory.join("mesh.h5");
    let work = std::panic::AssertUnwindSafe(|| {
        for mesh in [mixed(), sector()] {
            parts_are_those_of_the_whole(&world, &path, &mesh);
        }
        files_of_gmsh_are_shared(&world);
        if world.size() > 1 {
            damage_stops_all_ranks(&world, &path);
            what_cannot_be_shared_stops_all_ranks(&world, &path);
        }
    });
    if std::panic::catch_unwind(work).is_err() {
        // A rank that unwound into the finalisation of MPI would wait there for the others.
        world.abort(1);
    }
}

fn mixed() -> Mesh {
    let b = BoxMesh {
        cells: [6, 4, 4],
        lower: [-1.0, 0.25, 0.1],
        upper: [2.0, 1.5, 1.7],
        periodic: [true, false, true],
        elements: BoxElements::Mixed,
        stretch: [None, Some(1.7), None],
        warp: 0.1,
        warp_kind: WarpKind::Curved,
    };
    build_box(&b, 2).unwrap()
}

/// A sector of an annulus, with rotations and tags.
fn sector() -> Mesh {
    let a = Annulus {
        inner: 0.5,
        outer: 2.0,
        length: 0.7,
        angle: 1.1,
        cells: [3, 4, 3],
        growth: 1.3,
        hex_layers: 1,
        geometry_order: 3,
        periodic_angle: true,
        periodic_z: false,
    };
    let mesh = a.build().unwrap();
    let tags = (0..mesh.len() as u64).map(|t| 1000 + 3 * t).collect();
    Mesh { tags, ..mesh }
}

/// Runs `work` on rank 0 while the others wait.
fn on_rank_0(world: &SimpleCommunicator, work: impl FnOnce()) {
    if world.rank() == 0 {
        work();
    }
    world.barrier();
}

/// An unusual partition: the cells of a rank are far apart, and almost all sides lead to other ranks.
fn scattered(mesh: &Mesh, world: &SimpleCommunicator) -> Partitioning {
    let ranks = world.size() as usize;
    let part_of = (0..mesh.len()).map(|cell| (cell % ranks) as u32).collect();
    Partitioning::new(part_of, ranks, &Weights::of(ORDER))
}

fn parts_are_those_of_the_whole(world: &SimpleCommunicator, path: &Path, mesh: &Mesh) {
    let (rank, ranks) = (world.rank() as usize, world.size() as usize);
    let expected = |part_of: &[u32]| {
        if ranks == 1 {
            mesh.clone()
        } else {
            extract(mesh, part_of, rank)
        }
    };
    let weights = Weights::of(ORDER);
    let part_of = divide(mesh, ranks, &weights, &[]).unwrap();
    let shared = distribute(mesh.clone(), world, ORDER, &[]).unwrap();
    same(&shared, &expected(&part_of));
    let report = Report::of(mesh, &part_of, ranks, &weights);
    assert_eq!(Report::of_ranks(&shared, world, ORDER), report);
    // The file has no partition, and then one.
    on_rank_0(world, || write(mesh, path).unwrap());
    same(&read_part(path, &[], world, ORDER, &[]).unwrap(), &expected(&part_of));
    let kept = scattered(mesh, world);
    world.barrier();
    on_rank_0(world, || {
        write_partitioned(mesh, std::slice::from_ref(&kept), path).unwrap()
    });
    same(
        &read_part(path, &[], world, ORDER, &[]).unwrap(),
        &expected(&kept.part_of),
    );
    world.barrier();
}

fn same(a: &Mesh, b: &Mesh) {
    assert_eq!((&a.part, a.structured), (&b.part, b.structured));
    assert_eq!(
        (a.geometry_order, &a.kinds, &a.tags),
        (b.geometry_order, &b.kinds, &b.tags)
    );
    assert_eq!((&a.nodes, &a.first_node), (&b.nodes, &b.first_node));
    assert_eq!((&a.sides, &a.first_side), (&b.sides, &b.first_side));
    assert_eq!((&a.boundary_names, &a.rotations), (&b.boundary_names, &b.rotations));
    assert_eq!(a.hash(), b.hash());
}

fn files_of_gmsh_are_shared(world: &SimpleCommunicator) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/wedge_v41_text.msh");
    let mesh = read_mesh(&path, &[]).unwrap();
    let expected = distribute(mesh, world, ORDER, &[]).unwrap();
    same(&read_part(&path, &[], world, ORDER, &[]).unwrap(), &expected);
}

/// Changes a dataset of an open file.
fn change<T: H5Type>(group: &Group, name: &str, change: impl Fn(&mut [T])) {
    let dataset = group.dataset(name).unwrap();
    let mut values: Vec<T> = dataset.read_raw().unwrap();
    change(&mut values);
    dataset.write_raw(&values).unwrap();
}

fn damage_stops_all_ranks(world: &SimpleCommunicator, path: &Path) {
    let mesh = sector();
    let of_cell_1 = mesh.first_node[1] * 3;
    // Changes the orientation of every side of cell 1 that leads to another rank.
    let turned = |codes: &mut [u16]| {
        for side in mesh.first_side[1]..mesh.first_side[2] {
            if mesh.sides[side]
                .neighbour()
                .is_some_and(|neighbour| neighbour.cell % 3 != 1)
            {
                codes[side] ^= 8;
            }
        }
    };
    type Damage<'a> = Box<dyn Fn(&Group) + 'a>;
    let damages: Vec<(Damage, &str)> = vec![
        (
            Box::new(|f| change::<f64>(f, "mesh/nodes", |x| x[of_cell_1] = f64::NAN)),
            "cell 1: its node 0 is (NaN",
        ),
        (
            Box::new(|f| change::<f64>(f, "mesh/nodes", |x| x[of_cell_1] += 1e-3)),
            "the checksum of /mesh is",
        ),
        (
            Box::new(|f| change::<u64>(f, "mesh/tags", |tags| tags[5] += 1)),
            "the checksum of /mesh is",
        ),
        (
            Box::new(|f| change::<u64>(f, "mesh/first_node", |x| x[2] += 1)),
            "cell 2: its nodes begin at",
        ),
        (
            Box::new(|f| change::<u64>(f, "mesh/first_side", |x| *x.last_mut().unwrap() += 1)),
            "its sides begin at",
        ),
        (
            Box::new(|f| change::<u8>(f, "mesh/kinds", |x| x[3] = 7)),
            "cell 3 is of kind 7",
        ),
        (Box::new(|f| change::<u8>(f, "mesh/kinds", |x| x[3] = 2)), "begin at"),
        (
            Box::new(|f| change::<u16>(f, "mesh/side_codes", turned)),
            "do not lead back consistently",
        ),
        (
            Box::new(|f| change::<i64>(f, "mesh/side_cells", |x| x[1] = 1 << 40)),
            "leads to cell 1099511627776",
        ),
        (
            Box::new(|f| change::<i64>(f, "mesh/side_cells", |x| x[1] = -100)),
            "it is of boundary 99",
        ),
        (
            Box::new(|f| change::<f64>(f, "mesh/rotations", |x| x[0] += 1.0)),
            "rotation 0 is not a rotation",
        ),
        (
            Box::new(|f| change::<u32>(f, "partitions/3/parts", |x| x[4] ^= 3)),
            "/partitions/3",
        ),
        (
            Box::new(|f| change::<u32>(f, "partitions/3/parts", |x| x.swap(0, 1))),
            "/partitions/3 lists cell",
        ),
        (
            Box::new(|f| change::<u64>(f, "partitions/3/cells", |x| x[4] += 1)),
            "/partitions/3",
        ),
        (
            Box::new(|f| {
                f.group("partitions/3")
                    .unwrap()
                    .attr("order")
                    .unwrap()
                    .write_scalar(&7u32)
                    .unwrap();
            }),
            "the checksum of /partitions/3 is",
        ),
    ];
    for (damage, words) in damages {
        on_rank_0(world, || {
            write_partitioned(&mesh, &[scattered(&mesh, world)], path).unwrap();
            let file = hdf5::File::open_rw(path).unwrap();
            damage(&file);
            file.close().unwrap();
        });
        all_are_refused(world, path, words);
    }
    // Without a partition in the file, the sides are checked before METIS uses them.
    on_rank_0(world, || {
        write(&mesh, path).unwrap();
        let file = hdf5::File::open_rw(path).unwrap();
        change::<i64>(&file, "mesh/side_cells", |cells| {
            cells.iter_mut().for_each(|cell| *cell = (*cell).max(7))
        });
        file.close().unwrap();
    });
    all_are_refused(world, path, "does not lead back");
}

fn what_cannot_be_shared_stops_all_ranks(world: &SimpleCommunicator, path: &Path) {
    on_rank_0(world, || std::fs::remove_file(path).unwrap());
    all_are_refused(world, path, "cannot read the mesh");
    on_rank_0(world, || std::fs::write(path, "$MeshFormat\n4.1 0 8\n").unwrap());
    all_are_refused(world, path, "mesh.h5: ");
    let b = BoxMesh {
        cells: [2, 1, 1],
        lower: [0.0; 3],
        upper: [1.0; 3],
        periodic: [false; 3],
        elements: BoxElements::Hex,
        stretch: [None; 3],
        warp: 0.0,
        warp_kind: WarpKind::Curved,
    };
    let small = build_box(&b, 1).unwrap();
    on_rank_0(world, || write(&small, path).unwrap());
    all_are_refused(world, path, "2 cells cannot be divided among 3 ranks");
    let error = distribute(small.clone(), world, ORDER, &[]).unwrap_err().to_string();
    assert!(error.contains("2 cells cannot be divided among 3 ranks"), "{error}");
    // The ranks hold different meshes.
    let mut other = mixed();
    other.nodes[0][0] += f64::from(world.rank() / 2);
    let error = distribute(other, world, ORDER, &[]).unwrap_err().to_string();
    assert!(error.contains("rank 2 holds the mesh "), "{error}");
    let motion = Motion::Translation([1.0, 0.0, 0.0]);
    let pair = PeriodicPair {
        first: "x-".to_owned(),
        second: "x+".to_owned(),
        motion,
    };
    let error = read_part(path, &[pair], world, ORDER, &[]).unwrap_err().to_string();
    assert!(error.contains("join them when it is imported"), "{error}");
}

/// Asserts that every rank gets an error that contains `words`.
fn all_are_refused(world: &SimpleCommunicator, path: &Path, words: &str) {
    let error = read_part(path, &[], world, ORDER, &[]).unwrap_err().to_string();
    assert!(error.contains(words), "{error}\ndoes not say {words}");
    world.barrier();
}
