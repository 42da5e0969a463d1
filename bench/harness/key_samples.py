"""Samples of keys from the rules of gitleaks: texts that match a rule's expression, with names as code writes them.

`python -m bench masking --rules gitleaks.toml` masks them and prints the formats of which some sample stays.
"""

from __future__ import annotations

import math
import random
import re
import string
import tomllib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

_NAMED = r"(?:[ \t\w.-]{0,20})"
"""What follows the issuer's name in a rule whose key stands beside it."""

_ISSUER = re.compile(r"\(\?:((?:[^()]|\((?:[^()]|\([^()]*\))*\))+)\)$")
_BEFORE_KEY = "[`'\"\\s=]{0,5}"

_NAMES = ("_TOKEN", "_API_KEY", "_SECRET", ".api.key", "_client_secret", "Key", "-access-token")
_ASSIGNMENTS = ('{} = "{}"', "{}={}", '{}: "{}"', '"{}": "{}"', "{} := `{}`", "{} => '{}'")
_CHARACTERS = string.ascii_letters + string.digits + string.punctuation + " "
_ENDS = ("[`'\"\\s;]", "\\\\[nr]")
_MOST_REPETITIONS = 40
"""Of a repetition without a limit."""

_SHORTEST = 8


class Rule(NamedTuple):
    """A rule of gitleaks: `entropy` is the least that a key has, in bits for each character; `group` is the key's."""

    name: str
    expression: str
    entropy: float
    group: int


def read_rules(path: Path) -> list[Rule]:
    """Return the rules that have an expression for content, not for a path alone."""
    rules = tomllib.loads(path.read_text())["rules"]
    return [
        Rule(rule["id"], rule["regex"], rule.get("entropy", 0.0), rule.get("secretGroup", 0))
        for rule in rules
        if "regex" in rule
    ]


def samples(rule: Rule, count: int) -> list[tuple[str, str]]:
    """Return texts that the rule reports, each with its key. There are fewer where the expression resists sampling."""
    chance = random.Random(rule.name)
    expression = re.compile(_in_python(rule.expression))
    found: list[tuple[str, str]] = []
    for _ in range(count * 20):
        text = _text(rule, chance)
        match = expression.search(text)
        key = _key(match, rule) if match else ""
        if key and _entropy(key) >= rule.entropy:
            found.append((text, key))
        if len(found) == count:
            break
    return found


def _key(match: re.Match[str], rule: Rule) -> str:
    """Return the key in a match. A group with a name, or with a small part of the match, tells something else."""
    if rule.group:
        return match[rule.group] or ""
    key = "" if match.re.groupindex else next(filter(None, match.groups()), "")
    return key if len(key) >= _SHORTEST else match[0]


def _text(rule: Rule, chance: random.Random) -> str:
    """Return one text, which may not match: anchors and the ends of words are not followed."""
    source = _in_python(rule.expression)
    if _NAMED not in source:
        return "see " + _sample(re._parser.parse(source), chance) + " \n"  # type: ignore[attr-defined]
    before, _, rest = source.partition(_NAMED)
    issuer = _ISSUER.search(before)
    assert issuer, rule.expression
    name = _sample(re._parser.parse(issuer[1]), chance)  # type: ignore[attr-defined]
    value = _sample(re._parser.parse(_without_end(rest.partition(_BEFORE_KEY)[2])), chance)  # type: ignore[attr-defined]
    assignment = "{} = {}" if value.startswith('"') else chance.choice(_ASSIGNMENTS)
    return assignment.format(name + chance.choice(_NAMES), value) + "\n"


def _without_end(key: str) -> str:
    """Return the expression of a key without that of what ends it."""
    for end in _ENDS:
        at = key.find(f"(?:{end}")
        if at > 0:
            return key[:at]
    return key


def _in_python(expression: str) -> str:
    """Translate what Go writes otherwise: flags within an expression, absolute ends and classes of POSIX."""
    expression = expression.replace("\\z", "\\Z").replace("[[:alnum:]]", "[A-Za-z0-9]")
    expression = expression.replace("[:alnum:]", "A-Za-z0-9").replace("\\x60", "`")
    folded = "(?i)" in expression
    return ("(?i)" if folded else "") + re.sub(r"\(\?-?[is]\)", "", expression)


_SOLID = re._parser.parse("[A-Za-z0-9]")  # type: ignore[attr-defined]
"""What stands for any character in a key."""


def _sample(parsed: Any, chance: random.Random) -> str:
    return "".join(_piece(str(op), value, chance) for op, value in parsed)


def _piece(op: str, value: Any, chance: random.Random) -> str:
    match op:
        case "LITERAL":
            return chr(value)
        case "NOT_LITERAL":
            return chance.choice([c for c in _CHARACTERS if c != chr(value)])
        case "ANY":
            return "."  # as a rule that forgets to escape it means
        case "IN":
            return chance.choice(_members(value))
        case "BRANCH":
            return _sample(chance.choice(value[1]), chance)
        case "SUBPATTERN":
            return _sample(value[3], chance)
        case "MAX_REPEAT" | "MIN_REPEAT" | "POSSESSIVE_REPEAT":
            least, most, inner = value
            if _is_filler(inner) and least < _SHORTEST:
                return " " * max(least, min(int(most), 1) if _is_blank(inner) else 0)
            bounded = int(most) <= 2 * _MOST_REPETITIONS
            number = chance.randint(least, int(most) if bounded else max(least, _MOST_REPETITIONS))
            inner = _SOLID if str(inner[0][0]) == "ANY" else inner
            return "".join(_sample(inner, chance) for _ in range(number))
        case _:
            return ""


def _is_filler(inner: Any) -> bool:
    """Whether a repetition is of blanks, or of any character: as little as possible stands there."""
    op, value = inner[0]
    if str(op) == "SUBPATTERN":
        return _is_filler(value[3])
    return len(inner) == 1 and (str(op) == "ANY" or _is_blank(inner))


def _is_blank(inner: Any) -> bool:
    op, value = inner[0]
    return str(op) == "IN" and not "".join(_members(value)).strip()


def _members(items: Any) -> list[str]:
    found = set()
    negated = str(items[0][0]) == "NEGATE"
    for op, value in items:
        match str(op):
            case "LITERAL":
                found.add(chr(value))
            case "RANGE":
                found |= {chr(code) for code in range(value[0], min(value[1], 126) + 1)}
            case "CATEGORY":
                found |= set(_category(str(value)))
    kept = set(_CHARACTERS) - found if negated else found
    return sorted(kept - set("\r\n") or kept)  # a key has no line break unless its rule asks for one


def _category(name: str) -> Iterator[str]:
    kinds = {"WORD": r"\w", "DIGIT": r"\d", "SPACE": " "}
    kind = kinds[name.rsplit("_", 1)[1]]
    return (c for c in _CHARACTERS if (re.match(kind, c) is None) == ("NOT" in name))


def _entropy(text: str) -> float:
    counts = Counter(text).values()
    return -sum(count / len(text) * math.log2(count / len(text)) for count in counts)
