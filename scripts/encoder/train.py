"""Trains the adapter of the text encoder: what is added to the weights of all-MiniLM-L6-v2 (`adapter.npz`).

all-MiniLM-L6-v2 compares any two sentences. Here it learns to tell a project's memories about one thing apart by a
question in other words. The data (`pairs.jsonl`) are groups of four facts about one component with two questions each:
the other facts of the group are the hard negatives. A tenth of the groups is held out.

Each dense step W of the network becomes W + C·A with a rank of 8 (LoRA, Hu et al. 2021, "LoRA: Low-Rank Adaptation of
Large Language Models"). The loss is the cross-entropy of the right fact among all facts of a batch: by late interaction
(`muninn_core.retrieval.signals.late_interaction`), and by the cosine of the texts. A further term keeps the cosines
between facts as they were.

    python -m venv train && train/bin/pip install torch safetensors tokenizers onnx
    train/bin/python scripts/encoder/train.py && .venv/bin/python scripts/encoder/build.py --force
    .venv/bin/python scripts/encoder/background.py

It takes some ten minutes on two processors. Then raise the number in `ENCODER`
(core/muninn_core/index/embedding/encoder.py).
"""

from __future__ import annotations

import io
import json
import math
import random
import sys
import zipfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
import torch.nn.functional as F  # noqa: N812
from build import ADAPTER, INSIDE, download
from graph import DENSE, DIM, EPSILON, HEADS, LAYERS, adapter_key
from numpy.typing import NDArray
from safetensors.torch import load
from tokenizers import Tokenizer

PAIRS = Path(__file__).parent / "pairs.jsonl"

RANK = 8
EPOCHS = 2
GROUPS = 10
"""Groups in a batch: 40 facts and 80 questions."""

RATE, WARM_UP = 1e-3, 20
"""The highest learning rate, and the steps until it is reached. It falls to 0 in a line."""

DROPOUT = 0.1
TEMPERATURE = 0.05
COSINES, KEPT = 0.5, 20.0
"""The weights of the loss by cosines, and of the square by which cosines between facts change."""

HELD_OUT = 10
"""One group in so many is held out."""

ABSENT, PRESENT, FEWEST = 0.4, 0.8, 20
"""As in `muninn_core.retrieval.signals.late_interaction`."""

MOST_TOKENS = 128
SEEDS = (1, 2)
"""The adapter is the mean of one for each seed: W + (C1·A1 + C2·A2)/2, whose rank is their sum."""


class Encoded(NamedTuple):
    """Texts: the states of their tokens [n, tokens, dim], 1 for each token that counts, and their vectors [n, dim]."""

    states: torch.Tensor
    mask: torch.Tensor
    vectors: torch.Tensor


class Dense(torch.nn.Module):
    """A dense step with its adapter, which changes nothing before it is trained."""

    def __init__(self, weight: torch.Tensor, bias: torch.Tensor) -> None:
        super().__init__()
        self.weight, self.bias = weight, bias
        self.a = torch.nn.Parameter(torch.randn(RANK, weight.shape[1]) / math.sqrt(weight.shape[1]))
        self.c = torch.nn.Parameter(torch.zeros(weight.shape[0], RANK))

    def forward(self, state: torch.Tensor) -> torch.Tensor:
        """Return the product with the weights and those of the adapter."""
        return F.linear(state, self.weight, self.bias) + F.linear(F.linear(state, self.a), self.c)


