// Rows of bars: Brinkman penalisation (P. Angot, C.-H. Bruneau, P. Fabrie, Numer. Math. 81 (1999) 497). Inside a bar
// the gas is driven to the velocity v_s of the bar within the time eta:
//     force per volume F = chi rho (v_s - v)/eta,    power F.v_s
// The power is that of a solid which exchanges no heat: in the frame of the bar it is zero, and total enthalpy is kept.
// The host moves the bars (crates/base/src/physics/bars.rs) and sets their numbers for the moments of each step.
#pragma once
#include "physics/gas.h"

// A row at one time.
struct BarRow {
    real x, y, outer, inverse_width, pitch, inverse_pitch, speed, rate, temperature;
};

// The numbers of a row in the precision of the run.
INLINE BarRow bar_row(const BarNumbers &bars) {
    BarRow row = {
        R(bars.x),
        R(bars.y),
        R(bars.outer),
        R(bars.inverse_width),
        R(bars.pitch),
        R(bars.inverse_pitch),
        R(bars.speed),
        R(bars.rate),
        R(bars.temperature),
    };
    return row;
}

// The mask chi of the nearest bar, and its number, counted from the bar in the first pitch. The mask falls from 1 to 0
// over one width, up to the radius `outer`.
INLINE vreal bar_mask(const BarRow &row, vreal x, vreal y, vreal &number) {
    const vreal dx = x - row.x, e = y - row.y, zero = {};
    number = vfloor(vfma(e, zero + row.inverse_pitch, zero + R(0.5)));
    const vreal dy = e - row.pitch * number, square = vfma(dx, dx, dy * dy);
    const vreal radius = select(square > zero, vsqrt(square), zero);
    const vreal s = vmin(vmax((row.outer - radius) * row.inverse_width, zero), zero + R(1));
    return s * s * (R(3) - R(2) * s);
}

// The force on the gas (3) and the heat that it gets per volume, where the mask is chi.
INLINE void bar_force(const BarRow &row, vreal chi, const Primitive<vreal> &q, const Params &par, vreal *f) {
    const vreal rate = chi * row.rate * q.rho;
    f[0] = -rate * q.v[0];
    f[1] = rate * (row.speed - q.v[1]);
    f[2] = -rate * q.v[2];
    f[3] = row.temperature > R(0) ? rate * par.cv * (row.temperature - q.t) : vreal{};
}
