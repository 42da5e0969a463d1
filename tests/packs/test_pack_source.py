"""What strangers hand over is read as data: nothing that leads elsewhere, nothing too large, nothing changed."""

from __future__ import annotations

import gzip
import io
import json
import os
import tarfile
import zipfile

import pytest
from untrusted_packs import ERRORS, FILES, folder, manifest, member, tar, zipped

from muninn_core.errors import BadParams, NotFoundError
from muninn_core.store.pack import archive
from muninn_core.store.pack.archive import write_archive
from muninn_core.store.pack.manifest import make_manifest, manifest_text, path_error, read_manifest, version_key
from muninn_core.store.pack.source import read_pack


@pytest.mark.parametrize("make", [folder, tar, zipped])
def test_a_pack_is_read_from_a_folder_and_from_both_archives(tmp_path, make):
    path = make(tmp_path / {"folder": "pack", "tar": "pack.tar.gz", "zipped": "pack.zip"}[make.__name__])
    pack = read_pack(tmp_path, path.name)
    assert (pack.manifest.name, pack.manifest.version, pack.contents) == ("house-style", "1.0.0", FILES)


@pytest.mark.parametrize("name", ["out.tar.gz", "out.tgz", "out.zip"])
def test_an_exported_archive_has_the_same_bytes_each_time_and_is_read_back(tmp_path, name):
    made = make_manifest(FILES, name="house-style", version="1.0.0", description="Ü", licence="MIT", origin="here")
    files = {"pack.json": manifest_text(made), **FILES}
    first = write_archive(name, "house-style", files)
    assert write_archive(name, "house-style", dict(reversed(files.items()))) == first
    (tmp_path / name).write_bytes(first)
    assert read_pack(tmp_path, name).manifest == made


def test_other_files_beside_a_pack_are_ignored(tmp_path):
    folder(tmp_path / "clone")
    (tmp_path / "clone" / ".git").mkdir()
    (tmp_path / "clone" / "LICENSE").symlink_to("/etc/hostname")
    assert read_pack(tmp_path, "clone").contents == FILES


def test_line_ends_that_git_has_changed_are_those_of_the_manifest_again(tmp_path):
    plain = manifest()
    folder(tmp_path / "clone", {path: content.replace(b"\n", b"\r\n") for path, content in FILES.items()}, plain)
    assert read_pack(tmp_path, "clone").contents == FILES


@pytest.mark.parametrize(
    "name",
    ["../out.md", "/etc/out.md", "a/../../out.md", "./../out.md", "..\\out.md"],
)
def test_a_path_that_leads_elsewhere_is_refused_in_a_tar(tmp_path, name):
    tar(tmp_path / "p.tar.gz", FILES, member(name, size=3))
    with pytest.raises(BadParams, match="is outside the pack"):
        read_pack(tmp_path, "p.tar.gz")
    tar(tmp_path / "q.tar.gz", {**FILES, name: b"x"})
    with pytest.raises(BadParams, match="not a pack"):
        read_pack(tmp_path, "q.tar.gz")


@pytest.mark.parametrize("name", ["../out.md", "/out.md", "a/../../out.md"])
def test_a_path_that_leads_elsewhere_is_refused_in_a_zip(tmp_path, name):
    with pytest.raises(BadParams, match="is outside the pack"):
        read_pack(tmp_path, zipped(tmp_path / "p.zip", {**FILES, name: b"x"}).name)


@pytest.mark.parametrize(
    "made",
    [
        member("style/link.md", tarfile.SYMTYPE, "/etc/passwd"),
        member("style", tarfile.SYMTYPE, "/tmp"),
        member("hard.md", tarfile.LNKTYPE, "glossary.md"),
        member("pipe.md", tarfile.FIFOTYPE),
        member("device.md", tarfile.CHRTYPE),
        member("sparse.md", tarfile.GNUTYPE_SPARSE),
    ],
    ids=lambda made: made.name,
)
def test_links_devices_and_sparse_files_are_refused_whether_the_manifest_names_them_or_not(tmp_path, made):
    with pytest.raises(BadParams, match="not a pack"):
        read_pack(tmp_path, tar(tmp_path / "p.tar.gz", FILES, made).name)


def test_a_link_in_a_zip_is_refused(tmp_path):
    with pytest.raises(BadParams, match="is a link"):
        read_pack(tmp_path, zipped(tmp_path / "p.zip", links={"style/link.md": "/etc/passwd"}).name)


