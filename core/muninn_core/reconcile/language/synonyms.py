"""Words that may stand for one another in technical prose."""

from __future__ import annotations

from muninn_core.reconcile.language.lexicon import stem

_ALIKE = """
keep store save retain persist hold held kept preserve
send dispatch emit sent ship deliver
remove delete purge erase wipe clear drop discard gone
start begin launch boot started began begun
finish complete conclude end
reject refuse decline
permit allow let grant
other another
require need demand mandatory
guard protect secure
edit modify alter change
show display
create generate produce
check verify validate
pick choose select chosen chose
retry retries
fail choke crash
wide width
long length
high height
deep depth
accept tolerate
database db
kubernetes k8s
postgres postgresql pg
javascript js
typescript ts
python py
authentication auth
authorization authz authorisation
internationalization i18n internationalisation
localization l10n localisation i10n
accessibility a11y
observability o11y
documentation docs doc
specification spec
application app
administrator admin
repository repo
production prod
development dev
environment env
directory dir folder directories
temporary temp tmp
configuration config settings configs
dependency deps dep dependencies
package pkg
library lib
information info
identifier id
parameter param
argument arg
function func
variable var
memory ram
timezone tz
message msg
certificate cert
error err
percent percentage
maximum max
minimum min
synchronous sync
asynchronous async
write written wrote
run ran execute
build built
take taken took
give given gave
make made
fill populate
bug defect
slow sluggish
quick fast
large big
small little
legacy old
connect connection
license licence
share shared common
endpoint route
enough sufficient
contain include
work operate
millisecond ms
megabyte mb
gigabyte gb
kilobyte kb
live reside locate situate
newest latest
see view
convention style
happen occur
throw raise
call invoke
fetch retrieve
compute calculate
entire whole
try attempt
quit exit
initialise initialize init
cause reason
trigger fire
get receive got
open opened
forward relay
respond answer
reply response
weigh weight
"""
"""Each line: words that may stand for one another."""

SAME_AS: dict[str, str] = {}
for _line in _ALIKE.strip().splitlines():
    _first, *_others = map(stem, _line.split())
    SAME_AS.update({_each: _first for _each in (_first, *_others) if _each not in SAME_AS})
"""The first stem of its line, for the stem of each word."""
