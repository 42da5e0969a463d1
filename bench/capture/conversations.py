"""Labelled conversations: JSON lines, or the text format of `bench/data/conversations.txt`.

JSON: one session per line with `id` and `turns` of `role`, `text` and `keep`; a keep has `quote`, `type`, `terms` and
maybe `open`. Text: `# stack` begins a session, `U: ` and `A: ` a message (`\\n` is a line break). A keep stands in the
message as `[[c|its words|term,term]]`, or after it as `+c: its words | term, term`, where `=` is the whole message. Its
sentence that stands alone is its words, followed by the terms when the words lack one.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field, replace
from pathlib import Path

from muninn_core.capture.statements.conversation import Message

TYPES = {
    "d": "decision",
    "c": "constraint",
    "i": "insight",
    "b": "bug_fix",
    "a": "attempt",
    "p": "preference",
    "g": "configuration",
    "o": "insight",
}
"""The letters of the text format; `o` is a list of open work."""

_INLINE = re.compile(r"\[\[(\w)\|((?:(?!\]\]).)*)\|([^|\]]*)\]\]")
_BELOW = re.compile(r"\+(\w): (.*) \| (.*)$")
SPEAKERS = {"U": "user", "A": "assistant"}


@dataclass(frozen=True)
class Keep:
    """Words worth keeping, their type, the terms that a memory of them contains, and a sentence that stands alone."""

    quote: str
    type: str
    terms: tuple[str, ...]
    open: bool = False
    standalone: str = ""

    def is_in(self, text: str) -> bool:
        """Whether a memory's text contains all terms. Upper and lower case are equal."""
        return all(term.casefold() in text.casefold() for term in self.terms)


@dataclass
class Session:
    """A conversation, and the keeps of each of its messages; `skipped` messages came before it."""

    id: str
    messages: list[Message] = field(default_factory=list)
    keeps: list[list[Keep]] = field(default_factory=list)
    skipped: int = 0


def load(path: Path) -> list[Session]:
    """Read a file of labelled conversations. Raises ValueError with the line of a mistake."""
    lines = path.read_text("utf-8").splitlines()
    return [_of_json(line) for line in lines] if path.suffix == ".jsonl" else _of_text(path, lines)


def load_sentences(path: Path) -> list[Session]:
    """Read single sentences: speaker, type or `-`, and text, separated by tabs. Each is a session of one message."""
    found = []
    for number, line in enumerate(path.read_text("utf-8").splitlines(), 1):
        if line and not line.startswith("#"):
            speaker, kind, text = line.split("\t")
            keeps = [] if kind == "-" else [Keep(quote=text, type=kind, terms=(text,))]
            found.append(Session(f"{path.stem}-{number}", [_message(speaker, text)], [keeps]))
    return found


def _message(speaker: str, text: str) -> Message:
    return Message(speaker="user" if speaker == "user" else "assistant", text=text)


def _of_json(line: str) -> Session:
    row = json.loads(line)
    session = Session(row["id"])
    for turn in row["turns"]:
        session.messages.append(_message(turn["role"], turn["text"]))
        session.keeps.append(
            [
                Keep(
                    each["quote"],
                    each["type"],
                    tuple(each["terms"]),
                    each.get("open", False),
                    each.get("standalone", each["quote"]),
                )
                for each in turn["keep"]
            ]
        )
    return session


def _of_text(path: Path, lines: list[str]) -> list[Session]:
    sessions: list[Session] = []
    for number, line in enumerate(lines, 1):
        try:
            _read_line(line, sessions, path.stem)
        except (ValueError, IndexError) as error:
            raise ValueError(f"{path}:{number}: {error or 'not a line of a conversation'}") from None
    return sessions


def _read_line(line: str, sessions: list[Session], name: str) -> None:
    if not line or line.startswith("//"):
        return
    if line.startswith("# "):
        sessions.append(Session(f"{name}-{len(sessions) + 1:03}"))
    elif line[0] in SPEAKERS and line[1:3] == ": ":
        keeps = [_keep(letter, words, terms) for letter, words, terms in _INLINE.findall(line)]
        text = _INLINE.sub(lambda match: match[2], line[3:]).replace("\\n", "\n")
        sessions[-1].messages.append(_message(SPEAKERS[line[0]], text))
        sessions[-1].keeps.append(keeps)
    elif (below := _BELOW.match(line)) is not None:
        text = sessions[-1].messages[-1].text
        words = text if below[2] == "=" else below[2]
        if words not in text:
            raise ValueError(f"the message does not contain {words!r}")
        sessions[-1].keeps[-1].append(_keep(below[1], words, below[3]))
    else:
        raise ValueError("begin it with '# ', 'U: ', 'A: ' or '+TYPE: '")


def _keep(letter: str, words: str, terms: str) -> Keep:
    if letter not in TYPES:
        raise ValueError(f"the type {letter!r} is none of {', '.join(TYPES)}")
    named = tuple(term.strip() for term in terms.split(","))
    keep = Keep(words, TYPES[letter], named, letter == "o", words)
    return keep if keep.is_in(words) else replace(keep, standalone=f"{words} ({', '.join(named)})")
