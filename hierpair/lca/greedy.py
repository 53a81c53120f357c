"""Algorithm 1 of Kosmopoulos et al. (2014), corrected: feasible graphs, not always the smallest."""

from __future__ import annotations

from hierpair.solvers import Cover, CoverProblem, Link

__all__ = ["greedy_cover"]


def greedy_cover(problem: CoverProblem) -> Cover:
    """Choose LCAs that meet many requirements first, then paths that share many classes.

    1. LCAs are taken in the order of the number of requirements that they meet until all are met;
       one forward and one backward pass drop those that are not needed.
    2. Every label is linked to every chosen LCA of its requirement by the path that shares most
       classes with its side so far.
    3. A chosen LCA that a side has not reached gets the path that adds the fewest classes.

    Ties go to the lower number, so the numbers should mean something that does not depend on
    the order of the input.
    """
    requirements: dict[int, set[int]] = {}
    for link in problem.links:
        if link.own:
            requirements.setdefault(link.owner, set()).add(link.end)
    chosen = _ends(list(requirements.values()))
    nodes: tuple[set[int], set[int]] = (set(), set())
    paths: tuple[list[list[int]], list[list[int]]] = ([], [])

    def add(side: int, path: list[int]) -> None:
        nodes[side].update(path)
        paths[side].append(path)

    for a in chosen:
        for link in problem.links:
            if link.own and link.end == a:
                add(link.side, _most_shared(link, nodes[link.side]))
    for a in chosen:
        for side in (0, 1):
            if a not in nodes[side]:
                found = [
                    _most_shared(x, nodes[side])
                    for x in problem.links
                    if x.side == side and x.end == a
                ]
                add(side, min(found, key=lambda path: (len(set(path) - nodes[side]), path)))
    return Cover.of_paths(chosen, paths, optimal=False)


def _ends(requirements: list[set[int]]) -> list[int]:
    """Return ends that meet every requirement, the most required first."""
    count: dict[int, int] = {}
    for requirement in requirements:
        for a in requirement:
            count[a] = count.get(a, 0) + 1
    chosen: list[int] = []
    for a in sorted(count, key=lambda a: (-count[a], a)):
        if all(requirement & set(chosen) for requirement in requirements):
            break
        chosen.append(a)
    for forward in (True, False):
        for a in chosen.copy() if forward else chosen[::-1]:
            rest = set(chosen) - {a}
            if all(requirement & rest for requirement in requirements):
                chosen.remove(a)
    return chosen


def _most_shared(link: Link, there: set[int]) -> list[int]:
    """Return the path of a link that shares most nodes with those that are there.

    Of equally good paths the first in order is taken. Only the last step of each path is kept, and
    its rank among the paths that are as long: a path can have very many steps.
    """
    if len(link.edges) == len(link.steps) - 1:  # the only path
        return [step[0] for step in link.steps]
    below: dict[int, list[int]] = {}
    for lower, upper in link.edges:
        below.setdefault(upper, []).append(lower)
    before: dict[int, int] = {}
    shared: dict[int, int] = {-1: 0}
    rank: dict[int, int] = {-1: 0}
    for step in link.steps:
        for node in step:
            lower = min(below.get(node, (-1,)), key=lambda c: (-shared[c], rank[c]))
            before[node], shared[node] = lower, (node in there) + shared[lower]
        in_order = sorted(step, key=lambda c: (rank[before[c]], c)) if len(step) > 1 else step
        rank.update(zip(in_order, range(len(in_order)), strict=True))
    path = [link.end]
    while before[path[-1]] >= 0:
        path.append(before[path[-1]])
    return path[::-1]
