"""The mutation script: its faults are small, distinct, drawn by a seed; its verdicts are true."""

import ast
import json
import tomllib

import pytest

from tests.mutation.faults import choose, faults
from tests.mutation.forks import Collected, Reached, in_fork, run_tests
from tests.mutation.run import JUDGED, try_one
from tests.paths import ROOT

pytestmark = pytest.mark.house

MODULE = '''"""A module."""
__all__ = ["clipped"]


class Kept:
    """Numbers."""

    def clipped(self, values: list[int], low=1):
        """Return values from low on."""
        if not values or low > 9:
            raise ValueError(f"nothing above {low + 1}")
        return sorted(min(v, low) for v in values if v >= low)
'''


TEST = "from hierpair.kept import Kept\n\n\ndef test_it():\n    assert Kept().clipped([0, 3, 2]) == [1, 1]\n"


@pytest.fixture
def project(tmp_path):
    files = {"hierpair/__init__.py": "", "hierpair/kept.py": MODULE, "pyproject.toml": "",
             "tests/__init__.py": "", "tests/test_kept.py": TEST}  # fmt: skip
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    return tmp_path


def test_faults_of_a_module(project):
    found = {}
    for f in faults(project, "hierpair/kept.py"):
        found.setdefault(f.kind, []).append(f.after)
        assert f.function == "Kept.clipped"
        ast.parse(f.put_into(MODULE.encode()))
    head = "def clipped(self, values: list[int], low={}):"
    start = "return sorted(min(v, low) for v in values if {})"
    assert found == {
        "constant": [head.format(2), head.format(0), "if not values or low > 10:", "if not values or low > 8:"],
        "condition negated": ["if (not (not values or low > 9)):"],
        "and/or": ["if ((not values) and (low > 9)):"],
        "sign or not dropped": ["if (values) or low > 9:"],
        "comparison": ["if not values or low >= 9:", "if not values or low <= 9:", start.format("v > low"),
                       start.format("v < low")],
        "error dropped": ["pass"],
        "return None": ["return None"],
        "sorting dropped": ["return list((min(v, low) for v in values if v >= low))"],
        "function": ["return sorted(max(v, low) for v in values if v >= low)"],
        "arguments exchanged": ["return sorted(min(low, v) for v in values if v >= low)"],
        "condition dropped": [start.format("True")],
        "left out": ["if True:", "if False:", "if ((low > 9)):", "if ((not values)):",
                     "return sorted((v) for v in values if v >= low)",
                     "return sorted((low) for v in values if v >= low)"],
    }  # fmt: skip


def test_letters_of_several_bytes_do_not_shift_a_fault(tmp_path):
    (tmp_path / "m.py").write_text('def f(x):\n    return ("≥", x < 1)\n', "utf-8")
    found = {f.put_into((tmp_path / "m.py").read_bytes()) for f in faults(tmp_path, "m.py")}
    assert 'def f(x):\n    return ("≥", x <= 1)\n'.encode() in found


def test_the_seed_decides_and_every_folder_gets_its_share(project):
    first, again, other = (choose(ROOT, 40, seed, "pairing") for seed in (1, 1, 2))
    assert first == again != other
    assert len({(f.path, f.start, f.end, f.text) for f in first}) == 40
    assert {f.path for f in choose(ROOT, 5, 1, "pairing/pairs.py")} == {"hierpair/pairing/pairs.py"}
    assert len(choose(project, 1000, 1)) == 23  # all there are
    rooms = [f.path.split("/")[1] for f in choose(ROOT, 60, 1)]
    assert len(rooms) == 60
    assert {"measures", "comparison", "io", "plots", "cli"} <= {*rooms}


def test_tests_are_found_by_what_they_run_and_judge_a_fault(project):
    reached = Reached(project, project / "reached.json")
    reached.measure(["tests/test_kept.py"])
    ((seconds, test),) = reached.tests("hierpair/kept.py", "Kept.clipped")
    assert (test, seconds < 5) == ("tests/test_kept.py::test_it", True)
    assert reached.tests("hierpair/kept.py", "Kept") == [(seconds, test)]
    assert reached.tests("hierpair/other.py", "Kept.clipped") == []
    assert json.loads((project / "reached.json").read_text()).keys() == {"tests/test_kept.py"}

    def tried(collected):
        wanted = {"low=2": "default", "sorted(max": "function", "pass": "error dropped"}
        for fault in faults(project, "hierpair/kept.py"):
            for kind in (kind for text, kind in wanted.items() if text in fault.after):
                found = try_one(fault, [test], collected, 60)
                outcomes[kind] = found["outcome"], found["by"]

    def outcomes_of_three():
        run_tests(project, [["tests/test_kept.py"]], plugins=[Collected(project, tried)])
        return outcomes

    outcomes = {}
    killed = "killed", test
    expected = {"default": killed, "function": killed, "error dropped": ("survived", "")}
    assert in_fork(outcomes_of_three, timeout=200) == expected
    assert (project / "hierpair" / "kept.py").read_text() == MODULE


def test_judged_faults_are_still_in_the_code():
    judged = tomllib.loads(JUDGED.read_text("utf-8"))
    for name, reason in judged.items():
        path = name.split(" ")[0]
        assert name in {f.name for f in faults(ROOT, path)}, f"no longer there: {name}"
        assert len(reason) > 20, f"say why: {name}"
