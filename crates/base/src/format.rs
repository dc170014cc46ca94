//! Formatting of times and positions in logs and errors: with fixed decimals for numbers of ordinary size, and with an
//! exponent for very small and very large ones; durations and sizes in fitting units; reading of the numbers in the
//! heads of tables; and texts of files as they are shown.

use std::borrow::Cow;
use std::fmt::Write;

use crate::vector::Vector;

/// Returns true if fixed decimals suit a number of this size.
fn ordinary(size: f64) -> bool {
    size == 0.0 || (1e-3..1e7).contains(&size)
}

/// Returns a text, which may come from a file, as it is shown on a terminal or a page. Characters that steer a terminal
/// or turn the direction of a text are replaced by their numbers, as in `<U+001B>`; line feeds and tabs stay.
pub fn plain(text: &str) -> Cow<'_, str> {
    if !text.contains(steers) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    // A line may end as in files of Windows.
    for character in text.replace("\r\n", "\n").chars() {
        if steers(character) {
            let _ = write!(out, "<U+{:04X}>", u32::from(character));
        } else {
            out.push(character);
        }
    }
    Cow::Owned(out)
}

/// Returns whether a character is a control character but for line feed and tab, a mark of direction (Unicode Standard
/// Annex 9), or one of the two that XML does not allow besides.
fn steers(character: char) -> bool {
    match character {
        '\n' | '\t' => false,
        '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => true,
        '\u{fffe}' | '\u{ffff}' => true,
        other => other.is_control(),
    }
}

/// Returns the number of `key = NUMBER` in a list separated by commas, as in the heads of tables. A unit may follow it.
pub fn assigned(entries: &str, key: &str) -> Option<f64> {
    let of_key = |entry: &str| {
        let (name, value) = entry.split_once('=')?;
        if name.trim() == key {
            leading_number(value)
        } else {
            None
        }
    };
    entries.split(',').find_map(of_key)
}

/// Returns the finite number at the beginning of a text.
pub fn leading_number(text: &str) -> Option<f64> {
    let first = text.split_whitespace().next()?;
    first.parse().ok().filter(|value: &f64| value.is_finite())
}

/// Formats a physical time.
pub fn physical_time(time: f64) -> String {
    if time == 0.0 {
        "0".to_owned()
    } else if ordinary(time.abs()) {
        format!("{time:.6}")
    } else {
        format!("{time:.6e}")
    }
}

/// Formats a time on the clock, given in seconds, in fitting units.
pub fn duration(seconds: f64) -> String {
    let whole = seconds.round() as u64;
    match whole {
        _ if seconds < 0.1 => format!("{:.3} ms", 1e3 * seconds),
        _ if seconds < 10.0 => format!("{seconds:.2} s"),
        0..60 => format!("{seconds:.1} s"),
        60..3600 => format!("{} min {} s", whole / 60, whole % 60),
        3600..86400 => format!("{} h {} min", whole / 3600, whole % 3600 / 60),
        _ => format!("{} d {} h", whole / 86400, whole % 86400 / 3600),
    }
}

/// Formats a number of bytes in a fitting unit, of which each is 1000 times the one before.
pub fn size(bytes: f64) -> String {
    match bytes {
        // A sum over nothing is -0.
        _ if bytes < 1e6 => format!("{:.1} kB", 1e-3 * bytes + 0.0),
        _ if bytes < 1e9 => format!("{:.1} MB", 1e-6 * bytes),
        _ => format!("{:.1} GB", 1e-9 * bytes),
    }
}

/// Formats a number for a sentence, with six significant digits at most.
pub fn number(value: f64) -> String {
    if ordinary(value.abs()) {
        trimmed(format!("{value:.*}", 6 - integer_digits(value)))
    } else {
        format!("{value:.5e}")
    }
}

/// Formats a number for a table, with four significant digits.
pub fn four_digits(value: f64) -> String {
    rounded(value, 4)
}

/// Formats a number for a sentence, with four significant digits at most, or all five of its whole part.
pub fn short(value: f64) -> String {
    let text = rounded(value, 5);
    if text.contains('e') { text } else { trimmed(text) }
}

