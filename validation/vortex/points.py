#!/usr/bin/env python3
"""What points, split form and interface flux contribute to the error of a vortex: a small two-dimensional solver
that is independent of fr-les, with Gauss-Lobatto or Gauss points.

The vortex is that of PyFR's example (strength 13.5, Mach 0.4, radius 1.5, box [-10, 10]^2), carried once through the
box in y. Printed is the root mean square error of the density over the box.

python3 validation/vortex/points.py ORDER CELLS[,CELLS...] [WORDS OF A NAME]        (needs numpy and numba)"""
import sys

import numpy as np
from numba import njit
from numpy.polynomial import legendre

GAMMA = 1.4
STRENGTH, MACH, RADIUS, HALF_WIDTH, PERIOD = 13.5, 0.4, 1.5, 10.0, 20.0
ROE, RUSANOV = 0, 1
# Points, split form, interface flux, variables that are extrapolated from Gauss points to faces.
SCHEMES = {
    "Gauss-Lobatto, split, Roe": ("lobatto", True, ROE, "conserved"),
    "Gauss-Lobatto, split, Rusanov": ("lobatto", True, RUSANOV, "conserved"),
    "Gauss-Lobatto, divergence, Roe": ("lobatto", False, ROE, "conserved"),
    "Gauss, divergence, Roe": ("gauss", False, ROE, "conserved"),
    "Gauss, divergence, Rusanov": ("gauss", False, RUSANOV, "conserved"),
    "Gauss, split, Roe": ("gauss", True, ROE, "conserved"),
    "Gauss, split, Roe, faces by primitive variables": ("gauss", True, ROE, "primitive"),
}


def points_and_weights(order, family):
    """Points of a line on [-1, 1] and the weights of their quadrature."""
    if family == "gauss":
        return legendre.leggauss(order + 1)
    last = np.eye(order + 1)[order]
    x = np.concatenate([[-1.0], np.sort(legendre.legroots(legendre.legder(last))), [1.0]])
    return x, 2 / (order * (order + 1) * legendre.legval(x, last) ** 2)


def interpolation(x, to):
    """Matrix that interpolates from the points x to others."""
    others = lambda k: np.delete(x, k)
    return np.array([[np.prod((t - others(k)) / (x[k] - others(k))) for k in range(len(x))] for t in to])


def derivative(x):
    """Matrix of derivatives at the points x."""
    modes = np.eye(len(x))
    slopes = np.stack([legendre.legval(x, legendre.legder(mode)) for mode in modes], axis=1)
    return slopes @ np.linalg.inv(legendre.legvander(x, len(x) - 1))


def correction(x, order):
    """Slope of Huynh's g_DG of the lower end at the points x."""
    modes = np.eye(order + 2)
    return legendre.legval(x, legendre.legder((-1) ** order * 0.5 * (modes[order] - modes[order + 1])))


@njit(inline="always")
def set_flux(q, d, f):
    """Flux in direction d of a state q: density, both velocities, pressure, energy."""
    f[0] = q[0] * q[1 + d]
    f[1] = f[0] * q[1]
    f[2] = f[0] * q[2]
    f[1 + d] += q[3]
    f[3] = (q[4] + q[3]) * q[1 + d]


@njit(inline="always")
def set_two_point_flux(q, s, d, f):
    """Flux of Kennedy & Gruber (2008) and Pirozzoli (2010) of two states."""
    f[0] = 0.25 * (q[0] + s[0]) * (q[1 + d] + s[1 + d])
    f[1] = f[0] * 0.5 * (q[1] + s[1])
    f[2] = f[0] * 0.5 * (q[2] + s[2])
    f[1 + d] += 0.5 * (q[3] + s[3])
    f[3] = f[0] * 0.5 * ((q[4] + q[3]) / q[0] + (s[4] + s[3]) / s[0])


