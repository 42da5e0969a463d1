"""One contract of readers: the local index and PostgreSQL answer the same, with the same scores and reasons."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from repositories import git

import muninn_core
from muninn_core.index.embedding.embed import load_bundled
from muninn_core.index.embedding.encoder import load_encoder
from muninn_core.index.opening import open_index
from muninn_core.model.value import to_plain
from muninn_core.org.access import principals
from muninn_core.org.ingestion.pushes import push
from muninn_core.org.ingestion.source_tree import read_tree, recallable
from muninn_core.org.reading.branches import enter
from muninn_core.org.reading.reader import PostgresReader
from muninn_core.org.service import Service
from muninn_core.retrieval.candidates.filtering import Restrictions, apply_filters
from muninn_core.retrieval.query.filters import compile_filters
from muninn_core.retrieval.query.query_language import read_question
from muninn_core.retrieval.rankers.relevance import Relevance
from muninn_core.retrieval.request import Bounds, SearchRequest
from muninn_core.retrieval.search import search_hits
from muninn_core.worktree.indexing.index_updater import text_of

if TYPE_CHECKING:
    from engines import Muninn

pytest_plugins = ["engines"]

NOW = datetime(2026, 11, 1, tzinfo=UTC)
SOURCE = Path(muninn_core.__file__).parent

QUESTIONS = (
    "how is the BM25 score of a chunk computed",
    "where are misspelt words corrected",
    "SearchRequest",
    "inverse document frequency",
    "fix the ranking of files that a question names",
    "which memories are recallable",
    "decay of importance",
    "why do we store vectors as 8-bit numbers",
    "return",
    "path:**/generation.py nearest chunks",
    "kind:memory vectors",
    "kind:memory how do we shrink embeddings",
    '"best first" chunks',
    "zzyzx unknownword",
)

MEMORIES = (
    ("decision", "Vectors are stored as 8-bit numbers, since floats took four times the disk.", ["vectors"]),
    ("bug_fix", "The span of cosines may be zero: divide only when it is not.", ["candidates"]),
    ("insight", "Importance halves every thirty days unless the memory is pinned.", ["decay"]),
)

FIRST = "01K00000000000000000000000"
ABOUT: tuple[dict[str, Any], ...] = (
    {
        "files": ["retrieval/candidates/generation.py"],
        "questions": ["How are embeddings compressed?", "Can the cache be smaller?"],
    },
    {"links": [{"relation": "extends", "target": FIRST, "reason": "both are about numbers"}]},
    {"cites": [{"path": "retrieval/decay.py", "start": 1, "end": 9}], "entities": ["is_recallable"]},
)
VERBS: tuple[tuple[str, dict[str, Any], tuple[str, ...]], ...] = (
    ("show", {"id": FIRST}, ("links", "linked")),
    ("links", {"id": FIRST, "depth": 2}, ("depths", "links", "omitted")),
    ("about", {"file": "retrieval/decay.py"}, ("ids", "notice")),
    ("about", {"file": "./retrieval/decay.py", "line": 5}, ("ids", "notice")),
    ("about", {"file": "docs/scores.md", "name": "is_recallable"}, ("ids", "notice")),
    ("overview", {"days": 0}, ("links", "linked", "memories", "kinds", "scopes", "density", "files")),
    ("memories", {"text": "FLOATS"}, ("total", "order")),
    ("memories", {"file": "retrieval/decay.py"}, ("total", "order")),
    ("symbols", {"query": "search", "kind": "class"}, ("symbols", "total")),
    ("outline", {"path": "retrieval/graphs/code_graph.py"}, ("path", "language", "symbols", "comment")),
    ("graph", {"start": "retrieval/graphs/code_graph.py"}, ("target", "symbol", "relation", "edges", "omitted")),
    ("graph", {"start": "Graph.around", "depth": 2}, ("target", "symbol", "edges", "omitted")),
    ("graph", {"start": "retrieval/decay.py#is_recallable", "relation": "callers"}, ("target", "symbol", "edges")),
    (
        "read",
        {"path": "retrieval/graphs/code_graph.py", "start": 3, "limit": 40},
        ("path", "start", "end", "total", "lines", "omitted"),
    ),
    ("tree", {"path": "retrieval", "depth": 1}, ("path", "entries", "files", "omitted")),
    ("files", {"path": ["retrieval/**/*e*.py"], "lang": ["py"], "limit": 5}, ("files", "total", "omitted")),
)


@pytest.fixture(scope="module")
def work_tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository with the code of `retrieval`, two pages and three memories."""
    root = tmp_path_factory.mktemp("contract") / "repo"
    shutil.copytree(SOURCE / "retrieval", root / "retrieval", ignore=shutil.ignore_patterns("__pycache__"))
    (root / "docs").mkdir()
    (root / "docs" / "scores.md").write_text("# Scores\n\nA score is the sum of its reasons.\n\n## Ties\n\nBy path.\n")
    (root / ".muninnignore").write_text("skipped.py\n")
    (root / "skipped.py").write_text("SECRET = 1\n")
    (root / "odd.bin").write_bytes(b"\0\1\2")
    memory = root / ".muninn" / "memory" / "main.jsonl"
    memory.parent.mkdir(parents=True)
    lines = [
        json.dumps({"v": 1, "id": f"01K0000000000000000000000{number}", "ts": "2026-10-01T00:00:00.000Z", "type": kind,
                    "text": text, "tags": tags, "actor": "user", "importance": 7, **ABOUT[number]})
        for number, (kind, text, tags) in enumerate(MEMORIES)
    ]  # fmt: skip
    memory.write_text("".join(f"{line}\n" for line in lines))
    git(root, "init", "-q", "-b", "main")
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", "All")
    return root


