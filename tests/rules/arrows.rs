//! A room imports only rooms listed earlier in the table of ARCHITECTURE.md, and files of a room import each other in
//! no circle.

use std::collections::{BTreeMap, BTreeSet};

use super::imports::{Name, Source};

/// The rooms in the order of the table.
const ROOMS: &[&str] = &[
    "ranks",
    "vector",
    "format",
    "log",
    "runge_kutta",
    "input",
    "physics",
    "element",
    "io",
    "mesh",
    "geometry",
    "device",
    "halo",
    "solver",
    "output",
    "run",
    "steady",
    "case",
    "plot",
    "report",
    "study",
    "commands",
    "main",
];

/// Imports of a room that is listed later, which are still allowed.
const UP_STILL: &[(&str, &str)] = &[];

/// Circles of files that are still allowed, each as its files in order.
const CIRCLES_STILL: &[&[&str]] = &[];

/// Parents that still use children which name types of the parent, each with the reason.
const PARENTS_STILL: &[(&str, &str)] = &[
    (
        "device::cuda",
        "a GPU is one type, of which halos, peers and segments are parts",
    ),
    (
        "device::engine",
        "an engine is one type, with a file for each kind of kernels",
    ),
    (
        "device::plan",
        "a plan is one type, filled by a file for each of its tables",
    ),
    ("steady::run", "a run is one type, with a file for each of its parts"),
];

fn shown(name: &Name) -> String {
    if name.is_empty() {
        "lib".to_owned()
    } else {
        name.join("::")
    }
}

#[test]
fn a_room_imports_only_rooms_listed_earlier() {
    let source = Source::read();
    let level = |room: &str| {
        let at = ROOMS.iter().position(|r| *r == room);
        at.unwrap_or_else(|| panic!("the room {room} is not in the list of rooms"))
    };
    let mut up: BTreeMap<(String, String), Vec<String>> = BTreeMap::new();
    for (name, module) in &source.modules {
        let Some(room) = name.first() else { continue };
        for other in source.rooms(name).into_iter().filter(|other| other != room) {
            if level(&other) > level(room) {
                up.entry((room.clone(), other)).or_default().push(module.file.clone());
            }
        }
    }
    let found: BTreeSet<(&str, &str)> = up.keys().map(|(a, b)| (a.as_str(), b.as_str())).collect();
    let known: BTreeSet<(&str, &str)> = UP_STILL.iter().copied().collect();
    let new: Vec<String> = up
        .iter()
        .filter(|((a, b), _)| !known.contains(&(a.as_str(), b.as_str())))
        .map(|((a, b), files)| {
            format!(
                "{a} imports {b}, which is listed later in the table of ARCHITECTURE.md: {}",
                files.join(", ")
            )
        })
        .collect();
    assert!(new.is_empty(), "{}", new.join("\n"));
    let gone: Vec<_> = known.difference(&found).collect();
    assert!(gone.is_empty(), "no longer there, take them off the list: {gone:?}");
}

/// The imports of a module. A parent uses its children where it imports them, names them or hands on what they define.
/// A parent that declares types for its children is below them, and then it is not to use them as well.
fn imports(source: &Source, module: &Name) -> BTreeSet<Name> {
    let mut all = source.imports(module);
    if PARENTS_STILL.iter().any(|(parent, _)| *parent == shown(module)) {
        all.retain(|other| !other.starts_with(module));
    } else {
        all.extend(source.handed_on(module));
    }
    all
}

/// Sets of two or more modules each of which leads to every other one.
fn circles(source: &Source) -> Vec<Vec<Name>> {
    let edges: BTreeMap<&Name, BTreeSet<Name>> = source.modules.keys().map(|m| (m, imports(source, m))).collect();
    let reached = |from: &Name| {
        let mut seen: BTreeSet<Name> = BTreeSet::new();
        let mut todo: Vec<Name> = edges[from].iter().cloned().collect();
        while let Some(next) = todo.pop() {
            if seen.insert(next.clone()) {
                todo.extend(edges[&next].iter().cloned());
            }
        }
        seen
    };
    let reach: BTreeMap<&Name, BTreeSet<Name>> = edges.keys().map(|m| (*m, reached(m))).collect();
    let mut found: BTreeSet<Vec<Name>> = BTreeSet::new();
    for (module, to) in &reach {
        let circle: BTreeSet<Name> = to
            .iter()
            .filter(|other| reach[other].contains(*module))
            .cloned()
            .collect();
        if circle.len() > 1 {
            found.insert(circle.into_iter().collect());
        }
    }
    found.into_iter().collect()
}

#[test]
fn files_import_each_other_in_no_circle() {
    let source = Source::read();
    let found: BTreeSet<Vec<String>> = circles(&source)
        .iter()
        .map(|circle| circle.iter().map(shown).collect())
        .collect();
    let known: BTreeSet<Vec<String>> = CIRCLES_STILL
        .iter()
        .map(|circle| circle.iter().map(|name| (*name).to_owned()).collect())
        .collect();
    let arrows = |circle: &Vec<String>| -> String {
        let mut lines = String::new();
        for name in source.modules.keys().filter(|name| circle.contains(&shown(name))) {
            for to in imports(&source, name)
                .iter()
                .map(shown)
                .filter(|to| circle.contains(to))
            {
                lines += &format!("\n  {} -> {to}", shown(name));
            }
        }
        lines
    };
    let new: Vec<String> = found
        .difference(&known)
        .map(|circle| format!("{}{}", circle.join(", "), arrows(circle)))
        .collect();
    assert!(new.is_empty(), "circles of files:\n{}", new.join("\n"));
    let gone: Vec<_> = known.difference(&found).collect();
    assert!(gone.is_empty(), "no longer there, take them off the list: {gone:?}");
}

#[test]
fn parents_that_still_use_their_children_are_needed() {
    let source = Source::read();
    for (parent, _) in PARENTS_STILL {
        let name: Name = parent.split("::").map(str::to_owned).collect();
        let mut below = source
            .modules
            .keys()
            .filter(|other| **other != name && other.starts_with(&name));
        assert!(
            below.any(|child| source.imports(child).contains(&name)),
            "no child of {parent} names it any more: take it off the list"
        );
    }
}
