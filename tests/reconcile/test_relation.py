"""Which texts state the same fact, which contradict each other, and which are neither; in both orders."""

import random

import pytest

from muninn_core.reconcile.comparison.pairs import compare_all
from muninn_core.reconcile.comparison.relation import MOST_CHARS, relate
from muninn_core.reconcile.language.quantity import read_quantity, unit_of
from muninn_core.reconcile.language.sentences import MOST_WORDS, sentences
from muninn_core.reconcile.language.thesaurus.table import are_antonyms, are_synonyms, base_of, is_kind_of
from muninn_core.reconcile.planning.apply import reconcile
from muninn_core.store.folding.fold import fold
from muninn_core.store.records.record import make_record

pytest_plugins = ["logs"]

SAME = """
Don't use the network, it isn't there. | Don't use the network; it isn't there.
Run `make lint` before every release. | Run 'make lint' before every release!
The parser rejects tabs. | Tabs are rejected by the parser.
We use Ruff for linting. | Linting is done with Ruff.
Removal of old rows takes place after 30 days. | Old rows are removed after 30 days.
The reports come from a replica of the database. | The reports come from a DB replica.
Set the request time-out to 8 seconds. | The request timeout should be set to 8s.
The rate limiter permits 50 calls per key. | The rate limiter allows 50 calls per key.
On Windows the installer needs administrator rights. | The installer needs administrator rights on Windows.
Never commit generated files. | Generated files must not be committed.
Never log card numbers. | Do not log card numbers.
The time-out of the geocoder is 4 s. | The timeout of the geocoder is 4 seconds.
The attachment limit is 2 GB. | Attachments are limited to 2048 MB.
Tokens expire after 5 minutes. | Tokens are valid for 300 seconds.
Ledger backups run every 12 hours. | Ledger backups run twice a day.
The search budget is a quarter of a second. | The search budget is 250 ms.
Use fixed point for positions. | Use fixed point for positions, because floats drift.
The exports are CSV, JSON and XML. | The exports are XML, CSV and JSON.
We use NATS as the event bus. | The event bus is NATS.
The desync came from unordered maps. | Unordered maps caused the desync.
Only the release bot may publish packages. | Nobody except the release bot may publish packages.
Book the trade before the risk check. | After the trade is booked, the risk check runs.
The uploader is writing chunks to the bucket. | Chunks are being written to the bucket by the uploader.
The limit for uploads is 2 GB. | The upload limit is 2 GB.
Replica lag caused the stale reads. | The stale reads were caused by replica lag.
The scanner deletes old rows every Sunday. | Old rows are deleted by the scanner every Sunday.
The exporter's default port is 9464. | By default, the exporter listens on port 9464.
There is no job writing to the ledger. | No job is writing to the ledger.
The name of the host is shown. | The host's name is shown.
The limit for old uploads is being raised. | The old uploads' limit is being raised.
Occupancy must not drop below 70 percent. | Occupancy has to stay at 70% or above.
One worker is polling the queue. | A worker is polling the queue.
A worker is polling a queue, which is empty. | A worker is polling an empty queue.
A leak is eating the heap. | The heap is being eaten by a leak.
An email is being read by a worker. | A worker is reading an email.
A worker is waiting beside a large and open pool. | A worker is waiting beside a pool which is open and large.
A host with a replica, which is idle, is serving requests. | An idle host with a replica is serving requests.
A writer and a reader are waiting. | A reader and a writer are waiting.
A worker is doing checks. | A worker is checking.
A worker is opening the archive with a key. | A worker is using a key to open the archive.
A worker is moving a small file. | A worker is moving a little file.
A reader is waiting and a writer is running behind it. | A reader is waiting and a writer is running behind.
Two jobs are waiting and a lock is being held by one of them. | Two jobs are waiting and one is holding a lock.
The gateway caches the JWK per tenant. | The gateway caches the JSON web key per tenant.
Keys are in lower case letters. | Keys are in lowercase letters.
The cause of the outage was a full disk. | The outage was caused by a full disk.
Ruff is our linter for notebooks. | Notebooks are linted with Ruff.
We fuzz the decoder before each tag. | Fuzzing the decoder is done before each tag.
Don't pin hashes; use the lock file. | Use the lock file rather than pinning hashes.
Support for Perl scripts was dropped. | Perl scripts are no longer supported.
The flush interval is 5 s. | We flush every 5 seconds.
No name may be longer than 8 letters. | Names have at most 8 letters.
It isn't possible to rename a tenant. | A tenant cannot be renamed.
Note: we decided to use Lua for plugins. | Lua is used for plugins.
Rows that have expired are purged. | Expired rows are purged.
Build with --no-cache on CI. | On CI, build with --no-cache.
We sign the build with the key. | We use the key to sign the build.
Writes are refused while the disk is full. | When the disk is full, writes are refused.
Calls are retried when the link is lost. | Calls are retried after the link is lost.
"""

