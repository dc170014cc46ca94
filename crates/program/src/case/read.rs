//! From the case file and the overrides of the command line to a [`Case`].

use std::io::{self, Read};
use std::path::Path;
use std::sync::Arc;

use serde::Deserialize;

use super::error::Error;
use super::file_kind::FileKind;
use super::keys::CaseKeys;
use super::overrides;
use super::paths;
use super::resolve;
use super::resolved::{Case, Source};
use super::tree::{Node, Value};
use crate::input::{Kind, Place, Problem};
use crate::io::open_input;
use crate::steady;

/// Largest case file read, in bytes: a guard against being given a mesh or a device instead.
const LARGEST: u64 = 1 << 20;

impl Case {
    /// Reads the case file at `path` and applies `overrides`, each of the form `key.path=value`.
    pub fn read(path: &Path, overrides: &[String]) -> Result<Self, Error> {
        let text = read_text(path, "case").map_err(|problem| Error::new(problem, path, "", overrides))?;
        Self::parse(&text, path, overrides)
    }

    /// Reads the case from its text; `path` is used in messages, and the paths in the case are relative to its
    /// directory.
    pub fn parse(text: &str, path: &Path, overrides: &[String]) -> Result<Self, Error> {
        let directory = path.parent().unwrap_or(Path::new(""));
        let (case, tree) = parse(text, directory, overrides).map_err(|problem| {
            let problem = overrides::name_causes(problem, overrides, |others| parse(text, directory, others).err());
            Error::new(problem, path, text, overrides)
        })?;
        let mut provenance = text.to_string();
        if !overrides.is_empty() && !text.ends_with('\n') {
            provenance.push('\n');
        }
        for set in overrides {
            // One line each, whatever the override contains.
            let line: String = set.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
            provenance.push_str(&format!("{OVERRIDE}{line}\n"));
        }
        Ok(Self {
            path: path.to_path_buf(),
            text: provenance,
            source: Arc::new(Source {
                text: text.to_owned(),
                overrides: overrides.to_vec(),
                tree,
            }),
            ..case
        })
    }

    /// Reads the case from the text that a run has recorded: that of its file, and a line for each override at the end.
    pub fn recorded(text: &str, path: &Path) -> Result<Self, Error> {
        let at_end = text.lines().rev().map_while(|line| line.strip_prefix(OVERRIDE));
        let mut overrides: Vec<String> = at_end.map(str::to_owned).collect();
        overrides.reverse();
        Self::parse(text, path, &overrides)
    }
}

/// Start of a line at the end of the text of a case that has an override.
const OVERRIDE: &str = "# --set ";

/// First bytes of files that are given in the place of a settings file, and what these are.
const OTHERS: [(&[u8], &str); 6] = [
    (b"\x89HDF\r\n", "an HDF5 file, as meshes, solutions and checkpoints are"),
    (b"$MeshFormat", "a mesh of Gmsh"),
    (b"$Comments", "a mesh of Gmsh"),
    (b"NDIME", "a mesh of SU2"),
    (b"@(#)ADF", "a mesh in the older container of CGNS"),
    (b"\xc0\xa8\xa3\xa9ADF", "a mesh in the older container of CGNS"),
];

/// Reads the text of a file of YAML; `kind` is the kind of file for messages, such as "case".
pub(super) fn read_text(path: &Path, kind: &str) -> Result<String, Problem> {
    let mut bytes = Vec::new();
    open_input(path)
        .and_then(|file| file.take(LARGEST + 1).read_to_end(&mut bytes))
        .map_err(|e| unreadable(&e, path, kind))?;
    if let Some((_, found)) = OTHERS.iter().find(|(start, _)| bytes.starts_with(start)) {
        let what = format!("this is {found}, and no {kind} file");
        return Err(
            Problem::new(what).help("`fr-les mesh info FILE` reports a mesh; a case names its mesh in `mesh.file`")
        );
    }
    if bytes.len() as u64 > LARGEST {
        let what = format!("the file is larger than {LARGEST} bytes: is it a {kind} file?");
        return Err(Problem::new(what));
    }
    String::from_utf8(bytes).map_err(|e| {
        let line = 1 + e.as_bytes()[..e.utf8_error().valid_up_to()]
            .iter()
            .filter(|b| **b == b'\n')
            .count();
        Problem::new(format!("the file is not UTF-8 text: see line {line}"))
    })
}

