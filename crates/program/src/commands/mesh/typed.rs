//! Triples of numbers and periodic pairs on the command line.

use std::str::FromStr;

use crate::mesh::{Extrusion, Motion, PeriodicPair};

/// Largest number of layers of an extruded mesh.
const MOST_LAYERS: usize = 1_000_000;

/// Three values separated by commas.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Triple<T>(pub [T; 3]);

impl<T: FromStr> FromStr for Triple<T> {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        let values: Option<Vec<T>> = text.split(',').map(|word| word.trim().parse().ok()).collect();
        let values = values.and_then(|values| values.try_into().ok());
        values
            .map(Triple)
            .ok_or_else(|| format!("'{text}' is not three numbers separated by commas"))
    }
}

/// Three numbers of cells.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Cells(pub [u32; 3]);

impl FromStr for Cells {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        match text.parse() {
            Ok(Triple(cells)) if !cells.contains(&0) => Ok(Cells(cells)),
            _ => Err(format!(
                "'{text}' is not three whole numbers of at least 1 separated by commas, such as 8,8,4"
            )),
        }
    }
}

/// A periodic pair on the command line.
#[derive(Debug, Clone, PartialEq)]
pub enum Periodic {
    /// Two boundaries and the motion between them.
    Pair(PeriodicPair),
    /// The two ends in z of an extruded mesh.
    Ends,
}

impl FromStr for Periodic {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        let form = || {
            format!(
                "'{text}' is neither of the form A:B:DX,DY,DZ, such as left:right:1,0,0, \
                 nor of the form A:B:DEGREES@PX,PY,PZ/VX,VY,VZ, such as start:end:15@0,0,0/0,0,1"
            )
        };
        if text == "z" {
            return Ok(Periodic::Ends);
        }
        let [first, second, motion] = text.split(':').collect::<Vec<_>>().try_into().map_err(|_| form())?;
        if first == second {
            return Err(format!("'{text}' joins {first} with itself: a pair has two boundaries"));
        }
        let numbers = |text: &str| {
            let values = text.parse::<Triple<f64>>().map_err(|_| form())?;
            Ok::<_, String>(values.0)
        };
        let motion = match motion.split_once('@') {
            None => Motion::Translation(numbers(motion)?),
            Some((angle, axis)) => {
                let (point, axis) = axis.split_once('/').ok_or_else(form)?;
                Motion::Rotation {
                    point: numbers(point)?,
                    axis: numbers(axis)?,
                    angle: angle.trim().parse::<f64>().map_err(|_| form())?.to_radians(),
                }
            }
        };
        Ok(Periodic::Pair(PeriodicPair {
            first: first.to_owned(),
            second: second.to_owned(),
            motion,
        }))
    }
}

/// Names of two boundaries that stay apart, on the command line.
#[derive(Debug, Clone, PartialEq)]
pub struct Apart(pub [String; 2]);

impl FromStr for Apart {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        match text.split(':').collect::<Vec<_>>()[..] {
            [first, second] if !first.is_empty() && !second.is_empty() => {
                Ok(Apart([first.to_owned(), second.to_owned()]))
            }
            _ => Err(format!("'{text}' is not of the form A:B, such as left:right")),
        }
    }
}

/// An extrusion on the command line.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Extrude(pub Extrusion);

impl FromStr for Extrude {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        let form = || format!("'{text}' is not of the form thickness=T,layers=N, such as thickness=0.1,layers=4");
        let (mut thickness, mut layers) = (None, None);
        let mut seen = Vec::new();
        for part in text.split(',') {
            let key = part.split('=').next().unwrap_or_default();
            if seen.contains(&key) {
                return Err(format!("'{text}' gives {key} twice"));
            }
            seen.push(key);
            match part.split_once('=').ok_or_else(form)? {
                ("thickness", value) => thickness = value.parse::<f64>().ok().filter(|t| *t > 0.0 && t.is_finite()),
                ("layers", value) => layers = value.parse::<usize>().ok().filter(|n| (1..=MOST_LAYERS).contains(n)),
                _ => return Err(form()),
            }
        }
        let detail = |key, range| format!("'{text}' has no {key} {range}");
        Ok(Extrude(Extrusion {
            thickness: thickness.ok_or_else(|| detail("thickness", "above 0".to_owned()))?,
            layers: layers.ok_or_else(|| detail("number of layers", format!("from 1 to {MOST_LAYERS}")))?,
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn periodic_pairs_are_read_as_they_are_typed() {
        let pair_of = |text: &str| match text.parse().unwrap() {
            Periodic::Pair(pair) => pair,
            Periodic::Ends => panic!("{text} is a pair"),
        };
        assert_eq!("z".parse(), Ok(Periodic::Ends));
        let pair = pair_of("left:right:6.5, 0,-1e-3");
        assert_eq!((pair.first.as_str(), pair.second.as_str()), ("left", "right"));
        assert_eq!(pair.motion, Motion::Translation([6.5, 0.0, -1e-3]));
        let pair = pair_of("a:b:90@1,2,3/0,0,1");
        let (point, axis) = ([1.0, 2.0, 3.0], [0.0, 0.0, 1.0]);
        let angle = std::f64::consts::FRAC_PI_2;
        assert_eq!(pair.motion, Motion::Rotation { point, axis, angle });
        for wrong in [
            "a:b",
            "a:b:15",
            "a:b:1,2",
            "a:b:1,2,x",
            "a:b:90@0,0,0",
            "a:b:90@0,0/0,0,1",
            "a:b:c:0,0,0",
        ] {
            let error = wrong.parse::<Periodic>().unwrap_err();
            assert!(
                error.contains(wrong) && error.contains("A:B:DEGREES@PX,PY,PZ/VX,VY,VZ"),
                "{error}"
            );
        }
        assert!("a:a:1,0,0".parse::<Periodic>().unwrap_err().contains("a with itself"));
    }

    #[test]
    fn pairs_that_stay_apart_are_two_names() {
        assert_eq!("a:b".parse(), Ok(Apart(["a", "b"].map(str::to_owned))));
        for wrong in ["a", "a:", ":b", "a:b:c"] {
            assert!(wrong.parse::<Apart>().unwrap_err().contains("A:B"), "{wrong}");
        }
    }

    #[test]
    fn extrusions_have_a_thickness_and_layers() {
        let Extrude(by) = "layers=4,thickness=0.1".parse().unwrap();
        assert_eq!((by.thickness, by.layers), (0.1, 4));
        for (wrong, part) in [
            ("0.1,4", "such as thickness=0.1,layers=4"),
            ("thickness=0.1", "no number of layers from 1"),
            ("thickness=-1,layers=2", "no thickness above 0"),
            ("thickness=1,layers=0", "no number of layers from 1"),
            ("thickness=1,layers=2,thickness=2", "gives thickness twice"),
        ] {
            let error = wrong.parse::<Extrude>().unwrap_err();
            assert!(error.contains(wrong) && error.contains(part), "{error}");
        }
    }

    #[test]
    fn numbers_of_cells_are_whole_and_positive() {
        assert_eq!("8, 8,4".parse(), Ok(Cells([8, 8, 4])));
        for wrong in ["-1,1,1", "0,2,2", "1.5,1,1", "4,2", "99999999999,1,1"] {
            assert!(wrong.parse::<Cells>().unwrap_err().contains("at least 1"), "{wrong}");
        }
    }
}
