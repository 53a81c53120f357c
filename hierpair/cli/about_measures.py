"""What ``hierpair compare`` says of the measures: agreement and discriminative power."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from hierpair.cli.looks import caption_of, digits_of
from hierpair.errors import BadInput

if TYPE_CHECKING:
    from hierpair.evaluation.scores import Scores

__all__ = ["VIEWS", "about_measures", "asks_about_measures", "check_about_measures", "drawn"]

VIEWS = ("agreement", "clusters", "power")
"""Pictures that are of all measures together."""


def asks_about_measures(options: argparse.Namespace) -> bool:
    """Whether the answer is about the measures, and not about the systems."""
    return options.agreement is not None or bool(options.power)


def check_about_measures(options: argparse.Namespace) -> None:
    """Refuse options that say how to answer a question that is not asked."""
    clusters = options.picture is not None and options.view == "clusters"
    if options.of and options.agreement is None and not clusters:
        raise BadInput("--of says of what measures are to agree; ask with --agreement")
    power = options.power or (options.picture is not None and options.view == "power")
    if options.sizes and not power:
        raise BadInput("--sizes are those of --power")


def about_measures(options: argparse.Namespace, scores: Scores, found: dict[str, Any]) -> str:
    """Return agreement or discriminative power; ``found`` keeps the latter for a picture."""
    if options.power:
        power = _power(options, scores, found)
        return str(power.to_table(options.format, options.digits, **caption_of(options)))
    agreed = _agreement(options, scores)
    digits = min(digits_of(options), 3)
    pairs: dict[str, Any] = {"pairs": True} if options.of == "systems" else {}
    return str(agreed.to_table(options.format, digits, **pairs, **caption_of(options)))


def drawn(
    options: argparse.Namespace, scores: Scores, found: dict[str, Any]
) -> Callable[[Any], Any]:
    """Return what draws the view that was asked for on the axes that it is given."""
    from hierpair import plots

    if options.view == "agreement":
        make: Any = plots.AgreementDisplay.from_agreement
        shown: Any = _agreement(options, scores, of="systems", n_bootstrap=0)
    elif options.view == "clusters":
        make = plots.DendrogramDisplay.from_clusters
        shown = _agreement(options, scores, of=options.of or "instances", n_bootstrap=0).clusters()
    else:
        make, shown = plots.PowerDisplay.from_discrimination, _power(options, scores, found)
    return partial(_on, make, shown)


def _on(make: Any, found: Any, axes: Any) -> Any:
    return make(found, ax=axes)


def _agreement(options: argparse.Namespace, scores: Scores, **how: Any) -> Any:
    """Return the agreement; intervals are there where it was said of what it is."""
    from hierpair.comparison import agreement

    asked = {
        "of": options.of or "systems",
        "n_bootstrap": options.bootstrap if options.of else 0,
        "level": options.level,
        "seed": options.seed,
        "n_jobs": options.jobs,
        **how,
    }
    return agreement(scores, options.agreement or "kendall_b", **asked)


def _power(options: argparse.Namespace, scores: Scores, found: dict[str, Any]) -> Any:
    """Return the discriminative power of the measures; it is computed once."""
    from hierpair.comparison import discrimination

    if "power" in found:
        return found["power"]
    asked: dict[str, Any] = {"alpha": options.alpha, "level": options.level, "seed": options.seed}
    if options.permutations is not None:
        asked["n_permutations"] = options.permutations
    if options.sizes:
        asked["sizes"] = _sizes(options.sizes)
    found["power"] = discrimination(
        scores, n_bootstrap=options.bootstrap, n_jobs=options.jobs, **asked
    )
    return found["power"]


def _sizes(text: str) -> list[int]:
    parts = text.split(",")
    if not all(part.strip().isdecimal() for part in parts):
        raise BadInput(f"cannot read the sizes {text!r}; write --sizes N,N,…, such as 100,400")
    return [int(part) for part in parts]
