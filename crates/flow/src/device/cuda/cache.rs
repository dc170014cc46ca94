//! A cache of compiled kernels on disk, so that only the first run of a configuration waits for the compiler.
//!
//! The name of an entry is a hash of everything on which its machine code depends. Many jobs may share the directory,
//! and some of them may be killed while they write. An entry is therefore written to a temporary file and renamed, and
//! its length and hash are checked when it is read. A failure of the cache costs time only and never ends a run.
//!
//! An entry is code that runs on the GPU with the memory of the run, and a hash protects against damage only. A cache
//! to which others can write is therefore not used.

use std::fs::{DirBuilder, File, Metadata};
use std::io::Read;
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};

use xxhash_rust::xxh3::{Xxh3, xxh3_128};

use super::architecture::Architecture;
use super::compiler::{Compiled, OPTIONS, Resources};
use super::source::Program;
use crate::io::{atomic_write_shared, open_regular};

/// First bytes of every entry; the number changes with the format.
const MAGIC: &[u8; 16] = b"fr-les kernels 1";
/// Bytes of the header: magic, key, length of the payload, hash of the payload.
const HEADER: usize = 16 + 16 + 8 + 16;

/// A hash of everything on which an entry depends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Key(u128);

impl Key {
    /// Returns the key of a program that a version of NVRTC (major, minor) compiles for an architecture. `driver` is
    /// the version of the driver that loads it, as the driver API gives it.
    pub fn new(program: &Program, architecture: &Architecture, nvrtc: (u32, u32), driver: i32) -> Self {
        let mut hash = Xxh3::new();
        let versions = format!("{} {} {} {driver}", env!("CARGO_PKG_VERSION"), nvrtc.0, nvrtc.1);
        for part in [program.text(), OPTIONS.join(" "), architecture.to_string(), versions] {
            // The length is hashed too, so that text moved from one part to the next changes the key.
            hash.update(&(part.len() as u64).to_le_bytes());
            hash.update(part.as_bytes());
        }
        Key(hash.digest128())
    }
}

/// A directory of compiled programs, or none if no directory can be used.
#[derive(Debug)]
pub struct Cache {
    directory: Option<PathBuf>,
}

impl Cache {
    /// Opens the cache of the user: FR_LES_CACHE, else fr-les in XDG_CACHE_HOME, else fr-les in ~/.cache.
    pub fn of_user() -> Self {
        let variable = |name| std::env::var_os(name).filter(|v| !v.is_empty()).map(PathBuf::from);
        let directory = variable("FR_LES_CACHE")
            .or_else(|| Some(variable("XDG_CACHE_HOME")?.join("fr-les")))
            .or_else(|| Some(variable("HOME")?.join(".cache/fr-les")));
        match directory {
            Some(directory) => Self::at(&directory),
            None => {
                tracing::warn!("compiled kernels are not cached: neither FR_LES_CACHE nor HOME is set");
                Cache { directory: None }
            }
        }
    }

    /// Opens the cache in this directory, which is created for this user alone if it does not exist.
    pub fn at(directory: &Path) -> Self {
        let usable = make(directory);
        if let Err(reason) = &usable {
            tracing::warn!("compiled kernels are not cached in {}: {reason}", directory.display());
        }
        Cache {
            directory: usable.is_ok().then(|| directory.to_path_buf()),
        }
    }

    /// Returns the entry of this key and `true`; or the result of `build`, which is stored, and `false`.
    ///
    /// # Errors
    /// Returns the error of `build`.
    pub fn load_or_build<E>(
        &self,
        key: Key,
        build: impl FnOnce() -> Result<Compiled, E>,
    ) -> Result<(Compiled, bool), E> {
        if let Some(compiled) = self.load(key) {
            return Ok((compiled, true));
        }
        let compiled = build()?;
        self.store(key, &compiled);
        Ok((compiled, false))
    }

    /// Returns the entry of this key, if it exists and is intact.
    pub fn load(&self, key: Key) -> Option<Compiled> {
        let path = self.path(key)?;
        let bytes = match read(&path) {
            Ok(bytes) => bytes,
            Err(e) => {
                if e.kind() != std::io::ErrorKind::NotFound {
                    tracing::debug!("kernel cache: cannot read {}: {e}", path.display());
                }
                return None;
            }
        };
        decode(&bytes, key)
            .inspect_err(|fault| tracing::debug!("kernel cache: {} is {fault}; building it again", path.display()))
            .ok()
    }

    /// Stores an entry. A failure, for instance on a full disk, is logged as a warning.
    pub fn store(&self, key: Key, compiled: &Compiled) {
        let Some(path) = self.path(key) else { return };
        if let Err(reason) = atomic_write_shared(&path, &encode(compiled, key)) {
            tracing::warn!("a compiled kernel is not cached: {reason}");
        }
    }

