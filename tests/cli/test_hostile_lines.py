"""Command lines that nobody should type: none ends in an internal error, and each error is a line.

Options and values are drawn with a fixed seed from the options that each verb has, so an option
that is added is tried without being named here.
"""

import io
import random
from pathlib import Path

import pytest

from hierpair.cli.main import VERBS, main

FILES = {
    "t": "r\ta\nr\tb\na\tc\n",
    "y": "1\tc\n2\tb\n",
    "p": "1\ta\n2\tb\n",
    "q": "1\tc\n2\tb\n",
    "s": "1\ta\t0.5\n2\tb\t0.25\n",
    "table.csv": "id,truth,one\n1,c,a\n2,b,b\n",
    "e.toml": 'hierarchy = "t"\ntruth = "y"\nsystems = {p = "p"}\n',
}
GOOD = {
    "score": "t y p -m hf", "partial": "t y p -m hf", "merge": "z.hp", "report": "t y p -m hf",
    "compare": "t y p q -m hf --permutations 9 --bootstrap 9", "explain": "t y p", "curve": "t y s",
    "decode": "t s -m sdl --over scores", "check": "t y p", "verify": "riehl2023-figure4c",
    "convert": "t --to json", "weights": "t y", "measures": "hf",
    "examine": "hf --property flood --scope 2 --samples 0",
}  # fmt: skip
HOSTILE = ("", "--", "-", "x", "0", "-1", "nan", "1e999", "=", ":", "a=", "=b", "a=b", "t", "y:",
           "truth:", "p:x", ",", "a,b", "\x00", "\x1b[31m", "hf(", "hf(beta=", "é" * 400,
           "99999999999999999999", "9223372036854775807", "root=", "beta=x", "/dev/null", ".", "..",
           "z.svg", "[", "{}", "'", "%s", "%", "$HOME", "*", "p.hp", "none.toml")  # fmt: skip
USUAL = (
    "hf",
    "json",
    "csv",
    "z.svg",
    "1",
    "2",
    "0.5",
    "id",
    "label",
    "root=include",
    "p",
    "all",
    "e.toml",
)
"""Values that some option or other takes."""
SLOW = ("--engine", "--workers", "--scheduler", "--debug", "--for")
LINES = {"score": 110, "compare": 90, "explain": 60, "examine": 40, "check": 40, "report": 8}
"""How many lines of a verb; of the others 20."""


def words_of(action, draw):
    """Return an option with a value that it can have, or with one that it cannot."""
    word = action.option_strings[-1]
    if action.nargs == 0:
        return [word]
    if (action.metavar or "").startswith("{") and draw.random() < 0.8:
        return [word, draw.choice(action.metavar[1:-1].split(","))]
    return [f"{word}={draw.choice(HOSTILE if draw.random() < 0.6 else USUAL)}"]


def lines_of(verb):
    draw = random.Random(verb)
    actions = [a for a in VERBS[verb].parser._actions if a.option_strings]
    actions = [a for a in actions if a.option_strings[-1] not in SLOW]
    for k in range(LINES.get(verb, 20)):
        line = [verb, *GOOD[verb].split()]
        if k % 7 == 0:  # files that are too many, too few, or strange
            line = [
                *line[: draw.randint(1, len(line))],
                *draw.choices(HOSTILE, k=draw.randint(0, 2)),
            ]
        first = actions[k % len(actions)]  # every option has its turn
        for action in (first, *draw.choices(actions, k=draw.randint(0, 3))):
            line += words_of(action, draw)
        yield line


def test_there_are_five_hundred():
    assert set(GOOD) == set(VERBS)
    assert sum(len(list(lines_of(verb))) for verb in GOOD) >= 500


@pytest.mark.exhaustive
@pytest.mark.parametrize("verb", GOOD)
def test_no_line_ends_in_an_internal_error(verb, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    for name, text in FILES.items():
        Path(name).write_text(text)
    assert main(["partial", *["t", "y", "p", "-m", "hf", "--part", "x", "-q", "-o", "z.hp"]]) == 0
    for line in lines_of(verb):
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"1\tc\n2\tb\n")))
        code = main(line)
        said = capsys.readouterr().err
        assert code in (0, 1, 2), (line, said)
        assert "Traceback" not in said, line
        assert [x.startswith("hierpair: ") for x in said.splitlines()].count(True) == (code == 2), (
            line
        )
