//! The loss of a cascade by its parts: what is lost at a plane behind the blades and what mixing adds, and what the
//! boundary layers, the blockage and the pressure at the trailing edge stand for.
//!
//! A trailing edge of thickness t lets layers of the displacement thickness d and the momentum thickness theta, sums of
//! both sides, into a passage of width w. The balances of mass and momentum between this place and the mixed-out flow
//! of a straight passage give
//!
//! ```text
//! zeta = 2 theta/w + ((d + t)/w)^2 - Cpb t/w,  Cpb = (pb - p)/(rho V^2/2)
//! ```
//!
//! for incompressible flow with the velocity V and the pressure p outside of the layers and the mean pressure pb on the
//! edge (J. D. Denton, J. Turbomach. 115, 1993, 621-656, 10.1115/1.2929299). Losses of traverses and coefficients of
//! blades refer to p01 - p2 instead; the dynamic pressure at the edge is 1 - C_p times this, with the C_p there.

use super::cascade::{is_blade, place_of, result};
use super::html::{escaped, paragraph, table, two_digits};
use super::run::Run;
use crate::format::{assigned, number};
use crate::io::TableFile;
use crate::output::{Certainty, Estimate};
use crate::plot::figure::SHOWN_ERRORS;

/// Start of the names of files of boundary layers.
const LAYERS: &str = "boundary_layer_";
/// Least length along a side, over that of the side, of a station at the trailing edge.
const TRAILING: f64 = 0.9;
/// Largest distance of a station from a point of the blade over C_ax.
const NEAR: f64 = 1e-3;
/// Numbers of the sides in the file of a blade.
const SIDES: [f64; 2] = [1.0, 2.0];

/// Results of a traverse, and what they are called.
const OF_PLANE: [(&str, &str); 3] = [
    ("zeta_mass", "lost at the plane"),
    ("zeta_mixing", "lost by mixing behind it"),
    ("zeta", "all, mixed out"),
];

/// What the boundary layers tell, and what is left.
const OF_EDGE: [&str; 4] = [
    "boundary layers, 2 \u{3b8}/w",
    "blockage, ((\u{3b4}* + t)/w)^2",
    "pressure on the edge, -C_pb t/w",
    "the rest: all less these three",
];

/// A place at the trailing edge at which the boundary layer is known.
struct Station {
    /// Row of the place in the file of the blade.
    row: usize,
    /// Length along the side over that of the side.
    s: f64,
    displacement: Estimate,
    momentum: Estimate,
}

/// What the files know of a trailing edge.
struct TrailingEdge {
    /// Distance between the stations of both sides.
    thickness: f64,
    /// Displacement thickness, of both sides.
    displacement: Estimate,
    /// Momentum thickness, of both sides.
    momentum: Estimate,
    /// Pressure coefficient outside of the layers: the mean of both sides.
    outside: Estimate,
    /// Mean of the pressure coefficient over the edge.
    base: Estimate,
}

