"""The cache of comparisons saves time and changes no plan, after any change of the memory or of the file."""

import itertools
import json
import random
import shutil
import tempfile
import zlib
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from muninn_core.model.value import replace
from muninn_core.reconcile.comparison import candidates, known_texts, pairs
from muninn_core.reconcile.planning import comparison_cache, upkeep
from muninn_core.reconcile.planning.apply import reconcile
from muninn_core.reconcile.planning.plan import plan, read_memory
from muninn_core.store.files.layout import initialise, layout_of
from muninn_core.store.log import open_log
from muninn_core.store.records.ids import UlidGenerator

pytest_plugins = ["logs"]

PAIRS = Path(__file__).parents[2] / "bench/data/pairs.jsonl"
POOL = [
    each["text"]
    for row in map(json.loads, PAIRS.read_text("utf-8").splitlines())
    if row["label"] != "new"
    for each in (row["left"], row["right"])
][:60]

texts = st.lists(st.sampled_from(POOL), min_size=1, max_size=3).map(" ".join)
which = st.integers(0, 40)
changes = st.one_of(
    st.tuples(st.just("remember"), texts, st.sampled_from(["insight", "decision", "constraint", "attempt"])),
    st.tuples(st.just("update"), which, texts),
    st.tuples(st.sampled_from(["archive", "restore", "redact", "pin"]), which),
    st.tuples(st.just("reconcile")),
)


def store(log, *given, **fields):
    log.append([{"type": "insight", "actor": "user", "text": text, **fields} for text in given], "s1")
    log.seal()


def file_of(layout):
    return layout.cache / comparison_cache.NAME


def planned(layout, folder):
    """Return the plan with what is cached, which must be the one without."""
    fresh = replace(plan(replace(layout, cache=folder / "empty")), layout=layout)
    shutil.rmtree(folder / "empty")
    found = plan(layout)
    assert found == fresh
    assert upkept(layout, comparison_cache.load(file_of(layout))) == upkept(layout, None)
    return found


def upkept(layout, known):
    """Return the steps of upkeep of the active memories."""
    memories = read_memory(layout, with_spool=False).fold.state().memories.values()
    active = [each for each in memories if each.active and each.text]
    return upkeep.plan(active, {}, {}, set(), datetime(2030, 1, 1, tzinfo=UTC), 100, known)


@pytest.fixture
def counted(monkeypatch):
    """The texts that are read, the pairs whose words are compared, and the pairs that are judged."""
    seen = {"read": [], "compared": [], "judged": []}
    for module, name, what in (
        (known_texts, "words_of", "read"),
        (candidates, "_is_likely", "compared"),
        (pairs, "relate_texts", "judged"),
    ):
        real = getattr(module, name)
        monkeypatch.setattr(module, name, lambda *given, real=real, what=what: seen[what].append(given) or real(*given))
    return seen


@settings(max_examples=25, deadline=None)
@given(st.lists(changes, min_size=8, max_size=30))
def test_a_plan_does_not_depend_on_what_is_cached(history):
    with tempfile.TemporaryDirectory() as folder:
        layout, seconds = layout_of(Path(folder) / "repo"), itertools.count()

        def clock():
            return datetime(2026, 1, 7, tzinfo=UTC) + timedelta(seconds=next(seconds))

        initialise(layout, "# defaults\n")
        log = open_log(layout, clock=clock, ids=UlidGenerator(clock, random.Random(7).randbytes))
        for kind, *given in history:
            known = sorted(log.state.memories)
            if kind == "remember":
                store(log, given[0], type=given[1], agent=f"a{len(known) % 3}")
            elif kind == "reconcile":
                planned(layout, Path(folder))
                reconcile(log)
            elif known:
                fields = {"set": {"text": given[1]}} if kind == "update" else {}
                target = known[given[0] % len(known)]
                log.append([{"type": kind, "target": target, "actor": "user", **fields}], "s2")
                log.seal()
        assert planned(layout, Path(folder)).content == plan(layout).content


def test_a_second_plan_reads_and_judges_what_is_new(log, layout, counted):
    store(log, *POOL, *(" ".join(POOL[at : at + 3]) for at in range(0, 60, 5)))
    reconcile(log)
    first = {what: len(found) for what, found in counted.items()}
    assert min(first.values()) > 20
    for found in counted.values():
        found.clear()
    again = plan(layout)
    related = len(counted["judged"])
    assert (counted["read"], counted["compared"]) == ([], [])
    assert related < first["judged"] / 2
    new = "Backups of the ledger are encrypted with the key of the tenant."
    store(log, new)
    plan(layout)
    assert counted["read"] == [(new,), (new,)]  # as a text and as a sentence
    assert again.merges == ()


