"""The messages of a conversation, and which of their sentences are prose."""

from __future__ import annotations

import re

from muninn_core.capture.statements.sentences import split_sentences, split_units
from muninn_core.capture.statements.statement_cues import Speaker
from muninn_core.model.value import Value

MAX_CHARACTERS = 420
"""Longer sentences are pasted text."""

MAX_SENTENCES = 80
"""Sentences of one message that are weighed; the last ones, where an agent states its result."""

CONTEXT_MESSAGES = 3
"""From how many messages before a statement its context and its question come."""

SECRET = re.compile(
    r"(?i)-----BEGIN|\b(?:AKIA|ASIA)[A-Z0-9]{12,}|\bgh[pousr]_\w{16,}|\bsk-[\w-]{16,}|\bxox[abpr]-|\beyJ[\w-]{16,}"
    r"|\b(?:password|passwd|secret|token|api[_-]?key|credential)s?\b\s*(?:is|[:=])\s*\S*\d|://[^\s/:@]+:[^\s/@]+@"
    r"|\b(?=\w*\d)(?=\w*[a-z])[\w+/]{36,}\b"
)
_LOG_LINE = re.compile(
    r"^\W*(?:\d{4}-\d\d-\d\d[T ]|\d\d:\d\d|\[?(?:ERROR|WARN(?:ING)?|INFO|DEBUG|FATAL)\b)|\bat \S+:\d+:\d+"
    r"|\b\w*(?:[Ee]rror|[Ee]xception|[Ww]arning):|[{};]$|=>|(?<!with )==|</|\$ |^assert\b"
)
_QUOTES_ONLY = re.compile(r"^[\"“][^\"”]*[\"”]\W*(?:$|[-\u2013\u2014]|is )|:\s+[\"“][^\"”]*[\"”]?\W*$")


class Message(Value):
    """One message of a conversation."""

    speaker: Speaker
    text: str


def sentences_of(message: Message) -> list[str]:
    """Return the sentences of a message, without code, quotations and markup."""
    return [sentence for unit in split_units(message.text) for sentence in split_sentences(unit)][-MAX_SENTENCES:]


def is_prose(sentence: str) -> bool:
    """Whether a sentence is no code, log line, quotation, secret or pasted text."""
    if len(sentence) > MAX_CHARACTERS or not re.match(r"[\"'(`*_.:\u2019-]*\w", sentence):
        return False
    if _LOG_LINE.search(sentence) or SECRET.search(sentence) or _QUOTES_ONLY.search(sentence):
        return False
    plain = sum(character.isalnum() or character == " " for character in sentence)
    return plain >= 0.75 * len(sentence)
