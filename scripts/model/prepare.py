"""Step 4: tokenize the pairs once into flat arrays.   usage: prepare.py PAIRS.jsonl DIR OUT.npz"""

import hashlib
import json
import random
import re
import sys
from pathlib import Path

import numpy as np
from tokenizers import Tokenizer

LONGEST = {"q": 64, "d": 256}
"""Tokens that are kept of a question and of an answer."""

BATCH = 4096


def load(pairs: Path) -> list[dict[str, str]]:
    """Return the training pairs, with fewer glosses; most questions lose a leading name of their answer."""
    chance = random.Random(0)
    kept = []
    for line in pairs.open(encoding="utf-8"):
        pair = json.loads(line)
        if pair["kind"] == "wordnet":
            if chance.random() < 0.4:
                continue
            pair["repo"] = f"wordnet{chance.randrange(400)}"
        elif pair["kind"] == "doc" and _names_itself(pair) and chance.random() < 0.8:
            pair["q"] = pair["q"].split(" ", 1)[1]
        kept.append(pair)
    return kept


def main() -> None:
    """Write ids and offsets of questions and answers, the package and the content hash of each pair."""
    pairs, folder, out = Path(sys.argv[1]), Path(sys.argv[2]), Path(sys.argv[3])
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.enable_truncation(max(LONGEST.values()))
    kept = load(pairs)
    arrays: dict[str, np.ndarray] = {}
    for key, longest in LONGEST.items():
        rows = []
        for at in range(0, len(kept), BATCH):
            texts = [pair[key] for pair in kept[at : at + BATCH]]
            encoded = tokenizer.encode_batch_fast(texts, add_special_tokens=False)
            rows += [np.asarray(one.ids[:longest], np.int32) for one in encoded]
        arrays[key] = np.concatenate(rows)
        arrays[key + "o"] = np.concatenate([[0], np.cumsum([len(row) for row in rows])])
    packages = {name: number for number, name in enumerate(dict.fromkeys(pair["repo"] for pair in kept))}
    arrays["r"] = np.array([packages[pair["repo"]] for pair in kept], np.int32)
    arrays["h"] = np.array([_content(pair["d"][:300]) for pair in kept], np.int64)
    np.savez(out, **arrays)
    print(len(kept), "pairs of", len(packages), "packages")


def _names_itself(pair: dict[str, str]) -> bool:
    """Whether a question begins with the name of its answer: "GetFoo returns ..."."""
    first, _, rest = pair["q"].partition(" ")
    a_name = re.search(r"[a-z][A-Z]|_", first) or (pair["lang"] == "go" and re.search(r"[A-Z_]|^[a-z]+$", first))
    return bool(rest and a_name and re.search(rf"\b{re.escape(first)}\b", pair["d"][:300]))


def _content(text: str) -> int:
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "little", signed=True)


if __name__ == "__main__":
    main()
