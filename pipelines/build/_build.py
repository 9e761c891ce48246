"""Build one corpus: pieces on Dask, then shards, then the card."""

from __future__ import annotations

import hashlib
import os
import shutil
from collections.abc import Callable, Iterator
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from worldtape import __version__
from worldtape.errors import InputError, boundary
from worldtape.pipelines import _folder
from worldtape.pipelines._cluster import cluster, in_windows
from worldtape.pipelines.build._card import card
from worldtape.pipelines.build._config import CptConfig, SftConfig
from worldtape.pipelines.build._counts import Counts
from worldtape.pipelines.build._notes import by_part, digest, funnel
from worldtape.pipelines.build._piece import Work, build_piece
from worldtape.pipelines.build._report import BuildReport
from worldtape.pipelines.build._schema import SPLITS, Corpus
from worldtape.pipelines.build._shards import Shard, write_shards
from worldtape.pipelines.build._tokens import make_counter
from worldtape.schemas import canonical_json

if TYPE_CHECKING:
    from worldtape.storage import Lake

Progress = Callable[[int, int], None]
"""Called with (parts done, parts in all)."""


class Run(NamedTuple):
    """Where the tasks run."""

    scheduler: str | None
    workers: int | None
    progress: Progress | None


def build_cpt(
    lake: str | os.PathLike[str] | Lake,
    out: str | os.PathLike[str],
    *,
    config: CptConfig | None = None,
    scheduler: str | None = None,
    workers: int | None = None,
    progress: Progress | None = None,
) -> BuildReport:
    """Build the CPT corpus of a curated lake: whole trajectories with a loss weight per message.

    Args:
        lake: where it lies, or an open `Lake`.
        out: folder of the corpus; appears whole, replaces an older corpus, is left alone if it holds something else.
        config: settings; default: `CptConfig()`.
        scheduler: address of a Dask scheduler (`tcp://…`) whose workers see both folders.
        workers: processes of a local cluster; 0: in this process. Never changes a byte of the result.
        progress: called after every part.

    Raises:
        NotFoundError: no lake, or no tokenizer.
        InputError: the lake was not curated or changes meanwhile, or `out` holds something else.
        LockedError: another build writes to `out`.
    """
    return _build("cpt", lake, out, config or CptConfig(), Run(scheduler, workers, progress))


def build_sft(
    lake: str | os.PathLike[str] | Lake,
    out: str | os.PathLike[str],
    *,
    config: SftConfig | None = None,
    scheduler: str | None = None,
    workers: int | None = None,
    progress: Progress | None = None,
) -> BuildReport:
    """Build the SFT corpus of a curated lake: one turn per sample, prompt and completion.

    Arguments and errors are those of `build_cpt`, with the settings `SftConfig`.
    """
    return _build("sft", lake, out, config or SftConfig(), Run(scheduler, workers, progress))


def _build(
    corpus: Corpus,
    lake: str | os.PathLike[str] | Lake,
    out: str | os.PathLike[str],
    config: CptConfig | SftConfig,
    run: Run,
) -> BuildReport:
    from worldtape.storage import Lake

    lake = lake if isinstance(lake, Lake) else Lake.open(lake)
    target = Path(out).resolve()
    manifest = _folder.standing(target, _folder.CORPUS)
    facts: dict[str, Any] = {"corpus": corpus, **_state(lake), "settings": config.model_dump(mode="json")}
    facts["settings"]["tokenizer"] = make_counter(config.tokenizer).name
    facts["fingerprint"] = _fingerprint(facts)
    if manifest is not None and manifest["fingerprint"] == facts["fingerprint"] and _folder.whole(target, manifest):
        return _report(target, manifest, fresh=False)
    works = _works(corpus, lake, facts["lake_commit"], config)
    with boundary(target), _folder.workshop(target, facts["fingerprint"]) as folder:
        works = [replace(work, folder=str(folder)) for work in works]
        facts["counts"] = _pieces(works, run)
        fresh = folder / "corpus"
        shutil.rmtree(fresh, ignore_errors=True)
        fresh.mkdir()
        facts["shards"] = [asdict(shard) for shard in _shards(works, fresh)]
        report = _report(target, facts, fresh=True)
        if {name: facts[name] for name in ("lake_commit", "notes")} != _state(lake):
            shutil.rmtree(folder)
            raise InputError("the lake was changed while it was read", where=lake, fix="build again")
        (fresh / "README.md").write_text(card(report, config, funnel(lake)), encoding="utf-8", newline="\n")
        _folder.write_manifest(fresh, _folder.CORPUS, facts | {"files": _folder.sizes(fresh)})
        _folder.replace(target, fresh)
    return report


def _state(lake: Lake) -> dict[str, str]:
    """Return what a corpus depends on: the tables, and what curation said about them."""
    return {"lake_commit": lake.commit(), "notes": digest(lake)}


def _report(out: Path, facts: dict[str, Any], *, fresh: bool) -> BuildReport:
    names = ("corpus", "lake_commit", "notes", "fingerprint", "counts")
    shards = tuple(Shard(**shard) for shard in facts["shards"])
    return BuildReport(out=str(out), fresh=fresh, shards=shards, **{name: facts[name] for name in names})


def _fingerprint(facts: dict[str, Any]) -> str:
    """Hash the lake, the settings and the code, templates included."""
    digest = hashlib.sha256(canonical_json([__version__, facts]).encode())
    for path in sorted(Path(__file__).parent.rglob("*")):
        if path.suffix in (".py", ".j2"):
            digest.update(path.read_bytes())
    return digest.hexdigest()


def _works(corpus: Corpus, lake: Lake, commit: str, config: CptConfig | SftConfig) -> list[Work]:
    return [Work(corpus, lake, commit, *part, config=config, folder="") for part in by_part(lake)]


def _pieces(works: list[Work], run: Run) -> dict[str, Any]:
    counts = Counts()
    with cluster(run.scheduler, run.workers) as client:
        for done, (_, plain) in enumerate(in_windows(client, build_piece, works), start=1):
            counts.merge(plain)
            if run.progress is not None:
                run.progress(done, len(works))
    return counts.plain()


def _shards(works: list[Work], folder: Path) -> Iterator[Shard]:
    for split in SPLITS if works else ():
        pieces = [work.path(split) for work in works]
        yield from write_shards(pieces, folder, split, works[0].corpus, works[0].config)
