"""argparse parsers from the catalogue: each parameter of a verb is an option or a positional argument.

Options have no defaults here: an option that is not given is not sent, and the core's default applies.
"""

from __future__ import annotations

import argparse
import json
import re
import shlex
import shutil
import textwrap
from typing import TYPE_CHECKING, Any, NoReturn

from muninn_cli.arguments.parameters import Parameter, Shape, parameters
from muninn_cli.terminal.display import COLORS, DISPLAY
from muninn_core.errors import UnknownVerb, UsageError
from muninn_core.near_match import NAMES, OPEN, nearest
from muninn_core.protocol.catalogue import GROUPS, METHODS

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from muninn_core.protocol.method import Method

_CITE = re.compile(r"(?P<path>.+?)(?::(?P<start>[1-9]\d*)(?:-(?P<end>[1-9]\d*))?)?", re.DOTALL)

_METAVAR: dict[Shape, str] = {
    "integer": "N",
    "number": "X",
    "table": "KEY=VALUE",
    "labels": "KEY=VALUE",
    "cites": "PATH[:START[-END]]",
    "links": "RELATION:ID",
    "drafts": "FILE.jsonl",
}


class Parser(argparse.ArgumentParser):
    """A parser that raises UsageError, with the nearest name as a hint, and never ends the process."""

    def error(self, message: str) -> NoReturn:
        """Raise UsageError instead of printing and exiting."""
        missing = message.removeprefix("the following arguments are required: ")
        if missing != message:
            first = next(action for action in self._actions if missing.startswith(_option_of(action)))
            hint = " ".join(part for part in (_allowed(first), f"See `{self.prog} --help`.") if part)
            named = ", ".join(each if each.startswith("-") else each.upper() for each in missing.split(", "))
            raise UsageError(f"`{self.prog}` needs {named}", hint=hint)
        what = re.sub(r"^-\w/(?=--)", "", message.removeprefix("argument "))  # a short option goes by its long one
        raise UsageError(what, hint=f"See `{self.prog} --help`.")

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        """Raise UsageError for a value that is none of the action's choices, with the nearest one."""
        if action.choices is None or value in action.choices:
            return
        choices = [str(each) for each in action.choices]
        near = nearest(str(value), choices)
        name = action.option_strings[0] if action.option_strings else str(action.metavar or action.dest).upper()
        listed = f"It is one of {', '.join(choices)}."
        raise UsageError(f"{name} can't be '{value}'", hint=f"Did you mean '{near}'? {listed}" if near else listed)

    def parse(self, argv: list[str]) -> argparse.Namespace:
        """Parse the arguments. Raises UsageError, which names the nearest option for an unknown one."""
        # Intermixed: otherwise an option between two optional positional arguments ends the positional ones. That way
        # of argparse forgets `--`, after which nothing is an option.
        read = self.parse_known_args if "--" in argv else self.parse_known_intermixed_args
        found, unknown = read(argv)
        if not unknown:
            DISPLAY.configure(found)
            return found
        options = [option for action in self._actions for option in action.option_strings]
        flag = next((word for word in unknown if word.startswith("-")), None)
        if flag is None:
            positional = [action for action in self._actions if not action.option_strings]
            hint = (
                f"`{self.prog}` takes one ID."
                if [_option_of(action) for action in positional] == ["ID"]
                else "Put a text of several words in quotes."
                if positional
                else f"`{self.prog} --out {unknown[0]}` writes to a file."
                if "--out" in options
                else f"`{self.prog} --help` lists the options."
            )
            raise UsageError(f"unexpected argument '{unknown[0]}'", hint=hint)
        name = flag.partition("=")[0]
        words = [each[2:] for each in options if each.startswith("--")]
        near = nearest(name.lstrip("-"), words, NAMES) if len(name) > 2 else None  # one letter resembles any other
        hint = f"Did you mean '--{near}'?" if near else f"See `{self.prog} --help`."
        raise UsageError(f"{self.prog}: there is no option '{name}'", hint=hint)


