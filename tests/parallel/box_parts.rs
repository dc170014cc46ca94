//! A box of which each rank builds its own cells has the cells, the geometry and the hash of the whole box.

use crate::common::program::as_ranks;
use fr_les::case::Correction;
use fr_les::element::Elements;
use fr_les::geometry::Geometry;
use fr_les::mesh::{BoxElements, BoxMesh, WarpKind, box_on_ranks, build_box};
use fr_les::ranks::Ranks;
use mpi::topology::SimpleCommunicator;

#[test]
fn parts_of_ranks_are_those_of_the_whole_box() {
    let test = "parts_of_ranks_are_those_of_the_whole_box";
    as_ranks(module_path!(), test, &[3], compare);
}

/// Compares the part of each rank with the whole box.
fn compare(world: &SimpleCommunicator, ranks: &Ranks) {
    for (elements, warp) in [
        (BoxElements::Hex, 0.0),
        (BoxElements::Hex, 0.1),
        (BoxElements::Prism, 0.1),
        (BoxElements::Tet, 0.0),
        (BoxElements::Pyramid, 0.1),
    ] {
        let b = BoxMesh {
            cells: [5, 4, 3],
            lower: [0.0; 3],
            upper: [5.0, 4.0, 2.0],
            periodic: [true, false, true],
            elements,
            stretch: [None, Some(1.5), None],
            warp,
            warp_kind: WarpKind::Curved,
        };
        let whole = build_box(&b, 2).expect("a box");
        let part = box_on_ranks(&b, 2, world);
        assert_eq!(part.hash(), whole.hash());
        part.check().expect("is consistent");
        let mut cells = [part.len() as u64];
        ranks.allreduce_sum(&mut cells);
        assert_eq!(cells[0] as usize, whole.len());
        let reference = Elements::new(2, Correction::Radau, &whole.kinds_present());
        let expected = Geometry::new(&whole, &reference).expect("no inverted cells");
        let geometry = Geometry::on_ranks(&part, &reference, ranks).expect("no inverted cells");
        assert_eq!(geometry.volume, expected.volume);
        for cell in 0..part.len() {
            let of_whole = part.global(cell);
            assert_eq!(geometry.cell_positions(cell), expected.cell_positions(of_whole));
            assert_eq!(geometry.metrics[cell].values(), expected.metrics[of_whole].values());
            for face in 0..part.kinds[cell].faces().len() {
                assert_eq!(geometry.face_areas(cell, face), expected.face_areas(of_whole, face));
            }
        }
    }
}
