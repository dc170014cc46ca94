//! The extent of a row across its section: the heights of its cells from one end to the other.
//!
//! Between end walls there are layers at both, and equal cells between them. With a tip gap the blade ends at a flat
//! tip before one of the walls. The gap has layers at both of its walls, the tip and the end wall, which take the place
//! of the other layers there. On the blade's side of the tip the heights grow from those of the gap to those of the
//! equal cells, since the shear layer at the edge of the tip needs small cells on both sides.

use std::ops::Range;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::heights::Layers;
use crate::input::Problem;

/// Most cells in a gap, and most layers on the blade's side of a tip.
const MOST_CELLS: usize = 200;
/// Largest ratio of the heights of the cells in the middle of a gap and of the layer beside them.
const LARGEST_STEP: f64 = 3.0;

/// One of the walls that close a span.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum EndWall {
    /// The hub.
    Hub,
    /// The casing.
    #[default]
    Casing,
}

/// The extent across the section.
#[derive(Debug, Clone, Copy)]
pub struct Span {
    /// Length.
    pub length: f64,
    /// Number of cells; between end walls, of those between the layers of both.
    pub cells: usize,
    /// Layers at each end wall; `None` if the span is periodic.
    pub walls: Option<Layers>,
    /// The gap between the blade and an end wall, if there is one.
    pub gap: Option<TipGap>,
}

/// A gap between the flat tip of the blade and an end wall.
#[derive(Debug, Clone, Copy)]
pub struct TipGap {
    /// The end wall before which the blade ends.
    pub at: EndWall,
    /// Height of the gap.
    pub height: f64,
    /// Layers at the tip and at the end wall.
    pub layers: Layers,
    /// Number of the equal cells between both layers; `None` for as many as make them about as high as the last layer.
    pub cells: Option<usize>,
}

impl TipGap {
    /// Height that the layers leave between them.
    fn room(&self) -> f64 {
        self.height - 2.0 * self.layers.thickness()
    }

    /// Number of cells that are about as high as the last layer.
    fn fitting_cells(&self) -> usize {
        (self.room() / self.layers.last()).round().max(1.0) as usize
    }

    /// Number of the equal cells between the layers.
    pub(super) fn core_cells(&self) -> usize {
        self.cells.unwrap_or_else(|| self.fitting_cells())
    }

    /// Height of each of the equal cells.
    pub(super) fn core_height(&self) -> f64 {
        self.room() / self.core_cells() as f64
    }

    /// Number of all cells over the height of the gap.
    pub(super) fn all_cells(&self) -> usize {
        self.core_cells() + 2 * self.layers.number
    }

    /// Refuses a gap that its cells do not fit.
    fn check(&self) -> Result<(), Problem> {
        let thickness = self.layers.thickness();
        if self.room() <= 0.0 {
            let what = format!(
                "the layers at the tip and at the end wall are {thickness:.5} thick each, and the gap is {:.5} high",
                self.height
            );
            return Err(Problem::new(what)
                .key("span.tip-gap.layers")
                .help("fewer layers, or a smaller first layer"));
        }
        let cells = self.core_cells();
        if cells > MOST_CELLS {
            let what =
                format!("the gap would have {cells} cells between its layers: at most {MOST_CELLS} are possible");
            return Err(Problem::new(what)
                .key("span.tip-gap")
                .help("a larger growth or more layers"));
        }
        let step = self.core_height() / self.layers.last();
        if (1.0 / LARGEST_STEP..=LARGEST_STEP).contains(&step) {
            return Ok(());
        }
        let compared = format!(
            "{:.3e} high, and the last layers beside them {:.3e}: one may be at most {LARGEST_STEP} times as high as \
             the other",
            self.core_height(),
            self.layers.last()
        );
        let fitting = self.fitting_cells();
        Err(if cells == fitting {
            Problem::new(format!("the cells between the layers of the gap are {compared}"))
                .key("span.tip-gap.layers")
                .help("fewer layers, or a smaller first layer")
        } else {
            Problem::new(format!("{cells} cells between the layers of the gap are {compared}"))
                .key("span.tip-gap.cells")
                .help(format!("`cells: {fitting}` makes them about as high"))
        })
    }
}