fn unreadable(e: &io::Error, path: &Path, kind: &str) -> Problem {
    match e.kind() {
        io::ErrorKind::NotFound => Problem::new(format!("the {kind} file does not exist")),
        _ if path.is_dir() => Problem::new(format!("the {kind} file is a directory")).help("name the file in it"),
        _ => Problem::new(format!("the {kind} file cannot be read: {e}")),
    }
}

/// Reads the tree of values of a text, which must not be empty; `kind` is as in [`read_text`].
pub(super) fn read_tree(text: &str, kind: &str, overrides: &[String]) -> Result<Node, Problem> {
    let mut tree = if text.trim().is_empty() {
        Node::default()
    } else {
        Node::parse(text)?
    };
    if matches!(tree.value, Value::Null) {
        return Err(Problem::new(format!("the {kind} file is empty")).at(Place::Whole));
    }
    for (i, set) in overrides.iter().enumerate() {
        tree.set(i, set)?;
    }
    Ok(tree)
}

fn parse(text: &str, directory: &Path, overrides: &[String]) -> Result<(Case, Node), Problem> {
    let tree = read_tree(text, "case", overrides)?;
    let keys = CaseKeys::deserialize(&tree);
    let keys = keys.map_err(|problem| {
        FileKind::Case
            .mistaken(&tree)
            .unwrap_or_else(|| overrides::hint_at_quotes(finish(problem), overrides))
    })?;
    let case = resolve::case(&keys, directory).map_err(|problem| {
        let place = tree.place_of(&problem.key);
        paths::help(problem, &tree, directory).within(place)
    })?;
    Ok((case, tree))
}

/// Completes the words of an error of serde, now that the whole key path is known.
pub(super) fn finish(mut problem: Problem) -> Problem {
    let (parent, key) = problem.key.rsplit_once('.').unwrap_or(("", &problem.key));
    if matches!(problem.kind, Kind::UnknownKey) && !parent.is_empty() {
        problem.what = format!("unknown key `{key}` in `{parent}`");
    }
    let is_gone = |(key, value, _): &&(&str, Option<&str>, &str)| {
        *key == problem.key
            && match value {
                Some(value) => problem.what.starts_with(&format!("`{value}` ")),
                None => matches!(problem.kind, Kind::UnknownKey),
            }
    };
    if let Some((.., instead)) = steady::GONE.iter().find(is_gone) {
        problem.what = instead.to_string();
        problem.help.clear();
    }
    problem
}

#[cfg(test)]
mod tests {
    use super::super::*;
    use crate::input::Every;
    use crate::output::{CheckpointPeriod, CheckpointSettings};
    use crate::physics::{BoundaryKind, FacePoint, InitialGas};
    use crate::run;
    use crate::run::{Restart, StepLimit, TimeStep};
    use std::path::PathBuf;
    use std::time::Duration;

    /// The box of a case that has one.
    fn of_box(case: &Case) -> &BoxMesh {
        match &case.solver.mesh {
            MeshSource::Box(mesh) => mesh,
            MeshSource::File { .. } => panic!("not a box"),
        }
    }

    const VORTEX: &str = "\
title: Taylor-Green vortex
mesh:
  box: {cells: [8, 2*8, 16], lower: [-pi, -pi, -pi], upper: [pi, pi, pi], periodic: [x, z], stretch: {y: {tanh: 5.4}}}
order: 4
constants: {V0: 1.0, L: 1.0, M: 0.1, rho0: 1.0, p0: rho0*V0^2/(1.4*M^2)}
gas: {viscosity: {constant: rho0*V0*L/1600}}
initial:
  u: V0*sin(x/L)*cos(y/L)*cos(z/L)
  v: -V0*cos(x/L)*sin(y/L)*cos(z/L)
  w: 0
  p: p0 + rho0*V0^2/16*(cos(2*x/L) + cos(2*y/L))*(cos(2*z/L) + 2)
  temperature: p0/rho0
boundaries:
  y-: {type: no-slip-isothermal, temperature: 1.0}
  y+: {type: far-field, u: 'max(0, sin(t))', v: 0, w: 0, p: p0, rho: rho0}
time: {end: 20.0}
output: {integrals: {every-steps: 10}}
";

