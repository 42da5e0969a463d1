"""Reads what a file of code defines, imports and calls, by its grammar.

Where there is no grammar, or the text breaks its rules too often, it says so with None: `chunk.py` then goes by lines.
It knows neither chunks nor the index.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from muninn_core.source import comments, imports, preprocess
from muninn_core.source.definition import SCOPES, Calls, Definition, Syntax
from muninn_core.source.grammar import GRAMMARS, LARGEST, is_calm, parse

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from muninn_core.source.grammar import Node, Parsed

    Captures = Mapping[str, list[Node]]

_SIGNATURE = 240
"""Characters of a signature."""

_LINES = 12
"""Lines of a signature without a body."""

_BROKEN = 0.3
"""The share of a text that may lie in errors before its tree is not believed."""

_PARAMETERS = frozenset({"required_parameter", "property_promotion_parameter"})
"""Parameters of a constructor that are fields as well."""

_SCRATCHED = 0.005
"""The share that may lie in errors before a text is read a second time: what small ones hide is not worth it."""

_CRACKED = 0.02
"""The share that may lie in errors before branches of a preprocessor are given up for the rest."""

_DATA = frozenset({"json", "yaml", "toml"})
_MOST_KEYS = 300
"""Keys of a data file that are told: beyond, it is a table of values rather than settings with names."""

_CALLED_LINES = 40
"""Lines of one file that are noted of one called name."""

_LEADING_TEXT = 60
"""Characters before a definition on its line that belong to its signature: `export default `, `pub(crate) `."""

_CPP = re.compile(r"^\s*(?:class\s+\w+|namespace\b|template\s*<|using\s+\w|public:|private:)|\w::\w", re.MULTILINE)
_GUARD = re.compile(r"\w+_(?:H|HH|HPP|HXX|H_INCLUDED|INCLUDED)_*")
"""The macro that keeps a header from being read twice: no name that anybody looks for."""

_VAGUE = ("", "variable", "type", "field")
_UNKNOWN = ("", None, None, "")
_LOADERS = frozenset({"require", "require_relative", "source", "."})
"""Calls that are imports."""

_ENDED = re.compile(rb"[{};]")
_BLANKS = re.compile(r"\s+")
_GENERIC = re.compile(r"<.*|\(.*|\[.*", re.DOTALL)
_ARGUMENTS = re.compile(r"<[^<>]*>")
_CALL = re.compile(r"(?<!operator)(?<!operator )\(.*", re.DOTALL)
_OPERATOR = re.compile(r"(.*?)(\boperator\b.*)", re.DOTALL)


def grammar_of(path: str, language: str, text: str) -> str | None:
    """Return the grammar for a file of a language, None where there is none. A header of C may be one of C++."""
    if language == "typescript" and path.endswith(".tsx"):
        return "tsx"
    if language == "shell":
        return None if path.endswith(".fish") else "bash"
    if language == "json" and path.endswith((".jsonc", ".json5")):
        return None
    if language == "c" and path.endswith(".h") and _CPP.search(text):
        return "cpp"
    return language if language in GRAMMARS else None


def is_harmless(path: str, language: str, text: str) -> bool:
    """Whether a file can be read in a process that must live on: no grammar is asked, or the text is ordinary."""
    return grammar_of(path, language, text) is None or is_calm(text.encode("utf-8", "replace"))


def read_syntax(path: str, language: str, text: str, lines: Sequence[str]) -> Syntax | None:
    """Read a file's text; `lines` is the same, split at newlines. None where no grammar helps."""
    grammar = grammar_of(path, language, text)
    if grammar is None:
        return None
    data = text.encode("utf-8", "replace")
    if len(data) > LARGEST:
        return None
    clear = preprocess.clear(grammar, data)
    parsed = parse(grammar, clear)
    if parsed is None:
        return None
    found = _taken(grammar, data, lines, parsed)
    for eased in preprocess.blank_unparsable(grammar, clear) if found.broken > _SCRATCHED * len(data) else ():
        again = parse(grammar, eased)
        better = _taken(grammar, data, lines, again) if again is not None else found
        if again is not None and 2 * better.broken < found.broken:
            parsed, found = again, better
        if found.broken < _CRACKED * len(data):
            break
    if found.broken > _BROKEN * len(data):
        return None
    definitions = found.definitions()
    if parsed.root.has_error and not (definitions or found.imported) and grammar not in _DATA:
        return None
    if grammar in _DATA and len(definitions) > _MOST_KEYS:
        definitions = [one for one in definitions if not one.container][:_MOST_KEYS]
    return Syntax(
        tuple(definitions),
        tuple(imports.read(grammar, found.imported)),
        tuple(
            Calls(name, tuple(sorted(set(at)))[:_CALLED_LINES])
            for name, at in sorted(found.called.items())
            if name not in _LOADERS
        ),
        comments.of_file(parsed.root, data, lines, grammar),
    )


