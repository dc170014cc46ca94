// The forces of a frame of reference that rotates at the constant angular velocity omega, that of the run or, where
// blocks of cells turn past each other, `speed` of each cell about a common axis. Velocities v are relative to
// the frame, and s = omega x r is the velocity of the frame itself. Per volume, the forces are
//     Coriolis      -2 rho omega x v
//     centrifugal   -rho omega x s
// and their power is -rho (omega x s).v, since the Coriolis force does no work (G. K. Batchelor, An Introduction to
// Fluid Dynamics, 3.2).
#pragma once
#include "physics/gas.h"

// The force (3) and its power. `speed` is the angular speed of the cells, read where they have frames of their own.
INLINE void rotation_force(vreal rho, const vreal *v, const vreal *s, const vreal *speed, const Params &par,
                           vreal *f) {
    vreal omega[3] = {};
    UNROLL
    for (int m = 0; m < 3; ++m) omega[m] = omega[m] + par.angular_velocity[m];
    if (par.rotates == FRAMES_SEVERAL) {
        UNROLL
        for (int m = 0; m < 3; ++m) omega[m] = omega[m] * *speed;
    }
    vreal power = {};
    UNROLL
    for (int m = 0; m < 3; ++m) {
        const int a = (m + 1) % 3, b = (m + 2) % 3;
        const vreal coriolis = R(2) * (omega[a] * v[b] - omega[b] * v[a]);
        const vreal centrifugal = omega[a] * s[b] - omega[b] * s[a];
        f[m] = -rho * (coriolis + centrifugal);
        power = power - rho * centrifugal * v[m];
    }
    f[3] = power;
}
