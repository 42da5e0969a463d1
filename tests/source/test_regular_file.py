"""Only regular files are read, only up to a limit, and only as far as they reached."""

from __future__ import annotations

import os
import socket
from pathlib import Path

import pytest

from muninn_core.regular_file import FileTooLarge, open_regular, read_regular

both = pytest.mark.parametrize("reader", [read_regular, open_regular])


@both
def test_a_pipe_a_socket_a_device_and_a_folder_are_refused_at_once(reader, tmp_path, monkeypatch):
    os.mkfifo(tmp_path / "pipe")
    monkeypatch.chdir(tmp_path)  # the path of a socket is short
    with socket.socket(socket.AF_UNIX) as bound:
        bound.bind("socket")
        (tmp_path / "link").symlink_to("/dev/zero")
        for name in ("pipe", "socket", "link", ".", "/dev/zero", "nul\0", "missing", "n" * 300):
            with pytest.raises(OSError):
                reader(Path(name), 1000)


@both
def test_a_file_beyond_the_limit_is_refused_before_it_is_read(reader, tmp_path):
    (tmp_path / "large").write_bytes(b"a" * 1001)
    with pytest.raises(FileTooLarge, match=r"1,001 bytes; the limit is 1,000"):
        reader(tmp_path / "large", 1000)


def test_the_whole_file_is_read(tmp_path):
    content = os.urandom(200_000)
    (tmp_path / "file").write_bytes(content)
    assert read_regular(tmp_path / "file", 200_000) == content
    with open_regular(tmp_path / "file", 200_000) as file:
        assert file.read() == content


def test_bytes_appended_during_reading_are_not_read(tmp_path):
    path = tmp_path / "growing"
    path.write_bytes(b"one\ntwo\n")
    with open_regular(path, 1000) as file:
        seen = []
        for line in file:
            seen.append(line)
            with path.open("ab") as more:
                more.write(b"more\n" * 10_000)
        assert seen == [b"one\n", b"two\n"]
