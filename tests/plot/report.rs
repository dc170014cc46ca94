//! The report of a run: complete, well-formed, self-contained, and shown by a browser without errors.

use std::path::{Path, PathBuf};

use resvg::tiny_skia::Pixmap;
use resvg::usvg::roxmltree::Document;
use tempfile::TempDir;

use crate::common::program::run;

/// A vortex between walls, inflow and outflow with all outputs that the report shows. The mass flux is 0.3.
const CASE: &str = "title: Flow <between> \"walls\" & ends\n\
    mesh: {box: {cells: [6, 4, 2], lower: [0, 0, 0], upper: [3, 1, 1], periodic: [z]}}\n\
    order: 3\ngas: {viscosity: {constant: 1e-3}}\n\
    initial: {u: 0.3*cos(pi*(y - 0.5)), v: 0.02*sin(2*pi*x), w: 0, p: 1/1.4, rho: 1}\n\
    boundaries:\n  x-: {type: velocity-inlet, u: 0.3, v: 0, w: 0, rho: 1}\n  \
    x+: {type: pressure-outlet, p: 1/1.4}\n  y-: {type: no-slip-adiabatic}\n  y+: {type: no-slip-adiabatic}\n\
    time: {steps: 40, cfl: 0.9}\n\
    output:\n  integrals: {every-steps: 2}\n  boundaries: {every-steps: 1}\n  surfaces: {every-steps: 20}\n  \
    blades: {floor: {boundary: y-, every-steps: 2, total-pressure: 0.8, pressure: 1/1.4}}\n  \
    slices: {mid: {point: [0, 0, 0.5], normal: [0, 0, 1], every-steps: 20}}\n";

/// Half of the last digit of numbers below 10 in a report.
const HALF_DIGIT: f64 = 0.5001e-5;

/// Runs the case with more keys, and returns its folder.
pub fn finished(set: &[&str]) -> TempDir {
    let directory = tempfile::tempdir().unwrap();
    std::fs::write(directory.path().join("case.yaml"), CASE).unwrap();
    let set = set.iter().flat_map(|set| ["--set", set]);
    let arguments: Vec<&str> = ["run", "case.yaml"].into_iter().chain(set).collect();
    let output = run(directory.path(), &arguments);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
    directory
}

/// Makes the report of a run, and returns its path and its text.
pub fn report(directory: &Path) -> (PathBuf, String) {
    let output = run(directory, &["report", "results"]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(String::from_utf8_lossy(&output.stdout).trim(), "results/report.html");
    let path = directory.join("results/report.html");
    let text = std::fs::read_to_string(&path).unwrap();
    (path, text)
}

pub fn parsed(text: &str) -> Document<'_> {
    let markup = text.strip_prefix("<!DOCTYPE html>\n").expect("a page of HTML");
    Document::parse(markup).unwrap_or_else(|e| panic!("{e}"))
}

#[test]
fn a_report_is_one_well_formed_page_that_needs_no_other_file() {
    let directory = finished(&[]);
    let (_, text) = report(directory.path());
    let page = parsed(&text);
    let heads = page
        .descendants()
        .filter(|node| node.has_tag_name(("http://www.w3.org/1999/xhtml", "h2")));
    let heads: Vec<&str> = heads.filter_map(|node| node.text()).collect();
    let expected = [
        "Run",
        "Case",
        "Balances",
        "Slices",
        "Means, profiles and spectra",
        "Time series",
        "Resolution",
    ];
    assert_eq!(heads, expected);
    let title = page
        .descendants()
        .find(|node| node.tag_name().name() == "h1")
        .and_then(|node| node.text());
    assert_eq!(title, Some("Flow <between> \"walls\" & ends"));
    let links = page.descendants().flat_map(|node| node.attributes());
    for link in links.filter(|attribute| ["src", "href"].contains(&attribute.name())) {
        let inside = link.value().starts_with('#') || link.value().starts_with("data:");
        assert!(inside, "{}", link.value());
    }
    assert!(!text.contains("<script") && !text.contains("url("));
    let images = images(&page);
    assert_eq!(images.len(), 3, "Mach number, entropy, Q");
    for (picture, [_, _, width, height]) in images {
        assert_eq!(
            [width, height].map(|side| (2.0 * side).round()),
            [picture.width(), picture.height()].map(f64::from)
        );
        // The domain is three times as long as it is high.
        assert!((width / height - 3.0).abs() < 1e-3, "{width} {height}");
        // The slice fills the picture: no pixel has the white of the page, which no colour map has.
        let white = picture
            .pixels()
            .iter()
            .filter(|p| [p.red(), p.green(), p.blue()] == [255; 3])
            .count();
        assert_eq!(white, 0);
    }
    // Every drawing has a title, which screen readers read out, and a click enlarges it.
    let drawings = page.descendants().filter(|node| node.tag_name().name() == "svg");
    let mut count = 0;
    for drawing in drawings {
        let title = drawing.children().find(|node| node.tag_name().name() == "title");
        assert!(
            title
                .and_then(|title| title.text())
                .is_some_and(|text| !text.is_empty())
        );
        let label = drawing.parent().expect("a label");
        assert_eq!(label.attribute("class"), Some("zoom"));
        assert!(label.children().any(|node| node.attribute("type") == Some("checkbox")));
        count += 1;
    }
    assert!(count > 6, "{count}");
}

