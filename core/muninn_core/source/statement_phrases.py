"""The phrases by which a statement is recognised or rejected. Data of `statement`.

English only. The lists were tuned on labelled sentences that the tests contain; change them together.
"""

from __future__ import annotations

import re
from typing import Literal

StatementType = Literal["decision", "constraint", "attempt", "insight"]

_WE = r"(?:we|the team|the user|i)(?:'ve|'d| have| had)?(?: (?:all|both|also|just|now|finally|already|therefore))?"
_CHOICE_VERB = (
    r"(?:use|keep|store|adopt|switch|move|migrate|replace|drop|avoid|support|rely|require|standardi[sz]e|expose|treat"
    r"|target|build on|write|serve|pin|ship|separate|encode|cache|deprecate|enforce|stay|stick|go)"
)
_SHORT_TERM_GOAL = (
    r"(?:to (?:find|check|see|look|verify|inspect|understand|debug|locate|test|search|run|figure|get|confirm))\b"
)

_DECISION = (
    (5, r"^(?:final |key |design |architecture |architectural )?decision(?: made)?\s*[:\u2013\u2014]\s*\S"),
    (5, r"^decided\s*(?:[:\u2013\u2014]|to|on|against|that|not)\s*\S"),
    (5, rf"\b{_WE} decided (?:to|on|that|against|not to|in favou?r of)\b"),
    (4, r"\b(?:it was|it's been|it has been|has been|was) decided (?:to|that|on|against)\b"),
    (4, r"\b(?:the|our|my) (?:final |design |architectural )?decision (?:is|was|stands|here is)\b"),
    (4, rf"\b{_WE} (?:chose|picked|settled on|agreed (?:to|on|that)|went with|opted (?:for|to)|ruled out)\b"),
    (4, r"\b(?:let's|we'll|we will|we are going to|we're going to) (?:go|stick|stay) with\b"),
    (3, rf"\b(?:we'll|we will|we are going to|we're going to|let's) (?:not |never |always |only )?{_CHOICE_VERB}\b"),
    (
        3,
        r"\b(?:use[ds]?|using|keep|kept|chose|choose|prefer|went with|go with)\b.{3,140}\b(?:instead of"
        r"|rather than|over)\b"
        r".{3,140}\b(?:because|since|so that)\b",
    ),
    (3, r"\binstead of\b.{3,140}\bbecause\b"),
)
_CONSTRAINT = (
    (5, r"^(?:hard |key )?(?:constraint|requirement|invariant|rule)s?(?: \d+)?\s*[:\u2013\u2014]\s*\S"),
    (4, r"^(?:never|always)\s+(?!mind\b|been\b|had\b|was\b|were\b|seen\b|tried\b|worked\b)[a-z]+\b"),
    (4, r"\b(?:do not|don't) ever\b|\bunder no circumstances\b"),
    (
        4,
        r"\b(?:must|may|should|shall|can) (?:not|never|always|only)\b"
        r"(?! (?:have|exist|matter|work|know|need|fit|want|be (?:sure|there|available|present|enough|possible|true|able"
        r"|needed|necessary|a problem))\b)|\bmustn't\b",
    ),
    (
        3,
        r"\bmust\b(?! (?:have|i|we|you)\b)(?! be (?:why|because|some|due|what|where|how|that|happening|coming|failing"
        r"|missing|a bug|the (?:problem|issue|cause|reason)))",
    ),
    (3, r"\bwe (?:never|always) (?!been|had|saw|got|did|was|were|get|end|see)[a-z]+\b"),
    (3, r"\b(?:is|are) (?:not allowed|forbidden|prohibited|off limits|mandatory|non-negotiable)\b"),
    (4, r"^(?:important|critical|mandatory)\s*[:!\u2013\u2014]\s*\S"),
    (
        3,
        r"\bit(?:'s| is) (?:very |really )?(?:important|critical|essential) (?:that|to (?:keep|never|always|not"
        r"|avoid))\b",
    ),
)
_FAILED = (
    r"\b(?:fail(?:s|ed|ing)?|(?:did|does|do)(?:n't| not) (?:work|help|fix|solve|change|compile|scale|hold|make)"
    r"|no luck"
    r"|broke|breaks|crash(?:es|ed)?|deadlock(?:s|ed)?|hung|hangs|timed out|slower|worse|no effect|in vain|unusable"
    r"|corrupt(?:s|ed)|rejected|reverted|rolled back|(?:wasn't|isn't|was not|is not) (?:enough|supported|possible))\b"
)
_WHO_TRIED = (
    r"(?:^|[.;] |\b(?:i|we|you|they|i've|we've|team|user|have|has|had|been) )"
    r"(?:(?:already|also|even|first|once|just) )*"
)
_ATTEMPT = (
    (5, rf"{_WHO_TRIED}(?:tried|attempted|experimented with)\b.{{4,}}{_FAILED}"),
    (4, rf"\btrying (?:to )?.{{4,140}}{_FAILED}"),
    (
        4,
        r"\b(?:approach|attempt|workaround)\b.{0,80}\b(?:failed|did(?:n't| not) work|does(?:n't| not) work"
        r"|was a dead end)\b",
    ),
)
_INSIGHT = (
    (4, r"\broot cause (?:is|was|turned out to be|of .{3,60} (?:is|was))\b|^root cause\s*:\s*\S"),
    (4, r"^(?:the|our) (?:\w+ )?architecture (?:is|uses|has|separates|consists|follows|relies|keeps|puts)\b"),
    (4, r"^architecture\s*[:\u2013\u2014]\s*\S"),
)
_BY_TYPE: dict[StatementType, tuple[tuple[int, str], ...]] = {
    "attempt": _ATTEMPT,
    "decision": _DECISION,
    "constraint": _CONSTRAINT,
    "insight": _INSIGHT,
}

