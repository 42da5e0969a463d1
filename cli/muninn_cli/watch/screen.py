"""The screen of `muninn watch`. The only importer of textual."""

from __future__ import annotations

import queue
from collections import deque
from pathlib import PurePath
from typing import ClassVar

from rich.text import Text
from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.widgets import DataTable, Footer, Header, Input, RichLog, Static

from muninn_cli.terminal.safe_text import safe
from muninn_cli.watch.follower import DECISIONS, Update, Waiting, decide, sentence
from muninn_cli.watch.repositories import SCAN_SECONDS, WatchedRepositories
from muninn_core.errors import MuninnError

SCROLLBACK = 5_000
"""Events that are kept for scrolling back and for another filter."""

POLL_SECONDS = 0.1
MAX_UPDATES = 500
"""Updates that are shown at once, so that keys are heard in between."""

_KEYS = sorted({key for keys in DECISIONS.values() for key in keys})


class WatchApp(App[None]):
    """Agents and decisions on the left, events with a filter on the right."""

    TITLE = "muninn watch"
    CSS = """
    #left { width: 45%; }
    #agents { height: 40%; border: round $primary; }
    #inbox { height: 1fr; border: round $primary; }
    #events { border: round $primary; }
    #said { height: auto; max-height: 4; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("q", "quit", "Quit"),
        Binding("f", "filter", "Filter"),
        Binding("i", "inbox", "Decisions"),
        Binding("e", "events", "Events"),
        *(Binding(key, f"decide('{key}')", show=False) for key in _KEYS),
    ]

    def __init__(self, repositories: WatchedRepositories, match: str = "") -> None:
        super().__init__()
        self._repositories = repositories
        self._match = match
        self._events: deque[tuple[str, str]] = deque(maxlen=SCROLLBACK)
        self._agents: dict[str, list[tuple[str, ...]]] = {}
        self._inbox: dict[str, list[Waiting]] = {}
        self._states: dict[str, str] = {}

    def compose(self) -> ComposeResult:
        """Return the widgets."""
        yield Header()
        with Horizontal():
            with Vertical(id="left"):
                yield DataTable(id="agents", cursor_type="row")
                yield DataTable(id="inbox", cursor_type="row")
                yield Static(id="said", markup=False)
            with Vertical():
                yield Input(self._match, placeholder="only events that contain …", id="filter")
                yield RichLog(id="events", wrap=False, max_lines=SCROLLBACK)
        yield Footer()

    def on_mount(self) -> None:
        """Begin to follow."""
        self.query_one("#agents", DataTable).add_columns("agent", "role", "works on", "leases")
        self.query_one("#inbox", DataTable).add_columns("waits", "keys", "text")
        self.query_one("#agents").border_title = "Agents"
        self.query_one("#inbox").border_title = "Decisions"
        self.query_one("#events").border_title = "Events"
        self.query_one("#inbox").focus()
        self._repositories.scan()
        self.set_interval(POLL_SECONDS, self._take)
        self.set_interval(SCAN_SECONDS, self._repositories.scan)

    # --- what comes ---

    def _take(self) -> None:
        for _ in range(MAX_UPDATES):
            try:
                update = self._repositories.updates.get_nowait()
            except queue.Empty:
                return
            self._show(update)

    def _show(self, update: Update) -> None:
        if update.kind == "event":
            row = (update.root, sentence(update.content))
            self._events.append(row)
            self._write(row)
        elif update.kind == "agents":
            self._agents[update.root] = _rows(update)
            self._fill("#agents", [row for rows in self._agents.values() for row in rows])
        elif update.kind == "inbox":
            self._set_inbox(update.root, update.content)
        else:
            self._states[update.root] = update.content
            if update.content == "gone":
                self._agents.pop(update.root, None)
                self._set_inbox(update.root, [])
            self.sub_title = ", ".join(f"{PurePath(root).name}: {state}" for root, state in self._states.items())

    def _write(self, row: tuple[str, str]) -> None:
        root, line = row
        if self._match in line:
            self.query_one("#events", RichLog).write(Text(safe(self._repositories.label(root) + line)))

    def _set_inbox(self, root: str, items: list[Waiting]) -> None:
        if self._inbox.get(root, []) != items:
            self._inbox[root] = items
            keys = {kind: "".join(names) for kind, names in DECISIONS.items()}
            self._fill("#inbox", [(one.kind, keys[one.kind], one.text) for one in self._items()])

    def _fill(self, name: str, rows: list[tuple[str, ...]]) -> None:
        """Replace the rows of a table; the cursor stays on its row."""
        table = self.query_one(name, DataTable)
        at = table.cursor_row
        table.clear()
        for row in rows:
            table.add_row(*(Text(safe(" ".join(cell.split()))) for cell in row))
        if rows:
            table.move_cursor(row=min(at, len(rows) - 1))

    def _items(self) -> list[Waiting]:
        return [one for items in self._inbox.values() for one in items]

    # --- keys ---

    def on_input_changed(self, changed: Input.Changed) -> None:
        """Show the kept events again with another filter."""
        self._match = changed.value
        self.query_one("#events", RichLog).clear()
        for row in self._events:
            self._write(row)

    def action_filter(self) -> None:
        """Type a filter."""
        self.query_one("#filter").focus()

    def action_inbox(self) -> None:
        """Go to what waits."""
        self.query_one("#inbox").focus()

    def action_events(self) -> None:
        """Scroll the events."""
        self.query_one("#events").focus()

    def on_input_submitted(self) -> None:
        """Leave the filter, so that keys decide again."""
        self.action_inbox()

    def action_decide(self, key: str) -> None:
        """Decide about the chosen item, if the key belongs to its kind."""
        table, items = self.query_one("#inbox", DataTable), self._items()
        if not items or not table.has_focus:
            return
        item = items[min(table.cursor_row, len(items) - 1)]
        if key not in DECISIONS[item.kind]:
            words = ", ".join(f"{name} {words}" for name, (words, _, _) in DECISIONS[item.kind].items())
            self._say(f"{item.kind}: {words}")
            return
        self.run_worker(lambda: self._decided(item, key), thread=True, exclusive=True)

    def _decided(self, item: Waiting, key: str) -> None:
        try:
            outcome = decide(item, key, self._repositories.environ)
        except (MuninnError, OSError) as error:
            self.call_from_thread(self._say, f"error: {getattr(error, 'message', error)}")
            return
        left = [one for one in self._inbox.get(item.root, []) if one != item]
        self.call_from_thread(self._set_inbox, item.root, left)
        self.call_from_thread(self._say, outcome)

    def _say(self, text: str) -> None:
        self.query_one("#said", Static).update(safe(text))


def _rows(update: Update) -> list[tuple[str, ...]]:
    found = update.content
    rows = [(one["name"], one["role"], one["task"], ", ".join(one["leases"])) for one in found["agents"]]
    notes = [(f"hand-off {one['number']}", f"to {one['to'] or 'anyone'}", one["text"], "") for one in found["handoffs"]]
    return [*rows, *notes]
