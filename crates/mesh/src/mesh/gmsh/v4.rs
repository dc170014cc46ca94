//! The sections of Gmsh's formats 4.0 and 4.1.
//!
//! In version 4.0 (Gmsh 4.0, 2018) points have a bounding box, a block names its entity before its dimension, the
//! coordinates of a node follow its tag, and no ranges of tags are given. In binary data tags of nodes and elements and
//! counts of partitions have four bytes instead of eight. Gmsh 4.0 and 4.1 write such files; later versions do not.

use super::super::error::{GmshProblem, MeshError};
use super::elements::Elements;
use super::reader::Reader;
use super::types::Family;
use super::version::Version;

/// Reads `$Entities`, of which only the physical groups of the entities on the boundary are kept.
pub fn entities(reader: &mut Reader, elements: &mut Elements, version: Version) -> Result<(), MeshError> {
    reader.skip_line_before_data();
    all_entities(reader, elements, version, false)?;
    reader.expect("$EndEntities")
}

/// Reads `$PartitionedEntities`: the entities of a mesh that was divided. Elements lie on them, and each belongs to an
/// entity of the model. The partition itself is not used.
pub fn partitioned_entities(reader: &mut Reader, elements: &mut Elements, version: Version) -> Result<(), MeshError> {
    reader.skip_line_before_data();
    reader.tag(version.wide(), "the number of partitions")?;
    let ghosts = count_of(reader, version, "ghost entities", 8)?;
    reader.skip(2 * ghosts, 4, "a ghost entity")?;
    all_entities(reader, elements, version, true)?;
    reader.expect("$EndPartitionedEntities")
}

/// Reads the entities of all dimensions. Those of a partition name the entity that they belong to.
fn all_entities(
    reader: &mut Reader,
    elements: &mut Elements,
    version: Version,
    partitioned: bool,
) -> Result<(), MeshError> {
    let mut counts = [0; 4];
    for (dimension, count) in counts.iter_mut().enumerate() {
        // A point has 3 coordinates. Other entities have a bounding box of 6 and a list of the entities that bound
        // them.
        let (bytes, words) = if dimension == 0 { (36, 5) } else { (68, 9) };
        *count = reader.count("entities", bytes, words)?;
    }
    for (dimension, count) in counts.into_iter().enumerate() {
        for _ in 0..count {
            let tag = reader.int("the tag of an entity")?;
            let mut parent = None;
            if partitioned {
                let of = reader.int("the dimension of a parent entity")?;
                let entity = reader.int("the tag of a parent entity")?;
                parent = (of == dimension as i64).then_some(entity);
                let partitions = count_of(reader, version, "partitions of an entity", 4)?;
                reader.skip(partitions, 4, "a partition of an entity")?;
            }
            let point = dimension == 0 && version == Version::V41;
            reader.skip(if point { 3 } else { 6 }, 8, "a coordinate of an entity")?;
            let groups = reader.count("physical groups of an entity", 4, 1)?;
            let mut list = Vec::with_capacity(groups);
            for _ in 0..groups {
                list.push(reader.int("a physical group")?.saturating_abs());
            }
            if dimension + 1 == elements.dimension {
                elements.groups_of.insert(tag, list);
                parent.and_then(|parent| elements.parent_of.insert(tag, parent));
            }
            if dimension > 0 {
                let bounds = reader.count("bounds of an entity", 4, 1)?;
                reader.skip(bounds, 4, "a bound of an entity")?;
            }
        }
    }
    Ok(())
}

/// Reads a count of things of at least `bytes` in binary data, which has eight bytes in version 4.1 and four in 4.0.
fn count_of(reader: &mut Reader, version: Version, what: &'static str, bytes: usize) -> Result<usize, MeshError> {
    let count = reader.tag(version.wide(), what)?;
    reader.room_for(count, what, bytes, 1)
}

/// Reads the tag and the dimension of the entity to which a block of nodes or elements belongs.
fn entity_of_block(reader: &mut Reader, version: Version) -> Result<[i64; 2], MeshError> {
    let mut number = || reader.int("the entity of a block or its dimension");
    let [first, second] = [number()?, number()?];
    Ok(match version {
        Version::V40 => [first, second],
        _ => [second, first],
    })
}

