"""Finds what a conversation states that is worth keeping: decisions, rules, causes, failed attempts, facts.

Every sentence is weighed by the classifier (`statement_model`), which knows the message before it. A statement that
does not stand alone carries the words it answers as its context, or is left out when there are none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from muninn_core.capture.statements.answered_question import answered_question
from muninn_core.capture.statements.conversation import (
    CONTEXT_MESSAGES,
    MAX_CHARACTERS,
    SECRET,
    Message,
    is_prose,
    sentences_of,
)
from muninn_core.capture.statements.open_items import states_open_items
from muninn_core.capture.statements.statement_cues import CUES, Setting, read_cues
from muninn_core.capture.statements.statement_model import StatementType, Weights, judge, probability, shipped_weights
from muninn_core.model.value import Value, replace


class Statement(Value):
    """What was stated: its type, its sentences, the words it refers to, and why it is kept.

    `question` is the question of the conversation that it answers, "" for none. `probability` is the classifier's.
    `message` is the number of the message. `reversed_by` is the number of the later message that takes the statement
    back, None when it holds.
    """

    type: StatementType
    sentence: str
    context: str
    probability: float
    reasons: tuple[str, ...]
    message: int
    question: str = ""
    reversed_by: int | None = None

    @property
    def text(self) -> str:
        """The text of its memory: the sentences, and the context on a line of its own."""
        return f"{self.sentence}\nContext: {self.context}" if self.context else self.sentence


class _Candidate(Value):
    """A sentence that the classifier weighed, by its place in its message."""

    at: int
    text: str
    probability: float
    type: StatementType
    reasons: tuple[str, ...]


THRESHOLD = 0.6
"""The least probability of a statement: precision .88 at recall .71 in cross-validation (docs/memory-quality.md)."""

CONTEXT_CHARACTERS = 220
"""How much is quoted as context."""

WITHIN = 8
"""The number of messages within which a statement can be taken back."""

SHORT = 9
"""A sentence of fewer words needs its context."""

_REFERS = re.compile(
    r"(?i)^\W*(?:ok|okay|yes|yep|no|so|then|and|but|also|agreed|exactly|right)\b"
    r"|\b(?:it|its|that(?!\s+(?:the|an?|we|our|every|each|all|any|no)\b)|this|they|them|their|those|these|there|ones?"
    r"|same|both|here|the (?:other|first|second)|then|such)\b"
)
_REASON = re.compile(r"(?i),? (?:because|since|so that|otherwise)\b")
_ORDINAL = re.compile(
    r"(?i)\b(?:the )?(first|second|third|fourth|last|latter|former)(?: (?:one|option|variant|way))?\b"
)
_PLACES = {"first": 0, "former": 0, "second": 1, "third": 2, "fourth": 3, "last": -1, "latter": -1}
_CHOICE_ONLY = re.compile(
    r"(?i)^\W*(?:(?:ok|okay|yes|so|then|let['’]?s|lets|we|i['’]?d|go(?:ing)?|take|do|with|for|use|please|pls|the"
    r"|i|want)\W+)*"
    r"(?:first|second|third|fourth|last|latter|former)(?: (?:one|option|variant|way))?(?: (?:please|pls|then))?\b"
)
_OPTION = re.compile(r"\s*(?:^|[,;.]\s+|\s)(?:or\s+)?(?:\d[.)]|\([a-d1-9]\)|option [a-d1-9]:?)\s+", re.IGNORECASE)
_REVERSAL = re.compile(
    r"(?i)\b(?:no,? wait|wait,? no|scratch that|hold on|stop,? stop|on second thoughts?|actually,? no|i was wrong"
    r"|i forgot"
    r"|forget (?:it|that)|take (?:it|that) back|changed my mind|never ?mind|sorry,? (?:no|i was)|ehm? no|back to"
    r"|undo that"
    r"|talked (?:with|to) \w+ again|instead after all)\b|^(?:hm+|oh|no|oops|damn|sorry)\b.{0,40}\b(?:wait|no)\b"
)
_LEADING = re.compile(
    r"(?i)^(?:(?:ok(?:ay)?|yes|yep|yeah|right|exactly|hm+|ah|oh|great|good|nice|cool|perfect|thanks|thx|no wait"
    r"|wait|argh"
    r"|of course|and|also|btw|by the way|one more(?: thing)?|oh and|careful)\b[,.!:]*\s+)+(?=\w+\W+\w+\W+\w+)"
)
_WORD = re.compile(r"[^\W\d_]{4,}|\d+")


def find_statements(
    messages: Sequence[Message], *, skipped: int = 0, weights: Weights | None = None, threshold: float = THRESHOLD
) -> list[Statement]:
    """Return the statements of the messages, in order. `skipped` messages of the conversation come before them.

    A statement that a later message takes back has `reversed_by`; a caller keeps the later one only.
    """
    weights = shipped_weights() if weights is None else weights
    found = [
        statement
        for number in range(len(messages))
        for statement in _statements(messages, number, skipped, weights, threshold)
    ]
    return [_with_reversal(statement, found, messages) for statement in found]


def _statements(
    messages: Sequence[Message], number: int, skipped: int, weights: Weights, threshold: float
) -> Iterator[Statement]:
    sentences = sentences_of(messages[number])
    found = list(_candidates(messages, number, sentences, skipped, weights, threshold))
    groups: list[list[_Candidate]] = []
    for candidate in found:
        follows = groups and groups[-1][-1].at == candidate.at - 1
        if follows and sum(len(each.text) for each in groups[-1]) + len(candidate.text) < MAX_CHARACTERS:
            groups[-1].append(candidate)
        else:
            groups.append([candidate])
    for group in groups:
        surest = max(group, key=lambda each: each.probability)
        sentence = _LEADING.sub("", " ".join(each.text for each in group))
        if any(is_self_contained(each.text) for each in group):
            context = ""
        else:
            context = context_of(messages, number, sentences, group[0].at)
            if not context and _CHOICE_ONLY.search(sentence):
                continue
            sentence = _resolve_choice(sentence, messages[number - 1].text) if number else sentence
        yield Statement(
            type=surest.type,
            sentence=sentence,
            context=context,
            probability=surest.probability,
            reasons=surest.reasons,
            message=number,
            question=answered_question(messages, number, sentences, group[0].at, sentence),
        )


def cues_of(
    messages: Sequence[Message], number: int, sentences: Sequence[str], at: int, skipped: int = 0
) -> Mapping[str, float]:
    """Return the cues of sentence `at` of a message, for the classifier and its training."""
    asks = [position for position, sentence in enumerate(sentences) if sentence.rstrip().endswith("?")]
    setting = Setting(
        speaker=messages[number].speaker,
        first=at == 0,
        last=at == len(sentences) - 1,
        message_number=skipped + number,
        previous=messages[number - 1].text if number else "",
        asks_elsewhere=any(position != at for position in asks),
    )
    return read_cues(sentences[at], setting)


def _candidates(
    messages: Sequence[Message],
    number: int,
    sentences: Sequence[str],
    skipped: int,
    weights: Weights,
    threshold: float,
) -> Iterator[_Candidate]:
    speaker = messages[number].speaker
    for at, sentence in enumerate(sentences):
        if not can_be_kept(sentence) or (speaker == "assistant" and states_open_items(sentence)):
            continue
        cues = cues_of(messages, number, sentences, at, skipped)
        if probability(cues, weights["kept"]) < threshold:
            continue
        verdict = judge(cues, weights)
        yield _Candidate(
            at=at, text=sentence, probability=verdict.probability, type=verdict.type, reasons=verdict.reasons
        )


def can_be_kept(sentence: str) -> bool:
    """Whether a sentence is prose, no question and no introduction of a list."""
    return is_prose(sentence) and not sentence.endswith((":", "?"))


def is_self_contained(sentence: str) -> bool:
    """Whether a sentence is clear without the conversation: it is long, names something and refers to nothing."""
    return _names_something(_claim(sentence)) and not refers_back(sentence)


def refers_back(sentence: str) -> bool:
    """Whether a sentence refers to what was said before: it is short, or a pronoun of it has no noun."""
    return len(sentence.split()) < SHORT or bool(_REFERS.search(_claim(sentence)))


def _claim(sentence: str) -> str:
    """Return a sentence without its reason, when it is clear without it; a pronoun in the reason refers to it then."""
    claim = _REASON.split(sentence)[0]
    return sentence if not _names_something(claim) or len(claim.split()) < SHORT // 2 else claim


def _names_something(text: str) -> bool:
    return bool(CUES["code"].search(text) or CUES["name"].search(text))


def context_of(messages: Sequence[Message], number: int, sentences: Sequence[str], at: int) -> str:
    """Return what a sentence refers to: its message up to it, and the messages before, as `speaker: words`."""
    parts = [] if at == 0 else [f"{messages[number].speaker}: {' '.join(sentences[:at])}"]
    room = CONTEXT_CHARACTERS - sum(len(part) for part in parts)
    for before in range(number - 1, max(-1, number - 1 - CONTEXT_MESSAGES), -1):
        if room <= 0:
            break
        words = _ending(messages[before], CONTEXT_CHARACTERS)
        if words:
            parts.insert(0, f"{messages[before].speaker}: {words}")
            room -= len(words)
    return " | ".join(parts)


def _ending(message: Message, most: int) -> str:
    """Return the last sentences of a message that fit, at least a part of the last one."""
    sentences = [sentence for sentence in sentences_of(message) if not SECRET.search(sentence)]
    taken: list[str] = []
    for sentence in reversed(sentences):
        if taken and sum(len(each) + 1 for each in taken) + len(sentence) > most:
            break
        taken.insert(0, sentence if len(sentence) <= most else sentence[: most - 1].rstrip() + "…")
    return " ".join(taken)


def _resolve_choice(sentence: str, proposal: str) -> str:
    """Return an answer like "the second one" with the option it names, if the proposal lists its options."""
    named = _ORDINAL.search(sentence)
    if named is None or not _CHOICE_ONLY.search(sentence):
        return sentence
    position = _PLACES[named[1].lower()]
    options = _options(proposal)
    if len(options) < 2 or not -len(options) <= position < len(options):
        return sentence
    return f"{sentence.rstrip('.! ')}: {options[position]}"


def _options(proposal: str) -> list[str]:
    """Return the options that a proposal lists: numbered, as items, after a colon, or as sentences."""
    items = [line.strip()[2:] for line in proposal.splitlines() if re.match(r"\s*[-*] ", line)]
    if len(items) > 1:
        return items
    numbered = [part.strip(" .;,") for part in _OPTION.split(proposal)]
    if len(numbered) > 2:
        return numbered[1:]
    listed = re.search(r":\s+(.+?)(?:\.\s|\.?$)", proposal)
    outside = re.sub(r"\([^)]*\)", lambda match: match[0].replace(",", "\0"), listed[1] if listed else proposal)
    parts = re.split(r",\s+(?:or\s+)?|;\s+(?:or\s+)?|\s+or\s+", outside.split("?")[0])
    return [part.replace("\0", ",").strip(" .") for part in parts]


def _with_reversal(statement: Statement, found: Sequence[Statement], messages: Sequence[Message]) -> Statement:
    """Return a statement with the message that takes it back: by the same speaker, soon after, about the same."""
    words = set(_WORD.findall(statement.text.casefold()))
    for later in found:
        if not statement.message < later.message <= statement.message + WITHIN:
            continue
        message = messages[later.message]
        if message.speaker != messages[statement.message].speaker or not _REVERSAL.search(message.text):
            continue
        between = [other for other in found if statement.message < other.message < later.message]
        if not between and words & set(_WORD.findall(later.text.casefold())):
            return replace(statement, reversed_by=later.message)
    return statement
