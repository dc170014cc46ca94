//! Means along blades at phases: colours over space and time, and the line along which the friction is zero.

use std::f64::consts::TAU;
use std::fs;
use std::path::{Path, PathBuf};

use crate::common::figures::{drawn, extent, plot};
use fr_les::plot::phases::{Phases, figure};
use tempfile::TempDir;

const BINS: usize = 16;
const PLACES: usize = 60;

/// A bubble whose front moves with the phase about x/C = 0.6; the suction side begins a little behind the nose.
fn front(phase: f64) -> f64 {
    0.6 + 0.1 * (TAU * phase).sin()
}

fn written(folder: &Path, sides: usize) -> PathBuf {
    let mut text = "# made for a test\nphase,sample_time,side,s_over_S,x_over_C,C_p,C_f\n-,s,-,-,-,-,-\n".to_owned();
    for bin in 0..BINS {
        let phase = (bin as f64 + 0.5) / BINS as f64;
        for side in 1..=sides {
            text += &format!("{phase},1,{side},0,0.01,1,0.001\n{phase},1,{side},0.001,0.004,1,0.002\n");
            for i in 0..PLACES {
                let x = i as f64 / (PLACES - 1) as f64;
                let friction = 0.01 * (front(phase) - x) * if side == 1 { 1.0 } else { -9.0 };
                let pressure = 1.0 - x + 0.05 * x * (TAU * phase).cos();
                text += &format!("{phase},1,{side},{x},{x},{pressure},{friction}\n");
            }
        }
    }
    let path = folder.join("blade_a.phase.csv");
    fs::write(&path, text).unwrap();
    path
}

#[test]
fn colours_and_the_line_of_zero_friction_are_those_of_the_means() {
    let dir = TempDir::new().unwrap();
    let path = written(dir.path(), 2);
    let figure = figure(&Phases::read(&path).unwrap());
    assert_eq!(figure.panels.len(), 2);
    let tiles = figure.panels[0].tiles.as_ref().unwrap();
    // The places in front of the least x are left out, and two periods are drawn.
    assert_eq!([tiles.x.len() - 1, tiles.y.len() - 1], [PLACES, 2 * BINS]);
    assert_eq!(tiles.values.len(), PLACES * 2 * BINS);
    assert_eq!(tiles.values[..PLACES * BINS], tiles.values[PLACES * BINS..]);
    let phase = (BINS as f64 - 0.5) / BINS as f64;
    let last = tiles.values[PLACES * BINS - 1];
    assert!((last - 0.01 * (front(phase) - 1.0)).abs() < 1e-15, "{last}");
    assert!(tiles.range[0] == -tiles.range[1] && (0.003..0.007).contains(&tiles.range[1]));
    // The friction is linear in x, so that the line is exact at the middles of the bins.
    let line = &figure.panels[0].curves[0];
    let at_middles = line
        .y
        .iter()
        .zip(&line.x)
        .filter(|(y, _)| ((*y * BINS as f64).fract() - 0.5).abs() < 1e-9);
    let mut count = 0;
    for (phase, x) in at_middles {
        assert!((x - front(*phase)).abs() < 1e-12, "{phase} {x}");
        count += 1;
    }
    assert!(count >= 4 * BINS, "{count}");
    // The mean of the cosine over the phases is zero.
    let deviation = &figure.panels[1].tiles.as_ref().unwrap().values;
    for (row, values) in deviation.chunks(PLACES).enumerate() {
        let exact = 0.05 * (TAU * (row as f64 + 0.5) / BINS as f64).cos();
        assert!((values[PLACES - 1] - exact).abs() < 1e-14 && values[0].abs() < 1e-14);
    }
    let (texts, named) = drawn(&figure);
    for text in ["phase", "τ = 0", "two periods", "Friction of the suction side", "×10⁻³"] {
        assert!(texts.iter().any(|(found, _)| found.contains(text)), "{text}: {texts:?}");
    }
    let (axes, curve) = (extent(&named, "panel0-axes"), extent(&named, "panel0-curve0"));
    assert!(curve.left() > axes.left() && curve.right() < axes.right());
    assert!((curve.height() - axes.height()).abs() < 1.0);
}

#[test]
fn quantities_that_are_zero_everywhere_have_a_bar_of_numbers() {
    let dir = TempDir::new().unwrap();
    let path = dir.path().join("blade_a.phase.csv");
    let mut text = "phase,sample_time,side,x_over_C,C_p,C_f\n-,s,-,-,-,-\n".to_owned();
    for phase in [0.25, 0.75] {
        // The deviation of a constant pressure is 0 too.
        text += &format!("{phase},1,1,0,0.5,0\n{phase},1,1,0.5,0.5,0\n{phase},1,1,1,0.5,0\n");
    }
    let svg = dir.path().join("a.svg");
    for text in [text.replace("0.5,0\n", "nan,nan\n"), text] {
        fs::write(&path, text).unwrap();
        plot(&[path.to_str().unwrap(), "--output", svg.to_str().unwrap()]).unwrap();
        let drawn = fs::read_to_string(&svg).unwrap();
        assert!(!drawn.contains("NaN"));
    }
}

