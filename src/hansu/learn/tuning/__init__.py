"""What engines and evaluations know, found by play (recipes: ../recipes/tuning.py).

renju_games.py     the Renju engine's games with itself       renju_samples.py    what its network learns from
renju_teacher.py   the teacher of its network                 renju_network.py    the network, fitted
ataxx_games.py     the Ataxx engine's games with itself       ataxx_weights.py    its weights, fitted to them
fitting.py         what both networks take                    pacman_weights.py   Pacman's `better`, by hill climbing
"""