    fn parse(text: &str, overrides: &[&str]) -> Result<Case, Error> {
        let overrides: Vec<String> = overrides.iter().map(|s| s.to_string()).collect();
        Case::parse(text, "run.yaml".as_ref(), &overrides)
    }

    fn read(overrides: &[&str]) -> Case {
        parse(VORTEX, overrides).unwrap_or_else(|e| panic!("{e}"))
    }

    fn refusal(overrides: &[&str]) -> String {
        parse(VORTEX, overrides).expect_err("refused").to_string()
    }

    #[test]
    fn a_case_is_resolved_to_numbers_and_fields() {
        let case = read(&[]);
        let pi = std::f64::consts::PI;
        let mesh = of_box(&case);
        assert_eq!((mesh.cells, mesh.upper[1], case.solver.order), ([8, 16, 16], pi, 4));
        assert_eq!(
            (mesh.periodic, mesh.stretch),
            ([true, false, true], [None, Some(5.4), None])
        );
        assert_eq!(case.solver.gas.viscosity, Some(Viscosity::Constant(1.0 / 1600.0)));
        let initial = case.solver.initial.state().expect("fields");
        let (x, p0) = ([0.3, -0.8, 2.1], 1.0 / (1.4 * 0.1_f64.powf(2.0)));
        assert_eq!(initial.velocity[1].eval(x, 0.0), -x[0].cos() * x[1].sin() * x[2].cos());
        let p = p0 + 1.0 / 16.0 * ((2.0 * x[0]).cos() + (2.0 * x[1]).cos()) * ((2.0 * x[2]).cos() + 2.0);
        assert!((initial.pressure.eval(x, 0.0) - p).abs() < 1e-13);
        let data = |name: &str| {
            let point = FacePoint {
                x,
                normal: [0.0, 1.0, 0.0],
                extent: 1.0,
                face_size: 0.1,
                time: 1.0,
                gas: &case.solver.gas,
                initial: InitialGas::State(initial),
            };
            case.solver.boundaries[name].data(&point).expect("values")
        };
        let (outer, wall) = (&case.solver.boundaries["y+"], &case.solver.boundaries["y-"]);
        assert_eq!((outer.kind(), outer.varies()), (BoundaryKind::FarField, true));
        assert_eq!(data("y+")[..3], [1.0, 1.0_f64.sin(), 0.0]);
        assert_eq!((wall.kind(), wall.varies()), (BoundaryKind::NoSlipIsothermal, false));
        assert_eq!(data("y-")[..5], [0.0, 0.0, 0.0, 1.0, 0.0]);
    }

    #[test]
    fn defaults_are_those_of_the_schema() {
        let case = read(&[]);
        let scheme = Scheme {
            split: Split::KennedyGruber,
            riemann: Riemann::Roe,
            entropy_correction: EntropyCorrection::Auto,
            correction: Correction::Radau,
            shock: Shock::Positivity,
            entropy_tolerance: 1e-4,
            artificial_bulk_viscosity: 0.0,
        };
        assert_eq!(case.solver.scheme, scheme);
        assert_eq!(
            (
                case.solver.gas.gamma,
                case.solver.gas.prandtl,
                case.solver.gas.gas_constant
            ),
            (1.4, 0.71, 1.0)
        );
        assert_eq!(
            case.run,
            run::Settings {
                end: Some(20.0),
                steps: None,
                until: None,
                step: TimeStep::Cfl(0.9),
                limit: StepLimit::Waves,
                wall_clock: None,
                restart: None,
            }
        );
        assert_eq!(
            (case.solver.precision, case.solver.arithmetic, case.solver.device),
            (Precision::Double, Arithmetic::Auto, DeviceKind::Auto)
        );
        assert_eq!(
            (of_box(&case).warp, of_box(&case).warp_kind, case.solver.threads),
            (0.0, WarpKind::Curved, None)
        );
        assert_eq!(case.output.directory, PathBuf::from("results"));
        assert_eq!(
            case.output.files(),
            ["integrals every 10 steps", "checkpoints every hour on the clock"]
        );
        assert!(case.solver.kahan);
        assert!(case.solver.forcing.force.is_none());
    }

