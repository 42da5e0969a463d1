"""Finds functions and classes in source text and separates their documentation, for training pairs."""

import ast
import re
from collections.abc import Iterator
from typing import NamedTuple

LANGUAGES = {
    **dict.fromkeys((".py",), "py"),
    **dict.fromkeys((".go",), "go"),
    **dict.fromkeys((".rs",), "rs"),
    **dict.fromkeys((".ts", ".tsx", ".mts"), "ts"),
    **dict.fromkeys((".js", ".mjs", ".jsx"), "js"),
    **dict.fromkeys((".java",), "java"),
    **dict.fromkeys((".c", ".h", ".cc", ".cpp", ".hpp"), "c"),
    **dict.fromkeys((".md",), "md"),
    **dict.fromkeys((".rst",), "rst"),
    **dict.fromkeys((".html",), "html"),
}
"""What is mined, by file suffix."""

_SCRIPT = (
    r"^\s*(?:(?:export|default|declare|abstract|async)\s+)*(?:function\*?\s+(\w+)|class\s+(\w+)|interface\s+(\w+)"
    r"|const\s+(\w+)\s*(?::[^=]+)?=\s*(?:async\s*)?(?:\(|function|\w+\s*=>)"
    r"|(?:(?:public|private|protected|static|async|get|set|override|readonly)\s+)*"
    r"((?!if\b|for\b|while\b|switch\b|catch\b|return\b|function\b)[#\w$]+)\s*(?:<[^>]*>)?\([^;]*\)?[^;]*\{\s*$"
    r"|(?:[\w.$]+\.)?(\w+)\s*[:=]\s*(?:async\s*)?function)"
)
_DECLARATION = {
    language: re.compile(pattern)
    for language, pattern in {
        "go": r"^(?:func\s+(?:\([^)]*\)\s*)?(\w+)|type\s+(\w+)\s+(?:struct|interface))",
        "rs": r"^\s*(?:pub(?:\([^)]*\))?\s+)?(?:(?:async|const|unsafe|default|extern(?:\s+\"\w+\")?)\s+)*"
        r"(?:fn|struct|enum|trait)\s+(\w+)",
        "ts": _SCRIPT,
        "js": _SCRIPT,
        "java": r"^\s*(?:(?:public|protected|private|static|final|abstract|synchronized|default|native|strictfp)\s+)+"
        r"(?:<[^>]+>\s+)?(?:(?:class|interface|enum|record)\s+(\w+)|[\w<>\[\],.? ]*?(\w+)\s*\()",
        "c": r"^(?!static\s+const\b|typedef\b|return\b|else\b|#|//|/\*|\}|\{)"
        r"[A-Za-z_][\w\s\*&:<>,~]*?\b(~?\w+)\s*\((?!.*;\s*$)",
    }.items()
}
_ATTRIBUTE = re.compile(r"^\s*(@\w|#\[|#!\[|template\s*<|\[\[)")
_MARK = re.compile(r"^\s*(/\*\*?!?|\*/|\*(?!\*)|///?!?|//!|#+(?=\s)|--)\s?")
_END_OF_PROSE = re.compile(
    r"\s*(@\w+|:\w+:|#+ |Args?:|Arguments:|Returns?:|Parameters|Example|Raises|Notes?$|>>>|```|\.\. |---|===|Copyright"
    r"|SPDX|License|eslint|TODO|nolint|go:|\+build)"
)
_MARKUP = re.compile(r"\{@\w+\s+([^}]*)\}|<[^<>]{1,60}>|`{1,2}|:\w+:(?=`)")
_NOT_A_QUESTION = re.compile(r"(?i)copyright|licen[cs]e|all rights reserved|auto-?generated|^see\b|deprecated")
_LONGEST = 80
"""Lines of a body that are kept."""


class Definition(NamedTuple):
    """A function or class: its name, its documentation, and its lines without the documentation."""

    name: str
    doc: str | None
    body: list[str]


def definitions(source: str, language: str) -> Iterator[Definition]:
    """Yield the definitions of a file; none of a Python file that does not parse."""
    return _python(source) if language == "py" else _braced(source.split("\n"), language)


