"""What the training of engines' networks shares; each game that has such an engine keeps its recipes in its own folder.

recipe_parts.py      options and messages that recipes share
distillation.py      a large teacher network, a small student, int8 weights at the end
worker_processes.py  games played by several processes until a deadline
array_files.py       files of arrays
"""
