"""Step 3: initial vectors for the tokens, from the teacher.   usage: teacher.py TEACHER_DIR DIR

TEACHER_DIR is all-MiniLM-L6-v2 in the layout of transformers; DIR holds tokenizer.json and gets teacher.npy, float32
[tokens, 384]: the mean of the teacher's outputs for each token by itself.
"""

import json
import sys
from pathlib import Path

import numpy as np
import torch
from transformers import AutoModel, AutoTokenizer

BATCH = 512


def main() -> None:
    """Embed every token by itself and write teacher.npy."""
    teacher, out = Path(sys.argv[1]), Path(sys.argv[2])
    tokenizer, model = AutoTokenizer.from_pretrained(teacher), AutoModel.from_pretrained(teacher).eval()
    vocabulary = json.loads((out / "tokenizer.json").read_text("utf-8"))["model"]["vocab"]
    words = [token.removeprefix("##") for token in sorted(vocabulary, key=vocabulary.get)]
    order = np.argsort([len(word) for word in words], kind="stable")
    rows = np.zeros((len(words), model.config.hidden_size), np.float32)
    with torch.inference_mode():
        for at in range(0, len(words), BATCH):
            some = order[at : at + BATCH]
            batch = tokenizer([words[i] for i in some], padding=True, return_tensors="pt")
            outputs = model(**batch).last_hidden_state
            mask = batch["attention_mask"][..., None]
            rows[some] = ((outputs * mask).sum(1) / mask.sum(1)).numpy()
    rows[:2] = 0  # [PAD] and [UNK] have no meaning
    np.save(out / "teacher.npy", rows)


if __name__ == "__main__":
    main()
