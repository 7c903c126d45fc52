"""Places to play: the terminal now, the browser next."""
