//! Pictures of the newest slices: Mach number, entropy and Q.

use std::path::Path;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use super::frame::framed;
use super::html::{Section, escaped, paragraph};
use super::picture::{Picture, Triangles};
use super::run::Run;
use super::stored::Stored;
use crate::format::number;
use crate::io;
use crate::physics::Gas;
use crate::plot::colours::{AROUND_ZERO, LOW_TO_HIGH, Map, quantile};
use crate::vector::{Vector, cross, dot, length, minus};

/// Share of the values, at either end, that the colours do not distinguish: a few extremes would hide the rest.
const BEYOND: f64 = 0.005;

/// A quantity on a slice.
struct Quantity {
    /// The end of the name of its file.
    file: &'static str,
    title: &'static str,
    values: Vec<f64>,
    range: [f64; 2],
    map: &'static Map,
}

/// Returns the section of pictures, if there are slices. Files that cannot be read are named in it.
pub(super) fn section(run: &Run) -> Option<Section> {
    if run.slices.is_empty() {
        return None;
    }
    let (mut body, mut all) = (String::new(), Vec::new());
    if run.gas().is_none() {
        body += &paragraph("The case cannot be read again, so that the Mach number and the entropy are not known.");
    }
    for (name, path) in &run.slices {
        match of_slice(name, path, run.gas()) {
            Ok((title, markup, pictures)) => {
                body += &format!(
                    "<h3>{}</h3>\n<div class=\"pictures\">\n{markup}</div>\n",
                    escaped(&title)
                );
                all.extend(pictures);
            }
            Err(error) => body += &paragraph(&error.to_string()),
        }
    }
    Some(Section {
        id: "slices",
        title: "Slices".to_owned(),
        body,
        pictures: all,
    })
}

/// Returns the title of a slice, and its pictures as markup and for files.
fn of_slice(name: &str, path: &Path, gas: Option<&Gas>) -> Result<(String, String, Vec<Picture>), io::Error> {
    let stored = Stored::open(path)?;
    let nodes = stored.triangles()?;
    let flat = flattened(&stored.points, &nodes);
    let triangles = Triangles {
        points: &flat,
        nodes: &nodes,
    };
    let time = stored.time().map_or_else(|| "?".to_owned(), number);
    let heading = format!("{name} at t = {time}");
    let (mut out, mut pictures) = (String::new(), Vec::new());
    for Quantity {
        file,
        title,
        values,
        range,
        map,
    } in quantities(&stored, gas)
    {
        let Some(png) = triangles.draw(&values, range, map) else {
            continue;
        };
        let [low, high] = range;
        out += &format!(
            "<figure><figcaption>{title}</figcaption>\
             <img alt=\"{title}\" src=\"data:image/png;base64,{data}\"/>\
             <div style=\"height:12px;margin-top:6px;background:{gradient}\"></div>\
             <div class=\"scale\"><span>{low}</span><span>{middle}</span><span>{high}</span></div></figure>\n",
            title = escaped(title),
            data = STANDARD.encode(&png),
            gradient = map.gradient(),
            low = number(low),
            middle = number(0.5 * (low + high)),
            high = number(high),
        );
        let title = format!("{title}; {heading}");
        let name = format!("slices_{name}_{file}");
        pictures.push(framed(name, png, &title, range, map));
    }
    Ok((heading, out, pictures))
}

