//! How an inlet carries its turbulence into the domain.

/// How the modes are carried through an inlet.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Convection {
    /// As a frozen pattern without divergence: turbulence of a free stream.
    Frozen,
    /// With one time scale for all modes: turbulence at walls.
    Shur,
}
