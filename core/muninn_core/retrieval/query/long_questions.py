"""Reads long questions: pasted issues, messages of commits, logs and tracebacks.

The first line of a long question is its title; it says best what the question is about. Text that occurs in every issue
of a project is left out: headings of templates, hidden instructions, checklists, sections about the environment, lists
of versions. Addresses of pages are left out as well.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

LONG = 300
"""From this length in characters on, a question is a long one."""

MAX_TITLE = 200
"""Of a longer first line, in characters, the first sentence is the title."""

_HIDDEN = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_ADDRESS = re.compile(r"<?\bhttps?://[^\s<>)\]}\"'`]+>?")
_FILE_ADDRESS = re.compile(r"/(?:blob|tree|blame|raw|src)/[^/\s]+/([^#?\s]+)")
_TAG = re.compile(r"(?i)</?(?:details|summary|br|p|sub|sup|kbd|b|i|code|pre|img)\b[^>]*>")
_HEADING = re.compile(r"\s{0,3}(?:#{1,6}\s+(?P<marked>.+)|\*\*(?P<bold>[^*]+)\*\*:?\s*|__(?P<under>[^_]+)__:?\s*)$")
_LABEL = re.compile(r"\s{0,3}(?P<label>[A-Z][\w '/,()-]{2,60}):\s*$")
_SIGNS = re.compile(r"[^a-z0-9 ]+")
_SENTENCE_END = re.compile(r"(?<=[.!?])\s")
_CHECKBOX = re.compile(r"\s*(?:[-*+]|\d+\.)\s+\[[ xX]?\]\s")
_VERSION = re.compile(
    r"(?i)\W{0,6}[\w .()/+-]{1,40}?(?:\s*(?:[:=]{1,2}|@|\|)\s*|\s+)(?:version\s+)?v?\d+\.\d+[\w.+~-]*"
    r"(?:\s*[|(,\[].*|\s+\S{1,30})?\s*$"
)
_SYSTEM = re.compile(
    r"(?i)\W{0,6}(?:os|operating system|platform|python|arch|architecture|browser|system|machine|processor|kernel"
    r"|[\w.-]+ version|version|commit|byteorder|locale|encoding)\W{0,6}[:=].{0,120}$"
)
_OF_TEMPLATES = """
    a about actual actually additional alternative alternatives an and any applicable are attempt background be behavior
    behaviors behaviour behaviours brief bug bugs case change changes clear code comments complete considered context
    current describe description descriptions desired detail detailed details do docs documentation does enhancement
    error errors example expect expectation expected explain feature fix for full further happen happened happening
    happens have how i if implementation in info information instead is issue issues it like link links log logging logs
    long mcve message messages minimal more motivation mre need note notes number numbers observed of on or other our
    outcome output overview please possible pr problem problems proposal proposed provide pull rationale reference
    references related release relevant repro reproduce reproducible reproducing reproduction request report result
    results review sample screenshot screenshots see short should snippet solution solutions stack step steps story
    suggested summary test tested testing tests that the there these this to trace traceback tracebacks tried type user
    users was were what why with workaround would you your also
"""
_OF_ENVIRONMENTS = """
    before checklist conda conduct contributing contribution dependencies desktop distributions environment freeze
    installed list machine node operating os packages pip platform prerequisites python rust searched setup smartphone
    submitting system toolchain version versions
"""
_ENVIRONMENT_WORDS = frozenset(_OF_ENVIRONMENTS.split())
"""The words of headings over checklists and descriptions of an environment."""

_TEMPLATE_WORDS = _ENVIRONMENT_WORDS | frozenset(_OF_TEMPLATES.split())
"""The words of headings in templates of issues. A heading of these words alone says nothing about its issue."""


class LongQuestion(NamedTuple):
    """The parts of a long question.

    `title` is its first line, or the first sentence of that; `text` is the whole without template text. `addressed` has
    the ends of addresses of files in repositories, which are paths.
    """

    title: str
    text: str
    addressed: tuple[str, ...]


def read_long_question(text: str) -> LongQuestion | None:
    """Return the parts of a long question; None for a short one."""
    if len(text) < LONG:
        return None
    addressed = tuple(dict.fromkeys(_FILE_ADDRESS.findall(text)))
    visible = _TAG.sub(" ", _ADDRESS.sub(" ", _HIDDEN.sub("\n", text)))
    lines = visible.strip().splitlines() or [""]
    first = lines[0].strip().lstrip("#").strip()
    title = first if len(first) <= MAX_TITLE else _SENTENCE_END.split(first, maxsplit=1)[0]
    return LongQuestion(title, "\n".join((first, *_informative(lines[1:]))), addressed)


def _informative(lines: Iterable[str]) -> list[str]:
    """Return the lines without headings of templates, checklists, descriptions of environments and versions.

    What a heading is over ends at the next heading. What a label (`Versions:`) is over ends at a blank line.
    """
    kept: list[str] = []
    fenced, left_out, begun = False, "", False
    for line in lines:
        if line.lstrip().startswith(("```", "~~~")):
            fenced = not fenced
            begun = begun or bool(left_out)
            continue
        heading, form = (None, "") if fenced else _heading(line)
        if heading is not None:
            words = frozenset(heading.split())
            of_template = words <= _TEMPLATE_WORDS
            left_out, begun = (form if of_template and words & _ENVIRONMENT_WORDS else ""), False
            if of_template:
                continue
        if left_out == "label" and begun and not fenced and not line.strip():
            left_out = ""
        begun = begun or bool(line.strip())
        if not (left_out or _CHECKBOX.match(line) or _VERSION.match(line) or _SYSTEM.match(line)):
            kept.append(line)
    return kept


def _heading(line: str) -> tuple[str | None, str]:
    """Return the words of a heading in lower case, and `heading` or `label`; (None, "") for another line."""
    marked, label = _HEADING.match(line), _LABEL.match(line)
    found = marked or label
    if found is None:
        return None, ""
    written = next(each for each in found.groupdict().values() if each)
    return _SIGNS.sub(" ", written.lower()).strip(), "heading" if marked else "label"
