"""What stands on a tape."""

from enum import StrEnum


class EventKind(StrEnum):
    """The kinds of events, in the order in which they first appear."""

    HEADER = "header"
    """What was asked (`Header`); always first."""
    READY = "ready"
    """What was found (`Ready` without its observation)."""
    DATA = "data"
    """Bytes that were read: `channel`, and `text`, `b64` or `blob`."""
    CAPTURED = "captured"
    """Observed: `received`, `renderer`, `sha256`, `settled_by`, `shown`, `parts`; no step: initial."""
    ACTION = "action"
    """An action is about to be carried out (`Action`)."""
    RESULT = "result"
    """It ended: `outcome`, `timing`, `state_after`, `snapshot`, `reward`, `done`, `lossiness`."""
    THOUGHT = "thought"
    """What the policy thought; never in a corpus."""
    FAULT = "fault"
    """A perturbation came into force (`Fault`), or ended (`kind` null)."""
    NOTICE = "notice"
    """The recorder's own remarks: `code` (`clock_step`, `recovered`, …) and details."""
    END = "end"
    """How it ended (`End`); always last."""
