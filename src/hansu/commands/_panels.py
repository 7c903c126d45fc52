"""The groups of commands in `hansu --help`, in order."""

PLAY = "Play"
COMPARE = "Compare"
LEARN = "Learn"
BUILD = "Build a game"
ENGINES = "Engines and files"
OTHER = "Other"
PANELS = (PLAY, COMPARE, LEARN, BUILD, ENGINES, OTHER)
