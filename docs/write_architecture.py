"""Draw the rooms of the code: their floors, their lines of Python, and which imports which."""

import ast
import tomllib
from pathlib import Path

import networkx as nx

from hierpair.plots import save_picture
from hierpair.plots.graphs import Arc, Node, graph_scene
from hierpair.plots.letters import fonts_of_figures
from hierpair.plots.saving import draw

TOP = Path(__file__).parents[1]


def write(docs: Path) -> None:
    """Write the picture; an import that follows from two others is left out."""
    said = tomllib.loads((TOP / "pyproject.toml").read_text("utf-8"))["tool"]["importlinter"]
    floors = said["contracts"][0]["layers"][1:]  # without __main__
    floor = {room: k for k, rooms in enumerate(floors) for room in rooms.split(" | ")}
    lines, imports = dict.fromkeys(floor, 0), nx.DiGraph()
    for path in (TOP / "hierpair").glob("**/*.py"):
        room, text = path.relative_to(TOP / "hierpair").parts[0], path.read_text("utf-8")
        if (room := room.removesuffix(".py")) in floor:
            lines[room] += text.count("\n")
            for name in (n.module for n in ast.walk(ast.parse(text)) if hasattr(n, "module")):
                used = f"{name}.".split(".")[1]
                imports.add_edges_from([(room, used)] if floor.get(used, 0) > floor[room] else [])
    imports.remove_node("_version")
    place = {room: k for k, room in enumerate(room for room in floor if room in imports)}
    nodes = [Node(f"{room}  {lines[room]:,}", floor[room], room, framed=room == "solvers")
             for room in place]  # fmt: skip
    arcs = [Arc(place[a], place[b]) for a, b in nx.transitive_reduction(imports).edges]
    scene = graph_scene(nodes, arcs, fonts_of_figures(), "down")
    save_picture(draw(scene, None, None), docs / "architecture.svg")
