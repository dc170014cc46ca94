//! From the keys as written to the resolved [`Case`]: expressions evaluated, ranges and combinations checked.
//!
//! A problem found here carries the key path; the place is looked up from it afterwards.

use std::path::PathBuf;
use std::time::Duration;

use super::boundaries::boundaries;
use super::keys::{BoxKeys, CaseKeys, ExchangeKeys, MeshKeys, PeriodicKeys, TimeKeys, TimeScheme};
use super::resolved::Case;
use crate::halo::{DEFAULT_PIECE, ExchangeSettings, PIECES};
use crate::input::{Expression, Group, Number, Of, Problem, Scope, check, each, one_of, positive};
use crate::mesh::{BoxMesh, MeshSource, Motion, PeriodicPair, check_box};
use crate::output::{self, CaseFacts};
use crate::physics::{Forcing, Gas, GasState, Sgs};
use crate::run::{self, Restart, TimeStep};
use crate::solver;

/// Most cells of a mesh.
const MOST_CELLS: u128 = 1 << 31;
/// Most threads; a number beyond any machine's cores is a slip that would only stall it.
const MOST_THREADS: u64 = 1024;
/// Step size where the case says nothing.
const DEFAULT_CFL: f64 = 0.9;

/// Resolves all keys; path, text and source of the case are filled in by the reader.
pub(super) fn case(keys: &CaseKeys) -> Result<Case, Problem> {
    let scope = &Scope::new(&keys.constants)?;
    let order = scope.count("order", &keys.order)?;
    check("order", order as f64, order <= 8, "from 1 to 8")?;
    let threads = keys.threads.as_ref().map(|n| scope.count("threads", n)).transpose()?;
    if let Some(n) = threads {
        check("threads", n as f64, n <= MOST_THREADS, "from 1 to 1024")?;
    }
    let gas = Gas::resolve(&keys.gas, scope)?;
    let mesh = mesh(scope, &keys.mesh)?;
    let boundaries = boundaries(scope, &keys.boundaries, &mesh, &gas)?;
    let periodic = match &mesh {
        MeshSource::Box(mesh) => Some(mesh.periodic),
        MeshSource::File { .. } => None,
    };
    let forcing = Forcing::resolve(&keys.forcing, scope, periodic)?;
    let state = Group {
        scope,
        key: "initial",
        of: Of::Position,
    };
    let facts = CaseFacts {
        boundaries: &boundaries,
        periodic,
        holds_mass_flow: forcing.mass_flow.is_some(),
        reference: None,
    };
    let output = output::settings(&keys.output, scope, facts)?;
    let order = order as usize;
    Ok(Case {
        title: keys.title.clone(),
        path: PathBuf::new(),
        text: String::new(),
        solver: solver::Settings {
            mesh,
            order,
            scheme: keys.scheme,
            kahan: keys.time.kahan,
            precision: keys.precision,
            arithmetic: keys.arithmetic,
            device: keys.device,
            threads: threads.map(|n| n as usize),
            exchange: exchange(scope, &keys.exchange)?,
            graph: true,
            gas,
            sgs: keys
                .sgs
                .as_ref()
                .map(|keys| Sgs::resolve(keys, scope, &gas))
                .transpose()?,
            initial: GasState::resolve(&keys.initial, &state)?,
            boundaries,
            forcing,
            output_doubles_per_cell: output.doubles_per_cell(order),
        },
        run: run::Settings {
            restart: keys.restart.as_deref().map(restart).transpose()?,
            ..time(scope, &keys.time)?
        },
        output,
        source: Default::default(),
    })
}

fn exchange(scope: &Scope, keys: &ExchangeKeys) -> Result<ExchangeSettings, Problem> {
    let piece = keys
        .piece
        .as_ref()
        .map(|n| scope.count("exchange.piece", n))
        .transpose()?;
    let piece = piece.unwrap_or(DEFAULT_PIECE);
    let right = PIECES.contains(&piece);
    check("exchange.piece", piece as f64, right, "from 4096 to 1073741824 bytes")?;
    Ok(ExchangeSettings {
        transport: keys.transport,
        piece: piece as usize,
    })
}

fn mesh(scope: &Scope, keys: &MeshKeys) -> Result<MeshSource, Problem> {
    match (&keys.r#box, &keys.file) {
        (Some(keys), None) => Ok(MeshSource::Box(box_mesh(scope, keys)?)),
        (None, Some(path)) => {
            let pairs = keys.periodic.iter().enumerate();
            Ok(MeshSource::File {
                path: PathBuf::from(path),
                periodic: pairs.map(|(i, keys)| pair(scope, i, keys)).collect::<Result<_, _>>()?,
            })
        }
        (given, _) => Err(one_of("mesh", "box", "file", given.is_some())),
    }
}

/// Two boundaries to join.
fn pair(scope: &Scope, i: usize, keys: &PeriodicKeys) -> Result<PeriodicPair, Problem> {
    let key = format!("mesh.periodic[{i}]");
    if keys.from == keys.to {
        return Err(Problem::new(format!(
            "`from` and `to` are both `{}`: two boundaries are joined",
            keys.to
        ))
        .key(format!("{key}.to")));
    }
    let vector = |name: &str, v: &[Number; 3]| scope.numbers(&format!("{key}.{name}"), v);
    let motion = match (&keys.translation, &keys.rotation) {
        (Some(by), None) => Motion::Translation(vector("translation", by)?),
        (None, Some(turn)) => {
            let axis = vector("rotation.axis", &turn.axis)?;
            if axis == [0.0; 3] {
                return Err(Problem::new("the axis has no direction").key(format!("{key}.rotation.axis")));
            }
            Motion::Rotation {
                point: vector("rotation.point", &turn.point)?,
                axis,
                angle: scope
                    .number(&format!("{key}.rotation.angle"), &turn.angle)?
                    .to_radians(),
            }
        }
        (by, _) => return Err(one_of(&key, "translation", "rotation", by.is_some())),
    };
    Ok(PeriodicPair {
        first: keys.from.clone(),
        second: keys.to.clone(),
        motion,
    })
}

