"""What language models are told."""
