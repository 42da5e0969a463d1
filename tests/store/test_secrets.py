"""The secrets here are made up, and put together at run time so that no scanner takes them for real ones."""

import base64
import json

import pytest
from labelled_secrets import SECRETS

from muninn_core.errors import BadParams
from muninn_core.protocol.families.memory import MemoryDraft
from muninn_core.store.secrets.masking import is_surely_clean, mask, mask_draft, mask_value


def part(value):
    return base64.urlsafe_b64encode(json.dumps(value).encode()).decode().rstrip("=")


FAKES = {
    "aws-key": "AKIA" + "Q1W2" * 4,
    "azure-key": "AccountKey=" + "Ab1+" * 22,
    "github-token": "ghp_" + "a1B2" * 9,
    "gitlab-token": "glpat-" + "a1B2c" * 4,
    "jwt": ".".join([part({"alg": "none"}), part({"sub": "1"}), "c2lnbmF0dXJl"]),
    "mailchimp-key": "0a1b" * 8 + "-us7",
    "openai-token": "sk-" + "a1B2c" * 4 + "T3Blbk" + "FJ" + "a1B2c" * 4,
    "pypi-token": "pypi-AgEIcHlwaS5vcmc" + "a1B2c" * 15,
    "sendgrid-key": "SG." + "a" * 22 + "." + "b" * 43,
    "slack-token": "xoxb-" + "1234-5678-" + "abcd",
    "square-secret": "sq0csp-" + "a" * 43,
    "stripe-key": "sk_live_" + "a1B2" * 6,
    "telegram-token": "123456789:" + "a1B2c" * 7,
    "twilio-key": "SK" + "0a1b" * 8,
    "discord-token": "M" + "a1B2" * 6 + "." + "a1B2c3" + "." + "a" * 27,
    "anthropic-token": "sk-" + "ant-" + "a1B2" * 8,
}


@pytest.mark.parametrize("kind", FAKES)
def test_a_secret_of_a_known_format_is_masked_and_the_rest_stays(kind):
    masked, count = mask(f"before {FAKES[kind]} after")
    assert (masked, count) == (f"before [masked:{kind}] after", 1)
    assert mask(masked) == (masked, 0)


def test_text_around_a_secret_is_kept():
    key = "Ab1+" * 10
    assert mask(f"aws_secret_key = '{key}'") == ("aws_secret_key = '[masked:aws-key]'", 1)
    url = "postgres://bob:" + "hunter2" + "@db:5432/x"
    assert mask(f"{url} and http://localhost:80/a@b") == (
        "postgres://bob:[masked:password]@db:5432/x and http://localhost:80/a@b",
        1,
    )
    token = "//registry.example/:_auth" + "Token=npm_" + "a1B2" * 5
    assert mask(token) == ("//registry.example/:_authToken=[masked:npm-token]", 1)


def test_a_private_key_is_masked_as_a_whole():
    name = "RSA PRIVATE" + " KEY"
    block = f"-----BEGIN {name}-----\nMIIEabc\n-----END {name}-----"
    assert mask(f"a\n{block}\nb") == ("a\n[masked:private-key]\nb", 1)
    assert mask(f"a\n{block[:40]}") == ("a\n[masked:private-key]", 1)


@pytest.mark.parametrize(
    "text",
    [
        "The fix is in 3f2a9c0d4e5f60718293a4b5c6d7e8f901234567.",
        "sha256 " + "0a1b2c3d" * 8,
        "The id is 01kebyc880ah9a3vpgncac7708; see http://localhost:8080/path.",
        "task-list, disk-usage, gl-matrix and eyJust words; key = value; password rules",
        "aws needs a key per region",
    ],
)
def test_hashes_ids_and_ordinary_words_are_no_secrets(text):
    assert mask(text) == (text, 0)


def test_the_users_own_patterns_are_masked():
    assert mask("ticket ACME-1234", ["ACME-[0-9]+"]) == ("ticket [masked:custom]", 1)
    with pytest.raises(BadParams, match="not a regular expression"):
        mask("x", ["("])


def test_every_text_of_a_draft_is_masked_however_deep():
    secret = FAKES["stripe-key"]
    draft = MemoryDraft(
        text=f"key {secret}", title=secret, tags=(secret,), details={"command": ["pay", {"with": secret}], "n": 1}
    )
    masked, count = mask_draft(draft)
    assert count == 4
    assert secret not in repr(masked)
    assert masked.details == {"command": ["pay", {"with": "[masked:stripe-key]"}], "n": 1}
    clean = MemoryDraft(text="nothing here")
    assert mask_draft(clean) == (clean, 0)


@pytest.mark.parametrize("text", [*FAKES.values(), *(text for text, _ in SECRETS)])
def test_data_with_a_secret_is_never_taken_as_surely_clean(text):
    for data in ({"text": text}, {"a": [f"x {text}"]}, {text: 1}, {"command": f"line\n{text}"}, {"password": text}):
        if mask_value(data)[1]:
            assert not is_surely_clean(json.dumps(data, ensure_ascii=False)), data


def test_ordinary_data_is_surely_clean():
    assert is_surely_clean(json.dumps({"tool": "Bash", "command": "pytest -q tests", "exit": 0}))


def test_the_mark_of_a_masked_secret_names_no_other_secret():
    text = 'login me password [masked:netrc-password]: "dXNlcjpacjR0UTh3THA="'
    assert mask(text) == (text, 0)
