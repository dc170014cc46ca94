// A wind tunnel of 3 x 1 with a step of height 0.2 at x = 0.6, one layer of cells in z; `cells` a unit of length, a
// multiple of 5.
//
//   gmsh -3 step.geo -o step.msh
//
// Boundaries: inlet, outlet, wall; z- and z+ are joined.

DefineConstant[ cells = 80 ];
depth = 4/cells;

SetFactory("Built-in");
Point(1) = {0, 0, 0};     Point(2) = {0.6, 0, 0};
Point(3) = {0, 0.2, 0};   Point(4) = {0.6, 0.2, 0};  Point(5) = {3, 0.2, 0};
Point(6) = {0, 1, 0};     Point(7) = {0.6, 1, 0};    Point(8) = {3, 1, 0};
// Lines along x, then along y.
Line(1) = {1, 2};  Line(2) = {3, 4};  Line(3) = {4, 5};  Line(4) = {6, 7};  Line(5) = {7, 8};
Line(6) = {1, 3};  Line(7) = {2, 4};  Line(8) = {3, 6};  Line(9) = {4, 7};  Line(10) = {5, 8};
Transfinite Curve{1, 2, 4} = 3*cells/5 + 1;
Transfinite Curve{3, 5} = 12*cells/5 + 1;
Transfinite Curve{6, 7} = cells/5 + 1;
Transfinite Curve{8, 9, 10} = 4*cells/5 + 1;
Curve Loop(1) = {1, 7, -2, -6};  Plane Surface(1) = {1}; // before the step
Curve Loop(2) = {2, 9, -4, -8};  Plane Surface(2) = {2}; // above that
Curve Loop(3) = {3, 10, -5, -9}; Plane Surface(3) = {3}; // above the step
Transfinite Surface{1, 2, 3};
Recombine Surface{1, 2, 3};
low[] = Extrude {0, 0, depth} { Surface{1}; Layers{1}; Recombine; };  // top, volume, sides of lines 1, 7, 2, 6
mid[] = Extrude {0, 0, depth} { Surface{2}; Layers{1}; Recombine; };  // 2, 9, 4, 8
high[] = Extrude {0, 0, depth} { Surface{3}; Layers{1}; Recombine; }; // 3, 10, 5, 9
Periodic Surface{low[0], mid[0], high[0]} = {1, 2, 3} Translate{0, 0, depth};

Physical Surface("inlet") = {low[5], mid[5]};
Physical Surface("outlet") = {high[3]};
Physical Surface("wall") = {low[2], low[3], high[2], mid[4], high[4]};
Physical Volume("gas") = {low[1], mid[1], high[1]};

Mesh.MshFileVersion = 4.1;
Mesh.Binary = 1;
