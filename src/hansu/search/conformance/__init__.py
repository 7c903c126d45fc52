"""What every game must do, looked at one thing at a time: for `hansu check` and for tests of the package."""
