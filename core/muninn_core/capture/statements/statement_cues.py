"""The cues by which a sentence of a conversation is weighed: who speaks, how, and what was said before.

English only. Each cue has a name, and a phrase for explanations. The weights are learned (`statement_weights.json`); a
cue here decides nothing. After a change, run `python -m bench capture --train`.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Literal

from muninn_core.model.value import Value

if TYPE_CHECKING:
    from collections.abc import Mapping

Speaker = Literal["user", "assistant"]


class Setting(Value):
    """Where a sentence stands: its speaker, its place in the message, and the message before."""

    speaker: Speaker
    first: bool
    last: bool
    message_number: int
    previous: str = ""
    asks_elsewhere: bool = False


_FAILED = (
    r"(?:fail(?:s|ed|ing|ures?)?|(?:did|does|do)(?:n['’]?t| not) (?:work|help|fix|solve|change|compile|scale|hold|make)"
    r"|didnt|never (?:helped|worked)|no (?:luck|effect|difference|good)|broke|breaks|crash(?:es|ed)?|deadlock(?:s|ed)?"
    r"|hung|hangs|timed out|slower|worse|in vain|unusable|corrupt(?:s|ed|ion)?|rejected|reverted|rolled back|laggy"
    r"|gave nothing|neither|(?:was|is)(?:n['’]?t| not) (?:enough|supported|possible)|got killed|ran out)"
)
_SOURCES: dict[str, tuple[str, str]] = {
    "obligation": ("an obligation", r"\b(?:must|has to|have to|needs? to|required?s?|mandatory|shall|supposed to)\b"),
    "prohibition": (
        "a prohibition",
        r"\b(?:must(?:n['’]?t| not)|may not|nobody|not allowed|forbidden|prohibited|never|off limits|cannot be"
        r"|no \w+ (?:any ?more|ever|without)|do(?:n['’]?t| not) ever)\b",
    ),
    "negative order": ("a negative order", r"\b(?:do not|don['’]?t|no more|stop|avoid|without)\b"),
    "generality": (
        "words of generality",
        r"\b(?:always|every(?:where|thing|body|one)?|each|all|any|anything|only|from now on|in general|from today"
        r"|for good|permanently|no exceptions?|whenever|until|at least|at most|per)\b",
    ),
    "rule": (
        "a word for a rule",
        r"\b(?:rules?|convention|policy|standard|guidelines?|agreed|constraints?|invariants?|requirements?|limit"
        r"|contract|negotiable|runbook)\b",
    ),
    "cause": (
        "a reason",
        r"\b(?:because|since|so that|otherwise|due to|hence|thus|therefore|which is why|as (?:it|they|the|we|some|our)"
        r"|the reason|or (?:else|nobody|we|it))\b",
    ),
    "reason after comma": (
        "a reason after a comma",
        r", (?:the|we|they|it|our|that|this|last|there|nobody|each|some)\b",
    ),
    "consequence": ("a consequence", r"\b(?:so|which|hence|thus|therefore|that['’]?s why|as a result)\b"),
    "root cause": (
        "words for a cause",
        r"\b(?:root cause|caused? (?:by|is|was)|causes?|comes? from|came from|turns? out|turned out|culprit"
        r"|the (?:real |actual |remaining )?(?:reason|problem|issue|bug|bottleneck|leak) (?:is|was|comes|came)|explains"
        r"|leaks?|leaked|responsible for|instead of the)\b",
    ),
    "finding": (
        "words for a finding",
        r"\b(?:found|is clear|i see|indeed|measured|profiled?|noticed|it['’]?s not|shows?|stems?|differs?|missing"
        r"|overlaps?|uninitiali[sz]ed|unset)\b",
    ),
    "trial": (
        "words for a trial",
        r"\b(?:tried|trying|attempt(?:ed)?|experimented|evaluated|tested|before|last time)\b",
    ),
    "failure": ("words for a failure", rf"\b{_FAILED}\b"),
    "contrast": (
        "a choice between two",
        r"\b(?:instead|rather than|over|not|in favou?r of|replace[sd]?|unlike|versus|but|while|although|though)\b",
    ),
    "choice": (
        "words for a choice",
        r"\b(?:switch|drop|go(?:ing)? with|go for|pick(?:ed)?|choose|chose|chosen|decid(?:e|ed|es)|decision|settled?"
        r"|opted|ruled out|adopt|approve[sd]?|agreed|let['’]?s|lets|we['’]ll|we will|we['’]re going to)\b",
    ),
    "verb of use": (
        "a verb of use",
        r"\b(?:use[sd]?|keep|kept|put|pin(?:ned)?|stay|take|make|add|set|store|move|support|run|ship|goes)\b",
    ),
    "verb of state": (
        "a lasting state",
        r"\b(?:stays?|remains?|lives? in|belongs?|comes? from|has|have|holds?|depends?|relies|needs?|reads?|writes?"
        r"|runs?|expects?|ignores?|accepts?|requires?)\b",
    ),
    "we": ("the first person plural", r"\b(?:we|our|us)\b"),
    "I": ("the first person singular", r"\b(?:i|i['’](?:ll|d|ve|m)|my|me)\b"),
    "you": ("the second person", r"\b(?:you|your)\b"),
    "own next step": (
        "the speaker's own next step",
        r"\b(?:i['’]ll|i will|i['’]m|let me|i am going|i can|i could|i would|i['’]d|i propose|i suggest|shall i|want me"
        r"|next i|i need to|let['’]?s (?:see|look|check|try|wait))\b",
    ),
    "report of work": (
        "a report of work done",
        r"^(?:done|fixed|added|set|changed|reverted|renamed|moved|removed|replaced|converted|applied|updated"
        r"|implemented|created|configured|enabled|disabled|pinned|written|switched|kept|noted|opened|both|also|restored"
        r"|raised|scheduled|rewritten|deleted|split|bumped|migrated|understood|i['’]ve|i (?:have )?"
        r"(?:added|changed|removed|moved|set|made|put|wrote|fixed|updated|replaced|renamed|restored|created))\b",
    ),
    "hedge": (
        "a guess",
        r"\b(?:maybe|perhaps|possibly|probably|presumably|might|could|would|i think|i guess|i believe|i suspect|suspect"
        r"|i assume|i wonder|not sure|unsure|seems?|appears?|likely|considering|thinking (?:about|of)|whether"
        r"|hypothe\w+"
        r"|possibility|alternatively|one option|in theory|ideally|guess|hm+)\b",
    ),
    "reported speech": (
        "reported speech",
        r"\b(?:the (?:docs?|documentation|spec|error|message|log|output|readme|article|linter)s?(?: \w+)? (?:say|state"
        r"|claim|mention|complain|suggest)s?|according to|traceback|\w*error:|it says|says|told me|claims?)\b",
    ),
    "other source": (
        "another source or project",
        r"\b(?:some ?(?:body|one)|blog|forum|tutorial|article|usually|typically|typical|generally|in general"
        r"|(?:last|former|previous|old) (?:company|job|employer|team)|they say|most (?:people|teams|projects)|others"
        r"|mailing list|opinion|folklore|common(?:ly)?|classic|normally|a matter of|the usual)\b",
    ),
    "condition": ("a condition", r"\b(?:if|imagine|suppose|unless|once|were|in case)\b"),
    "number": ("a number", r"\d"),
    "quantity": (
        "a quantity with a unit",
        r"(?<!\d)\d+\s?(?:%|ms\b|s\b|min\b|[kmgt]i?b?\b|hours?|percent|days?|months?|minutes?|seconds?|weeks?|years?|rows?"
        r"|files?|x\b|times)",
    ),
    "code": ("code or a path", r"`|\w_\w|\b\w+\.[a-z]{1,5}\b|\b[a-z]+[A-Z]\w*|\B--?\w[\w-]*=?|\w/\w|\w\(\)"),
    "name": ("a name or an acronym", r"(?<!^)\b[A-Z]\w+|\b[A-Z]{2,}\b"),
    "environment": (
        "the environment of the project",
        r"\b(?:prod|production|staging|servers?|clusters?|ci|runners?|customers?|users?|port|env|environment|machines?"
        r"|hosts?|deploy|release[sd]?|pipeline|image|firewall|vpn|proxy|device|vendor|nodes?|database|db|builders?)\b",
    ),
    "now": (
        "words for now",
        r"\b(?:now|first|next|tomorrow|today|later|for now|wait|again|monday|moment|right away|after that)\b",
    ),
    "short-term goal": (
        "a goal of the moment",
        r"\bto (?:find(?: out)?|check|see|look|verify|inspect|understand|debug|locate|test|search|figure|get|confirm)\b"
        r"|\bbefore (?:i|we|you|lunch|tonight)\b|\blet me\b",
    ),
    "open work": (
        "open work",
        r"^\W*(?:(?:still )?(?:open|missing)|next(?: steps?| up)?|remain\w*|what remains|what['’]?s left|to ?do|left"
        r"|not (?:yet )?done|not yet|outstanding|pending|unfinished|still (?:to|on)|my list)\b[^.:,]{0,25}[:,-]|^\(a\)",
    ),
    "acknowledgement": (
        "an acknowledgement",
        r"^(?:ok|okay|yes|yep|yeah|agreed|right|exactly|sure|fine|no|nope|hm+|oh|ah|good|great|thanks|thx|nice|cool"
        r"|perfect|k|understood|all right|of course|correct|true)\b",
    ),
    "politeness": ("a request", r"\b(?:please|pls|can you|could you)\b"),
    "preference": ("a preference", r"\b(?:prefer|like|i want|we want|style|naming|hates?|everybody|nobody)\b"),
    "inability": (
        "something impossible",
        r"\b(?:can['’]?t|cannot|can not|won['’]?t|is(?:n['’]?t| not)|are(?:n['’]?t| not)|does(?:n['’]?t| not)"
        r"|unable)\b",
    ),
    "aside": (
        "an aside that adds a fact",
        r"\b(?:btw|by the way|also|one (?:more |other )?(?:thing|more|remark)|careful|note|fyi|for the record|remember"
        r"|beware|important|mind|oh and|and)\b",
    ),
    "then": ("then", r"\bthen\b"),
    "reversal": (
        "a reversal",
        r"\b(?:no wait|wait|scratch that|sorry|i forgot|hold on|back to|take it back|on second thought|actually"
        r"|was wrong|never ?mind|forget it|undo|oops)\b",
    ),
    "definition": ("a definition", r"^\W*\w+(?: \w+)? (?:is|are|means|collects|wraps|matches) (?:a|an|the|any|on)\b"),
    "authority": (
        "somebody who may decide",
        r"\b(?:legal|security|ops|audit(?:ors?)?|management|customers?|contract|compliance|designers?|marketing|finance"
        r"|admins?|support|boss|the team|brand|law|regulat\w+|licen[cs]e)\b",
    ),
    "past": (
        "a past event",
        r"\b(?:last (?:time|week|month|year|spring)|years? ago|once|had|was|were|already|yesterday)\b",
    ),
    "vague object": (
        "an order without an object",
        r"^(?:(?:ok|okay|yes|so|and|then|please|pls|just)[, ]+)*(?:do|try|fix|add|run|use|remove|push|go|show"
        r"|check|apply"
        r"|send|kill|raise|revert|merge|ship)(?: (?:it|that|this|them|those|so|both|on|ahead|these))?"
        r"(?: (?:then|now|please|pls|too|as well|again|first))*[.!]*$",
    ),
    "example": ("an example", r"\b(?:for example|e\.g|for instance|such as|option [a-d]\b|two ways|options?:)"),
    "emphasis": ("emphasis", r"!|\b(?:nooo*|argh|omg|damn|ouch|really|exactly|sacred|best)\b"),
    "colon": ("a colon", r":\s"),
    "quotation": ("a quotation", r"[\"“”]"),
    "question": ("a question", r"\?"),
    "question word": (
        "the form of a question",
        r"^(?:(?:so|and|but|ok|okay|then|hm+),? )?(?:should|shall|do|does|did|is|are|can|could|would|will|what"
        r"|whats|which"
        r"|why|how|when|who|where|any)\b(?!.*:)",
    ),
    "order": (
        "an order",
        r"^(?:(?:and|but|also|ok|okay|yes|no|so|then|please|pls|one more|btw|careful|right|oh)[,:.]?\s+)*(?:use"
        r"|keep|put"
        r"|pin|make|set|add|do|don['’]?t|never|always|fix|remove|delete|write|run|move|drop|take|push|go|show"
        r"|tell|check"
        r"|update|create|rename|start|try|give|list|explain|leave|only|no|change|replace|switch|bump|upgrade)\b",
    ),
    "task": (
        "a one-off task",
        r"\b(?:fix|explain|show|list|rename|review|summari[sz]e|write a|add a|add the|tell me|give me|run the|create a"
        r"|bump|upgrade|look at|have a look|investigate|merge it|push it|typo)\b",
    ),
}
_WE = (
    r"(?:we|the team|the user|i)(?:['’]ve|['’]d| have| had)?(?: (?:all|both|also|just|now|finally|already|therefore))?"
)
_SOURCES |= {
    "stated decision": (
        "a decision in so many words",
        rf"\b{_WE} (?:decided|chose|picked|settled on|agreed (?:to|on|that)|went with|opted|ruled out)\b"
        r"|^\W*(?:\w+ )?(?:decision(?: made)?|decided)\s*[:\u2013\u2014]|^decided (?:to|on|against|that)\b"
        r"|\b(?:the|our|my) (?:\w+ )?decision (?:is|was|stands)\b|\b(?:was|been) (?:decided|rejected|chosen)\b"
        r"|\blet['’]?s (?:use|keep|go with|stick|stay|drop|make)\b|\bwe(?:['’]ll| will|['’]re going to) (?:not "
        r"|never |only )?"
        r"(?:use|keep|switch|drop|stay|stick|go with|move|support|ship|store)\b|^(?:use"
        r"|keep) .{3,80}\b(?:instead of|rather than)\b",
    ),
    "stated rule": (
        "a rule in so many words",
        r"^\W*(?:(?:and|but|please|also|so|from now on)[, ]+)*(?:never|always|do(?:n['’]?t| not) (?:ever )?\w+)\b"
        r"|^\W*(?:hard |key |our )?(?:constraint|requirement|invariant|rule|important|critical"
        r"|mandatory)s?\s*[:!\u2013\u2014]"
        r"|\b(?:must|may|should|shall|can) (?:not|never|always|only)\b|\bmust(?:n['’]t)? (?!be (?:the|a|some|why)"
        r"|have)\w+"
        r"|\bwe (?:never|always|do(?:n['’]?t| not)) \w+|\b(?:not allowed|forbidden|prohibited|mandatory)\b"
        r"|\bit(?:['’]s| is) (?:critical|important|essential) that\b|\bno (?:new|more|further|other)\b|\bunder no\b"
        r"|\bi don['’]?t want\b|\b(?:has|have|needs?) to (?:be|stay|remain|keep|go|come|work|run)\b"
        r"|\bfrom now on\b|\bbelongs? (?:in|to|on)\b",
    ),
    "stated cause": (
        "a cause in so many words",
        r"\b(?:root )?cause (?:is|was|turned out|of .{3,60} (?:is|was))\b|^\W*(?:root )?cause\s*:|\bit turned out\b"
        r"|\b(?:was|were|is|are) (?:being )?(?:caused|triggered|due) (?:by|to)\b|\bturn(?:s|ed) out (?:to be|that)\b"
        r"|\bthe (?:\w+ )?(?:reason|culprit|problem|bug) (?:is|was) (?:that|a|an|the)\b|^\W*(?:the "
        r"|our )?(?:\w+ )?architecture\b",
    ),
    "stated failure": (
        "an attempt that failed, in so many words",
        rf"\b(?:tried|trying|attempt(?:ed)?|approach|workaround|experimented)\b.{{4,160}}\b{_FAILED}\b",
    ),
}
CUES: dict[str, re.Pattern[str]] = {name: re.compile(source, re.IGNORECASE) for name, (_, source) in _SOURCES.items()}
CUES["name"] = re.compile(_SOURCES["name"][1])
CUES["code"] = re.compile(_SOURCES["code"][1])

_PROPOSES = re.compile(
    r"(?i)\b(?:options?|alternativ\w*|either|or|two ways|could|would|suggest\w*|propose|i['’]d|choices?|advice|safer"
    r"|recommend\w*|usual|shall|should)\b"
)
_COMPLAINS = re.compile(
    r"(?i)\b(?:why|slow\w*|fail\w*|errors?|crash\w*|broken?|hang\w*|leak\w*|wrong|drops?|los(?:es|t|s)|doesn['’]?t|nan"
    r"|stale|again|resets?|twice|stuck|flicker\w*|worse|full|differ\w*|dies|memory|minutes|hours)\b"
)
_LENGTHS = (4, 8, 15, 25)
_STATED = frozenset({"stated decision", "stated rule", "stated cause", "stated failure"})
_DOUBTS = frozenset(
    {
        "hedge",
        "condition",
        "question",
        "short-term goal",
        "question word",
        "own next step",
        "report of work",
        "other source",
        "now",
    }
    | {"you", "reported speech", "vague object", "quotation", "example", "definition"}
)
_EXTRA = {
    "plain statement": "a plain statement in so many words",
    "speaker": "the speaker",
    "words": "the number of words",
    "": "the bias",
    "starts the message": "the first sentence of the message",
    "ends the message": "the last sentence of the message",
    "whole message": "the only sentence of the message",
    "opens the conversation": "the first message of the conversation",
    "early": "the second message of the conversation",
    "message asks": "a question in the same message",
    "answers a question": "an answer to a question",
    "answers a proposal": "an answer to a proposal",
    "answers a complaint": "an answer to a complaint",
}


def describe_cue(name: str) -> str:
    """Return a cue's phrase for explanations, without its speaker: `a reason`, `the number of words`."""
    bare = name.rpartition(":")[2].partition("=")[0]
    return _SOURCES[bare][0] if bare in _SOURCES else _EXTRA.get(bare, bare)


