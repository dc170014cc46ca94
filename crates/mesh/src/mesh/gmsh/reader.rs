//! The bytes of a mesh file, read one number after the other from text or binary data.
//!
//! Text is split into tokens in place, without a string for each line. A count that the file announces is compared with
//! the capacity of the rest of the file before memory is allocated for it.

use std::path::Path;

use super::super::error::{FilePosition, GmshProblem, MeshError};

/// The byte order of numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Endian {
    /// Least significant byte first.
    Little,
    /// Most significant byte first.
    Big,
}

/// A mesh file that is being read.
#[derive(Debug)]
pub struct Reader<'a> {
    file: &'a Path,
    bytes: &'a [u8],
    /// Offset of the next byte.
    at: usize,
    /// Offset of the number or word last read, for messages.
    start: usize,
    /// Byte order of a binary file; `None` for a text file, and until the header has been read.
    pub binary: Option<Endian>,
}

impl<'a> Reader<'a> {
    /// Starts at the beginning of the file.
    pub fn new(file: &'a Path, bytes: &'a [u8]) -> Self {
        Self {
            file,
            bytes,
            at: 0,
            start: 0,
            binary: None,
        }
    }

    /// Returns an error at the number or word last read.
    pub fn error(&self, problem: GmshProblem) -> MeshError {
        self.error_at(self.start, problem)
    }

    /// Offset of the number or word last read, for [`Reader::error_at`].
    pub fn position(&self) -> usize {
        self.start
    }

    /// Returns an error at an earlier position.
    pub fn error_at(&self, start: usize, problem: GmshProblem) -> MeshError {
        let before = &self.bytes[..start.min(self.bytes.len())];
        let place = match self.binary {
            None => FilePosition::Line(1 + before.iter().filter(|b| **b == b'\n').count()),
            Some(_) => FilePosition::Byte(before.len()),
        };
        MeshError::Gmsh {
            file: self.file.to_path_buf(),
            place,
            problem: Box::new(problem),
        }
    }

    /// Skips white space. Returns false at the end of the file.
    pub fn skip_space(&mut self) -> bool {
        let rest = &self.bytes[self.at..];
        let space = rest.iter().take_while(|b| b.is_ascii_whitespace()).count();
        self.at += space;
        self.start = self.at;
        self.at < self.bytes.len()
    }

    /// Skips the rest of a line after which binary data begin; does nothing in a text file.
    pub fn skip_line_before_data(&mut self) {
        if self.binary.is_some() {
            self.rest_of_line();
        }
    }

    /// Reads the next word of text.
    ///
    /// # Errors
    /// Returns an error at the end of the file.
    pub fn word(&mut self, what: &'static str) -> Result<&'a [u8], MeshError> {
        self.skip_space();
        let rest = &self.bytes[self.at..];
        let length = rest.iter().take_while(|b| !b.is_ascii_whitespace()).count();
        if length == 0 {
            return Err(self.error(GmshProblem::Truncated { what }));
        }
        self.at += length;
        Ok(&rest[..length])
    }

    /// Reads the rest of the line, without its end.
    pub fn rest_of_line(&mut self) -> &'a [u8] {
        let rest = &self.bytes[self.at..];
        let length = rest.iter().take_while(|b| **b != b'\n').count();
        self.start = self.at;
        self.at = (self.at + length + 1).min(self.bytes.len());
        rest[..length].trim_ascii()
    }

    /// Skips a section up to and including `end`, the word that closes it. Returns false if this is missing.
    pub fn skip_past(&mut self, end: &[u8]) -> bool {
        let mut from = self.at;
        while let Some(dollar) = self.bytes[from..].iter().position(|b| *b == b'$') {
            from += dollar;
            if self.bytes[from..].starts_with(end) {
                self.at = from + end.len();
                return true;
            }
            from += 1;
        }
        self.at = self.bytes.len();
        false
    }

    fn unexpected(&self, what: &'static str, found: &[u8]) -> MeshError {
        self.error(GmshProblem::Unexpected {
            what,
            found: excerpt(found),
        })
    }

    fn parse<T: std::str::FromStr>(&mut self, what: &'static str) -> Result<T, MeshError> {
        let word = self.word(what)?;
        let parsed = std::str::from_utf8(word).ok().and_then(|text| text.parse().ok());
        parsed.ok_or_else(|| self.unexpected(what, word))
    }

    /// Reads an integer that is text in binary files too.
    ///
    /// # Errors
    /// The next word is not an integer.
    pub fn text_integer(&mut self, what: &'static str) -> Result<i64, MeshError> {
        let word = self.word(what)?;
        integer(word).ok_or_else(|| self.unexpected(what, word))
    }

