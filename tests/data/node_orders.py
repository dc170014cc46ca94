#!/usr/bin/env python3
"""Writes gmsh_node_orders.txt: the order in which Gmsh numbers the nodes of a cell, as Gmsh itself gives it.

    python3 -m venv env && env/bin/pip install gmsh numpy && env/bin/python node_orders.py

A line has kind, order and type, and then each node by its steps along the edges at the first vertex. The last vertex of
the pyramid lies above its first, so that a layer is a square of fewer steps.
"""
import gmsh
import numpy as np

CORNERS = {
    "tet": (4, [0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1]),
    "hex": (5, [0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0, 0, 0, 1, 1, 0, 1, 1, 1, 1, 0, 1, 1]),
    "prism": (6, [0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 0, 1, 0, 1, 1]),
    "pyramid": (7, [0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0, 0, 0, 1]),
}


def node_order(kind, order):
    gmsh.clear()
    gmsh.model.add(kind)
    gmsh.model.addDiscreteEntity(3, 1)
    straight, corners = CORNERS[kind]
    tags = list(range(1, len(corners) // 3 + 1))
    gmsh.model.mesh.addNodes(3, 1, tags, corners)
    gmsh.model.mesh.addElementsByType(1, straight, [1], tags)
    gmsh.model.mesh.setOrder(order)
    types, _, nodes = gmsh.model.mesh.getElements(3)
    places = np.array([gmsh.model.mesh.getNode(n)[0] for n in nodes[0]]) * order
    steps = np.rint(places).astype(int)
    assert np.allclose(places, steps, atol=1e-6), (kind, order, places)
    words = ["".join(map(str, at)) for at in steps]
    assert len(set(words)) == len(words), (kind, order)
    return "%s %d %d %s" % (kind, order, types[0], " ".join(words))


gmsh.initialize()
gmsh.option.setNumber("General.Terminal", 0)
lines = [node_order(kind, order) for kind in CORNERS for order in range(2, 7)]
with open("gmsh_node_orders.txt", "w") as file:
    file.write("\n".join(lines) + "\n")
