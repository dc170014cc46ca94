//! The step from the keys of an output in the case file to requests.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::coefficients::Reference;
use super::request::Request;
use crate::input::{Problem, Scope, is_name};
use crate::physics::Boundary;

/// Parts of the case on which the settings of outputs depend.
pub struct CaseFacts<'a> {
    /// Boundary conditions by the name of the boundary.
    pub boundaries: &'a BTreeMap<String, Boundary>,
    /// Directions in which a box is periodic; `None` for a mesh of a file.
    pub periodic: Option<[bool; 3]>,
    /// Whether there are bars.
    pub bars: bool,
    /// Whether there is a sub-grid model.
    pub sgs: bool,
    /// Names of the passive scalars.
    pub scalars: &'a [String],
    /// Whether the states are filtered after each stage.
    pub filters: bool,
    /// Whether a force holds the mass flow.
    pub holds_mass_flow: bool,
    /// The reference state of coefficients.
    pub reference: Option<Reference>,
}

/// The position of a group of keys in the case, and the constants with which its values are evaluated.
pub struct Context<'a> {
    /// Path of the group: `output.slices.mid`.
    pub key: String,
    /// Last part of the path: `mid`.
    pub name: &'a str,
    /// The constants of the case.
    pub scope: &'a Scope,
    /// Other parts of the case.
    pub facts: &'a CaseFacts<'a>,
}

impl Context<'_> {
    /// Returns the path of a key of the group.
    pub fn at(&self, key: &str) -> String {
        format!("{}.{key}", self.key)
    }

    /// Checks that the boundary that the key `boundary` of the group names exists and is a wall.
    ///
    /// # Errors
    /// There is no such boundary, or it is no wall.
    pub fn check_wall(&self, name: &str) -> Result<(), Problem> {
        let boundaries = self.facts.boundaries;
        let key = self.at("boundary");
        let Some(boundary) = boundaries.get(name) else {
            let known: Vec<&str> = boundaries.keys().map(String::as_str).collect();
            let problem = Problem::new(format!("there is no boundary `{name}`"));
            return Err(problem.suggest(name, &known, "boundaries").key(key));
        };
        match boundary.wall() {
            Some(_) => Ok(()),
            None => {
                let walls = boundaries.iter().filter(|(_, b)| b.wall().is_some());
                let walls: Vec<String> = walls.map(|(name, _)| format!("`{name}`")).collect();
                let help = if walls.is_empty() {
                    "the case has no walls".to_owned()
                } else {
                    format!("the walls are {}", walls.join(", "))
                };
                Err(Problem::new(format!("the boundary `{name}` is not a wall"))
                    .key(key)
                    .help(help))
            }
        }
    }
}

/// The keys of one output.
pub trait Keys {
    /// What a name denotes in an output that is a mapping of names: "a slice".
    const NOUN: &'static str = "an output";

    /// Evaluates and checks the keys.
    ///
    /// # Errors
    /// A value cannot be evaluated or is not valid.
    fn request(&self, context: &Context) -> Result<Arc<dyn Request>, Problem>;
}

/// The value of a key of `output`: the keys of one output, or the keys of several by name.
pub trait Entry {
    /// The requests, in the order of the names.
    ///
    /// # Errors
    /// A value cannot be evaluated or is not valid.
    fn requests(&self, name: &str, scope: &Scope, facts: &CaseFacts) -> Result<Vec<Arc<dyn Request>>, Problem>;
}

impl<K: Keys> Entry for Option<K> {
    fn requests(&self, name: &str, scope: &Scope, facts: &CaseFacts) -> Result<Vec<Arc<dyn Request>>, Problem> {
        let key = format!("output.{name}");
        let context = Context {
            key,
            name,
            scope,
            facts,
        };
        self.iter().map(|keys| keys.request(&context)).collect()
    }
}

impl<K: Keys> Entry for BTreeMap<String, K> {
    fn requests(&self, group: &str, scope: &Scope, facts: &CaseFacts) -> Result<Vec<Arc<dyn Request>>, Problem> {
        let one = |(name, keys): (&String, &K)| {
            let key = format!("output.{group}.{name}");
            if !is_name(name) {
                let what = format!("`{name}` cannot be the name of {}", K::NOUN);
                let help = "the name becomes part of a file's: at most 100 letters, digits, `_` and `-`";
                return Err(Problem::new(what).key(key).help(help));
            }
            keys.request(&Context {
                key,
                name,
                scope,
                facts,
            })
        };
        self.iter().map(one).collect()
    }
}
