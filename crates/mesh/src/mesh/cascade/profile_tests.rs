use super::*;

/// A symmetric profile (NACA 0012; Abbott and von Doenhoff 1959, Theory of Wing Sections, section 6.4) from the
/// trailing edge over the upper side and back, cut off at `end` of its chord.
fn naca(end: f64) -> Vec<Point> {
    let half = |x: f64| {
        let root = 0.2969 * x.sqrt();
        0.6 * (root - 0.126 * x - 0.3516 * x * x + 0.2843 * x.powi(3) - 0.1036 * x.powi(4))
    };
    let x = |i: usize| end * 0.5 * (1.0 + (std::f64::consts::PI * i as f64 / 60.0).cos());
    let upper = (0..=60).map(|i| [x(i), half(x(i))]);
    let lower = (1..=60).rev().skip(1).map(|i| [x(i), -half(x(i))]);
    upper.chain(lower).chain([[x(0), -half(x(0))]]).collect()
}

fn table(points: &[Point], names: [&str; 2]) -> Table {
    let rows: Vec<String> = points.iter().map(|[x, y]| format!("{x:?},{y:?}")).collect();
    let text = format!("# a profile\n{},{}\n{}\n", names[0], names[1], rows.join("\n"));
    Table::parse(text.as_bytes()).expect("a table")
}

fn read(raw: &[Point]) -> Result<Vec<Point>, Problem> {
    points(&table(raw, ["x", "y"]), 1.0, 0.004)
}

#[test]
fn any_start_and_sense_and_repeated_points_give_the_same_outline() {
    let plain: Vec<Point> = (0..40)
        .map(|i| (std::f64::consts::TAU * i as f64 / 40.0).sin_cos())
        .map(|(sin, cos)| [cos, 0.3 * sin])
        .collect();
    assert_eq!(read(&plain).expect("points"), plain);
    let mut closed = plain.clone();
    closed.push(plain[0]);
    closed.insert(7, plain[7]);
    closed.reverse();
    let read = read(&closed).expect("points");
    assert_eq!(read.len(), 40);
    assert!(area(&read) > 0.0 && plain.iter().all(|p| read.contains(p)));
}

#[test]
fn cut_off_and_sharp_trailing_edges_are_rounded() {
    for (end, corners) in [(0.98, 2), (1.0, 1)] {
        let mut raw = naca(end);
        if corners == 1 {
            // Both sides end at the same point.
            raw.pop();
            raw[0] = [1.0, 0.0];
        }
        let corner = |points: &[Point]| (0..points.len()).filter(|&i| turning(points, i) > CORNER).count();
        assert_eq!(corner(&raw), corners);
        let round = read(&raw).expect("points");
        assert_eq!(corner(&round), 0, "{end}");
        assert!(crossing(&round).is_none() && area(&round) > 0.0);
        // The end reaches as far as the half circle on the cut: a radius of at least 0.004 behind it.
        let last = round.iter().map(|p| p[0]).fold(0.0, f64::max);
        assert!(last > end - 0.05 && last < end + 0.01, "{last}");
        assert!((area(&round) - area(&raw)).abs() < 2e-4);
    }
}

#[test]
fn outlines_that_cannot_be_used_are_refused() {
    let refused = |raw: &[Point], words: &str| {
        let problem = read(raw).expect_err("refused");
        assert!(problem.what.contains(words), "{}", problem.what);
    };
    let good = naca(0.98);
    refused(&good[..10], "10 points: at least 20");
    let mut crossed = good.clone();
    crossed.swap(20, 30);
    refused(&crossed, "crosses itself at (");
    let mut dented = good.clone();
    dented[40] = [0.5, 0.2];
    refused(&dented, "corners of more than 50 degrees");
    let problem = points(&table(&good, ["x", "z"]), 1.0, 0.004).expect_err("refused");
    assert!(problem.what.contains("no column `y`") && problem.help[0].contains("x, z"));
}
