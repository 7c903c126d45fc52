"""The Ataxx engine: evaluation, move ordering, search."""
