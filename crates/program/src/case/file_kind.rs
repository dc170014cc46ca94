//! The kinds of files that people write for fr-les: how one is told from another, which command reads it, and where its
//! schema is.

use super::tree::{Node, Value};
use crate::input::{Place, Problem};

/// A kind of file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum FileKind {
    /// A case, which `fr-les run` reads
    Case,
    /// A study, which `fr-les study` reads
    Study,
    /// The settings of a cascade, which `fr-les mesh cascade` reads
    Cascade,
}

/// Keys that a file must have to be recognised: one alone may be a mistake.
const ENOUGH: usize = 2;

impl FileKind {
    /// All kinds.
    pub const ALL: [FileKind; 3] = [FileKind::Case, FileKind::Study, FileKind::Cascade];

    /// Returns the name, which is that of the file of the schema.
    pub fn name(self) -> &'static str {
        match self {
            FileKind::Case => "case",
            FileKind::Study => "study",
            FileKind::Cascade => "cascade",
        }
    }

    /// Returns the page of the manual that lists its keys, from the root of the repository.
    pub fn page(self) -> &'static str {
        match self {
            FileKind::Case => "docs/reference/case-keys.md",
            FileKind::Study => "docs/reference/study-keys.md",
            FileKind::Cascade => "docs/reference/cascade-keys.md",
        }
    }

    /// Returns required keys of the kind that no other kind has.
    pub fn marks(self) -> &'static [&'static str] {
        match self {
            FileKind::Case => &["mesh", "order", "initial", "time"],
            FileKind::Study => &["case", "variables", "objectives"],
            FileKind::Cascade => &["profile", "span", "layers", "passage"],
        }
    }

    /// Returns the address of the schema in the repository.
    pub fn address(self) -> String {
        let repository = env!("CARGO_PKG_REPOSITORY");
        format!("{repository}/raw/HEAD/docs/schema/{}.json", self.name())
    }

    fn sentence(self) -> &'static str {
        match self {
            FileKind::Case => "this is a case: `fr-les run FILE` runs it, and `fr-les check FILE` looks at it",
            FileKind::Study => "this is a study: `fr-les study FILE` reads it",
            FileKind::Cascade => {
                "these are the settings of a cascade: `fr-les mesh cascade FILE MESH.h5` makes a mesh of them"
            }
        }
    }

    /// Returns the kind of a file by its keys, if they are those of one.
    fn of(tree: &Node) -> Option<FileKind> {
        let Value::Map(entries) = &tree.value else { return None };
        let has = |mark: &&&str| entries.iter().any(|entry| entry.key == **mark);
        let count = |kind: &FileKind| kind.marks().iter().filter(has).count();
        let found = FileKind::ALL.into_iter().max_by_key(count)?;
        (count(&found) >= ENOUGH).then_some(found)
    }

    /// Returns what is wrong if a file, which cannot be read as one of this kind, is one of another.
    pub(super) fn mistaken(self, tree: &Node) -> Option<Problem> {
        let found = FileKind::of(tree).filter(|found| *found != self)?;
        Some(Problem::new(found.sentence()).at(Place::Whole))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_told_by_their_keys() {
        let of = |text: &str| FileKind::of(&Node::parse(text).expect("YAML"));
        assert_eq!(of("{mesh: {}, time: {}, orber: 3}"), Some(FileKind::Case));
        assert_eq!(of("{case: a.yaml, variables: {}, output: b}"), Some(FileKind::Study));
        assert_eq!(of("{profile: {}, span: {}, constants: {}}"), Some(FileKind::Cascade));
        assert_eq!(of("{title: a, mesh: {}}"), None);
        assert_eq!(of("[mesh, time]"), None);
    }
}