CONTRADICTIONS = """
The service listens on port 80. | The service listens on port 81. | one says '80', the other '81'
Save files are limited to 4 MB. | Save files may be up to 16 MB. | one says '4 MB', the other '16 MB'
The event bus is NATS. | We use Kafka as our event bus. | one says 'NATS', the other 'Kafka'
The old table is gone. | The old table is still used. | one says the opposite of the other
Audit mode is on. | Audit mode is turned off. | one says the opposite of the other
We turn on compression for uploads. | We turn off compression for uploads. | one says the opposite of the other
The feed accepts stale quotes. | The feed rejects stale quotes. | one says the opposite of the other
Limits are read at startup. | Limits are read on every order. | one says 'startup', the other 'order'
Run the check first, then book it. | Book it before the check runs. | one puts first what the other puts last
Yes to soft deletes, no to triggers. | No to soft deletes, yes to triggers. | one states what the other denies
Use metres for physics and pixels for sprites. | Use pixels for physics and metres for sprites. | \
one exchanges what the other states
Only pharmacists can see dosages. | Every nurse can see dosages. | one says only what the other says of all
The engine is ClickHouse, not DuckDB. | The engine is DuckDB. | one uses 'DuckDB', the other turns it down
The job is running on Celery. | The job is running on Dramatiq. | one says 'Celery', the other 'Dramatiq'
There is no job writing to the ledger. | A nightly job is writing to the ledger. | one says the opposite of the other
There is no meal in the plan. | There is a breakfast in the plan. | one says the opposite of the other
Nobody reviews the schema. | Two people review the schema. | one says the opposite of the other
No jobs write to the ledger. | Some jobs write to the ledger. | one says the opposite of the other
The importer does not delete rows. | The importer deletes some rows. | one says the opposite of the other
The client does not keep a cache. | The client keeps a small cache. | one says the opposite of the other
The config is not checked. | The config is strictly checked. | one says the opposite of the other
The build is not signed and is not sent. | The build is signed and sent. | one says the opposite of the other
The replica is near the primary. | The replica is far from the primary. | one says the opposite of the other
The worker runs with a cache. | The worker runs without a cache. | one says the opposite of the other
No request is rejected. | Some requests are rejected. | one says the opposite of the other
Nobody is reading the log. | A new member on a phone is reading the log. | one says the opposite of the other
Nobody is reading the log. | An admin is reading the log and a job is waiting. | one says the opposite of the other
The worker is not reading rows. | The worker is reading old rows from a replica. | one says the opposite of the other
The worker is not reading some rows. | The worker is reading some rows. | one says the opposite of the other
The cook is not planning a meal. | The cook is planning a breakfast. | one says the opposite of the other
Nothing is cached. | Responses are cached. | one says the opposite of the other
Some workers are not reading. | Some workers are reading. | one says the opposite of the other
The build is not signed and is not sent. | The build is signed. | one says the opposite of the other
The queue is empty. | The queue is full of jobs. | one says the opposite of the other
The cache in Redis, which is shared, is small. | The cache in Redis, which is not shared, is small. | \
one says the opposite of the other
The pool, which is shared, is running. | The pool, which is shared, is not running. | one says the opposite of the other
Logs are never deleted before 30 days. | Logs are deleted before 30 days. | one says the opposite of the other
Sessions are closed within 10 minutes. | Sessions are closed after 10 minutes. | \
one says until a time what the other says after it
Data is not archived until 90 days. | Data is archived before 90 days. | \
one says until a time what the other says after it
The old codec is slower than the new one. | The old codec is faster than the new one. | \
one says the opposite of the other
Flags override the file. | The file overrides flags. | one puts first what the other puts last
.env files win over .envrc files. | .envrc files win over .env files. | one puts first what the other puts last
Each pod runs exactly one worker. | Each pod runs several workers. | one says of one what the other says of several
Every job has an owner. | Few jobs have an owner. | one says of few what the other says of all
Names have at most 8 letters. | There is no limit on the length of names. | one says never what the other says of a case
NATS is the default broker. | Kafka is the default broker. | one says 'NATS', the other 'Kafka'
Consul is our registry. | The registry is Eureka. | one says 'Consul', the other 'Eureka'
The flag has been removed from app.toml. | The flag is still in app.toml. | one says the opposite of the other
Jobs are sent synchronously. | Jobs are sent asynchronously. | one says the opposite of the other
The server is written in Go. | The server is written in Rust. | one says 'Go', the other 'Rust'
"""

