//! From the keys as written to the resolved [`Case`]: expressions evaluated, ranges and combinations checked.
//!
//! A problem found here carries the key path; the place is looked up from it afterwards.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::boundaries::{SIDES, boundaries};
use super::keys::CaseKeys;
use super::resolved::Case;
use crate::input::{Group, Of, Problem, Scope, check};
use crate::mesh::MeshSource;
use crate::output::{self, CaseFacts};
use crate::physics::{
    BarRow, Boundary, Domain, Forcing, Gas, Initial, MOST_SCALARS, RotatingFrame, Scalar, Sgs, Shock, Sponge,
    Surroundings,
};
use crate::run::StepLimit;
use crate::runge_kutta::TimeScheme;
use crate::solver::{self, InterfaceUse};

/// Most threads; a number beyond any machine's cores is a slip that would only stall it.
const MOST_THREADS: u64 = 1024;

/// Resolves all keys; path, text and source of the case are filled in by the reader. The paths in the case are
/// relative to `directory`.
pub(super) fn case(keys: &CaseKeys, directory: &Path) -> Result<Case, Problem> {
    let scope = &Scope::new(&keys.constants)?.relative_to(directory);
    let order = scope.count("order", &keys.order)?;
    check("order", order as f64, order <= 8, "from 1 to 8")?;
    let threads = keys.threads.as_ref().map(|n| scope.count("threads", n)).transpose()?;
    if let Some(n) = threads {
        check("threads", n as f64, n <= MOST_THREADS, "from 1 to 1024")?;
    }
    let gas = Gas::resolve(&keys.gas, scope)?;
    let mesh = keys.mesh.resolve(scope)?;
    let frame = keys.rotating_frame.as_ref();
    let frame = frame.map(|keys| RotatingFrame::resolve(keys, scope)).transpose()?;
    let around = &Surroundings {
        gas: &gas,
        frame: frame.as_ref(),
    };
    let boundaries = boundaries(scope, &keys.boundaries, &mesh, around)?;
    if keys.time.scheme == TimeScheme::Paired {
        check_paired(keys, &boundaries)?;
    }
    let periodic = match &mesh {
        MeshSource::Box(mesh) => Some(mesh.periodic),
        MeshSource::File { .. } => None,
    };
    let domain = match &mesh {
        MeshSource::Box(mesh) => Some(Domain {
            lower: mesh.lower,
            upper: mesh.upper,
            periodic: mesh.periodic,
            friction: SIDES.map(|sides| sides.map(|side| boundaries.get(side).is_some_and(Boundary::is_no_slip))),
        }),
        MeshSource::File { .. } => None,
    };
    let period = match &mesh {
        MeshSource::Box(mesh) => Some(mesh.periodic[1].then(|| mesh.upper[1] - mesh.lower[1])),
        MeshSource::File { .. } => None,
    };
    let bars = keys.bars.iter();
    let bars = bars.map(|(name, keys)| BarRow::resolve(keys, scope, name, period));
    let bars = bars.collect::<Result<Vec<_>, _>>()?;
    let sponges = keys.sponges.iter();
    let sponges = sponges.map(|(name, keys)| Sponge::resolve(keys, scope, name, around));
    let sponges = sponges.collect::<Result<Vec<_>, _>>()?;
    let sgs = keys
        .sgs
        .as_ref()
        .map(|keys| Sgs::resolve(keys, scope, &gas))
        .transpose()?;
    let scalars = scalars(keys, scope, &boundaries, &gas, sgs.as_ref())?;
    let forcing = Forcing::resolve(&keys.forcing, scope, periodic)?;
    let state = Group {
        scope,
        key: "initial",
        of: Of::Position,
    };
    let scalar_names: Vec<String> = scalars.iter().map(|scalar| scalar.name.clone()).collect();
    let facts = CaseFacts {
        boundaries: &boundaries,
        periodic,
        bars: !bars.is_empty(),
        sgs: keys.sgs.is_some(),
        scalars: &scalar_names,
        filters: keys.scheme.shock != Shock::None,
        holds_mass_flow: forcing.mass_flow.is_some(),
        reference: None,
    };
    let output = output::settings(&keys.output, scope, facts)?;
    let order = order as usize;
    let shells = keys.initial.spectrum.as_ref().map(|keys| keys.shells(&state, domain));
    Ok(Case {
        title: keys.title.clone(),
        path: PathBuf::new(),
        text: String::new(),
        solver: solver::Settings {
            mesh,
            order,
            scheme: keys.scheme.resolve(scope, &gas)?,
            time_scheme: keys.time.scheme,
            kahan: keys.time.kahan,
            precision: keys.precision,
            arithmetic: keys.arithmetic,
            device: keys.device,
            threads: threads.map(|n| n as usize),
            exchange: keys.exchange.resolve(scope)?,
            graph: true,
            gas,
            sgs,
            initial: Initial::resolve(&keys.initial, &state, around, domain)?,
            tables: scope.field_tables(),
            boundaries,
            interfaces: InterfaceUse::Slide,
            forcing,
            bars,
            sponges,
            scalars,
            frame,
            output_doubles_per_cell: output.doubles_per_cell(order),
        },
        run: keys.time.resolve(scope, keys.restart.as_deref())?,
        steady: keys.steady.as_ref().map(|keys| keys.resolve(scope, &gas)).transpose()?,
        output,
        shells: shells.transpose()?,
        source: Default::default(),
    })
}

