"""Asks a model what the rules missed in a session. Its statements become findings, deduplicated as those of rules."""

from __future__ import annotations

from collections.abc import Sequence

from muninn_core.capture.sessions.event_memories import Finding
from muninn_core.capture.turns.turn_events import ANSWER, PROMPT
from muninn_core.config.model_settings import ModelSettings
from muninn_core.engine.memory.drafting.drafts import cleaned
from muninn_core.engine.memory.models.model_requests import ModelRequests
from muninn_core.engine.session.journal import At
from muninn_core.errors import ModelError
from muninn_core.model.event import Event
from muninn_core.models import request
from muninn_core.models.distillation import (
    MAX_MESSAGES,
    VERSION,
    ConversationMessage,
    distilling_prompt,
    read_statements,
)
from muninn_core.models.ledger import Entry
from muninn_core.models.service import ModelService
from muninn_core.worktree.call_context import CallContext


def missed(
    at: At, models: ModelService, events: Sequence[Event], known: Sequence[str], session: str, call: CallContext
) -> tuple[list[Finding], Entry | None, str]:
    """Return what a model finds beyond `known`, what the call cost, and why an answer is not used.

    Raises ModelError when no model can be asked, and Cancelled.
    """
    settings = models.settings(at.workspace.location.root)
    route = route_for(settings)
    messages = [message for event in events if (message := _message(event)) is not None][-MAX_MESSAGES:]
    if not messages:
        return [], None, ""
    requests = ModelRequests(at.workspace, models, settings, route, session)
    asked = requests.ask(distilling_prompt(messages, known), lambda: call.cancelled)
    try:
        statements = read_statements(asked.answer.text, messages)
        if any(cleaned({"text": each.text}, at.workspace.config)[1] for each in statements):
            raise ModelError("the answer has a secret")
    except ModelError as error:
        return [], asked.entry, error.message
    details = {"model": asked.entry.model, "prompt": f"distil/{VERSION}"}
    return (
        [
            Finding(
                kind="model",
                type=each.type,
                text=each.text,
                score=0,
                evidence=(each.message.event,),
                details=details,
                actor="assistant",
            )
            for each in statements
        ],
        asked.entry,
        "",
    )


def route_for(settings: ModelSettings) -> str:
    """Return the route for sessions. Raises ModelError without one."""
    otherwise = " (docs/models.md), or leave --model out: the rules find candidates, too."
    return request.route_for(settings, "capture", "capture", otherwise)


def _message(event: Event) -> ConversationMessage | None:
    """Return a prompt or an answer as a message; None for another event."""
    about = event.payload or {}
    if event.event_type not in (PROMPT, ANSWER) or not isinstance(text := about.get("text"), str) or not text.strip():
        return None
    return ConversationMessage(
        who="person" if event.event_type == PROMPT else "assistant", text=text, event=event.event_id
    )
