//! The sections of Gmsh's format 2.2.

use super::super::error::{GmshProblem, MeshError};
use super::elements::Elements;
use super::source::Source;

/// Reads `$Nodes`.
///
/// # Errors
///
/// Returns an error if the section is not valid.
pub fn nodes(source: &mut Source, elements: &mut Elements) -> Result<(), MeshError> {
    let count = source.text_count("nodes", 28, 4)?;
    source.skip_line_before_data();
    elements.mesh.node_tags.reserve(count);
    elements.mesh.positions.reserve(count);
    for _ in 0..count {
        let tag = source.int_tag("the number of a node")?;
        elements.mesh.node_tags.push(tag);
        elements.read_position(source, tag)?;
    }
    elements.index_nodes(source)?;
    source.expect("$EndNodes")
}

/// Reads `$Elements`.
///
/// # Errors
///
/// Returns an error if the section is not valid or has elements that are not supported.
pub fn elements(source: &mut Source, elements: &mut Elements) -> Result<(), MeshError> {
    let count = source.text_count("elements", 8, 4)?;
    source.skip_line_before_data();
    if source.binary.is_none() {
        for _ in 0..count {
            let tag = source.int_tag("the number of an element")?;
            let number = source.int("the type of an element")?;
            let tags = source.count("tags of an element", 4, 1)?;
            element(source, elements, tag, number, tags)?;
        }
    } else {
        let mut read = 0;
        while read < count {
            let number = source.int("the type of elements")?;
            let alike = source.int_tag("a number of elements")?;
            let alike = source.room_for(alike, "elements", 8, 1)?;
            let tags = source.int_tag("the number of tags")?;
            let tags = source.room_for(tags, "tags of an element", 4, 1)?;
            if alike > count - read {
                return Err(source.error(GmshProblem::Count {
                    what: "elements of one type",
                    count: alike as u64,
                    room: count - read,
                }));
            }
            for _ in 0..alike {
                let tag = source.int_tag("the number of an element")?;
                element(source, elements, tag, number, tags)?;
            }
            read += alike;
        }
    }
    source.expect("$EndElements")
}

/// Reads the tags and nodes of an element. The tags are the physical group, the geometric entity, and partitions if
/// any.
fn element(source: &mut Source, elements: &mut Elements, tag: u64, number: i64, tags: usize) -> Result<(), MeshError> {
    let kind = Elements::check_type(source, number, tag)?;
    let mut values = [0; 2];
    for value in values.iter_mut().take(tags) {
        *value = source.int("a tag of an element")?;
    }
    source.skip(tags.saturating_sub(2), 4, "a tag of an element")?;
    let [group, entity] = values;
    elements.read_element(source, kind, tag, entity, Some(group), false)
}

/// Reads `$Periodic`, which is text in binary files too.
///
/// # Errors
///
/// Returns an error if the section is not valid.
pub fn periodic(source: &mut Source, elements: &mut Elements) -> Result<(), MeshError> {
    let binary = source.binary.take();
    let count = source.text_count("periodic entities", 8, 4)?;
    for _ in 0..count {
        let dimension = source.text_integer("the dimension of a periodic entity")?;
        let slave = source.text_integer("a periodic entity")?;
        let master = source.text_integer("a periodic entity")?;
        let mut word = source.word("a number of periodic nodes")?;
        let mut affine = None;
        if word == b"Affine" {
            affine = Some(source.affine_map()?);
            word = source.word("a number of periodic nodes")?;
        }
        let pairs = source.parsed_count(word, "pairs of periodic nodes", 2)?;
        elements.read_link(source, dimension, [slave, master], affine, pairs)?;
    }
    source.expect("$EndPeriodic")?;
    source.binary = binary;
    Ok(())
}
