// T106 low-pressure turbine cascade, one pitch, extruded in z: hexahedra in layers around the blade, triangular prisms
// elsewhere. Every edge of a layer is a cubic on an offset of the profile, so curved cells follow the blade. Needs
// t106_profile.geo beside it.
//
//   gmsh -3 t106.geo -order 2 -o t106.msh
//
// Boundaries: blade, inlet, outlet, periodic-low, periodic-high, z-, z+; the last two pairs are linked as periodic.
// Lengths in true chords; leading edge at about (0, 0), trailing edge at (0.859, -0.5).

DefineConstant[
  pitch       = 0.95,   // T106C; 0.799 for T106A and 1.05 for T106D
  span        = 0.1,    // extent in z, from 0
  layers_z    = 4,      // cells in z
  inlet_angle = 32.7,   // degrees from axial; only the shape of the periodic sides depends on the two angles
  exit_angle  = -63.2,
  inlet_x     = -0.6,   // position of the inlet
  outlet_x    = 1.6,    // position of the outlet
  first_layer = 0.003,  // height of the first layer of cells
  growth      = 1.3,    // ratio of the heights of two layers
  layers      = 6,      // number of layers
  blade_size  = 0.025,  // length of the cells along the blade ...
  lead_size   = 0.004,  // ... at the leading edge ...
  trail_size  = 0.003,  // ... at the trailing edge ...
  edge_growth = 0.18,   // ... and its growth per distance from them
  passage_size = 0.05,  // size of the triangles in the passage
  wake_size   = 0.03,   // size of the triangles in the wake
  far_size    = 0.09,   // size of the triangles at the inlet and the outlet
  tri_growth  = 0.25    // growth of the size per distance from the layers and the wake
];

SetFactory("Built-in");
Include "t106_profile.geo";
n = #profile_x[];

// The profile as a closed cubic curve through its points: chord lengths arc[i], tangents from parabolas through three
// points.
arc[] = {0};
For i In {0:n-1}
  j = (i + 1)%n;
  arc[] += {arc[i] + Hypot(profile_x[j] - profile_x[i], profile_y[j] - profile_y[i])};
EndFor
total = arc[n];
slope_x[] = {};
slope_y[] = {};
For i In {0:n-1}
  h = (i + n - 1)%n;
  j = (i + 1)%n;
  a = arc[h + 1] - arc[h];
  b = arc[i + 1] - arc[i];
  slope_x[] += {((profile_x[i] - profile_x[h])*b/a + (profile_x[j] - profile_x[i])*a/b)/(a + b)};
  slope_y[] += {((profile_y[i] - profile_y[h])*b/a + (profile_y[j] - profile_y[i])*a/b)/(a + b)};
EndFor

// The middles of the two edges, as arc lengths: where the curve meets the line through the ends of the chord, nearly.
lead = arc[94];
trail = arc[4];

// Length of the cells at arc length t, and their number: the integral of its inverse, rounded.
Macro CellLength
  from_lead = Fabs(t - lead);
  from_trail = Fabs(t - trail);
  If (from_trail > total/2)
    from_trail = total - from_trail;
  EndIf
  cell = blade_size;
  If (lead_size + edge_growth*from_lead < cell)
    cell = lead_size + edge_growth*from_lead;
  EndIf
  If (trail_size + edge_growth*from_trail < cell)
    cell = trail_size + edge_growth*from_trail;
  EndIf
Return
steps = 3000;
count[] = {0};
For i In {0:steps-1}
  t = (i + 0.5)*total/steps;
  Call CellLength;
  count[] += {count[i] + total/steps/cell};
EndFor
around = Round(count[steps]);

