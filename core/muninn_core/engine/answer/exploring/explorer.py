"""Explores a repository with a model: asks it, carries out its tool calls, and stops at the limits.

The model decides what to look at; this module decides what it may see and for how long. A part of a question can be
explored on its own: such an exploration has its own messages and shares the limits of the whole.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Protocol

from muninn_core.engine.answer.exploring.explorer_tools import Tools
from muninn_core.errors import Cancelled, ModelError
from muninn_core.model.citation import lines
from muninn_core.model.counting import number_of
from muninn_core.model.value import Value, encode_json, replace
from muninn_core.models.exploration import (
    EXPLORE,
    FINISH,
    Finish,
    FoundPlace,
    calls_of,
    exploration_prompt,
    read_finish,
)
from muninn_core.models.prompt import Answer, Message, Prompt, ToolCall
from muninn_core.protocol.exploration import ExplorationStep

MAX_SILENT = 2
"""How often a model that calls no tool is reminded to."""

_SHOWN_ARGUMENTS = 300
_MAX_TEXT = 2_000
"""Characters of an answer without a tool call that stay in the conversation."""

_REMINDER = "Call a tool, or end with `finish`."


class Limits(Value):
    """The most that an exploration may use: nested explorations, calls of the model, tokens, and seconds."""

    depth: int
    calls: int
    tokens: int
    seconds: float


class MeteredAnswer(Value):
    """A model's answer and what it used."""

    answer: Answer
    tokens: int
    usd: float = 0.0
    model: str = ""


class Ask(Protocol):
    """Asks a model. Raises ModelError or Cancelled."""

    def __call__(self, prompt: Prompt, seconds: float) -> MeteredAnswer:
        """Return the answer to a prompt, within some seconds."""


