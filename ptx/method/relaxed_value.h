// This header advances the relaxed values of boundary points in time; ptx/physics/boundary.h describes them. They have
// the stages of the Runge-Kutta method, as the state has. They are kept in double precision, so that small rates are
// not lost.
#pragma once
#include "method/boundary_point.h"

// The change of the normal velocity outside a relaxed outlet by the flow along the face, from the derivatives of the
// own trace along the face. Without it every vortex that leaves is distorted.
//   TRANSVERSE_CONVECTIVE: vn div_t v_t - v_t.grad_t vn, for a solenoidal velocity that the flow carries along
//   TRANSVERSE_LODATO: beta (v_t.grad_t p/z + c div_t v_t - v_t.grad_t vn), beta the Mach number of the outflow
//     (G. Lodato, P. Domingo & L. Vervisch, J. Comput. Phys. 227 (2008) 5105)
// A derivative of differences to the own point is as exact, and rounds less.
INLINE real transverse_terms(const Params &par, const BoundaryPoint &at, const Primitive<real> &q, const real *n,
                             const real *data) {
    const Transverse form = (Transverse)(int)data[RELAXED_TRANSVERSE];
    if (form == TRANSVERSE_NONE) return R(0);
    const long long points = par.face_size;
    const real *dual = par.boundary_dual + 6 * at.b * points + at.l, own = pressure(q, par);
    real divergence = R(0), convection = R(0), pressure_convection = R(0);
    for (int m = 0; m < points; ++m) {
        const real *d = par.face_derivatives + at.l * points + m;
        const real along_a = d[0], along_b = d[points * points];
        if (along_a == R(0) && along_b == R(0)) continue;
        const Primitive<real> other = boundary_cell_state(par, at, m);
        real gradient[3], dv[3];
        for (int k = 0; k < 3; ++k) {
            gradient[k] = along_a * dual[k * points] + along_b * dual[(3 + k) * points];
            dv[k] = other.v[k] - q.v[k];
        }
        const real carried = dot3(q.v, gradient);
        divergence += dot3(gradient, dv);
        convection += carried * dot3(dv, n);
        pressure_convection += carried * (pressure(other, par) - own);
    }
    const real c = sound_speed(q, par);
    switch (form) {
    case TRANSVERSE_CONVECTIVE: return dot3(q.v, n) * divergence - convection;
    case TRANSVERSE_LODATO:
        return data[RELAXED_MACH] * (pressure_convection / (q.rho * c) + c * divergence - convection);
    case TRANSVERSE_NONE: break;
    }
    return R(0);
}

// The mean over a face of a relaxed outlet of the pressure there. It is exactly the mean of what the points have: a
// difference would act on the mean of the outlet at the rate of the points, which is far above that of the mean.
INLINE real mean_face_pressure(const Params &par, const BoundaryPoint &at) {
    const long long points = par.face_size, first = at.b * points;
    real sum = R(0), area = R(0);
    for (int m = 0; m < points; ++m) {
        const BoundaryPoint there = {at.b, m, at.kind};
        real n[3];
        boundary_normal(par, there, n);
        const real outer = par.boundary_data[first * BOUNDARY_VALUES + OUTLET_PRESSURE * points + m];
        const Primitive<real> q = boundary_cell_state(par, at, m);
        const real weight = par.boundary_area[(4 * at.b + 3) * points + m];
        sum += weight * relaxed_face_pressure(q, n, outer, (real)par.relaxed[first + m], par), area += weight;
    }
    return sum / area;
}

// The difference between the pressure that a point of an outlet seeks and the given one. An outlet that holds a mean
// evens out the pressure of a face: each point seeks the mean of its face. The mean of the face itself is moved towards
// that of the outlet, from where it was when both were noted last, at a rate that the host has chosen. What the mean of
// the face has changed since then is taken for plane sound, which passes.
INLINE real pressure_shift(const Params &par, const BoundaryPoint &at, const real *data) {
    if (at.kind != BOUNDARY_RELAXED_OUTLET || data[RELAXED_IMPEDANCE] == R(0)) return R(0);
    const double *held = par.held_pressure + 2 * par.boundary_name[at.b];
    const double noted = par.noted_pressure[at.b * par.face_size + at.l];
    const double change = (double)(mean_face_pressure(par, at) - data[OUTLET_PRESSURE]);
    return (real)(change + (held[0] - held[1] * noted));
}

