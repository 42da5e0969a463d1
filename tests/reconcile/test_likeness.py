"""Which sentences are the same, which contradict each other, and which have nothing to do with each other."""

import pytest

from muninn_core.reconcile.comparison.pairs import compare_all
from muninn_core.store.folding.fold import fold
from muninn_core.store.records.record import make_record


def compared(left, right, *, kinds=("insight", "insight"), more=({}, {})):
    records = [
        make_record({"id": id_, "ts": "2026-01-07T10:00:00Z", "type": kind, "session": id_, "text": text, **fields})
        for id_, text, kind, fields in zip("ab", (left, right), kinds, more, strict=True)
    ]
    memories = list(fold(records).memories.values())
    found = compare_all(memories, set())
    if found.merges:
        return "same"
    reasons = [reason for *_, reason in (*found.contradictions, *found.replaced)]
    return reasons[0] if reasons else "apart"


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("API uses FastAPI dependency injection", "The API is using dependency injection from FastAPI."),
        ("We use pytest for all tests", "All tests use pytest"),
        ("The timeout is 30 seconds", "The timeout is 30s"),
        ("Do not log request bodies", "Request bodies must not be logged"),
        ("The retry limit is three", "The retry limit is 3"),
        ("The timeout is 2 minutes", "The timeout is 120 s"),
        ("Rotate keys every quarter", "Keys are rotated every quarter"),
        ("The state of the cart is held in Zustand", "The cart's state is kept in Zustand"),
        ("Use factories instead of fixtures", "Factories are used instead of fixtures"),
        ("Queries may not lock tables", "Queries must not lock tables"),
        ("Das Modul nutzt Redis als Speicher", "Das Modul nutzt Redis als Speicher."),
    ],
)
def test_the_same_in_other_words(left, right):
    assert compared(left, right) == compared(right, left) == "same"


@pytest.mark.parametrize(
    ("left", "right", "reason"),
    [
        ("module X uses pattern A", "module X uses pattern B", "one says 'A', the other 'B'"),
        ("Use tabs for indentation", "Use spaces for indentation", "one says 'tabs', the other 'spaces'"),
        ("Retry requests up to 3 times", "Retry requests up to five times", "one says '3', the other 'five'"),
        ("Never log request bodies", "Always log request bodies", "one says the opposite of the other"),
        ("Caching is enabled in production", "Caching is disabled in production", "one says the opposite of the other"),
        ("Sessions are stored in Redis", "Sessions are stored in Postgres", "one says 'Redis', the other 'Postgres'"),
        ("Prefer redis over memcached", "Prefer memcached over redis", "one prefers what the other turns down"),
        ("Rates are 100 requests a minute", "Rates are 1000 requests a minute", "one says '100', the other '1000'"),
        ("Node 20 is required here", "Node 18 is required here", "one says '20', the other '18'"),
        ("In tests `limit` is 5s", "`limit` is 30s in tests", "one says '5 s', the other '30 s'"),
        ("Forms are validated with Zod", "Forms are validated with Yup", "one says 'Zod', the other 'Yup'"),
        (
            "Terraform state is stored in an S3 bucket",
            "Terraform state is stored in Terraform Cloud",
            "one says 'S3 bucket', the other 'Terraform Cloud'",
        ),
        (
            "Prefer dataclasses over pydantic models for values",
            "Prefer pydantic models over dataclasses for values",
            "one prefers what the other turns down",
        ),
        (
            "Responses are never cached",
            "Responses are cached for five minutes",
            "one says never what the other says of a case",
        ),
        ("Migrate before the tests", "Migrate after the tests", "one puts first what the other puts last"),
        (
            "`max_size` is set to `load_all`",
            "`max_size` is set to `load_one`",
            "one says 'load_all', the other 'load_one'",
        ),
    ],
)
def test_contradictions(left, right, reason):
    assert compared(left, right) == reason


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("Service A calls service B", "Service B calls service A"),
        ("Auth calls billing", "Billing calls auth"),
        ("Auth is called by billing", "Auth calls billing"),
        ("module X uses pattern A", "module Y uses pattern A"),
        ("Use tabs for Python", "Use tabs for Go"),
        ("Task 12 is done", "Task 13 is done"),
        ("load_user caches rows", "load_team caches rows"),
        ("Redis is fast", "The build needs a compiler"),
        ("Logs are kept for 30 days", "Access logs are kept for 30 days"),
        ("The indexer feeds the parser", "The parser feeds the indexer"),
        ("Pods died because the disk was full", "The disk was full because pods died"),
        ("Copying rows from the cache to the queue is slow", "Copying rows from the queue to the cache is slow"),
        ("Read the settings from the cache", "Read the settings to the cache"),
        ("Handlers may retry a request", "Handlers must retry a request"),
        ("Do not log access tokens", "Do not log request bodies"),
        ("Admin routes require the VPN", "Admin routes require certificates"),
        ("Releases on main are tagged", "Releases on main are signed"),
        ("Uploads are cached", "Uploads are not cached by the proxy of the edge"),
    ],
)
def test_sentences_about_different_things(left, right):
    assert compared(left, right) == compared(right, left) == "apart"


def test_the_same_words_about_other_files_are_another_insight():
    text = "Retries back off exponentially"
    assert compared(text, text, more=({"files": ["a.py"]}, {"files": ["b.py"]})) == "apart"
    assert compared(text, text, more=({"files": ["a.py"]}, {"files": ["b.py", "a.py"]})) == "same"
    assert compared(text, text, more=({"files": ["a.py"]}, {})) == "same"


def test_the_same_words_of_another_kind_other_details_or_from_outside_are_not_merged():
    text = "Builds run on one core"
    assert compared(text, text, kinds=("insight", "reference")) == "apart"
    assert compared(text, text, more=({"details": {"exit_status": 1}}, {"details": {"exit_status": 2}})) == "apart"
    assert compared(text, text, more=({"actor": "user"}, {"actor": "import"})) == "apart"


def test_claims_of_different_kinds_contradict_and_events_never_do():
    left, right = "The billing service must use port 8080", "The billing service uses port 9090"
    assert compared(left, right, kinds=("constraint", "decision")) == "one says '8080', the other '9090'"
    assert compared(left, right, kinds=("insight", "decision")) == "apart"
    assert compared(left, right, kinds=("attempt", "attempt")) == "apart"
