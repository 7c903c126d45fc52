"""Training of the evaluation `better`."""