NEITHER = """
While the disk is full, writes are refused. | Before the disk is full, writes are refused.
While the disk is full, writes are refused. | Before the disk is full, writes are accepted.
Tokens are renewed when they expire. | Tokens are renewed before they expire.
The queue is drained during the migration. | The queue is drained after the migration.
During the migration, writes wait for 5 s. | After the migration, writes wait for 10 s.
The worker is paused until the import runs. | The worker is paused while the import runs.
The default prompt suffix is ': '. | The default prompt suffix is ' > '.
Compare user ids with `==` in templates. | Compare user ids with `===` in templates.
Templates compare user ids with ==. | Templates compare user ids with ===.
The separator of exported rows is ';'. | The separator of exported rows is ','.
We test the parser. | We test with the parser.
The client authenticates tokens. | The client authenticates with tokens.
A person hammers a nail. | A person hammers with a nail.
A person hammering a nail | A person hammering with a camera
Hammering a nail | Hammering with a nail
We use the linter to check the plugin. | The linter is checked with the plugin.
The vault reads secrets. | Secrets are read from the vault.
Use the log for the index. | The log is written in the index.
Alice is a maintainer. | Bob is a maintainer.
The old codec is slower than the new one. | The new codec is faster than the old one.
Modules may depend on plugins. | Plugins may depend on modules.
Each user has exactly one role. | A role may have more than one user.
The docs are in English. | The docs are built with Sphinx.
There is no limit on the number of readers in the pool. | The pool opens readers lazily.
Never commit secrets; use the vault. | Only the vault provides secrets.
The script runs the migration. | The script runs after the migration.
We write logs to the bucket. | The bucket writes logs.
Deploy the chart. | Chart the deploys.
Only the leader can write. | The leader can only write.
The image is part of the release. | The release is part of the image.
The token of the user is stored in the session. | The session's token is stored for the user.
The types are imported by the model. | The types are imported from the model.
The logger is the first filter. | The first filter is logged.
The inlet valve is on pin 3. | The outlet valve is on pin 9.
Requests time out after 30 seconds. | Requests to the report endpoint time out after 120 seconds.
Caching is done in Redis. | Caching in Redis would be an option.
Some trades are booked by hand. | All trades are booked by hand.
Databases are backed up hourly. | Redis is backed up hourly.
The pump feeds the tank. | The tank feeds the pump.
The pump is filling the tank. | The tank is filling the pump.
The probe is moved into the tank. | The probe is moved out of the tank.
The sensor hangs in the tank. | The sensor hangs under the tank.
The probe is mounted on the wall. | The probe is taken off the wall.
The probe is running inside. | The probe is running outside.
The crew is racing for the lead. | The crew is leading the race.
The loader converts CSV to Parquet. | The loader converts Parquet to CSV.
Redis is the cache of the shop. | Redis is the queue of the shop.
The app needs Node 20. | The app needs 20 seconds.
The crash was fixed in version 3.1. | The crash was fixed in version 3.10.
Build 4123 took 7 minutes. | Build 4187 took 9 minutes.
The audit of 2 March found 6 gaps. | The audit of 9 March found 2 gaps.
The latency rose to 300 ms. | The latency rose to 500 ms.
The export supports CSV. | The export supports JSON.
The test failed because the disk was full. | The test failed because the port was taken.
The bot and the reviewer are leaving after the merge. | The bot is leaving the reviewer after the merge.
The cache is loaded into the index. | The index is loaded into the cache.
A node is watching a probe. | A probe is being watched over a node.
The staging cluster has a read replica. | The read cluster has a staging replica.
A red alert opens a ticket in the queue. | An alert opens a red ticket in the queue.
The proxy runs behind the firewall. | The proxy runs near the firewall.
The tests are written by the firmware team. | The tests are written for the firmware team.
The token is sent by the broker. | The token is sent to the broker.
The frame is shown with the menu. | The frame is shown in the menu.
A monitor with a probe is being polled in the rack. | A monitor is polling a probe in the rack.
The scheduler and two workers are waiting for a lock. | The scheduler is waiting for two workers for a lock.
The parser is preparing the cache for the index. | The parser is preparing the index in the cache.
The host is listening to a replica syncing. | The host is syncing a replica.
The tool is drawing a graph. | The tool is taking a graph of a drawing.
The queue is very short. | The queue is short.
The job is running on the host. | The job is lying on the host.
A worker is reading from the queue. | A worker is reading from the table.
A job is running on host 3. | A job is running on host 4.
A valve is opening behind the pump. | A valve is closing behind the pump.
A lamp is on the desk. | A lamp is on the shelf.
The limit is on the gateway. | The limit is off.
Requests with a token are logged. | Requests without a token are logged.
A job with a lease is retried. | A job with no lease is retried.
Uploads are not cached. | Avatar uploads are cached.
No upload is cached. | Avatar uploads are cached.
Nobody writes to the ledger. | The server writes to the ledger.
Tests do not touch the network. | Some tests touch the network.
The client does not log bodies. | The client logs failed bodies.
The rules are not written. | The rules are written in assembly.
There is no breakfast in the plan. | There is a meal in the plan.
Logs are never deleted before 30 days. | Logs are deleted after 30 days.
Logs are never deleted before 30 days. | Logs are never deleted after 30 days.
Logs are never deleted before 30 days. | Logs are deleted.
Never deploy after 16:00. | Deploy before 16:00.
Tokens are not valid after 5 minutes. | Tokens are valid for 5 minutes.
Backups are kept until March. | Backups are not kept after March.
Requests are never retried within 2 seconds. | Requests are retried after 2 seconds.
Leases are renewed after 10 s before the expiry. | Leases are renewed 10 s before the expiry.
Most tests are flaky. | A few tests are flaky.
Some workers do not read. | Some workers read.
A worker is not reading. | A mail worker is reading.
The owner of the host is shown. | The host of the owner is shown.
The log is being written by the job. | The job is being written by the log.
A job on a host is waiting on a lock. | A job on a lock is waiting on a host.
A monitor is watching a host that is polling a queue. | A monitor is polling a host that is watching a queue.
The job is pushing an old log up a new queue. | The job is pushing a new log up an old queue.
The job of a small host is running. | A job, which is small, is running on a host.
The host's jobs are running in a lane. | Jobs are hosting a running lane.
The cache in Redis, which is shared, is read hourly. | The cache in Redis, which is shared, is read in parallel.
The log is read by the job. | The job is read by the log.
The leak is eating the heap. | The leak is being eaten by the heap.
A row is being cut with filters. | A row and filters both cut.
A job is running after a small check on a large host. | A job is running after a large check on a small host.
A job is waiting on a lock on a table. | A job is waiting on a table on a lock.
A reader is waiting and a writer is polling. | A writer is waiting and a reader is polling.
A worker is running on the host and polling a queue. | A worker is polling a queue on the host.
A log is being carried by a worker. | A log is by a worker.
A worker is standing still. | A worker is standing.
A worker is waiting at the lock. | A worker is waiting with the lock.
A worker is writing to the log. | A worker is writing the log.
A worker is polling outside. | A worker is polling.
A worker is polling the queue. | The workers are polling the queue.
A worker is wiping the table. | A worker is dropping the table.
A worker is filling a pool for threads. | A worker is filling a thread pool.
A worker is polling a queue, which is empty. | A worker is polling a queue.
"""


