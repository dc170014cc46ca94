//! Expressions of the case file: parsed once, then evaluated at millions of points.
//!
//! The grammar is that of textbooks: + - * / with the usual precedence, ^ binds tighter than the sign before it and to the
//! right (-x^2 is -(x^2), 2^3^2 is 2^9), functions with parentheses. The known crates bind the sign tighter than ^ or are not
//! maintained, so this is our own: a recursive descent into a list of stack operations.

use std::collections::BTreeMap;
use std::sync::Arc;

/// Functions of one argument.
const UNARY: [(&str, fn(f64) -> f64); 15] = [
    ("sin", f64::sin),
    ("cos", f64::cos),
    ("tan", f64::tan),
    ("asin", f64::asin),
    ("acos", f64::acos),
    ("atan", f64::atan),
    ("sinh", f64::sinh),
    ("cosh", f64::cosh),
    ("tanh", f64::tanh),
    ("exp", f64::exp),
    ("ln", f64::ln),
    ("log", f64::ln),
    ("log10", f64::log10),
    ("sqrt", f64::sqrt),
    ("abs", f64::abs),
];

/// Functions of two arguments.
const BINARY: [(&str, fn(f64, f64) -> f64); 4] = [
    ("min", f64::min),
    ("max", f64::max),
    ("atan2", f64::atan2),
    ("pow", f64::powf),
];

/// Position and time, in the order of their indices.
const VARIABLES: [&str; 4] = ["x", "y", "z", "t"];

/// Deepest nesting that is parsed.
const MAX_DEPTH: usize = 200;

#[derive(Debug, Clone, Copy)]
enum Operation {
    Constant(f64),
    Variable(usize),
    Unary(fn(f64) -> f64),
    Binary(fn(f64, f64) -> f64),
}

/// A scalar field of x, y, z, t with all constants resolved.
#[derive(Debug, Clone)]
pub struct Field {
    program: Arc<[Operation]>,
    depth: usize,
}

impl Field {
    /// The same value everywhere.
    pub fn constant(value: f64) -> Self {
        Field {
            program: Arc::new([Operation::Constant(value)]),
            depth: 1,
        }
    }

    /// Parses an expression; `constants` are the names it may use besides pi and x, y, z, t. The error says what is wrong.
    pub fn parse(text: &str, constants: &BTreeMap<String, f64>) -> Result<Self, String> {
        let mut parser = Parser {
            text: text.as_bytes(),
            at: 0,
            depth: 0,
            constants,
            program: Vec::new(),
        };
        parser.sum()?;
        if parser.peek().is_some() {
            return Err(format!("unexpected '{}' in '{text}'", parser.rest()));
        }
        let (mut height, mut depth) = (0usize, 0usize);
        for operation in &parser.program {
            match operation {
                Operation::Constant(_) | Operation::Variable(_) => height += 1,
                Operation::Unary(_) => {}
                Operation::Binary(_) => height -= 1,
            }
            depth = depth.max(height);
        }
        let field = Field {
            program: parser.program.into(),
            depth,
        };
        Ok(if field.is_constant() {
            Field::constant(field.eval([0.0; 3], 0.0))
        } else {
            field
        })
    }

    /// Value at position `x` and time `t`.
    pub fn eval(&self, x: [f64; 3], t: f64) -> f64 {
        let variables = [x[0], x[1], x[2], t];
        let mut small = [0.0; 16];
        let mut large = Vec::new();
        let stack = if self.depth <= small.len() {
            &mut small[..]
        } else {
            large.resize(self.depth, 0.0);
            &mut large[..]
        };
        let mut top = 0;
        for operation in self.program.iter() {
            match *operation {
                Operation::Constant(value) => {
                    stack[top] = value;
                    top += 1;
                }
                Operation::Variable(i) => {
                    stack[top] = variables[i];
                    top += 1;
                }
                Operation::Unary(f) => stack[top - 1] = f(stack[top - 1]),
                Operation::Binary(f) => {
                    top -= 1;
                    stack[top - 1] = f(stack[top - 1], stack[top]);
                }
            }
        }
        stack[0]
    }

    /// Whether it is the same everywhere and always.
    pub fn is_constant(&self) -> bool {
        !self.program.iter().any(|o| matches!(o, Operation::Variable(_)))
    }

    /// Whether it changes in time.
    pub fn depends_on_time(&self) -> bool {
        self.program.iter().any(|o| matches!(o, Operation::Variable(3)))
    }
}