class Network(torch.nn.Module):
    """The network of `graph.py`, for several texts at a time."""

    def __init__(self, tensors: dict[str, torch.Tensor], tokenizer: Tokenizer) -> None:
        super().__init__()
        self._tensors, self._tokenizer = tensors, tokenizer
        self.dense = torch.nn.ModuleDict()
        for name in DENSE:
            self.dense[adapter_key(name)] = Dense(tensors[f"{name}.weight"], tensors[f"{name}.bias"])

    def forward(self, texts: Sequence[str]) -> Encoded:
        """Return the encodings of texts. Their begin and end do not count among the tokens."""
        ids, mask = self._tokens(texts)
        length = ids.shape[1]
        places = self._tensors["embeddings.position_embeddings.weight"][:length]
        places = places + self._tensors["embeddings.token_type_embeddings.weight"][0]
        state = self._normalised(self._tensors["embeddings.word_embeddings.weight"][ids] + places, "embeddings")
        for layer in range(LAYERS):
            state = self._layer(state, mask, f"encoder.layer.{layer}.")
        weights = mask[..., None].float()
        vectors = F.normalize((state * weights).sum(1) / weights.sum(1), dim=-1)
        inner = mask.clone()
        inner[:, 0] = 0
        inner[torch.arange(len(mask)), mask.sum(1) - 1] = 0
        return Encoded(state, inner, vectors)

    def _layer(self, state: torch.Tensor, mask: torch.Tensor, prefix: str) -> torch.Tensor:
        count, length, _ = state.shape
        query, key, value = (
            self._step(f"{prefix}attention.self.{name}", state).view(count, length, HEADS, -1).transpose(1, 2)
            for name in ("query", "key", "value")
        )
        mixed = F.scaled_dot_product_attention(query, key, value, attn_mask=mask[:, None, None, :].bool())
        mixed = self._dropped(mixed.transpose(1, 2).reshape(count, length, DIM))
        mixed = self._step(f"{prefix}attention.output.dense", mixed)
        state = self._normalised(state + mixed, f"{prefix}attention.output")
        inner = self._dropped(F.gelu(self._step(f"{prefix}intermediate.dense", state)))
        return self._normalised(state + self._step(f"{prefix}output.dense", inner), f"{prefix}output")

    def _step(self, name: str, state: torch.Tensor) -> torch.Tensor:
        found: torch.Tensor = self.dense[adapter_key(name)](state)
        return found

    def _dropped(self, state: torch.Tensor) -> torch.Tensor:
        return F.dropout(state, DROPOUT, self.training)

    def _normalised(self, state: torch.Tensor, prefix: str) -> torch.Tensor:
        weight, bias = (self._tensors[f"{prefix}.LayerNorm.{name}"] for name in ("weight", "bias"))
        return F.layer_norm(state, (DIM,), weight, bias, EPSILON)

    def _tokens(self, texts: Sequence[str]) -> tuple[torch.Tensor, torch.Tensor]:
        """Return the tokens of texts and 1 for each, both [n, longest]."""
        rows = [self._tokenizer.encode(text).ids for text in texts]
        ids, mask = (torch.zeros(len(rows), max(map(len, rows)), dtype=torch.long) for _ in range(2))
        for number, row in enumerate(rows):
            ids[number, : len(row)] = torch.tensor(row)
            mask[number, : len(row)] = 1
        return ids, mask


class Batch(NamedTuple):
    """Facts, questions, and the place of each question's fact."""

    facts: list[str]
    questions: list[str]
    right: torch.Tensor


def main() -> int:
    adapters = [_trained(seed) for seed in SEEDS]
    mean: dict[str, Any] = {}
    for name in map(adapter_key, DENSE):
        mean[f"{name}.a"] = np.concatenate([each[f"{name}.a"] for each in adapters], axis=0)
        mean[f"{name}.c"] = np.concatenate([each[f"{name}.c"] for each in adapters], axis=1) / len(SEEDS)
    np.savez(ADAPTER, allow_pickle=False, **{name: array.astype(np.float16) for name, array in mean.items()})
    print(f"wrote {ADAPTER.name}")
    return 0


