import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from muninn_core.errors import NotFoundError
from muninn_core.index import embed
from muninn_core.index.embed import BUNDLED, load_embedder


@pytest.fixture(scope="module")
def bundled(tmp_path_factory):
    return load_embedder(BUNDLED, tmp_path_factory.mktemp("models"))


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
        "import sys; from pathlib import Path; from muninn_core.index.embed import BUNDLED, load_embedder;"
        "load_embedder(BUNDLED, Path()).load();"
        "print(sorted({name.partition('.')[0] for name in sys.modules} & set(sys.argv[1:])))"
    )
    heavy = ["fastembed", "huggingface_hub", "requests", "httpx", "PIL", "onnxruntime"]
    done = subprocess.run([sys.executable, "-c", script, *heavy], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_fastembed_loaded_as_a_whole_makes_the_same_vectors_of_the_bundled_model(bundled):
    script = (
        "import json, sys; import numpy as np;"
        "from fastembed.text import static_embedding as static;"
        "from fastembed.common.model_description import DenseModelDescription as D, ModelSource;"
        "d = D(model='m', dim=256, description='', license='', size_in_GB=0.01, sources=ModelSource(hf='m/m'),"
        "      model_file='model.safetensors');"
        "C = type('C', (static.StaticTextEmbedding,), {'_list_supported_models': classmethod(lambda cls: [d])});"
        "model = C('m', specific_model_path=sys.argv[1], cache_dir=sys.argv[1]);"
        "print(json.dumps(np.stack(list(model.embed(json.loads(sys.argv[2])))).astype(float).tolist()))"
    )
    texts = [
        "def load_session(key):",
        "Retries with backoff.",
        "parse the header",
        "",
        "parseHTTPHeaderV2 x86_64 12345678 0xDEADBEEF SCREAMING_CASE a1B2",
        "naïveCafé größe 数据库 \u212aelvin \u0130stanbul ﬁx \u00a0blank\u2003wide",
        "x" * 200 + " " + "Ab" * 100,
        "token " * 700 + "beyond the end",
    ]
    folder = Path(embed.__file__).parent / "model"
    command = [sys.executable, "-c", script, str(folder), json.dumps(texts)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert np.allclose(np.array(json.loads(done.stdout)), bundled.embed(texts), atol=1e-6)


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
    bundled.rest()
    assert resident() == 0
    assert np.array_equal(bundled.embed(["load the session"]), before)


def test_nothing_gives_no_rows(bundled):
    assert bundled.embed([]).shape == (0, bundled.dim)


def test_an_unknown_model_is_an_error_that_names_the_bundled_one(tmp_path):
    with pytest.raises(NotFoundError, match="knows no embedding model") as caught:
        load_embedder("nobody/nothing", tmp_path)
    assert BUNDLED in caught.value.hint


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


def test_the_bundled_model_works_without_any_network(tmp_path):
    done = run_offline(
        "from pathlib import Path\n"
        "from muninn_core.index.embed import BUNDLED, load_embedder\n"
        "print(load_embedder(BUNDLED, Path(sys.argv[1])).embed_query('offline').shape)\n",
        str(tmp_path),
    )
    assert (done.stdout, done.stderr) == ("(256,)\n", "")


def test_a_model_that_is_not_on_this_machine_is_an_error_with_a_way_out_and_no_download(tmp_path):
    done = run_offline(
        "from pathlib import Path\n"
        "from muninn_core.errors import NotFoundError\n"
        "from muninn_core.index.embed import load_embedder\n"
        "try:\n"
        "    load_embedder('BAAI/bge-small-en-v1.5', Path(sys.argv[1]))\n"
        "except NotFoundError as error:\n"
        "    print(error.message.split(':')[0]); print(error.hint)\n",
        str(tmp_path),
    )
    assert done.stderr == ""
    assert done.stdout.startswith("the embedding model BAAI/bge-small-en-v1.5 is not on this machine\n")
    assert "fetch it once with" in done.stdout
    assert str(tmp_path) in done.stdout


def test_nothing_that_is_loaded_leaves_a_trace_of_its_user(tmp_path):
    script = (
        "from pathlib import Path; from muninn_core.index.embed import BUNDLED, load_embedder;"
        "import onnxruntime; onnxruntime.InferenceSession;"
        "print(load_embedder(BUNDLED, Path('models')).embed_query('who reports what').shape)"
    )
    environ = {"PATH": os.environ["PATH"], "HOME": str(tmp_path)}  # above all without CI, where reports are held back
    done = subprocess.run([sys.executable, "-c", script], env=environ, cwd=tmp_path, capture_output=True, text=True)
    assert done.stdout == "(256,)\n", done.stderr
    assert list(tmp_path.rglob("*")) == []
