"""Selects the items of a context pack: pins, the task and files in use first, then memory, knowledge and code.

Candidates arrive ranked; this module decides which ones fit and in which form. The budget applies to the text in the
requested format, so that the same question may have more items in a shorter format. It is enforced at the end.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType

from muninn_core.context.memory_summary import shorten
from muninn_core.context.packs.deduplication import Candidate, without_duplicates
from muninn_core.context.packs.item_forms import cut_to_fit, cut_to_passage, location_only
from muninn_core.context.packs.render import Format, Sheet, render_one, render_sheet
from muninn_core.context.packs.tokens import count_tokens
from muninn_core.model.answer import Hit
from muninn_core.model.value import Value, replace
from muninn_core.protocol.families.search import LeftOut, PackItem
from muninn_core.retrieval.text.passages import Passages

TIERS: tuple[tuple[str, float], ...] = (
    ("pin", 0.4),
    ("task", 0.5),
    ("hand", 0.5),
    ("explored", 0.8),
    ("skill", 0.3),
    ("memory", 0.4),
    ("knowledge", 0.35),
    ("code", 1.0),
)
"""The tiers in order, and the share of the remaining budget that each may use."""

MAX_SHARE: Mapping[str, float] = MappingProxyType({"skill": 0.3})
"""Shares of the whole budget that a tier never exceeds, even when there is room."""

HEADING_CHARS = (100, 60, 30, 10, 0)
"""Lengths of the question in the heading, in characters. The first length that fits is used."""

HEADING_TOKENS = 6
"""The maximum number of tokens of a tier's heading in markdown. The other formats have none."""

FOOT_FROM = 200
"""The smallest budget in tokens of a pack whose markdown names its bundle."""

JOINED_SHARE = 0.25
"""The maximum size of joined pieces of a file, as a share of the budget."""

PART_SHARE = 0.75
"""The share of its tier's remaining budget that an item cut to a part may use."""

CLOSE_MEMORY = 0.65
"""A memory below this share of the best memory's score has its turn after the other tiers."""

PASSAGE_TIERS = frozenset({"knowledge", "code"})
"""The tiers whose items first show their best passage only, so that more files have room."""

PASSAGES_FROM = 400
"""The smallest budget in tokens whose items are shortened to passages before they would be cut."""

PASSAGE_TOKENS = 150
"""The tokens of an item that is shortened to its passage, at most a quarter of the budget."""

FIRST_PASSAGE_SHARE = 0.12
"""The share of the budget that the best item of a tier may use whatever PASSAGE_TOKENS says; the nth one has 1/n."""

POINTER_SHARE = 0.08
"""The share of the budget for items that are shown by their location alone."""

Find = Callable[[PackItem], Passages]
"""Returns the passages of an item of a file."""

_RANK = {tier: place for place, (tier, _) in enumerate(TIERS)}


class Pack(Value):
    """The selected items, the candidates left out, and the sheet to render."""

    items: tuple[PackItem, ...]
    left_out: tuple[LeftOut, ...]
    sheet: Sheet


class _Room:
    """The remaining budget, and the items selected and passed over so far.

    `whole` has the whole items of selected parts, `located` the items of which only the location is selected.
    """

    def __init__(self, left: int, lines: Mapping[str, int], find: Find, budget: int, style: Format) -> None:
        self.left = left
        self.style: Format = style
        self.budget = budget
        self._caps = {tier: int(budget * share) for tier, share in MAX_SHARE.items()}
        self._lines = lines
        self._find = find
        self.chosen: list[tuple[int, PackItem]] = []
        self.passed: list[tuple[int, PackItem, str]] = []
        self.located: list[tuple[int, PackItem, str]] = []
        self.whole: dict[int, PackItem] = {}
        self._headed: set[str] = set()

    def price(self, item: PackItem) -> int:
        """Return the tokens of an item with those of its surroundings."""
        return item.tokens + self.around(item)

    def around(self, item: PackItem) -> int:
        """Return the tokens of the heading of a tier's first item."""
        return HEADING_TOKENS if self.style == "markdown" and item.tier not in self._headed else 0

    def cost(self, item: PackItem) -> int:
        """Return the tokens of an item in the format of the pack."""
        return cost(item, self.style)

    def cut(self, item: PackItem, size: int) -> PackItem | None:
        """Return an item shortened to `size` tokens: its lines around a given line, or else its best passage."""
        line = self._lines.get(item.path, 0)
        if line or item.kind == "memory":
            return cut_to_fit(item, size, self.cost, line)
        return cut_to_passage(item, size, self.cost, self._find(item))

    def left_for(self, tier: str) -> int:
        """Return the tokens that a tier may still use."""
        return min(self.left, self._caps.get(tier, self.left))

    def take(self, number: int, item: PackItem) -> int:
        """Select an item and return its price."""
        price = self.price(item)
        self._headed.add(item.tier)
        if item.tier in self._caps:
            self._caps[item.tier] -= price
        self.chosen.append((number, item))
        self.left -= price
        return price


