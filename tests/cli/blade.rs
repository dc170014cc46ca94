//! Blades of few numbers from the command line.

use std::path::Path;

use crate::common::program::{folder, output, program, refuses, succeeds, write};

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
    let profiles = Path::new(env!("CARGO_MANIFEST_DIR")).join("meshes/profiles");
    for name in ["t106.csv", "ls89.csv"] {
        write(&folder, name, &std::fs::read(profiles.join(name)).expect("a profile"));
    }
    std::os::unix::fs::symlink("t106.csv", folder.path().join("link.csv")).expect("a link");
    for outline in ["t106.csv", "./t106.csv", "link.csv"] {
        let arguments = ["blade", "fit", "t106.csv", "--outline", outline];
        refuses(&folder, &arguments, &["--outline", "is the file of the profile"]);
    }
    let kept = std::fs::read(folder.path().join("t106.csv")).expect("the profile");
    assert_eq!(kept, std::fs::read(profiles.join("t106.csv")).expect("the profile"));
    for (file, chord, parts) in [
        ("t106.csv", "nan", ["`--chord NaN`", "a finite number above 0"]),
        ("t106.csv", "inf", ["`--chord inf`", "a finite number above 0"]),
        ("t106.csv", "0", ["`--chord 0`", "a finite number above 0"]),
        ("t106.csv", "1e-300", ["times the chord of", "in the unit of the table"]),
        (
            "t106.csv",
            "1000",
            ["times the chord of 1000", "in the unit of the table"],
        ),
        ("ls89.csv", "1", ["times the chord of 1:", "in the unit of the table"]),
    ] {
        refuses(&folder, &["blade", "fit", file, "--chord", chord], &parts);
    }
    refuses(&folder, &["blade", "fit", "none.csv"], &["there is no file none.csv"]);
    refuses(
        &folder,
        &["blade", "fit", "few.csv", "--points", "5"],
        &["two numbers from 2 to 40"],
    );
}

#[test]
fn a_blade_that_is_far_from_its_profile_is_warned_of() {
    let folder = folder();
    let profiles = Path::new(env!("CARGO_MANIFEST_DIR")).join("meshes/profiles");
    let warning = |file: &str, chord: &str| {
        let profile = profiles.join(file);
        let mut command = program(folder.path());
        let text = output(command.args(["blade", "fit", "--chord", chord]).arg(profile), 0);
        text.contains("WARN") && text.contains("chords from the profile at")
    };
    // LS89 is thick where its camber line bends sharply.
    assert!(warning("ls89.csv", "67.647"));
    assert!(!warning("t106.csv", "1"));
}
