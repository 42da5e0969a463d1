"""Words that the comparison of propositions treats alike, leaves out or takes as exclusive values."""

from __future__ import annotations

from functools import lru_cache

from muninn_core.reconcile.lexicon import OPPOSITES, stem
from muninn_core.reconcile.thesaurus.table import base_of, has_kinds, is_verb


def _words(words: str) -> frozenset[str]:
    return frozenset(words.split())


def _stems(words: str) -> frozenset[str]:
    return frozenset(map(stem, words.split()))


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

WEAK = _stems(
    "use do does done perform handle happen make have has had get go goes run come live serve exist lie find "
    "found provide work employ utilise utilize leverage adopt follow apply set put mean type kind sort already "
    "fully exactly currently simply explicitly always still completely own actually generally normally usually "
    "both so there such must should will shall being been used use uses using take give carry that via please "
    "just remain stay enable active support listen yet base version require be it first once single everywhere "
    "rely like"
)
"""Words that one wording may have and another not."""

LIGHT = WEAK | _stems(
    "limit size length long count number value rate amount maximum time duration version configure keep wait delay "
    "valid hold last expire retention level total default support accept capacity contain upload call allow "
    "setting each every power write build start lifetime"
)
"""Words that may differ besides a figure that differs."""

STOP = _words(
    "a an the this that these those it its is are was were be been being am do does did has have had will shall "
    "should must or and but so of i we you they our your their us them my me he she his her who what which where "
    "there here than then just very always please all any each both every now us ever get gets got yes"
)
UNIVERSAL = _words("all every each any")
MANY = _words("several many multiple")
"""Words for more than one."""
BEING = _words("is are was were be been being gets get got")
AUXILIARIES = BEING | _words("has have had must should will shall may can do does did §may §maybe §not")
PREPOSITIONS = _words(
    "in on at from to into onto with without using by via through for per as under inside within outside against "
    "of about over between among across around behind beside near above below off like toward towards out than"
)
LIMITS = {"before": "until", "until": "until", "till": "until", "within": "until", "after": "after", "for": "for"}
"""Words before an amount of time, and on which side of it something happens."""
PATHS = _words("up down along past")
"""Prepositions behind an object, and particles behind a verb."""
NO = _words("no none nor neither without")
"""Denials that are no part of a verb."""
PREFERRING = _stems("prefer favour favor choose optimise optimize like better")
"""Stems of verbs behind which \"over\" names what is turned down."""
SUBORDINATORS = _words("when if before after until till where")
PERSONS = _stems("someone somebody anyone anybody person people everyone everybody team user admin member")
"""Words for those of whom "nobody" is said, beside kinds of persons."""
MACHINES = _stems(
    "server worker client host agent driver runner reader writer monitor scheduler consumer producer owner"
)
"""Kinds of persons in the thesaurus that are programs here."""
DETERMINERS = _words("a an the our your their its my this these those each every all any both")

OPPOSED = (
    _words("from to"),
    _words("from into"),
    _words("before after"),
    _words("inside outside"),
    _words("in outside"),
    _words("in without"),  # "out of" and "out" are read as "without"
    _words("inside without"),
    _words("into without"),
    _words("onto from"),
    _words("on under"),
    _words("in under"),
    _words("above below"),
    _words("on from"),  # "off" is read as "from"
    _words("over under"),
)
"""Pairs of prepositions that exclude each other."""

EXCLUSIVE: tuple[frozenset[str], ...] = tuple(
    frozenset(SAME_AS.get(stem(word), stem(word)) for word in line.split())
    for line in (
        "debug info warning error fatal",
        "monday tuesday wednesday thursday friday saturday sunday",
        "january february march april may june july august september october november december",
        "startup runtime request boot install build deploy upload save ondemand login commit release morning evening",
        "eager lazy eagerly lazily",
        "manual automatic manually automatically",
        "json yaml toml xml csv parquet protobuf avro text binary",
        "daily weekly monthly hourly nightly yearly",
        "row table page document user tenant project device desk trader address ip team client",
        "main develop trunk master next stable release branch",
        "postgres mysql sqlite mariadb oracle mongodb dynamodb cassandra",
        "npm yarn pnpm bun",
        "bazel gradle maven turborepo nx make cmake",
        "grpc rest graphql soap",
        "tab space",
        "path header query body cookie localstorage",
        "debian alpine ubuntu distroless",
        "none null nil exception error valueerror keyerror typeerror",
        "plural singular",
        "merge squash rebase",
        "react vue angular svelte",
        "jest vitest mocha",
        "kafka rabbitmq nats",
        "webpack vite rollup esbuild",
        "poetry uv pip conda",
        "terraform pulumi",
        "gcc clang msvc",
        "fastapi flask django",
        "black ruff prettier",
        "camelcase snakecase kebabcase",
        "integer decimal float string uuid bigint sequence text cent",
        "realtime batch nightly",
        "cursor offset",
        "plain json",
        "public private",
        "local utc",
        "client server browser",
        "first last",
        "metre pixel",
        "red green blue yellow black white",
        "left right",
        "optin optout",
    )
)

