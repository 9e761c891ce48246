"""What a container may: everything is limited, and root inside has only the rights that file work needs."""

from typing import Any

from worldtape.schemas import Limits

CAPABILITIES = ("CHOWN", "DAC_OVERRIDE", "FOWNER", "FSETID", "KILL", "SETGID", "SETUID")
"""What is left to root: owners, modes, signals and becoming another user; `apt-get` and `su` need them."""
SHM_MB = 64
_MB = 1 << 20


def host_config(client: Any, limits: Limits, network: str) -> Any:
    """Return Docker's host configuration for one sandbox.

    `/tmp` and `/dev/shm` are sized and count as memory, so the memory limit holds them too. The writable root lies on
    the daemon's disk, where most file systems refuse a size: it is watched.
    """
    from docker.types import LogConfig, Ulimit

    memory = (limits.memory_mb + limits.disk_mb + SHM_MB) * _MB
    file_size = limits.file_mb * _MB
    return client.create_host_config(
        auto_remove=True,
        network_mode=network,
        cap_drop=["ALL"],
        cap_add=list(CAPABILITIES),
        security_opt=["no-new-privileges"],
        mem_limit=memory,
        memswap_limit=memory,
        nano_cpus=int(limits.cpus * 1e9),
        pids_limit=limits.pids,
        shm_size=min(SHM_MB, limits.disk_mb) * _MB,
        tmpfs={"/tmp": f"rw,exec,nosuid,nodev,mode=1777,size={limits.disk_mb}m"},  # noqa: S108
        ulimits=[Ulimit(name="fsize", soft=file_size, hard=file_size), Ulimit(name="core", soft=0, hard=0)],
        log_config=LogConfig(type=LogConfig.types.NONE) if hasattr(LogConfig.types, "NONE") else {"Type": "none"},
        ipc_mode="private",
    )
