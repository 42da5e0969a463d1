"""The definitions of a chunk that match a question best are found, and its best line."""

from __future__ import annotations

from muninn_core.retrieval.text.passages import Passage, PassageFinder, Passages
from muninn_core.retrieval.text.snippet import Marker
from muninn_core.source.code.definition import Definition

TEXT = """\
class Store:
    # Writes one row.
    def save(self, row):
        self.rows.append(row)

    def load(self, name):
        '''Return the session of a user.'''
        return self.sessions[name]

    def drop(self):
        self.rows.clear()
"""
DEFINITIONS = (
    Definition("Store", "class", "", 11, 30, 11),
    Definition("save", "method", "Store", 13, 14, 12),
    Definition("load", "method", "Store", 16, 18, 16),
    Definition("drop", "method", "Store", 20, 21, 20),
    Definition("far", "function", "", 40, 50, 40),
)


def found(**words: float) -> Passages:
    """Return the passages of the text, which begins at line 11 of its file."""
    return PassageFinder(Marker(words), lambda path: DEFINITIONS if path == "a.py" else ()).passages("a.py", TEXT, 11)


def test_the_definition_with_the_words_comes_before_what_encloses_it():
    passages = found(session=1.0, user=1.0)
    assert passages.definitions == (Passage(16, 18, "load", "Store"), Passage(11, 22, "Store", ""))
    assert passages.line == 17


def test_a_definition_begins_with_its_comments_and_ends_with_the_text():
    assert found(writ=1.0).definitions[0] == Passage(12, 14, "save", "Store")
    assert found(clear=1.0).definitions[-1] == Passage(11, 22, "Store", "")


def test_rare_words_count_more_than_frequent_ones():
    assert found(row=0.1, session=1.0).definitions[0].name == "load"
    assert found(row=1.0, session=0.1).definitions[0].name in ("save", "drop")


def test_a_text_without_words_of_the_question_has_no_passages():
    assert found(banana=1.0) == Passages()
    assert found() == Passages()
