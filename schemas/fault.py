"""A perturbation in force."""

from worldtape.schemas._model import Model


class Fault(Model):
    """Whether it landed is known only after pairing, so that stands in a note."""

    kind: str
    """`disk_full`, `read_only`, `no_network`, `http_502`, `latency`, `killed`, …"""
    instruction: str
    """The control instruction a simulator would be given."""
