//! The curve of a wall in a plane: pieces, each with the points of a line element, chained by their common ends.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

use crate::element::{Elements, gauss_lobatto, lagrange_matrix};

/// A point of the plane.
pub type Place = [f64; 2];

/// What is wrong with pieces that are not one curve.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Fault {
    /// There are so many separate curves.
    Curves(usize),
    /// More than two pieces meet here.
    Fork(Place),
}

/// A curve through stations: closed, or with two ends.
#[derive(Debug)]
pub struct Curve {
    /// The stations in their order along the curve. If it is closed the first one has the largest x.
    pub at: Vec<Place>,
    /// Length along the curve from the first station.
    pub arc: Vec<f64>,
    /// Length of the whole curve.
    pub length: f64,
    /// Whether the curve is closed.
    pub closed: bool,
    places: Places,
    /// The station of each place.
    station_of: Vec<usize>,
    /// Length of the piece that begins at a place.
    piece_lengths: BTreeMap<usize, f64>,
}

/// A piece of the curve.
struct Piece {
    /// Its places, by their number.
    places: Vec<usize>,
    /// Lengths along the piece from its beginning to its places.
    arc: Vec<f64>,
}

fn place(x: &[f64]) -> Place {
    [x[0], x[1]]
}

/// The order of lists of numbers of the same length, by the first that differs.
pub fn order(a: &[f64], b: &[f64]) -> Ordering {
    let pairs = a.iter().zip(b);
    pairs.fold(Ordering::Equal, |o, (x, y)| o.then(x.total_cmp(y)))
}

impl Curve {
    /// Chains pieces, `[piece][point][coordinate]`, whose places agree within the tolerance.
    ///
    /// # Errors
    /// The pieces are not one curve.
    pub fn new(pieces: &[f64], elements: &Elements, tolerance: f64) -> Result<Self, Fault> {
        let n = elements.line.len();
        let mut pieces: Vec<&[f64]> = pieces.chunks(2 * n).collect();
        pieces.sort_unstable_by(|a, b| order(a, b));
        pieces.dedup();
        let known: Vec<Place> = pieces.iter().flat_map(|piece| piece.chunks(2)).map(place).collect();
        let places = Places::new(known, tolerance);
        let lengths = ArcLengths::new(elements);
        let mut from: BTreeMap<usize, Piece> = BTreeMap::new();
        let mut ends: BTreeSet<usize> = BTreeSet::new();
        for piece in pieces {
            let at: Vec<Place> = piece.chunks(2).map(place).collect();
            let numbers: Vec<usize> = at.iter().map(|&x| places.number(x)).collect();
            let first = numbers[0];
            let last = numbers[n - 1];
            if from.get(&first).is_some_and(|same| same.places == numbers) {
                continue;
            }
            for fork in [
                from.contains_key(&first).then_some(at[0]),
                (!ends.insert(last)).then_some(at[n - 1]),
            ] {
                fork.map_or(Ok(()), |at| Err(Fault::Fork(at)))?;
            }
            let arc = lengths.along(&at);
            from.insert(first, Piece { places: numbers, arc });
        }
        Self::chained(places, from, &ends)
    }

    /// Puts the pieces one after the other. They are given by their first places; `ends` are their last ones.
    fn chained(places: Places, mut from: BTreeMap<usize, Piece>, ends: &BTreeSet<usize>) -> Result<Self, Fault> {
        let mut curves = Vec::new();
        let mut piece_lengths = BTreeMap::new();
        // A curve with ends begins at a place where no piece ends.
        while let Some(&start) = from.keys().find(|first| !ends.contains(first)).or(from.keys().next()) {
            let mut chain = vec![start];
            let mut arc = vec![0.0];
            let mut length = 0.0;
            let mut next = start;
            while let Some(piece) = from.remove(&next) {
                let own = piece.arc[piece.arc.len() - 1];
                chain.extend(&piece.places[1..]);
                arc.extend(piece.arc[1..].iter().map(|s| length + s));
                piece_lengths.insert(next, own);
                length += own;
                next = chain[chain.len() - 1];
            }
            curves.push((chain, arc, length));
        }
        let count = curves.len();
        let Some((mut chain, mut arc, length)) = curves.pop().filter(|_| count == 1) else {
            return Err(Fault::Curves(count));
        };
        let closed = chain[0] == chain[chain.len() - 1];
        if closed {
            chain.pop();
            arc.pop();
            // The places are sorted.
            let first = (0..chain.len()).max_by_key(|&i| chain[i]).unwrap_or_default();
            let begin = arc[first];
            chain.rotate_left(first);
            arc.rotate_left(first);
            arc.iter_mut()
                .for_each(|s| *s -= if *s < begin { begin - length } else { begin });
        }
        let mut station_of = vec![0; places.list.len()];
        let numbered = chain.iter().enumerate();
        numbered.for_each(|(station, &place)| station_of[place] = station);
        Ok(Curve {
            at: chain.iter().map(|&number| places.list[number]).collect(),
            arc,
            length,
            closed,
            places,
            station_of,
            piece_lengths,
        })
    }

