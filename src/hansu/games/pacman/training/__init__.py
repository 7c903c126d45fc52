"""Weights for the evaluation `better`."""
