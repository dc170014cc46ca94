"""Tests of the package on runs of the program, which FR_LES_PROGRAM names: `python -m unittest discover -s tests`."""

import importlib.util
import json
import math
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

import numpy as np

import fr_les

CASE = """\
title: small Taylor-Green
mesh: {box: {cells: [4, 4, 4], lower: [-pi, -pi, -pi], upper: [pi, pi, pi], periodic: [x, y, z]}}
order: 3
constants: {p0: 1/(1.4*0.1^2)}
gas: {viscosity: {constant: 1/100}}
initial: {u: sin(x)*cos(y)*cos(z), v: -cos(x)*sin(y)*cos(z), w: 0, p: p0 + (cos(2*x) + cos(2*y))*(cos(2*z) + 2)/16,
          temperature: p0}
device: cpu
time: {steps: 20, cfl: 0.9}
output:
  solution: {every-steps: 10}
  integrals: {every-steps: 1, means-from: 0}
  checkpoint: {keep: 1}
"""
STUDY = """\
case: case.yaml
variables: {order: {values: [2, 3], set: order}}
objectives: {energy: {from: integrals.kinetic_energy}}
doe: {kind: full-factorial, levels: 2}
run: {workers: 1, threads: 1}
output: study
"""


class Runs(unittest.TestCase):
    """One run, which the tests read."""

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.here = Path(cls.folder.name)
        (cls.here / "case.yaml").write_text(CASE)
        cls.run_of_all = fr_les.run("case.yaml", cwd=cls.here)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def run_with(self, name, **settings):
        """Run the case with other keys into a directory of its own."""
        return fr_les.run("case.yaml", cwd=self.here, **{"output.directory": name}, **settings)


class Tables(Runs):
    def test_series_have_units_and_keep_all_digits(self):
        table = self.run_of_all.series("integrals")
        self.assertEqual(table["step"].tolist(), list(range(21)))
        self.assertEqual(table.attrs["units"]["kinetic_energy"], "J/m^3")
        self.assertTrue(table.attrs["comments"][0].startswith("version: fr-les"))
        last = (self.here / "results/integrals.csv").read_text().splitlines()[-1].split(",")
        self.assertEqual(table["kinetic_energy"].iloc[-1], float(last[table.columns.get_loc("kinetic_energy")]))
        self.assertEqual(self.run_of_all.names, ["integrals", "integrals.means"])
        with self.assertRaisesRegex(KeyError, "integral.csv: there are integrals"):
            self.run_of_all.series("integral")

    def test_a_line_that_is_being_written_is_left_out(self):
        path = self.here / "cut.csv"
        path.write_text("# a\ntime,x\ns,m\n0,1\n1,2.")
        self.assertEqual(fr_les.read_table(path)["x"].tolist(), [1.0])
        path.write_text("time,x\ns,m\n")
        self.assertEqual(len(fr_les.read_table(path)), 0)
        path.write_text("a note\n")
        with self.assertRaisesRegex(ValueError, "no table of fr-les"):
            fr_les.read_table(path)

    def test_names_stand_in_quotes_where_csv_needs_them(self):
        path = self.here / "named.csv"
        path.write_text('# a\ntime,"fin \u00fc,1_lift","fin""q","#fin"\ns,-,-,-\n0,1,2,3\n', encoding="utf-8")
        table = fr_les.read_table(path)
        self.assertEqual(list(table.columns), ["time", "fin \u00fc,1_lift", 'fin"q', "#fin"])
        self.assertEqual(table["fin \u00fc,1_lift"].tolist(), [1.0])
        self.assertEqual(table.attrs["units"]["#fin"], "-")

    def test_results_are_the_means_with_their_errors(self):
        means = self.run_of_all.series("integrals.means")
        self.assertEqual(means.attrs["errors"]["mass"], "mass_error")
        for column in ("kinetic_energy", "mass", "mach_max"):
            result = self.run_of_all.result(column)
            self.assertEqual(result.name, f"integrals.{column}")
            self.assertEqual(result.value, means[column].iloc[0])
            error = means[f"{column}_error"].iloc[0]
            self.assertTrue(result.error == error or (math.isnan(error) and result.error_is == "unknown"))
        self.assertEqual(self.run_of_all.result("integrals.mass").unit, "kg")
        with self.assertRaisesRegex(KeyError, "did you mean integrals.enstrophy"):
            self.run_of_all.result("integrals.enstrofy")

    def test_the_record_tells_what_was_run(self):
        self.assertEqual(self.run_of_all.record["title"], "small Taylor-Green")
        self.assertEqual(self.run_of_all.record["parts"][0]["outcome"], "finished")


