//! Exponents in texts of figures and tables. Files write units in ASCII, as in `J/m^3`; whoever reads a figure expects
//! J/m³.

use std::borrow::Cow;

/// Returns `number` in superscript digits, for powers and units.
pub(super) fn superscript(number: &str) -> String {
    let raise = |character| match character {
        '-' | '\u{2212}' => '⁻',
        '1' => '¹',
        '2' => '²',
        '3' => '³',
        // The other superscript digits have consecutive codes.
        '0' | '4'..='9' => char::from_u32(0x2070 + u32::from(character) - u32::from('0')).unwrap_or(character),
        other => other,
    };
    number.chars().map(raise).collect()
}

/// Returns a text whose whole exponents are raised: those of `^` with an integer behind it. Others, as that of
/// `x^1.5`, stay as they are.
pub fn raised(text: &str) -> Cow<'_, str> {
    let mut parts = text.split('^');
    let Some(first) = parts.next().filter(|first| first.len() < text.len()) else {
        return Cow::Borrowed(text);
    };
    let mut out = first.to_owned();
    for part in parts {
        let sign = usize::from(part.starts_with('-'));
        let digits = part[sign..].bytes().take_while(u8::is_ascii_digit).count();
        let (exponent, rest) = part.split_at(sign + digits);
        let goes_on = rest.starts_with(|next: char| next == '.' || next == '_' || next.is_alphanumeric());
        if digits == 0 || goes_on {
            out.push('^');
            out += part;
        } else {
            out += &superscript(exponent);
            out += rest;
        }
    }
    Cow::Owned(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn superscripts_hold_all_digits_and_the_minus_sign() {
        assert_eq!(superscript("-1234567890"), "⁻¹²³⁴⁵⁶⁷⁸⁹⁰");
    }

    #[test]
    fn whole_exponents_are_raised_and_others_stay() {
        for (text, expected) in [
            ("heat_flux, W/m^2", "heat_flux, W/m²"),
            ("h, W/(m^2 K)", "h, W/(m² K)"),
            ("m^2/s^2", "m²/s²"),
            ("s^-2", "s⁻²"),
            ("64^3 points, 10^12", "64³ points, 10¹²"),
            ("x^1.5", "x^1.5"),
            ("x^2y", "x^2y"),
            ("a^b, ^", "a^b, ^"),
            ("2^-x", "2^-x"),
            ("no exponent", "no exponent"),
        ] {
            assert_eq!(raised(text), expected);
        }
    }
}
