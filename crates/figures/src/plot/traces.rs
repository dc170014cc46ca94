//! Curves of columns over time or frequency, of one run or of several, and the panels that they share. Columns of one
//! unit have a panel together, and so have the points of a column of probes. Colours tell the lines of one run apart,
//! or else the runs, whose lines then have dashes.

use super::columns::UNIT_OF_NONE;
use super::figure::{Band, Curve, Figure, Marker, Panel, Scale, Style};
use super::thinned::thinned;

/// Most lines of a panel, and most if each is drawn for several runs, which have as many dashes.
const LINES: usize = 8;
const LINES_OF_RUNS: usize = 4;
/// Panels side by side, of which one that is left over takes a row.
const SIDE_BY_SIDE: usize = 3;
/// Dashes of the lines of a reference.
const REFERENCE_DASHES: [&str; LINES_OF_RUNS] = ["9 5", "3 3", "12 3 3 3", "1 5"];

/// A column of a run as a curve, at one point if it is that of probes.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Trace {
    /// Number of the run in the figure.
    pub(super) run: usize,
    /// The column.
    pub(super) column: String,
    /// Name and unit of what is drawn of it.
    pub(super) name: String,
    pub(super) unit: String,
    /// What columns with a panel of their own have in common.
    pub(super) family: String,
    /// The number of the point.
    pub(super) point: Option<u64>,
    /// Horizontal and vertical positions.
    pub(super) x: Vec<f64>,
    pub(super) y: Vec<f64>,
    /// The ends of the band at these places, if there is one.
    pub(super) band: Option<[Vec<f64>; 2]>,
}

impl Trace {
    /// Returns what it shares with others in a panel, and what tells it apart from them.
    fn place(&self) -> (String, String) {
        match self.point {
            Some(point) => (self.column.clone(), format!("point {point}")),
            None => (self.family.clone(), self.column.clone()),
        }
    }
}

/// What curves are drawn over, and how.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Axes {
    /// Quantity and unit along the horizontal axis.
    pub(super) x_label: String,
    pub(super) x_scale: Scale,
    pub(super) y_scale: Scale,
    /// What is drawn of a column, in a title; nothing of the column itself.
    pub(super) what: Option<&'static str>,
}

/// A panel with its lines: what they share, and the name of each.
struct Group {
    shared: String,
    lines: Vec<String>,
}

impl Group {
    /// Returns the number of the line of a curve.
    fn line_of(&self, trace: &Trace) -> Option<usize> {
        let (shared, line) = trace.place();
        let number = self.lines.iter().position(|known| *known == line);
        number.filter(|_| shared == self.shared)
    }

    /// Returns the number of the line beside which a curve of a reference is drawn. It has the name of the column, and
    /// perhaps neither units nor points.
    fn line_of_reference(&self, trace: &Trace) -> Option<usize> {
        let of_column = || self.lines.iter().position(|line| *line == trace.column);
        let of_points = || (self.shared == trace.column && trace.point.is_none()).then_some(0);
        self.line_of(trace).or_else(of_column).or_else(of_points)
    }
}

/// Returns the figure of the curves of runs with these names, and of a reference with its name.
pub(super) fn figure(traces: &[Trace], runs: &[String], reference: Option<(&str, &[Trace])>, axes: &Axes) -> Figure {
    let groups = groups(traces, runs.len());
    let alone = groups.len() % SIDE_BY_SIDE == 1 && groups.len() > 1;
    let last = groups.len().saturating_sub(1);
    let panel = |(number, group): (usize, &Group)| Panel {
        wide: alone && number == last,
        ..panel(group, traces, runs, reference, axes)
    };
    Figure {
        own_legends: groups.iter().any(|group| group.lines.len() > 1),
        panels: groups.iter().enumerate().map(panel).collect(),
        ..Figure::default()
    }
}

