"""The driver of curation."""

from __future__ import annotations

import os
from collections import Counter
from typing import TYPE_CHECKING

import orjson

from worldtape.pipelines._cluster import cluster
from worldtape.pipelines._nothing import nothing_to
from worldtape.pipelines._stage import Context, Progress, Stages
from worldtape.pipelines.curate._classes import classes_stage
from worldtape.pipelines.curate._config import CurateConfig
from worldtape.pipelines.curate._duplicates import duplicates_stage, hashes_stage
from worldtape.pipelines.curate._funnel import FUNNEL_FILE, Counts, Funnel, count_part, make_funnel
from worldtape.pipelines.curate._pools import pools_stage
from worldtape.pipelines.curate._report import CurateReport
from worldtape.pipelines.curate._rules import rules_stage
from worldtape.pipelines.curate._seal import write_seal
from worldtape.pipelines.project import unprojected
from worldtape.storage import Lake
from worldtape.storage.lake import alone

if TYPE_CHECKING:
    from worldtape.storage.lake import Part

_WARM = ("polars", "pyarrow.parquet", "xxhash", "worldtape.pipelines.curate")


def curate(
    lake: str | os.PathLike[str] | Lake,
    *,
    config: CurateConfig | None = None,
    scheduler: str | None = None,
    workers: int | None = None,
    progress: Progress | None = None,
) -> CurateReport:
    """Judge every part of a projected lake; what is judged already, with the same settings, costs nothing.

    Stages: `rules` and `hashes`, `exact_duplicates`, `turn_classes`, `pools`, each a note beside the tables; the tables
    themselves are never changed. Then the funnel, which is also left in `notes/funnel.json`, and at last a seal
    (`check_curated`), without which nothing is built.

    Args:
        lake: where it lies, or an open `Lake`.
        config: settings; default: `CurateConfig()`.
        scheduler: address of a Dask scheduler (`tcp://…`) whose workers see the lake.
        workers: processes of a local cluster; 0: in this process. Never changes a byte of the result.
        progress: called with (stage, parts done, parts to do).

    Raises:
        NotFoundError: there is no lake.
        InputError: nothing in it is recorded, or projected.
        FormatError: a part is damaged, or somebody changed the lake meanwhile.
        LockedError: somebody else is projecting, curating or moving the parts of this lake.
    """
    lake = lake if isinstance(lake, Lake) else Lake.open(lake)
    config = config or CurateConfig()
    if not lake.parts("trajectories"):
        raise nothing_to("curate", lake)
    with alone(lake), cluster(scheduler, workers, warm=_WARM) as client:
        stages = Stages(lake, client, progress)
        _judge(stages, config)
        funnel, classes = _funnel(stages)
        write_seal(stages)
    return CurateReport(funnel, stages.reports, classes)


def _judge(stages: Stages, config: CurateConfig) -> None:
    stages.run(rules_stage(config.rules))
    stages.run(hashes_stage())
    compared = duplicates_stage(stages, config.duplicates, _rows(stages))
    stages.run(compared)
    stages.run(classes_stage(config.turn_classes))
    dealt = pools_stage(stages, config.pools)
    stages.run(dealt)
    stages.tidy(compared, dealt)


def _rows(stages: Stages) -> int:
    import pyarrow.parquet as pq

    return sum(_height(pq, stages.lake, pair.transitions) for pair in stages.pairs)


def _height(pq: object, lake: Lake, part: Part) -> int:
    with lake.store.open(part.name) as file:
        return int(pq.read_metadata(file).num_rows)  # type: ignore[attr-defined]


def _funnel(stages: Stages) -> tuple[Funnel, dict[str, int]]:
    lake = stages.lake
    contexts = [Context(lake, pair, None) for pair in stages.pairs]
    counts: list[Counts] = list(stages.each("funnel", count_part, contexts))
    recordings, missing = unprojected(lake)
    funnel = make_funnel(recordings, missing, counts)
    lake.store.write(FUNNEL_FILE, orjson.dumps(funnel.to_dict(), option=orjson.OPT_INDENT_2) + b"\n")
    classes: Counter[str] = Counter()
    for part in counts:
        classes.update({str(name): count for (at, name, _), count in part.items() if at == "class"})
    return funnel, dict(classes.most_common())