    #[test]
    fn overrides_replace_add_and_remove_keys() {
        let case = read(&[
            "time.end=null",
            "time.steps=2*5",
            "time.dt=1e-3",
            "scheme.riemann=hllc",
            "gas.viscosity={constant: 0}",
        ]);
        assert_eq!(
            (case.run.end, case.run.steps, case.run.step),
            (None, Some(10), TimeStep::Fixed(1e-3))
        );
        assert_eq!(
            (case.solver.scheme.riemann, case.solver.gas.viscosity),
            (Riemann::Hllc, Some(Viscosity::Constant(0.0)))
        );
        let case = read(&["mesh.box.cells.0=4", "mesh.box.cells.2=2*3"]);
        assert_eq!(of_box(&case).cells, [4, 16, 6]);
        let case = read(&[
            "mesh.box.periodic=[x, y, z]",
            "boundaries=null",
            "output.solution.every=L/4",
        ]);
        assert!(case.solver.boundaries.is_empty());
        let files = case.output.files();
        assert!(files.contains(&"solutions every 0.25 in time".to_owned()), "{files:?}");
    }

    #[test]
    fn restart_checkpoints_and_the_wall_clock_are_resolved() {
        let case = read(&[
            "output.checkpoint.every=L/2",
            "restart=latest",
            "time.wall-clock=23:50:00",
        ]);
        let checkpoint = CheckpointSettings {
            period: CheckpointPeriod::Flow(Every::Time(0.5)),
            keep: 2,
        };
        assert_eq!(case.output.checkpoints, Some(checkpoint));
        assert_eq!(case.run.restart, Some(Restart::Latest));
        assert_eq!(case.run.wall_clock, Some(Duration::from_secs(85_800)));
        let case = read(&[
            "restart=a/b.h5",
            "time.wall-clock=2*3600",
            "output.checkpoint={every-steps: 5, keep: 3}",
        ]);
        assert_eq!(case.run.restart, Some(Restart::File("a/b.h5".into())));
        assert_eq!(case.run.wall_clock, Some(Duration::from_secs(7200)));
        assert_eq!(case.output.checkpoints.map(|c| c.keep), Some(3));
        let period = |set: &str| read(&[set]).output.checkpoints.map(|c| (c.period, c.keep));
        let clock = |seconds| CheckpointPeriod::Clock(Duration::from_secs(seconds));
        assert_eq!(period("output.checkpoint=null"), Some((clock(3600), 2)));
        assert_eq!(period("output.checkpoint.keep=1"), Some((clock(3600), 1)));
        assert_eq!(period("output.checkpoint.wall-clock=0:30:00"), Some((clock(1800), 2)));
        assert_eq!(period("output.checkpoint.keep=0"), None);
        let hours = |text: &str| read(&[&format!("time.wall-clock={text}")]).run.wall_clock;
        assert_eq!(hours("100:00:01"), Some(Duration::from_secs(360_001)));
    }

    #[test]
    fn a_wrong_override_is_named_with_its_text() {
        for (set, what) in [
            ("time.clf=0.5", "did you mean `cfl`?"),
            ("time.cfl=V1", "did you mean `V0`?"),
            ("time.cfl=-1", "above 0"),
            ("time.cfl=[", "error: "),
            ("order.x=1", "what it would be in is the number 4"),
            ("mesh.box.cells.3=4", "is a list, whose entries are 0 to 2"),
            ("mesh.box.cells.x=4", "is a list, whose entries are 0 to 2"),
            ("mesh.box.cells.-1=4", "is a list, whose entries are 0 to 2"),
            ("mesh.box.cells.1=null", "an entry of a list is not removed"),
            ("mesh.box.cells.1=0", "mesh.box.cells"),
            ("order", "needs KEY=VALUE"),
            ("=4", "needs KEY=VALUE"),
            ("time..cfl=4", "needs KEY=VALUE"),
            ("boundaries.fin.a.type=slip", "`--set 'boundaries.\"fin.a\".type=...'`"),
            ("time.\"cfl=4", "needs KEY=VALUE"),
            ("time.wall-clock=23:50", "hours:minutes:seconds"),
            ("time.wall-clock=1:60:00", "hours:minutes:seconds"),
            ("time.wall-clock=1::2:3", "hours:minutes:seconds"),
            ("time.wall-clock=0", "above 0 seconds"),
            ("time.wall-clock=1e10", "a century"),
            ("restart=''", "the name of the checkpoint is empty"),
            ("output.checkpoint={every: 1, every-steps: 2}", "exclude each other"),
            ("output.checkpoint={every: 1, wall-clock: 2}", "exclude each other"),
            ("output.checkpoint.wall-clock=0:90:00", "hours:minutes:seconds"),
            (
                "output.checkpoint={every: 1, keep: 0}",
                "`keep: 0` writes no checkpoints",
            ),
            ("output.checkpoint.keep=-1", "at least 0"),
            ("time.end=null", "the run has no end"),
            ("output.directory=", "has no value"),
        ] {
            let shown = refusal(&[set]);
            assert!(shown.contains(what), "{shown}");
            assert!(
                shown.contains(&format!("--set {set}")) || set == "time.end=null",
                "{shown}"
            );
        }
    }

