"""Finds the names that lines of code define, with one regular expression per language family.

It reads single lines: a definition across lines is found by the line with its name.
"""

from __future__ import annotations

import re
from functools import lru_cache

_ANNOTATION = r"@(?!interface\b)\w[\w.:]*(?:\([^()]*\))?"
"""An annotation or decorator before a definition: `@Override`, `@Input('name')`."""

_MODIFIER = (
    r"export|default|declare|abstract|async|public|private|protected|internal|static|final|sealed|open|override|"
    r"virtual|partial|readonly|inline|data|suspend|pub(?:\([^)]*\))?|unsafe|const|extern(?:\s+\"\w+\")?|synchronized|"
    r"native|fileprivate|mutating|lateinit|companion|constexpr|template\s*<[^>]*>|"
    rf"{_ANNOTATION}"
)
_MODIFIERS = rf"(?:(?:{_MODIFIER})\s+)*"
_NOT_A_NAME = (
    r"(?!(?:if|for|while|switch|catch|return|else|do|try|throw|new|delete|sizeof|typeof|await|yield|case|match|with|"
    r"assert|super|this|elif|print|using|lock|foreach|function|defined|when|until|unless|require|import|include)\b)"
)
_KEYWORD = (
    r"(?:class|struct|interface|trait|enum(?:\s+class)?|union|type|typealias|protocol|object|record|module|namespace|"
    r"impl(?:<[^>]*>)?|extension|func|fun|fn|function\*?|def|defp|defmodule|defmacro|macro_rules!|macro|mod|"
    r"sub|proc|message|service|rpc|mixin|actor|@interface)"
)

