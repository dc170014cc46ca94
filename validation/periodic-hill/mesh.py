#!/usr/bin/env python3
"""Writes the flat mesh of the periodic hill as a file of Gmsh: quadrilaterals of order 3 between the hill and a flat
ceiling, 9 h long and 3.035 h high, with vertical lines. Needs Python alone; a second.

python3 validation/periodic-hill/mesh.py [--cells 48 22] [--wall 0.025] [--output hill.msh]

The hill is that of case UFR 3-30 of ERCOFTAC (C. P. Mellen, J. Froehlich & W. Rodi, 2000), as six cubic polynomials. It
prints the area, from which the bulk velocity of the case follows: the flow through the section above the crest, 2.035 h
high, has the velocity u_b, so that the mean over the domain is 9 x 2.035 u_b over the area."""
import argparse
import math

LENGTH, HEIGHT = 9.0, 3.035
# From x (in 28ths of h) on: coefficients of 1, x, x^2, x^3 of the height, in 28ths of h.
PIECES = (
    (0, (28.0, 0.0, 6.775070969851e-03, -2.124527775800e-03)),
    (9, (25.07355893131, 9.754803562315e-01, -1.016116352781e-01, 1.889794677828e-03)),
    (14, (25.79601052357, 8.206693007457e-01, -9.055370274339e-02, 1.626510569859e-03)),
    (20, (40.46435022819, -1.379581654948, 1.945884504128e-02, -2.070318932190e-04)),
    (30, (17.92461334664, 8.743920332081e-01, -5.567361123058e-02, 6.277731764683e-04)),
    (40, (56.39011190988, -2.010520359035, 1.644919857549e-02, 2.674976141766e-05)),
)


def hill(x):
    """Height of the hill at x, from 0 to 9 h."""
    s = 28 * max(0.0, min(x, LENGTH - x))
    if s >= 54:
        return 0.0
    c = next(c for first, c in reversed(PIECES) if s >= first)
    return min(28.0, max(0.0, c[0] + s * (c[1] + s * (c[2] + s * c[3])))) / 28


def clustering(cells, wall):
    """Places from 0 to 1 that are clustered at both ends by a hyperbolic tangent, with the first cell `wall` high."""

    def places(strength):
        return [0.5 + 0.5 * math.tanh(strength * (n / cells - 0.5)) / math.tanh(strength / 2) for n in range(cells + 1)]

    low, high = 1e-3, 20.0
    for _ in range(60):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if places(middle)[1] > wall else (low, middle)
    return places(0.5 * (low + high))


def spread(cells):
    """Places of the vertical lines: closer where the flow leaves the crest and where it climbs the hill."""

    def density(x):
        return 1.0 + 0.9 * math.exp(-((x - 0.3) / 0.6) ** 2) + 0.9 * math.exp(-((x - 8.7) / 0.6) ** 2)

    steps = 9000
    sums = [0.0]
    for n in range(steps):
        sums.append(sums[-1] + density((n + 0.5) * LENGTH / steps))
    lines, n = [], 0
    for cell in range(cells):
        while sums[n] < cell / cells * sums[-1]:
            n += 1
        lines.append(n * LENGTH / steps)
    return lines + [LENGTH]


def main():
    parser = argparse.ArgumentParser(description="Writes the flat mesh of the periodic hill.")
    parser.add_argument("--cells", nargs=2, type=int, default=[48, 22], metavar=("ALONG", "ACROSS"))
    parser.add_argument("--wall", type=float, default=0.025, help="height of the first cell at the floor, in h")
    parser.add_argument("--output", default="hill.msh")
    options = parser.parse_args()
    along, across = options.cells
    lines = spread(along)
    layers = clustering(across, options.wall / HEIGHT)

    def thirds(places):
        return [a + (b - a) * n / 3 for a, b in zip(places, places[1:]) for n in range(3)] + [places[-1]]

    xs, etas = thirds(lines), thirds(layers)
    columns = len(etas)
    nodes = [(x, hill(x) + eta * (HEIGHT - hill(x))) for x in xs for eta in etas]

    def node(i, j):
        return i * columns + j + 1

    # Corners, nodes of the edges, nodes inside: the order of Gmsh's quadrilateral of order 3.
    inside = [(0, 0), (3, 0), (3, 3), (0, 3), (1, 0), (2, 0), (3, 1), (3, 2), (2, 3), (1, 3), (0, 2), (0, 1)]
    inside += [(1, 1), (2, 1), (2, 2), (1, 2)]
    elements = []
    for i in range(along):
        for name, j in ((1, 0), (2, 3 * across)):
            elements.append((26, name, [node(3 * i + a, j) for a in (0, 3, 1, 2)]))
    for j in range(across):
        for name, i in ((3, 0), (4, 3 * along)):
            elements.append((26, name, [node(i, 3 * j + a) for a in (0, 3, 1, 2)]))
    for i in range(along):
        for j in range(across):
            elements.append((36, 5, [node(3 * i + a, 3 * j + b) for a, b in inside]))
    names = ((1, 1, "lower"), (1, 2, "upper"), (1, 3, "left"), (1, 4, "right"), (2, 5, "flow"))
    with open(options.output, "w") as file:
        file.write("$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n5\n")
        file.writelines(f'{dimension} {number} "{name}"\n' for dimension, number, name in names)
        file.write(f"$EndPhysicalNames\n$Nodes\n{len(nodes)}\n")
        file.writelines(f"{n + 1} {x:.15g} {y:.15g} 0\n" for n, (x, y) in enumerate(nodes))
        file.write(f"$EndNodes\n$Elements\n{len(elements)}\n")
        for n, (kind, name, of) in enumerate(elements):
            file.write(f"{n + 1} {kind} 2 {name} {name} {' '.join(map(str, of))}\n")
        file.write("$EndElements\n")
    steps = 90000
    area = LENGTH * HEIGHT - sum(hill((n + 0.5) * LENGTH / steps) for n in range(steps)) * LENGTH / steps
    bulk = LENGTH * 2.035 / area
    print(f"{options.output}: {along} x {across} cells, area {area:.6f} h^2, bulk velocity {bulk:.6f} u_b")
    widths = [b - a for a, b in zip(lines, lines[1:])]
    heights = [b - a for a, b in zip(layers, layers[1:])]
    print(f"cells from {min(widths):.4f} to {max(widths):.4f} h along, {min(heights) * 2.035:.4f} h high at the crest")


if __name__ == "__main__":
    main()
