"""People who log in at an identity provider, and agents that ask over MCP: real keys, a real server, the MCP SDK."""

from __future__ import annotations

import asyncio
import json
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import ec
from jwt.algorithms import ECAlgorithm
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from repositories import git

from muninn_core.errors import BadParams, MuninnError
from muninn_core.org.access import identity, principals
from muninn_core.org.access.principals import InvalidToken
from muninn_core.org.answers.verbs import READING_VERBS
from muninn_core.org.ingestion.pushes import push
from muninn_core.org.service import Service
from muninn_server.http.asgi_messages import json_reply, send_reply
from muninn_server.mcp.tools import tools_of
from muninn_server.org.application import Application
from muninn_server.org.client import Client as OrgClient

AUDIENCE = "https://memory.example.com/mcp"
KEY, OTHER = ec.generate_private_key(ec.SECP256R1()), ec.generate_private_key(ec.SECP256R1())


def published() -> dict[str, Any]:
    """Return the public key as an issuer publishes it."""
    return {"keys": [{**json.loads(ECAlgorithm.to_jwk(KEY.public_key())), "kid": "one", "alg": "ES256", "use": "sig"}]}


@pytest.fixture(scope="module")
def issuer(serve) -> Iterator[str]:
    """The address of an identity provider that publishes one key."""

    def application(_url: str):
        async def app(_scope, _receive, send) -> None:
            await send_reply(send, json_reply(published()))

        return app

    with serve(application) as url:
        yield url