/// Returns the pixels inside the drawings of a page with their left and upper edges, widths and heights.
fn images(page: &Document) -> Vec<(Pixmap, [f64; 4])> {
    let images = page.descendants().filter(|node| node.tag_name().name() == "image");
    images
        .map(|image| {
            let data = image
                .attribute("href")
                .and_then(|data| data.strip_prefix("data:image/png;base64,"));
            let data = base64::Engine::decode(&base64::engine::general_purpose::STANDARD, data.expect("a PNG file"));
            let place = ["x", "y", "width", "height"].map(|name| image.attribute(name).unwrap().parse().unwrap());
            (Pixmap::decode_png(&data.unwrap()).unwrap(), place)
        })
        .collect()
}

#[test]
fn the_balance_is_that_of_the_series() {
    let directory = finished(&[]);
    let (_, text) = report(directory.path());
    let page = parsed(&text);
    let rows = page.descendants().filter(|node| node.tag_name().name() == "tr");
    let cells = |name: &str| -> Vec<f64> {
        let row = rows
            .clone()
            .find(|row| row.descendants().any(|cell| cell.text() == Some(name)))
            .expect(name);
        let cells = row.descendants().filter(|node| node.tag_name().name() == "td").skip(1);
        let first = cells.map(|cell| cell.text().unwrap_or("0").split(' ').next().unwrap_or("0").to_owned());
        first.map(|text| text.parse().unwrap()).collect()
    };
    // The means by the weights of the samples, from the series itself.
    let series = std::fs::read_to_string(directory.path().join("results/boundaries.csv")).unwrap();
    let lines: Vec<Vec<&str>> = series
        .lines()
        .filter(|l| !l.starts_with('#'))
        .map(|l| l.split(',').collect())
        .collect();
    let column = |name: &str| -> Vec<f64> {
        let at = lines[0].iter().position(|found| *found == name).expect(name);
        lines[2..].iter().map(|line| line[at].parse().unwrap()).collect()
    };
    let time = column("time");
    let from = 0.5 * (time[0] + time[time.len() - 1]);
    let mean = |name: &str| {
        let values = column(name);
        let (mut sum, mut last) = (0.0, from);
        for (t, value) in time.iter().zip(values).filter(|(t, _)| **t > from) {
            sum += (t - last) * value;
            last = *t;
        }
        sum / (last - from)
    };
    for name in ["x-", "x+"] {
        let exact = mean(&format!("{name}_mass_flux"));
        let found = cells(name)[0];
        assert!((found - exact).abs() < HALF_DIGIT, "{name}: {found}, not {exact}");
    }
    let (inflow, outflow) = (mean("x-_mass_flux"), mean("x+_mass_flux"));
    let missing = (inflow + outflow) / (0.5 * (inflow.abs() + outflow.abs()));
    let found = cells("missing, over what flows")[0];
    assert!((found - missing).abs() < HALF_DIGIT, "{found}, not {missing}");
}

