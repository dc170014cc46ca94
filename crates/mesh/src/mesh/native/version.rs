//! The name and the version of the native format.

/// The newest version of the format, which files with divided faces have. All versions up to it are read.
pub const VERSION: u32 = 2;

/// The version of files without divided faces, so that older programs read them, too.
pub const WITHOUT_MORTARS: u32 = 1;

/// The value of the attribute `format`.
pub const FORMAT: &str = "fr-les mesh";
