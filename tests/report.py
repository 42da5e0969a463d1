"""A pytest plugin: tests with real clients come last, one after the other, and what could not run is told at the end.

A skipped test is easy to miss among a thousand dots; a client that is not here makes a whole suite silent.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from _pytest.terminal import TerminalReporter


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put tests with real clients at the end, in one group: two editors at once would slow each other down."""
    for item in items:
        if item.get_closest_marker("client"):
            item.add_marker(pytest.mark.xdist_group("clients"))
    items.sort(key=lambda item: item.get_closest_marker("client") is not None)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> object:
    """Note the client's name in the report, where it survives the way from a worker."""
    report = yield
    marker = item.get_closest_marker("client")
    if marker:
        report.user_properties.append(("client", str(marker.args[0]) if marker.args else "a real client"))
    return report


def pytest_terminal_summary(terminalreporter: TerminalReporter) -> None:
    """Name each suite that did not run, with the reason, in one line."""
    silent: dict[str, str] = {}
    for report in terminalreporter.stats.get("skipped", []):
        name = dict(report.user_properties).get("client")
        if name is not None:
            silent.setdefault(str(name), reason_of(report.longrepr))
    for name, reason in sorted(silent.items()):
        terminalreporter.write_line(f"did not run: the tests with {name}: {reason}", yellow=True)


def reason_of(longrepr: object) -> str:
    """Return why a test was skipped, in one line."""
    text = longrepr[2] if isinstance(longrepr, tuple) else str(longrepr)
    return " ".join(str(text).removeprefix("Skipped: ").split())
