"""The transport for systems without Unix sockets, with the real daemon."""

from __future__ import annotations

import os
import stat

import psutil
import pytest
from repositories import PATIENCE, daemon_pid, stop_daemon

from muninn_core import client
from muninn_core.errors import DaemonError, MuninnError
from muninn_core.launch.repository_location import locate
from muninn_core.launch.runtime import Address
from muninn_core.launch.transport import read_info, write_info


@pytest.fixture
def over_tcp(plain_repo, environ):
    """A repository and an environment whose clients use TCP; the daemon is stopped afterwards."""
    settings = {**environ, "MUNINN_TRANSPORT": "tcp"}
    yield plain_repo, settings, Address(settings["MUNINN_RUNTIME_DIR"], locate(str(plain_repo)).identity)
    if (pid := daemon_pid(plain_repo, settings)) is not None and psutil.pid_exists(pid):
        stop_daemon(plain_repo, settings)


def test_the_right_token_is_served_and_a_wrong_one_is_refused(over_tcp):
    repo, environ, address = over_tcp
    with client.connect(str(repo), environ) as muninn:
        muninn.call("init")
        info = read_info(address)
        assert info["pid"] == muninn.daemon["pid"]
        assert not os.path.exists(address.socket)
        assert stat.S_IMODE(os.stat(address.info).st_mode) == 0o600
        for wrong in ("", "0" * 64, "größer"):
            write_info(address, {**info, "token": wrong})
            with pytest.raises(MuninnError, match="token"):
                client.connect(str(repo), environ, start=False)
        write_info(address, info)
        with client.connect(str(repo), environ, start=False) as second:
            assert second.daemon["pid"] == info["pid"]
            assert second.call("status")["clients"] == 2


def test_a_stale_port_starts_a_new_daemon(over_tcp):
    repo, environ, address = over_tcp
    with client.connect(str(repo), environ) as muninn:
        process = psutil.Process(muninn.daemon["pid"])
    stale = read_info(address)
    process.kill()
    process.wait(PATIENCE)
    with pytest.raises(DaemonError, match="no daemon is running"):
        client.connect(str(repo), environ, start=False)
    with client.connect(str(repo), environ) as muninn:
        assert muninn.daemon["pid"] != stale["pid"]
    assert read_info(address)["token"] != stale["token"]
