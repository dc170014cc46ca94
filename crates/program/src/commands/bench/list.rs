//! Lists of whole numbers on the command line: `4`, `4,8,16`, `1..8` (ends included), or a mixture.

use std::ops::RangeInclusive;
use std::str::FromStr;

/// Largest number of cells in one direction.
pub const MOST_CELLS: u64 = 1024;

/// Polynomial degrees.
#[derive(Debug, Clone, PartialEq)]
pub struct Orders(pub Vec<u64>);

/// Cells per direction.
#[derive(Debug, Clone, PartialEq)]
pub struct Cells(pub Vec<u64>);

impl FromStr for Orders {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        numbers(text, 1..=8).map(Orders)
    }
}

impl FromStr for Cells {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        numbers(text, 1..=MOST_CELLS).map(Cells)
    }
}

fn numbers(text: &str, allowed: RangeInclusive<u64>) -> Result<Vec<u64>, String> {
    let number = |word: &str| -> Result<u64, String> {
        let number = word
            .trim()
            .parse()
            .map_err(|_| format!("'{word}' is not a whole number"))?;
        if allowed.contains(&number) {
            Ok(number)
        } else {
            Err(format!("{number} is not in {}..={}", allowed.start(), allowed.end()))
        }
    };
    let mut all = Vec::new();
    for item in text.split(',') {
        match item.split_once("..") {
            Some((first, last)) => {
                let (first, last) = (number(first)?, number(last)?);
                if first > last {
                    return Err(format!("{first} is more than {last}"));
                }
                all.extend(first..=last);
            }
            None => all.push(number(item)?),
        }
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_hold_numbers_and_ranges_with_their_ends() {
        assert_eq!(Orders::from_str("4"), Ok(Orders(vec![4])));
        assert_eq!(Orders::from_str("1..3,8"), Ok(Orders(vec![1, 2, 3, 8])));
        assert_eq!(Cells::from_str("4,8, 16"), Ok(Cells(vec![4, 8, 16])));
    }

    #[test]
    fn what_is_no_list_is_said() {
        for (text, part) in [
            ("", "''"),
            ("4,", "''"),
            ("4;8", "'4;8'"),
            ("0", "0 is not in 1..=8"),
            ("2..9", "9 is not in 1..=8"),
            ("5..2", "5 is more than 2"),
        ] {
            let error = Orders::from_str(text).unwrap_err();
            assert!(error.contains(part), "{text}: {error}");
        }
    }
}
