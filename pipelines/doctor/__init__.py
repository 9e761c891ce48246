"""What this machine has of all that Worldtape can use, and the command that brings the rest."""

from worldtape.pipelines.doctor._component import Component, State
from worldtape.pipelines.doctor._examine import Diagnosis, examine

__all__ = ["Component", "Diagnosis", "State", "examine"]