def make_pack(
    query: str,
    candidates: Sequence[Candidate],
    budget: int,
    lines: Mapping[str, int] = MappingProxyType({}),
    style: Format = "markdown",
    find: Find = lambda _: Passages(),
) -> Pack:
    """Select items from (tier, hit) pairs, which are ordered by score within each tier.

    `lines` maps paths to the most relevant line, and `find` returns the best passages of other items, for items that
    are shortened. The budget is that of the text in `style`.

    Every tier first gets its share. Items of code and knowledge begin as passages. The remaining budget goes to the
    locations of files without an item, to the items that did not fit, and to the whole text of passages, in this order.
    `MAX_SHARE` holds throughout.
    """
    ordered = sorted(candidates, key=lambda pair: _RANK[pair[0]])  # stable: candidates stay ordered within a tier
    kept, dropped = without_duplicates(ordered, int(budget * JOINED_SHARE))
    sheet = _heading(query, budget, len(candidates), style)
    room = _Room(budget - _size(sheet, style), lines, find, budget, style)
    for_locations = int(budget * POINTER_SHARE)
    room.left -= for_locations
    _fill_shares(room, [_item(tier, hit, style) for tier, hit in kept])
    room.left += for_locations
    _add_locations(room, for_locations)
    _fill_up(room)
    left_out = [_left_out(_item(each.tier, each.hit, style), each.reason) for each in dropped]
    left_out += [_left_out(item, reason) for _, item, reason in (*room.passed, *room.located)]
    items = [
        item
        for _, item in sorted(room.chosen, key=lambda entry: (_RANK[entry[1].tier], _is_location(entry[1]), entry[0]))
    ]
    return _enforce_budget(sheet, items, left_out, budget, style)


def with_bundle(pack: Pack, bundle: str) -> Sheet:
    """Return the sheet of a pack with its bundle id, which has the length of the placeholder."""
    return replace(pack.sheet, bundle=bundle)


def _is_location(item: PackItem) -> bool:
    return item.form == "headline"  # after the items with text


def _fill_shares(room: _Room, items: Sequence[PackItem]) -> None:
    """Fill every tier up to its share, in order. An item that is too long is shortened where possible."""
    for tier, share in TIERS:
        allowance = int(room.left * share)
        ranked = [(number, item) for number, item in enumerate(items) if item.tier == tier]
        least = CLOSE_MEMORY * max((item.score for _, item in ranked), default=0.0) if tier == "memory" else 0.0
        for rank, (number, item) in enumerate(ranked, 1):
            size = min(allowance, _first_size(room, item, rank))
            shown: PackItem | None = item if item.score >= least else None
            if shown is not None and room.price(item) > size:
                size = min(size, int(allowance * PART_SHARE))
                shown = room.cut(item, size - room.around(item))
            if shown is None or room.price(shown) > allowance:
                reason = "over the budget" if share == 1.0 else "over its tier's share and over the remaining budget"
                room.passed.append((number, item, reason))
                continue
            allowance -= room.take(number, shown)
            if shown is not item:
                room.whole[number] = item


