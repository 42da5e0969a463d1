"""Finds the question that a statement of a conversation answers, so that its memory is found by it.

A wrong question brings a memory up where it does not belong, so that a question that may not be meant counts for none.
Only what the two speakers wrote themselves is read. English only.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from muninn_core.capture.statements.conversation import (
    CONTEXT_MESSAGES,
    MAX_CHARACTERS,
    Message,
    is_prose,
    sentences_of,
)
from muninn_core.model.value import Value

MIN_WORDS, MAX_WORDS = 4, 30
"""The words of a question."""

MIN_NAMING = 2
"""The words of a question that name something; one more where a pronoun stands for what it is about."""

MAX_PROMPT = 1_000
"""The characters of a user's message with questions. A longer one may have pasted text."""

LAST = 3
"""The last sentences of an agent's message, in which it asks the user."""

_LEADING = re.compile(
    r"(?i)^(?:(?:ok(?:ay)?|so|and|but|hm+|well|hi|hello|hey|thanks|thx|please|pls|wait|oh|ah|aha|yes|no|then|btw|by the"
    r" way|great|good|nice|cool|right|sorry|actually|quick question|question)\b[,.!: \u2013\u2014-]+)+(?=\w)"
)
_INDIRECT = re.compile(
    r"(?i)^(?:(?:can|could|would|will) you |do you (?:know|remember) |any idea |i wonder |i['’]?d like to know "
    r"|i want to know |no idea )?(?:please |pls |quickly )?(?:(?:explain|tell|remind|show|check|look (?:at|into|up)|see"
    r"|say|find out|figure out|investigate|understand|find)\b ?)?(?:(?:to )?me |us )?(?:please |pls |again )?"
    r"(?=(?:why|how|where|which|whether|what)\b)"
)
_BE = r"(?:is|isn['’]?t|are|aren['’]?t|was|wasn['’]?t|were|weren['’]?t)"
_DO = r"(?:do|don['’]?t|does|doesn['’]?t|did|didn['’]?t|has|hasn['’]?t|have|haven['’]?t)"
_MAY = r"(?:can|can['’]?t|could|couldn['’]?t|should|shouldn['’]?t|shall|would|wouldn['’]?t|will|won['’]?t|must|may)"
_ASKING = rf"(?:why|how|what|what['’]?s|which|where|when|who|whose|whether|{_BE}|{_DO}|{_MAY})"
_FORM = re.compile(rf"(?i)(?:^|[,;:\u2013\u2014-]\s+){_ASKING}\b")
_SUBJECT = r"(?:we|they|i|it|there|the|a|an|our|my|this|that|these|those|all|any|each|every)"
_UNMARKED = re.compile(
    rf"(?i)^(?:(?:why|how|what|where|when|who) (?:{_BE}|{_DO}|{_MAY})\b|what['’]?s\b|how (?:many|much|long|often|big)\b"
    rf"|which (?:of|\w+ (?:{_BE}|{_DO}|{_MAY}))\b|what (?:happens|kind|causes|makes)\b"
    rf"|(?:{_BE}|{_MAY}|does|did) {_SUBJECT}\b|{_DO} (?:we|they|i)\b)(?!.*:)"
)
"""A question without its mark, as people write in chats."""
_OF_THE_SPEAKERS = re.compile(
    r"(?i)^(?:(?:can|could|would|will|do|did|are|were|have|had|may|shall|should|want|need)"
    r" (?:you|i get|i have|i see|me)\b|would it be|is (?:that|this|it) (?:what|ok|okay|fine|right|clear|correct|good)\b"
    r"|(?:any|more) (?:thoughts?|questions?|ideas?|objections?|preferences?)\b|what (?:else|next|now)\b"
    r"|what (?:do|would|should|did) (?:you|i)\b(?! use\b))"
    r"|\byour (?:opinion|take|thoughts?|view|call|preference|mind|advice)\b"
    r"|\byou (?:think|want|mean|like|mind|see|get|have in mind|need|prefer)\b"
    r"|\b(?:want|like) me to\b|\bthoughts\?|\btests? pass\b"
)
"""What a speaker asks the other one to do, to allow or to think."""
_OWN_STEP = re.compile(r"(?i)\b(?:i|i['’](?:ll|m|d|ve)|me|my)\b")
_NEXT_STEP = re.compile(r"(?i)\b(?:should|shall|can|could|may|do) we\b")
_OR = re.compile(r"(?i)\bor\b(?! (?:not|so|what|anything|something|should|is|leave|wait|stop|later)\b)")
_OPEN_TO_CHOICE = re.compile(
    r"(?i)^(?:should|shall|can|could|do|must|may) (?:we|the|our|a|an|all|this|these|each|every)\b"
    r"|^(?:where|which|what|how|when|who)\b.*\bshould\b"
)
_DO_WE = re.compile(r"(?i)^do (?:the|our|all|these)\b|^do we (?:use|have|know|need)\b")
_ASIDE = re.compile(
    r"(?i)^(?:(?:ok(?:ay)?|yes|yep|yeah|no|oh|great|good|nice|cool|fine|thanks|thx|aha?)\b[,.! ]+)*(?:and\b|also\b"
    r"|btw\b|by the way|one (?:more )?(?:thing|remark|note)|note\b|besides|in addition|additionally|separately"
    r"|unrelated|fyi|for the record|remember\b|careful|important|in general|while \w+ing\b|next time)"
)
"""The beginning of a statement that leaves the subject."""
_PRONOUN = re.compile(
    r"(?i)\b(?:it|they|them|itself|one|ones|both|same)\b|\b(?:this|that|these|those)\b(?= *(?:$|[?,.;]|"
    rf"(?:{_BE}|{_DO}|{_MAY}|for|to|in|on|with|from|at|by|and|or|too|so|then|now|still|really|happen|work|mean|need)\b))"
)
_OUTSIDE = re.compile(r"://|(?:^|[\s\"'`(])(?:/(?:home|Users|root|var/folders|tmp)/|~/|[A-Za-z]:\\)")
"""Addresses, and paths of one person's machine."""
_QUOTED = re.compile(r"[\"“][^\"”]*\?[\"”]|^[\"“'‘]")
_WORD = re.compile(r"[^\W_][\w.+#/-]*")
_NAMES_NOTHING = frozenset(
    _WORD.findall(
        """
        a about actually after again ahead all already also am an and another any anybody anyone anything approach are
        aren arent as ask at back be because been before being best better but by can cant case cause change changes
        clear code come comes continue could couldn currently did didn didnt do does doesn doesnt doing don done dont
        each either else even ever every everybody everything exactly explain few find fine first for from further get
        gets getting give go goes going good got had happen happened happening happens has hasn have haven having he
        hello help her here hey hi his how however i idea if in instead into is isn isnt issue it its just kind know
        last later least less let like likely ll look looks lot made make makes many may maybe me mean means might
        mind mine moment more most much must my need needs next no nobody none not nothing now of off ok okay old on
        once one only onto opinion option options or other others our out over own part perhaps please pls point
        possible prefer problem proceed question questions quite rather ready really reason recommend review right s
        same say says second see seem seems sense shall she should shouldn show shows since so some somebody someone
        something sound sounds step steps still such suggest sure t take takes task tell than thanks that the their
        them then there these they thing things think this those thoughts through thx till to today together tomorrow
        too true try two understand until up us use used uses using usually ve very want wants was wasn wasnt way ways
        we well were weren what whats when where whether which while who whose why will with without won wonder wont
        work worked works would wouldn wrong yes yet you your yours
        """
    )
)
"""Words that say little about the matter."""