def test_a_link_in_a_folder_is_refused_as_a_file_and_as_a_folder(tmp_path):
    folder(tmp_path / "one")
    (tmp_path / "one" / "glossary.md").unlink()
    (tmp_path / "secret.md").write_bytes(FILES["glossary.md"])
    (tmp_path / "one" / "glossary.md").symlink_to(tmp_path / "secret.md")
    with pytest.raises(BadParams, match=r"glossary\.md is a link"):
        read_pack(tmp_path, "one")
    folder(tmp_path / "two")
    os.rename(tmp_path / "two" / "style", tmp_path / "style")
    (tmp_path / "two" / "style").symlink_to(tmp_path / "style")
    with pytest.raises(BadParams, match="style is a link"):
        read_pack(tmp_path, "two")


def test_a_file_that_the_manifest_does_not_name_is_refused_in_an_archive(tmp_path):
    with pytest.raises(BadParams, match=r"does not name: extra\.md"):
        read_pack(tmp_path, tar(tmp_path / "p.tar.gz", {**FILES, "extra.md": b"x"}, plain=manifest()).name)


def test_a_member_that_is_there_twice_is_refused(tmp_path):
    with pytest.raises(BadParams, match="there twice"):
        read_pack(tmp_path, tar(tmp_path / "p.tar.gz", FILES, member("glossary.md", size=2)).name)


def test_a_bomb_is_refused_before_it_goes_off(tmp_path, monkeypatch):
    monkeypatch.setattr(archive, "_TAR_BYTES", 1_000_000)
    with gzip.open(tmp_path / "bomb.tar.gz", "wb") as file:
        file.write(b"\0" * 3_000_000)
    with pytest.raises(BadParams, match="unpacks to more"):
        read_pack(tmp_path, "bomb.tar.gz")
    with zipfile.ZipFile(tmp_path / "bomb.zip", "w", zipfile.ZIP_DEFLATED) as made:
        made.writestr("pack.json", b"{}")
        made.writestr("big.md", b"\0" * 6_000_000)
    with pytest.raises(BadParams, match="larger than"):
        read_pack(tmp_path, "bomb.zip")
    tar(tmp_path / "many.tar.gz", {f"{number}.md": b"" for number in range(2_100)}, plain=manifest())
    with pytest.raises(BadParams, match=r"more than 2,000 files|unpacks to more"):
        read_pack(tmp_path, "many.tar.gz")


def test_an_extended_header_of_a_huge_length_costs_no_memory(tmp_path):
    head = member("x", tarfile.XHDTYPE)
    head.size = 8 << 30
    with gzip.open(tmp_path / "p.tar.gz", "wb") as file:
        file.write(head.tobuf(tarfile.GNU_FORMAT) + b"\0" * 1024)
    with pytest.raises(BadParams, match="not a pack"):
        read_pack(tmp_path, "p.tar.gz")


@pytest.mark.parametrize("name", ["p.tar.gz", "p.zip"])
def test_an_archive_that_is_cut_off_or_none_is_an_error_wherever_it_ends(tmp_path, name):
    whole = (tar if name.endswith("gz") else zipped)(tmp_path / f"whole-{name}").read_bytes()
    for length in (*range(0, len(whole) - 30, 23), 1):
        (tmp_path / name).write_bytes(whole[:length])
        with pytest.raises(BadParams):
            read_pack(tmp_path, name)
    (tmp_path / name).write_bytes(b"no archive" * 100)
    with pytest.raises(BadParams, match="can't be read"):
        read_pack(tmp_path, name)


def test_a_changed_byte_anywhere_is_found(tmp_path):
    folder(tmp_path / "pack")
    for name, content in {**FILES, "pack.json": (tmp_path / "pack" / "pack.json").read_bytes()}.items():
        file = tmp_path / "pack" / name
        for at in range(0, len(content), 7):
            file.write_bytes(content[:at] + bytes([content[at] ^ 1]) + content[at + 1 :])
            with pytest.raises(BadParams):
                read_pack(tmp_path, "pack")
        file.write_bytes(content)
    assert read_pack(tmp_path, "pack").contents == FILES


def test_a_file_that_is_missing_is_named(tmp_path):
    folder(tmp_path / "pack")
    (tmp_path / "pack" / "glossary.md").unlink()
    with pytest.raises(BadParams, match=r"lacks glossary\.md"):
        read_pack(tmp_path, "pack")


@pytest.mark.parametrize(
    "address", ["https://example.org/x.git", "git@example.org:x/y.git", "ssh://host/x", "file:///x"]
)
def test_an_address_is_refused_with_what_to_do(tmp_path, address):
    with pytest.raises(BadParams, match="is a URL") as error:
        read_pack(tmp_path, address)
    assert "git clone" in error.value.hint


