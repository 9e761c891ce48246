"""The memory of a session."""

from __future__ import annotations

import hypothesis.strategies as st
from hypothesis import given

from tests.collectors.mcp._run import in_loop
from tests.collectors.search._play import Play
from worldtape.collectors.search import SearchConfig, dict_memory
from worldtape.collectors.search.memory import Memory
from worldtape.schemas import Status

KEYS = st.sampled_from(["a", "b", "c"])
STEPS = st.lists(
    st.tuples(st.sampled_from(["add", "update", "retrieve", "retrieve_all", "remove", "remove_all"]), KEYS, st.text())
)


@in_loop
async def test_sentences_are_fixed() -> None:
    told = [
        (dict_memory("retrieve_all"), "Memory is empty."),
        (dict_memory("add", "year", "1897"), "Successfully added 'year' to memory."),
        (dict_memory("add", "year", "1"), "Error: key 'year' already exists in memory. Use 'update' to change it."),
        (dict_memory("update", "year", "1898"), "Successfully updated 'year' in memory."),
        (dict_memory("retrieve", "year"), "1898"),
        (dict_memory("add", "who", "Ingrid Aune"), "Successfully added 'who' to memory."),
        (dict_memory("retrieve_all"), "year: 1898\nwho: Ingrid Aune"),
        (dict_memory("remove", "year"), "Successfully removed 'year' from memory."),
        (dict_memory("remove", "year"), "Error: key 'year' not found in memory."),
        (dict_memory("update", "year", "1"), "Error: key 'year' not found in memory."),
        (dict_memory("retrieve", "year"), "Error: key 'year' not found in memory."),
        (dict_memory("remove_all"), "Successfully removed all entries from memory."),
    ]
    async with Play() as play:
        for action, text in told:
            result = await play(action)
            assert result.observation.text == text
            assert (result.outcome.status is Status.TOOL_ERROR) == text.startswith("Error: ")
            assert (result.outcome.error is None) != text.startswith("Error: ")
        assert await play.search.facts() == {"memory": {}, "queries": [], "found": [], "visited": []}


@in_loop
async def test_it_begins_as_the_task_says_each_time() -> None:
    play = Play(SearchConfig(memory={"a": "1"}))
    for _ in range(2):
        async with play:
            assert play.ready.initial_state.text is not None
            assert play.ready.initial_state.text.endswith("Memory: a")
            before = await play.search.probe()
            result = await play(dict_memory("remove", "a"))
            assert before is not None
            assert result.state_after is not None
            assert (before["memory"], result.state_after["memory"]) == (["a"], [])
            assert before["memory_hash"] != result.state_after["memory_hash"]
        play.bytes.clear()


@given(STEPS)
def test_it_is_a_dictionary(steps: list[tuple[str, str, str]]) -> None:
    memory, known = Memory(), dict[str, str]()
    for action, key, value in steps:
        text, fault = memory.apply(action, key, value)
        fits = {"add": key not in known, "retrieve_all": True, "remove_all": True}.get(action, key in known)
        assert (fault is None) == fits
        if action == "retrieve" and fits:
            assert text == known[key]
        if fits and action in ("add", "update"):
            known[key] = value
        elif fits and action == "remove":
            del known[key]
        elif action == "remove_all":
            known.clear()
        assert memory.entries == known
