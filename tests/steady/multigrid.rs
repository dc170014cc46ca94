//! Multigrid cycles: coarse levels that conserve and close, cycles that leave a solution as it is and solve faster than
//! steps, and the same bits on any machine and any number of ranks.

use crate::common::program::as_ranks;
use crate::meshes::{ALL, a_box, box_with_dual, with_dual};
use crate::solver::{GAS, assert_part_of, bits, conditions, conserved, duct, rough};
use fr_les::case::{BoxElements, BoxMesh, WarpKind};
use fr_les::device::cpu::Host;
use fr_les::mesh::partition::distribute;
use fr_les::mesh::{Mesh, build_box};
use fr_les::physics::BoundaryKind;
use fr_les::ranks::Ranks;
use fr_les::steady::{
    BoundaryList, Coarsening, DualMesh, LEVELS, Levels, Machine, Multigrid, Scheme, Turbulence, Values,
};
use fr_les::vector::{dot, length};
use mpi::topology::SimpleCommunicator;

fn multigrid<M: Machine>(
    store: M,
    dual: &mut DualMesh,
    boundaries: &[BoundaryList],
    scheme: &Scheme,
    (ranks, of_solver): (&Ranks, Ranks),
) -> Multigrid<M> {
    let levels = Levels::new(dual, boundaries, Coarsening::of_cycles(LEVELS), ranks);
    assert!(levels.coarse.len() >= 2, "{} coarse levels", levels.coarse.len());
    Multigrid::new(store, (dual, &levels), boundaries, &GAS, scheme, of_solver).expect("a solver")
}

fn host() -> Host {
    Host::new(Some(1)).expect("threads")
}

#[test]
fn levels_conserve_the_volume_and_their_cells_are_closed() {
    for elements in ALL {
        for periodic in [[false; 3], [true, false, true]] {
            let (_, _, mut dual) = box_with_dual(&a_box(elements, [4, 2, 2], periodic), 3);
            let boundaries = conditions(&dual, |_| (BoundaryKind::FarField, conserved([1.0; 7])));
            let levels = Levels::new(&mut dual, &boundaries, Coarsening::of_cycles(LEVELS), &Ranks::alone());
            let whole: f64 = dual.volume.iter().sum();
            let mut finer = dual.owned;
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
                for boundary in &level.boundaries {
                    boundary
                        .vertex
                        .iter()
                        .zip(&boundary.area)
                        .for_each(|(&v, &area)| add(v as usize, area));
                }
                for (open, size) in open.iter().zip(&size) {
                    assert!(
                        length(*open) < 1e-8 * size,
                        "{elements:?} {periodic:?}: {open:?} of {size}"
                    );
                }
                // Both ends of an edge have it, with opposite areas and displacements.
                for vertex in 0..coarse.owned {
                    for edge in coarse.edges(vertex) {
                        let (area, step) = (coarse.area[edge], coarse.displacement[edge]);
                        let is_back = |&back: &usize| {
                            let to: [f64; 3] = std::array::from_fn(|d| coarse.displacement[back][d] + step[d]);
                            coarse.neighbour[back] as usize == vertex && length(to) < 1e-9
                        };
                        let back: Vec<usize> = coarse.edges(coarse.neighbour[edge] as usize).filter(is_back).collect();
                        assert_eq!(back.len(), 1, "{elements:?} {periodic:?}");
                        let sum: [f64; 3] = std::array::from_fn(|d| coarse.area[back[0]][d] + area[d]);
                        assert!(length(sum) < 1e-12 * length(area).max(1e-3) && dot(area, area) > 0.0);
                    }
                }
            }
            assert!(levels.coarse.len() >= 2);
        }
    }
}

#[test]
fn a_cycle_leaves_a_solution_as_it_is() {
    for elements in [BoxElements::Hex, BoxElements::Mixed] {
        let (mesh, _, mut dual) = box_with_dual(&a_box(elements, [4, 2, 2], [false, false, true]), 3);
        let boundaries = duct(&dual, &mesh.boundary_names);
        let mut multigrid = multigrid(
            host(),
            &mut dual,
            &boundaries,
            &Scheme::default(),
            (&Ranks::alone(), Ranks::alone()),
        );
        // Sources make a rough state the solution; what walls hold is set by a step of no length.
        let state = rough(&dual);
        multigrid.solver.set_state(&state).expect("a state");
        multigrid.step(1e-9).expect("a cycle");
        let state = multigrid.solver.state().expect("a state");
        let mut sources = multigrid.solver.residuals().expect("residuals");
        sources
            .iter_mut()
            .flatten()
            .filter(|x| !x.is_finite())
            .for_each(|x| *x = 0.0);
        multigrid.solver.set_source(&sources).expect("sources");
        (0..3).for_each(|_| multigrid.step(1.5).expect("a cycle"));
        let after = multigrid.solver.state().expect("a state");
        for (a, b) in state.as_flattened().iter().zip(after.as_flattened()) {
            assert!((a - b).abs() < 1e-12, "{elements:?}: {a} became {b}");
        }
    }
}