    /// Number of stations.
    pub fn len(&self) -> usize {
        self.at.len()
    }

    /// Returns the station at a place of a piece.
    pub fn station(&self, at: Place) -> usize {
        self.station_of[self.places.number(at)]
    }

    /// Returns the length of the piece that begins at a place.
    pub fn piece_length(&self, first: Place) -> f64 {
        let length = self.piece_lengths.get(&self.places.number(first));
        length.copied().unwrap_or_default()
    }
}

/// Places of the plane, of which those that agree within a tolerance are one; sorted.
#[derive(Debug)]
struct Places {
    list: Vec<Place>,
    tolerance: f64,
}

impl Places {
    fn new(mut all: Vec<Place>, tolerance: f64) -> Self {
        all.sort_unstable_by(|a, b| order(a, b));
        let mut list: Vec<Place> = Vec::new();
        for x in all {
            let mut close = list.iter().rev().take_while(|place| x[0] - place[0] <= tolerance);
            if !close.any(|place| (place[1] - x[1]).abs() <= tolerance) {
                list.push(x);
            }
        }
        Places { list, tolerance }
    }

    /// Returns the number of one of the places that were given.
    fn number(&self, x: Place) -> usize {
        let begin = self.list.partition_point(|place| place[0] < x[0] - self.tolerance);
        let near = |place: &Place| (place[1] - x[1]).abs() <= self.tolerance;
        begin + self.list[begin..].iter().position(near).unwrap_or_default()
    }
}

/// Lengths along polynomial curves through the points of a line element.
struct ArcLengths {
    n: usize,
    /// Derivatives at quadrature points between neighbouring points, `[interval][quadrature][point]`.
    derivatives: Vec<f64>,
    /// Weights of the quadrature, `[interval][quadrature]`.
    weights: Vec<f64>,
    /// Number of quadrature points of an interval.
    per_interval: usize,
}

impl ArcLengths {
    fn new(elements: &Elements) -> Self {
        let points = &elements.line.points;
        let diff = &elements.line.diff;
        let n = elements.line.len();
        let (nodes, node_weights) = gauss_lobatto(n + 3);
        let mut derivatives = Vec::new();
        let mut weights = Vec::new();
        for ends in points.windows(2) {
            let half = 0.5 * (ends[1] - ends[0]);
            let targets: Vec<f64> = nodes.iter().map(|x| ends[0] + half * (1.0 + x)).collect();
            for row in lagrange_matrix(points, &targets).chunks(n) {
                let at = |k: usize| (0..n).map(|i| row[i] * diff[i * n + k]).sum::<f64>();
                derivatives.extend((0..n).map(at));
            }
            weights.extend(node_weights.iter().map(|w| w * half));
        }
        ArcLengths {
            n,
            derivatives,
            weights,
            per_interval: nodes.len(),
        }
    }

    /// Returns the lengths along the curve through these points from the first one to each.
    fn along(&self, at: &[Place]) -> Vec<f64> {
        let speeds = self.derivatives.chunks(self.n).map(|row| {
            let of = |d: usize| row.iter().zip(at).map(|(r, x)| r * x[d]).sum::<f64>();
            of(0).hypot(of(1))
        });
        let parts: Vec<f64> = speeds.zip(&self.weights).map(|(speed, w)| speed * w).collect();
        let mut lengths = vec![0.0];
        for interval in parts.chunks(self.per_interval) {
            lengths.push(lengths[lengths.len() - 1] + interval.iter().sum::<f64>());
        }
        lengths
    }
}

