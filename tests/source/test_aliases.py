"""Where `paths` and `baseUrl` lead an import of a script."""

from __future__ import annotations

import posixpath

import pytest

from muninn_core.source.code.definition import Import
from muninn_core.source.code.resolve import resolve_import


class Files(dict[str, str]):
    """The files of a repository, by path."""

    def exists(self, path):
        return path in self

    def text(self, path):
        return self.get(path, "")

    def with_stem(self, stem):
        return sorted(path for path in self if posixpath.basename(path).partition(".")[0] == stem)

    def folder(self, path):
        return sorted(each for each in self if posixpath.dirname(each) == path)


CONFIG = """{
  // what a person wrote
  "extends": "./base",
  "compilerOptions": {
    "baseUrl": "src", /* "baseUrl": "lib" */
    "paths": {
      "@app/*": ["app/*", "legacy/*"],
      "@app/deep/*": ["deeper/*"],
      "settings": ["app/settings/index.ts"],
      "*-icon": ["icons/*"],
      "url//*": ["app/*"],
    },
  },
}"""
FILES = Files(
    {
        "tsconfig.json": CONFIG,
        "src/app/util.ts": "",
        "src/legacy/old.js": "",
        "src/deeper/down.ts": "",
        "src/app/settings/index.ts": "",
        "src/icons/save.tsx": "",
        "src/plain/index.ts": "",
        "src/main.ts": "",
        "packages/one/tsconfig.json": '{"extends": "../../tsconfig.base.json"}',
        "packages/one/main.ts": "",
        "tsconfig.base.json": '{"compilerOptions": {"paths": {"@lib/*": ["./packages/*/src/index.ts"]}}}',
        "packages/two/src/index.ts": "",
        "web/jsconfig.json": '{"compilerOptions": {"baseUrl": "."}}',
        "web/main.js": "",
        "web/parts/nav.jsx": "",
    }
)


@pytest.mark.parametrize(
    ("path", "module", "found"),
    [
        ("src/main.ts", "@app/util", "src/app/util.ts"),
        ("src/main.ts", "@app/old", "src/legacy/old.js"),
        ("src/main.ts", "@app/deep/down", "src/deeper/down.ts"),
        ("src/main.ts", "settings", "src/app/settings/index.ts"),
        ("src/main.ts", "save-icon", "src/icons/save.tsx"),
        ("src/main.ts", "url//util", "src/app/util.ts"),
        ("src/main.ts", "plain", "src/plain/index.ts"),
        ("packages/one/main.ts", "@lib/two", "packages/two/src/index.ts"),
        ("web/main.js", "parts/nav", "web/parts/nav.jsx"),
    ],
)
def test_a_configuration_leads_an_import_to_its_file(path, module, found):
    assert resolve_import(path, "typescript", Import(1, module), FILES) == (found,)


@pytest.mark.parametrize("module", ["react", "@app/nothing", "@app/../../../etc/passwd", "@lib", ""])
def test_an_unconfigured_alias_resolves_to_nothing(module):
    assert resolve_import("src/main.ts", "typescript", Import(1, module), FILES) == ()


@pytest.mark.parametrize(
    "config",
    [
        "",
        "{",
        "[]",
        '{"compilerOptions": []}',
        '{"compilerOptions": {"baseUrl": 3, "paths": {"a": "b", "@app/*": [7]}}}',
        '{"extends": "./tsconfig.json", "compilerOptions": {"paths": null}}',
        '{"a":' * 3_000,
    ],
)
def test_a_broken_configuration_resolves_no_alias(config):
    files = Files({**FILES, "tsconfig.json": config})
    del files["tsconfig.base.json"]
    assert resolve_import("src/main.ts", "typescript", Import(1, "@app/util"), files) == ()
