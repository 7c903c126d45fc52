"""The Renju engine: threat searches and a principal variation search with a small network.

patterns.py        line codes and pattern tables             threats.py       VCF, VCT and defences
pattern_scores.py  move ordering of the threat searches      forced_moves.py  moves that need no search
board.py           the board, updated incrementally          search.py        the node of the main search
packed_states.py   packed states on the engine's board       searcher.py      the Python interface: limits, reports
network.py         evaluation and move ordering              vector_code.py   vector instructions for board and network
"""
