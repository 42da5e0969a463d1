"""The catalogue is complete: every verb has a method, every parameter a description, and misspelt ones a hint."""

from __future__ import annotations

import inspect

import pytest

from muninn_core.engine.engine import Engine
from muninn_core.errors import _BY_KIND, BadParams, UnknownVerb, from_plain
from muninn_core.model.value import json_schema
from muninn_core.protocol.catalogue import FAMILIES, METHODS, decode_params, lookup

OF_THE_PROCESS = {
    "call",
    "append",
    "open",
    "close",
    "files_changed",
    "watch_again",
    "collect_removed",
    "expire_agents",
    "disconnected",
    "listen",
    "listen_memories",
    "idle_seconds",
    "measure",
    "note_stall",
    "note_problem",
    "keep_journals_small",
    "plan_upkeep",
    "release_memory",
}


def test_the_engine_has_a_method_for_every_verb_and_no_other():
    public = {name for name, _ in inspect.getmembers(Engine, inspect.isfunction) if not name.startswith("_")}
    assert public - OF_THE_PROCESS == {method.function for method in METHODS.values()}


def test_a_verb_that_stores_without_a_key_is_never_repeated():
    repeatable = {method.verb for method in METHODS.values() if method.repeatable and method.effect != "read"}
    assert repeatable == {"capture", "index", "seal", "lease.claim", "barrier.wait"}


@pytest.mark.parametrize("method", METHODS.values(), ids=lambda method: method.verb)
def test_hints_for_front_ends_name_existing_parameters(method):
    known = set(method.params.__struct_fields__)
    named = {*method.absolute_paths, *method.rooted_paths, *method.shown, *method.may_omit, *method.bare}
    assert named <= known
    assert set(method.may_omit) <= set(method.positional)
    assert not method.irreversible or (method.destructive and "dry_run" in known)
    assert not method.erased or (method.irreversible and method.erased in method.result.__struct_fields__)
    assert "session" in known or not method.session_filter
    assert method.use or not (method.shown or method.always_loaded)


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.name)
def test_a_family_holds_its_verbs_parameters_and_results(family):
    module = f"muninn_core.protocol.families.{family.name}"
    for method in family.methods:
        assert (method.params.__module__, method.result.__module__, method.family) == (module, module, family.name)
    assert set(family.groups) == {method.verb.partition(".")[0] for method in family.methods if "." in method.verb}


@pytest.mark.parametrize("method", METHODS.values(), ids=lambda method: method.verb)
def test_the_example_is_a_call_that_the_catalogue_accepts(method):
    given = decode_params(method, method.example)
    assert all(getattr(given, name) for name in method.positional if name in method.example)


@pytest.mark.parametrize("method", METHODS.values(), ids=lambda method: method.verb)
def test_the_engine_takes_and_gives_what_the_catalogue_says(method):
    hints = inspect.get_annotations(getattr(Engine, method.function))
    assert hints["return"] == method.result.__name__
    assert method.params.__name__ in hints.values()


@pytest.mark.parametrize("method", METHODS.values(), ids=lambda method: method.verb)
def test_every_verb_and_parameter_is_described(method):
    assert method.title
    assert method.summary.endswith(".")
    assert method.use.endswith(".") or not method.tool
    schema, definitions = json_schema(method.params)
    fields = definitions[schema["$ref"].rpartition("/")[2]].get("properties", {})
    assert set(fields) == set(method.params.__struct_fields__)
    for name, field in fields.items():
        texts = [field.get("description", "")] + [each.get("description", "") for each in field.get("anyOf", ())]
        assert any(texts), f"{method.verb}.{name}"


@pytest.mark.parametrize("method", METHODS.values(), ids=lambda method: method.verb)
def test_hints_for_the_command_line_name_existing_parameters(method):
    assert set(method.positional) | set(method.flags) <= set(method.params.__struct_fields__)


@pytest.mark.parametrize("method", METHODS.values(), ids=lambda method: method.verb)
def test_every_answer_says_what_it_saw(method):
    assert ("saw" in method.result.__struct_fields__) is (method.verb != "shutdown")


@pytest.mark.parametrize(
    ("verb", "nearest"), [("recal", "recall"), ("Remember", "remember"), ("memory", "memories"), ("resolv", "resolve")]
)
def test_an_unknown_verb_names_the_nearest(verb, nearest):
    with pytest.raises(UnknownVerb) as error:
        lookup(verb)
    assert error.value.code == -32601
    assert error.value.hint == f"Did you mean '{nearest}'?"
    assert error.value.to_plain()["data"]["nearest"] == nearest


def test_a_verb_that_is_like_no_other_gets_the_whole_list():
    with pytest.raises(UnknownVerb) as error:
        lookup("xyzzy")
    assert all(verb in error.value.hint for verb in METHODS)


