"""The manual page muninn(1), made from the catalogue, in the man macros of roff (groff_man(7))."""

from __future__ import annotations

from typing import TYPE_CHECKING

from muninn_cli.arguments.parameters import Parameter, parameters
from muninn_cli.arguments.parser import EXTRA, example
from muninn_cli.exit_codes import MEANINGS
from muninn_cli.help.manual import COMMANDS
from muninn_core.protocol.catalogue import FAMILIES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from muninn_core.protocol.method import Method

PAGE = "man/muninn.1"
"""The page's path relative to docs/."""

_ABOUT = """\
Muninn records why the code of a repository is as it is: decisions, constraints, causes of bugs, failed attempts. It
stores them as text in git and finds them together with the code that they are about."""

_COMMON = {
    "--repo DIR": "a folder of the repository (default: current)",
    "--json": "print the result as one line of JSON",
    "-q, --quiet": "leave out hints and the state of the index",
    "-v, --verbose": "print ids, times and texts in full",
    "--color auto|always|never": "when to use colour",
    "--no-pager": "print long output without a pager",
    "-h, --help": "explain a verb",
    "-V, --version": "print the version",
}

_VARIABLES = {
    "NO_COLOR": "disables colour; --color always overrides it",
    "MUNINN_PAGER, PAGER": "the pager; an empty value for none",
    "MUNINN_EDITOR, VISUAL, EDITOR": "the editor of muninn edit",
    "MUNINN_RUNTIME_DIR": "folder for sockets, locks and logs",
}

_FILES = {
    ".muninn/config.yaml": "settings of the repository",
    ".muninn/memory": "memory, in git",
    ".muninn/local": "records that are not sealed yet, ignored by git",
    ".muninn/cache": "the index, ignored by git, rebuilt when missing",
    "~/.config/muninn/config.yaml": "settings of the user",
}


def page() -> str:
    """Return the text of the page."""
    lines = ['.\\" Made by scripts/generate.py. Do not edit; `make generate` writes it.']
    lines += ['.TH MUNINN 1 "" "Muninn" "User Commands"', ".SH NAME", f"muninn {_text('- the memory of a repository')}"]
    lines += [
        ".SH SYNOPSIS",
        ".B muninn",
        ".I VERB",
        f"[{_italic('ARGUMENTS')}] [{_bold('--repo')} {_italic('DIR')}] [{_bold('--json')}]",
    ]
    lines += [
        ".SH DESCRIPTION",
        _text(_ABOUT),
    ]
    lines += [".SH OPTIONS", *_terms(_COMMON)]
    for family in FAMILIES:
        lines += [f".SH {_text(family.title).upper()}", _text(family.summary)]
        for method in family.methods:
            lines += _verb(method)
    lines += [".SH COMMANDS", *_terms(COMMANDS)]
    lines += [".SH EXIT STATUS", *_terms({str(code): meaning for code, meaning in MEANINGS.items()})]
    lines += [".SH ENVIRONMENT", *_terms(_VARIABLES), ".SH FILES", *_terms(_FILES)]
    lines += [".SH SEE ALSO", f"{_bold('git')}(1)"]
    return "\n".join(lines) + "\n"


def _verb(method: Method) -> Iterator[str]:
    yield f".SS muninn {_text(method.words)}"
    yield _text(method.summary)
    for parameter in parameters(method):
        yield from _parameter(parameter)
    for option, settings in EXTRA.get(method.verb, {}).items():
        yield from _terms({f"{option} {settings.get('metavar', '')}".strip(): settings["help"]})
    yield ".PP"
    yield f"Example: {_bold(example(method))}"


def _parameter(parameter: Parameter) -> Iterator[str]:
    value = "|".join(parameter.choices) or {"integer": "N", "number": "X", "switch": ""}.get(parameter.shape, "VALUE")
    name = parameter.name.upper() if parameter.positional else f"{parameter.flags[0]} {value}".strip()
    text = parameter.help.rstrip(".")
    if parameter.default is not None and parameter.shape in ("integer", "number", "choice"):
        text += f" (default: {parameter.default})"
    yield from _terms({name: text})


def _terms(rows: dict[str, str]) -> Iterator[str]:
    for name, text in rows.items():
        yield ".TP"
        yield _bold(name)
        yield _text(text) or "\\&"


def _text(text: str) -> str:
    """Escape a text: backslashes, hyphens, characters beyond ASCII, and control characters at the start of the line."""
    plain = " ".join(text.split()).replace("\\", "\\e").replace("-", "\\-")
    plain = "".join(letter if letter.isascii() else f"\\[u{ord(letter):04X}]" for letter in plain)
    return f"\\&{plain}" if plain[:1] in (".", "'") else plain


def _bold(text: str) -> str:
    return f"\\fB{_text(text)}\\fR"


def _italic(text: str) -> str:
    return f"\\fI{_text(text)}\\fR"
