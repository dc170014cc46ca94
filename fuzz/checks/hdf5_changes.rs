//! HDF5 files whose contents random bytes decide.
//!
//! Random bytes are hardly ever an HDF5 file beyond its first block, and a reader that is given them sees little but
//! files that do not open. Bytes are therefore also a list of changes to a valid file, made by the HDF5 library: other
//! values, types and shapes, sizes that no file holds, missing and linked objects, other attributes. Readers thus see
//! files that open and say what no writer would say.

use std::path::Path;

use hdf5::types::{FixedAscii, TypeDescriptor, VarLenAscii};
use hdf5::{Dataset, Extents, File, Group, H5Type, Location};

/// The first bytes of every HDF5 file.
const SIGNATURE: &[u8] = b"\x89HDF\r\n\x1a\n";
/// Number of bytes that describe a change.
pub const CHANGE: usize = 8;
/// Most changes of a file.
const MOST_CHANGES: usize = 6;
/// Most objects of a file that are changed.
const MOST_OBJECTS: usize = 250;
/// Depth of groups below which no object is changed. A link may lead back to a group above it.
const DEEPEST: usize = 8;
/// Most values that are written; a larger array has the fill value, which takes no space.
const MOST_VALUES: usize = 1 << 16;

/// Lengths of arrays.
const LENGTHS: [usize; 14] = [0, 1, 2, 3, 4, 5, 6, 8, 27, 1 << 16, 1 << 31, 1 << 36, 1 << 40, 1 << 60];
/// Real numbers.
const REALS: [f64; 14] = [
    0.0,
    -0.0,
    1.0,
    -1.0,
    0.5,
    1e-300,
    1e300,
    -1e300,
    1e-8,
    1e38,
    1e18,
    f64::NAN,
    f64::INFINITY,
    f64::NEG_INFINITY,
];
/// Whole numbers.
const INTEGERS: [i64; 14] = [
    0,
    1,
    -1,
    2,
    5,
    127,
    255,
    1 << 16,
    i32::MAX as i64,
    i32::MIN as i64,
    1 << 36,
    1 << 60,
    i64::MAX,
    i64::MIN,
];
/// Texts: types and labels of CGNS, names, and what a terminal or a path would take amiss.
const WORDS: [&str; 16] = [
    "",
    " ",
    "I4",
    "I8",
    "R4",
    "R8",
    "C1",
    "MT",
    "LK",
    "Zone_t",
    "Elements_t",
    "BC_t",
    "hex",
    "../../x",
    "\x1b[2J",
    "{}",
];

/// Writes a file. Bytes that begin as an HDF5 file does are the file. Of others the first one chooses one of the
/// `valid` files, and each [`CHANGE`] of the following ones is a change of it.
pub fn write(path: &Path, bytes: &[u8], valid: &[&[u8]]) {
    if bytes.starts_with(SIGNATURE) {
        return std::fs::write(path, bytes).expect("written");
    }
    let (&first, changes) = bytes.split_first().unwrap_or((&0, &[]));
    std::fs::write(path, valid[usize::from(first) % valid.len()]).expect("written");
    let file = File::open_rw(path).expect("a valid file");
    for &change in changes.as_chunks::<CHANGE>().0.iter().take(MOST_CHANGES) {
        // What HDF5 refuses, such as a chunk of 2^60 bytes, is no change.
        let _ = apply(&file, change);
    }
}

/// Makes one change.
fn apply(file: &File, [verb, low, high, a, b, c, d, e]: [u8; CHANGE]) -> hdf5::Result<()> {
    let mut objects = Objects::default();
    objects.add(file, "", 0);
    let Objects { groups, datasets } = objects;
    let choice = usize::from(low) + 256 * usize::from(high);
    let all: Vec<&String> = groups.iter().chain(&datasets).collect();
    let (Some(dataset), Some(object)) = (
        datasets.get(choice % datasets.len().max(1)),
        all.get(choice % all.len().max(1)),
    ) else {
        return Ok(());
    };
    match verb % 8 {
        0..=2 => set_value(&file.dataset(dataset)?, usize::from(a) + 256 * usize::from(b), [c, d]),
        3 => replace(file, dataset, a, [b, c, d, e]),
        4 => set_length(file, dataset, [a, b]),
        5 => file.unlink(object),
        6 => {
            let other = all[usize::from(a) % all.len()];
            file.unlink(object)?;
            match b % 4 {
                0 => file.link_soft(other, object),
                1 => file.link_external("none.h5", other, object),
                _ => file.link_hard(other, object),
            }
        }
        _ => match file.group(object) {
            Ok(group) => set_attribute(&group, a, [b, c, d]),
            Err(_) => set_attribute(&*file.dataset(object)?, a, [b, c, d]),
        },
    }
}

