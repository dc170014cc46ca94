//! The budget of a profile: derivatives along the one direction over which no mean is taken.
//!
//! Cells at the same height have their points at the same places, so that the means at these places are the values of
//! one polynomial, a layer. A place where cells meet belongs to two layers; the terms there are the mean of both,
//! weighted by their thickness. All ranks know all layers, so that the terms do not depend on the division of the
//! cells.

use std::ops::Range;

use super::bins::Bins;
use super::budget::{Budget, Local, TERMS, terms};
use crate::device::statistics::Slots;
use crate::geometry::Geometry;
use crate::ranks::Ranks;

/// The layers of a profile.
#[derive(Debug)]
pub struct Layers {
    budget: Budget,
    /// The direction along which the layers follow each other.
    axis: usize,
    /// Derivative matrix of the points of a line of a cell, `[n][n]`.
    diff: Vec<f64>,
    /// Coordinates of the places.
    at: Vec<f64>,
    /// The places of each layer; ascending.
    layers: Vec<Vec<usize>>,
    /// The layers of each place.
    of_place: Vec<Vec<usize>>,
}

impl Layers {
    /// Finds the layers of the bins of a profile along `axis`, whose cells have lines with this derivative matrix.
    /// Collective.
    pub fn new(
        budget: Budget,
        axis: usize,
        diff: &[f64],
        slots: &Slots,
        bins: &Bins,
        geometry: &Geometry,
        ranks: &Ranks,
    ) -> Self {
        let mut mine: Vec<Vec<usize>> = Vec::new();
        let mut rest = &bins.bin_of_slot[..];
        let mut width = 0;
        for &kind in &geometry.kinds {
            let (of_cell, others) = rest.split_at(slots.slots[kind as usize]);
            rest = others;
            width = of_cell.len();
            let mut places = of_cell.to_vec();
            places.sort_unstable();
            mine.push(places);
        }
        let distinct = |mut layers: Vec<Vec<usize>>| {
            layers.sort_unstable();
            layers.dedup();
            layers
        };
        let mut widest = [width as f64];
        ranks.allreduce_max(&mut widest);
        let flat: Vec<f64> = distinct(mine).concat().iter().map(|&place| place as f64).collect();
        let all: Vec<usize> = ranks.allgather(&flat).iter().map(|&place| place as usize).collect();
        let layers = distinct(all.chunks(widest[0] as usize).map(<[usize]>::to_vec).collect());
        let mut of_place = vec![Vec::new(); bins.at.len()];
        for (number, layer) in layers.iter().enumerate() {
            layer.iter().for_each(|&place| of_place[place].push(number));
        }
        Layers {
            budget,
            axis,
            diff: diff.to_vec(),
            at: bins.at.iter().map(|x| x[0]).collect(),
            layers,
            of_place,
        }
    }

    /// Returns the places whose means enter the terms at a place.
    pub fn window(&self, place: usize) -> Range<usize> {
        let layers = || self.of_place[place].iter().map(|&layer| &self.layers[layer]);
        let first = layers().map(|layer| layer[0]).min().unwrap_or(place);
        let last = layers().map(|layer| layer[layer.len() - 1]).max().unwrap_or(place);
        first..last + 1
    }

    /// Computes the columns of the budget at a place from the means at the places of its window.
    pub fn terms(&self, place: usize, means: &[&[f64]]) -> [f64; TERMS.len()] {
        let first = self.window(place).start;
        let mut sums = [0.0; TERMS.len()];
        let mut thickness = 0.0;
        for layer in self.of_place[place].iter().map(|&layer| &self.layers[layer]) {
            let points: Vec<Local> = layer.iter().map(|&p| self.budget.at(means[p - first])).collect();
            let y: Vec<f64> = layer.iter().map(|&p| self.at[p]).collect();
            let stretch = self.derivative(&y);
            let gradient = |values: &[f64]| {
                let slope = self.derivative(values);
                let of = |(slope, stretch): (&f64, &f64)| {
                    let mut gradient = [0.0; 3];
                    gradient[self.axis] = slope / stretch;
                    gradient
                };
                slope.iter().zip(&stretch).map(of).collect()
            };
            let here = layer.iter().position(|&p| p == place).unwrap_or(0);
            let weight = y[y.len() - 1] - y[0];
            let row = terms(&points, gradient)[here];
            sums.iter_mut().zip(row).for_each(|(sum, x)| *sum += weight * x);
            thickness += weight;
        }
        sums.map(|sum| sum / thickness)
    }

    /// Returns the derivative of values at the points of a line by its reference coordinate.
    fn derivative(&self, values: &[f64]) -> Vec<f64> {
        let row = |row: &[f64]| row.iter().zip(values).map(|(d, x)| d * x).sum();
        self.diff.chunks(values.len()).map(row).collect()
    }
}
