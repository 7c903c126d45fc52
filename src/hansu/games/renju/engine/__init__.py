"""A threat-searching engine.

patterns.py    what a stone makes on a line, as tables      threats.py     wins by fours (VCF) and by threes (VCT)
board.py       the board, kept up to date incrementally     search.py      the principal variation search
network.py     what a position is worth, what to try first  searcher.py    limits, reports: the engine as Python sees it
worth.py       what moves are worth at a glance
"""
