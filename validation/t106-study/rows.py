"""Rows of README.md from the kept record of the study and the results of its confirmations on the finer mesh:

python3 validation/t106-study/rows.py
"""
import json
from pathlib import Path

KEPT = Path(__file__).resolve().parent / "kept"
BEST = "d_0047"


def fine(design):
    """The values of a design on the finer mesh."""
    return json.loads((KEPT / f"fine-{design}.json").read_text())["values"]


def best_of(designs):
    """The design with the least loss among those that keep the constraint, or break it by as little as one can."""
    least = min(design["violation"] for design in designs)
    return min((design for design in designs if design["violation"] == least), key=lambda one: one["values"]["loss"])


def cells(title, values):
    return title, f"{values['loss']:.5f}", f"{values['angle']:.2f}"


def change(title, values, before):
    return title, f"{100 * (values['loss'] / before['loss'] - 1):+.1f} %", ""


def rows():
    """The cells of the rows of the steady designs."""
    designs = [json.loads(line) for line in (KEPT / "study.jsonl").read_text().splitlines()]
    baseline, first = designs[0], [one for one in designs if one["origin"] in ("baseline", "doe")]
    best = best_of(designs)
    assert best["id"] == BEST, f"the best design is {best['id']}"
    yield cells("baseline", baseline["values"])
    yield cells(f"best of the baseline and the Latin hypercube ({len(first)} runs)", best_of(first)["values"])
    yield cells(f"best of all {len(designs)} runs ({BEST})", best["values"])
    yield change("change", best["values"], baseline["values"])
    yield cells("baseline on a mesh finer by 1.4", fine("d_0000"))
    yield cells(f"{BEST} on that mesh", fine(BEST))
    yield change("change on that mesh", fine(BEST), fine("d_0000"))


if __name__ == "__main__":
    for row in rows():
        print("| " + " | ".join(row) + " |")
