"""User interfaces: the terminal and the browser."""
