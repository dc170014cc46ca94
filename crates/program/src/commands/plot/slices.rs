//! `fr-les plot` of a slice: a panel for each quantity.

use std::path::Path;

use super::args::{PlotArgs, drawn, output_or};
use crate::case::Case;
use crate::input::listed;
use crate::io::{RUN_RECORD, RunRecord};
use crate::output::{Pictured, View};
use crate::physics::Gas;
use crate::plot::Error;
use crate::plot::figure::Figure;
use crate::plot::slices::{Slice, name_of};

/// Returns whether a path is that of a slice.
pub(super) fn is_slice(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    name.starts_with("slices_") && name.ends_with(".vtkhdf")
}

/// Returns the option that was given and belongs to slices alone.
pub(super) fn option(args: &PlotArgs) -> Option<&'static str> {
    let given = [(args.window.is_some(), "--window"), (args.repeat.is_some(), "--repeat")];
    given.into_iter().find(|(given, _)| *given).map(|(_, option)| option)
}

/// Draws the slice in a file.
pub(super) fn draw(args: &PlotArgs, path: &Path) -> Result<(), Error> {
    let wrong = |what: String| Error::View {
        path: path.into(),
        what,
    };
    let output = output_or(args, path.with_extension("png"))?;
    let columns = args.columns();
    let wanted = if columns.is_empty() {
        vec![Pictured::Mach]
    } else {
        let named = columns.iter().map(|name| of_name(name).map_err(wrong));
        named.collect::<Result<_, _>>()?
    };
    if let Some(window) = args.window {
        View::check_window(window).map_err(wrong)?;
    }
    let view = View {
        window: args.window,
        repeat: args.repeat,
    };
    let slice = Slice::open(path)?;
    let gas = gas_beside(path);
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let mut figure = Figure::default();
    for quantity in wanted {
        let Some(one) = slice.picture(quantity, name_of(&stem), &view, gas.as_ref())? else {
            return Err(wrong(format!(
                "it lacks the fields of `{}`, or {RUN_RECORD} beside it, which has the gas",
                quantity.name()
            )));
        };
        figure.panels.extend(one.panels);
    }
    drawn(args, &figure, &output, "")
}

/// Returns the quantity of a name.
fn of_name(name: &str) -> Result<Pictured, String> {
    let found = Pictured::ALL.into_iter().find(|quantity| quantity.name() == name);
    let all = || listed(Pictured::ALL.map(Pictured::name));
    found.ok_or_else(|| format!("of a slice {} are drawn, not `{name}`", all()))
}

/// Returns the gas of the run whose record lies in the folder of a file.
fn gas_beside(path: &Path) -> Option<Gas> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let record = RunRecord::read(folder.unwrap_or(Path::new("."))).ok()?;
    let case = Case::recorded(&record.case, Path::new(RUN_RECORD)).ok()?;
    Some(case.solver.gas)
}