fn box_mesh(scope: &Scope, keys: &BoxKeys) -> Result<BoxMesh, Problem> {
    let cells = each(|d| scope.count(&format!("mesh.box.cells[{d}]"), &keys.cells[d]))?;
    let product: u128 = cells.iter().map(|n| u128::from(*n)).product();
    if product > MOST_CELLS {
        return Err(Problem::new(format!(
            "the box has {product} cells: at most {MOST_CELLS} are possible"
        ))
        .key("mesh.box.cells"));
    }
    let lower = scope.numbers("mesh.box.lower", &keys.lower)?;
    let upper = each(|d| {
        let key = format!("mesh.box.upper[{d}]");
        let value = scope.number(&key, &keys.upper[d])?;
        // The width itself must be a number too.
        let good = value > lower[d] && (value - lower[d]).is_finite();
        check(
            &key,
            value,
            good,
            &format!("above the lower corner, {}, by a finite width", lower[d]),
        )
    })?;
    let mut periodic = [false; 3];
    for (i, axis) in keys.periodic.iter().enumerate() {
        let direction = axis.index();
        if std::mem::replace(&mut periodic[direction], true) {
            return Err(Problem::new("a periodic direction is named twice").key(format!("mesh.box.periodic[{i}]")));
        }
    }
    let laws = [("x", &keys.stretch.x), ("y", &keys.stretch.y), ("z", &keys.stretch.z)];
    let stretch = each(|d| {
        let (name, law) = laws[d];
        let key = format!("mesh.box.stretch.{name}.tanh");
        // Above 20 the outermost cells would be thinner than rounding allows.
        let strength = |number| scope.number_if(&key, number, |v| v > 0.0 && v <= 20.0, "above 0 and at most 20");
        law.as_ref().map(|law| strength(&law.tanh)).transpose()
    })?;
    let warp = scope.number_if(
        "mesh.box.warp",
        &keys.warp,
        |v| (0.0..0.5).contains(&v),
        "from 0 to below 0.5",
    )?;
    let mesh = BoxMesh {
        cells: cells.map(|n| n as usize),
        lower,
        upper,
        periodic,
        elements: keys.elements,
        stretch,
        warp,
        warp_kind: keys.warp_kind,
    };
    check_box(&mesh).map_err(|e| Problem::new(e.to_string()).key("mesh.box.cells"))?;
    Ok(mesh)
}

fn restart(text: &str) -> Result<Restart, Problem> {
    match text {
        "" => Err(Problem::new("the name of the checkpoint is empty")
            .key("restart")
            .help("`latest`, or a file such as results/checkpoint_00001000.h5")),
        "none" => Err(Problem::new("`none` is not the name of a checkpoint")
            .key("restart")
            .help("leave the key out; the run then starts from `initial`")),
        "latest" => Ok(Restart::Latest),
        file => Ok(Restart::File(PathBuf::from(file))),
    }
}

fn time(scope: &Scope, keys: &TimeKeys) -> Result<run::Settings, Problem> {
    let TimeScheme::Rk4 = keys.scheme;
    let end = |v| scope.number_if("time.end", v, positive, "above 0");
    let end = keys.end.as_ref().map(end).transpose()?;
    let steps = keys.steps.as_ref().map(|n| scope.count("time.steps", n)).transpose()?;
    if end.is_none() && steps.is_none() {
        return Err(
            Problem::new("the run has no end: at least one of the keys `end` and `steps` is needed").key("time"),
        );
    }
    let step = match (&keys.cfl, &keys.dt) {
        (None, None) => TimeStep::Cfl(DEFAULT_CFL),
        (Some(cfl), None) => {
            let test = |v| v > 0.0 && v <= 2.0;
            TimeStep::Cfl(scope.number_if("time.cfl", cfl, test, "above 0 and at most 2")?)
        }
        (None, Some(dt)) => TimeStep::Fixed(scope.number_if("time.dt", dt, positive, "above 0")?),
        (Some(_), Some(_)) => return Err(one_of("time", "cfl", "dt", true)),
    };
    Ok(run::Settings {
        end,
        steps,
        step,
        restart: None,
        wall_clock: keys.wall_clock.as_ref().map(|v| wall_clock(scope, v)).transpose()?,
    })
}

/// Seconds, or hours:minutes:seconds.
fn wall_clock(scope: &Scope, number: &Number) -> Result<Duration, Problem> {
    /// A century: more is a slip, and near the largest time that clocks can add.
    const LONGEST: f64 = 3.2e9;
    let key = "time.wall-clock";
    let seconds = match &number.0 {
        Expression::Text(text) if text.contains(':') => {
            let parts: Vec<u64> = text.split(':').map_while(|part| part.trim().parse().ok()).collect();
            match parts[..] {
                [hours, minutes @ 0..60, seconds @ 0..60] if text.split(':').count() == 3 => {
                    hours as f64 * 3600.0 + (minutes * 60 + seconds) as f64
                }
                _ => {
                    return Err(Problem::new(format!("`{text}` is not a time on the clock"))
                        .key(key)
                        .help("hours:minutes:seconds, as in 23:50:00, or a number of seconds"));
                }
            }
        }
        _ => scope.number(key, number)?,
    };
    let good = seconds > 0.0 && seconds <= LONGEST;
    check(key, seconds, good, "above 0 seconds and less than a century").map(Duration::from_secs_f64)
}
