"""A request to a model and its answer, independent of the dialect."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from muninn_core.model.value import Value, field

BYTES_PER_TOKEN = 3
"""For estimates before a call. Byte-pair encodings need 3 to 4 bytes for a token, so this rounds up."""


class Tool(Value):
    """A function that a model may call. `parameters` is a JSON schema."""

    name: str
    description: str
    parameters: Mapping[str, Any]


class ToolCall(Value):
    """A call that a model asks for. `arguments` is an object that was decoded from its JSON."""

    id: str
    name: str
    arguments: dict[str, Any]


class Message(Value):
    """One message. `calls` are those of an assistant; `answers` names the call that a tool's message answers."""

    role: Literal["user", "assistant", "tool"]
    text: str = ""
    calls: tuple[ToolCall, ...] = ()
    answers: str = ""


class Prompt(Value):
    """A request. `purpose` and `version` say which of Muninn's prompts it is; the ledger and records name both."""

    purpose: str
    version: str
    system: str
    messages: tuple[Message, ...]
    tools: tuple[Tool, ...] = ()

    @property
    def size(self) -> int:
        """The estimated number of tokens."""
        texts = [self.system, *(message.text for message in self.messages), *(str(tool) for tool in self.tools)]
        return sum(len(text.encode()) for text in texts) // BYTES_PER_TOKEN + 1


class Answer(Value):
    """A model's whole answer. `model` is the name that it gave itself.

    Tokens are None where the model stated none. `usd` is the cost that it stated itself.
    """

    text: str
    calls: tuple[ToolCall, ...] = ()
    model: str = ""
    tokens_in: int | None = None
    tokens_out: int | None = None
    cached: int = 0
    usd: float | None = None
    stop: str = ""


class AnswerParts(Value):
    """Collects the parts of a streamed answer. `arguments` is JSON in pieces, by the call's number."""

    texts: list[str] = field(default_factory=list)
    calls: dict[int, dict[str, str]] = field(default_factory=dict)
    facts: dict[str, Any] = field(default_factory=dict)

    def call(self, number: int) -> dict[str, str]:
        """Return the parts of a call: id, name and arguments."""
        return self.calls.setdefault(number, {"id": "", "name": "", "arguments": ""})
