// The flat plate of NASA's Turbulence Modeling Resource: x from -1/3 to 2, the plate from 0, height 1, one cell deep.
//   gmsh -3 -setnumber level 2 -o plate2.msh plate.geo
// level 1 has 69 x 49 points, and each further level halves the cells. NASA's own grids have these numbers of points
// and about the same first heights; the stretching here is geometric. `first_height` is that of the first cells of
// level 1 over the plate: a laminar layer at a lower Reynolds number takes a larger one.
If (!Exists(level)) level = 1; EndIf
If (!Exists(first_height)) first_height = 4.2e-6; EndIf
If (level == 0)
  nx = 34; ny = 24;
ElseIf (level == 1)
  nx = 68; ny = 48;
ElseIf (level == 2)
  nx = 136; ny = 96;
Else
  nx = 272; ny = 192;
EndIf
size = 68/nx; // of the cells, over that of level 1
before = Round(nx*12/68); // cells before the plate
width = 0.004*size; // of the cells at the leading edge
height = first_height*size; // of the first cells over the plate
depth = 0.05;

// Sets `ratio` such that `count` cells, the first of which has the size `first`, fill `total`.
Macro Ratio
  low = 1.0000001;
  high = 3;
  For step In {1:200}
    ratio = (low + high)/2;
    If (first*(ratio^count - 1)/(ratio - 1) < total)
      low = ratio;
    Else
      high = ratio;
    EndIf
  EndFor
Return

first = width; count = before; total = 1/3;
Call Ratio;
upstream = ratio;
count = nx - before; total = 2;
Call Ratio;
along = ratio;
first = height; count = ny; total = 1;
Call Ratio;
up = ratio;

Point(1) = {-1/3, 0, 0};
Point(2) = {0, 0, 0};
Point(3) = {2, 0, 0};
Point(4) = {-1/3, 1, 0};
Point(5) = {0, 1, 0};
Point(6) = {2, 1, 0};
Line(1) = {2, 1};
Line(2) = {2, 3};
Line(3) = {5, 4};
Line(4) = {5, 6};
Line(5) = {1, 4};
Line(6) = {2, 5};
Line(7) = {3, 6};
Transfinite Curve {1, 3} = before + 1 Using Progression upstream;
Transfinite Curve {2, 4} = nx - before + 1 Using Progression along;
Transfinite Curve {5, 6, 7} = ny + 1 Using Progression up;
Curve Loop(1) = {-1, 6, 3, -5};
Curve Loop(2) = {2, 7, -4, -6};
Plane Surface(1) = {1};
Plane Surface(2) = {2};
Transfinite Surface {1} = {1, 2, 5, 4};
Transfinite Surface {2} = {2, 3, 6, 5};
Recombine Surface {1, 2};
one[] = Extrude {0, 0, depth} { Surface{1}; Layers{1}; Recombine; };
two[] = Extrude {0, 0, depth} { Surface{2}; Layers{1}; Recombine; };
Physical Volume("gas") = {one[1], two[1]};
Physical Surface("symmetry") = {one[2]};
Physical Surface("inlet") = {one[5]};
Physical Surface("top") = {one[4], two[4]};
Physical Surface("plate") = {two[2]};
Physical Surface("outlet") = {two[3]};
Physical Surface("front") = {one[0], two[0]};
Physical Surface("back") = {1, 2};
