"""Settings of a sandbox."""

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from worldtape.schemas import EnvironmentSpec, Limits


class SandboxConfig(BaseModel):
    """What a shell is to live in."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)

    kind: Literal["docker", "local", "unsafe-local"] = "local"
    """`docker`: a container; `local`: Linux namespaces; `unsafe-local`: this machine, without any protection."""
    image: str | None = None
    """The container image (`docker` only); none: the one that Worldtape builds."""
    pull_s: float = Field(default=300, ge=0)
    """So many seconds an image may take to be pulled; 0: never pull."""
    shell: tuple[str, ...] | None = None
    """The interactive shell and its arguments; none: bash where there is one, else sh."""
    network: Literal["none", "bridge", "host"] = "none"
    """`none`: nothing but loopback; the others are for `docker`."""
    limits: Limits = Limits()
    """What all its processes together may use."""
    hostname: str = Field(default="debian", pattern=r"^[a-z0-9]([a-z0-9-]{0,62})$")
    """The name of the machine, as its shell shows it."""
    workdir: str | None = None
    """Where the shell starts; none: the home directory (`local`) or the image's own (`docker`)."""
    user: str | None = None
    """Who the shell runs as (`docker` only); none: the image's own."""
    env: dict[str, str] = Field(default_factory=dict)
    """Variables of the shell's environment, over the usual ones."""
    files: dict[str, str] = Field(default_factory=dict)
    """Absolute path to text: files written before the shell starts."""

    def asked(self) -> EnvironmentSpec:
        """Return what is asked for, in the words of a tape's header."""
        unsafe = self.kind == "unsafe-local"
        return EnvironmentSpec(
            kind="terminal",
            backend=self.kind,
            image=self.image,
            network="host" if unsafe else self.network,
            limits=None if unsafe else self.limits,
        )
