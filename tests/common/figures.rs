//! The contents of drawn figures: positions of texts and of named elements.

use clap::Parser;
use fr_les::commands::plot::{PlotArgs, run};
use fr_les::plot::draw;
use fr_les::plot::figure::Figure;
use resvg::usvg::{Group, Node, Options, Rect, Tree};
use tempfile::TempDir;

#[derive(Parser)]
struct Cli {
    #[command(flatten)]
    plot: PlotArgs,
}

/// Runs `fr-les plot` with these arguments.
pub fn plot(arguments: &[&str]) -> Result<(), String> {
    let cli = Cli::try_parse_from(["plot"].iter().chain(arguments)).map_err(|error| error.to_string())?;
    run(&cli.plot).map_err(|error| error.to_string())
}

/// Names or texts with their bounding boxes.
pub type Extents = Vec<(String, Rect)>;

/// Collects the bounding boxes of all texts and of all named elements.
fn elements(group: &Group, texts: &mut Extents, named: &mut Extents) {
    for node in group.children() {
        match node {
            Node::Group(group) => elements(group, texts, named),
            Node::Path(path) if !path.id().is_empty() => named.push((path.id().into(), path.abs_bounding_box())),
            Node::Text(text) => {
                let letters = text.chunks().iter().map(|chunk| chunk.text()).collect();
                texts.push((letters, text.abs_bounding_box()));
            }
            _ => {}
        }
    }
}

/// Returns the bounding boxes of all texts, which must lie on the page, and of all named elements.
pub fn drawn(figure: &Figure) -> (Extents, Extents) {
    let dir = TempDir::new().unwrap();
    let path = dir.path().join("figure.svg");
    draw(figure, &path).unwrap();
    let mut options = Options {
        font_family: "DejaVu Sans".into(),
        ..Options::default()
    };
    options.fontdb_mut().load_font_data(dejavu::sans::regular().to_vec());
    let tree = Tree::from_str(&std::fs::read_to_string(path).unwrap(), &options).unwrap();
    let (mut texts, mut named) = (Vec::new(), Vec::new());
    elements(tree.root(), &mut texts, &mut named);
    let page = tree.size();
    for (text, extent) in &texts {
        let inside = extent.left() >= 0.0
            && extent.top() >= 0.0
            && extent.right() <= page.width()
            && extent.bottom() <= page.height();
        assert!(inside, "'{text}' leaves the page: {extent:?}");
    }
    (texts, named)
}

/// Asserts that no two texts overlap.
pub fn assert_apart(texts: &Extents) {
    for (index, (text, a)) in texts.iter().enumerate() {
        for (other, b) in &texts[index + 1..] {
            let apart =
                a.right() <= b.left() || b.right() <= a.left() || a.bottom() <= b.top() || b.bottom() <= a.top();
            assert!(apart, "'{text}' {a:?} and '{other}' {b:?}");
        }
    }
}

/// Returns the bounding box of the element with this name.
pub fn extent(named: &Extents, name: &str) -> Rect {
    named
        .iter()
        .find(|(id, _)| id == name)
        .unwrap_or_else(|| panic!("{name}"))
        .1
}