    fn path(&self, key: Key) -> Option<PathBuf> {
        Some(self.directory.as_ref()?.join(format!("{:032x}.kernels", key.0)))
    }
}

/// Creates the directory of a cache if it does not exist.
///
/// # Errors
/// It cannot be created, or others than this user can write to it.
fn make(directory: &Path) -> Result<(), String> {
    let mut folders = DirBuilder::new();
    let made = folders.recursive(true).mode(0o700).create(directory);
    let there = made.and_then(|()| std::fs::metadata(directory));
    refuse_foreign(&there.map_err(|error| error.to_string())?)
}

/// Reads an entry.
fn read(path: &Path) -> std::io::Result<Vec<u8>> {
    let mut file = open_regular(path, File::options().read(true))?;
    refuse_foreign(&file.metadata()?).map_err(std::io::Error::other)?;
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Refuses a file or directory to which others than this user can write.
fn refuse_foreign(there: &Metadata) -> Result<(), String> {
    let user = rustix::process::geteuid().as_raw();
    if there.uid() != user {
        return Err(format!(
            "it belongs to user {}, and this process runs as user {user}",
            there.uid()
        ));
    }
    match there.mode() & 0o022 {
        0 => Ok(()),
        _ => Err("other users can write to it; remove it, or end that with `chmod go-w`".to_owned()),
    }
}

fn encode(compiled: &Compiled, key: Key) -> Vec<u8> {
    let about = (&compiled.resources, &compiled.warnings, compiled.seconds);
    let about = serde_json::to_vec(&about).unwrap_or_default();
    let payload = [&(about.len() as u64).to_le_bytes(), about.as_slice(), &compiled.image].concat();
    let length = (payload.len() as u64).to_le_bytes();
    let hash = xxh3_128(&payload).to_le_bytes();
    [MAGIC.as_slice(), &key.0.to_le_bytes(), &length, &hash, &payload].concat()
}

fn decode(bytes: &[u8], key: Key) -> Result<Compiled, &'static str> {
    let (header, payload) = bytes.split_at_checked(HEADER).ok_or("too short")?;
    let field = |from: usize, to: usize| &header[from..to];
    if field(0, 16) != MAGIC {
        return Err("in another format");
    }
    if field(16, 32) != key.0.to_le_bytes() {
        return Err("the entry of another key");
    }
    if field(32, 40) != (payload.len() as u64).to_le_bytes() {
        return Err("truncated or too long");
    }
    if field(40, 56) != xxh3_128(payload).to_le_bytes() {
        return Err("damaged");
    }
    let (length, rest) = payload.split_first_chunk().ok_or("empty")?;
    let (about, image) = usize::try_from(u64::from_le_bytes(*length))
        .ok()
        .and_then(|length| rest.split_at_checked(length))
        .ok_or("inconsistent")?;
    let (resources, warnings, seconds): (Vec<Resources>, String, f64) =
        serde_json::from_slice(about).map_err(|_| "inconsistent")?;
    Ok(Compiled {
        image: image.to_vec(),
        resources,
        warnings,
        seconds,
    })
}

#[cfg(test)]
mod tests {
    use std::fs::Permissions;
    use std::os::unix::fs::PermissionsExt;

    use super::super::programs::Constants;
    use super::super::variant::Variant;
    use super::*;

    fn example(byte: u8) -> Compiled {
        let kernel = Resources {
            kernel: "sweep2".to_owned(),
            registers: 128,
            ..Resources::default()
        };
        Compiled {
            image: vec![byte; 100_000],
            resources: vec![kernel],
            warnings: "none".to_owned(),
            seconds: 0.1,
        }
    }

    fn key(driver: i32) -> Key {
        Key::new(&program(4, false), &"sm_90".parse().unwrap(), (13, 0), driver)
    }

    fn program(order: usize, frozen: bool) -> Program {
        let variant = Variant {
            kind: crate::element::ElementKind::Hex,
            order,
            double: true,
            fast: false,
            curved: false,
            corrects_entropy: false,
        };
        let constants = frozen.then(|| Constants::typical(&variant));
        variant.programs(constants.as_ref()).remove(0)
    }

    #[test]
    fn keys_follow_everything() {
        let key = |order, frozen, architecture: &str, nvrtc, driver| {
            Key::new(&program(order, frozen), &architecture.parse().unwrap(), nvrtc, driver).0
        };
        let mut keys = vec![
            key(4, false, "sm_90", (13, 0), 13000),
            key(3, false, "sm_90", (13, 0), 13000),
            key(4, true, "sm_90", (13, 0), 13000),
            key(4, false, "sm_80", (13, 0), 13000),
            key(4, false, "sm_90", (13, 1), 13000),
            key(4, false, "sm_90", (13, 0), 13010),
        ];
        assert_eq!(keys[0], key(4, false, "sm_90", (13, 0), 13000));
        keys.sort_unstable();
        keys.dedup();
        assert_eq!(keys.len(), 6);
    }

