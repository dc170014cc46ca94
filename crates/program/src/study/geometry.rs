//! The mesh of a design: made by Gmsh from a script, or of a cascade of blades.

use std::path::{Path, PathBuf};

use crate::case::{self, FileKind, SettingsFile};
use crate::input::{Problem, Scope};
use crate::io::{self, Error, atomic_write, make_way};
use crate::mesh::quality::Quality;
use crate::mesh::{Blade, Cascade, CascadeKeys, Mesh, call_gmsh, find_gmsh, native, read_mesh};

use super::error::StudyError;
use super::keys::GeometryKeys;
use super::variable::{BladePart, Choice, Target, Variable};

/// Order at which cells are checked for inversion.
const CHECKED_ORDER: usize = 2;
/// The outline of the blade of a design.
pub(super) const PROFILE: &str = "profile.csv";

/// How meshes of designs are made.
#[derive(Debug)]
pub struct Geometry {
    source: Source,
    /// The text of the files from which meshes are made: another text makes other designs.
    text: String,
}

#[derive(Debug)]
enum Source {
    /// A script of Gmsh.
    Script {
        path: PathBuf,
        order: u64,
        numbers: Vec<(String, f64)>,
    },
    /// A cascade, and its blade if it is one of few numbers.
    Cascade {
        path: PathBuf,
        settings: Box<Cascade>,
        blade: Option<Blade>,
    },
}

impl Geometry {
    /// Evaluates and checks the keys of the geometry and what the variables set of it.
    ///
    /// # Errors
    /// `refuse` makes an error of what is wrong with the study. A file of the geometry cannot be read.
    pub(super) fn resolve(
        keys: &GeometryKeys,
        variables: &[Variable],
        directory: &Path,
        refuse: impl Fn(Problem) -> case::Error,
    ) -> Result<Option<Self>, case::Error> {
        let read = |key: &str, file: &str| {
            let path = directory.join(file);
            let text = io::read_input_text(&path).map_err(|e| refuse(Problem::new(e.to_string()).key(key)));
            Ok::<_, case::Error>((path, text?))
        };
        let geometry = match (&keys.script, &keys.cascade) {
            (Some(file), None) => {
                let (path, text) = read("geometry.script", file)?;
                let (order, numbers) = script_keys(keys).map_err(&refuse)?;
                let text = format!("{text}\norder {order} {numbers:?}");
                Some(Geometry {
                    source: Source::Script { path, order, numbers },
                    text,
                })
            }
            (None, Some(file)) => {
                let foreign = [("order", keys.order.is_some()), ("numbers", !keys.numbers.is_empty())];
                if let Some((key, _)) = foreign.iter().find(|(_, given)| *given) {
                    let problem = Problem::new(format!("`{key}` belongs to `script`, and not to a cascade"));
                    return Err(refuse(problem.key(format!("geometry.{key}"))));
                }
                let (path, text) = read("geometry.cascade", file)?;
                Some(Geometry {
                    source: cascade(path)?,
                    text,
                })
            }
            (Some(_), Some(_)) => {
                let problem = Problem::new("`script` and `cascade` exclude each other").key("geometry");
                return Err(refuse(problem));
            }
            (None, None) => None,
        };
        for variable in variables {
            check_target(variable, geometry.as_ref()).map_err(&refuse)?;
        }
        Ok(geometry)
    }

