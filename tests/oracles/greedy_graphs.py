"""Algorithm 1 of Kosmopoulos et al. (2014), corrected, one step after the other with all paths."""


def ranks_of(hierarchy):
    """The rank of every class by level, then name; the artificial class comes last."""
    n = len(hierarchy)
    order = sorted(range(n), key=lambda c: (hierarchy.levels[c], str(hierarchy.names[c])))
    return {c: k for k, c in enumerate([*order, n])}


def every_path(link):
    """All paths of a link that is written out, from the label to the LCA."""
    paths = [(link.steps[0][0],)]
    for _ in link.steps[1:]:
        paths = [(*path, p) for path in paths for c, p in link.edges if c == path[-1]]
    return paths


def greedy_graphs(links, rank):
    """The chosen LCAs, and by side the paths."""
    requirements = {}
    for link in links:
        if link.own:
            requirements.setdefault(link.owner, set()).add(link.end)
    chosen = chosen_ends(list(requirements.values()), rank)
    nodes, paths = (set(), set()), ([], [])

    def best(link):
        there = nodes[link.side]
        key = {p: (-len(there & set(p)), [rank[c] for c in p]) for p in every_path(link)}
        return min(key, key=key.get)

    def add(side, path):
        nodes[side].update(path)
        paths[side].append(path)

    for a in chosen:
        for link in links:
            if link.own and link.end == a:
                add(link.side, best(link))
    for a in chosen:
        for side in (0, 1):
            if a not in nodes[side]:
                found = [best(x) for x in links if x.side == side and x.end == a]
                add(side, min(found, key=lambda path: (
                    len(set(path) - nodes[side]), [rank[c] for c in path]
                )))  # fmt: skip
    return chosen, paths


def chosen_ends(requirements, rank):
    """Ends that meet every requirement, the most required first, without those not needed."""
    count = {}
    for requirement in requirements:
        for a in requirement:
            count[a] = count.get(a, 0) + 1
    chosen = []
    for a in sorted(count, key=lambda a: (-count[a], rank[a])):
        if all(requirement & set(chosen) for requirement in requirements):
            break
        chosen.append(a)
    for forward in (True, False):
        for a in chosen.copy() if forward else chosen[::-1]:
            rest = set(chosen) - {a}
            if all(requirement & rest for requirement in requirements):
                chosen.remove(a)
    return chosen
