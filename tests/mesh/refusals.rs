//! Meshes and arguments of `fr-les mesh` that are refused, and cases that do not fit their mesh.

use std::process::Command;

use crate::common::meshes::{case_on, data, one_hex};
use crate::common::program::{folder, names, outcome, refuses, succeeds, write};

#[test]
fn a_case_and_a_mesh_that_do_not_fit_are_refused_by_name() {
    let folder = folder();
    let path = data("mixed2_v41_text.msh").display().to_string();
    succeeds(&folder, &["mesh", "import", &path, "m.h5"]);
    write(
        &folder,
        "run.yaml",
        case_on("{file: m.h5}", &["bottom"], &["skin"]).as_bytes(),
    );
    for (set, parts) in [
        (
            "boundaries.skn={type: slip}",
            &["no boundary `skn`", "bottom, skin", "--set boundaries.skn"][..],
        ),
        (
            "boundaries={skin: {type: slip}}",
            &["`bottom`", "2 faces", "no boundary condition", "(boundaries.bottom)"],
        ),
        ("mesh={file: absent.h5}", &["absent.h5", "No such file", "(mesh.file)"]),
        ("mesh={file: run.yaml}", &["run.yaml", "$MeshFormat"]),
        ("order=7", &["order: 7 is above 6", "--set order=7 (order)"]),
        (
            "mesh={file: m.h5, periodic: [{from: bottom, to: skin, translation: [1, 0, 0]}]}",
            &["m.h5", "when it is imported", "(mesh.periodic)"],
        ),
    ] {
        for verb in [&["check"][..], &[]] {
            refuses(&folder, &[verb, &["run.yaml", "--set", set]].concat(), parts);
        }
    }
}

#[test]
fn files_that_are_cut_or_absent_are_refused_with_the_place() {
    let folder = folder();
    let whole = std::fs::read(data("mixed2_v41_text.msh")).expect("text");
    write(&folder, "cut.msh", &whole[..2000]);
    let whole = std::fs::read(data("wedge_v22_binary.msh")).expect("bytes");
    write(&folder, "cut_binary.msh", &whole[..3000]);
    succeeds(&folder, &["mesh", "generate", "box", "whole.h5", "--cells", "2,2,2"]);
    let whole = std::fs::read(folder.path().join("whole.h5")).expect("bytes");
    write(&folder, "cut.h5", &whole[..whole.len() / 2]);
    write(&folder, "run.yaml", case_on("{file: cut.msh}", &[], &[]).as_bytes());
    for (file, parts) in [
        ("cut.msh", &["cut.msh: line 92: the file ends where"][..]),
        ("cut_binary.msh", &["cut_binary.msh: byte ", "nodes"]),
        (
            "cut.h5",
            &["cut.h5: the mesh is cut short: the file has ", "copy the file again"],
        ),
        ("absent.msh", &["cannot read the mesh absent.msh: No such file"]),
    ] {
        refuses(&folder, &["mesh", "import", file, "new.h5"], parts);
        refuses(&folder, &["mesh", "info", file], parts);
        refuses(&folder, &["run.yaml", "--set", &format!("mesh.file={file}")], parts);
    }
}

#[test]
fn an_inverted_cell_is_named_with_its_tag_and_place_and_nothing_is_written() {
    let folder = folder();
    let text = std::fs::read_to_string(data("mixed1_v22_text.msh")).expect("text");
    // The free vertex of the tetrahedron lies on the side of the pyramid of their common face.
    let turned = text.replace("\n10 1.4 0.4 1.7\n", "\n10 0.2 0.4 1.7\n");
    assert_ne!(text, turned);
    write(&folder, "turned.msh", turned.as_bytes());
    let parts = [
        "1 cell is inverted",
        "element 15 (cell 0) at (0.675000, 0.475000, 1.32500)",
        "nothing was written",
    ];
    refuses(&folder, &["mesh", "import", "turned.msh", "new.h5"], &parts);
    write(
        &folder,
        "run.yaml",
        case_on("{file: turned.msh}", &["bottom"], &["skin"]).as_bytes(),
    );
    refuses(
        &folder,
        &["run.yaml"],
        &["tet 0 (element 15 of the mesh file) is inverted", "at ("],
    );
    // The report is still given for such a mesh, since it helps to repair it.
    assert!(succeeds(&folder, &["mesh", "info", "turned.msh"]).contains("inverted or degenerate cells"));
}

