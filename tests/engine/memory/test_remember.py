"""Storing, listing and forgetting memories."""

from __future__ import annotations

import os
from threading import Thread

import pytest
from repositories import git

from muninn_core.errors import BadParams, NotFoundError, NotInitialised, UsageError
from muninn_core.protocol.families.memory import MAX_TEXT_CHARS
from muninn_core.store.files.disk import TEMPORARY, write_atomic

pytest_plugins = ["engines"]


def test_texts_beyond_the_limit_are_refused_with_the_limit(muninn):
    (kept,) = muninn.call("remember", text="short").ids
    too_long = "x" * (MAX_TEXT_CHARS + 1)
    with pytest.raises(BadParams, match=r"'batch\[1\]\.text' must be a text of at most 200,000 characters"):
        muninn.call("remember", batch=[{"text": "shorter"}, {"text": too_long}])
    with pytest.raises(BadParams, match="'text' must be a text of at most 200,000 characters"):
        muninn.call("update", id=kept, text=too_long)
    assert muninn.call("memories").total == 1


def test_a_new_memory_is_recalled_at_once(muninn):
    stored = muninn.call("remember", text="Sessions live in Redis because cookies were too small.", type="decision")
    first = muninn.call("recall", query="where do sessions live", kind="memory").hits[0]
    assert first.id == stored.ids[0] == stored.memory.id
    assert first.text == "Sessions live in Redis because cookies were too small."


def test_a_memory_carries_branch_and_commit_of_the_moment(muninn):
    memory = muninn.call("remember", text="Names are unique.").memory
    assert memory.commit == git(muninn.root, "rev-parse", "HEAD").strip()
    assert memory.branch == "main"


def test_a_batch_is_stored_in_one_go_and_in_its_order(muninn):
    texts = [f"Fact number {number} is about users." for number in range(20)]
    result = muninn.call("remember", batch=[{"text": text} for text in texts])
    assert [muninn.call("memories", id=identity).memories[0].text for identity in result.ids] == texts
    assert result.memory is None


def test_one_bad_memory_in_a_batch_keeps_all_of_it_out(muninn):
    with pytest.raises(BadParams):
        muninn.call("remember", batch=[{"text": "Good."}, {"text": "Bad.", "type": "decison"}])
    assert muninn.call("memories").total == 0


def test_the_same_key_is_stored_once(muninn):
    first = muninn.call("remember", text="Once.", key="k1")
    again = muninn.call("remember", text="Once.", key="k1")
    assert again.ids == first.ids
    assert muninn.call("memories").total == 1


def test_a_key_is_still_known_after_a_restart(muninn, start):
    first = muninn.call("remember", text="Once.", key="k1")
    muninn.engine.close()
    later = start(muninn.root)
    assert later.call("remember", text="Once.", key="k1").ids == first.ids
    assert later.call("memories").total == 1


def test_a_misspelt_kind_names_the_nearest(muninn):
    with pytest.raises(BadParams) as error:
        muninn.call("remember", text="We chose it.", type="decison")
    assert "'decison'" in error.value.message
    assert error.value.hint == "Did you mean 'decision'?"


def test_the_configuration_can_add_a_kind(muninn):
    (muninn.root / ".muninn" / "config.yaml").write_text("memory:\n  kinds: [runbook]\n")
    muninn.touch(".muninn/config.yaml")
    assert muninn.call("remember", text="Restart it twice.", type="runbook").memory.type == "runbook"


@pytest.mark.parametrize("path", ["../other.py", "/etc/passwd", "src/../../x", "../" * 50 + "etc/passwd"])
def test_a_file_outside_the_work_tree_is_refused(muninn, path):
    with pytest.raises(BadParams, match=f"outside the work tree {muninn.root}"):
        muninn.call("remember", text="About something.", files=[path])


@pytest.mark.parametrize("path", [".", "./", "src/.."])
def test_the_work_tree_itself_is_no_file(muninn, path):
    with pytest.raises(BadParams, match=f"'{path}' is the work tree itself") as refused:
        muninn.call("remember", text="About something.", files=[path])
    assert "below its root" in refused.value.hint


@pytest.mark.parametrize("path", ["", " ", "src/nul\0.py", "n" * 300, "/".join(["deep"] * 10_000)])
def test_an_invalid_path_is_refused(muninn, path):
    with pytest.raises(BadParams, match="is not a path"):
        muninn.call("remember", text="About something.", files=[path])


def test_a_link_that_leads_outside_the_work_tree_is_refused(muninn, tmp_path):
    (muninn.root / "out").symlink_to(tmp_path)
    with pytest.raises(BadParams, match=r"leads outside the work tree .* through a symbolic link"):
        muninn.call("remember", text="About something.", files=["out/secret.txt"])


