"""The queue: webhooks of three forges, forged and repeated ones, workers that are killed, remotes that are away."""

from __future__ import annotations

import hashlib
import hmac
import json
import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from repositories import git

from muninn_core.errors import BadParams, BusyError, MuninnError, RefusedError
from muninn_core.git import mirror
from muninn_core.git.run import GitError
from muninn_core.org.access import principals, webhooks
from muninn_core.org.access.listing import listing
from muninn_core.org.access.webhooks import receive
from muninn_core.org.database.connections import DatabaseError
from muninn_core.org.ingestion import worker as workers
from muninn_core.org.ingestion.mirrors import sweep_mirrors
from muninn_core.org.ingestion.pushes import Target, remove_repository
from muninn_core.org.ingestion.worker import MAX_ATTEMPTS, Worker
from muninn_core.org.reading.branches import enter
from muninn_core.org.reading.reader import PostgresReader
from muninn_server.org.listing_text import listing_text

SECRET = "a secret of more than sixteen characters"


@pytest.fixture
def forge(make_home, tmp_path: Path):
    """A database, and a bare repository that stands for a forge: its default branch, and a clone to change it."""
    home = make_home()
    clone = tmp_path / "clone"
    clone.mkdir()
    (clone / "one.py").write_text("def one():\n    return 1\n")
    git(clone, "init", "-q", "-b", "main")
    git(clone, "add", "-A")
    git(clone, "commit", "-q", "-m", "One")
    git(tmp_path, "clone", "-q", "--bare", str(clone), "forge.git")
    git(clone, "remote", "add", "origin", str(tmp_path / "forge.git"))
    home.repository("shop")
    set_remote(home, str(tmp_path / "forge.git"))
    return home, clone, Worker(home.database, tmp_path / "mirrors", workers=1)


def set_remote(home, remote: str, name: str = "shop") -> None:
    with home.database.transaction("muninn_writer") as connection:
        repository = principals.find_repository(connection, home.tenant, name)
        principals.put_remote(connection, home.tenant, repository, remote, SECRET, ["release/*"])


def change(clone: Path, name: str, branch: str = "main") -> None:
    """Commit a new file, and push it to the forge."""
    (clone / f"{name}.py").write_text(f"def {name}():\n    return '{name}'\n")
    git(clone, "add", "-A")
    git(clone, "commit", "-q", "-m", name)
    git(clone, "push", "-q", "--force", "origin", f"HEAD:{branch}")


def notice(home, ref: str = "main", forge: str = "github", secret: str = SECRET, repository: str = "shop"):
    """Send a webhook."""
    body = json.dumps({"ref": f"refs/heads/{ref}", "repository": {"full_name": "theirs/vault"}}).encode()
    digest = hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()
    headers = {
        "github": {"x-hub-signature-256": f"sha256={digest}"},
        "gitea": {"x-gitea-signature": digest},
        "gitlab": {"x-gitlab-token": secret},
    }
    return receive(home.database, forge, "acme", repository, headers.get(forge, {}), body)


def files(home, ref: str | None = None) -> set[str]:
    ann = home.principal("ann", "shop")
    with home.database.transaction("muninn_reader", snapshot=True) as connection:
        return set(PostgresReader(connection, home.tenant, enter(connection, home.tenant, ann, None, ref)).files())


def waiting(home) -> list[tuple[str, int, str]]:
    with home.as_admin() as connection:
        return connection.execute("SELECT ref, tries, error FROM muninn.job ORDER BY id").fetchall()


def drain(worker: Worker) -> int:
    count = 0
    while worker.work_once() is not None:
        count += 1
    return count


@pytest.mark.parametrize("name", ["github", "gitea", "gitlab"])
def test_a_webhook_brings_the_commit_of_the_forge(forge, name: str) -> None:
    home, clone, worker = forge
    assert notice(home, forge=name) == "main"
    assert drain(worker) == 1
    assert files(home) == {"one.py"}
    change(clone, "two")
    notice(home, forge=name)
    drain(worker)
    assert files(home) == {"one.py", "two.py"}
    assert waiting(home) == []


def test_repeated_and_late_webhooks_end_in_the_present_state(forge) -> None:
    home, clone, worker = forge
    change(clone, "two")
    for _ in range(5):
        notice(home)
    assert drain(worker) == 1  # the equal ones are done with the first
    git(clone, "reset", "-q", "--hard", "HEAD~1")
    git(clone, "push", "-q", "--force", "origin", "HEAD:main")
    notice(home)
    drain(worker)
    assert files(home) == {"one.py"}