/// Paths of the objects of a file.
#[derive(Default)]
struct Objects {
    groups: Vec<String>,
    datasets: Vec<String>,
}

impl Objects {
    fn add(&mut self, group: &Group, path: &str, depth: usize) {
        self.groups.push(if path.is_empty() { "/" } else { path }.to_owned());
        let mut names = group.member_names().unwrap_or_default();
        names.sort();
        for name in names {
            if self.groups.len() + self.datasets.len() > MOST_OBJECTS || depth > DEEPEST {
                return;
            }
            let inner = format!("{path}/{name}");
            match group.group(&name) {
                Ok(group) => self.add(&group, &inner, depth + 1),
                Err(_) => self.datasets.push(inner),
            }
        }
    }
}

/// Returns one of the real numbers for an even choice, and a small multiple of 1/8 for an odd one.
fn real(choice: u8) -> f64 {
    match choice % 2 {
        0 => REALS[usize::from(choice / 2) % REALS.len()],
        _ => (f64::from(choice) - 128.0) / 8.0,
    }
}

/// Returns one of the whole numbers for an even choice, and a small one for an odd one.
fn integer(choice: u8) -> i64 {
    match choice % 2 {
        0 => INTEGERS[usize::from(choice / 2) % INTEGERS.len()],
        _ => i64::from(choice) - 128,
    }
}

/// Sets a value of a dataset of numbers.
fn set_value(dataset: &Dataset, at: usize, [choice, bit]: [u8; 2]) -> hdf5::Result<()> {
    match dataset.dtype()?.to_descriptor()? {
        TypeDescriptor::Float(_) => set(dataset, at, |x: f64| match bit % 2 {
            0 => real(choice),
            _ => f64::from_bits(x.to_bits() ^ (1 << (choice % 64))),
        }),
        TypeDescriptor::Integer(_) => set(dataset, at, |x: i64| match bit % 2 {
            0 => integer(choice),
            _ => x.wrapping_add(i64::from(choice) - 128),
        }),
        TypeDescriptor::Unsigned(_) => set(dataset, at, |x: u64| match bit % 2 {
            0 => integer(choice) as u64,
            _ => x.wrapping_add(u64::from(choice)),
        }),
        _ => Ok(()),
    }
}

fn set<T: H5Type + Copy>(dataset: &Dataset, at: usize, to: impl Fn(T) -> T) -> hdf5::Result<()> {
    if !(1..=MOST_VALUES).contains(&dataset.size()) {
        return Ok(());
    }
    let mut values = dataset.read_raw::<T>()?;
    let at = at % values.len();
    values[at] = to(values[at]);
    dataset.write_raw(&values)
}

/// Puts a dataset of another type and shape in the place of one, with its values as far as they go.
fn replace(file: &File, path: &str, kind: u8, [dimensions, x, y, z]: [u8; 4]) -> hdf5::Result<()> {
    let lengths = [x, y, z].map(|choice| LENGTHS[usize::from(choice) % LENGTHS.len()]);
    let shape = &lengths[..usize::from(dimensions % 4)];
    recreate(file, path, kind % 7, shape)
}

