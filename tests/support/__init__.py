"""Helpers and oracles of the tests."""
