(class name: [(constant) (scope_resolution)] @name) @class
(module name: [(constant) (scope_resolution)] @name) @module
(method name: (_) @name) @method
(singleton_method name: (_) @name) @method
(call !receiver method: (identifier) @_attr arguments: (argument_list (simple_symbol) @name)
  (#any-of? @_attr "attr_accessor" "attr_reader" "attr_writer")) @property
(call !receiver method: (identifier) @_method arguments: (argument_list . (simple_symbol) @name)
  (#any-of? @_method "alias_method" "define_method" "define_singleton_method")) @method
(alias name: (_) @name) @method
(assignment left: (constant) @name) @constant
(call !receiver method: (identifier) @_require arguments: (argument_list . (string))
  (#any-of? @_require "require" "require_relative" "load")) @import
(call !receiver method: (identifier) @_autoload arguments: (argument_list . (simple_symbol) . (string))
  (#eq? @_autoload "autoload")) @import
(call method: [(identifier) (constant)] @call)
(call receiver: [(constant) @call (scope_resolution name: (constant) @call)] method: (identifier) @_new (#eq? @_new "new"))
(ERROR) @error
