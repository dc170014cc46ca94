//! Blades of few numbers from the command line.

use std::path::Path;

use crate::common::program::{folder, refuses, succeeds, write};

#[test]
fn more_numbers_come_nearer_to_a_published_profile() {
    let profile = Path::new(env!("CARGO_MANIFEST_DIR")).join("meshes/profiles/t106.csv");
    let folder = folder();
    write(&folder, "profile.csv", &std::fs::read(profile).expect("the profile"));
    for (points, most) in [("5,9", 1.3e-3), ("9,13", 6e-4), ("13,17", 2e-4)] {
        let arguments = [
            "blade",
            "fit",
            "profile.csv",
            "--points",
            points,
            "--outline",
            "fit.csv",
        ];
        let text = succeeds(&folder, &arguments);
        println!("{text}");
        let worst = text
            .split("the worst ")
            .nth(1)
            .and_then(|rest| rest.split(' ').next())
            .expect("the worst");
        let worst: f64 = worst.parse().expect("a number");
        assert!(worst < most, "{points}: {worst}");
        let outline = std::fs::read_to_string(folder.path().join("fit.csv")).expect("the outline");
        assert_eq!(outline.lines().count(), 1 + 416);
    }
}

#[test]
fn wrong_arguments_of_a_fit_are_refused() {
    let folder = folder();
    write(&folder, "few.csv", b"x,y\n0,0\n1,0\n1,1\n");
    refuses(&folder, &["blade", "fit", "few.csv"], &["the profile has 3 points"]);
    refuses(&folder, &["blade", "fit", "none.csv"], &["there is no file none.csv"]);
    refuses(
        &folder,
        &["blade", "fit", "few.csv", "--points", "5"],
        &["two numbers from 2 to 40"],
    );
}
