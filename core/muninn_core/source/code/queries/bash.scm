(function_definition name: (word) @name) @function
(program (variable_assignment name: (variable_name) @name) @variable)
(program (declaration_command (variable_assignment name: (variable_name) @name)) @variable)
(command name: (command_name) @_source argument: (_) (#any-of? @_source "source" ".")) @import
(command name: (command_name (word) @call))
(ERROR) @error
