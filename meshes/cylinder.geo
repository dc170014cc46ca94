// Flow past a circular cylinder of diameter 1 at the origin, one cell (or a few) deep in z: hexahedra in rings around
// the wall, triangular prisms outside with a refined wake. Rings and far field are circles of arcs, so every edge on
// them is curved.
//
//   gmsh -3 cylinder.geo -order 2 -o cylinder.msh
//   gmsh -3 cylinder.geo -order 3 -setnumber around 40 -setnumber far_radius 60 -o cylinder.msh
//
// Boundaries: wall, far-field, z-, z+ (z- and z+ are also linked as a periodic pair). Lengths in diameters.

DefineConstant[
  around      = 32,    // cells around the cylinder, a multiple of 4
  first_layer = 0.08,  // height of the first ring of cells
  growth      = 1.25,  // ratio of the heights of two rings
  rings       = 5,     // number of rings
  depth       = 1.0,   // extent in z, from 0
  layers_z    = 1,     // cells in z
  far_radius  = 50,    // radius of the far field
  wake_size   = 0.6,   // size of the cells in the wake ...
  wake_length = 12,    // ... up to this x
  wake_width  = 1.6,   // half width of the wake at x = 0 ...
  wake_spread = 0.06,  // ... and its growth with x
  near_growth = 0.22,  // growth of the size per distance from the rings
  side_growth = 0.30,  // growth of the size per distance from the sides of the wake
  down_growth = 0.12,  // growth of the size per distance behind wake_length
  far_size    = 10     // largest size
];

SetFactory("Built-in");
quarter = around/4;
Point(1) = {0, 0, 0};

// Rings of arcs: circle k has the points 10 + 4k + q and the curves 100 + 4k + q, q = 0..3.
radius = 0.5;
height = first_layer;
For k In {0:rings}
  If (k > 0)
    radius += height;
    height *= growth;
  EndIf
  For q In {0:3}
    angle = Pi/4 + q*Pi/2;
    Point(10 + 4*k + q) = {radius*Cos(angle), radius*Sin(angle), 0};
  EndFor
  For q In {0:3}
    Circle(100 + 4*k + q) = {10 + 4*k + q, 1, 10 + 4*k + (q + 1)%4};
    Transfinite Curve{100 + 4*k + q} = quarter + 1;
  EndFor
EndFor
ring_radius = radius;

// Between circles k and k + 1: spokes 500 + 4k + q, one cell high, and faces 1000 + 4k + q.
rings_all[] = {};
For k In {0:rings-1}
  For q In {0:3}
    Line(500 + 4*k + q) = {10 + 4*k + q, 14 + 4*k + q};
    Transfinite Curve{500 + 4*k + q} = 2;
  EndFor
  For q In {0:3}
    Curve Loop(1000 + 4*k + q) = {500 + 4*k + q, 104 + 4*k + q, -(500 + 4*k + (q + 1)%4), -(100 + 4*k + q)};
    Plane Surface(1000 + 4*k + q) = {1000 + 4*k + q};
    Transfinite Surface{1000 + 4*k + q};
    Recombine Surface{1000 + 4*k + q};
    rings_all[] += {1000 + 4*k + q};
  EndFor
EndFor

// Far field.
For q In {0:3}
  angle = Pi/4 + q*Pi/2;
  Point(2 + q) = {far_radius*Cos(angle), far_radius*Sin(angle), 0};
EndFor
For q In {0:3}
  Circle(10 + q) = {2 + q, 1, 2 + (q + 1)%4};
EndFor
last = 100 + 4*rings;
Curve Loop(1) = {10, 11, 12, 13};
Curve Loop(2) = {last, last + 1, last + 2, last + 3};
Plane Surface(1) = {1, 2};

// Size of the triangles: the smallest of three functions.
ring_size = 2*Pi*ring_radius/around;
Field[1] = MathEval;
Field[1].F = Sprintf("%g + %g*(sqrt(x*x + y*y) - %g)", ring_size, near_growth, ring_radius);
Field[2] = MathEval;  // beside and behind the wake; a(s) = (s + |s|)/2 is the positive part of s
side = Sprintf("(abs(y) - %g - %g*(x + abs(x))/2)", wake_width, wake_spread);
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
Mesh.Algorithm = 6;

// Extrusion.
all[] = {rings_all[], 1};
wall[] = {};
far[] = {};
top[] = {};
volumes[] = {};
For i In {0:#all[]-1}
  out[] = Extrude {0, 0, depth} { Surface{all[i]}; Layers{layers_z}; Recombine; };
  top[] += out[0];
  volumes[] += out[1];
  If (i < 4)
    wall[] += out[5];      // over the fourth curve of the loop, on circle 0
  ElseIf (i == #all[] - 1)
    far[] += out[{2:5}];
  EndIf
EndFor
Periodic Surface{top[]} = {all[]} Translate{0, 0, depth};

Physical Surface("wall") = wall[];
Physical Surface("far-field") = far[];
Physical Surface("z-") = all[];
Physical Surface("z+") = top[];
Physical Volume("fluid") = volumes[];

Mesh.MshFileVersion = 4.1;
Mesh.Binary = 1;
