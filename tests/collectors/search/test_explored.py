"""The explorer of tools searches, too: its calls fit the schemas, it reads what was found, and it errs on purpose."""

from __future__ import annotations

import json

from tests.collectors.mcp._run import in_loop
from tests.collectors.search._play import Play
from worldtape.collectors.policies import POLICIES
from worldtape.schemas import History, Status


@in_loop
async def test_the_explorer_of_tools_searches_and_reads() -> None:
    queries, statuses, read, known = set[str](), list[Status](), list[str](), set[str]()
    for seed in range(4):
        policy = POLICIES["explore-tools"].from_config({"seed": seed})
        async with Play() as play:
            history = History(play.ready, None, lambda _: None)
            for _ in range(20):
                action = await policy.next(history)
                if action is None:
                    break
                result = await play(action)
                history.turns.append((action, result))
                statuses.append(result.outcome.status)
                given = json.loads(action.arguments or "{}")
                if action.name == "web_extractor" and result.outcome.status is Status.OK:
                    read.append(given["url"])
            facts = await play.search.facts()
            queries.update(facts["queries"])
            known.update(facts["found"], facts["visited"])
    assert len(statuses) == 80
    assert len(queries) >= 20
    assert len(set(read)) >= 8
    assert set(read) <= known
    assert 0.5 <= statuses.count(Status.OK) / len(statuses) <= 0.95
