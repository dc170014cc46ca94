//! The pages of the manual: all are in its table of contents, and a browser shows them.

use std::collections::BTreeSet;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::common::program::{succeeds, with_case};
use crate::root;

/// The Markdown files of docs/ but the table of contents, relative to docs/.
fn pages() -> BTreeSet<PathBuf> {
    let docs = root().join("docs");
    let (mut todo, mut found) = (vec![docs.clone()], BTreeSet::new());
    while let Some(folder) = todo.pop() {
        for entry in std::fs::read_dir(&folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                todo.push(path);
            } else if path.extension().is_some_and(|ending| ending == "md") {
                found.insert(path.strip_prefix(&docs).expect("below docs").to_path_buf());
            }
        }
    }
    found.remove(Path::new("SUMMARY.md"));
    found
}

/// A page of the manual.
fn page(name: &str) -> String {
    std::fs::read_to_string(root().join("docs").join(name)).expect(name)
}

#[test]
fn every_page_is_in_the_table_of_contents_once() {
    let summary = page("SUMMARY.md");
    let links = summary
        .lines()
        .filter_map(|line| line.split_once("](")?.1.strip_suffix(')'));
    let listed: Vec<PathBuf> = links.map(PathBuf::from).collect();
    let once: BTreeSet<PathBuf> = listed.iter().cloned().collect();
    assert_eq!(listed.len(), once.len(), "a page is listed twice");
    let (outside, inside): (BTreeSet<PathBuf>, BTreeSet<PathBuf>) =
        once.into_iter().partition(|path| path.starts_with(".."));
    assert_eq!(inside, pages());
    let cases = std::fs::read_dir(root().join("validation")).expect("a folder");
    let cases = cases.map(|entry| entry.expect("an entry").path().join("README.md"));
    let cases: BTreeSet<PathBuf> = cases.filter(|path| path.exists()).collect();
    assert!(cases.len() > 15, "{cases:?}");
    for case in cases {
        let path = Path::new("..").join(case.strip_prefix(root()).expect("in the repository"));
        assert!(
            outside.contains(&path),
            "{} is not in the table of contents",
            path.display()
        );
    }
}

