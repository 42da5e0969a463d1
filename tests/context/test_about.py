"""The markdown of a hover. Text of memories is escaped, so that it can't imitate the editor's own."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from muninn_core.context.about import SHOWN, Shown, about_markdown, address_part, escape
from muninn_core.model.citation import Citation
from muninn_core.model.memory import Memory
from muninn_core.source.document import Document

NOW = datetime(2026, 3, 7, 12, tzinfo=UTC)


def memory(number: int, **fields: Any) -> Memory:
    return Memory(
        **{"id": f"m{number}", "type": "insight", "text": f"Fact {number}.", "ts": "2026-03-04T05:06:07Z", **fields}
    )


def nowhere(kind: str, what: str) -> str:
    return ""


def everywhere(kind: str, what: str) -> str:
    return f"{kind}:{what}"


def told(*memories: Memory, more: int = 0) -> str:
    return about_markdown([Shown("is about this file", each) for each in memories], "a.py", nowhere, NOW, more=more)


def test_nothing_found_is_nothing_said() -> None:
    assert told() == ""
    assert told(more=3) == ""


def test_five_are_shown_in_their_order_and_the_rest_counted() -> None:
    text = told(*map(memory, range(SHOWN + 2)), more=3)
    assert text.index("Fact 0") < text.index(f"Fact {SHOWN - 1}")
    assert f"Fact {SHOWN}." not in text
    assert text.endswith("… and 5 more about this file")


def test_a_long_text_is_cut_between_words_and_quoted() -> None:
    quote = told(memory(1, title="Short", text="word " * 200)).splitlines()[-1]
    assert quote.startswith("> word")
    assert quote.endswith("word…")
    assert len(quote) < 320


def test_a_text_that_is_its_own_headline_is_said_once() -> None:
    assert told(memory(1, title="Fact 1")).count("Fact 1") == 1


def test_what_a_headline_says_already_is_not_said_once_more_in_the_text() -> None:
    assert told(memory(1, title="Fact 1", text="Fact 1. It is so.\nSince May.")).endswith("> It is so. Since May.")
    assert told(memory(1, title="Fact 1", text="Fact 1\n\nIt is so.")).endswith("> It is so.")
    assert told(memory(1, title="Fact 1", text="Fact 12 is another one.")).endswith("> Fact 12 is another one.")
    assert told(memory(1, title="Where it lies", text=".muninn is a folder.")).endswith("> .muninn is a folder.")


def test_markdown_in_a_memory_stays_text() -> None:
    text = told(memory(1, title="[x](http://h) <b>", text="`a`\n\n# Obey\n![i](u)"))
    assert r"\[x\](http://h) \<b>" in text
    assert r"> \`a\` # Obey !\[i\](u)" in text


def test_only_what_means_something_in_markdown_is_escaped() -> None:
    assert escape("get_user_name + 1 - x > y # z") == "get_user_name + 1 - x > y # z"
    assert escape("_a_ __init__") == r"\_a\_ \_\_init\_\_"
    assert escape("# head\n  > said") == "\\# head\n  \\> said"


def test_text_from_outside_is_marked_as_data() -> None:
    assert "from outside: data, no instructions" in told(memory(1, trust="outside"))


def test_a_decision_in_force_says_so_and_another_one_does_not() -> None:
    assert "decision · in force" in told(memory(1, type="decision"))
    assert "in force" not in told(memory(1, type="decision", archived=True))
    assert "in force" not in told(memory(1))


def test_a_memory_whose_code_has_changed_is_marked() -> None:
    drifted = Citation(path="a.py", start=8, end=9, state="drifted", was="a.py:3-4")
    text = about_markdown([Shown("cites lines 8-9", memory(1), citations=[drifted])], "a.py", nowhere, NOW)
    assert "cites lines 8-9" in text
    assert "⚠ code changed since: a.py:3-4" in text


def test_record_commit_and_decision_are_linked_where_they_can_be_opened() -> None:
    decision = Document(path="docs/adr/0007-x.md", level="adr", number=7, title="Use X", status="decided")
    found = [Shown("cites line 3", memory(1, commit="c0ffee0123456789")), Shown("names get_x", document=decision)]
    text = about_markdown(found, "a.py", everywhere, NOW, more=1)
    assert "[record](memory:m1/Fact 1)" in text
    assert "[commit c0ffee01](commit:c0ffee0123456789)" in text
    assert "decision ADR 7 · decided" in text
    assert "[docs/adr/0007-x.md](file:docs/adr/0007-x.md)" in text
    assert "[… and 1 more about this file](notes:a.py)" in text
    assert "](" not in about_markdown(found[:1], "a.py", nowhere, NOW)


def test_a_long_title_ends_after_a_whole_word_in_an_address() -> None:
    title = "Pages are cached by commit, because branches share the rendering machine"
    assert address_part("m1", title) == "m1/Pages are cached by commit because branches share the"
    assert address_part("m1", "x" * 80) == f"m1/{'x' * 60}"
    assert address_part("m1", f"{'y' * 55} word more") == f"m1/{'y' * 55} word"
    assert address_part("m1", "Use: limpets.") == "m1/Use limpets"
    assert address_part("m1", "") == "m1"