@pytest.fixture(scope="module")
def local(work_tree: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[object]:
    """The local index of the same commit."""
    tree = read_tree(work_tree, "HEAD")
    cache = tmp_path_factory.mktemp("local") / "cache"
    cache.mkdir()
    index = open_index(cache, load_bundled(), load_encoder())
    index.apply(work_tree, tree.files, [], workers=1)
    index.embed_missing()
    index.sync_memories(text_of(memory) for memory in recallable(tree.memories))
    while index.encode_some():
        pass
    yield index.snapshot()
    index.close()


@pytest.fixture(scope="module")
def remote(home, work_tree: Path) -> Iterator[PostgresReader]:
    """A reader of the same commit in PostgreSQL."""
    pushed = push(home.database, home.repository("contract"), work_tree, "HEAD", workers=1)
    assert pushed.memories == len(MEMORIES)
    ann = home.principal("ann", "contract")
    with home.database.transaction("muninn_reader", snapshot=True) as connection:
        yield PostgresReader(connection, home.tenant, enter(connection, home.tenant, ann))


def answer(reader, memories, question: str):
    """Return the hits of a question with their reasons."""
    parsed = read_question(question, lambda key, value: "")
    filters = compile_filters(parsed.filters, NOW)
    phrases = [each.text for each in parsed.phrases]
    bounds = apply_filters(reader, Bounds(), memories, Restrictions(filters, phrases), NOW).bounds
    encoder, text = load_encoder(), parsed.text or question
    request = SearchRequest(
        text=text,
        vector=load_bundled().embed_query(text),
        encoded=encoder.encode_query(text) if encoder is not None and reader.encoded else None,
        memories=memories,
        limit=10,
        now=NOW,
        terms=Relevance(),
        bounds=bounds,
    )
    return [(hit.id, hit.score, hit.why) for hit in search_hits(reader, request)]


def test_the_statistics_are_equal(local, remote) -> None:
    assert remote.documents == local.documents
    assert list(remote.paths()) == list(local.paths())
    assert "skipped.py" not in remote.files()
    for word in ("chunk", "score", "vector", "nosuchword"):
        assert remote.frequency(word) == local.frequency(word), word
        assert remote.rarities([word]) == local.rarities([word]), word


@pytest.mark.parametrize("question", QUESTIONS)
def test_hits_scores_and_reasons_are_equal(local, remote, question: str) -> None:
    expected = answer(local, remote.memories, question)
    assert answer(remote, remote.memories, question) == expected
    assert expected or "zzyzx" in question


def test_a_memory_is_found_by_a_question_that_it_answers(remote) -> None:
    found = answer(remote, remote.memories, "kind:memory how do we shrink embeddings")
    assert found[0][0] == FIRST
    assert remote.memories[FIRST].questions == ("How are embeddings compressed?", "Can the cache be smaller?")


def test_chunks_of_files_and_memories_are_equal(local, remote) -> None:
    path = "retrieval/search.py"
    assert list(remote.chunks_of(path).values()) == list(local.chunks_of(path).values())
    assert remote.first_chunks([path, "none.py"]) == local.first_chunks([path, "none.py"])
    ids = sorted(remote.memories)
    of_remote, of_local = remote.ids_of_memories(ids), local.ids_of_memories(ids)
    assert list(remote.chunks(of_remote).values()) == list(local.chunks(of_local).values())
    first, second = (source.encodings(found) for source, found in ((remote, of_remote), (local, of_local)))
    assert [row.tolist() for row in first.values()] == [row.tolist() for row in second.values()]
    first, second = (source.token_states(found) for source, found in ((remote, of_remote), (local, of_local)))
    assert list(first.values()) == list(second.values())


def test_verbs_answer_as_those_of_a_repository_do(
    home, work_tree: Path, remote, tmp_path: Path, start: Callable[..., Muninn]
) -> None:
    git(tmp_path, "clone", "-q", str(work_tree), "clone")
    engine = start(tmp_path / "clone")
    engine.clock.now = datetime.now(UTC)
    engine.call("init")
    engine.call("index")
    service = Service(home.database, tmp_path / "mirrors")
    ann = home.principal("ann", "contract")
    with home.database.transaction("muninn_writer") as connection:
        token = principals.create_token(connection, home.tenant, ann, "read", timedelta(hours=1))
    for verb, params, compared in VERBS:
        mine, theirs = to_plain(engine.call(verb, **params)), to_plain(service.answer(token, verb, params))
        assert {name: theirs[name] for name in compared} == {name: mine[name] for name in compared}, (verb, params)
        assert any(theirs[name] for name in compared), (verb, params)
        assert theirs.get("memory", {}).get("questions") == mine.get("memory", {}).get("questions")
        memories = [
            [each["id"] for each in answer["memories"]] for answer in (mine, theirs) if verb in ("memories", "links")
        ]
        assert memories[:1] == memories[1:]
    assert service.close() == 0
