"""Stand-ins for the course framework's small modules, so that a student's file can import them as before."""
