//! Small versions of the cases of validation/. After a few steps their series must have the digits that are stored in
//! tests/output/norms.csv. The numbers are no physical results; they reveal a change of the program that changes a
//! digit. Strict arithmetic gives the same bits on every machine.
//!
//! `make norms` writes the file anew. The commit that does so says why the digits changed.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use crate::common::program::{ended, run, run_case};
use fr_les::io::read_series;

/// Environment variable that asks for the file to be written instead of compared.
const WRITE: &str = "FR_LES_WRITE_NORMS";

/// Largest relative difference of values that count as equal, and round-off as a fraction of the largest value of the
/// series.
const SAME: f64 = 1e-11;
const ROUND_OFF: f64 = 1e-15;

/// A case of validation/ with the name of its rows and the keys that make it small.
struct Small {
    name: &'static str,
    case: &'static str,
    set: &'static [&'static str],
}

const CASES: &[Small] = &[
    Small {
        name: "taylor-green",
        case: "taylor-green/run.yaml",
        set: &["mesh.box.cells=[4, 4, 4]"],
    },
    Small {
        name: "taylor-green-demo",
        case: "taylor-green/demo.yaml",
        set: &["mesh.box.cells=[3, 4, 5]"],
    },
    Small {
        name: "taylor-green-gpu",
        case: "taylor-green/gpu.yaml",
        set: &["mesh.box.cells=[4, 4, 4]", "order=2"],
    },
    Small {
        name: "taylor-green-prism",
        case: "taylor-green/elements.yaml",
        set: &["mesh.box.cells=[4, 4, 4]", "mesh.box.elements=prism"],
    },
    Small {
        name: "taylor-green-tet",
        case: "taylor-green/elements.yaml",
        set: &["mesh.box.cells=[4, 4, 4]", "mesh.box.elements=tet"],
    },
    Small {
        name: "taylor-green-pyramid",
        case: "taylor-green/elements.yaml",
        set: &["mesh.box.cells=[4, 4, 4]", "mesh.box.elements=pyramid"],
    },
    Small {
        name: "taylor-green-mixed-curved",
        case: "taylor-green/elements.yaml",
        set: &[
            "mesh.box.cells=[4, 4, 4]",
            "mesh.box.elements=mixed",
            "mesh.box.warp=0.2",
        ],
    },
    Small {
        name: "taylor-green-inviscid",
        case: "taylor-green-inviscid/run.yaml",
        set: &["mesh.box.cells=[4, 4, 4]"],
    },
    Small {
        name: "vortex",
        case: "vortex/run.yaml",
        set: &["mesh.box.cells=[8, 8, 1]"],
    },
    Small {
        name: "couette",
        case: "couette/run.yaml",
        set: &[],
    },
    Small {
        name: "channel-180",
        case: "channel-180/run.yaml",
        set: &["mesh.box.cells=[3, 4, 2]", "order=3"],
    },
    Small {
        name: "channel-180-coarse",
        case: "channel-180/coarse.yaml",
        set: &["mesh.box.cells=[4, 4, 3]", "order=2"],
    },
    Small {
        name: "channel-950",
        case: "channel-950/run.yaml",
        set: &["mesh.box.cells=[4, 4, 3]", "order=3"],
    },
    Small {
        name: "sod",
        case: "shocks/sod.yaml",
        set: &["mesh.box.cells=[20, 1, 1]"],
    },
    Small {
        name: "double-mach",
        case: "shocks/double-mach.yaml",
        set: &["mesh.box.cells=[24, 8, 1]"],
    },
    Small {
        name: "taylor-green-compressible",
        case: "taylor-green-compressible/run.yaml",
        set: &["mesh.box.cells=[4, 4, 4]"],
    },
    Small {
        name: "inlet-turbulence",
        case: "inlet-turbulence/run.yaml",
        set: &["mesh.box.cells=[8, 8, 8]", "order=3", "constants.L11=0.25"],
    },
    Small {
        name: "bars",
        case: "bars/frames.yaml",
        set: &["mesh.box.cells=[10, 10, 1]", "constants.V=1"],
    },
    Small {
        name: "cylinder",
        case: "cylinder/run.yaml",
        // Rings around the cylinder replace the mesh that Gmsh makes.
        set: &[
            "mesh={file: ring.h5}",
            "boundaries={inner: {type: no-slip-adiabatic}, outer: {type: far-field, u: U0, v: 0, w: 0, p: p0, \
             rho: rho0}}",
        ],
    },
];

