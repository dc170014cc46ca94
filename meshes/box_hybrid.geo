// A box of all four kinds of cells, in layers along x: hexahedra | pyramids and tetrahedra | prisms | tetrahedra and
// pyramids. The end x+ carries the same squares as x-, so all three directions can be periodic; pyramids stand on the
// hexahedra and on x+.
//
//   gmsh -3 box_hybrid.geo -order 2 -o box_hybrid.msh
//
// Boundaries: x-, x+, y-, y+, z-, z+, linked as three periodic pairs. Cells are straight; higher orders add nodes only.

DefineConstant[
  cells  = 4,    // cells along y and z
  length = 1.0,  // extent of each of the four layers in x; the box is [0, 4*length] x [0, width]^2
  width  = 1.0,
  x_hex  = 4,    // layers of hexahedra
  x_prism = 3    // layers of prisms
];
size = width/cells;

SetFactory("Built-in");

// Planes of x, k = 0..4: points[4k + c], curves 100 + 10k + c, faces 200 + k; plane 3 is made by extrusion.
// Between planes k and k + 1: curves 300 + 10k + c along x and the sides 400 + 10k + c: c = 0 is z-, 1 y+, 2 z+, 3 y-.
cy[] = {0, 1, 1, 0};
cz[] = {0, 0, 1, 1};
points[] = {};
curves[] = {};
For k In {0:4}
  If (k == 3)
    points[] += {0, 0, 0, 0};  // known after the extrusion
  Else
    For c In {0:3}
      point = newp;
      Point(point) = {k*length, cy[c]*width, cz[c]*width, size};
      points[] += {point};
    EndFor
    For c In {0:3}
      Line(100 + 10*k + c) = {points[4*k + c], points[4*k + (c + 1)%4]};
      Transfinite Curve{100 + 10*k + c} = cells + 1;
    EndFor
    Curve Loop(200 + k) = {100 + 10*k, 101 + 10*k, 102 + 10*k, 103 + 10*k};
    Plane Surface(200 + k) = {200 + k};
  EndIf
EndFor
Transfinite Surface{200, 201, 204};
Recombine Surface{200, 201, 204};

// Prisms: triangles of plane 2 extruded to plane 3.
out[] = Extrude {length, 0, 0} { Surface{202}; Layers{x_prism}; Recombine; };
plane_3 = out[0];
prisms = out[1];
prism_sides[] = out[{2:5}];
ring[] = Boundary{ Surface{plane_3}; };
For c In {0:3}
  ends[] = Boundary{ Curve{ring[c]}; };
  points[12 + c] = ends[0];
EndFor

sides[] = {};
For k In {0:3}
  If (k == 2)
    sides[] += prism_sides[];
  Else
    For c In {0:3}
      Line(300 + 10*k + c) = {points[4*k + c], points[4*k + 4 + c]};
      If (k == 0)
        Transfinite Curve{300 + 10*k + c} = x_hex + 1;
      Else
        Transfinite Curve{300 + 10*k + c} = Ceil(length/size) + 1;
      EndIf
    EndFor
    For c In {0:3}
      low = 100 + 10*k + c;
      If (k == 3)
        low = ring[c];
      EndIf
      Curve Loop(400 + 10*k + c) = {low, 300 + 10*k + (c + 1)%4, -(110 + 10*k + c), -(300 + 10*k + c)};
      Plane Surface(400 + 10*k + c) = {400 + 10*k + c};
      sides[] += {400 + 10*k + c};
    EndFor
  EndIf
EndFor
Transfinite Surface{400, 401, 402, 403};
Recombine Surface{400, 401, 402, 403};
Surface Loop(1000) = {200, 201, 400, 401, 402, 403};
Surface Loop(1001) = {201, 202, 410, 411, 412, 413};
Surface Loop(1003) = {plane_3, 204, 430, 431, 432, 433};
Volume(1000) = {1000};
Volume(1001) = {1001};
Volume(1003) = {1003};
Transfinite Volume{1000};

Periodic Surface{204} = {200} Translate{4*length, 0, 0};
For k In {0:3}
  Periodic Surface{sides[4*k + 1]} = {sides[4*k + 3]} Translate{0, width, 0};
  Periodic Surface{sides[4*k + 2]} = {sides[4*k]} Translate{0, 0, width};
EndFor

Physical Surface("x-") = {200};
Physical Surface("x+") = {204};
Physical Surface("y-") = sides[{3, 7, 11, 15}];
Physical Surface("y+") = sides[{1, 5, 9, 13}];
Physical Surface("z-") = sides[{0, 4, 8, 12}];
Physical Surface("z+") = sides[{2, 6, 10, 14}];
Physical Volume("fluid") = {1000, 1001, prisms, 1003};

Mesh.MeshSizeExtendFromBoundary = 1;
Mesh.Optimize = 1;
Mesh.OptimizeThreshold = 0.6;
Mesh.MshFileVersion = 4.1;
Mesh.Binary = 1;
