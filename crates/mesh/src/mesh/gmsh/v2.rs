//! The sections of Gmsh's format 2.2.

use super::super::error::{GmshProblem, MeshError};
use super::elements::Elements;
use super::reader::Reader;

/// Reads `$Nodes`.
pub fn nodes(reader: &mut Reader, elements: &mut Elements) -> Result<(), MeshError> {
    let count = reader.text_count("nodes", 28, 4)?;
    reader.skip_line_before_data();
    elements.mesh.node_tags.reserve(count);
    elements.mesh.positions.reserve(count);
    for _ in 0..count {
        let tag = reader.int_tag("the number of a node")?;
        elements.mesh.node_tags.push(tag);
        elements.read_position(reader, tag)?;
    }
    elements.index_nodes(reader)?;
    reader.expect("$EndNodes")
}

/// Reads `$Elements`.
///
/// # Errors
/// The section is not valid or has elements that are not supported.
pub fn elements(reader: &mut Reader, elements: &mut Elements) -> Result<(), MeshError> {
    let count = reader.text_count("elements", 8, 4)?;
    reader.skip_line_before_data();
    if reader.binary.is_none() {
        for _ in 0..count {
            let tag = reader.int_tag("the number of an element")?;
            let number = reader.int("the type of an element")?;
            let tags = reader.count("tags of an element", 4, 1)?;
            element(reader, elements, tag, number, tags)?;
        }
    } else {
        let mut read = 0;
        while read < count {
            let number = reader.int("the type of elements")?;
            let alike = reader.int_tag("a number of elements")?;
            let alike = reader.room_for(alike, "elements", 8, 1)?;
            let tags = reader.int_tag("the number of tags")?;
            let tags = reader.room_for(tags, "tags of an element", 4, 1)?;
            if alike > count - read {
                return Err(reader.error(GmshProblem::Count {
                    what: "elements of one type",
                    count: alike as u64,
                    room: count - read,
                }));
            }
            for _ in 0..alike {
                let tag = reader.int_tag("the number of an element")?;
                element(reader, elements, tag, number, tags)?;
            }
            read += alike;
        }
    }
    reader.expect("$EndElements")
}

/// Reads the tags and nodes of an element. The tags are the physical group, the geometric entity, and partitions if
/// any.
fn element(reader: &mut Reader, elements: &mut Elements, tag: u64, number: i64, tags: usize) -> Result<(), MeshError> {
    let kind = elements.check_type(reader, number, tag)?;
    let mut values = [0; 2];
    for value in values.iter_mut().take(tags) {
        *value = reader.int("a tag of an element")?;
    }
    reader.skip(tags.saturating_sub(2), 4, "a tag of an element")?;
    let [group, entity] = values;
    elements.read_element(reader, kind, tag, entity, Some(group), false)
}

/// Reads `$Periodic`, which is text in binary files too.
pub fn periodic(reader: &mut Reader, elements: &mut Elements) -> Result<(), MeshError> {
    let binary = reader.binary.take();
    let count = reader.text_count("periodic entities", 8, 4)?;
    for _ in 0..count {
        let dimension = reader.text_integer("the dimension of a periodic entity")?;
        let slave = reader.text_integer("a periodic entity")?;
        let master = reader.text_integer("a periodic entity")?;
        let mut word = reader.word("a number of periodic nodes")?;
        let mut affine = None;
        if word == b"Affine" {
            affine = Some(reader.affine_map()?);
            word = reader.word("a number of periodic nodes")?;
        }
        let pairs = reader.parsed_count(word, "pairs of periodic nodes", 2)?;
        elements.read_link(reader, dimension, [slave, master], affine, pairs, false)?;
    }
    reader.expect("$EndPeriodic")?;
    reader.binary = binary;
    Ok(())
}