def _first_size(room: _Room, item: PackItem, rank: int) -> int:
    """Return the most tokens of an item before other items had their turn. `rank` counts from 1 within its tier."""
    if item.tier not in PASSAGE_TIERS or room.budget < PASSAGES_FROM:
        return room.budget
    return max(min(PASSAGE_TOKENS, room.budget // 4), int(room.budget * FIRST_PASSAGE_SHARE / rank))


def _add_locations(room: _Room, size: int) -> None:
    """Name files without an item by the location of their best one, on at most `size` tokens. Code comes first."""
    shown = {item.path for _, item in room.chosen}
    for entry in sorted(room.passed, key=lambda entry: (-_RANK[entry[1].tier], entry[0])):
        number, item, _ = entry
        if item.tier not in PASSAGE_TIERS or item.path in shown:
            continue
        location = location_only(item, room.cost)
        if room.price(location) <= min(size, room.left):
            size -= room.take(number, location)
            room.passed.remove(entry)
            room.located.append(entry)
            shown.add(item.path)


def _fill_up(room: _Room) -> None:
    """Use the remaining budget: items that did not fit, then whole items instead of passages, then parts."""
    _retry(room, lambda item: item if item.tier not in PASSAGE_TIERS else room.cut(item, PASSAGE_TOKENS))
    for place, (number, item) in sorted(
        enumerate(room.chosen), key=lambda entry: (-_RANK[entry[1][1].tier], entry[1][0])
    ):
        whole = room.whole.get(number)
        if whole is not None and whole.tokens - item.tokens <= room.left_for(item.tier):
            room.left -= whole.tokens - item.tokens
            room.chosen[place] = (number, whole)
    _retry(room, lambda item: room.cut(item, room.left_for(item.tier) - room.around(item)))


def _retry(room: _Room, form: Callable[[PackItem], PackItem | None]) -> None:
    waiting, room.passed = room.passed, []
    for number, item, reason in waiting:
        made = form(item)
        if made is not None and room.price(made) <= room.left_for(item.tier):
            room.take(number, made)
        else:
            room.passed.append((number, item, reason))


def cost(item: PackItem, style: Format) -> int:
    """Return the number of tokens of an item in a format."""
    return count_tokens(render_one(item, style))


def _size(sheet: Sheet, style: Format) -> int:
    return count_tokens(render_sheet(sheet, style))


def _heading(query: str, budget: int, candidates: int, style: Format) -> Sheet:
    """Return an empty sheet with as much of the question as the budget allows."""
    for length in HEADING_CHARS:
        heading = shorten(query, length) if length else ""
        sheet = Sheet(heading=heading, omitted=candidates, foot=budget >= FOOT_FROM)
        if _size(sheet, style) <= max(budget // 3, 44):
            break
    return sheet


def _enforce_budget(sheet: Sheet, items: list[PackItem], left_out: list[LeftOut], budget: int, style: Format) -> Pack:
    """Remove items from the end until the text is within the budget: the final check."""
    while True:
        pointers = {(item.kind, item.id) for item in items if item.form == "headline"}
        named = [
            replace(each, reason=f"{each.reason}; listed by its location")
            for each in left_out
            if _key(each) in pointers
        ]
        out = [each for each in left_out if _key(each) not in pointers] + named
        written = replace(sheet, items=tuple(items), omitted=len(out))
        over = _size(written, style) - budget
        if over <= 0 or not items:
            break
        while items and over > 0:
            item = items.pop()
            over -= item.tokens
            if item.form != "headline":
                left_out.append(_left_out(item, "over the budget"))
    return Pack(items=tuple(items), left_out=tuple(sorted(out, key=_place_in_list)), sheet=written)


def _key(left: LeftOut) -> tuple[str, str]:
    return (left.kind, left.id)


def _place_in_list(left: LeftOut) -> tuple[int, float, str, int, str]:
    return (_RANK[left.tier], -left.score, left.path, left.start_line, left.id)


def _left_out(item: PackItem, reason: str) -> LeftOut:
    shared = {name: getattr(item, name) for name in LeftOut.__struct_fields__ if name != "reason"}
    return LeftOut(**shared, reason=reason)


def _item(tier: str, hit: Hit, style: Format) -> PackItem:
    shared = {name: getattr(hit, name) for name in PackItem.__struct_fields__ if name in Hit.__struct_fields__}
    text = hit.text if hit.kind == "memory" else hit.text.rstrip("\n")
    item = PackItem(**{**shared, "tier": tier, "title": hit.title or hit.symbol, "text": text, "tokens": 0})
    return replace(item, tokens=cost(item, style))
