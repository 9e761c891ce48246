"""What an environment hands back after reset."""

from worldtape.schemas._model import Model
from worldtape.schemas.environment_spec import EnvironmentSpec
from worldtape.schemas.initial_state import InitialState
from worldtape.schemas.lossiness import Lossiness
from worldtape.schemas.observation import Observation


class Ready(Model):
    """What was found, against what was asked."""

    environment: EnvironmentSpec
    initial_state: InitialState
    observation: Observation
    lossiness: tuple[Lossiness, ...] = ()
    """Codes that hold for every transition of this trajectory."""
