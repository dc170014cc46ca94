//! The division of a mesh among ranks ahead of runs, so that each rank of a run reads its own cells at once.

use std::path::{Path, PathBuf};

use super::failure::MeshFailure;
use super::files::check_output;
use super::report::ReportArgs;
use crate::commands::{print_line, print_progress};
use crate::device::Precision;
use crate::mesh::native::{self, Partitioning};
use crate::mesh::partition::{Report, Weights, divide};
use crate::mesh::{Mesh, is_native};

/// Arguments of `fr-les mesh partition`.
#[derive(Debug, clap::Args)]
pub struct PartitionArgs {
    /// Native file
    file: PathBuf,
    /// Numbers of ranks, e.g. 2,4,8; divisions for other numbers that the file has are kept
    #[arg(long, required = true, value_delimiter = ',', value_parser = clap::value_parser!(u32).range(2..))]
    parts: Vec<u32>,
    #[command(flatten)]
    report: ReportArgs,
    /// Native file to write, instead of replacing the one that is read
    #[arg(long)]
    output: Option<PathBuf>,
}

/// Divides the mesh, reports, and writes the file anew.
///
/// # Errors
/// The file is no native mesh, or cannot be divided or written.
pub fn run(args: &PartitionArgs) -> Result<(), MeshFailure> {
    let output = args.output.as_ref().unwrap_or(&args.file);
    if !is_native(&args.file)? {
        return Err(MeshFailure::NotNative(args.file.clone()));
    }
    check_output(output)?;
    let mesh = native::read(&args.file)?;
    let mut kept = native::partitionings(&args.file)?;
    let weights = Weights::of(args.report.order_for(&mesh)?);
    let mut wanted: Vec<usize> = args.parts.iter().map(|&parts| parts as usize).collect();
    wanted.sort_unstable();
    wanted.dedup();
    for parts in wanted {
        let part_of = divide(&mesh, parts, &weights, &[]).map_err(|source| MeshFailure::Divide {
            path: args.file.clone(),
            source,
        })?;
        print_progress(format_args!("{}\n", Report::of(&mesh, &part_of, parts, &weights)));
        kept.retain(|old| old.parts != parts);
        kept.push(Partitioning::new(part_of, parts, &weights));
    }
    native::write_partitioned(&mesh, &kept, output)?;
    kept.sort_by_key(|one| one.parts);
    let all: Vec<String> = kept.iter().map(|one| one.parts.to_string()).collect();
    print_progress(format_args!(
        "wrote {}, divided for {} ranks",
        output.display(),
        all.join(", ")
    ));
    Ok(())
}

/// Returns the loads of each division that a mesh file holds.
pub fn divisions(mesh: &Mesh, path: &Path) -> Result<Vec<Report>, MeshFailure> {
    if !is_native(path)? {
        return Ok(Vec::new());
    }
    let divisions = native::partitionings(path)?.into_iter();
    let report = |one: Partitioning| Report::of(mesh, &one.part_of, one.parts, &Weights::of(one.order as usize));
    Ok(divisions.map(report).collect())
}

/// Prints a line for a division.
pub fn print(report: &Report) {
    print_line(format_args!(
        "\ndivided at order {}: {}",
        report.order,
        report.summary(Precision::Double)
    ));
}
