"""Step 5: train the token table by contrast.   usage: train.py PREPARED.npz DIR OUT.npy [EPOCHS] [LEARNING_RATE] [PULL]

The initial table is the teacher's, reduced by PCA and weighted by the rarity of tokens. A batch consists of groups from
one package each, whose other functions are hard negatives. The loss is computed at 256, 128 and 64 dimensions, so that
a table can be truncated. PULL moves each row slightly towards its initial direction in every step; without it, training
on code degrades general English.
"""

import json
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F  # noqa: N812 (its usual name)

DIM, BATCH, GROUP, SCALE = 256, 1024, 128, 20.0
DIMENSIONS = ((256, 1.0), (128, 0.5), (64, 0.3))


def first_table(folder: Path) -> np.ndarray:
    """Return the teacher's vectors in 256 dimensions, rare tokens longer than common ones (SIF)."""
    teacher = np.load(folder / "teacher.npy")
    counts = np.array(json.loads((folder / "counts.json").read_text("utf-8")), np.float64)
    centred = teacher - teacher[2:].mean(0)
    _, _, axes = np.linalg.svd(centred[2:20_002].astype(np.float64), full_matrices=False)
    rows = (centred @ axes[:DIM].T).astype(np.float32)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True) + 1e-9
    share = (counts + 1) / (counts + 1).sum()
    rows *= (1e-3 / (1e-3 + share))[:, None].astype(np.float32)
    rows[:2] = 0
    return rows


class Batches:
    """Draws batches of pairs from the prepared arrays."""

    def __init__(self, arrays: dict[str, np.ndarray]) -> None:
        self.arrays = arrays
        self.chance = np.random.default_rng(0)
        usable = (np.diff(arrays["qo"]) >= 1) & (np.diff(arrays["do"]) >= 5)
        self.indexes = np.flatnonzero(usable)

    def epoch(self) -> Iterator[np.ndarray]:
        """Yield the pairs' indexes of each batch of one epoch."""
        order = self.chance.permutation(self.indexes)
        order = order[np.argsort(self.arrays["r"][order], kind="stable")]
        groups = [order[i : i + GROUP] for i in range(0, len(order) - GROUP + 1, GROUP)]
        self.chance.shuffle(groups)
        each = BATCH // GROUP
        for i in range(0, len(groups) - each + 1, each):
            yield np.concatenate(groups[i : i + each])

    def bag(self, key: str, pairs: np.ndarray, *, cropped: bool = False) -> tuple[torch.Tensor, torch.Tensor]:
        """Return (token ids, offsets) of texts; `cropped` uses windows, because few chunks start at a function."""
        ids, offsets = self.arrays[key], self.arrays[key + "o"]
        starts, ends = offsets[pairs], offsets[pairs + 1]
        if cropped:
            sizes = ends - starts
            cut = (self.chance.random(len(pairs)) < 0.3) & (sizes > 60)
            widths = np.where(cut, (sizes * self.chance.uniform(0.4, 0.9, len(pairs))).astype(int), sizes)
            starts = starts + np.where(cut, ((sizes - widths) * self.chance.random(len(pairs))).astype(int), 0)
            ends = starts + widths
        sizes = ends - starts
        firsts = np.concatenate([[0], np.cumsum(sizes)[:-1]])
        positions = np.repeat(starts - firsts, sizes) + np.arange(sizes.sum())
        return torch.from_numpy(ids[positions].astype(np.int64)), torch.from_numpy(firsts.astype(np.int64))

    def same(self, pairs: np.ndarray) -> torch.Tensor:
        """Return a mask of answers in a batch that are copies of one another and so are not negatives."""
        hashes = torch.from_numpy(self.arrays["h"][pairs])
        return (hashes[:, None] == hashes[None]) & ~torch.eye(len(pairs), dtype=torch.bool)


def contrast(questions: torch.Tensor, answers: torch.Tensor, same: torch.Tensor) -> torch.Tensor:
    """Return the InfoNCE loss in both directions, averaged over the dimensions."""
    loss = torch.zeros(())
    target = torch.arange(len(questions))
    for dim, weight in DIMENSIONS:
        scores = SCALE * F.normalize(questions[:, :dim], dim=1) @ F.normalize(answers[:, :dim], dim=1).T
        scores = scores.masked_fill(same, -1e4)
        loss = loss + weight * (F.cross_entropy(scores, target) + 0.3 * F.cross_entropy(scores.T, target))
    return loss / sum(weight for _, weight in DIMENSIONS)


def train(batches: Batches, table: np.ndarray, epochs: float, rate: float, pull: float) -> np.ndarray:
    """Return the trained table [tokens, 256]."""
    torch.manual_seed(0)
    rows = torch.nn.EmbeddingBag.from_pretrained(torch.tensor(table), freeze=False, mode="mean", padding_idx=0)
    directions = F.normalize(torch.tensor(table), dim=1)
    optimizer = torch.optim.Adam(rows.parameters(), lr=rate, fused=True)
    total, step = int(epochs * (len(batches.indexes) // BATCH)), 0
    while step < total:
        for pairs in batches.epoch():
            now = rate * min(1.0, (step + 1) / 50) * (0.5 + 0.5 * np.cos(np.pi * step / total)) + 1e-5
            optimizer.param_groups[0]["lr"] = now
            questions, answers = rows(*batches.bag("q", pairs)), rows(*batches.bag("d", pairs, cropped=True))
            loss = contrast(questions, answers, batches.same(pairs))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            with torch.no_grad():
                rows.weight.lerp_(directions * rows.weight.norm(dim=1, keepdim=True), pull * now / rate)
            step += 1
            if step % 100 == 0 or step == total:
                print(step, total, round(loss.item(), 4), flush=True)
            if step == total:
                break
    return rows.weight.detach().numpy()


def main() -> None:
    """Train with the given settings; the defaults are those of the shipped model."""
    prepared, folder, out = Path(sys.argv[1]), Path(sys.argv[2]), Path(sys.argv[3])
    epochs, rate, pull = (float(v) for v in [*sys.argv[4:7], *("2.0", "3e-3", "1e-3")[len(sys.argv[4:7]) :]])
    with np.load(prepared) as arrays:
        batches = Batches(dict(arrays))
    np.save(out, train(batches, first_table(folder), epochs, rate, pull))


if __name__ == "__main__":
    main()
