"""Keys of published formats are masked wherever they stand, also when they are hidden; ordinary source is not."""

import base64
import functools
import hashlib
import logging
import random
import re
import sysconfig
import time
from pathlib import Path

import pytest
from published_keys import BARE, IN_CONTEXT, make

from muninn_core.store.secrets.key_formats import KEY_FORMATS
from muninn_core.store.secrets.masking import mask
from muninn_core.store.secrets.shaped_formats import SHAPED_FORMATS

_CHANCE = 20_260_401
_BARE = [make(template, random.Random(f"{_CHANCE}{template}")) for template in BARE]


@functools.cache
def _standard_library() -> tuple[str, ...]:
    """Some files of the standard library: the same on each machine with the same Python."""
    folder = Path(sysconfig.get_paths()["stdlib"])
    paths = sorted(
        path for pattern in ("*.py", "email/*.py", "http/*.py", "json/*.py") for path in folder.glob(pattern)
    )
    chosen = [path for path in paths if hashlib.sha256(path.name.encode()).digest()[0] < 64]
    return tuple(path.read_text("utf-8") for path in chosen if path.stat().st_size < 60_000)


@pytest.mark.parametrize("number", range(len(BARE)), ids=BARE)
def test_a_key_of_a_published_format_is_masked(number):
    key = _BARE[number]
    for around in ("before {} after", "token={}", "'{}'", "({})", "{}\\n", "{},next"):
        text = around.format(key)
        masked, count = mask(text)
        assert count == 1, text
        assert key[-12:] not in masked
        assert mask(masked) == (masked, 0)


@pytest.mark.parametrize(("around", "template"), IN_CONTEXT, ids=[around for around, _ in IN_CONTEXT])
def test_a_key_without_a_mark_is_masked_by_what_is_around(around, template):
    key = make(template, random.Random(f"{_CHANCE}{around}"))
    if '"auth"' in around:
        key = base64.b64encode(f"user:{key}".encode()).decode()
    text = around.replace("{}", key)
    masked, count = mask(text)
    assert (count, key in masked) == (1, False), masked
    assert masked.startswith(around.partition(" {}")[0].partition("{}")[0][:-5])
    assert mask(masked) == (masked, 0)


@pytest.mark.parametrize("hidden", ["\u200b", "\u200d", "\ufeff", "\u2060", "\u00ad", "\u202e", "\\\n", "\\\r\n    "])
def test_separators_do_not_hide_a_key(hidden):
    for key in _BARE[::9]:
        for at in (2, len(key) // 2, len(key) - 2):
            masked, count = mask(f"It is {key[:at]}{hidden}{key[at:]} now")
            assert (count, key[-9:] in masked, key[at : at + 9] in masked) == (1, False, False), (key, at)
        masked, _ = mask("".join(f"{character}{hidden}" for character in key))
        assert key[-9:] not in masked.replace(hidden, "")
        assert mask(f"{key}{hidden}text")[1] == 1


def test_text_without_secrets_keeps_its_characters_without_width():
    text = "می\u200cخواهم 👩\u200d👩\u200d👧 and a \\\ncontinued line"
    assert mask(text) == (text, 0)


def test_a_key_in_base64_is_masked():
    for key in ("redis://:pa55w" + "ord@host/1", *_BARE[::9]):
        encoded = base64.b64encode(f"url {key} end".encode()).decode()
        assert mask(f"data: {encoded} end") == ("data: [masked:encoded] end", 1)


def test_every_row_of_the_table_finds_a_key_of_the_list():
    found = "\n".join([*_BARE, *(around for around, _ in IN_CONTEXT)]).lower()
    rows = [(each.kind, each.prefixes) for each in KEY_FORMATS] + [
        (each.kind, each.literals) for each in SHAPED_FORMATS
    ]
    shown = {kind for kind, marks in rows if any(mark.lower() in found for mark in marks)}
    unshown = {kind for kind, _ in rows} - shown
    assert len(unshown) <= 0.2 * len({kind for kind, _ in rows}), sorted(unshown)


def test_source_has_next_to_no_false_alarms():
    lines = sum(text.count("\n") for text in _standard_library())
    alarms = [mask(text)[1] for text in _standard_library() if mask(text)[1]]
    assert lines > 10_000
    assert sum(alarms) <= max(1, lines // 20_000)


@pytest.mark.parametrize(
    "text",
    [
        "Type: AWS::ApiGateway::ApiKey",
        "Type: AWS::AppSync::ApiKey\nProperties: {}",
        '"AWS::ApiGateway::ApiKey": "48205d4ffd7feba3"',
        '"ARN": "arn:aws:secretsmanager:us-west-2:123456789012:secret:MyTestDatabaseSecret-a1b2c3"',
        "postgres://user:password@localhost/db and redis://:${REDIS_PASSWORD}@host",
        "curl -u $USER:$TOKEN https://api.example",
        "machine host login NAME password $PASSWORD",
        "session_id=new_session_id_of_user",
        "Release GPG key: " + "F3EF5F62A87FC27A22E6" * 2,
        "sentry-sdk==2.1.0 --hash=sha256:" + "0a1b2c3d" * 8,
    ],
)
def test_text_that_only_resembles_a_secret_is_kept(text):
    assert mask(text) == (text, 0)


@pytest.mark.parametrize(
    "piece",
    [
        "a",
        "=",
        "a1",
        "AKIA-",
        "://a:",
        "curl -u ",
        "eyJa.",
        "a\u200b",
        "a\\\n",
        "cookie: sid=",
        "aws key ",
        "newrelic=a1b2 ",
    ],
)
def test_the_time_grows_with_the_length_only(piece):
    text = piece * (200_000 // len(piece))
    begun = time.process_time()
    mask(text)
    assert time.process_time() - begun < 20  # the square of the length would take hours


def test_the_log_of_the_daemon_is_masked(tmp_path):
    from muninn_server.logs import log_to

    key, root = _BARE[0], logging.getLogger()
    handlers, level = root.handlers, root.level
    try:
        log_to(str(tmp_path / "daemon.log"))
        try:
            raise ValueError(key)
        except ValueError:
            logging.getLogger("muninn.test").exception("refused %s", key)
    finally:
        for handler in root.handlers:
            handler.close()
        root.handlers, root.level = handlers, level
    written = (tmp_path / "daemon.log").read_text("utf-8")
    assert (key in written, "[masked:" in written) == (False, True)


def test_the_group_of_a_format_is_seen_without_its_compilation():
    for shape in SHAPED_FORMATS:
        assert shape.has_group == (re.compile(shape.expression).groups > 0), shape.expression
