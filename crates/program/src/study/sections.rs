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

/// A figure of a section.
pub(super) struct Drawn {
    /// The name of its picture.
    pub(super) name: String,
    pub(super) figure: Figure,
    pub(super) caption: String,
}

/// Returns a section with figures after its text.
pub(super) fn drawn_section(id: &'static str, title: &str, text: String, figures: &[Drawn]) -> Section {
    let drawn: Vec<String> = figures.iter().map(|one| svg(&one.figure)).collect();
    let with_caption = drawn.iter().zip(figures).map(|(svg, one)| figure(svg, &one.caption));
    let body = text + &with_caption.collect::<String>();
    let picture = |(svg, one): (&String, &Drawn)| Picture::drawn(one.name.clone(), svg.clone());
    Section {
        pictures: drawn.iter().zip(figures).map(picture).collect(),
        ..section(id, title, body)
    }
}
