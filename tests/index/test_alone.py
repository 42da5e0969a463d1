import sys

import pytest

from muninn_core.index.alone import load_alone


@pytest.fixture
def library(tmp_path, monkeypatch):
    """A package whose __init__ must not run, with a module that imports from it and from elsewhere."""
    inner = tmp_path / "apartlib" / "inner"
    inner.mkdir(parents=True)
    (tmp_path / "apartlib" / "__init__.py").write_text("raise RuntimeError('this is heavy')\n")
    (inner / "__init__.py").write_text("raise RuntimeError('so is this')\n")
    (inner / "words.py").write_text("WORD = 'light'\n")
    (inner / "core.py").write_text(
        "import json\n"
        "import heavyweight\n"
        "from heavyweight.net import fetch, Trouble\n"
        "from apartlib.inner.words import WORD\n\n\n"
        "def speak():\n"
        "    try:\n"
        "        return json.dumps(WORD)\n"
        "    except Trouble:\n"
        "        return heavyweight.session.get(fetch)\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    return "apartlib.inner.core"


def test_a_module_runs_without_its_packages_and_without_what_is_left_out(library):
    assert load_alone(library, without=["heavyweight"]).speak() == '"light"'


def test_nobody_else_finds_what_was_loaded_apart(library):
    load_alone(library, without=["heavyweight"])
    assert not [name for name in sys.modules if name.startswith(("apartlib", "heavyweight"))]
    with pytest.raises(RuntimeError, match="heavy"):
        __import__(library)


def test_what_is_not_left_out_must_be_there(library):
    with pytest.raises(ImportError, match="heavyweight"):
        load_alone(library, without=[])


@pytest.mark.parametrize("name", ["apartlib.inner.gone", "no_such_library.core"])
def test_a_module_that_is_not_there_is_an_import_error(library, name):
    with pytest.raises(ImportError, match="there is no"):
        load_alone(name, without=[])
