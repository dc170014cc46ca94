//! Sections of the report of a study: text, and figures that can also be written as files.

use crate::plot::figure::Figure;
use crate::plot::svg;
use crate::report::Picture;
use crate::report::html::{Section, figure};

/// Returns a section of text.
pub(super) fn section(id: &'static str, title: &str, body: String) -> Section {
    Section {
        id,
        title: title.to_owned(),
        body,
        pictures: Vec::new(),
    }
}

/// Returns a section with figures after its text. Each has the name of its picture and a caption.
pub(super) fn drawn_section(
    id: &'static str,
    title: &str,
    text: String,
    figures: &[(String, Figure, String)],
) -> Section {
    let drawn: Vec<String> = figures.iter().map(|(_, drawn, _)| svg(drawn)).collect();
    let with_caption = drawn
        .iter()
        .zip(figures)
        .map(|(svg, (_, _, caption))| figure(svg, caption));
    let body = text + &with_caption.collect::<String>();
    let picture = |(svg, (name, _, _)): (&String, &(String, Figure, String))| Picture::drawn(name.clone(), svg.clone());
    Section {
        pictures: drawn.iter().zip(figures).map(picture).collect(),
        ..section(id, title, body)
    }
}