_ANTONYMS = (
    tuple(map(stem, pair.split()))
    for pair in (
        "tolerate reject",
        "accept reject",
        "allow reject",
        "include exclude",
        "stateless state",
        "stateful stateless",
        "fix flaky",
        "fix broken",
        "remove used",
        "finish pending",
        "enable disable",
        "active disable",
        "active inactive",
        "enable inactive",
        "mandatory optional",
        "require optional",
        "optin optout",
        "manual automatic",
        "manually automatically",
        "eager lazy",
        "eagerly lazily",
        "share own",
        "share separate",
        "remove keep",
        "deny allow",
        "ignore follow",
        "ignore honour",
        "succeed fail",
        "safe unsafe",
        "synchronous asynchronous",
        "mutable immutable",
        "public private",
        "plain encrypted",
        "strict lenient",
        "encrypted unencrypted",
        "signed unsigned",
        "increase decrease",
        "raise lower",
        "open closed",
        "block allow",
        "accept refuse",
        "sequential parallel",
        "serial parallel",
        "ascending descending",
        "supported unsupported",
        "online offline",
        "exclude lint",
        "reproducible irreproducible",
        "on off",
        "early late",
        "hard soft",
        "skip run",
        "keep drop",
        "keep discard",
        "show hide",
        "mask show",
        "visible hidden",
        "full partial",
        "full empty",
        "before after",
        "present absent",
        "require forbid",
        "deterministic random",
        "shut run",
        "alive dead",
        "inclusive exclusive",
        "cached uncached",
        "compressed uncompressed",
        "valid invalid",
        "known unknown",
        "blocking nonblocking",
        "editable readonly",
        "writable readonly",
        "ship hold",
        "maintain abandon",
        "maintain unmaintained",
        "experimental stable",
        "stable unstable",
        "deprecate recommend",
        "slow quick",
        "slower faster",
        "slowest fastest",
        "higher lower",
        "highest lowest",
        "larger smaller",
        "bigger smaller",
        "largest smallest",
        "longer shorter",
        "longest shortest",
        "newer older",
        "newest oldest",
        "earlier later",
        "earliest latest",
        "cheaper dearer",
        "stronger weaker",
        "stricter looser",
        "wider narrower",
        "heavier lighter",
        "easier harder",
        "better worse",
        "best worst",
        "more less",
        "more fewer",
        "most least",
        "upper lower",
        "top bottom",
        "sensitive insensitive",
        "persistent ephemeral",
        "permanent temporary",
        "stop continue",
        "fixed configurable",
        "fixed variable",
        "main separate",
        "preemptive cooperative",
        "single multi",
        "single multiple",
        "public internal",
        "static dynamic",
        "statically dynamically",
        "trusted untrusted",
        "tracked untracked",
        "typed untyped",
        "safe dangerous",
        "global local",
        "forward backward",
        "backwards forwards",
        "opaque transparent",
        "sparse dense",
        "shallow deep",
    )
)
ANTONYMS: dict[str, set[str]] = {}
for _one, _other in _ANTONYMS:
    ANTONYMS.setdefault(_one, set()).add(_other)
    ANTONYMS.setdefault(_other, set()).add(_one)
"""Pairs of opposites beside those of the thesaurus."""