#[test]
fn wakes_behind_a_cascade_are_drawn_over_pitch_and_phase() {
    let dir = TempDir::new().unwrap();
    let path = dir.path().join("traverse_wake.phase.csv");
    let mut text = "# pitch: 0.5\nphase,sample_time,y,p0,rho_u_p0,uu,vv,ww\n-,s,m,Pa,-,-,-,-\n".to_owned();
    for phase in [0.25, 0.75] {
        for y in [0.0, 0.125, 0.25, 0.375] {
            text += &format!("{phase},1,{y},{},1,{y},{y},{phase}\n", 2.0 + y * phase);
        }
    }
    fs::write(&path, &text).unwrap();
    let figure = figure(&Phases::read(&path).unwrap());
    let [pressure, energy] = [0, 1].map(|panel| figure.panels[panel].tiles.as_ref().unwrap());
    // Edges between places that are 0.25 pitches apart.
    assert_eq!(pressure.x, [0.0, 0.125, 0.375, 0.625, 0.75]);
    for (row, phase) in [0.25, 0.75, 0.25, 0.75].into_iter().enumerate() {
        for (place, y) in [0.0, 0.125, 0.25, 0.375].into_iter().enumerate() {
            assert!((pressure.values[4 * row + place] - y * (phase - 0.5)).abs() < 1e-14);
            assert!((energy.values[4 * row + place] - (y + 0.5 * phase)).abs() < 1e-14);
        }
    }
    let titles = [0, 1].map(|panel| figure.panels[panel].title.as_str());
    assert!(titles[0].ends_with("minus its mean over the phases, Pa") && titles[1].ends_with(", m²/s²"));
    assert!(energy.range[0] == 0.0 && figure.panels[0].curves.is_empty());
    plot(&[path.to_str().unwrap()]).unwrap();
    assert!(path.with_extension("png").exists());
    fs::write(&path, text.replace("# pitch", "# step")).unwrap();
    assert!(
        plot(&[path.to_str().unwrap()])
            .unwrap_err()
            .contains("`# pitch: NUMBER`")
    );
}

#[test]
fn tiles_fill_the_axes_and_have_the_colours_of_their_values() {
    let dir = TempDir::new().unwrap();
    let path = written(dir.path(), 1);
    let svg = dir.path().join("a.svg");
    plot(&[path.to_str().unwrap(), "--output", svg.to_str().unwrap()]).unwrap();
    let text = fs::read_to_string(&svg).unwrap();
    let begin = text.find("id=\"panel0-tiles\"").unwrap();
    let group = &text[begin..begin + text[begin..].find("</g>").unwrap()];
    // Left, top, width and height of each tile.
    let (mut places, mut fills) = (Vec::new(), Vec::new());
    for line in group.lines().filter(|line| line.starts_with("<path")) {
        let outline = &line[line.find(" d=").unwrap() + 5..];
        let parts: Vec<f64> = outline
            .split([' ', 'h', 'v', '-'])
            .take(4)
            .map(|part| part.parse().unwrap())
            .collect();
        places.push(parts);
        fills.push(line[line.find('#').unwrap()..][..7].to_owned());
    }
    let axes = &text[text.find("id=\"panel0-axes\"").unwrap()..];
    let [x, y, width, height] = ["x", "y", "width", "height"].map(|name| {
        let rest = &axes[axes.find(&format!(" {name}=")).unwrap() + name.len() + 3..];
        rest[..rest.find('"').unwrap()].parse::<f64>().unwrap()
    });
    // The rows lie one above the other, and each goes from the left to the right end without a gap.
    let rows: Vec<&[Vec<f64>]> = places.chunk_by(|a, b| a[1] == b[1]).collect();
    assert_eq!(rows.len(), 2 * BINS);
    let mut bottom = y + height;
    for row in rows {
        assert!((row[0][0] - x).abs() < 0.011 && (row[0][1] + row[0][3] - bottom).abs() < 0.021);
        bottom = row[0][1];
        assert!(
            row.windows(2)
                .all(|pair| pair[0][0] < pair[1][0] && pair[0][0] + pair[0][2] > pair[1][0])
        );
        let last = &row[row.len() - 1];
        assert!((last[0] + last[2] - x - width).abs() < 0.021, "{last:?}");
    }
    assert!((bottom - y).abs() < 0.011);
    // Red where the flow is attached, at the left end, and blue behind the front.
    let red = |fill: &String| u8::from_str_radix(&fill[1..3], 16).unwrap();
    let blue = |fill: &String| u8::from_str_radix(&fill[5..7], 16).unwrap();
    assert!(red(&fills[0]) > blue(&fills[0]));
    assert!(blue(&fills[fills.len() - 1]) > red(&fills[fills.len() - 1]));
    // A wall with two ends has no suction side.
    assert!(!text.contains("suction"));
}

#[test]
fn files_without_a_grid_of_phases_and_companions_are_refused() {
    let dir = TempDir::new().unwrap();
    let path = written(dir.path(), 2);
    let name = path.to_str().unwrap();
    for (more, part) in [
        (["--label", "a"], "leave out --label"),
        (["--reference", name], "leave out --reference"),
    ] {
        let error = plot(&[&[name][..], &more].concat()).unwrap_err();
        assert!(
            error.contains("means at phases, which are drawn alone") && error.contains(part),
            "{error}"
        );
    }
    let text = fs::read_to_string(&path).unwrap();
    let refused = |text: &str, part: &str| {
        fs::write(&path, text).unwrap();
        let error = plot(&[name]).unwrap_err();
        assert!(error.contains(part), "{error}");
    };
    let cut = text.trim_end().rsplit_once('\n').unwrap().0.replace(",2,", ",1,");
    refused(&format!("{cut}\n"), "two phases or more are needed, each with the same");
    refused(&text.replace("C_f", "friction"), "has no column `C_f`");
    // The folder stands for distributions, of which it has none.
    assert!(plot(&[dir.path().to_str().unwrap()]).is_err());
}
