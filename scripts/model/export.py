"""Step 6: write the model's folder: 8-bit rows with a scale each.   usage: export.py TABLE.npy DIR OUT_DIR

The layout is that of model2vec: `embeddings` int8 [tokens, 256] and `weights` float32 [tokens], whose product is the
table. [PAD] and [UNK] are zero rows. `muninn_core/index/static.py` reads it.
"""

import json
import shutil
import sys
from pathlib import Path

import numpy as np

LONGEST = 512
_TYPES = {"int8": "I8", "float32": "F32"}


def quantise(table: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return (int8 rows, float32 scale of each row)."""
    table = table.astype(np.float32).copy()
    table[:2] = 0
    scales = (np.abs(table).max(1) / 127).astype(np.float32)
    scales[scales == 0] = 1e-8
    return np.clip(np.round(table / scales[:, None]), -127, 127).astype(np.int8), scales


def write_tensors(path: Path, tensors: dict[str, np.ndarray]) -> None:
    """Write a safetensors file: the header's length, the header in JSON, the arrays."""
    header, at = {}, 0
    for name, array in tensors.items():
        span = [at, at + array.nbytes]
        header[name] = {"dtype": _TYPES[str(array.dtype)], "shape": list(array.shape), "data_offsets": span}
        at += array.nbytes
    head = json.dumps(header).encode()
    head += b" " * (-len(head) % 8)
    with path.open("wb") as file:
        file.write(len(head).to_bytes(8, "little") + head)
        for array in tensors.values():
            file.write(np.ascontiguousarray(array).tobytes())


def main() -> None:
    """Write all files but LICENSE and NOTICE, which stay as they are."""
    table, folder, out = Path(sys.argv[1]), Path(sys.argv[2]), Path(sys.argv[3])
    rows, scales = quantise(np.load(table))
    out.mkdir(parents=True, exist_ok=True)
    write_tensors(out / "model.safetensors", {"embeddings": rows, "weights": scales})
    shutil.copy(folder / "tokenizer.json", out)
    special = {"pad_token": "[PAD]", "unk_token": "[UNK]"}
    settings = {
        "config.json": {
            "model_type": "model2vec",
            "architectures": ["StaticModel"],
            "hidden_dim": rows.shape[1],
            "seq_length": LONGEST,
            "normalize": True,
            "pad_token_id": 0,
            "vocab_size": len(rows),
        },
        "tokenizer_config.json": {
            "model_max_length": LONGEST,
            **special,
            "tokenizer_class": "PreTrainedTokenizerFast",
        },
        "special_tokens_map.json": special,
    }
    for name, content in settings.items():
        (out / name).write_text(json.dumps(content, indent=1), "utf-8")


if __name__ == "__main__":
    main()
