//! The names to which the expressions of a case may refer, and their evaluation with checks that name the key.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use super::every::Every;
use super::field::Field;
use super::field_text::FieldText;
use super::parser::{self, Fault, Names, names_in};
use super::problem::Problem;
use super::profile::{FieldTable, Profile};
use super::profile_keys::ProfileKeys;
use super::program::{Program, VARIABLES, is_reserved};
use super::scalars::{Count, Expression, Number};
use super::table::Table;
use super::table_file;
use crate::vector::length;

/// The constants of a case, evaluated, and the tables that its fields name.
pub struct Scope {
    constants: BTreeMap<String, f64>,
    /// The directory to which the paths of files are relative.
    directory: PathBuf,
    /// The tables read so far, by path: the columns of a file often serve several keys, which must see the same file.
    tables: RefCell<BTreeMap<PathBuf, Rc<Table>>>,
    /// The tables of the fields evaluated so far, by the key of the field.
    profiles: RefCell<BTreeMap<String, FieldTable>>,
}

/// Sizes of numbers of a case. No quantity is outside of them, and products of a few numbers inside are finite.
const SIZES: RangeInclusive<f64> = 1e-100..=1e100;

/// The variables that a field may use.
#[derive(Clone, Copy)]
pub enum Of {
    /// x, y, z.
    Position,
    /// x, y, z, t.
    PositionAndTime,
}

