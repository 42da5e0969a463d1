"""Generates docs/ranking.md's tables of weights from muninn_core.retrieval.weights and the configuration's defaults.

Two comments, which name the module's section, delimit each table. The rest of the page is hand-written.
"""

from __future__ import annotations

import ast
import itertools
import re
from pathlib import Path
from typing import NamedTuple

from muninn_core.retrieval import weights

ROOT = Path(__file__).resolve().parent.parent
PAGE = "ranking.md"

_TABLE = re.compile(
    r"(<!-- weights: ([\w ]+); made by scripts/generate\.py -->\n).*?(<!-- end of weights -->)", re.DOTALL
)
_TEXT = re.compile(r"`(?P<signal>\w+)`(?: \(`(?P<key>[\w.]+)`\)| (?P<case>(?:where|for) [^:]+))?: (?P<value>.+)")


class Weight(NamedTuple):
    """A signal's weight. `case` is its condition ("": always applies); `key` is its configuration key."""

    signal: str
    key: str
    case: str
    value: str
    number: float


def render() -> str:
    """Return the page with current tables. Raises ValueError for a table of an unknown section."""
    return _TABLE.sub(
        lambda match: f"{match[1]}{_table(match[2])}{match[3]}", (ROOT / "docs" / PAGE).read_text("utf-8")
    )


def weights_of(section: str) -> list[Weight]:
    """Return the weights below a section comment, in the module's order. Raises ValueError if there are none."""
    source = Path(weights.__file__).read_text("utf-8")
    start = re.search(rf"^# {re.escape(section)}$", source, re.MULTILINE)
    if start is None:
        raise ValueError(f"retrieval/weights.py has no section '{section}'")
    end = re.search(r"^# ", source[start.end() :], re.MULTILINE)
    body = ast.parse(source[start.end() : start.end() + end.start()] if end else source[start.end() :]).body
    found = []
    for assigned, text in itertools.pairwise(body):
        if isinstance(assigned, ast.Assign) and isinstance(text, ast.Expr):
            name = ast.unparse(assigned.targets[0])
            match = _TEXT.fullmatch(" ".join(str(ast.literal_eval(text.value)).split()))
            if match is None:
                raise ValueError(f"the text of {name} does not begin with its signal")
            parts = match.groupdict(default="")
            found.append(Weight(parts["signal"], parts["key"], parts["case"], _named(parts["value"]), _number(name)))
    return found


def _table(section: str) -> str:
    found = weights_of(section)
    keys = any(each.key for each in found)
    head = "| Signal | Value | Weight |" + (" Key in `.muninn/config.yaml` |" if keys else "")
    rows = [head, "| --- | --- | --- |" + (" --- |" if keys else "")]
    for signal in dict.fromkeys(each.signal for each in found):
        same = [each for each in found if each.signal == signal]
        numbers = ", ".join(f"{each.number:g}{f' {each.case}' if each.case else ''}" for each in same)
        key = f" {f'`{same[0].key}`' if same[0].key else ''} |" if keys else ""
        rows.append(f"| `{signal}` | {same[0].value} | {numbers} |{key}")
    return "\n".join(rows) + "\n"


def _named(text: str) -> str:
    """Return a text with the values of its constants inserted."""
    return re.sub(r"`([A-Z_]{3,})`", lambda match: f"{_number(match[1]):g}", text)


def _number(name: str) -> float:
    return float(getattr(weights, name))
