"""A text as sentences, and a sentence as words: reasons, labels and short forms are set apart or written out."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from muninn_core.reconcile.language.quantity import split_units

_TOKEN = re.compile(
    r"\d{1,3}(?:,\d{3})+(?![\d,])"
    r"|\w+(?:[./:_+#-]+\w+)*(?:['’]\w+)?(?:\+\+|#)?%?"
    r"|-(?<![\w.-]-)(?:-?[A-Za-z][\w-]*\w|[A-Za-z]\b)(?!\w)"  # an option
    r"|\.(?<![\w.-]\.)[A-Za-z][\w.-]*\w(?!\w)"  # a hidden file
    r"|%|[,.;:!?()](?=\s|$|[\"'`)])|[()]"
)
_OWNERS = re.compile(r"(?<![\w'’])(\w+s)['’](?=\s+\w)")
_OWNER = "§of"
"""Stands for "'s"."""
_REASON = re.compile(
    r"[,\s](?:(?<=,)\s+(?:(?:because|so that|otherwise|in order to)\b"
    r"|which\b(?![^,]*,\s+(?:and\s+\w+ing\b|(?!and|or|but|so|because|since|which)\w))"
    r"|(?:since|as|so|to|for|due to|after an? (?=[^.]*\bonce\b))\b)"
    r"|(?<=\s)(?:\s*(?:because|so that|otherwise|in order to)\b"
    r"|(?=\s*(?:due to|owing to)\b)(?<!\bis\s)(?<!\bare\s)(?<!\bwas\s)(?<!\bwere\s)\s*(?:due to|owing to)\b"
    r"|\s*since\s+(?=\w+(?:\s+\w+){2})(?![A-Z]|\d)"
    r"|(?=\s*to (?:keep|avoid|prevent|make sure|save|leave|ensure|reduce|stay|simplify)\b)"
    r"(?<!\bhas\s)(?<!\bhave\s)(?<!\bhad\s)(?<!\bneed\s)(?<!\bneeds\s)\s*to ))",
    re.I,
)
"""Begins with one set of characters, which a search looks for first: that takes an eighth of the time."""
_DOING = re.compile(r"\b(?:is|are) (?:not )?(?:\w+ly )?\w+ing\b", re.I)
_DESCRIBING = re.compile(r",\s+which (?:is|are)\b", re.I)
"""Behind what something is doing, this tells which thing is meant: "is polling a queue, which is empty"."""
_SENTENCE = re.compile(r"[\s:](?:(?<=[.!?;]\s)\s*|(?<=\n)\n*|(?<=:)\s+(?=[a-z]{3,} \w+ \w))")
"""Between two sentences: blanks behind a mark, line breaks, or a colon before a clause. It begins like `_REASON`."""
_LABEL = re.compile(
    r"^(?:note|decision|decided|rule|convention|constraint|fact|warning|important|reminder|gotcha|tip|caveat|preference"
    r"|insight|fyi|nb|lesson|learned|remember):\s+(?=\w)",
    re.I,
)
_FORBIDDEN = re.compile(
    r"^(?:never|do not|don['’]t) (?P<turned>[a-z]+ [^;,.:]+?)(?:[;.,]| -)\s+(?:instead,? |please |but |always )?"
    r"(?P<kept>(?:use|call|run|prefer|write|put|set|make|pass|import|return|raise|throw|keep|store|add|wrap|create)"
    r" [^;.,]+?)"
    r"(?:,? instead)?\.?$",
    re.I,
)
_ENDED_SUPPORT = re.compile(
    r"\bsupport for ((?:[^.,;]|\.(?=\d)){1,100}?) (?:is|was|has been|got)"
    r" (?:removed|dropped|gone|discontinued|ended)\b",
    re.I,
)
_SHORTENED = re.compile(r"\b(it|that|there|here|what|we|they|you|i)['’](s|ve|re|ll|m)\b", re.I)
_FULL = {"s": "is", "ve": "have", "re": "are", "ll": "will", "m": "am"}
_JOINED = frozenset(("re", "non", "un"))
"""Prefixes with a hyphen."""


MOST_WORDS = 100
"""The most words of a sentence, with blanks between. Longer ones are lists or tables, and are read in pieces: the time
of reading one grows with the square of its length.
"""

_SHORT_CHARS = 2 * MOST_WORDS - 1
"""Characters up to which a sentence can't have more words."""
_STRETCH = re.compile(rf"(?:\S+\s*){{1,{MOST_WORDS}}}")


@lru_cache(maxsize=20_000)
def sentences(text: str) -> tuple[str, ...]:
    """Return the sentences of a text, split at full stops, semicolons and line breaks, and behind `MOST_WORDS`."""
    text = _with_alternative(_LABEL.sub("", text.strip()))
    if not text.isascii() or "support for " in text.lower():
        text = _ENDED_SUPPORT.sub(r"\1 is not supported", text)
    return tuple(piece for part in _SENTENCE.split(text) if part for piece in _stretches(part))


def _stretches(sentence: str) -> Sequence[str]:
    return [sentence] if len(sentence) <= _SHORT_CHARS else _STRETCH.findall(sentence)


def _with_alternative(text: str) -> str:
    """Return "Do not use A; use B" as "use B instead of A"."""
    found = _FORBIDDEN.match(text)
    if found is None:
        return text
    turned, kept = found["turned"], found["kept"]
    verb, _, rest = turned.partition(" ")
    if verb == kept.partition(" ")[0].lower():
        return f"{kept} instead of {rest}"
    return f"{kept} rather than {turned}"


def without_reasons(text: str) -> str:
    """Return a text without its reasons: "because ...", "so that ..."."""
    return "\n".join(split_reason(sentence)[0] for sentence in sentences(text))


@lru_cache(maxsize=20_000)
def split_reason(sentence: str) -> tuple[str, str]:
    """Return a sentence without its reason, and the reason, "" where it has none."""
    found = _REASON.search(sentence)
    if found is None or len(sentence[: found.start()].split()) < 3:
        return sentence, ""
    if _DESCRIBING.match(sentence[found.start() :]) and _DOING.search(sentence[: found.start()]):
        return sentence, ""
    return sentence[: found.start()], sentence[found.end() :]


def tokens_of(text: str) -> list[str]:
    """Return the words, numbers and punctuation marks of a sentence, and a mark for each "'s"."""
    if "'" in text or "’" in text:
        text = _SHORTENED.sub(lambda found: f"{found[1]} {_FULL[found[2].lower()]}", text)
        text = _OWNERS.sub(r"\1's", text)
    text = text.replace("`", " ").replace("=", " = ").replace("“", " ").replace("”", " ")
    return [piece for token in _TOKEN.findall(text) for piece in _pieces(token)]


@lru_cache(maxsize=20_000)
def _pieces(token: str) -> tuple[str, ...]:
    """Return what a token is read as: "worker's" as "worker" and a mark, "30s" as "30" and "s"."""
    plain = token.removesuffix("'s").removesuffix("’s")
    owner = (_OWNER,) if plain != token else ()
    if plain[0] in "-.":
        pieces = [plain]
    elif plain.endswith("%") and len(plain) > 1:
        pieces = [plain[:-1], "%"]
    elif "-" in plain and not re.search(r"[_./:\d]", plain):
        pieces = [piece for piece in plain.split("-") if piece]
        if len(pieces) == 2 and pieces[0].lower() in _JOINED:
            pieces = ["".join(pieces)]
    else:
        pieces = split_units(plain)
    return (*pieces, *owner)
