"""A server that misbehaves on demand, on a raw pipe: what no SDK would let it do.

Start it with `python -m worldtape.collectors.mcp.servers.rogue [--banner TEXT] [--protocol VERSION] [--mute METHOD]`.
Its tool `echo` behaves; `misbehave` does what its argument `how` says.
"""
