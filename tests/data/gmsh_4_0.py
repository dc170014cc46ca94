"""Binary files of Gmsh's format 4.0, which the Gmsh of today neither writes nor reads; generate.py needs them."""
import struct
import sys
import tempfile

import gmsh
import meshio
import numpy as np


def binary_4_0(text, path):
    """Writes a text file of version 4.0 as binary, as Gmsh 4.0 and 4.1 did; later versions neither write nor read it.
    meshio must read the same from both."""
    sections = {}
    for line in open(text):
        if line.startswith("$End"):
            continue
        if line.startswith("$"):
            sections[line.strip()[1:]] = current = []
        else:
            current.append(line)
    out = open(path, "wb")
    out.write(b"$MeshFormat\n4 1 8\n" + struct.pack("<i", 1) + b"\n$EndMeshFormat\n")
    for name, lines in sections.items():
        if name == "MeshFormat":
            continue
        out.write(b"$" + name.encode() + b"\n")
        if name == "PhysicalNames":
            out.write("".join(lines).encode())
            out.write(b"$EndPhysicalNames\n")
            continue
        words = iter(" ".join(lines).split())
        pack = lambda form: struct.pack("<" + form, convert[form](next(words)))
        put = lambda form, count=1: [out.write(pack(form)) for _ in range(count)]
        convert = {"i": int, "Q": int, "q": int, "d": float}

        def counted(form):
            count = int(next(words))
            out.write(struct.pack("<" + form, count))
            return count

        if name in ("Entities", "PartitionedEntities"):
            divided = name != "Entities"
            if divided:
                put("i")
                put("i", 2 * counted("i"))
            for dimension, count in enumerate([counted("Q") for _ in range(4)]):
                for _ in range(count):
                    put("i", 3 if divided else 1)
                    if divided:
                        put("i", counted("i"))
                    put("d", 6)
                    put("i", counted("Q"))
                    if dimension > 0:
                        put("i", counted("Q"))
        elif name == "Nodes":
            blocks = counted("Q")
            put("Q")
            for _ in range(blocks):
                put("i", 3)
                for _ in range(counted("Q")):
                    put("i")
                    put("d", 3)
        elif name == "Elements":
            blocks = counted("Q")
            put("Q")
            for _ in range(blocks):
                put("i", 2)
                nodes = gmsh_nodes(counted("i"))
                put("i", counted("Q") * (1 + nodes))
        elif name == "Periodic":
            for _ in range(counted("i")):
                put("i", 3)
                word = next(words)
                if word == "Affine":
                    out.write(struct.pack("<q", -1))
                    put("d", 16)
                    word = next(words)
                out.write(struct.pack("<q", int(word)))
                put("i", 2 * int(word))
        else:
            sys.exit("section %s of %s" % (name, text))
        assert next(words, None) is None, name
        out.write(b"\n$End" + name.encode() + b"\n")
    out.close()
    if "PartitionedEntities" in sections:
        return  # meshio does not read divided meshes of this version.
    try:
        first, second = [meshio_4_0(file) for file in (text, path)]
    except KeyError:
        return print("meshio does not know the elements of", path)
    assert np.array_equal(first.points, second.points)
    assert all(np.array_equal(a.data, b.data) and a.type == b.type for a, b in zip(first.cells, second.cells))
    for a, b in zip(first.gmsh_periodic or [], second.gmsh_periodic or [], strict=True):
        assert a[:2] == b[:2] and np.array_equal(a[2], b[2]) and np.array_equal(a[3], b[3])


def meshio_4_0(path):
    """Reads a file by meshio, which takes the version for 4.0 only if it is not written as 4."""
    with tempfile.NamedTemporaryFile(suffix=".msh") as file:
        file.write(open(path, "rb").read().replace(b"$MeshFormat\n4 ", b"$MeshFormat\n4.0 ", 1))
        file.flush()
        return meshio.read(file.name)


def gmsh_nodes(element_type):
    """Number of nodes of an element; Gmsh does not tell it for prisms from order 3 on."""
    prisms = {90: 40, 91: 75, 111: 24, 112: 33}
    return prisms.get(element_type) or gmsh.model.mesh.getElementProperties(element_type)[3]
