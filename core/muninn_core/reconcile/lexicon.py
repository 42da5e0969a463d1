"""The English words that the comparison rules use, and the stems of words."""

from __future__ import annotations

import re
from functools import lru_cache


@lru_cache(maxsize=20_000)
def stem(word: str) -> str:
    """Remove an English ending: use, uses, used and using get one form."""
    if len(word) < 3 or not word.isascii() or not word.isalpha():
        return word
    for ending, put in (("ies", "y"), ("ing", ""), ("ed", "")):
        rest = word.removesuffix(ending)
        if rest != word and len(rest) >= 2 and re.search("[aeiouy]", rest):
            return _tidy(rest + put)
    if word.endswith("s") and not word.endswith(("ss", "us", "is")):
        word = word[:-1]
    return _tidy(word)


def _tidy(stem: str) -> str:
    if len(stem) > 3 and stem[-1] == stem[-2] and stem[-1] not in "ls":
        stem = stem[:-1]
    return stem.removesuffix("e") if len(stem) > 2 else stem


def _words(words: str) -> frozenset[str]:
    return frozenset(words.split())


def _stems(words: str) -> frozenset[str]:
    return frozenset(map(stem, words.split()))


def _to_first(*groups: str) -> dict[str, str]:
    stems = ([stem(word) for word in group.split()] for group in groups)
    return {word: first for first, *others in stems for word in others}


ORDERING = _words("over than before after instead by rather against until unless above below under because so hence")
"""Words that make the order of the other words significant."""

COMPARING = _words("over than before after instead rather above below under")
"""Ordering words whose sides, when swapped, state the opposite."""

LEADING = _words("in on at from to into with by as for is are was were be per of via")
"""Words that tell the role of the next word."""

REVERSED = frozenset({("before", "after"), ("over", "below"), ("above", "below")})
"""Pairs of ordering words with opposite meaning, each in one direction."""

STOP = ORDERING | _words(
    "a an the this that these those it its is are was were be been being do does did has have had will would shall "
    "should must can could may might need needs and or but so as of to in on at by with from for into onto there here "
    "i we you they our your their us them which who what when where while than then also just very always "
    "please all any each both via per about if every now once us currently simply"
)
NEGATIONS = _words("not no never cannot without neither nor nobody none off")
SCOPES = _words("for when if during in on at under within of")
CLAIMING = _words("is are was be must should has have may can")
PERMITTING = _words("may can could might")
"""Words of permission. A permitted thing is not the same as a fact."""

TOWARDS, AWAY = _words("to into"), _words("from")
PLACES = _stems("store live run deploy locate write define host place listen cache persist save keep hold hash sign")
SOURCES = _stems("come read cut load fetch serve take deploy build release go send write publish")
"""Verbs with a single place, source or target: a thing stored here is not stored there."""

ADDITIVE = _stems(
    "require need demand call import include contain support depend allow forbid disallow deny return log limit "
    "accept send export test check add name adopt reject cover mention pass"
)
"""Verbs that can have several objects at once. A second object does not contradict the first."""

RUNTIMES = _stems("node python java go ruby rust php postgres mysql redis kubernetes django rails react vue angular")
"""Products with one version in one place. A figure behind them is a claim, not a name."""

KINDRED: tuple[frozenset[str], ...] = (
    _stems("postgres mysql sqlite mariadb oracle mongodb dynamodb cassandra"),
    _stems("npm yarn pnpm bun"),
    _stems("bazel gradle maven turborepo nx make cmake"),
    _stems("json yaml toml xml"),
    _stems("grpc rest graphql soap"),
    _stems("tab space"),
    _stems("cursor offset"),
    _stems("day night week month quarter year hour minute daily weekly monthly nightly hourly"),
    _stems("uuid integer string bigint text sequence decimal float cent"),
    _stems("merge squash rebase"),
    _stems("path header query body cookie localstorage"),
    _stems("browser server client edge"),
    _stems("debian alpine ubuntu distroless"),
    _stems("none null nil exception error valueerror keyerror typeerror"),
)
"""Sets of exclusive values. Two values of one set in the same place contradict each other."""
CLAIM_VERBS = _stems(
    "use set require prefer want store run live deploy call return depend support allow default equal become take "
    "contain expect write read listen locate host enable throw raise accept send inherit extend implement follow pick "
    "limit cap build format start retry expire go come hash sign cache hold encode scale last validate paginate"
)
_NAMED = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
NUMERALS = {name: str(number) for number, name in enumerate(_NAMED)}
SAME = _to_first(
    "use rely employ utilise utilize leverage adopt",
    "store save keep kept persist hold held",
    "run execute ran",
    "start launch begin",
    "build built",
    "send emit sent",
    "write written wrote",
    "prefer favour favor choose chosen",
    "require demand mandatory",
    "remove delete drop",
    "repair fix",
    "allow permit",
    "synchronous sync",
    "database db",
    "configuration config settings",
    "authentication auth",
    "environment env",
    "directory dir folder",
    "repository repo",
    "function func",
    "parameter param",
    "argument arg",
    "documentation docs",
    "percent %",
    "maximum max most",
    "minimum min least",
    "try tried attempt",
    "give given gave",
    "take taken took",
    "expire expiry",
    "choose chosen chose",
    "respond answer repl",
    "change modify alter",
    "commit committed",
)
"""Synonyms of the first word of their line."""

OPPOSITES = _to_first(
    "enable disable",
    "allow disallow forbid forbidden deny prohibit",
    "include exclude",
    "use avoid",
    "require optional",
    "synchronous async asynchronous",
    "true false",
    "safe unsafe",
    "secure insecure",
    "immutable mutable",
    "public private",
    "accept reject",
    "succeed fail",
    "valid invalid",
    "stateful stateless",
    "follow ignore",
    "plural singular",
    "bounded unbounded",
    "parallel sequential serial",
    "online offline",
    "sorted unsorted",
    "signed unsigned",
    "encrypted unencrypted",
    "reversible irreversible",
    "manual automatic",
    "blocking nonblocking",
    "available unavailable",
    "supported unsupported",
)
"""Opposites of the first word of their line."""

ALIKE = {"since": "because", "therefore": "so", "hence": "so", "under": "below"}
"""Ordering words with the meaning of another one."""

BEING = _words("is are was were be been")

_TIMES = {"millisecond ms": 1, "second seconds s sec secs": 1000, "minute minutes min mins": 60_000}
_TIMES |= {"hour hours h hr hrs": 3_600_000, "day days d": 86_400_000, "week weeks": 604_800_000}
_SIZES = {
    "byte bytes": 1,
    "kb kilobyte kilobytes": 10**3,
    "mb megabyte megabytes": 10**6,
    "gb gigabyte gigabytes": 10**9,
}
UNITS = {
    name: (factor, base)
    for base, table in (("ms", _TIMES), ("byte", _SIZES))
    for names, factor in table.items()
    for name in (*names.split(), *(f"{one}s" for one in names.split() if base == "ms" and one == "millisecond"))
}
"""Factor and common unit by the name of a unit."""
