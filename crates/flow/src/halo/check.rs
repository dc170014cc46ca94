//! The self-test of the exchange, which runs before any step. Every rank fills its cells with numbers that encode their
//! position, exchanges them, and verifies the numbers that arrive. Without it a misdirected message, or a transport
//! that does not work as it claims, would show only as a wrong flow.

use thiserror::Error;

use super::exchange::Exchange;
use crate::device::{Buffer, Device, DeviceError, Field, Traces};
use crate::mesh::{FaceKey, Mesh, RemoteFace};

/// Seconds to wait for the data of another GPU. The ranks begin the test together.
const LIMIT: f64 = 20.0;

/// A failure of the self-test.
#[derive(Debug, Error)]
pub enum SelfTestError {
    /// The device failed.
    #[error(transparent)]
    Device(#[from] DeviceError),
    /// No data arrived in time.
    #[error(
        "the exchange between GPUs does not work: data that another GPU was to write here did not arrive \
         within {LIMIT} s"
    )]
    NoData,
    /// A value that arrived is wrong.
    #[error(
        "the exchange between ranks does not work: {wrong} of {all} values from rank {rank} are wrong, the first for \
         face {face} of {cell}: {found} arrived instead of {expected}; is this MPI library the one that the program \
         was built with?"
    )]
    Wrong {
        /// The rank that sent the values.
        rank: usize,
        /// Number of wrong values.
        wrong: usize,
        /// Number of values that the rank sent.
        all: usize,
        /// The cell to which the first wrong value belongs.
        cell: String,
        /// The face of this cell.
        face: usize,
        /// The value that arrived.
        found: f64,
        /// The expected value.
        expected: f64,
    },
}

/// Returns the test value of a variable at a point of a cell: different from all values around it, and exact in single
/// precision.
fn mark(cell: usize, variable: usize, point: usize) -> f64 {
    ((cell * 8191 + variable * 1021 + point) % (1 << 22)) as f64
}

/// Tests the exchange of states, and of viscous traces if the gas is viscous. It overwrites both. Collective.
///
/// # Errors
/// The device fails, no data arrives, or a value that arrives is wrong.
pub fn test_exchange(
    device: &mut dyn Device,
    exchange: &mut Exchange,
    mesh: &Mesh,
    order: usize,
    viscous: bool,
) -> Result<(), SelfTestError> {
    let mut state = Vec::new();
    for (cell, kind) in mesh.kinds.iter().enumerate() {
        let (global, points) = (mesh.global(cell), kind.points(order));
        state.extend((0..5).flat_map(|v| (0..points).map(move |p| mark(global, v, p))));
    }
    device.set_state(&state)?;
    send(device, exchange, Traces::States(Buffer::Start))?;
    let values = device.read(Field::HaloStates)?;
    compare(
        mesh,
        5,
        |f, l, variable| {
            let points = f.there.kind.face_indices(f.there.face, order);
            let point = points[f.there.shape.oriented_point(f.orientation, l, order)];
            let found = values[device.plan().state_offset_in_halo(f.cell, f.face, l, variable)];
            (found, mark(f.there.cell, variable, point))
        },
        order,
    )?;
    if !viscous {
        return Ok(());
    }
    let plan = device.plan();
    let mut traces = vec![0.0; plan.trace_len()];
    for (cell, kind) in mesh.kinds.iter().enumerate() {
        for face in 0..kind.faces().len() {
            let (first, points) = (plan.trace_offset(cell, face), kind.face_points(face, order));
            for (i, point) in (0..4 * points).enumerate() {
                traces[first + i * plan.lanes] = mark(mesh.global(cell), face, point);
            }
        }
    }
    device.write(Field::Traces, &traces)?;
    send(device, exchange, Traces::Viscous)?;
    let values = device.read(Field::HaloTraces)?;
    compare(
        mesh,
        4,
        |f, l, variable| {
            let FaceKey { shape, cell, face, .. } = f.there;
            let point = shape.oriented_point(f.orientation, l, order);
            let found = values[device.plan().trace_offset_in_halo(f.cell, f.face, l, variable)];
            (found, mark(cell, face, variable * shape.points(order) + point))
        },
        order,
    )
}

/// Runs one exchange, with no computation meanwhile.
fn send(device: &mut dyn Device, exchange: &mut Exchange, traces: Traces) -> Result<(), SelfTestError> {
    exchange.start(device, traces)?;
    exchange.finish(device)?;
    if device
        .transport()
        .map_or(Ok(true), |t| t.neighbours_have_written(LIMIT))?
    {
        Ok(())
    } else {
        Err(SelfTestError::NoData)
    }
}

/// Compares so many variables at all face points between ranks. `values` returns the value found and the value
/// expected.
fn compare(
    mesh: &Mesh,
    variables: usize,
    values: impl Fn(&RemoteFace, usize, usize) -> (f64, f64),
    order: usize,
) -> Result<(), SelfTestError> {
    for (rank, faces) in mesh.remote_faces() {
        let mut wrong = 0;
        let mut all = 0;
        let mut first = None;
        for f in &faces {
            for l in 0..f.shape().points(order) {
                for variable in 0..variables {
                    let (found, expected) = values(f, l, variable);
                    all += 1;
                    if found != expected {
                        wrong += 1;
                        first.get_or_insert((f.cell, f.face, found, expected));
                    }
                }
            }
        }
        if let Some((cell, face, found, expected)) = first {
            let cell = mesh.name_of(cell);
            return Err(SelfTestError::Wrong {
                rank,
                wrong,
                all,
                cell,
                face,
                found,
                expected,
            });
        }
    }
    Ok(())
}
