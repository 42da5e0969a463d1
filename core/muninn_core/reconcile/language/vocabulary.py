"""Classes of words for the comparison of propositions: function words, verbs, persons, products."""

from __future__ import annotations

from functools import lru_cache

from muninn_core.reconcile.language.lexicon import stem, stem_set, word_set
from muninn_core.reconcile.language.synonyms import SAME_AS
from muninn_core.reconcile.language.thesaurus.table import base_of, has_kinds, is_verb

WEAK = stem_set(
    "use do does done perform handle happen make have has had get go goes run come live serve exist lie find "
    "found provide work employ utilise utilize leverage adopt follow apply set put mean type kind sort already "
    "fully exactly currently simply explicitly always still completely own actually generally normally usually "
    "both so there such must should will shall being been used use uses using take give carry that via please "
    "just remain stay enable active support listen yet base version require be it first once single everywhere "
    "rely like"
)
"""Words that one wording may have and another not."""

LIGHT = WEAK | stem_set(
    "limit size length long count number value rate amount maximum time duration version configure keep wait delay "
    "valid hold last expire retention level total default support accept capacity contain upload call allow "
    "setting each every power write build start lifetime"
)
"""Words that may differ besides a figure that differs."""

STOP = word_set(
    "a an the this that these those it its is are was were be been being am do does did has have had will shall "
    "should must or and but so of i we you they our your their us them my me he she his her who what which where "
    "there here than then just very always please all any each both every now us ever get gets got yes"
)
UNIVERSAL = word_set("all every each any")
MANY = word_set("several many multiple")
"""Words for more than one."""
BEING = word_set("is are was were be been being gets get got")
AUXILIARIES = BEING | word_set("has have had must should will shall may can do does did §may §maybe §not")
PREPOSITIONS = word_set(
    "in on at from to into onto with without using by via through for per as under inside within outside against "
    "of about over between among across around behind beside near above below off like toward towards out than"
)
LIMITS = {"before": "until", "until": "until", "till": "until", "within": "until", "after": "after", "for": "for"}
"""Words before an amount of time, and on which side of it something happens."""
PATHS = word_set("up down along past")
"""Prepositions behind an object, and particles behind a verb."""
NO = word_set("no none nor neither without")
"""Denials that are no part of a verb."""
PREFERRING = stem_set("prefer favour favor choose optimise optimize like better")
"""Stems of verbs behind which \"over\" names what is turned down."""
SUBORDINATORS = word_set("when if before after until till where")
PERSONS = stem_set("someone somebody anyone anybody person people everyone everybody team user admin member")
"""Words for those of whom "nobody" is said, beside kinds of persons."""
MACHINES = stem_set(
    "server worker client host agent driver runner reader writer monitor scheduler consumer producer owner"
)
"""Kinds of persons in the thesaurus that are programs here."""
DETERMINERS = word_set("a an the our your their its my this these those each every all any both")


NEGATED_WEAK = WEAK | stem_set("permit write appear create put add contain")
"""The same for what is forbidden: "raw SQL is banned", "never write raw SQL"."""
BOUNDED_WEAK = WEAK | stem_set("keep accept contain drop duration")
"""The same for bounds: "batches are at most 64 kB", "a batch holds up to 64 kB"."""
DENIED_WEAK = WEAK | stem_set("permit finish complete group bunch piece bowl")
"""The same for denials: "the migration is finished", "we have not migrated yet"."""
PARTNERS = {
    stem("come"): stem_set("load read fetch take build publish generate provide"),
    stem("live"): stem_set("keep locate"),
    stem("go"): stem_set("send write add put"),
    stem("give"): stem_set("specify express state"),
    stem("use"): stem_set("write build"),
    stem("serve"): stem_set("expose publish offer host"),
}
"""Verbs that a weak verb may stand for."""
SUPPORTING = stem_set(
    "use do does done perform handle happen make made have has had get provide take give employ apply support run go "
    "set put keep carry enable need require allow serve be"
)
"""Verbs beside which a noun says what is done: "linting is done with Ruff"."""
LIFETIME = stem_set("expire expiry valid ttl live last good lifetime end")
"""Words for how long something holds, beside a duration."""
TIMING = stem_set(
    "startup runtime request boot install build deploy upload save ondemand login commit release morning evening "
    "night monday tuesday wednesday thursday friday saturday sunday first use view once eager lazy eagerly lazily "
    "time compile nightly realtime batch start end program process real each every"
)
"""Words that say when something happens."""
ADDITIVE = stem_set(
    "require need demand call import include contain support depend allow forbid return log limit accept send "
    "export test check add name adopt reject cover mention pass talk post connect integrate load fetch read fail "
    "happen report see know find meet own work"
)
"""Verbs that can have several objects at once. A second object does not contradict the first."""
STANDING = stem_set("listen have keep wait retry lifetime timeout expire last allow permit hold live run default")
"""Verbs of a state that has one value at a time."""
ASYMMETRIC = stem_set("override precede outrank shadow supersede replace beat win extend inherit wrap outlive depend")
"""Verbs of a relation that does not hold in both directions."""
IMPERATIVES = word_set(
    "use run set prefer keep put add write tag validate parse insert delete remove start begin do avoid negotiate "
    "ask open squash flush normalise normalize store call import commit merge rebase review rotate pin name raise "
    "log cache build deploy test check make take give return read send shuffle restart bake encrypt sign treat "
    "pass mark wrap create update enable disable verify follow choose pick install require allow document declare "
    "define format lint"
)
"""Verbs that open a request, also before a noun in the plural."""
NOMINAL = word_set(
    "test build log cache store commit release tag import name format lint review document call check return read "
    "update start merge squash deploy pin mark pass sign set run put"
)
"""Those of them that are nouns, too: "test runs end at noon"."""
FINITE = word_set(
    "go run live end expire come use need apply start stop fail get have must keep hold follow take make give "
    "contain talk speak share send require support return point depend belong exist listen wait lie wear write "
    "read win override precede"
)
"""Verbs that are likely finite behind a noun in the plural."""
_IRREGULAR = word_set(
    "built run written kept set sent cut read made done held taken given drawn chosen shown put hit bound found "
    "lost left met paid told won split thrown fed led sold laid lit got gotten seen known begun driven hidden "
    "broken ridden overridden overwritten caught taught bought brought sought stuck spent bent swept"
)
"""Participles without "-ed"."""
PRODUCTS = word_set(
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
