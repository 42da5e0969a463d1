import pytest
from hypothesis import given
from hypothesis import strategies as st

from muninn_core.index.words.writer import open_lexical
from muninn_core.source.identifiers import MAX_WORD_LENGTH, split_words, stem, words_of_each


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("getUserName", "getusernam get user nam"),
        ("get_user_name", "getusernam get user nam"),
        ("get user name", "get user nam"),
        ("GET-USER-NAME", "get user nam"),
        ("HTTPServer", "httpserver http server"),
        ("parseXMLFile", "parsexmlfil pars xml fil"),
        ("sha256sum", "sha256sum sha 256 sum"),
        ("__init__", "init"),
        ("x", "x"),
        ("Zoë Müller", "zoe muller"),
        ("日本語", "日 本 語 日本 本語"),
        ("Привет", "привет"),
        ("___ -- !!", ""),
    ],
)
def test_identifiers_are_split_and_kept_whole(text, expected):
    assert split_words(text).split() == expected.split()


FAMILIES = [
    "cache caches cached caching",
    "run runs running",
    "retry retries",
    "index indexes indexed",
    "match matches matching",
]


@pytest.mark.parametrize("family", FAMILIES)
def test_endings_are_stripped_alike(family):
    assert len({stem(word) for word in family.split()}) == 1


@pytest.mark.parametrize("word", ["class", "status", "this", "string", "red", "ring", "bus", "is", "sha256"])
def test_words_that_only_look_inflected_stay(word):
    assert stem(word) == word


@pytest.mark.parametrize("query", ["getUserName", "get_user_name", "get user name", "GetUserName", "user names"])
@pytest.mark.parametrize("written", ["getUserName", "get_user_name", "get user name", "get-user-name"])
def test_all_spellings_of_a_name_meet_in_the_index(tmp_path, query, written):
    index = open_lexical(tmp_path)
    index.add(7, "code", "a.py", {"body": split_words(f"value = {written}(request)")})
    index.add(8, "code", "b.py", {"body": split_words("value = drop_table(request)")})
    index.commit()
    assert [number for number, _ in index.read().search(split_words(query).split(), 5)] == [7]
    index.close()


def test_data_is_cut_to_the_length_of_a_word():
    assert max(map(len, split_words("a1" * 5_000).split())) <= MAX_WORD_LENGTH


@given(st.text())
def test_words_of_words_are_separated_by_single_blanks_and_lower_case(text):
    found = split_words(text)
    assert found == " ".join(found.split(" "))
    assert found == found.casefold()  # not lower(): the small letters of Cherokee fold to its capitals


@given(st.lists(st.text(max_size=60), max_size=6))
def test_the_words_of_many_texts_are_those_of_each(texts):
    assert words_of_each(texts) == [split_words(text).split() for text in texts]