/// What the preprocessor of the manual makes of a book.
fn prepared(book: &serde_json::Value) -> serde_json::Value {
    let mut script = Command::new(root().join("scripts/manual-preprocessor"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the script starts");
    let mut input = script.stdin.take().expect("a pipe");
    input.write_all(book.to_string().as_bytes()).expect("written");
    drop(input);
    let output = script.wait_with_output().expect("it ends");
    serde_json::from_slice(&output.stdout).expect("a book")
}

/// A page of a book.
fn chapter(path: &str, content: &str) -> serde_json::Value {
    let chapter = serde_json::json!({"content": content, "path": path, "source_path": path, "sub_items": []});
    serde_json::json!({ "Chapter": chapter })
}

#[test]
fn lines_of_the_book_do_not_end_inside_numbers_and_code_stays() {
    let of = |text: &str| {
        let book = serde_json::json!([{}, {"items": [chapter("scaling.md", text)]}]);
        prepared(&book)["items"][0]["Chapter"]["content"]
            .as_str()
            .expect("a page")
            .to_owned()
    };
    let whole = |text: &str| format!("<span class=\"whole\">{text}</span>");
    for text in [
        "20 000",
        "1e-4",
        "p = 3",
        "0.9 +- 0.1",
        "5 %",
        "fr-les",
        "`check --long`",
    ] {
        assert_eq!(of(&format!("A {text}, and")), format!("A {}, and", whole(text)));
    }
    for same in [
        "## p = 3 of `fr-les kernels`",
        "```sh\nfr-les --x 20 000\n```",
        "Text:\n\n    export PATH=$PWD/fr-les:$PATH # 20 000\n\n    cut -d `x`\n\nText",
        "[a](#1e-4) ![p = 3](https://a/p.png) 2p 12 `cfl` 2026-11 fr-les/fr-les",
        "An empty `` and a `code`, then\n- another `one`",
    ] {
        assert_eq!(of(same), same);
    }
}

#[test]
fn links_of_the_book_lead_to_its_pages_and_to_the_repository() {
    let links = "[a](../records/README.md#b) [c](scaling.md) [d](../../CHANGELOG.md) `[e](../README.md)` \
                 [f](../../validation/) [g](../../Cargo.toml)";
    let chapters = [
        chapter("explanation/performance.md", links),
        chapter("explanation/scaling.md", ""),
        chapter("records/README.md", ""),
        chapter("../CHANGELOG.md", "[h](docs/explanation/scaling.md)"),
        chapter(
            "../validation/README.md",
            "[i](../docs/reference/meshes.md) ![j](../docs/images/bars-row.png)",
        ),
    ];
    let book = serde_json::json!([{}, {"items": chapters}]);
    let prepared = prepared(&book);
    let repository = "https://github.com/fr-les/fr-les/blob/main";
    let of = |index: usize, key: &str| prepared["items"][index]["Chapter"][key].as_str().expect(key).to_owned();
    // mdBook calls the page of a README index.
    assert_eq!(
        of(0, "content"),
        format!(
            "[a](../records/index.md#b) [c](scaling.md) [d](../CHANGELOG.md) `[e](../README.md)` \
             [f](../validation/index.md) [g]({repository}/Cargo.toml)"
        )
    );
    assert_eq!(
        (of(3, "path"), of(3, "content")),
        ("CHANGELOG.md".to_owned(), "[h](explanation/scaling.md)".to_owned())
    );
    assert_eq!(of(4, "path"), "validation/index.md");
    // A page that is not in this book, and a picture, which mdBook would not copy to a page outside of docs/.
    let shown = of(4, "content");
    assert!(shown.starts_with(&format!(
        "[i]({repository}/docs/reference/meshes.md) ![j](data:image/png;base64,"
    )));
}

/// A channel with every series and profile that has columns of its own page.
const CASE: &str = "mesh: {box: {cells: [6, 4, 2], lower: [0, 0, 0], upper: [3, 1, 1], periodic: [x, z]}}\n\
    order: 3\ngas: {viscosity: {constant: 1e-3}}\n\
    initial: {u: 0.3*cos(pi*(y - 0.5)), v: 0.02*sin(2*pi*x/3), w: 0, p: 1/1.4, rho: 1}\n\
    boundaries: {y-: {type: no-slip-isothermal, temperature: 1}, y+: {type: no-slip-adiabatic}}\n\
    forcing: {mass-flow: {direction: x, bulk-velocity: 0.2}}\ntime: {steps: 10, cfl: 0.9}\n\
    output:\n  integrals: {every-steps: 2, means-from: 0}\n  \
    reference: {pressure: 1, density: 1, velocity: [1, 0, 0], area: 1}\n  boundaries: {every-steps: 1}\n  \
    forcing: {every-steps: 1}\n  statistics: {from: 0, every-steps: 1, average: [x, z], budget: true}\n  \
    spectra: {direction: x, at: [0.5], from: 0, every-steps: 2}\n  \
    probes: {wake: {points: [[1, 0.5, 0.5]], every-steps: 1}}\n";

#[test]
fn the_page_of_columns_has_every_column_with_its_unit() {
    let page = page("reference/columns.md");
    let folder = with_case(CASE);
    succeeds(&folder, &["run.yaml"]);
    let mut seen = 0;
    for (file, heading) in [
        ("integrals.csv", "## Integrals"),
        ("boundaries.csv", "## Boundaries"),
        ("coefficients.csv", "## Coefficients"),
        ("forcing.csv", "## Forcing"),
        ("statistics.csv", "## Statistics"),
        ("spectra.csv", "## Spectra and correlations"),
        ("correlations.csv", "## Spectra and correlations"),
        ("probes_wake.csv", "## Probes"),
    ] {
        let section = page.split_once(heading).expect(heading).1;
        let section = section.split("\n## ").next().expect("a section");
        let text = std::fs::read_to_string(folder.path().join("results").join(file)).expect(file);
        let mut rows = text.lines().filter(|line| !line.starts_with('#'));
        let (names, units) = (rows.next().expect("names"), rows.next().expect("units"));
        for (name, unit) in names.split(',').zip(units.split(',')) {
            let name = name.trim_start_matches("y-_").trim_start_matches("y+_");
            if name.ends_with("_error") || name.ends_with("_at_least") {
                continue;
            }
            let row = section.lines().find(|line| {
                let mut cells = line.split('|').map(str::trim);
                let named = cells
                    .nth(1)
                    .is_some_and(|cell| cell.split(", ").any(|n| n == format!("`{name}`")));
                named && cells.next() == Some(unit)
            });
            assert!(row.is_some(), "{file}: no row for `{name}` in {unit} under {heading}");
            seen += 1;
        }
    }
    assert!(seen > 80, "{seen}");
}

/// The rules that turn a message into the parts that its source has: what stands for a value is `...`.
fn parts(message: &str) -> impl Iterator<Item = &str> {
    message.split("...").map(str::trim).filter(|part| part.len() > 3)
}

#[test]
fn every_message_of_the_index_of_errors_is_one_of_the_program() {
    // The text of all sources, with the strings that go on in the next line joined.
    let mut sources = String::new();
    let mut todo = vec![root().join("src"), root().join("crates")];
    while let Some(folder) = todo.pop() {
        for entry in std::fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                todo.push(path);
            } else if path.extension().is_some_and(|ending| ending == "rs") {
                let text = std::fs::read_to_string(&path).expect("a source");
                let mut rest = text.as_str();
                while let Some((line, next)) = rest.split_once("\\\n") {
                    sources.push_str(line);
                    rest = next.trim_start();
                }
                sources.push_str(rest);
            }
        }
    }
    let page = page("reference/errors.md");
    let rows = page
        .lines()
        .filter_map(|line| line.strip_prefix("| `")?.split_once("` |"));
    let mut seen = 0;
    for (message, _) in rows.filter(|(message, _)| message.contains(' ')) {
        for part in parts(message) {
            assert!(sources.contains(part), "'{part}' of '{message}' is in no message");
        }
        seen += 1;
    }
    assert!(seen > 40, "{seen}");
}

