"""Draw the hierarchy of a worked example."""

from pathlib import Path

from hierpair.explanation import Explanation, Neighbourhood

try:
    from hierpair.plots import plot_neighbourhood
except ImportError:  # the extra is not installed
    plot_neighbourhood = None


def drawn(why: Explanation, path: Path) -> str:
    """Write the picture to a file and return the Markdown that shows it."""
    if plot_neighbourhood is None:
        return f"```text\n{as_text(why.neighbourhood)}\n```"
    figure = plot_neighbourhood(why.neighbourhood)
    figure.savefig(path, metadata={"Date": None})
    return f"![{described(why)}]({path.name})"


def described(why: Explanation) -> str:
    """Return the picture in words."""
    true, predicted = (", ".join(map(str, names)) for names in (why.y_true, why.y_pred))
    return f"The classes around the labels; true: {true}; predicted: {predicted}"


def as_text(shown: Neighbourhood) -> str:
    """Return the hierarchy as indented lines, labels marked by side."""
    below: dict[int, list[int]] = {}
    for parent, child in shown.edges:
        below.setdefault(parent, []).append(child)
    children = {child for _, child in shown.edges}
    lines: list[str] = []

    def walk(at: int, first: str, rest: str) -> None:
        node = shown.nodes[at]
        marks = ["true"] * node.true + ["predicted"] * node.predicted
        lines.append(f"{first}{node.name}{'   ← ' + ' and '.join(marks) if marks else ''}")
        under = below.get(at, [])
        for k, child in enumerate(under):
            last = k == len(under) - 1
            walk(child, rest + ("└─ " if last else "├─ "), rest + ("   " if last else "│  "))

    for at in range(len(shown.nodes)):
        if at not in children:
            walk(at, "", "")
    return "\n".join(lines)
