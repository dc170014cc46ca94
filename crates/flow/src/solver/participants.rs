//! The list of what may take part in a run. A new one is a file beside these with an implementation of
//! [`Participant`](super::participant::Participant), and a line here.

use super::SetupError;
use super::bars::AllBars;
use super::boundary_data::BoundaryData;
use super::inlets::Inlets;
use super::mass_flow::MassFlow;
use super::outlet_hold::HeldOutlets;
use super::participant::{Case, Participants};
use super::relaxed::RelaxedValues;
use super::rotation::FrameVelocity;
use super::source::Source;
use super::sponges::AllSponges;

/// Returns the participants of a case. Their order is that of every verb: boundary values and the frame come before the
/// relaxed values, which begin with both, and these before the outlets, which note them. Collective.
///
/// # Errors
/// One of them does not go with the mesh.
pub fn of_case(case: &Case) -> Result<Participants, SetupError> {
    let mut all = Participants::default();
    all.add(BoundaryData::of_case(case));
    all.add(FrameVelocity::of_case(case)?);
    all.add(RelaxedValues::of_case(case));
    all.add(Source::of_case(case)?);
    all.add(Inlets::of_case(case));
    all.add(AllBars::of_case(case)?);
    all.add(MassFlow::of_case(case));
    all.add(HeldOutlets::of_case(case));
    all.add(AllSponges::of_case(case)?);
    Ok(all)
}
