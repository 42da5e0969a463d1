(function_definition declarator: [
  (function_declarator declarator: [(identifier) (field_identifier) (destructor_name) (operator_name)] @name)
  (pointer_declarator declarator: (function_declarator declarator: [(identifier) (field_identifier)] @name))
  (reference_declarator (function_declarator declarator: [(identifier) (field_identifier) (operator_name)] @name))
]) @function
(function_definition declarator: [
  (function_declarator declarator: (qualified_identifier) @name)
  (pointer_declarator declarator: (function_declarator declarator: (qualified_identifier) @name))
  (reference_declarator (function_declarator declarator: (qualified_identifier) @name))
]) @function
(declaration declarator: [
  (function_declarator declarator: (identifier) @name)
  (pointer_declarator declarator: (function_declarator declarator: (identifier) @name))
  (reference_declarator (function_declarator declarator: (identifier) @name))
]) @prototype
(field_declaration declarator: [
  (function_declarator declarator: (field_identifier) @name)
  (pointer_declarator declarator: (function_declarator declarator: (field_identifier) @name))
  (reference_declarator (function_declarator declarator: (field_identifier) @name))
]) @prototype
(class_specifier name: (type_identifier) @name body: (_)) @class
(struct_specifier name: (type_identifier) @name body: (_)) @struct
(union_specifier name: (type_identifier) @name body: (_)) @struct
(enum_specifier name: (type_identifier) @name body: (_)) @enum
(namespace_definition name: (_) @name) @module
(type_definition declarator: (type_identifier) @name) @type
(alias_declaration name: (type_identifier) @name) @type
(concept_definition name: (identifier) @name) @type
(preproc_def name: (identifier) @name) @macro
(preproc_function_def name: (identifier) @name) @macro
(translation_unit (declaration declarator: [(init_declarator declarator: (identifier) @name) (identifier) @name]) @variable)
(preproc_include) @import
(call_expression function: [
  (identifier) @call
  (field_expression field: (field_identifier) @call)
  (qualified_identifier name: [(identifier) @call (template_function name: (identifier) @call)])
  (template_function name: (identifier) @call)])
(new_expression type: (type_identifier) @call)
(ERROR) @error
