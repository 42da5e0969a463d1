"""What two indexes are compared by: everything that an answer could be made of, without ids and times."""

from muninn_core.config import IndexConfig
from muninn_core.source.identifiers import split_words
from muninn_core.source.listing.walk import walk

SETTINGS = IndexConfig()


def write(root, files):
    for path, content in files.items():
        target = root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(content)


def sync(index, root, **options):
    known = {path: (row.size, row.mtime_ns) for path, row in index.snapshot().files().items()}
    return index.sync(root, walk(root, SETTINGS, known), **options)


def content(index):
    """Return the manifest's files, memories, chunks and code facts."""
    snapshot = index.snapshot()
    files = {path: (row.size, row.digest, row.kind, row.language) for path, row in snapshot.files().items()}
    keys = [*files, *("/memory/" + memory for memory in snapshot.memories())]
    code = snapshot.code
    facts = {path: (code.outline(path), code.imports(path), code.calls(path)) for path in files}
    chunks = {key: list(snapshot.chunks_of(key).values()) for key in keys}
    return files, snapshot.memories(), chunks, facts, code.counts()


def answers(index, embedder, queries, kinds=(None, "code", "knowledge", "memory")):
    """Return the hits of each query as (score, path, line), ties broken by path and line."""
    snapshot = index.snapshot()
    found = {}
    for query in queries:
        for kind in kinds:
            terms = split_words(query).split()
            lexical = snapshot.lexical(terms, 1000, kind)
            dense = snapshot.dense(embedder.embed_query(query), 1000, kind)
            rows = snapshot.chunks([number for number, _ in lexical + dense])
            found[query, kind] = (
                sorted((-round(score, 4), rows[n].path, rows[n].start, rows[n].text) for n, score in lexical),
                sorted((-round(score, 4), rows[n].path, rows[n].start, rows[n].text) for n, score in dense),
                [(path, round(score, 4)) for path, score in snapshot.whole_files(terms, 1000, kind)],
            )
    return found