@njit
def set_interface_flux(q, s, d, solver, f):
    """Common flux of the states q below and s above a face: Roe with Harten's fix at 0.1 c, or Rusanov."""
    lower, upper, jump = np.empty(4), np.empty(4), np.empty(4)
    set_flux(q, d, lower)
    set_flux(s, d, upper)
    if solver == RUSANOV:
        wave = max(abs(q[1 + d]) + np.sqrt(GAMMA * q[3] / q[0]), abs(s[1 + d]) + np.sqrt(GAMMA * s[3] / s[0]))
        jump[0] = wave * (s[0] - q[0])
        jump[1] = wave * (s[0] * s[1] - q[0] * q[1])
        jump[2] = wave * (s[0] * s[2] - q[0] * q[2])
        jump[3] = wave * (s[4] - q[4])
    else:
        a, b = np.sqrt(q[0]), np.sqrt(s[0])
        normal, along = (a * q[1 + d] + b * s[1 + d]) / (a + b), (a * q[2 - d] + b * s[2 - d]) / (a + b)
        enthalpy = (a * (q[4] + q[3]) / q[0] + b * (s[4] + s[3]) / s[0]) / (a + b)
        kinetic = 0.5 * (normal**2 + along**2)
        c = np.sqrt((GAMMA - 1) * (enthalpy - kinetic))
        speed = np.array([abs(normal - c), abs(normal), abs(normal + c)])
        for w in (0, 2):
            if speed[w] < 0.1 * c:
                speed[w] = 0.5 * (speed[w] ** 2 / (0.1 * c) + 0.1 * c)
        dp, dn = s[3] - q[3], a * b * c * (s[1 + d] - q[1 + d])
        left, right = speed[0] * (dp - dn) / (2 * c * c), speed[2] * (dp + dn) / (2 * c * c)
        entropy, shear = speed[1] * (s[0] - q[0] - dp / (c * c)), speed[1] * a * b * (s[2 - d] - q[2 - d])
        jump[0] = left + entropy + right
        jump[1 + d] = left * (normal - c) + entropy * normal + right * (normal + c)
        jump[2 - d] = jump[0] * along + shear
        jump[3] = left * (enthalpy - normal * c) + right * (enthalpy + normal * c) + entropy * kinetic + shear * along
    for v in range(4):
        f[v] = 0.5 * (lower[v] + upper[v] - jump[v])


@njit
def set_states(u, q):
    """Density, velocities, pressure and energy of conserved variables."""
    q[0], q[1], q[2], q[4] = u[0], u[1] / u[0], u[2] / u[0], u[3]
    q[3] = (GAMMA - 1) * (u[3] - 0.5 * (u[1] * q[1] + u[2] * q[2]))


@njit
def add_split_line(q, ends, common, D, to_ends, w, d, result):
    """Split form of a line in hybridised summation by parts (J. Chan, J. Comput. Phys. 362 (2018) 346).

    There are two-point fluxes among the points, and between each point and both ends. With Gauss-Lobatto points, whose
    ends are points, it is the split form with Huynh's g_2."""
    n = len(q)
    f, by_end, at_end = np.empty(4), np.empty((n, 4)), np.empty(4)
    for i in range(n):
        for k in range(n):
            if k != i:
                set_two_point_flux(q[i], q[k], d, f)
                result[i] += (D[i, k] - w[k] * D[k, i] / w[i]) * f
    for side in range(2):
        at_end[:] = 0.0
        for k in range(n):
            set_two_point_flux(q[k], ends[side], d, by_end[k])
            at_end += to_ends[side, k] * by_end[k]
        for i in range(n):
            result[i] += (2 * side - 1) * to_ends[side, i] / w[i] * (by_end[i] - at_end + common[side])


@njit
def add_corrected_line(q, common, D, to_ends, slopes, split, d, result):
    """Derivative of the flux along a line, in split or divergence form, with g_DG at both ends."""
    n = len(q)
    f, own = np.empty(4), np.empty((n, 4))
    for k in range(n):
        set_flux(q[k], d, own[k])
    for i in range(n):
        for k in range(n):
            if split:
                set_two_point_flux(q[i], q[k], d, f)
                result[i] += 2 * D[i, k] * f
            else:
                result[i] += D[i, k] * own[k]
    for side in range(2):
        for v in range(4):
            jump = common[side, v]
            for k in range(n):
                jump -= to_ends[side, k] * own[k, v]
            for i in range(n):
                result[i, v] += slopes[side, i] * jump