@pytest.mark.skipif(os.name == "nt", reason="there such a path is one of this machine")
def test_a_path_of_another_machine_is_refused(muninn):
    with pytest.raises(BadParams, match="a path of another machine"):
        muninn.call("remember", text="About something.", files=[r"C:\src\users.py"])


def test_a_file_may_be_named_in_any_way_that_leads_inside(muninn):
    files = ["src/users.py", "./src/../src/users.py", str(muninn.root / "src" / "users.py"), "src\\users.py"]
    assert set(muninn.call("remember", text="About users.", files=files).memory.files) == {"src/users.py"}


def test_a_file_may_be_named_through_a_link_to_the_repository(muninn, tmp_path):
    (tmp_path / "alias").symlink_to(muninn.root)
    stored = muninn.call("remember", text="About users.", files=[str(tmp_path / "alias" / "src" / "users.py")])
    assert stored.memory.files == ("src/users.py",)


def test_fields_of_a_memory_beside_a_batch_are_refused(muninn):
    for given in ({"text": "One."}, {"tags": ["net"]}, {"private": True}, {"type": "decision", "importance": 9}):
        with pytest.raises(BadParams, match=f"'{next(iter(given))}' is given beside a batch") as error:
            muninn.call("remember", batch=[{"text": "Two."}], **given)
        assert all(f"`{name}`" in error.value.hint for name in given)
    assert muninn.call("memories").total == 0


def test_an_empty_text_is_refused(muninn):
    with pytest.raises(BadParams, match="nothing to remember"):
        muninn.call("remember", text="  \n")


def test_a_secret_is_masked_and_counted(muninn):
    token = "ghp_" + "a1B2c3D4e5" * 3 + "a1B2c3"
    stored = muninn.call("remember", text=f"The robot logs in with {token} on the build machine.")
    assert stored.masked == 1
    assert token not in stored.memory.text
    assert all(token.encode() not in file.read_bytes() for file in muninn.root.rglob("*.jsonl"))


def test_an_agents_protocol_overrides_the_actor(muninn):
    memory = muninn.call("remember", actor="assistant", text="I think so.").memory
    assert (memory.actor, memory.trust) == ("assistant", "agent")


def test_an_expired_memory_is_kept_but_not_recalled(muninn):
    muninn.call("remember", text="The freeze ends tonight.", expires="2026-03-02T00:00:00Z")
    assert muninn.texts("when does the freeze end", kind="memory")
    muninn.clock.forward(days=2)
    assert muninn.texts("when does the freeze end", kind="memory") == []
    assert muninn.call("memories").total == 0
    (kept,) = muninn.call("memories", archived=True).memories
    assert kept.expired


def test_a_forgotten_memory_is_no_longer_recalled_and_can_be_restored(muninn):
    (identity,) = muninn.call("remember", text="Sessions live in Redis.").ids
    assert muninn.call("forget", id=identity, reason="moved to Postgres").memory.archived
    assert muninn.texts("where do sessions live", kind="memory") == []
    assert muninn.call("memories").total == 0
    assert muninn.call("memories", archived=True).total == 1
    assert not muninn.call("forget", id=identity, restore=True).memory.archived
    assert muninn.texts("where do sessions live", kind="memory") == ["Sessions live in Redis."]


def test_a_prefix_of_an_id_is_enough_when_it_is_the_only_one(muninn):
    first, second = muninn.call("remember", batch=[{"text": "One."}, {"text": "Two."}]).ids
    with pytest.raises(UsageError, match="part of 2 ids"):
        muninn.call("memories", id=first[:10])
    shared = next(place for place in range(len(first)) if first[place] != second[place])
    assert muninn.call("memories", id=second[: shared + 1].upper()).memories[0].id == second


@pytest.mark.parametrize("identity", ["zzz", " ", "?"])
def test_an_id_that_is_not_there_is_an_error(muninn, identity):
    muninn.call("remember", text="The only one.")
    with pytest.raises(NotFoundError):
        muninn.call("forget", id=identity)


def test_filters_are_all_applied(muninn):
    muninn.call("remember", text="Alpha fact.", type="decision", tags=["db"], files=["src/users.py"], session="s1")
    muninn.call("remember", text="Beta fact.", type="decision", tags=["ui"], task="T-7")
    muninn.call("remember", text="Gamma fact.", tags=["db"], cites=[{"path": "README.md", "start": 1, "end": 2}])

    def listed(**filters):
        return [memory.text for memory in muninn.call("memories", **filters).memories]

    assert listed() == ["Gamma fact.", "Beta fact.", "Alpha fact."]
    assert listed(type="decision", tag="db") == ["Alpha fact."]
    assert listed(file="README.md") == ["Gamma fact."]
    assert listed(session="s1") == ["Alpha fact."]
    assert listed(task="T-7") == ["Beta fact."]
    assert listed(text="ALPHA") == ["Alpha fact."]
    assert listed(limit=1, offset=1) == ["Beta fact."]
    identity = muninn.call("memories", limit=1).memories[0].id
    assert listed(id=identity, offset=1) == []
    assert muninn.call("memories", limit=1).total == 3


