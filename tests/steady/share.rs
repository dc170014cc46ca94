//! What a rank holds while levels, lines and walls are made is its share of the mesh: an allocator counts the bytes.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use crate::common::program::as_ranks;
use crate::meshes::{a_box, is_wall, with_dual};
use crate::solver::duct;
use fr_les::case::{BoxElements, BoxMesh};
use fr_les::geometry::WallDistance;
use fr_les::mesh::partition::distribute;
use fr_les::mesh::{Mesh, build_box};
use fr_les::ranks::Ranks;
use fr_les::steady::{Coarsening, Levels, Lines, keep_lines_whole};
use mpi::topology::SimpleCommunicator;

/// The allocator of the system, with the bytes in use and the most that there were.
struct Counting {
    used: AtomicUsize,
    most: AtomicUsize,
}

#[global_allocator]
static ALLOCATOR: Counting = Counting {
    used: AtomicUsize::new(0),
    most: AtomicUsize::new(0),
};

// SAFETY: all memory is that of `System`, which gets the same arguments.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let used = self.used.fetch_add(layout.size(), Relaxed) + layout.size();
        self.most.fetch_max(used, Relaxed);
        // SAFETY: the caller promises what `System` asks for.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, address: *mut u8, layout: Layout) {
        self.used.fetch_sub(layout.size(), Relaxed);
        // SAFETY: as above.
        unsafe { System.dealloc(address, layout) }
    }
}

/// Returns the most bytes that `work` has beside those that are in use before.
fn most_bytes(work: impl FnOnce()) -> f64 {
    let before = ALLOCATOR.used.load(Relaxed);
    ALLOCATOR.most.store(before, Relaxed);
    work();
    (ALLOCATOR.most.load(Relaxed) - before) as f64
}

/// The most bytes of a rank.
struct Needs {
    /// Those of the dual.
    dual: f64,
    /// Beside it, while levels are made.
    levels: f64,
    /// Beside it, while lines are made.
    lines: f64,
    /// While distances from walls are found.
    walls: f64,
}

impl Needs {
    fn new(mesh: Mesh, ranks: &Ranks) -> Self {
        let (mesh, geometry, dual) = with_dual(mesh, 2, ranks).expect("a dual");
        let boundaries = duct(&dual, &mesh.boundary_names);
        let by = Coarsening {
            levels: 10,
            pairings: 3,
            fewest: 50,
        };
        let walls = most_bytes(|| {
            let walls = WallDistance::of_positions(&dual.position, &mesh, &geometry, 2, is_wall(&mesh), ranks);
            assert!(walls.is_some());
        });
        let mut of_levels = dual.clone();
        let levels = most_bytes(|| {
            let levels = Levels::new(&mut of_levels, &boundaries, by, ranks);
            assert!(levels.coarse.len() >= 2);
        });
        let mut of_lines = dual.clone();
        let mut lists = boundaries;
        let lines = most_bytes(|| {
            keep_lines_whole(&mut of_lines, &mut lists, ranks);
            let lines = Lines::along_strong_edges(&of_lines, 8, ranks);
            assert!(lines.arrangement.vertex.len() >= of_lines.owned);
        });
        Needs {
            dual: most_bytes(|| drop(dual.clone())),
            levels,
            lines,
            walls,
        }
    }
}

#[test]
fn a_rank_makes_levels_lines_and_walls_of_its_share_of_the_mesh() {
    as_ranks(
        module_path!(),
        "a_rank_makes_levels_lines_and_walls_of_its_share_of_the_mesh",
        &[4],
        compare,
    );
}

/// Compares the bytes of a rank with those of the whole mesh. With halos they are a third of these. A copy of the whole
/// dual on each rank would be seen, and so would all walls.
fn compare(world: &SimpleCommunicator, ranks: &Ranks) {
    let shape = BoxMesh {
        stretch: [None, Some(3.0), None],
        ..a_box(BoxElements::Hex, [12, 16, 12], [false, false, true])
    };
    let mesh = build_box(&shape, 2).expect("a box");
    let whole = Needs::new(mesh.clone(), &Ranks::alone());
    let mine = Needs::new(distribute(mesh, world, 2, &[]).expect("parts"), ranks);
    let share = [
        ("the dual", mine.dual / whole.dual, 0.4),
        ("levels", mine.levels / whole.levels, 0.45),
        ("lines", mine.lines / whole.dual, 0.75),
        ("walls", mine.walls / whole.walls, 0.75),
    ];
    for (what, share, most) in share {
        println!("rank {} has {share:.3} of the whole for {what}", ranks.rank());
        assert!(share < most, "{what}: {share}");
    }
}
