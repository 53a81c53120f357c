"""Small scored systems for the pages that tests open."""

from hierpair import Hierarchy, score

NAMES = ["hf", "gie", "mgia", "lca_f", "hcm_f", "f"]
PLAIN = [f"class {k}" for k in range(13)]
HOSTILE = [
    "<script>window.harmed = 1</script>",
    "<img src=x onerror=window.harmed=1>",
    "\"'`&amp;</style></script><svg onload=window.harmed=1>",
    "\u202eright to left \u05d0\u05d1\u05d2",
    "👩\u200d👩\u200d👧 emoji",
    "x" * 10_000,
    "__proto__",
    "constructor",
    "${1}@data@\\u003c",
    "a\tb\nc",
    "]]><!--",
    "javascript:window.harmed=1",
    "#/classes/1?of=%",
]


def scored(classes=PLAIN, systems=("one", "two", "three"), prefix="i", measures=NAMES):
    """Return scores of three systems on a tree: the first is right, the others err more and more."""
    root, *others = classes
    edges = [(root, name) for name in others[:3]]
    edges += [(others[k % 3], name) for k, name in enumerate(others[3:])]
    tree = Hierarchy.from_edges(edges)
    leaves = others[3:]
    n = len(leaves)
    truth = [
        [leaves[k % n], leaves[(3 * k + 1) % n]] if k % 3 else [leaves[k % n]] for k in range(36)
    ]
    near = [[leaves[(k + (k % 4 == 0)) % n]] for k in range(36)]
    far = [[leaves[0], leaves[(k + 3) % n], leaves[(k + 5) % n]] for k in range(36)]
    best = [labels if k % 6 else near[k] for k, labels in enumerate(truth)]
    ids = [f"{prefix}{k}" for k in range(36)]
    given = {
        name: dict(zip(ids, rows, strict=True))
        for name, rows in zip(systems, (best, near, far), strict=True)
    }
    return score(tree, dict(zip(ids, truth, strict=True)), given, measures)
