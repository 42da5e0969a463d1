"""Reading and changing the configuration through verbs."""

from __future__ import annotations

import pytest

from muninn_core.errors import BadParams, NotFoundError

pytest_plugins = ["engines"]


def test_every_key_is_listed_with_its_value_and_origin(muninn):
    entries = {entry.key: entry for entry in muninn.call("config.list").entries}
    assert len(entries) > 30
    assert entries["memory.half_life_days"].origin == "default"
    assert entries["memory.half_life_days"].value == entries["memory.half_life_days"].default
    assert muninn.call("config.list", changed=True).entries == ()
    assert {entry.key.split(".")[0] for entry in muninn.call("config.list", section="check").entries} == {"check"}


def test_a_change_applies_at_once_and_names_its_line(muninn):
    done = muninn.call("config.set", key="memory.half_life_days", value="45")
    assert (done.changed, done.entry.value) == (True, "45")
    config = muninn.root / ".muninn" / "config.yaml"
    path, _, line = done.entry.origin.rpartition(":")
    assert path == ".muninn/config.yaml"
    assert config.read_text("utf-8").splitlines()[int(line) - 1].strip().startswith("half_life_days: 45")
    assert [entry.key for entry in muninn.call("config.list", changed=True).entries] == ["memory.half_life_days"]
    assert muninn.call("config.set", key="memory.half_life_days", value="45").changed is False
    muninn.call("config.set", key="memory.kinds", value="[runbook]")
    assert muninn.call("remember", text="Restart the worker.", type="runbook").memory.type == "runbook"


def test_a_key_can_be_reset(muninn):
    muninn.call("config.set", key="memory.half_life_days", value="45")
    done = muninn.call("config.unset", key="memory.half_life_days")
    assert (done.changed, done.entry.origin) == (True, "default")
    assert muninn.call("config.unset", key="memory.half_life_days").changed is False


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        ("memory.half_life_days", "soon", "'memory.half_life_days' can't be 'soon'"),
        ("memory.half_life_days", "-1", "'memory.half_life_days' can't be"),
        ("check.secrets", "loud", "'check.secrets' can't be 'loud'"),
        ("memory.kinds", "[a", "is not YAML"),
        ("memory.kinds", "", "can't be an empty value"),
    ],
)
def test_a_wrong_value_changes_nothing(muninn, key, value, message):
    config = muninn.root / ".muninn" / "config.yaml"
    before = config.read_bytes()
    with pytest.raises(BadParams, match=message.replace("[", r"\[")) as error:
        muninn.call("config.set", key=key, value=value)
    assert error.value.hint.startswith("It takes")
    assert config.read_bytes() == before


@pytest.mark.parametrize(
    ("key", "near"), [("half_life_days", "memory.half_life_days"), ("memory.halflife_days", "memory.half_life_days")]
)
def test_an_unknown_key_names_the_nearest(muninn, key, near):
    with pytest.raises(NotFoundError) as error:
        muninn.call("config.get", key=key)
    assert error.value.hint == f"Did you mean '{near}'?"
    with pytest.raises(NotFoundError, match="there is no section 'memry'"):
        muninn.call("config.list", section="memry")


def test_the_file_stays_readable_as_git_tracks_it(muninn):
    config = muninn.root / ".muninn" / "config.yaml"
    config.chmod(0o644)
    muninn.call("config.set", key="memory.half_life_days", value="45")
    assert config.stat().st_mode & 0o077 == 0o044


def test_a_file_that_a_person_edits_applies_to_the_next_call(muninn):
    config = muninn.root / ".muninn" / "config.yaml"
    config.write_text("memory: {kinds: [runbook]}\n")
    assert muninn.call("remember", text="Restart the worker.", type="runbook").memory.type == "runbook"
    config.unlink()
    with pytest.raises(BadParams, match="runbook"):
        muninn.call("remember", text="Restart the other worker.", type="runbook")
