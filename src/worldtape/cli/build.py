"""`worldtape build`."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from worldtape.cli._console import print_json, print_table, progress, say

if TYPE_CHECKING:
    from worldtape.pipelines.build import BuildReport


class Corpus(StrEnum):
    """What can be built."""

    CPT = "cpt"
    SFT = "sft"


def build(  # noqa: PLR0913, PLR0917  one parameter per option
    corpus: Annotated[Corpus, typer.Argument(help="`cpt`: whole trajectories; `sft`: one turn per row.")],
    lake: Annotated[str, typer.Argument(help="The curated lake's folder or address.")],
    out: Annotated[Path, typer.Option("--out", help="Folder of the corpus; an older corpus there is replaced.")],
    config: Annotated[Path | None, typer.Option("--config", help="YAML file with settings.")] = None,
    tokenizer: Annotated[Path | None, typer.Option("--tokenizer", help="A tokenizer.json to count with.")] = None,
    seed: Annotated[int | None, typer.Option("--seed", help="Chooses templates and draws masked turns.")] = None,
    scheduler: Annotated[str | None, typer.Option("--scheduler", help="Address of a Dask scheduler.")] = None,
    workers: Annotated[int | None, typer.Option("--workers", min=0, help="Local processes; 0: in this one.")] = None,
    json: Annotated[bool, typer.Option("--json", help="Print the report as one object.")] = False,
) -> None:
    """Build a corpus from a curated lake, as Parquet that `datasets` loads.

    Example: `worldtape build cpt ./worldtape-demo/lake --out ./cpt`
    """
    from worldtape.pipelines.build import CptConfig, SftConfig, build_cpt, build_sft
    from worldtape.schemas.settings import read_settings

    model: Any = CptConfig if corpus is Corpus.CPT else SftConfig
    settings = model() if config is None else read_settings(model, config)
    given = {"tokenizer": None if tokenizer is None else str(tokenizer), "seed": seed}
    settings = settings.model_copy(update={name: value for name, value in given.items() if value is not None})
    run: Any = build_cpt if corpus is Corpus.CPT else build_sft
    with progress() as bar:
        task = bar.add_task("parts", total=None)
        report = run(
            lake,
            out,
            config=settings,
            scheduler=scheduler,
            workers=workers,
            progress=lambda done, total: bar.update(task, completed=done, total=total),
        )
    if json:
        print_json(report.to_dict())
    else:
        _tell(report)


def _tell(report: BuildReport) -> None:
    lines = [(what, whole or None, single or None) for what, whole, single in report.funnel()]
    print_table(["", "trajectories", "transitions"], lines, title=f"{report.corpus} from {report.lake_commit[:12]}")
    rows = ", ".join(f"{count} {split}" for split, count in report.rows.items())
    say(f"{rows or 'no'} rows in {report.out}" + ("" if report.fresh else " (they stood there already)"))
    if not report.rows:
        say(f"no trajectory in pool {report.corpus}: record more, or change the shares of the pools and curate again")
