"""Finds sentences of a conversation that state a decision, a constraint, a failed attempt or an insight.

It prefers precision: a wrong memory costs trust in all others, a missed one can be stored with `remember`. A sentence
needs a marker and must not be a question, a guess, a short-term plan, a quotation or log output.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from muninn_core.model.value import Value
from muninn_core.source import statement_phrases
from muninn_core.source.statement_phrases import StatementType

if TYPE_CHECKING:
    from collections.abc import Iterator


class Statement(Value):
    """A sentence with its type. A higher score means more confidence."""

    type: StatementType
    text: str
    score: int


MIN_WORDS, MAX_CHARACTERS = 4, 420
"""The limits of a sentence. Shorter ones need context; longer ones are pasted text."""

THRESHOLD = 3
"""The minimum score of a statement."""

_FENCE = re.compile(r"(?ms)^[ \t]*(```|~~~).*?(?:^[ \t]*\1[ \t]*$|\Z)")
_ITEM = re.compile(r"^\s*(?:[-*+\u2022]|\d{1,3}[.)]|#{1,6})\s+(?:\[[ xX]\]\s+)?")
_QUOTED = re.compile(r"^\s*(?:>|\|)|^(?: {4,}|\t)\S")
_MARKUP = re.compile(r"\*\*|__(?=\S)|(?<=\S)__")
_END = re.compile(r"(?<=[.!?])[\"')\]*_]*\s+(?=[\"'(\[*_`]*[A-Z0-9`])")
_NO_END = re.compile(
    r"(?:\b(?:e\.g|i\.e|etc|vs|cf|approx|resp|incl|no|fig|mr|ms|dr|st)|\b[A-Z]|^\d+)\.$", re.IGNORECASE
)
_CONTINUES = re.compile(r"(?i)^(?:because|since|the reason|reason:|otherwise|this way|that way|so that)\b")


def find_statements(prose: str, *, by_user: bool) -> Iterator[Statement]:
    """Yield the statements of one message, in order. A user's statement scores one more."""
    if not statement_phrases.CANDIDATE.search(prose):
        return
    for unit in _units(prose):
        if not statement_phrases.CANDIDATE.search(unit):
            continue
        parts = _sentences(unit)
        for at, sentence in enumerate(parts):
            found = _statement(sentence, by_user)
            if found is None:
                continue
            kind, score = found
            reason = parts[at + 1] if at + 1 < len(parts) and _CONTINUES.match(parts[at + 1]) else ""
            if reason and len(sentence) + len(reason) < MAX_CHARACTERS:
                sentence, score = f"{sentence} {reason}", score + 1
            yield Statement(type=kind, text=sentence, score=score)


def _statement(sentence: str, by_user: bool) -> tuple[StatementType, int] | None:
    if len(sentence) > MAX_CHARACTERS or len(sentence.split()) < MIN_WORDS or not _is_prose(sentence):
        return None
    if (
        statement_phrases.QUESTION.search(sentence)
        or statement_phrases.REPORTED.search(sentence)
        or statement_phrases.SECRET.search(sentence)
    ):
        return None
    claim = (
        sentence[: reason.start()]
        if (reason := statement_phrases.REASON.search(sentence)) and reason.start() > 12
        else sentence
    )
    best: tuple[StatementType, int] | None = None
    for kind, patterns in statement_phrases.MARKERS.items():
        weight = max((weight for weight, pattern in patterns if pattern.search(sentence)), default=0)
        if weight > (best[1] if best else 0):
            best = (kind, weight)
    if best is None or statement_phrases.VAGUE_REFERENCE.search(claim.rstrip(" ,;")):
        return None
    # "I think we tried" is an attempt, but a guess is no decision, and a step of current work is not lasting.
    if best[0] != "attempt" and (statement_phrases.HEDGE.search(claim) or statement_phrases.FOR_NOW.search(claim)):
        return None
    score = (
        best[1]
        + (reason is not None or bool(statement_phrases.CONTRAST.search(sentence)))
        + bool(statement_phrases.IDENTIFIER.search(sentence))
        + by_user
    )
    return (best[0], score) if score >= THRESHOLD + (not by_user) * (best[1] < 4) else None


def _is_prose(sentence: str) -> bool:
    """Whether a sentence is prose, not code, a log line, a table or the introduction of a list."""
    if sentence.endswith(":") or statement_phrases.LOG_LINE.search(sentence) or not re.match(r"[\"'(`*_]*\w", sentence):
        return False
    plain = sum(character.isalpha() or character == " " for character in sentence)
    return plain >= 0.75 * len(sentence)


def _units(prose: str) -> Iterator[str]:
    """Yield paragraphs and list items, without code blocks, quotations, tables and markup."""
    lines: list[str] = []
    for line in [*_FENCE.sub("\n\n", prose).splitlines(), ""]:
        item = _ITEM.match(line)
        quoted = _QUOTED.match(line) is not None and item is None
        if lines and (item or quoted or not line.strip()):
            yield " ".join(lines)
            lines = []
        if line.strip() and not quoted:
            lines.append(_MARKUP.sub("", line[item.end() :] if item else line).strip())


def _sentences(unit: str) -> list[str]:
    """Split a paragraph into sentences, but not after abbreviations, versions or file names."""
    found: list[str] = []
    start = 0
    for match in _END.finditer(unit):
        if _NO_END.search(unit[start : match.start()].rstrip("\"')]*_")):
            continue
        found.append(unit[start : match.end()].strip())
        start = match.end()
    found.append(unit[start:].strip())
    return [sentence for sentence in found if sentence]
