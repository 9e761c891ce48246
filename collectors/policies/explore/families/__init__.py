"""The tables of actions, one family a file."""