def _taken(grammar: str, data: bytes, lines: Sequence[str], parsed: Parsed) -> _Reading:
    found = _Reading(grammar, data, lines)
    for captures in parsed.matches:
        found.take(captures)
    return found


class _Reading:
    """What one pass over the captures collects."""

    def __init__(self, grammar: str, data: bytes, lines: Sequence[str]) -> None:
        self._grammar = grammar
        self._data = data
        self._lines = lines
        self._found: dict[int, tuple[str, Any, Any, str]] = {}
        self._attached: dict[int, int] = {}
        self._bodies: list[tuple[int, int]] = []
        self.imported: dict[tuple[int, str], None] = {}
        self.called: dict[str, list[int]] = {}
        self._errors: dict[int, int] = {}

    @property
    def broken(self) -> int:
        """How many bytes lie in errors; those within others count once."""
        told = reached = 0
        for start, length in sorted(self._errors.items()):
            told += max(0, start + length - max(start, reached))
            reached = max(reached, start + length)
        return told

    def take(self, captures: Captures) -> None:
        """Take one match."""
        if "call" in captures:
            node = captures["call"][0]
            self.called.setdefault(self._text(node), []).append(node.start_point[0] + 1)
        elif "name" in captures:
            name = captures["name"][0]
            scope = self._text(captures["scope"][0]) if "scope" in captures else ""
            kind = next(key for key in captures if key not in ("name", "scope") and key[0] != "_")
            # A pattern that says more of a name wins over one that says less.
            if self._found.get(name.start_byte, _UNKNOWN)[0] in _VAGUE:
                self._found[name.start_byte] = (kind, captures[kind][0], name, scope)
        elif "import" in captures:
            node = captures["import"][0]
            text = self._text(node)
            if self._grammar == "rust" and "super" in text and node.start_point[1]:
                around = node.parent
                if around is not None and around.type == "declaration_list":  # of a `mod tests {`: this file itself
                    text = text.replace("super", "self", 1)
            self.imported[node.start_point[0] + 1, text] = None
        elif "attached" in captures:
            node = captures["attached"][0]
            behind = self._data.find(b"\n", node.end_byte)
            if not self._data[node.end_byte : behind if behind >= 0 else None].strip():
                self._attached[node.end_point[0]] = node.start_point[0]
        elif "body" in captures:
            self._bodies.append(captures["body"][0].byte_range)
        elif "error" in captures:
            node = captures["error"][0]
            self._errors[node.start_byte] = node.end_byte - node.start_byte

    def _text(self, node: Node) -> str:
        # A node's own `text` asks the parser's reader again, at thirty times the cost.
        return self._data[node.start_byte : node.end_byte].decode("utf-8", "replace")

    def definitions(self) -> list[Definition]:
        """Return the definitions by line, each with those around it."""
        ordered = sorted(self._found.values(), key=lambda one: (one[1].start_byte, -one[1].end_byte, one[2].start_byte))
        bodies, reached = sorted(self._bodies, reverse=True), 0
        around: list[tuple[tuple[int, int], str, str]] = []  # (range, qualified name, kind) of what is open
        found: list[Definition] = []
        seen: set[tuple[str, str]] = set()
        for kind, node, name_node, scope in ordered:
            # Two names that one declaration defines stand beside one another.
            while around and (around[-1][0][1] <= node.start_byte or around[-1][0] == node.byte_range):
                around.pop()
            while bodies and bodies[-1][0] <= node.start_byte:
                reached = max(reached, bodies.pop()[1])
            outer, outer_kind = _outer(kind, node, around)
            name, scope = _named(self._text(name_node), scope, self._grammar)
            container = ".".join(part for part in (outer, scope) if part)
            qualified = f"{container}.{name}" if container else name
            if kind == "function" and (outer_kind in SCOPES or scope):
                kind = "method"
            kind = _refined(kind, name, outer_kind, self._data, node)
            around.append((node.byte_range, qualified, kind))
            # A variable that is set again is no second one; an `impl` is a place, not a thing.
            again = kind in ("variable", "constant", "field") and (container, name) in seen
            local = kind in ("variable", "constant") and (
                outer_kind in ("function", "method", "property") or node.start_byte < reached
            )
            guard = kind == "macro" and node.child_by_field_name("value") is None and _GUARD.fullmatch(name)
            if kind == "impl" or again or local or guard or not name:
                continue
            seen.add((container, name))
            found.append(self._definition(name, kind, container, node))
        return found

    def _definition(self, name: str, kind: str, container: str, node: Node) -> Definition:
        start, end = node.start_point[0], node.end_point
        lead = start
        while lead - 1 in self._attached:
            lead = self._attached[lead - 1]
        first, text = comments.above(self._lines, lead, self._grammar)
        if self._grammar == "python":
            text = comments.docstring(node, self._data) or text
        last = max(start, end[0] if end[1] else end[0] - 1)
        signature = "" if kind == "key" else self._signature(node)
        return Definition(name, kind, container, start + 1, last + 1, first + 1, signature, text)

    def _signature(self, node: Node) -> str:
        """Return the head of a definition on one line, without its body."""
        begin = node.start_byte
        lead = self._data[max(0, begin - node.start_point[1]) : begin]
        if len(lead) <= _LEADING_TEXT and not _ENDED.search(lead):
            begin -= len(lead)
        valued = node.child_by_field_name("value") or node
        body = valued.child_by_field_name("body") or node.child_by_field_name("body")
        end = min(body.start_byte if body is not None else node.end_byte, begin + 2 * _SIGNATURE)
        head = self._data[begin:end].decode("utf-8", "replace")
        if body is None:
            head = _first_line(head)
        return _BLANKS.sub(" ", head).strip(" {:=;,\n")[:_SIGNATURE].rstrip()