// Notes what the host needs of a point of an outlet: the mean pressure of its face, and the impedance times the terms
// along the face. Their mean over the outlet would act on the mean pressure as a source, which the host takes away.
// Where the value follows the cell, faster than sound, these terms do nothing. The sum of the rates, which serves
// within a step alone, holds them until the next step.
INLINE void note_outlet(const Params &par, const BoundaryPoint &at, const Primitive<real> &q, const real *n,
                        const real *data) {
    if (at.kind != BOUNDARY_RELAXED_OUTLET) return;
    const long long i = at.b * par.face_size + at.l;
    const real shift = pressure_shift(par, at, data);
    const bool follows = relaxation(at.kind, q, n, data, (real)par.relaxed[i], shift, par).reach == R(0);
    const real along = follows ? R(0) : transverse_terms(par, at, q, n, data);
    par.relaxed_sum[i] = (double)(data[RELAXED_IMPEDANCE] * along);
    par.noted_pressure[i] = (double)mean_face_pressure(par, at);
}

// Advances the relaxed value of a point by a stage, or begins it.
INLINE void advance_relaxed(const Params &par, const BoundaryPoint &at, const Primitive<real> &q, const real *n,
                            const real *data) {
    if (par.relaxed_update == RELAXED_KEEP) return;
    const long long i = at.b * par.face_size + at.l;
    const bool begins = par.relaxed_update == RELAXED_BEGIN;
    if (par.relaxed_update == RELAXED_NOTE) return note_outlet(par, at, q, n, data);
    const double now = par.relaxed[i];
    const real shift = begins ? R(0) : pressure_shift(par, at, data);
    const Relaxation to = relaxation(at.kind, q, n, data, (real)now, shift, par);
    const double target = (double)to.target, reach = (double)to.reach;
    if (begins) {
        par.relaxed_start[i] = target;
        par.noted_pressure[i] = (double)data[OUTLET_PRESSURE];
        return;
    }
    const real along = at.kind == BOUNDARY_RELAXED_OUTLET ? transverse_terms(par, at, q, n, data) : R(0);
    const double k = (double)to.rate * (target - now) + (double)along, dt = (double)*par.dt;
    const double least = target - reach, most = target + reach;
    if (par.low_storage) { // the 2N form of method/update.h
        const double before = par.relaxed_update == RELAXED_FIRST ? 0 : par.relaxed_sum[i];
        const double s = par.weight * before + dt * k, next = now + par.fraction * s;
        par.relaxed_sum[i] = s;
        par.relaxed_out[i] = next < least ? least : (next > most ? most : next);
        return;
    }
    if (par.paired) { // the paired scheme of method/update.h; the state beside a point of no share may be an old one
        const bool begin = par.relaxed_update == RELAXED_FIRST;
        const double share = (double)par.level_shares[par.boundary_level[at.b]];
        const double whole = (double)(par.fraction + par.weight); // the time of the next stage; 1 in the last one
        const double first = begin ? k : par.relaxed_sum[i];
        const double change = share > 0 ? (whole - share) * first + share * k : whole * first;
        double next = par.relaxed_start[i] + dt * change;
        if (begin || share > 0) next = next < least ? least : (next > most ? most : next);
        if (begin) par.relaxed_sum[i] = k;
        *(par.relaxed_update == RELAXED_LAST ? par.relaxed_start + i : par.relaxed_out + i) = next;
        return;
    }
    const double before = par.relaxed_update == RELAXED_FIRST ? 0 : par.relaxed_sum[i], sum = before + par.weight * k;
    const double change = par.relaxed_update == RELAXED_LAST ? sum : par.fraction * k;
    double next = par.relaxed_start[i] + dt * change;
    next = next < least ? least : (next > most ? most : next);
    if (par.relaxed_update == RELAXED_LAST) {
        par.relaxed_start[i] = next;
    } else {
        par.relaxed_sum[i] = sum;
        par.relaxed_out[i] = next;
    }
}
