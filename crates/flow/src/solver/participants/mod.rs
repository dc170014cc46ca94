//! What may take part in a run: what moves, what is held, and what the host writes to the device. Each has a file here.
//!
//! A new one is a file with an implementation of [`Participant`](super::participant::Participant), its name among the
//! modules, and its line in [`of_case`].

mod bar_circles;
mod bar_track;
pub mod bars;
mod boundary_data;
mod inlet_periods;
mod inlet_surface;
pub mod inlets;
mod interfaces;
pub mod mass_flow;
mod outlet_hold;
pub mod relaxed;
pub mod rotation;
pub mod scalars;
pub mod source;
pub mod sponge_size;
pub mod sponges;

use super::SetupError;
use super::participant::{Case, Participants};

/// Returns the participants of a case. Their order is that of every verb: interfaces come before all that looks at
/// ghosts, boundary values and the frame before the relaxed values, which begin with both, and these before the
/// outlets, which note them. Collective.
///
/// # Errors
/// One of them does not go with the mesh.
pub fn of_case(case: &Case) -> Result<Participants, SetupError> {
    let mut all = Participants::default();
    all.add(interfaces::MovingInterfaces::of_case(case));
    all.add(boundary_data::BoundaryData::of_case(case));
    all.add(rotation::FrameVelocity::of_case(case)?);
    all.add(relaxed::RelaxedValues::of_case(case));
    all.add(source::Source::of_case(case)?);
    all.add(inlets::Inlets::of_case(case));
    all.add(bars::AllBars::of_case(case)?);
    all.add(mass_flow::MassFlow::of_case(case));
    all.add(outlet_hold::HeldOutlets::of_case(case));
    all.add(sponges::AllSponges::of_case(case)?);
    all.add(scalars::PassiveScalars::of_case(case)?);
    Ok(all)
}
