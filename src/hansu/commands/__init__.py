"""The general commands, a file each. Every module here has `add_to(app)`; heavy imports wait until a command runs."""