class _Question(Value):
    """A question about the matter. `choice` is true when it leaves a choice to the speakers.

    `personal` is true for an agent's question about a next step, or about what the user wants: an answer to it shares
    a word with it.
    """

    text: str
    choice: bool
    personal: bool


def answered_question(
    messages: Sequence[Message], number: int, sentences: Sequence[str], at: int, statement: str
) -> str:
    """Return the question that a statement answers, "" when none is surely meant.

    The statement begins at sentence `at` of the message. The question stands right before it, or in one of the
    messages before: asked by the other speaker, whom the message answers, or by its own speaker as a choice that the
    statement makes.
    """
    if _ASIDE.match(sentences[at]):
        return ""
    speaker = messages[number].speaker
    named = _naming(statement)
    if at and _asks(sentences[at - 1], speaker):
        own = _read(sentences[at - 1], speaker)
        meant = own is not None and (speaker == "assistant" or named & _naming(own.text))
        return own.text if own is not None and meant and not own.personal else ""
    for before in range(number - 1, max(-1, number - 1 - CONTEXT_MESSAGES), -1):
        message = messages[before]
        asked = _asked_in(message)
        if not asked:
            continue
        questions = [question for each in asked if (question := _read(each, message.speaker)) is not None]
        if message.speaker == speaker:
            fitting = [each for each in questions if each.choice and named & _naming(each.text)]
        elif any(between.speaker != speaker for between in messages[before + 1 : number]):
            return ""  # the other speaker went on: what was asked is answered
        else:
            taken_up = speaker == "assistant" or at == 0
            fitting = [each for each in questions if (taken_up and not each.personal) or named & _naming(each.text)]
        return max(reversed(fitting), key=lambda each: len(named & _naming(each.text))).text if fitting else ""
    return ""


