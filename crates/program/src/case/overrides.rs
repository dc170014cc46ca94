//! The overrides behind an error that shows a line of the file: a value of `--set` may be wrong through another key.

use super::key_path;
use super::tree::{Node, Value};
use crate::input::{Place, Problem};

/// Names the overrides that a problem at a line of the file comes from, as one of a constant in an expression does:
/// those without which there is no such problem. `problem_with` returns the problem with other overrides, if there is
/// one.
pub(super) fn name_causes(
    problem: Problem,
    overrides: &[String],
    problem_with: impl Fn(&[String]) -> Option<Problem>,
) -> Problem {
    if matches!(problem.place, Some(Place::Set(_))) {
        return problem;
    }
    let is_cause = |left_out: &usize| {
        let mut others = overrides.to_vec();
        others.remove(*left_out);
        problem_with(&others).is_none_or(|other| (&other.what, &other.key) != (&problem.what, &problem.key))
    };
    let causes = (0..overrides.len()).filter(is_cause);
    let named: Vec<String> = causes.map(|cause| format!("`--set {}`", overrides[cause])).collect();
    if named.is_empty() {
        return problem;
    }
    problem.help(format!(
        "without {} this would not be wrong",
        named.join(" or without ")
    ))
}

/// Shows how a name with a dot is written in `--set`, for a key that is missing in what may be the beginning of one.
pub(super) fn hint_at_quotes(problem: Problem, overrides: &[String]) -> Problem {
    let Some(Place::Set(index)) = problem.place else {
        return problem;
    };
    let path = key_path::assigned(&overrides[index]).and_then(|(path, _)| key_path::parts(path));
    let inside = problem.key.split('.').count() - 1;
    match path.as_deref() {
        Some([above @ .., name, more, key])
            if above.len() + 1 == inside && problem.what.ends_with("is missing") && !name.contains('.') =>
        {
            let name = format!("{name}.{more}");
            let quoted = [above, &[&key_path::quoted(&name), key]].concat().join(".");
            problem.help(format!(
                "if `{name}` is one name, it stands in quotes: `--set '{quoted}=...'`"
            ))
        }
        _ => problem,
    }
}

/// Names the overrides of constants in the expressions of a key, for a problem that only the mesh or the run brings to
/// light: they may be behind it.
pub(super) fn name_constants(problem: Problem, tree: &Node, overrides: &[String]) -> Problem {
    if matches!(problem.place, Some(Place::Set(_))) {
        return problem;
    }
    let constants = match tree.node_at("constants").map(|(_, node)| &node.value) {
        Some(Value::Map(constants)) => constants.as_slice(),
        _ => &[],
    };
    let mut words = Vec::new();
    if let Some((_, node)) = tree.node_at(&problem.key) {
        node.words(&mut words);
    }
    let mut named = Vec::new();
    let mut next = 0;
    while let Some(&word) = words.get(next) {
        next += 1;
        if words[..next - 1].contains(&word) {
            continue;
        }
        for constant in constants.iter().filter(|constant| constant.key == word) {
            constant.node.words(&mut words);
            if let Place::Set(index) = constant.node.place {
                named.push(format!("`--set {}`", overrides[index]));
            }
        }
    }
    if named.is_empty() {
        return problem;
    }
    problem.help(format!("it is computed with {}", named.join(" and ")))
}