    /// Returns the name of the mesh file of a design.
    pub fn file(&self) -> &'static str {
        match self.source {
            Source::Script { .. } => "mesh.msh",
            Source::Cascade { .. } => "mesh.h5",
        }
    }

    /// Returns the path of the mesh file of a design in its folder.
    pub fn path_in(&self, folder: &Path) -> PathBuf {
        folder.join(self.file())
    }

    /// Returns what makes the mesh of a design: two designs with the same text have the same mesh.
    pub fn identity(&self, variables: &[Variable], x: &[Choice]) -> String {
        let of_mesh = variables
            .iter()
            .zip(x)
            .filter(|(v, _)| !matches!(v.target, Target::Case(_)));
        let values = of_mesh.map(|(v, choice)| format!("{} = {choice}\n", v.target));
        values.collect::<String>() + &self.text
    }

    /// Makes the mesh of a design, unless it is there. The file appears when it is complete.
    ///
    /// # Errors
    /// The mesh cannot be made: the blade is impossible, Gmsh fails, or the cells cannot be used. There is no Gmsh.
    pub fn make(&self, variables: &[Variable], x: &[Choice], folder: &Path) -> Result<(), StudyError> {
        let (path, part) = (folder.join(self.file()), folder.join(format!("part.{}", self.file())));
        if path.is_file() {
            return Ok(());
        }
        // Gmsh would write through a symbolic link that it found under this name.
        make_way(&part)?;
        // Without Gmsh no design has a mesh: that is no failure of this one.
        let program = find_gmsh(None).map_err(|e| StudyError::Refused(format!("error: {e}")))?;
        self.write(variables, x, folder, (&program, &part)).map_err(|what| {
            let lines: Vec<&str> = what.lines().map(str::trim).collect();
            StudyError::Mesh(lines.join(" "))
        })?;
        Ok(std::fs::rename(&part, &path).map_err(Error::os("rename", &part))?)
    }

    /// Makes the mesh of a design with this Gmsh and writes it into a file. The outline of a blade goes into the
    /// folder.
    fn write(
        &self,
        variables: &[Variable],
        x: &[Choice],
        folder: &Path,
        (program, part): (&Path, &Path),
    ) -> Result<(), String> {
        match &self.source {
            Source::Script {
                path: script,
                order,
                numbers,
            } => {
                let given = variables
                    .iter()
                    .zip(x)
                    .filter_map(|(v, choice)| match (&v.target, choice) {
                        (Target::Gmsh(name), Choice::Number(value)) => Some((name.clone(), *value)),
                        _ => None,
                    });
                let numbers = numbers.iter().cloned().chain(given);
                let numbers = numbers.flat_map(|(name, value)| ["-setnumber".to_owned(), name, value.to_string()]);
                run_script(program, script, *order, numbers.collect(), part)?;
                let mesh = read_mesh(part, &[]).map_err(|e| e.to_string())?;
                usable(&mesh)
            }
            Source::Cascade { path, settings, blade } => {
                let mut settings = (**settings).clone();
                if let Some(blade) = blade {
                    settings.points = moved(blade, variables, x)
                        .points()
                        .map_err(|problem| problem.to_string())?;
                    let rows = settings.points.iter().map(|[x, y]| format!("{x},{y}\n"));
                    let text = "x,y\n".to_owned() + &rows.collect::<String>();
                    atomic_write(&folder.join(PROFILE), text.as_bytes()).map_err(|e| e.to_string())?;
                }
                let plan = settings.plan().map_err(|problem| problem.to_string())?;
                let mesh = plan.mesh(Some(program), path).map_err(|e| e.to_string())?;
                usable(&mesh)?;
                native::write(&mesh, part).map_err(|e| e.to_string())
            }
        }
    }
}

/// Reads the settings of a cascade.
fn cascade(path: PathBuf) -> Result<Source, case::Error> {
    let file = SettingsFile::<CascadeKeys>::read(&path, FileKind::Cascade, &[])?;
    let resolve = || {
        let scope = Scope::new(&file.keys.constants)?.relative_to(file.directory());
        let blade = file.keys.profile.blade.as_ref();
        let blade = blade.map(|keys| keys.resolve("profile.blade", &scope)).transpose()?;
        Ok((Box::new(file.keys.resolve(&scope)?), blade))
    };
    let (settings, blade) = resolve().map_err(|problem| file.refuse(problem))?;
    Ok(Source::Cascade { path, settings, blade })
}

