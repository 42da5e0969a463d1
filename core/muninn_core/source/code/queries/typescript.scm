; inherits: script
(class_declaration name: (type_identifier) @name) @class
(abstract_class_declaration name: (type_identifier) @name) @class
(class name: (type_identifier) @name) @class
(interface_declaration name: (type_identifier) @name) @interface
(type_alias_declaration name: (type_identifier) @name) @type
(enum_declaration name: (identifier) @name) @enum
(internal_module name: [(identifier) (nested_identifier)] @name) @module
(module name: [(identifier) (nested_identifier)] @name) @module
(function_signature name: (identifier) @name) @function
(method_signature name: (property_identifier) @name) @method
(abstract_method_signature name: (property_identifier) @name) @method
(public_field_definition name: [(property_identifier) (private_property_identifier)] @name) @field
(public_field_definition name: [(property_identifier) (private_property_identifier)] @name
  value: [(arrow_function) (function_expression)]) @method
(required_parameter (accessibility_modifier) pattern: (identifier) @name) @field
(interface_body (property_signature name: (property_identifier) @name type: (type_annotation (function_type))) @method)
(enum_body [(property_identifier) @name (enum_assignment name: (property_identifier) @name)] @constant)
(statement_block (export_statement (lexical_declaration (variable_declarator name: (identifier) @name))) @variable)
