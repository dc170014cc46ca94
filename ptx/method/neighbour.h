// Access to the values on the other side of the faces of a cell.
#pragma once
#include "dialect/dialect.h"
#include "element/element.h"
#include "params.h"
#include "physics/gas.h"

// Gathers `count` variables of the other side at face point l, where the neighbours of the lanes are the lanes of one
// block (always where LANE = 1). The variables are `stride` points apart, or, if that is 0, the distance that the index
// holds.
INLINE void gather(const real *array, const GatherIndex *place, const int *tables, int l, int stride, int count,
                   vreal *u) {
#ifdef ONE_LANE
    const int4 words = constant_in_launch((const int4 *)place);
    const long long base = (long long)(unsigned)words.x | (long long)words.y << 32;
    const int apart = words.z, table = words.w;
#else
    const long long base = place->base;
    const int apart = place->stride / LANE, table = place->table;
#endif
    const vreal *first = (const vreal *)(array + base + constant_in_launch(tables + table + l));
    const int step = stride ? stride : apart;
    UNROLL
    for (int v = 0; v < count; ++v) u[v] = constant_in_launch(first + v * step);
}

#ifndef ONE_LANE
// The same for neighbours in different blocks; `place` is the index of the first lane.
INLINE void gather_lanes(const real *array, const GatherIndex *place, const int *tables, int l, int count, vreal *u) {
    for (int lane = 0; lane < LANE; ++lane, place += 2) {
        const real *first = array + place->base + tables[place->table + l];
        for (int v = 0; v < count; ++v) u[v][lane] = first[(long long)v * place->stride];
    }
}
#endif

// The state of the other side at face point l.
INLINE void neighbour(const Params &par, long long block, int face, int l, Primitive<vreal> &q) {
    const Slot *slots = par.slots + (block * FACES + face) * LANE;
    vreal u[5];
#ifndef ONE_LANE
    if (par.slot_kind[block * FACES + face] != SLOT_SIDE_BY_SIDE)
        gather_lanes(par.u, &slots->state, par.tables, l, 5, u);
    else
#endif
        gather(par.u, &slots->state, par.tables, l, par.uniform ? NP : 0, 5, u);
    primitive(u, par, q);
}

// Values of u, v, w, T for the gradient at one point of one cell.
struct GradientValues {
    real u, v, w, t;
};

// The values that the ghost of a slot holds for the gradient, or `state` where the slot has no ghost. A GPU calls this
// function rather than expand it: few cells come here, and expanded its addresses occupy registers from one end of a
// sweep to the other.
RARE GradientValues ghost_values(const Slot *slot, const real *states, long long ghost_base, int l,
                                 GradientValues state) {
    if (slot->state.base < ghost_base) return state;
    const real *ghost = states + slot->state.base + l;
    const long long apart = slot->state.stride;
    return {ghost[5 * apart], ghost[6 * apart], ghost[7 * apart], ghost[8 * apart]};
}

// Replaces four values of the other side by those that a boundary gives the gradient, if the face is at one; `states`
// has the ghosts, of the flow or of passive scalars.
INLINE void take_ghost_values(const Params &par, const real *states, long long block, int face, int l, vreal *q) {
    if (!par.boundaries || par.slot_kind[block * FACES + face] != SLOT_BOUNDARY) return;
    for (int lane = 0; lane < LANE; ++lane) {
        const Slot *slot = par.slots + (block * FACES + face) * LANE + lane;
#ifndef ONE_LANE
        const GradientValues state = {q[0][lane], q[1][lane], q[2][lane], q[3][lane]};
        const GradientValues values = ghost_values(slot, states, par.ghost_base, l, state);
        q[0][lane] = values.u, q[1][lane] = values.v, q[2][lane] = values.w, q[3][lane] = values.t;
#else
        const GradientValues values = ghost_values(slot, states, par.ghost_base, l, {q[0], q[1], q[2], q[3]});
        q[0] = values.u, q[1] = values.v, q[2] = values.w, q[3] = values.t;
#endif
    }
}

// The values of u, v, w, T of the other side for the gradient. They are those of its state, except that a boundary may
// prescribe its own: an isothermal wall reflects the state for the interface flux and prescribes the temperature to the
// gradient.
INLINE void neighbour_for_gradient(const Params &par, long long block, int face, int l, const Primitive<vreal> &o,
                                   vreal *q) {
    UNROLL
    for (int n = 0; n < 3; ++n) q[n] = o.v[n];
    q[3] = o.t;
    take_ghost_values(par, par.u, block, face, l, q);
}

// Replaces the outward common convective flux at face point l by that of an interface, if the face is at one
// (ptx/method/interface.h).
INLINE void take_interface_flux(const Params &par, long long block, int face, int l, vreal *f) {
    if (!par.interfaces || par.slot_kind[block * FACES + face] != SLOT_BOUNDARY) return;
    for (int lane = 0; lane < LANE; ++lane) {
        const GatherIndex &ghost = par.slots[(block * FACES + face) * LANE + lane].state;
        if (ghost.table != par.interface_table) continue;
        const real *common = par.interface_flux + (ghost.base - par.ghost_base) + l;
        for (int v = 0; v < 5; ++v) {
            const real value = common[(long long)v * ghost.stride];
#ifndef ONE_LANE
            f[v][lane] = value;
#else
            f[v] = value;
#endif
        }
    }
}

// The outward viscous flux (4 values) of the other side at face point l.
INLINE void neighbour_trace(const Params &par, long long block, int face, int l, vreal *f) {
    const Slot *slots = par.slots + (block * FACES + face) * LANE;
#ifndef ONE_LANE
    if (par.slot_kind[block * FACES + face] != SLOT_SIDE_BY_SIDE)
        gather_lanes(par.traces, &slots->trace, par.tables, l, 4, f);
    else
#endif
        gather(par.traces, &slots->trace, par.tables, l, face_size(face), 4, f);
}
