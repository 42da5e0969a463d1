"""The server as a process: tokens, verbs, the audit and probes."""

from __future__ import annotations

import urllib.request
from pathlib import Path

import pytest
from shop_service import MEMORY, shop_pushed, shop_root, shop_tokens, shop_url, status  # noqa: F401 - fixtures

from muninn_core.errors import MuninnError, NotFoundError, RefusedError
from muninn_server.org.client import Client


def test_reading_verbs(pushed, tokens) -> None:
    ann = Client(pushed, tokens["ann"])
    found = ann.call("recall", {"query": "give money of an order back"})
    assert found["hits"][0]["id"] == "refund.py:1-3"
    reasons = found["hits"][0]["why"]
    assert abs(sum(each["contribution"] for each in reasons) - found["hits"][0]["score"]) < 1e-3
    assert [hit["id"] for hit in ann.call("recall", {"query": "refunds kind:memory"})["hits"]] == [MEMORY["id"]]
    assert found["saw"]["commit"]
    pack = ann.call("context", {"query": "refund an order", "budget": 500})
    assert "refund" in pack["text"]
    assert pack["tokens"] <= 500
    listed = ann.call("memories", {"tag": "money"})
    assert [each["id"] for each in listed["memories"]] == [MEMORY["id"]]
    assert ann.call("memories", {"id": MEMORY["id"][:25]})["total"] == 1
    assert [each["path"] for each in ann.call("symbols", {"query": "refu"})["symbols"]] == ["refund.py"]


def test_a_caller_without_rights_gets_the_same_answers_for_closed_and_unknown_repositories(pushed, tokens) -> None:
    eve = Client(pushed, tokens["eve"])
    for verb, params in (("recall", {"query": "refund"}), ("memories", {}), ("symbols", {"query": "refund"})):
        told = set()
        for name in ("shop", "vault", "nosuch"):
            with pytest.raises(
                NotFoundError, match="of the repositories that the question names there is none"
            ) as lacks:
                eve.call(verb, params, [name])
            told.add(lacks.value.line)
        assert len(told) == 1
    assert eve.call("recall", {"query": "refund"})["hits"] == []
    messages = set()
    for identity in (MEMORY["id"], "01K0000000000000000000000Z"):
        with pytest.raises(MuninnError) as refused:
            eve.call("memories", {"id": identity})
        messages.add(refused.value.message.replace(identity, "ID"))
    assert len(messages) == 1


def test_names_of_repositories_and_branches_that_can_not_be_read_are_told(pushed, tokens) -> None:
    ann = Client(pushed, tokens["ann"])
    found = ann.call("recall", {"query": "refund"}, ["shop", "shpo", "vault"])
    assert found["hits"]
    assert found["saw"]["note"] == "shop as pushed. Of the named repositories, 2 can't be read."
    for verb in ("files", "tree"):
        with pytest.raises(NotFoundError, match="of the organisation there is none with a branch 'mian'"):
            ann.call(verb, {}, ref="mian")


def test_tokens_of_another_scope_or_repository_are_refused(pushed, tokens, root: Path) -> None:
    with pytest.raises(RefusedError, match="scope"):
        Client(pushed, tokens["ci"]).call("recall", {"query": "refund"})
    with pytest.raises(RefusedError, match="scope"):
        Client(pushed, tokens["ann"]).push(root, "shop", "main", "HEAD")
    with pytest.raises(RefusedError, match="another repository"):
        Client(pushed, tokens["ci"]).push(root, "vault", "main", "HEAD")
    with pytest.raises(RefusedError, match="not valid"):
        Client(pushed, "muninn_" + "x" * 43).call("recall", {"query": "refund"})
    assert status(pushed, "/rpc", b"{}") == 401


@pytest.mark.parametrize(
    ("verb", "params"),
    [
        ("recall", {"query": "x", "at": "HEAD~1"}),
        ("recall", {"query": "x", "like": "a.py:1"}),
        ("recall", {}),
        ("recall", {"query": 'path:"'}),
        ("recall", {"query": "x", "limit": 10_000}),
        ("recall", {"query": "x", "nosuch": 1}),
        ("context", {"query": "x", "diff": "HEAD"}),
        ("memories", {"since": "never"}),
        ("remember", {"text": "x"}),
        ("forget", {"id": "x"}),
    ],
)
def test_bad_requests_name_what_is_wrong(pushed, tokens, verb: str, params: dict[str, object]) -> None:
    with pytest.raises(MuninnError) as refused:
        Client(pushed, tokens["ann"]).call(verb, params)
    assert refused.value.kind in ("bad_params", "unknown_verb")


def test_the_audit_has_who_asked_what_without_secrets(pushed, home, tokens) -> None:
    secret = "ghp" + "_" + "k3JsP9" * 6
    Client(pushed, tokens["ann"]).call("recall", {"query": f"refund {secret}", "plain": True})
    rows: list[tuple[str, str, str]] = []
    with home.as_admin() as connection:
        while not rows:  # the server writes it soon after the answer
            rows = connection.execute(
                "SELECT p.name, a.action, a.details->>'params' FROM muninn.audit a JOIN muninn.principal p "
                "ON p.id = a.principal WHERE a.details->>'params' LIKE '%refund%' AND a.action = 'recall' "
                "AND a.details->>'params' LIKE '%plain%' ORDER BY a.at DESC LIMIT 1"
            ).fetchall()
    assert rows[0][:2] == ("ann", "recall")
    assert "refund" in rows[0][2]
    assert "k3JsP9" not in rows[0][2]


def test_probes_and_metrics_need_no_token(pushed) -> None:
    for path in ("/health", "/ready", "/metrics"):
        with urllib.request.urlopen(pushed + path) as response:
            body = response.read().decode()
    assert 'muninn_org_calls_total{verb="recall",outcome="ok"}' in body
    assert (status(pushed, "/nosuch"), status(pushed, "/rpc"), status(pushed, "/list", b"")) == (404, 405, 405)
    assert status(pushed, "/hook/github?tenant=acme&repository=shop", b'{"ref":"refs/heads/main"}') == 403
    assert status(pushed, "/hook/nosuch?tenant=acme&repository=shop", b"{}") == 400
