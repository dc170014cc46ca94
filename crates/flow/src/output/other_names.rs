//! How lists of names differ: the scalars, walls or columns of stored sums, and those of the run that would continue
//! them. A message with the names spares the user a comparison of two case files.

use serde_json::Value;

/// Returns in words how the names of stored sums differ from those of the run, `None` if they are the same. `what` says
/// of what they are names, as `scalars`.
pub fn other_names(what: &str, stored: &Value, own: &Value) -> Option<String> {
    let names = |of: &Value| -> Vec<String> {
        let all = of.as_array().into_iter().flatten();
        all.map(|name| name.as_str().unwrap_or_default().to_owned()).collect()
    };
    let (stored, own) = (names(stored), names(own));
    if stored == own {
        return None;
    }
    let only = |these: &[String], those: &[String]| -> Vec<String> {
        let only = these.iter().filter(|name| !those.contains(name));
        only.map(|name| format!("`{name}`")).collect()
    };
    let (gone, new) = (only(&stored, &own), only(&own, &stored));
    let mut parts = Vec::new();
    if !gone.is_empty() {
        parts.push(format!("have {}, which the case does not have", gone.join(", ")));
    }
    if !new.is_empty() {
        parts.push(format!("lack {}", new.join(", ")));
    }
    if parts.is_empty() {
        return Some(format!("have the {what} in another order"));
    }
    Some(format!("have other {what}: they {}", parts.join(", and ")))
}
