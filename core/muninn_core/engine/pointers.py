"""Where a text names something that can be opened: a memory by its id, a decision or task by its code or number."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from muninn_core.engine.addresses import address
from muninn_core.engine.documents import Library
from muninn_core.model.memory import Memory
from muninn_core.model.note import Pointer

MOST = 500
"""Names of one file that are looked up."""

_NAME = re.compile(
    r"(?P<uri>\bmuninn:/[\w./%?=&+-]+)"
    r"|\b(?P<id>[0-9a-hjkmnp-tv-z]{26})\b"
    r"|\b(?P<adr>ADR[ -]?(?P<number>\d{1,5}))\b"
    r"|\b(?P<code>[A-Z][A-Z0-9]*(?:-[A-Z])?-\d{1,6})\b"
)


def pointers(text: str, memories: Mapping[str, Memory], library: Library) -> Iterator[Pointer]:
    """Yield what a text names, in its order; what is not known here is no name."""
    line, begin = 1, 0
    for count, found in enumerate(_NAME.finditer(text)):
        if count >= MOST:
            return
        target, path = _target(found, memories, library)
        if target or path:
            line += text.count("\n", begin, found.start())
            begin = found.start()
            start = found.start() - (text.rfind("\n", 0, found.start()) + 1)
            yield Pointer(line=line, start=start, end=start + len(found[0]), uri=target, path=path)


def _target(found: re.Match[str], memories: Mapping[str, Memory], library: Library) -> tuple[str, str]:
    if found["uri"]:
        return found["uri"], ""
    if found["id"]:
        return (address("memory", found["id"]), "") if found["id"] in memories else ("", "")
    if found["adr"]:
        number = int(found["number"])
        named = [each for each in library if each.level == "adr" and each.number == number]
        return "", named[0].path if len(named) == 1 else ""
    document = library.named(found["code"])
    return "", document.path if document is not None else ""
