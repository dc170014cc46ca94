//! The figure of benchmark results: speed over size and over order, and the distribution of the time of a stage.
//!
//! Lines and bars are named after the properties in which the results differ. Properties that all share are given once
//! above the figure.

use super::{BenchResult, KERNELS, Reference};
use crate::plot::axis::superscript;
use crate::plot::figure::{Bar, Bars, Curve, Figure, Panel, Scale, Style};

/// Parts of a bar and their colours: the first sweep, the second by its kind of stage in shades of one colour, the
/// rest.
const PARTS: [(&str, &str); 5] = [
    ("sweep 1", "#0072B2"),
    ("sweep 2, first stage", "#F6C28B"),
    ("sweep 2, two middle stages", "#E6862D"),
    ("sweep 2, last stage", "#B04A00"),
    ("rest (launches, waits)", "#B8B8B8"),
];
/// Note above bars that extend beyond their line.
const EXCEEDED: &str =
    "Kernels are timed one by one in bursts: their times may add up to more than that of the whole stage (the line)";
/// Largest number of bars side by side, and the largest ratio between bars of one series that can be compared by eye.
const MOST_BARS: usize = 20;
const TALLEST: f64 = 5.0;
/// Largest number of bars in half the width of a figure.
const NARROW: usize = 8;

/// A property in which results may differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Aspect {
    Source,
    Device,
    Threads,
    Elements,
    Order,
    Cells,
    Precision,
    Arithmetic,
    Shape,
    Physics,
}

use Aspect::{Arithmetic, Cells, Device, Elements, Order, Physics, Precision, Shape, Source, Threads};

/// All properties but the source, in the order in which they are named.
const ASPECTS: [Aspect; 9] = [
    Device, Threads, Elements, Order, Cells, Precision, Arithmetic, Shape, Physics,
];

impl Aspect {
    fn of(self, r: &BenchResult) -> String {
        match self {
            Source => r.source.clone(),
            // What follows the name of a device (threads, vectors, precision) is in other aspects or of no interest
            // here.
            Device => r.device.split(',').next().unwrap_or_default().trim().to_owned(),
            Threads => r.threads.map_or_else(String::new, |t| match t {
                1 => "1 thread".to_owned(),
                _ => format!("{t} threads"),
            }),
            Elements => r.elements.clone(),
            Order => format!("p = {}", r.order),
            Cells => format!("{}{}", r.cells, superscript("3")),
            Precision => r.precision.clone(),
            Arithmetic => r.arithmetic.clone(),
            Shape => if r.curved { "curved" } else { "affine" }.to_owned(),
            Physics => if r.viscous { "Navier\u{2013}Stokes" } else { "Euler" }.to_owned(),
        }
    }

    /// Returns the text of the property where nothing stands beside it.
    fn in_full(self, r: &BenchResult) -> String {
        let short = self.of(r);
        match self {
            Elements => match short.as_str() {
                "hex" => "hexahedra".to_owned(),
                "prism" => "prisms".to_owned(),
                "tet" => "tetrahedra".to_owned(),
                "pyramid" => "pyramids".to_owned(),
                _ => format!("{short} elements"),
            },
            Cells if r.elements == "hex" => format!("{short} cells"),
            Cells => format!("{short} cubes"),
            Precision => format!("{short} precision"),
            Arithmetic if r.arithmetic == "auto" => String::new(),
            Arithmetic => format!("{short} arithmetic"),
            Shape => format!("{short} cells"),
            _ => short,
        }
    }
}

/// Returns the figure of all results. Sources distinguish results only if `by_source` asks for it, or if two files hold
/// the same case.
pub fn figure(results: &[BenchResult], references: &[Reference], by_source: bool) -> Figure {
    let all: Vec<&BenchResult> = results.iter().collect();
    let mut aspects = ASPECTS.to_vec();
    if by_source || repeated_across_sources(&all) {
        aspects.insert(0, Source);
    }
    let (differing, common): (Vec<Aspect>, Vec<Aspect>) = aspects.iter().partition(|aspect| differs(**aspect, &all));
    let title: Vec<String> = common.iter().map(|aspect| aspect.in_full(&results[0])).collect();
    let without = |out: &[Aspect]| -> Vec<Aspect> { differing.iter().copied().filter(|a| !out.contains(a)).collect() };

    let by_size = series(&all, &without(&[Cells]));
    let by_order = series(&largest(&all, &without(&[Cells])), &without(&[Cells, Order]));
    let mut panels = Vec::new();
    if by_size.iter().any(|s| distinct(s, |r| r.points) > 1) {
        panels.push(speed_by_size(&by_size, &without(&[Cells])));
    }
    if !references.is_empty() || by_order.iter().any(|s| distinct(s, |r| r.order as f64) > 1) {
        panels.push(speed_by_order(&by_order, &without(&[Cells, Order]), references));
    }
    let mut budget = budget(&all, &differing);
    budget.wide |= panels.len() > 1;
    panels.push(budget);
    let exceeded = panels
        .iter()
        .flat_map(|p| &p.bars)
        .flat_map(|bars| &bars.bars)
        .any(Bar::is_exceeded);
    Figure {
        notes: exceeded.then(|| EXCEEDED.to_owned()).into_iter().collect(),
        title: title
            .into_iter()
            .filter(|text| !text.is_empty())
            .collect::<Vec<_>>()
            .join(", "),
        own_legends: true,
        panels,
    }
}

