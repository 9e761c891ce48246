"""A language model behind any OpenAI-compatible endpoint."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.resources import files
from typing import Any, Self

from pydantic import Field

from worldtape.collectors.policies._chat import Chat, ChatConfig, Message, unnamed
from worldtape.collectors.policies._reply import Reply, read_reply
from worldtape.errors import ComponentError, InputError
from worldtape.schemas import Action, History, PolicySpec

_AGAIN = 'That held no action. Answer with one JSON array, for example ```json\n[{"keystrokes": "ls\\n"}]\n```'


class LlmConfig(ChatConfig):
    """The endpoint, and how much of the session the model sees."""

    last_turns: int = Field(default=20, ge=0)
    """Older turns are left out of the prompt."""
    screen_chars: int = Field(default=8000, ge=200)
    """Longest screen in the prompt; the end of a longer one is kept."""
    garbage_retries: int = Field(default=2, ge=0)
    """How often the model is asked again after a reply without an action."""
    system_prompt: str | None = None
    """Instead of our own; `{cols}` and `{rows}` are filled in."""


class Llm:
    """Asks a model for every action; what it thought stays in the tape's thought events.

    Args:
        endpoint: base address, `http://127.0.0.1:8000/v1`.
        model: the name that the endpoint knows it by.
        settings: the other fields of `LlmConfig`.

    Raises:
        ConfigError: a setting cannot be used, or the key's environment variable is not set.
    """

    Config = LlmConfig
    action_kinds = frozenset({"keystrokes"})

    def __init__(self, endpoint: str, model: str, **settings: Any) -> None:
        self.config = LlmConfig.read({"endpoint": endpoint, "model": model} | settings)
        shown = self.config.model_dump(mode="json", exclude={"model", "api_key_env"})
        shown["endpoint"] = unnamed(self.config.endpoint)
        self.spec = PolicySpec(kind="llm", model=model, parameters=shown)
        self._chat = Chat(self.config)

    @classmethod
    def from_config(cls, settings: Mapping[str, Any] | LlmConfig) -> Self:
        """Make one from the settings of a job file.

        Raises:
            ConfigError: see the class.
        """
        config = settings if isinstance(settings, LlmConfig) else LlmConfig.read(settings)
        return cls(**config.model_dump())

    async def next(self, history: History) -> Action | None:
        """Ask for the next action; None when the model answers `[]`.

        Raises:
            ComponentError: the endpoint failed, or no reply held an action.
        """
        messages = self._messages(history)
        for attempt in range(self.config.garbage_retries + 1):
            answer = await self._chat.ask(messages)
            choice = answer["choices"][0]
            reply = read_reply(choice["message"])
            history.think(
                attempt=attempt,
                prompt=messages,
                reply=choice["message"],
                reasoning=reply.reasoning,
                finish_reason=choice.get("finish_reason"),
                usage=answer.get("usage"),
                model=answer.get("model"),
            )
            found = _action(reply)
            if found is not None:
                return found[0]
            messages = [*messages, _said("assistant", reply.text or "(nothing)"), _said("user", _AGAIN)]
        tries = self.config.garbage_retries + 1
        raise ComponentError(
            f"no action in {tries} replies of {self.config.model}",
            where=self._chat.url,
            fix="the replies stand in the tape's thought events",
        )

    def _messages(self, history: History) -> list[Message]:
        """Return the prompt: the rules, the task with the start, then the last turns, strictly alternating."""
        messages = [_said("system", self._rules(history)), _said("user", self._start(history))]
        left_out = max(0, len(history.turns) - self.config.last_turns)
        if left_out:
            messages[1]["content"] += f"\n\n({left_out} earlier turns are left out here.)"
        for action, result in history.turns[left_out:]:
            seen = result.observation.text if result.observation.shown is None else result.observation.shown
            messages += [_said("assistant", f"```json\n{action.text}\n```"), _said("user", self._screen(seen))]
        return messages

    def _rules(self, history: History) -> str:
        text = self.config.system_prompt
        if text is None:
            text = files(__package__).joinpath("prompts/terminal.md").read_text(encoding="utf-8")
        parameters = history.ready.environment.parameters
        for name, default in (("cols", 160), ("rows", 40)):
            text = text.replace(f"{{{name}}}", str(parameters.get(name, default)))
        return text

    def _start(self, history: History) -> str:
        parts = ["Task: " + (history.task.instruction if history.task else "Look around and try things out.")]
        if history.ready.initial_state.text:
            parts.append(f"The machine:\n{history.ready.initial_state.text.strip()}")
        observation = history.ready.observation
        if not history.turns or len(history.turns) <= self.config.last_turns:
            parts.append(self._screen(observation.text if observation.shown is None else observation.shown))
        return "\n\n".join(parts)

    def _screen(self, text: str) -> str:
        return f"Screen:\n```\n{text.rstrip()[-self.config.screen_chars :]}\n```"


def _said(role: str, content: str) -> Message:
    return {"role": role, "content": content}


def _action(reply: Reply) -> tuple[Action | None] | None:
    """Return the action in a tuple (None inside is "done"), or None where the reply is of no use."""
    from worldtape.collectors.terminal.actions import keystrokes

    if reply.keys is None:
        return None
    try:
        return (keystrokes(reply.keys),)
    except InputError:
        return None
