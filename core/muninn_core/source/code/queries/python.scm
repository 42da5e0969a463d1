(class_definition name: (identifier) @name) @class
(function_definition name: (identifier) @name) @function
(module (expression_statement (assignment left: (identifier) @name)) @variable)
(module (expression_statement (assignment left: (pattern_list (identifier) @name))) @variable)
(module (expression_statement (assignment right: (assignment left: (identifier) @name))) @variable)
(module (expression_statement (assignment left: (identifier) @name right: (lambda))) @function)
(module (if_statement [
  consequence: (block (expression_statement (assignment left: (identifier) @name)) @variable)
  alternative: (elif_clause consequence: (block (expression_statement (assignment left: (identifier) @name)) @variable))
  alternative: (else_clause body: (block (expression_statement (assignment left: (identifier) @name)) @variable))]))
(module (try_statement [
  body: (block (expression_statement (assignment left: (identifier) @name)) @variable)
  (except_clause (block (expression_statement (assignment left: (identifier) @name)) @variable))
  (else_clause body: (block (expression_statement (assignment left: (identifier) @name)) @variable))]))
(class_definition body: (block (expression_statement (assignment left: (identifier) @name)) @field))
(class_definition body: (block (expression_statement (assignment left: (pattern_list (identifier) @name))) @field))
(type_alias_statement left: (type (identifier) @name)) @type
(decorator) @attached
(decorator [(identifier) @call (attribute attribute: (identifier) @call)])
(import_statement) @import
(import_from_statement) @import
(call function: [(identifier) @call (attribute attribute: (identifier) @call)])
(ERROR) @error
