"""The columns of both corpora, as data: the same in every shard."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    import pyarrow as pa

Corpus = Literal["cpt", "sft"]
SPLITS = ("train", "validation")

_COMMON = {
    "trajectory_id": ("text", "the trajectory in the lake"),
    "transition_ids": ("texts", "the transitions shown, in order: one per observation"),
    "domain": ("text", "one of the seven domains"),
    "task_id": ("text", "the task, where there was one"),
    "policy_kind": ("text", "who acted: script, explore, llm, human, …"),
    "licence": ("text", "licence of the source, where it is known"),
    "template": ("text", "the system prompt: name and digest"),
    "renderer": ("text", "what made the observations: name and version"),
    "tokens": ("int", "length of all messages, without what a chat template adds"),
    "trained_tokens": ("int", "length of the messages that are trained on"),
    "token_counter": ("text", "what the lengths count: a tokenizer, or bytes of UTF-8"),
    "lake_commit": ("text", "the state of the lake it was built from"),
}
COLUMNS: dict[str, dict[str, tuple[str, str]]] = {
    "cpt": {
        "messages": ("messages", "system prompt, then action (user) and observation (assistant) in turn"),
        "weights": ("floats", "loss weight of each message: 0 for system and user"),
        **_COMMON,
        "turn_classes": ("texts", "class of each observation"),
        "window": ("int", "which part of a long trajectory, from 0"),
        "windows": ("int", "how many parts it has"),
    },
    "sft": {
        "prompt": ("messages", "system prompt, earlier turns, and the action that is asked about"),
        "completion": ("messages", "one message: the observation between its tags"),
        **_COMMON,
        "transition_id": ("text", "the transition that is predicted"),
        "step": ("int", "its step in the recording, from 0"),
        "turn": ("int", "its number in the prompt, from 1"),
        "turn_class": ("text", "its class"),
        "status": ("text", "how the action ended"),
        "turns_dropped": ("int", "oldest turns left out to fit the length"),
    },
}
_PLAIN = frozenset({"trajectory_id", "transition_id"})


def schema(corpus: Corpus) -> pa.Schema:
    """Return the Arrow schema of a corpus."""
    import pyarrow as pa

    text = pa.large_string()
    types = {
        "text": text,
        "texts": pa.list_(text),
        "int": pa.int64(),
        "floats": pa.list_(pa.float32()),
        "messages": pa.list_(pa.struct([("role", text), ("content", text)])),
    }
    return pa.schema([(name, types[kind]) for name, (kind, _) in COLUMNS[corpus].items()])


def features(corpus: Corpus) -> str:
    """Return the same schema as the `features` of a dataset card, in YAML indented by two."""
    kinds = {
        "text": ("dtype: large_string",),
        "texts": ("list: large_string",),
        "int": ("dtype: int64",),
        "floats": ("list: float32",),
        "messages": ("list:", "- name: role", "  dtype: large_string", "- name: content", "  dtype: large_string"),
    }
    lines = []
    for name, (kind, _) in COLUMNS[corpus].items():
        lines += [f"  - name: {name}", *(f"    {line}" for line in kinds[kind])]
    return "\n".join(lines)


def settings(corpus: Corpus) -> dict[str, object]:
    """Return the Parquet settings of a corpus: always the same, so that the same rows give the same bytes."""
    dictionary = [name for name, (kind, _) in COLUMNS[corpus].items() if kind == "text" and name not in _PLAIN]
    return {
        "compression": "zstd",
        "compression_level": 3,
        "use_dictionary": dictionary,
        "write_statistics": [name for name, (kind, _) in COLUMNS[corpus].items() if kind in ("text", "int")],
        "use_content_defined_chunking": True,
        "write_page_index": True,
        "version": "2.6",
    }
