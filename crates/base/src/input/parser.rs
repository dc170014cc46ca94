//! The parser of the expressions of the case file: tokens, then recursive descent that emits the postfix program.
//!
//! Every error gives the position in the text, because a mistake in a long formula is hard to find without it.

use std::collections::BTreeMap;
use std::ops::Range;

use super::problem::{listed, nearest};
use super::program::{Op, Program, STACK, VARIABLES, binary, function, function_names};

/// Longest text accepted, in bytes.
const LONGEST: usize = 4096;

/// An error of an expression, with its position in the text (byte range).
#[derive(Debug, PartialEq)]
pub struct Fault {
    pub what: String,
    pub span: Range<usize>,
    pub help: Option<String>,
}

/// The names an expression may use beside the functions and `pi`.
pub struct Names<'a> {
    /// The first few of [`VARIABLES`].
    pub variables: &'a [&'a str],
    /// Constants and their values.
    pub constants: &'a BTreeMap<String, f64>,
}

/// Compiles `text` to a postfix program.
///
/// # Errors
/// The text is not an expression of these names, or is nested too deeply. The fault gives the position.
pub fn compile(text: &str, names: &Names) -> Result<Program, Fault> {
    if text.len() > LONGEST {
        return Err(fault(
            format!("the expression is longer than {LONGEST} characters"),
            0..1,
        ));
    }
    let mut parser = Parser {
        text,
        names,
        tokens: tokens(text)?,
        next: 0,
        ops: Vec::new(),
        held: 0,
        depth: 0,
    };
    parser.sum()?;
    match parser.peek() {
        (Token::End, _) => Ok(Program(parser.ops)),
        (_, span) => Err(parser.unexpected(span)),
    }
}

/// Returns the names in `text` that are not followed by a parenthesis, known or not.
pub(crate) fn names_in(text: &str) -> Vec<&str> {
    let tokens = tokens(text).unwrap_or_default();
    let calls = tokens.iter().skip(1).map(|(token, _)| *token == Token::Sign('('));
    tokens
        .iter()
        .zip(calls)
        .filter(|((token, _), call)| *token == Token::Name && !call)
        .map(|((_, span), _)| &text[span.clone()])
        .collect()
}

fn fault(what: impl Into<String>, span: Range<usize>) -> Fault {
    Fault {
        what: what.into(),
        span,
        help: None,
    }
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Token {
    Number(f64),
    Name,
    Sign(char),
    End,
}

fn tokens(text: &str) -> Result<Vec<(Token, Range<usize>)>, Fault> {
    let mut tokens = Vec::new();
    let bytes = text.as_bytes();
    let run = |from: usize, accept: fn(u8) -> bool| from + bytes[from..].iter().take_while(|b| accept(**b)).count();
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        let end = match c {
            _ if c.is_whitespace() => {
                at += c.len_utf8();
                continue;
            }
            '0'..='9' | '.' => {
                let mut end = run(at, |b| b.is_ascii_digit() || b == b'.');
                if matches!(bytes.get(end), Some(b'e' | b'E')) {
                    let sign = usize::from(matches!(bytes.get(end + 1), Some(b'+' | b'-')));
                    let digits = run((end + 1 + sign).min(bytes.len()), |b| b.is_ascii_digit());
                    // `2e` without digits is not an exponent; the name that follows is reported instead.
                    if digits > end + 1 + sign {
                        end = digits;
                    }
                }
                match text[at..end].parse::<f64>() {
                    Ok(value) if value.is_finite() => tokens.push((Token::Number(value), at..end)),
                    _ => return Err(fault(format!("`{}` is not a finite number", &text[at..end]), at..end)),
                }
                end
            }
            'a'..='z' | 'A'..='Z' | '_' => {
                let end = run(at, |b| b.is_ascii_alphanumeric() || b == b'_');
                tokens.push((Token::Name, at..end));
                end
            }
            '+' | '-' | '*' | '/' | '^' | '(' | ')' | ',' => {
                tokens.push((Token::Sign(c), at..at + 1));
                at + 1
            }
            _ => {
                return Err(fault(
                    format!("`{c}` has no meaning in an expression"),
                    at..at + c.len_utf8(),
                ));
            }
        };
        at = end;
    }
    tokens.push((Token::End, text.len()..text.len()));
    Ok(tokens)
}

