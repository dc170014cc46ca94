//! A trial of the exchange before anything depends on it: every rank fills its cells with numbers that say where they belong, and looks
//! whether those that come from others belong there. A message that goes astray, or a transport that does not do what it
//! promises, would otherwise only show as a wrong flow.

use thiserror::Error;

use super::Exchange;
use crate::device::{Buffer, Device, DeviceError, Field, Traces};
use crate::mesh::{Mesh, RemoteFace};

/// Seconds after which nothing is expected from another GPU any more; the ranks begin the trial together.
const LIMIT: f64 = 20.0;

/// Why the exchange cannot be trusted.
#[derive(Debug, Error)]
pub enum TrialError {
    /// The device failed.
    #[error(transparent)]
    Device(#[from] DeviceError),
    /// Nothing came.
    #[error(
        "the exchange between GPUs does not work: what another one was to write here did not come within {LIMIT} s"
    )]
    Nothing,
    /// A wrong value came.
    #[error(
        "the exchange between ranks does not work: {wrong} of {all} values from rank {rank} are wrong, the first for face {face} of \
         {cell}: {found} came instead of {expected}; is this MPI library the one that the program was built with?"
    )]
    Wrong {
        /// From which rank.
        rank: usize,
        /// How many of its values are wrong.
        wrong: usize,
        /// How many values it sent.
        all: usize,
        /// The cell that should have found the first of them.
        cell: String,
        /// Its face.
        face: usize,
        /// What came.
        found: f64,
        /// What should have come.
        expected: f64,
    },
}

/// What a variable at a point of a cell is set to: different from all around it, and exact in single precision.
fn mark(cell: usize, variable: usize, point: usize) -> f64 {
    ((cell * 8191 + variable * 1021 + point) % (1 << 22)) as f64
}

/// Tries the exchange of states, and of viscous traces where there are any; it overwrites both. Collective.
pub fn try_exchange(
    device: &mut dyn Device,
    exchange: &mut Exchange,
    mesh: &Mesh,
    order: usize,
    viscous: bool,
) -> Result<(), TrialError> {
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
            let (kind, shape, there, back) = f.there;
            let points = kind.face_indices(back, order);
            let point = points[shape.oriented_point(f.orientation, l, order)];
            let found = values[device.plan().place_in_halo(f.cell, f.face, l, variable)];
            (found, mark(there, variable, point))
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
            let (_, shape, there, back) = f.there;
            let point = shape.oriented_point(f.orientation, l, order);
            let found = values[device.plan().trace_in_halo(f.cell, f.face, l, variable)];
            (found, mark(there, back, variable * shape.points(order) + point))
        },
        order,
    )
}

/// One exchange, with nothing to compute meanwhile.
fn send(device: &mut dyn Device, exchange: &mut Exchange, traces: Traces) -> Result<(), TrialError> {
    exchange.start(device, traces)?;
    exchange.finish(device)?;
    if device.transport().map_or(Ok(true), |t| t.peers_have_written(LIMIT))? {
        Ok(())
    } else {
        Err(TrialError::Nothing)
    }
}

/// Looks at so many variables of all face points between ranks: `values` gives what was found and what was expected.
fn compare(
    mesh: &Mesh,
    variables: usize,
    values: impl Fn(&RemoteFace, usize, usize) -> (f64, f64),
    order: usize,
) -> Result<(), TrialError> {
    for (rank, faces) in mesh.remote_faces() {
        let (mut wrong, mut all, mut first) = (0, 0, None);
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
            return Err(TrialError::Wrong {
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
