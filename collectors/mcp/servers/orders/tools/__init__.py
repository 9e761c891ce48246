"""The tools, one module for each part of the business; what they take stands in `tools.yaml`."""