/// Recursive descent; emits the operations in postfix order.
struct Parser<'a> {
    text: &'a str,
    names: &'a Names<'a>,
    tokens: Vec<(Token, Range<usize>)>,
    next: usize,
    ops: Vec<Op>,
    /// Number of operands on the stack at this point of the program.
    held: usize,
    /// Depth of the recursion, which is limited so that a long row of parentheses cannot exhaust the stack.
    depth: usize,
}

impl Parser<'_> {
    fn peek(&self) -> (Token, Range<usize>) {
        self.tokens[self.next].clone()
    }

    /// Takes the next token if it is this sign.
    fn take(&mut self, sign: char) -> bool {
        let found = self.tokens[self.next].0 == Token::Sign(sign);
        self.next += usize::from(found);
        found
    }

    fn sum(&mut self) -> Result<(), Fault> {
        self.product()?;
        loop {
            let op = match self.peek().0 {
                Token::Sign('+') => Op::Add,
                Token::Sign('-') => Op::Sub,
                _ => return Ok(()),
            };
            self.next += 1;
            self.product()?;
            self.emit(op, 2)?;
        }
    }

    fn product(&mut self) -> Result<(), Fault> {
        self.signed()?;
        loop {
            let op = match self.peek().0 {
                Token::Sign('*') => Op::Mul,
                Token::Sign('/') => Op::Div,
                _ => return Ok(()),
            };
            self.next += 1;
            self.signed()?;
            self.emit(op, 2)?;
        }
    }

    /// Parses a term with signs. A sign binds less strongly than a power, so that -x^2 is -(x^2).
    fn signed(&mut self) -> Result<(), Fault> {
        self.depth += 1;
        if self.depth > STACK {
            return Err(fault("the expression is nested too deeply", self.peek().1));
        }
        if self.take('-') {
            self.signed()?;
            self.emit(Op::Neg, 1)?;
        } else if self.take('+') {
            self.signed()?;
        } else {
            self.operand()?;
            if self.take('^') {
                // The exponent takes its own sign and powers: 2^-1, and 2^3^2 = 2^(3^2).
                self.signed()?;
                self.emit(Op::Pow, 2)?;
            }
        }
        self.depth -= 1;
        Ok(())
    }

    fn operand(&mut self) -> Result<(), Fault> {
        let (token, span) = self.peek();
        match token {
            Token::Number(value) => {
                self.next += 1;
                self.emit(Op::Push(value), 0)
            }
            Token::Name => {
                self.next += 1;
                self.name(span)
            }
            Token::Sign('(') => {
                self.next += 1;
                self.sum()?;
                self.close(span)
            }
            Token::Sign(_) | Token::End => Err(self.unexpected(span)),
        }
    }

    fn name(&mut self, span: Range<usize>) -> Result<(), Fault> {
        let name = &self.text[span.clone()];
        let opening = self.peek().1;
        let called = self.take('(');
        if let Some((op, arity)) = function(name) {
            let wanted = format!(
                "`{name}` is a function of {arity} argument{}",
                if arity == 1 { "" } else { "s" }
            );
            if !called {
                return Err(fault(wanted, span));
            }
            self.sum()?;
            for _ in 1..arity {
                match self.peek().0 {
                    Token::Sign(',') => self.next += 1,
                    Token::End => return self.close(opening),
                    _ => return Err(fault(wanted, span)),
                }
                self.sum()?;
            }
            if self.tokens[self.next].0 == Token::Sign(',') {
                return Err(fault(wanted, span));
            }
            self.close(opening)?;
            return self.emit(op, arity);
        }
        let op = if let Some(variable) = self.names.variables.iter().position(|v| *v == name) {
            Op::Load(variable)
        } else if let Some(value) = self.names.constants.get(name) {
            Op::Push(*value)
        } else if name == "pi" {
            Op::Push(std::f64::consts::PI)
        } else {
            return Err(self.unknown(span, called));
        };
        if called {
            return Err(fault(
                format!("`{name}` is not a function; a product is written `{name}*(...)`"),
                span,
            ));
        }
        self.emit(op, 0)
    }

    fn close(&mut self, opening: Range<usize>) -> Result<(), Fault> {
        let (token, span) = self.peek();
        if self.take(')') {
            return Ok(());
        }
        if token != Token::End {
            return Err(self.unexpected(span));
        }
        let help = "in a list [...] or a mapping {...} put an expression that contains a comma in quotes";
        Err(Fault {
            help: Some(help.into()),
            ..fault("this parenthesis is not closed", opening)
        })
    }

    fn unknown(&self, span: Range<usize>, called: bool) -> Fault {
        let name = &self.text[span.clone()];
        let known: Vec<&str> = if called {
            function_names().collect()
        } else {
            let constants = self.names.constants.keys().map(String::as_str);
            self.names
                .variables
                .iter()
                .copied()
                .chain(constants)
                .chain(["pi"])
                .collect()
        };
        if !called && VARIABLES.contains(&name) {
            let what = match self.names.variables {
                [] => format!("`{name}` has no value here: this must be one number"),
                _ => format!("`{name}` has no value here: this value does not depend on time"),
            };
            return fault(what, span);
        }
        let kind = if called { "function" } else { "name" };
        let hint =
            nearest(name, known.iter().copied()).map_or_else(String::new, |near| format!("did you mean `{near}`? "));
        let help = Some(format!("{hint}known {kind}s: {}", listed(known.iter().copied())));
        Fault {
            help,
            ..fault(format!("unknown {kind} `{name}` in an expression"), span)
        }
    }

    fn unexpected(&self, span: Range<usize>) -> Fault {
        if self.text.trim().is_empty() {
            return fault("the expression is empty", 0..1);
        }
        let previous = self.next.checked_sub(1).map(|p| self.tokens[p].0);
        let after_operand = matches!(previous, Some(Token::Number(_) | Token::Name | Token::Sign(')')));
        match self.tokens[self.next].0 {
            Token::End => fault("the expression ends too early", span),
            Token::Number(_) | Token::Name | Token::Sign('(') if after_operand => {
                let help = Some("a product is written with `*`".into());
                Fault {
                    help,
                    ..fault(
                        format!("an operator is missing before `{}`", &self.text[span.clone()]),
                        span,
                    )
                }
            }
            Token::Sign('*') if previous == Some(Token::Sign('*')) => Fault {
                help: Some("a power is written `^`".into()),
                ..fault("`**` is not an operator", span)
            },
            _ => fault(format!("`{}` is not expected here", &self.text[span.clone()]), span),
        }
    }

    /// Appends an operation on the last `operands` values, and evaluates it now if they are all constants.
    fn emit(&mut self, op: Op, operands: usize) -> Result<(), Fault> {
        self.held = self.held + 1 - operands;
        if self.held > STACK {
            return Err(fault("the expression is nested too deeply", self.peek().1));
        }
        let folded = match (op, &self.ops[..]) {
            (Op::Neg, [.., Op::Push(a)]) => Some(-a),
            (Op::Call1(f), [.., Op::Push(a)]) => Some(f(*a)),
            (_, [.., Op::Push(a), Op::Push(b)]) if operands == 2 => Some(binary(op, *a, *b)),
            _ => None,
        };
        if folded.is_some() {
            self.ops.truncate(self.ops.len() - operands);
        }
        self.ops.push(folded.map_or(op, Op::Push));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::{Fault, Names, Program, VARIABLES};
    use std::collections::BTreeMap;

    fn compile(text: &str) -> Result<Program, Fault> {
        let constants = BTreeMap::from([("V0".to_string(), 1.5), ("L".to_string(), 0.7)]);
        super::compile(
            text,
            &Names {
                variables: &VARIABLES,
                constants: &constants,
            },
        )
    }

    #[test]
    fn precedences_are_those_of_written_mathematics() {
        let x = 0.3_f64;
        let y = -1.7_f64;
        let z = 2.9_f64;
        let t = 0.11_f64;
        let v0 = 1.5_f64;
        let l = 0.7_f64;
        let pi = std::f64::consts::PI;
        let cases: &[(&str, f64)] = &[
            ("-x^2", -(x * x)),
            ("2^3^2", 512.0),
            ("2^-1", 0.5),
            ("-2^-2", -0.25),
            ("2*-x", 2.0 * -x),
            ("x - y - z", x - y - z),
            ("x/y/z", x / y / z),
            ("x/y*z", x / y * z),
            ("x - y*z + t", x - y * z + t),
            ("(x - y)*(z + t)", (x - y) * (z + t)),
            ("1e-3 + 2E+2 + .5 + 1.", 1e-3 + 2e2 + 0.5 + 1.0),
            ("--x", x),
            ("+x - +y", x - y),
            (
                "V0*sin(x/L)*cos(y/L)*cos(z/L)",
                v0 * (x / l).sin() * (y / l).cos() * (z / l).cos(),
            ),
            ("-V0*cos(2*pi*x/L)^2", -v0 * (2.0 * pi * x / l).cos().powf(2.0)),
            ("exp(-x^2/2)*tanh(y)", (-(x * x) / 2.0).exp() * y.tanh()),
            (
                "sqrt(abs(y)) + atan2(y, x) + log(z) + ln(z) + log10(z)",
                y.abs().sqrt() + y.atan2(x) + 2.0 * z.ln() + z.log10(),
            ),
            ("min(x, y) + max(x, max(y, z)) + pow(z, 1/3)", y + z + z.powf(1.0 / 3.0)),
            (
                "sinh(x) + cosh(x) + tan(x) + asin(x) + acos(x) + atan(x)",
                x.sinh() + x.cosh() + x.tan() + x.asin() + x.acos() + x.atan(),
            ),
            ("sign(y) + sign(0) + sign(x)", 0.0),
            ("step(y) + 2*step(0) + 4*step(x)", 6.0),
        ];
        for (text, expected) in cases {
            let value = compile(text)
                .unwrap_or_else(|e| panic!("{text}: {}", e.what))
                .run([x, y, z, t]);
            assert!(
                (value - expected).abs() <= 1e-14 * expected.abs().max(1.0),
                "{text}: {value} != {expected}"
            );
        }
    }

    #[test]
    fn constant_parts_are_folded() {
        assert_eq!(compile("2^3^2/V0").expect("compiles").as_constant(), Some(512.0 / 1.5));
        let program = compile("2*pi*x").expect("compiles");
        assert_eq!(program.0.len(), 3);
        assert!(program.uses(0) && !program.uses(3) && program.as_constant().is_none());
    }

    #[test]
    fn malformed_expressions_are_refused_at_the_right_place() {
        let cases = [
            ("", "empty", 0..1),
            ("x +", "ends too early", 3..3),
            ("2x", "operator is missing before `x`", 1..2),
            ("x**2", "`**`", 2..3),
            ("sin x", "function of 1 argument", 0..3),
            ("sin(x, y)", "function of 1 argument", 0..3),
            ("max(x)", "function of 2 arguments", 0..3),
            ("x(2)", "not a function", 0..1),
            ("(x", "not closed", 0..1),
            ("x)", "`)` is not expected", 1..2),
            ("1.2.3", "not a finite number", 0..5),
            ("1e999", "not a finite number", 0..5),
            ("x % 2", "`%` has no meaning", 2..3),
            ("x + µ", "`µ` has no meaning", 4..6),
            ("x + V1", "unknown name `V1`", 4..6),
            ("sni(x)", "unknown function `sni`", 0..3),
        ];
        for (text, what, span) in cases {
            let fault = compile(text).expect_err(text);
            assert!(fault.what.contains(what) && fault.span == span, "{text}: {fault:?}");
        }
        assert!(
            compile("x + V1")
                .expect_err("unknown")
                .help
                .expect("help")
                .contains("did you mean `V0`?")
        );
        assert!(
            compile("snh(x)")
                .expect_err("unknown")
                .help
                .expect("help")
                .contains("did you mean `sinh`?")
        );
    }

    #[test]
    fn deep_nesting_is_refused_and_long_sums_are_not() {
        for text in [
            "(".repeat(4000),
            "-".repeat(4000) + "x",
            "x^".repeat(1000) + "x",
            "sin(".repeat(500),
            "x".repeat(5000),
        ] {
            assert!(compile(&text).is_err());
        }
        let sum = vec!["x"; 2000].join("+");
        assert_eq!(compile(&sum).expect("compiles").run([1.0, 0.0, 0.0, 0.0]), 2000.0);
    }
}