fn differs(aspect: Aspect, results: &[&BenchResult]) -> bool {
    results.iter().any(|r| aspect.of(r) != aspect.of(results[0]))
}

/// Returns whether two files hold the same case.
fn repeated_across_sources(results: &[&BenchResult]) -> bool {
    let same = |a: &BenchResult, b: &BenchResult| a.source != b.source && ASPECTS.iter().all(|x| x.of(a) == x.of(b));
    (0..results.len()).any(|i| results[i + 1..].iter().any(|other| same(results[i], other)))
}

fn label(aspects: &[Aspect], result: &BenchResult) -> String {
    let texts: Vec<String> = aspects.iter().map(|aspect| aspect.of(result)).collect();
    texts
        .into_iter()
        .filter(|text| !text.is_empty())
        .collect::<Vec<_>>()
        .join(", ")
}

/// Groups results that differ in none of `aspects`, in the order of their first occurrence.
fn series<'a>(results: &[&'a BenchResult], aspects: &[Aspect]) -> Vec<Vec<&'a BenchResult>> {
    let mut all: Vec<(String, Vec<&BenchResult>)> = Vec::new();
    for &result in results {
        let key = label(aspects, result);
        match all.iter_mut().find(|(other, _)| *other == key) {
            Some((_, members)) => members.push(result),
            None => all.push((key, vec![result])),
        }
    }
    all.into_iter().map(|(_, members)| members).collect()
}

/// Returns the result with the most points of every series.
fn largest<'a>(results: &[&'a BenchResult], aspects: &[Aspect]) -> Vec<&'a BenchResult> {
    let most = |members: Vec<&'a BenchResult>| members.into_iter().max_by(|a, b| a.points.total_cmp(&b.points));
    series(results, aspects).into_iter().filter_map(most).collect()
}

fn distinct(results: &[&BenchResult], value: impl Fn(&BenchResult) -> f64) -> usize {
    let mut values: Vec<f64> = results.iter().map(|r| value(r)).collect();
    values.sort_by(f64::total_cmp);
    values.dedup();
    values.len()
}

/// Returns one line for each series, its points from left to right.
fn curves(all: &[Vec<&BenchResult>], aspects: &[Aspect], x: impl Fn(&BenchResult) -> f64) -> Vec<Curve> {
    // The first property selects the colour, all others together the mark.
    let (first, others) = aspects.split_at(aspects.len().min(1));
    let number = |aspects: &[Aspect], result: &BenchResult| {
        let mut seen: Vec<String> = all.iter().map(|members| label(aspects, members[0])).collect();
        let mut known = std::collections::HashSet::new();
        seen.retain(|text| known.insert(text.clone()));
        seen.iter()
            .position(|text| *text == label(aspects, result))
            .unwrap_or(0)
    };
    let curve = |members: &Vec<&BenchResult>| {
        let mut points: Vec<(f64, f64)> = members.iter().map(|r| (x(r), r.gdof_per_s)).collect();
        points.sort_by(|a, b| a.0.total_cmp(&b.0));
        Curve {
            label: label(aspects, members[0]),
            x: points.iter().map(|p| p.0).collect(),
            y: points.iter().map(|p| p.1).collect(),
            style: Style::measured(number(first, members[0]), number(others, members[0])),
        }
    };
    all.iter().map(curve).collect()
}

