"""What runs inside a desktop's container, by the system's own Python: with `gi` and `Xlib`, and without Worldtape.

It is never imported outside: its files are copied into the container, under the same module names.
"""