/// Laminar flow between walls, one of which moves, at a stretched mesh; the residual of the momentum after so many
/// steps or cycles over that before.
fn fall(cells: usize, count: usize, with_cycles: bool) -> f64 {
    let channel = BoxMesh {
        cells: [8, cells, 4],
        lower: [0.0; 3],
        upper: [0.5, 1.0, 0.5],
        periodic: [true, false, true],
        elements: BoxElements::Hex,
        stretch: [None, Some(1.5), None],
        warp: 0.0,
        warp_kind: WarpKind::Curved,
    };
    let mesh = build_box(&channel, 1).expect("a box");
    let (mesh, _, mut dual) = with_dual(mesh, 1, &Ranks::alone()).expect("a dual");
    let boundaries = conditions(&dual, |b| match mesh.boundary_names[b].as_str() {
        "y+" => (BoundaryKind::NoSlipIsothermal, [0.5, 0.0, 0.0, 1.0, 0.0, 0.0]),
        _ => (BoundaryKind::NoSlipIsothermal, [0.0, 0.0, 0.0, 1.0, 0.0, 0.0]),
    });
    let scheme = Scheme {
        turbulence: Turbulence::None,
        ..Scheme::default()
    };
    let mut multigrid = multigrid(
        host(),
        &mut dual,
        &boundaries,
        &scheme,
        (&Ranks::alone(), Ranks::alone()),
    );
    let start = vec![[1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0]; dual.len()];
    multigrid.solver.set_state(&start).expect("a state");
    multigrid.solver.step(1.0).expect("a step");
    let norm = |multigrid: &mut Multigrid<Host>| {
        let residuals = multigrid.solver.residuals().expect("residuals");
        let inside = residuals
            .iter()
            .zip(&dual.position)
            .filter(|(_, x)| x[1] > 0.0 && x[1] < 1.0);
        inside.map(|(r, _)| r[1] * r[1]).sum::<f64>().sqrt()
    };
    let before = norm(&mut multigrid);
    for _ in 0..count {
        if with_cycles {
            multigrid.step(2.0).expect("a cycle")
        } else {
            multigrid.solver.step(2.0).expect("a step")
        }
    }
    norm(&mut multigrid) / before
}

#[test]
fn cycles_converge_faster_than_steps_and_alike_on_finer_meshes() {
    let [steps, coarse, fine] = [fall(64, 240, false), fall(32, 240, true), fall(64, 240, true)];
    assert!(steps > 1e-2, "240 steps: {steps:e}");
    assert!(
        coarse < 1e-4 && fine < 1e-4,
        "240 cycles: {coarse:e} and {fine:e}; steps {steps:e}"
    );
}

/// The dual of a mesh, and its state after five cycles.
fn five_cycles(mesh: Mesh, ranks: &Ranks, of_solver: Ranks) -> (DualMesh, Vec<Values>) {
    let (mesh, _, mut dual) = with_dual(mesh, 2, ranks).expect("a dual");
    let boundaries = duct(&dual, &mesh.boundary_names);
    let mut multigrid = multigrid(host(), &mut dual, &boundaries, &Scheme::default(), (ranks, of_solver));
    multigrid.solver.set_state(&rough(&dual)).expect("a state");
    (0..5).for_each(|_| multigrid.step(1.0).expect("a cycle"));
    let state = multigrid.solver.state().expect("a state");
    assert!(state.as_flattened().iter().all(|value| value.is_finite()));
    (dual, state)
}

#[test]
fn ranks_do_not_change_a_bit() {
    as_ranks(module_path!(), "ranks_do_not_change_a_bit", &[1, 2, 4], compare);
}

/// Compares the state of each rank's part with that of the whole mesh.
fn compare(world: &SimpleCommunicator, ranks: &Ranks) {
    for (elements, periodic) in [
        (BoxElements::Mixed, [false; 3]),
        (BoxElements::Hex, [false, false, true]),
    ] {
        let mesh = build_box(&a_box(elements, [4, 2, 2], periodic), 2).expect("a box");
        let (whole, expected) = five_cycles(mesh.clone(), &Ranks::alone(), Ranks::alone());
        let (part, state) = five_cycles(distribute(mesh, world, 2).expect("parts"), ranks, Ranks::of(world));
        assert_part_of((&part, &state), (&whole, &expected), &format!("{elements:?}"));
    }
}

/// Five cycles in the duct on a machine.
fn five_cycles_on<M: Machine>(store: M, elements: BoxElements) -> Vec<Values> {
    let (mesh, _, mut dual) = box_with_dual(&a_box(elements, [4, 2, 2], [false; 3]), 3);
    let boundaries = duct(&dual, &mesh.boundary_names);
    let mut multigrid = multigrid(
        store,
        &mut dual,
        &boundaries,
        &Scheme::default(),
        (&Ranks::alone(), Ranks::alone()),
    );
    multigrid.solver.set_state(&rough(&dual)).expect("a state");
    (0..5).for_each(|_| multigrid.step(1.0).expect("a cycle"));
    let state = multigrid.solver.state().expect("a state");
    assert!(state.as_flattened().iter().all(|value| value.is_finite()));
    state
}

#[test]
fn threads_do_not_change_a_bit() {
    let [one, three] = [1, 3].map(|n| five_cycles_on(Host::new(Some(n)).expect("threads"), BoxElements::Mixed));
    assert_eq!(bits(&one), bits(&three));
}

mod gpu {
    use super::{bits, five_cycles_on};
    use crate::meshes::ALL;
    use fr_les::device::cpu::Host;
    use fr_les::device::cuda::{Gpu, GpuStore};

    #[test]
    #[ignore = "needs an NVIDIA GPU"]
    fn a_gpu_gives_the_bits_of_the_cpu() {
        for elements in ALL {
            let cpu = five_cycles_on(Host::new(None).expect("threads"), elements);
            for record in [false, true] {
                let store = GpuStore::new(Gpu::open(0).expect("a GPU"), record).expect("queues");
                assert_eq!(bits(&cpu), bits(&five_cycles_on(store, elements)), "{elements:?}");
            }
        }
    }
}
