//! A trial of the exchange before anything depends on it: every rank fills its cells with numbers that say where they belong, and looks
//! whether those that come from others belong there. A message that goes astray, or a transport that does not do what it
//! promises, would otherwise only show as a wrong flow.

use thiserror::Error;

use super::Exchange;
use crate::device::{Buffer, Device, DeviceError, Traces};
use crate::mesh::Mesh;

/// Why the exchange cannot be trusted.
#[derive(Debug, Error)]
pub enum TrialError {
    /// The device failed.
    #[error(transparent)]
    Device(#[from] DeviceError),
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

/// Tries the exchange; it overwrites the state. Collective.
pub fn try_exchange(
    device: &mut dyn Device,
    exchange: &mut Exchange,
    mesh: &Mesh,
    order: usize,
) -> Result<(), TrialError> {
    let mut state = Vec::new();
    for (cell, kind) in mesh.kinds.iter().enumerate() {
        let (global, points) = (mesh.global(cell), kind.points(order));
        state.extend((0..5).flat_map(|v| (0..points).map(move |p| mark(global, v, p))));
    }
    device.set_state(&state)?;
    let traces = Traces::States(Buffer::Start);
    exchange.start(device, traces)?;
    exchange.finish(device)?;
    let values = device.halo_states()?;
    for (rank, faces) in mesh.remote_faces() {
        let (mut wrong, mut all, mut first) = (0, 0, None);
        for f in &faces {
            let (kind, shape, there, back) = f.there;
            let points = kind.face_indices(back, order);
            for l in 0..points.len() {
                let point = points[shape.oriented_point(f.orientation, l, order)];
                for variable in 0..5 {
                    let found = values[device.plan().place_in_halo(f.cell, f.face, l, variable)];
                    let expected = mark(there, variable, point);
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