/// Tests that need Chromium and the book (`make docs`).
mod browser {
    use super::{Command, pages};
    use crate::root;

    /// Counts what the browser shows, and writes it as the title of the page: pictures, and those that are missing;
    /// formulas, and those that are flat; whether something is wider than the page; and how bright the page is, 0 to 9.
    const COUNT: &str = "<script>window.addEventListener('load', () => setTimeout(() => {\
        const images = [...document.images];\
        const missing = images.filter(i => !i.complete || i.naturalWidth === 0).length;\
        const maths = [...document.querySelectorAll('math')];\
        const flat = maths.filter(m => m.getBoundingClientRect().height < 5).length;\
        const wide = document.documentElement.scrollWidth > window.innerWidth ? 1 : 0;\
        const back = getComputedStyle(document.documentElement).backgroundColor.match(/[0-9.]+/g).map(Number);\
        const light = Math.floor((back[0] + back[1] + back[2]) / 766 * 10);\
        document.title = `images ${images.length} missing ${missing} formulas ${maths.length} flat ${flat} \
        wide ${wide} light ${light} width ${window.innerWidth}`;\
        }, 100));</script></body>";

    /// The numbers in the title that a page gets in a window of this width.
    fn shown(page: &str, width: usize, dark: bool) -> Vec<(String, usize)> {
        let path = root().join("target/manual").join(page);
        let text = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}; run make docs", path.display()));
        // Beside the page, whose links are relative.
        let copy = path.with_extension(format!("{width}.{dark}.test.html"));
        std::fs::write(&copy, text.replace("</body>", COUNT)).expect("written");
        let output = Command::new("chromium")
            .args([
                "--headless",
                "--no-sandbox",
                "--disable-gpu",
                "--dump-dom",
                "--virtual-time-budget=3000",
            ])
            .arg(format!("--window-size={width},900"))
            .args(dark.then_some("--blink-settings=preferredColorScheme=0"))
            .arg(format!("file://{}", copy.display()))
            .output()
            .expect("chromium starts");
        std::fs::remove_file(&copy).expect("removed");
        let dom = String::from_utf8_lossy(&output.stdout).into_owned();
        let title = dom
            .split("<title>")
            .nth(1)
            .and_then(|rest| rest.split("</title>").next());
        let words: Vec<&str> = title.expect("a title").split_whitespace().collect();
        let pairs = words
            .chunks(2)
            .map(|pair| (pair[0].to_owned(), pair[1].parse().expect("a number")));
        pairs.collect()
    }

    fn value(counts: &[(String, usize)], name: &str) -> usize {
        counts.iter().find(|(found, _)| found == name).expect(name).1
    }

    #[test]
    #[ignore = "needs Chromium and the book"]
    fn a_browser_shows_the_manual_light_dark_and_narrow() {
        let mut formulas = 0;
        for page in pages() {
            let name = page
                .with_extension("html")
                .display()
                .to_string()
                .replace("README", "index");
            let light = shown(&name, 1280, false);
            formulas += value(&light, "formulas");
            let mut looks = vec![light];
            // Three looks at every page take long; the ones with wide tables, formulas and pictures are looked at.
            if [
                "explanation/numerics.html",
                "tutorials/cylinder.html",
                "reference/case-keys.html",
            ]
            .contains(&&*name)
                || [
                    "reference/boundaries.html",
                    "how-to/from-other-solvers.html",
                    "index.html",
                ]
                .contains(&&*name)
            {
                let dark = shown(&name, 1280, true);
                assert!(value(&looks[0], "light") >= 9, "{name}: {:?}", looks[0]);
                assert!(value(&dark, "light") <= 3, "{name}: {dark:?}");
                let narrow = shown(&name, 500, false);
                assert!(value(&narrow, "width") <= 500, "{narrow:?}");
                looks.extend([dark, narrow]);
            }
            for look in looks {
                for nothing in ["missing", "flat", "wide"] {
                    assert_eq!(value(&look, nothing), 0, "{name}: {look:?}");
                }
            }
        }
        assert!(formulas > 60, "{formulas}");
    }
}
