//! Reading meshes in the native text format of SU2, of two or three dimensions.
//!
//! Keywords with `=` begin the sections: `NDIME`, `NELEM` with the cells, `NPOIN` with the coordinates, and for each of
//! `NMARK` boundaries `MARKER_TAG` and `MARKER_ELEMS` with its elements. An element is the number of its type in VTK,
//! its vertices counted from 0, and perhaps its own number. Lines may end in comments after `%`. Source: SU2
//! documentation, Mesh File. Cells are straight.

use std::collections::HashMap;
use std::path::Path;

use super::cells::FaceVertices;
use super::error::{FilePosition, MeshError};
use super::plane_mesh::{PlaneCell, PlaneMesh, add_boundary};
use super::unconnected::UnconnectedMesh;
use crate::element::{ElementKind, FaceShape};

/// A mesh of either dimension.
#[derive(Debug)]
pub enum Su2Mesh {
    /// A mesh of triangles and quadrilaterals.
    Plane(PlaneMesh),
    /// A mesh of cells.
    Space(UnconnectedMesh),
}

/// Returns true if the beginning of a file is that of a mesh of SU2: its first line, comments apart, has a keyword.
pub fn is_su2(start: &[u8]) -> bool {
    let text = String::from_utf8_lossy(start);
    let mut lines = text.lines().map(content).filter(|line| !line.is_empty());
    let keyword = |line: &str| Some(line.split_once('=')?.0.trim_end().to_owned());
    lines
        .next()
        .and_then(keyword)
        .is_some_and(|word| ["NDIME", "NELEM", "NPOIN", "NMARK", "NZONE"].contains(&word.as_str()))
}

/// The part of a line before a comment.
fn content(line: &str) -> &str {
    line.split('%').next().unwrap_or("").trim()
}

/// An element and the line on which it stands.
struct Element {
    line: usize,
    kind: Kind,
    nodes: Vec<u32>,
}

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Point,
    Line,
    Face(FaceShape),
    Cell(ElementKind),
}

impl Kind {
    /// The kind with a number of VTK.
    fn of(number: u32) -> Option<Self> {
        Some(match number {
            1 => Kind::Point,
            3 => Kind::Line,
            5 => Kind::Face(FaceShape::Triangle),
            9 => Kind::Face(FaceShape::Quad),
            10 => Kind::Cell(ElementKind::Tet),
            12 => Kind::Cell(ElementKind::Hex),
            13 => Kind::Cell(ElementKind::Prism),
            14 => Kind::Cell(ElementKind::Pyramid),
            _ => return None,
        })
    }

    fn name(self) -> &'static str {
        match self {
            Kind::Point => "point",
            Kind::Line => "line",
            Kind::Face(FaceShape::Triangle) => "triangle",
            Kind::Face(FaceShape::Quad) => "quadrilateral",
            Kind::Cell(kind) => kind.noun(),
        }
    }

    fn vertices(self) -> usize {
        match self {
            Kind::Point => 1,
            Kind::Line => 2,
            Kind::Face(shape) => shape.vertices(),
            Kind::Cell(kind) => kind.vertices(),
        }
    }

    fn dimension(self) -> usize {
        match self {
            Kind::Point => 0,
            Kind::Line => 1,
            Kind::Face(_) => 2,
            Kind::Cell(_) => 3,
        }
    }
}

/// The lines of the file that are being read.
struct Lines<'a> {
    file: &'a Path,
    rest: std::iter::Peekable<std::iter::Enumerate<std::str::Lines<'a>>>,
    /// Number of the line last read, from 1.
    number: usize,
}

impl<'a> Lines<'a> {
    /// Returns the next line that is not empty.
    fn next(&mut self) -> Option<&'a str> {
        let (i, line) = self.rest.by_ref().find(|(_, line)| !content(line).is_empty())?;
        self.number = i + 1;
        Some(content(line))
    }

    fn refused<T>(&self, detail: impl Into<String>) -> Result<T, MeshError> {
        Err(error(self.file, self.number, detail))
    }

    /// Returns the next line, which must not be a keyword.
    fn data(&mut self, what: &str) -> Result<&'a str, MeshError> {
        match self.next() {
            Some(line) if !line.contains('=') => Ok(line),
            Some(line) => self.refused(format!("expected {what}, found `{line}`")),
            None => self.refused(format!("the file ends where {what} should be")),
        }
    }

    /// Reads the elements of a section.
    fn elements(&mut self, count: usize) -> Result<Vec<Element>, MeshError> {
        let mut elements = Vec::new();
        for _ in 0..count {
            let line = self.data("an element")?;
            let number = |word: &str| word.parse::<u32>().ok();
            let numbers: Option<Vec<u32>> = line.split_whitespace().map(number).collect();
            let Some((&first, nodes)) = numbers.as_ref().and_then(|all| all.split_first()) else {
                return self.refused(format!(
                    "expected the type and the vertices of an element, found `{line}`"
                ));
            };
            let Some(kind) = Kind::of(first) else {
                return self.refused(unsupported(first));
            };
            if nodes.len() < kind.vertices() {
                return self.refused(format!("an element of type {first} has {} vertices", kind.vertices()));
            }
            elements.push(Element {
                line: self.number,
                kind,
                nodes: nodes[..kind.vertices()].to_vec(),
            });
        }
        Ok(elements)
    }

    /// Reads the coordinates of the points.
    fn points(&mut self, count: usize, dimension: usize) -> Result<Vec<[f64; 3]>, MeshError> {
        let mut points = Vec::new();
        for _ in 0..count {
            let line = self.data("a point")?;
            let mut words = line.split_whitespace();
            let mut at = [0.0; 3];
            for x in at.iter_mut().take(dimension) {
                match words.next().and_then(|word| word.parse::<f64>().ok()) {
                    Some(value) if value.is_finite() => *x = value,
                    _ => return self.refused(format!("expected {dimension} coordinates, found `{line}`")),
                }
            }
            points.push(at);
        }
        Ok(points)
    }
}