def _first_line(head: str) -> str:
    """Return what stands before a brace, or else the first line that says something, with what its brackets hold."""
    before, brace, _ = head.partition("{")
    lines = (before if brace and before.strip() else head).strip().split("\n")
    if brace and before.strip() and len(lines) <= 8:
        return before
    kept = lines[0]
    for line in lines[1:_LINES]:
        if kept.count("(") <= kept.count(")"):
            break
        kept += f"\n{line}"
    return kept if kept.count("(") == kept.count(")") else lines[0]


def _refined(kind: str, name: str, outer: str, data: bytes, node: Node) -> str:
    """Return a kind that is told by more than the tree's shape."""
    if kind == "field" and outer not in SCOPES:
        kind = "variable"
    if kind in ("variable", "field") and name.isupper() and len(name) > 1:
        return "constant"
    if kind == "class" and node.type == "class_declaration":
        head = data[node.start_byte : node.start_byte + 200]
        for word, told in ((b"interface ", "interface"), (b"enum class ", "enum")):
            before = head.partition(word)[0]
            if len(before) < len(head) and b"class" not in before and b"(" not in before and b"{" not in before:
                return told
    return kind


def _outer(kind: str, node: Node, around: Sequence[tuple[tuple[int, int], str, str]]) -> tuple[str, str]:
    """Return the qualified name and kind of what is around a definition, given all that is open there.

    What a `typedef` names on its way stands beside it, and a field in the head of a constructor is one of the class.
    """
    at = len(around) - 1
    named = at >= 0 and kind in ("struct", "enum") and around[at][2] == "type"
    if named or (at >= 0 and kind == "field" and node.type in _PARAMETERS):
        at -= 1
    return (around[at][1], around[at][2]) if at >= 0 else ("", "")


def _named(name: str, scope: str, grammar: str) -> tuple[str, str]:
    """Return the bare name and scope: `Type::method` is a method of Type, and so is one with a receiver `(t *Type)`."""
    name, operator = _without_arguments(name)
    if "::" in name and grammar != "bash":
        outer, _, name = name.rpartition("::")
        scope = outer.replace("::", ".")
    scope = scope.replace(".prototype", "").strip("*& ")
    scope = "" if scope in ("module.exports", "exports", "this", "self") else _GENERIC.sub("", scope)
    if name[:1] in "\"'":
        name = name.strip("\"'")
    return name.replace("\\", ".").lstrip("#:&") + _CALL.sub("", operator), scope.replace("::", ".")


def _without_arguments(name: str) -> tuple[str, str]:
    """Return a name without type arguments, and apart from it what an operator is called: `Box<T>::operator<`."""
    found = _OPERATOR.fullmatch(name)
    name, operator = found.groups() if found else (name, "")
    while name[:1] not in "<" and (bare := _ARGUMENTS.sub("", name)) != name:
        name = bare
    return name, operator