_PYTHON = r"^\s*(?:async\s+def|def|class|cdef|cpdef)\s+(\w+)|^([A-Za-z_]\w*)\s*(?::[^=]+)?=(?!=)"
_GO = (
    r"^func\s+(?:\([^)]*\)\s*)?(\w+)|^type\s+(\w+)|^(?:var|const)\s+(\w+)"
    r"|^\t(\w+)\s+(?:=\s*iota|(?:interface|struct)\b)"
)
_NAME = r"[A-Za-z_$][\w$]*"
_KEYWORDED = rf"^\s*{_MODIFIERS}{_KEYWORD}\s+(?:\([^)]*\)\s*)?({_NAME})"
GENERIC = r"<(?:->|[^<>]|<(?:->|[^<>]|<[^<>]*>)*>)*>"
"""The parameters of a type, which may have parameters: `<T: AsRef<str>>`."""
_PARAMETERS = r"\((?!\s*[\"'`]|.*\bfunction\b)[^;]*\)"
"""The parameters of a method. `it('works', function(){` is a call."""
_FIELD_MODIFIERS = r"(?:public|private|protected|static|readonly|override|declare)\s+"
_METHOD_MODIFIERS = r"(?:(?:public|private|protected|static|override|abstract|async)\s+)+"
"""What a method begins with whose parameters are on the next lines. Without it, `load(` may be a call."""
_SCRIPT = (
    rf"{_KEYWORDED}|^\s*{_MODIFIERS}(?:const|let|var)\s+([\w$]+)\s*(?::[^=]+)?=\s*(?:async\s*)?(?:\(|function"
    rf"|[\w$]+\s*=>|<)"
    r"|^(?:export\s+)?(?:const|let|var)\s+([\w$]+)(?![\w$]|\s*=\s*require\()"
    rf"|^\s+(?:{_FIELD_MODIFIERS})*#?([\w$]+)\s*(?::[^=]+)?=\s*(?:async\s*)?\([^()]*\)[^=]*=>\s*\{{\s*$"
    rf"|^\s+(?:{_FIELD_MODIFIERS})*#?([\w$]+)\s*:[^=]+=\s*(?:async\s*)?\(\s*$"
    rf"|^\s+{_MODIFIERS}(?:get\s+|set\s+|\*\s*"
    rf"|#)?{_NOT_A_NAME}([\w$]+)\s*(?:{GENERIC})?{_PARAMETERS}\s*(?::[^;={{]+)?\{{\s*$"
    rf"|^\s+{_METHOD_MODIFIERS}\*?\s*#?{_NOT_A_NAME}([\w$]+)\s*(?:{GENERIC})?\(\s*[\[{{]?\s*$"
    r"|^\s+(constructor)\(\s*[\[{]?\s*$"
    r"|^\s*(?:[\w$]+\.)+([\w$]+)\s*=\s*(?:(?:[\w$]+\.)+[\w$]+\s*=\s*)?(?:async\s*)?(?:function|\()"
)
_NO_STATEMENT = r"(?!(?:return|new|throw|else|case|goto|await|yield|delete|assert)\b|[:,])"
_BRACED_END = (
    r"\((?:\s*$|[^;]*(?:\)\s*(?:(?:const|noexcept|override|final)\s*)*(?:(?:throws\s|->)[^;{]*)?(?:\{\s*\}?)?\s*$"
    r"|,\s*$))"
)
_STRUCT_AS_TYPE = r"\s*(?:\w+\s+)*(?:struct|enum|union)\s+\w+[\s*]+\w+\s*[(;=\[,]"
"""`static struct frame *top(` and `struct frame *last;` define no struct."""
_ANNOUNCED = r"\s*(?:friend\s+)?(?:class|struct|union|enum)(?:\s+\w+)+\s*;"
"""`struct frame;` is defined elsewhere."""
_BRACED = (
    rf"^\s*(?:class|struct)\s+[A-Z][A-Z0-9_]+\s+(\w+)\s*(?:final\s*)?(?:[:{{]|$)"
    rf"|^(?!{_STRUCT_AS_TYPE}|{_ANNOUNCED}){_KEYWORDED[1:]}|^\s*(?:{_ANNOTATION}\s+)*{_NO_STATEMENT}"
    rf"(?:(?:[\w$.<>\[\],?:]+|{_ANNOTATION})[\s*&]+){{1,9}}{_NOT_A_NAME}(~?[A-Za-z_]\w*)"
    rf"\s*(?:<[\w, ?]+>\s*)?{_BRACED_END}"
    r"|^#\s*define\s+(\w+)|^typedef\s.*?(\w+);"
)
_CPP = (
    rf"{_BRACED}|^\s*{_NO_STATEMENT}(?:[\w$:]+(?:{GENERIC})?[\s*&]+){{1,6}}"
    rf"(?:[A-Za-z_]\w*(?:<[^<>]*>)?::)+(~?[A-Za-z_]\w*)\s*{_BRACED_END}"
    rf"|^\s*(?:\w+::)*(?P<owner>[A-Za-z_]\w*)(?:<[^<>]*>)?::(~?(?P=owner))\s*"
    rf"(?:{_BRACED_END}|\([^;]*\)\s*(?:noexcept\s*)?:\s*$)"
)
"""`void Store::load(int key) {`: the class is not part of the name. `Store::Store(int key) :` goes on below."""
_KOTLIN_MODIFIERS = (
    rf"(?:(?:{_MODIFIER}|actual|expect|inner|annotation|enum|value|operator|infix|external|tailrec)\s+)*"
)
_KOTLIN = (
    rf"^\s*{_KOTLIN_MODIFIERS}(?:(?:class|(?:fun\s+)?interface|object|typealias)\s+({_NAME})"
    rf"|fun\s+(?:{GENERIC}\s*)?(?:[\w<>?*, ]+\.)?(?:({_NAME})|`([^`.]+)`)\s*\()"
)
"""`fun <T> Store<T>.load(): T`: the type is not part of the name."""
_SCALA = (
    rf"^\s*(?:(?:{_MODIFIER}|(?:private|protected)\[\w+\]|case|implicit|lazy|package|transparent|opaque)\s+)*"
    rf"{_KEYWORD}\s+({_NAME})"
)
_SWIFT = (
    rf"^\s*(?:(?:{_MODIFIER}|indirect|required|convenience|dynamic|nonisolated|class(?=\s+func))\s+)*"
    rf"{_KEYWORD}\s+({_NAME}(?:\.{_NAME})*)"
)
_ELIXIR = rf"^\s*(?:defmodule|defprotocol|defimpl)\s+({_NAME}(?:\.{_NAME})*)|{_KEYWORDED}"
_PERL = r"^\s*(?:package|sub)\s+([\w:]+)"
_PHP = rf"{_KEYWORDED}|^\s*(?:public|private|protected)?\s*const\s+(\w+)\s*="
_RUST = (
    rf"^\s*(?:unsafe\s+)?impl(?:\s*{GENERIC})?\s+(?:!?(?:[\w:$]|{GENERIC}|\([^)]*\))+\s+for\s+)?"
    r"(?:&\s*(?:'\w+\s+)?(?:mut\s+)?|dyn\s+|\w+::)*([\w$]+)"
    rf"|{_KEYWORDED}|^\s*(?:pub\s+)?(?:static|const)\s+(\w+)\s*:"
)
_RUBY = rf"^\s*(?:def\s+(?:self\.)?([\w?!]+)|(?:class|module)\s+([\w:]+))|{_KEYWORDED}"
_SHELL = r"^\s*(?:function\s+)?([\w-]+)\s*\(\)\s*\{?|^\s*function\s+([\w-]+)|^(?:export\s+)?([A-Z_][A-Z0-9_]*)="
_SQL = (
    r"(?i)^\s*create\s+(?:or\s+replace\s+)?(?:temp(?:orary)?\s+)?(?:unique\s+)?"
    r"(?:table|view|index|function|procedure|trigger|type)\s+(?:if\s+not\s+exists\s+)?[\"`\[]?([\w.]+)"
)
_CSS = r"^\s*(?:@mixin|@function|@keyframes)\s+([\w-]+)|^([.#][\w-]+)[^;]*\{\s*$"
_KEYED = r"^(?:\[+)?([A-Za-z_][\w.-]*)\]*\s*[:=\]]"
_MAKE = r"^([\w./-]+)\s*:(?!=)|^(?:export\s+)?([A-Za-z_]\w*)\s*[:?+]?="
_TERRAFORM = r'^(?:resource|data|module|variable|output|provider|locals)\s+"([^"]+)"'
_LISP = r"^\s*\((?:def\w*|ns)\s+([^\s()\[\]]+)"
_HASKELL = r"^(?:data|newtype|type|class|instance|module)\s+([A-Z][\w.]*)|^([a-z_][\w']*)\s*::"
_LUA = r"^\s*(?:local\s+)?function\s+([\w.:]+)|^\s*(?:local\s+)?([\w.]+)\s*=\s*function"

