//! Numbers of either precision, and the types of values that arrays of a device hold.

use super::contract::{InterfaceFace, MatchingRow, MortarFace, MortarPart, SampledPoint, Sent, Slot};

/// A floating-point number of the kernels.
pub trait Real: Plain + Into<f64> {
    /// Whether it has 64 bits.
    const DOUBLE: bool;
    /// From double precision, rounded.
    fn from_f64(x: f64) -> Self;
    /// To double precision.
    fn to_f64(self) -> f64;
}

impl Real for f64 {
    const DOUBLE: bool = true;
    fn from_f64(x: f64) -> Self {
        x
    }
    fn to_f64(self) -> f64 {
        self
    }
}

impl Real for f32 {
    const DOUBLE: bool = false;
    fn from_f64(x: f64) -> Self {
        x as f32
    }
    fn to_f64(self) -> f64 {
        f64::from(self)
    }
}

/// A value of an array on a device: its bytes may be copied, and any bytes are a valid value.
///
/// # Safety
///
/// The type consists of numbers only, without padding, and its alignment is at most 64 bytes.
// SAFETY: the section above states what an implementation must keep.
pub unsafe trait Plain: Copy + Default + Send + Sync + 'static {}

macro_rules! plain {
    ($($type:ty),+) => {
        $(
            // SAFETY: a number, or a structure of numbers whose size is the sum of their sizes (asserted here).
            unsafe impl Plain for $type {}
        )+
    };
}
plain!(
    f64,
    f32,
    i64,
    i32,
    u32,
    u8,
    Slot,
    Sent,
    SampledPoint,
    MatchingRow,
    InterfaceFace,
    MortarPart,
    MortarFace
);

const _: () = {
    assert!(size_of::<Slot>() == 2 * (8 + 4 + 4));
    assert!(size_of::<Sent>() == 8 + 8 + 4 + 4);
    assert!(size_of::<SampledPoint>() == 3 * 8);
    assert!(size_of::<MatchingRow>() == 3 * 8 + 2 * 4);
    assert!(size_of::<InterfaceFace>() == 2 * (8 + 4 + 4) + 9 * 8 + 6 * 4);
    assert!(size_of::<MortarPart>() == 4 * (8 + 4 + 4) + 2 * 8 + 4 * 4);
    assert!(size_of::<MortarFace>() == 4 * 4);
};

/// Memory in use by its purpose, in bytes.
#[derive(Debug, Clone, Copy, Default)]
pub struct MemoryUse {
    /// States, accumulator, compensation.
    pub state: usize,
    /// Viscous traces.
    pub traces: usize,
    /// Metric terms and normals.
    pub geometry: usize,
    /// Neighbour slots, tables, boundary data.
    pub connectivity: usize,
    /// All other arrays.
    pub other: usize,
}

impl MemoryUse {
    /// Returns the sum of all parts.
    pub fn total(&self) -> usize {
        self.state + self.traces + self.geometry + self.connectivity + self.other
    }
}
