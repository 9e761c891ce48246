"""Software repositories: a container with a git repository at a commit, acted upon by tool calls.

How the parts meet (for who works here):

* `box.Box` is the container: `run` (shell text or words) gives `Ran(out, err, code, signal, timed_out, background)`;
  `read`, `write`, `list`, `walk`, `stat`, `exists` are about files, as bytes, and raise the `OSError` of the system.
  The repository lies at `box.workdir` (`/workspace` unless the job says otherwise); there is no network.
* `toolset.Toolset` is one family of tools. `tools.make_toolset(family, box, *, timeout_s) -> Toolset` makes it, with a
  state of its own (what was read, todos), once for every trajectory.
  `await toolset.call(name, arguments, keep, limit_s)` carries one call out. Whatever it reads from the box goes to
  `keep(channel, data)` first: the environment writes it on the tape and feeds it to `toolset.renderer`, whose
  `render()` is the observation. It returns `toolset.Answer(outcome, commands)`; `commands` are the shell commands that
  ran, for test results. A call that asks for nothing (unknown tool, wrong arguments) is an answer too, `rejected`, with
  a text.
* `results.read_results(command, ran, test_command) -> dict | None` tells what tests a command ran: `{"framework",
  "passed", "failed", "errors", "skipped", …}` with lists of test ids; None where it ran none.
* `environment.Swe` drives them, probes the repository after each step, and keeps `tests` in `state_after`.
"""

from worldtape.collectors.swe.config import SweConfig
from worldtape.collectors.swe.environment import Swe

__all__ = ["Swe", "SweConfig"]
