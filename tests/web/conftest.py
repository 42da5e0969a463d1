"""The HTTP API of the repository that a module's tests share."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from http_api import Api, serving
from repositories import Home


@pytest.fixture(scope="module")
def api(served: Home) -> Iterator[Api]:
    """The API of the module's repository."""
    with serving(served.repo, served.environ) as (_, api):
        yield api