def test_other_branches_need_a_pattern_and_deleted_ones_go_away(forge) -> None:
    home, clone, worker = forge
    change(clone, "two", "release/1")
    change(clone, "three", "feature")
    for ref in ("main", "release/1", "feature"):
        notice(home, ref)
    assert drain(worker) == 3
    assert files(home, "release/1") == {"one.py", "two.py"}
    assert files(home, "feature") == set()
    git(clone, "push", "-q", "origin", "--delete", "release/1")
    change(clone, "four", "release/1/a")  # the mirror has a ref of the other name
    notice(home, "release/1")
    notice(home, "release/1/a")
    drain(worker)
    assert waiting(home) == []
    assert files(home, "release/1") == set()
    assert "four.py" in files(home, "release/1/a")
    long = f"release/{'long' * 60}"
    change(clone, "five", long)
    assert notice(home, long) == long
    drain(worker)
    assert "five.py" in files(home, long)
    assert files(home) == {"one.py"}


def test_forged_webhooks_are_refused_alike_and_queue_nothing(forge) -> None:
    home, _, _ = forge
    home.repository("vault")
    messages = set()
    for values in ({"secret": "another secret"}, {"secret": ""}, {"repository": "vault"}, {"repository": "nosuch\0"}):
        for name in ("github", "gitea", "gitlab"):
            with pytest.raises(RefusedError) as refused:
                notice(home, forge=name, **values)
            messages.add(refused.value.message)
    assert len(messages) == 1
    with pytest.raises(BadParams):
        notice(home, forge="sourceforge")
    odd = ("refs/tags/v1", "refs/heads/a\0b", "refs/heads/*", "refs/heads/a b", f"refs/heads/{'a' * 1000}")
    for body in (b"no json", b"[]", b'{"ref": 5}', *(json.dumps({"ref": each}).encode() for each in odd)):
        try:
            assert receive(home.database, "gitlab", "acme", "shop", {"x-gitlab-token": SECRET}, body) is None
        except BadParams:
            assert body == b"no json"
    assert waiting(home) == []


def test_too_many_waiting_jobs_are_refused(forge, monkeypatch: pytest.MonkeyPatch) -> None:
    home, _, _ = forge
    monkeypatch.setattr(webhooks, "MAX_WAITING", 2)
    notice(home)
    notice(home)
    with pytest.raises(BusyError):
        notice(home)