// Nodes of the cells: foot and outward normal of each.
foot_x[] = {};
foot_y[] = {};
normal_x[] = {};
normal_y[] = {};
i = 0;
k = 0;
For m In {0:around-1}
  wanted = m/around*count[steps];
  For skip In {0:steps}
    If (i < steps - 1 && count[i + 1] <= wanted)
      i += 1;
    Else
      skip = steps;
    EndIf
  EndFor
  t = (i + (wanted - count[i])/(count[i + 1] - count[i]))*total/steps;
  For skip In {0:n}
    If (k < n - 1 && arc[k + 1] <= t)
      k += 1;
    Else
      skip = n;
    EndIf
  EndFor
  j = (k + 1)%n;
  w = arc[k + 1] - arc[k];
  u = (t - arc[k])/w;
  h00 = (1 + 2*u)*(1 - u)^2;
  h10 = u*(1 - u)^2*w;
  h01 = u^2*(3 - 2*u);
  h11 = u^2*(u - 1)*w;
  d00 = 6*u*(u - 1)/w;
  d10 = (1 - u)*(1 - 3*u);
  d11 = u*(3*u - 2);
  foot_x[] += {h00*profile_x[k] + h10*slope_x[k] + h01*profile_x[j] + h11*slope_x[j]};
  foot_y[] += {h00*profile_y[k] + h10*slope_y[k] + h01*profile_y[j] + h11*slope_y[j]};
  dx = d00*(profile_x[k] - profile_x[j]) + d10*slope_x[k] + d11*slope_x[j];
  dy = d00*(profile_y[k] - profile_y[j]) + d10*slope_y[k] + d11*slope_y[j];
  normal_x[] += {dy/Hypot(dx, dy)};
  normal_y[] += {-dx/Hypot(dx, dy)};
EndFor

// Layers: curve base[k] + m is the edge of cell m on offset k, a cubic with the normals of the profile at its ends
// (handles as long as for a circular arc); spoke[k] + m leads from offset k to k + 1.
offset = 0;
height = first_layer;
quads[] = {};
For k In {0:layers}
  If (k > 0)
    offset += height;
    height *= growth;
  EndIf
  point[k] = newp;
  For m In {0:around-1}
    Point(point[k] + m) = {foot_x[m] + offset*normal_x[m], foot_y[m] + offset*normal_y[m], 0};
  EndFor
  handle = newp;
  base[k] = newl;
  For m In {0:around-1}
    j = (m + 1)%around;
    x0 = foot_x[m] + offset*normal_x[m];
    y0 = foot_y[m] + offset*normal_y[m];
    x1 = foot_x[j] + offset*normal_x[j];
    y1 = foot_y[j] + offset*normal_y[j];
    half = Sqrt((1 + normal_x[m]*normal_x[j] + normal_y[m]*normal_y[j])/2);
    length = Hypot(x1 - x0, y1 - y0)/1.5/(1 + half);
    Point(handle + 2*m) = {x0 - length*normal_y[m], y0 + length*normal_x[m], 0};
    Point(handle + 2*m + 1) = {x1 + length*normal_y[j], y1 - length*normal_x[j], 0};
    Bezier(base[k] + m) = {point[k] + m, handle + 2*m, handle + 2*m + 1, point[k] + j};
  EndFor
  Transfinite Curve{base[k]:base[k] + around - 1} = 2;
EndFor
For k In {0:layers-1}
  spoke[k] = newl;
  For m In {0:around-1}
    Line(spoke[k] + m) = {point[k] + m, point[k + 1] + m};
  EndFor
  Transfinite Curve{spoke[k]:spoke[k] + around - 1} = 2;
EndFor
For k In {0:layers-1}
  For m In {0:around-1}
    s = news;
    loop = newll;
    Curve Loop(loop) = {base[k] + m, spoke[k] + (m + 1)%around, -(base[k + 1] + m), -(spoke[k] + m)};
    Plane Surface(s) = {loop};
    quads[] += {s};
  EndFor
EndFor
Transfinite Surface{quads[]};
Recombine Surface{quads[]};

// Periodic sides: lines through points in the middle between blades, straight up- and downstream.
slope_in = Tan(inlet_angle*Pi/180);
slope_out = Tan(exit_angle*Pi/180);
low_x[] = {inlet_x, -0.15, -0.05, 0.05, 0.14, 0.23, 0.32, 0.41, 0.5, 0.58, 0.65, 0.71, 0.77, 0.83, outlet_x};
low_y[] = {0, -0.085, -0.02, 0.042, 0.09, 0.12, 0.13, 0.118, 0.073, 0.008, -0.073, -0.162, -0.268, -0.385, 0};
parts = #low_x[] - 1;
low_y[0] = low_y[1] + slope_in*(low_x[0] - low_x[1]);
low_y[parts] = low_y[parts - 1] + slope_out*(low_x[parts] - low_x[parts - 1]);
side[] = {};
ends[] = {};
For j In {0:1}
  for_lines = newp;
  For i In {0:parts}
    Point(for_lines + i) = {low_x[i], low_y[i] + (j - 0.5)*pitch, 0};
  EndFor
  ends[] += {for_lines, for_lines + parts};
  For i In {0:parts-1}
    c = newl;
    Line(c) = {for_lines + i, for_lines + i + 1};
    side[] += {c};
  EndFor
