"""Reads the definitions, imports and calls of a code file with its grammar.

`read_syntax` returns None without a grammar and for text with too many errors; `chunk.py` then uses lines.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from muninn_core.source.code import comments, imports, preprocess
from muninn_core.source.code.definition import SCOPES, Calls, Definition, Syntax
from muninn_core.source.code.grammar import GRAMMARS, MAX_BYTES, is_safe_to_parse, parse

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from muninn_core.source.code.grammar import Node, Parsed

    Captures = Mapping[str, list[Node]]

_SIGNATURE = 240
"""The maximum characters of a signature."""

_LINES = 12
"""The maximum lines of a signature without a body."""

_MAX_ERROR_SHARE = 0.3
"""A tree with a larger share of its text in errors is not used."""

_PARAMETERS = frozenset({"required_parameter", "property_promotion_parameter"})
"""Constructor parameters that are also fields."""

_MIN_RETRY_SHARE = 0.005
"""A text with a larger share in errors is parsed again with parts blanked."""

_MIN_BRANCH_SHARE = 0.02
"""A text with a larger share in errors is parsed again without some preprocessor branches."""

_DATA = frozenset({"json", "yaml", "toml"})
_MAX_KEYS = 300
"""A data file with more keys is a table; only its top-level keys are defined."""

_CALLED_LINES = 40
"""The maximum lines stored per called name of a file."""

_LEADING_TEXT = 60
"""Characters before a definition that belong to its signature: `export default `, `pub(crate) `."""

_CPP = re.compile(r"^\s*(?:class\s+\w+|namespace\b|template\s*<|using\s+\w|public:|private:)|\w::\w", re.MULTILINE)
_GUARD = re.compile(r"\w+_(?:H|HH|HPP|HXX|H_INCLUDED|INCLUDED)_*")
"""An include guard, which is not a definition."""

_GENERIC_KINDS = ("", "variable", "type", "field")
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
    """Return the grammar of a file, None when there is none. A C header may use the grammar of C++."""
    if language == "typescript" and path.endswith(".tsx"):
        return "tsx"
    if language == "shell":
        return None if path.endswith(".fish") else "bash"
    if language == "json" and path.endswith((".jsonc", ".json5")):
        return None
    if language == "c" and path.endswith(".h") and _CPP.search(text):
        return "cpp"
    return language if language in GRAMMARS else None


def is_safe_in_process(path: str, language: str, text: str) -> bool:
    """Whether a file can be parsed in a process that must survive: no grammar applies, or the text is ordinary."""
    return grammar_of(path, language, text) is None or is_safe_to_parse(text.encode("utf-8", "replace"))


def read_syntax(path: str, language: str, text: str, lines: Sequence[str]) -> Syntax | None:
    """Parse a file's text; `lines` is the text split at newlines. Return None when no grammar applies."""
    grammar = grammar_of(path, language, text)
    if grammar is None:
        return None
    data = text.encode("utf-8", "replace")
    if len(data) > MAX_BYTES:
        return None
    clear = preprocess.blank_known_extensions(grammar, data)
    parsed = parse(grammar, clear)
    if parsed is None:
        return None
    found = _read_captures(grammar, data, lines, parsed)
    for blanked in (
        preprocess.blank_unparsable(grammar, clear) if found.error_bytes > _MIN_RETRY_SHARE * len(data) else ()
    ):
        again = parse(grammar, blanked)
        better = _read_captures(grammar, data, lines, again) if again is not None else found
        if again is not None and 2 * better.error_bytes < found.error_bytes:
            parsed, found = again, better
        if found.error_bytes < _MIN_BRANCH_SHARE * len(data):
            break
    if found.error_bytes > _MAX_ERROR_SHARE * len(data):
        return None
    definitions = found.definitions()
    if parsed.root.has_error and not (definitions or found.imports) and grammar not in _DATA:
        return None
    if grammar in _DATA and len(definitions) > _MAX_KEYS:
        definitions = [one for one in definitions if not one.container][:_MAX_KEYS]
    return Syntax(
        tuple(definitions),
        tuple(imports.read_imports(grammar, found.imports)),
        tuple(
            Calls(name, tuple(sorted(at))[:_CALLED_LINES])
            for name, at in sorted(found.calls.items())
            if name not in _LOADERS
        ),
        comments.file_comment(parsed.root, data, lines, grammar),
    )


def _read_captures(grammar: str, data: bytes, lines: Sequence[str], parsed: Parsed) -> _CaptureReader:
    found = _CaptureReader(grammar, data, lines)
    for captures in parsed.matches:
        found.read_match(captures)
    return found


