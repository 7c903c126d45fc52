def add_to(app): pass
