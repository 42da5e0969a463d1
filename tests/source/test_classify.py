import pytest

from muninn_core.source.files.classify import classify, path_traits


@pytest.mark.parametrize(
    ("path", "kind", "language"),
    [
        (".muninn/knowledge/api.md", "knowledge", "markdown"),
        (".muninn/packs/rust/errors.md", "knowledge", "markdown"),
        (".metis/initiatives/one/task.md", "knowledge", "markdown"),
        ("CLAUDE.md", "knowledge", "markdown"),
        ("README", "knowledge", "prose"),
        ("docs/adr/0001-record.md", "knowledge", "markdown"),
        ("docs/ref/models.txt", "knowledge", "prose"),
        ("guide.rst", "knowledge", "rst"),
        ("docs/conf.py", "code", "python"),
        ("requirements-dev.txt", "code", "text"),
        ("CMakeLists.txt", "code", "cmake"),
        ("src/Main.KT", "code", "kotlin"),
        ("Makefile", "code", "make"),
        ("Dockerfile.prod", "code", "docker"),
        ("package.json", "code", "json"),
        ("bin/run", "code", "text"),
    ],
)
def test_a_path_tells_tier_and_language(path, kind, language):
    assert classify(path) == (kind, language)


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("tests/test_api.py", {"test"}),
        ("src/api_test.go", {"test"}),
        ("src/app.spec.ts", {"test"}),
        ("src/jvmTest/kotlin/ApiTest.kt", {"test"}),
        ("okhttp/src/main/Latest.kt", set()),
        ("src/contest.py", set()),
        ("vendor/lib/a.go", {"vendored"}),
        ("api/v1/user_pb2.py", {"generated"}),
        ("docs/guide.md", {"docs"}),
        ("examples/hello.py", {"example"}),
        ("src/api.py", set()),
        ("src/Shop.Tests/Orders/Cart.cs", {"test"}),
        ("benchmarks/Shop.Tests.Performance/Cart.cs", {"test"}),
        ("ShopTests/Cart.swift", {"test"}),
        ("src/latest/cart.cs", set()),
        ("base/cart_unittest.cc", {"test"}),
        ("test.c", {"test"}),
        ("regress/cart.sh", {"test"}),
        ("stats/regression/cart.py", set()),
        ("lib/plug/test.ex", set()),
        ("app/test_utils.py", set()),
        ("lib/app/test_case.rb", set()),
        ("lib/app/testing/assertions.rb", set()),
        ("test/test_helper.rb", {"test"}),
        ("tests/app/test_utils.py", {"test"}),
        ("lib/app/testing/test_cart.py", {"test"}),
        ("testing/cart.go", {"test"}),
        ("t/cart.t", {"test"}),
        ("test/cart.bats", {"test"}),
        ("dist/node/shop.cjs", {"generated"}),
        ("single_include/shop/shop.hpp", {"generated"}),
        ("extras/shop_amalgamated.cpp", {"generated"}),
        ("web/shop.min.js", {"generated"}),
        ("src/distance/cart.js", set()),
        ("types/index.d.ts", {"declared"}),
    ],
)
def test_a_path_tells_tests_vendored_and_generated_files_apart(path, expected):
    assert path_traits(path) == expected
