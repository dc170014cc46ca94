//! Mixing planes: how two blocks of cells that move past each other are coupled in a steady solution.
//!
//! The two boundaries of an interface exchange means over the pitch in bands along the span. A band has the points of
//! both sides at one coordinate across the motion, or at one radius where a block turns, so that a mesh that is one
//! cell deep has as many bands as the cell has points. In each band a state is found that balances the mean fluxes of
//! both sides (`balance`). All points of the planes are on all ranks, in the order of their global numbers, and each
//! rank finds the states by itself: no partition changes a bit, and nothing has to be kept for a restart. A point takes
//! 88 bytes on each rank, and 240 more while it is balanced. `bands` finds the planes of a case, `plane` has what is
//! known of one and of its frames, `span` its directions, and `exchange` reads and writes what a machine holds.

mod balance;
mod bands;
mod exchange;
mod plane;
mod span;

pub use bands::find;
pub use exchange::{Agreement, Annulus, OnMachine};
pub use plane::{BandPoints, MixingPlane, motions};