/// Returns what is drawn of a slice.
fn quantities(stored: &Stored, gas: Option<&Gas>) -> Vec<Quantity> {
    let mut all = Vec::new();
    let (fields, velocity) = (
        ["density", "pressure"].map(|name| stored.field(name)),
        stored.vectors("velocity"),
    );
    if let ([Some(rho), Some(p)], Some(velocity), Some(gas)) = (&fields, velocity, gas) {
        let speeds = velocity.into_iter().map(length);
        let mach = speeds
            .zip(rho.iter().zip(p))
            .map(|(speed, (&rho, &p))| speed / gas.sound_speed(rho, p));
        let mach: Vec<f64> = mach.collect();
        all.push(Quantity {
            file: "mach",
            title: "Mach number",
            range: [0.0, within(&mach)[1]],
            values: mach,
            map: &LOW_TO_HIGH,
        });
        // s/c_p = ln(p/rho^gamma)/gamma.
        let entropy = rho.iter().zip(p).map(|(rho, p)| p.ln() / gas.gamma - rho.ln());
        let mut entropy: Vec<f64> = entropy.collect();
        let least = within(&entropy)[0];
        entropy.iter_mut().for_each(|s| *s -= least);
        all.push(Quantity {
            file: "entropy",
            title: "Entropy over c_p, above that of the least",
            range: [0.0, within(&entropy)[1]],
            values: entropy,
            map: &LOW_TO_HIGH,
        });
    }
    if let Some(q) = stored.field("q_criterion") {
        let sizes: Vec<f64> = q.iter().map(|q| q.abs()).collect();
        let most = quantile(sizes, 0.98);
        all.push(Quantity {
            file: "q",
            title: "Q, above zero where rotation outweighs strain",
            values: q,
            range: [-most, most],
            map: &AROUND_ZERO,
        });
    }
    all
}

/// Returns the range of all values but the shares beyond its ends.
fn within(values: &[f64]) -> [f64; 2] {
    [BEYOND, 1.0 - BEYOND].map(|share| quantile(values.to_vec(), share))
}

/// Returns coordinates in the plane of the triangles. The horizontal one is x, or y in a plane across x; the vertical
/// one points upward along y or z.
fn flattened(points: &[Vector], nodes: &[[usize; 3]]) -> Vec<[f64; 2]> {
    let areas = nodes.iter().map(|nodes| {
        let [a, b, c] = nodes.map(|node| points[node]);
        cross(minus(b, a), minus(c, a))
    });
    let largest = areas.max_by(|a, b| length(*a).total_cmp(&length(*b)));
    let normal = largest.map_or([0.0, 0.0, 1.0], |area| area.map(|part| part / length(area)));
    let along = if normal[0].abs() > 0.99 {
        [0.0, 1.0, 0.0]
    } else {
        [1.0, 0.0, 0.0]
    };
    let out = dot(along, normal);
    let right = minus(along, normal.map(|part| out * part));
    let right = right.map(|part| part / length(right));
    let up = cross(normal, right);
    let largest = up.into_iter().max_by(|a, b| a.abs().total_cmp(&b.abs()));
    let up = if largest.is_some_and(|part| part < 0.0) {
        up.map(|part| -part)
    } else {
        up
    };
    points.iter().map(|&x| [dot(x, right), dot(x, up)]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn planes_are_seen_with_y_or_z_upward() {
        let of = |points: [Vector; 3]| flattened(&points, &[[0, 1, 2]]);
        let close = |found: Vec<[f64; 2]>, exact: [[f64; 2]; 3]| {
            let pairs = found.iter().flatten().zip(exact.iter().flatten());
            pairs.for_each(|(a, b)| assert!((a - b).abs() < 1e-15, "{found:?} {exact:?}"));
        };
        let flat = [[0.0, 0.0], [2.0, 0.0], [0.0, 1.0]];
        close(of(flat.map(|[a, b]| [a, b, 7.0])), flat);
        close(of(flat.map(|[a, b]| [a, 7.0, b])), flat);
        close(of(flat.map(|[a, b]| [7.0, a, b])), flat);
        // The same plane with its normal reversed.
        let [a, b, c] = flat.map(|[a, b]| [a, b, 7.0]);
        close(of([b, a, c]), [flat[1], flat[0], flat[2]]);
    }

    #[test]
    fn quantiles_are_values_of_the_set() {
        let values: Vec<f64> = (0..=200).rev().map(f64::from).collect();
        assert_eq!(within(&values), [1.0, 199.0]);
    }
}
