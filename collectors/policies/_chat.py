"""One call of an OpenAI-compatible endpoint."""

from __future__ import annotations

import asyncio
import os
import random
import re
from typing import TYPE_CHECKING, Any

from pydantic import Field

from worldtape.collectors.policies._config import PolicyConfig
from worldtape.errors import ComponentError, ConfigError

if TYPE_CHECKING:
    import httpx

Message = dict[str, str]

_LONGEST_WAIT_S = 60.0
_TRY_AGAIN = {408, 409, 425, 429}


class ChatConfig(PolicyConfig):
    """Where the model answers, and how it is asked."""

    endpoint: str = Field(pattern=r"^https?://")
    """Base address with its version: `http://127.0.0.1:8000/v1`."""
    model: str
    """The name that the endpoint knows it by."""
    temperature: float | None = 0.7
    """Null leaves it to the endpoint."""
    max_tokens: int = Field(default=2048, ge=1)
    """Longest reply."""
    api_key_env: str | None = None
    """Name of the environment variable that holds the key; the key itself never stands in a file."""
    timeout_s: float = Field(default=120.0, gt=0)
    """Longest wait for one answer, seconds."""
    retries: int = Field(default=4, ge=0)
    """How often a call is repeated after 429, 5xx, a timeout or a lost connection."""
    backoff_s: float = Field(default=1.0, ge=0)
    """First pause between calls; it doubles, and `Retry-After` is respected."""
    body: dict[str, Any] = Field(default_factory=dict)
    """More fields of the request: `seed`, `top_p`, `chat_template_kwargs`, …"""


def unnamed(endpoint: str) -> str:
    """Return the address without the name and password that may stand in it."""
    return re.sub(r"^(https?://)[^/@]*@", r"\1", endpoint)


class Chat:
    """Asks the endpoint; holds no connection between calls.

    Args:
        config: where and how.

    Raises:
        ConfigError: the environment variable of the key is not set.
    """

    def __init__(self, config: ChatConfig) -> None:
        self.config = config
        self._url = config.endpoint.rstrip("/") + "/chat/completions"
        self.url = unnamed(self._url)
        self._headers = _headers(config.api_key_env)

    async def ask(self, messages: list[Message]) -> dict[str, Any]:
        """Return the endpoint's answer as it came, with at least one choice.

        Raises:
            ComponentError: it refused, it cannot be reached, or it kept failing.
        """
        import httpx

        async with httpx.AsyncClient(timeout=self.config.timeout_s, headers=self._headers) as client:
            for attempt in range(self.config.retries + 1):
                answer = await self._once(client, messages)
                if isinstance(answer, dict):
                    return answer
                problem, wait_s = answer
                if attempt < self.config.retries:
                    await asyncio.sleep(self._pause(attempt, wait_s))
        tries = self.config.retries + 1
        raise ComponentError(
            f"{problem}, {tries} times", where=self.url, fix="see that the endpoint runs, or try later"
        )

    async def _once(
        self, client: httpx.AsyncClient, messages: list[Message]
    ) -> dict[str, Any] | tuple[str, float | None]:
        import httpx

        try:
            response = await client.post(self._url, json=self._request(messages))
        except httpx.TimeoutException:
            return f"no answer within {self.config.timeout_s:g} s", None
        except httpx.TransportError as error:
            return f"cannot be reached ({str(error) or type(error).__name__})", None
        if response.status_code in _TRY_AGAIN or response.status_code >= httpx.codes.INTERNAL_SERVER_ERROR:
            return f"answered {response.status_code}", _seconds(response.headers.get("retry-after"))
        if not response.is_success:
            raise ComponentError(f"answered {response.status_code}: {_words(response)}", where=self.url)
        return _choices(response, self.url)

    def _request(self, messages: list[Message]) -> dict[str, Any]:
        config = self.config
        request: dict[str, Any] = {"model": config.model, "messages": messages, "max_tokens": config.max_tokens}
        if config.temperature is not None:
            request["temperature"] = config.temperature
        return request | config.body

    def _pause(self, attempt: int, wait_s: float | None) -> float:
        if wait_s is not None:
            return min(wait_s, _LONGEST_WAIT_S)
        spread = random.uniform(0.75, 1.25)  # noqa: S311
        return min(self.config.backoff_s * 2.0**attempt, _LONGEST_WAIT_S) * spread


def _headers(name: str | None) -> dict[str, str]:
    if name is None:
        return {}
    key = os.environ.get(name)
    if not key:
        raise ConfigError(
            f"the environment variable {name} is not set", where="api_key_env", fix="export the key in it"
        )
    return {"Authorization": f"Bearer {key}"}


def _seconds(header: str | None) -> float | None:
    try:
        return None if header is None else max(0.0, float(header))
    except ValueError:
        return None


def _words(response: httpx.Response) -> str:
    """Return the endpoint's own message, shortened."""
    try:
        error = response.json()["error"]
        text = error if isinstance(error, str) else str(error["message"])
    except (ValueError, KeyError, TypeError):
        text = response.text
    return " ".join(text.split())[:200]


def _choices(response: httpx.Response, url: str) -> dict[str, Any]:
    try:
        answer = response.json()
        answer["choices"][0]["message"]
    except (ValueError, KeyError, IndexError, TypeError) as error:
        what = f"the answer is no chat completion: {response.text[:80]!r}"
        raise ComponentError(what, where=url, fix="is this an OpenAI-compatible endpoint?") from error
    found: dict[str, Any] = answer
    return found
