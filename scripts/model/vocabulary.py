"""Step 2: build the tokenizer.   usage: vocabulary.py PAIRS.jsonl TEACHER_DIR OUT_DIR [SIZE]

camelCase is split and lower-cased, punctuation dropped. The vocabulary has all alphabetic pieces of the teacher
(conversation and prose need the rare ones) and the most frequent words of code and its documentation.
"""

import json
import re
import sys
from collections import Counter
from pathlib import Path

from tokenizers import Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers

CAMEL = r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])"
PIECE = r"[a-z]+|[0-9]{1,4}|[^\x00-\x7F]"
SIGNS = "abcdefghijklmnopqrstuvwxyz0123456789"


def count_words(pairs: Path) -> Counter[str]:
    """Count the words of every second pair."""
    counts: Counter[str] = Counter()
    camel, word = re.compile(CAMEL), re.compile(r"[a-z]+")
    with pairs.open(encoding="utf-8") as file:
        for number, line in enumerate(file):
            if number % 2 == 0:
                pair = json.loads(line)
                counts.update(word.findall(camel.sub(" ", f"{pair['q']} {pair['d']}").lower()))
    return counts


def choose(counts: Counter[str], teacher: dict[str, int], size: int) -> list[str]:
    """Return the vocabulary in the order of its ids."""
    tokens = ["[PAD]", "[UNK]", *SIGNS, *("##" + sign for sign in SIGNS)]
    tokens += [token for token in teacher if re.fullmatch(r"(##)?[a-z]+|[0-9]{1,4}", token)]
    tokens += [word for word, count in counts.most_common() if 2 <= len(word) <= 18 and count >= 8]
    return list(dict.fromkeys(tokens))[:size]


def build(tokens: list[str]) -> Tokenizer:
    """Return a WordPiece tokenizer over these tokens."""
    vocabulary = {token: number for number, token in enumerate(tokens)}
    tokenizer = Tokenizer(models.WordPiece(vocabulary, unk_token="[UNK]", max_input_chars_per_word=64))
    tokenizer.normalizer = normalizers.Sequence([normalizers.Replace(Regex(CAMEL), " "), normalizers.Lowercase()])
    tokenizer.pre_tokenizer = pre_tokenizers.Split(Regex(PIECE), "removed", invert=True)
    tokenizer.decoder = decoders.WordPiece()
    tokenizer.add_special_tokens(["[PAD]", "[UNK]"])
    return tokenizer


def main() -> None:
    """Write tokenizer.json and counts.json (how often the corpus has each token)."""
    pairs, teacher, out = (Path(argument) for argument in sys.argv[1:4])
    size = int(sys.argv[4]) if len(sys.argv) > 4 else 40_000
    known = json.loads((teacher / "tokenizer.json").read_text("utf-8"))["model"]["vocab"]
    counts = count_words(pairs)
    tokens = choose(counts, known, size)
    out.mkdir(parents=True, exist_ok=True)
    build(tokens).save(str(out / "tokenizer.json"))
    (out / "counts.json").write_text(json.dumps([counts.get(token, 0) for token in tokens]), "utf-8")
    print(len(tokens), "tokens")


if __name__ == "__main__":
    main()
