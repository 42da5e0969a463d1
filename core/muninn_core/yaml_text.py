"""YAML text to nodes with positions, and to plain values. The only importer of PyYAML.

libyaml splits the text, which takes an eightieth of the time of PyYAML's own scanner. The nodes are composed in Python:
libyaml's bindings compose them by recursion in C, where a text of a hundred thousand brackets ends the process.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import yaml
from yaml import MappingNode, Node, ScalarNode, SequenceNode
from yaml.composer import Composer
from yaml.constructor import SafeConstructor
from yaml.resolver import Resolver

__all__ = ["MappingNode", "Node", "NotYamlError", "ScalarNode", "SequenceNode", "compose", "construct", "load"]


class NotYamlError(ValueError):
    """A text is not YAML. `line` and `column` are 1-based, 0 when the error has no position."""

    def __init__(self, problem: str, line: int = 0, column: int = 0) -> None:
        super().__init__(problem)
        self.problem = problem
        self.line = line
        self.column = column


if TYPE_CHECKING or not yaml.__with_libyaml__:
    _Loader = yaml.SafeLoader
else:
    from yaml.cyaml import CParser

    class _Loader(Composer, CParser, SafeConstructor, Resolver):
        """libyaml's events, and PyYAML's own composer and safe constructor."""

        def __init__(self, stream: str) -> None:
            CParser.__init__(self, stream)
            Composer.__init__(self)
            SafeConstructor.__init__(self)
            Resolver.__init__(self)


def compose(text: str) -> Node | None:
    """Return the root node of a text, None for an empty one. Raises NotYamlError."""
    try:
        return _Loader(text).get_single_node()
    except (yaml.YAMLError, RecursionError, UnicodeEncodeError) as error:  # the last one: half of a surrogate pair
        raise _not_yaml(error) from None


def load(text: str) -> Any:
    """Return a text as plain values: a safe loader creates no other ones. Raises NotYamlError."""
    try:
        return _Loader(text).get_single_data()
    except (yaml.YAMLError, RecursionError, ValueError) as error:  # ValueError: a date such as 2024-13-01
        raise _not_yaml(error) from None


def construct(node: Node) -> Any:
    """Return the plain value of a node. Raises NotYamlError for a tag that names no plain value."""
    try:
        return _Loader("").construct_document(node)
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        raise _not_yaml(error) from None


def _not_yaml(error: Exception) -> NotYamlError:
    if isinstance(error, RecursionError):
        return NotYamlError("it is nested too deeply")
    mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
    problem = getattr(error, "problem", None) or getattr(error, "context", None) or str(error)
    return NotYamlError(problem, mark.line + 1, mark.column + 1) if mark else NotYamlError(problem)
