"""Real inference: llama.cpp serves a tiny model of random weights to Muninn and to clients of the gateway."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import clients
import pytest
from tiny_model import write_model
from vendors import of_anthropic, of_openai

if TYPE_CHECKING:
    from gateways import Served
    from model_engine import Told

pytest_plugins = ("engines", "gateways", "model_engine")
pytestmark = [pytest.mark.daemon, pytest.mark.client("llama.cpp")]

ROOT = Path(__file__).parents[2]
FACT = "Sessions live in Redis because cookies overflowed at four kilobytes"
SPEAKING = {"model": "tiny", "timeout_seconds": 300, "max_output": 24}


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of the server."""
    script = ROOT / "scripts" / "install-inference.sh"
    done = subprocess.run([script], capture_output=True, text=True, timeout=600, check=False)
    if done.returncode != 0:
        clients.missing("llama.cpp", (done.stderr.strip().splitlines() or ["it can't be installed"])[-1])
    model = tmp_path_factory.mktemp("model") / "tiny.gguf"
    write_model(model)
    with (
        model.with_suffix(".log").open("w") as log,
        subprocess.Popen(
            [sys.executable, str(Path(__file__).with_name("tiny_model.py")), str(model)],
            env={**os.environ, "PYTHONPATH": done.stdout.strip()},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=log,
            text=True,
        ) as process,
    ):
        assert process.stdout is not None
        found = process.stdout.readline().strip()
        assert found.startswith("http://127.0.0.1:"), model.with_suffix(".log").read_text()
        yield found


def routes(address: str) -> dict[str, Any]:
    return {name: {"dialect": name, "url": address, **SPEAKING} for name in ("openai", "anthropic")}


def test_real_answers_pass_the_gateway_as_they_are(gateway: Served, address: str) -> None:
    gateway.configure(**routes(address))
    asked: list[Any] = [{"role": "user", "content": "Hello?"}]
    with of_openai(gateway) as client:
        whole = client.chat.completions.create(model="openai", messages=asked, max_tokens=24)
        chunks = list(client.chat.completions.create(model="openai", messages=asked, max_tokens=24, stream=True))
    streamed = "".join(choice.delta.content or "" for chunk in chunks for choice in chunk.choices)
    assert streamed == whole.choices[0].message.content != ""
    assert whole.usage.completion_tokens == 24
    with of_anthropic(gateway) as client:
        message = client.messages.create(model="anthropic", messages=asked, max_tokens=24)
        with client.messages.stream(model="anthropic", messages=asked, max_tokens=24) as stream:
            again = stream.get_final_message()
    assert again.content[0].text == message.content[0].text == streamed
    assert message.usage.output_tokens == 24


def test_a_real_cache_keeps_each_prompt_of_a_conversation_with_memory(gateway: Served, address: str) -> None:
    gateway.call("remember", text=FACT, type="decision")
    gateway.call("remind", prompt="Where do sessions live?")  # loads what the first question loads
    gateway.configure(context=True, **routes(address))
    questions = ["Why do sessions live in Redis?", "Rename a variable.", "What overflowed at four kilobytes?"]
    messages: list[Any] = []
    before = added = 0
    with of_openai(gateway) as client:
        for turn in range(6):
            messages.append({"role": "user", "content": f"{questions[turn % 3]} Turn {turn}."})
            raw = client.chat.completions.with_raw_response.create(model="openai", messages=messages, max_tokens=8)
            answer = raw.parse()
            added += "x-muninn-context" in raw.headers
            assert answer.usage.prompt_tokens_details.cached_tokens >= before
            before = answer.usage.prompt_tokens
            messages.append({"role": "assistant", "content": answer.choices[0].message.content})
    assert added
    assert before > len(FACT) + sum(len(message["content"]) for message in messages[:-1])


def test_a_real_model_that_writes_nonsense_changes_no_memory(told: Told, address: str) -> None:
    first = told.call("remember", text="The cache keeps sessions in Redis.", type="decision").ids[0]
    other = told.call("remember", text="Sessions are cached in Redis by the cache layer.", type="decision").ids[0]
    before = [told.call("show", id=each).memory for each in (first, other)]
    for route in routes(address):
        told.configure(
            routes(address), {"tokens_day": 1_000_000, "usd_day": 0}, enrich=route, reconcile=route, links=route
        )
        assert told.call("models.test", route=route).spent.tokens_out == 24
        told.call("enrich", limit=2)
        (pair,) = told.call("judge").pairs
        assert (pair.verdict, pair.problem != "") == ("", True)
        links = told.call("link", model=True, apply=True).links
        assert [(link.target, link.recorded, link.problem != "") for link in links] == [("", False, True)]
    assert [told.call("show", id=each).memory for each in (first, other)] == before