def test_an_unknown_parameter_names_the_nearest():
    with pytest.raises(BadParams) as error:
        decode_params(METHODS["recall"], {"query": "x", "limits": 3})
    assert error.value.code == -32602
    assert error.value.hint == "Did you mean 'limit'?"
    assert error.value.data["parameter"] == "limits"


@pytest.mark.parametrize(
    ("verb", "raw", "named"),
    [
        ("forget", {}, "id"),
        ("forget", {"id": ""}, "id"),
        ("recall", {"query": 5}, "query"),
        ("recall", {"query": "x", "limit": 0}, "limit"),
        ("recall", {"query": "x", "limit": 2.5}, "limit"),
        ("recall", {"query": "x", "kind": "music"}, "kind"),
        ("remember", {"text": "x", "importance": 11}, "importance"),
        ("remember", {"batch": [{"texts": "x"}]}, "texts"),
        ("remember", {"batch": [{"text": "x"}, {"text": 1}]}, r"batch\[1\]\.text"),
        ("remember", {"text": "x", "session": "../../etc"}, "session"),
        ("context", {"query": "x", "budget": 10}, "budget"),
        ("resolve", {"id": "x", "keep": "neither"}, "keep"),
    ],
)
def test_a_wrong_parameter_is_named(verb, raw, named):
    with pytest.raises(BadParams, match=named):
        decode_params(METHODS[verb], raw)


@pytest.mark.parametrize(
    ("verb", "raw", "message", "hint"),
    [
        ("recall", {"query": "x", "limit": "five"}, "'limit' must be a whole number from 1 to 200, not \"five\"", ""),
        ("recall", {"query": "x", "kind": "music"}, "'kind' must be one of code, knowledge, memory, not \"music\"", ""),
        ("recall", {"query": "x", "tag": "a"}, "'tag' must be a list, each item a text, not \"a\"", ""),
        ("forget", {"id": ""}, "'id' must be a text that is not empty, not \"\"", ""),
        (
            "symbols",
            {"query": "x" * 201},
            f"'query' must be a text of at most 200 characters that is not empty, not \"{'x' * 59}…",
            "",
        ),
        (
            "remember",
            {"text": "x", "session": "a b"},
            "'session' has the wrong form: \"a b\"",
            "The working session of the call: letters, digits, '.', '_' and '-'.",
        ),
        ("remember", {"text": "x", "cites": [{"start": 1}]}, "'cites[0]' needs 'path'", "Its fields are path,"),
        (
            "remember",
            {"text": "x", "cites": [{"path": "a", "line": 1}]},
            "'cites[0]' has no field 'line'",
            "Its fields are path,",
        ),
        ("context", {"budget": 3}, "'budget' must be a whole number from 50 to 200000, not 3", "The token budget of"),
        ("forget", {}, "'forget' needs 'id'", "'forget' takes id, reason, restore, session."),
    ],
)
def test_an_error_shows_the_wrong_value_and_what_it_must_be(verb, raw, message, hint):
    with pytest.raises(BadParams) as error:
        decode_params(METHODS[verb], raw)
    assert error.value.message == message
    assert error.value.hint.startswith(hint)
    assert error.value.hint


@pytest.mark.parametrize("raw", [[], "text", 5, True])
def test_parameters_that_are_no_object_are_refused(raw):
    with pytest.raises(BadParams, match="are an object"):
        decode_params(METHODS["status"], raw)


def test_parameters_may_be_absent_where_all_have_a_default():
    assert decode_params(METHODS["memories"], None).limit == 50


@pytest.mark.parametrize("kind", _BY_KIND)
def test_an_error_is_the_same_on_the_other_side_of_the_wire(kind):
    error = _BY_KIND[kind]("It failed.", hint="Do this.", data={"extra": 1})
    again = from_plain(error.to_plain())
    assert type(again) is type(error)
    assert (again.message, again.hint, again.data, again.code, again.kind) == (
        "It failed.",
        "Do this.",
        {"extra": 1},
        error.code,
        kind,
    )


def test_an_error_of_a_kind_that_is_not_known_keeps_its_kind():
    again = from_plain({"code": -1, "message": "New.", "data": {"kind": "newer", "hint": "Update."}})
    assert (again.kind, again.code, again.hint) == ("newer", -1, "Update.")
    assert from_plain({}).message


def test_halves_of_characters_are_no_text_and_are_replaced():
    method = lookup("recall")
    assert decode_params(method, {"query": "why \ud83d here", "path": ["\udcff"]}).query == "why \ufffd here"
    assert decode_params(method, {"query": "\ud83d\ude00"}).query == "\U0001f600"
