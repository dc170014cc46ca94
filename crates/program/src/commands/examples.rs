//! Examples of command lines, which the manual pages show. A test of the program reads each as its user would.

/// A command line, and what it does.
pub type Example = (&'static str, &'static str);

/// The examples of each command, by its name.
const EXAMPLES: [(&str, &[Example]); 22] = [
    (
        "fr-les",
        &[
            ("fr-les case.yaml", "Run a case."),
            ("mpirun -n 8 fr-les case.yaml", "Run it on eight ranks."),
        ],
    ),
    (
        "fr-les run",
        &[
            (
                "fr-les run case.yaml --set time.end=20 --set order=4",
                "Run a case with other values of two keys.",
            ),
            (
                "fr-les run case.yaml --set restart=latest",
                "Continue from the newest checkpoint.",
            ),
        ],
    ),
    (
        "fr-les check",
        &[
            (
                "fr-les check case.yaml",
                "Look at a case before it is run: mesh, flow, boundaries, step, hours, files.",
            ),
            ("fr-les check case.yaml --long", "Print all that is known of the run."),
        ],
    ),
    (
        "fr-les bench",
        &[
            (
                "fr-les bench --order 2..5 --precision single",
                "Time four orders in single precision.",
            ),
            (
                "fr-les bench --suite --against earlier.json",
                "Compare this machine with an earlier measurement.",
            ),
        ],
    ),
    (
        "fr-les kernels",
        &[(
            "fr-les kernels --ptx ptx --order 3,4",
            "Write PTX of two orders for a machine without NVRTC.",
        )],
    ),
    (
        "fr-les mesh import",
        &[
            (
                "fr-les mesh import wing.msh wing.h5 --scale 0.001",
                "Read a mesh of Gmsh whose lengths are millimetres.",
            ),
            (
                "fr-les mesh import plane.su2 slab.h5 --extrude thickness=0.2,layers=4",
                "Extend a two-dimensional mesh of SU2 in z.",
            ),
        ],
    ),
    (
        "fr-les mesh export",
        &[("fr-les mesh export wing.h5 wing.vtkhdf", "Write a mesh for ParaView.")],
    ),
    (
        "fr-les mesh hexes",
        &[(
            "fr-les mesh hexes tets.h5 hexes.h5",
            "Each tetrahedron becomes four hexahedra, each prism three.",
        )],
    ),
    (
        "fr-les mesh join",
        &[(
            "fr-les mesh join stator.h5 rotor.h5 stage.h5 --prefix stator-,rotor-",
            "The two blocks of a stage in one file, with names that tell their boundaries apart.",
        )],
    ),
    (
        "fr-les mesh partition",
        &[(
            "fr-les mesh partition wing.h5 --parts 8,16",
            "Divide a mesh among 8 and among 16 ranks.",
        )],
    ),
    (
        "fr-les mesh info",
        &[(
            "fr-les mesh info wing.msh --order 3",
            "Report a mesh and its memory at order 3.",
        )],
    ),
    (
        "fr-les mesh generate box",
        &[(
            "fr-les mesh generate box channel.h5 --cells 16,12,8 --upper 6.28,2,3.14 --periodic x,z --stretch 0,2,0",
            "Make the mesh of a channel.",
        )],
    ),
    (
        "fr-les mesh generate annulus",
        &[(
            "fr-les mesh generate annulus ring.h5 --inner 0.5 --outer 20 --length 1 --cells 20,32,1 --periodic z",
            "Make the mesh around a cylinder.",
        )],
    ),
    (
        "fr-les mesh cascade",
        &[(
            "fr-les mesh cascade blade.yaml blade.h5 --order 3",
            "Make the mesh of a cascade.",
        )],
    ),
    (
        "fr-les blade fit",
        &[(
            "fr-les blade fit profile.csv --outline outline.csv",
            "Describe a profile, and write its outline.",
        )],
    ),
    (
        "fr-les plot",
        &[
            (
                "fr-les plot results --columns drag,lift --from 20",
                "Draw forces from t = 20 on.",
            ),
            (
                "fr-les plot results/coefficients.csv --columns lift --from 20 --spectrum",
                "Draw the spectrum of the lift.",
            ),
            (
                "fr-les plot results/slices_mid_0003.vtkhdf --columns pressure --window=-1,3,-1,1 --size 84mm",
                "Draw a part of a slice for a column of a journal.",
            ),
        ],
    ),
    (
        "fr-les report",
        &[(
            "fr-les report results --reference measured.csv",
            "Write a page about a run beside measured values.",
        )],
    ),
    (
        "fr-les doctor",
        &[("fr-les doctor", "Find out what of this machine can be used.")],
    ),
    (
        "fr-les watch",
        &[
            ("fr-les watch results", "Show how far a run has come."),
            ("fr-les watch results --once", "Print it once, as in a script."),
        ],
    ),
    (
        "fr-les study",
        &[
            (
                "fr-les study study.yaml --check",
                "Look at a study before its designs are run.",
            ),
            (
                "fr-les study study.yaml --report",
                "Write a page about the designs that have been run.",
            ),
            (
                "fr-les study study.yaml --ask designs.json",
                "Print the designs that a foreign optimiser proposes.",
            ),
        ],
    ),
    (
        "fr-les schema",
        &[("fr-les schema study", "Print the schema of studies for an editor.")],
    ),
    (
        "fr-les explain",
        &[
            ("fr-les explain time.cfl", "Print what a key means."),
            (
                "fr-les explain output.slices.mid.picture",
                "Print what a key below a name means.",
            ),
        ],
    ),
];

/// Returns the examples of a command; none of commands that only have others below them, or take no choice.
pub fn of(command: &str) -> &'static [Example] {
    let found = EXAMPLES.iter().find(|(name, _)| *name == command);
    found.map_or(&[], |(_, examples)| examples)
}

/// Returns all examples.
pub fn all() -> impl Iterator<Item = &'static Example> {
    EXAMPLES.iter().flat_map(|(_, examples)| examples.iter())
}
