"""Errors on the wire: a client raises the daemon's error."""

import pytest

from muninn_core import errors
from muninn_core.errors import InternalError, MuninnError, ParseError, RemoteError, RequestError, from_plain

CLASSES = [one for one in vars(errors).values() if isinstance(one, type) and issubclass(one, MuninnError)]


@pytest.mark.parametrize("cls", CLASSES, ids=[one.__name__ for one in CLASSES])
def test_an_error_arrives_as_the_class_that_was_raised(cls):
    sent = cls("it failed", hint="Try again.", data={"nearest": "recall"})
    arrived = from_plain(sent.to_plain())
    assert arrived.to_plain() == sent.to_plain()
    assert type(arrived) is (MuninnError if cls is RemoteError else cls)


@pytest.mark.parametrize(("cls", "code"), [(ParseError, -32700), (RequestError, -32600), (InternalError, -32603)])
def test_errors_of_the_protocol_have_the_codes_of_json_rpc(cls, code):
    assert cls("x").to_plain()["code"] == code


@pytest.mark.parametrize(
    "error",
    [
        {"code": -32700, "message": "not JSON", "data": {"kind": "error"}},
        {"code": -32099, "message": "new", "data": {"kind": "of tomorrow", "hint": "Update.", "at": 3}},
    ],
)
def test_an_error_that_this_version_lacks_keeps_its_code_and_kind(error):
    assert from_plain(error).to_plain() == error


def test_an_error_without_data_keeps_its_code():
    assert from_plain({"code": -32700, "message": "not JSON"}).code == -32700
