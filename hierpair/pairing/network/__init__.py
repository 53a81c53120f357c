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

What numbers of pairs in a set cost is a base arc for the numbers that cost nothing, an arc beside
it for every run of equal costs of more pairs, and arcs that go back for fewer. Counts of the same
sets follow each other, so that each keeps arcs and a dual price of its own.

Exact reductions keep networks small. Where nothing but partners of labels is counted, a pair as
dear as all that its labels would pay without it is in no better pairing than they are alone, and
its arc is left out; the only pair of both its labels is chosen; a label without any arc needs no
node. Where every label needs one partner and may have any number, one that stays alone takes its
cheapest pair or its default, so that each needs one at most. Bounds that leave no choice become
supplies, and a label without default that needs all of its pairs gets them by lower bounds.
"""
