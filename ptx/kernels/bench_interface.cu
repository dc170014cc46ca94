// The common convective flux of every face, computed in two ways: in a loop over cells, where both cells of a face
// compute the same flux, and in a loop over faces, where it is computed once and written to both sides. The solver's
// sweeps loop over cells and keep the flux in registers. These kernels store it; they exist to measure that choice
// (`fr-les bench --interfaces`).
#include "method/metrics.h"
#include "method/neighbour.h"
#include "physics/riemann.h"

// Values of a row of `faces`: the face, whether the other sides of its lanes are adjacent in memory, and the other side
// of each lane.
#define FACE_ROW (2 + LANE)

// The outward flux at face point l of a block, from its own state and the state across the face.
INLINE void flux_at(const Params &par, long long block, int face, int l, vreal *f) {
    const int p = face_point(face, l);
    const vreal *state = block_of(par.own, block, 5 * NP);
    vreal u[5], a[3];
    UNROLL
    for (int v = 0; v < 5; ++v) u[v] = state[v * NP + p];
    Primitive<vreal> i, o;
    primitive(u, par, i);
    neighbour(par, block, face, l, o);
    outward_area(par, block, metrics_of(par, block), face, p, a);
    common_convective_flux(i, o, a, par, f);
}

// Writes interface_flux, [block][face][5][face point][lane]. A launch takes the face points of blocks up to range_end.
KERNEL(interface_by_cells) {
    for_each_in_range(par, GROUP, par.range_end * FACES * NL, [&](long long k) {
        const long long block = k / (FACES * NL);
        const int face = (int)(k / NL % FACES), l = (int)(k % NL);
        vreal f[5];
        flux_at(par, block, face, l, f);
        vreal *mine = block_of(par.interface_flux, block * FACES + face, 5 * NL) + l;
        UNROLL
        for (int v = 0; v < 5; ++v) mine[v * NL] = f[v];
    });
}
LAUNCHER(interface_by_cells)

// A launch takes the face points of the rows of `faces` up to range_end. Where the lanes of a row and those of the
// other side are adjacent in memory (always, where there is one lane), whole registers are written to both.
KERNEL(interface_by_faces) {
    for_each_in_range(par, GROUP, par.range_end * NL, [&](long long k) {
        const long long *row = par.faces + k / NL * FACE_ROW;
        const long long slot = row[0], *others = row + 2;
        const int face = (int)(slot % FACES), l = (int)(k % NL);
        vreal f[5];
        flux_at(par, slot / FACES, face, l, f);
        real *mine = par.interface_flux + slot * 5 * NL * LANE + (long long)l * LANE;
        const Slot *slots = par.slots + slot * LANE;
        if (row[1]) {
            real *theirs = par.interface_flux + others[0] + par.tables[slots->trace.table + l];
            UNROLL
            for (int v = 0; v < 5; ++v) {
                *(vreal *)(mine + v * NL * LANE) = f[v];
                *(vreal *)(theirs + v * NL * LANE) = -f[v];
            }
            return;
        }
        for (int lane = 0; lane < LANE; ++lane) {
            if (others[lane] == FACE_OF_OTHER) continue;
            real *theirs = par.interface_flux + others[lane] + par.tables[slots[lane].trace.table + l];
            for (int v = 0; v < 5; ++v) {
#ifndef ONE_LANE
                const real value = f[v][lane];
#else
                const real value = f[v];
#endif
                mine[v * NL * LANE + lane] = value;
                if (others[lane] != FACE_ALONE) theirs[v * NL * LANE] = -value;
            }
        }
    });
}
LAUNCHER(interface_by_faces)