@njit
def set_rhs(u, rate, D, to_ends, slopes, w, width, gauss, split, solver, primitive):
    """Rate of change; the indices of u are cell in y, cell in x, point in y, point in x, variable."""
    cells, n = u.shape[0], u.shape[2]
    rate[:] = 0.0
    q, ends = np.empty((cells, cells, n, n, 5)), np.empty((cells, cells, n, 2, 5))
    above, common = np.empty((cells, cells, n, 4)), np.empty((2, 4))
    line, result, mean = np.empty((n, 5)), np.empty((n, 4)), np.empty(4)
    for y in range(cells):
        for x in range(cells):
            for j in range(n):
                for i in range(n):
                    set_states(u[y, x, j, i], q[y, x, j, i])
    for d in range(2):
        for y in range(cells):
            for x in range(cells):
                for l in range(n):
                    for side in range(2):
                        mean[:] = 0.0
                        for k in range(n):
                            for v in range(4):
                                j, i = (l, k) if d == 0 else (k, l)
                                mean[v] += to_ends[side, k] * (q[y, x, j, i, v] if primitive else u[y, x, j, i, v])
                        end = ends[y, x, l, side]
                        if primitive:
                            end[:4] = mean
                            end[4] = mean[3] / (GAMMA - 1) + 0.5 * mean[0] * (mean[1] ** 2 + mean[2] ** 2)
                        else:
                            set_states(mean, end)
        for y in range(cells):
            for x in range(cells):
                y2, x2 = (y, (x + 1) % cells) if d == 0 else ((y + 1) % cells, x)
                for l in range(n):
                    set_interface_flux(ends[y, x, l, 1], ends[y2, x2, l, 0], d, solver, above[y, x, l])
        for y in range(cells):
            for x in range(cells):
                y0, x0 = (y, x - 1) if d == 0 else (y - 1, x)
                for l in range(n):
                    for k in range(n):
                        line[k] = q[y, x, l, k] if d == 0 else q[y, x, k, l]
                    common[0], common[1] = above[y0, x0, l], above[y, x, l]
                    result[:] = 0.0
                    if gauss and split:
                        add_split_line(line, ends[y, x, l], common, D, to_ends, w, d, result)
                    else:
                        add_corrected_line(line, common, D, to_ends, slopes, split, d, result)
                    for k in range(n):
                        if d == 0:
                            rate[y, x, l, k] -= 2 / width * result[k]
                        else:
                            rate[y, x, k, l] -= 2 / width * result[k]


def exact(x, y):
    """Density, velocities and pressure of the vortex at the beginning and after a period."""
    f = (1 - x * x - y * y) / (2 * RADIUS**2)
    rho = (1 - (STRENGTH * MACH / np.pi) ** 2 * (GAMMA - 1) / 8 * np.exp(2 * f)) ** (1 / (GAMMA - 1))
    swirl = STRENGTH * np.exp(f) / (2 * np.pi * RADIUS)
    return rho, y * swirl, 1 - x * swirl, rho**GAMMA / (GAMMA * MACH**2)


def error(order, cells, family, split, solver, faces):
    """Root mean square error of the density after one period, with RK4 at a quarter of the usual step."""
    x, w = points_and_weights(order, family)
    width = 2 * HALF_WIDTH / cells
    middles = -HALF_WIDTH + width * (np.arange(cells) + 0.5)
    place = lambda at: np.broadcast_arrays(
        middles[None, :, None, None] + width / 2 * at[None, None, None, :],
        middles[:, None, None, None] + width / 2 * at[None, None, :, None],
    )
    rho, u, v, p = exact(*place(x))
    state = np.stack([rho, rho * u, rho * v, p / (GAMMA - 1) + 0.5 * rho * (u * u + v * v)], axis=-1)
    slopes = np.stack([correction(x, order), -correction(-x, order)])
    settings = (derivative(x), interpolation(x, [-1.0, 1.0]), slopes, w, width)
    settings += (family == "gauss", split, solver, faces == "primitive")

    def rhs(state):
        rate = np.empty_like(state)
        set_rhs(state, rate, *settings)
        return rate

    steps = int(np.ceil(PERIOD * (2 + 1 / MACH) * (2 * order + 1) / (0.5 * width)))
    dt = PERIOD / steps
    for _ in range(steps):
        first = rhs(state)
        second = rhs(state + dt / 2 * first)
        third = rhs(state + dt / 2 * second)
        state = state + dt / 6 * (first + 2 * second + 2 * third + rhs(state + dt * third))
    at, weight = legendre.leggauss(order + 4)
    to = interpolation(x, at)
    found = np.einsum("jb,ia,yxba->yxji", to, to, state[..., 0])
    square = (found - exact(*place(at))[0]) ** 2
    return np.sqrt(np.einsum("j,i,yxji->", weight, weight, square) / 4) / cells


order, meshes, words = int(sys.argv[1]), [int(n) for n in sys.argv[2].split(",")], " ".join(sys.argv[3:])
for name, scheme in SCHEMES.items():
    if words in name:
        errors = (f"{cells}^2 {error(order, cells, *scheme):.3e}" for cells in meshes)
        print(f"p = {order}  {name:48}", "  ".join(errors), flush=True)