/// Returns the losses of each traverse by their parts, in a run with blades; nothing for other runs. Runs with
/// interfaces have several rows, of which the traverse does not tell which blade belongs to its loss.
pub(super) fn parts(run: &Run) -> String {
    let case = run.case.as_ref();
    if case.is_some_and(|case| !case.solver.sides_of_interfaces().is_empty()) {
        return String::new();
    }
    let blades: Vec<&TableFile> = run.tables.iter().filter(|file| is_blade(file)).collect();
    let Some(blade) = blades.first() else {
        return String::new();
    };
    let alone = blades.iter().all(|other| place_of(other) == place_of(blade));
    let layers: Vec<&TableFile> = run
        .tables
        .iter()
        .filter(|file| file.name().starts_with(LAYERS))
        .collect();
    let edge = alone.then(|| trailing_edge(blade, &layers)).flatten();
    let of_traverse = |file: &TableFile| {
        let plane = OF_PLANE.map(|(name, words)| Some((words, result(file, name)?)));
        let [Some(at_plane), Some(mixing), Some(all)] = plane else {
            return None;
        };
        let of_edge = edge.as_ref().and_then(|edge| of_edge(edge, file, all.1));
        let parts = [at_plane, mixing, all].into_iter().chain(of_edge.into_iter().flatten());
        let rows: Vec<Vec<String>> = parts.map(|(words, part)| row(words, &part, all.1.value)).collect();
        let heads = ["part", "\u{3b6}", "share", "2 x standard error"];
        let name = escaped(&file.name());
        Some(format!(
            "<h3>Loss of {name} by its parts</h3>\n{}",
            table(&heads, &rows)
        ))
    };
    let tables: String = run.tables.iter().filter_map(of_traverse).collect();
    if tables.is_empty() {
        return tables;
    }
    let how = match edge {
        Some(_) => {
            "What the trailing edge accounts for is that of incompressible flow in a straight passage (J. D. Denton, \
             J. Turbomach. 115, 1993), from the boundary layers next to the edge on both sides. Errors of its values \
             count as independent."
        }
        None => {
            "With stations of `output.boundary-layers` on both sides of the trailing edge of the only blade the parts \
             of the boundary layers would follow."
        }
    };
    paragraph(&format!(
        "The loss at the plane is that of the mass-weighted total pressure; mixing adds what is between it and the \
         mixed-out flow. {how}"
    )) + &tables
}

/// Returns the row of a part of the loss `all`.
fn row(words: &str, part: &Estimate, all: f64) -> Vec<String> {
    let share = 100.0 * part.value / all;
    let error = if part.error.is_finite() {
        format!("{}{}", part.certainty.words(), two_digits(SHOWN_ERRORS * part.error))
    } else {
        "not known".to_owned()
    };
    vec![words.to_owned(), number(part.value), format!("{share:.1} %"), error]
}

