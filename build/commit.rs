//! FR_LES_GIT: the commit that the program is built from, with a plus sign where the tree was changed since.

use std::path::{Path, PathBuf};
use std::process::Command;

/// Sets FR_LES_GIT, by git or, where that is not installed, from the files of the repository. Those do not say whether the tree
/// was changed: a question mark stands for that.
pub fn record() {
    let commit = by_git()
        .or_else(|| Some(by_files()? + "?"))
        .unwrap_or_else(|| "unknown".to_owned());
    println!("cargo:rustc-env=FR_LES_GIT={commit}");
}

fn git(args: &[&str]) -> Option<String> {
    let output = Command::new("git").args(args).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    output.status.success().then(|| text.trim().to_owned())
}

fn by_git() -> Option<String> {
    let commit = git(&["rev-parse", "--short=12", "HEAD"])?;
    // Asked for rather than taken to be in .git: in a worktree that is a file, and Cargo runs the script every time where a
    // path is not there.
    for path in ["HEAD", "index"]
        .into_iter()
        .filter_map(|name| git(&["rev-parse", "--git-path", name]))
    {
        println!("cargo:rerun-if-changed={path}");
    }
    let changed = git(&["status", "--porcelain", "--untracked-files=no"]).is_some_and(|s| !s.is_empty());
    Some(commit + if changed { "+" } else { "" })
}

/// Twelve digits of the commit, from HEAD and the file of its branch, or the list of packed branches.
fn by_files() -> Option<String> {
    let read = |path: PathBuf| std::fs::read_to_string(path).ok();
    let dot = Path::new(".git");
    let folder = match read(dot.to_path_buf()) {
        // A worktree: the file names its folder in the repository.
        Some(text) => PathBuf::from(text.strip_prefix("gitdir: ")?.trim()),
        None => dot.to_path_buf(),
    };
    let common = read(folder.join("commondir")).map_or(folder.clone(), |path| folder.join(path.trim()));
    println!("cargo:rerun-if-changed={}", folder.join("HEAD").display());
    let head = read(folder.join("HEAD"))?;
    let commit = match head.trim().strip_prefix("ref: ") {
        None => head.trim().to_owned(),
        Some(branch) => match read(common.join(branch)) {
            Some(text) => text.trim().to_owned(),
            None => {
                let packed = read(common.join("packed-refs"))?;
                let row = packed.lines().find(|line| line.ends_with(&format!(" {branch}")))?;
                row.split(' ').next()?.to_owned()
            }
        },
    };
    let digits = commit.len() >= 12 && commit.bytes().all(|b| b.is_ascii_hexdigit());
    digits.then(|| commit[..12].to_owned())
}
