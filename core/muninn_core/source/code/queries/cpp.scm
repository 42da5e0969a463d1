(function_definition declarator: [
  (function_declarator declarator: [(identifier) (field_identifier) (destructor_name) (operator_name)] @name)
  (pointer_declarator declarator: (function_declarator declarator: [(identifier) (field_identifier)] @name))
  (pointer_declarator declarator: (pointer_declarator declarator: (function_declarator declarator: [(identifier) (field_identifier)] @name)))
  (reference_declarator (function_declarator declarator: [(identifier) (field_identifier) (operator_name)] @name))
]
  (#not-match? @name "^(TYPED_)?TEST(_[FP])?$")) @function
(function_definition declarator: (function_declarator
  declarator: (identifier) @_macro
  parameters: (parameter_list . (parameter_declaration type: (_) @scope) . (parameter_declaration type: (_) @name) .))
  (#match? @_macro "^(TYPED_)?TEST(_[FP])?$")) @function
(function_definition declarator: [
  (function_declarator declarator: (qualified_identifier) @name)
  (pointer_declarator declarator: (function_declarator declarator: (qualified_identifier) @name))
  (reference_declarator (function_declarator declarator: (qualified_identifier) @name))
]) @function
(function_definition declarator: (operator_cast) @name) @function
(declaration declarator: [
  (function_declarator declarator: [(identifier) (destructor_name) (operator_name)] @name)
  (pointer_declarator declarator: (function_declarator declarator: (identifier) @name))
  (pointer_declarator declarator: (pointer_declarator declarator: (function_declarator declarator: (identifier) @name)))
  (reference_declarator (function_declarator declarator: [(identifier) (operator_name)] @name))
  (operator_cast) @name
]) @prototype
(field_declaration declarator: [
  (function_declarator declarator: [(field_identifier) (operator_name)] @name)
  (pointer_declarator declarator: (function_declarator declarator: (field_identifier) @name))
  (reference_declarator (function_declarator declarator: [(field_identifier) (operator_name)] @name))
]) @prototype
(class_specifier name: [(type_identifier) (qualified_identifier) (template_type)] @name body: (_)) @class
(struct_specifier name: [(type_identifier) (qualified_identifier) (template_type)] @name body: (_)) @struct
(union_specifier name: (type_identifier) @name body: (_)) @struct
(enum_specifier name: [(type_identifier) (qualified_identifier)] @name body: (_)) @enum
(enumerator name: (identifier) @name) @constant
(namespace_definition name: (_) @name) @module
(type_definition declarator: [
  (type_identifier) @name
  (pointer_declarator declarator: (type_identifier) @name)
  (function_declarator declarator: (parenthesized_declarator (pointer_declarator declarator: (type_identifier) @name)))
  (pointer_declarator declarator: (function_declarator
    declarator: (parenthesized_declarator (pointer_declarator declarator: (type_identifier) @name))))
]) @type
(alias_declaration name: (type_identifier) @name) @type
(concept_definition name: (identifier) @name) @type
(preproc_def name: (identifier) @name) @macro
(preproc_function_def name: (identifier) @name) @macro
(declaration declarator: [
  (identifier) @name
  (array_declarator declarator: (identifier) @name)
  (pointer_declarator declarator: (identifier) @name)
  (init_declarator declarator: [
    (identifier) @name
    (qualified_identifier) @name
    (array_declarator declarator: (identifier) @name)
    (pointer_declarator declarator: (identifier) @name)
    (pointer_declarator declarator: (array_declarator declarator: (identifier) @name))
    (reference_declarator (identifier) @name)])
]) @variable
(compound_statement) @body
(template_declaration parameters: (_) @attached)
(requires_clause) @attached
(preproc_include) @import
(call_expression function: [
  (identifier) @call
  (field_expression field: [(field_identifier) @call (template_method name: (field_identifier) @call)])
  (qualified_identifier name: [(identifier) @call (template_function name: (identifier) @call)])
  (qualified_identifier name: (qualified_identifier name: [(identifier) @call (template_function name: (identifier) @call)]))
  (template_function name: (identifier) @call)])
(new_expression type: [(type_identifier) @call (qualified_identifier name: (type_identifier) @call) (template_type name: (type_identifier) @call)])
(ERROR) @error
