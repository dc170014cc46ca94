//! The passive scalars of a running case: their initial values, their values at boundaries, and their place in
//! checkpoints. The stages of the steps advance them (`solver/scalar_stages.rs`).

use crate::device::contract::SCALARS;
use crate::device::{Device, Field};
use crate::element::ElementKind;
use crate::input::{BadValue, InvalidValue};
use crate::io::{CheckpointData, Layout};
use crate::physics::Scalar;
use crate::solver::domain::Domain;
use crate::solver::participant::{Case, Participant, Restart, RestartState};
use crate::solver::{SetupError, StepError};
use crate::vector::Vector;

/// The variable of the arrays of the scalars that holds the density.
const DENSITY: usize = SCALARS;

/// The passive scalars of a case.
#[derive(Debug)]
pub struct PassiveScalars {
    list: Vec<Scalar>,
}

impl PassiveScalars {
    /// Returns the scalars of a case, if it has some.
    ///
    /// # Errors
    /// The mesh has hanging nodes.
    pub fn of_case(case: &Case) -> Result<Option<Self>, SetupError> {
        let list = case.settings.scalars.clone();
        if list.is_empty() {
            return Ok(None);
        }
        if case.ranks.first_rank_where(!case.mesh.mortars.is_empty()).is_some() {
            let what = "the mesh has hanging nodes, past which scalars are not computed: leave the scalars out, or \
                        take a mesh whose cells meet face to face";
            return Err(SetupError::Scalars(what.to_owned()));
        }
        Ok(Some(PassiveScalars { list }))
    }

    /// Returns the names of the scalars.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.list.iter().map(|scalar| scalar.name.as_str())
    }

    /// Returns the values c of scalar `number` at all points of this rank, in mesh order, from the arrays of the
    /// device ([`Field::Scalars`]).
    pub fn values(domain: &Domain, stored: &[f64], number: usize) -> Vec<f64> {
        let [carried, density] = [number, DENSITY].map(|variable| of_variable(domain, stored, variable));
        carried
            .iter()
            .zip(&density)
            .map(|(carried, density)| carried / density)
            .collect()
    }

    /// Returns the initial values of scalar `number` at all points of this rank.
    fn initial(&self, domain: &Domain, number: usize) -> Result<Vec<f64>, BadValue> {
        let scalar = &self.list[number];
        let points = domain.geometry.points.iter();
        points
            .map(|&x| finite(scalar, ".initial", scalar.initial.eval(x, 0.0), x))
            .collect()
    }

    /// Writes the initial values of the scalars of these numbers, and the density of the present state.
    fn start(&self, domain: &Domain, device: &mut dyn Device, numbers: &[usize]) -> Result<(), StepError> {
        let state = device.state()?;
        let density = of_variable(domain, &state, 0);
        let mut stored = device.read(Field::Scalars)?;
        for &number in numbers {
            let values = self.initial(domain, number).map_err(StepError::from);
            let values = domain.ranks.agree(values, StepError::OnOtherRank)?;
            let carried: Vec<f64> = values.iter().zip(&density).map(|(c, rho)| c * rho).collect();
            set_variable(domain, &mut stored, number, &carried);
        }
        set_variable(domain, &mut stored, DENSITY, &density);
        Ok(device.write(Field::Scalars, &stored)?)
    }

    /// Returns the values at the boundaries, as [`Field::ScalarData`].
    fn at_boundaries(&self, domain: &Domain, device: &dyn Device) -> Result<Vec<f64>, BadValue> {
        let values = domain.boundary_values(device.plan());
        let points = values.faces.last().map_or(0, |face| face.first_point + face.points);
        let mut data = vec![0.0; 2 * SCALARS * points];
        let mut checked = Ok(());
        values.each_point(0.0, |face, boundary, l, at| {
            let name = &domain.mesh.boundary_names[boundary];
            for (v, scalar) in self.list.iter().enumerate() {
                let Some(field) = scalar.boundaries.get(name) else {
                    continue;
                };
                let place = |row: usize| 2 * SCALARS * face.first_point + row * face.points + l;
                match finite(scalar, &format!(".boundaries.{name}"), field.eval(at.x, 0.0), at.x) {
                    Ok(value) => {
                        data[place(v)] = value;
                        data[place(SCALARS + v)] = 1.0;
                    }
                    Err(error) if checked.is_ok() => checked = Err(error),
                    Err(_) => {}
                }
            }
        });
        checked.map(|()| data)
    }
}

/// The names of the entries of a scalar in checkpoints: rho c, and its compensation.
fn entries(name: &str) -> [String; 2] {
    [format!("scalars.{name}"), format!("scalars.{name}.compensation")]
}