/// Names that an expression refers to and that are not functions, variables or pi.
pub fn names(text: &str) -> Vec<String> {
    let mut names = Vec::new();
    let mut rest = text;
    while let Some(start) = rest.find(|c: char| c.is_ascii_alphanumeric() || c == '_' || c == '.') {
        let tail = &rest[start..];
        let number = tail.starts_with(|c: char| c.is_ascii_digit() || c == '.');
        let length = if number {
            number_length(tail.as_bytes())
        } else {
            tail.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_'))
                .unwrap_or(tail.len())
        };
        if !number {
            names.push(tail[..length].to_owned());
        }
        rest = &tail[length..];
    }
    names.retain(|n| n != "pi" && !known_function(n) && !VARIABLES.contains(&n.as_str()));
    names
}

/// Whether a constant may not have this name.
pub fn is_reserved(name: &str) -> bool {
    name == "pi" || VARIABLES.contains(&name) || known_function(name)
}

fn known_function(name: &str) -> bool {
    UNARY.iter().any(|f| f.0 == name) || BINARY.iter().any(|f| f.0 == name)
}

/// Length of the number at the start of the text: digits, a point, an exponent. At least one character.
fn number_length(text: &[u8]) -> usize {
    let digits = |mut i: usize| {
        while text.get(i).is_some_and(u8::is_ascii_digit) {
            i += 1;
        }
        i
    };
    let mut end = digits(0);
    if text.get(end) == Some(&b'.') {
        end = digits(end + 1);
    }
    if matches!(text.get(end), Some(b'e' | b'E')) {
        let sign = usize::from(matches!(text.get(end + 1), Some(b'+' | b'-')));
        let exponent = digits(end + 1 + sign);
        if exponent > end + 1 + sign {
            end = exponent;
        }
    }
    end.max(1)
}

struct Parser<'a> {
    text: &'a [u8],
    at: usize,
    depth: usize,
    constants: &'a BTreeMap<String, f64>,
    program: Vec<Operation>,
}

