"""The OpenAPI document against the real API: schemathesis makes requests from it and checks the answers."""

from __future__ import annotations

from typing import Any

import pytest
import schemathesis
from http_api import Api
from hypothesis import HealthCheck, Phase, given, settings
from jsonschema import Draft202012Validator
from schemathesis.specs.openapi.checks import positive_data_acceptance

from muninn_core.protocol.catalogue import METHODS
from muninn_server.http.json_rpc import CLAIMS

PATHS = ["/events/emit", "/health", "/metrics", "/openapi.json", "/ready"]
"""All but `/rpc`, which has a test of its own, and the endless `/events`."""

INTERNAL = -32603


def examples(number: int) -> Any:
    """Return the settings of a run with so many examples, the same ones each time."""
    return settings(
        max_examples=number,
        deadline=None,
        database=None,
        derandomize=True,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )


@pytest.fixture(scope="module")
def document(api: Api) -> Any:
    return api.request("GET", "/openapi.json").json


def called(api: Api, case: Any) -> Any:
    """Make a request, check its answer against the document, and return the answer's JSON, None for another type."""
    base = {"base_url": f"http://127.0.0.1:{api.port}", "headers": {"Authorization": f"Bearer {api.token}"}}
    answer = case.call_and_validate(**base, excluded_checks=[positive_data_acceptance])
    return answer.json() if "json" in answer.headers["content-type"][0] else None


def test_the_document_names_every_verb_that_a_client_may_call(document: Any) -> None:
    mapping = document["paths"]["/rpc"]["post"]["requestBody"]["content"]["application/json"]["schema"]["discriminator"]
    assert set(mapping["mapping"]) == {method.name for method in METHODS.values() if not method.for_people}
    assert set(document["paths"]) == {"/rpc", "/events", *PATHS}
    for kind in ("RememberParams", "MemoryDraft"):  # who calls is not stated, in a batch neither
        assert not set(document["components"]["schemas"][kind]["properties"]).intersection(CLAIMS)


@pytest.mark.parametrize("path", PATHS)
def test_each_path_answers_as_the_document_says(api: Api, document: Any, path: str) -> None:
    ((_, operation),) = schemathesis.openapi.from_dict(document)[path].items()

    @examples(25 if path == "/events/emit" else 1)
    @given(case=operation.as_strategy())
    def run(case: Any) -> None:
        called(api, case)

    run()


def test_each_verb_is_answered_with_the_result_that_the_document_names(api: Api, document: Any) -> None:
    open_verbs = [method.verb for method in METHODS.values() if not method.for_people]
    answered = [verb for verb in open_verbs if is_answered(api, document, verb)]
    assert len(answered) > 20, answered


def is_answered(api: Api, document: Any, verb: str) -> bool:
    """Call a verb with generated parameters; check results and errors, and return whether there was a result."""
    result = f"#/components/schemas/{METHODS[verb].result.__name__}"
    valid = Draft202012Validator({"$ref": result, "components": document["components"]})
    results = []

    @examples(2)
    @given(case=only(document, verb)["/rpc"]["post"].as_strategy())
    def run(case: Any) -> None:
        if METHODS[verb].waits:
            case.body["params"] = {**case.body.get("params", {}), "wait": 0}
        answer = called(api, case)
        if "error" in answer:
            assert answer["error"]["code"] != INTERNAL, (case.body, answer)
        else:
            valid.validate(answer["result"])
            results.append(answer["result"])

    run()
    return bool(results)


def only(document: Any, verb: str) -> Any:
    """Return the document with the requests of one verb, read by schemathesis."""
    rpc = document["paths"]["/rpc"]["post"]
    content = {"application/json": {"schema": {"$ref": f"#/components/schemas/{verb}.request"}}}
    narrowed = {"post": {**rpc, "requestBody": {"required": True, "content": content}}}
    return schemathesis.openapi.from_dict({**document, "paths": {"/rpc": narrowed}})