def _trained(seed: int) -> dict[str, NDArray[np.float32]]:
    """Return the arrays of an adapter."""
    torch.manual_seed(seed)
    random.seed(seed)
    groups = [json.loads(line) for line in PAIRS.read_text("utf-8").splitlines()]
    held = groups[HELD_OUT - 1 :: HELD_OUT]
    learnt = [group for number, group in enumerate(groups) if number % HELD_OUT != HELD_OUT - 1]
    network = _network()
    network.eval()
    before = _vectors(network, [fact["text"] for group in learnt for fact in group["facts"]])
    print(f"seed {seed}, {len(held)} groups held out: right fact first {_first(network, held):.3f}", flush=True)
    parameters = list(network.dense.parameters())
    optimizer = torch.optim.AdamW(parameters, lr=RATE, weight_decay=0.01)
    steps, step = EPOCHS * math.ceil(len(learnt) / GROUPS), 0
    for epoch in range(EPOCHS):
        random.shuffle(learnt)
        network.train()
        for batch in _batches(learnt):
            for options in optimizer.param_groups:
                options["lr"] = RATE * min(1.0, (step + 1) / WARM_UP) * (1 - step / steps)
            loss = _loss(network, batch, before)
            optimizer.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call]
            torch.nn.utils.clip_grad_norm_(parameters, 1.0)
            optimizer.step()
            step += 1
        network.eval()
        print(f"epoch {epoch + 1}: {_first(network, held):.3f}", flush=True)
    return {
        f"{name}.{part}": parameter.detach().numpy()
        for name, dense in network.dense.items()
        for part, parameter in dense.named_parameters()
    }


def late_interaction(questions: Encoded, facts: Encoded) -> torch.Tensor:
    """Return the MaxSim of each question, a row, with each fact, a column; tokens are weighted by rarity."""
    asked, stored = (F.normalize(each.states, dim=-1) for each in (questions, facts))
    cosines = torch.einsum("qad,fbd->qafb", asked, stored)
    best = cosines.masked_fill(facts.mask[None, None] == 0, -1e4).max(-1).values
    with torch.no_grad():
        having = ((best - ABSENT) / (PRESENT - ABSENT)).clamp(0, 1).sum(-1)
        count = max(best.shape[-1], FEWEST)
        rarity = torch.log(1 + (count - having + 0.5) / (having + 0.5)) * questions.mask
        rarity = rarity / rarity.sum(1, keepdim=True).clamp(min=1e-6)
    return (best * rarity[..., None]).sum(1)


def _loss(network: Network, batch: Batch, before: dict[str, torch.Tensor]) -> torch.Tensor:
    facts, questions = network(batch.facts), network(batch.questions)
    loss = F.cross_entropy(late_interaction(questions, facts) / TEMPERATURE, batch.right)
    loss = loss + COSINES * F.cross_entropy(questions.vectors @ facts.vectors.T / TEMPERATURE, batch.right)
    original = torch.stack([before[text] for text in batch.facts])
    change = facts.vectors @ facts.vectors.T - original @ original.T
    return loss + KEPT * (change**2).mean()


def _first(network: Network, groups: Sequence[dict[str, Any]]) -> float:
    """Return the share of the questions whose fact late interaction and cosine put first among those of a batch."""
    right = asked = 0
    with torch.no_grad():
        for batch in _batches(groups):
            facts, questions = network(batch.facts), network(batch.questions)
            values = late_interaction(questions, facts) + 0.4 * questions.vectors @ facts.vectors.T
            right += int((values.argmax(1) == batch.right).sum())
            asked += len(batch.right)
    return right / asked


def _batches(groups: Sequence[dict[str, Any]]) -> Iterator[Batch]:
    for begin in range(0, len(groups), GROUPS):
        facts = [fact for group in groups[begin : begin + GROUPS] for fact in group["facts"]]
        asked = [(question, place) for place, fact in enumerate(facts) for question in fact["questions"]]
        yield Batch([fact["text"] for fact in facts], [each for each, _ in asked], torch.tensor([p for _, p in asked]))


def _vectors(network: Network, texts: Sequence[str]) -> dict[str, torch.Tensor]:
    with torch.no_grad():
        return {text: network([text]).vectors[0] for text in texts}


def _network() -> Network:
    with zipfile.ZipFile(io.BytesIO(download())) as opened:
        tensors = load(opened.read(f"{INSIDE}model.safetensors"))
        tokenizer = Tokenizer.from_str(opened.read(f"{INSIDE}tokenizer.json").decode())
    tokenizer.no_padding()
    tokenizer.enable_truncation(MOST_TOKENS)
    return Network(tensors, tokenizer)


if __name__ == "__main__":
    sys.exit(main())