    fn raw<const N: usize>(&mut self, endian: Endian, what: &'static str) -> Result<[u8; N], MeshError> {
        self.start = self.at;
        let Some(bytes) = self.bytes[self.at..].first_chunk::<N>() else {
            return Err(self.error(GmshProblem::Truncated { what }));
        };
        self.at += N;
        let mut bytes = *bytes;
        if endian == Endian::Big {
            bytes.reverse();
        }
        Ok(bytes)
    }

    /// Reads a four-byte integer.
    ///
    /// # Errors
    /// There is no integer.
    pub fn int(&mut self, what: &'static str) -> Result<i64, MeshError> {
        match self.binary {
            None => self.text_integer(what),
            Some(endian) => Ok(i64::from(i32::from_le_bytes(self.raw(endian, what)?))),
        }
    }

    /// Reads an unsigned eight-byte integer: a tag or a count.
    ///
    /// # Errors
    /// There is no integer, or it is negative.
    pub fn size(&mut self, what: &'static str) -> Result<u64, MeshError> {
        match self.binary {
            None => {
                let value = self.text_integer(what)?;
                u64::try_from(value).map_err(|_| self.error(GmshProblem::Negative { what, value }))
            }
            Some(endian) => Ok(u64::from_le_bytes(self.raw(endian, what)?)),
        }
    }

    /// Reads a tag that is a four-byte integer.
    ///
    /// # Errors
    /// There is no integer, or it is negative.
    pub fn int_tag(&mut self, what: &'static str) -> Result<u64, MeshError> {
        let value = self.int(what)?;
        u64::try_from(value).map_err(|_| self.error(GmshProblem::Negative { what, value }))
    }

    /// Reads a tag of eight bytes if `wide`, else of four.
    ///
    /// # Errors
    /// There is no integer, or it is negative.
    pub fn tag(&mut self, wide: bool, what: &'static str) -> Result<u64, MeshError> {
        if wide { self.size(what) } else { self.int_tag(what) }
    }

    /// Reads an eight-byte floating-point number.
    ///
    /// # Errors
    /// There is no number.
    pub fn real(&mut self, what: &'static str) -> Result<f64, MeshError> {
        match self.binary {
            None => self.parse(what),
            Some(endian) => Ok(f64::from_le_bytes(self.raw(endian, what)?)),
        }
    }

    /// Reads the 16 numbers of an affine map.
    ///
    /// # Errors
    /// There are fewer numbers.
    pub fn affine_map(&mut self) -> Result<[f64; 16], MeshError> {
        let mut matrix = [0.0; 16];
        for entry in &mut matrix {
            *entry = self.real("a number of an affine map")?;
        }
        Ok(matrix)
    }

    /// Skips `count` numbers of `bytes` each in binary data, or as many words of text.
    ///
    /// # Errors
    /// The file ends before.
    pub fn skip(&mut self, count: usize, bytes: usize, what: &'static str) -> Result<(), MeshError> {
        if self.binary.is_none() {
            return (0..count).try_for_each(|_| self.word(what).map(drop));
        }
        self.start = self.at;
        match count.checked_mul(bytes).filter(|n| *n <= self.bytes.len() - self.at) {
            Some(length) => {
                self.at += length;
                Ok(())
            }
            None => Err(self.error(GmshProblem::Truncated { what })),
        }
    }

    /// Reads the eight-byte count of things that take at least `bytes` each in binary data or `words` words of text.
    ///
    /// # Errors
    /// There is no count, or the rest of the file cannot hold so many things.
    pub fn count(&mut self, what: &'static str, bytes: usize, words: usize) -> Result<usize, MeshError> {
        let count = self.size(what)?;
        self.room_for(count, what, bytes, words)
    }

    /// Reads a count as [`Reader::count`] does, but one that is text in binary files too.
    ///
    /// # Errors
    /// There is no count, or the rest of the file cannot hold so many things.
    pub fn text_count(&mut self, what: &'static str, bytes: usize, words: usize) -> Result<usize, MeshError> {
        let value = self.text_integer(what)?;
        let count = u64::try_from(value).map_err(|_| self.error(GmshProblem::Negative { what, value }))?;
        self.room_for(count, what, bytes, words)
    }

