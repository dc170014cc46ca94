//! `fr-les schema`: the JSON schema of the case file, for editors.

/// Prints it.
pub fn run() {
    println!("{:#}", crate::case::schema());
}
