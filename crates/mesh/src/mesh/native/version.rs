//! The name and the version of the native format.

/// The version of the format that is written, and the newest one that is read.
pub const VERSION: u32 = 1;

/// The value of the attribute `format`.
pub const FORMAT: &str = "fr-les mesh";
