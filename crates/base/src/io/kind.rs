//! What an HDF5 file of fr-les is, by the groups at its root, for messages about files that are given for others.

/// Groups at the root of files, and what these are.
const KINDS: [(&str, &str); 3] = [
    (
        "checkpoint",
        "it is a checkpoint, with which `restart` goes on and `initial.file` begins",
    ),
    (
        "mesh",
        "it is a mesh: `mesh.file` takes it, and `fr-les mesh info` describes it",
    ),
    (
        "VTKHDF",
        "it is a solution or a part of one for ParaView; `initial.file` and `restart` take solutions",
    ),
];

/// Returns what a file is that has not the `needed` group at its root, as a sentence.
pub fn kind_of_file(root: &hdf5::Group, needed: &str) -> String {
    let found = KINDS.iter().find(|(group, _)| root.link_exists(group));
    found.map_or_else(|| format!("it has no group /{needed}"), |(_, what)| (*what).to_owned())
}