CHANGES = _stems(
    "start stop open close add remove create push pull load unload connect disconnect lock unlock mount unmount enter "
    "leave install uninstall attach detach acquire release import export encode decode encrypt decrypt send receive"
)
"""Verbs of events whose opposite may happen, too: what starts may stop."""
FLIPPED = {word: SAME_AS.get(base, base) for word, base in OPPOSITES.items()}
"""The positive side of an opposite; the opposite is a denial of it."""
NEGATED_WEAK = WEAK | _stems("permit write appear create put add contain")
"""The same for what is forbidden: "raw SQL is banned", "never write raw SQL"."""
BOUNDED_WEAK = WEAK | _stems("keep accept contain drop duration")
"""The same for bounds: "batches are at most 64 kB", "a batch holds up to 64 kB"."""
DENIED_WEAK = WEAK | _stems("permit finish complete group bunch piece bowl")
"""The same for denials: "the migration is finished", "we have not migrated yet"."""
PARTNERS = {
    stem("come"): _stems("load read fetch take build publish generate provide"),
    stem("live"): _stems("keep locate"),
    stem("go"): _stems("send write add put"),
    stem("give"): _stems("specify express state"),
    stem("use"): _stems("write build"),
    stem("serve"): _stems("expose publish offer host"),
}
"""Verbs that a weak verb may stand for."""
SUPPORTING = _stems(
    "use do does done perform handle happen make made have has had get provide take give employ apply support run go "
    "set put keep carry enable need require allow serve be"
)
"""Verbs beside which a noun says what is done: "linting is done with Ruff"."""
LIFETIME = _stems("expire expiry valid ttl live last good lifetime end")
"""Words for how long something holds, beside a duration."""
TIMING = _stems(
    "startup runtime request boot install build deploy upload save ondemand login commit release morning evening "
    "night monday tuesday wednesday thursday friday saturday sunday first use view once eager lazy eagerly lazily "
    "time compile nightly realtime batch start end program process real each every"
)
"""Words that say when something happens."""
ADDITIVE = _stems(
    "require need demand call import include contain support depend allow forbid return log limit accept send "
    "export test check add name adopt reject cover mention pass talk post connect integrate load fetch read fail "
    "happen report see know find meet own work"
)
"""Verbs that can have several objects at once. A second object does not contradict the first."""
STANDING = _stems("listen have keep wait retry lifetime timeout expire last allow permit hold live run default")
"""Verbs of a state that has one value at a time."""
ASYMMETRIC = _stems("override precede outrank shadow supersede replace beat win extend inherit wrap outlive depend")
"""Verbs of a relation that does not hold in both directions."""
IMPERATIVES = _words(
    "use run set prefer keep put add write tag validate parse insert delete remove start begin do avoid negotiate "
    "ask open squash flush normalise normalize store call import commit merge rebase review rotate pin name raise "
    "log cache build deploy test check make take give return read send shuffle restart bake encrypt sign treat "
    "pass mark wrap create update enable disable verify follow choose pick install require allow document declare "
    "define format lint"
)
"""Verbs that open a request, also before a noun in the plural."""
NOMINAL = _words(
    "test build log cache store commit release tag import name format lint review document call check return read "
    "update start merge squash deploy pin mark pass sign set run put"
)
"""Those of them that are nouns, too: "test runs end at noon"."""
FINITE = _words(
    "go run live end expire come use need apply start stop fail get have must keep hold follow take make give "
    "contain talk speak share send require support return point depend belong exist listen wait lie wear write "
    "read win override precede"
)
"""Verbs that are likely finite behind a noun in the plural."""
_IRREGULAR = _words(
    "built run written kept set sent cut read made done held taken given drawn chosen shown put hit bound found "
    "lost left met paid told won split thrown fed led sold laid lit got gotten seen known begun driven hidden "
    "broken ridden overridden overwritten caught taught bought brought sought stuck spent bent swept"
)
"""Participles without "-ed"."""
PRODUCTS = _words(
    "node redis postgres mysql sqlite mariadb mongodb kafka rabbitmq nats celery flask django fastapi react vue "
    "angular svelte jest vitest mocha pytest cypress playwright webpack vite rollup esbuild npm yarn pnpm bun "
    "bazel gradle maven cmake meson ninja docker podman kubernetes nomad terraform pulumi ansible puppet helm "
    "kustomize jenkins circleci travis buildkite prometheus grafana influxdb datadog elasticsearch opensearch "
    "solr meilisearch typesense algolia nginx apache caddy envoy traefik haproxy vault consul etcd zookeeper rust "
    "java kotlin python ruby php perl scala elixir typescript javascript ruff flake8 pylint mypy pyright eslint "
    "prettier biome stylelint poetry pip uv conda hatch numpy pandas polars flink airflow dagster prefect dbt "
    "snowflake bigquery redshift duckdb clickhouse cassandra dynamodb neo4j s3 gcs minio sphinx mkdocs docusaurus "
    "hugo jekyll gcc clang msvc graphql grpc soap thrift json yaml toml xml csv parquet avro protobuf zod yup joi "
    "zustand redux mobx recoil tailwind bootstrap bcrypt argon2 scrypt jwt oauth saml oidc loki fluentd logstash "
    "sentry"
)
"""Names of tools and formats that are often written in lower case or begin a sentence."""


@lru_cache(maxsize=50_000)
def key_of(word: str) -> str:
    """Return the common form of a word in lower case: without ending, abbreviation, spelling or derivation."""
    if word == "typing":
        return word  # no kind of thing
    base = stem(word)
    base = SAME_AS.get(base) or SAME_AS.get(stem(base_of(base))) or base_of(base)
    if len(base) > 5 and base.endswith(("is", "isation", "ization")):
        base = base.replace("isation", "iz").replace("ization", "iz")
        base = base[:-2] + "iz" if base.endswith("is") else base
    if len(base) > 4 and base.endswith("our"):
        base = base[:-3] + "or"
    return SAME_AS.get(base, base)


@lru_cache(maxsize=20_000)
def is_adverb(word: str) -> bool:
    """Whether a word in lower case is an adverb: "manually", but not "reply" or "assembly"."""
    return word.endswith("ly") and not is_verb(stem(word)) and not has_kinds(stem(word))


def is_participle(word: str) -> bool:
    """Whether a word in lower case is a participle of the past: "moved", "written", "rebuilt"."""
    return word.endswith("ed") or word in _IRREGULAR or word.removeprefix("re") in _IRREGULAR


@lru_cache(maxsize=20_000)
def is_unknown(word: str) -> bool:
    """Whether a word is in no dictionary here, so that a capital makes it a name also where a sentence begins."""
    base = stem(word)
    return not (is_verb(base) or has_kinds(base) or base in SAME_AS or base_of(base) != base or word.endswith("ing"))