def _option_of(action: argparse.Action) -> str:
    return "/".join(action.option_strings) or str(action.metavar or action.dest)


def _allowed(action: argparse.Action) -> str:
    """Return which values an action takes, "" for any."""
    return f"It is one of {', '.join(map(str, action.choices))}." if action.choices else ""


ALIASES = {alias: method for method in METHODS.values() for alias in method.aliases}
"""The verbs by their aliases, which are one or two words."""

_UNSAFE = ("reset", "destroy", "wipe", "drop", "erase")
"""Words for which no verb is suggested: each one that is spelt alike changes something else."""

_COMMAND_SYNONYMS = {
    "ui": "open",
    "web": "open",
    "browse": "open",
    "dashboard": "open",
    "dash": "watch",
    "monitor": "watch",
    "backup": "export",
    "facts": "projections show memory_facts",
    "observations": "capsule retrieve",
    "modify": "edit",
    "change": "edit",
    "start": "daemon start",
    "serve": "daemon start",
    "stop": "daemon stop",
    "kill": "daemon stop",
    "setup": "install",
    "connect": "install",
    "diagnose": "doctor",
    "health": "doctor",
    "man": "help",
    "usage": "help",
}
"""Words that people try instead of a command."""


def resolve_alias(argv: Sequence[str]) -> list[str]:
    """Return the arguments with an alias at their start replaced by its verb."""
    for length in (2, 1):
        alias = ALIASES.get(" ".join(argv[:length]))
        if alias is not None:
            return [*alias.words.split(), *argv[length:]]
    return list(argv)


def new_parser(name: str, description: str, *, epilog: str = "", example: str = "") -> Parser:
    """Return a parser with the common options: `--repo`, `--json`, `--help` and those of `Display`."""
    epilog = "\n\n".join(part for part in (epilog.rstrip(), _example(example) if example else "") if part)
    parser = Parser(
        prog=f"muninn {name}",
        description=description,
        epilog=epilog or None,
        allow_abbrev=False,
        formatter_class=_Formatter,
    )
    _common(parser)
    return parser


def verb_parser(method: Method) -> Parser:
    """Return the parser of one verb."""
    parser = new_parser(method.words, method.summary, epilog=_epilog(method))
    _add_all(parser, method)
    return parser


def _epilog(method: Method) -> str:
    """Return an example of the verb, its aliases, and the aliases of other verbs that begin with its name."""
    lines = [_example(example(method))]
    single = [alias for alias in method.aliases if " " not in alias]
    if single:
        lines += ["", "aliases:", *(f"  muninn {alias}" for alias in single)]
    others = {alias: meant for alias, meant in ALIASES.items() if alias.split()[0] == method.verb}
    if others:
        lines += ["", "also:", *(f"  muninn {alias:<15} {meant.title}" for alias, meant in others.items())]
    return "\n".join(lines)


def _example(words: str) -> str:
    """Return an example for the help; an option begins a line where one line is too long."""
    if len(words) > 78:
        words = words.replace(" --", " \\\n    --", 1)
    return f"example:\n  {words}"


def example(method: Method) -> str:
    """Return a command line with the parameters of the catalogue's example."""
    words = ["muninn", *method.words.split()]
    options: list[str] = []
    for parameter in parameters(method):
        if parameter.name not in method.example:
            continue
        value = method.example[parameter.name]
        if isinstance(value, dict):
            values = [f"{name}={each if isinstance(each, str) else json.dumps(each)}" for name, each in value.items()]
        else:
            values = [str(each) for each in value] if isinstance(value, list) else [str(value)]
        if parameter.positional:
            words += [_quoted(each) for each in values]
        else:
            options += [word for each in values for word in (parameter.flags[0], _quoted(each))]
    return " ".join([*words, *options])


