"""Recipes for every game: each module has a list `RECIPES` of `hansu.learn.recipe.Recipe` subclasses. The modules are
imported to be listed, so they import torch only when something is trained."""
