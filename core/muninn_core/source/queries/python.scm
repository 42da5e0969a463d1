(class_definition name: (identifier) @name) @class
(function_definition name: (identifier) @name) @function
(module (expression_statement (assignment left: (identifier) @name)) @variable)
(module (if_statement consequence: (block (expression_statement (assignment left: (identifier) @name)) @variable)))
(class_definition body: (block (expression_statement (assignment left: (identifier) @name)) @field))
(type_alias_statement left: (type (identifier) @name)) @type
(decorator) @attached
(import_statement) @import
(import_from_statement) @import
(call function: [(identifier) @call (attribute attribute: (identifier) @call)])
(ERROR) @error
