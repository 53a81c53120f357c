"""Random hierarchies and label sets for Hypothesis."""

from hypothesis import strategies as st

from hierpair.hierarchy import Hierarchy


@st.composite
def dags(draw, max_classes=9, *, tree=None, single_root=False, weighted=False):
    """Edges of a random tree, forest or DAG over the classes c0, c1, …; and the classes."""
    n = draw(st.integers(1, max_classes))
    names = draw(st.permutations([f"c{i}" for i in range(n)]))
    is_tree = draw(st.booleans()) if tree is None else tree
    edges = []
    for i in range(1, n):
        few = {"min_size": int(single_root), "max_size": 1 if is_tree else min(3, i)}
        for p in draw(st.lists(st.integers(0, i - 1), unique=True, **few)):
            weight = (draw(st.integers(0, 8)) / 4,) if weighted else ()
            edges.append((names[p], names[i], *weight))
    return draw(st.permutations(edges)), names


@st.composite
def problems(draw, max_classes=9, max_labels=3, instances=3, **options):
    """A hierarchy, its edges, and true and predicted label lists of some instances."""
    edges, names = draw(dags(max_classes, **options))
    label_sets = st.lists(st.sampled_from(names), max_size=max_labels, unique=True)
    rows = draw(st.lists(st.tuples(label_sets, label_sets), min_size=1, max_size=instances))
    hierarchy = Hierarchy.from_edges(edges, classes=names, roots="any")
    return hierarchy, edges, [list(t) for t, _ in rows], [list(p) for _, p in rows]