#[test]
fn parts_of_a_run_add_up_and_warnings_are_kept() {
    let set = ["output.checkpoint={every-steps: 20}", "time.steps=20", "time.cfl=0.9"];
    let directory = finished(&set);
    let set = [
        "output.checkpoint={every-steps: 20}",
        "restart=latest",
        "time={steps: 40, dt: 50}",
    ];
    // This time step is far beyond the limit: the run warns and diverges.
    let set = set.iter().flat_map(|set| ["--set", set]);
    let arguments: Vec<&str> = ["run", "case.yaml"].into_iter().chain(set).collect();
    assert_eq!(run(directory.path(), &arguments).status.code(), Some(3));
    let (_, text) = report(directory.path());
    let page = parsed(&text);
    let cells: Vec<&str> = page
        .descendants()
        .filter(|node| node.tag_name().name() == "td")
        .filter_map(|node| node.text())
        .collect();
    assert!(cells.contains(&"0 to 20"), "{cells:?}");
    assert!(cells.contains(&"finished"), "{cells:?}");
    assert!(cells.iter().any(|cell| cell.starts_with("failed: ")), "{cells:?}");
    let warnings: Vec<&str> = page
        .descendants()
        .filter(|node| node.tag_name().name() == "li")
        .filter_map(|node| node.text())
        .collect();
    assert!(
        warnings.iter().any(|line| line.contains("linear stability limit")),
        "{warnings:?}"
    );
}

/// The distribution along a blade with a force of 3 and -4 over a span of 0.5, and a traverse whose momentum balance
/// has 5.91 and -8.2 over a span of 1.
const BLADE: &str = "# wall: C_ax = 1, span = 0.5, stations = 4\n# leading-edge: x = 0, y = 0.1\n\
    # isentropic exit: p01 = 0.8, p2 = 0.7, M_2is = 0.4\n# result force_x [N]: value = 3, error = 0.015\n\
    # result force_y [N]: value = -4\nside,x_over_C,M_is,C_p,C_f\n-,-,-,-,-\n\
    1,0,0,1,0\n1,1,1,0,0.1\n2,0,0,1,0\n2,1,1,0,0.2\n";
const TRAVERSE: &str = "# pitch: 0.9\n# span: 1\n# result mass_flux [kg/(m^2 s)]: value = 0.30001, error = 1e-6\n\
    # result p_mixed [Pa]: value = 0.7014, error = 0.0001\n# result inlet_mass_flux [kg/(m^2 s)]: value = 0.3\n\
    # result inlet_p0_mass [Pa]: value = 0.76\n# result inlet_T0_mass [K]: value = 0.73146\n\
    # result inlet_angle_mixed [deg]: value = 11.4\n# result force_x [N]: value = 5.91, error = 0.04\n\
    # result force_y [N]: value = -8.2\ny,p0,p0_error,rho_u_p0,uu,vv,ww,omega,omega_error\nm,Pa,Pa,-,-,-,-,-,-\n\
    0,1,0.01,1,0,0,0,0.1,0.01\n0.5,2,0.01,1,0,0,0,0.1,0.01\n";
const AT_PHASES: &str = "phase,sample_time,side,x_over_C,C_p,C_f\n-,s,-,-,-,-\n0.25,1,1,0,1,0.1\n0.25,1,1,1,0,-0.1\n\
    0.75,1,1,0,0.9,0.1\n0.75,1,1,1,0.1,-0.2\n";

const SPECTRUM: &str = "point,x,y,z,frequency,uu,vv,ww,pp\n-,m,m,m,1/s,m^2/s,m^2/s,m^2/s,Pa^2 s\n\
    0,1,0,0,0,1,1,1,1\n0,1,0,0,2,1,2,3,4\n0,1,0,0,4,0.1,0.2,0.3,0.4\n";

