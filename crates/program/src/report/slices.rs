//! Pictures of the newest slices: Mach number, entropy and Q, in the window that the case asks for.

use std::path::Path;

use super::html::{Section, escaped, figure, paragraph};
use super::picture::Picture;
use super::run::Run;
use crate::output::{Pictured, View};
use crate::plot::Error;
use crate::plot::figure::Size;
use crate::plot::slices::Slice;

/// What is drawn of each slice, as far as its files have it.
const DRAWN: [Pictured; 3] = [Pictured::Mach, Pictured::Entropy, Pictured::QCriterion];

/// Returns the section of pictures, if there are slices. Files that cannot be read are named in it.
pub(super) fn section(run: &Run) -> Option<Section> {
    if run.slices.is_empty() {
        return None;
    }
    let (mut body, mut all) = (String::new(), Vec::new());
    if run.gas().is_none() {
        body += &paragraph("The case cannot be read again, so that the Mach number and the entropy are not known.");
    }
    for (name, path) in &run.slices {
        match of_slice(run, name, path) {
            Ok((title, pictures)) => {
                let file = path.file_name().unwrap_or_default().to_string_lossy();
                let markup: String = pictures.iter().map(|picture| figure(&picture.svg(), &file)).collect();
                body += &format!(
                    "<h3>{}</h3>\n<div class=\"pictures\">\n{markup}</div>\n",
                    escaped(&title)
                );
                all.extend(pictures);
            }
            Err(error) => body += &paragraph(&error.to_string()),
        }
    }
    Some(Section {
        id: "slices",
        title: "Slices".to_owned(),
        body,
        pictures: all,
    })
}

/// Returns the title of a slice, and its pictures.
fn of_slice(run: &Run, name: &str, path: &Path) -> Result<(String, Vec<Picture>), Error> {
    let slice = Slice::open(path)?;
    let (wanted, view) = wanted(run, name);
    let mut pictures = Vec::new();
    for quantity in wanted {
        if let Some(drawn) = slice.picture(quantity, name, &view, run.gas())? {
            let file = format!("slices_{name}_{}", quantity.name());
            pictures.push(Picture::new(file, drawn, Size::Picture));
        }
    }
    Ok((format!("{name} at t = {}", slice.time()), pictures))
}

/// Returns what is drawn of a slice: the usual quantities, then others of which the case has pictures, in their window.
fn wanted(run: &Run, name: &str) -> (Vec<Pictured>, View) {
    let requests = run.case.iter().flat_map(|case| &case.output.requests);
    let pictures = requests
        .filter(|request| request.label() == format!("slices {name}"))
        .find_map(|request| request.pictures());
    let mut all = DRAWN.to_vec();
    let Some(pictures) = pictures else {
        return (all, View::default());
    };
    all.extend(pictures.of.iter().filter(|quantity| !DRAWN.contains(quantity)));
    (all, pictures.view)
}
