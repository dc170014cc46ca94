//! The frame of the page: head, contents, sections, and the parts that sections are made of.

use std::fmt::Write;

use super::picture::Picture;
use crate::format::plain;
use crate::plot::raised;

/// Style of the page. It names no file and no font of another place.
const STYLE: &str = "\
    :root { color-scheme: light dark; --line: #d8dde3; --text: #1d2329; --faint: #5b6570; --accent: #0b5c8e }\n\
    :root { --page: #fff; --hair: #eef1f4; --code: #f5f7f9 }\n\
    @media (prefers-color-scheme: dark) {\n\
    :root { --line: #3a424c; --text: #d9dee4; --faint: #9aa5b1; --accent: #6cb6e8 }\n\
    :root { --page: #16191d; --hair: #262c33; --code: #1f242a } }\n\
    * { box-sizing: border-box }\n\
    body { margin: 0; font: 16px/1.5 system-ui, 'DejaVu Sans', Arial, sans-serif }\n\
    body { color: var(--text); background: var(--page) }\n\
    main { max-width: 1240px; margin: 0 auto; padding: 0 28px 60px }\n\
    header { padding: 30px 0 6px }\n\
    h1 { font-size: 27px; line-height: 1.25; margin: 0 }\n\
    h2 { font-size: 20px; margin: 44px 0 12px; padding-top: 12px; border-top: 1px solid var(--line) }\n\
    h3 { font-size: 16px; margin: 22px 0 6px }\n\
    nav { position: sticky; top: 0; z-index: 1; background: var(--page); padding: 9px 0 }\n\
    nav { border-bottom: 1px solid var(--line) }\n\
    nav a { margin-right: 16px; white-space: nowrap; color: var(--accent); text-decoration: none }\n\
    nav a:hover { text-decoration: underline }\n\
    section { scroll-margin-top: 60px }\n\
    table { border-collapse: collapse; font-variant-numeric: tabular-nums }\n\
    td, th { padding: 3px 18px 3px 0; text-align: left; vertical-align: top; border-bottom: 1px solid var(--hair) }\n\
    th { font-weight: 600; color: var(--faint) }\n\
    p { max-width: 860px; margin: 8px 0 }\n\
    .scroll { overflow-x: auto }\n\
    .scroll td:first-child { white-space: nowrap }\n\
    .warn li { margin: 4px 0 }\n\
    figure { margin: 12px 0 22px; overflow-x: auto }\n\
    figure svg { max-width: 100%; height: auto; display: block; background: #fff }\n\
    .zoom { display: block; cursor: zoom-in }\n\
    .zoom input { position: absolute; opacity: 0 }\n\
    .zoom input:focus-visible + svg { outline: 2px solid var(--accent) }\n\
    .zoom input:checked + svg { max-width: none; width: 2400px; cursor: zoom-out }\n\
    figure:has(input:checked) { grid-column: 1 / -1 }\n\
    figcaption { color: var(--faint); font-size: 14px; max-width: 900px }\n\
    pre { background: var(--code); padding: 12px 14px; overflow-x: auto; font-size: 13.5px; line-height: 1.4 }\n\
    .pictures { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(480px, 100%), 1fr)); gap: 18px }\n\
    .pictures figure { margin: 0; min-width: 0 }\n\
    @media (max-width: 720px) { main { padding: 0 14px 40px } h1 { font-size: 22px }\n\
    nav { overflow-x: auto; white-space: nowrap } td, th { padding-right: 12px }\n\
    .scroll td, .scroll th { white-space: nowrap }\n\
    figure svg { max-width: none; width: 960px } .pictures svg { width: 100% } }\n\
    @media print { :root { color-scheme: light } nav { display: none } section { break-inside: avoid } }\n";

/// A part of the page with an entry in its contents.
pub(crate) struct Section {
    /// Name in links.
    pub id: &'static str,
    pub title: String,
    /// Markup.
    pub body: String,
    /// The figures in the markup, each for a file of its own.
    pub pictures: Vec<Picture>,
}

/// Returns a text with the characters of markup replaced, and those that XML does not allow or that turn its direction.
pub(crate) fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in plain(text).chars() {
        match character {
            '&' => out += "&amp;",
            '<' => out += "&lt;",
            '>' => out += "&gt;",
            '"' => out += "&quot;",
            c => out.push(c),
        }
    }
    out
}

/// Returns a paragraph.
pub(crate) fn paragraph(text: &str) -> String {
    format!("<p>{}</p>\n", escaped(text))
}

/// Returns a table of names and values.
pub(crate) fn pairs(rows: &[(&str, String)]) -> String {
    let mut out = String::from("<table>\n");
    for (name, value) in rows {
        let _ = writeln!(out, "<tr><th>{}</th><td>{}</td></tr>", escaped(name), escaped(value));
    }
    out + "</table>\n"
}

/// Returns a table with a row of heads. Exponents of units are raised.
pub(crate) fn table(heads: &[&str], rows: &[Vec<String>]) -> String {
    let mut out = String::from("<div class=\"scroll\"><table>\n<tr>");
    heads
        .iter()
        .for_each(|head| out += &format!("<th>{}</th>", escaped(&raised(head))));
    out += "</tr>\n";
    for row in rows {
        out += "<tr>";
        row.iter()
            .for_each(|value| out += &format!("<td>{}</td>", escaped(&raised(value))));
        out += "</tr>\n";
    }
    out + "</table></div>\n"
}

/// Returns an error in two digits, with an exponent where it is very small or large.
pub(crate) fn two_digits(error: f64) -> String {
    let power = error.log10().floor();
    if (-3.0..2.0).contains(&power) {
        format!("{error:.*}", (1.0 - power) as usize)
    } else {
        format!("{error:.1e}")
    }
}

/// Returns a figure, a drawing in SVG with a line below it. A click, or the space bar, enlarges it and back.
pub(crate) fn figure(svg: &str, caption: &str) -> String {
    format!(
        "<figure><label class=\"zoom\"><input type=\"checkbox\" aria-label=\"Enlarge\"/>{svg}</label>\
         <figcaption>{}</figcaption></figure>\n",
        escaped(caption)
    )
}

/// Returns the page.
pub(crate) fn page(title: &str, sections: &[Section]) -> String {
    let mut out = format!(
        "<!DOCTYPE html>\n<html lang=\"en\" xmlns=\"http://www.w3.org/1999/xhtml\">\n<head>\n\
         <meta charset=\"utf-8\"/>\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n\
         <title>{title}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n<main>\n\
         <header><h1>{title}</h1></header>\n<nav>",
        title = escaped(title)
    );
    for section in sections {
        let _ = write!(out, "<a href=\"#{}\">{}</a> ", section.id, escaped(&section.title));
    }
    out += "</nav>\n";
    for Section { id, title, body, .. } in sections {
        let _ = writeln!(
            out,
            "<section id=\"{id}\">\n<h2>{}</h2>\n{body}</section>",
            escaped(title)
        );
    }
    out + "</main>\n</body>\n</html>\n"
}

#[cfg(test)]
mod tests {
    #[test]
    fn errors_have_two_digits() {
        let shown = [0.0, 3.14e-5, 0.00278, 0.064, 0.5, 1.0, 64.1, 640.0].map(super::two_digits);
        assert_eq!(
            shown,
            ["0.0e0", "3.1e-5", "0.0028", "0.064", "0.50", "1.0", "64", "6.4e2"]
        );
    }
}