MARKERS: dict[StatementType, tuple[tuple[int, re.Pattern[str]], ...]] = {
    kind: tuple((weight, re.compile(pattern, re.IGNORECASE)) for weight, pattern in patterns)
    for kind, patterns in _BY_TYPE.items()
}
"""The weighted phrases of each type. Of equal weights the earlier type wins."""

CANDIDATE = re.compile(
    r"(?i)deci[ds]|\bmust|never|always|constraint|invariant|requirement|^\W*rules?\b|architecture|important|critical"
    r"|essential|mandatory|instead of|rather than|\bover\b|\btried|trying|attempt|approach|workaround"
    r"|experiment|root cause"
    r"|(?:we'll|we will|going to|let's) |\b(?:may|should|shall|can) (?:not|only)|forbidden|prohibited|not allowed"
    r"|off limits|chose|picked|settled|agreed|went with|opted|ruled out|under no|don't ever|do not ever"
    r"|non-negotiable"
)
QUESTION = re.compile(
    r"(?i)\?[\"')\]*_]*$|^(?:(?:so|and|but|ok|okay|then),? )?(?:should|shall|do|does|did|is|are|can|could|would"
    r"|will|what|which|why|how|when|who|where)"
    r" (?:we|i|you|it|they|this|that|there|the|about|if)\b(?!.*[:])"
)
HEDGE = re.compile(
    r"(?i)\b(?:maybe|perhaps|possibly|probably|presumably|might|could|would|i think|i guess|i believe|i suspect"
    r"|i assume"
    r"|i wonder|not sure|unsure|seems?|appears?|likely|considering|thinking (?:about|of)|haven't|have not"
    r"|not yet|undecided"
    r"|to be decided|tbd|(?:need|have|has|time|left|up to you|hard|yet|wait) to decide|before (?:we|i|you) decide"
    r"|until (?:we|you|i) decide|whether|hypothetically|for example|e\.g\.|for instance|suppose|imagine|what if"
    r"|optional(?:ly)?"
    r"|alternatively|one option|another option|option [a-d0-9]\b|in theory|ideally|let me know|want me to|do you want"
    r"|if you (?:want|like|prefer|wish)|(?:if|once|when) we (?:decided?|go|choose|use|adopt|switch))\b"
)
REPORTED = re.compile(
    r"(?i)\b(?:the (?:docs?|documentation|spec|error|message|log|output|test|readme|comment|article|compiler"
    r"|linter|warning)s?(?: \w+)? (?:say|state|claim|mention|complain|suggest|read|show|expect|report)s?|according to"
    r"|traceback|assert(?:ion)?error|it says)\b"
)
FOR_NOW = re.compile(
    rf"(?i)\b{_SHORT_TERM_GOAL}|\b(?:first|next|now|then),? (?:i'll|i will|let me|we'll|we will|we must|you must)\b"
    rf"|\blet me\b|\blet's see\b"
    r"|^(?:i'll|i will|i'm going to|i am going to|i must|i need)\b|\bbefore (?:i|we) (?:continue|proceed|start"
    r"|go on)\b"
    r"|\bnever ?mind\b|\byou must be\b|\bright now\b|\bin a (?:moment|minute)\b"
)
VAGUE_REFERENCE = re.compile(
    r"(?i)\b(?:go|stick|stay|went|going|use|keep|decided on|settled on|agreed on|do|picked|chose|to do)(?: with"
    r"| for)? "
    r"(?:that|this|it|those|both|them|option \w+|the (?:first|second|third|latter|former|other)(?: one| option)?)"
    r"(?: (?:then|instead|one|approach|too|for now))*\s*[.!,;]?$"
)
SECRET = re.compile(
    r"(?i)-----BEGIN|\b(?:AKIA|ASIA)[A-Z0-9]{12,}|\bgh[pousr]_\w{16,}|\bsk-[\w-]{16,}|\bxox[abpr]-|\beyJ[\w-]{16,}"
    r"|\b(?:password|passwd|secret|token|api[_-]?key|credential)s?\b\s*(?:is|[:=])\s*\S|://[^\s/:@]+:[^\s/@]+@"
    r"|\b(?=\w*\d)(?=\w*[a-z])[\w+/]{36,}\b"
)
LOG_LINE = re.compile(
    r"^\W*(?:\d{4}-\d\d-\d\d[T ]|\d\d:\d\d|\[?(?:ERROR|WARN(?:ING)?|INFO|DEBUG|FATAL)\b)|\bat \S+:\d+:\d+"
    r"|\b\w*(?:[Ee]rror|[Ee]xception|[Ww]arning):|[{};]$|=>|==|</|\$ "
)
CONTRAST = re.compile(r"(?i)\b(?:instead of|rather than|in favou?r of)\b")
REASON = re.compile(r"(?i)\b(?:because|since|so that|otherwise|due to|as it|which means|the reason)\b")
IDENTIFIER = re.compile(
    r"`[^`]+`|\b\w+_\w+\b|\b[a-z]+[A-Z]\w+\b|\b[\w-]+/[\w./-]+\b|\b[A-Z][a-z]+[A-Z]\w*\b|\b[A-Z]{3,}\b"
)