@lru_cache(maxsize=4096)
def _matching(sentence: str) -> tuple[str, ...]:
    found = tuple(name for name, pattern in CUES.items() if pattern.search(sentence))
    plain = not _STATED.isdisjoint(found) and _DOUBTS.isdisjoint(found)
    return (*found, "plain statement") if plain else found


@lru_cache(maxsize=256)
def _message_before(text: str) -> tuple[str, ...]:
    return tuple(
        name
        for name, holds in (
            ("answers a question", text.rstrip().endswith("?")),
            ("answers a proposal", bool(_PROPOSES.search(text))),
            ("answers a complaint", bool(_COMPLAINS.search(text))),
        )
        if holds
    )


def read_cues(sentence: str, setting: Setting) -> Mapping[str, float]:
    """Return the cues of a sentence with their values, each once alone and once with its speaker."""
    words = len(sentence.split())
    found = list(_matching(sentence))
    found += ["starts the message"] * setting.first + ["ends the message"] * setting.last
    found += ["whole message"] * (setting.first and setting.last) + ["message asks"] * setting.asks_elsewhere
    if "plain statement" not in found:  # a rule in so many words counts in a first message, a task does not
        found += ["opens the conversation"] * (setting.message_number == 0)
    found += ["early"] * (setting.message_number == 1)
    found += _message_before(setting.previous) if setting.previous else ()
    found.append(f"words={next((f'<{limit}' for limit in _LENGTHS if words < limit), f'{_LENGTHS[-1]}+')}")
    cues = dict.fromkeys(found, 1.0) | {f"{setting.speaker}:{name}": 1.0 for name in found}
    return {**cues, f"{setting.speaker}:speaker": 1.0, "words": min(words, 40) / 20}
