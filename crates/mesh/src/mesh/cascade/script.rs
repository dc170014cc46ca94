//! The input of Gmsh: the regions that are left to it, and the sizes of the cells.

use std::fmt::Write;

use super::outline::Region;
use super::plane::Point;
use super::sizes::Grid;

/// Name of the file of sizes, beside the script.
pub(super) const SIZES: &str = "sizes.txt";

/// Returns the script that fills the regions. Every boundary edge is one side of a cell; the script has all digits of
/// the positions, so that Gmsh's nodes can be found again by them.
pub(super) fn script(positions: &[Point], regions: &[Region], quads: bool) -> String {
    let mut text = String::from("// The section of a cascade without the cells that fr-les makes itself.\n");
    let mut number = vec![0; positions.len()];
    let (mut points, mut lines) = (0, 0);
    let mut surfaces = Vec::new();
    let mut loops = 0;
    for region in regions {
        let mut of_region = Vec::new();
        for vertices in [&region.outside, &region.hole].into_iter().filter(|v| !v.is_empty()) {
            for &vertex in vertices {
                let v = vertex as usize;
                if number[v] == 0 {
                    points += 1;
                    number[v] = points;
                    let _ = writeln!(
                        text,
                        "Point({points}) = {{{:?}, {:?}, 0}};",
                        positions[v][0], positions[v][1]
                    );
                }
            }
            let first = lines + 1;
            for (i, &a) in vertices.iter().enumerate() {
                let b = vertices[(i + 1) % vertices.len()];
                lines += 1;
                let _ = writeln!(
                    text,
                    "Line({lines}) = {{{}, {}}};",
                    number[a as usize], number[b as usize]
                );
            }
            loops += 1;
            let _ = writeln!(text, "Curve Loop({loops}) = {{{first}:{lines}}};");
            of_region.push(loops.to_string());
        }
        surfaces.push(surfaces.len() + 1);
        let _ = writeln!(
            text,
            "Plane Surface({}) = {{{}}};",
            surfaces.len(),
            of_region.join(", ")
        );
    }
    let _ = writeln!(text, "Transfinite Curve {{1:{lines}}} = 2;");
    if quads {
        // Worse pairs of triangles, some of them with three vertices on a line, stay triangles.
        let _ = writeln!(text, "Recombine Surface {{1:{}}};", surfaces.len());
        let _ = writeln!(text, "Mesh.RecombineMinimumQuality = 0.3;");
    }
    let _ = write!(
        text,
        "Field[1] = Structured;\n\
         Field[1].FileName = \"{SIZES}\";\n\
         Field[1].TextFormat = 1;\n\
         Background Field = 1;\n\
         Mesh.MeshSizeFromPoints = 0;\n\
         Mesh.MeshSizeFromCurvature = 0;\n\
         Mesh.MeshSizeExtendFromBoundary = 0;\n\
         Mesh.Algorithm = {};\n\
         Mesh.Smoothing = 10;\n\
         Mesh.SaveAll = 1;\n\
         Mesh.MshFileVersion = 4.1;\n\
         Mesh.Binary = 1;\n",
        // Frontal-Delaunay, for triangles or for quadrilaterals.
        if quads { 8 } else { 6 }
    );
    text
}

/// Returns the file of sizes: origin, steps and numbers of points, then the sizes, z fastest. Two equal layers in z
/// make the grid of Gmsh's three-dimensional field.
pub(super) fn sizes(grid: &Grid) -> String {
    let Grid {
        origin: [x, y],
        step,
        points: [nx, ny],
        values,
    } = grid;
    let mut text = format!("{x:?} {y:?} -1\n{step:?} {step:?} 2\n{nx} {ny} 2\n");
    for value in values {
        let _ = writeln!(text, "{value:e} {value:e}");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_script_has_every_vertex_once_and_all_digits() {
        let positions = [[0.0, 0.0], [1.0 / 3.0, 0.0], [0.25, 1e-7], [9.0, 9.0]];
        let region = Region {
            outside: vec![0, 1, 2],
            hole: Vec::new(),
        };
        let text = script(&positions, &[region], true);
        for line in [
            "Point(2) = {0.3333333333333333, 0.0, 0};",
            "Point(3) = {0.25, 1e-7, 0};",
            "Line(3) = {3, 1};",
            "Curve Loop(1) = {1:3};",
            "Plane Surface(1) = {1};",
            "Recombine Surface {1:1};",
        ] {
            assert!(text.contains(line), "{text}");
        }
        assert!(!text.contains("Point(4)"));
    }
}