def _quoted(word: str) -> str:
    """Return a word as a person would write it in a shell: double quotes around an apostrophe."""
    return f'"{word}"' if "'" in word and not re.search(r'["$`\\!]', word) else shlex.quote(word)


def group_parser(family: str) -> Parser:
    """Return a parser that prints the help of a family of verbs."""
    verbs = [method for method in METHODS.values() if method.verb.startswith(f"{family}.")]
    width = max(len(method.words) for method in verbs) + len("  muninn  ")
    rows = "\n".join(
        textwrap.fill(
            method.summary,
            _columns(),
            initial_indent=f"  muninn {method.words}".ljust(width),
            subsequent_indent=" " * width,
        )
        for method in verbs
    )
    return new_parser(family, GROUPS[family], epilog=f"verbs:\n{rows}\n\n{_example(example(verbs[0]))}")


def lookup_words(words: Sequence[str]) -> Method:
    """Return the verb of a family's name and the word after it. Raises UsageError or UnknownVerb."""
    family, *rest = words
    known = [verb.partition(".")[2] for verb in METHODS if verb.startswith(f"{family}.")]
    if not rest:
        raise UsageError(f"`muninn {family}` needs a verb", hint=f"It is one of {', '.join(known)}.")
    method = METHODS.get(f"{family}.{rest[0]}")
    if method is None:
        near = nearest(rest[0], known)
        hint = f"Did you mean `muninn {family} {near}`?" if near else f"The verbs are {', '.join(known)}."
        raise UnknownVerb(f"there is no verb '{family} {rest[0]}'", hint=hint)
    return method


def whole_parser(commands: Mapping[str, str], choices: Mapping[str, Sequence[str]]) -> Parser:
    """Return one parser of the whole command line, for shell completion.

    `commands` are the commands besides the verbs with their summaries, `choices` the arguments that some take.
    """
    parser = Parser(prog="muninn", description="The memory of a repository, kept in the repository.")
    _common(parser)
    parser.add_argument("--version", "-V", action="store_true", help="show the version")
    words = parser.add_subparsers(dest="word")
    families = {}
    for family, summary in GROUPS.items():
        inner = words.add_parser(family, help=summary, description=summary)
        _common(inner)
        families[family] = inner.add_subparsers(dest="word")
    for method in METHODS.values():
        family, dot, verb = method.verb.rpartition(".")
        among = families[family] if dot else words
        sub = among.add_parser(verb, help=method.summary, description=method.summary)
        _common(sub)
        _add_all(sub, method)
    for word, summary in commands.items():
        sub = words.add_parser(word, help=summary, description=summary)
        _common(sub)
        if word in choices:
            sub.add_argument("what", choices=tuple(choices[word]))
    return parser


def to_params(method: Method, options: argparse.Namespace) -> dict[str, Any]:
    """Return the parameters that were given, as plain data for the call. Raises UsageError for a key given twice."""
    params: dict[str, Any] = {}
    for parameter in parameters(method):
        value = getattr(options, parameter.name, None)
        if value is None or value == []:  # a positional argument of several words without any
            continue
        params[parameter.name] = _table(value, parameter.name) if parameter.shape in ("table", "labels") else value
    return params


def _table(pairs: list[tuple[str, Any]], name: str) -> dict[str, Any]:
    table = dict(pairs)
    if len(table) < len(pairs):
        twice = next(key for at, (key, _) in enumerate(pairs) if key in dict(pairs[:at]))
        option = f"--{name.replace('_', '-')}"
        raise UsageError(f"{option}: '{twice}' is given twice", hint=f"A list is one value: {option} '{twice}=[1, 2]'.")
    return table


def _columns() -> int:
    return min(100, shutil.get_terminal_size().columns)


class _Formatter(argparse.HelpFormatter):
    def __init__(self, prog: str) -> None:
        super().__init__(prog, max_help_position=30, width=_columns())

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        """Keep the line breaks of a text that has any."""
        return text if "\n" in text else super()._fill_text(text, width, indent)