def test_a_job_of_a_killed_worker_is_done_by_another(forge, tmp_path: Path) -> None:
    home, _, worker = forge
    notice(home)
    code = (
        "import sys, os\n"
        "from pathlib import Path\n"
        "from muninn_core.org.ingestion import worker\n"
        "from muninn_core.org.database.connections import Database\n"
        "def stop(*values, **more): print('working', flush=True); sys.stdin.read()\n"
        "worker.push = stop\n"
        "worker.Worker(Database(sys.argv[1]), Path(sys.argv[2])).work_once()\n"
    )
    arguments = [sys.executable, "-c", code, home.app, str(tmp_path / "mirrors")]
    with subprocess.Popen(arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout.readline() == "working\n"
        assert worker.work_once() is None  # the job is taken
        process.kill()
        process.wait()
    done = None
    while done is None:  # the server notices the end of the connection
        done = worker.work_once()
    assert files(home) == {"one.py"}
    assert waiting(home) == []


def test_two_workers_share_the_queue(forge, tmp_path: Path) -> None:
    home, clone, worker = forge
    for number in range(4):
        change(clone, f"file{number}", f"release/{number}")
        notice(home, f"release/{number}")
    notice(home)
    second = Worker(home.database, tmp_path / "others", workers=1)
    counts: list[int] = []
    threads = [threading.Thread(target=lambda each=each: counts.append(drain(each))) for each in (worker, second)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    counts.append(drain(worker))
    assert sum(counts) == 5
    assert files(home, "release/3") == {"one.py", *(f"file{number}.py" for number in range(4))}


class HeldPush:
    """Holds the pushes of a worker that runs in a thread until the test lets them go on."""

    def __init__(self, worker: Worker, monkeypatch: pytest.MonkeyPatch) -> None:
        self._begun, self._go_on, real = threading.Event(), threading.Event(), workers.push

        def held(*values, **more):
            self._begun.set()
            self._go_on.wait()
            return real(*values, **more)

        monkeypatch.setattr(workers, "push", held)
        self._thread = threading.Thread(target=worker.work_once)
        self._thread.start()
        self._begun.wait()
        monkeypatch.setattr(workers, "push", real)

    def end(self) -> None:
        """Let the worker end its job."""
        self._go_on.set()
        self._thread.join()


def test_a_worker_leaves_other_repositories_to_others(forge, tmp_path: Path, monkeypatch) -> None:
    home, _, worker = forge
    for name in ("shop", "till", "bank"):
        home.repository(name)
        set_remote(home, str(tmp_path / "forge.git"), name)
        notice(home, repository=name)
    held = HeldPush(worker, monkeypatch)
    assert drain(Worker(home.database, tmp_path / "others", workers=1)) == 2
    held.end()
    assert waiting(home) == []


def test_a_repository_is_deleted_while_a_worker_fetches_it(forge, monkeypatch) -> None:
    home, _, worker = forge
    notice(home)
    notice(home)
    held = HeldPush(worker, monkeypatch)
    deleting = threading.Thread(target=remove_repository, args=(home.database, home.tenant, "shop"), daemon=True)
    deleting.start()
    deleting.join(60)
    assert not deleting.is_alive()
    held.end()
    assert waiting(home) == []


def test_a_remote_that_is_away_is_tried_again_and_named(forge, tmp_path: Path) -> None:
    home, _, worker = forge
    set_remote(home, str(tmp_path / "nowhere.git"))
    notice(home)
    job = worker.work_once()
    assert job is not None
    assert worker.work_once() is None  # not due yet
    ref, tries, error = waiting(home)[0]
    assert (ref, tries) == ("main", 1)
    assert "nowhere" in error or "repository" in error
    for _ in range(MAX_ATTEMPTS):
        with home.as_admin() as connection:
            connection.execute("UPDATE muninn.job SET not_before = now() WHERE not_before < 'infinity'")
        worker.work_once()
    assert waiting(home)[0][1] == MAX_ATTEMPTS
    with home.database.transaction("muninn_writer") as connection:
        found = listing(connection, home.tenant, ["shop"])
    told = listing_text(found)
    assert f"job for main failed after {MAX_ATTEMPTS} tries: {error}" in told
    set_remote(home, str(tmp_path / "forge.git"))
    notice(home)
    assert drain(worker) == 1
    assert waiting(home) == []


def test_a_bug_and_odd_bytes_of_git_hold_up_no_other_job(forge, tmp_path: Path, monkeypatch, caplog) -> None:
    home, _, worker = forge
    home.repository("till")
    for name in ("shop", "till"):
        set_remote(home, str(tmp_path / "forge.git"), name)
        notice(home, repository=name)
    errors: list[Exception] = [ValueError("odd"), GitError("git said \udcff and \0")]
    real = workers.push

    def broken(database, target, *values, **more):
        if target.repository == "shop":
            raise errors.pop(0)
        return real(database, target, *values, **more)

    monkeypatch.setattr(workers, "push", broken)
    assert drain(worker) == 2
    ((ref, tries, error),) = waiting(home)
    assert (ref, tries) == ("main", 1)
    assert "a bug: ValueError" in error
    assert "odd" in caplog.text
    with home.as_admin() as connection:
        connection.execute("UPDATE muninn.job SET not_before = now()")
    assert drain(worker) == 1
    assert waiting(home)[0][1:] == (2, "git said ? and ")


@pytest.mark.daemon
def test_a_worker_waits_for_a_database_that_takes_no_writes(forge, tmp_path: Path) -> None:
    home, _, _ = forge
    notice(home)
    command = [sys.executable, "-I", "-m", "muninn_server.org", "work", "--mirrors", str(tmp_path / "mirrors")]
    environ = {**os.environ, "MUNINN_ORG_DATABASE": home.app}
    name = home.admin.rpartition("/")[2]
    with home.as_admin() as connection:
        connection.execute(f"ALTER DATABASE {name} SET default_transaction_read_only = on".encode())
        working = subprocess.Popen(command, env=environ, stdout=-1, stderr=-1, text=True)
        assert any("takes no writes" in line for line in working.stderr)
        connection.execute(f"ALTER DATABASE {name} RESET default_transaction_read_only".encode())
        connection.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'muninn_app'")
    with working:
        assert json.loads(working.stdout.readline())["ref"] == "main"
        working.kill()
    assert files(home) == {"one.py"}


def test_nothing_is_written_into_tables_of_another_version(forge) -> None:
    home, clone, worker = forge
    notice(home)
    with home.as_admin() as connection:
        connection.execute("INSERT INTO muninn.migration(number, name) VALUES (9000, 'later')")
    with pytest.raises(DatabaseError, match="the database has the version 9000"):
        worker.work_once()
    with pytest.raises(DatabaseError, match="the database has the version 9000"):
        workers.push(home.database, Target(home.tenant, "shop", "main"), clone, "HEAD")
    with home.as_admin() as connection:
        connection.execute("DELETE FROM muninn.migration WHERE number = 9000")
    assert drain(worker) == 1
    assert files(home) == {"one.py"}


def test_mirrors_of_deleted_repositories_and_rewritten_commits_go_away(forge, tmp_path: Path) -> None:
    home, clone, worker = forge
    change(clone, "secret")
    lost = git(clone, "rev-parse", "HEAD:secret.py").strip()
    notice(home)
    drain(worker)
    git(clone, "reset", "-q", "--hard", "HEAD~1")
    change(clone, "clean")
    notice(home)
    drain(worker)
    mirrors = tmp_path / "mirrors"
    (mirror,) = mirrors.glob("*.git")
    assert git(mirror, "cat-file", "-t", lost).strip() == "blob"
    with home.as_admin() as connection:
        assert sweep_mirrors(connection, mirrors, "now") == 0
    with pytest.raises(subprocess.CalledProcessError):
        git(mirror, "cat-file", "-t", lost)
    change(clone, "further")
    notice(home)
    drain(worker)
    assert files(home) == {"one.py", "clean.py", "further.py"}
    remove_repository(home.database, home.tenant, "shop")
    git(tmp_path, "init", "-q", "--bare", str(mirrors / "people.git"))  # somebody else's
    with home.as_admin() as connection:
        assert sweep_mirrors(connection, mirrors) == 1
    assert [each.name for each in mirrors.iterdir()] == ["people.git"]


@pytest.mark.parametrize("remote", ["ext::sh -c id", "--upload-pack=id", "http://host/x", "https://a b", "", "file"])
def test_a_remote_is_an_address_and_no_program(forge, remote: str) -> None:
    with pytest.raises(BadParams):
        set_remote(forge[0], remote)


def test_a_remote_that_does_not_answer_in_time_is_tried_again(forge, monkeypatch: pytest.MonkeyPatch) -> None:
    home, _, worker = forge
    monkeypatch.setattr(mirror, "_FETCH_SECONDS", 1e-6)
    notice(home)
    assert worker.work_once() is not None
    ref, tries, error = waiting(home)[0]
    assert (ref, tries) == ("main", 1)
    assert error.startswith("git ls-remote took longer than")


def test_a_worker_waits_for_a_database_that_is_away(forge, tmp_path: Path) -> None:
    home, _, _ = forge
    notice(home)
    command = [sys.executable, "-I", "-m", "muninn_server.org", "work", "--mirrors", str(tmp_path / "mirrors")]
    environ = {**os.environ, "MUNINN_ORG_DATABASE": home.app}
    with home.as_admin() as connection:
        connection.execute("ALTER ROLE muninn_app NOLOGIN")
        try:
            working = subprocess.Popen(command, env=environ, stdout=-1, stderr=-1, text=True)
            assert "can't be reached" in working.stderr.readline()
        finally:
            connection.execute("ALTER ROLE muninn_app LOGIN")
    with working:
        assert json.loads(working.stdout.readline())["ref"] == "main"
        working.kill()
    assert files(home) == {"one.py"}


def test_the_commands_set_a_remote_and_work_through_the_queue(forge, tmp_path: Path) -> None:
    home, _, _ = forge
    environ = {**os.environ, "MUNINN_ORG_DATABASE": home.admin}

    def run(*arguments: str) -> str:
        line = [sys.executable, "-I", "-m", "muninn_server.org", *arguments]
        return subprocess.run(line, env=environ, capture_output=True, text=True, check=True).stdout.strip()

    secret = run("remote", "shop", str(tmp_path / "forge.git"), "--tenant", "acme")
    with pytest.raises(MuninnError):
        notice(home)
    notice(home, secret=secret)
    assert json.loads(run("work", "--once", "--mirrors", str(tmp_path / "mirrors")))["ref"] == "main"
    assert files(home) == {"one.py"}
