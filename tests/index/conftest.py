import pytest
from fakes import FakeEmbedder

from muninn_core.index.opening import open_index


@pytest.fixture
def embedder():
    return FakeEmbedder()


@pytest.fixture
def opened(tmp_path, embedder):
    """Open indexes in folders below tmp_path, and close them at the end."""
    indexes = []

    def open_in(name="cache", using=embedder):
        index = open_index(tmp_path / name, using)
        indexes.append(index)
        return index

    yield open_in
    for index in indexes:
        index.close()


@pytest.fixture
def root(tmp_path):
    folder = tmp_path / "tree"
    folder.mkdir()
    return folder