/// The names of those of the density.
fn density_entries() -> [String; 2] {
    ["scalars-density", "scalars-density.compensation"].map(str::to_owned)
}

/// Returns a value of a scalar at a point, if it is finite. `key` is its path within the scalar.
fn finite(scalar: &Scalar, key: &str, value: f64, x: Vector) -> Result<f64, BadValue> {
    if value.is_finite() {
        return Ok(value);
    }
    let wrong = InvalidValue {
        key: "",
        what: "is",
        value,
        must: "finite".into(),
    };
    Err(BadValue::new(&format!("scalars.{}{key}", scalar.name), wrong, x, 0.0))
}

/// Returns a variable of a field `[cell][5][point]` as `[cell][point]`.
fn of_variable(domain: &Domain, field: &[f64], variable: usize) -> Vec<f64> {
    let first = &domain.geometry.first_point;
    let cells = first.windows(2);
    let of_cell = |cell: &[usize]| {
        let (begin, points) = (cell[0], cell[1] - cell[0]);
        field[5 * begin + variable * points..][..points].iter().copied()
    };
    cells.flat_map(of_cell).collect()
}

/// Sets a variable of a field `[cell][5][point]` from values `[cell][point]`.
fn set_variable(domain: &Domain, field: &mut [f64], variable: usize, values: &[f64]) {
    for cell in domain.geometry.first_point.windows(2) {
        let (begin, points) = (cell[0], cell[1] - cell[0]);
        field[5 * begin + variable * points..][..points].copy_from_slice(&values[begin..cell[1]]);
    }
}

/// The layout of a scalar in a checkpoint: in double precision, whatever that of the state is.
fn layout(order: usize) -> Layout {
    Layout::Cells(ElementKind::ALL.map(|kind| kind.points(order)))
}

impl Participant for PassiveScalars {
    fn place(&mut self, domain: &Domain, device: &mut dyn Device) -> Result<(), SetupError> {
        let all: Vec<usize> = (0..self.list.len()).collect();
        self.start(domain, device, &all)?;
        let data = self.at_boundaries(domain, device).map_err(SetupError::from);
        let data = domain.ranks.agree(data, SetupError::OnOtherRank)?;
        Ok(device.write(Field::ScalarData, &data)?)
    }

    fn save(&self, domain: &Domain, device: &dyn Device, data: &mut CheckpointData) -> Result<(), StepError> {
        let fields = [device.read(Field::Scalars)?, device.read(Field::ScalarCompensation)?];
        let layout = layout(domain.elements.order);
        let names = self
            .names()
            .map(entries)
            .enumerate()
            .chain([(DENSITY, density_entries())]);
        for (variable, names) in names {
            for (name, field) in names.into_iter().zip(&fields).filter(|(_, field)| !field.is_empty()) {
                let values = of_variable(domain, field, variable);
                data.fields.insert(name, (layout, values));
            }
        }
        Ok(())
    }

    /// Continues with the scalars of a checkpoint of this order. Those that it does not have begin anew.
    fn restore(&mut self, domain: &Domain, device: &mut dyn Device, from: &Restart) -> Result<(), StepError> {
        let layout = layout(domain.elements.order);
        let stored = |name: &str| {
            let stored = from.data.fields.get(name).filter(|(stored, _)| *stored == layout);
            stored.map(|(_, values)| values)
        };
        let same = from.state == RestartState::Same;
        let known = |name: &str| same && stored(&entries(name)[0]).is_some();
        let missing: Vec<usize> = (0..self.list.len()).filter(|&v| !known(&self.list[v].name)).collect();
        self.start(domain, device, &missing)?;
        if domain.ranks.rank() == 0 {
            for &v in &missing {
                let name = &self.list[v].name;
                tracing::warn!(
                    "scalars.{name}: begins anew: only a checkpoint of this order and precision can have its values"
                );
            }
        }
        let mut fields = [device.read(Field::Scalars)?, device.read(Field::ScalarCompensation)?];
        let names = self
            .names()
            .map(entries)
            .enumerate()
            .chain([(DENSITY, density_entries())]);
        for (variable, names) in names.filter(|(variable, _)| same && !missing.contains(variable)) {
            for (name, field) in names.iter().zip(&mut fields).filter(|(_, field)| !field.is_empty()) {
                if let Some(values) = stored(name) {
                    set_variable(domain, field, variable, values);
                }
            }
        }
        device.write(Field::Scalars, &fields[0])?;
        Ok(device.write(Field::ScalarCompensation, &fields[1])?)
    }
}