impl Span {
    /// Refuses end walls whose layers fill the span, and a gap that does not fit.
    ///
    /// # Errors
    /// The layers at both walls leave no room between them, or the gap or its layers have none.
    pub(super) fn check(&self) -> Result<(), Problem> {
        match (self.walls, self.gap) {
            (None, None) => Ok(()),
            (None, Some(_)) => Err(Problem::new(
                "a gap lies between the tip of the blade and an end wall, and this row has no layers at end walls",
            )
            .key("span.tip-gap")
            .help("`span.end-walls` closes a span that would be periodic, and has the layers of the other wall")),
            (Some(layers), None) => {
                let thickness = layers.thickness();
                if 2.0 * thickness < self.length {
                    return Ok(());
                }
                let what = format!(
                    "the layers of both end walls are {thickness:.5} thick each, and the span is {:.5} long",
                    self.length
                );
                Err(Problem::new(what)
                    .key("span.end-walls")
                    .help("fewer layers, a smaller growth, or a longer span"))
            }
            (Some(layers), Some(gap)) => self.check_gap(layers, gap),
        }
    }

    fn check_gap(&self, layers: Layers, gap: TipGap) -> Result<(), Problem> {
        let room = self.length - layers.thickness();
        if gap.height >= room {
            let what = format!(
                "the gap is {:.5} high; the span is {:.5} long, of which the layers of the other wall leave {room:.5}",
                gap.height, self.length
            );
            return Err(Problem::new(what)
                .key("span.tip-gap.height")
                .help("a gap is a small part of the span"));
        }
        gap.check()?;
        if self.blade_side_layers() <= MOST_CELLS {
            return Ok(());
        }
        let what = format!(
            "from a first layer of {:.3e} more than {MOST_CELLS} layers are needed on the blade's side of the tip",
            gap.layers.first
        );
        Err(Problem::new(what)
            .key("span.tip-gap.layers.growth")
            .help("a larger growth; from 1.2 to 1.6 are usual"))
    }

    /// Number of the layers on the blade's side of the tip: they grow until they are as high as the equal cells that
    /// they leave. It is above [`MOST_CELLS`] if these do not do.
    pub(super) fn blade_side_layers(&self) -> usize {
        let Some(gap) = self.gap else { return 0 };
        let reached = |number: &usize| {
            let next = gap.layers.first * gap.layers.growth.powi(*number as i32);
            next >= self.core_height_above(*number)
        };
        (0..=MOST_CELLS).find(reached).unwrap_or(MOST_CELLS + 1)
    }

    /// Height of the equal cells if so many layers are on the blade's side of the tip.
    fn core_height_above(&self, blade_side: usize) -> f64 {
        let wall = self.walls.map_or(0.0, |layers| layers.thickness());
        let other = match self.gap {
            None => wall,
            Some(gap) => gap.height + gap.layers.with_number(blade_side).thickness(),
        };
        (self.length - (wall + other)) / self.cells as f64
    }

    /// Number of all cells.
    pub(super) fn all_cells(&self) -> usize {
        let walls = self.walls.map_or(0, |layers| layers.number);
        let other = match self.gap {
            None => walls,
            Some(gap) => gap.all_cells() + self.blade_side_layers(),
        };
        self.cells + walls + other
    }

    /// Height of each of the cells between the layers.
    pub(super) fn core_height(&self) -> f64 {
        self.core_height_above(self.blade_side_layers())
    }

    /// The cells of the gap, counted from one of the end walls; empty without a gap.
    pub(super) fn gap_cells(&self, from: EndWall) -> Range<usize> {
        match self.gap {
            None => 0..0,
            Some(gap) if gap.at == from => 0..gap.all_cells(),
            Some(gap) => self.all_cells() - gap.all_cells()..self.all_cells(),
        }
    }

    /// Places of the nodes of cells of this degree, from 0 at one of the end walls to the length.
    pub(super) fn nodes(&self, order: usize, from: EndWall) -> Vec<f64> {
        let cells = self.all_cells();
        let Some(layers) = self.walls else {
            let steps = order * cells;
            return (0..=steps).map(|i| self.length * i as f64 / steps as f64).collect();
        };
        // The cells' ends, at first from the wall without a gap.
        let low = layers.offsets();
        let high: Vec<f64> = match self.gap {
            None => low.iter().rev().map(|offset| self.length - offset).collect(),
            Some(gap) => {
                let tip = self.length - gap.height;
                let beside = gap.layers.with_number(self.blade_side_layers()).offsets();
                let [in_gap, core] = [gap.layers.offsets(), equal_parts(gap)];
                let below = beside[1..].iter().rev().map(|offset| tip - offset);
                let above = in_gap.iter().chain(&core).map(|offset| tip + offset);
                let at_wall = in_gap.iter().rev().map(|offset| self.length - offset);
                below.chain(above).chain(at_wall).collect()
            }
        };
        let [begin, end] = [low[layers.number], high[0]];
        let core = (1..self.cells).map(|i| begin + (end - begin) * i as f64 / self.cells as f64);
        let mut ends: Vec<f64> = low.iter().copied().chain(core).chain(high).collect();
        if self.gap.is_some_and(|gap| gap.at == from) {
            ends = ends.into_iter().rev().map(|end| self.length - end).collect();
        }
        let inner = ends
            .windows(2)
            .flat_map(|w| (0..order).map(move |i| w[0] + (w[1] - w[0]) * i as f64 / order as f64));
        inner.chain([self.length]).collect()
    }
}

