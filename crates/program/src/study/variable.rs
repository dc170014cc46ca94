//! The variables of a study: what each may be, and what it sets in the case.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::input::{Expression, Problem, Scope, is_name};

use super::keys::VariableKeys;

/// A value of a variable.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Choice {
    /// A number.
    Number(f64),
    /// A word, or an expression of the case.
    Word(String),
}

impl fmt::Display for Choice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Choice::Number(value) => write!(f, "{value}"),
            Choice::Word(word) => f.write_str(word),
        }
    }
}

/// What a variable may be.
#[derive(Debug, Clone, PartialEq)]
pub enum Domain {
    /// All numbers from the first to the second.
    Range(f64, f64),
    /// One of these.
    Values(Vec<Choice>),
}

/// A part of a blade.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BladePart {
    /// The angle of the camber line, of which a value is a difference in degrees.
    Camber,
    /// The thickness, of which a value is a factor.
    Thickness,
}

impl fmt::Display for BladePart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            BladePart::Camber => "camber",
            BladePart::Thickness => "thickness",
        })
    }
}

/// What a variable sets.
#[derive(Debug, Clone, PartialEq)]
pub enum Target {
    /// A key of the case.
    Case(String),
    /// A number of the script of Gmsh.
    Gmsh(String),
    /// A control value of the blade.
    Blade(BladePart, usize),
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Target::Case(key) => f.write_str(key),
            Target::Gmsh(name) => write!(f, "{name} of the mesh"),
            Target::Blade(part, at) => write!(f, "{part}.{at} of the blade"),
        }
    }
}

/// A variable.
#[derive(Debug, Clone, PartialEq)]
pub struct Variable {
    /// Name.
    pub name: String,
    /// What it may be.
    pub domain: Domain,
    /// What it sets.
    pub target: Target,
    /// The value of the baseline.
    pub base: Option<Choice>,
}

impl fmt::Display for Variable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} sets {}: {}", self.name, self.target, self.describe())
    }
}

impl Variable {
    /// Evaluates and checks the keys of a variable.
    ///
    /// # Errors
    /// A value is wrong, or there is not exactly one of `range` and `values`.
    pub(super) fn resolve(name: &str, keys: &VariableKeys, scope: &Scope) -> Result<Self, Problem> {
        let key = format!("variables.{name}");
        if !is_name(name) {
            let problem = Problem::new(format!("`{name}` cannot be the name of a variable")).key(key);
            return Err(problem.help("the name heads a column of a table: at most 100 letters, digits, `_` and `-`"));
        }
        let domain = match (&keys.range, &keys.values) {
            (Some(range), None) => {
                let key = format!("{key}.range");
                let [low, high] = [0, 1].map(|i| scope.number(&key, &range[i]));
                let (low, high) = (low?, high?);
                if low >= high {
                    let what = format!("the range from {low} to {high} is empty");
                    return Err(Problem::new(what).key(key).help("the lower bound comes first"));
                }
                Domain::Range(low, high)
            }
            (None, Some(values)) => Domain::Values(choices(&key, values.iter().map(|value| &value.0))?),
            (given, _) => {
                let problem = match given {
                    Some(_) => "`range` and `values` exclude each other",
                    None => "one of the keys `range` and `values` is missing",
                };
                return Err(Problem::new(problem).key(key));
            }
        };
        let target = target(&key, keys)?;
        let of_mesh = !matches!(target, Target::Case(_));
        if let (true, Domain::Values(values)) = (of_mesh, &domain)
            && let Some(Choice::Word(word)) = values.iter().find(|choice| matches!(choice, Choice::Word(_)))
        {
            let problem = Problem::new(format!("`{word}` is no number, as geometry needs"));
            return Err(problem.key(format!("{key}.values")));
        }
        let base = match (&keys.base, &target) {
            (Some(base), _) => choices(&key, [&base.0].into_iter())?.pop(),
            (None, Target::Blade(BladePart::Camber, _)) => Some(Choice::Number(0.0)),
            (None, Target::Blade(BladePart::Thickness, _)) => Some(Choice::Number(1.0)),
            (None, _) => None,
        };
        Ok(Variable {
            name: name.to_owned(),
            domain,
            target,
            base,
        })
    }

    /// Returns the value at a place from 0 to 1 of the domain.
    pub fn at(&self, place: f64) -> Choice {
        match &self.domain {
            Domain::Range(low, high) => Choice::Number((low + place * (high - low)).clamp(*low, *high)),
            Domain::Values(values) => {
                let index = (place * values.len() as f64) as usize;
                values[index.min(values.len() - 1)].clone()
            }
        }
    }

    /// Returns the values of a factorial with so many levels of each range.
    pub fn levels(&self, levels: usize) -> Vec<Choice> {
        match &self.domain {
            Domain::Range(..) => (0..levels).map(|i| self.at(i as f64 / (levels - 1) as f64)).collect(),
            Domain::Values(values) => values.clone(),
        }
    }

