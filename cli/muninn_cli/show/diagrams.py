"""Links and relations as diagrams: Mermaid flowcharts, and graphs of Graphviz's DOT language."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

LABEL = 60
"""The most characters of a label."""

Edge = tuple[str, str, str]
"""(name of the source, relation, name of the target)."""


def diagram(style: str, nodes: Mapping[str, str], edges: Iterable[Edge]) -> str:
    """Return a diagram of nodes ({name: label}) and edges. A name without a label is its own."""
    every = list(edges)
    labels = {name: name for edge in every for name in (edge[0], edge[2])} | dict(nodes)
    names = {name: f"n{number}" for number, name in enumerate(labels)}
    return (_mermaid if style == "mermaid" else _dot)(labels, names, every)


def _mermaid(labels: Mapping[str, str], names: Mapping[str, str], edges: Iterable[Edge]) -> str:
    lines = ["flowchart LR"]
    lines += [f'  {names[name]}["{_entities(label)}"]' for name, label in labels.items()]
    lines += [f'  {names[source]} -->|"{_entities(relation)}"| {names[target]}' for source, relation, target in edges]
    return "\n".join(lines) + "\n"


def _dot(labels: Mapping[str, str], names: Mapping[str, str], edges: Iterable[Edge]) -> str:
    lines = ["digraph muninn {", "  rankdir=LR;", "  node [shape=box];"]
    lines += [f'  {names[name]} [label="{_escaped(label)}"];' for name, label in labels.items()]
    lines += [
        f'  {names[source]} -> {names[target]} [label="{_escaped(relation)}"];' for source, relation, target in edges
    ]
    return "\n".join([*lines, "}"]) + "\n"


def _short(label: str) -> str:
    line = " ".join(label.split())
    return line if len(line) <= LABEL else line[: LABEL - 1] + "…"


def _entities(label: str) -> str:
    """Escape a label by Mermaid's entity codes: quotes, and what would be read as HTML or as markdown."""
    return "".join(f"#{ord(letter)};" if letter in '"#<>&`*_' else letter for letter in _short(label))


def _escaped(label: str) -> str:
    """Escape a label for a quoted string of DOT."""
    return _short(label).replace("\\", "\\\\").replace('"', '\\"')