impl Scope {
    /// Evaluates the constants, each after those to which it refers.
    ///
    /// # Errors
    /// A constant has a reserved name, refers to itself, or cannot be evaluated.
    pub fn new(constants: &BTreeMap<String, Number>) -> Result<Self, Problem> {
        let mut scope = Self {
            constants: BTreeMap::new(),
            directory: PathBuf::new(),
            tables: RefCell::default(),
            profiles: RefCell::default(),
        };
        let mut pending: Vec<(&String, &Number)> = constants.iter().collect();
        for (name, _) in &pending {
            let starts_well = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
            if !starts_well || !name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') {
                let help = "a name is made of letters, digits and `_` and does not begin with a digit";
                return Err(Problem::new(format!("`{name}` cannot be the name of a constant"))
                    .key(format!("constants.{name}"))
                    .help(help));
            }
            if is_reserved(name) {
                return Err(Problem::new(format!(
                    "`{name}` has a meaning in expressions: name the constant otherwise"
                ))
                .key(format!("constants.{name}")));
            }
        }
        while !pending.is_empty() {
            let waits = |(_, number): &(&String, &Number)| waits_for(number, constants, &scope.constants).is_some();
            let (waiting, ready): (Vec<_>, Vec<_>) = pending.into_iter().partition(waits);
            if ready.is_empty() {
                return Err(circle(waiting[0].0, constants, &scope.constants));
            }
            let values: Vec<_> = ready
                .into_iter()
                .map(|(name, number)| Ok((name.clone(), scope.number(&format!("constants.{name}"), number)?)))
                .collect::<Result<_, Problem>>()?;
            scope.constants.extend(values);
            pending = waiting;
        }
        Ok(scope)
    }

    /// Returns the scope with the paths of files relative to a directory.
    pub fn relative_to(self, directory: &Path) -> Self {
        let directory = directory.to_path_buf();
        Scope { directory, ..self }
    }

    /// Returns the path of a file or a directory that the case names: as the working directory sees it.
    pub fn path_of(&self, file: &str) -> PathBuf {
        self.directory.join(file)
    }

    /// Returns the value of a number.
    ///
    /// # Errors
    /// The number cannot be evaluated, is not finite, or has a size that no quantity has.
    pub fn number(&self, key: &str, number: &Number) -> Result<f64, Problem> {
        self.number_if(key, number, |_| true, "")
    }

    /// Returns the value of a number that must satisfy a condition, which `must` describes after "must be".
    ///
    /// # Errors
    /// The number cannot be evaluated, does not satisfy the condition, or has a size that no quantity has.
    pub fn number_if(&self, key: &str, number: &Number, test: fn(f64) -> bool, must: &str) -> Result<f64, Problem> {
        let program = self.compile(key, &number.0, &[])?;
        // Without variables the whole expression is folded into a constant.
        let value = finite(key, &number.0, program.run([0.0; 4]))?;
        let sized = value == 0.0 || SIZES.contains(&value.abs());
        if sized || !test(value) {
            return check(key, value, test(value), must);
        }
        // Where 0 is refused, the words of the size do not offer it.
        let sizes = match (must, test(0.0)) {
            ("", _) => "0, or of a size from 1e-100 to 1e100".to_owned(),
            (_, true) => format!("{must}, and 0 or of a size from 1e-100 to 1e100"),
            (_, false) => format!("{must}, and of a size from 1e-100 to 1e100"),
        };
        check(key, value, false, &sizes)
    }

    /// Returns the vector of three numbers scaled to length 1; it must not be zero.
    ///
    /// # Errors
    /// A number cannot be evaluated, or the vector is zero.
    pub fn direction(&self, key: &str, numbers: &[Number; 3]) -> Result<[f64; 3], Problem> {
        let unit = unit(self.numbers(key, numbers)?);
        unit.ok_or_else(|| Problem::new("the vector is 0, 0, 0, which has no direction").key(key))
    }

    /// Returns the value of a whole number of at least 1.
    ///
    /// # Errors
    /// The number cannot be evaluated or is not a whole number of at least 1.
    pub fn count(&self, key: &str, count: &Count) -> Result<u64, Problem> {
        self.whole(key, count, 1.0, "a whole number of at least 1")
    }

    /// Returns a count that may be 0.
    ///
    /// # Errors
    /// It cannot be evaluated, or is not a whole number of at least 0.
    pub fn count_or_zero(&self, key: &str, count: &Count) -> Result<u64, Problem> {
        self.whole(key, count, 0.0, "a whole number of at least 0")
    }

    fn whole(&self, key: &str, count: &Count, least: f64, must: &str) -> Result<u64, Problem> {
        let value = self.number(key, &Number(count.0.clone()))?;
        // Above 2^53 not every whole number has a double.
        let good = (least..=9e15).contains(&value) && value.fract() == 0.0;
        let must = if value > 9e15 { "at most 9e15" } else { must };
        check(key, value, good, must).map(|v| v as u64)
    }

    /// Returns three numbers.
    ///
    /// # Errors
    /// A number cannot be evaluated.
    pub fn numbers(&self, key: &str, numbers: &[Number; 3]) -> Result<[f64; 3], Problem> {
        each(|d| self.number(&format!("{key}[{d}]"), &numbers[d]))
    }

    /// Returns the period of the group `key`, from exactly one of its keys `every` and `every-steps`.
    ///
    /// # Errors
    /// None or both of the keys are given, or the period is not valid.
    pub fn every(&self, key: &str, time: &Option<Number>, steps: &Option<Count>) -> Result<Every, Problem> {
        match (time, steps) {
            (Some(time), None) => {
                let period = self.number_if(&format!("{key}.every"), time, positive, "above 0")?;
                Ok(Every::Time(period))
            }
            (None, Some(steps)) => Ok(Every::Steps(self.count(&format!("{key}.every-steps"), steps)?)),
            (time, _) => Err(one_of(key, "every", "every-steps", time.is_some())),
        }
    }

    /// Returns a field; if it is constant it is finite.
    ///
    /// # Errors
    /// The expression is not valid, its constant value is not finite, or the table cannot be used.
    pub fn field(&self, key: &str, field: &FieldText, of: Of) -> Result<Field, Problem> {
        match field {
            FieldText::Expression(expression) => self.expression(key, expression, of),
            FieldText::Profile(keys) => self.profile(key, keys, false),
        }
    }

    /// Returns a field that must be above zero. Constants and tables are checked now, other values when the mesh is
    /// known.
    ///
    /// # Errors
    /// Those of [`Scope::field`]; a constant or a value of a table is not above zero.
    pub fn positive_field(&self, key: &str, field: &FieldText, of: Of) -> Result<Field, Problem> {
        let field = match field {
            FieldText::Expression(expression) => self.expression(key, expression, of)?,
            FieldText::Profile(keys) => self.profile(key, keys, true)?,
        };
        if let Some(value) = field.as_constant() {
            check(key, value, value > 0.0, "above 0")?;
        }
        Ok(field)
    }

    /// Returns the field of an expression.
    fn expression(&self, key: &str, expression: &Expression, of: Of) -> Result<Field, Problem> {
        let variables = match of {
            Of::Position => &VARIABLES[..3],
            Of::PositionAndTime => &VARIABLES[..],
        };
        let program = self.compile(key, expression, variables)?;
        if let Some(value) = program.as_constant() {
            finite(key, expression, value)?;
        }
        let text = match expression {
            Expression::Value(value) => value.to_string(),
            Expression::Text(text) => text.clone(),
        };
        Ok(Field::new(program, &text))
    }

    /// Returns the field of a table. With `positive` its values must be above zero.
    fn profile(&self, key: &str, keys: &ProfileKeys, positive: bool) -> Result<Field, Problem> {
        let origin = match &keys.origin {
            Some(origin) => self.numbers(&format!("{key}.origin"), origin)?,
            None => [0.0; 3],
        };
        let name = key.rsplit('.').next().unwrap_or(key);
        let table = self.table(&keys.file).map_err(|what| what.key("file"));
        let profile = table.and_then(|table| Profile::new(keys, &table, origin, name, positive));
        let profile = profile.map_err(|problem| problem.under(key))?;
        let table = FieldTable {
            file: keys.file.clone(),
            contents: profile.to_string(),
        };
        self.profiles.borrow_mut().insert(key.to_owned(), table);
        Ok(Field::of_profile(profile))
    }

    /// Returns the tables of the fields evaluated so far, by the key of the field.
    pub fn field_tables(&self) -> BTreeMap<String, FieldTable> {
        self.profiles.borrow().clone()
    }

    /// Returns the table of a file, which is read once.
    pub fn table(&self, file: &str) -> Result<Rc<Table>, Problem> {
        let path = self.path_of(file);
        if let Some(table) = self.tables.borrow().get(&path) {
            return Ok(table.clone());
        }
        let table = Rc::new(table_file::read(file, &path)?);
        self.tables.borrow_mut().insert(path, table.clone());
        Ok(table)
    }

    /// Returns three fields.
    ///
    /// # Errors
    /// A field is not valid.
    pub fn vector(&self, key: &str, fields: &[FieldText; 3], of: Of) -> Result<[Field; 3], Problem> {
        each(|i| self.field(&format!("{key}[{i}]"), &fields[i], of))
    }

    fn compile(&self, key: &str, expression: &Expression, variables: &[&str]) -> Result<Program, Problem> {
        match expression {
            Expression::Value(value) => Ok(Program::constant(*value)),
            Expression::Text(text) => parser::compile(
                text,
                &Names {
                    variables,
                    constants: &self.constants,
                },
            )
            .map_err(|fault| problem(key, text, fault)),
        }
    }
}

