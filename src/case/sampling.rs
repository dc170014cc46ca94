//! Where the state is sampled: sets of places, and lines for spectra, from their keys to coordinates.

use std::collections::BTreeMap;

use super::keys::{LineKeys, PlaneKeys, ProbesKeys, SpectraKeys};
use crate::input::{Count, Number, Problem, Scope, check};
use crate::output::{ProbePoints, ProbesRequest, SpectraRequest};
use crate::vector::{dot, length};

/// Most places of a set: more are a slip that would fill the memory of rank 0.
const MOST_PLACES: f64 = 1e7;
/// Sine of the angle between the edges of a plane below which they are taken to be parallel.
const FLATTEST: f64 = 1e-6;

pub(super) fn probes(scope: &Scope, keys: &BTreeMap<String, ProbesKeys>) -> Result<Vec<ProbesRequest>, Problem> {
    let set = |(name, keys): (&String, &ProbesKeys)| {
        let key = format!("output.probes.{name}");
        let allowed = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
        if name.is_empty() || !name.chars().all(allowed) {
            let help = "the name becomes part of a file's: letters, digits, `_` and `-`";
            return Err(Problem::new(format!("`{name}` cannot be the name of a set of probes"))
                .key(key)
                .help(help));
        }
        let places = match (&keys.points, &keys.line, &keys.plane) {
            (Some(points), None, None) => ProbePoints::Points(single(scope, &format!("{key}.points"), points)?),
            (None, Some(keys), None) => line(scope, &format!("{key}.line"), keys)?,
            (None, None, Some(keys)) => plane(scope, &format!("{key}.plane"), keys)?,
            _ => {
                return Err(Problem::new("exactly one of the keys `points`, `line` and `plane` is needed").key(key));
            }
        };
        let every = scope.every(&key, &keys.every, &keys.every_steps)?;
        Ok(ProbesRequest {
            name: name.clone(),
            points: places,
            every,
        })
    };
    keys.iter().map(set).collect()
}

pub(super) fn spectra(scope: &Scope, keys: &SpectraKeys) -> Result<SpectraRequest, Problem> {
    let heights = keys.at.iter().enumerate();
    let at: Vec<f64> = heights
        .map(|(i, n)| scope.number(&format!("output.spectra.at[{i}]"), n))
        .collect::<Result<_, _>>()?;
    if at.is_empty() {
        return Err(Problem::new("`at` names no height").key("output.spectra.at"));
    }
    if let Some(second) = (1..at.len()).find(|&i| at[..i].contains(&at[i])) {
        let what = format!("the height {} is there twice", at[second]);
        return Err(Problem::new(what).key(format!("output.spectra.at[{second}]")));
    }
    Ok(SpectraRequest {
        direction: keys.direction.index(),
        at,
        from: scope.number_if("output.spectra.from", &keys.from, |from| from >= 0.0, "at least 0")?,
        every: scope.every("output.spectra", &keys.every, &keys.every_steps)?,
    })
}

fn single(scope: &Scope, key: &str, points: &[[Number; 3]]) -> Result<Vec<[f64; 3]>, Problem> {
    if points.is_empty() {
        return Err(Problem::new("`points` is an empty list").key(key));
    }
    let all = points.iter().enumerate();
    all.map(|(i, x)| scope.numbers(&format!("{key}[{i}]"), x)).collect()
}

fn line(scope: &Scope, key: &str, keys: &LineKeys) -> Result<ProbePoints, Problem> {
    let from = scope.numbers(&format!("{key}.from"), &keys.from)?;
    let to = scope.numbers(&format!("{key}.to"), &keys.to)?;
    if from == to {
        return Err(Problem::new("the line ends where it begins").key(format!("{key}.to")));
    }
    Ok(ProbePoints::Line {
        from,
        to,
        count: count(scope, &format!("{key}.count"), &keys.count)?,
    })
}

fn plane(scope: &Scope, key: &str, keys: &PlaneKeys) -> Result<ProbePoints, Problem> {
    let edge = |i: usize| scope.numbers(&format!("{key}.edges[{i}]"), &keys.edges[i]);
    let along = |i: usize| count(scope, &format!("{key}.counts[{i}]"), &keys.counts[i]);
    let counts = [along(0)?, along(1)?];
    let points = counts[0] as f64 * counts[1] as f64;
    check(
        &format!("{key}.counts"),
        points,
        points <= MOST_PLACES,
        "at most 10,000,000 points in all",
    )?;
    let edges = [edge(0)?, edge(1)?];
    let [a, b] = edges.map(|edge| edge.map(|x| x / length(edge)));
    let sine = (1.0 - dot(a, b).powi(2)).sqrt();
    // Not a number where an edge has no length.
    if sine.is_nan() || sine < FLATTEST {
        let help = "two edges of the parallelogram that begin at its origin: `[[1, 0, 0], [0, 0, 2]]`";
        return Err(Problem::new("the edges do not span a plane")
            .key(format!("{key}.edges"))
            .help(help));
    }
    Ok(ProbePoints::Plane {
        origin: scope.numbers(&format!("{key}.origin"), &keys.origin)?,
        edges,
        counts,
    })
}

fn count(scope: &Scope, key: &str, keys: &Count) -> Result<usize, Problem> {
    let value = scope.count(key, keys)? as f64;
    check(key, value, (2.0..=MOST_PLACES).contains(&value), "from 2 to 10,000,000").map(|n| n as usize)
}
