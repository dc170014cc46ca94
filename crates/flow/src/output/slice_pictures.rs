//! Pictures of slices that a run writes beside the files: what is drawn, and of which part of the plane. The drawing
//! itself is handed down by the program, since figures are made from files above this crate.

use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::input::{Number, Problem, Scope, keys};
use crate::physics::Gas;
use crate::vector::{dot, length};

/// A quantity of a picture.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Pictured {
    /// Mach number.
    Mach,
    /// Entropy over c_p, above that of the least.
    Entropy,
    /// Q, above zero where rotation outweighs strain.
    QCriterion,
    /// Magnitude of the velocity.
    Speed,
    /// Density.
    Density,
    /// Pressure.
    Pressure,
    /// Temperature.
    Temperature,
}

impl Pictured {
    /// All quantities.
    pub const ALL: [Pictured; 7] = [
        Pictured::Mach,
        Pictured::Entropy,
        Pictured::QCriterion,
        Pictured::Speed,
        Pictured::Density,
        Pictured::Pressure,
        Pictured::Temperature,
    ];

    /// Returns the name in cases, on the command line and in names of files.
    pub fn name(self) -> &'static str {
        match self {
            Pictured::Mach => "mach",
            Pictured::Entropy => "entropy",
            Pictured::QCriterion => "q-criterion",
            Pictured::Speed => "speed",
            Pictured::Density => "density",
            Pictured::Pressure => "pressure",
            Pictured::Temperature => "temperature",
        }
    }
}

/// The part of a plane that a picture shows.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct View {
    /// Left and right end, lower and upper end, in the axes of the picture; the whole slice without it.
    pub window: Option<[f64; 4]>,
    /// Translation, in the plane, at which copies of the slice stand; none without it.
    pub repeat: Option<[f64; 3]>,
}

impl View {
    /// Checks a window.
    ///
    /// # Errors
    /// The left end is not below the right one, or the lower end is not below the upper one.
    pub fn check_window([left, right, lower, upper]: [f64; 4]) -> Result<(), String> {
        if left < right && lower < upper {
            return Ok(());
        }
        Err(format!(
            "a window has a left end below the right one and a lower end below the upper one, in this order; these are \
             {left}, {right}, {lower} and {upper}"
        ))
    }

    /// Checks a translation in a plane with this unit normal.
    ///
    /// # Errors
    /// The translation is zero, or it leaves the plane.
    pub fn check_repeat(repeat: [f64; 3], normal: [f64; 3]) -> Result<(), String> {
        let size = length(repeat);
        if size > 0.0 && dot(repeat, normal).abs() <= 1e-6 * size {
            return Ok(());
        }
        let [x, y, z] = repeat;
        Err(format!(
            "copies stand in the plane of the slice: the translation {x}, {y}, {z} is zero or leaves it"
        ))
    }
}

/// The pictures of a slice.
#[derive(Debug, Clone, PartialEq)]
pub struct SlicePictures {
    /// The quantities, a file each.
    pub of: Vec<Pictured>,
    /// The part of the plane.
    pub view: View,
}

/// Draws pictures of a file of a slice beside it, and returns their paths. A message says why one cannot be drawn.
pub type DrawSlice = fn(&Path, &SlicePictures, &Gas) -> Result<Vec<PathBuf>, String>;

keys! {
/// Pictures of a slice.
PictureKeys as "a mapping with keys such as `of`, `window` and `repeat`; `{}` takes their defaults" {
    /// What is drawn: a list; each has a file of its own.
    #[serde(default = "mach")]
    pub of: Vec<Pictured>,
    /// The part that is drawn, in the axes of the picture: left end, right end, lower end, upper end (length). The
    /// whole slice is drawn without it. The horizontal axis is x, or y in a plane across x; the vertical one is y, or z
    /// in planes across x or y.
    pub window: Option<[Number; 4]>,
    /// Translation in the plane at which the flow repeats (length), such as the pitch of a cascade: copies of the slice
    /// are drawn there, one to each side, or as many as a window has room for.
    pub repeat: Option<[Number; 3]>,
}}

fn mach() -> Vec<Pictured> {
    vec![Pictured::Mach]
}

impl PictureKeys {
    /// Evaluates and checks the keys, of a plane with this unit normal.
    ///
    /// # Errors
    /// A value cannot be evaluated or is not valid.
    pub fn resolve(&self, scope: &Scope, key: &str, normal: [f64; 3]) -> Result<SlicePictures, Problem> {
        if self.of.is_empty() {
            return Err(Problem::new("the list is empty: name what is drawn, such as mach").key(format!("{key}.of")));
        }
        let ends = |window: &[Number; 4]| -> Result<[f64; 4], Problem> {
            let mut ends = [0.0; 4];
            for (d, number) in window.iter().enumerate() {
                ends[d] = scope.number(&format!("{key}.window[{d}]"), number)?;
            }
            View::check_window(ends).map_err(|what| Problem::new(what).key(format!("{key}.window")))?;
            Ok(ends)
        };
        let translation = |repeat: &[Number; 3]| -> Result<[f64; 3], Problem> {
            let by = scope.numbers(&format!("{key}.repeat"), repeat)?;
            View::check_repeat(by, normal).map_err(|what| Problem::new(what).key(format!("{key}.repeat")))?;
            Ok(by)
        };
        Ok(SlicePictures {
            of: self.of.clone(),
            view: View {
                window: self.window.as_ref().map(ends).transpose()?,
                repeat: self.repeat.as_ref().map(translation).transpose()?,
            },
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_names_are_those_of_the_case() {
        for quantity in Pictured::ALL {
            assert_eq!(serde_json::json!(quantity), quantity.name());
        }
    }

    #[test]
    fn windows_and_translations_are_checked() {
        assert!(View::check_window([0.0, 1.0, -1.0, 1.0]).is_ok());
        assert!(View::check_window([0.0, 1.0, 1.0, 1.0]).is_err());
        assert!(View::check_window([0.0, f64::NAN, 0.0, 1.0]).is_err());
        let z = [0.0, 0.0, 1.0];
        assert!(View::check_repeat([0.1, 0.9, 0.0], z).is_ok());
        assert!(View::check_repeat([0.0, 0.9, 0.1], z).is_err());
        assert!(View::check_repeat([0.0; 3], z).is_err());
    }
}
