"""Write the table of advice of docs/which-measure.md, with what measures were found to do."""

from pathlib import Path

from markdown_parts import renewed, table

from hierpair import examine, measure
from hierpair.verification import NEEDS, Need, NeedEvidence
from hierpair.verification.advice import evidence_of
from hierpair.verification.properties.examination import percent

PAGE = Path(__file__).parent / "which-measure.md"
SCOPE, SAMPLES, SEED = 5, 2400, 0


def page() -> str:
    """Return the page with its tables as they are now."""
    return renewed(PAGE, tables())


def tables() -> str:
    """Return the table of needs, and the least case of what speaks against the others."""
    needs, cases = [], dict[tuple[str, str], str]()
    for need in NEEDS.values():
        found = _found(need)
        first = ", ".join(f"`{name}`{_rarely(found.get(name, []))}" for name in need.first)
        against = [_worst(found[name]) for name in need.avoid]
        pairs = list(zip(need.avoid, against, strict=True))
        avoid = ", ".join(f"`{name}` ({_why(e)})" for name, e in pairs)
        asked = ", ".join(f"`{p}`" for p in need.properties)
        asked += ", ".join(f"`{p}` violated" for p in need.reversed_properties)
        needs.append([f"`{need.name}`", need.question, asked or "–", first or "–", avoid or "–"])
        for name, e in pairs[:1]:
            if e.case is not None:
                cases[f"`{name}`", f"`{e.stated}`"] = str(e.case)
    header = ["need", "question", "properties", "first choice", "not"]
    said = (
        f"Figures: `examine(scope={SCOPE}, samples={SAMPLES}, seed={SEED})`, in the domain of the "
        "need; the larger share of small hierarchies and\nrandom ones."
    )
    return "\n\n".join([
        table(header, needs), said, "The least case of the first that is none:",
        table(["measure", "property", "least case"], [[*of, case] for of, case in cases.items()]),
    ])  # fmt: skip


def _found(need: Need) -> dict[str, list[NeedEvidence]]:
    """Return the evidence for a need, by the names of its measures."""
    names = [*need.first, *need.avoid]
    if not need.asked:
        return {}
    found = examine(
        names, properties=need.asked, scope=SCOPE, samples=SAMPLES, seed=SEED, on_progress=False
    )
    return {
        name: [evidence_of(found[measure(name), p], need) for p in need.asked] for name in names
    }


def _rarely(evidence: list[NeedEvidence]) -> str:
    """Return what a first choice violates now and then."""
    seen = [f"{e.stated} {percent(e.share)}" for e in evidence if e.status == "rarely violated"]
    return f" ({', '.join(seen)})" if seen else ""


def _worst(evidence: list[NeedEvidence]) -> NeedEvidence:
    """Return what speaks most against a measure: what it violates, else where it has no value."""
    against = [e for e in evidence if e.fails]
    return max(against, key=lambda e: (e.share == e.share, e.share if e.n else 0.0))


def _why(e: NeedEvidence) -> str:
    if e.share > 0:
        return f"`{e.stated}` {percent(e.share)}"
    return f"`{e.stated}` {e.status}"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
