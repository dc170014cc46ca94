//! The build script of the program. It sets FR_LES_GIT: the commit from which the program is built, followed by a plus
//! sign if files have been changed since. The program writes it to its outputs, so that a result can be traced to its
//! source.

use std::path::{Path, PathBuf};
use std::process::Command;

fn main() {
    // All sources of a build, so that the plus sign of the commit appears as soon as one of them has been changed. Only
    // the program is compiled again for it.
    for path in ["build.rs", "crates", "ptx", "src", "Cargo.toml", "Cargo.lock"] {
        println!("cargo:rerun-if-changed={path}");
    }
    record();
}

/// Sets FR_LES_GIT, from git or, where git is not installed, from the files of the repository. These files do not show
/// whether the tree has been changed; a question mark stands for that.
fn record() {
    let commit = by_git()
        .or_else(|| Some(by_files()? + "?"))
        .unwrap_or_else(|| "unknown".to_owned());
    println!("cargo:rustc-env=FR_LES_GIT={commit}");
}

/// Returns the output of a git command, or `None` if git is missing or fails.
fn git(args: &[&str]) -> Option<String> {
    let output = Command::new("git").args(args).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    output.status.success().then(|| text.trim().to_owned())
}

/// Returns the commit and its plus sign from git.
fn by_git() -> Option<String> {
    let commit = git(&["rev-parse", "--short=12", "HEAD"])?;
    // git knows where these files are: in a worktree .git is a file, and Cargo would run the script on every build if
    // one of the paths did not exist.
    for path in ["HEAD", "index"]
        .into_iter()
        .filter_map(|name| git(&["rev-parse", "--git-path", name]))
    {
        println!("cargo:rerun-if-changed={path}");
    }
    let changed = git(&["status", "--porcelain", "--untracked-files=no"]).is_some_and(|s| !s.is_empty());
    Some(commit + if changed { "+" } else { "" })
}

/// Returns twelve digits of the commit, from HEAD and the file of its branch or the list of packed branches.
fn by_files() -> Option<String> {
    let read = |path: PathBuf| std::fs::read_to_string(path).ok();
    let dot = Path::new(".git");
    let folder = match read(dot.to_path_buf()) {
        // In a worktree, .git is a file with the path of its folder in the repository.
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
