//! The estimate of memory before anything is built, compared with what is allocated.

use super::*;
use crate::device::Interfaces;
use crate::device::cpu::Host;
use crate::device::{
    CellWeights, Conditions, CpuDevice, Device, MatchingPoints, TurbulentInlet, TurbulentPoint, inlet_bytes,
};
use crate::element::Correction;
use crate::geometry::Geometry;
use crate::mesh::test_meshes::a_box;
use crate::mesh::{BoxElements, BoxMesh, CellCounts, build_box};
use crate::physics::{BoundaryKind, Gas, Riemann, Shock, Split, Viscosity};

/// A gas and a scheme, of which the memory depends on the viscosity and the compensation alone.
fn physics(viscosity: Option<Viscosity>, kahan: bool) -> Physics {
    let gas = Gas {
        gamma: 1.4,
        prandtl: 0.7,
        gas_constant: 1.0,
        viscosity,
    };
    let scheme = crate::device::Scheme {
        split: Split::KennedyGruber,
        riemann: Riemann::Roe,
        correction: Correction::Radau,
        shock: Shock::None,
        ..Default::default()
    };
    Physics {
        kahan,
        ..Physics::new(gas, scheme)
    }
}

/// The estimate from counts alone is the memory that the arrays of the mesh take, but for the padding of the ghosts
/// and for lists and operators, which are small.
#[test]
fn the_estimate_is_the_memory_of_the_arrays() {
    let host = Host::new(Some(1)).expect("a thread");
    for elements in [
        BoxElements::Hex,
        BoxElements::Prism,
        BoxElements::Tet,
        BoxElements::Pyramid,
    ] {
        let curved = a_box(elements, [8, 6, 8], [true, false, true]);
        let b = BoxMesh { warp: 0.0, ..curved };
        let mesh = build_box(&b, 1).expect("a box");
        let counts = CellCounts::of_box(&b).expect("one kind of cell");
        assert_eq!(counts, CellCounts::of_mesh(&mesh));
        let reference = Elements::new(3, Correction::Radau, &mesh.kinds);
        let geometry = Geometry::new(&mesh, &reference).expect("straight cells");
        for (viscosity, kahan) in [(None, false), (Some(Viscosity::Constant(0.1)), true)] {
            let physics = physics(viscosity, kahan);
            let sizes = |plan| Sizes {
                plan,
                real: 4,
                viscous: viscosity.is_some(),
                kahan,
                low_storage: false,
                scalars: false,
                sgs: false,
                turbulence: false,
                relaxed: false,
                frames: Frames::None,
                wall_models: false,
                shock: Shock::None,
                names: mesh.boundary_names.len(),
                later: Later::default(),
            };
            let estimate = memory_of(&sizes(&Plan::of_counts(&counts, 3, |_| 8)));
            let kinds = vec![BoundaryKind::Slip; mesh.boundary_names.len()];
            let conditions = Conditions {
                kinds: &kinds,
                matching: &MatchingPoints::default(),
                interfaces: &Interfaces::default(),
                classes: &[],
            };
            let mut plan = Plan::new(&mesh, &geometry, &conditions, 3, 8, |_| 1, false);
            let padding = plan.ghost_len - 9 * plan.boundary_points();
            let tables = 4 * plan.tables.len();
            let boundary = BoundaryArrays::new(&plan, &geometry, &reference, &kinds);
            let arrays = Arrays::<Host>::new::<f32>(&host, &mut plan, boundary, &geometry, &reference, &physics, false);
            let used = arrays.expect("memory").memory();
            let what = format!("{elements:?}, kahan {kahan}");
            assert_eq!(used.state, estimate.state + 3 * 4 * padding, "{what}");
            assert_eq!(used.traces, estimate.traces, "{what}");
            // Each slot has a kind on a GPU, and each block of 8 cells on the CPU that this test runs on.
            let kinds = plan.slot_len() / 8 * 7;
            assert_eq!(used.connectivity, estimate.connectivity + tables - kinds, "{what}");
            assert_eq!(used.other, estimate.other, "{what}");
            let operators = used.geometry - estimate.geometry;
            assert!(operators < 200_000, "{what}: {operators}");
        }
    }
}

