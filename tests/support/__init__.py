"""Test helpers and oracles."""