#[test]
fn a_cascade_has_its_closure_and_the_figures_of_plot() {
    // p0 = 0.761, T0 = 0.731, and an angle of atan(0.2) = 11.310 degrees.
    let inlet =
        "boundaries.x-={type: total-inlet, total-pressure: 0.761, total-temperature: 0.731, direction: [1, 0.2, 0]}";
    let directory = finished(&[inlet]);
    let write = |name: &str, text: &str| std::fs::write(directory.path().join("results").join(name), text).unwrap();
    write("blade_a.csv", BLADE);
    // The same wall again, whose force counts once.
    write("blade_b.csv", BLADE);
    write("blade_a.phase.csv", AT_PHASES);
    write("traverse_wake.csv", TRAVERSE);
    write("probes_wake.spectrum.csv", SPECTRUM);
    let (_, text) = report(directory.path());
    let page = parsed(&text);
    let rows: Vec<Vec<&str>> = page
        .descendants()
        .filter(|node| node.tag_name().name() == "tr")
        .map(|row| {
            row.descendants()
                .filter(|node| node.tag_name().name() == "td")
                .filter_map(|n| n.text())
                .collect()
        })
        .collect();
    for expected in [
        [
            "force in x, N/m",
            "6",
            "5.91",
            "1.5228 %",
            "1.6920 %",
            "1.0000 %",
            "open",
        ],
        ["force in y, N/m", "-8", "-8.2", "-2.4390 %", "-", "1.0000 %", "missed"],
        [
            "mass flux out and in, kg/(m² s)",
            "0.30001",
            "0.3",
            "0.0033 %",
            "-",
            "0.0100 %",
            "reached",
        ],
        [
            "p2, mixed out, Pa",
            "0.7014",
            "0.7",
            "0.2000 %",
            "0.0286 %",
            "0.1000 %",
            "missed",
        ],
        [
            "p0 of the inlet plane, Pa",
            "0.76",
            "0.761",
            "-0.1314 %",
            "-",
            "0.1000 %",
            "missed",
        ],
        [
            "T0 of the inlet plane, K",
            "0.73146",
            "0.731",
            "0.0629 %",
            "-",
            "0.1000 %",
            "reached",
        ],
        [
            "angle of the inlet plane, deg",
            "11.4",
            "11.3099",
            "0.090 deg",
            "-",
            "0.100 deg",
            "reached",
        ],
    ] {
        assert!(rows.iter().any(|row| row[..] == expected), "{expected:?}\n{rows:?}");
    }
    for title in [
        "Local loss",
        "Isentropic Mach number",
        "Spectrum of w",
        "C\u{209a} minus its mean over the phases",
    ] {
        assert!(text.contains(title), "{title}");
    }
    // Without an inlet of given total pressure its state is not compared.
    let directory = finished(&[]);
    let write = |name: &str, text: &str| std::fs::write(directory.path().join("results").join(name), text).unwrap();
    write("blade_a.csv", BLADE);
    write("traverse_wake.csv", TRAVERSE);
    let (_, text) = report(directory.path());
    assert!(text.contains("p2, mixed out") && !text.contains("p0 of the inlet plane"));
}

