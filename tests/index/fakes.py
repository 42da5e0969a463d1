"""An embedder that needs no model."""

import hashlib
import threading

import numpy as np

from muninn_core.index.embedding.embed import Encoded
from muninn_core.source.identifiers import split_words


class FakeEmbedder:
    """Adds up a fixed random direction for each word: texts that share words are near to one another."""

    def __init__(self, name="fake/32", dim=32):
        self.name = name
        self.dim = dim
        self.embedded = 0
        self._known = {}
        self._answers = {}
        self._lock = threading.Lock()

    def _word(self, word):
        if word not in self._known:
            self._known[word] = self._direction(word)
        return self._known[word]

    def _direction(self, word):
        seed = int.from_bytes(hashlib.blake2b(f"{self.name}{word}".encode(), digest_size=4).digest(), "little")
        return np.random.default_rng(seed).standard_normal(self.dim)

    def embed(self, texts):
        self.embedded += len(texts)
        rows = np.zeros((len(texts), self.dim), np.float32)
        for i, text in enumerate(texts):
            for word in split_words(text).split():
                rows[i] += self._word(word)
            length = np.linalg.norm(rows[i])
            if length:
                rows[i] /= length
        return rows

    def release_memory(self):
        """Hold nothing."""

    def embed_query(self, text):
        return self.embed([text])[0]

    def encode(self, texts):
        """Return the vectors of texts, and the directions of their words as states."""
        states = [[self._word(word) for word in split_words(text).split()] for text in texts]
        return [
            Encoded(vector, np.array(rows, np.float32).reshape(-1, self.dim))
            for vector, rows in zip(self.embed(texts), states, strict=True)
        ]

    def encode_query(self, text):
        """Encode a text once, as the text encoder does."""
        with self._lock:
            if text not in self._answers:
                self._answers[text] = self.encode([text])[0]
            return self._answers[text]
