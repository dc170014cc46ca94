//! The convergence of a steady solution, and what it says of the mesh.

use super::html::{self, Section, escaped, paragraph, table};
use super::picture::Picture;
use super::run::Run;
use crate::plot::convergence::{self, Convergence, is_convergence};
use crate::plot::figure::Size;

/// Returns the sections of a steady solution; none of a run in time.
pub(super) fn sections(run: &Run) -> Vec<Section> {
    let mut all = Vec::new();
    if let Some(file) = run.tables.iter().find(|file| is_convergence(&file.table)) {
        let solution = [Convergence::of_table(file.name(), file.table.clone())];
        let picture = Picture::new(file.name(), convergence::figure(&solution), Size::Screen);
        let values = format!("<pre>{}</pre>\n", escaped(&convergence::table(&solution)));
        all.push(Section {
            id: "convergence",
            title: "Convergence".to_owned(),
            body: html::figure(&picture.svg(), "convergence.csv") + &values,
            pictures: vec![picture],
        });
    }
    all.extend(run.adequacy.as_ref().map(|text| Section {
        id: "adequacy",
        title: "Resolution of the mesh".to_owned(),
        body: of_markdown(text),
        pictures: Vec::new(),
    }));
    all
}

/// Returns the markup of a page of Markdown that has headings, paragraphs and tables, without its title.
fn of_markdown(text: &str) -> String {
    let mut body = String::new();
    for block in text.split("\n\n") {
        let block = block.trim();
        if let Some(heading) = block.strip_prefix("## ") {
            body += &format!("<h3>{}</h3>\n", escaped(&heading.replace('`', "")));
        } else if block.starts_with('|') {
            let mut rows = block.lines().map(cells);
            let heads = rows.next().unwrap_or_default();
            let heads: Vec<&str> = heads.iter().map(String::as_str).collect();
            // The line below the heads is a rule.
            body += &table(&heads, &rows.skip(1).collect::<Vec<_>>());
        } else if !block.is_empty() && !block.starts_with("# ") {
            body += &paragraph(&block.replace('\n', " "));
        }
    }
    body
}

/// Returns the cells of a line of a table.
fn cells(line: &str) -> Vec<String> {
    line.trim_matches('|')
        .split('|')
        .map(|cell| cell.trim().to_owned())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headings_paragraphs_and_tables_become_markup() {
        let text = "# Title\n\nOne\nline.\n\n## Wall `a`\n\n| y1+ | area |\n|---|---|\n| up to 1 | 5 % |\n";
        let found = of_markdown(text);
        for part in [
            "<p>One line.</p>",
            "<h3>Wall a</h3>",
            "<th>y1+</th><th>area</th>",
            "<td>up to 1</td><td>5 %</td>",
        ] {
            assert!(found.contains(part), "{found}");
        }
        assert!(!found.contains("Title") && !found.contains("---"), "{found}");
    }
}
