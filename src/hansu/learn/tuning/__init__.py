"""What engines and evaluations know, found by play (recipes: ../recipes/tuning.py).

renju_games.py     the Renju engine's games with itself       renju_weights.py    its weights, fitted to them
ataxx_games.py     the Ataxx engine's games with itself       ataxx_weights.py    its weights, fitted to them
renju_network.py   its network, fitted to them                fitting.py          what both networks take
pacman_weights.py  Pacman's `better`, by hill climbing
"""