def test_without_initialisation_every_verb_says_what_to_do(plain_repo, start):
    muninn = start(plain_repo)
    calls = {
        "remember": {"text": "x"},
        "recall": {"query": "x"},
        "context": {"query": "x"},
        "memories": {},
        "forget": {"id": "x"},
        "seal": {},
        "index": {},
        "reconcile": {},
        "undo": {},
        "prune": {},
        "conflicts": {},
        "resolve": {"id": "x", "keep": "both"},
        "brief": {},
        "capture": {"source": "commit"},
    }
    for verb, params in calls.items():
        with pytest.raises(NotInitialised) as error:
            muninn.call(verb, **params)
        assert "muninn init" in error.value.hint
    status = muninn.call("status")
    assert status.mode == "uninitialised"
    assert "muninn init" in status.problems[0].hint


def test_a_question_during_initialisation_waits_for_its_end(plain_repo, start, monkeypatch):
    muninn = start(plain_repo)
    asking = []

    def slow(path, content, **how):
        if path.name == "main.jsonl" and not asking:
            path.parent.mkdir(parents=True, exist_ok=True)
            torn = path.with_name(f"{path.name}{TEMPORARY}")
            torn.write_bytes(b"")
            asking.append(Thread(target=muninn.call, args=("status",)))
            asking[0].start()
            asking[0].join(0.5)
            assert torn.exists()
        write_atomic(path, content, **how)

    monkeypatch.setattr("muninn_core.store.files.layout.write_atomic", slow)
    assert ".muninn/memory/main.jsonl" in muninn.call("init").created
    asking[0].join()
    assert muninn.call("status").mode == "read-write"


def test_init_twice_changes_nothing(muninn):
    before = {path: path.read_bytes() for path in (muninn.root / ".muninn").glob("*") if path.is_file()}
    assert muninn.call("init").created == ()
    assert {path: path.read_bytes() for path in before} == before


def test_a_folder_without_git_works(tmp_path, start):
    (tmp_path / "plain").mkdir()
    (tmp_path / "plain" / "users.py").write_text("def get_user_name(uid):\n    return uid\n")
    muninn = start(tmp_path / "plain")
    muninn.call("init")
    stored = muninn.call("remember", text="Users have one name.", files=["users.py"])
    assert (stored.memory.commit, stored.memory.branch, stored.saw.commit) == (None, None, None)
    assert muninn.texts("how many names do users have", kind="memory") == ["Users have one name."]
    assert muninn.paths("get user name")[0] == "users.py"
    assert muninn.call("seal").records == 1


def test_a_list_without_filters_has_the_active_memories_newest_first(muninn):
    muninn.call("remember", text="The first.", importance=9)
    gone = muninn.call("remember", text="Soon over.", expires="2999-01-01").ids[0]
    muninn.call("remember", text="A note of another session.", scope="session", session="s-other")
    muninn.call("remember", text="The last.", importance=2)

    def listed(**params):
        found = muninn.call("memories", **params)
        assert found.total == len(found.memories)
        return [memory.text for memory in found.memories]

    assert listed() == ["The last.", "Soon over.", "The first."]
    assert listed(session="s-other") == ["A note of another session."]
    assert listed(order="importance")[0] == "The first."
    muninn.call("update", id=gone, expires="2000-01-01")
    assert listed() == ["The last.", "The first."]
    assert listed(archived=True) == ["The last.", "Soon over.", "The first."]
    muninn.call("forget", id=gone)
    assert listed() == listed(min_importance=1) == ["The last.", "The first."]


def test_a_file_that_does_not_exist_is_noticed_with_the_nearest_one(muninn):
    muninn.call("index", wait=True)
    result = muninn.call("remember", text="Names are unique.", files=["src/user.py", "src/users.py"])
    assert result.notices == ("src/user.py does not exist here; did you mean src/users.py?",)
    cited = muninn.call("remember", text="Names are short.", cites=[{"path": "lib/users.py", "start": 3}])
    assert cited.notices == ("lib/users.py does not exist here; did you mean src/users.py?",)


def test_a_memory_that_could_not_be_compared_is_stored_and_the_answer_says_so(muninn, monkeypatch):
    def fail(*_args):
        raise MemoryError

    monkeypatch.setattr("muninn_core.engine.memory.drafting.remember.remember_notices", fail)
    stored = muninn.call("remember", text="Pages are cached by commit.")
    assert stored.notices == ("Stored, but not compared with the other memories: out of memory",)
    assert [memory.id for memory in muninn.call("memories").memories] == list(stored.ids)