#[cfg(test)]
mod tests {
    use std::f64::consts::TAU;

    use super::*;
    use crate::element::{Correction, ElementKind};

    const ORDER: usize = 3;

    fn elements() -> Elements {
        Elements::new(ORDER, Correction::Radau, &[ElementKind::Hex])
    }

    /// A piece of the curve with this position as a function of a parameter from `a` to `b`.
    fn piece(a: f64, b: f64, at: impl Fn(f64) -> Place) -> Vec<f64> {
        let points = elements().line.points;
        points.iter().flat_map(|x| at(a + 0.5 * (1.0 + x) * (b - a))).collect()
    }

    /// An ellipse with half axes 2 and 1 about (1, 0), in `n` pieces in a mixed order.
    fn ellipse(n: usize, noise: f64) -> Vec<f64> {
        let angle = |k: usize| 0.3 + TAU * k as f64 / n as f64;
        let at = |t: f64| [1.0 + 2.0 * t.cos(), t.sin() + noise * (1e3 * t).sin()];
        (0..n)
            .map(|k| (k * 7) % n)
            .flat_map(|k| piece(angle(k), angle(k + 1), at))
            .collect()
    }

    #[test]
    fn a_closed_curve_has_its_length_and_begins_at_the_largest_x() {
        let curve = Curve::new(&ellipse(20, 0.0), &elements(), 1e-9).expect("a curve");
        assert!(curve.closed && curve.len() == 60 && curve.arc.is_sorted() && curve.arc[0] == 0.0);
        assert!(curve.at.iter().all(|x| x[0] <= curve.at[0][0]));
        // 4 a E(e^2) = 8 E(3/4).
        assert!((curve.length - 9.688448220547675).abs() < 1e-5, "{}", curve.length);
        // Anticlockwise, as the pieces are.
        let turn = |i: usize| {
            let [a, b] = [curve.at[i], curve.at[(i + 1) % 60]];
            (a[0] - 1.0) * b[1] - (b[0] - 1.0) * a[1]
        };
        assert!((0..60).all(|i| turn(i) > 0.0));
    }

    #[test]
    fn places_that_differ_by_rounding_are_one() {
        let doubled = [ellipse(20, 0.0), ellipse(20, 1e-12)].concat();
        let curve = Curve::new(&doubled, &elements(), 1e-9).expect("a curve");
        assert_eq!(curve.len(), 60);
        assert!(doubled.chunks(2).all(|x| {
            let [a, b] = curve.at[curve.station([x[0], x[1]])];
            (a - x[0]).abs() < 1e-11 && (b - x[1]).abs() < 1e-11
        }));
    }

    #[test]
    fn pieces_that_are_not_one_curve_are_refused() {
        let elements = elements();
        let fault = |pieces: &[Vec<f64>]| Curve::new(&pieces.concat(), &elements, 1e-9).map(|_| ()).unwrap_err();
        let line = |a: Place, b: Place| piece(0.0, 1.0, |t| [a[0] + t * (b[0] - a[0]), a[1] + t * (b[1] - a[1])]);
        assert_eq!(fault(&[]), Fault::Curves(0));
        let far: Vec<f64> = ellipse(20, 0.0).iter().map(|x| x + 10.0).collect();
        assert_eq!(fault(&[ellipse(20, 0.0), far]), Fault::Curves(2));
        let fork = [
            line([0.0, 0.0], [1.0, 0.0]),
            line([1.0, 0.0], [2.0, 0.0]),
            line([1.0, 0.0], [1.0, 1.0]),
        ];
        assert_eq!(fault(&fork), Fault::Fork([1.0, 0.0]));
        let open = Curve::new(
            &[line([0.0, 0.0], [1.0, 0.0]), line([1.0, 0.0], [3.0, 0.0])].concat(),
            &elements,
            1e-9,
        );
        let open = open.expect("a curve");
        assert!(!open.closed && open.len() == 7 && (open.length - 3.0).abs() < 1e-14);
        assert!((0..7).all(|i| (open.arc[i] - open.at[i][0]).abs() < 1e-14));
    }
}
