"""One file per grammar, with all that is read from it: definitions, imports and called names.

A definition is (kind, qualified name, line, signature, comment), an import (module, names).
"""

from __future__ import annotations

PYTHON = '''"""What the module is for."""
import os, lib.store as store
from ..base import (Model, Field as F)
from . import views
LIMIT = 3
name = 1
@register(
    "user"
)
@cached
class User(Model):
    """A person with an account."""
    email: str = ""
    def rename(
        self, name: str
    ) -> None:
        """Give the user another name."""
        def inner():
            return store.save(self)
        inner()
# Deletes for good.
async def delete_all(): ...
'''

SOURCES = {
    "a.py": (
        PYTHON,
        [
            ("constant", "LIMIT", 5, "LIMIT = 3", ""),
            ("variable", "name", 6, "name = 1", ""),
            ("class", "User", 11, "class User(Model)", "A person with an account."),
            ("field", "User.email", 13, 'email: str = ""', ""),
            ("method", "User.rename", 14, "def rename( self, name: str ) -> None", "Give the user another name."),
            ("function", "User.rename.inner", 18, "def inner()", ""),
            ("function", "delete_all", 22, "async def delete_all()", "Deletes for good."),
        ],
        [
            ("os", ()),
            ("lib.store", ()),
            ("..base", ("Model", "Field")),
            (".", ("views",)),
        ],
        ["cached", "inner", "register", "save"],
    ),
    "a.tsx": (
        """import React, { useState as state, type Foo } from "./react";
import * as all from '../lib/all';
export { x } from "./x";
const fs = require("fs");
/** Talks to the server. */
export default class HttpClient extends Base {
  private url = "";
  async sendRequest(url: string): Promise<void> { this.go(); }
}
export const useStore = (id: string) => { return <App id={id}/>; };
interface Props { open(): void }
type Shape = { a: number };
enum Color { Red }
namespace Deep { function inside() {} }
Router.prototype.handle = function (req) { new HttpClient(); };
""",
        [
            ("variable", "fs", 4, 'const fs = require("fs")', ""),
            (
                "class",
                "HttpClient",
                6,
                "export default class HttpClient extends Base",
                "Talks to the server.",
            ),
            ("field", "HttpClient.url", 7, 'private url = ""', ""),
            ("method", "HttpClient.sendRequest", 8, "async sendRequest(url: string): Promise<void>", ""),
            ("function", "useStore", 10, "export const useStore = (id: string) =>", ""),
            ("interface", "Props", 11, "interface Props", ""),
            ("method", "Props.open", 11, "open(): void", ""),
            ("type", "Shape", 12, "type Shape", ""),
            ("enum", "Color", 13, "enum Color", ""),
            ("constant", "Color.Red", 13, "Red", ""),
            ("module", "Deep", 14, "namespace Deep", ""),
            ("function", "Deep.inside", 14, "function inside()", ""),
            ("method", "Router.handle", 15, "Router.prototype.handle = function (req)", ""),
        ],
        [
            ("./react", ("useState", "Foo", "React")),
            ("../lib/all", ()),
            ("./x", ("x",)),
            ("fs", ()),
        ],
        ["App", "HttpClient", "go"],
    ),
    "a.js": (
        "import { run } from './run.js'\nclass A { #secret() { run() } }\nfunction* gen() {}\n"
        "module.exports = { start: function () {} }\nconst late = import('./late')\n",
        [
            ("class", "A", 2, "class A", ""),
            ("method", "A.secret", 2, "#secret()", ""),
            ("function", "gen", 3, "function* gen()", ""),
            ("method", "start", 4, "start: function ()", ""),
            ("variable", "late", 5, "const late = import('./late')", ""),
        ],
        [("./run.js", ("run",)), ("./late", ())],
        ["run"],
    ),
    "a.go": (
        """// Package web serves.
package web

import (
	"fmt"
	u "example.com/mod/util"
)

// Server answers.
type Server struct {
	addr string
}
type Doer interface {
	Do(x int) error
}
const Max = 3

// Listen waits for clients.
func (s *Server) Listen(addr string) error {
	fmt.Println(u.Join(addr))
	return run(Server{})
}
func run(s Server) error { return nil }
""",
        [
            ("struct", "Server", 10, "type Server struct", "Server answers."),
            ("interface", "Doer", 13, "type Doer interface", ""),
            ("method", "Doer.Do", 14, "Do(x int) error", ""),
            ("constant", "Max", 16, "const Max = 3", ""),
            ("method", "Server.Listen", 19, "func (s *Server) Listen(addr string) error", "Listen waits for clients."),
            ("function", "run", 23, "func run(s Server) error", ""),
        ],
        [("fmt", ()), ("example.com/mod/util", ())],
        ["Join", "Println", "Server", "run"],
    ),
    "a.rs": (
        """use crate::index::{Writer, reader::Reader};
use super::tools as t;
mod lexer;
/// Walks the tree.
#[derive(Debug)]
pub struct Walker<T> { x: T }
impl<T> Iterator for Walker<T> {
    fn next(&mut self) -> Option<T> { self.step(); Writer::open(); vec![1]; None }
}
pub(crate) async fn parse_line(s: &str) -> Line { Line { a: 1 } }
trait Named { fn name(&self); }
macro_rules! twice { () => {} }
const SIZE: u8 = 1;
""",
        [
            ("struct", "Walker", 6, "pub struct Walker<T>", "Walks the tree."),
            ("method", "Walker.next", 8, "fn next(&mut self) -> Option<T>", ""),
            ("function", "parse_line", 10, "pub(crate) async fn parse_line(s: &str) -> Line", ""),
            ("trait", "Named", 11, "trait Named", ""),
            ("method", "Named.name", 11, "fn name(&self)", ""),
            ("macro", "twice", 12, "macro_rules! twice", ""),
            ("constant", "SIZE", 13, "const SIZE: u8 = 1", ""),
        ],
        [
            ("crate::index", ("Writer",)),
            ("crate::index::reader", ("Reader",)),
            ("super", ("tools",)),
            ("self::lexer", ()),
        ],
        ["Line", "open", "step", "vec"],
    ),
    "A.java": (
        """package a.b;
import a.c.D;
import static a.c.E.go;
import a.d.*;
/** Splits texts. */
@Deprecated
public class Words<T> extends Base {
    private int size = 1;
    /** Splits one. */
    public static List<String> split(String text) { helper(text); return new ArrayList<>(); }
    enum Color { RED }
    record Pair(int a) {}
}
""",
        [
            ("class", "Words", 6, "@Deprecated public class Words<T> extends Base", "Splits texts."),
            ("field", "Words.size", 8, "private int size = 1", ""),
            ("method", "Words.split", 10, "public static List<String> split(String text)", "Splits one."),
            ("enum", "Words.Color", 11, "enum Color", ""),
            ("constant", "Words.Color.RED", 11, "RED", ""),
            ("class", "Words.Pair", 12, "record Pair(int a)", ""),
        ],
        [("a.c.D", ("D",)), ("a.c.E", ("E",)), ("a.d", ())],
        ["ArrayList", "helper"],
    ),
    "a.kt": (
        """package a.b
import a.c.D
import a.e.*
/** Holds. */
class Box(val x: Int) : Base() {
    fun open(): Int = go(x)
    companion object {
        const val LIMIT = 2
    }
}
interface Openable
enum class Color { RED }
object Single {
    fun use() {
        val local = 1
        Box(local).open()
    }
}
typealias Id = Int
""",
        [
            ("class", "Box", 5, "class Box(val x: Int) : Base()", "Holds."),
            ("method", "Box.open", 6, "fun open(): Int = go(x)", ""),
            ("constant", "Box.LIMIT", 8, "const val LIMIT = 2", ""),
            ("interface", "Openable", 11, "interface Openable", ""),
            ("enum", "Color", 12, "enum class Color", ""),
            ("constant", "Color.RED", 12, "RED", ""),
            ("class", "Single", 13, "object Single", ""),
            ("method", "Single.use", 14, "fun use()", ""),
            ("type", "Id", 19, "typealias Id = Int", ""),
        ],
        [("a.c.D", ("D",)), ("a.e", ())],
        ["Box", "go", "open"],
    ),
    "a.c": (
        """#include "buf.h"
#include <stdio.h>
/* Makes room. */
static int buffer_grow(struct buffer *b, size_t n)
{
    return again(b, n);
}
struct buffer { int n; };
int later(int a);
#define LARGEST(a) (a)
int table[] = {1};
static const char **names(void) { return 0; }
""",
        [
            ("function", "buffer_grow", 4, "static int buffer_grow(struct buffer *b, size_t n)", "Makes room."),
            ("struct", "buffer", 8, "struct buffer", ""),
            ("prototype", "later", 9, "int later(int a)", ""),
            ("macro", "LARGEST", 10, "#define LARGEST(a) (a)", ""),
            ("variable", "table", 11, "int table[]", ""),
            ("function", "names", 12, "static const char **names(void)", ""),
        ],
        [("buf.h", ()), ("<stdio.h", ())],
        ["again"],
    ),
    "a.h": (
        """#include "x/y.h"
namespace shop {
/** A basket. */
class Basket : public Base {
 public:
  Basket(int x);
  ~Basket() {}
  int size() const { return n_; }
  bool operator==(const Basket& o) const { return true; }
};
template <typename T> T largest(T a, T b) { return a; }
int Basket::grow(int n) { helper(n); return ns::go<int>(n); }
}
""",
        [
            ("module", "shop", 2, "namespace shop", ""),
            ("class", "shop.Basket", 4, "class Basket : public Base", "A basket."),
            ("prototype", "shop.Basket.Basket", 6, "Basket(int x)", ""),
            ("method", "shop.Basket.~Basket", 7, "~Basket()", ""),
            ("method", "shop.Basket.size", 8, "int size() const", ""),
            ("method", "shop.Basket.operator==", 9, "bool operator==(const Basket& o) const", ""),
            ("function", "shop.largest", 11, "template <typename T> T largest(T a, T b)", ""),
            ("method", "shop.Basket.grow", 12, "int Basket::grow(int n)", ""),
        ],
        [("x/y.h", ())],
        ["go", "helper"],
    ),
    "a.cs": (
        """using System.IO;
using Alias = Lib.Tools;
namespace Shop.Web {
/// <summary>Keeps tokens.</summary>
public class TokenCache : Base
{
    public int Size { get; set; }
    int first = 1, second;
    public TokenCache(int x) { Go(1); this.Do<int>(2); new Zip(); }
    internal async Task<int> RunAsync(string a) => await a?.Open();
    enum Color { Red }
}
}
""",
        [
            ("module", "Shop.Web", 3, "namespace Shop.Web", ""),
            ("class", "Shop.Web.TokenCache", 5, "public class TokenCache : Base", "Keeps tokens."),
            ("property", "Shop.Web.TokenCache.Size", 7, "public int Size", ""),
            ("field", "Shop.Web.TokenCache.first", 8, "int first = 1, second", ""),
            ("field", "Shop.Web.TokenCache.second", 8, "int first = 1, second", ""),
            ("method", "Shop.Web.TokenCache.TokenCache", 9, "public TokenCache(int x)", ""),
            ("method", "Shop.Web.TokenCache.RunAsync", 10, "internal async Task<int> RunAsync(string a)", ""),
            ("enum", "Shop.Web.TokenCache.Color", 11, "enum Color", ""),
            ("constant", "Shop.Web.TokenCache.Color.Red", 11, "Red", ""),
        ],
        [("System.IO", ()), ("Lib.Tools", ())],
        ["Do", "Go", "Open", "Zip"],
    ),
    "a.rb": (
        """require 'json'
require_relative 'lib/tool'
# Everything about books.
module Books
  class Shelf::Deep < Base
    LIMIT = 3
    # Finds one by its name.
    def self.find(name)
      go(name)
      Book.new
    end
    def full?; end
  end
end
""",
        [
            ("module", "Books", 4, "module Books", "Everything about books."),
            ("class", "Books.Shelf.Deep", 5, "class Shelf::Deep < Base", ""),
            ("constant", "Books.Shelf.Deep.LIMIT", 6, "LIMIT = 3", ""),
            ("method", "Books.Shelf.Deep.find", 8, "def self.find(name)", "Finds one by its name."),
            ("method", "Books.Shelf.Deep.full?", 12, "def full?; end", ""),
        ],
        [("json", ()), ("./lib/tool", ())],
        ["Book", "go", "new"],
    ),
    "a.ex": (
        """defmodule Plug.Conn do
  alias Plug.{Router, Adapters.Test}
  import Plug.Conn.Utils, only: [a: 1]
  use GenServer
  @type t :: %__MODULE__{}
  # Sends the response.
  @doc "Sends."
  def send_resp(%Conn{state: s} = conn, status) when is_integer(status) do
    Utils.check(conn)
    helper(status)
  end
  defp helper(x), do: x
  defmacro build({a, b}), do: a
  @callback init(term) :: term
end
defimpl Inspect, for: Plug.Conn do
  def inspect(c, _), do: c
end
""",
        [
            ("module", "Plug.Conn", 1, "defmodule Plug.Conn", ""),
            ("type", "Plug.Conn.t", 5, "@type t :: %__MODULE__{}", ""),
            (
                "function",
                "Plug.Conn.send_resp",
                8,
                "def send_resp(%Conn{state: s} = conn, status) when is_integer(status)",
                "Sends the response.",
            ),
            ("function", "Plug.Conn.helper", 12, "defp helper(x), do: x", ""),
            ("macro", "Plug.Conn.build", 13, "defmacro build({a, b}), do: a", ""),
            ("prototype", "Plug.Conn.init", 14, "@callback init(term) :: term", ""),
            ("method", "Inspect.inspect", 17, "def inspect(c, _), do: c", ""),
        ],
        [
            ("Plug.Router", ("Router",)),
            ("Plug.Adapters.Test", ("Test",)),
            ("Plug.Conn.Utils", ("Utils",)),
            ("GenServer", ("GenServer",)),
        ],
        ["check", "helper", "is_integer"],
    ),
    "a.swift": (
        """@_exported import Alamofire
import class Foundation.URL
/// A session.
public final class Session: NSObject {
    static let limit = 3
    public init(name: String) { self.name = name }
    func request<T>(_ url: T) -> Request { perform(url); other.call() }
    enum State { case idle, running(Int) }
}
extension Session: Equatable {
    func cancel() {}
}
struct Point { var x: Int }
protocol Loading { func load() -> Point }
typealias Handler = (Int) -> Void
actor Store {}
func free(a: Int) -> Point { Point(x: a) }
""",
        [
            ("class", "Session", 4, "public final class Session: NSObject", "A session."),
            ("field", "Session.limit", 5, "static let limit = 3", ""),
            ("method", "Session.init", 6, "public init(name: String)", ""),
            ("method", "Session.request", 7, "func request<T>(_ url: T) -> Request", ""),
            ("enum", "Session.State", 8, "enum State", ""),
            ("variant", "Session.State.idle", 8, "case idle, running(Int)", ""),
            ("variant", "Session.State.running", 8, "case idle, running(Int)", ""),
            ("method", "Session.cancel", 11, "func cancel()", ""),
            ("struct", "Point", 13, "struct Point", ""),
            ("field", "Point.x", 13, "var x: Int", ""),
            ("interface", "Loading", 14, "protocol Loading", ""),
            ("prototype", "Loading.load", 14, "func load() -> Point", ""),
            ("type", "Handler", 15, "typealias Handler = (Int) -> Void", ""),
            ("class", "Store", 16, "actor Store", ""),
            ("function", "free", 17, "func free(a: Int) -> Point", ""),
        ],
        [("Alamofire", ("Alamofire",)), ("Foundation.URL", ("URL",))],
        ["Point", "call", "perform"],
    ),
    "a.php": (
        """<?php
namespace App\\Models;
use App\\Services\\{Mailer, Log as L};
use App\\Base;
require_once __DIR__ . '/lib/util.php';
/** A user. */
class User extends Model {
    const LIMIT = 1;
    private $name;
    public function getName(): string { helper(); $this->x->go(); Tool::run(); return new Text(); }
}
function helper() {}
""",
        [
            ("class", "User", 7, "class User extends Model", "A user."),
            ("constant", "User.LIMIT", 8, "const LIMIT = 1", ""),
            ("field", "User.name", 9, "private $name", ""),
            ("method", "User.getName", 10, "public function getName(): string", ""),
            ("function", "helper", 12, "function helper()", ""),
        ],
        [
            ("App\\Services\\Mailer", ("Mailer",)),
            ("App\\Services\\Log", ("Log",)),
            ("App\\Base", ("Base",)),
            ("./lib/util.php", ()),
        ],
        ["Text", "go", "helper", "run"],
    ),
    "a.sh": (
        '#!/bin/bash\n# Builds things.\nsource ./lib.sh\n. "$HERE/more.sh"\nPLACE=1\n'
        "# Makes the image.\nbuild_image() { docker build .; }\nfunction other { build_image; }\n",
        [
            ("constant", "PLACE", 5, "PLACE=1", ""),
            ("function", "build_image", 7, "build_image()", "Makes the image."),
            ("function", "other", 8, "function other", ""),
        ],
        [("./lib.sh", ()), ("./more.sh", ())],
        ["build_image", "docker"],
    ),
    "a.json": (
        '{"name": "x", "scripts": {\n"build": "y"}}\n',
        [("key", "name", 1, "", ""), ("key", "scripts", 1, "", ""), ("key", "scripts.build", 2, "", "")],
        [],
        [],
    ),
    "a.yaml": (
        "name: x\njobs:\n  build:\n    steps: 1\n  'test': 2\n",
        [
            ("key", "name", 1, "", ""),
            ("key", "jobs", 2, "", ""),
            ("key", "jobs.build", 3, "", ""),
            ("key", "jobs.test", 5, "", ""),
        ],
        [],
        [],
    ),
    "a.toml": (
        'top = 1\n[project]\nname = "x"\n[tool.ruff]\nline = 1\n',
        [
            ("key", "top", 1, "", ""),
            ("key", "project", 2, "", ""),
            ("key", "project.name", 3, "", ""),
            ("key", "tool.ruff", 4, "", ""),
            ("key", "tool.ruff.line", 5, "", ""),
        ],
        [],
        [],
    ),
}