class Solutions(Runs):
    def same_as_the_table(self, run, tolerance):
        """Compare integrals of the last solution with the last row of integrals.csv."""
        solution, last = run.solution(), run.series("integrals").iloc[-1]
        self.assertEqual(solution.step, last["step"])
        energy = solution.mean(lambda f: 0.5 * f.density * (f.velocity**2).sum(-1))
        mass = solution.integrate("density")
        print(f"{run}: energy off by {energy / last['kinetic_energy'] - 1:.1e}, mass {mass / last['mass'] - 1:.1e}")
        self.assertLess(abs(energy / last["kinetic_energy"] - 1), tolerance)
        self.assertLess(abs(mass / last["mass"] - 1), tolerance)
        momentum = solution.integrate(lambda f: f.density[..., None] * f.velocity)
        self.assertEqual(momentum.shape, (3,))

    def test_integrals_are_those_of_the_program_on_every_kind_of_cell(self):
        self.same_as_the_table(self.run_of_all, 1e-12)
        for elements in ("prism", "tet", "pyramid", "mixed"):
            for order in (1, 2, 4):
                settings = {"mesh.box.elements": elements, "order": order, "mesh.box.cells": [4, 2, 2]}
                run = self.run_with(f"{elements}{order}", **settings, **{"time.steps": 2})
                self.same_as_the_table(run, 1e-12)

    def test_curved_cells_have_the_volume_of_the_box(self):
        settings = {"mesh.box.elements": "mixed", "mesh.box.warp": 0.1, "order": 3, "time.steps": 1}
        solution = self.run_with("curved", **settings).solution()
        volume = (2 * math.pi) ** 3
        self.assertLess(abs(solution.volume / volume - 1), 1e-12)
        # A linear field in x has the integral 0, whatever the cells are.
        self.assertLess(abs(solution.integrate(solution.points[:, 0])), 1e-10 * volume)

    def test_arrays_are_the_same_on_any_number_of_ranks(self):
        settings = {"mesh.box.elements": "mixed", "order": 2, "time.steps": 2}
        one = self.run_with("one", **settings)
        three = self.run_with("three", ranks=3, threads=1, **settings)
        first, second = one.solution(), three.solution()
        self.assertTrue((first.points == second.points).all())
        self.assertTrue((first.fields["velocity"] == second.fields["velocity"]).all())
        self.assertTrue((first.cells.connectivity == second.cells.connectivity).all())
        self.assertEqual((one.directory / "results.json").read_bytes(), (three.directory / "results.json").read_bytes())
        for kind, state in one.checkpoint().state.items():
            self.assertTrue((state == three.checkpoint().state[kind]).all())

    def test_solutions_without_their_mesh_and_compressed_are_those_of_plain_files(self):
        # Large enough for arrays that are compressed.
        settings = {"mesh.box.cells": "[8, 8, 8]", "time.steps": 1}
        plain = self.run_with("plain", **settings).solution()
        forms = {"output.solution.mesh": "one", "output.solution.compression": "deflate"}
        other = self.run_with("forms", **settings, **forms).solution()
        self.assertTrue(np.array_equal(plain.points, other.points))
        for name, values in plain.fields.items():
            self.assertTrue(np.array_equal(values, other.fields[name]), name)

    def test_solutions_are_chosen_by_their_number(self):
        run = self.run_of_all
        self.assertEqual([run.solution(number).step for number in (0, 1, 2, -1)], [0, 10, 20, 20])
        self.assertEqual(run.solution().order, 3)
        with self.assertRaisesRegex(IndexError, "has 3 solution files, and no number 7"):
            run.solution(7)
        with self.assertRaisesRegex(KeyError, "has no field mach: there are density"):
            run.integrate("mach")

    def test_a_checkpoint_has_the_conserved_variables(self):
        checkpoint = self.run_of_all.checkpoint()
        state = checkpoint.state["hex"]
        self.assertEqual(state.shape, (64, 5, 64))
        self.assertEqual((checkpoint.step, checkpoint.order), (20, 3))
        density = self.run_of_all.solution().fields["density"]
        # Points of the solution are those of another set than the nodes of the file, of the same polynomials.
        self.assertLess(abs(state[:, 0].mean() / density.mean() - 1), 1e-3)

    @unittest.skipUnless(importlib.util.find_spec("pyvista"), "no pyvista")
    def test_pyvista_has_the_same_points(self):
        solution = self.run_with("view", **{"mesh.box.elements": "mixed", "order": 2, "time.steps": 1}).solution()
        grid = solution.to_pyvista()
        self.assertEqual(grid.n_cells, len(solution.kinds))
        self.assertTrue((np.asarray(grid.points) == solution.points).all())
        # The nodes are in VTK's order: no cell has a part that is turned inside out.
        self.assertAlmostEqual(grid.compute_cell_sizes()["Volume"].sum() / solution.volume, 1.0, places=5)

    @unittest.skipUnless(importlib.util.find_spec("matplotlib"), "no matplotlib")
    def test_columns_are_drawn_with_their_units(self):
        import matplotlib

        matplotlib.use("Agg")
        axes = self.run_of_all.plot("integrals", "kinetic_energy")
        self.assertEqual((axes.get_xlabel(), axes.get_ylabel()), ("time, s", "kinetic_energy, J/m^3"))


