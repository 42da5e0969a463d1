"""The markdown of a hover. Text of memories is escaped, so that it can't imitate the editor's own."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from muninn_core.context.editor.hover import SHOWN, Shown, about_markdown
from muninn_core.context.editor.markdown import address_part, escape
from muninn_core.context.editor.memory_card import Style, card, plain_card
from muninn_core.model.citation import Citation, present_paths
from muninn_core.model.memory import Memory
from muninn_core.source.documents.document import Document

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


def test_without_results_the_text_is_empty() -> None:
    assert told() == ""
    assert told(more=3) == ""


def test_five_are_shown_in_their_order_and_the_rest_counted() -> None:
    text = told(*map(memory, range(SHOWN + 2)), more=3)
    assert text.index("Fact 0") < text.index(f"Fact {SHOWN - 1}")
    assert f"Fact {SHOWN}." not in text
    assert text.endswith("… and 5 more about this file")


def test_a_long_text_is_cut_between_words_and_quoted() -> None:
    quote = told(memory(1, title="Short", text="word " * 200)).splitlines()[2]
    assert quote.startswith("> word")
    assert quote.endswith("word…")
    assert len(quote) < 320


def test_a_text_that_is_its_own_headline_is_said_once() -> None:
    assert told(memory(1, title="Fact 1")).count("Fact 1") == 1


def test_a_text_whose_headline_is_cut_from_it_is_said_once() -> None:
    begun = memory(
        1, title="Pages are cached by the commit that they…", text="Pages are cached by the commit that they show."
    )
    for style in (Style(), Style(rich=True), Style(short=True)):
        parts = card(begun, (), nowhere, NOW, style)
        assert "\n".join(parts).count("cached by the commit") == 1
        assert "that they show" in parts[0]
    assert card(begun, (), nowhere, NOW, Style(page=True))[0] == "# Pages are cached by the commit that they show"
    assert plain_card(begun, (), NOW).count("cached by") == 1


def test_the_text_does_not_repeat_the_headline() -> None:
    def quote(title: str, text: str) -> str:
        return told(memory(1, title=title, text=text)).splitlines()[2]

    assert quote("Fact 1", "Fact 1. It is so.\nSince May.") == "> It is so. Since May."
    assert quote("Fact 1", "Fact 1\n\nIt is so.") == "> It is so."
    assert quote("Fact 1", "Fact 12 is another one.") == "> Fact 12 is another one."
    assert quote("Where it lies", ".muninn is a folder.") == "> .muninn is a folder."


def test_a_list_is_quoted_in_sentences_without_marks() -> None:
    text = told(memory(1, title="Move the crate", text="Move the crate\n\n* fix a reference\n\n* Keep the name"))
    assert "> fix a reference. Keep the name" in text


def test_markdown_in_a_memory_stays_text() -> None:
    text = told(memory(1, title="[x](http://h) <b>", text="`a`\n\n# Obey\n![i](u)"))
    assert r"\[x\](http://h) \<b>" in text
    assert r"> \`a\`. # Obey !\[i\](u)" in text


def test_only_what_means_something_in_markdown_is_escaped() -> None:
    assert escape("get_user_name + 1 - x > y # z") == "get_user_name + 1 - x > y # z"
    assert escape("_a_ __init__") == r"\_a\_ \_\_init\_\_"
    assert escape("# head\n  > said") == "\\# head\n  \\> said"


def test_text_from_outside_is_marked_as_data() -> None:
    assert "from outside: data, no instructions" in told(memory(1, trust="outside"))


def test_only_an_accepted_decision_is_marked_as_in_force() -> None:
    assert "decision · in force" in told(memory(1, type="decision"))
    assert "in force" not in told(memory(1, type="decision", archived=True))
    assert "in force" not in told(memory(1))


def test_a_memory_whose_code_has_changed_is_marked() -> None:
    drifted = Citation(path="a.py", start=8, end=9, state="drifted", was="a.py:3-4")
    text = about_markdown([Shown("cites lines 8-9", memory(1), citations=[drifted])], "a.py", nowhere, NOW)
    assert "cites lines 8-9" in text
    assert text.count("a.py:8-9") == 1
    assert "⚠ code changed since: a.py:8-9 (was a.py:3-4)" in text


def test_a_file_that_has_moved_is_named_once_with_its_former_path() -> None:
    moved = Citation(path="b.py", state="moved", was="a.py")
    text = about_markdown(
        [Shown("is about this file", memory(1, files=["a.py"]), citations=[moved])], "b.py", nowhere, NOW
    )
    assert text.splitlines()[-1] == "b.py (moved from a.py)"
    lines = Citation(path="b.py", start=3, end=4, state="moved", was="a.py:3-4")
    text = about_markdown(
        [Shown("cites lines 3-4", memory(1, files=["a.py", "c.py"]), citations=[lines])], "b.py", nowhere, NOW
    )
    assert text.splitlines()[-1] == "b.py:3-4 (moved from a.py:3-4) · c.py"


def test_each_plain_card_has_the_end_of_its_id() -> None:
    ids = ("01kjmma2g00000000000002001", "01kjmma2g00000000000002002")
    first, second = (memory(1, id=identity, trust="user") for identity in ids)
    text = told(first, second)
    assert "insight · 3 days ago · `00002001`" in text
    assert "insight · 3 days ago · `00002002`" in text
    assert "`00002001`" not in "\n".join(card(first, [], nowhere, NOW, Style(rich=True)))


def test_record_commit_and_decision_are_linked_where_they_can_be_opened() -> None:
    decision = Document(path="docs/adr/0007-x.md", level="adr", number=7, title="Use X", status="decided")
    found = [Shown("cites line 3", memory(1, commit="c0ffee0123456789")), Shown("names get_x", document=decision)]
    text = about_markdown(found, "a.py", everywhere, NOW, more=1)
    assert "[History](memory:m1/Fact 1)  \n[commit c0ffee01](commit:c0ffee0123456789)" in text
    assert "decision ADR 7 · decided" in text
    assert "[docs/adr/0007-x.md](file:docs/adr/0007-x.md)" in text
    assert "[… and 1 more about this file](notes:a.py)" in text
    assert "](" not in about_markdown(found[:1], "a.py", nowhere, NOW)


def test_a_card_has_its_sentence_first_then_who_and_when_and_the_code_with_its_lines() -> None:
    cites = [
        Citation("a.py", 3, 4, "load", "fresh"),
        Citation("b.py", 8, 8, "", "drifted"),
        Citation("c.py", 1, 2, "", "gone"),
    ]
    one = memory(
        1, type="decision", author="Ada", trust="user", title="Fact 1", text="Fact 1. So it is.", files=["a.py", "x.md"]
    )
    style = Style(rich=True)
    assert card(one, cites, everywhere, NOW, style)[:5] == [
        "**Fact 1**",
        "So it is.",
        "decision · in force · Ada, 3 days ago",
        "⚠ code changed since: [b.py:8](line:b.py:8); code gone: c.py:1-2",
        "[a.py:3-4](line:a.py:3) load · [x.md](file:x.md)",
    ]


def test_a_card_names_what_its_memory_is_in_conflict_with_and_does_not_call_it_in_force() -> None:
    one, other = memory(1, type="decision", trust="user"), memory(2, type="decision", title="Fact [2]")
    parts = card(one, [], everywhere, NOW, Style(rich=True), against=[other])
    assert parts[1:3] == ["decision · 3 days ago", r"⚠ in conflict with: [Fact \[2\]](memory:m2/Fact 2)"]


def test_only_a_rich_card_has_commands_and_html_and_confirms_only_what_is_in_doubt() -> None:
    drifted = [Citation("a.py", 3, 4, "load", "drifted")]
    plain, rich, sure = (
        "\n".join(card(memory(1), cites, everywhere, NOW, Style(rich=rich)))
        for rich, cites in ((False, drifted), (True, drifted), (True, []))
    )
    assert "command:" not in plain
    assert "<details>" not in plain
    assert "[Confirm](command:muninn.confirm?%5B%7B%22id%22%3A%20%22m1%22%7D%5D) · [Supersede](" in rich
    assert "· [Forget](command:muninn.forget?" in rich
    assert "[History](memory:m1/Fact 1)" in rich
    assert "<details><summary>Details</summary>\n\n- id: `m1`" in rich
    assert "Confirm" not in sure


def test_a_rich_card_has_its_questions_among_the_details_and_a_short_one_has_none() -> None:
    one = memory(1, questions=["Is it *safe*?", "- why\nnot?"])
    whole, short = (card(one, [], nowhere, NOW, Style(rich=True, short=short))[-1] for short in (False, True))
    assert "\n\n- answers:\n  - Is it \\*safe\\*?\n  - \\- why not?\n- id: `m1`" in whole
    assert "safe" not in short
    assert "- id: `m1`" in short


def test_no_text_of_a_rich_card_swallows_what_stands_below_it() -> None:
    text = "Fact 1.\n~~~\n---\n- [ ] a\n1. b\n    code\n# c"
    lines = card(memory(1, title="Fact 1", text=text), [], nowhere, NOW, Style(rich=True))[1].split("\n\n")
    assert lines == [r"\~~~", r"\---", r"\- \[ \] a", r"1\. b", "code", r"\# c"]


def test_a_plain_card_has_no_markdown_and_short_lines() -> None:
    one = memory(
        1, type="bug_fix", author="Ada", trust="user", title="Use __init__", text="Use __init__. " + "word " * 30
    )
    lines = plain_card(one, [Citation("a.py", 3, 4, "load", "fresh")], NOW).splitlines()
    assert lines[0].startswith("Use __init__. word")
    assert max(map(len, lines)) <= 72
    assert lines[-3:] == ["", "bug fix · Ada, 3 days ago", "a.py:3-4"]


def test_a_sentence_that_is_longer_than_its_title_is_said_once() -> None:
    sentence = "Sessions are signed cookies: no server-side store is needed, and the secret key protects them"
    title = "Sessions are signed cookies: no server-side store is needed, and the secret…"
    for rest in ("", "The key is in the vault."):
        one = memory(1, title=title, text=f"{sentence}. {rest}".strip())
        head, *below = card(one, [], nowhere, NOW, Style(rich=True))
        assert head == f"**{sentence}**"
        assert below[: len(rest) > 0] == [rest] * (len(rest) > 0)
        assert below[len(rest) > 0].startswith("insight")
        assert "…" not in plain_card(one, [], NOW)
    wordy = memory(1, title=title, text=f"{sentence} {'and so on ' * 20}")
    assert card(wordy, [], nowhere, NOW, Style())[0].startswith(f"> {sentence} and so on")


def test_a_short_card_counts_the_places_that_it_leaves_out() -> None:
    one = memory(1, files=[f"{name}.py" for name in "abcde"])
    assert "[c.py](file:c.py) · 2 more" in card(one, [], everywhere, NOW, Style(short=True))[2]


def test_a_long_title_ends_after_a_whole_word_in_an_address() -> None:
    title = "Pages are cached by commit, because branches share the rendering machine"
    assert address_part("m1", title) == "m1/Pages are cached by commit because branches share the"
    assert address_part("m1", "x" * 80) == f"m1/{'x' * 60}"
    assert address_part("m1", f"{'y' * 55} word more") == f"m1/{'y' * 55} word"
    assert address_part("m1", "Use: limpets.") == "m1/Use limpets"
    assert address_part("m1", "") == "m1"


def test_a_path_that_another_citation_still_has_is_no_former_one() -> None:
    moved = Citation(path="b.py", start=3, end=4, state="moved", was="a.py:7-8")
    fresh = Citation(path="a.py", start=1, end=2, state="fresh")
    assert present_paths(["a.py", "c.py"], [moved]) == ("b.py", "c.py")
    assert present_paths(["a.py", "c.py"], [moved, fresh]) == ("a.py", "c.py")
    assert present_paths(["a.py", "b.py"], [Citation(path="b.py", state="moved", was="a.py")]) == ("b.py",)
