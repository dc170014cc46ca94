#!/usr/bin/env python3
"""Taylor-Green vortex on Gauss-Lobatto or Gauss points: a solver in JAX that is independent of fr-les.

It has the same scheme on hexahedra (g_DG, Roe, RK4 with Kahan's compensation, central viscous flux with its penalty).
On Gauss points the split form is that of hybridised summation by parts (J. Chan, J. Comput. Phys. 362 (2018) 346).
Printed is the error of the dissipation against reference.csv, as in docs/explanation/performance.md.

python3 validation/taylor-green/points.py ORDER CELLS lobatto|gauss split|divergence STEPS END single|double [primitive]

With `primitive` the variables extrapolated from Gauss points to faces are the primitive ones. END/STEPS has to divide
0.1. Needs jax and numpy, and for more than a few cells a GPU: 24^3 cells of order 3, 9600 steps, take 1 to 2 minutes.
"""

import sys
import time
from functools import partial
from pathlib import Path

import numpy as np
import jax
import jax.numpy as jnp
from numpy.polynomial import legendre as L

HI = jax.lax.Precision.HIGHEST
G, R = 1.4, 1.0
p, N, family, split = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3], sys.argv[4]
steps, end, single, prim_faces = (
    int(sys.argv[5]),
    float(sys.argv[6]),
    sys.argv[7] == "single",
    "primitive" in sys.argv[8:],
)
if not single:
    jax.config.update("jax_enable_x64", True)
F = jnp.float32 if single else jnp.float64
n = p + 1
if family == "gauss":
    x, w = L.leggauss(n)
else:
    c = np.eye(n)[p]
    x = np.concatenate([[-1.0], np.sort(np.real(L.legroots(L.legder(c)))), [1.0]])
    w = 2 / (p * n * L.legval(x, c) ** 2)
lag = lambda at: np.array([[np.prod((t - np.delete(x, k)) / (x[k] - np.delete(x, k))) for k in range(n)] for t in at])
V = L.legvander(x, p)
D = np.stack([L.legval(x, L.legder(np.eye(n)[k])) if k else np.zeros(n) for k in range(n)], 1) @ np.linalg.inv(V)
E = lag([-1.0, 1.0])
m = np.eye(n + 1)
gL = L.legder((-1) ** p * 0.5 * (m[p] - m[p + 1]))
gs = np.stack([L.legval(x, gL), -L.legval(-x, gL)])  # slopes at points, both ends
lam = abs(L.legval(-1.0, gL))
h = 2 * np.pi / N
sc = 2 / h
mu, Pr, cp = 1 / 1600, 0.71, G / (G - 1) * R
kap = mu * cp / Pr
I, K = np.triu_indices(n, 1)
A = np.zeros((n, len(I)))  # pairs -> points
for a, (i, k) in enumerate(zip(I, K)):
    if family == "gauss":
        A[i, a] = D[i, k] - w[k] * D[k, i] / w[i]
        A[k, a] = D[k, i] - w[i] * D[i, k] / w[k]
    else:
        A[i, a] = 2 * D[i, k]
        A[k, a] = 2 * D[k, i]
Dd = np.diag(D).copy()


def cv(a):
    return jnp.asarray(a, F)


# a line array has the points last: [v, ..., n]
def prim(U):
    r = U[0]
    vel = U[1:4] / r
    pr = (G - 1) * (U[4] - 0.5 * (U[1] * vel[0] + U[2] * vel[1] + U[3] * vel[2]))
    return jnp.stack([r, vel[0], vel[1], vel[2], pr, U[4]])


def flux(q, d):
    un = q[1 + d]
    mass = q[0] * un
    f = [mass, mass * q[1], mass * q[2], mass * q[3], (q[5] + q[4]) * un]
    f[1 + d] = f[1 + d] + q[4]
    return jnp.stack(f)


def two(q, s, d):
    mass = 0.25 * (q[0] + s[0]) * (q[1 + d] + s[1 + d])
    f = [
        mass,
        mass * 0.5 * (q[1] + s[1]),
        mass * 0.5 * (q[2] + s[2]),
        mass * 0.5 * (q[3] + s[3]),
        mass * 0.5 * ((q[5] + q[4]) / q[0] + (s[5] + s[4]) / s[0]),
    ]
    f[1 + d] = f[1 + d] + 0.5 * (q[4] + s[4])
    return jnp.stack(f)