def test_pairs_that_were_not_compared_before_are_compared_although_both_texts_are_known(log, layout, tmp_path):
    """A word is rarer or more frequent with other memories beside it, and files tell which memories may relate."""
    store(log, "The upload limit is 10 MB", files=["a.py"], actor="assistant")
    store(log, "The upload limit is 20 MB", files=["b.py"])
    assert planned(layout, tmp_path).conflicts == ()
    (first, _) = sorted(log.state.memories)
    log.append([{"type": "update", "target": first, "actor": "user", "set": {"files": ["b.py"]}}], "s2")
    log.seal()
    assert len(planned(layout, tmp_path).conflicts) == 1
    crowd = [f"The upload limit is {number} MB" for number in range(30, 50)]
    store(log, *crowd)
    planned(layout, tmp_path)


@pytest.mark.parametrize("harm", ["cut", "short", "flipped", "noise", "empty", "folder", "link", "lengths", "numbers"])
def test_a_damaged_cache_costs_only_time(log, layout, tmp_path, harm):
    store(log, *POOL)
    wanted, path = plan(layout), file_of(layout)
    content = path.read_bytes()
    header, _, arrays = content.partition(b"\n")
    path.unlink()
    if harm == "folder":
        path.mkdir()
    elif harm == "link":
        (tmp_path / "elsewhere").write_bytes(content)
        path.symlink_to(tmp_path / "elsewhere")
    else:
        damaged = {
            "cut": content[:-9],
            "short": content[:20],
            "flipped": header + b"\n" + bytes([arrays[0] ^ 1]) + arrays[1:],
            "noise": random.Random(1).randbytes(5_000),
            "empty": b"",
            "lengths": content.replace(b'"lengths":[', b'"lengths":[-'),
            "numbers": _with_wrong_number(json.loads(header), arrays),
        }
        path.write_bytes(damaged[harm])
    assert plan(layout) == wanted
    if harm not in ("folder", "link"):
        assert path.read_bytes() == content


def _with_wrong_number(header, arrays):
    """A file with a right checksum, made by this version, whose first word is none of the vocabulary."""
    at = header["lengths"][0] * 8
    arrays = arrays[:at] + (2**31 - 1).to_bytes(4, "little") + arrays[at + 4 :]
    return json.dumps({**header, "checksum": zlib.crc32(arrays)}).encode() + b"\n" + arrays


def test_texts_that_are_not_the_same_event_can_contradict_each_other(log, layout, tmp_path):
    said = "The upload limit is 10 MB", "The upload limit is 20 MB"
    store(log, *said, type="attempt")
    assert planned(layout, tmp_path).conflicts == ()
    store(log, said[0], type="decision", actor="assistant")
    store(log, said[1], type="decision")
    assert len(planned(layout, tmp_path).conflicts) == 1


def test_the_cache_of_other_rules_or_of_another_python_is_not_used(log, layout, tmp_path, monkeypatch, counted):
    store(log, *POOL[:20])
    wanted = plan(layout)
    rules = tmp_path / "rules"
    shutil.copytree(Path(comparison_cache.__file__).parents[1], rules)
    monkeypatch.setattr(comparison_cache, "_RULES", rules)
    make = comparison_cache.rules_version.__wrapped__
    versions = [make()]
    assert versions == [comparison_cache.rules_version()]
    for name in ("language/thesaurus/words.txt", "language/vocabulary.py", "comparison/denial.py"):
        with (rules / name).open("a") as file:
            file.write("\n")
        versions.append(make())
    monkeypatch.setattr(comparison_cache.unicodedata, "unidata_version", "99.0")
    versions.append(make())
    assert len(set(versions)) == len(versions)
    monkeypatch.setattr(comparison_cache, "rules_version", make)
    counted["read"].clear()
    assert plan(layout) == wanted
    assert len(counted["read"]) > 20
    counted["read"].clear()
    assert plan(layout) == wanted
    assert counted["read"] == []


def test_the_cache_holds_no_words_and_nothing_of_a_memory_that_is_gone(log, layout):
    store(log, "Zebrafish tokens are rotated by the quokka service. Zebrafish keys are not.", *POOL[:10])
    plan(layout)
    before = file_of(layout).read_bytes()
    store(log, "The wombat ledger is written once a day. It is read by Xanthippe.")
    plan(layout)
    content = file_of(layout).read_bytes()
    assert len(content) > len(before)
    assert not [word for word in (b"ebra", b"quok", b"womb", b"anthip", b"ledger") if word in content.lower()]
    (gone,) = [memory.id for memory in log.state.memories.values() if "wombat" in memory.text]
    log.append([{"type": "archive", "target": gone, "actor": "user"}], "s2")
    log.seal()
    plan(layout)
    assert file_of(layout).read_bytes() == before


def test_a_dry_run_prepares_the_run(log, layout, counted):
    store(log, *POOL)
    reconcile(log, dry_run=True)
    assert file_of(layout).is_file()
    counted["read"].clear()
    reconcile(log)
    assert counted["read"] == []


def test_a_cache_that_cannot_be_written_costs_only_time(log, layout):
    store(log, *POOL[:10])
    wanted = plan(layout)
    shutil.rmtree(layout.cache)
    layout.cache.write_text("not a folder")
    assert plan(layout) == wanted