/// Changes the first length of a dataset.
fn set_length(file: &File, path: &str, [choice, kind]: [u8; 2]) -> hdf5::Result<()> {
    let dataset = file.dataset(path)?;
    let mut shape = dataset.shape();
    let Some(first) = shape.first_mut() else { return Ok(()) };
    *first = match choice.checked_sub(128) {
        None => LENGTHS[usize::from(choice) % LENGTHS.len()],
        Some(more) => (*first + usize::from(more)).saturating_sub(64),
    };
    let kind = match dataset.dtype()?.to_descriptor()? {
        TypeDescriptor::Float(_) => kind % 2,
        TypeDescriptor::Integer(_) | TypeDescriptor::Unsigned(_) => 2 + kind % 3,
        _ => 5,
    };
    recreate(file, path, kind, &shape)
}

fn recreate(file: &File, path: &str, kind: u8, shape: &[usize]) -> hdf5::Result<()> {
    let old = file.dataset(path)?;
    let (mut reals, mut integers) = (vec![1.0], vec![1]);
    if (1..=MOST_VALUES).contains(&old.size()) {
        reals = old.read_raw().unwrap_or(reals);
        integers = old.read_raw().unwrap_or(integers);
    }
    file.unlink(path)?;
    let real = |i: usize| -> f64 { reals[i % reals.len()] };
    let integer = |i: usize| -> i64 { integers[i % integers.len()] };
    match kind {
        0 => create(file, path, shape, real),
        1 => create(file, path, shape, |i| real(i) as f32),
        2 => create(file, path, shape, integer),
        3 => create(file, path, shape, |i| integer(i) as i32),
        4 => create(file, path, shape, |i| integer(i) as u8),
        5 => create(file, path, shape, |i| fixed::<16>(WORDS[i % WORDS.len()])),
        _ => create(file, path, shape, |i| variable(WORDS[i % WORDS.len()])),
    }
}

/// Creates a dataset. No dimensions are a scalar.
fn create<T: H5Type>(file: &File, path: &str, shape: &[usize], value: impl Fn(usize) -> T) -> hdf5::Result<()> {
    // No file has more values than a number of 64 bits counts.
    let Some(size) = shape.iter().try_fold(1_usize, |size, length| size.checked_mul(*length)) else {
        return Ok(());
    };
    let extents = match shape {
        [] => Extents::Scalar,
        _ => Extents::from(shape.to_vec()),
    };
    let builder = file.new_dataset::<T>().shape(extents);
    if size > MOST_VALUES {
        let chunk: Vec<usize> = shape.iter().map(|length| (*length).clamp(1, 16)).collect();
        return builder.chunk(chunk).create(path).map(drop);
    }
    let dataset = builder.create(path)?;
    match size {
        0 => Ok(()),
        _ => dataset.write_raw(&(0..size).map(value).collect::<Vec<T>>()),
    }
}

/// Removes an attribute, or puts another one in its place.
fn set_attribute(object: &Location, which: u8, [kind, choice, count]: [u8; 3]) -> hdf5::Result<()> {
    let names = object.attr_names()?;
    let Some(name) = names.get(usize::from(which) % names.len().max(1)) else {
        return Ok(());
    };
    object.delete_attr(name)?;
    let extents = match count % 3 {
        0 => Extents::Scalar,
        count => Extents::from(vec![usize::from(count)]),
    };
    let count = usize::from(count % 3).max(1);
    let word = WORDS[usize::from(choice) % WORDS.len()];
    match kind % 6 {
        0 => Ok(()),
        1 => put(object, name, extents, vec![real(choice); count]),
        2 => put(object, name, extents, vec![integer(choice); count]),
        3 => put(object, name, extents, vec![fixed::<33>(word); count]),
        4 => put(object, name, extents, vec![variable(word); count]),
        _ => put(object, name, extents, vec![integer(choice) as u64; count]),
    }
}

fn put<T: H5Type>(object: &Location, name: &str, extents: Extents, values: Vec<T>) -> hdf5::Result<()> {
    let attribute = object.new_attr::<T>().shape(extents).create(name)?;
    attribute.write_raw(&values)
}

fn fixed<const N: usize>(word: &str) -> FixedAscii<N> {
    FixedAscii::from_ascii(word).expect("a short word")
}

fn variable(word: &str) -> VarLenAscii {
    VarLenAscii::from_ascii(word).expect("a word without zeros")
}