    #[test]
    fn an_override_is_named_where_a_line_of_the_file_shows_its_fault() {
        for (sets, line, cause) in [
            // The value of a constant, a key beside another, a key that is missing, and a bound of another key.
            (&["order=3", "constants.M=0"][..], 5, "constants.M=0"),
            (&["initial.rho=1", "title=b"], 7, "initial.rho=1"),
            (&["initial.p=null"], 7, "initial.p=null"),
            (&["mesh.box.lower=[9, 0, 0]"], 3, "mesh.box.lower=[9, 0, 0]"),
        ] {
            let shown = refusal(sets);
            let named = format!("without `--set {cause}` this would not be wrong");
            let line = format!("--> run.yaml:{line}:");
            assert!(shown.contains(&line) && shown.contains(&named), "{shown}");
            assert_eq!(
                shown.matches("--set").count() - shown.matches("` removes a key").count(),
                1,
                "{shown}"
            );
        }
        // A field that has a wrong value at a point of the mesh is found later.
        let shown = read(&["title=b", "constants.M=-2"]).refuse("initial.p", "wrong".to_owned());
        let named = "run.yaml:11:6 (initial.p)";
        let shown = shown.to_string();
        assert!(
            shown.contains(named) && shown.ends_with("= it is computed with `--set constants.M=-2`"),
            "{shown}"
        );
        let shown = read(&["constants.M=0.2"])
            .refuse("initial.w", "wrong".to_owned())
            .to_string();
        assert!(!shown.contains("--set"), "{shown}");
        // What the file does wrong itself is not the fault of an override.
        let text = VORTEX.replace("order: 4", "order: 9");
        let shown = parse(&text, &["constants.M=0.2"]).expect_err("refused").to_string();
        assert!(!shown.contains("--set"), "{shown}");
    }

    #[test]
    fn the_text_kept_for_provenance_ends_with_the_overrides() {
        assert_eq!(read(&[]).text, VORTEX);
        let text = read(&["order=3", "title=two\n\nlines"]).text;
        assert_eq!(text, format!("{VORTEX}# --set order=3\n# --set title=two  lines\n"));
        assert!(parse(&text, &[]).is_ok());
    }

    #[test]
    fn the_caret_marks_the_wrong_part_of_an_expression() {
        let text = VORTEX.replace("  temperature: p0/rho0", "  temperature: 'p0/rh0'");
        let shown = parse(&text, &[]).expect_err("refused").to_string();
        assert!(
            shown.contains("12 |   temperature: 'p0/rh0'\n   |                    ^^^\n"),
            "{shown}"
        );
    }

    #[test]
    fn words_that_older_yaml_takes_for_booleans_are_words() {
        let case = read(&["title=no", "mesh.box.stretch={y: {tanh: 2}}"]);
        assert_eq!((case.title.as_str(), of_box(&case).stretch[1]), ("no", Some(2.0)));
    }

    #[test]
    fn files_of_other_systems_read_alike() {
        let text = format!("\u{feff}{}", VORTEX.replace('\n', "\r\n"));
        assert_eq!(
            parse(&text, &[]).unwrap_or_else(|e| panic!("{e}")).solver.mesh,
            read(&[]).solver.mesh
        );
        let shown = parse(&text.replace("order", "ordre"), &[])
            .expect_err("refused")
            .to_string();
        assert!(
            shown.contains("run.yaml:4:1 (ordre)") && shown.contains("4 | ordre: 4\n"),
            "{shown}"
        );
    }
}
