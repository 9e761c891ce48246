"""Judge one transition or one trajectory: keep or reject, with a reason."""
