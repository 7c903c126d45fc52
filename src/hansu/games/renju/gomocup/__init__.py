"""The Gomocup protocol: a server for hansu's engine, and a player that runs external engines.

server.py        the protocol as an engine               driver.py  the protocol as a client
engine.py        what the server expects of an engine    player.py  the player `gomocup`
renju_engine.py  hansu's engine behind the server        board.py   the server's board
"""