def _asked_in(message: Message) -> list[str]:
    """Return the sentences of a message that ask the other speaker something."""
    if message.speaker == "user" and len(message.text) > MAX_PROMPT:
        return []
    sentences = sentences_of(message)[-LAST if message.speaker == "assistant" else 0 :]
    return [each for each in sentences if _asks(each, message.speaker)]


def _asks(sentence: str, speaker: str) -> bool:
    """Whether a sentence asks something, by its mark; of a user also by its form."""
    if sentence.rstrip("\"'”’)]*_! ").endswith("?"):
        return True
    if speaker != "user" or len(sentence) > MAX_CHARACTERS:
        return False
    bare = _LEADING.sub("", sentence)
    indirect = _INDIRECT.match(bare)
    return _UNMARKED.match(bare) is not None or bool(indirect and indirect[0])


def _read(sentence: str, speaker: str) -> _Question | None:
    """Return a sentence that asks something as a question about the matter, None for any other one."""
    if not is_prose(sentence) or _OUTSIDE.search(sentence) or _QUOTED.search(sentence):
        return None
    bare = _LEADING.sub("", " ".join(sentence.split())).strip("*_ ")
    indirect = _INDIRECT.match(bare)
    text = bare[indirect.end() :] if indirect else bare
    has_choice = _OR.search(text) is not None
    if speaker == "assistant" and not (_FORM.search(text) or has_choice):
        return None
    of_speakers = _OF_THE_SPEAKERS.search(text) is not None
    own_step = speaker == "assistant" and (of_speakers or _OWN_STEP.search(text) is not None)
    if (own_step and not has_choice) or (of_speakers and speaker == "user"):
        return None
    if not MIN_WORDS <= len(text.split()) <= MAX_WORDS:
        return None
    if len(_naming(text)) < MIN_NAMING + (_PRONOUN.search(text) is not None):
        return None
    choice = has_choice or (_OPEN_TO_CHOICE.search(text) is not None and not _DO_WE.search(text))
    personal = own_step or (speaker == "assistant" and _NEXT_STEP.search(text) is not None)
    return _Question(text=text, choice=choice, personal=personal)


def _naming(text: str) -> frozenset[str]:
    """Return the beginnings of the words of a text that name something."""
    words = (word.rstrip(".").casefold() for word in _WORD.findall(text))
    return frozenset(word.rstrip("s")[:5] or word for word in words if word not in _NAMES_NOTHING)