/// Distances from the tip of the ends between the equal cells of a gap.
fn equal_parts(gap: TipGap) -> Vec<f64> {
    let begin = gap.layers.thickness();
    let cells = gap.core_cells();
    (1..cells)
        .map(|i| begin + gap.room() * i as f64 / cells as f64)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn layers(first: f64, growth: f64, number: usize) -> Layers {
        Layers { first, growth, number }
    }

    fn with_gap(at: EndWall) -> Span {
        Span {
            length: 1.0,
            cells: 4,
            walls: Some(layers(0.01, 2.0, 3)),
            gap: Some(TipGap {
                at,
                height: 0.08,
                layers: layers(0.01, 2.0, 2),
                cells: None,
            }),
        }
    }

    fn heights(nodes: &[f64]) -> Vec<f64> {
        nodes.windows(2).map(|pair| pair[1] - pair[0]).collect()
    }

    #[test]
    fn layers_of_end_walls_have_their_heights_and_what_is_left_is_divided_equally() {
        let span = Span {
            gap: None,
            ..with_gap(EndWall::Casing)
        };
        let nodes = span.nodes(2, EndWall::Hub);
        let ends: Vec<f64> = nodes.iter().copied().step_by(2).collect();
        let wanted = [0.01, 0.02, 0.04, 0.215, 0.215, 0.215, 0.215, 0.04, 0.02, 0.01];
        let heights = heights(&ends);
        assert_eq!(heights.len(), wanted.len());
        for (height, wanted) in heights.iter().zip(wanted) {
            assert!((height - wanted).abs() < 1e-15, "{heights:?}");
        }
        for middle in (1..nodes.len()).step_by(2) {
            assert!((nodes[middle] - 0.5 * (nodes[middle - 1] + nodes[middle + 1])).abs() < 1e-15);
        }
    }

    #[test]
    fn heights_grow_from_the_tip_to_both_sides() {
        // On the blade's side 0.01, 0.02, 0.04, 0.08 and 0.16 leave (1 - 0.07 - 0.08 - 0.31)/4 for the equal cells; the
        // first four would leave 0.175, more than twice the last of them.
        let wanted = [
            0.01, 0.02, 0.04, 0.135, 0.135, 0.135, 0.135, 0.16, 0.08, 0.04, 0.02, 0.01, 0.01, 0.02, 0.02, 0.02, 0.01,
        ];
        for (at, from, gap) in [
            (EndWall::Casing, EndWall::Hub, 12..17),
            (EndWall::Hub, EndWall::Casing, 12..17),
            (EndWall::Casing, EndWall::Casing, 0..5),
            (EndWall::Hub, EndWall::Hub, 0..5),
        ] {
            let span = with_gap(at);
            span.check().expect("room");
            let mut heights = heights(&span.nodes(1, from));
            assert_eq!(span.gap_cells(from), gap);
            if gap.start == 0 {
                heights.reverse();
            }
            assert_eq!((heights.len(), span.all_cells()), (wanted.len(), wanted.len()));
            for (height, wanted) in heights.iter().zip(wanted) {
                assert!((height - wanted).abs() < 1e-14, "{heights:?}");
            }
        }
    }

    #[test]
    fn gaps_that_do_not_fit_are_refused() {
        type Change = dyn Fn(&mut TipGap);
        let cases: [(&Change, &str, &str); 5] = [
            (&|gap| gap.height = 0.95, "span.tip-gap.height", "leave 0.93000"),
            (&|gap| gap.height = 0.05, "span.tip-gap.layers", "0.03000 thick each"),
            (&|gap| gap.height = 0.061, "span.tip-gap.layers", "at most 3 times"),
            (
                &|gap| (gap.height, gap.cells) = (0.2, Some(1)),
                "span.tip-gap.cells",
                "`cells: 7` makes",
            ),
            (
                &|gap| gap.layers = layers(1e-3, 1.0, 2),
                "span.tip-gap.layers.growth",
                "more than 200 layers",
            ),
        ];
        for (change, key, words) in cases {
            let mut span = with_gap(EndWall::Casing);
            span.gap.iter_mut().for_each(change);
            let problem = span.check().expect_err("refused");
            let said = format!("{} {:?}", problem.what, problem.help);
            assert!(problem.key == key && said.contains(words), "{}: {said}", problem.key);
        }
        let periodic = Span {
            walls: None,
            ..with_gap(EndWall::Casing)
        };
        assert_eq!(periodic.check().expect_err("refused").key, "span.tip-gap");
    }
}