/// Returns a number with four significant digits. One with more than so many digits before the point, or below 0.001,
/// has an exponent.
fn rounded(value: f64, whole: i32) -> String {
    if value == 0.0 || !value.is_finite() {
        return format!("{}", value + 0.0);
    }
    let text = format!("{value:.3e}");
    let (_, exponent) = text.split_once('e').expect("an exponent");
    match exponent.parse::<i32>().expect("a whole number") {
        exponent if (-3..whole).contains(&exponent) => format!("{value:.*}", (3 - exponent).max(0) as usize),
        _ => text,
    }
}

/// Returns the digits before the point of an ordinary number, 6 at most.
fn integer_digits(value: f64) -> usize {
    format!("{:.0}", value.abs().trunc()).len().min(6)
}

/// Removes zeros at the end of the decimals, and the sign of a zero.
fn trimmed(text: String) -> String {
    let short = text.trim_end_matches('0').trim_end_matches('.');
    match short {
        _ if !text.contains('.') => text,
        "-0" => "0".to_owned(),
        short => short.to_owned(),
    }
}

/// Formats a position in parentheses; the largest coordinate determines the form of all three.
pub fn location(at: Vector) -> String {
    let [x, y, z] = if ordinary(at.iter().fold(0.0, |most, x| x.abs().max(most))) {
        at.map(|x| trimmed(format!("{x:.6}")))
    } else {
        at.map(|x| format!("{x:.6e}"))
    };
    format!("({x}, {y}, {z})")
}

/// Returns the beginning of a name that may be too long for a message.
pub fn shortened(name: &str) -> String {
    const MOST: usize = 40;
    match name.char_indices().nth(MOST) {
        None => format!("{name:?}"),
        Some((end, _)) => format!("{:?}...", &name[..end]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_steer_no_terminal_and_turn_no_line() {
        assert!(matches!(plain("Wirbel, α = 5°\n\tnächste Zeile"), Cow::Borrowed(_)));
        assert_eq!(
            plain("a\u{1b}]0;b\u{7}\r\u{9b}c\u{7f}\r\n"),
            "a<U+001B>]0;b<U+0007><U+000D><U+009B>c<U+007F>\n"
        );
        assert_eq!(
            plain("\u{202e}txt.\u{2066}\u{200f}\u{ffff}"),
            "<U+202E>txt.<U+2066><U+200F><U+FFFF>"
        );
    }

    #[test]
    fn numbers_of_sentences_have_no_idle_digits() {
        assert_eq!(
            [1.2121834, -300.0, 101325.25, 0.0, 1e-9, 2.5e8].map(number),
            ["1.21218", "-300", "101325", "0", "1.00000e-9", "2.50000e8"]
        );
    }

    #[test]
    fn short_numbers_have_four_digits() {
        let numbers = [
            0.0,
            -0.0,
            1.0,
            71.42857,
            0.1,
            101_325.0,
            1.716e-5,
            0.001_234_5,
            340.29,
            9.9996,
        ];
        assert_eq!(
            numbers.map(short),
            [
                "0", "0", "1", "71.43", "0.1", "1.013e5", "1.716e-5", "0.001234", "340.3", "10"
            ]
        );
        assert_eq!(
            numbers.map(four_digits),
            [
                "0", "0", "1.000", "71.43", "0.1000", "1.013e5", "1.716e-5", "0.001234", "340.3", "10.00"
            ]
        );
    }

    #[test]
    fn durations_and_sizes_have_fitting_units() {
        let times = [0.001_234, 5.0, 12.3, 75.0, 7265.0, 2.3 * 86400.0];
        assert_eq!(
            times.map(duration),
            ["1.234 ms", "5.00 s", "12.3 s", "1 min 15 s", "2 h 1 min", "2 d 7 h"]
        );
        assert_eq!(
            [2e3, 3.5e6, 7.25e10, -0.0].map(size),
            ["2.0 kB", "3.5 MB", "72.5 GB", "0.0 kB"]
        );
    }

    #[test]
    fn small_and_large_numbers_keep_their_digits() {
        assert_eq!(
            [0.0, 0.0025, 300.0, -1.5].map(physical_time),
            ["0", "0.002500", "300.000000", "-1.500000"]
        );
        assert_eq!([1.25e-8, 1.83646e14].map(physical_time), ["1.250000e-8", "1.836460e14"]);
        assert_eq!(location([0.5, -1e-17, 2.0]), "(0.5, 0, 2)");
        assert_eq!(
            location([1e-6, -2.5e-7, 0.0]),
            "(1.000000e-6, -2.500000e-7, 0.000000e0)"
        );
    }
}