    /// Returns the value that a text of a table denotes, if the variable may have it.
    pub fn read(&self, text: &str) -> Option<Choice> {
        let number: Option<f64> = text.parse().ok();
        match &self.domain {
            Domain::Range(low, high) => number.filter(|x| (low..=high).contains(&x)).map(Choice::Number),
            Domain::Values(values) => {
                let same = |choice: &&Choice| match choice {
                    Choice::Number(value) => number == Some(*value),
                    Choice::Word(word) => word == text,
                };
                values.iter().find(same).cloned()
            }
        }
    }

    /// Returns the domain in words.
    pub fn describe(&self) -> String {
        match &self.domain {
            Domain::Range(low, high) => format!("{low} to {high}"),
            Domain::Values(values) => values.iter().map(Choice::to_string).collect::<Vec<_>>().join(", "),
        }
    }

    /// Returns the place from 0 to 1 of a value, the middle of its part if the values are a list; none if the variable
    /// cannot have it.
    pub fn place(&self, choice: &Choice) -> Option<f64> {
        match (&self.domain, choice) {
            (Domain::Range(low, high), Choice::Number(value)) => Some((value - low) / (high - low)),
            (Domain::Range(..), Choice::Word(_)) => None,
            (Domain::Values(values), choice) => {
                let at = values.iter().position(|value| value == choice)?;
                Some((at as f64 + 0.5) / values.len() as f64)
            }
        }
    }

    /// Returns the override of the case that sets a value, if the variable is one of the case.
    pub fn assignment(&self, choice: &Choice) -> Option<String> {
        match &self.target {
            Target::Case(key) => Some(format!("{key}={choice}")),
            Target::Gmsh(_) | Target::Blade(..) => None,
        }
    }
}

/// Returns what a variable sets.
fn target(key: &str, keys: &VariableKeys) -> Result<Target, Problem> {
    match (&keys.set, &keys.gmsh, &keys.blade) {
        (Some(set), None, None) => {
            if set.split('.').any(str::is_empty) || set.contains('=') {
                Err(Problem::new(format!("`{set}` is no key of a case"))
                    .key(format!("{key}.set"))
                    .help("it is like `time.end` or `constants.n`"))
            } else {
                Ok(Target::Case(set.clone()))
            }
        }
        (None, Some(name), None) => Ok(Target::Gmsh(name.clone())),
        (None, None, Some(text)) => {
            let part = text.split_once('.').and_then(|(part, at)| {
                let part = match part {
                    "camber" => BladePart::Camber,
                    "thickness" => BladePart::Thickness,
                    _ => return None,
                };
                Some(Target::Blade(part, at.parse().ok()?))
            });
            part.ok_or_else(|| {
                Problem::new(format!("`{text}` is no control value of a blade"))
                    .key(format!("{key}.blade"))
                    .help("it is like `camber.2` or `thickness.3`")
            })
        }
        (None, None, None) => Err(Problem::new("one of the keys `set`, `gmsh` and `blade` is missing").key(key)),
        _ => Err(Problem::new("`set`, `gmsh` and `blade` exclude each other").key(key)),
    }
}

/// Returns the choices of a list of values, which are all different.
fn choices<'a>(key: &str, values: impl Iterator<Item = &'a Expression>) -> Result<Vec<Choice>, Problem> {
    let mut choices: Vec<Choice> = Vec::new();
    for (i, value) in values.enumerate() {
        let choice = match value {
            Expression::Value(value) => Choice::Number(*value),
            Expression::Text(text) => Choice::Word(text.clone()),
        };
        let wrong = match &choice {
            Choice::Number(value) if !value.is_finite() => Some(format!("{value} is not finite")),
            Choice::Word(word) if word.trim().is_empty() => Some("the value is empty".to_owned()),
            choice if choices.contains(choice) => Some(format!("`{choice}` is there twice")),
            _ => None,
        };
        if let Some(what) = wrong {
            return Err(Problem::new(what).key(format!("{key}.values[{i}]")));
        }
        choices.push(choice);
    }
    if choices.is_empty() {
        Err(Problem::new("there are no values").key(format!("{key}.values")))
    } else {
        Ok(choices)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_values_and_texts_are_found_again() {
        let range = Variable {
            name: "a".to_owned(),
            domain: Domain::Range(-1.0, 3.0),
            target: Target::Case("constants.a".to_owned()),
            base: None,
        };
        assert_eq!(range.levels(3), [-1.0, 1.0, 3.0].map(Choice::Number));
        assert_eq!(range.read("0.5"), Some(Choice::Number(0.5)));
        assert_eq!((range.read("3.5"), range.read("x")), (None, None));
        assert_eq!(range.assignment(&range.at(0.25)).as_deref(), Some("constants.a=0"));
        assert_eq!(range.place(&range.at(0.25)), Some(0.25));
        let words = Variable {
            domain: Domain::Values(vec![Choice::Word("roe".to_owned()), Choice::Number(2.0)]),
            ..range
        };
        assert_eq!(
            [0.0, 0.49, 0.5, 1.0].map(|place| words.at(place).to_string()),
            ["roe", "roe", "2", "2"]
        );
        assert_eq!(
            [0.1, 0.9].map(|place| words.place(&words.at(place))),
            [Some(0.25), Some(0.75)]
        );
        assert_eq!(
            (words.read("2.0"), words.read("hllc")),
            (Some(Choice::Number(2.0)), None)
        );
    }
}
