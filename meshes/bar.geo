// The mesh of cylinder.geo for a cylinder without cells of its own (`bars`): a square of equal hexahedra around the
// origin, hexahedra from there to a circle, and triangular prisms outside with a refined wake. The far field is a
// circle of arcs. One cell deep in z.
//
//   gmsh -3 bar.geo -order 2 -o bar.msh
//   gmsh -3 bar.geo -order 2 -setnumber across 28 -o bar.msh
//
// Boundaries: far-field, z-, z+ (z- and z+ are also linked as a periodic pair). Lengths in diameters.

DefineConstant[
  across      = 14,    // hexahedra along a side of the square
  side        = 2.1,   // its side
  ring_radius = 2.5,   // radius of the circle
  depth       = 1.0,   // extent in z, from 0
  far_radius  = 50,    // radius of the far field
  wake_size   = 0.6,   // size of the cells in the wake ...
  wake_length = 12,    // ... up to this x
  wake_width  = 1.6,   // half width of the wake at x = 0 ...
  wake_spread = 0.06,  // ... and its growth with x
  near_growth = 0.22,  // growth of the size per distance from the circle
  side_growth = 0.30,  // growth of the size per distance from the sides of the wake
  down_growth = 0.12,  // growth of the size per distance behind wake_length
  far_size    = 10     // largest size
];

SetFactory("Built-in");
Point(1) = {0, 0, 0};
layers = Ceil(3*across/7); // hexahedra from the square to the circle

// Points and curves 10 + q of the square, 20 + q of the circle, and 30 + q of the far field: quarters q = 0..3.
For q In {0:3}
  angle = Pi/4 + q*Pi/2;
  Point(10 + q) = {side/Sqrt(2)*Cos(angle), side/Sqrt(2)*Sin(angle), 0};
  Point(20 + q) = {ring_radius*Cos(angle), ring_radius*Sin(angle), 0};
  Point(30 + q) = {far_radius*Cos(angle), far_radius*Sin(angle), 0};
EndFor
For q In {0:3}
  Line(10 + q) = {10 + q, 10 + (q + 1)%4};
  Circle(20 + q) = {20 + q, 1, 20 + (q + 1)%4};
  Circle(30 + q) = {30 + q, 1, 30 + (q + 1)%4};
  Line(40 + q) = {10 + q, 20 + q};
  Transfinite Curve{10 + q, 20 + q} = across + 1;
  Transfinite Curve{40 + q} = layers + 1;
EndFor
Curve Loop(1) = {10, 11, 12, 13};
Plane Surface(1) = {1};
For q In {0:3}
  Curve Loop(2 + q) = {40 + q, 20 + q, -(40 + (q + 1)%4), -(10 + q)};
  Plane Surface(2 + q) = {2 + q};
EndFor
Transfinite Surface{1:5};
Recombine Surface{1:5};
Curve Loop(6) = {20, 21, 22, 23};
Curve Loop(7) = {30, 31, 32, 33};
Plane Surface(6) = {7, 6};

// Size of the triangles: the smallest of three functions.
ring_size = Pi/2*ring_radius/across;
Field[1] = MathEval;
Field[1].F = Sprintf("%g + %g*(sqrt(x*x + y*y) - %g)", ring_size, near_growth, ring_radius);
Field[2] = MathEval;  // beside and behind the wake; (s + |s|)/2 is the positive part of s
beside = Sprintf("(abs(y) - %g - %g*(x + abs(x))/2)", wake_width, wake_spread);
down = Sprintf("(x - %g)", wake_length);
Field[2].F = StrCat(Sprintf("%g + %g*", wake_size, side_growth), StrCat("(", beside, " + abs", beside, ")/2"),
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
all[] = {1:6};
top[] = {};
volumes[] = {};
far[] = {};
For i In {0:#all[]-1}
  out[] = Extrude {0, 0, depth} { Surface{all[i]}; Layers{1}; Recombine; };
  top[] += out[0];
  volumes[] += out[1];
  If (i == #all[] - 1)
    far[] = out[{2:5}];  // over the first four curves of the surface
  EndIf
EndFor
Periodic Surface{top[]} = {all[]} Translate{0, 0, depth};

Physical Surface("far-field") = far[];
Physical Surface("z-") = all[];
Physical Surface("z+") = top[];
Physical Volume("fluid") = volumes[];

Mesh.MshFileVersion = 4.1;
Mesh.Binary = 1;
