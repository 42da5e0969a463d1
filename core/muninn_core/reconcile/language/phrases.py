"""Replaces phrases of several words by marks, so that wordings of one meaning become equal tokens.

A mark begins with "§": `§max` and `§min` are bounds, `§only` a restriction, `§not` a denial, `§part` less than all,
`§maybe` a plan or a wish, `§then` what comes later, `§else` an alternative that is turned down, `§may` a permission,
`§very` a high degree.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from functools import lru_cache
from itertools import product

_PHRASES = """
in the? form of : as
in the? shape of : as
most recent : newest
on|at start|boot|launch : at startup
round robin : roundrobin
on demand : on ondemand
is|are not capped|limited|bounded : §not §max
isnt|arent capped|limited|bounded : §not §max
are|is kept|stored|retained forever|indefinitely : §not deleted
keep|store|retain forever|indefinitely : §not delete
use after free : useafterfree
copy on write : copyonwrite
write ahead : writeahead
out of order : outoforder
out of memory : oom
out of date : outdated
up to date : current
point in time : pointintime
just in time : jit
ahead of time : aot
out of the box : by default
it is not possible|allowed to : §not
it isnt possible|allowed to : §not
isnt possible : §not
it is impossible to : §not
is not possible : §not
is impossible : §not
it is possible to : §may
it is required|necessary|mandatory to : must
is|are unable to : §not
has|have|had been removed|dropped|deleted from : is §not in
was|were removed|dropped|deleted from : is §not in
has|have a size|length|width|height|depth of : is
for the first time :
for the sake of : for
with the help of : with
by means of : with
by way of : with
make|makes use of : use
with respect|regard to : about
as part of : in
the number of :
make|be sure to|that :
remember to :
take care to :
do not forget to :
dont forget to :
it is important|essential|crucial|vital to|that :
we|i decided|agreed|chose to :
note that :
is|are able to : §may
it is not necessary|required|needed to : §not require
hand written : manually written
handwritten : manually written
drop|drops|dropped|removed|ended|ends support for : §not support
anymore :
any longer :
drops|falls|goes|dips|sinks below|under : is below
rises|goes|climbs above|over : is above
roll|rolls back : rollback
rolled back : rollbacked
rolling back : rollbacking
roll|rolls out : rollout
rolled out : rollouted
rolling out : rollouting
shut|shuts|shutting down : shutdown
tear|tears|tearing down : teardown
fail|fails|failing over : failover
more than one : §part
multiple : §part
snake_case : snakecase
snake case : snakecase
kebab case : kebabcase
camel case : camelcase
pascal case : pascalcase
upper case : uppercase
lower case : lowercase
unlimited : §not §max
few : §part
symbolic link|links : symlink
man|manual page|pages : manpage
at any time :
at all times :
at all :
under any circumstances :
bit by|for bit :
in size|length|total :
by any means :
the|our team : we
it was decided|agreed that :
is|are|be excluded|exempt|exempted from : §not
has|have been? shut down : disabled
is|are|was|were shut|switched|turned down|off : disabled
is|are|was|were|been switched|turned on : enabled
switch|turn on : enable
switches|turns on : enables
switching|turning on : enabling
switch|turn off : disable
switches|turns off : disables
switching|turning off : disabling
came from : is caused by
is|are|was|were due to : is caused by
is|are|was|were the cause|reason of|for|behind : caused
at the? least : §min
no|not fewer|less than : §min
a? minimum of : §min
the? minimum : §min
or|and more|newer|later|above|higher|over|greater|upwards|up : §min
must|may|should|can|does|do not drop|fall|go below : §min
at the? most : §max
up to : §max
as many|much as : §max
no|not more|longer|larger|bigger|greater|higher|later than : §max
must|may|should|can|does|do|is|are not be? longer|larger|bigger|greater|higher|older|more than : §max
less|fewer than : §max
or less|fewer|lower|below|under|earlier : §max
is|are|be capped|limited at|to : §max
capped|limited at|to : §max
has|have a limit|cap of : §max
a|the? maximum|max size|length|number|count? of? : §max
limit|cap|budget|maximum|max : §max
time out|outs : timeout
times|timed out : timeout
timeouts : timeout
run time : runtime
front end : frontend
back end : backend
start|boot up : startup
time zone : timezone
data base : database
file name|names : filename
code base : codebase
work flow|flows : workflow
end to end : e2e
pull|merge request|requests : pr
prs : pr
continuous integration : ci
continuous deployment|delivery : cd
two|multi|2 factor authentication|auth|login : mfa
2fa : mfa
virtual machine|machines : vm
user interface : ui
regular expression|expressions : regex
operating system|systems : os
environment|env variable|variables|var|vars : env variable
message broker|queue : broker
read only : readonly
write only : writeonly
take|takes|took|taken place : happen
is|are carried out : happen
carried out : happen
is|are in charge of : do
is|are responsible for : do
responsible for : do
rather than : §else
instead of : §else
in place of : §else
as opposed to : §else
and|but not : §else
nobody|none|nothing except|but : §only
no one except|but|other than : §only
nobody other than : §only
only after : after
only if|when : if
only : §only
solely|exclusively : §only
no longer : §not
not yet : §not
not any more : §not
nobody|nothing : §not
no one : §not
has|have|had|need|needs to : must
ought to : must
must : must
is|are|was? not|never allowed|permitted|acceptable to? : §not
is|are|be forbidden|prohibited|banned|disallowed : §not
forbidden|prohibited|banned|disallowed : §not
is|are allowed|permitted|free|welcome to? : §may
is|are|be fine|ok|okay|acceptable : §may
allowed|permitted to? : §may
may|can : §may
must|may|should|shall|can|do|does|did|is|are|was|were|has|have|will not : §not
must|may|should|shall|can|do|does|did|is|are|was|were|has|have|will never : §not
not|never|no|without|cannot|neither|nor|none : §not
cant|dont|doesnt|isnt|arent|mustnt|shouldnt|didnt|wont|hasnt|havent|wasnt|werent : §not
there is no need for|to : §not require
has|have no : §not have
unless : if §not
turned|switched|set|is|are on : enabled
turned|switched|set|is|are off : disabled
opt|opts|opted in : optin
opt|opts|opted out : optout
could|would|might be : §maybe
could|would|might : §maybe
some day : §maybe
someday : §maybe
was|were|is|been suggested|proposed|discussed|considered|planned : §maybe
suggested|proposed|considering|proposal|proposes|suggests : §maybe
plan|plans|planned|want|wants|hope|hopes to : §maybe
some|most of the? : §part
some|most|many|several : §part
a few|third|quarter of the : §part
a few : §part
half|part|parts|two thirds? of the : §part
and then : §then
then|afterwards|afterward|later : §then
prior to : before
ahead of : before
far from|to : §not near
far away from : §not near
as soon as : after
in case of|that? : if
whenever : when
each|every time : when
while|during : when
by hand : manually
as well as? : and
in addition to? : and
too|also|even : and
in real time : realtime
very|extremely|really : §very
in use : used
keep|keeps|kept track of : track
"""


def _expand(slot: str) -> list[str]:
    words = slot.removesuffix("?").split("|")
    return [*words, ""] if slot.endswith("?") else words


_Entry = tuple[tuple[str, ...], tuple[str, ...]]
"""The words of a phrase, and what replaces them."""


def _table() -> dict[str, list[_Entry]]:
    table: dict[str, dict[tuple[str, ...], tuple[str, ...]]] = defaultdict(dict)
    for line in _PHRASES.strip().splitlines():
        left, _, right = line.partition(" :")
        for choice in product(*map(_expand, left.split())):
            words = tuple(word for word in choice if word)
            table[words[0]].setdefault(words, tuple(right.split()))
    return {first: sorted(found.items(), key=lambda each: (-len(each[0]), each[0])) for first, found in table.items()}


def _by_second(entries: Sequence[_Entry]) -> tuple[dict[str, list[_Entry]], list[_Entry]]:
    """Return the phrases of one first word: by their second word, those of one word behind them, and those alone."""
    single = [entry for entry in entries if len(entry[0]) == 1]
    seconds = {words[1] for words, _ in entries if len(words) > 1}
    longer = {second: [entry for entry in entries if entry[0][1:2] == (second,)] + single for second in seconds}
    return longer, single


_BY_FIRST = {first: _by_second(entries) for first, entries in _table().items()}


_SWITCHED = (("enabled",), ("disabled",))
_BEHIND = frozenset((*".,;:!?)", "for", "in", "by", "at", "on", "to", "as", "when", "if", "while", "during", "unless"))
_BEHIND |= {"until", "since", "because", "and", "but", "or", "again", "now"}
"""Words behind "on" and "off" that are no place: "the cache is on in production"."""


def _has_object(plain: Sequence[str], at: int) -> bool:
    """Whether "on" or "off" before a place says where something is: "the limit is on the gateway"."""
    return plain[at - 1] in ("on", "off") and at < len(plain) and plain[at] not in _BEHIND


@lru_cache(maxsize=20_000)
def _plain(token: str) -> str:
    return token.lower().replace("'", "").replace("’", "")


def rewrite(tokens: Sequence[str]) -> list[tuple[str, str]]:
    """Return tokens with their phrases replaced, each in lower case and as written; the longest phrase wins."""
    plain = [
        # "module A": a single capital within a sentence is a name and no article.
        f"{token.lower()}."
        if len(token) == 1 and at and token.isalpha() and token.isupper() and token != "I"
        else _plain(token)
        for at, token in enumerate(tokens)
    ]
    result: list[tuple[str, str]] = []
    at = 0
    while at < len(plain):
        found = _phrase_at(plain, at) if plain[at] in _BY_FIRST else None
        if found is None:
            result.append((plain[at], tokens[at]))
            at += 1
        else:
            words, marks = found
            shown = " ".join(tokens[at : at + len(words)])
            result += [(mark, shown) for mark in marks]
            at += len(words)
    return result


def _phrase_at(plain: Sequence[str], at: int) -> _Entry | None:
    """Return the longest phrase that begins at a word, None for none."""
    longer, single = _BY_FIRST[plain[at]]
    for words, marks in longer.get(plain[at + 1], single) if at + 1 < len(plain) else single:
        end = at + len(words)
        if tuple(plain[at:end]) == words and not (marks[:1] in _SWITCHED and _has_object(plain, end)):
            return words, marks
    return None
