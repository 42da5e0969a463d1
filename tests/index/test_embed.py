import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from onnxmodel import write_onnx_model

from muninn_core.errors import NotFoundError
from muninn_core.index.embedding.embed import load_bundled, load_embedder
from muninn_core.index.vectors.quantise import quantise


@pytest.fixture(scope="module")
def bundled():
    return load_bundled()


def test_the_bundled_model_understands_what_a_question_means(bundled):
    texts = [
        "def getUserName(self, uid):\n    return self.db.fetch_user(uid).name",
        'func (s *Server) ListenAndServe(addr string) error { ln, err := net.Listen("tcp", addr) }',
        "## Retries\nFailed requests are tried again with exponential backoff.",
    ]
    vectors = bundled.embed(texts)
    assert (vectors.shape, vectors.dtype) == ((3, bundled.dim), np.float32)
    questions = ("look up a user's name", "start listening on a tcp port", "what happens when a request fails")
    assert [int(np.argmax(vectors @ bundled.embed_query(question))) for question in questions] == [0, 1, 2]


def test_the_bundled_model_brings_none_of_the_libraries_that_fetch_models():
    script = (
        "import sys; from muninn_core.index.embedding.embed import load_bundled;"
        "load_bundled().embed_query('load the session');"
        "print(sorted({name.partition('.')[0] for name in sys.modules} & set(sys.argv[1:])))"
    )
    heavy = ["fastembed", "huggingface_hub", "requests", "httpx", "PIL", "onnxruntime", "loguru"]
    done = subprocess.run([sys.executable, "-c", script, *heavy], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


# Digests of the int8 vectors that indexes store. Another digest means that a release embeds otherwise than the one
# before it, and that existing indexes mix two kinds of vectors.
STORED = {
    "def load_session(key):\n    return parseHTTPHeaderV2(key)": "e6842638f8ad9b2e",
    "naïveCafé größe 数据库 \u212aelvin \u0130stanbul ﬁx \u00a0blank\u2003wide": "833efdd51b9d1999",
    "x" * 200 + " " + "Ab" * 100: "c22821141682f40e",
    "token " * 700 + "beyond the end": "54301a4469990dfc",
}


@pytest.mark.parametrize("text", STORED, ids=["code", "scripts", "runs", "long"])
def test_the_vector_that_is_stored_of_a_text_does_not_change(bundled, text):
    assert hashlib.blake2b(quantise(bundled.embed_query(text)).tobytes(), digest_size=8).hexdigest() == STORED[text]


def test_a_text_counts_up_to_its_512th_token(bundled):
    whole = bundled.embed_query("token " * 511 + "parser")
    assert np.array_equal(bundled.embed_query("token " * 511 + "parser socket"), whole)
    assert not np.array_equal(bundled.embed_query("token " * 511 + "socket"), whole)


def test_tokens_that_the_vocabulary_lacks_leave_a_vector_as_it_is(bundled):
    texts = ["load the session", "load \u2603 the \u2603 session"]
    assert np.array_equal(*bundled.embed(texts))


def test_rows_have_length_one_or_are_zero(bundled):
    vectors = bundled.embed(["load the session", "", "\u2603\u2603"])
    assert np.allclose(np.linalg.norm(vectors, axis=1), [1, 0, 0], atol=1e-6)


def test_a_text_gets_the_same_vector_whatever_is_embedded_with_it(bundled):
    texts = [f"parse the header of message {n}" * (n % 5 + 1) for n in range(300)]
    together = bundled.embed(texts)
    assert np.allclose(together[::37], np.concatenate([bundled.embed([text]) for text in texts[::37]]), atol=1e-5)


def test_all_spellings_of_a_name_have_one_meaning(bundled):
    a, b, c = bundled.embed(["getUserName", "get_user_name", "get user name"])
    assert min(a @ b, a @ c) > 0.999


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells of single mappings")
def test_at_rest_the_table_takes_no_memory_and_the_next_vector_is_the_same(bundled):
    def resident():
        lines = Path("/proc/self/smaps").read_text().split("model.safetensors")[1].split("\n")
        return next(int(line.split()[1]) for line in lines if line.startswith("Rss:"))

    before = bundled.embed(["load the session"])
    assert resident() > 0
    bundled.release_memory()
    assert resident() == 0
    assert np.array_equal(bundled.embed(["load the session"]), before)


def test_an_empty_list_gives_no_rows(bundled):
    assert bundled.embed([]).shape == (0, bundled.dim)


def test_a_model_that_fastembed_does_not_list_is_an_error_with_a_way_out(tmp_path):
    with pytest.raises(NotFoundError, match="has no embedding model nobody/nothing") as caught:
        load_embedder("nobody/nothing", tmp_path)
    assert "index.model" in caught.value.hint


REACHING_OUT = ("socket.connect", "socket.getaddrinfo", "socket.gethostbyname", "socket.sendto", "socket.sendmsg")


def run_offline(code, *arguments):
    """Run code in a process in which reaching out, or looking up a name, is an error and leaves a trace.

    Making a socket is no offence: libraries do it to learn whether the machine knows IPv6.
    """
    guard = (
        "import sys\n"
        "def guard(event, arguments):\n"
        f"    if event in {REACHING_OUT!r}:\n"
        "        sys.stderr.write(f'NETWORK {event}\\n')\n"
        "        raise RuntimeError('no network in this test: ' + event)\n"
        "sys.addaudithook(guard)\n"
    )
    return subprocess.run([sys.executable, "-c", guard + code, *arguments], capture_output=True, text=True, check=False)


@pytest.mark.parametrize("call", ["create_connection(('127.0.0.1', 9))", "getaddrinfo('localhost', 80)"])
def test_the_guard_of_these_tests_sees_who_reaches_out(call):
    assert "NETWORK" in run_offline(f"import socket\nsocket.{call}").stderr


def test_the_bundled_model_works_without_any_network():
    done = run_offline(
        "from muninn_core.index.embedding.embed import load_bundled\n"
        "print(load_bundled().embed_query('offline').shape)\n",
    )
    assert (done.stdout, done.stderr) == ("(256,)\n", "")


LOADING = (
    "import json\n"
    "from pathlib import Path\n"
    "from muninn_core.errors import NotFoundError\n"
    "from muninn_core.index.embedding.embed import load_embedder\n"
    "try:\n"
    "    model = load_embedder(sys.argv[1], Path(sys.argv[2]))\n"
    "    texts = json.loads(sys.argv[3])\n"
    "    rows = [*model.embed(texts), model.embed_query(texts[0])]\n"
    "    print(json.dumps([model.name, model.dim, [row.tolist() for row in rows]]))\n"
    "except NotFoundError as error:\n"
    "    print(error.message); print(error.hint)\n"
)


def test_a_model_that_is_not_on_this_machine_is_an_error_with_a_way_out_and_no_download(tmp_path):
    done = run_offline(LOADING, "BAAI/bge-small-en-v1.5", str(tmp_path), "[]")
    assert done.stderr == ""
    assert done.stdout.startswith("the embedding model BAAI/bge-small-en-v1.5 can't be loaded from this machine: ")
    assert "fetch the model once with" in done.stdout
    assert str(tmp_path) in done.stdout


def test_an_onnx_model_in_the_cache_is_loaded_offline_and_agrees_with_the_table_it_was_made_of(bundled, tmp_path):
    write_onnx_model(tmp_path)
    texts = ["def getUserName(self, uid):", "Retries with backoff.", "load the session " * 30, "parse it"] * 5
    done = run_offline(LOADING, "sentence-transformers/all-MiniLM-L6-v2", str(tmp_path), json.dumps(texts))
    assert done.stderr == ""
    name, dim, rows = json.loads(done.stdout)
    assert (name, dim, len(rows)) == ("sentence-transformers/all-MiniLM-L6-v2", 384, len(texts) + 1)
    vectors = np.array(rows, np.float32)
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-6)
    assert np.allclose(vectors[:, : bundled.dim], bundled.embed([*texts, texts[0]]), atol=1e-5)


def test_a_damaged_onnx_model_is_an_error_with_a_way_out(tmp_path):
    model = write_onnx_model(tmp_path)
    model.write_bytes(model.read_bytes()[:1000])
    done = run_offline(LOADING, "sentence-transformers/all-MiniLM-L6-v2", str(tmp_path), "[]")
    assert done.stderr == ""
    assert "can't be loaded from this machine" in done.stdout


def test_loading_a_model_writes_nothing_and_sends_no_telemetry(tmp_path):
    cache, home = tmp_path / "models", tmp_path / "home"
    write_onnx_model(cache)
    home.mkdir()
    before = sorted(cache.rglob("*"))
    environ = {"PATH": os.environ["PATH"], "HOME": str(home)}  # above all without CI, where reports are held back
    arguments = ("sentence-transformers/all-MiniLM-L6-v2", str(cache), '["who reports what"]')
    command = [sys.executable, "-c", "import sys\n" + LOADING, *arguments]
    done = subprocess.run(command, env=environ, cwd=home, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert list(home.rglob("*")) == []
    assert sorted(cache.rglob("*")) == before
