//! Formatting of times and positions in logs and errors: with fixed decimals for numbers of ordinary size, and with an
//! exponent for very small and very large ones.

use crate::vector::Vector;

/// Returns true if fixed decimals suit a number of this size.
fn ordinary(size: f64) -> bool {
    size == 0.0 || (1e-3..1e7).contains(&size)
}

/// Formats a physical time.
pub fn physical_time(time: f64) -> String {
    match ordinary(time.abs()) {
        _ if time == 0.0 => "0".to_owned(),
        true => format!("{time:.6}"),
        false => format!("{time:.6e}"),
    }
}

/// Formats a position in parentheses; the largest coordinate determines the form of all three.
pub fn location(at: Vector) -> String {
    let [x, y, z] = at;
    match ordinary(at.iter().fold(0.0, |most, x| x.abs().max(most))) {
        true => format!("({x:.6}, {y:.6}, {z:.6})"),
        false => format!("({x:.6e}, {y:.6e}, {z:.6e})"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_and_large_numbers_keep_their_digits() {
        assert_eq!(
            [0.0, 0.0025, 300.0, -1.5].map(physical_time),
            ["0", "0.002500", "300.000000", "-1.500000"]
        );
        assert_eq!([1.25e-8, 1.83646e14].map(physical_time), ["1.250000e-8", "1.836460e14"]);
        assert_eq!(location([0.5, -1e-17, 2.0]), "(0.500000, -0.000000, 2.000000)");
        assert_eq!(
            location([1e-6, -2.5e-7, 0.0]),
            "(1.000000e-6, -2.500000e-7, 0.000000e0)"
        );
    }
}