/// Evaluates the keys of a script.
fn script_keys(keys: &GeometryKeys) -> Result<(u64, Vec<(String, f64)>), Problem> {
    let scope = Scope::new(&Default::default())?;
    let order = keys
        .order
        .as_ref()
        .map_or(Ok(1), |order| scope.count("geometry.order", order))?;
    let number = |(name, number): (&String, &_)| {
        let value = scope.number(&format!("geometry.numbers.{name}"), number)?;
        Ok((name.clone(), value))
    };
    let numbers = keys.numbers.iter().map(number).collect::<Result<_, Problem>>()?;
    Ok((order, numbers))
}

/// Verifies that what a variable sets of the geometry is there.
fn check_target(variable: &Variable, geometry: Option<&Geometry>) -> Result<(), Problem> {
    let refuse = |part: &str, what: String| {
        let key = format!("variables.{}.{part}", variable.name);
        Err(Problem::new(what).key(key))
    };
    let source = geometry.map(|geometry| &geometry.source);
    match (&variable.target, source) {
        (Target::Case(_), _) | (Target::Gmsh(_), Some(Source::Script { .. })) => Ok(()),
        (Target::Gmsh(_), _) => refuse("gmsh", "a number of Gmsh needs `geometry.script`".to_owned()),
        (Target::Blade(part, at), Some(Source::Cascade { blade: Some(blade), .. })) => {
            let count = match part {
                BladePart::Camber => blade.camber.len(),
                BladePart::Thickness => blade.thickness.len(),
            };
            if *at < count {
                Ok(())
            } else {
                refuse(
                    "blade",
                    format!("the blade has no `{part}.{at}`: its numbers are 0 to {}", count - 1),
                )
            }
        }
        (Target::Blade(..), _) => {
            let what = "a control point of a blade needs `geometry.cascade` with the key `profile.blade`";
            refuse("blade", what.to_owned())
        }
    }
}

/// Returns the blade of a design.
fn moved(blade: &Blade, variables: &[Variable], x: &[Choice]) -> Blade {
    let mut blade = blade.clone();
    for (variable, choice) in variables.iter().zip(x) {
        if let (Target::Blade(part, at), Choice::Number(value)) = (&variable.target, choice) {
            match part {
                BladePart::Camber => blade.camber[*at] += value,
                BladePart::Thickness => blade.thickness[*at] *= value,
            }
        }
    }
    blade
}

/// Runs Gmsh beside the script, whose own files are relative to it.
fn run_script(program: &Path, script: &Path, order: u64, numbers: Vec<String>, output: &Path) -> Result<(), String> {
    let whole = |path: &Path| std::path::absolute(path).map_err(|e| format!("{}: {e}", path.display()));
    let (script, output) = (whole(script)?, whole(output)?);
    let folder = script.parent().unwrap_or(Path::new("/"));
    let fixed = [
        "-3",
        "-order",
        &order.to_string(),
        "-format",
        "msh41",
        "-nt",
        "1",
        "-v",
        "3",
    ]
    .map(str::to_owned);
    let paths = [
        script.display().to_string(),
        "-o".to_owned(),
        output.display().to_string(),
    ];
    let arguments: Vec<String> = fixed.into_iter().chain(numbers).chain(paths).collect();
    call_gmsh(program, folder, &arguments).map_err(|e| e.to_string())
}

/// Verifies that cells fit together and are not inverted.
fn usable(mesh: &Mesh) -> Result<(), String> {
    mesh.check().map_err(|fault| fault.to_string())?;
    match Quality::of(mesh, CHECKED_ORDER) {
        None => Err("the mesh has no cells".to_owned()),
        Some(quality) if quality.inverted > 0 => Err(format!(
            "{} inverted or degenerate cells, the worst is {}",
            quality.inverted, quality.worst.place
        )),
        Some(_) => Ok(()),
    }
}