/// Evaluates the passive scalars, and refuses what they cannot be used with.
fn scalars(
    keys: &CaseKeys,
    scope: &Scope,
    boundaries: &BTreeMap<String, Boundary>,
    gas: &Gas,
    sgs: Option<&Sgs>,
) -> Result<Vec<Scalar>, Problem> {
    let all = keys.scalars.iter();
    let all = all.map(|(name, keys)| Scalar::resolve(keys, scope, name, boundaries));
    let all = all.collect::<Result<Vec<_>, _>>()?;
    if all.is_empty() {
        return Ok(all);
    }
    if all.len() > MOST_SCALARS {
        let what = format!(
            "{} scalars are more than the {MOST_SCALARS} that a run may have",
            all.len()
        );
        return Err(Problem::new(what)
            .key("scalars")
            .help("compute the others in a second run"));
    }
    if sgs.is_none()
        && let Some((name, _)) = keys.scalars.iter().find(|(_, keys)| keys.turbulent_schmidt.is_some())
    {
        let problem =
            Problem::new("`turbulent-schmidt` belongs to a sub-grid model (`sgs`), which the case does not have");
        let problem = problem.key(format!("scalars.{name}.turbulent-schmidt"));
        return Err(problem.help("add `sgs`, or remove this key"));
    }
    let refuse = |key: &str, what: &str, help: &str| {
        let what = format!("passive scalars (`scalars`) are not computed with {what}");
        Err(Problem::new(what).key(key).help(help))
    };
    if keys.time.scheme == TimeScheme::Paired {
        return refuse("time.scheme", "`paired`", "take another scheme, such as `lsrk10`");
    }
    if keys.time.limit == StepLimit::Operator {
        return refuse("time.limit", "`operator`, whose trials would move them", "take `waves`");
    }
    if keys.scheme.shock == Shock::EntropyFilter {
        let help = "take `positivity` or `none`, or leave the scalars out";
        return refuse("scheme.shock", "the entropy filter, which does not filter them", help);
    }
    if let Some((name, _)) = boundaries.iter().find(|(_, boundary)| boundary.interface().is_some()) {
        let key = format!("boundaries.{name}");
        return refuse(
            &key,
            "interfaces between blocks",
            "leave the scalars out, or take one mesh whose faces match in place of the blocks",
        );
    }
    all.iter().try_for_each(|scalar| scalar.check_diffusion(gas, sgs))?;
    Ok(all)
}

/// Refuses what the paired time scheme cannot be used with: the entropy filter and walls, which read cells that may
/// rest in a stage.
fn check_paired(keys: &CaseKeys, boundaries: &BTreeMap<String, Boundary>) -> Result<(), Problem> {
    let refuse = |what: &str| {
        Err(Problem::new(format!(
            "`paired` cannot be used with {what}, which needs all cells at every stage"
        ))
        .key("time.scheme")
        .help("`lsrk14` takes the fewest right-hand sides of the other schemes"))
    };
    if keys.scheme.shock == Shock::EntropyFilter {
        return refuse("`scheme.shock: entropy-filter`");
    }
    match boundaries.iter().find(|(_, boundary)| boundary.matching().is_some()) {
        Some((name, _)) => refuse(&format!("the modelled wall `{name}`")),
        None => Ok(()),
    }
}
