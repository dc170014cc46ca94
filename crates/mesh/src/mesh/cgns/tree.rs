//! The tree of nodes of a CGNS file in HDF5 (SIDS File Mapping Manual, CGNS/HDF5).
//!
//! A node is a group with the attributes `label` and `type`; its values are the dataset ` data`, whose raw order is
//! that of Fortran; its children are the groups inside. A node of type `LK` stands for another one, often of another
//! file, which is the group ` link` inside; HDF5 follows it.

use std::path::Path;

use hdf5::types::FixedAscii;
use hdf5::{Group, H5Type};

use crate::io::read_array;
use crate::mesh::error::{FilePosition, MeshError};

/// Name of the dataset of a node's values.
const DATA: &str = " data";

/// Names of the group that a link leads to, and of the datasets with its file and its path.
const LINK: &str = " link";
const LINK_FILE: &str = " file";
const LINK_PATH: &str = " path";

/// A node of the tree.
#[derive(Debug, Clone)]
pub struct Node<'a> {
    /// The file, for messages.
    file: &'a Path,
    /// Path in the file, for messages.
    path: String,
    /// Name of the node.
    pub name: String,
    group: Group,
}

impl<'a> Node<'a> {
    /// Opens the root of a file.
    ///
    /// # Errors
    /// The file is not a valid HDF5 file.
    pub fn root(file: &'a Path) -> Result<Self, MeshError> {
        let refused = |detail: String| MeshError::Content {
            file: file.to_path_buf(),
            place: FilePosition::Whole,
            detail,
        };
        let open = || hdf5::File::open(file)?.group("/");
        let group = open().map_err(|error| refused(format!("the file is damaged or cut short (HDF5: {error})")))?;
        Ok(Node {
            file,
            path: String::new(),
            name: String::new(),
            group,
        })
    }

    /// The error that this node is refused.
    pub fn refused(&self, detail: impl Into<String>) -> MeshError {
        MeshError::Content {
            file: self.file.to_path_buf(),
            place: FilePosition::Object(if self.path.is_empty() {
                "/".to_owned()
            } else {
                self.path.clone()
            }),
            detail: detail.into(),
        }
    }

    fn reading<T>(&self, what: &str, result: hdf5::Result<T>) -> Result<T, MeshError> {
        result.map_err(|error| self.refused(format!("{what} cannot be read (HDF5: {error})")))
    }

    /// Text of an attribute.
    fn attribute(&self, name: &str) -> Result<String, MeshError> {
        let read = || self.group.attr(name)?.read_scalar::<FixedAscii<33>>();
        let text = self.reading(&format!("the attribute `{name}`"), read())?;
        // The bytes need not be ASCII whatever the file says.
        let text = String::from_utf8_lossy(text.as_bytes());
        Ok(text.trim_end_matches('\0').trim().to_owned())
    }

    /// Children with this label, in the order of their names.
    ///
    /// # Errors
    /// The node cannot be read, or a link leads nowhere.
    pub fn children(&self, label: &str) -> Result<Vec<Node<'a>>, MeshError> {
        let mut names = self.reading("the list of nodes", self.group.member_names())?;
        names.retain(|name| !name.starts_with(' '));
        names.sort();
        let mut found = Vec::new();
        for name in names {
            let Ok(group) = self.group.group(&name) else {
                return Err(self.refused(format!("the node `{name}` is not a group of HDF5")));
            };
            let child = Node {
                file: self.file,
                path: format!("{}/{name}", self.path),
                name,
                group,
            };
            let child = child.followed()?;
            if child.attribute("label")? == label {
                found.push(child);
            }
        }
        Ok(found)
    }

    /// The node that this one leads to if it is a link, under the name of the link; else this one.
    fn followed(self) -> Result<Self, MeshError> {
        if self.attribute("type")? != "LK" {
            return Ok(self);
        }
        let Ok(group) = self.group.group(LINK) else {
            let text = |name: &str| match read_array(&self.group, name) {
                Ok((_, bytes)) => lossy(bytes),
                Err(_) => String::new(),
            };
            let (file, path) = (text(LINK_FILE), text(LINK_PATH));
            let place = if file.is_empty() {
                "this file".to_owned()
            } else {
                format!("the file `{file}`")
            };
            return Err(self.refused(format!(
                "the node is a link to `{path}` in {place}, which cannot be opened"
            )));
        };
        let linked = Node { group, ..self };
        match linked.attribute("type")?.as_str() {
            "LK" => Err(linked.refused("the node is a link to a link, which is not followed")),
            _ => Ok(linked),
        }
    }

    /// The only child with this label, if there is one.
    ///
    /// # Errors
    /// The node cannot be read, or there are several.
    pub fn child(&self, label: &str) -> Result<Option<Node<'a>>, MeshError> {
        let mut all = self.children(label)?;
        match all.len() {
            0 | 1 => Ok(all.pop()),
            n => Err(self.refused(format!("the node has {n} children of type {label}; one is read"))),
        }
    }

    /// The child with this label and name, if there is one.
    pub fn named(&self, label: &str, name: &str) -> Result<Option<Node<'a>>, MeshError> {
        Ok(self.children(label)?.into_iter().find(|child| child.name == name))
    }

    /// Values of the node.
    fn values<T: H5Type>(&self) -> Result<Vec<T>, MeshError> {
        let read = read_array(&self.group, DATA).map_err(|detail| self.refused(format!("its array {detail}")));
        Ok(read?.1)
    }

    /// Whole numbers of the node.
    ///
    /// # Errors
    /// The node holds no whole numbers.
    pub fn integers(&self) -> Result<Vec<i64>, MeshError> {
        match self.attribute("type")?.as_str() {
            "I4" | "I8" | "U4" | "U8" => self.values(),
            other => Err(self.refused(format!(
                "it holds values of type `{other}`, but whole numbers are needed"
            ))),
        }
    }

    /// Real numbers of the node.
    ///
    /// # Errors
    /// The node holds no real numbers.
    pub fn reals(&self) -> Result<Vec<f64>, MeshError> {
        match self.attribute("type")?.as_str() {
            "R4" | "R8" => self.values(),
            other => Err(self.refused(format!(
                "it holds values of type `{other}`, but real numbers are needed"
            ))),
        }
    }

    /// Text of the node.
    ///
    /// # Errors
    /// The node holds no text.
    pub fn text(&self) -> Result<String, MeshError> {
        Ok(lossy(self.values()?))
    }

    /// Values of the array of this name below the node, if it is there.
    pub fn array(&self, name: &str) -> Result<Option<Node<'a>>, MeshError> {
        self.named("DataArray_t", name)
    }
}

/// Text of characters.
fn lossy(characters: Vec<i8>) -> String {
    let bytes: Vec<u8> = characters.into_iter().map(|c| c as u8).collect();
    String::from_utf8_lossy(&bytes).trim_end_matches('\0').trim().to_owned()
}
