//! The report as text and tables.

use std::fmt::{self, Display, Formatter};

use super::types::{CellLocation, Distribution, Extreme, Quality};
use crate::format::size;

impl Display for CellLocation {
    fn fmt(&self, f: &mut Formatter) -> fmt::Result {
        let [x, y, z] = self.centre.map(number);
        match self.tag {
            Some(tag) => write!(f, "element {tag} (cell {})", self.cell)?,
            None => write!(f, "cell {}", self.cell)?,
        }
        write!(f, " at ({x}, {y}, {z})")
    }
}

/// Writes a label of fixed width, a value and its cell.
fn line(f: &mut Formatter, label: &str, extreme: &Extreme) -> fmt::Result {
    let value = number(extreme.value);
    writeln!(f, "{label:<28} {value:>12}   {}", extreme.place)
}

/// Formats a number with six significant digits, without an exponent where that is shorter.
fn number(x: f64) -> String {
    if x == 0.0 {
        "0.00000".to_owned()
    } else if (1e-3..1e6).contains(&x.abs()) {
        // The exponent of the rounded number: 0.9999999 is 1.00000.
        let exponent = format!("{x:.5e}")
            .split_once('e')
            .and_then(|(_, e)| e.parse::<i32>().ok());
        let digits = (5 - exponent.unwrap_or(0)).max(0) as usize;
        format!("{x:.digits$}")
    } else {
        format!("{x:.5e}")
    }
}

/// Writes two lines, ranges and their counts, without the empty ranges at both ends.
fn distribution(f: &mut Formatter, label: &str, of: &Distribution) -> fmt::Result {
    let Some(first) = of.counts.iter().position(|n| *n > 0) else {
        return Ok(());
    };
    let last = of.counts.iter().rposition(|n| *n > 0).unwrap_or(first);
    let range = |i: usize| match (i.checked_sub(1).map(|i| of.limits[i]), of.limits.get(i)) {
        (None, Some(high)) => format!("< {high}"),
        (Some(low), Some(high)) => format!("{low}..{high}"),
        (Some(low), None) => format!(">= {low}"),
        (None, None) => "all".to_owned(),
    };
    let columns: Vec<(String, String)> = (first..=last).map(|i| (range(i), of.counts[i].to_string())).collect();
    let row = |pick: fn(&(String, String)) -> &String| -> String {
        let cell = |c: &(String, String)| format!("  {:>width$}", pick(c), width = c.0.len().max(c.1.len()));
        columns.iter().map(cell).collect()
    };
    writeln!(f, "{label:<28} {}", row(|c| &c.0).trim_start_matches("  "))?;
    writeln!(f, "{:<28} {}", "", &row(|c| &c.1)[2..])
}

impl Display for Quality {
    fn fmt(&self, f: &mut Formatter) -> fmt::Result {
        self.write_cells(f)?;
        self.write_faces(f)?;
        self.write_extent(f)?;
        self.write_shapes(f)?;
        write!(
            f,
            "\n{:<28} about {} in double precision, {} in single, at order {}",
            "memory of a run",
            size(self.memory.double as f64),
            size(self.memory.single as f64),
            self.order
        )
    }
}

impl Quality {
    fn write_cells(&self, f: &mut Formatter) -> fmt::Result {
        let cells: usize = self.kinds.iter().map(|k| k.cells).sum();
        writeln!(
            f,
            "{cells} cells of geometry order {}, {} solution points at order {} (--order)\n",
            self.geometry_order, self.points, self.order
        )?;
        writeln!(f, "{:<16} {:>12} {:>12} {:>14}", "kind", "cells", "affine", "points")?;
        for k in &self.kinds {
            let points = k.cells * k.kind.points(self.order);
            writeln!(f, "{:<16} {:>12} {:>12} {points:>14}", k.kind.name(), k.cells, k.affine)?;
        }
        Ok(())
    }

    fn write_faces(&self, f: &mut Formatter) -> fmt::Result {
        let width = self
            .boundaries
            .iter()
            .map(|b| b.name.chars().count())
            .max()
            .unwrap_or(0)
            .max(16);
        writeln!(
            f,
            "\n{:<width$} {:>12} {:>14} {:>14}",
            "faces", "number", "area", "first point"
        )?;
        writeln!(f, "{:<width$} {:>12}", "inside", self.inner_faces[0])?;
        if self.inner_faces[1] > 0 {
            writeln!(f, "{:<width$} {:>12}", "  by rotation", self.inner_faces[1])?;
        }
        let [larger, smaller] = self.divided_faces;
        if larger > 0 {
            writeln!(
                f,
                "{:<width$} {larger:>12}   hanging nodes: they meet the next ones",
                "larger"
            )?;
            writeln!(f, "{:<width$} {smaller:>12}", "smaller")?;
        }
        for b in &self.boundaries {
            let first = b.first_point.map_or(String::new(), |e| number(e.value));
            writeln!(
                f,
                "{:<width$} {:>12} {:>14} {first:>14}",
                b.name,
                b.faces,
                number(b.area)
            )?;
        }
        Ok(())
    }

    fn write_extent(&self, f: &mut Formatter) -> fmt::Result {
        writeln!(f)?;
        for (label, bound) in ["from", "to"].into_iter().zip(self.bounds) {
            let [x, y, z] = bound.map(number);
            writeln!(f, "{label:<28} {x:>12} {y:>12} {z:>12}")?;
        }
        writeln!(f, "{:<28} {:>12}", "volume", number(self.volume))?;
        line(f, "smallest cell", &self.smallest)?;
        line(f, "largest cell", &self.largest)?;
        line(f, "shortest edge", &self.shortest_edge)?;
        let nearest = self.boundaries.iter().filter_map(|b| b.first_point.as_ref());
        if let Some(nearest) = nearest.min_by(|a, b| a.value.total_cmp(&b.value)) {
            line(f, &format!("first point, order {}", self.order), nearest)?;
        }
        Ok(())
    }

    fn write_shapes(&self, f: &mut Formatter) -> fmt::Result {
        writeln!(f)?;
        line(f, "worst scaled Jacobian", &self.worst)?;
        distribution(f, "", &self.jacobians)?;
        line(f, "largest aspect ratio", &self.aspect)?;
        distribution(f, "", &self.aspects)?;
        if let Some(growth) = &self.growth {
            line(f, "largest growth over a face", growth)?;
            distribution(f, "", &self.growths)?;
        }
        if self.inverted > 0 {
            writeln!(f, "\n{:<28} {:>12}", "inverted or degenerate cells", self.inverted)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_six_significant_digits() {
        assert_eq!(
            [
                0.001_278_849_9,
                -0.5,
                0.999_999_999,
                4.0,
                340.294_12,
                123_456.7,
                1.25e-9,
                4e7
            ]
            .map(number),
            [
                "0.00127885",
                "-0.500000",
                "1.00000",
                "4.00000",
                "340.294",
                "123457",
                "1.25000e-9",
                "4.00000e7"
            ]
        );
        assert_eq!(number(0.0), "0.00000");
    }
}
