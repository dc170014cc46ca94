"""Start fr-les and read what its runs have written.

    import fr_les
    run = fr_les.run("case.yaml", **{"time.end": 1.0})      # or fr_les.Run("results") of a run that is there
    run.series("integrals")                                 # a table; units in .attrs["units"]
    run.result("wake.zeta")                                 # a value with its standard error and unit
    run.solution().integrate("density")                     # the integral of the polynomials

docs/how-to/python.md of fr-les explains it.
"""

from .checkpoint import Checkpoint
from .program import Failed, call, check, run, study
from .results import Result
from .runs import Run
from .solution import Solution
from .tables import read_table

__all__ = ["Checkpoint", "Failed", "Result", "Run", "Solution", "call", "check", "read_table", "run", "study"]