def rows(table):
    return [tuple(cell.strip() for cell in line.split("|")) for line in table.strip().splitlines()]


@pytest.mark.parametrize(("one", "other"), rows(SAME))
def test_one_fact_in_two_wordings_is_the_same_in_both_orders(one, other):
    assert relate(one, other).verdict == relate(other, one).verdict == "same"


@pytest.mark.parametrize(("one", "other"), rows(SAME))
def test_two_wordings_of_one_fact_are_compared_at_all(one, other):
    records = [
        make_record({"id": name, "ts": "2026-01-07T10:00:00Z", "type": "decision", "text": text})
        for name, text in (("a", one), ("b", other))
    ]
    assert compare_all(list(fold(records).memories.values()), set()).merges == (("a", "b"),)


@pytest.mark.parametrize(("one", "other", "reason"), rows(CONTRADICTIONS))
def test_a_contradiction_names_its_reason_and_the_sides_in_the_order_of_the_question(one, other, reason):
    assert relate(one, other).reason == reason
    turned = relate(other, one)
    assert turned.verdict == "contradiction"
    assert turned.sides == relate(one, other).sides[::-1]


@pytest.mark.parametrize(("one", "other"), rows(NEITHER))
def test_near_misses_are_neither_merged_nor_disputed(one, other):
    assert relate(one, other).verdict == relate(other, one).verdict == "apart"