class Explorer:
    """One exploration with all that it starts. `places` are the lines that it read or that nested ones named."""

    def __init__(
        self,
        ask: Ask,
        tools: Tools,
        limits: Limits,
        *,
        as_text: bool = False,
        clock: Callable[[], float] = time.monotonic,
        report: Callable[[str], None] = lambda _text: None,
    ) -> None:
        self._ask = ask
        self._tools = tools
        self.limits = limits
        self._as_text = as_text
        self._clock = clock
        self._report = report
        self._end = clock() + limits.seconds
        self.steps: list[ExplorationStep] = []
        self.places: list[FoundPlace] = []
        self.dropped: list[str] = []
        self.calls = self.tokens = 0
        self.usd = 0.0
        self.model = self.ended = ""

    def run(self, question: str, depth: int = 0) -> Finish | None:
        """Return what the model ends with; None at a limit or after a failure, which `ended` names.

        Raises ModelError when the first call fails, and Cancelled.
        """
        messages: list[Message] = []
        silent = 0
        while not self._at_limit():
            asked = self._next(question, messages, depth)
            if asked is None:
                return None
            calls = calls_of(asked)
            if not calls:
                silent += 1
                if silent > MAX_SILENT:
                    self.ended = self.ended or "the model called no tool"
                    return None
                messages += [
                    Message(role="assistant", text=asked.text[:_MAX_TEXT] or "."),
                    Message(role="user", text=_REMINDER),
                ]
                continue
            finish = self._carry_out(asked, calls, messages, depth)
            if finish is not None:
                return finish
        return None

    def _at_limit(self) -> bool:
        limits = self.limits
        reached = (
            (self.calls >= limits.calls, f"the limit of {number_of(limits.calls, 'call')}"),
            (self.tokens >= limits.tokens, f"the limit of {limits.tokens:,} tokens"),
            (self._clock() >= self._end, f"the limit of {limits.seconds:g} seconds"),
        )
        for is_reached, name in reached:
            if is_reached:
                self.ended = self.ended or name
                return True
        return False

    def _next(self, question: str, messages: list[Message], depth: int) -> Answer | None:
        """Ask the model. A failure after the first call ends the exploration with what was found."""
        prompt = exploration_prompt(question, tuple(messages), nested=depth < self.limits.depth, as_text=self._as_text)
        if self.calls and self.tokens + prompt.size > self.limits.tokens:
            self.ended = self.ended or f"the limit of {self.limits.tokens:,} tokens"
            return None
        try:
            asked = self._ask(prompt, max(0.001, self._end - self._clock()))
        except Cancelled:
            raise
        except ModelError as error:
            if not self.calls:
                raise
            self.ended = self.ended or error.message
            return None
        self.calls += 1
        self.tokens += asked.tokens
        self.usd += asked.usd
        self.model = asked.model
        return asked.answer

    def _carry_out(
        self, asked: Answer, calls: tuple[ToolCall, ...], messages: list[Message], depth: int
    ) -> Finish | None:
        native = bool(asked.calls)
        shown = "" if native else "\n".join(_as_line(call) for call in calls)
        messages.append(
            Message(role="assistant", text=asked.text[:_MAX_TEXT] if native else shown, calls=calls if native else ())
        )
        finish = None
        for call in calls:
            if call.name == FINISH.name:
                text, finish = self._finish(call, depth)
            else:
                text = self._use(call, depth)
            if native:
                messages.append(Message(role="tool", text=text, answers=call.id))
            else:
                messages.append(Message(role="user", text=f"<result tool={call.name[:40]!r}>\n{text}\n</result>"))
            if finish is not None:
                return finish
        return None

    def _finish(self, call: ToolCall, depth: int) -> tuple[str, Finish | None]:
        """Return the result of `finish`, with its places checked. One without any place that exists is refused."""
        try:
            found = read_finish(call.arguments)
        except ModelError as error:
            self._note(call, depth, problem=error.message)
            return error.message, None
        kept: list[FoundPlace] = []
        for place in found.places:
            checked, problem = self._tools.checked(place)
            if checked is not None:
                kept.append(checked)
            else:
                self.dropped.append(problem)
        if found.places and not kept:
            problem = f"no place is there: {self.dropped[-1]}"
            self._note(call, depth, problem=problem)
            return problem, None
        self._note(call, depth, chars=len(found.answer))
        return "done", replace(found, places=tuple(kept))

    def _use(self, call: ToolCall, depth: int) -> str:
        self._report(f"{call.name} {_as_line(call)[:80]}")
        if call.name == EXPLORE.name:
            return self._explore(call, depth)
        text, problem, place = self._tools.use(call)
        if place is not None:
            self.places.append(place)
        self._note(call, depth, chars=len(text), problem=problem)
        return text

    def _explore(self, call: ToolCall, depth: int) -> str:
        question = call.arguments.get("question")
        if depth >= self.limits.depth or not isinstance(question, str) or not question.strip():
            problem = "explorations can't be nested deeper" if depth >= self.limits.depth else "'question' is empty"
            self._note(call, depth, problem=problem)
            return problem
        self._note(call, depth)
        found = self.run(question[:_MAX_TEXT], depth + 1)
        if found is None:
            return f"It ended without an answer: {self.ended}."
        self.places = [*found.places, *self.places]
        rows = [f"{each.path}:{lines(each.start, each.end)} {each.reason}" for each in found.places]
        return "\n".join((found.answer, *rows))

    def _note(self, call: ToolCall, depth: int, *, chars: int = 0, problem: str = "") -> None:
        self.steps.append(
            ExplorationStep(
                depth=depth,
                tool=call.name[:40],
                arguments=encode_json(call.arguments).decode()[:_SHOWN_ARGUMENTS],
                chars=chars,
                problem=problem[:_SHOWN_ARGUMENTS],
            )
        )


def _as_line(call: ToolCall) -> str:
    return encode_json({"tool": call.name, "arguments": call.arguments}).decode()[:_MAX_TEXT]
