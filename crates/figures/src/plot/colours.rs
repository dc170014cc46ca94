//! Colour maps of pictures: one for values from low to high, and one for values around zero.
//!
//! A few extremes would hide all other values, so that the ends of a map are often [quantiles](quantile) of the values.

/// A colour map by its colours at equal distances.
#[derive(Debug, PartialEq)]
pub struct Map(&'static [[u8; 3]]);

/// Viridis by S. van der Walt, N. Smith and E. Firing (in the public domain): even in lightness, also in print and for
/// people with the common colour deficiencies.
pub const LOW_TO_HIGH: Map = Map(&[
    [68, 1, 84],
    [72, 40, 120],
    [62, 74, 137],
    [49, 104, 142],
    [38, 130, 142],
    [31, 158, 137],
    [53, 183, 121],
    [109, 205, 89],
    [180, 222, 44],
    [253, 231, 37],
]);

/// From blue through white to red.
pub const AROUND_ZERO: Map = Map(&[
    [5, 48, 97],
    [33, 102, 172],
    [67, 147, 195],
    [146, 197, 222],
    [247, 247, 247],
    [244, 165, 130],
    [214, 96, 77],
    [178, 24, 43],
    [103, 0, 31],
]);

impl Map {
    /// Returns the colour at a share from 0 to 1 of the map.
    pub fn at(&self, share: f64) -> [u8; 3] {
        let place = share.clamp(0.0, 1.0) * (self.0.len() - 1) as f64;
        let first = (place as usize).min(self.0.len() - 2);
        let between = place - first as f64;
        std::array::from_fn(|c| {
            let (a, b) = (f64::from(self.0[first][c]), f64::from(self.0[first + 1][c]));
            (a + between * (b - a)).round() as u8
        })
    }

    /// Returns the map as a gradient of CSS.
    pub fn gradient(&self) -> String {
        let colours: Vec<String> = self.0.iter().map(|[r, g, b]| format!("rgb({r},{g},{b})")).collect();
        format!("linear-gradient(to right,{})", colours.join(","))
    }
}

/// Returns the value below which a share of the values lies; 0 if there are none.
pub fn quantile(mut values: Vec<f64>, share: f64) -> f64 {
    if values.is_empty() {
        return 0.0;
    }
    values.sort_unstable_by(f64::total_cmp);
    values[(share * (values.len() - 1) as f64).round() as usize]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_map_has_its_colours_at_equal_distances_and_their_means_between() {
        assert_eq!(LOW_TO_HIGH.at(0.0), [68, 1, 84]);
        assert_eq!(LOW_TO_HIGH.at(1.0), [253, 231, 37]);
        assert_eq!(LOW_TO_HIGH.at(1.0 / 18.0), [70, 21, 102]);
        assert_eq!(AROUND_ZERO.at(0.5), [247, 247, 247]);
    }

    #[test]
    fn a_quantile_is_one_of_the_values() {
        assert_eq!(quantile(vec![3.0, 1.0, 2.0, 5.0, 4.0], 0.75), 4.0);
        assert_eq!(quantile(Vec::new(), 0.5), 0.0);
    }
}
