"""The test sites."""