@pytest.fixture(scope="module")
def url(home, issuer: str, serve, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A server with the repository `shop` for the group `sales`, and the provider."""
    mirrors = fill(home, issuer, tmp_path_factory.mktemp("people"))
    service = Service(home.database, mirrors)
    with serve(lambda address: Application(service, address, [issuer])) as address:
        yield address


def fill(home, issuer: str, folder: Path) -> Path:
    """Push `shop`, let the group `sales` read it, and declare the provider; return the folder of mirrors."""
    root = folder / "shop"
    root.mkdir()
    (root / "refund.py").write_text("def refund(order):\n    '''Give the money back.'''\n    return order.total\n")
    git(root, "init", "-q", "-b", "main")
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", "All")
    push(home.database, home.repository("shop"), root, "HEAD", workers=1)
    with home.database.transaction("muninn_writer") as connection:
        identity.put_provider(connection, home.tenant, issuer, AUDIENCE, f"{issuer}/keys", "sub", "groups")
        sales = principals.put_principal(connection, home.tenant, "group", "sales")
        principals.grant(connection, home.tenant, principals.find_repository(connection, home.tenant, "shop"), sales)
    return folder / "mirrors"


def signed(issuer: str, key: Any = KEY, algorithm: str = "ES256", kid: str | None = "one", **claims: Any) -> str:
    """Return a token of Ann, who is in the group `sales`."""
    now = int(time.time())
    plain = {"iss": issuer, "aud": AUDIENCE, "sub": "ann", "groups": ["sales"], "iat": now, "exp": now + 300}
    given = {name: value for name, value in {**plain, **claims}.items() if value is not None}
    return jwt.encode(given, key, algorithm=algorithm, headers={"kid": kid} if kid else None)


def found(url: str, token: str) -> int:
    return len(OrgClient(url, token).call("recall", {"query": "give the money back"})["hits"])


def test_a_person_sees_what_the_groups_of_the_token_may_read(url: str, issuer: str) -> None:
    assert found(url, signed(issuer)) == 1
    assert found(url, signed(issuer, groups=["nosuch", 5, "a\0b"])) == 0
    assert found(url, signed(issuer, groups=["sales"])) == 1
    assert found(url, signed(issuer, groups=None)) == 0
    assert found(url, signed(issuer, sub="ben")) == 1
    assert found(url, signed(issuer, aud=["else", AUDIENCE], exp=int(time.time()) - 10)) == 1  # within the skew


def test_a_left_group_ends_its_rights_while_the_replica_still_has_it(make_home, issuer: str, tmp_path: Path) -> None:
    primary, replica = make_home(), make_home()
    for name, each in (("primary", primary), ("replica", replica)):
        (tmp_path / name).mkdir()
        service = Service(each.database, fill(each, issuer, tmp_path / name))
        assert len(service.answer(signed(issuer), "recall", {"query": "give the money back"}).hits) == 1
        assert service.close() == 0
    service = Service(primary.database, tmp_path / "mirrors", replica=replica.database)
    for _ in range(2):
        assert service.answer(signed(issuer, groups=[]), "recall", {"query": "give the money back"}).hits == ()
    assert service.close() == 0
    with replica.as_admin() as connection:
        assert connection.execute("SELECT count(*) FROM muninn.member").fetchone() == (1,)


@pytest.mark.parametrize(
    "forged",
    [
        {"exp": 1_000_000_000},
        {"exp": None},
        {"iat": None},
        {"aud": "https://other.example.com"},
        {"aud": None},
        {"iss": "https://evil.example.com"},
        {"iss": None},
        {"iss": "x\0"},
        {"iat": 99_999_999_999},
        {"nbf": 99_999_999_999},
        {"sub": None},
        {"sub": 5},
        {"key": OTHER},
        {"kid": "two"},
        {"kid": None},
        {"key": "a secret that both sides know, of 32 bytes", "algorithm": "HS256"},
        {"key": None, "algorithm": "none"},
    ],
    ids=lambda value: "-".join(map(str, value)),
)
def test_tokens_that_are_forged_expired_or_for_others_are_refused_alike(
    url: str, issuer: str, forged: dict[str, Any]
) -> None:
    with pytest.raises(MuninnError) as refused:
        found(url, signed(issuer, **forged))
    assert (refused.value.message, refused.value.kind) == ("the token is not valid", "refused")


def test_a_changed_token_is_refused_and_no_token_of_a_person_pushes(url: str, issuer: str, tmp_path: Path) -> None:
    head, _, signature = signed(issuer).split(".")
    body = signed(issuer, sub="root").split(".")[1]
    for token in (f"{head}.{body}.{signature}", f"{head}.{body}.", "a.b.c", "..", "." * 2 + "x" * 50_000):
        with pytest.raises(MuninnError, match="not valid"):
            found(url, token)
    with pytest.raises(MuninnError, match="token to push"):
        OrgClient(url, signed(issuer)).delete("shop", "main")
    with pytest.raises(MuninnError, match="is not a name"):
        found(url, signed(issuer, sub="'; DROP TABLE x"))


def test_another_organisation_can_not_declare_the_same_issuer(home, url: str, issuer: str) -> None:
    with home.as_admin() as connection:
        other = principals.create_tenant(connection, "rival")
    refused = pytest.raises(BadParams, match="another organisation of this database has the provider")
    with refused, home.database.transaction("muninn_writer") as connection:
        identity.put_provider(connection, other, issuer, AUDIENCE, f"{issuer}/keys", "sub", "")
    assert found(url, signed(issuer)) == 1
    for address in ("http://example.com", "file:///etc/passwd", "", "https://"):
        with pytest.raises(BadParams), home.database.transaction("muninn_writer") as connection:
            identity.put_provider(connection, home.tenant, address, AUDIENCE, f"{issuer}/keys", "sub", "")


def test_people_of_a_removed_provider_ask_no_more(home, url: str, issuer: str) -> None:
    keys = f"{issuer}/keys"
    with home.database.transaction("muninn_writer") as connection:
        identity.remove_provider(connection, home.tenant, issuer)
    with pytest.raises(MuninnError, match="not valid"):
        found(url, signed(issuer))
    with home.database.transaction("muninn_writer") as connection:
        with pytest.raises(MuninnError, match="no provider"):
            identity.remove_provider(connection, home.tenant, issuer)
        identity.put_provider(connection, home.tenant, issuer, AUDIENCE, keys, "sub", "groups")
    assert found(url, signed(issuer)) == 1


def test_unknown_keys_do_not_make_the_server_ask_the_issuer_each_time(url: str, issuer: str, monkeypatch) -> None:
    asked: list[int] = []
    monkeypatch.setattr(jwt.PyJWKClient, "get_signing_keys", lambda _self: asked.append(1) or [])
    for number in range(20):
        with pytest.raises(MuninnError):
            found(url, signed(issuer, kid=f"unknown {number}"))
    assert len(asked) <= 1


def test_a_key_that_the_issuer_withdraws_ends_and_one_that_it_can_not_send_stays(
    home, url: str, issuer: str, tmp_path: Path, monkeypatch
) -> None:
    monkeypatch.setattr(identity, "_PAUSE_SECONDS", 0.0)
    monkeypatch.setattr(identity, "_KEYS_SECONDS", 0.0)
    service = Service(home.database, tmp_path)
    real, token = jwt.PyJWKClient.get_signing_keys, signed(issuer)
    service.check_token(token)

    def away(_self) -> None:
        raise jwt.PyJWKClientError("away")

    monkeypatch.setattr(jwt.PyJWKClient, "get_signing_keys", away)
    service.check_token(token)
    with pytest.raises(InvalidToken, match="away"):
        service.check_token(signed(issuer, kid="two"))

    def without_the_first(self) -> list[jwt.PyJWK]:
        return [each for each in real(self) if each.key_id != "one"]

    monkeypatch.setattr(jwt.PyJWKClient, "get_signing_keys", without_the_first)
    with pytest.raises(InvalidToken, match="not valid"):
        service.check_token(token)


def test_an_agent_asks_over_mcp(url: str, issuer: str) -> None:
    async def run() -> Any:
        import httpx2

        headers = {"authorization": f"Bearer {signed(issuer)}"}
        async with (
            httpx2.AsyncClient(headers=headers, trust_env=False) as http,
            Client(streamable_http_client(f"{url}/mcp", http_client=http)) as client,
        ):
            tools = await client.list_tools()
            good = await client.call_tool("recall", {"query": "give the money back", "repositories": ["shop"]})
            bad = await client.call_tool("recall", {"query": "x", "at": "HEAD~1"})
            others = [
                await client.call_tool(name, params)
                for name, params in (
                    ("read", {"path": "refund.py", "end": 1}),
                    ("outline", {"path": "shop:refund.py"}),
                    ("graph", {"start": "refund", "relation": "definitions"}),
                    ("tree", {}),
                    ("files", {"path": ["*.py"]}),
                    ("overview", {}),
                    ("about", {"file": "refund.py"}),
                    ("show", {"id": "01K0"}),
                )
            ]
            return tools, good, bad, others

    tools, good, bad, others = asyncio.run(run())
    local = tools_of(("all",))
    assert [tool.name for tool in tools.tools] == list(READING_VERBS)
    for tool in tools.tools:
        schema, known = tool.input_schema, local[tool.name].schema
        assert (tool.title, tool.description) == (local[tool.name].title, local[tool.name].description)
        assert set(schema["properties"]) == {*READING_VERBS[tool.name].takes - {"plain"}, "repositories"}
        both = set(schema["properties"]) & set(known["properties"])
        assert {name: schema["properties"][name] for name in both} == {name: known["properties"][name] for name in both}
        assert schema.get("required") == known.get("required")
    assert [each.is_error for each in others] == [False] * 7 + [True]
    assert others[0].content[0].text == "refund.py:1 of 3 lines\n1\tdef refund(order):"
    assert others[7].content[0].text == "there is no memory '01K0'. `memories` lists the ids."
    assert "refund.py" in good.content[0].text
    assert good.structured_content["hits"][0]["path"] == "refund.py"
    assert bad.is_error
    assert "takes no 'at'" in bad.content[0].text


def test_mcp_without_a_token_leads_to_the_identity_provider(url: str, issuer: str) -> None:
    status, headers, _ = post(url, "/mcp", {"jsonrpc": "2.0", "id": 1, "method": "tools/list"})
    assert status == 401
    metadata = headers["www-authenticate"].partition('resource_metadata="')[2].strip('"')
    with urllib.request.urlopen(metadata) as response:
        about = json.loads(response.read())
    assert (about["resource"], about["authorization_servers"]) == (f"{url}/mcp", [issuer])


def test_messages_of_mcp_that_are_wrong_are_named(url: str, issuer: str) -> None:
    token = signed(issuer)
    assert post(url, "/mcp", {"jsonrpc": "2.0", "method": "notifications/initialized"}, token)[0] == 202
    for message, code in (
        ({"method": "nosuch"}, -32601),
        ({"method": "tools/call", "params": {"name": "forget"}}, -32602),
        ({"method": "tools/call", "params": 5}, -32602),
    ):
        answer = post(url, "/mcp", {"jsonrpc": "2.0", "id": 1, **message}, token)[2]
        assert answer["error"]["code"] == code
    assert post(url, "/mcp", [], token)[0] == 400
    assert (
        post(url, "/mcp", {"jsonrpc": "2.0", "id": 1, "method": "ping"}, token, origin="https://evil.example.com")[0]
        == 403
    )
    with pytest.raises(urllib.error.HTTPError, match="405"):
        urllib.request.urlopen(f"{url}/mcp")


def post(url: str, path: str, message: Any, token: str = "", origin: str = "") -> tuple[int, Any, Any]:
    """Return status, headers and answer of a message."""
    headers = {"Content-Type": "application/json", **({"Authorization": f"Bearer {token}"} if token else {})}
    headers |= {"Origin": origin} if origin else {}
    request = urllib.request.Request(url + path, json.dumps(message).encode(), headers)
    try:
        with urllib.request.urlopen(request) as response:
            body = response.read()
            return response.status, response.headers, json.loads(body) if body else None
    except urllib.error.HTTPError as error:
        return error.code, error.headers, json.loads(error.read())
