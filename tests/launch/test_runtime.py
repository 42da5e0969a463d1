"""The runtime directory, the names in it, and the lock."""

from __future__ import annotations

import os
import stat
import subprocess
import sys

import pytest

from muninn_core.errors import DaemonError
from muninn_core.launch import runtime
from muninn_core.launch.lock import FileLock
from muninn_core.launch.runtime import Address, data_directory, home_directory, repository_key, runtime_directory
from muninn_core.launch.transport import connect, listen, read_info, write_info

posix = pytest.mark.skipif(os.name == "nt", reason="modes and owners of files")


@pytest.fixture
def short(environ):
    """An address in a runtime directory with a short path."""
    return Address(environ["MUNINN_RUNTIME_DIR"], "/some/repository/.git")


def test_the_key_of_a_path_never_changes():
    # The test vectors of FNV-1a, 64 bits: every version must find the daemons of every other.
    assert repository_key("") == "cbf29ce484222325"
    assert repository_key("a") == "af63dc4c8601ec8c"
    assert repository_key("foobar") == "85944171f73967e8"


def test_paths_that_are_no_utf8_have_a_key_too():
    assert repository_key(os.fsdecode(b"/tmp/caf\xe9")) != repository_key("/tmp/café")


@posix
def test_the_directory_is_made_for_its_owner_alone(tmp_path):
    made = runtime_directory({"MUNINN_RUNTIME_DIR": str(tmp_path / "a" / "run")})
    assert stat.S_IMODE(os.stat(made).st_mode) == 0o700
    assert runtime_directory({"MUNINN_RUNTIME_DIR": made}) == made


@posix
@pytest.mark.parametrize("mode", [0o755, 0o770, 0o701])
def test_a_directory_that_others_can_enter_is_refused(tmp_path, mode):
    (tmp_path / "run").mkdir()
    (tmp_path / "run").chmod(mode)
    with pytest.raises(DaemonError, match="can be entered by others") as error:
        runtime_directory({"MUNINN_RUNTIME_DIR": str(tmp_path / "run")})
    assert "MUNINN_RUNTIME_DIR" in error.value.hint


@posix
def test_a_link_or_a_file_in_its_place_is_refused(tmp_path):
    (tmp_path / "real").mkdir(mode=0o700)
    (tmp_path / "link").symlink_to(tmp_path / "real")
    with pytest.raises(DaemonError, match="is not a folder"):
        runtime_directory({"MUNINN_RUNTIME_DIR": str(tmp_path / "link")})
    (tmp_path / "file").write_text("x")
    with pytest.raises(DaemonError, match="can't be created"):
        runtime_directory({"MUNINN_RUNTIME_DIR": str(tmp_path / "file")})


@posix
def test_a_directory_of_another_user_is_refused(tmp_path, monkeypatch):
    (tmp_path / "run").mkdir(mode=0o700)
    owner = os.getuid()
    monkeypatch.setattr(os, "getuid", lambda: owner + 1)
    with pytest.raises(DaemonError, match="belongs to another user"):
        runtime_directory({"MUNINN_RUNTIME_DIR": str(tmp_path / "run")})


@posix
def test_without_being_told_it_does_not_depend_on_the_environment(monkeypatch, tmp_path):
    monkeypatch.setattr(runtime, "_posix_directory", lambda uid: str(tmp_path / f"muninn-{uid}"))
    poor, rich = runtime_directory({}), runtime_directory({"XDG_RUNTIME_DIR": "/elsewhere", "TMPDIR": "/elsewhere"})
    assert poor == rich == str(tmp_path / f"muninn-{os.getuid()}")


@posix
@pytest.mark.parametrize("environ", [{}, {"HOME": ""}, {"HOME": "relative", "XDG_DATA_HOME": "data"}])
def test_without_an_absolute_home_the_accounts_home_is_used(environ):
    import pwd

    home = pwd.getpwuid(os.getuid()).pw_dir
    assert home_directory(environ) == home
    assert data_directory(environ).startswith(home)


@posix
def test_a_user_without_a_home_folder_is_told_to_set_one(monkeypatch):
    monkeypatch.setattr(os, "getuid", lambda: 4_000_000_000)
    with pytest.raises(DaemonError, match="no home folder") as refused:
        data_directory({"HOME": "relative"})
    assert "HOME" in refused.value.hint
    assert data_directory({"HOME": "/h", "XDG_DATA_HOME": "/d"}) == "/d/muninn"


HOLD = """
import sys
from muninn_core.launch.lock import FileLock
lock = FileLock(sys.argv[1])
print(lock.acquire(), flush=True)
lock.write("me")
sys.stdin.read()
"""


def test_a_lock_keeps_other_processes_out_and_goes_with_its_holder(tmp_path):
    path = str(tmp_path / "lock")
    with subprocess.Popen(
        [sys.executable, "-c", HOLD, path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as holder:
        assert holder.stdout.readline() == "True\n"
        lock = FileLock(path)
        assert not lock.acquire()
        holder.kill()
        holder.wait()
    assert lock.acquire()
    assert lock.acquire(), "who holds it holds it"
    other = FileLock(path)
    assert not other.acquire()
    lock.release()
    assert other.acquire()
    other.release()


def test_a_lock_in_a_folder_that_is_not_there_is_an_error(tmp_path):
    with pytest.raises(FileNotFoundError):
        FileLock(str(tmp_path / "none" / "lock")).acquire()


@posix
def test_the_socket_is_for_its_owner_alone_and_replaces_a_stale_one(short):
    with open(short.socket, "w") as stale:
        stale.write("stale")
    with listen(short, tcp=False) as server:
        assert stat.S_IMODE(os.stat(short.socket).st_mode) == 0o600
        client, token = connect(short, tcp=False, timeout=300)
        with client:
            assert token == ""
            server.accept()[0].close()
    with pytest.raises(OSError):
        connect(short, tcp=False, timeout=300)


@posix
def test_a_path_that_is_too_long_for_a_socket_is_told_with_the_way_out(tmp_path):
    with pytest.raises(DaemonError, match="longer than 100 bytes") as error:
        listen(Address(str(tmp_path / ("x" * 100)), "/r"), tcp=False)
    assert "MUNINN_RUNTIME_DIR" in error.value.hint


def test_the_daemons_information_file_is_read_back_and_is_private(short):
    write_info(short, {"pid": 7, "token": "t"})
    assert read_info(short) == {"pid": 7, "token": "t"}
    if os.name != "nt":
        assert stat.S_IMODE(os.stat(short.info).st_mode) == 0o600
    for content in ("", "{broken", "[1]"):
        with open(short.info, "w") as file:
            file.write(content)
        assert read_info(short) == {}


def test_tcp_listens_on_loopback_only_and_needs_what_the_daemon_wrote(short):
    with pytest.raises(ConnectionRefusedError):
        connect(short, tcp=True, timeout=300)
    with listen(short, tcp=True) as server:
        host, port = server.getsockname()
        assert host == "127.0.0.1"
        write_info(short, {"port": port, "token": "secret"})
        client, token = connect(short, tcp=True, timeout=300)
        with client:
            assert token == "secret"
            server.accept()[0].close()