/// Applies `f` to the three directions.
pub fn each<T>(mut f: impl FnMut(usize) -> Result<T, Problem>) -> Result<[T; 3], Problem> {
    Ok([f(0)?, f(1)?, f(2)?])
}

/// Returns whether the value is above 0.
pub fn positive(value: f64) -> bool {
    value > 0.0
}

/// Returns whether the value is at least 0.
pub fn not_negative(value: f64) -> bool {
    value >= 0.0
}

/// Returns the problem with two keys of which exactly one is needed.
pub fn one_of(key: &str, a: &str, b: &str, both: bool) -> Problem {
    let problem = Problem::new(if both {
        format!("`{a}` and `{b}` exclude each other")
    } else {
        format!("one of the keys `{a}` and `{b}` is missing")
    });
    if both {
        problem
            .key(key)
            .help(format!("`--set {key}.{a}=null` removes a key of the file"))
    } else {
        problem.key(key)
    }
}

/// Returns the vector scaled to length 1, if it has a direction.
pub fn unit(v: [f64; 3]) -> Option<[f64; 3]> {
    // The vector is scaled first, because the squares of small numbers vanish.
    let most = v.iter().fold(0.0, |most: f64, x| most.max(x.abs()));
    let scaled = v.map(|x| x / most);
    let length = length(scaled);
    (most > 0.0).then(|| scaled.map(|x| x / length))
}

/// Returns the value if it satisfies the condition.
pub fn check(key: &str, value: f64, good: bool, must: &str) -> Result<f64, Problem> {
    let name = key.rsplit('.').next().unwrap_or(key);
    if good {
        return Ok(value);
    }
    Err(Problem::new(format!("`{name}` is {}: it must be {must}", shown(value))).key(key))
}

/// Returns a number as in a case file: with an exponent where all digits would be many.
fn shown(value: f64) -> String {
    if value == 0.0 || (1e-6..1e16).contains(&value.abs()) {
        value.to_string()
    } else {
        format!("{value:e}")
    }
}

/// Longest name: with what stands before and after it, it fits into the name of a file.
const LONGEST_NAME: usize = 100;

/// Returns whether a text can be a part of the name of a file, of a directory or of a column of a table: up to 100
/// letters, digits, `_` and `-`.
pub fn is_name(text: &str) -> bool {
    let allowed = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    (1..=LONGEST_NAME).contains(&text.len()) && text.chars().all(allowed)
}

