"""Requirements that paths of two sides meet together, as variables and constraints of CP-SAT."""

from __future__ import annotations

from typing import Any

from hierpair.solvers.cover_problem import CoverProblem, Link

__all__ = ["CoverModel"]


class CoverModel:
    """The variables and constraints; aims are added one after the other."""

    def __init__(self, problem: CoverProblem) -> None:
        from ortools.sat.python import cp_model

        self.cp = cp_model
        self.problem = problem
        self.model = model = cp_model.CpModel()
        own = [link for link in problem.links if link.own]
        self.marked = sorted({link.end for link in own})
        self.chosen = {a: model.new_bool_var(f"end {a}") for a in self.marked}
        use: dict[int, Any] = {}
        extra: dict[int, Any] = {}
        by_owner: dict[int, list[Any]] = {}
        by_end: dict[tuple[int, int], list[int]] = {}
        for i, link in enumerate(problem.links):
            if link.end in self.chosen:
                by_end.setdefault((link.side, link.end), []).append(i)
            if link.own:
                use[i] = model.new_bool_var(f"use {i}")
                model.add_implication(use[i], self.chosen[link.end])
                by_owner.setdefault(link.owner, []).append(use[i])
        for several in by_owner.values():
            model.add_exactly_one(several)
        for (_, a), numbers in by_end.items():
            ended = [use[i] for i in numbers if i in use]
            for i in numbers:
                extra[i] = model.new_bool_var(f"extra {i}")
                model.add_implication(extra[i], self.chosen[a])
                for other in ended:
                    model.add_implication(other, extra[i].negated())
            model.add_at_most_one([extra[i] for i in numbers])
            model.add_bool_or([*ended, *(extra[i] for i in numbers), self.chosen[a].negated()])
        self.taken: tuple[dict[int, list[Any]], dict[int, list[Any]]] = ({}, {})
        self.used: tuple[list[tuple[tuple[int, int], Any]], ...] = ([], [])
        for i, link in enumerate(problem.links):
            terms = [v for v in (use.get(i), extra.get(i)) if v is not None]
            if terms:
                self._walk(link, sum(terms))
        self.inside: tuple[dict[int, Any], dict[int, Any]] = ({}, {})
        self._join()

    def _join(self) -> None:
        """Say which nodes are in which side: those that some active link takes."""
        model = self.model
        for side in (0, 1):
            for node, terms in self.taken[side].items():
                v = model.new_bool_var(f"node {node} side {side}")
                for term in terms:
                    model.add(v >= term)
                model.add(v <= sum(terms))
                self.inside[side][node] = v
        shared = []
        for node in self.inside[0].keys() & self.inside[1].keys():
            both = model.new_bool_var(f"both {node}")
            for side in (0, 1):
                model.add(both <= self.inside[side][node])
            model.add(both >= self.inside[0][node] + self.inside[1][node] - 1)
            shared.append(both)
        self.both = sum(shared)
        self.size = [sum(self.inside[s].values()) + self.problem.unlinked[s] for s in (0, 1)]

    def _walk(self, link: Link, active: Any) -> None:
        """Send one unit from the start to the end if the link is active."""
        taken, used = self.taken[link.side], self.used[link.side]
        if len(link.edges) == len(link.steps) - 1:  # a single path
            for (node,) in link.steps:
                taken.setdefault(node, []).append(active)
            used += [(edge, active) for edge in link.edges]
            return
        flow = {e: self.model.new_bool_var(f"edge {e}") for e in link.edges}
        used += flow.items()
        start = link.steps[0][0]
        taken.setdefault(start, []).append(active)
        for step in link.steps[1:]:
            for node in step:
                into = sum(v for e, v in flow.items() if e[1] == node)
                taken.setdefault(node, []).append(into)
                if node != link.end:
                    self.model.add(into == sum(v for e, v in flow.items() if e[0] == node))
        self.model.add(sum(v for e, v in flow.items() if e[0] == start) == active)

    def lean(self) -> Any:
        """How much larger one node set is than the other, where it is minimised."""
        most = sum(map(len, self.inside)) + sum(self.problem.unlinked)
        lean = self.model.new_int_var(0, most, "lean")
        self.model.add(lean >= self.size[0] - self.size[1])
        self.model.add(lean >= self.size[1] - self.size[0])
        return lean

    def present(self) -> Any:
        """Number of marked nodes that are in at least one node set."""
        terms = []
        for a in self.marked:
            v = self.model.new_bool_var(f"present {a}")
            sides = [self.inside[s][a] for s in (0, 1) if a in self.inside[s]]
            for side in sides:
                self.model.add(v >= side)
            self.model.add(v <= sum(sides))
            terms.append(v)
        return sum(terms)
