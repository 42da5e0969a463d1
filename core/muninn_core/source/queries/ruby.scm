(class name: [(constant) (scope_resolution)] @name) @class
(module name: [(constant) (scope_resolution)] @name) @module
(method name: (_) @name) @method
(singleton_method name: (_) @name) @method
(assignment left: (constant) @name) @constant
(call !receiver method: (identifier) @_require arguments: (argument_list . (string))
  (#any-of? @_require "require" "require_relative" "load" "autoload")) @import
(call method: [(identifier) (constant)] @call)
(call receiver: [(constant) @call (scope_resolution name: (constant) @call)] method: (identifier) @_new (#eq? @_new "new"))
(ERROR) @error
