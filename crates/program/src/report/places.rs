//! Figures of tables that hold several places one after the other: the points of a set of probes over time, the heights
//! of spectra and correlations over wave numbers and distances, the stations of boundary layers over the distance from
//! the wall, and the radii of annuli over the angle. One curve through all rows would join what does not belong
//! together. Of such stations and radii there are tables with one row each, too: they have one curve.
//!
//! Up to eight places have a curve each. More points on a line become profiles along it, and more points elsewhere the
//! range of their values over time. Of more heights, eight are drawn.

use super::columns::{extremes, is_of_error, label, title};
use crate::format::number;
use crate::io::Table;
use crate::output::ERROR;
use crate::plot::figure::{Band, Curve, Figure, Panel, Scale, Style};
use crate::plot::thinned;
use crate::vector::{cross, length, minus};

/// Most panels: an annulus has 14 quantities.
const PANELS: usize = 15;
/// Most places that have a curve each.
const CURVES: usize = 8;
/// Columns that say where or when a row is, and what it counts.
const WHERE: [&str; 13] = [
    "step", "time", "point", "x", "y", "z", "mode", "k", "r", "station", "distance", "theta", "height",
];
/// Most steps of the range of many points over time.
const MOST_STEPS: usize = 500;
/// Largest distance of points from a straight line, over its length.
const OFF: f64 = 1e-9;

/// What is drawn of a table of several places.
pub(crate) struct Drawn {
    /// Columns that are the same in all rows, with their values.
    pub constant: Vec<String>,
    /// The figure; without panels if all columns are constant.
    pub figure: Figure,
    /// What the curves are.
    pub about: String,
}

/// A place, with the numbers of its rows.
struct Place {
    rows: Vec<usize>,
    label: String,
}

/// Returns whether a table has the stations of boundary layers, or the radii of annuli.
pub(crate) fn are_stations_or_radii(table: &Table) -> bool {
    let has = |name: &str| table.column(name).is_some();
    (has("station") && (has("distance") || has("x"))) || (has("r") && (has("height") || has("theta")))
}

/// Returns what is drawn of a table; `None` if it has one place, or is of another kind.
pub(crate) fn drawn(table: &Table) -> Option<Drawn> {
    let column = |name: &str| table.names.iter().position(|known| known == name);
    if let (Some(time), Some(point)) = (column("time"), column("point")) {
        let at = [column("x")?, column("y")?, column("z")?];
        let name = |row: usize| {
            let [x, y, z] = at.map(|d| number(table.columns[d][row]));
            format!("({x}, {y}, {z})")
        };
        let places = several(places(table, point, name))?;
        return Some(of_points(table, time, at, places));
    }
    if let (Some(station), Some(x)) = (column("station"), column("distance").or(column("x"))) {
        let name = |row: usize| format!("station {}", number(table.columns[station][row]));
        return Some(match column("distance") {
            Some(_) => of_each("station", table, (x, Scale::Fitted), places(table, station, name)),
            None => of_all("the stations of a wall", table, x),
        });
    }
    if let (Some(radius), Some(_)) = (column("r"), column("height")) {
        return Some(of_all("bands of an annulus", table, radius));
    }
    if let (Some(radius), Some(angle)) = (column("r"), column("theta")) {
        let name = |row: usize| format!("r = {}", number(table.columns[radius][row]));
        return Some(of_each(
            "radius",
            table,
            (angle, Scale::Fitted),
            places(table, radius, name),
        ));
    }
    let (over, scale) = match (column("k"), column("r")) {
        (Some(wave_number), _) => (wave_number, Scale::Logarithmic),
        (None, Some(distance)) => (distance, Scale::Fitted),
        (None, None) => return None,
    };
    let height = &table.names[0];
    let name = |row: usize| format!("{height} = {}", number(table.columns[0][row]));
    let places = several(places(table, 0, name))?;
    Some(of_each("height", table, (over, scale), places))
}

/// Returns the places of a table, in the order in which they come, by the column that tells them apart.
fn places(table: &Table, by: usize, name: impl Fn(usize) -> String) -> Vec<Place> {
    let mut order: Vec<usize> = (0..table.columns[by].len()).collect();
    let keys = &table.columns[by];
    order.sort_by(|&a, &b| keys[a].total_cmp(&keys[b]));
    let mut rows: Vec<Vec<usize>> = order
        .chunk_by(|&a, &b| keys[a] == keys[b])
        .map(<[usize]>::to_vec)
        .collect();
    rows.sort_by_key(|rows| rows[0]);
    let place = |rows: Vec<usize>| Place {
        label: name(rows[0]),
        rows,
    };
    rows.into_iter().map(place).collect()
}

