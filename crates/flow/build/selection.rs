//! Which kernels are compiled for the CPU. Without FR_LES_KERNELS all are: every kind of cell, order, precision and set
//! of vector instructions, 106 files. The variable has words, in any order:
//!
//!   hex, hex:3, hex:2-4, hex:2,4     kinds of cells, with their orders
//!   all:2                            all kinds, of these orders
//!   hex:4-5:double                   the same in one precision
//!   double, single                   precisions
//!   avx2, avx512, generic, native    sets of vector instructions; native is the widest that this machine has
//!
//! What no word speaks of is compiled in full: `hex:3 double native` is one file. The kernels of the steady
//! solver belong to no kind of cell and are compiled for the chosen sets.

use crate::element::ElementKind;

/// The name of the variable.
const VARIABLE: &str = "FR_LES_KERNELS";

/// The choice of kernels.
pub struct Selection {
    /// Kinds with their orders; empty for all.
    kinds: Vec<Wanted>,
    /// Names of precisions; empty for all.
    precisions: Vec<String>,
    /// Names of vector sets; empty for all.
    sets: Vec<String>,
}

/// Kernels of one kind of cell.
struct Wanted {
    kind: ElementKind,
    orders: Vec<usize>,
    /// Name of the precision, if the word has one.
    precision: Option<String>,
}

impl Selection {
    /// Reads FR_LES_KERNELS.
    pub fn of_environment() -> Self {
        println!("cargo:rerun-if-env-changed={VARIABLE}");
        let mut selection = Selection {
            kinds: Vec::new(),
            precisions: Vec::new(),
            sets: Vec::new(),
        };
        for word in std::env::var(VARIABLE).unwrap_or_default().split_whitespace() {
            match word {
                "double" | "single" => selection.precisions.push(word.to_owned()),
                "avx2" | "avx512" | "generic" => selection.sets.push(word.to_owned()),
                "native" => selection.sets.push(native().to_owned()),
                _ => selection.add_kinds(word),
            }
        }
        selection
    }

    /// Adds a word for kinds of cells.
    fn add_kinds(&mut self, word: &str) {
        let mut parts = word.split(':');
        let name = parts.next().unwrap_or_default();
        let orders = parts.next().unwrap_or("1-9");
        let precision = parts.next().map(str::to_owned);
        let known = precision
            .as_deref()
            .is_none_or(|name| matches!(name, "double" | "single"));
        let kinds: Vec<ElementKind> = ElementKind::ALL
            .into_iter()
            .filter(|kind| name == "all" || kind.name() == name)
            .collect();
        let orders: Option<Vec<Vec<usize>>> = orders.split(',').map(range).collect();
        match orders {
            Some(orders) if known && !kinds.is_empty() => {
                let orders = orders.concat();
                self.kinds.extend(kinds.into_iter().map(|kind| Wanted {
                    kind,
                    orders: orders.clone(),
                    precision: precision.clone(),
                }));
            }
            _ => panic!(
                "{VARIABLE}: `{word}` is none of hex, prism, tet, pyramid or all, perhaps with orders and a precision \
                 as in hex:2-4:double, nor double, single, avx2, avx512, generic or native"
            ),
        }
    }

    /// Whether cells of a kind and order are wanted in a precision, which its bytes tell.
    pub fn has(&self, kind: ElementKind, order: usize, bytes: usize) -> bool {
        let name = if bytes == 8 { "double" } else { "single" };
        let wanted = |of: &Wanted| {
            let precision = of.precision.as_deref().is_none_or(|precision| precision == name);
            of.kind == kind && of.orders.contains(&order) && precision
        };
        let precision = self.precisions.is_empty() || self.precisions.iter().any(|wanted| wanted == name);
        precision && (self.kinds.is_empty() || self.kinds.iter().any(wanted))
    }

    /// Whether a vector set is wanted.
    pub fn has_set(&self, name: &str) -> bool {
        self.sets.is_empty() || self.sets.iter().any(|wanted| wanted == name)
    }
}

/// Reads `3` or `2-4`.
fn range(text: &str) -> Option<Vec<usize>> {
    let (first, last) = text.split_once('-').unwrap_or((text, text));
    Some((first.parse().ok()?..=last.parse().ok()?).collect())
}

/// The widest vector set of this machine.
fn native() -> &'static str {
    #[cfg(target_arch = "x86_64")]
    {
        let wide = is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512dq")
            && is_x86_feature_detected!("avx512bw")
            && is_x86_feature_detected!("avx512vl")
            && is_x86_feature_detected!("avx512cd");
        if wide { "avx512" } else { "avx2" }
    }
    #[cfg(not(target_arch = "x86_64"))]
    "generic"
}
