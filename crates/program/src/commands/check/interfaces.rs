//! The interfaces between blocks of cells: how fast they move past each other, and how long a passage takes.

use serde::Serialize;

use crate::io::Quantity;
use crate::solver::{Motion, Solver};

/// An interface.
#[derive(Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(super) struct InterfaceFacts {
    /// The boundaries of the first and of the second side.
    boundaries: [String; 2],
    /// Speed, or angular speed, of the cells of the second side seen from those of the first.
    speed: Quantity,
    /// Length, or angle, of the rows of faces.
    length: Quantity,
    /// The time in which the sides move past each other by this length; none at rest.
    passing: Option<Quantity>,
    #[serde(skip)]
    words: String,
}

impl InterfaceFacts {
    fn new(motion: &Motion) -> Self {
        let [speed, length] = match motion.axis() {
            None => ["m/s", "m"],
            Some(_) => ["rad/s", "rad"],
        };
        InterfaceFacts {
            boundaries: motion.names.clone(),
            speed: Quantity::new(motion.speed, speed),
            length: Quantity::new(motion.period, length),
            passing: motion.passing().map(|time| Quantity::new(time, "s")),
            words: motion.words(),
        }
    }

    /// Returns these facts in words.
    pub(super) fn words(&self) -> &str {
        &self.words
    }
}

/// Returns the interfaces of a solver, which the set-up has logged.
pub(super) fn of(solver: &Solver) -> Vec<InterfaceFacts> {
    solver.motions.0.iter().map(InterfaceFacts::new).collect()
}
