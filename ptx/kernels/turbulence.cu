// Velocity fluctuations of turbulent inlets: sums of Fourier modes at the points of their faces
// (crates/base/src/physics/turbulence). The boundary conditions add them to the velocity that they prescribe
// (method/boundary_point.h).
#include "dialect/dialect.h"
#include "params.h"
#include "physics/turbulence.h"

// The phases of the modes at the time of the launch, in double precision: after a long time the product of frequency
// and time has many turns.
KERNEL(turbulence_phases) {
    for_each_in_range(par, GROUP, par.mode_count, [&](long long n) {
        const double *frequency = par.turbulence_phases + par.mode_count;
        const double turns = par.turbulence_phases[n] - frequency[n] * par.turbulence_now[0];
        const double round = 6755399441055744.0;
        par.turbulence_turns[n] = (real)(turns - ((turns + round) - round));
    });
}
LAUNCHER(turbulence_phases)

// The amplitude of a mode at a place among the rows of amplitudes, linear between two of them.
INLINE vreal amplitude_at(const real *of_mode, long long modes, vreal places) {
    vreal amplitude = {};
    for (int lane = 0; lane < LANE; ++lane) {
        const real at = lane_of(places, lane);
        const int row = at < R(LENGTH_ROWS - 1) ? (int)at : LENGTH_ROWS - 2;
        const real low = of_mode[row * modes], high = of_mode[(row + 1) * modes];
        set_lane(amplitude, lane, vfma(at - (real)row, high - low, low));
    }
    return amplitude;
}

// The fluctuations of a group of points; on a CPU the lanes are points, too. Slice s of a point sums the modes s, s +
// MODE_SLICES, ..., so that a GPU has more threads than points, and the slices are added in their order. The
// correction takes the mass flow of the fluctuations away.
KERNEL(turbulence) {
    SHARED_MEMORY;
    SHARED(vreal, part, 3 * MODE_SLICES *TURBULENT_POINTS);
    SHARED_TOTAL(turbulence, sizeof(*part));
    const int values = TURBULENT_VALUES * TURBULENT_POINTS;
    for_each<MODE_SLICES * TURBULENT_POINTS>([&](int c, int i) {
        const long long group = GROUP * CELLS_PER_BLOCK + c, modes = par.mode_count;
        if (group >= par.boundary_count) return;
        const vreal zero = {}, *x = (const vreal *)par.turbulence_points + group * values + i / MODE_SLICES;
        const bool varies = par.turbulence_varies && par.turbulence_amplitudes;
        vreal v[3] = {zero, zero, zero}, places = zero;
        if (varies) places = ((const vreal *)par.turbulence_places)[group * TURBULENT_POINTS + i / MODE_SLICES];
        for (long long n = i % MODE_SLICES; n < modes; n += MODE_SLICES) {
            const real *mode = par.turbulence_modes + n;
            vreal turns = zero + par.turbulence_turns[n];
            for (int m = 0; m < 3; ++m) turns = vfma(mode[m * modes], x[m * TURBULENT_POINTS], turns);
            vreal wave = cosine_of_turns(turns);
            if (varies) wave = wave * amplitude_at(par.turbulence_amplitudes + n, modes, places);
            for (int m = 0; m < 3; ++m) v[m] = vfma(mode[(3 + m) * modes], wave, v[m]);
        }
        for (int m = 0; m < 3; ++m) part[c][m * MODE_SLICES * TURBULENT_POINTS + i] = v[m];
    });
    BARRIER();
    for_each<TURBULENT_POINTS>([&](int c, int p) {
        const long long group = GROUP * CELLS_PER_BLOCK + c;
        if (group >= par.boundary_count) return;
        const vreal *at = (const vreal *)par.turbulence_points + group * values + p;
        const real correction = (real)par.turbulence_now[1];
        vreal v[3], a[6], u[3];
        for (int m = 0; m < 3; ++m) {
            const vreal *slices = part[c] + (m * TURBULENT_POINTS + p) * MODE_SLICES;
            v[m] = slices[0];
            for (int s = 1; s < MODE_SLICES; ++s) v[m] = v[m] + slices[s];
        }
        for (int m = 0; m < 6; ++m) a[m] = at[(3 + m) * TURBULENT_POINTS];
        u[0] = a[0] * v[0];
        u[1] = vfma(a[2], v[1], a[1] * v[0]);
        u[2] = vfma(a[5], v[2], vfma(a[4], v[1], a[3] * v[0]));
        for (int m = 0; m < 3; ++m) u[m] = vfma(correction, at[(9 + m) * TURBULENT_POINTS], u[m]);
        for (int lane = 0; lane < LANE; ++lane) {
            const long long target = par.turbulence_targets[(group * TURBULENT_POINTS + p) * LANE + lane];
            if (target < 0) continue;
            for (int m = 0; m < 3; ++m) par.boundary_fluctuation[target + m] = lane_of(u[m], lane);
        }
    });
}
LAUNCHER(turbulence)
