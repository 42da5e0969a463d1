(function_item name: (identifier) @name) @function
(function_signature_item name: (identifier) @name) @function
(struct_item name: (type_identifier) @name) @struct
(union_item name: (type_identifier) @name) @struct
(enum_item name: (type_identifier) @name) @enum
(trait_item name: (type_identifier) @name) @trait
(type_item name: (type_identifier) @name) @type
(mod_item name: (identifier) @name body: (declaration_list)) @module
(impl_item type: (_) @name) @impl
(impl_item type: (reference_type type: (_) @name)) @impl
(const_item name: (identifier) @name) @constant
(static_item name: (identifier) @name) @constant
(enum_variant name: (identifier) @name) @variant
(macro_definition name: (identifier) @name) @macro
(attribute_item) @attached
(use_declaration) @import
(mod_item !body) @import
(call_expression function: [
  (identifier) @call
  (field_expression field: (field_identifier) @call)
  (scoped_identifier name: (identifier) @call)
  (generic_function function: [
    (identifier) @call
    (scoped_identifier name: (identifier) @call)
    (field_expression field: (field_identifier) @call)])])
(token_tree (identifier) @call . (token_tree . "("))
(macro_invocation macro: [(identifier) @call (scoped_identifier name: (identifier) @call)])
(struct_expression name: [(type_identifier) @call (scoped_type_identifier name: (type_identifier) @call)])
(ERROR) @error
