"""System prompts: one folder of Jinja2 templates per domain.

A folder `templates/<domain>/` holds `cpt.j2`, any number of `sft_*.j2`, and partials whose names begin with `_`. The
slots are those of recipe 1: the text is the task description and the action space; `initial_state` and
`simulation_instruction` are text or none, `demonstrations` is a flag, `parameters` are the environment's settings.
`renderer` is `name@version` of what made the observations, or none, and `renderers` a list of the names. `tools` and
`calls` list the tools of the trajectory, as JSON and as signatures; both are none where none are known, and
`tool_names` is empty then.
"""

from __future__ import annotations

import hashlib
import re
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from worldtape.errors import NotFoundError
from worldtape.pipelines.build._offered import Tools, call_lines, tool_lines

if TYPE_CHECKING:
    from jinja2 import Environment

FOLDER = Path(__file__).parent / "templates"
_GAPS = re.compile(r"\n{3,}")
_MARKS = re.compile("\x00([a-z_]+)\x00")


@cache
def domains() -> tuple[str, ...]:
    """Return the domains that have templates."""
    return tuple(sorted(path.name for path in FOLDER.iterdir() if path.is_dir()))


@cache
def variants(domain: str, corpus: str) -> tuple[str, ...]:
    """Return the template names of a domain for `cpt` or `sft`, sorted.

    Raises:
        NotFoundError: there are none.
    """
    found = sorted(path.stem for path in (FOLDER / domain).glob(f"{corpus}*.j2"))
    if not found:
        raise NotFoundError(f"no {corpus} template for domain {domain!r}", fix=f"known: {', '.join(domains())}")
    return tuple(f"{domain}/{name}" for name in found)


@cache
def template_id(name: str) -> str:
    """Return `<domain>/<variant>@<8 hex>`: the digest is over the template and the partials beside it."""
    path = FOLDER / f"{name}.j2"
    texts = [path.read_bytes(), *(partial.read_bytes() for partial in sorted(path.parent.glob("_*.j2")))]
    digest = hashlib.sha256(b"\0".join(texts)).hexdigest()
    return f"{name}@{digest[:8]}"


def render(
    name: str,
    *,
    initial_state: str | None = None,
    simulation_instruction: str | None = None,
    demonstrations: bool = True,
    parameters: dict[str, Any] | None = None,
    renderer: str | None = None,
    tools: Tools = (),
) -> str:
    """Return the system prompt; an empty slot is left out.

    Runs of empty lines in our own text are closed; what is injected stays as it is.
    """
    slots = {"initial_state": initial_state, "simulation_instruction": simulation_instruction, "renderer": renderer}
    slots |= {"tools": tool_lines(tools), "calls": call_lines(tools)}
    marks = {key: f"\x00{key}\x00" for key, value in slots.items() if value}
    names = [one.partition("@")[0] for one in (renderer or "").split(",")]
    told = {"demonstrations": demonstrations, "parameters": parameters or {}, "renderers": names}
    told["tool_names"] = [tool["name"] for tool in tools]
    text = _jinja().get_template(f"{name}.j2").render({**dict.fromkeys(slots), **marks, **told})
    text = _GAPS.sub("\n\n", text).strip()
    return _MARKS.sub(lambda mark: str(slots[mark[1]]), text)


@cache
def _jinja() -> Environment:
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    return Environment(
        loader=FileSystemLoader(FOLDER),
        undefined=StrictUndefined,
        autoescape=False,  # noqa: S701  prompts are plain text: escaping would change what the model reads
        trim_blocks=True,
        lstrip_blocks=True,
    )
