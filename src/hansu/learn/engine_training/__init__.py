"""What the training of engines' networks shares; each game keeps its recipes in its own folder.

recipe_parts.py      shared options and messages, and the base of the recipe `engine_network`
distillation.py      a large teacher network, a small student with integer weights
optimization.py      Adam with a learning-rate schedule and averaged weights
worker_processes.py  games played by several processes until a deadline
array_files.py       files of arrays
"""
