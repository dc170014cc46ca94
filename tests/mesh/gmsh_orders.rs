//! Curved cells of all orders that are read, with the nodes in the order of Gmsh, have the exact shape.

use std::path::Path;

use crate::common::meshes::{data, nodes};
use fr_les::case::Correction;
use fr_les::element::{ElementKind, ReferenceElement};
use fr_les::mesh::{Mesh, read_gmsh_bytes};

/// A kind and an order, the number of the type, and the steps of its nodes along the edges at the first vertex, in the
/// order that Gmsh itself gave them (tests/data/node_orders.py).
struct NodeOrder {
    kind: ElementKind,
    order: usize,
    number: usize,
    steps: Vec<[usize; 3]>,
}

fn node_orders() -> Vec<NodeOrder> {
    let text = std::fs::read_to_string(data("gmsh_node_orders.txt")).expect("is checked in");
    let of_line = |line: &str| {
        let mut words = line.split_whitespace();
        let name = words.next().expect("a kind");
        let kind = ElementKind::ALL.into_iter().find(|kind| kind.name() == name);
        let mut number = || words.next().and_then(|word| word.parse().ok()).expect("a number");
        let [order, number] = [number(), number()];
        let step = |word: &str| {
            let digits: Vec<usize> = word.bytes().map(|digit| usize::from(digit - b'0')).collect();
            digits.try_into().expect("three digits")
        };
        NodeOrder {
            kind: kind.expect("a known kind"),
            order,
            number,
            steps: words.map(step).collect(),
        }
    };
    text.lines().map(of_line).collect()
}

/// Reference coordinates of a node.
fn place(kind: ElementKind, order: usize, [i, j, k]: [usize; 3]) -> [f64; 3] {
    let p = order as f64;
    match kind {
        // A layer is a square of fewer steps, which is centred.
        ElementKind::Pyramid => [(2 * i + k) as f64 / p - 1.0, (2 * j + k) as f64 / p - 1.0, k as f64 / p],
        _ => [i, j, k].map(|i| 2.0 * i as f64 / p - 1.0),
    }
}

/// A map of this total degree that treats no two directions alike.
fn curved(order: usize, [x, y, z]: [f64; 3]) -> [f64; 3] {
    let (p, q) = (order as i32, order as i32 - 1);
    [
        x + 0.03 * y.powi(p) + 0.02 * z.powi(q) * y,
        y + 0.04 * z.powi(p) - 0.03 * x.powi(q) * z,
        z + 0.02 * x.powi(p) + 0.03 * x.powi(q) * y,
    ]
}

fn read(of: &NodeOrder) -> Mesh {
    let lines: Vec<String> = of
        .steps
        .iter()
        .zip(1..)
        .map(|(&at, tag)| {
            let [x, y, z] = curved(of.order, place(of.kind, of.order, at));
            format!("{tag} {x} {y} {z}")
        })
        .collect();
    let tags: Vec<String> = (1..=lines.len()).map(|tag| tag.to_string()).collect();
    let text = format!(
        "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n{}\n{}\n$EndNodes\n$Elements\n1\n1 {} 2 1 1 {}\n$EndElements\n",
        lines.len(),
        lines.join("\n"),
        of.number,
        tags.join(" ")
    );
    read_gmsh_bytes(Path::new("a.msh"), text.as_bytes(), &[]).unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn curved_cells_of_all_orders_have_the_shape_of_the_polynomial() {
    let all = node_orders();
    assert_eq!(all.len(), 4 * 5);
    for of in all {
        let NodeOrder { kind, order, .. } = of;
        assert_eq!(of.steps.len(), kind.points(order), "{kind} {order}");
        let mesh = read(&of);
        assert_eq!((mesh.geometry_order, mesh.kinds.as_slice()), (order, &[kind][..]));
        let points = ReferenceElement::new(kind, order, Correction::default()).points;
        for (x, &at) in nodes(&mesh, 0).iter().zip(&points) {
            let exact = curved(order, at);
            let apart = (0..3).map(|d| (x[d] - exact[d]).abs()).fold(0.0, f64::max);
            assert!(apart < 1e-12, "{kind} {order} at {at:?}: {x:?} instead of {exact:?}");
        }
    }
}