def test_a_text_that_is_stored_already_is_noticed(muninn):
    first = muninn.call("remember", text="Names are unique.").memory
    again = muninn.call("remember", text="names  are unique.")
    assert again.notices == (f"The same text is stored as {first.id[-8:]}; `muninn reconcile` merges the two.",)
    muninn.call("forget", id=first.id)
    muninn.call("forget", id=again.ids[0])
    assert muninn.call("remember", text="Names are unique.").notices == ()


def test_a_key_that_is_known_is_no_second_memory(muninn):
    muninn.call("remember", text="Names are unique.", key="k")
    assert muninn.call("remember", text="Names are unique.", key="k").notices == ()


def test_an_unknown_relation_is_refused_with_the_nearest(muninn):
    first = muninn.call("remember", text="Names are unique.").memory
    with pytest.raises(BadParams, match="there is no relation 'supersede'") as error:
        muninn.call("remember", text="Names repeat.", links=[{"relation": "supersede", "target": first.id}])
    assert error.value.hint == "Did you mean 'supersedes'?"


def test_the_last_characters_of_an_id_name_the_memory(muninn):
    first, second = (muninn.call("remember", text=text).memory for text in ("One.", "Two."))
    assert muninn.call("show", id=first.id[-8:]).memory.id == first.id
    assert muninn.call("show", id=second.id[-8:].upper()).memory.id == second.id
    with pytest.raises(NotFoundError):
        muninn.call("show", id=first.id[-3:])


def test_a_link_of_a_new_memory_takes_a_part_of_an_id_as_every_verb_does(muninn):
    first = muninn.call("remember", text="Names are unique.").memory
    given = [{"relation": "supersedes", "target": first.id[-8:-3]}]
    linked = muninn.call("remember", text="Names repeat.", links=given)
    assert (linked.memory.links[0].target, linked.notices) == (first.id, ())
    assert muninn.call("show", id=first.id).memory.superseded_by == linked.ids[0]
    with pytest.raises(BadParams, match="has no link 'extends:"):
        muninn.call("update", id=linked.ids[0], unlink=[f"extends:{first.id[-8:]}"])
    muninn.call("update", id=linked.ids[0], unlink=[f"supersedes:{first.id[-8:]}"])
    assert muninn.call("show", id=linked.ids[0]).memory.links == ()
    given[0]["target"] = "zzzzzzzz"
    with pytest.raises(NotFoundError, match="memory 2 of 2: there is no memory 'zzzzzzzz'"):
        muninn.call("remember", batch=[{"text": "One."}, {"text": "Two.", "links": given}])
    given[0]["target"] = first.id[:-1] + "z"
    later = muninn.call("remember", text="Its memory comes with a merge.", links=given)
    assert later.memory.links[0].target == given[0]["target"]
    assert any("has no effect until one does" in notice for notice in later.notices)


@pytest.mark.parametrize("scope", ["project", "session"])
def test_another_memory_with_a_used_key_is_refused_and_both_are_named(muninn, scope):
    first = muninn.call("remember", text="Ports are open.", key="k1", scope=scope, tags=["net"]).ids[0]
    for given in ({"text": "Ports are closed.", "tags": ["net"]}, {"text": "Ports are open.", "tags": ["other"]}):
        with pytest.raises(UsageError, match=f"'k1' was used for memory {first}") as error:
            muninn.call("remember", batch=[{"text": "New."}, {**given, "key": "k1", "scope": scope}])
        assert error.value.data["id"] == first
    assert muninn.call("memories").total == 1
    muninn.clock.forward(days=1)
    assert muninn.call("remember", text="Ports are open.", key="k1", scope=scope, tags=["net"]).ids == (first,)


def test_two_memories_of_one_call_with_one_key_are_refused(muninn):
    with pytest.raises(UsageError, match="another memory of this call"):
        muninn.call("remember", batch=[{"text": "One.", "key": "k"}, {"text": "Two.", "key": "k"}])
    assert muninn.call("memories").total == 0


def test_a_redacted_memory_answers_to_its_key(muninn):
    first = muninn.call("remember", text="A plain word.", key="k").ids
    muninn.call("redact", id=first[0])
    assert muninn.call("remember", text="A plain word.", key="k").ids == first


def test_a_derived_title_follows_the_text_and_a_given_one_stays(muninn):
    derived = muninn.call("remember", text="Sessions live in Redis. It is fast.").memory
    named = muninn.call("remember", text="Tokens live in Redis.", title="Tokens").memory
    assert (
        muninn.call("update", id=derived.id, text="Sessions live in Postgres.").memory.title
        == "Sessions live in Postgres"
    )
    assert muninn.call("update", id=named.id, text="Tokens live in Postgres.").memory.title == "Tokens"
    assert muninn.call("update", id=derived.id, text="In files.", title="Sessions").memory.title == "Sessions"
