// What the host hands to every kernel; constants last, so that their absence does not move anything else. The host's
// `Params` (src/device/params.rs) has the same fields in the same order; `params_size` lets it check that both compilers
// agree.
//
// A launch sees the cells of one kind whose metric terms are held in one way. Arrays in which a cell finds its own values
// begin at the first of these cells; `u` and `traces` are the whole arrays, in which it finds its neighbours.
#pragma once
#include "dialect/dialect.h"

#define MAX_N 9
#define SURFACE_VALUES 12
#define NEIGHBOUR_ROW 9 // values of a ghost: state (5) and the primitives that the gradient sees (4)

enum Split { SPLIT_NONE, SPLIT_KENNEDY_GRUBER };
enum RiemannSolver { RIEMANN_ROE, RIEMANN_HLLC, RIEMANN_RUSANOV, RIEMANN_CENTRAL };
enum ViscosityLaw { INVISCID, VISCOSITY_CONSTANT, VISCOSITY_SUTHERLAND };
enum SubGrid { SGS_NONE, SGS_SMAGORINSKY, SGS_WALE, SGS_SIGMA };
enum Stage { STAGE_RHS_ONLY, STAGE_FIRST, STAGE_MIDDLE, STAGE_LAST };
enum BoundaryKind {
    BOUNDARY_SLIP,
    BOUNDARY_NO_SLIP_ADIABATIC,
    BOUNDARY_NO_SLIP_ISOTHERMAL,
    BOUNDARY_FAR_FIELD,
    BOUNDARY_SUPERSONIC_INLET,
    BOUNDARY_SUPERSONIC_OUTLET,
    BOUNDARY_TOTAL_INLET,
    BOUNDARY_PRESSURE_OUTLET,
    BOUNDARY_VELOCITY_INLET,
    BOUNDARY_ROTATED // another cell, seen after a rotation
};
// How the lanes of a block find their neighbours on one side.
enum SlotKind { SLOT_SIDE_BY_SIDE, SLOT_SCATTERED, SLOT_BOUNDARY };
// A row of the list of faces. `whole`: all lanes have another side, and these lie side by side. An other side is the
// offset in interface_flux of its face's values, or one of two marks: this lane's face is not in this row, or it has a
// boundary across.
#define FACE_ROW (2 + LANE)
enum FaceMark { FACE_OF_OTHER = -1, FACE_ALONE = -2 };

// Where the other side of a face lies in one array; as long as one load.
struct alignas(16) Place {
    long long base; // offset of the cell, or of the face
    int stride;     // distance between variables
    int table;      // where `tables` lists the face points
};

struct Slot {
    Place state, trace;
};

// A face point that another rank needs: where its values lie here, and where in what is sent.
struct Sent {
    long long from, to;
    int from_stride, to_stride; // between variables
};

// A place in a cell where the state is wanted: offset of the cell in u, of the weights of its points, and which place it is.
struct Sampled {
    long long from, weights, to;
};