/// Reads `$Nodes`.
pub fn nodes(reader: &mut Reader, elements: &mut Elements, version: Version) -> Result<(), MeshError> {
    reader.skip_line_before_data();
    let blocks = reader.count("blocks of nodes", 20, 4)?;
    let count = reader.count("nodes", 28, 4)?;
    if version == Version::V41 {
        reader.skip(2, 8, "the range of tags of nodes")?;
    }
    elements.mesh.node_tags.reserve(count);
    elements.mesh.positions.reserve(count);
    for _ in 0..blocks {
        let [_, dimension] = entity_of_block(reader, version)?;
        let parametric = reader.int("0 or 1, whether nodes have parameters")? != 0;
        let count = reader.count("nodes of a block", 28, 4)?;
        let start = elements.mesh.node_tags.len();
        let tag = |reader: &mut Reader| reader.tag(version.wide(), "the tag of a node");
        if version == Version::V41 {
            for _ in 0..count {
                elements.mesh.node_tags.push(tag(reader)?);
            }
        }
        let parameters = if parametric { dimension.clamp(0, 3) as usize } else { 0 };
        for i in start..start + count {
            if version == Version::V40 {
                elements.mesh.node_tags.push(tag(reader)?);
            }
            let tag = elements.mesh.node_tags[i];
            elements.read_position(reader, tag)?;
            reader.skip(parameters, 8, "a parameter of a node")?;
        }
    }
    elements.index_nodes(reader)?;
    reader.expect("$EndNodes")
}

/// Reads `$Elements`.
///
/// # Errors
/// The section is not valid or has elements that are not supported.
pub fn elements(reader: &mut Reader, elements: &mut Elements, version: Version) -> Result<(), MeshError> {
    reader.skip_line_before_data();
    let blocks = reader.count("blocks of elements", 20, 4)?;
    reader.count("elements", 8, 2)?;
    if version == Version::V41 {
        reader.skip(2, 8, "the range of tags of elements")?;
    }
    for _ in 0..blocks {
        let [entity, dimension] = entity_of_block(reader, version)?;
        let number = reader.int("the type of elements")?;
        let position = reader.position();
        let count = reader.count("elements of a block", 8, 2)?;
        let mut kind = None;
        for _ in 0..count {
            let tag = reader.tag(version.wide(), "the tag of an element")?;
            let kind = match kind {
                Some(kind) => kind,
                None => {
                    let checked = elements.check_type(reader, number, tag)?;
                    let fits = match checked.family {
                        Family::Lower => dimension == i64::from(checked.order > 0),
                        family => dimension == family.dimension(),
                    };
                    if !fits {
                        return Err(reader.error_at(position, GmshProblem::Dimension { number, dimension }));
                    }
                    *kind.insert(checked)
                }
            };
            elements.read_element(reader, kind, tag, entity, None, version.wide())?;
        }
    }
    reader.expect("$EndElements")
}

/// Reads `$Periodic` of version 4.1, of which only entities on the boundary are kept.
pub fn periodic(reader: &mut Reader, elements: &mut Elements) -> Result<(), MeshError> {
    reader.skip_line_before_data();
    let count = reader.count("periodic entities", 28, 5)?;
    for _ in 0..count {
        let dimension = reader.int("the dimension of a periodic entity")?;
        let slave = reader.int("a periodic entity")?;
        let master = reader.int("a periodic entity")?;
        let affine = match reader.count("numbers of an affine map", 8, 1)? {
            0 => None,
            16 => Some(reader.affine_map()?),
            other => {
                return Err(reader.error(GmshProblem::Unexpected {
                    what: "an affine map of 0 or 16 numbers",
                    found: other.to_string(),
                }));
            }
        };
        let pairs = reader.count("pairs of periodic nodes", 16, 2)?;
        elements.read_link(reader, dimension, [slave, master], affine, pairs, true)?;
    }
    reader.expect("$EndPeriodic")
}

/// Reads the binary `$Periodic` of version 4.0; as text it is that of version 2. A negative count says that an affine
/// map and the true count follow.
pub fn periodic_of_4_0(reader: &mut Reader, elements: &mut Elements) -> Result<(), MeshError> {
    const PAIRS: &str = "pairs of periodic nodes";
    reader.skip_line_before_data();
    let count = reader.int_tag("the number of periodic entities")?;
    for _ in 0..reader.room_for(count, "periodic entities", 20, 5)? {
        let dimension = reader.int("the dimension of a periodic entity")?;
        let slave = reader.int("a periodic entity")?;
        let master = reader.int("a periodic entity")?;
        let mut pairs = reader.size(PAIRS)?;
        let mut affine = None;
        if pairs.cast_signed() < 0 {
            affine = Some(reader.affine_map()?);
            pairs = reader.size(PAIRS)?;
        }
        let pairs = reader.room_for(pairs, PAIRS, 8, 2)?;
        elements.read_link(reader, dimension, [slave, master], affine, pairs, false)?;
    }
    reader.expect("$EndPeriodic")
}