/// What matching points of modelled walls take is estimated to the byte, but for the padding of a state.
#[test]
fn the_estimate_counts_matching_points() {
    let host = Host::new(Some(1)).expect("a thread");
    let mesh = build_box(&a_box(BoxElements::Hex, [8, 6, 8], [true, false, true]), 1).expect("a box");
    let reference = Elements::new(3, Correction::Radau, &mesh.kinds);
    let geometry = Geometry::new(&mesh, &reference).expect("straight cells");
    let kinds = vec![BoundaryKind::WallModel; mesh.boundary_names.len()];
    let physics = Physics {
        wall_models: true,
        ..physics(Some(Viscosity::Constant(0.1)), false)
    };
    let used = |matching: &MatchingPoints| {
        let conditions = Conditions {
            kinds: &kinds,
            matching,
            interfaces: &Interfaces::default(),
            classes: &[],
        };
        let mut plan = Plan::new(&mesh, &geometry, &conditions, 3, 8, |_| 1, false);
        let boundary = BoundaryArrays::new(&plan, &geometry, &reference, &kinds);
        let arrays = Arrays::<Host>::new::<f32>(&host, &mut plan, boundary, &geometry, &reference, &physics, false);
        arrays.expect("memory").memory().total()
    };
    let row = |cell: usize| CellWeights {
        cell,
        weights: (0..1 + cell % 5).map(|point| (point, 0.2)).collect(),
    };
    let matching = MatchingPoints {
        rows: (0..200).map(row).collect(),
        ..MatchingPoints::default()
    };
    // Both have lists with an entry for each boundary point.
    let without = MatchingPoints {
        rows: vec![row(0)],
        ..MatchingPoints::default()
    };
    let grown = used(&matching) - used(&without);
    assert_eq!(grown, matching.bytes(4) - without.bytes(4));
}

/// What bars, sponges, a source and a turbulent inlet take is estimated to the byte where they fill their blocks.
#[test]
fn the_estimate_counts_what_is_allocated_later() {
    let b = BoxMesh {
        warp: 0.0,
        ..a_box(BoxElements::Hex, [8, 6, 8], [true, false, true])
    };
    let mesh = build_box(&b, 1).expect("a box");
    let reference = Elements::new(3, Correction::Radau, &mesh.kinds);
    let geometry = Geometry::new(&mesh, &reference).expect("straight cells");
    let kinds = vec![BoundaryKind::Slip; mesh.boundary_names.len()];
    let conditions = Conditions {
        kinds: &kinds,
        matching: &MatchingPoints::default(),
        interfaces: &Interfaces::default(),
        classes: &[],
    };
    let device = CpuDevice::<f32>::new(&mesh, &geometry, &reference, &physics(None, false), conditions, Some(1));
    let device: &mut dyn Device = &mut device.expect("a device");
    let points = 64 * mesh.len();
    let of = |later: Later, device: &dyn Device| {
        let plan = device.plan();
        let sizes = |later| Sizes {
            plan,
            real: 4,
            viscous: false,
            low_storage: false,
            kahan: false,
            scalars: false,
            sgs: false,
            turbulence: false,
            relaxed: false,
            frames: Frames::None,
            wall_models: false,
            shock: Shock::None,
            names: 0,
            later,
        };
        memory_of(&sizes(later)).total() - memory_of(&sizes(Later::default())).total()
    };
    let list: Vec<f64> = (0..mesh.len())
        .flat_map(|cell| std::iter::once(cell as f64).chain([0.5; 128]))
        .collect();
    let grown = |device: &mut dyn Device, work: &mut dyn FnMut(&mut dyn Device) -> Result<(), DeviceError>| {
        let before = device.memory().total();
        work(device).expect("memory");
        device.memory().total() - before
    };
    let bars = grown(device, &mut |device| device.place_bars(&list));
    let later = Later {
        bar_points: points,
        ..Later::default()
    };
    assert_eq!(
        (bars, bars),
        (of(later, device), 2 * 4 * points + 8 * device.plan().blocks())
    );
    let sponges = grown(device, &mut |device| device.place_sponges(&list));
    let later = Later {
        sponge_points: points,
        ..Later::default()
    };
    assert_eq!(
        (sponges, sponges),
        (of(later, device), (4 + 48) * points + 8 * device.plan().blocks())
    );
    let source = grown(device, &mut |device| device.set_source(&vec![0.0; 5 * points]));
    let later = Later {
        source: true,
        ..Later::default()
    };
    assert_eq!((source, source), (of(later, device), 5 * 4 * points));
    for varies in [false, true] {
        let point = TurbulentPoint {
            number: 0,
            x: [0.0; 3],
            factor: [1.0; 6],
            place: 0.0,
            shift: [0.0; 3],
        };
        let mut inlet = TurbulentInlet {
            points: vec![point; 130],
            ..Default::default()
        };
        // One mode fills a slice of 16.
        inlet.waves = vec![[1.0; 3]];
        inlet.directions = vec![[1.0; 3]];
        (inlet.phases, inlet.frequencies) = (vec![0.0], vec![0.0]);
        inlet.amplitudes = if varies { vec![vec![1.0]; 64] } else { Vec::new() };
        let modes = 16 * (6 * 4 + 2 * 8 + 4 + 4 * inlet.amplitudes.len());
        let used = grown(device, &mut |device| {
            device.diagnostics().plan_turbulence(&inlet).map(drop)
        });
        assert_eq!(used, modes + inlet_bytes(130, varies, device.plan().lanes, 4));
    }
}
