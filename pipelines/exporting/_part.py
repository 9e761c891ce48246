"""One part: the task that runs on a worker."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from worldtape.errors import ComponentError, StorageError, WorldtapeError, boundary
from worldtape.pipelines.exporting._episode import LakeEpisode, episodes
from worldtape.pipelines.exporting._files import One, Pieces
from worldtape.pipelines.exporting._report import ExportReport, LeftOut
from worldtape.pipelines.exporting.formats import EXPORTERS
from worldtape.schemas import Exporter
from worldtape.storage import Lake, Part


@dataclass(frozen=True, slots=True)
class Work:
    """A part to be written in another format."""

    lake: Lake
    trajectories: Part
    transitions: Part
    ids: tuple[str, ...] | None
    """Which trajectories; null: all."""
    number: int
    """Its place among the parts."""
    format: str
    folder: str


def export_part(work: Work) -> ExportReport:
    """Write the episodes of one part into files of their own, and count them."""
    exporter: Exporter = EXPORTERS[work.format]()
    report = ExportReport(work.format)
    folder = Path(work.folder)
    files = Pieces(folder, exporter, work.number) if exporter.lines else One(folder, exporter)
    with boundary(folder):
        try:
            for episode in episodes(work.lake, work.trajectories, work.transitions, work.ids):
                report.asked += 1
                with episode:
                    written = _write(episode, exporter, files)
                if isinstance(written, LeftOut):
                    report.leave_out(written)
                    continue
                report.trajectories += 1
                report.transitions += written
                report.skipped += len(episode.transitions) - written
        finally:
            files.close()
    report.files = 0 if exporter.lines else report.trajectories
    report.bytes = files.bytes
    return report


def _write(episode: LakeEpisode, exporter: Exporter, files: One | Pieces) -> int | LeftOut:
    """Write one episode whole and return its number of transitions, or say why not; the rest goes on."""
    trajectory_id = episode.trajectory["trajectory_id"]
    domain = episode.trajectory["domain"]
    if domain not in exporter.domains:
        return LeftOut(trajectory_id, f"domain {domain}")
    try:
        reason = exporter.unfit(episode)
        if reason is not None:
            return LeftOut(trajectory_id, reason)
        with files.episode(trajectory_id) as out:
            written = exporter.write(episode, out)
    except (StorageError, ComponentError):
        raise
    except WorldtapeError as error:
        return LeftOut(trajectory_id, str(error), failed=True)
    except OSError:
        raise
    except Exception as error:  # noqa: BLE001
        said = " ".join(f"{type(error).__name__}: {error}".split())[:300]
        return LeftOut(trajectory_id, f"the exporter {exporter.name} failed ({said}), which is a bug", failed=True)
    return len(episode.transitions) if written is None else written
