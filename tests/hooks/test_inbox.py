"""The files in which hooks keep requests for the daemon."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from muninn_hooks import inbox

FULL = """
import resource, sys
from muninn_hooks import inbox
resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))  # like a full disk: a part of the text is written, then none
try:
    inbox.put(sys.argv[1], "capture", {"text": "x" * 1000})
except OSError as error:
    print(error.strerror)
"""


@pytest.mark.skipif(os.name == "nt", reason="Windows has no limits of files")
def test_a_request_that_the_disk_takes_in_part_is_an_error_and_leaves_no_file(tmp_path: Path) -> None:
    done = subprocess.run([sys.executable, "-c", FULL, str(tmp_path)], capture_output=True, text=True, check=True)
    assert done.stdout == "File too large\n"
    assert os.listdir(tmp_path / ".muninn/local/inbox") == []


def test_a_request_is_private(tmp_path: Path) -> None:
    inbox.put(str(tmp_path), "capture", {"session": "s"})
    (file,) = (tmp_path / ".muninn/local/inbox").iterdir()
    assert file.suffix == ".json"
    assert os.name == "nt" or file.stat().st_mode & 0o777 == 0o600
