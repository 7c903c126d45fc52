"""What can be trained: every module here with `RECIPES`, classes of `hansu.learn.recipe.Recipe`, adds some. They are
imported to be listed, so torch and its like wait until something is trained."""
