//! What the files have of each place: the moments, and in profiles the terms of the budget, with their errors.

use super::batches::Batches;
use super::bins::means_of;
use super::budget::TERMS;
use super::layers::Layers;
use super::moments::Column;
use crate::output::estimate::StandardError;

/// The moments and terms.
#[derive(Debug)]
pub struct Values {
    /// The moments.
    pub columns: Vec<Column>,
    /// The layers of a profile with a budget; created with the bins.
    pub layers: Option<Layers>,
}

impl Values {
    /// Returns names and units of the columns of a profile.
    pub fn names(&self) -> Vec<(&str, &'static str)> {
        let moments = self.columns.iter().map(|column| (column.name.as_str(), column.unit));
        let terms = self.layers.iter().flat_map(|_| TERMS);
        moments.chain(terms).collect()
    }

    /// Returns the columns of a profile at its places, `[place][column]`, from the means of the products there.
    pub fn of_places(&self, means: &[Vec<f64>]) -> Vec<Vec<f64>> {
        let of_place = |(place, row): (usize, &Vec<f64>)| {
            let mut values = self.moments(row);
            if let Some(layers) = &self.layers {
                let means: Vec<&[f64]> = means[layers.window(place)].iter().map(Vec::as_slice).collect();
                values.extend(layers.terms(place, &means));
            }
            values
        };
        means.iter().enumerate().map(of_place).collect()
    }

    /// Returns the standard errors of the columns at a place of a profile. The batches have `count` products of each
    /// place.
    pub fn errors(&self, batches: &Batches, place: usize, count: usize) -> Vec<StandardError> {
        let mut errors = batches.errors(place * count, count, |sums| self.moments(&means_of(sums)));
        if let Some(layers) = &self.layers {
            let window = layers.window(place);
            let terms = |sums: &[f64]| {
                let means: Vec<Vec<f64>> = sums.chunks(count).map(means_of).collect();
                let means: Vec<&[f64]> = means.iter().map(Vec::as_slice).collect();
                layers.terms(place, &means).to_vec()
            };
            errors.extend(batches.errors(window.start * count, window.len() * count, terms));
        }
        errors
    }

    fn moments(&self, means: &[f64]) -> Vec<f64> {
        self.columns.iter().map(|column| column.value(means)).collect()
    }
}
