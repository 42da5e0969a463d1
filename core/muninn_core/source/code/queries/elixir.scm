(call target: (identifier) @_define (arguments . (alias) @name)
  (#any-of? @_define "defmodule" "defprotocol")) @module
(call target: (identifier) @_define (arguments . (alias) @name)
  (#eq? @_define "defimpl")) @impl
(call target: (identifier) @_define (arguments . [
    (identifier) @name
    (call target: (identifier) @name)
    (binary_operator left: (call target: (identifier) @name))
    (binary_operator left: (identifier) @name)
  ])
  (#any-of? @_define "def" "defp" "defdelegate" "defguard" "defguardp" "defn" "defnp")) @function
(call target: (identifier) @_define (arguments . [
    (identifier) @name
    (call target: (identifier) @name)
    (binary_operator left: (call target: (identifier) @name))
  ])
  (#any-of? @_define "defmacro" "defmacrop")) @macro
(unary_operator operand: (call target: (identifier) @_define (arguments . (binary_operator left: [
    (identifier) @name
    (call target: (identifier) @name)
  ])))
  (#any-of? @_define "type" "typep" "opaque")) @type
(unary_operator operand: (call target: (identifier) @_define (arguments . (binary_operator left: (call target: (identifier) @name))))
  (#any-of? @_define "callback" "macrocallback")) @prototype
((unary_operator operand: (call target: (identifier) @_attribute)) @attached
  (#any-of? @_attribute "doc" "spec" "impl" "deprecated" "typedoc" "decorate"))
(call target: (identifier) @_import (arguments . [(alias) (dot)])
  (#any-of? @_import "alias" "import" "require" "use")) @import
((call target: (identifier) @call)
  (#not-match? @call "^(def[a-z]*|alias|import|require|use|doc|spec|impl|deprecated|(type|module)doc|typep?|opaque|(macro)?callback)$"))
(call target: (dot right: (identifier) @call))
(ERROR) @error