fn speed_by_size(all: &[Vec<&BenchResult>], aspects: &[Aspect]) -> Panel {
    Panel {
        title: "Speed against size".into(),
        x_label: "solution points".into(),
        y_label: "speed [GDOF/s]".into(),
        curves: curves(all, aspects, |r| r.points),
        x_scale: Scale::Logarithmic,
        y_scale: Scale::FromZero,
        ..Panel::default()
    }
}

fn speed_by_order(all: &[Vec<&BenchResult>], aspects: &[Aspect], references: &[Reference]) -> Panel {
    let mut curves = curves(all, aspects, |r| r.order as f64);
    if curves.len() == 1 && curves[0].label.is_empty() && !references.is_empty() {
        curves[0].label = "fr-les".into();
    }
    curves.extend(references.iter().enumerate().map(|(index, reference)| Curve {
        label: reference.label.clone(),
        x: reference.points.iter().map(|p| p.0).collect(),
        y: reference.points.iter().map(|p| p.1).collect(),
        style: Style::elsewhere(index),
    }));
    Panel {
        title: "Speed against order".into(),
        x_label: "polynomial degree p".into(),
        y_label: "speed [GDOF/s]".into(),
        curves,
        x_scale: Scale::Whole,
        y_scale: Scale::FromZero,
        ..Panel::default()
    }
}

/// Returns the results whose bars are shown, and the title that says which they are.
fn shown_in_budget<'a>(all: &[&'a BenchResult], differing: &[Aspect]) -> (Vec<&'a BenchResult>, String) {
    let aspects: Vec<Aspect> = differing.iter().copied().filter(|a| *a != Cells).collect();
    let best = |r: &BenchResult| {
        let same = all.iter().filter(|other| label(&aspects, other) == label(&aspects, r));
        same.fold(f64::INFINITY, |least: f64, other| least.min(other.stage))
    };
    let mut shown: Vec<&BenchResult> = all.iter().copied().filter(|r| r.stage <= TALLEST * best(r)).collect();
    let mut title = "Time of a stage".to_owned();
    if shown.len() > MOST_BARS {
        shown = largest(all, &aspects);
        title += ", largest size of each series";
    } else if shown.len() < all.len() {
        title += &format!(", without sizes over {TALLEST} times the best");
    }
    if shown.len() > MOST_BARS {
        tracing::warn!("{} bars are too many: the first {MOST_BARS} are drawn", shown.len());
        shown.truncate(MOST_BARS);
        title += &format!(", first {MOST_BARS}");
    }
    (shown, title)
}

/// Returns bars of all results except those of a series that are much slower than its best: these are small ones on a
/// GPU and would leave no room for the others. If the bars are too many, only the largest size of each series is shown.
fn budget(all: &[&BenchResult], differing: &[Aspect]) -> Panel {
    let (shown, title) = shown_in_budget(all, differing);
    let mut named: Vec<Aspect> = ASPECTS.into_iter().filter(|aspect| differs(*aspect, &shown)).collect();
    if differing.contains(&Source) {
        named.insert(0, Source);
    }
    if named.is_empty() {
        named = vec![Order, Cells];
    }
    let bar = |r: &&BenchResult| {
        let kernels: f64 = r.kernels.iter().sum();
        let mut parts = r.kernels.to_vec();
        // Kernels are timed in bursts, and their sum may exceed the time of the stage: then nothing remains for the
        // rest.
        parts.push((r.stage - kernels).max(0.0));
        let label = named.iter().map(|aspect| aspect.of(r)).filter(|text| !text.is_empty());
        Bar {
            label: label.collect(),
            parts,
            total: r.stage,
        }
    };
    let bars: Vec<Bar> = shown.iter().map(bar).collect();
    debug_assert_eq!(PARTS.len(), KERNELS.len() + 1);
    // A part that no bar has gets no entry in the legend; zero heights are not drawn.
    let used = |part: &usize| bars.iter().any(|bar| bar.parts[*part] > 0.0);
    let kept: Vec<usize> = (0..PARTS.len()).filter(used).collect();
    Panel {
        title,
        x_label: String::new(),
        y_label: "time [ns per DOF and stage]".into(),
        bars: Some(Bars {
            parts: kept
                .iter()
                .map(|&part| (PARTS[part].0.to_owned(), PARTS[part].1))
                .collect(),
            total: "whole stage".into(),
            bars: bars
                .iter()
                .map(|bar| Bar {
                    parts: kept.iter().map(|&part| bar.parts[part]).collect(),
                    ..bar.clone()
                })
                .collect(),
        }),
        wide: shown.len() > NARROW,
        ..Panel::default()
    }
}
