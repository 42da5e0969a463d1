"""The page of `export --form html`: what it holds, its size, and that no text of a memory becomes markup."""

from __future__ import annotations

import base64
import hashlib
import re
from html.parser import HTMLParser

from private_text import key_of_chance

from muninn_core.engine.memory.exchange.html_export import page

pytest_plugins = ["engines"]

HOSTILE = """</script><script>alert(1)</script> "><img src=x onerror=alert(2)> <!-- ' &lt;b&gt;"""


class Tags(HTMLParser):
    """Collects the names of elements, their attributes, and all texts."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.names: list[str] = []
        self.attributes: list[str] = []
        self.text = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.names.append(tag)
        self.attributes += [name for name, _ in attrs]

    def handle_data(self, data: str) -> None:
        self.text += data


def test_the_page_has_the_memories_in_force_and_says_what_it_leaves_out(muninn):
    muninn.call(
        "remember",
        text="Buoys are painted in May.",
        type="decision",
        tags=["buoys"],
        files=["src/users.py"],
        questions=["When do we maintain marks?"],
    )
    old = muninn.call("remember", text="Buoys are painted in June.", tags=["buoys"]).ids[0]
    muninn.call("forget", id=old)
    muninn.call("remember", text="My locker has the number 7.", private=True)
    done = muninn.call("export", form="html")
    assert (done.records, done.memories, done.private) == ((), 1, 1)
    assert "Buoys are painted in May." in done.page
    assert "src/users.py" in done.page
    assert "<details><summary>Answers</summary>" in done.page
    assert "<li>When do we maintain marks?</li>" in done.page
    assert "June" not in done.page
    assert "locker" not in done.page
    assert "1 that is no longer in force is left out. 1 private one is left out." in done.page
    assert muninn.call("export", form="html").page == done.page
    assert muninn.call("export", form="html", type="insight").memories == 0


def test_a_secret_that_was_written_by_hand_is_masked(muninn):
    key = key_of_chance()
    muninn.call("remember", text="The mast is red.")
    muninn.call("seal")
    (segment,) = (muninn.root / ".muninn" / "memory" / "sessions").glob("*.jsonl")
    segment.write_text(segment.read_text().replace("The mast is red.", f"The key is {key}"))
    done = muninn.call("export", form="html")
    assert done.masked == 1
    assert key not in done.page


def test_no_text_of_a_memory_becomes_markup(muninn):
    muninn.call(
        "remember",
        text=f"Text {HOSTILE}",
        title=f"Title {HOSTILE}",
        tags=["<b>"],
        files=["src/<i>.py"],
        questions=[HOSTILE],
    )
    whole = muninn.call("export", form="html").page
    tags = Tags(whole)
    assert tags.names.count("script") == 1
    assert not {"img", "b", "i"} & set(tags.names)
    assert not [name for name in tags.attributes if name.startswith("on")]
    assert "alert(2)" in tags.text


def test_the_policy_admits_exactly_the_pages_own_script_and_style():
    whole = page("demo", [], "Nothing.")
    policy = re.findall(r'Content-Security-Policy" content="([^"]*)"', whole)[0].replace("&#x27;", "'")
    assert policy.startswith("default-src 'none'; ")
    for name in ("style", "script"):
        (text,) = re.findall(rf"<{name}[^>]*>(.*?)</{name}>", whole, re.DOTALL)
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        assert f"{name}-src 'sha256-{digest}'" in policy
    assert not re.search(r"(?:src|href)=", whole)


def test_ten_thousand_memories_take_less_than_5_mb():
    words = [f"word{number % 900}" for number in range(30)]
    memories = [
        {
            "id": f"{number:032x}",
            "type": "decision",
            "text": f"Statement {number}: {' '.join(words[number % 9 :])}"[:200],
            "ts": f"2026-0{number % 9 + 1}-01T00:00:00Z",
            "author": "Some Person",
            "tags": ["harbour"],
            "files": [f"src/package_{number % 40}/module_{number % 300}.py"],
        }
        for number in range(10_000)
    ]
    assert len(page("demo", memories, "All.").encode()) < 5_000_000
