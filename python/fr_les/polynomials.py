"""The polynomials of cells: their nodes, quadrature rules, and matrices from nodes to the points of a rule.

A cell of a solution file is a polynomial of degree p, given at equispaced nodes of its reference element, -1 + 2 (i, j,
k)/p, x fastest. Rules are Gauss points along each collapsed coordinate (the exponents of Gauss and Duffy). Pyramids are
hexahedra of which a face is collapsed, whose Jacobian vanishes there, and need no care.
"""

import functools
import itertools

import numpy as np

# VTK's numbers of the cells of solutions: Lagrange tetrahedra, hexahedra (pyramids too) and wedges.
KINDS = {71: "tet", 72: "hex", 73: "prism"}


def node_count(kind, p):
    """Return the number of nodes of a cell of degree p."""
    n = p + 1
    return {"hex": n**3, "prism": n * n * (n + 1) // 2, "tet": n * (n + 1) * (n + 2) // 6}[kind]


def degree_of(kind, nodes):
    """Return the degree of a cell with so many nodes."""
    for p in range(1, 16):
        if node_count(kind, p) == nodes:
            return p
    raise ValueError(f"no {kind} cell has {nodes} nodes")


def _exponents(kind, p):
    """The degrees in x, y, z of a basis, which are the lattice of the nodes as well, x fastest."""
    lattice = itertools.product(range(p + 1), repeat=3)
    inside = {
        "hex": lambda i, j, k: True,
        "prism": lambda i, j, k: i + j <= p,
        "tet": lambda i, j, k: i + j + k <= p,
    }[kind]
    return np.array([(i, j, k) for k, j, i in lattice if inside(i, j, k)])


def nodes(kind, p):
    """Return the reference coordinates of the nodes, in the order of the points of a file."""
    return 2.0 * _exponents(kind, p) / p - 1.0


def _basis(kind, p, at):
    """Products of Legendre polynomials at points, and their derivatives in x, y, z: four arrays [point][function]."""
    legendre = np.polynomial.legendre
    values = [legendre.legvander(at[:, d], p) for d in range(3)]
    slopes = []
    for d in range(3):
        slope = np.zeros_like(values[d])
        for n in range(1, p + 1):
            slope[:, n] = legendre.legval(at[:, d], legendre.legder(np.eye(p + 1)[n]))
        slopes.append(slope)
    which = _exponents(kind, p)

    def product(derived):
        parts = (slopes if d == derived else values for d in range(3))
        x, y, z = (part[d][:, which[:, d]] for d, part in enumerate(parts))
        return x * y * z

    return product(None), product(0), product(1), product(2)


def _rule(kind, n):
    """Points and weights on the reference element, with n Gauss points along each coordinate."""
    line, weights = np.polynomial.legendre.leggauss(n)
    z, y, x = (grid.ravel() for grid in np.meshgrid(line, line, line, indexing="ij"))
    weight = np.einsum("k,j,i->kji", weights, weights, weights).ravel()
    if kind == "prism":
        # The square becomes the triangle x + y <= 0.
        x, weight = 0.5 * (1 + x) * (1 - y) - 1, weight * 0.5 * (1 - y)
    if kind == "tet":
        y, weight = 0.5 * (1 + y) * (1 - z) - 1, weight * 0.5 * (1 - z)
        width = -(y + z)
        x, weight = 0.5 * (1 + x) * width - 1, weight * 0.5 * width
    return np.column_stack([x, y, z]), weight


@functools.lru_cache(maxsize=None)
def quadrature(kind, p):
    """Return matrices from nodes to values and to derivatives at the points of a rule, and its weights.

    The rule is exact for products of three fields times the Jacobian of a curved cell: for degree 6p, and two more
    where coordinates are collapsed.
    """
    at, weight = _rule(kind, 3 * p + (1 if kind == "hex" else 2))
    to_coefficients = np.linalg.inv(_basis(kind, p, nodes(kind, p))[0])
    value, *slopes = (part @ to_coefficients for part in _basis(kind, p, at))
    return value, np.stack(slopes), weight
