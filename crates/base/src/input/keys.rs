//! The macro that declares a group of keys.

/// Declares a group of keys: a struct that serde reads and the schema describes, and that refuses unknown keys. The
/// text after `as` describes the expected value if something else than a mapping is found.
#[macro_export]
macro_rules! keys {
    ($(#[$attribute:meta])* $name:ident as $expecting:literal { $($body:tt)* }) => {
        #[derive(Debug, Clone, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
        #[serde(rename_all = "kebab-case", deny_unknown_fields, expecting = $expecting)]
        $(#[$attribute])*
        pub struct $name { $($body)* }
    };
}
pub use keys;
