"""Checks that every game must pass, for `hansu check` and for the tests of the package."""