@pytest.mark.parametrize(
    ("words", "quantity", "unit"),
    [
        ("0.5 s", "500 ms", "time"),
        ("half a second", "500 ms", "time"),
        ("1 gib", "1073741824 byte", "byte"),
        ("2048 mb", "2000000000 byte", "byte"),
        ("1000 mb", "1000000000 byte", "byte"),
        ("1,204", "1204", ""),
        ("daily", "every 86400000 ms", "every"),
        ("twice a day", "every 43200000 ms", "every"),
        ("every 24 hours", "every 86400000 ms", "every"),
        ("1000 times per second", "1000 hz", "hz"),
        ("1 khz", "1000 hz", "hz"),
        ("one year", "12 month", "time"),
        ("2.10", "2.10", ""),
    ],
)
def test_figures_and_units_have_one_form(words, quantity, unit):
    found = read_quantity(words.split(), 0)
    assert found == (quantity, len(words.split()))
    assert unit_of(quantity) == unit


def test_a_figure_of_thousands_of_digits_stops_no_reconcile(log):
    digits = "7" * 5_000
    assert read_quantity([digits], 0) == (digits, 1)
    one, other = f"The modulus of the key is {digits}.", f"The modulus of the key is {digits}1."
    ids = stored(log, one, other)
    reconcile(log)
    assert log.state.memories[ids[0]].superseded_by == ids[1]


