"""UAI: an engine server, and a player that runs external engines. docs/internals/uai.md describes the protocol."""