def test_a_missing_pack_and_an_invalid_one_are_different_errors(tmp_path):
    with pytest.raises(NotFoundError):
        read_pack(tmp_path, "nowhere")
    (tmp_path / "notes.md").write_text("x")
    with pytest.raises(BadParams, match="neither a folder nor"):
        read_pack(tmp_path, "notes.md")
    (tmp_path / "empty").mkdir()
    with pytest.raises(BadParams, match=r"no pack\.json"):
        read_pack(tmp_path, "empty")


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"format": 2}, "format 2"),
        ({"format": "1"}, "no 'format'"),
        ({"name": "../x"}, "is not a valid pack name"),
        ({"name": "Upper"}, "is not a valid pack name"),
        ({"name": "nul"}, "is not a valid pack name"),
        ({"version": "1.0"}, "is not a version"),
        ({"version": "01.0.0"}, "is not a version"),
        ({"version": "9" * 70}, "is not a version"),
        ({"files": []}, "1 to 2,000 files"),
        ({"description": "two\nlines"}, "not a single line"),
        ({"files": [{"path": "a.md", "size": 1, "sha256": ""}, {"path": "A.md", "size": 1, "sha256": ""}]}, "twice"),
        (
            {"files": [{"path": "a.md", "size": 1, "sha256": ""}, {"path": "a.md/b.md", "size": 1, "sha256": ""}]},
            "twice",
        ),
        ({"files": [{"path": "a.md", "size": -1, "sha256": ""}]}, "larger than"),
        ({"files": [{"path": "a.md", "size": 6_000_000, "sha256": ""}]}, "larger than"),
        ({"files": [{"path": f"{n}.md", "size": 5_000_000, "sha256": ""} for n in range(11)]}, "together"),
        ({"files": 3}, "files"),
    ],
)
def test_a_manifest_that_does_not_fit_says_why(changes, told):
    with pytest.raises(BadParams, match=told):
        read_manifest(json.dumps(manifest(**changes)).encode())


def test_a_manifest_may_say_more_than_this_version_knows_and_its_checksum_covers_that(tmp_path):
    plain = manifest(homepage="somewhere")
    folder(tmp_path / "pack", FILES, plain)
    assert json.loads(read_pack(tmp_path, "pack").text)["homepage"] == "somewhere"
    folder(tmp_path / "pack", FILES, {**plain, "homepage": "elsewhere"})
    with pytest.raises(BadParams, match="checksum of the manifest"):
        read_pack(tmp_path, "pack")


@pytest.mark.parametrize(
    "path",
    ["", "a//b.md", "./a.md", "../a.md", "/a.md", "a\\b.md", "C:a.md", ".git/a.md", "a/.muninnignore", "a.txt",
     "a?.md", "con.md", "a./b.md", "a /b.md", "a\n.md", "e\u0301.md", "a" * 200 + ".md", "a/" * 10 + "k.md"],
)  # fmt: skip
def test_a_path_that_does_not_mean_the_same_everywhere_is_refused(path):
    assert path_error(path)


@pytest.mark.parametrize("path", ["a.md", "Über uns/Stil-1.md", "a/b/c.d.md", "\u00e9.MD"])
def test_an_ordinary_path_is_fine(path):
    assert path_error(path) == ""


def test_versions_are_ordered_as_semantic_versioning_says():
    ordered = ["1.0.0-alpha", "1.0.0-alpha.1", "1.0.0-alpha.beta", "1.0.0-beta", "1.0.0-beta.2", "1.0.0-beta.11",
               "1.0.0-rc.1", "1.0.0", "1.0.1", "1.2.0", "1.10.0", "2.0.0"]  # fmt: skip
    assert sorted(sorted(ordered), key=version_key) == ordered
    assert version_key("1.0.0+one") == version_key("1.0.0+two")


def test_a_file_that_is_no_text_is_refused(tmp_path):
    files = {"a.md": b"\xff\xfe"}
    with pytest.raises(BadParams, match=r"a\.md is not UTF-8"):
        read_pack(tmp_path, folder(tmp_path / "pack", files).name)


def test_an_encrypted_zip_is_refused(tmp_path):
    path = zipped(tmp_path / "p.zip")
    content = bytearray(path.read_bytes())
    central = content.index(b"PK\x01\x02")
    content[central + 8] |= 1
    path.write_bytes(bytes(content))
    with pytest.raises(BadParams, match="encrypted"):
        read_pack(tmp_path, "p.zip")


def test_an_exported_archive_has_one_folder_and_no_owners():
    plain = gzip.decompress(write_archive("x.tgz", "x", {"a.md": ERRORS}))
    with tarfile.open(fileobj=io.BytesIO(plain)) as made:
        (only,) = made.getmembers()
    assert (only.name, only.mode, only.uid, only.uname, only.mtime) == ("x/a.md", 0o644, 0, "", 0)
