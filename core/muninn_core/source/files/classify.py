"""Classifies a file by its path alone: kind, language, and traits such as test, vendored or generated."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from muninn_core.model.chunk import SourceKind

Trait = Literal["test", "vendored", "generated", "declared", "docs", "example"]

LANGUAGES: dict[str, str] = {
    suffix: language
    for language, suffixes in {
        "python": "py pyi pyx pyw",
        "javascript": "js mjs cjs jsx",
        "typescript": "ts mts cts tsx",
        "vue": "vue",
        "svelte": "svelte",
        "go": "go",
        "rust": "rs",
        "java": "java",
        "kotlin": "kt kts",
        "scala": "scala sc",
        "groovy": "groovy gradle",
        "swift": "swift",
        "c": "c h",
        "cpp": "cc cpp cxx hpp hh hxx ipp",
        "objective-c": "m mm",
        "csharp": "cs",
        "fsharp": "fs",
        "php": "php",
        "ruby": "rb rake gemspec",
        "perl": "pl pm",
        "lua": "lua",
        "dart": "dart",
        "elixir": "ex exs",
        "erlang": "erl hrl",
        "haskell": "hs",
        "ocaml": "ml mli",
        "clojure": "clj cljs cljc",
        "julia": "jl",
        "r": "r",
        "zig": "zig",
        "nim": "nim",
        "shell": "sh bash zsh fish",
        "powershell": "ps1 psm1",
        "sql": "sql",
        "html": "html htm",
        "css": "css scss sass less",
        "xml": "xml",
        "json": "json jsonc json5",
        "yaml": "yaml yml",
        "toml": "toml",
        "ini": "ini cfg conf",
        "protobuf": "proto",
        "graphql": "graphql gql",
        "terraform": "tf hcl",
        "nix": "nix",
        "vim": "vim",
        "make": "mk",
        "cmake": "cmake",
        "markdown": "md markdown mdx mdc",
        "rst": "rst",
        "asciidoc": "adoc asciidoc",
        "org": "org",
    }.items()
    for suffix in suffixes.split()
}
"""Language by file suffix (lower case, without the dot)."""

PROSE: frozenset[str] = frozenset({"markdown", "rst", "asciidoc", "org", "prose"})
"""The languages that are chunked by headings. `prose` is plain text for people."""

_FAMILIES = (
    {"javascript", "typescript"},
    {"c", "cpp", "objective-c"},
    {"java", "kotlin"},
)
"""Languages between whose files code moves."""

_LANGUAGE_BY_NAME = {
    "makefile": "make",
    "gnumakefile": "make",
    "dockerfile": "docker",
    "containerfile": "docker",
    "jenkinsfile": "groovy",
    "rakefile": "ruby",
    "gemfile": "ruby",
    "cmakelists.txt": "cmake",
    ".cursorrules": "markdown",
    ".windsurfrules": "markdown",
    ".clinerules": "markdown",
    ".roorules": "markdown",
}
_PROSE_NAME = re.compile(r"(?i)^(readme|changelog|changes|contributing|architecture|hacking|notes|news|authors)$")
_LIST_FILES = re.compile(r"(?i)^(requirements|constraints)[\w.-]*\.txt$|^(robots|humans|llms|version|manifest)\.txt$")

_TEST = re.compile(
    r"(?i)(^|/)(tests?|testing|testdata|test[-_]\w+|__tests__|__mocks__|specs?|fixtures|e2e|regress|\w+[-_]tests?)/"
    r"|(^|/)(test_[^/]*|conftest\.py|tests\.py|[^/]*([._-](unit)?tests?|[._-]spec)\.\w+|[^/]*\.(bats|t))$"
    r"|^tests?\.\w+$"
)
# Production code that helps other people's tests: lib/app/testing/, app/test_utils.py, lib/app/test_case.rb.
_HELPS_TESTS = re.compile(
    r"(^|/)(lib|src|pkg)/(.*/)?testing/(?!.*(test_|[._-]test|[._-]spec))"
    r"|(^|/)test[-_](utils?|helpers?|tools?|case|client|server|support|fixtures?|doubles?|kit)\.\w+$"
)
_AMONG_TESTS = re.compile(r"(^|/)(tests?|specs?|__tests__|e2e|fixtures|testdata|\w+[-_]tests?)/")
# FooTest.java, src/androidTest/, Foo.Tests.Performance/, FooTests/
_TEST_CAMEL = re.compile(r"(^|/)[^/]*[a-z0-9]Tests?\.\w+$|(^|/)src/[a-z]+Test/|(^|/)[^/]*[a-z0-9.]Tests?(\.[^/]*)?/")
_VENDORED = re.compile(
    r"(?i)(^|/)(vendor|vendored|_vendor|third[-_]?party|node_modules|bower_components|site-packages|extern(al)?|deps)/"
)
_GENERATED = re.compile(
    r"(?i)(^|/)(generated|__generated__|autogen|gen|dist|single_include)/"
    r"|(_pb2(_grpc)?\.pyi?|\.pb\.(go|cc|h)|\.g\.(dart|cs)|\.generated\.\w+|_generated\.\w+|\.designer\.cs|\.snap)$"
    r"|(^|/)zz_generated[^/]*$|\.min\.\w+$|[._-](bundle|amalgamated|amalgamation)\.\w+$"
)
_DECLARATIONS = re.compile(r"\.d\.[mc]?ts$")
_DOCS = re.compile(r"(?i)(^|/)(docs?|documentation|website)/")
_EXAMPLE = re.compile(r"(?i)(^|/)(examples?|samples?|demos?|tutorials?)/")


@lru_cache(maxsize=20_000)
def classify(path: str) -> tuple[SourceKind, str]:
    """Return (kind, language) of a POSIX path relative to the root.

    Knowledge is text for people: `.muninn/knowledge`, packs, Metis documents, agents' instructions, ADRs, docs and
    READMEs. Everything else is code, configuration and data included.
    """
    language = language_of(path)
    return ("knowledge" if language in PROSE else "code"), language


@lru_cache(maxsize=8_192)
def language_of(path: str) -> str:
    """Return the language of a path in lower case, "text" when it is unknown."""
    name = path.rpartition("/")[2]
    lower = name.lower()
    if lower in _LANGUAGE_BY_NAME:
        return _LANGUAGE_BY_NAME[lower]
    if _PROSE_NAME.match(name):
        return "prose"
    suffix = lower.rpartition(".")[2] if "." in lower else ""
    if suffix == "txt":
        return "text" if _LIST_FILES.match(name) else "prose"
    if lower.startswith("dockerfile."):
        return "docker"
    return LANGUAGES.get(suffix, "text")


@lru_cache(maxsize=256)
def suffixes_of_family(suffix: str) -> tuple[str, ...]:
    """Return the suffixes, with dots, of the files to which code of a file with a suffix can move.

    They are those of its language and of related ones: `.js` and `.ts`. An unknown suffix is the only one.
    """
    language = LANGUAGES.get(suffix.removeprefix(".").lower())
    if language is None:
        return (suffix,)
    family = next((one for one in _FAMILIES if language in one), {language})
    return tuple(sorted({suffix, *(f".{other}" for other, of in LANGUAGES.items() if of in family)}))


@lru_cache(maxsize=20_000)
def path_traits(path: str) -> frozenset[Trait]:
    """Return the traits of a path that ranking uses; for example, tests rank lower.

    An absolute path is outside the work tree and has none.
    """
    found: set[Trait] = set()
    if path.startswith("/") or path[1:3] == ":/":
        return frozenset()
    helps = _HELPS_TESTS.search(path) and not _AMONG_TESTS.search(path)
    if (_TEST.search(path) and not helps) or _TEST_CAMEL.search(path):
        found.add("test")
    if _VENDORED.search(path):
        found.add("vendored")
    if _GENERATED.search(path):
        found.add("generated")
    if _DECLARATIONS.search(path):
        found.add("declared")
    if _DOCS.search(path):
        found.add("docs")
    if _EXAMPLE.search(path):
        found.add("example")
    return frozenset(found)
