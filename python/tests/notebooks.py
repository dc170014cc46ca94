"""Executes the notebooks: the code of their cells, in order, each notebook in a folder of its own.

A cell with the tag `figure` is left out where matplotlib is missing. With arguments only the notebooks of these names.
The folders lie as deep as those of the notebooks below a link to the meshes of the repository.
"""

import importlib.util
import json
import os
import shutil
import sys
import tempfile
import time
from pathlib import Path

NOTEBOOKS = Path(__file__).resolve().parent.parent / "notebooks"
DRAWS = importlib.util.find_spec("matplotlib") is not None


def execute(path, folder):
    """Execute the cells of a notebook in a folder."""
    os.chdir(folder)
    names = {"__name__": "__main__"}
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    for number, cell in enumerate(cells):
        if cell["cell_type"] != "code" or ("figure" in cell["metadata"].get("tags", []) and not DRAWS):
            continue
        assert not cell["outputs"], f"{path.name}, cell {number}: outputs are not kept"
        exec(compile("".join(cell["source"]), f"{path.name}, cell {number}", "exec"), names)


def main():
    for path in sorted(NOTEBOOKS.glob("*.ipynb")):
        if sys.argv[1:] and path.stem not in sys.argv[1:]:
            continue
        begin = time.monotonic()
        root = Path(tempfile.mkdtemp())
        try:
            folder = root / "python" / "notebooks"
            folder.mkdir(parents=True)
            (root / "meshes").symlink_to(NOTEBOOKS.parent.parent / "meshes")
            execute(path, folder)
        finally:
            os.chdir(path.parent)
            shutil.rmtree(root)
        print(f"{path.name}: {time.monotonic() - begin:.1f} s")


main()