def roe(q, s, d):
    a, b = jnp.sqrt(q[0]), jnp.sqrt(s[0])
    av = lambda y, z: (a * y + b * z) / (a + b)
    vel = [av(q[1 + e], s[1 + e]) for e in range(3)]
    H = av((q[5] + q[4]) / q[0], (s[5] + s[4]) / s[0])
    kin = 0.5 * sum(v * v for v in vel)
    c2 = (G - 1) * (H - kin)
    c = jnp.sqrt(c2)
    un = vel[d]
    r = a * b
    fix = lambda l: jnp.where(l < 0.1 * c, 0.5 * (l * l / (0.1 * c) + 0.1 * c), l)
    l1, l2, l3 = fix(abs(un - c)), abs(un), fix(abs(un + c))
    dp = s[4] - q[4]
    dn = r * c * (s[1 + d] - q[1 + d])
    lo, hi, en = l1 * (dp - dn) / (2 * c2), l3 * (dp + dn) / (2 * c2), l2 * (s[0] - q[0] - dp / c2)
    J = [lo + hi + en, None, None, None, None]
    tot = J[0]
    e5 = lo * (H - un * c) + hi * (H + un * c) + en * kin
    for e in range(3):
        if e == d:
            J[1 + e] = lo * (un - c) + en * un + hi * (un + c)
        else:
            sh = l2 * r * (s[1 + e] - q[1 + e])
            J[1 + e] = tot * vel[e] + sh
            e5 = e5 + sh * vel[e]
    J[4] = e5
    return 0.5 * (flux(q, d) + flux(s, d) - jnp.stack(J))


CELL, PT = [3, 2, 1], [6, 5, 4]  # axes of direction d in [v, Z, Y, X, k, j, i]


def line(a, d):
    return jnp.moveaxis(a, PT[d], -1)


def back(a, d):
    return jnp.moveaxis(a, -1, PT[d])


mm = lambda M, a: jnp.einsum("ik,...k->...i", cv(M), a, precision=HI)


def ends(W, U, d):
    if family == "lobatto":
        l = line(W, d)
        return l[..., 0], l[..., -1]
    if prim_faces:
        e = mm(E, line(W[:5], d))
        e = jnp.concatenate([e, (e[4] / (G - 1) + 0.5 * e[0] * (e[1] ** 2 + e[2] ** 2 + e[3] ** 2))[None]])
    else:
        e = prim(mm(E, line(U, d)))
    return e[..., 0], e[..., 1]


def rhs(U):
    W = prim(U)
    T = W[4] / (R * W[0])
    q = jnp.concatenate([W[1:4], T[None]])
    out = 0.0
    qends = []
    grads = []
    faces = [ends(W, U, d) for d in range(3)]
    for d in range(3):
        lo, hi = faces[d]
        up = jnp.roll(lo, -1, CELL[d])  # hi | up is the upper face
        tq = lambda e: jnp.concatenate([e[1:4], (e[4] / (R * e[0]))[None]])
        ql, qh, qu = tq(lo), tq(hi), tq(up)
        mean = 0.5 * (qh + qu)
        below = jnp.roll(mean, 1, CELL[d])
        lq = line(q, d)
        g = mm(D, lq)
        if family == "lobatto":
            jl, jh = below - lq[..., 0], mean - lq[..., -1]
        else:
            own = mm(E, lq)
            jl, jh = below - own[..., 0], mean - own[..., 1]
        g = g + jl[..., None] * cv(gs[0]) + jh[..., None] * cv(gs[1])
        grads.append(back(sc * g, d))
        qends.append((qh, qu))
    g = jnp.stack(grads)  # [direction, u v w T, ...]
    div = g[0, 0] + g[1, 1] + g[2, 2]
    for d in range(3):
        lq, (lo, hi) = line(W, d), faces[d]
        up = jnp.roll(lo, -1, CELL[d])
        star = roe(hi, up, d)
        below = jnp.roll(star, 1, CELL[d])
        tau = [mu * (g[d, e] + g[e, d] - (2 / 3 * div if e == d else 0.0)) for e in range(3)]
        fv = line(jnp.stack([tau[0], tau[1], tau[2], sum(t * W[1 + e] for e, t in enumerate(tau)) + kap * g[d, 3]]), d)
        ve = (fv[..., 0], fv[..., -1]) if family == "lobatto" else tuple(jnp.moveaxis(mm(E, fv), -1, 0))
        qh, qu = qends[d]
        jump = 0.5 * sc * lam * (qu - qh)
        pen = mu * jump[:3]
        pe = jnp.sum(pen * 0.5 * (qh[:3] + qu[:3]), 0) + kap * jump[3]
        vs = 0.5 * (ve[1] + jnp.roll(ve[0], -1, CELL[d])) + jnp.concatenate([pen, pe[None]])
        vb = jnp.roll(vs, 1, CELL[d])
        dv = mm(D, fv) + (vb - ve[0])[..., None] * cv(gs[0]) + (vs - ve[1])[..., None] * cv(gs[1])
        if split == "split":
            acc = mm(A, two(lq[..., I], lq[..., K], d))
            if family == "gauss":
                for s, e in enumerate((lo, hi)):
                    b = two(lq, e[..., None], d)
                    at = jnp.sum(b * cv(E[s]), -1, keepdims=True)
                    acc = acc + (2 * s - 1) * cv(E[s] / w) * (b - at + (below, star)[s][..., None])
            else:
                own = flux(lq, d)
                acc = (
                    acc
                    + own * cv(2 * Dd)
                    + (below - own[..., 0])[..., None] * cv(gs[0])
                    + (star - own[..., -1])[..., None] * cv(gs[1])
                )
        else:
            own = flux(lq, d)
            oe = mm(E, own)
            acc = mm(D, own) + (below - oe[..., 0])[..., None] * cv(gs[0]) + (star - oe[..., 1])[..., None] * cv(gs[1])
        acc = acc.at[1:].add(-dv)
        out = out - sc * back(acc, d)
    return out