/// A row of the file: case, precision, series, column, and the value.
type Row = ([String; 4], f64);

fn file() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/output/norms.csv")
}

/// Returns the last row of every series of a case after 20 steps.
fn rows(small: &Small, precision: &str) -> Vec<Row> {
    let directory = tempfile::tempdir().expect("temporary directory");
    let case = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("validation")
        .join(small.case);
    if small.name == "cylinder" {
        let mesh = "mesh generate annulus ring.h5 --inner 0.5 --outer 5 --length 1 --cells 4,12,1 --periodic theta,z \
                    --hex-layers 2";
        ended(&run(directory.path(), &mesh.split_whitespace().collect::<Vec<_>>()), 0);
    }
    let forced = small.name.starts_with("channel");
    let forcing = if forced { ", forcing: {every-steps: 20}" } else { "" };
    let bounded = forced || ["couette", "cylinder", "inlet-turbulence"].contains(&small.name);
    let boundaries = if bounded { ", boundaries: {every-steps: 20}" } else { "" };
    let output = format!("output={{directory: out, integrals: {{every-steps: 20}}{boundaries}{forcing}}}");
    let set = [
        "device=cpu",
        "arithmetic=strict",
        &format!("precision={precision}"),
        "time.end=null",
        "time.steps=20",
        "restart=null",
        &output,
    ];
    // A relative path of a mesh file starts at the folder of the case.
    std::fs::copy(&case, directory.path().join("run.yaml")).expect("copied");
    run_case(directory.path(), 1, &[&set[..], small.set].concat(), 0);
    let mut rows = Vec::new();
    for series in ["integrals", "boundaries", "forcing"] {
        let path = directory.path().join(format!("out/{series}.csv"));
        if !path.exists() {
            continue;
        }
        let table = read_series(&path).expect("a series");
        for (name, values) in table.names.iter().zip(&table.columns) {
            let key = [small.name, precision, series, name].map(str::to_owned);
            rows.push((key, *values.last().expect("a row")));
        }
    }
    rows
}

/// All rows of all cases.
fn all() -> Vec<Row> {
    let of = |small| {
        ["double", "single"]
            .into_iter()
            .flat_map(move |precision| rows(small, precision))
    };
    CASES.iter().flat_map(of).collect()
}

fn write(rows: &[Row]) {
    let mut text = String::from(
        "# Last rows of the series of small validation cases; `make norms` writes them anew (tests/output/norms.rs).\n\
         case,precision,series,column,value\n",
    );
    for (key, value) in rows {
        let _ = writeln!(text, "{},{value:.12e}", key.join(","));
    }
    std::fs::write(file(), text).expect("written");
}

fn stored() -> Vec<Row> {
    let text = std::fs::read_to_string(file()).expect("tests/output/norms.csv");
    let lines = text.lines().filter(|line| !line.starts_with('#')).skip(1);
    lines
        .map(|line| {
            let words: Vec<&str> = line.split(',').collect();
            let key = std::array::from_fn(|i| words[i].to_owned());
            (key, words[4].parse().unwrap_or_else(|e| panic!("{line}: {e}")))
        })
        .collect()
}

#[test]
fn small_validation_cases_have_the_stored_digits() {
    let found = all();
    if std::env::var_os(WRITE).is_some() {
        return write(&found);
    }
    let stored = stored();
    let names = |rows: &[Row]| rows.iter().map(|(key, _)| key.clone()).collect::<Vec<_>>();
    assert!(
        names(&found) == names(&stored),
        "cases or columns of tests/output/norms.csv are others than those of the runs; `make norms` writes them anew"
    );
    let mut changed = String::new();
    for ((key, value), (_, expected)) in found.iter().zip(&stored) {
        let of_series = stored.iter().filter(|(k, _)| k[..3] == key[..3]);
        let largest = of_series.fold(0.0f64, |a, (_, v)| a.max(v.abs()));
        let difference = (value - expected).abs();
        // This form also rejects NaN.
        let same = difference <= SAME * expected.abs() + ROUND_OFF * largest;
        if !same {
            let relative = difference / expected.abs();
            let _ = writeln!(
                changed,
                "  {}: {value:.12e}, stored {expected:.12e} (relative {relative:.1e})",
                key.join(" ")
            );
        }
    }
    assert!(
        changed.is_empty(),
        "digits changed; where that is meant, `make norms` writes them anew, and the commit says why:\n{changed}"
    );
}
