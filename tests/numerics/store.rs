//! A store without the solver: arrays, transfers, launches over ranges and repeated work with a kernel of one's own, as
//! another solver on the same machines would use them.

use fr_les::device::cpu::{Host, KernelFunction};
use fr_les::device::store::{Memory, Store};
use fr_les::device::{Cells, DeviceError};

const LEN: usize = 1000;
/// First item of the frontier; not a multiple of the threads of a block.
const FRONTIER: usize = 700;
/// Items of one of the launches that may run concurrently. There are more of these than queues of a GPU.
const PIECE: usize = 37;

/// What the kernel takes: y = a y + x for the items from `begin` to `end`.
#[repr(C)]
struct Params {
    y: *mut f64,
    x: *const f64,
    a: *const f64,
    begin: i64,
    end: i64,
}

// SAFETY: `params` must lead to Params whose arrays hold the items from `begin` to `end`.
unsafe extern "C" fn scale_and_add(params: *const std::ffi::c_void, begin: i64, end: i64) {
    // SAFETY: as the caller says.
    let p = unsafe { &*params.cast::<Params>() };
    for i in begin as usize..end as usize {
        // SAFETY: as the caller says.
        unsafe { *p.y.add(i) = (*p.a).mul_add(*p.y.add(i), *p.x.add(i)) };
    }
}

/// The same for a GPU.
const PTX: &str = "
.version 7.0
.target sm_70
.address_size 64
.visible .entry scale_and_add(.param .align 8 .b8 params[40]) {
    .reg .pred %beyond;
    .reg .b32 %r<4>;
    .reg .b64 %d<11>;
    .reg .f64 %f<5>;
    ld.param.u64 %d1, [params];
    ld.param.u64 %d2, [params+8];
    ld.param.u64 %d3, [params+16];
    ld.param.u64 %d4, [params+24];
    ld.param.u64 %d5, [params+32];
    mov.u32 %r1, %ctaid.x;
    mov.u32 %r2, %ntid.x;
    mov.u32 %r3, %tid.x;
    mul.wide.u32 %d6, %r1, %r2;
    cvt.u64.u32 %d7, %r3;
    add.s64 %d6, %d6, %d7;
    add.s64 %d6, %d6, %d4;
    setp.ge.s64 %beyond, %d6, %d5;
    @%beyond bra done;
    shl.b64 %d8, %d6, 3;
    add.s64 %d9, %d1, %d8;
    add.s64 %d10, %d2, %d8;
    ld.global.f64 %f1, [%d9];
    ld.global.f64 %f2, [%d10];
    ld.global.f64 %f3, [%d3];
    fma.rn.f64 %f4, %f3, %f1, %f2;
    st.global.f64 [%d9], %f4;
done:
    ret;
}
";

/// Repeats y = a y + x over two ranges, twice over the first, with another a each time, and compares with the same on
/// the host. The launches over the pieces of a range may run concurrently; those that follow need their results.
fn repeats_launches_over_ranges<S: Store>(store: &S, kernel: &S::Kernel) -> Result<(), DeviceError> {
    let bytes = LEN * size_of::<f64>();
    let [mut x, mut y, mut copy] = [store.zeros(bytes)?, store.zeros(bytes)?, store.zeros(bytes)?];
    let mut a = store.zeros(size_of::<f64>())?;
    assert!(
        store.read::<f64>(&y, 0..LEN)?.iter().all(|&y| y == 0.0),
        "new arrays are zero"
    );
    let values: Vec<f64> = (0..LEN).map(|i| (i as f64).sin()).collect();
    store.write(&mut x, &values)?;
    store.fill::<f64>(&mut y, LEN, |y| (0..LEN).for_each(|i| y[i] = (i as f64).cos()))?;
    let mut expected: Vec<f64> = (0..LEN).map(|i| (i as f64).cos()).collect();

    let addresses = (y.pointer(), x.pointer(), a.pointer());
    let launch = |part: Cells, range: std::ops::Range<usize>| {
        let pieces: Vec<_> = (range.start..range.end)
            .step_by(PIECE)
            .map(|begin| begin..range.end.min(begin + PIECE))
            .collect();
        store.submit(part, "scale and add", |queue| {
            store.concurrently(queue, pieces.len(), |queue, number| {
                let piece = pieces[number].clone();
                let params = Params {
                    y: addresses.0,
                    x: addresses.1,
                    a: addresses.2,
                    begin: piece.start as i64,
                    end: piece.end as i64,
                };
                // SAFETY: the arrays hold LEN items, and an item reads and writes only its own values.
                unsafe { store.launch(queue, kernel, piece, &params) }
            })
        })
    };
    let mut recording = None;
    for factor in [0.5, -1.25, 3.0] {
        store.set(&mut a, &[factor])?;
        store.repeat(&mut recording, &mut || {
            launch(Cells::Interior, 0..FRONTIER)?;
            launch(Cells::Interior, 0..FRONTIER)?;
            launch(Cells::Frontier, FRONTIER..LEN)
        })?;
        for range in [0..FRONTIER, 0..LEN] {
            range.for_each(|i| expected[i] = f64::mul_add(factor, expected[i], values[i]));
        }
    }
    assert_eq!(store.read::<f64>(&y, 0..LEN)?, expected);
    assert_eq!(*store.read::<f64>(&y, 690..710)?, expected[690..710]);

    store.copy(&y, &mut copy)?;
    store.clear(&mut y)?;
    assert_eq!(store.read::<f64>(&copy, 0..LEN)?, expected);
    assert!(store.read::<f64>(&y, 0..LEN)?.iter().all(|&y| y == 0.0));

    let seconds = store.seconds(&mut || launch(Cells::All, 0..LEN))?;
    assert!((0.0..60.0).contains(&seconds), "{seconds}");
    assert_eq!(store.read::<f64>(&y, 0..LEN)?, values, "0 a + x");
    let empty = store.zeros(0)?;
    assert!(empty.pointer::<f64>().is_null() && empty.bytes() == 0);
    launch(Cells::All, 5..5)?;
    store.synchronize()
}

#[test]
fn the_cpu_runs_a_kernel_of_another_solver() {
    for threads in [1, 3] {
        let host = Host::new(Some(threads)).expect("threads");
        let kernel: KernelFunction = scale_and_add;
        repeats_launches_over_ranges(&host, &kernel).expect("launches");
    }
}

mod gpu {
    use super::{PTX, repeats_launches_over_ranges};
    use fr_les::device::cuda::{Gpu, GpuStore};

    #[test]
    #[ignore = "needs an NVIDIA GPU"]
    fn a_gpu_runs_a_kernel_of_another_solver_recorded_or_not() {
        for record in [false, true] {
            let store = GpuStore::new(Gpu::open(0).expect("a GPU"), record).expect("queues");
            let kernel = store
                .kernel(PTX.as_bytes(), "scale_and_add", 128, 128, 0)
                .expect("a kernel");
            repeats_launches_over_ranges(&store, &kernel).expect("launches");
        }
    }
}