struct Params {
    // State, [block][variable][point][lane], followed by the traces of halo and ghost faces.
    const real *u;   // input of this stage, all cells
    const real *own; // the same from the first cell of the launch
    real *out;      // output of this stage
    real *un;       // state at the beginning of the step
    real *acc;      // sum of b_m k_m; after STAGE_RHS_ONLY the right-hand side itself
    real *comp;     // Kahan's running compensation
    real *traces;   // outward viscous flux at face points, [block][face][4][face point][lane], then ghosts; all cells
    real *own_traces;
    real *viscous; // viscous flux along the reference directions, [block][3][4][point][lane]; dense elements
    // Geometry: contravariant metric terms Ja^d_n and 1/J, [block][10][NP][lane], or [block][3][4][lane] of affine cells.
    const real *metrics;
    // Outward area vectors in rows of four: [block][face][4][lane] of affine cells, [block][face point][4][lane] of others
    // but hexahedra, which find them in their metric terms.
    const real *normals;
    const real *source;  // mass, force and heat per volume, [block][5][point][lane], or null
    const real *force;   // one force per volume for all points, three numbers, or null; read by the kernels, as dt is
    const Slot *slots;              // [block][face][lane]
    const unsigned char *slot_kind; // [block][face]
    const int *tables;              // lists of face points: offsets in u, or in traces
    // The element: operators (dense.h) and the cell's point at each face point.
    const real *operators;
    const int *face_points;
    // Boundary faces of one launch: their cells are of one kind, their faces of one shape.
    const long long *boundary_cell;        // offset of the cell in u
    const long long *boundary_trace;       // offset of its face's trace in traces
    const long long *boundary_ghost;       // offset of the ghost state in u
    const long long *boundary_ghost_trace; // offset of the ghost trace in traces
    const int *boundary_points;            // where `tables` lists the face's points in the cell
    const int *boundary_kind;
    const Slot *boundary_partner;  // BOUNDARY_ROTATED: the other cell
    const int *boundary_rotation;  // which of `rotations` carries vectors to it
    const real *rotations;         // rows of nine
    const real *boundary_data;   // [boundary face][5][face point]; what they are depends on the kind (conditions.h)
    const real *boundary_normal; // outward unit normals, [boundary face][3][face point]
    const real *boundary_area;   // outward area vectors and weights of the points, [boundary face][4][face point]
    double *boundary_fluxes;     // what boundary.cu sums up, [boundary face][8]
    double *surface_values;      // what boundary.cu leaves at single points, [boundary face][SURFACE_VALUES][face point]
    long long boundary_count;    // face points in all
    long long cell_points;       // of one of these cells
    long long face_size;         // points of one of these faces
    long long ghost_base;        // offset of the first ghost state in u
    // Face points that other ranks need, for a launch over boundary_count of them: sent_values of each go from u to out.
    const Sent *sent;
    long long sent_values;
    // Places where the state is wanted, for a launch over five values of each of boundary_count / 5; samples are [place][5].
    const Sampled *sampled;
    const double *sample_weights;
    double *samples;
    // Diagnostics, one column a cell: [block][quantity][lane].
    double *per_cell;
    long long first_block; // blocks of all cells before those of the launch
    const real *dt;        // the time step; read by the kernels, so that a recorded step can be replayed with another
    long long range_begin; // first of a range that a launch goes through (GPU)
    real fraction;         // out = un + fraction dt k
    real weight;           // b_m
    // Only for comparing loops over cells with loops over faces (interface.cu); null in a run.
    real *interface_flux;   // outward common convective flux, [block][face][5][face point][lane]
    const long long *faces; // every face once, rows of FACE_ROW: block * 6 + face, whole, then LANE other sides
    long long range_end;    // one past the last block, or row of `faces`, of a launch
    // Statistics (statistics.cu): sums over slots of points, [block][quantity][slot][lane] from the first cell of the launch.
    double *sums;
    const int *sum_factors; // of each quantity: rows of factors, in four bits each
    const int *sum_lists;   // the points of all slots of a cell, [slot][member]; one list for each way in which cells lie
    const int *sum_list;    // where the list of a cell begins, [block][lane] from the first cell of the launch
    long long sum_quantities;
    long long sum_slots;    // of a cell
    long long sum_members;  // points of a slot
    double sample_weight;   // of the present state

#ifdef FROZEN
    // Constants of the run, written by the host as static members of the same names: the compiler folds them.
    FROZEN
#else
    real diff[MAX_N * MAX_N]; // D_ik, rows of N
    real correction[MAX_N];   // g_left'(xi_i); g_right'(xi_i) = -g_left'(xi_(N-1-i))
    real weights[MAX_N];      // Gauss-Lobatto weights

    real gamma, gas_constant, cv, cp, conductivity_factor; // k = mu * conductivity_factor
    real mu, sutherland_factor, sutherland_s;              // mu, or factor T sqrt(T) / (T + S)
    real sgs_factor, sgs_conductivity_factor;              // mu_t = rho sgs_factor Delta^2 D, k_t = mu_t * the second
    int split, riemann, viscosity, stage, kahan;
    int boundaries;    // whether there are boundary faces
    int uniform;       // whether all cells of the mesh are of one kind
    int metric_points; // 1: affine cells, NP: metric terms at every point
    int sgs;           // sub-grid model
#endif
};
