"""The cached fold: opening with it gives the same state as reading all files, after any change to either."""

import itertools
import os
import random
import shutil
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from muninn_core.errors import StorageError
from muninn_core.store.files.layout import initialise, layout_of
from muninn_core.store.files.lines import read_lines
from muninn_core.store.folding import fold_cache, incremental_fold
from muninn_core.store.folding.lazy_mapping import each_value, passing_getter
from muninn_core.store.log import open_log
from muninn_core.store.records.ids import UlidGenerator

pytest_plugins = ["logs"]


def insight(text, **fields):
    return {"type": "insight", "text": text, "actor": "user", **fields}


@pytest.fixture
def aged(layout, monkeypatch):
    """A function that lets files look as if they had not changed for long."""
    real = fold_cache.save
    monkeypatch.setattr(incremental_fold, "save", lambda path, kept, memory: real(path, kept, memory, now=4e9))
    return layout.cache / fold_cache.NAME


@pytest.fixture
def filled(log, aged):
    """A log with changes, merges and a conflict, sealed in several segments and kept."""
    ids = []
    for session in range(4):
        facts = [insight(f"Fact {n}", key=f"k{n}", tags=["t"]) for n in range(10 * session, 10 * session + 10)]
        ids += [record.id for record in log.append(facts, f"s{session}")]
    log.append([insight("Odd", expires="2030-01-01T00:00:00Z", more=1)], "s1")
    log.append([{"type": "pin", "target": ids[3]}, {"type": "archive", "target": ids[4], "reason": "old"}], "s2")
    log.append([{"type": "merge", "keep": ids[5], "sources": [ids[6], ids[7]]}], "s2")
    log.append([{"type": "conflict", "left": ids[8], "right": ids[9], "reason": "both"}], "s3")
    log.append([{"type": "update", "target": "01absent000000000000000000", "set": {"text": "waits"}}], "s3")
    log.seal()
    log.layout.main.write_text("not json\n")
    log.refresh()
    assert log.save_cache(0)
    return log


def reads(monkeypatch):
    """Count the files that are read from now on."""
    read = []
    real = read_lines
    monkeypatch.setattr(
        incremental_fold, "read_lines", lambda content, shown: read.append(shown) or real(content, shown)
    )
    return read


def seen(log):
    return (log.state, dict(log.records), log.sealed_ids(), log.malformed, log.segments, log.unsealed)


def test_a_log_that_was_kept_opens_without_reading_a_file_and_says_the_same(filled, opened, aged, monkeypatch):
    read = reads(monkeypatch)
    again = opened()
    assert read == []
    found = seen(again)
    aged.unlink()
    assert found == seen(opened()) == seen(filled)
    assert len(read) == 5
    assert (again.state.active, len(again.state.conflicts), len(again.state.unresolved)) == (38, 1, 1)
    assert again.append([insight("once more", key="k7")], "s9")[0].data["text"] == "Fact 7"


def test_only_files_that_are_not_what_they_were_are_read(filled, opened, aged, layout, monkeypatch, tmp_path):
    first, second, third, *_ = sorted(layout.sessions.glob("*.jsonl"))
    first.write_text(first.read_text().replace("Fact", "Truth"))
    shutil.move(second, tmp_path / "away")
    (layout.sessions / "came.jsonl").write_text('{"ts":"2026-01-07T10:00:00Z","type":"insight","text":"came"}\n')
    read = reads(monkeypatch)
    found = seen(opened())
    assert {name.rpartition("/")[2] for name in read[:2]} == {first.name, "came.jsonl"}
    aged.unlink()
    assert found == seen(opened())
    third.unlink()
    shutil.move(tmp_path / "away", second)
    assert seen(opened())[0] == seen(opened(writable=False))[0]


def test_unsealed_and_private_records_are_not_cached_and_stay_in_the_state(filled, opened, aged, layout):
    target = next(iter(filled.state.memories))
    filled.append([insight("open thing")], "s8")
    filled.append([insight("hidden thing", private=True, key="hidden key")], "s8")
    filled.append([{"type": "update", "target": target, "set": {"text": "said anew in the spool"}}], "s8")
    before = seen(filled)
    assert not filled.save_cache(1)
    (layout.sessions / "came.jsonl").write_text('{"ts":"2026-01-07T10:00:00Z","type":"insight","text":"came"}\n')
    filled.refresh()
    assert filled.save_cache(1)
    content = aged.read_bytes()
    assert b"came" in content
    for text in (b"open thing", b"hidden thing", b"hidden key", b"said anew"):
        assert text not in content
    (layout.sessions / "came.jsonl").unlink()
    filled.refresh()
    assert seen(filled) == before
    reader = opened(writable=False)
    assert (reader.state, reader.unsealed) == (filled.state, filled.unsealed)


