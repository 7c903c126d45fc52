"""Training: data, networks, recipes, and export to ONNX. It needs the extra `train`; playing does not."""