EndFor
low[] = side[{0:parts-1}];
high[] = side[{parts:2*parts-1}];
in = newl;
Line(in) = {ends[2], ends[0]};
out = newl;
Line(out) = {ends[1], ends[3]};
Periodic Curve{high[]} = {low[]} Translate{0, pitch, 0};
rim[] = {base[layers]:base[layers] + around - 1};
hole = newll;
Curve Loop(hole) = rim[];
outer = newll;
Curve Loop(outer) = {low[], out, -high[{parts-1:0:-1}], in};
triangles = news;
Plane Surface(triangles) = {outer, hole};

// Size of the triangles.
Field[1] = Distance;
Field[1].CurvesList = {rim[]};
Field[1].Sampling = 3;
wake_1 = newp;
Point(wake_1) = {profile_x[4], profile_y[4], 0};
wake_2 = newp;
Point(wake_2) = {outlet_x, profile_y[4] + slope_out*(outlet_x - profile_x[4]), 0};
wake = newl;
Line(wake) = {wake_1, wake_2};
Field[2] = Distance;
Field[2].CurvesList = {wake};
Field[2].Sampling = 100;
Field[3] = MathEval;
Field[3].F = Sprintf("%g + %g*F1", 0.7*blade_size, tri_growth);
Field[4] = MathEval;
Field[4].F = Sprintf("%g + %g*(F2 - 0.05 + abs(F2 - 0.05))/2 + 0.02*(x - %g + abs(x - %g))",
  wake_size, tri_growth, profile_x[4], profile_x[4]);
Field[5] = MathEval;  // passage_size between the blades, far_size outside
Field[5].F = Sprintf("%g + %g*((-x + abs(x))/2 + (x - 0.9 + abs(x - 0.9))/2)",
  passage_size, (far_size - passage_size)/0.5);
Field[6] = MathEval;
Field[6].F = Sprintf("%g", far_size);
Field[7] = Min;
Field[7].FieldsList = {3, 4, 5, 6};
Background Field = 7;
Mesh.MeshSizeFromPoints = 0;
Mesh.MeshSizeFromCurvature = 0;
Mesh.MeshSizeExtendFromBoundary = 0;
Mesh.Algorithm = 6;

// Extrusion: for each surface its top, its volume, then a side for each curve of its loops.
all[] = {quads[], triangles};
Geometry.AutoCoherence = 0;  // merge what is common once, at the end: much faster
made[] = Extrude {0, 0, span} { Surface{all[]}; Layers{layers_z}; Recombine; };
Coherence;
top[] = {};
blade[] = {};
volumes[] = {};
For i In {0:#all[]-1}
  top[] += made[6*i];
  volumes[] += made[6*i + 1];
  If (i < around)
    blade[] += made[6*i + 2];
  EndIf
EndFor
first = 6*#quads[] + 2;
low_sides[] = made[{first:first + parts - 1}];
outlet = made[first + parts];
high_sides[] = made[{first + 2*parts:first + parts + 1:-1}];
inlet = made[first + 2*parts + 1];
Periodic Surface{high_sides[]} = {low_sides[]} Translate{0, pitch, 0};
Periodic Surface{top[]} = {all[]} Translate{0, 0, span};

Physical Surface("blade") = blade[];
Physical Surface("periodic-low") = low_sides[];
Physical Surface("outlet") = outlet;
Physical Surface("periodic-high") = high_sides[];
Physical Surface("inlet") = inlet;
Physical Surface("z-") = all[];
Physical Surface("z+") = top[];
Physical Volume("fluid") = volumes[];

Mesh.MshFileVersion = 4.1;
Mesh.Binary = 1;