mid = h * (np.arange(N) + 0.5) - np.pi
ax = mid[:, None] + h / 2 * x[None, :]
X = ax[None, None, :, None, None, :]
Y = ax[None, :, None, None, :, None]
Z = ax[:, None, None, :, None, None]
p0 = 1 / (G * 0.01)
o = np.ones((N, N, N, n, n, n))
u = np.sin(X) * np.cos(Y) * np.cos(Z) * o
v = -np.cos(X) * np.sin(Y) * np.cos(Z) * o
P = p0 + (np.cos(2 * X) + np.cos(2 * Y)) * (np.cos(2 * Z) + 2) / 16 * o
r = P / p0
U = cv(np.stack([r, r * u, r * v, 0 * o, P / (G - 1) + 0.5 * r * (u * u + v * v)]))
dt = end / steps
every = int(round(0.1 / dt))
assert abs(every * dt - 0.1) < 1e-9, every
# The energy is that of the polynomials of density and velocity, which n + 1 Gauss points integrate as in fr-les.
xq, wq = L.leggauss(n + 1)
Q = cv(lag(xq))
W3 = cv(np.einsum("i,j,k->ijk", wq, wq, wq) / 8 / N**3)


def energy(U):
    q = jnp.stack([U[0], U[1] / U[0], U[2] / U[0], U[3] / U[0]])
    q = jnp.einsum("...abc,ia,jb,kc->...ijk", q, Q, Q, Q, precision=HI)
    return jnp.sum(0.5 * q[0] * (q[1] ** 2 + q[2] ** 2 + q[3] ** 2) * W3)


@partial(jax.jit, static_argnums=2, donate_argnums=(0, 1))
def advance(U, C, k):
    def step(_, s):
        U, C = s
        k1 = rhs(U)
        a = k1
        k2 = rhs(U + dt / 2 * k1)
        a = a + 2 * k2
        k3 = rhs(U + dt / 2 * k2)
        a = a + 2 * k3
        a = a + rhs(U + dt * k3)
        y = dt / 6 * a - C
        new = U + y
        return new, (new - U) - y

    return jax.lax.fori_loop(0, k, step, (U, C))


rows = [(0.0, float(energy(U)))]
C = jnp.zeros_like(U)
t0 = time.time()
for i in range(steps // every):
    U, C = advance(U, C, every)
    e = float(energy(U))
    rows.append(((i + 1) * 0.1, e))
    if i in (0, 1, 4) or i % 20 == 0:
        print(f"{rows[-1][0]:.1f} {e:.8f} {time.time() - t0:.1f} s", flush=True)
    if not np.isfinite(e):
        print("diverged at", rows[-1][0])
        break
rows = np.array(rows)
ref = np.genfromtxt(Path(__file__).with_name("reference.csv"), delimiter=",", names=True, skip_header=3)
t = rows[1:-1, 0]
d = -(rows[2:, 1] - rows[:-2, 1]) / 0.2
e = np.sqrt(np.mean((d - np.interp(t, ref["time"], ref["dissipation"])) ** 2)) / ref["dissipation"].max()
print(f"p = {p}, {N}^3 cells, {' '.join(sys.argv[3:5] + sys.argv[7:])}, {steps} steps to t = {rows[-1][0]:g}:")
print(f"error {100 * e:.2f} %, {time.time() - t0:.0f} s")