def _common(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--repo", metavar="DIR", default=".", help="a folder of the repository (default: current)")
    parser.add_argument("--json", action="store_true", help="print the result as JSON")
    parser.add_argument("-q", "--quiet", action="store_true", help="leave out hints and the state of the index")
    parser.add_argument("-v", "--verbose", action="store_true", help="print ids, times and texts in full")
    parser.add_argument("--color", choices=COLORS, default="auto", help="when to use colour (default: auto)")
    parser.add_argument("--no-pager", dest="pager", action="store_false", help="print long output without a pager")


def _add_all(parser: argparse.ArgumentParser, method: Method) -> None:
    for parameter in parameters(method):
        _add(parser, parameter, method.bare.get(parameter.name))
    for option in EXTRA.get(method.verb, ()):
        parser.add_argument(option, **EXTRA[method.verb][option])


_DIAGRAM: dict[str, Any] = {
    "choices": ("text", "mermaid", "dot"),
    "default": "text",
    "help": "print a list, a Mermaid diagram or a graph for Graphviz (default: text)",
}

EXTRA: dict[str, dict[str, dict[str, Any]]] = {
    "recall": {
        "--queries": {
            "metavar": "FILE.jsonl",
            "help": "answer each {id, query} line of a file ('-' for stdin) with a line of JSON",
        },
        "--why": {"action": "store_true", "help": "show the signals that make up each score"},
    },
    "status": {"--watch": {"action": "store_true", "help": "print it again after each change, until Ctrl-C"}},
    "links": {"--format": _DIAGRAM},
    "graph": {"--format": _DIAGRAM},
    "export": {
        "--out": {"metavar": "FILE", "help": "write the bundle to a file instead of stdout"},
        "--html": {"metavar": "FILE", "help": "write a page for browsers: --form html --out FILE"},
        "--obsidian": {"metavar": "DIR", "help": "write notes for Obsidian: --form obsidian --out DIR"},
    },
    **{
        method.verb: {"--yes": {"action": "store_true", "help": "erase without asking; scripts need it"}}
        for method in METHODS.values()
        if method.irreversible
    },
}
"""Options of the command line alone, by verb."""


def _add(parser: argparse.ArgumentParser, parameter: Parameter, bare: str | None) -> None:
    """Add a parameter. `bare` is the value of its option without an argument, None if the option needs one."""
    text = _help(parameter)
    if parameter.positional:
        # Optional for argparse: the text may come from --batch or --queries.
        options: dict[str, Any] = {"choices": parameter.choices} if parameter.choices else {}
        if parameter.shape in ("integer", "number"):
            options["type"] = _READERS[parameter.shape]
        many = parameter.shape == "texts"
        name = parameter.name.upper().removesuffix("S") if many else parameter.name.upper()
        parser.add_argument(parameter.name, nargs="*" if many else "?", metavar=name, help=text, **options)
        return
    kwargs: dict[str, Any] = {"dest": parameter.name, "help": text, "required": parameter.required, "default": None}
    shape = parameter.shape
    if shape == "switch":
        kwargs["action"] = argparse.BooleanOptionalAction if parameter.default else "store_true"
    elif shape == "choice":
        kwargs["choices"] = parameter.choices
        if _named(parameter):
            kwargs["metavar"] = parameter.flags[0].lstrip("-").upper()
    else:
        kwargs["metavar"] = _METAVAR.get(shape, parameter.flags[0].lstrip("-").upper())
        if bare is not None:
            kwargs |= {"nargs": "?", "const": bare}
        if shape in _READERS:
            kwargs["type"] = _READERS[shape]
        if shape in ("texts", "cites", "links", "table", "labels"):
            kwargs["action"] = "append"
    first, *others = parameter.flags
    short = [flag for flag in others if not flag.startswith("--")]
    parser.add_argument(*short, first, **kwargs)
    for other in set(others).difference(short):  # the catalogue's own name works as well, and is not listed
        parser.add_argument(other, **{**kwargs, "help": argparse.SUPPRESS})


def _named(parameter: Parameter) -> bool:
    """Return whether the usage shows a name instead of the choices, which the description then lists."""
    return bool(parameter.choices) and (parameter.positional or len("|".join(parameter.choices)) > 36)


def _help(parameter: Parameter) -> str:
    text = parameter.help.rstrip(".").replace("%", "%%")
    if parameter.shape in ("integer", "number", "choice") and parameter.default is not None:
        text += f" (default: {parameter.default})"
    if _named(parameter):
        text += f": {', '.join(parameter.choices)}"
    if parameter.shape in ("texts", "cites", "links", "table", "labels"):
        text += " (may be repeated)"
    return text


def read_cite(word: str) -> dict[str, Any]:
    """Read `PATH[:START[-END]]`. Raises ArgumentTypeError."""
    match = _CITE.fullmatch(word)
    if match is None:
        raise argparse.ArgumentTypeError(f"'{word}' is not PATH[:START[-END]], such as src/app.py:3-8")
    start = int(match["start"] or 0)
    end = int(match["end"] or start)
    if end < start:
        raise argparse.ArgumentTypeError(f"'{word}' ends before it starts")
    return {"path": match["path"], "start": start, "end": end}


def read_link(word: str) -> dict[str, Any]:
    """Read `RELATION:ID`. Raises ArgumentTypeError."""
    relation, colon, target = word.partition(":")
    if not (relation and colon and target):
        raise argparse.ArgumentTypeError(f"'{word}' is not RELATION:ID, such as supersedes:0198c5")
    return {"relation": relation, "target": target}


def read_label(word: str) -> tuple[str, str]:
    """Read `KEY=VALUE`. Raises ArgumentTypeError."""
    key, equals, text = word.partition("=")
    if not (key and equals):
        raise argparse.ArgumentTypeError(f"'{word}' is not KEY=VALUE, such as status=accepted")
    return key, text


def read_pair(word: str) -> tuple[str, Any]:
    """Read `KEY=VALUE`. A JSON value is decoded unless that would change it (`1.10` stays a string)."""
    key, text = read_label(word)
    try:
        value = json.loads(text, parse_constant=_no_json)
    except ValueError:
        return key, text
    if isinstance(value, (int, float)) and json.dumps(value) != text:
        return key, text
    return key, value


def _no_json(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is not JSON")


def suggest(word: str, commands: Iterable[str]) -> str:
    """Return the words to type instead of an unknown one, "" if there are none.

    Synonyms come first. Verbs that lose or stop something are never suggested for a misspelt word.
    """
    if word in _UNSAFE:
        return ""
    meant = next((method.words for method in METHODS.values() if word in method.synonyms), "")
    if meant or word in _COMMAND_SYNONYMS:
        return meant or _COMMAND_SYNONYMS[word]
    unsafe = {verb for verb, method in METHODS.items() if not method.suggested}
    known = [*(verb for verb in METHODS if "." not in verb), *ALIASES, *GROUPS, *commands]
    # A slip of the finger seldom changes the first letter: "bogus" is not "about".
    near = nearest(word, [each for each in known if each[:1] == word[:1]], NAMES) or nearest(word, known, OPEN)
    return near if near is not None and near not in unsafe else ""


def read_integer(word: str) -> int:
    """Read a whole number. Raises ArgumentTypeError."""
    try:
        return int(word)
    except ValueError:
        raise argparse.ArgumentTypeError(f"'{word}' is not a whole number") from None


def read_number(word: str) -> float:
    """Read a number. Raises ArgumentTypeError."""
    try:
        return float(word)
    except ValueError:
        raise argparse.ArgumentTypeError(f"'{word}' is not a number") from None


_READERS: dict[Shape, Any] = {
    "integer": read_integer,
    "number": read_number,
    "cites": read_cite,
    "links": read_link,
    "table": read_pair,
    "labels": read_label,
}
