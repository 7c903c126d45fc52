"""AlphaZero-style training for any game: a tree search guided by a network plays games, and the network learns from
them.

settings.py           options, and presets by the size of a game
games.py              many games at once: openings, moves, samples of finished games
start_positions.py    positions of earlier games that are worth playing again
evaluator.py          the network that plays, on the processor or as a CUDA graph
builder.py            creates search trees and groups of games from the settings
self_play.py          groups of games that alternate between cores and network
batch_players.py      players that move in many games at once: a network with its search, a named player
sparring.py           training games against a named player
game_recorder.py      finished games: into the replay buffer, onto disk, into the statistics
trainer.py            the learner's thread: batches, steps, checkpoints
background_thread.py  a thread that repeats its work until it is stopped
progress.py           counters of a run
actor.py              plays games on a machine of a cluster
cluster.py            starts actors through Ray, collects their games, replaces lost ones
gating.py             matches: the gate of the champion, Elo against fixed players
training.py           a run from start to end
"""