def test_memories_are_freed_created_again_and_read_in_passing(filled, opened, monkeypatch):
    monkeypatch.setattr("muninn_core.store.log.MANY_CREATED", 10)  # an answer about conflicts creates some
    monkeypatch.setattr("muninn_core.store.folding.lazy_mapping.MAX_KEPT", 1)
    changed, target, *_ = filled.state.memories
    filled.append([{"type": "update", "target": changed, "set": {"text": "said anew in the spool"}}], "s8")
    earlier, before = filled.state, dict(filled.state.memories)
    assert filled.release_memory()
    assert earlier.memories[target] is before[target]
    now = filled.state.memories
    assert now[changed] is before[changed]
    assert not filled.release_memory()
    assert [*each_value(now)] == [*before.values()]
    assert [*map(passing_getter(now), before)] == [*before.values()]
    assert passing_getter(now)("unknown") is None
    assert not filled.release_memory()  # reading in passing kept none
    assert now[target] == before[target] is not now[target]
    assert now[target] is now[target]
    fresh = opened(writable=False)
    assert [*each_value(fresh.state.memories)] == [*before.values()]


def test_reading_all_memories_in_turn_reads_ahead(filled, opened, monkeypatch):
    log, sizes, real = opened(), [], os.pread
    monkeypatch.setattr(os, "pread", lambda *given: sizes.append(given[1]) or real(*given))
    cached = log._fold.fold.cached
    found = [cached.passing_memory(number) for number in range(40)]
    assert len(sizes) <= 2
    cached.forget()
    assert [cached.passing_memory(number) for number in reversed(range(40))] == found[::-1]
    assert len(sizes) > 10


def test_a_file_that_has_just_changed_is_read_again(log, opened, layout, monkeypatch):
    log.append([insight("one")], "s1")
    log.seal()
    assert log.save_cache(0)
    read = reads(monkeypatch)
    assert opened().state == log.state
    assert len(read) == 1


def test_redacting_leaves_nothing_in_what_was_kept(filled, opened, aged):
    target = next(iter(filled.state.memories))
    assert b"Fact 0" in aged.read_bytes()
    filled.redact([target], texts=("Fact 0",), actor="user", session="s1")
    assert not aged.exists()
    assert filled.save_cache(0)
    assert b'"Fact 0"' not in aged.read_bytes()
    assert opened().state == filled.state


def test_little_is_not_worth_keeping_and_a_reader_keeps_nothing(log, opened, layout):
    log.append([insight("one")], "s1")
    log.seal()
    assert not log.save_cache()
    assert not opened(writable=False).save_cache(0)
    assert not layout.cache.exists()


def damage(content, how, chance):
    at = chance.randrange(len(content))
    match how:
        case "cut":
            return content[:at]
        case "flip":
            return content[:at] + bytes([content[at] ^ 1]) + content[at + 1 :]
        case "zeros":
            return content[:at] + bytes(len(content) - at)
        case "empty":
            return b""
        case "longer":
            return content + content[at:]
    return chance.randbytes(at)


@pytest.mark.parametrize("how", ["cut", "flip", "zeros", "empty", "longer", "noise"])
@pytest.mark.parametrize("seed", range(3))
def test_damage_of_the_cache_does_not_change_the_state(filled, opened, aged, how, seed):
    whole = filled.state
    aged.write_bytes(damage(aged.read_bytes(), how, random.Random(f"{how}{seed}")))
    log = opened()
    assert (log.state, dict(log.records)) == (whole, dict(filled.records))
    log.refresh()
    assert (log.state, dict(log.records)) == (whole, dict(filled.records))
    log.append([insight("goes on")], "s1")
    assert len(log.state.memories) == len(whole.memories) + 1


def test_an_inconsistent_part_of_the_cache_is_rebuilt(filled, opened, aged):
    content = aged.read_bytes()
    assert content.count(b'"Fact 11"') == 1
    aged.write_bytes(content.replace(b'"Fact 11"', b'"Lies 11"'))
    log = opened()
    assert log.state == filled.state
    assert log.refresh()
    assert not aged.exists()
    assert log.save_cache(1)
    assert opened().state == filled.state


