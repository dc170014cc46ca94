//! The page of a report beside a reference, on dark and narrow screens, and of a run that goes on.

use crate::common::program::run;
use crate::report::{finished, parsed, report};
use fr_les::io::DirectoryLock;

#[test]
fn a_cascade_begins_with_its_numbers_beside_a_reference() {
    let directory = tempfile::tempdir().unwrap();
    let results = directory.path().join("results");
    std::fs::create_dir(&results).unwrap();
    let write = |name: &str, text: &str| std::fs::write(directory.path().join(name), text).unwrap();
    let rows = "1,0,0.1,0,0\n1,1,0.9,0.4,0.1\n2,0,0.1,0,0\n2,1,0.4,0.6,0.1\n";
    write(
        "results/blade_a.csv",
        &format!(
            "# result zweifel [-]: value = 1.1, error = 0.01, half_difference = 0.001\n\
             # result suction_separation_1_x_over_C [-]: value = 0.7, error = 0.01, half_difference = 0.2\n\
             side,x_over_C,M_is,C_p,C_f\n-,-,-,-,-\n{rows}"
        ),
    );
    write(
        "results/traverse_wake.csv",
        "# result zeta [-]: value = 0.05, error = 0.002 (at least), half_difference = 0\n\
         # result angle_mixed [deg]: value = -63, error = 0.1, half_difference = 0\n\
         # result Tu [-]: value = 0.08, error = 0.001, half_difference = 0\n\
         # result inlet_Tu [-]: value = 0\ny,omega\nm,-\n0,0.1\n1,0.2\n",
    );
    write("results.csv", "wake.zeta,zweifel\n0.04,1.25\n");
    write("points.csv", "x_over_C,M_is\n0.2,0.3\n0.8,0.7\n");
    let arguments = [
        "report",
        "results",
        "--reference",
        "results.csv",
        "--reference",
        "points.csv",
    ];
    let output = run(directory.path(), &arguments);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = std::fs::read_to_string(results.join("report.html")).unwrap();
    parsed(&text);
    let section = &text[text.find("The cascade in numbers</h2>").expect("the section")..];
    let section = &section[..section.find("</section>").expect("its end")];
    for row in [
        "loss of kinetic energy \u{3b6}</td><td>0.05</td><td>at least 0.0040</td><td>too short to know</td>\
         <td>0.04</td><td>0.01</td>",
        "exit angle, mixed out</td><td>-63 deg</td><td>0.20</td><td>settled</td><td></td><td></td>",
        "turbulence intensity behind, Tu</td><td>0.08</td><td>0.0020</td><td>settled</td><td></td><td></td>",
        "Zweifel's number</td><td>1.1</td><td>0.020</td><td>settled</td><td>1.25</td><td>-0.15</td>",
        "separation on the suction side, x/C_ax</td><td>0.7</td><td>0.020</td><td>drifts</td><td></td><td></td>",
    ] {
        assert!(section.contains(row), "{row} in {section}");
    }
    // An intensity without an error is none.
    assert!(!section.contains("turbulence intensity upstream"), "{section}");
    // The measured points are in the figure of the blade, under the name of their file.
    assert!(text.contains(">points</text>"), "the legend has the reference");
    write("bad.csv", "a,b\n1,2\n3,4\n");
    let refused = run(directory.path(), &["report", "results", "--reference", "bad.csv"]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&refused.stderr).contains("bad.csv: a reference of a report has"));
}

#[test]
fn a_page_goes_with_dark_and_narrow_screens() {
    let directory = tempfile::tempdir().unwrap();
    std::fs::create_dir(directory.path().join("results")).unwrap();
    std::fs::write(directory.path().join("results/a.csv"), "time,u\ns,m/s\n0,1\n1,2\n").unwrap();
    let (_, text) = report(directory.path());
    // All colours but those of the figures come from the variables, which a dark screen replaces.
    let style = &text[text.find("<style>").unwrap()..text.find("</style>").unwrap()];
    let rules = style
        .lines()
        .filter(|line| !line.contains(":root") && line.contains('#'));
    let fixed: Vec<&str> = rules
        .filter(|line| !line.trim_start().starts_with("figure svg"))
        .collect();
    assert!(fixed.is_empty(), "{fixed:?}");
    assert!(style.contains("prefers-color-scheme: dark") && style.contains("max-width: 720px"));
}

#[test]
fn a_run_that_goes_on_or_was_killed_is_as_far_as_its_series() {
    let directory = finished(&[]);
    let path = directory.path().join("results/run.json");
    // What a run has recorded before its first checkpoint.
    let mut record: serde_json::Value = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
    let part = &mut record["parts"][0];
    assert_eq!(part["last"][0], 40);
    part["last"] = serde_json::json!([0, 0.0]);
    part["outcome"] = "running".into();
    std::fs::write(&path, record.to_string()).unwrap();
    let lock = DirectoryLock::take(&directory.path().join("results")).unwrap();
    let (_, text) = report(directory.path());
    assert!(text.contains("running, at step 40, t = "), "{text}");
    drop(lock);
    let (_, text) = report(directory.path());
    assert!(text.contains("killed, at step 40, t = "), "{text}");
    // A part that another one follows does not run, whoever holds the lock.
    let mut parts = vec![record["parts"][0].clone(), record["parts"][0].clone()];
    parts[1]["outcome"] = "interrupted".into();
    record["parts"] = parts.into();
    std::fs::write(&path, record.to_string()).unwrap();
    let _lock = DirectoryLock::take(&directory.path().join("results")).unwrap();
    let (_, text) = report(directory.path());
    assert!(text.contains("killed") && !text.contains("running"), "{text}");
}