/// Refuses a path that a value names if it has control characters: such a path is printed, and becomes a part of
/// scripts.
///
/// # Errors
/// It has one.
pub fn check_path(key: &str, path: &str) -> Result<(), Problem> {
    match path.chars().find(|c| c.is_control()) {
        None => Ok(()),
        Some(c) => Err(Problem::new(format!("the path has the control character U+{:04X}", u32::from(c))).key(key)),
    }
}

fn finite(key: &str, expression: &Expression, value: f64) -> Result<f64, Problem> {
    match expression {
        _ if value.is_finite() => Ok(value),
        Expression::Value(_) => Err(Problem::new(format!("{value} is not a finite number")).key(key)),
        Expression::Text(text) => Err(Problem::new(format!("`{text}` gives {value}, not a finite number")).key(key)),
    }
}

fn problem(key: &str, text: &str, fault: Fault) -> Problem {
    // An expression has at most a few thousand characters.
    let characters = |bytes: usize| text.get(..bytes).map_or(0, |s| s.chars().count()) as u32;
    let part = characters(fault.span.start)..characters(fault.span.end);
    let whole = characters(text.len());
    let problem = Problem {
        part: Some(Box::new((part, whole))),
        ..Problem::new(fault.what).key(key)
    };
    match fault.help {
        Some(help) => problem.help(help),
        None => problem,
    }
}

/// Returns the first constant to which this number refers and that has no value yet.
fn waits_for<'a>(
    number: &Number,
    constants: &'a BTreeMap<String, Number>,
    done: &BTreeMap<String, f64>,
) -> Option<&'a str> {
    let Expression::Text(text) = &number.0 else { return None };
    let missing = |name: &str| constants.get_key_value(name).filter(|_| !done.contains_key(name));
    names_in(text)
        .into_iter()
        .find_map(missing)
        .map(|(name, _)| name.as_str())
}

/// Follows the references of constants that all wait for another one, until a name occurs again.
fn circle(start: &str, constants: &BTreeMap<String, Number>, done: &BTreeMap<String, f64>) -> Problem {
    let mut chain = vec![start];
    while let Some(next) = waits_for(&constants[chain[chain.len() - 1]], constants, done) {
        if let Some(first) = chain.iter().position(|name| *name == next) {
            chain.drain(..first);
            break;
        }
        chain.push(next);
    }
    let key = format!("constants.{}", chain[0]);
    chain.push(chain[0]);
    Problem::new(format!(
        "constants refer to each other in a circle: {}",
        chain.join(" -> ")
    ))
    .key(key)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scope(constants: &[(&str, &str)]) -> Result<Scope, Problem> {
        let number = |text: &str| Number(Expression::Text(text.to_string()));
        Scope::new(
            &constants
                .iter()
                .map(|(name, text)| (name.to_string(), number(text)))
                .collect(),
        )
    }

    #[test]
    fn constants_may_refer_to_each_other_in_any_order() {
        let scope = scope(&[("a", "2*b"), ("b", "c + pi"), ("c", "1"), ("d", "a*b*c")]).expect("resolves");
        let b = 1.0 + std::f64::consts::PI;
        assert_eq!(scope.constants["d"], 2.0 * b * b);
    }

    #[test]
    fn a_long_chain_of_constants_resolves() {
        let names: Vec<(String, String)> = (0..500).map(|i| (format!("c{i}"), format!("c{} + 1", i + 1))).collect();
        let mut constants: Vec<(&str, &str)> = names.iter().map(|(n, t)| (n.as_str(), t.as_str())).collect();
        constants.push(("c500", "0"));
        assert_eq!(scope(&constants).expect("resolves").constants["c0"], 500.0);
    }

    #[test]
    fn a_circle_of_constants_is_named() {
        let problem = scope(&[("a", "b"), ("b", "c"), ("c", "2*b")]).err().expect("refused");
        assert!(problem.what.ends_with("b -> c -> b"), "{problem:?}");
        assert_eq!(problem.key, "constants.b");
    }

    #[test]
    fn names_that_mean_something_are_no_constants() {
        for name in ["x", "t", "pi", "sin", "max", "1a", "a-b", ""] {
            assert!(scope(&[(name, "1")]).is_err(), "{name}");
        }
    }

    #[test]
    fn values_that_are_not_finite_are_refused() {
        for text in ["1/0", "0/0", "log(0)", "sqrt(-1)", "1e300*1e300"] {
            let problem = scope(&[("a", text)]).err().expect("refused");
            assert!(problem.what.contains("not a finite number"), "{problem:?}");
        }
    }
}