def test_damage_of_the_only_copy_is_an_error(filled, opened, aged, layout):
    held = b'"Fact 11"'
    aged.write_bytes(aged.read_bytes().replace(held, b'"Lies 11"'))
    log = opened()
    before = log.state
    (segment,) = (path for path in layout.sessions.glob("*.jsonl") if held in path.read_bytes())
    segment.unlink()
    with pytest.raises(StorageError, match="damaged"):
        list(before.memories.values())
    assert log.refresh()
    assert log.state == opened(writable=False).state


def test_a_file_of_other_code_or_of_other_files_is_not_used(filled, opened, aged, layout, monkeypatch, tmp_path):
    monkeypatch.setattr(fold_cache, "code_version", lambda: b"0" * 16)
    read = reads(monkeypatch)
    assert opened().state == filled.state
    assert len(read) == 5
    monkeypatch.undo()
    clone = layout_of(tmp_path / "clone")
    initialise(clone, "")
    clone.cache.mkdir()
    shutil.copy(aged, clone.cache / fold_cache.NAME)
    assert dict(opened(clone).state.memories) == {}


moves = st.lists(
    st.tuples(st.sampled_from(["store", "change", "seal", "away", "back", "keep", "open"]), st.integers(0, 9))
)


@settings(max_examples=40, deadline=None)
@given(moves)
def test_a_reopened_log_equals_its_files_after_any_changes(tmp_path_factory, moves):
    layout = layout_of(tmp_path_factory.mktemp("kept") / "repo")
    initialise(layout, "")
    away = layout.root / "away"
    away.mkdir()
    clock = itertools.accumulate(itertools.repeat(timedelta(seconds=1)), initial=datetime(2026, 1, 7, tzinfo=UTC))

    def opened(**options):
        return open_log(
            layout,
            clock=clock.__next__,
            ids=UlidGenerator(clock.__next__, random.Random(len(moves)).randbytes),
            **options,
        )

    log = opened()
    with pytest.MonkeyPatch.context() as patch:
        real = fold_cache.save
        patch.setattr(incremental_fold, "save", lambda path, kept, memory: real(path, kept, memory, now=4e9))
        for move, number in moves:
            known = [*log.state.memories]
            segments = sorted(layout.sessions.glob("*.jsonl"))
            gone = sorted(away.glob("*.jsonl"))
            match move:
                case "store":
                    log.append([insight(f"Fact {number}")], f"s{number % 3}")
                case "change" if known:
                    target, other = known[number % len(known)], known[-1]
                    kinds = [
                        {"type": "archive", "target": target},
                        {"type": "update", "target": target, "set": {"text": "anew"}},
                        {"type": "supersede", "target": target, "by": other},
                        {"type": "merge", "keep": target, "sources": [other]},
                    ]
                    log.append([kinds[number % 4]], f"s{number % 3}")
                case "seal":
                    log.seal(f"s{number % 3}")
                case "away" if segments:
                    shutil.move(segments[number % len(segments)], away)
                case "back" if gone:
                    shutil.move(gone[number % len(gone)], layout.sessions)
                case "keep":
                    log.refresh()
                    log.save_cache(0)
                case "open":
                    log = opened()
        log.refresh()
        found = (log.state, log.sealed_ids(), dict(log.records))
        reader = opened(writable=False)
        assert found[0] == reader.state
        (layout.cache / fold_cache.NAME).unlink(missing_ok=True)
        anew = opened(writable=False)
        assert found == (anew.state, anew.sealed_ids(), dict(anew.records))


def test_a_file_that_is_no_file_is_no_reason_to_fail(filled, opened, aged):
    aged.unlink()
    aged.mkdir()
    assert opened().state == filled.state
    aged.rmdir()
    os.symlink("/dev/zero", aged)
    assert opened().state == filled.state


def test_memories_stay_the_same_objects_once_records_are_read_from_what_was_kept(filled):
    before, records = dict(filled.state.memories.items()), dict(filled.records)
    filled.append([insight("Not sealed")], "s9")
    assert filled.save_cache(0)
    assert all(filled.state.memories[identity] is memory for identity, memory in before.items())
    assert {identity: record for identity, record in filled.records.items() if identity in records} == records
    changed = next(iter(before))
    filled.append([{"type": "pin", "target": changed}], "s9")
    assert filled.state.memories[changed].pinned
    assert filled.state.active == 39
