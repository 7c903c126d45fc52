"""The commands that Renju adds to `hansu`: `forbidden`, `engine renju`, `solve renju`, `data renju`."""
