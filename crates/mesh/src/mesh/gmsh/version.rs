//! The versions of the format of Gmsh that are read.

/// The supported versions of the format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Version {
    /// Version 2.2.
    V2,
    /// Version 4.0.
    V40,
    /// Version 4.1.
    V41,
}

impl Version {
    /// True if tags of nodes and elements have eight bytes in binary data, false if they have four.
    pub fn wide(self) -> bool {
        self == Self::V41
    }
}
