//! Tables of numbers as text: comments, a row of names, perhaps a row of units, and the rows of numbers.

/// A table of numbers with names and units.
#[derive(Debug, Clone, PartialEq)]
pub struct Table {
    /// Names of the columns.
    pub names: Vec<String>,
    /// Units of the columns; "-" without a unit.
    pub units: Vec<String>,
    /// Values, `[column][row]`.
    pub columns: Vec<Vec<f64>>,
    /// Line of each row in the text, from 1.
    pub lines: Vec<u64>,
}

/// A line of a table that cannot be read.
#[derive(Debug)]
pub struct TableFault {
    /// Line number, from 1, including comments.
    pub line: u64,
    /// The problem.
    pub detail: String,
}

impl Table {
    /// Reads a table. The unit of a column stands in brackets or parentheses after its name, or in a row of units.
    ///
    /// # Errors
    /// There is no row of names, or a line has the wrong length or text in place of a number.
    pub fn parse(text: &[u8]) -> Result<Self, TableFault> {
        let mut reader = csv::ReaderBuilder::new()
            .comment(Some(b'#'))
            .has_headers(false)
            .from_reader(text);
        // The reader reports the position of the comments before a record, but messages need the line of the record.
        let lines: Vec<&[u8]> = text.split(|&byte| byte == b'\n').collect();
        let skipped = |line: &&&[u8]| line.is_empty() || line.starts_with(b"#");
        let line_of = |line: u64| {
            let from = lines.iter().skip((line as usize).saturating_sub(1));
            line.max(1) + from.take_while(skipped).count() as u64
        };

        let wrong = |line: u64, detail: String| TableFault {
            line: line_of(line),
            detail,
        };
        let mut names: Vec<String> = Vec::new();
        let mut units: Vec<String> = Vec::new();
        let mut columns: Vec<Vec<f64>> = Vec::new();
        let mut rows: Vec<u64> = Vec::new();
        let owned = |(name, unit): (&str, &str)| (name.to_owned(), unit.to_owned());
        for record in reader.records() {
            let record = record.map_err(|error| match error.kind() {
                csv::ErrorKind::UnequalLengths { pos, expected_len, len } => wrong(
                    pos.as_ref().map_or(0, csv::Position::line),
                    format!("{len} columns, expected {expected_len}"),
                ),
                _ => wrong(error.position().map_or(0, csv::Position::line), error.to_string()),
            })?;
            let texts = || record.iter().map(|field| field.trim().to_string()).collect::<Vec<_>>();
            if names.is_empty() {
                names = texts();
                if names.iter().any(|name| named(name).is_some()) {
                    let both = |text: &String| named(text).map_or((text.clone(), "-".to_owned()), owned);
                    (names, units) = names.iter().map(both).unzip();
                }
                if let Some(detail) = no_names(&names) {
                    return Err(wrong(record.position().map_or(0, csv::Position::line), detail));
                }
                if let Some(name) = repeated(&names) {
                    let line = record.position().map_or(0, csv::Position::line);
                    return Err(wrong(line, format!("two columns have the name '{name}'")));
                }
                columns.resize(record.len(), Vec::new());
                continue;
            }
            let first_row = units.is_empty() && columns[0].is_empty();
            if first_row && record.iter().all(|field| field.trim().parse::<f64>().is_err()) {
                units = texts();
                continue;
            }
            let line = record.position().map_or(0, csv::Position::line);
            rows.push(line_of(line));
            for (i, field) in record.iter().enumerate() {
                let number = field.trim().parse().map_err(|_| {
                    wrong(
                        line,
                        format!("column {} ({}): '{field}' is not a number", i + 1, names[i]),
                    )
                })?;
                columns[i].push(number);
            }
        }
        if names.is_empty() {
            return Err(wrong(1, "there is no row of names".to_string()));
        }
        if units.is_empty() {
            units = vec!["-".to_string(); names.len()];
        }
        Ok(Table {
            names,
            units,
            columns,
            lines: rows,
        })
    }

    /// Returns the values of the column called `name`, if it exists.
    pub fn column(&self, name: &str) -> Option<&[f64]> {
        self.position(name).map(|at| self.columns[at].as_slice())
    }

    /// Returns the unit of the column called `name`; `None` if it has no unit or does not exist.
    pub fn unit(&self, name: &str) -> Option<&str> {
        self.position(name)
            .map(|at| self.units[at].as_str())
            .filter(|&unit| unit != "-")
    }

    fn position(&self, name: &str) -> Option<usize> {
        self.names.iter().position(|candidate| candidate == name)
    }
}

/// Returns why a row cannot be that of the names, if it cannot.
fn no_names(names: &[String]) -> Option<String> {
    if names.iter().all(|name| name.parse::<f64>().is_ok()) {
        return Some("the first row has numbers: a row with the names of the columns is needed above it".to_owned());
    }
    let [one] = names else { return None };
    let separator = [(';', "`;`"), ('\t', "tabs"), (' ', "blanks")];
    let found = separator.into_iter().find(|(character, _)| one.contains(*character));
    found.map(|(_, name)| format!("the names are separated by {name}: columns are separated by commas"))
}

/// Returns a name that occurs twice, if there is one; columns without a name do not count.
fn repeated(names: &[String]) -> Option<&String> {
    let twice = |(i, name): &(usize, &String)| !name.is_empty() && names[..*i].contains(name);
    names.iter().enumerate().find(twice).map(|(_, name)| name)
}

/// Returns the name and the unit of a column whose name is written `name [unit]` or `name (unit)`.
fn named(text: &str) -> Option<(&str, &str)> {
    let inner = |open, close| text.strip_suffix(close)?.rsplit_once(open);
    let (name, unit) = inner('[', ']').or_else(|| inner('(', ')'))?;
    let (name, unit) = (name.trim(), unit.trim());
    (!name.is_empty()).then_some((name, if unit.is_empty() { "-" } else { unit }))
}
