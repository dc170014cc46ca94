//! Why the sums of a checkpoint cannot be continued: their settings differ from those of the run. A message that names
//! the setting spares the user a comparison of two case files.

use serde_json::Value;

use crate::output::other_names::other_names;

/// Returns in words what differs between the settings of stored sums and those of a run. Both have the form that
/// `Statistics::kind` writes.
pub fn difference(stored: &Value, own: &Value) -> String {
    let words = |of: &Value| of.as_str().unwrap_or_default().to_owned();
    if stored["average"] != own["average"] || stored["from"] != own["from"] {
        return format!(
            "were averaged over [{}] from t = {}",
            words(&stored["average"]),
            words(&stored["from"])
        );
    }
    let other = |what: &str| other_names(what, &stored[what], &own[what]);
    other("scalars")
        .or_else(|| other("walls"))
        .unwrap_or_else(|| "are of other products: `favre`, `budget` or another key that adds some differs".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_setting_that_differs_is_named() {
        let of = |average: &str, scalars: &[&str], walls: &[&str]| {
            let settings = serde_json::json!({"average": average, "from": "0", "factors": [1]});
            let serde_json::Value::Object(mut settings) = settings else {
                unreachable!("an object was made")
            };
            settings.insert("scalars".into(), scalars.into());
            settings.insert("walls".into(), walls.into());
            serde_json::Value::Object(settings)
        };
        let own = of("x and z", &["ink", "dye"], &["y-"]);
        for (stored, words) in [
            (of("z", &["dye"], &["y-"]), "were averaged over [z] from t = 0"),
            (of("x and z", &["dye"], &["y-"]), "have other scalars: they lack `ink`"),
            (
                of("x and z", &["dye", "smoke"], &["y-"]),
                "have other scalars: they have `smoke`, which the case does not have, and lack `ink`",
            ),
            (
                of("x and z", &["dye", "ink"], &["y-"]),
                "have the scalars in another order",
            ),
            (
                of("x and z", &["ink", "dye"], &["y+"]),
                "have other walls: they have `y+`, which the case does not have, and lack `y-`",
            ),
        ] {
            assert_eq!(difference(&stored, &own), words);
        }
    }
}
