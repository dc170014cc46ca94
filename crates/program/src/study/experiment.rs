//! Designs of experiments: Latin hypercubes, full factorials, and the rows of a table.

use std::path::Path;

use crate::io;
use crate::physics::turbulence::Draw;

use super::variable::{Choice, Variable};

/// Returns `count` points of a Latin hypercube in the unit cube of so many dimensions, `[point][dimension]`: along each
/// dimension each of `count` equal parts has one point, at a random place. The points are a function of the seed alone.
pub fn latin_hypercube(dimensions: usize, count: usize, seed: u64) -> Vec<Vec<f64>> {
    let draw = Draw::new(seed, "latin hypercube");
    let mut points = vec![vec![0.0; dimensions]; count];
    for dimension in 0..dimensions {
        let mut parts: Vec<usize> = (0..count).collect();
        // The shuffle of R. Durstenfeld, Communications of the ACM 7 (1964) 420.
        for i in (1..count).rev() {
            let [share, _] = draw.pair(dimension, i);
            parts.swap(i, ((i + 1) as f64 * share) as usize);
        }
        for (i, part) in parts.into_iter().enumerate() {
            let [_, within] = draw.pair(dimension, i);
            points[i][dimension] = (part as f64 + within) / count as f64;
        }
    }
    points
}

/// Returns the designs at points of the unit cube.
pub fn at_points(variables: &[Variable], points: &[Vec<f64>]) -> Vec<Vec<Choice>> {
    let design = |point: &Vec<f64>| variables.iter().zip(point).map(|(v, place)| v.at(*place)).collect();
    points.iter().map(design).collect()
}

/// Returns all combinations of the values of the variables, ranges at so many levels. The last variable varies fastest.
pub fn full_factorial(variables: &[Variable], levels: usize) -> Vec<Vec<Choice>> {
    variables.iter().fold(vec![Vec::new()], |designs, variable| {
        let levels = variable.levels(levels);
        let with = |design: &Vec<Choice>, level: &Choice| design.iter().chain([level]).cloned().collect();
        designs
            .iter()
            .flat_map(|design| levels.iter().map(move |level| with(design, level)))
            .collect()
    })
}

/// Reads designs from a table with a column for each variable. Lines that begin with `#` are comments; columns of other
/// names are left out.
///
/// # Errors
/// Returns what is wrong with the table, with the number of the line.
pub fn read_designs(path: &Path, variables: &[Variable]) -> Result<Vec<Vec<Choice>>, String> {
    let shown = path.display();
    let text = io::read_input(path).map_err(|e| e.to_string())?;
    let mut reader = csv::ReaderBuilder::new()
        .comment(Some(b'#'))
        .trim(csv::Trim::All)
        .from_reader(&text[..]);
    let names = reader.headers().map_err(|e| format!("{shown}: {e}"))?.clone();
    let column = |variable: &Variable| {
        let at = names.iter().position(|name| name == variable.name);
        at.ok_or_else(|| {
            format!(
                "{shown}: there is no column `{}`, the name of a variable",
                variable.name
            )
        })
    };
    let columns = variables.iter().map(column).collect::<Result<Vec<_>, _>>()?;
    let mut designs = Vec::new();
    for record in reader.records() {
        let record = record.map_err(|e| format!("{shown}: {e}"))?;
        let line = record.position().map_or(0, csv::Position::line);
        let value = |(variable, at): (&Variable, &usize)| {
            variable.read(&record[*at]).ok_or_else(|| {
                let text = &record[*at];
                let name = &variable.name;
                let domain = variable.describe();
                format!("{shown}:{line}: `{text}` is no value of `{name}`, which may be {domain}")
            })
        };
        designs.push(variables.iter().zip(&columns).map(value).collect::<Result<_, _>>()?);
    }
    Ok(designs)
}

#[cfg(test)]
mod tests {
    use super::super::variable::{Domain, Target};
    use super::*;

    fn variables() -> [Variable; 2] {
        let variable = |name: &str, domain| Variable {
            name: name.to_owned(),
            domain,
            target: Target::Case(format!("constants.{name}")),
            base: None,
        };
        let words = ["roe", "hllc"].map(|word| Choice::Word(word.to_owned())).to_vec();
        [
            variable("a", Domain::Range(0.0, 2.0)),
            variable("b", Domain::Values(words)),
        ]
    }

    #[test]
    fn each_part_of_a_hypercube_has_one_point() {
        for (dimensions, count) in [(1, 1), (3, 7), (5, 40)] {
            let points = latin_hypercube(dimensions, count, 7);
            for d in 0..dimensions {
                let mut parts: Vec<usize> = points.iter().map(|p| (p[d] * count as f64) as usize).collect();
                parts.sort_unstable();
                assert_eq!(parts, (0..count).collect::<Vec<_>>());
            }
        }
    }

    #[test]
    fn a_seed_gives_the_same_points_everywhere() {
        let points = latin_hypercube(2, 3, 1);
        assert_eq!(points, latin_hypercube(2, 3, 1));
        assert_ne!(points, latin_hypercube(2, 3, 2));
        let known = KNOWN.map(|p| p.to_vec());
        assert_eq!(points, known, "{points:?}");
    }

    /// The points of seed 1, so that another version or machine gives no others unnoticed.
    const KNOWN: [[f64; 2]; 3] = [
        [0.566208600530009, 0.6803289087295691],
        [0.9782941100223069, 0.5778378134615139],
        [0.11113617335630561, 0.22686562795698517],
    ];

    #[test]
    fn the_dimensions_of_a_hypercube_are_not_correlated() {
        let (count, dimensions) = (400, 4);
        let points = latin_hypercube(dimensions, count, 3);
        for a in 0..dimensions {
            for b in 0..a {
                let product = |p: &Vec<f64>| (p[a] - 0.5) * (p[b] - 0.5);
                let correlation = 12.0 * points.iter().map(product).sum::<f64>() / count as f64;
                // The deviation of independent permutations is 1/sqrt(count - 1).
                assert!(correlation.abs() < 4.0 / (count as f64).sqrt(), "{a} {b} {correlation}");
            }
        }
    }

    #[test]
    fn a_factorial_has_all_combinations_once() {
        let designs = full_factorial(&variables(), 3);
        let shown: Vec<String> = designs.iter().map(|d| format!("{} {}", d[0], d[1])).collect();
        assert_eq!(shown, ["0 roe", "0 hllc", "1 roe", "1 hllc", "2 roe", "2 hllc"]);
    }

    #[test]
    fn designs_of_a_table_are_read_and_wrong_ones_named() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("d.csv");
        let read = |text: &str| {
            std::fs::write(&path, text).expect("written");
            read_designs(&path, &variables())
        };
        let designs = read("# chosen by hand\nb, note, a\nroe, x, 1.5\nhllc, y, 0\n").expect("designs");
        let number = Choice::Number;
        assert_eq!(
            designs.iter().map(|d| d[0].clone()).collect::<Vec<_>>(),
            [number(1.5), number(0.0)]
        );
        for (text, part) in [
            ("a\n1\n", "no column `b`"),
            (
                "a,b\n1,roe\n3,roe\n",
                "d.csv:3: `3` is no value of `a`, which may be 0 to 2",
            ),
            ("a,b\n1,ros\n", "`ros` is no value of `b`, which may be roe, hllc"),
            ("a,b\n1\n", "d.csv: CSV error: record 1"),
        ] {
            let error = read(text).expect_err(text);
            assert!(error.contains(part), "{error}");
        }
    }
}
