from __future__ import annotations

from typing import Any

import pytest

from tests.collectors.policies._history import history
from tests.collectors.policies.llm_server import Answer, Server, completion, serve_told
from worldtape.collectors.policies import POLICIES, Llm
from worldtape.collectors.terminal.actions import keystrokes
from worldtape.errors import ComponentError, ConfigError
from worldtape.schemas import Action

pytestmark = pytest.mark.anyio

LS = '```json\n[{"keystrokes": "ls\\n", "duration": 0.5}]\n```'
BUSY: Answer = (429, {}, {"error": {"message": "slow down"}})


def typed(keys: str) -> Action:
    action = keystrokes([keys])
    assert action is not None
    return action


def policy(server: Server, **settings: Any) -> Llm:
    return Llm(server.endpoint, "told", **{"backoff_s": 0.001, "timeout_s": 20} | settings)


async def ask(server: Server, **settings: Any) -> tuple[Action | None, list[dict[str, Any]]]:
    seen, thoughts = history()
    return await policy(server, **settings).next(seen), thoughts


async def test_a_password_in_the_address_is_used_and_never_told() -> None:
    with serve_told(completion(LS), (400, {}, {"error": {"message": "no"}})) as server:
        endpoint = server.endpoint.replace("://", "://me:s3cret@")
        llm = Llm(endpoint, "told", retries=0)
        seen, thoughts = history()
        assert await llm.next(seen) is not None
        with pytest.raises(ComponentError) as caught:
            await llm.next(seen)
    assert "s3cret" not in f"{caught.value} {thoughts} {llm.spec.model_dump_json()}"
    assert llm.spec.parameters["endpoint"] == server.endpoint


async def test_an_action_is_read_and_its_reasoning_kept_as_a_thought() -> None:
    with serve_told(completion(LS, reasoning_content="files first")) as server:
        action, thoughts = await ask(server, temperature=0.1, max_tokens=9, body={"seed": 4})
    assert action is not None
    assert action.text == '[{"keystrokes": "ls\\n", "duration": 0.5}]'
    assert "files first" not in action.model_dump_json()
    (thought,) = thoughts
    assert thought["reasoning"] == "files first"
    assert thought["reply"]["content"] == LS
    assert thought["usage"]["total_tokens"] == 10
    assert thought["prompt"] == server.requests[0]["messages"]
    assert {key: server.requests[0][key] for key in ("model", "temperature", "max_tokens", "seed")} == {
        "model": "told",
        "temperature": 0.1,
        "max_tokens": 9,
        "seed": 4,
    }


async def test_the_prompt_holds_rules_task_machine_and_screens() -> None:
    seen, _ = history((typed("ls\n"), "a.txt"), (typed("pwd\n"), "/home"))
    with serve_told(completion(LS)) as server:
        await policy(server).next(seen)
    messages = server.requests[0]["messages"]
    assert [message["role"] for message in messages] == ["system", "user", "assistant", "user", "assistant", "user"]
    assert "100 columns and 30 rows" in messages[0]["content"]
    assert all(part in messages[1]["content"] for part in ("Count the files.", "OS: Debian", "$"))
    assert "ls\\n" in messages[2]["content"]
    assert "a.txt" in messages[3]["content"]
    assert "/home" in messages[5]["content"]


async def test_the_context_is_bounded() -> None:
    seen, _ = history(*((typed(f"echo {number}\n"), f"{number} " + "x" * 5000) for number in range(30)))
    with serve_told(completion(LS)) as server:
        await policy(server, last_turns=3, screen_chars=300).next(seen)
    messages = server.requests[0]["messages"]
    assert len(messages) == 2 + 2 * 3
    assert "27 earlier turns are left out" in messages[1]["content"]
    assert "echo 27" in messages[2]["content"]
    assert all(len(message["content"]) < 400 for message in messages[2:])


async def test_an_empty_array_ends_the_session() -> None:
    with serve_told(completion("Done: []")) as server:
        action, _ = await ask(server)
    assert action is None


async def test_garbage_is_asked_about_again() -> None:
    with serve_told(completion("I'd run ls"), completion('[{"keystrokes": "\\ud800"}]'), completion(LS)) as server:
        action, thoughts = await ask(server)
    assert action is not None
    assert [thought["attempt"] for thought in thoughts] == [0, 1, 2]
    assert server.requests[2]["messages"][-2:][0]["role"] == "assistant"


async def test_garbage_without_end_is_one_clear_error() -> None:
    with serve_told(completion("no")) as server, pytest.raises(ComponentError, match="no action in 2 replies of told"):
        await ask(server, garbage_retries=1)
    assert len(server.requests) == 2


@pytest.mark.parametrize(
    "bad", [BUSY, (500, {}, "oops"), (503, {"retry-after": "0"}, {}), (429, {"retry-after": "?"}, {})]
)
async def test_what_may_pass_is_tried_again(bad: Any) -> None:
    with serve_told(bad, bad, completion(LS)) as server:
        action, _ = await ask(server)
    assert action is not None
    assert len(server.requests) == 3


async def test_what_does_not_pass_is_one_clear_error() -> None:
    with serve_told(BUSY) as server, pytest.raises(ComponentError, match="answered 429, 3 times") as caught:
        await ask(server, retries=2)
    assert server.endpoint in str(caught.value)


async def test_a_refusal_is_not_repeated() -> None:
    with (
        serve_told((401, {}, {"error": {"message": "no such\nkey"}})) as server,
        pytest.raises(ComponentError, match="answered 401: no such key"),
    ):
        await ask(server)
    assert len(server.requests) == 1


@pytest.mark.parametrize("body", ["<html>", {"choices": []}, {"object": "list"}, [1]])
async def test_an_answer_that_is_no_completion_is_named(body: Any) -> None:
    with serve_told((200, {}, body)) as server, pytest.raises(ComponentError, match="no chat completion"):
        await ask(server)


async def test_a_server_that_does_not_answer_in_time() -> None:
    import threading

    from tests.collectors.policies.llm_server import serve

    over = threading.Event()

    def slow(_: Any) -> Any:
        over.wait(30)
        return completion(LS)

    with serve(slow) as server:
        try:
            with pytest.raises(ComponentError, match=r"no answer within 0\.05 s, 2 times"):
                await ask(server, timeout_s=0.05, retries=1)
        finally:
            over.set()


async def test_nobody_there() -> None:
    with serve_told(completion(LS)) as server:
        pass
    with pytest.raises(ComponentError, match="cannot be reached"):
        await ask(server, retries=0)


async def test_the_key_comes_from_the_environment_and_stays_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_KEY", "k-123")
    with serve_told(completion(LS)) as server:
        llm = policy(server, api_key_env="SOME_KEY")
        seen, thoughts = history()
        await llm.next(seen)
    assert server.headers[0]["authorization"] == "Bearer k-123"
    assert "k-123" not in repr(thoughts) + llm.spec.model_dump_json()
    monkeypatch.delenv("SOME_KEY")
    with pytest.raises(ConfigError, match="SOME_KEY is not set"):
        policy(server, api_key_env="SOME_KEY")


def test_settings_are_checked() -> None:
    make = POLICIES["llm"].from_config
    assert make({"endpoint": "http://127.0.0.1:1/v1", "model": "m"}).spec.model == "m"
    with pytest.raises(ConfigError, match="temprature"):
        make({"endpoint": "http://127.0.0.1:1/v1", "model": "m", "temprature": 1})
    with pytest.raises(ConfigError, match="endpoint"):
        make({"endpoint": "127.0.0.1", "model": "m"})