/// The reason why a type of elements is refused.
fn unsupported(number: u32) -> String {
    // SU2's finite-element solver adds 100 (order - 1), and 10000 (order + 1) for another order of the solution.
    let (order, straight) = (number % 10_000 / 100 + 1, number % 100);
    if let Some(kind) = Kind::of(straight).filter(|_| number >= 100) {
        return format!(
            "type {number} is a {} of geometric order {order}, for the finite-element solver of SU2: straight elements \
             are read (type {straight}); curved meshes are read from Gmsh, CGNS and HOPR",
            kind.name()
        );
    }
    format!(
        "type {number} is not supported: elements are of VTK's types 3 (line), 5 (triangle), 9 (quadrilateral), 10 \
         (tetrahedron), 12 (hexahedron), 13 (prism) or 14 (pyramid)"
    )
}

fn error(file: &Path, line: usize, detail: impl Into<String>) -> MeshError {
    MeshError::Content {
        file: file.to_path_buf(),
        place: FilePosition::Line(line),
        detail: detail.into(),
    }
}

/// Reads a mesh; `file` is used in messages only.
///
/// # Errors
/// Returns an error with the line if the bytes are not a valid mesh of SU2 or have content that is not supported.
pub fn parse(file: &Path, bytes: &[u8]) -> Result<Su2Mesh, MeshError> {
    let text = String::from_utf8_lossy(bytes);
    let mut lines = Lines {
        file,
        rest: text.lines().enumerate().peekable(),
        number: 1,
    };
    let mut dimension = None;
    let (mut cells, mut points) = (None, None);
    // Names of markers, the lines on which they stand, and their elements.
    let mut markers: Vec<(String, usize, Option<Vec<Element>>)> = Vec::new();
    let mut marker_count = None;
    // The keyword of a section that has been read to the end, with its number of lines.
    let mut complete = None;
    while let Some(line) = lines.next() {
        let Some((keyword, value)) = line.split_once('=') else {
            match complete {
                Some((keyword, count)) => {
                    return lines.refused(format!("{keyword} is {count}, but more lines follow"));
                }
                // Data of a section that is not used.
                None => continue,
            }
        };
        let (keyword, value) = (keyword.trim(), value.trim());
        complete = None;
        let number = || {
            let word = value.split_whitespace().next();
            let number = word.and_then(|word| word.parse::<usize>().ok());
            number.ok_or_else(|| error(file, lines.number, format!("expected a number after {keyword}=")))
        };
        match keyword {
            "NZONE" if number()? > 1 => {
                return lines.refused(format!("the file has {value} zones; a file of one zone is read"));
            }
            "NDIME" => match number()? {
                found @ (2 | 3) => dimension = Some(found),
                found => return lines.refused(format!("NDIME is {found}: it must be 2 or 3")),
            },
            "NELEM" => {
                let count = number()?;
                cells = Some(lines.elements(count)?);
                complete = Some((keyword, count));
            }
            "NPOIN" => {
                let count = number()?;
                let Some(dimension) = dimension else {
                    return lines.refused("NDIME is missing: it must come before NPOIN");
                };
                points = Some(lines.points(count, dimension)?);
                complete = Some((keyword, count));
            }
            "NMARK" => marker_count = Some(number()?),
            "MARKER_TAG" if value == "SEND_RECEIVE" => {
                return lines.refused(
                    "the mesh has copies of cells on other ranks or across periodic boundaries (MARKER_TAG= \
                     SEND_RECEIVE), as SU2 before version 7 wrote them: give the mesh as it was before it was divided \
                     or made periodic, and join its boundaries with `--periodic`",
                );
            }
            "MARKER_TAG" => markers.push((value.to_owned(), lines.number, None)),
            "MARKER_ELEMS" => {
                let Some((_, _, list)) = markers.last_mut() else {
                    return lines.refused("MARKER_TAG is missing: it must come before MARKER_ELEMS");
                };
                let count = number()?;
                list.get_or_insert_default().extend(lines.elements(count)?);
                complete = Some((keyword, count));
            }
            _ => {}
        }
    }
    if let Some(count) = marker_count.filter(|&count| count != markers.len()) {
        return lines.refused(format!("NMARK is {count}, but the file has {} markers", markers.len()));
    }
    let mut boundaries = Vec::new();
    for (name, line, elements) in markers {
        let Some(elements) = elements else {
            return Err(error(file, line, format!("the marker `{name}` has no MARKER_ELEMS")));
        };
        boundaries.push((name, elements));
    }
    let missing = |section: &str| error(file, lines.number, format!("the section {section} is missing"));
    let content = Contents {
        file,
        dimension: dimension.ok_or_else(|| missing("NDIME"))?,
        cells: cells.ok_or_else(|| missing("NELEM"))?,
        points: points.ok_or_else(|| missing("NPOIN"))?,
        markers: boundaries,
    };
    content.mesh()
}

