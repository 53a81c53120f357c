"""Pairing problem ⇄ flow network: ``build`` on the way down, ``read`` on the way up.

For one instance the full network is that of Kosmopoulos et al. (2014, §2.3.1, Figure 3), with
the nodes merged that free arcs join anyway: source, sink and both default classes become one
*hub*, unless the number of pairs is bounded, when source and sink stay apart.

    hub ─[lower, upper]→ predicted ─[0, 1] cost→ true ─[lower, upper]→ hub
    predicted ─[0, lower] default→ hub          hub ─[0, lower] default→ true

A label without a partner sends its unit back to where it came from, at its default cost, so
bounds on groups and totals count real pairs alone. Groups of labels put nodes between the hub and
the labels, and groups of a label's partners nodes between the label and its pairs; those of a
side are nested, in whatever order they were written.

Costs of how many pairs are in a set, a table that rises faster and faster, are arcs beside the
bounds of that set: a base arc where the table is least, an arc for every run of equal costs of
more units, and arcs that go back for fewer.

Exact reductions keep networks small. Where every label needs one partner or may have any number,
a label's *fallback* cost is its default, or the cheapest of its pairs if that is less and
partners are unlimited; a pair as dear as both fallbacks together is in no better solution than
the fallbacks are, and its arc is left out; a label without any arc takes its fallback; and a true
class with a single arc needs no node. In the full network a label without default that needs all
of its pairs gets them by lower bounds.
"""
