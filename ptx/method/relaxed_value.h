// This header advances the relaxed values of boundary points in time; ptx/physics/boundary.h describes them. They have
// the stages of the Runge-Kutta method, as the state has. They are kept in double precision, so that small rates are
// not lost.
#pragma once
#include "method/boundary_point.h"

// What the points of a face tell a point of a relaxed outlet.
struct FaceTerms {
    // The mean over the face of the pressure there (ptx/physics/boundary.h) where the outlet holds a mean, or 0.
    // It is exactly the mean of what the points have: a difference would act on the mean of the outlet at the rate of
    // the points, which is far above that of the mean.
    real mean_pressure;
    // The change of the normal velocity outside by the flow along the face, from the derivatives of the own trace along
    // it. Without it every vortex that leaves is distorted.
    //   TRANSVERSE_CONVECTIVE: vn div_t v_t - v_t.grad_t vn, for a solenoidal velocity that the flow carries along
    //   TRANSVERSE_LODATO: beta (v_t.grad_t p/z + c div_t v_t - v_t.grad_t vn), beta the Mach number of the outflow
    //     (G. Lodato, P. Domingo & L. Vervisch, J. Comput. Phys. 227 (2008) 5105)
    // A derivative of differences to the own point is as exact, and rounds less.
    real transverse;
};

// Outlets are small, so that their threads wait for memory and for little else: the values of so many points are loaded
// before the first of them is used.
#define POINTS_TOGETHER 4

INLINE FaceTerms face_terms(const Params &par, const BoundaryPoint &at, const Primitive<real> &q, const real *n,
                            const real *data) {
    const Transverse form = (Transverse)(int)data[RELAXED_TRANSVERSE];
    // What is noted is the mean of all outlets.
    const bool means = data[RELAXED_IMPEDANCE] != R(0) || par.relaxed_update == RELAXED_NOTE;
    const int points = (int)par.face_size;
    const long long first = at.b * points;
    const real *dual = par.boundary_dual + 6 * first + at.l, own = pressure(q, par);
    real divergence = R(0), convection = R(0), pressure_convection = R(0), sum = R(0), area = R(0);
    for (int begin = 0; begin < points; begin += POINTS_TOGETHER) {
        Primitive<real> states[POINTS_TOGETHER];
        real along_a[POINTS_TOGETHER], along_b[POINTS_TOGETHER];
        UNROLL
        for (int i = 0; i < POINTS_TOGETHER; ++i) {
            const int m = begin + i < points ? begin + i : points - 1;
            const real *d = par.face_derivatives + at.l * points + m;
            states[i] = boundary_cell_state(par, at, m);
            along_a[i] = d[0], along_b[i] = d[points * points];
        }
        UNROLL
        for (int i = 0; i < POINTS_TOGETHER; ++i) {
            if (begin + i >= points) break;
            if (form == TRANSVERSE_NONE || (along_a[i] == R(0) && along_b[i] == R(0))) continue;
            real gradient[3], dv[3];
            for (int k = 0; k < 3; ++k) {
                gradient[k] = along_a[i] * dual[k * points] + along_b[i] * dual[(3 + k) * points];
                dv[k] = states[i].v[k] - q.v[k];
            }
            const real carried = dot3(q.v, gradient);
            divergence += dot3(gradient, dv);
            convection += carried * dot3(dv, n);
            pressure_convection += carried * (pressure(states[i], par) - own);
        }
        if (!means) continue;
        real normals[POINTS_TOGETHER][3], outer[POINTS_TOGETHER], weights[POINTS_TOGETHER], values[POINTS_TOGETHER];
        UNROLL
        for (int i = 0; i < POINTS_TOGETHER; ++i) {
            const int m = begin + i < points ? begin + i : points - 1;
            boundary_normal(par, {at.b, m, at.kind}, normals[i]);
            outer[i] = par.boundary_data[first * BOUNDARY_VALUES + OUTLET_PRESSURE * points + m];
            weights[i] = par.boundary_area[4 * first + 3 * points + m];
            values[i] = (real)par.relaxed[first + m];
        }
        UNROLL
        for (int i = 0; i < POINTS_TOGETHER; ++i) {
            if (begin + i >= points) break;
            sum += weights[i] * relaxed_face_pressure(states[i], normals[i], outer[i], values[i], par);
            area += weights[i];
        }
    }
    const real c = sound_speed(q, par);
    real transverse = R(0);
    if (form == TRANSVERSE_CONVECTIVE) transverse = dot3(q.v, n) * divergence - convection;
    if (form == TRANSVERSE_LODATO)
        transverse = data[RELAXED_MACH] * (pressure_convection / (q.rho * c) + c * divergence - convection);
    return {means ? sum / area : R(0), transverse};
}

// The difference between the pressure that a point of an outlet seeks and the given one. An outlet that holds a mean
// evens out the pressure of a face: each point seeks the mean of its face. The mean of the face itself is moved towards
// that of the outlet, from where it was when both were noted last, at a rate that the host has chosen. What the mean of
// the face has changed since then is taken for plane sound, which passes.
INLINE real pressure_shift(const Params &par, const BoundaryPoint &at, const real *data, const FaceTerms &face) {
    if (data[RELAXED_IMPEDANCE] == R(0)) return R(0);
    const double *held = par.held_pressure + 2 * par.boundary_name[at.b];
    const double noted = par.noted_pressure[at.b * par.face_size + at.l];
    const double change = (double)(face.mean_pressure - data[OUTLET_PRESSURE]);
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
    const FaceTerms face = face_terms(par, at, q, n, data);
    const real shift = pressure_shift(par, at, data, face);
    const bool follows = relaxation(at.kind, q, n, data, (real)par.relaxed[i], shift, par).reach == R(0);
    const real along = follows ? R(0) : face.transverse;
    par.relaxed_sum[i] = (double)(data[RELAXED_IMPEDANCE] * along);
    par.noted_pressure[i] = (double)face.mean_pressure;
}

// Advances the relaxed value of a point by a stage, or begins it.
INLINE void advance_relaxed(const Params &par, const BoundaryPoint &at, const Primitive<real> &q, const real *n,
                            const real *data) {
    if (par.relaxed_update == RELAXED_KEEP) return;
    const long long i = at.b * par.face_size + at.l;
    const bool begins = par.relaxed_update == RELAXED_BEGIN;
    if (par.relaxed_update == RELAXED_NOTE) return note_outlet(par, at, q, n, data);
    const double now = par.relaxed[i];
    const bool terms = at.kind == BOUNDARY_RELAXED_OUTLET && !begins;
    const FaceTerms face = terms ? face_terms(par, at, q, n, data) : FaceTerms{R(0), R(0)};
    const real shift = terms ? pressure_shift(par, at, data, face) : R(0);
    const Relaxation to = relaxation(at.kind, q, n, data, (real)now, shift, par);
    const double target = (double)to.target, reach = (double)to.reach;
    if (begins) {
        par.relaxed_start[i] = target;
        par.noted_pressure[i] = (double)data[OUTLET_PRESSURE];
        return;
    }
    const double k = (double)to.rate * (target - now) + (double)face.transverse, dt = (double)*par.dt;
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