#[test]
fn arguments_out_of_their_range_are_refused() {
    let folder = folder();
    for (arguments, part) in [
        (&["generate", "box", "b.h5", "--cells", "0,2,2"][..], "at least 1"),
        (
            &["generate", "box", "b.h5", "--cells", "-1,1,1"],
            "'-1,1,1' is not three whole numbers",
        ),
        (&["generate", "box", "b.h5", "--cells", "4,2"], "three whole numbers"),
        (
            &["generate", "box", "b.h5", "--cells", "3,2,2", "--elements", "mixed"],
            "even number",
        ),
        (
            &["generate", "box", "b.h5", "--cells", "2,2,2", "--elements", "wedge"],
            "hex, prism, tet, pyramid, mixed",
        ),
        (
            &["generate", "box", "nowhere/b.h5", "--cells", "2,2,2"],
            "nowhere/b.h5: there is no directory nowhere",
        ),
        (
            &["import", "absent.msh", "nowhere/b.h5"],
            "nowhere/b.h5: there is no directory nowhere",
        ),
        (&["generate", "box", ".", "--cells", "2,2,2"], "this is a directory"),
        (
            &[
                "generate", "annulus", "a.h5", "--inner", "1", "--outer", "2", "--length", "1", "--cells", "2,8,2",
                "--angle", "400",
            ],
            "angle is 400, but must be above 0 and at most 360 degrees",
        ),
        (
            &[
                "generate", "annulus", "a.h5", "--inner", "2", "--outer", "1", "--length", "1", "--cells", "2,8,2",
            ],
            "outer",
        ),
        (&["info", "absent.h5", "--periodic", "a:b"], "A:B:DX,DY,DZ"),
        (
            &["info", "absent.h5", "--periodic", "a:b:15"],
            "such as start:end:15@0,0,0/0,0,1",
        ),
        (&["info", "absent.h5", "--periodic", "a:a:1,0,0"], "joins a with itself"),
        (&["info", "absent.h5", "--order", "9"], "1..=8"),
    ] {
        let (code, _, error) = outcome(&folder, &[&["mesh"], arguments].concat());
        assert_eq!(code, Some(2), "{arguments:?}: {error}");
        assert!(error.contains(part), "{arguments:?}: {error}");
        assert_eq!(names(folder.path()), [""; 0]);
    }
}

#[test]
fn a_mesh_must_be_a_regular_file() {
    let folder = folder();
    let pipe = folder.path().join("pipe");
    assert!(Command::new("mkfifo").arg(&pipe).status().expect("mkfifo").success());
    for name in ["pipe", "."] {
        refuses(&folder, &["mesh", "info", name], &["not a regular file"]);
        refuses(&folder, &["mesh", "import", name, "m.h5"], &["not a regular file"]);
    }
    refuses(
        &folder,
        &["mesh", "generate", "box", "pipe", "--cells", "2,2,2"],
        &["no regular file"],
    );
}

#[test]
fn errors_found_with_the_mesh_file_show_the_line_of_the_case() {
    let folder = folder();
    let path = data("mixed2_v41_text.msh").display().to_string();
    write(
        &folder,
        "run.yaml",
        case_on(&format!("{{file: '{path}'}}"), &["bottom"], &["skn"]).as_bytes(),
    );
    refuses(
        &folder,
        &["check", "run.yaml"],
        &["no boundary `skn`", "--> run.yaml:5:", "5 | boundaries: {bottom", "^^^"],
    );
    refuses(
        &folder,
        &["check", "run.yaml", "--set", "order=8"],
        &["--set order=8 (order)"],
    );
}

#[test]
fn packed_files_and_formats_that_are_not_read_are_refused_with_what_helps() {
    let folder = folder();
    for (name, bytes, part) in [
        ("a.msh.gz", &b"\x1f\x8b\x08\0\0"[..], "unpack it with `gunzip`"),
        ("a.msh.xz", b"\xfd7zXZ\0\0", "unpack it with `unxz`"),
        (
            "a.neu",
            b"        CONTROL INFO 2.4.6\n",
            "Gambit, which is not read: convert it with HOPR",
        ),
        ("a.exo", b"CDF\x02", "Exodus II"),
        ("a.inp", b"*HEADING\n", "Abaqus"),
        (
            "a.msh",
            b"(0 \"ANSYS Fluent\")\n(2 3)\n",
            "Fluent, which is not read: export it as CGNS",
        ),
        ("a.mesh", b"MeshVersionFormatted 2\n", "Medit"),
    ] {
        write(&folder, name, bytes);
        for arguments in [&["mesh", "info", name][..], &["mesh", "import", name, "new.h5"]] {
            refuses(&folder, arguments, &[name, part]);
        }
    }
}