/// Returns more than one place; `None` for one.
fn several(places: Vec<Place>) -> Option<Vec<Place>> {
    (places.len() > 1).then_some(places)
}

fn of_points(table: &Table, time: usize, at: [usize; 3], places: Vec<Place>) -> Drawn {
    let count = places.len();
    if count <= CURVES {
        let about = "each point has a curve".to_owned();
        return of_quantities(table, about, |quantity| {
            curves(table, (time, Scale::Fitted), quantity, &places)
        });
    }
    let points: Vec<[f64; 3]> = places
        .iter()
        .map(|place| at.map(|d| table.columns[d][place.rows[0]]))
        .collect();
    match along(&points) {
        Some((axis, x)) => {
            let x_label = match axis {
                Some(d) => label(table, at[d]),
                None => format!("distance from the first point, {}", table.units[at[0]]),
            };
            let about = format!(
                "{count} points on a line: the first sample, the mean of all and the last one; bands reach from the \
                 least to the largest value"
            );
            of_quantities(table, about, |quantity| {
                profile(table, quantity, &places, (&x, &x_label))
            })
        }
        None => {
            let about =
                format!("the mean of the values at {count} points; bands reach from the least to the largest of them");
            of_quantities(table, about, |quantity| range(table, time, quantity, &places))
        }
    }
}

/// Returns what is drawn of a table with one row a place: a curve over the column `over`.
fn of_all(what: &str, table: &Table, over: usize) -> Drawn {
    let all = Place {
        rows: (0..table.columns[over].len()).collect(),
        label: String::new(),
    };
    let places = [all];
    of_quantities(table, format!("over {what}"), |quantity| {
        curves(table, (over, Scale::Fitted), quantity, &places)
    })
}

/// Returns what is drawn of a table with several rows a place, of which `what` is the name.
fn of_each(what: &str, table: &Table, over: (usize, Scale), places: Vec<Place>) -> Drawn {
    let count = places.len();
    let about = if count <= CURVES {
        format!("each {what} has a curve")
    } else {
        format!("{CURVES} curves, each of one {what} of {count}")
    };
    let chosen = |number: usize| count <= CURVES || (0..CURVES).any(|k| k * (count - 1) / (CURVES - 1) == number);
    let places = places.into_iter().enumerate().filter(|(number, _)| chosen(*number));
    let places: Vec<Place> = places.map(|(_, place)| place).collect();
    of_quantities(table, about, |quantity| curves(table, over, quantity, &places))
}

/// Returns a figure with a panel for each column that is not constant and is no place.
fn of_quantities(table: &Table, mut about: String, panel: impl Fn(usize) -> Panel) -> Drawn {
    let (mut panels, mut constant) = (Vec::new(), Vec::new());
    // The first column has the heights of spectra, and the steps of probes.
    for (quantity, name) in table.names.iter().enumerate().skip(1) {
        if WHERE.contains(&name.as_str()) || is_of_error(table, name) {
            continue;
        }
        let [least, most] = extremes(table.columns[quantity].iter().copied());
        if least < most {
            panels.push(Panel {
                title: title(&[name.as_str()]),
                ..panel(quantity)
            });
        } else if least == most {
            constant.push(format!("{name} = {}", number(least)));
        }
    }
    if panels.len() > PANELS {
        about += &format!("; {} further columns are in the file", panels.len() - PANELS);
    }
    panels.truncate(PANELS);
    Drawn {
        constant,
        figure: Figure {
            panels,
            ..Figure::default()
        },
        about,
    }
}

/// Returns the panel of a column with a curve for each place over another column.
fn curves(table: &Table, (over, scale): (usize, Scale), quantity: usize, places: &[Place]) -> Panel {
    let curve = |(number, place): (usize, &Place)| {
        let of = |column: usize| -> Vec<f64> { place.rows.iter().map(|&row| table.columns[column][row]).collect() };
        let (x, y) = thinned(&of(over), &of(quantity));
        Curve {
            label: place.label.clone(),
            x,
            y,
            style: Style::run(number),
        }
    };
    let errors = table.column(&format!("{}{ERROR}", table.names[quantity]));
    let band = |(number, place): (usize, &Place)| {
        let of = |values: &[f64]| -> Vec<f64> { place.rows.iter().map(|&row| values[row]).collect() };
        let (x, y) = (of(&table.columns[over]), of(&table.columns[quantity]));
        Band::of_errors(&x, &y, &of(errors?), Style::run(number).color)
    };
    Panel {
        x_label: label(table, over),
        y_label: label(table, quantity),
        curves: places.iter().enumerate().map(curve).collect(),
        bands: places.iter().enumerate().filter_map(band).collect(),
        x_scale: scale,
        y_scale: scale,
        ..Panel::default()
    }
}

