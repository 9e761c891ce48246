"""Two servers of our own: a small business, and one that misbehaves on demand."""