    #[test]
    fn what_was_stored_is_loaded() {
        let directory = tempfile::tempdir().unwrap();
        let cache = Cache::at(&directory.path().join("deep/inside"));
        assert_eq!(cache.load(key(1)), None);
        let built = |byte| move || Ok::<_, ()>(example(byte));
        assert_eq!(cache.load_or_build(key(1), built(1)), Ok((example(1), false)));
        assert_eq!(cache.load_or_build(key(1), built(2)), Ok((example(1), true)));
        assert_eq!(cache.load(key(2)), None);
        assert_eq!(cache.load_or_build(key(2), || Err("no")), Err("no"));
    }

    #[test]
    fn damaged_entries_are_built_again() {
        let directory = tempfile::tempdir().unwrap();
        let cache = Cache::at(directory.path());
        cache.store(key(1), &example(1));
        let path = cache.path(key(1)).unwrap();
        let whole = std::fs::read(&path).unwrap();
        // Every byte of the header, and some of the payload.
        for at in (0..HEADER + 200).chain([whole.len() / 2, whole.len() - 1]) {
            let mut flipped = whole.clone();
            flipped[at] ^= 0x10;
            std::fs::write(&path, flipped).unwrap();
            assert_eq!(cache.load(key(1)), None, "byte {at}");
        }
        for length in [0, 10, HEADER - 1, HEADER, HEADER + 5, whole.len() - 1] {
            std::fs::write(&path, &whole[..length]).unwrap();
            assert_eq!(cache.load(key(1)), None, "{length} bytes");
        }
        std::fs::write(&path, [whole.as_slice(), b"more"].concat()).unwrap();
        assert_eq!(cache.load(key(1)), None);
        std::fs::write(cache.path(key(2)).unwrap(), &whole).unwrap();
        assert_eq!(cache.load(key(2)), None, "the entry of another key");
        let rebuilt = cache.load_or_build(key(2), || Ok::<_, ()>(example(2)));
        assert_eq!(rebuilt, Ok((example(2), false)));
        assert_eq!(cache.load(key(2)), Some(example(2)));
    }

    #[test]
    fn a_cache_to_which_others_can_write_is_not_used() {
        let directory = tempfile::tempdir().unwrap();
        let mode = |path: &Path, mode| std::fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
        let at = directory.path().join("cache");
        let cache = Cache::at(&at);
        assert_eq!(std::fs::metadata(&at).unwrap().mode() & 0o777, 0o700);
        cache.store(key(1), &example(1));
        assert_eq!(cache.load(key(1)), Some(example(1)));

        let path = cache.path(key(1)).unwrap();
        mode(&path, 0o620);
        assert_eq!(cache.load(key(1)), None, "an entry to which the group can write");
        mode(&path, 0o600);
        let elsewhere = directory.path().join("entry");
        std::fs::rename(&path, &elsewhere).unwrap();
        std::os::unix::fs::symlink(&elsewhere, &path).unwrap();
        assert_eq!(cache.load(key(1)), None, "a link");

        for writable in [0o770, 0o702] {
            mode(&at, writable);
            let cache = Cache::at(&at);
            cache.store(key(2), &example(2));
            assert_eq!(cache.load(key(2)), None, "{writable:o}");
        }
        // No user but root can give a directory away.
        mode(&at, 0o700);
        if rustix::process::geteuid().is_root() {
            std::os::unix::fs::chown(&at, Some(12345), None).unwrap();
            assert!(Cache::at(&at).directory.is_none());
        }
    }

    #[test]
    fn writers_at_the_same_time_leave_one_whole_entry() {
        let directory = tempfile::tempdir().unwrap();
        let cache = Cache::at(directory.path());
        let writers: u8 = 4;
        std::thread::scope(|scope| {
            for writer in 1..=writers {
                let cache = &cache;
                scope.spawn(move || {
                    for _ in 0..5 {
                        cache.store(key(1), &example(writer));
                        assert!(cache.load(key(1)).is_some(), "never anything but a whole entry");
                    }
                });
            }
        });
        let left = cache.load(key(1)).unwrap();
        assert!((1..=writers).any(|writer| left == example(writer)));
        assert_eq!(
            std::fs::read_dir(directory.path()).unwrap().count(),
            1,
            "no temporary files"
        );
    }

    #[test]
    fn without_a_directory_there_is_no_cache_and_no_failure() {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("file");
        std::fs::write(&file, "in the way").unwrap();
        let cache = Cache::at(&file);
        cache.store(key(1), &example(1));
        assert_eq!(cache.load(key(1)), None);
        assert_eq!(
            cache.load_or_build(key(1), || Ok::<_, ()>(example(1))),
            Ok((example(1), false))
        );
    }
}
