"""Share of the swing of the density that is kept behind the shock of waves.yaml: python3 waves.py probes_axis.csv

Needs no package. The reference are the extremes of a finite-difference solution of fifth order (WENO; R. Borges et al.,
J. Comput. Phys. 227 (2008) 3191) on 3000 points."""

import sys

WAVES = (
    (0.8617, 4.61980),
    (1.0317, 3.15121),
    (1.1917, 4.26143),
    (1.3650, 3.02501),
    (1.5417, 4.62299),
    (1.6883, 3.37885),
    (1.8417, 4.67687),
    (2.0083, 3.18220),
    (2.1650, 4.24800),
)


def swings(values):
    return sum(abs(b - a) for a, b in zip(values, values[1:]))


def share(points):
    """The share of the swing that points, pairs of x and the density, have."""
    found = []
    for at, rho in WAVES:
        near = [density for x, density in points if abs(x - at) < 0.06]
        found.append(max(near) if rho > 3.8 else min(near))
    return swings(found) / swings([rho for _, rho in WAVES])


def main(path):
    rows = [line.split(",") for line in open(path) if line[0].isdigit()]
    print(f"kept {share([(float(r[3]), float(r[6])) for r in rows if r[1] == rows[-1][1]]):.3f}")


if __name__ == "__main__":
    main(sys.argv[1])