/// The sections of a file.
struct Contents<'a> {
    file: &'a Path,
    dimension: usize,
    cells: Vec<Element>,
    points: Vec<[f64; 3]>,
    markers: Vec<(String, Vec<Element>)>,
}

impl Contents<'_> {
    fn mesh(self) -> Result<Su2Mesh, MeshError> {
        self.check()?;
        let mut raw = UnconnectedMesh {
            file: self.file.to_path_buf(),
            node_tags: (0..self.points.len() as u64).collect(),
            positions: self.points,
            group_names: HashMap::new(),
            ..UnconnectedMesh::default()
        };
        let (mut plane, mut edges) = (Vec::new(), Vec::new());
        for (tag, cell) in self.cells.iter().enumerate() {
            let tag = tag as u64;
            match cell.kind {
                Kind::Cell(kind) => raw.push_cell(kind, 1, tag, &in_lattice(kind, &cell.nodes)),
                Kind::Face(shape) => {
                    let mut nodes = cell.nodes.clone();
                    if shape == FaceShape::Quad {
                        nodes.swap(2, 3);
                    }
                    plane.push(PlaneCell {
                        shape,
                        order: 1,
                        tag,
                        nodes,
                    });
                }
                Kind::Point | Kind::Line => {}
            }
        }
        for (name, elements) in &self.markers {
            let surface = add_boundary(&mut raw, name);
            for element in elements {
                match element.kind {
                    Kind::Face(_) => raw.patches.push((FaceVertices::new(&element.nodes).key(), surface)),
                    Kind::Line => edges.push(([element.nodes[0], element.nodes[1]], surface)),
                    Kind::Point | Kind::Cell(_) => {}
                }
            }
        }
        Ok(match self.dimension {
            2 => Su2Mesh::Plane(PlaneMesh {
                base: raw,
                cells: plane,
                edges,
            }),
            _ => Su2Mesh::Space(raw),
        })
    }

    /// Checks that vertices exist, and that elements have the dimension of the mesh or of its boundary.
    fn check(&self) -> Result<(), MeshError> {
        if u32::try_from(self.points.len()).is_err() {
            let detail = format!("{} points: at most {} are supported", self.points.len(), u32::MAX);
            return Err(error(self.file, 1, detail));
        }
        let boundary = self.markers.iter().flat_map(|(_, elements)| elements);
        let cells = self.cells.iter().map(|element| (element, self.dimension));
        for (element, dimension) in cells.chain(boundary.map(|element| (element, self.dimension - 1))) {
            let refused = |detail: String| Err(error(self.file, element.line, detail));
            if let Some(node) = element.nodes.iter().find(|node| **node as usize >= self.points.len()) {
                return refused(format!(
                    "an element has the vertex {node}, but there are {} points, counted from 0",
                    self.points.len()
                ));
            }
            if element.kind != Kind::Point && element.kind.dimension() != dimension {
                return refused(format!(
                    "an element has {} dimensions instead of {dimension}: the mesh has NDIME= {}",
                    element.kind.dimension(),
                    self.dimension
                ));
            }
        }
        Ok(())
    }
}

/// The vertices of a straight cell in the order of its lattice, from that of VTK.
fn in_lattice(kind: ElementKind, vertices: &[u32]) -> Vec<u32> {
    let mut nodes = vec![0; vertices.len()];
    for (at, vertex) in kind.lattice_vertices(1).into_iter().zip(vertices) {
        nodes[kind.index(at, 1)] = *vertex;
    }
    nodes
}
