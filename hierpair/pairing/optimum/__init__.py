"""What an optimal pairing means: is it the only one, the next best, what would change it.

Everything is read from the residual network of *links*: of every pair, and of every set of pairs
that a rule counts, what one unit more and one unit less costs. Two pairings differ by cycles of
such units, so the cheapest cycle through a link is what it takes to change it.
"""
