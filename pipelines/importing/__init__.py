"""Import what others recorded: sniff, read, and write tapes."""