/// Returns what the trailing edge accounts for of the loss `all` of a traverse, and the rest.
fn of_edge(edge: &TrailingEdge, traverse: &TableFile, all: Estimate) -> Option<[(&'static str, Estimate); 4]> {
    let mut lines = traverse.comments.iter();
    let pitch = lines.find_map(|line| line.strip_prefix("pitch: ")?.parse::<f64>().ok())?;
    let angle = result(traverse, "angle_mixed")?;
    let known = [edge.displacement, edge.momentum, edge.outside, edge.base, angle, all];
    let values = |&[displacement, momentum, outside, base, angle, loss]: &[f64; 6]| {
        let width = pitch * angle.to_radians().cos();
        let head = 1.0 - outside;
        let blockage = (displacement + edge.thickness) / width;
        let mut parts = [
            head * 2.0 * momentum / width,
            head * blockage * blockage,
            (outside - base) * edge.thickness / width,
            loss,
        ];
        parts[3] -= parts[..3].iter().sum::<f64>();
        parts
    };
    let parts = with_errors(&known, values);
    Some(std::array::from_fn(|i| (OF_EDGE[i], parts[i])))
}

/// Returns a function of independent estimates with its errors: half of what each of them changes between both ends of
/// its error.
fn with_errors<const N: usize, const M: usize>(
    known: &[Estimate; N],
    of: impl Fn(&[f64; N]) -> [f64; M],
) -> [Estimate; M] {
    let values = known.map(|estimate| estimate.value);
    let mut all = of(&values).map(|value| Estimate {
        value,
        error: 0.0,
        certainty: Certainty::Estimated,
        half_difference: f64::NAN,
    });
    for (i, estimate) in known.iter().enumerate() {
        let at = |error: f64| {
            let mut moved = values;
            moved[i] += error;
            of(&moved)
        };
        let [low, high] = [-estimate.error, estimate.error].map(at);
        for (part, (low, high)) in all.iter_mut().zip(low.into_iter().zip(high)) {
            let change = 0.5 * (high - low);
            // A part that does not depend on the value has nothing of its error, known or not.
            if change != 0.0 {
                part.error = part.error.hypot(change);
                part.certainty = Certainty::of_all([part.certainty, estimate.certainty]);
            }
        }
    }
    all
}

/// Returns what is known of the trailing edge of a blade, if a boundary layer ends at it on both sides.
fn trailing_edge(blade: &TableFile, layers: &[&TableFile]) -> Option<TrailingEdge> {
    let column = |name: &str| blade.table.column(name);
    let side = column("side")?;
    let x = column("x")?;
    let y = column("y")?;
    let wall = blade.comments.iter().find_map(|line| line.strip_prefix("wall: "))?;
    let near = NEAR * assigned(wall, "C_ax")?;
    let stations = stations(blade, layers, near)?;
    let of_side = |number: f64| {
        let of_side = stations.iter().filter(|station| side[station.row] == number);
        of_side
            .max_by(|a, b| a.s.total_cmp(&b.s))
            .filter(|last| last.s >= TRAILING)
    };
    let [Some(suction), Some(pressure)] = SIDES.map(of_side) else {
        return None;
    };
    // The way around the edge: behind the station of the suction side, then back to that of the pressure side.
    let behind = |from: usize| (from..side.len()).take_while(move |&row| side[row] == side[from]);
    let back: Vec<usize> = behind(pressure.row).collect();
    let way: Vec<usize> = behind(suction.row).chain(back.into_iter().rev()).collect();
    let across = [x[pressure.row] - x[suction.row], y[pressure.row] - y[suction.row]];
    let thickness = across[0].hypot(across[1]);
    let coefficient = |row: usize| estimate(blade, "C_p", row);
    let mut base = Estimate {
        error: 0.0,
        value: 0.0,
        ..coefficient(suction.row)?
    };
    for pair in way.windows(2) {
        let [a, b] = [pair[0], pair[1]];
        let along = (x[b] - x[a]) * across[0] + (y[b] - y[a]) * across[1];
        let weight = 0.5 * along / (thickness * thickness);
        for part in [coefficient(a)?, coefficient(b)?] {
            base.value += weight * part.value;
            // Neighbours fluctuate together: their errors add.
            base.error += weight.abs() * part.error;
            base.certainty = Certainty::of_all([base.certainty, part.certainty]);
        }
    }
    Some(TrailingEdge {
        thickness,
        displacement: sum(&[suction.displacement, pressure.displacement]),
        momentum: sum(&[suction.momentum, pressure.momentum]),
        outside: sum(&[coefficient(suction.row)?, coefficient(pressure.row)?]).over(2.0),
        base,
    })
}

/// Returns the sum of both independent estimates.
fn sum(both: &[Estimate; 2]) -> Estimate {
    let [sum] = with_errors(both, |x| [x[0] + x[1]]);
    sum
}

/// Returns the stations on a blade at which the boundary layer has thicknesses.
fn stations(blade: &TableFile, layers: &[&TableFile], near: f64) -> Option<Vec<Station>> {
    let column = |name: &str| blade.table.column(name);
    let s = column("s_over_S")?;
    let x = column("x")?;
    let y = column("y")?;
    let mut all = Vec::new();
    for file in layers {
        let [Some(at_x), Some(at_y)] = ["x", "y"].map(|name| file.table.column(name)) else {
            continue;
        };
        for (number, (at_x, at_y)) in at_x.iter().zip(at_y).enumerate() {
            let thicknesses = ["displacement_thickness", "momentum_thickness"].map(|name| estimate(file, name, number));
            let [Some(displacement), Some(momentum)] = thicknesses else {
                continue;
            };
            let distance = |row: &usize| (x[*row] - at_x).hypot(y[*row] - at_y);
            let nearest = (0..x.len()).min_by(|a, b| distance(a).total_cmp(&distance(b)));
            all.extend(nearest.filter(|row| distance(row) <= near).map(|row| Station {
                row,
                s: s[row],
                displacement,
                momentum,
            }));
        }
    }
    Some(all)
}

/// Returns the entry of a column with its error, if it is finite.
fn estimate(file: &TableFile, name: &str, row: usize) -> Option<Estimate> {
    let entry = |end: &str| file.table.column(&format!("{name}{end}")).map(|column| column[row]);
    let value = entry("").filter(|value| value.is_finite())?;
    Some(Estimate {
        value,
        error: entry("_error").unwrap_or(f64::NAN),
        certainty: Certainty::of_entry(entry("_at_least")),
        half_difference: f64::NAN,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    /// Pitch of the blades, angle of the flow behind them in degrees, and width of the passage.
    const PITCH: f64 = 1.0;
    const ANGLE_BEHIND: f64 = -60.0;
    const WIDTH: f64 = 0.5;
    /// Thickness of the edge, and displacement and momentum thickness of each side.
    const THICKNESS: f64 = 0.02;
    const DISPLACEMENTS: [f64; 2] = [0.004, 0.002];
    const MOMENTA: [f64; 2] = [0.002, 0.001];
    /// Pressure on the edge less that outside of the layers, where density and velocity are 1 and the pressure is 0.
    const BASE_PRESSURE: f64 = -0.075;
    /// Total pressure of the inlet.
    const TOTAL: f64 = 0.5;

    /// Velocity and pressure of the mixed-out flow, by the balances of mass and momentum in the passage.
    fn mixed_out() -> [f64; 2] {
        let displacement: f64 = DISPLACEMENTS.iter().sum();
        let momentum: f64 = MOMENTA.iter().sum();
        let mass = WIDTH - THICKNESS - displacement;
        let velocity = mass / WIDTH;
        let force = mass - momentum + BASE_PRESSURE * THICKNESS;
        [velocity, force / WIDTH - velocity * velocity]
    }

    /// Writes the files of a blade and of a traverse.
    fn write(folder: &Path) {
        let [velocity, p2] = mixed_out();
        let coefficient = |p: f64| (p - p2) / (TOTAL - p2);
        let outside = coefficient(0.0);
        // The pressure is linear from the stations to the middle of the edge.
        let tip = coefficient(2.0 * BASE_PRESSURE);
        let row = |side: u8, s: f64, [x, y]: [f64; 2], c: f64| format!("{side},{s},{x},{x},{y},1,{c},0,0\n");
        let h = 0.5 * THICKNESS;
        let rows = [
            row(1, 0.0, [0.0, 0.0], 1.0),
            row(1, 0.5, [0.5, 0.1], 0.2),
            row(1, 0.98, [0.96, h], outside),
            row(1, 1.0, [0.97, 0.0], tip),
            row(2, 0.0, [0.0, 0.0], 1.0),
            row(2, 0.98, [0.96, -h], outside),
            row(2, 1.0, [0.97, 0.0], tip),
        ];
        let blade = "# wall: C_ax = 1, span = 0.5, stations = 7\n# leading-edge: x = 0, y = 0\n\
            side,s_over_S,x_over_C,x,y,M_is,C_p,C_p_error,C_f\n-,-,-,m,m,-,-,-,-\n";
        std::fs::write(folder.join("blade_a.csv"), blade.to_owned() + &rows.concat()).expect("written");
        let zeta = 1.0 - 0.5 * velocity * velocity / (TOTAL - p2);
        let traverse = format!(
            "# pitch: {PITCH}\n# result angle_mixed [deg]: value = {ANGLE_BEHIND}, error = 0\n\
             # result zeta [-]: value = {zeta}, error = 0.001 (at least)\n\
             # result zeta_mass [-]: value = {}, error = 0\n# result zeta_mixing [-]: value = {}, error = 0\n\
             y,omega\nm,-\n0,0\n1,0\n",
            0.75 * zeta,
            0.25 * zeta
        );
        std::fs::write(folder.join("traverse_wake.csv"), traverse).expect("written");
    }

    /// Writes the boundary layers: one in the middle of the suction side, which is no part of the edge, one that has no
    /// edge, and those of the sides.
    fn write_layers(folder: &Path, sides: &[usize]) {
        let h = 0.5 * THICKNESS;
        let mut text = "station,x,y,displacement_thickness,displacement_thickness_error,momentum_thickness,\
            momentum_thickness_error\n-,m,m,m,m,m,m\n0,0.5,0.1,0.1,0,0.1,0\n1,0.97,0,NaN,NaN,NaN,NaN\n"
            .to_owned();
        for &side in sides {
            let y = [h, -h][side];
            text += &format!("2,0.96,{y},{},0,{},1e-4\n", DISPLACEMENTS[side], MOMENTA[side]);
        }
        std::fs::write(folder.join("boundary_layer_edge.csv"), text).expect("written");
    }

    fn read(folder: &Path) -> Run {
        Run::read(folder).expect("read")
    }

    #[test]
    fn the_parts_of_an_incompressible_trailing_edge_are_the_whole_loss() {
        let folder = tempfile::tempdir().expect("a folder");
        write(folder.path());
        write_layers(folder.path(), &[0, 1]);
        let run = read(folder.path());
        let file = |name: &str| run.tables.iter().find(|file| file.name() == name).expect("a file");
        let edge = trailing_edge(file("blade_a"), &[file("boundary_layer_edge")]).expect("an edge");
        let traverse = file("traverse_wake");
        let all = result(traverse, "zeta").expect("a loss");
        let parts = of_edge(&edge, traverse, all).expect("parts").map(|(_, part)| part);
        let [_, p2] = mixed_out();
        let head = 0.5 / (TOTAL - p2);
        let exact = [
            head * 2.0 * 0.003 / WIDTH,
            head * (0.026 / WIDTH).powi(2),
            head * 0.15 * THICKNESS / WIDTH,
            0.0,
        ];
        for (part, exact) in parts.iter().zip(exact) {
            assert!((part.value - exact).abs() < 1e-14, "{parts:?} {exact}");
        }
        // The errors of both momentum thicknesses are independent; the rest has that of the loss, too.
        let error = head * 2.0 * 1e-4 * 2.0f64.sqrt() / WIDTH;
        assert!((parts[0].error - error).abs() < 1e-14 && parts[0].certainty == Certainty::Estimated);
        assert_eq!([parts[1].error, parts[2].error], [0.0; 2]);
        assert!((parts[3].error - error.hypot(0.001)).abs() < 1e-14 && parts[3].certainty == Certainty::AtLeast);
        let page = super::parts(&run);
        let row = format!("{}</td><td>75.0 %</td><td>0.0e0</td>", number(0.75 * all.value));
        assert!(page.contains(&format!("<td>lost at the plane</td><td>{row}")), "{page}");
        let bound = format!("<td>at least {}</td>", two_digits(2.0 * error.hypot(0.001)));
        assert!(page.contains("pressure on the edge") && page.contains(&bound), "{page}");
    }

    #[test]
    fn without_layers_on_both_sides_the_loss_has_the_parts_of_the_plane() {
        let folder = tempfile::tempdir().expect("a folder");
        write(folder.path());
        let has_edge = |page: &str| page.contains("pressure on the edge");
        let has_plane = |page: &str| page.contains("lost by mixing behind it");
        let page = parts(&read(folder.path()));
        assert!(
            has_plane(&page) && !has_edge(&page) && page.contains("output.boundary-layers"),
            "{page}"
        );
        write_layers(folder.path(), &[0]);
        let page = parts(&read(folder.path()));
        assert!(has_plane(&page) && !has_edge(&page), "{page}");
        write_layers(folder.path(), &[0, 1]);
        assert!(has_edge(&parts(&read(folder.path()))));
        let other = std::fs::read_to_string(folder.path().join("blade_a.csv")).expect("read");
        let other = other.replace("leading-edge: x = 0, y = 0", "leading-edge: x = 0, y = 0.5");
        // A section is no blade of its own.
        let section = other.replace("# wall: C_ax = 1, span = 0.5", "# section: z = 0.1, C_ax = 1");
        std::fs::write(folder.path().join("blade_a.section-1.csv"), section).expect("written");
        assert!(has_edge(&parts(&read(folder.path()))));
        // Of two blades the traverse does not tell whose loss it has.
        std::fs::write(folder.path().join("blade_b.csv"), other).expect("written");
        assert!(!has_edge(&parts(&read(folder.path()))));
        std::fs::remove_file(folder.path().join("traverse_wake.csv")).expect("removed");
        assert_eq!(parts(&read(folder.path())), "");
    }
}
