"""Learning: data splits, measures, training, and export to ONNX. Needs the extra `train`; playing does not."""