#[test]
fn the_figures_of_a_report_become_files() {
    let directory = finished(&[]);
    let (_, page) = report(directory.path());
    let output = run(directory.path(), &["report", "results", "--pictures", "for/slides"]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let names = [
        "slices_mid_mach",
        "slices_mid_entropy",
        "slices_mid_q-criterion",
        "blade_floor",
        "boundaries",
        "integrals",
        "resolution",
    ];
    let paths: Vec<String> = names.iter().map(|name| format!("for/slides/{name}.png")).collect();
    let expected = format!("results/report.html\n{}\n", paths.join("\n"));
    assert_eq!(String::from_utf8_lossy(&output.stdout), expected);
    let (_, again) = report(directory.path());
    assert!(again == page, "the page is the same with and without files");
    let pictures: Vec<Pixmap> = paths
        .iter()
        .map(|path| Pixmap::load_png(directory.path().join(path)).unwrap())
        .collect();
    // Every figure of a table has the width of those of `plot`, and something in it.
    for (picture, name) in pictures.iter().zip(names).skip(3) {
        assert_eq!(picture.width(), 1600, "{name}");
        let dark = picture.pixels().iter().filter(|pixel| pixel.green() < 100).count();
        assert!(dark > 1000, "{name}: {dark}");
    }
    // A slice is that of the page within its axes, below a title. The Mach number is smooth, so that pixels of another
    // size have nearly the same colours.
    for ((image, [left, top, width, height]), picture) in images(&parsed(&page)).iter().zip(&pictures).take(1) {
        assert_eq!(picture.width(), 1000);
        for (i, j) in (1..20).flat_map(|i| (1..20).map(move |j| (f64::from(i) / 20.0, f64::from(j) / 20.0))) {
            let at = |pixels: &Pixmap, x: f64, y: f64| pixels.pixel(x as u32, y as u32).unwrap();
            let inside = at(image, i * f64::from(image.width()), j * f64::from(image.height()));
            let alone = at(picture, left + i * width, top + j * height);
            let pairs = [
                (inside.red(), alone.red()),
                (inside.green(), alone.green()),
                (inside.blue(), alone.blue()),
            ];
            assert!(pairs.iter().all(|(a, b)| a.abs_diff(*b) < 12), "{i} {j}: {pairs:?}");
        }
        let above = (0..picture.width()).flat_map(|x| (0..*top as u32 - 4).map(move |y| (x, y)));
        let black = |(x, y): &(u32, u32)| picture.pixel(*x, *y).is_some_and(|p| p.green() < 50 && p.red() < 50);
        let letters = above.filter(black).count();
        assert!(letters > 100, "{letters}");
    }
    // A folder that cannot be made is refused.
    std::fs::write(directory.path().join("file"), "").unwrap();
    let output = run(directory.path(), &["report", "results", "--pictures", "file/in"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("file/in"));
}

#[test]
fn a_folder_without_a_run_is_refused() {
    let directory = tempfile::tempdir().unwrap();
    std::fs::create_dir(directory.path().join("results")).unwrap();
    std::fs::write(directory.path().join("file"), "").unwrap();
    for folder in ["results", "nowhere", "file"] {
        let output = run(directory.path(), &["report", folder]);
        assert_eq!(output.status.code(), Some(2));
        let message = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(message.contains(folder), "{message}");
    }
}

/// Tests that need Chromium.
mod browser {
    use super::*;
    use std::process::Command;

    /// Counts what the browser could not show, clicks on the first figure, and writes this as the title of the page.
    const COUNT: &str = "<script>window.addEventListener('load', async () => {\
        const images = [...document.querySelectorAll('svg image')];\
        const loaded = images.map(i => new Promise(done => {\
            const one = new Image();\
            one.onload = () => done(true);\
            one.onerror = () => done(false);\
            one.src = i.href.baseVal;\
        }));\
        const missing = (await Promise.all(loaded)).filter(one => !one).length;\
        const flat = [...document.querySelectorAll('svg')].filter(s => s.getBoundingClientRect().height < 50).length;\
        const wide = document.documentElement.scrollWidth > window.innerWidth ? 1 : 0;\
        const first = document.querySelector('.zoom');\
        first.click();\
        const zoomed = Math.round(first.querySelector('svg').getBoundingClientRect().width);\
        document.title = `images ${images.length} missing ${missing} flat ${flat} wide ${wide} zoomed ${zoomed}`;\
        });</script></body>";

    #[test]
    #[ignore = "needs Chromium"]
    fn a_browser_shows_all_pictures_of_a_report() {
        let directory = finished(&[]);
        let (path, text) = report(directory.path());
        std::fs::write(&path, text.replace("</body>", COUNT)).unwrap();
        let output = Command::new("chromium")
            .args([
                "--headless",
                "--no-sandbox",
                "--disable-gpu",
                "--dump-dom",
                // The images are looked at after the page is there.
                "--virtual-time-budget=5000",
                "--window-size=1280,900",
            ])
            .arg(format!("file://{}", path.display()))
            .output()
            .expect("chromium starts");
        let shown = String::from_utf8_lossy(&output.stdout).into_owned();
        let title = shown
            .split("<title>")
            .nth(1)
            .and_then(|rest| rest.split("</title>").next());
        assert_eq!(title, Some("images 3 missing 0 flat 0 wide 0 zoomed 2400"));
    }
}
