"""Your own agent loop, recorded: push actions, read observations."""

import asyncio
import sys

from worldtape import open_recorder
from worldtape.collectors.terminal import Terminal, TerminalConfig


async def main(lake: str, sandbox: str) -> None:
    terminal = Terminal(TerminalConfig(sandbox=sandbox))
    async with open_recorder(terminal, lake) as recorder:
        print(recorder.history.screen)
        for command in ("mkdir -p notes", "echo hello > notes/a.txt", "cat notes/*", "cat nowhere"):
            observation = await recorder.step([{"keystrokes": command + "\n"}])
        print(observation.text)
        print(recorder.last.outcome)


if __name__ == "__main__":
    asyncio.run(main(*(sys.argv[1:] or ["own-loop-lake", "local"])))