_BY_LANGUAGE: dict[str, str] = {
    "python": _PYTHON,
    "perl": _PERL,
    "go": _GO,
    "rust": _RUST,
    "ruby": _RUBY,
    "php": _PHP,
    "sql": _SQL,
    "css": _CSS,
    "make": _MAKE,
    "terraform": _TERRAFORM,
    "clojure": _LISP,
    "haskell": _HASKELL,
    "lua": _LUA,
    "shell": _SHELL,
    **dict.fromkeys(("javascript", "typescript", "vue", "svelte"), _SCRIPT),
    **dict.fromkeys(("java", "c", "objective-c", "csharp", "dart", "groovy"), _BRACED),
    "cpp": _CPP,
    "kotlin": _KOTLIN,
    "scala": _SCALA,
    "swift": _SWIFT,
    "elixir": _ELIXIR,
    **dict.fromkeys(("toml", "ini", "yaml"), _KEYED),
    **dict.fromkeys(("json", "xml", "html", "text", "docker", "cmake", "prose"), r"(?!)"),
}


@lru_cache(maxsize=128)
def _pattern(language: str) -> re.Pattern[str]:
    return re.compile(_BY_LANGUAGE.get(language, _KEYWORDED))


_MAX_LINE_LENGTH = 400
"""A line with more characters is data or minified, and would make the expressions slow."""


def defined_name(line: str, language: str) -> str | None:
    """Return the name that a line defines, or None."""
    if len(line) > _MAX_LINE_LENGTH:
        return None
    found = _pattern(language).search(line)
    if found is None or found.lastindex is None:
        return None
    return found.group(found.lastindex)


def defined_names(lines: list[str], language: str) -> dict[int, str]:
    """Return {line index: defined name} of a whole file."""
    search = _pattern(language).search
    found: dict[int, str] = {}
    for i, line in enumerate(lines):
        if len(line) > _MAX_LINE_LENGTH:
            continue
        match = search(line)
        if match is not None and match.lastindex is not None:
            found[i] = match.group(match.lastindex)
    return found
