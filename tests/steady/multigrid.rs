//! Coarser levels: they conserve and close, and a preconditioner on them gives the same bits on any number of ranks.

use crate::common::program::as_ranks;
use crate::implicit::{SETTINGS, host};
use crate::meshes::{ALL, a_box, box_with_dual, with_dual};
use crate::solver::{GAS, assert_part_of, conditions, conserved, duct, rough};
use fr_les::case::BoxElements;
use fr_les::mesh::partition::distribute;
use fr_les::mesh::{Mesh, build_box};
use fr_les::physics::BoundaryKind;
use fr_les::ranks::Ranks;
use fr_les::steady::{Coarsening, DualMesh, Implicit, ImplicitSolver, Levels, Meshes, Preconditioner, Scheme, Values};
use fr_les::vector::{dot, length};
use mpi::topology::SimpleCommunicator;

/// Levels that halve the vertices, of which small meshes have several.
const BY_PAIRS: Coarsening = Coarsening {
    levels: 10,
    pairings: 1,
    fewest: 32,
};

#[test]
fn levels_conserve_the_volume_and_their_cells_are_closed() {
    for elements in ALL {
        for periodic in [[false; 3], [true, false, true]] {
            let (_, _, mut dual) = box_with_dual(&a_box(elements, [4, 2, 2], periodic), 3);
            let boundaries = conditions(&dual, |_| (BoundaryKind::FarField, conserved([1.0; 7])));
            let levels = Levels::new(&mut dual, &boundaries, BY_PAIRS, &Ranks::alone());
            let whole: f64 = dual.volume.iter().sum();
            let mut finer = dual.owned;
            // The agglomerate of each vertex of the points on the present level.
            let mut agglomerate_of: Vec<usize> = (0..dual.owned).collect();
            for level in &levels.coarse {
                let coarse = &level.dual;
                let volume: f64 = coarse.volume.iter().sum();
                assert!(
                    (volume / whole - 1.0).abs() < 1e-13,
                    "{elements:?}: {volume} for {whole}"
                );
                // Each vertex of the finer level is a member of its agglomerate, and of no other.
                let mut members: Vec<(u32, usize)> = Vec::new();
                for (agglomerate, list) in level.members.iter().enumerate() {
                    members.extend(list.iter().map(|&fine| (fine, agglomerate)));
                }
                members.sort_unstable();
                assert_eq!(members.len(), finer);
                for (n, (fine, agglomerate)) in members.iter().enumerate() {
                    assert_eq!((*fine as usize, *agglomerate), (n, level.parent[n] as usize));
                }
                finer = coarse.owned;
                let mut open = vec![[0.0; 3]; coarse.owned];
                let mut size = vec![0.0; coarse.owned];
                let mut add = |vertex: usize, area: [f64; 3]| {
                    (0..3).for_each(|d| open[vertex][d] += area[d]);
                    size[vertex] += length(area);
                };
                for vertex in 0..coarse.owned {
                    coarse.edges(vertex).for_each(|edge| add(vertex, coarse.area[edge]));
                }
                agglomerate_of
                    .iter_mut()
                    .for_each(|of| *of = level.parent[*of] as usize);
                for boundary in &boundaries {
                    let areas = boundary.vertex.iter().zip(&boundary.area);
                    areas.for_each(|(&v, &area)| add(agglomerate_of[v as usize], area));
                }
                for (open, size) in open.iter().zip(&size) {
                    assert!(
                        length(*open) < 1e-8 * size,
                        "{elements:?} {periodic:?}: {open:?} of {size}"
                    );
                }
                // Both ends of an edge have it, with opposite areas and displacements to the last bit.
                for vertex in 0..coarse.owned {
                    for edge in coarse.edges(vertex) {
                        let (area, step) = (coarse.area[edge], coarse.displacement[edge]);
                        let is_back = |&back: &usize| {
                            let to = coarse.displacement[back].map(|x| -x);
                            coarse.neighbour[back] as usize == vertex && to == step
                        };
                        let back: Vec<usize> = coarse.edges(coarse.neighbour[edge] as usize).filter(is_back).collect();
                        assert_eq!(back.len(), 1, "{elements:?} {periodic:?}");
                        assert!(coarse.area[back[0]].map(|x| -x) == area && dot(area, area) > 0.0);
                    }
                }
            }
            assert!(levels.coarse.len() >= 2);
        }
    }
}

/// The dual of a mesh, and its state after two implicit steps with cycles.
fn two_steps(mesh: Mesh, ranks: &Ranks, of_solver: Ranks) -> (DualMesh, Vec<Values>) {
    let (mesh, _, mut dual) = with_dual(mesh, 2, ranks).expect("a dual");
    let boundaries = duct(&dual, &mesh.boundary_names);
    let levels = Levels::new(&mut dual, &boundaries, BY_PAIRS, ranks);
    assert!(levels.coarse.len() >= 2, "{} coarse levels", levels.coarse.len());
    let settings = Implicit {
        preconditioner: Preconditioner::Multigrid,
        ..SETTINGS
    };
    let meshes = Meshes {
        dual: &dual,
        levels: Some(&levels),
    };
    let scheme = Scheme::default();
    let solver = ImplicitSolver::new(host(1), meshes, &boundaries, &GAS, &scheme, &settings, of_solver);
    let mut solver = solver.expect("a solver");
    solver.solver.set_state(&rough(&dual)).expect("a state");
    for cfl in [2.0, 8.0] {
        solver.step(cfl).expect("a step");
    }
    let state = solver.solver.state().expect("a state");
    assert!(state.as_flattened().iter().all(|value| value.is_finite()));
    (dual, state)
}

#[test]
fn ranks_do_not_change_a_bit() {
    as_ranks(module_path!(), "ranks_do_not_change_a_bit", &[1, 2, 3, 5], compare);
}

/// Compares the state of each rank's part with that of the whole mesh.
fn compare(world: &SimpleCommunicator, ranks: &Ranks) {
    for (elements, periodic) in [
        (BoxElements::Mixed, [false; 3]),
        (BoxElements::Hex, [false, false, true]),
    ] {
        let mesh = build_box(&a_box(elements, [4, 2, 2], periodic), 2).expect("a box");
        let (whole, expected) = two_steps(mesh.clone(), &Ranks::alone(), Ranks::alone());
        let (part, state) = two_steps(distribute(mesh, world, 2, &[]).expect("parts"), ranks, Ranks::of(world));
        assert_part_of((&part, &state), (&whole, &expected), &format!("{elements:?}"));
    }
}