    /// Parses the count in a word that has been read.
    ///
    /// # Errors
    /// The word is not a count, or the rest of the file cannot hold so many things.
    pub fn parsed_count(&self, word: &[u8], what: &'static str, words: usize) -> Result<usize, MeshError> {
        let value = integer(word).ok_or_else(|| self.unexpected(what, word))?;
        let count = u64::try_from(value).map_err(|_| self.error(GmshProblem::Negative { what, value }))?;
        self.room_for(count, what, 1, words)
    }

    /// Checks that the rest of the file can hold `count` things of at least `bytes` or `words` words each.
    pub fn room_for(&self, count: u64, what: &'static str, bytes: usize, words: usize) -> Result<usize, MeshError> {
        let rest = self.bytes.len() - self.at;
        let room = match self.binary {
            // A word takes a character and a separator; the last word needs no separator.
            None => (rest + 1) / (2 * words),
            Some(_) => rest / bytes,
        };
        match usize::try_from(count) {
            Ok(count) if count <= room => Ok(count),
            _ => Err(self.error(GmshProblem::Count { what, count, room })),
        }
    }

    /// Reads the word that ends a section.
    ///
    /// # Errors
    /// The next word is another one.
    pub fn expect(&mut self, end: &'static str) -> Result<(), MeshError> {
        let word = self.word(end)?;
        if word == end.as_bytes() {
            Ok(())
        } else {
            Err(self.unexpected(end, word))
        }
    }
}

/// Parses decimal digits with an optional sign.
fn integer(word: &[u8]) -> Option<i64> {
    let (negative, digits) = match word {
        [b'-', rest @ ..] => (true, rest),
        [b'+', rest @ ..] => (false, rest),
        _ => (false, word),
    };
    if digits.is_empty() {
        return None;
    }
    let mut value = 0i64;
    for digit in digits {
        let digit = digit.wrapping_sub(b'0');
        if digit > 9 {
            return None;
        }
        value = value.checked_mul(10)?.checked_add(i64::from(digit))?;
    }
    Some(if negative { -value } else { value })
}

/// Converts bytes of the file to short text for a message.
pub fn excerpt(bytes: &[u8]) -> String {
    const MOST: usize = 40;
    let mut text: String = String::from_utf8_lossy(&bytes[..bytes.len().min(MOST)])
        .chars()
        .map(|c| if c.is_control() { ' ' } else { c })
        .collect();
    if bytes.len() > MOST {
        text.push_str("...");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reader(bytes: &[u8]) -> Reader<'_> {
        Reader::new(Path::new("a.msh"), bytes)
    }

    #[test]
    fn errors_in_text_name_the_line_and_in_binary_data_the_byte() {
        let mut text = reader(b"1 2\n3 x");
        for expected in [1, 2, 3] {
            assert_eq!(text.int("a number").expect("is there"), expected);
        }
        let error = text.int("a number").expect_err("x is no number").to_string();
        assert_eq!(error, "a.msh: line 2: expected a number, found `x`");
        let mut data = reader(&[7, 0, 0, 0, 1]);
        data.binary = Some(Endian::Little);
        assert_eq!(data.int("a number").expect("is there"), 7);
        let error = data.int("a number").expect_err("ends").to_string();
        assert_eq!(error, "a.msh: byte 4: the file ends where a number should be");
    }

    #[test]
    fn numbers_are_read_in_either_order_of_bytes() {
        let small = -3i32;
        let large = 1u64 << 40;
        let real = -0.125f64;
        for endian in [Endian::Little, Endian::Big] {
            let mut bytes = Vec::new();
            match endian {
                Endian::Little => {
                    bytes.extend(small.to_le_bytes());
                    bytes.extend(large.to_le_bytes());
                    bytes.extend(real.to_le_bytes());
                }
                Endian::Big => {
                    bytes.extend(small.to_be_bytes());
                    bytes.extend(large.to_be_bytes());
                    bytes.extend(real.to_be_bytes());
                }
            }
            let mut data = reader(&bytes);
            data.binary = Some(endian);
            assert_eq!(data.int("an int").expect("is there"), i64::from(small));
            assert_eq!(data.size("a size").expect("is there"), large);
            assert_eq!(data.real("a real").expect("is there"), real);
        }
    }

    #[test]
    fn counts_that_the_file_cannot_hold_are_refused() {
        assert_eq!(reader(b"2 1 2").count("nodes", 8, 1).expect("fits"), 2);
        assert!(reader(b"3 1 2").count("nodes", 8, 1).is_err());
        assert!(reader(b"99999999999999999999999 1").count("nodes", 8, 1).is_err());
        assert!(reader(b"-1 1").count("nodes", 8, 1).is_err());
    }
}