class _CaptureReader:
    """Collects the captures of one parse."""

    def __init__(self, grammar: str, data: bytes, lines: Sequence[str]) -> None:
        self._grammar = grammar
        self._data = data
        self._lines = lines
        self._found: dict[int, tuple[str, Any, Any, str]] = {}
        self._attached: dict[int, int] = {}
        self._bodies: list[tuple[int, int]] = []
        self.imports: dict[tuple[int, str], None] = {}
        self._calls: dict[int, tuple[str, int]] = {}
        self._errors: dict[int, int] = {}

    @property
    def error_bytes(self) -> int:
        """The number of bytes in errors; nested errors count once."""
        told = reached = 0
        for start, length in sorted(self._errors.items()):
            told += max(0, start + length - max(start, reached))
            reached = max(reached, start + length)
        return told

    @property
    def calls(self) -> dict[str, set[int]]:
        """The lines that call each name. The head of an Elixir function has the form of a call and is none."""
        found: dict[str, set[int]] = {}
        for at, (name, line) in self._calls.items():
            if at not in self._found:
                found.setdefault(name, set()).add(line)
        return found

    def read_match(self, captures: Captures) -> None:
        """Add the captures of one match."""
        if "call" in captures:
            node = captures["call"][0]
            self._calls[node.start_byte] = (self._text(node), node.start_point[0] + 1)
        elif "name" in captures:
            name = captures["name"][0]
            scope = self._text(captures["scope"][0]) if "scope" in captures else ""
            kind = next(key for key in captures if key not in ("name", "scope") and key[0] != "_")
            # A specific kind replaces a generic one.
            if self._found.get(name.start_byte, _UNKNOWN)[0] in _GENERIC_KINDS:
                self._found[name.start_byte] = (kind, captures[kind][0], name, scope)
        elif "import" in captures:
            node = captures["import"][0]
            text = self._text(node)
            if self._grammar == "rust" and "super" in text and node.start_point[1]:
                around = node.parent
                if around is not None and around.type == "declaration_list":  # in `mod tests {`, `super` is this file
                    text = text.replace("super", "self", 1)
            self.imports[node.start_point[0] + 1, text] = None
        elif "attached" in captures:
            node = captures["attached"][0]
            line_end = self._data.find(b"\n", node.end_byte)
            if not self._data[node.end_byte : line_end if line_end >= 0 else None].strip():
                self._attached[node.end_point[0]] = node.start_point[0]
        elif "body" in captures:
            self._bodies.append(captures["body"][0].byte_range)
        elif "error" in captures:
            node = captures["error"][0]
            self._errors[node.start_byte] = node.end_byte - node.start_byte

    def _text(self, node: Node) -> str:
        # `node.text` reads through the parser, at thirty times the cost.
        return self._data[node.start_byte : node.end_byte].decode("utf-8", "replace")

    def definitions(self) -> list[Definition]:
        """Return the definitions by line, with their containers."""
        ordered = sorted(self._found.values(), key=lambda one: (one[1].start_byte, -one[1].end_byte, one[2].start_byte))
        bodies, reached = sorted(self._bodies, reverse=True), 0
        around: list[tuple[tuple[int, int], str, str]] = []  # (range, qualified name, kind) of what is open
        found: list[Definition] = []
        seen: set[tuple[str, str]] = set()
        for kind, node, name_node, scope in ordered:
            # Names of the same declaration are siblings.
            while around and (around[-1][0][1] <= node.start_byte or around[-1][0] == node.byte_range):
                around.pop()
            while bodies and bodies[-1][0] <= node.start_byte:
                reached = max(reached, bodies.pop()[1])
            outer, outer_kind = _outer(kind, node, around)
            name, scope = _split_scope(self._text(name_node), scope, self._grammar)
            container = ".".join(part for part in (outer, scope) if part)
            qualified = f"{container}.{name}" if container else name
            if kind == "function" and (outer_kind in SCOPES or scope):
                kind = "method"
            kind = _refine_kind(kind, name, outer_kind, self._data, node)
            around.append((node.byte_range, qualified, kind))
            # An assignment to a known variable and an `impl` define nothing.
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
        first, text = comments.comment_above(self._lines, lead, self._grammar)
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
        body = valued.child_by_field_name("body") or node.child_by_field_name("body") or _do_block(node)
        end = min(body.start_byte if body is not None else node.end_byte, begin + 2 * _SIGNATURE)
        head = self._data[begin:end].decode("utf-8", "replace")
        if body is None:
            head = head.partition("\n")[0] if self._grammar == "elixir" else _first_line(head)
        return _BLANKS.sub(" ", head).strip(" {:=;,\n")[:_SIGNATURE].rstrip()


def _do_block(node: Node) -> Node | None:
    """Return the body of an Elixir definition."""
    return next((child for child in reversed(node.children) if child.type == "do_block"), None)


def _first_line(head: str) -> str:
    """Return the text before a brace, else the first line and the lines that close its brackets."""
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


def _refine_kind(kind: str, name: str, outer: str, data: bytes, node: Node) -> str:
    """Return a kind that depends on more than the shape of the tree."""
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
    """Return the qualified name and kind of what encloses a definition.

    A struct within a `typedef` is beside it, and a field in a constructor's parameters belongs to the class.
    """
    at = len(around) - 1
    named = at >= 0 and kind in ("struct", "enum") and around[at][2] == "type"
    if named or (at >= 0 and kind == "field" and node.type in _PARAMETERS):
        at -= 1
    return (around[at][1], around[at][2]) if at >= 0 else ("", "")


def _split_scope(name: str, scope: str, grammar: str) -> tuple[str, str]:
    """Return the bare name and its scope: `Type::method`, or a method with a receiver `(t *Type)`."""
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
    """Return a name without type arguments, and separately the operator: `Box<T>::operator<`."""
    found = _OPERATOR.fullmatch(name)
    name, operator = found.groups() if found else (name, "")
    while name[:1] not in "<" and (bare := _ARGUMENTS.sub("", name)) != name:
        name = bare
    return name, operator
