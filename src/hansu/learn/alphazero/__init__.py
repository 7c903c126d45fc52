"""Learning by self-play, for any game: a tree search guided by a network makes games, the network learns from them.

settings.py    what can be set, and presets by the size of a game
games.py       many games side by side: beginnings, moves, samples of those that ended
archive.py     positions that earlier games make worth another look
answerer.py    the network that plays: on the processor, or as a CUDA graph
builder.py     makes trees and groups of games, as the settings say
self_play.py   groups of games that take turns between cores and network
sides.py       who sits at a board: a network with its search, a named player
sparring.py    games against a named player, to learn from
intake.py      finished games: into memory, onto disk, into the counts
trainer.py     the learner beside the search: batches, steps, checkpoints
beside.py      a thread beside the search
progress.py    how far a run is
actor.py       one that plays on some machine of a cluster
parcel.py      a game on its way there
cluster.py     those machines, through Ray: actors begin, send games, are replaced
judge.py       who is better: the gate of the champion, Elo against references
training.py    all of it together
"""
