// Flow past a sphere of diameter 1 at the origin: hexahedra in shells around the wall (a cubed sphere: 6 blocks), one
// layer of pyramids on the outermost shell, tetrahedra outside with a refined wake.
//
//   gmsh -3 sphere.geo -order 2 -o sphere.msh
//
// Boundaries: wall, far-field. Lengths in diameters.

DefineConstant[
  cells       = 6,     // cells along an edge of a block; 4*cells around the equator
  first_layer = 0.08,  // height of the first shell of cells
  growth      = 1.3,   // ratio of the heights of two shells
  shells      = 4,     // number of shells
  far_radius  = 20,    // radius of the far field
  wake_size   = 0.6,   // size of the cells in the wake ...
  wake_length = 4,     // ... up to this x
  wake_width  = 0.7,   // radius of the wake
  near_growth = 0.15,  // growth of the size per distance d from the shells, near them ...
  far_growth  = 0.1,   // ... and its own growth with d: the size is shell_size + near_growth*d + far_growth*d^2
  side_growth = 0.35,  // growth of the size per distance from the side of the wake
  down_growth = 0.25,  // growth of the size per distance behind wake_length
  far_size    = 6      // largest size
];

SetFactory("Built-in");
Point(1) = {0, 0, 0};

// Corner c = 0..7 of the cube at signs (x, y, z); its 12 edges and 6 faces (four edges each, signed, counted from 1).
sx[] = {-1,  1,  1, -1, -1,  1,  1, -1};
sy[] = {-1, -1,  1,  1, -1, -1,  1,  1};
sz[] = {-1, -1, -1, -1,  1,  1,  1,  1};
from[] = {0, 1, 2, 3, 4, 5, 6, 7, 0, 1, 2, 3};
to[]   = {1, 2, 3, 0, 5, 6, 7, 4, 4, 5, 6, 7};
face[] = { 1,  2,  3,  4,
           5,  6,  7,  8,
           1, 10, -5, -9,
           2, 11, -6, -10,
           3, 12, -7, -11,
           4,  9, -8, -12};

// Sphere k has the points 10 + 20k + c, the arcs 1000 + 20k + e and the faces 2000 + 20k + f.
radius = 0.5;
height = first_layer;
For k In {0:shells}
  If (k > 0)
    radius += height;
    height *= growth;
  EndIf
  For c In {0:7}
    Point(10 + 20*k + c) = {radius*sx[c]/Sqrt(3), radius*sy[c]/Sqrt(3), radius*sz[c]/Sqrt(3)};
  EndFor
  For e In {0:11}
    Circle(1000 + 20*k + e) = {10 + 20*k + from[e], 1, 10 + 20*k + to[e]};
    Transfinite Curve{1000 + 20*k + e} = cells + 1;
  EndFor
  For f In {0:5}
    loop[] = {};
    For i In {0:3}
      e = face[4*f + i];
      If (e > 0)
        loop[] += {1000 + 20*k + e - 1};
      Else
        loop[] += {-(1000 + 20*k - e - 1)};
      EndIf
    EndFor
    Curve Loop(2000 + 20*k + f) = loop[];
    Surface(2000 + 20*k + f) = {2000 + 20*k + f} In Sphere{1};
    Transfinite Surface{2000 + 20*k + f};
    Recombine Surface{2000 + 20*k + f};
  EndFor
EndFor
shell_radius = radius;

// Between spheres k and k + 1: spokes 3000 + 20k + c, flat faces 4000 + 20k + e, volumes 1 + 6k + f.
For k In {0:shells-1}
  For c In {0:7}
    Line(3000 + 20*k + c) = {10 + 20*k + c, 30 + 20*k + c};
    Transfinite Curve{3000 + 20*k + c} = 2;
  EndFor
  For e In {0:11}
    Curve Loop(4000 + 20*k + e) = {1000 + 20*k + e, 3000 + 20*k + to[e], -(1020 + 20*k + e), -(3000 + 20*k + from[e])};
    Plane Surface(4000 + 20*k + e) = {4000 + 20*k + e};
    Transfinite Surface{4000 + 20*k + e};
    Recombine Surface{4000 + 20*k + e};
  EndFor
  For f In {0:5}
    faces[] = {2000 + 20*k + f, 2020 + 20*k + f};
    For i In {0:3}
      faces[] += {4000 + 20*k + Fabs(face[4*f + i]) - 1};
    EndFor
    Surface Loop(1 + 6*k + f) = faces[];
    Volume(1 + 6*k + f) = {1 + 6*k + f};
    Transfinite Volume{1 + 6*k + f};
  EndFor
EndFor

// Far field: the same six faces on a large sphere, with triangles.
far = 900;
For c In {0:7}
  Point(far + c) = {far_radius*sx[c]/Sqrt(3), far_radius*sy[c]/Sqrt(3), far_radius*sz[c]/Sqrt(3)};
EndFor
For e In {0:11}
  Circle(far + e) = {far + from[e], 1, far + to[e]};
EndFor
wall[] = {};
inner[] = {};
outer[] = {};
For f In {0:5}
  loop[] = {};
  For i In {0:3}
    e = face[4*f + i];
    If (e > 0)
      loop[] += {far + e - 1};
    Else
      loop[] += {-(far - e - 1)};
    EndIf
  EndFor
  Curve Loop(far + f) = loop[];
  Surface(far + f) = {far + f} In Sphere{1};
  wall[] += {2000 + f};
  inner[] += {2000 + 20*shells + f};
  outer[] += {far + f};
EndFor
Surface Loop(far) = outer[];
Surface Loop(far + 1) = inner[];
Volume(far) = {far, far + 1};

// Size of the tetrahedra: the smallest of three functions.
shell_size = 0.9*Pi/2*shell_radius/cells;
distance = Sprintf("(sqrt(x*x + y*y + z*z) - %g)", shell_radius);
Field[1] = MathEval;
Field[1].F = StrCat(Sprintf("%g + %g*", shell_size, near_growth), distance, Sprintf(" + %g*", far_growth),
  distance, "^2");
Field[2] = MathEval;  // beside and behind the wake; a(s) = (s + |s|)/2 is the positive part of s
side = Sprintf("(sqrt(y*y + z*z) - %g)", wake_width);
down = Sprintf("(x - %g)", wake_length);
Field[2].F = StrCat(Sprintf("%g + %g*", wake_size, side_growth), StrCat("(", side, " + abs", side, ")/2"),
                    Sprintf(" + %g*", down_growth), StrCat("(", down, " + abs", down, ")/2"),
                    Sprintf(" + %g*(abs(x) - x)/2", side_growth));
Field[3] = MathEval;
Field[3].F = Sprintf("%g", far_size);
Field[4] = Min;
Field[4].FieldsList = {1, 2, 3};
Background Field = 4;
Mesh.MeshSizeFromPoints = 0;
Mesh.MeshSizeFromCurvature = 0;
Mesh.MeshSizeExtendFromBoundary = 0;
Mesh.Optimize = 1;
Mesh.OptimizeThreshold = 0.6;
Mesh.OptimizePyramids = 1;  // without it slivers stay next to the pyramids (Gmsh 4.15)

Physical Surface("wall") = wall[];
Physical Surface("far-field") = outer[];
Physical Volume("fluid") = {1:6*shells, far};

Mesh.MshFileVersion = 4.1;
Mesh.Binary = 1;
