//! A uniform oblique flow stays uniform on strongly distorted meshes, because the discrete metric identities hold.

/// Returns the largest |dU/dt| of a uniform flow, relative to the scale of the variable and to the rate at which the
/// fastest wave crosses half a cell. The value 1 would mean that the flow changes by its own size in that time.
fn relative_change(order: usize, precision: &str, mesh: &str, rest: &str) -> f64 {
    let text = format!(
        "mesh:\n{mesh}\norder: {order}\n\
         precision: {precision}\ngas: {{viscosity: {{constant: 0.01}}}}\n\
         initial: {{u: 0.7, v: -0.4, w: 0.3, p: 1/1.4, rho: 1}}\ntime: {{steps: 1}}\n{rest}"
    );
    let mut solver = crate::common::cases::solver(&text);
    let rhs = solver.rhs(0.0).unwrap();
    let rate = solver.device.time_step_bounds().unwrap().largest_convective();
    let speed = 1.0 + (0.7f64 * 0.7 + 0.4 * 0.4 + 0.3 * 0.3).sqrt();
    let energy = 1.0 / (1.4 * 0.4) + 0.5 * 0.74;
    let scale = [1.0, speed, speed, speed, energy];
    let mut largest = 0.0f64;
    crate::common::cases::each_point(&solver, &rhs, |_, r| {
        (0..5).for_each(|v| largest = largest.max(r[v].abs() / (scale[v] * rate)));
    });
    largest
}

const BOX: &str = "  box:\n    cells: [4, 2, 4]\n    lower: [0, 0, 0]\n    upper: [1, 2, 1.5]\n";
const CURVED: &str = "    periodic: [x, y, z]\n    warp: 0.4";
const TRILINEAR: &str = "    periodic: [x, y, z]\n    warp: 0.4\n    warp-kind: trilinear";
const STRETCHED: &str = "    periodic: [x, z]\n    stretch: {y: {tanh: 5.4}}\n    warp: 0.3";
const OUTER: &str = "boundaries:\n  y-: {type: far-field, u: 0.7, v: -0.4, w: 0.3, p: 1/1.4, rho: 1}\n  \
                     y+: {type: far-field, u: 0.7, v: -0.4, w: 0.3, p: 1/1.4, rho: 1}\n";

fn check(elements: &str, orders: &[usize], precision: &str, bound: f64) {
    for &order in orders {
        for (name, mesh, rest) in [
            ("curved", CURVED, ""),
            ("curved lobatto", CURVED, "scheme: {correction: lobatto}\n"),
            (
                "curved divergence form, HLLC",
                CURVED,
                "scheme: {split: none, riemann: hllc}\n",
            ),
            (
                "curved, entropy corrected",
                CURVED,
                "scheme: {riemann: roe-entropy-stable, entropy-correction: cells}\n",
            ),
            ("trilinear, Rusanov", TRILINEAR, "scheme: {riemann: rusanov}\n"),
            ("stretched, far field", STRETCHED, OUTER),
        ] {
            let mesh = format!("{BOX}{mesh}\n    elements: {elements}");
            let change = relative_change(order, precision, &mesh, rest);
            println!("free stream {elements} {precision} p {order} {name}: {change:.2e}");
            assert!(
                change <= bound,
                "{elements} {precision} p {order} {name}: {change:e} > {bound:e}"
            );
        }
    }
}

/// The tests of all kinds of cells at some orders in double and in single precision, of which hexahedra have higher
/// ones than other cells; an attribute of the tests may stand behind them.
macro_rules! at_orders {
    (
        hexahedra: $hexahedra:expr, $hexahedra_single:expr;
        others: $others:expr, $others_single:expr
        $(; #[$attribute:meta])*
    ) => {
        #[test]
        $(#[$attribute])*
        fn uniform_flow_is_preserved_on_hexahedra() {
            check("hex", &$hexahedra, "double", 1e-12);
            check("hex", &$hexahedra_single, "single", 1e-5);
        }

        #[test]
        $(#[$attribute])*
        fn uniform_flow_is_preserved_on_prisms() {
            check("prism", &$others, "double", 1e-12);
            check("prism", &$others_single, "single", 1e-5);
        }

        #[test]
        $(#[$attribute])*
        fn uniform_flow_is_preserved_on_tetrahedra() {
            check("tet", &$others, "double", 1e-12);
            check("tet", &$others_single, "single", 1e-5);
        }

        #[test]
        $(#[$attribute])*
        fn uniform_flow_is_preserved_on_pyramids_with_bases_that_are_no_parallelograms() {
            check("pyramid", &$others, "double", 1e-12);
            check("pyramid", &$others_single, "single", 5e-5);
        }

        #[test]
        $(#[$attribute])*
        fn uniform_flow_is_preserved_on_mixed_meshes() {
            check("mixed", &$others, "double", 1e-12);
            check("mixed", &$others_single, "single", 5e-5);
        }
    };
}

/// Curved meshes of CGNS and HOPR, with their boundaries.
const FILES: [(&str, &[&str]); 4] = [
    ("mixed2.cgns", &["bottom", "skin"]),
    ("cylinder_hex3.cgns", &["inner", "outer", "cuts", "ends"]),
    ("cylinder_tet4.cgns", &["inner", "outer", "cuts", "ends"]),
    ("hopr_box3.h5", &["bc_wally-", "bc_wally+", "bc_z-", "bc_z+"]),
];

#[test]
fn uniform_flow_is_preserved_on_curved_meshes_of_cgns_and_hopr() {
    for (file, boundaries) in FILES {
        let path = format!("{}/tests/data/{file}", env!("CARGO_MANIFEST_DIR"));
        let open = "{type: far-field, u: 0.7, v: -0.4, w: 0.3, p: 1/1.4, rho: 1}";
        let mut rest: String = boundaries.iter().map(|name| format!("  {name}: {open}\n")).collect();
        if !rest.is_empty() {
            rest.insert_str(0, "boundaries:\n");
        }
        for order in 2..=3 {
            let change = relative_change(order, "double", &format!("  file: {path}"), &rest);
            println!("free stream {file} p {order}: {change:.2e}");
            assert!(change <= 1e-12, "{file} p {order}: {change:e}");
        }
    }
}

/// Orders 1 to 3, which every build of the kernels for development has.
mod low_orders {
    use super::check;

    at_orders!(hexahedra: [1, 2, 3], [2, 3]; others: [1, 2, 3], [2, 3]);
}

/// The other orders whose kernels `make test` compiles.
mod high_orders {
    use super::check;

    at_orders!(hexahedra: [4, 5], []; others: [4], []);
}

/// The orders whose kernels `make test` leaves out.
mod long {
    use super::check;

    at_orders!(
        hexahedra: [6, 7, 8], [1, 4, 5, 6, 7, 8];
        others: [5, 6], [1, 4, 5, 6];
        #[ignore = "needs kernels of all orders"]
    );
}
