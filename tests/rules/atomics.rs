//! No kernel has floating-point atomics: the order of their adds changes from run to run, and with it the last bits of
//! a result.

use super::{files, text};

/// Marks of atomic operations in CUDA and in PTX.
const MARKS: [&str; 4] = ["atomic", "red.", "atom.", "__nv_atomic"];

/// Returns the lines of kernel text with atomic operations that are not those of whole numbers, which give the same sum
/// in every order and show their type on the line.
fn atomics(text: &str) -> Vec<&str> {
    let code = |line: &&str| !line.trim_start().starts_with("//");
    let marked = |line: &&str| MARKS.iter().any(|mark| line.contains(mark)) && line.contains('(');
    let whole = |line: &&str| line.contains("(int *)") || line.contains("long long *)");
    text.lines()
        .filter(code)
        .filter(marked)
        .filter(|line| !whole(line))
        .collect()
}

#[test]
fn no_kernel_has_floating_point_atomics() {
    assert_eq!(
        atomics("x\n    atomicAdd(sum, x);\n// atomicAdd(a, b)\natomicAdd((unsigned long long *)n, 1);").len(),
        1
    );
    for path in files(&["ptx"], &[".h", ".cu"]) {
        let text = text(&path);
        let found = atomics(&text);
        assert!(found.is_empty(), "{}: {found:?}", path.display());
    }
}