impl Parser<'_> {
    fn peek(&mut self) -> Option<u8> {
        while self.text.get(self.at).is_some_and(u8::is_ascii_whitespace) {
            self.at += 1;
        }
        self.text.get(self.at).copied()
    }

    fn take(&mut self, c: u8) -> bool {
        let found = self.peek() == Some(c);
        self.at += usize::from(found);
        found
    }

    fn rest(&self) -> String {
        String::from_utf8_lossy(&self.text[self.at..]).into_owned()
    }

    fn expect(&mut self, c: u8) -> Result<(), String> {
        if self.take(c) {
            return Ok(());
        }
        let rest = self.rest();
        Err(format!(
            "expected '{}' {}",
            c as char,
            if rest.is_empty() {
                "at the end".to_owned()
            } else {
                format!("before '{rest}'")
            }
        ))
    }

    fn sum(&mut self) -> Result<(), String> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(format!("nested deeper than {MAX_DEPTH} levels"));
        }
        self.product()?;
        loop {
            if self.take(b'+') {
                self.product()?;
                self.program.push(Operation::Binary(|a, b| a + b));
            } else if self.take(b'-') {
                self.product()?;
                self.program.push(Operation::Binary(|a, b| a - b));
            } else {
                self.depth -= 1;
                return Ok(());
            }
        }
    }

    fn product(&mut self) -> Result<(), String> {
        self.signed()?;
        loop {
            if self.take(b'*') {
                self.signed()?;
                self.program.push(Operation::Binary(|a, b| a * b));
            } else if self.take(b'/') {
                self.signed()?;
                self.program.push(Operation::Binary(|a, b| a / b));
            } else {
                return Ok(());
            }
        }
    }

    fn signed(&mut self) -> Result<(), String> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(format!("nested deeper than {MAX_DEPTH} levels"));
        }
        if self.take(b'-') {
            self.signed()?;
            self.program.push(Operation::Unary(|a| -a));
        } else if self.take(b'+') {
            self.signed()?;
        } else {
            self.atom()?;
            if self.take(b'^') {
                self.signed()?;
                // Whole powers are products, not the exponential of a logarithm.
                self.program.push(Operation::Binary(|a, b| {
                    if b.fract() == 0.0 && b.abs() < 64.0 {
                        a.powi(b as i32)
                    } else {
                        a.powf(b)
                    }
                }));
            }
        }
        self.depth -= 1;
        Ok(())
    }

    fn atom(&mut self) -> Result<(), String> {
        match self.peek() {
            Some(b'(') => {
                self.at += 1;
                self.sum()?;
                self.expect(b')')
            }
            Some(c) if c.is_ascii_digit() || c == b'.' => {
                let length = number_length(&self.text[self.at..]);
                let text = String::from_utf8_lossy(&self.text[self.at..self.at + length]).into_owned();
                let value: f64 = text.parse().map_err(|_| format!("'{text}' is not a number"))?;
                self.at += length;
                self.program.push(Operation::Constant(value));
                Ok(())
            }
            Some(c) if c.is_ascii_alphabetic() || c == b'_' => self.name(),
            Some(_) => Err(format!("unexpected '{}'", self.rest())),
            None => Err("the expression ends where a value should stand".to_owned()),
        }
    }

    fn name(&mut self) -> Result<(), String> {
        let length = self.text[self.at..]
            .iter()
            .take_while(|c| c.is_ascii_alphanumeric() || **c == b'_')
            .count();
        let name = String::from_utf8_lossy(&self.text[self.at..self.at + length]).into_owned();
        self.at += length;
        if let Some((_, f)) = UNARY.iter().find(|f| f.0 == name) {
            self.expect(b'(')?;
            self.sum()?;
            self.program.push(Operation::Unary(*f));
            return self.expect(b')');
        }
        if let Some((_, f)) = BINARY.iter().find(|f| f.0 == name) {
            self.expect(b'(')?;
            self.sum()?;
            self.expect(b',')?;
            self.sum()?;
            self.program.push(Operation::Binary(*f));
            return self.expect(b')');
        }
        let operation = if let Some(i) = VARIABLES.iter().position(|v| *v == name) {
            Operation::Variable(i)
        } else if name == "pi" {
            Operation::Constant(std::f64::consts::PI)
        } else if let Some(value) = self.constants.get(&name) {
            Operation::Constant(*value)
        } else {
            return Err(self.unknown(&name));
        };
        self.program.push(operation);
        Ok(())
    }

    fn unknown(&self, name: &str) -> String {
        let known = VARIABLES
            .iter()
            .copied()
            .chain(["pi"])
            .chain(self.constants.keys().map(String::as_str))
            .chain(UNARY.iter().map(|f| f.0))
            .chain(BINARY.iter().map(|f| f.0));
        match super::error::nearest(name, known) {
            Some(near) => format!("unknown name '{name}'; did you mean '{near}'?"),
            None => format!("unknown name '{name}'; known are x, y, z, t, pi, the constants and functions such as sin"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(text: &str) -> f64 {
        let constants = BTreeMap::from([("a".to_owned(), 3.0)]);
        Field::parse(text, &constants)
            .unwrap_or_else(|e| panic!("{text}: {e}"))
            .eval([0.5, -2.0, 7.0], 4.0)
    }

    #[test]
    fn expressions_mean_what_textbooks_mean() {
        let (x, y, z, t, a) = (0.5f64, -2.0f64, 7.0f64, 4.0f64, 3.0f64);
        for (text, exact) in [
            ("-x^2", -(x * x)),
            ("2^3^2", 512.0),
            ("2^-1", 0.5),
            ("a - 1 - 1", 1.0),
            ("12/2/3", 2.0),
            ("1e-3 + 2.5E+2", 250.001),
            ("-(-y)", y),
            ("x*-y", 1.0),
            (
                ".5*sin(2*pi*x) + max(z, t)",
                0.5 * (2.0 * std::f64::consts::PI * x).sin() + z,
            ),
            ("a*x + y/z - t", a * x + y / z - t),
            ("sqrt(abs(y))*atan2(1, 2)", 2.0f64.sqrt() * 1.0f64.atan2(2.0)),
            ("tanh(x)^0.5", x.tanh().sqrt()),
        ] {
            assert!(
                (value(text) - exact).abs() <= 1e-15 * exact.abs().max(1.0),
                "{text}: {} != {exact}",
                value(text)
            );
        }
    }

    #[test]
    fn malformed_expressions_are_refused_with_a_reason() {
        for (text, reason) in [
            ("2*", "ends where a value"),
            ("(1", "expected ')'"),
            ("sin x", "expected '('"),
            ("1 2", "unexpected '2'"),
            ("xx", "did you mean 'x'"),
            ("sni(x)", "did you mean 'sin'"),
            ("1..2", "unexpected '.2'"),
            ("x $ y", "unexpected '$ y'"),
            ("", "ends where a value"),
        ] {
            let error = Field::parse(text, &BTreeMap::new()).expect_err(text);
            assert!(error.contains(reason), "{text}: {error}");
        }
        assert!(Field::parse(&"(".repeat(100_000), &BTreeMap::new()).is_err());
        assert!(Field::parse(&"-".repeat(100_000), &BTreeMap::new()).is_err());
    }

    #[test]
    fn names_of_an_expression_are_its_constants() {
        assert_eq!(names("rho0*V0^2/(1.4e1*M^2) + sin(x) - pi"), ["rho0", "V0", "M"]);
    }
}
