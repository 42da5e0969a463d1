from __future__ import annotations

import json

import pytest

from muninn_core.capture.statements.open_items import MAX_CHARS, MAX_ITEMS, read_open_items


def said(text):
    return line({"type": "text", "text": text})


def used(name, **given):
    return line({"type": "tool_use", "name": name, "input": given})


def line(block, **more):
    entry = {"type": "assistant", "message": {"role": "assistant", "content": [block]}, **more}
    return json.dumps(entry).encode() + b"\n"


def todo(*items):
    return used("TodoWrite", todos=[{"content": content, "status": status} for content, status in items])


def test_the_last_list_counts_and_what_was_done_is_counted():
    threads = read_open_items(
        [todo(("a", "pending")), todo(("a", "completed"), ("b", "in_progress"), ("c", "pending"))]
    )
    assert (threads.open, threads.done) == (("b", "c"), 1)


def test_tasks_are_followed_by_their_number():
    made = [used("TaskCreate", subject="one"), used("TaskCreate", subject="two")]
    threads = read_open_items([*made, used("TaskUpdate", taskId="1", status="completed")])
    assert (threads.open, threads.done) == (("two",), 1)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Next steps: write the docs.", ("write the docs",)),
        ("All done.\n- **Open question:** which port is free in winter?", ("which port is free in winter?",)),
        ("TODO: tell the tenants <private>Ada</private> soon", ("tell the tenants soon",)),
        ("The next steps are clear.", ()),
        ("I remain open to ideas: many of them", ()),
    ],
)
def test_open_work_is_recognised_by_its_introduction(text, found):
    assert read_open_items([said(text)]).open == found


def test_messages_of_others_and_broken_lines_do_not_count():
    block = {"type": "text", "text": "TODO: tell the tenants"}
    lines = [
        line(block, isSidechain=True),
        line(block, type="user"),
        b"{",
        b'["assistant", "TODO: x"]\n',
        b"\xff TODO\n",
    ]
    assert read_open_items(lines).open == ()


def test_many_and_long_threads_are_cut():
    threads = read_open_items([todo(*((f"{number} " + "x" * 300, "pending") for number in range(20)))])
    assert [each.split()[0] for each in threads.open] == [str(number) for number in range(8, 20)]
    assert len(threads.open) == MAX_ITEMS
    assert {len(each) for each in threads.open} == {MAX_CHARS}
