"""Step 1: mine (question, answer) pairs from unpacked packages.   usage: mine.py SOURCES_DIR OUT.jsonl

SOURCES_DIR holds a folder for each package. Documentation -> code, name -> body, comment -> code, heading -> section,
sentence -> rest of its section, manual pages, WordNet glosses. Held-out packages of sources.toml are
skipped, so that benchmarks can use them.
"""

import hashlib
import json
import random
import re
import sys
import tomllib
from collections.abc import Iterator
from multiprocessing import Pool
from pathlib import Path

import functions
import passages

MOST_PAIRS = 12_000
"""Pairs that one package may give, so that none dominates."""

_SKIPPED = re.compile(
    r"(^|/)(tests?|site-packages|vendor|node_modules|third_party|thirdparty|_vendor|\.git|__pycache__|locale|fixtures"
    r"|testdata)(/|$)"
)
_GENERATED = (".min.js", ".d.ts", "_pb2.py", ".pb.go")
Pair = dict[str, str]


def main() -> None:
    """Mine all packages in the order of their names."""
    sources, out = Path(sys.argv[1]), Path(sys.argv[2])
    held_out = re.compile(tomllib.loads((Path(__file__).parent / "sources.toml").read_text("utf-8"))["held_out"])
    seen: set[bytes] = set()
    with out.open("w", encoding="utf-8") as file, Pool() as pool:
        for package in sorted(path for path in sources.iterdir() if path.is_dir() and not held_out.match(path.name)):
            count = 0
            for pair in _of_package(package, pool):
                key = hashlib.blake2b(f"{pair['q']}\0{pair['d'][:200]}".encode(), digest_size=12).digest()
                if key not in seen:
                    seen.add(key)
                    file.write(json.dumps(pair) + "\n")
                    count += 1
            print(package.name, count, flush=True)


def _of_package(package: Path, pool: "Pool") -> Iterator[Pair]:
    files = list(_files(package))
    random.Random(0).shuffle(files)
    count = 0
    for pairs in pool.imap(mine_file, files, chunksize=32):
        if count >= MOST_PAIRS:
            break
        yield from pairs[: MOST_PAIRS - count]
        count += len(pairs)
    for question, answer in passages.manual_pages(package):
        yield _pair(package.name, "man", "man", question, answer)
    if "wordnet" in package.name:
        for question, answer in passages.glosses(package):
            yield _pair("wordnet", "prose", "wordnet", question, answer)


def _files(package: Path) -> Iterator[tuple[Path, Path, str]]:
    for path in sorted(package.rglob("*")):
        language = functions.LANGUAGES.get(path.suffix)
        inner = path.relative_to(package).as_posix()
        generated = path.name.endswith(_GENERATED) or path.name.startswith("zz_generated")
        if language and not generated and not _SKIPPED.search(f"/{inner}") and path.is_file():
            yield package, path, language


def mine_file(task: tuple[Path, Path, str]) -> list[Pair]:
    """Return the pairs of one file. Random choices depend on its path alone."""
    package, path, language = task
    inner = path.relative_to(package).as_posix()
    chance = random.Random(f"{package.name}/{inner}")
    try:
        source = path.read_text("utf-8") if path.stat().st_size <= 600_000 else ""
    except (OSError, UnicodeDecodeError):
        return []
    if len(source) > 3000 and source.count("\n") < len(source) / 200:
        return []  # minified
    found = (
        _prose(source, language, chance)
        if language in ("md", "rst", "html")
        else _code(source, language, inner, chance)
    )
    return [_pair(package.name, language, kind, question, answer) for kind, question, answer in found]


def _prose(source: str, language: str, chance: random.Random) -> Iterator[tuple[str, str, str]]:
    for heads, text in passages.sections(source, language):
        if len(heads[-1].split()) >= 2:
            yield "section", " ".join(heads[-2:]) if len(heads[-1].split()) < 4 else heads[-1], text
        if pair := passages.cloze(text, chance):
            yield "cloze", *pair


def _code(source: str, language: str, inner: str, chance: random.Random) -> Iterator[tuple[str, str, str]]:
    count = 0
    for name, doc, body in functions.definitions(source, language):
        code = "\n".join(functions.without_comments(body, language))
        if len(code) < 60 or code.count("\n") < 2:
            continue
        place = f"{inner}\n" if chance.random() < 0.3 else ""
        parts = functions.paragraphs(doc) if doc else []
        if parts and functions.is_question(parts[0]):
            yield "doc", parts[0], place + code
            if len(parts) > 1 and chance.random() < 0.4 and functions.is_question(" ".join(parts[1:3])):
                yield "doc2doc", parts[0], " ".join(parts[1:4])
        said = functions.comments(body)
        if said and chance.random() < 0.5:
            yield "comment", chance.choice(said), place + code
        words = functions.split_name(name)
        if len(words.split()) >= 2 and chance.random() < 0.25:
            yield "name", words, re.sub(rf"\b{re.escape(name)}\b", "", code)
        count += 1
        if count > 150:
            return


def _pair(package: str, language: str, kind: str, question: str, answer: str) -> Pair:
    return {"q": question[:600], "d": answer[:2400], "repo": package, "lang": language, "kind": kind}


if __name__ == "__main__":
    main()