class Program(Runs):
    def test_a_failure_has_the_message_of_the_program(self):
        with self.assertRaisesRegex(fr_les.Failed, "mesh.box.cell") as failed:
            fr_les.run("case.yaml", cwd=self.here, **{"mesh.box.cell": 4})
        self.assertEqual(failed.exception.exit_code, 2)
        with self.assertRaises(fr_les.Failed) as failed:
            self.run_with("diverged", time={"steps": 2000, "dt": 0.05}, scheme={"shock": "none"})
        self.assertEqual(failed.exception.exit_code, 3)
        self.assertIn("INFO", failed.exception.log)

    def test_settings_are_keys_of_the_case(self):
        checked = fr_les.check("case.yaml", cwd=self.here, time__steps=7, order=2)
        self.assertEqual(checked["steps"]["count"], 7)
        self.assertEqual(checked["run"]["scheme"]["order"], 2)
        self.assertEqual(checked["flow"]["density"]["unit"], "kg/m^3")
        run = self.run_with("every", output__integrals__every_steps=5)
        self.assertEqual(run.series("integrals")["step"].tolist(), [0, 5, 10, 15, 20])

    def test_a_study_is_a_table(self):
        (self.here / "study.yaml").write_text(STUDY)
        table = fr_les.study("study.yaml", cwd=self.here)
        self.assertEqual(table["state"].tolist(), ["done", "done"])
        self.assertEqual(sorted(table["order"].astype(int)), [2, 3])
        self.assertTrue((table["energy"] > 0.1).all())

    def test_commands_print_one_object(self):
        for words in (["doctor"], ["watch", "results", "--once"], ["check", "case.yaml"]):
            command = [os.environ["FR_LES_PROGRAM"], *words, "--json"]
            done = subprocess.run(command, cwd=self.here, capture_output=True, text=True, check=True)
            self.assertEqual(json.loads(done.stdout)["schema-version"], 1)


if __name__ == "__main__":
    unittest.main()