def paragraphs(doc: str) -> list[str]:
    """Return the paragraphs of a documentation comment up to its first section, tag or example, without markup."""
    lines = []
    for line in doc.split("\n"):
        plain = _MARK.sub("", line).rstrip().removesuffix("*/").rstrip()
        if _END_OF_PROSE.match(plain):
            break
        lines.append(plain.strip())
    text = _MARKUP.sub(lambda m: m.group(1) or "", "\n".join(lines).strip())
    return [" ".join(part.split()) for part in re.split(r"\n\s*\n", text) if part.strip()]


def is_english(text: str) -> bool:
    """Whether three quarters of a text are ASCII letters and blanks."""
    return bool(text) and sum(c.isascii() and (c.isalpha() or c == " ") for c in text) / len(text) > 0.75


def is_question(text: str) -> bool:
    """Whether a text can serve as a question."""
    return 4 <= len(text.split()) <= 80 and is_english(text) and not _NOT_A_QUESTION.search(text)


def split_name(name: str) -> str:
    """Return the words of an identifier."""
    name = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", " ", name)
    return " ".join(re.split(r"[_\W\s]+", name)).strip().lower()


def without_comments(lines: list[str], language: str) -> list[str]:
    """Drop comment lines, so that a question made of a comment does not match its own text."""
    kept, inside = [], False
    for line in lines:
        text = line.strip()
        if language == "py":
            if not text.startswith("#"):
                kept.append(line)
        elif inside or text.startswith("/*"):
            inside = "*/" not in text
        elif not text.startswith("//"):
            kept.append(line)
    return kept


def comments(body: list[str]) -> list[str]:
    """Return the one-line comments of a body that are sentences."""
    found = [re.sub(r"^\s*(#|//)\s*", "", line).strip() for line in body if re.match(r"\s*(#|//)\s*\w", line)]
    return [text for text in found if 5 <= len(text.split()) <= 30 and is_english(text)]


def _python(source: str) -> Iterator[Definition]:
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError):
        return
    lines = source.split("\n")
    for node in ast.walk(tree):
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            continue
        first, last = node.lineno - 1, node.end_lineno or node.lineno
        doc = ast.get_docstring(node, clean=True)
        body = lines[first:last]
        if doc:
            if len(node.body) == 1:
                continue
            text = node.body[0]
            body = lines[first : text.lineno - 1] + lines[text.end_lineno : last]
        yield Definition(node.name, doc, body[:_LONGEST])


def _braced(lines: list[str], language: str) -> Iterator[Definition]:
    at = 0
    while at < len(lines):
        line = lines[at]
        match = _DECLARATION[language].match(line) if len(line) < 300 else None
        end = _end(lines, at, language) if match else None
        if match is None or end is None:
            at += 1
            continue
        name = next((group for group in match.groups() if group), "")
        yield Definition(name, _doc_before(lines, at), lines[at : min(end, at + _LONGEST)])
        at += 1


def _end(lines: list[str], at: int, language: str) -> int | None:
    """Return the line after a definition's closing brace, by indentation; None for a declaration."""
    line = lines[at]
    if line.rstrip().endswith(";") or (language == "c" and not any("{" in near for near in lines[at : at + 8])):
        return None
    if line.count("{") and line.count("{") == line.count("}"):
        return at + 1
    indent = len(line) - len(line.lstrip())
    for i in range(at + 1, min(at + 400, len(lines))):
        if lines[i][:indent].strip() == "" and lines[i][indent : indent + 1] == "}":
            return i + 1
    return None


def _doc_before(lines: list[str], at: int) -> str | None:
    last = at - 1
    while last >= 0 and _ATTRIBUTE.match(lines[last]):
        last -= 1
    if last < 0:
        return None
    first = last
    text = lines[last].strip()
    if text.startswith("//"):
        while first >= 0 and lines[first].strip().startswith("//"):
            first -= 1
        return "\n".join(lines[first + 1 : last + 1])
    if text.endswith("*/"):
        while first >= 0 and "/*" not in lines[first] and last - first < 120:
            first -= 1
        return "\n".join(lines[max(first, 0) : last + 1])
    return None
