//! The settings of the solver: mesh, scheme, physics and device.

use std::collections::BTreeMap;

use super::fingerprint::fingerprint;
use crate::device::{Arithmetic, DeviceKind, Frames, Precision, Scheme};
use crate::element::PerKind;
use crate::halo::ExchangeSettings;
use crate::input::FieldTable;
use crate::mesh::MeshSource;
use crate::physics::{
    BarRow, Boundary, Course, Forcing, Gas, Initial, InterfaceSide, RotatingFrame, Scalar, Sgs, Sponge, WallLaw,
};
use crate::runge_kutta::TimeScheme;
use crate::vector::Vector;

/// What the two sides of an interface are to each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InterfaceUse {
    /// Their faces slide past each other, and share the fluxes where they meet.
    Slide,
    /// They know the motion of the blocks alone, and nothing passes from face to face: a steady solution has a mixing
    /// plane there.
    Mix,
}

/// The settings of a solver. Units are SI or any consistent set.
#[derive(Debug, Clone)]
pub struct Settings {
    /// The mesh; the path of a file is as the working directory sees it.
    pub mesh: MeshSource,
    /// Polynomial degree p, 1 to 8.
    pub order: usize,
    /// Spatial scheme.
    pub scheme: Scheme,
    /// Time integrator.
    pub time_scheme: TimeScheme,
    /// Whether the Runge-Kutta update is compensated (Kahan).
    pub kahan: bool,
    /// Precision of the state and of all kernels.
    pub precision: Precision,
    /// Strict (IEEE) or fast arithmetic.
    pub arithmetic: Arithmetic,
    /// Kind of device.
    pub device: DeviceKind,
    /// Number of CPU threads; `None` takes all cores.
    pub threads: Option<usize>,
    /// How ranks exchange traces.
    pub exchange: ExchangeSettings,
    /// Whether a GPU replays recorded time steps.
    pub graph: bool,
    /// The gas.
    pub gas: Gas,
    /// Sub-grid model.
    pub sgs: Option<Sgs>,
    /// The initial state.
    pub initial: Initial,
    /// Boundary conditions by the name of the boundary.
    pub boundaries: BTreeMap<String, Boundary>,
    /// What the sides of interfaces are to each other.
    pub interfaces: InterfaceUse,
    /// Volume sources.
    pub forcing: Forcing,
    /// Rows of bars, in the order of their names.
    pub bars: Vec<BarRow>,
    /// Sponges, in the order of their names.
    pub sponges: Vec<Sponge>,
    /// Passive scalars, in the order of their names.
    pub scalars: Vec<Scalar>,
    /// The rotating frame in which the mesh is at rest; `None` if that frame does not rotate.
    pub frame: Option<RotatingFrame>,
    /// The tables among the fields of the case, by the key of the field.
    pub tables: BTreeMap<String, FieldTable>,
    /// Doubles that outputs keep on the device per cell, by kind of cell.
    pub output_doubles_per_cell: PerKind<usize>,
}

impl Settings {
    /// Returns the bytes of a number on the device.
    pub fn real_bytes(&self) -> usize {
        match self.precision {
            Precision::Double => 8,
            Precision::Single => 4,
        }
    }

    /// Returns whether an inlet is turbulent.
    pub fn turbulent(&self) -> bool {
        self.boundaries.values().any(|boundary| boundary.turbulence().is_some())
    }

    /// Returns the laws of the modelled walls.
    pub fn wall_models(&self) -> impl Iterator<Item = WallLaw> {
        self.boundaries
            .values()
            .filter_map(|boundary| boundary.matching().map(|(_, law)| law))
    }

    /// Returns the names of the boundaries that are sides of interfaces. Their cells are on one rank.
    pub fn sides_of_interfaces(&self) -> Vec<String> {
        let sides = self.boundaries.iter();
        let sides = sides.filter(|(_, boundary)| boundary.interface().is_some());
        sides.map(|(name, _)| name.clone()).collect()
    }

    /// Returns the direction (0, 1, 2) of the axis about which blocks of cells turn past each other, if they do.
    pub fn turning_about(&self) -> Option<usize> {
        let mut sides = self.boundaries.values().filter_map(Boundary::interface);
        let moves = |side: &InterfaceSide| side.speed != 0.0 && self.interfaces == InterfaceUse::Slide;
        sides.find_map(|side| match side.course {
            Course::Around { axis, .. } if moves(side) => Some(axis),
            _ => None,
        })
    }

    /// Returns the frames of the cells, and the angular velocity of the frame, or the unit vector along the axis of
    /// several.
    pub fn frames(&self) -> (Frames, Vector) {
        match (self.frame, self.turning_about()) {
            (Some(frame), _) => (Frames::One, frame.angular_velocity),
            (None, Some(axis)) => (Frames::Several, std::array::from_fn(|d| f64::from(u8::from(d == axis)))),
            (None, None) => (Frames::None, [0.0; 3]),
        }
    }

    /// Returns whether the length of the turbulence of an inlet varies.
    pub fn turbulence_varies(&self) -> bool {
        let varies = |boundary: &Boundary| boundary.turbulence().is_some_and(|inflow| inflow.turbulence.varies());
        self.boundaries.values().any(varies)
    }

    /// Returns the settings that determine the flow: the key of the case, and a text that changes with the settings.
    pub fn fingerprints(&self) -> Vec<(String, String)> {
        let flow = [
            ("gas", fingerprint(&self.gas)),
            ("sgs", fingerprint(&self.sgs)),
            ("forcing", fingerprint(&self.forcing)),
            ("bars", fingerprint(&self.bars)),
            ("sponges", fingerprint(&self.sponges)),
            ("scalars", fingerprint(&self.scalars)),
            ("rotating-frame", fingerprint(&self.frame)),
        ];
        let flow = flow.map(|(key, text)| (key.to_owned(), text)).into_iter();
        let boundaries = self.boundaries.iter();
        flow.chain(boundaries.map(|(name, boundary)| (format!("boundaries.{name}"), fingerprint(boundary))))
            .collect()
    }
}