/// Returns the panel of a column along a line of points at the positions `x`.
fn profile(table: &Table, quantity: usize, places: &[Place], (x, x_label): (&[f64], &str)) -> Panel {
    let values = &table.columns[quantity];
    // A run that is under way may have written a part of the last sample only.
    let samples = places.iter().map(|place| place.rows.len()).min().unwrap_or(0);
    let of = |value: &dyn Fn(&[usize]) -> f64| -> Vec<f64> {
        places.iter().map(|place| value(&place.rows[..samples])).collect()
    };
    let mean = |rows: &[usize]| rows.iter().map(|&row| values[row]).sum::<f64>() / samples as f64;
    let extreme = |end: usize| of(&|rows: &[usize]| extremes(rows.iter().map(|&row| values[row]))[end]);
    let curves: [(&str, Vec<f64>); 3] = [
        ("first sample", of(&|rows| values[rows[0]])),
        ("mean", of(&mean)),
        ("last sample", of(&|rows| values[rows[samples - 1]])),
    ];
    let curve = |(number, (label, y)): (usize, (&str, Vec<f64>))| Curve {
        label: label.into(),
        x: x.to_vec(),
        y,
        style: Style::run(number),
    };
    Panel {
        x_label: x_label.into(),
        y_label: label(table, quantity),
        bands: vec![Band {
            x: x.to_vec(),
            low: extreme(0),
            high: extreme(1),
            color: Style::run(1).color,
        }],
        curves: curves.into_iter().enumerate().map(curve).collect(),
        ..Panel::default()
    }
}

/// Returns the panel of a column over time with the mean and the range of all places.
fn range(table: &Table, time: usize, quantity: usize, places: &[Place]) -> Panel {
    let samples = places.iter().map(|place| place.rows.len()).min().unwrap_or(0);
    // Of long series the range of many samples is one step of the band.
    let together = samples.div_ceil(MOST_STEPS).max(1);
    let steps: Vec<_> = (0..samples)
        .step_by(together)
        .map(|first| first..(first + together).min(samples))
        .collect();
    let values = |step: &std::ops::Range<usize>| {
        let step = step.clone();
        let of_place = move |place: &Place| place.rows[step.clone()].to_vec();
        places
            .iter()
            .flat_map(of_place)
            .map(|row| table.columns[quantity][row])
            .collect::<Vec<f64>>()
    };
    let x: Vec<f64> = steps
        .iter()
        .map(|step| table.columns[time][places[0].rows[step.end - 1]])
        .collect();
    let mut y = Vec::new();
    let mut low = Vec::new();
    let mut high = Vec::new();
    for step in &steps {
        let values = values(step);
        let [least, most] = extremes(values.iter().copied());
        y.push(values.iter().sum::<f64>() / values.len() as f64);
        low.push(least);
        high.push(most);
    }
    let style = Style::run(0);
    Panel {
        x_label: label(table, time),
        y_label: label(table, quantity),
        bands: vec![Band {
            x: x.clone(),
            low,
            high,
            color: style.color,
        }],
        curves: vec![Curve {
            label: "mean".into(),
            x,
            y,
            style,
        }],
        ..Panel::default()
    }
}

