//! Arithmetic expressions of the case file, compiled to a short postfix program.
//!
//! Initial states and boundary values are evaluated at every solution point, so an expression is parsed once, its
//! constant parts are folded, and what remains runs on a small fixed stack without allocating. The precedences are
//! those of written mathematics, `-x^2 = -(x^2)` and `2^3^2 = 2^(3^2)`, which the expression libraries do not offer
//! together with strict parentheses.

use super::parser::{self, Fault, Names};

/// Operands held at once; deeper nesting is refused by the compiler.
pub(super) const STACK: usize = 32;

/// The variables of a field, in the order of the arguments of [`Program::run`].
pub(super) const VARIABLES: [&str; 4] = ["x", "y", "z", "t"];

type Unary = fn(f64) -> f64;
type Binary = fn(f64, f64) -> f64;

const UNARY: [(&str, Unary); 17] = [
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
    ("log", f64::ln),
    ("ln", f64::ln),
    ("log10", f64::log10),
    ("sqrt", f64::sqrt),
    ("abs", f64::abs),
    ("sign", sign),
    ("step", step),
];

const BINARY: [(&str, Binary); 4] = [
    ("atan2", f64::atan2),
    ("min", f64::min),
    ("max", f64::max),
    ("pow", f64::powf),
];

/// -1, 0 or 1; unlike `f64::signum`, zero has no sign.
fn sign(v: f64) -> f64 {
    if v == 0.0 { 0.0 } else { v.signum() }
}

/// 0 below zero, else 1: for states that jump.
fn step(v: f64) -> f64 {
    if v < 0.0 { 0.0 } else { 1.0 }
}

/// One operation on the stack of operands.
#[derive(Debug, Clone, Copy)]
pub(super) enum Op {
    Push(f64),
    Load(usize),
    Neg,
    Add,
    Sub,
    Mul,
    Div,
    Pow,
    Call1(Unary),
    Call2(Binary),
}

/// A compiled expression.
#[derive(Debug, Clone)]
pub(super) struct Program(Vec<Op>);

impl Program {
    /// A program that gives one value.
    pub fn constant(value: f64) -> Self {
        Self(vec![Op::Push(value)])
    }

    /// Compiles `text`.
    pub fn compile(text: &str, names: &Names) -> Result<Self, Fault> {
        parser::parse(text, names).map(Self)
    }

    /// The value, if it is the same everywhere and always.
    pub fn as_constant(&self) -> Option<f64> {
        match self.0[..] {
            [Op::Push(value)] => Some(value),
            _ => None,
        }
    }

    /// Whether the variable with this index occurs.
    pub fn uses(&self, variable: usize) -> bool {
        self.0.iter().any(|op| matches!(op, Op::Load(v) if *v == variable))
    }

    /// Evaluates with the given values of [`VARIABLES`].
    pub fn run(&self, variables: [f64; 4]) -> f64 {
        let mut stack = [0.0; STACK];
        let mut top = 0;
        for op in &self.0 {
            match *op {
                Op::Push(value) => {
                    stack[top] = value;
                    top += 1;
                }
                Op::Load(variable) => {
                    stack[top] = variables[variable];
                    top += 1;
                }
                Op::Neg => stack[top - 1] = -stack[top - 1],
                Op::Call1(f) => stack[top - 1] = f(stack[top - 1]),
                Op::Add | Op::Sub | Op::Mul | Op::Div | Op::Pow | Op::Call2(_) => {
                    top -= 1;
                    stack[top - 1] = binary(*op, stack[top - 1], stack[top]);
                }
            }
        }
        stack[0]
    }
}

/// Whether a constant may not have this name, since it means something already.
pub(super) fn is_reserved(name: &str) -> bool {
    name == "pi" || VARIABLES.contains(&name) || function_names().any(|f| f == name)
}

/// The function of this name and the number of its arguments.
pub(super) fn function(name: &str) -> Option<(Op, usize)> {
    let unary = UNARY.iter().find(|f| f.0 == name).map(|f| (Op::Call1(f.1), 1));
    unary.or_else(|| BINARY.iter().find(|f| f.0 == name).map(|f| (Op::Call2(f.1), 2)))
}

/// The names of all functions.
pub(super) fn function_names() -> impl Iterator<Item = &'static str> {
    UNARY
        .iter()
        .map(|(name, _)| *name)
        .chain(BINARY.iter().map(|(name, _)| *name))
}

/// The result of an operation on two operands.
pub(super) fn binary(op: Op, a: f64, b: f64) -> f64 {
    match op {
        Op::Add => a + b,
        Op::Sub => a - b,
        Op::Mul => a * b,
        Op::Div => a / b,
        Op::Pow => a.powf(b),
        Op::Call2(f) => f(a, b),
        Op::Push(_) | Op::Load(_) | Op::Neg | Op::Call1(_) => unreachable!("not a binary operation: {op:?}"),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    fn compile(text: &str) -> Result<Program, Fault> {
        let constants = BTreeMap::from([("V0".to_string(), 1.5), ("L".to_string(), 0.7)]);
        Program::compile(
            text,
            &Names {
                variables: &VARIABLES,
                constants: &constants,
            },
        )
    }

    #[test]
    fn precedences_are_those_of_written_mathematics() {
        let (x, y, z, t) = (0.3_f64, -1.7_f64, 2.9_f64, 0.11_f64);
        let (v0, l, pi) = (1.5_f64, 0.7_f64, std::f64::consts::PI);
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