#[test]
fn hdf5_files_of_other_programs_are_refused_with_what_helps() {
    let folder = folder();
    for (name, object, part) in [
        (
            "room.cas.h5",
            "meshes",
            "Fluent (.cas.h5), which is not read: export it as CGNS",
        ),
        (
            "can.e",
            "coordx",
            "Exodus II, which is not read: convert it with meshio",
        ),
        (
            "part.med",
            "ENS_MAA",
            "Salome (.med), which is not read: convert it with Gmsh",
        ),
        (
            "state.h5",
            "checkpoint",
            "this is not a mesh of fr-les: it is a checkpoint, with which `restart` goes on",
        ),
        (
            "flow.vtkhdf",
            "VTKHDF",
            "this is not a mesh of fr-les: it is a solution",
        ),
        (
            "other.h5",
            "data",
            "this is not a mesh of fr-les: it has no group /mesh",
        ),
    ] {
        let file = hdf5::File::create(folder.path().join(name)).expect("created");
        file.create_group(object).expect("a group");
        file.close().expect("closed");
        refuses(&folder, &["mesh", "info", name], &[name, part]);
    }
}

#[test]
fn shapes_and_curves_are_no_meshes() {
    let folder = folder();
    write(&folder, "part.step", b"ISO-10303-21;\nHEADER;\n");
    write(&folder, "part.STL", b"solid part\nfacet normal 0 0 1\n");
    for (name, part) in [
        ("part.step", "this is a shape (STEP)"),
        ("part.STL", "this is a shape (STL)"),
    ] {
        refuses(
            &folder,
            &["mesh", "import", name, "a.h5"],
            &[part, "mesh its volume with Gmsh"],
        );
    }
    let curves = "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n1\n1 1 \"wall\"\n$EndPhysicalNames\n\
                  $Nodes\n2\n1 0 0 0\n2 1 0 0\n$EndNodes\n$Elements\n1\n1 1 2 1 1 1 2\n$EndElements\n";
    write(&folder, "curves.msh", curves.as_bytes());
    for more in [&[][..], &["--extrude", "thickness=1,layers=1"]] {
        let words = [&["mesh", "import", "curves.msh", "a.h5"], more].concat();
        refuses(&folder, &words, &["`Physical Surface`"]);
    }
}

#[test]
fn files_that_begin_with_comments_or_a_block_of_their_user_are_read() {
    let folder = folder();
    let text = one_hex("");
    write(
        &folder,
        "commented.msh",
        format!("$Comments\nmade by hand\n$EndComments\n{text}").as_bytes(),
    );
    write(&folder, "old.msh", text.replace("2.2 0 8", "2.0 0 8").as_bytes());
    let hopr = std::fs::read(data("hopr_box3.h5")).expect("bytes");
    write(&folder, "user.h5", &[&[b'u'; 1024][..], &hopr].concat());
    for (name, cells) in [("commented.msh", 1), ("old.msh", 1), ("user.h5", 12)] {
        let report = succeeds(&folder, &["mesh", "info", name]);
        assert!(report.contains(&format!("{cells} cell")), "{report}");
    }
}

/// Two hexahedra, of which the common face and another place are a boundary in the file.
#[test]
fn boundaries_inside_the_mesh_and_of_no_cell_are_told_with_their_place() {
    let folder = folder();
    let text = "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n3\n2 1 \"skin\"\n2 2 \"plate\"\n2 3 \"stray\"\n\
                $EndPhysicalNames\n$Nodes\n12\n1 0 0 0\n2 1 0 0\n3 1 1 0\n4 0 1 0\n5 0 0 1\n6 1 0 1\n7 1 1 1\n\
                8 0 1 1\n9 0 0 2\n10 1 0 2\n11 1 1 2\n12 0 1 2\n$EndNodes\n$Elements\n5\n1 3 2 1 1 1 2 3 4\n\
                2 3 2 2 2 5 6 7 8\n3 3 2 3 3 1 2 10 9\n4 5 2 9 1 1 2 3 4 5 6 7 8\n5 5 2 9 1 5 6 7 8 9 10 11 12\n\
                $EndElements\n";
    write(&folder, "a.msh", text.as_bytes());
    let report = succeeds(&folder, &["mesh", "import", "a.msh", "new.h5"]);
    for part in [
        "a.msh: `plate` has cells on both sides of 1 face, first at (0.5, 0.5, 1): there it is no boundary; Gmsh's \
         plugin Crack opens the mesh there",
        "a.msh: `stray` has 1 face of no cell, first at (0.5, 0, 1), which are left out",
    ] {
        assert!(report.contains(part), "no '{part}' in\n{report}");
    }
    assert!(!report.contains("`skin` has"), "{report}");
}
