//! Arithmetic expressions of the case file, compiled to a short postfix program.
//!
//! Initial states and boundary values are evaluated at every solution point. An expression is therefore parsed once,
//! its constant parts are folded, and the remaining program runs on a small fixed stack without allocation. The
//! precedences are those of written mathematics, `-x^2 = -(x^2)` and `2^3^2 = 2^(3^2)`, which no expression library
//! offers together with strict parentheses.

/// Largest number of operands on the stack. The compiler refuses deeper nesting.
pub const STACK: usize = 32;

/// The variables of a field, in the order of the arguments of [`Program::run`].
pub const VARIABLES: [&str; 4] = ["x", "y", "z", "t"];

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

/// Returns -1, 0 or 1; unlike `f64::signum`, zero has no sign.
fn sign(v: f64) -> f64 {
    if v == 0.0 { 0.0 } else { v.signum() }
}

/// Returns 0 below zero, else 1: for states with a jump.
fn step(v: f64) -> f64 {
    if v < 0.0 { 0.0 } else { 1.0 }
}

/// One operation on the stack of operands.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Op {
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
pub struct Program(pub(super) Vec<Op>);

impl Program {
    /// Returns the program that gives one value.
    pub fn constant(value: f64) -> Self {
        Self(vec![Op::Push(value)])
    }

    /// Returns the value, if it is the same everywhere and always.
    pub fn as_constant(&self) -> Option<f64> {
        match self.0[..] {
            [Op::Push(value)] => Some(value),
            _ => None,
        }
    }

    /// Returns whether the variable with this index occurs.
    pub fn uses(&self, variable: usize) -> bool {
        self.0.iter().any(|op| matches!(op, Op::Load(v) if *v == variable))
    }

    /// Evaluates the program with the given values of [`VARIABLES`].
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

/// Returns whether the name has a meaning in expressions, so that no constant may have it.
pub(crate) fn is_reserved(name: &str) -> bool {
    name == "pi" || VARIABLES.contains(&name) || function_names().any(|f| f == name)
}

/// Returns the function of this name and the number of its arguments.
pub fn function(name: &str) -> Option<(Op, usize)> {
    let unary = UNARY.iter().find(|f| f.0 == name).map(|f| (Op::Call1(f.1), 1));
    unary.or_else(|| BINARY.iter().find(|f| f.0 == name).map(|f| (Op::Call2(f.1), 2)))
}

/// Returns the names of all functions.
pub(crate) fn function_names() -> impl Iterator<Item = &'static str> {
    UNARY
        .iter()
        .map(|(name, _)| *name)
        .chain(BINARY.iter().map(|(name, _)| *name))
}

/// Returns the result of an operation on two operands.
pub fn binary(op: Op, a: f64, b: f64) -> f64 {
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
