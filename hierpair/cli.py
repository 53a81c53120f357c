"""The command line: ``hierpair score`` and ``hierpair measures``."""

from __future__ import annotations

import argparse
import importlib.util
import os
import sys
import traceback
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from hierpair._version import __version__
from hierpair.errors import BadInput, HierpairError
from hierpair.output import check_target, deliver

if TYPE_CHECKING:
    from hierpair.scores import Scores

__all__ = ["main"]

OK, USAGE, INTERNAL = 0, 2, 3
FORMATS = ("text", "json", "jsonl", "csv", "tsv", "markdown", "latex")


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code.

    0: done; 2: wrong usage or bad input; 3: a fault in hierpair; 130: interrupted.
    """
    parser = _parser()
    try:
        options = parser.parse_args(argv)
    except SystemExit as stop:
        return int(stop.code or 0)
    try:
        check_target(options.output, [*getattr(options, "files", []), *options.plugin])
        deliver(options.run(options), options.output)
    except HierpairError as error:
        print(f"hierpair: {error}", file=sys.stderr)
        return USAGE
    except KeyboardInterrupt:
        print("hierpair: interrupted", file=sys.stderr)
        return 130
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return OK
    except Exception as error:
        if options.debug:
            raise
        where = traceback.extract_tb(error.__traceback__)[-1]
        print(
            f"hierpair: internal error: {type(error).__name__}: {error} "
            f"({Path(where.filename).name}:{where.lineno}); run with --debug for the details",
            file=sys.stderr,
        )
        return INTERNAL
    return OK


class _Parser(argparse.ArgumentParser):
    """Says what is wrong in one line; the whole usage is a ``--help`` away."""

    def error(self, message: str) -> NoReturn:
        print(f"hierpair: {message}; see {self.prog} --help", file=sys.stderr)
        raise SystemExit(USAGE)


def _parser() -> argparse.ArgumentParser:
    common = _Parser(add_help=False)
    common.add_argument("--format", choices=FORMATS, default="text", help="output format")
    common.add_argument("-o", "--output", metavar="FILE", help="write a file, whole or not at all")
    common.add_argument("--plugin", metavar="FILE.py", action="append", default=[],
                        help="load measures of your own (may be repeated)")  # fmt: skip
    common.add_argument("--debug", action="store_true", help="show a traceback for internal errors")
    parser = _Parser(
        prog="hierpair",
        description="Score hierarchical classifiers: every published measure, exact.",
    )
    parser.add_argument("--version", action="version", version=f"hierpair {__version__}")
    verbs = parser.add_subparsers(dest="verb", metavar="VERB", required=True)
    _score_parser(verbs, common)
    listing = verbs.add_parser("measures", parents=[common], help="list the measures",
                               description="List the measures, or show one in full.")  # fmt: skip
    listing.add_argument("name", nargs="?", help="a measure to show in full")
    listing.set_defaults(run=_measures)
    return parser


def _score_parser(verbs: Any, common: _Parser) -> None:
    verb = verbs.add_parser(
        "score", parents=[common], help="score predictions",
        description="Score one or more systems: hierpair score HIERARCHY TRUTH PREDICTIONS …, or "
        "hierpair score --case NAME for a case study that comes with hierpair.",
    )  # fmt: skip
    verb.add_argument("files", nargs="*", metavar="FILE",
                      help="hierarchy, truth, and one file or NAME=FILE per system")  # fmt: skip
    verb.add_argument("--case", metavar="NAME", help="score a bundled case instead of files")
    verb.add_argument("-m", "--measures", action="append", default=[], metavar="MEASURE",
                      help="a measure such as hf or 'hf(beta=2)' (may be repeated); "
                      "default: all that are defined for any label sets")  # fmt: skip
    verb.add_argument("--per-instance", action="store_true", help="values of every instance")
    verb.add_argument("--digits", type=int, default=4, help="decimals (default: 4)")
    verb.add_argument("--hierarchy-format", default="auto", metavar="FORMAT",
                      help="edges, weighted-edges, taxonomy, parents, paths, obo")  # fmt: skip
    verb.add_argument("--relations", default="is_a", metavar="NAMES",
                      help="OBO relations to parents (default: is_a)")  # fmt: skip
    verb.add_argument("--label-format", default="auto", metavar="FORMAT",
                      help="lines, table (default: auto)")  # fmt: skip
    verb.add_argument("--unknown", choices=("error", "drop", "root"), default="error",
                      help="labels outside the hierarchy (default: error)")  # fmt: skip
    verb.add_argument("--missing", choices=("error", "empty"), default="error",
                      help="instances without a prediction (default: error)")  # fmt: skip
    verb.add_argument("--jobs", type=int, default=1, help="processes (default: 1)")
    verb.add_argument("-q", "--quiet", action="store_true", help="no messages on stderr")
    conventions = verb.add_argument_group(
        "conventions", "for all measures that have the option; hierpair measures NAME tells"
    )
    for name, kind, words in CONVENTIONS:
        conventions.add_argument(
            f"--{name.replace('_', '-')}",
            dest=f"convention_{name}",
            type=kind,
            metavar=name.upper(),
            help=words,
        )
    verb.set_defaults(run=_score)


CONVENTIONS: list[tuple[str, Callable[[str], Any], str]] = [
    ("root", str, "exclude, include, or the class that does not count"),
    ("average", str, "samples, micro, macro or weighted"),
    ("beta", float, "weight of recall in F"),
    ("default", float, "Dmax, price of a class without partner"),
    ("denominator", str, "union or symdiff (MGIA)"),
    ("augment", str, "ancestors, descendants, pruned or none"),
    ("price", str, "hops, weights, or 'decayed(w0=0.75)'"),
    ("max_distance", float, "largest distance of a pair"),
    ("threshold", int, "longest path between two classes, even"),
    ("zero_division", float, "value of 0/0: 0, 1 or nan"),
]


def _score(options: argparse.Namespace) -> str:
    from hierpair.casebook import load_case
    from hierpair.evaluate import score

    _load_plugins(options.plugin)
    if options.case is not None:
        if options.files:
            raise BadInput("give either --case or files, not both")
        case = load_case(options.case)
        hierarchy, truth, systems = case.hierarchy, case.y_true, dict(case.systems)
        _say(options, f"{case.title}\n{case.citation}")
    else:
        hierarchy, truth, systems = _read_files(options)
    conventions = {
        name: value
        for name, _, _ in CONVENTIONS
        if (value := getattr(options, f"convention_{name}")) is not None
    }
    scores = score(
        hierarchy, truth, systems, options.measures or None, unknown=options.unknown,
        missing=options.missing, n_jobs=options.jobs, **conventions,
    )  # fmt: skip
    shown = _show(scores, options)
    _say(options, f"scored on a {hierarchy.describe()}")
    for note in scores.notes[1:]:
        _say(options, note)
    return shown


def _read_files(options: argparse.Namespace) -> tuple[Any, Any, dict[str, Any]]:
    from hierpair.readers import read_hierarchy, read_labels

    if len(options.files) < 3:
        raise BadInput(
            "give a hierarchy, a truth and at least one file of predictions, or --case NAME"
        )
    hierarchy_file, truth_file, *predictions = options.files
    if sum(given.rpartition("=")[2] == "-" for given in options.files) > 1:
        raise BadInput("only one file can be read from standard input")
    hierarchy = read_hierarchy(
        hierarchy_file, fmt=options.hierarchy_format, relations=options.relations.split(",")
    )

    def labels(path: str) -> Any:
        return read_labels(path, hierarchy, fmt=options.label_format, unknown=options.unknown)

    truth = labels(truth_file)
    systems: dict[str, Any] = {}
    for given in predictions:
        name, equals, path = given.partition("=")
        if not equals or Path(given).exists():
            name, path = Path(given).name.split(".")[0] if given != "-" else "stdin", given
        if not name or not path:
            raise BadInput(f"cannot read the system {given!r}; write NAME=FILE")
        if name in systems:
            raise BadInput(f"two systems are called {name!r}; name them: {name}-2={path}")
        systems[name] = labels(path)
    return hierarchy, truth, systems


def _show(scores: Scores, options: argparse.Namespace) -> str:
    each: bool = options.per_instance
    shown: dict[str, Callable[[], str]] = {
        "text": lambda: scores.to_text(options.digits, per_instance=each),
        "csv": lambda: scores.to_csv(per_instance=each),
        "tsv": lambda: scores.to_csv(separator="\t", per_instance=each),
        "json": lambda: scores.to_json(per_instance=each),
        "jsonl": lambda: scores.to_jsonl(per_instance=each),
    }
    pooled: dict[str, Callable[[], str]] = {
        "markdown": lambda: scores.to_markdown(options.digits),
        "latex": lambda: scores.to_latex(options.digits),
    }
    if each and options.format in pooled:
        raise BadInput(f"per-instance values come as {', '.join(shown)}")
    return (shown | pooled)[options.format]()


def _measures(options: argparse.Namespace) -> str:
    import json

    from hierpair.measures import REGISTRY, measure
    from hierpair.report import csv_table, latex_table, markdown_table, text_table

    _load_plugins(options.plugin)
    if options.name:
        d = measure(options.name).definition
        chosen = [d]
    else:
        chosen = list(REGISTRY.values())
    header = ["measure", "better", "range", "formula", "source", "options"]
    rows = [
        [d.name, d.direction, d.range, d.formula, d.source,
         ", ".join(f"{k}={v!r}" for k, v in d.options.items())]
        for d in chosen
    ]  # fmt: skip
    if options.format in ("json", "jsonl"):
        records = [dict(zip(header, row, strict=True)) for row in rows]
        if options.format == "json":
            return json.dumps(records, ensure_ascii=False, indent=2)
        return "\n".join(json.dumps(r, ensure_ascii=False) for r in records)
    if options.format in ("csv", "tsv"):
        return csv_table(header, rows, "," if options.format == "csv" else "\t")
    if options.format == "markdown":
        return markdown_table(header, rows)
    if options.format == "latex":
        return latex_table(header, rows)
    if options.name:
        d = chosen[0]
        width = max(map(len, header))
        lines = [f"{k:<{width}}  {v}" for k, v in zip(header, rows[0], strict=True)]
        return "\n".join([d.summary, "", *lines, f"{'averages':<{width}}  {', '.join(d.averages)}"])
    return text_table(
        ["measure", "better", "what it says"], [[d.name, d.direction, d.summary] for d in chosen],
        align="lll",
    )  # fmt: skip


def _load_plugins(paths: Sequence[str]) -> None:
    """Import files that register measures."""
    for path in paths:
        if not Path(path).is_file():
            raise BadInput(f"{path}: there is no such file")
        name = f"hierpair_plugin_{Path(path).stem}"
        spec = importlib.util.spec_from_file_location(name, path)
        if spec is None or spec.loader is None:
            raise BadInput(f"{path}: a plugin is a Python file (.py)")
        module = importlib.util.module_from_spec(spec)
        sys.modules[name] = module
        try:
            spec.loader.exec_module(module)
        except BadInput as error:
            raise BadInput(f"{path}: {error}") from None
        except Exception as error:
            frames = traceback.extract_tb(error.__traceback__)
            lines = [f.lineno for f in frames if Path(f.filename).resolve() == Path(path).resolve()]
            line = getattr(error, "lineno", None) or (lines[-1] if lines else None)
            place = f"{path}:{line}" if line else path
            raise BadInput(f"{place}: {type(error).__name__}: {error}") from None


def _say(options: argparse.Namespace, message: str) -> None:
    if not options.quiet:
        print(message, file=sys.stderr)