def test_a_list_without_full_stops_is_read_in_pieces():
    names = " ".join(f"part{number}.py," for number in range(1_000))
    pieces = sentences(f"These files are generated: {names}")
    assert max(len(piece.split()) for piece in pieces) == MOST_WORDS
    assert "".join("".join(pieces).split()) == "".join(f"These files are generated: {names}".split())
    prose = " ".join(["word"] * MOST_WORDS)
    assert sentences(prose) == (prose,)


def test_very_long_texts_are_the_same_if_all_words_are_equal_and_else_not_compared():
    text = " ".join(f"Part {number} is kept in the store of part {number + 1}." for number in range(250))
    assert len(text) > MOST_CHARS
    ending = "The request timeout is"
    assert relate(f"{text} {ending} 5 s.", f"{text} {ending} 5 s!").verdict == "same"
    assert relate(f"{text} {ending} 5 s.", f"{text} {ending} 9 s.").verdict == "apart"
    assert relate(f"{ending} 5 s.", f"{ending} 9 s.").verdict == "contradiction"


def test_words_that_are_no_figure_are_none():
    assert read_quantity(["every", "valve"], 0) is None
    assert read_quantity(["once"], 0) is None


def test_the_thesaurus_knows_synonyms_antonyms_kinds_and_base_forms():
    assert are_synonyms("permit", "allow")
    assert not are_synonyms("truck", "vehicl")
    assert is_kind_of("breakfast", "meal")
    assert not is_kind_of("meal", "breakfast")
    assert are_antonyms("accept", "reject")
    assert base_of("removal") == "remov"
    assert base_of("unknownword") == "unknownword"


SERVICES = ("billing", "catalog", "ledger", "search", "mailer", "gateway", "importer", "scheduler", "invoice", "login")
SERVICES += ("audit", "crawler", "pricing")
TEMPLATES = """
The {s} service listens on port {n}.
The {s} service keeps logs for {d} days.
The {s} worker runs with {k} threads.
Error {n} of the {s} service means that the request was malformed.
The {s} table has {n} rows.
{S} batches have {n} rows.
Ticket {n} is about the {s} page.
Zone {k} of the {s} cluster has {d} nodes.
On {d} May the p95 of the {s} route was {n} ms.
Build {n} of the {s} service took {d} minutes.
The {s} API allows {n} requests per minute.
The {s} database is Postgres {k}.
The {s} cache holds {n} entries.
Step {k} of the {s} import writes the manifest.
The fix for bug {n} in {s} is in release {k}.
"""
OF_ONE_SUBJECT = """
Build {i} took {d} minutes.
Ticket {i} is about the login loop.
Zone {i} has {d} valves.
Test {i} fails on Windows.
Release 2.{i} fixed the crash on start.
See ticket {i} for the background.
The crash was fixed in version 3.{i}.
Host web-{i} has 64 GB of RAM.
The export supports format {i}.
Customer {i} pays {d} euros a month.
"""


def look_alikes():
    chance = random.Random(3)
    texts = [
        template.format(s=s, S=s.capitalize(), n=chance.randrange(100, 999), d=chance.randrange(2, 60), k=i + 2)
        for i, s in enumerate(SERVICES)
        for template in TEMPLATES.strip().splitlines()
    ]
    texts += [
        template.format(i=i, d=chance.randrange(2, 60))
        for i in range(10, 42)
        for template in OF_ONE_SUBJECT.strip().splitlines()
    ]
    chance.shuffle(texts)
    return texts


def test_none_of_500_similar_facts_is_merged_superseded_or_disputed():
    texts = look_alikes()
    assert len(texts) >= 500
    records = [
        make_record(
            {"id": f"{i:04}", "ts": f"2026-01-07T10:{i // 60:02}:{i % 60:02}Z", "type": "insight", "text": text}
        )
        for i, text in enumerate(texts)
    ]
    found = compare_all(list(fold(records).memories.values()), set())
    assert (found.merges, found.replaced, found.contradictions) == ((), (), ())


