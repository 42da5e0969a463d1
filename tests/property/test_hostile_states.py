"""No record and no parameter breaks a verb, whatever they contain. The long form is `hostile_states.run`."""

from __future__ import annotations

import pytest
from hostile_states import run


@pytest.mark.parametrize("seed", [6, 100, 101])
def test_no_hostile_record_breaks_a_verb(monkeypatch, seed):
    monkeypatch.setenv("TERM", "dumb")  # the results are printed without colours
    violations = run(seed, 1, calls=2)
    assert not violations, "\n\n".join(map(str, violations[:3]))