/// Arranges curves in panels, in their order.
fn groups(traces: &[Trace], runs: usize) -> Vec<Group> {
    let most = if runs == 1 { LINES } else { LINES_OF_RUNS };
    let mut groups: Vec<Group> = Vec::new();
    for trace in traces {
        let (shared, line) = trace.place();
        if groups.iter().any(|g| g.shared == shared && g.lines.contains(&line)) {
            continue;
        }
        match groups.iter_mut().find(|g| g.shared == shared && g.lines.len() < most) {
            Some(group) => group.lines.push(line),
            None => groups.push(Group {
                shared,
                lines: vec![line],
            }),
        }
    }
    groups
}

fn panel(group: &Group, traces: &[Trace], runs: &[String], reference: Option<(&str, &[Trace])>, axes: &Axes) -> Panel {
    let single = group.lines.len() == 1;
    let (mut curves, mut bands) = (Vec::new(), Vec::new());
    for trace in traces {
        let Some(line) = group.line_of(trace) else { continue };
        let (style, label) = match (runs.len(), single) {
            (1, true) => (Style::run(0), String::new()),
            (1, false) => (Style::run(line), group.lines[line].clone()),
            (_, true) => (Style::run(trace.run), runs[trace.run].clone()),
            (_, false) => (of_run(trace.run, line), String::new()),
        };
        bands.extend(trace.band.as_ref().map(|[low, high]| Band {
            x: trace.x.clone(),
            low: low.clone(),
            high: high.clone(),
            color: style.color,
        }));
        curves.push(curve(label, trace, style, axes));
    }
    if runs.len() > 1 && !single {
        let entry = |label: &String, style: Style| Curve {
            label: label.clone(),
            x: Vec::new(),
            y: Vec::new(),
            style,
        };
        curves.extend(runs.iter().enumerate().map(|(run, label)| entry(label, of_run(run, 0))));
        let lines = group.lines.iter().enumerate();
        curves.extend(lines.map(|(number, line)| entry(line, of_run(0, number).grey())));
    }
    if let Some((name, traces)) = reference {
        for trace in traces {
            let Some(line) = group.line_of_reference(trace) else {
                continue;
            };
            let style = Style {
                dashes: REFERENCE_DASHES[line % REFERENCE_DASHES.len()],
                ..Style::reference()
            };
            let label = if single {
                name.to_owned()
            } else {
                format!("{name}: {}", group.lines[line])
            };
            curves.push(curve(label, trace, style, axes));
        }
    }
    let shown = traces.iter().find(|trace| group.line_of(trace).is_some());
    let of_column = single || shown.is_some_and(|trace| trace.point.is_some());
    Panel {
        title: match (axes.what, shown) {
            (Some(what), Some(trace)) if of_column => format!("{what} of {}", trace.column),
            (Some(what), _) => what.to_owned(),
            (None, _) => String::new(),
        },
        x_label: axes.x_label.clone(),
        y_label: shown.map_or_else(String::new, |trace| y_label(trace, of_column, axes)),
        curves,
        bands,
        x_scale: axes.x_scale,
        y_scale: axes.y_scale,
        ..Panel::default()
    }
}

/// Returns the name of the vertical axis: that of the column if there is one, or else what columns have in common.
fn y_label(trace: &Trace, of_column: bool, axes: &Axes) -> String {
    let with_unit = |name: &str| match trace.unit.as_str() {
        UNIT_OF_NONE => name.to_owned(),
        unit => format!("{name}, {unit}"),
    };
    match axes.what {
        _ if of_column => with_unit(&trace.name),
        Some(_) => with_unit("power spectral density"),
        None if trace.unit == UNIT_OF_NONE => trace.family.clone(),
        None => trace.unit.clone(),
    }
}

/// Returns the style of a line of one of several runs: the run has the colour, and the line the dashes.
fn of_run(run: usize, line: usize) -> Style {
    Style {
        marker: Marker::None,
        ..Style::measured(run, line)
    }
}

fn curve(label: String, trace: &Trace, style: Style, axes: &Axes) -> Curve {
    let (x, y) = match axes.x_scale {
        // Equal parts are not equally wide there.
        Scale::Logarithmic => (trace.x.clone(), trace.y.clone()),
        _ => thinned(&trace.x, &trace.y),
    };
    Curve { label, x, y, style }
}