/// Returns the positions of points along the straight line on which they lie one after the other, and the coordinate
/// that these are, if it is the only one that changes; `None` if the points are not on a line.
fn along(points: &[[f64; 3]]) -> Option<(Option<usize>, Vec<f64>)> {
    let (first, last) = (*points.first()?, *points.last()?);
    let line = minus(last, first);
    let size = length(line);
    let away = |x: &[f64; 3]| length(cross(minus(*x, first), line)) > OFF * size * size;
    let positions: Vec<f64> = points.iter().map(|x| length(minus(*x, first))).collect();
    if size.is_nan() || size <= 0.0 || points.iter().any(away) || !positions.windows(2).all(|pair| pair[1] > pair[0]) {
        return None;
    }
    let changing: Vec<usize> = (0..3).filter(|&d| line[d] != 0.0).collect();
    Some(match changing[..] {
        [d] => (Some(d), points.iter().map(|x| x[d]).collect()),
        _ => (None, positions),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A series of probes at these points, whose pressure is `p` of the sample and the point.
    fn probes(points: &[[f64; 3]], samples: usize, p: impl Fn(usize, usize) -> f64) -> Table {
        let mut text = "step,time,point,x,y,z,rho,p\n-,s,-,m,m,m,kg/m^3,Pa\n".to_owned();
        for sample in 0..samples {
            for (point, [x, y, z]) in points.iter().enumerate() {
                let (time, p) = (0.5 * sample as f64, p(sample, point));
                text += &format!("{sample},{time},{point},{x},{y},{z},1,{p}\n");
            }
        }
        Table::parse(text.as_bytes()).expect("a table")
    }

    #[test]
    fn each_of_a_few_points_has_a_curve_and_coordinates_have_no_panel() {
        let points = [[0.0, 1.0, 2.0], [0.5, 1.0, 2.0]];
        let table = probes(&points, 5, |sample, point| (10 * point + sample) as f64);
        let drawn = drawn(&table).expect("two points");
        assert_eq!(drawn.constant, ["rho = 1"]);
        let [panel] = &drawn.figure.panels[..] else {
            panic!("{:?}", drawn.figure.panels);
        };
        assert_eq!((panel.x_label.as_str(), panel.y_label.as_str()), ("time, s", "p, Pa"));
        let labels: Vec<&str> = panel.curves.iter().map(|curve| curve.label.as_str()).collect();
        assert_eq!(labels, ["(0, 1, 2)", "(0.5, 1, 2)"]);
        for (point, curve) in panel.curves.iter().enumerate() {
            assert_eq!(curve.x, [0.0, 0.5, 1.0, 1.5, 2.0]);
            let expected: Vec<f64> = (0..5).map(|sample| (10 * point + sample) as f64).collect();
            assert_eq!(curve.y, expected);
        }
    }

    #[test]
    fn many_points_on_a_line_are_profiles_along_it() {
        let points: Vec<[f64; 3]> = (0..50).map(|i| [0.02 * f64::from(i), 0.0, 0.5]).collect();
        let mut table = probes(&points, 3, |sample, point| (sample * sample + point) as f64);
        // The last sample of a run that is under way has a part of the points.
        table.columns.iter_mut().for_each(|column| column.truncate(140));
        let drawn = drawn(&table).expect("fifty points");
        let panel = &drawn.figure.panels[0];
        assert_eq!(panel.x_label, "x, m");
        let curve = |label: &str| panel.curves.iter().find(|curve| curve.label == label).expect("a curve");
        assert_eq!(curve("mean").x, points.iter().map(|x| x[0]).collect::<Vec<f64>>());
        for point in [0, 17, 49] {
            let at = |label: &str| curve(label).y[point] - point as f64;
            assert_eq!([at("first sample"), at("mean"), at("last sample")], [0.0, 0.5, 1.0]);
            let band = &panel.bands[0];
            assert_eq!([band.low[point] + 1.0, band.high[point]], [point as f64 + 1.0; 2]);
        }
        // A line across the axes, and one that is not followed in one sense.
        let oblique: Vec<[f64; 3]> = (0..9).map(|i| [3.0 * f64::from(i), 4.0 * f64::from(i), 1.0]).collect();
        assert_eq!(
            along(&oblique),
            Some((None, (0..9).map(|i| 5.0 * f64::from(i)).collect()))
        );
        assert_eq!(along(&[[0.0; 3], [2.0, 0.0, 0.0], [1.0, 0.0, 0.0]]), None);
        assert_eq!(along(&[[0.0; 3], [1.0, 1e-3, 0.0], [2.0, 0.0, 0.0]]), None);
    }

    #[test]
    fn many_points_of_a_plane_have_their_mean_and_range_over_time() {
        let points: Vec<[f64; 3]> = (0..12).map(|i| [f64::from(i % 4), f64::from(i / 4), 0.0]).collect();
        let table = probes(&points, 3000, |sample, point| {
            sample as f64 + if point == 7 { 12.0 } else { 0.0 }
        });
        let panel = &drawn(&table).expect("twelve points").figure.panels[0];
        let (curve, band) = (&panel.curves[0], &panel.bands[0]);
        assert!(curve.x.len() <= MOST_STEPS && curve.x.len() > MOST_STEPS / 2);
        assert_eq!((curve.y[0], band.low[0], band.high[0]), (0.5 * 5.0 + 1.0, 0.0, 17.0));
        assert_eq!((curve.x[0], *band.high.last().expect("a step")), (2.5, 3011.0));
    }

    #[test]
    fn heights_of_spectra_have_a_curve_each() {
        let mut text = "y,mode,k,E_uu\nm,-,1/m,m^2/s^2\n".to_owned();
        for height in 0..20 {
            (0..4).for_each(|k| text += &format!("{height},{k},{k},{}\n", height * 10 + k));
        }
        let drawn = drawn(&Table::parse(text.as_bytes()).expect("a table")).expect("heights");
        assert_eq!(drawn.about, "8 curves, each of one height of 20");
        let panel = &drawn.figure.panels[0];
        assert_eq!((panel.x_label.as_str(), panel.x_scale), ("k, 1/m", Scale::Logarithmic));
        let labels: Vec<&str> = panel.curves.iter().map(|curve| curve.label.as_str()).collect();
        assert_eq!((labels.len(), labels[0], labels[7]), (8, "y = 0", "y = 19"));
        assert_eq!(panel.curves[7].y, [190.0, 191.0, 192.0, 193.0]);
    }

    /// Returns the first panel of a table.
    fn first(text: &str) -> Panel {
        let table = Table::parse(text.as_bytes()).expect("a table");
        drawn(&table).expect("places").figure.panels.remove(0)
    }

    #[test]
    fn boundary_layers_have_a_curve_a_station_and_thicknesses_one() {
        let panel = first(
            "station,distance,u_s,u_s_error,u_s_at_least\n-,m,m/s,m/s,-\n1,0,0,0.1,0\n1,0.1,1,0.1,0\n2,0,0,0.1,0\n\
             2,0.2,3,0.1,0\n",
        );
        assert_eq!((panel.x_label.as_str(), panel.curves.len()), ("distance, m", 2));
        for (curve, (label, x, y)) in panel
            .curves
            .iter()
            .zip([("station 1", 0.1, 1.0), ("station 2", 0.2, 3.0)])
        {
            assert_eq!(
                (curve.label.as_str(), &curve.x[..], &curve.y[..]),
                (label, &[0.0, x][..], &[0.0, y][..])
            );
        }
        assert_eq!((panel.bands[1].low[1], panel.bands[1].high[1]), (2.8, 3.2));
        let panel = first("station,x,y,delta99\n-,m,m,m\n1,0.3,0.2,0.01\n2,0.6,0.1,0.02\n");
        assert_eq!((panel.x_label.as_str(), panel.curves.len()), ("x, m", 1));
        assert_eq!(
            (&panel.curves[0].x[..], &panel.curves[0].y[..]),
            (&[0.3, 0.6][..], &[0.01, 0.02][..])
        );
    }

    #[test]
    fn annuli_are_drawn_over_the_radius_and_maps_over_the_angle() {
        let panel = first("r,height,mass_flux\nm,-,kg/(m^2 s)\n2,0.1,5\n3,0.9,7\n");
        assert_eq!((panel.x_label.as_str(), panel.curves.len()), ("r, m", 1));
        assert_eq!(panel.curves[0].y, [5.0, 7.0]);
        let panel = first("r,theta,p\nm,deg,Pa\n2,0,1\n2,5,2\n3,0,3\n3,5,4\n");
        assert_eq!(
            (panel.x_label.as_str(), panel.curves[1].label.as_str()),
            ("theta, deg", "r = 3")
        );
        assert_eq!(
            (&panel.curves[1].x[..], &panel.curves[1].y[..]),
            (&[0.0, 5.0][..], &[3.0, 4.0][..])
        );
    }

    #[test]
    fn tables_of_one_place_are_of_another_kind() {
        for text in [
            "time,a\ns,-\n0,1\n1,2\n",
            "step,time,point,x,y,z,p\n-,s,-,m,m,m,Pa\n0,0,0,1,2,3,4\n1,1,0,1,2,3,5\n",
            "y,u\nm,m/s\n0,1\n1,2\n",
        ] {
            assert!(
                drawn(&Table::parse(text.as_bytes()).expect("a table")).is_none(),
                "{text}"
            );
        }
    }
}
