//! Sections of the report of a study: text, and figures that can also be written as files.

use crate::plot::figure::{Figure, Size};
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
    let picture = |one: &Drawn| Picture::new(one.name.clone(), one.figure.clone(), Size::Screen);
    let pictures: Vec<Picture> = figures.iter().map(picture).collect();
    let drawn = pictures.iter().zip(figures);
    let with_caption = drawn.map(|(picture, one)| figure(&picture.svg(), &one.caption));
    let body = text + &with_caption.collect::<String>();
    Section {
        pictures,
        ..section(id, title, body)
    }
}
