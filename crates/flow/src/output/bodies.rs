//! Bodies of several walls, whose forces are added: their names and walls in the case file.

use std::collections::BTreeMap;

use super::keys::Context;
use crate::input::{Problem, is_name};

/// Checks the walls of the bodies under the key `bodies` of an output.
///
/// # Errors
/// A name cannot be one, or is taken, or a body has no wall, a wall twice, or what is no wall.
pub(super) fn checked(
    bodies: &BTreeMap<String, Vec<String>>,
    context: &Context,
) -> Result<Vec<(String, Vec<String>)>, Problem> {
    let boundaries = context.facts.boundaries;
    let known: Vec<&str> = boundaries
        .iter()
        .filter(|(_, b)| b.wall().is_some())
        .map(|(name, _)| name.as_str())
        .collect();
    for (name, walls) in bodies {
        let key = context.at(&format!("bodies.{name}"));
        if !is_name(name) {
            let what = format!("`{name}` cannot be the name of a body: its columns begin with it");
            return Err(Problem::new(what)
                .key(key)
                .help("letters, digits, `_` and `-` are allowed"));
        }
        if boundaries.contains_key(name) {
            let what = format!("a boundary has the name `{name}`, so that columns would have the same names");
            return Err(Problem::new(what).key(key).help("give the body another name"));
        }
        if walls.is_empty() {
            let problem = Problem::new(format!("the body `{name}` has no walls")).key(key);
            return Err(problem.help("name some, as in bodies: {aircraft: [fuselage, wing]}"));
        }
        for (i, wall) in walls.iter().enumerate() {
            let at = format!("{key}[{i}]");
            if !known.contains(&wall.as_str()) {
                let what = match boundaries.get(wall) {
                    Some(_) => format!("the boundary `{wall}` is no wall, so that no body has it"),
                    None => format!("there is no boundary `{wall}`"),
                };
                return Err(Problem::new(what).suggest(wall, &known, "walls").key(at));
            }
            if walls[..i].contains(wall) {
                return Err(Problem::new(format!("`{wall}` is named twice")).key(at));
            }
        }
    }
    Ok(bodies
        .iter()
        .map(|(name, walls)| (name.clone(), walls.clone()))
        .collect())
}
