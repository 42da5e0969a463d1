"""Selects the items of a context pack: pins, the task and files in use first, then memory, knowledge and code.

Candidates arrive ranked; this module decides which ones fit and in which form. The budget applies to the text in the
requested format, so that the same question may have more items in a shorter format. It is enforced at the end.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType

from muninn_core.context.deduplication import Candidate, without_duplicates
from muninn_core.context.item_forms import cut_to_fit, location_only
from muninn_core.context.memory_summary import shorten
from muninn_core.context.render import Format, Sheet, headline_of, render_headline, render_one, render_sheet
from muninn_core.context.tokens import count_tokens
from muninn_core.model.answer import Hit
from muninn_core.model.value import Value, replace
from muninn_core.protocol.search import LeftOut, PackItem

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

LIST_FROM = 1000
"""The smallest budget in tokens of a pack that lists its pieces of files at the top. Each memory is a line anyway."""

LISTED = 3
"""The least number of pieces of files that are listed."""

LIST_TOKENS = 12
"""The maximum number of tokens of the list's own markup."""

FOOT_FROM = 200
"""The smallest budget in tokens of a pack whose markdown names its bundle."""

JOINED_SHARE = 0.25
"""The maximum size of joined pieces of a file, as a share of the budget."""

PART_SHARE = 0.75
"""The share of its tier's remaining budget that an item cut to a part may use."""

POINTERS = 8
"""The maximum number of items shown by their location alone, in at most a twentieth of the budget."""

_RANK = {tier: place for place, (tier, _) in enumerate(TIERS)}


class Pack(Value):
    """The selected items, the candidates left out, and the sheet to render."""

    items: tuple[PackItem, ...]
    left_out: tuple[LeftOut, ...]
    sheet: Sheet


class _Room:
    """The remaining budget, and the items selected and passed over so far."""

    def __init__(self, left: int, lines: Mapping[str, int], budget: int, style: Format, *, listing: bool) -> None:
        self.left = left
        self.style: Format = style
        self._listing = listing
        self._caps = {tier: int(budget * share) for tier, share in MAX_SHARE.items()}
        self.lines = lines
        self.chosen: list[tuple[int, PackItem]] = []
        self.passed: list[tuple[int, PackItem, str]] = []
        self._headed: set[str] = set()

    def price(self, item: PackItem) -> int:
        """Return the tokens of an item with those of its surroundings."""
        return item.tokens + self.around(item)

    def around(self, item: PackItem) -> int:
        """Return the tokens of the heading of a tier's first item, and of the line that lists the item at the top."""
        heading = HEADING_TOKENS if self.style == "markdown" and item.tier not in self._headed else 0
        listed = self._listing and _is_piece(item)
        return heading + (count_tokens(render_headline(headline_of(item), self.style)) if listed else 0)

    def cost(self, item: PackItem) -> int:
        """Return the tokens of an item in the format of the pack."""
        return cost(item, self.style)

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
) -> Pack:
    """Select items from (tier, hit) pairs, which are ordered by score within each tier.

    `lines` maps paths to the most relevant line, for items that are cut. The budget is that of the text in `style`.

    Every tier first gets its share. The remaining budget goes to the items that did not fit, in the same order: whole,
    else in part, else by their location. `MAX_SHARE` holds throughout.
    """
    ordered = sorted(candidates, key=lambda pair: _RANK[pair[0]])  # stable: candidates stay ordered within a tier
    kept, dropped = without_duplicates(ordered, int(budget * JOINED_SHARE))
    sheet = _heading(query, budget, len(candidates), style)
    listing = budget >= LIST_FROM and sum(hit.kind != "memory" for _, hit in kept) >= LISTED
    free = budget - _size(sheet, style) - (LIST_TOKENS if listing else 0)
    room = _Room(free, lines, budget, style, listing=listing)
    _share_out(room, [_item(tier, hit, style) for tier, hit in kept])
    _fill_up(room, budget)
    left_out = [_left_out(_item(each.tier, each.hit, style), each.reason) for each in dropped]
    left_out += [_left_out(item, reason) for _, item, reason in room.passed]
    items = [
        item
        for _, item in sorted(room.chosen, key=lambda entry: (_RANK[entry[1].tier], _is_location(entry[1]), entry[0]))
    ]
    return _enforce_budget(sheet, items, _headlines(items) if listing else (), left_out, budget, style)


def with_bundle(pack: Pack, bundle: str) -> Sheet:
    """Return the sheet of a pack with its bundle id, which has the length of the placeholder."""
    return replace(pack.sheet, bundle=bundle)


def _is_location(item: PackItem) -> bool:
    return item.form == "headline"  # after the items with text


def _is_piece(item: PackItem) -> bool:
    return item.kind != "memory" and not _is_location(item)


def _share_out(room: _Room, items: Sequence[PackItem]) -> None:
    """Fill every tier up to its share, in order. An item that does not fit is cut where possible."""
    for tier, share in TIERS:
        allowance = int(room.left * share)
        for number, item in enumerate(items):
            if item.tier != tier:
                continue
            if room.price(item) <= allowance:
                allowance -= room.take(number, item)
                continue
            size = int(allowance * PART_SHARE) - room.around(item)
            cut = cut_to_fit(item, size, room.cost, room.lines.get(item.path, 0))
            if cut is not None and room.price(cut) <= allowance:
                allowance -= room.take(number, cut)
            else:
                reason = "over the budget" if share == 1.0 else "over its tier's share and over the remaining budget"
                room.passed.append((number, item, reason))


def _fill_up(room: _Room, budget: int) -> None:
    """Use the remaining budget for passed-over items: whole, else in part, else by their location."""
    _retry(room, lambda item: item)
    for_lines = budget // 20
    room.left -= for_lines
    _retry(
        room,
        lambda item: cut_to_fit(
            item, room.left_for(item.tier) - room.around(item), room.cost, room.lines.get(item.path, 0)
        ),
    )
    room.left += for_lines
    named = 0
    for number, item, _ in room.passed:
        pointer = location_only(item, room.cost)
        price = room.price(pointer)
        if named < POINTERS and price <= min(room.left_for(item.tier), for_lines):
            for_lines -= room.take(number, pointer)
            named += 1


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


def _headlines(items: Sequence[PackItem]) -> tuple[str, ...]:
    """Return a line for each piece of a file; empty for fewer than `LISTED`."""
    pieces = [item for item in items if _is_piece(item)]
    return tuple(map(headline_of, pieces)) if len(pieces) >= LISTED else ()


def _enforce_budget(
    sheet: Sheet, items: list[PackItem], lines: tuple[str, ...], left_out: list[LeftOut], budget: int, style: Format
) -> Pack:
    """Remove items from the end until the text is within the budget: the final check."""
    while True:
        pointers = {(item.kind, item.id) for item in items if item.form == "headline"}
        named = [
            replace(each, reason=f"{each.reason}; listed by its location")
            for each in left_out
            if _key(each) in pointers
        ]
        out = [each for each in left_out if _key(each) not in pointers] + named
        written = replace(sheet, items=tuple(items), headlines=lines, omitted=len(out))
        over = _size(written, style) - budget
        if over <= 0 or not (items or lines):
            break
        lines = ()
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