def stored(log, *texts, **fields):
    ids = []
    for number, text in enumerate(texts):
        records = [{"type": "decision", "actor": "user", "text": text, **fields}]
        ids += [record.id for record in log.append(records, f"s{number}")]
    log.seal()
    return ids


def test_a_newer_value_of_the_same_author_supersedes_the_older_until_a_person_revokes_it(log):
    old, new = stored(log, "The pool is limited to 20 connections", "The pool is limited to 50 connections")
    outcome = reconcile(log)
    assert [(each.newer, each.older) for each in outcome.superseded] == [(new, old)]
    assert outcome.summary == "2 memories consolidated, 0 duplicates removed, 1 superseded, 0 conflicts"
    assert log.state.memories[old].superseded_by == new
    log.append([{"type": "supersede", "target": old, "by": None, "actor": "user"}], "s9")
    log.seal()
    assert reconcile(log).superseded == ()
    assert log.state.memories[old].active
    assert log.state.memories[new].active


def test_a_sentence_of_a_longer_memory_contradicts_another_one(log):
    long = (
        "Validation errors return 422 and not 400: the body was understood but its values are wrong. "
        "Clients relied on 400 until version 0.5. The handler of errors maps both."
    )
    others = "The schema is compiled once for each route.", "Clients relied on polling until version 0.5."
    ids = stored(log, long, *others, "Validation errors return 400 and not 422.")
    reconcile(log)
    (dispute,) = log.state.conflicts
    assert {dispute.left, dispute.right} == {ids[0], ids[-1]}
    assert dispute.reason == "one prefers what the other turns down"


def test_a_value_of_another_person_makes_a_conflict_instead(log):
    for number, author in enumerate(("Ann", "Cy", "Ann")):
        text = f"The pool is limited to {20 + number} connections"
        log.append([{"type": "decision", "actor": "user", "author": author, "text": text}], f"s{number}")
    log.seal()
    outcome = reconcile(log)
    memories = log.state.memories
    assert [(memories[one.newer].text[-14:], memories[one.older].text[-14:]) for one in outcome.superseded] == [
        ("22 connections", "20 connections")
    ]
    (dispute,) = log.state.conflicts
    assert {memories[dispute.left].author, memories[dispute.right].author} == {"Ann", "Cy"}


def test_a_value_of_another_author_makes_a_conflict_instead(log):
    old, _ = stored(log, "Jobs are stored in Redis", "Jobs run on one host")
    log.append([{"type": "decision", "actor": "assistant", "text": "Jobs are stored in Postgres"}], "s7")
    log.seal()
    outcome = reconcile(log)
    assert (outcome.superseded, outcome.conflicts) == ((), 1)
    assert log.state.memories[old].active


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (
            "spans stays in expression.py and does not call Corpus.",
            "spans stays in expression.py and does not call Index.",
        ),
        ("The parser does not run in the worker.", "The parser does not run in the daemon."),
        ("Tokens are not stored in Redis.", "Tokens are not stored in Memcached."),
        ("Rows are not kept in Postgres.", "Rows are not kept in MySQL."),
    ],
)
def test_values_that_both_deny_do_not_exclude_each_other(one: str, other: str) -> None:
    assert relate(one, other).verdict == "apart"
    affirmed = [text.replace(" does not", "").replace(" not", "") for text in (one, other)]
    assert relate(one, affirmed[0]).verdict == "contradiction"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The client is not public.", "The client is not private."),
        ("Jobs are not retried more than 3 times.", "Jobs are not retried more than 5 times."),
        ("Tokens are stored in Redis.", "Tokens are stored in Memcached."),
    ],
)
def test_of_two_values_only_and_of_limits_the_denials_do(one: str, other: str) -> None:
    assert relate(one, other).verdict == "contradiction"
